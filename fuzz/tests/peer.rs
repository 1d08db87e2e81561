//! Other compilers on trial: ones that copy, damage, refuse and do not end, so that every symptom is seen and none is
//! made up.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tribunal_fuzz::campaign::FeatureMix;
use tribunal_fuzz::peer::{
    self, Combiner, KnownFaults, Llc, OptLevel, PeerBackend, PeerCampaign, PeerMode, PeerReport, StageTally,
};
use tribunal_ir::text;

/// A compiler of one stage: a shell command that makes a file of a file.
struct Shell {
    compile: &'static str,
    read: &'static str,
}

/// A combiner of one rule that is wrong, number 5, which an argument turns off.
struct WrongRule;

const WRONG_RULE: &str = "on=1; for range in $(echo \"${3#*=}\" | tr , ' '); do
    [ \"${range%-*}\" -le 5 ] && [ 5 -le \"${range#*-}\" ] && on=0
done
if [ $on = 1 ]; then sed 's/G_SUB /G_ADD /' \"$1\" > \"$2\"; else cp \"$1\" \"$2\"; fi";

impl PeerBackend for WrongRule {
    fn name(&self) -> String {
        "sh".to_string()
    }

    fn stages(&self, _: PeerMode) -> &'static [&'static str] {
        &["combiner"]
    }

    fn compile(&self, mode: PeerMode, stage: &str, input: &Path, output: &Path) -> Command {
        Shell { compile: WRONG_RULE, read: "" }.compile(mode, stage, input, output)
    }

    fn object(&self, _: PeerMode, _: &Path, _: &Path) -> Option<Command> {
        None
    }

    fn combiner(&self, _: PeerMode, _: &str) -> Option<Combiner> {
        Some(Combiner { option: "--off=".to_string(), names: &["a", "b", "c", "d", "e", "sub_to_add"] })
    }

    fn read(&self, _: PeerMode, _: &Path) -> Command {
        Command::new("true")
    }

    fn complaint(&self, messages: &str) -> String {
        messages.to_string()
    }
}

impl PeerBackend for Shell {
    fn name(&self) -> String {
        "sh".to_string()
    }

    fn stages(&self, _: PeerMode) -> &'static [&'static str] {
        &["only"]
    }

    fn compile(&self, _: PeerMode, _: &str, input: &Path, output: &Path) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", self.compile, "sh"]).args([input, output]);
        command
    }

    fn object(&self, _: PeerMode, _: &Path, _: &Path) -> Option<Command> {
        None
    }

    fn combiner(&self, _: PeerMode, _: &str) -> Option<Combiner> {
        None
    }

    fn read(&self, _: PeerMode, input: &Path) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", self.read, "sh"]).arg(input);
        command
    }

    fn complaint(&self, messages: &str) -> String {
        messages.trim().to_string()
    }
}

fn judged(backend: &dyn PeerBackend, runs: u64) -> PeerReport {
    let target = tribunal_target::by_name("riscv64").unwrap();
    let campaign = PeerCampaign {
        backend,
        targets: vec![(target, target.default_features)],
        mix: FeatureMix::Given,
        time: Duration::from_secs(600),
        runs: Some(runs),
        seed: 3,
        jobs: 2,
        reduction: Duration::from_secs(2),
        batch: 30,
    };
    let scratch = tempfile::tempdir().unwrap();
    peer::run(&campaign, scratch.path(), &AtomicBool::new(false), |_, _, _| {}).unwrap()
}

/// The names of the families.
fn families(report: &PeerReport) -> BTreeSet<String> {
    report.findings.iter().map(|finding| finding.family()).collect()
}

#[test]
fn a_compiler_that_copies_has_no_findings() {
    let report = judged(&Shell { compile: "cp \"$1\" \"$2\"", read: "true" }, 40);
    assert!(report.functions > 30 && report.findings.is_empty(), "{:?}", families(&report));
    let proved: u64 = report.stages.values().map(|tally| tally.proved).sum();
    assert!(proved * 10 > report.functions * 9, "{:?} {:?}", report.stages, report.open);
}

/// The opcode that is wrong is all that is left.
#[test]
fn a_wrong_stage_is_refuted_and_reduced_to_the_opcode_that_it_gets_wrong() {
    let report = judged(&Shell { compile: "sed 's/G_SUB /G_ADD /' \"$1\" > \"$2\"", read: "true" }, 40);
    let wrong: Vec<_> = report.findings.iter().filter(|finding| finding.opcodes.contains("G_SUB")).collect();
    assert!(!wrong.is_empty() && wrong.len() == report.findings.len(), "{:?}", families(&report));
    let smallest = wrong.iter().min_by_key(|finding| finding.instructions()).unwrap();
    assert!(smallest.instructions() <= 6, "{}", smallest.instructions());
    let backend = Shell { compile: "true", read: "true" };
    let file = smallest.text(&backend);
    let target = smallest.fault.mode.target;
    assert_eq!(text::parse_module(&file, target.vocabulary).unwrap().functions.len(), 1);
    assert!(file.contains("miscompiled: only: ") && file.contains("tribunal validate FILE.mir after.mir"), "{file}");
}

#[test]
fn a_crash_is_found_in_the_function_that_causes_it_and_the_others_go_on() {
    let crash = "grep -q 'G_LSHR' \"$1\" && { echo cannot shift 17 >&2; exit 1; }; cp \"$1\" \"$2\"";
    let report = judged(&Shell { compile: crash, read: "true" }, 60);
    let [crash] = report.findings.as_slice() else { panic!("{:?}", families(&report)) };
    assert_eq!((crash.family().as_str(), crash.opcodes.len()), ("crash: only: cannot shift _: G_LSHR", 1));
    assert!(crash.seen > 1 && report.functions > 20, "{} {}", crash.seen, report.functions);
}

#[test]
fn output_that_is_not_read_again_and_input_that_is_not_read_are_told_apart() {
    let rejects = "! grep -q 'G_TRUNC' \"$1\" || { echo no truncation >&2; exit 1; }";
    // A compiler that does not read it does not compile it either.
    let compile = "! grep -q 'G_TRUNC' \"$1\" || exit 1; cp \"$1\" \"$2\"";
    let report = judged(&Shell { compile, read: rejects }, 40);
    assert!(report.findings.is_empty() && report.rejected["no truncation"] > 10, "{:?}", report.rejected);
    let broken = "! grep -q '^# broken' \"$1\" || { echo broken >&2; exit 1; }";
    let breaks = "{ grep -q G_XOR \"$1\" && echo '# broken'; cat \"$1\"; } > \"$2\"";
    let report = judged(&Shell { compile: breaks, read: broken }, 40);
    assert_eq!(families(&report), BTreeSet::from(["unreadable: only: broken: G_XOR".to_string()]));
}

/// LLVM's own stages: they run, most are proved, and it reads the programs.
#[test]
fn llvm_goes_through_every_stage() {
    let report = judged(&Llc::new("llc-22").unwrap(), 60);
    assert!(report.functions >= 40 && report.stages.len() == 9, "{} {:?}", report.functions, report.stages);
    let sum = |count: fn(&StageTally) -> u64| report.stages.values().map(count).sum::<u64>();
    let (functions, proved) = (sum(|tally| tally.functions), sum(|tally| tally.proved));
    assert!(proved * 2 > functions, "{:?} {:?}", report.stages, report.open);
}

#[test]
fn a_compiler_that_does_not_start_is_an_error() {
    let target = tribunal_target::by_name("aarch64").unwrap();
    let backend = Llc::new("no-such-compiler-anywhere").unwrap();
    let campaign = PeerCampaign {
        backend: &backend,
        targets: vec![(target, target.default_features)],
        mix: FeatureMix::Given,
        time: Duration::from_secs(5),
        runs: None,
        seed: 1,
        jobs: 1,
        reduction: Duration::from_secs(2),
        batch: 30,
    };
    let scratch = tempfile::tempdir().unwrap();
    let error = peer::run(&campaign, scratch.path(), &AtomicBool::new(false), |_, _, _| {}).err().unwrap();
    assert!(error.to_string().contains("does not start"), "{error}");
}

/// One finding of a real stage: the function, the machine, its features and the level.
fn examined(text: &str, target: &str, features: &str, level: OptLevel) -> PeerReport {
    examined_by(&Llc::new("llc-22").unwrap(), text, target, features, level)
}

fn examined_by(backend: &dyn PeerBackend, text: &str, target: &str, features: &str, level: OptLevel) -> PeerReport {
    let target = tribunal_target::by_name(target).unwrap();
    let module = text::parse_module(text, target.vocabulary).unwrap();
    let mode = PeerMode { target, features: target.features(features).unwrap(), level };
    let scratch = tempfile::tempdir().unwrap();
    peer::examine(backend, mode, &module.functions[0], scratch.path()).unwrap()
}

#[test]
fn a_compiler_that_does_not_end_is_a_hang() {
    let hangs = Shell { compile: "grep -q G_SUB \"$1\" && exec sleep 60; cp \"$1\" \"$2\"", read: "true" };
    let report = examined_by(&hangs, SUBTRACTION, "riscv64", "+m", OptLevel::O0);
    assert_eq!(families(&report), BTreeSet::from(["hang: only: no end in _ s: G_SUB".to_string()]));
    assert_eq!(report.functions, 0, "it leaves the batch");
}

#[test]
fn the_combine_rule_without_which_a_finding_goes_is_blamed() {
    let report = judged(&WrongRule, 40);
    let finding = report.findings.first().unwrap();
    assert_eq!(finding.family(), "miscompiled: combiner: sub_to_add");
    let guilty = finding.guilty.as_ref().unwrap();
    assert_eq!((guilty.details.as_str(), guilty.without.as_deref()), ("combine rule 5 (sub_to_add)", Some("--off=5")));
    assert!(finding.text(&WrongRule).contains("gone with: --off=5"));
}

/// LLVM 22 makes `x & (x * -1)` of `nuw` the product, which keeps `nuw` as a negation.
#[test]
fn a_rule_of_llvm_is_blamed_by_its_name() {
    let text = "---
name: f
body: |
  bb.0:
    liveins: $x10

    %0:_(s64) = COPY $x10
    %1:_(s64) = G_CONSTANT i64 -1
    %2:_(s64) = nuw G_MUL %0, %1
    %3:_(s64) = G_AND %0, %2
    $x10 = COPY %3(s64)
    PseudoRET implicit $x10
...
";
    let report = examined(text, "riscv64", "+m", OptLevel::O2);
    let families: Vec<String> = families(&report).into_iter().collect();
    assert_eq!(families, ["miscompiled: riscv-prelegalizer-combiner: nuw: mul_by_neg_one"]);
}

/// LLVM 22 lowers `G_BSWAP` of 64 bits with a mask that is too wide.
#[test]
fn of_the_legalizer_opcode_type_and_action_are_blamed() {
    let text = "---
name: f
body: |
  bb.0:
    liveins: $x10

    %0:_(s64) = COPY $x10
    %1:_(s64) = G_BSWAP %0
    $x10 = COPY %1(s64)
    PseudoRET implicit $x10
...
";
    let report = examined(text, "riscv64", "+m", OptLevel::O2);
    let finding = report.findings.first().unwrap();
    assert_eq!(finding.family(), "miscompiled: legalizer: G_BSWAP lower");
    assert_eq!(finding.guilty.as_ref().unwrap().details, "G_BSWAP s64: lower");
    assert!(examined(text, "riscv64", "+m,+zbb", OptLevel::O2).findings.is_empty());
}

/// A function with a jump table beside others: each runs from the object of all, and none differs.
#[test]
fn objects_run_and_are_right() {
    let report = judged(&Llc::new("llc-22").unwrap(), 60);
    let objects = &report.objects;
    assert!(objects.functions > 25 && objects.executions > 20 * objects.functions, "{objects:?}");
    assert!(!objects.not_run.keys().any(|reason| reason.contains("relocation")), "{objects:?}");
    assert_eq!(objects.functions + objects.not_run.values().sum::<u64>(), report.functions, "{objects:?}");
}

/// A compiler whose stages are right, and whose object is that of other code.
struct WrongObject(Llc);

impl PeerBackend for WrongObject {
    fn name(&self) -> String {
        self.0.name()
    }

    fn stages(&self, mode: PeerMode) -> &'static [&'static str] {
        self.0.stages(mode)
    }

    fn compile(&self, mode: PeerMode, stage: &str, input: &Path, output: &Path) -> Command {
        self.0.compile(mode, stage, input, output)
    }

    fn object(&self, mode: PeerMode, input: &Path, output: &Path) -> Option<Command> {
        let object = self.0.object(mode, input, output)?;
        let mut command = Command::new("sh");
        command.args(["-c", "sed -i 's/G_SUB /G_ADD /' \"$0\"; exec \"$@\""]).arg(input);
        command.arg(object.get_program()).args(object.get_args());
        Some(command)
    }

    fn combiner(&self, mode: PeerMode, stage: &str) -> Option<Combiner> {
        self.0.combiner(mode, stage)
    }

    fn read(&self, mode: PeerMode, input: &Path) -> Command {
        self.0.read(mode, input)
    }

    fn complaint(&self, messages: &str) -> String {
        self.0.complaint(messages)
    }
}

const SUBTRACTION: &str = "---
name: f
body: |
  bb.0:
    liveins: $x10, $x11

    %0:_(s64) = COPY $x10
    %1:_(s64) = COPY $x11
    %2:_(s64) = G_SUB %0, %1
    $x10 = COPY %2(s64)
    PseudoRET implicit $x10
...
";

#[test]
fn an_object_that_differs_is_a_finding_and_is_blamed_on_what_follows_the_stages() {
    let target = tribunal_target::by_name("riscv64").unwrap();
    let module = text::parse_module(SUBTRACTION, target.vocabulary).unwrap();
    let mode = PeerMode { target, features: target.default_features, level: OptLevel::O2 };
    let scratch = tempfile::tempdir().unwrap();
    let backend = WrongObject(Llc::new("llc-22").unwrap());
    let report = peer::examine(&backend, mode, &module.functions[0], scratch.path()).unwrap();
    let found: Vec<String> = families(&report).into_iter().collect();
    assert_eq!(found, ["execution: after-instruction-select: wrong-result: G_SUB"]);
    assert_eq!((report.objects.wrong, report.objects.functions), (1, 1));
    assert!(report.findings[0].text(&backend).contains("input: $x10 = "));
    assert!(examined(SUBTRACTION, "riscv64", "+m", OptLevel::O2).findings.is_empty());
}

/// A compiler whose first stage gives another constant at each run.
struct Unsteady(Shell);

impl PeerBackend for Unsteady {
    fn name(&self) -> String {
        self.0.name()
    }

    fn stages(&self, _: PeerMode) -> &'static [&'static str] {
        &["first", "second"]
    }

    fn compile(&self, mode: PeerMode, stage: &str, input: &Path, output: &Path) -> Command {
        self.0.compile(mode, stage, input, output)
    }

    fn object(&self, _: PeerMode, _: &Path, _: &Path) -> Option<Command> {
        None
    }

    fn combiner(&self, _: PeerMode, _: &str) -> Option<Combiner> {
        None
    }

    fn read(&self, mode: PeerMode, input: &Path) -> Command {
        self.0.read(mode, input)
    }

    fn complaint(&self, messages: &str) -> String {
        self.0.complaint(messages)
    }
}

/// The second stage is compiled from the source again, so that it differs from the first one.
#[test]
fn what_changes_from_run_to_run_is_blamed_on_the_stage_where_it_begins() {
    let compile = "sed \"s/i64 7$/i64 $(od -An -N4 -tu4 /dev/urandom | tr -d ' ')/\" \"$1\" > \"$2\"";
    let text = "---\nname: f\nbody: |\n  bb.0:\n    %0:_(s64) = G_CONSTANT i64 7\n    $x10 = COPY %0(s64)\n    \
                PseudoRET implicit $x10\n...\n";
    let backend = Unsteady(Shell { compile, read: "true" });
    let report = examined_by(&backend, text, "riscv64", "+m", OptLevel::O0);
    assert_eq!(families(&report), BTreeSet::from(["miscompiled: first: ".to_string()]), "{:?}", report.stages);
    assert!(report.stages.values().all(|tally| tally.refuted == 1), "{:?}", report.stages);
}

/// The list of what is known of LLVM 22: every case still shows its fault, and no other case has its signature.
#[test]
fn known_faults_still_show() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/llvm");
    let known = KnownFaults::read(&std::fs::read_to_string(folder.join("known-22.toml")).unwrap()).unwrap();
    let (llc, scratch) = (Llc::new("llc-22").unwrap(), tempfile::tempdir().unwrap());
    for fault in &known.faults {
        assert!(fault.still_shows(&llc, &folder, scratch.path()).unwrap(), "{}", fault.case);
    }
    // A compiler that does nothing shows none of them.
    let copies = Shell { compile: "cp \"$1\" \"$2\"", read: "true" };
    assert!(!known.faults[0].still_shows(&copies, &folder, scratch.path()).unwrap());
}
