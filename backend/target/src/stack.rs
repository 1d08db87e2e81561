//! The meaning of operations on the stack pointer, which no table of opcodes can state: the register is the target's.
//!
//! The proof of a step uses it. An execution does not: what lies below the stack pointer is no memory of the
//! interpreter's, so it says `unsupported`.

use crate::Target;
use tribunal_ir::semantics::walk::{self, MachineState, Next, Transfer};
use tribunal_ir::semantics::{Domain, Unsupported, Value};
use tribunal_ir::{InstData, Opcode, Operand};

/// True for an operation that saves, sets or moves the stack pointer.
pub fn is_stack_operation(opcode: Opcode) -> bool {
    opcode == Opcode::G_DYN_STACKALLOC || matches!(opcode, Opcode::G_STACKSAVE | Opcode::G_STACKRESTORE)
}

/// Executes such an operation. An object of variable size begins at the new stack pointer, which is aligned as the
/// object is; an alignment up to that of the stack takes nothing. A poison size or stack pointer is undefined.
///
/// # Errors
/// The instruction has other operands than its opcode takes.
pub fn execute<D: Domain, S: MachineState<D>>(
    target: &Target,
    state: &mut S,
    data: &InstData,
) -> Result<Transfer<D>, Unsupported> {
    let malformed = || Unsupported::malformed(data.opcode);
    let pointer = target.abi.stack_pointer;
    let first = data.operands.first().and_then(Operand::as_reg).ok_or_else(malformed)?;
    let old = walk::read_physical(state, pointer);
    if data.opcode == Opcode::G_STACKSAVE {
        walk::write(state, first, old)?;
        let ub = state.domain().boolean(false);
        return Ok(Transfer { ub, next: Next::Following });
    }
    let (bits, ub) = if data.opcode == Opcode::G_STACKRESTORE {
        let Value { bits, poison, .. } = walk::read(state, first)?;
        (bits, poison)
    } else {
        let size = data.operands.get(1).and_then(Operand::as_reg).ok_or_else(malformed)?;
        let align = data.imm(2).ok_or_else(malformed)?;
        let Value { bits, poison, .. } = walk::read(state, size)?;
        let width = target.pointer_bits.into();
        let domain = state.domain();
        let bits = domain.zext_or_trunc(&bits, width);
        let mut bits = domain.sub(&old.bits, &bits);
        if align > i64::from(target.abi.stack_align) {
            let mask = domain.literal(align.wrapping_neg(), width);
            bits = domain.and(&bits, &mask);
        }
        (bits, poison)
    };
    let poison = state.domain().boolean(false);
    if data.opcode == Opcode::G_DYN_STACKALLOC {
        walk::write(state, first, Value::new(bits.clone(), poison.clone()))?;
    }
    walk::write_physical(state, pointer, Value::new(bits, poison));
    Ok(Transfer { ub, next: Next::Following })
}
