//! The postcondition of each of the smaller passes, on functions made for it.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

mod bank_select;
mod cheapest_banks;
mod frame;
mod immediates;
mod moving_frames;
mod object;
mod relax_branches;
mod split_edges;

use std::panic::AssertUnwindSafe;
use tribunal_codegen::pipeline::{self, PIPELINE, Pass};
use tribunal_codegen::{CompileError, Context, NoObserver, Options};
use tribunal_ir::{Block, Function, InstData, Opcode, OpcodeFlags, Operand, Properties, Stage, text};
use tribunal_target::Target;
use tribunal_target::riscv::RISCV64;

/// The one function of `source`.
fn parse(source: &str, target: &'static Target) -> Function {
    let mut module = text::parse_module(source, target.vocabulary).unwrap_or_else(|error| panic!("{error}\n{source}"));
    module.functions.remove(0)
}

/// A function with these properties, these keys of the envelope and this body.
fn function(target: &'static Target, properties: &[&str], keys: &str, body: &str) -> Function {
    let properties: String = properties.iter().map(|property| format!("{property}: true\n")).collect();
    parse(&format!("---\nname: f\n{properties}{keys}body: |\n{body}...\n"), target)
}

fn run(pass: &'static Pass, function: &mut Function, target: &'static Target) -> Result<(), CompileError> {
    let options = Options::new(target.default_features);
    let legalizer = (target.legality)(options.features);
    pipeline::run_pass(pass, function, &mut Context { target, options, legalizer, observer: &mut NoObserver })
}

/// Stages are the edges between passes: none is left out, and none is met twice.
#[test]
fn each_pass_begins_where_the_one_before_ends() {
    let ends = std::iter::once(Stage::ALL[0]).chain(PIPELINE.iter().map(|pass| pass.to));
    assert!(ends.eq(Stage::ALL));
    assert!(PIPELINE.iter().map(|pass| pass.from).eq(Stage::ALL.into_iter().take(PIPELINE.len())));
}

/// A pass refuses a function of each stage but its own.
#[test]
fn a_pass_runs_on_its_own_stage_only() {
    for pass in PIPELINE {
        for stage in Stage::ALL {
            let mut function = function(&RISCV64, &[], "", "  bb.0:\n    PseudoRET\n");
            (function.stage, function.properties) = (stage, stage.properties());
            let result = run(pass, &mut function, &RISCV64);
            assert_eq!(result.is_ok(), stage == pass.from, "{} at {stage}: {result:?}", pass.name);
            assert_eq!(function.stage, if result.is_ok() { pass.to } else { stage });
        }
    }
}

/// The pass that is running is known where it panics, and none is running after it.
#[test]
fn a_panic_knows_its_pass() {
    static PANICS: Pass = Pass {
        name: "panics",
        from: Stage::ALL[0],
        to: Stage::ALL[1],
        drops: Properties::empty(),
        run: |_, _| panic!("in {:?}", pipeline::running()),
    };
    let mut function = function(&RISCV64, &[], "", "  bb.0:\n    PseudoRET\n");
    let ran = std::panic::catch_unwind(AssertUnwindSafe(|| run(&PANICS, &mut function, &RISCV64)));
    assert_eq!(ran.unwrap_err().downcast_ref::<String>().map(String::as_str), Some("in Some(\"panics\")"));
    assert_eq!(pipeline::running(), None);
}

fn flags(target: &Target, data: &InstData) -> OpcodeFlags {
    match data.opcode {
        Opcode::Target(opcode) => target.instruction(opcode).flags,
        _ => OpcodeFlags::empty(),
    }
}

/// The block that an instruction names.
fn label(data: &InstData) -> Option<Block> {
    data.operands.iter().find_map(|operand| match operand {
        Operand::Block(block) => Some(*block),
        _ => None,
    })
}

/// The text of a block's instructions, one a line.
fn lines(function: &Function, target: &Target, block: Block) -> Vec<String> {
    let print = |inst| text::print_inst(function, function.inst(inst), target.vocabulary);
    function.insts(block).map(print).collect()
}
