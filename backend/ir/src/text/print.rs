//! Printing, as LLVM's MIRPrinter does it.

use super::operands::{PART_INDEX, part_index};
use super::yaml::quoted;
use super::{floats, names, tables};
use crate::address::{AddressBase, AddressData};
use crate::cfi::CfiInstruction;
use crate::entities::{StackSlot, VReg};
use crate::function::{Constraint, Function, Properties, RegisterListKind, SlotKind};
use crate::inst::{InstData, InstFlags};
use crate::memory::{MemFlags, MemOperand, Pointer};
use crate::module::{Entry, Module};
use crate::opcode::{Opcode, OpcodeFlags, OperandKind};
use crate::operand::{Operand, Reg, RegFlags, RegOperand};
use crate::ordering::{AtomicOrdering, SyncScope};
use crate::types::Type;
use crate::vocabulary::{PReg, TargetFlags, Vocabulary};
use std::fmt::{self, Write};

/// Keys of function properties, in LLVM's order.
pub(super) const PROPERTIES: &[(&str, Properties)] = &[
    ("exposesReturnsTwice", Properties::EXPOSES_RETURNS_TWICE),
    ("legalized", Properties::LEGALIZED),
    ("regBankSelected", Properties::REG_BANK_SELECTED),
    ("selected", Properties::SELECTED),
    ("failedISel", Properties::FAILED_ISEL),
    ("tracksRegLiveness", Properties::TRACKS_REG_LIVENESS),
    ("noPhis", Properties::NO_PHIS),
    ("isSSA", Properties::IS_SSA),
    ("noVRegs", Properties::NO_VREGS),
];

/// Words before an opcode.
pub(super) const INST_FLAGS: &[(&str, InstFlags)] = &[
    ("frame-setup", InstFlags::FRAME_SETUP),
    ("frame-destroy", InstFlags::FRAME_DESTROY),
    ("nnan", InstFlags::NNAN),
    ("ninf", InstFlags::NINF),
    ("nsz", InstFlags::NSZ),
    ("arcp", InstFlags::ARCP),
    ("contract", InstFlags::CONTRACT),
    ("afn", InstFlags::AFN),
    ("reassoc", InstFlags::REASSOC),
    ("nuw", InstFlags::NUW),
    ("nsw", InstFlags::NSW),
    ("exact", InstFlags::EXACT),
    ("nofpexcept", InstFlags::NOFPEXCEPT),
    ("nomerge", InstFlags::NOMERGE),
    ("unpredictable", InstFlags::UNPREDICTABLE),
    ("noconvergent", InstFlags::NOCONVERGENT),
    ("nneg", InstFlags::NNEG),
    ("disjoint", InstFlags::DISJOINT),
    ("nusw", InstFlags::NUSW),
    ("samesign", InstFlags::SAMESIGN),
    ("inbounds", InstFlags::INBOUNDS),
];

/// A whole file. A function that was not read is written as it stood.
pub fn print_module(module: &Module, vocabulary: &dyn Vocabulary) -> String {
    let mut text = String::new();
    for comment in &module.comments {
        text.push_str(if comment.is_empty() { "#" } else { "# " });
        text.push_str(comment);
        text.push('\n');
    }
    if let Some(ir) = &module.ir {
        text.push_str("--- |\n");
        text.push_str(ir.text());
        text.push_str("\n...\n");
    }
    for entry in module.entries() {
        match entry {
            Entry::Function(function) => text.push_str(&print_function(function, vocabulary)),
            Entry::Unread(unread) => text.extend(["---\n", &unread.text, "...\n"]),
        }
    }
    text
}

/// One function's document.
pub fn print_function(function: &Function, vocabulary: &dyn Vocabulary) -> String {
    let mut text = String::new();
    Printer { function, vocabulary }.document(&mut text).expect("writing to a string does not fail");
    text
}

/// One instruction on one line, for reports.
pub fn print_inst(function: &Function, data: &InstData, vocabulary: &dyn Vocabulary) -> String {
    let mut text = String::new();
    Printer { function, vocabulary }.instruction(&mut text, data).expect("writing to a string does not fail");
    text
}

/// One operand, without the type of a register.
pub fn print_operand(function: &Function, operand: &Operand, vocabulary: &dyn Vocabulary) -> String {
    let mut text = String::new();
    Printer { function, vocabulary }
        .operand(&mut text, operand, false, false)
        .expect("writing to a string does not fail");
    text
}

/// One memory operand, in parentheses.
pub fn print_memory(function: &Function, memory: &MemOperand, vocabulary: &dyn Vocabulary) -> String {
    let mut text = String::new();
    Printer { function, vocabulary }.memory(&mut text, memory).expect("writing to a string does not fail");
    text
}

/// The pointer of a memory operand.
pub fn print_pointer(function: &Function, pointer: Pointer, vocabulary: &dyn Vocabulary) -> String {
    let mut text = String::new();
    Printer { function, vocabulary }.pointer(&mut text, pointer).expect("writing to a string does not fail");
    text
}

struct Printer<'a> {
    function: &'a Function,
    vocabulary: &'a dyn Vocabulary,
}

impl Printer<'_> {
    fn document(&self, out: &mut String) -> fmt::Result {
        let function = self.function;
        writeln!(out, "---")?;
        super::write_comments(out, function)?;
        writeln!(out, "name:            {}", quoted(&function.name))?;
        if let Some(alignment) = function.alignment {
            writeln!(out, "alignment:       {alignment}")?;
        }
        for (name, property) in PROPERTIES {
            if function.properties.contains(*property) {
                writeln!(out, "{name}: true")?;
            }
        }
        if function.properties.contains(Properties::LEFT_SSA) {
            writeln!(out, "isSSA: false")?;
        }
        self.liveins(out)?;
        tables::print_frame_info(out, &function.frame_info)?;
        self.stack(out)?;
        tables::print_constants(out, function)?;
        for (_, text) in &function.extra {
            writeln!(out, "{}", text.trim_end())?;
        }
        tables::print_jump_tables(out, function)?;
        writeln!(out, "body:             |")?;
        for (index, &block) in function.layout().iter().enumerate() {
            if index > 0 {
                out.push('\n');
            }
            self.block(out, block)?;
        }
        writeln!(out, "...")
    }

    fn liveins(&self, out: &mut String) -> fmt::Result {
        if !self.function.liveins.is_empty() {
            writeln!(out, "liveins:")?;
        }
        for livein in &self.function.liveins {
            write!(out, "  - {{ reg: '${}'", self.vocabulary.register_name(livein.register))?;
            if let Some(copy) = livein.copy {
                write!(out, ", virtual-reg: '{}'", self.name(copy))?;
            }
            writeln!(out, " }}")?;
        }
        Ok(())
    }

    fn stack(&self, out: &mut String) -> fmt::Result {
        if !self.function.fixed_stack.is_empty() {
            writeln!(out, "fixedStack:")?;
        }
        for (slot, object) in &self.function.fixed_stack {
            let (id, immutable) = (slot.as_u32(), if object.immutable { ", isImmutable: true" } else { "" });
            let aliased = if object.aliased { ", isAliased: true" } else { "" };
            let (offset, size, align) = (object.offset, object.size, object.align);
            write!(out, "  - {{ id: {id}")?;
            slot_kind(out, object.kind)?;
            write!(out, ", offset: {offset}, size: {size}, alignment: {align}{immutable}{aliased}")?;
            self.saved(out, object.saved)?;
        }
        if !self.function.stack.is_empty() {
            writeln!(out, "stack:")?;
        }
        for (slot, object) in &self.function.stack {
            write!(out, "  - {{ id: {}", slot.as_u32())?;
            if !object.name.is_empty() {
                write!(out, ", name: {}", quoted(&object.name))?;
            }
            slot_kind(out, object.kind)?;
            if object.offset != 0 {
                write!(out, ", offset: {}", object.offset)?;
            }
            if object.kind != SlotKind::VariableSized {
                write!(out, ", size: {}", object.size)?;
            }
            write!(out, ", alignment: {}", object.align)?;
            if let Some(offset) = object.local_offset {
                write!(out, ", local-offset: {offset}")?;
            }
            self.saved(out, object.saved)?;
        }
        Ok(())
    }

    /// The end of an object's line.
    fn saved(&self, out: &mut String, register: Option<PReg>) -> fmt::Result {
        if let Some(register) = register {
            write!(out, ", callee-saved-register: '${}'", self.vocabulary.register_name(register))?;
        }
        writeln!(out, " }}")
    }

    fn block(&self, out: &mut String, block: crate::Block) -> fmt::Result {
        let data = self.function.block(block);
        write!(out, "  bb.{}", data.number)?;
        if let Some(name) = &data.name {
            write!(out, ".{name}")?;
        }
        if let Some(attributes) = &data.attributes {
            write!(out, " ({attributes})")?;
        }
        writeln!(out, ":")?;
        if data.successors.is_empty() && self.falls_through(block) {
            // Printed, or a reader would take the next block for a successor.
            out.push_str("    successors:\n  \n");
        }
        if !data.successors.is_empty() {
            out.push_str("    successors: ");
            for (index, (successor, weight)) in data.successors.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                write!(out, "%bb.{}", self.function.block(*successor).number)?;
                if let Some(weight) = weight {
                    write!(out, "({weight:#010x})")?;
                }
            }
            out.push('\n');
        }
        if !data.liveins.is_empty() {
            out.push_str("    liveins: ");
            for (index, (register, mask)) in data.liveins.iter().enumerate() {
                out.push_str(if index > 0 { ", $" } else { "$" });
                out.push_str(self.vocabulary.register_name(*register));
                if let Some(mask) = mask {
                    write!(out, ":{mask:#018X}")?;
                }
            }
            out.push('\n');
        }
        if !data.successors.is_empty() || !data.liveins.is_empty() {
            out.push_str("  \n");
        }
        for inst in self.function.insts(block) {
            out.push_str("    ");
            self.instruction(out, self.function.inst(inst))?;
            out.push('\n');
        }
        Ok(())
    }

    /// True if the block seems to go on to the next.
    fn falls_through(&self, block: crate::Block) -> bool {
        let flags = |data: &InstData| self.function.opcode_flags(data, self.vocabulary);
        let last = self.function.last_inst(block).map(|inst| flags(self.function.inst(inst)));
        last.is_none_or(OpcodeFlags::seems_to_fall_through)
    }

    fn instruction(&self, out: &mut String, data: &InstData) -> fmt::Result {
        let explicit = |operand: &&Operand| operand.as_reg().is_some_and(is_explicit_def);
        let defs = data.operands.iter().take_while(explicit).count();
        let mut printed = TypesPrinted::new(data);
        for (index, operand) in data.operands[..defs].iter().enumerate() {
            out.push_str(if index > 0 { ", " } else { "" });
            self.operand(out, operand, printed.wants(index), true)?;
        }
        out.push_str(if defs > 0 { " = " } else { "" });
        for (name, flag) in INST_FLAGS {
            if data.flags.contains(*flag) {
                write!(out, "{name} ")?;
            }
        }
        let mut first = defs;
        match (data.opcode, self.function.opaque_name(data)) {
            (Opcode::Target(opcode), _) => out.push_str(self.vocabulary.opcode_name(opcode)),
            (_, Some(name)) => {
                out.push_str(name);
                first += 1;
            }
            (generic, None) => write!(out, "{generic}")?,
        }
        for (index, operand) in data.operands.iter().enumerate().skip(first) {
            out.push_str(if index > first { ", " } else { " " });
            if let Some(name) = self.subregister_index(data, index) {
                write!(out, "%subreg.{name}")?;
                continue;
            }
            self.operand(out, operand, printed.wants(index), false)?;
        }
        for (index, memory) in data.memory.iter().enumerate() {
            out.push_str(if index > 0 { ", " } else { " :: " });
            self.memory(out, memory)?;
        }
        Ok(())
    }

    /// The name of the sub-register index that stands as a number at operand `index`.
    fn subregister_index(&self, data: &InstData, index: usize) -> Option<&'static str> {
        let part = (index == PART_INDEX).then(|| part_index(self.vocabulary, data)).flatten()?;
        Some(self.vocabulary.subregister_name(part))
    }

    fn operand(&self, out: &mut String, operand: &Operand, with_type: bool, leading: bool) -> fmt::Result {
        match operand {
            Operand::Reg(register) => self.register(out, register, with_type, leading),
            Operand::Imm(value) => write!(out, "{value}"),
            Operand::Const { .. } | Operand::WideConst(_) => match self.function.constant_value(operand) {
                Some(value) => write!(out, "i{} {value}", value.width()),
                None => Ok(()),
            },
            Operand::Block(block) => write!(out, "%bb.{}", self.function.block(*block).number),
            Operand::Predicate(predicate) => write!(out, "intpred({})", predicate.name()),
            Operand::FloatPredicate(predicate) => write!(out, "floatpred({})", predicate.name()),
            Operand::Float(constant) => match self.function.float_bits(*constant) {
                Some(bits) => write!(out, "{} {}", constant.format.name(), floats::write(constant.format, bits)),
                None => Ok(()),
            },
            Operand::Stack(slot) => self.stack_object(out, *slot),
            Operand::FixedStack(slot) => write!(out, "{slot}"),
            Operand::Address(address) => self.address(out, &self.function.addresses[*address]),
            Operand::RegisterMask(mask) => out.write_str(self.vocabulary.register_mask_name(*mask)),
            Operand::RegisterList(list) => {
                let list = &self.function.register_lists[*list];
                self.register_list(out, list.kind, &list.registers)
            }
            Operand::Intrinsic(name) => {
                out.write_str("intrinsic(@")?;
                names::write(out, &self.function.symbols[*name])?;
                out.write_char(')')
            }
            Operand::ShuffleMask(mask) => {
                let lane = |lane: &Option<u32>| lane.map_or("undef".to_string(), |lane| lane.to_string());
                let lanes: Vec<String> = self.function.shuffle_masks[*mask].iter().map(lane).collect();
                write!(out, "shufflemask({})", lanes.join(", "))
            }
            Operand::Metadata(number) => write!(out, "!{number}"),
            Operand::Cfi(instruction) => self.cfi(out, *instruction),
            Operand::NoRegister => out.write_str("$noreg"),
            Operand::OpcodeName(text) | Operand::Text(text) => out.write_str(&self.function.symbols[*text]),
        }
    }

    /// `offset $x1, -8`.
    fn cfi(&self, out: &mut String, instruction: CfiInstruction) -> fmt::Result {
        let (name, register, bytes) = instruction.parts();
        let register = register.map(|register| format!("${}", self.vocabulary.register_name(register)));
        let parts: Vec<String> = register.into_iter().chain(bytes.map(|bytes| bytes.to_string())).collect();
        out.write_str(name)?;
        if parts.is_empty() { Ok(()) } else { write!(out, " {}", parts.join(", ")) }
    }

    /// `%stack.0.x`.
    fn stack_object(&self, out: &mut String, slot: StackSlot) -> fmt::Result {
        write!(out, "{slot}")?;
        match self.function.stack.get(slot).map(|object| object.name.as_str()) {
            None | Some("") => Ok(()),
            Some(name) => write!(out, ".{name}"),
        }
    }

    fn register_list(&self, out: &mut String, kind: RegisterListKind, registers: &[PReg]) -> fmt::Result {
        let word =
            super::operands::REGISTER_LISTS.iter().find(|(_, known)| *known == kind).map_or("", |(word, _)| word);
        let comma = match kind {
            RegisterListKind::Preserved => ",",
            RegisterListKind::LiveOut => ", ",
        };
        let names = registers.iter().map(|&register| format!("${}", self.vocabulary.register_name(register)));
        write!(out, "{word}{})", names.collect::<Vec<_>>().join(comma))
    }

    /// `target-flags(riscv-lo) @g + 8`.
    fn address(&self, out: &mut String, address: &AddressData) -> fmt::Result {
        if address.flags != TargetFlags::NONE {
            let names = self.vocabulary.target_flags().iter().enumerate();
            let set = names.filter(|(bit, _)| address.flags.contains(TargetFlags(1 << bit))).map(|(_, name)| *name);
            write!(out, "target-flags({}) ", set.collect::<Vec<_>>().join(", "))?;
        }
        write_base(out, self.function, address.base)?;
        offset(out, address.offset)
    }

    fn register(&self, out: &mut String, operand: &RegOperand, with_type: bool, leading: bool) -> fmt::Result {
        for word in flag_words(operand.flags, leading) {
            write!(out, "{word} ")?;
        }
        match operand.reg {
            Reg::Physical(register) => write!(out, "${}", self.vocabulary.register_name(register))?,
            Reg::Virtual(register) => {
                out.push_str(&self.name(register));
                if operand.subregister.0 != 0 {
                    write!(out, ".{}", self.vocabulary.subregister_name(operand.subregister))?;
                }
                self.constraint_and_type(out, register, operand.flags.contains(RegFlags::DEF), with_type)?;
            }
        }
        match operand.tied_to {
            Some(index) => write!(out, "(tied-def {index})"),
            None => Ok(()),
        }
    }

    fn constraint_and_type(&self, out: &mut String, register: VReg, is_def: bool, with_type: bool) -> fmt::Result {
        let Some(data) = self.function.vregs.get(register) else { return Ok(()) };
        if is_def {
            match data.constraint {
                Constraint::None => out.push_str(":_"),
                Constraint::Bank(bank) => write!(out, ":{}", self.vocabulary.bank_name(bank))?,
                Constraint::Class(class) => write!(out, ":{}", self.vocabulary.class_name(class))?,
            }
        }
        match data.ty {
            Some(ty) if is_def || with_type => write!(out, "({ty})"),
            _ => Ok(()),
        }
    }

    /// `%5` or `%name`.
    fn name(&self, register: VReg) -> String {
        match self.function.vregs.get(register).and_then(|data| data.name) {
            Some(symbol) => format!("%{}", self.function.symbols[symbol]),
            None => register.to_string(),
        }
    }

    fn memory(&self, out: &mut String, memory: &MemOperand) -> fmt::Result {
        out.push('(');
        let words = [
            (MemFlags::VOLATILE, "volatile "),
            (MemFlags::NON_TEMPORAL, "non-temporal "),
            (MemFlags::DEREFERENCEABLE, "dereferenceable "),
            (MemFlags::INVARIANT, "invariant "),
            (MemFlags::LOAD, "load "),
            (MemFlags::STORE, "store "),
        ];
        for (flag, word) in words {
            out.push_str(if memory.flags.contains(flag) { word } else { "" });
        }
        if memory.scope != SyncScope::System {
            write!(out, "syncscope(\"{}\") ", memory.scope.name())?;
        }
        for ordering in [memory.ordering, memory.failure_ordering] {
            if ordering != AtomicOrdering::NotAtomic {
                write!(out, "{} ", ordering.name())?;
            }
        }
        match memory.ty {
            Some(ty) => write!(out, "({ty})")?,
            None => out.push_str("unknown-size"),
        }
        if let Some(pointer) = memory.pointer {
            let stores = memory.flags.contains(MemFlags::STORE);
            out.push_str(match (memory.flags.contains(MemFlags::LOAD), stores) {
                (true, true) => " on ",
                (true, false) => " from ",
                (false, _) => " into ",
            });
            self.pointer(out, pointer)?;
            offset(out, memory.offset)?;
        }
        if memory.align != memory.ty.map_or(1, natural_alignment) {
            write!(out, ", align {}", memory.align)?;
        }
        if let Some(metadata) = memory.metadata.expand() {
            write!(out, ", {}", self.function.symbols[metadata])?;
        }
        out.write_char(')')
    }

    fn pointer(&self, out: &mut String, pointer: Pointer) -> fmt::Result {
        let symbols = &self.function.symbols;
        match pointer {
            Pointer::Ir(name) => write!(out, "%ir.{}", symbols[name]),
            Pointer::Expression(text) => write!(out, "`{}`", symbols[text]),
            Pointer::Global(name) => names::write_global(out, self.function, name),
            Pointer::Stack(slot) => self.stack_object(out, slot),
            Pointer::FixedStack(slot) => write!(out, "{slot}"),
            Pointer::CallEntry(name) => {
                out.write_str("call-entry ")?;
                names::write_global(out, self.function, name)
            }
            Pointer::ExternalCallEntry(name) => {
                out.write_str("call-entry &")?;
                names::write(out, &symbols[name])
            }
            Pointer::Text(text) => out.write_str(&symbols[text]),
            Pointer::OutgoingArguments
            | Pointer::ConstantPool
            | Pointer::JumpTable
            | Pointer::Got
            | Pointer::Unknown => {
                let word = super::memory::POINTERS.iter().find(|(_, known)| *known == pointer);
                out.write_str(word.map_or("", |(word, _)| word))
            }
        }
    }
}

/// The entity as text names it, which no other entity of the module has.
pub fn print_base(function: &Function, base: AddressBase) -> String {
    let mut text = String::new();
    write_base(&mut text, function, base).expect("writing to a string does not fail");
    text
}

fn write_base(out: &mut String, function: &Function, base: AddressBase) -> fmt::Result {
    match base {
        AddressBase::Global(name) => names::write_global(out, function, name),
        AddressBase::External(name) => {
            out.write_char('&')?;
            names::write(out, &function.symbols[name])
        }
        AddressBase::Constant(constant) => write!(out, "{constant}"),
        AddressBase::JumpTable(table) => write!(out, "{table}"),
        AddressBase::Block { function: name, block } => {
            out.write_str("blockaddress(")?;
            names::write_global(out, function, name)?;
            write!(out, ", %ir-block.{})", function.symbols[block])
        }
        AddressBase::Label(name) => write!(out, "<mcsymbol {}>", function.symbols[name]),
    }
}

/// ` + 8`, ` - 8`, or nothing for 0.
fn offset(out: &mut String, bytes: i64) -> fmt::Result {
    match bytes {
        0 => Ok(()),
        bytes if bytes < 0 => write!(out, " - {}", bytes.unsigned_abs()),
        bytes => write!(out, " + {bytes}"),
    }
}

/// The purpose of a stack object, if it is not the usual one.
fn slot_kind(out: &mut String, kind: SlotKind) -> fmt::Result {
    match kind {
        SlotKind::Default => Ok(()),
        SlotKind::Spill | SlotKind::VariableSized => write!(out, ", type: {}", kind.name()),
    }
}

/// The implied alignment, in bytes.
fn natural_alignment(ty: Type) -> u32 {
    ty.bytes().next_power_of_two()
}

fn is_explicit_def(operand: &RegOperand) -> bool {
    operand.flags.contains(RegFlags::DEF) && !operand.flags.contains(RegFlags::IMPLICIT)
}

/// Flag words of an operand; `def` itself is implied by the place left of `=`.
fn flag_words(flags: RegFlags, leading: bool) -> impl Iterator<Item = &'static str> {
    let implicit = match (flags.contains(RegFlags::IMPLICIT), flags.contains(RegFlags::DEF)) {
        (true, true) => Some("implicit-def"),
        (true, false) => Some("implicit"),
        (false, true) if !leading => Some("def"),
        (false, _) => None,
    };
    let own = RegFlags::IMPLICIT | RegFlags::DEF;
    let rest =
        super::operands::REG_FLAGS.iter().filter(move |(_, flag)| !flag.intersects(own) && flags.contains(*flag));
    implicit.into_iter().chain(rest.map(|(name, _)| *name))
}

/// The operands that show their type: each type index once, by its first operand; all where there is no index.
struct TypesPrinted<'d> {
    data: &'d InstData,
    seen: [bool; 3],
}

impl TypesPrinted<'_> {
    fn new(data: &InstData) -> TypesPrinted<'_> {
        TypesPrinted { data, seen: [false; 3] }
    }

    fn wants(&mut self, operand: usize) -> bool {
        let Some(index) = self.type_index(operand) else { return true };
        !std::mem::replace(&mut self.seen[index], true)
    }

    fn type_index(&self, operand: usize) -> Option<usize> {
        let info = self.data.opcode.info().filter(|_| self.data.opcode.is_generic())?;
        let variadic = info.operands().any(|kind| kind == OperandKind::MORE);
        info.operands().nth(operand).filter(|_| !variadic)?.type_index()
    }
}
