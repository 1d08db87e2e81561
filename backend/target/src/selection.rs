//! The shape of a selection rule: a pattern over generic instructions, and the machine instructions that replace it.
//! The rules are in `<isa>/selection.rs`, most specific first; the engine is in codegen.
//!
//! A rule matches with its root at one instruction and reaches through the definitions of operands that have no other
//! use (constants may be shared). All of it is data: a row can be listed, proved, covered and blamed.

use crate::Features;
use crate::addressing::Addressing;
use tribunal_ir::{
    AtomicOrdering, Bits, FloatPredicate, IntPredicate, Opcode, Operand, PReg, RegBank, RegClass, SubReg, TargetFlags,
    TargetOpcode,
};

/// One rule.
pub struct SelectionRule {
    /// Unique within the target; coverage counts it and blame names it.
    pub name: &'static str,
    /// The generic instructions that it matches.
    pub pattern: Pattern,
    /// The rule applies only under these features.
    pub requires: Features,
    /// Machine instructions in order. The last one that has [`Out::Def`] defines the root's result.
    pub emit: &'static [Emit],
}

/// A generic instruction, and patterns for its uses.
pub struct Pattern {
    /// The opcode of the instruction.
    pub opcode: Opcode,
    /// The types that the result may have (for a store the value stored, for a branch the condition).
    pub ty: Types,
    /// Of a comparison. `None` accepts any.
    pub predicate: Option<Condition>,
    /// For loads and stores: size of the access in bits. `None` accepts any.
    pub memory_bits: Option<u32>,
    /// The orderings of the access, whether it fails or not.
    pub ordering: Orderings,
    /// One for each use operand (register, immediate, block, stack object) after the definitions, predicate left out.
    pub operands: &'static [Pat],
}

/// A set of orderings of an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Orderings(pub &'static [AtomicOrdering]);

impl Orderings {
    /// Those that order nothing: every access has them.
    pub const NONE: Orderings =
        Orderings(&[AtomicOrdering::NotAtomic, AtomicOrdering::Unordered, AtomicOrdering::Monotonic]);
}

/// The predicate of a comparison.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Condition {
    /// Of `G_ICMP`.
    Int(IntPredicate),
    /// Of `G_FCMP`.
    Float(FloatPredicate),
}

impl Condition {
    /// The condition that an operand states.
    pub fn of(operand: &Operand) -> Option<Condition> {
        match *operand {
            Operand::Predicate(predicate) => Some(Condition::Int(predicate)),
            Operand::FloatPredicate(predicate) => Some(Condition::Float(predicate)),
            _ => None,
        }
    }
}

/// A set of types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Types {
    /// Any type.
    Any,
    /// A scalar or pointer of exactly so many bits.
    Bits(u32),
    /// A scalar or pointer of at most so many bits.
    AtMost(u32),
    /// A scalar of exactly so many bits that lives in this bank.
    In(RegBank, u32),
}

/// The pattern of one operand. `slot` numbers the binding, for [`Out`].
pub enum Pat {
    /// Any register, bound as register `slot`.
    Reg(u8),
    /// Any register of a type of so many bits.
    RegOf(u8, Types),
    /// A register defined by `G_CONSTANT` (or an immediate operand) whose value the class accepts, bound as immediate
    /// `slot`. The value is the signed reading.
    Imm(u8, ImmClass),
    /// A register defined by `G_FRAME_INDEX`, or a stack object operand, bound as stack object `slot`.
    Stack(u8),
    /// A register defined by an instruction that matches, used here only.
    Op(&'static Pattern),
    /// A block operand, bound as label `slot`.
    Label(u8),
    /// The name of an intrinsic.
    Intrinsic(&'static str),
    /// The operand of an instruction that names an address, bound as symbol `slot`, if it is computed in this way.
    Symbol(u8, Addressing),
    /// An address, bound as address `slot`: a register or a stack object, plus a constant byte offset that the class
    /// accepts. Constants and stack objects are looked through however often they are used, since no code is repeated.
    Address(u8, ImmClass),
}

/// The immediates that a pattern accepts.
#[derive(Clone, Copy)]
pub struct ImmClass {
    /// Its name, for reports.
    pub name: &'static str,
    /// The test, given the constant; its width is the type's.
    pub accepts: fn(Bits) -> bool,
}

/// One machine instruction to write.
pub struct Emit {
    /// The opcode that is written.
    pub opcode: Opcode,
    /// Its operands, in LLVM's order.
    pub operands: &'static [Out],
}

/// `COPY` and `IMPLICIT_DEF` stand in rules by these numbers, which no instruction has.
pub(crate) const MOVE: TargetOpcode = TargetOpcode(u16::MAX);
pub(crate) const UNDEFINED: TargetOpcode = TargetOpcode(u16::MAX - 1);

/// The opcode that a rule's table names.
pub(crate) const fn emitted(opcode: TargetOpcode) -> Opcode {
    match opcode.0 {
        0xffff => Opcode::COPY,
        0xfffe => Opcode::IMPLICIT_DEF,
        _ => Opcode::Target(opcode),
    }
}

/// One operand to write.
pub enum Out {
    /// Defines the root's result, whose register gets this class.
    Def(RegClass),
    /// Defines temporary `n`.
    DefTemp(u8, RegClass),
    /// Reads register slot `n`.
    Reg(u8),
    /// Reads part of register slot `n`.
    SubReg(u8, SubReg),
    /// Reads temporary `n`.
    Temp(u8),
    /// Reads part of temporary `n`.
    TempPart(u8, SubReg),
    /// Immediate slot `n`, signed.
    Imm(u8),
    /// Immediate slot `n` through a function.
    ImmWith(u8, fn(Bits) -> i64),
    /// A fixed immediate.
    Const(i64),
    /// Reads or defines a physical register (the zero register; flags as implicit operands).
    Phys(PReg),
    /// Defines a physical register (the zero register, to drop a result).
    PhysDef(PReg),
    /// Defines a physical register that the text need not name.
    ImplicitDef(PReg),
    /// Reads a physical register that the text need not name.
    ImplicitUse(PReg),
    /// Stack object slot `n`.
    Stack(u8),
    /// Label slot `n`.
    Label(u8),
    /// Symbol slot `n`, the part that these flags select.
    Symbol(u8, TargetFlags),
    /// LLVM's number of the ordering of the root's access, whether it fails or not.
    Ordering,
    /// Address slot `n`: two operands, the base and the offset as [`crate::Machine::offset_operand`] writes it.
    Address(u8),
    /// Defines the root's second result.
    Def2(RegClass),
}

impl Pattern {
    /// An instruction with these uses, whatever its predicate and access size.
    pub const fn of(opcode: Opcode, ty: Types, operands: &'static [Pat]) -> Pattern {
        Pattern { opcode, ty, predicate: None, memory_bits: None, ordering: Orderings::NONE, operands }
    }

    /// A comparison of numbers of floating point with this predicate.
    pub const fn fcmp(predicate: FloatPredicate, ty: Types, operands: &'static [Pat]) -> Pattern {
        let (opcode, predicate) = (Opcode::G_FCMP, Some(Condition::Float(predicate)));
        Pattern { opcode, ty, predicate, memory_bits: None, ordering: Orderings::NONE, operands }
    }

    /// A comparison with this predicate.
    pub const fn icmp(predicate: IntPredicate, ty: Types, operands: &'static [Pat]) -> Pattern {
        let (opcode, predicate) = (Opcode::G_ICMP, Some(Condition::Int(predicate)));
        Pattern { opcode, ty, predicate, memory_bits: None, ordering: Orderings::NONE, operands }
    }

    /// A load or store of so many bits.
    pub const fn access(opcode: Opcode, ty: Types, bits: u32, operands: &'static [Pat]) -> Pattern {
        let (memory_bits, ordering) = (Some(bits), Orderings::NONE);
        Pattern { opcode, ty, predicate: None, memory_bits, ordering, operands }
    }

    /// The same with an ordering.
    pub const fn ordered(self, ordering: Orderings) -> Pattern {
        Pattern { ordering, ..self }
    }
}

impl Emit {
    /// An instruction of the target with these operands.
    pub const fn new(opcode: TargetOpcode, operands: &'static [Out]) -> Emit {
        Emit { opcode: Opcode::Target(opcode), operands }
    }
}
