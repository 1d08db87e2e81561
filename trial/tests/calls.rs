//! Calls through registers, with arguments on the stack, and in place of returns: every judge passes their code, and
//! the emulator finds faults that are planted in it.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use tribunal_codegen::pipeline::Pass;
use tribunal_codegen::{NoObserver, Observer, Options};
use tribunal_ir::{Function, Inst, InstData, InstFlags, Opcode, OpcodeFlags, Operand, Reg, text};
use tribunal_target::{Features, Target};
use tribunal_trial::{Finding, Harness, Judge, inputs};

/// `passes` has two arguments on the stack and one in a register, `receives` reads two from the stack, `through` calls
/// what its first argument points to, and `ends` keeps a value over a call and then leaves by another.
const FUNCTIONS: &str = "
---
name: passes
tracksRegLiveness: true
body: |
  bb.0:
    liveins: $A0, $A1

    %0:_(WORD) = COPY $A0
    %1:_(WORD) = COPY $A1
    ADJCALLSTACKDOWN 16, 0, implicit-def $SP, implicit $SP
    %2:_(p0) = COPY $SP
    %3:_(WORD) = G_CONSTANT iBITS 0
    %4:_(p0) = G_PTR_ADD %2, %3(WORD)
    G_STORE %0(WORD), %4(p0) :: (store (WORD) into stack, align 16)
    %5:_(WORD) = G_CONSTANT iBITS BYTES
    %6:_(p0) = G_PTR_ADD %2, %5(WORD)
    G_STORE %1(WORD), %6(p0) :: (store (WORD) into stack + BYTES)
    $A0 = COPY %1(WORD)
    CALL @callee, MASK, implicit $A0, implicit-def $A0
    ADJCALLSTACKUP 16, 0, implicit-def $SP, implicit $SP
    %7:_(WORD) = COPY $A0
    %8:_(WORD) = G_ADD %7, %0
    $A0 = COPY %8(WORD)
    RETURN implicit $A0
...
---
name: receives
tracksRegLiveness: true
fixedStack:
  - { id: 0, offset: BYTES, size: BYTES, alignment: BYTES, isImmutable: true }
  - { id: 1, size: BYTES, alignment: 16, isImmutable: true }
body: |
  bb.0:
    liveins: $A0

    %0:_(WORD) = COPY $A0
    %1:_(p0) = G_FRAME_INDEX %fixed-stack.1
    %2:_(WORD) = G_LOAD %1(p0) :: (load (WORD) from %fixed-stack.1, align 16)
    %3:_(p0) = G_FRAME_INDEX %fixed-stack.0
    %4:_(WORD) = G_LOAD %3(p0) :: (load (WORD) from %fixed-stack.0)
    %5:_(WORD) = G_SUB %2, %4
    %6:_(WORD) = G_ADD %5, %0
    $A0 = COPY %6(WORD)
    RETURN implicit $A0
...
---
name: through
tracksRegLiveness: true
body: |
  bb.0:
    liveins: $A0, $A1

    %0:CALLEES(p0) = COPY $A0
    %1:_(WORD) = COPY $A1
    ADJCALLSTACKDOWN 0, 0, implicit-def $SP, implicit $SP
    $A0 = COPY %1(WORD)
    INDIRECT %0(p0), MASK, implicit $A0, implicit-def $A0
    ADJCALLSTACKUP 0, 0, implicit-def $SP, implicit $SP
    %2:_(WORD) = COPY $A0
    %3:_(WORD) = G_ADD %2, %1
    $A0 = COPY %3(WORD)
    RETURN implicit $A0
...
---
name: ends
tracksRegLiveness: true
body: |
  bb.0:
    liveins: $A0

    %0:_(WORD) = COPY $A0
    ADJCALLSTACKDOWN 0, 0, implicit-def $SP, implicit $SP
    CALL @first, MASK, implicit-def $A0
    ADJCALLSTACKUP 0, 0, implicit-def $SP, implicit $SP
    %1:_(WORD) = COPY $A0
    %2:_(WORD) = G_ADD %1, %0
    $A0 = COPY %2(WORD)
    $A1 = COPY %0(WORD)
    TAIL implicit $SP, implicit $A0, implicit $A1
...
";

const RISCV64: [(&str, &str); 13] = [
    ("WORD", "s64"),
    ("BITS", "64"),
    ("BYTES", "8"),
    ("A0", "x10"),
    ("A1", "x11"),
    ("SP", "x2"),
    ("INDIRECT", "PseudoCALLIndirect"),
    ("CALLEES", "gprjalr"),
    ("RETURN", "PseudoRET"),
    ("TAIL", "PseudoTAIL target-flags(riscv-call) @last, csr_ilp32d_lp64d,"),
    ("ADJSTACK", "ADJCALLSTACK"),
    ("CALL ", "PseudoCALL target-flags(riscv-call) "),
    ("MASK", "csr_ilp32d_lp64d, implicit-def $x1"),
];

/// The functions in the words of a target.
fn module(target: &'static Target) -> Vec<Function> {
    let mut source = FUNCTIONS.replace("ADJCALLSTACK", "ADJSTACK");
    let mut words = RISCV64;
    match target.name {
        "riscv32" => words[..3].copy_from_slice(&[("WORD", "s32"), ("BITS", "32"), ("BYTES", "4")]),
        "aarch64" => {
            words[3..10].copy_from_slice(&[
                ("A0", "x0"),
                ("A1", "x1"),
                ("SP", "sp"),
                ("INDIRECT", "BLR"),
                ("CALLEES", "gpr64"),
                ("RETURN", "RET_ReallyLR"),
                ("TAIL", "TCRETURNdi @last, 0, csr_aarch64_aapcs,"),
            ]);
            words[11..]
                .copy_from_slice(&[("CALL ", "BL "), ("MASK", "csr_aarch64_aapcs, implicit-def $lr, implicit $sp")]);
        }
        _ => {}
    }
    for (placeholder, word) in words {
        source = source.replace(placeholder, word);
    }
    text::parse_module(source.trim_start(), target.vocabulary).unwrap().whole().unwrap().functions
}

fn findings(target: &'static Target, features: Features, name: &str, saboteur: &mut dyn Observer) -> Vec<Finding> {
    let functions = module(target);
    let function = functions.iter().find(|function| function.name == name).unwrap();
    let options = Options::new(features);
    let inputs = inputs::inputs(function, target, inputs::Plan { count: 32, seed: 1 });
    let tally = Harness::new(target, options).unwrap().trial_with(function, &inputs, saboteur);
    assert!(tally.unsupported.is_empty(), "{} @{name}: {:?}", target.with(features), tally.unsupported);
    assert!(tally.executions > 0, "{} @{name}", target.name);
    tally.findings
}

/// With compressed instructions too: a call of two bytes returns behind itself, in Unicorn and in the stepper.
#[test]
fn every_judge_passes_every_form_of_call() {
    for &target in tribunal_target::ALL {
        let each = target.options.iter().map(|option| target.default_features ^ option.feature);
        for features in each.chain([target.default_features, target.default_features | target.all_options()]) {
            for name in ["passes", "receives", "through", "ends"] {
                let findings = findings(target, features, name, &mut NoObserver);
                assert!(findings.is_empty(), "{} @{name}: {findings:?}", target.with(features));
            }
        }
    }
}

/// Runs `change` on the function after the pass; it must find its place.
struct After(&'static str, fn(&mut Function, &'static Target) -> Option<()>, &'static Target);

impl Observer for After {
    fn after_pass(&mut self, pass: &'static Pass, function: &mut Function) {
        if pass.name == self.0 {
            (self.1)(function, self.2).unwrap();
        }
    }
}

fn found(name: &str, kinds: &[&str], pass: &'static str, change: fn(&mut Function, &'static Target) -> Option<()>) {
    for &target in tribunal_target::ALL {
        let findings = findings(target, target.default_features, name, &mut After(pass, change, target));
        let by_run = findings.iter().find(|finding| finding.judge == Judge::Emulator);
        let is_right = by_run.is_some_and(|finding| kinds.contains(&finding.kind.name()));
        assert!(is_right, "{} @{name}: {findings:?}", target.name);
    }
}

/// The last instruction with these flags that is no part of prologue or epilogue.
fn last(function: &Function, target: &Target, flags: OpcodeFlags) -> Option<Inst> {
    let own = |data: &InstData| !data.flags.intersects(InstFlags::FRAME_SETUP | InstFlags::FRAME_DESTROY);
    let insts: Vec<Inst> = function.all_insts().collect();
    let is = |inst: &Inst| {
        let data = function.inst(*inst);
        own(data) && function.opcode_flags(data, target.vocabulary).contains(flags)
    };
    insts.into_iter().rev().find(is)
}

/// Adds so many bytes to the offset of an access.
fn moved(function: &mut Function, target: &Target, inst: Inst, bytes: i64) -> Option<()> {
    let Opcode::Target(opcode) = function.inst(inst).opcode else { return None };
    let index = target.instruction(opcode).address()?.0 + 1;
    let offset = target.operand_offset(opcode, function.inst(inst).imm(index)?) + bytes;
    function.set_operand(inst, index, Operand::Imm(target.offset_operand(opcode, offset)));
    Some(())
}

#[test]
fn an_argument_in_the_wrong_place_on_the_stack_is_found() {
    found("passes", &["wrong-call"], "frame", |function, target| {
        let store = last(function, target, OpcodeFlags::STORE)?;
        moved(function, target, store, i64::from(target.register_bytes()))
    });
}

#[test]
fn an_argument_that_is_not_stored_is_found() {
    found("passes", &["wrong-call"], "frame", |function, target| {
        let store = last(function, target, OpcodeFlags::STORE)?;
        function.remove(store);
        Some(())
    });
}

#[test]
fn an_argument_read_from_the_wrong_place_is_found() {
    found("receives", &["wrong-result"], "frame", |function, target| {
        let load = last(function, target, OpcodeFlags::LOAD)?;
        moved(function, target, load, -i64::from(target.register_bytes()))
    });
}

#[test]
fn a_frame_without_the_arguments_of_its_calls_is_found() {
    found("passes", &["write-to-caller-frame"], "frame", |function, target| {
        let sp = Reg::Physical(target.abi.stack_pointer);
        let moves = |data: &InstData| data.defs().any(|operand| operand.reg == sp);
        let found: Vec<Inst> = function.all_insts().filter(|&inst| moves(function.inst(inst))).collect();
        for inst in found {
            let data = function.inst(inst).clone();
            let bytes = data.imm(2)?;
            function.set_operand(inst, 2, Operand::Imm(bytes - 16 * bytes.signum()));
        }
        Some(())
    });
}

#[test]
fn a_call_through_the_wrong_register_is_found() {
    found("through", &["wrong-call", "memory-fault"], "allocate", |function, target| {
        let call = last(function, target, OpcodeFlags::CALL)?;
        let other = target.abi.callee_saved[0];
        function.set_operand(call, 0, Operand::used(other));
        Some(())
    });
}

/// The last instruction of the epilogue with these flags, or without a memory access.
fn of_epilogue(function: &Function, target: &Target, loads: OpcodeFlags) -> Option<Inst> {
    let insts: Vec<Inst> = function.all_insts().collect();
    insts.into_iter().rev().find(|&inst| {
        let data = function.inst(inst);
        let flags = function.opcode_flags(data, target.vocabulary) & OpcodeFlags::LOAD;
        let is_rule = data.opcode == Opcode::CFI_INSTRUCTION;
        data.flags.contains(InstFlags::FRAME_DESTROY) && !is_rule && flags == loads
    })
}

#[test]
fn a_tail_call_over_a_live_frame_is_found() {
    found("ends", &["stack-pointer"], "frame", |function, target| {
        let inst = of_epilogue(function, target, OpcodeFlags::empty())?;
        function.remove(inst);
        Some(())
    });
}

#[test]
fn a_register_that_is_not_restored_before_a_tail_call_is_found() {
    found("ends", &["callee-saved-register"], "frame", |function, target| {
        let restores = |inst: &Inst| {
            let data = function.inst(*inst);
            let mut written = data.defs().filter_map(|operand| operand.reg.as_physical());
            data.flags.contains(InstFlags::FRAME_DESTROY)
                && written.any(|register| target.abi.callee_saved.contains(&register))
        };
        let inst = function.all_insts().find(restores)?;
        function.remove(inst);
        Some(())
    });
}

/// More symbols than a page has room for beside the memory of arguments: no two places are one.
#[test]
fn memory_of_many_symbols_is_apart_from_that_of_arguments() {
    let target = tribunal_target::by_name("riscv64").unwrap();
    let loads = (0..40).map(|number| {
        let (at, value) = (2 * number + 1, 2 * number + 2);
        format!(
            "    %{at}:_(p0) = G_GLOBAL_VALUE @global{number}\n    %{value}:_(s64) = G_LOAD %{at}(p0) :: (load (s64))\n"
        )
    });
    let body = loads.collect::<String>();
    let source = format!(
        "---\nname: f\ntracksRegLiveness: true\nbody: |\n  bb.0:\n    liveins: $x10\n\n    %0:_(p0) = COPY $x10\n{body}    \
         G_STORE %80(s64), %0(p0) :: (store (s64))\n    PseudoRET\n...\n"
    );
    let function = text::parse_module(&source, target.vocabulary).unwrap().whole().unwrap().functions.remove(0);
    for input in inputs::inputs(&function, target, inputs::Plan { count: 4, seed: 1 }) {
        let places: std::collections::BTreeSet<u64> = input.buffers.iter().map(|buffer| buffer.address).collect();
        assert_eq!((places.len(), input.buffers.len()), (41, 41));
    }
}
