//! The equations of detours beside the definitions, on corners and random operands; and beside exact arithmetic on
//! integers, on pairs of all numbers of 16 bits.
//!
//! `TRIBUNAL_HALF_PAIRS=all` tries every pair, which takes minutes.

use super::super::term::rounded;
use super::{both, detour};
use tribunal_ir::Bits;
use tribunal_ir::FloatFormat::{self, Double, Float, Fp128, Half};
use tribunal_ir::semantics::float::RoundedOperation::{
    self, Add, Convert, Div, Fma, FromInteger, Mul, Rem, Scale, Sqrt,
};
use tribunal_ir::semantics::float::{self, FLAG_BITS, FloatRules, NanRule, RoundingMode};
use tribunal_ir::semantics::{Choice, Concrete};

/// Pseudo-random numbers (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Numbers of 16 bits whose sums and products are near ties: few bits set, and neighbours of such.
    fn half(&mut self) -> u64 {
        const CORNERS: [u64; 12] = [0, 1, 0x3ff, 0x400, 0x401, 0x3bff, 0x3c00, 0x3c01, 0x7bff, 0x7c00, 0x7c01, 0x7e00];
        let sign = self.next() & 0x8000;
        match self.next() % 3 {
            0 => CORNERS[self.next() as usize % CORNERS.len()] | sign,
            1 => ((self.next() % 31) << 10 | 1 << (self.next() % 10)).wrapping_add(self.next() % 3) & 0x7fff | sign,
            _ => self.next() & 0xffff,
        }
    }
}

fn concrete() -> Concrete {
    Concrete { choice: Choice::Zeros }
}

fn holds(operation: RoundedOperation, operands: &[Bits]) {
    let (direct, twice) = both(&mut concrete(), operation, operands).unwrap_or_else(|| panic!("{operation:?}"));
    assert_eq!(direct, twice, "{operation:?} of {operands:x?}");
}

fn half(bits: u64) -> Bits {
    Bits::new(bits.into(), 16)
}

#[test]
fn equations_hold_of_the_definitions() {
    let mut random = Random(1);
    for _ in 0..40_000 {
        let [a, b, c] = [random.half(), random.half(), random.half()].map(half);
        for operation in [Add(Half), Mul(Half), Div(Half), Rem(Half)] {
            holds(operation, &[a, b]);
        }
        holds(Fma(Half), &[a, b, c]);
        let power = Bits::new(u128::from(random.next() % 120), 20).sub(Bits::new(60, 20));
        holds(Scale(Half), &[a, power]);
        holds(Scale(Half), &[a, Bits::new(random.next().into(), 20)]);
        for width in [17, 33, 65] {
            let integer = Bits::new(u128::from(random.next() >> (random.next() % 64)), width);
            holds(FromInteger(Half), &[integer]);
            holds(FromInteger(Half), &[Bits::zero(width).sub(integer)]);
        }
    }
}

#[test]
fn equations_hold_of_every_root_and_integer() {
    for bits in 0..1 << 16 {
        holds(Sqrt(Half), &[half(bits)]);
    }
    for integer in 0..1 << 18 {
        holds(FromInteger(Half), &[Bits::new(integer, 33)]);
    }
}

/// Ties of a product, less the greatest addends that a third number may be, and more and less by the least ones.
#[test]
fn equations_hold_near_ties_of_products() {
    let mut random = Random(2);
    for _ in 0..40_000 {
        let [a, b] = [random.half(), random.half()].map(half);
        let (product, _) = both(&mut concrete(), Mul(Half), &[a, b]).unwrap();
        for step in [0, 1, 2, 0x3ff, 0x400] {
            for base in [0x0000, 0x8000, product.low_u64(), product.low_u64() ^ 0x8000] {
                holds(Fma(Half), &[a, b, half((base + step) & 0xffff)]);
                holds(Fma(Half), &[a, b, half(base.wrapping_sub(step) & 0xffff)]);
            }
        }
    }
}

/// Twice in 32 bits is wrong for a product with a sum: the addend decides what the first rounding makes a tie.
#[test]
fn a_product_with_a_sum_takes_double() {
    assert_eq!(detour(Fma(Half)), Some(Double));
    let (mut d, mut random) = (concrete(), Random(3));
    let rules = FloatRules::new(&mut d, NanRule::Canonical, RoundingMode::NearestEven);
    let differs = (0..2_000_000).any(|_| {
        let args = [random.half(), random.half(), random.half()].map(half);
        let [a, b, c] = args.map(|arg| float::extend(&mut d, &rules, (Half, Float), &arg).bits);
        let first = float::fma(&mut d, &rules, Float, [&a, &b, &c]).bits;
        let twice = float::truncate(&mut d, &rules, (Float, Half), &first).bits;
        twice != float::fma(&mut d, &rules, Half, [&args[0], &args[1], &args[2]]).bits
    });
    assert!(differs, "no operand shows the difference");
}

fn is_nan(format: FloatFormat, bits: Bits) -> bool {
    let magnitude = bits.extract(0, format.bits() - 1);
    let infinity = Bits::ones(format.exponent_bits()).zext_or_trunc(magnitude.width()).shl(format.fraction_bits());
    magnitude.cmp_unsigned(infinity).is_gt()
}

/// A number of a format: corners of its exponent and of its fraction.
fn number(random: &mut Random, format: FloatFormat) -> Bits {
    let (fraction, exponent) = (format.fraction_bits(), format.exponent_bits());
    let corner = |random: &mut Random, width: u32| match random.next() % 5 {
        0 => Bits::zero(width),
        1 => Bits::ones(width),
        2 => Bits::new(1, width),
        3 => Bits::ones(width).sub(Bits::new(1, width)),
        _ => Bits::from_limbs(|_| random.next(), width),
    };
    let (sign, high, low) = (corner(random, 1), corner(random, exponent), corner(random, fraction));
    sign.concat(high).concat(low)
}

#[test]
fn no_operation_makes_a_nan_of_numbers() {
    let mut random = Random(4);
    let mode = RoundingMode::NearestEven.bits();
    for format in [Half, Float, Double, Fp128] {
        for _ in 0..6_000 {
            let [a, b, c] = [0; 3].map(|_| number(&mut random, format));
            if [a, b, c].iter().any(|&bits| is_nan(format, bits)) {
                continue;
            }
            let power = Bits::new(random.next().into(), RoundedOperation::SCALE_BITS);
            let integer = Bits::new(random.next().into(), 65);
            let mut all = vec![
                (Add(format), vec![a, b]),
                (Mul(format), vec![a, b]),
                (Div(format), vec![a, b]),
                (Rem(format), vec![a, b]),
                (Fma(format), vec![a, b, c]),
                (Sqrt(format), vec![a]),
                (Scale(format), vec![a, power]),
                (FromInteger(format), vec![integer]),
            ];
            let narrower = [Half, Float, Double, Fp128].into_iter().filter(|to| to.bits() < format.bits());
            all.extend(narrower.map(|to| (Convert(format, to), vec![a])));
            for (operation, mut operands) in all {
                operands.insert(0, mode);
                let result = rounded(operation, &operands).extract(FLAG_BITS, operation.format().bits());
                assert!(!is_nan(operation.format(), result), "{operation:?} of {operands:x?} is {result:x}");
            }
        }
    }
}

/// A finite number of 16 bits as an integer, in units of the least number.
fn units(bits: u16) -> i64 {
    let (exponent, fraction) = (bits >> 10 & 31, i64::from(bits & 0x3ff));
    let magnitude = if exponent == 0 { fraction } else { (fraction | 0x400) << (exponent - 1) };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

/// The magnitude `number * 2^power` of which some more is lost if `is_more`, rounded to 16 bits.
fn nearest(number: u128, power: i32, is_more: bool) -> u16 {
    if number == 0 {
        return 0;
    }
    let top = 127 - number.leading_zeros() as i32 + power;
    let last = (top - 10).max(-24);
    let down = last - power;
    let significand = match down {
        ..=0 => number << -down,
        128.. => 0,
        _ => {
            let (kept, lost, tie) = (number >> down, number & ((1 << down) - 1), 1u128 << (down - 1));
            let is_up = lost > tie || lost == tie && (is_more || kept & 1 == 1);
            kept + u128::from(is_up)
        }
    };
    let bits = ((last + 24) as u128) * 0x400 + significand;
    bits.min(0x7c00) as u16
}

fn signed(magnitude: u16, is_negative: bool) -> u16 {
    magnitude | u16::from(is_negative) << 15
}

/// A number of 32 bits, rounded to 16.
fn narrowed(number: f32) -> u16 {
    let (bits, magnitude) = (number.to_bits(), number.abs().to_bits());
    let (exponent, fraction) = ((magnitude >> 23) as i32, u128::from(magnitude & 0x7f_ffff));
    let rounded = match exponent {
        255 => 0x7c00,
        0 => nearest(fraction, -149, false),
        _ => nearest(fraction | 1 << 23, exponent - 150, false),
    };
    signed(rounded, bits >> 31 == 1)
}

/// The results of the four operations on two finite numbers, by exact arithmetic; `None` where there is none.
fn exact(a: u16, b: u16) -> [Option<u16>; 4] {
    let (x, y) = (units(a), units(b));
    let (left, right) = (u128::from(x.unsigned_abs()), u128::from(y.unsigned_abs()));
    let (is_product_negative, is_zero) = ((a ^ b) >> 15 == 1, y == 0);
    let is_sum_negative = x + y < 0 || x + y == 0 && a >> 15 == 1 && b >> 15 == 1;
    let sum = signed(nearest(u128::from((x + y).unsigned_abs()), -24, false), is_sum_negative);
    let product = signed(nearest(left * right, -48, false), is_product_negative);
    let quotient = (left << 64).checked_div(right).map(|quotient| {
        let is_more = quotient * right != left << 64;
        signed(nearest(quotient, -64, is_more), is_product_negative)
    });
    let quotient = quotient.filter(|_| left != 0 || !is_zero);
    let remainder = left.checked_rem(right).map(|rest| signed(nearest(rest, -24, false), a >> 15 == 1));
    [Some(sum), Some(product), quotient, remainder]
}

/// The numbers that a number of 16 bits is beside, once for all.
fn wide() -> Vec<f32> {
    let mut d = concrete();
    let rules = FloatRules::new(&mut d, NanRule::Canonical, RoundingMode::NearestEven);
    let extended = |bits| float::extend(&mut concrete(), &rules, (Half, Float), &half(bits)).bits.low_u64();
    (0..1 << 16).map(|bits| f32::from_bits(extended(bits) as u32)).collect()
}

/// Finite pairs: exact arithmetic and the machine's own of 32 bits, rounded again.
fn pairs(wide: &[f32], lefts: impl Iterator<Item = u16>, stride: usize) {
    for a in lefts.filter(|a| a >> 10 & 31 != 31) {
        let x = wide[usize::from(a)];
        let first = usize::from(a) % stride;
        for b in (first as u32..1 << 16).step_by(stride).map(|b| b as u16).filter(|b| b >> 10 & 31 != 31) {
            let y = wide[usize::from(b)];
            for (came, meant) in [x + y, x * y, x / y, x % y].into_iter().zip(exact(a, b)) {
                if let Some(meant) = meant {
                    assert_eq!(narrowed(came), meant, "{a:#06x} and {b:#06x}");
                }
            }
        }
    }
}

#[test]
fn pairs_beside_exact_arithmetic() {
    let wide = wide();
    let is_all = std::env::var("TRIBUNAL_HALF_PAIRS").is_ok_and(|value| value == "all");
    let (every, stride) = if is_all { (1, 1) } else { (97, 101) };
    std::thread::scope(|scope| {
        for part in 0..2 {
            let wide = &wide;
            scope.spawn(move || pairs(wide, (0..=u16::MAX).filter(|a| a % 2 == part).step_by(every), stride));
        }
    });
}

/// Exact arithmetic, and the rounding of numbers of 32 bits, beside the definitions.
#[test]
fn exact_arithmetic_is_the_definitions() {
    let (mut d, mut random) = (concrete(), Random(5));
    let rules = FloatRules::new(&mut d, NanRule::Canonical, RoundingMode::NearestEven);
    for _ in 0..60_000 {
        let [a, b] = [random.half(), random.half()];
        // From far below the least number to beyond the greatest.
        let exponent = (95 + random.next() % 50) << 23;
        let number = f32::from_bits((random.next() & 0x807f_ffff | exponent) as u32);
        let single = Bits::new(number.to_bits().into(), 32);
        assert_eq!(u64::from(narrowed(number)), float::truncate(&mut d, &rules, (Float, Half), &single).bits.low_u64());
        if [a, b].iter().any(|bits| bits >> 10 & 31 == 31) {
            continue;
        }
        let (x, y) = (half(a), half(b));
        let meant = [
            float::add(&mut d, &rules, Half, &x, &y),
            float::mul(&mut d, &rules, Half, &x, &y),
            float::div(&mut d, &rules, Half, &x, &y),
            float::rem(&mut d, &rules, Half, &x, &y),
        ];
        for (came, meant) in exact(a as u16, b as u16).into_iter().zip(meant) {
            if let Some(came) = came {
                assert_eq!(u64::from(came), meant.bits.low_u64(), "{a:#06x} and {b:#06x}");
            }
        }
    }
}
