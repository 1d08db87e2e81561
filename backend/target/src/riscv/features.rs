//! The extensions of RISC-V, and the register width as a feature.

use crate::RuleChange::{Apart, Crossed, No};
use crate::{FeatureDesc, Features};

/// Multiplication and division.
pub const M: Features = Features::bit(0);
/// Shifted addition.
pub const ZBA: Features = Features::bit(1);
/// Minimum, maximum, counting, rotation, byte reversal, logic with a complement.
pub const ZBB: Features = Features::bit(2);
/// Single bits.
pub const ZBS: Features = Features::bit(3);
/// Conditional zero.
pub const ZICOND: Features = Features::bit(4);
/// Compressed instructions.
pub const C: Features = Features::bit(5);
/// Atomic operations: reservations, and operations on memory.
pub const A: Features = Features::bit(6);
/// Floating point of 32 bits.
pub const F: Features = Features::bit(7);
/// Floating point of 64 bits.
pub const D: Features = Features::bit(8);
/// Floating point of 16 bits: moves, and conversions to other formats.
pub const ZFHMIN: Features = Features::bit(9);
/// Floating point of 16 bits: arithmetic.
pub const ZFH: Features = Features::bit(10);
/// More operations of floating point: constants, extrema that keep a NaN, rounding to an integral value.
pub const ZFA: Features = Features::bit(11);
/// Registers of 64 bits: part of the machine, not an option.
pub const RV64: Features = Features::bit(16);
/// Registers of 32 bits.
pub const RV32: Features = Features::bit(17);

const NONE: Features = Features::empty();

/// The options of RISC-V, in the order of reports.
pub static OPTIONS: &[FeatureDesc] = &[
    FeatureDesc { name: "m", feature: M, rules: Crossed, implies: NONE, beside: NONE },
    FeatureDesc { name: "zba", feature: ZBA, rules: No, implies: NONE, beside: NONE },
    FeatureDesc { name: "zbb", feature: ZBB, rules: Crossed, implies: NONE, beside: NONE },
    FeatureDesc { name: "zbs", feature: ZBS, rules: No, implies: NONE, beside: NONE },
    FeatureDesc { name: "a", feature: A, rules: Apart, implies: NONE, beside: NONE },
    FeatureDesc { name: "f", feature: F, rules: Apart, implies: NONE, beside: NONE },
    FeatureDesc { name: "d", feature: D, rules: Crossed, implies: F, beside: NONE },
    FeatureDesc { name: "zfhmin", feature: ZFHMIN, rules: Apart, implies: F, beside: D },
    FeatureDesc { name: "zfh", feature: ZFH, rules: Apart, implies: F.union(ZFHMIN), beside: D },
    FeatureDesc { name: "zfa", feature: ZFA, rules: Apart, implies: F, beside: D.union(ZFHMIN).union(ZFH) },
    FeatureDesc { name: "c", feature: C, rules: No, implies: NONE, beside: NONE },
    FeatureDesc { name: "zicond", feature: ZICOND, rules: No, implies: NONE, beside: NONE },
];
