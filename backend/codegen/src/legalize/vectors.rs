//! Vectors, taken apart into their elements: an operation on vectors becomes one on each element, between a
//! `G_UNMERGE_VALUES` of each source and a `G_BUILD_VECTOR` of the results. The two are artifacts and combine away.
//!
//! Invariant: every recipe here reads vectors by `G_UNMERGE_VALUES` alone and makes them by `G_BUILD_VECTOR` alone. So
//! no vector is left once each unmerge has met the definition of its source.

use super::Legalizer;
use super::artifacts::{Combine, Look, combined};
use super::narrow;
use super::recipe::Recipe;
use tribunal_ir::{
    Bits, Family, Function, Inst, InstData, InstFlags, IntPredicate, MemFlags, MemOperand, Opcode, Operand, Type, VReg,
};

/// True if the instruction has a vector among its registers.
pub(super) fn has_vector(function: &Function, data: &InstData) -> bool {
    let is_vector = |register| function.type_of(register).is_some_and(Type::is_vector);
    data.operands.iter().filter_map(Operand::as_vreg).any(is_vector)
}

/// The number of elements of a vector of known length; `None` for anything else.
fn lanes(ty: Type) -> Option<usize> {
    ty.element_count().filter(|count| !count.scalable).map(|count| usize::from(count.lanes))
}

/// Splits type 0, a vector, into its elements, which are of `element`; false if there is no recipe.
pub(super) fn fewer_elements(r: &mut Recipe<'_>, index: usize, element: Type) -> bool {
    let ty = r.type_of(r.register(0));
    if index != 0 || element != ty.scalar_type() || lanes(ty).is_none() {
        return false;
    }
    match (r.data.opcode, r.data.opcode.family()) {
        (Opcode::G_LOAD, _) => load(r, element),
        (Opcode::G_STORE, _) => store(r, element),
        (Opcode::G_PHI, _) => {
            narrow::phi(r, element, ty.bits());
            true
        }
        (_, None | Some(Family::Composition | Family::Load | Family::Store | Family::Atomic)) => false,
        _ => element_by_element(r),
    }
}

/// The operation on each element. An operand that is no vector is one of every operation.
fn element_by_element(r: &mut Recipe<'_>) -> bool {
    let count = lanes(r.type_of(r.dst()));
    let vector = |r: &Recipe<'_>, operand: &Operand| {
        operand.as_vreg().map(|register| (register, r.type_of(register))).filter(|(_, ty)| ty.is_vector())
    };
    let (Some(count), operands) = (count, r.data.operands()) else { return false };
    if operands.iter().filter_map(|operand| vector(r, operand)).any(|(_, ty)| lanes(ty) != Some(count)) {
        return false;
    }
    let mut of_lanes: Vec<InstData> = (0..count).map(|_| InstData::new(r.data.opcode, [])).collect();
    let mut results = Vec::new();
    for (index, operand) in operands.iter().enumerate() {
        let Some((register, ty)) = vector(r, operand) else {
            of_lanes.iter_mut().for_each(|data| data.operands.push(*operand));
            continue;
        };
        let (is_def, element) = (operand.is_def(), ty.scalar_type());
        let is_condition = r.data.opcode == Opcode::G_SELECT && index == 1;
        let parts: Vec<VReg> = match is_def {
            true if r.data.opcode.is_comparison() => new_registers(r, TRUTH, count),
            true => new_registers(r, element, count),
            false if is_condition && element != TRUTH => {
                let parts = r.unmerge(element, register);
                parts.into_iter().map(|part| r.op(TRUTH, Opcode::G_TRUNC, &[part])).collect()
            }
            false => r.unmerge(element, register),
        };
        let part = |part| if is_def { Operand::def(part) } else { Operand::used(part) };
        of_lanes.iter_mut().zip(&parts).for_each(|(data, &register)| data.operands.push(part(register)));
        if is_def {
            results.push((register, parts));
        }
    }
    let flags: InstFlags = r.data.flags;
    for data in of_lanes {
        r.builder.push(data.with_flags(flags));
    }
    for (register, mut parts) in results {
        let element = r.type_of(register).scalar_type();
        if r.data.opcode.is_comparison() && element != TRUTH {
            parts.iter_mut().for_each(|part| *part = r.op(element, Opcode::G_SEXT, &[*part]));
        }
        r.merge(register, &parts);
    }
    true
}

/// One bit: truth in an element of more is all ones.
const TRUTH: Type = Type::scalar(1);

fn new_registers(r: &mut Recipe<'_>, ty: Type, count: usize) -> Vec<VReg> {
    (0..count).map(|_| r.builder.function.new_vreg(ty)).collect()
}

/// The access of a vector that may be split: of whole bytes for each element, and neither volatile nor atomic.
fn access(r: &Recipe<'_>, element: Type) -> Option<MemOperand> {
    let [memory] = r.data.memory.as_slice() else { return None };
    let is_whole = memory.ty?.bits() == r.bits_of(r.register(0)) && element.bits().is_multiple_of(8);
    let divisible = !memory.is_atomic() && !memory.flags.contains(MemFlags::VOLATILE);
    (is_whole && divisible).then_some(*memory)
}

fn load(r: &mut Recipe<'_>, element: Type) -> bool {
    let Some(memory) = access(r, element) else { return false };
    let (dst, pointer) = (r.dst(), r.register(1));
    let offsets = (0..r.bits_of(dst) / 8).step_by(element.bytes() as usize);
    let parts: Vec<VReg> = offsets
        .map(|offset| {
            let address = r.pointer_plus(pointer, offset);
            r.builder.load(Opcode::G_LOAD, element, address, memory.part(offset, element))
        })
        .collect();
    r.merge(dst, &parts);
    true
}

fn store(r: &mut Recipe<'_>, element: Type) -> bool {
    let Some(memory) = access(r, element) else { return false };
    let (value, pointer) = (r.register(0), r.register(1));
    for (index, part) in (0u32..).zip(r.unmerge(element, value)) {
        let offset = index * element.bytes();
        let address = r.pointer_plus(pointer, offset);
        r.builder.store(part, address, memory.part(offset, element));
    }
    true
}

/// Expands an operation that makes vectors or takes them apart; false if there is no recipe.
pub(super) fn lower(r: &mut Recipe<'_>) -> bool {
    use Opcode::*;
    let scales = |register: VReg| r.type_of(register).element_count().is_some_and(|count| count.scalable);
    if r.data.vreg_defs().chain(r.data.vreg_uses()).any(scales) {
        return false;
    }
    match r.data.opcode {
        G_BITCAST => return bit_cast(r),
        G_UNMERGE_VALUES => return unmerge(r),
        G_CONCAT_VECTORS => {
            let sources: Vec<VReg> = r.data.vreg_uses().collect();
            let parts: Vec<VReg> = sources.into_iter().flat_map(|source| elements(r, source)).collect();
            result(r, &parts);
        }
        G_BUILD_VECTOR_TRUNC => {
            let (element, sources) = (r.type_of(r.dst()).scalar_type(), r.data.vreg_uses().collect::<Vec<VReg>>());
            let parts: Vec<VReg> = sources.into_iter().map(|source| r.op(element, G_TRUNC, &[source])).collect();
            result(r, &parts);
        }
        G_EXTRACT_VECTOR_ELT => extract(r),
        G_INSERT_VECTOR_ELT => insert(r),
        G_SHUFFLE_VECTOR => return shuffle(r),
        _ => return reduce(r),
    }
    true
}

/// The elements of a vector; a scalar is one.
fn elements(r: &mut Recipe<'_>, value: VReg) -> Vec<VReg> {
    let ty = r.type_of(value);
    if ty.is_vector() { r.unmerge(ty.scalar_type(), value) } else { vec![value] }
}

/// Defines the result as these elements, or as the one that there is.
fn result(r: &mut Recipe<'_>, parts: &[VReg]) {
    let dst = r.dst();
    match parts {
        &[part] => r.define(dst, Opcode::COPY, &[part]),
        parts => r.merge(dst, parts),
    }
}

/// Elements of one size become elements of another: all are cut into the largest pieces that both consist of. So an
/// element that is poison reaches no element that shares no bit with it. False for pointers, which are no bits.
fn bit_cast(r: &mut Recipe<'_>) -> bool {
    let (source, to) = (r.register(1), r.type_of(r.dst()).scalar_type());
    if to.is_pointer() || r.type_of(source).scalar_type().is_pointer() {
        return false;
    }
    let mut parts = elements(r, source);
    let from = r.bits_of(parts[0]);
    let piece = gcd(from, to.bits());
    if piece < from {
        parts = split(r, Type::scalar(piece), parts);
    }
    if piece < to.bits() {
        let each = (to.bits() / piece) as usize;
        parts = parts.chunks(each).map(|group| r.op(to, Opcode::G_MERGE_VALUES, group)).collect();
    }
    result(r, &parts);
    true
}

/// The greatest common divisor.
fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn split(r: &mut Recipe<'_>, to: Type, parts: Vec<VReg>) -> Vec<VReg> {
    parts.into_iter().flat_map(|part| r.unmerge(to, part)).collect()
}

/// A vector taken apart into shorter ones; false for parts with other elements.
fn unmerge(r: &mut Recipe<'_>) -> bool {
    let parts: Vec<VReg> = r.data.vreg_defs().collect();
    let source = r.register(parts.len());
    let (part, whole) = (r.type_of(parts[0]), r.type_of(source));
    let Some(each) = lanes(part).filter(|&each| each > 0 && part.scalar_type() == whole.scalar_type()) else {
        return false;
    };
    let elements = elements(r, source);
    parts.into_iter().zip(elements.chunks(each)).for_each(|(part, elements)| r.merge(part, elements));
    true
}

/// The element that an index names, among all: an index beyond them makes poison.
fn extract(r: &mut Recipe<'_>) {
    let (vector, index, dst) = (r.register(1), r.register(2), r.dst());
    let parts = elements(r, vector);
    let mut chosen = parts[0];
    for (number, &part) in (1..).zip(&parts[1..]) {
        let is_it = is_index(r, index, number);
        chosen = r.select(is_it, part, chosen);
    }
    r.define(dst, Opcode::COPY, &[chosen]);
}

fn insert(r: &mut Recipe<'_>) {
    let (vector, value, index) = (r.register(1), r.register(2), r.register(3));
    let parts = elements(r, vector);
    let value = new_element(r, value, parts[0]);
    let parts: Vec<VReg> = (0..)
        .zip(parts)
        .map(|(number, part)| {
            let is_it = is_index(r, index, number);
            r.select(is_it, value, part)
        })
        .collect();
    result(r, &parts);
}

/// The value cut to the type of an element that it replaces.
fn new_element(r: &mut Recipe<'_>, value: VReg, old: VReg) -> VReg {
    let ty = r.type_of(old);
    r.resized(Opcode::G_ANYEXT, value, ty)
}

fn is_index(r: &mut Recipe<'_>, index: VReg, number: i64) -> VReg {
    let ty = r.type_of(index);
    let number = r.constant(ty, number);
    r.icmp(IntPredicate::Eq, index, number)
}

/// Elements of the first vector, then of the second, in the order of the mask. An open lane has any bits.
fn shuffle(r: &mut Recipe<'_>) -> bool {
    let mask = r.data.operands.iter().find_map(|operand| match operand {
        Operand::ShuffleMask(mask) => r.builder.function.shuffle_masks.get(*mask).cloned(),
        _ => None,
    });
    let (one, other) = (r.register(1), r.register(2));
    let Some(mask) = mask else { return false };
    let element = r.type_of(one).scalar_type();
    let mut sources = elements(r, one);
    sources.extend(elements(r, other));
    let of_lane = |r: &mut Recipe<'_>, lane: &Option<u32>| match lane {
        Some(lane) => sources.get(*lane as usize).copied(),
        None => Some(r.op(element, Opcode::G_IMPLICIT_DEF, &[])),
    };
    let parts: Option<Vec<VReg>> = mask.iter().map(|lane| of_lane(r, lane)).collect();
    parts.map(|parts| result(r, &parts)).is_some()
}

/// All elements taken together by one operation, after a number that stands before the vector. Flags are dropped: they
/// promise nothing of the numbers in between.
fn reduce(r: &mut Recipe<'_>) -> bool {
    let Some(opcode) = r.data.opcode.reduced_by() else { return false };
    let (sources, dst) = (r.data.vreg_uses().collect::<Vec<VReg>>(), r.dst());
    let parts: Vec<VReg> = sources.into_iter().flat_map(|source| elements(r, source)).collect();
    let mut parts = parts.into_iter();
    let Some(first) = parts.next() else { return false };
    let ty = r.type_of(first);
    let total = parts.fold(first, |total, part| r.op(ty, opcode, &[total, part]));
    r.define_resized(dst, Opcode::G_ANYEXT, total);
    true
}

/// The combine for an element whose index is a constant within the vector.
pub(super) fn of_constant_index(legalizer: &Legalizer<'_, '_, '_>, inst: Inst) -> Option<Combine> {
    let (data, look) = (legalizer.function.inst(inst), Look { legalizer });
    let place = match data.opcode {
        Opcode::G_EXTRACT_VECTOR_ELT => 2,
        Opcode::G_INSERT_VECTOR_ELT => 3,
        _ => return None,
    };
    let vector = data.vreg(1)?;
    let count = lanes(legalizer.function.type_of(vector)?)?;
    let (through, index) = look.definition(data.vreg(place)?)?;
    let index = match index.opcode {
        Opcode::G_CONSTANT => legalizer.function.constant_value(index.operands.get(1)?)?,
        _ => return None,
    };
    let index = usize::try_from(index.unsigned()).ok().filter(|&index| index < count)?;
    match place {
        2 => combined("combine extract_of_constant_index", through, move |r| {
            let (parts, dst) = (elements(r, vector), r.dst());
            r.define(dst, Opcode::COPY, &[parts[index]]);
        }),
        _ => combined("combine insert_of_constant_index", through, move |r| {
            let mut parts = elements(r, vector);
            let value = r.register(2);
            parts[index] = new_element(r, value, parts[index]);
            result(r, &parts);
        }),
    }
}

/// The combine for LLVM's accesses of vectors whose elements lie in memory by turns. It writes them for plain loops.
pub(super) fn of_interleaved_access(legalizer: &Legalizer<'_, '_, '_>, inst: Inst) -> Option<Combine> {
    let (function, data) = (&*legalizer.function, legalizer.function.inst(inst));
    let name = intrinsic(function, data)?;
    let is_load = LOADS.contains(&name);
    if !is_load && !STORES.contains(&name) {
        return None;
    }
    let [memory] = data.memory.as_slice() else { return None };
    let registers: Vec<VReg> = data.operands.iter().filter_map(Operand::as_vreg).collect();
    let (vectors, pointer) = registers.split_last().map(|(pointer, vectors)| (vectors.to_vec(), *pointer))?;
    let ty = function.type_of(*vectors.first()?)?;
    let same = vectors.iter().all(|&vector| function.type_of(vector) == Some(ty));
    let count = lanes(ty).filter(|_| same && ty.scalar_type().bits().is_multiple_of(8))?;
    if memory.is_atomic() || memory.flags.contains(MemFlags::VOLATILE) {
        return None;
    }
    // The alignment of LLVM's memory operand is a guess: the machine asks for that of an element alone.
    let memory = MemOperand { align: memory.align.min(ty.scalar_type().bytes()), ..*memory };
    let access = InterleavedAccess { vectors, pointer, element: ty.scalar_type(), count, memory };
    match is_load {
        true => combined("combine interleaved_load", Default::default(), move |r| access.load(r)),
        false => combined("combine interleaved_store", Default::default(), move |r| access.store(r)),
    }
}

/// LLVM's names of the loads by turns.
const LOADS: [&str; 3] = ["llvm.aarch64.neon.ld2", "llvm.aarch64.neon.ld3", "llvm.aarch64.neon.ld4"];
/// LLVM's names of the stores by turns.
const STORES: [&str; 3] = ["llvm.aarch64.neon.st2", "llvm.aarch64.neon.st3", "llvm.aarch64.neon.st4"];

/// An access of several vectors: the first elements of all of them lie before the second ones.
struct InterleavedAccess {
    vectors: Vec<VReg>,
    pointer: VReg,
    element: Type,
    /// Elements of each vector.
    count: usize,
    memory: MemOperand,
}

impl InterleavedAccess {
    /// The address of an element, and the part of the access.
    fn part(&self, r: &mut Recipe<'_>, place: usize) -> (VReg, MemOperand) {
        let offset = place as u32 * self.element.bytes();
        (r.pointer_plus(self.pointer, offset), self.memory.part(offset, self.element))
    }

    fn load(self, r: &mut Recipe<'_>) {
        let all = self.count * self.vectors.len();
        let elements: Vec<VReg> = (0..all)
            .map(|place| {
                let (address, memory) = self.part(r, place);
                r.builder.load(Opcode::G_LOAD, self.element, address, memory)
            })
            .collect();
        for (turn, &vector) in self.vectors.iter().enumerate() {
            let own: Vec<VReg> = elements.iter().copied().skip(turn).step_by(self.vectors.len()).collect();
            r.merge(vector, &own);
        }
    }

    fn store(self, r: &mut Recipe<'_>) {
        let parts: Vec<Vec<VReg>> = self.vectors.iter().map(|&vector| r.unmerge(self.element, vector)).collect();
        for number in 0..self.count {
            for (turn, parts) in parts.iter().enumerate() {
                let (address, memory) = self.part(r, number * self.vectors.len() + turn);
                r.builder.store(parts[number], address, memory);
            }
        }
    }
}

/// The name of the intrinsic that the instruction calls.
fn intrinsic<'f>(function: &'f Function, data: &InstData) -> Option<&'f str> {
    let name = data.operands.iter().find_map(|operand| match operand {
        Operand::Intrinsic(name) => function.symbols.get(*name),
        _ => None,
    });
    name.map(String::as_str)
}

/// The combine for a shift by a constant that keeps the bits which it does not reach, of each element.
pub(super) fn of_shift_insert(legalizer: &Legalizer<'_, '_, '_>, inst: Inst) -> Option<Combine> {
    let (function, data) = (&*legalizer.function, legalizer.function.inst(inst));
    let shift = match intrinsic(function, data)? {
        "llvm.aarch64.neon.vsli" => Opcode::G_SHL,
        "llvm.aarch64.neon.vsri" => Opcode::G_LSHR,
        _ => return None,
    };
    let registers: Vec<VReg> = data.operands.iter().filter_map(Operand::as_vreg).collect();
    let &[dst, old, new] = registers.as_slice() else { return None };
    let ty = function.type_of(dst).filter(|&ty| lanes(ty).is_some())?;
    let same = [old, new].iter().all(|&vector| function.type_of(vector) == Some(ty));
    let (element, amount) = (ty.scalar_type(), data.operands.iter().find_map(Operand::as_imm)?);
    let amount = u32::try_from(amount).ok().filter(|amount| same && (1..element.bits()).contains(amount))?;
    combined("combine shift_insert", Default::default(), move |r| {
        // The bits that stay: those below on the way up, those above on the way down.
        let kept = match shift {
            Opcode::G_SHL => Bits::ones(amount).zext_or_trunc(element.bits()),
            _ => Bits::ones(element.bits() - amount).zext_or_trunc(element.bits()).not(),
        };
        let parts = elements(r, old).into_iter().zip(elements(r, new)).collect::<Vec<_>>();
        let mut results = Vec::with_capacity(parts.len());
        for (old, new) in parts {
            let (mask, moved) = (r.builder.constant(element, kept), r.shift(shift, new, amount));
            let stays = r.op(element, Opcode::G_AND, &[old, mask]);
            results.push(r.op(element, Opcode::G_OR, &[stays, moved]));
        }
        r.merge(dst, &results);
    })
}
