//! Every generic opcode of the table, with every mixture of types, through every judge: no panic, and no function is
//! refuted against itself. Most of these functions are malformed, which a judge must report.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use std::collections::BTreeSet;
use std::fmt::Write;
use std::time::Duration;
use tribunal_codegen::{Allocator, Options};
use tribunal_ir::opcode::OpcodeInfo;
use tribunal_ir::{Module, Opcode, OpcodeFlags, OperandKind, text};
use tribunal_target::Target;
use tribunal_trial::inputs::Plan;
use tribunal_trial::validate::{self, Kind, Setting};
use tribunal_trial::{FindingKind, Harness, harness};

/// One for each type index.
const TYPES: [&str; 4] = ["s32", "s64", "p0", "<2 x s32>"];
/// For the opcode's immediates and typed constants.
const IMMEDIATES: [&str; 4] = ["1", "8", "-1", "9223372036854775807"];

/// The choices that make one function.
struct Choice {
    types: [&'static str; 3],
    immediate: &'static str,
}

impl Choice {
    /// `%N:_(ty)`, defined before the instruction out of the argument `%100`.
    fn source(&self, head: &mut String, index: usize, number: usize) -> String {
        let ty = self.types[index];
        let made = match ty {
            "p0" => "G_INTTOPTR %100(s64)",
            "s64" => "COPY %100(s64)",
            _ if ty.starts_with('<') => "G_IMPLICIT_DEF",
            _ => "G_TRUNC %100(s64)",
        };
        let _ = writeln!(head, "    %{number}:_({ty}) = {made}");
        format!("%{number}({ty})")
    }

    /// The operand of one place of the row.
    fn operand(&self, head: &mut String, kind: OperandKind, number: usize) -> String {
        if let Some(index) = kind.type_index() {
            return self.source(head, index, number);
        }
        match kind {
            OperandKind::IMM | OperandKind::IMM0 => self.immediate.to_string(),
            OperandKind::CONST => format!("i64 {}", self.immediate),
            OperandKind::FCONST => "double 1.0".to_string(),
            OperandKind::FPRED => "floatpred(ogt)".to_string(),
            OperandKind::PRED => "intpred(ult)".to_string(),
            OperandKind::BLOCK => "%bb.1".to_string(),
            OperandKind::FRAME if self.immediate == "8" => "%fixed-stack.0".to_string(),
            OperandKind::FRAME => "%stack.0".to_string(),
            OperandKind::SYMBOL if self.immediate == "8" => "intrinsic(@llvm.ptrmask)".to_string(),
            OperandKind::SYMBOL => "@g".to_string(),
            OperandKind::POOL => "%const.0".to_string(),
            OperandKind::TABLE => "%jump-table.0".to_string(),
            OperandKind::MASK => "shufflemask(1, 0)".to_string(),
            OperandKind::CFI => "def_cfa_offset 16".to_string(),
            other => panic!("{other:?} has a type index or repeats"),
        }
    }

    /// The function's text.
    fn function(&self, info: &OpcodeInfo) -> String {
        let (mut head, mut numbers) = (String::new(), 0..);
        let mut next = || numbers.next().unwrap_or_default();
        let mut defs: Vec<String> = Vec::new();
        for kind in info.defs {
            let index = kind.type_index().unwrap_or(0);
            defs.push(format!("%{}:_({})", next(), self.types[index]));
        }
        let mut uses: Vec<String> = Vec::new();
        let mut last = OperandKind::T0;
        for &kind in info.uses {
            let kind = if kind == OperandKind::MORE { last } else { kind };
            last = if kind.type_index().is_some() { kind } else { OperandKind::T0 };
            uses.push(self.operand(&mut head, kind, next()));
        }
        if info.name == "G_PHI" {
            (head, uses) = (String::new(), Vec::new());
        }
        let defs = if defs.is_empty() { String::new() } else { format!("{} = ", defs.join(", ")) };
        let memory = match (info.flags.contains(OpcodeFlags::LOAD), info.flags.contains(OpcodeFlags::STORE)) {
            (true, true) => " :: (load store (s32))",
            (true, false) => " :: (load (s32))",
            (false, true) => " :: (store (s32))",
            (false, false) => "",
        };
        let falls = if info.flags.contains(OpcodeFlags::BARRIER) { "" } else { "    G_BR %bb.1\n" };
        format!(
            "---\nname: f\ntracksRegLiveness: true\nfixedStack:\n  - {{ id: 0, offset: 0, size: 8, alignment: 8 }}\n\
             stack:\n  - {{ id: 0, size: 8, alignment: 8 }}\nconstants:\n  - id: 0\n    value: 'i64 7'\n    alignment: 8\n\
             jumpTable:\n  kind: block-address\n  entries:\n    - id: 0\n      blocks: [ '%bb.1' ]\nbody: |\n  bb.0:\n    \
             successors: %bb.1\n    liveins: $x10\n\n    %100:_(s64) = COPY $x10\n{head}    {defs}{} {}{memory}\n{falls}\n  \
             bb.1:\n    $x10 = COPY %100(s64)\n    PseudoRET implicit $x10\n...\n",
            info.name,
            uses.join(", ")
        )
    }
}

/// Every mixture of types for the type indices that the opcode has, and every immediate where it has any.
fn choices(opcode: Opcode, info: &OpcodeInfo) -> Vec<Choice> {
    let mixtures = (0..TYPES.len().pow(opcode.type_indices() as u32)).map(|mixture| {
        let of_index = |index: u32| TYPES[mixture / TYPES.len().pow(index) % TYPES.len()];
        Choice { types: [of_index(0), of_index(1), of_index(2)], immediate: IMMEDIATES[0] }
    });
    let is_immediate = |kind: &OperandKind| kind.type_index().is_none() && *kind != OperandKind::MORE;
    let others = if info.uses.iter().any(is_immediate) { &IMMEDIATES[1..] } else { &[] };
    let alike = TYPES.map(|ty| others.iter().map(move |immediate| Choice { types: [ty; 3], immediate }));
    mixtures.chain(alike.into_iter().flatten()).collect()
}

fn target() -> &'static Target {
    &tribunal_target::riscv::RISCV64
}

#[test]
fn no_opcode_makes_a_judge_panic() {
    let target = target();
    let options = Options { allocator: Allocator::Fastalloc, ..Options::new(target.default_features) };
    let mut judges = Harness::new(target, options).unwrap();
    let legalizer = (target.legality)(options.features);
    let (mut seen, mut judged) = (BTreeSet::new(), 0);
    for &opcode in Opcode::ALL {
        let Some(info) = opcode.info().filter(|_| opcode.is_generic()) else { continue };
        for choice in choices(opcode, info) {
            let source = choice.function(info);
            let module: Module = match text::parse_module(&source, target.vocabulary) {
                Ok(module) => module.whole().unwrap_or_else(|unread| panic!("{unread}\n{source}")),
                Err(error) => panic!("{error}\n{source}"),
            };
            seen.insert(info.name);
            let function = &module.functions[0];
            let accepted = harness::verify(function, target, legalizer).is_empty();
            judged += usize::from(accepted);
            let tally = judges.trial(function, Plan { count: 2, seed: 1 });
            let inner = |kind| matches!(kind, FindingKind::Panic | FindingKind::Contract);
            let panics: Vec<_> = tally.findings.iter().filter(|finding| inner(finding.kind)).collect();
            assert!(panics.is_empty(), "{panics:?}\n{source}");
            let verdict = validate::validate(
                &module,
                &module,
                target,
                Setting { time: Duration::from_millis(500), ..Setting::default() },
            )
            .remove(0)
            .kind;
            let is_panic = |reason: &str| reason.starts_with("a panic") || reason.contains("thread ended");
            match verdict {
                Kind::Refuted(found) => panic!("refuted against itself: {found}\n{source}"),
                Kind::Unknown(reason) if is_panic(&reason) => panic!("{reason}\n{source}"),
                Kind::Proved | Kind::Unknown(_) | Kind::Unsupported(_) => {}
            }
        }
    }
    assert!(seen.len() > 270, "{} opcodes", seen.len());
    assert!(judged > 300, "the verifier accepts {judged} functions only");
}
