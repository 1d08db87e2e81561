//! Operations on memory in one step: every kind, size and ordering that the target compiles, on numbers and pointers.
//!
//! Invariant: the rules of the target say what compiles. An opcode or an intrinsic joins the programs with its row.

use super::{Entry, Generator, Place};
use arbitrary::Result;
use tribunal_ir::opcode::TypeClass;
use tribunal_ir::types::S1;
use tribunal_ir::{AtomicOrdering, Family, InstData, MemFlags, MemOperand, Opcode, Operand, OperandKind, Type, VReg};
use tribunal_target::Target;
use tribunal_target::legality::{LegalityQuery, LegalizerInfo, MemDescr};
use tribunal_target::selection::{Pat, Pattern, SelectionRule};
use tribunal_verifier::rule_tables::{Chain, End, follow};

/// Sizes of these operations, in bits.
const SIZES: [u32; 5] = [8, 16, 32, 64, 128];
/// The word that a masked operation changes a part of, in bytes.
const WORD_BYTES: u32 = 4;
/// The intrinsics that change some bits of a word, by their common name.
pub(super) const MASKED: &str = "llvm.riscv.masked.";

/// The access that an operation in one step shall have.
#[derive(Clone, Copy)]
pub(super) enum AtomicAim<'p> {
    /// Any.
    Any,
    /// One that the pattern of a rule takes.
    Pattern(&'p Pattern),
    /// One of this type.
    Type(Type),
}

/// The operations in one step that the machine has, each with every type that it compiles: those of the atomic family,
/// and ordered loads and stores.
pub(super) fn compiled(target: &Target, legalizer: &LegalizerInfo) -> Vec<(Opcode, Type)> {
    let pointer = Type::Pointer { address_space: 0, bits: target.pointer_bits };
    let types = |opcode: Opcode| {
        let pointers = takes_pointers(opcode).then_some(pointer);
        pointers.into_iter().chain(SIZES.map(Type::scalar)).map(move |ty| (opcode, ty))
    };
    let changes = Family::Atomic.opcodes().iter().copied().flat_map(types).filter(|&(opcode, ty)| {
        let memory = monotonic(MemFlags::LOAD | MemFlags::STORE, ty);
        let success = opcode.info().is_some_and(|info| info.defs.len() == 2).then_some(S1);
        compiles(legalizer, pointer, opcode, (ty, success), &memory)
    });
    let accesses = [(Opcode::G_LOAD, MemFlags::LOAD), (Opcode::G_STORE, MemFlags::STORE)];
    let accesses = accesses.into_iter().flat_map(|(opcode, flags)| SIZES.map(|bits| (opcode, flags, bits)));
    let ordered = accesses.filter_map(|(opcode, flags, bits)| {
        let ty = Type::scalar(bits);
        ends(legalizer, opcode, vec![ty, pointer], &monotonic(flags, ty)).then_some((opcode, ty))
    });
    changes.chain(ordered).collect()
}

/// An access of a number or a pointer in one step, with the weakest order.
pub(super) fn monotonic(flags: MemFlags, ty: Type) -> MemOperand {
    MemOperand { ordering: AtomicOrdering::Monotonic, ..MemOperand::new(flags, ty, ty.bytes()) }
}

/// True for an operation on numbers and on pointers.
fn takes_pointers(opcode: Opcode) -> bool {
    let first = opcode.info().and_then(|info| info.defs.first());
    matches!(first, Some(OperandKind::Register(TypeClass::Single, _)))
}

/// True if the rules end in something that the machine has, for an operation that reads and writes: a value of the
/// first type, and whether it succeeded in one of the second.
fn compiles(
    legalizer: &LegalizerInfo,
    pointer: Type,
    opcode: Opcode,
    (ty, success): (Type, Option<Type>),
    memory: &MemOperand,
) -> bool {
    let is_operation = opcode.is_defined() && opcode.info().is_some_and(|info| !info.defs.is_empty());
    let types = |success: Option<Type>| [ty].into_iter().chain(success).chain([pointer]).collect();
    // The rules lower some in one step to others.
    let lowered = match opcode {
        Opcode::G_ATOMICRMW_SUB => Some(Opcode::G_ATOMICRMW_ADD),
        Opcode::G_ATOMIC_CMPXCHG_WITH_SUCCESS => Some(Opcode::G_ATOMIC_CMPXCHG),
        _ => None,
    };
    is_operation
        && ends(legalizer, opcode, types(success), memory)
        && lowered.is_none_or(|opcode| ends(legalizer, opcode, types(None), memory))
}

/// True if the rules for an access end in something that the machine has.
fn ends(legalizer: &LegalizerInfo, opcode: Opcode, types: Vec<Type>, memory: &MemOperand) -> bool {
    let Some(ty) = memory.ty else { return false };
    let mut query = LegalityQuery::new(opcode, types);
    query.memory.push(MemDescr { ordering: memory.ordering, ..MemDescr::plain(ty, 8 * memory.align) });
    follow(legalizer, &query).is_ok_and(|Chain { end, .. }| !matches!(end, End::Refused(_)))
}

impl Generator<'_, '_, '_> {
    /// An operation of the rows or of the target's intrinsics; another access if the one drawn does not compile.
    pub(super) fn atomic_operation(&mut self) -> Result<()> {
        if self.u.ratio(1, 3)? {
            if let Some((rule, name)) = self.masked_rule()? {
                return self.masked_operation(rule, name);
            }
            if self.exclusive_loop()?.is_some() {
                return Ok(());
            }
        }
        let (opcode, aim) = self.atomic_aim()?;
        self.changed_in_one_step(opcode, aim)
    }

    /// The operation of this opcode.
    pub(super) fn changed_in_one_step(&mut self, opcode: Opcode, aim: AtomicAim<'_>) -> Result<()> {
        let pointer = self.pointer_type();
        let ty = match aim {
            AtomicAim::Type(ty) => ty,
            _ if takes_pointers(opcode) && self.u.ratio(1, 6)? => pointer,
            AtomicAim::Pattern(&Pattern { memory_bits: Some(bits), .. }) => Type::scalar(bits),
            _ => Type::scalar(*self.u.choose(&SIZES)?),
        };
        let (bits, bytes, is_pointer) = (ty.bits(), ty.bytes(), ty.is_pointer());
        // The register of a number may be wider than the access: as wide as the machine's.
        let whole = self.register_type().bits();
        let register = match !is_pointer && self.u.ratio(1, 4)? {
            true => Type::scalar(bits.max(whole.min(*self.u.choose(&SIZES)?))),
            false => ty,
        };
        // Whether it succeeded is a number of any width.
        let success = match opcode.info().is_some_and(|info| info.defs.len() == 2) {
            true => Some(if self.u.ratio(1, 4)? { Type::scalar(pointer.bits()) } else { S1 }),
            false => None,
        };
        let memory = MemOperand {
            ordering: self.ordering_of(aim)?,
            ..MemOperand::new(MemFlags::LOAD | MemFlags::STORE, ty, bytes)
        };
        let place = self.place_of(bytes)?.filter(|_| self.compiles(opcode, register, success, &memory));
        let Some(place) = place else { return self.access() };
        let exchanges = opcode.info().is_some_and(|info| info.uses.len() == 3);
        let memory = if exchanges { self.with_failure(memory)? } else { memory };
        let mut operands = vec![Operand::used(self.address_in(place, bytes)?)];
        for _ in 0..if exchanges { 2 } else { 1 } {
            operands.push(Operand::used(self.exchanged(register)?));
        }
        let types: Vec<Type> = [register].into_iter().chain(success).collect();
        let results: Vec<VReg> = types.iter().map(|&ty| self.builder.function.new_vreg(ty)).collect();
        let defs = results.iter().copied().map(Operand::def);
        self.builder.push(InstData::new(opcode, defs.chain(operands)).with_memory(memory));
        // Bits of the old value above the access are a choice.
        let old = match register == ty {
            true => results[0],
            false => self.builder.op(ty, Opcode::G_TRUNC, &[results[0]]),
        };
        self.show(Entry { register: old, ty, deterministic: true });
        for (&register, &ty) in results.iter().zip(&types).skip(1) {
            self.show(Entry { register, ty, deterministic: true });
        }
        Ok(())
    }

    /// An operation, and the pattern of a rule of it that it is aimed at, if there is one.
    fn atomic_aim(&mut self) -> Result<(Opcode, AtomicAim<'static>)> {
        let opcode = *self.u.choose(Family::Atomic.opcodes())?;
        let rules = self.target.selection.iter();
        let own = rules.filter(|rule| rule.pattern.opcode == opcode && rule.pattern.memory_bits.is_some());
        let own: Vec<&'static Pattern> = own.filter(|rule| self.is_enabled(rule)).map(|rule| &rule.pattern).collect();
        match own.is_empty() || self.u.ratio(1, 4)? {
            true => Ok((opcode, AtomicAim::Any)),
            false => Ok((opcode, AtomicAim::Pattern(self.u.choose(&own)?))),
        }
    }

    /// An ordering that an operation in one step may have, and that the pattern takes.
    fn ordering_of(&mut self, aim: AtomicAim<'_>) -> Result<AtomicOrdering> {
        let named = &AtomicOrdering::NAMED[1..];
        let taken: Vec<AtomicOrdering> = match aim {
            AtomicAim::Pattern(pattern) => {
                named.iter().copied().filter(|own| pattern.ordering.0.contains(own)).collect()
            }
            AtomicAim::Any | AtomicAim::Type(_) => Vec::new(),
        };
        Ok(*self.u.choose(if taken.is_empty() { named } else { &taken })?)
    }

    /// A value to put in memory: a pointer is the address of the first buffer, the same in every run.
    fn exchanged(&mut self, ty: Type) -> Result<VReg> {
        match ty.is_pointer() {
            true => Ok(self.pointers[0].base),
            false => Ok(self.right_value(ty, true)?.register),
        }
    }

    pub(super) fn as_number(&mut self, pointer: Entry) -> Entry {
        let ty = Type::scalar(pointer.ty.bits());
        Entry { register: self.builder.op(ty, Opcode::G_PTRTOINT, &[pointer.register]), ty, ..pointer }
    }

    /// The ordering of a compare-and-exchange that fails: a load's.
    fn with_failure(&mut self, memory: MemOperand) -> Result<MemOperand> {
        use AtomicOrdering::{Acquire, Monotonic, SequentiallyConsistent};
        Ok(MemOperand { failure_ordering: *self.u.choose(&[Monotonic, Acquire, SequentiallyConsistent])?, ..memory })
    }

    /// [`compiles`] of the program's machine.
    fn compiles(&self, opcode: Opcode, ty: Type, success: Option<Type>, memory: &MemOperand) -> bool {
        compiles(self.legalizer, self.pointer_type(), opcode, (ty, success), memory)
    }

    /// The same for a load or a store.
    pub(super) fn accesses(&self, opcode: Opcode, ty: Type, memory: &MemOperand) -> bool {
        ends(self.legalizer, opcode, vec![ty, self.pointer_type()], memory)
    }

    /// True if the target has operations on memory, as instructions or in its library.
    pub(super) fn has_atomics(&self) -> bool {
        let ty = self.register_type();
        self.compiles(Opcode::G_ATOMIC_CMPXCHG, ty, None, &monotonic(MemFlags::LOAD | MemFlags::STORE, ty))
    }

    /// True if the features of the program have the rule.
    pub(super) fn is_enabled(&self, rule: &SelectionRule) -> bool {
        self.legalizer.features().contains(rule.requires)
    }

    /// A selection rule of an intrinsic on some bits of a word, with the intrinsic's name.
    fn masked_rule(&mut self) -> Result<Option<(&'static SelectionRule, &'static str)>> {
        let named = |rule: &'static SelectionRule| match rule.pattern.operands.first() {
            Some(Pat::Intrinsic(name)) if name.starts_with(MASKED) => Some((rule, *name)),
            _ => None,
        };
        let rules: Vec<_> =
            self.target.selection.iter().filter(|rule| self.is_enabled(rule)).filter_map(named).collect();
        match rules.is_empty() {
            true => Ok(None),
            false => Ok(Some(*self.u.choose(&rules)?)),
        }
    }

    /// A byte or a half of a word: address, values, mask, the amount of a signed extremum, ordering.
    pub(super) fn masked_operation(&mut self, rule: &SelectionRule, name: &str) -> Result<()> {
        let place = *self.u.choose(&self.pointers)?;
        if place.bytes < WORD_BYTES || place.align < WORD_BYTES {
            return self.access();
        }
        let offset = self.u.int_in_range(0..=place.bytes / WORD_BYTES - 1)? * WORD_BYTES;
        let address = self.offset_by(place.base, offset);
        let intrinsic = self.builder.function.intern(name);
        let mut operands = vec![Operand::Intrinsic(intrinsic), Operand::used(address)];
        let register = self.register_type();
        let part = *self.u.choose(&[8u32, 16])?;
        let low = self.u.int_in_range(0..=32 / part - 1)? * part;
        // All operands but the name, the address and the ordering are values; the last two are mask and amount.
        let values = rule.pattern.operands.len() - 3;
        let signed = name.ends_with(".max") || name.ends_with(".min");
        for index in 0..values {
            let is_amount = signed && index + 1 == values;
            let is_mask = index + 1 + usize::from(signed) == values;
            let value = match (is_amount, is_mask) {
                (true, _) => self.builder.constant_i64(register, i64::from(register.bits() - part - low)),
                (_, true) => self.builder.constant_i64(register, i64::from((((1i64 << part) - 1) << low) as i32)),
                _ => self.placed_part(part, low, signed)?,
            };
            operands.push(Operand::used(value));
        }
        operands.push(Operand::Imm(self.u.choose(&AtomicOrdering::NAMED[1..])?.number()));
        let result = self.builder.function.new_vreg(register);
        let opcode = Opcode::G_INTRINSIC_W_SIDE_EFFECTS;
        let data = InstData::new(opcode, std::iter::once(Operand::def(result)).chain(operands));
        let flags = MemFlags::LOAD | MemFlags::STORE | MemFlags::VOLATILE;
        self.builder.push(data.with_memory(MemOperand::new(flags, Type::scalar(32), WORD_BYTES)));
        self.scope.push(Entry { register: result, ty: register, deterministic: true });
        Ok(())
    }

    /// A part of so many bits at its place in a word, extended as the comparison reads it.
    fn placed_part(&mut self, part: u32, low: u32, signed: bool) -> Result<VReg> {
        let (word, register) = (Type::scalar(32), self.register_type());
        let value = self.value(Type::scalar(part), true)?;
        let wide = self.converted(value, word, signed);
        let amount = self.builder.constant_i64(word, low.into());
        let placed = self.builder.op(word, Opcode::G_SHL, &[wide, amount]);
        Ok(self.converted(Entry { register: placed, ty: word, deterministic: true }, register, true))
    }

    /// A hint about a place; nothing of it is left.
    pub(super) fn prefetch(&mut self) -> Result<()> {
        let Place { base, .. } = *self.u.choose(&self.pointers)?;
        let writes: bool = self.u.arbitrary()?;
        let flags = if writes { MemFlags::STORE } else { MemFlags::LOAD };
        let locality = self.u.int_in_range(0..=3)?;
        let operands = [Operand::used(base), Operand::Imm(writes.into()), Operand::Imm(locality), Operand::Imm(1)];
        let memory = MemOperand { ty: None, ..MemOperand::new(flags, Type::scalar(8), 1) };
        self.builder.push(InstData::new(Opcode::G_PREFETCH, operands).with_memory(memory));
        Ok(())
    }
}
