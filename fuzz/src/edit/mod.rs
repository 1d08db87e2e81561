//! Small edits on a function of generic machine IR: the primitives of the reducer and the mutators.
//!
//! An edit names instructions, registers and blocks. Those keep their names from edit to edit and in clones, so that
//! any part of a list of edits can be tried in any order. [`Edit::apply`] returns `false`, and changes nothing, where
//! an edit no longer fits the function.
//!
//! Invariant: a function that the machine verifier accepts before legalization is accepted after an edit
//! (`fuzz/tests/edits.rs`). SSA and dominance, types, successors and PHIs, physical registers and call frames stay
//! right. The function's results change; that is the purpose. Later stages have rules that edits do not know: an edit
//! there needs a run of the verifier.

mod blocks;
mod compact;
mod grow;
mod scope;
mod shape;
mod splice;
mod values;
mod widths;

pub use crate::opcodes::{families, siblings};
pub use compact::compact;
pub use scope::{Scope, is_free, read_on_entry};
pub use shape::{alike, flags_of, immediate_range, is_supported};
pub use splice::{Donor, donors};
pub use values::is_same_kind;
pub use widths::{WidthClass, width_classes};

use tribunal_ir::{Bits, Block, Function, Inst, InstFlags, IntPredicate, Opcode, PReg, Type, VReg};
use tribunal_target::Target;

/// One edit.
#[derive(Clone, Debug)]
pub enum Edit {
    /// The instruction is removed. Its results become an operand of the same type, or a zero.
    Remove(Inst),
    /// Reads of `register` become reads of `to`, which is defined above it.
    Forward {
        /// The register that is no longer read.
        register: VReg,
        /// The register that is read in its place.
        to: VReg,
    },
    /// `register` becomes a constant.
    Constant {
        /// The register that its definition gives another value.
        register: VReg,
        /// The value, of the register's width.
        value: Bits,
    },
    /// Operand `index` of the instruction reads `to`.
    Operand {
        /// The instruction that reads.
        inst: Inst,
        /// The operand's place in the instruction.
        index: usize,
        /// The register that is read from now on.
        to: VReg,
    },
    /// Operand `index`, a width or place within a register, in bits.
    Immediate {
        /// The instruction.
        inst: Inst,
        /// The operand's place in the instruction.
        index: usize,
        /// The immediate from now on.
        value: i64,
    },
    /// Poison-generating flags.
    Flags {
        /// The instruction.
        inst: Inst,
        /// Its flags from now on.
        flags: InstFlags,
    },
    /// Another predicate.
    Predicate {
        /// The comparison.
        inst: Inst,
        /// Its predicate from now on.
        predicate: IntPredicate,
    },
    /// Another opcode of the same shape.
    Opcode {
        /// The instruction.
        inst: Inst,
        /// Its opcode from now on.
        opcode: Opcode,
    },
    /// The memory operand says direction, type and alignment only.
    PlainMemory(Inst),
    /// The store writes all of another value.
    Stored {
        /// The store.
        inst: Inst,
        /// The register that is stored from now on.
        value: VReg,
    },
    /// The register and all that must have its type get so many bits.
    Width {
        /// A register of the type that changes.
        register: VReg,
        /// The width from now on.
        bits: u32,
    },
    /// The block always goes to this one of its successors.
    Goto {
        /// The block.
        block: Block,
        /// Its only successor from now on.
        to: Block,
    },
    /// The targets of the block's conditional branch, taken and not taken, are exchanged.
    Exchange(Block),
    /// The block falls into the next one instead of branching to it.
    FallThrough(Block),
    /// The block and its only successor, of which it is the only predecessor, become one.
    Join(Block),
    /// The instructions before this one become a block of their own.
    Split(Inst),
    /// The function no longer returns anything in this register.
    DropResult(PReg),
    /// The function returns this scalar where it is defined, in a whole register, and nothing else.
    Return(VReg),
    /// The call is removed, whose frame this instruction sets up.
    RemoveCall(Inst),
    /// `result = opcode operands` before the instruction.
    Insert {
        /// The instruction that the new one stands before.
        before: Inst,
        /// The opcode of the new instruction.
        opcode: Opcode,
        /// The type of its result.
        result: Type,
        /// The registers that it reads.
        operands: Vec<VReg>,
    },
    /// A copy of the instruction, with results of its own, before it.
    Duplicate(Inst),
    /// The instruction moves to another place: down to its reads, or up to its operands.
    Move {
        /// The instruction that moves.
        inst: Inst,
        /// The instruction that it stands before from now on.
        before: Inst,
    },
    /// An empty diamond: the block is split before the instruction, and control goes through an empty block or past it.
    Diamond {
        /// The instruction that the block is split before.
        before: Inst,
        /// The register that decides which way is taken.
        condition: VReg,
    },
    /// A PHI of one value for each predecessor, at the head of the block.
    Phi {
        /// The block.
        block: Block,
        /// A register for each predecessor, in their order.
        values: Vec<VReg>,
    },
}

impl Edit {
    /// Makes the edit; `false` if it does not fit, and then nothing has changed.
    pub fn apply(&self, function: &mut Function, target: &Target) -> bool {
        match self {
            Edit::Remove(inst) => values::remove(function, target, *inst),
            Edit::Forward { register, to } => values::forward(function, *register, *to),
            Edit::Constant { register, value } => values::become_constant(function, *register, *value),
            Edit::Operand { inst, index, to } => values::set_operand(function, *inst, *index, *to),
            Edit::Immediate { inst, index, value } => shape::set_immediate(function, *inst, *index, *value),
            Edit::Flags { inst, flags } => shape::set_flags(function, *inst, *flags),
            Edit::Predicate { inst, predicate } => shape::set_predicate(function, *inst, *predicate),
            Edit::Opcode { inst, opcode } => shape::set_opcode(function, *inst, *opcode),
            Edit::PlainMemory(inst) => shape::plain_memory(function, *inst),
            Edit::Stored { inst, value } => shape::set_stored(function, *inst, *value),
            Edit::Width { register, bits } => widths::set_width(function, *register, *bits),
            Edit::Goto { block, to } => blocks::goto(function, target, *block, *to),
            Edit::Exchange(block) => blocks::exchange(function, target, *block),
            Edit::FallThrough(block) => blocks::fall_through(function, target, *block),
            Edit::Join(block) => blocks::join(function, target, *block),
            Edit::Split(inst) => blocks::split(function, target, *inst).is_some(),
            Edit::DropResult(register) => values::drop_result(function, target, *register),
            Edit::Return(register) => blocks::end_with_return(function, target, *register),
            Edit::RemoveCall(setup) => values::remove_call(function, target, *setup),
            Edit::Insert { before, opcode, result, operands } => {
                grow::insert(function, target, *before, *opcode, *result, operands)
            }
            Edit::Duplicate(inst) => grow::duplicate(function, *inst),
            Edit::Move { inst, before } => grow::relocate(function, target, *inst, *before),
            Edit::Diamond { before, condition } => blocks::diamond(function, target, *before, *condition),
            Edit::Phi { block, values } => grow::phi(function, *block, values),
        }
    }
}

/// The treatment of instructions that an edit leaves unread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leftover {
    /// They are removed, if they were read before.
    Sweep,
    /// They stay.
    Keep,
}

/// Makes all of `edits` that fit; returns their number.
pub fn apply_all(function: &mut Function, target: &Target, edits: &[Edit], left: Leftover) -> usize {
    let unread = values::unread(function);
    let made = edits.iter().filter(|edit| edit.apply(function, target)).count();
    if made > 0 && left == Leftover::Sweep {
        values::sweep(function, target, unread);
    }
    made
}
