//! Opcodes: what the second definitions leave out.

use super::*;
use tribunal_ir::semantics::{Pure, Value, evaluate};
use tribunal_ir::{Function, InstData, Opcode, Operand, Type};

/// Widths that no format has, and formats that a type does not tell, have no meaning.
#[test]
fn other_widths_are_unsupported() {
    let mut function = Function::new("f");
    let registers = [(); 3].map(|()| function.new_vreg(Type::scalar(80)));
    let data = InstData::op(Opcode::G_FADD, registers[0], &registers[1..]);
    let arg = Value::new(Bits::zero(80), false);
    let error = evaluate(&mut Concrete { choice: Choice::Zeros }, &mut Pure, &function, &data, &[arg.clone(), arg])
        .unwrap_err();
    assert_eq!(error.feature, "floating point of 80 bits");
}

/// The bits as they are written.
#[test]
fn constants_are_their_bits() {
    let mut function = Function::new("f");
    let (one, register) = (Bits::new(0x3f80_0000, 32), function.new_vreg(Type::scalar(32)));
    let written = function.float(FloatFormat::Float, one);
    let data = InstData::new(Opcode::G_FCONSTANT, [Operand::def(register), written]);
    let evaluation = evaluate(&mut Concrete { choice: Choice::Zeros }, &mut Pure, &function, &data, &[]).unwrap();
    assert_eq!((evaluation.results[0].bits, evaluation.results[0].poison), (one, false));
}
