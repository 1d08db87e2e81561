//! After `relax-branches` every branch reaches its target, control flow is unchanged, and no block ends in a jump to
//! the next one.

use super::{function, label, lines, run};
use tribunal_codegen::relax_branches::PASS;
use tribunal_codegen::{Context, NoObserver, Options, pipeline};
use tribunal_ir::{Block, Function, InstData, Opcode};
use tribunal_target::Target;
use tribunal_target::aarch64::AARCH64;
use tribunal_target::instructions::OperandDesc;
use tribunal_target::riscv::RISCV64;

const ALLOCATED: [&str; 5] = ["legalized", "regBankSelected", "selected", "noPhis", "noVRegs"];

/// The key by which LLVM says that the frame is laid out.
const FRAMED: &str = "frameInfo:\n  isCalleeSavedInfoValid: true\n";

/// The function after the pass. `words` pads the blocks at these positions to so many words before it.
fn relaxed(target: &'static Target, body: &str, words: &[(usize, usize)]) -> Function {
    let mut function = function(target, &ALLOCATED, FRAMED, body);
    words.iter().for_each(|&(position, words)| fill(&mut function, position, words));
    run(&PASS, &mut function, target).unwrap();
    all_reach(&function, target);
    function
}

/// Repeats the first instruction of the block at this position until it stands there `words` times.
fn fill(function: &mut Function, position: usize, words: usize) {
    let block = function.layout()[position];
    let first = function.first_inst(block).expect("an instruction to repeat");
    let data: InstData = function.inst(first).clone();
    for _ in 1..words {
        function.insert_before(first, data.clone());
    }
}

/// No branch is farther from its target than its instruction reaches.
fn all_reach(function: &Function, target: &Target) {
    let sizes = |opcode| i64::from(target.instruction(opcode).size);
    let (mut at, mut starts, mut branches) = (0, vec![0; function.block_bound()], Vec::new());
    for &block in function.layout() {
        starts[block.as_u32() as usize] = at;
        for inst in function.insts(block) {
            let data = function.inst(inst);
            let Opcode::Target(opcode) = data.opcode else { panic!("{} is left", data.opcode) };
            branches.extend(label(data).map(|to| (opcode, at, to)));
            at += sizes(opcode);
        }
    }
    for (opcode, at, to) in branches {
        let row = target.instruction(opcode);
        let bits = row.operands.iter().find_map(|operand| match operand {
            OperandDesc::Label { bits, .. } => Some(*bits),
            _ => None,
        });
        let distance = starts[to.as_u32() as usize] - at;
        let reach = 1i64 << (bits.expect("a branch has a label") - 1);
        assert!((-reach..reach).contains(&distance), "{} over {distance} bytes", row.name);
    }
}

const FORWARD: &str = "
  bb.0:
    successors: %bb.1, %bb.2
    liveins: $x10

    BEQ $x10, $x0, %bb.2

  bb.1:
    successors: %bb.2
    $x5 = ADDI $x5, 1

  bb.2:
    PseudoRET implicit $x10
";

const BACKWARD: &str = "
  bb.0:
    successors: %bb.1
    liveins: $x10

    $x6 = ADDI $x6, 1

  bb.1:
    successors: %bb.1, %bb.2
    $x5 = ADDI $x5, 1
    BNE $x5, $x0, %bb.1

  bb.2:
    PseudoRET implicit $x10
";

/// A branch of thirteen bits goes from 4096 bytes back to 4094 forward, counted from itself.
#[test]
fn a_branch_is_lengthened_exactly_where_it_does_not_reach() {
    for (body, reaches) in [(FORWARD, 1022), (BACKWARD, 1024)] {
        for words in [reaches, reaches + 1] {
            let function = relaxed(&RISCV64, body, &[(1, words)]);
            assert_eq!(function.layout().len(), if words == reaches { 3 } else { 5 }, "{words} words");
        }
    }
}

/// The opposite branch goes around a jump, and each block lists its successors.
#[test]
fn the_long_way_is_the_opposite_branch_around_a_jump() {
    let function = relaxed(&RISCV64, BACKWARD, &[(1, 2000)]);
    let &[_, body, jump, rest, exit] = function.layout() else { panic!("{:?}", function.layout()) };
    let text = |block| lines(&function, &RISCV64, block);
    let number = |block: Block| function.block(block).number;
    assert_eq!(text(body).last(), Some(&format!("BEQ $x5, $x0, %bb.{}", number(rest))));
    assert_eq!(text(jump), [format!("PseudoBR %bb.{}", number(body))]);
    assert!(text(rest).is_empty(), "{:?}", text(rest));
    let leads = |block| function.successors(block).collect::<Vec<_>>();
    assert_eq!((leads(body), leads(jump), leads(rest)), (vec![jump, rest], vec![body], vec![exit]));
}

/// A branch and the jump after it may lead to one block: the jump still does.
#[test]
fn a_jump_after_a_long_branch_keeps_its_target() {
    let body = "
  bb.0:
    successors: %bb.2
    liveins: $x10

    BEQ $x10, $x0, %bb.2
    PseudoBR %bb.2

  bb.1:
    successors: %bb.2
    $x5 = ADDI $x5, 1

  bb.2:
    PseudoRET implicit $x10
";
    let function = relaxed(&RISCV64, body, &[(1, 2000)]);
    for &block in function.layout() {
        for to in function.insts(block).filter_map(|inst| label(function.inst(inst))) {
            assert!(function.successors(block).any(|successor| successor == to), "{block} leads to {to}");
        }
    }
}

/// The first branch just reaches, until the second one, which it goes over, becomes longer.
#[test]
fn lengthening_goes_on_until_all_reach() {
    let body = "
  bb.0:
    successors: %bb.1, %bb.3
    liveins: $x10

    BEQ $x10, $x0, %bb.3

  bb.1:
    successors: %bb.2, %bb.4

    BNE $x10, $x0, %bb.4

  bb.2:
    successors: %bb.3
    $x5 = ADDI $x5, 1

  bb.3:
    successors: %bb.4
    $x5 = ADDI $x5, 2

  bb.4:
    PseudoRET implicit $x10
";
    assert_eq!(relaxed(&RISCV64, body, &[(2, 1021), (3, 1)]).layout().len(), 5);
    assert_eq!(relaxed(&RISCV64, body, &[(2, 1021), (3, 2)]).layout().len(), 5 + 2 * 2);
}

#[test]
fn jumps_to_the_next_block_go_and_branches_over_a_jump_turn_over() {
    let body = "
  bb.0:
    successors: %bb.1, %bb.2
    liveins: $x0

    CBZX $x0, %bb.1
    B %bb.2

  bb.1:
    successors: %bb.2
    B %bb.2

  bb.2:
    RET_ReallyLR implicit $x0
";
    let function = relaxed(&AARCH64, body, &[]);
    let texts: Vec<_> = function.layout().iter().map(|&block| lines(&function, &AARCH64, block)).collect();
    assert_eq!(texts, [vec!["CBNZX $x0, %bb.2"], vec![], vec!["RET_ReallyLR implicit $x0"]]);
}

/// A branch and a jump of which neither leads to the next block both stay.
#[test]
fn a_branch_and_a_jump_elsewhere_stay() {
    let body = "
  bb.0:
    successors: %bb.2, %bb.3
    liveins: $x0

    CBZX $x0, %bb.2
    B %bb.3

  bb.1:
    successors: %bb.1
    B %bb.1

  bb.2:
    RET_ReallyLR implicit $x0

  bb.3:
    RET_ReallyLR implicit $x0
";
    let function = relaxed(&AARCH64, body, &[]);
    let texts: Vec<_> = function.layout().iter().map(|&block| lines(&function, &AARCH64, block)).collect();
    assert_eq!(texts[..2], [vec!["CBZX $x0, %bb.2", "B %bb.3"], vec!["B %bb.1"]]);
}

/// A jump over the block at position 1.
fn jump_over(text: &str) -> String {
    FORWARD.replace("BEQ $x10, $x0, %bb.2", "PseudoBR %bb.2").replace("%bb.1, %bb.2\n    livein", text)
}

/// A jump of 21 bits goes 1,048,574 bytes forward; one byte more takes a register.
#[test]
fn a_jump_that_does_not_reach_goes_through_a_register() {
    let reaches = (1 << 18) - 2;
    for (words, expected) in [(reaches, "PseudoBR %bb.2"), (reaches + 1, "$x31 = PseudoJump %bb.2")] {
        let function = relaxed(&RISCV64, &jump_over("%bb.2\n    livein"), &[(1, words)]);
        assert_eq!(lines(&function, &RISCV64, function.layout()[0]), [expected], "{words} words");
    }
}

/// The bytes of a far jump lead to its block: the high part is rounded, and the low part has a sign.
#[test]
fn a_far_jump_is_auipc_and_jalr() {
    for words in [1 << 18, (1 << 18) + 300, (1 << 18) + 700] {
        let mut function = relaxed(&RISCV64, &jump_over("%bb.2\n    livein"), &[(1, words)]);
        let options = Options::new(RISCV64.default_features);
        let legalizer = (RISCV64.legality)(options.features);
        let context = &mut Context { target: &RISCV64, options, legalizer, observer: &mut NoObserver };
        let code = pipeline::run_until(&mut function, context, None).unwrap().expect("code");
        let word = |at: usize| i32::from_le_bytes(code.bytes[at..at + 4].try_into().unwrap());
        let (high, low) = (word(0) & !0xfff, word(4) >> 20);
        assert_eq!((word(0) & 0xfff, word(4) & 0xf_ffff), (0x17 | 31 << 7, 0x67 | 31 << 15));
        assert_eq!(high + low, code.bytes.len() as i32 - 4, "{words} words");
    }
}

/// A function that others allocated may have a value in the register.
#[test]
fn a_far_jump_over_a_value_in_its_register_is_refused() {
    let body = jump_over("%bb.2\n    livein").replace("PseudoRET", "$x10 = ADDI $x31, 0\n    PseudoRET");
    let mut function = function(&RISCV64, &ALLOCATED, FRAMED, &body);
    fill(&mut function, 1, (1 << 20) / 4);
    let error = run(&PASS, &mut function, &RISCV64).unwrap_err().to_string();
    assert_eq!(error, "f: jumps beyond the reach of the jump instruction is not supported (relax-branches)");
}
