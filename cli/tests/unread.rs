//! One function of a file names something unknown: it is `unsupported` by name and place, and the others get their
//! verdicts.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Five functions of which `double` names a register of vectors.
const FILE: &str = "# target: riscv64
---
name: add
tracksRegLiveness: true
body: |
  bb.0:
    liveins: $x10, $x11

    %0:_(s64) = COPY $x10
    %1:_(s64) = COPY $x11
    %2:_(s64) = G_ADD %0, %1
    $x10 = COPY %2(s64)
    PseudoRET implicit $x10
...
---
name: sub
tracksRegLiveness: true
body: |
  bb.0:
    liveins: $x10, $x11

    %0:_(s64) = COPY $x10
    %1:_(s64) = COPY $x11
    %2:_(s64) = G_SUB %0, %1
    $x10 = COPY %2(s64)
    PseudoRET implicit $x10
...
---
name: double
tracksRegLiveness: true
body: |
  bb.0:
    liveins: $v8

    %0:_(s64) = COPY $v8
    %1:_(s64) = G_FADD %0, %0
    $v8 = COPY %1(s64)
    PseudoRET implicit $v8
...
---
name: or
tracksRegLiveness: true
body: |
  bb.0:
    liveins: $x10, $x11

    %0:_(s64) = COPY $x10
    %1:_(s64) = COPY $x11
    %2:_(s64) = G_OR %0, %1
    $x10 = COPY %2(s64)
    PseudoRET implicit $x10
...
---
name: not
tracksRegLiveness: true
body: |
  bb.0:
    liveins: $x10

    %0:_(s64) = COPY $x10
    %1:_(s64) = G_CONSTANT i64 -1
    %2:_(s64) = G_XOR %0, %1
    $x10 = COPY %2(s64)
    PseudoRET implicit $x10
...
";

/// Where it stands, and what it is.
const UNSUPPORTED: &str = "file.mir:33:14: @double: unsupported: register `$v8`";

struct Folder {
    folder: tempfile::TempDir,
}

impl Folder {
    fn new(text: &str) -> Folder {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("file.mir"), text).unwrap();
        Folder { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The exit status, the JSON line, and all that was said.
    fn run(&self, arguments: &[&str]) -> (Option<i32>, Value, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tribunal"));
        let output = command.args(arguments).arg("--json").current_dir(self.folder.path()).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let said = format!("{text}{}", String::from_utf8_lossy(&output.stderr));
        let report = text.lines().last().and_then(|line| serde_json::from_str(line).ok());
        (output.status.code(), report.unwrap_or_else(|| panic!("no report in:\n{said}")), said)
    }
}

/// Numbers of the report, by their keys.
fn counts<const N: usize>(report: &Value, keys: [&str; N]) -> [u64; N] {
    keys.map(|key| report[key].as_u64().unwrap_or_else(|| panic!("no number `{key}` in {report}")))
}

#[test]
fn trial_gives_four_verdicts_and_names_the_register() {
    let (status, report, said) = Folder::new(FILE).run(&["trial", "file.mir", "--no-cache"]);
    assert_eq!(status, Some(3), "{said}");
    assert_eq!(counts(&report, ["functions", "passed", "unsupported", "findings"]), [5, 4, 1, 0], "{said}");
    assert_eq!(report["unsupported_features"]["register `$v8`"], 1, "{said}");
    assert!(report["executions"].as_u64() >= Some(100), "{said}");
    assert!(said.contains(UNSUPPORTED), "{said}");
}

#[test]
fn verify_and_validate_judge_the_others() {
    let folder = Folder::new(FILE);
    let (status, report, said) = folder.run(&["verify", "file.mir"]);
    assert_eq!((status, counts(&report, ["functions", "findings", "unsupported"])), (Some(3), [5, 0, 1]), "{said}");
    assert!(said.contains(UNSUPPORTED), "{said}");
    let (status, report, said) = folder.run(&["validate", "file.mir", "file.mir"]);
    let keys = ["functions", "proved", "refuted", "unknown", "unsupported"];
    assert_eq!((status, counts(&report, keys)), (Some(3), [5, 4, 0, 0, 1]), "{said}");
    assert_eq!(report["unsupported_reasons"]["register `$v8`"], 1, "{said}");
    assert!(said.contains(UNSUPPORTED) && said.contains("double: unsupported: register `$v8`"), "{said}");
}

/// LLVM leaves generic and selected instructions side by side in a function that it gives up on. A PHI may lack its
/// values.
#[test]
fn a_function_that_llvm_gave_up_on_is_unsupported() {
    let given_up = FILE.replace("name: sub\n", "name: sub\nfailedISel: true\n").replace("G_SUB %0, %1", "G_PHI");
    let folder = Folder::new(&given_up);
    let (status, report, said) = folder.run(&["trial", "file.mir", "--no-cache"]);
    assert_eq!(status, Some(3), "{said}");
    assert_eq!(counts(&report, ["functions", "passed", "unsupported", "findings"]), [5, 3, 2, 0], "{said}");
    assert_eq!(report["unsupported_features"]["failedISel"], 1, "{said}");
    let (status, report, said) = folder.run(&["verify", "file.mir"]);
    assert_eq!((status, counts(&report, ["functions", "findings", "unsupported"])), (Some(3), [5, 0, 2]), "{said}");
    assert!(said.contains("file.mir: @sub: unsupported: failedISel"), "{said}");
    let (status, report, said) = folder.run(&["validate", "file.mir", "file.mir"]);
    assert_eq!((status, counts(&report, ["functions", "proved", "unsupported"])), (Some(3), [5, 3, 2]), "{said}");
    assert_eq!(report["unsupported_reasons"]["failedISel"], 1, "{said}");
    let (status, report, said) = folder.run(&["compile", "file.mir", "-o", "out"]);
    assert_eq!((status, counts(&report, ["functions", "failed"])), (Some(3), [5, 2]), "{said}");
    assert!(said.contains("sub: failedISel is not supported"), "{said}");
}

#[test]
fn explain_tells_the_others_and_a_function_that_was_not_read_by_its_name() {
    let folder = Folder::new(FILE);
    let (status, report, said) = folder.run(&["explain", "file.mir"]);
    assert_eq!((status, counts(&report, ["functions", "refuted", "unsupported"])), (Some(3), [5, 0, 1]), "{said}");
    assert!(said.contains(UNSUPPORTED) && said.contains("name:            not"), "{said}");
    let (status, report, said) = folder.run(&["explain", "file.mir", "--function", "double"]);
    assert_eq!((status, counts(&report, ["functions", "unsupported"])), (Some(3), [1, 1]), "{said}");
}

#[test]
fn compile_writes_no_part_of_a_file() {
    let folder = Folder::new(FILE);
    for flags in [&["--emit", "obj"][..], &["--emit", "mir"], &["--stop-after", "legalize", "--prove-each"]] {
        let (status, report, said) = folder.run(&[&["compile", "file.mir", "-o", "out"], flags].concat());
        assert_eq!(status, Some(3), "{said}");
        assert_eq!(counts(&report, ["functions", "failed", "findings", "unsupported"]), [5, 1, 0, 1], "{said}");
        assert!(said.contains(&format!("error: {UNSUPPORTED}")), "{said}");
        assert!(!folder.path("out").exists());
    }
}

#[test]
fn replay_and_reduce_say_what_they_set_aside() {
    let folder = Folder::new(FILE);
    let (status, report, said) = folder.run(&["replay", "file.mir"]);
    assert_eq!((status, counts(&report, ["findings", "unsupported"])), (Some(3), [0, 1]), "{said}");
    assert!(said.contains(UNSUPPORTED), "{said}");
    let (_, _, said) = folder.run(&["reduce", "file.mir", "-o", "small.mir", "--check", "grep -q G_XOR"]);
    assert!(said.contains(UNSUPPORTED), "{said}");
    assert!(!std::fs::read_to_string(folder.path("small.mir")).unwrap().contains("v8"));
}

#[test]
fn a_corpus_counts_what_is_unknown() {
    let folder = Folder::new(FILE);
    let corpus = folder.path("corpus");
    std::fs::create_dir(&corpus).unwrap();
    std::fs::rename(folder.path("file.mir"), corpus.join("file.mir")).unwrap();
    let fuzz = ["fuzz", "--corpus", "corpus", "--runs", "2", "--target", "riscv64", "--jobs", "1", "--no-cache"];
    let (_, _, said) = folder.run(&fuzz);
    assert!(said.contains("corpus: 4 functions read, 1 set aside"), "{said}");
    assert!(said.contains("set aside, unknown: register `$v8` (1 times)"), "{said}");
}

/// What each line becomes that names something unknown, and how it is called.
#[test]
fn unknown_things_are_called_by_their_kind() {
    let function = |line: &str| {
        FILE.replace("    liveins: $v8\n", "").replace("    %0:_(s64) = COPY $v8\n", line).replace("$v8", "$x10")
    };
    for (line, unknown) in [
        ("    %0:gpr64all(s64) = COPY $x10\n", "register class or bank `gpr64all`"),
        ("    %9:_(s64) = COPY $x10\n    %0:_(s64) = COPY %9.sub_gpr_even(s64)\n", "sub-register index `sub_gpr_even`"),
        ("    %0:_(s64) = G_FROB $x10\n", "opcode `G_FROB`"),
        (
            "    PseudoCALL @f, csr_some_mask, implicit-def $x10\n    %0:_(s64) = COPY $x10\n",
            "register mask `csr_some_mask`",
        ),
        ("    %0:_(s64) = G_CONSTANT i4096 1\n", "constant of type `i4096`"),
        ("    %0:_(p9999) = COPY $x10\n", "type `p9999`"),
        (
            "    %8:_(p0) = COPY $x10\n    %0:_(s64) = G_LOAD %8(p0) :: (\"some-flag\" load (s64))\n",
            "target flag of a memory operand `some-flag`",
        ),
        ("    BUNDLE implicit-def $x10 {\n    }\n    %0:_(s64) = COPY $x10\n", "operand `{`"),
    ] {
        let (status, report, said) = Folder::new(&function(line)).run(&["verify", "file.mir"]);
        assert_eq!((status, counts(&report, ["functions", "unsupported"])), (Some(3), [5, 1]), "{said}");
        assert!(said.contains(&format!("@double: unsupported: {unknown}\n")), "{said}");
    }
    for (header, unknown) in [
        ("liveins:\n  - { reg: '$v8' }\n", "register `$v8`"),
        ("stack:\n  - { id: 0, size: 8, type: other }\n", "stack object of type `other`"),
        ("stack:\n  - { id: 0, size: 8, stack-id: scalable-vector }\n", "stack object with stack-id `scalable-vector`"),
        ("frameInfo:\n  hasMagic: true\n", "frame information `hasMagic`"),
        ("registers:\n  - { id: 0, class: fpr }\n", "register class or bank `fpr`"),
    ] {
        let text =
            function("    %0:_(s64) = COPY $x10\n").replace("name: double\n", &format!("name: double\n{header}"));
        let (status, _, said) = Folder::new(&text).run(&["verify", "file.mir"]);
        assert_eq!(status, Some(3), "{said}");
        assert!(said.contains(&format!("@double: unsupported: {unknown}\n")), "{said}");
    }
}

/// Text that is wrong refuses the file, after something unknown too.
#[test]
fn malformed_text_is_an_error_with_a_caret() {
    for (line, wrong) in [
        ("    %1:_(s64) = G_FADD %0, %0\n", "    %1:_(s64) = G_FADD %0 %0\n"),
        ("    %1:_(s64) = G_FADD %0, %0\n", "    %1:_(s64) G_FADD %0, %0\n"),
        ("    liveins: $v8\n", "    liveins: $\n"),
        ("    %1:_(s64) = G_FADD %0, %0\n", "    %1:_(t64) = G_FADD %0, %0\n"),
    ] {
        assert!(FILE.contains(line));
        let folder = Folder::new(&FILE.replace(line, wrong));
        let output = Command::new(env!("CARGO_BIN_EXE_tribunal")).arg("trial").arg(folder.path("file.mir")).output();
        let output = output.unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{wrong}: {text}");
        assert!(text.contains('^') && text.contains("file.mir:3"), "{text}");
    }
}

/// Nothing that prints a module loses a function that was not read.
#[test]
fn an_unread_function_is_printed_as_it_stood_and_where_it_stood() {
    let target = tribunal_target::by_name("riscv64").unwrap();
    let module = tribunal_ir::text::parse_module(FILE, target.vocabulary).unwrap();
    let names: Vec<&str> = module.entries().map(|entry| entry.name()).collect();
    assert_eq!(names, ["add", "sub", "double", "or", "not"]);
    let printed = tribunal_ir::text::print_module(&module, target.vocabulary);
    let document = FILE.split("---\n").find(|document| document.starts_with("name: double")).unwrap();
    assert!(printed.contains(&format!("---\n{document}")), "{printed}");
    let again = tribunal_ir::text::parse_module(&printed, target.vocabulary).unwrap();
    assert_eq!(tribunal_ir::text::print_module(&again, target.vocabulary), printed);
    assert_eq!(module.whole().unwrap_err().to_string(), "@double: 33:14: register `$v8`");
}

#[test]
fn a_file_of_nothing_but_unknown_things_is_unsupported_and_no_mir_is_an_error() {
    let text = FILE.replace("$x10", "$x99");
    let (status, report, said) = Folder::new(&text).run(&["trial", "file.mir", "--no-cache"]);
    assert_eq!((status, counts(&report, ["functions", "unsupported", "passed"])), (Some(3), [5, 5, 0]), "{said}");
    let folder = Folder::new("# target: riscv64\n--- |\n  define void @f() { ret void }\n...\n");
    let verify = Command::new(env!("CARGO_BIN_EXE_tribunal")).arg("verify").arg(folder.path("file.mir")).output();
    assert_eq!(verify.unwrap().status.code(), Some(2));
    assert!(Path::new(&folder.path("file.mir")).exists());
}
