//! The judge of texts: the text of a function, read again, is the function.
//!
//! Text is how users, crash files and LLVM see a function. So a part that is not printed, or is read as another, hides
//! a fault or shows one that does not exist. The two functions are compared by their parts, never by their text.
//!
//! Invariant: each part of a function is one of [`parts`], with the contents of what it names and never a number
//! that depends on the order in which something was met first.

use crate::finding::{Finding, Judge};
use crate::kind::FindingKind;
use tribunal_ir::entities::{ConstantPoolIndex, JumpTable};
use tribunal_ir::function::LiveIn;
use tribunal_ir::tables::{FixedObject, ListedRegisters};
use tribunal_ir::{
    AddressBase, AddressData, Bits, Block, Constraint, FixedSlot, FloatFormat, FrameInfo, Function, GlobalName,
    InstData, InstFlags, JumpTableKind, MemOperand, Opcode, Operand, PReg, Pointer, PoolConstant, Properties,
    StackObject, StackSlot, Stage, Symbol, TargetFlags, Type, text,
};
use tribunal_target::Target;

/// The finding about the text of this function after `pass`, if it is not read as the function.
pub(crate) fn judge(function: &Function, target: &'static Target, pass: &'static str) -> Option<Finding> {
    let details = difference(function, target)?;
    let (kind, guilty) = (FindingKind::Text, pass.to_string());
    Some(Finding { judge: Judge::Text, kind, guilty, details, input: None })
}

/// The first part in which the text, read again, differs.
fn difference(function: &Function, target: &'static Target) -> Option<String> {
    let printed = text::print_function(function, target.vocabulary);
    let read = match text::parse_module(&printed, target.vocabulary) {
        Ok(module) => module,
        Err(error) => return Some(format!("its text is not read: {error:?}")),
    };
    if let Some(unread) = read.unread.first() {
        return Some(format!("its text is not read: {unread:?}"));
    }
    let Some(again) = read.functions.first() else { return Some("its text holds no function".to_string()) };
    let (parts, read) = (parts(function), parts(again));
    let longer = parts.len().max(read.len());
    let first = (0..longer).find(|&index| parts.get(index) != read.get(index))?;
    let shown = |part: Option<&Part<'_>>| part.map_or_else(|| "nothing".to_string(), |part| format!("{part:?}"));
    Some(format!("is {}\nread as {}", shown(parts.get(first)), shown(read.get(first))))
}

/// A part of a function that its text must say, with the contents of what it names.
#[derive(PartialEq, Debug)]
enum Part<'f> {
    Function(&'f str, Stage, Properties, &'f FrameInfo),
    LiveIn(LiveIn),
    Object(StackSlot, &'f StackObject),
    FixedObject(FixedSlot, &'f FixedObject),
    Constant(ConstantPoolIndex, &'f PoolConstant),
    JumpTable(JumpTable, JumpTableKind, Vec<u32>),
    Block(u32, Option<&'f str>, Option<&'f str>, Vec<(u32, Option<u32>)>, &'f [(PReg, Option<u64>)]),
    Inst(Opcode, InstFlags, Vec<OperandPart<'f>>, Vec<RegisterPart<'f>>, Vec<MemoryPart<'f>>),
}

/// Type, constraint and name of a virtual register.
type RegisterPart<'f> = (Option<Type>, Constraint, Option<&'f str>);

#[derive(PartialEq, Debug)]
enum OperandPart<'f> {
    /// One that names nothing of the function's tables but objects.
    Plain(Operand),
    Constant(Option<Bits>),
    Number(FloatFormat, Option<Bits>),
    Block(u32),
    Address(BasePart<'f>, i64, TargetFlags),
    NoAddress,
    Registers(Option<&'f ListedRegisters>),
    Shuffle(Option<&'f Vec<Option<u32>>>),
    Intrinsic(&'f str),
    Opcode(&'f str),
    Text(&'f str),
}

#[derive(PartialEq, Debug)]
enum GlobalPart<'f> {
    Named(&'f str),
    Numbered(u32),
}

#[derive(PartialEq, Debug)]
enum BasePart<'f> {
    Global(GlobalPart<'f>),
    External(&'f str),
    Label(&'f str),
    Block(GlobalPart<'f>, &'f str),
    /// An entry of a table of the function.
    Entry(AddressBase),
}

#[derive(PartialEq, Debug)]
enum PointerPart<'f> {
    Ir(&'f str),
    Expression(&'f str),
    Text(&'f str),
    Global(GlobalPart<'f>),
    CallEntry(GlobalPart<'f>),
    ExternalCallEntry(&'f str),
    Plain(Pointer),
}

/// A memory operand without the symbols that it names, and those.
type MemoryPart<'f> = (MemOperand, Option<PointerPart<'f>>, Option<&'f str>);

/// Every part of a function that its text must say.
fn parts(function: &Function) -> Vec<Part<'_>> {
    let Function { name, stage, properties, frame_info, .. } = function;
    let mut parts = vec![Part::Function(name, *stage, *properties, frame_info)];
    parts.extend(function.liveins.iter().map(|&livein| Part::LiveIn(livein)));
    parts.extend(function.stack.iter().map(|(slot, object)| Part::Object(slot, object)));
    parts.extend(function.fixed_stack.iter().map(|(slot, object)| Part::FixedObject(slot, object)));
    parts.extend(function.constants.iter().map(|(index, constant)| Part::Constant(index, constant)));
    let number = |block: Block| function.block(block).number;
    for (table, blocks) in &function.jump_tables.tables {
        let blocks = blocks.iter().map(|&block| number(block)).collect();
        parts.push(Part::JumpTable(table, function.jump_tables.kind, blocks));
    }
    for &block in function.layout() {
        let data = function.block(block);
        let successors = data.successors.iter().map(|&(to, weight)| (number(to), weight)).collect();
        parts.push(Part::Block(
            data.number,
            data.name.as_deref(),
            data.attributes.as_deref(),
            successors,
            &data.liveins,
        ));
        parts.extend(function.insts(block).map(|inst| inst_part(function, function.inst(inst))));
    }
    parts
}

fn inst_part<'f>(function: &'f Function, data: &'f InstData) -> Part<'f> {
    let registers = data.vreg_defs().map(|def| {
        let data = &function.vregs[def];
        (data.ty, data.constraint, data.name.map(|symbol| name(function, symbol)))
    });
    let operands = data.operands.iter().map(|operand| operand_part(function, operand));
    let memory = data.memory.iter().map(|access| memory_part(function, access));
    Part::Inst(data.opcode, data.flags, operands.collect(), registers.collect(), memory.collect())
}

fn name(function: &Function, symbol: Symbol) -> &str {
    function.symbols.get(symbol).map_or("", String::as_str)
}

fn operand_part<'f>(function: &'f Function, operand: &Operand) -> OperandPart<'f> {
    match *operand {
        Operand::WideConst(_) => OperandPart::Constant(function.constant_value(operand)),
        Operand::Float(number) => OperandPart::Number(number.format, function.float_bits(number)),
        Operand::Block(block) => OperandPart::Block(function.block(block).number),
        Operand::Address(address) => match function.addresses.get(address) {
            Some(&AddressData { base, offset, flags }) => {
                OperandPart::Address(base_part(function, base), offset, flags)
            }
            None => OperandPart::NoAddress,
        },
        Operand::RegisterList(list) => OperandPart::Registers(function.register_lists.get(list)),
        Operand::ShuffleMask(mask) => OperandPart::Shuffle(function.shuffle_masks.get(mask)),
        Operand::Intrinsic(symbol) => OperandPart::Intrinsic(name(function, symbol)),
        Operand::OpcodeName(symbol) => OperandPart::Opcode(name(function, symbol)),
        Operand::Text(symbol) => OperandPart::Text(name(function, symbol)),
        other => OperandPart::Plain(other),
    }
}

fn global_part(function: &Function, global: GlobalName) -> GlobalPart<'_> {
    match global {
        GlobalName::Named(symbol) => GlobalPart::Named(name(function, symbol)),
        GlobalName::Numbered(number) => GlobalPart::Numbered(number),
    }
}

fn base_part(function: &Function, base: AddressBase) -> BasePart<'_> {
    match base {
        AddressBase::Global(global) => BasePart::Global(global_part(function, global)),
        AddressBase::External(symbol) => BasePart::External(name(function, symbol)),
        AddressBase::Label(symbol) => BasePart::Label(name(function, symbol)),
        AddressBase::Block { function: holder, block } => {
            BasePart::Block(global_part(function, holder), name(function, block))
        }
        AddressBase::Constant(_) | AddressBase::JumpTable(_) => BasePart::Entry(base),
    }
}

fn memory_part<'f>(function: &'f Function, access: &MemOperand) -> MemoryPart<'f> {
    let pointer = access.pointer.map(|pointer| match pointer {
        Pointer::Ir(symbol) => PointerPart::Ir(name(function, symbol)),
        Pointer::Expression(symbol) => PointerPart::Expression(name(function, symbol)),
        Pointer::Text(symbol) => PointerPart::Text(name(function, symbol)),
        Pointer::ExternalCallEntry(symbol) => PointerPart::ExternalCallEntry(name(function, symbol)),
        Pointer::Global(global) => PointerPart::Global(global_part(function, global)),
        Pointer::CallEntry(global) => PointerPart::CallEntry(global_part(function, global)),
        other => PointerPart::Plain(other),
    });
    let metadata = access.metadata.expand().map(|symbol| name(function, symbol));
    (MemOperand { pointer: None, metadata: None.into(), ..*access }, pointer, metadata)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Harness, JudgeSet};
    use tribunal_codegen::Options;

    const STORE: &str = "---\nname: f\ntracksRegLiveness: true\nbody: |\n  bb.0:\n    liveins: $x10\n\n    %0:_(p0) = COPY $x10\n    \
                         G_STORE %0(p0), %0(p0) :: (store (p0))\n    PseudoRET\n...\n";

    /// An offset from no pointer is printed nowhere.
    #[test]
    fn a_part_that_is_not_printed_is_found() {
        let target = tribunal_target::by_name("riscv64").expect("it exists");
        let mut module = text::parse_module(STORE, target.vocabulary).expect("it is MIR");
        let function = &mut module.functions[0];
        assert!(judge(function, target, "input").is_none());
        let store = function.all_insts().nth(1).expect("the store");
        let mut data = function.inst(store).clone();
        data.memory[0].offset = 4;
        function.replace(store, data);
        let found = judge(function, target, "input").expect("the offset is lost");
        assert_eq!(found.kind, FindingKind::Text);
        assert!(found.details.contains("offset: 4") && found.details.contains("offset: 0"), "{}", found.details);
    }

    /// The judge looks after every pass of a trial, and at the input; one fault is one finding.
    #[test]
    fn a_trial_asks_once() {
        let target = tribunal_target::by_name("riscv64").expect("it exists");
        let mut module = text::parse_module(STORE, target.vocabulary).expect("it is MIR");
        let options = Options::new(target.default_features);
        let mut harness = Harness::new(target, options).expect("the emulator works");
        let function = &mut module.functions[0];
        let store = function.all_insts().nth(1).expect("the store");
        let mut data = function.inst(store).clone();
        data.memory[0].offset = 4;
        function.replace(store, data);
        let judges = JudgeSet::default().with(Judge::Text);
        assert_eq!(harness.judge_compilation(function, judges).findings.len(), 1);
        assert!(harness.judge_compilation(function, JudgeSet::ALL.without(Judge::Text)).findings.is_empty());
    }
}
