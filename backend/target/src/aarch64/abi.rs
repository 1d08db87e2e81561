//! The integer calling convention (AAPCS64).

use super::instructions::{
    ADJCALLSTACKDOWN, ADJCALLSTACKUP, BL, BLR, MOVbaseTLS, RET_ReallyLR, TCRETURNdi, TCRETURNri,
};
use super::registers::{self, FPCR, FPR, FPSR, GPR, LR, NZCV, SCRATCH, SP, q, x};
use crate::abi::{Abi, Calls, Pairs, Passing, ThreadPointer};
use crate::runtime::AtomicLibrary;
use crate::variable_arguments::{VaListContent, VaListField};
use tribunal_ir::TargetFlags;
use tribunal_ir::semantics::float::{FloatEnvironment, RoundingMode};

/// AAPCS64, for integers and pointers in registers.
pub static ABI: Abi = Abi {
    passing: &[
        Passing { bank: GPR, arguments: &[x(0), x(1), x(2), x(3), x(4), x(5), x(6), x(7)], results: &[x(0), x(1)] },
        Passing {
            bank: FPR,
            arguments: &[q(0), q(1), q(2), q(3), q(4), q(5), q(6), q(7)],
            results: &[q(0), q(1), q(2), q(3)],
        },
    ],
    pairs: Pairs::Even,
    indirect_result: Some(x(8)),
    callee_saved: &[x(19), x(20), x(21), x(22), x(23), x(24), x(25), x(26), x(27), x(28), x(29)],
    // x18 is the platform's: nothing here writes it. A callee keeps the lower halves of q8 to q15, so those are neither
    // lost nor kept.
    caller_saved: &[
        x(0),
        x(1),
        x(2),
        x(3),
        x(4),
        x(5),
        x(6),
        x(7),
        x(8),
        x(9),
        x(10),
        x(11),
        x(12),
        x(13),
        x(14),
        x(15),
        x(16),
        x(17),
        LR,
        NZCV,
        q(0),
        q(1),
        q(2),
        q(3),
        q(4),
        q(5),
        q(6),
        q(7),
        q(16),
        q(17),
        q(18),
        q(19),
        q(20),
        q(21),
        q(22),
        q(23),
        q(24),
        q(25),
        q(26),
        q(27),
        q(28),
        q(29),
        q(30),
        q(31),
    ],
    stack_pointer: SP,
    frame_pointer: x(29),
    base_pointer: x(19),
    frame_record_end: 16,
    return_address: LR,
    thread_pointer: ThreadPointer::System(MOVbaseTLS),
    // Arm ARM, "FPCR, Floating-point Control Register" and "FPSR, Floating-point Status Register".
    float_environment: Some(FloatEnvironment {
        control: FPCR,
        mode_place: 22,
        mode_bits: 2,
        modes: &[RoundingMode::NearestEven, RoundingMode::Up, RoundingMode::Down, RoundingMode::TowardZero],
        status: FPSR,
        flags: [4, 3, 2, 1, 0],
        tells_tiny_first: true,
        places: [0, 32],
    }),
    reserved: &[],
    scratch: &SCRATCH,
    stack_align: 16,
    return_opcode: RET_ReallyLR,
    extended_to: 0,
    // `stack`, `gr_top`, `vr_top`, `gr_offs`, `vr_offs` (AAPCS64, "The va_list type").
    va_list: &[
        VaListField { offset: 0, content: VaListContent::FirstArgument },
        VaListField { offset: 8, content: VaListContent::EndOfSaveArea(GPR) },
        VaListField { offset: 16, content: VaListContent::EndOfSaveArea(FPR) },
        VaListField { offset: 24, content: VaListContent::BelowEnd(GPR) },
        VaListField { offset: 28, content: VaListContent::BelowEnd(FPR) },
    ],
    calls: Some(Calls {
        opcode: BL,
        tail: TCRETURNdi,
        indirect: BLR,
        indirect_tail: TCRETURNri,
        frame_setup: ADJCALLSTACKDOWN,
        frame_destroy: ADJCALLSTACKUP,
        callee_flags: TargetFlags::NONE,
        preserved_mask: registers::AAPCS_MASK,
        floats: &[],
        atomics: AtomicLibrary::Outlined,
    }),
};
