//! The transformations, from generic machine IR to an object file.
//!
//! Every pass is a row of [`pipeline::PIPELINE`], with the stages that it begins and ends at. The [`Observer`]
//! sees every pass and every rewrite step: no pass can opt out of being judged.
//!
//! A function that is built, and its object:
//!
//! ```
//! use tribunal_codegen::call_lowering::{CallLowering, ArgumentExtension};
//! use tribunal_codegen::{Context, NoObserver, Options, emit, pipeline};
//! use tribunal_ir::types::S64;
//! use tribunal_ir::{Builder, Function, Opcode, Position, RelocationModel};
//!
//! let target = tribunal_target::by_name("riscv64").unwrap();
//! let (mut function, lowering) = (Function::new("f"), CallLowering { target });
//! let entry = function.new_block();
//! let mut builder = Builder::new(&mut function, Position::AtEnd(entry));
//! let arguments = lowering.formal_arguments(&mut builder, &[S64.into(), S64.into()])?;
//! let sum = builder.op(S64, Opcode::G_ADD, &arguments);
//! let called = lowering.call(&mut builder, "g", &[(sum, ArgumentExtension::Any)], &[S64.into()])?;
//! lowering.return_values(&mut builder, &[(called[0], ArgumentExtension::Any)])?;
//!
//! let options = Options::new(target.default_features);
//! let legalizer = (target.legality)(options.features);
//! let mut context = Context { target, options, legalizer, observer: &mut NoObserver };
//! let code = pipeline::compile(&mut function, &mut context)?;
//! let object = emit::object(&[code], None, RelocationModel::Static, target)?;
//! assert!(object.starts_with(b"\x7fELF"));
//! # Ok::<(), tribunal_codegen::CompileError>(())
//! ```
//!
//! Architecture invariant: nothing here judges; nothing here depends on a judge.

pub mod allocate;
pub mod bank_select;
pub mod call_lowering;
pub mod emit;
mod floats;
pub mod frame;
pub mod frequencies;
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

impl Allocator {
    /// Every allocator.
    pub const ALL: [Allocator; 2] = [Allocator::Ion, Allocator::Fastalloc];

    /// The name in commands and crash files.
    pub fn name(self) -> &'static str {
        match self {
            Allocator::Ion => "ion",
            Allocator::Fastalloc => "fastalloc",
        }
    }

    /// The allocator of this name.
    pub fn named(name: &str) -> Option<Allocator> {
        Allocator::ALL.into_iter().find(|allocator| allocator.name() == name)
    }
}

/// The way in which register banks are selected: LLVM's `RegBankSelect::Mode`, and one more.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum BankSelectMode {
    /// Each operation has its default mapping.
    Fast,
    /// Each operation takes the mapping that is the cheapest where it stands.
    Greedy,
    /// The cheapest banks for the whole function.
    #[default]
    Global,
}

impl BankSelectMode {
    /// Every mode.
    pub const ALL: [BankSelectMode; 3] = [BankSelectMode::Fast, BankSelectMode::Greedy, BankSelectMode::Global];

    /// The name in commands and crash files.
    pub fn name(self) -> &'static str {
        match self {
            BankSelectMode::Fast => "fast",
            BankSelectMode::Greedy => "greedy",
            BankSelectMode::Global => "global",
        }
    }

    /// The mode of this name.
    pub fn named(name: &str) -> Option<BankSelectMode> {
        BankSelectMode::ALL.into_iter().find(|mode| mode.name() == name)
    }
}

/// The options of a compilation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Optional parts of the instruction set that may be used.
    pub features: Features,
    /// The register allocator that runs.
    pub allocator: Allocator,
    /// The way in which register banks are selected.
    pub bank_select: BankSelectMode,
}

impl Options {
    /// The usual allocator and the usual banks, for a machine with these features.
    pub const fn new(features: Features) -> Options {
        Options { features, allocator: Allocator::Ion, bank_select: BankSelectMode::Global }
    }
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

/// The one hook of a compilation. Judges watch it, and change nothing; a saboteur plants faults for them, and stands
/// before them in [`Observers`].
pub trait Observer {
    /// After each pass, with its postconditions in place.
    fn after_pass(&mut self, _pass: &'static pipeline::Pass, _function: &mut Function) {}

    /// True if [`Observer::step`] wants to be called; only then are the replaced instructions copied.
    fn wants_steps(&self) -> bool {
        true
    }

    /// After one application of one rule. `before` are the instructions replaced, with those looked through. `after`
    /// are their replacement in execution order, after those looked through that did not die; who changes the function
    /// keeps the list right.
    fn step(&mut self, _rule: &'static str, _function: &mut Function, _before: &[InstData], _after: &mut Vec<Inst>) {}

    /// After emission, before the code goes anywhere.
    fn after_emission(&mut self, _code: &mut pipeline::Code) {}

    /// The name of the known fault that it plants, if it plants one: a crash file says it.
    fn fault(&self) -> Option<&'static str> {
        None
    }
}

/// Several observers, each of which sees what those before it left.
pub struct Observers<'o, const N: usize>(pub [&'o mut dyn Observer; N]);

impl<const N: usize> Observer for Observers<'_, N> {
    fn after_pass(&mut self, pass: &'static pipeline::Pass, function: &mut Function) {
        self.0.iter_mut().for_each(|observer| observer.after_pass(pass, function));
    }

    fn wants_steps(&self) -> bool {
        self.0.iter().any(|observer| observer.wants_steps())
    }

    fn step(&mut self, rule: &'static str, function: &mut Function, before: &[InstData], after: &mut Vec<Inst>) {
        self.0.iter_mut().for_each(|observer| observer.step(rule, function, before, after));
    }

    fn after_emission(&mut self, code: &mut pipeline::Code) {
        self.0.iter_mut().for_each(|observer| observer.after_emission(code));
    }

    fn fault(&self) -> Option<&'static str> {
        self.0.iter().find_map(|observer| observer.fault())
    }
}

/// An observer that may be missing.
impl<O: Observer> Observer for Option<O> {
    fn after_pass(&mut self, pass: &'static pipeline::Pass, function: &mut Function) {
        self.iter_mut().for_each(|observer| observer.after_pass(pass, function));
    }

    fn wants_steps(&self) -> bool {
        self.as_ref().is_some_and(Observer::wants_steps)
    }

    fn step(&mut self, rule: &'static str, function: &mut Function, before: &[InstData], after: &mut Vec<Inst>) {
        self.iter_mut().for_each(|observer| observer.step(rule, function, before, after));
    }

    fn after_emission(&mut self, code: &mut pipeline::Code) {
        self.iter_mut().for_each(|observer| observer.after_emission(code));
    }

    fn fault(&self) -> Option<&'static str> {
        self.as_ref().and_then(Observer::fault)
    }
}

/// Watches nothing.
pub struct NoObserver;

impl Observer for NoObserver {
    fn wants_steps(&self) -> bool {
        false
    }
}

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
