//! Types, interned: two types are equal exactly if their ids are.
//!
//! Named structs are nominal: each has an entity of its own, and its body may refer to types that stand after it.

use crate::name::Name;
use cranelift_entity::{EntityRef, PrimaryMap, entity_impl};
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use std::fmt;

/// A type of a [`TypeTable`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeId(u32);
entity_impl!(TypeId, "type");

/// A named struct of a [`TypeTable`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StructId(u32);
entity_impl!(StructId, "struct");

/// A type, one level of it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum TypeKind {
    /// `void`
    Void,
    /// `label`
    Label,
    /// `metadata`
    Metadata,
    /// `token`
    Token,
    /// `x86_amx`
    Amx,
    /// `iN`
    Integer {
        /// 1 to [`MOST_BITS`].
        bits: u32,
    },
    /// A floating-point type.
    Float(FloatKind),
    /// `ptr`
    Pointer {
        /// 0 unless given.
        address_space: u32,
    },
    /// `[N x T]`
    Array {
        /// T
        element: TypeId,
        /// N
        count: u64,
    },
    /// `<N x T>`
    Vector {
        /// T
        element: TypeId,
        /// N, or the factor of `vscale`.
        count: u64,
        /// `<vscale x N x T>`
        scalable: bool,
    },
    /// A literal struct.
    Struct(StructBody),
    /// `%T`
    Named(StructId),
    /// `target("name", types, integers)`
    Target {
        /// The target's word for it.
        name: String,
        /// Type parameters.
        types: Box<[TypeId]>,
        /// Integer parameters.
        integers: Box<[u32]>,
    },
    /// `R (P, P, ...)`
    Function {
        /// R
        result: TypeId,
        /// In their order.
        parameters: Box<[TypeId]>,
        /// `...` at the end.
        variadic: bool,
    },
}

/// The widest integer type of LLVM.
pub const MOST_BITS: u32 = 1 << 23;

/// The fields of a struct.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct StructBody {
    /// In their order.
    pub fields: Box<[TypeId]>,
    /// `<{ }>`: no padding.
    pub packed: bool,
}

/// A struct with a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedStruct {
    /// Without `%`.
    pub name: Name,
    /// `None` for an opaque struct.
    pub body: Option<StructBody>,
}

crate::keywords::keywords! {
    /// The floating-point types.
    pub enum FloatKind {
        /// IEEE binary16.
        Half = "half",
        /// The upper half of a binary32.
        BFloat = "bfloat",
        /// IEEE binary32.
        Float = "float",
        /// IEEE binary64.
        Double = "double",
        /// 80 bits of x87.
        X86Fp80 = "x86_fp80",
        /// IEEE binary128.
        Fp128 = "fp128",
        /// Two binary64.
        PpcFp128 = "ppc_fp128",
    }
}

impl FloatKind {
    /// Its size in bits, without padding.
    pub fn bits(self) -> u32 {
        match self {
            FloatKind::Half | FloatKind::BFloat => 16,
            FloatKind::Float => 32,
            FloatKind::Double => 64,
            FloatKind::X86Fp80 => 80,
            FloatKind::Fp128 | FloatKind::PpcFp128 => 128,
        }
    }
}

/// The types of a module.
#[derive(Clone, Default, Debug)]
pub struct TypeTable {
    kinds: IndexSet<TypeKind, FxBuildHasher>,
    structs: PrimaryMap<StructId, NamedStruct>,
}

impl TypeTable {
    /// The id of a type, new or not.
    pub fn intern(&mut self, kind: TypeKind) -> TypeId {
        TypeId::new(self.kinds.insert_full(kind).0)
    }

    /// One level of a type.
    pub fn kind(&self, ty: TypeId) -> &TypeKind {
        &self.kinds[ty.index()]
    }

    /// Every type: the parts of a type stand before it, but for those of named structs.
    pub fn ids(&self) -> impl Iterator<Item = TypeId> + use<> {
        (0..self.kinds.len()).map(TypeId::new)
    }

    /// A new named struct without a body.
    pub(crate) fn declare(&mut self, name: Name) -> TypeId {
        let id = self.structs.push(NamedStruct { name, body: None });
        self.intern(TypeKind::Named(id))
    }

    pub(crate) fn define(&mut self, id: StructId, body: StructBody) {
        self.structs[id].body = Some(body);
    }

    /// The named structs, in the order of their first mention.
    pub fn structs(&self) -> &PrimaryMap<StructId, NamedStruct> {
        &self.structs
    }

    /// The fields of a struct, literal or named; `None` for opaque structs and other types.
    pub fn struct_body(&self, ty: TypeId) -> Option<&StructBody> {
        match self.kind(ty) {
            TypeKind::Struct(body) => Some(body),
            TypeKind::Named(id) => self.structs[*id].body.as_ref(),
            _ => None,
        }
    }

    /// The type of the parts of an array or a vector, and their number.
    pub fn elements(&self, ty: TypeId) -> Option<(TypeId, u64)> {
        match *self.kind(ty) {
            TypeKind::Array { element, count } | TypeKind::Vector { element, count, .. } => Some((element, count)),
            _ => None,
        }
    }

    /// The type as LLVM prints it.
    pub fn display(&self, ty: TypeId) -> impl fmt::Display + use<'_> {
        Spelling { types: self, ty }
    }
}

struct Spelling<'t> {
    types: &'t TypeTable,
    ty: TypeId,
}

impl Spelling<'_> {
    fn list(&self, f: &mut fmt::Formatter<'_>, types: &[TypeId]) -> fmt::Result {
        types.iter().enumerate().try_for_each(|(index, &ty)| {
            f.write_str(if index > 0 { ", " } else { "" })?;
            write!(f, "{}", self.types.display(ty))
        })
    }

    fn body(&self, f: &mut fmt::Formatter<'_>, StructBody { fields, packed }: &StructBody) -> fmt::Result {
        let (open, close) = if *packed { ("<{", "}>") } else { ("{", "}") };
        let blank = if fields.is_empty() { "" } else { " " };
        write!(f, "{open}{blank}")?;
        self.list(f, fields)?;
        write!(f, "{blank}{close}")
    }
}

impl fmt::Display for Spelling<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let display = |ty: &TypeId| self.types.display(*ty);
        match self.types.kind(self.ty) {
            TypeKind::Void => f.write_str("void"),
            TypeKind::Label => f.write_str("label"),
            TypeKind::Metadata => f.write_str("metadata"),
            TypeKind::Token => f.write_str("token"),
            TypeKind::Amx => f.write_str("x86_amx"),
            TypeKind::Integer { bits } => write!(f, "i{bits}"),
            TypeKind::Float(kind) => f.write_str(kind.keyword()),
            TypeKind::Pointer { address_space: 0 } => f.write_str("ptr"),
            TypeKind::Pointer { address_space } => write!(f, "ptr addrspace({address_space})"),
            TypeKind::Array { element, count } => write!(f, "[{count} x {}]", display(element)),
            TypeKind::Vector { element, count, scalable } => {
                write!(f, "<{}{count} x {}>", if *scalable { "vscale x " } else { "" }, display(element))
            }
            TypeKind::Struct(body) => self.body(f, body),
            TypeKind::Named(id) => write!(f, "%{}", self.types.structs[*id].name),
            TypeKind::Target { name, types, integers } => {
                write!(f, "target(\"{name}\"")?;
                types.iter().try_for_each(|ty| write!(f, ", {}", display(ty)))?;
                integers.iter().try_for_each(|integer| write!(f, ", {integer}"))?;
                f.write_str(")")
            }
            TypeKind::Function { result, parameters, variadic } => {
                write!(f, "{} (", display(result))?;
                self.list(f, parameters)?;
                f.write_str(match (variadic, parameters.is_empty()) {
                    (true, true) => "...)",
                    (true, false) => ", ...)",
                    (false, _) => ")",
                })
            }
        }
    }
}
