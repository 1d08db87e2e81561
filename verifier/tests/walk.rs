//! The prover on instructions that move values or choose the next block, and on vectors of which an element is poison:
//! steps and pairs of functions whose verdict depends on one rule.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use std::time::Duration;
use tribunal_ir::{Function, InstData, Step, text};
use tribunal_target::Target;
use tribunal_verifier::prover::{self, Pair, Prover, Undef, Verdict};

fn function(target: &Target, body: &str) -> Function {
    let line = |line: &str| format!("{}{line}\n", if line.starts_with("bb.") { "  " } else { "    " });
    let lines: String = body.trim().lines().map(|text| line(text.trim())).collect();
    let source = format!("---\nname: f\nbody: |\n{lines}...\n");
    text::parse_module(&source, target.vocabulary).unwrap().whole().unwrap().functions.remove(0)
}

fn insts(function: &Function, block: usize) -> Vec<InstData> {
    function.insts(function.layout()[block]).map(|inst| function.inst(inst).clone()).collect()
}

/// The verdict on a step. The rest of the function has the blocks that it names, and defines its inputs.
fn step(target: &str, before: &str, after: &str) -> Verdict {
    let target = tribunal_target::by_name(target).unwrap();
    let blocks = "bb.2:
        %0:_(s64) = G_IMPLICIT_DEF
        %1:_(s64) = G_IMPLICIT_DEF
        %9:_(s1) = G_IMPLICIT_DEF

        bb.3:";
    let function = function(target, &format!("bb.0:\n{before}\n\nbb.1:\n{after}\n\n{blocks}"));
    let (before, after) = (insts(&function, 0), insts(&function, 1));
    Prover::default().judge(target, &Step { rule: "test", function: &function, before: &before, after: &after })
}

fn proved(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Proved { .. })
}

fn refuted(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Refuted(_))
}

#[test]
fn the_part_of_a_register_that_is_not_written_is_zero() {
    let part = "$w0 = COPY %0(s64)\n%2:_(s64) = COPY $x0";
    // Both write the register, which somebody after the step may read.
    let write = "$w0 = COPY %0(s64)";
    let masked = |mask: &str| format!("{write}\n%3:_(s64) = G_CONSTANT i64 {mask}\n%2:_(s64) = G_AND %0, %3");
    assert!(proved(&step("aarch64", part, &masked("4294967295"))));
    assert!(refuted(&step("aarch64", part, &masked("-1"))));
}

#[test]
fn an_undefined_machine_register_holds_anything() {
    // The register is written again, and alike: somebody after the step may read it.
    let write = "$x10 = COPY %1(s64)";
    let undefined = format!("$x10 = COPY %0(s64)\n$x10 = IMPLICIT_DEF\n%2:_(s64) = COPY $x10\n{write}");
    assert!(refuted(&step("riscv64", &format!("%2:_(s64) = COPY %0(s64)\n{write}"), &undefined)));
    assert!(proved(&step("riscv64", &undefined, &format!("%2:_(s64) = G_CONSTANT i64 5\n{write}"))));
}

#[test]
fn an_undefined_read_gives_anything() {
    let undefined = "%2:_(s64) = COPY undef %0(s64)";
    assert!(refuted(&step("riscv64", "%2:_(s64) = COPY %0(s64)", undefined)));
    assert!(proved(&step("riscv64", undefined, "%2:_(s64) = G_CONSTANT i64 5")));
}

/// One element is poison where the sum overflows. The other is not.
#[test]
fn an_element_is_poison_by_itself() {
    let built = |other: &str| {
        format!(
            "%2:_(s64) = nuw G_ADD %0, %1
             %4:_(s64) = G_ADD %0, %1
             %5:_(s1) = G_ICMP intpred(ult), %4(s64), %0
             %6:_(s64) = G_SELECT %5(s1), %0, %4
             %3:_(<2 x s64>) = G_BUILD_VECTOR {other}"
        )
    };
    let before = built("%2(s64), %4(s64)");
    assert!(proved(&step("riscv64", &before, &built("%4(s64), %4(s64)"))));
    let Verdict::Refuted(shown) = step("riscv64", &before, &built("%2(s64), %6(s64)")) else { panic!("not refuted") };
    let wrong: Vec<String> = shown.outputs.iter().map(|(name, ..)| name.to_string()).collect();
    assert!(wrong.contains(&"%3[1]".to_string()), "{wrong:?}");
    assert!(proved(&step("riscv64", &built("%2(s64), %2(s64)"), &built("%2(s64), %6(s64)"))));
}

/// An element stays poison in memory, under a cast, and where another is written; each is frozen by itself.
#[test]
fn poison_of_an_element_reaches_no_other() {
    let taken = |way: &str, last: &str| {
        format!(
            "%2:_(s64) = nuw G_ADD %0, %1
             %4:_(<2 x s64>) = G_BUILD_VECTOR %2(s64), %1(s64)
             %5:_(s64) = G_CONSTANT i64 1
             {way}
             {last}"
        )
    };
    for way in [
        "%7:_(<2 x s64>) = COPY %4(<2 x s64>)",
        "%6:_(p0) = G_INTTOPTR %0(s64)
         G_STORE %4(<2 x s64>), %6(p0) :: (store (<2 x s64>))
         %7:_(<2 x s64>) = G_LOAD %6(p0) :: (load (<2 x s64>))",
        "%6:_(<4 x s32>) = G_BITCAST %4(<2 x s64>)
         %7:_(<2 x s64>) = G_BITCAST %6(<4 x s32>)",
        "%6:_(<2 x s64>) = G_INSERT_VECTOR_ELT %4, %1(s64), %5(s64)
         %7:_(<2 x s64>) = G_SHUFFLE_VECTOR %4(<2 x s64>), %6, shufflemask(0, 3)",
    ] {
        let first = taken(way, "%3:_(s64) = G_EXTRACT_VECTOR_ELT %7(<2 x s64>), %5(s64)");
        let zero = taken(way, "%3:_(s64) = G_CONSTANT i64 0");
        assert!(proved(&step("riscv64", &first, &taken(way, "%3:_(s64) = COPY %1(s64)"))), "{way}");
        assert!(refuted(&step("riscv64", &first, &zero)), "{way}");
    }
    let frozen = taken("%7:_(<2 x s64>) = G_FREEZE %4", "%3:_(s64) = G_EXTRACT_VECTOR_ELT %7(<2 x s64>), %5(s64)");
    assert!(proved(&step("riscv64", &frozen, "%3:_(s64) = G_FREEZE %1")));
    assert!(refuted(&step("riscv64", &frozen, "%3:_(s64) = G_FREEZE %0")));
    // Through a number of both, either is poison.
    let through = taken("%6:_(s128) = G_BITCAST %4(<2 x s64>)", "%3:_(<2 x s64>) = G_BITCAST %6(s128)");
    let straight = taken("%6:_(s128) = G_BITCAST %4(<2 x s64>)", "%3:_(<2 x s64>) = COPY %4(<2 x s64>)");
    assert!(proved(&step("riscv64", &through, &straight)));
    assert!(refuted(&step("riscv64", &straight, &through)));
}

/// A trap is selected as a trap, and neither goes on nor returns.
#[test]
fn a_trap_ends_the_program() {
    for (target, trap, leave) in [("riscv64", "UNIMP", "PseudoRET"), ("aarch64", "BRK 1", "RET_ReallyLR")] {
        for generic in ["G_TRAP", "G_UBSANTRAP 7"] {
            assert!(proved(&step(target, generic, trap)), "{target} {generic}");
            assert!(refuted(&step(target, generic, leave)), "{target} {generic}");
            assert!(refuted(&step(target, generic, "")), "{target} {generic}");
            assert!(refuted(&step(target, leave, trap)), "{target} {generic}");
        }
    }
}

#[test]
fn phis_of_a_block_read_before_any_writes() {
    let swapped = "%3:_(s64) = G_PHI %0(s64), %bb.2, %4(s64), %bb.3";
    let other = "%4:_(s64) = G_PHI %1(s64), %bb.2, %3(s64), %bb.3";
    assert!(proved(&step("riscv64", &format!("{swapped}\n{other}"), &format!("{other}\n{swapped}"))));
    let moved = "%4:_(s64) = G_PHI %1(s64), %bb.2, %4(s64), %bb.3";
    assert!(refuted(&step("riscv64", &format!("{swapped}\n{other}"), &format!("{swapped}\n{moved}"))));
}

#[test]
fn a_branch_keeps_its_destination() {
    let branch = |label: &str| format!("G_BRCOND %9(s1), %bb.{label}");
    assert!(proved(&step("riscv64", &branch("2"), &branch("2"))));
    assert!(refuted(&step("riscv64", &branch("2"), &branch("3"))));
    assert!(refuted(&step("riscv64", "G_BR %bb.2", "G_BR %bb.3")));
}

/// The verdict on two stages of one function on RV64.
fn validated(before: &str, after: &str) -> Verdict {
    let target = tribunal_target::by_name("riscv64").unwrap();
    let [before, after] = [before, after].map(|body| function(target, body));
    prover::validate(target, Pair { before: &before, after: &after }, Undef::PerUse, Duration::from_secs(10)).verdict
}

#[test]
fn every_branch_of_a_block_counts() {
    let branches = |first: &str| {
        format!(
            "bb.0:
             successors: %bb.1, %bb.2, %bb.3
             liveins: $x10, $x11

             %0:gpr = COPY $x10
             %1:gpr = COPY $x11
             {first} %0, %1, %bb.1
             BLT %0, %1, %bb.2
             PseudoBR %bb.3

             bb.1:
             PseudoRET

             bb.2:
             $x10 = COPY %0
             PseudoRET implicit $x10

             bb.3:
             $x10 = COPY %1
             PseudoRET implicit $x10"
        )
    };
    assert!(proved(&validated(&branches("BEQ"), &branches("BEQ"))));
    assert!(!proved(&validated(&branches("BEQ"), &branches("BNE"))));
}

/// The value differs exactly where the branch is taken.
#[test]
fn a_value_is_checked_along_the_edge_that_a_machine_branch_takes() {
    let joined = |value: &str| {
        format!(
            "bb.0:
             successors: %bb.1, %bb.2
             liveins: $x10, $x11

             %0:gpr(s64) = COPY $x10
             %1:gpr(s64) = COPY $x11
             %2:gpr(s64) = XOR %0, %1
             %3:gpr(s64) = SLTIU %2, 1
             %4:gpr(s64) = ADD %0, %3
             BEQ %0, %1, %bb.2

             bb.1:
             successors: %bb.2

             bb.2:
             %5:gpr(s64) = G_PHI {value}(s64), %bb.0, %1(s64), %bb.1
             $x10 = COPY %5(s64)
             PseudoRET implicit $x10"
        )
    };
    assert!(proved(&validated(&joined("%0"), &joined("%0"))));
    assert!(!proved(&validated(&joined("%0"), &joined("%4"))));
}

#[test]
fn a_return_is_not_lost() {
    assert!(proved(&validated("bb.0:\nPseudoRET", "bb.0:\nPseudoRET")));
    assert!(!proved(&validated("bb.0:\nPseudoRET", "bb.0:")));
}

/// A mask that preserves nothing lets the callee change a callee-saved register.
#[test]
fn a_call_preserves_what_its_mask_says() {
    let called = |mask: &str, result: &str| {
        format!(
            "bb.0:
             liveins: $x10

             %0:gpr = COPY $x10
             $x8 = COPY %0
             ADJCALLSTACKDOWN 0, 0, implicit-def $x2, implicit $x2
             PseudoCALL target-flags(riscv-call) @g, {mask}, implicit-def $x1
             ADJCALLSTACKUP 0, 0, implicit-def $x2, implicit $x2
             $x10 = COPY {result}
             PseudoRET implicit $x10"
        )
    };
    let (kept, lost) = ("csr_ilp32_lp64", "csr_noregs");
    assert!(proved(&validated(&called(kept, "%0"), &called(kept, "$x8"))));
    assert!(!proved(&validated(&called(lost, "%0"), &called(lost, "$x8"))));
}
