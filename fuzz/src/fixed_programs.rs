//! Programs that do not change: those of `corpus/run`, which show an opcode or an extension each and have known
//! answers; those of `corpus/real`, which are C as LLVM's translator gives it; those on which a judge found a fault;
//! and the cases of each pass, from its input on.
//!
//! Nothing of them depends on the generator, whose programs depend on the tables.

use include_dir::{Dir, DirEntry, File, include_dir};
use std::path::Path;
use tribunal_ir::{Module, text};
use tribunal_target::{Features, Target};
use tribunal_trial::finding::Finding;
use tribunal_trial::{crash, expectation, pairs};

static SMALL: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../corpus/run");
/// Folders of cases that tell their target, by name.
static CASES: [(&str, Dir<'_>); 9] = [
    ("bugs", include_dir!("$CARGO_MANIFEST_DIR/../corpus/bugs")),
    ("legalize", include_dir!("$CARGO_MANIFEST_DIR/../corpus/legalize")),
    ("bank-select", include_dir!("$CARGO_MANIFEST_DIR/../corpus/bank-select")),
    ("select", include_dir!("$CARGO_MANIFEST_DIR/../corpus/select")),
    ("split-edges", include_dir!("$CARGO_MANIFEST_DIR/../corpus/split-edges")),
    ("allocate", include_dir!("$CARGO_MANIFEST_DIR/../corpus/allocate")),
    ("frame", include_dir!("$CARGO_MANIFEST_DIR/../corpus/frame")),
    ("relax-branches", include_dir!("$CARGO_MANIFEST_DIR/../corpus/relax-branches")),
    ("emit", include_dir!("$CARGO_MANIFEST_DIR/../corpus/emit")),
];
static REAL: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../corpus/real");
static PAIRS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../corpus/validate");
/// Pairs that take long, or whole folders: long copies, sums in another order, and loops, which hold the validator
/// rather than definitions.
const SLOW: [&str; 18] = [
    "arithmetic/half-by-float.mir",
    "environment/loop-mode-hoisted-over.mir",
    "environment/loop-mode-sunk.mir",
    "facts",
    "memory/memmove-interleaved.mir",
    "memory/memmove-long-as-accesses.mir",
    "memory/memmove-long-one-load-late.mir",
    "memory/memset-long-as-stores.mir",
    "promises/inbounds-index-first.mir",
    "promises/inbounds-reassociated-nsw.mir",
    "promises/inbounds-reassociated.mir",
    "selected/half-by-float.mir",
    "simulation",
    "vectors/flag_of_a_half.mir",
    "vectors/freeze_twice.mir",
    "vectors/lane_of_a_licence.mir",
    "vectors/phi_flag_of_a_half.mir",
    "vectors/reduction_out_of_order.mir",
];

/// A program that does not change.
pub struct FixedProgram {
    /// The name of its file, without the ending. A case has its folder before it.
    pub name: String,
    /// Its functions, and what its head says.
    pub module: Module,
    /// Those that it names, or the usual ones.
    pub features: Features,
    /// True for a program in C.
    pub is_real: bool,
}

/// The programs for a target, by name. One that cannot be read is none: [`crate::costs`] misses it.
pub fn programs(target: &Target) -> Vec<FixedProgram> {
    let of = |dir: &'static Dir<'static>, is_real, part: &str, folder: &str| {
        let files = dir.entries().iter().filter_map(DirEntry::as_file);
        let read = |file: &'static File<'static>| {
            let name = file.path().file_stem()?.to_str().filter(|name| name.contains(part))?;
            let name = format!("{folder}{name}");
            let mut module = text::parse_module(file.contents_utf8()?, target.vocabulary).ok()?;
            let features = crash::header(&module, target).ok()?.features.unwrap_or(target.default_features);
            module.functions.iter_mut().for_each(|function| target.settle_environment(function, features));
            Some(FixedProgram { name, module, features, is_real })
        };
        files.filter_map(read).collect::<Vec<_>>()
    };
    let mut programs = SMALL.get_dir(Path::new(target.name)).map_or(Vec::new(), |dir| of(dir, false, "", ""));
    programs.extend(of(&REAL, true, &format!(".{}.", target.name), ""));
    let ending = format!(".{}", target.name);
    programs.extend(CASES.iter().flat_map(|(folder, dir)| of(dir, false, &ending, &format!("{folder}/"))));
    programs.sort_by(|one, other| one.name.cmp(&other.name));
    programs
}

/// A finding for each program of which the interpreter does not give a known answer. All judges read the definitions,
/// so that one which is wrong shows nowhere else.
pub fn wrong_answers(programs: &[FixedProgram], target: &'static Target) -> Vec<Finding> {
    let wrong = |program: &FixedProgram| {
        let calls = match expectation::calls(&program.module) {
            Ok(calls) => calls,
            Err((line, reason)) => return Some(format!("`{line}`: {reason}")),
        };
        calls.into_iter().find_map(|call| {
            let held = match program.module.functions.iter().find(|function| function.name == call.function) {
                Some(function) => call.hold(function, target, &call.input(function, target)),
                None => Err("no such function".to_string()),
            };
            Some(format!("{call:?}: {}", held.err()?))
        })
    };
    let findings = programs.iter().filter_map(|program| Some(Finding::wrong_answer(&program.name, wrong(program)?)));
    findings.collect()
}

/// A finding for each pair of stages for a target on which the verdict is not the known one. A backend that selects
/// none of its instructions shows nothing of their definitions.
pub fn wrong_verdicts(target: &Target) -> Vec<Finding> {
    let files = PAIRS.dirs().flat_map(Dir::files).filter(|file| !SLOW.iter().any(|slow| file.path().starts_with(slow)));
    let wrong = |file: &File<'static>| {
        let text = file.contents_utf8().filter(|text| text::architecture(text).as_deref() == Some(target.name))?;
        Some(Finding::wrong_verdict(&file.path().display().to_string(), pairs::hold(text).err()?))
    };
    files.filter_map(wrong).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_pairs_are_those_of_the_corpus() {
        let missing: Vec<&str> = SLOW.into_iter().filter(|slow| PAIRS.get_entry(slow).is_none()).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
