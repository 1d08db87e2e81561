//! The nondeterministic choices of a side. In a whole function those of the later side are the earlier side's, in the
//! order in which each opcode makes them, as long as some were kept for it.

use super::earlier::Earlier;
use super::side::{Scalar, Side, SideEvaluation};
use super::term::{Node, Symbolic, Term};
use super::validate::Undef;
use super::witness;
use rustc_hash::FxHashMap;
use tribunal_ir::bits::Bits;
use tribunal_ir::semantics::{Domain, Unsupported, Value};
use tribunal_ir::{FloatFormat, Function, InstData, Opcode, OpcodeFlags, VReg};
use tribunal_target::Target;
use tribunal_target::instructions::Extension;

/// The choices of the earlier side's NaNs, sign and fraction, each with that of a number that the later side's machine
/// computed: the next one of the format. It stands for a NaN that no output shows.
pub(super) fn numbers_of_nans(d: &mut Symbolic, source: &Side, result: &Side) -> Vec<(Term, Term)> {
    let is_open = |(opcode, choice): &&(Opcode, Term)| opcode.is_float() && source.choices.contains(choice);
    let choices: Vec<Term> = source.chosen.iter().filter(is_open).map(|&(_, choice)| choice).collect();
    let (mut rest, mut found) = (result.numbers.as_slice(), Vec::new());
    for pair in choices.windows(2) {
        let [sign, fraction] = [pair[0], pair[1]].map(|choice| d.width_of(choice));
        let is_of_format = |&number: &Term| {
            FloatFormat::of_width(d.width_of(number)).is_some_and(|format| format.fraction_bits() == fraction)
        };
        let Some(place) = rest.iter().position(is_of_format).filter(|_| sign == 1) else { continue };
        let number = rest[place];
        rest = &rest[place + 1..];
        found.push((pair[0], d.extract_bits(number, d.width_of(number) - 1, 1)));
        found.push((pair[1], d.extract_bits(number, 0, fraction)));
    }
    found
}

/// The choices of the earlier side's high bits, each with those of a value of the later side that has the same low
/// bits: of the same register, else of the first one. Such a value is the number extended in some way, which a promise
/// of both sides may be about, and no output shows.
pub(super) fn high_bits(d: &mut Symbolic, source: &Side, result: &Side) -> Vec<(Term, Term)> {
    if source.choices.is_empty() {
        return Vec::new();
    }
    let in_order = |side: &Side| -> Vec<(VReg, Term)> {
        let mut values: Vec<(VReg, Term)> =
            side.defined.iter().map(|(&register, value)| (register, value.bits)).collect();
        values.sort_unstable_by_key(|&(register, _)| register);
        values
    };
    let (extended, of_result) = (in_order(source), in_order(result));
    let mut found = Vec::new();
    for (register, bits) in extended {
        let Node::Concat(high, low) = d.node(bits) else { continue };
        if !source.choices.contains(&high) {
            continue;
        }
        let (width, from) = (d.width_of(bits), d.width_of(low));
        let mut has_low = |value: Term| d.width_of(value) == width && d.extract_bits(value, 0, from) == low;
        let own = result.defined.get(&register).map(|value| value.bits).filter(|&value| has_low(value));
        let value = own.or_else(|| of_result.iter().map(|&(_, value)| value).find(|&value| has_low(value)));
        found.extend(value.map(|value| (high, d.extract_bits(value, from, width - from))));
    }
    found
}

/// The same choices, each as the greatest signed number: high bits with which a promise breaks that other ones keep.
pub(super) fn greatest(d: &mut Symbolic, extended: &[(Term, Term)]) -> Vec<(Term, Term)> {
    let greatest = |&(choice, _): &(Term, Term)| {
        let width = d.width_of(choice);
        (choice, d.value(Bits::signed_min(width).not()))
    };
    extended.iter().map(greatest).collect()
}

/// The registers of a function that a load of the machine fills, with the extension of what it loads.
pub(super) fn loads(target: &Target, function: &Function) -> FxHashMap<VReg, Extension> {
    let of_inst = |inst| {
        let data = function.inst(inst);
        let Opcode::Target(opcode) = data.opcode else { return None };
        let row = target.instruction(opcode);
        let access = row.access.filter(|_| row.flags.contains(OpcodeFlags::LOAD))?;
        Some((data.vreg_defs().next()?, access.extension))
    };
    function.all_insts().filter_map(of_inst).collect()
}

impl SideEvaluation<'_> {
    /// The choices of an instruction.
    pub(super) fn choice(&mut self, side: &mut Side, data: &InstData) -> Result<(), Unsupported> {
        let opcode = self.function.opcode_on_machine(data);
        let (evaluated, made) = self.offering(side, opcode, |own, side| match opcode.sees_environment() {
            true => own.walk(side, data),
            false => own.generic(side, data),
        });
        evaluated?;
        if self.extends_as_later(side, data, made) {
            return Ok(());
        }
        let result = data.vreg(0).and_then(|register| side.defined.get(&register)).map(|value| value.bits);
        for &choice in &self.d.choices[made..] {
            // One that the result does not depend on is none; numbers have as many, whatever their results are.
            if data.opcode.is_float() || result.is_none_or(|result| witness::mentions(self.d, result, choice)) {
                side.chosen.push((opcode, choice));
            }
        }
        if self.opaque.is_some() && data.opcode.is_float() {
            let choices = self.d.choices[made..].to_vec();
            self.note_open_number(side, data, &choices);
        }
        let frozen = data.vreg(1).filter(|_| data.opcode == Opcode::G_FREEZE);
        if let Some(bits) = frozen.and_then(|frozen| side.defined.get(&frozen)).map(|value| value.bits) {
            side.frozen.extend(witness::frozen(self.d, made, bits));
        }
        Ok(())
    }

    /// Extends a loaded value as the later function's load of the same register does, instead of by the choice that it
    /// made: that is one admissible choice, and the later function may show it in another block. False for anything
    /// else.
    fn extends_as_later(&mut self, side: &mut Side, data: &InstData, made: usize) -> bool {
        let Some(opaque) = self.opaque.as_ref().filter(|opaque| opaque.earlier.is_none()) else { return false };
        let register = data.vreg(0).filter(|_| data.opcode == Opcode::G_LOAD);
        let extension = register.and_then(|register| opaque.later_loads.get(&register));
        let (Some(register), Some(&extension)) = (register, extension) else { return false };
        let Some(value) = side.defined.get(&register).cloned() else { return false };
        let Node::Concat(high, low) = self.d.node(value.bits) else { return false };
        if self.d.choices[made..] != [high] {
            return false;
        }
        let width = self.d.width_of(value.bits);
        let bits = match extension {
            Extension::Zero => self.d.zero_extend(low, width),
            Extension::Sign => self.d.sign_extend(low, width),
        };
        self.d.choices.truncate(made);
        side.defined.insert(register, Value::new(bits, value.poison));
        true
    }

    /// The choices of a computation that does what the opcode does: those that the opcode would make.
    pub(super) fn chosen_by<R>(
        &mut self,
        side: &mut Side,
        opcode: Opcode,
        compute: impl FnOnce(&mut Symbolic) -> R,
    ) -> R {
        let (result, made) = self.offering(side, opcode, |own, _| compute(own.d));
        side.chosen.extend(self.d.choices[made..].iter().map(|&choice| (opcode, choice)));
        result
    }

    /// One use of an undefined value: a choice of its own.
    pub(super) fn undefined_use(&mut self, side: &mut Side, register: VReg) -> Scalar {
        let width = self.width(register);
        let bits = self.chosen_by(side, Opcode::G_IMPLICIT_DEF, |d| d.choose(width));
        Value::new(bits, self.d.truth(false))
    }

    /// Hands what was chosen to the side.
    pub(super) fn keep_choices(&mut self, side: &mut Side) {
        side.choices.append(&mut self.d.choices);
    }

    /// Whether each use of an undefined value is a choice of its own.
    pub(super) fn is_per_use(&self) -> bool {
        self.opaque.as_ref().is_some_and(|opaque| opaque.undef == Undef::PerUse)
    }

    /// Computes with the choices of the earlier side that the later side's next ones for this opcode are. The number is
    /// that of the choices made before.
    fn offering<R>(
        &mut self,
        side: &mut Side,
        opcode: Opcode,
        compute: impl FnOnce(&mut Self, &mut Side) -> R,
    ) -> (R, usize) {
        let earlier = self.opaque.as_ref().and_then(|opaque| opaque.earlier.as_ref());
        let made = side.chosen.iter().filter(|(other, _)| *other == opcode).count();
        let own = |earlier: &Earlier| -> Vec<Term> {
            let own = earlier.choices.iter().filter(|(other, _)| *other == opcode).map(|&(_, choice)| choice);
            own.skip(made).collect()
        };
        // The next one is last.
        self.d.offered = earlier.map(own).unwrap_or_default();
        self.d.offered.reverse();
        let before = self.d.choices.len();
        let result = compute(self, side);
        self.d.offered.clear();
        (result, before)
    }
}
