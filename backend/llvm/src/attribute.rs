//! Attributes of parameters, results, functions and globals.

use crate::constant::Integer;
use crate::types::TypeId;

/// An attribute. Those that calling conventions and memory need have a kind of their own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Attribute {
    /// An attribute that is one word.
    Word(AttributeWord),
    /// `byval(T)` and its like.
    Typed(TypedAttribute, TypeId),
    /// `align N`, in bytes.
    Align(u64),
    /// `alignstack(N)`, in bytes.
    StackAlign(u64),
    /// `dereferenceable(N)`, in bytes.
    Dereferenceable(u64),
    /// `dereferenceable_or_null(N)`, in bytes.
    DereferenceableOrNull(u64),
    /// `range(iN low, high)`, a range that may wrap.
    Range(Integer, Integer),
    /// `"key"="value"`; the value is empty if there is none.
    Text {
        /// Escapes decoded, as far as it is UTF-8.
        key: String,
        /// Escapes decoded, as far as it is UTF-8.
        value: String,
    },
    /// Any other, as it stands: `memory(argmem: read)`.
    Other(String),
}

crate::keywords::keywords! {
    /// Attributes with a type.
    pub enum TypedAttribute {
        /// The pointee is passed by value.
        ByVal = "byval",
        /// The pointee is the caller's, and its layout is part of the ABI.
        ByRef = "byref",
        /// The memory of the result.
        StructReturn = "sret",
        /// Memory of the arguments that the caller allocated.
        InAlloca = "inalloca",
        /// Memory of the arguments that a token allocated.
        Preallocated = "preallocated",
        /// The pointee's type, for an intrinsic.
        ElementType = "elementtype",
    }
}

crate::keywords::keywords! {
    /// Attributes of one word.
    pub enum AttributeWord {
        /// Extended by its sign to a whole register.
        SignExt = "signext",
        /// Extended by zeros to a whole register.
        ZeroExt = "zeroext",
        /// Not extended.
        NoExt = "noext",
        /// In a register where the convention has a choice.
        InReg = "inreg",
        /// The static chain.
        Nest = "nest",
        /// The result is this parameter.
        Returned = "returned",
        /// Swift's context.
        SwiftSelf = "swiftself",
        /// Swift's asynchronous context.
        SwiftAsync = "swiftasync",
        /// Swift's error.
        SwiftError = "swifterror",
        /// No other pointer reaches the memory.
        NoAlias = "noalias",
        /// The pointer does not outlive the call.
        NoCapture = "nocapture",
        /// Memory is not freed through it.
        NoFree = "nofree",
        /// Neither undefined nor poison.
        NoUndef = "noundef",
        /// Not null.
        NonNull = "nonnull",
        /// A constant of an intrinsic.
        ImmArg = "immarg",
        /// Memory is not accessed.
        ReadNone = "readnone",
        /// Memory is not written.
        ReadOnly = "readonly",
        /// Memory is not read.
        WriteOnly = "writeonly",
        /// Inlined wherever it can be.
        AlwaysInline = "alwaysinline",
        /// Not inlined.
        NoInline = "noinline",
        /// Small before fast.
        OptSize = "optsize",
        /// As small as it can be.
        MinSize = "minsize",
        /// Not optimised.
        OptNone = "optnone",
        /// Called rarely.
        Cold = "cold",
        /// Called often.
        Hot = "hot",
        /// Without prologue and epilogue.
        Naked = "naked",
        /// Does not return.
        NoReturn = "noreturn",
        /// Does not unwind.
        NoUnwind = "nounwind",
        /// May return twice, as `setjmp` does.
        ReturnsTwice = "returns_twice",
        /// Returns, or unwinds.
        WillReturn = "willreturn",
    }
}
