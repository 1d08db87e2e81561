//! Functions: signatures and properties. Of a body its place in the text is kept, and the pointers that lie at a
//! constant distance from others.

use crate::attribute::{Attribute, AttributeWord, TypedAttribute};
use crate::constant::Constant;
use crate::module::{ComdatId, GlobalValue};
use crate::name::Name;
use crate::pointers::DerivedPointer;
use crate::types::TypeId;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// A function that is defined or declared.
#[derive(Clone, PartialEq, Debug)]
pub struct IrFunction {
    /// Name, linkage and so on.
    pub value: GlobalValue,
    /// The calling convention.
    pub convention: CallingConvention,
    /// The type of the result and its attributes.
    pub result: Parameter,
    /// In their order.
    pub parameters: Vec<Parameter>,
    /// `...` after the parameters.
    pub variadic: bool,
    /// The address space that it is in.
    pub address_space: u32,
    /// Attributes of the function, those of groups among them.
    pub attributes: Vec<Attribute>,
    /// `section "..."`
    pub section: Option<String>,
    /// Its comdat.
    pub comdat: Option<ComdatId>,
    /// In bytes.
    pub alignment: Option<u64>,
    /// The name of its garbage collector.
    pub gc: Option<String>,
    /// Data before its entry.
    pub prefix: Option<Constant>,
    /// Data at its entry.
    pub prologue: Option<Constant>,
    /// The function that handles its exceptions.
    pub personality: Option<Constant>,
    /// The bytes of the module's text between its braces; `None` for a declaration.
    pub body: Option<Range<usize>>,
    /// Pointers of the body, by name without the sigil.
    pub pointers: FxHashMap<String, DerivedPointer>,
}

/// A parameter, or a result.
#[derive(Clone, PartialEq, Debug)]
pub struct Parameter {
    /// Its type.
    pub ty: TypeId,
    /// Its attributes.
    pub attributes: Vec<Attribute>,
    /// Without `%`; `None` for a result and for a parameter that is not named.
    pub name: Option<Name>,
}

impl Parameter {
    /// True if it has an attribute of one word.
    pub fn has(&self, word: AttributeWord) -> bool {
        self.attributes.contains(&Attribute::Word(word))
    }

    /// The type of an attribute: that of `byval(T)`.
    pub fn typed(&self, wanted: TypedAttribute) -> Option<TypeId> {
        self.attributes.iter().find_map(|attribute| match attribute {
            Attribute::Typed(found, ty) if *found == wanted => Some(*ty),
            _ => None,
        })
    }
}

/// A calling convention: LLVM's number for it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CallingConvention(pub u32);

impl CallingConvention {
    /// C's.
    pub const C: CallingConvention = CallingConvention(0);

    /// The convention of a word. Source: LLVM 22's CallingConv.h.
    pub fn from_keyword(word: &str) -> Option<CallingConvention> {
        CONVENTIONS.iter().find(|(known, _)| *known == word).map(|&(_, number)| CallingConvention(number))
    }

    /// The word, if it has one.
    pub fn keyword(self) -> Option<&'static str> {
        CONVENTIONS.iter().find(|(_, number)| *number == self.0).map(|&(word, _)| word)
    }
}

/// Words and LLVM's numbers.
const CONVENTIONS: &[(&str, u32)] = &[
    ("ccc", 0),
    ("fastcc", 8),
    ("coldcc", 9),
    ("ghccc", 10),
    ("anyregcc", 13),
    ("preserve_mostcc", 14),
    ("preserve_allcc", 15),
    ("swiftcc", 16),
    ("cxx_fast_tlscc", 17),
    ("tailcc", 18),
    ("cfguard_checkcc", 19),
    ("swifttailcc", 20),
    ("preserve_nonecc", 21),
    ("x86_stdcallcc", 64),
    ("x86_fastcallcc", 65),
    ("arm_apcscc", 66),
    ("arm_aapcscc", 67),
    ("arm_aapcs_vfpcc", 68),
    ("msp430_intrcc", 69),
    ("x86_thiscallcc", 70),
    ("ptx_kernel", 71),
    ("ptx_device", 72),
    ("spir_func", 75),
    ("spir_kernel", 76),
    ("intel_ocl_bicc", 77),
    ("x86_64_sysvcc", 78),
    ("win64cc", 79),
    ("x86_vectorcallcc", 80),
    ("hhvmcc", 81),
    ("hhvm_ccc", 82),
    ("x86_intrcc", 83),
    ("avr_intrcc", 84),
    ("avr_signalcc", 85),
    ("amdgpu_vs", 87),
    ("amdgpu_gs", 88),
    ("amdgpu_ps", 89),
    ("amdgpu_cs", 90),
    ("amdgpu_kernel", 91),
    ("x86_regcallcc", 92),
    ("amdgpu_hs", 93),
    ("amdgpu_ls", 95),
    ("amdgpu_es", 96),
    ("aarch64_vector_pcs", 97),
    ("aarch64_sve_vector_pcs", 98),
    ("amdgpu_gfx", 100),
    ("m68k_intrcc", 101),
    ("aarch64_sme_preservemost_from_x0", 102),
    ("aarch64_sme_preservemost_from_x2", 103),
    ("amdgpu_cs_chain", 104),
    ("amdgpu_cs_chain_preserve", 105),
    ("m68k_rtdcc", 106),
    ("graalcc", 107),
    ("riscv_vector_cc", 110),
    ("aarch64_sme_preservemost_from_x1", 111),
    ("riscv_vls_cc", 114),
    ("amdgpu_gfx_whole_wave", 124),
    ("cheriot_compartmentcallcc", 125),
    ("cheriot_compartmentcalleecc", 126),
    ("cheriot_librarycallcc", 127),
];
