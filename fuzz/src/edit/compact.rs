//! Compaction after edits: the same function with its entities renumbered. Unused ones are dropped, and the text reads
//! in order.

use super::scope::read_on_entry;
use rustc_hash::FxHashMap;
use tribunal_ir::entities::{ConstantPoolIndex, JumpTable};
use tribunal_ir::{
    AddressBase, AddressData, Block, Function, GlobalName, MemOperand, Operand, PReg, Pointer, Reg, RegFlags,
    StackSlot, Symbol, VReg,
};
use tribunal_target::Target;

/// A copy whose registers, blocks and stack objects are numbered in order of appearance, without unread stack objects
/// and live-ins. `None` if an operand names a block that is not in the layout.
pub fn compact(function: &Function, target: &Target) -> Option<Function> {
    let mut new = Function::new(function.name.clone());
    new.alignment = function.alignment;
    new.properties = function.properties;
    new.stage = function.stage;
    new.frame_info = function.frame_info.clone();
    // Text that names entities by their old numbers.
    new.frame_info.other.clear();
    new.jump_tables.kind = function.jump_tables.kind;
    new.extra = function.extra.clone();
    let mut copy = Copy {
        old: function,
        new,
        registers: FxHashMap::default(),
        blocks: FxHashMap::default(),
        slots: FxHashMap::default(),
        constants: FxHashMap::default(),
        tables: FxHashMap::default(),
    };
    copy.blocks();
    copy.registers();
    copy.stack();
    for &block in function.layout() {
        let placed = copy.blocks[&block];
        for inst in function.insts(block) {
            let mut data = function.inst(inst).clone();
            for operand in &mut data.operands {
                *operand = copy.operand(operand)?;
            }
            for memory in &mut data.memory {
                *memory = copy.memory(memory);
            }
            copy.new.append(placed, data);
        }
    }
    copy.liveins(&read_on_entry(function, target), target);
    Some(copy.new)
}

struct Copy<'f> {
    old: &'f Function,
    new: Function,
    registers: FxHashMap<VReg, VReg>,
    blocks: FxHashMap<Block, Block>,
    slots: FxHashMap<StackSlot, StackSlot>,
    constants: FxHashMap<ConstantPoolIndex, ConstantPoolIndex>,
    tables: FxHashMap<JumpTable, JumpTable>,
}

impl Copy<'_> {
    fn blocks(&mut self) {
        for &block in self.old.layout() {
            let copy = self.new.new_block();
            self.blocks.insert(block, copy);
        }
        for &block in self.old.layout() {
            let data = self.old.block(block);
            let successors = data.successors.iter().filter_map(|(to, weight)| Some((*self.blocks.get(to)?, *weight)));
            let successors = successors.collect();
            let placed = self.new.block_mut(self.blocks[&block]);
            placed.successors = successors;
            placed.name.clone_from(&data.name);
            placed.attributes.clone_from(&data.attributes);
            placed.liveins.clone_from(&data.liveins);
        }
    }

    /// Definitions in order, then registers that are read and nowhere defined.
    fn registers(&mut self) {
        let defs = self.old.all_insts().flat_map(|inst| self.old.inst(inst).vreg_defs().collect::<Vec<_>>());
        let uses = self.old.all_insts().flat_map(|inst| self.old.inst(inst).vreg_uses().collect::<Vec<_>>());
        for register in defs.chain(uses) {
            let row = &self.old.vregs[register];
            self.registers.entry(register).or_insert_with(|| self.new.push_vreg(row.ty, row.constraint));
        }
    }

    /// Stack objects that an operand names; fixed ones keep their numbers.
    fn stack(&mut self) {
        self.new.fixed_stack = self.old.fixed_stack.clone();
        for inst in self.old.all_insts() {
            for operand in &self.old.inst(inst).operands {
                if let Operand::Stack(slot) = operand
                    && let Some(object) = self.old.stack.get(*slot)
                {
                    self.slots.entry(*slot).or_insert_with(|| self.new.stack.push(object.clone()));
                }
            }
        }
    }

    fn operand(&mut self, operand: &Operand) -> Option<Operand> {
        Some(match *operand {
            Operand::Reg(mut register) => {
                if let Reg::Virtual(virtual_register) = register.reg {
                    register.reg = Reg::Virtual(*self.registers.get(&virtual_register)?);
                    // The last read of a value may have changed.
                    register.flags.remove(RegFlags::KILLED | RegFlags::DEAD);
                }
                Operand::Reg(register)
            }
            Operand::Block(block) => Operand::Block(*self.blocks.get(&block)?),
            Operand::Stack(slot) => Operand::Stack(*self.slots.get(&slot)?),
            Operand::Address(address) => self.address(*self.old.addresses.get(address)?)?,
            Operand::WideConst(_) => self.new.constant(self.old.constant_value(operand)?),
            Operand::Float(constant) => self.new.float(constant.format, self.old.float_bits(constant)?),
            Operand::ShuffleMask(mask) => {
                Operand::ShuffleMask(self.new.shuffle_masks.intern(self.old.shuffle_masks.get(mask)?))
            }
            Operand::RegisterList(list) => {
                Operand::RegisterList(self.new.register_lists.intern(self.old.register_lists.get(list)?))
            }
            Operand::Intrinsic(name) => Operand::Intrinsic(self.symbol(name)),
            Operand::OpcodeName(name) => Operand::OpcodeName(self.symbol(name)),
            Operand::Text(text) => Operand::Text(self.symbol(text)),
            Operand::Imm(_)
            | Operand::Const { .. }
            | Operand::Predicate(_)
            | Operand::FloatPredicate(_)
            | Operand::FixedStack(_)
            | Operand::RegisterMask(_)
            | Operand::Metadata(_)
            | Operand::Cfi(_)
            | Operand::NoRegister => *operand,
        })
    }

    /// Constants and jump tables that an operand names are kept, in order of appearance.
    fn address(&mut self, mut address: AddressData) -> Option<Operand> {
        address.base = match address.base {
            AddressBase::Global(name) => AddressBase::Global(self.global(name)),
            AddressBase::External(name) => AddressBase::External(self.symbol(name)),
            AddressBase::Constant(index) => {
                let constant = self.old.constants.get(index)?;
                let entry = self.constants.entry(index);
                AddressBase::Constant(*entry.or_insert_with(|| self.new.constants.push(constant.clone())))
            }
            AddressBase::JumpTable(index) => {
                let blocks = self.old.jump_tables.tables.get(index)?.iter();
                let blocks = blocks.map(|block| self.blocks.get(block).copied()).collect::<Option<Vec<Block>>>()?;
                let entry = self.tables.entry(index);
                AddressBase::JumpTable(*entry.or_insert_with(|| self.new.jump_tables.tables.push(blocks)))
            }
            AddressBase::Block { function, block } => {
                AddressBase::Block { function: self.global(function), block: self.symbol(block) }
            }
            AddressBase::Label(name) => AddressBase::Label(self.symbol(name)),
        };
        Some(self.new.address(address))
    }

    fn global(&mut self, name: GlobalName) -> GlobalName {
        match name {
            GlobalName::Named(name) => GlobalName::Named(self.symbol(name)),
            GlobalName::Numbered(number) => GlobalName::Numbered(number),
        }
    }

    fn symbol(&mut self, symbol: Symbol) -> Symbol {
        self.new.intern(&self.old.symbols[symbol])
    }

    fn memory(&mut self, memory: &MemOperand) -> MemOperand {
        MemOperand {
            pointer: memory.pointer.and_then(|pointer| self.pointer(pointer)),
            metadata: memory.metadata.expand().map(|symbol| self.symbol(symbol)).into(),
            ..*memory
        }
    }

    /// `None` if it is to a stack object that is gone.
    fn pointer(&mut self, pointer: Pointer) -> Option<Pointer> {
        Some(match pointer {
            Pointer::Stack(slot) => Pointer::Stack(*self.slots.get(&slot)?),
            Pointer::Ir(name) => Pointer::Ir(self.symbol(name)),
            Pointer::Expression(text) => Pointer::Expression(self.symbol(text)),
            Pointer::Global(name) => Pointer::Global(self.global(name)),
            Pointer::CallEntry(name) => Pointer::CallEntry(self.global(name)),
            Pointer::ExternalCallEntry(name) => Pointer::ExternalCallEntry(self.symbol(name)),
            Pointer::Text(text) => Pointer::Text(self.symbol(text)),
            Pointer::FixedStack(_)
            | Pointer::OutgoingArguments
            | Pointer::ConstantPool
            | Pointer::JumpTable
            | Pointer::Got
            | Pointer::Unknown => pointer,
        })
    }

    /// Registers live on entry that some instruction reads.
    fn liveins(&mut self, read: &[PReg], target: &Target) {
        let is_read = |register| read.contains(&target.vocabulary.full_register(register));
        for livein in self.old.liveins.iter().filter(|livein| is_read(livein.register)) {
            let copy = livein.copy.and_then(|register| self.registers.get(&register).copied());
            self.new.liveins.push(tribunal_ir::function::LiveIn { register: livein.register, copy });
        }
        if let Some(entry) = self.new.entry() {
            self.new.block_mut(entry).liveins.retain(|&(register, _)| is_read(register));
        }
    }
}
