//! The catalogue: every recipe that the rules of a target reach, on one instance of each opcode, width and access.

mod floats;
mod queries;
mod vectors;

pub use queries::{functions_of, queries, queries_of};

use super::PASS;
use crate::{Context, Observer, Options};
use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::sync::Arc;
use tribunal_ir::opcode::IndexTypes;
use tribunal_ir::types::{S1, S8, S32};
use tribunal_ir::{
    AtomicOrdering, Bits, Block, Builder, Family, FloatFormat, FloatPredicate, Fragment, Function, Inst, InstData,
    InstFlags, IntPredicate, MemFlags, MemOperand, Opcode, OpcodeFlags, OpcodeInfo, Operand, OperandKind, Position,
    Properties, Step, Type, VReg,
};
use tribunal_target::{Features, Target};

/// A step that owns its function and fragments.
pub struct OwnedStep {
    /// The rule that was applied.
    pub rule: &'static str,
    /// The opcode of the instance that led here.
    pub opcode: Opcode,
    /// As legalization left it: registers keep their types, so all steps of an instance share it.
    pub function: Arc<Function>,
    /// The instructions that were replaced.
    pub before: Fragment,
    /// The instructions that replace them.
    pub after: Fragment,
}

impl OwnedStep {
    /// The step, as the prover takes it.
    pub fn as_step(&self) -> Step<'_> {
        Step { rule: self.rule, function: &self.function, before: &self.before, after: &self.after }
    }
}

/// Records every step.
#[derive(Default)]
struct Recorder {
    steps: Vec<(&'static str, Fragment, Fragment)>,
}

impl Observer for Recorder {
    fn step(&mut self, rule: &'static str, function: &mut Function, before: &[InstData], after: &mut Vec<Inst>) {
        let after = after.iter().map(|&inst| function.inst(inst).clone()).collect();
        self.steps.push((rule, before.to_vec(), after));
    }
}

/// The widest scalar of an instance, in bits.
const WIDEST: u32 = 128;

/// An opcode and a function around one instance of it. The catalogue is the steps that legalizing all of them takes; it
/// is never held whole, since a step owns a function.
pub struct CatalogueEntry {
    /// The opcode whose rules the instance exercises.
    pub opcode: Opcode,
    function: Function,
}

/// The instances of one opcode, or of all.
pub fn catalogue(target: &'static Target, only: Option<Opcode>) -> Vec<CatalogueEntry> {
    let entries = instances(target).into_iter().map(|(opcode, function)| CatalogueEntry { opcode, function });
    entries.filter(|entry| only.is_none_or(|only| only == entry.opcode)).collect()
}

impl CatalogueEntry {
    /// Every step that legalizing this instance takes; where legalization fails (a library call), the steps up to
    /// there.
    pub fn steps(&self, target: &'static Target, features: Features) -> Vec<OwnedStep> {
        let mut recorder = Recorder::default();
        let (options, legalizer) = (Options::new(features), (target.legality)(features));
        let mut context = Context { target, options, legalizer, observer: &mut recorder };
        let mut function = self.function.clone();
        let _ = (PASS.run)(&mut context, &mut function);
        let (function, opcode) = (Arc::new(function), self.opcode);
        let owned = |(rule, before, after)| OwnedStep { rule, opcode, function: Arc::clone(&function), before, after };
        recorder.steps.into_iter().map(owned).collect()
    }
}

/// One function for each instance: of every opcode that has a meaning and is no target's own, at every width.
fn instances(target: &'static Target) -> Vec<(Opcode, Function)> {
    let opcodes: Vec<(Opcode, &OpcodeInfo)> = Opcode::ALL
        .iter()
        .filter(|opcode| opcode.is_defined() && opcode.is_generic() && !opcode.is_float())
        .filter_map(|&opcode| Some((opcode, opcode.info()?)))
        .collect();
    let mut all = Vec::new();
    for bits in 1..=WIDEST {
        let ty = Type::scalar(bits);
        for &(opcode, info) in &opcodes {
            all.extend(of_opcode(target, opcode, info, ty).into_iter().map(|function| (opcode, function)));
        }
        all.extend(accesses(target, bits));
    }
    all.push((Opcode::G_PTRMASK, instance(target, &|i| i.pointer_mask())));
    all.push((Opcode::G_PREFETCH, instance(target, &|i| i.prefetch())));
    all.extend(divisions_by_constants(target));
    all.extend(atomics(target));
    for &opcode in Family::MemoryFunction.opcodes() {
        all.extend(memory_functions(target, opcode).into_iter().map(|function| (opcode, function)));
    }
    all.extend(stack_operations(target));
    all.extend(floats::instances(target));
    all.extend(vectors::instances(target));
    all
}

/// Instances of one opcode that works on values of type `ty`.
fn of_opcode(target: &'static Target, opcode: Opcode, info: &OpcodeInfo, ty: Type) -> Vec<Function> {
    match info.family {
        Family::Extension | Family::Truncation => conversions(target, opcode, info, ty.bits()),
        Family::Control if opcode.is_phi() => vec![instance(target, &|i| i.phi(ty))],
        Family::InRegister => in_register(target, opcode, info, ty),
        // Accesses and pointers have instances of their own.
        Family::Atomic | Family::Prefetch => Vec::new(),
        Family::Load
        | Family::Store
        | Family::Indexed
        | Family::Pointer
        | Family::Control
        | Family::Cast
        | Family::Place => Vec::new(),
        Family::Vector | Family::Reduction => Vec::new(),
        // Assertions go, or combine away; instances of other opcodes make the word operations.
        Family::Assertion | Family::Word => Vec::new(),
        Family::Composition if info.immediates.is_empty() => Vec::new(),
        Family::Composition => parts(target, opcode, info, ty),
        _ => operations(target, opcode, info, ty),
    }
}

/// Operations on values of `ty`, with each type that a second type index has and each corner of each immediate.
fn operations(target: &'static Target, opcode: Opcode, info: &OpcodeInfo, ty: Type) -> Vec<Function> {
    let principal = info.principal();
    let mut all = Vec::new();
    for other in other_types(target, info.family, ty) {
        let types = if principal == 0 { [Some(ty), Some(other), None] } else { [Some(other), Some(ty), None] };
        if info.rules.iter().all(|rule| rule.holds(&types, None)) {
            all.extend(writings(target, opcode, info, &types));
        }
    }
    all
}

/// The types of a second type index, where there is one; the first where there is none.
fn other_types(target: &'static Target, family: Family, ty: Type) -> Vec<Type> {
    match family {
        Family::Shift | Family::ZeroCount | Family::Population => vec![ty, target.register_type()],
        Family::Overflow | Family::Carry | Family::Comparison | Family::Selection => vec![S1],
        Family::ThreeWay => vec![S8, S32],
        _ => vec![ty],
    }
}

/// Takes out, or puts in, one bit and half of the value, at the corners of their places.
fn parts(target: &'static Target, opcode: Opcode, info: &OpcodeInfo, whole: Type) -> Vec<Function> {
    let parts = BTreeSet::from([1, whole.bits() / 2]).into_iter().filter(|part| (1..whole.bits()).contains(part));
    let types = parts.map(Type::scalar).map(|part| match info.principal() {
        0 => [Some(whole), Some(part), None],
        _ => [Some(part), Some(whole), None],
    });
    types.flat_map(|types| writings(target, opcode, info, &types)).collect()
}

/// The narrowest and the widest low part, and half of the value.
fn in_register(target: &'static Target, opcode: Opcode, info: &OpcodeInfo, ty: Type) -> Vec<Function> {
    let bits = i64::from(ty.bits());
    let low = [1, bits / 2, bits - 1].into_iter().filter(|low| (1..bits).contains(low));
    let types = [Some(ty), None, None];
    low.map(|low| instance(target, &|i| i.operation(opcode, info, &types, Written::with_immediate(low)))).collect()
}

/// One function for each predicate and each corner of the immediate, if the opcode has such operands.
fn writings(target: &'static Target, opcode: Opcode, info: &OpcodeInfo, types: &IndexTypes) -> Vec<Function> {
    let predicates = if info.uses.contains(&OperandKind::PRED) { &IntPredicate::ALL[..] } else { &[IntPredicate::Eq] };
    let bits = types[info.principal()].map_or(0, Type::bits);
    let immediate = info.immediates.first().copied();
    let range = immediate.and_then(|immediate| immediate.range(types));
    let mut immediates = range.map_or(BTreeSet::from([0]), |range| corners(&range, bits));
    immediates.retain(|&value| immediate.is_none_or(|immediate| immediate.takes(types, value)));
    let choices =
        predicates.iter().flat_map(|predicate| immediates.iter().map(move |immediate| (predicate, immediate)));
    let write = |(&predicate, &immediate): (&IntPredicate, &i64)| {
        let written = Written { predicate, ..Written::with_immediate(immediate) };
        instance(target, &|i| i.operation(opcode, info, types, written))
    };
    choices.map(write).collect()
}

/// The corners of the range: those of 0, 1 and half of the value's width that lie in it, and its last.
fn corners(range: &RangeInclusive<i64>, bits: u32) -> BTreeSet<i64> {
    [0, 1, i64::from(bits / 2), *range.end()].into_iter().filter(|value| range.contains(value)).collect()
}

/// Conversions between this width and others around registers.
fn conversions(target: &'static Target, opcode: Opcode, info: &OpcodeInfo, bits: u32) -> Vec<Function> {
    let others = [1, 8, 32, 33, 64, 65, 128].into_iter().filter(|&other| other != bits);
    let types = others.map(|other| {
        let (wide, narrow) = (Type::scalar(bits.max(other)), Type::scalar(bits.min(other)));
        if info.truncates() { [Some(narrow), Some(wide), None] } else { [Some(wide), Some(narrow), None] }
    });
    types.flat_map(|types| writings(target, opcode, info, &types)).collect()
}

/// Divisors that take each way: powers of two, multipliers that fit, even ones that are shifted first, the addition,
/// and the neighbours of powers of two. The multipliers of 3, 5, 10 and 641 fit; those of 7 and 2^(w-1)+1 do not; 14
/// and 28 are even.
fn divisions_by_constants(target: &'static Target) -> Vec<(Opcode, Function)> {
    const SMALL: &[u128] = &[
        0,
        1,
        2,
        3,
        5,
        6,
        7,
        9,
        10,
        11,
        12,
        14,
        19,
        21,
        25,
        28,
        60,
        100,
        127,
        128,
        255,
        641,
        1000,
        10_000,
        1_000_000_007,
    ];
    let ty = target.register_type();
    let (one, top, ones) = (Bits::new(1, ty.bits()), Bits::signed_min(ty.bits()), Bits::ones(ty.bits()));
    let corners = [top.sub(one), top, top.add(one), ones.sub(one), ones];
    let divisors: Vec<Bits> = SMALL.iter().map(|&divisor| Bits::new(divisor, ty.bits())).chain(corners).collect();
    let pairs = [Opcode::G_UDIV, Opcode::G_UREM].into_iter();
    let pairs = pairs.flat_map(|opcode| divisors.iter().map(move |&divisor| (opcode, divisor)));
    pairs.map(|(opcode, divisor)| (opcode, instance(target, &|i| i.by_constant(ty, opcode, divisor)))).collect()
}

/// Operations on memory, and ordered loads and stores, of each size and ordering.
fn atomics(target: &'static Target) -> Vec<(Opcode, Function)> {
    use AtomicOrdering::{Acquire, Monotonic, NotAtomic, Release, SequentiallyConsistent};
    let pointer = Type::Pointer { address_space: 0, bits: target.pointer_bits };
    let types = || [8, 16, 32, 64, 128].map(Type::scalar).into_iter().chain([pointer]);
    let mut all = Vec::new();
    for opcode in Family::Atomic.opcodes().iter().copied().filter(|opcode| opcode.is_defined()) {
        let Some(info) = opcode.info().filter(|info| !info.defs.is_empty()) else { continue };
        let failure = if info.fails() { Monotonic } else { NotAtomic };
        for ty in types().filter(|&ty| info.class_of(0).is_some_and(|class| class.takes(ty))) {
            for ordering in [Monotonic, Acquire, Release, SequentiallyConsistent] {
                let memory = MemOperand::new(MemFlags::LOAD | MemFlags::STORE, ty, ty.bytes());
                let memory = MemOperand { ordering, failure_ordering: failure, ..memory };
                all.push((opcode, instance(target, &|i| i.atomic(opcode, info, ty, memory))));
            }
        }
    }
    for ty in types() {
        for ordering in [Monotonic, Acquire, SequentiallyConsistent] {
            let memory = MemOperand { ordering, ..MemOperand::new(MemFlags::LOAD, ty, ty.bytes()) };
            all.push((Opcode::G_LOAD, instance(target, &|i| i.load(Opcode::G_LOAD, ty, memory))));
        }
        for ordering in [Monotonic, Release, SequentiallyConsistent] {
            let memory = MemOperand { ordering, ..MemOperand::new(MemFlags::STORE, ty, ty.bytes()) };
            all.push((Opcode::G_STORE, instance(target, &|i| i.store(ty, memory))));
        }
    }
    all
}

/// A memory function of each short length and of any, at each alignment up to eight bytes, of a byte that is known or
/// not.
fn memory_functions(target: &'static Target, opcode: Opcode) -> Vec<Function> {
    const LONG: [i64; 4] = [48, 63, 64, 100];
    let lengths = (0..=33).chain(LONG).map(Some).chain([None]);
    let choices = lengths.flat_map(|length| [1, 2, 4, 8].map(|align| (length, align)));
    let bytes = if opcode == Opcode::G_MEMSET { &[None, Some(0xa5)][..] } else { &[None] };
    let choices = choices.flat_map(|(length, align)| bytes.iter().map(move |&byte| (length, align, byte)));
    choices.map(|choice| instance(target, &|i| i.memory_function(opcode, choice))).collect()
}

/// The operations on the stack pointer; objects of variable size at alignments of the stack, above it, and beyond
/// every immediate.
fn stack_operations(target: &'static Target) -> Vec<(Opcode, Function)> {
    let pointer = |i: &mut Instance<'_>| Operand::def(i.pointer());
    let allocate = |align: i64| {
        instance(target, &|i| {
            let (object, size) = (pointer(i), Operand::used(i.input(target.register_type())));
            i.builder.push(InstData::new(Opcode::G_DYN_STACKALLOC, [object, size, Operand::Imm(align)]));
        })
    };
    let save = instance(target, &|i| {
        let (saved, place) = (i.pointer(), i.pointer());
        i.builder.push(InstData::new(Opcode::G_STACKSAVE, [Operand::def(saved)]));
        let ty = i.builder.type_of(saved);
        i.builder.store(saved, place, MemOperand::new(MemFlags::STORE, ty, target.register_bytes()));
    });
    let restore = instance(target, &|i| {
        let saved = Operand::used(i.pointer());
        i.builder.push(InstData::new(Opcode::G_STACKRESTORE, [saved]));
    });
    let allocations = [1, 16, 32, 4096, 1 << 20].map(|align| (Opcode::G_DYN_STACKALLOC, allocate(align)));
    let others = [(Opcode::G_STACKSAVE, save), (Opcode::G_STACKRESTORE, restore)];
    allocations.into_iter().chain(others).collect()
}

/// Loads and stores of `bits` bits at every alignment up to eight bytes.
fn accesses(target: &'static Target, bits: u32) -> Vec<(Opcode, Function)> {
    let mut all = Vec::new();
    let memory = Type::scalar(bits);
    for align in [1, 2, 4, 8] {
        let values = [bits, (bits + 1).next_power_of_two(), 64, 128];
        for value in values.into_iter().filter(|&value| (bits..=WIDEST).contains(&value)) {
            let ty = Type::scalar(value);
            for &opcode in Family::Load.opcodes() {
                if opcode.info().is_some_and(|info| info.access_fits(bits, value)) {
                    let operand = MemOperand::new(MemFlags::LOAD, memory, align);
                    all.push((opcode, instance(target, &|i| i.load(opcode, ty, operand))));
                }
            }
            let operand = MemOperand::new(MemFlags::STORE, memory, align);
            all.push((Opcode::G_STORE, instance(target, &|i| i.store(ty, operand))));
            // The sum and the access that they become have instances at each size and alignment.
            let few = align == 8 && bits.is_power_of_two() && bits >= 8;
            for &opcode in Family::Indexed.opcodes().iter().filter(|_| few) {
                let Some(info) = opcode.info().filter(|info| info.access_fits(bits, value)) else { continue };
                all.extend(
                    [0, 1].map(|step| {
                        (opcode, instance(target, &|i| i.indexed((opcode, info), ty, memory, (align, step))))
                    }),
                );
            }
        }
    }
    all
}

/// The directions of a memory function's accesses: stores first.
fn accesses_of_range(info: &OpcodeInfo) -> impl Iterator<Item = MemFlags> {
    let count = info.accesses.map_or(0, |accesses| usize::from(accesses.count));
    [MemFlags::STORE, MemFlags::LOAD].into_iter().take(count)
}

/// A function being written around one instance. Its inputs are registers without a definition, cut to their types from
/// registers that the target holds. Its results are stored, so that they are live.
struct Instance<'f> {
    builder: Builder<'f>,
    target: &'static Target,
    entry: Block,
}

fn instance(target: &'static Target, write: &dyn Fn(&mut Instance<'_>)) -> Function {
    let mut function = Function::new("instance");
    function.properties = Properties::IS_SSA | Properties::TRACKS_REG_LIVENESS;
    let entry = function.new_block();
    let builder = Builder::new(&mut function, Position::AtEnd(entry));
    let mut instance = Instance { builder, target, entry };
    write(&mut instance);
    function
}

/// The parts of an operation that its types leave open.
#[derive(Clone, Copy)]
struct Written {
    predicate: IntPredicate,
    comparison: FloatPredicate,
    immediate: i64,
    flags: InstFlags,
}

impl Written {
    fn with_immediate(immediate: i64) -> Written {
        let (predicate, comparison) = (IntPredicate::Eq, FloatPredicate::Oeq);
        Written { predicate, comparison, immediate, flags: InstFlags::empty() }
    }
}

impl Instance<'_> {
    fn pointer(&mut self) -> VReg {
        self.builder.function.new_vreg(Type::Pointer { address_space: 0, bits: self.target.pointer_bits })
    }

    /// A value of `ty` made from whole registers, or a vector made from elements.
    fn input(&mut self, ty: Type) -> VReg {
        if let Some(count) = ty.element_count() {
            let elements: Vec<VReg> = (0..count.lanes).map(|_| self.value(ty.scalar_type())).collect();
            return self.builder.op(ty, Opcode::G_BUILD_VECTOR, &elements);
        }
        let register = self.target.register_type();
        let whole = Type::scalar(ty.bits().next_power_of_two().max(register.bits()));
        let count = whole.bits() / register.bits();
        let parts: Vec<VReg> = (0..count).map(|_| self.builder.function.new_vreg(register)).collect();
        let value = if count == 1 { parts[0] } else { self.builder.op(whole, Opcode::G_MERGE_VALUES, &parts) };
        if ty == whole { value } else { self.builder.op(ty, Opcode::G_TRUNC, &[value]) }
    }

    /// The same, or a pointer.
    fn value(&mut self, ty: Type) -> VReg {
        if ty.is_pointer() { self.pointer() } else { self.input(ty) }
    }

    /// Makes `value` live: its bits are extended to registers and stored.
    fn needed(&mut self, value: VReg) {
        let ty = self.builder.type_of(value);
        if ty.is_vector() {
            let elements = self.builder.unmerge(ty.scalar_type(), value);
            return elements.into_iter().for_each(|element| self.needed(element));
        }
        if ty.is_pointer() {
            let place = self.pointer();
            self.builder.store(value, place, MemOperand::new(MemFlags::STORE, ty, ty.bytes()));
            return;
        }
        let (bits, register) = (self.builder.type_of(value).bits(), self.target.register_type());
        let whole = Type::scalar(bits.next_power_of_two().max(register.bits()));
        let value = if whole.bits() == bits { value } else { self.builder.op(whole, Opcode::G_ANYEXT, &[value]) };
        let parts = if whole == register { vec![value] } else { self.builder.unmerge(register, value) };
        let pointer = self.pointer();
        for part in parts {
            self.builder.store(part, pointer, MemOperand::new(MemFlags::STORE, register, register.bytes()));
        }
    }

    /// One instruction with registers of these types, and its results made live.
    fn operation(&mut self, opcode: Opcode, info: &OpcodeInfo, types: &IndexTypes, written: Written) {
        let of = |index: u8| types.get(usize::from(index)).copied().flatten();
        let mut sources = Vec::new();
        for (place, kind) in info.uses.iter().enumerate() {
            let operand = match *kind {
                OperandKind::Register(_, index) => of(index).map(|ty| Operand::used(self.input(ty))),
                OperandKind::PRED => Some(Operand::Predicate(written.predicate)),
                OperandKind::FPRED => Some(Operand::FloatPredicate(written.comparison)),
                OperandKind::FCONST => {
                    of(0).and_then(|ty| FloatFormat::of_width(ty.bits())).map(|format| self.number(format))
                }
                OperandKind::CONST => of(0).map(|ty| self.builder.function.constant(Bits::ones(ty.bits()))),
                _ => info.nearest_immediate(info.defs.len() + place, types, written.immediate).map(Operand::Imm),
            };
            sources.extend(operand);
        }
        let results = info.defs.iter().filter_map(|kind| types.get(kind.type_index()?).copied().flatten());
        let results: Vec<VReg> = results.map(|ty| self.builder.function.new_vreg(ty)).collect();
        let defs = results.iter().copied().map(Operand::def);
        self.builder.push(InstData { flags: written.flags, ..InstData::new(opcode, defs.chain(sources)) });
        results.into_iter().for_each(|result| self.needed(result));
    }

    fn by_constant(&mut self, ty: Type, opcode: Opcode, constant: Bits) {
        let (value, constant) = (self.input(ty), self.builder.constant(ty, constant));
        let result = self.builder.op(ty, opcode, &[value, constant]);
        self.needed(result);
    }

    fn pointer_mask(&mut self) {
        let (pointer, mask) = (self.pointer(), self.input(Type::scalar(self.target.pointer_bits.into())));
        let ty = self.builder.type_of(pointer);
        let masked = self.builder.op(ty, Opcode::G_PTRMASK, &[pointer, mask]);
        let value = self.input(self.target.register_type());
        let memory = self.builder.type_of(value);
        self.builder.store(value, masked, MemOperand::new(MemFlags::STORE, memory, memory.bits() / 8));
    }

    fn load(&mut self, opcode: Opcode, ty: Type, memory: MemOperand) {
        let pointer = self.pointer();
        let result = self.builder.load(opcode, ty, pointer, memory);
        self.needed(result);
    }

    fn store(&mut self, ty: Type, memory: MemOperand) {
        let (value, pointer) = (self.value(ty), self.pointer());
        self.builder.store(value, pointer, memory);
    }

    /// An access that steps its address, before or behind.
    fn indexed(&mut self, (opcode, info): (Opcode, &OpcodeInfo), ty: Type, memory: Type, (align, before): (u32, i64)) {
        let is_store = info.flags.contains(OpcodeFlags::STORE);
        let base = self.pointer();
        let pointer = self.builder.type_of(base);
        let (value, step) = (self.value(ty), self.input(self.target.register_type()));
        let stepped = self.builder.function.new_vreg(pointer);
        let loaded = self.builder.function.new_vreg(ty);
        let (first, flags) = match is_store {
            true => ([Operand::def(stepped), Operand::used(value)], MemFlags::STORE),
            false => ([Operand::def(loaded), Operand::def(stepped)], MemFlags::LOAD),
        };
        let place = [Operand::used(base), Operand::used(step), Operand::Imm(before)];
        let data = InstData::new(opcode, first.into_iter().chain(place));
        self.builder.push(data.with_memory(MemOperand::new(flags, memory, align)));
        if !is_store {
            self.needed(loaded);
        }
        self.needed(stepped);
    }

    /// An operation on memory of values of `ty`, whose success, if it tells it, is one bit.
    fn atomic(&mut self, opcode: Opcode, info: &OpcodeInfo, ty: Type, memory: MemOperand) {
        let types = [ty, S1];
        let results = info.defs.iter().zip(types).map(|(_, ty)| self.builder.function.new_vreg(ty));
        let results: Vec<VReg> = results.collect();
        let mut data = InstData::new(opcode, results.iter().copied().map(Operand::def));
        for kind in info.uses {
            let register = if kind.must_be_pointer() { self.pointer() } else { self.value(ty) };
            data.operands.push(Operand::used(register));
        }
        self.builder.push(data.with_memory(memory));
        results.into_iter().for_each(|result| self.needed(result));
    }

    /// The access of a prefetch for reading, which says no size.
    fn prefetched() -> MemOperand {
        MemOperand { ty: None, ..MemOperand::new(MemFlags::LOAD, S8, 1) }
    }

    /// A prefetch of data to be read.
    fn prefetch(&mut self) {
        let pointer = Operand::used(self.pointer());
        let data = InstData::new(Opcode::G_PREFETCH, [pointer, Operand::Imm(0), Operand::Imm(3), Operand::Imm(1)]);
        self.builder.push(data.with_memory(Instance::prefetched()));
    }

    /// A memory function of this length and alignment in bytes, of this byte.
    fn memory_function(&mut self, opcode: Opcode, (length, align, byte): (Option<i64>, u32, Option<i64>)) {
        let Some(info) = opcode.info() else { return };
        let mut data = InstData::new(opcode, []);
        for (index, kind) in info.uses.iter().enumerate() {
            let is_last = info.uses.get(index + 1).is_none_or(|next| next.is_immediate());
            data.operands.push(match (kind, length, byte) {
                (kind, ..) if kind.is_immediate() => Operand::Imm(0),
                (kind, ..) if kind.must_be_pointer() => Operand::used(self.pointer()),
                (_, Some(length), _) if is_last => {
                    Operand::used(self.builder.constant_i64(self.target.register_type(), length))
                }
                (_, None, _) if is_last => Operand::used(self.input(S32)),
                (_, _, Some(byte)) => Operand::used(self.builder.constant_i64(S8, byte)),
                (_, _, None) => Operand::used(self.input(S8)),
            });
        }
        data.memory.extend(accesses_of_range(info).map(|direction| MemOperand::new(direction, S8, align)));
        self.builder.push(data);
    }

    /// A loop: one value enters, one comes round.
    fn phi(&mut self, ty: Type) {
        let initial = self.input(ty);
        let body = self.builder.function.new_block();
        self.builder.push(InstData::new(Opcode::G_BR, [Operand::Block(body)]));
        self.builder.function.block_mut(self.entry).successors = vec![(body, None)];
        self.builder.position = Position::AtEnd(body);
        let again = self.builder.function.new_vreg(ty);
        let operands = [Operand::used(initial), Operand::Block(self.entry), Operand::used(again), Operand::Block(body)];
        let value = self.builder.build(ty, Opcode::G_PHI, operands);
        self.needed(value);
        let next = self.input(ty);
        self.builder.define(again, Opcode::G_XOR, [Operand::used(value), Operand::used(next)]);
        self.builder.push(InstData::new(Opcode::G_BR, [Operand::Block(body)]));
        self.builder.function.block_mut(body).successors = vec![(body, None)];
    }
}
