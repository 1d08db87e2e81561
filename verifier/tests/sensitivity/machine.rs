//! The same for machine instructions: one instance of each row of a target, and every change of a part that the row
//! fixes.

use crate::changes::Change;
use tribunal_ir::function::Constraint;
use tribunal_ir::{
    Block, Function, Inst, InstData, MemFlags, MemOperand, Opcode, OpcodeFlags, Operand, PReg, Properties, RegClass,
    RegFlags, Stage, TargetOpcode, Type,
};
use tribunal_target::Target;
use tribunal_target::instructions::{InstrDesc, OperandDesc};

/// One instance of a row.
pub struct Instance {
    pub row: &'static InstrDesc,
    pub function: Function,
    pub inst: Inst,
}

/// An immediate that the operand takes.
fn taken(target: &Target, row: &InstrDesc, desc: &OperandDesc) -> Option<i64> {
    let range = target.range(row, desc.range()?);
    (0..1 << 13).chain([-1]).find(|&value| range.accepts(value))
}

/// True if LLVM has an instruction of this name: on AArch64 it writes some loops before it selects.
pub fn is_of_llvm(row: &InstrDesc) -> bool {
    row.code.is_some() || !row.name.starts_with("ATOMIC_LOAD_")
}

/// A valid function with this instruction; `None` for one that stands in no function by itself: calls and frames.
pub fn instance(target: &'static Target, opcode: TargetOpcode) -> Option<Instance> {
    let row = target.instruction(opcode);
    let stands_alone = !row.flags.intersects(OpcodeFlags::CALL | OpcodeFlags::RETURN | OpcodeFlags::INDIRECT);
    if !stands_alone || target.is_call_frame(&InstData::new(Opcode::Target(opcode), [])) || !target.has(row) {
        return None;
    }
    let mut function = Function::new("f");
    function.properties = Stage::Selected.properties() | Properties::IS_SSA | Properties::TRACKS_REG_LIVENESS;
    function.properties |= Properties::LEGALIZED | Properties::REG_BANK_SELECTED;
    function.stage = Stage::Selected;
    let blocks: Vec<Block> = (0..3).map(|_| function.new_block()).collect();
    let mut operands = Vec::new();
    for desc in row.operands {
        operands.push(operand(target, row, desc, &mut function, &blocks)?);
    }
    operands.extend(row.implicit_uses.iter().map(|&register| Operand::implicit_use(register)));
    operands.extend(row.implicit_defs.iter().map(|&register| Operand::implicit_def(register)));
    function.block_mut(blocks[1]).liveins.extend(row.implicit_uses.iter().map(|&register| (register, None)));
    let mut data = InstData::new(Opcode::Target(opcode), operands);
    if let Some(access) = row.access {
        let mut flags = MemFlags::empty();
        flags.set(MemFlags::LOAD, row.flags.contains(OpcodeFlags::LOAD));
        flags.set(MemFlags::STORE, row.flags.contains(OpcodeFlags::STORE));
        data.memory.push(MemOperand::new(flags, Type::scalar(access.bits()), u32::from(access.bytes)));
    }
    let entry_reads = row.implicit_uses.iter().map(|&register| (register, None));
    function.block_mut(blocks[0]).liveins.extend(entry_reads);
    let inst = function.append(blocks[1], data);
    function.append(blocks[2], InstData::new(Opcode::Target(target.abi.return_opcode), []));
    let mut successors = vec![];
    if row.flags.contains(OpcodeFlags::BRANCH) || !row.flags.contains(OpcodeFlags::BARRIER) {
        successors.push((blocks[2], None));
    }
    function.block_mut(blocks[0]).successors = vec![(blocks[1], None)];
    function.block_mut(blocks[1]).successors = successors;
    Some(Instance { row, function, inst })
}

fn operand(
    target: &'static Target,
    row: &InstrDesc,
    desc: &OperandDesc,
    function: &mut Function,
    blocks: &[Block],
) -> Option<Operand> {
    Some(match *desc {
        OperandDesc::Def(class) | OperandDesc::EarlyDef(class) => Operand::def(register(target, function, class)?),
        OperandDesc::Use(class)
        | OperandDesc::Tied { class, .. }
        | OperandDesc::Base(class)
        | OperandDesc::Index(class) => {
            let register = register(target, function, class)?;
            function.append(blocks[0], InstData::new(Opcode::IMPLICIT_DEF, [Operand::def(register)]));
            let tied_to = if let OperandDesc::Tied { to, .. } = *desc { Some(to) } else { None };
            let mut operand = Operand::used(register);
            if let Operand::Reg(operand) = &mut operand {
                operand.tied_to = tied_to;
            }
            operand
        }
        OperandDesc::Imm(_) | OperandDesc::Offset { .. } => Operand::Imm(taken(target, row, desc)?),
        OperandDesc::Label { .. } => Operand::Block(blocks[2]),
        OperandDesc::Callee { .. } | OperandDesc::RegisterMask | OperandDesc::Symbol => return None,
    })
}

/// A new register of the class; `None` if none of it is ever allocated.
fn register(target: &Target, function: &mut Function, class: RegClass) -> Option<tribunal_ir::VReg> {
    let is_allocated = !target.class(class).allocatable.is_empty();
    is_allocated.then(|| function.push_vreg(None, Constraint::Class(class)))
}

/// Every change of the instance.
pub fn all(target: &'static Target, instance: &Instance) -> Vec<Change> {
    let mut maker = Maker { target, instance, changes: Vec::new() };
    maker.operands();
    maker.classes();
    maker.implicit();
    maker.memory();
    maker.changes
}

struct Maker<'a> {
    target: &'static Target,
    instance: &'a Instance,
    changes: Vec<Change>,
}

impl Maker<'_> {
    fn data(&self) -> InstData {
        self.instance.function.inst(self.instance.inst).clone()
    }

    fn inst(&mut self, kind: &'static str, what: String, change: impl FnOnce(&mut Function, &mut InstData)) {
        let mut function = self.instance.function.clone();
        let mut data = self.data();
        change(&mut function, &mut data);
        function.replace(self.instance.inst, data);
        self.changes.push(Change { kind, what, function });
    }

    fn operands(&mut self) {
        let row = self.instance.row;
        for (index, desc) in row.operands.iter().enumerate() {
            self.inst("machine operand dropped", format!("{index}"), |_, data| _ = data.operands.remove(index));
            let old = self.data().operands[index];
            let others = [Operand::Imm(0), Operand::Block(self.instance.function.layout()[2]), Operand::NoRegister];
            let of_kind = |new: &Operand| std::mem::discriminant(new) != std::mem::discriminant(&old);
            for new in others.into_iter().filter(of_kind) {
                self.inst("machine operand of another kind", format!("{index}: {new:?}"), |_, data| {
                    data.operands[index] = new;
                });
            }
            if old.as_reg().is_some() {
                self.inst("machine definition and use exchanged", format!("{index}"), |_, data| {
                    if let Operand::Reg(operand) = &mut data.operands[index] {
                        operand.flags.toggle(RegFlags::DEF);
                    }
                });
            }
            if old.as_reg().is_some() {
                let flag = if old.is_def() { RegFlags::UNDEF } else { RegFlags::DEBUG_USE };
                self.inst("flag that no operand has", format!("{index}: {flag:?}"), |_, data| {
                    if let Operand::Reg(operand) = &mut data.operands[index] {
                        operand.flags |= flag;
                    }
                });
            }
            let Some(range) = desc.range().map(|range| self.target.range(row, range)) else { continue };
            let wrong = [i64::MIN, -(1 << 31), -1, 1, 3, 64, 1 << 13, 1 << 33, i64::MAX];
            for value in wrong.into_iter().filter(|&value| !range.accepts(value)) {
                self.inst("machine immediate", format!("{index}: {value}"), |_, data| {
                    data.operands[index] = Operand::Imm(value);
                });
            }
        }
        let explicit = row.operands.len();
        self.inst("machine operand added", "immediate".to_string(), |_, data| {
            data.operands.insert(explicit, Operand::Imm(0));
        });
    }

    /// Registers of classes with members that the operand does not take.
    fn classes(&mut self) {
        for (index, desc) in self.instance.row.operands.iter().enumerate() {
            let (Some(class), Some(register)) = (desc.class(), self.data().operands[index].as_vreg()) else { continue };
            let members = self.target.class(class).members;
            let is_joined = self.instance.row.flags.contains(OpcodeFlags::ARTIFACT);
            for (number, other) in (0..).zip(self.target.classes) {
                let within = other.members.iter().all(|member| members.contains(member));
                let is_same_file = other.members.iter().any(|member| members.contains(member));
                let joined = is_joined && is_same_file && other.bits == self.target.class(class).bits;
                let kind = if within || joined { "class that the operand takes" } else { "class of a register" };
                self.inst(kind, format!("{index}: {}", other.name), |function, _| {
                    function.vregs[register].constraint = Constraint::Class(RegClass(number));
                });
            }
            let outside =
                (0..self.target.registers.len() as u16).map(PReg).find(|register| !members.contains(register));
            let Some(outside) = outside.filter(|_| !desc.is_def()) else { continue };
            self.inst("machine register outside of the class", format!("{index}"), |function, data| {
                let body = function.layout()[1];
                function.block_mut(body).liveins.push((outside, None));
                data.operands[index] = Operand::used(outside);
            });
        }
    }

    fn implicit(&mut self) {
        for index in self.instance.row.operands.len()..self.data().operands.len() {
            let is_left_out = self.data().operands[index].is_def() && !self.instance.row.names_all_writes();
            let kind = if is_left_out { "write that a loop does not name" } else { "implicit operand dropped" };
            self.inst(kind, format!("{index}"), |_, data| _ = data.operands.remove(index));
        }
    }

    fn memory(&mut self) {
        let Some(access) = self.instance.row.access else {
            if !self.instance.row.flags.intersects(OpcodeFlags::LOAD | OpcodeFlags::STORE) {
                let operand = MemOperand::new(MemFlags::LOAD, Type::scalar(8), 1);
                self.inst("machine memory operand added", "load".to_string(), |_, data| data.memory.push(operand));
            }
            return;
        };
        // An instruction that loads and stores has no other direction.
        if !self.instance.row.flags.contains(OpcodeFlags::LOAD | OpcodeFlags::STORE) {
            self.inst("machine access in the other direction", String::new(), |_, data| {
                data.memory[0].flags.toggle(MemFlags::LOAD | MemFlags::STORE);
            });
        }
        let narrows = self.instance.row.flags.contains(OpcodeFlags::LOAD);
        for bits in [2 * access.bits(), access.bits() / 2].into_iter().filter(|bits| *bits >= 8 || access.bytes > 1) {
            let narrowed = narrows && bits > access.bits();
            let kind = if narrowed { "access that became narrower" } else { "size of a machine access" };
            self.inst(kind, format!("{bits}"), |_, data| {
                data.memory[0].ty = Some(Type::scalar(bits.max(8)));
            });
        }
        if access.align > 1 {
            self.inst("alignment of a machine access", "1".to_string(), |_, data| data.memory[0].align = 1);
        }
    }
}
