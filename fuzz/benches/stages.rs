//! Profiles the embedded loop: each stage of a program's way, as a share of the whole time.
//!
//! The programs are those of `tribunal fuzz`, target after target, with the same judges in the same order, on one
//! thread. The loop begins with an empty proof cache, and a step that misses it costs far more than one that hits. So
//! the loop is shown in [`PHASES`], from its start to where new steps are rare, and hits and misses apart.
//!
//! Wall time of an optimised build: the clock is read twice a step, which is in the figures. The thread's processor
//! time stands beside it, because other work on the machine adds to the one and not to the other. A step that is not
//! proved, or a run that differs, is counted and not examined. A measurement, not a test.
//!
//! The last phase shows `tribunal fuzz` on its second day: other programs, and the proofs of the phases before, through
//! a file. `cargo bench -p tribunal-fuzz --bench stages -- 1000 3000` gives the phases other sizes. With `--json` the
//! last line is one object: its `phases`, and for each of its `stages` the microseconds a program in every phase.

use cpu_time::ThreadTime;
use rustc_hash::FxHashMap;
use serde_json::{Value, json};
use std::error::Error;
use std::time::{Duration, Instant};
use tribunal_codegen::pipeline::{self, Pass};
use tribunal_codegen::{Allocator, Context, Observer, Options};
use tribunal_emulator::interpreter::{Interpreter, KeptAccesses, Settings};
use tribunal_emulator::machine::Emulator;
use tribunal_emulator::observation::{Outcome, compare};
use tribunal_fuzz::campaign;
use tribunal_ir::{Function, Inst, InstData, Step};
use tribunal_target::Target;
use tribunal_target::legality::LegalizerInfo;
use tribunal_trial::execution::FUEL;
use tribunal_trial::image::call_sites;
use tribunal_trial::inputs;
use tribunal_verifier::prover::{Cache, Prover, Verdict};
use tribunal_verifier::{allocation, machine_verifier};

/// As in `tribunal`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Programs of each phase.
const PHASES: [u64; 3] = [10_000, 30_000, 60_000];
/// Classes of new steps that are shown.
const CLASSES: usize = 24;
const INPUTS: u32 = 36;

/// Time by stage, in the order in which stages first came.
#[derive(Default)]
struct Clock {
    stages: Vec<(&'static str, Duration)>,
    last: Option<Instant>,
}

impl Clock {
    fn start(&mut self) {
        self.last = Some(Instant::now());
    }

    /// Adds the time since the last reading to `stage`; returns it.
    fn lap(&mut self, stage: &'static str) -> Duration {
        let now = Instant::now();
        let time = self.last.replace(now).map_or(Duration::ZERO, |last| now - last);
        match self.stages.iter_mut().find(|(known, _)| *known == stage) {
            Some((_, sum)) => *sum += time,
            None => self.stages.push((stage, time)),
        }
        time
    }
}

#[derive(Default)]
struct Counts {
    programs: u64,
    steps: u64,
    /// Of those, not looked up.
    proved: u64,
    executions: u64,
    faults: u64,
    /// Of the steps that were not looked up, by rule and answer: how many, and their time.
    classes: FxHashMap<(&'static str, String), (u64, Duration)>,
}

/// Watches a compilation as the harness does.
struct Watch<'w> {
    target: &'static Target,
    legalizer: &'static LegalizerInfo,
    prover: &'w mut Prover,
    clock: &'w mut Clock,
    counts: &'w mut Counts,
    /// The pass that is running.
    pass: usize,
    selected: Option<Function>,
}

impl Observer for Watch<'_> {
    fn after_pass(&mut self, pass: &'static Pass, function: &mut Function) {
        self.clock.lap(pass.name);
        self.pass += 1;
        self.counts.faults += machine_verifier::verify(function, self.target, self.legalizer).len() as u64;
        self.clock.lap("verify");
        match pass.name {
            "split-edges" => self.selected = Some(function.clone()),
            "allocate" => {
                if let Some(selected) = self.selected.take() {
                    self.counts.faults += allocation::check(&selected, function, self.target).len() as u64;
                }
            }
            _ => return,
        }
        self.clock.lap("check allocation");
    }

    fn step(&mut self, rule: &'static str, function: &mut Function, before: &[InstData], after: &mut Vec<Inst>) {
        self.clock.lap(pipeline::PIPELINE[self.pass].name);
        let after: Vec<InstData> = after.iter().map(|&inst| function.inst(inst).clone()).collect();
        let looked_up = self.prover.counters().looked_up;
        let verdict = self.prover.judge(self.target, &Step { rule, function, before, after: &after });
        let is_new = self.prover.counters().looked_up == looked_up;
        self.counts.steps += 1;
        self.counts.proved += u64::from(is_new);
        self.counts.faults += u64::from(!matches!(verdict, Verdict::Proved { .. }));
        let time = self.clock.lap(if is_new { "prove: proved" } else { "prove: looked up" });
        if is_new {
            let class = self.counts.classes.entry((rule, verdict.to_string())).or_default();
            *class = (class.0 + 1, class.1 + time);
        }
    }
}

/// One target's judges.
struct Judges {
    target: &'static Target,
    options: Options,
    prover: Prover,
    machine: Emulator,
}

impl Judges {
    fn new(target: &'static Target, cache: &Cache) -> Result<Judges, Box<dyn Error>> {
        let options = Options { features: target.default_features, allocator: Allocator::Ion };
        let machine = Emulator::new(target, options.features)?;
        Ok(Judges { target, options, prover: Prover::with_cache(cache.clone()), machine })
    }

    /// The program of `seed`, through every stage.
    fn program(&mut self, seed: u64, clock: &mut Clock, counts: &mut Counts) -> Result<(), Box<dyn Error>> {
        let legalizer = (self.target.legality)(self.options.features);
        clock.start();
        let function = campaign::generated(seed, self.target).ok_or("a program that is none")?;
        clock.lap("generate");
        let inputs = inputs::inputs(&function, self.target, inputs::Plan { count: INPUTS, seed });
        clock.lap("inputs");
        counts.faults += machine_verifier::verify(&function, self.target, legalizer).len() as u64;
        clock.lap("verify");
        let code = {
            let Judges { target, options, prover, .. } = self;
            let mut watch = Watch { target, legalizer, prover, clock, counts, pass: 0, selected: None };
            let mut context = Context { target, options: *options, legalizer, observer: &mut watch };
            pipeline::compile(&mut function.clone(), &mut context)?
        };
        clock.lap("emit");
        self.machine.load(&code.bytes, &call_sites(&code))?;
        clock.lap("load");
        let results = inputs::results(&function, self.target);
        let settings = Settings { fuel: FUEL, events: 0, accesses: KeptAccesses::Volatile };
        let expected = Interpreter::new(&function, self.target).run_all(&inputs, settings);
        clock.lap("interpret");
        for (input, expected) in inputs.iter().zip(expected) {
            let expected = expected?.observation;
            if expected.outcome != Outcome::Returned {
                continue;
            }
            let run = self.machine.run(input, &results, FUEL * 64)?;
            clock.lap("run machine code");
            let equal = run.fault.is_none() && compare(&expected, &run.results, &run.buffers).is_ok();
            counts.executions += 1;
            counts.faults += u64::from(!equal);
            clock.lap("compare");
        }
        counts.programs += 1;
        Ok(())
    }
}

/// The results of one phase.
struct Phase {
    clock: Clock,
    counts: Counts,
    /// Of the processor, in this thread.
    thread: Duration,
    /// Proofs in memory at its end.
    proofs: usize,
}

impl Phase {
    /// Wall time of all stages.
    fn all(&self) -> Duration {
        self.clock.stages.iter().map(|(_, time)| *time).sum()
    }

    /// The rate of `count` a second.
    fn rate(&self, count: u64) -> f64 {
        count as f64 / self.all().as_secs_f64()
    }

    /// Microseconds a program.
    fn each(&self, time: Duration) -> f64 {
        1e6 * time.as_secs_f64() / self.counts.programs as f64
    }

    /// The share of its steps that were proved and not looked up.
    fn new_steps(&self) -> f64 {
        self.counts.proved as f64 / self.counts.steps as f64
    }

    fn object(&self) -> Value {
        let Counts { programs, steps, executions, faults, .. } = self.counts;
        json!({
            "programs": programs,
            "programs_a_second": self.rate(programs),
            "executions_a_second": self.rate(executions),
            "steps_a_program": steps as f64 / programs as f64,
            "new_steps": self.new_steps(),
            "proofs": self.proofs,
            "processor_us_a_program": self.each(self.thread),
            "faults": faults,
        })
    }
}

/// All phases as one object.
fn object(phases: &[Phase]) -> Value {
    let stages = phases.first().map_or(&[][..], |first| &first.clock.stages);
    let row = |&(stage, _): &(&'static str, Duration)| {
        let of = |phase: &Phase| {
            let time =
                phase.clock.stages.iter().find(|(name, _)| *name == stage).map_or(Duration::ZERO, |(_, time)| *time);
            phase.each(time)
        };
        json!({"stage": stage, "us_a_program": phases.iter().map(of).collect::<Vec<_>>()})
    };
    let named = |(index, phase): (usize, &Phase)| {
        let is_last = index + 1 == phases.len();
        let mut object = phase.object();
        object["phase"] = json!(if is_last { "proofs kept".to_string() } else { format!("phase {}", index + 1) });
        object
    };
    json!({
        "phases": phases.iter().enumerate().map(named).collect::<Vec<_>>(),
        "stages": stages.iter().map(row).collect::<Vec<_>>(),
    })
}

fn report(phase: &Phase) {
    let Phase { clock, counts, thread, proofs } = phase;
    let (all, each) = (phase.all(), |time| phase.each(time));
    let Counts { programs, steps, executions, faults, .. } = *counts;
    println!("{proofs} proofs known");
    println!(
        "{programs} programs, {:.0} a second, {:.0} executions a second; {:.1} steps a program, {:.2}% of them not looked \
         up; {:.1} us of the processor a program; faults {faults}",
        phase.rate(programs),
        phase.rate(executions),
        steps as f64 / programs as f64,
        100.0 * phase.new_steps(),
        each(*thread)
    );
    for (stage, time) in &clock.stages {
        println!(
            "  {stage:<18} {:>5.1}% {:>9.1} us a program",
            100.0 * time.as_secs_f64() / all.as_secs_f64(),
            each(*time)
        );
    }
    let mut answers: FxHashMap<&str, (u64, Duration)> = FxHashMap::default();
    for ((_, verdict), &(count, time)) in &counts.classes {
        let sum = answers.entry(verdict.as_str()).or_default();
        *sum = (sum.0 + count, sum.1 + time);
    }
    for (verdict, (count, time)) in answers {
        println!("  {count:>8} new steps {:>8.1} us a program  {verdict}", each(time));
    }
    let mut classes: Vec<_> = counts.classes.iter().collect();
    classes.sort_by_key(|(_, (_, time))| std::cmp::Reverse(*time));
    for ((rule, verdict), (count, time)) in classes.into_iter().take(CLASSES) {
        println!("  {count:>8} new steps {:>8.1} us a program  {rule}: {verdict}", each(*time));
    }
}

/// Programs of `seed` from `numbers`, target after target.
fn phase(
    cache: &Cache,
    judges: &mut [Judges],
    seed: u64,
    numbers: std::ops::Range<u64>,
) -> Result<Phase, Box<dyn Error>> {
    let (mut clock, mut counts) = (Clock::default(), Counts::default());
    let started = ThreadTime::now();
    for number in numbers {
        let index = (number % judges.len() as u64) as usize;
        judges[index].program(campaign::program_seed(seed, number), &mut clock, &mut counts)?;
    }
    let phase = Phase { clock, counts, thread: started.elapsed(), proofs: cache.len() };
    report(&phase);
    Ok(phase)
}

fn judges(cache: &Cache) -> Result<Vec<Judges>, Box<dyn Error>> {
    tribunal_target::ALL.iter().map(|&target| Judges::new(target, cache)).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let asked: Vec<u64> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    let sizes = if asked.is_empty() { PHASES.to_vec() } else { asked };
    let cache = Cache::default();
    let mut cold = judges(&cache)?;
    let (mut phases, mut first) = (Vec::new(), 0);
    for &programs in &sizes {
        phases.push(phase(&cache, &mut cold, 1, first..first + programs)?);
        first += programs;
    }
    let kept = Cache::default();
    kept.add_bytes(&cache.to_bytes("stages"), "stages").ok_or("proofs that cannot be read back")?;
    println!("with kept proofs:");
    phases.push(phase(&kept, &mut judges(&kept)?, 2, 0..sizes.last().copied().unwrap_or(0))?);
    if std::env::args().any(|argument| argument == "--json") {
        println!("{}", object(&phases));
    }
    Ok(())
}
