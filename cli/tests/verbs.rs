//! Each verb on a file of the corpus: its exit status, and what its JSON line counts.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn corpus(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus").join(name)
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tribunal"));
    // Proofs that tests keep are the tests' own.
    command.args(arguments).env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
    command
}

/// Runs the verb, which must end well, and reads the last line of its standard output.
fn report(arguments: &[&str]) -> Value {
    let output = command(arguments).arg("--json").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    serde_json::from_str(text.lines().last().unwrap_or_default()).unwrap_or_else(|error| panic!("{error} in:\n{text}"))
}

fn count(report: &Value, key: &str) -> u64 {
    report[key].as_u64().unwrap_or_else(|| panic!("no number `{key}` in {report}"))
}

fn nothing_open(report: &Value, keys: &[&str]) {
    keys.iter().for_each(|key| assert_eq!(count(report, key), 0, "{key} in {report}"));
}

#[test]
fn compile_verifies_and_proves_what_it_writes() {
    let (file, folder) = (corpus("real/numbers.aarch64.O2.mir"), tempfile::tempdir().unwrap());
    let object = folder.path().join("numbers.o");
    let (file, out) = (file.to_str().unwrap(), object.to_str().unwrap());
    let report = report(&["compile", file, "--verify-each", "--prove-each", "-o", out]);
    nothing_open(&report, &["failed", "findings", "unknown", "unsupported"]);
    assert_eq!(count(&report, "functions"), 9, "{report}");
    assert!(count(&report, "proved") > 100, "{report}");
    assert!(std::fs::read(object).unwrap().starts_with(b"\x7fELF"));
}

#[test]
fn compile_and_explain_take_no_broken_function() {
    let (file, folder) = (corpus("run/riscv64/g_mul.mir"), tempfile::tempdir().unwrap());
    let (broken, object) = (folder.path().join("broken.mir"), folder.path().join("broken.o"));
    let text = std::fs::read_to_string(file).unwrap().replacen(" = G_MUL %1, ", " = G_MUL %4, ", 1);
    std::fs::write(&broken, text).unwrap();
    let (file, out) = (broken.to_str().unwrap(), object.to_str().unwrap());
    for arguments in [&["compile", file, "-o", out][..], &["explain", file]] {
        let output = command(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains("the machine verifier rejects @") && said.contains("G_MUL %4, "), "{said}");
    }
    assert!(!object.exists());
}

#[test]
fn compile_writes_what_the_name_of_the_output_says() {
    let (file, folder) = (corpus("run/riscv64/g_mul.mir"), tempfile::tempdir().unwrap());
    let written = |name: &str, more: &[&str]| {
        let out = folder.path().join(name);
        let arguments = ["compile", file.to_str().unwrap(), "-o", out.to_str().unwrap()];
        report(&[&arguments[..], more].concat());
        std::fs::read(out).unwrap()
    };
    let is_object = |bytes: &[u8]| bytes.starts_with(b"\x7fELF");
    let is_assembly = |bytes: &[u8]| String::from_utf8_lossy(bytes).contains("\t.text");
    let is_mir = |bytes: &[u8]| String::from_utf8_lossy(bytes).contains("\nbody:");
    assert!(is_object(&written("x.o", &[])) && is_object(&written("x", &[])));
    assert!(is_assembly(&written("x.s", &[])) && is_mir(&written("x.mir", &[])));
    // A flag wins over the name, and a stage is always MIR.
    assert!(is_object(&written("x.s", &["--emit", "obj"])) && is_assembly(&written("x.mir", &["--emit", "asm"])));
    assert!(is_mir(&written("x.o", &["--emit", "mir"])) && is_mir(&written("x.o", &["--stop-after", "select"])));
    let output = command(&["compile", file.to_str().unwrap(), "-o", "-"]).output().unwrap();
    assert!(is_object(&output.stdout));
}

#[test]
fn trial_counts_every_judge() {
    let file = corpus("real/wide.riscv64.O1.mir");
    let report = report(&["trial", file.to_str().unwrap()]);
    nothing_open(&report, &["findings", "unsupported", "refuted", "unknown"]);
    assert_eq!(count(&report, "functions"), count(&report, "passed"));
    assert!(count(&report, "executions") >= 30 * count(&report, "functions"), "{report}");
    assert!(count(&report, "proved") > 100, "{report}");
}

#[test]
fn verify_finds_nothing_in_real_input() {
    let report = report(&["verify", corpus("real/sorting.aarch64.O0.mir").to_str().unwrap()]);
    nothing_open(&report, &["findings"]);
    assert_eq!(count(&report, "functions"), 6, "{report}");
}

#[test]
fn prove_goes_through_the_catalogue_of_an_opcode() {
    let report = report(&["prove", "--target", "riscv64", "--opcode", "G_ADD"]);
    nothing_open(&report, &["refuted", "unknown", "unsupported"]);
    assert!(count(&report, "obligations") > 500, "{report}");
    assert_eq!(count(&report, "obligations"), count(&report, "proved"));
}

/// One second is too short for a whole machine: what was done counts, and nothing is written.
#[test]
fn prove_that_is_stopped_by_its_time_is_no_success() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ledger.txt");
    let to = file.to_str().unwrap();
    let arguments = ["prove", "--target", "riscv32", "--seconds", "1", "--no-cache", "--ledger", to];
    let output = command(&arguments).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.contains("stopped: something is left"), "{text}");
    assert!(!file.exists());
}

#[test]
fn prove_checks_the_tables_without_a_solver() {
    let tables = ledger("tables").display().to_string();
    let report = report(&["prove", "--tables", "--target", "aarch64", "--ledger", &tables, "--check-ledger"]);
    nothing_open(&report, &["endless", "illegal", "missing", "holes", "idle", "ledger_differences"]);
    assert!(count(&report, "queries") > 20_000 && count(&report, "legal") > 100, "{report}");
    let sum = ["legal", "legalized", "cannot"].map(|key| count(&report, key)).iter().sum::<u64>();
    assert_eq!(count(&report, "queries"), sum);
    let refuses = |report: &Value, start: &str| {
        let mut lines = report["refusals"].as_array().unwrap().iter().filter_map(|line| line.as_str());
        lines.any(|line| line.starts_with(start))
    };
    // Two registers are divided by the library, four by nobody.
    assert!(refuses(&report, "aarch64: G_UDIV s129..s512: aarch64 G_UDIV#3 unsupported_if"), "{report}");
    let without_m = ["prove", "--tables", "--target", "riscv32", "--features", "-m"];
    let report = self::report(&[&without_m[..], &["--ledger", &tables, "--check-ledger"]].concat());
    nothing_open(&report, &["endless", "illegal", "missing", "holes", "idle", "ledger_differences"]);
    assert!(refuses(&report, "riscv32-m: G_UDIV s65..s512: riscv32 G_UDIV#2 unsupported_if"), "{report}");
    assert!(!refuses(&report, "riscv32-m: G_UDIV s64"), "{report}");
}

fn ledger(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../verifier/ledger/{target}.txt"))
}

/// Everything, from no proofs at all: what a change breaks is red here, by the name of its rule, and so is what it
/// moves to another engine. Targets have steps in common, and those are proved once.
#[test]
fn the_whole_catalogue_is_proved_as_the_committed_ledgers_say() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().to_str().unwrap();
    for target in ["riscv64", "riscv32", "aarch64"] {
        let file = ledger(target);
        let all = ["prove", "--target", target, "--jobs", "2", "--cache", cache, "--ledger", file.to_str().unwrap()];
        let report = report(&[&all[..], &["--check-ledger"]].concat());
        nothing_open(&report, &["refuted", "unknown", "unsupported", "ledger_differences"]);
        assert!(count(&report, "obligations") > 500_000, "{report}");
    }
}

#[test]
fn a_ledger_that_differs_is_a_diff_and_status_1() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.txt");
    let file = path.to_str().unwrap();
    let catalogue = ["prove", "--target", "riscv64", "--opcode", "G_FREEZE", "--ledger", file];
    assert!(count(&report(&catalogue), "obligations") > 100);
    let check = [&catalogue[..], &["--check-ledger"]].concat();
    assert_eq!(count(&report(&check), "ledger_differences"), 0);
    let written = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, written.replacen("| structural |", "| z3 |", 1)).unwrap();
    let output = command(&check).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    let added: Vec<&str> = text.lines().filter(|line| line.starts_with('+')).collect();
    assert!(added.len() == 1 && added[0].contains("| G_FREEZE | structural |"), "{text}");
    // A proof of another solver is another proof.
    std::fs::write(&path, written.replacen("# solver: z3 ", "# solver: z3 of another version ", 1)).unwrap();
    let output = command(&check).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("proved with z3 of another version"));
}

/// A second solver that gives one answer to everything, and what z3 is then said to be.
#[test]
#[cfg(unix)]
fn a_second_solver_that_disagrees_is_a_finding() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let run = |says: &str| {
        let solver = folder.path().join(format!("says-{says}"));
        std::fs::write(&solver, format!("#!/bin/sh\necho {says}\n")).unwrap();
        std::fs::set_permissions(&solver, std::fs::Permissions::from_mode(0o755)).unwrap();
        let questions = folder.path().join("questions").to_str().unwrap().to_string();
        let part = ["prove", "--target", "riscv64", "--opcode", "G_FREEZE", "--shard", "1/8", "--json"];
        let asked = ["--emit-smt2", &questions, "--confirm", solver.to_str().unwrap()];
        let output = command(&[&part[..], &asked].concat()).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let report: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        (output.status.code(), report)
    };
    let (status, report) = run("unsat");
    let questions = count(&report, "questions");
    assert!(status == Some(0) && questions > 0, "{report}");
    assert_eq!(count(&report, "confirmed"), questions);
    let (status, report) = run("sat");
    assert_eq!((status, count(&report, "disagreements")), (Some(1), questions));
    let files: Vec<_> = std::fs::read_dir(folder.path().join("questions")).unwrap().collect();
    assert_eq!(files.len() as u64, questions);
    let script = std::fs::read_to_string(files[0].as_ref().unwrap().path()).unwrap();
    assert!(script.contains("(set-logic QF_BV)") && script.contains("(check-sat)"), "{script}");
}

#[test]
fn fuzz_judges_the_programs_it_makes() {
    let folder = tempfile::tempdir().unwrap();
    let report = report(&["fuzz", "--runs", "200", "--out", folder.path().to_str().unwrap()]);
    assert_eq!(count(&report, "programs"), 200);
    nothing_open(&report, &["rejected", "unknown", "unsupported"]);
    assert!(count(&report, "executions") >= 16 * 200, "{report}");
    for kind in ["types", "recipes", "immediates", "pairs"] {
        assert!(count(&report["features"], kind) > 20, "{kind} in {report}");
    }
    // So few programs do not come to every rule set.
    let rules = report["rules"].as_array().unwrap();
    let reached: Vec<&Value> = rules.iter().filter(|rules| count(rules, "fired") > 0).collect();
    assert!(2 * reached.len() > rules.len(), "{report}");
    let listed = |rules: &Value, key: &str| rules[key].as_array().unwrap().len() as u64;
    for rules in &reached {
        let silent = listed(rules, "proved_never");
        assert!(silent <= count(rules, "proved") && silent < listed(rules, "never"), "{rules}");
    }
    // A set with one program may have met none of its proved rules.
    assert!(reached.iter().any(|rules| listed(rules, "proved_never") < count(rules, "proved")), "{report}");
}

#[test]
fn a_corpus_grows_and_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let (corpus, out) = (folder.path().join("corpus"), folder.path().join("out"));
    let fuzz =
        || report(&["fuzz", "--runs", "12", "--corpus", corpus.to_str().unwrap(), "--out", out.to_str().unwrap()]);
    let added = count(&fuzz(), "corpus_added");
    assert!(added > 0);
    let files = std::fs::read_dir(&corpus).unwrap().count() as u64;
    assert!(files > 0 && files <= added, "{files} files of {added}");
    assert_eq!(count(&fuzz(), "programs"), 12);
    assert!(std::fs::read_dir(&corpus).unwrap().count() as u64 >= files);
}

#[test]
fn replay_runs_a_mended_bug() {
    for bug in std::fs::read_dir(corpus("bugs")).unwrap() {
        let path = bug.unwrap().path();
        let report = report(&["replay", path.to_str().unwrap()]);
        assert_eq!(report["guilty"].as_array().map(Vec::len), Some(0), "{report}");
        assert!(count(&report, "executions") >= 32, "{report}");
    }
}

#[test]
fn explain_names_rules_and_verdicts() {
    let file = corpus("run/riscv64/g_mul.mir");
    let output = command(&["explain", file.to_str().unwrap(), "--json"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("max_scalar: proved") && text.contains("# after legalize"), "{text}");
    let report: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    nothing_open(&report, &["refuted", "unknown", "unsupported"]);
}

#[test]
fn a_reader_that_goes_away_is_no_panic() {
    let file = corpus("real/bits.riscv64.O2.mir");
    let mut explain = command(&["explain", file.to_str().unwrap()]);
    let mut child = explain.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A counterexample of the prover, as `prove` writes it.
fn counterexample(high: &str) -> String {
    format!(
        "# target: riscv64
# features: +m
# judge: prover
# kind: refuted
# guilty: some rule
# outputs: %1
---
name: before
body: |
  bb.0:
    %0:_(s128) = G_CONSTANT i128 18446744073709551616
    %1:_(s128) = G_FREEZE %0
    PseudoRET
...
---
name: after
body: |
  bb.0:
    %0:_(s128) = G_CONSTANT i128 18446744073709551616
    %2:_(s64), %3:_(s64) = G_UNMERGE_VALUES %0(s128)
    %1:_(s128) = G_MERGE_VALUES %2(s64), {high}(s64)
    PseudoRET
...
"
    )
}

#[test]
fn a_counterexample_is_executed_again() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let replayed = |text: String| {
        std::fs::write(file.path(), text).unwrap();
        let output = command(&["replay", file.path().to_str().unwrap(), "--json"]).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let report: Value = serde_json::from_str(text.lines().last().unwrap_or_default()).unwrap();
        (output.status.code(), report)
    };
    let (status, report) = replayed(counterexample("%2"));
    assert_eq!((status, count(&report, "findings")), (Some(1), 1), "{report}");
    assert_eq!(report["guilty"], serde_json::json!(["some rule"]), "{report}");
    // What no run shows is not called a fault of the rule, and is no success.
    let (status, report) = replayed(counterexample("%3"));
    assert_eq!((status, count(&report, "findings"), count(&report, "unknown")), (Some(3), 0, 1), "{report}");
}

#[test]
fn what_is_proved_is_looked_up_from_then_on() {
    let folder = tempfile::tempdir().unwrap();
    let prove = || report(&["prove", "--opcode", "G_ROTL", "--cache", folder.path().to_str().unwrap()]);
    let (first, second) = (prove(), prove());
    assert!(count(&first, "kept") == 0 && count(&first, "looked_up") < count(&first, "proved"), "{first}");
    assert_eq!(count(&second, "kept"), count(&second, "obligations"), "{second}");
    assert_eq!(count(&second, "proved"), count(&first, "proved"));
    let file = folder.path().join("proofs.redb");
    // A file that is no database is no cache, and is written anew.
    std::fs::write(&file, "no database").unwrap();
    assert_eq!((count(&prove(), "kept"), count(&prove(), "kept")), (0, count(&first, "obligations")));
    assert_eq!(count(&report(&["prove", "--opcode", "G_ROTL", "--no-cache"]), "kept"), 0);
}

#[test]
fn processes_at_once_keep_each_others_proofs() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().to_str().unwrap();
    let prove =
        |opcode| command(&["prove", "--opcode", opcode, "--cache", cache]).stdout(Stdio::null()).spawn().unwrap();
    let opcodes = ["G_ROTL", "G_ROTR", "G_BSWAP", "G_ABS"];
    for mut process in opcodes.map(prove) {
        assert!(process.wait().unwrap().success());
    }
    for opcode in opcodes {
        let report = report(&["prove", "--opcode", opcode, "--cache", cache]);
        assert!(count(&report, "kept") == count(&report, "obligations") && count(&report, "kept") > 0, "{report}");
    }
    let stats = report(&["cache", "--stats", "--cache", cache]);
    assert!(stats["provers"][0]["this"] == true && count(&stats, "bytes") > 1000, "{stats}");
    assert_eq!(count(&report(&["cache", "--clear", "--cache", cache]), "bytes"), 0);
    assert_eq!(count(&report(&["prove", "--opcode", "G_ROTL", "--cache", cache]), "kept"), 0);
}

#[test]
fn compiling_with_proofs_is_a_look_up_the_second_time() {
    let (file, folder) = (corpus("real/numbers.aarch64.O2.mir"), tempfile::tempdir().unwrap());
    let (file, folder) = (file.to_str().unwrap(), folder.path().to_str().unwrap());
    let compile = || report(&["compile", file, "--prove-each", "--cache", folder, "-o", &format!("{folder}/out.o")]);
    let (first, second) = (compile(), compile());
    assert!(count(&first, "looked_up") < count(&first, "proved"), "{first}");
    assert!(count(&second, "proved") > 100 && count(&second, "looked_up") == count(&second, "proved"), "{second}");
}

#[test]
fn the_loop_keeps_its_proofs_when_it_is_interrupted_too() {
    let folder = tempfile::tempdir().unwrap();
    let (cache, out) = (folder.path().join("cache"), folder.path().join("out"));
    let fuzz = |more: &[&str]| {
        let arguments = ["fuzz", "--target", "riscv64", "--jobs", "2", "--cache", cache.to_str().unwrap(), "--out"];
        command(&[&arguments[..], &[out.to_str().unwrap()], more].concat())
    };
    let last_line = |output: &[u8]| {
        let text = String::from_utf8(output.to_vec()).unwrap();
        serde_json::from_str::<Value>(text.lines().last().unwrap_or_default()).unwrap_or_else(|_| panic!("{text}"))
    };
    // On a busy machine it takes long to begin.
    let interrupted = [15, 45, 90].into_iter().find_map(|seconds| {
        let campaign = fuzz(&["--seconds", "120", "--json"]).stdout(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_secs(seconds));
        assert!(Command::new("kill").args(["-INT", &campaign.id().to_string()]).status().unwrap().success());
        let output = campaign.wait_with_output().unwrap();
        (count(&last_line(&output.stdout), "programs") > 0).then_some(output)
    });
    let output = interrupted.unwrap();
    assert!(output.status.success());
    assert_eq!(last_line(&output.stdout)["interrupted"], serde_json::json!(true));
    let again = || last_line(&fuzz(&["--runs", "160", "--json"]).output().unwrap().stdout);
    let first = again();
    assert!(count(&first, "kept") > 0 && count(&first, "kept") <= count(&first, "looked_up"), "{first}");
    // The same programs once more: every step is known by now.
    let second = again();
    assert!(count(&second, "kept") == count(&second, "proved") && count(&second, "proved") > 1000, "{second}");
}
