//! Pointers of memory operands that the module makes of other pointers, at a constant distance.
//!
//! Invariant: a function without a module derives none.

use crate::function::Function;
use crate::memory::Pointer;
use rustc_hash::FxHashMap;
use tribunal_llvm::pointers::{self, DerivedPointer};
use tribunal_llvm::{IrFunction, Name};

impl Function {
    /// The pointer that this one is made of in the end, with the sum of the distances; `None` if it is made of none.
    pub fn derived_pointer(&self, pointer: Pointer) -> Option<DerivedPointer> {
        let ir: Option<&IrFunction> = self.ir.as_ref().and_then(|ir| ir.function(&Name::from(self.name.as_str())));
        let known = ir.map(|ir| &ir.pointers);
        let of_name = |name: &str| known.and_then(|known| known.get(name)).cloned();
        let mut derived = match pointer {
            Pointer::Expression(symbol) => pointers::of_expression(&self.symbols[symbol])?,
            Pointer::Ir(symbol) => of_name(&self.symbols[symbol])?,
            _ => return None,
        };
        // A chain ends: no pointer of SSA form is made of itself.
        for _ in 0..known.map_or(0, FxHashMap::len) {
            let Some(next) = derived.base.strip_prefix('%').and_then(of_name) else { break };
            derived = DerivedPointer { base: next.base, offset: derived.offset.wrapping_add(next.offset) };
        }
        Some(derived)
    }
}
