//! Lowering: expansions into other operations of the same types.

use super::recipe::Recipe;
use super::{atomics, counting, floats, frames, memory, overflow, vectors};
use tribunal_ir::types::{S32, S64};
use tribunal_ir::{Family, IntPredicate, Opcode, Operand, Type, VReg};
use tribunal_target::Target;
use tribunal_target::legality::Expansion;

/// Expands the instruction; false if there is no recipe.
pub(super) fn lower(r: &mut Recipe<'_>, target: &Target) -> bool {
    use Opcode::*;
    match r.data.opcode {
        _ if vectors::has_vector(r.builder.function, r.data) => return vectors::lower(r),
        _ if atomics::is_fenced(r) => atomics::fenced(r),
        opcode if opcode.family() == Some(Family::Atomic) => return atomics::lower(r),
        G_SMIN => extremum(r, IntPredicate::Slt),
        G_SMAX => extremum(r, IntPredicate::Sgt),
        G_UMIN => extremum(r, IntPredicate::Ult),
        G_UMAX => extremum(r, IntPredicate::Ugt),
        G_ABS => absolute(r),
        G_ABDS => distance(r, IntPredicate::Sgt),
        G_ABDU => distance(r, IntPredicate::Ugt),
        G_FSHL | G_FSHR => funnel(r),
        G_ROTL | G_ROTR => rotate(r),
        G_UREM => remainder(r, G_UDIV),
        G_SREM => remainder(r, G_SDIV),
        G_UADDSAT | G_USUBSAT => overflow::saturating(r),
        G_SADDSAT | G_SSUBSAT => overflow::saturating_signed(r),
        G_USHLSAT | G_SSHLSAT => overflow::shift_saturating(r),
        G_UADDO | G_USUBO | G_SADDO | G_SSUBO => overflow::overflow(r),
        G_UADDE | G_USUBE | G_SADDE | G_SSUBE => overflow::with_carry(r),
        G_UMULO | G_SMULO => overflow::product_overflow(r),
        G_SMULH => overflow::signed_high_product(r),
        G_UMULH => overflow::high_product(r),
        G_UAVGFLOOR | G_UAVGCEIL | G_SAVGFLOOR | G_SAVGCEIL => overflow::average(r),
        G_SMULFIX | G_UMULFIX | G_SMULFIXSAT | G_UMULFIXSAT => overflow::fixed_point_product(r),
        G_UDIVREM => division_with_remainder(r, G_UDIV, G_UREM),
        G_SDIVREM => division_with_remainder(r, G_SDIV, G_SREM),
        G_SCMP => three_way(r, IntPredicate::Slt),
        G_UCMP => three_way(r, IntPredicate::Ult),
        G_PTRMASK => pointer_mask(r),
        G_CTPOP => counting::population(r),
        G_CTLZ => counting::leading_zeros(r),
        G_CTTZ => counting::trailing_zeros(r),
        G_CTLZ_ZERO_UNDEF => counting::as_defined(r, G_CTLZ),
        G_CTTZ_ZERO_UNDEF => counting::as_defined(r, G_CTTZ),
        G_BSWAP => counting::byte_swap(r),
        G_BITREVERSE => counting::bit_reverse(r),
        G_UBFX | G_SBFX => counting::field(r),
        G_EXTRACT => counting::extract(r),
        G_INSERT => counting::insert(r),
        G_SEXT_INREG => extension_in_register(r),
        G_ASSERT_SEXT | G_ASSERT_ZEXT | G_ASSERT_ALIGN => hint(r),
        G_ANYEXT => any_extension(r),
        G_ZEXT | G_SEXT => return extension(r),
        G_TRUNC => return truncation(r),
        G_FCONSTANT => floats::constant(r),
        G_FNEG | G_FABS => floats::with_sign(r),
        G_FCOPYSIGN => floats::copy_sign(r),
        G_FMINIMUM | G_FMAXIMUM => floats::extremum(r),
        G_FMINIMUMNUM | G_FMAXIMUMNUM => floats::extremum_of_numbers(r),
        G_FCANONICALIZE => return floats::canonical(r),
        G_IS_FPCLASS => floats::classify(r),
        G_FPTOSI_SAT | G_FPTOUI_SAT => return floats::saturated(r),
        G_INTRINSIC_LRINT => floats::of_long_long(r, G_INTRINSIC_LLRINT),
        G_LROUND => floats::of_long_long(r, G_LLROUND),
        G_FMODF => floats::whole_and_fraction(r),
        G_FSINCOS => floats::sine_and_cosine(r),
        G_FFREXP => return floats::fraction_and_power(r),
        G_MERGE_VALUES => merge(r),
        G_UNMERGE_VALUES => unmerge(r),
        G_LOAD | G_ZEXTLOAD | G_SEXTLOAD => return memory::lower_load(r),
        G_STORE => return memory::lower_store(r),
        G_BRJT => return memory::lower_table_branch(r),
        // A hint that the machine need not take.
        G_PREFETCH => {}
        G_STACKSAVE => frames::save(r, target),
        G_STACKRESTORE => frames::restore(r, target),
        G_DYN_STACKALLOC => frames::allocate(r, target),
        // There is no other environment than the default one.
        G_GET_ROUNDING => floats::rounding(r),
        _ if r.data.opcode.family() == Some(Family::FloatEnvironment) => {}
        _ if r.data.opcode.family() == Some(Family::StrictFloat) => floats::in_default_environment(r),
        _ if r.data.opcode.family() == Some(Family::Indexed) => return memory::lower_indexed(r),
        _ => return false,
    }
    true
}

/// The target's own expansion; false if there is none.
pub(super) fn custom(r: &mut Recipe<'_>, target: &Target) -> bool {
    let Some(row) = target.customs.iter().find(|row| row.opcode == r.data.opcode) else { return false };
    match row.expansion {
        Expansion::ByReversal => counting::trailing_zeros_by_reversal(r),
        Expansion::Word(opcode) => word_operation(r, opcode),
    }
    true
}

/// RV64's 32-bit operations. Sums and products are taken at 64 bits and their low word sign-extended; the others have
/// generic word opcodes, which read low words only.
fn word_operation(r: &mut Recipe<'_>, opcode: Opcode) {
    use Opcode::*;
    let (a, b) = (r.register(1), r.register(2));
    let sources = [r.resized(G_ANYEXT, a, S64), r.resized(G_ANYEXT, b, S64)];
    let mut wide = r.op(S64, opcode, &sources);
    if opcode == r.data.opcode {
        wide = r.builder.build(S64, G_SEXT_INREG, [Operand::used(wide), Operand::Imm(32)]);
    }
    let dst = r.dst();
    debug_assert_eq!(r.type_of(dst), S32);
    r.define(dst, G_TRUNC, &[wide]);
}

/// Shifted up to the top, and back with copies of the sign.
fn extension_in_register(r: &mut Recipe<'_>) {
    let (source, dst) = (r.register(1), r.dst());
    let ty = r.type_of(dst);
    let distance = r.constant(ty, i64::from(ty.bits() - r.imm(2)));
    let up = r.op(ty, Opcode::G_SHL, &[source, distance]);
    r.define(dst, Opcode::G_ASHR, &[up, distance]);
}

fn extremum(r: &mut Recipe<'_>, predicate: IntPredicate) {
    let (a, b, dst) = (r.register(1), r.register(2), r.dst());
    let first = r.icmp(predicate, a, b);
    r.define(dst, Opcode::G_SELECT, &[first, a, b]);
}

/// `(x + s) ^ s` where `s` is the sign spread over all bits.
fn absolute(r: &mut Recipe<'_>) {
    let (a, dst) = (r.register(1), r.dst());
    let ty = r.type_of(a);
    let sign = r.shift(Opcode::G_ASHR, a, ty.bits() - 1);
    let sum = r.op(ty, Opcode::G_ADD, &[a, sign]);
    r.define(dst, Opcode::G_XOR, &[sum, sign]);
}

fn distance(r: &mut Recipe<'_>, greater: IntPredicate) {
    let (a, b, dst) = (r.register(1), r.register(2), r.dst());
    let ty = r.type_of(a);
    let above = r.icmp(greater, a, b);
    let (down, up) = (r.op(ty, Opcode::G_SUB, &[a, b]), r.op(ty, Opcode::G_SUB, &[b, a]));
    r.define(dst, Opcode::G_SELECT, &[above, down, up]);
}

pub(super) fn remainder(r: &mut Recipe<'_>, division: Opcode) {
    let (a, b, dst) = (r.register(1), r.register(2), r.dst());
    let ty = r.type_of(a);
    let quotient = r.op(ty, division, &[a, b]);
    let product = r.op(ty, Opcode::G_MUL, &[quotient, b]);
    r.define(dst, Opcode::G_SUB, &[a, product]);
}

fn division_with_remainder(r: &mut Recipe<'_>, division: Opcode, remainder: Opcode) {
    let (quotient, rest, a, b) = (r.register(0), r.register(1), r.register(2), r.register(3));
    r.define(quotient, division, &[a, b]);
    r.define(rest, remainder, &[a, b]);
}

/// Above less below: 1, 0 or -1.
fn three_way(r: &mut Recipe<'_>, less: IntPredicate) {
    let (a, b, dst) = (r.register(1), r.register(2), r.dst());
    let ty = r.type_of(dst);
    let (below, above) = (r.icmp(less, a, b), r.icmp(less, b, a));
    let (below, above) = (r.resized(Opcode::G_ZEXT, below, ty), r.resized(Opcode::G_ZEXT, above, ty));
    r.define(dst, Opcode::G_SUB, &[above, below]);
}

fn pointer_mask(r: &mut Recipe<'_>) {
    let (pointer, mask, dst) = (r.register(1), r.register(2), r.dst());
    let ty = Type::scalar(r.bits_of(pointer));
    let address = r.op(ty, Opcode::G_PTRTOINT, &[pointer]);
    let masked = r.op(ty, Opcode::G_AND, &[address, mask]);
    r.define(dst, Opcode::G_INTTOPTR, &[masked]);
}

/// The amount modulo the width, in the value's type.
fn funnel_amount(r: &mut Recipe<'_>, amount: VReg, ty: Type) -> VReg {
    let amount_ty = r.type_of(amount);
    let width = ty.bits();
    let fits = width.ilog2() < amount_ty.bits();
    let reduced = match (fits, width.is_power_of_two()) {
        // The amount's type holds nothing that reaches the width.
        (false, _) => amount,
        (true, true) => {
            let mask = r.constant(amount_ty, i64::from(width) - 1);
            r.op(amount_ty, Opcode::G_AND, &[amount, mask])
        }
        (true, false) => {
            let modulus = r.constant(amount_ty, i64::from(width));
            r.op(amount_ty, Opcode::G_UREM, &[amount, modulus])
        }
    };
    r.resized(Opcode::G_ZEXT, reduced, ty)
}

/// `X << n | Y >> 1 >> (w - 1 - n)` and its mirror image: no shift reaches the width, whatever the amount.
fn funnel(r: &mut Recipe<'_>) {
    use Opcode::*;
    let (high, low, amount, dst) = (r.register(1), r.register(2), r.register(3), r.dst());
    let ty = r.type_of(dst);
    if ty.bits() == 1 {
        // The amount modulo one is zero.
        let same = if r.data.opcode == G_FSHL { high } else { low };
        r.define(dst, COPY, &[same]);
        return;
    }
    let amount = funnel_amount(r, amount, ty);
    let most = r.constant(ty, i64::from(ty.bits()) - 1);
    let rest = r.op(ty, G_SUB, &[most, amount]);
    let parts = match r.data.opcode {
        G_FSHL => {
            let halved = r.shift(G_LSHR, low, 1);
            [r.op(ty, G_SHL, &[high, amount]), r.op(ty, G_LSHR, &[halved, rest])]
        }
        _ => {
            let doubled = r.shift(G_SHL, high, 1);
            [r.op(ty, G_SHL, &[doubled, rest]), r.op(ty, G_LSHR, &[low, amount])]
        }
    };
    r.define(dst, G_OR, &parts);
}

fn rotate(r: &mut Recipe<'_>) {
    let (value, amount, dst) = (r.register(1), r.register(2), r.dst());
    let opcode = if r.data.opcode == Opcode::G_ROTL { Opcode::G_FSHL } else { Opcode::G_FSHR };
    r.define(dst, opcode, &[value, value, amount]);
}

/// A promise about a type that goes away is dropped.
fn hint(r: &mut Recipe<'_>) {
    let (source, dst) = (r.register(1), r.dst());
    r.define(dst, Opcode::COPY, &[source]);
}

/// Any bits will do; zeros are one choice, which all readers see alike.
fn any_extension(r: &mut Recipe<'_>) {
    let (source, dst) = (r.register(1), r.dst());
    r.define(dst, Opcode::G_ZEXT, &[source]);
}

/// The part of a register that a value fills is masked, or its sign copied; a value of two registers gets its extension
/// to one, and another register beside it. False for more.
fn extension(r: &mut Recipe<'_>) -> bool {
    use Opcode::*;
    let (opcode, source, dst) = (r.data.opcode, r.register(1), r.dst());
    let (narrow, wide, register) = (r.type_of(source), r.type_of(dst), r.register_bits());
    match opcode {
        _ if wide.bits() == 2 * register && narrow.bits() <= register => {
            let low = if narrow.bits() == register { source } else { r.op(Type::scalar(register), opcode, &[source]) };
            let high = match opcode {
                G_SEXT => r.shift(G_ASHR, low, register - 1),
                _ => r.constant(Type::scalar(register), 0),
            };
            r.merge(dst, &[low, high]);
        }
        _ if narrow.bits() == register => return false,
        G_SEXT => {
            let operands = [Operand::used(r.op(wide, G_ANYEXT, &[source])), Operand::Imm(narrow.bits().into())];
            r.builder.define(dst, G_SEXT_INREG, operands);
        }
        _ => {
            let (whole, mask) = (r.op(wide, G_ANYEXT, &[source]), r.mask(wide, narrow.bits()));
            r.define(dst, G_AND, &[whole, mask]);
        }
    }
    true
}

/// The low half, or a part of it; false for more.
fn truncation(r: &mut Recipe<'_>) -> bool {
    let (source, dst) = (r.register(1), r.dst());
    let half = Type::scalar(r.bits_of(source) / 2);
    if r.bits_of(dst) > half.bits() {
        return false;
    }
    let low = r.unmerge(half, source)[0];
    r.define_resized(dst, Opcode::G_ANYEXT, low);
    true
}

/// The type in which the parts of a value of `bits` bits are joined: wide enough, and a power of two.
fn assembled(bits: u32) -> Type {
    Type::scalar(bits.next_power_of_two())
}

/// Each part zero-extended and shifted to its place.
fn merge(r: &mut Recipe<'_>) {
    use Opcode::*;
    let sources: Vec<VReg> = r.data.vreg_uses().collect();
    let dst = r.dst();
    let (part, ty) = (r.bits_of(sources[0]), assembled(r.bits_of(dst)));
    let mut sum = r.resized(G_ZEXT, sources[0], ty);
    for (index, &source) in (1u32..).zip(&sources[1..]) {
        let wide = r.resized(G_ZEXT, source, ty);
        let placed = r.shift(G_SHL, wide, index * part);
        sum = r.op(ty, G_OR, &[sum, placed]);
    }
    r.define_resized(dst, G_ANYEXT, sum);
}

/// Each part shifted down and truncated.
fn unmerge(r: &mut Recipe<'_>) {
    use Opcode::*;
    let parts: Vec<VReg> = r.data.vreg_defs().collect();
    let source = r.register(parts.len());
    let (part, ty) = (r.bits_of(parts[0]), assembled(r.bits_of(source)));
    let wide = r.resized(G_ANYEXT, source, ty);
    for (index, &dst) in (0u32..).zip(&parts) {
        let low = if index == 0 { wide } else { r.shift(G_LSHR, wide, index * part) };
        r.define_resized(dst, G_ANYEXT, low);
    }
}
