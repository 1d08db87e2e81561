//! Stack objects that a step makes for itself: a call writes there what it returns by address.
//!
//! No instruction of the function but those of the step names such an object, so nobody else reaches it: it is no part
//! of the memory that both sides share, and its contents are anything before the step. An access counts as one of the
//! object only at a constant distance from the object's own address.

use super::memory::SymbolicMemory;
use super::term::{FrameObject, Symbolic, Term};
use tribunal_ir::semantics::{Domain, Value};
use tribunal_ir::{Function, InstData, MemOperand, Operand, StackSlot, Step};

/// An object of one step.
#[derive(Clone)]
pub(super) struct OwnObject {
    pub slot: StackSlot,
    /// In bytes.
    align: u32,
    /// Lowest first.
    bytes: Vec<Value<Symbolic>>,
}

impl OwnObject {
    /// It exists as long as the function.
    pub fn facts(&self) -> FrameObject {
        FrameObject { bytes: self.bytes.len() as u64, align: self.align, is_always_alive: true }
    }
}

/// The most bytes of such an object; a larger one is like any other.
const MOST_BYTES: u64 = 64;

/// The stack objects that an instruction names.
pub(super) fn named(data: &InstData) -> impl Iterator<Item = StackSlot> + '_ {
    data.operands.iter().filter_map(|operand| match operand {
        Operand::Stack(slot) => Some(*slot),
        _ => None,
    })
}

/// True if the later side of the step alone names the object, in the whole function.
pub(super) fn is_own(step: &Step<'_>, slot: StackSlot) -> bool {
    let count = |insts: &[InstData]| insts.iter().flat_map(named).filter(|&own| own == slot).count();
    let (mentions, function): (usize, &Function) = (count(step.after), step.function);
    let all = || function.all_insts().flat_map(|inst| named(function.inst(inst))).filter(|&own| own == slot).count();
    mentions > 0 && count(step.before) == 0 && all() == mentions
}

/// The objects that the step makes for itself.
pub(super) fn of(d: &mut Symbolic, step: &Step<'_>) -> Vec<OwnObject> {
    let mut slots: Vec<StackSlot> = step.after.iter().flat_map(named).collect();
    slots.sort_unstable();
    slots.dedup();
    let mut objects = Vec::new();
    for slot in slots.into_iter().filter(|&slot| is_own(step, slot)) {
        let Some(object) = step.function.stack.get(slot).filter(|object| (1..=MOST_BYTES).contains(&object.size))
        else {
            continue;
        };
        let bytes = (0..object.size).map(|_| Value::new(d.variable(8), d.variable(1))).collect();
        objects.push(OwnObject { slot, align: object.align, bytes });
    }
    objects
}

impl SymbolicMemory {
    /// The object, and the first byte in it, of an access that lies in one of the step's own.
    fn own_place(
        &self,
        d: &mut Symbolic,
        (address, bytes): (Term, u32),
        operand: &MemOperand,
    ) -> Option<(usize, std::ops::Range<usize>)> {
        let is_plain = !operand.flags.contains(tribunal_ir::MemFlags::VOLATILE) && !operand.is_atomic();
        self.own.iter().enumerate().filter(|_| is_plain).find_map(|(index, object)| {
            let base = self.slot_address(object.slot)?;
            let offset = d.distance(base, address)?.to_i64().and_then(|offset| u32::try_from(offset).ok())?;
            let end = offset.checked_add(bytes)? as usize;
            let aligned = operand.align <= object.align && offset.is_multiple_of(operand.align);
            (end <= object.bytes.len() && aligned).then_some((index, offset as usize..end))
        })
    }

    /// The value there; `None` for an access of other memory.
    pub(super) fn load_own(
        &self,
        d: &mut Symbolic,
        access: (Term, u32),
        operand: &MemOperand,
    ) -> Option<Value<Symbolic>> {
        let (index, range) = self.own_place(d, access, operand)?;
        let mut bytes = self.own.get(index)?.bytes.get(range)?.iter().cloned();
        let first = bytes.next()?;
        Some(bytes.fold(first, |low, byte| {
            Value::new(d.concatenate(byte.bits, low.bits), d.bool_or(&low.poison, &byte.poison))
        }))
    }

    /// Writes the value there; false for an access of other memory.
    pub(super) fn store_own(
        &mut self,
        d: &mut Symbolic,
        address: Term,
        value: &Value<Symbolic>,
        operand: &MemOperand,
    ) -> bool {
        let count = d.width_of(value.bits) / 8;
        let Some((index, range)) = self.own_place(d, (address, count), operand) else { return false };
        for (byte, place) in (0..).zip(range) {
            let bits = d.extract(&value.bits, 8 * byte, 8);
            let poison = value.part_is_poison(d, 8 * byte, 8);
            self.own[index].bytes[place] = Value::new(bits, poison);
        }
        true
    }
}
