//! The reasons why the emulator cannot run a program at all: no verdict on the code.

use super::{ObjectLoadError, StepperError};
use crate::input::GUARD;
use unicorn_engine::uc_error;

/// The reason why the emulator cannot work at all.
#[derive(Debug, thiserror::Error)]
pub enum MachineError {
    /// Unicorn failed in a way that no code should make it.
    #[error("Unicorn: {0:?}")]
    Engine(uc_error),
    /// The stepper cannot work.
    #[error("the stepper: {0}")]
    Stepper(#[from] StepperError),
    /// The code has this many bytes, too many to map.
    #[error("{0} bytes of code are more than the emulator maps")]
    TooMuchCode(usize),
    /// Something is called whose calls have no form on this target.
    #[error("calls of `{0}`")]
    Symbol(String),
    /// At this offset, in bytes, there should be a call.
    #[error("no call stands at offset {0:#x} of the code")]
    NoCall(u32),
    /// The linker does not know the relocation, or the place that it names.
    #[error("a relocation of kind {0} to {1}")]
    Relocation(u32, String),
    /// The object is not what an object must be.
    #[error(transparent)]
    Object(#[from] ObjectLoadError),
    /// A buffer of the input lies elsewhere than buffers do.
    #[error("an input of the emulator must have its buffers {GUARD} bytes after the starts of their pages")]
    Buffer,
}

impl From<uc_error> for MachineError {
    fn from(error: uc_error) -> MachineError {
        MachineError::Engine(error)
    }
}
