//! One step of a walk through a function: the instructions that move values between registers or choose the next block.
//!
//! Operations compute on values and stand in `opcodes.rs`; those that see the environment of floating point in
//! `strict.rs`. COPY, IMPLICIT_DEF, KILL, INLINEASM, PHIs and branches need registers, so their definitions are
//! generic over a [`MachineState`] as well as over its [`Domain`]. Interpreter, batch interpreter and prover each bring
//! a state: a table of registers, one with a lane for each input, and terms.
//!
//! ```text
//! $w0 = COPY %0              bits 32 .. 64 of $x0 are 0 afterwards: hardware clears the rest
//! %1.sub_32 = COPY %0        bits 32 .. 64 of %1 stay; with `undef` they are anything
//! undef %1.sub_32 = MADD     bits 32 .. 64 of %1 are 0: an instruction of the machine clears them
//! %2 = COPY undef %0         anything, whatever %0 holds
//! ```
//!
//! Invariant: nothing here is decided by data. Undefined behaviour is returned as a condition, and a conditional branch
//! as the condition of its being taken.

use super::opcodes::malformed;
use super::{Domain, Memory, Unsupported, Value, condition_of, strict};
use crate::address::AddressBase;
use crate::bits::Bits;
use crate::entities::{Block, JumpTable, VReg};
use crate::function::{Constraint, Function};
use crate::inline_assembly::{self, TiedRegisters};
use crate::inst::InstData;
use crate::opcode::Opcode;
use crate::operand::{Operand, Reg, RegFlags, RegOperand};
use crate::vocabulary::{PReg, SubReg, Vocabulary};
use smallvec::SmallVec;

/// The registers and the memory of a function in execution, as values of one domain.
pub trait MachineState<D: Domain> {
    /// The memory that loads and stores reach.
    type Memory: Memory<D>;

    /// The function.
    fn function(&self) -> &Function;
    /// The names and sizes of its machine registers.
    fn vocabulary(&self) -> &'static dyn Vocabulary;
    /// The domain, and the memory that is evaluated with it.
    fn evaluator(&mut self) -> (&mut D, &mut Self::Memory);

    /// The contents of a virtual register, all of it. An error if it has none yet.
    fn virtual_register(&mut self, register: VReg) -> Result<Value<D>, Unsupported>;
    /// Sets all of a virtual register; the value is as wide as it.
    fn set_virtual_register(&mut self, register: VReg, value: Value<D>);
    /// The contents of a full register ([`Vocabulary::full_register`]), all of it.
    fn full_register(&mut self, register: PReg) -> Value<D>;
    /// Sets all of a full register; the value is as wide as it.
    fn set_full_register(&mut self, register: PReg, value: Value<D>);

    /// The domain alone.
    fn domain(&mut self) -> &mut D {
        self.evaluator().0
    }

    /// The contents of a place that nobody wrote, `width` bits: any.
    fn unwritten(&mut self, width: u32) -> Value<D> {
        let domain = self.domain();
        Value::new(domain.choose(width), domain.boolean(false))
    }

    /// A full register holds anything from now on: a call has used it.
    fn clobber(&mut self, register: PReg) {
        let width = self.vocabulary().register_bits(register);
        let value = self.unwritten(width);
        self.set_full_register(register, value);
    }
}

/// The block that control goes to after an instruction.
#[derive(Debug)]
pub enum Next<D: Domain> {
    /// On to the following instruction.
    Following,
    /// To this block.
    To(Block),
    /// To the block where the condition holds, else on.
    If(D::Bool, Block),
    /// To the block that has this address ([`block_address`]); undefined if none has it.
    Indirect(D::Bits),
    /// Out of the function.
    Return,
}

/// The effect of an instruction on control.
#[derive(Debug)]
pub struct Transfer<D: Domain> {
    /// True where executing the instruction is undefined behaviour.
    pub ub: D::Bool,
    /// The way on, where it is not.
    pub next: Next<D>,
}

/// The edge along which control enters a block.
#[derive(Clone, Debug)]
pub enum Edge<D: Domain> {
    /// From this predecessor.
    From(Block),
    /// From the predecessor whose index these 32 bits are.
    Any(D::Bits),
}

/// Executes `data` if it moves a value or transfers control and is no machine's own; `None` for all others. PHIs are
/// executed by [`phis`], all of a block at once.
pub fn execute<D: Domain, S: MachineState<D>>(
    state: &mut S,
    data: &InstData,
) -> Result<Option<Transfer<D>>, Unsupported> {
    let next = match data.opcode {
        Opcode::G_BR => Next::To(label(data)?),
        Opcode::G_BRCOND => return branch(state, data).map(Some),
        Opcode::G_BRINDIRECT => return indirect(state, data).map(Some),
        Opcode::G_BRJT => return table_branch(state, data).map(Some),
        Opcode::COPY => copy(state, data)?,
        Opcode::IMPLICIT_DEF => implicit_def(state, data)?,
        // Markers: no register changes.
        Opcode::KILL | Opcode::JUMP_TABLE_DEBUG_INFO | Opcode::LIFETIME_START | Opcode::LIFETIME_END => Next::Following,
        Opcode::INLINEASM => match inline_assembly::tied_registers(state.function(), data) {
            Some(copies) => copy_all(state, &copies)?,
            None => return Ok(None),
        },
        _ => return strict::execute(state, data),
    };
    Ok(Some(Transfer { ub: state.domain().boolean(false), next }))
}

/// All PHIs of a block on entry along `edge`: every one reads before any writes.
pub fn phis<'i, D: Domain, S: MachineState<D>>(
    state: &mut S,
    insts: impl Iterator<Item = &'i InstData>,
    edge: &Edge<D>,
) -> Result<(), Unsupported> {
    let mut written: SmallVec<[(&RegOperand, Value<D>); 8]> = SmallVec::new();
    for data in insts {
        let dst = data.operands.first().and_then(Operand::as_reg).ok_or_else(|| malformed(data))?;
        written.push((dst, arriving(state, data, edge)?));
    }
    written.into_iter().try_for_each(|(dst, value)| write(state, dst, value))
}

/// The value that a PHI takes along `edge`.
fn arriving<D: Domain, S: MachineState<D>>(
    state: &mut S,
    data: &InstData,
    edge: &Edge<D>,
) -> Result<Value<D>, Unsupported> {
    let mut inputs = data.operands.get(1..).unwrap_or_default().chunks_exact(2).filter_map(|pair| match pair {
        [Operand::Reg(value), Operand::Block(block)] => Some((value, *block)),
        _ => None,
    });
    let number = match edge {
        Edge::From(from) => {
            let input = inputs.find(|(_, block)| block == from).ok_or_else(|| malformed(data))?;
            return read(state, input.0);
        }
        Edge::Any(number) => number,
    };
    let mut value: Option<Value<D>> = None;
    for (input, block) in inputs.rev() {
        let arriving = read(state, input)?;
        let domain = state.domain();
        value = Some(match value {
            None => arriving,
            Some(others) => {
                let block = domain.constant(Bits::new(block.as_u32().into(), 32));
                let here = domain.eq(number, &block);
                Value::either(domain, &here, &arriving, &others)
            }
        });
    }
    value.ok_or_else(|| malformed(data))
}

/// A branch on poison is undefined, as is one on a wide condition that is neither 0 nor 1.
fn branch<D: Domain, S: MachineState<D>>(state: &mut S, data: &InstData) -> Result<Transfer<D>, Unsupported> {
    let condition = data.operands.first().and_then(Operand::as_reg).ok_or_else(|| malformed(data))?;
    let condition = read(state, condition)?;
    let domain = state.domain();
    let (taken, unconstrained) = condition_of(domain, &condition.bits);
    let ub = domain.bool_or(&condition.poison, &unconstrained);
    Ok(Transfer { ub, next: Next::If(taken, label(data)?) })
}

/// The address of a block, as evaluations place it: apart from all memory that a function reaches.
pub fn block_address(block: Block) -> u64 {
    0x7800_0000 + 16 * u64::from(block.as_u32())
}

/// The block that has this address.
pub fn block_at(function: &Function, address: u64) -> Option<Block> {
    function.layout().iter().copied().find(|&block| block_address(block) == address)
}

/// The address of a jump table, as evaluations place it: entries may hold distances, which depend on it.
pub fn table_address(table: JumpTable) -> u64 {
    0x7000_0000 + (u64::from(table.as_u32()) << 16)
}

/// The contents of a jump table in memory; `None` if its entries have a form that nothing here knows.
pub fn table_entries(function: &Function, table: JumpTable, pointer_bytes: u32) -> Option<Vec<Bits>> {
    let (bytes, is_relative) = function.jump_tables.kind.entry(pointer_bytes)?;
    let base = if is_relative { table_address(table) } else { 0 };
    let entry = |&block: &Block| Bits::new(block_address(block).wrapping_sub(base).into(), 8 * bytes);
    Some(function.jump_tables.tables.get(table)?.iter().map(entry).collect())
}

fn indirect<D: Domain, S: MachineState<D>>(state: &mut S, data: &InstData) -> Result<Transfer<D>, Unsupported> {
    let address = data.operands.first().and_then(Operand::as_reg).ok_or_else(|| malformed(data))?;
    let Value { bits, poison, .. } = read(state, address)?;
    Ok(Transfer { ub: poison, next: Next::Indirect(bits) })
}

/// Undefined if the pointer is not the table's, or the index is of no entry.
fn table_branch<D: Domain, S: MachineState<D>>(state: &mut S, data: &InstData) -> Result<Transfer<D>, Unsupported> {
    let [Operand::Reg(pointer), table, Operand::Reg(index)] = data.operands.as_slice() else {
        return Err(malformed(data));
    };
    let Some(AddressBase::JumpTable(table)) = state.function().address_of(table).map(|address| address.base) else {
        return Err(malformed(data));
    };
    let blocks = state.function().jump_tables.tables.get(table).ok_or_else(|| malformed(data))?.clone();
    let (pointer, index) = (read(state, pointer)?, read(state, index)?);
    let domain = state.domain();
    let width = domain.width(&pointer.bits);
    let here = domain.constant(Bits::new(table_address(table).into(), width));
    let is_own = domain.eq(&pointer.bits, &here);
    let elsewhere = domain.bool_not(&is_own);
    let poison = domain.bool_or(&pointer.poison, &index.poison);
    let ub = domain.bool_or(&poison, &elsewhere);
    let (to, beyond) = table_destination(domain, &blocks, &index.bits, width);
    let ub = domain.bool_or(&ub, &beyond);
    Ok(Transfer { ub, next: Next::Indirect(to) })
}

/// The address, in `width` bits, of the block that a jump table has at an index; and the condition under which it has
/// no such entry.
pub fn table_destination<D: Domain + ?Sized>(
    domain: &mut D,
    blocks: &[Block],
    index: &D::Bits,
    width: u32,
) -> (D::Bits, D::Bool) {
    let (beyond, index_width) = (beyond(domain, index, blocks.len()), domain.width(index));
    let mut to = domain.literal(0, width);
    for (number, block) in (0..).zip(blocks) {
        let number = domain.literal(number, index_width);
        let is_this = domain.eq(index, &number);
        let address = domain.constant(Bits::new(block_address(*block).into(), width));
        to = domain.ite(&is_this, &address, &to);
    }
    (to, beyond)
}

/// True where an index is that of no entry of so many.
fn beyond<D: Domain + ?Sized>(domain: &mut D, index: &D::Bits, count: usize) -> D::Bool {
    let width = domain.width(index);
    let count = count as u64;
    if width < u64::BITS && count >> width != 0 {
        return domain.boolean(false);
    }
    let count = domain.constant(Bits::new(count.into(), width));
    let within = domain.ult(index, &count);
    domain.bool_not(&within)
}

/// A value as it is, poison included, reduced or zero-extended where the registers differ in size. Generic registers do
/// not.
fn copy<D: Domain, S: MachineState<D>>(state: &mut S, data: &InstData) -> Result<Next<D>, Unsupported> {
    let [Operand::Reg(dst), Operand::Reg(src), ..] = data.operands.as_slice() else { return Err(malformed(data)) };
    let generic = |operand: &RegOperand| {
        let row = &state.function().vregs[operand.reg.as_virtual()?];
        row.ty.filter(|_| !matches!(row.constraint, Constraint::Class(_)) && operand.subregister == SubReg(0))
    };
    if generic(dst).zip(generic(src)).is_some_and(|(to, from)| to.bits() != from.bits()) {
        return Err(malformed(data));
    }
    let value = read(state, src)?;
    let value = widened(state, dst, src, value);
    write(state, dst, value)?;
    Ok(Next::Following)
}

/// Every one reads before any writes.
fn copy_all<D: Domain, S: MachineState<D>>(state: &mut S, copies: &[TiedRegisters]) -> Result<Next<D>, Unsupported> {
    let read_all = copies.iter().map(|(_, from)| read(state, from)).collect::<Result<SmallVec<[_; 2]>, _>>()?;
    copies.iter().zip(read_all).try_for_each(|((to, _), value)| write(state, to, value))?;
    Ok(Next::Following)
}

/// A value that is copied to a wider virtual register: nobody says the bits above. LLVM copies the 32 bits of a number
/// so to a register of integers, and the machine's instruction fills it in its own way.
fn widened<D: Domain, S: MachineState<D>>(
    state: &mut S,
    dst: &RegOperand,
    src: &RegOperand,
    value: Value<D>,
) -> Value<D> {
    let bits = |state: &S, operand| operand_bits(state.function(), state.vocabulary(), operand);
    let (to, from) = (bits(state, dst), bits(state, src));
    if to <= from || dst.reg.as_virtual().is_none() {
        return value;
    }
    let above = state.unwritten(to - from);
    Value { bits: state.domain().concat(&above.bits, &value.bits), ..value }
}

fn implicit_def<D: Domain, S: MachineState<D>>(state: &mut S, data: &InstData) -> Result<Next<D>, Unsupported> {
    let dst = data.operands.first().and_then(Operand::as_reg).ok_or_else(|| malformed(data))?;
    let width = operand_bits(state.function(), state.vocabulary(), dst);
    let value = state.unwritten(width);
    write(state, dst, value)?;
    Ok(Next::Following)
}

/// The value that the operand reads: of a part of a register the low bits.
pub fn read<D: Domain, S: MachineState<D>>(state: &mut S, operand: &RegOperand) -> Result<Value<D>, Unsupported> {
    if operand.flags.contains(RegFlags::UNDEF) {
        let width = operand_bits(state.function(), state.vocabulary(), operand);
        return Ok(state.unwritten(width));
    }
    let mut value = match operand.reg {
        Reg::Virtual(register) => state.virtual_register(register)?,
        Reg::Physical(register) => read_physical(state, register),
    };
    if let Some(bits) = part_bits(state.vocabulary(), operand.subregister) {
        value = value.resized(state.domain(), bits);
    }
    Ok(value)
}

/// The contents of a machine register, which may be part of another.
pub fn read_physical<D: Domain, S: MachineState<D>>(state: &mut S, register: PReg) -> Value<D> {
    let vocabulary = state.vocabulary();
    let width = vocabulary.register_bits(register);
    if reads_as_zero(state, register) {
        let domain = state.domain();
        return Value::new(domain.constant(Bits::zero(width)), domain.boolean(false));
    }
    state.full_register(vocabulary.full_register(register)).resized(state.domain(), width)
}

/// True for the zero register, and for those of the environment of floating point in a function that does not see it.
fn reads_as_zero<D: Domain, S: MachineState<D>>(state: &S, register: PReg) -> bool {
    let is_seen = || strict::environment(state).is_some_and(|seen| seen.registers().contains(&register));
    state.vocabulary().is_zero_register(register) && !is_seen()
}

/// Writes the register that the operand names, or the low part of a virtual register, whose rest stays.
pub fn write<D: Domain, S: MachineState<D>>(
    state: &mut S,
    operand: &RegOperand,
    value: Value<D>,
) -> Result<(), Unsupported> {
    let register = match operand.reg {
        Reg::Virtual(register) => register,
        Reg::Physical(register) => {
            write_physical(state, register, value);
            return Ok(());
        }
    };
    let width = register_bits(state.function(), state.vocabulary(), register);
    let mut value = value;
    match part_bits(state.vocabulary(), operand.subregister).filter(|&bits| bits < width) {
        None => value = value.resized(state.domain(), width),
        Some(bits) => {
            let whole = match operand.flags.contains(RegFlags::UNDEF) {
                true => state.unwritten(width),
                false => state.virtual_register(register)?,
            };
            let domain = state.domain();
            let rest = domain.extract(&whole.bits, bits, width - bits);
            let low = domain.zext_or_trunc(&value.bits, bits);
            value = Value::new(domain.concat(&rest, &low), domain.bool_or(&whole.poison, &value.poison));
        }
    }
    state.set_virtual_register(register, value);
    Ok(())
}

/// Writes a result of a machine's instruction. Of a register of which nothing is kept (`undef %1.sub_32 = ...`) it
/// clears the rest, as where it writes a part of a machine register. LLVM's coalescer relies on that.
pub fn write_result<D: Domain, S: MachineState<D>>(
    state: &mut S,
    operand: &RegOperand,
    value: Value<D>,
) -> Result<(), Unsupported> {
    let Some(bits) = part_bits(state.vocabulary(), operand.subregister) else { return write(state, operand, value) };
    if !operand.flags.contains(RegFlags::UNDEF) {
        return write(state, operand, value);
    }
    let low = value.resized(state.domain(), bits);
    write(state, &RegOperand { subregister: SubReg::default(), ..*operand }, low)
}

/// Writes a machine register; writing a part of another clears the rest of that, or fills it with ones where the
/// machine does. The zero register stays.
pub fn write_physical<D: Domain, S: MachineState<D>>(state: &mut S, register: PReg, value: Value<D>) {
    let vocabulary = state.vocabulary();
    if reads_as_zero(state, register) {
        return;
    }
    let full = vocabulary.full_register(register);
    let domain = state.domain();
    let part = value.resized(domain, vocabulary.register_bits(register));
    let mut whole = part.resized(domain, vocabulary.register_bits(full));
    if vocabulary.is_boxed(register) {
        let rest = vocabulary.register_bits(full) - vocabulary.register_bits(register);
        let ones = domain.constant(Bits::ones(rest));
        whole.bits = domain.concat(&ones, &part.bits);
    }
    state.set_full_register(full, whole);
}

/// The width of a virtual register in bits: of its type, else of its class, else of a pointer.
pub fn register_bits(function: &Function, vocabulary: &dyn Vocabulary, register: VReg) -> u32 {
    let data = &function.vregs[register];
    match (data.ty, data.constraint) {
        (Some(ty), _) => ty.bits(),
        (None, Constraint::Class(class)) => vocabulary.class_bits(class),
        (None, Constraint::Bank(_) | Constraint::None) => vocabulary.pointer_bits(0).into(),
    }
}

/// The block that control enters at the end of `block`: the next one, if it is a successor. No defined execution
/// reaches the end of any other.
pub fn fall_through(function: &Function, block: Block) -> Option<Block> {
    let mut rest = function.layout().iter().skip_while(|&&other| other != block);
    let next = rest.nth(1).copied();
    next.filter(|next| function.successors(block).any(|successor| successor == *next))
}

/// The block that a branch names.
pub fn label(data: &InstData) -> Result<Block, Unsupported> {
    let block = data.operands.iter().find_map(|operand| match operand {
        Operand::Block(block) => Some(*block),
        _ => None,
    });
    block.ok_or_else(|| malformed(data))
}

/// The width of the register, or of its part, that the operand names.
pub fn operand_bits(function: &Function, vocabulary: &dyn Vocabulary, operand: &RegOperand) -> u32 {
    part_bits(vocabulary, operand.subregister).unwrap_or_else(|| match operand.reg {
        Reg::Virtual(register) => register_bits(function, vocabulary, register),
        Reg::Physical(register) => vocabulary.register_bits(register),
    })
}

/// The width of a part; `None` for the whole register.
fn part_bits(vocabulary: &dyn Vocabulary, part: SubReg) -> Option<u32> {
    (part != SubReg::default()).then(|| vocabulary.subregister_bits(part))
}
