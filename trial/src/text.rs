//! The judge of texts: the text of a function, read again, is the function.
//!
//! Text is how users, crash files and LLVM see a function. So a part that is not printed, or is read as another, hides
//! a fault or shows one that does not exist. The two functions are compared by their parts, never by their text.
//!
//! Invariant: each part of a function is a line of [`parts`], with the contents of what it names and never a number
//! that depends on the order in which something was met first.

use crate::finding::{Finding, Judge};
use crate::kind::FindingKind;
use std::fmt::Debug;
use tribunal_ir::{
    AddressBase, AddressData, Block, Function, GlobalName, InstData, MemOperand, Operand, Pointer, Symbol, text,
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
    (0..longer).find_map(|index| match (parts.get(index), read.get(index)) {
        (one, other) if one == other => None,
        (one, other) => {
            let shown = |part: Option<&String>| part.map_or_else(|| "nothing".to_string(), Clone::clone);
            Some(format!("is {}\nread as {}", shown(one), shown(other)))
        }
    })
}

/// Every part of a function that its text must say, one a line.
fn parts(function: &Function) -> Vec<String> {
    let mut parts = Vec::new();
    let mut note = |part: &dyn Debug| parts.push(format!("{part:?}"));
    note(&(&function.name, function.stage, function.properties, &function.frame_info));
    function.liveins.iter().for_each(|part| note(part));
    function.stack.iter().for_each(|part| note(&part));
    function.fixed_stack.iter().for_each(|part| note(&part));
    function.constants.iter().for_each(|part| note(&part));
    for (table, blocks) in &function.jump_tables.tables {
        let blocks: Vec<u32> = blocks.iter().map(|&block| number(function, block)).collect();
        note(&(table, function.jump_tables.kind, blocks));
    }
    for &block in function.layout() {
        let data = function.block(block);
        let successors: Vec<_> = data.successors.iter().map(|&(to, weight)| (number(function, to), weight)).collect();
        note(&(data.number, &data.name, &data.attributes, successors, &data.liveins));
        for inst in function.insts(block) {
            let data = function.inst(inst);
            let types: Vec<_> = data.vreg_defs().map(|def| described(function, def)).collect();
            let operands: Vec<_> = data.operands.iter().map(|operand| operand_part(function, operand)).collect();
            let memory: Vec<_> = data.memory.iter().map(|access| memory_part(function, access)).collect();
            let InstData { opcode, flags, .. } = data;
            note(&(opcode, flags, operands, types, memory));
        }
    }
    parts
}

fn number(function: &Function, block: Block) -> u32 {
    function.block(block).number
}

fn name(function: &Function, symbol: Symbol) -> &str {
    function.symbols.get(symbol).map_or("", String::as_str)
}

/// Type and constraint of a virtual register.
fn described(function: &Function, register: tribunal_ir::VReg) -> String {
    let data = &function.vregs[register];
    format!("{:?} {:?} {:?}", data.ty, data.constraint, data.name.map(|symbol| name(function, symbol)))
}

fn operand_part(function: &Function, operand: &Operand) -> String {
    match *operand {
        Operand::WideConst(_) => format!("{:?}", function.constant_value(operand)),
        Operand::Block(block) => format!("block {}", number(function, block)),
        Operand::Address(address) => match function.addresses.get(address) {
            Some(AddressData { base, offset, flags }) => format!("{} {offset} {flags:?}", base_part(function, *base)),
            None => "no address".to_string(),
        },
        Operand::RegisterList(list) => format!("{:?}", function.register_lists.get(list)),
        Operand::ShuffleMask(mask) => format!("{:?}", function.shuffle_masks.get(mask)),
        Operand::Intrinsic(symbol) => format!("intrinsic {:?}", name(function, symbol)),
        Operand::OpcodeName(symbol) => format!("opcode {:?}", name(function, symbol)),
        Operand::Text(symbol) => format!("text {:?}", name(function, symbol)),
        other => format!("{other:?}"),
    }
}

fn global_part(function: &Function, global: GlobalName) -> String {
    match global {
        GlobalName::Named(symbol) => format!("global {:?}", name(function, symbol)),
        GlobalName::Numbered(number) => format!("global {number}"),
    }
}

fn base_part(function: &Function, base: AddressBase) -> String {
    match base {
        AddressBase::Global(global) => global_part(function, global),
        AddressBase::External(symbol) => format!("external {:?}", name(function, symbol)),
        AddressBase::Label(symbol) => format!("label {:?}", name(function, symbol)),
        AddressBase::Block { function: holder, block } => {
            format!("block {:?} of {}", name(function, block), global_part(function, holder))
        }
        AddressBase::Constant(_) | AddressBase::JumpTable(_) => format!("{base:?}"),
    }
}

fn memory_part(function: &Function, access: &MemOperand) -> String {
    let pointer = access.pointer.map(|pointer| match pointer {
        Pointer::Ir(symbol) => format!("ir {:?}", name(function, symbol)),
        Pointer::Expression(symbol) => format!("expression {:?}", name(function, symbol)),
        Pointer::Text(symbol) => format!("text {:?}", name(function, symbol)),
        Pointer::ExternalCallEntry(symbol) => format!("entry {:?}", name(function, symbol)),
        Pointer::Global(global) => global_part(function, global),
        Pointer::CallEntry(global) => format!("entry {}", global_part(function, global)),
        other => format!("{other:?}"),
    });
    let metadata = access.metadata.expand().map(|symbol| name(function, symbol));
    let MemOperand { flags, ty, align, ordering, failure_ordering, scope, offset, .. } = access;
    format!("{:?}", (flags, ty, align, ordering, failure_ordering, scope, pointer, offset, metadata))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Harness, JudgeSet};
    use tribunal_codegen::{Allocator, Options};

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
        assert!(found.details.contains("None, 4,") && found.details.contains("None, 0,"), "{}", found.details);
    }

    /// The judge looks after every pass of a trial, and at the input; one fault is one finding.
    #[test]
    fn a_trial_asks_once() {
        let target = tribunal_target::by_name("riscv64").expect("it exists");
        let mut module = text::parse_module(STORE, target.vocabulary).expect("it is MIR");
        let options = Options { features: target.default_features, allocator: Allocator::Ion };
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
