//! A second definition of every opcode on integers, written apart from the first: over numbers as mathematics has them,
//! with no operation of the semantics. Both are compared on all operands of one to four bits, with every set of flags,
//! every predicate and every immediate; on short vectors, by lanes; and with poison in each place. Arithmetic is
//! compared on the widest numbers too. Opcodes of floating point have their second definition in [`floats`].
//!
//! The primitives that all definitions are made of, and the domains that evaluate them, are compared in `domains.rs`.
//!
//! Prover and interpreter read the same definition, so no run shows that one is wrong.

mod atomics;
mod domains;
pub mod floats;
mod meaning;
mod numbers;
mod parts;
mod wide;

pub use meaning::{OperationMeaning, by_lanes, first};

use meaning::on_memory;
use numbers::{IntegerCase, power};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::LazyLock;
use tribunal_ir::bits::Bits;
use tribunal_ir::opcode::{IndexTypes, OpcodeInfo, Poison, TypeClass};
use tribunal_ir::semantics::{Concrete, Value};
use tribunal_ir::types::ElementCount;
use tribunal_ir::{Function, InstData, InstFlags, IntPredicate, Opcode, Operand, OperandKind, Type};

/// The widest operand, in bits.
const WIDEST: u32 = 4;

/// A case on which the definitions differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DefinitionFault {
    /// The opcode; `None` if a domain is wrong, under every opcode.
    pub opcode: Option<Opcode>,
    /// The name of the opcode or of the domain.
    pub subject: String,
    /// The case, and both meanings.
    pub details: String,
}

/// The outcome of the comparison.
#[derive(Default, Debug)]
pub struct DefinitionReport {
    /// Cases compared, and opcodes, on numbers.
    pub scalar: Extent,
    /// The same on vectors.
    pub vector: Extent,
    /// The same on numbers of floating point, and on vectors of them.
    pub float: Extent,
    /// The same on parts of numbers and elements of vectors, which are poison by themselves.
    pub parts: Extent,
    /// Operands on which domains were compared.
    pub domains: u64,
    /// The first difference of each opcode and domain.
    pub faults: Vec<DefinitionFault>,
}

/// The extent of a comparison.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Extent {
    /// Opcodes.
    pub opcodes: u64,
    /// Cases of all of them.
    pub cases: u64,
}

/// Compares the definitions, once in a process.
pub fn check() -> &'static DefinitionReport {
    static REPORT: LazyLock<DefinitionReport> = LazyLock::new(|| compare(&by_lanes));
    &REPORT
}

/// A first definition: an instruction on values, in so many lanes of each result.
type FirstDefinition<'d> = &'d dyn Fn(&Function, &InstData, &[Value<Concrete>], u32) -> OperationMeaning;

fn compare(first: FirstDefinition<'_>) -> DefinitionReport {
    let (cases, wrong) = domains::compare();
    let wrong = wrong.into_iter().map(|(domain, details)| {
        let subject = format!("domain {domain}");
        DefinitionFault { opcode: None, subject, details }
    });
    let mut report = DefinitionReport { domains: cases, faults: wrong.collect(), ..DefinitionReport::default() };
    for &opcode in Opcode::ALL.iter().filter(|opcode| opcode.is_defined()) {
        // A definition that panics is wrong, and the others are still compared.
        let compared = catch_unwind(AssertUnwindSafe(|| of_opcode(opcode, first)));
        let DefinitionReport { scalar, vector, float, parts, faults, .. } = &mut report;
        let fault = match compared {
            Ok(outcomes) => {
                let extents =
                    [None, Some(scalar), Some(vector), Some(float), Some(parts), None, None].into_iter().zip(outcomes);
                extents.fold(None, |fault, (extent, outcome)| match (outcome, extent) {
                    (Ok(cases), Some(extent)) if cases > 0 => {
                        (extent.cases, extent.opcodes) = (extent.cases + cases, extent.opcodes + 1);
                        fault
                    }
                    (Ok(_), _) => fault,
                    (Err(details), _) => fault.or(Some(details)),
                })
            }
            Err(panic) => Some(format!("{opcode}: a panic: {}", message(&*panic))),
        };
        faults.extend(fault.map(|details| {
            let subject = opcode.to_string();
            DefinitionFault { opcode: Some(opcode), subject, details }
        }));
    }
    report
}

/// The cases of one opcode: on poison, on numbers, on vectors of them, of floating point, on parts, on wide numbers, on
/// memory.
fn of_opcode(opcode: Opcode, first: FirstDefinition<'_>) -> [Result<u64, String>; 7] {
    [
        poison_comes_through(opcode, first).map(|()| 0),
        compared(opcode, first),
        compared_by_lanes(opcode, first),
        floats::compared(opcode, first),
        parts::compared(opcode, first),
        wide::compared(opcode).map(|_| 0),
        atomics::compared(opcode, &|function, data, args, memory| on_memory(function, data, args, 1, memory))
            .map(|_| 0),
    ]
}

/// The message of a panic.
fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a message")
}

impl DefinitionReport {
    /// The cases of all.
    pub fn cases(&self) -> u64 {
        self.scalar.cases + self.vector.cases + self.float.cases + self.parts.cases
    }
}

/// Widths of operations that have no narrow form.
const WIDE: [u32; 3] = [64, 32, 16];

/// Widths far apart: amounts may have far more bits than what they are of.
const APART: [[u32; 2]; 2] = [[4, 12], [12, 4]];

/// Types of one to four bits, and of some far apart, that keep the row's rules; wide ones if none does.
fn typings(info: &OpcodeInfo) -> Vec<IndexTypes> {
    let ty = |index: usize, bits: u32| {
        let is_pointer = |class| matches!(class, TypeClass::Pointer | TypeClass::Address);
        info.class_of(index).map(|class| match is_pointer(class) {
            true => Type::Pointer { address_space: 0, bits: bits as u16 },
            false => Type::scalar(bits),
        })
    };
    let mut all: Vec<IndexTypes> = Vec::new();
    let mut add = |bits: [u32; 2]| {
        let types = [ty(0, bits[0]), ty(1, bits[1]), ty(2, bits[0])];
        if !all.contains(&types) && info.rules.iter().all(|rule| rule.holds(&types, None)) {
            all.push(types);
        }
        all.is_empty()
    };
    let narrow = (1..=WIDEST).flat_map(|one| (1..=WIDEST).map(move |two| [one, two]));
    let has_none = narrow.fold(true, |_, bits| add(bits));
    match has_none {
        true => WIDE.into_iter().for_each(|bits| _ = add([bits; 2])),
        false => APART.into_iter().for_each(|bits| _ = add(bits)),
    }
    all
}

/// An instance: the function, the instruction, the widths of its sources.
fn instance(
    opcode: Opcode,
    types: &IndexTypes,
    predicate: IntPredicate,
    immediate: i64,
) -> Option<(Function, InstData, Vec<u32>)> {
    let info = opcode.info()?;
    let (mut function, mut operands, mut widths) = (Function::new("f"), Vec::new(), Vec::new());
    for (place, kind) in info.operands().enumerate() {
        operands.push(match (kind, kind.type_index()) {
            (_, Some(index)) => {
                let ty = types[index]?;
                let register = function.new_vreg(ty);
                if place >= info.defs.len() {
                    widths.push(ty.bits());
                }
                if place < info.defs.len() { Operand::def(register) } else { Operand::used(register) }
            }
            (OperandKind::PRED, _) => Operand::Predicate(predicate),
            (OperandKind::IMM | OperandKind::IMM0, _) => Operand::Imm(immediate),
            _ => return None,
        });
    }
    Some((function, InstData::new(opcode, operands), widths))
}

/// All operands of these widths; corners of wide ones.
fn operands(widths: &[u32]) -> Vec<Vec<(i128, u32)>> {
    widths.iter().fold(vec![Vec::new()], |lists, &width| {
        let all: Vec<i128> = if width > WIDEST { corners(width) } else { (0..power(width)).collect() };
        let more = |list: Vec<(i128, u32)>| {
            let all = all.clone().into_iter();
            all.map(move |value| [list.as_slice(), &[(value, width)]].concat())
        };
        lists.into_iter().flat_map(more).collect()
    })
}

/// Values around each power of two that a half or a byte of the width ends at, small ones, and one without a pattern.
fn corners(width: u32) -> Vec<i128> {
    let ends = [8, width / 2, width].into_iter().flat_map(|bits| [power(bits) / 2, power(bits)]);
    let near = ends.flat_map(|end| [end - 1, end, end + 1]);
    let small = [0, 1, 2, 3, 5, 31, 32, 33];
    let mut all: Vec<i128> =
        near.chain(small).chain([0x1234_5678_9abc_def1]).map(|value| value % power(width)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn immediates(info: &OpcodeInfo, types: &IndexTypes) -> Vec<i64> {
    match info.immediates.first().and_then(|immediate| immediate.range(types)) {
        Some(range) => {
            (*range.start()..=(*range.end()).min(8)).filter(|&value| info.immediates[0].takes(types, value)).collect()
        }
        None => vec![0],
    }
}

/// Compares both definitions of one opcode; the number of cases, none without a second, or the first that differs.
fn compared(opcode: Opcode, first: FirstDefinition<'_>) -> Result<u64, String> {
    let Some(info) = opcode.info() else { return Ok(0) };
    let mut cases = 0;
    let predicates =
        if info.uses.contains(&OperandKind::PRED) { &IntPredicate::ALL[..] } else { &IntPredicate::ALL[..1] };
    for types in typings(info) {
        for (&predicate, immediate) in predicates
            .iter()
            .flat_map(|predicate| immediates(info, &types).into_iter().map(move |imm| (predicate, imm)))
        {
            let Some((function, mut data, widths)) = instance(opcode, &types, predicate, immediate) else {
                return Ok(0);
            };
            for flags in info.inst_flags.intersection(InstFlags::PROMISES).subsets() {
                data.flags = flags;
                for args in operands(&widths) {
                    let by_index = types.map(|ty| ty.map_or(1, Type::bits));
                    let case =
                        IntegerCase { flags, predicate, immediate: immediate.into(), widths: by_index, args: &args };
                    let Some(meant) = case.meant(opcode) else { return Ok(0) };
                    let said = first(&function, &data, &values(&args, None), 1);
                    if said != meant {
                        let types: String = types.iter().flatten().map(|ty| format!(" {ty}")).collect();
                        return Err(format!(
                            "{opcode}{types} {flags:?} {predicate:?} {immediate} on {args:?}: {said:?}, meant {meant:?}"
                        ));
                    }
                    cases += 1;
                }
            }
        }
    }
    Ok(cases)
}

/// The operands as values; the one at `poisoned` is poison.
fn values(args: &[(i128, u32)], poisoned: Option<usize>) -> Vec<Value<Concrete>> {
    let value = |(place, &(value, width)): (usize, &(i128, u32))| {
        Value::new(Bits::new(value as u128, width), poisoned == Some(place))
    };
    args.iter().enumerate().map(value).collect()
}

/// Elements of a vector: their number, and the bits of each.
const LANES: u32 = 2;
const LANE_BITS: u32 = 2;

/// The lanes of a number, each with its width.
fn lanes((value, _): (i128, u32)) -> Vec<(i128, u32)> {
    (0..LANES).map(|lane| (value / power(lane * LANE_BITS) % power(LANE_BITS), LANE_BITS)).collect()
}

/// The meaning of an operation on vectors: that of each lane, the first lane of all results first. It is undefined if
/// one lane is.
fn meant_by_lanes(opcode: Opcode, immediate: i64, args: &[(i128, u32)]) -> Option<OperationMeaning> {
    let args: Vec<Vec<(i128, u32)>> = args.iter().copied().map(lanes).collect();
    let mut all: Vec<Option<i128>> = Vec::new();
    for lane in 0..LANES {
        let own: Vec<(i128, u32)> = args.iter().map(|lanes| lanes[lane as usize]).collect();
        let case = IntegerCase {
            flags: InstFlags::empty(),
            predicate: IntPredicate::Ult,
            immediate: immediate.into(),
            widths: [LANE_BITS; 3],
            args: &own,
        };
        let OperationMeaning::Results(results) = case.meant(opcode)? else { return Some(OperationMeaning::Undefined) };
        // Truth fills a lane.
        let factor = if opcode == Opcode::G_ICMP { power(LANE_BITS) - 1 } else { 1 };
        all.extend(results.into_iter().map(|value| value.map(|value| value * factor)));
    }
    Some(OperationMeaning::Results(all))
}

/// What an operation does to vectors it does to each lane: the number of cases, or the first that differs.
fn compared_by_lanes(opcode: Opcode, first: FirstDefinition<'_>) -> Result<u64, String> {
    let vector = Type::scalar(LANE_BITS).times(ElementCount::fixed(LANES as u16));
    let Some(info) = opcode.info().filter(|info| !info.defs.is_empty()) else { return Ok(0) };
    let types = [0, 1, 2].map(|index| info.class_of(index).and(vector));
    // Carries and conditions have lanes of one bit, and parts of numbers are not counted by lanes.
    let is_of_parts = matches!(opcode, Opcode::G_EXTRACT | Opcode::G_INSERT);
    let is_apart = is_of_parts || opcode == Opcode::G_BITCAST;
    let is_of_bits = info.poison.contains(Poison::CONDITION);
    if is_apart || is_of_bits || !info.takes(&types) || info.operands().any(OperandKind::must_be_pointer) {
        return Ok(0);
    }
    let immediate = immediates(info, &types).last().copied();
    let made =
        immediate.and_then(|immediate| Some((immediate, instance(opcode, &types, IntPredicate::Ult, immediate)?)));
    let Some((immediate, (function, data, widths))) = made else { return Ok(0) };
    let mut cases = 0;
    for args in operands(&widths).into_iter().step_by(if widths.len() > 2 { 7 } else { 1 }) {
        let Some(meant) = meant_by_lanes(opcode, immediate, &args) else { break };
        let said = first(&function, &data, &values(&args, None), LANES);
        if said != meant {
            return Err(format!("{opcode} of vectors on {args:?}: {said:?}, meant {meant:?}"));
        }
        cases += 1;
    }
    Ok(cases)
}

/// A poison operand makes every result poison, or the operation undefined, but where the value does not count. The
/// error is a place where it does not.
fn poison_comes_through(opcode: Opcode, first: FirstDefinition<'_>) -> Result<(), String> {
    let Some(info) = opcode.info() else { return Ok(()) };
    let types = typings(info).into_iter().next_back();
    let immediate = types.and_then(|types| immediates(info, &types).first().copied());
    let made = types.zip(immediate);
    let made = made.and_then(|(types, immediate)| instance(opcode, &types, IntPredicate::Eq, immediate));
    let Some((function, data, widths)) = made else { return Ok(()) };
    let args: Vec<(i128, u32)> = widths.iter().map(|&width| (1, width)).collect();
    let case =
        IntegerCase { flags: data.flags, predicate: IntPredicate::Eq, immediate: 1, widths: [WIDEST; 3], args: &args };
    if widths.is_empty() || case.meant(opcode).is_none() {
        return Ok(());
    }
    for poisoned in 0..widths.len() {
        let said = first(&function, &data, &values(&args, Some(poisoned)), 1);
        let stops = opcode == Opcode::G_FREEZE || opcode == Opcode::G_SELECT && poisoned == 2;
        let comes_through = match &said {
            OperationMeaning::Undefined => true,
            OperationMeaning::Results(results) => results.iter().all(Option::is_none),
            OperationMeaning::Unsupported => false,
        };
        if comes_through == stops {
            return Err(format!("{opcode}, operand {poisoned} is poison: {said:?}"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lowest bit of the first result is another one, or poison goes.
    fn wrong(function: &Function, data: &InstData, args: &[Value<Concrete>], lanes: u32) -> OperationMeaning {
        match by_lanes(function, data, args, lanes) {
            OperationMeaning::Results(mut results) => {
                if let Some(first) = results.first_mut() {
                    *first = Some(first.map_or(0, |bits| bits ^ 1));
                }
                OperationMeaning::Results(results)
            }
            other => other,
        }
    }

    /// Opcodes that have a second definition.
    fn with_seconds() -> Vec<Opcode> {
        let first: FirstDefinition<'_> = &by_lanes;
        let has = |opcode: &Opcode| of_opcode(*opcode, first).into_iter().flatten().any(|cases| cases > 0);
        Opcode::ALL.iter().copied().filter(|opcode| opcode.is_defined() && has(opcode)).collect()
    }

    #[test]
    fn another_result_is_told_of_every_opcode_that_has_a_second_definition() {
        let report = compare(&wrong);
        let DefinitionReport { scalar, vector, float, parts, .. } = report;
        assert_eq!([scalar, vector, float, parts], [Extent::default(); 4]);
        let told: Vec<Opcode> = report.faults.iter().filter_map(|fault| fault.opcode).collect();
        assert_eq!(told, with_seconds(), "only these");
    }

    #[test]
    fn a_definition_that_panics_is_told_and_the_others_are_compared() {
        let panics = |function: &Function, data: &InstData, args: &[Value<Concrete>], lanes: u32| {
            assert!(data.opcode != Opcode::G_MUL, "no products");
            by_lanes(function, data, args, lanes)
        };
        let report = compare(&panics);
        let [fault] = report.faults.as_slice() else { panic!("{:?}", report.faults) };
        assert_eq!((fault.opcode, fault.details.as_str()), (Some(Opcode::G_MUL), "G_MUL: a panic: no products"));
        assert_eq!(report.scalar.opcodes + 1, check().scalar.opcodes);
    }

    #[test]
    fn a_promise_that_is_lost_is_told() {
        let careless = |function: &Function, data: &InstData, args: &[Value<Concrete>], lanes: u32| {
            by_lanes(function, &data.clone().with_flags(InstFlags::empty()), args, lanes)
        };
        let report = compare(&careless);
        let with_promises = |opcode: &Opcode| {
            let flags = opcode.info().map_or(InstFlags::empty(), |info| info.inst_flags);
            flags.intersects(InstFlags::PROMISES.union(InstFlags::FLOAT_PROMISES))
        };
        let told: Vec<Opcode> = report.faults.iter().filter_map(|fault| fault.opcode).collect();
        assert!(told.iter().all(with_promises), "{told:?}");
        assert!(told.contains(&Opcode::G_ADD) && told.contains(&Opcode::G_FADD), "{told:?}");
    }
}
