//! Frames that move: the layout of a frame with a frame pointer, and the code that sets it up and leaves it. The
//! expected lines are written by hand; `corpus/frame` has whole functions, and `corpus/programs` runs some.

use super::frame::{ALLOCATED, code, leaf, rules};
use super::{function, run};
use tribunal_codegen::frame::PASS;
use tribunal_ir::Function;
use tribunal_target::Target;
use tribunal_target::aarch64::AARCH64;
use tribunal_target::riscv::{RISCV32, RISCV64};

const VARIABLE: &str = "stack:\n  - { id: 0, type: variable-sized, alignment: 1 }\n";

fn framed(target: &'static Target, keys: &str, body: &str) -> Function {
    let mut function = function(target, &ALLOCATED, keys, body);
    run(&PASS, &mut function, target).unwrap();
    function
}

fn entry(function: &Function, target: &Target) -> Vec<String> {
    code(function, target, function.entry().unwrap())
}

/// The record of the caller's frame pointer and the return address ends where the psABI says, and so does the
/// canonical frame address.
#[test]
fn the_frame_record_stands_where_a_debugger_looks_for_it() {
    let rows: [(&'static Target, &str, [&str; 4], [&str; 3]); 3] = [
        (
            &RISCV64,
            "PseudoRET",
            [
                "$x2 = frame-setup ADDI $x2, -16",
                "frame-setup SD $x1, $x2, 8",
                "frame-setup SD $x8, $x2, 0",
                "$x8 = frame-setup ADDI $x2, 16",
            ],
            ["offset $x1, -8", "offset $x8, -16", "def_cfa $x8, 0"],
        ),
        (
            &RISCV32,
            "PseudoRET",
            [
                "$x2 = frame-setup ADDI $x2, -16",
                "frame-setup SW $x1, $x2, 12",
                "frame-setup SW $x8, $x2, 8",
                "$x8 = frame-setup ADDI $x2, 16",
            ],
            ["offset $x1, -4", "offset $x8, -8", "def_cfa $x8, 0"],
        ),
        (
            &AARCH64,
            "RET_ReallyLR",
            [
                "$sp = frame-setup SUBXri $sp, 16, 0",
                "frame-setup STRXui $lr, $sp, 1",
                "frame-setup STRXui $fp, $sp, 0",
                "$fp = frame-setup ADDXri $sp, 0, 0",
            ],
            ["offset $lr, -8", "offset $fp, -16", "def_cfa $fp, 16"],
        ),
    ];
    for (target, returns, setup, unwinding) in rows {
        for keys in [VARIABLE, "frameInfo:\n  isFrameAddressTaken: true\n"] {
            let function = framed(target, keys, &format!("  bb.0:\n    {returns}\n"));
            assert_eq!(entry(&function, target)[..4], setup, "{keys}");
            assert_eq!(rules(&function, target, function.entry().unwrap())[1..4], unwinding, "{keys}");
        }
    }
}

/// Whatever happened to it, the stack pointer comes back from the frame pointer before the registers are restored.
#[test]
fn the_stack_pointer_comes_back_from_the_frame_pointer() {
    let body = "  bb.0:\n    liveins: $x10\n\n    $x18 = ADDI $x10, 0\n    $x2 = COPY $x10\n    PseudoRET\n";
    let function = framed(&RISCV64, "", body);
    let expected = [
        "$x2 = ADDI $x10, 0",
        "$x2 = frame-destroy ADDI $x8, -32",
        "$x1 = frame-destroy LD $x2, 24",
        "$x8 = frame-destroy LD $x2, 16",
        "$x18 = frame-destroy LD $x2, 8",
        "$x2 = frame-destroy ADDI $x2, 32",
        "PseudoRET",
    ];
    assert_eq!(entry(&function, &RISCV64)[6..], expected);
    let rules = rules(&function, &RISCV64, function.entry().unwrap());
    let left = ["def_cfa $x2, 32", "restore $x1", "restore $x8", "restore $x18", "def_cfa_offset 0"];
    assert_eq!(rules[5..], left);
}

/// Objects lie at multiples of their alignment from the aligned stack pointer, below the saved registers wherever the
/// stack pointer stood; arguments of the caller are found by the frame pointer.
#[test]
fn an_over_aligned_frame_is_aligned_in_its_prologue() {
    let keys = "fixedStack:
  - { id: 0, offset: 8, size: 8, alignment: 8 }
stack:
  - { id: 0, size: 1, alignment: 1 }
  - { id: 1, size: 8, alignment: 64 }
";
    let body = "  bb.0:
    $x5 = LD %fixed-stack.0, 0 :: (load (s64))
    SB $x5, %stack.0, 0 :: (store (s8))
    SD $x5, %stack.1, 0 :: (store (s64))
    PseudoRET
";
    let function = framed(&RISCV64, keys, body);
    // 72 bytes of objects and 16 of the record, as a multiple of 16.
    assert_eq!(function.frame_info.stack_size, 96);
    let expected = [
        "$x8 = frame-setup ADDI $x2, 16",
        "$x31 = frame-setup ADDI $x2, -80",
        "$x2 = frame-setup ANDI $x31, -64",
        "$x5 = LD $x8, 8 :: (load (s64))",
        "SB $x5, $x2, 0 :: (store (s8))",
        "SD $x5, $x2, 64 :: (store (s64))",
        "$x2 = frame-destroy ADDI $x8, -16",
    ];
    assert_eq!(entry(&function, &RISCV64)[3..10], expected);
}

/// With objects of both kinds the base pointer stays where the fixed ones are.
#[test]
fn a_base_pointer_reaches_the_objects_of_a_frame_that_moves_and_is_aligned() {
    let keys = "stack:
  - { id: 0, size: 8, alignment: 32 }
  - { id: 1, type: variable-sized, alignment: 1 }
";
    let body = "  bb.0:\n    STRXui $x0, %stack.0, 0 :: (store (s64))\n    RET_ReallyLR\n";
    let function = framed(&AARCH64, keys, body);
    let expected = [
        "$x16 = frame-setup ADDXri $sp, 0, 0",
        "$sp = frame-setup ANDXri $x16, 7930",
        "$x19 = frame-setup ADDXri $sp, 0, 0",
        "STRXui $x0, $x19, 0 :: (store (s64))",
        "$sp = frame-destroy SUBXri $fp, 16, 0",
        "$lr = frame-destroy LDRXui $sp, 3",
        "$fp = frame-destroy LDRXui $sp, 2",
        "$x19 = frame-destroy LDRXui $sp, 1",
    ];
    assert_eq!(entry(&function, &AARCH64)[5..13], expected);
}

/// Around a call the stack pointer moves by the bytes of its arguments, as a multiple of the stack's alignment.
#[test]
fn call_frames_move_a_stack_pointer_that_moves() {
    let body = "  bb.0:
    ADJCALLSTACKDOWN 24, 0, implicit-def $x2, implicit $x2
    SD $x10, $x2, 16 :: (store (s64))
    PseudoCALL target-flags(riscv-call) @g, csr_ilp32_lp64, implicit-def $x1
    ADJCALLSTACKUP 24, 0, implicit-def $x2, implicit $x2
    ADJCALLSTACKDOWN 0, 0, implicit-def $x2, implicit $x2
    PseudoCALL target-flags(riscv-call) @g, csr_ilp32_lp64, implicit-def $x1
    ADJCALLSTACKUP 0, 0, implicit-def $x2, implicit $x2
    PseudoRET
";
    let function = framed(&RISCV64, VARIABLE, body);
    let expected = [
        "$x2 = ADDI $x2, -32",
        "SD $x10, $x2, 16 :: (store (s64))",
        "PseudoCALL target-flags(riscv-call) @g, csr_ilp32_lp64, implicit-def $x1",
        "$x2 = ADDI $x2, 32",
        "PseudoCALL target-flags(riscv-call) @g, csr_ilp32_lp64, implicit-def $x1",
        "$x2 = frame-destroy ADDI $x8, -16",
    ];
    assert_eq!(entry(&function, &RISCV64)[4..10], expected);
}

/// A frame beyond every immediate: the registers are saved before the stack pointer goes on, so each save is near.
#[test]
fn a_large_frame_is_left_in_two_steps() {
    let keys = "frameInfo:\n  isFrameAddressTaken: true\nstack:\n  - { id: 0, size: 100000, alignment: 8 }\n";
    let function = framed(&RISCV64, keys, "  bb.0:\n    PseudoRET\n");
    let expected = [
        "$x2 = frame-setup ADDI $x2, -16",
        "frame-setup SD $x1, $x2, 8",
        "frame-setup SD $x8, $x2, 0",
        "$x8 = frame-setup ADDI $x2, 16",
        "$x31 = frame-setup LUI 1048552",
        "$x31 = frame-setup ADDIW $x31, -1696",
        "$x2 = frame-setup ADD $x2, $x31",
        "$x31 = frame-destroy LUI 24",
        "$x31 = frame-destroy ADDIW $x31, 1696",
        "$x2 = frame-destroy ADD $x2, $x31",
        "$x1 = frame-destroy LD $x2, 8",
    ];
    assert_eq!(entry(&function, &RISCV64)[..11], expected);
}

/// A register that the frame takes is nobody else's.
#[test]
fn a_function_that_writes_its_frame_pointer_is_refused() {
    let mut function = function(&RISCV64, &ALLOCATED, VARIABLE, "  bb.0:\n    $x8 = ADDI $x0, 1\n    PseudoRET\n");
    let error = run(&PASS, &mut function, &RISCV64).unwrap_err().to_string();
    assert_eq!(error, "f: writes of the frame pointer or of the base pointer is not supported (frame)");
}

/// Without a reason for a frame pointer its register is saved like any other.
#[test]
fn a_frame_that_needs_no_frame_pointer_has_none() {
    let function = leaf(&RISCV64, &["x8"], &[(8, 16)], "");
    assert!(rules(&function, &RISCV64, function.entry().unwrap()).iter().all(|rule| !rule.contains("def_cfa $")));
}
