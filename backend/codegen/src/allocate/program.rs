//! The function as regalloc2 sees it.
//!
//! Most machine instructions map to one instruction of regalloc2's. Four groups map to one each, so that no move lands
//! inside them:
//! - the copies from argument registers at the entry;
//! - the copies to result registers with their return;
//! - the terminators of a block: a conditional branch and the jump after it;
//! - a call with the copies of its arguments and results. Arguments on the stack are stored before.

use super::files::{Files, virtual_register};
use regalloc2::{
    Block, Inst as AllocInst, InstRange, Operand as AllocOperand, OperandConstraint, OperandKind, OperandPos,
};
use regalloc2::{PRegSet, RegClass, VReg as AllocVReg};
use smallvec::SmallVec;
use tribunal_ir::{Constraint, Function, Inst, InstData, Opcode, OpcodeFlags, Operand, PReg, Reg, RegFlags, VReg};
use tribunal_target::instructions::OperandDesc;
use tribunal_target::{Target, environment};

/// The origin of an operand of the allocator's.
#[derive(Clone, Copy, Debug)]
pub struct OperandSource {
    pub inst: Inst,
    pub operand: usize,
}

/// Machine instructions that the allocator sees as one.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    pub first: Inst,
    /// The instruction after the last; `None` at the end of the block.
    pub next: Option<Inst>,
    pub block: tribunal_ir::Block,
    is_return: bool,
    is_branch: bool,
    /// The clobbered registers of a call, except those that it defines.
    clobbers: PRegSet,
}

/// A function for the allocator.
pub struct Program {
    pub groups: Vec<Group>,
    /// The origins of the operands, for each group.
    pub sources: Vec<SmallVec<[OperandSource; 4]>>,
    operands: Vec<SmallVec<[AllocOperand; 4]>>,
    ranges: Vec<InstRange>,
    successors: Vec<Vec<Block>>,
    predecessors: Vec<Vec<Block>>,
    params: Vec<Vec<AllocVReg>>,
    /// The values that each block passes to each successor.
    arguments: Vec<Vec<Vec<AllocVReg>>>,
    registers: usize,
}

/// Blocks in the allocator's order: each after its dominators, whatever the layout. The fast allocator goes through
/// them last to first and must meet uses before their definition. Unreachable blocks come last.
fn order(function: &Function) -> Vec<tribunal_ir::Block> {
    let mut order = function.reverse_post_order();
    let mut reached = vec![false; function.block_bound()];
    order.iter().for_each(|block| reached[block.as_u32() as usize] = true);
    order.extend(function.layout().iter().filter(|block| !reached[block.as_u32() as usize]));
    order
}

/// The input of the program.
#[derive(Clone, Copy)]
struct Code<'f> {
    function: &'f Function,
    target: &'static Target,
    files: &'f Files,
}

impl Program {
    /// The error is the name of an unsupported feature.
    pub fn new(function: &Function, target: &'static Target, files: &Files) -> Result<Program, String> {
        let order = order(function);
        let mut number = vec![None; function.block_bound()];
        for (index, &block) in order.iter().enumerate() {
            number[block.as_u32() as usize] = Some(Block::new(index));
        }
        let numbered =
            |block: tribunal_ir::Block| number[block.as_u32() as usize].ok_or("a branch to a block that is gone");
        let mut program = Program {
            groups: Vec::new(),
            sources: Vec::new(),
            operands: Vec::new(),
            ranges: Vec::new(),
            successors: Vec::new(),
            predecessors: vec![Vec::new(); order.len()],
            params: Vec::new(),
            arguments: Vec::new(),
            registers: function.vregs.len(),
        };
        for (index, &block) in order.iter().enumerate() {
            let successors: Result<Vec<Block>, _> = function.successors(block).map(numbered).collect();
            let successors = successors?;
            successors.iter().for_each(|successor| program.predecessors[successor.index()].push(Block::new(index)));
            let named = |register| virtual_register(function, target, register);
            program.params.push(phis(function, block).filter_map(|data| data.vreg(0)).map(named).collect());
            program.arguments.push(function.successors(block).map(|to| passed(function, target, block, to)).collect());
            program.successors.push(successors);
            program.block(Code { function, target, files }, block, index == 0)?;
        }
        Ok(program)
    }

    fn block(&mut self, source: Code<'_>, block: tribunal_ir::Block, entry: bool) -> Result<(), String> {
        let Code { function, target, .. } = source;
        let first = self.groups.len();
        let insts: Vec<Inst> = function.insts(block).filter(|&inst| !function.inst(inst).opcode.is_phi()).collect();
        let mut rest = insts.as_slice();
        if entry {
            let arguments = rest.iter().take_while(|&&inst| is_incoming(source, function.inst(inst))).count();
            rest = self.group(source, block, rest, arguments)?;
        }
        let ending = rest.iter().rev().take_while(|&&inst| ends(function.inst(inst), target)).count();
        while rest.len() > ending {
            let count = call_sequence(source, &rest[..rest.len() - ending]);
            rest = self.group(source, block, rest, count)?;
        }
        if ending == 0 {
            return Err("a block without a terminator".to_string());
        }
        self.group(source, block, rest, ending)?;
        self.ranges.push(InstRange::new(AllocInst::new(first), AllocInst::new(self.groups.len())));
        Ok(())
    }

    /// Adds the first `count` instructions as one; returns the rest.
    fn group<'i>(
        &mut self,
        source: Code<'_>,
        block: tribunal_ir::Block,
        insts: &'i [Inst],
        count: usize,
    ) -> Result<&'i [Inst], String> {
        let (members, rest) = insts.split_at(count);
        let (Some(&first), Some(&last)) = (members.first(), members.last()) else { return Ok(rest) };
        let flags = opcode_flags(source.function.inst(last), source.target);
        self.groups.push(Group {
            first,
            next: rest.first().copied(),
            block,
            // A trap ends a block without a successor too, as the allocator sees it.
            is_return: rest.is_empty() && flags.contains(OpcodeFlags::BARRIER) && !flags.contains(OpcodeFlags::BRANCH),
            is_branch: flags.contains(OpcodeFlags::BRANCH),
            clobbers: clobbers(source, members),
        });
        let (mut sources, mut operands) = (SmallVec::new(), SmallVec::new());
        for &inst in members {
            add_operands(source, inst, count > 1, &mut sources, &mut operands)?;
        }
        if has_two_values(&operands) {
            return Err("two copies of one argument or result register".to_string());
        }
        self.sources.push(sources);
        self.operands.push(operands);
        Ok(rest)
    }
}

/// True if two values begin, or end, in one register.
fn has_two_values(operands: &[AllocOperand]) -> bool {
    let conflict = |one: &AllocOperand, other: &AllocOperand| {
        let is_fixed = matches!(one.constraint(), OperandConstraint::FixedReg(_));
        let same_place = (one.kind(), one.constraint()) == (other.kind(), other.constraint());
        is_fixed && same_place && one.vreg() != other.vreg()
    };
    let mut earlier = (0..).zip(operands);
    earlier.any(|(index, one)| operands[..index].iter().any(|other| conflict(one, other)))
}

/// The number of instructions that make one call: the copies to argument registers before it, and from the call to the
/// last copy of a result. 1 for any other instruction.
fn call_sequence(source: Code<'_>, insts: &[Inst]) -> usize {
    let Code { function, target, .. } = source;
    let data = |index: usize| insts.get(index).map(|&inst| function.inst(inst));
    let passes = |data: &InstData| matches!(copied(data), Some((Reg::Physical(_), _)));
    let mut count = 0;
    while data(count).is_some_and(passes) {
        count += 1;
    }
    if !data(count).is_some_and(|data| target.is_call(data)) {
        return insts.len().min(1);
    }
    count += 1;
    while data(count).is_some_and(|data| target.is_call_frame(data) && !target.opens_call_frame(data)) {
        count += 1;
    }
    let is_result = |data: &InstData| is_argument(source, data);
    while data(count).is_some_and(is_result) {
        count += 1;
    }
    count
}

/// The registers that the calls among these instructions clobber, except the results that they copy.
fn clobbers(source: Code<'_>, members: &[Inst]) -> PRegSet {
    let Code { function, target, files } = source;
    let mut set = PRegSet::empty();
    if let Some(&call) = members.iter().find(|&&inst| target.is_call(function.inst(inst))) {
        let lost = environment::clobbered(target, function.inst(call)).into_iter();
        lost.filter_map(|register| files.name(register)).for_each(|name| set.add(name));
        for &inst in members {
            if let Some((Reg::Virtual(_), Reg::Physical(result))) = copied(function.inst(inst)) {
                let name = files.name(target.vocabulary.full_register(result));
                name.into_iter().for_each(|name| set.remove(name));
            }
        }
    }
    set
}

fn phis(function: &Function, block: tribunal_ir::Block) -> impl Iterator<Item = &InstData> {
    function.insts(block).map(|inst| function.inst(inst)).take_while(|data| data.opcode.is_phi())
}

/// The values that the PHIs of `to` take from `from`.
fn passed(function: &Function, target: &Target, from: tribunal_ir::Block, to: tribunal_ir::Block) -> Vec<AllocVReg> {
    let input = |data: &InstData| data.phi_inputs().find(|&(_, block)| block == from).map(|(value, _)| value);
    phis(function, to).filter_map(input).map(|register| virtual_register(function, target, register)).collect()
}

fn opcode_flags(data: &InstData, target: &Target) -> OpcodeFlags {
    match data.opcode {
        Opcode::Target(opcode) => target.instruction(opcode).flags,
        _ => OpcodeFlags::empty(),
    }
}

/// `%v = COPY $argument`: an argument of the function, or the result of a call. A local function of C may take more
/// arguments in registers than the convention has: those are live-ins.
fn is_argument(source: Code<'_>, data: &InstData) -> bool {
    let Code { function, target, files } = source;
    match copied(data) {
        Some((Reg::Virtual(_), Reg::Physical(register))) => {
            let full = target.vocabulary.full_register(register);
            let passes = target.abi.is_argument(full) || function.is_live_in(register);
            passes && files.name(full).is_some()
        }
        _ => false,
    }
}

/// An argument of the function. LLVM's convention for local functions passes values in scratch registers too: their
/// copies stand with those of the others, so nothing comes between.
fn is_incoming(source: Code<'_>, data: &InstData) -> bool {
    let Code { function, target, .. } = source;
    let in_scratch = match copied(data) {
        Some((Reg::Virtual(_), Reg::Physical(register))) => {
            target.abi.scratch.contains(&register) && function.is_live_in(register)
        }
        _ => false,
    };
    in_scratch || is_argument(source, data)
}

/// A terminator, or a copy to a result register.
fn ends(data: &InstData, target: &Target) -> bool {
    let to_result = match copied(data) {
        Some((Reg::Physical(register), Reg::Virtual(_))) => register != target.abi.stack_pointer,
        _ => false,
    };
    to_result || opcode_flags(data, target).contains(OpcodeFlags::TERMINATOR)
}

fn copied(data: &InstData) -> Option<(Reg, Reg)> {
    match (data.opcode, data.operands.as_slice()) {
        (Opcode::COPY, [Operand::Reg(dst), Operand::Reg(src), ..]) => Some((dst.reg, src.reg)),
        _ => None,
    }
}

/// The allocator's operands of one instruction. Copies from or to physical registers constrain the virtual one to it.
fn add_operands(
    source: Code<'_>,
    inst: Inst,
    grouped: bool,
    sources: &mut SmallVec<[OperandSource; 4]>,
    operands: &mut SmallVec<[AllocOperand; 4]>,
) -> Result<(), String> {
    let Code { function, target, files } = source;
    let data = function.inst(inst);
    let descs = match data.opcode {
        Opcode::Target(opcode) => target.instruction(opcode).operands,
        _ => &[],
    };
    let fixed = match copied(data) {
        Some((Reg::Virtual(_), Reg::Physical(register)) | (Reg::Physical(register), Reg::Virtual(_))) => {
            let bound =
                grouped || is_argument(source, data) || opcode_flags(data, target).contains(OpcodeFlags::TERMINATOR);
            let full = target.vocabulary.full_register(register);
            let name = files.name(full);
            let value = data.operands.iter().find_map(Operand::as_vreg);
            let file = value.map(|value| virtual_register(function, target, value).class());
            if name.zip(file).is_some_and(|(name, file)| name.class() != file) {
                return Err("a copy between register files".to_string());
            }
            match name {
                Some(_) if !bound => {
                    return Err("a copy of an argument or result register in mid-function".to_string());
                }
                // The frame pass may clobber it between any two groups.
                None if target.abi.scratch.contains(&full) && !bound && !is_incoming(source, data) => {
                    return Err(format!("a copy of ${} in mid-function", target.vocabulary.register_name(full)));
                }
                // A copy of the zero register or of the stack pointer, which have no name, is an ordinary instruction.
                name => name,
            }
        }
        _ => None,
    };
    let start = operands.len();
    let mut pins = Pins::new(files, target);
    let tied_to = |index: usize| descs.get(index).and_then(OperandDesc::tied_to);
    let tied_source = |index: usize| (0..descs.len()).find(|&at| tied_to(at) == Some(index));
    let is_early =
        |operand: &Operand| operand.as_reg().is_some_and(|register| register.flags.contains(RegFlags::EARLY_CLOBBER));
    // The allocator shares registers with late definitions alone. An early one that shares its own is late there, and
    // the other sources are read as late.
    let mut early = data.operands.iter().enumerate().filter(|(_, operand)| is_early(operand));
    let outlives = early.any(|(index, _)| tied_source(index).is_some());
    for (index, operand) in data.operands.iter().enumerate() {
        let Some(register) = operand.as_vreg() else { continue };
        let tied_def = tied_source(index);
        let (kind, position) = match operand.is_def() {
            true if is_early(operand) && tied_def.is_none() => (OperandKind::Def, OperandPos::Early),
            true => (OperandKind::Def, OperandPos::Late),
            false if outlives && tied_to(index).is_none() => (OperandKind::Use, OperandPos::Late),
            false => (OperandKind::Use, OperandPos::Early),
        };
        // An operand that shares its register with a definition is in the definition's class too.
        let shared = tied_to(index).and_then(|to| data.vreg(to)).unwrap_or(register);
        let constraint = match (fixed, tied_def) {
            (Some(name), _) => OperandConstraint::FixedReg(name),
            // The index counts the allocator's operands: those of this instruction that are virtual registers.
            (None, Some(at)) => {
                let before = data.operands[..at].iter().filter(|operand| operand.as_vreg().is_some()).count();
                OperandConstraint::Reuse(start + before)
            }
            (None, None) => pins.of(function, shared).map_or(OperandConstraint::Reg, OperandConstraint::FixedReg),
        };
        sources.push(OperandSource { inst, operand: index });
        operands.push(AllocOperand::new(virtual_register(function, target, register), constraint, kind, position));
    }
    Ok(())
}

/// Registers of one instruction whose class has not all of its bank: the allocator knows no such class, so each gets
/// one register of it.
struct Pins<'f> {
    files: &'f Files,
    target: &'static Target,
    given: SmallVec<[(VReg, PReg); 2]>,
}

impl<'f> Pins<'f> {
    fn new(files: &'f Files, target: &'static Target) -> Pins<'f> {
        Pins { files, target, given: SmallVec::new() }
    }

    /// The allocator's name of the register for `value`; `None` if any of its bank will do.
    fn of(&mut self, function: &Function, value: VReg) -> Option<regalloc2::PReg> {
        let Constraint::Class(class) = function.vregs[value].constraint else { return None };
        let class = self.target.class(class);
        let bank = self.target.class(self.target.bank(class.bank).class);
        if class.allocatable.len() == bank.allocatable.len() {
            return None;
        }
        let known = self.given.iter().find(|(other, _)| *other == value).map(|&(_, register)| register);
        let is_free = |register: &PReg| self.given.iter().all(|(_, given)| given != register);
        let register = known.or_else(|| class.allocatable.iter().copied().find(is_free))?;
        self.given.push((value, register));
        self.files.name(self.target.vocabulary.full_register(register))
    }
}

impl regalloc2::Function for Program {
    fn num_insts(&self) -> usize {
        self.groups.len()
    }
    fn num_blocks(&self) -> usize {
        self.ranges.len()
    }
    fn entry_block(&self) -> Block {
        Block::new(0)
    }
    fn block_insns(&self, block: Block) -> InstRange {
        self.ranges[block.index()]
    }
    fn block_succs(&self, block: Block) -> &[Block] {
        &self.successors[block.index()]
    }
    fn block_preds(&self, block: Block) -> &[Block] {
        &self.predecessors[block.index()]
    }
    fn block_params(&self, block: Block) -> &[AllocVReg] {
        &self.params[block.index()]
    }
    fn is_ret(&self, inst: AllocInst) -> bool {
        self.groups[inst.index()].is_return
    }
    fn is_branch(&self, inst: AllocInst) -> bool {
        self.groups[inst.index()].is_branch
    }
    fn branch_blockparams(&self, block: Block, _: AllocInst, successor: usize) -> &[AllocVReg] {
        &self.arguments[block.index()][successor]
    }
    fn inst_operands(&self, inst: AllocInst) -> &[AllocOperand] {
        &self.operands[inst.index()]
    }
    fn inst_clobbers(&self, inst: AllocInst) -> PRegSet {
        self.groups[inst.index()].clobbers
    }
    fn num_vregs(&self) -> usize {
        self.registers
    }
    fn spillslot_size(&self, _: RegClass) -> usize {
        1
    }
}
