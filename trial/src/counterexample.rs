//! The prover's counterexamples, executed. Both sides of a step become functions that the interpreter runs on the
//! values found, and a file that runs again. A refutation that no run confirms is itself a finding: the prover is
//! wrong, or its counterexample is too weak.

use crate::finding::{Finding, Judge};
use crate::kind::FindingKind;
use crate::resolution::{RESOLUTIONS, determined};
use crate::validate::disallowed;
use rustc_hash::FxHashMap;
use std::fmt::Write;
use tribunal_emulator::input::{Buffer, Input};
use tribunal_emulator::interpreter::{Event, Execution, Interpreter, KeptAccesses, Settings};
use tribunal_emulator::observation::{Outcome, compare_accesses};
use tribunal_ir::{
    Bits, Block, Builder, Function, Inst, InstData, InstFlags, Module, Opcode, Operand, PReg, Position, Step, Type,
    VReg, text,
};
use tribunal_target::{Features, Target};
use tribunal_verifier::prover::{Byte, Counterexample, ValueName, Verdict, explain};

/// Names of the two functions in a file.
const SIDES: [&str; 2] = ["before", "after"];

/// A reproducer: a step and the values that refute it, ready to run.
pub struct Reproducer {
    rule: String,
    before: Function,
    after: Function,
    input: Input,
    /// The registers that must agree.
    outputs: Vec<VReg>,
}

/// The outcome of running both sides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Run {
    /// The later side's behaviour is none that the earlier one allows.
    Wrong {
        /// The difference.
        difference: String,
        /// Every instruction of both sides with its value, one a line.
        trace: String,
    },
    /// It was run, or could not be, and no difference was seen.
    Unconfirmed(String),
}

impl Reproducer {
    /// Both sides of `step` on the values of `counterexample`.
    pub fn new(target: &Target, step: &Step<'_>, counterexample: &Counterexample) -> Result<Reproducer, &'static str> {
        let defined: Vec<VReg> = step.after.iter().flat_map(|data| data.vreg_defs().collect::<Vec<_>>()).collect();
        // A definition that was looked through and that the later side reads still stands.
        let standing = step.before.iter().take(step.before.len().saturating_sub(1));
        let standing = standing.filter(|data| data.vreg_defs().all(|register| !defined.contains(&register)));
        let after: Vec<InstData> = standing.chain(step.after).cloned().collect();
        let (before, mut outputs) = side(SIDES[0], target, step, step.before, counterexample)?;
        let (after, _) = side(SIDES[1], target, step, &after, counterexample)?;
        outputs.extend(counterexample.outputs.iter().filter_map(|(output, ..)| match output {
            ValueName::Register(register) => Some(*register),
            ValueName::Element(..) | ValueName::Other(_) => None,
        }));
        let environment = |register: &PReg| target.abi.is_of_environment(*register);
        let registers = counterexample.physical.iter().filter(|(register, _)| environment(register));
        let registers = registers.map(|&(register, bits)| (register, bits.unsigned())).collect();
        let input = Input { registers, buffers: buffers(&counterexample.memory)? };
        Ok(Reproducer { rule: step.rule.to_string(), before, after, input, outputs })
    }

    /// The reproducer in a file, if it holds one.
    pub fn read(module: &Module, input: Option<Input>) -> Option<Reproducer> {
        let [before, after] = SIDES.map(|side| module.functions.iter().find(|function| function.name == side).cloned());
        let outputs = module.header("outputs")?.split_whitespace();
        let outputs = outputs.map(|name| name.strip_prefix('%')?.parse().ok().map(VReg::from_u32));
        Some(Reproducer {
            rule: module.header("guilty")?.to_string(),
            before: before?,
            after: after?,
            input: input.unwrap_or_default(),
            outputs: outputs.collect::<Option<_>>()?,
        })
    }

    /// The file: the crash header in comments, and both functions.
    pub fn file(&self, target: &Target, features: Features, explanation: &str) -> String {
        let outputs: Vec<String> = self.outputs.iter().map(VReg::to_string).collect();
        let mut comments = vec![
            "tribunal crash file; run it again with: tribunal replay FILE".to_string(),
            format!("target: {}", target.name),
            format!("features: {}", target.option_names(features)),
            format!("judge: {}", Judge::Prover),
            format!("kind: {}", FindingKind::Refuted),
            format!("guilty: {}", self.rule),
            format!("outputs: {}", outputs.join(" ")),
        ];
        comments.extend(crate::crash::input_lines(&self.input, target));
        comments.extend(explanation.lines().map(|line| format!("  {line}")));
        let module = Module { comments, functions: vec![self.before.clone(), self.after.clone()], ..Module::default() };
        text::print_module(&module, target.vocabulary)
    }

    /// The finding that the file describes, if running it confirms it; otherwise the reason why not.
    pub fn replay(&self, target: &'static Target) -> Result<Finding, String> {
        match self.run(target) {
            Run::Unconfirmed(reason) => Err(reason),
            run => Ok(Finding {
                judge: Judge::Prover,
                kind: run.kind(),
                guilty: self.rule.clone(),
                details: run.to_string().trim_end().to_string(),
                input: None,
            }),
        }
    }

    /// Runs both sides. Where the later one has unconstrained bits, it runs under each of a few resolutions, since it
    /// allows any.
    pub fn run(&self, target: &'static Target) -> Run {
        let interpreter = Interpreter::new(&self.before, target);
        let Ok(before) = run(&interpreter, &self.input, KeptAccesses::Volatile) else {
            return Run::Unconfirmed("the earlier side cannot be interpreted".to_string());
        };
        if before.observation.outcome != Outcome::Returned {
            return Run::Unconfirmed(format!("the earlier side ends as {:?}", before.observation.outcome));
        }
        let resolutions = RESOLUTIONS.map(|resolution| determined(&self.after, resolution)).into_iter();
        for after in std::iter::once(self.after.clone()).chain(resolutions) {
            let later = Interpreter::later(&after, target, interpreter.environment());
            let ran = match run(&later.with_calls(&before.observation.calls), &self.input, KeptAccesses::All) {
                Ok(ran) => ran,
                Err(reason) => return Run::Unconfirmed(format!("the later side cannot be interpreted: {reason}")),
            };
            if let Some(difference) = self.difference(&before, &ran) {
                let trace = trace('-', &self.before, &before, target) + &trace('+', &after, &ran, target);
                return Run::Wrong { difference, trace };
            }
        }
        Run::Unconfirmed("the interpreter sees both sides do the same".to_string())
    }

    /// The later side's behaviour that the earlier one rules out.
    fn difference(&self, before: &Execution, after: &Execution) -> Option<String> {
        let written = |execution: &Execution| -> FxHashMap<VReg, Event> {
            let events = execution.events.iter();
            events.filter_map(|event| Some((event.register?, event.clone()))).collect()
        };
        let (mut meant, mut came) = (written(before), written(after));
        let registers =
            self.outputs.iter().find_map(|register| match (meant.remove(register), came.remove(register)) {
                (Some(meant), Some(came)) => differ(&meant, &came).map(|how| format!("{register} {how}")),
                (Some(_), None) if after.observation.outcome == Outcome::Returned => {
                    Some(format!("control does not come to where {register} is written"))
                }
                _ => None,
            });
        let called = after.mismatch.as_ref().map(ToString::to_string);
        let (before, after) = (&before.observation, &after.observation);
        let accesses = || compare_accesses(before, &after.accesses).err().map(|mismatch| mismatch.to_string());
        registers.or(called).or_else(|| disallowed(before, after)).or_else(accesses)
    }
}

/// The finding if `verdict` is a refutation: the prover's counterexample, and the result of its execution.
pub fn finding(target: &'static Target, step: &Step<'_>, verdict: &Verdict) -> Option<(Finding, Option<Reproducer>)> {
    let Verdict::Refuted(counterexample) = verdict else { return None };
    let mut details = explain(step, verdict, target.vocabulary);
    let reproducer = Reproducer::new(target, step, counterexample);
    let kind = match &reproducer {
        Ok(reproducer) => {
            let run = reproducer.run(target);
            let _ = write!(details, "{run}");
            run.kind()
        }
        Err(reason) => {
            let _ = writeln!(details, "not executed: {reason}");
            FindingKind::RefutedNotExecuted
        }
    };
    let details = details.trim_end().to_string();
    let finding = Finding { judge: Judge::Prover, kind, guilty: step.rule.to_string(), details, input: None };
    Some((finding, reproducer.ok()))
}

impl Run {
    /// The kind of the finding: a refutation that no run confirms is one about a judge.
    pub fn kind(&self) -> FindingKind {
        match self {
            Run::Wrong { .. } => FindingKind::Refuted,
            Run::Unconfirmed(_) => FindingKind::RefutedUnconfirmed,
        }
    }
}

impl std::fmt::Display for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Run::Wrong { difference, trace } => write!(f, "executed: {difference}\n{trace}"),
            Run::Unconfirmed(reason) => {
                writeln!(
                    f,
                    "executed, and not confirmed: prover and interpreter disagree, or the run is too coarse: {reason}"
                )
            }
        }
    }
}

/// The fault of a register's value: poison where it was none, or other bits where both sides fix them.
fn differ(meant: &Event, came: &Event) -> Option<String> {
    if meant.poison {
        return None;
    }
    if came.poison {
        return Some(format!("is poison, expected {:#x}", meant.value));
    }
    let fixed = meant.unknown.or(came.unknown).not();
    let wrong = !meant.value.xor(came.value).and(fixed).is_zero();
    wrong.then(|| format!("is {:#x}, expected {:#x}", came.value, meant.value))
}

/// Steps are short, and have no loops.
const FUEL: u64 = 1 << 16;

fn run(interpreter: &Interpreter<'_>, input: &Input, accesses: KeptAccesses) -> Result<Execution, String> {
    let settings = Settings { fuel: FUEL, events: FUEL as usize, accesses };
    interpreter.run(input, settings).map_err(|unsupported| unsupported.to_string())
}

/// Each instruction with the value that it wrote.
fn trace(sign: char, function: &Function, execution: &Execution, target: &Target) -> String {
    let mut lines = String::new();
    for event in &execution.events {
        let shown = match (event.poison, event.unknown.is_zero()) {
            (true, _) => "poison".to_string(),
            (false, true) => format!("{:#x}", event.value),
            (false, false) => format!("{:#x}, unknown {:#x}", event.value, event.unknown),
        };
        let printed = text::print_inst(function, function.inst(event.inst), target.vocabulary);
        let _ = writeln!(lines, "  {sign} {printed} ; {shown}");
    }
    lines
}

/// Runs of bytes.
fn buffers(memory: &[Byte]) -> Result<Vec<Buffer>, &'static str> {
    let mut buffers: Vec<Buffer> = Vec::new();
    for byte in memory {
        if byte.poison {
            return Err("memory that is poison");
        }
        match buffers.last_mut().filter(|last| last.address.checked_add(last.bytes.len() as u64) == Some(byte.address))
        {
            Some(last) => last.bytes.push(byte.value),
            None => buffers.push(Buffer { address: byte.address, bytes: vec![byte.value] }),
        }
    }
    Ok(buffers)
}

/// A function that gives the inputs their values and does `insts`, and the registers that show the branch taken.
fn side(
    name: &str,
    target: &Target,
    step: &Step<'_>,
    insts: &[InstData],
    counterexample: &Counterexample,
) -> Result<(Function, Vec<VReg>), &'static str> {
    let mut function = emptied(step.function, name);
    let entry = function.new_numbered_block(0);
    let mut builder = Builder::new(&mut function, Position::AtEnd(entry));
    for &(name, value, poison) in &counterexample.inputs {
        let ValueName::Register(register) = name else { return Err("vectors") };
        input(&mut builder, register, value, poison)?;
    }
    let mut branch = None;
    for data in insts {
        match data.opcode {
            Opcode::G_BR => {}
            Opcode::G_BRCOND => branch = Some(data.clone()),
            opcode if opcode.is_phi() => {
                let taken = entered(data, counterexample.edge).ok_or("a PHI without inputs")?;
                let dst = data.vreg(0).ok_or("a PHI without a result")?;
                builder.define(dst, Opcode::COPY, [Operand::used(taken)]);
            }
            _ if data.operands.iter().any(|operand| matches!(operand, Operand::Stack(_) | Operand::FixedStack(_))) => {
                return Err("stack objects");
            }
            _ if data.operands.iter().any(|operand| matches!(operand, Operand::Block(_))) => {
                return Err("a machine branch");
            }
            _ => drop(builder.push(data.clone())),
        }
    }
    let ends = match branch {
        Some(data) => both_ways(&mut function, entry, data),
        None => vec![(entry, None)],
    };
    for &(block, way) in &ends {
        if let Some(way) = way {
            let value = function.constant(Bits::new(1, 1));
            function.append(block, InstData::new(Opcode::G_CONSTANT, [Operand::def(way), value]));
        }
        function.append(block, InstData::new(Opcode::Target(target.abi.return_opcode), []));
    }
    Ok((function, ends.into_iter().filter_map(|(_, way)| way).collect()))
}

/// The function's registers without its code.
fn emptied(function: &Function, name: &str) -> Function {
    let mut function = function.clone();
    let insts: Vec<Inst> = function.all_insts().collect();
    insts.into_iter().for_each(|inst| function.remove(inst));
    function.set_layout(Vec::new());
    function.name = name.to_string();
    function.liveins.clear();
    function
}

/// Gives `register` its value; 0 - 1 that must not wrap is poison.
fn input(builder: &mut Builder<'_>, register: VReg, value: Bits, poison: bool) -> Result<(), &'static str> {
    let ty = builder.function.type_of(register).ok_or("a machine register that is read first")?;
    if ty.is_vector() {
        return Err("vectors");
    }
    if !poison {
        builder.define_constant(register, value);
        return Ok(());
    }
    let scalar = Type::scalar(ty.bits());
    let (zero, one) = (builder.constant_i64(scalar, 0), builder.constant_i64(scalar, 1));
    if ty.is_scalar() {
        let operands = [Operand::def(register), Operand::used(zero), Operand::used(one)];
        builder.push(InstData::new(Opcode::G_SUB, operands).with_flags(InstFlags::NUW));
    } else {
        let wrapped = builder.op_with(scalar, Opcode::G_SUB, &[zero, one], InstFlags::NUW);
        builder.define(register, Opcode::G_INTTOPTR, [Operand::used(wrapped)]);
    }
    Ok(())
}

/// The value of a PHI along the edge; the prover reads the last input where no edge matches.
fn entered(phi: &InstData, edge: Option<u32>) -> Option<VReg> {
    let inputs: Vec<(VReg, Block)> = phi.phi_inputs().collect();
    let here = inputs.iter().find(|(_, block)| edge == Some(block.as_u32()));
    here.or(inputs.last()).map(|&(register, _)| register)
}

/// Ends `entry` in the branch, with a block for each successor, and the register that is written there.
fn both_ways(function: &mut Function, entry: Block, mut branch: InstData) -> Vec<(Block, Option<VReg>)> {
    let (following, taken) = (function.new_numbered_block(1), function.new_numbered_block(2));
    for operand in &mut branch.operands {
        if let Operand::Block(block) = operand {
            *block = taken;
        }
    }
    function.append(entry, branch);
    function.block_mut(entry).successors = vec![(taken, None), (following, None)];
    [following, taken].map(|block| (block, Some(function.new_vreg(tribunal_ir::types::S1)))).into()
}
