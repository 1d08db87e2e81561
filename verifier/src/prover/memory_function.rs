//! Memory functions of few bytes, as the loads and stores of bytes that they are: another way to see `memcpy` and its
//! like than as an effect, for a later stage that writes the accesses out.
//!
//! In a step, one of a length that the step names is always seen so. One of an unknown length is an effect there too:
//! the later side calls the C function.

use super::identity::Identity;
use super::memory::{Volatile, moved};
use super::opaque::Effect;
use super::side::{Scalar, Side, SideEvaluation, SideState};
use super::term::{RangePair, Symbolic, Term};
use tribunal_ir::bits::Bits;
use tribunal_ir::semantics::{Domain, Memory, Unsupported};
use tribunal_ir::{InstData, MemFlags, MemOperand, Operand, Type};
use tribunal_target::environment::MemoryFunction;

/// The longest range, in bytes: this legalizer's longest expansion, and twice that of LLVM's for AArch64.
const MOST_BYTES: u32 = 1024;

impl SideEvaluation<'_> {
    /// A memory function whose length a step does not name: both sides are to do the same, in the same order.
    pub(super) fn effect_of_step(&mut self, side: &mut Side, identity: Identity, args: Vec<Scalar>) {
        let memory = Some((side.memory.bytes, side.memory.poison));
        let place = side.effects.len() as u32 + 1;
        side.effects.push(Effect { identity, args, results: Vec::new(), ub: side.ub, memory, place });
        side.memory = side.memory.at(self.d, place);
    }
}

/// Whether the effects of a step's sides are the same, in the same order, but for their operands.
pub(super) fn same_effects(source: &Side, result: &Side) -> bool {
    let mut pairs = source.effects.iter().zip(&result.effects);
    source.effects.len() == result.effects.len() && pairs.all(|(one, other)| one.identity.allows(&other.identity))
}

/// Volatile accesses byte by byte, all loads first: a volatile memory function is to touch each byte once, in order.
pub(super) fn byte_by_byte(d: &mut Symbolic, accesses: &[Volatile]) -> Vec<Volatile> {
    let mut all = Vec::new();
    for Volatile { bytes, address, stored, .. } in accesses {
        for index in 0..*bytes {
            let stored = stored.as_ref().map(|value| Scalar::new(d.extract(&value.bits, 8 * index, 8), value.poison));
            let address = moved(d, *address, index);
            all.push(Volatile { bytes: 1, address, align: 1, stored, loaded: Vec::new() });
        }
    }
    all.sort_by_key(|access| access.stored.is_some());
    all
}

impl SideState<'_, '_> {
    /// A memory function of few bytes as the loads and stores of bytes that it is: all loads come first.
    pub(super) fn expanded(
        &mut self,
        function: MemoryFunction,
        [dst, second]: [Scalar; 2],
        bytes: Bits,
        data: &InstData,
    ) -> Result<Term, Unsupported> {
        let of_step = self.evaluation.opaque.is_none();
        let bytes = bytes.to_i64().and_then(|bytes| u32::try_from(bytes).ok()).filter(|&bytes| bytes <= MOST_BYTES);
        let bytes = bytes.ok_or_else(|| Unsupported::different("a memory function of many bytes"))?;
        let is_volatile = |memory: &MemOperand| memory.flags.contains(MemFlags::VOLATILE);
        let may_tail =
            data.opcode.is_generic() && data.operands.iter().filter_map(Operand::as_imm).any(|flag| flag != 0);
        // The flag allows a tail call: accesses ask for less, and a later stage may not allow more.
        let may_tail = may_tail && self.evaluation.is_later();
        if !of_step && (data.memory.iter().any(is_volatile) || may_tail) {
            return Err(Unsupported::different("a memory function that is volatile or may be a tail call"));
        }
        let kept = MemFlags::VOLATILE | MemFlags::DEREFERENCEABLE | MemFlags::INVARIANT;
        let mut flags = data.memory.iter().map(|memory| memory.flags & kept);
        let (stores, loads) = (flags.next().unwrap_or_default(), flags.next().unwrap_or_default());
        let (d, memory) = (&mut *self.evaluation.d, &mut self.side.memory);
        let mut ub = if bytes > 0 { dst.poison } else { d.truth(false) };
        let mut claims = data.memory.iter().map(|memory| memory.align);
        let (stored, loaded) = (claims.next().unwrap_or(1), claims.next().unwrap_or(1));
        let mut values: Vec<Scalar> = (0..bytes).map(|_| second.clone()).collect();
        let reads = (function != MemoryFunction::Set).then_some(second.bits);
        for start in reads.into_iter().chain([dst.bits]) {
            let outside = memory.leaves_one_object(d, &start, bytes);
            ub = d.bool_or(&ub, &outside);
        }
        // The ranges are of one object each, and so are their bytes.
        let follows_objects = std::mem::take(&mut memory.follows_objects);
        if function != MemoryFunction::Set {
            let overlaps = if function == MemoryFunction::Copy {
                overlap(d, dst.bits, second.bits, bytes)
            } else {
                d.truth(false)
            };
            ub = d.bool_or(&ub, &overlaps);
            for (index, value) in (0..bytes).zip(&mut values) {
                let place = moved(d, second.bits, index);
                let outside;
                (*value, outside) = memory.load(d, &place, 1, &byte(MemFlags::LOAD | loads, loaded, index));
                ub = d.bool_or(&ub, &outside);
                ub = d.bool_or(&ub, &second.poison);
                if of_step {
                    // A load of several bytes is poison if one is: the copy of such a range is left to execution.
                    ub = d.bool_or(&ub, &value.poison);
                }
            }
        }
        for (index, value) in (0..bytes).zip(&values) {
            let place = moved(d, dst.bits, index);
            let outside = memory.store(d, &place, value, &byte(MemFlags::STORE | stores, stored, index));
            ub = d.bool_or(&ub, &outside);
        }
        memory.follows_objects = follows_objects;
        Ok(ub)
    }
}

/// The memory operand of one byte of a range whose first byte has the range's alignment.
fn byte(flags: MemFlags, align: u32, index: u32) -> MemOperand {
    MemOperand::new(flags, Type::scalar(8), if index == 0 { align } else { 1 })
}

/// True where two ranges of so many bytes overlap and are not the same.
fn overlap(d: &mut Symbolic, one: Term, other: Term, bytes: u32) -> Term {
    let (ahead, behind) = (d.sub(&one, &other), d.sub(&other, &one));
    let length = d.literal(bytes.into(), d.width(&one));
    let (near, nearer) = (d.ult(&ahead, &length), d.ult(&behind, &length));
    let overlap = d.bool_or(&near, &nearer);
    let differ = d.ne(&one, &other);
    let condition = d.bool_and(&overlap, &differ);
    d.note_overlap(condition, RangePair { one, other, bytes });
    condition
}
