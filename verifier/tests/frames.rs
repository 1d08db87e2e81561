//! Frames that move: the verifier knows where the stack pointer and the frame pointer stand. It finds nothing in sound
//! functions, and each fault that a frame pass may make in them.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use tribunal_ir::text;
use tribunal_target::Target;
use tribunal_target::aarch64::AARCH64;
use tribunal_target::riscv::RISCV64;
use tribunal_verifier::machine_verifier::verify;

const KEYS: &str = "legalized: true\nregBankSelected: true\nselected: true\nnoPhis: true\nnoVRegs: true\n";

/// The rules that a function breaks whose frame is laid out, each with its message.
fn broken(target: &'static Target, keys: &str, body: &str) -> Vec<String> {
    let source = format!("---\n# stage: frame-lowered\nname: f\n{KEYS}{keys}body: |\n{body}...\n");
    let mut module = text::parse_module(&source, target.vocabulary).unwrap_or_else(|error| panic!("{error}\n{body}"));
    let legalizer = (target.legality)(target.default_features);
    let findings = verify(&module.functions.remove(0), target, legalizer);
    findings.into_iter().map(|finding| format!("{}: {}", finding.rule.id(), finding.message)).collect()
}

/// The stack pointer moves by an amount that nobody knows, around a call too, and in one of two ways to a block.
const MOVES: &str = "
  bb.0:
    successors: %bb.1, %bb.2
    liveins: $x10

    $x2 = frame-setup ADDI $x2, -32
    frame-setup CFI_INSTRUCTION def_cfa_offset 32
    frame-setup SD $x1, $x2, 24
    frame-setup SD $x8, $x2, 16
    frame-setup CFI_INSTRUCTION offset $x1, -8
    frame-setup CFI_INSTRUCTION offset $x8, -16
    $x8 = frame-setup ADDI $x2, 32
    frame-setup CFI_INSTRUCTION def_cfa $x8, 0
    BEQ $x10, $x0, %bb.2

  bb.1:
    $x5 = SUB $x2, $x10
    $x2 = ADDI $x5, 0
    $x2 = ADDI $x2, -16
    PseudoCALL target-flags(riscv-call) @g, csr_ilp32_lp64, implicit-def $x1, implicit $x10
    $x2 = ADDI $x2, 16

  bb.2:
    $x2 = frame-destroy ADDI $x8, -32
    frame-destroy CFI_INSTRUCTION def_cfa $x2, 32
    $x1 = frame-destroy LD $x2, 24
    $x8 = frame-destroy LD $x2, 16
    frame-destroy CFI_INSTRUCTION restore $x1
    frame-destroy CFI_INSTRUCTION restore $x8
    $x2 = frame-destroy ADDI $x2, 32
    frame-destroy CFI_INSTRUCTION def_cfa_offset 0
    PseudoRET
";

const ADJUSTS: &str = "frameInfo:\n  adjustsStack: true\n  hasCalls: true\n";

/// The findings where one line of [`MOVES`] reads otherwise.
fn changed(from: &str, to: &str) -> Vec<String> {
    assert_eq!(MOVES.matches(from).count(), 1, "{from}");
    let findings = broken(&RISCV64, ADJUSTS, &MOVES.replace(from, to));
    assert!(!findings.is_empty(), "{to} in place of {from} is found");
    findings
}

#[test]
fn a_stack_pointer_that_moves_is_sound_where_the_frame_pointer_brings_it_back() {
    assert_eq!(broken(&RISCV64, ADJUSTS, MOVES), Vec::<String>::new());
}

#[test]
fn a_stack_pointer_that_does_not_come_back_is_found() {
    let lost = changed("    $x2 = frame-destroy ADDI $x8, -32\n", "");
    assert!(lost.contains(&"stage-frame: returns with the stack pointer at no constant distance".to_string()));
    let off = changed("ADDI $x8, -32", "ADDI $x8, -48");
    assert!(off.contains(&"stage-frame: returns with the stack pointer -16 bytes off".to_string()));
    let kept = changed("    $x2 = frame-destroy ADDI $x2, 32\n", "");
    assert!(kept.contains(&"stage-frame: returns with the stack pointer -32 bytes off".to_string()));
}

#[test]
fn rules_of_the_unwinder_follow_the_frame_pointer() {
    let wrong = |from: &str, to: &str, message: &str| {
        let findings = changed(from, to);
        assert!(findings.contains(&format!("call-frame-information: {message}")), "{findings:?}");
    };
    let uncounted = "the unwinder counts from a stack pointer at no constant distance";
    wrong("    frame-setup CFI_INSTRUCTION def_cfa $x8, 0\n", "", uncounted);
    let far = "the unwinder looks 16 bytes above a frame pointer 0 bytes off";
    wrong("def_cfa $x8, 0", "def_cfa $x8, 16", far);
    let off = "the unwinder looks 0 bytes above a frame pointer -16 bytes off";
    wrong("$x8 = frame-setup ADDI $x2, 32", "$x8 = frame-setup ADDI $x2, 16", off);
    let destroyed = "the unwinder looks 16 bytes above a stack pointer -32 bytes off";
    wrong("def_cfa $x2, 32", "def_cfa $x2, 16", destroyed);
    let restored = "the unwinder counts from a frame pointer at no constant distance";
    wrong("    frame-destroy CFI_INSTRUCTION def_cfa $x2, 32\n", "", restored);
}

/// An object is aligned to 64 bytes.
const ALIGNED: &str = "
  bb.0:
    $sp = frame-setup SUBXri $sp, 16, 0
    frame-setup CFI_INSTRUCTION def_cfa_offset 16
    frame-setup STRXui $lr, $sp, 1
    frame-setup STRXui $fp, $sp, 0
    $fp = frame-setup ADDXri $sp, 0, 0
    frame-setup CFI_INSTRUCTION def_cfa $fp, 16
    $x16 = frame-setup SUBXri $sp, 64, 0
    $sp = frame-setup ANDXri $x16, 7865
    $sp = frame-destroy ADDXri $fp, 0, 0
    frame-destroy CFI_INSTRUCTION def_cfa $sp, 16
    $lr = frame-destroy LDRXui $sp, 1
    $fp = frame-destroy LDRXui $sp, 0
    $sp = frame-destroy ADDXri $sp, 16, 0
    frame-destroy CFI_INSTRUCTION def_cfa_offset 0
    RET_ReallyLR
";

#[test]
fn a_prologue_aligns_the_stack_pointer_as_objects_need() {
    let object = |align: u32| format!("stack:\n  - {{ id: 0, size: 8, alignment: {align} }}\n");
    assert_eq!(broken(&AARCH64, &object(64), ALIGNED), Vec::<String>::new());
    assert_eq!(broken(&AARCH64, &object(16), ALIGNED), Vec::<String>::new());
    let message = |align: u32| {
        let text = format!("objects are aligned to {align} bytes, and the prologue leaves the stack pointer elsewhere");
        vec![format!("stage-frame: {text}")]
    };
    assert_eq!(broken(&AARCH64, &object(128), ALIGNED), message(128));
    let unmasked = ALIGNED.replace("ANDXri $x16, 7865", "ADDXri $x16, 0, 0");
    assert_eq!(broken(&AARCH64, &object(64), &unmasked), message(64));
    // An object of variable size is aligned where it is made.
    let variable = "stack:\n  - { id: 0, type: variable-sized, alignment: 64 }\n";
    assert_eq!(broken(&AARCH64, variable, &unmasked), Vec::<String>::new());
}

/// The prologue aligns the stack pointer, which moves later: objects are found from the base pointer, `$x9`.
#[test]
fn a_base_pointer_is_what_the_prologue_leaves_in_the_stack_pointer() {
    let keys = "stack:\n  - { id: 0, offset: -64, size: 8, alignment: 64 }\n\
                  \x20 - { id: 1, type: variable-sized, alignment: 1 }\n";
    let body = |sets_up: &str| {
        format!(
            "
  bb.0:
    liveins: $x10

    $x2 = frame-setup ADDI $x2, -32
    frame-setup SD $x8, $x2, 16
    frame-setup SD $x9, $x2, 8
    $x8 = frame-setup ADDI $x2, 32
    $x31 = frame-setup ADDI $x2, 0
    $x2 = frame-setup ANDI $x31, -64
    {sets_up}
    $x2 = SUB $x2, $x10
    SD $x10, $x9, 0
    $x2 = frame-destroy ADDI $x8, -32
    $x8 = frame-destroy LD $x2, 16
    $x9 = frame-destroy LD $x2, 8
    $x2 = frame-destroy ADDI $x2, 32
    PseudoRET
"
        )
    };
    let found = |sets_up: &str| broken(&RISCV64, keys, &body(sets_up));
    assert_eq!(found("$x9 = frame-setup ADDI $x2, 0"), Vec::<String>::new());
    let message = "stage-frame: the prologue leaves the base pointer elsewhere than the stack pointer";
    for wrong in ["", "$x9 = frame-setup ADDI $x2, 8", "$x9 = frame-setup ADDI $x31, 0"] {
        assert_eq!(found(wrong), [message], "{wrong}");
    }
}
