//! Faults planted around library calls: the judge finds each that should.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use tribunal_codegen::pipeline::Pass;
use tribunal_codegen::{NoObserver, Observer, Options};
use tribunal_fuzz::campaign;
use tribunal_ir::{AddressBase, AddressData, Function, Inst, InstData, Operand, PReg, Reg, text};
use tribunal_target::Target;
use tribunal_target::riscv::features::M;
use tribunal_target::riscv::registers::x;
use tribunal_trial::{Finding, Harness, Judge, inputs};

/// A value that is live across the call.
const DIVIDE: &str = "
# target: riscv64
---
name: f
tracksRegLiveness: true
body: |
  bb.0:
    liveins: $x10, $x11, $x12, $x13, $x14

    %0:_(s64) = COPY $x10
    %1:_(s64) = COPY $x11
    %2:_(s64) = COPY $x12
    %3:_(s64) = COPY $x13
    %4:_(s64) = COPY $x14
    %5:_(s128) = G_MERGE_VALUES %0(s64), %1(s64)
    %6:_(s128) = G_MERGE_VALUES %2(s64), %3(s64)
    %7:_(s128) = G_UDIV %5, %6
    %8:_(s64), %9:_(s64) = G_UNMERGE_VALUES %7(s128)
    %10:_(s64) = G_ADD %8, %4
    $x10 = COPY %10(s64)
    $x11 = COPY %9(s64)
    PseudoRET implicit $x10, implicit $x11
...
";

fn riscv64() -> &'static Target {
    tribunal_target::by_name("riscv64").unwrap()
}

fn findings(saboteur: &mut dyn Observer) -> Vec<Finding> {
    let target = riscv64();
    let module = text::parse_module(DIVIDE.trim_start(), target.vocabulary).unwrap();
    let function = &module.functions[0];
    let options = Options::new(target.default_features);
    let inputs = inputs::inputs(function, target, inputs::Plan { count: 32, seed: 1 });
    Harness::new(target, options).unwrap().trial_with(function, &inputs, saboteur).findings
}

fn call(function: &Function) -> Inst {
    function.all_insts().find(|&inst| riscv64().is_call(function.inst(inst))).expect("there is a call")
}

/// The callee-saved register that holds the value live across the call.
fn kept(function: &Function) -> PReg {
    let insts = function.all_insts();
    let mut written = insts.flat_map(|inst| function.inst(inst).defs().filter_map(|operand| operand.reg.as_physical()));
    written.find(|register| riscv64().abi.callee_saved.contains(register)).expect("something is kept")
}

/// Runs `change` on the function after the pass.
struct After(&'static str, fn(&mut Function));

impl Observer for After {
    fn after_pass(&mut self, pass: &'static Pass, function: &mut Function) {
        if pass.name == self.0 {
            (self.1)(function);
        }
    }
}

struct WrongCallee;

impl Observer for WrongCallee {
    fn step(&mut self, _: &'static str, function: &mut Function, _: &[InstData], after: &mut Vec<Inst>) {
        let base = AddressBase::External(function.intern("__umodti3"));
        let flags = riscv64().abi.calls.as_ref().unwrap().callee_flags;
        let wrong = function.address(AddressData { base, offset: 0, flags });
        for &inst in after.iter().filter(|&&inst| riscv64().is_call(function.inst(inst))).collect::<Vec<_>>() {
            function.set_operand(inst, 0, wrong);
        }
    }
}

fn found(saboteur: &mut dyn Observer, judge: Judge) -> Finding {
    let findings = findings(saboteur);
    let found = findings.iter().find(|finding| finding.judge == judge);
    found.unwrap_or_else(|| panic!("{judge:?} does not find it: {findings:?}")).clone()
}

#[test]
fn nothing_is_found_where_nothing_is_planted() {
    assert_eq!(findings(&mut NoObserver).iter().map(ToString::to_string).collect::<String>(), "");
}

#[test]
fn a_call_of_the_wrong_function_is_refuted_and_executed() {
    for judge in [Judge::Prover, Judge::Emulator] {
        let finding = found(&mut WrongCallee, judge);
        assert!(finding.guilty.contains("libcall_for"), "{finding}");
    }
}

/// Every mention of `from` becomes one of `to`.
fn renamed(function: &mut Function, from: PReg, to: PReg) {
    for inst in function.all_insts().collect::<Vec<_>>() {
        for index in 0..function.inst(inst).operands.len() {
            if let Operand::Reg(mut operand) = function.inst(inst).operands[index]
                && operand.reg == Reg::Physical(from)
            {
                operand.reg = Reg::Physical(to);
                function.set_operand(inst, index, Operand::Reg(operand));
            }
        }
    }
}

#[test]
fn a_value_kept_in_a_register_that_a_call_loses_is_found() {
    let mut lose = After("allocate", |function| renamed(function, kept(function), x(28)));
    assert_eq!(found(&mut lose, Judge::Allocation).kind.name(), "allocation-value");
    assert_eq!(found(&mut lose, Judge::Emulator).kind.name(), "wrong-result");
}

#[test]
fn an_argument_overwritten_before_the_call_is_found() {
    let mut overwrite = After("allocate", |function| {
        let call = call(function);
        function.insert_before(call, riscv64().moves(riscv64().default_features).copy(x(11), x(12)).unwrap());
    });
    assert_eq!(found(&mut overwrite, Judge::Allocation).kind.name(), "allocation-value");
    assert_eq!(found(&mut overwrite, Judge::Emulator).kind.name(), "wrong-result");
}

#[test]
fn a_return_address_that_is_not_saved_is_found() {
    let mut forget = After("frame", |function| {
        let restores = |data: &InstData| data.defs().any(|operand| operand.reg == Reg::Physical(x(1)));
        let reload = function
            .all_insts()
            .collect::<Vec<_>>()
            .into_iter()
            .rev()
            .find(|&inst| restores(function.inst(inst)))
            .unwrap();
        function.remove(reload);
    });
    assert_eq!(found(&mut forget, Judge::Emulator).kind.name(), "memory-fault");
}

#[test]
fn a_stack_pointer_that_is_not_aligned_at_a_call_is_found() {
    let mut misalign = After("frame", |function| {
        let call = call(function);
        for (position, offset) in [(call, -8), (function.next_inst(call).unwrap(), 8)] {
            for data in riscv64().machine.add_offset(x(2), x(2), offset, x(31)) {
                function.insert_before(position, data);
            }
        }
    });
    assert_eq!(found(&mut misalign, Judge::Emulator).kind.name(), "stack-alignment");
}

#[test]
fn what_lies_below_the_stack_pointer_does_not_outlive_a_call() {
    let mut below = After("frame", |function| {
        let (call, kept) = (call(function), kept(function));
        function.insert_before(call, riscv64().moves(riscv64().default_features).spill(kept, x(2), -8).unwrap());
        let next = function.next_inst(call).unwrap();
        function.insert_before(next, riscv64().moves(riscv64().default_features).reload(kept, x(2), -8).unwrap());
    });
    assert_eq!(found(&mut below, Judge::Emulator).kind.name(), "wrong-result");
}

/// Without M every multiplication is a call: generated programs pass every judge, and there are many calls in them.
#[test]
fn generated_programs_without_m_pass_every_judge() {
    for name in ["riscv64", "riscv32"] {
        let target = tribunal_target::by_name(name).unwrap();
        let options = Options::new(target.default_features - M);
        let mut harness = Harness::new(target, options).unwrap();
        for seed in 0..120 {
            let function = campaign::generated(seed, target).unwrap();
            let tally = harness.trial(&function, inputs::Plan { count: 8, seed });
            assert!(
                tally.is_clean() && tally.is_complete(),
                "{name} {seed}: {:?} {:?}",
                tally.findings,
                tally.unsupported
            );
        }
        let rules: Vec<&str> = harness.rules_fired().filter(|rule| rule.contains("libcall_for")).collect();
        assert!(rules.len() >= 2, "{rules:?}");
    }
}
