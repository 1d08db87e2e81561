//! Loops that read memory, compute, and store unless another thread came between, as LLVM writes operations on memory
//! that a machine cannot do in one step. The store keeps the reservation of the load, so each loop runs once.
//!
//! ```text
//! start:  %old = llvm.aarch64.ldaxr %address
//!         (if %old is another number than is expected: to nostore)
//! store:  %status = llvm.aarch64.stlxr %new, %address
//!         (if %status is not zero: to start; else to end)
//! nostore: llvm.aarch64.clrex
//! end:
//! ```
//!
//! Invariant: the rules of the target say which intrinsics it selects, and for how many bits.

use super::{Entry, Generator, Place};
use arbitrary::Result;
use tribunal_ir::types::{S1, S32, S64};
use tribunal_ir::{Block, IntPredicate, MemFlags, MemOperand, Opcode, Operand, Position, Type, VReg};
use tribunal_target::selection::{Pat, SelectionRule};

/// Intrinsics of one value, and of a pair of them: loads, each with the stores of its kind.
const KINDS: [(&[&str], &[&str]); 2] = [
    (&["llvm.aarch64.ldxr", "llvm.aarch64.ldaxr"], &["llvm.aarch64.stxr", "llvm.aarch64.stlxr"]),
    (&["llvm.aarch64.ldxp", "llvm.aarch64.ldaxp"], &["llvm.aarch64.stxp", "llvm.aarch64.stlxp"]),
];
const CLEAR: &str = "llvm.aarch64.clrex";

/// True for an intrinsic of these loops.
pub(super) fn is_one(name: &str) -> bool {
    name == CLEAR || KINDS.iter().any(|(loads, stores)| loads.contains(&name) || stores.contains(&name))
}

/// One way to reserve memory.
#[derive(Clone, Copy)]
struct Reservation {
    load: &'static str,
    stores: &'static [&'static str],
    /// Of the access.
    bits: u32,
}

impl Generator<'_, '_, '_> {
    /// The loop; another access where the target has none.
    pub(super) fn exclusive_loop_or_access(&mut self) -> Result<()> {
        match self.exclusive_loop()? {
            Some(()) => Ok(()),
            None => self.access(),
        }
    }

    /// The loop; `None` if the target selects none, or if the place that was drawn is too small.
    pub(super) fn exclusive_loop(&mut self) -> Result<Option<()>> {
        let ways: Vec<Reservation> = self.reservations().collect();
        if ways.is_empty() {
            return Ok(None);
        }
        let (way, place) = (*self.u.choose(&ways)?, *self.u.choose(&self.pointers)?);
        if way.bits / 8 > place.bytes.min(place.align) {
            return Ok(None);
        }
        let address = self.part_of(place, way.bits / 8)?;
        let parts = way.bits.div_ceil(64);
        let part = Type::scalar(way.bits / parts);
        let operands = (0..parts).map(|_| self.right_value(part, true)).collect::<Result<Vec<_>>>()?;
        let expected = if self.u.arbitrary()? { Some(self.right_value(part, true)?) } else { None };
        let [start, store, clear, end] = [(); 4].map(|()| self.new_block());
        self.jump(start);
        self.builder.position = Position::AtEnd(start);
        let old = self.reserved(way, address, part);
        match expected {
            Some(expected) => self.unless_expected(old[0], expected, [store, clear, end]),
            None => self.jump(store),
        }
        self.drop_block_unless(expected.is_some(), clear);
        self.builder.position = Position::AtEnd(store);
        let new = old.iter().zip(operands).map(|(&old, operand)| self.replacement(old, operand));
        let new = new.collect::<Result<Vec<VReg>>>()?;
        self.stored(way, address, &new, [start, end])?;
        self.builder.position = Position::AtEnd(end);
        self.scope.extend(old);
        Ok(Some(()))
    }

    /// The ways that the target's rules select.
    fn reservations(&self) -> impl Iterator<Item = Reservation> {
        let name = |rule: &SelectionRule| match rule.pattern.operands.first() {
            Some(Pat::Intrinsic(name)) => Some(*name),
            _ => None,
        };
        let rules = self.target.selection.iter().filter(|rule| self.is_enabled(rule));
        rules.filter_map(move |rule| {
            let load = name(rule)?;
            let (_, stores) = KINDS.into_iter().find(|(loads, _)| loads.contains(&load))?;
            Some(Reservation { load, stores, bits: rule.pattern.memory_bits? })
        })
    }

    /// The address of so many bytes of a place.
    fn part_of(&mut self, place: Place, bytes: u32) -> Result<VReg> {
        let offset = self.u.int_in_range(0..=place.bytes / bytes - 1)? * bytes;
        Ok(self.offset_by(place.base, offset))
    }

    /// The values that are read, each with just its bits.
    fn reserved(&mut self, way: Reservation, address: VReg, part: Type) -> Vec<Entry> {
        let wide: Vec<VReg> = (0..way.bits.div_ceil(64)).map(|_| self.builder.function.new_vreg(S64)).collect();
        let defs = wide.iter().copied().map(Operand::def).collect();
        self.acting_intrinsic(way.load, defs, &[address], whole(MemFlags::LOAD, way.bits));
        let entry = |register| Entry { register, ty: S64, deterministic: true };
        wide.into_iter()
            .map(|wide| Entry { register: self.converted(entry(wide), part, false), ty: part, ..entry(wide) })
            .collect()
    }

    /// Goes on to the store if the value is the expected one; gives the reservation up otherwise.
    fn unless_expected(&mut self, old: Entry, expected: Entry, [store, clear, end]: [Block; 3]) {
        let differs = self.differs(old.register, expected.register);
        self.branch_on(differs, clear, store);
        self.builder.position = Position::AtEnd(clear);
        self.acting_intrinsic(CLEAR, Vec::new(), &[], None);
        self.jump(end);
    }

    fn differs(&mut self, a: VReg, b: VReg) -> VReg {
        let operands = [Operand::Predicate(IntPredicate::Ne), Operand::used(a), Operand::used(b)];
        self.builder.build(S1, Opcode::G_ICMP, operands)
    }

    /// The value that is stored: another one, or the old one with another.
    fn replacement(&mut self, old: Entry, operand: Entry) -> Result<VReg> {
        let opcode = match self.u.int_in_range(0..=4)? {
            0 => return Ok(operand.register),
            1 => Opcode::G_ADD,
            2 => Opcode::G_AND,
            3 => Opcode::G_XOR,
            _ => Opcode::G_UMIN,
        };
        Ok(self.builder.op(old.ty, opcode, &[old.register, operand.register]))
    }

    /// The store, and the way back if it failed.
    fn stored(&mut self, way: Reservation, address: VReg, new: &[VReg], [start, end]: [Block; 2]) -> Result<()> {
        let name = *self.u.choose(way.stores)?;
        let part = Type::scalar(way.bits / new.len() as u32);
        let entry = |register| Entry { register, ty: part, deterministic: true };
        let mut values: Vec<VReg> = new.iter().map(|&new| self.converted(entry(new), S64, false)).collect();
        values.push(address);
        let status = self.builder.function.new_vreg(S32);
        self.acting_intrinsic(name, vec![Operand::def(status)], &values, whole(MemFlags::STORE, way.bits));
        let zero = self.builder.constant_i64(S32, 0);
        let failed = self.differs(status, zero);
        self.branch_on(failed, start, end);
        Ok(())
    }
}

/// The access of one of these intrinsics.
fn whole(flags: MemFlags, bits: u32) -> Option<MemOperand> {
    Some(MemOperand::new(flags | MemFlags::VOLATILE, Type::scalar(bits), bits / 8))
}
