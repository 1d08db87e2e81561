//! Operations on numbers of floating point by their bits, of which the sign is the highest; and by other operations.

use super::libcall;
use super::recipe::Recipe;
use tribunal_ir::inst::InstFlags;
use tribunal_ir::semantics::float::RoundingMode;
use tribunal_ir::types::{S1, S32};
use tribunal_ir::{Bits, FloatFormat, FloatPredicate, InstData, IntPredicate, Opcode, Operand, Type, VReg};
use tribunal_target::Target;
use tribunal_target::runtime::{FloatOrder, RuntimeFunction};

/// The constant's bits.
pub(super) fn constant(r: &mut Recipe<'_>) {
    let Some(Operand::Float(constant)) = r.data.operands.get(1).copied() else { return };
    let Some(bits) = r.builder.function.float_bits(constant) else { return };
    let dst = r.dst();
    r.builder.define_constant(dst, bits);
}

/// A strict operation where no environment is seen: the one that rounds to nearest and raises nothing.
pub(super) fn in_default_environment(r: &mut Recipe<'_>) {
    let opcode = r.data.opcode.in_default_environment();
    let flags = r.data.flags - InstFlags::NOFPEXCEPT;
    r.builder.push(InstData::new(opcode, r.data.operands()).with_flags(flags));
}

/// `G_GET_ROUNDING` there.
pub(super) fn rounding(r: &mut Recipe<'_>) {
    let dst = r.dst();
    let width = r.bits_of(dst);
    r.builder.define_constant(dst, Bits::new(RoundingMode::NearestEven.flt_rounds() as u128, width));
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

/// The comparison of two numbers.
fn compared(r: &mut Recipe<'_>, predicate: FloatPredicate, a: VReg, b: VReg) -> VReg {
    let operands = [Operand::FloatPredicate(predicate), Operand::used(a), Operand::used(b)];
    r.builder.build(S1, Opcode::G_FCMP, operands)
}

/// The lesser or greater number, a NaN if one operand is: their sum then is one.
pub(super) fn extremum(r: &mut Recipe<'_>) {
    use Opcode::*;
    let (a, b, dst) = (r.register(1), r.register(2), r.dst());
    let ty = r.type_of(dst);
    let of_numbers = if r.data.opcode == G_FMINIMUM { G_FMINIMUMNUM } else { G_FMAXIMUMNUM };
    let unordered = compared(r, FloatPredicate::Uno, a, b);
    let (nan, number) = (r.op(ty, G_FADD, &[a, b]), r.op(ty, of_numbers, &[a, b]));
    r.define(dst, G_SELECT, &[unordered, nan, number]);
}

/// The lesser or greater number, and the number where one operand is a NaN. The sum of two NaNs is one. Numbers that
/// are equal have the same bits, but for the sign of zero.
pub(super) fn extremum_of_numbers(r: &mut Recipe<'_>) {
    use FloatPredicate::{Oeq, Ogt, Olt, Uno};
    use Opcode::*;
    let (a, b, dst) = (r.register(1), r.register(2), r.dst());
    let ty = r.type_of(dst);
    let (before, signed) = if r.data.opcode == G_FMINIMUMNUM { (Olt, G_OR) } else { (Ogt, G_AND) };
    let (is_first, is_equal) = (compared(r, before, a, b), compared(r, Oeq, a, b));
    let (ordered, either) = (r.select(is_first, a, b), r.op(ty, signed, &[a, b]));
    let number = r.select(is_equal, either, ordered);
    let (of_nan, is_nan) = (compared(r, Uno, b, b), compared(r, Uno, a, a));
    let (number, nan) = (r.select(of_nan, a, number), r.op(ty, G_FADD, &[a, b]));
    let are_nans = r.op(S1, G_AND, &[is_nan, of_nan]);
    r.define(dst, G_SELECT, &[are_nans, nan, number]);
}

/// The number itself, but for a NaN, whose quiet bit is set: the highest of the fraction. False if the type tells no
/// format.
pub(super) fn canonical(r: &mut Recipe<'_>) -> bool {
    let (number, dst) = (r.register(1), r.dst());
    let ty = r.type_of(dst);
    let Some(format) = FloatFormat::of_width(ty.bits()) else { return false };
    let is_nan = compared(r, FloatPredicate::Uno, number, number);
    let bit = r.builder.constant(ty, Bits::one_bit(format.fraction_bits() - 1, ty.bits()));
    let quiet = r.op(ty, Opcode::G_OR, &[number, bit]);
    r.define(dst, Opcode::G_SELECT, &[is_nan, quiet, number]);
    true
}

/// The nearest integer in range: a conversion where the number is in range, and elsewhere what comparisons tell. False
/// if the type tells no format.
pub(super) fn saturated(r: &mut Recipe<'_>) -> bool {
    use FloatPredicate::{Oge, Ole, Ult, Uno};
    use Opcode::*;
    let (source, dst, is_signed) = (r.register(1), r.dst(), r.data.opcode == G_FPTOSI_SAT);
    let (from, ty) = (r.type_of(source), r.type_of(dst));
    let Some(format) = FloatFormat::of_width(from.bits()) else { return false };
    let value_bits = ty.bits() - u32::from(is_signed);
    let bound = power_of_two(format, value_bits);
    let compare = |r: &mut Recipe<'_>, predicate, other: VReg| compared(r, predicate, source, other);
    let converted = r.op(ty, if is_signed { G_FPTOSI } else { G_FPTOUI }, &[source]);
    let upper = number(r, format, bound);
    let greatest = if is_signed { Bits::signed_min(ty.bits()).not() } else { Bits::ones(ty.bits()) };
    let (is_above, greatest) = (compare(r, Oge, upper), r.builder.constant(ty, greatest));
    let clamped = r.select(is_above, greatest, converted);
    let zero = r.constant(ty, 0);
    if !is_signed {
        // A NaN is not ordered.
        let lower = number(r, format, Bits::zero(format.bits()));
        let is_below = compare(r, Ult, lower);
        r.define(dst, G_SELECT, &[is_below, zero, clamped]);
        return true;
    }
    let lower = number(r, format, bound.or(Bits::signed_min(format.bits())));
    let (is_below, least) = (compare(r, Ole, lower), sign_mask(r, ty));
    let clamped = r.select(is_below, least, clamped);
    let is_nan = compare(r, Uno, source);
    r.define(dst, G_SELECT, &[is_nan, zero, clamped]);
    true
}

fn number(r: &mut Recipe<'_>, format: FloatFormat, bits: Bits) -> VReg {
    let operand = r.builder.function.float(format, bits);
    r.builder.build(Type::scalar(format.bits()), Opcode::G_FCONSTANT, [operand])
}

/// The bits of a power of two, or those of infinity if every number is below it.
fn power_of_two(format: FloatFormat, power: u32) -> Bits {
    let infinite = 2 * format.bias() + 1;
    let biased = infinite.min(format.bias() + i64::from(power));
    Bits::from_i64(biased, format.bits()).shl(format.fraction_bits())
}

/// The same of the opcode whose result is C's `long long`: a type tells them apart no more.
pub(super) fn of_long_long(r: &mut Recipe<'_>, opcode: Opcode) {
    let (source, dst) = (r.register(1), r.dst());
    r.define(dst, opcode, &[source]);
}

/// `G_FMODF`: the whole number towards zero, and what is left, of the same sign. Of a whole number and of an infinity
/// that is a zero.
pub(super) fn whole_and_fraction(r: &mut Recipe<'_>) {
    use Opcode::*;
    let (fraction, whole, source) = (r.register(0), r.register(1), r.register(2));
    let ty = r.type_of(source);
    let Some(format) = FloatFormat::of_width(ty.bits()) else { return };
    r.define(whole, G_INTRINSIC_TRUNC, &[source]);
    let operands = [Operand::FloatPredicate(FloatPredicate::Oeq), Operand::used(source), Operand::used(whole)];
    let is_whole = r.builder.build(S1, G_FCMP, operands);
    let rest = r.op(ty, G_FSUB, &[source, whole]);
    let zero = number(r, format, Bits::zero(ty.bits()));
    let none = r.op(ty, G_FCOPYSIGN, &[zero, source]);
    r.define(fraction, G_SELECT, &[is_whole, none, rest]);
}

/// `G_FSINCOS`, a function each.
pub(super) fn sine_and_cosine(r: &mut Recipe<'_>) {
    let (sine, cosine, source) = (r.register(0), r.register(1), r.register(2));
    r.define(sine, Opcode::G_FSIN, &[source]);
    r.define(cosine, Opcode::G_FCOS, &[source]);
}

/// `G_FFREXP`: the fraction has the exponent of numbers from a half to one, and the power is how far the exponent was
/// from there. The leading bit of a subnormal number is shifted to its place before. Zero, infinities and NaNs stay.
/// False if the type tells no format.
pub(super) fn fraction_and_power(r: &mut Recipe<'_>) -> bool {
    use Opcode::*;
    let (fraction, power, source) = (r.register(0), r.register(1), r.register(2));
    let ty = r.type_of(source);
    let Some(format) = FloatFormat::of_width(ty.bits()) else { return false };
    let (places, below_half) = (format.fraction_bits(), format.bias() - 1);
    let all = magnitude_mask(r, ty);
    let magnitude = r.op(ty, G_AND, &[source, all]);
    let (zero, least_normal) = (r.constant(ty, 0), r.builder.constant(ty, Bits::one_bit(places, ty.bits())));
    let is_low = r.icmp(IntPredicate::Ult, magnitude, least_normal);
    let leading = r.op(ty, G_CTLZ, &[magnitude]);
    let exponent_bits = r.constant(ty, format.exponent_bits().into());
    let missing = r.op(ty, G_SUB, &[leading, exponent_bits]);
    let shifted = r.op(ty, G_SHL, &[magnitude, missing]);
    let one = r.constant(ty, 1);
    let (of_low, of_normal) = (r.op(ty, G_SUB, &[one, missing]), r.shift(G_LSHR, magnitude, places));
    let (digits, biased) = (r.select(is_low, shifted, magnitude), r.select(is_low, of_low, of_normal));
    let (mask, half) = (r.mask(ty, places), Bits::from_i64(below_half, ty.bits()).shl(places));
    let (half, sign) = (r.builder.constant(ty, half), sign_mask(r, ty));
    let (digits, sign) = (r.op(ty, G_AND, &[digits, mask]), r.op(ty, G_AND, &[source, sign]));
    let (digits, is_zero) = (r.op(ty, G_OR, &[digits, half]), r.icmp(IntPredicate::Eq, magnitude, zero));
    let scaled = r.op(ty, G_OR, &[digits, sign]);
    let infinite = r.builder.constant(ty, infinity(format));
    let is_special = r.icmp(IntPredicate::Uge, magnitude, infinite);
    let stays = r.op(S1, G_OR, &[is_zero, is_special]);
    r.define(fraction, G_SELECT, &[stays, source, scaled]);
    let below_half = r.constant(ty, below_half);
    let distance = r.op(ty, G_SUB, &[biased, below_half]);
    let distance = r.select(is_zero, zero, distance);
    r.define_resized(power, G_SEXT, distance);
    true
}

/// The classes of numbers apart from NaNs, by their bits in `FPClassTest` for negative and for positive ones.
const CLASSES: [(NumberClass, i64, i64); 4] = [
    (NumberClass::Infinity, 2, 9),
    (NumberClass::Normal, 3, 8),
    (NumberClass::Subnormal, 4, 7),
    (NumberClass::Zero, 5, 6),
];

#[derive(Clone, Copy)]
enum NumberClass {
    Infinity,
    Normal,
    Subnormal,
    Zero,
}

/// Whether a number is in one of some classes: its magnitude is in a range of each, and its sign as that asks.
pub(super) fn classify(r: &mut Recipe<'_>) {
    use Opcode::*;
    let (source, dst, wanted) = (r.register(1), r.dst(), i64::from(r.imm(2)));
    let ty = r.type_of(source);
    let Some(format) = FloatFormat::of_width(ty.bits()) else { return };
    let all = magnitude_mask(r, ty);
    let magnitude = r.op(ty, G_AND, &[source, all]);
    let zero = r.constant(ty, 0);
    let mut found: Vec<VReg> = Vec::new();
    for (class, negative, positive) in CLASSES {
        let signs = [negative, positive].map(|bit| wanted >> bit & 1 == 1);
        if signs == [false, false] {
            continue;
        }
        let is_in = is_in_class(r, class, format, magnitude);
        let of_sign = |r: &mut Recipe<'_>, predicate| {
            let sign = r.icmp(predicate, source, zero);
            r.op(S1, G_AND, &[is_in, sign])
        };
        found.push(match signs {
            [true, true] => is_in,
            [true, false] => of_sign(r, IntPredicate::Slt),
            _ => of_sign(r, IntPredicate::Sge),
        });
    }
    found.extend(nan_test(r, wanted & 3, format, magnitude));
    let none = r.constant(S1, 0);
    let any = found.into_iter().reduce(|any, class| r.op(S1, G_OR, &[any, class])).unwrap_or(none);
    r.define_resized(dst, G_ZEXT, any);
}

/// The bits of infinity, which are above those of every number.
fn infinity(format: FloatFormat) -> Bits {
    Bits::ones(format.exponent_bits()).zext_or_trunc(format.bits()).shl(format.fraction_bits())
}

fn is_in_class(r: &mut Recipe<'_>, class: NumberClass, format: FloatFormat, magnitude: VReg) -> VReg {
    let ty = r.type_of(magnitude);
    let (one, least_normal) = (Bits::new(1, ty.bits()), Bits::one_bit(format.fraction_bits(), ty.bits()));
    // From the first on, so many.
    let (first, count) = match class {
        NumberClass::Infinity => (infinity(format), one),
        NumberClass::Normal => (least_normal, infinity(format).sub(least_normal)),
        NumberClass::Subnormal => (one, least_normal.sub(one)),
        NumberClass::Zero => (Bits::zero(ty.bits()), one),
    };
    let (first, count) = (r.builder.constant(ty, first), r.builder.constant(ty, count));
    let from_first = r.op(ty, Opcode::G_SUB, &[magnitude, first]);
    r.icmp(IntPredicate::Ult, from_first, count)
}

/// Whether the number is a NaN of the kinds whose bits are set: 1 signalling, 2 quiet.
fn nan_test(r: &mut Recipe<'_>, kinds: i64, format: FloatFormat, magnitude: VReg) -> Option<VReg> {
    let ty = r.type_of(magnitude);
    let infinite = infinity(format);
    let quiet = infinite.or(Bits::one_bit(format.fraction_bits() - 1, ty.bits()));
    let (infinite, quiet) = (r.builder.constant(ty, infinite), r.builder.constant(ty, quiet));
    Some(match kinds {
        0 => return None,
        1 => {
            let (above, below) =
                (r.icmp(IntPredicate::Ugt, magnitude, infinite), r.icmp(IntPredicate::Ult, magnitude, quiet));
            r.op(S1, Opcode::G_AND, &[above, below])
        }
        2 => r.icmp(IntPredicate::Uge, magnitude, quiet),
        _ => r.icmp(IntPredicate::Ugt, magnitude, infinite),
    })
}

/// How a predicate is told from comparisons of the library.
enum Told {
    /// Always alike.
    Constant(bool),
    /// By one call; the result is to be inverted.
    By(FloatOrder, bool),
    /// By two calls, of which the second is taken where the first does not hold; inverted together.
    ByEither(FloatOrder, FloatOrder, bool),
}

impl Told {
    /// As LLVM's `getFCmpLibcallDesc` has it.
    fn of(predicate: FloatPredicate) -> Told {
        use FloatOrder::*;
        match predicate {
            FloatPredicate::False => Told::Constant(false),
            FloatPredicate::True => Told::Constant(true),
            FloatPredicate::Oeq => Told::By(Equal, false),
            FloatPredicate::Une => Told::By(NotEqual, false),
            FloatPredicate::Ogt => Told::By(Greater, false),
            FloatPredicate::Oge => Told::By(GreaterOrEqual, false),
            FloatPredicate::Olt => Told::By(Less, false),
            FloatPredicate::Ole => Told::By(LessOrEqual, false),
            FloatPredicate::Uno => Told::By(Unordered, false),
            FloatPredicate::Ord => Told::By(Unordered, true),
            FloatPredicate::Ule => Told::By(Greater, true),
            FloatPredicate::Ult => Told::By(GreaterOrEqual, true),
            FloatPredicate::Uge => Told::By(Less, true),
            FloatPredicate::Ugt => Told::By(LessOrEqual, true),
            FloatPredicate::Ueq => Told::ByEither(Unordered, Equal, false),
            FloatPredicate::One => Told::ByEither(Unordered, Equal, true),
        }
    }
}

/// A comparison by the library; false if no call may stand here.
pub(super) fn compare(r: &mut Recipe<'_>, target: &Target) -> bool {
    let (Some(&Operand::FloatPredicate(predicate)), dst) = (r.data.operands.get(1), r.dst()) else { return false };
    let holds = match Told::of(predicate) {
        Told::Constant(holds) => {
            r.builder.define_constant(dst, Bits::new(holds.into(), r.bits_of(dst)));
            return true;
        }
        Told::By(order, inverted) => related(r, target, order, inverted),
        Told::ByEither(one, other, inverted) => {
            let Some(one) = related(r, target, one, inverted) else { return false };
            let Some(other) = related(r, target, other, inverted) else { return false };
            let opcode = if inverted { Opcode::G_AND } else { Opcode::G_OR };
            Some(r.op(S1, opcode, &[one, other]))
        }
    };
    let Some(holds) = holds else { return false };
    r.define_resized(dst, Opcode::G_ZEXT, holds);
    true
}

/// Whether the operands of a comparison have a relation, or have it not, by a call.
fn related(r: &mut Recipe<'_>, target: &Target, order: FloatOrder, inverted: bool) -> Option<VReg> {
    let (a, b) = (r.register(2), r.register(3));
    let callee = RuntimeFunction::comparing(order, FloatFormat::of_width(r.bits_of(a))?)?;
    let result = r.builder.function.new_vreg(S32);
    libcall::call_of(r, target, callee, &[a, b], result).then_some(())?;
    let (_, predicate) = order.predicates();
    let zero = r.constant(S32, 0);
    Some(r.icmp(if inverted { predicate.inverse() } else { predicate }, result, zero))
}
