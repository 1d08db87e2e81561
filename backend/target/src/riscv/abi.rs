//! The calling convention (RISC-V ELF psABI): LP64 and ILP32, LP64D and ILP32D.
//!
//! The lists are those of the conventions that pass `double` in registers of floating point. Where a machine has none,
//! no code touches them; where a module names another convention, its calls have the mask of that.

use super::features::{D, F};
use super::instructions::{
    ADJCALLSTACKDOWN, ADJCALLSTACKUP, PseudoCALL, PseudoCALLIndirect, PseudoRET, PseudoTAIL, PseudoTAILIndirect,
};
use super::registers::{self, FFLAGS, FPRB, FRM, GPRB, RA, SCRATCH, SP, TP, f, x};
use super::target_flags;
use crate::Features;
use crate::abi::{Abi, Calls, FloatConvention, Pairs, Passing, ThreadPointer};
use crate::runtime::AtomicLibrary;
use crate::variable_arguments::{VaListContent, VaListField};
use tribunal_ir::semantics::float::{FloatEnvironment, RoundingMode};

/// The calling convention of RV64.
pub static LP64: Abi = BOTH;
/// The calling convention of RV32.
pub static ILP32: Abi = Abi { extended_to: 32, ..BOTH };

const BOTH: Abi = Abi {
    passing: &[
        Passing {
            bank: GPRB,
            arguments: &[x(10), x(11), x(12), x(13), x(14), x(15), x(16), x(17)],
            results: &[x(10), x(11)],
        },
        Passing {
            bank: FPRB,
            arguments: &[f(10), f(11), f(12), f(13), f(14), f(15), f(16), f(17)],
            results: &[f(10), f(11)],
        },
    ],
    pairs: Pairs::Anywhere,
    indirect_result: None,
    callee_saved: &[
        x(8),
        x(9),
        x(18),
        x(19),
        x(20),
        x(21),
        x(22),
        x(23),
        x(24),
        x(25),
        x(26),
        x(27),
        f(8),
        f(9),
        f(18),
        f(19),
        f(20),
        f(21),
        f(22),
        f(23),
        f(24),
        f(25),
        f(26),
        f(27),
    ],
    caller_saved: &[
        RA,
        x(5),
        x(6),
        x(7),
        x(10),
        x(11),
        x(12),
        x(13),
        x(14),
        x(15),
        x(16),
        x(17),
        x(28),
        x(29),
        x(30),
        x(31),
        f(0),
        f(1),
        f(2),
        f(3),
        f(4),
        f(5),
        f(6),
        f(7),
        f(10),
        f(11),
        f(12),
        f(13),
        f(14),
        f(15),
        f(16),
        f(17),
        f(28),
        f(29),
        f(30),
        f(31),
    ],
    stack_pointer: SP,
    frame_pointer: x(8),
    base_pointer: x(9),
    frame_record_end: 0,
    return_address: RA,
    thread_pointer: ThreadPointer::Register(TP),
    // Volume I, "Floating-Point Control and Status Register".
    float_environment: Some(FloatEnvironment {
        control: FRM,
        mode_place: 0,
        mode_bits: RoundingMode::BITS,
        modes: &RoundingMode::ALL,
        status: FFLAGS,
        flags: [0, 1, 2, 3, 4],
        tells_tiny_first: false,
        places: [5, 0],
    }),
    reserved: &[x(3), TP],
    scratch: &[SCRATCH],
    stack_align: 16,
    return_opcode: PseudoRET,
    extended_to: 64,
    va_list: &[VaListField { offset: 0, content: VaListContent::FirstArgument }],
    calls: Some(Calls {
        opcode: PseudoCALL,
        tail: PseudoTAIL,
        indirect: PseudoCALLIndirect,
        indirect_tail: PseudoTAILIndirect,
        frame_setup: ADJCALLSTACKDOWN,
        frame_destroy: ADJCALLSTACKUP,
        callee_flags: target_flags::CALL,
        preserved_mask: registers::SOFT_FLOAT_MASK,
        floats: &[
            FloatConvention { names: &["lp64d", "ilp32d"], requires: D, mask: registers::DOUBLE_FLOAT_MASK, bits: 64 },
            FloatConvention { names: &["lp64f", "ilp32f"], requires: F, mask: registers::SINGLE_FLOAT_MASK, bits: 32 },
            FloatConvention {
                names: &["lp64", "ilp32", "lp64e", "ilp32e"],
                requires: Features::empty(),
                mask: registers::SOFT_FLOAT_MASK,
                bits: 0,
            },
        ],
        atomics: AtomicLibrary::Libatomic,
    }),
};
