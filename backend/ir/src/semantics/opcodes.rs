//! One definition an opcode. (Interface first; the arms follow.)

use super::{Domain, Memory, Value};
use crate::function::Function;
use crate::inst::InstData;
use crate::opcode::Opcode;
use smallvec::SmallVec;

/// What one instruction yields.
#[derive(Debug)]
pub struct Evaluation<D: Domain> {
    /// A value for each explicit definition, in operand order.
    pub results: SmallVec<[Value<D>; 2]>,
    /// True where executing the instruction is undefined behaviour.
    pub ub: D::Bool,
}

/// An instruction whose meaning is not defined yet; the feature's name is what reports show.
#[derive(Clone, PartialEq, Eq, Hash, Debug, thiserror::Error)]
#[error("{feature} is not supported")]
pub struct Unsupported {
    pub feature: String,
}

/// What `inst` computes from `args`: one value for each register that it reads explicitly, in operand order.
/// Types are read from `function`'s registers.
pub fn evaluate<D: Domain, M: Memory<D>>(
    domain: &mut D,
    memory: &mut M,
    function: &Function,
    inst: &InstData,
    args: &[Value<D>],
) -> Result<Evaluation<D>, Unsupported> {
    let _ = (domain, memory, function, args);
    match inst.opcode {
        Opcode::Target(_) => Err(Unsupported { feature: "target instruction".into() }),
        opcode => Err(Unsupported { feature: opcode.to_string() }),
    }
}
