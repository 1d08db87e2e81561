//! Inline assembly: the text, the flags, and groups of operands, each after a number that says how many it has.
//!
//! Source: LLVM's `InlineAsm::Flag` and `MachineVerifier::verifyInlineAsm`.

use super::{Rule, Verifier};
use tribunal_ir::{AddressBase, Inst, Operand, RegFlags};

/// LLVM knows seven flags of the whole: side effects, alignment of the stack, dialect, and so on.
const FLAGS: std::ops::RangeInclusive<i64> = 0..=0x7f;

pub(super) fn check(verifier: &mut Verifier<'_>, inst: Inst) {
    let fault = fault(verifier, inst);
    verifier.demand(Rule::InlineAssembly, inst, fault.is_none(), || fault.unwrap_or_default());
}

fn fault(verifier: &Verifier<'_>, inst: Inst) -> Option<&'static str> {
    let function = verifier.function;
    let [text, flags, groups @ ..] = function.inst(inst).operands.as_slice() else {
        return Some("it has no text or no flags");
    };
    let is_symbol = match text {
        Operand::Text(text) => function.symbols.get(*text).is_some_and(|text| text.starts_with('&')),
        _ => matches!(function.address_of(text).map(|address| address.base), Some(AddressBase::External(_))),
    };
    if !is_symbol {
        return Some("the first operand is not its text");
    }
    if !matches!(flags, Operand::Imm(flags) if FLAGS.contains(flags)) {
        return Some("the second operand is not its flags");
    }
    let mut rest = groups;
    while let [Operand::Imm(head), ..] = rest {
        let Some(after) = rest.get(1 + members(*head)..) else { return Some("its last group lacks operands") };
        rest = after;
    }
    if let [Operand::Metadata(_), after @ ..] = rest {
        rest = after;
    }
    let is_implicit =
        |operand: &Operand| operand.as_reg().is_some_and(|operand| operand.flags.contains(RegFlags::IMPLICIT));
    (!rest.iter().all(is_implicit)).then_some("an operand stands in no group")
}

/// The operands of a group: 13 bits above the three of its kind.
fn members(head: i64) -> usize {
    ((head >> 3) & 0x1fff) as usize
}
