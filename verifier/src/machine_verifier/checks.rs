//! The checks that a verification made, for the fuzzer's features: each (rule, opcode) pair that a function reaches.

use super::Rule;
use tribunal_ir::{Inst, Opcode, TargetOpcode};
use tribunal_target::Target;

/// The rules that applied to instructions of each opcode, and those that applied to blocks.
#[derive(Clone, Default, Debug)]
pub struct Checks {
    /// One bit a rule; by opcode, those of every target before the target's own.
    opcodes: Vec<u64>,
    blocks: u64,
    /// The current instruction, and the rules checked on it so far.
    at_hand: Option<(Inst, Opcode)>,
    rules: u64,
}

const _: () = assert!(Rule::ALL.len() <= 64, "one bit a rule");

impl Checks {
    /// Reserves capacity for the opcodes of a target.
    pub(super) fn reserve(&mut self, target: &Target) {
        let opcodes = Opcode::ALL.len() + target.instructions.len();
        self.opcodes.resize(opcodes.max(self.opcodes.len()), 0);
    }

    /// Most checks are of the same instruction as the check before.
    #[inline]
    pub(super) fn of_inst(&mut self, rule: Rule, inst: Inst, opcode: Opcode) {
        if self.at_hand.is_none_or(|(at_hand, _)| at_hand != inst) {
            self.leave(Some((inst, opcode)));
        }
        self.rules |= bit(rule);
    }

    #[inline(never)]
    fn leave(&mut self, next: Option<(Inst, Opcode)>) {
        let left = std::mem::replace(&mut self.at_hand, next);
        let rules = std::mem::take(&mut self.rules);
        if let Some(held) = left.and_then(|(_, opcode)| self.opcodes.get_mut(opcode.place())) {
            *held |= rules;
        }
    }

    pub(super) fn of_block(&mut self, rule: Rule) {
        self.blocks |= bit(rule);
    }

    /// Calls `each` with the checks made since the last time, each once: its rule, and the opcode or `None` for a
    /// block.
    pub fn take(&mut self, mut each: impl FnMut(Rule, Option<Opcode>)) {
        self.leave(None);
        let mut all = |rules: &mut u64, opcode: Option<Opcode>| {
            while *rules != 0 {
                each(Rule::ALL[rules.trailing_zeros() as usize], opcode);
                *rules &= *rules - 1;
            }
        };
        all(&mut self.blocks, None);
        for (place, rules) in self.opcodes.iter_mut().enumerate().filter(|(_, rules)| **rules != 0) {
            let own = || Opcode::Target(TargetOpcode((place - Opcode::ALL.len()) as u16));
            let opcode = Opcode::ALL.get(place).copied();
            all(rules, Some(opcode.unwrap_or_else(own)));
        }
    }
}

fn bit(rule: Rule) -> u64 {
    1 << rule as u32
}
