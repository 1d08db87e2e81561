//! Goals of the legalizer: for each rule that rewrites an operation on scalars, types on which it decides.
//!
//! The tables are asked, not read: a rule has types here if it answers for them, and where its chain ends in code.

use super::floats::{self, compiles};
use super::{Entry, Generator, WIDEST};
use crate::opcodes;
use arbitrary::Result;
use tribunal_ir::opcode::{IndexTypes, TypeClass};
use tribunal_ir::types::{S16, S32, S64, S128};
use tribunal_ir::{Family, Opcode, OpcodeInfo, Type};
use tribunal_target::legality::{Action, LegalityQuery, LegalizeStep, LegalizerInfo};
use tribunal_target::{Features, Target};

/// Widths of the integers that goals try, in bits: those of words and their neighbours. The narrowest come first.
pub(super) const WIDTHS: [u32; 21] =
    [1, 2, 3, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 48, 63, 64, 65, 96, 127, 128, WIDEST];

/// Lists of types kept for a rule: the narrowest, then some of the others whose code is short.
const LISTS: usize = 16;
/// The narrowest ones among them, to which every other visit comes: a rule before it takes least of them.
const NARROWEST: usize = 4;

/// An operation that a rule of the legalizer rewrites, and types on which it decides.
pub(super) struct Rewrite {
    pub rule: &'static str,
    pub opcode: Opcode,
    types: Vec<IndexTypes>,
}

/// The rules that rewrite operations on scalars, in the order of the opcodes.
pub(super) fn found(target: &'static Target, legalizer: &'static LegalizerInfo) -> Vec<Rewrite> {
    rules(target, legalizer).filter(|rewrite| !rewrite.types.is_empty()).collect()
}

/// Names of the rules that rewrite operations on scalars, but none to code that the target has: their chains are
/// refused.
pub fn dead_ends(target: &'static Target, features: Features) -> impl Iterator<Item = &'static str> {
    let rules = rules(target, (target.legality)(features));
    rules.filter(|rewrite| rewrite.types.is_empty()).map(|rewrite| rewrite.rule)
}

fn rules(target: &'static Target, legalizer: &'static LegalizerInfo) -> impl Iterator<Item = Rewrite> {
    let opcodes = opcodes::ON_SCALARS.iter().copied().chain(floats::compiled(legalizer));
    opcodes.flat_map(|opcode| of_opcode(target, legalizer, opcode))
}

fn of_opcode(target: &Target, legalizer: &LegalizerInfo, opcode: Opcode) -> Vec<Rewrite> {
    let mut rewrites: Vec<Rewrite> = Vec::new();
    let lists = opcode.info().map(|info| type_lists(target, info)).unwrap_or_default();
    for types in lists {
        let LegalizeStep { action, rule, .. } =
            legalizer.action(&LegalityQuery::new(opcode, types.iter().copied().flatten()));
        if matches!(action, Action::Legal | Action::Unsupported) {
            continue;
        }
        let place = rewrites.iter().position(|rewrite| rewrite.rule == rule).unwrap_or(rewrites.len());
        if place == rewrites.len() {
            rewrites.push(Rewrite { rule, opcode, types: Vec::new() });
        }
        let kept = &mut rewrites[place].types;
        let is_short = types.iter().flatten().all(|ty| ty.bits() <= target.register_type().bits());
        if (is_short || kept.is_empty()) && compiles(legalizer, opcode, &types) {
            kept.push(types);
        }
    }
    for Rewrite { types, .. } in &mut rewrites {
        let others = types.split_off(types.len().min(NARROWEST));
        let step = others.len().div_ceil(LISTS - NARROWEST).max(1);
        types.extend(others.into_iter().step_by(step));
    }
    rewrites
}

/// The lists of scalar types that the row takes, the narrow ones first.
fn type_lists(target: &Target, info: &OpcodeInfo) -> Vec<IndexTypes> {
    let pointer = Type::Pointer { address_space: 0, bits: target.pointer_bits };
    let choices = |index: usize| -> Vec<Option<Type>> {
        let integers = || WIDTHS.into_iter().map(Type::scalar);
        match info.class_of(index) {
            None => vec![None],
            Some(TypeClass::Float) => [S16, S32, S64, S128].map(Some).to_vec(),
            Some(TypeClass::Index) => vec![Some(Type::scalar(pointer.bits()))],
            Some(_) => integers().chain([pointer]).map(Some).collect(),
        }
    };
    let of_one = |first: Option<Type>| {
        let of_two = move |second: Option<Type>| choices(2).into_iter().map(move |third| [first, second, third]);
        choices(1).into_iter().flat_map(of_two)
    };
    // The runtime library divides values of at most two registers, and there is no promise about a single bit.
    let widest = if info.undefined.is_empty() { WIDEST } else { 2 * target.register_type().bits() };
    let narrowest = if info.family == Family::Assertion { 2 } else { 1 };
    let is_written = |types: &IndexTypes| types[0].is_some_and(|ty| (narrowest..=widest).contains(&ty.bits()));
    let lists = choices(0).into_iter().flat_map(of_one);
    let mut lists: Vec<IndexTypes> = lists.filter(|types| is_written(types) && info.takes(types)).collect();
    lists.sort_by_key(|types| types.iter().flatten().map(|ty| ty.bits()).sum::<u32>());
    lists
}

impl Generator<'_, '_, '_> {
    /// The operation, at one of the types on which the rule decides.
    pub(super) fn rewritten(&mut self, rewrite: &Rewrite, visit: u32) -> Result<()> {
        let (count, turn) = (rewrite.types.len(), visit as usize / 2);
        let types = &rewrite.types[turn % if visit.is_multiple_of(2) { count.min(NARROWEST) } else { count }];
        let Some(info) = rewrite.opcode.info() else { return self.expression() };
        if info.is_float() {
            let entry = self.shown_number(rewrite.opcode, types)?;
            self.scope.push(entry);
            return Ok(());
        }
        if info.family == Family::Assertion {
            let Some(ty) = types[0] else { return self.expression() };
            let source = self.value(ty, false)?;
            let entry = self.promise_by(rewrite.opcode, source)?;
            self.scope.push(entry);
            return Ok(());
        }
        // Of integers they combine away: a number comes from a register of its own, or goes to one.
        let recasts = matches!(info.family, Family::Extension | Family::Truncation) && self.u.arbitrary()?;
        if let Some(ty) = types[1].filter(|ty| recasts && [S16, S32, S64].contains(ty)) {
            let number = self.in_register_of_numbers(ty, false)?;
            self.scope.push(number);
        }
        self.on_types(rewrite.opcode, info, types)?;
        match self.scope.last() {
            Some(&result) if recasts && self.has_arithmetic(result.ty) => {
                let read = self.read_as_number(result)?;
                self.scope.push(read);
            }
            _ => {}
        }
        Ok(())
    }

    /// A quotient or a remainder by a constant. The legalizer writes out the remainder of any width, if the divisor is
    /// small.
    pub(super) fn by_constant(&mut self, opcode: Opcode) -> Result<()> {
        let register = self.register_type().bits();
        let is_wide = opcode == Opcode::G_UREM && self.u.arbitrary()?;
        let bits = match is_wide {
            true => *self.u.choose(&[2 * register + 1, 3 * register, 4 * register])?,
            false => *self.u.choose(&[register / 2, register, register - 1, 2 * register])?,
        };
        let ty = Type::scalar(bits);
        let dividend = self.value(ty, true)?;
        let divisor = match is_wide {
            true => self.builder.constant_i64(ty, self.u.int_in_range(1..=0xfff)?),
            false => self.constant_divisor(ty)?,
        };
        let register = self.builder.op(ty, opcode, &[dividend.register, divisor]);
        self.scope.push(Entry { register, ty, deterministic: true });
        Ok(())
    }
}
