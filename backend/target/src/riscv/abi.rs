//! The integer calling convention (RISC-V ELF psABI, LP64 and ILP32).

use super::instructions::{ADJCALLSTACKDOWN, ADJCALLSTACKUP, PseudoCALL, PseudoRET, PseudoTAIL};
use super::registers::{self, GPRB, RA, SCRATCH, SP, x};
use super::target_flags;
use crate::abi::{Abi, Calls, Pairs, Passing};
use crate::variable_arguments::{VaListContent, VaListField};

/// The calling convention LP64, for integers and pointers in registers.
pub static LP64: Abi = BOTH;
/// The calling convention ILP32, for integers and pointers in registers.
pub static ILP32: Abi = Abi { extended_to: 32, ..BOTH };

const BOTH: Abi = Abi {
    passing: &[Passing {
        bank: GPRB,
        arguments: &[x(10), x(11), x(12), x(13), x(14), x(15), x(16), x(17)],
        results: &[x(10), x(11)],
    }],
    pairs: Pairs::Anywhere,
    indirect_result: None,
    callee_saved: &[x(8), x(9), x(18), x(19), x(20), x(21), x(22), x(23), x(24), x(25), x(26), x(27)],
    caller_saved: &[
        RA,
        x(5),
        x(6),
        x(7),
        x(10),
        x(11),
        x(12),
        x(13),
        x(14),
        x(15),
        x(16),
        x(17),
        x(28),
        x(29),
        x(30),
        x(31),
    ],
    stack_pointer: SP,
    frame_pointer: x(8),
    base_pointer: x(9),
    frame_record_end: 0,
    return_address: RA,
    reserved: &[x(3), x(4)],
    scratch: &[SCRATCH],
    stack_align: 16,
    return_opcode: PseudoRET,
    extended_to: 64,
    va_list: &[VaListField { offset: 0, content: VaListContent::FirstArgument }],
    calls: Some(Calls {
        opcode: PseudoCALL,
        tail: PseudoTAIL,
        frame_setup: ADJCALLSTACKDOWN,
        frame_destroy: ADJCALLSTACKUP,
        callee_flags: target_flags::CALL,
        preserved_mask: registers::SOFT_FLOAT_MASK,
    }),
};
