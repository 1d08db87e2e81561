//! The parts of a function that an allocator must leave alone: blocks, edges, tables, and every original instruction
//! but for the names of its virtual registers.

use super::fault::{AllocationFault, AllocationRule, InstPart};
use super::is_original;
use crate::Violation;
use tribunal_ir::{
    Block, Constraint, Function, Inst, InstData, Operand, PReg, Reg, RegFlags, RegOperand, SubReg, VReg,
};
use tribunal_target::Target;

/// Flags that are about virtual registers: the allocator drops them.
const DROPPED: RegFlags = RegFlags::KILLED.union(RegFlags::DEAD);

pub(super) struct Structure<'f> {
    pub selected: &'f Function,
    pub allocated: &'f Function,
    pub target: &'f Target,
    pub findings: Vec<Violation<AllocationRule>>,
}

impl Structure<'_> {
    /// All that differs.
    pub fn check(mut self) -> Vec<Violation<AllocationRule>> {
        self.tables();
        if self.selected.layout() != self.allocated.layout() {
            let rule = AllocationFault::Edges;
            let first = self.allocated.entry().or(self.selected.entry());
            self.findings.extend(first.map(|block| Violation::in_block(rule.rule(), block, rule.to_string())));
            return self.findings;
        }
        for &block in self.selected.layout() {
            self.block(block);
        }
        self.findings
    }

    fn tables(&mut self) {
        let (selected, allocated) = (self.selected, self.allocated);
        let objects = allocated.stack.values().take(selected.stack.len());
        let mut slots = allocated.stack.values().skip(selected.stack.len());
        let same = [
            ("stack objects", selected.stack.values().eq(objects)),
            // The frame is laid out later.
            ("places of spill slots", slots.all(|object| object.offset == 0)),
            ("fixed stack objects", selected.fixed_stack == allocated.fixed_stack),
            ("symbols", selected.symbols == allocated.symbols),
            ("addresses", selected.addresses == allocated.addresses),
            ("wide constants", selected.wide == allocated.wide),
            ("constant pool", selected.constants == allocated.constants),
            ("jump tables", selected.jump_tables == allocated.jump_tables),
            ("shuffle masks", selected.shuffle_masks == allocated.shuffle_masks),
            ("lists of registers", selected.register_lists == allocated.register_lists),
            ("live-ins", selected.liveins == allocated.liveins),
        ];
        let Some(entry) = allocated.entry() else { return };
        for (name, _) in same.into_iter().filter(|(_, same)| !same) {
            let fault = AllocationFault::Table(name);
            self.findings.push(Violation::in_block(fault.rule(), entry, fault.to_string()));
        }
    }

    /// The original instructions in their order, and the edges.
    fn block(&mut self, block: Block) {
        let (selected, allocated) = (self.selected, self.allocated);
        if selected.block(block).successors != allocated.block(block).successors {
            let fault = AllocationFault::Edges;
            self.findings.push(Violation::in_block(fault.rule(), block, fault.to_string()));
        }
        if selected.block(block).liveins != allocated.block(block).liveins {
            let fault = AllocationFault::Table("live-ins of a block");
            self.findings.push(Violation::in_block(fault.rule(), block, fault.to_string()));
        }
        let mut kept = allocated.insts(block).filter(|&inst| is_original(selected, inst));
        for inst in selected.insts(block).filter(|&inst| !selected.inst(inst).opcode.is_phi()) {
            if kept.next() != Some(inst) {
                self.findings.push(AllocationFault::Lost.at(selected, inst));
                return;
            }
            if let Some(part) = self.changed(inst) {
                self.findings.push(AllocationFault::Changed(part).at(allocated, inst));
            }
        }
        if let Some(inst) = kept.next() {
            self.findings.push(AllocationFault::Lost.at(allocated, inst));
        }
    }

    /// The first part in which the instruction is another.
    fn changed(&self, inst: Inst) -> Option<InstPart> {
        let (meant, data) = (self.selected.inst(inst), self.allocated.inst(inst));
        let parts = [
            (InstPart::Opcode, meant.opcode == data.opcode),
            (InstPart::Flags, meant.flags == data.flags),
            (InstPart::Memory, meant.memory == data.memory),
            (InstPart::Operands, meant.operands.len() == data.operands.len()),
        ];
        let differs = parts.into_iter().find(|(_, same)| !same).map(|(part, _)| part);
        differs.or_else(|| (0..meant.operands.len()).find_map(|index| self.changed_operand(meant, data, index)))
    }

    fn changed_operand(&self, meant: &InstData, data: &InstData, index: usize) -> Option<InstPart> {
        let (Operand::Reg(meant), Operand::Reg(operand)) = (meant.operands[index], data.operands[index]) else {
            return (meant.operands[index] != data.operands[index]).then_some(InstPart::Operand(index));
        };
        let register = match meant.reg {
            Reg::Virtual(register) => register,
            Reg::Physical(_) => {
                return (without_life(meant) != without_life(operand)).then_some(InstPart::Operand(index));
            }
        };
        let Some(physical) = operand.reg.as_physical() else { return Some(InstPart::Operand(index)) };
        let is_same_access = meant.flags - DROPPED == operand.flags
            && operand.subregister == SubReg(0)
            && meant.tied_to == operand.tied_to
            && operand
                .tied_to
                .is_none_or(|to| data.operands.get(usize::from(to)).is_some_and(|to| names(to, physical)));
        match is_same_access {
            false => Some(InstPart::Access(index)),
            true => (!self.is_in_class(register, meant.subregister, physical)).then_some(InstPart::Class(index)),
        }
    }

    /// True if the register may stand for this part of the virtual one.
    fn is_in_class(&self, register: VReg, part: SubReg, physical: PReg) -> bool {
        let class = match self.selected.vregs[register].constraint {
            Constraint::Class(class) => class,
            Constraint::Bank(bank) => self.target.bank(bank).class,
            Constraint::None => return false,
        };
        let members = self.target.class(class).members;
        match part {
            SubReg(0) => members.contains(&physical),
            part => {
                let bits = self.target.vocabulary.subregister_bits(part);
                let full = |register| self.target.vocabulary.full_register(register);
                members.iter().any(|&member| self.target.part_of(full(member), bits) == physical)
            }
        }
    }
}

fn without_life(operand: RegOperand) -> RegOperand {
    RegOperand { flags: operand.flags - DROPPED, ..operand }
}

fn names(operand: &Operand, register: PReg) -> bool {
    operand.as_reg().is_some_and(|operand| operand.reg == Reg::Physical(register))
}
