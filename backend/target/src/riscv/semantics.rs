//! The meaning of every machine instruction (RISC-V ISA manual, volume I).
//!
//! Registers hold 64 bits or 32: an operation is as wide as its sources. Machine code creates no poison: a result is
//! poison exactly if a source is.

#![allow(non_upper_case_globals, reason = "an opcode is called what LLVM calls it")]

use super::floats;
use super::instructions::*;
use super::machine::{comparison_branch, parts};
use crate::Target;
use crate::meaning::{AnyDomain, MachineEvaluation};
use crate::operands::{Sources, access, call_frame, chosen, finish, from_here, jump, jump_free, sources};
use smallvec::smallvec;
use tribunal_ir::semantics::{Unsupported, Value};
use tribunal_ir::{InstData, Opcode, Operand, TargetOpcode};

/// Evaluates `inst`; see [`crate::evaluate`].
///
/// # Errors
/// An instruction without a meaning here, or one whose operands are not its row's.
pub fn evaluate<'d>(
    d: &mut (dyn AnyDomain + 'd),
    target: &Target,
    inst: &InstData,
    args: &[Value<dyn AnyDomain + 'd>],
) -> Result<MachineEvaluation<dyn AnyDomain + 'd>, Unsupported> {
    let Opcode::Target(opcode) = inst.opcode else { return Err(Unsupported::new(inst.opcode.to_string())) };
    let row = target.instruction(opcode);
    let unsupported = || Unsupported::new(row.name);
    let s = sources(d, target, inst, args)?;
    if let Some(of_row) = row.access {
        return match super::atomics::evaluate(d, (opcode, row, of_row), inst, &s) {
            Some(evaluation) => evaluation,
            None => access(d, target, row, of_row, inst, &s),
        };
    }
    match opcode {
        BEQ | BNE | BLT | BGE | BLTU | BGEU => branch(d, opcode, &s),
        PseudoBR | PseudoRET => Ok(jump_free(d)),
        JAL => jump(d, inst, None),
        PseudoJump => far_jump(d, inst),
        PseudoBRIND => {
            let [base, offset] = s.exactly(inst)?;
            let to = d.add(&base.bits, &offset.bits);
            jump(d, inst, Some(to))
        }
        JALR => {
            let [base, offset] = s.exactly(inst)?;
            let (sum, even) = (d.add(&base.bits, &offset.bits), d.literal(-2, d.width(&base.bits)));
            let to = d.and(&sum, &even);
            jump(d, inst, Some(to))
        }
        AUIPC => {
            let upper = inst.imm(1).ok_or_else(unsupported)?;
            let bits = from_here(d, inst, i64::from((upper << 12) as i32))?;
            Ok(finish(d, bits, &s))
        }
        ReadFFLAGS | ReadFRM | ReadFCSR | WriteFFLAGS | WriteFRM | WriteFCSR => {
            floats::environment(d, opcode, inst, target.pointer_bits.into(), &s)
        }
        // The part of an address that a linker makes fit.
        LUI if matches!(inst.operands.get(1), Some(Operand::Address(_))) => {
            let bits = s.exactly::<1>(inst)?[0].bits;
            Ok(finish(d, bits, &s))
        }
        PseudoLLA | PseudoLGA | PseudoLA_TLS_IE => {
            let bits = s.exactly::<1>(inst)?[0].bits;
            Ok(finish(d, bits, &s))
        }
        // A linker may remove the addition of the upper part that the relocation names: it must be that one.
        PseudoAddTPRel => {
            let [a, b, upper] = s.exactly(inst)?;
            let bits = d.add(&a.bits, &b.bits);
            let ub = d.ne(&a.bits, &upper.bits);
            Ok(MachineEvaluation { ub, ..finish(d, bits, &s) })
        }
        Select_GPR_Using_CC_GPR | Select_FPR16_Using_CC_GPR | Select_FPR32_Using_CC_GPR | Select_FPR64_Using_CC_GPR => {
            select(d, inst, &s)
        }
        BuildPairF64Pseudo => {
            let [low, high] = s.exactly(inst)?;
            let bits = d.concat(&high.bits, &low.bits);
            Ok(finish(d, bits, &s))
        }
        SplitF64Pseudo => {
            let [whole] = s.exactly(inst)?;
            let half =
                |d: &mut (dyn AnyDomain + 'd), offset| Value::new(d.extract(&whole.bits, offset, 32), whole.poison);
            let results = smallvec![half(d, 0), half(d, 32)];
            Ok(MachineEvaluation { results, ..jump_free(d) })
        }
        ADJCALLSTACKDOWN | ADJCALLSTACKUP => call_frame(d, inst, &s),
        FENCE | FENCE_TSO | MEMBARRIER => super::atomics::fence(d, opcode, inst),
        _ => {
            let bits = compute(d, opcode, &s);
            let bits = bits.or_else(|| floats::compute(d, (opcode, row), inst, target.pointer_bits.into(), &s));
            Ok(finish(d, bits.ok_or_else(unsupported)?, &s))
        }
    }
}

/// A jump by a known distance, which leaves the high part of its way in its register.
fn far_jump<D: AnyDomain + ?Sized>(d: &mut D, inst: &InstData) -> Result<MachineEvaluation<D>, Unsupported> {
    let distance = inst.imm(1).ok_or_else(|| Unsupported::new("PseudoJump before code is placed"))?;
    let (high, _) = parts(distance);
    let bits = from_here(d, inst, i64::from((high << 12) as i32))?;
    let poison = d.boolean(false);
    Ok(MachineEvaluation { results: smallvec![Value::new(bits, poison)], ..jump_free(d) })
}

/// One of two values, by a comparison. The poison of the other one is not read.
fn select<D: AnyDomain + ?Sized>(
    d: &mut D,
    inst: &InstData,
    s: &Sources<D>,
) -> Result<MachineEvaluation<D>, Unsupported> {
    let [a, b, _, one, other] = s.exactly(inst)?;
    let branch = inst.imm(3).and_then(comparison_branch).ok_or_else(|| Unsupported::malformed("select"))?;
    let holds = compares(d, branch, &a.bits, &b.bits);
    let of_operands = d.bool_or(&a.poison, &b.poison);
    let value = chosen(d, (&holds, &of_operands), one, other);
    Ok(MachineEvaluation { results: smallvec![value], ub: d.boolean(false), taken: None, to: None })
}

/// The result of an instruction that only computes.
fn compute<D: AnyDomain + ?Sized>(d: &mut D, opcode: TargetOpcode, s: &Sources<D>) -> Option<D::Bits> {
    let arg = |index: usize| s.bits(index);
    if opcode == LUI {
        let twelve = d.literal(12, d.width(arg(0)?));
        let shifted = d.shl(arg(0)?, &twelve);
        return Some(word(d, &shifted));
    }
    let a = arg(0)?;
    if let Some(bits) = unary(d, opcode, a) {
        return Some(bits);
    }
    let b = arg(1)?;
    Some(match opcode {
        ADDI | ADD => d.add(a, b),
        SUB => d.sub(a, b),
        XORI | XOR => d.xor(a, b),
        ORI | OR => d.or(a, b),
        ANDI | AND => d.and(a, b),
        SLTI | SLT => less(d, a, b, true),
        SLTIU | SLTU => less(d, a, b, false),
        SLLI | SLL => shift(d, a, b, D::shl),
        SRLI | SRL => shift(d, a, b, D::lshr),
        SRAI | SRA => shift(d, a, b, D::ashr),
        MUL => d.mul(a, b),
        MULH => high(d, a, b, D::sext, D::sext),
        MULHSU => high(d, a, b, D::sext, D::zext),
        MULHU => high(d, a, b, D::zext, D::zext),
        DIV => divide(d, a, b),
        DIVU => d.udiv(a, b),
        REM => d.srem(a, b),
        REMU => d.urem(a, b),
        ADDIW | ADDW => low(d, a, b, D::add),
        SUBW => low(d, a, b, D::sub),
        MULW => low(d, a, b, D::mul),
        SLLIW | SLLW => low(d, a, b, |d, a, b| shift(d, a, b, D::shl)),
        SRLIW | SRLW => low(d, a, b, |d, a, b| shift(d, a, b, D::lshr)),
        SRAIW | SRAW => low(d, a, b, |d, a, b| shift(d, a, b, D::ashr)),
        DIVW => low(d, a, b, divide),
        DIVUW => low(d, a, b, D::udiv),
        REMW => low(d, a, b, D::srem),
        REMUW => low(d, a, b, D::urem),
        _ => return bit_manipulation(d, opcode, a, b),
    })
}

/// Zba, Zbb, Zbs and Zicond, of two sources.
fn bit_manipulation<D: AnyDomain + ?Sized>(
    d: &mut D,
    opcode: TargetOpcode,
    a: &D::Bits,
    b: &D::Bits,
) -> Option<D::Bits> {
    Some(match opcode {
        SH1ADD => shifted_add(d, a, b, 1),
        SH2ADD => shifted_add(d, a, b, 2),
        SH3ADD => shifted_add(d, a, b, 3),
        ADD_UW => {
            let word = low_zeroed(d, a, 32);
            d.add(&word, b)
        }
        SLLI_UW => {
            let word = low_zeroed(d, a, 32);
            shift(d, &word, b, D::shl)
        }
        ANDN => with_complement(d, a, b, D::and),
        ORN => with_complement(d, a, b, D::or),
        XNOR => with_complement(d, a, b, D::xor),
        MIN => first_if(d, a, b, D::slt),
        MINU => first_if(d, a, b, D::ult),
        MAX => first_if(d, a, b, |d, a, b| d.slt(b, a)),
        MAXU => first_if(d, a, b, |d, a, b| d.ult(b, a)),
        ROL => rotate(d, a, b, true),
        ROR | RORI => rotate(d, a, b, false),
        ROLW => low(d, a, b, |d, a, b| rotate(d, a, b, true)),
        RORW | RORIW => low(d, a, b, |d, a, b| rotate(d, a, b, false)),
        BCLR | BCLRI => {
            let bit = single_bit(d, b);
            with_complement(d, a, &bit, D::and)
        }
        BEXT | BEXTI => {
            let (moved, one) = (shift(d, a, b, D::lshr), d.literal(1, d.width(a)));
            d.and(&moved, &one)
        }
        BINV | BINVI => {
            let bit = single_bit(d, b);
            d.xor(a, &bit)
        }
        BSET | BSETI => {
            let bit = single_bit(d, b);
            d.or(a, &bit)
        }
        CZERO_EQZ | CZERO_NEZ => {
            let (none, zero) = (d.is_zero(b), d.literal(0, d.width(a)));
            if opcode == CZERO_EQZ { d.ite(&none, &zero, a) } else { d.ite(&none, a, &zero) }
        }
        _ => return None,
    })
}

/// Instructions of one source.
fn unary<D: AnyDomain + ?Sized>(d: &mut D, opcode: TargetOpcode, a: &D::Bits) -> Option<D::Bits> {
    Some(match opcode {
        CLZ => leading_zeros(d, a),
        CTZ => trailing_zeros(d, a),
        CPOP => population(d, a),
        CLZW => of_word(d, a, leading_zeros),
        CTZW => of_word(d, a, trailing_zeros),
        CPOPW => of_word(d, a, population),
        SEXT_B => low_extended(d, a, 8),
        SEXT_H => low_extended(d, a, 16),
        ZEXT_H_RV64 | ZEXT_H_RV32 => low_zeroed(d, a, 16),
        REV8_RV64 | REV8_RV32 => {
            let bytes = bytes(d, a);
            joined(d, bytes.into_iter().rev())
        }
        ORC_B => {
            let bytes: Vec<D::Bits> = bytes(d, a).iter().map(|byte| spread(d, byte)).collect();
            joined(d, bytes.into_iter())
        }
        _ => return None,
    })
}

/// The number of zeros above the highest set bit; the test of the highest bit is outermost.
fn leading_zeros<D: AnyDomain + ?Sized>(d: &mut D, a: &D::Bits) -> D::Bits {
    let width = d.width(a);
    (0..width).fold(d.literal(width.into(), width), |count, index| if_set(d, a, index, width - 1 - index, count))
}

fn trailing_zeros<D: AnyDomain + ?Sized>(d: &mut D, a: &D::Bits) -> D::Bits {
    let width = d.width(a);
    (0..width).rev().fold(d.literal(width.into(), width), |count, index| if_set(d, a, index, index, count))
}

/// `count` if bit `index` is set, else `otherwise`.
fn if_set<D: AnyDomain + ?Sized>(d: &mut D, a: &D::Bits, index: u32, count: u32, otherwise: D::Bits) -> D::Bits {
    let bit = d.extract(a, index, 1);
    let clear = d.is_zero(&bit);
    let count = d.literal(count.into(), d.width(a));
    d.ite(&clear, &otherwise, &count)
}

/// The number of set bits; eight bits hold it.
fn population<D: AnyDomain + ?Sized>(d: &mut D, a: &D::Bits) -> D::Bits {
    let width = d.width(a);
    let sum = (0..width).fold(d.literal(0, 8), |sum, index| {
        let bit = d.extract(a, index, 1);
        let bit = d.zext(&bit, 8);
        d.add(&sum, &bit)
    });
    d.zext(&sum, width)
}

/// A count of the low word.
fn of_word<D: AnyDomain + ?Sized>(d: &mut D, a: &D::Bits, f: impl Fn(&mut D, &D::Bits) -> D::Bits) -> D::Bits {
    let low = d.extract(a, 0, 32);
    let count = f(d, &low);
    d.zext(&count, d.width(a))
}

/// The low `bits` bits, sign-extended.
fn low_extended<D: AnyDomain + ?Sized>(d: &mut D, a: &D::Bits, bits: u32) -> D::Bits {
    let low = d.extract(a, 0, bits);
    d.sext(&low, d.width(a))
}

/// The low `bits` bits, zero-extended.
fn low_zeroed<D: AnyDomain + ?Sized>(d: &mut D, a: &D::Bits, bits: u32) -> D::Bits {
    let low = d.extract(a, 0, bits);
    d.zext(&low, d.width(a))
}

/// Lowest first.
fn bytes<D: AnyDomain + ?Sized>(d: &mut D, a: &D::Bits) -> Vec<D::Bits> {
    (0..d.width(a) / 8).map(|index| d.extract(a, index * 8, 8)).collect()
}

/// Joins parts, lowest first; there is at least one.
fn joined<D: AnyDomain + ?Sized>(d: &mut D, parts: impl Iterator<Item = D::Bits>) -> D::Bits {
    let whole = parts.reduce(|low, high| d.concat(&high, &low));
    whole.unwrap_or_else(|| d.literal(0, 1))
}

/// All ones unless the byte is zero.
fn spread<D: AnyDomain + ?Sized>(d: &mut D, byte: &D::Bits) -> D::Bits {
    let (zero, none, all) = (d.is_zero(byte), d.literal(0, 8), d.literal(-1, 8));
    d.ite(&zero, &none, &all)
}

fn shifted_add<D: AnyDomain + ?Sized>(d: &mut D, a: &D::Bits, b: &D::Bits, amount: i64) -> D::Bits {
    let amount = d.literal(amount, d.width(a));
    let shifted = d.shl(a, &amount);
    d.add(&shifted, b)
}

fn with_complement<D: AnyDomain + ?Sized>(
    d: &mut D,
    a: &D::Bits,
    b: &D::Bits,
    f: impl Fn(&mut D, &D::Bits, &D::Bits) -> D::Bits,
) -> D::Bits {
    let complement = d.not(b);
    f(d, a, &complement)
}

/// `a` if it stands before `b`, else `b`.
fn first_if<D: AnyDomain + ?Sized>(
    d: &mut D,
    a: &D::Bits,
    b: &D::Bits,
    before: impl Fn(&mut D, &D::Bits, &D::Bits) -> D::Bool,
) -> D::Bits {
    let first = before(d, a, b);
    d.ite(&first, a, b)
}

/// A shift by the whole width, which an amount of zero asks of the second part, gives zero.
fn rotate<D: AnyDomain + ?Sized>(d: &mut D, a: &D::Bits, amount: &D::Bits, left: bool) -> D::Bits {
    let width = d.width(a);
    let (mask, whole) = (d.literal(i64::from(width) - 1, width), d.literal(width.into(), width));
    let amount = d.and(amount, &mask);
    let rest = d.sub(&whole, &amount);
    let (up, down) = if left { (&amount, &rest) } else { (&rest, &amount) };
    let (high, low) = (d.shl(a, up), d.lshr(a, down));
    d.or(&high, &low)
}

/// One at the place that the amount gives, modulo the width.
fn single_bit<D: AnyDomain + ?Sized>(d: &mut D, amount: &D::Bits) -> D::Bits {
    let one = d.literal(1, d.width(amount));
    shift(d, &one, amount, D::shl)
}

/// The low word, sign-extended.
fn word<D: AnyDomain + ?Sized>(d: &mut D, a: &D::Bits) -> D::Bits {
    let low = d.extract(a, 0, 32);
    d.sext(&low, d.width(a))
}

/// An operation on the low words, sign-extended.
fn low<D: AnyDomain + ?Sized>(
    d: &mut D,
    a: &D::Bits,
    b: &D::Bits,
    f: impl Fn(&mut D, &D::Bits, &D::Bits) -> D::Bits,
) -> D::Bits {
    let (a, b) = (d.extract(a, 0, 32), d.extract(b, 0, 32));
    let result = f(d, &a, &b);
    d.sext(&result, 64)
}

/// Amount modulo the width.
pub(super) fn shift<D: AnyDomain + ?Sized>(
    d: &mut D,
    a: &D::Bits,
    b: &D::Bits,
    f: impl Fn(&mut D, &D::Bits, &D::Bits) -> D::Bits,
) -> D::Bits {
    let width = d.width(a);
    let mask = d.literal(i64::from(width) - 1, width);
    let amount = d.and(b, &mask);
    f(d, a, &amount)
}

fn less<D: AnyDomain + ?Sized>(d: &mut D, a: &D::Bits, b: &D::Bits, signed: bool) -> D::Bits {
    let holds = if signed { d.slt(a, b) } else { d.ult(a, b) };
    let bit = d.bit(&holds);
    d.zext(&bit, d.width(a))
}

fn high<D: AnyDomain + ?Sized>(
    d: &mut D,
    a: &D::Bits,
    b: &D::Bits,
    wide_a: fn(&mut D, &D::Bits, u32) -> D::Bits,
    wide_b: fn(&mut D, &D::Bits, u32) -> D::Bits,
) -> D::Bits {
    let width = d.width(a);
    let (a, b) = (wide_a(d, a, 2 * width), wide_b(d, b, 2 * width));
    let product = d.mul(&a, &b);
    d.extract(&product, width, width)
}

/// Signed division: all ones for a zero divisor, the dividend on overflow.
fn divide<D: AnyDomain + ?Sized>(d: &mut D, a: &D::Bits, b: &D::Bits) -> D::Bits {
    let quotient = d.sdiv(a, b);
    let (zero, ones) = (d.is_zero(b), d.literal(-1, d.width(a)));
    d.ite(&zero, &ones, &quotient)
}

/// Whether a branch of this opcode is taken.
fn compares<D: AnyDomain + ?Sized>(d: &mut D, branch: TargetOpcode, a: &D::Bits, b: &D::Bits) -> D::Bool {
    match branch {
        BEQ => d.eq(a, b),
        BNE => d.ne(a, b),
        BLT => d.slt(a, b),
        BGE => d.sle(b, a),
        BLTU => d.ult(a, b),
        _ => d.ule(b, a),
    }
}

/// A branch on poison is undefined behaviour, as in generic code.
fn branch<D: AnyDomain + ?Sized>(
    d: &mut D,
    opcode: TargetOpcode,
    s: &Sources<D>,
) -> Result<MachineEvaluation<D>, Unsupported> {
    let [Some(a), Some(b)] = [s.values.first(), s.values.get(1)] else {
        return Err(Unsupported::malformed("branch"));
    };
    let ub = d.bool_or(&a.poison, &b.poison);
    let taken = compares(d, opcode, &a.bits, &b.bits);
    Ok(MachineEvaluation { results: Default::default(), ub, taken: Some(taken), to: None })
}
