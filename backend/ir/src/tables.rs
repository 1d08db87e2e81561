//! The rows of a function's tables: stack objects, constant pool, jump tables, lists of registers, frame information.

use crate::bits::Bits;
use crate::entities::{Block, JumpTable};
use crate::float::FloatFormat;
use crate::vocabulary::PReg;
use cranelift_entity::PrimaryMap;

/// The purpose of a stack object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SlotKind {
    /// A local of the source.
    Default,
    /// A spill slot of the register allocator.
    Spill,
    /// An object whose size only a run knows: `alloca` outside of the entry.
    VariableSized,
}

impl SlotKind {
    /// The name in MIR.
    pub fn name(self) -> &'static str {
        match self {
            SlotKind::Default => "default",
            SlotKind::Spill => "spill-slot",
            SlotKind::VariableSized => "variable-sized",
        }
    }
}

/// A stack object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StackObject {
    /// The name of the IR value, or nothing.
    pub name: String,
    /// The purpose of the object.
    pub kind: SlotKind,
    /// Bytes.
    pub size: u64,
    /// Bytes, a power of two.
    pub align: u32,
    /// Bytes from the stack pointer on entry, once the frame is laid out; negative.
    pub offset: i64,
    /// Bytes from the end of the block of locals, where a pass has placed the object in it; negative.
    pub local_offset: Option<i64>,
    /// The callee-saved register that the prologue keeps in it.
    pub saved: Option<PReg>,
}

impl StackObject {
    /// An object without a name, of `size` bytes, aligned to `align` bytes, not yet placed.
    pub fn new(kind: SlotKind, size: u64, align: u32) -> StackObject {
        StackObject { name: String::new(), kind, size, align, offset: 0, local_offset: None, saved: None }
    }
}

/// A stack object in the caller's frame.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FixedObject {
    /// The purpose of the object, never [`SlotKind::VariableSized`].
    pub kind: SlotKind,
    /// Bytes from the stack pointer on entry.
    pub offset: i64,
    /// In bytes.
    pub size: u64,
    /// In bytes, a power of two.
    pub align: u32,
    /// True if nothing writes it: an incoming stack argument.
    pub immutable: bool,
    /// True if pointers of the IR may point to it.
    pub aliased: bool,
    /// The callee-saved register that the prologue keeps in it.
    pub saved: Option<PReg>,
}

/// An entry of the constant pool, `%const.0`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PoolConstant {
    /// The value.
    pub value: PoolValue,
    /// In bytes, a power of two; `None` if the file does not say.
    pub align: Option<u32>,
    /// True if the target made it. LLVM cannot read such a file again.
    pub target_specific: bool,
}

/// The value of a constant in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PoolValue {
    /// `i64 -5`, by its bits.
    Integer(Bits),
    /// `double 1.0`, by its bits.
    Float(FloatFormat, Bits),
    /// A vector, an aggregate or an expression: LLVM IR that is kept as it was read.
    Text(String),
}

impl PoolValue {
    /// The bits of a single number.
    pub fn bits(&self) -> Option<Bits> {
        match self {
            PoolValue::Integer(bits) | PoolValue::Float(_, bits) => Some(*bits),
            PoolValue::Text(_) => None,
        }
    }
}

/// The jump tables of a function.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct JumpTables {
    /// The form of every entry.
    pub kind: JumpTableKind,
    /// The destinations of each table, by index.
    pub tables: PrimaryMap<JumpTable, Vec<Block>>,
}

/// The form of the entries of jump tables (LLVM's `MachineJumpTableInfo::JTEntryKind`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum JumpTableKind {
    /// The block's address.
    BlockAddress,
    /// 64 bits relative to the global pointer.
    GpRel64BlockAddress,
    /// 32 bits relative to the global pointer.
    GpRel32BlockAddress,
    /// 32 bits, relative to the table.
    LabelDifference32,
    /// 64 bits, relative to the table.
    LabelDifference64,
    /// Within the code.
    Inline,
    /// 32 bits of the target's own making.
    #[default]
    Custom32,
}

impl JumpTableKind {
    /// Every kind.
    pub const ALL: [JumpTableKind; 7] = {
        use JumpTableKind::*;
        [BlockAddress, GpRel64BlockAddress, GpRel32BlockAddress, LabelDifference32, LabelDifference64, Inline, Custom32]
    };

    /// Bytes of an entry, and whether it is a distance from the table; `None` for a form of its own.
    pub const fn entry(self, pointer_bytes: u32) -> Option<(u32, bool)> {
        match self {
            JumpTableKind::BlockAddress => Some((pointer_bytes, false)),
            JumpTableKind::Custom32 => Some((4, false)),
            JumpTableKind::LabelDifference32 => Some((4, true)),
            JumpTableKind::LabelDifference64 => Some((8, true)),
            JumpTableKind::GpRel64BlockAddress | JumpTableKind::GpRel32BlockAddress | JumpTableKind::Inline => None,
        }
    }

    /// LLVM's word.
    pub const fn name(self) -> &'static str {
        match self {
            JumpTableKind::BlockAddress => "block-address",
            JumpTableKind::GpRel64BlockAddress => "gp-rel64-block-address",
            JumpTableKind::GpRel32BlockAddress => "gp-rel32-block-address",
            JumpTableKind::LabelDifference32 => "label-difference32",
            JumpTableKind::LabelDifference64 => "label-difference64",
            JumpTableKind::Inline => "inline",
            JumpTableKind::Custom32 => "custom32",
        }
    }

    /// The kind of LLVM's word.
    pub fn from_name(name: &str) -> Option<JumpTableKind> {
        JumpTableKind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Machine registers listed one by one.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ListedRegisters {
    /// The purpose of the list.
    pub kind: RegisterListKind,
    /// In the order of the text.
    pub registers: Vec<PReg>,
}

/// The purpose of a list of registers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RegisterListKind {
    /// `CustomRegMask(...)`: a call preserves them.
    Preserved,
    /// `liveout(...)`: a patch point keeps them.
    LiveOut,
}

/// `frameInfo:`, LLVM's `MachineFrameInfo` as far as it is written. [`FrameInfo::default`] is what a file means that
/// has none.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FrameInfo {
    /// The address of the frame is taken.
    pub is_frame_address_taken: bool,
    /// The return address is taken.
    pub is_return_address_taken: bool,
    /// It has a stack map.
    pub has_stack_map: bool,
    /// It has a patch point.
    pub has_patch_point: bool,
    /// The bytes by which the prologue moves the stack pointer.
    pub stack_size: u64,
    /// In bytes, from the frame pointer to the offsets of objects.
    pub offset_adjustment: i32,
    /// In bytes; 0 if not known.
    pub max_alignment: u32,
    /// Something besides prologue and epilogue moves the stack pointer.
    pub adjusts_stack: bool,
    /// It calls.
    pub has_calls: bool,
    /// Bytes of arguments passed on the stack; `None` until they are known.
    pub max_call_frame_size: Option<u32>,
    /// Bytes of saved registers, for CodeView.
    pub cv_bytes_of_callee_saved_registers: u32,
    /// Inline assembly moves the stack pointer.
    pub has_opaque_sp_adjustment: bool,
    /// It calls `va_start`.
    pub has_va_start: bool,
    /// A variadic function with a `musttail` call.
    pub has_must_tail_in_var_arg_func: bool,
    /// It has a tail call.
    pub has_tail_call: bool,
    /// The list of saved registers is made.
    pub is_callee_saved_info_valid: bool,
    /// Bytes of the block of locals that is laid out early.
    pub local_frame_size: u32,
    /// Keys with values that nothing here interprets (`stackProtector`, `savePoint`), each with its lines as read.
    pub other: Vec<(String, String)>,
}
