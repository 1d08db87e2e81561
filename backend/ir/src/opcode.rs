//! The opcodes: LLVM 22's 270 generic ones, the few target-independent ones that real input carries, and RISC-V's
//! word-sized generics. One list; the enum, the names and the operand shapes are all derived from it.
//!
//! A row reads `NAME: [defs] <- [uses] {flags}`. `T0`..`T2` are type indices, `P0`..`P2` the same but must be pointers;
//! `MORE` repeats the operand before it (for `G_PHI`: register and block pairs).
//! Source: GenericOpcodes.td and RISCVInstrGISel.td of LLVM 22.

use bitflags::bitflags;
use std::fmt;

/// What stands at one operand position of a generic instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OperandKind {
    /// A virtual register of type index 0, 1 or 2.
    T0,
    /// A register of type index 1.
    T1,
    /// A register of type index 2.
    T2,
    /// The same, and the type must be a pointer.
    P0,
    /// A pointer of type index 1.
    P1,
    /// A pointer of type index 2.
    P2,
    /// A plain immediate.
    IMM,
    /// A typed constant (`i32 5`, `float 1.0`).
    CONST,
    /// `intpred(...)` or `floatpred(...)`.
    PRED,
    /// A basic block.
    BLOCK,
    /// A stack object.
    FRAME,
    /// A global, block address, intrinsic or metadata reference.
    SYMBOL,
    /// A constant pool index.
    POOL,
    /// A jump table index.
    TABLE,
    /// A shuffle mask.
    MASK,
    /// Any number of further operands like the one before.
    MORE,
}

impl OperandKind {
    /// The type index of a register operand; `None` for every other kind.
    pub const fn type_index(self) -> Option<usize> {
        match self {
            OperandKind::T0 | OperandKind::P0 => Some(0),
            OperandKind::T1 | OperandKind::P1 => Some(1),
            OperandKind::T2 | OperandKind::P2 => Some(2),
            _ => None,
        }
    }

    /// True for a register operand whose type must be a pointer.
    pub const fn must_be_pointer(self) -> bool {
        matches!(self, OperandKind::P0 | OperandKind::P1 | OperandKind::P2)
    }
}

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
        /// It does more than define its results: it stays though nothing reads them.
        const SIDE_EFFECTS = 1 << 3;
        /// It ends a block; nothing but terminators follows it there.
        const TERMINATOR = 1 << 4;
        /// Control never falls through.
        const BARRIER = 1 << 5;
        /// It goes to a block that it names.
        const BRANCH = 1 << 6;
        /// Its destination is a value.
        const INDIRECT = 1 << 7;
        /// Threads must come to it together.
        const CONVERGENT = 1 << 8;
        /// It leaves the function.
        const RETURN = 1 << 9;
        /// It calls a function.
        const CALL = 1 << 10;
    }
}

/// An opcode of the target whose [`crate::Vocabulary`] numbers it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TargetOpcode(pub u16);

/// Operand shape and flags of a target-independent opcode.
#[derive(Clone, Copy, Debug)]
pub struct OpcodeInfo {
    /// LLVM's name.
    pub name: &'static str,
    /// The explicit definitions, in operand order.
    pub defs: &'static [OperandKind],
    /// The explicit uses, in operand order.
    pub uses: &'static [OperandKind],
    /// Static properties.
    pub flags: OpcodeFlags,
    /// Place in the table.
    pub number: u16,
    /// Where each type index is read from.
    pub types: [TypeSource; 3],
}

/// The operand that tells the type of a type index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TypeSource {
    /// The opcode has no such type index.
    None,
    /// The type of the register operand with this index.
    Operand(u8),
    /// The last operand, behind any number of definitions.
    Last,
}

/// The first operand of each type index. An unmerge defines any number of registers: its one use, of type 1, stands
/// last.
const fn type_sources(defs: &[OperandKind], uses: &[OperandKind]) -> [TypeSource; 3] {
    let mut sources = [TypeSource::None; 3];
    let (mut place, mut operand, mut many) = (0, 0, false);
    while place < defs.len() + uses.len() {
        let kind = if place < defs.len() { defs[place] } else { uses[place - defs.len()] };
        place += 1;
        if let (OperandKind::MORE, true) = (kind, place <= defs.len()) {
            many = true;
            continue;
        }
        if let Some(index) = kind.type_index()
            && let TypeSource::None = sources[index]
        {
            sources[index] = if many { TypeSource::Last } else { TypeSource::Operand(operand) };
        }
        operand += 1;
    }
    sources
}

macro_rules! opcodes {
    ($($name:ident: [$($def:ident),*] <- [$($used:ident),*] {$($flag:ident),*})*) => {
        /// Every target-independent opcode, and a target's own.
        #[allow(non_camel_case_types, reason = "an opcode is called what LLVM calls it")]
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum Opcode {
            $(
                #[doc = concat!("LLVM's `", stringify!($name), "`.")]
                $name,
            )*
            /// An instruction of a target.
            Target(TargetOpcode),
        }

        #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "an opcode is called what LLVM calls it")]
        enum Number {
            $($name,)*
        }

        impl Opcode {
            /// All target-independent opcodes, in table order.
            pub const ALL: &'static [Opcode] = &[$(Opcode::$name),*];

            /// Shape and flags; `None` for a target's opcode.
            pub fn info(self) -> Option<&'static OpcodeInfo> {
                match self {
                    $(Opcode::$name => {
                        static INFO: OpcodeInfo = OpcodeInfo {
                            name: stringify!($name),
                            defs: &[$(OperandKind::$def),*],
                            uses: &[$(OperandKind::$used),*],
                            flags: OpcodeFlags::empty()$(.union(OpcodeFlags::$flag))*,
                            number: Number::$name as u16,
                            types: type_sources(&[$(OperandKind::$def),*], &[$(OperandKind::$used),*]),
                        };
                        Some(&INFO)
                    })*
                    Opcode::Target(_) => None,
                }
            }

            /// Place among all opcodes: those of every target in table order, then the target's own.
            pub fn place(self) -> usize {
                match self {
                    $(Opcode::$name => Number::$name as usize,)*
                    Opcode::Target(opcode) => Opcode::ALL.len() + usize::from(opcode.0),
                }
            }

            /// The opcode that LLVM prints as `name`.
            pub fn from_name(name: &str) -> Option<Opcode> {
                match name {
                    $(stringify!($name) => Some(Opcode::$name),)*
                    _ => None,
                }
            }
        }
    };
}

opcodes! {
    // Target-independent, not generic
    COPY: [T0] <- [T0] {}
    PHI: [T0] <- [MORE] {}
    IMPLICIT_DEF: [T0] <- [] {}
    INLINEASM: [] <- [SYMBOL, MORE] {SIDE_EFFECTS}
    CFI_INSTRUCTION: [] <- [SYMBOL] {SIDE_EFFECTS}
    KILL: [] <- [MORE] {}
    LIFETIME_START: [] <- [FRAME] {}
    LIFETIME_END: [] <- [FRAME] {}
    // Known by name only: see `opaque.rs`
    OPAQUE: [MORE] <- [SYMBOL, MORE] {LOAD, STORE, SIDE_EFFECTS}
    // Ext/trunc artifacts + sat trunc
    G_ANYEXT: [T0] <- [T1] {}
    G_SEXT: [T0] <- [T1] {}
    G_SEXT_INREG: [T0] <- [T0, IMM] {}
    G_ZEXT: [T0] <- [T1] {}
    G_TRUNC: [T0] <- [T1] {}
    G_TRUNC_SSAT_S: [T0] <- [T1] {}
    G_TRUNC_SSAT_U: [T0] <- [T1] {}
    G_TRUNC_USAT_U: [T0] <- [T1] {}
    // Constants, undef, PHI, addresses
    G_IMPLICIT_DEF: [T0] <- [] {}
    G_PHI: [T0] <- [MORE] {}
    G_FRAME_INDEX: [P0] <- [FRAME] {}
    G_GLOBAL_VALUE: [P0] <- [SYMBOL] {}
    G_PTRAUTH_GLOBAL_VALUE: [T0] <- [SYMBOL, IMM, T1, IMM] {}
    G_CONSTANT_POOL: [T0] <- [POOL] {}
    G_CONSTANT: [T0] <- [CONST] {}
    G_FCONSTANT: [T0] <- [CONST] {}
    G_BLOCK_ADDR: [T0] <- [SYMBOL] {}
    G_JUMP_TABLE: [T0] <- [TABLE] {}
    G_FREEZE: [T0] <- [T0] {}
    // Casts
    G_INTTOPTR: [T0] <- [T1] {}
    G_PTRTOINT: [T0] <- [T1] {}
    G_BITCAST: [T0] <- [T1] {}
    G_ADDRSPACE_CAST: [T0] <- [T1] {}
    // Integer arithmetic
    G_ADD: [T0] <- [T0, T0] {COMMUTABLE}
    G_SUB: [T0] <- [T0, T0] {}
    G_MUL: [T0] <- [T0, T0] {COMMUTABLE}
    G_SDIV: [T0] <- [T0, T0] {}
    G_UDIV: [T0] <- [T0, T0] {}
    G_SREM: [T0] <- [T0, T0] {}
    G_UREM: [T0] <- [T0, T0] {}
    G_SDIVREM: [T0, T0] <- [T0, T0] {}
    G_UDIVREM: [T0, T0] <- [T0, T0] {}
    G_AND: [T0] <- [T0, T0] {COMMUTABLE}
    G_OR: [T0] <- [T0, T0] {COMMUTABLE}
    G_XOR: [T0] <- [T0, T0] {COMMUTABLE}
    G_SMIN: [T0] <- [T0, T0] {COMMUTABLE}
    G_SMAX: [T0] <- [T0, T0] {COMMUTABLE}
    G_UMIN: [T0] <- [T0, T0] {COMMUTABLE}
    G_UMAX: [T0] <- [T0, T0] {COMMUTABLE}
    G_ABS: [T0] <- [T0] {}
    G_ABDS: [T0] <- [T0, T0] {COMMUTABLE}
    G_ABDU: [T0] <- [T0, T0] {COMMUTABLE}
    G_UAVGFLOOR: [T0] <- [T0, T0] {}
    G_UAVGCEIL: [T0] <- [T0, T0] {}
    G_SAVGFLOOR: [T0] <- [T0, T0] {}
    G_SAVGCEIL: [T0] <- [T0, T0] {}
    // Shifts, funnel, rotate, bitfield
    G_SHL: [T0] <- [T0, T1] {}
    G_LSHR: [T0] <- [T0, T1] {}
    G_ASHR: [T0] <- [T0, T1] {}
    G_FSHL: [T0] <- [T0, T0, T1] {}
    G_FSHR: [T0] <- [T0, T0, T1] {}
    G_ROTR: [T0] <- [T0, T1] {}
    G_ROTL: [T0] <- [T0, T1] {}
    G_SBFX: [T0] <- [T0, T1, T1] {}
    G_UBFX: [T0] <- [T0, T1, T1] {}
    // Overflow / carry / high-mul
    G_UADDO: [T0, T1] <- [T0, T0] {COMMUTABLE}
    G_UADDE: [T0, T1] <- [T0, T0, T1] {}
    G_SADDO: [T0, T1] <- [T0, T0] {COMMUTABLE}
    G_SADDE: [T0, T1] <- [T0, T0, T1] {}
    G_USUBO: [T0, T1] <- [T0, T0] {}
    G_USUBE: [T0, T1] <- [T0, T0, T1] {}
    G_SSUBO: [T0, T1] <- [T0, T0] {}
    G_SSUBE: [T0, T1] <- [T0, T0, T1] {}
    G_UMULO: [T0, T1] <- [T0, T0] {COMMUTABLE}
    G_SMULO: [T0, T1] <- [T0, T0] {COMMUTABLE}
    G_UMULH: [T0] <- [T0, T0] {COMMUTABLE}
    G_SMULH: [T0] <- [T0, T0] {COMMUTABLE}
    // Saturating / fixed point
    G_UADDSAT: [T0] <- [T0, T0] {COMMUTABLE}
    G_SADDSAT: [T0] <- [T0, T0] {COMMUTABLE}
    G_USUBSAT: [T0] <- [T0, T0] {}
    G_SSUBSAT: [T0] <- [T0, T0] {}
    G_USHLSAT: [T0] <- [T0, T1] {}
    G_SSHLSAT: [T0] <- [T0, T1] {}
    G_SMULFIX: [T0] <- [T0, T0, IMM] {COMMUTABLE}
    G_UMULFIX: [T0] <- [T0, T0, IMM] {COMMUTABLE}
    G_SMULFIXSAT: [T0] <- [T0, T0, IMM] {COMMUTABLE}
    G_UMULFIXSAT: [T0] <- [T0, T0, IMM] {COMMUTABLE}
    G_SDIVFIX: [T0] <- [T0, T0, IMM] {}
    G_UDIVFIX: [T0] <- [T0, T0, IMM] {}
    G_SDIVFIXSAT: [T0] <- [T0, T0, IMM] {}
    G_UDIVFIXSAT: [T0] <- [T0, T0, IMM] {}
    // Bit counting / permutation
    G_CTLZ: [T0] <- [T1] {}
    G_CTLZ_ZERO_UNDEF: [T0] <- [T1] {}
    G_CTTZ: [T0] <- [T1] {}
    G_CTTZ_ZERO_UNDEF: [T0] <- [T1] {}
    G_CTPOP: [T0] <- [T1] {}
    G_BSWAP: [T0] <- [T0] {}
    G_BITREVERSE: [T0] <- [T0] {}
    // Compare / select
    G_ICMP: [T0] <- [PRED, T1, T1] {}
    G_FCMP: [T0] <- [PRED, T1, T1] {}
    G_SCMP: [T0] <- [T1, T1] {}
    G_UCMP: [T0] <- [T1, T1] {}
    G_SELECT: [T0] <- [T1, T0, T0] {}
    // Pointer
    G_PTR_ADD: [P0] <- [P0, T1] {}
    G_PTRMASK: [P0] <- [P0, T1] {}
    // FP arithmetic
    G_FADD: [T0] <- [T0, T0] {COMMUTABLE}
    G_FSUB: [T0] <- [T0, T0] {}
    G_FMUL: [T0] <- [T0, T0] {COMMUTABLE}
    G_FDIV: [T0] <- [T0, T0] {}
    G_FREM: [T0] <- [T0, T0] {}
    G_FMA: [T0] <- [T0, T0, T0] {}
    G_FMAD: [T0] <- [T0, T0, T0] {}
    G_FNEG: [T0] <- [T0] {}
    G_FABS: [T0] <- [T0] {}
    G_FCOPYSIGN: [T0] <- [T0, T1] {}
    G_FCANONICALIZE: [T0] <- [T0] {}
    G_FSQRT: [T0] <- [T0] {}
    G_FMINNUM: [T0] <- [T0, T0] {COMMUTABLE}
    G_FMAXNUM: [T0] <- [T0, T0] {COMMUTABLE}
    G_FMINNUM_IEEE: [T0] <- [T0, T0] {COMMUTABLE}
    G_FMAXNUM_IEEE: [T0] <- [T0, T0] {COMMUTABLE}
    G_FMINIMUM: [T0] <- [T0, T0] {COMMUTABLE}
    G_FMAXIMUM: [T0] <- [T0, T0] {COMMUTABLE}
    G_FMINIMUMNUM: [T0] <- [T0, T0] {COMMUTABLE}
    G_FMAXIMUMNUM: [T0] <- [T0, T0] {COMMUTABLE}
    G_IS_FPCLASS: [T0] <- [T1, IMM] {}
    // FP math
    G_FMODF: [T0, T0] <- [T0] {}
    G_FPOW: [T0] <- [T0, T0] {}
    G_FPOWI: [T0] <- [T0, T1] {}
    G_FEXP: [T0] <- [T0] {}
    G_FEXP2: [T0] <- [T0] {}
    G_FEXP10: [T0] <- [T0] {}
    G_FLOG: [T0] <- [T0] {}
    G_FLOG2: [T0] <- [T0] {}
    G_FLOG10: [T0] <- [T0] {}
    G_FLDEXP: [T0] <- [T0, T1] {}
    G_FFREXP: [T0, T1] <- [T0] {}
    G_FCOS: [T0] <- [T0] {}
    G_FSIN: [T0] <- [T0] {}
    G_FSINCOS: [T0, T0] <- [T0] {}
    G_FTAN: [T0] <- [T0] {}
    G_FACOS: [T0] <- [T0] {}
    G_FASIN: [T0] <- [T0] {}
    G_FATAN: [T0] <- [T0] {}
    G_FATAN2: [T0] <- [T0, T0] {}
    G_FCOSH: [T0] <- [T0] {}
    G_FSINH: [T0] <- [T0] {}
    G_FTANH: [T0] <- [T0] {}
    // FP rounding
    G_FCEIL: [T0] <- [T0] {}
    G_FFLOOR: [T0] <- [T0] {}
    G_FRINT: [T0] <- [T0] {}
    G_FNEARBYINT: [T0] <- [T0] {}
    G_INTRINSIC_TRUNC: [T0] <- [T0] {}
    G_INTRINSIC_ROUND: [T0] <- [T0] {}
    G_INTRINSIC_ROUNDEVEN: [T0] <- [T0] {}
    G_INTRINSIC_LRINT: [T0] <- [T1] {}
    G_INTRINSIC_LLRINT: [T0] <- [T1] {}
    G_LROUND: [T0] <- [T1] {}
    G_LLROUND: [T0] <- [T1] {}
    G_INTRINSIC_FPTRUNC_ROUND: [T0] <- [T1, IMM] {}
    // FP conversion
    G_FPEXT: [T0] <- [T1] {}
    G_FPTRUNC: [T0] <- [T1] {}
    G_FPTOSI: [T0] <- [T1] {}
    G_FPTOUI: [T0] <- [T1] {}
    G_SITOFP: [T0] <- [T1] {}
    G_UITOFP: [T0] <- [T1] {}
    G_FPTOSI_SAT: [T0] <- [T1] {}
    G_FPTOUI_SAT: [T0] <- [T1] {}
    // Strict (constrained) FP
    G_STRICT_FADD: [T0] <- [T0, T0] {COMMUTABLE, SIDE_EFFECTS}
    G_STRICT_FSUB: [T0] <- [T0, T0] {SIDE_EFFECTS}
    G_STRICT_FMUL: [T0] <- [T0, T0] {COMMUTABLE, SIDE_EFFECTS}
    G_STRICT_FDIV: [T0] <- [T0, T0] {SIDE_EFFECTS}
    G_STRICT_FREM: [T0] <- [T0, T0] {SIDE_EFFECTS}
    G_STRICT_FMA: [T0] <- [T0, T0, T0] {SIDE_EFFECTS}
    G_STRICT_FSQRT: [T0] <- [T0] {SIDE_EFFECTS}
    G_STRICT_FLDEXP: [T0] <- [T0, T1] {SIDE_EFFECTS}
    // FP environment
    G_GET_FPENV: [T0] <- [] {SIDE_EFFECTS}
    G_SET_FPENV: [] <- [T0] {SIDE_EFFECTS}
    G_RESET_FPENV: [] <- [] {SIDE_EFFECTS}
    G_GET_FPMODE: [T0] <- [] {SIDE_EFFECTS}
    G_SET_FPMODE: [] <- [T0] {SIDE_EFFECTS}
    G_RESET_FPMODE: [] <- [] {SIDE_EFFECTS}
    G_GET_ROUNDING: [T0] <- [] {SIDE_EFFECTS}
    G_SET_ROUNDING: [] <- [T0] {SIDE_EFFECTS}
    // Memory
    G_LOAD: [T0] <- [P1] {LOAD}
    G_SEXTLOAD: [T0] <- [P1] {LOAD}
    G_ZEXTLOAD: [T0] <- [P1] {LOAD}
    G_INDEXED_LOAD: [T0, P1] <- [P1, T2, IMM] {LOAD}
    G_INDEXED_SEXTLOAD: [T0, P1] <- [P1, T2, IMM] {LOAD}
    G_INDEXED_ZEXTLOAD: [T0, P1] <- [P1, T2, IMM] {LOAD}
    G_STORE: [] <- [T0, P1] {STORE}
    G_INDEXED_STORE: [P0] <- [T1, P0, P2, IMM] {STORE}
    G_MEMCPY: [] <- [P0, P1, T2, IMM] {LOAD, STORE}
    G_MEMCPY_INLINE: [] <- [P0, P1, T2] {LOAD, STORE}
    G_MEMMOVE: [] <- [P0, P1, T2, IMM] {LOAD, STORE}
    G_MEMSET: [] <- [P0, T1, T2, IMM] {STORE}
    G_BZERO: [] <- [P0, T1, IMM] {STORE}
    G_PREFETCH: [] <- [P0, IMM, IMM, IMM] {LOAD, STORE, SIDE_EFFECTS}
    // Atomics
    G_ATOMIC_CMPXCHG_WITH_SUCCESS: [T0, T1] <- [T2, T0, T0] {LOAD, STORE}
    G_ATOMIC_CMPXCHG: [T0] <- [P1, T0, T0] {LOAD, STORE}
    G_ATOMICRMW_XCHG: [T0] <- [P1, T0] {LOAD, STORE}
    G_ATOMICRMW_ADD: [T0] <- [P1, T0] {LOAD, STORE}
    G_ATOMICRMW_SUB: [T0] <- [P1, T0] {LOAD, STORE}
    G_ATOMICRMW_AND: [T0] <- [P1, T0] {LOAD, STORE}
    G_ATOMICRMW_NAND: [T0] <- [P1, T0] {LOAD, STORE}
    G_ATOMICRMW_OR: [T0] <- [P1, T0] {LOAD, STORE}
    G_ATOMICRMW_XOR: [T0] <- [P1, T0] {LOAD, STORE}
    G_ATOMICRMW_MAX: [T0] <- [P1, T0] {LOAD, STORE}
    G_ATOMICRMW_MIN: [T0] <- [P1, T0] {LOAD, STORE}
    G_ATOMICRMW_UMAX: [T0] <- [P1, T0] {LOAD, STORE}
    G_ATOMICRMW_UMIN: [T0] <- [P1, T0] {LOAD, STORE}
    G_ATOMICRMW_FADD: [T0] <- [P1, T0] {LOAD, STORE}
    G_ATOMICRMW_FSUB: [T0] <- [P1, T0] {LOAD, STORE}
    G_ATOMICRMW_FMAX: [T0] <- [P1, T0] {LOAD, STORE}
    G_ATOMICRMW_FMIN: [T0] <- [P1, T0] {LOAD, STORE}
    G_ATOMICRMW_FMAXIMUM: [T0] <- [P1, T0] {LOAD, STORE}
    G_ATOMICRMW_FMINIMUM: [T0] <- [P1, T0] {LOAD, STORE}
    G_ATOMICRMW_UINC_WRAP: [T0] <- [P1, T0] {LOAD, STORE}
    G_ATOMICRMW_UDEC_WRAP: [T0] <- [P1, T0] {LOAD, STORE}
    G_ATOMICRMW_USUB_COND: [T0] <- [P1, T0] {LOAD, STORE}
    G_ATOMICRMW_USUB_SAT: [T0] <- [P1, T0] {LOAD, STORE}
    G_FENCE: [] <- [IMM, IMM] {SIDE_EFFECTS}
    // Bit (de)composition
    G_EXTRACT: [T0] <- [T1, IMM] {}
    G_INSERT: [T0] <- [T0, T1, IMM] {}
    G_MERGE_VALUES: [T0] <- [T1, MORE] {}
    G_UNMERGE_VALUES: [T0, MORE] <- [T1] {}
    // Vector
    G_BUILD_VECTOR: [T0] <- [T1, MORE] {}
    G_BUILD_VECTOR_TRUNC: [T0] <- [T1, MORE] {}
    G_CONCAT_VECTORS: [T0] <- [T1, MORE] {}
    G_INSERT_VECTOR_ELT: [T0] <- [T0, T1, T2] {}
    G_EXTRACT_VECTOR_ELT: [T0] <- [T1, T2] {}
    G_SHUFFLE_VECTOR: [T0] <- [T1, T1, MASK] {}
    G_INSERT_SUBVECTOR: [T0] <- [T0, T1, IMM] {}
    G_EXTRACT_SUBVECTOR: [T0] <- [T1, IMM] {}
    G_SPLAT_VECTOR: [T0] <- [T1] {}
    G_STEP_VECTOR: [T0] <- [CONST] {}
    G_VSCALE: [T0] <- [CONST] {}
    G_VECTOR_COMPRESS: [T0] <- [T0, T1, T0] {}
    // Vector reductions
    G_VECREDUCE_SEQ_FADD: [T0] <- [T1, T2] {}
    G_VECREDUCE_SEQ_FMUL: [T0] <- [T1, T2] {}
    G_VECREDUCE_FADD: [T0] <- [T1] {}
    G_VECREDUCE_FMUL: [T0] <- [T1] {}
    G_VECREDUCE_FMAX: [T0] <- [T1] {}
    G_VECREDUCE_FMIN: [T0] <- [T1] {}
    G_VECREDUCE_FMAXIMUM: [T0] <- [T1] {}
    G_VECREDUCE_FMINIMUM: [T0] <- [T1] {}
    G_VECREDUCE_ADD: [T0] <- [T1] {}
    G_VECREDUCE_MUL: [T0] <- [T1] {}
    G_VECREDUCE_AND: [T0] <- [T1] {}
    G_VECREDUCE_OR: [T0] <- [T1] {}
    G_VECREDUCE_XOR: [T0] <- [T1] {}
    G_VECREDUCE_SMAX: [T0] <- [T1] {}
    G_VECREDUCE_SMIN: [T0] <- [T1] {}
    G_VECREDUCE_UMAX: [T0] <- [T1] {}
    G_VECREDUCE_UMIN: [T0] <- [T1] {}
    // Control flow, traps
    G_BR: [] <- [BLOCK] {TERMINATOR, BARRIER, BRANCH}
    G_BRCOND: [] <- [T0, BLOCK] {TERMINATOR, BRANCH}
    G_BRINDIRECT: [] <- [T0] {TERMINATOR, BARRIER, BRANCH, INDIRECT}
    G_BRJT: [] <- [P0, TABLE, T1] {TERMINATOR, BARRIER, BRANCH, INDIRECT}
    G_INVOKE_REGION_START: [] <- [] {TERMINATOR}
    G_TRAP: [] <- [] {STORE, SIDE_EFFECTS}
    G_DEBUGTRAP: [] <- [] {SIDE_EFFECTS}
    G_UBSANTRAP: [] <- [IMM] {SIDE_EFFECTS}
    // Intrinsic carriers
    G_INTRINSIC: [] <- [SYMBOL, MORE] {}
    G_INTRINSIC_W_SIDE_EFFECTS: [] <- [SYMBOL, MORE] {LOAD, STORE, SIDE_EFFECTS}
    G_INTRINSIC_CONVERGENT: [] <- [SYMBOL, MORE] {CONVERGENT}
    G_INTRINSIC_CONVERGENT_W_SIDE_EFFECTS: [] <- [SYMBOL, MORE] {LOAD, STORE, CONVERGENT, SIDE_EFFECTS}
    // Varargs, stack, registers, counters
    G_VASTART: [] <- [T0] {STORE}
    G_VAARG: [T0] <- [T1, IMM] {LOAD, STORE}
    G_DYN_STACKALLOC: [P0] <- [T1, IMM] {SIDE_EFFECTS}
    G_STACKSAVE: [P0] <- [] {SIDE_EFFECTS}
    G_STACKRESTORE: [] <- [P0] {SIDE_EFFECTS}
    G_READ_REGISTER: [T0] <- [SYMBOL] {CONVERGENT, SIDE_EFFECTS}
    G_WRITE_REGISTER: [] <- [SYMBOL, T0] {CONVERGENT, SIDE_EFFECTS}
    G_READCYCLECOUNTER: [T0] <- [] {SIDE_EFFECTS}
    G_READSTEADYCOUNTER: [T0] <- [] {SIDE_EFFECTS}
    // Hints (no code)
    G_ASSERT_ZEXT: [T0] <- [T0, IMM] {}
    G_ASSERT_SEXT: [T0] <- [T0, IMM] {}
    G_ASSERT_ALIGN: [T0] <- [T0, IMM] {}
    G_CONSTANT_FOLD_BARRIER: [T0] <- [T0] {}
    // RISC-V word operations that keep the low 32 bits and sign-extend
    G_SLLW: [T0] <- [T0, T0] {}
    G_SRLW: [T0] <- [T0, T0] {}
    G_SRAW: [T0] <- [T0, T0] {}
    G_DIVW: [T0] <- [T0, T0] {}
    G_DIVUW: [T0] <- [T0, T0] {}
    G_REMUW: [T0] <- [T0, T0] {}
    G_ROLW: [T0] <- [T0, T0] {}
    G_RORW: [T0] <- [T0, T0] {}
    G_CLZW: [T0] <- [T0] {}
    G_CTZW: [T0] <- [T0] {}
}

impl Opcode {
    /// True for opcodes that must be gone after instruction selection.
    pub fn is_generic(self) -> bool {
        !matches!(
            self,
            Opcode::Target(_)
                | Opcode::COPY
                | Opcode::PHI
                | Opcode::IMPLICIT_DEF
                | Opcode::INLINEASM
                | Opcode::CFI_INSTRUCTION
                | Opcode::KILL
                | Opcode::LIFETIME_START
                | Opcode::LIFETIME_END
                | Opcode::OPAQUE
        )
    }

    /// True for `PHI` and `G_PHI`.
    pub fn is_phi(self) -> bool {
        matches!(self, Opcode::G_PHI | Opcode::PHI)
    }

    /// Hints that compute nothing: their result is their first operand.
    pub fn is_hint(self) -> bool {
        matches!(
            self,
            Opcode::G_ASSERT_SEXT | Opcode::G_ASSERT_ZEXT | Opcode::G_ASSERT_ALIGN | Opcode::G_CONSTANT_FOLD_BARRIER
        )
    }

    /// How many type indices the operands have.
    pub fn type_indices(self) -> usize {
        let sources = self.info().map_or([TypeSource::None; 3], |info| info.types);
        sources.iter().filter(|source| **source != TypeSource::None).count()
    }

    /// How many immediates legality may depend on (`untyped_imm_0` in LLVM's GenericOpcodes.td): one or none.
    pub fn immediate_indices(self) -> usize {
        use Opcode::*;
        usize::from(matches!(
            self,
            G_SEXT_INREG
                | G_ASSERT_SEXT
                | G_ASSERT_ZEXT
                | G_ASSERT_ALIGN
                | G_EXTRACT
                | G_INSERT
                | G_EXTRACT_SUBVECTOR
                | G_INSERT_SUBVECTOR
                | G_SMULFIX
                | G_UMULFIX
                | G_SMULFIXSAT
                | G_UMULFIXSAT
                | G_SDIVFIX
                | G_UDIVFIX
                | G_SDIVFIXSAT
                | G_UDIVFIXSAT
                | G_MEMCPY
                | G_MEMMOVE
                | G_MEMSET
                | G_BZERO
        ))
    }

    /// Legalization artifacts: extensions, truncations and (de)composition, which combine away between legal code.
    pub fn is_artifact(self) -> bool {
        matches!(
            self,
            Opcode::G_TRUNC
                | Opcode::G_ZEXT
                | Opcode::G_SEXT
                | Opcode::G_ANYEXT
                | Opcode::G_MERGE_VALUES
                | Opcode::G_UNMERGE_VALUES
                | Opcode::G_EXTRACT
                | Opcode::G_INSERT
        )
    }
}

/// The name of a target-independent opcode; a target's opcode prints as its number, since only its vocabulary knows
/// more.
impl fmt::Display for Opcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, self.info()) {
            (_, Some(info)) => f.write_str(info.name),
            (Opcode::Target(TargetOpcode(number)), None) => write!(f, "target#{number}"),
            (_, None) => unreachable!("every target-independent opcode has a row"),
        }
    }
}
