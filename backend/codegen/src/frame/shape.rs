//! The shape of a function's frame: the facts that the allocator must know before the frame is laid out, since they
//! take registers from it.
//!
//! Invariant: the allocator adds nothing that changes the shape, so both passes see the same.

use crate::CompileError;
use tribunal_ir::{Function, InstData, RegFlags, SlotKind};
use tribunal_target::Target;
use tribunal_target::abi::CallKind;

/// The shape of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FrameShape {
    /// The stack pointer moves between prologue and epilogue, by no constant.
    pub moves: bool,
    /// The alignment of objects in bytes, if it is above the stack's: the prologue aligns the stack pointer.
    pub realigned: Option<u32>,
    /// The frame pointer points to the frame record.
    pub has_frame_pointer: bool,
}

impl FrameShape {
    /// The shape of this function's frame.
    pub fn of(function: &Function, target: &Target) -> FrameShape {
        let objects = function.stack.values();
        let is_variable = |kind: SlotKind| kind == SlotKind::VariableSized;
        let moves = objects.clone().any(|object| is_variable(object.kind))
            || function.all_insts().any(|inst| sets_stack_pointer(function.inst(inst), target));
        let widest = objects.filter(|object| !is_variable(object.kind)).map(|object| object.align).max();
        let realigned = widest.filter(|&align| align > target.abi.stack_align);
        let taken = function.frame_info.is_frame_address_taken || function.frame_info.is_return_address_taken;
        let has_frame_pointer = moves || realigned.is_some() || taken || is_asked_for(function, target);
        FrameShape { moves, realigned, has_frame_pointer }
    }

    /// The frame pointer, and the base pointer, as far as the frame needs them: no value lives there.
    pub fn reserved(self, target: &Target) -> impl Iterator<Item = tribunal_ir::PReg> {
        let frame = self.has_frame_pointer.then_some(target.abi.frame_pointer);
        frame.into_iter().chain(self.base_pointer(target))
    }

    /// The register that points to the objects, if the stack pointer and the frame pointer are both at no constant
    /// distance from them.
    pub fn base_pointer(self, target: &Target) -> Option<tribunal_ir::PReg> {
        (self.moves && self.realigned.is_some()).then_some(target.abi.base_pointer)
    }

    /// Refuses a function that writes a register which its frame needs, and a machine that has none.
    pub(super) fn check(self, function: &Function, target: &Target) -> Result<(), CompileError> {
        let refused = |feature: &str| Err(CompileError::unsupported(function, super::PASS.name, feature));
        if self.has_frame_pointer && target.abi.frame_pointer == target.abi.stack_pointer {
            return refused("frame pointers");
        }
        let full = |register| target.vocabulary.full_register(register);
        let mut written = function.all_insts().flat_map(|inst| function.inst(inst).defs());
        let is_taken = |register| self.reserved(target).any(|reserved| reserved == full(register));
        match written.any(|operand| operand.reg.as_physical().is_some_and(is_taken)) {
            true => refused("writes of the frame pointer or of the base pointer"),
            false => Ok(()),
        }
    }
}

/// True for `$x2 = COPY ...` and its like, but not for the markers of a call's frame.
fn sets_stack_pointer(data: &InstData, target: &Target) -> bool {
    let mut explicit = data.defs().filter(|operand| !operand.flags.contains(RegFlags::IMPLICIT));
    explicit.any(|operand| operand.reg.as_physical() == Some(target.abi.stack_pointer))
}

/// True if the module asks for a frame pointer here: LLVM's function attribute.
fn is_asked_for(function: &Function, target: &Target) -> bool {
    match function.attribute("frame-pointer") {
        Some("all") => true,
        Some("non-leaf" | "non-leaf-no-reserve") => {
            let is_call = |data| target.call_kind(data) == Some(CallKind::Returning);
            function.all_insts().any(|inst| is_call(function.inst(inst)))
        }
        _ => false,
    }
}
