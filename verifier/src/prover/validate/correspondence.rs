//! The guess which register of the earlier function a register of the later one holds at a pair of cut points.
//!
//! A guess is one that the first arrival does not contradict. It becomes an assumption at the pair, and every arrival must
//! show it. One that an arrival does not show gives way to the next, so what is left holds by induction.

use super::cut_values::{CutValues, Shape, Values};
use super::induction::Validation;
use super::pairing::undefined;
use crate::prover::query::{self, StepOutput};
use crate::prover::side::Scalar;
use crate::prover::term::{Symbolic, Term};
use rustc_hash::FxHashSet;
use tribunal_ir::semantics::{Unsupported, Value};
use tribunal_ir::{Block, Function, InstData, Opcode, VReg};

/// The bits of the later register that are the earlier one's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// All of both.
    Same,
    /// The later one is wider, with zeros above.
    Zeros,
    /// The later one is wider, with copies of the sign above.
    Signs,
    /// The later one is wider, with anything above.
    Anything,
    /// The later one is the low part.
    Low,
}

/// A register of the earlier function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Guess {
    earlier: VReg,
    form: Form,
}

/// A register of the later function, and the guesses about it, the one that is assumed first.
#[derive(Clone, Debug)]
pub(super) struct Correspondence {
    later: VReg,
    guesses: Vec<Guess>,
}

/// Guesses about one register, at most.
const MOST_GUESSES: usize = 8;

/// Both functions at a pair of cut points.
#[derive(Clone, Copy)]
pub(super) struct CutPair<'s> {
    pub before: &'s Shape<'s>,
    pub after: &'s Shape<'s>,
    pub cuts: (Block, Block),
}

/// The registers of both functions at the end of a pair of traces.
pub(super) struct Arrivals {
    /// With what the code after the cut point computes of them.
    pub before: Values,
    pub after: Values,
    /// What holds on these traces.
    pub known: Vec<Term>,
    /// Undefined behaviour of the earlier trace.
    pub ub: Term,
}

impl Validation<'_> {
    /// The guesses that an arrival does not contradict. `unknown` are the registers that no term gives.
    pub(super) fn guesses(
        &mut self,
        pair: CutPair<'_>,
        arrivals: &Arrivals,
        (unknown_before, unknown_later): (&CutValues, &CutValues),
    ) -> Vec<Correspondence> {
        let mut all = Vec::new();
        for later in pair.after.read_after(pair.cuts.1) {
            let Some(target) = arrivals.after.get(&later) else { continue };
            let target = query::simplified(&mut self.graph, &arrivals.known, target.bits);
            let is_unknown = unknown_later.unknown.contains(&later);
            let mut guesses: Vec<(u32, Guess)> = Vec::new();
            for (&earlier, value) in &arrivals.before {
                if !is_unknown && !unknown_before.unknown.contains(&earlier) {
                    continue;
                }
                let source = query::simplified(&mut self.graph, &arrivals.known, value.bits);
                let forms = forms(&mut self.graph, source, target);
                let order = order(pair, earlier, later);
                guesses.extend(forms.into_iter().map(|form| (order, Guess { earlier, form })));
            }
            guesses.sort_by_key(|&(order, guess)| (order, guess.earlier));
            guesses.truncate(MOST_GUESSES);
            let guesses: Vec<Guess> = guesses.into_iter().map(|(_, guess)| guess).collect();
            if !guesses.is_empty() {
                all.push(Correspondence { later, guesses });
            }
        }
        all
    }

    /// The values of the later function's registers, by those of the earlier one.
    pub(super) fn assumed(
        &mut self,
        after: &Function,
        correspondences: &[Correspondence],
        before: &Values,
    ) -> Result<Values, Unsupported> {
        let mut values = Values::default();
        for Correspondence { later, guesses } in correspondences {
            let Some(guess) = guesses.first() else { continue };
            let source = before.get(&guess.earlier).ok_or_else(undefined)?.clone();
            let bits = tribunal_ir::semantics::walk::register_bits(after, self.setting.target.vocabulary, *later);
            let width = self.graph.width_of(source.bits);
            let bits = match guess.form {
                Form::Same => source.bits,
                Form::Zeros => self.graph.zero_extend(source.bits, bits),
                Form::Signs => self.graph.sign_extend(source.bits, bits),
                Form::Anything => {
                    let above = self.graph.variable(bits - width);
                    self.graph.concatenate(above, source.bits)
                }
                Form::Low => self.graph.extract_bits(source.bits, 0, bits),
            };
            values.insert(*later, Value { bits, poison: source.poison });
        }
        Ok(values)
    }

    /// Drops the guesses that an arrival does not show; true if there were any.
    pub(super) fn drop_unshown(
        &mut self,
        correspondences: &mut Vec<Correspondence>,
        arrivals: &Arrivals,
    ) -> bool {
        let mut dropped = false;
        for Correspondence { later, guesses } in correspondences.iter_mut() {
            let Some(&guess) = guesses.first() else { continue };
            if !self.is_shown(guess, *later, arrivals) {
                guesses.remove(0);
                dropped = true;
            }
        }
        correspondences.retain(|correspondence| !correspondence.guesses.is_empty());
        dropped
    }

    fn is_shown(&mut self, guess: Guess, later: VReg, arrivals: &Arrivals) -> bool {
        let (Some(source), Some(target)) = (arrivals.before.get(&guess.earlier), arrivals.after.get(&later)) else {
            return false;
        };
        let output = output(&mut self.graph, guess.form, source.clone(), target.clone(), arrivals.ub);
        self.holds(vec![output], arrivals.ub, &arrivals.known)
    }
}

/// The obligation on an arrival.
fn output(d: &mut Symbolic, form: Form, mut source: Scalar, mut target: Scalar, ub: Term) -> StepOutput {
    let (width, whole) = (d.width_of(source.bits), d.width_of(target.bits));
    match form {
        Form::Same => {}
        Form::Zeros => source.bits = d.zero_extend(source.bits, whole),
        Form::Signs => source.bits = d.sign_extend(source.bits, whole),
        Form::Anything => target.bits = d.extract_bits(target.bits, 0, width),
        Form::Low => source.bits = d.extract_bits(source.bits, 0, whole),
    }
    StepOutput { register: None, name: "register", source, target, ub }
}

/// The forms in which two terms are equal.
fn forms(d: &mut Symbolic, source: Term, target: Term) -> Vec<Form> {
    let (width, whole) = (d.width_of(source), d.width_of(target));
    if width == whole {
        return if source == target { vec![Form::Same] } else { Vec::new() };
    }
    if width > whole {
        return if d.extract_bits(source, 0, whole) == target { vec![Form::Low] } else { Vec::new() };
    }
    let mut forms = Vec::new();
    forms.extend((d.zero_extend(source, whole) == target).then_some(Form::Zeros));
    forms.extend((d.sign_extend(source, whole) == target).then_some(Form::Signs));
    forms.extend((d.extract_bits(target, 0, width) == source).then_some(Form::Anything));
    forms
}

/// The order in which guesses are tried: registers that are computed alike first.
fn order(CutPair { before, after, cuts }: CutPair<'_>, earlier: VReg, later: VReg) -> u32 {
    let are_phis = before.is_phi_of(earlier, cuts.0) == after.is_phi_of(later, cuts.1);
    let [one, other] = [(before.function, earlier), (after.function, later)].map(|(function, register)| {
        function.def_of(register).map(|inst| signature(function, function.inst(inst)))
    });
    let is_other_type = before.function.type_of(earlier) != after.function.type_of(later);
    let is_later_def = one != other;
    8 * u32::from(!are_phis) + 4 * u32::from(is_later_def) + 2 * u32::from(is_other_type) + u32::from(earlier != later)
}

/// The opcode of a definition with those of its operands, constants by their values.
fn signature(function: &Function, data: &InstData) -> (Opcode, Vec<String>) {
    let name = |register: VReg| {
        let Some(data) = function.def_of(register).map(|inst| function.inst(inst)) else { return String::new() };
        let constant = data.operands.get(1).and_then(|operand| function.constant_value(operand));
        let inner: FxHashSet<Opcode> = data
            .vreg_uses()
            .filter_map(|register| function.def_of(register).map(|inst| function.inst(inst).opcode))
            .collect();
        let mut inner: Vec<String> = inner.into_iter().map(|opcode| opcode.to_string()).collect();
        inner.sort_unstable();
        format!("{} {constant:?} {inner:?}", data.opcode)
    };
    let mut names: Vec<String> = data.vreg_uses().map(name).collect();
    names.sort_unstable();
    (data.opcode, names)
}
