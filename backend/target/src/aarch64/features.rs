//! The extensions of AArch64.

use crate::RuleChange::{Apart, Crossed};
use crate::{FeatureDesc, Features};

/// Operations on memory: the Large System Extensions of Armv8.1.
pub const LSE: Features = Features::bit(0);
/// Arithmetic on floating point of 16 bits, of Armv8.2.
pub const FULLFP16: Features = Features::bit(1);

const NONE: Features = Features::empty();

/// The options of AArch64, in the order of reports.
pub static OPTIONS: &[FeatureDesc] = &[
    FeatureDesc { name: "lse", feature: LSE, rules: Crossed, implies: NONE, beside: NONE },
    FeatureDesc { name: "fullfp16", feature: FULLFP16, rules: Apart, implies: NONE, beside: NONE },
];
