//! Many executions at once, in lock step: a value has a lane for each, and every operation runs in all lanes. A
//! definition cannot branch on data, so one evaluation serves every execution that arrives at an instruction.
//!
//! Each lane computes what [`Partial`] computes on [`Words`]. Only truth values are computed for all lanes in one word.

use super::float::{FLAG_BITS, FloatResult, RoundedOperation};
use super::{Domain, Partial, PartialBits, PartialBool, Word, Words};
use crate::bits::Bits;
use smallvec::SmallVec;
use std::rc::Rc;

/// A number in each lane.
#[derive(Clone, Debug)]
enum Numbers {
    /// The same number in all lanes, as for a constant.
    Same(u128),
    Each(Rc<[u128]>),
}

impl Numbers {
    fn at(&self, lane: usize) -> u128 {
        match self {
            Numbers::Same(number) => *number,
            Numbers::Each(numbers) => numbers[lane],
        }
    }

    fn is_same(&self) -> bool {
        matches!(self, Numbers::Same(_))
    }

    fn each(count: usize, same: bool, mut number: impl FnMut(usize) -> u128) -> Numbers {
        match same {
            true => Numbers::Same(number(0)),
            false => Numbers::Each((0..count).map(number).collect()),
        }
    }
}

/// A value in each lane, all of one width.
#[derive(Clone, Debug)]
pub struct LaneBits {
    width: u32,
    value: Numbers,
    /// Unconstrained bits, which a nondeterministic choice decides: `Same(0)` unless some lane has some.
    unknown: Numbers,
}

impl LaneBits {
    /// The same in all lanes.
    pub fn same(bits: PartialBits<Word>) -> LaneBits {
        let same = |word: Word| Numbers::Same(word.unsigned());
        LaneBits { width: bits.width(), value: same(bits.value), unknown: same(bits.unknown) }
    }

    /// Values of `width` bits, one for each of `count` lanes.
    pub fn each(count: usize, width: u32, bits: impl FnMut(usize) -> PartialBits<Word>) -> LaneBits {
        let bits: Vec<PartialBits<Word>> = (0..count).map(bits).collect();
        let known = bits.iter().all(PartialBits::is_known);
        LaneBits {
            width,
            value: Numbers::each(count, false, |lane| bits[lane].value.unsigned()),
            unknown: Numbers::each(count, known, |lane| bits[lane].unknown.unsigned()),
        }
    }

    /// The width of each lane, in bits.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The value of this lane.
    pub fn lane(&self, lane: usize) -> PartialBits<Word> {
        PartialBits { value: self.value(lane), unknown: Word::new(self.unknown.at(lane), self.width) }
    }

    /// The lanes of these numbers alone, in this order.
    pub fn only(&self, lanes: &[usize]) -> LaneBits {
        let only = |numbers: &Numbers| Numbers::each(lanes.len(), numbers.is_same(), |lane| numbers.at(lanes[lane]));
        LaneBits { width: self.width, value: only(&self.value), unknown: only(&self.unknown) }
    }

    fn value(&self, lane: usize) -> Word {
        Word::new(self.value.at(lane), self.width)
    }

    fn is_known(&self) -> bool {
        matches!(self.unknown, Numbers::Same(0))
    }

    fn is_same(&self) -> bool {
        self.value.is_same() && self.unknown.is_same()
    }
}

/// A truth value in each lane, one bit each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LaneBools {
    /// A bit for each lane: true or false, where it is not unknown.
    pub value: u64,
    /// A bit for each lane: decided by a nondeterministic choice.
    pub unknown: u64,
}

impl LaneBools {
    /// The same known truth value in every lane.
    pub fn same(value: bool) -> LaneBools {
        LaneBools { value: if value { u64::MAX } else { 0 }, unknown: 0 }
    }

    fn each(count: usize, mut truth: impl FnMut(usize) -> PartialBool) -> LaneBools {
        let mut all = LaneBools::same(false);
        (0..count).for_each(|lane| all.set(lane, truth(lane)));
        all
    }

    /// Sets a lane that is false so far.
    pub fn set(&mut self, lane: usize, PartialBool { value, unknown }: PartialBool) {
        self.value |= u64::from(value) << lane;
        self.unknown |= u64::from(unknown) << lane;
    }

    /// The value of this lane.
    pub fn lane(self, lane: usize) -> PartialBool {
        PartialBool { value: self.value >> lane & 1 != 0, unknown: self.unknown >> lane & 1 != 0 }
    }

    /// The lanes of these numbers alone, in this order.
    pub fn only(self, lanes: &[usize]) -> LaneBools {
        LaneBools::each(lanes.len(), |lane| self.lane(lanes[lane]))
    }
}

/// Evaluates in this number of lanes.
#[derive(Clone, Copy, Debug)]
pub struct Lanes {
    count: usize,
    domain: Partial<Words>,
}

impl Lanes {
    /// The most lanes of one evaluation.
    pub const MOST: usize = 64;

    /// At least one lane, at most [`Lanes::MOST`].
    pub fn new(count: usize) -> Lanes {
        let mut lanes = Lanes { count: 1, domain: Partial::default() };
        lanes.resize(count);
        lanes
    }

    /// Sets the number of lanes from now on.
    pub fn resize(&mut self, count: usize) {
        self.count = count.clamp(1, Lanes::MOST);
    }

    /// The number of lanes.
    pub fn count(&self) -> usize {
        self.count
    }

    /// True if a value did not fit machine words: no result counts.
    pub fn exceeded(&self) -> bool {
        self.domain.numbers.exceeded()
    }

    fn unary(
        &mut self,
        width: u32,
        a: &LaneBits,
        known: impl Fn(&mut Words, &Word) -> Word,
        partial: impl Fn(&mut Partial<Words>, &PartialBits<Word>) -> PartialBits<Word>,
    ) -> LaneBits {
        if a.is_known() {
            let words = &mut self.domain.numbers;
            let value = Numbers::each(self.count, a.is_same(), |lane| known(words, &a.value(lane)).unsigned());
            return LaneBits { width, value, unknown: Numbers::Same(0) };
        }
        if a.is_same() {
            return LaneBits::same(partial(&mut self.domain, &a.lane(0)));
        }
        LaneBits::each(self.count, width, |lane| partial(&mut self.domain, &a.lane(lane)))
    }

    fn binary(
        &mut self,
        width: u32,
        (a, b): (&LaneBits, &LaneBits),
        known: impl Fn(&mut Words, &Word, &Word) -> Word,
        partial: impl Fn(&mut Partial<Words>, &PartialBits<Word>, &PartialBits<Word>) -> PartialBits<Word>,
    ) -> LaneBits {
        let same = a.is_same() && b.is_same();
        if a.is_known() && b.is_known() {
            let words = &mut self.domain.numbers;
            let number = |lane| known(words, &a.value(lane), &b.value(lane)).unsigned();
            return LaneBits { width, value: Numbers::each(self.count, same, number), unknown: Numbers::Same(0) };
        }
        if same {
            return LaneBits::same(partial(&mut self.domain, &a.lane(0), &b.lane(0)));
        }
        LaneBits::each(self.count, width, |lane| partial(&mut self.domain, &a.lane(lane), &b.lane(lane)))
    }

    fn relation(
        &mut self,
        (a, b): (&LaneBits, &LaneBits),
        known: impl Fn(&mut Words, &Word, &Word) -> bool,
        partial: impl Fn(&mut Partial<Words>, &PartialBits<Word>, &PartialBits<Word>) -> PartialBool,
    ) -> LaneBools {
        match a.is_known() && b.is_known() {
            true if a.is_same() && b.is_same() => {
                LaneBools::same(known(&mut self.domain.numbers, &a.value(0), &b.value(0)))
            }
            true => {
                let words = &mut self.domain.numbers;
                let truth = |lane| u64::from(known(words, &a.value(lane), &b.value(lane))) << lane;
                LaneBools { value: (0..self.count).map(truth).fold(0, |all, truth| all | truth), unknown: 0 }
            }
            false => LaneBools::each(self.count, |lane| partial(&mut self.domain, &a.lane(lane), &b.lane(lane))),
        }
    }

    fn in_lane(
        &mut self,
        operation: RoundedOperation,
        args: &[LaneBits],
        lane: usize,
    ) -> FloatResult<PartialBits<Word>> {
        let args: SmallVec<[PartialBits<Word>; 4]> = args.iter().map(|arg| arg.lane(lane)).collect();
        self.domain.rounded(operation, &args)
    }

    /// A bit for each lane.
    fn all(&self) -> u64 {
        u64::MAX >> (Lanes::MOST - self.count)
    }
}

macro_rules! binaries {
    ($($name:ident)*) => {$(
        fn $name(&mut self, a: &LaneBits, b: &LaneBits) -> LaneBits {
            self.binary(a.width, (a, b), |d, a, b| d.$name(a, b), |d, a, b| d.$name(a, b))
        }
    )*};
}

macro_rules! relations {
    ($($name:ident)*) => {$(
        fn $name(&mut self, a: &LaneBits, b: &LaneBits) -> LaneBools {
            self.relation((a, b), |d, a, b| d.$name(a, b), |d, a, b| d.$name(a, b))
        }
    )*};
}

impl Domain for Lanes {
    type Bits = LaneBits;
    type Bool = LaneBools;

    fn width(&self, a: &LaneBits) -> u32 {
        a.width
    }
    fn constant(&mut self, value: Bits) -> LaneBits {
        LaneBits::same(self.domain.constant(value))
    }
    fn boolean(&mut self, value: bool) -> LaneBools {
        LaneBools::same(value)
    }
    fn choose(&mut self, width: u32) -> LaneBits {
        LaneBits::same(self.domain.choose(width))
    }
    fn literal(&mut self, value: i64, width: u32) -> LaneBits {
        LaneBits::same(PartialBits::known(self.domain.numbers.literal(value, width)))
    }

    binaries!(add sub mul udiv urem sdiv srem and or xor shl lshr ashr);
    relations!(eq ult slt uadd_overflows sadd_overflows ssub_overflows);

    fn not(&mut self, a: &LaneBits) -> LaneBits {
        self.unary(a.width, a, Domain::not, Domain::not)
    }
    fn concat(&mut self, high: &LaneBits, low: &LaneBits) -> LaneBits {
        let width = high.width + low.width;
        self.binary(width, (high, low), |d, high, low| d.concat(high, low), |d, high, low| d.concat(high, low))
    }
    fn extract(&mut self, a: &LaneBits, offset: u32, width: u32) -> LaneBits {
        if width == a.width && offset == 0 {
            return a.clone();
        }
        self.unary(width, a, |d, a| d.extract(a, offset, width), |d, a| d.extract(a, offset, width))
    }
    fn zext(&mut self, a: &LaneBits, width: u32) -> LaneBits {
        if width == a.width {
            return a.clone();
        }
        self.unary(width, a, |d, a| d.zext(a, width), |d, a| d.zext(a, width))
    }
    fn sext(&mut self, a: &LaneBits, width: u32) -> LaneBits {
        if width == a.width {
            return a.clone();
        }
        self.unary(width, a, |d, a| d.sext(a, width), |d, a| d.sext(a, width))
    }
    fn is_zero(&mut self, a: &LaneBits) -> LaneBools {
        self.relation((a, a), |d, a, _| d.is_zero(a), |d, a, _| d.is_zero(a))
    }

    fn ite(&mut self, condition: &LaneBools, a: &LaneBits, b: &LaneBits) -> LaneBits {
        let all = self.all();
        match (condition.value & all, condition.unknown & all) {
            (value, 0) if value == all => a.clone(),
            (0, 0) => b.clone(),
            (_, 0) => {
                let lane = |lane: usize| if condition.value >> lane & 1 != 0 { a } else { b };
                let known = a.is_known() && b.is_known();
                LaneBits {
                    width: a.width,
                    value: Numbers::each(self.count, false, |number| lane(number).value.at(number)),
                    unknown: Numbers::each(self.count, known, |number| lane(number).unknown.at(number)),
                }
            }
            _ => LaneBits::each(self.count, a.width, |lane| {
                self.domain.ite(&condition.lane(lane), &a.lane(lane), &b.lane(lane))
            }),
        }
    }
    fn bool_and(&mut self, a: &LaneBools, b: &LaneBools) -> LaneBools {
        let refuted = (!a.value & !a.unknown) | (!b.value & !b.unknown);
        LaneBools { value: !refuted & a.value & b.value, unknown: !refuted & (a.unknown | b.unknown) }
    }
    fn bool_or(&mut self, a: &LaneBools, b: &LaneBools) -> LaneBools {
        let shown = (a.value & !a.unknown) | (b.value & !b.unknown);
        LaneBools { value: a.value | b.value, unknown: !shown & (a.unknown | b.unknown) }
    }
    fn bool_not(&mut self, a: &LaneBools) -> LaneBools {
        LaneBools { value: !a.value, unknown: a.unknown }
    }
    fn bool_ite(&mut self, condition: &LaneBools, a: &LaneBools, b: &LaneBools) -> LaneBools {
        let chosen = |a: u64, b: u64| condition.value & a | !condition.value & b;
        let pick = LaneBools { value: chosen(a.value, b.value), unknown: chosen(a.unknown, b.unknown) };
        let unsure = a.unknown | b.unknown | (a.value ^ b.value);
        LaneBools {
            value: !condition.unknown & pick.value | condition.unknown & a.value,
            unknown: !condition.unknown & pick.unknown | condition.unknown & unsure,
        }
    }
    fn rounded(&mut self, operation: RoundedOperation, args: &[LaneBits]) -> FloatResult<LaneBits> {
        let width = operation.format().bits();
        if args.iter().all(LaneBits::is_same) {
            let FloatResult { bits, flags } = self.in_lane(operation, args, 0);
            return FloatResult { bits: LaneBits::same(bits), flags: LaneBits::same(flags) };
        }
        let lanes: Vec<FloatResult<PartialBits<Word>>> =
            (0..self.count).map(|lane| self.in_lane(operation, args, lane)).collect();
        FloatResult {
            bits: LaneBits::each(self.count, width, |lane| lanes[lane].bits),
            flags: LaneBits::each(self.count, FLAG_BITS, |lane| lanes[lane].flags),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRUTHS: [PartialBool; 4] = [
        PartialBool { value: false, unknown: false },
        PartialBool { value: true, unknown: false },
        PartialBool { value: false, unknown: true },
        PartialBool { value: true, unknown: true },
    ];

    /// Every combination of three truth values, one a lane.
    fn truths() -> [LaneBools; 3] {
        [1, 4, 16].map(|step| LaneBools::each(64, |lane| TRUTHS[lane / step % 4]))
    }

    #[test]
    fn truth_values_are_those_of_the_partial_domain() {
        let (mut lanes, mut partial, [a, b, c]) = (Lanes::new(64), Partial::<Words>::default(), truths());
        let (and, or, not) = (lanes.bool_and(&a, &b), lanes.bool_or(&a, &b), lanes.bool_not(&a));
        let ite = lanes.bool_ite(&c, &a, &b);
        for lane in 0..64 {
            let (a, b, c) = (a.lane(lane), b.lane(lane), c.lane(lane));
            assert_eq!(and.lane(lane), partial.bool_and(&a, &b));
            assert_eq!(or.lane(lane), partial.bool_or(&a, &b));
            assert_eq!(not.lane(lane), partial.bool_not(&a));
            assert_eq!(ite.lane(lane), partial.bool_ite(&c, &a, &b));
        }
    }

    /// Numbers of which none, some or all bits are unknown, different in each lane or the same in all.
    fn numbers(width: u32) -> Vec<LaneBits> {
        let word = |seed: u128| Word::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15_bf58_476d_1ce4_e5b9), width);
        let partial = |seed: u128, unknown: u128| PartialBits { value: word(seed), unknown: word(unknown) };
        vec![
            LaneBits::same(partial(3, 0)),
            LaneBits::same(partial(0, 5)),
            LaneBits::each(64, width, |lane| partial(lane as u128, 0)),
            LaneBits::each(64, width, |lane| partial(7 * lane as u128 / 3, lane as u128 % 3)),
        ]
    }

    type Binary<D> = fn(&mut D, &<D as Domain>::Bits, &<D as Domain>::Bits) -> <D as Domain>::Bits;
    type Relation<D> = fn(&mut D, &<D as Domain>::Bits, &<D as Domain>::Bits) -> <D as Domain>::Bool;

    fn binary<D: Domain>() -> [Binary<D>; 13] {
        [D::add, D::sub, D::mul, D::udiv, D::urem, D::sdiv, D::srem, D::and, D::or, D::xor, D::shl, D::lshr, D::ashr]
    }

    fn relations<D: Domain>() -> [Relation<D>; 7] {
        [D::eq, D::ult, D::slt, D::uadd_overflows, D::sadd_overflows, D::ssub_overflows, |d, a, _| d.is_zero(a)]
    }

    #[test]
    fn every_lane_computes_as_one_alone() {
        let (mut lanes, mut partial, truths) = (Lanes::new(64), Partial::<Words>::default(), truths());
        for width in [1, 7, 32, 64, 100, 128] {
            for (a, b) in numbers(width).iter().flat_map(|a| numbers(width).into_iter().map(move |b| (a.clone(), b))) {
                let both = |lane| (a.lane(lane), b.lane(lane));
                for (here, there) in binary::<Lanes>().into_iter().zip(binary::<Partial<Words>>()) {
                    let all = here(&mut lanes, &a, &b);
                    let one = |lane| there(&mut partial, &a.lane(lane), &b.lane(lane));
                    assert!((0..64).map(one).eq((0..64).map(|lane| all.lane(lane))));
                }
                for (here, there) in relations::<Lanes>().into_iter().zip(relations::<Partial<Words>>()) {
                    let all = here(&mut lanes, &a, &b);
                    (0..64).for_each(|lane| {
                        assert_eq!(all.lane(lane), there(&mut partial, &both(lane).0, &both(lane).1));
                    });
                }
                for condition in truths {
                    let all = lanes.ite(&condition, &a, &b);
                    (0..64).for_each(|lane| {
                        assert_eq!(all.lane(lane), partial.ite(&condition.lane(lane), &both(lane).0, &both(lane).1));
                    });
                }
                let (not, low, wide) = (lanes.not(&a), lanes.extract(&a, width / 2, 1), lanes.sext(&a, 128));
                for lane in 0..64 {
                    assert_eq!(not.lane(lane), partial.not(&a.lane(lane)));
                    assert_eq!(low.lane(lane), partial.extract(&a.lane(lane), width / 2, 1));
                    assert_eq!(wide.lane(lane), partial.sext(&a.lane(lane), 128));
                }
                if width <= 64 {
                    let joined = lanes.concat(&a, &b);
                    (0..64).for_each(|lane| {
                        assert_eq!(joined.lane(lane), partial.concat(&both(lane).0, &both(lane).1));
                    });
                }
            }
        }
        assert!(!lanes.exceeded());
        let wide = lanes.choose(100);
        lanes.concat(&wide, &wide);
        assert!(lanes.exceeded());
    }

    /// An operation that rounds, on numbers that are known in all lanes, in some, and in none.
    #[test]
    fn rounding_is_done_in_every_lane() {
        let (mut lanes, mut partial) = (Lanes::new(64), Partial::<Words>::default());
        let mode = lanes.literal(0, 3);
        let operation = RoundedOperation::Mul(crate::FloatFormat::Float);
        for (a, b) in numbers(32).iter().flat_map(|a| numbers(32).into_iter().map(move |b| (a.clone(), b))) {
            let all = lanes.rounded(operation, &[mode.clone(), a.clone(), b.clone()]);
            for lane in 0..64 {
                let one = partial.rounded(operation, &[mode.lane(lane), a.lane(lane), b.lane(lane)]);
                assert_eq!((all.bits.lane(lane), all.flags.lane(lane)), (one.bits, one.flags));
                assert_eq!(one.bits.is_known(), a.lane(lane).is_known() && b.lane(lane).is_known());
            }
        }
    }

    #[test]
    fn lanes_are_picked_in_order() {
        let picked = numbers(32)[3].only(&[5, 2, 63]);
        for (place, lane) in [5, 2, 63].into_iter().enumerate() {
            assert_eq!(picked.lane(place), numbers(32)[3].lane(lane));
        }
        assert_eq!(truths()[1].only(&[9, 30]).lane(1), truths()[1].lane(30));
    }
}
