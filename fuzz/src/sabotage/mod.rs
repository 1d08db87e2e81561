//! Known miscompiles, planted one at a time: the judges are measured by those that they kill (mutation testing).
//!
//! A fault changes the output of one application of a rule, the output of a pass, or the bytes, but never the product's
//! code. It acts wherever its rule does, as the wrong rule would; so blame must name one of the rules in which it
//! acted.

mod atomics;
mod banks;
mod emission;
mod flow;
mod instructions;
mod legalization;
mod measure;
mod numbers;
mod registers;
mod selection;
mod site;
mod stages;
mod tables;
mod threads;
mod volatile;
mod written;

pub use measure::{Kill, Trial, TrialLimits, trial};
pub use site::Site;

use rustc_hash::FxHashSet;
use tribunal_codegen::Observer;
use tribunal_codegen::pipeline::{Code, PIPELINE, Pass};
use tribunal_ir::{Function, Inst, InstData};
use tribunal_target::{Features, Target};
use tribunal_trial::crash::{CrashHeader, CrashHeaderError};

// Targets that a fault is planted on.
const BOTH: &[&str] = &["riscv64", "aarch64"];
const RISCV: &[&str] = &["riscv64", "riscv32"];
const RV64: &[&str] = &["riscv64"];
const RV32: &[&str] = &["riscv32"];
const A64: &[&str] = &["aarch64"];
const ALL: &[&str] = &["riscv64", "riscv32", "aarch64"];

/// One known miscompile.
#[derive(Debug)]
pub struct Fault {
    /// In kebab case.
    pub name: &'static str,
    /// The report that it is modelled on, or its kind.
    pub model: &'static str,
    /// Names of the targets that it is planted on.
    pub targets: &'static [&'static str],
    /// Its place and its change.
    pub plant: Plant,
    /// The programs before which it is planted.
    pub programs: Programs,
}

/// The programs that show a fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Programs {
    /// Those of the generator.
    Generated,
    /// The same for a machine with instructions of floating point.
    GeneratedForFloats,
    /// The same for a machine with operations on memory.
    GeneratedForAtomics,
    /// Those of [`written`]: the generator makes none with what the fault changes.
    Written,
}

/// The place where a fault acts, and its change: `None` if there is nothing to change.
#[derive(Debug)]
pub enum Plant {
    /// On the instructions that a rule wrote.
    Rewrite(Rules, fn(&mut Site<'_>) -> Option<()>),
    /// On the output of the pass of this name.
    Stage(&'static str, fn(&mut Function, &'static Target) -> Option<()>),
    /// On one of the instructions that a rule of this pass wrote; of a pass without rules, on the last of its output.
    Inst(&'static str, fn(&mut InstData, &'static Target) -> Option<()>),
    /// On the code.
    Emission(fn(&mut Code, &'static Target) -> Option<()>),
}

/// The rules in which a fault acts.
#[derive(Debug)]
pub enum Rules {
    /// Legality rules of these opcodes, by the builder method that made them.
    Legality(&'static [&'static str], &'static [&'static str]),
    /// Rules of these names, without the target's.
    Named(&'static [&'static str]),
}

impl Rules {
    fn holds(&self, rule: &str) -> bool {
        match self {
            Rules::Legality(opcodes, methods) => {
                let mut words = rule.split([' ', '#']).skip(1);
                let opcode = words.next().is_some_and(|opcode| opcodes.contains(&opcode));
                opcode && words.nth(1).is_some_and(|method| methods.contains(&method))
            }
            Rules::Named(names) => rule.split_once(' ').is_some_and(|(_, name)| names.contains(&name)),
        }
    }
}

/// A fault in the output of the pass of this name.
const fn staged(
    name: &'static str,
    model: &'static str,
    targets: &'static [&'static str],
    pass: &'static str,
    change: fn(&mut Function, &'static Target) -> Option<()>,
) -> Fault {
    Fault { name, model, targets, plant: Plant::Stage(pass, change), programs: Programs::Generated }
}

/// Rows of faults that are planted in each of several passes: name, model, targets, passes, change. The pass ends the
/// name.
macro_rules! each_pass {
    ($plant:ident: $($name:literal, $model:literal, $targets:expr, [$($pass:literal),+], $change:expr;)+) => {
        [$($(Fault {
            name: concat!($name, "-by-", $pass),
            model: $model,
            targets: $targets,
            plant: Plant::$plant($pass, $change),
            programs: super::Programs::Generated,
        },)+)+]
    };
}
use each_pass;

/// The passes that rewrite by rules: their instructions are some rule's.
const BY_RULES: [&str; 2] = ["legalize", "select"];

/// The last instruction that `change` changes.
fn damaged(function: &mut Function, insts: &[Inst], change: impl Fn(&mut InstData) -> Option<()>) -> Option<()> {
    insts.iter().rev().find_map(|&inst| {
        let mut data = function.inst(inst).clone();
        change(&mut data)?;
        function.replace(inst, data);
        Some(())
    })
}

impl Fault {
    /// The features of the machine that its programs are compiled for.
    pub fn features(&self, target: &Target) -> Features {
        match self.programs {
            Programs::Generated => target.default_features,
            Programs::GeneratedForFloats => {
                target.changed(target.default_features, "+d").unwrap_or(target.default_features)
            }
            Programs::GeneratedForAtomics => {
                target.changed(target.default_features, "+a").unwrap_or(target.default_features)
            }
            Programs::Written => target.default_features | (written::FEATURES & target.all_options()),
        }
    }

    /// The layer that it breaks: a pass's name, or `emit`.
    pub fn layer(&self) -> &'static str {
        match &self.plant {
            Plant::Rewrite(Rules::Legality(..), _) => "legalize",
            Plant::Rewrite(Rules::Named(names), _) if names.iter().all(|name| legalization::is_combine(name)) => {
                "legalize"
            }
            Plant::Rewrite(..) => "select",
            Plant::Stage(pass, _) | Plant::Inst(pass, _) => pass,
            Plant::Emission(_) => "emit",
        }
    }
}

/// Every fault, layer by layer.
pub fn faults() -> impl Iterator<Item = &'static Fault> {
    legalization::FAULTS
        .iter()
        .chain(selection::FAULTS)
        .chain(numbers::FAULTS)
        .chain(stages::FAULTS)
        .chain(volatile::FAULTS)
        .chain(atomics::FAULTS)
        .chain(flow::FAULTS)
        .chain(instructions::FAULTS)
        .chain(registers::FAULTS)
        .chain(banks::FAULTS)
        .chain(tables::FAULTS)
        .chain(threads::FAULTS)
        .chain(written::FAULTS)
        .chain(emission::FAULTS)
}

/// The fault of this name.
pub fn named(name: &str) -> Option<&'static Fault> {
    faults().find(|fault| fault.name == name)
}

/// A planter of the fault that a crash header names; `None` if it names none.
///
/// # Errors
/// No fault has this name.
pub fn of_crash_file(header: &CrashHeader, target: &'static Target) -> Result<Option<Planter>, CrashHeaderError> {
    let Some(name) = &header.sabotage else { return Ok(None) };
    let unknown = || CrashHeaderError { line: format!("sabotage: {name}"), reason: "unknown fault" };
    named(name).map(|fault| Some(Planter::new(target, fault))).ok_or_else(unknown)
}

/// Plants one fault, and records the rules or passes in which it acted.
pub struct Planter {
    target: &'static Target,
    fault: &'static Fault,
    acted: FxHashSet<&'static str>,
}

impl Planter {
    /// Plants `fault` wherever `target` has a place for it.
    pub fn new(target: &'static Target, fault: &'static Fault) -> Planter {
        Planter { target, fault, acted: FxHashSet::default() }
    }

    /// `None` if the fault is none of the target's.
    pub fn on(target: &'static Target, fault: &'static Fault) -> Option<Planter> {
        fault.targets.contains(&target.name).then(|| Planter::new(target, fault))
    }

    /// True if `guilty` names a rule or a pass in which the fault acted.
    pub fn acted_in(&self, guilty: &str) -> bool {
        self.acted.contains(guilty)
    }

    /// True if the fault acted at all.
    pub fn acted(&self) -> bool {
        !self.acted.is_empty()
    }

    fn record(&mut self, place: &'static str, change: Option<()>) {
        if change.is_some() {
            self.acted.insert(place);
        }
    }
}

impl Observer for Planter {
    fn after_pass(&mut self, pass: &'static Pass, function: &mut Function) {
        let changed = match &self.fault.plant {
            Plant::Stage(name, change) if *name == pass.name => change(function, self.target),
            Plant::Inst(name, change) if *name == pass.name && !BY_RULES.contains(name) => {
                let insts: Vec<Inst> = function.all_insts().collect();
                damaged(function, &insts, |data| change(data, self.target))
            }
            _ => None,
        };
        self.record(pass.name, changed);
    }

    fn step(&mut self, rule: &'static str, function: &mut Function, before: &[InstData], after: &mut Vec<Inst>) {
        let changed = match &self.fault.plant {
            Plant::Rewrite(rules, change) if rules.holds(rule) => {
                change(&mut Site { function, before, after, target: self.target })
            }
            // A pass has the stage that it begins at until it ends.
            Plant::Inst(name, change) if PIPELINE.iter().any(|p| p.name == *name && p.from == function.stage) => {
                damaged(function, after, |data| change(data, self.target))
            }
            _ => None,
        };
        self.record(rule, changed);
    }

    fn fault(&self) -> Option<&'static str> {
        Some(self.fault.name)
    }

    fn after_emission(&mut self, code: &mut Code) {
        if let Plant::Emission(change) = &self.fault.plant {
            self.record("emit", change(code, self.target));
        }
    }
}
