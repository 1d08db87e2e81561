//! A second definition of every opcode of floating point, by the library: each is evaluated as an instruction, on
//! corners and random operands of each format.

use super::operands::{Random, any, corners};
use super::*;
use rustc_apfloat::StatusAnd;
use std::collections::BTreeSet;
use tribunal_ir::opcode::{OpcodeInfo, TypeClass};
use tribunal_ir::semantics::float::Extremum;
use tribunal_ir::semantics::{Evaluation, Pure, Value, evaluate};
use tribunal_ir::types::ElementCount;
use tribunal_ir::{FloatPredicate, Function, InstData, InstFlags, Opcode, Operand, OperandKind, Type};

/// A result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Expected {
    Bits(u128),
    /// Any NaN that LangRef allows: with the choices of the tests, the positive quiet one without payload.
    Nan,
    Poison,
    /// Any of two.
    Either(u128, u128),
}

/// What distinguishes two instances of one opcode.
struct Instance {
    opcode: Opcode,
    /// Of the floating-point operand or result that gives the operation its format, and of another one.
    format: FloatFormat,
    other: FloatFormat,
    /// The width of an integer.
    integer: u32,
    predicate: FloatPredicate,
    mask: i64,
}

impl Instance {
    /// The type of a type index.
    fn ty(&self, info: &OpcodeInfo, index: usize) -> Type {
        let is_float = info.class_of(index) == Some(TypeClass::Float);
        Type::scalar(if is_float { self.format_of(info, index).bits() } else { self.integer })
    }

    fn format_of(&self, info: &OpcodeInfo, index: usize) -> FloatFormat {
        let principal = info.principal();
        let is_own = index == principal || info.class_of(principal) != Some(TypeClass::Float);
        if is_own { self.format } else { self.other }
    }

    /// The instruction, and the type of each register that it reads.
    fn written(&self, lanes: Option<u16>) -> (Function, InstData, Vec<Type>) {
        let info = self.opcode.info().unwrap();
        let (mut function, mut operands, mut reads) = (Function::new("f"), Vec::new(), Vec::new());
        for (place, kind) in info.operands().enumerate() {
            operands.push(match (kind, kind.type_index()) {
                (_, Some(index)) => {
                    let ty = self.ty(info, index);
                    let ty = lanes.map_or(ty, |lanes| ty.times(ElementCount::fixed(lanes)).unwrap());
                    let register = function.new_vreg(ty);
                    if place >= info.defs.len() {
                        reads.push(ty);
                    }
                    if place < info.defs.len() { Operand::def(register) } else { Operand::used(register) }
                }
                (OperandKind::FPRED, _) => Operand::FloatPredicate(self.predicate),
                (OperandKind::IMM, _) => Operand::Imm(self.mask),
                (other, _) => panic!("{other:?}"),
            });
        }
        (function, InstData::new(self.opcode, operands), reads)
    }

    fn evaluate(&self, flags: InstFlags, lanes: Option<u16>, args: &[Bits]) -> Evaluation<Concrete> {
        let (function, data, _) = self.written(lanes);
        let args: Vec<Value<Concrete>> = args.iter().map(|&bits| Value::new(bits, false)).collect();
        let data = data.with_flags(flags);
        evaluate(&mut Concrete { choice: Choice::Zeros }, &mut Pure, &function, &data, &args).unwrap()
    }

    /// The bits of operands, each of its type.
    fn operands(&self, random: &mut Random) -> Vec<Bits> {
        let info = self.opcode.info().unwrap();
        let kinds = info.uses.iter().filter_map(|kind| Some((kind.type_index()?, kind.type_class()?)));
        let operands = kinds.map(|(index, class)| {
            let bits = self.ty(info, index).bits();
            let format = self.format_of(info, index);
            match class {
                TypeClass::Float => Bits::new(any(format, &corners(format), random), bits),
                _ => Bits::new(random.wide() >> random.below(128), bits),
            }
        });
        operands.collect()
    }
}

fn number<F: Float>(value: F) -> Expected {
    if value.is_nan() { Expected::Nan } else { Expected::Bits(value.to_bits()) }
}

/// Results of opcodes of one format.
fn of_one<F: Float>(instance: &Instance, args: &[u128]) -> Option<Vec<Expected>> {
    use Opcode::*;
    let [a, b, c] = [0, 1, 2].map(|index| F::from_bits(args.get(index).copied().unwrap_or(0)));
    let even = Round::NearestTiesToEven;
    let integral = |round| number(a.round_to_integral(round).value);
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
        G_FSQRT => of_bits(instance.format, binary::root::<F>(instance.format, even, args[0]).0),
        G_FMINNUM | G_FMAXNUM => extreme(instance.opcode == G_FMINNUM, a, b),
        G_FMINNUM_IEEE | G_FMINIMUMNUM | G_FMINIMUM | G_FMAXNUM_IEEE | G_FMAXIMUMNUM | G_FMAXIMUM => of_bits(
            instance.format,
            selection::extreme::<F>(instance.format, kind(instance.opcode)?, args[0], args[1]).0,
        ),
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
        _ => return None,
    }])
}

/// The library's `frexp` says of a zero power what it likes.
fn fraction_and_power<F: Float>(instance: &Instance, a: F) -> Vec<Expected> {
    let mut power = 0;
    let fraction = a.frexp_r(&mut power, Round::NearestTiesToEven);
    let is_number = !a.is_nan() && !a.is_infinite();
    let wide = Bits::from_i64(if a.is_zero() { 0 } else { power.into() }, 128);
    let given = wide.zext_or_trunc(instance.integer);
    let fits = is_number && given.sext_or_trunc(128) == wide;
    // Any number is zero with the choices of the tests.
    vec![
        if a.is_zero() { number(a) } else { number(fraction) },
        Expected::Bits(if fits { given.unsigned() } else { 0 }),
    ]
}

fn of_bits(format: FloatFormat, bits: u128) -> Expected {
    if bits == canonical_nan(format) { Expected::Nan } else { Expected::Bits(bits) }
}

fn kind(opcode: Opcode) -> Option<Extremum> {
    use Extremum::*;
    Some(match opcode {
        Opcode::G_FMINNUM_IEEE => MinNum,
        Opcode::G_FMAXNUM_IEEE => MaxNum,
        Opcode::G_FMINIMUM => Minimum,
        Opcode::G_FMAXIMUM => Maximum,
        Opcode::G_FMINIMUMNUM => MinimumNumber,
        Opcode::G_FMAXIMUMNUM => MaximumNumber,
        _ => return None,
    })
}

/// `minnum` and `maxnum`: zeros in any order, and a signalling NaN is one or is none.
fn extreme<F: Float>(is_least: bool, a: F, b: F) -> Expected {
    let of = |a: F, b: F| if is_least { a.minimum(b) } else { a.maximum(b) };
    match (a.is_nan(), b.is_nan()) {
        (true, true) => Expected::Nan,
        (true, false) if a.is_signaling() => Expected::Either(canonical_nan_of::<F>(), b.to_bits()),
        (false, true) if b.is_signaling() => Expected::Either(canonical_nan_of::<F>(), a.to_bits()),
        (true, false) => number(b),
        (false, true) => number(a),
        _ if a.is_zero() && b.is_zero() => Expected::Either(a.to_bits(), b.to_bits()),
        _ => number(of(a, b)),
    }
}

fn canonical_nan_of<F: Float>() -> u128 {
    F::qnan(None).abs().to_bits()
}

/// Results of opcodes that read numbers and write something else.
fn of_numbers<F: Float>(instance: &Instance, args: &[u128]) -> Option<Vec<Expected>> {
    use Opcode::*;
    let (a, width) = (F::from_bits(args[0]), instance.integer);
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
        // Any integer is zero with the choices of the tests.
        G_INTRINSIC_LRINT | G_INTRINSIC_LLRINT => or(integer(true, Round::NearestTiesToEven), Expected::Bits(0)),
        G_LROUND | G_LLROUND => or(integer(true, Round::NearestTiesToAway), Expected::Bits(0)),
        G_IS_FPCLASS => truth(instance.mask >> selection::class::<F>(args[0]) & 1 == 1),
        G_FCMP => {
            let order = a.partial_cmp(&F::from_bits(args[1]));
            truth(selection::holds(instance.predicate, order))
        }
        _ => return None,
    }])
}

/// Results of opcodes that make numbers of integers.
fn of_integers<F: Float>(instance: &Instance, args: &[u128]) -> Option<Vec<Expected>> {
    let integer = Bits::new(args[0], instance.integer);
    Some(vec![match instance.opcode {
        Opcode::G_SITOFP => number(F::from_i128_r(integer.signed(), Round::NearestTiesToEven).value),
        Opcode::G_UITOFP => number(F::from_u128_r(integer.unsigned(), Round::NearestTiesToEven).value),
        _ => return None,
    }])
}

/// Results of opcodes of two formats.
fn of_two(instance: &Instance, args: &[u128]) -> Option<Vec<Expected>> {
    let (from, to) = match instance.opcode {
        Opcode::G_FCOPYSIGN => {
            let (own, other) = (instance.format.bits() - 1, instance.other.bits() - 1);
            return Some(vec![Expected::Bits(args[0] & ((1 << own) - 1) | args[1] >> other << own)]);
        }
        Opcode::G_FPEXT | Opcode::G_FPTRUNC => (instance.format, instance.other),
        _ => return None,
    };
    let convert = conversions::CONVERSIONS.iter().find(|(own_from, own_to, _)| (*own_from, *own_to) == (from, to))?.2;
    Some(vec![of_bits(to, convert(to, Round::NearestTiesToEven, args[0]).0)])
}

fn expected(instance: &Instance, args: &[u128]) -> Option<Vec<Expected>> {
    of_two(instance, args)
        .or_else(|| with_format!(instance.format, of_one(instance, args)))
        .or_else(|| with_format!(instance.format, of_numbers(instance, args)))
        .or_else(|| with_format!(instance.format, of_integers(instance, args)))
}

/// The formats that a type tells.
const FORMATS: [FloatFormat; 4] = [FloatFormat::Half, FloatFormat::Float, FloatFormat::Double, FloatFormat::Fp128];

/// Instances that keep the row's rules, a few of each opcode, and no two alike.
fn instances() -> Vec<Instance> {
    let (mut all, mut seen) = (Vec::new(), BTreeSet::new());
    let rows = Opcode::ALL.iter().filter(|opcode| opcode.is_defined() && **opcode != Opcode::G_FCONSTANT);
    for (&opcode, info) in rows.filter_map(|opcode| Some((opcode, opcode.info().filter(|info| info.is_float())?))) {
        for (place, format) in FORMATS.into_iter().enumerate() {
            for (turn, other) in FORMATS.into_iter().enumerate() {
                let number = 4 * place + turn;
                let instance = Instance {
                    opcode,
                    format,
                    other,
                    integer: [8, 32, 64, 33, 127, 16][number % 6],
                    predicate: FloatPredicate::ALL[number],
                    mask: [0x3ff, 0x003, 0x0f0, 0x264, 0x001][number % 5],
                };
                let types = [0, 1, 2].map(|index| info.class_of(index).map(|_| instance.ty(info, index)));
                let has = |kind: OperandKind| info.operands().any(|own| own == kind);
                let predicate = has(OperandKind::FPRED).then_some(instance.predicate.name());
                let mask = has(OperandKind::IMM).then_some(instance.mask);
                if info.takes(&types) && seen.insert((opcode, types, predicate, mask)) {
                    all.push(instance);
                }
            }
        }
    }
    all
}

fn agrees(expected: Expected, result: &Value<Concrete>) -> bool {
    let bits = result.bits.unsigned();
    let nan = FloatFormat::of_width(result.bits.width()).map(canonical_nan);
    match expected {
        Expected::Poison => result.poison,
        Expected::Bits(own) => !result.poison && bits == own,
        Expected::Either(one, other) => !result.poison && (bits == one || bits == other),
        Expected::Nan => !result.poison && Some(bits) == nan,
    }
}

#[test]
fn every_opcode_agrees_with_its_second_definition() {
    let mut seen = BTreeSet::new();
    let mut random = Random(0x0123_4567_89ab_cdef);
    for instance in instances() {
        seen.insert(instance.opcode);
        for _ in 0..count(60) {
            let operands = instance.operands(&mut random);
            let args: Vec<u128> = operands.iter().map(|bits| bits.unsigned()).collect();
            let name = format!("{} of {:?} and {:?} on {args:x?}", instance.opcode, instance.format, instance.other);
            let meant = expected(&instance, &args).unwrap_or_else(|| panic!("{name} has no second definition"));
            let evaluation = instance.evaluate(InstFlags::empty(), None, &operands);
            assert_eq!(evaluation.results.len(), meant.len(), "{name}");
            let same = meant.iter().zip(&evaluation.results).all(|(&meant, result)| agrees(meant, result));
            assert!(same && !evaluation.ub, "{name}: {:x?}, meant {meant:x?}", evaluation.results);
        }
    }
    assert_eq!(seen.len(), 43);
}

/// Lane by lane, poison included.
#[test]
fn vectors_are_computed_lane_by_lane() {
    let mut random = Random(0x1357_9bdf_0246_8ace);
    for instance in instances().iter().filter(|instance| instance.format.bits() + instance.other.bits() <= 128) {
        for _ in 0..4 {
            let [low, high] = [(); 2].map(|()| instance.operands(&mut random));
            let both: Vec<Bits> = low.iter().zip(&high).map(|(low, high)| high.concat(*low)).collect();
            let whole = instance.evaluate(InstFlags::empty(), Some(2), &both);
            let [low, high] = [low, high].map(|lane| instance.evaluate(InstFlags::empty(), None, &lane));
            for ((whole, low), high) in whole.results.iter().zip(&low.results).zip(&high.results) {
                assert_eq!(whole.poison_of_elements(), [low.poison, high.poison], "{}", instance.opcode);
                assert_eq!(whole.poison, low.poison || high.poison, "{}", instance.opcode);
                let lane = |value: &Value<Concrete>| match instance.opcode.is_comparison() {
                    // Truth in a wide element is all ones.
                    true => Bits::new(u128::from(!value.bits.is_zero()), 1).sext_or_trunc(value.bits.width()),
                    false => value.bits,
                };
                assert_eq!(whole.bits, lane(high).concat(lane(low)), "{}", instance.opcode);
            }
        }
    }
}

/// `nnan` and `ninf` make poison of what they exclude, and of nothing else; licences change nothing.
#[test]
fn flags_promise_or_license() {
    let licences = InstFlags::FAST.difference(InstFlags::FLOAT_PROMISES);
    let mut random = Random(0x2468_ace0_1357_9bdf);
    for instance in instances() {
        let info = instance.opcode.info().unwrap();
        if !info.inst_flags.contains(InstFlags::FAST) {
            continue;
        }
        for _ in 0..40 {
            let args = instance.operands(&mut random);
            let of = |flags| instance.evaluate(flags, None, &args).results.to_vec();
            let plain = of(InstFlags::empty());
            let has = |test: fn(FloatFormat, u128) -> bool| {
                let read = info.uses.iter().filter(|kind| kind.type_index().is_some()).zip(&args);
                let written = info.defs.iter().zip(plain.iter().map(|result| &result.bits));
                let floats = read.chain(written).filter(|(kind, _)| kind.type_class() == Some(TypeClass::Float));
                floats
                    .map(|(_, bits)| bits)
                    .any(|bits| test(FloatFormat::of_width(bits.width()).unwrap(), bits.unsigned()))
            };
            let is_nan = has(|format, bits| magnitude_of(format, bits) > infinity_of(format));
            let is_infinite = has(|format, bits| magnitude_of(format, bits) == infinity_of(format));
            let name = format!("{} on {args:x?}", instance.opcode);
            assert_eq!(of(InstFlags::NNAN)[0].poison, is_nan, "{name}");
            assert_eq!(of(InstFlags::NINF)[0].poison, is_infinite, "{name}");
            assert_eq!(of(licences)[0].bits, plain[0].bits, "{name}");
            assert!(!of(licences)[0].poison, "{name}");
        }
    }
}

fn magnitude_of(format: FloatFormat, bits: u128) -> u128 {
    bits & ((1 << (format.bits() - 1)) - 1)
}

fn infinity_of(format: FloatFormat) -> u128 {
    ((1 << format.exponent_bits()) - 1) << format.fraction_bits()
}

/// Widths that no format has, and formats that a type does not tell, have no meaning.
#[test]
fn other_widths_are_unsupported() {
    let mut function = Function::new("f");
    let registers = [(); 3].map(|()| function.new_vreg(Type::scalar(80)));
    let data = InstData::op(Opcode::G_FADD, registers[0], &registers[1..]);
    let arg = Value::new(Bits::zero(80), false);
    let error = evaluate(&mut Concrete { choice: Choice::Zeros }, &mut Pure, &function, &data, &[arg.clone(), arg])
        .unwrap_err();
    assert_eq!(error.feature, "floating point of 80 bits");
}

/// The bits as they are written.
#[test]
fn constants_are_their_bits() {
    let mut function = Function::new("f");
    let (one, register) = (Bits::new(0x3f80_0000, 32), function.new_vreg(Type::scalar(32)));
    let written = function.float(FloatFormat::Float, one);
    let data = InstData::new(Opcode::G_FCONSTANT, [Operand::def(register), written]);
    let evaluation = evaluate(&mut Concrete { choice: Choice::Zeros }, &mut Pure, &function, &data, &[]).unwrap();
    assert_eq!((evaluation.results[0].bits, evaluation.results[0].poison), (one, false));
}
