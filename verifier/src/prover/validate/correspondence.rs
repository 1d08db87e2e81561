//! The guess which register of the earlier function a register of the later one holds at a pair of cut points.
//!
//! Guesses are those that the first arrival does not contradict, several about one register. All are assumptions at the
//! pair, and every arrival must show them. One that an arrival does not show is dropped, and all is shown again without
//! it. So what is left holds by induction, and no guess that holds is lost for one that does not (Flanagan and Leino,
//! "Houdini", 2001).

use super::cut_values::{CutValues, FlowShape, Values};
use super::induction::Validation;
use super::pairing::undefined;
use crate::prover::Decision;
use crate::prover::ValueName;
use crate::prover::elements::{elements, unknown};
use crate::prover::evaluate::Evaluator;
use crate::prover::memory::moved;
use crate::prover::query::{self, StepOutput};
use crate::prover::side::Scalar;
use crate::prover::term::{MemTerm, Symbolic, Term};
use tribunal_ir::semantics::{Domain, Unsupported, Value, walk};
use tribunal_ir::{Block, Function, VReg};

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
    /// The later one is this register of the earlier function less the other: a counter that counts down.
    Less(VReg),
    /// The later one is as wide as this and holds the bytes of memory at that address: a load that was moved up.
    Loaded(u32),
}

/// A register of the earlier function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Guess {
    earlier: VReg,
    form: Form,
}

/// A register of the later function, and the guesses about it.
#[derive(Clone, Debug)]
pub(super) struct Correspondence {
    later: VReg,
    guesses: Vec<Guess>,
}

/// The place in the order of guesses that are no equality.
const FARTHEST: u32 = 8;

/// Guesses about one register, at most.
const MOST_GUESSES: usize = 12;

/// Both functions at a pair of cut points.
#[derive(Clone, Copy)]
pub(super) struct CutPair<'s> {
    pub before: &'s FlowShape<'s>,
    pub after: &'s FlowShape<'s>,
    pub cuts: (Block, Block),
}

/// The registers of both functions at the end of a pair of traces.
pub(super) struct Arrivals {
    /// With what the code after the cut point computes of them.
    pub before: Values,
    pub after: Values,
    /// The earlier function's memory.
    pub memory: MemoryContents,
    /// Conditions that hold on these traces.
    pub known: Vec<Term>,
    /// Undefined behaviour of the earlier trace.
    pub ub: Term,
}

/// The bytes of memory, and which of them are poison.
pub(super) type MemoryContents = (MemTerm, MemTerm);

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
                if is_unknown && unknown_before.unknown.contains(&earlier) {
                    let less = self.minuend(arrivals, source, target, earlier);
                    guesses.extend(less.map(|form| (FARTHEST, Guess { earlier, form })));
                }
                if is_unknown && self.is_loaded(arrivals, value.bits, target) {
                    let form = Form::Loaded(self.graph.width_of(target));
                    guesses.push((FARTHEST, Guess { earlier, form }));
                }
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

    /// The register of which a value is the difference to another, as a form.
    fn minuend(&mut self, arrivals: &Arrivals, source: Term, target: Term, earlier: VReg) -> Option<Form> {
        if self.graph.width_of(source) != self.graph.width_of(target) {
            return None;
        }
        let sum = self.graph.add(&source, &target);
        let mut whole: Option<VReg> = None;
        for (&register, value) in arrivals.before.iter().filter(|(register, _)| **register != earlier) {
            if query::simplified(&mut self.graph, &arrivals.known, value.bits) == sum {
                whole = Some(whole.map_or(register, |other| other.min(register)));
            }
        }
        whole.map(Form::Less)
    }

    /// Whether a value is the contents of the earlier function's memory at an address.
    fn is_loaded(&mut self, arrivals: &Arrivals, address: Term, target: Term) -> bool {
        let width = self.graph.width_of(target);
        let is_address = self.graph.width_of(address) == u32::from(self.setting.target.pointer_bits);
        is_address
            && width.is_multiple_of(8)
            && width <= u64::BITS
            && loaded(&mut self.graph, arrivals.memory, address, width).bits == target
    }

    /// The values of the later function's registers, by those of the earlier one. One guess gives a value.
    /// Several may hold the same where one register is poison and another is not, so they are conditions on an unknown.
    pub(super) fn assumed(
        &mut self,
        after: &Function,
        correspondences: &[Correspondence],
        before: &Values,
        memory: MemoryContents,
    ) -> Result<(Values, Vec<Term>), Unsupported> {
        let (mut values, mut conditions) = (Values::default(), Vec::new());
        for Correspondence { later, guesses } in correspondences {
            let bits = walk::register_bits(after, self.setting.target.vocabulary, *later);
            let value = match guesses.as_slice() {
                [guess] => self.given(*guess, bits, (before, memory))?,
                _ => unknown(&mut self.graph, bits, elements(after, *later)),
            };
            for guess in guesses.iter().filter(|_| guesses.len() > 1) {
                let source = source(&mut self.graph, *guess, before, memory).ok_or_else(undefined)?;
                let (source, target) = compared(&mut self.graph, guess.form, source, value.clone());
                let equal = self.graph.equal(source.bits, target.bits);
                let known = self.graph.complement(target.poison);
                let holds = self.graph.bool_and(&known, &equal);
                conditions.push(self.graph.bool_or(&source.poison, &holds));
            }
            values.insert(*later, value);
        }
        Ok((values, conditions))
    }

    /// The value that a guess gives a register of so many bits.
    fn given(
        &mut self,
        guess: Guess,
        bits: u32,
        (before, memory): (&Values, MemoryContents),
    ) -> Result<Scalar, Unsupported> {
        let source = source(&mut self.graph, guess, before, memory).ok_or_else(undefined)?;
        let width = self.graph.width_of(source.bits);
        let bits = match guess.form {
            Form::Same => return Ok(source),
            Form::Low => return Ok(source.part(&mut self.graph, 0, bits)),
            Form::Less(_) | Form::Loaded(_) => source.bits,
            Form::Zeros => self.graph.zero_extend(source.bits, bits),
            Form::Signs => self.graph.sign_extend(source.bits, bits),
            Form::Anything => {
                let above = self.graph.variable(bits - width);
                self.graph.concatenate(above, source.bits)
            }
        };
        Ok(Value::new(bits, source.poison))
    }

    /// Drops the guesses that an arrival does not show; true if there were any.
    pub(super) fn drop_unshown(&mut self, correspondences: &mut Vec<Correspondence>, arrivals: &Arrivals) -> bool {
        let mut left = Vec::new();
        for Correspondence { later, guesses } in correspondences.iter() {
            left.extend(guesses.iter().map(|&guess| (*later, guess)));
        }
        let mut unshown = Vec::new();
        self.unshown(&mut left, arrivals, &mut unshown);
        for Correspondence { later, guesses } in correspondences.iter_mut() {
            guesses.retain(|guess| !unshown.contains(&(*later, *guess)));
        }
        correspondences.retain(|correspondence| !correspondence.guesses.is_empty());
        !unshown.is_empty()
    }

    /// Moves the guesses that one arrival does not show to `unshown`.
    fn unshown(&mut self, left: &mut Vec<(VReg, Guess)>, arrivals: &Arrivals, unshown: &mut Vec<(VReg, Guess)>) {
        let is_missing = |(later, guess): &(VReg, Guess)| {
            let whole = if let Form::Less(whole) = guess.form { whole } else { guess.earlier };
            let is_known = [guess.earlier, whole].iter().all(|register| arrivals.before.contains_key(register));
            !arrivals.after.contains_key(later) || !is_known
        };
        unshown.extend(left.extract_if(.., |item| is_missing(item)));
        while !left.is_empty() {
            let outputs: Vec<StepOutput> =
                left.iter().filter_map(|&(later, guess)| output(&mut self.graph, (later, guess), arrivals)).collect();
            let shown: Vec<_> = outputs.iter().map(|output| (output.source.clone(), output.target.clone())).collect();
            let broken: Vec<bool> = match self.decision_where(outputs, arrivals.ub, &arrivals.known) {
                Decision::Proved(_) => return,
                Decision::Refuted(assignment) => {
                    let mut evaluator = Evaluator::new(&self.graph, &assignment);
                    let mut is_wrong = |(source, target): &(Scalar, Scalar)| {
                        let differs = evaluator.value(source.bits) != evaluator.value(target.bits);
                        !evaluator.holds(source.poison) && (differs || evaluator.holds(target.poison))
                    };
                    shown.iter().map(&mut is_wrong).collect()
                }
                Decision::Unknown(_) if left.len() > 1 => {
                    let mut rest = left.split_off(left.len() / 2);
                    self.unshown(left, arrivals, unshown);
                    self.unshown(&mut rest, arrivals, unshown);
                    left.append(&mut rest);
                    return;
                }
                Decision::Unknown(_) => vec![true],
            };
            let none = !broken.contains(&true);
            let mut broken = broken.into_iter();
            unshown.extend(left.extract_if(.., |_| broken.next().unwrap_or(true) || none));
        }
    }
}

/// The value that a form compares, of the earlier function.
fn source(d: &mut Symbolic, guess: Guess, before: &Values, memory: MemoryContents) -> Option<Scalar> {
    let value = before.get(&guess.earlier)?.clone();
    match guess.form {
        Form::Less(whole) => {
            let whole = before.get(&whole)?;
            let poison = d.bool_or(&whole.poison, &value.poison);
            Some(Value::new(d.sub(&whole.bits, &value.bits), poison))
        }
        Form::Loaded(bits) => {
            let Value { bits, poison, .. } = loaded(d, memory, value.bits, bits);
            Some(Value::new(bits, d.bool_or(&poison, &value.poison)))
        }
        Form::Same | Form::Zeros | Form::Signs | Form::Anything | Form::Low => Some(value),
    }
}

/// So many bits of memory.
fn loaded(d: &mut Symbolic, (bytes, poison): MemoryContents, address: Term, bits: u32) -> Scalar {
    let (mut all, mut is_poison) = (None, d.truth(false));
    for index in 0..bits / 8 {
        let place = moved(d, address, index);
        let byte = d.select(bytes, place);
        all = Some(all.map_or(byte, |low| d.concatenate(byte, low)));
        let flag = d.select(poison, place);
        is_poison = d.bool_or(&is_poison, &flag);
    }
    Value::new(all.unwrap_or_else(|| d.truth(false)), is_poison)
}

/// The obligation on an arrival.
fn output(d: &mut Symbolic, (later, guess): (VReg, Guess), arrivals: &Arrivals) -> Option<StepOutput> {
    let source = source(d, guess, &arrivals.before, arrivals.memory)?;
    let target = arrivals.after.get(&later)?.clone();
    let (source, target) = compared(d, guess.form, source, target);
    Some(StepOutput { name: ValueName::Other("register"), source, target, ub: arrivals.ub })
}

/// Both values, in the bits that a form compares.
fn compared(d: &mut Symbolic, form: Form, mut source: Scalar, mut target: Scalar) -> (Scalar, Scalar) {
    let (width, whole) = (d.width_of(source.bits), d.width_of(target.bits));
    match form {
        Form::Same | Form::Less(_) | Form::Loaded(_) => return (source, target),
        Form::Low => return (source.part(d, 0, whole), target),
        Form::Zeros => source.bits = d.zero_extend(source.bits, whole),
        Form::Signs => source.bits = d.sign_extend(source.bits, whole),
        Form::Anything => target.bits = d.extract_bits(target.bits, 0, width),
    }
    // Elements do not lie alike: one that is poison makes all so.
    (Value::new(source.bits, source.poison), Value::new(target.bits, target.poison))
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

/// The order of guesses, of which the first few are kept: PHIs of the cut points for each other first.
fn order(CutPair { before, after, cuts }: CutPair<'_>, earlier: VReg, later: VReg) -> u32 {
    let are_unlike = before.is_phi_of(earlier, cuts.0) != after.is_phi_of(later, cuts.1);
    let is_other_type = before.function.type_of(earlier) != after.function.type_of(later);
    4 * u32::from(are_unlike) + 2 * u32::from(is_other_type) + u32::from(earlier != later)
}
