//! Signed division by powers of two at widths that are no machine word's.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use std::time::Duration;
use tribunal_ir::{Function, text};
use tribunal_target::riscv::RISCV64;
use tribunal_verifier::prover::{self, Pair, Undef, Validated, Verdict};

fn function(width: u32, body: &str) -> Function {
    let source = format!(
        "---\nname: f\nbody: |\n  bb.0:\n    liveins: $x10\n\n    %0:_(s64) = COPY $x10\n    %1:_(s{width}) = G_TRUNC %0\n\
         {body}    %8:_(s64) = G_SEXT %9(s{width})\n    $x10 = COPY %8(s64)\n    PseudoRET implicit $x10\n...\n"
    );
    text::parse_module(&source, RISCV64.vocabulary).unwrap().whole().unwrap().functions.remove(0)
}

/// `x / 2^bits`, and the same by a high product, as LLVM's combiner writes it.
fn pair(width: u32, bits: u32, wrong: i64) -> [Function; 2] {
    let ty = format!("s{width}");
    let before = format!("    %2:_({ty}) = G_CONSTANT i{width} {}\n    %9:_({ty}) = G_SDIV %1, %2\n", 1u64 << bits);
    let magic = -(1i64 << (width - 1)) + 1 + wrong;
    let after = format!(
        "    %2:_({ty}) = G_CONSTANT i{width} {magic}\n    %3:_({ty}) = G_SMULH %1, %2\n    %4:_({ty}) = G_ADD %3, %1\n\
         \x20   %5:_({ty}) = G_CONSTANT i{width} {}\n    %6:_({ty}) = G_ASHR %4, %5({ty})\n\
         \x20   %7:_({ty}) = G_CONSTANT i{width} {}\n    %10:_({ty}) = G_LSHR %6, %7({ty})\n    %9:_({ty}) = G_ADD %6, %10\n",
        bits - 1,
        width - 1
    );
    [before, after].map(|body| function(width, &body))
}

fn verdict(width: u32, bits: u32, wrong: i64) -> Verdict {
    let [before, after] = pair(width, bits, wrong);
    let pair = Pair { before: &before, after: &after };
    let Validated { verdict, .. } = prover::validate(&RISCV64, pair, Undef::PerUse, Duration::from_secs(20));
    verdict
}

#[test]
fn a_high_product_is_the_quotient_at_any_width() {
    for width in [33, 40, 48, 56, 63] {
        for bits in [3, 7] {
            let verdict = verdict(width, bits, 0);
            assert!(matches!(verdict, Verdict::Proved { .. }), "{width}, {bits}: {verdict}");
        }
    }
}

#[test]
fn another_multiplier_is_not() {
    for width in [33, 48] {
        assert!(!matches!(verdict(width, 3, 1), Verdict::Proved { .. }), "{width}");
    }
}
