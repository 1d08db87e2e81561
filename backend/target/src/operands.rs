//! What the meanings of all instruction sets share: sources of an instruction as values, and results put together.

use crate::Target;
use crate::instructions::OperandDesc;
use crate::meaning::{AnyDomain, MachineEvaluation};
use smallvec::{SmallVec, smallvec};
use tribunal_ir::semantics::{Domain, Unsupported, Value};
use tribunal_ir::{InstData, Opcode, Operand};

/// The sources of one instruction in operand order, definitions and labels left out: registers, stack addresses,
/// immediates as wide as a register; then the registers read implicitly.
pub(crate) struct Sources<D: Domain + ?Sized> {
    pub values: SmallVec<[Value<D>; 4]>,
}

impl<D: Domain + ?Sized> Sources<D> {
    /// The first `N` sources.
    pub fn exactly<const N: usize>(&self, inst: &InstData) -> Result<[&Value<D>; N], Unsupported> {
        let mut values = self.values.iter();
        let mut missing = false;
        let taken: [Option<&Value<D>>; N] = std::array::from_fn(|_| {
            let value = values.next();
            missing |= value.is_none();
            value
        });
        match missing {
            true => Err(Unsupported::new(format!("malformed {}", inst.opcode))),
            false => Ok(taken.map(|value| value.expect("none is missing"))),
        }
    }
}

/// Collects the sources. `args` has one value for each register read, explicit then implicit.
pub(crate) fn sources<D: AnyDomain + ?Sized>(
    d: &mut D,
    target: &Target,
    inst: &InstData,
    args: &[Value<D>],
) -> Result<Sources<D>, Unsupported> {
    let Opcode::Target(opcode) = inst.opcode else { return Err(Unsupported::new(inst.opcode.to_string())) };
    let row = target.instruction(opcode);
    let malformed = || Unsupported::new(format!("malformed {}", row.name));
    let mut args = args.iter();
    let mut values = SmallVec::new();
    for (index, operand) in inst.operands.iter().enumerate() {
        let value = match operand {
            Operand::Reg(_) if operand.is_def() => continue,
            Operand::Reg(register) => {
                let value = args.next().cloned().ok_or_else(malformed)?;
                let width = row.operands.get(index).and_then(OperandDesc::class).map(|class| target.class(class).bits);
                match width {
                    // A wide register read as its low part.
                    Some(bits) if register.subregister.0 != 0 || d.width(&value.bits) != bits => {
                        Value { bits: d.zext_or_trunc(&value.bits, bits), poison: value.poison }
                    }
                    _ => value,
                }
            }
            Operand::Imm(value) => {
                Value { bits: d.literal(*value, target.pointer_bits.into()), poison: d.boolean(false) }
            }
            Operand::Stack(slot) => {
                Value { bits: d.frame_address(*slot, target.pointer_bits.into()), poison: d.boolean(false) }
            }
            Operand::Block(_) => continue,
            Operand::FixedStack(_) => return Err(Unsupported::new("stack arguments")),
            Operand::Const { .. } | Operand::WideConst(_) | Operand::Predicate(_) | Operand::Symbol(_) => {
                return Err(malformed());
            }
        };
        values.push(value);
    }
    Ok(Sources { values })
}

/// One result; poison if any source is.
pub(crate) fn finish<D: AnyDomain + ?Sized>(d: &mut D, bits: D::Bits, sources: &Sources<D>) -> MachineEvaluation<D> {
    let mut poison = d.boolean(false);
    for value in &sources.values {
        poison = d.bool_or(&poison, &value.poison);
    }
    MachineEvaluation { results: smallvec![Value { bits, poison }], ub: d.boolean(false), taken: None, to: None }
}

/// An instruction that computes nothing: a jump or a return, which the walker follows.
pub(crate) fn jump_free<D: AnyDomain + ?Sized>(d: &mut D) -> MachineEvaluation<D> {
    MachineEvaluation { results: SmallVec::new(), ub: d.boolean(false), taken: None, to: None }
}

/// The instructions around a call leave the stack pointer, their last source, as it was: nothing is passed on the stack.
pub(crate) fn call_frame<D: AnyDomain + ?Sized>(
    d: &mut D,
    inst: &InstData,
    sources: &Sources<D>,
) -> Result<MachineEvaluation<D>, Unsupported> {
    match (inst.imm(0), inst.imm(1), sources.values.last()) {
        (Some(0), Some(0), Some(stack_pointer)) => Ok(MachineEvaluation {
            results: smallvec![stack_pointer.clone()],
            ub: d.boolean(false),
            taken: None,
            to: None,
        }),
        _ => Err(Unsupported::new("stack arguments")),
    }
}
