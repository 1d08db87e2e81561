//! After `split-edges` no edge is critical: no successor of a block with several has another predecessor. PHIs name
//! their predecessors, and a block that fell through ends in a jump.

use super::{flags, function, label, run};
use std::collections::BTreeSet;
use tribunal_codegen::split_edges::PASS;
use tribunal_ir::{Block, Function, OpcodeFlags};
use tribunal_target::Target;
use tribunal_target::aarch64::AARCH64;
use tribunal_target::riscv::RISCV64;

fn split(target: &'static Target, body: &str) -> Function {
    let properties = ["legalized", "regBankSelected", "selected", "tracksRegLiveness"];
    let mut function = function(target, &properties, "", body);
    run(&PASS, &mut function, target).unwrap();
    holds(&function, target);
    function
}

/// The postcondition of the pass.
fn holds(function: &Function, target: &Target) {
    let predecessors = |to: Block| -> Vec<Block> {
        let leads = |from: &Block| function.successors(*from).any(|successor| successor == to);
        function.layout().iter().copied().filter(leads).collect()
    };
    for &block in function.layout() {
        let successors: Vec<Block> = function.successors(block).collect();
        for &to in successors.iter().filter(|_| successors.len() > 1) {
            let entries = predecessors(to).len() + usize::from(function.entry() == Some(to));
            assert_eq!(entries, 1, "the edge from {block} to {to} is critical");
        }
        let last = function.last_inst(block).map(|last| function.inst(last)).expect("a block is not empty");
        assert!(flags(target, last).contains(OpcodeFlags::BARRIER), "{block} runs into the next one");
        let phis = function.insts(block).filter(|&inst| function.inst(inst).opcode.is_phi());
        for inst in phis {
            let from: BTreeSet<Block> = function.inst(inst).phi_inputs().map(|(_, block)| block).collect();
            assert_eq!(from, predecessors(block).into_iter().collect(), "a PHI of {block}");
        }
        let branches = function.insts(block).filter(|&inst| !function.inst(inst).opcode.is_phi());
        let targets: BTreeSet<Block> = branches.filter_map(|inst| label(function.inst(inst))).collect();
        assert_eq!(targets, successors.into_iter().collect(), "{block}");
    }
}

/// The loop's branch to its own head and its exit, which the entry leads to as well, are critical.
#[test]
fn every_critical_edge_gets_a_block() {
    let body = "
  bb.0:
    successors: %bb.1, %bb.2
    liveins: $x10

    %0:gpr = COPY $x10
    BEQ %0, $x0, %bb.2

  bb.1:
    successors: %bb.1, %bb.2

    %1:gpr = PHI %0, %bb.0, %2, %bb.1
    %2:gpr = ADDI %1, -1
    BNE %2, $x0, %bb.1
    PseudoBR %bb.2

  bb.2:
    %3:gpr = PHI %0, %bb.0, %2, %bb.1
    $x10 = COPY %3
    PseudoRET implicit $x10
";
    assert_eq!(split(&RISCV64, body).layout().len(), 3 + 4);
}

/// The caller leads to the entry too.
#[test]
fn a_branch_back_to_the_entry_is_critical() {
    let body = "
  bb.0:
    successors: %bb.0, %bb.1
    liveins: $x0

    CBZX $x0, %bb.0
    B %bb.1

  bb.1:
    RET_ReallyLR implicit $x0
";
    assert_eq!(split(&AARCH64, body).layout().len(), 3);
}

#[test]
fn what_has_no_critical_edge_keeps_its_blocks() {
    let body = "
  bb.0:
    successors: %bb.1, %bb.2
    liveins: $x10

    BEQ $x10, $x0, %bb.2

  bb.1:
    successors: %bb.3

    PseudoBR %bb.3

  bb.2:
    successors: %bb.3

  bb.3:
    PseudoRET implicit $x10
";
    assert_eq!(split(&RISCV64, body).layout().len(), 4);
}
