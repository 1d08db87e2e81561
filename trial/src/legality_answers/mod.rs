//! The legality rule language, method by method: the known answer of a set of one method's rules, and the rule that
//! gives it. No table uses every method, and a table tells nothing of a method that decides wrongly.
//!
//! Queries are short texts: types (`s8`, `p0`, `v4s32`, `nxv4s32`), memory operands (`@24:8`, bits and alignment in
//! bits, and `:acquire` if atomic), an immediate (`#5`). Answers name place and method of the rule, action, type index
//! and new type.
//!
//! Invariant: an answer is what the documents of LLVM say of the method, and is not made from the source.

mod methods;
mod parts;
mod tables;

use tribunal_ir::types::{ElementCount, P0, S32};
use tribunal_ir::{AtomicOrdering, Opcode, Type};
use tribunal_target::legality::{LegalityQuery, MemDescr, RuleSet, TypePairAndMemDesc, rules_for};

/// The answers that are known of one method, predicate or mutation.
pub struct KnownAnswers {
    /// The file of the rule language, without its ending.
    pub file: &'static str,
    /// The function.
    pub method: &'static str,
    /// The first answer that is another, in words.
    pub wrong: Option<String>,
}

/// All that are known.
pub fn all() -> Vec<KnownAnswers> {
    [methods::answers(), parts::answers(), tables::answers()].into_iter().flatten().collect()
}

/// In words, if `said` is not what is known.
fn differs<T: PartialEq + std::fmt::Debug>(about: &str, said: &T, known: &T) -> Option<String> {
    (said != known).then(|| format!("{about}: {said:?}, where {known:?} is known"))
}

fn ty(text: &str) -> Option<Type> {
    let vector = |lanes: &str, scalable| {
        let (count, element) = lanes.split_at_checked(lanes.find(['s', 'p'])?)?;
        ty(element)?.times(ElementCount { lanes: count.parse().ok()?, scalable })
    };
    if let Some(text) = text.strip_prefix("nxv") {
        return vector(text, true);
    }
    let (kind, rest) = text.split_at_checked(1)?;
    match kind {
        "v" => vector(rest, false),
        "s" => Some(Type::scalar(rest.parse().ok()?)),
        "p" => Some(Type::Pointer { address_space: rest.parse().ok()?, bits: 64 }),
        _ => None,
    }
}

fn accessed(text: &str) -> Option<MemDescr> {
    let mut parts = text.split(':');
    let mut number = || parts.next()?.parse().ok();
    let memory = MemDescr::plain(Type::scalar(number()?), number()?);
    let ordering = parts.next().map_or(Some(memory.ordering), AtomicOrdering::from_name)?;
    Some(MemDescr { ordering, ..memory })
}

/// `None` for a text of another form.
fn query(text: &str) -> Option<LegalityQuery> {
    let mut query = LegalityQuery::new(Opcode::G_ADD, []);
    for word in text.split_whitespace() {
        match (word.strip_prefix('@'), word.strip_prefix('#')) {
            (Some(memory), _) => query.memory.push(accessed(memory)?),
            (_, Some(immediate)) => query.immediate = Some(immediate.parse().ok()?),
            _ => query.types.push(ty(word)?),
        }
    }
    Some(query)
}

fn set() -> RuleSet {
    rules_for("test", &[Opcode::G_ADD])
}

fn access(memory: u32, align_bits: u32) -> TypePairAndMemDesc {
    TypePairAndMemDesc { type0: S32, type1: P0, memory: Type::scalar(memory), align_bits }
}
