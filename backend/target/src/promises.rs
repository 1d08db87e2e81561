//! Promises of machine instructions: LLVM's selector leaves `nuw`, `nsw`, `exact` and `disjoint` on them, and its later
//! passes believe them.
//!
//! A promise says of a machine instruction what it says of the generic operation that computes the same result, whole
//! or extended from the low half. So that operation is looked for by its result, and its definition says where the
//! promise is broken.

use crate::environment::Environment;
use smallvec::SmallVec;
use tribunal_ir::semantics::{Domain, Memory, Unsupported, Value, evaluate_flagged, walk};
use tribunal_ir::{InstData, InstFlags, Opcode, OpcodeFlags, Operand};

/// Whether promises of machine instructions have a meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Promises {
    /// Machine code creates no poison.
    Ignored,
    /// A result is poison where a promise may be broken: by any operation that gives the result.
    Believed,
    /// A result is poison where a promise is certainly broken: by all operations that give the result.
    Certain,
}

/// The operands of a machine instruction that promises something, as they are before it writes: registers, and
/// immediates of `bits` bits, the width of its result.
///
/// # Errors
/// As [`walk::read`].
pub fn operands<D: Domain, S: Environment<D>>(
    state: &mut S,
    data: &InstData,
    bits: u32,
) -> Result<SmallVec<[Value<D>; 4]>, Unsupported> {
    let mut args = SmallVec::new();
    // Immediates alone are parts of one number, not operands.
    if data.uses().next().is_none() {
        return Ok(args);
    }
    for operand in &data.operands {
        match operand {
            Operand::Reg(register) if !operand.is_def() => args.push(walk::read(state, register)?),
            Operand::Imm(value) if bits > 0 => {
                let domain = state.domain();
                args.push(Value::new(domain.literal(*value, bits), domain.boolean(false)));
            }
            _ => {}
        }
    }
    Ok(args)
}

/// For each generic operation of these operands that gives `result` by `is_same`: the condition under which the
/// promises are broken. `memory` says where objects end.
pub fn broken<D: Domain>(
    domain: &mut D,
    memory: &mut impl Memory<D>,
    flags: InstFlags,
    args: &[Value<D>],
    result: &D::Bits,
    is_same: impl Fn(&D::Bits, &D::Bits) -> bool,
) -> SmallVec<[D::Bool; 2]> {
    let mut broken = SmallVec::new();
    let whole = domain.width(result);
    let [one, other, ..] = args else { return broken };
    if args.iter().any(|arg| domain.width(&arg.bits) != whole) {
        return broken;
    }
    for width in [whole, whole / 2] {
        let mut part = |value: &Value<D>| Value::new(domain.extract(&value.bits, 0, width), value.poison.clone());
        let args = [part(one), part(other)];
        for opcode in Opcode::ALL.iter().copied().filter(|opcode| may_promise(*opcode, flags)) {
            let Ok(evaluation) = evaluate_flagged(domain, memory, opcode, flags, &args) else { continue };
            let Some(value) = evaluation.results.into_iter().next() else { continue };
            let (zeros, signs) = (domain.zext_or_trunc(&value.bits, whole), domain.sext_or_trunc(&value.bits, whole));
            if is_same(&zeros, result) || is_same(&signs, result) {
                broken.push(value.poison);
            }
        }
    }
    broken
}

/// Whether an operation of two sources may carry these flags.
fn may_promise(opcode: Opcode, flags: InstFlags) -> bool {
    opcode.info().is_some_and(|info| {
        let binary = info.defs.len() == 1 && info.uses.len() == 2 && info.flags.contains(OpcodeFlags::DEFINED);
        binary && (info.inst_flags & InstFlags::PROMISES).contains(flags)
    })
}
