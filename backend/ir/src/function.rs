//! A machine function: blocks in layout order, instructions in linked lists, virtual registers with their types.
//!
//! Invariants, kept by every method that changes an instruction: `def` of a virtual register is its most recently
//! inserted definition (the only one in SSA form). `uses` counts the operands that read it.

use crate::address::AddressData;
use crate::bits::Bits;
use crate::entities::{
    Address, Block, ConstantPoolIndex, FixedSlot, Inst, RegisterList, ShuffleMask, StackSlot, Symbol, VReg, WideConst,
};
use crate::inst::InstData;
use crate::interned::Interned;
use crate::opcode::Opcode;
use crate::operand::{Operand, PackedConst, Reg, RegFlags, RegOperand};
use crate::stage::Stage;
use crate::strictness::Strictness;
pub use crate::tables::{FixedObject, ListedRegisters, RegisterListKind, SlotKind, StackObject};
use crate::tables::{FrameInfo, JumpTables, PoolConstant};
use crate::types::Type;
use crate::vocabulary::{PReg, RegBank, RegClass};
use bitflags::bitflags;
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, PrimaryMap};
use std::sync::Arc;
use tribunal_llvm::{IntegerRange, IrModule};

bitflags! {
    /// Function properties, by LLVM's names in camel case.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct Properties: u16 {
        /// `exposesReturnsTwice`: it calls a function that may return twice, such as `setjmp`.
        const EXPOSES_RETURNS_TWICE = 1 << 0;
        /// `legalized`: every generic instruction is legal.
        const LEGALIZED = 1 << 1;
        /// `regBankSelected`: every generic register has a bank.
        const REG_BANK_SELECTED = 1 << 2;
        /// `selected`: no generic instruction is left.
        const SELECTED = 1 << 3;
        /// `failedISel`: LLVM gave up on its selection.
        const FAILED_ISEL = 1 << 4;
        /// `tracksRegLiveness`: live-in lists and kill flags are kept.
        const TRACKS_REG_LIVENESS = 1 << 5;
        /// `noPhis`: no PHI is left.
        const NO_PHIS = 1 << 6;
        /// `isSSA`: each virtual register has one definition.
        const IS_SSA = 1 << 7;
        /// `noVRegs`: no virtual register is left.
        const NO_VREGS = 1 << 8;
        /// `isSSA: false`: a virtual register may have many definitions, although PHIs may be left.
        const LEFT_SSA = 1 << 9;
    }
}

/// The registers that a virtual register may live in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Constraint {
    /// `_`: generic, before bank selection.
    None,
    /// A register bank, after bank selection.
    Bank(RegBank),
    /// A register class, after instruction selection.
    Class(RegClass),
}

/// A virtual register.
#[derive(Clone, Debug)]
pub struct VRegData {
    /// `None` once selected: only the class gives its size then.
    pub ty: Option<Type>,
    /// The machine registers that may hold it.
    pub constraint: Constraint,
    /// The number or name it has in text, without `%`.
    pub name: Option<Symbol>,
    /// The instruction that defines it.
    pub def: PackedOption<Inst>,
    /// The number of operands that read it.
    pub uses: u32,
}

/// A basic block.
#[derive(Clone, Debug, Default)]
pub struct BlockData {
    /// N of `bb.N`.
    pub number: u32,
    /// `name` of `bb.N.name`.
    pub name: Option<String>,
    /// The attributes in parentheses after the block's name, as they were read: `%ir-block.3, align 8`.
    pub attributes: Option<String>,
    /// Successors, with the branch weight if one was written (a numerator over 2^31).
    pub successors: Vec<(Block, Option<u32>)>,
    /// Physical registers live on entry, with a lane mask if one was written.
    pub liveins: Vec<(PReg, Option<u64>)>,
    first: PackedOption<Inst>,
    last: PackedOption<Inst>,
}

/// Neighbours of an instruction in its block.
#[derive(Clone, Copy, Debug, Default)]
struct Link {
    block: PackedOption<Block>,
    previous: PackedOption<Inst>,
    next: PackedOption<Inst>,
}

/// A function-level `liveins:` entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LiveIn {
    /// The machine register that holds a value on entry.
    pub register: PReg,
    /// The virtual register that is its copy, if one is.
    pub copy: Option<VReg>,
}

/// A machine function.
#[derive(Debug, Default)]
pub struct Function {
    /// The symbol of the function, without `@`.
    pub name: String,
    /// Bytes.
    pub alignment: Option<u32>,
    /// The function's properties, as passes stamp them.
    pub properties: Properties,
    /// The last stage that it has reached.
    pub stage: Stage,
    /// Registers that hold values on entry.
    pub liveins: Vec<LiveIn>,
    /// Virtual registers: type, constraint, name.
    pub vregs: PrimaryMap<VReg, VRegData>,
    /// Objects of the function's own frame.
    pub stack: PrimaryMap<StackSlot, StackObject>,
    /// Objects of the caller's frame: arguments that are passed on the stack.
    pub fixed_stack: PrimaryMap<FixedSlot, FixedObject>,
    /// The constant pool.
    pub constants: PrimaryMap<ConstantPoolIndex, PoolConstant>,
    /// The tables of indirect branches.
    pub jump_tables: JumpTables,
    /// The frame, as far as it is known.
    pub frame_info: FrameInfo,
    /// Names, and texts that are printed as they were read.
    pub symbols: Interned<Symbol, String>,
    /// The addresses that operands name.
    pub addresses: Interned<Address, AddressData>,
    /// The lane that each lane of a shuffle takes; `None` for any.
    pub shuffle_masks: Interned<ShuffleMask, Vec<Option<u32>>>,
    /// Lists of machine registers.
    pub register_lists: Interned<RegisterList, ListedRegisters>,
    /// The values that loads of this metadata (`!range !0`) may read, as far as the module gives them.
    pub ranges: Vec<(Symbol, Vec<IntegerRange>)>,
    /// The module that it is of, if the file has one.
    pub ir: Option<Arc<IrModule>>,
    /// Other keys of the function's document, as they were read: `(key, value text)`, in order.
    pub extra: Vec<(String, String)>,
    /// How its operations see the environment of floating point.
    pub strictness: Strictness,
    next_number: u32,
    /// Constants that do not fit an operand.
    pub wide: Interned<WideConst, Bits>,
    blocks: PrimaryMap<Block, BlockData>,
    layout: Vec<Block>,
    insts: PrimaryMap<Inst, InstData>,
    links: Vec<Link>,
}

impl Clone for Function {
    fn clone(&self) -> Function {
        let mut clone = Function::default();
        clone.clone_from(self);
        clone
    }

    /// Reuses the capacity of `self`: a caller that copies function after function would else have the system clear new
    /// pages for each.
    fn clone_from(&mut self, source: &Function) {
        fn refill<K: EntityRef, V: Clone>(map: &mut PrimaryMap<K, V>, source: &PrimaryMap<K, V>) {
            map.clear();
            map.extend(source.values().cloned());
        }
        let Function {
            name,
            alignment,
            properties,
            stage,
            liveins,
            vregs,
            stack,
            fixed_stack,
            constants,
            jump_tables,
            frame_info,
            symbols,
            addresses,
            shuffle_masks,
            register_lists,
            ranges,
            ir,
            extra,
            strictness,
            next_number,
            wide,
            blocks,
            layout,
            insts,
            links,
        } = self;
        name.clone_from(&source.name);
        (*alignment, *properties, *stage) = (source.alignment, source.properties, source.stage);
        *next_number = source.next_number;
        liveins.clone_from(&source.liveins);
        refill(vregs, &source.vregs);
        refill(stack, &source.stack);
        refill(fixed_stack, &source.fixed_stack);
        refill(constants, &source.constants);
        jump_tables.clone_from(&source.jump_tables);
        frame_info.clone_from(&source.frame_info);
        symbols.clone_from(&source.symbols);
        addresses.clone_from(&source.addresses);
        shuffle_masks.clone_from(&source.shuffle_masks);
        register_lists.clone_from(&source.register_lists);
        ranges.clone_from(&source.ranges);
        ir.clone_from(&source.ir);
        extra.clone_from(&source.extra);
        *strictness = source.strictness;
        wide.clone_from(&source.wide);
        refill(blocks, &source.blocks);
        layout.clone_from(&source.layout);
        refill(insts, &source.insts);
        links.clone_from(&source.links);
    }
}

impl Function {
    /// A function without blocks.
    pub fn new(name: impl Into<String>) -> Function {
        Function { name: name.into(), ..Function::default() }
    }

    /// Reserves capacity for so many more instructions and as many registers.
    pub fn reserve(&mut self, count: usize) {
        self.insts.reserve(count);
        self.links.reserve(count);
        self.vregs.reserve(count);
    }

    // Virtual registers.
    /// A new generic register of type `ty`.
    pub fn new_vreg(&mut self, ty: Type) -> VReg {
        self.push_vreg(Some(ty), Constraint::None)
    }

    /// A new register with any type and constraint. Registers without end are a panic, before they are all of memory.
    pub fn push_vreg(&mut self, ty: Option<Type>, constraint: Constraint) -> VReg {
        assert!(self.vregs.len() < 1 << 26, "too many virtual registers");
        self.vregs.push(VRegData { ty, constraint, name: None, def: None.into(), uses: 0 })
    }

    /// The type of a generic register; `None` after selection.
    pub fn type_of(&self, register: VReg) -> Option<Type> {
        self.vregs[register].ty
    }

    /// Whether some generic register of the instruction is a vector.
    pub fn has_vector(&self, data: &InstData) -> bool {
        data.operands.iter().filter_map(Operand::as_vreg).any(|reg| self.type_of(reg).is_some_and(Type::is_vector))
    }

    /// The instruction that defines `register`.
    pub fn def_of(&self, register: VReg) -> Option<Inst> {
        self.vregs[register].def.expand()
    }

    /// The number of operands that read `register`; one instruction may read it more than once.
    pub fn use_count(&self, register: VReg) -> u32 {
        self.vregs[register].uses
    }

    // Symbols.

    /// The symbol for `text`, the same one for the same text.
    pub fn intern(&mut self, text: &str) -> Symbol {
        self.symbols.intern(text)
    }

    // Constants.

    /// The operand for `value`: the same one for the same value.
    pub fn constant(&mut self, value: Bits) -> Operand {
        match value.to_i64() {
            Some(short) => Operand::Const { width: value.width() as u16, value: PackedConst(short) },
            None => Operand::WideConst(self.wide.intern(&value)),
        }
    }

    /// The value of a typed constant.
    pub fn constant_value(&self, operand: &Operand) -> Option<Bits> {
        match *operand {
            Operand::Const { width, value } => Some(Bits::from_i64(value.0, u32::from(width))),
            Operand::WideConst(index) => self.wide.get(index).copied(),
            _ => None,
        }
    }

    // Blocks.

    /// A new block at the end of the layout. Its number is one above the highest.
    pub fn new_block(&mut self) -> Block {
        self.new_numbered_block(self.next_number)
    }

    /// A new block at the end of the layout, as `bb.number`. The caller makes sure that the number is not taken.
    pub fn new_numbered_block(&mut self, number: u32) -> Block {
        self.next_number = self.next_number.max(number.saturating_add(1));
        let block = self.blocks.push(BlockData { number, ..BlockData::default() });
        self.layout.push(block);
        block
    }

    /// Blocks in layout order; the first is the entry.
    pub fn layout(&self) -> &[Block] {
        &self.layout
    }

    /// Replaces the layout; `layout` must name blocks of this function. Blocks left out are gone from the function.
    pub fn set_layout(&mut self, layout: Vec<Block>) {
        self.layout = layout;
        // Nobody reads a table of blocks that are gone.
        let layout = &self.layout;
        for table in self.jump_tables.tables.values_mut().filter(|table| !table.iter().all(|to| layout.contains(to))) {
            table.clear();
        }
    }

    /// The first block of the layout; `None` for a function without blocks.
    pub fn entry(&self) -> Option<Block> {
        self.layout.first().copied()
    }

    /// True if the entry finds a value of the caller's in this register: under any convention, an argument.
    pub fn is_live_in(&self, register: PReg) -> bool {
        self.entry().is_some_and(|entry| self.blocks[entry].liveins.iter().any(|&(own, _)| own == register))
    }

    /// The data of `block` besides its instructions.
    pub fn block(&self, block: Block) -> &BlockData {
        &self.blocks[block]
    }

    /// The same, mutable.
    pub fn block_mut(&mut self, block: Block) -> &mut BlockData {
        &mut self.blocks[block]
    }

    /// One above the highest block index: the size of a table indexed by block.
    pub fn block_bound(&self) -> usize {
        self.blocks.len()
    }

    /// The blocks that may follow `block`, in the order of its list.
    pub fn successors(&self, block: Block) -> impl Iterator<Item = Block> {
        self.blocks[block].successors.iter().map(|&(successor, _)| successor)
    }

    /// Predecessors of every block, indexed by block index, each once an edge, in layout order.
    pub fn predecessors(&self) -> Vec<Vec<Block>> {
        let mut predecessors = vec![Vec::new(); self.blocks.len()];
        for &block in &self.layout {
            for successor in self.successors(block) {
                predecessors[successor.index()].push(block);
            }
        }
        predecessors
    }

    /// Blocks reachable from the entry, in reverse post-order.
    pub fn reverse_post_order(&self) -> Vec<Block> {
        let mut order = Vec::with_capacity(self.layout.len());
        let mut seen = vec![false; self.blocks.len()];
        let mut stack: Vec<(Block, usize)> = Vec::new();
        if let Some(entry) = self.entry() {
            seen[entry.index()] = true;
            stack.push((entry, 0));
        }
        while let Some((block, next)) = stack.last_mut() {
            match self.blocks[*block].successors.get(*next) {
                Some(&(successor, _)) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[successor.index()], true) {
                        stack.push((successor, 0));
                    }
                }
                None => {
                    order.push(*block);
                    stack.pop();
                }
            }
        }
        order.reverse();
        order
    }

    // Instructions.

    /// The instruction's opcode, operands and flags.
    pub fn inst(&self, inst: Inst) -> &InstData {
        &self.insts[inst]
    }

    /// One above the highest instruction index.
    pub fn inst_bound(&self) -> usize {
        self.insts.len()
    }

    /// Reserves capacity for so many more instructions.
    pub fn reserve_insts(&mut self, more: usize) {
        self.insts.reserve(more);
        self.links.reserve(more);
        self.vregs.reserve(more);
    }

    /// The block that holds `inst`; `None` once removed.
    pub fn block_of(&self, inst: Inst) -> Option<Block> {
        self.links[inst.index()].block.expand()
    }

    /// The first instruction of `block`; `None` if it is empty.
    pub fn first_inst(&self, block: Block) -> Option<Inst> {
        self.blocks[block].first.expand()
    }

    /// The last instruction of `block`; `None` if it is empty.
    pub fn last_inst(&self, block: Block) -> Option<Inst> {
        self.blocks[block].last.expand()
    }

    /// The instruction after `inst` in its block.
    pub fn next_inst(&self, inst: Inst) -> Option<Inst> {
        self.links[inst.index()].next.expand()
    }

    /// The instruction before `inst` in its block.
    pub fn previous_inst(&self, inst: Inst) -> Option<Inst> {
        self.links[inst.index()].previous.expand()
    }

    /// Instructions of `block`, first to last.
    pub fn insts(&self, block: Block) -> impl Iterator<Item = Inst> + '_ {
        std::iter::successors(self.first_inst(block), |&inst| self.next_inst(inst))
    }

    /// Every instruction, block by block in layout order.
    pub fn all_insts(&self) -> impl Iterator<Item = Inst> + '_ {
        self.layout().iter().flat_map(|&block| self.insts(block))
    }

    /// Instructions of `block`, last to first.
    pub fn insts_reversed(&self, block: Block) -> impl Iterator<Item = Inst> + '_ {
        std::iter::successors(self.last_inst(block), |&inst| self.previous_inst(inst))
    }

    /// Appends to `block`.
    pub fn append(&mut self, block: Block, data: InstData) -> Inst {
        let inst = self.create(data);
        let last = self.blocks[block].last;
        self.link(inst, block, last, None.into());
        inst
    }

    /// Prepends to `block`, before any PHI.
    pub fn prepend(&mut self, block: Block, data: InstData) -> Inst {
        let inst = self.create(data);
        let first = self.blocks[block].first;
        self.link(inst, block, None.into(), first);
        inst
    }

    /// Inserts before `position`, which must be in a block.
    pub fn insert_before(&mut self, position: Inst, data: InstData) -> Inst {
        let inst = self.create(data);
        let Link { block, previous, .. } = self.links[position.index()];
        let block = block.expand().expect("the position is in a block");
        self.link(inst, block, previous, position.into());
        inst
    }

    /// Inserts after `position`, which must be in a block.
    pub fn insert_after(&mut self, position: Inst, data: InstData) -> Inst {
        let inst = self.create(data);
        let Link { block, next, .. } = self.links[position.index()];
        let block = block.expand().expect("the position is in a block");
        self.link(inst, block, position.into(), next);
        inst
    }

    /// Takes `inst` out of its block. Registers it defined keep their number and have no definition, unless another
    /// instruction has defined them since.
    pub fn remove(&mut self, inst: Inst) {
        self.forget_operands(inst);
        let Link { block, previous, next } = std::mem::take(&mut self.links[inst.index()]);
        let Some(block) = block.expand() else { return };
        match previous.expand() {
            Some(previous) => self.links[previous.index()].next = next,
            None => self.blocks[block].first = next,
        }
        match next.expand() {
            Some(next) => self.links[next.index()].previous = previous,
            None => self.blocks[block].last = previous,
        }
    }

    /// Takes the instruction out of its slot. The slot keeps its position in the block, empty, until
    /// [`Function::replace`] fills it or [`Function::remove`] takes it away too.
    pub fn take(&mut self, inst: Inst) -> InstData {
        self.forget_operands(inst);
        std::mem::replace(&mut self.insts[inst], InstData::new(Opcode::COPY, []))
    }

    /// Puts `data` in the place of `inst`, keeping its position.
    pub fn replace(&mut self, inst: Inst, data: InstData) {
        self.forget_operands(inst);
        self.insts[inst] = data;
        self.count_operands(inst);
    }

    /// Changes one operand of `inst`.
    pub fn set_operand(&mut self, inst: Inst, index: usize, operand: Operand) {
        let old = std::mem::replace(&mut self.insts[inst].operands[index], operand);
        forget(&mut self.vregs, inst, &old);
        count(&mut self.vregs, inst, &operand);
    }

    /// Replaces every read of a virtual register by the one that `rename` gives for it.
    pub fn rename_uses(&mut self, inst: Inst, mut rename: impl FnMut(VReg) -> VReg) {
        for operand in &mut self.insts[inst].operands {
            let Operand::Reg(RegOperand { reg: Reg::Virtual(register), flags, .. }) = operand else { continue };
            if flags.contains(RegFlags::DEF) {
                continue;
            }
            let new = rename(*register);
            if new != *register {
                self.vregs[*register].uses -= 1;
                self.vregs[new].uses += 1;
                *register = new;
            }
        }
    }

    /// The first terminator of `block`: the first instruction for which `is_terminator` holds.
    pub fn first_terminator(&self, block: Block, is_terminator: impl Fn(&InstData) -> bool) -> Option<Inst> {
        self.insts_reversed(block).take_while(|&inst| is_terminator(&self.insts[inst])).last()
    }

    fn create(&mut self, data: InstData) -> Inst {
        self.note_environment(data.opcode);
        let inst = self.insts.push(data);
        self.links.push(Link::default());
        self.count_operands(inst);
        inst
    }

    fn link(&mut self, inst: Inst, block: Block, previous: PackedOption<Inst>, next: PackedOption<Inst>) {
        self.links[inst.index()] = Link { block: block.into(), previous, next };
        match previous.expand() {
            Some(previous) => self.links[previous.index()].next = inst.into(),
            None => self.blocks[block].first = inst.into(),
        }
        match next.expand() {
            Some(next) => self.links[next.index()].previous = inst.into(),
            None => self.blocks[block].last = inst.into(),
        }
    }

    fn count_operands(&mut self, inst: Inst) {
        let vregs = &mut self.vregs;
        self.insts[inst].operands.iter().for_each(|operand| count(vregs, inst, operand));
    }

    fn forget_operands(&mut self, inst: Inst) {
        let vregs = &mut self.vregs;
        self.insts[inst].operands.iter().for_each(|operand| forget(vregs, inst, operand));
    }
}

fn count(vregs: &mut PrimaryMap<VReg, VRegData>, inst: Inst, operand: &Operand) {
    let Operand::Reg(RegOperand { reg: Reg::Virtual(register), flags, .. }) = operand else { return };
    let data = &mut vregs[*register];
    match flags.contains(RegFlags::DEF) {
        true => data.def = inst.into(),
        false => data.uses += 1,
    }
}

fn forget(vregs: &mut PrimaryMap<VReg, VRegData>, inst: Inst, operand: &Operand) {
    let Operand::Reg(RegOperand { reg: Reg::Virtual(register), flags, .. }) = operand else { return };
    let data = &mut vregs[*register];
    match flags.contains(RegFlags::DEF) {
        true if data.def == inst.into() => data.def = None.into(),
        true => {}
        false => data.uses -= 1,
    }
}
