//! Volatile accesses. Of a step both sides make the same ones, but for those that no instruction makes whole. Of a
//! whole function they are effects, byte by byte, whose bytes nobody knows. The later function may split an access in
//! order; it may not join two.

use super::counterexample::ValueName;
use super::identity::Identity;
use super::memory::Volatile;
use super::memory::moved;
use super::memory_function;
use super::opaque::{MOST_BYTES, Touches};
use super::query::StepOutput;
use super::side::{Scalar, Side, SideEvaluation};
use super::term::Symbolic;
use tribunal_ir::semantics::{Domain, Unsupported, Value};
use tribunal_ir::{Family, InstData, MemFlags, MemOperand, OpcodeFlags, Step};
use tribunal_target::Target;
use tribunal_target::environment::{Callee, MemoryFunction};

/// The same volatile accesses, in the same order. One that was only looked through stands where it stood.
pub(super) fn outputs(
    d: &mut Symbolic,
    (target, step): (&Target, &Step<'_>),
    source: &Side,
    result: &Side,
    outputs: &mut Vec<StepOutput>,
) {
    let is_volatile = |data: &InstData| data.memory.iter().any(|memory| memory.flags.contains(MemFlags::VOLATILE));
    let (meant, came) = (&source.memory.volatile, &result.memory.volatile);
    if came.is_empty() && !step.before.last().is_some_and(is_volatile) {
        return;
    }
    let of_range = step.before.last().is_some_and(|data| MemoryFunction::of_opcode(data.opcode).is_some());
    // A call stands for a volatile function too: its effect is compared.
    if of_range && !result.effects.is_empty() {
        return;
    }
    // So it does for a volatile operation on memory: what it reads and writes is compared as atomic accesses are.
    let of_atomic = step.before.iter().filter(|data| is_volatile(data)).all(is_atomic_operation);
    if of_atomic && came.is_empty() && step.after.iter().any(|data| calls_atomic_function(step, data)) {
        return;
    }
    let (bytes, parts);
    let [meant, came] = if of_range {
        bytes = [meant, came].map(|accesses| memory_function::byte_by_byte(d, accesses));
        [&bytes[0], &bytes[1]]
    } else {
        parts = divided(d, target, meant, came);
        [&parts, came]
    };
    let (no, yes) = (d.truth(false), d.truth(true));
    let known = |bits| Scalar::new(bits, no);
    let mut must_agree = |before, after| {
        outputs.push(StepOutput {
            name: ValueName::Other("volatile access"),
            source: before,
            target: after,
            ub: source.ub,
        });
    };
    let kind = |access: &Volatile| (access.bytes, access.stored.is_some());
    if !meant.iter().map(kind).eq(came.iter().map(kind)) {
        must_agree(known(no), known(yes));
        return;
    }
    for (one, other) in meant.iter().zip(came) {
        must_agree(known(one.address), known(other.address));
        if let (Some(one), Some(other)) = (&one.stored, &other.stored) {
            must_agree(one.clone(), other.clone());
        }
    }
}

fn is_atomic_operation(data: &InstData) -> bool {
    data.opcode.family() == Some(Family::Atomic) || data.memory.iter().any(MemOperand::is_atomic)
}

fn calls_atomic_function(step: &Step<'_>, data: &InstData) -> bool {
    matches!(Callee::of(step.function, data), Callee::Atomic(_))
}

/// The accesses of a step as the machine can make them. One that no instruction makes whole is cut where the later side
/// cuts it, in ascending order.
fn divided(d: &mut Symbolic, target: &Target, meant: &[Volatile], came: &[Volatile]) -> Vec<Volatile> {
    let mut cuts = came.iter().map(|access| access.bytes);
    let mut all = Vec::new();
    for Volatile { bytes, address, align, stored, .. } in meant {
        let direction = if stored.is_some() { OpcodeFlags::STORE } else { OpcodeFlags::LOAD };
        let is_whole = target.accesses_whole(direction, *bytes, *align);
        let mut offset = 0;
        while offset < *bytes {
            let rest = bytes - offset;
            let part = cuts.next().filter(|&cut| !is_whole && cut <= rest).unwrap_or(rest);
            let stored = stored.as_ref().map(|value| bytes_of(d, value, offset, part));
            let address = moved(d, *address, offset);
            all.push(Volatile { bytes: part, address, align: *align, stored, loaded: Vec::new() });
            offset += part;
        }
    }
    all
}

/// So many bytes of a stored value.
fn bytes_of(d: &mut Symbolic, value: &Scalar, offset: u32, bytes: u32) -> Scalar {
    let (first, width) = (8 * offset, 8 * bytes);
    Scalar::new(d.extract(&value.bits, first, width), value.part_is_poison(d, first, width))
}

impl SideEvaluation<'_> {
    /// The results of the later side's volatile accesses of one instruction, byte by byte: those of the earlier side.
    pub(super) fn offer_volatile(&self, side: &mut Side) {
        let earlier = self.opaque.as_ref().and_then(|opaque| opaque.earlier.as_ref());
        let following = earlier.and_then(|earlier| earlier.effects.get(side.effects.len()..)).unwrap_or_default();
        let loaded = following.iter().flat_map(|effect| &effect.results).cloned();
        side.memory.offered = loaded.take(MOST_BYTES as usize).collect();
    }

    /// Makes effects of the volatile accesses of the last instruction, byte by byte: splitting one in order changes
    /// nothing.
    pub(super) fn volatile_effects(&mut self, side: &mut Side) -> Result<(), Unsupported> {
        for Volatile { bytes, address, stored, loaded, .. } in std::mem::take(&mut side.memory.volatile) {
            for index in 0..bytes {
                let mut args = vec![Value::new(moved(self.d, address, index), self.d.truth(false))];
                let name = if stored.is_some() { "volatile store" } else { "volatile load" };
                let identity = Identity::named(name).beginning(index == 0);
                if let Some(value) = &stored {
                    args.push(bytes_of(self.d, value, index, 1));
                }
                let results = loaded.get(index as usize).cloned().into_iter().collect();
                self.known_effect(side, identity, args, results)?;
            }
        }
        Ok(())
    }

    /// An effect whose results the side has taken already: as it chose them, or as the earlier side has them.
    fn known_effect(
        &mut self,
        side: &mut Side,
        identity: Identity,
        args: Vec<Scalar>,
        results: Vec<Scalar>,
    ) -> Result<(), Unsupported> {
        let widths: Vec<u32> = results.iter().map(|result| self.d.width_of(result.bits)).collect();
        let is_later = self.is_later();
        let same = |one: &Scalar, other: &Scalar| one.bits == other.bits && one.poison == other.poison;
        let own = self.effect(side, identity, args, &widths, Touches::Nothing)?;
        if !is_later {
            if let Some(effect) = side.effects.last_mut() {
                effect.results = results;
            }
        } else if !own.iter().zip(&results).all(|(one, other)| same(one, other)) {
            return Err(Unsupported::different("a volatile access that is not the earlier one's"));
        }
        Ok(())
    }
}
