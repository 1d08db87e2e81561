//! Changes of one part of one instruction, or of one entry of a function's tables.

use crate::specimens::{Specimen, address};
use tribunal_ir::bits::Bits;
use tribunal_ir::{
    AddressBase, AtomicOrdering, FloatPredicate, Function, GlobalName, InstData, InstFlags, IntPredicate, MemFlags,
    MemOperand, Opcode, Operand, RegFlags, RegOperand, SyncScope, TargetOpcode, Type, VReg,
};

/// A changed function, and the change in words.
pub struct Change {
    pub kind: &'static str,
    pub detail: String,
    pub after: Function,
}

/// Every change of the instruction on trial, of its place, and of the tables.
pub fn all(specimen: &Specimen) -> Vec<Change> {
    let mut changes = Vec::new();
    operands(specimen, &mut changes);
    undefined(specimen, &mut changes);
    flags(specimen, &mut changes);
    memory(specimen, &mut changes);
    opcode(specimen, &mut changes);
    place(specimen, &mut changes);
    tables(specimen, &mut changes);
    changes
}

/// Another value for the instruction.
fn replaced(
    specimen: &Specimen,
    kind: &'static str,
    detail: impl Into<String>,
    change: impl FnOnce(&mut Function, &mut InstData),
) -> Change {
    let mut after = specimen.function.clone();
    let mut data = after.inst(specimen.inst).clone();
    change(&mut after, &mut data);
    after.replace(specimen.inst, data);
    Change { kind, detail: detail.into(), after }
}

/// Every operand in turn.
fn operands(specimen: &Specimen, changes: &mut Vec<Change>) {
    let data = specimen.function.inst(specimen.inst);
    for index in 0..data.operands.len() {
        let operand = data.operands[index];
        if let Some(register) = operand.as_vreg().filter(|_| !operand.is_def()) {
            for other in others(specimen, register) {
                let change = |_: &mut Function, data: &mut InstData| data.operands[index] = Operand::used(other);
                changes.push(replaced(specimen, "register", format!("operand {index}"), change));
            }
        }
        let mut contents: Vec<(&'static str, Operand)> = Vec::new();
        let mut after = specimen.function.clone();
        match operand {
            Operand::Imm(value) => {
                contents.extend([value + 1, value - 1, value ^ 2].map(|value| ("immediate", Operand::Imm(value))));
            }
            Operand::Const { .. } | Operand::WideConst(_) => {
                let value = after.constant_value(&operand).unwrap_or(Bits::zero(1));
                let one = Bits::new(1, value.width());
                contents.extend([value.add(one), value.sub(one)].map(|value| ("constant", after.constant(value))));
            }
            Operand::Float(constant) => {
                let value = after.float_bits(constant).unwrap_or(Bits::zero(1));
                contents.push(("constant", after.float(constant.format, value.add(Bits::new(1, value.width())))));
            }
            Operand::Predicate(own) => contents.extend(
                IntPredicate::ALL
                    .into_iter()
                    .filter(|&other| other != own)
                    .map(|other| ("predicate", Operand::Predicate(other))),
            ),
            Operand::FloatPredicate(own) => contents.extend(
                FloatPredicate::ALL
                    .into_iter()
                    .filter(|&other| other != own)
                    .map(|other| ("predicate", Operand::FloatPredicate(other))),
            ),
            Operand::Address(_) => {
                let other = GlobalName::Named(after.intern("h"));
                contents.push(("address", address(&mut after, AddressBase::Global(other))));
                contents.extend(moved(&mut after, operand).map(|operand| ("address", operand)));
            }
            Operand::Block(own) => contents.extend(
                specimen.function.layout()[1..]
                    .iter()
                    .filter(|other| **other != own)
                    .map(|&other| ("label", Operand::Block(other))),
            ),
            Operand::Intrinsic(_) => contents.push(("intrinsic", Operand::Intrinsic(after.intern("llvm.riscv.brev8")))),
            Operand::ShuffleMask(mask) => {
                let mut lanes = after.shuffle_masks.get(mask).cloned().unwrap_or_default();
                lanes.reverse();
                contents.push(("shuffle mask", Operand::ShuffleMask(after.shuffle_masks.intern(&lanes))));
            }
            _ => {}
        }
        for (kind, operand) in contents {
            let mut after = after.clone();
            after.set_operand(specimen.inst, index, operand);
            changes.push(Change { kind, detail: format!("operand {index}"), after });
        }
    }
    exchanged(specimen, changes);
}

/// The address eight bytes further.
fn moved(function: &mut Function, operand: Operand) -> Option<Operand> {
    let data = *function.address_of(&operand)?;
    Some(Operand::Address(function.addresses.intern(&tribunal_ir::AddressData { offset: data.offset + 8, ..data })))
}

/// The registers before the instruction of the same type, but for the operand itself: the last two.
fn others(specimen: &Specimen, register: VReg) -> Vec<VReg> {
    let function = &specimen.function;
    let before = function.all_insts().take_while(|&inst| inst != specimen.inst);
    let registers = before.flat_map(|inst| function.inst(inst).vreg_defs().collect::<Vec<VReg>>());
    let alike = |other: &VReg| {
        let (one, two) = (&function.vregs[register], &function.vregs[*other]);
        *other != register && one.ty == two.ty && one.constraint == two.constraint
    };
    let mut registers: Vec<VReg> = registers.filter(alike).collect();
    registers.reverse();
    registers.truncate(2);
    registers
}

/// Two operands that are read, exchanged.
fn exchanged(specimen: &Specimen, changes: &mut Vec<Change>) {
    let data = specimen.function.inst(specimen.inst);
    let places: Vec<(usize, VReg)> = data
        .operands
        .iter()
        .enumerate()
        .filter_map(|(index, operand)| Some((index, operand.as_vreg().filter(|_| !operand.is_def())?)))
        .collect();
    for (nth, &(one, first)) in places.iter().enumerate() {
        for &(other, second) in &places[nth + 1..] {
            let types = [first, second].map(|register| specimen.function.type_of(register));
            if types[0] == types[1] {
                let change = |_: &mut Function, data: &mut InstData| data.operands.swap(one, other);
                changes.push(replaced(specimen, "order of operands", format!("{one} and {other}"), change));
            }
        }
    }
}

/// Each register that is read, undefined.
fn undefined(specimen: &Specimen, changes: &mut Vec<Change>) {
    let data = specimen.function.inst(specimen.inst);
    for index in 0..data.operands.len() {
        let operand = data.operands[index].as_reg().filter(|operand| !operand.flags.contains(RegFlags::DEF));
        let Some(operand) = operand.filter(|operand| operand.reg.as_virtual().is_some()) else { continue };
        let other = Operand::Reg(RegOperand { flags: operand.flags | RegFlags::UNDEF, ..*operand });
        let change = |_: &mut Function, data: &mut InstData| data.operands[index] = other;
        changes.push(replaced(specimen, "undefined operand", format!("operand {index}"), change));
    }
}

/// Each flag that the row allows, added.
fn flags(specimen: &Specimen, changes: &mut Vec<Change>) {
    let data = specimen.function.inst(specimen.inst);
    let on_results = match data.vreg_defs().next() {
        Some(_) => InstFlags::NUW | InstFlags::NSW | InstFlags::EXACT | InstFlags::DISJOINT,
        None => InstFlags::empty(),
    };
    // LLVM's selector leaves the flags of the operation on the machine instruction.
    let allowed = data.opcode.info().map_or(on_results, |info| info.inst_flags);
    for flag in allowed.iter() {
        let change = |_: &mut Function, data: &mut InstData| data.flags |= flag;
        changes.push(replaced(specimen, "flag added", format!("{flag:?}"), change));
    }
}

fn memory(specimen: &Specimen, changes: &mut Vec<Change>) {
    let data = specimen.function.inst(specimen.inst);
    for index in 0..data.memory.len() {
        let own = data.memory[index];
        let mut all: Vec<(&'static str, MemOperand)> = Vec::new();
        if let Some(ty) = own.ty {
            let sizes = [ty.bits() / 2, ty.bits() * 2].map(Type::scalar_of).into_iter().flatten();
            all.extend(sizes.map(|ty| ("size of an access", MemOperand { ty: Some(ty), ..own })));
        }
        all.push(("size of an access", MemOperand { ty: None, ..own }));
        all.push(("alignment", MemOperand { align: own.align * 2, ..own }));
        for flag in [MemFlags::VOLATILE, MemFlags::DEREFERENCEABLE, MemFlags::INVARIANT] {
            all.push(("flag of an access", MemOperand { flags: own.flags ^ flag, ..own }));
        }
        let orderings = AtomicOrdering::NAMED.into_iter().filter(|&ordering| ordering != own.ordering);
        all.extend(orderings.map(|ordering| ("ordering", MemOperand { ordering, ..own })));
        if own.is_atomic() {
            all.push(("ordering", MemOperand { ordering: AtomicOrdering::NotAtomic, ..own }));
            all.push(("scope", MemOperand { scope: SyncScope::SingleThread, ..own }));
        }
        for (kind, memory) in all {
            let change = |_: &mut Function, data: &mut InstData| data.memory[index] = memory;
            changes.push(replaced(specimen, kind, format!("access {index}: {memory:?}"), change));
        }
        let named = |function: &mut Function, data: &mut InstData| {
            data.memory[index].pointer = Some(tribunal_ir::Pointer::Ir(function.intern("p")));
        };
        changes.push(replaced(specimen, "pointer of an access", format!("access {index}"), named));
        let tagged = |function: &mut Function, data: &mut InstData| {
            data.memory[index].metadata = function.intern("!tbaa !0").into();
        };
        changes.push(replaced(specimen, "metadata of an access", format!("access {index}"), tagged));
    }
}

/// Every other opcode of the same operands: of the whole table, or of the target's.
fn opcode(specimen: &Specimen, changes: &mut Vec<Change>) {
    let data = specimen.function.inst(specimen.inst);
    let alike: Vec<Opcode> = match (data.opcode, data.opcode.info()) {
        (Opcode::Target(own), _) => {
            let rows = specimen.target.instructions;
            let shape = |row: &tribunal_target::instructions::InstrDesc| {
                (format!("{:?}", row.operands), row.access.is_some(), row.implicit_uses, row.flags)
            };
            let row = &rows[usize::from(own.0)];
            let same = |other: &usize| shape(&rows[*other]) == shape(row) && *other != usize::from(own.0);
            (0..rows.len()).filter(same).map(|other| Opcode::Target(TargetOpcode(other as u16))).collect()
        }
        (_, Some(info)) => {
            let same = |other: &&Opcode| {
                **other != data.opcode
                    && other.info().is_some_and(|row| {
                        (row.defs, row.uses, row.accesses, row.flags)
                            == (info.defs, info.uses, info.accesses, info.flags)
                    })
            };
            Opcode::ALL.iter().filter(same).copied().collect()
        }
        _ => Vec::new(),
    };
    for opcode in alike {
        let change = |_: &mut Function, data: &mut InstData| data.opcode = opcode;
        let name = match opcode {
            Opcode::Target(opcode) => specimen.target.instruction(opcode).name.to_string(),
            generic => generic.to_string(),
        };
        changes.push(replaced(specimen, "opcode", name, change));
    }
}

/// The instruction left out, done twice, or done before the one above it.
fn place(specimen: &Specimen, changes: &mut Vec<Change>) {
    let data = specimen.function.inst(specimen.inst).clone();
    let mut after = specimen.function.clone();
    after.remove(specimen.inst);
    changes.push(Change { kind: "instruction left out", detail: String::new(), after });
    let block = specimen.function.block_of(specimen.inst);
    if let Some(leaves) = block.and_then(|block| specimen.function.last_inst(block)) {
        let mut after = specimen.function.clone();
        let leaves = after.inst(leaves).clone();
        after.insert_before(specimen.inst, leaves);
        changes.push(Change { kind: "end of the block in front", detail: String::new(), after });
    }
    if data.defs().next().is_none() {
        let mut after = specimen.function.clone();
        after.insert_after(specimen.inst, data.clone());
        changes.push(Change { kind: "instruction done twice", detail: String::new(), after });
    }
}

/// Entries of the tables that the instruction names.
fn tables(specimen: &Specimen, changes: &mut Vec<Change>) {
    let names_object =
        specimen.function.inst(specimen.inst).operands.iter().any(|operand| matches!(operand, Operand::Stack(_)));
    let Some(slot) = specimen.function.stack.keys().next().filter(|_| names_object) else { return };
    let mut add = |detail: &str, change: &dyn Fn(&mut tribunal_ir::StackObject)| {
        let mut after = specimen.function.clone();
        change(&mut after.stack[slot]);
        changes.push(Change { kind: "stack object", detail: detail.to_string(), after });
    };
    add("size", &|object| object.size -= 1);
    add("larger", &|object| object.size += 1);
    add("alignment", &|object| object.align /= 2);
    add("kind", &|object| object.kind = tribunal_ir::SlotKind::VariableSized);
}
