//! The extensions of AArch64.

use crate::{FeatureDesc, Features, RuleChange};

/// Operations on memory: the Large System Extensions of Armv8.1.
pub const LSE: Features = Features::bit(0);

/// The options of AArch64, in the order of reports.
pub static OPTIONS: &[FeatureDesc] = &[FeatureDesc {
    name: "lse",
    feature: LSE,
    rules: RuleChange::Crossed,
    implies: Features::empty(),
    beside: Features::empty(),
}];
