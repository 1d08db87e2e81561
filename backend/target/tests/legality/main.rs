//! The legality rule language, method by method: the answer of a set of one method's rules, and the rule that gives it.
//! Each list is checked against the source: a method, predicate or mutation without a row here fails.
//!
//! Queries are short texts: types (`s8`, `p0`, `v4s32`, `nxv4s32`), memory operands (`@24:8`, bits and alignment in
//! bits, and `:acquire` if atomic), an immediate (`#5`). Answers name place and method of the rule, action, type index
//! and new type.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

mod methods;
mod parts;
mod tables;

use std::collections::BTreeSet;
use tribunal_ir::types::{ElementCount, P0, S32};
use tribunal_ir::{AtomicOrdering, Opcode, Type};
use tribunal_target::legality::{LegalityQuery, MemDescr, RuleSet, TypePairAndMemDesc, rules_for};

fn ty(text: &str) -> Type {
    let vector = |lanes: &str, scalable| {
        let split = lanes.find(['s', 'p']).unwrap();
        let count = ElementCount { lanes: lanes[..split].parse().unwrap(), scalable };
        ty(&lanes[split..]).times(count).unwrap()
    };
    match text.strip_prefix("nxv") {
        Some(lanes) => return vector(lanes, true),
        None if text.starts_with('v') => return vector(&text[1..], false),
        None => {}
    }
    match text.split_at(1) {
        ("s", bits) => Type::scalar(bits.parse().unwrap()),
        ("p", space) => Type::Pointer { address_space: space.parse().unwrap(), bits: 64 },
        _ => panic!("{text}"),
    }
}

fn query(text: &str) -> LegalityQuery {
    let mut query = LegalityQuery::new(Opcode::G_ADD, []);
    for word in text.split_whitespace() {
        if let Some(memory) = word.strip_prefix('@') {
            let mut parts = memory.split(':');
            let mut number = || parts.next().unwrap().parse().unwrap();
            let mut memory = MemDescr::plain(Type::scalar(number()), number());
            if let Some(ordering) = parts.next() {
                memory.ordering = AtomicOrdering::from_name(ordering).unwrap();
            }
            query.memory.push(memory);
        } else if let Some(immediate) = word.strip_prefix('#') {
            query.immediate = Some(immediate.parse().unwrap());
        } else {
            query.types.push(ty(word));
        }
    }
    query
}

fn set() -> RuleSet {
    rules_for("test", &[Opcode::G_ADD])
}

/// The public functions of a source file, before its tests.
fn methods(source: &str) -> BTreeSet<String> {
    let public = source.lines().filter_map(|line| line.trim_start().strip_prefix("pub fn "));
    public.map(|line| line.split(['(', '<']).next().unwrap().to_string()).collect()
}

fn access(memory: u32, align_bits: u32) -> TypePairAndMemDesc {
    TypePairAndMemDesc { type0: S32, type1: P0, memory: Type::scalar(memory), align_bits }
}
