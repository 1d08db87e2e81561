//! The reducer: shrinks a case to a minimum that an oracle still finds interesting.
//!
//! Parts are removed many at once, then ever fewer (delta debugging: Zeller and Hildebrandt, "Simplifying and Isolating
//! Failure-Inducing Input", 2002): functions, edges, calls, instructions. Then the rest is simplified: values, widths,
//! constants, flags, the input. Every candidate weighs less than the best so far, so the search terminates. At its end
//! no single edit is interesting: no instruction can be removed, nor its result replaced by another value in scope.
//!
//! The oracle is the same fault once more ([`reduce`]), or any program's exit status ([`command`]).

pub mod command;
mod detours;
mod input;
mod passes;
mod search;

pub use search::{Oracle, SearchLimits};

use crate::generator;
use search::Search;
use tribunal_codegen::Observer;
use tribunal_emulator::Input;
use tribunal_emulator::observation::Outcome;
use tribunal_ir::{Function, IrBlock};
use tribunal_target::{Features, Target};
use tribunal_trial::crash;
use tribunal_trial::finding::Finding;
use tribunal_trial::guard;
use tribunal_trial::harness::Harness;
use tribunal_trial::inputs::{self, Plan};

/// A case to reduce.
#[derive(Clone, Debug)]
pub struct Case {
    /// LLVM IR before the functions, as it was read.
    pub ir: Option<IrBlock>,
    /// The functions, each of which may be removed.
    pub functions: Vec<Function>,
    /// The functions' input, if they run.
    pub input: Option<Input>,
}

impl Case {
    /// Instructions of all functions.
    pub fn instructions(&self) -> usize {
        self.functions.iter().map(|function| function.all_insts().count()).sum()
    }
}

/// The smallest case found.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// The smallest that is interesting.
    pub case: Case,
    /// Candidates that the oracle judged.
    pub tests: u64,
    /// Candidates that the verifier did not accept, which no edit before legalization makes.
    pub rejected: u64,
    /// False if the search was stopped before its end: parts may still be removable.
    pub finished: bool,
}

/// A finding after reduction.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The function.
    pub function: Function,
    /// The functions of its module that it runs together with.
    pub others: Vec<Function>,
    /// The same fault, as the small function shows it.
    pub finding: Finding,
    /// Candidates that were judged.
    pub tests: u64,
    /// False if the search was stopped before its end: parts may still be removable.
    pub finished: bool,
}

/// Reduces `case` while the oracle finds it interesting; `None` if it does not to begin with. `progress` is called with
/// the best case so far and the number of candidates judged.
pub fn search(
    case: Case,
    target: &'static Target,
    features: Features,
    limits: SearchLimits<'_>,
    oracle: &mut dyn Oracle,
    progress: &mut dyn FnMut(&Case, u64),
) -> Option<Reduction> {
    let mut search = Search::new(case, target, features, limits, oracle, progress)?;
    passes::run(&mut search);
    Some(search.end())
}

/// An input on which the function is defined. It stays so, even where the judge that found the fault executes nothing.
/// Where no callee comes back, the call cannot go if the rest is undefined: so the function returns if it can.
fn defined_input(harness: &Harness, function: &Function) -> Option<Input> {
    let inputs = inputs::inputs(function, harness.target(), Plan { count: INPUTS, seed: 1 });
    // The finding may be that the interpreter panics.
    let outcome = |input: &Input| guard::run(|| harness.outcome(function, input)).ok().flatten();
    let returns = |input: &&Input| outcome(input) == Some(Outcome::Returned);
    let is_defined = |input: &&Input| outcome(input).is_some();
    inputs.iter().find(returns).or_else(|| inputs.iter().find(is_defined)).cloned()
}

/// Inputs that are tried for one on which the function is defined.
const INPUTS: u32 = 8;

/// Reduces `function` while the same judge finds the same fault in it, with the same rule to blame; `None` if the fault
/// is not reproduced. The function stays free of undefined behaviour on the finding's input, and still ends there.
pub fn reduce(
    harness: &mut Harness,
    function: &Function,
    finding: &Finding,
    saboteur: &mut dyn Observer,
    limits: SearchLimits<'_>,
    progress: &mut dyn FnMut(&Case, u64),
) -> Option<Reduced> {
    reduce_module(harness, &[function], finding, saboteur, limits, progress)
}

/// The same of functions that run together, the first of which runs.
pub fn reduce_module(
    harness: &mut Harness,
    functions: &[&Function],
    finding: &Finding,
    saboteur: &mut dyn Observer,
    limits: SearchLimits<'_>,
    progress: &mut dyn FnMut(&Case, u64),
) -> Option<Reduced> {
    let (target, features) = (harness.target(), harness.options().features);
    let input = finding.input.clone().or_else(|| defined_input(harness, functions.first()?));
    let case = Case { ir: None, functions: functions.iter().copied().cloned().collect(), input };
    let mut known = finding.clone();
    let is_module = functions.len() > 1;
    let has_end = |harness: &Harness, case: &Case| {
        let run = case.functions.first().zip(case.input.as_ref());
        run.is_none_or(|(function, input)| harness.outcome(function, input) != Some(Outcome::OutOfFuel))
    };
    // A loop that does not end takes minutes to blame, and is no smaller fault.
    let must_end = !is_module && has_end(harness, &case);
    let mut again = |case: &Case| {
        if must_end && !has_end(harness, case) {
            return None;
        }
        known.input.clone_from(&case.input);
        let all: Vec<&Function> = case.functions.iter().collect();
        match is_module {
            true => harness.reproduce_together(&all, &known, saboteur),
            false => harness.reproduce(all.first()?, &known, saboteur),
        }
    };
    let reduction = search(case, target, features, limits, &mut |case: &Case| again(case).is_some(), progress)?;
    let mut finding = again(&reduction.case)?;
    if finding.input.is_none() {
        finding.input.clone_from(&reduction.case.input);
    }
    let mut functions = reduction.case.functions.into_iter();
    Some(Reduced {
        function: functions.next()?,
        others: functions.collect(),
        finding,
        tests: reduction.tests,
        finished: reduction.finished,
    })
}

/// The finding on the smallest function that shows it, and the text of its crash file. A finding that is not
/// reproduced, or whose reduction panics, stays as it was seen.
pub fn crash_file(
    harness: &mut Harness,
    functions: &[&Function],
    finding: &Finding,
    saboteur: &mut dyn Observer,
    limits: SearchLimits<'_>,
) -> (Finding, String) {
    let reduced = harness
        .guarded(|harness| reduce_module(harness, functions, finding, saboteur, limits, &mut |_, _| {}))
        .ok()
        .flatten();
    let (functions, finding) = match &reduced {
        Some(reduced) => (std::iter::once(&reduced.function).chain(&reduced.others).collect(), &reduced.finding),
        None => (functions.to_vec(), finding),
    };
    let fault = saboteur.fault();
    let ir = functions.first().and_then(|function| generator::block_of(function));
    (finding.clone(), crash::print_sabotaged(harness.target(), harness.options(), ir, &functions, finding, fault))
}
