//! The ways in which code computes the address of a symbol, the relocations that complete it, and the parts of an
//! address that target flags select. The rows are in `<isa>/addressing.rs`.
//!
//! Invariant: a way is chosen by facts of the module alone. All ways compute one address; they differ in the places of
//! symbols that they reach.

use crate::Target;
use object::elf::RelocationType;
use std::fmt;
use tribunal_ir::semantics::Domain;
use tribunal_ir::{AddressBase, CodeModel, Function, InstData, Opcode, RelocationModel, SymbolFacts, TargetFlags};
use tribunal_ir::{AddressData, Operand, TargetOpcode, ThreadLocalModel};

/// A way to compute the address of a symbol.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Addressing {
    /// The address is in the instructions.
    Absolute,
    /// Its distance from the instructions is in them.
    PcRelative,
    /// It is loaded from the global offset table.
    Got,
    /// Its distance from the thread pointer is in the instructions.
    LocalExec,
    /// That distance is loaded from the global offset table.
    InitialExec,
    /// None that a rule has.
    Unsupported,
}

/// The facts that choose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AddressingFacts {
    /// About the symbol.
    pub symbol: SymbolFacts,
    /// Where code may be placed.
    pub relocation: RelocationModel,
    /// How far symbols are.
    pub code: CodeModel,
}

/// The choice of a target among those of variables that are not thread-local.
pub type AddressingChoice = fn(AddressingFacts) -> Addressing;

/// The relocations of one instruction with an address.
pub struct Fixup {
    /// The instruction, before it is expanded.
    pub opcode: TargetOpcode,
    /// The flags of its first address.
    pub flags: TargetFlags,
    /// The number that they make.
    pub quantity: Quantity,
    /// In the order of the code.
    pub parts: &'static [FixupPart],
}

impl Fixup {
    /// Of an address.
    pub const fn of_address(opcode: TargetOpcode, flags: TargetFlags, parts: &'static [FixupPart]) -> Fixup {
        Fixup { opcode, flags, quantity: Quantity::Address, parts }
    }

    /// Of a thread-local variable's distance from the thread pointer.
    pub const fn of_distance(opcode: TargetOpcode, flags: TargetFlags, parts: &'static [FixupPart]) -> Fixup {
        Fixup { opcode, flags, quantity: Quantity::ThreadDistance(ThreadLocalModel::LocalExec), parts }
    }

    /// The same, loaded from the global offset table.
    pub const fn of_loaded_distance(opcode: TargetOpcode, flags: TargetFlags, parts: &'static [FixupPart]) -> Fixup {
        Fixup { opcode, flags, quantity: Quantity::ThreadDistance(ThreadLocalModel::InitialExec), parts }
    }
}

/// The number that an instruction makes of a symbol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantity {
    /// The symbol's address.
    Address,
    /// The distance of a thread-local variable from the thread pointer, by the model that makes it.
    ThreadDistance(ThreadLocalModel),
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Quantity::Address => "the address",
            Quantity::ThreadDistance(ThreadLocalModel::LocalExec) => "the distance in the executable's own block",
            Quantity::ThreadDistance(_) => "the distance from the thread pointer",
        })
    }
}

/// One relocation.
pub struct FixupPart {
    /// Bytes from the start of the instruction's code.
    pub offset: u8,
    /// The number of the psABI.
    pub kind: RelocationType,
    /// The place that it names.
    pub anchor: Anchor,
}

/// The place that a relocation names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Anchor {
    /// The instruction's address operand.
    Symbol,
    /// The start of the instruction's code, whose relocation says the symbol.
    Start,
}

impl FixupPart {
    /// A relocation of the instruction's symbol.
    pub const fn symbol(offset: u8, kind: RelocationType) -> FixupPart {
        FixupPart { offset, kind, anchor: Anchor::Symbol }
    }

    /// A relocation that the one at the instruction's start completes.
    pub const fn start(offset: u8, kind: RelocationType) -> FixupPart {
        FixupPart { offset, kind, anchor: Anchor::Start }
    }
}

/// The part of an address that an operand is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AddressPart {
    /// The low twelve bits, as a signed number.
    SignedLow,
    /// The rest of the address without those: a multiple of 4096.
    SignedHigh,
    /// The low twelve bits.
    Low,
    /// The rest of the address without those.
    Page,
}

impl AddressPart {
    /// The part of `address`.
    pub fn of<D: Domain + ?Sized>(self, d: &mut D, address: &D::Bits) -> D::Bits {
        let width = d.width(address);
        let twelve = d.extract(address, 0, 12);
        let low = match self {
            AddressPart::SignedLow | AddressPart::SignedHigh => d.sext(&twelve, width),
            AddressPart::Low | AddressPart::Page => d.zext(&twelve, width),
        };
        match self {
            AddressPart::SignedLow | AddressPart::Low => low,
            AddressPart::SignedHigh | AddressPart::Page => d.sub(address, &low),
        }
    }
}

/// Facts about addresses on one machine.
pub struct AddressingDesc {
    /// The choice among the ways.
    pub choice: AddressingChoice,
    /// By opcode and flags.
    pub fixups: &'static [Fixup],
    /// The parts that flags select; an address without flags is whole.
    pub parts: &'static [(TargetFlags, AddressPart)],
    /// The assembler's spelling of flags: the text before the symbol, and the text after it.
    pub modifiers: &'static [(TargetFlags, &'static str, &'static str)],
}

impl AddressingDesc {
    /// Of a machine without symbols.
    pub const NONE: AddressingDesc =
        AddressingDesc { choice: |_| Addressing::Unsupported, fixups: &[], parts: &[], modifiers: &[] };
}

impl Target {
    /// The way to compute an address in `function`.
    pub fn addressing_of(&self, function: &Function, base: AddressBase) -> Addressing {
        use ThreadLocalModel::{GeneralDynamic, InitialExec, LocalDynamic, LocalExec};
        let symbol = function.symbol_facts(base);
        let facts = AddressingFacts { symbol, relocation: function.relocation_model(), code: function.code_model() };
        match symbol.thread_local {
            Some(LocalExec) => Addressing::LocalExec,
            Some(InitialExec) => Addressing::InitialExec,
            Some(GeneralDynamic | LocalDynamic) => Addressing::Unsupported,
            None => (self.addressing.choice)(facts),
        }
    }

    /// The relocations of an instruction with an address; `None` if it has no row.
    pub fn fixup(&self, opcode: TargetOpcode, flags: TargetFlags) -> Option<&'static Fixup> {
        self.addressing.fixups.iter().find(|fixup| fixup.opcode == opcode && fixup.flags == flags)
    }

    /// The number that an instruction with an address makes of it. One without a row makes no distance.
    pub fn quantity(&self, opcode: Opcode, flags: TargetFlags) -> Quantity {
        let Opcode::Target(opcode) = opcode else { return Quantity::Address };
        self.fixup(opcode, flags).map_or(Quantity::Address, |fixup| fixup.quantity)
    }

    /// The part that flags select; `None` for the whole address.
    pub fn address_part(&self, flags: TargetFlags) -> Option<AddressPart> {
        self.addressing.parts.iter().find(|(own, _)| *own == flags).map(|&(_, part)| part)
    }
}

/// The first address operand of an instruction that is no callee.
pub fn linked_operand<'f>(function: &'f Function, target: &Target, data: &InstData) -> Option<&'f AddressData> {
    let Opcode::Target(_) = data.opcode else { return None };
    let address = data.operands.iter().find_map(|operand: &Operand| function.address_of(operand))?;
    (!target.is_call(data)).then_some(address)
}
