//! What both files of second definitions share: the form of a meaning, and what the semantics say.

use tribunal_ir::bits::Bits;
use tribunal_ir::semantics::{Choice, Concrete, Memory, Value, evaluate};
use tribunal_ir::{FixedSlot, Function, InstData, MemOperand, StackSlot};

/// What an operation does. A result that is `None` is poison.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Meaning {
    Undefined,
    Results(Vec<Option<i128>>),
}

/// No opcode here has memory.
struct Nowhere;

impl Memory<Concrete> for Nowhere {
    fn load(&mut self, _: &mut Concrete, _: &Bits, bytes: u32, _: &MemOperand) -> (Value<Concrete>, bool) {
        (Value { bits: Bits::zero(8 * bytes), poison: true }, true)
    }

    fn store(&mut self, _: &mut Concrete, _: &Bits, _: &Value<Concrete>, _: &MemOperand) -> bool {
        true
    }

    fn frame_address(&mut self, _: &mut Concrete, _: StackSlot, bits: u32) -> Bits {
        Bits::zero(bits)
    }

    fn fixed_address(&mut self, _: &mut Concrete, _: FixedSlot, bits: u32) -> Bits {
        Bits::zero(bits)
    }
}

/// What the semantics say.
pub fn first(function: &Function, data: &InstData, args: &[Value<Concrete>]) -> Meaning {
    let mut domain = Concrete { choice: Choice::Zeros };
    let evaluation = evaluate(&mut domain, &mut Nowhere, function, data, args).unwrap();
    let number = |value: &Value<Concrete>| (!value.poison).then(|| value.bits.unsigned() as i128);
    match evaluation.ub {
        true => Meaning::Undefined,
        false => Meaning::Results(evaluation.results.iter().map(number).collect()),
    }
}
