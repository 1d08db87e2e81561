//! Mutators: programs from programs, by edits that keep them valid and by splicing two.
//!
//! A program of the corpus is MIR text, so it means the same to every version of the generator and to a reader. A
//! mutant may have undefined behaviour on some inputs: the oracle counts those as inconclusive.

use crate::edit::{self, Edit, Scope};
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};
use tribunal_ir::{Bits, Function, Inst, InstFlags, IntPredicate, Opcode, Operand, Type, VReg};
use tribunal_target::Target;

/// The widest integer of a mutant, in bits: the generator's.
pub const WIDEST: u32 = 256;
/// The most instructions that a mutant may grow to.
pub const MOST_INSTRUCTIONS: usize = 400;
/// Attempts for each edit to make: many do not fit where they are tried.
const ATTEMPTS: usize = 24;

/// Makes up to `count` random edits and returns their number; with `other`, one of them may splice a part of it in.
pub fn mutate(
    function: &mut Function,
    other: Option<&Function>,
    target: &Target,
    count: usize,
    random: &mut SmallRng,
) -> usize {
    let mut made = 0;
    for _ in 0..count * ATTEMPTS {
        if made == count {
            break;
        }
        let before = function.clone();
        let changed = match other.filter(|_| random.random_ratio(1, 8)) {
            Some(other) => splice(function, other, target, random),
            None => step(function, target, random),
        };
        let fits = function.all_insts().count() <= MOST_INSTRUCTIONS && edit::is_supported(function, target, WIDEST);
        match changed && fits {
            true => made += 1,
            false => *function = before,
        }
    }
    made
}

/// One random edit, and if it made a new value, a read of it.
fn step(function: &mut Function, target: &Target, random: &mut SmallRng) -> bool {
    let known = function.vregs.len();
    let Some(edit) = random_edit(function, random) else { return false };
    if !edit.apply(function, target) {
        return false;
    }
    let new: Vec<VReg> = function.vregs.keys().skip(known).filter(|&new| function.use_count(new) == 0).collect();
    new.into_iter().for_each(|register| read_somewhere(function, target, register, random));
    true
}

/// Makes some instruction read `register` that can.
fn read_somewhere(function: &mut Function, target: &Target, register: VReg, random: &mut SmallRng) {
    let ty = function.type_of(register);
    let places: Vec<(Inst, usize)> = function
        .all_insts()
        .flat_map(|inst| uses(function, inst).into_iter().map(move |(index, _)| (inst, index)))
        .filter(|&(inst, index)| function.inst(inst).vreg(index).is_some_and(|used| function.type_of(used) == ty))
        .collect();
    for _ in 0..8 {
        let Some(&(inst, index)) = places.choose(random) else { return };
        if (Edit::Operand { inst, index, to: register }).apply(function, target) {
            return;
        }
    }
}

/// The virtual registers that `inst` reads, with their operands' indices.
fn uses(function: &Function, inst: Inst) -> Vec<(usize, VReg)> {
    let operands = function.inst(inst).operands.iter().enumerate();
    operands
        .filter(|(_, operand)| !operand.is_def())
        .filter_map(|(index, operand)| Some((index, operand.as_vreg()?)))
        .collect()
}

/// Splices a stretch of `other` in before some instruction, with a read of its results.
fn splice(function: &mut Function, other: &Function, target: &Target, random: &mut SmallRng) -> bool {
    let known = function.vregs.len();
    let donors = edit::donors(other, target);
    let insts: Vec<Inst> = function.all_insts().collect();
    let (Some(donor), Some(&before)) = (donors.choose(random), insts.choose(random)) else { return false };
    if !donor.splice(function, target, before, |count| random.random_range(0..count.max(1))) {
        return false;
    }
    let new: Vec<VReg> = function.vregs.keys().skip(known).filter(|&new| function.use_count(new) == 0).collect();
    new.into_iter().for_each(|register| read_somewhere(function, target, register, random));
    true
}

/// An edit that may fit.
fn random_edit(function: &Function, random: &mut SmallRng) -> Option<Edit> {
    let insts: Vec<Inst> = function.all_insts().collect();
    let &inst = insts.choose(random)?;
    let &block = function.layout().choose(random)?;
    match random.random_range(0..22) {
        0..=3 => insertion(function, inst, random),
        4 => Some(Edit::Remove(inst)),
        5..=7 => operand(function, inst, random),
        8 => flags(function, inst, random),
        9 => Some(Edit::Predicate { inst, predicate: *IntPredicate::ALL.choose(random)? }),
        10..=11 => constant(function, &insts, random),
        12..=13 => Some(Edit::Opcode { inst, opcode: *edit::alike(function, inst).choose(random)? }),
        14 => immediate(function, inst, random),
        15 => width(function, random),
        16 => Some(Edit::Duplicate(inst)),
        17 => Some(Edit::Move { inst, before: *insts.choose(random)? }),
        18 => match random.random_range(0..3) {
            0 => Some(Edit::Split(inst)),
            1 => Some(Edit::Join(block)),
            _ => Some(Edit::Goto { block, to: function.successors(block).nth(random.random_range(0..2))? }),
        },
        19 => {
            let conditions = of_type(function, &Scope::new(function).above(function, inst), tribunal_ir::types::S1);
            Some(Edit::Diamond { before: inst, condition: *conditions.choose(random)? })
        }
        20 => phi(function, block, random),
        _ => forwarding(function, inst, random),
    }
}

fn of_type(function: &Function, registers: &[VReg], ty: Type) -> Vec<VReg> {
    registers.iter().copied().filter(|&register| function.type_of(register) == Some(ty)).collect()
}

/// An operation on values in scope.
fn insertion(function: &Function, before: Inst, random: &mut SmallRng) -> Option<Edit> {
    let above = Scope::new(function).above(function, before);
    let &first = above.choose(random)?;
    let ty = function.type_of(first).filter(|ty| ty.is_scalar())?;
    let opcode = *edit::families().choose(random)?.choose(random)?;
    let opcode = match random.random_range(0..8) {
        0 => Opcode::G_SELECT,
        1 => Opcode::G_TRUNC,
        _ => opcode,
    };
    let same = of_type(function, &above, ty);
    let &second = same.choose(random)?;
    let info = opcode.info()?;
    let (result, operands) = match opcode {
        Opcode::G_SELECT => {
            let conditions = of_type(function, &above, tribunal_ir::types::S1);
            (ty, vec![*conditions.choose(random)?, first, second])
        }
        _ if info.truncates() && ty.bits() > 1 => (Type::scalar(random.random_range(1..ty.bits())), vec![first]),
        _ if info.extends() && ty.bits() < 64 => (Type::scalar(random.random_range(ty.bits() + 1..=64)), vec![first]),
        _ => (ty, [first, second, *same.choose(random)?].into_iter().take(info.uses.len()).collect()),
    };
    Some(Edit::Insert { before, opcode, result, operands })
}

fn operand(function: &Function, inst: Inst, random: &mut SmallRng) -> Option<Edit> {
    let &(index, old) = uses(function, inst).choose(random)?;
    let scope = Scope::new(function);
    let data = function.inst(inst);
    let above = match (data.opcode.is_phi(), data.operands.get(index + 1)) {
        (true, Some(Operand::Block(from))) => scope.at_end(function, *from),
        _ => scope.above(function, inst),
    };
    let to = *of_type(function, &above, function.type_of(old)?).choose(random)?;
    Some(Edit::Operand { inst, index, to })
}

fn forwarding(function: &Function, inst: Inst, random: &mut SmallRng) -> Option<Edit> {
    let register = function.inst(inst).vreg_defs().next()?;
    let above = Scope::new(function).above(function, inst);
    let to = *of_type(function, &above, function.type_of(register)?).choose(random)?;
    Some(Edit::Forward { register, to })
}

fn flags(function: &Function, inst: Inst, random: &mut SmallRng) -> Option<Edit> {
    let known = edit::flags_of(function.inst(inst).opcode);
    let flags = known & InstFlags::from_bits_truncate(random.next_u32());
    (!known.is_empty()).then_some(Edit::Flags { inst, flags })
}

fn constant(function: &Function, insts: &[Inst], random: &mut SmallRng) -> Option<Edit> {
    let constants: Vec<Inst> =
        insts.iter().copied().filter(|&inst| function.inst(inst).opcode == Opcode::G_CONSTANT).collect();
    let data = function.inst(*constants.choose(random)?);
    let (register, old) = (data.vreg(0)?, function.constant_value(data.operands.get(1)?)?);
    let bits = old.width();
    let one = Bits::new(1, bits);
    let value = match random.random_range(0..8) {
        0 => old.add(one),
        1 => old.sub(one),
        2 => old.not(),
        3 => old.xor(Bits::one_bit(random.random_range(0..bits), bits)),
        4 => Bits::new(random.random_range(0..64), bits),
        5 => Bits::signed_min(bits),
        6 => Bits::one_bit(random.random_range(0..bits), bits),
        _ => Bits::from_limbs(|_| random.next_u64(), bits),
    };
    Some(Edit::Constant { register, value })
}

fn immediate(function: &Function, inst: Inst, random: &mut SmallRng) -> Option<Edit> {
    let data = function.inst(inst);
    let index = data.operands.iter().position(|operand| matches!(operand, Operand::Imm(_)))?;
    let range = edit::immediate_range(function, data, index).filter(|range| !range.is_empty())?;
    Some(Edit::Immediate { inst, index, value: random.random_range(range) })
}

fn width(function: &Function, random: &mut SmallRng) -> Option<Edit> {
    let classes = edit::width_classes(function);
    let class = classes.choose(random)?;
    let bits = match random.random_range(0..4) {
        0 => class.bits + 1,
        1 => class.bits - 1,
        2 => *[8, 16, 32, 64].choose(random)?,
        _ => random.random_range(1..=129),
    };
    Some(Edit::Width { register: class.register, bits })
}

fn phi(function: &Function, block: tribunal_ir::Block, random: &mut SmallRng) -> Option<Edit> {
    let mut predecessors = function.predecessors()[block.as_u32() as usize].clone();
    predecessors.dedup();
    let scope = Scope::new(function);
    let &first = scope.at_end(function, *predecessors.first()?).choose(random)?;
    let ty = function.type_of(first)?;
    let value =
        |&from: &tribunal_ir::Block| of_type(function, &scope.at_end(function, from), ty).choose(random).copied();
    Some(Edit::Phi { block, values: predecessors.iter().map(value).collect::<Option<_>>()? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use std::collections::BTreeSet;

    /// Every kind of edit that is drawn is made somewhere, and changes the text.
    #[test]
    fn every_kind_of_edit_fits_somewhere() {
        let target = tribunal_target::by_name("riscv64").unwrap();
        let text = |function: &Function| tribunal_ir::text::print_function(function, target.vocabulary);
        let mut random = SmallRng::seed_from_u64(1);
        let mut made = BTreeSet::new();
        for seed in 0..600 {
            let mut function = crate::campaign::generated(seed, target).unwrap();
            for _ in 0..60 {
                let Some(edit) = random_edit(&function, &mut random) else { continue };
                let before = text(&function);
                let fits = edit.apply(&mut function, target);
                assert_eq!(fits, before != text(&function), "{edit:?}\n{before}");
                if fits {
                    let name = format!("{edit:?}");
                    made.insert(name.split(['(', ' ']).next().unwrap_or_default().to_string());
                }
            }
        }
        let kinds = "Constant Diamond Duplicate Flags Forward Goto Immediate Insert Join Move Opcode Operand Phi Predicate Remove Split Width";
        assert_eq!(made.iter().map(String::as_str).collect::<Vec<_>>(), kinds.split(' ').collect::<Vec<_>>());
    }
}
