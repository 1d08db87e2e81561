//! Chains of two artifacts: extensions, truncations, merges and unmerges, which the legalizer combines in pairs.
//!
//! A chain is written at any widths at which both opcodes are possible, so each combine is met on both sides of its
//! conditions.

use super::rewrites::WIDTHS;
use super::{Entry, Generator};
use crate::opcodes;
use arbitrary::Result;
use tribunal_ir::{Family, Opcode, Type, VReg};

/// Widths of the parts that values are taken apart into.
const PARTS: [u32; 6] = [1, 4, 8, 16, 32, 64];
/// Values that a merge puts together.
const MERGED: [usize; 4] = [2, 3, 4, 8];

/// An artifact, and the opcode that defines its source.
#[derive(Clone, Copy)]
pub(super) struct ArtifactChain {
    pub outer: Opcode,
    inner: Opcode,
}

/// All chains.
pub(super) fn chains() -> impl Iterator<Item = ArtifactChain> {
    let inner = links().chain([Opcode::G_CONSTANT]);
    inner.flat_map(|inner| links().map(move |outer| ArtifactChain { outer, inner }))
}

/// Opcodes of which a chain is made: the artifacts with one source of any width, and merges.
fn links() -> impl Iterator<Item = Opcode> {
    let families = [Family::Extension, Family::Truncation, Family::Composition].into_iter();
    let is_link = |opcode: &Opcode| opcodes::is_known(*opcode) && *opcode != Opcode::G_INSERT;
    families.flat_map(|family| family.opcodes()).copied().filter(is_link)
}

impl Generator<'_, '_, '_> {
    /// The chain; its results join the scope.
    pub(super) fn chain(&mut self, chain: ArtifactChain) -> Result<()> {
        let Some(bits) = self.width(|_| true)? else { return self.expression() };
        let ty = Type::scalar(bits);
        let sources = if chain.inner == Opcode::G_CONSTANT {
            let constant = self.constant_value(ty.bits())?;
            vec![Entry { register: self.builder.constant(ty, constant), ty, deterministic: true }]
        } else {
            let first = self.value(ty, false)?;
            self.artifact(chain.inner, vec![first])?
        };
        let results = self.artifact(chain.outer, sources)?;
        self.scope.extend(results);
        Ok(())
    }

    /// The widest value of a chain, in bits: code for wider ones is long.
    fn widest(&self) -> u32 {
        2 * self.register_type().bits()
    }

    /// A width that fits, half the time that of a part: words are legal, and their neighbours are not.
    fn width(&mut self, fits: impl Fn(u32) -> bool) -> Result<Option<u32>> {
        let widest = self.widest();
        let fitting = |widths: &[u32]| -> Vec<u32> {
            widths.iter().copied().filter(|&width| width <= widest && fits(width)).collect()
        };
        let (parts, all) = (fitting(&PARTS), fitting(&WIDTHS));
        let drawn = if !parts.is_empty() && self.u.arbitrary()? { parts } else { all };
        if drawn.is_empty() { Ok(None) } else { self.u.choose(&drawn).copied().map(Some) }
    }

    /// The artifact on the first source, or the merge of all; the sources where there is no such artifact.
    fn artifact(&mut self, opcode: Opcode, mut sources: Vec<Entry>) -> Result<Vec<Entry>> {
        let Some(&source) = sources.first() else { return Ok(sources) };
        let bits = source.ty.bits();
        let deterministic = source.deterministic && opcode != Opcode::G_ANYEXT;
        let to = match opcode {
            Opcode::G_MERGE_VALUES => {
                let most = (self.widest() / bits) as usize;
                // The widest merge is no register's, and the legalizer takes it apart.
                let drawn =
                    if MERGED.contains(&most) && self.u.arbitrary()? { most } else { *self.u.choose(&MERGED)? };
                let count = if sources.len() > 1 { sources.len() } else { drawn };
                while sources.len() < count.min(most) {
                    sources.push(self.value(source.ty, false)?);
                }
                if sources.len() < 2 {
                    return Ok(sources);
                }
                let registers: Vec<VReg> = sources.iter().map(|source| source.register).collect();
                let ty = Type::scalar(bits * sources.len() as u32);
                let deterministic = sources.iter().all(|source| source.deterministic);
                return Ok(vec![Entry { register: self.builder.op(ty, opcode, &registers), ty, deterministic }]);
            }
            Opcode::G_UNMERGE_VALUES => {
                let divides = |part: &u32| MERGED.contains(&((bits / part) as usize)) && bits.is_multiple_of(*part);
                let parts: Vec<u32> = PARTS.into_iter().filter(divides).collect();
                if parts.is_empty() {
                    return Ok(sources);
                }
                let ty = Type::scalar(*self.u.choose(&parts)?);
                let parts = self.builder.unmerge(ty, source.register).into_iter();
                return Ok(parts.map(|register| Entry { register, ty, deterministic }).collect());
            }
            Opcode::G_EXTRACT if bits > 1 => return Ok(vec![self.taken_out(source)?]),
            Opcode::G_TRUNC | Opcode::G_EXTRACT => self.width(|to| to < bits)?,
            _ => self.width(|to| to > bits)?,
        };
        let Some(to) = to else { return Ok(sources) };
        let ty = Type::scalar(to);
        Ok(vec![Entry { register: self.builder.op(ty, opcode, &[source.register]), ty, deterministic }])
    }
}
