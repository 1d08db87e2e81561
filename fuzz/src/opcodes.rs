//! Opcodes of one shape: what the generator chooses from, and what an edit may put in the place of what.

use tribunal_ir::Opcode::{self, *};

/// One result from two operands, all of one type; total.
pub const PLAIN: &[Opcode] = &[G_ADD, G_SUB, G_MUL, G_AND, G_OR, G_XOR, G_SMIN, G_SMAX, G_UMIN, G_UMAX];
/// The same, of which real code has few.
pub const BEYOND: &[Opcode] = &[
    G_UADDSAT,
    G_SADDSAT,
    G_USUBSAT,
    G_SSUBSAT,
    G_UMULH,
    G_SMULH,
    G_ABDS,
    G_ABDU,
    G_UAVGFLOOR,
    G_UAVGCEIL,
    G_SAVGFLOOR,
    G_SAVGCEIL,
];
pub const DIVISIONS: &[Opcode] = &[G_UDIV, G_SDIV, G_UREM, G_SREM];
pub const SHIFTS: &[Opcode] = &[G_SHL, G_LSHR, G_ASHR];
pub const SATURATING_SHIFTS: &[Opcode] = &[G_USHLSAT, G_SSHLSAT];
/// A value and a flag.
pub const OVERFLOWS: &[Opcode] = &[G_UADDO, G_USUBO, G_SADDO, G_SSUBO, G_UMULO, G_SMULO];
/// The same from two values and a flag.
pub const CARRIES: &[Opcode] = &[G_UADDE, G_USUBE, G_SADDE, G_SSUBE];
pub const UNSIGNED_FIXED_POINT: &[Opcode] = &[G_UMULFIX, G_UMULFIXSAT];
pub const SIGNED_FIXED_POINT: &[Opcode] = &[G_SMULFIX, G_SMULFIXSAT];
/// One result of one operand, of any types.
pub const COUNTS: &[Opcode] = &[G_CTLZ, G_CTTZ, G_CTLZ_ZERO_UNDEF, G_CTTZ_ZERO_UNDEF];
