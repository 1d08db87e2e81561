//! Blame: finds the rewrite that is guilty of a wrong run. It follows a finding of the emulator.
//!
//! The function is compiled again with its stages kept. Each stage is interpreted on the input that shows the fault,
//! and the first wrong one gives the pass. The rewrites of that pass are then bisected: the function after the k-th of
//! them is a whole function, and is interpreted too. The prover judges the rewrite that is found, as it was applied: a
//! rewrite that execution blames and the prover proves is a finding about a judge.

use crate::execution::{FUEL, expected, is_address_independent, record_queries};
use crate::resolution::{RESOLUTIONS, Resolution, determined};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use tribunal_codegen::pipeline::{self, Pass};
use tribunal_codegen::{Context, Observer, Observers, Options, allocate, frame, legalize};
use tribunal_emulator::FaultKind;
use tribunal_emulator::input::{Buffer, Input, STACK_ARGUMENTS, UNWRITTEN, unwritten_register};
use tribunal_emulator::interpreter::{ConcreteEnvironment, Interpreter, KeptAccesses, Settings, Unwritten};
use tribunal_emulator::observation::{Known, Observation, Outcome, compare_accesses, compare_first_accesses};
use tribunal_ir::{
    Function, Inst, InstData, Opcode, OpcodeFlags, Operand, PReg, Reg, RegFlags, RegOperand, Stage, Step, SubReg,
};
use tribunal_target::{Features, Target, environment};
use tribunal_verifier::allocation;
use tribunal_verifier::prover::{Prover, Verdict, explain};

/// The guilty rule or pass, and the reason in a few lines.
pub struct Blame {
    /// The rule, or the pass where no single application of a rule is found.
    pub guilty: String,
    /// The difference and its place, and the lines of the run before it.
    pub explanation: String,
    /// The prover's verdict on the guilty application, if there is one.
    pub verdict: Option<Verdict>,
}

impl Blame {
    fn of_pass(pass: &str, explanation: &str) -> Blame {
        Blame { guilty: pass.to_string(), explanation: explanation.to_string(), verdict: None }
    }
}

/// A compilation to repeat.
pub struct Replay<'a> {
    /// The source.
    pub function: &'a Function,
    /// The machine that it was compiled for.
    pub target: &'static Target,
    /// The features and the allocator.
    pub options: Options,
    /// Plants the same fault again, if one was planted.
    pub saboteur: &'a mut dyn Observer,
}

impl Replay<'_> {
    /// Compiles with `observer`, which stands after the saboteur.
    fn compile(&mut self, observer: &mut dyn Observer) {
        let legalizer = (self.target.legality)(self.options.features);
        let mut observer = Observers([&mut *self.saboteur, observer]);
        let mut context = Context { target: self.target, options: self.options, legalizer, observer: &mut observer };
        // A compilation that failed would not have been run, so its stages are complete.
        let _ = pipeline::compile(&mut self.function.clone(), &mut context);
    }
}

/// Blames a rule or a pass for the fault of this kind that `input` shows.
pub fn guilty(case: &mut Replay<'_>, input: &Input, kind: FaultKind) -> Blame {
    guilty_in(case, RunModule::default(), input, kind)
}

/// The other functions of a run together: `functions` with the one that is compiled again at `place`. The first runs.
#[derive(Clone, Copy, Default)]
pub struct RunModule<'a> {
    /// All of them; none if the function runs alone.
    pub functions: &'a [&'a Function],
    /// The index of the one whose stages are interpreted.
    pub place: usize,
}

/// The same of a function that runs in a module, up to the stages that lay out its frame.
pub fn guilty_in(case: &mut Replay<'_>, module: RunModule<'_>, input: &Input, kind: FaultKind) -> Blame {
    if kind == FaultKind::StackAlignment {
        return Blame::of_pass(frame::PASS.name, "no other pass moves the stack pointer");
    }
    let mut stages = Stages::default();
    case.compile(&mut stages);
    let Some(witness) = Witness::in_module(case.function, case.target, input, module) else {
        return Blame::of_pass("unknown", "no stage can be compared with the source");
    };
    let (mut first, mut settled) = (0, None);
    for (pass, function, steps) in &stages.kept {
        if *pass == frame::PASS.name {
            if !module.functions.is_empty() {
                break;
            }
            settled = Some(Settled::new(case, input));
        }
        let is_right = match &settled {
            None => witness.is_right(function, pass),
            Some(settled) => settled.is_right(&witness, function),
        };
        if !is_right {
            return in_pass(case, &witness, pass, first..*steps);
        }
        first = *steps;
    }
    if kind == FaultKind::BadArgument {
        return Blame::of_pass(
            legalize::PASS.name,
            &format!("{AGREES}, and no other pass writes calls of the library"),
        );
    }
    // The source and its stages have the same definitions of the machine's instructions.
    let agrees = match case.function.stage >= Stage::Selected {
        true => format!("{AGREES}: its bytes are wrong, or the definition of an instruction"),
        false => AGREES.to_string(),
    };
    stages.rejected_allocation(case.target, case.options.features).unwrap_or_else(|| Blame::of_pass("emit", &agrees))
}

/// The explanation where no stage differs.
const AGREES: &str = "every stage up to the last agrees with the source";

/// The rules that wrote the instructions of the stage after `pass`; for findings that name an instruction.
pub fn provenance(case: &mut Replay<'_>, pass: &'static str) -> FxHashMap<Inst, &'static str> {
    let mut provenance = Provenance { pass, rules: FxHashMap::default(), is_after: false };
    case.compile(&mut provenance);
    provenance.rules
}

/// The first of the rewrites `steps` after which the function is wrong.
fn in_pass(case: &mut Replay<'_>, witness: &Witness<'_>, pass: &str, steps: std::ops::Range<usize>) -> Blame {
    let target = case.target;
    let is_right = |probe: Probe| probe.function.is_some_and(|function| witness.is_right(&function, pass));
    let mut probe = |number: usize| {
        let mut probe = Probe::at(number);
        case.compile(&mut probe);
        probe
    };
    let numbers: Vec<usize> = steps.collect();
    let right = numbers.partition_point(|&number| is_right(probe(number)));
    match numbers.get(right).map(|&number| probe(number)) {
        Some(Probe { function: Some(function), rule, before, after, .. }) => {
            let after: Vec<InstData> = after.iter().map(|&inst| function.inst(inst).clone()).collect();
            let step = Step { rule, function: &function, before: &before, after: &after };
            let verdict = Prover::default().judge(target, &step);
            let explained = explain(&step, &verdict, target.vocabulary);
            let explanation = format!("first wrong after rewrite {} of {pass}: {explained}", right + 1);
            Blame { guilty: rule.to_string(), explanation, verdict: Some(verdict) }
        }
        _ => Blame::of_pass(pass, "the run differs from this pass on, after its last rewrite"),
    }
}

/// `None` too if the calls are not those that the interpreter should see.
fn observe(interpreter: &Interpreter<'_>, input: &Input, accesses: KeptAccesses) -> Option<Observation> {
    let settings = Settings { fuel: FUEL * 16, events: 0, accesses };
    let execution = interpreter.run(input, settings).ok()?;
    execution.mismatch.is_none().then_some(execution.observation)
}

/// The observation of a stage of machine instructions. Unwritten places are known there, since machine code cannot say
/// that a bit it reads does not count.
fn observe_machine(interpreter: Interpreter<'_>, input: &Input) -> Option<Observation> {
    observe(&interpreter.with_unwritten(Unwritten::Known), input, KeptAccesses::All)
}

/// A run of the source with which stages are compared.
pub struct Witness<'a> {
    target: &'static Target,
    input: &'a Input,
    expected: Observation,
    environment: Option<ConcreteEnvironment>,
    module: RunModule<'a>,
}

impl<'a> Witness<'a> {
    /// `None` if the source is undefined on the input, depends on the addresses of its stack objects, reads a frame
    /// record, or cannot be interpreted.
    pub fn new(source: &Function, target: &'static Target, input: &'a Input) -> Option<Witness<'a>> {
        Witness::in_module(source, target, input, RunModule::default())
    }

    /// The same of a function that runs in a module.
    pub fn in_module(
        source: &Function,
        target: &'static Target,
        input: &'a Input,
        module: RunModule<'a>,
    ) -> Option<Witness<'a>> {
        // The legalizer loads words of frame records, and before the frame is laid out there is none.
        if record_queries(source, target) > 0 {
            return None;
        }
        let interpreter = match module.functions {
            [] => Interpreter::new(source, target),
            [first, others @ ..] => Interpreter::in_module(first, target, others),
        };
        let expected = expected(&interpreter, input).ok()??;
        let environment = interpreter.environment().cloned();
        is_address_independent(&interpreter, input, &expected).then_some(Witness {
            target,
            input,
            expected,
            environment,
            module,
        })
    }

    /// A stage in the source's environment, where choices are made. Each use of an open choice would make it anew.
    /// Later stages compute with all bits of a NaN, of which the source says nothing.
    fn interpreter<'s>(&'s self, stage: &'s Function, resolution: Resolution) -> Interpreter<'s> {
        let mut functions: SmallVec<[&'s Function; 4]> = SmallVec::from_slice(self.module.functions);
        let interpreter = match functions.get_mut(self.module.place) {
            None => Interpreter::later(stage, self.target, self.environment.as_ref()),
            Some(place) => {
                *place = stage;
                let later = Interpreter::later(functions[0], self.target, self.environment.as_ref());
                later.with_definitions(&functions[1..])
            }
        };
        interpreter.with_calls(&self.expected.calls).with_choice(resolution.choice())
    }

    /// True if `function`, in or after `pass`, does what the source does, under each of a few resolutions of its
    /// nondeterminism.
    pub fn is_right(&self, function: &Function, pass: &str) -> bool {
        // Machine code may mask bits by a condition that makes them irrelevant. The interpreter does not see that, and
        // reports such bits as unconstrained.
        let is_generic = pass == legalize::PASS.name;
        RESOLUTIONS.iter().all(|&resolution| {
            let function = determined(function, resolution);
            let interpreter = self.interpreter(&function, resolution);
            let seen = match is_generic {
                true => observe(&interpreter, self.input, KeptAccesses::All),
                false => observe_machine(interpreter, self.input),
            };
            seen.is_some_and(|seen| allows(&self.expected, &seen) && (!is_generic || fixes(&self.expected, &seen)))
        })
    }
}

/// True if every bit that is known in the source is known in the stage. Where they do not end, nothing is compared.
fn fixes(source: &Observation, stage: &Observation) -> bool {
    if source.outcome == Outcome::OutOfFuel {
        return true;
    }
    let mut bytes =
        source.buffers.iter().zip(&stage.buffers).flat_map(|(source, stage)| source.iter().zip(stage.iter()));
    same_registers(source, stage)
        && results(source, stage).all(|(_, source, stage)| !source.unknown & stage.unknown == 0)
        && bytes.all(|((_, source), (_, stage))| !source & stage == 0)
}

/// True if a run does what the source does, wherever that is known.
fn allows(source: &Observation, stage: &Observation) -> bool {
    if source.outcome == Outcome::OutOfFuel {
        return compare_first_accesses(source, &stage.accesses) == Ok(true);
    }
    if stage.outcome != source.outcome || compare_accesses(source, &stage.accesses).is_err() {
        return false;
    }
    let mut bytes =
        source.buffers.iter().zip(&stage.buffers).flat_map(|(source, stage)| source.iter().zip(stage.iter()));
    same_registers(source, stage)
        && results(source, stage).all(|(bits, source, stage)| {
            let known = !source.unknown & u128::MAX >> u128::BITS.saturating_sub(bits);
            (source.value ^ stage.value) & known == 0
        })
        && bytes.all(|((source, unknown), (stage, _))| (source ^ stage) & !unknown == 0)
}

/// True if both return in the same registers, or parts of registers.
fn same_registers(source: &Observation, stage: &Observation) -> bool {
    let named = |observation: &Observation| -> Vec<(PReg, u32)> {
        observation.returned.iter().map(|&(register, bits, _)| (register, bits)).collect()
    };
    source.outcome != Outcome::Returned || named(source) == named(stage)
}

/// The results of both runs by register, with their width in bits.
fn results<'o>(source: &'o Observation, stage: &'o Observation) -> impl Iterator<Item = (u32, Known, Known)> + 'o {
    source.returned.iter().zip(&stage.returned).map(|(&(_, bits, source), &(_, _, stage))| (bits, source, stage))
}

/// The environment of a function whose frame is laid out: a stack pointer, callee-saved registers, and a stack with the
/// arguments that the input has there.
struct Settled {
    input: Input,
    /// The buffer of arguments on the stack, and its size in bytes.
    arguments: Option<(usize, usize)>,
    /// Registers, with their contents before and after.
    kept: Vec<(PReg, u64)>,
}

/// The address of that stack, and its size below and above the stack pointer.
const STACK: u64 = 0x4000_0000;
const BELOW: u64 = 1 << 16;
const ABOVE: usize = 256;

impl Settled {
    fn new(Replay { function, target, options, .. }: &Replay<'_>, input: &Input) -> Settled {
        let abi = target.abi;
        let lost = environment::lost(target, target.call_mask(function, options.features));
        let narrow = |value: u64| value & (u64::MAX >> (64 - target.pointer_bits));
        let canary = |&register: &PReg| (register, narrow(unwritten_register(register)));
        let saved = abi.callee_saved.iter().filter(|register| !lost.contains(register));
        let mut kept: Vec<(PReg, u64)> = saved.chain([&abi.return_address]).map(canary).collect();
        kept.push((abi.stack_pointer, STACK + BELOW));
        let mut input = input.clone();
        input.registers.extend(kept.iter().map(|&(register, value)| (register, u128::from(value))));
        let mut bytes = vec![UNWRITTEN; BELOW as usize];
        let place = input.buffers.iter().position(|buffer| buffer.address == STACK_ARGUMENTS);
        let arguments = place.map(|place| (place, input.buffers[place].bytes.len()));
        bytes.extend(arguments.iter().flat_map(|&(place, _)| &input.buffers[place].bytes));
        bytes.extend([UNWRITTEN; ABOVE]);
        input.buffers.push(Buffer { address: STACK, bytes });
        Settled { input, arguments, kept }
    }

    /// True if the stage does what the source does, and leaves the caller's registers and frame alone. So it must under
    /// each of a few resolutions of what its callees choose.
    fn is_right(&self, witness: &Witness<'_>, function: &Function) -> bool {
        let mut shown = function.clone();
        show_at_returns(&mut shown, witness.target, &self.kept);
        RESOLUTIONS.iter().all(|&resolution| self.is_right_under(resolution, witness, &shown))
    }

    /// The same under one, of the stage that shows what is kept.
    fn is_right_under(&self, resolution: Resolution, witness: &Witness<'_>, shown: &Function) -> bool {
        let interpreter = witness.interpreter(shown, resolution);
        let Some(mut seen) = observe_machine(interpreter, &self.input) else { return false };
        // The shown registers come after the results.
        let results = seen.returned.len().saturating_sub(self.kept.len());
        let shown = seen.returned.split_off(results);
        let kept = shown.iter().zip(&self.kept);
        let Some(mut frame) = seen.buffers.last_mut().map(|stack| stack.split_off(BELOW as usize)) else {
            return false;
        };
        if let Some((place, bytes)) = self.arguments {
            let rest = frame.split_off(bytes);
            seen.buffers[place] = std::mem::replace(&mut frame, rest);
        }
        allows(&witness.expected, &seen)
            && kept
                .into_iter()
                .all(|((_, _, known), (_, value))| known.unknown == 0 && known.value == u128::from(*value))
            && frame.iter().all(|(byte, _)| byte == UNWRITTEN)
    }
}

/// Makes every return read these registers too, so that a run shows them.
fn show_at_returns(function: &mut Function, target: &Target, registers: &[(PReg, u64)]) {
    for block in function.layout().to_vec() {
        let Some(last) = function.last_inst(block) else { continue };
        let mut data = function.inst(last).clone();
        if matches!(data.opcode, Opcode::Target(opcode) if target.instruction(opcode).flags.contains(OpcodeFlags::RETURN))
        {
            let read = |&(register, _): &(PReg, u64)| {
                let (reg, flags) = (Reg::Physical(register), RegFlags::IMPLICIT);
                Operand::Reg(RegOperand { reg, flags, subregister: SubReg(0), tied_to: None })
            };
            data.operands.extend(registers.iter().map(read));
            function.replace(last, data);
        }
    }
}

/// Keeps every stage, with the number of rewrites up to its end.
#[derive(Default)]
struct Stages {
    kept: Vec<(&'static str, Function, usize)>,
    steps: usize,
}

impl Stages {
    /// The allocator, if its checker objects to what it did. A stage that is interpreted returns from every call, so a
    /// lost return address shows in the bytes alone.
    fn rejected_allocation(&self, target: &Target, features: Features) -> Option<Blame> {
        let place = self.kept.iter().position(|(pass, ..)| *pass == allocate::PASS.name)?;
        let (_, selected, _) = self.kept.get(place.checked_sub(1)?)?;
        let (pass, allocated, _) = &self.kept[place];
        let fault = allocation::check(selected, allocated, target, features).into_iter().next()?;
        Some(Blame::of_pass(pass, &format!("{AGREES}, but the allocation is wrong: {}", fault.message)))
    }
}

impl Observer for Stages {
    fn after_pass(&mut self, pass: &'static Pass, function: &mut Function) {
        self.kept.push((pass.name, function.clone(), self.steps));
    }

    fn step(&mut self, _: &'static str, _: &mut Function, _: &[InstData], _: &mut Vec<Inst>) {
        self.steps += 1;
    }
}

/// Keeps one rewrite, and the function after it.
struct Probe {
    /// The number of rewrites still to come before it.
    left: Option<usize>,
    function: Option<Function>,
    rule: &'static str,
    before: Vec<InstData>,
    after: Vec<Inst>,
}

impl Probe {
    fn at(number: usize) -> Probe {
        Probe { left: Some(number), function: None, rule: "", before: Vec::new(), after: Vec::new() }
    }
}

impl Observer for Probe {
    fn step(&mut self, rule: &'static str, function: &mut Function, before: &[InstData], after: &mut Vec<Inst>) {
        if self.left == Some(0) {
            (self.rule, self.before, self.after) = (rule, before.to_vec(), after.clone());
            self.function = Some(function.clone());
        }
        self.left = self.left.and_then(|left| left.checked_sub(1));
    }
}

/// Keeps the provenance in one pass: the rule that wrote each instruction.
struct Provenance {
    pass: &'static str,
    rules: FxHashMap<Inst, &'static str>,
    is_after: bool,
}

impl Observer for Provenance {
    fn after_pass(&mut self, pass: &'static Pass, _: &mut Function) {
        self.is_after |= pass.name == self.pass;
        if !self.is_after {
            self.rules.clear();
        }
    }

    fn step(&mut self, rule: &'static str, _: &mut Function, _: &[InstData], after: &mut Vec<Inst>) {
        if !self.is_after {
            self.rules.extend(after.iter().map(|&inst| (inst, rule)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_ir::text;

    fn returning(results: &[(PReg, u32, u128)]) -> Observation {
        let known = |&(register, bits, value): &(PReg, u32, u128)| (register, bits, Known { value, unknown: 0 });
        Observation {
            outcome: Outcome::Returned,
            returned: results.iter().map(known).collect(),
            buffers: Vec::new(),
            accesses: Vec::new(),
            calls: Vec::new(),
        }
    }

    #[test]
    fn a_lost_or_another_result_register_is_wrong() {
        let source = returning(&[(PReg(10), 64, 7)]);
        for wrong in [&[][..], &[(PReg(11), 64, 7)], &[(PReg(10), 32, 7)], &[(PReg(10), 64, 7), (PReg(11), 64, 0)]] {
            let stage = returning(wrong);
            assert!(!allows(&source, &stage) && !fixes(&source, &stage), "{wrong:?}");
        }
        assert!(allows(&source, &source) && fixes(&source, &source));
    }

    /// The legalizer makes a load of it, from a frame that only a later pass lays out.
    #[test]
    fn a_function_that_reads_a_frame_record_has_no_witness() {
        let target = tribunal_target::by_name("aarch64").expect("a target");
        let witnessed = |depth: u32, name: &str| {
            let source = format!(
                "---\nname: f\nbody: |\n  bb.0:\n    %0:_(p0) = G_INTRINSIC intrinsic(@llvm.{name}), {depth}\n    \
                 %1:_(s64) = G_PTRTOINT %0(p0)\n    $x0 = COPY %1(s64)\n    RET_ReallyLR implicit $x0\n...\n"
            );
            let module = text::parse_module(&source, target.vocabulary).expect("the text is MIR");
            Witness::new(&module.functions[0], target, &Input::default()).is_some()
        };
        assert!(witnessed(0, "frameaddress"));
        assert!(!witnessed(1, "frameaddress") && !witnessed(0, "returnaddress"));
    }
}
