//! The aim of a program: one goal of a list, which a campaign walks through program by program.
//!
//! A campaign remembers nothing of what it observed, since a program depends on the seed and its number alone. So the
//! number chooses the goal, and how often the walk came round chooses among the immediates at the edges of a rule. The
//! goals are the selection rules of the program's features, operations in one step that the legalizer rewrites,
//! operations on numbers of floating point, and operations on vectors of integers and of numbers, which it takes apart.
//!
//! Invariant: a goal is a function of the program's first bytes and its features. Rules of the legalizer may bring an
//! operation to another form first, so an aim is no promise.

use super::directed::{constant_class, is_of_addresses, is_of_values, number_in_memory};
use super::{Entry, Generator, floats, number_vectors};
use crate::opcodes;
use arbitrary::Result;
use rustc_hash::FxHashMap;
use std::sync::{LazyLock, Mutex, PoisonError};
use tribunal_ir::types::S1;
use tribunal_ir::{Family, InstData, Opcode, Operand};
use tribunal_target::selection::{Pat, Pattern, SelectionRule};
use tribunal_target::{Features, Target};

/// One kind of operation that a program shall have.
#[derive(Clone, Copy)]
enum Goal {
    /// This rule selects it.
    Rule(&'static SelectionRule),
    /// It changes memory in one step, at any size.
    Atomic(Opcode),
    /// It computes with numbers of floating point.
    Number(Opcode),
    /// Its operands are vectors.
    Vectors(Opcode),
    /// Its operands are vectors of numbers of floating point.
    NumberVectors(Opcode),
}

/// The goal of a program.
#[derive(Clone, Copy)]
pub(super) struct Aim {
    goal: Goal,
    /// How often the walk came to the goal before.
    visit: u32,
}

/// The walk comes so often to the goals of numbers while it comes once to those of vectors, whose programs are large.
const ROUNDS: u32 = 4;

impl Aim {
    /// The goal at a turn of the campaign; `None` for a machine without rules. Few programs have an option of the
    /// machine on: every other one of these is about it.
    pub fn at(turn: u32, target: &'static Target, features: Features) -> Option<Aim> {
        let goals = goals(target, features);
        let count = goals.optional.len() as u32;
        match (count, turn % 2) {
            (0, _) => goals.aim(turn),
            (_, 0) => goals.aim(turn / 2),
            _ => {
                let (visit, place) = (turn / 2 / count, turn / 2 % count);
                Some(Aim { goal: *goals.optional.get(place as usize)?, visit })
            }
        }
    }

    /// True for a goal to which the walk comes rarely.
    pub fn is_of_vectors(&self) -> bool {
        matches!(self.goal, Goal::Vectors(_) | Goal::NumberVectors(_))
    }
}

/// The goals of a machine.
struct Goals {
    /// Those that are not of vectors.
    plain: Vec<Goal>,
    vectors: Vec<Goal>,
    /// The plain ones that the machine lacks without its options.
    optional: Vec<Goal>,
}

impl Goals {
    /// Turns after which the walk begins again.
    fn period(&self) -> u32 {
        (ROUNDS * self.plain.len() as u32 + self.vectors.len() as u32).max(1)
    }

    /// The goal at a turn of the walk.
    fn aim(&self, turn: u32) -> Option<Aim> {
        let (count, period) = (self.plain.len() as u32, self.period());
        let (round, place) = (turn / period, turn % period);
        match place.checked_sub(ROUNDS * count) {
            Some(place) => Some(Aim { goal: *self.vectors.get(place as usize)?, visit: round }),
            None => {
                let goal = *self.plain.get((place % count) as usize)?;
                Some(Aim { goal, visit: ROUNDS * round + place / count })
            }
        }
    }
}

/// The goals, found once for each set of features.
fn goals(target: &'static Target, features: Features) -> &'static Goals {
    type Known = FxHashMap<(&'static str, Features), &'static Goals>;
    static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.entry((target.name, features)).or_insert_with(|| Box::leak(Box::new(found(target, features))))
}

fn found(target: &'static Target, features: Features) -> Goals {
    let rules = target.selection.iter().filter(|rule| features.contains(rule.requires) && is_reachable(&rule.pattern));
    let optional = rules.clone().filter(|rule| !target.default_features.contains(rule.requires));
    let changes = |opcode: &Opcode| opcode.is_defined() && opcode.info().is_some_and(|info| !info.defs.is_empty());
    let atomics = Family::Atomic.opcodes().iter().copied().filter(changes);
    let legalizer = (target.legality)(features);
    let of_floats = floats::compiled(legalizer).map(Goal::Number);
    let of_integers = opcodes::ON_VECTORS.iter().copied().map(Goal::Vectors);
    Goals {
        plain: rules.map(Goal::Rule).chain(atomics.map(Goal::Atomic)).chain(of_floats).collect(),
        vectors: of_integers.chain(number_vectors::compiled(legalizer).map(Goal::NumberVectors)).collect(),
        optional: optional.map(Goal::Rule).collect(),
    }
}

/// True if the generator can write the pattern.
fn is_reachable(pattern: &Pattern) -> bool {
    match (pattern.opcode.family(), pattern.operands) {
        // After a debugger's trap nothing is compared.
        (Some(Family::Trap), _) => pattern.opcode != Opcode::G_DEBUGTRAP,
        (Some(Family::Atomic), _) => pattern.memory_bits.is_some(),
        // Goals of numbers have it, with any classes.
        _ if pattern.opcode == Opcode::G_IS_FPCLASS => false,
        (_, [Pat::Intrinsic(name), ..]) => name.starts_with(super::atomics::MASKED),
        _ => {
            let is_of_memory = is_of_addresses(pattern) || number_in_memory(pattern).is_some();
            let is_constant = constant_class(pattern).is_some();
            is_of_memory || is_constant || condition(pattern).is_some() || is_of_values(pattern)
        }
    }
}

/// The condition of a branch's pattern.
fn condition(pattern: &Pattern) -> Option<&'static Pattern> {
    match pattern.operands {
        [Pat::Op(condition), ..] if pattern.opcode == Opcode::G_BRCOND => {
            Some(*condition).filter(|condition| is_of_values(condition))
        }
        _ => None,
    }
}

impl Generator<'_, '_, '_> {
    /// Writes the operation that the program is aimed at, unless it has it already.
    pub(super) fn aimed(&mut self, depth: u32) -> Result<()> {
        let Some(Aim { goal, visit }) = self.aim.take() else { return Ok(()) };
        self.visit = Some(visit);
        let written = match goal {
            Goal::Rule(rule) => self.aimed_at(rule, depth),
            Goal::Atomic(opcode) if self.has_atomics() => self.changed_in_one_step(opcode, None),
            Goal::Atomic(_) => self.expression(),
            Goal::Number(opcode) => {
                let entry = self.on_numbers_by(opcode)?;
                self.shown_or_another(entry)
            }
            Goal::NumberVectors(opcode) => {
                let entry = self.on_number_vectors(opcode)?;
                self.shown_or_another(entry)
            }
            Goal::Vectors(opcode) => self.on_vectors(opcode),
        };
        self.visit = None;
        written
    }

    fn aimed_at(&mut self, rule: &'static SelectionRule, depth: u32) -> Result<()> {
        let pattern = &rule.pattern;
        match (pattern.opcode.family(), pattern.operands) {
            (Some(Family::Trap), _) => return self.trap(pattern.opcode),
            (Some(Family::Atomic), _) => return self.changed_in_one_step(pattern.opcode, Some(pattern)),
            (_, [Pat::Intrinsic(name), ..]) => return self.masked_operation(rule, name),
            _ => {}
        }
        if let Some(ty) = number_in_memory(pattern) {
            return self.access_of_number(pattern.opcode, ty);
        }
        if let Some(condition) = condition(pattern) {
            return match self.written_out(condition, S1)?.filter(|entry| entry.deterministic) {
                Some(entry) => self.diamond_on(entry.register, depth),
                None => self.expression(),
            };
        }
        let register = self.register_type();
        let ty = self.fitting(pattern.ty, register)?;
        let entry = match constant_class(pattern) {
            Some(class) => self.constant_of(pattern.opcode, class, ty)?,
            None => self.written_out(pattern, ty)?,
        };
        self.shown_or_another(entry)
    }

    /// Adds a value to the scope; where there is none, that of another expression.
    fn shown_or_another(&mut self, entry: Option<Entry>) -> Result<()> {
        let Some(entry) = entry else { return self.expression() };
        self.scope.push(entry);
        Ok(())
    }

    /// A way that ends in a trap, and one that goes on.
    fn trap(&mut self, opcode: Opcode) -> Result<()> {
        let condition = self.condition()?;
        let (then, on) = (self.new_block(), self.new_block());
        self.branch_on(condition, then, on);
        self.builder.position = tribunal_ir::Position::AtEnd(then);
        let mut operands = Vec::new();
        let Some(info) = opcode.info() else { return self.expression() };
        for (index, _) in info.operands().enumerate() {
            let range = info.immediate_at(index).and_then(|immediate| immediate.range(&[None; 3]));
            operands.push(Operand::Imm(self.u.int_in_range(range.unwrap_or(0..=0))?));
        }
        self.builder.push(InstData::new(opcode, operands));
        self.builder.position = tribunal_ir::Position::AtEnd(on);
        Ok(())
    }

    /// Adds a value to the scope as a number.
    pub(super) fn show(&mut self, entry: Entry) {
        let entry = if entry.ty.is_pointer() { self.as_number(entry) } else { entry };
        self.scope.push(entry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arbitrary::Unstructured;
    use rand::rngs::SmallRng;
    use rand::{Rng, SeedableRng};
    use tribunal_codegen::{Context, Observer, Options, pipeline};
    use tribunal_ir::{Function, Inst};

    /// The opcode that a program shows if it came to its goal.
    fn shown(goal: Goal) -> Opcode {
        match goal {
            Goal::Rule(rule) => condition(&rule.pattern).map_or(rule.pattern.opcode, |condition| condition.opcode),
            Goal::Atomic(opcode) | Goal::Number(opcode) | Goal::Vectors(opcode) | Goal::NumberVectors(opcode) => opcode,
        }
    }

    /// The walk comes to each goal, and a program at a goal has its operation. An operation in one step of a size that
    /// the target does not compile becomes another access.
    #[test]
    fn programs_have_the_operations_that_they_are_aimed_at() {
        for &target in tribunal_target::ALL {
            let features = target.default_features | target.all_options();
            let goals = goals(target, features);
            let (numbers, period) = (goals.plain.len() as u32, goals.period());
            let optional = goals.optional.len() as u32;
            assert!(optional > 0);
            let walk = (0..numbers).chain(ROUNDS * numbers..period).map(|turn| (2 * turn, 2 * period));
            let options = (0..optional).map(|turn| (2 * turn + 1, 2 * optional));
            let mut missed = Vec::new();
            for (turn, period) in walk.chain(options) {
                let aim = Aim::at(turn, target, features).unwrap();
                assert_eq!(aim.visit, 0);
                assert_ne!(Aim::at(turn + period, target, features).unwrap().visit, 0);
                let has_it = (0..16u64).any(|seed| {
                    let mut bytes = [0u8; 2048];
                    SmallRng::seed_from_u64(seed).fill_bytes(&mut bytes);
                    bytes[..4].copy_from_slice(&(turn + seed as u32 * period).to_le_bytes());
                    let function = crate::generator::generate(&mut Unstructured::new(&bytes), target, features, "f");
                    let function = function.unwrap();
                    function.all_insts().any(|inst| function.inst(inst).opcode == shown(aim.goal))
                });
                if !has_it {
                    missed.push(shown(aim.goal));
                }
            }
            let is_atomic = |opcode: &Opcode| opcode.family() == Some(Family::Atomic);
            assert!(missed.iter().all(is_atomic), "{}: {missed:?}", target.name);
        }
    }

    /// Names of the rules that fired.
    #[derive(Default)]
    struct Fired(Vec<&'static str>);

    impl Observer for Fired {
        fn step(&mut self, rule: &'static str, _: &mut Function, _: &[InstData], _: &mut Vec<Inst>) {
            self.0.push(rule);
        }
    }

    /// True if the rule is no goal, or selects in one of a few programs aimed at it, which have no option but its own.
    fn fires(target: &'static Target, rule: &SelectionRule) -> bool {
        let options = target.options.iter().filter(|option| rule.requires.contains(option.feature));
        let features = options.fold(target.default_features, |all, option| all | option.feature | option.implies);
        let goals = goals(target, features);
        let is_own = |goal: &Goal| matches!(goal, Goal::Rule(own) if own.name == rule.name);
        let Some(place) = goals.plain.iter().position(is_own) else { return true };
        let (count, slowly) = (goals.plain.len() as u32, if goals.optional.is_empty() { 1 } else { 2 });
        (0..64).any(|seed| {
            let mut bytes = [0u8; 2048];
            SmallRng::seed_from_u64(seed).fill_bytes(&mut bytes);
            let (round, visit) = (seed as u32 / ROUNDS, seed as u32 % ROUNDS);
            let turn = slowly * (round * goals.period() + visit * count + place as u32);
            bytes[..4].copy_from_slice(&turn.to_le_bytes());
            let mut function =
                crate::generator::generate(&mut Unstructured::new(&bytes), target, features, "f").unwrap();
            let mut fired = Fired::default();
            let (options, legalizer) = (Options::new(features), (target.legality)(features));
            let mut context = Context { target, options, legalizer, observer: &mut fired };
            pipeline::compile(&mut function, &mut context).unwrap();
            fired.0.contains(&rule.name)
        })
    }

    /// A rule that never fires is one that a rule before it takes everything from.
    #[test]
    fn each_rule_that_is_aimed_at_fires() {
        for &target in tribunal_target::ALL {
            let all = target.default_features | target.all_options();
            let silent = target.selection.iter().filter(|rule| all.contains(rule.requires) && !fires(target, rule));
            assert_eq!(silent.map(|rule| rule.name).collect::<Vec<_>>(), [""; 0], "{}", target.name);
        }
    }

    /// The first visit of a goal of vectors writes a promise, if its opcode knows one.
    #[test]
    fn operations_on_vectors_make_promises() {
        let target = tribunal_target::ALL[0];
        let features = target.default_features;
        let plain = goals(target, features).plain.len() as u32;
        let mut promising = 0;
        for turn in ROUNDS * plain..goals(target, features).period() {
            let opcode = shown(Aim::at(turn, target, features).unwrap().goal);
            if crate::edit::flags_of(opcode).is_empty() || opcode.is_float() {
                continue;
            }
            promising += 1;
            let mut bytes = [0u8; 2048];
            SmallRng::seed_from_u64(turn.into()).fill_bytes(&mut bytes);
            bytes[..4].copy_from_slice(&turn.to_le_bytes());
            let function = crate::generator::generate(&mut Unstructured::new(&bytes), target, features, "f").unwrap();
            let promises = |data: &InstData| {
                let result = data.vreg(0).and_then(|register| function.type_of(register));
                data.opcode == opcode && !data.flags.is_empty() && result.is_some_and(|ty| ty.is_vector())
            };
            assert!(function.all_insts().any(|inst| promises(function.inst(inst))), "{opcode}");
        }
        assert!(promising > 3);
    }
}
