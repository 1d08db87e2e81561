//! `tribunal validate`: our own legalizer and LLVM's on real functions, a wrong stage, and what LLVM gets wrong. The
//! peer is part of `make test`: a missing one fails the test.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

fn corpus(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus").join(name)
}

/// The exit status, the JSON line, and all that was said.
fn validate(before: &Path, after: &Path, flags: &[&str]) -> (Option<i32>, Value, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tribunal"));
    let output = command.arg("validate").args([before, after]).args(flags).arg("--json").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let report = text.lines().last().and_then(|line| serde_json::from_str(line).ok());
    let report = report.unwrap_or_else(|| panic!("{text}{}", String::from_utf8_lossy(&output.stderr)));
    (output.status.code(), report, text)
}

fn legalized_by_llvm(file: &Path, triple: &str, features: &str, to: &Path) {
    let mut llc = Command::new("llc-22");
    llc.args([&format!("-mtriple={triple}"), &format!("-mattr={features}"), "-run-pass=legalizer", "-simplify-mir"]);
    let status = llc.arg(file).arg("-o").arg(to).status().unwrap();
    assert!(status.success(), "{}", file.display());
}

fn assert_proved(before: &Path, after: &Path, flags: &[&str]) {
    let (status, report, text) = validate(before, after, flags);
    assert_eq!(report["functions"], report["proved"], "{}: {text}", before.display());
    assert!(report["functions"].as_u64() > Some(0) && report["blocks"].as_u64() > report["functions"].as_u64());
    assert_eq!(status, Some(0), "{text}");
}

#[test]
fn our_legalizer_is_proved_over_whole_functions() {
    let folder = tempfile::tempdir().unwrap();
    let after = folder.path().join("after.mir");
    for name in ["arrays.aarch64.O1", "bits.riscv64.O2", "strings.riscv32.O1", "machines.aarch64.O2"] {
        let before = corpus(&format!("real/{name}.mir"));
        let mut compile = Command::new(env!("CARGO_BIN_EXE_tribunal"));
        compile.arg("compile").arg(&before).args(["--stop-after", "legalize", "-o"]).arg(&after);
        assert!(compile.status().unwrap().success(), "{name}");
        assert_proved(&before, &after, &[]);
    }
}

/// A division in front of a sum, whose flags the later stage loses. `registers` are those of the two arguments.
fn flags_lost(folder: &Path, registers: [&str; 2]) -> [PathBuf; 2] {
    ["%3:_(s64) = G_STRICT_FDIV %0, %1", ""].map(|division| {
        let [one, other] = registers;
        let lines = [
            &format!("liveins: ${one}, ${other}"),
            "",
            &format!("%0:_(s64) = COPY ${one}"),
            &format!("%1:_(s64) = COPY ${other}"),
            division,
            "%9:_(s64) = G_STRICT_FADD %0, %1",
            &format!("${one} = COPY %9(s64)"),
            &format!("PseudoRET implicit ${one}"),
        ];
        let head = "# target: riscv64\n---\nname: f\ntracksRegLiveness: true\nbody: |\n  bb.0:\n    ";
        let text = format!("{head}{}\n...\n", lines.join("\n    "));
        let path = folder.join(format!("{one}{}.mir", division.len()));
        std::fs::write(&path, text).unwrap();
        path
    })
}

/// A machine has all that it may have, unless the user says that it has no registers of floating point; one whose code
/// names some has them whatever he says.
#[test]
fn a_machine_has_an_environment_unless_it_is_said_to_have_none() {
    let folder = tempfile::tempdir().unwrap();
    let general = flags_lost(folder.path(), ["x10", "x11"]);
    let floats = flags_lost(folder.path(), ["f10_d", "f11_d"]);
    for ([before, after], flags) in [(&general, &[][..]), (&floats, &[]), (&floats, &["--features=-f"])] {
        let (status, report, text) = validate(before, after, flags);
        assert_eq!((status, &report["refuted"]), (Some(1), &Value::from(1)), "{text}");
    }
    let (status, _, text) = validate(&general[0], &general[1], &["--features=-f"]);
    assert_eq!(status, Some(0), "{text}");
}

#[test]
fn llvms_legalizer_is_proved_over_whole_functions() {
    let folder = tempfile::tempdir().unwrap();
    let after = folder.path().join("after.mir");
    for (name, triple, features) in [
        ("arrays.aarch64.O2", "aarch64", "+neon"),
        ("hashes.aarch64.O1", "aarch64", "+neon"),
        ("arrays.riscv32.O1", "riscv32", "+m"),
        ("bits.riscv64.O1", "riscv64", "+m"),
    ] {
        let before = corpus(&format!("real/{name}.mir"));
        legalized_by_llvm(&before, triple, features, &after);
        assert_proved(&before, &after, &[]);
    }
}

const ROTATE: &str = "rv64_rotate_claims_disjoint.before.mir";

#[test]
fn llvm_keeps_promises_it_cannot_keep() {
    let folder = tempfile::tempdir().unwrap();
    let after = folder.path().join("after.mir");
    let files = std::fs::read_dir(corpus("llvm")).unwrap().map(|entry| entry.unwrap().path());
    // The others are shown by `known-22.toml`, whose test runs them.
    let is_promise = |path: &PathBuf| path.display().to_string().contains("widened") || path.ends_with(ROTATE);
    let files = files.filter(is_promise).collect::<Vec<_>>();
    assert_eq!(files.len(), 10);
    for before in files {
        let name = before.file_name().unwrap().to_str().unwrap();
        let (triple, features) = match name.split_once('_').unwrap().0 {
            "a64" => ("aarch64", "+neon"),
            "rv32" => ("riscv32", "+m"),
            _ => ("riscv64", "+m"),
        };
        legalized_by_llvm(&before, triple, features, &after);
        let (status, report, text) = validate(&before, &after, &[]);
        assert_eq!((status, &report["refuted"]), (Some(1), &Value::from(1)), "{}: {text}", before.display());
        assert!(text.contains("result register 0 is poison"), "{text}");
        let verdict = &report["verdicts"][0];
        let registers = verdict["counterexample"]["registers"].as_object().unwrap();
        assert!(verdict["verdict"] == "refuted" && !registers.is_empty(), "{verdict}");
        assert!(verdict["flag"].as_str().is_some_and(|flag| flag.contains(" of ")), "{verdict}");
        let (status, report, text) = validate(&before, &after, &["--drop-flags"]);
        assert_eq!((status, &report["proved"]), (Some(0), &Value::from(1)), "{}: {text}", before.display());
    }
}

#[test]
fn verdicts_stand_in_the_order_of_the_file_whatever_the_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let (before, after) = (corpus("real/bits.riscv64.O0.mir"), folder.path().join("after.mir"));
    legalized_by_llvm(&before, "riscv64", "+m", &after);
    let said = |jobs: &str| {
        let (status, report, text) = validate(&before, &after, &["--jobs", jobs]);
        assert!(report["refuted"].as_u64() > Some(0) && report["proved"].as_u64() > Some(0), "{text}");
        let functions = report["functions"].as_u64().unwrap() as usize;
        (status, text.lines().take(functions).map(str::to_string).collect::<Vec<_>>())
    };
    let one = said("1");
    assert_eq!(one.0, Some(1));
    assert_eq!(one, said("3"));
}

#[test]
fn a_wrong_stage_is_refuted_with_an_execution() {
    let folder = tempfile::tempdir().unwrap();
    let before = corpus("real/strings.aarch64.O1.mir");
    let after = folder.path().join("after.mir");
    let text = std::fs::read_to_string(&before).unwrap();
    // Loops end a round early or late, and never by the same condition.
    let wrong = text.replace("intpred(eq)", "intpred(ult)");
    assert_ne!(text, wrong);
    std::fs::write(&after, wrong).unwrap();
    let (status, report, said) = validate(&before, &after, &[]);
    assert_eq!(status, Some(1), "{said}");
    assert!(report["refuted"].as_u64() > Some(0) && report["proved"].as_u64() < report["functions"].as_u64(), "{said}");
}

/// Both stages of a file of LLVM IR, by LLVM.
fn stages_of_llvm(ir: &str, triple: &str, features: &str, folder: &Path) -> (PathBuf, PathBuf) {
    let (source, before, after) = (folder.join("f.ll"), folder.join("before.mir"), folder.join("after.mir"));
    std::fs::write(&source, ir).unwrap();
    let mut llc = Command::new("llc-22");
    llc.args([&format!("-mtriple={triple}"), &format!("-mattr={features}"), "-simplify-mir", "-global-isel"]);
    llc.args(["-global-isel-abort=1", "-stop-after=irtranslator"]);
    assert!(llc.arg(&source).arg("-o").arg(&before).status().unwrap().success());
    legalized_by_llvm(&before, triple, features, &after);
    (before, after)
}

/// A division that is a call on 32-bit machines, a global, a call with its result, a copy of memory, and a constant
/// that RISC-V puts into a pool.
const CALLS: &str = "
@g = dso_local global i32 7
declare i64 @next(ptr, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define i64 @f(ptr %p, i64 %x, i64 %y) {
  %q = udiv i64 %x, %y
  %v = load i32, ptr @g
  %w = zext i32 %v to i64
  %s = add i64 %q, %w
  %r = call i64 @next(ptr %p, i64 %s)
  call void @llvm.memcpy.p0.p0.i64(ptr @g, ptr %p, i64 4, i1 false)
  %b = add i64 %r, 81985529216486895
  ret i64 %b
}
";

#[test]
fn calls_globals_and_constant_pools_are_judged() {
    let folder = tempfile::tempdir().unwrap();
    for (triple, features) in [("riscv32", "+m"), ("riscv64", "+m"), ("aarch64", "+neon")] {
        let (before, after) = stages_of_llvm(CALLS, triple, features, folder.path());
        let (status, report, text) = validate(&before, &after, &[]);
        assert_eq!((status, &report["proved"]), (Some(0), &Value::from(1)), "{triple}: {text}");
        // The call is given something else.
        let written = std::fs::read_to_string(&after).unwrap();
        let wrong = written.replace("%7:_(s64) = G_ADD", "%7:_(s64) = G_SUB").replace("G_UDIV", "G_UREM");
        let wrong = wrong.replace("__udivdi3", "__umoddi3");
        assert_ne!(written, wrong, "{triple}: {written}");
        std::fs::write(&after, wrong).unwrap();
        let (status, _, text) = validate(&before, &after, &[]);
        assert_eq!(status, Some(1), "{triple}: {text}");
        assert!(text.contains("argument") && text.contains("of @next"), "{triple}: {text}");
    }
}

#[test]
fn an_instruction_known_by_name_only_is_printed_back_and_not_compiled() {
    let folder = tempfile::tempdir().unwrap();
    let (_, after) = stages_of_llvm(CALLS, "aarch64", "+neon", folder.path());
    let object = folder.path().join("f.o");
    let mut compile = Command::new(env!("CARGO_BIN_EXE_tribunal"));
    let output = compile.arg("compile").arg(&after).arg("-o").arg(&object).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("f: G_ADD_LOW is not supported (legalize)"), "{said}");
    let text = std::fs::read_to_string(&after).unwrap();
    let vocabulary = tribunal_target::aarch64::AARCH64.vocabulary;
    let printed =
        tribunal_ir::text::print_module(&tribunal_ir::text::parse_module(&text, vocabulary).unwrap(), vocabulary);
    for line in text.lines().filter(|line| line.contains("ADRP") || line.contains("G_ADD_LOW")) {
        assert!(printed.contains(line.trim()), "{line}\n{printed}");
    }
    let misspelt = text.replace("G_ADD_LOW", "G_ADD_LOWER");
    let unread = tribunal_ir::text::parse_module(&misspelt, vocabulary).unwrap().whole().unwrap_err();
    assert_eq!(unread.unknown.to_string(), "opcode `G_ADD_LOWER`");
}

const BODY: &str = "---
name: NAME
body: |
  bb.0:
    liveins: $x10, $x11

    %0:_(s64) = COPY $x10
    %1:_(s64) = COPY $x11
    %2:_(s64) = G_CONSTANT i64 81985529216486895
    %3:_(s64) = G_XOR %0, %2
    %4:_(s1) = G_ICMP intpred(eq), %3(s64), %1
    %5:_(s64) = G_ZEXT %4(s1)
    %6:_(s64) = FLAG G_SUB %5, %4-
    $x10 = COPY %6(s64)
    PseudoRET implicit $x10
...
";

/// Functions of the text of `BODY` with other operations in it.
fn written(path: &Path, edits: &[(&str, &str, &str)]) {
    let function = |&(name, from, to): &(&str, &str, &str)| BODY.replace("NAME", name).replace(from, to);
    let text: String = edits.iter().map(function).collect();
    std::fs::write(path, text.replace("FLAG ", "").replace("%4-", "%0")).unwrap();
}

#[test]
fn each_function_has_its_verdict_input_and_time() {
    let folder = tempfile::tempdir().unwrap();
    let (before, after) = (folder.path().join("before.mir"), folder.path().join("after.mir"));
    written(&before, &[("same", "", ""), ("rare", "", ""), ("promise", "", "")]);
    // Where `x ^ C == y`, which no input that is tried by itself shows, one borrows.
    let rare = ("rare", "FLAG G_SUB %5, %4-", "G_SUB %4-, %5");
    written(&after, &[("same", "", ""), rare, ("promise", "FLAG ", "nuw ")]);
    let (status, report, text) = validate(&before, &after, &["--target", "riscv64"]);
    assert_eq!(status, Some(1), "{text}");
    let verdicts = report["verdicts"].as_array().unwrap();
    let field = |key: &str| verdicts.iter().map(|verdict| verdict[key].clone()).collect::<Vec<_>>();
    assert_eq!(field("name"), ["same", "rare", "promise"]);
    assert_eq!(field("verdict"), ["proved", "refuted", "refuted"], "{text}");
    assert!(verdicts.iter().all(|verdict| verdict["seconds"].as_f64() > Some(0.0)));
    assert!(
        verdicts[2]["flag"].as_str().is_some_and(|flag| flag.starts_with("`nuw` of `%6:_(s64) = nuw G_SUB")),
        "{text}"
    );
    assert!(verdicts[2]["counterexample"]["registers"]["$x10"].is_string(), "{text}");
    assert!(text.contains("; proved without `nuw` of "), "{text}");
}

#[test]
fn instructions_that_no_table_describes_are_counted_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("unknown.mir");
    let lines = "  bb.0:\n    %0:gpr = IMPLICIT_DEF\n    %1:gpr = FROBNICATE %0, 1\n    PseudoRET implicit %1\n";
    std::fs::write(&file, format!("---\nname: f\nbody: |\n{lines}...\n")).unwrap();
    let (_, report, text) = validate(&file, &file, &["--target", "riscv64"]);
    assert_eq!(report["undescribed"], serde_json::json!({ "FROBNICATE": 2 }), "{text}");
}

/// z3 4.8.12 ended in a segmentation fault on the first function, before its product was taken for a sum.
#[test]
fn a_division_at_a_width_of_no_word_is_proved() {
    let folder = tempfile::tempdir().unwrap();
    let ir = "
define i48 @hard(i48 %x) {
  %r = srem i48 %x, 8
  %s = sub i48 %x, %r
  ret i48 %s
}
define i32 @easy(i32 %x) {
  %r = add i32 %x, 1
  ret i32 %r
}
";
    let source = folder.path().join("f.ll");
    std::fs::write(&source, ir).unwrap();
    let stage = |stop: &str| {
        let path = folder.path().join(format!("{stop}.mir"));
        let mut llc = Command::new("llc-22");
        llc.args(["-mtriple=riscv32", "-mattr=+m", "-global-isel", "-O2", &format!("-stop-after={stop}")]);
        assert!(llc.arg(&source).arg("-o").arg(&path).status().unwrap().success());
        path
    };
    let (_, report, text) = validate(&stage("irtranslator"), &stage("riscv-prelegalizer-combiner"), &[]);
    assert_eq!((&report["functions"], &report["proved"]), (&Value::from(2), &Value::from(2)), "{text}");
}

/// A case of LLVM that an old version does not show is not new; one that the list names is set aside.
#[test]
fn a_campaign_sets_aside_what_is_known_and_what_another_compiler_has_too() {
    let folder = tempfile::tempdir().unwrap();
    let known = folder.path().join("known.toml");
    let case = corpus("llvm/rv64_bswap_mask_too_wide.before.mir");
    let fault = format!(
        "[[fault]]\nsignatures = [\"none: of: these\"]\nwhat = \"nothing\"\ncase = {case:?}\nargument = \"\"\n"
    );
    std::fs::write(&known, fault).unwrap();
    let out = folder.path().join("out");
    let run = |more: &[&str]| {
        let mut tribunal = Command::new(env!("CARGO_BIN_EXE_tribunal"));
        tribunal.args(["fuzz", "--backend", "llc-22", "--target", "riscv64", "--runs", "1", "--jobs", "1", "--out"]);
        let output = tribunal.arg(&out).args(more).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
    };
    let (_, said) = run(&["--known", known.to_str().unwrap(), "--against", "llc-22"]);
    assert!(said.contains("known, and its case no longer shows it: nothing"), "{said}");
    let (status, said) = run(&["--known", "no-such-list.toml"]);
    assert!(status == Some(2) && said.contains("no-such-list.toml"), "{said}");
    // A crash file that names another compiler is run by that one.
    let text = std::fs::read_to_string(&case).unwrap();
    let crash = folder.path().join("crash.mir");
    std::fs::write(&crash, format!("# backend: llc-22\n# level: -O2\n{text}")).unwrap();
    let replay = |more: &[&str]| {
        let mut tribunal = Command::new(env!("CARGO_BIN_EXE_tribunal"));
        let output = tribunal.arg("replay").arg(&crash).args(more).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (status, said) = replay(&[]);
    assert!(status == Some(1) && said.contains("guilty: miscompiled: legalizer: G_BSWAP lower"), "{said}");
    // So does an issue: the IR, the command, and the part of the LangRef.
    let lines = "# signature: miscompiled\n#   result register 0 is 1, expected 0x80\n";
    std::fs::write(&crash, format!("# backend: llc-22\n# level: -O2\n{lines}{text}")).unwrap();
    let (ir, issue) = (folder.path().join("f.ll"), folder.path().join("issue.md"));
    let mut tribunal = Command::new(env!("CARGO_BIN_EXE_tribunal"));
    let raised = tribunal.arg("raise").arg(&crash).arg("-o").arg(&ir).arg("--issue").arg(&issue).output().unwrap();
    assert_eq!(raised.status.code(), Some(0), "{}", String::from_utf8_lossy(&raised.stderr));
    let issue = std::fs::read_to_string(issue).unwrap();
    for part in ["call i64 @llvm.bswap.i64(i64 %a0)", "llc-22 -mattr=+m,", " -O2 -global-isel ", "expected 0x80"] {
        assert!(issue.contains(part), "{issue}");
    }
    assert!(issue.ends_with("What is expected follows from: LangRef, intrinsic `llvm.bswap`.\n"), "{issue}");
    let (status, said) = replay(&["--features", "+zbb"]);
    assert!(status == Some(0) && said.contains("no finding with `llc-22`"), "{said}");
}
