//! The section of a global: by its kind, its linkage, and the section that the module names.
//!
//! Source: LLVM 22's `TargetLoweringObjectFile::getKindForGlobal` and `TargetLoweringObjectFileELF`. One difference: a
//! constant that the linker could merge with its like, and that is no string of bytes, stands in `.rodata`.

use object::SectionKind;
use object::elf::{
    SHF_ALLOC, SHF_EXECINSTR, SHF_TLS, SHF_WRITE, SHT_FINI_ARRAY, SHT_INIT_ARRAY, SHT_NOBITS, SHT_NOTE,
    SHT_PREINIT_ARRAY, SHT_PROGBITS, SectionFlags, SectionType,
};
use tribunal_ir::RelocationModel;
use tribunal_llvm::{Global, Image, UnnamedAddress};

/// The kind of a global's contents.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Contents {
    /// Instructions.
    Code,
    /// Never written.
    ReadOnly,
    /// Bytes that end with their only zero, whose address does not matter.
    String,
    /// Written by the loader alone.
    ReadOnlyAfterLoading,
    /// Written by the program.
    Data,
    /// The same, zero at first.
    Zero,
    /// A copy for each thread.
    ThreadData,
    /// The same, zero at first.
    ThreadZero,
}

impl Contents {
    /// Of a global with these bytes and relocations.
    pub fn of(global: &Global, image: &Image, model: RelocationModel) -> Contents {
        let is_zero = image.relocations.is_empty() && image.bytes.iter().all(|&byte| byte == 0);
        let is_absolute = || image.relocations.iter().any(|relocation| relocation.subtracted.is_none());
        match (global.value.thread_local, global.constant) {
            (Some(_), _) if is_zero => Contents::ThreadZero,
            (Some(_), _) => Contents::ThreadData,
            (None, true) if is_string(global, image) => Contents::String,
            (None, true) if model != RelocationModel::Static && is_absolute() => Contents::ReadOnlyAfterLoading,
            (None, true) => Contents::ReadOnly,
            (None, false) if is_zero => Contents::Zero,
            (None, false) => Contents::Data,
        }
    }

    /// The usual section.
    pub const fn section(self) -> &'static str {
        match self {
            Contents::Code => ".text",
            Contents::ReadOnly => ".rodata",
            Contents::String => ".rodata.str1.1",
            Contents::ReadOnlyAfterLoading => ".data.rel.ro",
            Contents::Data => ".data",
            Contents::Zero => ".bss",
            Contents::ThreadData => ".tdata",
            Contents::ThreadZero => ".tbss",
        }
    }

    /// The `object` crate's name for it.
    pub const fn kind(self) -> SectionKind {
        match self {
            Contents::Code => SectionKind::Text,
            Contents::ReadOnly => SectionKind::ReadOnlyData,
            Contents::String => SectionKind::ReadOnlyString,
            Contents::ReadOnlyAfterLoading => SectionKind::ReadOnlyDataWithRel,
            Contents::Data => SectionKind::Data,
            Contents::Zero => SectionKind::UninitializedData,
            Contents::ThreadData => SectionKind::Tls,
            Contents::ThreadZero => SectionKind::UninitializedTls,
        }
    }

    /// True if the file has no bytes for it.
    pub const fn is_zero(self) -> bool {
        matches!(self, Contents::Zero | Contents::ThreadZero)
    }

    const fn flags(self) -> SectionFlags {
        match self {
            Contents::Code => SectionFlags(SHF_ALLOC.0 | SHF_EXECINSTR.0),
            Contents::ReadOnly | Contents::String => SHF_ALLOC,
            Contents::ReadOnlyAfterLoading | Contents::Data | Contents::Zero => SectionFlags(SHF_ALLOC.0 | SHF_WRITE.0),
            Contents::ThreadData | Contents::ThreadZero => SectionFlags(SHF_ALLOC.0 | SHF_WRITE.0 | SHF_TLS.0),
        }
    }

    /// The same in a section that the module names: only a section of zeros by its name has no bytes.
    pub fn in_named(self, name: &str) -> Contents {
        let is =
            |section: &str| name == section || name.strip_prefix(section).is_some_and(|rest| rest.starts_with('.'));
        match self {
            Contents::Zero | Contents::Data if is(".bss") => Contents::Zero,
            Contents::Zero => Contents::Data,
            Contents::ThreadZero if !is(".tbss") => Contents::ThreadData,
            Contents::String => Contents::ReadOnly,
            other => other,
        }
    }

    /// Type and flags of a section of this name.
    pub fn header(self, name: &str) -> (SectionType, SectionFlags) {
        let is =
            |section: &str| name == section || name.strip_prefix(section).is_some_and(|rest| rest.starts_with('.'));
        let sh_type = match self {
            _ if self.is_zero() => SHT_NOBITS,
            _ if is(".init_array") => SHT_INIT_ARRAY,
            _ if is(".fini_array") => SHT_FINI_ARRAY,
            _ if is(".preinit_array") => SHT_PREINIT_ARRAY,
            _ if name.starts_with(".note") => SHT_NOTE,
            _ => SHT_PROGBITS,
        };
        (sh_type, self.flags())
    }
}

/// Bytes that end with their only zero, and whose address does not matter.
fn is_string(global: &Global, image: &Image) -> bool {
    let ends = image.bytes.iter().position(|&byte| byte == 0).is_some_and(|first| first + 1 == image.bytes.len());
    let anywhere = global.value.unnamed_addr == UnnamedAddress::Global && global.alignment.unwrap_or(1) == 1;
    anywhere && ends && image.relocations.is_empty()
}
