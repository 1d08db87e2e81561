//! Programs of the corpus of which the code is not the ledger's. A change of the backend shows there first, and which
//! programs it reaches needs no search: these face every judge before the generated ones do.
//!
//! Invariant: no program is taken where the code is the ledger's, so a campaign of an unchanged backend has none.

use super::modules::{self, JudgedModule};
use super::{CampaignReport, Shared, lock};
use crate::costs::ChangedProgram;
use tribunal_ir::Function;
use tribunal_trial::JudgeSet;
use tribunal_trial::finding::Judge;
use tribunal_trial::harness::Harness;
use tribunal_trial::inputs::Plan;

/// These programs have so much of the campaign's time at most.
const SHARE: u32 = 4;

/// The next program for one of the targets, while there is time for such programs; `None` if it is over.
pub(super) fn next(shared: &Shared<'_>) -> Option<ChangedProgram> {
    match shared.started.elapsed() < shared.campaign.time / SHARE {
        true => lock(&shared.changed).pop_front(),
        false => None,
    }
}

/// Judges such a program as the campaign judges its own of several functions. The ledger tells what is refused.
pub(super) fn program(
    shared: &Shared<'_>,
    harness: &mut Harness,
    changed: &ChangedProgram,
    local: &mut CampaignReport,
) {
    harness.set_options(changed.options);
    let (seed, count) = (shared.campaign.seed, shared.campaign.inputs);
    let functions: Vec<&Function> = changed.functions.iter().collect();
    let module =
        JudgedModule { functions: &functions, judges: JudgeSet::ALL.without(Judge::Text), may_be_refused: true };
    modules::judge(shared, harness, module, Plan { count, seed }, local);
}
