//! Symbolic memory: bytes and their poison flags by address, from unknown initial contents.

use super::term::{MemTerm, Symbolic, Term};
use rustc_hash::FxHashMap;
use tribunal_ir::bits::Bits;
use tribunal_ir::semantics::{Domain, Memory, Value};
use tribunal_ir::{MemFlags, MemOperand, StackSlot};

/// Numbers of the initial memories: contents, poison flags, and which addresses may be touched.
pub(super) const BYTES: u32 = 0;
pub(super) const POISON: u32 = 1;
pub(super) const VALID: u32 = 2;
/// The distance between the numbers of different places.
const KINDS: u32 = 3;

/// A volatile access.
pub(super) struct Volatile {
    pub bytes: u32,
    pub address: Term,
    /// `None` for a load.
    pub stored: Option<Value<Symbolic>>,
}

/// The effect of one side of a step on memory. Both sides start from the same contents.
pub(super) struct SymbolicMemory {
    pub bytes: MemTerm,
    pub poison: MemTerm,
    valid: MemTerm,
    slots: FxHashMap<StackSlot, Term>,
    pub stored: bool,
    /// Volatile accesses, in order.
    pub volatile: Vec<Volatile>,
    /// Constants in memory, by their address. Nothing writes to them.
    pub constants: Vec<(Term, Bits)>,
    /// Machine code knows no poison: its loads give bits.
    machine: bool,
}

impl SymbolicMemory {
    /// Memory with unknown contents at the `place`th such place. The set of valid addresses is the same everywhere.
    pub fn new(d: &mut Symbolic, place: u32, slots: FxHashMap<StackSlot, Term>, machine: bool) -> SymbolicMemory {
        SymbolicMemory {
            bytes: d.initial_memory(BYTES + KINDS * place, 8),
            poison: d.initial_memory(POISON + KINDS * place, 1),
            valid: d.initial_memory(VALID, 1),
            slots,
            stored: false,
            volatile: Vec::new(),
            constants: Vec::new(),
            machine,
        }
    }

    pub fn slots(&self) -> FxHashMap<StackSlot, Term> {
        self.slots.clone()
    }

    fn note(&mut self, operand: &MemOperand, bytes: u32, address: Term, stored: Option<&Value<Symbolic>>) {
        if operand.flags.contains(MemFlags::VOLATILE) {
            self.volatile.push(Volatile { bytes, address, stored: stored.cloned() });
        }
    }

    fn unit(d: &mut Symbolic, address: Term, index: u32) -> Term {
        let width = d.width_of(address);
        let offset = d.value(Bits::new(index.into(), width));
        d.add(&address, &offset)
    }

    /// True where the access touches an invalid address, or is less aligned than it claims.
    fn undefined(&self, d: &mut Symbolic, address: Term, bytes: u32, operand: &MemOperand) -> Term {
        let mut ub = d.truth(false);
        for index in 0..bytes {
            let place = Self::unit(d, address, index);
            let valid = d.select(self.valid, place);
            let invalid = d.complement(valid);
            ub = d.bool_or(&ub, &invalid);
        }
        if operand.align > 1 {
            // Bit by bit, so that an alignment claimed above shows in each claim that follows from it.
            let bits = operand.align.trailing_zeros();
            let low = d.extract(&address, 0, bits);
            for index in 0..bits {
                let set = d.extract(&low, index, 1);
                ub = d.bool_or(&ub, &set);
            }
        }
        ub
    }
}

impl Memory<Symbolic> for SymbolicMemory {
    fn load(&mut self, d: &mut Symbolic, address: &Term, bytes: u32, operand: &MemOperand) -> (Value<Symbolic>, Term) {
        let constant = self.constants.iter().find_map(|&(base, contents)| {
            let offset = d.distance(base, *address)?.to_i64().and_then(|offset| u32::try_from(offset).ok())?;
            let end = offset.checked_add(bytes)?.checked_mul(8)?;
            (end <= contents.width()).then(|| contents.extract(8 * offset, 8 * bytes))
        });
        if let Some(bits) = constant {
            let poison = d.truth(false);
            return (Value { bits: d.value(bits), poison }, poison);
        }
        self.note(operand, bytes, *address, None);
        let ub = self.undefined(d, *address, bytes, operand);
        let mut value: Option<Term> = None;
        let mut poison = d.truth(false);
        for index in 0..bytes {
            let place = Self::unit(d, *address, index);
            let byte = d.select(self.bytes, place);
            value = Some(value.map_or(byte, |low| d.concatenate(byte, low)));
            if !self.machine {
                let flag = d.select(self.poison, place);
                poison = d.bool_or(&poison, &flag);
            }
        }
        let bits = value.unwrap_or_else(|| d.truth(false));
        (Value { bits, poison }, ub)
    }

    fn store(&mut self, d: &mut Symbolic, address: &Term, value: &Value<Symbolic>, operand: &MemOperand) -> Term {
        let bytes = d.width_of(value.bits) / 8;
        self.note(operand, bytes, *address, Some(value));
        let ub = self.undefined(d, *address, bytes, operand);
        self.stored = true;
        for index in 0..bytes {
            let place = Self::unit(d, *address, index);
            let byte = d.extract(&value.bits, 8 * index, 8);
            self.bytes = d.store_unit(self.bytes, place, byte);
            self.poison = d.store_unit(self.poison, place, value.poison);
        }
        ub
    }

    fn frame_address(&mut self, d: &mut Symbolic, slot: StackSlot, bits: u32) -> Term {
        *self.slots.entry(slot).or_insert_with(|| d.variable(bits))
    }
}
