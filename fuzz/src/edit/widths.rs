//! Changing the width of a value, and of every value that must have its type.
//!
//! Registers at operands of one type index of one instruction have one type, so registers fall into classes. A class
//! changes as a whole. Constants, promises and accesses follow; conversions at its border become other conversions, or
//! disappear.

use super::shape;
use super::values::rename;
use tribunal_ir::bits::MAX_BITS;
use tribunal_ir::opcode::IndexTypes;
use tribunal_ir::{
    Function, Inst, InstData, MemFlags, MemOperand, Opcode, OpcodeInfo, Operand, OperandKind, Type, VReg,
};

/// Registers that must have one type.
pub struct WidthClass {
    /// The first of them.
    pub register: VReg,
    /// Their width, in bits.
    pub bits: u32,
    /// The registers.
    pub members: Vec<VReg>,
}

/// The classes of integers that may change, in order of their first registers.
pub fn width_classes(function: &Function) -> Vec<WidthClass> {
    let mut sets = Sets::new(function);
    let mut members: Vec<Vec<VReg>> = vec![Vec::new(); function.vregs.len()];
    let mut fixed = vec![false; function.vregs.len()];
    for register in function.vregs.keys() {
        let root = sets.root(register.as_u32());
        fixed[root as usize] |= sets.fixed[register.as_u32() as usize];
        members[root as usize].push(register);
    }
    let mut classes: Vec<WidthClass> = Vec::new();
    for (members, fixed) in members.into_iter().zip(fixed) {
        let Some(&register) = members.first() else { continue };
        let Some(ty) = function.type_of(register).filter(|ty| ty.is_scalar()) else { continue };
        let defined = members.iter().any(|&register| function.def_of(register).is_some());
        if !fixed && defined && ty.bits() <= MAX_BITS {
            classes.push(WidthClass { register, bits: ty.bits(), members });
        }
    }
    classes
}

/// Union-find over registers.
struct Sets {
    parents: Vec<u32>,
    /// Registers whose type is determined outside the class.
    fixed: Vec<bool>,
}

impl Sets {
    fn new(function: &Function) -> Sets {
        let count = function.vregs.len();
        let mut sets = Sets { parents: (0..count as u32).collect(), fixed: vec![false; count] };
        for inst in function.all_insts() {
            sets.instruction(function.inst(inst));
        }
        sets
    }

    fn instruction(&mut self, data: &InstData) {
        let copies = data.opcode == Opcode::COPY && data.operands.iter().all(|operand| operand.as_vreg().is_some());
        if !copies && !shape::follows_width(data.opcode) {
            let registers = data.operands.iter().filter_map(Operand::as_vreg);
            registers.for_each(|register| self.fixed[register.as_u32() as usize] = true);
            return;
        }
        let mut first: [Option<VReg>; 3] = [None; 3];
        for (index, operand) in data.operands.iter().enumerate() {
            let Some(register) = operand.as_vreg() else { continue };
            let row = data.opcode.info().filter(|_| !copies);
            let kind = row.map_or(Some(0), |info| info.kind_at(index, data.operands.len())?.0.type_index());
            let Some(kind) = kind else { continue };
            let other = *first[kind].get_or_insert(register);
            let (a, b) = (self.root(other.as_u32()), self.root(register.as_u32()));
            // The lower one stands for both, so that the first register of a class is its root.
            self.parents[a.max(b) as usize] = a.min(b);
        }
    }

    fn root(&mut self, register: u32) -> u32 {
        let parent = self.parents[register as usize];
        if parent == register {
            return register;
        }
        let root = self.root(parent);
        self.parents[register as usize] = root;
        root
    }
}

pub(super) fn set_width(function: &mut Function, register: VReg, bits: u32) -> bool {
    let classes = width_classes(function);
    let Some(class) = classes.into_iter().find(|class| class.members.contains(&register)) else { return false };
    if class.bits == bits || !(1..=MAX_BITS).contains(&bits) {
        return false;
    }
    let change = Change { old: class.bits, new: bits, members: class.members };
    let Some(edits) = change.instructions(function) else { return false };
    for &register in &change.members {
        function.vregs[register].ty = Some(Type::scalar(bits));
    }
    let (kept, gone): (Vec<_>, Vec<_>) = edits.into_iter().partition(|(_, data)| data.is_some());
    for (inst, data) in kept {
        data.into_iter().for_each(|data| function.replace(inst, data));
    }
    // Last: an instruction removed may define a register that the others read.
    for (inst, _) in gone {
        let data = function.inst(inst);
        if let (Some(result), Some(source)) = (data.vreg(0), data.vreg(1)) {
            rename(function, result, source);
            function.remove(inst);
        }
    }
    true
}

/// The change of an instruction when one of its types changes.
enum Followed {
    Stays,
    Becomes(InstData),
    /// A conversion between types that are now equal is removed.
    Goes,
}

struct Change {
    old: u32,
    new: u32,
    /// In order of their numbers.
    members: Vec<VReg>,
}

impl Change {
    fn contains(&self, register: Option<VReg>) -> bool {
        register.is_some_and(|register| self.members.binary_search(&register).is_ok())
    }

    fn bits(&self, function: &Function, register: VReg) -> u32 {
        if self.contains(Some(register)) { self.new } else { function.type_of(register).map_or(0, Type::bits) }
    }

    /// The replacement of each instruction; `None` in the list for a conversion that is removed. `None` if one cannot
    /// follow.
    fn instructions(&self, function: &mut Function) -> Option<Vec<(Inst, Option<InstData>)>> {
        let mut edits = Vec::new();
        for inst in function.all_insts().collect::<Vec<_>>() {
            let data = function.inst(inst);
            let registers = data.operands.iter().filter_map(Operand::as_vreg);
            if registers.into_iter().all(|register| !self.contains(Some(register))) {
                continue;
            }
            match self.changed(function, data.clone())? {
                Followed::Stays => {}
                Followed::Becomes(data) => edits.push((inst, Some(data))),
                Followed::Goes => edits.push((inst, None)),
            }
        }
        Some(edits)
    }

    /// The change of one instruction; `None` if it cannot follow.
    fn changed(&self, function: &mut Function, data: InstData) -> Option<Followed> {
        let Some(info) = data.opcode.info().filter(|_| data.opcode.is_generic()) else { return Some(Followed::Stays) };
        if info.extends() || info.truncates() {
            return self.conversion(function, data);
        }
        if info.uses == [OperandKind::CONST] {
            let value = function.constant_value(data.operands.get(1)?)?.sext_or_trunc(self.new);
            let operand = function.constant(value);
            return Some(Followed::Becomes(InstData::new(data.opcode, [data.operands[0], operand])));
        }
        if info.accesses.is_some() && self.contains(info.types[info.value_index()].register(&data)) {
            return self.access(data, info).map(Followed::Becomes);
        }
        let types = self.types(function, info, &data);
        match info.immediates.is_empty() {
            _ if !info.rules.iter().all(|rule| rule.holds(&types, None)) => None,
            true => Some(Followed::Stays),
            false => within(data, info, &types).map(Followed::Becomes),
        }
    }

    /// The types by type index as they will be.
    fn types(&self, function: &Function, info: &OpcodeInfo, data: &InstData) -> IndexTypes {
        let mut types = info.index_types(function, data);
        for (ty, source) in types.iter_mut().zip(info.types) {
            if self.contains(source.register(data)) {
                *ty = Type::scalar_of(self.new);
            }
        }
        types
    }

    fn conversion(&self, function: &Function, data: InstData) -> Option<Followed> {
        let (to, from) = (self.bits(function, data.vreg(0)?), self.bits(function, data.vreg(1)?));
        let opcode = match to.cmp(&from) {
            std::cmp::Ordering::Equal => return Some(Followed::Goes),
            std::cmp::Ordering::Less => Opcode::G_TRUNC,
            std::cmp::Ordering::Greater if data.opcode == Opcode::G_TRUNC => Opcode::G_ZEXT,
            std::cmp::Ordering::Greater => data.opcode,
        };
        let flags = data.flags & shape::flags_of(opcode);
        Some(Followed::Becomes(InstData { opcode, flags, ..data }))
    }

    /// An access of the whole value stays one, but a volatile one stays as wide as it is: others cannot be made whole.
    fn access(&self, mut data: InstData, info: &OpcodeInfo) -> Option<InstData> {
        let extends = !info.access_fits(self.old, self.old);
        let [memory] = data.memory.as_slice() else { return None };
        let bits = memory.ty?.bits();
        let volatile = memory.flags.contains(MemFlags::VOLATILE);
        if !extends && !volatile && bits == self.old && self.new.is_multiple_of(8) {
            data.memory[0] = MemOperand { ty: Some(Type::scalar(self.new)), ..*memory };
            return Some(data);
        }
        info.access_fits(bits, self.new).then_some(data)
    }
}

/// The immediates, moved inside of what the types allow.
fn within(mut data: InstData, info: &OpcodeInfo, types: &IndexTypes) -> Option<InstData> {
    for (index, operand) in data.operands.iter_mut().enumerate() {
        let (Operand::Imm(value), Some(immediate)) = (&mut *operand, info.immediate_at(index)) else { continue };
        let range = immediate.range(types).filter(|range| !range.is_empty())?;
        *value = (*value).clamp(*range.start(), *range.end());
        if !immediate.takes(types, *value) {
            return None;
        }
    }
    Some(data)
}
