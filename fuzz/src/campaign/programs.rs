//! The programs of a campaign: each is a pure function of its seed, its target and its features.

use super::{Campaign, DrawnFeatures, FeatureMix};
use crate::generator;
use arbitrary::Unstructured;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use tribunal_codegen::Options;
use tribunal_ir::Function;
use tribunal_target::{Features, Target};

/// Bytes that one program is made of.
const PROGRAM_BYTES: usize = 2048;

/// The function of one program number, for the target's usual features; `None` if the bytes did not make one (which is
/// a fault of the generator).
pub fn generated(seed: u64, target: &'static Target) -> Option<Function> {
    generated_for(seed, target, target.default_features)
}

/// The same for other features.
pub fn generated_for(seed: u64, target: &'static Target, features: Features) -> Option<Function> {
    generated_at(seed, turn(seed), target, features)
}

/// The same at a turn of the walk through the generator's goals.
pub(super) fn generated_at(seed: u64, turn: u32, target: &'static Target, features: Features) -> Option<Function> {
    let mut bytes = program_bytes::<PROGRAM_BYTES>(seed);
    bytes[..TURN_BYTES].copy_from_slice(&turn.to_le_bytes());
    generator::generate(&mut Unstructured::new(&bytes), target, features, "f").ok()
}

/// A function that is aimed at no rule of ours, and has more statements: for another compiler, and to be changed.
pub fn generated_unaimed(seed: u64, target: &'static Target, features: Features) -> Option<Function> {
    let bytes = program_bytes::<PROGRAM_BYTES>(seed);
    generator::generate_unaimed(&mut Unstructured::new(&bytes[TURN_BYTES..]), target, features).ok()
}

/// The machine code of one program number.
pub fn generated_machine_code(seed: u64, target: &'static Target, features: Features) -> Option<Function> {
    let bytes = program_bytes::<PROGRAM_BYTES>(seed);
    let mut u = Unstructured::new(&bytes[TURN_BYTES..]);
    // Machine code comes up once in so many turns.
    generator::generate_machine(&mut u, turn(seed) / MACHINE_CODE as u32, target, features).ok()
}

/// The bytes of a program. The first say its turn in the walk through the generator's goals: the programs of one target
/// come to them in their order.
fn program_bytes<const BYTES: usize>(seed: u64) -> [u8; BYTES] {
    let mut bytes = [0u8; BYTES];
    SmallRng::seed_from_u64(seed).fill_bytes(&mut bytes);
    bytes[..TURN_BYTES].copy_from_slice(&turn(seed).to_le_bytes());
    bytes
}

/// The turn of a program in a walk: those of one target come to it one after the other.
fn turn(seed: u64) -> u32 {
    (seed / tribunal_target::ALL.len() as u64) as u32
}

/// Bytes of a turn.
const TURN_BYTES: usize = size_of::<u32>();

/// One program in this many is a module of several functions.
const MODULES: u64 = 72;

/// True for the seed of a program of several functions.
pub fn is_module(seed: u64) -> bool {
    SmallRng::seed_from_u64(!seed).next_u64() % MODULES == 0
}

/// One program in this many is a list of operations at any types.
const OF_ANY_TYPES: u64 = 256;
/// Functions of such a program: each may become thousands of instructions.
const FUNCTIONS_OF_ANY_TYPES: usize = 4;

/// True for the seed of a program of operations at any types.
pub fn is_of_any_types(seed: u64) -> bool {
    let drawn = SmallRng::seed_from_u64(!seed).next_u64();
    !is_module(seed) && (drawn / MODULES).is_multiple_of(OF_ANY_TYPES)
}

/// One program in this many is machine code.
const MACHINE_CODE: u64 = 16;

/// True for the seed of a program of instructions that are selected already.
pub fn is_machine_code(seed: u64) -> bool {
    let drawn = SmallRng::seed_from_u64(!seed).next_u64();
    !is_module(seed) && !is_of_any_types(seed) && (drawn / (MODULES * OF_ANY_TYPES)).is_multiple_of(MACHINE_CODE)
}

/// The functions of a program of operations at any types, each of one operation.
pub fn generated_of_any_types(seed: u64, target: &'static Target) -> Vec<Function> {
    let bytes = program_bytes::<PROGRAM_BYTES>(seed);
    let mut u = Unstructured::new(&bytes[TURN_BYTES..]);
    let drawn = (0..FUNCTIONS_OF_ANY_TYPES).filter_map(|_| generator::generate_of_any_types(&mut u, target).ok());
    drawn.flatten().collect()
}

/// The functions of a program of several; `None` if the bytes did not make them (which is a fault of the generator).
pub fn generated_module(seed: u64, target: &'static Target, features: Features) -> Option<Vec<Function>> {
    let bytes = program_bytes::<{ 2 * PROGRAM_BYTES }>(seed);
    generator::generate_module(&mut Unstructured::new(&bytes), target, features).ok()
}

/// The seed of program `number`.
pub fn program_seed(seed: u64, number: u64) -> u64 {
    seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(number)
}

impl Campaign {
    /// The functions of a program that a campaign without a corpus generates for this seed, with the options of their
    /// compilation; `None` if its bytes make none.
    pub fn generated_program(
        &self,
        target: &'static Target,
        given: Features,
        seed: u64,
    ) -> Option<(Options, Vec<Function>)> {
        let DrawnFeatures { features, turn } = self.features_of(target, given, seed);
        let functions = match seed {
            seed if is_module(seed) => generated_module(seed, target, features)?,
            seed if is_of_any_types(seed) => generated_of_any_types(seed, target),
            seed if is_machine_code(seed) => vec![generated_machine_code(seed, target, features)?],
            seed => vec![generated_at(seed, turn, target, features)?],
        };
        Some((self.options(features, seed), functions))
    }

    /// The features of a generated program. No rule chooses the instructions of machine code, so none of it needs that
    /// an option is off.
    pub(super) fn features_of(&self, target: &'static Target, given: Features, seed: u64) -> DrawnFeatures {
        // The programs of one target are so many seeds apart.
        let place = seed / self.targets.len().max(1) as u64;
        let drawn = self.mix.draw(target, given, seed, place);
        match self.mix == FeatureMix::Drawn && is_machine_code(seed) {
            true => DrawnFeatures { features: given | target.all_options(), ..drawn },
            false => drawn,
        }
    }
}
