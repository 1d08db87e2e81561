//! Explaining: each pass and step of a compilation as text, with the prover's verdict on each step.

use crate::finding::Tally;
use crate::harness::Harness;
use crate::judges::Bench;
use tribunal_codegen::pipeline::{self, Pass};
use tribunal_codegen::{Context, Observer};
use tribunal_ir::{Function, Inst, InstData, Step, text};
use tribunal_target::Target;
use tribunal_verifier::prover::{self, Prover};

impl Harness {
    /// Each step of a function through the pipeline, in text.
    pub fn explain(&mut self, function: &Function, say: &mut dyn FnMut(String)) -> Tally {
        let explanation = |harness: &mut Harness| {
            let mut tally = Tally { functions: 1, ..Tally::default() };
            let Bench { target, options, legalizer, prover, .. } = &mut harness.bench;
            let mut observer = ExplainObserver { target, prover, tally: &mut tally, say };
            let mut context = Context { target, options: *options, legalizer, observer: &mut observer };
            if let Err(error) = pipeline::compile(&mut function.clone(), &mut context) {
                tally.unsupported(error.to_string());
            }
            tally
        };
        self.guarded(explanation).unwrap_or_else(Tally::of_panic)
    }
}

/// Prints each pass and step with the prover's verdict.
struct ExplainObserver<'h> {
    target: &'static Target,
    prover: &'h mut Prover,
    tally: &'h mut Tally,
    say: &'h mut dyn FnMut(String),
}

impl Observer for ExplainObserver<'_> {
    fn after_pass(&mut self, pass: &'static Pass, function: &mut Function) {
        let text = text::print_function(function, self.target.vocabulary);
        (self.say)(format!("# after {}\n{text}", pass.name));
    }

    fn step(&mut self, rule: &'static str, function: &mut Function, before: &[InstData], after: &mut Vec<Inst>) {
        let after: Vec<InstData> = after.iter().map(|&inst| function.inst(inst).clone()).collect();
        let step = Step { rule, function, before, after: &after };
        let verdict = self.prover.judge(self.target, &step);
        self.tally.count(&verdict, false, rule);
        (self.say)(prover::explain(&step, &verdict, self.target.vocabulary));
    }
}
