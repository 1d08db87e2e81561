//! The kinds of faults that a run of machine code shows: one name each, for reports.

use std::fmt;

/// The way in which a run went wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FaultKind {
    /// A result or a byte of a buffer is not the source's.
    WrongResult,
    /// Volatile accesses are not the source's.
    VolatileAccess,
    /// An access to memory that is not the function's.
    MemoryFault,
    /// A word that is no instruction.
    IllegalInstruction,
    /// An access that is less aligned than the machine guarantees to make.
    MisalignedAccess,
    /// No return within the instructions allowed.
    NoReturn,
    /// A register of the caller's was not restored.
    CalleeSavedRegister,
    /// The stack pointer was not restored.
    StackPointer,
    /// A write past the end of a buffer.
    WriteOutsideBuffer,
    /// A write above the function's own frame.
    WriteToCallerFrame,
    /// A write into the code.
    WriteToCode,
    /// An instruction from which the unwinder's table does not find the caller.
    Unwinding,
    /// A call with a stack pointer that is not aligned.
    StackAlignment,
    /// A call that no call instruction makes.
    BadCall,
    /// A call of the library with an argument that its convention excludes.
    BadArgument,
    /// Calls of unknown functions, or the memory that they find, are not the source's.
    WrongCall,
}

impl FaultKind {
    /// Every kind.
    pub const ALL: [FaultKind; 16] = [
        FaultKind::WrongResult,
        FaultKind::VolatileAccess,
        FaultKind::MemoryFault,
        FaultKind::IllegalInstruction,
        FaultKind::MisalignedAccess,
        FaultKind::NoReturn,
        FaultKind::CalleeSavedRegister,
        FaultKind::StackPointer,
        FaultKind::WriteOutsideBuffer,
        FaultKind::WriteToCallerFrame,
        FaultKind::WriteToCode,
        FaultKind::Unwinding,
        FaultKind::StackAlignment,
        FaultKind::BadCall,
        FaultKind::BadArgument,
        FaultKind::WrongCall,
    ];

    /// Its name in signatures.
    pub fn name(self) -> &'static str {
        match self {
            FaultKind::WrongResult => "wrong-result",
            FaultKind::VolatileAccess => "volatile-access",
            FaultKind::MemoryFault => "memory-fault",
            FaultKind::IllegalInstruction => "illegal-instruction",
            FaultKind::MisalignedAccess => "misaligned-access",
            FaultKind::NoReturn => "no-return",
            FaultKind::CalleeSavedRegister => "callee-saved-register",
            FaultKind::StackPointer => "stack-pointer",
            FaultKind::WriteOutsideBuffer => "write-outside-buffer",
            FaultKind::WriteToCallerFrame => "write-to-caller-frame",
            FaultKind::WriteToCode => "write-to-code",
            FaultKind::Unwinding => "unwinding",
            FaultKind::StackAlignment => "stack-alignment",
            FaultKind::BadCall => "bad-call",
            FaultKind::BadArgument => "bad-argument",
            FaultKind::WrongCall => "wrong-call",
        }
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
