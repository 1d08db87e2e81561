//! Shapes of instructions that have no row: LLVM's indirect calls and branches, labels, and arithmetic with a shift.
//!
//! A shape says as much as LLVM's verifier asks: the explicit operands, and that no memory is accessed but by a call.
//! An instruction without a row and without a shape is one that nobody judges: see `unjudged.rs`.

use super::{Rule, Verifier, machine};
use tribunal_ir::{Inst, OpcodeFlags, Operand, RegFlags};

/// An explicit operand.
enum Part {
    /// A register of the class that is written.
    Def(&'static str),
    /// A register of the class that is read.
    Use(&'static str),
    Imm,
    /// A symbol or a label.
    Name,
}
use Part::{Def, Imm, Name, Use};

const SHIFTED_WORD: &[Part] = &[Def("gpr32"), Use("gpr32"), Use("gpr32"), Imm];
const SHIFTED: &[Part] = &[Def("gpr64"), Use("gpr64"), Use("gpr64"), Imm];

/// By name, in order.
const SHAPES: &[(&str, &[Part])] = &[
    ("ADDWrs", SHIFTED_WORD),
    ("ADDXrs", SHIFTED),
    ("ANDWrs", SHIFTED_WORD),
    ("ANDXrs", SHIFTED),
    ("BLR", &[Use("gpr64")]),
    ("EH_LABEL", &[Name]),
    ("EORWrs", SHIFTED_WORD),
    ("EORXrs", SHIFTED),
    ("ORRWrs", SHIFTED_WORD),
    ("ORRXrs", SHIFTED),
    ("PseudoBRIND", &[Use("gprjalr"), Imm]),
    ("PseudoCALLIndirect", &[Use("gprjalr")]),
    ("SUBWrs", SHIFTED_WORD),
    ("SUBXrs", SHIFTED),
    ("TCRETURNdi", &[Name, Imm]),
];

/// True if the instruction of this name has a shape.
pub(super) fn has(name: &str) -> bool {
    shape(name).is_some()
}

fn shape(name: &str) -> Option<&'static [Part]> {
    SHAPES.binary_search_by_key(&name, |(row, _)| row).ok().map(|place| SHAPES[place].1)
}

/// An opaque instruction against its shape, if it has one.
pub(super) fn check(verifier: &mut Verifier<'_>, inst: Inst) {
    let (function, data) = (verifier.function, verifier.function.inst(inst));
    let Some(parts) = function.opaque_name(data).and_then(shape) else { return };
    let is_explicit = |operand: &&Operand| {
        let implicit = |operand: &Operand| operand.as_reg().is_some_and(|reg| reg.flags.contains(RegFlags::IMPLICIT));
        let preserved = matches!(operand, Operand::RegisterMask(_) | Operand::RegisterList(_));
        !implicit(operand) && !preserved && !matches!(operand, Operand::OpcodeName(_))
    };
    let operands: Vec<&Operand> = data.operands.iter().filter(is_explicit).collect();
    let (count, wanted) = (operands.len(), parts.len());
    if !verifier.demand(Rule::OperandCount, inst, count == wanted, || format!("{count} operands, {wanted} wanted")) {
        return;
    }
    for (index, (part, operand)) in parts.iter().zip(operands).enumerate() {
        let right = match part {
            Def(_) => operand.is_def(),
            Use(_) => operand.as_reg().is_some() && !operand.is_def(),
            Imm => matches!(operand, Operand::Imm(_)),
            Name => matches!(operand, Operand::Address(_) | Operand::Text(_)),
        };
        verifier.demand(Rule::OperandKind, inst, right, || format!("operand {index}"));
        if let (Def(name) | Use(name), Operand::Reg(register)) = (part, operand) {
            let class = verifier.target.vocabulary.class(name);
            let held = class.is_some_and(|class| machine::in_class(verifier, register, class));
            verifier.demand(Rule::StageClass, inst, held, || format!("operand {index} is not in {name}"));
        }
    }
    let calls = verifier.flags(data).contains(OpcodeFlags::CALL);
    let quiet = calls || data.memory.is_empty();
    verifier.demand(Rule::MemoryOperand, inst, quiet, || "it does not access memory");
}

#[cfg(test)]
mod tests {
    #[test]
    fn shapes_are_in_order() {
        assert!(super::SHAPES.is_sorted_by(|(one, _), (other, _)| one < other));
    }
}
