//! Memory operands: the kind of an access, its size, alignment and ordering, and its pointer.

use crate::address::GlobalName;
use crate::entities::{FixedSlot, StackSlot, Symbol};
use crate::function::Function;
use crate::ordering::{AtomicOrdering, SyncScope};
use crate::types::Type;
use bitflags::bitflags;
use cranelift_entity::packed_option::PackedOption;

bitflags! {
    /// The facts of a memory operand besides size and place.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct MemFlags: u8 {
        /// It reads.
        const LOAD = 1 << 0;
        /// It writes.
        const STORE = 1 << 1;
        /// The access itself is observable: none may be added, dropped, or changed in size.
        const VOLATILE = 1 << 2;
        /// It will not be accessed again soon.
        const NON_TEMPORAL = 1 << 3;
        /// The address may be accessed at any time.
        const DEREFERENCEABLE = 1 << 4;
        /// The memory read does not change.
        const INVARIANT = 1 << 5;
    }
}

/// A memory operand: `(load (s32) from %ir.p + 4, align 2, !tbaa !9)`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MemOperand {
    /// The kinds of access it describes, and their properties.
    pub flags: MemFlags,
    /// The type in memory; `None` for `unknown-size`.
    pub ty: Option<Type>,
    /// Alignment of this very access (base and offset together), in bytes, a power of two.
    pub align: u32,
    /// How it orders other accesses.
    pub ordering: AtomicOrdering,
    /// The same of a compare-and-exchange that fails; of anything else, none.
    pub failure_ordering: AtomicOrdering,
    /// The threads among which it is atomic.
    pub scope: SyncScope,
    /// The pointer of the access, if something is known of it.
    pub pointer: Option<Pointer>,
    /// Offset from that pointer, in bytes.
    pub offset: i64,
    /// `!tbaa !9, !noalias !3, addrspace 1, ...`, as it was read.
    pub metadata: PackedOption<Symbol>,
}

impl MemOperand {
    /// A plain access with nothing known of its pointer.
    pub fn new(flags: MemFlags, ty: Type, align: u32) -> MemOperand {
        let ordering = AtomicOrdering::NotAtomic;
        let (scope, metadata) = (SyncScope::System, PackedOption::default());
        let (failure_ordering, pointer, offset) = (ordering, None, 0);
        MemOperand { flags, ty: Some(ty), align, ordering, failure_ordering, scope, pointer, offset, metadata }
    }

    /// True if the access has any atomic ordering.
    pub fn is_atomic(&self) -> bool {
        self.ordering != AtomicOrdering::NotAtomic
    }

    /// True if the access shows whatever it reads or writes: it is volatile, or orders others.
    pub fn is_ordered(&self) -> bool {
        self.flags.contains(MemFlags::VOLATILE) || !self.merged_ordering().fenced().is_empty()
    }

    /// The ordering of the access whether it fails or not; none among threads for one of a single thread.
    pub fn merged_ordering(&self) -> AtomicOrdering {
        match (self.scope, self.is_atomic()) {
            (SyncScope::SingleThread, true) => AtomicOrdering::Monotonic,
            _ => self.ordering.merged(self.failure_ordering),
        }
    }

    /// The part of this access at `offset` bytes, of type `ty`: same pointer and flags, alignment as the offset leaves
    /// it. Without a pointer no offset is tracked, as in LLVM. The metadata may tell of the whole alone, such as the
    /// range of its value.
    pub fn part(&self, offset: u32, ty: Type) -> MemOperand {
        let align = if offset == 0 { self.align } else { self.align.min(1 << offset.trailing_zeros()) };
        let metadata = if self.ty == Some(ty) { self.metadata } else { PackedOption::default() };
        let from = if self.pointer.is_some() { i64::from(offset) } else { 0 };
        MemOperand { ty: Some(ty), align, offset: self.offset + from, metadata, ..*self }
    }
}

/// The pointer of a memory operand: a value of the IR, or one of LLVM's `PseudoSourceValue`s.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Pointer {
    /// `%ir.p`: a value of the IR, as it is spelled after `%ir.`.
    Ir(Symbol),
    /// A constant expression of the IR, as it is spelled between backticks: `ptr undef`.
    Expression(Symbol),
    /// `@g`.
    Global(GlobalName),
    /// `%stack.0`.
    Stack(StackSlot),
    /// `%fixed-stack.0`.
    FixedStack(FixedSlot),
    /// `stack`: where a call's arguments are stored.
    OutgoingArguments,
    /// `constant-pool`.
    ConstantPool,
    /// `jump-table`.
    JumpTable,
    /// `got`: the global offset table.
    Got,
    /// `call-entry @f`: the entry of a function in that table.
    CallEntry(GlobalName),
    /// `call-entry &f`: the same for a symbol that no module declares.
    ExternalCallEntry(Symbol),
    /// `unknown-address`, which stands for no pointer where there is an offset.
    Unknown,
    /// Any other form, as it was read.
    Text(Symbol),
}

const _: () = assert!(size_of::<MemOperand>() <= 40);

impl Function {
    /// True if some access to memory is volatile.
    pub fn has_volatile_accesses(&self) -> bool {
        let mut memory = self.all_insts().flat_map(|inst| &self.inst(inst).memory);
        memory.any(|operand| operand.flags.contains(MemFlags::VOLATILE))
    }
}
