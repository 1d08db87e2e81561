//! A second definition of the reductions of numbers: the arithmetic of the machine that runs the tests, in the order of
//! the elements.

use super::*;
use tribunal_ir::semantics::{Pure, Value, evaluate};
use tribunal_ir::types::{ElementCount, S64};
use tribunal_ir::{Function, InstData, InstFlags, Opcode};

/// The operation on two numbers.
type OnTwo = fn(f64, f64) -> f64;

fn maximum(a: f64, b: f64) -> f64 {
    match a.partial_cmp(&b) {
        None => f64::NAN,
        Some(std::cmp::Ordering::Equal) => f64::from_bits(a.to_bits() & b.to_bits()),
        Some(order) => {
            if order.is_gt() {
                a
            } else {
                b
            }
        }
    }
}

fn minimum(a: f64, b: f64) -> f64 {
    -maximum(-a, -b)
}

const REDUCTIONS: [(Opcode, OnTwo); 8] = [
    (Opcode::G_VECREDUCE_SEQ_FADD, |a, b| a + b),
    (Opcode::G_VECREDUCE_SEQ_FMUL, |a, b| a * b),
    (Opcode::G_VECREDUCE_FADD, |a, b| a + b),
    (Opcode::G_VECREDUCE_FMUL, |a, b| a * b),
    (Opcode::G_VECREDUCE_FMAX, f64::max),
    (Opcode::G_VECREDUCE_FMIN, f64::min),
    (Opcode::G_VECREDUCE_FMAXIMUM, maximum),
    (Opcode::G_VECREDUCE_FMINIMUM, minimum),
];

/// The result on these numbers; a sequence begins with the first of them.
fn reduced(opcode: Opcode, flags: InstFlags, numbers: &[f64]) -> Value<Concrete> {
    let starts = opcode.info().unwrap().uses.len() - 1;
    let (start, elements) = numbers.split_at(starts);
    let bits = |number: &f64| Bits::new(number.to_bits().into(), 64);
    let vector = elements.iter().map(bits).reduce(|low, high| high.concat(low)).unwrap();
    let mut function = Function::new("f");
    let lanes = S64.times(ElementCount::fixed(elements.len() as u16)).unwrap();
    let result = function.new_vreg(S64);
    let sources: Vec<_> = start.iter().map(|_| S64).chain([lanes]).map(|ty| function.new_vreg(ty)).collect();
    let args: Vec<_> = start.iter().map(bits).chain([vector]).map(|bits| Value::new(bits, false)).collect();
    let data = InstData::op(opcode, result, &sources).with_flags(flags);
    let mut domain = Concrete { choice: Choice::Zeros };
    evaluate(&mut domain, &mut Pure, &function, &data, &args).unwrap().results.remove(0)
}

#[test]
fn reductions_agree_with_the_machine() {
    let (mut random, format) = (Xorshift(0x0f1e_2d3c_4b5a_6978), FloatFormat::Double);
    let all = corners(format);
    for (opcode, step) in REDUCTIONS {
        for turn in 0..2000 {
            let numbers: Vec<f64> =
                (0..3 + turn % 3).map(|_| f64::from_bits(any(format, &all, &mut random) as u64)).collect();
            let is_signalling = |number: &f64| number.is_nan() && number.to_bits() >> 51 & 1 == 0;
            let is_lenient = matches!(opcode, Opcode::G_VECREDUCE_FMAX | Opcode::G_VECREDUCE_FMIN);
            if is_lenient && numbers.iter().any(is_signalling) {
                continue;
            }
            let meant = numbers.iter().copied().reduce(step).unwrap();
            let result = reduced(opcode, InstFlags::empty(), &numbers);
            let bits = result.bits.low_u64();
            // Zeros of either sign are the greatest and the least of both.
            let same = bits == meant.to_bits() || is_lenient && f64::from_bits(bits) == meant;
            assert!(same || meant.is_nan() && f64::from_bits(bits).is_nan(), "{opcode} {numbers:?}: {bits:x}");
            assert!(!result.poison);
        }
    }
}

/// Promises are about the operands and the result: a product that is infinite on the way may keep `ninf`.
#[test]
fn promises_are_about_operands_and_the_result() {
    let poison = |flags, numbers: &[f64]| reduced(Opcode::G_VECREDUCE_FMUL, flags, numbers).poison;
    let (big, nan, infinite) = (f64::MAX, f64::NAN, f64::INFINITY);
    assert!(poison(InstFlags::NNAN, &[1.0, nan]) && !poison(InstFlags::NNAN, &[1.0, 2.0]));
    assert!(poison(InstFlags::NINF, &[1.0, infinite]) && poison(InstFlags::NINF, &[big, big]));
    assert!(!poison(InstFlags::NINF, &[big, big, 0.0]) && poison(InstFlags::NNAN, &[big, big, 0.0]));
}
