//! Sizes, alignments and field offsets of the types of a module under a data layout.
//!
//! Invariant: every type is computed once and without recursion, so a chain of structs of any length costs its length.

use crate::data_layout::{Alignment, DataLayout};
use crate::types::{StructBody, TypeId, TypeKind, TypeTable};
use cranelift_entity::SecondaryMap;
use thiserror::Error;

/// The place that a type takes in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TypeLayout {
    /// Bits that the value has.
    pub bits: u64,
    /// In bytes.
    pub alignment: Alignment,
    /// Offsets of the fields of a struct, in bytes; empty for other types.
    pub offsets: Box<[u64]>,
}

impl TypeLayout {
    /// Bytes that a store writes.
    pub fn store_size(&self) -> u64 {
        self.bits.div_ceil(8)
    }

    /// Bytes from one element of an array to the next.
    pub fn alloc_size(&self) -> u64 {
        self.store_size().next_multiple_of(self.alignment.abi)
    }
}

/// The reasons why a type has no layout.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Error)]
pub enum LayoutError {
    /// A type without values in memory: `void`, a function.
    #[error("the type has no size")]
    Unsized,
    /// A struct without a body.
    #[error("the struct is opaque")]
    Opaque,
    /// A scalable vector, whose size is known when the program runs.
    #[error("the size of a scalable vector is not known")]
    Scalable,
    /// A type whose layout its target knows.
    #[error("the layout of a target's type is not known")]
    Target,
    /// A struct that holds itself.
    #[error("the type holds itself")]
    Recursive,
    /// A type of more than 2^57 bytes.
    #[error("the type is too large")]
    TooLarge,
}

/// The layout of every type of a module.
#[derive(Clone, Debug)]
pub struct Layouts<'m> {
    /// The types.
    pub types: &'m TypeTable,
    /// The layout that they follow.
    pub data: DataLayout,
    table: SecondaryMap<TypeId, Progress>,
}

#[derive(Clone, Default, Debug)]
enum Progress {
    #[default]
    New,
    Open,
    Done(Result<TypeLayout, LayoutError>),
}

/// The largest type, in bits: sums of two sizes and their alignments do not overflow.
const MOST_BITS: u64 = 1 << 60;

impl<'m> Layouts<'m> {
    /// Computes the layout of every type.
    pub fn new(types: &'m TypeTable, data: DataLayout) -> Layouts<'m> {
        let mut layouts = Layouts { types, data, table: SecondaryMap::new() };
        for ty in types.ids() {
            layouts.compute(ty);
        }
        layouts
    }

    /// The layout of a type.
    pub fn get(&self, ty: TypeId) -> Result<&TypeLayout, LayoutError> {
        match &self.table[ty] {
            Progress::Done(layout) => layout.as_ref().map_err(|&error| error),
            Progress::New | Progress::Open => Err(LayoutError::Recursive),
        }
    }

    /// Bytes from one element of an array of the type to the next.
    pub fn alloc_size(&self, ty: TypeId) -> Result<u64, LayoutError> {
        self.get(ty).map(TypeLayout::alloc_size)
    }

    /// A walk in postorder whose stack is on the heap.
    fn compute(&mut self, ty: TypeId) {
        let mut stack = vec![ty];
        while let Some(&top) = stack.last() {
            if matches!(self.table[top], Progress::Done(_)) {
                stack.pop();
                continue;
            }
            let first_visit = matches!(self.table[top], Progress::New);
            self.table[top] = Progress::Open;
            let pending = stack.len();
            if first_visit {
                let parts = parts(self.types, top).iter().copied();
                stack.extend(parts.filter(|&part| matches!(self.table[part], Progress::New)));
            }
            if stack.len() == pending {
                // A part that is still open is around this type.
                self.table[top] = Progress::Done(self.layout(top));
                stack.pop();
            }
        }
    }

    fn layout(&self, ty: TypeId) -> Result<TypeLayout, LayoutError> {
        let plain = |bits: u64, alignment| match bits <= MOST_BITS {
            true => Ok(TypeLayout { bits, alignment, offsets: Box::default() }),
            false => Err(LayoutError::TooLarge),
        };
        match self.types.kind(ty) {
            TypeKind::Void | TypeKind::Label | TypeKind::Metadata | TypeKind::Token | TypeKind::Function { .. } => {
                Err(LayoutError::Unsized)
            }
            TypeKind::Target { .. } => Err(LayoutError::Target),
            TypeKind::Amx => plain(8192, Alignment { abi: 64, preferred: 64 }),
            TypeKind::Integer { bits } => plain(u64::from(*bits), self.data.integer(*bits)),
            TypeKind::Float(kind) => plain(kind.bits().into(), self.data.float(*kind)),
            TypeKind::Pointer { address_space } => {
                let pointer = self.data.pointers(*address_space);
                plain(pointer.bits.into(), pointer.alignment)
            }
            TypeKind::Array { element, count } => {
                let element = self.get(*element)?;
                let bits = element.alloc_size().checked_mul(8).and_then(|bits| bits.checked_mul(*count));
                plain(bits.ok_or(LayoutError::TooLarge)?, element.alignment)
            }
            TypeKind::Vector { scalable: true, .. } => Err(LayoutError::Scalable),
            TypeKind::Vector { element, count, .. } => {
                let bits = self.get(*element)?.bits.checked_mul(*count).ok_or(LayoutError::TooLarge)?;
                plain(bits, self.data.vector(bits))
            }
            TypeKind::Struct(body) => self.fields(body),
            TypeKind::Named(_) => self.fields(self.types.struct_body(ty).ok_or(LayoutError::Opaque)?),
        }
    }

    fn fields(&self, body: &StructBody) -> Result<TypeLayout, LayoutError> {
        let (mut size, mut alignment) = (0u64, self.data.aggregate());
        let mut offsets = Vec::with_capacity(body.fields.len());
        if body.packed {
            alignment.abi = 1;
        }
        for &field in &body.fields {
            let layout = self.get(field)?;
            if !body.packed {
                size = size.next_multiple_of(layout.alignment.abi);
                alignment.abi = alignment.abi.max(layout.alignment.abi);
            }
            offsets.push(size);
            size += layout.alloc_size();
            if size > MOST_BITS / 8 {
                return Err(LayoutError::TooLarge);
            }
        }
        alignment.preferred = alignment.preferred.max(alignment.abi);
        Ok(TypeLayout { bits: 8 * size.next_multiple_of(alignment.abi), alignment, offsets: offsets.into() })
    }
}

/// The types that a type holds by value.
fn parts(types: &TypeTable, ty: TypeId) -> &[TypeId] {
    match types.kind(ty) {
        TypeKind::Array { element, .. } | TypeKind::Vector { element, .. } => std::slice::from_ref(element),
        _ => types.struct_body(ty).map_or(&[], |body| &body.fields),
    }
}
