//! Compaction after edits: the same function with its entities renumbered. Unused ones are dropped, and the text reads
//! in order.

use super::scope::read_on_entry;
use rustc_hash::FxHashMap;
use tribunal_ir::entities::WideConst;
use tribunal_ir::{Block, Function, MemOperand, Operand, PReg, Reg, RegFlags, StackSlot, Symbol, VReg};
use tribunal_target::Target;

/// A copy whose registers, blocks and stack objects are numbered in order of appearance, without unread stack objects
/// and live-ins. `None` if an operand names a block that is not in the layout.
pub fn compact(function: &Function, target: &Target) -> Option<Function> {
    let mut new = Function::new(function.name.clone());
    new.alignment = function.alignment;
    new.properties = function.properties;
    new.extra = function.extra.clone();
    let mut copy = Copy { old: function, new, registers: FxHashMap::default(), blocks: FxHashMap::default() };
    copy.blocks();
    copy.registers();
    let slots = copy.stack();
    for &block in function.layout() {
        let placed = copy.blocks[&block];
        for inst in function.insts(block) {
            let mut data = function.inst(inst).clone();
            for operand in &mut data.operands {
                *operand = copy.operand(operand, &slots)?;
            }
            for memory in &mut data.memory {
                *memory = copy.memory(memory, &slots);
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
}

impl Copy<'_> {
    /// Blocks keep their numbers where the function's other keys name them: a jump table does.
    fn blocks(&mut self) {
        let named = self.old.extra.iter().any(|(_, text)| text.contains("%bb."));
        for &block in self.old.layout() {
            let data = self.old.block(block);
            let copy = if named { self.new.new_numbered_block(data.number) } else { self.new.new_block() };
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
    fn stack(&mut self) -> FxHashMap<StackSlot, StackSlot> {
        self.new.fixed_stack = self.old.fixed_stack.clone();
        let mut slots = FxHashMap::default();
        for inst in self.old.all_insts() {
            for operand in &self.old.inst(inst).operands {
                if let Operand::Stack(slot) = operand
                    && let Some(object) = self.old.stack.get(*slot)
                {
                    slots.entry(*slot).or_insert_with(|| self.new.stack.push(object.clone()));
                }
            }
        }
        slots
    }

    fn operand(&mut self, operand: &Operand, slots: &FxHashMap<StackSlot, StackSlot>) -> Option<Operand> {
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
            Operand::Stack(slot) => Operand::Stack(*slots.get(&slot)?),
            Operand::Symbol(symbol) => Operand::Symbol(self.symbol(symbol)),
            Operand::WideConst(index) => self.wide(index)?,
            Operand::Imm(_) | Operand::Const { .. } | Operand::Predicate(_) | Operand::FixedStack(_) => *operand,
        })
    }

    fn wide(&mut self, index: WideConst) -> Option<Operand> {
        self.old.constant_value(&Operand::WideConst(index)).map(|value| self.new.constant(value))
    }

    fn symbol(&mut self, symbol: Symbol) -> Symbol {
        self.new.intern(&self.old.symbols[symbol])
    }

    fn memory(&mut self, memory: &MemOperand, slots: &FxHashMap<StackSlot, StackSlot>) -> MemOperand {
        let pointer = memory.pointer.expand().and_then(|pointer| renumbered(&self.old.symbols[pointer], slots));
        MemOperand {
            ordering: memory.ordering.expand().map(|symbol| self.symbol(symbol)).into(),
            pointer: pointer.map(|text| self.new.intern(&text)).into(),
            metadata: memory.metadata.expand().map(|symbol| self.symbol(symbol)).into(),
            ..*memory
        }
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

/// `%stack.2.x` by its new number; `None` if the object is gone. Every other text stays.
fn renumbered(text: &str, slots: &FxHashMap<StackSlot, StackSlot>) -> Option<String> {
    let Some(rest) = text.strip_prefix("%stack.") else { return Some(text.to_string()) };
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let old: u32 = rest[..digits].parse().ok()?;
    let new = slots.get(&StackSlot::from_u32(old))?;
    Some(format!("%stack.{}{}", new.as_u32(), &rest[digits..]))
}
