//! The selection rules.

use crate::selection::SelectionRule;

pub static RULES: &[SelectionRule] = &[];
