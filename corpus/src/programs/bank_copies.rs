//! Copies from bank to bank that programs execute, for each mode of bank selection.
//!
//! Each file is compiled up to `bank-select`; in the text that comes of it a counter of the program's follows every
//! copy between registers of two banks, and the rest of the pipeline compiles that. The program says the sum when it
//! ends. So the count is of copies as bank selection wrote them, on the way that the program takes. Its output is
//! compared with the expected one, as in any run.
//!
//! Invariant: a program whose run did not pass, or said no sum, has no count.

use super::toolchain::{Task, scratch};
use super::verdict::ProgramVerdict;
use super::{CProgram, LEVELS, ProgramError, Toolchain, command, platform::Platform};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use tribunal_codegen::BankSelectMode;

/// The counter that every program is linked with.
const COUNTER: &str = include_str!("bank_copies.c");
/// The start of the line that says the sum.
const SUM: &str = "bank copies:";

/// The copies that one program executed on one machine at one level, by [`BankSelectMode::ALL`].
#[derive(Clone, Debug)]
pub struct BankCopies {
    /// The program's name.
    pub program: String,
    /// The target's name.
    pub target: String,
    /// The optimisation level.
    pub level: String,
    /// The count of each mode, or the reason why there is none.
    pub counts: [Result<u64, String>; 3],
}

/// The sums of one machine at one level.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize)]
pub struct BankCopySums {
    /// The target's name.
    pub target: String,
    /// The optimisation level.
    pub level: String,
    /// Programs that every mode compiled, and that ran as expected.
    pub programs: u64,
    /// Programs without a count in some mode, by reason.
    pub uncounted: BTreeMap<String, u64>,
    /// Programs of those counted that execute a copy in some mode.
    pub with_copies: u64,
    /// Copies executed with the mode `fast`.
    pub fast: u64,
    /// The same with `greedy`.
    pub greedy: u64,
    /// The same with `global`.
    pub global: u64,
    /// Programs that execute more copies with `global` than with another mode.
    pub above: u64,
}

impl BankCopySums {
    /// The sums by target and level, those in the order of [`LEVELS`].
    pub fn of(counted: &[BankCopies]) -> Vec<BankCopySums> {
        let targets: BTreeSet<&String> = counted.iter().map(|program| &program.target).collect();
        let rows = targets.into_iter().flat_map(|target| LEVELS.map(|level| (target, level)));
        let rows = rows.map(|(target, level)| {
            let mut sums = BankCopySums { target: target.clone(), level: level.to_string(), ..BankCopySums::default() };
            let programs = counted.iter().filter(|program| program.target == *target && program.level == level);
            programs.for_each(|program| sums.add(program));
            sums
        });
        rows.filter(|sums| sums.programs > 0 || !sums.uncounted.is_empty()).collect()
    }

    fn add(&mut self, program: &BankCopies) {
        let counts = match &program.counts {
            [Ok(fast), Ok(greedy), Ok(global)] => [*fast, *greedy, *global],
            counts => {
                let reason = counts.iter().find_map(|count| count.as_ref().err()).cloned().unwrap_or_default();
                *self.uncounted.entry(reason).or_default() += 1;
                return;
            }
        };
        let [fast, greedy, global] = counts;
        self.programs += 1;
        self.with_copies += u64::from(counts.iter().any(|&count| count > 0));
        self.fast += fast;
        self.greedy += greedy;
        self.global += global;
        self.above += u64::from(global > fast.min(greedy));
    }
}

impl Toolchain {
    /// Compiles and runs a program with every mode.
    pub fn bank_copies(
        &self,
        program: &CProgram,
        platform: &Platform,
        level: &str,
    ) -> Result<BankCopies, ProgramError> {
        let mut counts = [const { Ok(0) }; 3];
        for (count, mode) in counts.iter_mut().zip(BankSelectMode::ALL) {
            let folder = scratch()?;
            let task = Task { tools: self, platform, level, folder: folder.path() };
            *count = match task.copies_executed(program, mode) {
                Err(error @ ProgramError::Failed { .. }) => Err(error.to_string()),
                count => count?,
            };
        }
        let (target, level) = (platform.name.clone(), level.to_string());
        Ok(BankCopies { program: program.name.clone(), target, level, counts })
    }
}

impl Task<'_> {
    fn copies_executed(&self, program: &CProgram, mode: BankSelectMode) -> Result<Result<u64, String>, ProgramError> {
        let source = self.folder.join("bank_copies.c");
        std::fs::write(&source, COUNTER).map_err(ProgramError::file(&source))?;
        let mut objects = vec![source.with_extension("o")];
        self.tool(self.clang().args(["-O1", "-c"]).arg(&source).arg("-o").arg(&objects[0]))?;
        for part in self.parts(program, super::Share::Whole)? {
            match self.counted(&self.translated(&part)?, mode)? {
                Ok(object) => objects.push(object),
                Err(reason) => return Ok(Err(reason)),
            }
        }
        let executable = match self.linked(program, objects)? {
            Ok(executable) => executable,
            Err(verdict) => return Ok(Err(reason(&verdict))),
        };
        let (verdict, errors) = self.emulated(program, &executable)?;
        let sum = errors.lines().rev().find_map(|line| line.strip_prefix(SUM)?.trim().parse().ok());
        Ok(match verdict {
            ProgramVerdict::Passed => sum.ok_or_else(|| "no sum at its end".to_string()),
            verdict => Err(reason(&verdict)),
        })
    }

    /// The object of a file whose copies count themselves.
    fn counted(&self, mir: &Path, mode: BankSelectMode) -> Result<Result<PathBuf, String>, ProgramError> {
        let target = tribunal_target::by_name(&self.platform.target);
        let general = target.and_then(|target| target.banks.first()).map_or("", |bank| bank.name);
        let bits = target.map_or(0, |target| target.pointer_bits);
        let (selected, object) = (mir.with_extension("selected.mir"), mir.with_extension("o"));
        let mut select = self.compiler(mir);
        select.args(["--stop-after", "bank-select", "--bank-select", mode.name(), "-o"]).arg(&selected);
        let ended = command::run(&mut select, self.folder, self.tools.limit)?;
        if !ended.is_success() {
            return Ok(Err(format!("{}: {}", mode.name(), ended.complaint())));
        }
        let text = std::fs::read_to_string(&selected).map_err(ProgramError::file(&selected))?;
        let counting = mir.with_extension("counting.mir");
        std::fs::write(&counting, with_counters(&text, (general, bits))).map_err(ProgramError::file(&counting))?;
        let ended = command::run(self.compiler(&counting).arg("-o").arg(&object), self.folder, self.tools.limit)?;
        Ok(if ended.is_success() { Ok(object) } else { Err(format!("counters: {}", ended.complaint())) })
    }
}

/// A verdict in a few words.
fn reason(verdict: &ProgramVerdict) -> String {
    let (word, reason) = verdict.words();
    format!("{word}: {reason}")
}

/// The register that a line defines, and its bank: `%1:gprb(s64) = ...`.
fn defined(line: &str) -> Option<(&str, &str)> {
    let (register, rest) = line.trim_start().strip_prefix('%')?.split_once(':')?;
    Some((register, rest.split_once('(').filter(|(_, rest)| rest.contains(" = "))?.0))
}

/// The text of a module after bank selection, with a counter after each copy between two banks. The counter is as wide
/// as an address, and is changed in the bank of integers.
fn with_counters(text: &str, (general, bits): (&str, u16)) -> String {
    let mut counted = String::new();
    let mut number = 0;
    for document in text.split_inclusive("\n...\n") {
        let banks: BTreeMap<&str, &str> = document.lines().filter_map(defined).collect();
        for line in document.split_inclusive('\n') {
            counted += line;
            if line.trim_end() == "--- |" {
                let _ = writeln!(counted, "  @tribunal_bank_copies = external global i{bits}");
            }
            let source = line.split_once(" = COPY %").and_then(|(_, source)| source.split('(').next());
            let from = source.and_then(|source| banks.get(source.trim_end()));
            if from.zip(defined(line)).is_some_and(|(&from, (_, to))| from != to) {
                counter(&mut counted, (general, bits), number);
                number += 1;
            }
        }
    }
    counted
}

/// The instructions that count one execution.
fn counter(text: &mut String, (bank, bits): (&str, u16), number: u64) {
    let [address, before, one, after] = ["address", "before", "one", "after"].map(|part| format!("%{part}{number}"));
    let _ = write!(
        text,
        "    {address}:{bank}(p0) = G_GLOBAL_VALUE @tribunal_bank_copies
    {before}:{bank}(s{bits}) = G_LOAD {address}(p0) :: (load (s{bits}))
    {one}:{bank}(s{bits}) = G_CONSTANT i{bits} 1
    {after}:{bank}(s{bits}) = G_ADD {before}, {one}
    G_STORE {after}(s{bits}), {address}(p0) :: (store (s{bits}))
"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_follows_copies_between_banks_alone() {
        let lines = ["%1:gprb(s64) = COPY $x10", "%2:fprb(s64) = COPY %1(s64)", "%3:fprb(s64) = COPY %2(s64)"];
        let text = format!("--- |\n...\n---\nbody: |\n    {}\n...\n", lines.join("\n    "));
        let counted = with_counters(&text, ("gprb", 64));
        let after = |line: &str| counted.split_once(line).is_some_and(|(_, rest)| rest.starts_with("\n    %address0:"));
        assert!(after(lines[1]) && counted.matches("G_STORE").count() == 1, "{counted}");
    }

    #[test]
    fn a_program_without_a_count_is_in_no_sum() {
        let counted = |counts| BankCopies { program: "p".into(), target: "t".into(), level: "-O1".into(), counts };
        let sums = BankCopySums::of(&[
            counted([Ok(5), Ok(3), Ok(4)]),
            counted([Ok(7), Err("no sum at its end".into()), Ok(1)]),
        ]);
        let [sums] = sums.as_slice() else { panic!("{sums:?}") };
        assert_eq!((sums.programs, sums.fast, sums.greedy, sums.global), (1, 5, 3, 4));
        assert_eq!((sums.above, sums.uncounted.len()), (1, 1));
    }
}
