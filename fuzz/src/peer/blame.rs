//! The part of a stage that is to blame for a finding: the combine rule, the opcode that the legalizer took apart, or
//! the instruction that was selected.
//!
//! A combiner runs again without some of its rules: the rule without which the finding goes is guilty. The legalizer
//! and the selector have no such switch. There the two stages of the reduced program are compared, and each generic
//! instruction that the stage changed is named with what it became.

use super::backend::{Combiner, PeerMode};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use tribunal_ir::{Constraint, Function, InstData, Opcode, OpcodeFlags, Operand, Type, VReg};

/// The guilty part of a stage.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PeerBlame {
    /// The part of a family's name: `mul_to_shl`, `G_BSWAP lower`, `G_ROTL ROLW`.
    pub name: String,
    /// The same with types.
    pub details: String,
    /// The argument of the compiler with which the finding goes.
    pub without: Option<String>,
}

/// Rules of one combiner that a blame names at most.
const MOST_RULES: usize = 3;
/// Instructions that a blame names at most.
const MOST_INSTRUCTIONS: usize = 3;

impl PeerBlame {
    /// The rules of a combiner without which the finding goes. `shows` says whether it shows with an argument.
    pub(super) fn of_combiner(combiner: &Combiner, mut shows: impl FnMut(&str) -> bool) -> Option<PeerBlame> {
        let rules = needed(|disabled| shows(&combiner.without(disabled)))?;
        let one: Vec<String> = rules.iter().map(|&rule| combiner.rule(rule)).collect();
        let numbers: Vec<String> = rules.iter().map(u32::to_string).collect();
        let ranges: Vec<(u32, u32)> = rules.iter().map(|&rule| (rule, rule)).collect();
        Some(PeerBlame {
            name: one.join(" "),
            details: format!("combine rule {} ({})", numbers.join(", "), one.join(", ")),
            without: Some(combiner.without(&ranges)),
        })
    }

    /// The instructions that the legalizer changed between two stages of a reduced program; where a flag is wrong, the
    /// opcodes that have it.
    pub(super) fn of_legalizer(before: &Function, after: &Function, flag: Option<&str>) -> Option<PeerBlame> {
        let (earlier, later) = (census(before), census(after));
        let mut changed = changed(&earlier, &later);
        let flagged: Vec<Opcode> =
            flag.map_or(Vec::new(), |flag| with_flag(after, flag).map(|data| data.opcode).collect());
        let keep = |changed: &mut Vec<Shape>, kept: &dyn Fn(Opcode) -> bool| {
            if changed.iter().any(|shape| kept(shape.0)) {
                changed.retain(|shape| kept(shape.0));
            }
        };
        keep(&mut changed, &|opcode| flagged.contains(&opcode));
        // A store only shows a value, if there is more.
        keep(&mut changed, &|opcode| opcode != Opcode::G_STORE);
        let said = changed.iter().map(|(opcode, types)| {
            let action = action(*opcode, types, &earlier, &later, after);
            (format!("{opcode} {}", action.name()), format!("{opcode} {}: {action}", shown(types)))
        });
        PeerBlame::named(said.collect())
    }

    /// The instructions that were selected, and the machine's in their place.
    pub(super) fn of_selector(before: &Function, after: &Function, mode: PeerMode) -> Option<PeerBlame> {
        let mut changed = changed(&census(before), &BTreeMap::new());
        let vocabulary = mode.target.vocabulary;
        // A store only shows a value, if there is more.
        let is_store = |shape: &Shape| shape.0 == Opcode::G_STORE;
        let skipped = if changed.iter().all(is_store) { OpcodeFlags::empty() } else { OpcodeFlags::STORE };
        changed.retain(|shape| skipped.is_empty() || !is_store(shape));
        let machine: Vec<&str> = after
            .all_insts()
            .filter_map(|inst| match after.inst(inst).opcode {
                Opcode::Target(opcode) => Some((vocabulary.opcode_name(opcode), vocabulary.opcode_flags(opcode))),
                _ => None,
            })
            .filter(|(_, flags)| !flags.intersects(OpcodeFlags::RETURN.union(skipped)))
            .map(|(name, _)| name)
            .collect();
        let machine = machine.join(" ");
        let said = changed.iter().map(|(opcode, types)| {
            (format!("{opcode} {machine}"), format!("{opcode} {}: selected as {machine}", shown(types)))
        });
        PeerBlame::named(said.collect())
    }

    /// The machine's instructions that have this flag, without which a selected function does not differ.
    pub(super) fn of_flag(after: &Function, flag: &str, mode: PeerMode) -> Option<PeerBlame> {
        let names = with_flag(after, flag).filter_map(|data| match data.opcode {
            Opcode::Target(opcode) => Some(mode.target.vocabulary.opcode_name(opcode)),
            _ => None,
        });
        let names: BTreeSet<&str> = names.collect();
        PeerBlame::named(names.into_iter().map(|name| (name.to_string(), format!("{flag} {name}"))).collect())
    }

    /// The copies between banks that the selector left, for what fails after it.
    pub(super) fn of_copies(selected: &Function, mode: PeerMode) -> Option<PeerBlame> {
        let class = |register: VReg| match selected.vregs[register].constraint {
            Constraint::Class(class) => Some(mode.target.class(class)),
            Constraint::Bank(_) | Constraint::None => None,
        };
        let copies = selected.all_insts().map(|inst| selected.inst(inst)).filter(|data| data.opcode == Opcode::COPY);
        let between = copies.filter_map(|data| {
            let (to, from) = (class(data.vreg(0)?)?, class(data.vreg(1)?)?);
            (to.bank != from.bank).then(|| format!("COPY of {} to {}", from.name, to.name))
        });
        let between: BTreeSet<String> = between.collect();
        PeerBlame::named(between.into_iter().map(|copy| (copy.clone(), copy)).collect())
    }

    fn named(said: Vec<(String, String)>) -> Option<PeerBlame> {
        let (names, details): (Vec<String>, Vec<String>) = said.into_iter().unzip();
        let is_short = !names.is_empty() && names.len() <= MOST_INSTRUCTIONS;
        is_short.then(|| PeerBlame { name: names.join(", "), details: details.join(", "), without: None })
    }
}

/// The instructions that have this flag.
fn with_flag<'f>(function: &'f Function, flag: &'f str) -> impl Iterator<Item = &'f InstData> {
    let has_flag = move |data: &&InstData| data.flags.iter_names().any(|(name, _)| name.eq_ignore_ascii_case(flag));
    function.all_insts().map(|inst| function.inst(inst)).filter(has_flag)
}

/// The rules of which one alone brings the finding back: the smallest set without which it goes, if few rules are one.
/// `shows` says whether it shows without these ranges of rules.
fn needed(mut shows: impl FnMut(&[(u32, u32)]) -> bool) -> Option<Vec<u32>> {
    const LAST: u32 = 1023;
    let mut rules: Vec<u32> = Vec::new();
    if shows(&[(0, LAST)]) {
        return None;
    }
    while rules.len() < MOST_RULES {
        let known: Vec<(u32, u32)> = rules.iter().map(|&rule| (rule, rule)).collect();
        if !known.is_empty() && !shows(&known) {
            return Some(rules);
        }
        // It goes without the rules up to `high`, and not without those below `low`.
        let (mut low, mut high) = (0, LAST);
        while low < high {
            let middle = low + (high - low) / 2;
            match shows(&[&known[..], &[(0, middle)]].concat()) {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        rules.push(low);
    }
    let known: Vec<(u32, u32)> = rules.iter().map(|&rule| (rule, rule)).collect();
    (!shows(&known)).then_some(rules)
}

/// An opcode with the types of its registers, neighbours of one type once.
type Shape = (Opcode, Vec<Type>);

/// The generic instructions of a stage.
fn census(function: &Function) -> BTreeMap<Shape, usize> {
    let mut census = BTreeMap::new();
    for data in function.all_insts().map(|inst| function.inst(inst)).filter(|data| data.opcode.is_generic()) {
        let registers = data.operands.iter().filter_map(Operand::as_vreg);
        let mut types: Vec<Type> = registers.filter_map(|register| function.type_of(register)).collect();
        types.dedup();
        *census.entry((data.opcode, types)).or_default() += 1;
    }
    census
}

/// The shapes of which the later stage has fewer. What only moves, extends or joins values is named if nothing else is.
fn changed(earlier: &BTreeMap<Shape, usize>, later: &BTreeMap<Shape, usize>) -> Vec<Shape> {
    let gone = earlier.iter().filter(|(shape, count)| later.get(*shape).unwrap_or(&0) < count).map(|(shape, _)| shape);
    let gone: Vec<Shape> = gone.filter(|(opcode, _)| !is_plain(*opcode)).cloned().collect();
    let computing: Vec<Shape> = gone.iter().filter(|(opcode, _)| !opcode.is_artifact()).cloned().collect();
    if computing.is_empty() { gone } else { computing }
}

/// Opcodes that only give or move values tell no findings apart.
pub(super) fn is_plain(opcode: Opcode) -> bool {
    [Opcode::G_CONSTANT, Opcode::G_BR, Opcode::G_IMPLICIT_DEF, Opcode::COPY].contains(&opcode)
}

/// The legalizer's actions, as far as two stages tell them.
enum LegalizeAction {
    Widen(Type),
    Narrow(Type),
    Call(String),
    Lower,
}

impl LegalizeAction {
    fn name(&self) -> &'static str {
        match self {
            LegalizeAction::Widen(_) => "widen-scalar",
            LegalizeAction::Narrow(_) => "narrow-scalar",
            LegalizeAction::Call(_) => "libcall",
            LegalizeAction::Lower => "lower",
        }
    }
}

impl fmt::Display for LegalizeAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LegalizeAction::Widen(ty) | LegalizeAction::Narrow(ty) => write!(f, "{} to {ty}", self.name()),
            LegalizeAction::Call(name) => write!(f, "{} {name}", self.name()),
            LegalizeAction::Lower => f.write_str(self.name()),
        }
    }
}

/// The action that made this shape of the earlier stage what stands in the later one: the same opcode with another
/// type, else a call that only the later stage has, else other opcodes.
fn action(
    opcode: Opcode,
    types: &[Type],
    earlier: &BTreeMap<Shape, usize>,
    later: &BTreeMap<Shape, usize>,
    after: &Function,
) -> LegalizeAction {
    let size = |types: &[Type]| types.iter().map(|ty| ty.bits()).collect::<Vec<_>>();
    let is_new = |shape: &Shape, count: usize| shape.0 == opcode && count > *earlier.get(shape).unwrap_or(&0);
    let other = later.iter().find(|(shape, count)| is_new(shape, **count) && size(&shape.1) != size(types));
    if let Some(((_, new), _)) = other {
        let differing = new.iter().zip(types).find(|(new, old)| new.bits() != old.bits());
        if let Some((new, old)) = differing {
            return if new.bits() > old.bits() { LegalizeAction::Widen(*new) } else { LegalizeAction::Narrow(*new) };
        }
    }
    let called = after.addresses.values().find_map(|address| match address.base {
        tribunal_ir::AddressBase::External(_) => after.symbol_name(address.base),
        _ => None,
    });
    called.map_or(LegalizeAction::Lower, |name| LegalizeAction::Call(name.to_string()))
}

fn shown(types: &[Type]) -> String {
    types.iter().map(Type::to_string).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The finding shows while one of the guilty rules is on.
    fn found(guilty: &[u32]) -> Option<Vec<u32>> {
        needed(|disabled| guilty.iter().any(|rule| !disabled.iter().any(|(from, to)| (from..=to).contains(&rule))))
    }

    #[test]
    fn the_rules_without_which_a_finding_goes_are_found() {
        for guilty in [&[0][..], &[14], &[226], &[3, 99], &[5, 6, 7]] {
            let mut rules = found(guilty).unwrap();
            rules.sort_unstable();
            assert_eq!(rules, guilty);
        }
        assert_eq!(found(&[1, 2, 3, 4]), None);
        assert_eq!(needed(|_| true), None);
    }
}
