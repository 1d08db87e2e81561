//! The ways in which an allocation can be wrong.

use crate::Violation;
use std::fmt;
use tribunal_ir::{Function, Inst};

/// One fault of an allocation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AllocationFault {
    /// A use reads a location that does not hold its value on every way there.
    Value {
        /// The register of the selected function.
        value: String,
        /// The location that is read.
        location: String,
    },
    /// A register that is written before the sources are read is one of theirs, or another definition's.
    EarlyClobber,
    /// An instruction was inserted that is no move, spill or reload.
    Inserted,
    /// A move stands where a branch may leave the block before it.
    AfterTerminator,
    /// A spill or reload of a stack object that is no spill slot, or too small or not aligned enough for the register.
    Slot,
    /// An original instruction differs in this part.
    Changed(InstPart),
    /// An original instruction is gone, in another block, or out of order.
    Lost,
    /// A block is gone or new, out of its place, or has other successors.
    Edges,
    /// A table of the function differs: this one.
    Table(&'static str),
}

/// A part of an instruction that an allocator leaves as it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InstPart {
    /// The opcode.
    Opcode,
    /// The instruction's flags.
    Flags,
    /// The memory operands.
    Memory,
    /// The number of operands.
    Operands,
    /// The operand of this index, if it is no virtual register.
    Operand(usize),
    /// The flags, sub-register or tie of the register operand of this index.
    Access(usize),
    /// The register of this operand is none of the class.
    Class(usize),
}

/// A rule of the allocation checker.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AllocationRule {
    /// A use reads from its location the value that the program means.
    Value,
    /// The allocator inserts moves, spills and reloads before terminators, and nothing else.
    Inserted,
    /// The allocator leaves every part of an instruction but its virtual registers.
    Changed,
    /// Every instruction stays in its place.
    Lost,
    /// Blocks and edges stay.
    Edges,
    /// The function's tables stay.
    Tables,
}

impl AllocationRule {
    /// Every rule.
    pub const ALL: [AllocationRule; 6] = [
        AllocationRule::Value,
        AllocationRule::Inserted,
        AllocationRule::Changed,
        AllocationRule::Lost,
        AllocationRule::Edges,
        AllocationRule::Tables,
    ];

    /// Its name in findings.
    pub fn id(self) -> &'static str {
        match self {
            AllocationRule::Value => "allocation-value",
            AllocationRule::Inserted => "allocation-inserted",
            AllocationRule::Changed => "allocation-changed",
            AllocationRule::Lost => "allocation-lost",
            AllocationRule::Edges => "allocation-edges",
            AllocationRule::Tables => "allocation-tables",
        }
    }
}

impl fmt::Display for AllocationRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

impl AllocationFault {
    /// The rule that it breaks.
    pub fn rule(&self) -> AllocationRule {
        match self {
            AllocationFault::Value { .. } | AllocationFault::EarlyClobber => AllocationRule::Value,
            AllocationFault::Inserted | AllocationFault::AfterTerminator | AllocationFault::Slot => {
                AllocationRule::Inserted
            }
            AllocationFault::Changed(_) => AllocationRule::Changed,
            AllocationFault::Lost => AllocationRule::Lost,
            AllocationFault::Edges => AllocationRule::Edges,
            AllocationFault::Table(_) => AllocationRule::Tables,
        }
    }

    pub(super) fn at(self, function: &Function, inst: Inst) -> Violation<AllocationRule> {
        Violation::at(self.rule(), function, inst, self.to_string())
    }
}

impl fmt::Display for AllocationFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AllocationFault::Value { value, location } => write!(f, "{value} is not in {location}"),
            AllocationFault::EarlyClobber => f.write_str("writes a register early that holds another operand"),
            AllocationFault::Inserted => f.write_str("is no move, spill or reload"),
            AllocationFault::AfterTerminator => f.write_str("stands after a terminator"),
            AllocationFault::Slot => f.write_str("is of a stack object that is no spill slot for this register"),
            AllocationFault::Changed(part) => write!(f, "is not the instruction selected: {part}"),
            AllocationFault::Lost => f.write_str("is gone, elsewhere or out of order"),
            AllocationFault::Edges => f.write_str("is not as it was selected, or has other successors"),
            AllocationFault::Table(name) => write!(f, "{name} differ"),
        }
    }
}

impl fmt::Display for InstPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InstPart::Opcode => f.write_str("the opcode"),
            InstPart::Flags => f.write_str("the flags"),
            InstPart::Memory => f.write_str("the memory operands"),
            InstPart::Operands => f.write_str("the number of operands"),
            InstPart::Operand(index) => write!(f, "operand {index}"),
            InstPart::Access(index) => write!(f, "flags, part or tie of operand {index}"),
            InstPart::Class(index) => write!(f, "the class of operand {index}"),
        }
    }
}
