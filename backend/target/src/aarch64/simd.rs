//! The meaning of the few instructions on vector registers that this backend and LLVM's use for integers (Arm
//! Architecture Reference Manual, "A64 Advanced SIMD Instructions").

#![allow(non_upper_case_globals, reason = "an opcode is called what LLVM calls it")]

use super::instructions::{
    CNTv8i8, DUPi64, DUPv2i64gpr, INSvi64gpr, MOVIv2d_ns, MOVIv2i32, ORRv16i8, UADDLVv8i8v, UMOVvi64,
};
use crate::meaning::AnyDomain;
use crate::operands::Sources;
use tribunal_ir::{Bits, InstData, TargetOpcode};

/// The result of an instruction on a vector register as a whole, or on its elements.
pub(super) fn compute<D: AnyDomain + ?Sized>(
    d: &mut D,
    opcode: TargetOpcode,
    inst: &InstData,
    s: &Sources<D>,
) -> Option<D::Bits> {
    let arg = |index: usize| s.bits(index);
    let a = arg(0)?;
    let half = |index: usize| inst.imm(index).map(|value| value as u32);
    Some(match opcode {
        ORRv16i8 => d.or(a, arg(1)?),
        DUPv2i64gpr => d.concat(a, a),
        INSvi64gpr => {
            let (low, high) = (d.extract(a, 0, 64), d.extract(a, 64, 64));
            if half(2)? == 0 { d.concat(&high, arg(2)?) } else { d.concat(arg(2)?, &low) }
        }
        UMOVvi64 | DUPi64 => d.extract(a, 64 * half(2)?, 64),
        CNTv8i8 => {
            let counts: Vec<D::Bits> = (0..8).map(|byte| ones_of_byte(d, a, byte)).collect();
            counts.into_iter().reduce(|low, high| d.concat(&high, &low))?
        }
        UADDLVv8i8v => (0..8).fold(d.literal(0, 16), |sum, byte| {
            let part = d.extract(a, 8 * byte, 8);
            let part = d.zext(&part, 16);
            d.add(&sum, &part)
        }),
        MOVIv2d_ns => {
            let element = d.constant(Bits::new(mask_of_bytes(inst.imm(1)?).into(), 64));
            d.concat(&element, &element)
        }
        MOVIv2i32 => {
            let element = d.constant(Bits::new((inst.imm(1)? << inst.imm(2)?) as u128, 32));
            d.concat(&element, &element)
        }
        _ => return None,
    })
}

/// The element whose byte is all ones where the number's bit is one (`AdvSIMDExpandImm`).
pub(super) fn mask_of_bytes(bits: i64) -> u64 {
    (0..8).filter(|byte| bits >> byte & 1 == 1).fold(0, |mask, byte| mask | 0xff << (8 * byte))
}

/// The number of ones in a byte, as a byte.
fn ones_of_byte<D: AnyDomain + ?Sized>(d: &mut D, a: &D::Bits, byte: u32) -> D::Bits {
    (0..8).fold(d.literal(0, 8), |sum, bit| {
        let one = d.extract(a, 8 * byte + bit, 1);
        let one = d.zext(&one, 8);
        d.add(&sum, &one)
    })
}
