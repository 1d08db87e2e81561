//! Changes each stage of LLVM's GlobalISel at random in one place, and asks the translation validator: none may be
//! `proved` that runs otherwise on an input.
//!
//! Usage: damage_llvm_stages [FUNCTIONS [SEED [DIR]]]
//! The functions are generated, 1,000 of them by default, for all targets, levels and features. Prints one row for each
//! stage, the kinds of damage that were accepted and ran alike, each lie, and each stage that was accepted and that no
//! input ran, with the reasons. Pairs of both are written to DIR.

use std::path::Path;
use std::time::Duration;
use tribunal_fuzz::campaign::FeatureMix;
use tribunal_fuzz::liars::Damages;
use tribunal_fuzz::peer::{Llc, PeerCampaign, damaged};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |place: usize, otherwise: u64| match arguments.get(place) {
        Some(word) => word.parse::<u64>().map_err(|error| format!("{word}: {error}")),
        None => Ok(otherwise),
    };
    // What is found must have a place.
    if let Some(folder) = arguments.get(2) {
        std::fs::create_dir_all(folder).map_err(|error| format!("{folder}: {error}"))?;
    }
    let backend = Llc::new("llc-22").ok_or("no compiler")?;
    let campaign = PeerCampaign {
        backend: &backend,
        targets: tribunal_target::ALL.iter().map(|&target| (target, target.default_features)).collect(),
        mix: FeatureMix::Drawn,
        time: Duration::MAX,
        runs: Some(number(0, 1000)?),
        seed: number(1, 1)?,
        jobs: 1,
        reduction: Duration::ZERO,
        batch: 48,
    };
    let scratch = tempfile::tempdir()?;
    let report = damaged::run(&campaign, scratch.path(), &damaged::accepts)?;
    for (stage, tally) in &report.stages {
        let Damages { damaged, rejected, refuted, unknown, proved, untried } = tally;
        println!(
            "{stage}: {damaged} damaged, rejected {rejected}, refuted {refuted}, unknown {unknown}, \
             accepted and alike {proved}, accepted and not run {untried}"
        );
    }
    report.accepted.iter().for_each(|(kind, count)| println!("accepted and alike: {kind} ({count} times)"));
    let write = |name: String, pair: &str| match arguments.get(2) {
        Some(folder) => std::fs::write(Path::new(folder).join(name), pair),
        None => Ok(()),
    };
    for (index, lie) in report.lies.iter().enumerate() {
        println!("lie: {} {} {}: {}", lie.target, lie.stage, lie.damage, lie.difference);
        write(format!("lie-{index}.mir"), &lie.pair)?;
    }
    for (index, untried) in report.untried.iter().enumerate() {
        let reasons: Vec<String> = untried.silent.iter().map(|(reason, count)| format!("{reason} ({count})")).collect();
        println!("accepted and not run: {} {}: {}", untried.stage, untried.damage, reasons.join(", "));
        write(format!("untried-{index}.mir"), &untried.pair)?;
    }
    println!("{} functions, {} lies", report.functions, report.lies.len());
    Ok(())
}
