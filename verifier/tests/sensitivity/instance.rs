//! Functions made of opcode rows: one instance of an opcode, between the definitions of its inputs and a return.

use tribunal_ir::function::{SlotKind, StackObject};
use tribunal_ir::opcode::{Accesses, IndexTypes, OpcodeInfo, TypeClass};
use tribunal_ir::types::{ElementCount, P0, S1, S8, S16, S32, S64, S128};
use tribunal_ir::{
    AddressBase, AtomicOrdering, Bits, Block, CfiInstruction, Family, FloatFormat, FloatPredicate, Function,
    GlobalName, Inst, InstData, IntPredicate, JumpTableKind, MemFlags, MemOperand, Opcode, OpcodeFlags, Operand,
    OperandKind, PoolConstant, PoolValue, Properties, TargetFlags, Type,
};
use tribunal_target::Target;

/// One instance of an opcode.
#[derive(Clone)]
pub struct Instance {
    pub opcode: Opcode,
    pub types: IndexTypes,
    pub function: Function,
    pub inst: Inst,
}

/// The blocks of every function: the inputs' definitions, the instance, and two that a branch may choose.
pub const INPUTS: usize = 0;
pub const BODY: usize = 1;
pub const NEXT: usize = 2;
pub const OTHER: usize = 3;

/// The types from which instances are made.
pub fn candidates() -> Vec<Type> {
    let vector = |element: Type, lanes: u16, scalable: bool| element.times(ElementCount { lanes, scalable }).unwrap();
    let p1 = Type::Pointer { address_space: 1, bits: 64 };
    let fixed = [(S1, 4), (S16, 4), (S32, 2), (S32, 4), (S64, 2), (S64, 4), (P0, 2), (p1, 2)];
    let scalable = [(S1, 2), (S32, 2), (S64, 2), (P0, 2)];
    let vectors = fixed.map(|(element, lanes)| vector(element, lanes, false));
    let scalable = scalable.map(|(element, lanes)| vector(element, lanes, true));
    [S1, S8, S16, S32, S64, S128, P0, p1].into_iter().chain(vectors).chain(scalable).collect()
}

/// Every choice of a type for each type index of the row.
pub fn typings(info: &OpcodeInfo) -> Vec<IndexTypes> {
    let mut all: Vec<IndexTypes> = vec![[None; 3]];
    for index in 0..3 {
        if info.class_of(index).is_some() {
            let with = |types: IndexTypes, ty: Type| {
                let mut types = types;
                types[index] = Some(ty);
                types
            };
            all = all.iter().flat_map(|&types| candidates().into_iter().map(move |ty| with(types, ty))).collect();
        }
    }
    all
}

/// True if the row takes these types, with some number of repeated registers.
pub fn row_takes(target: &Target, info: &OpcodeInfo, types: &IndexTypes) -> bool {
    let of_class = |kind: OperandKind| match kind {
        OperandKind::Register(class, index) => types[usize::from(index)].is_none_or(|ty| {
            class.takes(ty) && (class != TypeClass::Index || ty.bits() == u32::from(target.pointer_bits))
        }),
        _ => true,
    };
    info.operands().all(of_class) && repeated(info, types).is_some()
}

/// A number of registers beside the first with which the types keep the rules.
fn repeated(info: &OpcodeInfo, types: &IndexTypes) -> Option<usize> {
    let least = info.operands().filter(|kind| kind.type_index().is_some()).count().saturating_sub(1);
    (least..=16).find(|&parts| info.rules.iter().all(|rule| rule.holds(types, Some(parts))))
}

/// The instance on these types, whether the row takes them or not; `None` if an operand means something outside of the
/// function.
pub fn instance(target: &Target, opcode: Opcode, types: &IndexTypes) -> Option<Instance> {
    let info = opcode.info()?;
    if matches!(info.family, Family::Machine | Family::Intrinsic) {
        return None;
    }
    let mut function = Function::new("f");
    function.properties = Properties::IS_SSA | Properties::TRACKS_REG_LIVENESS;
    let blocks: Vec<Block> = (0..4).map(|_| function.new_block()).collect();
    let mut maker = Maker { function, info, types, blocks };
    let operands = maker.operands()?;
    let mut data = InstData::new(opcode, operands);
    if let Some(accesses) = info.accesses {
        data.memory.extend(memory(&mut maker.function, info, accesses, types)?);
    }
    let Maker { mut function, blocks, .. } = maker;
    let inst = function.append(blocks[BODY], data);
    for block in [NEXT, OTHER] {
        function.append(blocks[block], InstData::new(Opcode::Target(target.abi.return_opcode), []));
    }
    link(&mut function, &blocks, inst, info);
    Some(Instance { opcode, types: *types, function, inst })
}

/// Lists the successors.
fn link(function: &mut Function, blocks: &[Block], inst: Inst, info: &OpcodeInfo) {
    let named = function.inst(inst).operands.clone();
    let mut successors: Vec<Block> = Vec::new();
    if info.flags.contains(OpcodeFlags::TERMINATOR) {
        successors.extend(named.iter().filter_map(|operand| match operand {
            Operand::Block(block) => Some(*block),
            _ => None,
        }));
        if info.flags.contains(OpcodeFlags::INDIRECT) {
            successors.extend([blocks[NEXT], blocks[OTHER]]);
        }
    }
    if !info.flags.contains(OpcodeFlags::BARRIER) {
        successors.push(blocks[NEXT]);
    }
    function.block_mut(blocks[INPUTS]).successors = vec![(blocks[BODY], None)];
    function.block_mut(blocks[BODY]).successors = successors.into_iter().map(|to| (to, None)).collect();
}

struct Maker<'a> {
    function: Function,
    info: &'static OpcodeInfo,
    types: &'a IndexTypes,
    blocks: Vec<Block>,
}

impl Maker<'_> {
    fn operands(&mut self) -> Option<Vec<Operand>> {
        let mut operands = Vec::new();
        let fixed = self.info.operands().filter(|kind| kind.type_index().is_some()).count();
        let more = repeated(self.info, self.types).map_or(1, |parts| (parts + 1).saturating_sub(fixed));
        for (place, kind) in self.info.operands().enumerate() {
            let is_def = place < self.info.defs.len();
            if kind != OperandKind::MORE {
                operands.push(self.operand(place, kind, is_def)?);
                continue;
            }
            if self.info.uses == [OperandKind::MORE] {
                let value = self.operand(0, self.info.defs[0], false)?;
                operands.extend([value, Operand::Block(self.blocks[INPUTS])]);
                continue;
            }
            let own = if is_def { self.info.defs } else { self.info.uses };
            for _ in 0..more {
                operands.push(self.operand(place, own[0], is_def)?);
            }
        }
        Some(operands)
    }

    fn operand(&mut self, place: usize, kind: OperandKind, is_def: bool) -> Option<Operand> {
        let first = self.types[0];
        Some(match kind {
            OperandKind::Register(_, index) => {
                let register = self.function.new_vreg(self.types[usize::from(index)]?);
                if is_def {
                    return Some(Operand::def(register));
                }
                let undefined = InstData::new(Opcode::G_IMPLICIT_DEF, [Operand::def(register)]);
                self.function.append(self.blocks[INPUTS], undefined);
                Operand::used(register)
            }
            OperandKind::IMM | OperandKind::IMM0 => {
                let immediate = self.info.immediate_at(place)?;
                let least = immediate.range(self.types).map_or(1, |range| *range.start());
                Operand::Imm(if least == i64::MIN { 1 } else { least })
            }
            OperandKind::CONST => self.function.constant(Bits::new(1, first?.scalar_type().bits())),
            OperandKind::FCONST => {
                let bits = first?.bits();
                let format = FloatFormat::ALL.into_iter().find(|format| format.bits() == bits);
                self.function.float(format.unwrap_or(FloatFormat::Float), Bits::zero(128))
            }
            OperandKind::PRED => Operand::Predicate(IntPredicate::Eq),
            OperandKind::FPRED => Operand::FloatPredicate(FloatPredicate::Oeq),
            OperandKind::BLOCK => Operand::Block(self.blocks[OTHER]),
            OperandKind::FRAME => Operand::Stack(self.function.stack.push(StackObject::new(SlotKind::Default, 8, 8))),
            OperandKind::SYMBOL if self.info.family == Family::Place => {
                let name = self.function.intern("g");
                self.address(AddressBase::Global(GlobalName::Named(name)))
            }
            OperandKind::POOL => {
                let value = PoolValue::Integer(Bits::zero(64));
                let constant = PoolConstant { value, align: Some(8), target_specific: false };
                let constant = self.function.constants.push(constant);
                self.address(AddressBase::Constant(constant))
            }
            OperandKind::TABLE => {
                self.function.jump_tables.kind = JumpTableKind::BlockAddress;
                let table = self.function.jump_tables.tables.push(vec![self.blocks[NEXT], self.blocks[OTHER]]);
                self.address(AddressBase::JumpTable(table))
            }
            OperandKind::MASK => {
                let lanes = first?.element_count().map_or(1, |count| usize::from(count.lanes));
                Operand::ShuffleMask(self.function.shuffle_masks.intern(&vec![Some(0); lanes]))
            }
            OperandKind::CFI => Operand::Cfi(CfiInstruction::DefCfaOffset(16)),
            OperandKind::SYMBOL | OperandKind::MORE => return None,
        })
    }

    fn address(&mut self, base: AddressBase) -> Operand {
        self.function.address(tribunal_ir::address::AddressData { base, offset: 0, flags: TargetFlags::NONE })
    }
}

/// The memory operands of the row: of two the first is stored to and the second loaded from.
fn memory(
    function: &mut Function,
    info: &OpcodeInfo,
    accesses: Accesses,
    types: &IndexTypes,
) -> Option<Vec<MemOperand>> {
    let value = types[info.value_index()]?;
    let element = [S32, S16, S8, S1].into_iter().filter_map(|ty| value.with_scalar_type(ty));
    let ty = [value].into_iter().chain(element).find(|&ty| accesses.size.takes(ty, value)).unwrap_or(S8);
    let mut either = MemFlags::empty();
    either.set(MemFlags::LOAD, info.flags.contains(OpcodeFlags::LOAD));
    either.set(MemFlags::STORE, info.flags.contains(OpcodeFlags::STORE));
    let operand = |flags: MemFlags| {
        let mut operand = MemOperand::new(flags, ty, 1);
        if info.family == Family::Atomic {
            operand.ordering = AtomicOrdering::SequentiallyConsistent;
            if info.name.contains("CMPXCHG") {
                operand.failure_ordering = AtomicOrdering::Monotonic;
            }
        }
        operand
    };
    let mut operands = match accesses.count {
        1 => vec![operand(either)],
        _ => vec![operand(MemFlags::STORE), operand(MemFlags::LOAD)],
    };
    let addresses = info.uses.iter().filter_map(|kind| match kind {
        OperandKind::Register(TypeClass::Address, index) => types[usize::from(*index)],
        _ => None,
    });
    for (operand, address) in operands.iter_mut().zip(addresses) {
        if matches!(address, Type::Pointer { address_space: 1, .. }) {
            operand.metadata = function.intern("addrspace 1").into();
        }
    }
    Some(operands)
}
