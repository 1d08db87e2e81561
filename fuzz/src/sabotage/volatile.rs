//! Planted faults that only a device can observe: the results stay right.

use super::site::Site;
use super::{ALL, Fault, Plant, Programs, Rules, staged};
use tribunal_ir::{Function, Inst, InstData, MemFlags, Opcode, OpcodeFlags, Operand, Reg, Type};

/// Selection rules of loads, of both instruction sets.
const LOADS: &[&str] = &[
    "load8",
    "load16",
    "load32",
    "load64",
    "zextload8",
    "zextload16",
    "sextload8",
    "load32_8",
    "load32_16",
    "load32_32",
    "load64_64",
    "zextload32_8",
    "zextload32_16",
];

pub(super) static FAULTS: &[Fault] = &[
    staged("unread-volatile-load-left-out", "volatile access removed", ALL, "legalize", |f, _| {
        let unread: Vec<Inst> = volatile_insts(f).into_iter().filter(|&inst| is_unread(f, inst)).collect();
        unread.iter().for_each(|&inst| f.remove(inst));
        (!unread.is_empty()).then_some(())
    }),
    staged("unread-volatile-load-narrowed", "volatile access narrowed", ALL, "legalize", |f, _| {
        let is_wide = |inst: &Inst| f.inst(*inst).memory[0].ty.is_some_and(|ty| ty.bits() > 8);
        let unread: Vec<Inst> =
            volatile_insts(f).into_iter().filter(|inst| is_unread(f, *inst) && is_wide(inst)).collect();
        for &inst in &unread {
            let mut data = f.inst(inst).clone();
            data.memory[0].ty = Some(Type::scalar(8));
            f.replace(inst, data);
        }
        (!unread.is_empty()).then_some(())
    }),
    staged("dead-volatile-store-left-out", "volatile access removed", ALL, "legalize", |f, _| {
        let is_dead = |&&[first, second]: &&[Inst; 2]| {
            let [one, other] = [f.inst(first), f.inst(second)];
            let stores = [one, other].iter().all(|data| data.opcode == Opcode::G_STORE);
            stores && one.vreg(1) == other.vreg(1) && one.memory == other.memory
        };
        let dead: Vec<Inst> = neighbours(f).iter().filter(is_dead).map(|&[first, _]| first).collect();
        dead.iter().for_each(|&inst| f.remove(inst));
        (!dead.is_empty()).then_some(())
    }),
    staged("volatile-stores-exchanged", "volatile accesses reordered", ALL, "select", |f, t| {
        let stores = |inst: Inst| match f.inst(inst).opcode {
            Opcode::Target(opcode) => t.instruction(opcode).flags.contains(OpcodeFlags::STORE),
            _ => false,
        };
        let address = |inst: Inst| f.inst(inst).operands.as_slice().get(1..);
        let elsewhere = |pair: &&[Inst; 2]| address(pair[0]) != address(pair[1]);
        let found = neighbours(f);
        let [first, second] = *found.iter().filter(elsewhere).find(|pair| pair.iter().all(|&inst| stores(inst)))?;
        let data = f.inst(first).clone();
        f.remove(first);
        f.insert_after(second, data);
        Some(())
    }),
    Fault {
        name: "volatile-load-made-twice",
        model: "volatile access duplicated",
        targets: ALL,
        plant: Plant::Rewrite(Rules::Named(LOADS), made_twice),
        programs: Programs::Generated,
    },
];

fn is_volatile(data: &InstData) -> bool {
    data.memory.iter().any(|memory| memory.flags.contains(MemFlags::VOLATILE))
}

fn volatile_insts(function: &Function) -> Vec<Inst> {
    function.all_insts().filter(|&inst| is_volatile(function.inst(inst))).collect()
}

/// True for a load whose result nothing reads.
fn is_unread(function: &Function, inst: Inst) -> bool {
    let mut defs = function.inst(inst).vreg_defs().peekable();
    defs.peek().is_some() && defs.all(|register| function.use_count(register) == 0)
}

/// Volatile accesses of one block with no other access between them.
fn neighbours(function: &Function) -> Vec<[Inst; 2]> {
    let accesses: Vec<Inst> = function.all_insts().filter(|&inst| !function.inst(inst).memory.is_empty()).collect();
    let pairs = accesses.windows(2).map(|pair| [pair[0], pair[1]]);
    let together = |&[first, second]: &[Inst; 2]| {
        let volatile = [first, second].iter().all(|&inst| is_volatile(function.inst(inst)));
        volatile && function.block_of(first) == function.block_of(second)
    };
    pairs.filter(together).collect()
}

/// The load once more, into a register of its own.
fn made_twice(s: &mut Site<'_>) -> Option<()> {
    let load = s.after.iter().copied().find(|&inst| is_volatile(s.function.inst(inst)))?;
    let mut data = s.function.inst(load).clone();
    let Some(Operand::Reg(result)) = data.operands.first_mut() else { return None };
    let Reg::Virtual(register) = result.reg else { return None };
    let (ty, constraint) = (s.function.vregs[register].ty, s.function.vregs[register].constraint);
    result.reg = Reg::Virtual(s.function.push_vreg(ty, constraint));
    let again = s.function.insert_before(load, data);
    s.after.insert(0, again);
    Some(())
}
