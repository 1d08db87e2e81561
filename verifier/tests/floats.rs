//! The prover on floating point: steps that the definitions or the structure of both sides decide, and some that are
//! wrong for one operand in millions.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use std::time::Duration;
use tribunal_ir::{Function, InstData, Step, text};
use tribunal_target::Target;
use tribunal_verifier::prover::{self, Pair, Prover, Undef, Verdict};

/// The registers of the step's inputs.
const INPUTS: &str = "bb.2:
    %0:_(s64) = G_IMPLICIT_DEF
    %1:_(s64) = G_IMPLICIT_DEF
    %2:_(s64) = G_IMPLICIT_DEF
    %3:_(s32) = G_IMPLICIT_DEF
    %4:_(s32) = G_IMPLICIT_DEF
    %5:_(s16) = G_IMPLICIT_DEF
    %6:_(s16) = G_IMPLICIT_DEF
    %7:_(s8) = G_IMPLICIT_DEF
    %8:_(s128) = G_IMPLICIT_DEF
    %10:fpr64(s64) = IMPLICIT_DEF
    %11:fpr64(s64) = IMPLICIT_DEF";

fn function(target: &Target, body: &str) -> Function {
    let line = |line: &str| format!("{}{line}\n", if line.starts_with("bb.") { "  " } else { "    " });
    let lines: String = body.trim().lines().map(|text| line(text.trim())).collect();
    let source = format!("---\nname: f\nbody: |\n{lines}...\n");
    let module = text::parse_module(&source, target.vocabulary).unwrap_or_else(|error| panic!("{error}\n{source}"));
    module.whole().unwrap_or_else(|unread| panic!("{unread}\n{source}")).functions.remove(0)
}

fn insts(function: &Function, block: usize) -> Vec<InstData> {
    function.insts(function.layout()[block]).map(|inst| function.inst(inst).clone()).collect()
}

/// The verdict on a step.
fn step(target: &str, before: &str, after: &str) -> Verdict {
    let target = tribunal_target::by_name(target).unwrap();
    let function = function(target, &format!("bb.0:\n{before}\n\nbb.1:\n{after}\n\n{INPUTS}"));
    let (before, after) = (insts(&function, 0), insts(&function, 1));
    Prover::default().judge(target, &Step { rule: "test", function: &function, before: &before, after: &after })
}

#[track_caller]
fn proved(target: &str, before: &str, after: &str) {
    let verdict = step(target, before, after);
    assert!(matches!(verdict, Verdict::Proved { .. }), "{before} -> {after}: {verdict}");
}

#[track_caller]
fn refuted(target: &str, before: &str, after: &str) {
    let verdict = step(target, before, after);
    assert!(matches!(verdict, Verdict::Refuted(_)), "{before} -> {after}: {verdict}");
}

#[track_caller]
fn unknown(target: &str, before: &str, after: &str) {
    let verdict = step(target, before, after);
    assert!(matches!(verdict, Verdict::Unknown(_)), "{before} -> {after}: {verdict}");
}

/// Result and operands of one type.
fn double(opcode: &str, operands: &str) -> String {
    format!("%9:_(s64) = {opcode} {operands}")
}

#[test]
fn operands_of_a_sum_change_places() {
    proved("riscv64", &double("G_FADD", "%0, %1"), &double("G_FADD", "%1, %0"));
    proved("riscv64", &double("G_FMA", "%0, %1, %2"), &double("G_FMA", "%1, %0, %2"));
    refuted("riscv64", &double("G_FSUB", "%0, %1"), &double("G_FSUB", "%1, %0"));
    refuted("riscv64", &double("G_FMA", "%0, %1, %2"), &double("G_FMA", "%2, %1, %0"));
    refuted("riscv64", &double("G_FADD", "%0, %1"), &double("G_FMUL", "%0, %1"));
}

#[test]
fn a_difference_is_a_sum() {
    let sum = "%20:_(s64) = G_FNEG %1\n%9:_(s64) = G_FADD %0, %20";
    proved("riscv64", &double("G_FSUB", "%0, %1"), sum);
    proved("aarch64", sum, &double("G_FSUB", "%0, %1"));
}

#[test]
fn signs_are_bits() {
    let mask = "%20:_(s64) = G_CONSTANT i64 -9223372036854775808\n%9:_(s64) = G_XOR %0, %20";
    proved("riscv64", &double("G_FNEG", "%0"), mask);
    proved("riscv64", mask, &double("G_FNEG", "%0"));
    refuted("riscv64", &double("G_FABS", "%0"), mask);
    let cleared = "%20:_(s64) = G_CONSTANT i64 9223372036854775807\n%9:_(s64) = G_AND %0, %20";
    proved("riscv64", &double("G_FABS", "%0"), cleared);
}

/// The prover has no arithmetic of numbers: equal functions that are computed otherwise stay open, and are not refuted.
#[test]
fn arithmetic_is_not_rewritten() {
    let two = "%20:_(s64) = G_FCONSTANT double 2.0\n%9:_(s64) = G_FMUL %0, %20";
    unknown("riscv64", two, &double("G_FADD", "%0, %0"));
    // A zero that is added is none where the sum is one.
    let plus_zero = "%20:_(s64) = G_FCONSTANT double 0.0\n%9:_(s64) = G_FADD %0, %20";
    refuted("riscv64", plus_zero, &double("COPY", "%0(s64)"));
}

/// An operation on numbers of 16 bits, and the same in a wider format, rounded back.
fn half(opcode: &str, count: usize, wide: u32) -> [String; 2] {
    let register = |place: usize| format!("%{}", [5, 6, 5][place]);
    let narrow: Vec<String> = (0..count).map(register).collect();
    let extended: String =
        (0..count).map(|place| format!("%2{place}:_(s{wide}) = G_FPEXT {}(s16)\n", register(place))).collect();
    let operands: Vec<String> = (0..count).map(|place| format!("%2{place}")).collect();
    let result = format!("%30:_(s{wide}) = {opcode} {}\n%9:_(s16) = G_FPTRUNC %30(s{wide})", operands.join(", "));
    [format!("%9:_(s16) = {opcode} {}", narrow.join(", ")), format!("{extended}{result}")]
}

/// Theorems say that the second rounding changes nothing; for a product with a sum in 32 bits there is none.
#[test]
fn numbers_of_sixteen_bits_are_rounded_twice() {
    for (opcode, count, wide) in [
        ("G_FADD", 2, 32),
        ("G_FSUB", 2, 32),
        ("G_FMUL", 2, 32),
        ("G_FDIV", 2, 32),
        ("G_FREM", 2, 32),
        ("G_FSQRT", 1, 32),
        ("G_FMA", 3, 64),
        ("G_FFLOOR", 1, 32),
        ("G_FMAXIMUM", 2, 32),
    ] {
        let [before, after] = half(opcode, count, wide);
        proved("riscv64", &before, &after);
    }
    let [before, after] = half("G_FMA", 3, 32);
    let verdict = step("riscv64", &before, &after);
    assert!(!matches!(verdict, Verdict::Proved { .. }), "{verdict}");
    let [sum, _] = half("G_FADD", 2, 32);
    let [_, product] = half("G_FMUL", 2, 32);
    refuted("riscv64", &sum, &product);
    // A number that is rounded to 32 bits first may reach a tie.
    let twice = "%20:_(s32) = G_FPTRUNC %0(s64)\n%9:_(s16) = G_FPTRUNC %20(s32)";
    let verdict = step("riscv64", "%9:_(s16) = G_FPTRUNC %0(s64)", twice);
    assert!(!matches!(verdict, Verdict::Proved { .. }), "{verdict}");
}

#[test]
fn comparisons_are_decided_by_bits() {
    let compare = |predicate: &str, operands: &str| format!("%9:_(s1) = G_FCMP floatpred({predicate}), {operands}");
    proved("riscv64", &compare("olt", "%0(s64), %1"), &compare("ogt", "%1(s64), %0"));
    proved("riscv64", &compare("uge", "%0(s64), %1"), &compare("ule", "%1(s64), %0"));
    refuted("riscv64", &compare("olt", "%0(s64), %1"), &compare("ult", "%0(s64), %1"));
    let not =
        "%20:_(s1) = G_FCMP floatpred(ult), %0(s64), %1\n%21:_(s1) = G_CONSTANT i1 true\n%9:_(s1) = G_XOR %20, %21";
    proved("riscv64", &compare("oge", "%0(s64), %1"), not);
    // Numbers of 16 bits compare as the same ones of 32.
    let wide =
        "%20:_(s32) = G_FPEXT %5(s16)\n%21:_(s32) = G_FPEXT %6(s16)\n%9:_(s1) = G_FCMP floatpred(ueq), %20(s32), %21";
    proved("riscv64", &compare("ueq", "%5(s16), %6"), wide);
}

#[test]
fn instructions_compute_what_opcodes_do() {
    let selected = |opcode: &str, operands: &str| format!("%9:fpr64(s64) = {opcode} {operands}, 7, implicit $frm");
    let generic = |opcode: &str, operands: &str| format!("%9:fpr64(s64) = {opcode} {operands}");
    proved("riscv64", &generic("G_FADD", "%10, %11"), &selected("FADD_D", "%10, %11"));
    proved("riscv64", &generic("G_FSUB", "%10, %11"), &selected("FSUB_D", "%10, %11"));
    proved("riscv64", &generic("G_FDIV", "%10, %11"), &selected("FDIV_D", "%10, %11"));
    proved("riscv64", &generic("G_FSQRT", "%10"), &selected("FSQRT_D", "%10"));
    refuted("riscv64", &generic("G_FADD", "%10, %11"), &selected("FSUB_D", "%10, %11"));
    // Towards zero.
    refuted("riscv64", &generic("G_FADD", "%10, %11"), "%9:fpr64(s64) = FADD_D %10, %11, 1, implicit $frm");
    proved("aarch64", &generic("G_FADD", "%10, %11"), "%9:fpr64(s64) = FADDDrr %10, %11, implicit $fpcr");
    proved("aarch64", &generic("G_FMA", "%10, %11, %10"), "%9:fpr64(s64) = FMADDDrrr %10, %11, %10, implicit $fpcr");
}

/// In a strict function an operation reads the rounding mode and raises flags, which somebody after it may read.
#[test]
fn strict_operations_keep_mode_and_flags() {
    let sum = "%9:fpr64(s64) = G_STRICT_FADD %10, %11";
    let of = |opcode: &str, mode: u32| format!("%9:fpr64(s64) = {opcode} %10, %11, {mode}, implicit $frm");
    proved("riscv64", sum, &of("FADD_D", 7));
    refuted("riscv64", sum, &of("FADD_D", 0));
    refuted("riscv64", sum, &of("FSUB_D", 7));
    proved("aarch64", sum, "%9:fpr64(s64) = FADDDrr %10, %11, implicit $fpcr");
    // Flags that nobody raised before, and flags that are lost.
    refuted("riscv64", sum, &format!("%20:fpr64(s64) = FDIV_D %10, %11, 7, implicit $frm\n{}", of("FADD_D", 7)));
    refuted(
        "riscv64",
        sum,
        &format!("%20:gpr = ReadFFLAGS implicit $fflags\n{}\nWriteFFLAGS %20, implicit-def $fflags", of("FADD_D", 7)),
    );
    proved("riscv64", sum, &format!("%20:fpr64(s64) = FADD_D %10, %11, 7, implicit $frm\n{}", of("FADD_D", 7)));
    let set = "G_SET_ROUNDING %3(s32)";
    refuted("riscv64", &format!("{set}\n{sum}"), &format!("{sum}\n{set}"));
    refuted("riscv64", "%9:_(s64) = G_GET_ROUNDING", "%9:_(s64) = G_GET_FPMODE");
    refuted("aarch64", "%9:_(s64) = G_GET_ROUNDING", "%9:_(s64) = G_CONSTANT i64 1");
    let restored = "%20:_(s64) = G_GET_FPENV\n%9:_(s64) = G_STRICT_FADD %0, %1\nG_SET_FPENV %20(s64)";
    refuted("aarch64", "%9:_(s64) = G_STRICT_FADD %0, %1", restored);
}

/// A call of the runtime library, whose arguments and result stand in general registers.
fn call(symbol: &str, copies: &[(&str, &str)], result: &str) -> String {
    let passed: String = copies.iter().map(|(register, value)| format!("{register} = COPY {value}\n")).collect();
    let implicit: String = copies.iter().map(|(register, _)| format!(", implicit {register}")).collect();
    format!(
        "ADJCALLSTACKDOWN 0, 0, implicit-def $x2, implicit $x2\n{passed}PseudoCALL target-flags(riscv-call) &{symbol}, \
         csr_ilp32_lp64, implicit-def $x1{implicit}, implicit-def $x10\nADJCALLSTACKUP 0, 0, implicit-def $x2, implicit $x2\n\
         {result} = COPY $x10"
    )
}

#[test]
fn library_functions_compute_what_opcodes_do() {
    let both = [("$x10", "%0(s64)"), ("$x11", "%1(s64)")];
    let result = "%9:_(s64)";
    proved("riscv64", &double("G_FADD", "%0, %1"), &call("__adddf3", &both, result));
    proved("riscv64", &double("G_FREM", "%0, %1"), &call("fmod", &both, result));
    proved("riscv64", &double("G_FMINNUM", "%0, %1"), &call("fmin", &both, result));
    proved("riscv64", &double("G_FFLOOR", "%0"), &call("floor", &both[..1], result));
    refuted("riscv64", &double("G_FADD", "%0, %1"), &call("__subdf3", &both, result));
    refuted("riscv64", &double("G_FMINNUM", "%0, %1"), &call("fmax", &both, result));
    refuted("riscv64", &double("G_FFLOOR", "%0"), &call("ceil", &both[..1], result));
    // The same symbol as a program's own function: nothing is known of it.
    let own = call("fmod", &both, result).replace("&fmod", "@fmod");
    let verdict = step("riscv64", &double("G_FREM", "%0, %1"), &own);
    assert!(matches!(verdict, Verdict::Unsupported(_)), "{verdict}");
}

/// An argument of 32 bits is extended by its sign, and the result is.
#[test]
fn conversions_call_with_extended_integers() {
    let convert = "%9:_(s64) = G_SITOFP %3(s32)";
    let passed = |extension: &str| {
        format!("%20:_(s64) = {extension} %3(s32)\n{}", call("__floatsidf", &[("$x10", "%20(s64)")], "%9:_(s64)"))
    };
    proved("riscv64", convert, &passed("G_SEXT"));
    refuted("riscv64", convert, &passed("G_ZEXT"));
    // Bits of an integer that is not extended are anything.
    refuted("riscv64", convert, &passed("G_ANYEXT"));
    let fixed = format!("{}\n%9:_(s32) = G_TRUNC %20(s64)", call("__fixdfsi", &[("$x10", "%0(s64)")], "%20:_(s64)"));
    proved("riscv64", "%9:_(s32) = G_FPTOSI %0(s64)", &fixed);
    refuted("riscv64", "%9:_(s32) = G_FPTOSI_SAT %0(s64)", &fixed);
}

#[test]
fn comparisons_call_and_compare_with_zero() {
    let compare = |predicate: &str| format!("%9:_(s1) = G_FCMP floatpred({predicate}), %0(s64), %1");
    let called = |symbol: &str, predicate: &str| {
        let call = call(symbol, &[("$x10", "%0(s64)"), ("$x11", "%1(s64)")], "%20:_(s64)");
        format!(
            "{call}\n%21:_(s32) = G_TRUNC %20(s64)\n%22:_(s32) = G_CONSTANT i32 0\n\
             %9:_(s1) = G_ICMP intpred({predicate}), %21(s32), %22"
        )
    };
    for (predicate, symbol, relation) in [
        ("oeq", "__eqdf2", "eq"),
        ("une", "__nedf2", "ne"),
        ("olt", "__ltdf2", "slt"),
        ("ole", "__ledf2", "sle"),
        ("ogt", "__gtdf2", "sgt"),
        ("oge", "__gedf2", "sge"),
        ("uno", "__unorddf2", "ne"),
        ("uge", "__ltdf2", "sge"),
    ] {
        proved("riscv64", &compare(predicate), &called(symbol, relation));
    }
    refuted("riscv64", &compare("olt"), &called("__ltdf2", "sle"));
    refuted("riscv64", &compare("ole"), &called("__ledf2", "slt"));
    refuted("riscv64", &compare("oeq"), &called("__eqdf2", "sge"));
}

/// Conversions at several widths are one: integers are made, and read, at a common width.
#[test]
fn integers_are_converted_at_other_widths() {
    let wide = "%20:_(s32) = G_SEXT %7(s8)\n%9:_(s64) = G_SITOFP %20(s32)";
    proved("riscv64", "%9:_(s64) = G_SITOFP %7(s8)", wide);
    refuted("riscv64", "%9:_(s64) = G_UITOFP %7(s8)", wide);
    let unsigned = "%20:_(s64) = G_ZEXT %3(s32)\n%9:_(s64) = G_SITOFP %20(s64)";
    proved("riscv64", "%9:_(s64) = G_UITOFP %3(s32)", unsigned);
    let cut = "%20:_(s32) = G_FPTOSI %0(s64)\n%9:_(s8) = G_TRUNC %20(s32)";
    proved("riscv64", "%9:_(s8) = G_FPTOSI %0(s64)", cut);
    refuted("riscv64", "%9:_(s8) = G_FPTOSI_SAT %0(s64)", cut);
    let cut = "%20:_(s64) = G_FPTOSI %0(s64)\n%9:_(s32) = G_TRUNC %20(s64)";
    proved("riscv64", "%9:_(s32) = G_FPTOUI %0(s64)", cut);
}

/// A flag that promises makes poison, and a step may not add one.
#[test]
fn promises_are_kept_and_dropped() {
    let flagged = double("nnan G_FADD", "%0, %1");
    proved("riscv64", &flagged, &double("G_FADD", "%0, %1"));
    let verdict = step("riscv64", &double("G_FADD", "%0, %1"), &flagged);
    assert!(!matches!(verdict, Verdict::Proved { .. }), "{verdict}");
}

/// Two functions as `validate` compares them.
fn validated(before: &str, after: &str) -> Verdict {
    let target = tribunal_target::by_name("riscv64").unwrap();
    let of = |body: &str| {
        let body = format!(
            "bb.0:\nliveins: $x10, $x11\n\n%0:_(s64) = COPY $x10\n%1:_(s64) = COPY $x11\n{body}\n$x10 = COPY %9(s64)\n\
             PseudoRET implicit $x10"
        );
        function(target, &body)
    };
    let (before, after) = (of(before), of(after));
    let pair = Pair { before: &before, after: &after };
    prover::validate(target, pair, Undef::OneValue, Duration::from_secs(60)).verdict
}

#[test]
fn stages_are_compared_by_the_definitions() {
    let sum = double("G_FADD", "%0, %1");
    let product = "%2:_(s64) = G_FMUL %0, %1\n%9:_(s64) = G_FADD %2, %0";
    for (before, after) in [
        (sum.clone(), double("G_FADD", "%1, %0")),
        (double("G_FSUB", "%0, %1"), "%2:_(s64) = G_FNEG %1\n%9:_(s64) = G_FADD %0, %2".to_string()),
        (product.to_string(), product.replace("%2, %0", "%0, %2")),
    ] {
        let verdict = validated(&before, &after);
        assert!(matches!(verdict, Verdict::Proved { .. }), "{before} -> {after}: {verdict}");
    }
    for (before, after) in [
        (sum.clone(), double("G_FSUB", "%0, %1")),
        (product.to_string(), double("G_FMA", "%0, %1, %0")),
        // A licence is not added.
        (sum.clone(), double("contract G_FADD", "%0, %1")),
    ] {
        let verdict = validated(&before, &after);
        assert!(!matches!(verdict, Verdict::Proved { .. }), "{before} -> {after}: {verdict}");
    }
    let licensed = double("contract G_FADD", "%0, %1");
    assert!(matches!(validated(&licensed, &licensed), Verdict::Proved { .. }));
    assert!(matches!(validated(&licensed, &sum), Verdict::Proved { .. }));
}

/// The result in memory, where no register shows which NaN was chosen.
#[test]
fn results_in_memory_are_compared() {
    let stored = |opcode: &str| format!("{}\nG_STORE %9(s64), %12(p0) :: (store (s64))", double(opcode, "%0, %1"));
    let address = |body: String| format!("%12:_(p0) = G_INTTOPTR %1(s64)\n{body}");
    let [sum, other] = ["G_FADD", "G_FMUL"].map(|opcode| address(stored(opcode)));
    let verdict = validated(&sum, &sum);
    assert!(matches!(verdict, Verdict::Proved { .. }), "{verdict}");
    assert!(!matches!(validated(&sum, &other), Verdict::Proved { .. }));
}
