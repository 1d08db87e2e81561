//! Frame records: the meaning of `llvm.frameaddress` and `llvm.returnaddress`, which the legalizer writes out and the
//! prover evaluates.
//!
//! ```text
//! %p:_(p0) = G_INTRINSIC intrinsic(@llvm.frameaddress), 2     the frame pointer of the caller's caller
//! %p:_(p0) = G_INTRINSIC intrinsic(@llvm.returnaddress), 1    the address that the caller returns to
//! ```
//!
//! A record has two words: the frame pointer of the caller, and the address that the function returns to. Its place
//! beside the frame pointer is the calling convention's. A prologue that sets up the register keeps one.
//!
//! Invariant: a query above the outermost record is an access like any other, so it is undefined where none is.

use crate::Target;
use crate::environment::Environment;
use tribunal_ir::semantics::walk::{self, Next, Transfer};
use tribunal_ir::semantics::{Domain, Memory, Unsupported};
use tribunal_ir::{Function, InstData, MemFlags, MemOperand, Opcode, Operand, Type};

/// The most frames that a query goes up; each is a load.
const HIGHEST: u32 = 64;

/// The distances of a record's words from the frame pointer, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FrameRecord {
    /// Of the caller's frame pointer.
    pub caller: i64,
    /// Of the address that the function returns to.
    pub returned: i64,
}

impl FrameRecord {
    /// As functions of the target keep it.
    pub fn of(target: &Target) -> FrameRecord {
        let word = i64::from(target.register_bytes());
        let end = target.abi.frame_record_end;
        FrameRecord { caller: end - 2 * word, returned: end - word }
    }
}

/// The word that a query asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum QueriedWord {
    /// The frame pointer: `llvm.frameaddress`.
    Frame,
    /// The return address: `llvm.returnaddress`.
    Return,
}

/// A query about the frame of an active function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FrameQuery {
    /// The number of callers up: 0 is the function itself.
    pub height: u32,
    /// The word.
    pub word: QueriedWord,
}

impl FrameQuery {
    /// The query that an instruction is; `None` if it is none, or the target keeps no frame records.
    pub fn of(function: &Function, target: &Target, data: &InstData) -> Option<FrameQuery> {
        let (Opcode::G_INTRINSIC, Some(Operand::Intrinsic(name))) = (data.opcode, data.operands.get(1)) else {
            return None;
        };
        let name = function.symbols.get(*name)?.as_str();
        let word = match name.strip_suffix(".p0").unwrap_or(name) {
            "llvm.frameaddress" => QueriedWord::Frame,
            "llvm.returnaddress" => QueriedWord::Return,
            _ => return None,
        };
        let height = u32::try_from(data.imm(2)?).ok().filter(|&height| height <= HIGHEST)?;
        // A machine without frame records has one register for both pointers.
        (target.abi.frame_pointer != target.abi.stack_pointer).then_some(FrameQuery { height, word })
    }

    /// The number of records that are read.
    pub fn records(self) -> u32 {
        self.height + u32::from(self.word == QueriedWord::Return)
    }

    /// The offsets of the loads that lead from the frame pointer to the result, in order.
    pub fn loads(self, target: &Target) -> impl Iterator<Item = i64> {
        let FrameRecord { caller, returned } = FrameRecord::of(target);
        let last = (self.word == QueriedWord::Return).then_some(returned);
        (0..self.height).map(move |_| caller).chain(last)
    }
}

/// The memory operand of each load.
pub fn record_operand(target: &Target) -> MemOperand {
    let ty = Type::Pointer { address_space: 0, bits: target.pointer_bits };
    MemOperand::new(MemFlags::LOAD, ty, target.register_bytes())
}

/// Answers a query from the frame pointer and the records in memory.
///
/// # Errors
/// The instruction defines no register.
pub fn execute<D: Domain, S: Environment<D>>(
    target: &Target,
    state: &mut S,
    data: &InstData,
    query: FrameQuery,
) -> Result<Transfer<D>, Unsupported> {
    let dst = data.operands.first().and_then(Operand::as_reg);
    let dst = dst.ok_or_else(|| Unsupported::malformed(data.opcode))?;
    let mut word = walk::read_physical(state, target.abi.frame_pointer);
    let mut ub = state.domain().boolean(false);
    let operand = record_operand(target);
    for offset in query.loads(target) {
        let (d, memory) = state.evaluator();
        let distance = d.literal(offset, target.pointer_bits.into());
        let address = d.add(&word.bits, &distance);
        let (next, outside) = memory.load(d, &address, target.register_bytes(), &operand);
        let undefined = d.bool_or(&word.poison, &outside);
        ub = d.bool_or(&ub, &undefined);
        word = next;
    }
    walk::write(state, dst, word)?;
    Ok(Transfer { ub, next: Next::Following })
}
