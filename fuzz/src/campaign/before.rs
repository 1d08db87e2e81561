//! The questions of a campaign before its first program. Runs do not show that a definition is wrong where all judges
//! read it, nor what assembly a row has, nor that a compressed form is never written, nor what a promise or the poison
//! of a machine instruction says, nor what a sequence for a far place does, nor that a crash file is misread, nor what
//! code costs, nor that a legality table has a rule for nothing, nor a method of the rule language that no table uses.

use super::{Campaign, CampaignReport, lock};
use crate::costs::{self, ChangedProgram};
use crate::fixed_programs;
use rayon::prelude::*;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use tribunal_target::Target;
use tribunal_trial::finding::{Finding, Tally};
use tribunal_trial::{crash, guard, legality_answers, machine_meanings, machine_promises, machine_sequences, words};
use tribunal_verifier::definitions;

/// A question about one target.
type Question = fn(&'static Target) -> Vec<Finding>;

const QUESTIONS: [Question; 8] = [
    |target| fixed_programs::wrong_verdicts(target),
    machine_promises::wrong_promises,
    |target| machine_meanings::wrong_meanings(target),
    machine_sequences::wrong_sequences,
    |target| words::wrong_texts(target),
    |target| words::unwritten_forms(target),
    |target| words::other_forms(target),
    |target| crash::misread_options(target).into_iter().collect(),
];

/// The questions about programs that do not change. The changed ones go to `changed`.
fn fixed_programs(target: &'static Target, changed: &Mutex<VecDeque<ChangedProgram>>) -> Vec<Finding> {
    let programs = fixed_programs::programs(target);
    let answers = fixed_programs::wrong_answers(&programs, target);
    let measured = costs::measured(&programs, target);
    lock(changed).extend(costs::changed(&programs, &measured, target));
    answers.into_iter().chain(costs::differences(&measured, target)).collect()
}

/// The campaign's outcome so far, and the programs to judge first. No question is asked after `stop`.
pub(super) fn outcome(campaign: &Campaign, stop: &AtomicBool) -> (CampaignReport, VecDeque<ChangedProgram>) {
    let checked = |question: &(dyn Fn() -> Vec<Finding> + Sync)| match stop.load(Ordering::Relaxed) {
        true => Vec::new(),
        false => guard::run(question).unwrap_or_else(|panic| vec![Finding::panic(panic)]),
    };
    let mut targets: Vec<&'static Target> = campaign.targets.iter().map(|(target, _)| *target).collect();
    targets.dedup_by_key(|target| target.name);
    let changed = Mutex::default();
    let of_targets: Vec<(Question, &'static Target)> =
        QUESTIONS.into_iter().flat_map(|question| targets.iter().map(move |&target| (question, target))).collect();
    let asked = || {
        // The slow ones come first, since they run side by side.
        let programs = targets.par_iter().flat_map(|target| checked(&|| fixed_programs(target, &changed)));
        let others = of_targets.par_iter().flat_map(|&(question, target)| checked(&|| question(target)));
        programs.chain(others).collect()
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(campaign.jobs).build();
    let of_targets: Vec<Finding> = pool.map_or_else(|_| asked(), |pool| pool.install(asked));
    let mut findings = checked(&|| definitions::check().faults.iter().map(Finding::definition).collect());
    findings.extend(of_targets);
    findings.extend(checked(&|| {
        let known = legality_answers::all().into_iter();
        known.filter_map(|answers| Some(Finding::wrong_rule(answers.method, answers.wrong?))).take(1).collect()
    }));
    findings.extend(campaign.rule_sets().into_iter().flat_map(|(target, features)| {
        let ill_defined = |fault| Finding::ill_defined(&target.with(features), &fault);
        checked(&|| (target.legality)(features).verify().into_iter().map(ill_defined).collect())
    }));
    let mut report = CampaignReport { tally: Tally { findings, ..Tally::default() }, ..CampaignReport::default() };
    campaign.known.set_aside(&mut report.tally, &mut report.known);
    let no_file = || PathBuf::from("(no program: the definition or the table itself)");
    report.crashes = report.tally.findings.iter().cloned().map(|finding| (finding, no_file())).collect();
    let mut changed = changed.into_inner().unwrap_or_else(PoisonError::into_inner);
    // The small ones first, of all targets.
    changed.make_contiguous().sort_by_key(ChangedProgram::size);
    (report, changed)
}
