//! The relocations of code: what a linker completes in an instruction with an address.

use crate::CompileError;
use object::elf::RelocationType;
use tribunal_ir::{AddressBase, Function, GlobalName, InstData, Opcode};
use tribunal_llvm::Name;
use tribunal_target::Target;
use tribunal_target::addressing::{Anchor, linked_operand};

/// A place of the code that a linker completes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CodeRelocation {
    /// The offset of the word, in bytes.
    pub offset: u32,
    /// The number of the psABI.
    pub kind: RelocationType,
    /// The address that it is completed with.
    pub to: CodeReferent,
    /// Added to it.
    pub addend: i64,
}

/// A place that a relocation names.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CodeReferent {
    /// A symbol.
    Symbol(Name),
    /// A byte of this function's code, by its offset.
    Code(u32),
    /// An entry of this function's constant pool, by its number.
    Constant(u32),
    /// A jump table of this function, by its number.
    Table(u32),
    /// A block of a function of the module: the names of both.
    Block(Name, Name),
}

/// The relocations of an instruction whose code begins at `here`; none without an address, and of a call.
pub(super) fn relocations(
    function: &Function,
    target: &Target,
    data: &InstData,
    here: u32,
) -> Result<Vec<CodeRelocation>, CompileError> {
    let (Opcode::Target(opcode), Some(address)) = (data.opcode, linked_operand(function, target, data)) else {
        return Ok(Vec::new());
    };
    let name = target.instruction(opcode).name;
    let unsupported = |what: &str| CompileError::unsupported(function, "emit", format!("{name} of {what}"));
    let fixup = target.fixup(opcode, address.flags).ok_or_else(|| unsupported("an address with these flags"))?;
    let symbol = place(function, address.base).ok_or_else(|| unsupported("a label"))?;
    let parts = fixup.parts.iter().map(|part| {
        let (to, addend) = match part.anchor {
            Anchor::Symbol => (symbol.clone(), address.offset),
            Anchor::Start => (CodeReferent::Code(here), 0),
        };
        CodeRelocation { offset: here + u32::from(part.offset), kind: part.kind, to, addend }
    });
    Ok(parts.collect())
}

/// The place of an entity; `None` for a label in the middle of a block.
fn place(function: &Function, base: AddressBase) -> Option<CodeReferent> {
    let global = |name: GlobalName| match name {
        GlobalName::Named(name) => Name::from(function.symbols[name].as_str()),
        GlobalName::Numbered(number) => Name::Number(number),
    };
    Some(match base {
        AddressBase::Global(name) => CodeReferent::Symbol(global(name)),
        AddressBase::External(name) => CodeReferent::Symbol(Name::from(function.symbols[name].as_str())),
        AddressBase::Constant(constant) => CodeReferent::Constant(constant.as_u32()),
        AddressBase::JumpTable(table) => CodeReferent::Table(table.as_u32()),
        AddressBase::Block { function: of, block } => {
            CodeReferent::Block(global(of), Name::from_text(&function.symbols[block]))
        }
        AddressBase::Label(_) => return None,
    })
}

/// The blocks whose addresses the module takes, by their names in the IR.
pub(super) fn taken_blocks(function: &Function, start: impl Fn(tribunal_ir::Block) -> i64) -> Vec<(Name, u32)> {
    let named = |&block: &tribunal_ir::Block| Some((Name::from_text(function.taken_name(block)?), start(block) as u32));
    function.layout().iter().filter_map(named).collect()
}
