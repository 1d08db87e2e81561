//! How far a function has come from generic instructions to machine code: the language between two passes.
//!
//! In text a stage follows from the function's properties where they tell it; LLVM has none for the others. There a
//! comment `# stage: NAME` at the head of the function's document says it, which LLVM skips:
//!
//! ```text
//! ---
//! # stage: edges-split
//! name:            f
//! selected: true
//! ```
//!
//! Invariant: stages are ordered as passes are, and each includes what the stages before it promise. A stage that
//! contradicts the properties is no error of the reader; the machine verifier's rule `stage-properties` finds it.

use crate::function::{Function, Properties};
use std::fmt;

/// The stage of a function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Stage {
    /// After LLVM's IR translator: generic instructions of any type.
    #[default]
    Generic,
    /// Every generic instruction is legal.
    Legalized,
    /// Every generic register has a bank.
    BankSelected,
    /// Machine instructions on virtual registers of classes, in SSA form.
    Selected,
    /// No critical edge is left, and no block falls through.
    EdgesSplit,
    /// Physical registers and spill slots; no PHI is left.
    Allocated,
    /// Stack objects are offsets from the stack pointer, between a prologue and epilogues.
    FrameLowered,
    /// Every branch reaches its target.
    BranchesRelaxed,
}

impl Stage {
    /// Every stage, in order.
    pub const ALL: [Stage; 8] = [
        Stage::Generic,
        Stage::Legalized,
        Stage::BankSelected,
        Stage::Selected,
        Stage::EdgesSplit,
        Stage::Allocated,
        Stage::FrameLowered,
        Stage::BranchesRelaxed,
    ];

    /// Its name in text.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Generic => "generic",
            Stage::Legalized => "legalized",
            Stage::BankSelected => "bank-selected",
            Stage::Selected => "selected",
            Stage::EdgesSplit => "edges-split",
            Stage::Allocated => "allocated",
            Stage::FrameLowered => "frame-lowered",
            Stage::BranchesRelaxed => "branches-relaxed",
        }
    }

    /// The stage of this name.
    pub fn named(name: &str) -> Option<Stage> {
        Stage::ALL.into_iter().find(|stage| stage.name() == name)
    }

    /// The properties that every function of this stage has. LLVM may drop those of the generic stages once a function
    /// is selected.
    pub fn properties(self) -> Properties {
        match self {
            Stage::Generic => Properties::empty(),
            Stage::Legalized => Properties::LEGALIZED,
            Stage::BankSelected => Properties::LEGALIZED | Properties::REG_BANK_SELECTED,
            Stage::Selected | Stage::EdgesSplit => Properties::SELECTED,
            Stage::Allocated | Stage::FrameLowered | Stage::BranchesRelaxed => {
                Properties::SELECTED | Properties::NO_PHIS | Properties::NO_VREGS
            }
        }
    }

    /// The stage that properties tell: of the stages that they allow, the last one that they distinguish from the one
    /// before.
    pub fn of(properties: Properties) -> Stage {
        let told = [Stage::Allocated, Stage::Selected, Stage::BankSelected, Stage::Legalized];
        told.into_iter().find(|stage| properties.contains(stage.properties())).unwrap_or_default()
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Function {
    /// The name of the property by which a compiler says that it gave up, if it did. Such a function is at no stage:
    /// generic instructions may be left beside selected ones, and no judge holds for it.
    pub fn gave_up(&self) -> Option<&'static str> {
        self.properties.contains(Properties::FAILED_ISEL).then_some("failedISel")
    }
}
