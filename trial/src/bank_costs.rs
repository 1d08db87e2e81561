//! The promise of the global mode of bank selection: no other mode has cheaper copies from bank to bank.

use tribunal_codegen::frequencies::BlockFrequencies;
use tribunal_codegen::{BankSelectMode, Context, NoObserver, Options, bank_select, pipeline};
use tribunal_ir::{Constraint, Function, InstData, Opcode};
use tribunal_target::Target;

/// A mode that gives `source` cheaper banks than `function` has, which is the source after bank selection in the
/// global mode with these options; in words, with both costs.
pub(crate) fn cheaper(
    target: &'static Target,
    options: Options,
    source: &Function,
    function: &Function,
) -> Option<String> {
    let cost = cost_of_copies(function, target);
    if cost == 0 {
        return None;
    }
    let of_mode =
        |mode: BankSelectMode| Some((mode, cost_of_copies(&selected(target, mode, options, source)?, target)));
    let others = [BankSelectMode::Fast, BankSelectMode::Greedy].into_iter().filter_map(of_mode);
    let (mode, other) = others.min_by_key(|&(_, other)| other).filter(|&(_, other)| other < cost)?;
    Some(format!("copies from bank to bank cost {cost}, and {other} in the mode `{}`", mode.name()))
}

/// The frequency of the blocks of all copies from bank to bank: the cost of the banks that were selected.
fn cost_of_copies(function: &Function, target: &Target) -> u64 {
    let frequencies = BlockFrequencies::of(function);
    let copies = function.all_insts().filter(|&inst| is_between_banks(function, target, function.inst(inst)));
    copies.filter_map(|inst| function.block_of(inst)).map(|block| frequencies.frequency(block)).sum()
}

/// True for a copy of a value of one bank to one of another.
pub fn is_between_banks(function: &Function, target: &Target, data: &InstData) -> bool {
    let bank = |index: usize| match function.vregs[data.vreg(index)?].constraint {
        Constraint::Bank(bank) => Some(bank),
        Constraint::Class(class) => Some(target.class(class).bank),
        Constraint::None => None,
    };
    data.opcode == Opcode::COPY && bank(0).zip(bank(1)).is_some_and(|(to, from)| to != from)
}

/// The source after bank selection in this mode.
fn selected(target: &'static Target, mode: BankSelectMode, options: Options, source: &Function) -> Option<Function> {
    let (options, legalizer) = (Options { bank_select: mode, ..options }, (target.legality)(options.features));
    let mut context = Context { target, options, legalizer, observer: &mut NoObserver };
    let mut function = source.clone();
    pipeline::run_until(&mut function, &mut context, Some(bank_select::PASS.name)).ok()?;
    Some(function)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_ir::text;
    use tribunal_target::riscv::{RISCV64, features};

    #[test]
    fn banks_that_another_mode_chooses_cheaper_are_told() {
        let text = include_str!("../../corpus/bank-select/phi_fast.riscv64.mir");
        let source = text::parse_module(text, RISCV64.vocabulary).expect("it is read").functions.remove(0);
        let options = Options::new(RISCV64.default_features | features::F | features::D);
        let of_mode = |mode| selected(&RISCV64, mode, options, &source).expect("it is selected");
        let told = |mode| cheaper(&RISCV64, options, &source, &of_mode(mode));
        assert_eq!(told(BankSelectMode::Global), None);
        let details = told(BankSelectMode::Fast).expect("its copies are in the loop");
        // Two copies in the loop, against one there and one before it.
        assert_eq!(details, "copies from bank to bank cost 20, and 11 in the mode `greedy`");
    }
}
