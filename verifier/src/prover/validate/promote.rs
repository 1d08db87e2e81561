//! Stack objects promoted to SSA (mem2reg), for the proof alone: both functions are rewritten with some objects in
//! registers.
//!
//! An object is promoted if in both functions its address is made by `G_FRAME_INDEX` and does not escape: it is used
//! only by plain loads and stores of one type at its start. The pair given refines if the promoted pair does, by these
//! two steps.
//!
//! - The later function does nothing that its promoted one does not. Each access lies in its object and is aligned, so
//!   none is undefined. Nothing else reaches the object, since its address does not escape. An access to it by a
//!   guessed address is undefined where the promoted pair is judged for memories in which that address may not be
//!   touched, as it is (the prover lets any set of addresses be valid). So a load yields the value stored last, and
//!   any-extends alike.
//! - The promoted earlier function does nothing that the earlier one does not, for the same reasons (this is mem2reg).
//!
//! A load before any store reads the object's contents on entry, which are one unknown, poison or not, in both
//! functions. The bytes of the object are no part of the memory that must be equal at calls and returns, where nobody
//! can read them. Volatile and atomic accesses and lifetime markers keep an object in memory.
//!
//! Each of the two steps stands alone, so an object that only one function names is promoted there alone. One that only
//! the later function has is promoted or refused (`tables.rs`). Its contents on entry are unknown, so none may show.
//!
//! PHIs stand at the iterated dominance frontier of the stores, pruned by liveness (Cytron et al., "Efficiently
//! computing static single assignment form", 1991), at the same places and under the same registers in the functions
//! that name the object.

use super::Pair;
use super::pairing;
use crate::machine_verifier::dominance::Tree;
use crate::prover::claims;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use tribunal_ir::{
    Block, Family, Function, Inst, InstData, MemFlags, MemOperand, Opcode, Operand, Pointer, RegFlags, SlotKind,
    StackSlot, Type, VReg, Vocabulary,
};

/// Both functions with objects in registers.
pub(super) struct Promoted {
    pub before: Function,
    pub after: Function,
    /// For each object promoted, the register that holds its contents on entry and that no instruction defines.
    pub contents: Vec<VReg>,
}

/// The pair with its objects promoted; `None` if there is none that can be.
pub(super) fn promote(vocabulary: &dyn Vocabulary, pair: Pair<'_>) -> Option<Promoted> {
    let blocks = pairing::blocks(pair).ok()?;
    let entry = pair.before.entry()?;
    // PHIs take a value from each predecessor.
    if blocks.len() != pair.before.layout().len() || !pair.before.predecessors()[entry.as_u32() as usize].is_empty() {
        return None;
    }
    let slots = slots(vocabulary, pair);
    if slots.is_empty() {
        return None;
    }
    let flow = DominanceFlow::new(pair.before, blocks.iter().map(|&(block, _)| block).collect(), entry);
    let (mut before, mut after) = (pair.before.clone(), pair.after.clone());
    // The same number stands for the same register in both.
    let registers = before.vregs.len().max(after.vregs.len());
    for function in [&mut before, &mut after] {
        while function.vregs.len() < registers {
            function.new_vreg(Type::scalar(1));
        }
    }
    let mut contents = Vec::new();
    let mut all = Vec::new();
    for (&slot, &(ty, holders)) in &slots {
        let mut fresh = || {
            after.new_vreg(ty);
            before.new_vreg(ty)
        };
        let initial = fresh();
        let phis = flow.phis(&uses(pair, &blocks, slot)).into_iter().map(|block| (block, fresh())).collect();
        contents.push(initial);
        all.push((holders, Object { slot, ty, initial, phis }));
    }
    let order = |side: fn(&(Block, Block)) -> Block| blocks.iter().map(|pair| (pair.0, side(pair))).collect::<Vec<_>>();
    let of = |not: Holders| all.iter().filter(move |(holders, _)| *holders != not).map(|(_, object)| object);
    rewrite(&mut before, &order(|pair| pair.0), &flow, of(Holders::After));
    rewrite(&mut after, &order(|pair| pair.1), &flow, of(Holders::Before));
    Some(Promoted { before, after, contents })
}

/// The same for functions of different control flow: each has PHIs of its own.
pub(super) fn apart(vocabulary: &dyn Vocabulary, pair: Pair<'_>) -> Option<Promoted> {
    let flows = [DominanceFlow::of_whole(pair.before)?, DominanceFlow::of_whole(pair.after)?];
    let slots = slots(vocabulary, pair);
    if slots.is_empty() {
        return None;
    }
    let (mut before, mut after) = (pair.before.clone(), pair.after.clone());
    let registers = before.vregs.len().max(after.vregs.len());
    for function in [&mut before, &mut after] {
        while function.vregs.len() < registers {
            function.new_vreg(Type::scalar(1));
        }
    }
    let mut initial = |ty| {
        after.new_vreg(ty);
        before.new_vreg(ty)
    };
    let contents: Vec<VReg> = slots.values().map(|&(ty, _)| initial(ty)).collect();
    let sides = [(&mut before, pair.before, Holders::After), (&mut after, pair.after, Holders::Before)];
    for ((function, original, not), flow) in sides.into_iter().zip(&flows) {
        let order: Vec<(Block, Block)> = flow.order.iter().map(|&block| (block, block)).collect();
        let mut objects = Vec::new();
        for ((&slot, &(ty, holders)), &initial) in slots.iter().zip(&contents) {
            if holders != not {
                let uses = uses(Pair { before: original, after: original }, &order, slot);
                let phis = flow.phis(&uses).into_iter().map(|block| (block, function.new_vreg(ty))).collect();
                objects.push(Object { slot, ty, initial, phis });
            }
        }
        rewrite(function, &order, flow, objects.iter());
    }
    Some(Promoted { before, after, contents })
}

/// The functions that name an object.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holders {
    Both,
    /// The later function has the object's values in registers, if it needs them.
    Before,
    /// The later function keeps values in memory that the earlier one has in registers.
    After,
}

/// The objects that are promoted, each with its type: those that one function or both name, and that no address of
/// escapes.
fn slots(vocabulary: &dyn Vocabulary, pair: Pair<'_>) -> BTreeMap<StackSlot, (Type, Holders)> {
    let (own, others) = (candidates(pair.before), candidates(pair.after));
    let (named_before, named_later) = (named(pair.before), named(pair.after));
    let mut slots = BTreeMap::new();
    for (&slot, &ty) in &own {
        if !named_later.contains(&slot) {
            slots.insert(slot, (ty, Holders::Before));
        } else if others.get(&slot) == Some(&ty) && same_object(pair, slot) && !claims_more(vocabulary, pair, slot) {
            slots.insert(slot, (ty, Holders::Both));
        }
    }
    let new = others.iter().filter(|(slot, _)| !named_before.contains(slot) && !claims_more(vocabulary, pair, **slot));
    slots.extend(new.map(|(&slot, &ty)| (slot, (ty, Holders::After))));
    slots
}

/// The objects that operands name, but for addresses that nobody reads.
pub(super) fn named(function: &Function) -> FxHashSet<StackSlot> {
    let insts = || function.all_insts().map(|inst| function.inst(inst));
    let read: FxHashSet<VReg> =
        insts().flat_map(InstData::uses).filter_map(|operand| operand.reg.as_virtual()).collect();
    let is_dead = |data: &InstData| {
        data.opcode == Opcode::G_FRAME_INDEX && data.vreg(0).is_some_and(|address| !read.contains(&address))
    };
    let operands = insts().filter(|data| !is_dead(data)).flat_map(|data| &data.operands);
    let slot = |operand: &Operand| match operand {
        Operand::Stack(slot) => Some(*slot),
        _ => None,
    };
    operands.filter_map(slot).collect()
}

/// Whether an access of the later function to this object names another pointer, metadata, or contents that never
/// change, where no access of the earlier function to it says the same. Promotion would lose that.
fn claims_more(vocabulary: &dyn Vocabulary, pair: Pair<'_>, slot: StackSlot) -> bool {
    let said = |function| claims::said(function, vocabulary);
    let earlier: Vec<[String; 2]> = accesses(pair.before, slot).map(said(pair.before)).collect();
    // A pointer of the IR that names this object alone is a name for it.
    let is_own_name = |memory: &MemOperand| {
        let names = |other: &&MemOperand| other.pointer == memory.pointer;
        let everywhere = pair.after.all_insts().flat_map(|inst| &pair.after.inst(inst).memory).filter(names).count();
        let is_sole = earlier.is_empty() && accesses(pair.after, slot).filter(names).count() == everywhere;
        memory.offset == 0 && (is_sole || memory.pointer == Some(Pointer::Stack(slot)))
    };
    let is_new = |memory: &MemOperand| {
        let [pointer, metadata] = said(pair.after)(memory);
        let kept = |part: usize, text: &String| text.is_empty() || earlier.iter().any(|other| other[part] == *text);
        !(kept(0, &pointer) || is_own_name(memory)) || !kept(1, &metadata) || memory.flags.contains(MemFlags::INVARIANT)
    };
    accesses(pair.after, slot).any(is_new)
}

/// The memory operands of the accesses to an object by its address.
fn accesses(function: &Function, slot: StackSlot) -> impl Iterator<Item = &MemOperand> {
    let addresses = addresses(function);
    let insts = function.all_insts().map(|inst| function.inst(inst));
    let reaches = move |data: &&InstData| data.vreg(1).is_some_and(|address| addresses.get(&address) == Some(&slot));
    insts.filter(reaches).flat_map(|data| &data.memory)
}

fn same_object(pair: Pair<'_>, slot: StackSlot) -> bool {
    let (one, other) = (pair.before.stack.get(slot), pair.after.stack.get(slot));
    one.zip(other).is_some_and(|(one, other)| one.size == other.size && one.align <= other.align)
}

/// The objects of one function that only plain whole accesses of one type reach, with that type.
fn candidates(function: &Function) -> BTreeMap<StackSlot, Type> {
    // A list of variable arguments points to objects that no operand of its instruction names.
    if function.all_insts().any(|inst| function.inst(inst).opcode == Opcode::G_VASTART) {
        return BTreeMap::new();
    }
    let addresses = addresses(function);
    let mut types: BTreeMap<StackSlot, Option<Type>> = BTreeMap::new();
    for data in function.all_insts().map(|inst| function.inst(inst)) {
        let named = data.operands.iter().filter_map(|operand| match operand {
            Operand::Stack(slot) if data.opcode != Opcode::G_FRAME_INDEX => Some(*slot),
            _ => None,
        });
        named.for_each(|slot| _ = types.insert(slot, None));
        let access = access(function, data);
        for (index, register) in data.operands.iter().enumerate().filter_map(|(index, operand)| {
            let register = operand.as_reg().filter(|register| !register.flags.contains(RegFlags::DEF))?;
            Some((index, register.reg.as_virtual()?))
        }) {
            let Some(&slot) = addresses.get(&register) else { continue };
            let object = &function.stack[slot];
            let whole = access.filter(|&(ty, align)| {
                index == 1
                    && object.kind == SlotKind::Default
                    && u64::from(ty.bits()) <= 8 * object.size
                    && align <= object.align
            });
            let ty = whole.map(|(ty, _)| ty);
            let known = types.entry(slot).or_insert(ty);
            if *known != ty {
                *known = None;
            }
        }
    }
    types.into_iter().filter_map(|(slot, ty)| Some((slot, ty?))).collect()
}

/// Registers that hold the address of an object.
fn addresses(function: &Function) -> FxHashMap<VReg, StackSlot> {
    let made = function.all_insts().map(|inst| function.inst(inst)).filter(|data| data.opcode == Opcode::G_FRAME_INDEX);
    let slot = |data: &InstData| match data.operands.get(1) {
        Some(Operand::Stack(slot)) => Some((data.vreg(0)?, *slot)),
        _ => None,
    };
    made.filter_map(slot).collect()
}

fn makes_address(data: &InstData, slot: StackSlot) -> bool {
    data.opcode == Opcode::G_FRAME_INDEX
        && matches!(data.operands.get(1), Some(Operand::Stack(other)) if *other == slot)
}

/// Type in memory and alignment of a load or store that promotion can replace.
fn access(function: &Function, data: &InstData) -> Option<(Type, u32)> {
    let info = data.opcode.info().filter(|info| matches!(info.family, Family::Load | Family::Store))?;
    let [memory @ MemOperand { flags, ty: Some(ty), align, .. }] = data.memory.as_slice() else { return None };
    let is_undefined = data.uses().any(|operand| operand.flags.contains(RegFlags::UNDEF));
    let plain = !flags.contains(MemFlags::VOLATILE) && !memory.is_atomic() && !ty.is_vector() && !is_undefined;
    let value = function.type_of(data.vreg(0)?)?;
    let extends = value.is_scalar() && ty.is_scalar() && value.bits() > ty.bits();
    let fits = extends || (value == *ty && info.access_fits(ty.bits(), ty.bits()));
    (plain && fits && ty.bits().is_multiple_of(8)).then_some((*ty, *align))
}

/// The accesses in the blocks of either function to one object, by the block of the earlier function.
#[derive(Default)]
pub(super) struct Uses {
    /// Blocks that load before they store.
    pub reads: Vec<Block>,
    pub writes: FxHashSet<Block>,
}

fn uses(pair: Pair<'_>, blocks: &[(Block, Block)], slot: StackSlot) -> Uses {
    let mut uses = Uses::default();
    let (addresses_before, addresses_after) = (addresses(pair.before), addresses(pair.after));
    for &(block, other) in blocks {
        let sides = [(pair.before, block, &addresses_before), (pair.after, other, &addresses_after)];
        for (function, place, addresses) in sides {
            let mut accesses = function.insts(place).map(|inst| function.inst(inst)).filter(|data| {
                data.vreg(1).is_some_and(|address| addresses.get(&address) == Some(&slot)) && !data.memory.is_empty()
            });
            let first = accesses.next();
            if first.is_some_and(|data| data.opcode != Opcode::G_STORE) {
                uses.reads.push(block);
            }
            if first.into_iter().chain(accesses).any(|data| data.opcode == Opcode::G_STORE) {
                uses.writes.insert(block);
            }
        }
    }
    uses
}

/// Control flow, which both functions share.
pub(super) struct DominanceFlow {
    order: Vec<Block>,
    above: FxHashMap<Block, Block>,
    predecessors: Vec<Vec<Block>>,
    frontiers: FxHashMap<Block, Vec<Block>>,
}

impl DominanceFlow {
    /// Of a function all of whose blocks control reaches, and none the entry; `None` for another.
    pub(super) fn of_whole(function: &Function) -> Option<DominanceFlow> {
        let entry = function.entry()?;
        let order = function.reverse_post_order();
        let is_once = function.predecessors()[entry.as_u32() as usize].is_empty();
        (is_once && order.len() == function.layout().len()).then(|| DominanceFlow::new(function, order, entry))
    }

    /// The blocks, definitions before uses.
    pub(super) fn order(&self) -> &[Block] {
        &self.order
    }

    /// The closest block that dominates another.
    pub(super) fn above(&self, block: Block) -> Option<Block> {
        self.above.get(&block).copied()
    }

    pub(super) fn predecessors(&self, block: Block) -> &[Block] {
        &self.predecessors[block.as_u32() as usize]
    }

    fn new(function: &Function, order: Vec<Block>, entry: Block) -> DominanceFlow {
        let tree = Tree::new(function, &order, entry);
        let predecessors = function.predecessors();
        let above: FxHashMap<Block, Block> =
            order.iter().filter_map(|&block| Some((block, tree.above(&order, block)?))).collect();
        let mut frontiers: FxHashMap<Block, Vec<Block>> = FxHashMap::default();
        for &block in &order {
            let from = &predecessors[block.as_u32() as usize];
            for &start in from.iter().filter(|_| from.len() > 1) {
                let mut runner = Some(start);
                while let Some(place) = runner.filter(|place| above.get(&block) != Some(place)) {
                    let frontier = frontiers.entry(place).or_default();
                    if !frontier.contains(&block) {
                        frontier.push(block);
                    }
                    runner = above.get(&place).copied();
                }
            }
        }
        DominanceFlow { order, above, predecessors, frontiers }
    }

    /// Blocks at whose entry the object is live.
    fn live(&self, uses: &Uses) -> FxHashSet<Block> {
        let mut live: FxHashSet<Block> = uses.reads.iter().copied().collect();
        let mut pending = uses.reads.clone();
        while let Some(block) = pending.pop() {
            for &from in &self.predecessors[block.as_u32() as usize] {
                if !uses.writes.contains(&from) && live.insert(from) {
                    pending.push(from);
                }
            }
        }
        live
    }

    /// Blocks that start with a PHI for an object, in order.
    pub(super) fn phis(&self, uses: &Uses) -> Vec<Block> {
        let live = self.live(uses);
        let mut placed = FxHashSet::default();
        let mut pending: Vec<Block> = uses.writes.iter().copied().collect();
        while let Some(block) = pending.pop() {
            for &next in self.frontiers.get(&block).into_iter().flatten() {
                if live.contains(&next) && placed.insert(next) {
                    pending.push(next);
                }
            }
        }
        self.order.iter().copied().filter(|block| placed.contains(block)).collect()
    }
}

/// One object during promotion.
struct Object {
    slot: StackSlot,
    ty: Type,
    initial: VReg,
    /// By the block of the earlier function.
    phis: FxHashMap<Block, VReg>,
}

/// Replaces the accesses. `order` has each block of the earlier function with the one of `function`.
fn rewrite<'o>(
    function: &mut Function,
    order: &[(Block, Block)],
    flow: &DominanceFlow,
    objects: impl Iterator<Item = &'o Object>,
) {
    let addresses = addresses(function);
    let own: FxHashMap<Block, Block> = order.iter().copied().collect();
    for object in objects {
        let made = function.all_insts().filter(|&inst| makes_address(function.inst(inst), object.slot));
        for inst in made.collect::<Vec<Inst>>() {
            function.remove(inst);
        }
        let mut leaves: FxHashMap<Block, VReg> = FxHashMap::default();
        for &(block, place) in order {
            let enters = object.phis.get(&block).or_else(|| leaves.get(flow.above.get(&block)?));
            let mut current = enters.copied().unwrap_or(object.initial);
            let here: Vec<Inst> = function.insts(place).collect();
            for inst in here {
                let data = function.inst(inst);
                let address = data.vreg(1).filter(|_| !data.memory.is_empty());
                if address.and_then(|address| addresses.get(&address)) == Some(&object.slot) {
                    current = replace(function, inst, object.ty, current);
                }
            }
            leaves.insert(block, current);
        }
        for (block, &phi) in &object.phis {
            let mut operands = vec![Operand::def(phi)];
            for from in &flow.predecessors[block.as_u32() as usize] {
                let value = leaves.get(from).copied().unwrap_or(object.initial);
                operands.extend([Operand::used(value), Operand::Block(own[from])]);
            }
            function.prepend(own[block], InstData::new(Opcode::G_PHI, operands));
        }
    }
}

/// Replaces one access by registers; returns the register that holds the object's contents after it.
fn replace(function: &mut Function, inst: Inst, ty: Type, current: VReg) -> VReg {
    let data = function.inst(inst);
    let (opcode, Some(value)) = (data.opcode, data.vreg(0)) else { return current };
    let whole = function.type_of(value) == Some(ty);
    if opcode != Opcode::G_STORE {
        let opcode = match opcode {
            _ if whole => Opcode::COPY,
            Opcode::G_ZEXTLOAD => Opcode::G_ZEXT,
            Opcode::G_SEXTLOAD => Opcode::G_SEXT,
            _ => Opcode::G_ANYEXT,
        };
        function.replace(inst, InstData::new(opcode, [Operand::def(value), Operand::used(current)]));
        return current;
    }
    if whole {
        function.remove(inst);
        return value;
    }
    let low = function.new_vreg(ty);
    function.replace(inst, InstData::new(Opcode::G_TRUNC, [Operand::def(low), Operand::used(value)]));
    low
}
