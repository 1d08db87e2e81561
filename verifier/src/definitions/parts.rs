//! The second definition of operations on parts: merged and unmerged numbers, elements of vectors, and operations that
//! take elements one by one or all together. Each element is poison by itself.
//!
//! Invariant: nothing here calls the semantics.

use super::FirstDefinition;
use super::meaning::OperationMeaning;
use tribunal_ir::bits::Bits;
use tribunal_ir::semantics::{Choice, Concrete, Value};
use tribunal_ir::types::ElementCount;
use tribunal_ir::{Function, InstData, Opcode, Operand, Type};

/// Elements of a vector, from the lowest; one of a scalar. `None` is poison.
type Elements = Vec<Option<u32>>;

/// Elements of vectors, and the bits of each.
const COUNT: u32 = 3;
const BITS: u32 = 2;
/// All ones.
const ONES: u32 = (1 << BITS) - 1;

/// One case: an instruction on operands, and the elements of each of its results.
struct PartsCase {
    results: Vec<(Type, Elements)>,
    args: Vec<(Type, Elements)>,
    mask: Option<Vec<Option<u32>>>,
}

fn case(results: Vec<(Type, Elements)>, args: Vec<(Type, Elements)>) -> PartsCase {
    PartsCase { results, args, mask: None }
}

fn scalar(bits: u32, value: Option<u32>) -> (Type, Elements) {
    (Type::scalar(bits), vec![value])
}

fn vector(bits: u32, elements: &[Option<u32>]) -> (Type, Elements) {
    let ty = Type::scalar(bits).times(ElementCount::fixed(elements.len() as u16)).unwrap_or(Type::scalar(bits));
    (ty, elements.to_vec())
}

/// The number whose parts of so many bits these are; poison if one is.
fn joined(bits: u32, elements: &[Option<u32>]) -> Option<u32> {
    elements.iter().rev().try_fold(0, |high, &element| Some(high << bits | element?))
}

/// Parts of so many bits of a number.
fn split(bits: u32, count: usize, whole: Option<u32>) -> Elements {
    (0..count as u32).map(|index| whole.map(|whole| whole >> (index * bits) & ((1 << bits) - 1))).collect()
}

/// All vectors of so many elements, poison ones among them.
fn all(count: u32) -> Vec<Elements> {
    let element = [None, Some(0), Some(1), Some(2), Some(ONES)];
    (0..count).fold(vec![Vec::new()], |lists, _| {
        let longer = |list: Elements| element.map(move |last| [list.as_slice(), &[last]].concat());
        lists.into_iter().flat_map(longer).collect()
    })
}

fn signed(value: u32) -> i32 {
    if value > ONES / 2 { value as i32 - (1 << BITS) } else { value as i32 }
}

/// One element of two, where both are there.
fn both(a: Option<u32>, b: Option<u32>, f: impl Fn(u32, u32) -> u32) -> Option<u32> {
    Some(f(a?, b?) & ONES)
}

/// An operation on two elements.
type OnTwo = fn(u32, u32) -> u32;

/// What an opcode does to all elements together.
const REDUCTIONS: [(Opcode, OnTwo); 9] = [
    (Opcode::G_VECREDUCE_ADD, |a, b| a + b),
    (Opcode::G_VECREDUCE_MUL, |a, b| a * b),
    (Opcode::G_VECREDUCE_AND, |a, b| a & b),
    (Opcode::G_VECREDUCE_OR, |a, b| a | b),
    (Opcode::G_VECREDUCE_XOR, |a, b| a ^ b),
    (Opcode::G_VECREDUCE_UMIN, u32::min),
    (Opcode::G_VECREDUCE_UMAX, u32::max),
    (Opcode::G_VECREDUCE_SMIN, |a, b| if signed(b) < signed(a) { b } else { a }),
    (Opcode::G_VECREDUCE_SMAX, |a, b| if signed(b) > signed(a) { b } else { a }),
];

/// All cases of one opcode; none of an opcode that has no second definition here.
fn cases(opcode: Opcode) -> Vec<PartsCase> {
    let vectors = || all(COUNT);
    let of = |elements: &[Option<u32>]| vector(BITS, elements);
    let parts = |elements: &[Option<u32>]| elements.iter().map(|&part| scalar(BITS, part)).collect::<Vec<_>>();
    let whole = |elements: &[Option<u32>]| scalar(BITS * COUNT, joined(BITS, elements));
    if let Some(&(_, step)) = REDUCTIONS.iter().find(|(own, _)| *own == opcode) {
        // Bits above the element are a choice, which is zeros.
        let reduced = |elements: Elements| {
            let total = elements.iter().copied().reduce(|a, b| both(a, b, step)).flatten();
            [BITS, BITS + 3].map(|bits| case(vec![scalar(bits, total)], vec![of(&elements)]))
        };
        return vectors().into_iter().flat_map(reduced).collect();
    }
    match opcode {
        Opcode::G_MERGE_VALUES => vectors().into_iter().map(|own| case(vec![whole(&own)], parts(&own))).collect(),
        Opcode::G_UNMERGE_VALUES => {
            let of_scalar = |own: &Elements| {
                let number = whole(own);
                case(parts(&split(BITS, COUNT as usize, number.1[0])), vec![number])
            };
            let of_vector = |own: &Elements| case(parts(own), vec![of(own)]);
            vectors().iter().flat_map(|own| [of_scalar(own), of_vector(own)]).collect()
        }
        Opcode::G_BITCAST => {
            let to_scalar = |own: &Elements| case(vec![whole(own)], vec![of(own)]);
            let from_scalar = |own: &Elements| {
                let number = whole(own);
                case(vec![of(&split(BITS, COUNT as usize, number.1[0]))], vec![number])
            };
            // Two elements of three bits for three of two: each is poison where it touches one that is.
            let regrouped = |own: &Elements| {
                let bits: Elements = own.iter().flat_map(|&element| split(1, BITS as usize, element)).collect();
                let wide: Elements = bits.chunks(COUNT as usize).map(|bits| joined(1, bits)).collect();
                case(vec![vector(COUNT, &wide)], vec![of(own)])
            };
            vectors().iter().flat_map(|own| [to_scalar(own), from_scalar(own), regrouped(own)]).collect()
        }
        Opcode::G_BUILD_VECTOR => vectors().into_iter().map(|own| case(vec![of(&own)], parts(&own))).collect(),
        Opcode::G_BUILD_VECTOR_TRUNC => {
            let wide = |part: &Option<u32>| scalar(BITS + 1, part.map(|part| part | 1 << BITS));
            vectors().into_iter().map(|own| case(vec![of(&own)], own.iter().map(wide).collect())).collect()
        }
        _ => of_elements(opcode),
    }
}

/// The same of opcodes that move elements or take them one by one.
fn of_elements(opcode: Opcode) -> Vec<PartsCase> {
    let of = |elements: &[Option<u32>]| vector(BITS, elements);
    match opcode {
        Opcode::G_CONCAT_VECTORS => pairs(2, |one, other| {
            let whole = [one.as_slice(), other].concat();
            vec![case(vec![of(&whole)], vec![of(one), of(other)])]
        }),
        Opcode::G_SHUFFLE_VECTOR => pairs(2, |one, other| {
            let lanes = [one.as_slice(), other].concat();
            let numbers = || [None, Some(0), Some(1), Some(2), Some(3)];
            let masks = numbers().into_iter().flat_map(|low| numbers().map(|high| vec![low, high]));
            let shuffled = |mask: Vec<Option<u32>>| {
                let lane = |number: &Option<u32>| number.and_then(|number| lanes[number as usize]);
                let result = of(&mask.iter().map(lane).collect::<Elements>());
                PartsCase { mask: Some(mask), ..case(vec![result], vec![of(one), of(other)]) }
            };
            masks.map(shuffled).collect()
        }),
        Opcode::G_EXTRACT_VECTOR_ELT => indexed(|own, index, place| {
            let element = place.and_then(|place| own.get(place as usize).copied().flatten());
            case(vec![scalar(BITS, element)], vec![of(own), index])
        }),
        Opcode::G_INSERT_VECTOR_ELT => {
            let inserted = |new: Option<u32>| {
                indexed(move |own, index, place| {
                    let mut result = own.clone();
                    match place.and_then(|place| result.get_mut(place as usize)) {
                        Some(element) => *element = new,
                        None => result.fill(None),
                    }
                    case(vec![of(&result)], vec![of(own), scalar(BITS, new), index])
                })
            };
            [None, Some(2)].into_iter().flat_map(inserted).collect()
        }
        Opcode::G_FREEZE => {
            // Any element will do in the place of poison, and the choice is zeros.
            let frozen = |own: &Elements| own.iter().map(|element| Some(element.unwrap_or(0))).collect::<Elements>();
            all(COUNT).into_iter().map(|own| case(vec![of(&frozen(&own))], vec![of(&own)])).collect()
        }
        Opcode::G_SELECT => pairs(2, selected),
        Opcode::G_ADD | Opcode::G_XOR => pairs(2, |one, other| {
            let sum: OnTwo = if opcode == Opcode::G_ADD { |a, b| a + b } else { |a, b| a ^ b };
            let lanes: Elements = one.iter().zip(other).map(|(&a, &b)| both(a, b, sum)).collect();
            vec![case(vec![of(&lanes)], vec![of(one), of(other)])]
        }),
        _ => Vec::new(),
    }
}

/// The cases of each pair of vectors.
fn pairs(count: u32, cases: impl Fn(&Elements, &Elements) -> Vec<PartsCase>) -> Vec<PartsCase> {
    let vectors = all(count);
    vectors.iter().flat_map(|one| vectors.iter().flat_map(|other| cases(one, other)).collect::<Vec<_>>()).collect()
}

/// The case of each vector with each number of an element, poison and numbers that are too great among them.
fn indexed(case: impl Fn(&Elements, (Type, Elements), Option<u32>) -> PartsCase) -> Vec<PartsCase> {
    let places = || std::iter::once(None).chain((0..=COUNT + 1).map(Some));
    let of = |own: Elements| places().map(|place| case(&own, scalar(64, place), place)).collect::<Vec<_>>();
    all(COUNT).into_iter().flat_map(of).collect()
}

/// Choices between two vectors: by one bit, by a bit of each element, and by elements that are zeros, ones or neither.
fn selected(one: &Elements, other: &Elements) -> Vec<PartsCase> {
    let of = |elements: &[Option<u32>]| vector(BITS, elements);
    let chosen = |truth: Option<bool>, lane: usize| if truth? { one[lane] } else { other[lane] };
    let by_one = [None, Some(0), Some(1)].map(|bit| {
        let lanes: Elements = (0..one.len()).map(|lane| chosen(bit.map(|bit| bit == 1), lane)).collect();
        case(vec![of(&lanes)], vec![scalar(1, bit), of(one), of(other)])
    });
    let conditions = |bits: u32, values: &[Option<u32>], ones: u32| -> Vec<PartsCase> {
        let truth = |value: Option<u32>| value.filter(|&value| value == 0 || value == ones).map(|value| value != 0);
        let pairs = values.iter().flat_map(|&low| values.iter().map(move |&high| [low, high]));
        let cases = pairs.map(|condition| {
            let lanes: Elements =
                condition.iter().enumerate().map(|(lane, &value)| chosen(truth(value), lane)).collect();
            case(vec![of(&lanes)], vec![vector(bits, &condition), of(one), of(other)])
        });
        cases.collect()
    };
    let mut all: Vec<PartsCase> = by_one.into();
    all.extend(conditions(1, &[None, Some(0), Some(1)], 1));
    all.extend(conditions(BITS, &[None, Some(0), Some(1), Some(ONES)], ONES));
    all
}

/// Compares both definitions of one opcode; the number of cases, none without a second, or the first that differs.
pub(super) fn compared(opcode: Opcode, first: FirstDefinition<'_>) -> Result<u64, String> {
    let cases = cases(opcode);
    for case in &cases {
        let (function, data) = instance(opcode, case);
        let args: Vec<Value<Concrete>> = case.args.iter().map(|(ty, elements)| value(*ty, elements)).collect();
        let lanes = case.results.first().map_or(1, |(_, elements)| elements.len());
        let said = first(&function, &data, &args, lanes as u32);
        let lane = |lane: usize| case.results.iter().map(move |(_, elements)| elements[lane].map(i128::from));
        let meant = OperationMeaning::Results((0..lanes).flat_map(lane).collect());
        if said != meant {
            let args: Vec<&Elements> = case.args.iter().map(|(_, elements)| elements).collect();
            return Err(format!("{opcode} on {args:?} {:?}: {said:?}, meant {meant:?}", case.mask));
        }
    }
    Ok(cases.len() as u64)
}

fn instance(opcode: Opcode, case: &PartsCase) -> (Function, InstData) {
    let mut function = Function::new("f");
    let mut operands: Vec<Operand> = case.results.iter().map(|&(ty, _)| Operand::def(function.new_vreg(ty))).collect();
    operands.extend(case.args.iter().map(|&(ty, _)| Operand::used(function.new_vreg(ty))));
    operands.extend(case.mask.as_ref().map(|mask| Operand::ShuffleMask(function.shuffle_masks.intern(&mask[..]))));
    (function, InstData::new(opcode, operands))
}

/// A value whose poison elements have no bits.
fn value(ty: Type, elements: &[Option<u32>]) -> Value<Concrete> {
    let bits = ty.bits() / elements.len() as u32;
    let number = elements.iter().rev().fold(0u128, |high, element| high << bits | u128::from(element.unwrap_or(0)));
    let mut domain = Concrete { choice: Choice::Zeros };
    let poison = elements.iter().map(Option::is_none).collect();
    Value::of_elements(&mut domain, Bits::new(number, ty.bits()), poison)
}
