//! The static properties of an opcode, generic or of a target, one bit each.
//!
//! Invariant: a property is a fact about the opcode, and no operand changes it.

use bitflags::bitflags;

bitflags! {
    /// Static properties of an opcode, generic or of a target.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct OpcodeFlags: u16 {
        /// The first two uses may be exchanged.
        const COMMUTABLE = 1 << 0;
        /// It reads memory.
        const LOAD = 1 << 1;
        /// It writes memory.
        const STORE = 1 << 2;
        /// It does more than define its results: it stays even if nothing reads them.
        const SIDE_EFFECTS = 1 << 3;
        /// It ends a block; nothing but terminators follows it there.
        const TERMINATOR = 1 << 4;
        /// Control never falls through.
        const BARRIER = 1 << 5;
        /// It branches to a block that it names.
        const BRANCH = 1 << 6;
        /// Its destination is a value.
        const INDIRECT = 1 << 7;
        /// Threads must come to it together.
        const CONVERGENT = 1 << 8;
        /// It leaves the function.
        const RETURN = 1 << 9;
        /// It calls a function.
        const CALL = 1 << 10;
        /// It has a meaning here: in the semantics, or, for branches and PHIs, in the walk through a function.
        const DEFINED = 1 << 11;
        /// Legalization writes it to join values of different sizes, and combines it away between legal instructions.
        /// Of a target's: it joins registers of different sizes, and LLVM gives its result any class of the size.
        const ARTIFACT = 1 << 12;
        /// It computes nothing: its result is its first operand.
        const HINT = 1 << 13;
        /// Of numbers of floating point it reads the bits alone: it neither rounds nor raises a flag.
        const BITWISE = 1 << 14;
    }
}

impl OpcodeFlags {
    /// True for an instruction that ends a block and leads nowhere. LLVM's traps are no terminators: others follow
    /// them.
    pub fn is_trap(self) -> bool {
        let leads = OpcodeFlags::BRANCH.union(OpcodeFlags::RETURN).union(OpcodeFlags::CALL);
        self.contains(OpcodeFlags::BARRIER) && !self.intersects(leads)
    }

    /// True if a reader of text takes the block after this instruction for a successor, where none is listed.
    pub fn seems_to_fall_through(self) -> bool {
        !self.contains(OpcodeFlags::BARRIER) || self.is_trap()
    }
}
