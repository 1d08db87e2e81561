//! The machine verifier on the functions of C and C++ sources after passes of `llc-22`, which are right.

use std::path::Path;
use std::process::{Command, Output};
use tribunal_ir::text;
use tribunal_target::Target;
use tribunal_verifier::machine_verifier::verify_foreign;

/// The options of clang for each target; the first of each makes 64-bit floats part of the machine.
const MACHINES: [(&str, &[&str]); 4] = [
    ("riscv64", &["-march=rv64gc", "-mabi=lp64d"]),
    ("riscv64", &["-march=rv64im", "-mabi=lp64"]),
    ("riscv32", &["-march=rv32imac", "-mabi=ilp32"]),
    ("aarch64", &[]),
];

/// Each level with the passes after which every function is judged.
const LEVELS: [(&str, &[&str]); 2] = [
    ("-O0", &["irtranslator", "legalizer", "regbankselect", "instruction-select", "regallocfast", "prologepilog"]),
    (
        "-O2",
        &[
            "irtranslator",
            "legalizer",
            "regbankselect",
            "instruction-select",
            "phi-node-elimination",
            "register-coalescer",
            "greedy",
            "virtregrewriter",
            "prologepilog",
            "branch-folder",
        ],
    ),
];

/// Sums over files.
#[derive(Default)]
pub struct Total {
    pub functions: usize,
    /// Functions with a register, class or opcode that no table has.
    pub unread: usize,
    /// Files that LLVM does not make: its own crashes.
    pub refused: usize,
    pub findings: Vec<String>,
}

impl Total {
    /// Judges every function of a source, on every machine, at every level, after every pass.
    pub fn add_source(&mut self, source: &Path, folder: &Path, more: &[&str]) {
        for (target, machine) in MACHINES {
            for (level, passes) in LEVELS {
                self.add(source, folder, &[machine, more].concat(), (target, level, passes));
            }
        }
    }

    /// Judges every function of a file that LLVM wrote.
    #[allow(dead_code, reason = "the tool alone takes such files")]
    pub fn add_file(&mut self, path: &Path) {
        let text = std::fs::read_to_string(path).unwrap();
        let target = text::architecture(&text).and_then(|name| tribunal_target::by_name(&name)).unwrap();
        self.judge(&path.display().to_string(), &text, target);
    }

    fn add(&mut self, source: &Path, folder: &Path, machine: &[&str], of: (&str, &str, &[&str])) {
        let (target, level, passes) = of;
        let ir = folder.join("source.ll");
        let mut clang = Command::new("clang-22");
        clang.arg(format!("--target={target}-linux-gnu")).args(machine).arg(level).arg(source).arg("-o").arg(&ir);
        let made = output(clang.args(["-w", "-ffreestanding", "-fexceptions", "-S", "-emit-llvm"]));
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        for pass in passes {
            let mut llc = Command::new("llc-22");
            llc.args([level, "-global-isel", "-global-isel-abort=2", "-simplify-mir", "-o", "-"]);
            let made = output(llc.arg(format!("-stop-after={pass}")).arg(&ir));
            let name = format!("{} {target} {level} {pass}", source.display());
            match String::from_utf8(made.stdout) {
                Ok(text) if made.status.success() => {
                    self.judge(&name, &text, tribunal_target::by_name(target).unwrap())
                }
                _ => self.refused += 1,
            }
        }
    }

    /// Functions that LLVM gave up on are at no stage.
    fn judge(&mut self, name: &str, text: &str, target: &'static Target) {
        let module = match text::parse_module(text, target.vocabulary) {
            Ok(module) => module,
            Err(error) => return self.findings.push(format!("{name}: {error}")),
        };
        self.unread += module.unread.len();
        let features = target.default_features | target.all_options();
        for function in module.functions.iter().filter(|function| function.gave_up().is_none()) {
            self.functions += 1;
            let findings = verify_foreign(function, target, features);
            let shown = |finding| format!("{name}: @{}: {finding}", function.name);
            self.findings
                .extend(findings.iter().map(|finding| finding.describe(function, target.vocabulary)).map(shown));
        }
    }
}

fn output(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}
