//! Splicing: a straight stretch of one function becomes part of another.

use super::scope::{Scope, is_free};
use super::{shape, values};
use crate::opcodes::is_known;
use rustc_hash::FxHashMap;
use tribunal_ir::{Function, Inst, Opcode, Operand, VReg};
use tribunal_target::Target;

/// Instructions of one block that stand for themselves: integer operations and accesses, on virtual registers only.
pub struct Donor<'f> {
    function: &'f Function,
    insts: Vec<Inst>,
}

/// The longest such stretches of `function`.
pub fn donors<'f>(function: &'f Function, target: &Target) -> Vec<Donor<'f>> {
    let mut donors = Vec::new();
    for &block in function.layout() {
        let mut stretch = Vec::new();
        for inst in function.insts(block) {
            match travels(function, target, inst) {
                true => stretch.push(inst),
                false => donors.push(std::mem::take(&mut stretch)),
            }
        }
        donors.push(stretch);
    }
    donors.into_iter().filter(|insts| !insts.is_empty()).map(|insts| Donor { function, insts }).collect()
}

fn travels(function: &Function, target: &Target, inst: Inst) -> bool {
    let data = function.inst(inst);
    let virtual_only =
        data.operands.iter().filter_map(Operand::as_reg).all(|operand| operand.reg.as_virtual().is_some());
    // A stack object is that of its function.
    let own = data.operands.iter().any(|operand| matches!(operand, Operand::Stack(_) | Operand::FixedStack(_)));
    let known = is_known(data.opcode) && !own;
    let acts = !values::is_pure(function, target, inst) && data.opcode != Opcode::G_STORE;
    let plain = data.memory.iter().all(|memory| memory.ty.is_some() && !memory.is_atomic());
    virtual_only && known && plain && !acts && !data.opcode.is_phi()
}

impl Donor<'_> {
    /// Copies the stretch to before `before`. Each register read from above becomes the one that `choose` picks, by
    /// index, among the values of the same type there; `false`, with nothing changed, where there is none.
    pub fn splice(
        &self,
        function: &mut Function,
        target: &Target,
        before: Inst,
        mut choose: impl FnMut(usize) -> usize,
    ) -> bool {
        if function.block_of(before).is_none() || !is_free(function, target, before) {
            return false;
        }
        let above = Scope::new(function).above(function, before);
        let mut renamed: FxHashMap<VReg, VReg> = FxHashMap::default();
        let own: Vec<VReg> = self.insts.iter().flat_map(|&inst| self.function.inst(inst).vreg_defs()).collect();
        for register in self.insts.iter().flat_map(|&inst| self.function.inst(inst).vreg_uses()) {
            if own.contains(&register) || renamed.contains_key(&register) {
                continue;
            }
            let ty = self.function.type_of(register);
            let fits: Vec<VReg> = above.iter().copied().filter(|&other| function.type_of(other) == ty).collect();
            let Some(&stand_in) = fits.get(choose(fits.len())) else { return false };
            renamed.insert(register, stand_in);
        }
        for register in own {
            let row = &self.function.vregs[register];
            renamed.insert(register, function.push_vreg(row.ty, row.constraint));
        }
        for &inst in &self.insts {
            self.copy(function, inst, before, &renamed);
        }
        true
    }

    fn copy(&self, function: &mut Function, inst: Inst, before: Inst, renamed: &FxHashMap<VReg, VReg>) {
        let mut data = self.function.inst(inst).clone();
        for operand in &mut data.operands {
            *operand = match *operand {
                Operand::Reg(register) => match register.reg.as_virtual().and_then(|old| renamed.get(&old)) {
                    Some(&new) => Operand::reg(new, register.flags & tribunal_ir::RegFlags::DEF),
                    None => continue,
                },
                Operand::WideConst(_) => match self.function.constant_value(operand) {
                    Some(value) => function.constant(value),
                    None => continue,
                },
                Operand::Float(number) => match self.function.float_bits(number) {
                    Some(bits) => function.float(number.format, bits),
                    None => continue,
                },
                other => other,
            };
        }
        function.insert_before(before, data);
        let copied = function.previous_inst(before).unwrap_or(before);
        // Names of memory are the donor's.
        shape::plain_memory(function, copied);
    }
}
