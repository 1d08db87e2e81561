//! Features of a compilation that edge coverage does not show: a map of counters, one for each feature, that the
//! embedded loop and libFuzzer share.
//!
//! A feature is hashed into its kind's part of the map, so that kinds are counted separately; features that collide
//! count as one. A pair of rules counts only where the second rewrites instructions that the first wrote: other
//! neighbours are chance, and too many.

use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use tribunal_codegen::Observer;
use tribunal_ir::{Function, Inst, InstData, Opcode, Operand, RegOperand, Type};
use tribunal_target::Target;
use tribunal_target::legality::LegalizerInfo;
use tribunal_verifier::Violation;
use tribunal_verifier::machine_verifier::{self, Checks, Rule};

/// Slots of the map.
pub const SLOTS: usize = 1 << 16;

/// The subject of a feature.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FeatureKind {
    /// A rule rewrote an instruction of these types, by class, and of this access to memory.
    Types,
    /// A rule wrote these opcodes, about so many.
    Recipe,
    /// A selection rule wrote an immediate of this class.
    Immediate,
    /// A rule rewrote an instruction that another had written.
    Pair,
    /// The machine verifier made a check of an opcode, on input or after a pass.
    Check,
}

impl FeatureKind {
    /// Every kind, in the order of reports.
    pub const ALL: [FeatureKind; 5] =
        [FeatureKind::Types, FeatureKind::Recipe, FeatureKind::Immediate, FeatureKind::Pair, FeatureKind::Check];

    /// In reports.
    pub fn name(self) -> &'static str {
        match self {
            FeatureKind::Types => "types",
            FeatureKind::Recipe => "recipes",
            FeatureKind::Immediate => "immediates",
            FeatureKind::Pair => "pairs",
            FeatureKind::Check => "checks",
        }
    }

    /// Its part of the map: the first slot, and the number of slots.
    pub const fn slots(self) -> (usize, usize) {
        match self {
            FeatureKind::Types => (0, 24 << 10),
            FeatureKind::Recipe => (24 << 10, 8 << 10),
            FeatureKind::Immediate => (32 << 10, 8 << 10),
            FeatureKind::Pair => (40 << 10, 16 << 10),
            FeatureKind::Check => (56 << 10, 8 << 10),
        }
    }
}

/// A set of features.
#[derive(Clone)]
pub struct FeatureSet {
    words: Box<[u64]>,
}

impl Default for FeatureSet {
    fn default() -> FeatureSet {
        FeatureSet { words: vec![0; SLOTS / 64].into_boxed_slice() }
    }
}

impl FeatureSet {
    /// True if the feature was not in the set.
    pub fn insert(&mut self, slot: u16) -> bool {
        let (word, bit) = (&mut self.words[usize::from(slot) / 64], 1 << (slot % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    fn remove(&mut self, slot: u16) {
        self.words[usize::from(slot) / 64] &= !(1 << (slot % 64));
    }

    /// Adds the features of another set.
    pub fn add(&mut self, other: &FeatureSet) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, more)| *word |= more);
    }

    /// The number of features of a kind.
    pub fn count(&self, kind: FeatureKind) -> usize {
        let (first, slots) = kind.slots();
        self.words[first / 64..(first + slots) / 64].iter().map(|word| word.count_ones() as usize).sum()
    }
}

/// The features of one compilation, recorded step by step.
#[derive(Default)]
pub struct Recorder {
    /// The hash of the target's name: names of combines are those of every target.
    target: u64,
    reached: Vec<u16>,
    /// The same as a set.
    set: FeatureSet,
    /// The hash of the rule that wrote the definition of each virtual register; 0 where none did.
    provenance: Vec<u64>,
    /// Empty between verifications.
    checks: Checks,
}

impl Recorder {
    /// For another compilation.
    pub fn start(&mut self, target: &Target) {
        self.target = hash(target.name);
        self.reached.iter().for_each(|&slot| self.set.remove(slot));
        self.reached.clear();
        self.provenance.clear();
    }

    /// Each feature once.
    pub fn reached(&self) -> &[u16] {
        &self.reached
    }

    /// One application of one rule, as [`tribunal_codegen::Observer::step`] is shown it.
    pub fn step(&mut self, rule: &'static str, function: &Function, before: &[InstData], after: &[Inst]) {
        let Some((root, through)) = before.split_last() else { return };
        let rule = hash((self.target, rule));
        self.reach(FeatureKind::Types, (rule, shape(root, function)));
        // Opcodes as a set, each with the magnitude of its count.
        let mut opcodes = 0u64;
        for &inst in after {
            let data = function.inst(inst);
            opcodes |= 1 << (hash(data.opcode) % 64);
            if matches!(data.opcode, Opcode::Target(_)) {
                self.immediates(rule, data);
            }
        }
        self.reach(FeatureKind::Recipe, (rule, opcodes, after.len().checked_ilog2()));
        let source = defined(root).and_then(|register| self.provenance.get(register)).copied();
        if let Some(source) = source.filter(|&source| source != 0) {
            self.reach(FeatureKind::Pair, (source, rule));
        }
        for &inst in after {
            let Some(register) = defined(function.inst(inst)) else { continue };
            // A definition that was looked through existed before.
            if through.iter().all(|data| defined(data) != Some(register)) {
                if self.provenance.len() <= register {
                    self.provenance.resize(register + 1, 0);
                }
                self.provenance[register] = rule;
            }
        }
    }

    /// The machine verifier's findings after `pass`; the checks that it makes are features.
    pub fn verify(
        &mut self,
        pass: &'static str,
        function: &Function,
        target: &Target,
        legalizer: &LegalizerInfo,
    ) -> Vec<Violation<Rule>> {
        let mut checks = std::mem::take(&mut self.checks);
        let findings = machine_verifier::verify_watched(function, target, legalizer, &mut checks);
        let place = hash((self.target, pass));
        checks.take(|rule, opcode| self.reach(FeatureKind::Check, (place, rule, opcode)));
        self.checks = checks;
        findings
    }

    fn immediates(&mut self, rule: u64, data: &InstData) {
        for (index, operand) in data.operands.iter().enumerate() {
            if let Operand::Imm(value) = *operand {
                self.reach(FeatureKind::Immediate, (rule, data.opcode, index, magnitude(value)));
            }
        }
    }

    fn reach(&mut self, kind: FeatureKind, feature: impl Hash) {
        let (first, slots) = kind.slots();
        let slot = (first + hash(feature) as usize % slots) as u16;
        if self.set.insert(slot) {
            self.reached.push(slot);
        }
    }
}

impl Observer for Recorder {
    fn step(&mut self, rule: &'static str, function: &mut Function, before: &[InstData], after: &mut Vec<Inst>) {
        Recorder::step(self, rule, function, before, after);
    }
}

/// Of a rewritten instruction: its first and its last register's type, and its access to memory.
fn shape(data: &InstData, function: &Function) -> u64 {
    let class = |operand: Option<&RegOperand>| {
        let register = operand.and_then(|operand| operand.reg.as_virtual());
        register.map_or(0, |register| function.type_of(register).map_or(1, type_class))
    };
    let mut registers = data.operands.iter().filter_map(Operand::as_reg);
    let (first, last) = (registers.next(), registers.next_back());
    let memory = data.memory.first().map_or(0, |memory| 1 + memory.ty.map_or(0, type_class));
    class(first) | class(last) << 8 | memory << 16
}

/// Widths that are powers of two are their own classes, and what lies between two of them is one.
fn type_class(ty: Type) -> u64 {
    match ty {
        Type::Pointer { .. } => 2,
        Type::Vector { .. } => 3,
        Type::Scalar { bits } => {
            4 + 2 * u64::from(bits.checked_ilog2().unwrap_or(0)) + u64::from(!bits.is_power_of_two())
        }
    }
}

/// Sign, size by the fields that instructions have, and whether the value stands at a bound of its size.
fn magnitude(value: i64) -> u64 {
    let size = value.unsigned_abs();
    let bits = match 64 - size.leading_zeros() {
        bits @ (0 | 1 | 5 | 6 | 11 | 12 | 13) => bits,
        2..=4 => 2,
        7..=10 => 7,
        14..=16 => 14,
        17..=32 => 17,
        _ => 33,
    };
    let bound = match (size.is_power_of_two(), size.wrapping_add(1).is_power_of_two()) {
        (true, _) => 1,
        (_, true) => 2,
        _ => 0,
    };
    u64::from(bits) << 3 | bound << 1 | u64::from(value < 0)
}

/// The virtual register that the instruction defines first.
fn defined(data: &InstData) -> Option<usize> {
    let register = data.defs().next()?.reg.as_virtual()?;
    Some(register.as_u32() as usize)
}

/// The same in every process: libFuzzer merges what several reached. Its low bits are well mixed.
fn hash(feature: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    feature.hash(&mut hasher);
    hasher.finish()
}
