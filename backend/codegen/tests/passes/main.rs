//! The postcondition of each of the smaller passes, on functions made for it.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

mod bank_select;
mod frame;
mod object;
mod relax_branches;
mod split_edges;

use tribunal_codegen::pipeline::{self, Pass};
use tribunal_codegen::{CompileError, Context, NoObserver, Options};
use tribunal_ir::{Block, Function, InstData, Opcode, OpcodeFlags, Operand, text};
use tribunal_target::Target;

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
    let options = Options { features: target.default_features, allocator: Default::default() };
    let legalizer = (target.legality)(options.features);
    pipeline::run_pass(pass, function, &mut Context { target, options, legalizer, observer: &mut NoObserver })
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
