//! A module: its types, and the global values that it defines or declares.
//!
//! Invariant: every symbol that something names has its definition: a global, a function, an alias, an ifunc, or an
//! entity that was set aside.

use crate::attribute::Attribute;
use crate::constant::Constant;
use crate::data_layout::DataLayout;
use crate::error::UnreadEntity;
use crate::flags::ModuleFlags;
use crate::function::IrFunction;
use crate::layout::Layouts;
use crate::name::Name;
use crate::types::{TypeId, TypeTable};
use cranelift_entity::{PrimaryMap, entity_impl};
use rustc_hash::FxHashMap;

macro_rules! entities {
    ($($about:literal $name:ident $prefix:literal,)*) => { $(
        #[doc = $about]
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);
        entity_impl!($name, $prefix);
    )* };
}

entities! {
    "A name of the namespace that globals, functions, aliases and ifuncs share." SymbolId "symbol",
    "A global variable." GlobalId "global",
    "A function, defined or declared." FunctionId "function",
    "An alias." AliasId "alias",
    "An ifunc." IfuncId "ifunc",
    "A comdat." ComdatId "comdat",
    "An entity that was set aside." UnreadId "unread",
}

/// A module of LLVM IR.
#[derive(Clone, Debug, Default)]
pub struct IrModule {
    /// The file that it was compiled from.
    pub source_filename: Option<String>,
    /// `architecture-vendor-system`
    pub target_triple: Option<String>,
    /// The data layout, if the module names one.
    pub data_layout: Option<DataLayout>,
    /// Lines of `module asm`, in their order.
    pub assembly: Vec<String>,
    /// The types.
    pub types: TypeTable,
    /// Comdats, in their order.
    pub comdats: PrimaryMap<ComdatId, Comdat>,
    /// Names, in the order of their first mention.
    pub symbols: PrimaryMap<SymbolId, IrSymbol>,
    /// Global variables, in their order.
    pub globals: PrimaryMap<GlobalId, Global>,
    /// Functions, in their order.
    pub functions: PrimaryMap<FunctionId, IrFunction>,
    /// Aliases, in their order.
    pub aliases: PrimaryMap<AliasId, Alias>,
    /// Ifuncs, in their order.
    pub ifuncs: PrimaryMap<IfuncId, Ifunc>,
    /// Entities that are well-formed and hold something unknown.
    pub unread: PrimaryMap<UnreadId, UnreadEntity>,
    /// Metadata nodes that are ranges of integers, by number: `!0 = !{i8 0, i8 2}`.
    pub ranges: FxHashMap<u32, Vec<IntegerRange>>,
    /// What it was compiled for.
    pub flags: ModuleFlags,
    pub(crate) by_name: FxHashMap<Name, SymbolId>,
}

/// The integers from the first to below the second, modulo two to the width in bits (LangRef, `range`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct IntegerRange {
    /// Bits of the type.
    pub width: u32,
    /// The first integer, by the low bits of its two's complement.
    pub first: i128,
    /// The integer after the last one.
    pub end: i128,
}

impl IntegerRange {
    /// The ranges of a node, `!{i8 0, i8 2, i8 5, i8 6}`; nothing for any other node.
    pub(crate) fn of_node(node: &str) -> Option<Vec<IntegerRange>> {
        let items = node.trim().strip_prefix("!{")?.strip_suffix('}')?;
        let constant = |item: &str| {
            let (ty, value) = item.trim().split_once(' ')?;
            Some((ty.strip_prefix('i')?.parse::<u32>().ok()?, value.trim().parse::<i128>().ok()?))
        };
        let constants: Vec<(u32, i128)> = items.split(',').map(constant).collect::<Option<_>>()?;
        let range = |pair: &[(u32, i128)]| match *pair {
            [(width, first), (other, end)] if width == other => Some(IntegerRange { width, first, end }),
            _ => None,
        };
        constants.chunks(2).map(range).collect()
    }
}

impl IrModule {
    /// The symbol of a name.
    pub fn symbol(&self, name: &Name) -> Option<SymbolId> {
        self.by_name.get(name).copied()
    }

    /// The global variable of a name.
    pub fn global(&self, name: &Name) -> Option<&Global> {
        match self.symbols[self.symbol(name)?].definition? {
            Definition::Global(id) => Some(&self.globals[id]),
            _ => None,
        }
    }

    /// The function of a name.
    pub fn function(&self, name: &Name) -> Option<&IrFunction> {
        match self.symbols[self.symbol(name)?].definition? {
            Definition::Function(id) => Some(&self.functions[id]),
            _ => None,
        }
    }

    /// The name of a global value.
    pub fn name(&self, value: &GlobalValue) -> &Name {
        &self.symbols[value.symbol].name
    }

    /// The layouts of its types: under its own data layout, else under `default`, which is the target's.
    pub fn layouts(&self, default: &DataLayout) -> Layouts<'_> {
        Layouts::new(&self.types, self.data_layout.as_ref().unwrap_or(default).clone())
    }
}

/// A name that stands for an address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IrSymbol {
    /// Without `@`.
    pub name: Name,
    /// `None` only while the module is read.
    pub definition: Option<Definition>,
}

/// The entity that defines or declares a symbol.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Definition {
    /// A global variable.
    Global(GlobalId),
    /// A function.
    Function(FunctionId),
    /// An alias.
    Alias(AliasId),
    /// An ifunc.
    Ifunc(IfuncId),
    /// It was set aside.
    Unread(UnreadId),
}

/// The properties that globals, functions, aliases and ifuncs share.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GlobalValue {
    /// Its name.
    pub symbol: SymbolId,
    /// How the linker merges it.
    pub linkage: Linkage,
    /// Who sees it.
    pub visibility: Visibility,
    /// It is known to be in this linkage unit.
    pub dso_local: bool,
    /// `dllimport` or `dllexport`.
    pub dll_storage: Option<DllStorage>,
    /// One copy for each thread, under a model.
    pub thread_local: Option<ThreadLocalModel>,
    /// Whether its address matters.
    pub unnamed_addr: UnnamedAddress,
    /// `partition "..."`
    pub partition: Option<String>,
}

/// A global variable.
#[derive(Clone, PartialEq, Debug)]
pub struct Global {
    /// Name, linkage and so on.
    pub value: GlobalValue,
    /// The address space that it is in.
    pub address_space: u32,
    /// Something outside the module sets it before the program runs.
    pub externally_initialized: bool,
    /// Nobody writes it.
    pub constant: bool,
    /// The type of its contents.
    pub ty: TypeId,
    /// `None` for a declaration.
    pub initialiser: Option<Constant>,
    /// `section "..."`
    pub section: Option<String>,
    /// Its comdat.
    pub comdat: Option<ComdatId>,
    /// In bytes; `None` if the data layout says.
    pub alignment: Option<u64>,
    /// `code_model "..."`
    pub code_model: Option<String>,
    /// Words about sanitizers: `no_sanitize_address`.
    pub sanitizers: Vec<String>,
    /// Attributes, those of groups among them.
    pub attributes: Vec<Attribute>,
}

/// A second name of an address.
#[derive(Clone, PartialEq, Debug)]
pub struct Alias {
    /// Name, linkage and so on.
    pub value: GlobalValue,
    /// The type of its contents.
    pub ty: TypeId,
    /// The address.
    pub aliasee: Constant,
}

/// A function that a resolver chooses when the program is loaded.
#[derive(Clone, PartialEq, Debug)]
pub struct Ifunc {
    /// Name, linkage and so on.
    pub value: GlobalValue,
    /// The type of the function.
    pub ty: TypeId,
    /// The address of the resolver.
    pub resolver: Constant,
}

/// A group of sections that the linker keeps or drops as one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Comdat {
    /// Without `$`.
    pub name: Name,
    /// `None` if it was set aside, or while the module is read.
    pub selection: Option<ComdatSelection>,
}

crate::keywords::keywords! {
    /// How the linker merges a symbol.
    pub enum Linkage {
        /// Seen by other modules.
        External = "external",
        /// Only in this module, without a symbol.
        Private = "private",
        /// Only in this module.
        Internal = "internal",
        /// A definition for the optimiser: another module has the real one.
        AvailableExternally = "available_externally",
        /// Merged with equals, and dropped if unused.
        LinkOnce = "linkonce",
        /// As `linkonce`, of equal definitions.
        LinkOnceOdr = "linkonce_odr",
        /// Merged with equals.
        Weak = "weak",
        /// As `weak`, of equal definitions.
        WeakOdr = "weak_odr",
        /// A tentative definition of C.
        Common = "common",
        /// Arrays that the linker appends.
        Appending = "appending",
        /// A declaration that may be null.
        ExternWeak = "extern_weak",
    }
}

crate::keywords::keywords! {
    /// Who sees a symbol of a linkage unit.
    pub enum Visibility {
        /// As its linkage says.
        Default = "default",
        /// This linkage unit.
        Hidden = "hidden",
        /// Others too, but they do not replace it.
        Protected = "protected",
    }
}

crate::keywords::keywords! {
    /// Windows' imports and exports.
    pub enum DllStorage {
        /// From another library.
        Import = "dllimport",
        /// For other libraries.
        Export = "dllexport",
    }
}

crate::keywords::keywords! {
    /// How the address of a thread's copy is computed.
    pub enum ThreadLocalModel {
        /// For any library.
        GeneralDynamic = "generaldynamic",
        /// For variables of this library.
        LocalDynamic = "localdynamic",
        /// For libraries that are loaded at start.
        InitialExec = "initialexec",
        /// For the executable.
        LocalExec = "localexec",
    }
}

crate::keywords::keywords! {
    /// Whether an address matters.
    pub enum UnnamedAddress {
        /// It does.
        Significant = "",
        /// Not in this module.
        Local = "local_unnamed_addr",
        /// Nowhere: equal constants may be merged.
        Global = "unnamed_addr",
    }
}

crate::keywords::keywords! {
    /// The rule by which the linker chooses among comdats of a name.
    pub enum ComdatSelection {
        /// Any.
        Any = "any",
        /// They must have equal contents.
        ExactMatch = "exactmatch",
        /// The largest.
        Largest = "largest",
        /// None is merged.
        NoDeduplicate = "nodeduplicate",
        /// They must have equal sizes.
        SameSize = "samesize",
    }
}
