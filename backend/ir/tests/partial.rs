//! The partial domain against every resolution of the unknown bits, at a width where all can be tried.

use tribunal_ir::bits::Bits;
use tribunal_ir::semantics::{Choice, Concrete, Domain, Partial, PartialBits};

const WIDTH: u32 = 4;

/// Every number of `WIDTH` bits with some bits unknown, which are 0 in the value.
fn all() -> Vec<PartialBits> {
    let masks = || 0..1u64 << WIDTH;
    let number = |bits| Bits::new(u128::from(bits), WIDTH);
    let pairs = masks().flat_map(|unknown| masks().map(move |value| (value, unknown)));
    let told = pairs.filter(|(value, unknown)| value & unknown == 0);
    told.map(|(value, unknown)| PartialBits { value: number(value), unknown: number(unknown) }).collect()
}

/// The numbers that a partial one may be.
fn resolutions(partial: &PartialBits) -> Vec<Bits> {
    let (value, unknown) = (partial.value.low_u64(), partial.unknown.low_u64());
    (0..1u64 << WIDTH).filter(|bits| bits & !unknown == value).map(|bits| Bits::new(u128::from(bits), WIDTH)).collect()
}

/// Compares an operation on partial numbers with the same on their resolutions: a known bit is the same in all. Gives
/// the number of results with a bit that is the same in all and yet unknown.
fn loose<'a>(
    name: &str,
    partial: fn(&mut Partial<Concrete>, &PartialBits, &PartialBits) -> PartialBits,
    concrete: fn(&mut Concrete, &Bits, &Bits) -> Bits,
    numbers: impl Iterator<Item = &'a PartialBits> + Clone,
) -> usize {
    let (mut domain, mut plain, mut count) = (Partial::default(), Concrete { choice: Choice::Zeros }, 0);
    for a in numbers.clone() {
        for b in numbers.clone() {
            let result = partial(&mut domain, a, b);
            let (mut ever_set, mut always_set) = (0, u64::MAX);
            for x in resolutions(a) {
                for y in resolutions(b) {
                    let bits = concrete(&mut plain, &x, &y).low_u64();
                    (ever_set, always_set) = (ever_set | bits, always_set & bits);
                }
            }
            let (differing, unknown) = (ever_set & !always_set, result.unknown.low_u64());
            assert_eq!(differing & !unknown, 0, "{name} of {a:?} and {b:?} is {result:?}");
            let known = !unknown & ((1 << WIDTH) - 1);
            assert_eq!(result.value.low_u64() & known, ever_set & known, "{name} of {a:?} and {b:?} is {result:?}");
            count += usize::from(unknown & !differing != 0);
        }
    }
    count
}

macro_rules! loose {
    ($numbers:expr, $operation:ident) => {
        loose(stringify!($operation), Domain::$operation, Domain::$operation, $numbers)
    };
}

/// A known bit is right in every operation; in these it may be unknown though every resolution has it alike.
#[test]
fn known_bits_are_those_of_every_resolution() {
    let numbers = all();
    let all = || numbers.iter();
    let divisions = [loose!(all(), udiv), loose!(all(), urem), loose!(all(), sdiv), loose!(all(), srem)];
    let others = [loose!(all(), mul), loose!(all(), shl), loose!(all(), lshr), loose!(all(), ashr)];
    assert!(divisions.iter().chain(&others).all(|&count| count > 0), "{divisions:?}, {others:?}: name the exact ones");
}

/// Sums, differences and operations of bits know every bit that can be known: a carry counts, and not the mere presence
/// of an unknown bit below.
#[test]
fn sums_and_bits_know_all_that_can_be_known() {
    let numbers = all();
    let all = || numbers.iter();
    let loose = [loose!(all(), add), loose!(all(), sub), loose!(all(), and), loose!(all(), or), loose!(all(), xor)];
    assert_eq!(loose, [0; 5]);
}

/// A relation is unknown exactly where resolutions differ.
#[test]
fn relations_and_overflows_are_decided_where_they_can_be() {
    type Relation<D> = fn(&mut D, &<D as Domain>::Bits, &<D as Domain>::Bits) -> <D as Domain>::Bool;
    fn relations<D: Domain>() -> [Relation<D>; 6] {
        [D::eq, D::ult, D::slt, D::uadd_overflows, D::sadd_overflows, D::ssub_overflows]
    }
    let (mut domain, mut plain) = (Partial::<Concrete>::default(), Concrete { choice: Choice::Zeros });
    let numbers = all();
    for (place, (partial, concrete)) in relations().into_iter().zip(relations()).enumerate() {
        for (a, b) in numbers.iter().flat_map(|a| numbers.iter().map(move |b| (a, b))) {
            let (xs, ys) = (resolutions(a), resolutions(b));
            let mut truths = xs.iter().flat_map(|x| ys.iter().map(move |y| (x, y)));
            let first = concrete(&mut plain, &xs[0], &ys[0]);
            let differ = truths.any(|(x, y)| concrete(&mut plain, x, y) != first);
            let result = partial(&mut domain, a, b);
            assert_eq!(result.unknown, differ, "relation {place} of {a:?} and {b:?}");
            assert!(differ || result.value == first, "relation {place} of {a:?} and {b:?}");
        }
    }
}

/// An unknown amount leaves zero as it is.
#[test]
fn zero_shifted_by_an_unknown_amount_is_zero() {
    let zero = PartialBits::known(Bits::zero(WIDTH));
    let numbers = all();
    for shift in [Domain::shl, Domain::lshr, Domain::ashr] {
        let is_zero = |amount: &PartialBits| shift(&mut Partial::<Concrete>::default(), &zero, amount) == zero;
        assert!(numbers.iter().all(is_zero));
    }
}
