//! A second definition of operations on parts: merged and unmerged numbers, bytes turned over, elements of vectors.
//! Both are compared on all small operands, or on many of those that must be wide.
//!
//! Invariant: nothing here calls the semantics but [`first`].

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use tribunal_ir::bits::Bits;
use tribunal_ir::semantics::{Concrete, Value};
use tribunal_ir::types::ElementCount;
use tribunal_ir::{Function, InstData, Opcode, Operand, Type};
use tribunal_verifier::definitions::{OperationMeaning, first};

/// Operands of one instruction: each a type and a value, `None` for poison.
type Args<'a> = &'a [(Type, Option<u128>)];

/// What the semantics say of an opcode with results of these types, and with other operands after the registers.
fn said(
    opcode: Opcode,
    results: &[Type],
    args: Args<'_>,
    more: impl FnOnce(&mut Function) -> Vec<Operand>,
) -> OperationMeaning {
    let mut function = Function::new("f");
    let mut operands: Vec<Operand> = results.iter().map(|&ty| Operand::def(function.new_vreg(ty))).collect();
    operands.extend(args.iter().map(|&(ty, _)| Operand::used(function.new_vreg(ty))));
    operands.extend(more(&mut function));
    let value = |&(ty, value): &(Type, Option<u128>)| {
        Value::<Concrete>::new(Bits::new(value.unwrap_or(0), ty.bits()), value.is_none())
    };
    let values: Vec<Value<Concrete>> = args.iter().map(value).collect();
    first(&function, &InstData::new(opcode, operands), &values)
}

fn plain(opcode: Opcode, results: &[Type], args: Args<'_>) -> OperationMeaning {
    said(opcode, results, args, |_| Vec::new())
}

fn is(values: &[u128]) -> OperationMeaning {
    OperationMeaning::Results(values.iter().map(|&value| Some(value as i128)).collect())
}

/// Part `index` of so many bits.
fn part(whole: u128, index: u32, bits: u32) -> u128 {
    whole / (1 << (index * bits)) % (1 << bits)
}

fn parts(whole: u128, count: u32, bits: u32) -> Vec<u128> {
    (0..count).map(|index| part(whole, index, bits)).collect()
}

/// Parts and wholes of numbers, and vectors and their elements: the low part, or the first element, comes first.
#[test]
fn wholes_are_their_parts() {
    for (bits, count) in (1..=3u32).flat_map(|bits| (2..=4u32).map(move |count| (bits, count))) {
        let (whole, narrow) = (Type::scalar(bits * count), Type::scalar(bits));
        let vector = narrow.times(ElementCount::fixed(count as u16)).unwrap();
        for value in 0..1u128 << (bits * count) {
            let own = parts(value, count, bits);
            let args: Vec<(Type, Option<u128>)> = own.iter().map(|&part| (narrow, Some(part))).collect();
            let narrows = vec![narrow; count as usize];
            assert_eq!(plain(Opcode::G_MERGE_VALUES, &[whole], &args), is(&[value]));
            assert_eq!(plain(Opcode::G_UNMERGE_VALUES, &narrows, &[(whole, Some(value))]), is(&own));
            assert_eq!(plain(Opcode::G_BUILD_VECTOR, &[vector], &args), is(&[value]));
            assert_eq!(plain(Opcode::G_UNMERGE_VALUES, &narrows, &[(vector, Some(value))]), is(&own));
            let wide: Vec<(Type, Option<u128>)> =
                own.iter().map(|&part| (Type::scalar(bits + 1), Some(part + (1 << bits)))).collect();
            assert_eq!(plain(Opcode::G_BUILD_VECTOR_TRUNC, &[vector], &wide), is(&[value]));
        }
        let one_poison: Vec<(Type, Option<u128>)> =
            (0..count).map(|index| (narrow, (index > 0).then_some(1))).collect();
        assert_eq!(plain(Opcode::G_MERGE_VALUES, &[whole], &one_poison), OperationMeaning::Results(vec![None]));
    }
}

/// Bytes from the other end: all of 16 bits, many of more.
#[test]
fn bytes_change_places() {
    let mut value = 1u128;
    for bits in [16u32, 32, 48, 64, 128] {
        let ty = Type::scalar(bits);
        for round in 0..1u128 << 16 {
            // A generator of numbers that reaches every byte: the multiplier is odd and 128 bits wide.
            value = value.wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645).wrapping_add(1);
            let own = if bits == 16 { round } else { value >> (128 - bits) };
            let swapped = (0..bits / 8).fold(0, |whole, byte| whole << 8 | own >> (8 * byte) & 0xff);
            let meant = OperationMeaning::Results(vec![Some(swapped as i128)]);
            assert_eq!(plain(Opcode::G_BSWAP, &[ty], &[(ty, Some(own))]), meant, "{own:#x}");
            if round > 999 && bits > 16 {
                break;
            }
        }
    }
}

/// One element taken and one put in its place, by a number that may be too great.
#[test]
fn elements_are_found_by_their_number() {
    let (bits, count) = (2u32, 3u32);
    let (element, index) = (Type::scalar(bits), Type::scalar(64));
    let vector = element.times(ElementCount::fixed(count as u16)).unwrap();
    for value in 0..1u128 << (bits * count) {
        for place in 0..=count + 1 {
            let at = (index, Some(u128::from(place)));
            let is_there = place < count;
            let meant = is_there.then(|| part(value, place, bits) as i128);
            let taken = plain(Opcode::G_EXTRACT_VECTOR_ELT, &[element], &[(vector, Some(value)), at]);
            assert_eq!(taken, OperationMeaning::Results(vec![meant]), "{value:#b} {place}");
            let mut own = parts(value, count, bits);
            if let Some(own) = own.get_mut(place as usize) {
                *own = 2;
            }
            let meant = own.iter().rev().fold(0, |whole, part| whole << bits | part) as i128;
            let put = plain(Opcode::G_INSERT_VECTOR_ELT, &[vector], &[(vector, Some(value)), (element, Some(2)), at]);
            assert_eq!(put, OperationMeaning::Results(vec![is_there.then_some(meant)]), "{value:#b} {place}");
        }
    }
}

/// Vectors one after the other, and their elements in any order.
#[test]
fn vectors_are_put_together() {
    let (bits, count) = (1u32, 2u32);
    let vector = Type::scalar(bits).times(ElementCount::fixed(count as u16)).unwrap();
    let double = Type::scalar(bits).times(ElementCount::fixed(2 * count as u16)).unwrap();
    for (one, other) in (0..4u128).flat_map(|one| (0..4u128).map(move |other| (one, other))) {
        let args = [(vector, Some(one)), (vector, Some(other))];
        let whole = one | other << (bits * count);
        assert_eq!(plain(Opcode::G_CONCAT_VECTORS, &[double], &args), is(&[whole]));
        for (low, high) in (0..4u32).flat_map(|low| (0..4u32).map(move |high| (low, high))) {
            let mask = |function: &mut Function| {
                vec![Operand::ShuffleMask(function.shuffle_masks.intern(&[Some(low), Some(high)][..]))]
            };
            let meant = part(whole, low, bits) | part(whole, high, bits) << bits;
            assert_eq!(said(Opcode::G_SHUFFLE_VECTOR, &[vector], &args, mask), is(&[meant]), "{whole} {low} {high}");
        }
    }
}

/// All elements taken together by an operation.
#[test]
fn elements_are_reduced() {
    let (bits, count) = (2u32, 3u32);
    let element = Type::scalar(bits);
    let vector = element.times(ElementCount::fixed(count as u16)).unwrap();
    let signed = |value: u128| if value >= 2 { value as i128 - 4 } else { value as i128 };
    for value in 0..1u128 << (bits * count) {
        let own = parts(value, count, bits);
        let least = |by: &dyn Fn(u128) -> i128| own.iter().copied().min_by_key(|&part| by(part)).unwrap();
        let most = |by: &dyn Fn(u128) -> i128| own.iter().copied().max_by_key(|&part| by(part)).unwrap();
        let unsigned = |value: u128| value as i128;
        let rows = [
            (Opcode::G_VECREDUCE_ADD, own.iter().sum::<u128>() % 4),
            (Opcode::G_VECREDUCE_MUL, own.iter().product::<u128>() % 4),
            (Opcode::G_VECREDUCE_AND, own.iter().fold(3, |all, part| all & part)),
            (Opcode::G_VECREDUCE_OR, own.iter().fold(0, |all, part| all | part)),
            (Opcode::G_VECREDUCE_XOR, own.iter().fold(0, |all, part| all ^ part)),
            (Opcode::G_VECREDUCE_UMIN, least(&unsigned)),
            (Opcode::G_VECREDUCE_UMAX, most(&unsigned)),
            (Opcode::G_VECREDUCE_SMIN, least(&signed)),
            (Opcode::G_VECREDUCE_SMAX, most(&signed)),
        ];
        for (opcode, meant) in rows {
            assert_eq!(plain(opcode, &[element], &[(vector, Some(value))]), is(&[meant]), "{opcode} {own:?}");
        }
    }
}
