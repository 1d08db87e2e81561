//! The whole pipeline, top to bottom: the rows of the passes, and the runner that checks what each requires.
//!
//! Invariant: a pass runs only on a function with the properties that its row requires and none that it forbids. The
//! observer sees every result.

use crate::{CompileError, Context, allocate, bank_select, emit, frame, legalize, relax_branches, select, split_edges};
use tribunal_ir::{Function, Properties};

pub use crate::emit::Code;

/// One pass.
pub struct Pass {
    /// The command-line argument, the module with `_` for `-`, and the folder of the golden cases in `corpus`.
    pub name: &'static str,
    /// Properties that the function must have before the pass.
    pub requires: Properties,
    /// Properties that the function must not have before the pass.
    pub forbids: Properties,
    /// Properties that the function has after the pass.
    pub ensures: Properties,
    /// Properties that the function has lost after the pass.
    pub drops: Properties,
    /// The pass itself; see [`run_pass`], which checks the properties.
    pub run: fn(&mut Context<'_>, &mut Function) -> Result<(), CompileError>,
}

/// Every pass, in order. `emit` writes [`Code`], not a function, so it is no row here.
pub static PIPELINE: &[&Pass] = &[
    &legalize::PASS,
    &bank_select::PASS,
    &select::PASS,
    &split_edges::PASS,
    &allocate::PASS,
    &frame::PASS,
    &relax_branches::PASS,
];

/// About so many instructions are created on the way for each instruction of the input.
const GROWTH: usize = 3;

/// Runs every pass and emits.
pub fn compile(function: &mut Function, context: &mut Context<'_>) -> Result<Code, CompileError> {
    let code = run_until(function, context, None)?;
    code.ok_or_else(|| CompileError::internal(function, "emit", "no code"))
}

/// Runs the passes that `function` has not had yet, up to `stop_after` if one is named; emits if none is.
pub fn run_until(
    function: &mut Function,
    context: &mut Context<'_>,
    stop_after: Option<&'static str>,
) -> Result<Option<Code>, CompileError> {
    if let Some(name) = opaque(function) {
        return Err(CompileError::unsupported(function, PIPELINE[0].name, name));
    }
    function.reserve(GROWTH * function.inst_bound());
    for pass in PIPELINE {
        if !done(pass, function.properties) {
            run_pass(pass, function, context)?;
        }
        if stop_after == Some(pass.name) {
            return Ok(None);
        }
    }
    emit::code(function, context.target, context.options.features).map(Some)
}

/// The name of the first instruction that no table describes.
fn opaque(function: &Function) -> Option<String> {
    let mut insts = function.all_insts();
    insts.find_map(|inst| function.opaque_name(function.inst(inst)).map(str::to_string))
}

/// True if the input has had this pass already.
fn done(pass: &Pass, properties: Properties) -> bool {
    let stage = Properties::LEGALIZED | Properties::REG_BANK_SELECTED | Properties::SELECTED;
    pass.ensures.intersects(stage) && properties.contains(pass.ensures)
}

/// Runs one pass: checks the properties that it requires, sets those that it ensures, and shows the function to the
/// observer.
///
/// # Errors
/// [`CompileError::Unsupported`] if the function lacks a property that the pass requires, or has one that it forbids;
/// else the pass's own error.
pub fn run_pass(pass: &'static Pass, function: &mut Function, context: &mut Context<'_>) -> Result<(), CompileError> {
    if !function.properties.contains(pass.requires) || function.properties.intersects(pass.forbids) {
        let reason = format!("cannot run on a function with {:?}", function.properties);
        return Err(CompileError::unsupported(function, pass.name, reason));
    }
    (pass.run)(context, function)?;
    function.properties.insert(pass.ensures);
    function.properties.remove(pass.drops);
    context.observer.after_pass(pass, function);
    Ok(())
}
