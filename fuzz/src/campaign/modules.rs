//! Programs of several functions in a campaign: each function before every judge, then all of them together.
//!
//! Invariant: such a program counts as one, and as passed if all its functions passed.

use super::{CampaignReport, Shared, generated_module, judges, program_seed, reached, record, rejected};
use crate::sabotage::Planter;
use tribunal_ir::Function;
use tribunal_trial::JudgeSet;
use tribunal_trial::finding::{Finding, Tally};
use tribunal_trial::harness::Harness;
use tribunal_trial::inputs::Plan;

/// A function of such a program runs on one input, alone and with the others, where a program of one function runs on
/// so many: calls are what is new.
const FEWER: u32 = 3;

/// The inputs of each function, where a program of one function runs on those of `plan`.
pub fn plan_of_module(plan: Plan) -> Plan {
    Plan { count: plan.count.div_ceil(FEWER), ..plan }
}

/// The program of this number, for the target and the features of the harness.
pub(super) fn program(shared: &Shared<'_>, harness: &mut Harness, number: u64, local: &mut CampaignReport) {
    let seed = program_seed(shared.campaign.seed, number);
    let Some(module) = generated_module(seed, harness.target(), harness.options().features) else {
        local.rejected += 1;
        return;
    };
    let plan = plan_of_module(Plan { count: shared.campaign.inputs, seed });
    let functions: Vec<&Function> = module.iter().collect();
    let module = JudgedModule { functions: &functions, judges: judges(number), may_be_refused: false };
    judge(shared, harness, module, plan, local);
}

/// Functions of one program, and how they are judged.
pub(super) struct JudgedModule<'m> {
    pub functions: &'m [&'m Function],
    pub judges: JudgeSet,
    /// Whether a function that the backend refuses is no finding.
    pub may_be_refused: bool,
}

/// Each function before the judges, then all together.
pub(super) fn judge(
    shared: &Shared<'_>,
    harness: &mut Harness,
    module: JudgedModule<'_>,
    plan: Plan,
    local: &mut CampaignReport,
) {
    let JudgedModule { functions, judges, may_be_refused } = module;
    let mut planter = shared.campaign.fault.and_then(|fault| Planter::on(harness.target(), fault));
    let mut total = Tally::default();
    for &function in functions {
        let mut tally = match harness.trial_if_accepted(function, plan, judges, &mut planter) {
            Ok(tally) => tally,
            Err(violations) => {
                rejected(shared, harness, function, violations, local);
                // The functions before it stay judged.
                return local.tally.add(Tally { functions: 0, passed: 0, ..total });
            }
        };
        reached(shared, harness, tally.executions, None, local);
        if may_be_refused {
            tally.unsupported.clear();
        }
        counted(shared, harness, &[function], tally, &mut total, local, &mut planter);
    }
    let mut together = harness.trial_together(functions, plan, &mut planter);
    if may_be_refused {
        together.unsupported.clear();
    }
    counted(shared, harness, functions, together, &mut total, local, &mut planter);
    total.passed = u64::from(total.passed == functions.len() as u64 && total.is_clean());
    total.functions = 1;
    local.tally.add(total);
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
