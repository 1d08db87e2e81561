//! Arguments of the runtime library on trial: a narrow one of libatomic's is extended, as C says.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use tribunal_codegen::pipeline::Pass;
use tribunal_codegen::{NoObserver, Observer, Options};
use tribunal_ir::{Function, Opcode, Operand, text};
use tribunal_target::riscv::RISCV64;
use tribunal_trial::inputs::{Plan, inputs};
use tribunal_trial::{Harness, Judge};

/// The mask of a byte becomes one of all bits.
struct Unextended;

impl Observer for Unextended {
    fn after_pass(&mut self, pass: &'static Pass, function: &mut Function) {
        let mask = Opcode::Target(RISCV64.vocabulary.opcode("ANDI").unwrap());
        for inst in function.all_insts().collect::<Vec<_>>() {
            if pass.name == "select" && function.inst(inst).opcode == mask {
                function.set_operand(inst, 2, Operand::Imm(-1));
            }
        }
    }
}

#[test]
fn a_narrow_argument_is_extended() {
    let text = "---\nname: f\ntracksRegLiveness: true\nbody: |\n  bb.0:\n    liveins: $x10, $x11\n\n    \
                %0:_(p0) = COPY $x10\n    %1:_(s64) = COPY $x11\n    %2:_(s8) = G_TRUNC %1\n    \
                %3:_(s8) = G_ATOMICRMW_XCHG %0, %2 :: (load store seq_cst (s8))\n    %4:_(s64) = G_ANYEXT %3\n    \
                $x10 = COPY %4\n    PseudoRET implicit $x10\n...\n";
    let function = text::parse_module(text, RISCV64.vocabulary).unwrap().whole().unwrap().functions.remove(0);
    let inputs = inputs(&function, &RISCV64, Plan { count: 8, seed: 1 });
    let mut harness = Harness::new(&RISCV64, Options::new(RISCV64.features("+m").unwrap())).unwrap();
    let right = harness.trial_with(&function, &inputs, &mut NoObserver);
    assert!(right.findings.is_empty() && right.executions > 0, "{:?}", right.findings);
    let wrong = harness.trial_with(&function, &inputs, &mut Unextended);
    let mut seen = wrong.findings.iter().filter(|finding| finding.judge == Judge::Emulator);
    assert!(seen.any(|finding| finding.kind.name() == "bad-argument"), "{:?}", wrong.findings);
}
