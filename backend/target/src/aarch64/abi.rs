//! The integer calling convention (AAPCS64).

use super::instructions::{ADJCALLSTACKDOWN, ADJCALLSTACKUP, BL, RET_ReallyLR};
use super::registers::{self, GPR, LR, NZCV, SCRATCH, SP, x};
use crate::abi::{Abi, Calls, Pairs, Passing};
use tribunal_ir::TargetFlags;

/// AAPCS64, for integers and pointers in registers.
pub static ABI: Abi = Abi {
    passing: &[Passing {
        bank: GPR,
        arguments: &[x(0), x(1), x(2), x(3), x(4), x(5), x(6), x(7)],
        results: &[x(0), x(1)],
    }],
    pairs: Pairs::Even,
    indirect_result: Some(x(8)),
    callee_saved: &[x(19), x(20), x(21), x(22), x(23), x(24), x(25), x(26), x(27), x(28), x(29)],
    // x18 is the platform's: nothing here writes it.
    caller_saved: &[
        x(0),
        x(1),
        x(2),
        x(3),
        x(4),
        x(5),
        x(6),
        x(7),
        x(8),
        x(9),
        x(10),
        x(11),
        x(12),
        x(13),
        x(14),
        x(15),
        x(16),
        x(17),
        LR,
        NZCV,
    ],
    stack_pointer: SP,
    frame_pointer: x(29),
    base_pointer: x(19),
    frame_record_end: 16,
    return_address: LR,
    reserved: &[],
    scratch: &SCRATCH,
    stack_align: 16,
    return_opcode: RET_ReallyLR,
    extended_to: 0,
    calls: Some(Calls {
        opcode: BL,
        frame_setup: ADJCALLSTACKDOWN,
        frame_destroy: ADJCALLSTACKUP,
        callee_flags: TargetFlags::NONE,
        preserved_mask: registers::AAPCS_MASK,
    }),
};
