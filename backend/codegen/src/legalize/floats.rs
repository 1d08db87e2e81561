//! Operations on numbers of floating point that need only their bits: the sign is the highest.

use super::recipe::Recipe;
use tribunal_ir::{Bits, Opcode, Operand, Type, VReg};

/// The constant's bits.
pub(super) fn constant(r: &mut Recipe<'_>) {
    let Some(Operand::Float(constant)) = r.data.operands.get(1).copied() else { return };
    let Some(bits) = r.builder.function.float_bits(constant) else { return };
    let dst = r.dst();
    r.builder.define_constant(dst, bits);
}

/// The sign alone.
fn sign_mask(r: &mut Recipe<'_>, ty: Type) -> VReg {
    r.builder.constant(ty, Bits::signed_min(ty.bits()))
}

/// All bits but the sign.
fn magnitude_mask(r: &mut Recipe<'_>, ty: Type) -> VReg {
    r.mask(ty, ty.bits() - 1)
}

/// `G_FNEG` and `G_FABS`: the sign changed, or cleared.
pub(super) fn with_sign(r: &mut Recipe<'_>) {
    let (source, dst) = (r.register(1), r.dst());
    let ty = r.type_of(dst);
    match r.data.opcode {
        Opcode::G_FNEG => {
            let mask = sign_mask(r, ty);
            r.define(dst, Opcode::G_XOR, &[source, mask]);
        }
        _ => {
            let mask = magnitude_mask(r, ty);
            r.define(dst, Opcode::G_AND, &[source, mask]);
        }
    }
}

/// The magnitude of one number and the sign of another, which may be of another format.
pub(super) fn copy_sign(r: &mut Recipe<'_>) {
    use Opcode::*;
    let (magnitude, sign, dst) = (r.register(1), r.register(2), r.dst());
    let (ty, from) = (r.type_of(dst), r.type_of(sign));
    let sign = match ty.bits().cmp(&from.bits()) {
        std::cmp::Ordering::Equal => sign,
        std::cmp::Ordering::Less => {
            let moved = r.shift(G_LSHR, sign, from.bits() - ty.bits());
            r.op(ty, G_TRUNC, &[moved])
        }
        std::cmp::Ordering::Greater => {
            let wide = r.op(ty, G_ANYEXT, &[sign]);
            r.shift(G_SHL, wide, ty.bits() - from.bits())
        }
    };
    let (all, top) = (magnitude_mask(r, ty), sign_mask(r, ty));
    let (magnitude, sign) = (r.op(ty, G_AND, &[magnitude, all]), r.op(ty, G_AND, &[sign, top]));
    r.define(dst, G_OR, &[magnitude, sign]);
}
