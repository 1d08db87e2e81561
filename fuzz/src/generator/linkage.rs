//! The module that a program is said to be of: where its symbols may lie, and how code finds them. And constants of the
//! pool, which are found the same ways.
//!
//! Invariant: a program has a module only if its target computes every address in it.

use super::{Entry, Generator};
use arbitrary::Result;
use std::sync::{Arc, LazyLock};
use tribunal_ir::{
    AddressBase, AddressData, Function, GlobalName, IrBlock, MemFlags, MemOperand, Opcode, PoolConstant, PoolValue,
    TargetFlags, Type,
};
use tribunal_target::addressing::Addressing;

/// The levels of position independence of a module and of an executable, and the code model, by LLVM's numbers.
const MODELS: [[u32; 3]; 4] = [[0, 0, 3], [2, 2, 1], [2, 0, 1], [2, 2, 3]];
/// Bits of constants of the pool.
const CONSTANT_BITS: [u32; 5] = [8, 16, 32, 64, 128];

/// The modules, one for each choice of models: a symbol of its own, and one that may be anybody's.
static BLOCKS: LazyLock<Vec<IrBlock>> = LazyLock::new(|| {
    let text = |[library, executable, code]: [u32; 3]| {
        format!(
            "  @global0 = external dso_local global [64 x i8]\n  \
               @global1 = external global [64 x i8]\n  \
               define void @f() {{\n    ret void\n  }}\n  \
               !llvm.module.flags = !{{!0, !1, !2}}\n  \
               !0 = !{{i32 8, !\"PIC Level\", i32 {library}}}\n  \
               !1 = !{{i32 7, !\"PIE Level\", i32 {executable}}}\n  \
               !2 = !{{i32 1, !\"Code Model\", i32 {code}}}"
        )
    };
    MODELS.into_iter().filter_map(|model| IrBlock::read(text(model)).ok()).collect()
});

/// The text of the module that the generator gave a function, for files that hold the function.
pub fn block_of(function: &Function) -> Option<IrBlock> {
    let own = function.ir.as_ref()?;
    BLOCKS.iter().find(|block| Arc::ptr_eq(&block.shared(), own)).cloned()
}

impl Generator<'_, '_, '_> {
    /// A module, now and then.
    pub(super) fn linkage(&mut self) -> Result<()> {
        let is_alone = self.builder.function.name == "f" && self.callees.is_empty();
        if !self.policy.linked || !is_alone || BLOCKS.is_empty() || self.u.arbitrary()? {
            return Ok(());
        }
        let block = self.u.choose(&BLOCKS)?;
        let function = &mut self.builder.function;
        function.ir = Some(block.shared());
        let globals = ["global0", "global1"].map(|name| AddressBase::Global(GlobalName::Named(function.intern(name))));
        if globals.into_iter().any(|base| self.target.addressing_of(function, base) == Addressing::Unsupported) {
            function.ir = None;
        }
        Ok(())
    }

    /// A load of a constant of the pool.
    pub(super) fn pooled(&mut self) -> Result<()> {
        let bits = *self.u.choose(&CONSTANT_BITS)?;
        let value = self.constant_value(bits)?;
        let align = 1u32 << self.u.int_in_range(0..=(bits / 8).ilog2())?;
        let constant = PoolConstant { value: PoolValue::Integer(value), align: Some(align), target_specific: false };
        let pointer = self.pointer_type();
        let base = AddressBase::Constant(self.builder.function.constants.push(constant));
        let operand = self.builder.function.address(AddressData { base, offset: 0, flags: TargetFlags::NONE });
        let address = self.builder.build(pointer, Opcode::G_CONSTANT_POOL, [operand]);
        let ty = Type::scalar(bits);
        let register = self.builder.load(Opcode::G_LOAD, ty, address, MemOperand::new(MemFlags::LOAD, ty, align));
        self.scope.push(Entry { register, ty, deterministic: true });
        Ok(())
    }
}
