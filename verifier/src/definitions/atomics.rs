//! The second definition of atomic operations, on a byte of memory: the value that is left there, and the old one.
//!
//! Invariant: nothing here calls the semantics.

use super::meaning::OperationMeaning;
use tribunal_ir::semantics::{Concrete, Memory, Value};
use tribunal_ir::{Bits, FixedSlot, Function, InstData, MemFlags, MemOperand, Opcode, Operand, StackSlot, Type};

/// The bits of the access, and of the register that gets the old value.
const BITS: u32 = 8;
const RESULT_BITS: u32 = 16;
/// Numbers of a byte.
const COUNT: i128 = 1 << BITS;
/// The operands with which each old value meets: small ones, and those beside the sign.
const OPERANDS: [i128; 10] = [0, 1, 2, 3, 100, 127, 128, 129, 254, 255];

/// A byte of memory.
pub(super) struct AtomicByte(pub Value<Concrete>);

impl Memory<Concrete> for AtomicByte {
    fn load(&mut self, _: &mut Concrete, _: &Bits, _: u32, _: &MemOperand) -> (Value<Concrete>, bool) {
        (self.0.clone(), false)
    }

    fn store(&mut self, _: &mut Concrete, _: &Bits, value: &Value<Concrete>, _: &MemOperand) -> bool {
        self.0 = value.clone();
        false
    }

    fn frame_address(&mut self, _: &mut Concrete, _: StackSlot, bits: u32) -> Bits {
        Bits::zero(bits)
    }

    fn fixed_address(&mut self, _: &mut Concrete, _: FixedSlot, bits: u32) -> Bits {
        Bits::zero(bits)
    }
}

/// The number with a sign.
fn signed(value: i128) -> i128 {
    if value < COUNT / 2 { value } else { value - COUNT }
}

/// The number that an operation leaves, before it wraps; `None` for an opcode without a second definition.
fn left(opcode: Opcode, old: i128, operand: i128) -> Option<i128> {
    use Opcode::*;
    let (a, b, is_less) = (old, operand, signed(old) < signed(operand));
    Some(match opcode {
        G_ATOMICRMW_XCHG => b,
        G_ATOMICRMW_ADD => a + b,
        G_ATOMICRMW_SUB => a - b,
        G_ATOMICRMW_AND => a & b,
        G_ATOMICRMW_NAND => COUNT - 1 - (a & b),
        G_ATOMICRMW_OR => a | b,
        G_ATOMICRMW_XOR => a ^ b,
        G_ATOMICRMW_MAX => {
            if is_less {
                b
            } else {
                a
            }
        }
        G_ATOMICRMW_MIN => {
            if is_less {
                a
            } else {
                b
            }
        }
        G_ATOMICRMW_UMAX => a.max(b),
        G_ATOMICRMW_UMIN => a.min(b),
        G_ATOMICRMW_UINC_WRAP => {
            if a >= b {
                0
            } else {
                a + 1
            }
        }
        G_ATOMICRMW_UDEC_WRAP => {
            if a == 0 || a > b {
                b
            } else {
                a - 1
            }
        }
        G_ATOMICRMW_USUB_COND => {
            if a >= b {
                a - b
            } else {
                a
            }
        }
        G_ATOMICRMW_USUB_SAT => (a - b).max(0),
        _ => return None,
    })
}

/// An operation on memory: the operands after the address, and what it leaves and says. `None` is poison.
struct AtomicCase {
    old: Option<i128>,
    operands: Vec<Option<i128>>,
    new: Option<i128>,
    results: Vec<Option<i128>>,
}

/// All cases of one opcode; none of an opcode that has no second definition here.
fn cases(opcode: Opcode) -> Vec<AtomicCase> {
    let all = || (0..COUNT).map(Some).chain([None]);
    let operands = || OPERANDS.into_iter().map(Some).chain([None]);
    let exchanges = |old: Option<i128>, expected: Option<i128>, says: bool| {
        let replacement = Some(77);
        let is_equal = old.zip(expected).map(|(old, expected)| old == expected);
        let new = is_equal.and_then(|is_equal| if is_equal { replacement } else { old });
        let success = says.then(|| is_equal.map(i128::from));
        AtomicCase {
            old,
            operands: vec![expected, replacement],
            new,
            results: std::iter::once(old).chain(success).collect(),
        }
    };
    let pairs = all().flat_map(|old| operands().map(move |operand| (old, operand)));
    match opcode {
        Opcode::G_ATOMIC_CMPXCHG => pairs.map(|(old, expected)| exchanges(old, expected, false)).collect(),
        Opcode::G_ATOMIC_CMPXCHG_WITH_SUCCESS => pairs.map(|(old, expected)| exchanges(old, expected, true)).collect(),
        _ if left(opcode, 0, 0).is_none() => Vec::new(),
        _ => {
            let updated = |(old, operand): (Option<i128>, Option<i128>)| {
                // What is exchanged does not depend on what was there.
                let from = old.or((opcode == Opcode::G_ATOMICRMW_XCHG).then_some(0));
                let new = from.zip(operand).and_then(|(old, operand)| left(opcode, old, operand));
                let new = new.map(|new| new.rem_euclid(COUNT));
                AtomicCase { old, operands: vec![operand], new, results: vec![old] }
            };
            pairs.map(updated).collect()
        }
    }
}

/// A first definition: an instruction on values, and on memory.
type OnMemory<'d> = &'d dyn Fn(&Function, &InstData, &[Value<Concrete>], &mut AtomicByte) -> OperationMeaning;

/// Compares both definitions of one opcode; the number of cases, none without a second, or the first that differs.
pub(super) fn compared(opcode: Opcode, first: OnMemory<'_>) -> Result<u64, String> {
    let cases = cases(opcode);
    for case in &cases {
        let (function, data) = instance(opcode, case);
        let value =
            |number: &Option<i128>, bits| Value::new(Bits::new(number.unwrap_or(0) as u128, bits), number.is_none());
        let address = Value::new(Bits::zero(64), false);
        // Bits above the access count for nothing.
        let operand = |number: &Option<i128>| {
            let number = number.map(|number| number + 0x5a * COUNT);
            value(&number, RESULT_BITS)
        };
        let args: Vec<Value<Concrete>> = std::iter::once(address).chain(case.operands.iter().map(operand)).collect();
        let mut memory = AtomicByte(value(&case.old, BITS));
        let said = first(&function, &data, &args, &mut memory);
        let meant = OperationMeaning::Results(case.results.clone());
        let left = (!memory.0.poison).then(|| memory.0.bits.unsigned() as i128);
        if said != meant || left != case.new {
            let AtomicCase { old, operands, new, .. } = case;
            return Err(format!(
                "{opcode} of {old:?} and {operands:?}: {said:?} leaves {left:?}, meant {meant:?} and {new:?}"
            ));
        }
    }
    Ok(cases.len() as u64)
}

fn instance(opcode: Opcode, case: &AtomicCase) -> (Function, InstData) {
    let mut function = Function::new("f");
    let mut register = |ty| function.new_vreg(ty);
    let mut operands = vec![Operand::def(register(Type::scalar(RESULT_BITS)))];
    operands.extend(case.results.get(1).map(|_| Operand::def(register(Type::scalar(1)))));
    operands.push(Operand::used(register(Type::Pointer { address_space: 0, bits: 64 })));
    operands.extend(case.operands.iter().map(|_| Operand::used(register(Type::scalar(RESULT_BITS)))));
    let access = MemOperand::new(MemFlags::LOAD | MemFlags::STORE, Type::scalar(BITS), BITS / 8);
    (function, InstData::new(opcode, operands).with_memory(access))
}

#[cfg(test)]
mod tests {
    use super::super::meaning::on_memory;
    use super::*;

    #[test]
    fn another_value_that_is_left_is_told_of_each_operation() {
        let mut told = 0;
        for &opcode in Opcode::ALL.iter().filter(|opcode| opcode.is_defined()) {
            let right = compared(opcode, &|function, data, args, memory| on_memory(function, data, args, 1, memory));
            let wrong = compared(opcode, &|function, data, args, memory| {
                let said = on_memory(function, data, args, 1, memory);
                memory.0.bits = memory.0.bits.add(Bits::new(u128::from(memory.0.bits.bit(7)), BITS));
                said
            });
            assert_eq!(right.clone().is_ok_and(|cases| cases > 0), wrong.is_err(), "{opcode}: {right:?}");
            told += u64::from(wrong.is_err());
        }
        assert_eq!(told, 17);
    }
}
