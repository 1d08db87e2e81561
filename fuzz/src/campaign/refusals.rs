//! Programs of operations at any types: whatever the backend says of one, it refuses it by name or compiles it.
//!
//! Invariant: a refusal is no finding here. A panic, a pass that breaks its own contract, a stage that the verifier
//! does not accept, and a wrong run are findings.

use super::{CampaignReport, Shared, generated_of_any_types, record};
use crate::sabotage::Planter;
use tribunal_trial::JudgeSet;
use tribunal_trial::finding::{Judge, Tally};
use tribunal_trial::harness::Harness;
use tribunal_trial::inputs::Plan;

/// Inputs of each function.
const INPUTS: u32 = 8;

/// The program of this seed, for the target and the features of the harness.
pub(super) fn program(shared: &Shared<'_>, harness: &mut Harness, seed: u64, local: &mut CampaignReport) {
    let plan = Plan { count: INPUTS, seed };
    let mut planter = shared.campaign.fault.and_then(|fault| Planter::on(harness.target(), fault));
    let mut total = Tally::default();
    for function in generated_of_any_types(seed, harness.target()) {
        let judges = JudgeSet::AFTER_PASSES.with(Judge::Emulator);
        let Ok(mut tally) = harness.trial_if_accepted(&function, plan, judges, &mut planter) else { continue };
        tally.unsupported.clear();
        shared.campaign.known.set_aside(&mut tally, &mut local.known);
        for finding in &tally.findings {
            record(shared, harness, &[&function], finding, &mut planter);
        }
        total.add(tally);
    }
    // Not all types go together, so the verifier rejects some functions. A program of none but those was not judged.
    let judged = total.functions.min(1);
    (total.functions, total.passed) = (judged, if total.is_clean() { judged } else { 0 });
    local.tally.add(total);
}
