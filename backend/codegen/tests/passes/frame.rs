//! After `frame` stack objects are disjoint, aligned, inside the frame and above the saved registers. Each callee-saved
//! register that the function writes is saved once and restored before every return. The stack pointer is back where it
//! was.

use super::{flags, function, lines, run};
use std::fmt::Write;
use tribunal_codegen::frame::PASS;
use tribunal_ir::{Block, Function, InstFlags, Opcode, OpcodeFlags, Operand};
use tribunal_target::Target;
use tribunal_target::aarch64::AARCH64;
use tribunal_target::riscv::{RISCV32, RISCV64};

pub(super) const ALLOCATED: [&str; 5] = ["legalized", "regBankSelected", "selected", "noPhis", "noVRegs"];

/// A `stack:` of objects with these sizes and alignments, in bytes.
fn stack(objects: &[(u64, u32)]) -> String {
    let mut text = String::from("stack:\n");
    for (id, (size, align)) in objects.iter().enumerate() {
        let _ = writeln!(text, "  - {{ id: {id}, size: {size}, alignment: {align} }}");
    }
    text
}

/// The size of the frame that the function states, in bytes.
fn frame_size(function: &Function) -> u64 {
    function.frame_info.stack_size
}

/// Runs the pass on a leaf that writes `saved` (their names) and has these objects.
pub(super) fn leaf(target: &'static Target, saved: &[&str], objects: &[(u64, u32)], body: &str) -> Function {
    let writes: String = saved.iter().map(|name| format!("    ${name} = ADDI $x0, 1\n")).collect();
    let mut function =
        function(target, &ALLOCATED, &stack(objects), &format!("  bb.0:\n{writes}{body}    PseudoRET\n"));
    run(&PASS, &mut function, target).unwrap();
    function
}

#[test]
fn objects_lie_apart_aligned_and_above_the_saved_registers() {
    let objects = [(1, 1), (8, 8), (3, 2), (16, 16), (4, 4), (5000, 8), (0, 1), (7, 4)];
    for (target, word) in [(&RISCV32, 4), (&RISCV64, 8)] {
        for saved in [&[][..], &["x8"], &["x8", "x9", "x18"]] {
            let function = leaf(target, saved, &objects, "");
            let size = frame_size(&function);
            assert_eq!(size % u64::from(target.abi.stack_align), 0);
            let mut ranges = vec![(0, saved.len() as u64 * word)];
            for (object, (bytes, align)) in function.stack.values().zip(objects) {
                // Offsets count from the stack pointer on entry, which is aligned.
                let start = u64::try_from(object.offset + size as i64).expect("inside the frame");
                assert_eq!(start % u64::from(align), 0, "{object:?}");
                ranges.push((start, start + bytes));
            }
            ranges.sort_unstable();
            assert!(ranges.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{ranges:?} overlap");
            assert!(ranges.last().unwrap().1 <= size, "{ranges:?} leave a frame of {size} bytes");
        }
    }
}

/// The lines of a block, without the unwinder's rules.
pub(super) fn code(function: &Function, target: &Target, block: Block) -> Vec<String> {
    let is_rule = |line: &String| line.contains("CFI_INSTRUCTION");
    lines(function, target, block).into_iter().filter(|line| !is_rule(line)).collect()
}

/// The unwinder's rules of a block.
pub(super) fn rules(function: &Function, target: &Target, block: Block) -> Vec<String> {
    let rule = |line: String| Some(line.split_once("CFI_INSTRUCTION ")?.1.to_string());
    lines(function, target, block).into_iter().filter_map(rule).collect()
}

/// Saves stand before everything else and each has its reload, at the same offset, before each return.
#[test]
fn written_registers_are_saved_and_restored_before_every_return() {
    let body = "
  bb.0:
    successors: %bb.1, %bb.2
    liveins: $x10

    $x8 = ADDI $x10, 1
    $x20 = ADDI $x10, 2
    $x5 = ADDI $x10, 3
    BEQ $x8, $x20, %bb.2

  bb.1:
    PseudoRET implicit $x10

  bb.2:
    PseudoRET implicit $x10
";
    let mut function = function(&RISCV64, &ALLOCATED, "", body);
    run(&PASS, &mut function, &RISCV64).unwrap();
    let blocks: Vec<Vec<String>> = function.layout().iter().map(|&block| code(&function, &RISCV64, block)).collect();
    let prologue = ["$x2 = frame-setup ADDI $x2, -16", "frame-setup SD $x8, $x2, 0", "frame-setup SD $x20, $x2, 8"];
    assert_eq!(blocks[0][..3], prologue);
    let epilogue = [
        "$x8 = frame-destroy LD $x2, 0",
        "$x20 = frame-destroy LD $x2, 8",
        "$x2 = frame-destroy ADDI $x2, 16",
        "PseudoRET implicit $x10",
    ];
    assert_eq!(blocks[1], epilogue);
    assert_eq!(blocks[2], epilogue);
    let rules: Vec<Vec<String>> = function.layout().iter().map(|&block| rules(&function, &RISCV64, block)).collect();
    assert_eq!(rules[0], ["def_cfa_offset 16", "offset $x8, -16", "offset $x20, -8"]);
    let ended = ["restore $x8", "restore $x20", "def_cfa_offset 0"];
    // The last block has the rules of the first again.
    assert_eq!((rules[1][0].as_str(), &rules[1][1..]), ("remember_state", &ended.map(String::from)[..]));
    assert_eq!((rules[2][0].as_str(), &rules[2][1..]), ("restore_state", &ended.map(String::from)[..]));
}

/// However far: an access of the last object reaches it, through the scratch register where no immediate does.
#[test]
fn an_offset_that_does_not_fit_goes_through_the_scratch_register() {
    for (size, near) in [(2032, true), (2040, true), (2048, false), (1 << 20, false)] {
        let access = "    $x5 = LD %stack.1, 0 :: (load (s64))\n";
        let function = leaf(&RISCV64, &[], &[(size, 8), (8, 8)], access);
        let load = function.all_insts().find(|&inst| flags(&RISCV64, function.inst(inst)).contains(OpcodeFlags::LOAD));
        let data = function.inst(load.expect("the load"));
        let base = data.operands[1].as_reg().unwrap().reg.as_physical().unwrap();
        let scratch = RISCV64.abi.scratch[0];
        assert_eq!(base, if near { RISCV64.abi.stack_pointer } else { scratch }, "{size}");
        assert_eq!(data.imm(2), Some(if near { size as i64 } else { 0 }), "{size}");
    }
}

#[test]
fn no_copy_and_no_marker_is_left() {
    let body = "
  bb.0:
    liveins: $x0, $x1

    $x0 = COPY $x0
    $x2 = COPY $x1
    ADJCALLSTACKDOWN 0, 0, implicit-def $sp, implicit $sp
    ADJCALLSTACKUP 0, 0, implicit-def $sp, implicit $sp
    RET_ReallyLR implicit $x0
";
    let mut function = function(&AARCH64, &ALLOCATED, "", body);
    run(&PASS, &mut function, &AARCH64).unwrap();
    let left = lines(&function, &AARCH64, function.entry().unwrap());
    assert_eq!(left, ["$x2 = ORRXrr $xzr, $x1", "RET_ReallyLR implicit $x0"]);
    assert!(function.all_insts().all(|inst| matches!(function.inst(inst).opcode, Opcode::Target(_))));
    let adjusts = |inst| function.inst(inst).flags.intersects(InstFlags::FRAME_SETUP | InstFlags::FRAME_DESTROY);
    assert!(!function.all_insts().any(adjusts), "a function without a frame leaves the stack pointer alone");
}

#[test]
fn what_has_no_place_in_a_frame_is_refused_by_name() {
    let rows = [
        (
            "stack:\n  - { id: 0, size: 1073741824, alignment: 1 }\n  - { id: 1, size: 1, alignment: 1 }\n",
            "frames of more than 1073741824 bytes",
        ),
        (
            "stack:\n  - { id: 0, size: 1, alignment: 1 }\n  - { id: 1, size: 1, alignment: 2147483648 }\n",
            "frames of more than 1073741824 bytes",
        ),
    ];
    for (keys, feature) in rows {
        let mut function = function(&RISCV64, &ALLOCATED, keys, "  bb.0:\n    PseudoRET\n");
        let error = run(&PASS, &mut function, &RISCV64).unwrap_err().to_string();
        assert_eq!(error, format!("f: {feature} is not supported (frame)"));
    }
}

/// The function's own arguments lie above its frame, those of its calls at the bottom, and registers that a variadic
/// function keeps between its objects and its arguments.
#[test]
fn arguments_on_the_stack_lie_at_both_ends_of_the_frame() {
    let keys = "fixedStack:
  - { id: 0, offset: 8, size: 8, alignment: 8 }
  - { id: 1, offset: -24, size: 24, alignment: 8 }
stack:
  - { id: 0, size: 8, alignment: 8 }
";
    let body = "
  bb.0:
    $x5 = LD %fixed-stack.0, 0 :: (load (s64))
    SD $x10, %fixed-stack.1, 8 :: (store (s64))
    SD $x10, %stack.0, 0 :: (store (s64))
    ADJCALLSTACKDOWN 24, 0, implicit-def $x2, implicit $x2
    SD $x10, $x2, 16 :: (store (s64))
    PseudoCALL target-flags(riscv-call) @g, csr_ilp32_lp64, implicit-def $x1
    ADJCALLSTACKUP 24, 0, implicit-def $x2, implicit $x2
    PseudoRET
";
    let mut function = function(&RISCV64, &ALLOCATED, keys, body);
    run(&PASS, &mut function, &RISCV64).unwrap();
    // 32 bytes of arguments, the return address, one object, three registers.
    let left = code(&function, &RISCV64, function.entry().unwrap());
    let expected = [
        "$x2 = frame-setup ADDI $x2, -80",
        "frame-setup SD $x1, $x2, 32",
        "$x5 = LD $x2, 88 :: (load (s64))",
        "SD $x10, $x2, 64 :: (store (s64))",
        "SD $x10, $x2, 40 :: (store (s64))",
        "SD $x10, $x2, 16 :: (store (s64))",
    ];
    assert_eq!(left[..6], expected);
    assert_eq!(function.frame_info.max_call_frame_size, Some(32));
}

/// A call in place of a return stands after the epilogue, and keeps no return address.
#[test]
fn a_tail_call_leaves_no_frame() {
    let body = "
  bb.0:
    $x8 = ADDI $x10, 1
    PseudoTAIL target-flags(riscv-call) @g, csr_ilp32_lp64, implicit $x2
";
    let mut function = function(&RISCV64, &ALLOCATED, "", body);
    run(&PASS, &mut function, &RISCV64).unwrap();
    let left = code(&function, &RISCV64, function.entry().unwrap());
    assert_eq!(left[1..2], ["frame-setup SD $x8, $x2, 0"]);
    assert_eq!(left[3..5], ["$x8 = frame-destroy LD $x2, 0", "$x2 = frame-destroy ADDI $x2, 16"]);
    assert!(left[5].starts_with("PseudoTAIL") && !function.frame_info.has_calls, "{left:?}");
}

/// Operands that name stack objects are gone.
#[test]
fn stack_objects_become_registers_and_offsets() {
    let accesses = "    SD $x10, %stack.0, 8 :: (store (s64))\n    $x5 = ADDI %stack.1, 4\n";
    let function = leaf(&RISCV64, &[], &[(16, 8), (8, 8)], accesses);
    let lines = code(&function, &RISCV64, function.entry().unwrap());
    assert_eq!(lines[1..3], ["SD $x10, $x2, 8 :: (store (s64))", "$x5 = ADDI $x2, 20"]);
    let names = |operand: &Operand| matches!(operand, Operand::Stack(_));
    assert!(!function.all_insts().any(|inst| function.inst(inst).operands.iter().any(names)));
}
