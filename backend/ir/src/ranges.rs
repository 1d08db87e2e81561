//! The values that a load may read, as `!range` metadata of the module says.

use crate::entities::Symbol;
use crate::function::Function;
use crate::memory::MemOperand;
use tribunal_llvm::{IntegerRange, IrModule};

impl Function {
    /// The values that the access may read, if its metadata says it: `Err` if the module does not give them.
    pub fn range_of(&self, memory: &MemOperand) -> Result<&[IntegerRange], RangeUnknown> {
        let Some(metadata) = memory.metadata.expand() else { return Ok(&[]) };
        match self.ranges.iter().find(|(symbol, _)| *symbol == metadata) {
            Some((_, ranges)) => Ok(ranges),
            None if range_number(&self.symbols[metadata]).is_some() => Err(RangeUnknown),
            None => Ok(&[]),
        }
    }

    /// Looks up the ranges that loads name among the module's metadata.
    pub(crate) fn resolve_ranges(&mut self, module: &IrModule) {
        let numbered = |symbol: Symbol| Some((symbol, range_number(&self.symbols[symbol])?));
        let memory = self.all_insts().flat_map(|inst| &self.inst(inst).memory);
        let mut named: Vec<(Symbol, u32)> =
            memory.filter_map(|memory| memory.metadata.expand()).filter_map(numbered).collect();
        named.sort_unstable();
        named.dedup();
        let known = |(symbol, number)| Some((symbol, module.ranges.get(&number)?.clone()));
        self.ranges = named.into_iter().filter_map(known).collect();
    }
}

/// A load that may read certain values only, which the module does not give.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RangeUnknown;

/// N of `!range !N` in the metadata of an access.
fn range_number(metadata: &str) -> Option<u32> {
    metadata.split(',').find_map(|item| item.trim().strip_prefix("!range !")?.parse().ok())
}
