//! Traps, operations on the stack pointer, and queries of frames.
//!
//! A trap is an end that can be observed: it stands in the list of calls as one that does not return. So every call
//! before it is compared, and no code may trap elsewhere.
//!
//! An object of variable size lies below the stack pointer, in memory that a frame has for such objects. An access
//! there is defined only within an object that was allocated: the rest is poison.

use super::{Control, End, Numbers, SingleRun};
use crate::call::ExternalCall;
use crate::trap_names;
use tribunal_ir::semantics::walk;
use tribunal_ir::semantics::{Number, PartialBool, Unsupported, Value};
use tribunal_ir::{Function, Inst, InstData, Opcode, OpcodeFlags, RegFlags};
use tribunal_target::frame_records::FrameQuery;
use tribunal_target::{Target, stack};

/// True for an instruction that ends the program: it leaves the function for no place. After `G_DEBUGTRAP` nothing is
/// compared.
pub(super) fn is_trap(target: &Target, data: &InstData) -> bool {
    let Opcode::Target(opcode) = data.opcode else {
        return matches!(data.opcode, Opcode::G_TRAP | Opcode::G_UBSANTRAP) || data.opcode == Opcode::G_DEBUGTRAP;
    };
    let flags = target.instruction(opcode).flags;
    let leaves = OpcodeFlags::BRANCH | OpcodeFlags::RETURN | OpcodeFlags::CALL | OpcodeFlags::INDIRECT;
    flags.contains(OpcodeFlags::TERMINATOR | OpcodeFlags::BARRIER) && !flags.intersects(leaves)
}

pub(super) fn has_traps(function: &Function, target: &Target) -> bool {
    function.all_insts().any(|inst| is_trap(target, function.inst(inst)))
}

/// True if the function asks for frames or return addresses.
pub(super) fn asks_for_frames(function: &Function, target: &Target) -> bool {
    function.all_insts().any(|inst| FrameQuery::of(function, target, function.inst(inst)).is_some())
}

/// True if the function moves the stack pointer by itself.
pub(super) fn moves_stack(function: &Function, target: &Target) -> bool {
    let stack_pointer = target.abi.stack_pointer;
    let writes = |data: &InstData| {
        let mut written = data.defs().filter(|operand| !operand.flags.contains(RegFlags::IMPLICIT));
        written.any(|operand| operand.reg.as_physical() == Some(stack_pointer))
    };
    let insts = function.all_insts().map(|inst| function.inst(inst));
    insts.into_iter().any(|data| stack::is_stack_operation(data.opcode) || writes(data))
}

impl<D: Numbers> SingleRun<'_, D> {
    /// Ends the run at a trap.
    pub(super) fn trap(&mut self, data: &InstData) -> End {
        let name = trap_names::of_instruction(self.target, data);
        if let Some(script) = &mut self.callees.script {
            return match script.call(&name, &[], |_, _| None) {
                Ok(_) => {
                    self.callees.stopped = true;
                    End::Undefined
                }
                Err(mismatch) => {
                    self.mismatch = Some(mismatch);
                    End::Unconstrained
                }
            };
        }
        self.calls_made.push(ExternalCall::trap(name));
        self.accesses_at_call = self.memory.access_count();
        End::Undefined
    }

    /// The frame pointer, or a word of frame records: they are the machine's, so any value is. Above the function's own
    /// record there may be no memory.
    pub(super) fn frame_query(&mut self, data: &InstData, query: FrameQuery) -> Control {
        let Some(dst) = data.vreg_defs().next().filter(|_| query.records() <= 1) else {
            return Control::Break(End::Unconstrained);
        };
        let bits = self.domain.open(self.target.pointer_bits.into());
        self.write(dst, &Value::new(bits, PartialBool::known(false)));
        Control::Continue(None)
    }

    /// Saves, sets or moves the stack pointer.
    pub(super) fn stack_operation(&mut self, inst: Inst, data: &InstData) -> Result<Control, Unsupported> {
        if self.memory.passes_on_stack() {
            return Err(Unsupported::new("stack arguments of calls below objects of variable size"));
        }
        let transfer = stack::execute(self.target, self, data)?;
        let stack_pointer = walk::read_physical(self, self.target.abi.stack_pointer).bits;
        let followed = self.follow(inst, transfer);
        if followed.is_break() || !stack_pointer.is_known() {
            return Ok(if followed.is_break() { followed } else { Control::Break(End::Unconstrained) });
        }
        let is_placed = self.memory.move_stack(stack_pointer.value.low_u64());
        Ok(if is_placed { followed } else { Control::Break(End::TooDeep) })
    }
}
