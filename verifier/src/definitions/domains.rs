//! A second definition of the primitives under all definitions, and of the domains that evaluate them: numbers as
//! mathematics has them for [`Concrete`], `Concrete` for [`Words`], every resolution of unknown bits for [`Partial`],
//! and `Partial` for [`Lanes`]. A fault in one of them is in the interpreter and in the folding of constants alike, so
//! that no run shows it.

use super::floats::operands::Xorshift;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tribunal_ir::bits::Bits;
use tribunal_ir::semantics::{
    Choice, Concrete, Domain, LaneBits, LaneBools, Lanes, Number, Partial, PartialBits, PartialBool, Word, Words,
};

/// The widest operand of which every number is tried, in bits.
const WIDEST: u32 = 3;
/// The same where some bits of it are unknown.
const WIDEST_UNKNOWN: u32 = 2;
/// Lanes that are evaluated together.
const LANES: usize = 64;
/// Random operands at each of these widths.
const RANDOM: usize = 40;
const WIDE: [u32; 8] = [8, 31, 32, 33, 63, 64, 65, 127];

/// Two numbers of one width and two truth values.
type Operands<D> = (<D as Domain>::Bits, <D as Domain>::Bits, <D as Domain>::Bool, <D as Domain>::Bool);

/// The results of every primitive: its name, and a number or a truth value.
struct Results<D: Domain> {
    numbers: Vec<(&'static str, D::Bits)>,
    truths: Vec<(&'static str, D::Bool)>,
}

/// The width of an extended or cut number.
fn resized(width: u32) -> [u32; 2] {
    [width + 3, width.div_ceil(2)]
}

/// Every primitive but choices and roundings on these operands.
fn results<D: Domain>(d: &mut D, (a, b, p, q): &Operands<D>) -> Results<D> {
    let width = d.width(a);
    let [wide, narrow] = resized(width);
    let numbers = vec![
        ("add", d.add(a, b)),
        ("sub", d.sub(a, b)),
        ("mul", d.mul(a, b)),
        ("udiv", d.udiv(a, b)),
        ("urem", d.urem(a, b)),
        ("sdiv", d.sdiv(a, b)),
        ("srem", d.srem(a, b)),
        ("and", d.and(a, b)),
        ("or", d.or(a, b)),
        ("xor", d.xor(a, b)),
        ("not", d.not(a)),
        ("shl", d.shl(a, b)),
        ("lshr", d.lshr(a, b)),
        ("ashr", d.ashr(a, b)),
        ("concat", if 2 * width <= u128::BITS { d.concat(a, b) } else { a.clone() }),
        ("extract", d.extract(a, width - narrow, narrow)),
        ("zext", if wide <= u128::BITS { d.zext(a, wide) } else { a.clone() }),
        ("sext", if wide <= u128::BITS { d.sext(a, wide) } else { a.clone() }),
        ("ite", d.ite(p, a, b)),
        ("bit", d.bit(p)),
        ("literal", d.literal(-3, width)),
        ("zext_or_trunc", d.zext_or_trunc(a, narrow)),
        ("sext_or_trunc", d.sext_or_trunc(a, narrow)),
    ];
    let truths = vec![
        ("eq", d.eq(a, b)),
        ("ne", d.ne(a, b)),
        ("ult", d.ult(a, b)),
        ("ule", d.ule(a, b)),
        ("slt", d.slt(a, b)),
        ("sle", d.sle(a, b)),
        ("is_zero", d.is_zero(a)),
        ("is_negative", d.is_negative(a)),
        ("uadd_overflows", d.uadd_overflows(a, b)),
        ("sadd_overflows", d.sadd_overflows(a, b)),
        ("ssub_overflows", d.ssub_overflows(a, b)),
        ("bool_and", d.bool_and(p, q)),
        ("bool_or", d.bool_or(p, q)),
        ("bool_not", d.bool_not(p)),
        ("bool_ite", {
            let less = d.ult(a, b);
            d.bool_ite(p, q, &less)
        }),
    ];
    Results { numbers, truths }
}

/// The signed reading of a number of so many bits.
fn signed(width: u32, x: i128) -> i128 {
    if x >> (width - 1) & 1 == 1 { x - (1 << width) } else { x }
}

/// The number that a primitive means, over the integers.
fn number(name: &str, width: u32, a: i128, b: i128, p: bool) -> i128 {
    let signed = |x| signed(width, x);
    let (x, y) = (signed(a), signed(b));
    let [_, narrow] = resized(width);
    match name {
        "add" => a + b,
        "sub" => a - b,
        "mul" => a * b,
        "udiv" => {
            if b == 0 {
                -1
            } else {
                a / b
            }
        }
        "urem" => {
            if b == 0 {
                a
            } else {
                a % b
            }
        }
        "sdiv" if b == 0 => {
            if x < 0 {
                1
            } else {
                -1
            }
        }
        "sdiv" => x / y,
        "srem" => {
            if b == 0 {
                x
            } else {
                x % y
            }
        }
        "and" => (0..width).map(|bit| (a >> bit & b >> bit & 1) << bit).sum(),
        "or" => (0..width).map(|bit| ((a >> bit & 1).max(b >> bit & 1)) << bit).sum(),
        "xor" => (0..width).map(|bit| (((a >> bit & 1) + (b >> bit & 1)) % 2) << bit).sum(),
        "not" => -1 - a,
        "shl" => {
            if b < width.into() {
                a << b
            } else {
                0
            }
        }
        "lshr" => {
            if b < width.into() {
                a >> b
            } else {
                0
            }
        }
        "ashr" => x >> b.min(width.into()),
        "concat" => (a << width) + b,
        "extract" => a >> (width - narrow),
        "zext" | "zext_or_trunc" => a,
        "sext" | "sext_or_trunc" => x,
        "ite" => {
            if p {
                a
            } else {
                b
            }
        }
        "bit" => i128::from(p),
        _ => -3,
    }
}

fn truth(name: &str, width: u32, (a, b): (i128, i128), (p, q): (bool, bool)) -> bool {
    let signed = |x| signed(width, x);
    let fits = |x: i128| (-(1 << (width - 1))..1 << (width - 1)).contains(&x);
    match name {
        "eq" => a == b,
        "ne" => a != b,
        "ult" => a < b,
        "ule" => a <= b,
        "slt" => signed(a) < signed(b),
        "sle" => signed(a) <= signed(b),
        "is_zero" => a == 0,
        "is_negative" => signed(a) < 0,
        "uadd_overflows" => a + b >= 1 << width,
        "sadd_overflows" => !fits(signed(a) + signed(b)),
        "ssub_overflows" => !fits(signed(a) - signed(b)),
        "bool_and" => p && q,
        "bool_or" => p || q,
        "bool_not" => !p,
        _ => {
            if p {
                q
            } else {
                a < b
            }
        }
    }
}

const TRUTHS: [(bool, bool); 4] = [(false, false), (false, true), (true, false), (true, true)];

/// A difference: the domain, and the case.
pub(super) type DomainFault = (&'static str, String);

/// The comparison of one domain: cases, or the first difference.
type Check = fn() -> Result<u64, String>;

/// Cases compared, and the first difference of each domain.
pub(super) fn compare() -> (u64, Vec<DomainFault>) {
    let checks: [(&'static str, Check); 4] =
        [("concrete", of_numbers), ("words", of_words), ("partial", of_partial), ("lanes", of_lanes)];
    let (mut cases, mut faults) = (0, Vec::new());
    for (name, check) in checks {
        match catch_unwind(AssertUnwindSafe(check)) {
            Ok(Ok(own)) => cases += own,
            Ok(Err(details)) => faults.push((name, details)),
            Err(panic) => faults.push((name, format!("a panic: {}", super::message(&*panic)))),
        }
    }
    (cases, faults)
}

fn concrete() -> Concrete {
    Concrete { choice: Choice::Zeros }
}

fn of_numbers() -> Result<u64, String> {
    let (mut d, mut cases) = (concrete(), 0);
    for width in 1..=WIDEST {
        let bits = |value: i128| Bits::new(value as u128, width);
        for (a, b) in (0..1 << width).flat_map(|a| (0..1 << width).map(move |b| (a, b))) {
            for (p, q) in TRUTHS {
                let found = results(&mut d, &(bits(a), bits(b), p, q));
                for (name, result) in found.numbers {
                    let meant = Bits::from_i64(number(name, width, a, b, p) as i64, result.width());
                    if result != meant {
                        return Err(format!("{name} of {a} and {b} in {width} bits: {result:?}, meant {meant:?}"));
                    }
                }
                for (name, result) in found.truths {
                    if result != truth(name, width, (a, b), (p, q)) {
                        return Err(format!("{name} of {a}, {b}, {p}, {q} in {width} bits: {result}"));
                    }
                }
                cases += 1;
            }
        }
    }
    Ok(cases)
}

/// Random operands of a width, small ones and equal ones among them.
fn drawn(random: &mut Xorshift, width: u32) -> (Bits, Bits) {
    let mut draw = || Bits::new(random.wide() >> random.below(128), width);
    let (a, b) = (draw(), draw());
    let small = Bits::new(u128::from(random.below(2 * u64::from(width) + 2)), width);
    match random.below(4) {
        0 => (a, a),
        1 => (a, small),
        2 => (a, b.not()),
        _ => (a, b),
    }
}

fn of_words() -> Result<u64, String> {
    let (mut d, mut words, mut random) = (concrete(), Words::default(), Xorshift(0x1234_5678_9abc_def1));
    let mut cases = 0;
    for width in WIDE {
        for turn in 0..RANDOM {
            let ((a, b), (p, q)) = (drawn(&mut random, width), TRUTHS[turn % 4]);
            let (one, other) = (words.constant(a), words.constant(b));
            let (meant, found) = (results(&mut d, &(a, b, p, q)), results(&mut words, &(one, other, p, q)));
            let numbers = meant.numbers.iter().zip(&found.numbers);
            let mut wrong = numbers.filter(|((_, meant), (_, found))| *meant != found.bits()).map(|(meant, _)| meant.0);
            let truths = meant.truths.iter().zip(&found.truths);
            let wrong_truth = truths.filter(|(meant, found)| meant != found).map(|(meant, _)| meant.0);
            if let Some(name) = wrong.next().or(wrong_truth.into_iter().next()) {
                return Err(format!("{name} of {a:?} and {b:?}"));
            }
            cases += 1;
        }
    }
    if words.exceeded() { Err("values of at most 128 bits are too wide".to_string()) } else { Ok(cases) }
}

/// Every number of a width with some bits unknown, which are 0 in the value.
fn partial_numbers(width: u32) -> Vec<PartialBits<Word>> {
    let mut words = Words::default();
    let all = (0..1u64 << width).flat_map(|unknown| (0..1u64 << width).map(move |value| (value, unknown)));
    let told = all.filter(|(value, unknown)| value & unknown == 0);
    let mut word = |value: u64| words.constant(Bits::new(value.into(), width));
    told.map(|(value, unknown)| PartialBits { value: word(value), unknown: word(unknown) }).collect()
}

const PARTIAL_TRUTHS: [PartialBool; 3] = [
    PartialBool { value: false, unknown: false },
    PartialBool { value: true, unknown: false },
    PartialBool { value: false, unknown: true },
];

/// The numbers that a partial one may be.
fn resolutions(partial: &PartialBits<Word>) -> Vec<Bits> {
    let (value, unknown, width) = (partial.value.bits(), partial.unknown.bits(), partial.width());
    let all = (0..1u128 << width).map(|bits| Bits::new(bits, width));
    all.filter(|bits| bits.and(unknown.not()) == value).collect()
}

fn truths(partial: PartialBool) -> Vec<bool> {
    if partial.unknown { vec![false, true] } else { vec![partial.value] }
}

/// Every combination of operands with unknown bits.
fn partial_operands(width: u32) -> Vec<Operands<Partial<Words>>> {
    let numbers = partial_numbers(width);
    let pairs = numbers.iter().flat_map(|a| numbers.iter().map(move |b| (*a, *b)));
    let with = |(a, b)| PARTIAL_TRUTHS.into_iter().flat_map(move |p| PARTIAL_TRUTHS.map(|q| (a, b, p, q)));
    pairs.flat_map(with).collect()
}

/// A bit that is known is that of every resolution.
fn of_partial() -> Result<u64, String> {
    let (mut d, mut partial, mut cases) = (concrete(), Partial::<Words>::default(), 0);
    for operands in (1..=WIDEST_UNKNOWN).flat_map(partial_operands) {
        let found = results(&mut partial, &operands);
        let (a, b, p, q) = &operands;
        for (x, y) in resolutions(a).into_iter().flat_map(|x| resolutions(b).into_iter().map(move |y| (x, y))) {
            for (p, q) in truths(*p).into_iter().flat_map(|p| truths(*q).into_iter().map(move |q| (p, q))) {
                let meant = results(&mut d, &(x, y, p, q));
                let is_right = |found: &PartialBits<Word>, meant: Bits| {
                    let known = found.unknown.bits().not();
                    found.value.bits().and(known) == meant.and(known)
                };
                let mut numbers = found.numbers.iter().zip(&meant.numbers);
                let mut truths = found.truths.iter().zip(&meant.truths);
                let wrong = numbers.find(|((_, found), (_, meant))| !is_right(found, *meant)).map(|(found, _)| found.0);
                let wrong_truth = truths
                    .find(|((_, found), (_, meant))| !found.unknown && found.value != *meant)
                    .map(|(found, _)| found.0);
                if let Some(name) = wrong.or(wrong_truth) {
                    return Err(format!("{name} of {a:?}, {b:?}, {p}, {q}, which may be {x:?} and {y:?}"));
                }
            }
        }
        cases += 1;
    }
    Ok(cases)
}

/// Each lane has what the partial domain has.
fn of_lanes() -> Result<u64, String> {
    let (mut lanes, mut partial, mut cases) = (Lanes::new(LANES), Partial::<Words>::default(), 0);
    for width in 1..=WIDEST_UNKNOWN {
        for group in partial_operands(width).chunks_exact(LANES) {
            let truths = |of: fn(&Operands<Partial<Words>>) -> PartialBool| {
                let mut all = LaneBools::same(false);
                (0..LANES).for_each(|lane| all.set(lane, of(&group[lane])));
                all
            };
            let together = (
                LaneBits::each(LANES, width, |lane| group[lane].0),
                LaneBits::each(LANES, width, |lane| group[lane].1),
                truths(|operands| operands.2),
                truths(|operands| operands.3),
            );
            let found = results(&mut lanes, &together);
            for (lane, operands) in group.iter().enumerate() {
                let meant = results(&mut partial, operands);
                let mut numbers = meant.numbers.iter().zip(&found.numbers);
                let mut truths = meant.truths.iter().zip(&found.truths);
                let wrong =
                    numbers.find(|((_, meant), (_, found))| found.lane(lane) != *meant).map(|(meant, _)| meant.0);
                let wrong_truth =
                    truths.find(|((_, meant), (_, found))| found.lane(lane) != *meant).map(|(meant, _)| meant.0);
                if let Some(name) = wrong.or(wrong_truth) {
                    return Err(format!("{name} of {operands:?} in lane {lane}"));
                }
                cases += 1;
            }
        }
    }
    Ok(cases)
}
