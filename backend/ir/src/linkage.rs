//! What the module says of a symbol that code names, and what it was compiled for: the choice among ways to compute an
//! address depends on these alone.
//!
//! Invariant: a function without a module has no facts, and the cautious answer is given: its symbols may be anywhere.

use crate::address::{AddressBase, GlobalName};
use crate::function::Function;
use tribunal_llvm::{Attribute, Definition, GlobalValue, IrModule, Linkage, Name, ThreadLocalModel, Visibility};

/// Where the linker may place code and data (LLVM's `Reloc::Model`, and the module's PIE level).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum RelocationModel {
    /// At fixed addresses.
    #[default]
    Static,
    /// Anywhere, as part of the executable.
    Executable,
    /// Anywhere, as part of a library: others may replace its symbols.
    Library,
}

/// How far symbols are from code and from zero (LLVM's `CodeModel`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum CodeModel {
    /// Within two gigabytes of zero.
    #[default]
    Small,
    /// Within two gigabytes of the code.
    Medium,
    /// Anywhere.
    Large,
}

/// Facts about one symbol.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SymbolFacts {
    /// The linkage unit defines it, and nobody replaces it.
    pub is_local: bool,
    /// It is null if nobody defines it.
    pub may_be_null: bool,
    /// Each thread has its own, reached by this model.
    pub thread_local: Option<ThreadLocalModel>,
}

impl SymbolFacts {
    /// Of an entity of the function itself.
    const OWN: SymbolFacts = SymbolFacts { is_local: true, may_be_null: false, thread_local: None };
    /// Of a symbol of which nothing is known.
    const UNKNOWN: SymbolFacts = SymbolFacts { is_local: false, ..SymbolFacts::OWN };
}

impl Function {
    /// The module's relocation model, by its flags.
    pub fn relocation_model(&self) -> RelocationModel {
        let level = |name: &str| self.ir.as_ref().map_or(0, |ir| ir.flags.integer(name));
        match (level("PIC Level"), level("PIE Level")) {
            (0, _) => RelocationModel::Static,
            (_, 0) => RelocationModel::Library,
            _ => RelocationModel::Executable,
        }
    }

    /// The module's code model, by its flags: LLVM's numbers.
    pub fn code_model(&self) -> CodeModel {
        match self.ir.as_ref().map_or(0, |ir| ir.flags.integer("Code Model")) {
            0..=1 => CodeModel::Small,
            2..=3 => CodeModel::Medium,
            _ => CodeModel::Large,
        }
    }

    /// The value of an attribute with a value that the module gives this function: `"frame-pointer"="all"`.
    pub fn attribute(&self, wanted: &str) -> Option<&str> {
        let ir = self.ir.as_deref()?;
        let Definition::Function(id) = ir.symbols[ir.symbol(&Name::from(self.name.as_str()))?].definition? else {
            return None;
        };
        ir.functions[id].attributes.iter().find_map(|attribute| match attribute {
            Attribute::Text { key, value } if key == wanted => Some(value.as_str()),
            _ => None,
        })
    }

    /// The facts about what an address is of.
    pub fn symbol_facts(&self, base: AddressBase) -> SymbolFacts {
        let name = match base {
            AddressBase::Global(GlobalName::Named(name)) => {
                self.symbols.get(name).map(|name| Name::from(name.as_str()))
            }
            AddressBase::Global(GlobalName::Numbered(number)) => Some(Name::Number(number)),
            AddressBase::External(_) => return SymbolFacts::UNKNOWN,
            AddressBase::Constant(_) | AddressBase::JumpTable(_) | AddressBase::Label(_) => return SymbolFacts::OWN,
            AddressBase::Block { .. } => return SymbolFacts::OWN,
        };
        let value = self.ir.as_deref().zip(name).and_then(|(ir, name)| global_value(ir, &name));
        value.map_or(SymbolFacts::UNKNOWN, |value| self.facts(value))
    }

    fn facts(&self, value: &GlobalValue) -> SymbolFacts {
        let may_be_null = value.linkage == Linkage::ExternWeak;
        let is_local = value.dso_local
            || matches!(value.linkage, Linkage::Internal | Linkage::Private)
            || (value.visibility != Visibility::Default && !may_be_null);
        let thread_local = value.thread_local.map(|named| self.thread_local_model(named, is_local));
        SymbolFacts { is_local, may_be_null, thread_local }
    }

    /// The fastest model that serves, or the one that the module names if it is faster (`TargetMachine::getTLSModel`).
    fn thread_local_model(&self, named: ThreadLocalModel, is_local: bool) -> ThreadLocalModel {
        let fastest = match (self.relocation_model(), is_local) {
            (RelocationModel::Library, true) => ThreadLocalModel::LocalDynamic,
            (RelocationModel::Library, false) => ThreadLocalModel::GeneralDynamic,
            (RelocationModel::Static | RelocationModel::Executable, true) => ThreadLocalModel::LocalExec,
            (RelocationModel::Static | RelocationModel::Executable, false) => ThreadLocalModel::InitialExec,
        };
        if named as u8 > fastest as u8 { named } else { fastest }
    }
}

/// The properties of a symbol, whatever it names.
fn global_value<'m>(ir: &'m IrModule, name: &Name) -> Option<&'m GlobalValue> {
    Some(match ir.symbols[ir.symbol(name)?].definition? {
        Definition::Global(id) => &ir.globals[id].value,
        Definition::Function(id) => &ir.functions[id].value,
        Definition::Alias(id) => &ir.aliases[id].value,
        Definition::Ifunc(id) => &ir.ifuncs[id].value,
        Definition::Unread(_) => return None,
    })
}
