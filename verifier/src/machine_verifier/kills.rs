//! Kills of virtual registers: none is read after a kill, nor where its definition is dead, before another definition.
//!
//! One scan finds the registers that end in a block and are not defined there again. A search forward from that block
//! then meets no block that reads one before it defines it. A PHI reads at the end of the block that its value comes
//! from.

use super::{Rule, Verifier};
use rustc_hash::{FxHashMap, FxHashSet};
use tribunal_ir::{Block, Function, Inst, InstData, Operand, RegFlags, VReg};

pub(super) fn check(verifier: &mut Verifier<'_>) {
    let function = verifier.function;
    if function.vregs.is_empty() {
        return;
    }
    let mut all = Vec::new();
    for &block in function.layout() {
        let ended = ended(verifier, block);
        all.extend(ended.into_iter().map(|register| (register, block)));
    }
    if all.is_empty() {
        return;
    }
    let reads = Reads::new(function, all.iter().map(|&(register, _)| register).collect());
    for (register, block) in all {
        if let Some(inst) = reads.after(function, register, block) {
            verifier.demand(Rule::VirtualKilled, inst, false, || format!("reads {register}, which ended before"));
        }
    }
}

/// The registers that end in the block and that no later instruction of it defines; demands that none reads them.
fn ended(verifier: &mut Verifier<'_>, block: Block) -> FxHashSet<VReg> {
    let function = verifier.function;
    let mut ended = FxHashSet::default();
    for inst in function.insts(block) {
        let data = function.inst(inst);
        if !ended.is_empty() && !data.opcode.is_phi() {
            let stale = read(data).find(|register| ended.contains(register));
            verifier.demand(Rule::VirtualKilled, inst, stale.is_none(), || "reads what was killed in this block");
        }
        let registers = |data: &'_ InstData, ends: RegFlags| {
            let operands = data.operands.iter().filter_map(Operand::as_reg).filter(move |one| one.flags.contains(ends));
            operands.filter_map(|operand| operand.reg.as_virtual()).collect::<Vec<VReg>>()
        };
        ended.extend(registers(data, RegFlags::KILLED));
        data.vreg_defs().for_each(|register| _ = ended.remove(&register));
        ended.extend(registers(data, RegFlags::DEAD | RegFlags::DEF));
    }
    ended
}

/// Virtual registers read.
fn read(data: &InstData) -> impl Iterator<Item = VReg> {
    let used = data.uses().filter(|operand| !operand.flags.intersects(RegFlags::UNDEF | RegFlags::DEBUG_USE));
    used.filter_map(|operand| operand.reg.as_virtual())
}

/// The places where blocks read and write registers.
#[derive(Default)]
struct Reads {
    /// The first read in a block that does not define the register above.
    at_head: FxHashMap<(VReg, Block), Inst>,
    /// PHIs that read at the end of a block.
    at_end: FxHashMap<(VReg, Block), Inst>,
    written: FxHashSet<(VReg, Block)>,
}

impl Reads {
    fn new(function: &Function, registers: FxHashSet<VReg>) -> Reads {
        let mut all = Reads::default();
        for &block in function.layout() {
            for inst in function.insts(block) {
                let data = function.inst(inst);
                let is_phi = data.opcode.is_phi();
                for (register, from) in data.phi_inputs().filter(|(register, _)| is_phi && registers.contains(register))
                {
                    all.at_end.entry((register, from)).or_insert(inst);
                }
                for register in read(data).filter(|register| !is_phi && registers.contains(register)) {
                    if !all.written.contains(&(register, block)) {
                        all.at_head.entry((register, block)).or_insert(inst);
                    }
                }
                all.written.extend(data.vreg_defs().filter(|own| registers.contains(own)).map(|own| (own, block)));
            }
        }
        all
    }

    /// A read of the register that the end of `from` reaches without another definition.
    fn after(&self, function: &Function, register: VReg, from: Block) -> Option<Inst> {
        let mut seen = FxHashSet::default();
        let mut pending = vec![from];
        while let Some(block) = pending.pop() {
            if let Some(&phi) = self.at_end.get(&(register, block)) {
                return Some(phi);
            }
            for next in function.successors(block) {
                if let Some(&inst) = self.at_head.get(&(register, next)) {
                    return Some(inst);
                }
                if !self.written.contains(&(register, next)) && seen.insert(next) {
                    pending.push(next);
                }
            }
        }
        None
    }
}
