//! Registers, classes and banks.

use crate::registers::{BankDesc, ClassDesc, RegisterDesc, SubRegDesc};

pub static REGISTERS: &[RegisterDesc] = &[];
pub static CLASSES: &[ClassDesc] = &[];
pub static BANKS: &[BankDesc] = &[];
pub static SUBREGISTERS: &[SubRegDesc] = &[SubRegDesc { name: "", bits: 64 }];
