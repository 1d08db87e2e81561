//! The opcodes: LLVM 22's 270 generic ones, the few target-independent ones that real input carries, and RISC-V's
//! word-sized generics. One row holds every static fact about an opcode. The enum, the names, the operand shapes and
//! every list of opcodes elsewhere are derived from it.
//!
//! Rows stand under their family, the simplest of a family first (a reducer prefers it). A row reads
//!
//! ```text
//! NAME: [defs] <- [uses] {properties} flags(..) types(..) imm(..) mem(count, size) ub(..) poison(..);
//! ```
//!
//! and omits the parts that do not apply. Of a register the digit is the type index and the letter the class: `T` any
//! type, `N` number, `F` number that is read as floating point, `P` pointer, `A` one address, `S` one scalar or
//! pointer, `I` one scalar, `V` vector, `X` one scalar of a pointer's width. `MORE` repeats the operand before it (of
//! `G_PHI`: register and block pairs). `flags` are those that the instruction may carry. `types` relates the type
//! indices ([`TypeRule`]), `imm` bounds each immediate ([`Immediate`]), `mem` lists the required memory operands
//! ([`AccessSize`]). `ub` says when executing it is undefined behaviour ([`Undefined`]), `poison` when its result is
//! poison although no operand is ([`Poison`]).
//!
//! Invariant: a fact that a row can state stands nowhere else. `backend/ir/tests/opcodes.rs` cross-checks rows and
//! semantics. Sources: GenericOpcodes.td and RISCVInstrGISel.td of LLVM 22, its MachineVerifier, its LangRef.

mod facts;
mod flags;
mod row;

pub use facts::{AccessSize, Accesses, Immediate, IndexTypes, OperandKind, Poison, TypeClass, TypeRule, Undefined};
pub use flags::OpcodeFlags;
pub use row::{OpcodeInfo, TypeSource};

use crate::inst::InstFlags;
use row::{accesses, type_sources};
use std::fmt;

/// An opcode of the target whose [`crate::Vocabulary`] numbers it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TargetOpcode(pub u16);

macro_rules! opcodes {
    ($($(#[$doc:meta])* $family:ident {$(
        $name:ident: [$($def:ident),*] <- [$($used:ident),*]
        $({$($flag:ident),*})?
        $(flags($($inst_flag:ident),*))?
        $(types($($rule:expr),*))?
        $(imm($($immediate:expr),*))?
        $(mem($count:literal, $size:ident))?
        $(ub($($undefined:ident),*))?
        $(poison($($poison:ident),*))?
    ;)*})*) => {
        /// The family of an opcode: the headings of the table.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum Family {
            $($(#[$doc])* $family,)*
        }

        impl Family {
            /// All families, in table order.
            pub const ALL: &'static [Family] = &[$(Family::$family),*];

            /// Its opcodes, in table order.
            pub const fn opcodes(self) -> &'static [Opcode] {
                match self {
                    $(Family::$family => &[$(Opcode::$name),*],)*
                }
            }
        }

        /// Every target-independent opcode, and a target's own.
        #[allow(non_camel_case_types, reason = "an opcode is called what LLVM calls it")]
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum Opcode {
            $($(
                #[doc = concat!("LLVM's `", stringify!($name), "`.")]
                $name,
            )*)*
            /// An instruction of a target.
            Target(TargetOpcode),
        }

        #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "an opcode is called what LLVM calls it")]
        enum Number {
            $($($name,)*)*
        }

        impl Opcode {
            /// All target-independent opcodes, in table order.
            pub const ALL: &'static [Opcode] = &[$($(Opcode::$name),*),*];

            /// The row; `None` for a target's opcode.
            pub fn info(self) -> Option<&'static OpcodeInfo> {
                #[allow(unused_imports, reason = "not every row has an immediate or a rule")]
                use {Immediate::*, TypeRule::*};
                match self {
                    $($(Opcode::$name => {
                        static INFO: OpcodeInfo = OpcodeInfo {
                            name: stringify!($name),
                            family: Family::$family,
                            defs: &[$(OperandKind::$def),*],
                            uses: &[$(OperandKind::$used),*],
                            flags: OpcodeFlags::empty()$($(.union(OpcodeFlags::$flag))*)?,
                            inst_flags: InstFlags::empty()$($(.union(InstFlags::$inst_flag))*)?,
                            rules: &[$($($rule),*)?],
                            immediates: &[$($($immediate),*)?],
                            accesses: accesses(&[$(Accesses { count: $count, size: AccessSize::$size })?]),
                            undefined: Undefined::empty()$($(.union(Undefined::$undefined))*)?,
                            poison: Poison::empty()$($(.union(Poison::$poison))*)?,
                            number: Number::$name as u16,
                            types: type_sources(&[$(OperandKind::$def),*], &[$(OperandKind::$used),*]),
                        };
                        Some(&INFO)
                    })*)*
                    Opcode::Target(_) => None,
                }
            }

            /// The heading under which the row stands; `None` for a target's opcode.
            pub const fn family(self) -> Option<Family> {
                match self {
                    $($(Opcode::$name)|* => Some(Family::$family),)*
                    Opcode::Target(_) => None,
                }
            }

            /// Place among all opcodes: those of every target in table order, then the target's own.
            pub fn place(self) -> usize {
                match self {
                    $($(Opcode::$name => Number::$name as usize,)*)*
                    Opcode::Target(opcode) => Opcode::ALL.len() + usize::from(opcode.0),
                }
            }

            /// The opcode that LLVM prints as `name`.
            pub fn from_name(name: &str) -> Option<Opcode> {
                match name {
                    $($(stringify!($name) => Some(Opcode::$name),)*)*
                    _ => None,
                }
            }
        }
    };
}

opcodes! {
    /// Target-independent and not generic: they are still there once instructions are selected.
    Machine {
        COPY: [T0] <- [T0] {DEFINED};
        PHI: [T0] <- [MORE];
        IMPLICIT_DEF: [T0] <- [];
        INLINEASM: [] <- [SYMBOL, MORE] {SIDE_EFFECTS};
        CFI_INSTRUCTION: [] <- [CFI] {SIDE_EFFECTS};
        KILL: [] <- [MORE];
        // A table of a jump, for a debugger: no code.
        JUMP_TABLE_DEBUG_INFO: [] <- [MORE];
        LIFETIME_START: [] <- [FRAME];
        LIFETIME_END: [] <- [FRAME];
        // Known by name only: see `opaque.rs`.
        OPAQUE: [MORE] <- [SYMBOL, MORE] {LOAD, STORE, SIDE_EFFECTS};
    }
    /// Sum, difference, product.
    Arithmetic {
        G_ADD: [N0] <- [N0, N0] {DEFINED, COMMUTABLE} flags(NUW, NSW);
        G_SUB: [N0] <- [N0, N0] {DEFINED} flags(NUW, NSW);
        G_MUL: [N0] <- [N0, N0] {DEFINED, COMMUTABLE} flags(NUW, NSW);
    }
    /// Bit by bit.
    Bitwise {
        G_AND: [N0] <- [N0, N0] {DEFINED, COMMUTABLE};
        G_OR: [N0] <- [N0, N0] {DEFINED, COMMUTABLE} flags(DISJOINT);
        G_XOR: [N0] <- [N0, N0] {DEFINED, COMMUTABLE};
    }
    /// The lesser or the greater of two integers.
    Extremum {
        G_SMIN: [N0] <- [N0, N0] {DEFINED, COMMUTABLE};
        G_SMAX: [N0] <- [N0, N0] {DEFINED, COMMUTABLE};
        G_UMIN: [N0] <- [N0, N0] {DEFINED, COMMUTABLE};
        G_UMAX: [N0] <- [N0, N0] {DEFINED, COMMUTABLE};
    }
    /// Arithmetic that stops at the least and the greatest value.
    Saturating {
        G_UADDSAT: [N0] <- [N0, N0] {DEFINED, COMMUTABLE};
        G_SADDSAT: [N0] <- [N0, N0] {DEFINED, COMMUTABLE};
        G_USUBSAT: [N0] <- [N0, N0] {DEFINED};
        G_SSUBSAT: [N0] <- [N0, N0] {DEFINED};
    }
    /// The upper half of a product.
    HighProduct {
        G_UMULH: [N0] <- [N0, N0] {DEFINED, COMMUTABLE};
        G_SMULH: [N0] <- [N0, N0] {DEFINED, COMMUTABLE};
    }
    /// The absolute difference.
    Distance {
        G_ABDS: [N0] <- [N0, N0] {DEFINED, COMMUTABLE};
        G_ABDU: [N0] <- [N0, N0] {DEFINED, COMMUTABLE};
    }
    /// Half the sum, rounded down or up.
    Average {
        G_UAVGFLOOR: [N0] <- [N0, N0] {DEFINED};
        G_UAVGCEIL: [N0] <- [N0, N0] {DEFINED};
        G_SAVGFLOOR: [N0] <- [N0, N0] {DEFINED};
        G_SAVGCEIL: [N0] <- [N0, N0] {DEFINED};
    }
    /// Quotient or remainder.
    Division {
        G_UDIV: [N0] <- [N0, N0] {DEFINED} flags(EXACT) ub(DIVISOR);
        G_SDIV: [N0] <- [N0, N0] {DEFINED} flags(EXACT) ub(DIVISOR, QUOTIENT);
        G_UREM: [N0] <- [N0, N0] {DEFINED} ub(DIVISOR);
        G_SREM: [N0] <- [N0, N0] {DEFINED} ub(DIVISOR, QUOTIENT);
    }
    /// Quotient and remainder.
    DivisionRemainder {
        G_UDIVREM: [N0, N0] <- [N0, N0] {DEFINED} ub(DIVISOR);
        G_SDIVREM: [N0, N0] <- [N0, N0] {DEFINED} ub(DIVISOR, QUOTIENT);
    }
    /// The amount has a type of its own.
    Shift {
        G_SHL: [N0] <- [N0, N1] {DEFINED} flags(NUW, NSW) types(SameLanes(0, 1)) poison(AMOUNT);
        G_LSHR: [N0] <- [N0, N1] {DEFINED} flags(EXACT) types(SameLanes(0, 1)) poison(AMOUNT);
        G_ASHR: [N0] <- [N0, N1] {DEFINED} flags(EXACT) types(SameLanes(0, 1)) poison(AMOUNT);
    }
    /// Shifts to the left that stop at the least and the greatest value.
    SaturatingShift {
        G_USHLSAT: [N0] <- [N0, N1] {DEFINED} types(SameLanes(0, 1)) poison(AMOUNT);
        G_SSHLSAT: [N0] <- [N0, N1] {DEFINED} types(SameLanes(0, 1)) poison(AMOUNT);
    }
    /// The amount counts modulo the width.
    Rotation {
        G_ROTL: [N0] <- [N0, N1] {DEFINED} types(SameLanes(0, 1));
        G_ROTR: [N0] <- [N0, N1] {DEFINED} types(SameLanes(0, 1));
    }
    /// A part of two values one after the other; the amount counts modulo the width.
    Funnel {
        G_FSHL: [N0] <- [N0, N0, N1] {DEFINED} types(SameLanes(0, 1));
        G_FSHR: [N0] <- [N0, N0, N1] {DEFINED} types(SameLanes(0, 1));
    }
    /// A value and whether it wrapped.
    Overflow {
        G_UADDO: [N0, N1] <- [N0, N0] {DEFINED, COMMUTABLE} types(SameLanes(0, 1));
        G_USUBO: [N0, N1] <- [N0, N0] {DEFINED} types(SameLanes(0, 1));
        G_SADDO: [N0, N1] <- [N0, N0] {DEFINED, COMMUTABLE} types(SameLanes(0, 1));
        G_SSUBO: [N0, N1] <- [N0, N0] {DEFINED} types(SameLanes(0, 1));
        G_UMULO: [N0, N1] <- [N0, N0] {DEFINED, COMMUTABLE} types(SameLanes(0, 1));
        G_SMULO: [N0, N1] <- [N0, N0] {DEFINED, COMMUTABLE} types(SameLanes(0, 1));
    }
    /// The same with a carry, borrow or overflow that comes in.
    Carry {
        G_UADDE: [N0, N1] <- [N0, N0, N1] {DEFINED} types(SameLanes(0, 1)) poison(CONDITION);
        G_USUBE: [N0, N1] <- [N0, N0, N1] {DEFINED} types(SameLanes(0, 1)) poison(CONDITION);
        G_SADDE: [N0, N1] <- [N0, N0, N1] {DEFINED} types(SameLanes(0, 1)) poison(CONDITION);
        G_SSUBE: [N0, N1] <- [N0, N0, N1] {DEFINED} types(SameLanes(0, 1)) poison(CONDITION);
    }
    /// Arithmetic on numbers with a binary point.
    FixedPoint {
        G_UMULFIX: [N0] <- [N0, N0, IMM0] {DEFINED, COMMUTABLE} imm(Point(0));
        G_UMULFIXSAT: [N0] <- [N0, N0, IMM0] {DEFINED, COMMUTABLE} imm(Point(0));
        G_SMULFIX: [N0] <- [N0, N0, IMM0] {DEFINED, COMMUTABLE} imm(SignedPoint(0));
        G_SMULFIXSAT: [N0] <- [N0, N0, IMM0] {DEFINED, COMMUTABLE} imm(SignedPoint(0));
        G_UDIVFIX: [N0] <- [N0, N0, IMM0] imm(Point(0)) ub(DIVISOR);
        G_UDIVFIXSAT: [N0] <- [N0, N0, IMM0] imm(Point(0)) ub(DIVISOR);
        G_SDIVFIX: [N0] <- [N0, N0, IMM0] imm(SignedPoint(0)) ub(DIVISOR);
        G_SDIVFIXSAT: [N0] <- [N0, N0, IMM0] imm(SignedPoint(0)) ub(DIVISOR);
    }
    /// The number of zeros at one end.
    ZeroCount {
        G_CTLZ: [N0] <- [N1] {DEFINED} types(SameLanes(0, 1));
        G_CTTZ: [N0] <- [N1] {DEFINED} types(SameLanes(0, 1));
        G_CTLZ_ZERO_UNDEF: [N0] <- [N1] {DEFINED} types(SameLanes(0, 1)) poison(ZERO);
        G_CTTZ_ZERO_UNDEF: [N0] <- [N1] {DEFINED} types(SameLanes(0, 1)) poison(ZERO);
    }
    /// The number of bits set.
    Population {
        G_CTPOP: [N0] <- [N1] {DEFINED} types(SameLanes(0, 1));
    }
    /// The value without its sign.
    Absolute {
        G_ABS: [N0] <- [N0] {DEFINED};
    }
    /// The same bits or bytes in another order.
    Permutation {
        G_BITREVERSE: [N0] <- [N0] {DEFINED};
        G_BSWAP: [N0] <- [N0] {DEFINED} types(Multiple(0, 16));
    }
    /// The value, which is no longer poison or no longer known.
    Freeze {
        G_FREEZE: [T0] <- [T0] {DEFINED};
        G_CONSTANT_FOLD_BARRIER: [T0] <- [T0] {DEFINED, HINT};
    }
    /// To more bits.
    Extension {
        G_ZEXT: [N0] <- [N1] {DEFINED, ARTIFACT} flags(NNEG) types(Wider(0, 1), SameLanes(0, 1));
        G_SEXT: [N0] <- [N1] {DEFINED, ARTIFACT} types(Wider(0, 1), SameLanes(0, 1));
        G_ANYEXT: [N0] <- [N1] {DEFINED, ARTIFACT} types(Wider(0, 1), SameLanes(0, 1));
    }
    /// To fewer bits.
    Truncation {
        G_TRUNC: [N0] <- [N1] {DEFINED, ARTIFACT} flags(NUW, NSW) types(Wider(1, 0), SameLanes(0, 1));
        G_TRUNC_SSAT_S: [N0] <- [N1] types(Wider(1, 0), SameLanes(0, 1));
        G_TRUNC_SSAT_U: [N0] <- [N1] types(Wider(1, 0), SameLanes(0, 1));
        G_TRUNC_USAT_U: [N0] <- [N1] types(Wider(1, 0), SameLanes(0, 1));
    }
    /// The low bits extended within the register.
    InRegister {
        G_SEXT_INREG: [N0] <- [N0, IMM0] {DEFINED} types(AtLeast(0, 2)) imm(Narrower(0));
    }
    /// A fact about a value; no code.
    Assertion {
        G_ASSERT_SEXT: [N0] <- [N0, IMM0] {DEFINED, HINT} types(AtLeast(0, 2)) imm(Narrower(0)) poison(PROMISE);
        G_ASSERT_ZEXT: [N0] <- [N0, IMM0] {DEFINED, HINT} types(AtLeast(0, 2)) imm(Narrower(0)) poison(PROMISE);
        G_ASSERT_ALIGN: [T0] <- [T0, IMM0] {DEFINED, HINT} imm(Alignment) poison(PROMISE);
    }
    /// Less, equal or greater: -1, 0 or 1.
    ThreeWay {
        G_SCMP: [N0] <- [N1, N1] {DEFINED} types(AtLeast(0, 2), SameLanes(0, 1));
        G_UCMP: [N0] <- [N1, N1] {DEFINED} types(AtLeast(0, 2), SameLanes(0, 1));
    }
    /// A number of bits from an offset on, extended.
    BitField {
        G_UBFX: [I0] <- [I0, I1, I1] {DEFINED} poison(FIELD);
        G_SBFX: [I0] <- [I0, I1, I1] {DEFINED} poison(FIELD);
    }
    /// A truth value.
    Comparison {
        G_ICMP: [N0] <- [PRED, T1, T1] {DEFINED} flags(SAMESIGN) types(SameLanes(0, 1));
        G_FCMP: [N0] <- [FPRED, F1, F1] {DEFINED} flags(FAST) types(SameLanes(0, 1));
    }
    /// One of two values.
    Selection {
        G_SELECT: [T0] <- [N1, T0, T0] {DEFINED} flags(FAST) types(Masks(1, 0)) poison(CONDITION);
    }
    /// A value that is written down, or none.
    Constant {
        G_CONSTANT: [S0] <- [CONST] {DEFINED};
        G_FCONSTANT: [I0] <- [FCONST] {DEFINED, BITWISE} types(AtLeast(0, 16));
        G_IMPLICIT_DEF: [T0] <- [] {DEFINED};
    }
    /// The place of something.
    Place {
        G_FRAME_INDEX: [A0] <- [FRAME] {DEFINED};
        G_GLOBAL_VALUE: [A0] <- [SYMBOL];
        G_PTRAUTH_GLOBAL_VALUE: [A0] <- [A0, IMM, A1, IMM] imm(Between(0, 3), Between(0, 0xffff));
        G_CONSTANT_POOL: [A0] <- [POOL];
        G_BLOCK_ADDR: [A0] <- [SYMBOL];
        G_JUMP_TABLE: [A0] <- [TABLE];
    }
    /// Between pointers and integers.
    Cast {
        G_INTTOPTR: [P0] <- [N1] {DEFINED} types(SameLanes(0, 1));
        G_PTRTOINT: [N0] <- [P1] {DEFINED} types(SameLanes(0, 1));
        G_BITCAST: [T0] <- [T1] {DEFINED} types(SameSize(0, 1), Recast(0, 1));
        G_ADDRSPACE_CAST: [P0] <- [P1] types(Recast(0, 1), SameLanes(0, 1));
    }
    /// Arithmetic on addresses.
    Pointer {
        G_PTR_ADD: [P0] <- [P0, N1] {DEFINED} flags(NUW, NUSW, INBOUNDS) types(SameSize(0, 1), SameLanes(0, 1));
        G_PTRMASK: [P0] <- [P0, N1] {DEFINED} types(SameSize(0, 1), SameLanes(0, 1));
    }
    /// A whole of parts, low part first, and parts of a whole.
    Composition {
        G_MERGE_VALUES: [S0] <- [S1, MORE] {DEFINED, ARTIFACT} types(Parts(0, 1));
        G_UNMERGE_VALUES: [T0, MORE] <- [T1] {DEFINED, ARTIFACT} types(Parts(1, 0), Slices(1, 0));
        G_EXTRACT: [T0] <- [T1, IMM0] {DEFINED, ARTIFACT} types(Larger(1, 0)) imm(Offset(1, 0));
        G_INSERT: [T0] <- [T0, T1, IMM0] {DEFINED, ARTIFACT} types(Larger(0, 1)) imm(Offset(0, 1));
    }
    /// From memory to a register.
    Load {
        G_LOAD: [T0] <- [A1] {DEFINED, LOAD} mem(1, Within) ub(ADDRESS) poison(MEMORY);
        G_ZEXTLOAD: [N0] <- [A1] {DEFINED, LOAD} types(AtLeast(0, 2)) mem(1, Below) ub(ADDRESS) poison(MEMORY);
        G_SEXTLOAD: [N0] <- [A1] {DEFINED, LOAD} types(AtLeast(0, 2)) mem(1, Below) ub(ADDRESS) poison(MEMORY);
    }
    /// From a register to memory.
    Store {
        G_STORE: [] <- [T0, A1] {DEFINED, STORE} mem(1, Within) ub(ADDRESS);
    }
    /// Loads and stores that step their address; the immediate says whether before.
    Indexed {
        G_INDEXED_LOAD: [T0, A1] <- [A1, I2, IMM] {DEFINED, LOAD} imm(Flag) mem(1, Within) ub(ADDRESS) poison(MEMORY);
        G_INDEXED_SEXTLOAD: [N0, A1] <- [A1, I2, IMM] {DEFINED, LOAD} types(AtLeast(0, 2)) imm(Flag) mem(1, Below)
            ub(ADDRESS) poison(MEMORY);
        G_INDEXED_ZEXTLOAD: [N0, A1] <- [A1, I2, IMM] {DEFINED, LOAD} types(AtLeast(0, 2)) imm(Flag) mem(1, Below)
            ub(ADDRESS) poison(MEMORY);
        G_INDEXED_STORE: [A0] <- [T1, A0, T2, IMM] {DEFINED, STORE} imm(Flag) mem(1, Within) ub(ADDRESS);
    }
    /// On ranges of bytes; the immediate says whether it may be a tail call.
    MemoryFunction {
        G_MEMCPY: [] <- [A0, A1, I2, IMM0] {LOAD, STORE} imm(Flag) mem(2, Any) ub(ADDRESS);
        G_MEMCPY_INLINE: [] <- [A0, A1, I2] {LOAD, STORE} mem(2, Any) ub(ADDRESS);
        G_MEMMOVE: [] <- [A0, A1, I2, IMM0] {LOAD, STORE} imm(Flag) mem(2, Any) ub(ADDRESS);
        G_MEMSET: [] <- [A0, I1, I2, IMM0] {STORE} imm(Flag) mem(1, Any) ub(ADDRESS);
        G_BZERO: [] <- [A0, I1, IMM0] {STORE} imm(Flag) mem(1, Any) ub(ADDRESS);
    }
    /// Read or write (0, 1), locality (0 to 3), instruction or data (0, 1).
    Prefetch {
        G_PREFETCH: [] <- [A0, IMM, IMM, IMM] {DEFINED, LOAD, STORE, SIDE_EFFECTS} imm(Flag, Between(0, 3), Flag) mem(1, Any);
    }
    /// Read, change and write in one; the orderings of a fence are those of LLVM's `AtomicOrdering`.
    Atomic {
        G_ATOMIC_CMPXCHG_WITH_SUCCESS: [S0, I1] <- [A2, S0, S0] {DEFINED, LOAD, STORE} mem(1, Within)
            ub(ADDRESS) poison(MEMORY);
        G_ATOMIC_CMPXCHG: [S0] <- [A1, S0, S0] {DEFINED, LOAD, STORE} mem(1, Within) ub(ADDRESS) poison(MEMORY);
        G_ATOMICRMW_XCHG: [S0] <- [A1, S0] {DEFINED, LOAD, STORE} mem(1, Within) ub(ADDRESS) poison(MEMORY);
        G_ATOMICRMW_ADD: [I0] <- [A1, I0] {DEFINED, LOAD, STORE} mem(1, Within) ub(ADDRESS) poison(MEMORY);
        G_ATOMICRMW_SUB: [I0] <- [A1, I0] {DEFINED, LOAD, STORE} mem(1, Within) ub(ADDRESS) poison(MEMORY);
        G_ATOMICRMW_AND: [I0] <- [A1, I0] {DEFINED, LOAD, STORE} mem(1, Within) ub(ADDRESS) poison(MEMORY);
        G_ATOMICRMW_NAND: [I0] <- [A1, I0] {DEFINED, LOAD, STORE} mem(1, Within) ub(ADDRESS) poison(MEMORY);
        G_ATOMICRMW_OR: [I0] <- [A1, I0] {DEFINED, LOAD, STORE} mem(1, Within) ub(ADDRESS) poison(MEMORY);
        G_ATOMICRMW_XOR: [I0] <- [A1, I0] {DEFINED, LOAD, STORE} mem(1, Within) ub(ADDRESS) poison(MEMORY);
        G_ATOMICRMW_MAX: [I0] <- [A1, I0] {DEFINED, LOAD, STORE} mem(1, Within) ub(ADDRESS) poison(MEMORY);
        G_ATOMICRMW_MIN: [I0] <- [A1, I0] {DEFINED, LOAD, STORE} mem(1, Within) ub(ADDRESS) poison(MEMORY);
        G_ATOMICRMW_UMAX: [I0] <- [A1, I0] {DEFINED, LOAD, STORE} mem(1, Within) ub(ADDRESS) poison(MEMORY);
        G_ATOMICRMW_UMIN: [I0] <- [A1, I0] {DEFINED, LOAD, STORE} mem(1, Within) ub(ADDRESS) poison(MEMORY);
        G_ATOMICRMW_FADD: [N0] <- [A1, N0] {LOAD, STORE} mem(1, Within) ub(ADDRESS) poison(MEMORY);
        G_ATOMICRMW_FSUB: [N0] <- [A1, N0] {LOAD, STORE} mem(1, Within) ub(ADDRESS) poison(MEMORY);
        G_ATOMICRMW_FMAX: [N0] <- [A1, N0] {LOAD, STORE} mem(1, Within) ub(ADDRESS) poison(MEMORY);
        G_ATOMICRMW_FMIN: [N0] <- [A1, N0] {LOAD, STORE} mem(1, Within) ub(ADDRESS) poison(MEMORY);
        G_ATOMICRMW_FMAXIMUM: [N0] <- [A1, N0] {LOAD, STORE} mem(1, Within) ub(ADDRESS) poison(MEMORY);
        G_ATOMICRMW_FMINIMUM: [N0] <- [A1, N0] {LOAD, STORE} mem(1, Within) ub(ADDRESS) poison(MEMORY);
        G_ATOMICRMW_UINC_WRAP: [I0] <- [A1, I0] {DEFINED, LOAD, STORE} mem(1, Within) ub(ADDRESS) poison(MEMORY);
        G_ATOMICRMW_UDEC_WRAP: [I0] <- [A1, I0] {DEFINED, LOAD, STORE} mem(1, Within) ub(ADDRESS) poison(MEMORY);
        G_ATOMICRMW_USUB_COND: [I0] <- [A1, I0] {DEFINED, LOAD, STORE} mem(1, Within) ub(ADDRESS) poison(MEMORY);
        G_ATOMICRMW_USUB_SAT: [I0] <- [A1, I0] {DEFINED, LOAD, STORE} mem(1, Within) ub(ADDRESS) poison(MEMORY);
        G_FENCE: [] <- [IMM, IMM] {DEFINED, SIDE_EFFECTS} imm(Between(4, 7), Between(0, 1));
    }
    /// Control flow. The walk through a function defines PHIs and branches.
    Control {
        G_PHI: [T0] <- [MORE] {DEFINED} flags(FAST);
        G_BR: [] <- [BLOCK] {DEFINED, TERMINATOR, BARRIER, BRANCH};
        G_BRCOND: [] <- [I0, BLOCK] {DEFINED, TERMINATOR, BRANCH} ub(CONDITION);
        G_BRINDIRECT: [] <- [A0] {TERMINATOR, BARRIER, BRANCH, INDIRECT} ub(POISON);
        G_BRJT: [] <- [A0, TABLE, I1] {TERMINATOR, BARRIER, BRANCH, INDIRECT} ub(POISON);
        G_INVOKE_REGION_START: [] <- [] {TERMINATOR};
    }
    /// The end of a program.
    Trap {
        G_TRAP: [] <- [] {STORE, SIDE_EFFECTS};
        G_DEBUGTRAP: [] <- [] {SIDE_EFFECTS};
        G_UBSANTRAP: [] <- [IMM] {SIDE_EFFECTS} imm(Between(0, 255));
    }
    /// Floating-point arithmetic.
    Float {
        G_FADD: [F0] <- [F0, F0] {DEFINED, COMMUTABLE} flags(FAST);
        G_FSUB: [F0] <- [F0, F0] {DEFINED} flags(FAST);
        G_FMUL: [F0] <- [F0, F0] {DEFINED, COMMUTABLE} flags(FAST);
        G_FDIV: [F0] <- [F0, F0] {DEFINED} flags(FAST);
        G_FREM: [F0] <- [F0, F0] {DEFINED} flags(FAST);
        G_FMA: [F0] <- [F0, F0, F0] {DEFINED} flags(FAST);
        G_FMAD: [F0] <- [F0, F0, F0] {DEFINED} flags(FAST);
        G_FNEG: [F0] <- [F0] {DEFINED, BITWISE} flags(FAST);
        G_FABS: [F0] <- [F0] {DEFINED, BITWISE} flags(FAST);
        G_FCOPYSIGN: [F0] <- [F0, F1] {DEFINED, BITWISE} flags(FAST) types(SameLanes(0, 1));
        G_FCANONICALIZE: [F0] <- [F0] {DEFINED} flags(FAST);
        G_FSQRT: [F0] <- [F0] {DEFINED} flags(FAST);
        G_FMINNUM: [F0] <- [F0, F0] {DEFINED, COMMUTABLE} flags(FAST);
        G_FMAXNUM: [F0] <- [F0, F0] {DEFINED, COMMUTABLE} flags(FAST);
        G_FMINNUM_IEEE: [F0] <- [F0, F0] {DEFINED, COMMUTABLE} flags(FAST);
        G_FMAXNUM_IEEE: [F0] <- [F0, F0] {DEFINED, COMMUTABLE} flags(FAST);
        G_FMINIMUM: [F0] <- [F0, F0] {DEFINED, COMMUTABLE} flags(FAST);
        G_FMAXIMUM: [F0] <- [F0, F0] {DEFINED, COMMUTABLE} flags(FAST);
        G_FMINIMUMNUM: [F0] <- [F0, F0] {DEFINED, COMMUTABLE} flags(FAST);
        G_FMAXIMUMNUM: [F0] <- [F0, F0] {DEFINED, COMMUTABLE} flags(FAST);
        G_IS_FPCLASS: [N0] <- [F1, IMM] {DEFINED, BITWISE} types(SameLanes(0, 1)) imm(Between(0, 0x3ff));
    }
    /// Elementary functions.
    FloatFunction {
        G_FMODF: [F0, F0] <- [F0] {DEFINED} flags(FAST);
        G_FPOW: [F0] <- [F0, F0] {DEFINED} flags(FAST);
        G_FPOWI: [F0] <- [F0, I1] {DEFINED} flags(FAST);
        G_FEXP: [F0] <- [F0] {DEFINED} flags(FAST);
        G_FEXP2: [F0] <- [F0] {DEFINED} flags(FAST);
        G_FEXP10: [F0] <- [F0] {DEFINED} flags(FAST);
        G_FLOG: [F0] <- [F0] {DEFINED} flags(FAST);
        G_FLOG2: [F0] <- [F0] {DEFINED} flags(FAST);
        G_FLOG10: [F0] <- [F0] {DEFINED} flags(FAST);
        G_FLDEXP: [F0] <- [F0, N1] {DEFINED} flags(FAST) types(SameLanes(0, 1));
        G_FFREXP: [F0, N1] <- [F0] {DEFINED} flags(FAST) types(SameLanes(0, 1));
        G_FCOS: [F0] <- [F0] {DEFINED} flags(FAST);
        G_FSIN: [F0] <- [F0] {DEFINED} flags(FAST);
        G_FSINCOS: [F0, F0] <- [F0] {DEFINED} flags(FAST);
        G_FTAN: [F0] <- [F0] {DEFINED} flags(FAST);
        G_FACOS: [F0] <- [F0] {DEFINED} flags(FAST);
        G_FASIN: [F0] <- [F0] {DEFINED} flags(FAST);
        G_FATAN: [F0] <- [F0] {DEFINED} flags(FAST);
        G_FATAN2: [F0] <- [F0, F0] {DEFINED} flags(FAST);
        G_FCOSH: [F0] <- [F0] {DEFINED} flags(FAST);
        G_FSINH: [F0] <- [F0] {DEFINED} flags(FAST);
        G_FTANH: [F0] <- [F0] {DEFINED} flags(FAST);
    }
    /// To an integral value.
    FloatRounding {
        G_FCEIL: [F0] <- [F0] {DEFINED} flags(FAST);
        G_FFLOOR: [F0] <- [F0] {DEFINED} flags(FAST);
        G_FRINT: [F0] <- [F0] {DEFINED} flags(FAST);
        G_FNEARBYINT: [F0] <- [F0] {DEFINED} flags(FAST);
        G_INTRINSIC_TRUNC: [F0] <- [F0] {DEFINED} flags(FAST);
        G_INTRINSIC_ROUND: [F0] <- [F0] {DEFINED} flags(FAST);
        G_INTRINSIC_ROUNDEVEN: [F0] <- [F0] {DEFINED} flags(FAST);
        G_INTRINSIC_LRINT: [N0] <- [F1] {DEFINED} types(SameLanes(0, 1));
        G_INTRINSIC_LLRINT: [N0] <- [F1] {DEFINED} types(SameLanes(0, 1));
        G_LROUND: [N0] <- [F1] {DEFINED} types(SameLanes(0, 1));
        G_LLROUND: [N0] <- [F1] {DEFINED} types(SameLanes(0, 1));
        G_INTRINSIC_FPTRUNC_ROUND: [F0] <- [F1, IMM] flags(FAST) types(SameLanes(0, 1));
    }
    /// Between formats, and between them and integers.
    FloatConversion {
        G_FPEXT: [F0] <- [F1] {DEFINED} flags(FAST) types(Wider(0, 1), SameLanes(0, 1));
        G_FPTRUNC: [F0] <- [F1] {DEFINED} flags(FAST) types(Wider(1, 0), SameLanes(0, 1));
        G_FPTOSI: [N0] <- [F1] {DEFINED} types(SameLanes(0, 1)) poison(RANGE);
        G_FPTOUI: [N0] <- [F1] {DEFINED} types(SameLanes(0, 1)) poison(RANGE);
        G_SITOFP: [F0] <- [N1] {DEFINED} types(SameLanes(0, 1));
        G_UITOFP: [F0] <- [N1] {DEFINED} flags(NNEG) types(SameLanes(0, 1));
        G_FPTOSI_SAT: [N0] <- [F1] {DEFINED} types(SameLanes(0, 1));
        G_FPTOUI_SAT: [N0] <- [F1] {DEFINED} types(SameLanes(0, 1));
    }
    /// Floating-point arithmetic that reads and writes the floating-point environment.
    StrictFloat {
        G_STRICT_FADD: [F0] <- [F0, F0] {DEFINED, COMMUTABLE, SIDE_EFFECTS} flags(FAST, NOFPEXCEPT);
        G_STRICT_FSUB: [F0] <- [F0, F0] {DEFINED, SIDE_EFFECTS} flags(FAST, NOFPEXCEPT);
        G_STRICT_FMUL: [F0] <- [F0, F0] {DEFINED, COMMUTABLE, SIDE_EFFECTS} flags(FAST, NOFPEXCEPT);
        G_STRICT_FDIV: [F0] <- [F0, F0] {DEFINED, SIDE_EFFECTS} flags(FAST, NOFPEXCEPT);
        G_STRICT_FREM: [F0] <- [F0, F0] {DEFINED, SIDE_EFFECTS} flags(FAST, NOFPEXCEPT);
        G_STRICT_FMA: [F0] <- [F0, F0, F0] {DEFINED, SIDE_EFFECTS} flags(FAST, NOFPEXCEPT);
        G_STRICT_FSQRT: [F0] <- [F0] {DEFINED, SIDE_EFFECTS} flags(FAST, NOFPEXCEPT);
        G_STRICT_FLDEXP: [F0] <- [F0, N1] {DEFINED, SIDE_EFFECTS} flags(FAST, NOFPEXCEPT) types(SameLanes(0, 1));
    }
    /// The floating-point environment itself.
    FloatEnvironment {
        G_GET_FPENV: [I0] <- [] {DEFINED, SIDE_EFFECTS} types(AtLeast(0, 8));
        G_SET_FPENV: [] <- [I0] {DEFINED, SIDE_EFFECTS} types(AtLeast(0, 8));
        G_RESET_FPENV: [] <- [] {DEFINED, SIDE_EFFECTS};
        G_GET_FPMODE: [I0] <- [] {DEFINED, SIDE_EFFECTS} types(AtLeast(0, 3));
        G_SET_FPMODE: [] <- [I0] {DEFINED, SIDE_EFFECTS} types(AtLeast(0, 3));
        G_RESET_FPMODE: [] <- [] {DEFINED, SIDE_EFFECTS};
        G_GET_ROUNDING: [I0] <- [] {DEFINED, SIDE_EFFECTS} types(AtLeast(0, 3));
        G_SET_ROUNDING: [] <- [I0] {DEFINED, SIDE_EFFECTS} types(AtLeast(0, 3));
    }
    /// Elements and vectors.
    Vector {
        G_BUILD_VECTOR: [V0] <- [S1, MORE] {DEFINED, ARTIFACT} types(Parts(0, 1), SameElement(0, 1));
        G_BUILD_VECTOR_TRUNC: [V0] <- [I1, MORE] {DEFINED} types(Wider(1, 0), Elements(0));
        G_CONCAT_VECTORS: [V0] <- [V1, V1, MORE] {DEFINED} types(Parts(0, 1), SameElement(0, 1));
        G_INSERT_VECTOR_ELT: [V0] <- [V0, S1, X2] {DEFINED} types(Promotes(1, 0)) poison(INDEX);
        G_EXTRACT_VECTOR_ELT: [S0] <- [V1, X2] {DEFINED} types(SameElement(0, 1)) poison(INDEX);
        G_SHUFFLE_VECTOR: [V0] <- [V1, V1, MASK] {DEFINED} types(SameElement(0, 1), Fixed(0), Fixed(1));
        G_INSERT_SUBVECTOR: [V0] <- [V0, V1, IMM0] types(SameElement(0, 1), Holds(0, 1)) imm(Subvector(0, 1));
        G_EXTRACT_SUBVECTOR: [V0] <- [V1, IMM0] types(SameElement(0, 1), Holds(1, 0)) imm(Subvector(1, 0));
        G_SPLAT_VECTOR: [V0] <- [S1] types(Scalable(0), Promotes(1, 0));
        G_STEP_VECTOR: [N0] <- [CONST] types(Scalable(0), AtLeast(0, 2)) imm(Between(1, i64::MAX));
        G_VSCALE: [I0] <- [CONST] imm(NonZero);
        G_VECTOR_COMPRESS: [V0] <- [V0, V1, V0] types(SameLanes(0, 1));
    }
    /// One element of all elements of a vector.
    Reduction {
        G_VECREDUCE_SEQ_FADD: [F0] <- [F1, F2] {DEFINED} flags(FAST) types(ElementOf(0, 2), ElementOf(1, 2));
        G_VECREDUCE_SEQ_FMUL: [F0] <- [F1, F2] {DEFINED} flags(FAST) types(ElementOf(0, 2), ElementOf(1, 2));
        G_VECREDUCE_FADD: [F0] <- [F1] {DEFINED} flags(FAST) types(ElementOf(0, 1));
        G_VECREDUCE_FMUL: [F0] <- [F1] {DEFINED} flags(FAST) types(ElementOf(0, 1));
        G_VECREDUCE_FMAX: [F0] <- [F1] {DEFINED} flags(FAST) types(ElementOf(0, 1));
        G_VECREDUCE_FMIN: [F0] <- [F1] {DEFINED} flags(FAST) types(ElementOf(0, 1));
        G_VECREDUCE_FMAXIMUM: [F0] <- [F1] {DEFINED} flags(FAST) types(ElementOf(0, 1));
        G_VECREDUCE_FMINIMUM: [F0] <- [F1] {DEFINED} flags(FAST) types(ElementOf(0, 1));
        G_VECREDUCE_ADD: [I0] <- [V1] {DEFINED} types(Promotes(0, 1));
        G_VECREDUCE_MUL: [I0] <- [V1] {DEFINED} types(Promotes(0, 1));
        G_VECREDUCE_AND: [I0] <- [V1] {DEFINED} types(Promotes(0, 1));
        G_VECREDUCE_OR: [I0] <- [V1] {DEFINED} types(Promotes(0, 1));
        G_VECREDUCE_XOR: [I0] <- [V1] {DEFINED} types(Promotes(0, 1));
        G_VECREDUCE_SMAX: [I0] <- [V1] {DEFINED} types(Promotes(0, 1));
        G_VECREDUCE_SMIN: [I0] <- [V1] {DEFINED} types(Promotes(0, 1));
        G_VECREDUCE_UMAX: [I0] <- [V1] {DEFINED} types(Promotes(0, 1));
        G_VECREDUCE_UMIN: [I0] <- [V1] {DEFINED} types(Promotes(0, 1));
    }
    /// Functions of a target; the intrinsic fixes the operands, and the row does not.
    Intrinsic {
        G_INTRINSIC: [] <- [SYMBOL, MORE] flags(FAST);
        G_INTRINSIC_W_SIDE_EFFECTS: [] <- [SYMBOL, MORE] {LOAD, STORE, SIDE_EFFECTS} flags(FAST);
        G_INTRINSIC_CONVERGENT: [] <- [SYMBOL, MORE] {CONVERGENT} flags(FAST);
        G_INTRINSIC_CONVERGENT_W_SIDE_EFFECTS: [] <- [SYMBOL, MORE] {LOAD, STORE, CONVERGENT, SIDE_EFFECTS} flags(FAST);
    }
    /// Variable arguments, the stack, registers by name, counters.
    Environment {
        G_VASTART: [] <- [A0] {STORE} mem(1, Any) ub(ADDRESS);
        G_VAARG: [T0] <- [A1, IMM] {LOAD, STORE} imm(Alignment) ub(ADDRESS);
        G_DYN_STACKALLOC: [A0] <- [I1, IMM] {SIDE_EFFECTS} imm(Alignment);
        G_STACKSAVE: [A0] <- [] {SIDE_EFFECTS};
        G_STACKRESTORE: [] <- [A0] {SIDE_EFFECTS};
        G_READ_REGISTER: [T0] <- [SYMBOL] {CONVERGENT, SIDE_EFFECTS};
        G_WRITE_REGISTER: [] <- [SYMBOL, T0] {CONVERGENT, SIDE_EFFECTS};
        G_READCYCLECOUNTER: [I0] <- [] {SIDE_EFFECTS};
        G_READSTEADYCOUNTER: [I0] <- [] {SIDE_EFFECTS};
    }
    /// RISC-V: the low 32 bits are computed, and their sign extended. Only its legalizer writes them.
    Word {
        G_SLLW: [I0] <- [I0, I0] {DEFINED} flags(NUW, NSW) types(AtLeast(0, 32));
        G_SRLW: [I0] <- [I0, I0] {DEFINED} flags(EXACT) types(AtLeast(0, 32));
        G_SRAW: [I0] <- [I0, I0] {DEFINED} flags(EXACT) types(AtLeast(0, 32));
        G_DIVW: [I0] <- [I0, I0] {DEFINED} flags(EXACT) types(AtLeast(0, 32));
        G_DIVUW: [I0] <- [I0, I0] {DEFINED} flags(EXACT) types(AtLeast(0, 32));
        G_REMUW: [I0] <- [I0, I0] {DEFINED} types(AtLeast(0, 32));
        G_ROLW: [I0] <- [I0, I0];
        G_RORW: [I0] <- [I0, I0];
        G_CLZW: [I0] <- [I0];
        G_CTZW: [I0] <- [I0];
    }
}

impl Opcode {
    /// The static properties; none for a target's opcode, whose [`crate::Vocabulary`] has them.
    fn flags(self) -> OpcodeFlags {
        self.info().map_or(OpcodeFlags::empty(), |info| info.flags)
    }

    /// True for opcodes that must be gone after instruction selection.
    pub fn is_generic(self) -> bool {
        !matches!(self.family(), None | Some(Family::Machine))
    }

    /// True for the joins of values from several predecessors, before selection and after.
    pub fn is_phi(self) -> bool {
        matches!(self, Opcode::G_PHI | Opcode::PHI)
    }

    /// Hints that compute nothing: their result is their first operand.
    pub fn is_hint(self) -> bool {
        self.flags().contains(OpcodeFlags::HINT)
    }

    /// Legalization artifacts: extensions, truncations and (de)composition, which combine away between legal code.
    pub fn is_artifact(self) -> bool {
        self.flags().contains(OpcodeFlags::ARTIFACT)
    }

    /// True if the semantics, or for branches and PHIs the walk through a function, give it a meaning.
    pub fn is_defined(self) -> bool {
        self.flags().contains(OpcodeFlags::DEFINED)
    }

    /// True for a promise about a value, which is its result.
    pub fn is_assertion(self) -> bool {
        matches!(self, Opcode::G_ASSERT_SEXT | Opcode::G_ASSERT_ZEXT | Opcode::G_ASSERT_ALIGN)
    }

    /// True for an operation whose result is a truth value.
    pub fn is_comparison(self) -> bool {
        matches!(self, Opcode::G_ICMP | Opcode::G_FCMP | Opcode::G_IS_FPCLASS)
    }

    /// True if an operand is read or written as floating point.
    pub fn is_float(self) -> bool {
        self.info().is_some_and(OpcodeInfo::is_float)
    }

    /// True if it rounds to nearest, whatever the environment of floating point says, and may raise its flags: no
    /// strict function has it.
    pub fn assumes_environment(self) -> bool {
        let is_bitwise = self.info().is_some_and(|info| info.flags.contains(OpcodeFlags::BITWISE));
        self.is_float() && !is_bitwise && !self.sees_environment()
    }

    /// The operation that computes the same and sees the environment of floating point, if there is one.
    pub fn strict(self) -> Option<Opcode> {
        let name = self.info()?.name.strip_prefix("G_")?;
        Opcode::from_name(&format!("G_STRICT_{name}"))
    }

    /// The operation of the default environment that a strict one is there; any other itself.
    pub fn in_default_environment(self) -> Opcode {
        let name = self.info().and_then(|info| info.name.strip_prefix("G_STRICT_"));
        name.and_then(|name| Opcode::from_name(&format!("G_{name}"))).unwrap_or(self)
    }

    /// True if it reads or writes the environment of floating point.
    pub fn sees_environment(self) -> bool {
        matches!(self.family(), Some(Family::StrictFloat | Family::FloatEnvironment))
    }

    /// The operation by which a reduction takes the elements together.
    pub fn reduced_by(self) -> Option<Opcode> {
        Some(match self {
            Opcode::G_VECREDUCE_ADD => Opcode::G_ADD,
            Opcode::G_VECREDUCE_MUL => Opcode::G_MUL,
            Opcode::G_VECREDUCE_AND => Opcode::G_AND,
            Opcode::G_VECREDUCE_OR => Opcode::G_OR,
            Opcode::G_VECREDUCE_XOR => Opcode::G_XOR,
            Opcode::G_VECREDUCE_SMAX => Opcode::G_SMAX,
            Opcode::G_VECREDUCE_SMIN => Opcode::G_SMIN,
            Opcode::G_VECREDUCE_UMAX => Opcode::G_UMAX,
            Opcode::G_VECREDUCE_UMIN => Opcode::G_UMIN,
            Opcode::G_VECREDUCE_FADD | Opcode::G_VECREDUCE_SEQ_FADD => Opcode::G_FADD,
            Opcode::G_VECREDUCE_FMUL | Opcode::G_VECREDUCE_SEQ_FMUL => Opcode::G_FMUL,
            Opcode::G_VECREDUCE_FMAX => Opcode::G_FMAXNUM,
            Opcode::G_VECREDUCE_FMIN => Opcode::G_FMINNUM,
            Opcode::G_VECREDUCE_FMAXIMUM => Opcode::G_FMAXIMUM,
            Opcode::G_VECREDUCE_FMINIMUM => Opcode::G_FMINIMUM,
            _ => return None,
        })
    }

    /// The number of type indices of the operands.
    pub fn type_indices(self) -> usize {
        let sources = self.info().map_or([TypeSource::None; 3], |info| info.types);
        sources.iter().filter(|source| **source != TypeSource::None).count()
    }

    /// The number of immediates that legality may depend on: one or none.
    pub fn immediate_indices(self) -> usize {
        self.info().map_or(0, |info| info.uses.iter().filter(|kind| **kind == OperandKind::IMM0).count())
    }
}

/// The name of a target-independent opcode. A target's opcode prints as its number, since only its vocabulary has the
/// name.
impl fmt::Display for Opcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, self.info()) {
            (_, Some(info)) => f.write_str(info.name),
            (Opcode::Target(TargetOpcode(number)), None) => write!(f, "target#{number}"),
            (_, None) => unreachable!("every target-independent opcode has a row"),
        }
    }
}
