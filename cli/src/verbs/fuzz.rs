//! `tribunal fuzz`: the embedded loop of generating, mutating and judging.

use crate::cache::CacheFlags;
use crate::findings::{self, Findings, Whole};
use crate::help::examples;
use crate::input::{self, CliError};
use crate::jobs::Jobs;
use crate::output::{self, Status, say};
use crate::verbs::{liars, peer};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tribunal_codegen::{Allocator, BankSelectMode};
use tribunal_fuzz::campaign::{self, Campaign, CampaignReport, FeatureMix};
use tribunal_fuzz::corpus::{Corpus, Growth};
use tribunal_fuzz::coverage::{Reached, RuleCoverage};
use tribunal_trial::features::FeatureKind;
use tribunal_trial::finding::{Finding, Tally};

/// Generate functions and put each before every judge.
///
/// Goes on for every target until the time is up, or until Ctrl-C. One crash file is written for each signature, of the
/// smallest program that shows the fault.
#[derive(Args)]
#[command(after_help = examples(&[
    "tribunal fuzz --seconds 60",
    "tribunal fuzz --target riscv64 --features +zbb --runs 1000 --jobs 2",
    "tribunal fuzz --target-judges --seconds 60",
    "tribunal fuzz --backend llc-22 --seconds 60",
]))]
pub struct Arguments {
    /// Length of the campaign, in seconds.
    #[arg(long, value_name = "N", default_value_t = 60)]
    pub(super) seconds: u64,
    /// Stop after so many programs.
    #[arg(long, value_name = "N")]
    pub(super) runs: Option<u64>,
    /// Stop after so many findings of different signatures.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    findings: Option<u32>,
    /// Seed of the first program.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
    /// Only this target.
    #[arg(long, value_parser = input::target_names())]
    target: Option<String>,
    /// Instruction set features to turn on (`+zbb`) or off (`-m`), separated by commas. Without them each program draws
    /// its own.
    #[arg(long, value_name = "FEATURES", allow_hyphen_values = true, value_delimiter = ',')]
    features: Vec<String>,
    /// Register bank selection. Without it each program draws its own.
    #[arg(long, value_name = "MODE", value_parser = input::bank_select_modes())]
    bank_select: Option<String>,
    /// Register allocator. Without it each program draws its own.
    #[arg(long, value_name = "NAME", value_parser = input::allocators())]
    regalloc: Option<String>,
    #[command(flatten)]
    pub(super) jobs: Jobs,
    /// Inputs on which each program runs.
    #[arg(long, value_name = "N", default_value_t = 36, value_parser = input::input_counts(1))]
    inputs: u32,
    /// The folder of crash files; made when the first is written.
    #[arg(long, value_name = "DIR", default_value = "fuzz-out")]
    pub(super) out: PathBuf,
    /// A folder of MIR files to start from and to mutate. Programs that reach new features are added to it.
    #[arg(long, value_name = "DIR")]
    corpus: Option<PathBuf>,
    /// Count, and set aside, findings whose signature this file lists: one on each line, as reports print it after
    /// `line for --known`. `#` starts a comment. Of another compiler the list is TOML, as `corpus/llvm/known-22.toml`.
    #[arg(long, value_name = "FILE")]
    pub(super) known: Option<PathBuf>,
    /// Plant this fault in every program of its targets, to see its findings; `tribunal sabotage --list` names the
    /// faults.
    #[arg(long, value_name = "NAME")]
    fault: Option<String>,
    /// Put the judges on trial: damage stages of generated programs, and run what is accepted all the same.
    #[arg(long, conflicts_with_all = ["corpus", "known", "fault", "runs", "findings", "inputs", "list_rules", "bank_select", "regalloc", "CacheFlags"])]
    target_judges: bool,
    /// Put another compiler on trial: a command line that starts `llc-22`, or another version of it. Each stage of its
    /// GlobalISel is judged against the stage before.
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["corpus", "fault", "findings", "inputs", "list_rules", "bank_select", "regalloc", "target_judges", "CacheFlags"])]
    backend: Option<String>,
    /// Show only the findings of `--backend` that this other compiler does not have.
    #[arg(long, value_name = "COMMAND", requires = "backend")]
    pub(super) against: Option<String>,
    #[command(flatten)]
    cache: CacheFlags,
    /// List the rules that never fired, and those that fired in no program that was executed.
    #[arg(long)]
    list_rules: bool,
    /// Print one JSON object as the last line of standard output.
    #[arg(long)]
    pub(super) json: bool,
}

impl Arguments {
    /// Programs draw their features unless the command line names some.
    pub(super) fn mix(&self) -> FeatureMix {
        if self.features.is_empty() { FeatureMix::Drawn } else { FeatureMix::Given }
    }
}

#[derive(Serialize)]
struct Report {
    programs: u64,
    executions: u64,
    rejected: u64,
    #[serde(flatten)]
    findings: Findings,
    unsupported: u64,
    unsupported_features: BTreeMap<String, u64>,
    unknown: u64,
    proved: u64,
    looked_up: u64,
    kept: u64,
    inconclusive: u64,
    verifications: u64,
    seconds: f64,
    coverage: usize,
    /// Features that were reached, of each kind.
    features: BTreeMap<&'static str, usize>,
    rules: Vec<RuleReport>,
    programs_a_second: f64,
    interrupted: bool,
    /// Programs that the corpus has gained.
    corpus_added: u64,
    corpus_replaced: u64,
    /// Findings set aside.
    known: u64,
    /// Each signature of the file of known findings.
    known_signatures: Vec<KnownReport>,
}

/// A known signature, where the file lists it, and how often it was seen.
#[derive(Serialize)]
struct KnownReport {
    signature: String,
    line: usize,
    seen: u64,
}

/// The rules of one rule set of a target: their number and their coverage.
#[derive(Serialize)]
struct RuleReport {
    target: String,
    rules: usize,
    fired: usize,
    observed: usize,
    proved: usize,
    out_of_reach: Vec<&'static str>,
    never: Vec<&'static str>,
    proved_never: Vec<&'static str>,
    unobserved: Vec<&'static str>,
    missed: Vec<&'static str>,
}

impl From<RuleCoverage> for RuleReport {
    fn from(coverage: RuleCoverage) -> RuleReport {
        let RuleCoverage {
            label: target,
            rules,
            fired,
            observed,
            proved,
            out_of_reach,
            never,
            proved_never,
            unobserved,
            missed,
        } = coverage;
        RuleReport { target, rules, fired, observed, proved, out_of_reach, never, proved_never, unobserved, missed }
    }
}

/// A program that takes longer does not end: the solver's and the reducer's limits are below.
const PATIENCE: Duration = Duration::from_secs(60);

/// A campaign that is killed loses the proofs of this time at most.
const SAVE_EVERY: Duration = Duration::from_secs(60);

pub fn run(arguments: &Arguments) -> Result<Status, CliError> {
    let stop = Arc::new(AtomicBool::new(false));
    let handler = Arc::clone(&stop);
    // Without a handler Ctrl-C ends the process at once; the loop still works.
    let _ = ctrlc::set_handler(move || handler.store(true, Ordering::Relaxed));
    let targets = input::targets(arguments.target.as_deref(), &arguments.features)?;
    if arguments.target_judges {
        return liars::run(arguments, targets, &stop);
    }
    if let Some(command) = &arguments.backend {
        return peer::run(arguments, command, targets, &stop);
    }
    let known = arguments.known.as_deref().map(input::known).transpose()?.unwrap_or_default();
    for folder in [Some(&arguments.out), arguments.corpus.as_ref()].into_iter().flatten() {
        input::check_folder(folder)?;
    }
    let fault = |name: &str| input::fault(name, targets.iter().map(|&(target, _)| target));
    let fault = arguments.fault.as_deref().map(fault).transpose()?;
    let corpus = arguments.corpus.as_deref().map(|folder| Corpus::open(folder, &targets)).transpose()?;
    let kept = arguments.cache.open()?;
    let campaign = Campaign {
        bank_select: arguments.bank_select.as_deref().and_then(BankSelectMode::named),
        allocator: arguments.regalloc.as_deref().and_then(Allocator::named),
        targets,
        mix: arguments.mix(),
        time: Duration::from_secs(arguments.seconds),
        runs: arguments.runs,
        findings: arguments.findings.map(|most| most as usize),
        patience: PATIENCE,
        seed: arguments.seed,
        jobs: arguments.jobs.count(),
        inputs: arguments.inputs,
        out: arguments.out.clone(),
        corpus,
        known,
        fault,
        proofs: kept.proofs.clone(),
    };
    let bar = progress_bar(arguments.seconds);
    let mut saved = Duration::ZERO;
    let progress = |elapsed, programs, findings| {
        if elapsed >= saved + SAVE_EVERY {
            saved = elapsed;
            // Proofs that cannot be saved stay unsaved; the last attempt below reports the reason.
            let _ = kept.save();
        }
        bar.set_position(elapsed.as_secs());
        bar.set_message(format!("{programs} programs, {findings} findings"));
    };
    let interrupted = || stop.load(Ordering::Relaxed);
    // The thread that is stuck ends with the process.
    let abandon = |outcome: CampaignReport| {
        bar.finish_and_clear();
        let _ = kept.save();
        std::process::exit(conclude(&outcome, &campaign, arguments, interrupted()) as i32);
    };
    let outcome = campaign::run(&campaign, &stop, progress, abandon)?;
    bar.finish_and_clear();
    // An interrupted run, too, keeps what it proved.
    kept.save()?;
    Ok(conclude(&outcome, &campaign, arguments, interrupted()))
}

/// Prints the outcome; its status.
fn conclude(outcome: &CampaignReport, campaign: &Campaign, arguments: &Arguments, interrupted: bool) -> Status {
    print(outcome, campaign, arguments.list_rules);
    if arguments.json {
        output::json(&report(outcome, campaign, interrupted));
    }
    // A rejected program is a fault of the generator, and so is a rule that it never shows. A run that judged nothing
    // is not a success.
    let misses = coverage(outcome, campaign).iter().any(|coverage| !coverage.missed.is_empty());
    match (Status::of(&outcome.tally), outcome.rejected, outcome.tally.functions) {
        (Status::Well, 0, 1..) if misses && !interrupted => Status::Fault,
        (Status::Well, 0, 1..) => Status::Well,
        (Status::Well, 0, 0) => Status::Unknown,
        (Status::Well, ..) => Status::Fault,
        (status, ..) => status,
    }
}

pub(super) fn progress_bar(seconds: u64) -> ProgressBar {
    // indicatif draws on a terminal only.
    let style = ProgressStyle::with_template("[{elapsed_precise}] {wide_bar} {msg}");
    ProgressBar::new(seconds).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn print(outcome: &CampaignReport, campaign: &Campaign, list: bool) {
    for (finding, path) in &outcome.crashes {
        say!(
            "{}\n    crash file: {}",
            findings::text(finding, seen(finding, &outcome.tally), Whole::File(path)),
            path.display()
        );
        if finding.feature().is_none() {
            say!("    line for --known: {}", finding.signature());
        }
    }
    for KnownReport { signature, line, seen } in known(outcome, campaign) {
        match seen {
            0 => say!("known and not seen: {signature} (line {line})"),
            seen => say!("known, set aside {seen} times: {signature} (line {line})"),
        }
    }
    for (feature, count) in &outcome.tally.unsupported {
        say!("unsupported: {feature} ({count} times)");
    }
    for (reason, count) in &outcome.tally.open {
        say!("unknown: {reason} ({count} times)");
    }
    let tally = &outcome.tally;
    let seconds = outcome.elapsed.as_secs_f64();
    let names: Vec<&str> = campaign.targets.iter().map(|(target, _)| target.name).collect();
    say!("targets: {}", names.join(", "));
    say!(
        "programs {}, rejected {}, findings {}{}, unknown {}, unsupported {}",
        tally.functions,
        outcome.rejected,
        tally.findings.len(),
        match outcome.known.values().sum() {
            0 => String::new(),
            known => format!(" and {known} known"),
        },
        tally.unknown,
        tally.unsupported.values().sum::<u64>()
    );
    say!(
        "verifications {}, steps proved {} ({} from the proof cache, {} of them kept from an earlier run), executions {} ({} inconclusive), rules fired {}",
        tally.verifications,
        tally.proved,
        tally.looked_up,
        tally.kept,
        tally.executions,
        tally.inconclusive,
        rules_fired(outcome)
    );
    let features = FeatureKind::ALL.map(|kind| format!("{} {}", kind.name(), outcome.features.count(kind)));
    say!("features reached: {}", features.join(", "));
    for coverage in coverage(outcome, campaign) {
        let label = &coverage.label;
        say!(
            "{label}: of {} rules {} fired, {} observed; the ledger proves {}, of them {} never fired",
            coverage.rules,
            coverage.fired,
            coverage.observed,
            coverage.proved,
            coverage.proved_never.len()
        );
        if list {
            for rule in &coverage.never {
                let proved = if coverage.proved_never.contains(rule) { "proved but " } else { "" };
                say!("{proved}never fired: {label}: {rule}");
            }
            coverage.unobserved.iter().for_each(|rule| say!("fired and not observed: {label}: {rule}"));
            coverage.out_of_reach.iter().for_each(|rule| say!("out of reach: {label}: {rule}"));
        }
        let missed = |rule| say!("missed: {label}: {rule}: no program of a whole campaign showed it");
        coverage.missed.iter().for_each(missed);
    }
    campaign.corpus.iter().for_each(print_corpus);
    say!(
        "{:.0} judged programs a second on {} {} ({seconds:.1} s)",
        tally.functions as f64 / seconds,
        campaign.jobs,
        if campaign.jobs == 1 { "thread" } else { "threads" }
    );
}

/// Prints the fate of the programs to start from.
fn print_corpus(corpus: &Corpus) {
    let Growth { added, replaced, unwritten } = corpus.growth();
    let Corpus { read, set_aside, unknown, .. } = corpus;
    say!(
        "corpus: {read} functions read, {set_aside} set aside, {added} added, {replaced} of them replaced by smaller ones"
    );
    unknown.iter().for_each(|(thing, count)| say!("set aside, unknown: {thing} ({count} times)"));
    unwritten.into_iter().for_each(|reason| say!("not written: {reason}"));
}

/// The number of times that the fault of a crash file was seen.
fn seen(finding: &Finding, tally: &Tally) -> u64 {
    match finding.feature() {
        Some(_) => tally.unsupported.values().sum(),
        None => tally.findings.iter().filter(|other| other.signature() == finding.signature()).count() as u64,
    }
}

/// The counts of the known findings, line by line.
fn known<'c>(outcome: &'c CampaignReport, campaign: &'c Campaign) -> impl Iterator<Item = KnownReport> + 'c {
    campaign.known.lines().enumerate().map(|(index, (line, signature))| KnownReport {
        signature: signature.to_string(),
        line,
        seen: outcome.known.get(&index).copied().unwrap_or(0),
    })
}

/// The coverage of the rules, rule set by rule set.
fn coverage(outcome: &CampaignReport, campaign: &Campaign) -> Vec<RuleCoverage> {
    RuleCoverage::of_campaign(campaign, &outcome.reached)
}

/// Rules of all rule sets.
fn rules_fired(outcome: &CampaignReport) -> usize {
    outcome.reached.iter().map(Reached::count).sum()
}

fn report(outcome: &CampaignReport, campaign: &Campaign, interrupted: bool) -> Report {
    let tally = &outcome.tally;
    let seconds = outcome.elapsed.as_secs_f64();
    Report {
        programs: tally.functions,
        executions: tally.executions,
        rejected: outcome.rejected,
        findings: tally.findings.as_slice().into(),
        unsupported: tally.unsupported.values().sum(),
        unsupported_features: tally.unsupported.clone(),
        unknown: tally.unknown,
        proved: tally.proved,
        looked_up: tally.looked_up,
        kept: tally.kept,
        inconclusive: tally.inconclusive,
        verifications: tally.verifications,
        seconds,
        coverage: rules_fired(outcome),
        features: FeatureKind::ALL.map(|kind| (kind.name(), outcome.features.count(kind))).into_iter().collect(),
        rules: coverage(outcome, campaign).into_iter().map(RuleReport::from).collect(),
        programs_a_second: tally.functions as f64 / seconds,
        interrupted,
        corpus_added: campaign.corpus.as_ref().map_or(0, |corpus| corpus.growth().added),
        corpus_replaced: campaign.corpus.as_ref().map_or(0, |corpus| corpus.growth().replaced),
        known: outcome.known.values().sum(),
        known_signatures: known(outcome, campaign).collect(),
    }
}
