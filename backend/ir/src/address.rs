//! Addresses that only the linker knows, and the target flags that choose a part of one.
//!
//! Invariant: no operand holds text of an address. Names are unescaped once, by the parser.

use crate::entities::{Block, ConstantPoolIndex, JumpTable, Symbol};
use crate::function::Function;
use crate::inst::InstData;
use crate::operand::Operand;
use crate::vocabulary::TargetFlags;

/// `target-flags(riscv-lo) @g + 8`: an entity, an offset from its start, and the part of the sum that is meant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AddressData {
    /// The entity.
    pub base: AddressBase,
    /// In bytes.
    pub offset: i64,
    /// The part of the address, and how it is found.
    pub flags: TargetFlags,
}

/// An entity that has an address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AddressBase {
    /// `@g`: a global variable or a function of the module.
    Global(GlobalName),
    /// `&memcpy`: a symbol that no module declares.
    External(Symbol),
    /// `%const.0`: an entry of the function's constant pool.
    Constant(ConstantPoolIndex),
    /// `%jump-table.0`.
    JumpTable(JumpTable),
    /// `blockaddress(@f, %ir-block.x)`.
    Block {
        /// The function that holds it.
        function: GlobalName,
        /// The block of the IR, as it is spelled after `%ir-block.`.
        block: Symbol,
    },
    /// `<mcsymbol .Lpcrel_hi0>`: a label within the function.
    Label(Symbol),
}

impl AddressBase {
    /// True for what a call may name.
    pub const fn is_callee(self) -> bool {
        matches!(self, AddressBase::Global(_) | AddressBase::External(_))
    }
}

/// The name of a global. LLVM numbers those that have none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GlobalName {
    /// `@g`: its name, without `@`, quotes and escapes.
    Named(Symbol),
    /// `@0`.
    Numbered(u32),
}

impl Function {
    /// The operand for an address: the same one for the same address.
    pub fn address(&mut self, data: AddressData) -> Operand {
        Operand::Address(self.addresses.intern(&data))
    }

    /// The address that an operand is; `None` for every other operand.
    pub fn address_of(&self, operand: &Operand) -> Option<&AddressData> {
        match operand {
            Operand::Address(address) => self.addresses.get(*address),
            _ => None,
        }
    }

    /// The function that a call names; `None` for a call through a register.
    pub fn callee(&self, data: &InstData) -> Option<AddressBase> {
        let bases = data.operands.iter().filter_map(|operand| self.address_of(operand)).map(|address| address.base);
        bases.into_iter().find(|base| base.is_callee())
    }

    /// The name of a global or an external symbol, as an object file has it; `None` for one without a name.
    pub fn symbol_name(&self, base: AddressBase) -> Option<&str> {
        match base {
            AddressBase::Global(GlobalName::Named(name)) | AddressBase::External(name) => {
                self.symbols.get(name).map(String::as_str)
            }
            _ => None,
        }
    }

    /// The block of this function that an address is of; `None` for every other address.
    pub fn block_of_address(&self, base: AddressBase) -> Option<Block> {
        let AddressBase::Block { function: GlobalName::Named(holder), block } = base else { return None };
        let (holder, name) = (self.symbols.get(holder)?, self.symbols.get(block)?);
        let is_named = |block: &Block| self.taken_name(*block) == Some(name);
        self.layout().iter().copied().filter(|_| *holder == self.name).find(is_named)
    }

    /// The name of the IR's block that a block is, spelled as after `%ir-block.`, if the module takes its address.
    pub fn taken_name(&self, block: Block) -> Option<&str> {
        let attributes = self.block(block).attributes.as_deref()?;
        attributes.split(',').find_map(|part| part.trim().strip_prefix("ir-block-address-taken %ir-block."))
    }

    /// The symbol outside of the module that `base` is, as in `&memcpy`.
    pub fn external(&self, base: AddressBase) -> Option<&str> {
        match base {
            AddressBase::External(name) => self.symbols.get(name).map(String::as_str),
            _ => None,
        }
    }
}
