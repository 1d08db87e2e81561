//! Validation of two stages of the same functions, from this project or from LLVM. Each pair gets the prover's verdict.
//! Where that is `unknown`, both stages are executed on the same inputs; only an execution can refute.

use crate::environment::{self, EnvironmentLayout};
use crate::execution::{FUEL, record_queries};
use crate::finding;
use crate::guard;
use crate::inputs::{self, Plan, Pointers};
use crate::promises;
use crate::repair;
use crate::resolution::{RESOLUTIONS, Resolution, determined};
use crate::shown::ShownInput;
use rayon::prelude::*;
use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::time::{Duration, Instant};
use tribunal_emulator::input::Input;
use tribunal_emulator::interpreter::{ConcreteEnvironment, Execution, Interpreter, KeptAccesses, Settings};
use tribunal_emulator::observation::{Known, Observation, Outcome, compare};
use tribunal_ir::{AddressBase, Entry, Function, Inst, InstFlags, IrBlock, Module, PReg};
use tribunal_llvm::IrModule;
use tribunal_target::Target;
use tribunal_target::environment::Callee;
use tribunal_target::promises::Promises;
use tribunal_target::runtime::leaves_digits_open;
use tribunal_verifier::machine_verifier;
use tribunal_verifier::prover::{self, Counterexample, GapKind, Pair, Undef, Validated, Verdict};

/// The verdict on one pair of functions.
pub struct Judged {
    /// The name that both functions have.
    pub function: String,
    /// The judge's verdict.
    pub kind: Kind,
    /// The number of blocks proved.
    pub blocks: u64,
    /// The input that shows it: of `refuted` one that was executed, of `unknown` one that a solver proposed.
    pub input: Option<ShownInput>,
    /// The flag of the later function without which it is proved, or without which no input refutes it any more.
    pub flag: Option<String>,
    /// The time that it took.
    pub seconds: f64,
}

impl Judged {
    fn of(kind: Kind) -> Judged {
        Judged { function: String::new(), kind, blocks: 0, input: None, flag: None, seconds: 0.0 }
    }
}

/// `refuted` only with an input on which both were executed and differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The later one refines the earlier one, on all inputs.
    Proved,
    /// It does not, on an input on which both were executed: the difference.
    Refuted(String),
    /// Neither was proved, for this reason.
    Unknown(String),
    /// It holds an operation without a meaning here, by name.
    Unsupported(String),
}

/// The terms of a validation.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The meaning of undefined values.
    pub undef: Undef,
    /// The prover's time for one function, in CPU time of its thread.
    pub time: Duration,
}

/// As LLVM takes undefined values, within [`TIME`].
impl Default for Setting {
    fn default() -> Setting {
        Setting { undef: Undef::PerUse, time: TIME }
    }
}

/// The prover's time limit for one function, in CPU time of its thread; a watchdog that ends few functions.
pub const TIME: Duration = Duration::from_secs(10);
/// The part of that time for a proof without a flag, which only names the reason of a failure.
const FLAG_SHARE: u32 = 10;
/// The share of the time that a proof has before more inputs are executed.
const QUICK_SHARE: u32 = 10;
/// A limit below which all of the time is as quick as the inputs are.
const LONG: Duration = Duration::from_secs(1);
/// Inputs on which a pair is executed that is not proved.
const INPUTS: u32 = 96;
/// Those that run out of fuel, at most: of a function that loops for ever all do.
const ENDLESS: u32 = 16;
/// The number of them that come before the proof.
const FIRST_INPUTS: u32 = 6;
/// Instructions of both stages after which no more inputs come before the proof: loops are proved sooner than run.
const FIRST_INSTRUCTIONS: u64 = 1 << 18;
/// Instructions of both stages after which no more inputs come at all.
const MOST_INSTRUCTIONS: u64 = 1 << 24;

/// Judges each function of `before` against the function of its name in `after`, in the order of `before`; one without
/// a partner is not supported. Functions are judged in parallel, on the threads of the
/// rayon pool of the caller.
pub fn validate(before: &Module, after: &Module, target: &'static Target, setting: Setting) -> Vec<Judged> {
    let by_name: BTreeMap<&str, Entry<'_>> = after.entries().map(|entry| (entry.name(), entry)).collect();
    let ir = before.ir.as_ref().map(IrBlock::module);
    let entries: Vec<(Entry<'_>, Option<Entry<'_>>)> =
        before.entries().map(|entry| (entry, by_name.get(entry.name()).copied())).collect();
    let judged = entries.par_iter().map(|&(entry, other)| {
        let started = Instant::now();
        let judged = match (finding::judged(entry), other.map(finding::judged)) {
            (Err(feature), _) | (Ok(_), Some(Err(feature))) => Judged::of(Kind::Unsupported(feature)),
            (Ok(_), None) => Judged::of(Kind::Unsupported("a function that only one file has".to_string())),
            (Ok(function), Some(Ok(other))) => guard::run(|| judged(function, other, ir, target, setting))
                .unwrap_or_else(|panic| Judged::of(Kind::Unknown(format!("a panic: {panic}")))),
        };
        Judged { function: entry.name().to_string(), seconds: started.elapsed().as_secs_f64(), ..judged }
    });
    judged.collect()
}

/// The function, strict if the other stage is: machine code of another compiler does not say it.
fn as_strict<'f>(function: &'f Function, other: &Function) -> Cow<'f, Function> {
    if function.is_strict() || !other.is_strict() {
        return Cow::Borrowed(function);
    }
    let mut strict = function.clone();
    strict.make_strict();
    Cow::Owned(strict)
}

/// Something that one stage alone has, and that nobody can compare.
fn of_one_stage(before: &Function, after: &Function) -> Option<String> {
    let is_laid_out = |function: &Function| function.frame_info.stack_size > 0;
    if is_laid_out(before) != is_laid_out(after) {
        return Some("a frame that one stage alone has laid out".to_string());
    }
    let name = library_calls(after).find(|name| !library_calls(before).any(|other| other == *name))?;
    Some(format!("a call of the library's `{name}`, which has no meaning here"))
}

/// The verdict on one pair.
fn judged(
    before: &Function,
    after: &Function,
    ir: Option<&IrModule>,
    target: &'static Target,
    Setting { undef, time }: Setting,
) -> Judged {
    let unfit = |function: &Function| machine_verifier::unfit_for_proof(function, target);
    if let Some(rule) = unfit(before).or_else(|| unfit(after)) {
        return Judged::of(Kind::Unsupported(format!("a function that the machine verifier rejects: {rule}")));
    }
    let (before, after) = (&*as_strict(before, after), &*as_strict(after, before));
    if let Some(reason) = of_one_stage(before, after) {
        return Judged::of(Kind::Unsupported(reason));
    }
    let executed_with = |(after, promises): (&Function, Promises), inputs: Inputs<'_>, runs: &mut Runs| {
        // Digits that nobody knows refute nothing, so no run is worth its time.
        if leaves_digits_open(before) || leaves_digits_open(after) {
            return None;
        }
        let (input, found) = compared(before, (after, promises), ir, target, inputs, runs)?;
        Some(Judged { input: Some(input), ..Judged::of(Kind::Refuted(found)) })
    };
    let executed = |after: &Function, numbers: Range<u32>, proposed| {
        executed_with((after, Promises::Ignored), Inputs::of(numbers, proposed), &mut Runs::default())
    };
    let prove = |after: &Function, time| prover::validate(target, Pair { before, after }, undef, time);
    let named = |unproved: Judged| {
        let is_refuted = matches!(unproved.kind, Kind::Refuted(_));
        let is_right = |after: &Function| {
            let inputs = if is_refuted { INPUTS } else { FIRST_INPUTS };
            let shows = executed(after, 0..inputs, None).is_some();
            !shows && (is_refuted || matches!(prove(after, time / FLAG_SHARE).verdict, Verdict::Proved { .. }))
        };
        Judged { flag: promises::guilty(after, target, time / FLAG_SHARE, is_right), ..unproved }
    };
    // The first few inputs come first: a pair that they refute is not worth a proof's attempts.
    let (first, mut runs) = (Inputs::first(), Runs::default());
    if let Some(refuted) = executed_with((after, Promises::Ignored), first, &mut runs) {
        return named(refuted);
    }
    // A proof that is not quick waits for the other inputs: a pair that is wrong would use up all of its time.
    let (started, quick) = (Instant::now(), if time < LONG { time } else { time / QUICK_SHARE });
    let (mut validated, mut done) = (prove(after, quick), runs.tried);
    if quick < time && matches!(validated.verdict, Verdict::Unknown(_)) && started.elapsed() >= quick {
        if let Some(refuted) = executed(after, done..INPUTS, None) {
            return named(refuted);
        }
        (validated, done) = (prove(after, time), INPUTS);
    }
    let Validated { verdict, blocks, gap } = validated;
    match verdict {
        Verdict::Proved { .. } => Judged { blocks, ..Judged::of(Kind::Proved) },
        Verdict::Unsupported(feature) => Judged { blocks, ..Judged::of(Kind::Unsupported(feature)) },
        Verdict::Unknown(reason) => {
            let proposed = gap.as_ref().map(|gap| &gap.proposed);
            let refuted = executed(after, done..INPUTS, None).or_else(|| executed(after, 0..FIRST_INPUTS, proposed));
            let input = gap.as_ref().map(|gap| ShownInput::proposed(&gap.proposed, target.vocabulary));
            let undefined = gap.as_ref().is_some_and(|gap| gap.kind == GapKind::Definedness);
            match refuted {
                Some(refuted) => named(Judged { blocks, ..refuted }),
                None if undefined => {
                    let unproved = named(Judged { blocks, input, ..Judged::of(Kind::Unknown(reason)) });
                    // A promise is all that is between the pair and a proof.
                    let broken = unproved.flag.as_ref().and_then(|_| {
                        let certain = |inputs| executed_with((after, Promises::Certain), inputs, &mut Runs::default());
                        certain(Inputs::of(0..INPUTS, None)).or_else(|| certain(Inputs::of(0..FIRST_INPUTS, proposed)))
                    });
                    match broken {
                        Some(broken) => Judged { blocks, flag: unproved.flag, ..broken },
                        None => unproved,
                    }
                }
                None => Judged { blocks, input, ..Judged::of(Kind::Unknown(reason)) },
            }
        }
        // The prover refutes no function by itself: its relations may be too weak.
        Verdict::Refuted(_) => Judged::of(Kind::Unknown("refuted without an execution".to_string())),
    }
}

/// The names of functions that a compiler calls on its own, and of which nothing is known.
fn library_calls(function: &Function) -> impl Iterator<Item = &str> {
    let calls = function.all_insts().map(|inst| function.inst(inst));
    let unknown = calls.filter(|data| matches!(Callee::of(function, data), Callee::Unknown(_)));
    unknown.filter_map(|data| match function.callee(data)? {
        base @ AddressBase::External(_) => function.symbol_name(base),
        _ => None,
    })
}

/// The function without its instructions' promises: `nuw`, `nsw`, `exact`, `disjoint` and the like.
pub fn without_flags(function: &Function) -> Function {
    let mut function = function.clone();
    let insts: Vec<Inst> = function.all_insts().collect();
    for inst in insts {
        let mut data = function.inst(inst).clone();
        data.flags = InstFlags::empty();
        function.replace(inst, data);
    }
    function
}

/// Mixtures tried on each input.
const MIXTURES: u32 = 2;

/// The two stages of a pair, in the reasons of inputs that say nothing.
const EARLIER: &str = "earlier";
const LATER: &str = "later";

/// The inputs of a comparison.
struct Inputs<'p> {
    /// Their numbers.
    numbers: Range<u32>,
    /// A solver's proposal for their registers and memory.
    proposed: Option<&'p Counterexample>,
    /// Instructions that all runs together may take; the input that goes beyond is the last.
    instructions: u64,
}

impl<'p> Inputs<'p> {
    /// These inputs, as long as any may run.
    fn of(numbers: Range<u32>, proposed: Option<&'p Counterexample>) -> Inputs<'p> {
        Inputs { numbers, proposed, instructions: MOST_INSTRUCTIONS }
    }

    /// Those that come before the proof.
    fn first() -> Inputs<'p> {
        Inputs { instructions: FIRST_INSTRUCTIONS, ..Inputs::of(0..FIRST_INPUTS, None) }
    }
}

/// The runs of two functions on many inputs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Runs {
    /// Inputs that had their turn before the instructions were used up.
    pub tried: u32,
    /// Inputs on which the earlier function determines what the later one may do, and the later one ran.
    pub compared: u32,
    /// The first difference that the earlier function does not allow, in words.
    pub difference: Option<String>,
    /// Why the other inputs say nothing, and how many each reason holds for.
    pub silent: BTreeMap<String, u32>,
}

/// Runs both functions on so many inputs, up to the first difference, or to the input with which all runs together
/// take so many instructions.
pub fn runs(before: &Function, after: &Function, target: &'static Target, (inputs, instructions): (u32, u64)) -> Runs {
    let mut runs = Runs::default();
    let inputs = Inputs { instructions, ..Inputs::of(0..inputs, None) };
    let found = compared(before, (after, Promises::Ignored), None, target, inputs, &mut runs);
    Runs { difference: found.map(|(_, difference)| difference), ..runs }
}

impl Runs {
    /// Counts inputs that say nothing, of the stage before or of the later one.
    fn are_silent(&mut self, inputs: u32, stage: &str, reason: impl fmt::Display) {
        *self.silent.entry(format!("the {stage} stage {reason}")).or_default() += inputs;
    }
}

/// The reason why a run that ends so says nothing.
fn reason_of(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Undefined => "is undefined",
        Outcome::Unconstrained => "goes a way that is open",
        Outcome::OutOfFuel => "does not end soon",
        Outcome::TooDeep => "has too many active functions",
        Outcome::Returned | Outcome::Stopped => "is determined",
    }
}

/// An input on which the earlier stage does not allow the later one's behaviour, and the difference in words, with the
/// resolution of the later stage's nondeterminism. Registers and memory hold what is proposed for them. The later stage
/// has these promises. Inputs are counted in `runs`.
fn compared(
    before: &Function,
    (after, promises): (&Function, Promises),
    ir: Option<&IrModule>,
    target: &'static Target,
    Inputs { numbers, proposed, instructions }: Inputs<'_>,
    runs: &mut Runs,
) -> Option<(ShownInput, String)> {
    runs.tried = numbers.end;
    // Runs that do not end, and the stage of the last.
    let (mut endless, mut without_end) = (0, EARLIER);
    // A record that one stage loads lies in a frame, which no input has before it is laid out.
    if record_queries(before, target) != record_queries(after, target) {
        runs.are_silent(numbers.end - numbers.start, LATER, "asks for other frame records");
        return None;
    }
    let has_open_digits = leaves_digits_open(before) || leaves_digits_open(after);
    let comparison =
        Comparison { before, after, promises, target, has_open_digits, uniform: OnceCell::new(), taken: Cell::new(0) };
    let layout = EnvironmentLayout::new(before, after, ir, target);
    let pointers = environment::pointers(before, ir);
    let inputs = (0..).zip(inputs::inputs_with(before, target, Plan { count: numbers.end, seed: 1 }, pointers));
    for (index, mut input) in inputs.skip(numbers.start as usize) {
        if endless >= ENDLESS {
            runs.are_silent(numbers.end - index, without_end, reason_of(Outcome::OutOfFuel));
            break;
        }
        if comparison.taken.get() >= instructions {
            runs.tried = index;
            break;
        }
        if let Some(proposed) = proposed {
            propose(&mut input, proposed);
        }
        let environment = layout.around(&mut input, index, pointers);
        match comparison.on(index, &mut input, pointers, &environment) {
            Shown::Alike => runs.compared += 1,
            Shown::Nothing { stage, reason, is_endless } => {
                if is_endless {
                    (endless, without_end) = (endless + 1, stage);
                }
                runs.are_silent(1, stage, reason);
            }
            Shown::Differs(found) => {
                runs.compared += 1;
                let registers: Vec<String> = input.registers.iter().map(|(_, value)| format!("{value:#x}")).collect();
                let found = format!("on ({}), {found}", registers.join(", "));
                return Some((ShownInput::executed(&input, target.vocabulary), found));
            }
        }
    }
    None
}

/// What both stages show on one input.
enum Shown {
    /// The later one does what the earlier one allows.
    Alike,
    /// It does not: the resolution of its nondeterminism, and the difference.
    Differs(String),
    /// Nothing, because of this stage.
    Nothing { stage: &'static str, reason: String, is_endless: bool },
}

impl Shown {
    fn nothing(stage: &'static str, reason: impl fmt::Display) -> Shown {
        Shown::Nothing { stage, reason: reason.to_string(), is_endless: false }
    }

    /// A run that ended so says nothing.
    fn ended(stage: &'static str, outcome: Outcome) -> Shown {
        let is_endless = outcome == Outcome::OutOfFuel;
        Shown::Nothing { stage, reason: reason_of(outcome).to_string(), is_endless }
    }
}

/// Two stages that run on the same inputs.
struct Comparison<'c> {
    before: &'c Function,
    after: &'c Function,
    /// Of the later stage.
    promises: Promises,
    target: &'static Target,
    /// Nobody knows the digits of some result: equal ones are equal, and others say nothing.
    has_open_digits: bool,
    /// The later stage in each uniform resolution, once some run needs them.
    uniform: OnceCell<Vec<(Resolution, Function)>>,
    /// Instructions that all runs took so far.
    taken: Cell<u64>,
}

/// The settings of a run that may take so many instructions.
fn settings(fuel: u64) -> Settings {
    Settings { fuel, events: 0, accesses: KeptAccesses::Volatile }
}

impl Comparison<'_> {
    /// Runs both stages. An input that breaks a promise is repaired.
    fn on(&self, index: u32, input: &mut Input, pointers: Pointers, environment: &ConcreteEnvironment) -> Shown {
        let earlier =
            Interpreter::in_environment(self.before, self.target, environment).with_promises(Promises::Believed);
        let mut run = earlier.run(input, settings(FUEL));
        if run.as_ref().is_ok_and(repair::is_broken)
            && let Some(repaired) = repair::repaired(&earlier, input, pointers)
        {
            run = earlier.run(&repaired, settings(FUEL));
            *input = repaired;
        }
        let allowed = match run {
            Ok(allowed) => allowed,
            Err(error) => return Shown::nothing(EARLIER, error),
        };
        self.took(&allowed);
        let outcome = allowed.observation.outcome;
        if !outcome.is_determined() {
            return Shown::ended(EARLIER, outcome);
        }
        // Legalized code takes more steps for the same path: up to thousands for one wide instruction.
        let fuel = FUEL + 64 * allowed.instructions;
        let open = Interpreter::in_environment(self.after, self.target, environment).with_promises(self.promises);
        if allowed.observation.calls.is_empty()
            && let Ok(run) = open.run(input, settings(fuel))
        {
            self.took(&run);
            if is_allowed_however_resolved(&allowed.observation, &run.observation, self.target) {
                return Shown::Alike;
            }
            // Its path depends on nothing that is open, so each resolution goes on for as long.
            if run.observation.outcome == Outcome::OutOfFuel {
                return Shown::ended(LATER, Outcome::OutOfFuel);
            }
        }
        self.resolved(index, input, environment, (&allowed.observation, fuel))
    }

    fn took(&self, run: &Execution) {
        self.taken.set(self.taken.get() + run.instructions);
    }

    /// Runs the later stage in all resolutions of its nondeterminism.
    fn resolved(
        &self,
        index: u32,
        input: &Input,
        environment: &ConcreteEnvironment,
        (allowed, fuel): (&Observation, u64),
    ) -> Shown {
        let determined = |resolution| (resolution, determined(self.after, resolution));
        let uniform = self.uniform.get_or_init(|| RESOLUTIONS.map(determined).into());
        let mixed: Vec<_> =
            (0..MIXTURES).map(|number| determined(Resolution::Mixed(index * MIXTURES + number))).collect();
        let (mut ran, mut silent) = (false, None);
        for (resolution, after) in uniform.iter().chain(&mixed) {
            let after = Interpreter::in_environment(after, self.target, environment).with_promises(self.promises);
            let after = after.with_calls(&allowed.calls);
            let mut run = match after.with_choice(resolution.choice()).run(input, settings(fuel)) {
                Ok(run) => run,
                Err(error) => {
                    silent = Some(Shown::nothing(LATER, error));
                    continue;
                }
            };
            self.took(&run);
            run.observation.returned = in_the_order_of(allowed, &run.observation, self.target);
            let outcome = run.observation.outcome;
            let called = run.mismatch.as_ref().map(ToString::to_string);
            match called.or_else(|| disallowed(allowed, &run.observation)) {
                Some(_) if self.has_open_digits => return Shown::nothing(LATER, "has other digits, which are open"),
                Some(found) => return Shown::Differs(format!("unconstrained bits resolved to {resolution}: {found}")),
                None if outcome.is_determined() => ran = true,
                None => silent = Some(Shown::nothing(LATER, reason_of(outcome))),
            }
        }
        silent.filter(|_| !ran).unwrap_or(Shown::Alike)
    }
}

/// Gives registers what a solver proposes for them. A pointer stays where its buffer is, if the proposal has memory
/// behind the pointer: the buffer has its bytes.
fn propose(input: &mut Input, proposed: &Counterexample) {
    for (register, value) in &mut input.registers {
        let Some((_, bits)) = proposed.physical.iter().find(|(other, _)| other == register) else { continue };
        let wanted = bits.zext_or_trunc(u128::BITS).unsigned();
        let mut is_followed = false;
        if let Some(buffer) = input.buffers.iter_mut().find(|buffer| u128::from(buffer.address) == *value) {
            for byte in &proposed.memory {
                let place = byte.address.wrapping_sub(wanted as u64) as usize;
                if let Some(own) = buffer.bytes.get_mut(place) {
                    (*own, is_followed) = (byte.value, true);
                }
            }
        }
        if !is_followed {
            *value = wanted;
        }
    }
}

/// Whether a run of the later stage, with its unconstrained bits open, comes to what the earlier one allows, and leaves
/// none of the bits open that the earlier one determines. Then no resolution differs.
fn is_allowed_however_resolved(allowed: &Observation, run: &Observation, target: &'static Target) -> bool {
    let returned = in_the_order_of(allowed, run, target);
    let within = |one: u128, other: u128| other & !one == 0;
    run.outcome.is_determined()
        && allowed.returned.iter().zip(&returned).all(|((_, bits, one), (_, _, other))| {
            let above = u128::MAX.checked_shl(*bits).unwrap_or(0);
            within(one.unknown | above, other.unknown)
        })
        && allowed.buffers.iter().zip(&run.buffers).all(|(one, other)| {
            let bytes = one.unknown.iter().zip(&other.unknown);
            bytes.into_iter().all(|(&one, &other)| within(one.into(), other.into()))
        })
        && disallowed(allowed, &Observation { returned, ..run.clone() }).is_none()
}

/// The results of the later run by the registers of the earlier one's. One that it does not name is for the proof to
/// judge: here it is as expected.
fn in_the_order_of(allowed: &Observation, run: &Observation, target: &'static Target) -> Vec<(PReg, u32, Known)> {
    let full = |register| target.vocabulary.full_register(register);
    let of = |wanted: &(PReg, u32, Known)| {
        *run.returned.iter().find(|(register, ..)| full(*register) == full(wanted.0)).unwrap_or(wanted)
    };
    allowed.returned.iter().map(of).collect()
}

/// The observation of a run of the later stage that the earlier one rules out. A result that is poison where the
/// earlier one's is not is such.
pub(crate) fn disallowed(allowed: &Observation, run: &Observation) -> Option<String> {
    match run.outcome {
        Outcome::Undefined => return Some("undefined behaviour".to_string()),
        Outcome::Returned | Outcome::Stopped => {}
        Outcome::Unconstrained | Outcome::OutOfFuel | Outcome::TooDeep => return None,
    }
    let pairs = allowed.returned.iter().zip(&run.returned);
    for (index, ((_, bits, one), (_, _, other))) in pairs.enumerate() {
        let mask = u128::MAX >> u128::BITS.saturating_sub(*bits);
        if !one.unknown & other.unknown & mask != 0 {
            return Some(format!("result register {index} is poison, expected {:#x}", one.value & mask));
        }
    }
    let results = |index| run.returned.get(index).map(|&(_, bits, known): &(PReg, u32, Known)| (known.value, bits));
    let buffers: Vec<Vec<u8>> = run.buffers.iter().map(|bytes| bytes.values.clone()).collect();
    let poison = allowed.buffers.iter().zip(&run.buffers).enumerate().find_map(|(buffer, (one, other))| {
        let place = one.unknown.iter().zip(&other.unknown).position(|(one, other)| !one & other != 0)?;
        Some(format!("byte {place} of buffer {buffer} is poison, expected {:#04x}", one.values[place]))
    });
    poison.or_else(|| compare(allowed, results, &buffers).err().map(|mismatch| mismatch.to_string()))
}
