//! The aim of a program: one goal of a list, which a campaign walks through program by program.
//!
//! A campaign remembers nothing of what it observed, since a program depends on the seed and its number alone. So the
//! number chooses the goal, and how often the walk came round chooses among the immediates at the edges of a rule, and
//! the types on which it decides. The goals are the rules of the program's features that select, those that rewrite
//! operations on scalars, operations in one step, operations on numbers of floating point, and operations on vectors of
//! integers and of numbers, which the legalizer takes apart.
//!
//! Invariant: a goal is a function of the program's first bytes and its features. Rules of the legalizer may bring an
//! operation to another form first, so an aim is no promise.

use super::artifacts::{self, ArtifactChain};
use super::atomics::{self, AtomicAim, MASKED};
use super::directed::{constant_class, is_of_addresses, is_of_values, number_in_memory};
use super::intrinsics::Intrinsic;
use super::linkage::{THREAD_LOCAL, THREAD_POINTER};
use super::rewrites::Rewrite;
use super::{Entry, Generator, exclusive, floats, number_vectors, rewrites};
use crate::opcodes;
use arbitrary::Result;
use rustc_hash::FxHashMap;
use std::sync::{LazyLock, Mutex, PoisonError};
use tribunal_ir::types::S1;
use tribunal_ir::{Bits, Family, InstData, Opcode, Operand, Type};
use tribunal_target::addressing::Addressing;
use tribunal_target::selection::{Pat, Pattern, SelectionRule};
use tribunal_target::{Features, Target};

/// One kind of operation that a program shall have.
#[derive(Clone, Copy)]
enum Goal {
    /// This rule selects it.
    Rule(&'static SelectionRule),
    /// A rule of the legalizer rewrites it.
    Rewrite(&'static Rewrite),
    /// It divides by a constant.
    ByConstant(Opcode),
    /// Two artifacts that the legalizer combines, perhaps.
    Chain(ArtifactChain),
    /// An intrinsic that the legalizer writes out.
    Intrinsic(Intrinsic),
    /// It changes, reads or writes a value of this type in memory, in one step.
    Atomic(Opcode, Type),
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

/// The walk comes so often to each goal while it comes once to the goals whose programs are large.
const ROUNDS: u32 = 2;

impl Aim {
    /// The goal at a turn of the campaign; `None` for a machine without rules.
    pub fn at(turn: u32, target: &'static Target, features: Features) -> Option<Aim> {
        goals(target, features).aim(turn)
    }

    /// True for a goal about what lies outside the program.
    pub fn is_linked(&self) -> bool {
        matches!(self.goal, Goal::Rule(rule) if is_linked(&rule.pattern))
    }

    /// True for a goal that sees the environment of floating point.
    pub fn is_strict(&self) -> bool {
        match self.goal {
            Goal::Rule(rule) => rule.pattern.opcode.sees_environment(),
            Goal::Rewrite(rewrite) => rewrite.opcode.sees_environment(),
            Goal::Number(opcode) | Goal::NumberVectors(opcode) => opcode.sees_environment(),
            _ => false,
        }
    }

    /// True for a goal whose program may have operations on numbers of floating point.
    pub fn may_be_of_numbers(&self) -> bool {
        !matches!(self.goal, Goal::ByConstant(_) | Goal::Atomic(..) | Goal::Vectors(_))
    }

    /// True for a goal of vectors.
    pub fn is_of_vectors(&self) -> bool {
        matches!(self.goal, Goal::Vectors(_) | Goal::NumberVectors(_))
    }
}

/// The goals of a machine.
struct Goals {
    plain: Vec<Goal>,
    /// Those among them that the machine lacks without its options. Few programs have such an option, so each round
    /// comes to them once more.
    optional: Vec<Goal>,
    of_tables: &'static TableGoals,
    /// Turns of a walk.
    count: u32,
}

/// The goals of all machines with the same legality tables.
struct TableGoals {
    small: Vec<Goal>,
    /// Those whose programs are large.
    large: Vec<Goal>,
}

/// A goal in the walk, which comes to it the `nth` time of `times`.
#[derive(Clone, Copy)]
struct Turn {
    goal: Goal,
    times: u32,
    nth: u32,
}

impl Goals {
    fn new(plain: Vec<Goal>, optional: Vec<Goal>, of_tables: &'static TableGoals) -> Goals {
        let goals = Goals { plain, optional, of_tables, count: 0 };
        let count = goals.walk().count() as u32;
        Goals { count, ..goals }
    }

    /// The turns of a walk: all goals [`ROUNDS`] times, and after each time a part of the large ones.
    fn walk(&self) -> impl Iterator<Item = Turn> {
        let TableGoals { small, large } = self.of_tables;
        (0..ROUNDS).flat_map(move |nth| {
            let part = large.len().div_ceil(ROUNDS as usize).max(1);
            let large = large.chunks(part).nth(nth as usize).unwrap_or_default();
            let often = self.plain.iter().chain(small).chain(&self.optional);
            let often = often.map(move |&goal| Turn { goal, times: ROUNDS, nth });
            often.chain(large.iter().map(|&goal| Turn { goal, times: 1, nth: 0 }))
        })
    }

    /// The goal at a turn of the walk, which then begins again.
    fn aim(&self, turn: u32) -> Option<Aim> {
        let count = self.count.max(1);
        let Turn { goal, times, nth } = self.walk().nth((turn % count) as usize)?;
        Some(Aim { goal, visit: times * (turn / count) + nth })
    }
}

/// Programs of a campaign in which the walk comes to each goal, [`ROUNDS`] times to those whose programs are small.
pub fn programs_of_a_walk(target: &'static Target, features: Features) -> u64 {
    goals(target, features).count.into()
}

/// What was made for each machine.
type MadeOnce<T> = LazyLock<Mutex<FxHashMap<(&'static str, Features), &'static T>>>;

/// What `make` makes for a machine, made once.
fn made_once<T>(known: &MadeOnce<T>, target: &Target, features: Features, make: impl FnOnce() -> T) -> &'static T {
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    known.entry((target.name, features)).or_insert_with(|| Box::leak(Box::new(make())))
}

fn goals(target: &'static Target, features: Features) -> &'static Goals {
    static KNOWN: MadeOnce<Goals> = LazyLock::new(Mutex::default);
    made_once(&KNOWN, target, features, || found(target, features))
}

/// The goals of the rule set. There are few rule sets, and many machines of each.
fn goals_of_tables(target: &'static Target, features: Features) -> &'static TableGoals {
    static KNOWN: MadeOnce<TableGoals> = LazyLock::new(Mutex::default);
    let beside = target.features_beside_rules();
    made_once(&KNOWN, target, features - beside, || {
        let legalizer = (target.legality)(features);
        let rewrites: &'static [Rewrite] = rewrites::found(target, legalizer).leak();
        let written = |opcode: &&Opcode| opcodes::is_known(**opcode);
        let apart = [Family::Assertion, Family::Vector].into_iter().flat_map(|family| family.opcodes());
        let of_integers = opcodes::ON_VECTORS.iter().chain(apart.filter(written)).copied().map(Goal::Vectors);
        let of_vectors = of_integers.chain(number_vectors::compiled(legalizer).map(Goal::NumberVectors));
        let chains = artifacts::chains().map(Goal::Chain);
        let divisions = [Opcode::G_UDIV, Opcode::G_UREM].map(Goal::ByConstant);
        let intrinsics = Intrinsic::ALL.into_iter().map(Goal::Intrinsic);
        TableGoals {
            small: rewrites.iter().map(Goal::Rewrite).chain(chains).chain(divisions).chain(intrinsics).collect(),
            large: of_vectors.collect(),
        }
    })
}

fn found(target: &'static Target, features: Features) -> Goals {
    let rules = target.selection.iter().filter(|rule| features.contains(rule.requires) && is_reachable(&rule.pattern));
    let optional = rules.clone().filter(|rule| !target.default_features.contains(rule.requires));
    let legalizer = (target.legality)(features);
    let atomics = atomics::compiled(target, legalizer).into_iter().map(|(opcode, ty)| Goal::Atomic(opcode, ty));
    let of_floats = floats::compiled(legalizer).map(Goal::Number);
    let optional = optional.map(Goal::Rule).collect();
    let plain = rules.map(Goal::Rule).chain(atomics).chain(of_floats).collect();
    Goals::new(plain, optional, goals_of_tables(target, features))
}

/// True if the generator can write the pattern.
fn is_reachable(pattern: &Pattern) -> bool {
    match (pattern.opcode.family(), pattern.operands) {
        // After a debugger's trap nothing is compared.
        (Some(Family::Trap), _) => pattern.opcode != Opcode::G_DEBUGTRAP,
        _ if pattern.opcode == Opcode::G_FENCE || is_linked(pattern) => true,
        (Some(Family::FloatEnvironment), _) => true,
        (Some(Family::Atomic), _) => pattern.memory_bits.is_some(),
        (Some(Family::Constant), []) | (Some(Family::Assertion), _) => true,
        // Goals of numbers have it, with any classes.
        _ if pattern.opcode == Opcode::G_IS_FPCLASS => false,
        (_, [Pat::Intrinsic(name), ..]) => name.starts_with(MASKED) || exclusive::is_one(name),
        _ => {
            let is_of_memory = is_of_addresses(pattern) || number_in_memory(pattern).is_some();
            let is_constant = constant_class(pattern).is_some();
            is_of_memory || is_constant || condition(pattern).is_some() || is_of_values(pattern)
        }
    }
}

/// True for the address of something outside the program, or of a part of its code.
fn is_linked(pattern: &Pattern) -> bool {
    match (pattern.opcode, pattern.operands) {
        (Opcode::G_FRAME_INDEX, _) => false,
        (_, [Pat::Intrinsic(name), ..]) => [THREAD_LOCAL, THREAD_POINTER].contains(name),
        (opcode, _) => opcode.family() == Some(Family::Place),
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
            Goal::Rewrite(rewrite) => self.rewritten(rewrite, visit),
            Goal::ByConstant(opcode) => self.by_constant(opcode),
            Goal::Chain(chain) => self.chain(chain),
            Goal::Intrinsic(intrinsic) => self.by_intrinsic(intrinsic),
            Goal::Atomic(opcode, ty) if opcode.family() == Some(Family::Atomic) => {
                self.changed_in_one_step(opcode, AtomicAim::Type(ty))
            }
            Goal::Atomic(opcode, ty) => match self.place_of(ty.bytes())? {
                Some(place) => self.ordered_access(opcode, place, ty.bytes()),
                None => self.access(),
            },
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
            (_, &[Pat::Imm(_, ordering), Pat::Imm(_, scope)]) if pattern.opcode == Opcode::G_FENCE => {
                return self.fence(|number, value| {
                    let class = if number == 0 { ordering } else { scope };
                    (class.accepts)(Bits::from_i64(value, 64))
                });
            }
            (Some(Family::Atomic), _) => return self.changed_in_one_step(pattern.opcode, AtomicAim::Pattern(pattern)),
            (Some(Family::FloatEnvironment), _) => return self.rounding_by(pattern.opcode),
            _ if is_linked(pattern) => return self.linked(pattern, depth),
            (_, [Pat::Intrinsic(name), ..]) if name.starts_with(MASKED) => return self.masked_operation(rule, name),
            (_, [Pat::Intrinsic(_), ..]) => return self.exclusive_loop_or_access(),
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
            _ if pattern.opcode == Opcode::G_IMPLICIT_DEF => Some(self.undefined(pattern.ty, ty)?),
            _ if pattern.opcode.family() == Some(Family::Assertion) => {
                let source = self.value(ty, false)?;
                Some(self.promise_by(pattern.opcode, source)?)
            }
            Some(class) => self.constant_of(rule, class, ty)?,
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

    /// A use of the address of something, as the pattern has it.
    fn linked(&mut self, pattern: &Pattern, depth: u32) -> Result<()> {
        match (pattern.opcode, pattern.operands) {
            (Opcode::G_CONSTANT_POOL, _) => self.pooled(),
            (Opcode::G_JUMP_TABLE, _) => self.table_by(false, depth),
            (Opcode::G_BLOCK_ADDR, _) => self.table_by(true, depth),
            (_, [Pat::Intrinsic(THREAD_POINTER)]) if self.builder.function.ir.is_some() => self.thread_pointer(),
            (_, [Pat::Intrinsic(_) | Pat::Symbol(_, Addressing::LocalExec | Addressing::InitialExec), ..]) => {
                self.global_of_kind(true)
            }
            _ => self.global_of_kind(false),
        }
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
    use rustc_hash::FxHashSet;
    use tribunal_codegen::{Context, Observer, Options, pipeline};
    use tribunal_ir::{Function, Inst};

    /// The opcode that a program shows if it came to its goal.
    fn shown(goal: Goal) -> Opcode {
        match goal {
            Goal::Rule(rule) => condition(&rule.pattern).map_or(rule.pattern.opcode, |condition| condition.opcode),
            Goal::Rewrite(rewrite) => rewrite.opcode,
            Goal::Chain(chain) => chain.outer,
            Goal::Intrinsic(Intrinsic::ShiftInsert(_) | Intrinsic::Frame(_)) => Opcode::G_INTRINSIC,
            Goal::Intrinsic(_) => Opcode::G_INTRINSIC_W_SIDE_EFFECTS,
            Goal::ByConstant(opcode) | Goal::Atomic(opcode, _) => opcode,
            Goal::Number(opcode) | Goal::Vectors(opcode) | Goal::NumberVectors(opcode) => opcode,
        }
    }

    /// Random bytes that say a turn.
    fn bytes_at(turn: u32, seed: u64) -> [u8; 2048] {
        let mut bytes = [0u8; 2048];
        SmallRng::seed_from_u64(seed).fill_bytes(&mut bytes);
        bytes[..4].copy_from_slice(&turn.to_le_bytes());
        bytes
    }

    fn program_at(turn: u32, seed: u64, target: &'static Target, features: Features) -> Function {
        crate::generator::generate(&mut Unstructured::new(&bytes_at(turn, seed)), target, features, "f").unwrap()
    }

    /// The campaign's turns at which the walk comes to a goal, in its first round; and all of a round.
    fn turns_of(goals: &Goals, is_own: impl Fn(Goal) -> bool) -> (Vec<u32>, u32) {
        let own = goals.walk().enumerate().filter(|(_, turn)| is_own(turn.goal));
        (own.map(|(place, _)| place as u32).collect(), goals.count)
    }

    /// The walk comes to each goal, and a program at a goal has its operation.
    #[test]
    fn programs_have_the_operations_that_they_are_aimed_at() {
        for &target in tribunal_target::ALL {
            let features = target.default_features | target.all_options();
            let goals = goals(target, features);
            assert!(!goals.optional.is_empty());
            let (turns, period) = turns_of(goals, |_| true);
            let all: Vec<Turn> = goals.walk().collect();
            let mut missed = Vec::new();
            for turn in turns.into_iter().filter(|&turn| all[turn as usize].nth == 0) {
                let aim = Aim::at(turn, target, features).unwrap();
                assert_eq!(aim.visit, 0);
                assert_ne!(Aim::at(turn + period, target, features).unwrap().visit, 0);
                let has_it = (0..16u64).any(|seed| {
                    let function = program_at(turn + seed as u32 * period, seed, target, features);
                    function.all_insts().any(|inst| function.inst(inst).opcode == shown(aim.goal))
                });
                if !has_it {
                    missed.push(shown(aim.goal));
                }
            }
            assert_eq!(missed, [], "{}", target.name);
        }
    }

    /// Names of the rules that fired.
    #[derive(Default)]
    struct Fired(FxHashSet<&'static str>);

    impl Observer for Fired {
        fn step(&mut self, rule: &'static str, _: &mut Function, _: &[InstData], _: &mut Vec<Inst>) {
            self.0.insert(rule);
        }
    }

    impl Fired {
        /// Adds the rules that fire in the program of a turn.
        fn add(&mut self, turn: u32, seed: u64, target: &'static Target, features: Features) {
            let mut function = program_at(turn, seed, target, features);
            let (options, legalizer) = (Options::new(features), (target.legality)(features));
            let mut context = Context { target, options, legalizer, observer: self };
            pipeline::compile(&mut function, &mut context).unwrap();
        }
    }

    /// True if the rule is no goal, or fires in one of a few programs aimed at it.
    fn fires(target: &'static Target, features: Features, is_own: impl Fn(Goal) -> bool, rule: &'static str) -> bool {
        let (turns, period) = turns_of(goals(target, features), is_own);
        let mut fired = Fired::default();
        turns.is_empty()
            || (0..64u32).any(|seed| {
                let (round, visit) = (seed / turns.len() as u32, seed as usize % turns.len());
                fired.add(round * period + turns[visit], seed.into(), target, features);
                fired.0.contains(rule)
            })
    }

    /// A rule of constants fires in half of its first visits: rules before it take none of those that are drawn for it.
    #[test]
    fn constants_that_are_drawn_for_a_rule_are_its_own() {
        for &target in tribunal_target::ALL {
            let mut tried = 0;
            for features in target.rule_sets() {
                let of_constants = |goal: Goal| match goal {
                    Goal::Rule(rule) => constant_class(&rule.pattern).map(|_| rule.name),
                    _ => None,
                };
                let walked = goals(target, features);
                for name in walked.plain.iter().copied().filter_map(of_constants) {
                    let (turns, period) = turns_of(walked, |goal| of_constants(goal) == Some(name));
                    let fires = |visit: &u32| {
                        let mut fired = Fired::default();
                        let turn = visit / ROUNDS * period + turns[(visit % ROUNDS) as usize];
                        fired.add(turn, u64::from(*visit), target, features);
                        fired.0.contains(name)
                    };
                    let count = (0..8).filter(fires).count();
                    // A zero is often combined with what reads it.
                    let least = if name.ends_with("_zero") { 1 } else { 4 };
                    assert!(count >= least, "{}: {name}: {count} of 8", target.with(features));
                    tried += 1;
                }
            }
            assert!(tried > 0);
        }
    }

    /// A rule that never fires is one that a rule before it takes everything from.
    #[test]
    fn each_rule_that_is_aimed_at_fires() {
        let mut apart = 0;
        for &target in tribunal_target::ALL {
            let all = target.default_features | target.all_options();
            let silent = target.selection.iter().filter(|rule| all.contains(rule.requires)).filter(|rule| {
                // The machine has no option but the rule's own.
                let options = target.options.iter().filter(|option| rule.requires.contains(option.feature));
                let features =
                    options.fold(target.default_features, |all, option| all | option.feature | option.implies);
                let is_own = |goal: Goal| matches!(goal, Goal::Rule(own) if own.name == rule.name);
                !fires(target, features, is_own, rule.name)
            });
            assert_eq!(silent.map(|rule| rule.name).collect::<Vec<_>>(), [""; 0], "{}", target.name);
            apart += target.selection.iter().filter(|rule| !is_reachable(&rule.pattern)).count();
        }
        // Conversions and classes of numbers, divisions, plain accesses, addresses in the frame, and branches: other
        // goals have them, or most programs.
        assert_eq!(apart, 187, "rules that are no goals");
    }

    /// The rules of the legalizer that a rule set has are its goals, and each fires.
    #[test]
    fn each_rule_of_the_legalizer_fires_in_each_rule_set() {
        let mut count = 0;
        for &target in tribunal_target::ALL {
            for features in target.rule_sets() {
                let rules: Vec<&'static str> = goals(target, features).walk().filter_map(rewriting).collect();
                count += rules.len();
                let silent = rules.into_iter().filter(|rule| {
                    let is_own = |goal| matches!(goal, Goal::Rewrite(rewrite) if rewrite.rule == *rule);
                    !fires(target, features, is_own, rule)
                });
                assert_eq!(silent.collect::<Vec<_>>(), [""; 0], "{}", target.with(features));
            }
        }
        assert_eq!(count, 10_515, "goals of all rule sets");
    }

    /// The rule at the first turn that is its own.
    fn rewriting(turn: Turn) -> Option<&'static str> {
        match turn.goal {
            Goal::Rewrite(rewrite) if turn.nth == 0 => Some(rewrite.rule),
            _ => None,
        }
    }

    /// The first visit of a goal of vectors writes a promise, if its opcode knows one.
    #[test]
    fn operations_on_vectors_make_promises() {
        let target = tribunal_target::ALL[0];
        let features = target.default_features;
        let (turns, _) = turns_of(goals(target, features), |goal| matches!(goal, Goal::Vectors(_)));
        let mut promising = 0;
        for turn in turns {
            let opcode = shown(Aim::at(turn, target, features).unwrap().goal);
            if crate::edit::flags_of(opcode).is_empty() || opcode.is_float() {
                continue;
            }
            promising += 1;
            let function = program_at(turn, turn.into(), target, features);
            let promises = |data: &InstData| {
                let result = data.vreg(0).and_then(|register| function.type_of(register));
                data.opcode == opcode && !data.flags.is_empty() && result.is_some_and(|ty| ty.is_vector())
            };
            assert!(function.all_insts().any(|inst| promises(function.inst(inst))), "{opcode}");
        }
        assert!(promising > 3);
    }
}
