//! The transformations, from generic machine IR to an object file.
//!
//! Every pass is a row of [`pipeline::PIPELINE`], with the stages that it begins and ends at. The [`Observer`]
//! sees every pass and every rewrite step: no pass can opt out of being judged.
//!
//! Architecture invariant: nothing here judges; nothing here depends on a judge.

pub mod allocate;
pub mod bank_select;
pub mod emit;
pub mod frame;
pub mod legalize;
pub mod pipeline;
pub mod relax_branches;
pub mod select;
pub mod split_edges;

use thiserror::Error;
use tribunal_ir::{Function, Inst, InstData};
use tribunal_target::legality::LegalizerInfo;
use tribunal_target::{Features, Target};

/// The register allocator that runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Allocator {
    /// Backtracking, good code.
    #[default]
    Ion,
    /// Single pass, fast.
    Fastalloc,
}

/// The options of a compilation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Optional parts of the instruction set that may be used.
    pub features: Features,
    /// The register allocator that runs.
    pub allocator: Allocator,
}

/// The environment of a pass.
pub struct Context<'a> {
    /// The machine that is compiled for.
    pub target: &'static Target,
    /// The options of the compilation.
    pub options: Options,
    /// The legality rules of the target under these features.
    pub legalizer: &'static LegalizerInfo,
    /// Sees the function after each pass and each step.
    pub observer: &'a mut dyn Observer,
}

/// Watches a compilation. The function is mutable so that a test or a saboteur can plant a fault for the judges after
/// it. A judge does not change it.
pub trait Observer {
    /// After each pass, with its postconditions in place.
    fn after_pass(&mut self, _pass: &'static pipeline::Pass, _function: &mut Function) {}

    /// True if [`Observer::step`] wants to be called; only then are the replaced instructions copied.
    fn wants_steps(&self) -> bool {
        false
    }

    /// After one application of one rule. `before` are the instructions replaced, with those looked through. `after`
    /// are their replacement in execution order, after those looked through that did not die.
    fn step(&mut self, _rule: &'static str, _function: &mut Function, _before: &[InstData], _after: &[Inst]) {}
}

/// Watches nothing.
pub struct NoObserver;

impl Observer for NoObserver {}

/// The reason why a function could not be compiled.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum CompileError {
    /// The input is valid and this backend does not support it (yet). Reports show the feature's name.
    #[error("{function}: {feature} is not supported ({pass})")]
    Unsupported {
        /// The function's name.
        function: String,
        /// The pass that does not support it.
        pass: &'static str,
        /// The feature's name.
        feature: String,
    },
    /// A stage broke its contract: a fault of the backend.
    #[error("{function}: {pass}: {reason}")]
    Internal {
        /// The function's name.
        function: String,
        /// The pass that noticed.
        pass: &'static str,
        /// The fault.
        reason: String,
    },
}

impl CompileError {
    /// The input is valid, and `pass` does not support `feature`.
    pub fn unsupported(function: &Function, pass: &'static str, feature: impl Into<String>) -> CompileError {
        CompileError::Unsupported { function: function.name.clone(), pass, feature: feature.into() }
    }

    /// `pass` broke its contract, or the pass before it did.
    pub fn internal(function: &Function, pass: &'static str, reason: impl Into<String>) -> CompileError {
        CompileError::Internal { function: function.name.clone(), pass, reason: reason.into() }
    }
}
