//! Narrowing: a value split into parts that the target holds, each computed by itself.

use super::memory;
use super::recipe::{Flags, Recipe};
use tribunal_ir::{InstData, IntPredicate, Opcode, Operand, Type, VReg};

/// Splits type `index` into parts of `ty`; false if there is no recipe.
pub(super) fn narrow(r: &mut Recipe<'_>, index: usize, ty: Type) -> bool {
    use Opcode::*;
    match (r.data.opcode, index) {
        (G_SHL | G_LSHR | G_ASHR, 1) => return truncate_source(r, 2, ty),
        (G_INTTOPTR, 1) => return truncate_source(r, 1, ty),
        (G_SELECT, 1) => return truncate_source(r, 1, ty),
        (G_BRCOND, 0) => return truncate_source(r, 0, ty),
        (G_LOAD | G_ZEXTLOAD | G_SEXTLOAD, 0) => return memory::narrow_load(r, ty),
        (G_STORE, 0) => return memory::narrow_store(r, ty),
        (G_MERGE_VALUES, 0) => return merge_in_groups(r, ty),
        (G_UNMERGE_VALUES, 1) => return unmerge_in_groups(r, ty),
        (G_ICMP | G_FCMP | G_IS_FPCLASS | G_CTPOP | G_CTLZ | G_CTTZ | G_PTRTOINT, 0) => {
            return extended_result(r, ty);
        }
        _ => {}
    }
    let whole =
        if matches!(r.data.opcode, G_ICMP | G_CTPOP | G_CTLZ | G_CTTZ) { source_bits(r) } else { r.bits_of(r.dst()) };
    if !whole.is_multiple_of(ty.bits()) {
        return false;
    }
    // An operation that splits into halves splits into halves of halves where the parts are smaller.
    let parts = whole / ty.bits();
    let half = if parts.is_power_of_two() && parts > 1 { Type::scalar(whole / 2) } else { ty };
    match r.data.opcode {
        G_AND | G_OR | G_XOR => bitwise(r, ty),
        G_SELECT => select(r, ty),
        G_FREEZE | G_CONSTANT_FOLD_BARRIER => part_by_part(r, ty),
        G_CONSTANT => constant(r, ty, whole),
        G_IMPLICIT_DEF => implicit_def(r, ty, whole),
        G_PHI => phi(r, ty, whole),
        _ if 2 * half.bits() != whole => return false,
        G_ADD => add(r, half),
        G_SUB => subtract(r, half),
        G_MUL => multiply(r, half),
        G_UMULH => high_product(r, half),
        G_SHL | G_LSHR | G_ASHR => return shift(r, half),
        G_ICMP => compare(r, half),
        G_SEXT_INREG => sext_inreg(r, half),
        G_CTPOP => population(r, half),
        G_CTLZ | G_CTTZ => zeros(r, half),
        G_BSWAP | G_BITREVERSE => reverse(r, half),
        _ => return false,
    }
    true
}

/// Bits of the operand that type 1 describes.
fn source_bits(r: &Recipe<'_>) -> u32 {
    r.bits_of(r.register(r.data.operands.len() - 1))
}

/// An amount, offset or condition that matters only in its low part: the bits cut off are zero, or the result is
/// poison.
fn truncate_source(r: &mut Recipe<'_>, operand: usize, ty: Type) -> bool {
    let wide = r.register(operand);
    let narrow = r.op(ty, Opcode::G_TRUNC, &[wide]);
    let mut operands = r.data.operands();
    operands[operand] = Operand::used(narrow);
    r.rewritten(operands, Flags::Drop);
    true
}

/// A small result computed narrow, then zero-extended.
fn extended_result(r: &mut Recipe<'_>, ty: Type) -> bool {
    let narrow = r.builder.function.new_vreg(ty);
    let mut operands = r.data.operands();
    operands[0] = Operand::def(narrow);
    r.rewritten(operands, Flags::Keep);
    let dst = r.dst();
    r.define(dst, Opcode::G_ZEXT, &[narrow]);
    true
}

fn merge_result(r: &mut Recipe<'_>, parts: &[VReg]) {
    let dst = r.dst();
    r.merge(dst, parts);
}

fn bitwise(r: &mut Recipe<'_>, ty: Type) {
    let (a, b) = (r.register(1), r.register(2));
    let (a, b) = (r.unmerge(ty, a), r.unmerge(ty, b));
    let opcode = r.data.opcode;
    let parts: Vec<VReg> = a.into_iter().zip(b).map(|(a, b)| r.op(ty, opcode, &[a, b])).collect();
    merge_result(r, &parts);
}

fn select(r: &mut Recipe<'_>, ty: Type) {
    let (condition, a, b) = (r.register(1), r.register(2), r.register(3));
    let (a, b) = (r.unmerge(ty, a), r.unmerge(ty, b));
    let parts: Vec<VReg> = a.into_iter().zip(b).map(|(a, b)| r.select(condition, a, b)).collect();
    merge_result(r, &parts);
}

fn part_by_part(r: &mut Recipe<'_>, ty: Type) {
    let (source, opcode) = (r.register(1), r.data.opcode);
    let parts: Vec<VReg> = r.unmerge(ty, source).into_iter().map(|part| r.op(ty, opcode, &[part])).collect();
    merge_result(r, &parts);
}

fn constant(r: &mut Recipe<'_>, ty: Type, whole: u32) {
    let Some(value) = r.constant_value() else { return };
    let offsets = (0..whole).step_by(ty.bits() as usize);
    let parts: Vec<VReg> = offsets.map(|offset| r.builder.constant(ty, value.extract(offset, ty.bits()))).collect();
    merge_result(r, &parts);
}

fn implicit_def(r: &mut Recipe<'_>, ty: Type, whole: u32) {
    let parts: Vec<VReg> = (0..whole / ty.bits()).map(|_| r.op(ty, Opcode::G_IMPLICIT_DEF, &[])).collect();
    merge_result(r, &parts);
}

/// Unmerged at the end of each predecessor; one PHI a part.
pub(super) fn phi(r: &mut Recipe<'_>, ty: Type, whole: u32) {
    let count = (whole / ty.bits()) as usize;
    let mut operands: Vec<Vec<Operand>> = vec![Vec::new(); count];
    for (value, block) in r.data.phi_inputs() {
        let parts = r.in_predecessor(block, |r| r.unmerge(ty, value));
        for (operands, part) in operands.iter_mut().zip(parts) {
            operands.extend([Operand::used(part), Operand::Block(block)]);
        }
    }
    let parts: Vec<VReg> = operands.into_iter().map(|operands| r.builder.build(ty, Opcode::G_PHI, operands)).collect();
    r.after_phis();
    merge_result(r, &parts);
}

/// The low and the high half of operand `index`.
fn halves(r: &mut Recipe<'_>, index: usize, ty: Type) -> (VReg, VReg) {
    let value = r.register(index);
    let parts = r.unmerge(ty, value);
    (parts[0], parts[1])
}

/// The low sum is below either operand exactly if it carries.
fn add(r: &mut Recipe<'_>, ty: Type) {
    let ((a0, a1), (b0, b1)) = (halves(r, 1, ty), halves(r, 2, ty));
    let (low, carry) = sum_and_carry(r, ty, a0, b0);
    let sum = r.op(ty, Opcode::G_ADD, &[a1, b1]);
    let high = r.op(ty, Opcode::G_ADD, &[sum, carry]);
    merge_result(r, &[low, high]);
}

fn subtract(r: &mut Recipe<'_>, ty: Type) {
    let ((a0, a1), (b0, b1)) = (halves(r, 1, ty), halves(r, 2, ty));
    let low = r.op(ty, Opcode::G_SUB, &[a0, b0]);
    let borrow = r.icmp(IntPredicate::Ult, a0, b0);
    let borrow = r.truth(borrow, ty);
    let difference = r.op(ty, Opcode::G_SUB, &[a1, b1]);
    let high = r.op(ty, Opcode::G_SUB, &[difference, borrow]);
    merge_result(r, &[low, high]);
}

/// Schoolbook: the high half takes the carry of the low product and the low halves of the cross products.
fn multiply(r: &mut Recipe<'_>, ty: Type) {
    let ((a0, a1), (b0, b1)) = (halves(r, 1, ty), halves(r, 2, ty));
    let low = r.op(ty, Opcode::G_MUL, &[a0, b0]);
    let carried = r.op(ty, Opcode::G_UMULH, &[a0, b0]);
    let cross = [r.op(ty, Opcode::G_MUL, &[a1, b0]), r.op(ty, Opcode::G_MUL, &[a0, b1])];
    let sum = r.op(ty, Opcode::G_ADD, &[carried, cross[0]]);
    let high = r.op(ty, Opcode::G_ADD, &[sum, cross[1]]);
    merge_result(r, &[low, high]);
}

/// Columns of the schoolbook product from the second on; the carry of each goes to the next.
fn high_product(r: &mut Recipe<'_>, ty: Type) {
    use Opcode::*;
    let ((a0, a1), (b0, b1)) = (halves(r, 1, ty), halves(r, 2, ty));
    let carried = r.op(ty, G_UMULH, &[a0, b0]);
    let crosses = [(a1, b0), (a0, b1)];
    let low_of = |r: &mut Recipe<'_>, (a, b): (VReg, VReg)| r.op(ty, G_MUL, &[a, b]);
    let high_of = |r: &mut Recipe<'_>, (a, b): (VReg, VReg)| r.op(ty, G_UMULH, &[a, b]);
    let (cross1, cross2) = (low_of(r, crosses[0]), low_of(r, crosses[1]));
    let (second, carry1) = sum_and_carry(r, ty, carried, cross1);
    let (_, carry2) = sum_and_carry(r, ty, second, cross2);
    let (high1, high2, last) = (high_of(r, crosses[0]), high_of(r, crosses[1]), low_of(r, (a1, b1)));
    let (third, carry3) = sum_and_carry(r, ty, high1, high2);
    let (third, carry4) = sum_and_carry(r, ty, third, last);
    let carries = r.op(ty, G_ADD, &[carry1, carry2]);
    let (third, carry5) = sum_and_carry(r, ty, third, carries);
    let top = high_of(r, (a1, b1));
    let carries = r.op(ty, G_ADD, &[carry3, carry4]);
    let carries = r.op(ty, G_ADD, &[carries, carry5]);
    let fourth = r.op(ty, G_ADD, &[top, carries]);
    merge_result(r, &[third, fourth]);
}

/// The sum, and 1 if it wrapped.
fn sum_and_carry(r: &mut Recipe<'_>, ty: Type, a: VReg, b: VReg) -> (VReg, VReg) {
    let sum = r.op(ty, Opcode::G_ADD, &[a, b]);
    let carry = r.icmp(IntPredicate::Ult, sum, a);
    (sum, r.truth(carry, ty))
}

/// Two cases, by whether the amount reaches the half. A half shifted by its whole width, for an amount of zero, is
/// poison and never chosen. False if the amount's type is too narrow to hold the half.
fn shift(r: &mut Recipe<'_>, ty: Type) -> bool {
    use Opcode::*;
    let (opcode, amount) = (r.data.opcode, r.register(2));
    let amount_ty = r.type_of(amount);
    if ty.bits().checked_shr(amount_ty.bits()).is_some_and(|above| above != 0) {
        return false;
    }
    let (low, high) = halves(r, 1, ty);
    let half = r.constant(amount_ty, i64::from(ty.bits()));
    let zero = r.constant(amount_ty, 0);
    let excess = r.op(amount_ty, G_SUB, &[amount, half]);
    let lack = r.op(amount_ty, G_SUB, &[half, amount]);
    let is_short = r.icmp(IntPredicate::Ult, amount, half);
    let is_zero = r.icmp(IntPredicate::Eq, amount, zero);
    // `near` is the half that bits enter, `far` the one that they leave.
    let (near, far, across) = if opcode == G_SHL { (high, low, G_LSHR) } else { (low, high, G_SHL) };
    let inward = if opcode == G_SHL { G_SHL } else { G_LSHR };
    let far_short = r.op(ty, opcode, &[far, amount]);
    let moved = r.op(ty, inward, &[near, amount]);
    let entering = r.op(ty, across, &[far, lack]);
    let joined = r.op(ty, G_OR, &[moved, entering]);
    let near_short = r.select(is_zero, near, joined);
    let near_long = r.op(ty, opcode, &[far, excess]);
    let far_long = match opcode {
        G_ASHR => r.shift(G_ASHR, far, ty.bits() - 1),
        _ => r.constant(ty, 0),
    };
    let near = r.select(is_short, near_short, near_long);
    let far = r.select(is_short, far_short, far_long);
    let parts = if opcode == G_SHL { [far, near] } else { [near, far] };
    merge_result(r, &parts);
    true
}

/// Equality over all bits; order by the high halves unless they are equal.
fn compare(r: &mut Recipe<'_>, ty: Type) {
    let Some(Operand::Predicate(predicate)) = r.data.operands.get(1).copied() else { return };
    let ((a0, a1), (b0, b1)) = (halves(r, 2, ty), halves(r, 3, ty));
    let dst = r.dst();
    if matches!(predicate, IntPredicate::Eq | IntPredicate::Ne) {
        let differ = [r.op(ty, Opcode::G_XOR, &[a0, b0]), r.op(ty, Opcode::G_XOR, &[a1, b1])];
        let any = r.op(ty, Opcode::G_OR, &differ);
        let zero = r.constant(ty, 0);
        let operands = [Operand::Predicate(predicate), Operand::used(any), Operand::used(zero)];
        r.builder.define(dst, Opcode::G_ICMP, operands);
        return;
    }
    let result = r.type_of(dst);
    let icmp = |r: &mut Recipe<'_>, ty, predicate, a, b| {
        r.builder.build(ty, Opcode::G_ICMP, [Operand::Predicate(predicate), Operand::used(a), Operand::used(b)])
    };
    let equal = icmp(r, tribunal_ir::types::S1, IntPredicate::Eq, a1, b1);
    let low = icmp(r, result, predicate.unsigned(), a0, b0);
    let high = icmp(r, result, predicate, a1, b1);
    r.define(dst, Opcode::G_SELECT, &[equal, low, high]);
}

fn sext_inreg(r: &mut Recipe<'_>, ty: Type) {
    let (low, high) = halves(r, 1, ty);
    let (bits, half) = (r.imm(2), ty.bits());
    let extend = |r: &mut Recipe<'_>, value, bits: u32| {
        r.builder.build(ty, Opcode::G_SEXT_INREG, [Operand::used(value), Operand::Imm(i64::from(bits))])
    };
    let parts = match bits.cmp(&half) {
        std::cmp::Ordering::Less => {
            let low = extend(r, low, bits);
            [low, r.shift(Opcode::G_ASHR, low, half - 1)]
        }
        std::cmp::Ordering::Equal => [low, r.shift(Opcode::G_ASHR, low, half - 1)],
        std::cmp::Ordering::Greater => [low, extend(r, high, bits - half)],
    };
    merge_result(r, &parts);
}

fn population(r: &mut Recipe<'_>, ty: Type) {
    let (low, high) = halves(r, 1, ty);
    let counts = [r.op(ty, Opcode::G_CTPOP, &[low]), r.op(ty, Opcode::G_CTPOP, &[high])];
    let sum = r.op(ty, Opcode::G_ADD, &counts);
    let dst = r.dst();
    r.define_resized(dst, Opcode::G_ZEXT, sum);
}

/// The count in the half where it begins, unless that half is zero; then the count in the other half plus the size of
/// the first.
fn zeros(r: &mut Recipe<'_>, ty: Type) {
    let (low, high) = halves(r, 1, ty);
    let (opcode, dst) = (r.data.opcode, r.dst());
    let (first, second) = if opcode == Opcode::G_CTLZ { (high, low) } else { (low, high) };
    let count = r.type_of(dst);
    let zero = r.constant(ty, 0);
    let is_zero = r.icmp(IntPredicate::Eq, first, zero);
    let (near, far) = (r.op(count, opcode, &[first]), r.op(count, opcode, &[second]));
    let half = r.builder.constant(count, tribunal_ir::Bits::new(ty.bits().into(), count.bits()));
    let beyond = r.op(count, Opcode::G_ADD, &[far, half]);
    r.define(dst, Opcode::G_SELECT, &[is_zero, beyond, near]);
}

fn reverse(r: &mut Recipe<'_>, ty: Type) {
    let (low, high) = halves(r, 1, ty);
    let opcode = r.data.opcode;
    let parts = [r.op(ty, opcode, &[high]), r.op(ty, opcode, &[low])];
    merge_result(r, &parts);
}

/// `s128 = MERGE s32 x 4`: merged in groups of `ty` first.
fn merge_in_groups(r: &mut Recipe<'_>, ty: Type) -> bool {
    let sources: Vec<VReg> = r.data.vreg_uses().collect();
    let size = (ty.bits() / r.bits_of(sources[0])) as usize;
    let groups: Vec<VReg> = sources.chunks(size).map(|group| r.op(ty, Opcode::G_MERGE_VALUES, group)).collect();
    merge_result(r, &groups);
    true
}

/// `s32 x 4 = UNMERGE s128`: unmerged into groups of `ty` first.
fn unmerge_in_groups(r: &mut Recipe<'_>, ty: Type) -> bool {
    let parts: Vec<VReg> = r.data.vreg_defs().collect();
    let size = (ty.bits() / r.bits_of(parts[0])) as usize;
    let source = r.register(parts.len());
    let groups = r.unmerge(ty, source);
    for (group, parts) in groups.into_iter().zip(parts.chunks(size)) {
        let defs = parts.iter().copied().map(Operand::def);
        r.builder.push(InstData::new(Opcode::G_UNMERGE_VALUES, defs.chain([Operand::used(group)])));
    }
    true
}
