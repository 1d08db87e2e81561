//! Nondeterministic choices of the source: existential, so each is replaced by a witness that the target shows.
//!
//! Any replacement is one admissible choice, so a proof is a proof. Where the outputs show none, a sum is solved for
//! it, and a frozen value keeps its own bits. Where both sides make several choices, each is first tried as the other
//! side's in the same place.

use super::query::{StepOutput, simplified, substituted};
use super::term::{Node, Op, Symbolic, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use tribunal_ir::Opcode;
use tribunal_ir::bits::Bits;

/// True for an opcode that may leave the high bits of its result open: a choice, which may make poison of a promise.
pub(super) fn may_extend(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::G_ANYEXT | Opcode::G_LOAD)
}

/// Values for choices of the source that no output shows.
#[derive(Clone, Copy)]
pub(super) struct KeptValues<'k> {
    /// The bits of frozen values, and of numbers that may be NaNs.
    pub frozen: &'k [(Term, Term)],
    /// The high bits of values that are extended.
    pub extended: &'k [(Term, Term)],
}

/// Replaces choices of the source by the values that the target's outputs show for them. Any replacement is one
/// admissible choice, so a proof is a proof. Returns true if some bit was guessed without being shown, so that a
/// failure is none.
///
/// A choice that no output shows is what is kept for it: for a frozen value its own bits, as code without the freeze
/// has them.
pub(super) fn resolve(
    d: &mut Symbolic,
    (choices, KeptValues { frozen, extended }): (&[Term], KeptValues<'_>),
    of_target: &[Term],
    outputs: &mut [StepOutput],
) -> bool {
    if choices.is_empty() {
        return false;
    }
    let found = match paired(d, choices, extended, of_target, outputs) {
        None if !extended.is_empty() => paired(d, choices, &[], of_target, outputs),
        found => found,
    };
    if let Some(found) = found {
        replace(d, &found, outputs);
        // They are the same wherever the source is not poison, and elsewhere any bits are right.
        outputs.iter_mut().for_each(|output| output.source.bits = output.target.bits);
        return false;
    }
    let mut shown: Shown = choices.iter().map(|&choice| (choice, Vec::new())).collect();
    for output in outputs.iter() {
        find(d, output.source.bits, output.target.bits, &mut shown);
    }
    // A choice that the later side shares is settled, and stands no longer among them.
    let is_unshown = |(choice, _): &(Term, Term)| shown.get(choice).is_some_and(Vec::is_empty);
    let frozen: FxHashMap<Term, Term> = [frozen, extended].concat().into_iter().filter(is_unshown).collect();
    let is_hidden = |choice: &&Term| shown[*choice].is_empty() && !frozen.contains_key(*choice);
    let hidden: Vec<Term> = choices.iter().filter(is_hidden).copied().collect();
    // The value of a choice, and whether outputs show all of it. The hidden ones are zeros for each other.
    let settled = |d: &mut Symbolic, choice: Term, shown: &Shown| match frozen.get(&choice) {
        Some(&bits) => (bits, false),
        None => assembled(d, choice, &shown[&choice]),
    };
    if !hidden.is_empty() {
        let known = choices.iter().map(|&choice| (choice, settled(d, choice, &shown).0)).collect();
        for output in outputs.iter() {
            solve_for(d, (output.source.bits, output.target.bits), (&hidden, &known), &mut shown);
        }
    }
    let mut guessed = false;
    let mut found = FxHashMap::default();
    for &choice in choices {
        let (value, complete) = settled(d, choice, &shown);
        guessed |= !complete && outputs.iter().any(|output| mentions(d, output.source.bits, choice));
        found.insert(choice, value);
    }
    replace(d, &found, outputs);
    guessed
}

/// Puts these values in the places of the source's choices.
fn replace(d: &mut Symbolic, found: &FxHashMap<Term, Term>, outputs: &mut [StepOutput]) {
    let mut memo = FxHashMap::default();
    for output in outputs.iter_mut() {
        output.source.bits = substituted(d, output.source.bits, found, &mut memo);
        output.source.poison = substituted(d, output.source.poison, found, &mut memo);
    }
}

/// Choices of the target in the places of the source's, if these make every output the target's wherever it is not
/// poison. The choices of a chain of operations are not shown by its result. Those that extend a value are as
/// `extended` has them.
fn paired(
    d: &mut Symbolic,
    choices: &[Term],
    extended: &[(Term, Term)],
    of_target: &[Term],
    outputs: &[StepOutput],
) -> Option<FxHashMap<Term, Term>> {
    if choices.len() < 2 {
        return None;
    }
    // The target may make choices of its own between them: the bits in which a machine register holds poison.
    let mut rest = of_target.iter().copied();
    let mut partner = |&choice: &Term| {
        let own = extended.iter().find(|(other, _)| *other == choice).map(|&(_, bits)| bits);
        Some((choice, own.or_else(|| rest.find(|&other| d.width_of(other) == d.width_of(choice)))?))
    };
    let found: FxHashMap<Term, Term> = choices.iter().map(&mut partner).collect::<Option<_>>()?;
    let mut memo = FxHashMap::default();
    let mut is_same = |output: &StepOutput| {
        let [bits, poison] = [output.source.bits, output.source.poison].map(|of| substituted(d, of, &found, &mut memo));
        let is_defined = [d.complement(poison)];
        let [source, target] = [bits, output.target.bits].map(|of| simplified(d, &is_defined, of));
        is_same_in_parts(d, source, target)
    };
    outputs.iter().all(&mut is_same).then_some(found)
}

/// Whether two terms of one width are the same, or their parts are: those of a value in several registers.
fn is_same_in_parts(d: &mut Symbolic, one: Term, other: Term) -> bool {
    if one == other {
        return true;
    }
    let Node::Concat(high, low) = d.node(other) else { return false };
    let split = d.width_of(low);
    let upper = d.extract_bits(one, split, d.width_of(high));
    let lower = d.extract_bits(one, 0, split);
    is_same_in_parts(d, upper, high) && is_same_in_parts(d, lower, low)
}

/// The choices from this number on with the bits of a frozen value that each stands for: one for each element.
pub(super) fn frozen(d: &mut Symbolic, from: usize, bits: Term) -> Vec<(Term, Term)> {
    let choices = d.choices[from..].to_vec();
    let mut offset = 0;
    let mut part = |choice: Term| {
        let (first, width) = (offset, d.width_of(choice));
        offset += width;
        (choice, d.extract_bits(bits, first, width))
    };
    choices.into_iter().map(&mut part).collect()
}

/// For each choice, the parts of it that outputs show: offset, and the value.
type Shown = FxHashMap<Term, Vec<(u32, Term)>>;

/// A choice put together from the parts shown, zeros between them; whether they cover it.
fn assembled(d: &mut Symbolic, choice: Term, parts: &[(u32, Term)]) -> (Term, bool) {
    let width = d.width_of(choice);
    let mut parts = parts.to_vec();
    parts.sort_by_key(|&(offset, part)| (offset, std::cmp::Reverse(d.width_of(part))));
    let (mut value, mut end, mut complete): (Option<Term>, u32, bool) = (None, 0, true);
    let mut put = |d: &mut Symbolic, part: Term| value = Some(value.map_or(part, |low| d.concatenate(part, low)));
    for (offset, part) in parts {
        if offset > end {
            complete = false;
            let gap = d.value(Bits::zero(offset - end));
            put(d, gap);
            end = offset;
        }
        let part_end = offset + d.width_of(part);
        if part_end > end {
            // Where two parts overlap the first one wins; if they differ, the obligation fails, and is not refuted.
            complete &= offset == end;
            let rest = d.extract_bits(part, end - offset, part_end - end);
            put(d, rest);
            end = part_end;
        }
    }
    if end < width {
        complete = false;
        let gap = d.value(Bits::zero(width - end));
        put(d, gap);
    }
    let zeros = d.value(Bits::zero(width));
    (value.unwrap_or(zeros), complete)
}

/// Walks the concatenations of the source term, with the matching part of the target's term.
fn find(d: &mut Symbolic, source: Term, target: Term, shown: &mut Shown) {
    if let Some(parts) = shown.get_mut(&source) {
        parts.push((0, target));
        return;
    }
    match d.node(source) {
        Node::Extract(inner, offset) => {
            if let Some(parts) = shown.get_mut(&inner) {
                parts.push((offset, target));
            } else if let Node::Extract(other, place) = d.node(target)
                && place == offset
                && d.width_of(other) == d.width_of(inner)
            {
                find(d, inner, other, shown);
            }
        }
        Node::Concat(high, low) => {
            let split = d.width_of(low);
            let upper = d.extract_bits(target, split, d.width_of(high));
            let lower = d.extract_bits(target, 0, split);
            find(d, high, upper, shown);
            find(d, low, lower, shown);
        }
        Node::Ite(condition, a, b) => {
            if let Node::Ite(other, x, y) = d.node(target)
                && (other == condition || is_same_selection(d, (condition, a), (other, x), shown))
            {
                find(d, a, x, shown);
                find(d, b, y, shown);
                return;
            }
            // One value of several, told by a choice that equals it.
            if let Some(choice) = compared_with(d, condition, a)
                && let Some(parts) = shown.get_mut(&choice)
            {
                parts.push((0, target));
            }
            find(d, a, target, shown);
            find(d, b, target, shown);
        }
        // A choice between truth values is kept as logic.
        Node::Binary(Op::And | Op::Or, a, b) if d.width_of(source) == 1 => {
            find(d, a, target, shown);
            find(d, b, target, shown);
        }
        Node::Zext(inner) | Node::Sext(inner) => {
            let low = d.extract_bits(target, 0, d.width_of(inner));
            find(d, inner, low, shown);
        }
        _ => {}
    }
}

/// The term that a condition compares with `value`.
fn compared_with(d: &Symbolic, condition: Term, value: Term) -> Option<Term> {
    match d.node(condition) {
        Node::Eq(other, own) if own == value => Some(other),
        Node::Eq(own, other) if own == value => Some(other),
        _ => None,
    }
}

/// Both sides select the same value by a choice that equals it: the choice is the target's.
fn is_same_selection(
    d: &Symbolic,
    (condition, value): (Term, Term),
    (of_target, other_value): (Term, Term),
    shown: &mut Shown,
) -> bool {
    let choices = compared_with(d, condition, value).zip(compared_with(d, of_target, other_value));
    let Some((choice, other)) = choices.filter(|_| value == other_value) else { return false };
    shown.get_mut(&choice).map(|parts| parts.push((0, other))).is_some()
}

/// Solves sums and differences, and parts of them, for a hidden choice that nothing shows so far, with what is known of
/// the others.
fn solve_for(
    d: &mut Symbolic,
    (source, target): (Term, Term),
    (hidden, known): (&[Term], &FxHashMap<Term, Term>),
    shown: &mut Shown,
) {
    let (whole, offset) = match d.node(source) {
        Node::Extract(inner, offset) => (inner, offset),
        _ => (source, 0),
    };
    if hidden.contains(&whole) {
        if let Some(parts) = shown.get_mut(&whole).filter(|parts| !overlap(d, parts, (offset, target))) {
            parts.push((offset, target));
        }
        return;
    }
    let is_open = |d: &Symbolic, term| hidden.iter().any(|&choice| mentions(d, term, choice));
    let settled = |d: &mut Symbolic, term| substituted(d, term, known, &mut FxHashMap::default());
    let mut pairs: SmallVec<[(Term, Term); 2]> = SmallVec::new();
    match d.node(source) {
        Node::Binary(op @ (Op::Add | Op::Sub | Op::Xor), a, b) if is_open(d, a) => {
            let other = settled(d, b);
            let inverse = match op {
                Op::Add => Op::Sub,
                Op::Sub => Op::Add,
                _ => Op::Xor,
            };
            pairs.push((a, d.binary(inverse, target, other)));
        }
        Node::Binary(op @ (Op::Add | Op::Sub | Op::Xor), a, b) => {
            let other = settled(d, a);
            let wanted = match op {
                Op::Sub => d.binary(Op::Sub, other, target),
                Op::Add => d.binary(Op::Sub, target, other),
                _ => d.binary(Op::Xor, target, other),
            };
            pairs.push((b, wanted));
        }
        Node::Concat(high, low) => {
            let split = d.width_of(low);
            pairs.push((high, d.extract_bits(target, split, d.width_of(high))));
            pairs.push((low, d.extract_bits(target, 0, split)));
        }
        Node::Zext(inner) | Node::Sext(inner) => {
            pairs.push((inner, d.extract_bits(target, 0, d.width_of(inner))));
        }
        Node::Ite(_, a, b) => pairs.extend([(a, target), (b, target)]),
        _ => {}
    }
    for (source, target) in pairs {
        if is_open(d, source) {
            solve_for(d, (source, target), (hidden, known), shown);
        }
    }
}

/// Whether a part of a value shares bits with one of these.
fn overlap(d: &Symbolic, parts: &[(u32, Term)], (offset, part): (u32, Term)) -> bool {
    let end = offset + d.width_of(part);
    parts.iter().any(|&(from, other)| from < end && offset < from + d.width_of(other))
}

/// Whether a term depends on another.
pub(super) fn mentions(d: &Symbolic, term: Term, wanted: Term) -> bool {
    let mut pending = vec![term];
    let mut seen = FxHashSet::default();
    while let Some(term) = pending.pop() {
        if term == wanted {
            return true;
        }
        if seen.insert(term) {
            pending.extend(super::evaluate::operands(d, term));
        }
    }
    false
}
