//! Every legality query that input can make of a rule table, and an instance function for each. The static check of the
//! tables uses them: it wants more types than the prover's catalogue, and no steps.
//!
//! The opcodes are those that have rules, so an opcode added to a table is covered without a change here.

use super::{Instance, WIDEST, instance};
use smallvec::smallvec;
use std::ops::RangeInclusive;
use tribunal_ir::bits::MAX_BITS;
use tribunal_ir::function::{SlotKind, StackObject};
use tribunal_ir::opcode::{Immediate, IndexTypes, TypeRule};
use tribunal_ir::types::{Element, S8};
use tribunal_ir::{
    AddressBase, AddressData, AtomicOrdering, Bits, Family, FloatFormat, FloatPredicate, Function, GlobalName,
    InstData, IntPredicate, MemFlags, MemOperand, Opcode, OpcodeFlags, OpcodeInfo, Operand, OperandKind, TargetFlags,
    Type, VReg,
};
use tribunal_target::Target;
use tribunal_target::legality::{LegalityQuery, LegalizerInfo, MemDescr};

/// Widths that stand for all others where a second type index has its own: around registers, and odd.
const REPRESENTATIVE: [u32; 11] = [1, 8, 16, 24, 32, 33, 64, 65, 128, 256, MAX_BITS];

/// The widths beyond the catalogue's of which instances are legalized.
const WIDE: [u32; 2] = [192, 256];

fn has_instance(bits: u32) -> bool {
    bits <= WIDEST || WIDE.contains(&bits)
}

/// Every query that a function of `target` can make of `legalizer`.
pub fn queries(target: &Target, legalizer: &LegalizerInfo) -> Vec<LegalityQuery> {
    legalizer.opcodes().flat_map(|opcode| queries_of(target, opcode)).collect()
}

/// Every query that an instruction of `opcode` can make in a function of `target`.
pub fn queries_of(target: &Target, opcode: Opcode) -> Vec<LegalityQuery> {
    let mut all = of_opcode(target, opcode);
    all.retain(well_formed);
    // The legalization of an artifact depends on the definition that it combines with: only instances tell.
    all.retain(|query| !query.opcode.is_artifact() || query.types.iter().all(|ty| has_instance(ty.bits())));
    let vector = vector(target, opcode);
    all.extend(vector.as_ref().and_then(elements_of_vector));
    all.extend(vector);
    all
}

/// One vector stands for all: two elements at every index, pointers only where the class takes nothing else.
fn vector(target: &Target, opcode: Opcode) -> Option<LegalityQuery> {
    let info = opcode.info()?;
    let mut types = Vec::new();
    for kind in info.defs.iter().chain(info.uses) {
        if kind.type_index() != Some(types.len()) {
            continue;
        }
        types.push(match (kind.must_be_pointer(), types.is_empty()) {
            (true, first) if !first || info.family == Family::Indexed => pointer(target),
            (true, _) => {
                let element = Element::Pointer { address_space: 0, bits: target.pointer_bits };
                Type::Vector { lanes: 2, scalable: false, element }
            }
            (false, _) => Type::Vector { lanes: 2, scalable: false, element: Element::Scalar { bits: 32 } },
        });
    }
    if types.is_empty() {
        return None;
    }
    let mut query = LegalityQuery::new(opcode, types);
    if is_access(info) {
        // An extending load reads narrower elements.
        let value = query.types[info.value_index()];
        let fits = info.access_fits(value.bits(), value.bits());
        let narrow = value.with_scalar_type(S8).filter(|_| !fits);
        let in_memory = narrow.unwrap_or(value);
        query.memory = smallvec![MemDescr::plain(in_memory, in_memory.bits())];
    }
    with_immediates(info, query).into_iter().next()
}

/// True for loads and stores of one value.
fn is_access(info: &OpcodeInfo) -> bool {
    matches!(info.family, Family::Load | Family::Store | Family::Indexed)
}

/// A vector taken apart into its elements.
fn elements_of_vector(query: &LegalityQuery) -> Option<LegalityQuery> {
    let parts =
        query.opcode.info().is_some_and(|info| info.family == Family::Composition && info.immediates.is_empty());
    let (whole, element) = (query.type_at(0)?, query.type_at(0)?.scalar_type());
    parts.then(|| LegalityQuery::new(query.opcode, [element, whole]))
}

fn of_opcode(target: &Target, opcode: Opcode) -> Vec<LegalityQuery> {
    let Some(info) = opcode.info() else { return Vec::new() };
    if is_access(info) {
        return accesses(target, opcode, info);
    }
    let mut all = Vec::new();
    for types in types(target, info) {
        let mut query = LegalityQuery::new(opcode, types);
        // The query of a prefetch says nothing of its access.
        let accesses = info.accesses.filter(|_| info.family != Family::Prefetch);
        let count = accesses.map_or(0, |accesses| usize::from(accesses.count));
        query.memory = smallvec![accessed(info, &query); count];
        all.extend(with_immediates(info, query));
    }
    all
}

/// The query with each value of the immediate, if it shows one.
fn with_immediates(info: &OpcodeInfo, query: LegalityQuery) -> Vec<LegalityQuery> {
    match info.operands().nth(2) {
        Some(kind) if kind.is_immediate() => immediates(&query).map(|bits| with_immediate(&query, bits)).collect(),
        _ => vec![query],
    }
}

/// The access of an instruction with these types: of a memory function one byte, of an operation on memory its value.
fn accessed(info: &OpcodeInfo, query: &LegalityQuery) -> MemDescr {
    let Some(ty) = query.type_at(0).filter(|_| info.family == Family::Atomic) else {
        return MemDescr::plain(S8, S8.bits());
    };
    let ordering = AtomicOrdering::SequentiallyConsistent;
    let failure_ordering = if info.fails() { ordering } else { AtomicOrdering::NotAtomic };
    let align_bits = ty.bits().next_power_of_two().max(8);
    MemDescr { ordering, failure_ordering, ..MemDescr::plain(Type::scalar(ty.bits()), align_bits) }
}

fn with_immediate(query: &LegalityQuery, bits: i64) -> LegalityQuery {
    LegalityQuery { immediate: Some(bits), ..query.clone() }
}

/// The values of the immediate that a query shows, if it is an operand; an unbounded range goes up to the width.
fn immediates(query: &LegalityQuery) -> impl Iterator<Item = i64> + use<> {
    let range = range_of(query).unwrap_or(0..=0);
    let bits = query.types.first().map_or(0, |ty| i64::from(ty.bits()));
    let (least, most) = (*range.start(), if *range.end() == i64::MAX { bits - 1 } else { *range.end() });
    let mut all = vec![0, 1, 8, 16, 32, bits / 2, most];
    all.sort_unstable();
    all.dedup();
    let (immediate, types) = (immediate_of(query), index_types(query));
    let takes = move |low: &i64| immediate.is_none_or(|immediate| immediate.takes(&types, *low));
    all.into_iter().filter(move |low| (least..=most).contains(low)).filter(takes)
}

/// The range of the instruction's first immediate; `None` if there is none.
fn range_of(query: &LegalityQuery) -> Option<RangeInclusive<i64>> {
    immediate_of(query)?.range(&index_types(query))
}

fn immediate_of(query: &LegalityQuery) -> Option<Immediate> {
    query.opcode.info()?.immediates.first().copied()
}

fn index_types(query: &LegalityQuery) -> IndexTypes {
    [0, 1, 2].map(|index| query.type_at(index))
}

/// The values of the immediate that the query does not show: the offset of an insertion, the scale of a fixed-point
/// operation.
fn hidden_immediates(query: &LegalityQuery) -> Vec<i64> {
    if let Some(shown) = query.immediate {
        return vec![shown];
    }
    let range = range_of(query).unwrap_or(0..=0);
    let mut all = vec![*range.start(), range.end() / 2, *range.end()];
    all.retain(|value| range.contains(value));
    all.dedup();
    all
}

fn pointer(target: &Target) -> Type {
    Type::Pointer { address_space: 0, bits: target.pointer_bits }
}

/// Every combination of types: one index runs over all widths while the others run over representative ones.
fn types(target: &Target, info: &OpcodeInfo) -> Vec<Vec<Type>> {
    let count = info.operands().filter_map(|kind| kind.type_index()).max().map_or(0, |last| last + 1);
    let at = |index: usize, widths: &mut dyn Iterator<Item = u32>| -> Vec<Type> {
        let scalars = widths.map(Type::scalar).filter(|&ty| info.class_of(index).is_some_and(|class| class.takes(ty)));
        scalars.chain(takes_pointers(target, info, index).then(|| pointer(target))).collect()
    };
    let mut all = Vec::new();
    for wide in 0..count.max(1) {
        let mut combinations = vec![Vec::new()];
        for index in 0..count {
            let choices = match index == wide {
                true => at(index, &mut (1..=MAX_BITS)),
                false => at(index, &mut REPRESENTATIVE.into_iter()),
            };
            combinations = combinations.iter().flat_map(|front| extended(front, &choices)).collect();
        }
        all.extend(combinations);
    }
    if count > 1 && !info.operands().any(OperandKind::must_be_pointer) {
        all.extend((1..=MAX_BITS).map(|bits| vec![Type::scalar(bits); count]));
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// True if queries have pointers at a type index. Queries of artifacts have integers alone: the legalization of pointer
/// artifacts depends on the definitions that they combine with.
fn takes_pointers(target: &Target, info: &OpcodeInfo, index: usize) -> bool {
    let takes = info.class_of(index).is_some_and(|class| class.takes(pointer(target)));
    takes && !info.flags.contains(OpcodeFlags::ARTIFACT)
}

fn extended(front: &[Type], choices: &[Type]) -> Vec<Vec<Type>> {
    choices.iter().map(|&ty| front.iter().copied().chain([ty]).collect()).collect()
}

/// Loads and stores: every size in memory, whole bytes or not, at alignments up to eight bytes, in values of that size
/// and of representative ones.
fn accesses(target: &Target, opcode: Opcode, info: &OpcodeInfo) -> Vec<LegalityQuery> {
    let mut all = Vec::new();
    for bits in 1..=MAX_BITS {
        let mut values = vec![bits, bits.next_power_of_two()];
        values.extend(REPRESENTATIVE);
        values.sort_unstable();
        values.dedup();
        let mut values: Vec<Type> = values.into_iter().map(Type::scalar).collect();
        if bits == u32::from(target.pointer_bits) && takes_pointers(target, info, info.value_index()) {
            values.push(pointer(target));
        }
        // A pair of registers is accessed in one step at its own alignment.
        let pair = (bits == 2 * target.register_type().bits()).then_some(bits / 8);
        for value in values {
            for align in [1, 2, 4, 8].into_iter().chain(pair.filter(|&bytes| bytes > 8)) {
                let memory = MemDescr::plain(Type::scalar(bits), align * 8);
                let (place, step) = (pointer(target), target.register_type());
                let types = match (info.family, info.value_index()) {
                    (Family::Indexed, 0) => vec![value, place, step],
                    (Family::Indexed, _) => vec![place, value, step],
                    _ => vec![value, place],
                };
                let mut query = LegalityQuery::new(opcode, types);
                query.memory = smallvec![memory];
                all.push(query.clone());
                // Whole, or in a register or its half, which a number of fewer bits is widened to.
                let is_register = value.bits() == step.bits() || 2 * value.bits() == step.bits();
                let is_usual = value.bits() == bits || is_register && bits < value.bits();
                let is_plain = matches!(opcode, Opcode::G_LOAD | Opcode::G_STORE) && is_usual;
                for ordering in ordering_kinds(info).into_iter().filter(|_| is_plain) {
                    query.memory = smallvec![MemDescr { ordering, ..memory }];
                    all.push(query.clone());
                }
            }
        }
    }
    all
}

/// An ordering that orders nothing, and one that orders others as far as a load or a store may.
fn ordering_kinds(info: &OpcodeInfo) -> [AtomicOrdering; 2] {
    let is_store = info.flags.contains(OpcodeFlags::STORE);
    [AtomicOrdering::Monotonic, if is_store { AtomicOrdering::Release } else { AtomicOrdering::Acquire }]
}

/// The demands of the machine verifier on each opcode's types and its access. Queries of types that are too narrow
/// stay, since the rules that refuse them should answer; no function makes them.
fn well_formed(query: &LegalityQuery) -> bool {
    let (Some(info), types) = (query.opcode.info(), index_types(query)) else { return false };
    let bits = |ty: Option<Type>| ty.map_or(0, Type::bits);
    let fits = query.memory.iter().all(|memory| info.access_fits(memory.ty.bits(), bits(types[info.value_index()])));
    let too_narrow = |rule: &TypeRule| matches!(rule, TypeRule::AtLeast(..));
    fits && info.rules.iter().all(|rule| too_narrow(rule) || rule.holds(&types, None))
}

/// Functions that make `query`; more than one where it leaves a predicate or an immediate open. Most widths that the
/// catalogue does not prove have none. Neither has an operand that stands for something outside the
/// function (a jump table, an intrinsic).
pub fn functions_of(target: &'static Target, query: &LegalityQuery) -> Vec<Function> {
    let Some(info) = query.opcode.info() else { return Vec::new() };
    let mut types = query.types.iter().copied().chain(query.memory.iter().map(|memory| memory.ty));
    if types.any(|ty| !has_instance(ty.bits())) || !info.takes(&index_types(query)) {
        return Vec::new();
    }
    // No instruction has an immediate that its row does not take, though the table may be asked about it.
    let taken = |value: i64| info.immediates.first().is_none_or(|first| first.takes(&index_types(query), value));
    if !query.immediate.is_none_or(taken) {
        return Vec::new();
    }
    let kinds = || info.defs.iter().chain(info.uses);
    if info.uses.contains(&OperandKind::FCONST) && FloatFormat::of_width(query.types[0].bits()).is_none() {
        return Vec::new();
    }
    let outside = |kind: &OperandKind| matches!(kind, OperandKind::POOL | OperandKind::TABLE | OperandKind::MASK);
    let any_number = kinds().any(|kind| *kind == OperandKind::MORE);
    if kinds().any(outside) || (any_number && !query.opcode.is_defined()) || info.flags.contains(OpcodeFlags::INDIRECT)
    {
        return Vec::new();
    }
    let predicates: &[IntPredicate] = match kinds().any(|kind| *kind == OperandKind::PRED) {
        true => &[IntPredicate::Eq, IntPredicate::Slt],
        false => &[IntPredicate::Eq],
    };
    let immediates = hidden_immediates(query);
    let choices = predicates.iter().flat_map(|&predicate| immediates.iter().map(move |&imm| (predicate, imm)));
    choices.map(|(predicate, imm)| instance(target, &|i| i.ask(query, info, &Open { predicate, imm }))).collect()
}

/// The parts of an instruction that its query leaves open.
struct Open {
    predicate: IntPredicate,
    imm: i64,
}

impl Instance<'_> {
    /// Writes the instruction that makes `query`, with its inputs before it and the users of its results after it.
    fn ask(&mut self, query: &LegalityQuery, info: &OpcodeInfo, open: &Open) {
        if query.opcode.is_phi() && !query.types[0].is_pointer() {
            return self.phi(query.types[0]);
        }
        let results: Vec<VReg> = self.registers(query, info.defs, |i, ty| i.builder.function.new_vreg(ty));
        let mut operands: Vec<Operand> = results.iter().copied().map(Operand::def).collect();
        for (position, &kind) in info.uses.iter().enumerate() {
            match kind {
                OperandKind::MORE if matches!(info.family, Family::Composition | Family::Vector) => {
                    let parts = query.types[0].bits() / query.types[1].bits();
                    let more: Vec<VReg> = (1..parts).map(|_| self.any(query.types[1])).collect();
                    operands.extend(more.into_iter().map(Operand::used));
                }
                // A PHI of pointers: from the entry, and round the loop.
                OperandKind::MORE => return self.pointer_phi(results[0]),
                _ if kind.type_index().is_some() => {
                    let source = self.registers(query, &info.uses[position..=position], Self::any);
                    operands.extend(source.into_iter().map(Operand::used));
                }
                _ => {
                    let place = info.defs.len() + position;
                    let immediate = info.nearest_immediate(place, &index_types(query), open.imm);
                    operands.push(immediate.map_or_else(|| self.other_operand(query, kind, open), Operand::Imm));
                }
            }
        }
        let mut data = InstData::new(query.opcode, operands);
        // Of two the first is stored to.
        let directions = match (info.family, info.flags.contains(OpcodeFlags::STORE)) {
            (Family::Atomic, _) => [MemFlags::LOAD | MemFlags::STORE; 2],
            (_, true) => [MemFlags::STORE, MemFlags::LOAD],
            (_, false) => [MemFlags::LOAD; 2],
        };
        for (descr, direction) in query.memory.iter().zip(directions) {
            let MemDescr { ordering, failure_ordering, .. } = *descr;
            let memory = MemOperand::new(direction, descr.ty, descr.align_bits / 8);
            data = data.with_memory(MemOperand { ordering, failure_ordering, ..memory });
        }
        if info.family == Family::Prefetch {
            data = data.with_memory(Instance::prefetched());
        }
        self.builder.push(data);
        if info.flags.contains(OpcodeFlags::TERMINATOR) {
            self.fall_through(info);
        }
        results.into_iter().for_each(|result| self.use_up(result));
    }

    /// A register for each kind that is one; an unmerge's definitions repeat.
    fn registers(
        &mut self,
        query: &LegalityQuery,
        kinds: &[OperandKind],
        mut make: impl FnMut(&mut Self, Type) -> VReg,
    ) -> Vec<VReg> {
        let mut all = Vec::new();
        for kind in kinds {
            match kind.type_index() {
                Some(index) => all.push(make(self, query.types[index])),
                None if *kind == OperandKind::MORE => {
                    let parts = query.types[1].bits() / query.types[0].bits();
                    (1..parts).for_each(|_| all.push(make(self, query.types[0])));
                }
                None => {}
            }
        }
        all
    }

    fn any(&mut self, ty: Type) -> VReg {
        if ty.is_pointer() { self.pointer() } else { self.input(ty) }
    }

    fn use_up(&mut self, value: VReg) {
        let ty = self.builder.type_of(value);
        if ty.is_scalar() || ty.is_vector() {
            return self.needed(value);
        }
        let place = self.pointer();
        self.builder.store(value, place, MemOperand::new(MemFlags::STORE, ty, ty.bytes()));
    }

    fn other_operand(&mut self, query: &LegalityQuery, kind: OperandKind, open: &Open) -> Operand {
        let bits = query.types.first().map_or(1, |ty| ty.bits());
        match kind {
            OperandKind::CONST => self.builder.function.constant(Bits::ones(bits)),
            OperandKind::FCONST => {
                let format = FloatFormat::of_width(bits).unwrap_or(FloatFormat::Float);
                self.builder.function.float(format, Bits::ones(bits))
            }
            OperandKind::PRED => Operand::Predicate(open.predicate),
            OperandKind::BLOCK => Operand::Block(self.builder.function.new_block()),
            OperandKind::FRAME => {
                Operand::Stack(self.builder.function.stack.push(StackObject::new(SlotKind::Default, 8, 8)))
            }
            OperandKind::FPRED => Operand::FloatPredicate(FloatPredicate::Oeq),
            _ => {
                let global = GlobalName::Named(self.builder.function.intern("global"));
                let base = match query.opcode {
                    Opcode::G_BLOCK_ADDR => {
                        AddressBase::Block { function: global, block: self.builder.function.intern("block") }
                    }
                    _ => AddressBase::Global(global),
                };
                self.builder.function.address(AddressData { base, offset: 0, flags: TargetFlags::NONE })
            }
        }
    }

    /// Goes on in the block that the terminator just written names.
    fn fall_through(&mut self, info: &OpcodeInfo) {
        let Some(next) = self.builder.function.layout().last().copied().filter(|&next| next != self.entry) else {
            return;
        };
        self.builder.function.block_mut(self.entry).successors = vec![(next, None)];
        if !info.flags.contains(OpcodeFlags::BARRIER) {
            self.builder.push(InstData::new(Opcode::G_BR, [Operand::Block(next)]));
        }
        self.builder.position = tribunal_ir::Position::AtEnd(next);
    }

    fn pointer_phi(&mut self, value: VReg) {
        let initial = self.pointer();
        let body = self.builder.function.new_block();
        self.builder.push(InstData::new(Opcode::G_BR, [Operand::Block(body)]));
        self.builder.function.block_mut(self.entry).successors = vec![(body, None)];
        self.builder.position = tribunal_ir::Position::AtEnd(body);
        let ty = self.builder.type_of(value);
        let again = self.builder.function.new_vreg(ty);
        let sources = [Operand::used(initial), Operand::Block(self.entry), Operand::used(again), Operand::Block(body)];
        self.builder.define(value, Opcode::G_PHI, sources);
        self.use_up(value);
        let step = self.input(Type::scalar(ty.bits()));
        self.builder.define(again, Opcode::G_PTR_ADD, [Operand::used(value), Operand::used(step)]);
        self.builder.push(InstData::new(Opcode::G_BR, [Operand::Block(body)]));
        self.builder.function.block_mut(body).successors = vec![(body, None)];
    }
}
