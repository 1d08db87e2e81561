//! LLVM's greedy mode: in reverse post-order each operation that may be in either bank takes the one that costs less,
//! as far as banks are decided by then.
//!
//! A bank costs the copies that it asks for: one of each operand that lives in the other bank, and one of the result if
//! an operation that is decided reads it there. A copy stands after the definition of its value, costs the frequency of
//! that block, and costs nothing a second time. Of equals the default mapping is taken, which is that of `fast`.

use super::copies::defining_block;
use super::{Read, Want, bank_of};
use crate::frequencies::BlockFrequencies;
use cranelift_entity::EntitySet;
use rustc_hash::{FxHashMap, FxHashSet};
use tribunal_ir::{Constraint, Function, RegBank, VReg};
use tribunal_target::Target;

/// Gives each of `choices` the bank that is cheaper for its definition.
pub(super) fn choose(
    function: &mut Function,
    target: &Target,
    choices: &FxHashMap<VReg, [RegBank; 2]>,
    reads: &[Read],
) {
    let frequencies = BlockFrequencies::of(function);
    let mut greedy =
        Greedy { function, target, frequencies, undecided: EntitySet::new(), copied: FxHashSet::default() };
    choices.keys().for_each(|&value| _ = greedy.undecided.insert(value));
    let (mut by_value, mut by_result) = (ReadsOf::default(), ReadsOf::default());
    for &read in reads {
        greedy.note(&read);
        by_value.entry(read.value).or_default().push(read);
        if let Want::Of(result) = read.want {
            by_result.entry(result).or_default().push(read);
        }
    }
    for block in greedy.function.reverse_post_order() {
        let defs = greedy.function.insts(block).filter_map(|inst| greedy.function.inst(inst).vreg(0));
        for value in defs.filter(|value| choices.contains_key(value)).collect::<Vec<_>>() {
            let of = |reads: &ReadsOf| reads.get(&value).cloned().unwrap_or_default();
            let around = [of(&by_result), of(&by_value)].concat();
            greedy.decide(value, choices[&value], &around);
        }
    }
}

type ReadsOf = FxHashMap<VReg, Vec<Read>>;

struct Greedy<'f> {
    function: &'f mut Function,
    target: &'f Target,
    frequencies: BlockFrequencies,
    undecided: EntitySet<VReg>,
    /// Values of which there is a copy in the bank.
    copied: FxHashSet<(VReg, RegBank)>,
}

impl Greedy<'_> {
    fn decide(&mut self, value: VReg, banks: [RegBank; 2], around: &[Read]) {
        let default = bank_of(self.function, self.target, value);
        self.undecided.remove(value);
        let mut best: Option<(u64, bool, RegBank)> = None;
        for bank in banks {
            self.function.vregs[value].constraint = Constraint::Bank(bank);
            let mut asked: Vec<(VReg, RegBank)> = around.iter().filter_map(|read| self.copy_for(read)).collect();
            asked.sort_unstable();
            asked.dedup();
            let cost =
                asked.iter().filter(|copy| !self.copied.contains(copy)).map(|&(value, _)| self.cost(value)).sum();
            let found = (cost, Some(bank) != default, bank);
            best = Some(best.map_or(found, |best| best.min(found)));
        }
        if let Some((_, _, bank)) = best {
            self.function.vregs[value].constraint = Constraint::Bank(bank);
            around.iter().for_each(|read| self.note(read));
        }
    }

    /// Remembers the copy that a read asks for, if both of its ends are decided.
    fn note(&mut self, read: &Read) {
        self.copied.extend(self.copy_for(read));
    }

    fn copy_for(&self, read: &Read) -> Option<(VReg, RegBank)> {
        let is_open = |value: VReg| self.undecided.contains(value);
        if is_open(read.value) || matches!(read.want, Want::Of(result) if is_open(result)) {
            return None;
        }
        let wanted = read.bank(self.function, self.target)?;
        (bank_of(self.function, self.target, read.value) != Some(wanted)).then_some((read.value, wanted))
    }

    fn cost(&self, value: VReg) -> u64 {
        defining_block(self.function, value).map_or(0, |block| self.frequencies.frequency(block))
    }
}
