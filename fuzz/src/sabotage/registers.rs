//! Planted faults of physical registers: arguments, results, what a caller keeps, and their liveness.

use super::{ALL, Fault, Plant, RISCV, each_pass, stages};
use tribunal_ir::{Function, Inst, InstData, Opcode, Operand, PReg, Reg, RegFlags};
use tribunal_target::Target;

pub(super) static FAULTS: &[Fault] = &each_pass! { Stage:
    "arguments-exchanged", "physical register", ALL, ["legalize", "bank-select", "select", "split-edges"], |f, _| {
        let arguments: Vec<Inst> = copies(f).filter(|&inst| is_between(f, inst, true)).collect();
        exchanged(f, &arguments, 1)
    };
    "arguments-of-a-call-exchanged", "physical register", RISCV, ["select", "split-edges"], |f, t| {
        let call = f.all_insts().find(|&inst| t.is_call(f.inst(inst)))?;
        let before = std::iter::successors(f.previous_inst(call), |&inst| f.previous_inst(inst));
        let passed: Vec<Inst> = before.take_while(|&inst| is_between(f, inst, false)).collect();
        exchanged(f, &passed, 1)
    };
    "result-in-another-register", "physical register", ALL, ["legalize", "bank-select", "select", "split-edges"],
        |f, t| {
            let (ret, result) = stages::returned(f, t)?;
            let copies = f.insts(f.block_of(ret)?).filter(|&inst| is_between(f, inst, false));
            let copy = copies.filter(|&inst| full_of(&f.inst(inst).operands[0], t) == Some(result)).last()?;
            let read = f.inst(ret).operands.iter().position(|operand| full_of(operand, t) == Some(result))?;
            let registers = t.abi.arguments();
            let place = registers.iter().position(|&register| register == result)?;
            for (inst, index) in [(copy, 0), (ret, read)] {
                renamed(f, inst, index, registers[(place + 1) % registers.len()], t)?;
            }
            Some(())
        };
    "return-without-its-result", "physical register", ALL, ["allocate"], |f, t| {
        let (ret, result) = stages::returned(f, t)?;
        without(f, ret, |operand| full_of(operand, t) == Some(result))
    };
    "result-of-a-call-not-defined", "physical register", ALL, ["allocate"], |f, t| {
        let call = f.all_insts().find(|&inst| t.is_call(f.inst(inst)))?;
        let results = t.abi.arguments();
        without(f, call, |operand| {
            operand.is_def() && full_of(operand, t).is_some_and(|register| results.contains(&register))
        })
    };
    "argument-of-a-call-not-read", "physical register", ALL, ["select", "split-edges", "allocate"], |f, t| {
        let call = f.all_insts().find(|&inst| t.is_call(f.inst(inst)))?;
        let passing = t.abi.arguments();
        without(f, call, |operand| {
            !operand.is_def() && full_of(operand, t).is_some_and(|register| passing.contains(&register))
        })
    };
    "kept-register-written", "physical register", ALL, ["frame", "relax-branches"],
        |f, t| written_at_return(f, t, last_saved(t)?);
    "return-address-written", "physical register", ALL, ["frame", "relax-branches"],
        |f, t| written_at_return(f, t, t.abi.return_address);
    "stack-pointer-moved", "physical register", ALL,
        ["frame", "relax-branches"],
        |f, t| {
            let (ret, sp) = (stages::returned(f, t)?.0, t.abi.stack_pointer);
            let moves = t.machine.add_offset(sp, sp, 16, t.abi.scratch[0]);
            moves.into_iter().for_each(|data| {
                f.insert_before(ret, data);
            });
            Some(())
        };
    "killed-before-its-last-use", "physical register", ALL, ["allocate"],
        |f, t| flagged(f, t, RegFlags::KILLED, false);
    "dead-and-read", "physical register", ALL, ["allocate"],
        |f, t| flagged(f, t, RegFlags::DEAD, true);
    "live-in-of-the-entry-missing", "physical register", ALL, ["legalize", "bank-select", "select", "split-edges", "allocate"], |f, _| {
        let entry = f.entry()?;
        f.block_mut(entry).liveins.pop().map(drop)
    };
};

fn copies(function: &Function) -> impl Iterator<Item = Inst> {
    function.all_insts().filter(|&inst| function.inst(inst).opcode == Opcode::COPY)
}

/// True for a copy out of a physical register into a virtual one, or the other way.
fn is_between(function: &Function, inst: Inst, is_out: bool) -> bool {
    let data = function.inst(inst);
    let [Operand::Reg(dst), Operand::Reg(src)] = data.operands.as_slice() else { return false };
    let physical = [dst, src].map(|operand| operand.reg.as_physical().is_some());
    data.opcode == Opcode::COPY && physical == [!is_out, is_out]
}

/// The first two of `insts` exchange their operand `index`, if their registers are alike.
fn exchanged(function: &mut Function, insts: &[Inst], index: usize) -> Option<()> {
    let [one, other, ..] = *insts else { return None };
    let [a, b] = [one, other].map(|inst| function.inst(inst).operands[index]);
    let results = [one, other].map(|inst| {
        let vreg = function.inst(inst).operands.iter().find_map(Operand::as_vreg)?;
        Some((function.type_of(vreg), function.vregs[vreg].constraint))
    });
    (a != b && results[0] == results[1]).then_some(())?;
    function.set_operand(one, index, b);
    function.set_operand(other, index, a);
    Some(())
}

fn full_of(operand: &Operand, target: &Target) -> Option<PReg> {
    operand.as_reg()?.reg.as_physical().map(|register| target.vocabulary.full_register(register))
}

/// The operand names the part of `full` that is as wide as its register.
fn renamed(function: &mut Function, inst: Inst, index: usize, full: PReg, target: &Target) -> Option<()> {
    let Operand::Reg(mut operand) = *function.inst(inst).operands.get(index)? else { return None };
    let bits = target.vocabulary.register_bits(operand.reg.as_physical()?);
    operand.reg = Reg::Physical(target.part_of(full, bits));
    function.set_operand(inst, index, Operand::Reg(operand));
    Some(())
}

/// The instruction without its last implicit operand that `goes`.
fn without(function: &mut Function, inst: Inst, goes: impl Fn(&Operand) -> bool) -> Option<()> {
    let mut data = function.inst(inst).clone();
    let is_implicit = |operand: &Operand| operand.as_reg().is_some_and(|o| o.flags.contains(RegFlags::IMPLICIT));
    let index = data.operands.iter().rposition(|operand| is_implicit(operand) && goes(operand))?;
    data.operands.remove(index);
    function.replace(inst, data);
    Some(())
}

/// The last register that calls preserve whatever the features: of the bank of integers' results.
fn last_saved(target: &Target) -> Option<PReg> {
    let bank = target.bank_of(target.abi.results()[0]);
    target.abi.callee_saved.iter().copied().rfind(|&register| target.bank_of(register) == bank)
}

/// Before the last return, `register` takes the result.
fn written_at_return(function: &mut Function, target: &'static Target, register: PReg) -> Option<()> {
    let (ret, result) = stages::returned(function, target)?;
    function.insert_before(ret, target.moves(target.default_features).copy(register, result)?);
    Some(())
}

/// The first register operand, written or not, that a later instruction of the block reads gets this flag.
fn flagged(function: &mut Function, target: &Target, flag: RegFlags, is_def: bool) -> Option<()> {
    let later = |inst: Inst| std::iter::successors(function.next_inst(inst), |&inst| function.next_inst(inst));
    let read = |inst: Inst, register: PReg| {
        let touches = |data: &InstData| data.operands.iter().any(|operand| full_of(operand, target) == Some(register));
        let next = later(inst).find(|&inst| touches(function.inst(inst)));
        next.is_some_and(|inst| {
            let mut uses = function.inst(inst).uses();
            uses.any(|o| o.reg.as_physical().is_some_and(|r| target.vocabulary.full_register(r) == register))
        })
    };
    let (inst, index) = function.all_insts().find_map(|inst| {
        let operands = function.inst(inst).operands.iter();
        let index = operands.enumerate().find_map(|(index, operand)| {
            let register = full_of(operand, target).filter(|_| operand.is_def() == is_def)?;
            let is_kept = !target.vocabulary.is_zero_register(register) && register != target.abi.stack_pointer;
            // An instruction that also writes the register leaves another value.
            let is_written = || function.inst(inst).defs().any(|o| o.reg.as_physical() == Some(register));
            (is_kept && (is_def || !is_written()) && read(inst, register)).then_some(index)
        })?;
        Some((inst, index))
    })?;
    let Operand::Reg(mut operand) = function.inst(inst).operands[index] else { return None };
    operand.flags |= flag;
    function.set_operand(inst, index, Operand::Reg(operand));
    Some(())
}
