//! Machine code: a few instructions of any rows, also those that no rule selects. Their definitions, encodings and
//! operands of odd classes are met there. A campaign walks through the rows, program by program.
//!
//! Invariant: no instruction calls or traps, and each reads what the machine has written. Both ways of a branch meet at
//! once. One pointer is the address of every access, which stays in its buffer.

use arbitrary::{Result, Unstructured};
use tribunal_ir::function::{Constraint, LiveIn};
use tribunal_ir::stage::Stage;
use tribunal_ir::{
    AtomicOrdering, Block, Function, InstData, MemFlags, MemOperand, Opcode, OpcodeFlags, Operand, PReg, Properties,
    Reg, RegBank, RegClass, RegFlags, RegOperand, SubReg, TargetOpcode, Type, VReg,
};
use tribunal_target::abi::Passing;
use tribunal_target::instructions::{ImmRange, InstrDesc, OperandDesc};
use tribunal_target::{Features, Target};
use tribunal_trial::inputs::BUFFER_BYTES;

/// Rows that the walk comes to in one program.
const WALKED: u32 = 8;
/// Rows that are drawn for one instruction before none is written.
const TRIES: u32 = 8;
/// After so many of these comes a branch.
const BETWEEN_BRANCHES: u32 = 4;
/// One program in so many has accesses to memory.
const WITH_MEMORY: u32 = 2;

/// A function of instructions that are selected already, at this turn of the walk through the rows.
pub fn generate_machine(
    u: &mut Unstructured<'_>,
    turn: u32,
    target: &'static Target,
    features: Features,
) -> Result<Function> {
    let mut function = Function::new("f");
    function.stage = Stage::Selected;
    function.properties = Stage::Selected.properties() | Properties::IS_SSA | Properties::TRACKS_REG_LIVENESS;
    let block = function.new_block();
    let rows: Vec<_> = computing_rows(target, features).collect();
    let branches: Vec<_> = branching_rows(target, features).collect();
    let accesses: Vec<_> = match turn.is_multiple_of(WITH_MEMORY) {
        true => accessing_rows(target, features).collect(),
        false => Vec::new(),
    };
    let address = |&(_, row): &(_, &InstrDesc)| row.operands.get(row.address_register()?)?.class();
    let pointer_class = accesses.iter().find_map(address);
    let (scope, written) = (Vec::new(), Vec::new());
    let mut writer = Writer { u, target, function, block, rows, scope, pointer_class, pointer: None, written };
    for passing in banks(target, features) {
        writer.arguments(passing)?;
    }
    let place =
        |round: u32, index: u32, rows: usize| round.wrapping_mul(WALKED).wrapping_add(index) as usize % rows.max(1);
    for index in 0..WALKED {
        let row = writer.rows.get(place(turn, index, writer.rows.len())).copied();
        writer.instruction(row)?;
        // Programs with accesses have a walk of their own: every other stop of the first one may miss half of the rows.
        if let Some(&(opcode, row)) = accesses.get(place(turn / WITH_MEMORY, index, accesses.len())) {
            writer.access(opcode, row)?;
        }
        let stop = index / BETWEEN_BRANCHES;
        if (index + 1).is_multiple_of(BETWEEN_BRANCHES)
            && let Some(&(opcode, row)) = branches.get(place(turn, stop, branches.len()))
        {
            writer.branch(opcode, row)?;
        }
    }
    writer.results(features)?;
    // One that is strict shows the flags that its instructions raise.
    if target.abi.float_environment.is_some() && target.has_float_registers(features) && writer.u.ratio(1, 4)? {
        writer.function.make_strict();
    }
    writer.function.make_strict_if_named(target.vocabulary);
    Ok(writer.function)
}

/// The rows that compute a result of their operands. Most numbers may not be written to the environment of floating
/// point.
pub fn computing_rows(
    target: &'static Target,
    features: Features,
) -> impl Iterator<Item = (TargetOpcode, &'static InstrDesc)> {
    let rows = (0..).map(TargetOpcode).zip(target.instructions);
    let sets_environment =
        |row: &InstrDesc| row.implicit_defs.iter().any(|&register| target.abi.is_of_environment(register));
    rows.filter(move |(_, row)| {
        let is_other = PLACED.contains(&row.name) || sets_environment(row);
        is_plain(row) && !is_other && features.contains(row.requires)
    })
}

/// The rows that load, store, or do both in one step. A store that keeps a reservation has none here.
pub fn accessing_rows(
    target: &'static Target,
    features: Features,
) -> impl Iterator<Item = (TargetOpcode, &'static InstrDesc)> {
    let keeps = OpcodeFlags::STORE | OpcodeFlags::SIDE_EFFECTS;
    let rows = (0..).map(TargetOpcode).zip(target.instructions);
    rows.filter(move |(_, row)| {
        let accesses = row.access.is_some() && row.code.is_some() && !row.flags.contains(keeps);
        accesses && target.has(row) && features.contains(row.requires)
    })
}

/// The rows that branch or go on.
pub fn branching_rows(
    target: &'static Target,
    features: Features,
) -> impl Iterator<Item = (TargetOpcode, &'static InstrDesc)> {
    let rows = (0..).map(TargetOpcode).zip(target.instructions);
    rows.filter(move |(_, row)| {
        let branches = row.flags.contains(OpcodeFlags::BRANCH) && !row.flags.contains(OpcodeFlags::BARRIER);
        branches && row.code.is_some() && target.has(row) && features.contains(row.requires)
    })
}

/// Rows whose result is an address near them, which nothing knows before code is placed.
const PLACED: [&str; 2] = ["AUIPC", "ADRP"];

/// True for a row of one word that neither branches, calls nor touches memory.
pub(crate) fn is_plain(row: &InstrDesc) -> bool {
    let other = OpcodeFlags::BRANCH
        | OpcodeFlags::RETURN
        | OpcodeFlags::CALL
        | OpcodeFlags::LOAD
        | OpcodeFlags::STORE
        | OpcodeFlags::SIDE_EFFECTS
        | OpcodeFlags::ARTIFACT
        | OpcodeFlags::TERMINATOR;
    let holds =
        |desc: &OperandDesc| !desc.is_place() && !matches!(desc, OperandDesc::RegisterMask | OperandDesc::Symbol);
    !row.flags.intersects(other) && row.code.is_some() && row.size == 4 && row.operands.iter().all(holds)
}

/// An immediate of the range, at its ends half of the time.
pub(crate) fn immediate(u: &mut Unstructured<'_>, range: ImmRange) -> Result<i64> {
    match range {
        ImmRange::Signed(bits) => {
            let most = i64::MAX >> (64 - bits);
            between(u, !most, most)
        }
        ImmRange::Unsigned(bits) => between(u, 0, (1i64 << bits) - 1),
        ImmRange::LogicalMask(bits) => between(u, 0, if bits == 64 { (1 << 13) - 1 } else { (1 << 12) - 1 }),
        ImmRange::Extension => Ok(u.int_in_range(0..=7)? << 3 | u.int_in_range(0..=4)?),
        ImmRange::ExtensionOfWord => {
            Ok(u.int_in_range(0..=1)? << 5 | u.int_in_range(0..=2)? << 3 | u.int_in_range(0..=4)?)
        }
        ImmRange::Amount => between(u, 0, 63),
        ImmRange::ShiftedBy { .. } => between(u, 0, 255),
        ImmRange::RoundingMode => u.int_in_range(0..=7),
        ImmRange::OneOf(values) => u.choose(values).copied(),
    }
}

fn between(u: &mut Unstructured<'_>, least: i64, most: i64) -> Result<i64> {
    match u.int_in_range(0..=3)? {
        0 => Ok(least),
        1 => Ok(most),
        _ => u.int_in_range(least..=most),
    }
}

/// The banks that pass values with these features.
fn banks(target: &Target, features: Features) -> impl Iterator<Item = &'static Passing> {
    let present = move |passing: &&Passing| features.contains(target.bank(passing.bank).requires);
    target.abi.passing.iter().filter(present)
}

fn operand((register, subregister): Source, flags: RegFlags, tied_to: Option<u8>) -> Operand {
    Operand::Reg(RegOperand { reg: Reg::Virtual(register), flags, subregister, tied_to })
}

/// A value, and the part of it that is read.
type Source = (VReg, SubReg);
/// All of it.
const WHOLE: SubReg = SubReg(0);

struct Writer<'u, 'b> {
    u: &'u mut Unstructured<'b>,
    target: &'static Target,
    function: Function,
    /// The block that is written.
    block: Block,
    rows: Vec<(TargetOpcode, &'static InstrDesc)>,
    /// Values with their classes, oldest first.
    scope: Vec<(VReg, RegClass)>,
    /// The class of addresses, in a program that accesses memory.
    pointer_class: Option<RegClass>,
    /// The address of the buffer there.
    pointer: Option<VReg>,
    /// Flags and the like, which an instruction before wrote.
    written: Vec<PReg>,
}

impl Writer<'_, '_> {
    fn push(&mut self, opcode: Opcode, operands: impl IntoIterator<Item = Operand>) {
        self.function.append(self.block, InstData::new(opcode, operands));
    }

    fn new_value(&mut self, class: RegClass) -> VReg {
        let register = self.function.push_vreg(None, Constraint::Class(class));
        self.scope.push((register, class));
        register
    }

    /// Each argument register of the bank, whole or a part of it.
    fn arguments(&mut self, passing: &Passing) -> Result<()> {
        let bits = |class: RegClass| self.target.class(class).bits;
        let operands = self.rows.iter().flat_map(|(_, row)| row.operands).filter_map(OperandDesc::class);
        let mut classes: Vec<RegClass> = Vec::new();
        for class in operands.filter(|&class| self.target.class(class).bank == passing.bank) {
            // One of each width: copies lead from it to the others.
            if classes.iter().all(|&known| bits(known) != bits(class)) {
                classes.push(class);
            }
        }
        if classes.is_empty() {
            return Ok(());
        }
        let pointer = self.pointer_class.filter(|&class| self.target.class(class).bank == passing.bank);
        for (index, &full) in passing.arguments.iter().enumerate() {
            if let Some(class) = pointer.filter(|_| index == 0) {
                self.pointer = Some(self.argument(self.target.part_of(full, self.target.class(class).bits), class));
                continue;
            }
            let class = *self.u.choose(&classes)?;
            let register = self.target.part_of(full, self.target.class(class).bits);
            let value = self.argument(register, class);
            self.scope.push((value, class));
        }
        Ok(())
    }

    fn argument(&mut self, register: PReg, class: RegClass) -> VReg {
        self.function.liveins.push(LiveIn { register, copy: None });
        self.function.block_mut(self.block).liveins.push((register, None));
        let value = self.function.push_vreg(None, Constraint::Class(class));
        self.push(Opcode::COPY, [Operand::def(value), Operand::used(register)]);
        value
    }

    /// A value of the class, the newest most often; `None` if no value has its width and bank.
    fn value(&mut self, class: RegClass) -> Result<Option<VReg>> {
        let shape = |class: RegClass| (self.target.class(class).bank, self.target.class(class).bits);
        let alike: Vec<(VReg, RegClass)> =
            self.scope.iter().copied().filter(|&(_, other)| shape(other) == shape(class)).collect();
        let Some(newest) = alike.len().checked_sub(1) else { return Ok(None) };
        let place = if self.u.ratio(1, 2)? { newest } else { self.u.int_in_range(0..=newest)? };
        let (register, own) = alike[place];
        if own == class {
            return Ok(Some(register));
        }
        let copy = self.new_value(class);
        self.push(Opcode::COPY, [Operand::def(copy), Operand::used(register)]);
        Ok(Some(copy))
    }

    /// A part of a wider value of the bank as an operand of the class, now and then. The parts of numbers of floating
    /// point stand last in the table.
    fn part(&mut self, class: RegClass) -> Result<Option<Source>> {
        let (target, own) = (self.target, self.target.class(class));
        let mut parts = (1..target.subregisters.len()).filter(|&index| target.subregisters[index].bits == own.bits);
        let part = if own.bank == RegBank(0) { parts.next() } else { parts.next_back() };
        let is_wider = |&(_, other): &(VReg, RegClass)| {
            let other = target.class(other);
            let fits = |&member: &PReg| {
                own.members.contains(&target.part_of(target.vocabulary.full_register(member), own.bits))
            };
            other.bank == own.bank && other.bits > own.bits && other.members.iter().all(fits)
        };
        let wider: Vec<VReg> = self.scope.iter().copied().filter(is_wider).map(|(register, _)| register).collect();
        match part {
            Some(index) if !wider.is_empty() && self.u.ratio(1, 6)? => {
                Ok(Some((*self.u.choose(&wider)?, SubReg(index as u8))))
            }
            _ => Ok(None),
        }
    }

    /// True if the register holds something.
    fn is_ready(&self, register: &PReg) -> bool {
        self.written.contains(register) || self.target.zero.contains(register)
    }

    /// True if the registers that the row reads besides its operands hold something; the first that does not is
    /// written.
    fn made_ready(&mut self, row: &InstrDesc) -> Result<bool> {
        if let Some(&missing) = row.implicit_uses.iter().find(|register| !self.is_ready(register)) {
            self.write(missing)?;
        }
        Ok(row.implicit_uses.iter().all(|register| self.is_ready(register)))
    }

    /// An instruction of this row, or of another one whose operands are there.
    fn instruction(&mut self, mut aim: Option<(TargetOpcode, &'static InstrDesc)>) -> Result<()> {
        for _ in 0..TRIES {
            let (opcode, row) = match aim.take() {
                Some(aim) => aim,
                None => *self.u.choose(&self.rows)?,
            };
            if !self.made_ready(row)? {
                continue;
            }
            let Some(data) = self.drawn(opcode, row)? else { continue };
            self.written.extend(row.implicit_defs);
            self.function.append(self.block, data);
            return Ok(());
        }
        Ok(())
    }

    /// An instruction that writes this register besides its operands, if one is drawn.
    fn write(&mut self, register: PReg) -> Result<()> {
        let writes = |row: &InstrDesc| row.implicit_defs.contains(&register) && row.implicit_uses.is_empty();
        let rows: Vec<_> = self.rows.iter().copied().filter(|(_, row)| writes(row)).collect();
        if rows.is_empty() {
            return Ok(());
        }
        let (opcode, row) = *self.u.choose(&rows)?;
        if let Some(data) = self.drawn(opcode, row)? {
            self.written.extend(row.implicit_defs);
            self.function.append(self.block, data);
        }
        Ok(())
    }

    /// An access of this row, if its operands are there.
    fn access(&mut self, opcode: TargetOpcode, row: &'static InstrDesc) -> Result<()> {
        let (Some(access), Some(data)) = (row.access, self.drawn(opcode, row)?) else { return Ok(()) };
        let mut flags = MemFlags::empty();
        for (direction, flag) in [(OpcodeFlags::LOAD, MemFlags::LOAD), (OpcodeFlags::STORE, MemFlags::STORE)] {
            flags |= if row.flags.contains(direction) { flag } else { MemFlags::empty() };
        }
        let in_one_step = flags == MemFlags::LOAD | MemFlags::STORE;
        let ordering = if in_one_step { access.ordering } else { AtomicOrdering::NotAtomic };
        let memory = MemOperand::new(flags, Type::scalar(access.bits()), access.bytes.into());
        self.function.append(self.block, data.with_memory(MemOperand { ordering, ..memory }));
        Ok(())
    }

    /// A branch of this row to one of two blocks, which meet again: a value of each is the result. None is written if
    /// its operands are not there.
    fn branch(&mut self, opcode: TargetOpcode, row: &'static InstrDesc) -> Result<()> {
        if !self.made_ready(row)? {
            return Ok(());
        }
        let Some(&(one, class)) = self.scope.last() else { return Ok(()) };
        let others: Vec<VReg> =
            self.scope.iter().filter(|&&(register, other)| other == class && register != one).map(|of| of.0).collect();
        if others.is_empty() {
            return Ok(());
        }
        let other = *self.u.choose(&others)?;
        let Some(mut branch) = self.drawn(opcode, row)? else { return Ok(()) };
        let [near, far, both] = std::array::from_fn(|_| self.function.new_block());
        let labels = branch.operands.iter_mut().filter(|operand| matches!(operand, Operand::Block(_)));
        labels.for_each(|label| *label = Operand::Block(far));
        let jump = |to| self.target.machine.jump(to);
        let ends = [(self.block, vec![near, far]), (near, vec![both]), (far, vec![both])];
        self.function.append(self.block, branch);
        for (block, successors) in ends {
            self.function.append(block, jump(successors[0]));
            self.function.block_mut(block).successors = successors.into_iter().map(|to| (to, None)).collect();
        }
        self.block = both;
        // No register of the machine lives from block to block.
        self.written.clear();
        let result = self.new_value(class);
        let way = |value, block| [Operand::used(value), Operand::Block(block)];
        self.push(Opcode::PHI, [Operand::def(result)].into_iter().chain(way(one, near)).chain(way(other, far)));
        Ok(())
    }

    /// An offset in bytes to a multiple of the access in the buffer, in units of `scale`, as far as the range goes.
    fn offset(&mut self, row: &InstrDesc, range: ImmRange, scale: i64) -> Result<i64> {
        let bytes = row.access.map_or(1, |access| i64::from(access.bytes).max(1));
        let offset = between(self.u, 0, i64::from(BUFFER_BYTES) / bytes - 1)? * bytes / scale;
        Ok(if self.target.range(row, range).accepts(offset) { offset } else { 0 })
    }

    /// `None` if an operand is not there, or the instruction has no encoding. A label is the block that is written.
    fn drawn(&mut self, opcode: TargetOpcode, row: &'static InstrDesc) -> Result<Option<InstData>> {
        let mut operands = Vec::new();
        let (address, index) = (row.address_register(), row.index());
        for (place, desc) in row.operands.iter().enumerate() {
            let (class, tied_to) = match *desc {
                // Results come last, so that no instruction reads its own.
                OperandDesc::Def(_) | OperandDesc::EarlyDef(_) => {
                    operands.push(Operand::Imm(0));
                    continue;
                }
                OperandDesc::Offset { range, scale } if address.is_some() => {
                    operands.push(Operand::Imm(self.offset(row, range, scale.into())?));
                    continue;
                }
                // The base is stepped by it.
                OperandDesc::Imm(range) if address.is_some() && index.is_none() => {
                    operands.push(Operand::Imm(self.offset(row, range, 1)?));
                    continue;
                }
                OperandDesc::Imm(range) | OperandDesc::Offset { range, .. } => {
                    operands.push(Operand::Imm(immediate(self.u, self.target.range(row, range))?));
                    continue;
                }
                OperandDesc::Index(class) => {
                    let zero = self.target.zero.iter().find(|zero| self.target.class(class).members.contains(zero));
                    let Some(&zero) = zero else { return Ok(None) };
                    operands.push(Operand::used(zero));
                    continue;
                }
                OperandDesc::Use(class) | OperandDesc::Base(class) => (class, None),
                OperandDesc::Tied { class, to } => (class, Some(to)),
                OperandDesc::Label { .. } => {
                    operands.push(Operand::Block(self.block));
                    continue;
                }
                OperandDesc::Callee { .. } | OperandDesc::RegisterMask | OperandDesc::Symbol => return Ok(None),
            };
            let part = if address == Some(place) || tied_to.is_some() { None } else { self.part(class)? };
            let source = match (part, address == Some(place), self.pointer) {
                (Some(part), ..) => Some(part),
                (None, true, Some(pointer)) if self.pointer_class == Some(class) => Some((pointer, WHOLE)),
                (None, true, _) => None,
                (None, false, _) => self.value(class)?.map(|register| (register, WHOLE)),
            };
            let Some(source) = source else { return Ok(None) };
            operands.push(operand(source, RegFlags::empty(), tied_to));
        }
        if !self.is_encoded(opcode, row, &operands) {
            return Ok(None);
        }
        for (place, desc) in operands.iter_mut().zip(row.operands) {
            let (class, early) = match *desc {
                OperandDesc::Def(class) => (class, RegFlags::empty()),
                OperandDesc::EarlyDef(class) => (class, RegFlags::EARLY_CLOBBER),
                _ => continue,
            };
            *place = operand((self.new_value(class), WHOLE), RegFlags::DEF | early, None);
        }
        operands.extend(row.implicit_defs.iter().copied().map(Operand::implicit_def));
        operands.extend(row.implicit_uses.iter().copied().map(Operand::implicit_use));
        Ok(Some(InstData::new(Opcode::Target(opcode), operands)))
    }

    /// True if its immediates have an encoding: some have forms that only the encoder knows.
    fn is_encoded(&self, opcode: TargetOpcode, row: &InstrDesc, operands: &[Operand]) -> bool {
        let member = |class: RegClass| self.target.class(class).members.first().copied();
        let placed = operands.iter().zip(row.operands).map(|(operand, desc)| match desc.class().and_then(member) {
            Some(register) => Operand::used(register),
            None if desc.is_place() => Operand::Imm(row.size.into()),
            None => *operand,
        });
        self.target.encode(&InstData::new(Opcode::Target(opcode), placed)).is_ok()
    }

    /// The newest values, in the result registers of each bank.
    fn results(&mut self, features: Features) -> Result<()> {
        let mut returned = Vec::new();
        for passing in banks(self.target, features) {
            let target = self.target;
            let newest: Vec<(VReg, RegClass)> = self
                .scope
                .iter()
                .rev()
                .copied()
                .filter(|&(_, class)| target.class(class).bank == passing.bank)
                .take(passing.results.len())
                .collect();
            for ((value, class), &full) in newest.into_iter().zip(passing.results) {
                let register = target.part_of(full, target.class(class).bits);
                self.push(Opcode::COPY, [Operand::def(register), Operand::used(value)]);
                returned.push(Operand::implicit_use(register));
            }
        }
        self.push(Opcode::Target(self.target.abi.return_opcode), returned);
        Ok(())
    }
}
