//! The evaluation of one block of one function, and of the registers that it returns.

use super::induction::Validation;
use super::{Undef, control, undefined};
use crate::prover::memory::SymbolicMemory;
use crate::prover::opaque;
use crate::prover::query::{self, StepOutput};
use crate::prover::side::{Exit, Scalar, Side, SideEvaluation};
use crate::prover::{Pair, ValueName};
use rustc_hash::FxHashMap;
use tribunal_ir::semantics::Unsupported;
use tribunal_ir::{Block, Function, InstData, Opcode, OpcodeFlags, PReg, RegFlags, VReg};
use tribunal_target::Target;
use tribunal_target::environment::{self, LibraryCall};

impl Validation<'_> {
    pub(super) fn side(
        &mut self,
        function: &Function,
        block: Block,
        place: u32,
        defined: FxHashMap<VReg, Scalar>,
    ) -> Result<Side, Unsupported> {
        let insts = self.body(function, block)?;
        self.inputs.tables = function.jump_tables.tables.keys().collect();
        let mut side = self.empty_side(function, place, defined);
        let (d, inputs, opaque) = (&mut self.graph, &mut self.inputs, Some(&mut self.opaque));
        let target = self.setting.target;
        let (machine, standing) = (false, None);
        let mut evaluation = SideEvaluation { d, target, function, inputs, machine, standing, own: &insts, opaque };
        side.memory.tables = evaluation.tables();
        evaluation.run(&mut side, &insts)?;
        if self.setting.undef == Undef::PerUse {
            let arrivals = undefined::arrivals(function, block);
            // In the earlier function one value for all reads is one of its behaviours; in the later one nothing here
            // says the others.
            if evaluation.is_later() && undefined::is_read_again(function, arrivals.iter().map(|&(phi, _)| phi)) {
                return Err(Unsupported::new("an undefined value through a PHI that is read more than once"));
            }
            evaluation.arrive(&mut side, &arrivals);
        }
        control::closed(&mut self.graph, function, block, &mut side)?;
        Ok(side)
    }

    /// The instructions of a block after its PHIs.
    pub(super) fn body(&self, function: &Function, block: Block) -> Result<Vec<InstData>, Unsupported> {
        let is_entry = function.entry() == Some(block);
        if reads_stale(self.setting.target, function, block, Reads::of(is_entry)) {
            return Err(Unsupported::new("a physical register read that nothing in its block writes"));
        }
        let insts = function.insts(block).map(|inst| function.inst(inst));
        Ok(insts.filter(|data| !data.opcode.is_phi()).cloned().collect())
    }

    /// A side that has executed nothing.
    pub(super) fn empty_side(&mut self, function: &Function, place: u32, defined: FxHashMap<VReg, Scalar>) -> Side {
        let mut memory = SymbolicMemory::new(&mut self.graph, place, self.inputs.frame.clone(), false);
        memory.fixed = function.fixed_stack.values().map(|object| object.offset).collect();
        memory.follows_objects = self.follows_objects;
        memory.reads_devices = true;
        Side::new(&mut self.graph, defined, memory)
    }

    /// The contents that a returning block leaves in the registers that its return reads, or that a function called in
    /// place of a return leaves its results in.
    pub(super) fn returned(
        &mut self,
        block: Block,
        other: Block,
        source: &Side,
        result: &Side,
    ) -> Result<Vec<StepOutput>, Unsupported> {
        if source.exit != Exit::Return {
            return Ok(Vec::new());
        }
        let Pair { before, after } = self.setting.pair;
        let tail_call = |function: &Function, block| {
            let data = function.last_inst(block).map(|inst| function.inst(inst));
            data.is_some_and(|data| opaque::is_tail_call(function, data, self.setting.target))
        };
        let registers = match (tail_call(before, block), tail_call(after, other)) {
            (true, true) => self.left_by_callee(block, source, result),
            // A call of a runtime function in place of a return leaves its result where a return would.
            (false, true) => self.read_by_return(before, block),
            (false, false) => {
                let registers = self.read_by_return(before, block);
                if registers != self.read_by_return(after, other) {
                    return Err(Unsupported::new("a return that reads other registers"));
                }
                registers
            }
            (true, false) => return Err(Unsupported::new("a tail call that is none any more")),
        };
        let ub = source.ub;
        let outputs = registers.into_iter().map(|(full, bits)| {
            let missing = || Unsupported::new("a returned register that its block does not write");
            let mut of = |side: &Side| {
                let value = side.physical.get(&full).ok_or_else(missing)?;
                Ok(value.resized(&mut self.graph, bits))
            };
            let (source, target) = (of(source)?, of(result)?);
            Ok(StepOutput { name: ValueName::Other("returned"), source, target, ub })
        });
        outputs.collect()
    }

    /// The full registers that the return at the end of a block reads, each with the bits that it reads of it.
    fn read_by_return(&self, function: &Function, block: Block) -> Vec<(PReg, u32)> {
        let Some(data) = function.last_inst(block).map(|inst| function.inst(inst)) else { return Vec::new() };
        let Opcode::Target(opcode) = data.opcode else { return Vec::new() };
        if !self.setting.target.instruction(opcode).flags.contains(OpcodeFlags::RETURN) {
            return Vec::new();
        }
        let vocabulary = self.setting.target.vocabulary;
        let read = data.uses().filter(|operand| !operand.flags.contains(RegFlags::UNDEF));
        let registers = read.filter_map(|operand| operand.reg.as_physical());
        registers.map(|register| (vocabulary.full_register(register), vocabulary.register_bits(register))).collect()
    }

    /// The full registers in which a callee of either side leaves its results, and the bits that are the result. Of an
    /// unknown function those are its own.
    fn left_by_callee(&self, block: Block, source: &Side, result: &Side) -> Vec<(PReg, u32)> {
        let (target, before) = (self.setting.target, self.setting.pair.before);
        let call = before.last_inst(block).and_then(|inst| LibraryCall::of(before, before.inst(inst)));
        let signature = call.and_then(|LibraryCall { function, mask }| target.signature(function, mask));
        let most = match signature {
            Some(signature) if signature.result.by_reference => return Vec::new(),
            Some(signature) => signature.result.bits,
            None => u32::MAX,
        };
        let results = target.abi.passing.iter().flat_map(|passing| passing.results);
        let full = results.map(|&register| target.vocabulary.full_register(register));
        let left = full.filter(|register| [source, result].iter().any(|side| side.physical.contains_key(register)));
        left.map(|register| (register, target.vocabulary.register_bits(register).min(most))).collect()
    }

    /// The contents of registers that a function keeps for its caller, the stack pointer among them, where either side
    /// writes them: equal at the end of each block.
    pub(super) fn preserved(&mut self, source: &Side, result: &Side) -> Vec<StepOutput> {
        let target = self.setting.target;
        let is_kept = |register: &PReg| !target.abi.caller_saved.contains(register);
        let mut outputs = Vec::new();
        query::registers(&mut self.graph, &mut self.inputs, target, (source, result), is_kept, &mut outputs);
        outputs
    }
}

/// The physical registers that hold something at the head of a block.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reads {
    /// Those of the arguments.
    Arguments,
    Nothing,
}

impl Reads {
    /// At the head of the entry block, or of another.
    pub(super) fn of(is_entry: bool) -> Reads {
        if is_entry { Reads::Arguments } else { Reads::Nothing }
    }
}

/// True if the block reads a physical register that it has not written itself, or that it wrote only before a call.
/// Exceptions are arguments at the head of the entry block, the stack pointer, and the thread pointer.
pub(super) fn reads_stale(target: &Target, function: &Function, block: Block, reads: Reads) -> bool {
    let mut written = Vec::new();
    let mut arrived = reads == Reads::Arguments;
    let (abi, vocabulary) = (target.abi, target.vocabulary);
    let stands = |read: PReg| read == abi.stack_pointer || Some(read) == abi.thread_pointer.register();
    let full = |register| vocabulary.full_register(register);
    function.insts(block).map(|inst| function.inst(inst)).any(|data| {
        let read = data.uses().filter(|operand| !operand.flags.contains(RegFlags::UNDEF));
        let registers = read.filter_map(|operand| operand.reg.as_physical().map(full));
        let stale =
            |read: &PReg| !arrived && !stands(*read) && !written.contains(read) && !vocabulary.is_zero_register(*read);
        let reads = registers.into_iter().any(|read| stale(&read));
        if function.opcode_flags(data, vocabulary).contains(OpcodeFlags::CALL) {
            let clobbered = environment::clobbered(target, data);
            written.retain(|register| !clobbered.contains(register));
            arrived = false;
        }
        written.extend(data.defs().filter_map(|operand| operand.reg.as_physical().map(full)));
        reads
    })
}
