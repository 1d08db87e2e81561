//! Widening: the operation in a wider type, the result truncated.
//!
//! The high bits that the operation needs decide the extension of each source: any-extension where they do not matter.
//! Flags that promise something of the narrow result are dropped, since the wide result does not keep the promise.
//!
//! A number of floating point is extended to a wider format, in which the operation rounds, and its result is rounded
//! again. That is right where the wider format is wide enough for the operation: the legality rules say which is, and
//! the prover (`verifier/src/prover/double_rounding`) why.

use super::atomics;
use super::recipe::{Flags, Recipe};
use tribunal_ir::inst::Operands;
use tribunal_ir::opcode::TypeClass;
use tribunal_ir::{Bits, Family, Opcode, OpcodeInfo, Operand, Type, VReg};

/// Widens type `index` to `ty`; false if there is no recipe.
pub(super) fn widen(r: &mut Recipe<'_>, index: usize, ty: Type) -> bool {
    use Opcode::*;
    match (r.data.opcode, index) {
        (opcode, _) if is_number(opcode, index) => number(r, index, ty),
        (G_ADD | G_SUB | G_MUL | G_AND | G_OR | G_XOR, 0) => binary(r, ty, G_ANYEXT, G_ANYEXT),
        (G_UDIV | G_UREM, 0) => binary(r, ty, G_ZEXT, G_ZEXT),
        (G_SDIV | G_SREM, 0) => binary(r, ty, G_SEXT, G_SEXT),
        (G_SHL, 0) => shifted(r, ty, G_ANYEXT),
        (G_LSHR, 0) => shifted(r, ty, G_ZEXT),
        (G_ASHR, 0) => shifted(r, ty, G_SEXT),
        (G_SHL | G_LSHR | G_ASHR, 1) => source(r, 2, ty, G_ZEXT, Flags::Keep),
        (G_FREEZE | G_CONSTANT_FOLD_BARRIER, 0) => unary(r, ty, G_ANYEXT),
        (G_SEXT_INREG, 0) => sext_inreg(r, ty),
        (G_IMPLICIT_DEF, 0) => implicit_def(r, ty),
        (G_CONSTANT, 0) => constant(r, ty),
        (G_PHI, 0) => phi(r, ty),
        (G_ICMP | G_FCMP | G_IS_FPCLASS | G_FPTOSI | G_FPTOUI, 0) => result(r, ty),
        (opcode, 0) if opcode.family() == Some(Family::FloatRounding) => result(r, ty),
        (G_FPTOSI_SAT | G_FPTOUI_SAT, 0) => saturated(r, ty),
        (G_ICMP, 1) => compared(r, ty),
        (G_SELECT, 0) => selected(r, ty),
        (G_SELECT, 1) => source(r, 1, ty, G_ZEXT, Flags::Keep),
        (G_BRCOND, 0) => source(r, 0, ty, G_ZEXT, Flags::Keep),
        (G_SITOFP, 1) => source(r, 1, ty, G_SEXT, Flags::Keep),
        (G_UITOFP, 1) => source(r, 1, ty, G_ZEXT, Flags::Keep),
        (G_INTTOPTR, 1) => source(r, 1, ty, G_ZEXT, Flags::Keep),
        (G_PTRTOINT | G_LOAD | G_ZEXTLOAD | G_SEXTLOAD, 0) => result(r, ty),
        (G_STORE, 0) => source(r, 0, ty, G_ANYEXT, Flags::Keep),
        (G_BSWAP | G_BITREVERSE, 0) => high_aligned(r, ty),
        (G_UMULH, 0) => high_product(r, ty, G_ZEXT),
        (G_SMULH, 0) => high_product(r, ty, G_SEXT),
        (G_CTPOP | G_CTLZ | G_CTTZ, 0) => result(r, ty),
        (opcode, 0) if opcode.family() == Some(Family::FloatEnvironment) => match r.data.vreg_defs().next() {
            Some(_) => result(r, ty),
            None => source(r, 0, ty, G_ZEXT, Flags::Keep),
        },
        (G_CTLZ, 1) => leading_zeros(r, ty),
        (G_CTTZ, 1) => trailing_zeros(r, ty),
        (G_CTPOP, 1) => source(r, 1, ty, G_ZEXT, Flags::Keep),
        (opcode, 0) if opcode.family() == Some(Family::Atomic) => atomics::widen(r, ty),
        _ => return false,
    }
    true
}

/// True if values of this type index are numbers of floating point.
fn is_number(opcode: Opcode, index: usize) -> bool {
    opcode.info().and_then(|info| info.class_of(index)) == Some(TypeClass::Float)
}

/// The operation on numbers of a wider format: operands are extended, and results are rounded back.
fn number(r: &mut Recipe<'_>, index: usize, ty: Type) {
    let kinds = r.data.opcode.info().into_iter().flat_map(OpcodeInfo::operands);
    let (mut operands, mut results) = (r.data.operands(), Vec::new());
    for (operand, _) in operands.iter_mut().zip(kinds).filter(|(_, kind)| kind.type_index() == Some(index)) {
        let Some(narrow) = operand.as_vreg() else { continue };
        if operand.is_def() {
            let wide = r.builder.function.new_vreg(ty);
            results.push((narrow, wide));
            *operand = Operand::def(wide);
        } else {
            *operand = Operand::used(r.op(ty, Opcode::G_FPEXT, &[narrow]));
        }
    }
    r.rewritten(operands, Flags::Drop);
    for (narrow, wide) in results {
        r.define(narrow, Opcode::G_FPTRUNC, &[wide]);
    }
}

/// A wide result of the same instruction, truncated.
fn result(r: &mut Recipe<'_>, ty: Type) {
    let wide = r.builder.function.new_vreg(ty);
    let mut operands = r.data.operands();
    operands[0] = Operand::def(wide);
    r.rewritten(operands, Flags::Keep);
    let dst = r.dst();
    r.define(dst, Opcode::G_TRUNC, &[wide]);
}

/// A wide result of the same instruction, brought into the range of the narrow one, and truncated.
fn saturated(r: &mut Recipe<'_>, ty: Type) {
    use Opcode::*;
    let (source, dst) = (r.register(1), r.dst());
    let bits = r.bits_of(dst);
    let wide = r.op(ty, r.data.opcode, &[source]);
    let clamped = if r.data.opcode == G_FPTOSI_SAT {
        let least = Bits::signed_min(bits);
        let [least, greatest] =
            [least, least.not()].map(|bound| r.builder.constant(ty, bound.sext_or_trunc(ty.bits())));
        let above = r.op(ty, G_SMAX, &[wide, least]);
        r.op(ty, G_SMIN, &[above, greatest])
    } else {
        let greatest = r.mask(ty, bits);
        r.op(ty, G_UMIN, &[wide, greatest])
    };
    r.define(dst, G_TRUNC, &[clamped]);
}

/// One source extended; the rest stays.
fn source(r: &mut Recipe<'_>, operand: usize, ty: Type, extension: Opcode, flags: Flags) {
    let narrow = r.register(operand);
    let wide = r.op(ty, extension, &[narrow]);
    let mut operands = r.data.operands();
    operands[operand] = Operand::used(wide);
    r.rewritten(operands, flags);
}

fn truncated(r: &mut Recipe<'_>, ty: Type, sources: &[VReg]) {
    let wide = r.op(ty, r.data.opcode, sources);
    let dst = r.dst();
    r.define(dst, Opcode::G_TRUNC, &[wide]);
}

fn unary(r: &mut Recipe<'_>, ty: Type, extension: Opcode) {
    let source = r.register(1);
    let wide = r.op(ty, extension, &[source]);
    truncated(r, ty, &[wide]);
}

fn binary(r: &mut Recipe<'_>, ty: Type, left: Opcode, right: Opcode) {
    let (a, b) = (r.register(1), r.register(2));
    let wide = [r.op(ty, left, &[a]), r.op(ty, right, &[b])];
    truncated(r, ty, &wide);
}

/// The amount keeps its own type: it is less than the narrow width, or the result is poison.
fn shifted(r: &mut Recipe<'_>, ty: Type, extension: Opcode) {
    let (value, amount) = (r.register(1), r.register(2));
    let wide = r.op(ty, extension, &[value]);
    truncated(r, ty, &[wide, amount]);
}

fn sext_inreg(r: &mut Recipe<'_>, ty: Type) {
    let source = r.register(1);
    let wide = r.op(ty, Opcode::G_ANYEXT, &[source]);
    let extended = r.builder.build(ty, Opcode::G_SEXT_INREG, [Operand::used(wide), r.data.operands[2]]);
    let dst = r.dst();
    r.define(dst, Opcode::G_TRUNC, &[extended]);
}

fn implicit_def(r: &mut Recipe<'_>, ty: Type) {
    truncated(r, ty, &[]);
}

fn constant(r: &mut Recipe<'_>, ty: Type) {
    let Some(value) = r.constant_value() else { return };
    let wide = r.builder.constant(ty, value.sext_or_trunc(ty.bits()));
    let dst = r.dst();
    r.define(dst, Opcode::G_TRUNC, &[wide]);
}

/// Each value is extended at the end of its predecessor.
fn phi(r: &mut Recipe<'_>, ty: Type) {
    let wide = r.builder.function.new_vreg(ty);
    let mut operands = Operands::with_capacity(r.data.operands.len());
    operands.push(Operand::def(wide));
    for (value, block) in r.data.phi_inputs() {
        let extended = r.in_predecessor(block, |r| r.op(ty, Opcode::G_ANYEXT, &[value]));
        operands.extend([Operand::used(extended), Operand::Block(block)]);
    }
    r.rewritten(operands, Flags::Drop);
    r.after_phis();
    let dst = r.dst();
    r.define(dst, Opcode::G_TRUNC, &[wide]);
}

/// Both sides are extended so that their order is kept.
fn compared(r: &mut Recipe<'_>, ty: Type) {
    let signed = matches!(r.data.operands.get(1), Some(Operand::Predicate(predicate)) if predicate.is_signed());
    let extension = if signed { Opcode::G_SEXT } else { Opcode::G_ZEXT };
    let (a, b) = (r.register(2), r.register(3));
    let wide = [r.op(ty, extension, &[a]), r.op(ty, extension, &[b])];
    let operands = [r.data.operands[0], r.data.operands[1], Operand::used(wide[0]), Operand::used(wide[1])];
    r.rewritten(operands.into(), Flags::Drop);
}

fn selected(r: &mut Recipe<'_>, ty: Type) {
    let (condition, a, b) = (r.register(1), r.register(2), r.register(3));
    let wide = [r.op(ty, Opcode::G_ANYEXT, &[a]), r.op(ty, Opcode::G_ANYEXT, &[b])];
    truncated(r, ty, &[condition, wide[0], wide[1]]);
}

/// Reversals put the narrow value's bits at the top of the wide result.
fn high_aligned(r: &mut Recipe<'_>, ty: Type) {
    let source = r.register(1);
    let difference = ty.bits() - r.bits_of(source);
    let wide = r.op(ty, Opcode::G_ANYEXT, &[source]);
    let reversed = r.op(ty, r.data.opcode, &[wide]);
    let low = r.shift(Opcode::G_LSHR, reversed, difference);
    let dst = r.dst();
    r.define(dst, Opcode::G_TRUNC, &[low]);
}

/// One operand at the top of the wide type: the high half of the product then is that of the narrow one.
fn high_product(r: &mut Recipe<'_>, ty: Type, extension: Opcode) {
    let (a, b) = (r.register(1), r.register(2));
    let difference = ty.bits() - r.bits_of(a);
    let (a, b) = (r.op(ty, extension, &[a]), r.op(ty, extension, &[b]));
    let top = r.shift(Opcode::G_SHL, a, difference);
    truncated(r, ty, &[top, b]);
}

/// The wide value has more leading zeros, by the difference of the widths.
fn leading_zeros(r: &mut Recipe<'_>, ty: Type) {
    let (source, dst) = (r.register(1), r.dst());
    let (count, difference) = (r.type_of(dst), ty.bits() - r.bits_of(source));
    let wide = r.op(ty, Opcode::G_ZEXT, &[source]);
    let zeros = r.op(count, Opcode::G_CTLZ, &[wide]);
    let difference = r.builder.constant(count, Bits::new(difference.into(), count.bits()));
    r.define(dst, Opcode::G_SUB, &[zeros, difference]);
}

/// A set bit just above the narrow value ends the count there.
fn trailing_zeros(r: &mut Recipe<'_>, ty: Type) {
    let (source, dst) = (r.register(1), r.dst());
    let end = Bits::one_bit(r.bits_of(source), ty.bits());
    let wide = r.op(ty, Opcode::G_ANYEXT, &[source]);
    let end = r.builder.constant(ty, end);
    let ended = r.op(ty, Opcode::G_OR, &[wide, end]);
    r.define(dst, Opcode::G_CTTZ, &[ended]);
}
