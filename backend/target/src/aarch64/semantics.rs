//! What every machine instruction computes.

use crate::MachineEvaluation;
use tribunal_ir::InstData;
use tribunal_ir::semantics::{Domain, Memory, Unsupported, Value};

pub fn evaluate<D: Domain, M: Memory<D>>(
    _domain: &mut D,
    _memory: &mut M,
    _target: &crate::Target,
    _inst: &InstData,
    _args: &[Value<D>],
) -> Result<MachineEvaluation<D>, Unsupported> {
    Err(Unsupported::new("machine instruction"))
}
