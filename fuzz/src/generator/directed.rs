//! Operations aimed at one selection rule: its pattern is written out, with immediates at the edge of what it accepts.
//!
//! Rules of the legalizer may bring the operation to another form first, so an aim is no promise. Where the pattern
//! needs something that no value is, nothing is written.

use super::floats::{self, DrawnNumber};
use super::{Entry, Generator};
use arbitrary::Result;
use tribunal_ir::opcode::{Poison, TypeClass, TypeSource};
use tribunal_ir::types::S1;
use tribunal_ir::{
    Bits, Family, FloatFormat, FloatPredicate, IntPredicate, Opcode, Operand, OperandKind, RegBank, Type, VReg,
};
use tribunal_target::selection::{Condition, ImmClass, Pat, Pattern, SelectionRule, Types};

/// Constants that are tried for an immediate.
const TRIES: u32 = 6;

impl Generator<'_, '_, '_> {
    /// An operation that the rule drawn may select; `None` if its pattern is about more than values.
    pub(super) fn directed(&mut self) -> Result<Option<Entry>> {
        let rule: &'static SelectionRule = self.u.choose(self.target.selection)?;
        let fits = is_of_values(&rule.pattern) && self.may_have(&rule.pattern);
        if !self.is_enabled(rule) || !fits {
            return Ok(None);
        }
        let register = self.register_type();
        let ty = self.fitting(rule.pattern.ty, register)?;
        self.written_out(&rule.pattern, ty)
    }

    /// True unless a program without numbers of floating point would have them, or a strict one others than it may.
    fn may_have(&self, pattern: &Pattern) -> bool {
        let opcode = pattern.opcode;
        let is_other = if self.policy.strict { opcode.assumes_environment() } else { opcode.sees_environment() };
        let mut inner = pattern.operands.iter();
        !(is_other || opcode.is_float() && !self.policy.floats)
            && inner.all(|pat| if let Pat::Op(inner) = pat { self.may_have(inner) } else { true })
    }

    /// A condition that a rule of a branch may take; `None` if the rule drawn is none.
    pub(super) fn directed_condition(&mut self) -> Result<Option<VReg>> {
        let branches = self.target.selection.iter().filter(|rule| rule.pattern.opcode == Opcode::G_BRCOND);
        let conditions = branches.filter(|rule| self.is_enabled(rule)).filter_map(|rule| match rule.pattern.operands {
            [Pat::Op(condition), ..] if is_of_values(condition) && !is_of_numbers(condition) => Some(*condition),
            _ => None,
        });
        let conditions: Vec<&'static Pattern> = conditions.collect();
        if conditions.is_empty() {
            return Ok(None);
        }
        let pattern = *self.u.choose(&conditions)?;
        if pattern.opcode != Opcode::G_ICMP {
            return Ok(None);
        }
        Ok(self.written_out(pattern, S1)?.filter(|entry| entry.deterministic).map(|entry| entry.register))
    }

    /// A scalar among `types`; where any will do, mostly the usual one.
    pub(super) fn fitting(&mut self, types: Types, usual: Type) -> Result<Type> {
        Ok(match types {
            Types::Bits(bits) | Types::In(_, bits) => Type::scalar(bits),
            Types::AtMost(bits) => {
                Type::scalar(if self.u.ratio(1, 4)? { self.u.int_in_range(1..=bits)? } else { bits })
            }
            Types::Any => usual,
        })
    }

    /// The instruction of a pattern, with the values and constants that it asks for. A result that a rule asks for in a
    /// register of numbers is read there, so that it is wanted there.
    pub(super) fn written_out(&mut self, pattern: &Pattern, ty: Type) -> Result<Option<Entry>> {
        let Some(number) = self.drawn_out(pattern, ty)? else { return Ok(None) };
        let entry = self.settled(number)?;
        Ok(Some(if self.is_in_numbers(pattern.ty) { self.read_as_number(entry)? } else { entry }))
    }

    /// A value that may be any, in a register of the rule's kind.
    pub(super) fn undefined(&mut self, types: Types, ty: Type) -> Result<Entry> {
        let register = self.builder.build(ty, Opcode::G_IMPLICIT_DEF, []);
        let entry = Entry { register, ty, deterministic: false };
        if self.is_in_numbers(types) { self.read_as_number(entry) } else { Ok(entry) }
    }

    /// True if the rule asks for a register of another kind than that of integers.
    fn is_in_numbers(&self, types: Types) -> bool {
        matches!(types, Types::In(bank, _) if bank != RegBank(0))
    }

    fn drawn_out(&mut self, pattern: &Pattern, ty: Type) -> Result<Option<DrawnNumber>> {
        let (opcode, Some(info)) = (pattern.opcode, pattern.opcode.info()) else { return Ok(None) };
        let compared = self.compared(pattern, ty)?;
        let mut operands = Vec::new();
        match (opcode, pattern.predicate) {
            (Opcode::G_ICMP, Some(Condition::Int(predicate))) => operands.push(Operand::Predicate(predicate)),
            (Opcode::G_ICMP, _) => operands.push(Operand::Predicate(*self.u.choose(&IntPredicate::ALL)?)),
            (Opcode::G_FCMP, Some(Condition::Float(predicate))) => operands.push(Operand::FloatPredicate(predicate)),
            (Opcode::G_FCMP, _) => operands.push(Operand::FloatPredicate(*self.u.choose(&FloatPredicate::ALL)?)),
            _ => {}
        }
        let mut deterministic = !floats::chooses_zeros(opcode);
        let mut is_any_nan = floats::makes_nans(opcode, info);
        let first = info.defs.len() + operands.len();
        for (place, pat) in pattern.operands.iter().enumerate() {
            let Some(own) = operand_type(opcode, first + place, ty, compared) else { return Ok(None) };
            let Some((operand, number)) = self.matching(pattern, (first + place, pat), own)? else { return Ok(None) };
            deterministic &= number.is_none_or(|number| number.entry.deterministic);
            is_any_nan |= number.is_some_and(|number| number.is_any_nan) && !opcode.is_comparison();
            operands.push(operand);
        }
        let ty = match opcode.family() {
            Some(Family::Comparison) => S1,
            Some(Family::Pointer) => self.pointer_type(),
            _ => ty,
        };
        let entry = Entry { register: self.builder.build(ty, opcode, operands), ty, deterministic };
        let entry = if ty.is_pointer() { self.as_number(entry) } else { entry };
        Ok(Some(DrawnNumber { entry, is_any_nan }))
    }

    /// A constant of this class that the rule selects; `None` if none is found.
    pub(super) fn constant_of(&mut self, rule: &SelectionRule, class: &ImmClass, ty: Type) -> Result<Option<Entry>> {
        let taken = self.classes_before(rule);
        let accepts = |value: Bits| (class.accepts)(value) && !taken.iter().any(|before| (before.accepts)(value));
        let Some(format) = FloatFormat::of_width(ty.bits()).filter(|_| rule.pattern.opcode == Opcode::G_FCONSTANT)
        else {
            let value = self.accepted(&accepts, ty, 0)?;
            let register = |value| self.builder.constant(ty, value);
            return Ok(value.map(register).map(|register| Entry { register, ty, deterministic: true }));
        };
        let mut number = self.edge_at_visit(&accepts, ty, 0);
        for _ in 0..TRIES {
            if number.is_some() {
                break;
            }
            let (drawn, places) = (self.number_bits(format)?, self.u.int_in_range(0..=ty.bits() - 1)?);
            let short = drawn.lshr(places).shl(places);
            number = [drawn, short].into_iter().find(|&number| accepts(number));
        }
        let Some(number) = number else { return Ok(None) };
        let register = self.constant_number(format, number);
        self.read_as_number(Entry { register, ty, deterministic: true }).map(Some)
    }

    /// The classes of the constants that rules before this one take.
    fn classes_before(&self, rule: &SelectionRule) -> Vec<&'static ImmClass> {
        let before = self.target.selection.iter().take_while(|other| other.name != rule.name);
        let alike = |other: &&SelectionRule| {
            self.is_enabled(other) && (other.pattern.opcode, other.pattern.ty) == (rule.pattern.opcode, rule.pattern.ty)
        };
        before.filter(alike).filter_map(|other| constant_class(&other.pattern)).collect()
    }

    /// The type that a comparison, an extension or a truncation reads.
    fn compared(&mut self, pattern: &Pattern, ty: Type) -> Result<Type> {
        // Numbers of floating point have twice or half of the bits.
        let register = match pattern.opcode {
            Opcode::G_FPEXT => Type::scalar(ty.bits() / 2),
            Opcode::G_FPTRUNC | Opcode::G_TRUNC => Type::scalar(2 * ty.bits()),
            Opcode::G_FCOPYSIGN => ty,
            _ => self.register_type(),
        };
        let named = pattern.operands.iter().find_map(|pat| match pat {
            Pat::RegOf(_, types) => Some(*types),
            Pat::Op(inner) if inner.opcode.family() != Some(Family::Truncation) => Some(inner.ty),
            _ => None,
        });
        // The type of a comparison's pattern is that of the operands.
        let own = if pattern.opcode.is_comparison() { pattern.ty } else { Types::Any };
        self.fitting(named.unwrap_or(own), register)
    }

    /// An operand that the pattern of one accepts; `None` if there is none among values.
    fn matching(
        &mut self,
        pattern: &Pattern,
        (index, pat): (usize, &Pat),
        ty: Type,
    ) -> Result<Option<(Operand, Option<DrawnNumber>)>> {
        let opcode = pattern.opcode;
        let is_amount = index == 2 && opcode.info().is_some_and(|info| info.poison.contains(Poison::AMOUNT));
        let is_imm = opcode.info().is_some_and(|info| info.immediate_at(index).is_some());
        let is_condition = opcode == Opcode::G_SELECT && index == 1;
        let is_float =
            opcode.info().and_then(|info| info.operands().nth(index)?.type_class()) == Some(TypeClass::Float);
        let (mut is_any_nan, is_number) = (false, self.is_in_numbers(pattern.ty) && !is_condition);
        let entry = match pat {
            Pat::RegOf(_, types) if self.is_in_numbers(*types) => self.in_register_of_numbers(ty, false)?,
            Pat::Reg(_) if is_number && opcode != Opcode::G_TRUNC => self.in_register_of_numbers(ty, false)?,
            Pat::Reg(_) | Pat::RegOf(..) if is_float => self.any_number(ty)?.entry,
            Pat::Reg(_) | Pat::RegOf(..) if is_amount => {
                let amount = self.value(ty, true)?;
                Entry { register: self.amount_below(amount, ty.bits()), ..amount }
            }
            Pat::Reg(_) | Pat::RegOf(..) => self.value(ty, false)?,
            Pat::Imm(_, class) => {
                let Some(constant) = self.accepted(&class.accepts, ty, if is_amount { ty.bits() } else { 0 })? else {
                    return Ok(None);
                };
                if is_imm {
                    let value = constant.to_i64().filter(|&bits| (1..i64::from(ty.bits())).contains(&bits));
                    return Ok(value.map(|value| (Operand::Imm(value), None)));
                }
                Entry { register: self.builder.constant(ty, constant), ty, deterministic: true }
            }
            Pat::Op(inner) if is_of_values(inner) => match self.drawn_out(inner, ty)? {
                Some(number) if number.entry.ty == ty && floats::tells_nans(opcode) => self.settled(number)?,
                Some(number) if number.entry.ty == ty => {
                    is_any_nan = number.is_any_nan;
                    number.entry
                }
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        let is_pointer =
            opcode.info().and_then(|info| info.operands().nth(index)).is_some_and(|kind| kind.must_be_pointer());
        let register = match is_pointer {
            true => self.builder.op(self.pointer_type(), Opcode::G_INTTOPTR, &[entry.register]),
            false => entry.register,
        };
        Ok(Some((Operand::used(register), Some(DrawnNumber { entry, is_any_nan }))))
    }

    /// In every other visit of a goal, an edge of the accepted constants; below `limit` unless that is 0.
    fn edge_at_visit(&self, accepts: &dyn Fn(Bits) -> bool, ty: Type, limit: u32) -> Option<Bits> {
        let visit = self.visit.filter(|visit| visit.is_multiple_of(2))?;
        let edges = edges(accepts, ty.bits(), limit);
        (!edges.is_empty()).then(|| edges[visit as usize / 2 % edges.len()])
    }

    /// An accepted constant, at an edge if one is found; below `limit` unless that is 0.
    fn accepted(&mut self, accepts: &dyn Fn(Bits) -> bool, ty: Type, limit: u32) -> Result<Option<Bits>> {
        let mut found = self.edge_at_visit(accepts, ty, limit);
        if found.is_some() {
            return Ok(found);
        }
        for _ in 0..TRIES {
            let drawn = match limit {
                0 => self.constant_value(ty.bits())?,
                _ => Bits::new(self.u.int_in_range(0..=limit - 1)?.into(), ty.bits()),
            };
            let one = Bits::new(1, ty.bits());
            let places = self.u.int_in_range(0..=ty.bits() - 1)?;
            let near = [drawn, drawn.add(one), drawn.sub(one), drawn.lshr(places), drawn.shl(places)];
            let accepts = |value: &Bits| accepts(*value) && (limit == 0 || value.unsigned() < limit.into());
            let Some(&value) = near.iter().find(|value| accepts(value)) else { continue };
            let is_edge = near.iter().any(|value| !accepts(value));
            found = Some(value);
            if is_edge {
                break;
            }
        }
        Ok(found)
    }
}

/// The type of the operand at `index`: that of the result, or the one compared, by the opcode's row.
fn operand_type(opcode: Opcode, index: usize, ty: Type, compared: Type) -> Option<Type> {
    let info = opcode.info()?;
    let kind = info.operands().nth(index)?;
    match (kind.type_index(), opcode.family()) {
        (None, _) | (Some(0), _) if !opcode.is_comparison() => Some(ty),
        (Some(_), Some(Family::Shift | Family::Rotation | Family::Funnel | Family::Pointer)) => Some(ty),
        (Some(_), Some(Family::ZeroCount | Family::Population)) => Some(ty),
        (Some(_), Some(Family::Selection)) => Some(S1),
        (Some(_), Some(Family::Extension)) if compared.bits() < ty.bits() => Some(compared),
        (Some(_), _) if matches!(opcode, Opcode::G_ICMP | Opcode::G_FCMP) => Some(compared),
        (Some(1), _) if opcode.is_float() => Some(compared),
        (Some(_), Some(Family::Truncation)) if compared.bits() > ty.bits() => Some(compared),
        _ => None,
    }
}

/// The accepted constants beside one that is not accepted, below `limit` unless that is 0.
fn edges(accepts: &dyn Fn(Bits) -> bool, bits: u32, limit: u32) -> Vec<Bits> {
    let one = Bits::new(1, bits);
    let powers = (0..bits).map(|bit| Bits::one_bit(bit, bits));
    let around = powers.flat_map(|power| [power, power.not()]).chain([Bits::zero(bits)]);
    let around = around.flat_map(|value| [value.sub(one), value, value.add(one)]);
    let accepts = |value: &Bits| accepts(*value) && (limit == 0 || value.unsigned() < limit.into());
    let is_edge = |value: &Bits| accepts(value) && !(accepts(&value.sub(one)) && accepts(&value.add(one)));
    let mut edges: Vec<Bits> = around.filter(is_edge).collect();
    edges.sort_unstable_by_key(|value| value.unsigned());
    edges.dedup();
    edges
}

/// True for a pattern of arithmetic on addresses, whose other operands are values.
pub(super) fn is_of_addresses(pattern: &Pattern) -> bool {
    pattern.opcode.family() == Some(Family::Pointer)
        && pattern.operands.iter().all(|pat| match pat {
            Pat::Op(inner) => is_of_values(inner),
            pat => matches!(pat, Pat::Reg(_) | Pat::RegOf(..) | Pat::Imm(..)),
        })
}

/// Poison that the operands drawn do not make: amounts are masked, and a condition is a value like any other.
const MASKABLE: Poison = Poison::AMOUNT.union(Poison::CONDITION);

/// True for a pattern of operations on numbers that are defined whatever the operands, but for amounts.
pub(super) fn is_of_values(pattern: &Pattern) -> bool {
    let Some(info) = pattern.opcode.info() else { return false };
    let is_total = info.undefined.is_empty() && info.accesses.is_none() && MASKABLE.contains(info.poison);
    let reads_numbers = info.uses.iter().any(|kind| kind.type_index().is_some())
        && info.types.into_iter().all(|source| !matches!(source, TypeSource::Last))
        && !info.operands().any(|kind| kind.must_be_pointer() || kind == OperandKind::MORE);
    let on_numbers = || crate::opcodes::ON_NUMBERS.contains(&pattern.opcode) || pattern.opcode.sees_environment();
    let is_written = crate::opcodes::is_known(pattern.opcode) || on_numbers();
    info.defs.len() == 1 && is_total && reads_numbers && is_written
}

/// True if the rule is about numbers of floating point.
fn is_of_numbers(pattern: &Pattern) -> bool {
    pattern.opcode.is_float()
        || pattern.operands.iter().any(|pat| matches!(pat, Pat::Op(inner) if is_of_numbers(inner)))
}

/// The class of a pattern of constants.
pub(super) fn constant_class(pattern: &Pattern) -> Option<&'static ImmClass> {
    match pattern.operands {
        [Pat::Imm(_, class)] if matches!(pattern.opcode, Opcode::G_CONSTANT | Opcode::G_FCONSTANT) => Some(class),
        _ => None,
    }
}

/// The size of the number that the pattern loads or stores.
pub(super) fn number_in_memory(pattern: &Pattern) -> Option<Type> {
    match pattern.ty {
        Types::In(_, bits) if matches!(pattern.opcode, Opcode::G_LOAD | Opcode::G_STORE) => Some(Type::scalar(bits)),
        _ => None,
    }
}
