//! Sensitivity of the translation validator: for every opcode, generic and of each target, every part of an instruction
//! is changed, one at a time. The changed function must not be `proved` to refine the first, nor be accepted by the
//! machine verifier and proved, unless [`harmless`] names the change with its argument.
//!
//! The functions are built from the opcodes' rows, so an opcode is covered the day it comes.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

mod changes;
mod harmless;
mod specimens;

use changes::Change;
use rayon::prelude::*;
use specimens::Specimen;
use std::collections::BTreeMap;
use std::time::Duration;
use tribunal_ir::semantics::float::ElementaryFunction;
use tribunal_ir::{Function, InstData, Opcode, Step, text};
use tribunal_verifier::machine_verifier::{self, Rule};
use tribunal_verifier::prover::{self, Pair, Prover, Undef, Verdict};

/// Of its thread, for one pair: a change that is not decided by then is not proved.
const TIME: Duration = Duration::from_millis(100);

/// The same for a function beside itself, which must be proved.
const TIME_OF_ITSELF: Duration = Duration::from_secs(1);

/// The specimens of every row.
fn all() -> Vec<Specimen> {
    let target = tribunal_target::by_name("riscv64").unwrap();
    let generic = Opcode::ALL.iter().flat_map(|&opcode| specimens::generic(opcode, target));
    let machine = tribunal_target::ALL.iter().flat_map(|&target| {
        (0..target.instructions.len()).filter_map(move |number| specimens::machine(target, number))
    });
    // A machine without an instruction has no function that shows it.
    let exists = |specimen: &Specimen| {
        machine_verifier::unfit_for_proof(&specimen.function, specimen.target) != Some(Rule::OpcodeFeature)
    };
    let control = tribunal_target::ALL.iter().flat_map(|&target| specimens::control(target));
    generic.chain(machine).chain(control).filter(exists).collect()
}

/// The verdict; `None` if the prover panics.
fn judged(specimen: &Specimen, after: &Function) -> Option<Verdict> {
    // `validate` asks for no proof about what the machine verifier rejects.
    if let Some(rule) = machine_verifier::unfit_for_proof(after, specimen.target) {
        return Some(Verdict::Unsupported(format!("{rule:?}")));
    }
    let pair = Pair { before: &specimen.function, after };
    let time = if std::ptr::eq(after, &specimen.function) { TIME_OF_ITSELF } else { TIME };
    let judge = || prover::validate(specimen.target, pair, Undef::PerUse, time).verdict;
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(judge)).ok()
}

/// The changes of every specimen, judged one by one.
#[derive(Default)]
struct Tally {
    tried: BTreeMap<&'static str, usize>,
    /// Proved, and no table names them.
    wrong: Vec<String>,
    /// Not even proved to be what they are.
    dull: Vec<String>,
    /// Of those, without a meaning for the judge.
    unsupported: usize,
    /// The judge panicked.
    ended: Vec<String>,
}

impl Tally {
    fn of(specimens: Vec<Specimen>, judge: impl Fn(&Specimen, &Function) -> Option<Verdict> + Sync) -> Tally {
        let one = |specimen| Tally::of_one(specimen, &judge);
        specimens.par_iter().map(one).reduce(Tally::default, Tally::and)
    }

    fn of_one(specimen: &Specimen, judge: impl Fn(&Specimen, &Function) -> Option<Verdict>) -> Tally {
        let mut tally = Tally::default();
        let own = judge(specimen, &specimen.function);
        if !matches!(own, Some(Verdict::Proved { .. })) {
            tally.unsupported += usize::from(matches!(own, Some(Verdict::Unsupported(_))));
            tally.dull.push(format!("{}: {own:?}", specimen.name));
            return tally;
        }
        for change in changes::all(specimen) {
            *tally.tried.entry(change.kind).or_default() += 1;
            match judge(specimen, &change.after) {
                None => tally.ended.push(described(specimen, &change)),
                Some(Verdict::Proved { .. }) if harmless::argument(specimen, &change).is_none() => {
                    tally.wrong.push(described(specimen, &change));
                }
                Some(_) => {}
            }
        }
        tally
    }

    fn and(mut self, other: Tally) -> Tally {
        for (kind, count) in other.tried {
            *self.tried.entry(kind).or_default() += count;
        }
        self.wrong.extend(other.wrong);
        self.dull.extend(other.dull);
        self.ended.extend(other.ended);
        self.unsupported += other.unsupported;
        self
    }

    /// `unsupported` is the number of instructions that the judge has no meaning for.
    fn hold(&self, judge: &str, unsupported: usize) {
        let all: usize = self.tried.values().sum();
        println!("{judge}: of these kinds: {:?}", self.tried);
        // A line for `docs/benchmarks.md`.
        let wrong = self.wrong.len();
        println!("\n{{\"judge\":\"{judge}\",\"tried\":{all},\"wrong\":{wrong},\"unsupported\":{unsupported}}}");
        assert!(self.wrong.is_empty(), "{} changes proved:\n{}", self.wrong.len(), self.wrong.join("\n"));
        assert!(self.ended.is_empty(), "{} panics:\n{}", self.ended.len(), self.ended.join("\n"));
        assert_eq!(
            (self.unsupported, self.dull.len()),
            (unsupported, unsupported),
            "not proved to be what they are:\n{}",
            self.dull.join("\n")
        );
    }
}

#[test]
fn validate_sees_every_change_of_one_part() {
    // In a whole function what has no meaning is equal to itself. Elementary functions differ in their numbers alone,
    // and a solver works long on each change of one: those of every shape stand for the others.
    let shapes = [Opcode::G_FSIN, Opcode::G_FPOW, Opcode::G_FPOWI, Opcode::G_FSINCOS];
    let stands = |specimen: &Specimen| match specimen.function.inst(specimen.inst).opcode {
        opcode if shapes.contains(&opcode) => true,
        opcode => ElementaryFunction::of(opcode).is_none(),
    };
    Tally::of(all().into_iter().filter(stands).collect(), judged).hold("validate", 0);
}

#[test]
fn the_step_prover_sees_every_change_of_one_part() {
    let defined = |specimen: &Specimen| match specimen.function.inst(specimen.inst).opcode {
        // A step has no PHIs of other blocks, and nothing without a meaning.
        Opcode::Target(_) => true,
        generic => generic.is_defined() && !generic.is_phi(),
    };
    let specimens = all().into_iter().filter(defined).collect();
    let tally = Tally::of(specimens, judged_as_step);
    // A step has no meaning for vectors, nor for what depends on the place of code. No symbol here is thread-local.
    tally.hold("step prover", 17);
}

/// The verdict on the step from the instruction to what stands in its place; `None` if the prover panics.
fn judged_as_step(specimen: &Specimen, after: &Function) -> Option<Verdict> {
    if let Some(rule) = machine_verifier::unfit_for_proof(after, specimen.target) {
        return Some(Verdict::Unsupported(format!("{rule:?}")));
    }
    // A step has one function, and so one set of tables.
    let slots = |function: &Function| function.stack.values().cloned().collect::<Vec<_>>();
    if slots(after) != slots(&specimen.function) {
        return Some(Verdict::Unsupported("tables".to_string()));
    }
    let before = [specimen.function.inst(specimen.inst).clone()];
    let position = |function: &Function| {
        let block = specimen.function.block_of(specimen.inst)?;
        let place = specimen.function.insts(block).position(|inst| inst == specimen.inst)?;
        let rest = specimen.function.insts(block).count() - place - 1;
        let insts: Vec<_> = function.insts(block).collect();
        insts
            .get(place..insts.len() - rest)
            .map(|insts| insts.iter().map(|&inst| function.inst(inst).clone()).collect())
    };
    let after_insts: Vec<InstData> = position(after)?;
    let step = Step { rule: "change", function: after, before: &before, after: &after_insts };
    let judge = || Prover::default().judge(specimen.target, &step);
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(judge)).ok()
}

fn described(specimen: &Specimen, Change { kind, detail, after }: &Change) -> String {
    let print = |function: &Function| match function.block_of(specimen.inst) {
        Some(_) => text::print_inst(function, function.inst(specimen.inst), specimen.target.vocabulary),
        None => String::new(),
    };
    format!("{}: {kind} {detail}: {} => {}", specimen.name, print(&specimen.function), print(after))
}
