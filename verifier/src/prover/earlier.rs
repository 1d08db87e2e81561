//! The earlier side, as the later one is compared with it while it is evaluated.

use super::numbers::OpenNumber;
use super::opaque::{Applied, Effect};
use super::side::Side;
use super::term::Term;
use tribunal_ir::Opcode;

/// The effects of the earlier side in one block or trace, its pure operations, and its choices.
pub(super) struct Earlier {
    pub effects: Vec<Effect>,
    pub pure: Vec<Applied>,
    /// Choices that the later side makes alike, by opcode.
    pub choices: Vec<(Opcode, Term)>,
    /// Operations that choose their NaNs.
    pub numbers: Vec<OpenNumber>,
    /// Undefined behaviour of that side at the end of the block.
    pub ub: Term,
}

impl Earlier {
    /// A side of which nothing is known but its undefined behaviour.
    pub fn nothing(ub: Term) -> Earlier {
        Earlier { effects: Vec::new(), pure: Vec::new(), choices: Vec::new(), numbers: Vec::new(), ub }
    }

    /// What a side did. Its choices are its own.
    pub fn of(side: &Side) -> Earlier {
        let Side { effects, pure, open, ub, .. } = side;
        Earlier { effects: effects.clone(), pure: pure.clone(), numbers: open.clone(), ..Earlier::nothing(*ub) }
    }

    /// Undefined behaviour of the earlier side before anything shows that follows its first `effects` effects.
    pub fn ub_after(&self, effects: usize) -> Term {
        self.effects.get(effects).map_or(self.ub, |effect| effect.ub)
    }
}
