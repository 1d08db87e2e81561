//! Every instruction word of AArch64 against `llvm-mc-22`.

mod support;

use tribunal_target::aarch64::AARCH64;
use tribunal_target::aarch64::encoding::decode_bitmask;

fn is_mask(encoded: i64, width: u32) -> bool {
    decode_bitmask(encoded, width).is_some()
}

#[test]
fn every_row_encodes_as_llvm_mc_does() {
    support::encodings_are_llvms(&AARCH64, "", is_mask);
}

#[test]
fn wrong_operands_are_refused() {
    support::wrong_operands_are_refused(&AARCH64, is_mask);
}
