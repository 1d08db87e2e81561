//! Which rule is guilty of a wrong run: the function is compiled again with its stages kept, each stage is interpreted on
//! the input that shows the fault, and the first register or store that differs between two neighbouring stages was
//! written by the guilty rule.

use crate::harness::{FUEL, Saboteur};
use rustc_hash::FxHashMap;
use tribunal_codegen::pipeline::{self, Pass};
use tribunal_codegen::{Context, Observer, Options};
use tribunal_emulator::input::Input;
use tribunal_emulator::interpreter::{Event, Execution, Interpreter, Settings};
use tribunal_emulator::observation::compare;
use tribunal_ir::{Bits, Function, Inst, InstData, VReg, text};
use tribunal_target::Target;

/// Who is to blame, and why in a few lines.
pub struct Blame {
    pub guilty: String,
    pub story: String,
}

/// A stage of the compilation, kept.
struct Stage {
    pass: &'static str,
    function: Function,
    /// The rule that wrote each instruction of this stage.
    rules: FxHashMap<Inst, &'static str>,
}

/// Keeps the stages that can be interpreted.
struct Recorder<'s> {
    stages: Vec<Stage>,
    rules: FxHashMap<Inst, &'static str>,
    saboteur: Option<&'s dyn Saboteur>,
}

impl Observer for Recorder<'_> {
    fn after_pass(&mut self, pass: &'static Pass, function: &mut Function) {
        if let Some(saboteur) = self.saboteur {
            saboteur.after_pass(pass, function);
        }
        let rules = std::mem::take(&mut self.rules);
        if matches!(pass.name, "legalize" | "select" | "allocate") {
            self.stages.push(Stage { pass: pass.name, function: function.clone(), rules });
        }
    }

    fn wants_steps(&self) -> bool {
        true
    }

    fn step(&mut self, rule: &'static str, function: &mut Function, before: &[InstData], after: &[Inst]) {
        if let Some(saboteur) = self.saboteur {
            saboteur.step(rule, function, before, after);
        }
        for &inst in after {
            self.rules.insert(inst, rule);
        }
    }
}

/// Events kept of a run.
const EVENTS: usize = 1 << 16;

/// Blames a rule or a pass for the difference that `input` shows.
pub fn guilty(
    function: &Function,
    target: &'static Target,
    options: Options,
    input: &Input,
    saboteur: Option<&dyn Saboteur>,
) -> Blame {
    let mut recorder = Recorder { stages: Vec::new(), rules: FxHashMap::default(), saboteur };
    let legalizer = (target.legality)(options.features);
    let mut context = Context { target, options, legalizer, observer: &mut recorder };
    // A compilation that failed would not have been run; its stages are all there are.
    let _ = pipeline::compile(&mut function.clone(), &mut context);
    let Some(mut before) = run(function, target, input) else { return unknown("the source cannot be interpreted") };
    let mut source = function;
    for stage in &recorder.stages {
        let Some(after) = run(&stage.function, target, input) else {
            return in_pass(stage.pass, "the function does something undefined from here on");
        };
        if differs(&before, &after) {
            return first_difference(source, &before, stage, &after, target);
        }
        (before, source) = (after, &stage.function);
    }
    in_pass("frame, relax-branches or emit", "all stages up to allocation agree with the source")
}

fn unknown(story: &str) -> Blame {
    Blame { guilty: "unknown".to_string(), story: story.to_string() }
}

fn in_pass(pass: &str, story: &str) -> Blame {
    Blame { guilty: pass.to_string(), story: story.to_string() }
}

fn run(function: &Function, target: &'static Target, input: &Input) -> Option<Execution> {
    let settings = Settings { fuel: FUEL * 16, events: EVENTS };
    Interpreter::new(function, target).run(input, settings).ok()
}

fn differs(before: &Execution, after: &Execution) -> bool {
    let results: Vec<u64> = after.observation.returned.iter().map(|(_, _, known)| known.value).collect();
    let bytes = |buffer: &Vec<(u8, u8)>| buffer.iter().map(|&(byte, _)| byte).collect();
    let buffers: Vec<Vec<u8>> = after.observation.buffers.iter().map(bytes).collect();
    before.observation.outcome != after.observation.outcome || compare(&before.observation, &results, &buffers).is_err()
}

/// The first value that a register of both stages holds differently, occurrence by occurrence.
fn first_difference(source: &Function, before: &Execution, stage: &Stage, after: &Execution, target: &Target) -> Blame {
    let mut meant: FxHashMap<VReg, std::collections::VecDeque<&Event>> = FxHashMap::default();
    for event in &before.events {
        if let Some(register) = event.register {
            meant.entry(register).or_default().push_back(event);
        }
    }
    let mut stores = before.events.iter().filter(|event| event.register.is_none());
    for event in &after.events {
        let expected = match event.register {
            Some(register) => match meant.get_mut(&register).and_then(|events| events.pop_front()) {
                Some(expected) => expected,
                None => continue,
            },
            None => match stores.next() {
                Some(expected) if expected.value.width() == event.value.width() => expected,
                _ => continue,
            },
        };
        let width = expected.value.width().min(event.value.width());
        let low = |bits: Bits| bits.zext_or_trunc(width);
        let differ = low(expected.value).xor(low(event.value)).and(low(expected.open).not());
        let same = expected.poison || differ.is_zero();
        if !same {
            return difference(source, stage, expected, event, target);
        }
    }
    in_pass(stage.pass, "the run differs from this pass on")
}

/// The rule that wrote what an instruction of the source's own reads, in a register that the source does not have: the two
/// stages cannot be compared there.
fn feeding_rule<'s>(source: &Function, stage: &'s Stage, inst: Inst) -> Option<&'s &'static str> {
    let is_new = |register: &VReg| register.as_u32() as usize >= source.vregs.len();
    let mut new = stage.function.inst(inst).vreg_uses().filter(is_new);
    new.find_map(|register| stage.rules.get(&stage.function.def_of(register)?))
}

fn difference(source: &Function, stage: &Stage, expected: &Event, event: &Event, target: &Target) -> Blame {
    let guilty = stage.rules.get(&event.inst).or_else(|| feeding_rule(source, stage, event.inst));
    let guilty = guilty.copied().unwrap_or(stage.pass);
    let printed = |function: &Function, inst: Inst| text::print_inst(function, function.inst(inst), target.vocabulary);
    let story = format!(
        "first difference after {}:\n  - {} = {:#x}\n  + {} = {:#x}",
        stage.pass,
        printed(source, expected.inst),
        expected.value,
        printed(&stage.function, event.inst),
        event.value
    );
    Blame { guilty: guilty.to_string(), story }
}
