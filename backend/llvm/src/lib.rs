//! A reader of LLVM IR text at module level, in the syntax of LLVM 22: types, data layout, globals and their
//! initialisers, aliases, signatures of functions. It reads `.ll` files and the IR block of MIR files.
//!
//! Flow: [`parse`] gives an [`IrModule`], [`IrModule::layouts`] the layouts of its types, [`Layouts::image`] the
//! bytes and relocations of an initialiser. Bodies of functions are not read yet; their place in the text is kept.
//!
//! Architecture invariant: this crate depends on no other one of the workspace.

pub mod attribute;
pub mod constant;
pub mod data_layout;
pub mod error;
mod evaluate;
pub mod flags;
pub mod function;
pub mod image;
mod keywords;
mod layout;
mod lexer;
pub mod module;
pub mod name;
mod parse;
pub mod pointers;
pub mod types;

pub use attribute::{Attribute, AttributeWord, TypedAttribute};
pub use constant::{Constant, ConstantKind, Expression, Integer};
pub use data_layout::{DataLayout, Endianness};
pub use error::{FormKind, IrError, IrErrorKind, UnknownForm, UnreadEntity};
pub use flags::{FlagValue, ModuleFlags};
pub use function::{CallingConvention, IrFunction, Parameter};
pub use image::{Image, ImageError, Referent, Relocation};
pub use layout::{LayoutError, Layouts, TypeLayout};
pub use module::{
    Alias, ComdatId, ComdatSelection, Definition, Global, GlobalValue, Ifunc, IntegerRange, IrModule, IrSymbol,
    Linkage, SymbolId, ThreadLocalModel, UnnamedAddress, Visibility,
};
pub use name::Name;
pub use parse::{parse, target_triple};
pub use pointers::DerivedPointer;
pub use types::{FloatKind, TypeId, TypeKind, TypeTable};
