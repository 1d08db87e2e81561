//! The generic opcodes of floating point, in LLVM's default environment: to nearest even, exceptions ignored.
//!
//! A type tells no format, so a scalar of 16, 32, 64 or 128 bits is IEEE 754's of that width. Flags that promise make
//! poison. Flags that license another result (`nsz`, `arcp`, `contract`, `afn`, `reassoc`) change nothing: of all
//! allowed results the definition has the strict one.

use super::arithmetic::{canonical, is_infinite, is_nan, itself};
use super::elementary::{ElementaryFunction, elementary};
use super::integral::{IntegerForm, round_to_integral, to_integer};
use super::parts::{FloatParts, exponent_width, signed};
use super::{
    Extremum, FloatRules, RoundingMode, add, classify, compare, div, extend, extremum, fma, from_integer, mul, rem,
    scale, sqrt, sub, truncate,
};
use crate::bits::{Bits, MAX_BITS};
use crate::float::FloatFormat;
use crate::inst::InstFlags;
use crate::opcode::{Opcode, TypeClass};
use crate::operand::Operand;
use crate::predicate::FloatPredicate;
use crate::semantics::bits::leading_zeros;
use crate::semantics::integer::any_poison;
use crate::semantics::opcodes::{Operation, malformed};
use crate::semantics::{Domain, Unsupported, Value};
use smallvec::{SmallVec, smallvec};

/// The results of an opcode. Nothing here is undefined behaviour.
pub(in crate::semantics) fn evaluate<D: Domain>(
    d: &mut D,
    op: &Operation<'_, D>,
) -> Result<SmallVec<[Value<D>; 2]>, Unsupported> {
    if op.defs.iter().chain(op.uses).any(|ty| !ty.is_scalar()) {
        return Err(malformed(op.inst));
    }
    let results = with_integers(d, op)
        .or_else(|| arithmetic(d, op))
        .or_else(|| selected(d, op))
        .or_else(|| rounded(d, op))
        .or_else(|| elementary_function(d, op))
        .unwrap_or_else(|| Err(Unsupported::new(op.inst.opcode.to_string())))?;
    let (inherited, broken) = (any_poison(d, op.args), broken_promise(d, op, &results.floats())?);
    let mut poison = d.bool_or(&inherited, &broken);
    if let Results::Partial(_, undefined) = &results {
        poison = d.bool_or(&poison, undefined);
    }
    Ok(results.all().into_iter().map(|bits| Value::new(bits, poison.clone())).collect())
}

/// The bits of the results.
enum Results<D: Domain> {
    /// A number.
    Float(D::Bits),
    /// An integer, or a truth value.
    Integer(D::Bits),
    /// The same, and where it is poison.
    Partial(D::Bits, D::Bool),
    /// A number and an integer.
    Both(D::Bits, D::Bits),
    /// Two numbers.
    Floats(D::Bits, D::Bits),
}

impl<D: Domain> Results<D> {
    fn floats(&self) -> SmallVec<[D::Bits; 2]> {
        match self {
            Results::Float(bits) | Results::Both(bits, _) => smallvec![bits.clone()],
            Results::Floats(one, other) => smallvec![one.clone(), other.clone()],
            Results::Integer(_) | Results::Partial(..) => smallvec![],
        }
    }

    fn all(self) -> SmallVec<[D::Bits; 2]> {
        match self {
            Results::Float(bits) | Results::Integer(bits) | Results::Partial(bits, _) => smallvec![bits],
            Results::Both(one, other) | Results::Floats(one, other) => smallvec![one, other],
        }
    }
}

/// The results; `None` if the opcode is of another kind.
type Meant<D> = Option<Result<Results<D>, Unsupported>>;

/// The format of values of so many bits.
fn format(bits: u32) -> Result<FloatFormat, Unsupported> {
    FloatFormat::of_width(bits).ok_or_else(|| Unsupported::new(format!("floating point of {bits} bits")))
}

fn operand<'o, D: Domain>(op: &'o Operation<'_, D>, index: usize) -> Result<&'o D::Bits, Unsupported> {
    op.args.get(index).map(|value| &value.bits).ok_or_else(|| malformed(op.inst))
}

/// Where `nnan` or `ninf` is broken, by an operand or a result that is a number.
fn broken_promise<D: Domain>(d: &mut D, op: &Operation<'_, D>, results: &[D::Bits]) -> Result<D::Bool, Unsupported> {
    let negative = match op.inst.opcode {
        Opcode::G_UITOFP if op.has(InstFlags::NNEG) => d.is_negative(operand(op, 0)?),
        _ => d.boolean(false),
    };
    let kinds = op.inst.opcode.info().map_or(&[][..], |info| info.uses);
    let registers = kinds.iter().filter(|kind| kind.type_index().is_some());
    let read = registers.zip(op.args).filter(|(kind, _)| kind.type_class() == Some(TypeClass::Float));
    let broken = broken_by(d, op.flags, read.map(|(_, value)| &value.bits).chain(results))?;
    Ok(d.bool_or(&broken, &negative))
}

/// Where one of these numbers is what `nnan` or `ninf` among the flags excludes.
pub(in crate::semantics) fn broken_by<'n, D: Domain>(
    d: &mut D,
    flags: InstFlags,
    numbers: impl Iterator<Item = &'n D::Bits>,
) -> Result<D::Bool, Unsupported>
where
    D::Bits: 'n,
{
    let mut broken = d.boolean(false);
    let promised = flags & InstFlags::FLOAT_PROMISES;
    if promised.is_empty() {
        return Ok(broken);
    }
    for bits in numbers {
        let format = format(d.width(bits))?;
        if promised.contains(InstFlags::NNAN) {
            let nan = is_nan(d, format, bits);
            broken = d.bool_or(&broken, &nan);
        }
        if promised.contains(InstFlags::NINF) {
            let infinite = is_infinite(d, format, bits);
            broken = d.bool_or(&broken, &infinite);
        }
    }
    Ok(broken)
}

/// Operations of one format, on one to three numbers.
fn arithmetic<D: Domain>(d: &mut D, op: &Operation<'_, D>) -> Meant<D> {
    use Opcode::*;
    let opcode = op.inst.opcode;
    let [a, b, c] = [0, 1, 2].map(|index| operand(op, index));
    let one = |d: &mut D, f: fn(&mut D, FloatFormat, &D::Bits) -> D::Bits| -> Result<Results<D>, Unsupported> {
        Ok(Results::Float(f(d, format(op.width())?, a.clone()?)))
    };
    let two = |d: &mut D, f: Binary<D>| -> Result<Results<D>, Unsupported> {
        let rules = FloatRules::generic(d);
        Ok(Results::Float(f(d, &rules, format(op.width())?, a.clone()?, b.clone()?)))
    };
    Some(match opcode {
        G_FADD => two(d, |d, rules, format, a, b| add(d, rules, format, a, b).bits),
        G_FSUB => two(d, |d, rules, format, a, b| sub(d, rules, format, a, b).bits),
        G_FMUL => two(d, |d, rules, format, a, b| mul(d, rules, format, a, b).bits),
        G_FDIV => two(d, |d, rules, format, a, b| div(d, rules, format, a, b).bits),
        G_FREM => two(d, |d, rules, format, a, b| rem(d, rules, format, a, b).bits),
        G_FMA | G_FMAD => {
            let three = || Ok((format(op.width())?, a.clone()?, b.clone()?, c.clone()?));
            three().map(|(format, a, b, c)| Results::Float(product_sum(d, opcode == G_FMAD, format, [a, b, c])))
        }
        G_FNEG => one(d, |d, format, a| {
            let sign = d.constant(Bits::signed_min(format.bits()));
            d.xor(a, &sign)
        }),
        G_FABS => one(d, |d, format, a| {
            let others = d.constant(Bits::signed_min(format.bits()).not());
            d.and(a, &others)
        }),
        G_FSQRT => one(d, |d, format, a| {
            let rules = FloatRules::generic(d);
            sqrt(d, &rules, format, a).bits
        }),
        G_FCANONICALIZE => one(d, |d, format, a| {
            let rules = FloatRules::generic(d);
            canonical(d, &rules, format, a).bits
        }),
        G_FMODF => format(op.width()).and_then(|format| Ok(whole_and_fraction(d, format, a?))),
        G_FCOPYSIGN => a.and_then(|a| with_sign_of(d, a, b?)).map(Results::Float),
        _ => return None,
    })
}

type Binary<D> =
    fn(&mut D, &FloatRules<D>, FloatFormat, &<D as Domain>::Bits, &<D as Domain>::Bits) -> <D as Domain>::Bits;

/// Rounded once, or after the product too.
fn product_sum<D: Domain>(d: &mut D, is_split: bool, format: FloatFormat, [a, b, c]: [&D::Bits; 3]) -> D::Bits {
    let rules = FloatRules::generic(d);
    if !is_split {
        return fma(d, &rules, format, [a, b, c]).bits;
    }
    let product = mul(d, &rules, format, a, b).bits;
    add(d, &rules, format, &product, c).bits
}

/// What is left of the number beside the whole number towards zero, which has its sign, and that whole number. Of a
/// whole number and of an infinity a zero is left, of the same sign (LangRef, `modf`).
fn whole_and_fraction<D: Domain>(d: &mut D, format: FloatFormat, a: &D::Bits) -> Results<D> {
    let (rules, x) = (FloatRules::generic(d), FloatParts::of(d, format, a));
    let towards_zero = FloatRules::new(d, super::NanRule::Generic, RoundingMode::TowardZero);
    let whole = round_to_integral(d, &towards_zero, format, a).bits;
    let (rest, nothing) = (sub(d, &rules, format, a, &whole).bits, d.literal(0, format.bits() - 1));
    let (is_whole, none) = (compare(d, format, a, &whole).equal, signed(d, &x.sign, &nothing));
    Results::Floats(d.ite(&is_whole, &none, &rest), whole)
}

/// The first number with the sign of the second, which may be of another format.
fn with_sign_of<D: Domain>(d: &mut D, a: &D::Bits, b: &D::Bits) -> Result<D::Bits, Unsupported> {
    let (own, _) = (format(d.width(a))?, format(d.width(b))?);
    let (sign, magnitude) = (d.is_negative(b), d.extract(a, 0, own.bits() - 1));
    Ok(signed(d, &sign, &magnitude))
}

/// Comparisons, classes, extrema.
fn selected<D: Domain>(d: &mut D, op: &Operation<'_, D>) -> Meant<D> {
    use Opcode::*;
    let one_of = |d: &mut D, which: Extremum| -> Result<Results<D>, Unsupported> {
        let (rules, format) = (FloatRules::generic(d), format(op.width())?);
        Ok(Results::Float(extremum(d, &rules, (format, which), operand(op, 0)?, operand(op, 1)?).bits))
    };
    Some(match op.inst.opcode {
        G_FCMP => comparison(d, op),
        G_IS_FPCLASS => class(d, op),
        G_FMINNUM => lenient(d, op, [Extremum::MinimumNumber, Extremum::MinNum]),
        G_FMAXNUM => lenient(d, op, [Extremum::MaximumNumber, Extremum::MaxNum]),
        G_FMINNUM_IEEE => one_of(d, Extremum::MinNum),
        G_FMAXNUM_IEEE => one_of(d, Extremum::MaxNum),
        G_FMINIMUM => one_of(d, Extremum::Minimum),
        G_FMAXIMUM => one_of(d, Extremum::Maximum),
        G_FMINIMUMNUM => one_of(d, Extremum::MinimumNumber),
        G_FMAXIMUMNUM => one_of(d, Extremum::MaximumNumber),
        _ => return None,
    })
}

fn truth<D: Domain>(d: &mut D, op: &Operation<'_, D>, holds: &D::Bool) -> Results<D> {
    let bit = d.bit(holds);
    Results::Integer(d.zext(&bit, op.width()))
}

fn comparison<D: Domain>(d: &mut D, op: &Operation<'_, D>) -> Result<Results<D>, Unsupported> {
    let predicate: Option<FloatPredicate> = op.inst.operands.iter().find_map(|operand| match operand {
        Operand::FloatPredicate(predicate) => Some(*predicate),
        _ => None,
    });
    let (a, b) = (operand(op, 0)?, operand(op, 1)?);
    let comparison = compare(d, format(d.width(a))?, a, b);
    let holds = comparison.holds(d, predicate.ok_or_else(|| malformed(op.inst))?);
    Ok(truth(d, op, &holds))
}

fn class<D: Domain>(d: &mut D, op: &Operation<'_, D>) -> Result<Results<D>, Unsupported> {
    let mask = op.imm().and_then(|mask| u32::try_from(mask).ok()).ok_or_else(|| malformed(op.inst))?;
    let a = operand(op, 0)?;
    let classes = classify(d, format(d.width(a))?, a);
    let is_in = classes.is_in(d, mask);
    Ok(truth(d, op, &is_in))
}

/// `minnum` and `maxnum`. LangRef has said different things of them, so that all of them are allowed: a signalling NaN
/// is one, or counts as a quiet one; zeros of different signs are ordered, or not.
fn lenient<D: Domain>(
    d: &mut D,
    op: &Operation<'_, D>,
    [number, of_2008]: [Extremum; 2],
) -> Result<Results<D>, Unsupported> {
    let (format, a, b) = (format(op.width())?, operand(op, 0)?, operand(op, 1)?);
    let rules = FloatRules::generic(d);
    let ordered = extremum(d, &rules, (format, number), a, b).bits;
    let strict = extremum(d, &rules, (format, of_2008), a, b).bits;
    let (x, y) = (FloatParts::of(d, format, a), FloatParts::of(d, format, b));
    let (zeros, differ) = (d.bool_and(&x.is_zero, &y.is_zero), super::differ(d, &x.sign, &y.sign));
    let either = d.bool_and(&zeros, &differ);
    let sign = d.constant(Bits::signed_min(format.bits()));
    let other = d.xor(&ordered, &sign);
    let other = d.ite(&either, &other, &ordered);
    // The result shows what is allowed and not the choice: see `nan.rs`.
    let choice = d.choose(format.bits());
    let mut result = strict;
    for allowed in [&ordered, &other] {
        let is_chosen = d.eq(&choice, allowed);
        result = d.ite(&is_chosen, allowed, &result);
    }
    Ok(Results::Float(result))
}

/// To a number without a fraction, or to another format.
fn rounded<D: Domain>(d: &mut D, op: &Operation<'_, D>) -> Meant<D> {
    use Opcode::*;
    let mode = match op.inst.opcode {
        G_FRINT | G_FNEARBYINT | G_INTRINSIC_ROUNDEVEN => RoundingMode::NearestEven,
        G_FCEIL => RoundingMode::Up,
        G_FFLOOR => RoundingMode::Down,
        G_INTRINSIC_TRUNC => RoundingMode::TowardZero,
        G_INTRINSIC_ROUND => RoundingMode::NearestAway,
        G_FPEXT | G_FPTRUNC => return Some(converted(d, op)),
        _ => return None,
    };
    let rules = FloatRules::new(d, super::NanRule::Generic, mode);
    let integral = |a| Ok(Results::Float(round_to_integral(d, &rules, format(op.width())?, a).bits));
    Some(operand(op, 0).and_then(integral))
}

/// A function of the library, or sine and cosine together.
fn elementary_function<D: Domain>(d: &mut D, op: &Operation<'_, D>) -> Meant<D> {
    let (a, b) = (operand(op, 0), operand(op, 1));
    if op.inst.opcode == Opcode::G_FSINCOS {
        let both = |d: &mut D| {
            let (format, a) = (format(op.width())?, a?);
            let [sine, cosine] = [ElementaryFunction::Sin, ElementaryFunction::Cos];
            Ok(Results::Floats(elementary(d, sine, format, &[a]), elementary(d, cosine, format, &[a])))
        };
        return Some(both(d));
    }
    let function = ElementaryFunction::of(op.inst.opcode)?;
    let result = || {
        let (format, a) = (format(op.width())?, a?);
        let power;
        let b = match function {
            ElementaryFunction::PowI => {
                power = whole_power(d, b?)?;
                Some(&power)
            }
            _ => b.ok(),
        };
        let args: SmallVec<[&D::Bits; 2]> = [Some(a), b].into_iter().flatten().collect();
        Ok(Results::Float(elementary(d, function, format, &args)))
    };
    Some(result())
}

fn whole_power<D: Domain>(d: &mut D, power: &D::Bits) -> Result<D::Bits, Unsupported> {
    match d.width(power) <= ElementaryFunction::POWER_BITS {
        true => Ok(d.sext(power, ElementaryFunction::POWER_BITS)),
        false => Err(Unsupported::new(format!("a power of {} bits", d.width(power)))),
    }
}

fn converted<D: Domain>(d: &mut D, op: &Operation<'_, D>) -> Result<Results<D>, Unsupported> {
    let a = operand(op, 0)?;
    let (rules, formats) = (FloatRules::generic(d), (format(d.width(a))?, format(op.width())?));
    Ok(Results::Float(match op.inst.opcode {
        Opcode::G_FPEXT => extend(d, &rules, formats, a).bits,
        _ => truncate(d, &rules, formats, a).bits,
    }))
}

/// Between numbers and integers.
fn with_integers<D: Domain>(d: &mut D, op: &Operation<'_, D>) -> Meant<D> {
    use Opcode::*;
    Some(match op.inst.opcode {
        G_SITOFP | G_UITOFP => of_integer(d, op),
        G_FPTOSI | G_FPTOSI_SAT => integer_of(d, op, true),
        G_FPTOUI | G_FPTOUI_SAT => integer_of(d, op, false),
        G_INTRINSIC_LRINT | G_INTRINSIC_LLRINT | G_LROUND | G_LLROUND => integer_of(d, op, true),
        G_FLDEXP => scaled(d, op),
        G_FFREXP => split(d, op),
        _ => return None,
    })
}

/// Unsigned integers are read as signed ones that are a bit wider.
fn check_width(width: u32, is_signed: bool) -> Result<(), Unsupported> {
    match is_signed || width < MAX_BITS {
        true => Ok(()),
        false => Err(Unsupported::new(format!("an unsigned integer of {width} bits as a number"))),
    }
}

fn of_integer<D: Domain>(d: &mut D, op: &Operation<'_, D>) -> Result<Results<D>, Unsupported> {
    let (a, is_signed) = (operand(op, 0)?, op.inst.opcode == Opcode::G_SITOFP);
    check_width(d.width(a), is_signed)?;
    let (rules, format) = (FloatRules::generic(d), format(op.width())?);
    Ok(Results::Float(from_integer(d, &rules, format, a, is_signed).bits))
}

/// Out of range it is poison, the nearest integer, or any (LangRef, `lrint`).
fn integer_of<D: Domain>(d: &mut D, op: &Operation<'_, D>, is_signed: bool) -> Result<Results<D>, Unsupported> {
    use Opcode::*;
    let (a, width) = (operand(op, 0)?, op.width());
    check_width(width, is_signed)?;
    let mode = match op.inst.opcode {
        G_INTRINSIC_LRINT | G_INTRINSIC_LLRINT => RoundingMode::NearestEven,
        G_LROUND | G_LLROUND => RoundingMode::NearestAway,
        _ => RoundingMode::TowardZero,
    };
    let mode = d.constant(mode.bits());
    let integer = to_integer(d, &mode, format(d.width(a))?, a, IntegerForm { width, is_signed });
    Ok(match op.inst.opcode {
        G_FPTOSI | G_FPTOUI => Results::Partial(integer.bits, integer.is_invalid),
        G_FPTOSI_SAT | G_FPTOUI_SAT => Results::Integer(integer.bits),
        _ => {
            let any = d.choose(width);
            Results::Integer(d.ite(&integer.is_invalid, &any, &integer.bits))
        }
    })
}

fn scaled<D: Domain>(d: &mut D, op: &Operation<'_, D>) -> Result<Results<D>, Unsupported> {
    let (rules, format) = (FloatRules::generic(d), format(op.width())?);
    Ok(Results::Float(scale(d, &rules, format, operand(op, 0)?, operand(op, 1)?).bits))
}

/// The fraction field and the biased exponent that a number has where its highest bit is the leading one. This counts
/// in the whole number, as machines do: a solver finds recipes to be the same.
fn of_leading_bit<D: Domain>(d: &mut D, x: &FloatParts<D>) -> (D::Bits, D::Bits) {
    let (format, bits) = (x.format, x.format.bits());
    let magnitude = d.extract(&x.bits, 0, bits - 1);
    let magnitude = d.zext(&magnitude, bits);
    let leading = leading_zeros(d, &magnitude, bits);
    let exponent_bits = d.literal(format.exponent_bits().into(), bits);
    let places = d.sub(&leading, &exponent_bits);
    let shifted = d.shl(&magnitude, &places);
    let shifted = d.extract(&shifted, 0, format.fraction_bits());
    let biased = x.biased_exponent(d);
    let places = d.zext_or_trunc(&places, exponent_width(format));
    let of_low = d.sub(&biased, &places);
    (d.ite(&x.is_low, &shifted, &x.fraction), d.ite(&x.is_low, &of_low, &biased))
}

/// A fraction from a half to one, and the power of two by which it is the number. The power is 0 for zero, and any
/// where the number is not finite or the power does not fit (LangRef, `frexp`).
fn split<D: Domain>(d: &mut D, op: &Operation<'_, D>) -> Result<Results<D>, Unsupported> {
    let (a, power_bits) = (operand(op, 0)?, op.defs.get(1).map_or(0, |ty| ty.bits()));
    let format = format(op.width())?;
    let width = exponent_width(format);
    let x = FloatParts::of(d, format, a);
    let (fraction, biased) = of_leading_bit(d, &x);
    let below_half = d.literal(format.bias() - 1, width);
    let power = d.sub(&biased, &below_half);
    let none = d.literal(0, width);
    let power = d.ite(&x.is_zero, &none, &power);
    let (given, any) = (d.sext_or_trunc(&power, power_bits), d.choose(power_bits));
    let back = d.sext_or_trunc(&given, width);
    let (fits, is_finite) = (d.eq(&back, &power), x.is_finite(d));
    let is_determined = d.bool_and(&fits, &is_finite);
    let power = d.ite(&is_determined, &given, &any);
    let field = d.literal(format.bias() - 1, format.exponent_bits());
    let magnitude = d.concat(&field, &fraction);
    let half = signed(d, &x.sign, &magnitude);
    let is_ordinary = d.bool_not(&x.is_zero);
    let is_ordinary = d.bool_and(&is_finite, &is_ordinary);
    let rules = FloatRules::generic(d);
    let unchanged = itself(d, &rules, format, a).bits;
    Ok(Results::Both(d.ite(&is_ordinary, &half, &unchanged), power))
}
