//! Each rule of the machine verifier has a file under `corpus/verifier` that breaks it and no other.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tribunal_ir::{Block, Function, InstData, Opcode, Operand, text};
use tribunal_target::Target;
use tribunal_verifier::machine_verifier::{RULES, verify};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/verifier")
}

/// The rules that a function breaks.
fn broken(function: &Function, target: &'static Target) -> BTreeSet<&'static str> {
    let legalizer = (target.legality)(target.default_features);
    verify(function, target, legalizer).into_iter().map(|finding| finding.rule.id()).collect()
}

/// The rules that a file's head says it breaks, and those that it does.
fn expected_and_broken(path: &Path) -> (BTreeSet<String>, BTreeSet<&'static str>) {
    let source = std::fs::read_to_string(path).unwrap();
    let target = tribunal_target::by_name(&text::architecture(&source).unwrap()).unwrap();
    let module = text::parse_module(&source, target.vocabulary).unwrap_or_else(|error| {
        panic!("{}: {error}", path.display());
    });
    let module = module.whole().unwrap_or_else(|unread| panic!("{}: {unread}", path.display()));
    let lines = module.comments.iter().filter_map(|line| line.trim().strip_prefix("error: "));
    let found = module.functions.iter().flat_map(|function| broken(function, target)).collect();
    (lines.map(str::to_string).collect(), found)
}

#[test]
fn every_rule_has_a_file_that_breaks_only_it() {
    let mut wrong = Vec::new();
    for rule in RULES {
        let path = folder().join(format!("{}.mir", rule.id));
        if !path.exists() {
            wrong.push(format!("{}: no file", rule.id));
            continue;
        }
        let (expected, found) = expected_and_broken(&path);
        if found != BTreeSet::from([rule.id]) || expected != BTreeSet::from([rule.id.to_string()]) {
            wrong.push(format!("{}: breaks {found:?}, its head says {expected:?}", rule.id));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_file_is_of_a_rule() {
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(RULES.iter().any(|rule| rule.id == name), "{name} is no rule");
    }
}

fn riscv() -> &'static Target {
    tribunal_target::by_name("riscv64").unwrap()
}

fn parse(body: &str) -> Function {
    let source = format!("---\nname: f\ntracksRegLiveness: true\nbody: |\n{body}...\n");
    text::parse_module(&source, riscv().vocabulary).unwrap().functions.remove(0)
}

const LOOP: &str = "
  bb.0:
    liveins: $x10

    %0:_(s64) = COPY $x10

  bb.1:
    %1:_(s64) = G_PHI %0(s64), %bb.0, %2(s64), %bb.1
    %2:_(s64) = G_ADD %1, %0
    G_BRCOND %2(s64), %bb.1

  bb.2:
    $x10 = COPY %2(s64)
    PseudoRET implicit $x10
";

#[test]
fn a_sound_function_breaks_no_rule() {
    assert_eq!(broken(&parse(LOOP), riscv()), BTreeSet::new());
}

/// An edge is listed once, however many terminators take it; LLVM's verifier says so too.
#[test]
fn a_successor_is_listed_once() {
    let body = "
  bb.0:
    successors: %bb.1
    liveins: $x10

    %0:_(s64) = COPY $x10
    G_BRCOND %0(s64), %bb.1
    G_BR %bb.1

  bb.1:
    %1:_(s64) = G_PHI %0(s64), %bb.0
    PseudoRET
";
    assert_eq!(broken(&parse(body), riscv()), BTreeSet::new());
    let twice = body.replace("successors: %bb.1", "successors: %bb.1, %bb.1");
    assert_eq!(broken(&parse(&twice), riscv()), BTreeSet::from(["cfg-successors"]));
}

/// All findings are given, each at its instruction.
#[test]
fn no_finding_hides_another() {
    let body = "
  bb.0:
    liveins: $x10

    %0:_(s64) = COPY $x10
    %1:_(s32) = G_ZEXT %0(s64)
    %2:_(s64) = exact G_ADD %0, %0
    %3:_(s64) = G_CONSTANT i8 1
    PseudoRET
";
    let function = parse(body);
    let target = riscv();
    let findings = verify(&function, target, (target.legality)(target.default_features));
    let rules: Vec<_> = findings.iter().map(|finding| finding.rule.id()).collect();
    assert_eq!(rules, ["type-extension", "instruction-flags", "type-constant"]);
    assert!(findings.iter().all(|finding| finding.inst.is_some()));
}

/// Functions that the reader refuses, but that a faulty pass could write.
#[test]
fn what_text_cannot_say_is_found_too() {
    // A register that nothing defines.
    let mut function = parse(LOOP);
    let exit = *function.layout().last().unwrap();
    let ghost = function.new_vreg(tribunal_ir::types::S64);
    let copy = function.first_inst(exit).unwrap();
    function.set_operand(copy, 1, Operand::used(ghost));
    assert_eq!(broken(&function, riscv()), BTreeSet::from(["ssa-dominance"]));

    // A successor that has been taken out of the layout.
    let mut function = parse(LOOP);
    let layout: Vec<Block> = function.layout()[..2].to_vec();
    function.set_layout(layout);
    assert!(broken(&function, riscv()).contains("cfg-successors"));

    // Operands of no instruction's shape.
    let mut function = parse(LOOP);
    let exit = *function.layout().last().unwrap();
    for opcode in Opcode::ALL {
        let terminator = function.last_inst(exit).unwrap();
        function.insert_before(terminator, InstData::new(*opcode, []));
        function.insert_before(terminator, InstData::new(*opcode, [Operand::Imm(1), Operand::Block(exit)]));
    }
    assert!(broken(&function, riscv()).contains("operand-count"));
}

/// A caller-saved register is undefined after a call that does not preserve it.
#[test]
fn a_register_does_not_outlive_a_call() {
    let body = "
  bb.0:
    liveins: $x9, $x10, $x11, $x12

    %0:_(s64) = COPY $x10
    %1:_(s64) = COPY $x11
    ADJCALLSTACKDOWN 0, 0, implicit-def $x2, implicit $x2
    $x10 = COPY %0(s64)
    $x11 = COPY %1(s64)
    PseudoCALL target-flags(riscv-call) &__muldi3, csr_ilp32_lp64, implicit-def $x1, implicit $x10, implicit $x11, implicit-def $x10
    ADJCALLSTACKUP 0, 0, implicit-def $x2, implicit $x2
    %2:_(s64) = COPY $x10
    %3:_(s64) = COPY $x9
    PseudoRET implicit $x10
";
    assert_eq!(broken(&parse(body), riscv()), BTreeSet::new());
    for lost in ["$x11", "$x12", "$x5", "$x31"] {
        let wrong = body.replace("COPY $x9", &format!("COPY {lost}"));
        assert_eq!(broken(&parse(&wrong), riscv()), BTreeSet::from(["physical-undefined"]), "{lost}");
    }
}

/// A call in place of a return has no frame, and stands in none.
#[test]
fn a_tail_call_stands_in_no_frame() {
    let body = "
  bb.0:
    liveins: $x10, $x11

    %0:gprtc(s64) = COPY $x10
    %1:_(s64) = COPY $x11
    $x10 = COPY %1(s64)
    PseudoTAILIndirect %0(s64), csr_ilp32_lp64, implicit $x2, implicit $x10
";
    assert_eq!(broken(&parse(body), riscv()), BTreeSet::new());
    let opened = "    ADJCALLSTACKDOWN 0, 0, implicit-def $x2, implicit $x2\n    $x10 = COPY %1(s64)\n";
    let wrong = body.replace("    $x10 = COPY %1(s64)\n", opened);
    assert_eq!(broken(&parse(&wrong), riscv()), BTreeSet::from(["call-frame"]));
    let wrong = body.replace("csr_ilp32_lp64", "csr_noregs");
    assert_eq!(broken(&parse(&wrong), riscv()), BTreeSet::from(["call-mask"]));
    let wrong = body.replace(":gprtc(s64)", ":gpr(s64)");
    assert_eq!(broken(&parse(&wrong), riscv()), BTreeSet::from(["stage-class"]));
}

#[test]
fn an_empty_function_is_no_panic() {
    assert_eq!(broken(&Function::new("f"), riscv()), BTreeSet::new());
    let mut function = Function::new("f");
    function.new_block();
    assert_eq!(broken(&function, riscv()), BTreeSet::new());
}

/// A loop, a diamond, and an unreachable block: the tree must come out right whatever the layout.
#[test]
fn dominance_holds_over_irreducible_flow() {
    let body = "
  bb.0:
    successors: %bb.1, %bb.2
    liveins: $x10

    %0:_(s64) = COPY $x10
    G_BRCOND %0(s64), %bb.2

  bb.1:
    %1:_(s64) = G_ADD %0, %0
    G_BR %bb.2

  bb.2:
    %2:_(s64) = G_SUB %0, %0
    G_BRCOND %2(s64), %bb.1

  bb.3:
    %3:_(s64) = G_MUL %2, %2
    PseudoRET
";
    assert_eq!(broken(&parse(body), riscv()), BTreeSet::new());
    let wrong = body.replace("G_MUL %2, %2", "G_MUL %2, %1");
    assert_eq!(broken(&parse(&wrong), riscv()), BTreeSet::from(["ssa-dominance"]));
}

/// The verifier keeps sets of registers in 256 bits.
#[test]
fn registers_fit_a_set() {
    for target in tribunal_target::ALL {
        assert!(target.registers.len() <= 256, "{}", target.name);
    }
}
