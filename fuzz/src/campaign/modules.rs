//! Programs of several functions in a campaign: each function before every judge, then all of them together.
//!
//! Invariant: such a program counts as one, and as passed if all its functions passed.

use super::{CampaignReport, Shared, generated_module, reached, record};
use crate::sabotage::Planter;
use tribunal_ir::Function;
use tribunal_trial::finding::{Finding, Tally};
use tribunal_trial::harness::Harness;
use tribunal_trial::inputs::Plan;

/// One program, for the target and the features of the harness.
pub(super) fn program(shared: &Shared<'_>, harness: &mut Harness, seed: u64, local: &mut CampaignReport) {
    let module = generated_module(seed, harness.target(), harness.options().features);
    let Some(module) = module.filter(|module| accepted(module, harness)) else {
        local.rejected += 1;
        return;
    };
    let plan = Plan { count: shared.campaign.inputs, seed };
    let mut planter = shared.campaign.fault.and_then(|fault| Planter::on(harness.target(), fault));
    let mut total = Tally::default();
    for function in &module {
        let tally = harness.trial_with(
            function,
            &tribunal_trial::inputs::inputs(function, harness.target(), plan),
            &mut planter,
        );
        reached(shared, harness, tally.executions, local);
        counted(shared, harness, &[function], tally, &mut total, local, &mut planter);
    }
    let all: Vec<&Function> = module.iter().collect();
    let together = harness.trial_together(&all, plan, &mut planter);
    counted(shared, harness, &all, together, &mut total, local, &mut planter);
    total.passed = u64::from(total.passed == module.len() as u64 && total.is_clean());
    total.functions = 1;
    local.tally.add(total);
}

fn accepted(module: &[Function], harness: &Harness) -> bool {
    module.iter().all(|function| harness.accepts(function))
}

/// Adds a tally, and records what it found.
fn counted(
    shared: &Shared<'_>,
    harness: &mut Harness,
    functions: &[&Function],
    mut tally: Tally,
    total: &mut Tally,
    local: &mut CampaignReport,
    planter: &mut Option<Planter>,
) {
    shared.campaign.known.set_aside(&mut tally, &mut local.known);
    let refused: Vec<Finding> = tally.unsupported.keys().map(|feature| Finding::unsupported(feature)).collect();
    for finding in tally.findings.iter().chain(&refused) {
        record(shared, harness, functions, finding, planter);
    }
    total.add(tally);
}
