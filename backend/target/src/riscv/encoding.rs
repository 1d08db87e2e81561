//! Instruction words.

use crate::instructions::EncodeError;
use tribunal_ir::InstData;

pub fn encode(_inst: &InstData) -> Result<u32, EncodeError> {
    Err(EncodeError::Pseudo { name: "" })
}
