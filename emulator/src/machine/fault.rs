//! The actions of machine code that no function may take.
//!
//! Invariant: each has a kind of its own, by which findings are told apart.

use crate::call::CallMismatch;
use crate::fault::FaultKind;

/// An action that no function may take.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MachineFault {
    /// It accessed memory that is not its own.
    #[error("access to memory that is not the function's, at offset {pc:#x} of the code")]
    Memory {
        /// The offset of the instruction, in bytes.
        pc: u64,
    },
    /// It reached a word that is no instruction.
    #[error("illegal instruction at offset {pc:#x} of the code")]
    Illegal {
        /// The offset of the word, in bytes.
        pc: u64,
    },
    /// It made an access that the machine need not make: an environment may trap.
    #[error("access of {bytes} bytes at {address:#x}, which is no multiple of its size")]
    Misaligned {
        /// The address.
        address: u64,
        /// The size of the access.
        bytes: u32,
    },
    /// It did not return within this many instructions.
    #[error("did not return within {0} instructions")]
    OutOfFuel(u64),
    /// It returned with another value in a register that it must keep.
    #[error("callee-saved register ${register} was not restored")]
    CalleeSaved {
        /// The register's name.
        register: &'static str,
    },
    /// It returned with another stack pointer.
    #[error("the stack pointer was not restored")]
    StackPointer,
    /// It wrote past the end of a buffer.
    #[error("wrote outside buffer {buffer}")]
    Guard {
        /// The buffer's number in the input.
        buffer: usize,
    },
    /// It wrote above its own frame.
    #[error("wrote to the caller's frame")]
    CallerFrame,
    /// It wrote into its code.
    #[error("wrote over its own code")]
    Code,
    /// From this instruction the unwinder's table does not find the caller, or not its registers.
    #[error("the unwinder does not find the caller from offset {pc:#x} of the code")]
    Unwinding {
        /// The offset of the instruction, in bytes.
        pc: u64,
    },
    /// It called with a stack pointer that is not aligned.
    #[error("the stack pointer is not aligned at a call")]
    StackAlignment,
    /// It called in a way that no call instruction does.
    #[error("called {callee} with a return address that no call leaves, or without a stack")]
    BadCall {
        /// The callee's name.
        callee: String,
    },
    /// It called the library with a narrow argument that is not extended, or with another one that has no meaning.
    #[error("called {callee} with an argument that its convention excludes")]
    BadArgument {
        /// The callee's name.
        callee: String,
    },
    /// Its calls of unknown functions are not those of the source.
    #[error("{0}")]
    Call(CallMismatch),
}

impl MachineFault {
    /// Its kind, for signatures.
    pub fn kind(&self) -> FaultKind {
        match self {
            MachineFault::Memory { .. } => FaultKind::MemoryFault,
            MachineFault::Illegal { .. } => FaultKind::IllegalInstruction,
            MachineFault::Misaligned { .. } => FaultKind::MisalignedAccess,
            MachineFault::OutOfFuel(_) => FaultKind::NoReturn,
            MachineFault::CalleeSaved { .. } => FaultKind::CalleeSavedRegister,
            MachineFault::StackPointer => FaultKind::StackPointer,
            MachineFault::Guard { .. } => FaultKind::WriteOutsideBuffer,
            MachineFault::CallerFrame => FaultKind::WriteToCallerFrame,
            MachineFault::Code => FaultKind::WriteToCode,
            MachineFault::Unwinding { .. } => FaultKind::Unwinding,
            MachineFault::StackAlignment => FaultKind::StackAlignment,
            MachineFault::BadCall { .. } => FaultKind::BadCall,
            MachineFault::BadArgument { .. } => FaultKind::BadArgument,
            MachineFault::Call(_) => FaultKind::WrongCall,
        }
    }
}
