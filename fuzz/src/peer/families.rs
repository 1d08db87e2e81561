//! Faults of the other compiler: each is reduced, and faults of one family are one finding.

use super::again::{SameFault, again, again_with, read};
use super::backend::{PeerBackend, PeerMode};
use super::blame::{self, PeerBlame};
use super::objects;
use super::run::{FailureKind, RunFailure, Runner, module_of};
use crate::reduce::{self, Case, SearchLimits};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use tribunal_emulator::FaultKind;
use tribunal_emulator::input::Input;
use tribunal_ir::{Function, Opcode, text};
use tribunal_trial::validate::{Judged, Kind};
use tribunal_verifier::machine_verifier::Rule;
use tribunal_verifier::prover::deep;

/// The limits of reducing one program.
#[derive(Clone, Copy)]
pub(super) struct ReductionLimits<'s> {
    /// Zero for none.
    pub time: Duration,
    pub stop: &'s AtomicBool,
}

/// The time for reducing a program on which the compiler hangs.
const TIME_FOR_HANG: Duration = Duration::from_secs(60);

impl ReductionLimits<'_> {
    /// The time for a program with this fault.
    fn time_for(self, fault: &PeerFault) -> Duration {
        if fault.symptom.is_hang() && !self.time.is_zero() { TIME_FOR_HANG } else { self.time }
    }
}

/// The way in which a fault shows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Symptom {
    /// The stage differs from the one before on an input on which both were executed.
    Miscompiled {
        /// The difference, in words.
        difference: String,
        /// The flag of the stage without which it does not differ: `nsw`.
        flag: Option<String>,
    },
    /// The stage breaks a rule of the machine verifier.
    Broken(Rule),
    /// The object's run differs from the interpreter's of the source.
    Execution {
        /// The kind of the fault.
        kind: FaultKind,
        /// The difference, in words.
        difference: String,
        /// The input that shows it.
        input: Input,
    },
    /// The compiler fails.
    Failed(RunFailure),
}

impl Symptom {
    /// The kind, by its name in reports.
    pub fn kind(&self) -> &'static str {
        match self {
            Symptom::Miscompiled { .. } => "miscompiled",
            Symptom::Broken(_) => "verifier",
            Symptom::Execution { .. } => "execution",
            Symptom::Failed(failure) => failure.kind.name(),
        }
    }

    /// The details, in words.
    pub fn details(&self) -> String {
        match self {
            Symptom::Miscompiled { difference, flag: None } => difference.clone(),
            Symptom::Miscompiled { difference, flag: Some(flag) } => format!("{difference}; not without `{flag}`"),
            Symptom::Broken(rule) => rule.to_string(),
            Symptom::Execution { difference, .. } => difference.clone(),
            Symptom::Failed(failure) => failure.complaint.clone(),
        }
    }

    /// The part of a family's name that is not about opcodes.
    fn family(&self) -> String {
        match self {
            Symptom::Miscompiled { flag, .. } => flag.clone().unwrap_or_default(),
            Symptom::Broken(rule) => rule.to_string(),
            Symptom::Execution { kind, .. } => kind.name().to_string(),
            Symptom::Failed(failure) => failure.family(),
        }
    }

    /// Of a verdict that refutes a stage.
    pub(super) fn of_verdict(judged: &Judged) -> Option<Symptom> {
        let Kind::Refuted(difference) = &judged.kind else { return None };
        // The instruction that has the flag is not the same in another program of the family.
        let name = |said: &String| said.split('`').nth(1).map_or_else(|| said.clone(), str::to_string);
        Some(Symptom::Miscompiled { difference: difference.clone(), flag: judged.flag.as_ref().map(name) })
    }

    /// Whether both may be of one family, whatever the opcodes.
    pub(super) fn is_like(&self, other: &Symptom) -> bool {
        self.kind() == other.kind() && self.family() == other.family()
    }

    /// Whether the compiler did not end.
    fn is_hang(&self) -> bool {
        matches!(self, Symptom::Failed(RunFailure { kind: FailureKind::Hang, .. }))
    }

    /// Whether it may show again at each later stage: what cannot be read at one stays.
    fn lasts(&self) -> bool {
        matches!(self, Symptom::Failed(RunFailure { kind: FailureKind::Unreadable, .. }))
    }
}

/// A fault at a stage.
#[derive(Clone)]
pub struct PeerFault {
    /// The machine and the level.
    pub mode: PeerMode,
    /// The stage before; `None` for the source.
    pub before: Option<&'static str>,
    /// The stage to blame.
    pub stage: &'static str,
    /// The way in which it shows.
    pub symptom: Symptom,
}

/// One finding of a family.
pub struct PeerFinding {
    /// The fault, as the reduced program shows it.
    pub fault: PeerFault,
    /// The reduced program.
    pub function: Function,
    /// Opcodes that it computes with.
    pub opcodes: BTreeSet<String>,
    /// The part of the stage that is to blame, where it is known.
    pub guilty: Option<PeerBlame>,
    /// Functions of the family.
    pub seen: u64,
}

impl PeerFinding {
    /// Names the family: `miscompiled: legalizer: G_ROTR lower`.
    pub fn family(&self) -> String {
        let PeerFault { stage, symptom, .. } = &self.fault;
        let opcodes = || self.opcodes.iter().map(String::as_str).collect::<Vec<_>>().join(" ");
        let guilty = self.guilty.as_ref().map_or_else(opcodes, |guilty| guilty.name.clone());
        let about = [symptom.family(), guilty].into_iter().filter(|part| !part.is_empty());
        format!("{}: {stage}: {}", symptom.kind(), about.collect::<Vec<_>>().join(": "))
    }

    /// Instructions of the reduced program.
    pub fn instructions(&self) -> usize {
        self.function.all_insts().count()
    }

    /// The text of its crash file: MIR, with the commands that show the fault in its comments.
    pub fn text(&self, backend: &dyn PeerBackend) -> String {
        let PeerFault { mode, before, stage, symptom } = &self.fault;
        let compile =
            |stage: &str, output: &str| line(&backend.compile(*mode, stage, Path::new("FILE.mir"), Path::new(output)));
        let mut module = module_of(vec![self.function.clone()]);
        module.comments = vec![
            "tribunal crash file; run it again with: tribunal replay FILE".to_string(),
            format!("target: {}", mode.target.name),
            format!("features: {}", mode.target.option_names(mode.features)),
            format!("backend: {}", backend.name()),
            format!("level: {}", mode.level.flag()),
            format!("signature: {}", self.family()),
            format!("  {}", symptom.details()),
        ];
        module.comments.extend(self.guilty.iter().map(|guilty| format!("guilty: {}", guilty.details)));
        let without = self.guilty.as_ref().and_then(|guilty| guilty.without.as_ref());
        module.comments.extend(without.map(|argument| format!("gone with: {argument}")));
        if let Symptom::Execution { input, .. } = symptom {
            module.comments.extend(tribunal_trial::crash::input_lines(input, mode.target));
            let object = backend.object(*mode, Path::new("FILE.mir"), Path::new("FILE.o"));
            module.comments.extend(object.map(|object| format!("run: {}", line(&object))));
        }
        let earlier = before.map(|before| compile(before, "before.mir"));
        let guilty = match backend.object(*mode, Path::new("FILE.mir"), Path::new("FILE.o")) {
            Some(object) if *stage == objects::AFTER_STAGES => line(&object),
            _ => compile(stage, "after.mir"),
        };
        module.comments.extend(earlier.into_iter().chain([guilty]).map(|run| format!("run: {run}")));
        if matches!(symptom, Symptom::Miscompiled { .. }) {
            let file = if before.is_some() { "before.mir" } else { "FILE.mir" };
            module.comments.push(format!("run: tribunal validate {file} after.mir --target {}", mode.target.name));
        }
        text::print_module(&module, mode.target.vocabulary)
    }
}

fn line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// Opcodes that a function computes with, artifacts only if there are no others.
fn opcodes(function: &Function) -> BTreeSet<String> {
    let opcodes = function.all_insts().map(|inst| function.inst(inst).opcode);
    let computing: Vec<Opcode> = opcodes.filter(|&opcode| opcode.is_generic() && !blame::is_plain(opcode)).collect();
    let of = |wanted: &dyn Fn(Opcode) -> bool| -> BTreeSet<String> {
        computing.iter().filter(|&&opcode| wanted(opcode)).map(Opcode::to_string).collect()
    };
    let without_artifacts = of(&|opcode| !opcode.is_artifact());
    if without_artifacts.is_empty() { of(&|_| true) } else { without_artifacts }
}

/// The findings of one family.
struct Family {
    /// The smallest so far.
    finding: PeerFinding,
    /// The opcodes of each program that was reduced to one of the family.
    opcodes: Vec<BTreeSet<String>>,
}

impl Family {
    /// Whether a program with these opcodes that fails so counts as one of the family without being reduced.
    fn has(&self, own: &BTreeSet<String>, fault: &PeerFault) -> bool {
        let known = &self.finding.fault;
        let same_stage = known.stage == fault.stage || fault.symptom.lasts();
        same_stage && known.symptom.is_like(&fault.symptom) && self.opcodes.iter().any(|known| known.is_subset(own))
    }

    /// Another program that was reduced to one of the family.
    fn add(&mut self, new: PeerFinding) {
        let seen = self.finding.seen + new.seen;
        if !self.opcodes.iter().any(|known| known.is_subset(&new.opcodes)) {
            self.opcodes.push(new.opcodes.clone());
        }
        if new.instructions() < self.finding.instructions() {
            self.finding = new;
        }
        self.finding.seen = seen;
    }
}

/// Faults that look alike, of which one program waits until there is time to reduce it.
struct Waiting {
    function: Function,
    fault: PeerFault,
    seen: u64,
}

#[derive(Default)]
struct State {
    families: Vec<Family>,
    /// By kind, stage and symptom.
    waiting: BTreeMap<String, Waiting>,
    /// The time of all reductions.
    spent: Duration,
}

impl State {
    /// Whether a program is reduced now: the first one is, and then as many as take a quarter of the time. A long
    /// reduction must fit in it.
    fn has_time(&self, elapsed: Duration, takes: Duration) -> bool {
        self.spent + takes <= elapsed / 4
    }

    fn wait(&mut self, function: &Function, fault: PeerFault) {
        let key = format!("{}: {}: {}", fault.symptom.kind(), fault.stage, fault.symptom.family());
        match self.waiting.get_mut(&key) {
            None => _ = self.waiting.insert(key, Waiting { function: function.clone(), fault, seen: 1 }),
            Some(waiting) => {
                waiting.seen += 1;
                // A small program is reduced sooner.
                if function.all_insts().count() < waiting.function.all_insts().count() {
                    (waiting.function, waiting.fault) = (function.clone(), fault);
                }
            }
        }
    }

    fn add(&mut self, new: PeerFinding) {
        // A symptom that shows again at each later stage is one fault, wherever it was reduced.
        let lasts = |known: &Family| {
            let PeerFinding { fault, opcodes, .. } = &new;
            fault.symptom.lasts() && known.has(opcodes, fault)
        };
        match self.families.iter_mut().find(|known| known.finding.family() == new.family() || lasts(known)) {
            Some(known) => known.add(new),
            None => self.families.push(Family { opcodes: vec![new.opcodes.clone()], finding: new }),
        }
    }
}

/// Programs of a known family that are counted as such; the next one is reduced again, and so is one at each doubling:
/// another family may hide there.
const TRUSTED: u64 = 16;

/// The findings so far.
pub(super) struct Families {
    state: Mutex<State>,
    started: Instant,
}

impl Default for Families {
    fn default() -> Families {
        Families { state: Mutex::default(), started: Instant::now() }
    }
}

impl Families {
    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn count(&self) -> usize {
        self.lock().families.len()
    }

    /// The time of all reductions so far.
    pub fn spent(&self) -> Duration {
        self.lock().spent
    }

    pub fn into_findings(self) -> Vec<PeerFinding> {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut findings: Vec<PeerFinding> = state.families.into_iter().map(|family| family.finding).collect();
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.seen));
        findings
    }

    /// Counts the fault as one of a known family, or reduces it to the first of its own. Without time it waits.
    pub fn found(&self, runner: &Runner<'_>, function: &Function, fault: PeerFault, limits: ReductionLimits<'_>) {
        let own = opcodes(function);
        {
            let mut state = self.lock();
            let takes = if fault.symptom.is_hang() { limits.time_for(&fault) } else { Duration::ZERO };
            let has_time = state.has_time(self.started.elapsed(), takes);
            let known =
                state.families.iter_mut().find(|known| known.has(&own, &fault)).map(|known| &mut known.finding.seen);
            match known {
                // The reduced program counts itself.
                Some(seen) if *seen >= TRUSTED && seen.is_power_of_two() && has_time => {}
                Some(seen) => {
                    *seen += 1;
                    return;
                }
                None if !has_time => return state.wait(function, fault),
                None => {}
            }
        }
        self.reduce(runner, function, fault, limits, 1);
    }

    fn reduce(
        &self,
        runner: &Runner<'_>,
        function: &Function,
        fault: PeerFault,
        limits: ReductionLimits<'_>,
        seen: u64,
    ) {
        let started = Instant::now();
        let new = PeerFinding { seen, ..reduced(runner, function, fault, limits) };
        let mut state = self.lock();
        state.spent += started.elapsed();
        state.add(new);
    }

    /// Reduces one program of each kind that waits, at the end of a campaign.
    pub fn reduce_waiting(&self, runners: &[Runner<'_>], limits: ReductionLimits<'_>) {
        let waiting = Mutex::new(std::mem::take(&mut self.lock().waiting).into_values());
        let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
        std::thread::scope(|scope| {
            for runner in runners {
                scope.spawn(|| {
                    deep(|| {
                        while let Some(Waiting { function, fault, seen }) = next() {
                            self.reduce(runner, &function, fault, limits, seen);
                        }
                    });
                });
            }
        });
    }
}

/// The smallest program that shows the fault, found in time.
fn reduced(runner: &Runner<'_>, function: &Function, fault: PeerFault, limits: ReductionLimits<'_>) -> PeerFinding {
    let PeerMode { target, features, .. } = fault.mode;
    let case = Case { ir: None, functions: vec![function.clone()], input: None };
    let is_hang = fault.symptom.is_hang();
    let (patience, time) = (if is_hang { runner.impatient() } else { *runner }, limits.time_for(&fault));
    let limits = SearchLimits { deadline: Instant::now().checked_add(time), stop: limits.stop };
    let mut shows = SameFault { runner: &patience, fault: &fault };
    let search = || reduce::search(case, target, features, limits, &mut shows, &mut |_, _| {});
    let small = if time.is_zero() { None } else { search() };
    let small = small.and_then(|reduction| reduction.case.functions.into_iter().next());
    // A program that an impatient run took for one that hangs may end.
    let small = small.filter(|function| !is_hang || again(runner, function, &fault).is_some());
    let function = small.unwrap_or_else(|| function.clone());
    let symptom = if is_hang { None } else { again(runner, &function, &fault) };
    let fault = PeerFault { symptom: symptom.unwrap_or_else(|| fault.symptom.clone()), ..fault };
    let fault = settled(runner, &function, fault);
    let guilty = if is_hang { None } else { guilty(runner, &function, &fault) };
    PeerFinding { opcodes: opcodes(&function), guilty, function, fault, seen: 1 }
}

/// The fault at the stage that is to blame, which the reduced program may show to be an earlier one.
fn settled(runner: &Runner<'_>, function: &Function, fault: PeerFault) -> PeerFault {
    let stages = runner.backend.stages(fault.mode);
    let stage = match &fault.symptom {
        // Another input may show it in the reduced program.
        Symptom::Execution { input, .. } => Some(objects::guilty_stage(runner, function, fault.mode, input)),
        // A stage that is compiled in two ways differs from the next in one of them.
        Symptom::Miscompiled { .. } => {
            let source = module_of(vec![function.clone()]);
            let compiled = |stage| runner.compiled(&source, fault.mode, stage).ok();
            let upto = stages.iter().position(|stage| *stage == fault.stage).map_or(0, |place| place + 1);
            stages[..upto].iter().copied().find(|&stage| compiled(stage) != compiled(stage))
        }
        Symptom::Broken(_) | Symptom::Failed(_) => None,
    };
    let Some(stage) = stage else { return fault };
    let place = stages.iter().position(|other| *other == stage);
    let before = place.and_then(|place| stages.get(place.checked_sub(1)?)).copied();
    PeerFault { stage, before, ..fault }
}

/// The part of the stage that is to blame for the fault of this reduced program.
fn guilty(runner: &Runner<'_>, function: &Function, fault: &PeerFault) -> Option<PeerBlame> {
    let PeerFault { mode, before, stage, symptom } = fault;
    let source = module_of(vec![function.clone()]);
    if let Some(combiner) = runner.backend.combiner(*mode, stage) {
        // A stage that fails without a rule shows nothing about the rule.
        let fails = |argument: &str| runner.compiled_with(&source, *mode, stage, Some(argument)).is_err();
        let is_failure = matches!(symptom, Symptom::Failed(_));
        return PeerBlame::of_combiner(&combiner, |argument| {
            again_with(runner, function, fault, Some(argument)).is_some() || !is_failure && fails(argument)
        });
    }
    if matches!(symptom, Symptom::Failed(_)) {
        let last = runner.backend.stages(*mode).last().filter(|_| *stage == objects::AFTER_STAGES)?;
        let selected = read(runner, &source, *mode, last, None)?;
        return PeerBlame::of_copies(selected.functions.first()?, *mode);
    }
    let earlier = match before {
        Some(before) => read(runner, &source, *mode, before, None)?,
        None => source.clone(),
    };
    let after = read(runner, &source, *mode, stage, None)?;
    let (before, after) = (earlier.functions.first()?, after.functions.first()?);
    match (*stage, symptom) {
        ("legalizer", Symptom::Miscompiled { flag, .. }) => PeerBlame::of_legalizer(before, after, flag.as_deref()),
        ("legalizer", _) => PeerBlame::of_legalizer(before, after, None),
        ("instruction-select", Symptom::Miscompiled { flag: Some(flag), .. }) => PeerBlame::of_flag(after, flag, *mode),
        ("instruction-select", _) => PeerBlame::of_selector(before, after, *mode),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reductions_take_a_quarter_of_the_time() {
        let second = Duration::from_secs(1);
        let after = |spent| State { spent, ..State::default() };
        let none = Duration::ZERO;
        assert!(after(none).has_time(none, none));
        assert!(!after(second * 2).has_time(second * 7, none));
        assert!(after(second * 2).has_time(second * 8, none));
        assert!(!after(second * 2).has_time(second * 8, second));
        assert!(after(second * 2).has_time(second * 12, second));
    }
}
