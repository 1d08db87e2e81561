//! The integer calling convention (AAPCS64).

use super::instructions::RET_ReallyLR;
use super::registers::{LR, SCRATCH, SP, x};
use crate::abi::Abi;

pub static ABI: Abi = Abi {
    arguments: &[x(0), x(1), x(2), x(3), x(4), x(5), x(6), x(7)],
    results: &[x(0), x(1)],
    callee_saved: &[x(19), x(20), x(21), x(22), x(23), x(24), x(25), x(26), x(27), x(28), x(29)],
    stack_pointer: SP,
    return_address: LR,
    scratch: &SCRATCH,
    stack_align: 16,
    return_opcode: RET_ReallyLR,
    extended_to: 0,
};
