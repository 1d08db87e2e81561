//! The pointers and the metadata that memory operands name: claims about aliasing that no value shows.
//!
//! The later side may name a pointer only where the earlier side names it for the same address, and metadata only where
//! the earlier side has it for an access there. Less may be said, never more.

use super::machine_promises;
use super::query::{self, StepOutput};
use super::side::{Scalar, Side, SideEvaluation, SideState};
use super::term::{Symbolic, Term};
use tribunal_ir::bits::Bits;
use tribunal_ir::semantics::{Domain, Memory, Unsupported, Value, walk};
use tribunal_ir::{
    DerivedPointer, Function, InstData, InstFlags, MemOperand, Opcode, Operand, Pointer, Step, Vocabulary, text,
};
use tribunal_target::environment::MemoryFunction;
use tribunal_target::meaning;
use tribunal_target::operands::{address, address_in_page, offset_in_page};

/// How often the sides pass a block: the pointer of a loop is another one in each iteration.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Visits {
    Once,
    Again,
}

/// One access that names something.
pub(super) struct Claim {
    /// As it is printed, without the offset.
    pointer: String,
    offset: i64,
    metadata: String,
    /// The constant pool or the jump tables, where it names them.
    pool: Option<Pointer>,
    /// Nothing but a constant of the pool is there.
    is_constant: bool,
    align: u32,
    /// Address and size in bytes of the access.
    address: Term,
    bytes: u32,
}

impl Claim {
    /// Whether an access of the later side at the same place may say this. `basealign` is the alignment of the pointer
    /// itself.
    fn implies(&self, item: &str) -> bool {
        let base: Option<i64> = item.strip_prefix("basealign ").and_then(|align| align.parse().ok());
        let base_is_aligned = base.is_some_and(|base| i64::from(self.align) >= base && self.offset % base.max(1) == 0);
        base_is_aligned || self.metadata.split(", ").any(|own| own == item)
    }
}

/// The pointer of a memory operand as it is printed, and the offset from it; nothing if it names none. A pool is not
/// one place. A pointer that the IR makes of another by a constant distance is that other one.
fn pointer(function: &Function, vocabulary: &dyn Vocabulary, memory: &MemOperand) -> (String, i64) {
    let places = |pointer: &Pointer| !matches!(pointer, Pointer::ConstantPool | Pointer::JumpTable | Pointer::Unknown);
    let Some(pointer) = memory.pointer.filter(places) else { return (String::new(), memory.offset) };
    match function.derived_pointer(pointer) {
        Some(DerivedPointer { base, offset }) => (base.replacen('%', "%ir.", 1), memory.offset.wrapping_add(offset)),
        None => (text::print_pointer(function, pointer, vocabulary), memory.offset),
    }
}

/// The metadata of a memory operand, as it was read.
fn metadata<'f>(function: &'f Function, memory: &MemOperand) -> &'f str {
    memory.metadata.expand().map_or("", |symbol| function.symbols[symbol].as_str())
}

/// The pointer with its offset, and the metadata that says more than an alignment.
pub(super) fn said<'f>(
    function: &'f Function,
    vocabulary: &'f dyn Vocabulary,
) -> impl Fn(&MemOperand) -> [String; 2] + use<'f> {
    move |memory| {
        let (mut pointer, offset) = pointer(function, vocabulary, memory);
        if !pointer.is_empty() {
            pointer.push_str(&format!("{offset:+}"));
        }
        let items = metadata(function, memory).split(", ").filter(|item| !item.starts_with("basealign "));
        [pointer, items.collect::<Vec<&str>>().join(", ")]
    }
}

impl SideEvaluation<'_> {
    /// Keeps what a load or store of the machine names, at its base address plus offset or register.
    pub(super) fn note_claims(&mut self, side: &mut Side, data: &InstData) -> Result<(), Unsupported> {
        if self.opaque.is_some()
            && !data.memory.is_empty()
            && let Some((address, _)) = self.row_address(side, data)?
        {
            self.note_claim(side, data, address.bits);
        }
        Ok(())
    }

    /// The address that a row of the machine accesses: base plus offset or register, or plus the low part of a symbol's
    /// address; and the condition under which no relocation makes that. `None` for a row that accesses nothing, and
    /// where the offset is something else.
    pub(super) fn row_address(
        &mut self,
        side: &mut Side,
        data: &InstData,
    ) -> Result<Option<(Scalar, Term)>, Unsupported> {
        let Opcode::Target(opcode) = data.opcode else { return Ok(None) };
        let row = self.target.instruction(opcode);
        let base = match row.base().and_then(|base| data.operands.get(base)) {
            Some(Operand::Reg(base)) => walk::read(&mut SideState { evaluation: self, side }, base)?,
            Some(&Operand::Stack(slot)) => {
                let address = side.memory.frame_address(self.d, slot, self.target.pointer_bits.into());
                Value::new(address, self.d.truth(false))
            }
            _ => return Ok(None),
        };
        let target = self.target;
        let mut state = SideState { evaluation: self, side };
        if let Some((symbol, flags)) = meaning::linked(target, &mut state, data)?.into_iter().next()
            && let Some(offset) = offset_in_page(target, row, data, flags)
        {
            return Ok(Some(address_in_page(self.d, offset, &base, &symbol)));
        }
        let index = match row.index().and_then(|index| data.operands.get(index)) {
            Some(Operand::Reg(index)) => Some(walk::read(&mut state, index)?),
            _ => None,
        };
        let never = self.d.truth(false);
        Ok(address(self.d, row, data, (&base, index.as_ref())).ok().map(|address| (address, never)))
    }

    /// The address that an access touches which steps its address: before the step or behind it.
    pub(super) fn indexed_address(&mut self, data: &InstData, args: &[Scalar]) -> Option<Term> {
        let [.., base, offset] = args else { return None };
        match data.operands.last() {
            Some(Operand::Imm(0)) => Some(base.bits),
            _ => {
                let offset = self.d.sext_or_trunc(&offset.bits, self.d.width_of(base.bits));
                Some(self.d.add(&base.bits, &offset))
            }
        }
    }

    /// Keeps what an access names.
    pub(super) fn note_claim(&mut self, side: &mut Side, data: &InstData, address: Term) {
        if let [memory] = data.memory.as_slice() {
            self.note_operand(side, memory, (address, memory.ty.map_or(0, |ty| ty.bits().div_ceil(8))));
        }
    }

    /// Keeps what a memory operand names of an access to so many bytes at an address.
    pub(super) fn note_operand(&mut self, side: &mut Side, memory: &MemOperand, (address, bytes): (Term, u32)) {
        if self.is_later() && memory.pointer.is_none() && memory.metadata.is_none() {
            return;
        }
        let (pointer, offset) = pointer(self.function, self.target.vocabulary, memory);
        let is_constant = self.opaque.as_ref().is_some_and(|opaque| opaque.is_of_constant(self.d, address));
        side.claims.push(Claim {
            pointer,
            offset,
            metadata: metadata(self.function, memory).to_string(),
            pool: memory.pointer.filter(|pointer| matches!(pointer, Pointer::ConstantPool | Pointer::JumpTable)),
            is_constant,
            align: memory.align,
            address,
            bytes,
        });
    }
}

/// What remains to be shown of the later side's claims; an error if one has no counterpart.
pub(super) fn outputs(
    d: &mut Symbolic,
    source: &Side,
    result: &Side,
    visits: Visits,
) -> Result<Vec<StepOutput>, Unsupported> {
    let mut outputs = Vec::new();
    for (index, claim) in result.claims.iter().enumerate() {
        let items = || claim.metadata.split(", ").filter(|item| !item.is_empty());
        let holds_items = |earlier: &&Claim| {
            let distance = d.distance(earlier.address, claim.address).and_then(Bits::to_i64);
            let within = distance.is_some_and(|distance| (0..i64::from(earlier.bytes)).contains(&distance));
            within && items().all(|item| earlier.implies(item))
        };
        if items().next().is_some() && !source.claims.iter().any(|earlier| holds_items(&earlier)) {
            let says = |earlier: &&Claim| earlier.bytes > 0 && items().all(|item| earlier.implies(item));
            let places: Vec<Term> = source.claims.iter().filter(says).map(|earlier| earlier.address).collect();
            if places.is_empty() {
                return Err(Unsupported::different("metadata that no access of the earlier one has there"));
            }
            outputs.push(one_of(d, "claimed metadata", places, claim, source.ub));
        }
        if !names_right_pool(d, source, claim) {
            return Err(Unsupported::different("a memory operand that names a pool of constants"));
        }
        if !claim.pointer.is_empty() {
            let place = if visits == Visits::Again { place_of_iteration(d, source, result, index)? } else { None };
            outputs.extend(same_pointer(d, source, place, claim)?);
        }
    }
    Ok(outputs)
}

/// Whether an access that names a pool of constants is to it: to a constant, or where the earlier side's access names
/// it too. LLVM takes it that no store changes what is there. A table is only read by code of its branch, where the
/// earlier side has no access.
fn names_right_pool(d: &Symbolic, source: &Side, claim: &Claim) -> bool {
    let Some(pool) = claim.pool else { return true };
    let is_there = |earlier: &&Claim| d.distance(earlier.address, claim.address).is_some_and(Bits::is_zero);
    let mut earlier = source.claims.iter().filter(is_there).peekable();
    match earlier.peek() {
        Some(_) => earlier.any(|earlier| earlier.pool == Some(pool) || earlier.is_constant),
        None => claim.is_constant || pool == Pointer::JumpTable,
    }
}

/// The place, among the earlier side's accesses that name a pointer, of the one that stands for this access: where the
/// pointer varies, each of the later side's stands for one of the earlier side's, in order. `None` if it does not vary.
fn place_of_iteration(d: &Symbolic, source: &Side, result: &Side, index: usize) -> Result<Option<usize>, Unsupported> {
    let pointer = &result.claims[index].pointer;
    let named = |side: &Side, end: usize| side.claims[..end].iter().filter(|claim| claim.pointer == *pointer).count();
    let mut earlier = source.claims.iter().filter(|claim| claim.pointer == *pointer);
    let Some(first) = earlier.next() else { return Ok(None) };
    let apart = |claim: &Claim| claim.offset.wrapping_sub(first.offset);
    let varies =
        earlier.any(|claim| d.distance(first.address, claim.address).and_then(Bits::to_i64) != Some(apart(claim)));
    if varies && named(source, source.claims.len()) != named(result, result.claims.len()) {
        return Err(Unsupported::different("a memory operand that names a pointer of another iteration"));
    }
    Ok(varies.then(|| named(result, index)))
}

/// The same distance from the pointer as an access of the earlier side that names it: as the one at `place`, if any is
/// not good enough.
fn same_pointer(
    d: &mut Symbolic,
    source: &Side,
    place: Option<usize>,
    claim: &Claim,
) -> Result<Option<StepOutput>, Unsupported> {
    let named = || {
        let all = source.claims.iter().filter(|earlier| earlier.pointer == claim.pointer);
        all.enumerate().filter(|&(index, _)| place.is_none_or(|place| place == index)).map(|(_, earlier)| earlier)
    };
    let apart = |earlier: &Claim| claim.offset.wrapping_sub(earlier.offset);
    let shown = |earlier: &Claim| d.distance(earlier.address, claim.address).and_then(Bits::to_i64);
    if named().any(|earlier| shown(earlier) == Some(apart(earlier))) {
        return Ok(None);
    }
    let mut places = Vec::new();
    for earlier in named() {
        let offset = d.literal(apart(earlier), d.width(&claim.address));
        places.push(d.add(&earlier.address, &offset));
    }
    match places.is_empty() {
        true => Err(Unsupported::different("a memory operand that names another pointer")),
        false => Ok(Some(one_of(d, "claimed pointer", places, claim, source.ub))),
    }
}

/// The address of a claim is one of these.
fn one_of(d: &mut Symbolic, name: &'static str, places: Vec<Term>, claim: &Claim, ub: Term) -> StepOutput {
    let mut is_there = d.truth(false);
    for place in places {
        let same = d.equal(place, claim.address);
        is_there = d.bool_or(&is_there, &same);
    }
    let yes = d.truth(true);
    query::condition(d, name, yes, is_there, ub)
}

/// Whether a step names a pointer, metadata, or a flag that no definition reads, which it did not name before.
pub(super) fn are_new(step: &Step<'_>) -> bool {
    let unread =
        |side: &[InstData]| side.iter().fold(InstFlags::empty(), |all, data| all | machine_promises::unread(data));
    if !unread(step.before).contains(unread(step.after)) {
        return true;
    }
    let named = |is: &dyn Fn(&InstData, &MemOperand) -> bool| {
        step.before.iter().any(|data| data.memory.iter().any(|other| is(data, other)))
    };
    // A branch through a table reads it, though it has no memory operand.
    let has_table = step.before.iter().any(|data| data.opcode == Opcode::G_BRJT);
    let reads_table = |memory: &MemOperand| has_table && memory.pointer == Some(Pointer::JumpTable);
    let mut after = step.after.iter().flat_map(|data| &data.memory);
    after.any(|memory| {
        let new_pointer = memory.pointer.is_some()
            && !reads_table(memory)
            && !named(&|data, other| holds_pointer(data, other, memory));
        let new_metadata = memory.metadata.is_some() && !named(&|_, other| other.metadata == memory.metadata);
        new_pointer || new_metadata
    })
}

/// Whether an access covers the place from a pointer that another one names. The operand of a memory function shows its
/// first byte alone.
fn holds_pointer(data: &InstData, earlier: &MemOperand, later: &MemOperand) -> bool {
    let of_range = MemoryFunction::of_opcode(data.opcode).is_some();
    let ty = earlier.ty.filter(|_| !of_range);
    let bytes = ty.map_or(i64::MAX, |ty| i64::from(ty.bits().div_ceil(8)));
    let apart = later.offset.checked_sub(earlier.offset);
    earlier.pointer == later.pointer && apart.is_some_and(|apart| (0..bytes).contains(&apart))
}
