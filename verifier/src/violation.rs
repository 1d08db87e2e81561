//! The findings of the judges that reason: the machine verifier and the allocation checker.

use std::fmt::Display;
use tribunal_ir::{Block, Function, Inst, Vocabulary, text};

/// A rule of the judge's list `R`, broken at one place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation<R> {
    /// The rule.
    pub rule: R,
    /// The block where it is broken, if it is about one.
    pub block: Option<Block>,
    /// The instruction that breaks it, if it is about one.
    pub inst: Option<Inst>,
    /// The fault, in words.
    pub message: String,
}

impl<R: Display> Violation<R> {
    /// Broken by `inst`, in its block.
    pub fn at(rule: R, function: &Function, inst: Inst, message: impl Into<String>) -> Violation<R> {
        Violation { rule, block: function.block_of(inst), inst: Some(inst), message: message.into() }
    }

    /// Broken by `block` as a whole.
    pub fn in_block(rule: R, block: Block, message: impl Into<String>) -> Violation<R> {
        Violation { rule, block: Some(block), inst: None, message: message.into() }
    }

    /// The violation as text, with its place.
    pub fn describe(&self, function: &Function, vocabulary: &dyn Vocabulary) -> String {
        let block = self.block.map_or(String::new(), |block| format!(" in bb.{}", function.block(block).number));
        let inst = self.inst.map_or(String::new(), |inst| {
            format!(": `{}`", text::print_inst(function, function.inst(inst), vocabulary))
        });
        format!("{}{block}{inst}: {}", self.rule, self.message)
    }
}
