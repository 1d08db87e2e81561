//! The meanings of atomic machine instructions that instruction sets share: operations on memory, compare-and-exchange,
//! stores that keep a reservation.
//!
//! One thread sees memory alone; a row's access says how it is ordered among threads. A store that keeps a reservation
//! may fail for no reason: whether it does is a nondeterministic choice, and zero, which most evaluators choose, is
//! success.

use crate::instructions::{Access, Extension};
use crate::meaning::{AnyDomain, MachineEvaluation};
use crate::operands::read_modify_write;
use smallvec::smallvec;
use tribunal_ir::semantics::{Unsupported, Value};
use tribunal_ir::{InstData, MemFlags};

/// The outcome of an evaluation.
pub type Evaluated<D> = Result<MachineEvaluation<D>, Unsupported>;

/// An operation on memory, on its old value and an operand, both as wide as the access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryOperation {
    /// The sum.
    Add,
    /// The operand.
    Exchange,
    /// Bitwise exclusive or.
    Xor,
    /// Bitwise or.
    Or,
    /// Bitwise and.
    And,
    /// Bitwise and with the operand's complement.
    Clear,
    /// The complement of bitwise and.
    Nand,
    /// The lesser by the signed readings.
    Least,
    /// The greater by the signed readings.
    Greatest,
    /// The lesser by the unsigned readings.
    LeastUnsigned,
    /// The greater by the unsigned readings.
    GreatestUnsigned,
}

impl MemoryOperation {
    fn of<D: AnyDomain + ?Sized>(self, d: &mut D, a: &D::Bits, b: &D::Bits) -> D::Bits {
        match self {
            MemoryOperation::Add => d.add(a, b),
            MemoryOperation::Exchange => *b,
            MemoryOperation::Xor => d.xor(a, b),
            MemoryOperation::Or => d.or(a, b),
            MemoryOperation::And => d.and(a, b),
            MemoryOperation::Clear => {
                let kept = d.not(b);
                d.and(a, &kept)
            }
            MemoryOperation::Nand => {
                let both = d.and(a, b);
                d.not(&both)
            }
            MemoryOperation::Least | MemoryOperation::Greatest => {
                let less = d.slt(a, b);
                if self == MemoryOperation::Least { d.ite(&less, a, b) } else { d.ite(&less, b, a) }
            }
            MemoryOperation::LeastUnsigned | MemoryOperation::GreatestUnsigned => {
                let less = d.ult(a, b);
                if self == MemoryOperation::LeastUnsigned { d.ite(&less, a, b) } else { d.ite(&less, b, a) }
            }
        }
    }
}

/// The low bits of a register, as many as the access has.
fn low<D: AnyDomain + ?Sized>(
    d: &mut D,
    access: Access,
    inst: &InstData,
    value: &Value<D>,
) -> Result<Value<D>, Unsupported> {
    // A machine may lack an instruction of its family: it has no registers so wide.
    match d.width(&value.bits) < access.bits() {
        true => Err(Unsupported::malformed(inst.opcode)),
        false => Ok(Value::new(d.extract(&value.bits, 0, access.bits()), value.poison)),
    }
}

fn extended<D: AnyDomain + ?Sized>(d: &mut D, access: Access, bits: &D::Bits, width: u32) -> D::Bits {
    match access.extension {
        Extension::Sign => d.sext(bits, width),
        Extension::Zero => d.zext(bits, width),
    }
}

/// The directions of an operation on memory.
const BOTH: MemFlags = MemFlags::LOAD.union(MemFlags::STORE);

/// The old value, extended to the operand's register.
pub fn operation<D: AnyDomain + ?Sized>(
    d: &mut D,
    operation: MemoryOperation,
    access: Access,
    inst: &InstData,
    [value, address]: [&Value<D>; 2],
) -> Evaluated<D> {
    let (width, value) = (d.width(&value.bits), low(d, access, inst, value)?);
    let update = |d: &mut D, old: &Value<D>| {
        Value::new(operation.of(d, &old.bits, &value.bits), d.bool_or(&old.poison, &value.poison))
    };
    let (old, ub) = read_modify_write(d, (access, BOTH), inst, address, update)?;
    let result = Value::new(extended(d, access, &old.bits, width), old.poison);
    Ok(MachineEvaluation { results: smallvec![result], ub, taken: None, to: None })
}

/// The instruction with its access as the row has it. LLVM's intrinsics call it volatile and not atomic, so that
/// nothing moves it. A machine may make it several times, or not at all.
pub fn repeated(inst: &InstData, access: Access) -> InstData {
    let mut inst = inst.clone();
    for memory in &mut inst.memory {
        memory.flags.remove(MemFlags::VOLATILE);
        if !access.ordering.fenced().is_empty() {
            memory.ordering = access.ordering;
        }
    }
    inst
}

/// The value stays unless the store keeps its reservation. The result, of `width` bits, is zero if it does.
pub fn store_conditional<D: AnyDomain + ?Sized>(
    d: &mut D,
    access: Access,
    inst: &InstData,
    [value, address]: [&Value<D>; 2],
    width: u32,
) -> Evaluated<D> {
    let value = low(d, access, inst, value)?;
    let fails = d.loses_reservation(&address.bits, access.bytes.into());
    let stored = d.is_zero(&fails);
    let update = |d: &mut D, old: &Value<D>| {
        Value::new(d.ite(&stored, &value.bits, &old.bits), d.bool_ite(&stored, &value.poison, &old.poison))
    };
    let (_, ub) = read_modify_write(d, (access, MemFlags::STORE), &repeated(inst, access), address, update)?;
    let result = Value::new(d.zext(&fails, width), d.boolean(false));
    Ok(MachineEvaluation { results: smallvec![result], ub, taken: None, to: None })
}

/// The part of an expected value that a compare-and-exchange compares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compared {
    /// The bits of the access.
    Access,
    /// The whole register, with the old value extended to it.
    Register,
}

/// The new value is stored if the old one is the expected one; the result is the old value.
pub fn compare_exchange<D: AnyDomain + ?Sized>(
    d: &mut D,
    compared: Compared,
    access: Access,
    inst: &InstData,
    [expected, new, address]: [&Value<D>; 3],
) -> Evaluated<D> {
    let (width, new) = (d.width(&expected.bits), low(d, access, inst, new)?);
    let wanted = match compared {
        Compared::Access => low(d, access, inst, expected)?.bits,
        Compared::Register => expected.bits,
    };
    let update = |d: &mut D, old: &Value<D>| {
        let found = extended(d, access, &old.bits, d.width(&wanted));
        let equal = d.eq(&found, &wanted);
        let unknown = d.bool_or(&old.poison, &expected.poison);
        let kept = d.bool_ite(&equal, &new.poison, &old.poison);
        Value::new(d.ite(&equal, &new.bits, &old.bits), d.bool_or(&unknown, &kept))
    };
    let (old, ub) = read_modify_write(d, (access, BOTH), inst, address, update)?;
    let result = Value::new(extended(d, access, &old.bits, width), old.poison);
    Ok(MachineEvaluation { results: smallvec![result], ub, taken: None, to: None })
}

/// The same with a scratch register of `width` bits, which holds anything afterwards.
pub fn with_scratch<D: AnyDomain + ?Sized>(
    d: &mut D,
    mut evaluation: MachineEvaluation<D>,
    width: u32,
) -> Evaluated<D> {
    let scratch = Value::new(d.choose(width), d.boolean(false));
    evaluation.results.push(scratch);
    Ok(evaluation)
}
