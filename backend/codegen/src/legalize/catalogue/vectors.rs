//! Instances on vectors: of every opcode that the rules take apart into elements, on a few vector types. The recipes
//! ask for no width, so few types reach them all; the scalars that they leave are proved at every width.

use super::{Instance, Written, instance};
use tribunal_ir::types::{ElementCount, S1, S8, S16, S32, S64};
use tribunal_ir::{
    Family, Function, InstData, IntPredicate, MemFlags, MemOperand, Opcode, OpcodeInfo, Operand, Type, VReg,
};
use tribunal_target::Target;

/// The vector of `lanes` elements.
fn vector(lanes: u16, element: Type) -> Type {
    element.times(ElementCount::fixed(lanes)).unwrap_or(element)
}

/// One function for each instance.
pub(super) fn instances(target: &'static Target) -> Vec<(Opcode, Function)> {
    let pointer = Type::Pointer { address_space: 0, bits: target.pointer_bits };
    let mut all = Vec::new();
    for ty in [vector(2, S32), vector(4, S8), vector(3, S16), vector(2, S64)] {
        for &opcode in Opcode::ALL.iter().filter(|opcode| opcode.is_defined() && opcode.is_generic()) {
            let Some(info) = opcode.info().filter(|info| !info.is_float()) else { continue };
            all.extend(on_elements(target, opcode, info, ty).map(|function| (opcode, function)));
        }
        all.push((Opcode::G_PHI, instance(target, &|i| i.phi(ty))));
        all.extend(apart(target, ty));
    }
    for ty in [vector(2, S32), vector(4, S8), vector(2, pointer)] {
        let access = |flags| MemOperand::new(flags, ty, ty.bytes());
        all.push((Opcode::G_LOAD, instance(target, &|i| i.load(Opcode::G_LOAD, ty, access(MemFlags::LOAD)))));
        all.push((Opcode::G_STORE, instance(target, &|i| i.store(ty, access(MemFlags::STORE)))));
    }
    for (turns, ty) in [(2, vector(2, S32)), (3, vector(2, S8)), (4, vector(2, S16))] {
        all.push((Opcode::G_INTRINSIC_W_SIDE_EFFECTS, instance(target, &|i| i.interleaved_load(ty, turns))));
        all.push((Opcode::G_INTRINSIC_W_SIDE_EFFECTS, instance(target, &|i| i.interleaved_store(ty, turns))));
    }
    for (name, amount) in [("vsli", 1), ("vsli", 7), ("vsri", 1), ("vsri", 7)] {
        all.push((Opcode::G_INTRINSIC, instance(target, &|i| i.shift_insert(name, vector(4, S8), amount))));
    }
    let address = Type::scalar(pointer.bits());
    let (pointers, addresses) = (vector(2, pointer), vector(2, address));
    let casts = [
        (Opcode::G_PTR_ADD, pointers, vec![pointers, addresses]),
        (Opcode::G_PTRTOINT, addresses, vec![pointers]),
        (Opcode::G_INTTOPTR, pointers, vec![addresses]),
    ];
    let casts = casts.map(|(opcode, ty, sources)| (opcode, instance(target, &|i| i.made(opcode, ty, &sources))));
    all.extend(casts);
    all
}

/// The instance of an opcode that does with each element what it does with a scalar; `None` for another.
fn on_elements(target: &'static Target, opcode: Opcode, info: &OpcodeInfo, ty: Type) -> Option<Function> {
    let element = ty.scalar_type();
    let with = |scalar: Type| ty.with_scalar_type(scalar);
    let wide = with(Type::scalar(2 * element.bits()));
    let types = match info.family {
        Family::Extension => [wide, Some(ty), None],
        Family::Truncation => [Some(ty), wide, None],
        Family::Comparison | Family::ThreeWay => {
            [with(if info.family == Family::Comparison { S1 } else { S8 }), Some(ty), None]
        }
        Family::Overflow | Family::Carry | Family::Selection => [Some(ty), with(S1), None],
        Family::Constant if opcode == Opcode::G_CONSTANT => return None,
        Family::Constant | Family::Freeze | Family::InRegister | Family::Assertion => [Some(ty), None, None],
        Family::Vector | Family::Reduction | Family::Composition | Family::Load | Family::Store => return None,
        Family::Atomic | Family::Prefetch | Family::Place | Family::Cast | Family::Pointer => return None,
        Family::Control | Family::Word | Family::MemoryFunction => return None,
        _ => [Some(ty), Some(ty), None],
    };
    let takes_vectors = (0..opcode.type_indices()).all(|index| {
        let class = info.class_of(index);
        types[index].is_some_and(|ty| class.is_none_or(|class| class.takes(ty)))
    });
    if opcode == Opcode::COPY || !takes_vectors || !info.rules.iter().all(|rule| rule.holds(&types, None)) {
        return None;
    }
    let immediate =
        info.immediates.first().and_then(|immediate| immediate.range(&types)).map_or(0, |range| *range.start());
    let written = Written { predicate: IntPredicate::Slt, ..Written::with_immediate(immediate) };
    Some(instance(target, &|i| i.operation(opcode, info, &types, written)))
}

/// The instances of the opcodes that make vectors of `ty` and take them apart.
fn apart(target: &'static Target, ty: Type) -> Vec<(Opcode, Function)> {
    use Opcode::*;
    let (element, bits) = (ty.scalar_type(), Type::scalar(ty.bits()));
    let count = ty.element_count().map_or(1, |count| count.lanes);
    let index = Type::scalar(target.pointer_bits.into());
    let mut all: Vec<(Opcode, Type, Vec<Type>)> = vec![
        (G_CONCAT_VECTORS, vector(2 * count, element), vec![ty, ty]),
        (G_BUILD_VECTOR_TRUNC, ty, vec![Type::scalar(2 * element.bits()); usize::from(count)]),
        (G_EXTRACT_VECTOR_ELT, element, vec![ty, index]),
        (G_INSERT_VECTOR_ELT, ty, vec![ty, element, index]),
        (G_BITCAST, bits, vec![ty]),
        (G_BITCAST, ty, vec![bits]),
    ];
    let halves = vector(2 * count, Type::scalar(element.bits() / 2));
    all.extend([(G_BITCAST, halves, vec![ty]), (G_BITCAST, ty, vec![halves])]);
    let uneven = (element == S16).then(|| (G_BITCAST, vector(2, Type::scalar(24)), vec![ty]));
    all.extend(uneven);
    let reductions = Family::Reduction.opcodes().iter().copied().filter(|opcode| !opcode.is_float());
    all.extend(reductions.map(|opcode| (opcode, element, vec![ty])));
    let written = |(opcode, ty, sources): (Opcode, Type, Vec<Type>)| {
        (opcode, instance(target, &|i| i.made(opcode, ty, &sources)))
    };
    let mut functions: Vec<(Opcode, Function)> = all.into_iter().map(written).collect();
    functions.push((G_SHUFFLE_VECTOR, instance(target, &|i| i.shuffle(ty, count.into()))));
    functions.push((G_UNMERGE_VALUES, instance(target, &|i| i.halves(ty, count))));
    for place in [0, i64::from(count) - 1] {
        functions.push((G_EXTRACT_VECTOR_ELT, instance(target, &|i| i.at_constant(G_EXTRACT_VECTOR_ELT, ty, place))));
        functions.push((G_INSERT_VECTOR_ELT, instance(target, &|i| i.at_constant(G_INSERT_VECTOR_ELT, ty, place))));
    }
    functions
}

impl Instance<'_> {
    /// An operation on registers of these types.
    fn made(&mut self, opcode: Opcode, ty: Type, sources: &[Type]) {
        let sources: Vec<VReg> = sources.iter().map(|&ty| self.value(ty)).collect();
        let result = self.builder.op(ty, opcode, &sources);
        self.needed(result);
    }

    /// The lanes of both vectors backwards, and one that is open.
    fn shuffle(&mut self, ty: Type, count: u32) {
        let mask: Vec<Option<u32>> = (0..2 * count).rev().map(|lane| (lane != 1).then_some(lane)).collect();
        let longer = vector(2 * count as u16, ty.scalar_type());
        let (one, other) = (self.input(ty), self.input(ty));
        let mask = Operand::ShuffleMask(self.builder.function.shuffle_masks.intern(&mask));
        let operands = [Operand::used(one), Operand::used(other), mask];
        let result = self.builder.build(longer, Opcode::G_SHUFFLE_VECTOR, operands);
        self.needed(result);
    }

    /// A vector of twice as many elements, taken apart into two.
    fn halves(&mut self, ty: Type, count: u16) {
        let whole = self.input(vector(2 * count, ty.scalar_type()));
        let halves = self.builder.unmerge(ty, whole);
        halves.into_iter().for_each(|half| self.needed(half));
    }

    /// An element at a constant place taken out, or replaced.
    fn at_constant(&mut self, opcode: Opcode, ty: Type, place: i64) {
        let index = Type::scalar(self.target.pointer_bits.into());
        let vector = self.input(ty);
        let replaced = (opcode == Opcode::G_INSERT_VECTOR_ELT).then(|| self.input(ty.scalar_type()));
        let place = self.builder.constant_i64(index, place);
        let sources: Vec<VReg> = [Some(vector), replaced, Some(place)].into_iter().flatten().collect();
        let ty = if replaced.is_some() { ty } else { ty.scalar_type() };
        let result = self.builder.op(ty, opcode, &sources);
        self.needed(result);
    }

    fn interleaved(&mut self, name: &str, ty: Type, turns: usize, flags: MemFlags) -> (Operand, MemOperand) {
        let name = self.builder.function.symbols.intern(&format!("llvm.aarch64.neon.{name}{turns}"));
        let access = Type::scalar(ty.bits() * turns as u32);
        (Operand::Intrinsic(name), MemOperand::new(flags, access, access.bytes()))
    }

    fn interleaved_load(&mut self, ty: Type, turns: usize) {
        let (name, memory) = self.interleaved("ld", ty, turns, MemFlags::LOAD);
        let results: Vec<VReg> = (0..turns).map(|_| self.builder.function.new_vreg(ty)).collect();
        let defs = results.iter().copied().map(Operand::def);
        let operands = defs.chain([name, Operand::used(self.pointer())]);
        let data = InstData::new(Opcode::G_INTRINSIC_W_SIDE_EFFECTS, operands).with_memory(memory);
        self.builder.push(data);
        results.into_iter().for_each(|result| self.needed(result));
    }

    fn interleaved_store(&mut self, ty: Type, turns: usize) {
        let (name, memory) = self.interleaved("st", ty, turns, MemFlags::STORE);
        let values: Vec<VReg> = (0..turns).map(|_| self.input(ty)).collect();
        let sources = values.into_iter().map(Operand::used).chain([Operand::used(self.pointer())]);
        let operands = [name].into_iter().chain(sources);
        let data = InstData::new(Opcode::G_INTRINSIC_W_SIDE_EFFECTS, operands).with_memory(memory);
        self.builder.push(data);
    }

    /// A shift by a constant that keeps the bits which it does not reach.
    fn shift_insert(&mut self, name: &str, ty: Type, amount: i64) {
        let name = self.builder.function.symbols.intern(&format!("llvm.aarch64.neon.{name}"));
        let (old, new) = (self.input(ty), self.input(ty));
        let operands = [Operand::Intrinsic(name), Operand::used(old), Operand::used(new), Operand::Imm(amount)];
        let result = self.builder.build(ty, Opcode::G_INTRINSIC, operands);
        self.needed(result);
    }
}
