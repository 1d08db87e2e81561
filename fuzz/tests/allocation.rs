//! Sensitivity of the allocation checker: every part of every instruction of right allocations is changed, one at a
//! time. The checker must object. Where a change leaves each use its value, it may be silent, and then the code must
//! run as before.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use std::collections::BTreeMap;
use tribunal_codegen::pipeline::{self, Pass};
use tribunal_codegen::{Allocator, Context, NoObserver, Options, allocate, split_edges};
use tribunal_fuzz::campaign;
use tribunal_ir::{Block, Function, Inst, InstFlags, MemFlags, Opcode, Operand, PReg, Reg, RegFlags, TargetOpcode};
use tribunal_target::Target;
use tribunal_trial::blame::Witness;
use tribunal_trial::inputs;
use tribunal_verifier::allocation;

const PROGRAMS: u64 = 6;
/// Instructions of a program that are changed, at most.
const SITES: usize = 40;

/// Whether the checker must see a change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Expect {
    /// Always.
    Finding,
    /// Unless the program runs as before.
    FindingOrEqual,
}

/// The kind of a change, its expectation, and the changed function.
type Change = (&'static str, Expect, Function);

fn after(function: &Function, target: &'static Target, allocator: Allocator, pass: &'static Pass) -> Function {
    let options = Options { allocator, ..Options::new(target.default_features) };
    let legalizer = (target.legality)(options.features);
    let mut context = Context { target, options, legalizer, observer: &mut NoObserver };
    let mut function = function.clone();
    pipeline::run_until(&mut function, &mut context, Some(pass.name)).unwrap();
    function
}

fn changed(function: &Function, change: impl FnOnce(&mut Function)) -> Function {
    let mut function = function.clone();
    change(&mut function);
    function
}

/// Changes of one instruction's parts that an allocator never makes.
fn of_original(function: &Function, inst: Inst, changes: &mut Vec<Change>) {
    let mut add = |kind, data| {
        changes.push((kind, Expect::Finding, changed(function, |function| function.replace(inst, data))));
    };
    let data = function.inst(inst);
    if let Opcode::Target(opcode) = data.opcode {
        add("opcode", {
            let mut data = data.clone();
            data.opcode = Opcode::Target(TargetOpcode(opcode.0.checked_sub(1).unwrap_or(1)));
            data
        });
    }
    add("flags", {
        let mut data = data.clone();
        data.flags ^= InstFlags::NUW;
        data
    });
    for index in 0..data.memory.len() {
        add("volatile", {
            let mut data = data.clone();
            data.memory[index].flags ^= MemFlags::VOLATILE;
            data
        });
        add("alignment", {
            let mut data = data.clone();
            data.memory[index].align *= 2;
            data
        });
        add("offset of an access", {
            let mut data = data.clone();
            data.memory[index].offset += 1;
            data
        });
    }
    for index in 0..data.operands.len() {
        let operand = match data.operands[index] {
            Operand::Imm(value) => Operand::Imm(value ^ 1),
            Operand::Block(block) => Operand::Block(other(function, block)),
            Operand::Reg(mut register) => {
                register.flags ^= RegFlags::UNDEF;
                Operand::Reg(register)
            }
            _ => continue,
        };
        add("operand", {
            let mut data = data.clone();
            data.operands[index] = operand;
            data
        });
    }
    add("one operand more", {
        let mut data = data.clone();
        data.operands.push(Operand::Imm(0));
        data
    });
}

/// Instructions from all over the function.
fn sites(function: &Function) -> Vec<Inst> {
    let insts: Vec<Inst> = function.all_insts().collect();
    insts.iter().copied().step_by(insts.len() / SITES + 1).collect()
}

fn other(function: &Function, block: Block) -> Block {
    function.layout().iter().copied().find(|&other| other != block).unwrap_or(block)
}

/// Changes of the places that an allocator chooses.
fn of_places(function: &Function, inst: Inst, target: &Target, changes: &mut Vec<Change>) {
    for index in 0..function.inst(inst).operands.len() {
        let Operand::Reg(mut register) = function.inst(inst).operands[index] else { continue };
        let Reg::Physical(physical) = register.reg else { continue };
        if target.vocabulary.is_zero_register(physical) {
            continue;
        }
        let bits = target.vocabulary.register_bits(physical);
        for next in 1..4 {
            let number = (physical.0 + next) % target.registers.len() as u16;
            if target.vocabulary.register_bits(PReg(number)) == bits {
                register.reg = Reg::Physical(PReg(number));
                let change = |function: &mut Function| function.set_operand(inst, index, Operand::Reg(register));
                changes.push(("register", Expect::FindingOrEqual, changed(function, change)));
            }
        }
    }
}

/// Instructions lost, exchanged, doubled; edges and tables changed.
fn of_function(selected: &Function, function: &Function, changes: &mut Vec<Change>) {
    let is_original = |inst: Inst| selected.inst_bound() > inst.as_u32() as usize;
    let mut add = |kind, expect, function| changes.push((kind, expect, function));
    for inst in sites(function) {
        let removed = changed(function, |function| function.remove(inst));
        let doubled = changed(function, |function| {
            let data = function.inst(inst).clone();
            function.insert_after(inst, data);
        });
        let is_move = matches!(function.inst(inst).opcode, Opcode::Target(_)) && !is_original(inst);
        match is_move {
            true => add("move lost", Expect::FindingOrEqual, removed),
            false => {
                add("instruction lost", Expect::Finding, removed);
                add("instruction twice", Expect::FindingOrEqual, doubled);
            }
        }
        if let Some(next) = function.next_inst(inst).filter(|&next| is_original(inst) && is_original(next)) {
            let (one, two) = (function.inst(inst).clone(), function.inst(next).clone());
            if one != two {
                add(
                    "exchanged",
                    Expect::Finding,
                    changed(function, |function| {
                        function.replace(inst, two);
                        function.replace(next, one);
                    }),
                );
            }
        }
    }
    for &block in function.layout() {
        let to = other(function, block);
        add(
            "edge",
            Expect::Finding,
            changed(function, |function| function.block_mut(block).successors.push((to, None))),
        );
    }
    for slot in selected.stack.keys() {
        add("stack object", Expect::Finding, changed(function, |function| function.stack[slot].size += 8));
    }
}

#[test]
fn the_allocation_checker_sees_every_change() {
    let (mut tried, mut equal, mut wrong) = (BTreeMap::<&str, u64>::new(), 0, Vec::new());
    for &target in tribunal_target::ALL {
        for seed in 0..PROGRAMS {
            let source = campaign::generated(seed, target).unwrap();
            for allocator in [Allocator::Ion, Allocator::Fastalloc] {
                let selected = after(&source, target, allocator, &split_edges::PASS);
                let allocated = after(&selected, target, allocator, &allocate::PASS);
                assert!(
                    allocation::check(&selected, &allocated, target, target.default_features).is_empty(),
                    "{} {seed}",
                    target.name
                );
                let mut changes = Vec::new();
                of_function(&selected, &allocated, &mut changes);
                for inst in sites(&allocated) {
                    if (inst.as_u32() as usize) < selected.inst_bound() {
                        of_original(&allocated, inst, &mut changes);
                    }
                    of_places(&allocated, inst, target, &mut changes);
                }
                for (kind, expect, changed) in changes {
                    *tried.entry(kind).or_default() += 1;
                    if !allocation::check(&selected, &changed, target, target.default_features).is_empty() {
                        continue;
                    }
                    equal += 1;
                    if expect != Expect::FindingOrEqual || !runs_alike(&source, &changed, target, seed) {
                        let text = tribunal_ir::text::print_function(&changed, target.vocabulary);
                        wrong.push(format!("{kind} is not seen:\n{text}"));
                    }
                }
            }
        }
    }
    let all: u64 = tried.values().sum();
    // A line for `docs/benchmarks.md`.
    println!("\n{{\"judge\":\"allocation checker\",\"tried\":{all},\"wrong\":{}}}", wrong.len());
    assert!(wrong.is_empty(), "{} changes:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(tried.len(), 14, "{tried:?}");
    assert!(equal > 0, "no change of {tried:?} leaves every use its value");
}

fn runs_alike(source: &Function, changed: &Function, target: &'static Target, seed: u64) -> bool {
    let inputs = inputs::inputs(source, target, inputs::Plan { count: 16, seed });
    let mut witnesses = inputs.iter().filter_map(|input| Witness::new(source, target, input));
    witnesses.all(|witness| witness.is_right(changed, allocate::PASS.name))
}
