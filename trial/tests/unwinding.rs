//! The unwinder's table on trial: it must find the caller from each instruction, and each wrong rule is seen.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use tribunal_codegen::pipeline::Code;
use tribunal_codegen::{NoObserver, Observer, Options};
use tribunal_ir::{CfiInstruction, Function, text};
use tribunal_target::abi::Abi;
use tribunal_target::riscv::RISCV64;
use tribunal_target::{Made, Target};
use tribunal_trial::Harness;
use tribunal_trial::inputs::{Plan, inputs};

/// Edits the rule of this number in the code.
struct Edited {
    rule: usize,
    edit: fn(&mut (u32, CfiInstruction)),
    met: bool,
}

impl Observer for Edited {
    fn after_emission(&mut self, code: &mut Code) {
        if let Some(rule) = code.unwind.get_mut(self.rule) {
            (self.edit)(rule);
            self.met = true;
        }
    }
}

/// A function that calls the runtime library, and reads its argument after that.
fn caller(target: &Target) -> Function {
    let (argument, end) = match target.name {
        "aarch64" => ("$x0", "RET_ReallyLR"),
        _ => ("$x10", "PseudoRET"),
    };
    let (word, pair) = (target.register_type(), 2 * target.register_type().bits());
    let text = format!(
        "---\nname: f\ntracksRegLiveness: true\nbody: |\n  bb.0:\n    liveins: {argument}\n\n    \
         %0:_({word}) = COPY {argument}\n    %1:_(s{pair}) = G_ZEXT %0\n    %2:_(s{pair}) = G_UDIV %1, %1\n    \
         %3:_({word}) = G_TRUNC %2\n    %4:_({word}) = G_ADD %3, %0\n    {argument} = COPY %4\n    \
         {end} implicit {argument}\n...\n"
    );
    let module = text::parse_module(&text, target.vocabulary).unwrap();
    module.whole().unwrap().functions.remove(0)
}

#[test]
fn every_rule_of_a_frame_counts() {
    let mut counted = Vec::new();
    for &target in tribunal_target::ALL {
        let function = caller(target);
        let inputs = inputs(&function, target, Plan { count: 4, seed: 1 });
        let mut harness = Harness::new(target, Options::new(target.default_features)).unwrap();
        let right = harness.trial_with(&function, &inputs, &mut NoObserver);
        assert!(right.findings.is_empty(), "{}: {:?}", target.name, right.findings);
        let edits: [fn(&mut (u32, CfiInstruction)); 2] = [
            |(_, rule)| match rule {
                CfiInstruction::DefCfa(_, bytes) | CfiInstruction::DefCfaOffset(bytes) => *bytes += 16,
                CfiInstruction::Offset(_, bytes) => *bytes -= 16,
                CfiInstruction::Restore(register) => *rule = CfiInstruction::Offset(*register, -64),
                _ => {}
            },
            |(place, rule)| match rule {
                CfiInstruction::DefCfa(..) | CfiInstruction::DefCfaOffset(_) => *place += 4,
                CfiInstruction::Offset(_, bytes) => *bytes += 1 << 8,
                rule => *rule = CfiInstruction::DefCfaOffset(1 << 10),
            },
        ];
        for edit in edits {
            for rule in 0.. {
                let mut edited = Edited { rule, edit, met: false };
                let tally = harness.trial_with(&function, &inputs, &mut edited);
                if !edited.met {
                    counted.push(rule);
                    break;
                }
                let signatures: Vec<String> =
                    tally.findings.iter().map(|finding| finding.signature().to_string()).collect();
                assert_eq!(signatures, ["emulator: unwinding: guilty: frame"], "{}, rule {rule}", target.name);
            }
        }
    }
    // Of each target, for each edit.
    assert_eq!(counted, [6; 6]);
}

/// The machine whose frame pointer lies sixteen bytes above the end of its frame record.
static ELSEWHERE: Target = Target { abi: &Abi { frame_record_end: -16, ..*RISCV64.abi }, made: Made::new(), ..RISCV64 };

/// Code that walks frames by their records finds nothing there, though the unwinder's table is right.
#[test]
fn a_frame_record_lies_where_the_document_says() {
    let text = "---\nname: f\ntracksRegLiveness: true\nbody: |\n  bb.0:\n    liveins: $x10\n\n    \
                %0:_(s64) = COPY $x10\n    %1:_(s64) = G_CONSTANT i64 15\n    %2:_(s64) = G_AND %0, %1\n    \
                %3:_(p0) = G_DYN_STACKALLOC %2(s64), 16\n    %4:_(s64) = G_PTRTOINT %3(p0)\n    \
                %5:_(s64) = G_AND %4, %1\n    $x10 = COPY %5\n    PseudoRET implicit $x10\n...\n";
    for target in [&RISCV64, &ELSEWHERE] {
        let function = text::parse_module(text, target.vocabulary).unwrap().whole().unwrap().functions.remove(0);
        let inputs = inputs(&function, target, Plan { count: 4, seed: 1 });
        let mut harness = Harness::new(target, Options::new(target.default_features)).unwrap();
        let tally = harness.trial_with(&function, &inputs, &mut NoObserver);
        let kinds: Vec<&str> = tally.findings.iter().map(|finding| finding.kind.name()).collect();
        let wanted: &[&str] = if std::ptr::eq(target, &RISCV64) { &[] } else { &["unwinding"] };
        assert_eq!(kinds, wanted, "{:?}", tally.findings);
    }
}
