//! The memory of the symbols that a function names: each has a buffer of its own, whose place its name's rank gives.
//!
//! An input has those buffers, the interpreter takes them for the symbols' addresses, and the emulator links code to
//! them. So all three agree without saying so.
//!
//! Invariant: the same function has the same symbols at the same places, whatever its input.

use crate::input::{BUFFER_PAGES, SYMBOL_PAGES, buffer_address};
use std::collections::BTreeMap;
use tribunal_ir::text::print_base;
use tribunal_ir::{AddressBase, Function, PoolValue};
use tribunal_target::Target;

/// The memory of a symbol.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GlobalMemory {
    /// The address of its buffer.
    pub address: u64,
    /// The contents of a constant of the function's pool; anything for any other symbol.
    pub constant: Option<Vec<u8>>,
}

/// The memory of every symbol that the function takes the address of, by its text. Symbols beyond
/// [`SYMBOL_PAGES`] have none.
pub fn globals(function: &Function, target: &Target) -> BTreeMap<String, GlobalMemory> {
    if function.addresses.values().next().is_none() {
        return BTreeMap::new();
    }
    globals_of(&[function], target)
}

/// The same of the functions of a module that run together. A constant of the pool of any but the first is named by
/// [`constant_name`].
pub fn globals_of(functions: &[&Function], target: &Target) -> BTreeMap<String, GlobalMemory> {
    let mut globals = BTreeMap::new();
    for (number, function) in functions.iter().enumerate() {
        named_in(function, target, |base, constant| {
            let name = print_base(function, base);
            let is_own = matches!(base, AddressBase::Constant(_)) && number > 0;
            globals.insert(if is_own { constant_name(function, &name) } else { name }, constant);
        });
    }
    let pages = (BUFFER_PAGES - SYMBOL_PAGES..BUFFER_PAGES).rev().map(|page| buffer_address(page as usize));
    let placed = globals.into_iter().zip(pages);
    placed.map(|((name, constant), address)| (name, GlobalMemory { address, constant })).collect()
}

/// The name of an entry of a callee's constant pool: each function numbers its own.
pub fn constant_name(function: &Function, text: &str) -> String {
    format!("@{}: {text}", function.name)
}

/// Passes every symbol and constant that the function takes the address of.
fn named_in(function: &Function, target: &Target, mut found: impl FnMut(AddressBase, Option<Vec<u8>>)) {
    for inst in function.all_insts() {
        let data = function.inst(inst);
        let is_call = target.is_call(data);
        let addresses = data.operands.iter().filter_map(|operand| function.address_of(operand));
        for address in addresses.filter(|address| !(is_call && address.base.is_callee())) {
            let constant = match address.base {
                AddressBase::Constant(index) => function.constants.get(index).and_then(|row| bytes(&row.value)),
                AddressBase::Global(_) | AddressBase::External(_) => None,
                AddressBase::JumpTable(_) | AddressBase::Block { .. } | AddressBase::Label(_) => continue,
            };
            found(address.base, constant);
        }
    }
}

/// The bytes of a number.
fn bytes(value: &PoolValue) -> Option<Vec<u8>> {
    let bits = value.bits().filter(|bits| bits.width() <= 128 && bits.width().is_multiple_of(8))?;
    Some(bits.unsigned().to_le_bytes()[..bits.width() as usize / 8].to_vec())
}
