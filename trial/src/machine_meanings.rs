//! Poison and widths of machine instructions, which the prover reads and no run of machine code shows: a result that
//! depends on an operand is poison where that operand is.
//!
//! Dependence is seen: on some operands the result changes with the one. So it is independent of what the definitions
//! say of poison. A selection does not depend on what it leaves, and none is asked for there. A branch has one result,
//! its direction, which is poison where the branch is undefined.
//!
//! Rows of other compilers are asked too, since `validate` reads them: a result must be as wide as its register. A row
//! with a word must have a meaning.

use crate::finding::Finding;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use tribunal_ir::semantics::{Choice, Concrete, Pure, Value};
use tribunal_ir::{Bits, InstData, Opcode, OpcodeFlags, Operand, PReg, RegOperand, TargetOpcode};
use tribunal_target::instructions::{ImmRange, InstrDesc, OperandDesc};
use tribunal_target::{CodePlace, Target, evaluate_at};

/// Sets of operands on which each instance is tried, and values that take the place of one of them.
const SETS: u32 = 8;
const VALUES: u32 = 4;
/// Rows whose instances do more than compute, or choose one of two ways.
const OTHERS: OpcodeFlags = OpcodeFlags::BARRIER
    .union(OpcodeFlags::CALL)
    .union(OpcodeFlags::RETURN)
    .union(OpcodeFlags::LOAD)
    .union(OpcodeFlags::STORE)
    .union(OpcodeFlags::SIDE_EFFECTS);

/// A finding for each row that loses the poison of an operand, or has a result of another width than its register.
pub fn wrong_meanings(target: &Target) -> Vec<Finding> {
    let rows = (0..).map(TargetOpcode).zip(target.instructions);
    let computing = rows.filter(|(_, row)| !row.flags.intersects(OTHERS) && target.has(row));
    let wrong = computing.filter_map(|(opcode, row)| {
        // With the least immediates, and with others.
        let mut instances = [0, 3].into_iter().filter_map(|number| instance(target, (opcode, row), number, 0));
        let details = instances.find_map(|inst| {
            let loses = || loses(target, &inst).map(|place| format!("{} drops the poison of source {place}", row.name));
            let args = ones(target, &inst);
            match results(target, &inst, &args) {
                // A row without a word may be one that no judge knows.
                None => row.code.is_some().then(|| format!("{} has no meaning", row.name)),
                Some(results) => other_width(target, &inst, &results)
                    .map(|width| format!("{} has a result of {width} bits", row.name))
                    .or_else(loses),
            }
        })?;
        Some(Finding::machine_meaning(row.name, details))
    });
    wrong.collect()
}

/// The bits of a register operand.
fn bits_of(target: &Target, operand: &RegOperand) -> Option<u32> {
    Some(target.vocabulary.register_bits(operand.reg.as_physical()?))
}

/// 1 in each source.
fn ones(target: &Target, inst: &InstData) -> Vec<Value<Concrete>> {
    let one = |operand: &RegOperand| Some(Value::new(Bits::new(1, bits_of(target, operand)?), false));
    inst.uses().filter_map(one).collect()
}

/// The width of a result that is not that of its register.
fn other_width(target: &Target, inst: &InstData, results: &[Value<Concrete>]) -> Option<u32> {
    let defs = inst.defs().filter_map(|operand| bits_of(target, operand));
    let widths = results.iter().map(|value| value.bits.width()).zip(defs);
    widths.filter(|(own, wanted)| own != wanted).map(|(own, _)| own).next()
}

/// A row of a target and its number.
pub(crate) type NumberedRow<'t> = (TargetOpcode, &'t InstrDesc);

/// An instance with registers of its own for each operand that shares none, this immediate wherever it may be, and this
/// distance for a label; `None` for an operand that stands for another place.
pub(crate) fn instance(
    target: &Target,
    (opcode, row): NumberedRow<'_>,
    number: i64,
    distance: i64,
) -> Option<InstData> {
    let register = |index: usize, desc: &OperandDesc| {
        let class = target.class(desc.class()?);
        class.allocatable.get(index).or(class.members.get(index)).or(class.members.first()).copied()
    };
    let operand = |(index, desc): (usize, &OperandDesc)| match *desc {
        OperandDesc::Imm(range) | OperandDesc::Offset { range, .. } => {
            let range = target.range(row, range);
            let least = if let ImmRange::OneOf(values) = range { *values.first()? } else { 0 };
            Some(Operand::Imm(if range.accepts(number) { number } else { least }))
        }
        OperandDesc::Label { .. } => Some(Operand::Imm(distance)),
        OperandDesc::Tied { to, .. } => register(to.into(), desc).map(Operand::used),
        _ if desc.is_def() => register(index, desc).map(Operand::def),
        _ => register(index, desc).map(Operand::used),
    };
    let explicit: Vec<Operand> = row.operands.iter().enumerate().map(operand).collect::<Option<_>>()?;
    let defs = row.implicit_defs.iter().copied().map(Operand::implicit_def);
    let uses = row.implicit_uses.iter().copied().map(Operand::implicit_use);
    Some(InstData::new(Opcode::Target(opcode), explicit.into_iter().chain(defs).chain(uses)))
}

/// The place of a source whose poison no result that depends on it has.
fn loses(target: &Target, inst: &InstData) -> Option<usize> {
    let mut random = SmallRng::seed_from_u64(0);
    let used: Vec<PReg> = inst.uses().filter_map(|operand| operand.reg.as_physical()).collect();
    let mut drawn = |register| {
        let number = u128::from(random.random::<u64>()) << 64 | u128::from(random.random::<u64>());
        Bits::new(number, u128::BITS).zext_or_trunc(target.vocabulary.register_bits(register))
    };
    (0..SETS).find_map(|_| {
        let mut args: Vec<Value<Concrete>> = used.iter().map(|&register| Value::new(drawn(register), false)).collect();
        let before = results(target, inst, &args)?;
        (0..used.len()).find(|&place| {
            let own = args[place].clone();
            let loses = (0..VALUES).any(|_| {
                let mut with = |poison| {
                    args[place] = Value::new(drawn(used[place]), poison);
                    results(target, inst, &args)
                };
                let (Some(changed), Some(poison)) = (with(false), with(true)) else { return false };
                before
                    .iter()
                    .zip(&changed)
                    .zip(&poison)
                    .any(|((one, other), poison)| one.bits != other.bits && !other.poison && !poison.poison)
            });
            args[place] = own;
            loses
        })
    })
}

fn results(target: &Target, inst: &InstData, args: &[Value<Concrete>]) -> Option<Vec<Value<Concrete>>> {
    let mut domain = Concrete { choice: Choice::Zeros };
    let here = Bits::new(0x40_0000, target.pointer_bits.into());
    let place = CodePlace { address: here, bytes: 4, thread_pointer: here };
    let evaluation = evaluate_at(target, &mut domain, &mut Pure, inst, args, Some(place)).ok()?;
    let direction = evaluation.taken.map(|taken| Value::new(Bits::new(taken.into(), 1), evaluation.ub));
    Some(evaluation.results.into_iter().chain(direction).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_ir::semantics::Unsupported;
    use tribunal_target::meaning::AnyDomain;
    use tribunal_target::riscv::RISCV64;
    use tribunal_target::{ALL, MachineEvaluation, Made};

    #[test]
    fn no_instruction_loses_poison_or_has_another_width() {
        for target in ALL {
            let wrong = wrong_meanings(target);
            assert!(wrong.is_empty(), "{}: {wrong:?}", target.name);
        }
    }

    /// The meaning of every instruction, without the poison of the last source.
    fn meaning<'d>(
        d: &mut (dyn AnyDomain + 'd),
        target: &Target,
        inst: &InstData,
        args: &[Value<dyn AnyDomain + 'd>],
    ) -> Result<MachineEvaluation<dyn AnyDomain + 'd>, Unsupported> {
        let mut args = args.to_vec();
        if let Some(last) = args.last_mut() {
            last.poison = d.boolean(false);
        }
        (RISCV64.meaning)(d, target, inst, &args)
    }

    static FORGETFUL: Target = Target { meaning, made: Made::new(), ..RISCV64 };

    #[test]
    fn rows_that_lose_poison_are_named() {
        let wrong = wrong_meanings(&FORGETFUL);
        for name in ["ADD", "ADDI", "MULHSU", "FADD_D", "BLTU"] {
            assert!(wrong.iter().any(|finding| finding.guilty == format!("meaning of {name}")), "{name} of {wrong:?}");
        }
    }
}
