//! Flags in a proof of whole functions. Promises of machine instructions are as [`tribunal_target::promises`] defines
//! them. Where no generic operation computes the result, the broken promise is an unknown of the instruction and its
//! operands; so is a flag of any instruction that no definition reads.
//!
//! A load that stands for itself keeps what its row promises: the bits above the access.

use super::elements::elements;
use super::identity::ADVICE;
use super::side::{Scalar, Side, SideEvaluation, SideState};
use super::term::Term;
use super::validate::Pair;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use tribunal_ir::semantics::{Domain, Unsupported, Value};
use tribunal_ir::{Family, Function, InstData, InstFlags, Opcode, OpcodeFlags, Operand, RegFlags, RegOperand, VReg};
use tribunal_target::instructions::Extension;
use tribunal_target::{Target, parts, promises};

/// Flags that license another result. The definitions have the strict one, so only that a licence is new tells them.
pub(super) const LICENCES: InstFlags =
    InstFlags::FAST.difference(InstFlags::FLOAT_PROMISES).union(InstFlags::NOFPEXCEPT);

/// The flags of an instruction that no definition reads: those of a machine instruction are promises all the same.
pub(super) fn unread(data: &InstData) -> InstFlags {
    let read = data.opcode.info().map_or(InstFlags::empty(), |info| info.promises());
    // In the default environment nobody sees exceptions.
    let unseen = if data.opcode.sees_environment() { InstFlags::empty() } else { InstFlags::NOFPEXCEPT };
    data.flags.difference(ADVICE | unseen | read)
}

/// True if the later function has each flag that no proof follows as often as the earlier one at most, with the same
/// opcode if the earlier one has that. Such are the flags of what only moves values, of accesses that promotion
/// replaces, and of instructions that write a physical register.
pub(super) fn untracked_are_kept(target: &Target, Pair { before, after }: Pair<'_>) -> bool {
    let is_untracked = |data: &InstData| match data.opcode {
        Opcode::Target(_) => {
            // A promise is about the value; nobody reads a dead register besides it.
            let has_value = data.vreg_defs().next().is_some();
            let is_beside = |operand: &RegOperand| has_value && operand.flags.contains(RegFlags::DEAD);
            let is_seen = |operand: &RegOperand| operand.reg.as_physical().is_some() && !is_beside(operand);
            data.defs().any(is_seen) || parts::makes_of_part(after, target.vocabulary, data)
        }
        Opcode::COPY => !promises::is_truncation(data),
        Opcode::KILL | Opcode::IMPLICIT_DEF | Opcode::G_IMPLICIT_DEF | Opcode::G_FRAME_INDEX => true,
        opcode => opcode == Opcode::OPAQUE || opcode.family() == Some(Family::Load),
    };
    let count = |function: &Function, opcode: Option<Opcode>, flag| {
        let data = function.all_insts().map(|inst| function.inst(inst));
        let is_like = |data: &&InstData| opcode.is_none_or(|opcode| data.opcode == opcode) && data.flags.contains(flag);
        data.filter(is_like).count()
    };
    // Selection chooses another opcode, and leaves the flag.
    let is_new = |opcode| before.all_insts().all(|inst| before.inst(inst).opcode != opcode);
    let later = after.all_insts().map(|inst| after.inst(inst)).filter(|data| is_untracked(data));
    let flags = later.flat_map(|data| unread(data).iter().map(|flag| (data.opcode, flag)));
    let flags: FxHashSet<(Opcode, InstFlags)> = flags.collect();
    flags.into_iter().all(|(opcode, flag)| {
        let earlier = if is_new(opcode) { None } else { Some(opcode) };
        count(after, Some(opcode), flag) <= count(before, earlier, flag)
    })
}

/// The operands of a machine instruction that promises something, as they were before it wrote.
pub(super) struct Promise(SmallVec<[Scalar; 4]>);

impl SideEvaluation<'_> {
    /// The promise that a machine instruction of a whole function makes, if it makes one.
    pub(super) fn promise(&mut self, side: &mut Side, data: &InstData) -> Result<Option<Promise>, Unsupported> {
        let is_selected = matches!(data.opcode, Opcode::Target(_)) || promises::is_truncation(data);
        if !is_selected || self.opaque.is_none() || unread(data).is_empty() {
            return Ok(None);
        }
        let bits = data.vreg_defs().next().map_or(0, |register| self.width(register));
        let args = promises::operands(self.target, &mut SideState { evaluation: self, side }, data, bits)?;
        Ok(Some(Promise(args)))
    }

    /// Of a load of the machine the row says how it fills its register: with bits, for the machine knows no poison.
    pub(super) fn extend_loaded(&mut self, data: &InstData, results: &mut [Scalar]) {
        let Opcode::Target(opcode) = data.opcode else { return };
        let row = self.target.instruction(opcode);
        let (Some(access), Some(loaded)) = (row.access, results.first_mut()) else { return };
        let width = self.d.width_of(loaded.bits);
        if !row.flags.contains(OpcodeFlags::LOAD) {
            return;
        }
        *loaded = Value::new(loaded.bits, self.d.truth(false));
        if access.bits() < width {
            let part = self.d.extract_bits(loaded.bits, 0, access.bits());
            loaded.bits = match access.extension {
                Extension::Zero => self.d.zero_extend(part, width),
                Extension::Sign => self.d.sign_extend(part, width),
            };
        }
    }

    /// A result, poison where a flag that no definition reads makes it so: each element of a vector by itself, which
    /// its own element of each operand decides.
    pub(super) fn keep_unread(
        &mut self,
        data: &InstData,
        args: &[Scalar],
        (register, value): (VReg, Scalar),
    ) -> Scalar {
        let count = elements(self.function, register);
        if self.opaque.is_none() || unread(data).is_empty() || count == 1 {
            let broken = self.unread_flags(data, args);
            return value.poison_where(self.d, &broken);
        }
        let counts: Vec<u32> = data.vreg_uses().map(|used| elements(self.function, used)).collect();
        let mut poison = Vec::new();
        for number in 0..count {
            let mut of_element = |value: &Scalar, elements: u32| {
                let width = self.d.width_of(value.bits) / elements;
                if elements == count { value.part(self.d, number * width, width) } else { value.clone() }
            };
            let args: Vec<Scalar> =
                args.iter().zip(&counts).map(|(value, &elements)| of_element(value, elements)).collect();
            let own = of_element(&value, count).poison;
            let broken = self.unread_flags(data, &args);
            poison.push(self.d.bool_or(&own, &broken));
        }
        Value::of_elements(self.d, value.bits, poison)
    }

    /// Whether a flag that no definition reads makes a result poison: an unknown of the flag, the operation and its
    /// operands.
    pub(super) fn unread_flags(&mut self, data: &InstData, args: &[Scalar]) -> Term {
        let mut poison = self.d.truth(false);
        let unread = unread(data);
        if self.opaque.is_none() || unread.is_empty() {
            return poison;
        }
        for flag in unread.iter() {
            let application = match LICENCES.contains(flag) {
                // Whichever instruction has it: selection keeps the licences of what it selects.
                true => (format!("{flag:?}"), numbers(data, args)),
                false => {
                    let operands = args.iter().flat_map(|arg| [arg.bits, arg.poison]).collect();
                    let numbers = if args.is_empty() { format!(" {:?}", data.operands) } else { String::new() };
                    (format!("{flag:?} {}{numbers}", self.opcode_name(data)), operands)
                }
            };
            let Some(opaque) = self.opaque.as_deref_mut() else { continue };
            let unknown = *opaque.flags.entry(application).or_insert_with(|| self.d.variable(1));
            poison = self.d.bool_or(&poison, &unknown);
        }
        poison
    }

    /// Makes the result poison where the promise is broken.
    pub(super) fn keep_promise(
        &mut self,
        side: &mut Side,
        data: &InstData,
        Promise(args): Promise,
    ) -> Result<(), Unsupported> {
        let Some(register) = data.vreg_defs().next() else { return Ok(()) };
        let Some(result) = side.defined.get(&register).cloned() else { return Ok(()) };
        let is_same = |one: &Term, other: &Term| one == other;
        let readings = promises::broken(self.d, &mut side.memory, unread(data), &args, &result.bits, is_same);
        let conditions: SmallVec<[Term; 2]> = readings.into_iter().map(|(_, broken)| broken).collect();
        let broken = match conditions.split_first() {
            None => self.unread_flags(data, &args),
            Some((broken, others)) if others.iter().all(|other| other == broken) => *broken,
            // Operations of the same result promise different things, and nobody knows which one is meant. What all of
            // them say is broken.
            Some((first, others)) => {
                let meant = self.unread_flags(data, &args);
                let (mut any, mut all) = (*first, *first);
                for other in others {
                    any = self.d.bool_or(&any, other);
                    all = self.d.bool_and(&all, other);
                }
                let any = self.d.bool_and(&any, &meant);
                self.d.bool_or(&any, &all)
            }
        };
        let result = result.poison_where(self.d, &broken);
        side.defined.insert(register, result);
        Ok(())
    }
}

/// The operands of an instruction that are virtual registers, of its values: registers read and, of a machine's
/// instruction, immediates.
fn numbers(data: &InstData, args: &[Scalar]) -> Vec<Term> {
    let is_machine = matches!(data.opcode, Opcode::Target(_));
    let values = data.operands.iter().filter_map(|operand| match operand {
        Operand::Reg(register) if !operand.is_def() => Some(register.reg.as_virtual().is_some()),
        Operand::Imm(_) if is_machine => Some(false),
        _ => None,
    });
    args.iter().zip(values).filter(|(_, is_register)| *is_register).map(|(arg, _)| arg.bits).collect()
}
