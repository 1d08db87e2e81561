//! One function for each opcode, built from its row: operands of fitting types, loaded from memory; results stored to
//! it. A row of two kinds of types has two functions, one on scalars and one on vectors.

use tribunal_ir::bits::Bits;
use tribunal_ir::function::FixedObject;
use tribunal_ir::opcode::{AccessSize, IndexTypes};
use tribunal_ir::types::{self, ElementCount};
use tribunal_ir::{
    AddressBase, AddressData, AtomicOrdering, Block, CfiInstruction, Constraint, Family, FloatFormat, FloatPredicate,
    Function, GlobalName, Inst, InstData, IntPredicate, MemFlags, MemOperand, Opcode, OpcodeFlags, OpcodeInfo, Operand,
    OperandKind, PReg, PoolConstant, PoolValue, RegClass, SlotKind, StackObject, TargetOpcode, Type, VReg,
};
use tribunal_target::Target;
use tribunal_target::abi::Passing;
use tribunal_target::instructions::OperandDesc;

/// A function, and the instruction in it that is on trial.
pub struct Specimen {
    pub name: String,
    pub target: &'static Target,
    pub function: Function,
    pub inst: Inst,
}

/// Bytes between two values in memory.
const STRIDE: i64 = 64;

/// A function under construction: one block, two pointers.
pub struct Bench {
    pub function: Function,
    pub block: Block,
    target: &'static Target,
    source: VReg,
    sink: VReg,
    loaded: i64,
    stored: i64,
}

impl Bench {
    pub fn new(target: &'static Target) -> Bench {
        let mut function = Function::new("f");
        let pointer = Type::Pointer { address_space: 0, bits: target.pointer_bits };
        let block = function.new_block();
        let [source, sink] = [0, 1].map(|index| {
            let register = target.abi.arguments()[index];
            let value = function.new_vreg(pointer);
            function.append(block, InstData::new(Opcode::COPY, [Operand::def(value), Operand::used(register)]));
            value
        });
        function.stack.push(StackObject::new(SlotKind::Default, 16, 8));
        // The first variable argument.
        function.fixed_stack.push(FixedObject {
            kind: SlotKind::Default,
            offset: 0,
            size: 8,
            align: 8,
            immutable: true,
            aliased: false,
            saved: None,
        });
        for value in [5u32, 9] {
            let value = PoolValue::Integer(Bits::new(value.into(), 64));
            function.constants.push(PoolConstant { value, align: Some(8), target_specific: false });
        }
        Bench { function, block, target, source, sink, loaded: 0, stored: 0 }
    }

    pub fn push(&mut self, data: InstData) -> Inst {
        self.function.append(self.block, data)
    }

    fn at(&mut self, base: VReg, offset: i64) -> VReg {
        let ty = Type::scalar(self.target.pointer_bits.into());
        let (constant, address) = (self.function.new_vreg(ty), self.function.new_vreg(self.pointer()));
        let value = self.function.constant(Bits::from_i64(offset, ty.bits()));
        self.push(InstData::new(Opcode::G_CONSTANT, [Operand::def(constant), value]));
        self.push(InstData::op(Opcode::G_PTR_ADD, address, &[base, constant]));
        address
    }

    fn pointer(&self) -> Type {
        Type::Pointer { address_space: 0, bits: self.target.pointer_bits }
    }

    /// A value of this type that nothing is known of.
    pub fn value(&mut self, ty: Type) -> VReg {
        self.loaded += STRIDE;
        let address = self.at(self.source, self.loaded);
        let value = self.function.new_vreg(ty);
        let memory = MemOperand::new(MemFlags::LOAD, ty, 1);
        self.push(InstData::op(Opcode::G_LOAD, value, &[address]).with_memory(memory));
        value
    }

    /// Shows a value to the caller.
    pub fn show(&mut self, value: VReg) {
        let Some(ty) = self.function.type_of(value) else { return };
        self.stored += STRIDE;
        let address = self.at(self.sink, self.stored);
        let memory = MemOperand::new(MemFlags::STORE, ty, 1);
        let store = InstData::new(Opcode::G_STORE, [Operand::used(value), Operand::used(address)]);
        self.push(store.with_memory(memory));
    }

    /// The return.
    pub fn finish(mut self) -> Function {
        let opcode = Opcode::Target(self.target.abi.return_opcode);
        self.push(InstData::new(opcode, []));
        self.function
    }
}

/// The types that a row is tried with, the simplest first.
fn all_types(target: &Target) -> Vec<Type> {
    let pointer = Type::Pointer { address_space: 0, bits: target.pointer_bits };
    let two = ElementCount::fixed(2);
    let vectors = [types::S32.times(two), types::S64.times(two), types::S16.times(two), pointer.times(two)];
    let scalars = [types::S64, types::S32, types::S16, pointer];
    scalars
        .into_iter()
        .chain(vectors.into_iter().flatten())
        .chain([types::S32.times(ElementCount::fixed(4))].into_iter().flatten())
        .collect()
}

/// The first types that the row takes: all of them scalars or pointers, or some of them vectors.
fn fitting(info: &OpcodeInfo, target: &Target, vectors: bool) -> Option<IndexTypes> {
    let all = all_types(target);
    let used = info.operands().filter_map(|kind| kind.type_index()).max().map_or(0, |index| index + 1);
    let choices = |index: usize| if index < used { all.iter().copied().map(Some).collect() } else { vec![None] };
    for first in choices(0) {
        for second in choices(1) {
            for third in choices(2) {
                let types = [first, second, third];
                let is_vector = types.iter().flatten().any(|ty| ty.is_vector());
                if is_vector == vectors && info.takes(&types) {
                    return Some(types);
                }
            }
        }
    }
    None
}

/// The functions for an opcode that is not a target's own.
pub fn generic(opcode: Opcode, target: &'static Target) -> Vec<Specimen> {
    let Some(info) = opcode.info() else { return Vec::new() };
    let variant = |vectors| {
        let types = fitting(info, target, vectors)?;
        let name = format!("{}{}", info.name, if vectors { " on vectors" } else { "" });
        specimen(opcode, info, types, target).map(|(function, inst)| Specimen { name, target, function, inst })
    };
    [false, true].into_iter().filter_map(variant).collect()
}

fn specimen(
    opcode: Opcode,
    info: &'static OpcodeInfo,
    types: IndexTypes,
    target: &'static Target,
) -> Option<(Function, Inst)> {
    let mut bench = Bench::new(target);
    let mut data = InstData::new(opcode, []);
    let kinds: Vec<(OperandKind, bool)> =
        info.defs.iter().map(|&kind| (kind, true)).chain(info.uses.iter().map(|&kind| (kind, false))).collect();
    let mut results = Vec::new();
    for (place, &(kind, is_def)) in kinds.iter().enumerate() {
        let operands = operand(&mut bench, info, &types, (place, kind, is_def))?;
        for operand in operands {
            results.extend(operand.as_vreg().filter(|_| is_def));
            data.operands.push(operand);
        }
    }
    data.memory.extend(memory(info, &types, &data));
    let inst = bench.push(data);
    results.into_iter().for_each(|result| bench.show(result));
    match info.flags.contains(OpcodeFlags::BARRIER) {
        true => Some((bench.function, inst)),
        false => Some((bench.finish(), inst)),
    }
}

fn operand(
    bench: &mut Bench,
    info: &OpcodeInfo,
    types: &IndexTypes,
    (place, kind, is_def): (usize, OperandKind, bool),
) -> Option<Vec<Operand>> {
    let mut register = |ty: Type| match is_def {
        true => Operand::def(bench.function.new_vreg(ty)),
        false => Operand::used(bench.value(ty)),
    };
    let one = match kind {
        OperandKind::Register(_, index) => register(types[usize::from(index)]?),
        OperandKind::MORE => {
            let index = info.operands().take(place).filter_map(|kind| kind.type_index()).last()?;
            let (whole, part) = (types[1 - index.min(1)]?, types[index]?);
            let lanes = |ty: Type| ty.element_count().map_or(1, |count| u32::from(count.lanes));
            let parts = if whole.is_vector() { lanes(whole) / lanes(part) } else { whole.bits() / part.bits() };
            let written = info.operands().take(place).filter(|kind| kind.type_index() == Some(index)).count();
            let more = parts.checked_sub(written as u32)?;
            return Some((0..more).map(|_| register(part)).collect());
        }
        OperandKind::IMM | OperandKind::IMM0 => {
            let range = info.immediate_at(place)?.range(types)?;
            Operand::Imm((*range.start()).max(0).max((*range.end()).min(8)).min(*range.end()))
        }
        OperandKind::FCONST => {
            let format = if types[0]?.bits() == 32 { FloatFormat::Float } else { FloatFormat::Double };
            bench.function.float(format, Bits::new(0x3ff0_0000, format.bits()))
        }
        OperandKind::CONST => bench.function.constant(Bits::new(5, types[0]?.scalar_type().bits())),
        OperandKind::PRED => Operand::Predicate(IntPredicate::Ult),
        OperandKind::FPRED => Operand::FloatPredicate(FloatPredicate::Olt),
        OperandKind::FRAME => Operand::Stack(bench.function.stack.keys().next()?),
        OperandKind::POOL => {
            let constant = bench.function.constants.keys().next()?;
            address(&mut bench.function, AddressBase::Constant(constant))
        }
        OperandKind::SYMBOL if info.family == Family::Intrinsic => {
            Operand::Intrinsic(bench.function.intern("llvm.riscv.orc.b"))
        }
        OperandKind::SYMBOL => {
            let name = GlobalName::Named(bench.function.intern("g"));
            address(&mut bench.function, AddressBase::Global(name))
        }
        OperandKind::MASK => {
            let lanes = types[0]?.element_count().map_or(2, |count| u32::from(count.lanes));
            // Elements of both operands in turn: an operand that gives none would not count.
            let lanes: Vec<Option<u32>> = (0..lanes).map(|lane| Some(lane + lane % 2 * lanes)).collect();
            Operand::ShuffleMask(bench.function.shuffle_masks.intern(&lanes))
        }
        OperandKind::CFI => Operand::Cfi(CfiInstruction::Offset(PReg(1), -8)),
        // Branches have functions of their own.
        OperandKind::BLOCK | OperandKind::TABLE => return None,
    };
    Some(vec![one])
}

/// An operand for the start of an entity.
pub fn address(function: &mut Function, base: AddressBase) -> Operand {
    let data = AddressData { base, offset: 0, flags: Default::default() };
    Operand::Address(function.addresses.intern(&data))
}

/// What a memory operand says of an instruction with these flags.
fn directions(flags: OpcodeFlags) -> MemFlags {
    let mut directions = MemFlags::empty();
    directions.set(MemFlags::LOAD, flags.contains(OpcodeFlags::LOAD));
    directions.set(MemFlags::STORE, flags.contains(OpcodeFlags::STORE));
    directions
}

/// The memory operands that the row requires, or one of its direction.
fn memory(info: &OpcodeInfo, types: &IndexTypes, data: &InstData) -> Vec<MemOperand> {
    let Some(accesses) = info.accesses else { return Vec::new() };
    let value = types[0].or(types[1]).unwrap_or(types::S64);
    let ty = match accesses.size {
        // A list that is one pointer.
        AccessSize::Any if data.opcode == Opcode::G_VASTART => Type::scalar(value.bits()),
        AccessSize::Any => types::S8,
        AccessSize::Whole | AccessSize::Within => value,
        AccessSize::Below => match value.is_vector() {
            true => value.with_scalar_type(types::S16).unwrap_or(value),
            false => types::S16,
        },
    };
    let directions = directions(info.flags);
    let is_atomic = info.family == Family::Atomic;
    let one = |flags| {
        let mut memory = MemOperand::new(flags, ty, 1.max(ty.bytes() * u32::from(is_atomic)));
        if is_atomic {
            memory.ordering = AtomicOrdering::SequentiallyConsistent;
        }
        if matches!(data.opcode, Opcode::G_ATOMIC_CMPXCHG | Opcode::G_ATOMIC_CMPXCHG_WITH_SUCCESS) {
            memory.failure_ordering = AtomicOrdering::SequentiallyConsistent;
        }
        memory
    };
    match accesses.count {
        2 => vec![one(MemFlags::STORE), one(MemFlags::LOAD)],
        _ => vec![one(directions)],
    }
}

/// The function for an instruction of the target; `None` for calls, jumps and what needs the machine's own registers.
pub fn machine(target: &'static Target, number: usize) -> Option<Specimen> {
    let row = &target.instructions[number];
    let plain = OpcodeFlags::TERMINATOR | OpcodeFlags::CALL | OpcodeFlags::RETURN | OpcodeFlags::BRANCH;
    if row.flags.intersects(plain) || !row.implicit_uses.is_empty() {
        return None;
    }
    let mut function = Function::new("f");
    let block = function.new_block();
    let mut data = InstData::new(Opcode::Target(TargetOpcode(number as u16)), []);
    let mut results = Vec::new();
    let mut arguments = 0;
    for operand in row.operands {
        data.operands.push(match operand {
            OperandDesc::Imm(range) | OperandDesc::Offset { range, .. } => {
                Operand::Imm([8, 1, 3, 0].into_iter().find(|&value| range.accepts(value))?)
            }
            OperandDesc::Label { .. } | OperandDesc::Callee { .. } => return None,
            OperandDesc::RegisterMask | OperandDesc::Symbol => return None,
            OperandDesc::Tied { .. } => return None,
            OperandDesc::Def(class) | OperandDesc::EarlyDef(class) => {
                let result = function.push_vreg(None, Constraint::Class(*class));
                results.push((result, *class));
                Operand::def(result)
            }
            OperandDesc::Use(class) | OperandDesc::Base(class) | OperandDesc::Index(class) => {
                let value = function.push_vreg(None, Constraint::Class(*class));
                let register = *passing(target, *class)?.arguments.get(arguments)?;
                arguments += 1;
                let part = target.part_of(register, target.class(*class).bits);
                let copy = InstData::new(Opcode::COPY, [Operand::def(value), Operand::used(part)]);
                function.append(block, copy);
                Operand::used(value)
            }
        });
    }
    data.operands.extend(row.implicit_defs.iter().map(|&register| Operand::implicit_def(register)));
    if let Some(access) = row.access {
        data.memory.push(MemOperand::new(directions(row.flags), Type::scalar(access.bits()), access.align.into()));
    }
    let inst = function.append(block, data);
    function.make_strict_if_named(target.vocabulary);
    let mut leaves = InstData::new(Opcode::Target(target.abi.return_opcode), []);
    for (number, (result, class)) in results.into_iter().enumerate() {
        let register = *passing(target, class)?.results.get(number)?;
        let part = target.part_of(register, target.class(class).bits);
        let copy = InstData::new(Opcode::COPY, [Operand::def(part), Operand::used(result)]);
        function.append(block, copy);
        leaves.operands.push(Operand::implicit_use(part));
    }
    function.append(block, leaves);
    Some(Specimen { name: format!("{} {}", target.name, row.name), target, function, inst })
}

/// The registers in which values of a class are passed.
fn passing(target: &Target, class: RegClass) -> Option<&'static Passing> {
    target.abi.passing.iter().find(|passing| passing.bank == target.class(class).bank)
}

/// The functions for branches: two ways on, that return different arguments. The branch is on trial, then the jump
/// after it.
pub fn control(target: &'static Target) -> Vec<Specimen> {
    let rows = target.instructions.iter().enumerate();
    let branches = rows.filter(|(_, row)| {
        row.flags.contains(OpcodeFlags::BRANCH)
            && !row.flags.contains(OpcodeFlags::BARRIER)
            && row.implicit_uses.is_empty()
    });
    let machine = branches.map(|(number, row)| (Opcode::Target(TargetOpcode(number as u16)), row.operands, row.name));
    let generic = (Opcode::G_BRCOND, &[][..], "G_BRCOND");
    let mut specimens = Vec::new();
    for (opcode, operands, name) in machine.chain([generic]) {
        let Some((function, [branch, jump])) = two_ways(target, opcode, operands) else { continue };
        let name = format!("{} {name}", target.name);
        specimens.push(Specimen { name: format!("{name} and jump"), target, function: function.clone(), inst: jump });
        specimens.push(Specimen { name, target, function, inst: branch });
    }
    specimens
}

fn two_ways(target: &'static Target, opcode: Opcode, operands: &[OperandDesc]) -> Option<(Function, [Inst; 2])> {
    let mut function = Function::new("f");
    let blocks = [0; 3].map(|_| function.new_block());
    let class = operands.iter().find_map(OperandDesc::class);
    let mut arguments = Vec::new();
    for &register in &target.abi.arguments()[..3] {
        let (value, part) = match class {
            Some(class) => {
                let part = target.part_of(register, target.class(class).bits);
                (function.push_vreg(None, Constraint::Class(class)), part)
            }
            None => (function.new_vreg(Type::scalar(target.pointer_bits.into())), register),
        };
        function.append(blocks[0], InstData::new(Opcode::COPY, [Operand::def(value), Operand::used(part)]));
        arguments.push((value, part));
    }
    let mut data = InstData::new(opcode, []);
    let mut values = arguments.iter().map(|&(value, _)| value);
    for operand in operands {
        data.operands.push(match operand {
            OperandDesc::Use(_) => Operand::used(values.next()?),
            OperandDesc::Label { .. } => Operand::Block(blocks[1]),
            _ => return None,
        });
    }
    if opcode == Opcode::G_BRCOND {
        let truth = function.new_vreg(Type::scalar(1));
        let [one, other] = [arguments[0].0, arguments[1].0].map(Operand::used);
        let predicate = Operand::Predicate(IntPredicate::Ult);
        let compare = InstData::new(Opcode::G_ICMP, [Operand::def(truth), predicate, one, other]);
        function.append(blocks[0], compare);
        data.operands.extend([Operand::used(truth), Operand::Block(blocks[1])]);
    }
    let branch = function.append(blocks[0], data);
    let is_jump = |row: &&tribunal_target::instructions::InstrDesc| {
        row.flags.contains(OpcodeFlags::BRANCH | OpcodeFlags::BARRIER)
            && matches!(row.operands, [OperandDesc::Label { .. }])
    };
    let number = target.instructions.iter().position(|row| is_jump(&row))?;
    let jump = if opcode == Opcode::G_BRCOND { Opcode::G_BR } else { Opcode::Target(TargetOpcode(number as u16)) };
    let jump = function.append(blocks[0], InstData::new(jump, [Operand::Block(blocks[2])]));
    function.block_mut(blocks[0]).successors = vec![(blocks[1], None), (blocks[2], None)];
    for (&block, &(value, _)) in blocks[1..].iter().zip(&arguments) {
        let result = arguments[0].1;
        function.append(block, InstData::new(Opcode::COPY, [Operand::def(result), Operand::used(value)]));
        let leaves = Opcode::Target(target.abi.return_opcode);
        function.append(block, InstData::new(leaves, [Operand::implicit_use(result)]));
    }
    Some((function, [branch, jump]))
}
