//! Prologue and epilogues, with the rules by which an unwinder finds the caller's frame at each of their instructions.

use super::layout::{FrameLayout, SavedRegister};
use super::no_move;
use crate::CompileError;
use tribunal_ir::{CfiInstruction, Function, InstData, InstFlags, Opcode, OpcodeFlags, Operand, PReg};
use tribunal_target::Target;
use tribunal_target::moves::Moves;

/// The contents of prologue and epilogue.
pub(super) struct FrameCode<'t> {
    pub target: &'t Target,
    pub moves: Moves<'t>,
    pub layout: &'t FrameLayout,
}

impl FrameCode<'_> {
    /// The moves of the saved registers, from the stack pointer, or from scratch where the arguments of calls lie
    /// between.
    fn of_saved(
        &self,
        function: &Function,
        scratch: PReg,
        moved: impl Fn(PReg, PReg, i64) -> Option<InstData>,
    ) -> Result<Vec<InstData>, CompileError> {
        let (target, sp) = (self.target, self.target.abi.stack_pointer);
        let mut code = Vec::new();
        for &SavedRegister { register, place } in &self.layout.saved {
            let offset = place + self.layout.first;
            let near = moved(register, sp, offset).ok_or_else(|| no_move(function))?;
            if fits(target, &near, offset) {
                code.push(near);
                continue;
            }
            code.extend(target.machine.add_offset(scratch, sp, offset, scratch));
            code.push(moved(register, scratch, 0).ok_or_else(|| no_move(function))?);
        }
        Ok(code)
    }

    pub fn prologue(&self, function: &mut Function) -> Result<(), CompileError> {
        let Some(entry) = function.entry() else { return Ok(()) };
        let (target, sp) = (self.target, self.target.abi.stack_pointer);
        // A local function may have an argument in the usual one.
        let mut free = target.abi.scratch.iter().chain(target.abi.caller_saved).copied();
        let free = free.find(|&register| register != target.abi.return_address && !function.is_live_in(register));
        let scratch = free.unwrap_or(target.abi.scratch[0]);
        let FrameLayout { first, size, .. } = *self.layout;
        let spills =
            self.of_saved(function, scratch, |register, base, offset| self.moves.spill(register, base, offset))?;
        let mut code = self.moved_stack((0, first), scratch);
        code.extend(spills);
        let place = |saved: &SavedRegister| CfiInstruction::Offset(saved.register, saved.place as i32);
        code.extend(self.layout.saved.iter().map(place).map(rule));
        if let Some(frame) = self.layout.frame_pointer {
            code.extend(target.machine.add_offset(frame.register, sp, first - frame.distance, scratch));
            code.push(rule(CfiInstruction::DefCfa(frame.register, frame.distance as i32)));
        }
        match self.layout.shape.realigned {
            Some(align) => {
                code.extend(target.machine.add_offset(scratch, sp, first - size, scratch));
                let aligned = target.machine.align_down(sp, scratch, align);
                let feature = || CompileError::unsupported(function, super::PASS.name, "realignment of the stack");
                code.extend(aligned.ok_or_else(feature)?);
            }
            None if size > first => code.extend(target.machine.add_offset(sp, sp, first - size, scratch)),
            None => {}
        }
        if let Some(base) = self.layout.shape.base_pointer(target) {
            code.extend(target.machine.add_offset(base, sp, 0, scratch));
        }
        for data in code.into_iter().rev() {
            function.prepend(entry, data.with_flags(InstFlags::FRAME_SETUP));
        }
        Ok(())
    }

    /// Moves the stack pointer from one distance below the caller's to another, in bytes. The unwinder knows the
    /// distance after each instruction that moves it.
    fn moved_stack(&self, (from, to): (i64, i64), scratch: PReg) -> Vec<InstData> {
        let (target, sp) = (self.target, self.target.abi.stack_pointer);
        let (mut code, mut distance) = (Vec::new(), from);
        for step in target.machine.steps(from - to) {
            code.extend(target.machine.add_offset(sp, sp, step, scratch));
            distance -= step;
            code.push(rule(CfiInstruction::DefCfaOffset(distance as i32)));
        }
        code
    }

    /// Brings the stack pointer back to where the first step of the prologue left it.
    fn unwound(&self) -> Vec<InstData> {
        let (target, sp, scratch) = (self.target, self.target.abi.stack_pointer, self.target.abi.scratch[0]);
        let FrameLayout { first, size, shape, .. } = *self.layout;
        let Some(frame) = self.layout.frame_pointer else { return Vec::new() };
        let mut code = match shape.moves || shape.realigned.is_some() {
            true => target.machine.add_offset(sp, frame.register, frame.distance - first, scratch),
            false if size > first => target.machine.add_offset(sp, sp, size - first, scratch),
            false => Vec::new(),
        };
        code.push(rule(CfiInstruction::DefCfa(sp, first as i32)));
        code
    }

    /// Before every return. The block after one, in the layout, has the unwinder's rules of those that go on.
    pub fn epilogues(&self, function: &mut Function) -> Result<(), CompileError> {
        let (target, scratch) = (self.target, self.target.abi.scratch[0]);
        let is_return = |data: &InstData| match data.opcode {
            Opcode::Target(opcode) => target.instruction(opcode).flags.contains(OpcodeFlags::RETURN),
            _ => false,
        };
        let mut code = self.unwound();
        code.extend(
            self.of_saved(function, scratch, |register, base, offset| self.moves.reload(register, base, offset))?,
        );
        code.extend(self.layout.saved.iter().map(|saved| rule(CfiInstruction::Restore(saved.register))));
        code.extend(self.moved_stack((self.layout.first, 0), scratch));
        let layout = function.layout().to_vec();
        for (index, &block) in layout.iter().enumerate() {
            let Some(last) = function.last_inst(block).filter(|&last| is_return(function.inst(last))) else { continue };
            let next = layout.get(index + 1);
            let remembered = next.map(|_| rule(CfiInstruction::RememberState));
            for data in remembered.iter().chain(&code) {
                function.insert_before(last, data.clone().with_flags(InstFlags::FRAME_DESTROY));
            }
            if let Some(&next) = next {
                function.prepend(next, rule(CfiInstruction::RestoreState));
            }
        }
        Ok(())
    }
}

/// True if the offset may stand in the address of this load or store.
pub(super) fn fits(target: &Target, data: &InstData, offset: i64) -> bool {
    match data.opcode {
        Opcode::Target(opcode) => target.offset_fits(opcode, offset),
        _ => false,
    }
}

fn rule(instruction: CfiInstruction) -> InstData {
    InstData::new(Opcode::CFI_INSTRUCTION, [Operand::Cfi(instruction)])
}
