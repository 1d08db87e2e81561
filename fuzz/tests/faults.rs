//! Faults planted in a compilation: the judge finds each that should, and the finding names the rule.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

mod planted;

use planted::{ClobberedRegister, SwappedOperands, WrongExtension, harness_of};
use tribunal_codegen::pipeline::Pass;
use tribunal_codegen::{NoObserver, Observer};
use tribunal_emulator::Input;
use tribunal_emulator::machine::Emulator;
use tribunal_fuzz::sabotage::{self, Planter};
use tribunal_ir::{Function, Operand, PReg, text};
use tribunal_target::Target;
use tribunal_trial::{Finding, Judge, inputs};

const ADD: &str = "
# target: riscv64
---
name: f
tracksRegLiveness: true
body: |
  bb.0:
    liveins: $x10, $x11

    %0:_(s64) = COPY $x10
    %1:_(s64) = COPY $x11
    %2:_(s8) = G_TRUNC %0(s64)
    %3:_(s8) = G_TRUNC %1(s64)
    %4:_(s8) = G_LSHR %2, %3(s8)
    %5:_(s64) = G_ZEXT %4(s8)
    %6:_(s64) = G_SUB %5, %1
    $x10 = COPY %6(s64)
    PseudoRET implicit $x10
...
";

fn findings(saboteur: &mut dyn Observer) -> Vec<Finding> {
    findings_of(ADD, saboteur)
}

fn riscv64() -> &'static Target {
    tribunal_target::by_name("riscv64").unwrap()
}

/// The function of a source for riscv64.
fn function_of(source: &str) -> Function {
    text::parse_module(source.trim_start(), riscv64().vocabulary).unwrap().functions.remove(0)
}

fn findings_of(source: &str, saboteur: &mut dyn Observer) -> Vec<Finding> {
    let (target, function) = (riscv64(), &function_of(source));
    let mut harness = harness_of(target);
    let inputs = inputs::inputs(function, target, inputs::Plan { count: 32, seed: 1 });
    harness.trial_with(function, &inputs, saboteur).findings
}

#[test]
fn nothing_is_found_where_nothing_is_planted() {
    assert!(findings(&mut NoObserver).is_empty());
}

#[test]
fn a_wrong_recipe_is_refuted_and_named() {
    let findings = findings(&mut WrongExtension);
    let refuted = findings.iter().find(|finding| finding.judge == Judge::Prover).expect("the prover refutes it");
    assert!(refuted.guilty.contains("G_LSHR") && refuted.guilty.contains("scalar"), "{refuted}");
}

/// The result depends on an argument on the stack.
const STACK_ARGUMENT: &str = "
# target: riscv64
---
name: f
tracksRegLiveness: true
fixedStack:
  - { id: 0, offset: 0, size: 8, alignment: 16, isImmutable: true }
body: |
  bb.0:
    liveins: $x10
    successors: %bb.1, %bb.2

    %0:_(s64) = COPY $x10
    %1:_(p0) = G_FRAME_INDEX %fixed-stack.0
    %2:_(s64) = G_LOAD %1(p0) :: (load (s64) from %fixed-stack.0, align 16)
    %3:_(s1) = G_ICMP intpred(ult), %0(s64), %2
    G_BRCOND %3(s1), %bb.2

  bb.1:
    $x10 = COPY %2(s64)
    PseudoRET implicit $x10

  bb.2:
    %4:_(s64) = G_XOR %0, %2
    $x10 = COPY %4(s64)
    PseudoRET implicit $x10
...
";

/// Once the frame is laid out, the argument is found from the stack pointer.
#[test]
fn a_pass_after_the_frame_is_blamed_though_arguments_are_on_the_stack() {
    let fault = sabotage::named("condition-turned-over").unwrap();
    let findings = findings_of(STACK_ARGUMENT, &mut Planter::new(riscv64(), fault));
    let guilty: Vec<&str> = findings.iter().map(|finding| finding.guilty.as_str()).collect();
    assert_eq!(guilty, ["relax-branches"]);
}

/// Two passes, each of which leaves one more read of a register that nobody wrote.
struct UndefinedAfterTwoPasses;

impl Observer for UndefinedAfterTwoPasses {
    fn after_pass(&mut self, pass: &'static Pass, function: &mut Function) {
        if let ("legalize" | "select", Some(entry)) = (pass.name, function.entry()) {
            let target = riscv64();
            function.prepend(entry, target.moves(target.default_features).copy(PReg(8), PReg(27)).unwrap());
        }
    }
}

#[test]
fn a_pass_is_blamed_for_a_rule_that_it_breaks_once_more() {
    let findings = findings(&mut UndefinedAfterTwoPasses);
    let undefined = findings.iter().filter(|finding| finding.kind.name() == "physical-undefined");
    assert_eq!(undefined.map(|finding| finding.guilty.as_str()).collect::<Vec<_>>(), ["legalize", "select"]);
}

#[test]
fn a_wrong_selection_rule_is_refuted_executed_and_named() {
    let findings = findings(&mut SwappedOperands);
    for judge in [Judge::Prover, Judge::Emulator] {
        let finding = findings.iter().find(|finding| finding.judge == judge).expect("both judges find it");
        assert_eq!(finding.guilty, "riscv sub", "{finding}");
    }
}

#[test]
fn a_clobbered_callee_saved_register_is_found_by_the_emulator() {
    let findings = findings(&mut ClobberedRegister);
    let finding = findings.iter().find(|finding| finding.judge == Judge::Emulator).expect("the emulator finds it");
    assert_eq!(finding.kind.name(), "callee-saved-register", "{finding}");
    assert!(finding.guilty.contains("frame"), "{finding}");
}

/// Faults that a device can observe: the prover finds those in a rewrite, a run finds all of them; and nothing where
/// there is none.
#[test]
fn a_lost_doubled_moved_or_narrowed_volatile_access_is_found_and_named() {
    for &target in tribunal_target::ALL {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../corpus/fuzz");
        let source = std::fs::read_to_string(format!("{folder}/volatile.{}.mir", target.name)).unwrap();
        let function = &text::parse_module(&source, target.vocabulary).unwrap().functions[0];
        let mut harness = harness_of(target);
        let inputs = inputs::inputs(function, target, inputs::Plan { count: 8, seed: 1 });
        let tally = harness.trial_on(function, &inputs);
        assert!(tally.findings.is_empty() && tally.executions == 8, "{}: {:?}", target.name, tally.findings);
        for (name, is_rule) in [
            ("unread-volatile-load-left-out", false),
            ("unread-volatile-load-narrowed", false),
            ("dead-volatile-store-left-out", false),
            ("volatile-stores-exchanged", false),
            ("volatile-load-made-twice", true),
        ] {
            let mut planter = Planter::new(target, sabotage::named(name).unwrap());
            let findings = harness.trial_with(function, &inputs, &mut planter).findings;
            let place = format!("{name} on {}: {findings:?}", target.name);
            let by =
                |judge, kind| findings.iter().find(|finding| finding.judge == judge && finding.kind.name() == kind);
            let executed = by(Judge::Emulator, "volatile-access").expect(&place);
            assert!(planter.acted_in(&executed.guilty), "{place}");
            assert_eq!(by(Judge::Prover, "refuted").is_some(), is_rule, "{place}");
            assert!(findings.iter().all(|finding| planter.acted_in(&finding.guilty)), "{place}");
        }
    }
}

/// Keeps a value over a call; stores an undefined value, and loads the bytes beside it.
const UNWRITTEN: &str = "
# target: riscv64
---
name: over_a_call
tracksRegLiveness: true
body: |
  bb.0:
    liveins: $x10, $x11

    %0:_(s64) = COPY $x10
    %1:_(s64) = COPY $x11
    %2:_(s128) = G_ZEXT %0(s64)
    %3:_(s128) = G_ZEXT %1(s64)
    %4:_(s128) = G_UDIV %2, %3
    %5:_(s64) = G_TRUNC %4(s128)
    %6:_(s64) = G_ADD %5, %0
    $x10 = COPY %6(s64)
    PseudoRET implicit $x10
...
---
name: undefined
tracksRegLiveness: true
body: |
  bb.0:
    liveins: $x10

    %0:_(p0) = COPY $x10
    %1:_(s64) = G_IMPLICIT_DEF
    %2:_(s64) = G_CONSTANT i64 8
    %3:_(p0) = G_PTR_ADD %0, %2(s64)
    G_STORE %1(s64), %3(p0) :: (store (s64))
    PseudoRET
...
---
name: on_the_stack
tracksRegLiveness: true
stack:
  - { id: 0, size: 16, alignment: 8 }
body: |
  bb.0:
    liveins: $x10, $x11

    %0:_(p0) = COPY $x10
    %1:_(s64) = COPY $x11
    %2:_(p0) = G_FRAME_INDEX %stack.0
    %3:_(s64) = G_CONSTANT i64 8
    %4:_(p0) = G_PTR_ADD %2, %3(s64)
    G_STORE %1(s64), %4(p0) :: (store (s64))
    %5:_(s64) = G_ZEXTLOAD %4(p0) :: (load (s32))
    $x10 = COPY %5(s64)
    PseudoRET implicit $x10
...
";

/// A stage reads the machine's contents of unwritten places, and is judged by the results.
#[test]
fn blame_sees_what_wrong_code_reads_where_nobody_wrote() {
    for target in [riscv64(), tribunal_target::by_name("aarch64").unwrap()] {
        let (registers, ret) = (target.abi.arguments(), target.vocabulary.opcode_name(target.abi.return_opcode));
        let name = |index: usize| format!("${}", target.vocabulary.register_name(registers[index]));
        let source = UNWRITTEN.trim_start().replace("$x11", "$second").replace("$x10", &name(0));
        let source = source.replace("$second", &name(1)).replace("PseudoRET", ret).replace("riscv64", target.name);
        let functions = text::parse_module(&source, target.vocabulary).unwrap().functions;
        let mut harness = harness_of(target);
        for (function, fault) in
            functions.iter().zip(["kept-in-a-register-that-a-call-loses", "offset-left-out", "offset-left-out"])
        {
            let inputs = inputs::inputs(function, target, inputs::Plan { count: 16, seed: 1 });
            let mut planter = Planter::new(target, sabotage::named(fault).unwrap());
            let findings = harness.trial_with(function, &inputs, &mut planter).findings;
            let place = format!("{fault} in {} on {}: {findings:?}", function.name, target.name);
            let executed = findings.iter().find(|finding| finding.judge == Judge::Emulator).expect(&place);
            assert!(planter.acted_in(&executed.guilty), "{place}");
        }
    }
}

/// Moves accesses of the frame by four bytes, after the frame is laid out.
struct MisplacedSlot;

impl Observer for MisplacedSlot {
    fn after_pass(&mut self, pass: &'static Pass, function: &mut Function) {
        if pass.name == "frame" {
            for inst in function.all_insts().collect::<Vec<_>>() {
                let mut data = function.inst(inst).clone();
                if !data.memory.is_empty() && data.imm(2) == Some(8) {
                    data.operands[2] = Operand::Imm(4);
                    function.replace(inst, data);
                }
            }
        }
    }
}

/// The results are right, but a machine need not make the access: the pass that placed it is guilty.
#[test]
fn an_access_that_is_not_aligned_is_found_and_blamed() {
    let target = riscv64();
    let functions = text::parse_module(UNWRITTEN.trim_start(), target.vocabulary).unwrap().functions;
    let mut harness = harness_of(target);
    let placed = &functions[2];
    let inputs = inputs::inputs(placed, target, inputs::Plan { count: 4, seed: 1 });
    let findings = harness.trial_with(placed, &inputs, &mut MisplacedSlot).findings;
    let found = findings.iter().find(|finding| finding.judge == Judge::Emulator).expect("the emulator finds it");
    assert_eq!((found.kind.name(), found.guilty.as_str()), ("misaligned-access", "frame"), "{found}");
    assert!(harness.trial_on(placed, &inputs).findings.is_empty());
}

/// A debugger's trap, which no judge knows.
const UNKNOWN_TO_A_JUDGE: &str = "
# target: riscv64
---
name: f
tracksRegLiveness: true
body: |
  bb.0:
    G_DEBUGTRAP
    PseudoRET
...
";

/// The reducer asks the judge that refused, not the compiler alone.
#[test]
fn a_feature_that_a_judge_refuses_is_found_a_second_time() {
    let (target, function) = (riscv64(), &function_of(UNKNOWN_TO_A_JUDGE));
    let mut harness = harness_of(target);
    let tally = harness.trial(function, inputs::Plan { count: 1, seed: 1 });
    let features: Vec<&String> = tally.unsupported.keys().filter(|feature| feature.starts_with("prover")).collect();
    assert!(!features.is_empty(), "{:?}", tally.unsupported);
    for feature in features {
        let finding = Finding::unsupported(feature);
        assert!(harness.reproduce(function, &finding, &mut NoObserver).is_some(), "{feature}");
    }
}

/// Returns the address of its stack object, if an argument asks for it.
const ADDRESS: &str = "
# target: riscv64
---
name: f
tracksRegLiveness: true
stack:
  - { id: 0, size: 8, alignment: 8 }
body: |
  bb.0:
    liveins: $x10

    %0:_(s64) = COPY $x10
    %1:_(p0) = G_FRAME_INDEX %stack.0
    %2:_(s64) = G_PTRTOINT %1(p0)
    %3:_(s64) = G_AND %0, %2
    $x10 = COPY %3(s64)
    PseudoRET implicit $x10
...
";

#[test]
fn the_address_of_a_stack_object_is_no_result() {
    let (target, function) = (riscv64(), &function_of(ADDRESS));
    let mut harness = harness_of(target);
    let inputs = [0, u64::MAX.into()].map(|value| Input { registers: vec![(PReg(10), value)], buffers: Vec::new() });
    let tally = harness.trial_on(function, &inputs);
    assert!(tally.findings.is_empty(), "{}", tally.findings[0]);
    assert_eq!((tally.executions, tally.inconclusive), (1, 1));
}

/// A run's values left on the stack are no input of the next run.
#[test]
fn code_that_reads_what_it_has_not_written_does_the_same_again() {
    let target = riscv64();
    let mut machine = Emulator::new(target, target.default_features).unwrap();
    let mut run = |words: &[u32]| {
        let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        machine.load(&code, &[]).unwrap();
        let input = Input { registers: vec![(PReg(11), 7)], buffers: Vec::new() };
        let run = machine.run(&input, &[PReg(10)], 100).unwrap();
        assert_eq!(run.fault, None);
        run.results[0].1
    };
    let (read, write, ret) = (0xff81_3503, 0xfeb1_3c23, 0x0000_8067); // ld a0, -8(sp); sd a1, -8(sp); ret
    let first = run(&[read, ret]);
    assert_eq!(run(&[write, read, ret]), 7);
    assert_eq!(run(&[read, ret]), first);
}
