//! Environments for executions of two stages: addresses, sizes and contents of globals.
//!
//! Sizes come from the types in the file's IR block. Contents are chosen, for constants too: the legalizer does not
//! look at initialisers. A symbol without a declaration there is an address that nobody may touch.

use crate::inputs::Pointers;
use std::collections::BTreeMap;
use tribunal_emulator::input::{Buffer, Input};
use tribunal_emulator::interpreter::{ConcreteEnvironment, return_pointers};
use tribunal_ir::{AddressBase, FixedContents, Function, GlobalName, MemFlags, MemOperand};
use tribunal_llvm::{AttributeWord, DataLayout, IrFunction, IrModule, Name};
use tribunal_target::Target;
use tribunal_target::environment::LinkedAddress;

/// The address of globals, apart from buffers of arguments and from stack objects.
const GLOBALS: u64 = 0x4000_0000;
/// The least distance between the starts of two globals, in bytes: running off one does not reach the next.
const GAP: u64 = 256;
/// Larger globals are not allocated.
const MOST_BYTES: u64 = 1 << 16;
/// Bytes behind pointers that calls return and that memory holds.
const HEAP_BYTES: u64 = 256;

/// The environment in which two functions are executed.
pub struct EnvironmentLayout {
    chosen: ConcreteEnvironment,
    /// The memory that calls return pointers to, and that memory holds.
    heap: u64,
    /// Sizes by address.
    places: Vec<(u64, u64)>,
    /// Constants in memory, and their contents.
    pools: Vec<(u64, Vec<u8>)>,
    pointer_bytes: usize,
}

impl EnvironmentLayout {
    /// `ir` is the IR block of the earlier file.
    pub fn new(before: &Function, after: &Function, ir: Option<&IrModule>, target: &Target) -> EnvironmentLayout {
        let mut symbols: BTreeMap<String, (Entity, Option<FixedContents>)> = BTreeMap::new();
        for function in [before, after] {
            let insts = function.all_insts().map(|inst| function.inst(inst));
            let addresses = insts.filter_map(|data| LinkedAddress::of(function, target.vocabulary, data));
            let contents = |base| function.contents(base, target.pointer_bits.into());
            symbols.extend(addresses.filter_map(|address| {
                Some((address.name.clone(), (entity(function, &address)?, contents(address.base))))
            }));
        }
        let pointer_bytes = target.register_bytes() as usize;
        let layouts = ir.map(|ir| ir.layouts(&DataLayout::with_pointers(target.pointer_bits.into())));
        let size_of_global = |name: &Name| {
            let global = ir?.global(name)?;
            layouts.as_ref()?.alloc_size(global.ty).ok()
        };
        let mut layout = EnvironmentLayout {
            chosen: ConcreteEnvironment::default(),
            heap: 0,
            places: Vec::new(),
            pools: Vec::new(),
            pointer_bytes,
        };
        let mut address = GLOBALS;
        let mut place = |size: u64| {
            let start = address;
            address = (address + size + GAP).next_multiple_of(GAP);
            start
        };
        layout.heap = place(HEAP_BYTES);
        layout.places.push((layout.heap, HEAP_BYTES));
        let is_constant = |name: &Name| ir.and_then(|ir| ir.global(name)).is_some_and(|global| global.constant);
        for (symbol, (entity, contents)) in symbols {
            // Constants stay what they are.
            let is_private = !matches!(&entity, Entity::Global(name) if !is_constant(name));
            let pooled = contents.map(|contents| contents.bytes).filter(|bytes| bytes.len() as u64 <= MOST_BYTES);
            let size = match (&pooled, &entity) {
                (Some(bytes), _) => Some(bytes.len() as u64),
                (None, Entity::Global(name)) => size_of_global(name),
                (None, Entity::Constant) => None,
            };
            let size = size.filter(|&size| size <= MOST_BYTES).unwrap_or(0);
            let start = place(size);
            if is_private {
                layout.chosen.private.insert(start);
            }
            match pooled {
                Some(bytes) => {
                    layout.chosen.constants.insert(start);
                    layout.pools.push((start, bytes));
                }
                None => layout.places.push((start, size)),
            }
            layout.chosen.symbols.insert(symbol, start);
        }
        layout.chosen.return_pointers = return_pointers(before, target);
        layout
    }

    /// The environment for the `index`th input, whose buffers gain the globals.
    pub fn around(&self, input: &mut Input, index: u32, pointers: Pointers) -> ConcreteEnvironment {
        let mut state = u64::from(index).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut random = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        for &(address, size) in &self.places {
            let mut bytes = Vec::new();
            while (bytes.len() as u64) < size {
                let word = match random() % 4 {
                    0 => self.heap,
                    1 => random(),
                    _ => random() % 4,
                };
                bytes.extend_from_slice(&word.to_le_bytes()[..self.pointer_bytes]);
            }
            bytes.truncate(size as usize);
            input.buffers.push(Buffer { address, bytes });
        }
        for (address, bytes) in &self.pools {
            input.buffers.push(Buffer { address: *address, bytes: bytes.clone() });
        }
        let mut private = self.chosen.private.clone();
        if pointers == Pointers::Apart {
            private.extend(input.buffers.iter().map(|buffer| buffer.address));
        }
        ConcreteEnvironment { seed: index.into(), private, ..self.chosen.clone() }
    }
}

/// Where pointer arguments may point. An optimizer may rely on a `noalias` parameter, on what metadata of accesses says
/// of aliases (`!tbaa`, `!noalias`), and on memory that is `invariant`: none of that has a meaning here. So the
/// pointers of such a function are apart, and no callee knows memory but what it is given.
pub fn pointers(function: &Function, ir: Option<&IrModule>) -> Pointers {
    let declared = ir.and_then(|ir| ir.function(&Name::from(function.name.as_str())));
    let is_unaliased =
        |function: &IrFunction| function.parameters.iter().any(|parameter| parameter.has(AttributeWord::NoAlias));
    let is_promise = |operand: &MemOperand| operand.metadata.is_some() || operand.flags.contains(MemFlags::INVARIANT);
    let is_marked = |inst| function.inst(inst).memory.iter().any(is_promise);
    match declared.is_some_and(is_unaliased) || function.all_insts().any(is_marked) {
        true => Pointers::Apart,
        false => Pointers::Aliasing,
    }
}

/// An entity whose address the environment chooses.
enum Entity {
    /// A global variable or a function.
    Global(Name),
    /// A constant of the pool.
    Constant,
}

/// The entity that an address is of; `None` for one that nobody accesses.
fn entity(function: &Function, address: &LinkedAddress<'_>) -> Option<Entity> {
    match address.base {
        AddressBase::Global(GlobalName::Named(name)) => {
            Some(Entity::Global(Name::from(function.symbols[name].as_str())))
        }
        AddressBase::Global(GlobalName::Numbered(number)) => Some(Entity::Global(Name::Number(number))),
        AddressBase::Constant(_) => Some(Entity::Constant),
        AddressBase::External(_) | AddressBase::JumpTable(_) | AddressBase::Block { .. } | AddressBase::Label(_) => {
            None
        }
    }
}
