//! Numbers that an instruction of the machine computes just as an operation of the earlier side does.
//!
//! The NaN that an operation makes is a choice of the earlier side: of its sign, and of its fraction. Let an
//! instruction of the machine have the same operands, and let it refine the operation whatever they are. Then its
//! number is the operation's for one choice, and that choice is taken: the instruction's number becomes the operation's
//! own term. So a chain of operations is one term on both sides, whose NaNs no output needs to show.
//!
//! Invariant: a choice that is taken belongs to one instruction, and nothing else resolves it: neither the outputs nor
//! an operation of the later side that chooses too. Another instruction of the same operands may make another NaN, as
//! one does that looks at them in another order.

use super::machine_promises::LICENCES;
use super::side::{Side, SideEvaluation, SideState};
use super::term::Term;
use super::{Prover, Verdict};
use std::cell::RefCell;
use tribunal_ir::semantics::walk;
use tribunal_ir::{
    FloatFormat, Function, InstData, InstFlags, Opcode, Operand, Reg, RegFlags, RegOperand, Stage, Step, Type, VReg,
};
use tribunal_target::Target;

/// An operation of the earlier side that chooses its NaN.
#[derive(Clone)]
pub(super) struct OpenNumber {
    opcode: Opcode,
    ty: Type,
    operands: Vec<(Type, Term)>,
    /// Sign and fraction.
    choices: [Term; 2],
    bits: Term,
}

/// An instruction of the machine that computes a number.
#[derive(PartialEq)]
pub(super) struct MachineNumber {
    opcode: Opcode,
    immediates: Vec<i64>,
    operands: Vec<Term>,
}

/// Choices of an operation, and the instruction that takes them.
pub(super) struct TakenChoices {
    choices: [Term; 2],
    by: MachineNumber,
}

impl Side {
    /// True for a choice of the earlier side that an instruction of this side takes.
    pub fn takes(&self, choice: Term) -> bool {
        self.taken.iter().any(|taken| taken.choices.contains(&choice))
    }
}

impl SideEvaluation<'_> {
    /// Notes the result of an operation that made these choices, if they are those of its NaN alone.
    pub(super) fn note_open_number(&mut self, side: &mut Side, data: &InstData, choices: &[Term]) {
        let Some((ty, result)) = data.vreg(0).and_then(|register| self.scalar(side, register)) else { return };
        let fraction = FloatFormat::of_width(ty.bits()).map(FloatFormat::fraction_bits);
        let &[sign, chosen] = choices else { return };
        let is_nan = self.d.width_of(sign) == 1 && Some(self.d.width_of(chosen)) == fraction;
        let is_strict = data.opcode.sees_environment();
        if !is_nan || is_strict || data.flags.intersects(LICENCES) || !self.is_plain(data) {
            return;
        }
        let Some(operands) = data.vreg_uses().map(|register| self.scalar(side, register)).collect() else { return };
        side.open.push(OpenNumber { opcode: data.opcode, ty, operands, choices: [sign, chosen], bits: result });
    }

    /// The instruction as one that computes a number; `None` for any other.
    pub(super) fn machine_number(&mut self, side: &mut Side, data: &InstData) -> Option<MachineNumber> {
        let Opcode::Target(opcode) = data.opcode else { return None };
        let is_later = self.opaque.as_ref().is_some_and(|opaque| opaque.earlier.is_some());
        if !is_later || !self.target.computes_number(opcode) || !self.is_plain(data) {
            return None;
        }
        let read = |operand: &RegOperand| {
            let value = walk::read(&mut SideState { evaluation: self, side }, operand).ok()?;
            Some(value.bits)
        };
        let operands =
            data.uses().filter(|operand| operand.reg.as_virtual().is_some()).map(read).collect::<Option<_>>()?;
        Some(MachineNumber {
            opcode: data.opcode,
            immediates: data.operands.iter().filter_map(Operand::as_imm).collect(),
            operands,
        })
    }

    /// Notes the result of an instruction of the machine that computes a number: it becomes that of the earlier side's
    /// operation which the instruction refines, if there is one.
    pub(super) fn note_number(&mut self, side: &mut Side, data: &InstData, number: Option<MachineNumber>) {
        let Opcode::Target(opcode) = data.opcode else { return };
        if self.opaque.is_none() || !self.target.computes_number(opcode) {
            return;
        }
        let Some(register) = data.vreg_defs().next() else { return };
        let Some(bits) = side.defined.get(&register).map(|result| result.bits) else { return };
        let same = number.and_then(|number| self.refined(side, data, (number, self.d.width_of(bits))));
        match same {
            Some(same) => _ = side.defined.get_mut(&register).map(|result| result.bits = same),
            None => side.numbers.push(bits),
        }
    }

    /// The number of the earlier side that an instruction computes; its choices are taken. One that nobody took comes
    /// first, since both sides may compute it twice.
    fn refined(&self, side: &mut Side, data: &InstData, (number, width): (MachineNumber, u32)) -> Option<Term> {
        let earlier = self.opaque.as_ref()?.earlier.as_ref()?;
        let has_operands = |open: &&OpenNumber| {
            let is_among = |&(_, term): &(Type, Term)| number.operands.contains(&term);
            let is_operand = |&term: &Term| open.operands.iter().any(|&(_, other)| other == term);
            let same = open.operands.iter().all(is_among) && number.operands.iter().all(is_operand);
            let is_offered = earlier.choices.iter().any(|(_, choice)| open.choices.contains(choice));
            same && open.ty.bits() == width && !is_offered
        };
        let mut candidates: Vec<&OpenNumber> = earlier.numbers.iter().filter(has_operands).collect();
        candidates.sort_by_key(|open| side.takes(open.choices[0]));
        for open in candidates {
            match side.taken.iter().find(|taken| taken.choices == open.choices) {
                Some(taken) if taken.by == number => return Some(open.bits),
                Some(_) => {}
                None if refines(self.target, open, data, &number.operands) => {
                    side.taken.push(TakenChoices { choices: open.choices, by: number });
                    return Some(open.bits);
                }
                None => {}
            }
        }
        None
    }

    /// A register that holds one number, with its type.
    fn scalar(&mut self, side: &mut Side, register: VReg) -> Option<(Type, Term)> {
        let ty = self.function.type_of(register).filter(|ty| !ty.is_vector())?;
        Some((ty, self.read(side, register).bits))
    }

    /// One result of virtual registers that all hold something, in the default environment.
    fn is_plain(&self, data: &InstData) -> bool {
        let is_whole = |operand: &RegOperand| {
            operand.reg.as_virtual().is_none()
                || !operand.flags.contains(RegFlags::UNDEF) && operand.subregister == Default::default()
        };
        data.vreg_defs().count() == 1
            && data.memory.is_empty()
            && !self.function.is_strict()
            && data.operands.iter().filter_map(Operand::as_reg).all(is_whole)
    }
}

/// Whether an instruction with these operands refines the operation, whatever the operands are.
fn refines(target: &Target, open: &OpenNumber, data: &InstData, operands: &[Term]) -> bool {
    let mut function = Function::new("number");
    function.stage = Stage::BankSelected;
    let mut known: Vec<(Term, VReg)> = Vec::new();
    for &(ty, term) in &open.operands {
        if known.iter().all(|&(other, _)| other != term) {
            known.push((term, function.new_vreg(ty)));
        }
    }
    let register = |term| known.iter().find(|&&(other, _)| other == term).map(|&(_, register)| register);
    let result = function.new_vreg(open.ty);
    let Some(sources) = open.operands.iter().map(|&(_, term)| register(term)).collect::<Option<Vec<VReg>>>() else {
        return false;
    };
    let before = InstData::op(open.opcode, result, &sources);
    let mut after = InstData { flags: InstFlags::empty(), ..data.clone() };
    let mut terms = operands.iter();
    for operand in &mut after.operands {
        let Operand::Reg(operand) = operand else { continue };
        if operand.reg.as_virtual().is_none() {
            continue;
        }
        let own = match operand.flags.contains(RegFlags::DEF) {
            true => Some(result),
            false => terms.next().and_then(|&term| register(term)),
        };
        let Some(own) = own else { return false };
        operand.reg = Reg::Virtual(own);
    }
    thread_local! {
        /// The same few questions are asked of every function.
        static PROVER: RefCell<Prover> = RefCell::default();
    }
    let step = Step { rule: "number", function: &function, before: &[before], after: &[after] };
    PROVER.with_borrow_mut(|prover| matches!(prover.judge(target, &step), Verdict::Proved { .. }))
}
