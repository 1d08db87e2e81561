//! Scopes: the registers that an instruction may read, and the places where an instruction may stand.

use tribunal_ir::{Block, Function, Inst, OpcodeFlags, PReg, Reg, RegFlags, RegOperand, VReg};
use tribunal_target::Target;
use tribunal_verifier::machine_verifier::dominance::Tree;

/// The dominator tree of a function, as it was when the scope was made.
pub struct Scope {
    order: Vec<Block>,
    tree: Option<Tree>,
}

impl Scope {
    /// The scope of every block, by dominance.
    pub fn new(function: &Function) -> Scope {
        let order = function.reverse_post_order();
        let tree = function.entry().map(|entry| Tree::new(function, &order, entry));
        Scope { order, tree }
    }

    /// Registers that `inst` may read, nearest first. A PHI reads elsewhere: see [`Scope::at_end`].
    pub fn above(&self, function: &Function, inst: Inst) -> Vec<VReg> {
        let Some(block) = function.block_of(inst) else { return Vec::new() };
        let before = std::iter::successors(function.previous_inst(inst), |&inst| function.previous_inst(inst));
        let mut registers: Vec<VReg> = before.flat_map(|inst| defs(function, inst)).collect();
        self.dominators(function, block, &mut registers);
        registers
    }

    /// Registers that may be read at the end of `block`, nearest first.
    pub fn at_end(&self, function: &Function, block: Block) -> Vec<VReg> {
        let mut registers: Vec<VReg> = function.insts_reversed(block).flat_map(|inst| defs(function, inst)).collect();
        self.dominators(function, block, &mut registers);
        registers
    }

    /// Adds the definitions of the blocks above `block`.
    fn dominators(&self, function: &Function, block: Block, registers: &mut Vec<VReg>) {
        let Some(tree) = &self.tree else { return };
        let above = std::iter::successors(tree.above(&self.order, block), |&block| tree.above(&self.order, block));
        registers.extend(above.flat_map(|block| function.insts_reversed(block)).flat_map(|inst| defs(function, inst)));
    }

    /// True if `inst` may read `register`.
    pub fn is_above(&self, function: &Function, register: VReg, inst: Inst) -> bool {
        function.def_of(register).is_some_and(|def| self.precedes(function, def, inst))
    }

    /// True if `first` is executed before `second` whenever `second` is.
    pub fn precedes(&self, function: &Function, first: Inst, second: Inst) -> bool {
        match (function.block_of(first), function.block_of(second)) {
            (Some(own), Some(block)) if own == block => {
                std::iter::successors(function.previous_inst(second), |&inst| function.previous_inst(inst))
                    .any(|inst| inst == first)
            }
            (Some(own), Some(block)) => self.dominates(own, block),
            _ => false,
        }
    }

    /// True if `register` may be read at the end of `block`.
    pub fn reaches_end(&self, function: &Function, register: VReg, block: Block) -> bool {
        let own = function.def_of(register).and_then(|def| function.block_of(def));
        own.is_some_and(|own| own == block || self.dominates(own, block))
    }

    pub(super) fn dominates(&self, above: Block, below: Block) -> bool {
        self.tree.as_ref().is_some_and(|tree| tree.dominates(above, below))
    }
}

fn defs(function: &Function, inst: Inst) -> impl Iterator<Item = VReg> + '_ {
    function.inst(inst).vreg_defs().filter(move |&register| function.def_of(register) == Some(inst))
}

/// Full registers that some block reads before it writes them: their contents on entry may matter.
pub fn read_on_entry(function: &Function, target: &Target) -> Vec<PReg> {
    let full = |operand: &RegOperand| operand.reg.as_physical().map(|it| target.vocabulary.full_register(it));
    let mut read = Vec::new();
    for &block in function.layout() {
        let mut written = Vec::new();
        for data in function.insts(block).map(|inst| function.inst(inst)) {
            read.extend(data.uses().filter_map(full).filter(|register| !written.contains(register)));
            written.extend(data.defs().filter_map(full));
        }
    }
    read
}

/// True if an instruction or the end of a block may stand before `inst`: no PHI follows, no physical register is live,
/// no call frame is open, no terminator stands before.
pub fn is_free(function: &Function, target: &Target, inst: Inst) -> bool {
    let ends = |inst| function.opcode_flags(function.inst(inst), target.vocabulary).contains(OpcodeFlags::TERMINATOR);
    if function.inst(inst).opcode.is_phi() || function.previous_inst(inst).is_some_and(ends) {
        return false;
    }
    let mut written = Vec::new();
    let mut framed = false;
    for inst in std::iter::successors(Some(inst), |&inst| function.next_inst(inst)) {
        let data = function.inst(inst);
        if target.is_call_frame(data) || target.is_call(data) {
            if !framed && !target.opens_call_frame(data) {
                return false;
            }
            framed = true;
        }
        let full = |register| target.vocabulary.full_register(register);
        for operand in data.uses().filter(|operand| !operand.flags.contains(RegFlags::UNDEF)) {
            if let Reg::Physical(register) = operand.reg
                && full(register) != target.abi.stack_pointer
                && !written.contains(&full(register))
            {
                return false;
            }
        }
        written.extend(data.defs().filter_map(|operand| operand.reg.as_physical()).map(full));
    }
    true
}
