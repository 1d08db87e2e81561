//! Arithmetic in one format: sums, products, quotients, remainders, fused products, roots.

use super::*;
use tribunal_ir::semantics::float;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Operation {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Fma,
}

const BINARY: [Operation; 5] = [Operation::Add, Operation::Sub, Operation::Mul, Operation::Div, Operation::Rem];

struct Ours(Operation, FloatFormat);

impl Evaluated for Ours {
    fn evaluate<D: Domain>(&self, d: &mut D, rules: &FloatRules<D>, args: &[D::Bits]) -> FloatResult<D::Bits> {
        let Ours(operation, format) = *self;
        match operation {
            Operation::Add => float::add(d, rules, format, &args[0], &args[1]),
            Operation::Sub => float::sub(d, rules, format, &args[0], &args[1]),
            Operation::Mul => float::mul(d, rules, format, &args[0], &args[1]),
            Operation::Div => float::div(d, rules, format, &args[0], &args[1]),
            Operation::Rem => float::rem(d, rules, format, &args[0], &args[1]),
            Operation::Fma => float::fma(d, rules, format, [&args[0], &args[1], &args[2]]),
        }
    }
}

fn theirs<F: Float>(Ours(operation, format): &Ours, round: Round, args: &[u128]) -> FloatOutcome {
    let [a, b, c] = [0, 1, 2].map(|index| F::from_bits(*args.get(index).unwrap_or(&0)));
    let result = match operation {
        Operation::Add => a.add_r(b, round),
        Operation::Sub => a.sub_r(b, round),
        Operation::Mul => a.mul_r(b, round),
        Operation::Div => a.div_r(b, round),
        Operation::Rem => Status::OK.and(a.c_fmod(b).value),
        Operation::Fma => a.mul_add_r(b, c, round),
    };
    let read = &[a, b, c][..args.len()];
    let no_product = *operation == Operation::Fma && (a.is_infinite() && b.is_zero() || a.is_zero() && b.is_infinite());
    let from_numbers = result.value.is_nan() && !read.iter().any(|arg| arg.is_nan());
    let invalid = from_numbers || no_product || read.iter().any(|arg| arg.is_signaling());
    (canonical(*format, result.value), flags_of(result.status, invalid))
}

fn check(ours: &Ours, args: &[u128]) {
    let values: Vec<Bits> = args.iter().map(|&arg| bits(ours.1, arg)).collect();
    for (mode, round) in MODES {
        let expected = with_format!(ours.1, theirs(ours, round, args));
        let got = ours.outcome(mode, &values);
        assert_same(format_args!("{:?} {:?} {mode:?} of {args:#x?}", ours.0, ours.1), ours.1, got, expected);
    }
}

/// Arithmetic on numbers of 128 bits does not fit machine words: fewer are tried.
fn slowness(format: FloatFormat) -> usize {
    if format == FloatFormat::Fp128 { 17 } else { 1 }
}

#[test]
fn corners_are_crossed_with_corners() {
    for format in FloatFormat::ALL {
        let corners = corners(format);
        let pairs = corners.iter().flat_map(|&a| corners.iter().map(move |&b| [a, b]));
        for pair in pairs.step_by(share(slowness(format))) {
            BINARY.into_iter().for_each(|operation| check(&Ours(operation, format), &pair));
        }
    }
}

#[test]
fn random_pairs() {
    for format in FloatFormat::ALL {
        let (corners, mut random) = (corners(format), Xorshift(0x1234_5678_9abc_def1));
        for _ in 0..count(2_000 / slowness(format) as u64) {
            let a = any(format, &corners, &mut random);
            let b = near(format, a, &mut random);
            BINARY.into_iter().for_each(|operation| check(&Ours(operation, format), &[a, b]));
        }
    }
}

/// The addend is near the product, or cancels it.
#[test]
fn fused_products() {
    for format in FloatFormat::ALL {
        let (corners, mut random) = (corners(format), Xorshift(0x9876_5432_1fed_cba9));
        for turn in 0..count(4_000 / slowness(format) as u64) {
            let [a, b] = [(); 2].map(|()| any(format, &corners, &mut random));
            let (product, _) =
                Ours(Operation::Mul, format).outcome(RoundingMode::TowardZero, &[bits(format, a), bits(format, b)]);
            let c = match turn % 4 {
                0 => any(format, &corners, &mut random),
                1 => product ^ 1 << (format.bits() - 1),
                _ => near(format, product, &mut random),
            };
            check(&Ours(Operation::Fma, format), &[a, b, c]);
        }
    }
}

struct Root(FloatFormat);

impl Evaluated for Root {
    fn evaluate<D: Domain>(&self, d: &mut D, rules: &FloatRules<D>, args: &[D::Bits]) -> FloatResult<D::Bits> {
        float::sqrt(d, rules, self.0, &args[0])
    }
}

fn check_root(format: FloatFormat, value: u128) {
    for (mode, round) in MODES {
        let expected = with_format!(format, root(format, round, value));
        let got = Root(format).outcome(mode, &[bits(format, value)]);
        assert_same(format_args!("root {format:?} {mode:?} of {value:#x}"), format, got, expected);
    }
}

#[test]
fn roots() {
    (0..1 << 16).for_each(|value| check_root(FloatFormat::Half, value));
    for format in FloatFormat::ALL {
        let (corners, mut random) = (corners(format), Xorshift(0x1111_2222_3333_4445));
        corners.iter().for_each(|&corner| check_root(format, corner));
        for _ in 0..count(2_000 / slowness(format) as u64) {
            let value = any(format, &corners, &mut random);
            check_root(format, value);
            let square = Ours(Operation::Mul, format).outcome(RoundingMode::Up, &[bits(format, value); 2]);
            check_root(format, square.0);
        }
    }
}
