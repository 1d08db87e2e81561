//! A MIR file: its IR block, and the machine functions.
//!
//! Invariant: a file is never refused for one function. A name or form that no table knows makes its function
//! [`Unread`], and all others are read.

use crate::function::Function;
use crate::ir_block::IrBlock;
use std::fmt;

/// The functions of one file.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// Comment lines at the head of the file, without `;` or `#`: expectations, or the header of a crash file.
    pub comments: Vec<String>,
    /// The LLVM IR of the first document.
    pub ir: Option<IrBlock>,
    /// The machine functions, in the order of the file.
    pub functions: Vec<Function>,
    /// Functions that are well-formed and name something unknown, in the order of the file.
    pub unread: Vec<Unread>,
}

/// A function that was not read, and its text: writing a module does not lose it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unread {
    /// The function's name, as `name:` gives it.
    pub name: String,
    /// The number of [`Module::functions`] before it in the file.
    pub position: usize,
    /// The first thing in it that is unknown.
    pub unknown: Unknown,
    /// Its document without `---` and `...`, as it was read.
    pub text: String,
}

/// A name or a form that is well-formed and stands in no table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unknown {
    /// Counted from 1.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
    /// The table that does not have it.
    pub kind: UnknownKind,
    /// As it stands in the file: `$f10_d`, `gpr64all`.
    pub text: String,
}

/// The kind of an unknown name or form.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum UnknownKind {
    /// A machine register: `$f10_d`.
    Register,
    /// A register class or bank: the text does not distinguish them.
    ClassOrBank,
    /// A subregister index: `.sub_vrm1_0`.
    SubregisterIndex,
    /// An instruction.
    Opcode,
    /// The mask of a call.
    RegisterMask,
    /// A target's flag of an operand: `target-flags(x86-got)`.
    TargetFlag,
    /// The scope of an atomic access.
    SyncScope,
    /// An operand of a form that the reader does not know.
    Operand,
    /// A typed constant that is no integer.
    ConstantType,
    /// A low-level type.
    Type,
    /// A target's own flag of a memory operand.
    MemoryTargetFlag,
    /// The value of a stack object's `type:`.
    StackObjectType,
    /// The value of a stack object's `stack-id:`.
    StackId,
    /// The kind of a function's jump tables.
    JumpTableKind,
    /// A key of `frameInfo:`.
    FrameInformation,
    /// The name in a comment `# stage:`.
    Stage,
}

impl fmt::Display for UnknownKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            UnknownKind::Register => "register",
            UnknownKind::ClassOrBank => "register class or bank",
            UnknownKind::SubregisterIndex => "sub-register index",
            UnknownKind::Opcode => "opcode",
            UnknownKind::RegisterMask => "register mask",
            UnknownKind::TargetFlag => "target flag",
            UnknownKind::SyncScope => "synchronization scope",
            UnknownKind::Operand => "operand",
            UnknownKind::ConstantType => "constant of type",
            UnknownKind::Type => "type",
            UnknownKind::MemoryTargetFlag => "target flag of a memory operand",
            UnknownKind::StackObjectType => "stack object of type",
            UnknownKind::StackId => "stack object with stack-id",
            UnknownKind::JumpTableKind => "jump tables of kind",
            UnknownKind::FrameInformation => "frame information",
            UnknownKind::Stage => "stage",
        })
    }
}

/// Without the place: ``register `$f10_d` ``, the name of a feature that is not supported.
impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{}`", self.kind, self.text)
    }
}

/// A function of a file, read or not.
#[derive(Clone, Copy, Debug)]
pub enum Entry<'m> {
    /// It was read.
    Function(&'m Function),
    /// It was not.
    Unread(&'m Unread),
}

impl<'m> Entry<'m> {
    /// Its name.
    pub fn name(&self) -> &'m str {
        match self {
            Entry::Function(function) => &function.name,
            Entry::Unread(unread) => &unread.name,
        }
    }
}

impl Module {
    /// The value of a head comment `key: value`.
    pub fn header(&self, key: &str) -> Option<&str> {
        self.comments.iter().find_map(|line| Some(line.trim().strip_prefix(key)?.strip_prefix(':')?.trim()))
    }

    /// All functions in the order of the file, for code that gives a verdict on each.
    pub fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        let mut unread = self.unread.iter().peekable();
        let mut functions = self.functions.iter().enumerate().peekable();
        std::iter::from_fn(move || {
            let next = functions.peek().map(|&(index, _)| index);
            let first = unread.next_if(|unread| next.is_none_or(|index| unread.position <= index));
            first.map(Entry::Unread).or_else(|| functions.next().map(|(_, function)| Entry::Function(function)))
        })
    }

    /// The module if every function of it was read, for callers that need it whole; else the first that was not.
    pub fn whole(mut self) -> Result<Module, Unread> {
        match self.unread.is_empty() {
            true => Ok(self),
            false => Err(self.unread.swap_remove(0)),
        }
    }
}

impl fmt::Display for Unread {
    /// With the place: `` @f: 12:5: register `$f10_d` ``.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Unknown { line, column, .. } = self.unknown;
        write!(f, "@{}: {line}:{column}: {}", self.name, self.unknown)
    }
}
