//! A second definition of every opcode on integers, written apart from the first: over numbers as mathematics has them,
//! with no operation of the semantics. Both are compared on all operands of one to four bits, with every set of flags,
//! every predicate and every immediate, and with poison in each place.
//!
//! Invariant: nothing here calls the semantics but [`second::first`].

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

mod second;

use second::{Meaning, by_lanes, first};
use tribunal_ir::bits::Bits;
use tribunal_ir::opcode::{IndexTypes, OpcodeInfo, TypeClass};
use tribunal_ir::semantics::{Concrete, Value};
use tribunal_ir::types::ElementCount;
use tribunal_ir::{Function, InstData, InstFlags, IntPredicate, Opcode, Operand, OperandKind, Type};

/// The widest operand, in bits.
const WIDEST: u32 = 4;

/// An operation on numbers.
struct Case<'c> {
    flags: InstFlags,
    predicate: IntPredicate,
    immediate: i128,
    /// Widths by type index, in bits.
    widths: [u32; 3],
    /// Readings without a sign, each with its width.
    args: &'c [(i128, u32)],
}

fn power(exponent: u32) -> i128 {
    1i128 << exponent
}

/// The reading with a sign.
fn signed((value, width): (i128, u32)) -> i128 {
    if value >= power(width - 1) { value - power(width) } else { value }
}

fn wrapped(value: i128, width: u32) -> i128 {
    value.rem_euclid(power(width))
}

fn is_signed(value: i128, width: u32) -> bool {
    (-power(width - 1)..power(width - 1)).contains(&value)
}

fn is_unsigned(value: i128, width: u32) -> bool {
    (0..power(width)).contains(&value)
}

/// The numbers of a case, by the names that arithmetic has for them.
struct Numbers {
    /// The width of the first operand.
    w: u32,
    a: i128,
    b: i128,
    c: i128,
    sa: i128,
    sb: i128,
}

impl Case<'_> {
    fn numbers(&self) -> Numbers {
        let of = |index: usize| self.args.get(index).copied().unwrap_or((0, 1));
        let ((a, w), (b, _), (c, _)) = (of(0), of(1), of(2));
        Numbers { w, a, b, c, sa: signed(of(0)), sb: signed(of(1)) }
    }

    fn has(&self, flag: InstFlags) -> bool {
        self.flags.contains(flag)
    }

    /// The value, unless a flag promises that this does not happen.
    fn unless(&self, broken: bool, value: i128) -> Meaning {
        Meaning::Results(vec![(!broken).then(|| wrapped(value, self.widths[0]))])
    }

    fn is(&self, value: i128) -> Meaning {
        self.unless(false, value)
    }

    /// A sum, difference, product or shifted value, by its two exact readings.
    fn exact(&self, unsigned: i128, signed: i128) -> Meaning {
        let w = self.widths[0];
        let broken =
            self.has(InstFlags::NUW) && !is_unsigned(unsigned, w) || self.has(InstFlags::NSW) && !is_signed(signed, w);
        self.unless(broken, unsigned)
    }

    fn clamped_unsigned(&self, value: i128) -> Meaning {
        self.is(value.clamp(0, power(self.widths[0]) - 1))
    }

    fn clamped_signed(&self, value: i128) -> Meaning {
        let w = self.widths[0];
        self.is(value.clamp(-power(w - 1), power(w - 1) - 1))
    }

    /// A value, and whether it is out of range.
    fn with_overflow(&self, value: i128, overflows: bool) -> Meaning {
        Meaning::Results(vec![Some(wrapped(value, self.widths[0])), Some(overflows.into())])
    }

    /// The same with a third operand that must be 0 or 1.
    fn with_carry(&self, value: i128, overflows: bool) -> Meaning {
        match self.numbers().c {
            0 | 1 => self.with_overflow(value, overflows),
            _ => Meaning::Results(vec![None, None]),
        }
    }

    fn meant(&self, opcode: Opcode) -> Option<Meaning> {
        let families = [arithmetic, division, shifts, with_overflow, counts, conversions, places, choices];
        families.into_iter().find_map(|family| family(self, opcode))
    }
}

/// Sums, products, extrema, saturation, distances, averages.
fn arithmetic(case: &Case<'_>, opcode: Opcode) -> Option<Meaning> {
    let Numbers { w, a, b, sa, sb, .. } = case.numbers();
    let scaled = |product: i128| product.div_euclid(power(case.immediate as u32));
    Some(match opcode {
        Opcode::G_ADD => case.exact(a + b, sa + sb),
        Opcode::G_SUB => case.exact(a - b, sa - sb),
        Opcode::G_MUL => case.exact(a * b, sa * sb),
        Opcode::G_AND => case.is((0..w).map(|bit| power(bit) * (a >> bit & 1) * (b >> bit & 1)).sum()),
        Opcode::G_OR => {
            let common = (0..w).any(|bit| (a >> bit & 1) + (b >> bit & 1) == 2);
            let sum = (0..w).map(|bit| power(bit) * (a >> bit & 1).max(b >> bit & 1)).sum();
            case.unless(case.has(InstFlags::DISJOINT) && common, sum)
        }
        Opcode::G_XOR => case.is((0..w).map(|bit| power(bit) * (((a >> bit) + (b >> bit)) & 1)).sum()),
        Opcode::G_SMIN => case.is(sa.min(sb)),
        Opcode::G_SMAX => case.is(sa.max(sb)),
        Opcode::G_UMIN => case.is(a.min(b)),
        Opcode::G_UMAX => case.is(a.max(b)),
        Opcode::G_UADDSAT => case.clamped_unsigned(a + b),
        Opcode::G_SADDSAT => case.clamped_signed(sa + sb),
        Opcode::G_USUBSAT => case.clamped_unsigned(a - b),
        Opcode::G_SSUBSAT => case.clamped_signed(sa - sb),
        Opcode::G_UMULH => case.is(a * b / power(w)),
        Opcode::G_SMULH => case.is((sa * sb).div_euclid(power(w))),
        Opcode::G_ABDS => case.is((sa - sb).abs()),
        Opcode::G_ABDU => case.is((a - b).abs()),
        Opcode::G_UAVGFLOOR => case.is((a + b) / 2),
        Opcode::G_UAVGCEIL => case.is((a + b + 1) / 2),
        Opcode::G_SAVGFLOOR => case.is((sa + sb).div_euclid(2)),
        Opcode::G_SAVGCEIL => case.is((sa + sb + 1).div_euclid(2)),
        Opcode::G_UMULFIX => case.is(scaled(a * b)),
        Opcode::G_SMULFIX => case.is(scaled(sa * sb)),
        Opcode::G_UMULFIXSAT => case.clamped_unsigned(scaled(a * b)),
        Opcode::G_SMULFIXSAT => case.clamped_signed(scaled(sa * sb)),
        Opcode::G_ABS => case.is(sa.abs()),
        _ => return None,
    })
}

/// Quotients and remainders, towards zero.
fn division(case: &Case<'_>, opcode: Opcode) -> Option<Meaning> {
    let Numbers { w, a, b, sa, sb, .. } = case.numbers();
    let is_signed = match opcode {
        Opcode::G_UDIV | Opcode::G_UREM => false,
        Opcode::G_SDIV | Opcode::G_SREM => true,
        Opcode::G_UDIVREM => false,
        Opcode::G_SDIVREM => true,
        _ => return None,
    };
    if b == 0 || is_signed && sa == -power(w - 1) && sb == -1 {
        return Some(Meaning::Undefined);
    }
    let (quotient, remainder) = if is_signed { (sa / sb, sa % sb) } else { (a / b, a % b) };
    Some(match opcode {
        Opcode::G_UREM | Opcode::G_SREM => case.is(remainder),
        Opcode::G_UDIV | Opcode::G_SDIV => case.unless(case.has(InstFlags::EXACT) && remainder != 0, quotient),
        _ => Meaning::Results(vec![Some(wrapped(quotient, w)), Some(wrapped(remainder, w))]),
    })
}

/// Shifts, rotations, funnel shifts.
fn shifts(case: &Case<'_>, opcode: Opcode) -> Option<Meaning> {
    let Numbers { w, a, b, c, sa, .. } = case.numbers();
    let whole = a * power(w) + b;
    let turned = |left: i128| {
        let left = left.rem_euclid(w.into()) as u32;
        a * power(left) % power(w) + a * power(left) / power(w)
    };
    let turn = (c % i128::from(w)) as u32;
    match opcode {
        Opcode::G_ROTL => return Some(case.is(turned(b))),
        Opcode::G_ROTR => return Some(case.is(turned(-b))),
        Opcode::G_FSHL => return Some(case.is(whole * power(turn) / power(w))),
        Opcode::G_FSHR => return Some(case.is(whole / power(turn))),
        _ => {}
    }
    let is_shift = [Opcode::G_SHL, Opcode::G_LSHR, Opcode::G_ASHR].contains(&opcode);
    if !is_shift && ![Opcode::G_USHLSAT, Opcode::G_SSHLSAT].contains(&opcode) {
        return None;
    }
    if b >= w.into() {
        return Some(Meaning::Results(vec![None]));
    }
    let factor = power(b as u32);
    let loses = case.has(InstFlags::EXACT) && a % factor != 0;
    Some(match opcode {
        Opcode::G_SHL => case.exact(a * factor, sa * factor),
        Opcode::G_LSHR => case.unless(loses, a / factor),
        Opcode::G_ASHR => case.unless(loses, sa.div_euclid(factor)),
        Opcode::G_USHLSAT => case.clamped_unsigned(a * factor),
        _ => case.clamped_signed(sa * factor),
    })
}

/// Values and whether they overflow, with a carry or without.
fn with_overflow(case: &Case<'_>, opcode: Opcode) -> Option<Meaning> {
    let Numbers { w, a, b, c, sa, sb } = case.numbers();
    let unsigned = |value| (value, !is_unsigned(value, w));
    let signed = |value| (value, !is_signed(value, w));
    let (is_carried, (value, overflows)) = match opcode {
        Opcode::G_UADDO => (false, unsigned(a + b)),
        Opcode::G_USUBO => (false, unsigned(a - b)),
        Opcode::G_SADDO => (false, signed(sa + sb)),
        Opcode::G_SSUBO => (false, signed(sa - sb)),
        Opcode::G_UMULO => (false, unsigned(a * b)),
        Opcode::G_SMULO => (false, signed(sa * sb)),
        Opcode::G_UADDE => (true, unsigned(a + b + c)),
        Opcode::G_USUBE => (true, unsigned(a - b - c)),
        Opcode::G_SADDE => (true, signed(sa + sb + c)),
        Opcode::G_SSUBE => (true, signed(sa - sb - c)),
        _ => return None,
    };
    Some(if is_carried { case.with_carry(value, overflows) } else { case.with_overflow(value, overflows) })
}

/// Counts, and bits in another order.
fn counts(case: &Case<'_>, opcode: Opcode) -> Option<Meaning> {
    let Numbers { w, a, b, c, .. } = case.numbers();
    let bits: Vec<i128> = (0..w).map(|bit| a / power(bit) % 2).collect();
    let low_zeros = bits.iter().take_while(|&&bit| bit == 0).count() as i128;
    let high_zeros = bits.iter().rev().take_while(|&&bit| bit == 0).count() as i128;
    let field = a / power(b.min(i128::from(w)) as u32) % power(c.min(i128::from(w)) as u32);
    // A field has a bit at least, and all its bits are in the value.
    let no_field = c == 0 || b + c > w.into();
    Some(match opcode {
        Opcode::G_CTLZ => case.is(high_zeros),
        Opcode::G_CTTZ => case.is(low_zeros),
        Opcode::G_CTLZ_ZERO_UNDEF => case.unless(a == 0, high_zeros),
        Opcode::G_CTTZ_ZERO_UNDEF => case.unless(a == 0, low_zeros),
        Opcode::G_CTPOP => case.is(bits.iter().sum()),
        Opcode::G_BITREVERSE => case.is(bits.iter().rev().zip(0..).map(|(bit, place)| bit * power(place)).sum()),
        Opcode::G_UBFX => case.unless(no_field, field),
        Opcode::G_SBFX => {
            let is_negative = c > 0 && field >= power(c as u32 - 1);
            case.unless(no_field, if is_negative { field - power(c as u32) } else { field })
        }
        _ => return None,
    })
}

/// Extensions, truncations, assertions.
fn conversions(case: &Case<'_>, opcode: Opcode) -> Option<Meaning> {
    let Numbers { a, sa, .. } = case.numbers();
    let to = case.widths[0];
    let bits = case.immediate.clamp(0, 64) as u32;
    let low = || signed((a % power(bits), bits));
    Some(match opcode {
        Opcode::G_ZEXT => case.unless(case.has(InstFlags::NNEG) && sa < 0, a),
        Opcode::G_SEXT => case.is(sa),
        // The bits above are chosen, and the choice is zeros.
        Opcode::G_ANYEXT => case.is(a),
        Opcode::G_TRUNC => {
            let broken =
                case.has(InstFlags::NUW) && !is_unsigned(a, to) || case.has(InstFlags::NSW) && !is_signed(sa, to);
            case.unless(broken, a)
        }
        Opcode::G_SEXT_INREG => case.is(low()),
        Opcode::G_ASSERT_SEXT => case.unless(low() != sa, a),
        Opcode::G_ASSERT_ZEXT => case.unless(a % power(bits) != a, a),
        Opcode::G_ASSERT_ALIGN => case.unless(a % case.immediate != 0, a),
        Opcode::G_FREEZE | Opcode::G_CONSTANT_FOLD_BARRIER => case.is(a),
        _ => return None,
    })
}

/// Parts of numbers, and addresses.
fn places(case: &Case<'_>, opcode: Opcode) -> Option<Meaning> {
    let Numbers { w, a, b, sb, .. } = case.numbers();
    let from = power(case.immediate.clamp(0, 64) as u32);
    Some(match opcode {
        Opcode::G_EXTRACT => case.is(a / from),
        Opcode::G_INSERT => {
            let (_, part) = case.args[1];
            case.is(a - a / from % power(part) * from + b * from)
        }
        Opcode::G_PTRTOINT | Opcode::G_INTTOPTR => case.is(a),
        Opcode::G_PTRMASK => case.is((0..w).map(|bit| power(bit) * (a >> bit & 1) * (b >> bit & 1)).sum()),
        Opcode::G_PTR_ADD => {
            // The address counts without a sign, the distance with one. An address in bounds does not wrap, nor does it
            // leave its half of the address space: no object is larger.
            let wraps = !is_unsigned(a + sb, w);
            let leaves = a.div_euclid(power(w - 1)) != (a + sb).div_euclid(power(w - 1));
            let broken = case.has(InstFlags::NUW) && !is_unsigned(a + b, w)
                || case.has(InstFlags::NUSW) && wraps
                || case.has(InstFlags::INBOUNDS) && (wraps || leaves);
            case.unless(broken, a + b)
        }
        _ => return None,
    })
}

/// Comparisons, and the choice by one.
fn choices(case: &Case<'_>, opcode: Opcode) -> Option<Meaning> {
    let Numbers { w, a, b, c, sa, sb } = case.numbers();
    let three_way = |order: std::cmp::Ordering| case.is(order as i128);
    Some(match opcode {
        Opcode::G_UCMP => three_way(a.cmp(&b)),
        Opcode::G_SCMP => three_way(sa.cmp(&sb)),
        Opcode::G_SELECT => match a {
            0 => case.is(c),
            1 => case.is(b),
            _ => Meaning::Results(vec![None]),
        },
        Opcode::G_ICMP => {
            let holds = match case.predicate {
                IntPredicate::Eq => a == b,
                IntPredicate::Ne => a != b,
                IntPredicate::Ugt => a > b,
                IntPredicate::Uge => a >= b,
                IntPredicate::Ult => a < b,
                IntPredicate::Ule => a <= b,
                IntPredicate::Sgt => sa > sb,
                IntPredicate::Sge => sa >= sb,
                IntPredicate::Slt => sa < sb,
                IntPredicate::Sle => sa <= sb,
            };
            let differ = (a >= power(w - 1)) != (b >= power(w - 1));
            case.unless(case.has(InstFlags::SAMESIGN) && differ, holds.into())
        }
        _ => return None,
    })
}

/// Types of one to four bits that keep the row's rules.
fn typings(info: &OpcodeInfo) -> Vec<IndexTypes> {
    let ty = |index: usize, bits: u32| {
        let is_pointer = |class| matches!(class, TypeClass::Pointer | TypeClass::Address);
        info.class_of(index).map(|class| match is_pointer(class) {
            true => Type::Pointer { address_space: 0, bits: bits as u16 },
            false => Type::scalar(bits),
        })
    };
    let mut all: Vec<IndexTypes> = Vec::new();
    for bits in (1..=WIDEST).flat_map(|one| (1..=WIDEST).map(move |two| [one, two])) {
        let types = [ty(0, bits[0]), ty(1, bits[1]), ty(2, bits[0])];
        if !all.contains(&types) && info.rules.iter().all(|rule| rule.holds(&types, None)) {
            all.push(types);
        }
    }
    all
}

/// Subsets of the flags that promise something about integers.
fn flag_sets(info: &OpcodeInfo) -> Vec<InstFlags> {
    let flags: Vec<InstFlags> = info.inst_flags.intersection(InstFlags::PROMISES).iter().collect();
    (0..1u32 << flags.len())
        .map(|set| {
            let chosen = flags.iter().enumerate().filter(|(place, _)| set >> place & 1 == 1);
            chosen.fold(InstFlags::empty(), |all, (_, &flag)| all | flag)
        })
        .collect()
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

/// All operands of these widths.
fn operands(widths: &[u32]) -> Vec<Vec<(i128, u32)>> {
    widths.iter().fold(vec![Vec::new()], |lists, &width| {
        let more =
            |list: Vec<(i128, u32)>| (0..power(width)).map(move |value| [list.as_slice(), &[(value, width)]].concat());
        lists.into_iter().flat_map(more).collect()
    })
}

fn immediates(info: &OpcodeInfo, types: &IndexTypes) -> Vec<i64> {
    match info.immediates.first().and_then(|immediate| immediate.range(types)) {
        Some(range) => {
            (*range.start()..=(*range.end()).min(8)).filter(|&value| info.immediates[0].takes(types, value)).collect()
        }
        None => vec![0],
    }
}

/// Compares both definitions of one opcode; the number of cases, or the first that differs. `None` without a second.
fn compared(opcode: Opcode) -> Option<Result<u64, String>> {
    let info = opcode.info()?;
    let mut cases = 0;
    let predicates =
        if info.uses.contains(&OperandKind::PRED) { &IntPredicate::ALL[..] } else { &IntPredicate::ALL[..1] };
    for types in typings(info) {
        for (&predicate, immediate) in predicates
            .iter()
            .flat_map(|predicate| immediates(info, &types).into_iter().map(move |imm| (predicate, imm)))
        {
            let (function, mut data, widths) = instance(opcode, &types, predicate, immediate)?;
            for flags in flag_sets(info) {
                data.flags = flags;
                for args in operands(&widths) {
                    let by_index = types.map(|ty| ty.map_or(1, Type::bits));
                    let case = Case { flags, predicate, immediate: immediate.into(), widths: by_index, args: &args };
                    let meant = case.meant(opcode)?;
                    let values: Vec<Value<Concrete>> =
                        args.iter().map(|&(value, width)| Value::new(Bits::new(value as u128, width), false)).collect();
                    let said = first(&function, &data, &values);
                    if said != meant {
                        return Some(Err(format!(
                            "{opcode} {types:?} {flags:?} {predicate:?} {immediate} on {args:?}: {said:?}, meant {meant:?}"
                        )));
                    }
                    cases += 1;
                }
            }
        }
    }
    Some(Ok(cases))
}

/// Every opcode that computes numbers from numbers has a second definition, and both agree.
#[test]
fn both_definitions_agree_on_all_small_operands() {
    let (mut wrong, mut cases, mut opcodes) = (Vec::new(), 0, 0);
    for &opcode in Opcode::ALL.iter().filter(|opcode| opcode.is_defined()) {
        match compared(opcode) {
            Some(Ok(0)) | None => {}
            Some(Ok(count)) => (cases, opcodes) = (cases + count, opcodes + 1),
            Some(Err(difference)) => wrong.push(difference),
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!((opcodes, cases), (80, 164_888));
}

/// Elements of a vector, in the tests of vectors: their number, and the bits of each.
const LANES: u32 = 2;
const LANE_BITS: u32 = 2;

/// The lanes of a number, each with its width.
fn lanes((value, _): (i128, u32)) -> Vec<(i128, u32)> {
    (0..LANES).map(|lane| (value / power(lane * LANE_BITS) % power(LANE_BITS), LANE_BITS)).collect()
}

/// The meaning of an operation on vectors: that of each lane, the first lane of all results first. It is undefined if
/// one lane is.
fn meant_by_lanes(opcode: Opcode, immediate: i64, args: &[(i128, u32)]) -> Option<Meaning> {
    let args: Vec<Vec<(i128, u32)>> = args.iter().copied().map(lanes).collect();
    let mut all: Vec<Option<i128>> = Vec::new();
    for lane in 0..LANES {
        let own: Vec<(i128, u32)> = args.iter().map(|lanes| lanes[lane as usize]).collect();
        let case = Case {
            flags: InstFlags::empty(),
            predicate: IntPredicate::Ult,
            immediate: immediate.into(),
            widths: [LANE_BITS; 3],
            args: &own,
        };
        let Meaning::Results(results) = case.meant(opcode)? else { return Some(Meaning::Undefined) };
        // Truth fills a lane.
        let factor = if opcode == Opcode::G_ICMP { power(LANE_BITS) - 1 } else { 1 };
        all.extend(results.into_iter().map(|value| value.map(|value| value * factor)));
    }
    Some(Meaning::Results(all))
}

/// What an operation does to vectors it does to each lane.
#[test]
fn vectors_are_operated_on_lane_by_lane() {
    let (mut cases, mut opcodes) = (0, 0);
    let vector = Type::scalar(LANE_BITS).times(ElementCount::fixed(LANES as u16)).unwrap();
    for &opcode in Opcode::ALL.iter().filter(|opcode| opcode.is_defined()) {
        let Some(info) = opcode.info().filter(|info| !info.defs.is_empty()) else { continue };
        let types = [0, 1, 2].map(|index| info.class_of(index).map(|_| vector));
        // Carries and conditions have lanes of one bit, and parts of numbers are not counted by lanes.
        let is_apart = [Opcode::G_EXTRACT, Opcode::G_INSERT, Opcode::G_BITCAST].contains(&opcode);
        let is_of_bits = info.poison.contains(tribunal_ir::opcode::Poison::CONDITION);
        if is_apart || is_of_bits || !info.takes(&types) || info.operands().any(OperandKind::must_be_pointer) {
            continue;
        }
        let Some(&immediate) = immediates(info, &types).last() else { continue };
        let Some((function, data, widths)) = instance(opcode, &types, IntPredicate::Ult, immediate) else { continue };
        let before = cases;
        for args in operands(&widths).into_iter().step_by(if widths.len() > 2 { 7 } else { 1 }) {
            let Some(meant) = meant_by_lanes(opcode, immediate, &args) else { break };
            let values: Vec<Value<Concrete>> =
                args.iter().map(|&(value, width)| Value::new(Bits::new(value as u128, width), false)).collect();
            assert_eq!(by_lanes(&function, &data, &values, LANES), meant, "{opcode} on {args:?}");
            cases += 1;
        }
        opcodes += u32::from(cases > before);
    }
    assert_eq!((opcodes, cases), (63, 13_668));
}

/// A poison operand makes every result poison, or the operation undefined, but where the value does not count.
#[test]
fn poison_comes_through() {
    for &opcode in Opcode::ALL.iter().filter(|opcode| opcode.is_defined()) {
        let Some(info) = opcode.info() else { continue };
        let Some(types) = typings(info).into_iter().next_back() else { continue };
        let Some(&immediate) = immediates(info, &types).first() else { continue };
        let Some((function, data, widths)) = instance(opcode, &types, IntPredicate::Eq, immediate) else { continue };
        let args: Vec<(i128, u32)> = widths.iter().map(|&width| (1, width)).collect();
        let case =
            Case { flags: data.flags, predicate: IntPredicate::Eq, immediate: 1, widths: [WIDEST; 3], args: &args };
        if widths.is_empty() || case.meant(opcode).is_none() {
            continue;
        }
        for poisoned in 0..widths.len() {
            let value = |(place, &(value, width)): (usize, &(i128, u32))| {
                Value::new(Bits::new(value as u128, width), place == poisoned)
            };
            let values: Vec<Value<Concrete>> = args.iter().enumerate().map(value).collect();
            let said = first(&function, &data, &values);
            let stops = [Opcode::G_FREEZE].contains(&opcode) || opcode == Opcode::G_SELECT && poisoned == 2;
            let comes_through = match &said {
                Meaning::Undefined => true,
                Meaning::Results(results) => results.iter().all(Option::is_none),
            };
            assert_eq!(comes_through, !stops, "{opcode}, operand {poisoned}: {said:?}");
        }
    }
}
