//! Operations on vectors of numbers of floating point: one on each element, and reductions, which take all elements
//! together. The legalizer takes them apart.
//!
//! Invariant: no vector stays in scope, and one NaN stands for all in each element of what is shown.

use super::floats::{DrawnNumber, TRIES, compiles};
use super::{Entry, Generator};
use arbitrary::Result;
use tribunal_ir::opcode::{IndexTypes, TypeClass};
use tribunal_ir::types::{ElementCount, S1, S16, S32, S64};
use tribunal_ir::{Family, Opcode, OpcodeInfo, OperandKind, Type};
use tribunal_target::legality::LegalizerInfo;

/// The vector of so many elements.
fn vector(element: Type, lanes: u16) -> Option<Type> {
    element.times(ElementCount::fixed(lanes))
}

/// The types of the operation on vectors of so many elements; `None` if its row does not take them. A reduction has its
/// vector last, after numbers like its elements.
fn types(opcode: Opcode, info: &OpcodeInfo, elements: [Type; 3], lanes: u16) -> Option<IndexTypes> {
    let last = opcode.type_indices().checked_sub(1)?;
    let is_reduction = info.family == Family::Reduction;
    let mut types = [None; 3];
    for (index, ty) in types.iter_mut().enumerate().take(last + 1) {
        *ty = match is_reduction {
            true if index < last => Some(elements[0]),
            true => vector(elements[0], lanes),
            false => {
                // A power that is an integer is one for all elements.
                let vector = vector(elements[index], lanes);
                let takes = |ty: &Type| info.class_of(index).is_some_and(|class| class.takes(*ty));
                vector.filter(takes).or(Some(elements[index]))
            }
        };
    }
    info.takes(&types).then_some(types)
}

/// True if the target compiles the operation, and that which it becomes on elements.
fn compiles_by_element(legalizer: &LegalizerInfo, opcode: Opcode, types: &IndexTypes) -> bool {
    let element = |ty: Option<Type>| ty.map(Type::scalar_type);
    let (step, elements) = match opcode.reduced_by() {
        Some(step) => (step, [element(types[0]), None, None]),
        None => (opcode, types.map(element)),
    };
    compiles(legalizer, opcode, types) && compiles(legalizer, step, &elements)
}

/// The operations on vectors of two numbers that the target compiles.
pub(super) fn compiled(legalizer: &'static LegalizerInfo) -> impl Iterator<Item = Opcode> {
    let numbers = [S32, S64];
    let pairs = [S1, S32, S64].into_iter().flat_map(move |one| numbers.map(|other| [one, other, other]));
    let elements: Vec<[Type; 3]> = numbers.map(|one| [one; 3]).into_iter().chain(pairs).collect();
    let any = move |opcode: &Opcode| {
        let Some(info) = opcode.info() else { return false };
        let all = elements.iter().filter_map(|&elements| types(*opcode, info, elements, 2));
        all.into_iter().any(|types| compiles_by_element(legalizer, *opcode, &types))
    };
    let strict = crate::opcodes::STRICT.iter().filter(|opcode| opcode.sees_environment());
    crate::opcodes::ON_NUMBERS.iter().chain(strict).copied().filter(any)
}

impl Generator<'_, '_, '_> {
    /// This operation on vectors of the first types drawn that the target compiles, as a number of all their bits.
    pub(super) fn on_number_vectors(&mut self, opcode: Opcode) -> Result<Option<Entry>> {
        for _ in 0..TRIES {
            if let Some(types) = self.number_vector_types(opcode)? {
                let number = self.operation_on_numbers(opcode, &types, 0)?;
                return self.settled_elements(number).map(Some);
            }
        }
        Ok(None)
    }

    fn number_vector_types(&mut self, opcode: Opcode) -> Result<Option<IndexTypes>> {
        let Some(info) = opcode.info() else { return Ok(None) };
        let mut elements = [S32; 3];
        for (index, ty) in elements.iter_mut().enumerate() {
            *ty = match info.class_of(index) {
                None | Some(TypeClass::Float) => *self.u.choose(&[S32, S64, S32, S64, S16])?,
                Some(_) if info.uses.contains(&OperandKind::FPRED) || !info.immediates.is_empty() => S1,
                Some(_) => *self.u.choose(&[S32, S64, S16])?,
            };
        }
        // Every lane is code of its own, and two show nearly all.
        let lanes = if elements.contains(&S64) || !self.u.ratio(1, 8)? { 2 } else { 4 };
        Ok(types(opcode, info, elements, lanes).filter(|types| compiles_by_element(self.legalizer, opcode, types)))
    }

    /// The vector of numbers drawn for its elements.
    pub(super) fn vector_of_numbers(
        &mut self,
        (ty, count): (Type, ElementCount),
        mut element: impl FnMut(&mut Self) -> Result<DrawnNumber>,
    ) -> Result<DrawnNumber> {
        let (mut sources, mut deterministic, mut is_any_nan) = (Vec::new(), true, false);
        for _ in 0..count.lanes {
            let number = element(self)?;
            sources.push(number.entry.register);
            deterministic &= number.entry.deterministic;
            is_any_nan |= number.is_any_nan;
        }
        let register = self.builder.op(ty, Opcode::G_BUILD_VECTOR, &sources);
        Ok(DrawnNumber { entry: Entry { register, ty, deterministic }, is_any_nan })
    }

    /// The number, or the bits of all elements, each with one NaN for all.
    fn settled_elements(&mut self, number: DrawnNumber) -> Result<Entry> {
        let DrawnNumber { entry, is_any_nan } = number;
        let Some(count) = entry.ty.element_count().filter(|_| is_any_nan) else {
            return Ok(if is_any_nan { self.settled(number)? } else { self.vector_as_number(entry) });
        };
        let ty = entry.ty.scalar_type();
        let mut parts = self.builder.unmerge(ty, entry.register).into_iter();
        let settled = self.vector_of_numbers((entry.ty, count), |generator| {
            let register = parts.next().unwrap_or(entry.register);
            let part = DrawnNumber { entry: Entry { register, ty, ..entry }, is_any_nan };
            Ok(DrawnNumber { entry: generator.settled(part)?, is_any_nan: false })
        })?;
        Ok(self.vector_as_number(settled.entry))
    }
}
