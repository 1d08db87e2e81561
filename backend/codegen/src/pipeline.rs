//! The whole pipeline, top to bottom: the rows of the passes, and the runner that checks what each requires.
//!
//! A row says the stage before the pass and the one after it; what a stage promises, the machine verifier's `stage-`
//! rules check. A function that stands at a later stage, as text read from a file may, goes on from there.
//!
//! Invariant: a pass runs only on a function of the stage that its row begins at. The observer sees every result.

use crate::{CompileError, Context, allocate, bank_select, emit, frame, legalize, relax_branches, select, split_edges};
use std::cell::Cell;
use tribunal_ir::{Function, Properties, Stage, text};

pub use crate::emit::Code;

/// One pass.
pub struct Pass {
    /// The command-line argument, the module with `_` for `-`, and the folder of the golden cases in `corpus`.
    pub name: &'static str,
    /// The stage that the function must be at before the pass.
    pub from: Stage,
    /// The stage that it is at after the pass, with the stage's properties.
    pub to: Stage,
    /// Properties that the function has lost after the pass.
    pub drops: Properties,
    /// The pass itself; see [`run_pass`], which checks the stage.
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
    if let Some(name) = function.gave_up().map(str::to_string).or_else(|| opaque(function)) {
        return Err(CompileError::unsupported(function, PIPELINE[0].name, name));
    }
    check_immediates(function, context)?;
    function.reserve(GROWTH * function.inst_bound());
    for pass in PIPELINE {
        if function.stage < pass.to {
            run_pass(pass, function, context)?;
        }
        if stop_after == Some(pass.name) {
            return Ok(None);
        }
    }
    let running = Running::pass("emit");
    let mut code = emit::code(function, context.target, context.options.features)?;
    drop(running);
    context.observer.after_emission(&mut code);
    Ok(Some(code))
}

/// The name of the first instruction that no table describes.
fn opaque(function: &Function) -> Option<String> {
    let mut insts = function.all_insts();
    insts.find_map(|inst| function.opaque_name(function.inst(inst)).map(str::to_string))
}

/// Refuses a generic instruction whose immediate is missing, or outside of the range of its row: rules read it as they
/// find it.
fn check_immediates(function: &Function, context: &Context<'_>) -> Result<(), CompileError> {
    for inst in function.all_insts() {
        let data = function.inst(inst);
        let Some(info) = data.opcode.info().filter(|info| !info.immediates.is_empty()) else { continue };
        let types = info.index_types(function, data);
        let kinds = info.operands().enumerate().filter(|(_, kind)| kind.is_immediate()).map(|(index, _)| index);
        for (index, immediate) in kinds.zip(info.immediates) {
            if data.imm(index).is_some_and(|value| immediate.takes(&types, value)) {
                continue;
            }
            let text = text::print_inst(function, data, context.target.vocabulary);
            let feature = match immediate.range(&types).filter(|_| data.imm(index).is_some()) {
                Some(range) => format!("an immediate outside of {}..={} in `{text}`", range.start(), range.end()),
                None => format!("operand {index} of `{text}`"),
            };
            return Err(CompileError::unsupported(function, PIPELINE[0].name, feature));
        }
    }
    Ok(())
}

/// Runs one pass: checks the stage that it begins at, sets the one that it ends at, and shows the function to the
/// observer.
///
/// # Errors
/// [`CompileError::Unsupported`] if the function is at another stage, or lacks a property of it; else the pass's own
/// error.
pub fn run_pass(pass: &'static Pass, function: &mut Function, context: &mut Context<'_>) -> Result<(), CompileError> {
    if function.stage != pass.from || !function.properties.contains(pass.from.properties()) {
        let reason = format!("a function at stage {} with {:?}", function.stage, function.properties);
        return Err(CompileError::unsupported(function, pass.name, reason));
    }
    let running = Running::pass(pass.name);
    (pass.run)(context, function)?;
    drop(running);
    function.stage = pass.to;
    function.properties.insert(pass.to.properties());
    function.properties.remove(pass.drops);
    context.observer.after_pass(pass, function);
    Ok(())
}

thread_local! {
    static RUNNING: Cell<Option<&'static str>> = const { Cell::new(None) };
}

/// The pass that this thread runs now. A panic in code that passes share is in this one.
pub fn running() -> Option<&'static str> {
    RUNNING.get()
}

/// As long as it lives, this thread runs a pass.
struct Running;

impl Running {
    fn pass(name: &'static str) -> Running {
        RUNNING.set(Some(name));
        Running
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.set(None);
    }
}
