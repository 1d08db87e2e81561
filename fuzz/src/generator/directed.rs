//! Operations aimed at one selection rule: its pattern is written out, with immediates at the edge of what it accepts.
//!
//! Rules of the legalizer may bring the operation to another form first, so an aim is no promise. Where the pattern
//! needs something that no value is, nothing is written.

use super::{Entry, Generator};
use arbitrary::Result;
use tribunal_ir::opcode::{Poison, TypeSource};
use tribunal_ir::types::S1;
use tribunal_ir::{Bits, Family, IntPredicate, Opcode, Operand, OperandKind, Type, VReg};
use tribunal_target::selection::{Condition, ImmClass, Pat, Pattern, SelectionRule, Types};

/// Constants that are tried for an immediate.
const TRIES: u32 = 6;

impl Generator<'_, '_, '_> {
    /// An operation that the rule drawn may select; `None` if its pattern is about more than values.
    pub(super) fn directed(&mut self) -> Result<Option<Entry>> {
        let rule: &'static SelectionRule = self.u.choose(self.target.selection)?;
        if !self.is_enabled(rule) || !is_of_values(&rule.pattern) {
            return Ok(None);
        }
        let register = self.register_type();
        let ty = self.fitting(rule.pattern.ty, register)?;
        self.written_out(&rule.pattern, ty)
    }

    /// A condition that a rule of a branch may take; `None` if the rule drawn is none.
    pub(super) fn directed_condition(&mut self) -> Result<Option<VReg>> {
        let branches = self.target.selection.iter().filter(|rule| rule.pattern.opcode == Opcode::G_BRCOND);
        let conditions = branches.filter(|rule| self.is_enabled(rule)).filter_map(|rule| match rule.pattern.operands {
            [Pat::Op(condition), ..] if is_of_values(condition) => Some(*condition),
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

    /// The instruction of a pattern, with the values and constants that it asks for.
    pub(super) fn written_out(&mut self, pattern: &Pattern, ty: Type) -> Result<Option<Entry>> {
        let (opcode, Some(info)) = (pattern.opcode, pattern.opcode.info()) else { return Ok(None) };
        let compared = self.compared(pattern)?;
        let mut operands = Vec::new();
        let mut deterministic = true;
        if opcode == Opcode::G_ICMP {
            let predicate = match pattern.predicate {
                Some(Condition::Int(predicate)) => predicate,
                Some(Condition::Float(_)) => return Ok(None),
                None => *self.u.choose(&IntPredicate::ALL)?,
            };
            operands.push(Operand::Predicate(predicate));
        }
        let first = info.defs.len() + operands.len();
        for (place, pat) in pattern.operands.iter().enumerate() {
            let Some(own) = operand_type(opcode, first + place, ty, compared) else { return Ok(None) };
            let Some((operand, entry)) = self.matching(opcode, (first + place, pat), own)? else { return Ok(None) };
            deterministic &= entry.is_none_or(|entry| entry.deterministic);
            operands.push(operand);
        }
        let ty = match opcode.family() {
            Some(Family::Comparison) => S1,
            Some(Family::Pointer) => self.pointer_type(),
            _ => ty,
        };
        let entry = Entry { register: self.builder.build(ty, opcode, operands), ty, deterministic };
        Ok(Some(if ty.is_pointer() { self.as_number(entry) } else { entry }))
    }

    /// The type that a comparison, an extension or a truncation reads.
    fn compared(&mut self, pattern: &Pattern) -> Result<Type> {
        let register = self.register_type();
        let named = pattern.operands.iter().find_map(|pat| match pat {
            Pat::RegOf(_, types) => Some(*types),
            Pat::Op(inner) if inner.opcode.family() != Some(Family::Truncation) => Some(inner.ty),
            _ => None,
        });
        self.fitting(named.unwrap_or(Types::Any), register)
    }

    /// An operand that the pattern of one accepts; `None` if there is none among values.
    fn matching(
        &mut self,
        opcode: Opcode,
        (index, pat): (usize, &Pat),
        ty: Type,
    ) -> Result<Option<(Operand, Option<Entry>)>> {
        let is_amount = index == 2 && opcode.info().is_some_and(|info| info.poison.contains(Poison::AMOUNT));
        let is_imm = opcode.info().is_some_and(|info| info.immediate_at(index).is_some());
        let entry = match pat {
            Pat::Reg(_) | Pat::RegOf(..) if is_amount => {
                let amount = self.value(ty, true)?;
                Entry { register: self.amount_below(amount, ty.bits()), ..amount }
            }
            Pat::Reg(_) | Pat::RegOf(..) => self.value(ty, false)?,
            Pat::Imm(_, class) => {
                let Some(constant) = self.accepted(class, ty, if is_amount { ty.bits() } else { 0 })? else {
                    return Ok(None);
                };
                if is_imm {
                    let value = constant.to_i64().filter(|&bits| (1..i64::from(ty.bits())).contains(&bits));
                    return Ok(value.map(|value| (Operand::Imm(value), None)));
                }
                Entry { register: self.builder.constant(ty, constant), ty, deterministic: true }
            }
            Pat::Op(inner) if is_of_values(inner) => match self.written_out(inner, ty)? {
                Some(entry) if entry.ty == ty => entry,
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
        Ok(Some((Operand::used(register), Some(entry))))
    }

    /// A constant of a class, at its edge if one is found; below `limit` unless that is 0.
    fn accepted(&mut self, class: &ImmClass, ty: Type, limit: u32) -> Result<Option<Bits>> {
        if let Some(visit) = self.visit.filter(|visit| visit.is_multiple_of(2)) {
            let edges = edges(class, ty.bits(), limit);
            if !edges.is_empty() {
                return Ok(Some(edges[visit as usize / 2 % edges.len()]));
            }
        }
        let mut found = None;
        for _ in 0..TRIES {
            let drawn = match limit {
                0 => self.constant_value(ty.bits())?,
                _ => Bits::new(self.u.int_in_range(0..=limit - 1)?.into(), ty.bits()),
            };
            let one = Bits::new(1, ty.bits());
            let near = [drawn, drawn.add(one), drawn.sub(one)];
            let accepts = |value: &Bits| (class.accepts)(*value) && (limit == 0 || value.unsigned() < limit.into());
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
        (None, _) | (Some(0), _) if opcode != Opcode::G_ICMP => Some(ty),
        (Some(_), Some(Family::Shift | Family::Rotation | Family::Funnel | Family::Pointer)) => Some(ty),
        (Some(_), Some(Family::ZeroCount | Family::Population)) => Some(ty),
        (Some(_), Some(Family::Selection)) => Some(S1),
        (Some(_), Some(Family::Extension)) if compared.bits() < ty.bits() => Some(compared),
        (Some(_), _) if opcode == Opcode::G_ICMP => Some(compared),
        (Some(_), Some(Family::Truncation)) => Some(Type::scalar(2 * ty.bits())),
        _ => None,
    }
}

/// The constants of a class beside one that it does not accept, below `limit` unless that is 0.
fn edges(class: &ImmClass, bits: u32, limit: u32) -> Vec<Bits> {
    let one = Bits::new(1, bits);
    let powers = (0..bits).map(|bit| Bits::one_bit(bit, bits));
    let around = powers.flat_map(|power| [power, power.not()]).chain([Bits::zero(bits)]);
    let around = around.flat_map(|value| [value.sub(one), value, value.add(one)]);
    let accepts = |value: &Bits| (class.accepts)(*value) && (limit == 0 || value.unsigned() < limit.into());
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

/// True for a pattern of operations on numbers that are defined whatever the operands, but for amounts.
pub(super) fn is_of_values(pattern: &Pattern) -> bool {
    let Some(info) = pattern.opcode.info() else { return false };
    let is_total = info.undefined.is_empty() && info.accesses.is_none() && Poison::AMOUNT.contains(info.poison);
    let reads_numbers = info.uses.iter().any(|kind| kind.type_index().is_some())
        && info.types.into_iter().all(|source| !matches!(source, TypeSource::Last))
        && !info.operands().any(|kind| kind.must_be_pointer() || kind == OperandKind::MORE);
    info.defs.len() == 1 && is_total && reads_numbers && crate::opcodes::is_known(pattern.opcode)
}
