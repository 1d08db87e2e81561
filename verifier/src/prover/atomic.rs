//! Atomic loads and stores of whole functions, and fences. Each is an effect of its own: another thread may see it, and
//! what a load gives nobody knows. Any instruction may make it that accesses the same bytes and orders no less: a
//! `G_STORE` of a wide register, or a row of the machine. A fence changes nothing of its own thread.
//!
//! The ordering of a machine's access is its row's, whatever its memory operand says.

use super::identity::Identity;
use super::memory::misaligned;
use super::opaque::Touches;
use super::ordering::Ordered;
use super::side::{Scalar, Side, SideEvaluation, SideState};
use tribunal_ir::semantics::{self, Domain, Unsupported, Value, walk};
use tribunal_ir::{AtomicOrdering, Family, InstData, MemFlags, Opcode, OpcodeFlags, Operand};
use tribunal_target::instructions::Extension;

/// One atomic load or store.
struct PlainAtomic {
    is_store: bool,
    bits: u32,
    ordering: AtomicOrdering,
    address: Scalar,
    /// The bits of a loaded value that the register has above it; `None` for any.
    above: Option<Extension>,
}

impl SideEvaluation<'_> {
    /// Evaluates an atomic load or store that does nothing besides; false for any other instruction.
    pub(super) fn atomic_access(&mut self, side: &mut Side, data: &InstData) -> Result<bool, Unsupported> {
        let Some(access) = self.as_plain_atomic(side, data)? else { return Ok(false) };
        let malformed = || Unsupported::malformed(data.opcode);
        let operand = data.operands.first().and_then(Operand::as_reg).ok_or_else(malformed)?;
        let PlainAtomic { is_store, bits, ordering, address, above } = access;
        let misaligned = misaligned(self.d, address.bits, data.memory[0].align);
        side.ub = self.d.bool_or(&side.ub, &misaligned);
        let (name, scope) = (if is_store { "store" } else { "load" }, data.memory[0].scope);
        let volatile = if data.memory[0].flags.contains(MemFlags::VOLATILE) { "volatile " } else { "" };
        let what = format!("atomic {volatile}{name} of {bits} bits, {scope:?}");
        let identity = self.atomic_identity(Identity::named(what), data, ordering);
        self.note_claim(side, data, address.bits);
        if is_store {
            let value = walk::read(&mut SideState { evaluation: self, side }, operand)?;
            let low = value.part(self.d, 0, bits);
            self.effect(side, identity, vec![address, low], &[], Touches::Memory)?;
            return Ok(true);
        }
        let width = self.operand_width(operand);
        let loaded = self.effect(side, identity, vec![address], &[bits], Touches::Memory)?;
        let loaded = loaded.into_iter().next().ok_or_else(malformed)?;
        let bits = match above {
            _ if width == bits => loaded.bits,
            Some(Extension::Sign) => self.d.sext(&loaded.bits, width),
            Some(Extension::Zero) => self.d.zext(&loaded.bits, width),
            None => {
                let above = self.chosen_by(side, data.opcode, |d| d.choose(width - bits));
                self.d.concat(&above, &loaded.bits)
            }
        };
        let value = Value::new(bits, loaded.poison);
        walk::write_result(&mut SideState { evaluation: self, side }, operand, value)?;
        Ok(true)
    }

    /// Evaluates a fence; false for any other instruction.
    pub(super) fn fence(&mut self, side: &mut Side, data: &InstData) -> Result<bool, Unsupported> {
        let is_bare = data.memory.is_empty() && data.operands.iter().all(|operand| operand.as_imm().is_some());
        let is_candidate = match data.opcode {
            Opcode::Target(opcode) => self.target.instruction(opcode).flags == OpcodeFlags::SIDE_EFFECTS,
            opcode => opcode == Opcode::G_FENCE,
        };
        if !is_bare || !is_candidate {
            return Ok(false);
        }
        let executed = match data.opcode {
            Opcode::G_FENCE => semantics::evaluate(self.d, &mut side.memory, self.function, data, &[]).map(drop),
            _ => tribunal_target::execute(self.target, &mut SideState { evaluation: self, side }, data).map(drop),
        };
        // A step keeps its fences in this list. In a whole function they are effects.
        let (Ok(()), Some(Ordered::Fence(pairs))) = (executed, side.memory.ordered.pop()) else { return Ok(false) };
        self.effect(side, Identity::fence(pairs), Vec::new(), &[], Touches::Memory)?;
        Ok(true)
    }

    /// The instruction as an atomic load or store; `None` for any other.
    fn as_plain_atomic(&mut self, side: &mut Side, data: &InstData) -> Result<Option<PlainAtomic>, Unsupported> {
        let [memory] = data.memory.as_slice() else { return Ok(None) };
        let bits = memory.ty.filter(|ty| !ty.is_vector()).map_or(0, |ty| ty.bits());
        if !memory.is_atomic() || bits == 0 || !bits.is_multiple_of(8) || self.function.has_vector(data) {
            return Ok(None);
        }
        let directions = OpcodeFlags::LOAD | OpcodeFlags::STORE | OpcodeFlags::SIDE_EFFECTS;
        match data.opcode {
            opcode if matches!(opcode.family(), Some(Family::Load | Family::Store)) => {
                let Some(place) = data.operands.get(1).and_then(Operand::as_reg) else { return Ok(None) };
                let address = walk::read(&mut SideState { evaluation: self, side }, place)?;
                let above = match data.opcode {
                    Opcode::G_ZEXTLOAD => Some(Extension::Zero),
                    Opcode::G_SEXTLOAD => Some(Extension::Sign),
                    _ => None,
                };
                let is_store = data.opcode == Opcode::G_STORE;
                Ok(Some(PlainAtomic { is_store, bits, ordering: memory.ordering, address, above }))
            }
            Opcode::Target(opcode) => {
                let row = self.target.instruction(opcode);
                let own = row.flags & directions;
                let is_plain = own == OpcodeFlags::LOAD || own == OpcodeFlags::STORE;
                // The machine's accesses are atomic where they are aligned.
                let is_aligned = memory.align >= bits / 8;
                let Some(access) = row.access.filter(|access| is_plain && is_aligned && access.bits() == bits) else {
                    return Ok(None);
                };
                let address = match data.operands.get(1) {
                    // The address alone, behind the value.
                    Some(Operand::Reg(place)) if row.base().is_none() => {
                        let address = walk::read(&mut SideState { evaluation: self, side }, place)?;
                        Some((address, self.d.truth(false)))
                    }
                    _ => self.row_address(side, data)?,
                };
                let Some((address, misplaced)) = address else { return Ok(None) };
                side.ub = self.d.bool_or(&side.ub, &misplaced);
                let (ordering, above) = (access.ordering, Some(access.extension));
                Ok(Some(PlainAtomic { is_store: own == OpcodeFlags::STORE, bits, ordering, address, above }))
            }
            _ => Ok(None),
        }
    }
}
