//! The proofs that one prover looked up lately, in front of the shared cache. The cache finds a step by a
//! collision-resistant hash, which is slow. Here the whole shape is compared, so that any hash will do, and no lock is
//! taken.

use super::Engine;
use super::shape::Shape;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// The number of shapes kept, each at the place that its hash gives: a younger shape evicts an older one.
const PLACES: usize = 1 << 14;
/// Longer shapes are rare, and would take much memory.
const LONGEST: usize = 512;

/// A proof that the cache holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Proof {
    pub engine: Engine,
    /// Read from a file.
    pub kept: bool,
}

#[derive(Default)]
pub(super) struct Recent {
    /// Empty until the first is kept.
    places: Vec<Option<(Shape, Proof)>>,
}

fn place(shape: &Shape) -> usize {
    let mut hasher = FxHasher::default();
    shape.hash(&mut hasher);
    (hasher.finish() >> (u64::BITS - PLACES.trailing_zeros())) as usize
}

impl Recent {
    pub fn find(&self, shape: &Shape) -> Option<Proof> {
        match self.places.get(place(shape))? {
            Some((known, proof)) if known == shape => Some(*proof),
            _ => None,
        }
    }

    pub fn keep(&mut self, shape: &Shape, proof: Proof) {
        if shape.len() > LONGEST {
            return;
        }
        if self.places.is_empty() {
            self.places.resize(PLACES, None);
        }
        self.places[place(shape)] = Some((shape.clone(), proof));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_shape_is_found_whatever_its_place() {
        let mut recent = Recent::default();
        let proof = |engine| Proof { engine, kept: false };
        let shapes: Vec<Shape> = (0..4 * PLACES as u64).map(|word| vec![word, 7]).collect();
        shapes.iter().for_each(|shape| recent.keep(shape, proof(Engine::Z3)));
        recent.keep(&vec![5], proof(Engine::BitSums));
        assert_eq!(recent.find(&vec![5]), Some(proof(Engine::BitSums)));
        assert_eq!(recent.find(&vec![5, 0]), None);
        let found = shapes.iter().filter(|shape| recent.find(shape).is_some()).count();
        assert!((PLACES / 2..=PLACES).contains(&found), "{found}");
    }
}
