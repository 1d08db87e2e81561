//! Damage: one random change of one instruction or of a table, at any stage. Nothing is kept valid; the machine
//! verifier says what may be put to a proof.

use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};
use tribunal_ir::{
    Bits, Function, Inst, InstData, InstFlags, IntPredicate, MemFlags, MemOperand, Opcode, Operand, PReg, Reg,
    RegFlags, RegOperand, TargetOpcode, Type, VReg,
};
use tribunal_target::Target;

/// One kind of damage; false if the instruction has nothing of the kind.
type Damage = fn(&mut Function, Inst, &Target, &mut SmallRng) -> bool;

/// Every kind, by name.
const KINDS: [(&str, Damage); 15] = [
    ("register", register),
    ("physical register", physical_register),
    ("immediate", immediate),
    ("constant", constant),
    ("predicate", predicate),
    ("label", label),
    ("flag", flag),
    ("alignment", |function, inst, _, _| access(function, inst, |memory| memory.align *= 2)),
    ("volatile", |function, inst, _, _| access(function, inst, |memory| memory.flags ^= MemFlags::VOLATILE)),
    ("size of an access", |function, inst, _, _| access(function, inst, halve)),
    ("opcode", opcode),
    ("order of operands", order_of_operands),
    ("instruction lost", lost),
    ("instructions exchanged", exchanged),
    ("stack object", stack_object),
];

/// Attempts to find an instruction that a kind fits.
const ATTEMPTS: usize = 32;

/// Damages the function and names the kind; `None` if nothing fits.
pub fn damage(function: &mut Function, target: &Target, random: &mut SmallRng) -> Option<&'static str> {
    let insts: Vec<Inst> = function.all_insts().collect();
    for _ in 0..ATTEMPTS {
        let (&inst, &(name, change)) = (insts.choose(random)?, KINDS.choose(random)?);
        if change(function, inst, target, random) {
            return Some(name);
        }
    }
    None
}

/// A random operand for which `other` has another value takes that value.
fn operand(
    function: &mut Function,
    inst: Inst,
    random: &mut SmallRng,
    mut other: impl FnMut(&mut Function, Operand, &mut SmallRng) -> Option<Operand>,
) -> bool {
    let count = function.inst(inst).operands.len();
    if count == 0 {
        return false;
    }
    let index = random.random_range(0..count);
    let old = function.inst(inst).operands[index];
    let new = other(function, old, random).filter(|new| *new != old);
    new.map(|new| function.set_operand(inst, index, new)).is_some()
}

/// The registers that the same block defines before the instruction.
fn defined_before(function: &Function, inst: Inst) -> Vec<VReg> {
    let Some(block) = function.block_of(inst) else { return Vec::new() };
    let before = function.insts(block).take_while(|&other| other != inst);
    before.flat_map(|inst| function.inst(inst).vreg_defs().collect::<Vec<VReg>>()).collect()
}

fn register(function: &mut Function, inst: Inst, _: &Target, random: &mut SmallRng) -> bool {
    let known = defined_before(function, inst);
    operand(function, inst, random, |function, operand, random| {
        let Operand::Reg(read) = operand else { return None };
        let own = read.reg.as_virtual().filter(|_| !read.flags.contains(RegFlags::DEF))?;
        let (ty, constraint) = (function.vregs[own].ty, function.vregs[own].constraint);
        let alike: Vec<VReg> = known
            .iter()
            .copied()
            .filter(|&other| (function.vregs[other].ty, function.vregs[other].constraint) == (ty, constraint))
            .collect();
        Some(Operand::Reg(RegOperand { reg: Reg::Virtual(*alike.choose(random)?), ..read }))
    })
}

fn physical_register(function: &mut Function, inst: Inst, target: &Target, random: &mut SmallRng) -> bool {
    operand(function, inst, random, |_, operand, random| {
        let Operand::Reg(read) = operand else { return None };
        let own = read.reg.as_physical()?;
        let bits = |register: PReg| target.vocabulary.register_bits(register);
        let alike: Vec<PReg> =
            (0..target.registers.len() as u16).map(PReg).filter(|&other| bits(other) == bits(own)).collect();
        Some(Operand::Reg(RegOperand { reg: Reg::Physical(*alike.choose(random)?), ..read }))
    })
}

fn immediate(function: &mut Function, inst: Inst, _: &Target, random: &mut SmallRng) -> bool {
    operand(function, inst, random, |_, operand, random| match operand {
        Operand::Imm(value) => Some(Operand::Imm(*[value ^ 1, value + 1, value - 1, value ^ 8].choose(random)?)),
        _ => None,
    })
}

fn constant(function: &mut Function, inst: Inst, _: &Target, random: &mut SmallRng) -> bool {
    operand(function, inst, random, |function, operand, random| {
        let value = function.constant_value(&operand)?;
        let flipped = value.xor(Bits::one_bit(random.random_range(0..value.width()), value.width()));
        Some(function.constant(flipped))
    })
}

fn predicate(function: &mut Function, inst: Inst, _: &Target, random: &mut SmallRng) -> bool {
    operand(function, inst, random, |_, operand, random| match operand {
        Operand::Predicate(_) => Some(Operand::Predicate(*IntPredicate::ALL.choose(random)?)),
        _ => None,
    })
}

fn label(function: &mut Function, inst: Inst, _: &Target, random: &mut SmallRng) -> bool {
    operand(function, inst, random, |function, operand, random| match operand {
        Operand::Block(_) => Some(Operand::Block(*function.layout().choose(random)?)),
        _ => None,
    })
}

fn replace(function: &mut Function, inst: Inst, change: impl FnOnce(&mut InstData) -> bool) -> bool {
    let mut data = function.inst(inst).clone();
    let changed = change(&mut data);
    if changed {
        function.replace(inst, data);
    }
    changed
}

fn flag(function: &mut Function, inst: Inst, _: &Target, random: &mut SmallRng) -> bool {
    let allowed = function.inst(inst).opcode.info().map_or(InstFlags::empty(), |info| info.inst_flags);
    let flags: Vec<InstFlags> = allowed.iter().collect();
    let Some(&flag) = flags.choose(random) else { return false };
    replace(function, inst, |data| {
        data.flags ^= flag;
        true
    })
}

fn access(function: &mut Function, inst: Inst, change: impl FnOnce(&mut MemOperand)) -> bool {
    replace(function, inst, |data| data.memory.first_mut().map(change).is_some())
}

fn halve(memory: &mut MemOperand) {
    let half = memory.ty.and_then(|ty| Type::scalar_of(ty.bits() / 2));
    memory.ty = half.or(memory.ty);
}

/// An opcode with the same operands.
fn opcode(function: &mut Function, inst: Inst, target: &Target, random: &mut SmallRng) -> bool {
    let own = function.inst(inst).opcode;
    let alike: Vec<Opcode> = match (own, own.info()) {
        (Opcode::Target(own), _) => {
            let row = target.instruction(own);
            let rows = (0..).map(TargetOpcode).zip(target.instructions);
            let same = rows.filter(|(_, other)| other.operands == row.operands && other.flags == row.flags);
            same.map(|(opcode, _)| Opcode::Target(opcode)).collect()
        }
        (_, Some(info)) => {
            let shape = |opcode: &Opcode| opcode.info().map(|row| (row.defs, row.uses, row.accesses, row.rules));
            let wanted = Some((info.defs, info.uses, info.accesses, info.rules));
            Opcode::ALL.iter().copied().filter(|opcode| shape(opcode) == wanted).collect()
        }
        _ => Vec::new(),
    };
    let Some(&other) = alike.choose(random).filter(|&&other| other != own) else { return false };
    replace(function, inst, |data| {
        data.opcode = other;
        true
    })
}

fn order_of_operands(function: &mut Function, inst: Inst, _: &Target, _: &mut SmallRng) -> bool {
    replace(function, inst, |data| {
        let read = |operand: &Operand| operand.as_vreg().is_some() && !operand.is_def();
        let places: Vec<usize> = (0..data.operands.len()).filter(|&index| read(&data.operands[index])).collect();
        let [one, .., other] = places.as_slice() else { return false };
        data.operands.swap(*one, *other);
        true
    })
}

fn lost(function: &mut Function, inst: Inst, _: &Target, _: &mut SmallRng) -> bool {
    function.remove(inst);
    true
}

fn exchanged(function: &mut Function, inst: Inst, _: &Target, _: &mut SmallRng) -> bool {
    let Some(next) = function.next_inst(inst) else { return false };
    let (one, other) = (function.inst(inst).clone(), function.inst(next).clone());
    function.replace(inst, other);
    function.replace(next, one);
    true
}

fn stack_object(function: &mut Function, _: Inst, _: &Target, random: &mut SmallRng) -> bool {
    let slots: Vec<_> = function.stack.keys().collect();
    let Some(&slot) = slots.choose(random) else { return false };
    let object = &mut function.stack[slot];
    match random.next_u32() % 3 {
        0 => object.size /= 2,
        1 => object.align = (object.align / 2).max(1),
        _ => object.offset += 8,
    }
    true
}
