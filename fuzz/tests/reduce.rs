//! The reducer on planted faults: large programs shrink to a few instructions, of which none can be removed; external
//! programs serve as oracles too.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

mod planted;

use planted::{ClobberedRegister, SwappedOperands, WrongExtension, harness_of};
use std::sync::atomic::AtomicBool;
use tribunal_codegen::pipeline::Pass;
use tribunal_codegen::{Allocator, NoObserver, Observer};
use tribunal_emulator::Input;
use tribunal_emulator::observation::Outcome;
use tribunal_fuzz::campaign;
use tribunal_fuzz::edit::{self, Edit, Leftover};
use tribunal_fuzz::reduce::{self, Case, Reduced, SearchLimits};
use tribunal_fuzz::sabotage::{self, Planter};
use tribunal_ir::{Family, Function, Opcode, PReg, text};
use tribunal_trial::{Finding, Harness, Judge, crash, inputs};

static STOP: AtomicBool = AtomicBool::new(false);
const NO_LIMITS: SearchLimits<'static> = SearchLimits { deadline: None, stop: &STOP };

/// An allocation in which an addition reads its first operand twice.
struct WrongRegister;

impl Observer for WrongRegister {
    fn after_pass(&mut self, pass: &'static Pass, function: &mut Function) {
        let target = tribunal_target::by_name("riscv64").unwrap();
        let xor = target.vocabulary.opcode("XOR").unwrap();
        if pass.name != "allocate" {
            return;
        }
        for inst in function.all_insts().collect::<Vec<_>>() {
            if function.inst(inst).opcode == Opcode::Target(xor) {
                let operand = function.inst(inst).operands[1];
                function.set_operand(inst, 2, operand);
            }
        }
    }
}

fn harness() -> Harness {
    let target = tribunal_target::by_name("riscv64").unwrap();
    harness_of(target)
}

/// The first generated program of some size in which `judge` finds the fault, with the finding.
fn large(harness: &mut Harness, saboteur: &mut dyn Observer, judge: Judge) -> (Function, Finding) {
    for seed in 0..2000 {
        let function = campaign::generated(seed, harness.target()).unwrap();
        // A list of arguments is read from its beginning: no reading before the wrong one can go.
        let has_list = function.all_insts().any(|inst| function.inst(inst).opcode == Opcode::G_VASTART);
        if function.all_insts().count() < 100 || has_list {
            continue;
        }
        let plan = inputs::inputs(&function, harness.target(), inputs::Plan { count: 16, seed });
        let tally = harness.trial_with(&function, &plan, saboteur);
        // A wrong address needs an object beside the operation: what is measured here is the operation.
        let is_wanted = |finding: &Finding| finding.judge == judge && finding.kind.name() != "memory-fault";
        if let Some(finding) = tally.findings.into_iter().find(is_wanted) {
            return (function, finding);
        }
    }
    panic!("no program shows the fault to the {judge}");
}

/// Reduces a large program, and checks the guarantees of a reduction.
fn reduced(saboteur: &mut dyn Observer, judge: Judge) -> Reduced {
    let mut harness = harness();
    let (function, finding) = large(&mut harness, saboteur, judge);
    let started = std::time::Instant::now();
    let reduced = reduce::reduce(&mut harness, &function, &finding, saboteur, NO_LIMITS, &mut |_, _| {});
    let reduced = reduced.expect("the fault shows again");
    let printed = text::print_function(&reduced.function, harness.target().vocabulary);
    let (before, after) = (function.all_insts().count(), reduced.function.all_insts().count());
    println!("{before} to {after} instructions, {} tests, {:?}\n{printed}", reduced.tests, started.elapsed());
    assert!(reduced.finished);
    assert_eq!(reduced.finding.signature(), finding.signature());
    assert!(harness.accepts(&reduced.function), "{printed}");
    for inst in reduced.function.all_insts().collect::<Vec<_>>() {
        let mut smaller = reduced.function.clone();
        if edit::apply_all(&mut smaller, harness.target(), &[Edit::Remove(inst)], Leftover::Sweep) == 1
            && smaller.all_insts().count() < after
        {
            let still = harness.reproduce(&smaller, &reduced.finding, saboteur);
            assert!(still.is_none(), "{inst:?} could go from\n{printed}");
        }
    }
    // An amount of another type than the value cannot be the value itself.
    let has_own_amount = |inst| {
        let types: Vec<_> =
            reduced.function.inst(inst).vreg_uses().map(|used| reduced.function.type_of(used)).collect();
        reduced.function.inst(inst).opcode.family() == Some(Family::Shift) && types[0] != types[1]
    };
    let most = 5 + usize::from(reduced.function.all_insts().any(has_own_amount));
    assert!(after <= most, "{after} instructions are left:\n{printed}");
    reduced
}

#[test]
fn a_wrong_selection_rule_is_reduced_for_each_judge() {
    for judge in [Judge::Emulator, Judge::Prover] {
        let reduced = reduced(&mut SwappedOperands, judge);
        assert_eq!(reduced.finding.guilty, "riscv sub");
    }
}

#[test]
fn a_wrong_recipe_is_reduced() {
    let reduced = reduced(&mut WrongExtension, Judge::Prover);
    assert!(reduced.finding.guilty.contains("G_LSHR"));
}

#[test]
fn a_clobbered_register_needs_nothing_but_a_return() {
    let reduced = reduced(&mut ClobberedRegister, Judge::Emulator);
    assert_eq!(reduced.function.all_insts().count(), 1);
}

#[test]
fn a_wrong_allocation_is_reduced() {
    reduced(&mut WrongRegister, Judge::Allocation);
}

#[test]
fn a_crash_file_holds_the_small_program_and_all_that_a_replay_needs() {
    let mut harness = harness();
    let (function, finding) = large(&mut harness, &mut SwappedOperands, Judge::Emulator);
    let (small, file) = reduce::crash_file(&mut harness, &[&function], &finding, &mut SwappedOperands, NO_LIMITS);
    let module = text::parse_module(&file, harness.target().vocabulary).unwrap();
    let header = crash::header(&module, harness.target()).unwrap();
    assert!(module.functions[0].all_insts().count() <= 5, "{file}");
    assert_eq!((header.features, header.allocator), (Some(harness.options().features), Some(Allocator::Ion)));
    assert!(file.contains("# target: riscv64\n") && file.contains("expected 0x"), "{file}");
    // An input of nothing has no line.
    let read = Finding { input: Some(header.input.unwrap_or_default()), ..small.clone() };
    assert_eq!(read.input, small.input, "{file}");
    assert!(harness.reproduce(&module.functions[0], &read, &mut SwappedOperands).is_some(), "{file}");
    assert!(harness.reproduce(&module.functions[0], &read, &mut NoObserver).is_none(), "{file}");
    // No time at all: the program as it was found.
    let none = SearchLimits { deadline: Some(std::time::Instant::now()), stop: &STOP };
    let (_, file) = reduce::crash_file(&mut harness, &[&function], &finding, &mut SwappedOperands, none);
    let module = text::parse_module(&file, harness.target().vocabulary).unwrap();
    assert_eq!(module.functions[0].all_insts().count(), function.all_insts().count());
}

/// A difference that is wrong on every input but where the source divides by zero.
const DIVISION: &str = "
# target: riscv64
---
name: f
tracksRegLiveness: true
body: |
  bb.0:
    liveins: $x10, $x11

    %0:_(s64) = COPY $x10
    %1:_(s64) = COPY $x11
    %2:_(s64) = G_UDIV %0, %1
    %3:_(s64) = G_SUB %1, %2
    $x10 = COPY %3(s64)
    PseudoRET implicit $x10
...
";

#[test]
fn what_is_undefined_shows_nothing() {
    let mut harness = harness();
    let function = text::parse_module(DIVISION.trim_start(), harness.target().vocabulary).unwrap().functions.remove(0);
    let on = |divisor| Input { registers: vec![(PReg(10), 9), (PReg(11), divisor)], buffers: Vec::new() };
    let tally = harness.trial_with(&function, &[on(2)], &mut SwappedOperands);
    let known = tally.findings.into_iter().find(|finding| finding.judge == Judge::Emulator).unwrap();
    let mut shows = |divisor| {
        let known = Finding { input: Some(on(divisor)), ..known.clone() };
        harness.reproduce(&function, &known, &mut SwappedOperands).is_some()
    };
    assert!(shows(2) && shows(5));
    assert!(!shows(3), "nine thirds minus three is the same both ways round");
    assert!(!shows(0));
}

/// Empty code is loaded like any other.
#[test]
fn a_return_that_is_left_out_is_reduced_to_nothing() {
    let mut harness = harness();
    let mut planter = Planter::new(harness.target(), sabotage::named("return-left-out").unwrap());
    let (function, finding) = large(&mut harness, &mut planter, Judge::Emulator);
    let reduced = reduce::reduce(&mut harness, &function, &finding, &mut planter, NO_LIMITS, &mut |_, _| {});
    assert_eq!(reduced.unwrap().function.all_insts().count(), 1);
}

/// Blocks of machine code are joined and its flags forgotten, as those of generic code are: little stays beside the one
/// instruction that an oracle asks for.
#[test]
fn machine_code_is_reduced_to_one_instruction_and_what_it_reads() {
    for &target in tribunal_target::ALL {
        let features = target.default_features | target.all_options();
        for number in 0..8 {
            let seed = campaign::program_seed(3, number);
            let function = campaign::generated_machine_code(seed, target, features).unwrap();
            let machine = |function: &Function| {
                let opcodes = function.all_insts().map(|inst| function.inst(inst).opcode);
                opcodes.filter(|opcode| matches!(opcode, Opcode::Target(_))).collect::<Vec<_>>()
            };
            let wanted = machine(&function)[0];
            let case = Case { ir: None, functions: vec![function], input: None };
            let mut has_it = |case: &Case| case.functions.iter().any(|function| machine(function).contains(&wanted));
            let small = reduce::search(case, target, features, NO_LIMITS, &mut has_it, &mut |_, _| {}).unwrap();
            let count = small.case.instructions();
            assert!(count <= 7, "{} {number}: {count}: {:?}", target.name, small.case.functions);
        }
    }
}

/// A loop that ends after one turn, and that another constant makes endless: its volatile stores would show the fault
/// too.
const LOOP: &str = "---
name: f
tracksRegLiveness: true
liveins:
  - { reg: '$x10' }
body: |
  bb.0:
    successors: %bb.1
    liveins: $x10

    %0:_(p0) = COPY $x10
    %1:_(s64) = G_CONSTANT i64 1
    G_BR %bb.1

  bb.1:
    successors: %bb.1, %bb.2

    %2:_(s64) = G_PHI %1(s64), %bb.0, %5(s64), %bb.1
    %3:_(s8) = G_CONSTANT i8 7
    G_STORE %3(s8), %0(p0) :: (volatile store (s8))
    %4:_(s64) = G_CONSTANT i64 1
    %5:_(s64) = G_SUB %2, %4
    %6:_(s64) = G_CONSTANT i64 0
    %7:_(s1) = G_ICMP intpred(ne), %5(s64), %6
    G_BRCOND %7(s1), %bb.1
    G_BR %bb.2

  bb.2:
    PseudoRET
...
";

#[test]
fn what_ends_is_not_reduced_to_what_does_not() {
    let mut harness = harness();
    let function = text::parse_module(LOOP, harness.target().vocabulary).unwrap().whole().unwrap().functions.remove(0);
    let fault = sabotage::faults().find(|fault| fault.name == "condition-turned-over").unwrap();
    let mut planter = Planter::on(harness.target(), fault).unwrap();
    let plan = inputs::inputs(&function, harness.target(), inputs::Plan { count: 1, seed: 1 });
    let tally = harness.trial_with(&function, &plan, &mut planter);
    let finding = tally.findings.into_iter().find(|finding| finding.judge == Judge::Emulator).unwrap();
    let reduced = reduce::reduce(&mut harness, &function, &finding, &mut planter, NO_LIMITS, &mut |_, _| {}).unwrap();
    let input = reduced.finding.input.unwrap();
    assert_eq!(harness.outcome(&reduced.function, &input), Some(Outcome::Returned));
}
