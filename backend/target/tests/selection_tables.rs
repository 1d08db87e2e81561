//! The selection tables of every target are consistent with its instruction and legality tables. Names are unique, and
//! each rule writes operands that its row takes. Every legal arithmetic type has a rule without conditions on its
//! operands.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use std::collections::HashSet;
use tribunal_ir::types::{S32, S64};
use tribunal_ir::{Bits, Family, FloatPredicate, IntPredicate, Opcode, OpcodeFlags, RegClass, Type};
use tribunal_target::instructions::{Extension, ImmRange, OperandDesc};
use tribunal_target::legality::{Action, LegalityQuery, MemDescr};
use tribunal_target::selection::{Emit, ImmClass, Out, Pat, Pattern, SelectionRule, Types};
use tribunal_target::{ALL, Features, Target};

/// Immediate slots that a pattern binds.
fn immediates<'p>(pattern: &'p Pattern, found: &mut Vec<(u8, &'p ImmClass)>) {
    for pat in pattern.operands {
        match pat {
            Pat::Imm(slot, class) => found.push((*slot, class)),
            Pat::Op(inner) => immediates(inner, found),
            Pat::Reg(_) | Pat::RegOf(..) | Pat::Stack(_) | Pat::Label(_) | Pat::Address(..) | Pat::Symbol(..) => {}
            Pat::Intrinsic(_) => {}
        }
    }
}

/// Constants near every limit, at the widths that are legal.
fn constants() -> Vec<Bits> {
    let edges = (0..64).flat_map(|bit| [-1, 0, 1].map(|off| (1i64 << bit).wrapping_add(off)));
    let all: Vec<i64> = edges.flat_map(|value| [value, value.wrapping_neg(), !value]).chain(-70..70).collect();
    all.into_iter().flat_map(|value| [32, 64].map(|width| Bits::from_i64(value, width))).collect()
}

/// The fault of an operand that a rule writes where a row has `desc`.
fn operand_fault(target: &Target, rule: &SelectionRule, desc: &OperandDesc, out: &Out) -> Option<String> {
    let shared = |a: RegClass, b: RegClass| {
        target.class(a).allocatable.iter().any(|member| target.class(b).members.contains(member))
    };
    let mut bound = Vec::new();
    immediates(&rule.pattern, &mut bound);
    let good = match (desc, out) {
        (OperandDesc::Def(class) | OperandDesc::EarlyDef(class), Out::Def(given) | Out::Def2(given)) => given == class,
        (OperandDesc::Def(class) | OperandDesc::EarlyDef(class), Out::DefTemp(_, given)) => shared(*given, *class),
        (OperandDesc::Imm(_), Out::Ordering) => true,
        (OperandDesc::Def(class), Out::PhysDef(register)) => target.class(*class).members.contains(register),
        (OperandDesc::Use(class) | OperandDesc::Base(class), Out::Phys(register)) => {
            target.class(*class).members.contains(register)
        }
        (OperandDesc::Base(_), Out::Stack(_)) => true,
        (OperandDesc::Use(_) | OperandDesc::Base(_) | OperandDesc::Tied { .. }, Out::Reg(_) | Out::Temp(_)) => true,
        (OperandDesc::Imm(range) | OperandDesc::Offset { range, .. }, Out::Const(value)) => range.accepts(*value),
        (OperandDesc::Imm(range) | OperandDesc::Offset { range, .. }, Out::Imm(slot)) => {
            return immediate_fault(&bound, *slot, *range, |value| value.to_i64());
        }
        (OperandDesc::Imm(range) | OperandDesc::Offset { range, .. }, Out::ImmWith(slot, with)) => {
            return immediate_fault(&bound, *slot, *range, |value| Some(with(value)));
        }
        (OperandDesc::Label { .. }, Out::Label(_)) => true,
        (OperandDesc::Symbol | OperandDesc::Imm(_) | OperandDesc::Offset { .. }, Out::Symbol(..)) => true,
        _ => false,
    };
    (!good).then(|| format!("does not fit {desc:?}"))
}

/// A constant that the pattern accepts and the instruction does not take. Hints and extensions in a register carry a
/// size, which the types bound, so only constants of registers are tried against every width.
fn immediate_fault(
    bound: &[(u8, &ImmClass)],
    slot: u8,
    range: ImmRange,
    written: impl Fn(Bits) -> Option<i64>,
) -> Option<String> {
    let Some((_, class)) = bound.iter().find(|(number, _)| *number == slot) else {
        return Some(format!("immediate {slot} is not bound"));
    };
    if class.name == "any" {
        return None;
    }
    let wide = matches!(range, ImmRange::Unsigned(5) | ImmRange::LogicalMask(32));
    let tried = constants().into_iter().filter(|value| !wide || value.width() == 32);
    let narrow = matches!(range, ImmRange::LogicalMask(64));
    let mut tried = tried.filter(|value| !narrow || value.width() == 64).filter(|&value| (class.accepts)(value));
    let wrong = tried.find(|&value| written(value).is_none_or(|value| !range.accepts(value)))?;
    Some(format!("{} accepts {wrong:?}, {range:?} does not take {:?}", class.name, written(wrong)))
}

/// Byte offsets around every limit of an address.
fn offsets() -> impl Iterator<Item = Bits> {
    (-5000..40_000).chain([i64::MIN, i64::MAX]).map(|value| Bits::from_i64(value, 64))
}

fn emit_faults(target: &Target, rule: &SelectionRule, emit: &Emit) -> Vec<String> {
    let Opcode::Target(opcode) = emit.opcode else { return Vec::new() };
    let row = target.instruction(opcode);
    let implicit = |out: &&Out| matches!(out, Out::ImplicitDef(_) | Out::ImplicitUse(_));
    let explicit: Vec<&Out> = emit.operands.iter().filter(|out| !implicit(out)).collect();
    // An address is two operands.
    let mut faults = Vec::new();
    let symbol = explicit.iter().find_map(|out| match out {
        Out::Symbol(_, flags) => Some(*flags),
        _ => None,
    });
    if symbol.is_some_and(|flags| target.fixup(opcode, flags).is_none()) {
        faults.push("no relocation completes it".to_string());
    }
    let mut position = 0;
    for out in explicit {
        match (out, row.operands.get(position)) {
            (Out::Address(slot), Some(OperandDesc::Base(_))) => {
                let class = rule.pattern.operands.iter().find_map(|pat| match pat {
                    Pat::Address(number, class) if number == slot => Some(class),
                    _ => None,
                });
                let fits = |value: &Bits| target.offset_fits(opcode, value.to_i64().unwrap_or(i64::MAX));
                let mut folded = offsets().filter(|value| class.is_some_and(|class| (class.accepts)(*value)));
                faults.extend(folded.find(|value| !fits(value)).map(|value| format!("offset {value} does not fit")));
                position += 1;
            }
            (out, Some(desc)) => faults.extend(operand_fault(target, rule, desc, out)),
            (_, None) => faults.push("too many operands".to_string()),
        }
        position += 1;
    }
    if position != row.operands.len() {
        faults.push(format!("{position} operands of {}", row.operands.len()));
    }
    let defs = emit
        .operands
        .iter()
        .filter_map(|out| if let Out::ImplicitDef(register) = out { Some(*register) } else { None });
    let uses = emit
        .operands
        .iter()
        .filter_map(|out| if let Out::ImplicitUse(register) = out { Some(*register) } else { None });
    if !defs.eq(row.implicit_defs.iter().copied()) || !uses.eq(row.implicit_uses.iter().copied()) {
        faults.push("implicit registers differ from the row's".to_string());
    }
    faults.into_iter().map(|fault| format!("{}: {}: {fault}", rule.name, row.name)).collect()
}

#[test]
fn names_are_unique() {
    let mut seen = HashSet::new();
    // Targets of one instruction set share a table.
    let tables: HashSet<*const SelectionRule> = ALL.iter().map(|target| target.selection.as_ptr()).collect();
    let first = |table| ALL.iter().find(|target| target.selection.as_ptr() == table);
    for rule in tables.into_iter().filter_map(first).flat_map(|target| target.selection) {
        assert!(seen.insert(rule.name), "{} is the name of two rules", rule.name);
    }
}

#[test]
fn rules_write_what_the_rows_take() {
    let faults: Vec<String> = ALL
        .iter()
        .flat_map(|target| target.selection.iter().map(move |rule| (target, rule)))
        .flat_map(|(target, rule)| rule.emit.iter().flat_map(move |emit| emit_faults(target, rule, emit)))
        .collect();
    assert!(faults.is_empty(), "{} faults: {:#?}", faults.len(), &faults[..faults.len().min(30)]);
}

#[test]
fn rules_ask_for_what_their_instructions_require() {
    for (target, rule) in ALL.iter().flat_map(|target| target.selection.iter().map(move |rule| (target, rule))) {
        for emit in rule.emit {
            let Opcode::Target(opcode) = emit.opcode else { continue };
            let row = target.instruction(opcode);
            let missing = row.requires - rule.requires;
            assert!(missing.is_empty(), "{} writes {}, which needs {missing:?}", rule.name, row.name);
        }
    }
}

/// The width from which in-register extensions are queried.
const FROM: u128 = 32;

/// True if the rule takes any operands of these types: the described type is the result's, or that of the compared
/// values.
fn is_plain(rule: &SelectionRule, ty: Type) -> bool {
    let fits = match rule.pattern.ty {
        Types::Any => true,
        Types::Bits(bits) | Types::In(_, bits) => bits == ty.bits(),
        Types::AtMost(bits) => ty.bits() <= bits,
    };
    let asks_nothing = |pat: &Pat| match pat {
        // An in-register extension is queried at one width only.
        Pat::Imm(_, class) if rule.pattern.opcode == Opcode::G_SEXT_INREG => (class.accepts)(Bits::new(FROM, 64)),
        Pat::Imm(_, class) => class.name == "any",
        Pat::Op(_) | Pat::Intrinsic(_) => false,
        Pat::Reg(_) | Pat::RegOf(..) | Pat::Stack(_) | Pat::Label(_) | Pat::Address(..) | Pat::Symbol(..) => true,
    };
    fits && rule.pattern.operands.iter().all(asks_nothing)
}

/// True if a plain rule selects the operation; of a comparison, one for each predicate.
fn is_covered(target: &Target, features: Features, opcode: Opcode, ty: Type) -> bool {
    let usable = |rule: &&SelectionRule| features.contains(rule.requires);
    let plain =
        || target.selection.iter().filter(usable).filter(|rule| rule.pattern.opcode == opcode && is_plain(rule, ty));
    let predicates: HashSet<_> = plain().map(|rule| rule.pattern.predicate).collect();
    let all = if opcode == Opcode::G_FCMP { FloatPredicate::ALL.len() } else { IntPredicate::ALL.len() };
    predicates.contains(&None) || predicates.len() == all
}

#[test]
fn every_legal_operation_has_a_plain_rule() {
    let mut missing = Vec::new();
    let sets = ALL.iter().flat_map(|target| {
        [target.default_features, target.default_features | target.all_options()].map(|f| (target, f))
    });
    for (target, features) in sets {
        let legality = (target.legality)(features);
        for opcode in legality.opcodes() {
            let Some(info) = opcode.info() else { continue };
            let accesses = info.flags.intersects(OpcodeFlags::LOAD | OpcodeFlags::STORE);
            // No query names an intrinsic: selection refuses those without a rule.
            let unnamed = matches!(opcode, Opcode::G_PHI | Opcode::COPY) || info.family == Family::Intrinsic;
            if accesses || unnamed {
                continue;
            }
            let pointer = Type::Pointer { address_space: 0, bits: target.pointer_bits };
            for first in [S32, S64, pointer] {
                for second in [S32, S64, pointer] {
                    let query =
                        LegalityQuery { immediate: Some(FROM as i64), ..LegalityQuery::new(opcode, [first, second]) };
                    let compares = info.family == Family::Comparison;
                    let described = if compares { second } else { first };
                    let legal = legality.action(&query).action == Action::Legal;
                    if legal && !is_covered(target, features, opcode, described) {
                        missing.push(format!("{} {opcode} {first} {second}", target.name));
                    }
                }
            }
        }
    }
    missing.dedup();
    assert!(missing.is_empty(), "legal, and no rule selects it: {missing:#?}");
}

/// A load or store becomes an instruction of its size and sign, which is legal at the alignment that it requires and at
/// no less.
#[test]
fn accesses_are_what_the_pattern_says() {
    let accesses = [Opcode::G_LOAD, Opcode::G_ZEXTLOAD, Opcode::G_SEXTLOAD, Opcode::G_STORE];
    let mut checked = 0;
    for (target, rule) in ALL.iter().flat_map(|target| target.selection.iter().map(move |rule| (target, rule))) {
        let (Some(bits), true) = (rule.pattern.memory_bits, accesses.contains(&rule.pattern.opcode)) else { continue };
        let rows = rule.emit.iter().filter_map(|emit| match emit.opcode {
            Opcode::Target(opcode) => Some(target.instruction(opcode)),
            _ => None,
        });
        for (row, access) in rows.filter_map(|row| Some((row, row.access?))) {
            assert_eq!(access.bits(), bits, "{} writes {}", rule.name, row.name);
            let value = row.operands[0].class().map(|class| target.class(class).bits);
            let narrow = value.is_some_and(|value| bits < value);
            match rule.pattern.opcode {
                Opcode::G_SEXTLOAD => assert_eq!(access.extension, Extension::Sign, "{}", rule.name),
                Opcode::G_ZEXTLOAD if narrow => assert_eq!(access.extension, Extension::Zero, "{}", rule.name),
                _ => {}
            }
            let p = Type::Pointer { address_space: 0, bits: target.pointer_bits };
            let value = Type::scalar(value.unwrap_or(0));
            let legal_at = |align: u32| {
                let ordering = rule.pattern.ordering.0[0];
                let memory = smallvec::smallvec![MemDescr { ordering, ..MemDescr::plain(Type::scalar(bits), align) }];
                let query = LegalityQuery { memory, ..LegalityQuery::new(rule.pattern.opcode, [value, p]) };
                (target.legality)(target.default_features).action(&query).action == Action::Legal
            };
            let (align, needs) = (8 * u32::from(access.align), row.requires);
            if target.default_features.contains(needs) && legal_at(bits) {
                assert!(legal_at(align) && !legal_at(align / 2), "{} at {align} bits: {}", rule.name, row.name);
                checked += 1;
            }
        }
    }
    assert!(checked > 50, "{checked} accesses");
}
