//! `emit`, after the last pass: machine code, assembly text and ELF objects of functions with settled registers and
//! frame.
//!
//! Invariant: every instruction left is the target's own; any other is an internal error, never skipped.

mod data;
mod layout;
mod object;
mod relocations;
mod sections;
mod unwind;

pub use object::object;
pub use relocations::{CodeReferent, CodeRelocation};

use crate::CompileError;
use std::fmt::Write;
use tribunal_ir::{
    AddressData, Block, CfiInstruction, Function, Inst, InstData, JumpTableKind, Opcode, Operand, PoolConstant,
};
use tribunal_llvm::Name;
use tribunal_target::abi::CallKind;
use tribunal_target::environment::LibraryCall;
use tribunal_target::{Features, Target, calls};

/// Machine code of one function.
#[derive(Clone, Debug)]
pub struct Code {
    /// The symbol of the function.
    pub name: String,
    /// Its instructions, little-endian.
    pub bytes: Vec<u8>,
    /// Alignment in bytes.
    pub align: u32,
    /// The features of the machine that it is for.
    pub features: Features,
    /// The offset of each instruction, for reports that name one.
    pub map: Vec<(u32, Inst)>,
    /// Calls that a linker completes, in the order of the code.
    pub calls: Vec<CallRelocation>,
    /// The unwinder's rules, each with the offset from which it holds.
    pub unwind: Vec<(u32, CfiInstruction)>,
    /// What else it completes.
    pub relocations: Vec<CodeRelocation>,
    /// The offsets of blocks whose addresses the module takes.
    pub blocks: Vec<(Name, u32)>,
    /// Its jump tables.
    pub tables: CodeTables,
    /// Its constant pool.
    pub constants: Vec<PoolConstant>,
}

impl Code {
    /// A function without instructions.
    pub fn new(name: String, align: u32, features: Features) -> Code {
        Code {
            name,
            bytes: Vec::new(),
            align,
            features,
            map: Vec::new(),
            calls: Vec::new(),
            unwind: Vec::new(),
            relocations: Vec::new(),
            blocks: Vec::new(),
            tables: CodeTables::default(),
            constants: Vec::new(),
        }
    }
}

/// The jump tables of one function.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CodeTables {
    /// The form of the entries.
    pub kind: JumpTableKind,
    /// The destinations of each table, as offsets in the code.
    pub tables: Vec<Vec<u32>>,
}

/// A call that a linker completes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallRelocation {
    /// The offset of the call instruction, or of the first of them, in bytes.
    pub offset: u32,
    /// The symbol that is called.
    pub symbol: String,
    /// The way in which it is called.
    pub kind: CallKind,
    /// The function of the runtime library that it calls.
    pub library: Option<LibraryCall>,
}

/// Encodes a function whose registers and frame are settled, for a machine with `features`.
pub fn code(function: &Function, target: &'static Target, features: Features) -> Result<Code, CompileError> {
    let layout = layout::Layout::new(function, target, features);
    let mut code = Code::new(function.name.clone(), layout.align(), features);
    code.blocks = relocations::taken_blocks(function, |block| layout.start(block));
    code.tables = tables(function, &layout);
    code.constants = function.constants.values().cloned().collect();
    for &block in function.layout() {
        for inst in function.insts(block) {
            let data = function.inst(inst);
            if let Some(rule) = unwind::rule_of(data) {
                code.unwind.push((code.bytes.len() as u32, rule));
                continue;
            }
            if !matches!(data.opcode, Opcode::Target(_)) {
                return Err(CompileError::internal(function, "emit", format!("{} is left", data.opcode)));
            }
            let here = code.bytes.len();
            code.map.push((here as u32, inst));
            if let Some(kind) = target.call_kind(data).filter(|_| function.callee(data).is_some()) {
                let symbol = calls::symbol(function, data).ok_or_else(|| {
                    CompileError::internal(function, "emit", format!("{} calls nothing", data.opcode))
                })?;
                let library = LibraryCall::of(function, data);
                code.calls.push(CallRelocation { offset: here as u32, symbol: symbol.to_string(), kind, library });
            }
            code.relocations.extend(relocations::relocations(function, target, data, here as u32)?);
            let resolved = resolved(data, |to| layout.start(to) - here as i64);
            let expanded = target.machine.expand_pseudo(&resolved);
            for data in expanded.as_deref().unwrap_or(std::slice::from_ref(&resolved)) {
                match layout.compressed(inst, data) {
                    Some(half) => code.bytes.extend(half.to_le_bytes()),
                    None => {
                        let word = target.encode(data);
                        let word = word.map_err(|error| CompileError::internal(function, "emit", error.to_string()))?;
                        code.bytes.extend(word.to_le_bytes());
                    }
                }
            }
        }
    }
    Ok(code)
}

/// The jump tables, their blocks as offsets.
fn tables(function: &Function, layout: &layout::Layout) -> CodeTables {
    let offsets = |blocks: &Vec<Block>| blocks.iter().map(|&block| layout.start(block) as u32).collect();
    let tables = function.jump_tables.tables.values().map(offsets).collect();
    CodeTables { kind: function.jump_tables.kind, tables }
}

/// Labels as distances.
fn resolved(data: &InstData, distance: impl Fn(Block) -> i64) -> InstData {
    let mut data = data.clone();
    for operand in &mut data.operands {
        if let Operand::Block(to) = operand {
            *operand = Operand::Imm(distance(*to));
        }
    }
    data
}

/// An address as the assembler takes it, with the modifier that its flags stand for.
fn symbol_text(function: &Function, target: &Target, address: &AddressData) -> String {
    let name = function.symbol_name(address.base).unwrap_or_default();
    let offset = if address.offset == 0 { String::new() } else { format!("{:+}", address.offset) };
    let modifier = target.addressing.modifiers.iter().find(|(flags, ..)| *flags == address.flags);
    let (before, after) = modifier.map_or(("", ""), |&(_, before, after)| (before, after));
    format!("{before}{name}{offset}{after}")
}

/// Assembly text of the functions of a module, for a machine with `features`.
pub fn assembly(functions: &[Function], target: &'static Target, features: Features) -> String {
    let mut text = String::from("\t.text\n");
    let options = target.elf.iter().flat_map(|elf| elf.options).filter(|option| features.contains(option.feature));
    options.for_each(|option| text.push_str(option.directive));
    let align = layout::word_bytes(target, features).ilog2();
    for (index, function) in functions.iter().enumerate() {
        let name = &function.name;
        let label = |block: Block| format!(".LBB{index}_{}", function.block(block).number);
        let name_of = |operand: &Operand| match operand {
            Operand::Block(block) => label(*block),
            Operand::Address(address) => symbol_text(function, target, &function.addresses[*address]),
            _ => String::new(),
        };
        let _ = write!(text, "\t.globl\t{name}\n\t.p2align\t{align}\n\t.type\t{name},@function\n{name}:\n");
        text.push_str("\t.cfi_startproc\n");
        for &block in function.layout() {
            let _ = writeln!(text, "{}:", label(block));
            for inst in function.insts(block) {
                let data = function.inst(inst);
                let rule = unwind::rule_of(data).map(|rule| unwind::directive(rule, target));
                let line = rule.unwrap_or_else(|| target.machine.assembly(data, &name_of));
                let _ = writeln!(text, "\t{line}");
            }
        }
        text.push_str("\t.cfi_endproc\n");
        let _ = writeln!(text, "\t.size\t{name}, .-{name}");
    }
    text.push_str("\t.section\t.note.GNU-stack,\"\",@progbits\n");
    text
}
