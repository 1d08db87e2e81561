//! The second definition of every opcode of floating point, by the [`library`]: each is evaluated as an instruction on
//! corners and random operands of each format, on vectors by lanes, and with the flags that promise something.

pub mod library;
pub mod operands;

use super::FirstDefinition;
use super::meaning::OperationMeaning;
use crate::with_format;
use library::{CONVERSIONS, FloatOutcome, canonical_nan, class, extreme, holds, root};
use operands::{Xorshift, any, corners};
use rustc_apfloat::{Float, Round, Status, StatusAnd};
use tribunal_ir::bits::Bits;
use tribunal_ir::opcode::{OpcodeInfo, TypeClass};
use tribunal_ir::semantics::float::Extremum;
use tribunal_ir::semantics::{Concrete, Value};
use tribunal_ir::types::ElementCount;
use tribunal_ir::{FloatFormat, FloatPredicate, Function, InstData, InstFlags, Opcode, Operand, OperandKind, Type};

/// Operands that each instance is evaluated on, and those of them that come on vectors as well.
const OPERANDS: usize = 40;
const IN_VECTORS: usize = 8;
/// Elements of a vector.
const LANES: u16 = 2;
/// Numbers by which two libraries may differ.
const NEAR: u128 = 8;

/// A result.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Expected {
    Bits(u128),
    /// Any NaN that LangRef allows: with the choices of this comparison, the positive quiet one without payload.
    Nan(FloatFormat),
    Poison,
    /// Any of two.
    Either(u128, u128),
    /// The number, or one of those next to it: no standard says the last digits.
    Near(FloatFormat, f64),
}

impl Expected {
    fn allows(self, result: Option<i128>) -> bool {
        match (self, result.map(|bits| bits as u128)) {
            (Expected::Poison, result) => result.is_none(),
            (_, None) => false,
            (Expected::Bits(own), Some(bits)) => bits == own,
            (Expected::Either(one, other), Some(bits)) => bits == one || bits == other,
            (Expected::Nan(format), Some(bits)) => bits == canonical_nan(format),
            (Expected::Near(format, value), Some(bits)) => is_near(format, bits, value),
        }
    }
}

/// What distinguishes two instances of one opcode.
struct FloatInstance {
    opcode: Opcode,
    info: &'static OpcodeInfo,
    /// Of the floating-point operand or result that gives the operation its format, and of another one.
    format: FloatFormat,
    other: FloatFormat,
    /// The width of an integer.
    integer: u32,
    predicate: FloatPredicate,
    mask: i64,
}

impl FloatInstance {
    /// The type of a type index.
    fn ty(&self, index: usize) -> Type {
        let is_float = self.info.class_of(index) == Some(TypeClass::Float);
        Type::scalar(if is_float { self.format_of(index).bits() } else { self.integer })
    }

    fn format_of(&self, index: usize) -> FloatFormat {
        let principal = self.info.principal();
        let is_own = index == principal || self.info.class_of(principal) != Some(TypeClass::Float);
        if is_own { self.format } else { self.other }
    }

    /// The instruction on numbers, or on vectors of so many; `None` if an operand is of no kind that is known here, or
    /// one of them is never a vector.
    fn written(&self, lanes: u16) -> Option<(Function, InstData)> {
        let (mut function, mut operands) = (Function::new("f"), Vec::new());
        let in_lanes = |ty: Type| if lanes == 1 { Some(ty) } else { ty.times(ElementCount::fixed(lanes)) };
        let types = [0, 1, 2].map(|index| self.info.class_of(index).and_then(|_| in_lanes(self.ty(index))));
        if !self.info.takes(&types) {
            return None;
        }
        for (place, kind) in self.info.operands().enumerate() {
            operands.push(match (kind, kind.type_index()) {
                (_, Some(index)) => {
                    let register = function.new_vreg(types[index]?);
                    if place < self.info.defs.len() { Operand::def(register) } else { Operand::used(register) }
                }
                (OperandKind::FPRED, _) => Operand::FloatPredicate(self.predicate),
                (OperandKind::IMM, _) => Operand::Imm(self.mask),
                _ => return None,
            });
        }
        Some((function, InstData::new(self.opcode, operands)))
    }

    /// The bits of operands, each of its type.
    fn operands(&self, random: &mut Xorshift) -> Vec<Bits> {
        let kinds = self.info.uses.iter().filter_map(|kind| Some((kind.type_index()?, kind.type_class()?)));
        let operands = kinds.map(|(index, class)| {
            let (bits, format) = (self.ty(index).bits(), self.format_of(index));
            match class {
                TypeClass::Float => Bits::new(any(format, &corners(format), random), bits),
                _ => Bits::new(random.wide() >> random.below(128), bits),
            }
        });
        operands.collect()
    }

    /// True if an operand or a result is such a number.
    fn has(&self, args: &[Bits], results: &[Expected], test: impl Fn(FloatFormat, u128) -> bool) -> bool {
        let reads = self.info.uses.iter().filter(|kind| kind.type_index().is_some()).zip(args);
        let is_float = |kind: &OperandKind| kind.type_class() == Some(TypeClass::Float);
        let read = reads
            .filter(|(kind, _)| is_float(kind))
            .any(|(kind, bits)| kind.type_index().is_some_and(|index| test(self.format_of(index), bits.unsigned())));
        let mut written = self.info.defs.iter().zip(results).filter(|(kind, _)| is_float(kind));
        read || written.any(|(kind, result)| {
            let format = kind.type_index().map_or(self.format, |index| self.format_of(index));
            match *result {
                Expected::Bits(bits) | Expected::Either(_, bits) => test(format, bits),
                Expected::Nan(format) => test(format, canonical_nan(format)),
                Expected::Near(format, value) => test(format, rounded(format, value)),
                Expected::Poison => false,
            }
        })
    }
}

/// Instances that keep the row's rules, a few of each opcode, and no two alike.
fn instances(opcode: Opcode, info: &'static OpcodeInfo) -> Vec<FloatInstance> {
    /// The formats that a type tells.
    const FORMATS: [FloatFormat; 4] = [FloatFormat::Half, FloatFormat::Float, FloatFormat::Double, FloatFormat::Fp128];
    let (mut all, mut seen) = (Vec::new(), Vec::new());
    let has = |kind: OperandKind| info.operands().any(|own| own == kind);
    for (number, (place, other)) in (0..4).flat_map(|place| FORMATS.map(|other| (place, other))).enumerate() {
        let instance = FloatInstance {
            opcode,
            info,
            format: FORMATS[place],
            other,
            integer: [8, 32, 64, 33, 127, 16][number % 6],
            predicate: FloatPredicate::ALL[number],
            mask: [0x3ff, 0x003, 0x0f0, 0x264, 0x001][number % 5],
        };
        let types = [0, 1, 2].map(|index| info.class_of(index).map(|_| instance.ty(index)));
        let predicate = has(OperandKind::FPRED).then_some(instance.predicate.name());
        let key = (types, predicate, has(OperandKind::IMM).then_some(instance.mask));
        if info.takes(&types) && !seen.contains(&key) {
            seen.push(key);
            all.push(instance);
        }
    }
    all
}

/// Compares both definitions of one opcode: the number of cases, none if it is none of floating point or has no second
/// definition, or the first that differs.
pub(super) fn compared(opcode: Opcode, first: FirstDefinition<'_>) -> Result<u64, String> {
    let Some(info) = opcode.info().filter(|info| info.is_float()) else { return Ok(0) };
    let (mut random, mut cases) = (Xorshift(0x0123_4567_89ab_cdef), 0);
    for instance in instances(opcode, info) {
        let Some((function, data)) = instance.written(1) else { return Ok(0) };
        for turn in 0..OPERANDS {
            let args = instance.operands(&mut random);
            let Some(meant) = meant(&instance, &args) else { return Ok(0) };
            agrees(&instance, first, (&function, &data), &args, &meant)?;
            cases += 1 + compared_with_flags(&instance, first, &args, &meant)?;
            if turn % (OPERANDS / IN_VECTORS) == 0 {
                let more = instance.operands(&mut random);
                cases += compared_on_vectors(&instance, first, [args, more])?;
            }
        }
    }
    Ok(cases)
}

/// The error is the case on which the first definition says something else.
fn agrees(
    instance: &FloatInstance,
    first: FirstDefinition<'_>,
    (function, data): (&Function, &InstData),
    args: &[Bits],
    meant: &[Expected],
) -> Result<(), String> {
    let said = first(function, data, &values(args), 1);
    let same = match &said {
        OperationMeaning::Results(results) => {
            results.len() == meant.len() && meant.iter().zip(results).all(|(meant, &result)| meant.allows(result))
        }
        _ => false,
    };
    if same { Ok(()) } else { Err(difference(instance, data.flags, args, &said, meant)) }
}

fn values(args: &[Bits]) -> Vec<Value<Concrete>> {
    args.iter().map(|&bits| Value::new(bits, false)).collect()
}

fn difference(
    instance: &FloatInstance,
    flags: InstFlags,
    args: &[Bits],
    said: &OperationMeaning,
    meant: &[Expected],
) -> String {
    let FloatInstance { opcode, format, other, .. } = instance;
    let args: String = args.iter().map(|arg| format!(" {:#x}", arg.unsigned())).collect();
    format!("{opcode} of {format:?} and {other:?} {flags:?} on{args}: {said:x?}, meant {meant:x?}")
}

/// `nnan` and `ninf` make poison of what they exclude, and of nothing else; licences change nothing here.
fn compared_with_flags(
    instance: &FloatInstance,
    first: FirstDefinition<'_>,
    args: &[Bits],
    meant: &[Expected],
) -> Result<u64, String> {
    let allowed = instance.info.inst_flags;
    let Some((function, data)) = instance.written(1).filter(|_| allowed.contains(InstFlags::FAST)) else {
        return Ok(0);
    };
    let is_nan = instance.has(args, meant, |format, bits| magnitude(format, bits) > infinity(format));
    let is_infinite = instance.has(args, meant, |format, bits| magnitude(format, bits) == infinity(format));
    let licences = InstFlags::FAST.difference(InstFlags::FLOAT_PROMISES);
    for (flags, is_broken) in [(InstFlags::NNAN, is_nan), (InstFlags::NINF, is_infinite), (licences, false)] {
        let poisoned = vec![Expected::Poison; meant.len()];
        let meant = if is_broken { &poisoned } else { meant };
        agrees(instance, first, (&function, &data.clone().with_flags(flags)), args, meant)?;
    }
    Ok(3)
}

fn magnitude(format: FloatFormat, bits: u128) -> u128 {
    bits & ((1 << (format.bits() - 1)) - 1)
}

fn infinity(format: FloatFormat) -> u128 {
    ((1 << format.exponent_bits()) - 1) << format.fraction_bits()
}

/// What the operation does to vectors it does to each lane, where they are of 256 bits at most.
fn compared_on_vectors(
    instance: &FloatInstance,
    first: FirstDefinition<'_>,
    lanes: [Vec<Bits>; 2],
) -> Result<u64, String> {
    if instance.format.bits() + instance.other.bits() > 128 {
        return Ok(0);
    }
    let (Some((function, data)), [Some(low), Some(high)]) =
        (instance.written(LANES), [meant(instance, &lanes[0]), meant(instance, &lanes[1])])
    else {
        return Ok(0);
    };
    let [one, two] = &lanes;
    let args: Vec<Bits> = one.iter().zip(two).map(|(low, high)| high.concat(*low)).collect();
    let said = first(&function, &data, &values(&args), LANES.into());
    // Truth fills a lane.
    let truth = (1u128 << instance.integer) - 1;
    let fills = |expected: Expected| match expected {
        Expected::Bits(1) if instance.opcode.is_comparison() => Expected::Bits(truth),
        other => other,
    };
    let meant: Vec<Expected> = [low, high].concat().into_iter().map(fills).collect();
    match &said {
        OperationMeaning::Results(results)
            if meant.iter().zip(results).all(|(meant, &result)| meant.allows(result)) =>
        {
            Ok(1)
        }
        said => Err(difference(instance, data.flags, &args, said, &meant)),
    }
}

fn number<F: Float>(format: FloatFormat, value: F) -> Expected {
    if value.is_nan() { Expected::Nan(format) } else { Expected::Bits(value.to_bits()) }
}

fn of_outcome(format: FloatFormat, (bits, _): FloatOutcome) -> Expected {
    if bits == canonical_nan(format) { Expected::Nan(format) } else { Expected::Bits(bits) }
}

/// Both definitions give the first results of the first operands, or this one gives none.
fn meant(instance: &FloatInstance, args: &[Bits]) -> Option<Vec<Expected>> {
    let args: Vec<u128> = args.iter().map(|bits| bits.unsigned()).collect();
    of_two(instance, &args)
        .or_else(|| with_format!(instance.format, of_one(instance, &args)))
        .or_else(|| with_format!(instance.format, of_numbers(instance, &args)))
        .or_else(|| with_format!(instance.format, of_integers(instance, &args)))
}

/// Results of opcodes of one format.
fn of_one<F: Float>(instance: &FloatInstance, args: &[u128]) -> Option<Vec<Expected>> {
    use Opcode::*;
    let [a, b, c] = [0, 1, 2].map(|index| F::from_bits(args.get(index).copied().unwrap_or(0)));
    let (even, format) = (Round::NearestTiesToEven, instance.format);
    let number = |value: F| number(format, value);
    let integral = |round| number(a.round_to_integral(round).value);
    if let Some(result) = elementary(instance, args) {
        return Some(result.iter().map(|&value| near(format, value)).collect());
    }
    Some(vec![match instance.opcode {
        G_FADD => number(a.add_r(b, even).value),
        G_FSUB => number(a.sub_r(b, even).value),
        G_FMUL => number(a.mul_r(b, even).value),
        G_FDIV => number(a.div_r(b, even).value),
        G_FREM => number(a.c_fmod(b).value),
        G_FMA => number(a.mul_add_r(b, c, even).value),
        G_FMAD => number(a.mul_r(b, even).value.add_r(c, even).value),
        G_FNEG => Expected::Bits(args[0] ^ 1 << (F::BITS - 1)),
        G_FABS => Expected::Bits(args[0] & !(1 << (F::BITS - 1))),
        G_FCANONICALIZE => number(a),
        G_FSQRT => of_outcome(format, root::<F>(format, even, args[0])),
        G_FMINNUM | G_FMAXNUM => either(format, instance.opcode == G_FMINNUM, a, b),
        G_FMINNUM_IEEE | G_FMINIMUMNUM | G_FMINIMUM | G_FMAXNUM_IEEE | G_FMAXIMUMNUM | G_FMAXIMUM => {
            of_outcome(format, extreme::<F>(format, extremum(instance.opcode)?, args[0], args[1]))
        }
        G_FCEIL => integral(Round::TowardPositive),
        G_FFLOOR => integral(Round::TowardNegative),
        G_INTRINSIC_TRUNC => integral(Round::TowardZero),
        G_INTRINSIC_ROUND => integral(Round::NearestTiesToAway),
        G_FRINT | G_FNEARBYINT | G_INTRINSIC_ROUNDEVEN => integral(even),
        G_FLDEXP => {
            let power = Bits::new(args[1], instance.integer).signed();
            number(a.scalbn_r(power.clamp(-100_000, 100_000) as i32, even))
        }
        G_FFREXP => return Some(fraction_and_power(instance, a)),
        G_FMODF => return Some(whole_and_fraction(format, a).to_vec()),
        _ => return None,
    }])
}

/// Results of elementary functions: those of this machine's library, in double precision.
fn elementary(instance: &FloatInstance, args: &[u128]) -> Option<Vec<f64>> {
    use Opcode::*;
    let double = |index: usize| {
        let number = f64::from_bits(convert(instance.format, FloatFormat::Double, args[index]) as u64);
        // A signalling NaN is one like any other.
        if number.is_nan() { f64::NAN } else { number }
    };
    let a = double(0);
    Some(vec![match instance.opcode {
        G_FPOW => a.powf(double(1)),
        G_FPOWI => a.powf(Bits::new(args[1], instance.integer).signed() as f64),
        G_FEXP => a.exp(),
        G_FEXP2 => a.exp2(),
        G_FEXP10 => 10f64.powf(a),
        G_FLOG => a.ln(),
        G_FLOG2 => a.log2(),
        G_FLOG10 => a.log10(),
        G_FCOS => a.cos(),
        G_FSIN => a.sin(),
        G_FSINCOS => return Some(vec![a.sin(), a.cos()]),
        G_FTAN => a.tan(),
        G_FACOS => a.acos(),
        G_FASIN => a.asin(),
        G_FATAN => a.atan(),
        G_FATAN2 => a.atan2(double(1)),
        G_FCOSH => a.cosh(),
        G_FSINH => a.sinh(),
        G_FTANH => a.tanh(),
        _ => return None,
    }])
}

fn near(format: FloatFormat, value: f64) -> Expected {
    if value.is_nan() { Expected::Nan(format) } else { Expected::Near(format, value) }
}

/// The number in the format.
fn rounded(format: FloatFormat, value: f64) -> u128 {
    convert(FloatFormat::Double, format, value.to_bits().into())
}

/// Whether at most [`NEAR`] numbers of the format lie between the result and the value; of a wide format, of doubles.
fn is_near(format: FloatFormat, bits: u128, value: f64) -> bool {
    let own = if format.bits() > FloatFormat::Double.bits() { FloatFormat::Double } else { format };
    let place = |bits: u128| {
        let distance = magnitude(own, bits) as i128;
        if bits >> (own.bits() - 1) == 1 { -distance } else { distance }
    };
    place(convert(format, own, bits)).abs_diff(place(rounded(own, value))) <= NEAR
}

/// To nearest even.
fn convert(from: FloatFormat, to: FloatFormat, bits: u128) -> u128 {
    let conversion = CONVERSIONS.iter().find(|(own_from, own_to, _)| (*own_from, *own_to) == (from, to));
    conversion.map_or(bits, |(_, _, convert)| convert(to, Round::NearestTiesToEven, bits).0)
}

/// The remainder by one, and the number rounded towards zero.
fn whole_and_fraction<F: Float>(format: FloatFormat, a: F) -> [Expected; 2] {
    let whole = number(format, a.round_to_integral(Round::TowardZero).value);
    let zero = Expected::Bits(F::ZERO.copy_sign(a).to_bits());
    let fraction = if a.is_infinite() { zero } else { number(format, a.c_fmod(F::from_u128(1).value).value) };
    [fraction, whole]
}

/// The library's `frexp` says of a zero power what it likes.
fn fraction_and_power<F: Float>(instance: &FloatInstance, a: F) -> Vec<Expected> {
    let mut power = 0;
    let fraction = a.frexp_r(&mut power, Round::NearestTiesToEven);
    let is_number = !a.is_nan() && !a.is_infinite();
    let wide = Bits::from_i64(if a.is_zero() { 0 } else { power.into() }, 128);
    let given = wide.zext_or_trunc(instance.integer);
    let fits = is_number && given.sext_or_trunc(128) == wide;
    // Any number is zero with the choices of this comparison.
    vec![
        number(instance.format, if a.is_zero() { a } else { fraction }),
        Expected::Bits(if fits { given.unsigned() } else { 0 }),
    ]
}

fn extremum(opcode: Opcode) -> Option<Extremum> {
    Some(match opcode {
        Opcode::G_FMINNUM_IEEE => Extremum::MinNum,
        Opcode::G_FMAXNUM_IEEE => Extremum::MaxNum,
        Opcode::G_FMINIMUM => Extremum::Minimum,
        Opcode::G_FMAXIMUM => Extremum::Maximum,
        Opcode::G_FMINIMUMNUM => Extremum::MinimumNumber,
        Opcode::G_FMAXIMUMNUM => Extremum::MaximumNumber,
        _ => return None,
    })
}

/// `minnum` and `maxnum`: zeros in any order, and a signalling NaN is one or is none.
fn either<F: Float>(format: FloatFormat, is_least: bool, a: F, b: F) -> Expected {
    let number = |value: F| number(format, value);
    match (a.is_nan(), b.is_nan()) {
        (true, true) => Expected::Nan(format),
        (true, false) if a.is_signaling() => Expected::Either(canonical_nan(format), b.to_bits()),
        (false, true) if b.is_signaling() => Expected::Either(canonical_nan(format), a.to_bits()),
        (true, false) => number(b),
        (false, true) => number(a),
        _ if a.is_zero() && b.is_zero() => Expected::Either(a.to_bits(), b.to_bits()),
        _ => number(if is_least { a.minimum(b) } else { a.maximum(b) }),
    }
}

/// Results of opcodes that read numbers and write something else.
fn of_numbers<F: Float>(instance: &FloatInstance, args: &[u128]) -> Option<Vec<Expected>> {
    use Opcode::*;
    let (a, width) = (F::from_bits(*args.first()?), instance.integer);
    let integer = |is_signed: bool, round: Round| {
        let mut exact = false;
        let StatusAnd { value, status } = match is_signed {
            true => a.to_i128_r(width as usize, round, &mut exact).map(|value| value as u128),
            false => a.to_u128_r(width as usize, round, &mut exact),
        };
        (Bits::new(value, width).unsigned(), status.contains(Status::INVALID_OP))
    };
    let or = |(bits, is_invalid): (u128, bool), otherwise: Expected| {
        if is_invalid { otherwise } else { Expected::Bits(bits) }
    };
    let truth = |holds: bool| Expected::Bits(holds.into());
    let zero = Round::TowardZero;
    Some(vec![match instance.opcode {
        G_FPTOSI => or(integer(true, zero), Expected::Poison),
        G_FPTOUI => or(integer(false, zero), Expected::Poison),
        G_FPTOSI_SAT => Expected::Bits(integer(true, zero).0),
        G_FPTOUI_SAT => Expected::Bits(integer(false, zero).0),
        // Any integer is zero with the choices of this comparison.
        G_INTRINSIC_LRINT | G_INTRINSIC_LLRINT => or(integer(true, Round::NearestTiesToEven), Expected::Bits(0)),
        G_LROUND | G_LLROUND => or(integer(true, Round::NearestTiesToAway), Expected::Bits(0)),
        G_IS_FPCLASS => truth(instance.mask >> class::<F>(args[0]) & 1 == 1),
        G_FCMP => truth(holds(instance.predicate, a.partial_cmp(&F::from_bits(args[1])))),
        _ => return None,
    }])
}

/// Results of opcodes that make numbers of integers.
fn of_integers<F: Float>(instance: &FloatInstance, args: &[u128]) -> Option<Vec<Expected>> {
    let (integer, even) = (Bits::new(*args.first()?, instance.integer), Round::NearestTiesToEven);
    Some(vec![match instance.opcode {
        Opcode::G_SITOFP => number(instance.format, F::from_i128_r(integer.signed(), even).value),
        Opcode::G_UITOFP => number(instance.format, F::from_u128_r(integer.unsigned(), even).value),
        _ => return None,
    }])
}

/// Results of opcodes of two formats.
fn of_two(instance: &FloatInstance, args: &[u128]) -> Option<Vec<Expected>> {
    let (from, to) = match instance.opcode {
        Opcode::G_FCOPYSIGN => {
            let (own, other) = (instance.format.bits() - 1, instance.other.bits() - 1);
            return Some(vec![Expected::Bits(args[0] & ((1 << own) - 1) | args[1] >> other << own)]);
        }
        Opcode::G_FPEXT | Opcode::G_FPTRUNC => (instance.format, instance.other),
        _ => return None,
    };
    let convert = CONVERSIONS.iter().find(|(own_from, own_to, _)| (*own_from, *own_to) == (from, to))?.2;
    Some(vec![of_outcome(to, convert(to, Round::NearestTiesToEven, args[0]))])
}
