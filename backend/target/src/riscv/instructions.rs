//! The instruction table.

use crate::instructions::InstrDesc;

pub static INSTRUCTIONS: &[InstrDesc] = &[];
