//! The calling convention.

use crate::abi::Abi;
use tribunal_ir::{PReg, TargetOpcode};

pub static ABI: Abi = Abi {
    arguments: &[],
    results: &[],
    callee_saved: &[],
    stack_pointer: PReg(0),
    return_address: PReg(0),
    scratch: &[],
    stack_align: 16,
    return_opcode: TargetOpcode(0),
    extended_to: 0,
};
