//! Pass `allocate`: virtual registers to physical ones and spill slots.
//!
//! The allocator is behind a trait; the pass writes its answer into the function in place. Original instructions keep
//! their identity; moves, spills and reloads are new instructions. PHIs go: their moves stand on the edges. So the pair
//! (selected, allocated) is all that a checker needs.

mod files;
mod program;

use crate::frame::FrameShape;
use crate::pipeline::Pass;
use crate::{Allocator, CompileError, Context};
use files::Files;
use program::Program;
use regalloc2::{Algorithm, Allocation, Ctx, Edit, InstPosition, MachineEnv, Output, RegallocOptions};
use std::cell::RefCell;
use tribunal_ir::function::StackObject;
use tribunal_ir::{
    Constraint, Function, Inst, InstData, Operand, PReg, Properties, Reg, RegFlags, SlotKind, StackSlot, Stage, SubReg,
};
use tribunal_target::Target;
use tribunal_target::moves::Moves;

/// The pass, as the pipeline lists it.
pub static PASS: Pass = Pass {
    name: "allocate",
    from: Stage::EdgesSplit,
    to: Stage::Allocated,
    drops: Properties::IS_SSA.union(Properties::TRACKS_REG_LIVENESS),
    run,
};

/// A register allocator: it decides where every operand lives.
pub trait RegisterAllocator {
    /// Gives each operand a place, and the moves between the places.
    ///
    /// # Errors
    /// The allocator's own message: a fault of the stage before, or of the allocator.
    fn allocate(&self, program: &Program, environment: &MachineEnv) -> Result<Output, String>;
}

impl RegisterAllocator for Allocator {
    fn allocate(&self, program: &Program, environment: &MachineEnv) -> Result<Output, String> {
        let algorithm = match self {
            Allocator::Ion => Algorithm::Ion,
            Allocator::Fastalloc => Algorithm::Fastalloc,
        };
        let options = RegallocOptions { verbose_log: false, validate_ssa: false, algorithm };
        SCRATCH.with_borrow_mut(|scratch| match regalloc2::run_with_ctx(program, environment, &options, scratch) {
            Ok(_) => Ok(std::mem::take(&mut scratch.output)),
            Err(error) => {
                // After an error its contents may be anything.
                *scratch = Ctx::default();
                Err(error.to_string())
            }
        })
    }
}

thread_local! {
    /// The allocator's scratch. It is cleared for each function and keeps its capacity for the next.
    static SCRATCH: RefCell<Ctx> = RefCell::default();
}

fn run(context: &mut Context<'_>, function: &mut Function) -> Result<(), CompileError> {
    let target = context.target;
    let files = Files::new(target, FrameShape::of(function, target));
    let program = Program::new(function, target, &files)
        .map_err(|feature| CompileError::unsupported(function, PASS.name, feature))?;
    let output = context.options.allocator.allocate(&program, &files.environment(target));
    let output = output.map_err(|reason| CompileError::internal(function, PASS.name, reason))?;
    let moves = target.moves(context.options.features);
    let slots = spill_slots(moves, (target, &files), &output);
    let slots: Vec<StackSlot> = slots.into_iter().map(|slot| function.stack.push(slot)).collect();
    let writer = Writer { target, moves, files, slots };
    writer.rewrite_operands(function, &program, &output);
    writer.insert_edits(function, &program, &output).ok_or_else(|| {
        CompileError::internal(function, PASS.name, "the target has no move for a register that it gives out")
    })?;
    remove_phis(function);
    Ok(())
}

/// The slots, each for the widest register that is moved to or from it.
fn spill_slots(moves: Moves<'_>, (target, files): (&Target, &Files), output: &Output) -> Vec<StackObject> {
    let mut bytes = vec![0; output.num_spillslots];
    for (_, Edit::Move { from, to }) in &output.edits {
        for (register, slot) in [(from, to), (to, from)] {
            if let (Some(register), Some(slot)) = (register.as_reg(), slot.as_stack())
                && let Some(bytes) = bytes.get_mut(slot.index())
            {
                *bytes = moves.spill_bytes(files.register(register)).max(*bytes);
            }
        }
    }
    let sized = bytes.into_iter().map(|bytes| if bytes == 0 { target.register_bytes() } else { bytes });
    sized.map(|bytes| StackObject::new(SlotKind::Spill, bytes.into(), bytes)).collect()
}

struct Writer {
    target: &'static Target,
    moves: Moves<'static>,
    files: Files,
    slots: Vec<StackSlot>,
}

/// The location of a value.
enum Place {
    Register(PReg),
    Slot(StackSlot),
}

impl Writer {
    fn place(&self, allocation: Allocation) -> Option<Place> {
        match (allocation.as_reg(), allocation.as_stack()) {
            (Some(register), _) => Some(Place::Register(self.files.register(register))),
            (None, Some(slot)) => self.slots.get(slot.index()).copied().map(Place::Slot),
            (None, None) => None,
        }
    }

    fn rewrite_operands(&self, function: &mut Function, program: &Program, output: &Output) {
        for (index, operands) in program.sources.iter().enumerate() {
            let allocations = output.inst_allocs(regalloc2::Inst::new(index));
            for (source, &allocation) in operands.iter().zip(allocations) {
                if let Some(Place::Register(register)) = self.place(allocation) {
                    self.rewrite(function, source.inst, source.operand, register);
                }
            }
        }
    }

    /// Puts `register`, or its part of the operand's size, into the operand.
    fn rewrite(&self, function: &mut Function, inst: Inst, index: usize, register: PReg) {
        let Operand::Reg(mut operand) = function.inst(inst).operands[index] else { return };
        let bits = match (operand.subregister, operand.reg) {
            (SubReg(0), Reg::Virtual(virtual_register)) => match function.vregs[virtual_register].constraint {
                Constraint::Class(class) => self.target.class(class).bits,
                Constraint::Bank(bank) => self.target.class(self.target.bank(bank).class).bits,
                Constraint::None => u32::from(self.target.pointer_bits),
            },
            (part, _) => self.target.vocabulary.subregister_bits(part),
        };
        operand.reg = Reg::Physical(self.target.part_of(register, bits));
        operand.subregister = SubReg(0);
        operand.flags.remove(RegFlags::KILLED | RegFlags::DEAD);
        function.set_operand(inst, index, Operand::Reg(operand));
    }

    /// Inserts the moves in the allocator's order; those before a group of instructions stand before its first. `None`
    /// if the target has no row for a register that is moved.
    fn insert_edits(&self, function: &mut Function, program: &Program, output: &Output) -> Option<()> {
        for (point, edit) in &output.edits {
            let Edit::Move { from, to } = edit;
            let (Some(from), Some(to)) = (self.place(*from), self.place(*to)) else { continue };
            let code = match (from, to) {
                // A move to the place that holds the value already.
                (Place::Register(from), Place::Register(to)) if from == to => continue,
                (from, to) => self.moved(from, to)?,
            };
            let group = &program.groups[point.inst().index()];
            match point.pos() {
                InstPosition::Before => {
                    function.insert_before(group.first, code);
                }
                // Several moves after one instruction keep their order: they stand before the instruction that follows
                // it.
                InstPosition::After => match group.next {
                    Some(next) => {
                        function.insert_before(next, code);
                    }
                    None => {
                        function.append(group.block, code);
                    }
                },
            }
        }
        Some(())
    }

    /// The instruction of a move. The allocator gives no moves from slot to slot.
    fn moved(&self, from: Place, to: Place) -> Option<InstData> {
        let moves = self.moves;
        match (from, to) {
            (Place::Register(from), Place::Register(to)) => moves.copy(to, from),
            (Place::Register(from), Place::Slot(slot)) => moves.spill_to(from, slot),
            (Place::Slot(slot), Place::Register(to)) => moves.reload_from(to, slot),
            (Place::Slot(_), Place::Slot(_)) => None,
        }
    }
}

fn remove_phis(function: &mut Function) {
    for block in function.layout().to_vec() {
        let phis: Vec<Inst> = function.insts(block).take_while(|&inst| function.inst(inst).opcode.is_phi()).collect();
        phis.into_iter().for_each(|inst| function.remove(inst));
    }
}
