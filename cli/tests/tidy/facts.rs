//! Facts that must stand in one place: what a type is called, which opcodes there are, how a target is called, how many
//! there are of what a test counts.

use super::code::Source;
use std::collections::{BTreeMap, BTreeSet};

/// Type names that several files may have, with the reason.
const SHARED: [(&str, &str); 1] = [("Arguments", "the flags of a verb, one in each file of cli/src/verbs")];

/// Opcodes in a row from which on they are a list.
const LIST: usize = 3;

/// Files that list opcodes besides their table, how often, and why. Row by row this becomes empty.
const LISTS: [(&str, usize, &str); 23] = [
    ("backend/codegen/src/floats.rs", 1, "operations that move a value of any kind"),
    ("backend/codegen/src/legalize/artifacts.rs", 5, "recipes by family"),
    ("backend/codegen/src/legalize/division.rs", 1, "recipes by family"),
    ("backend/codegen/src/legalize/lower.rs", 9, "recipes by family"),
    ("backend/codegen/src/legalize/narrow.rs", 6, "recipes by family"),
    ("backend/codegen/src/legalize/overflow.rs", 1, "recipes by family"),
    ("backend/codegen/src/legalize/widen.rs", 8, "recipes by family"),
    ("backend/ir/src/semantics/float/opcodes.rs", 2, "opcodes that share a definition"),
    ("backend/ir/src/semantics/integer.rs", 9, "opcodes that share a definition"),
    ("backend/ir/src/semantics/opcodes.rs", 4, "opcodes that share a definition"),
    ("backend/target/src/aarch64/float_legality.rs", 3, "rule sets of opcodes"),
    ("backend/target/src/aarch64/legality.rs", 7, "rule sets of opcodes"),
    ("backend/target/src/legality/extensions.rs", 1, "rule sets of opcodes"),
    ("backend/target/src/legality/vectors.rs", 1, "rule sets of opcodes"),
    ("backend/target/src/riscv/float_legality.rs", 4, "rule sets of opcodes"),
    ("backend/target/src/riscv/legality.rs", 13, "rule sets of opcodes"),
    ("fuzz/src/generator/expressions.rs", 1, "opcodes to choose from"),
    ("fuzz/src/generator/floats.rs", 2, "opcodes that tell or keep NaNs"),
    ("fuzz/src/generator/mod.rs", 1, "opcodes to choose from"),
    ("fuzz/src/generator/shapes.rs", 1, "opcodes to choose from"),
    ("fuzz/src/peer/blame.rs", 1, "opcodes of every program"),
    ("trial/src/raise.rs", 2, "opcodes that LLVM IR has words for, and copies"),
    ("verifier/src/definitions/floats/mod.rs", 2, "opcodes that share a definition"),
];

/// Files that name a target, how often, and why.
const NAMED: [(&str, usize, &str); 4] = [
    ("cli/src/foreign.rs", 1, "what clang and llc are told"),
    ("fuzz/src/peer/backend.rs", 2, "the passes of a peer"),
    ("fuzz/src/sabotage/mod.rs", 10, "where a fault is planted"),
    ("fuzz/src/sabotage/written.rs", 3, "programs of each target"),
];

/// Files of tests that say "more than", how often, and what they count: how much came of a search, which changes with
/// each rule.
const FLOORS: [(&str, usize, &str); 26] = [
    ("backend/target/tests/encodings.rs", 1, "random instructions"),
    ("backend/target/tests/selection_tables.rs", 1, "accesses of the selection rules"),
    ("benchmarks/tests/sections.rs", 1, "rows of a table of any length"),
    ("cli/tests/reduce.rs", 2, "depends on what a search finds"),
    ("verifier/tests/llvm_output.rs", 1, "functions that the csmith of the machine makes"),
    ("cli/tests/verbs.rs", 12, "how much is proved and run"),
    ("emulator/tests/floats.rs", 1, "rows of the instruction tables"),
    ("fuzz/src/generator/mod.rs", 1, "random programs"),
    ("fuzz/src/generator/refusals.rs", 1, "random programs"),
    ("fuzz/src/peer/backend.rs", 1, "stages of a peer"),
    ("fuzz/tests/peer.rs", 5, "random programs"),
    ("fuzz/tests/raise.rs", 1, "random programs"),
    ("trial/src/tables.rs", 2, "how many queries the tables are asked"),
    ("fuzz/tests/calls.rs", 1, "random programs"),
    ("fuzz/tests/edits.rs", 3, "random edits"),
    ("fuzz/tests/engines.rs", 1, "random programs"),
    ("trial/tests/every_opcode.rs", 2, "random programs"),
    ("fuzz/tests/features.rs", 1, "random programs"),
    ("fuzz/tests/generator.rs", 1, "random programs"),
    ("fuzz/tests/libfuzzer.rs", 4, "random edits"),
    ("trial/tests/limits.rs", 1, "what an allocator spills"),
    ("fuzz/tests/targets.rs", 1, "as many as go in a second"),
    ("trial/tests/text.rs", 1, "random mutations"),
    ("verifier/tests/damaged.rs", 1, "random damage"),
    ("verifier/src/prover/quotients/mod.rs", 2, "random questions"),
    ("verifier/src/prover/term/tests.rs", 5, "random terms"),
];

/// True for the files of one target.
fn is_of_one_target(file: &str) -> bool {
    ["backend/target/src/riscv/", "backend/target/src/aarch64/"].iter().any(|folder| file.starts_with(folder))
}

/// Names of types that more than one file shows.
pub fn shared_names(sources: &[Source]) -> Vec<String> {
    let mut places: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for source in sources.iter().filter(|source| !source.tokens.is_empty()) {
        for shown in source.types.iter().filter(|shown| shown.visible) {
            places.entry(&shown.name).or_default().insert(&source.name);
        }
    }
    // Targets are files of the same names, with the same types.
    let of_targets = |files: &BTreeSet<&str>| files.iter().all(|file| is_of_one_target(file));
    places.retain(|_, files| files.len() > 1 && !of_targets(files));
    let exempt = |name: &str| SHARED.iter().any(|(shared, _)| *shared == name);
    let needless = SHARED.iter().filter(|(name, _)| !places.contains_key(name));
    let needless: Vec<String> = needless.map(|(name, _)| format!("{name} is shared by nobody")).collect();
    let shared = places.iter().filter(|(name, _)| !exempt(name));
    shared.map(|(name, files)| format!("{name}: {files:?}")).chain(needless).collect()
}

/// Complaints about files in which something is found more or less often than it is exempted.
fn exactly(found: &[(&str, usize)], exempt: &[(&str, usize, &str)], what: &str) -> Vec<String> {
    let names: BTreeSet<&str> =
        found.iter().map(|(name, _)| *name).chain(exempt.iter().map(|(name, ..)| *name)).collect();
    let count = |name: &str| found.iter().filter(|(file, _)| *file == name).map(|(_, count)| count).sum::<usize>();
    let allowed = |name: &str| exempt.iter().find(|(file, ..)| *file == name).map_or(0, |(_, count, _)| *count);
    names
        .into_iter()
        .filter(|name| count(name) != allowed(name))
        .map(|name| format!("{name}: {} {what}, {} exempt", count(name), allowed(name)))
        .collect()
}

/// Runs of opcodes, one after another, separated by commas or bars.
pub fn opcode_lists(sources: &[Source]) -> Vec<String> {
    let count = |source: &Source| {
        let (mut lists, mut run) = (0, 0);
        for token in &source.tokens {
            match token.as_str() {
                "," | "|" | ":" | "Opcode" => {}
                name if name.starts_with("G_") => run += 1,
                _ => {
                    lists += usize::from(run >= LIST);
                    run = 0;
                }
            }
        }
        lists + usize::from(run >= LIST)
    };
    let elsewhere = sources.iter().filter(|source| source.name != "backend/ir/src/opcode.rs");
    let found: Vec<(&str, usize)> = elsewhere.map(|source| (source.name.as_str(), count(source))).collect();
    let lists: usize = found.iter().map(|(_, count)| count).sum();
    println!(
        "lists of opcodes outside the table: {lists} in {} files",
        found.iter().filter(|(_, count)| *count > 0).count()
    );
    exactly(&found, &LISTS, "lists of opcodes")
}

/// Texts that are a target's name, outside its folder.
pub fn target_names(sources: &[Source]) -> Vec<String> {
    let names: Vec<String> = tribunal_target::ALL.iter().map(|target| format!("{:?}", target.name)).collect();
    let count = |source: &Source| source.tokens.iter().filter(|token| names.contains(token)).count();
    let found: Vec<(&str, usize)> = sources
        .iter()
        .filter(|source| !is_of_one_target(&source.name))
        .map(|source| (source.name.as_str(), count(source)))
        .collect();
    exactly(&found, &NAMED, "names of targets")
}

/// Assertions of tests that say `> 10` where a number is known.
pub fn floors(sources: &[Source]) -> Vec<String> {
    let count = |source: &Source| {
        let texts = &source.tests;
        let number = |text: &str| text.replace('_', "").parse::<u64>().is_ok_and(|number| number > 1);
        let mut floors = 0;
        for (index, _) in texts.iter().enumerate().filter(|(_, text)| *text == "assert") {
            let end = texts[index + 1..].iter().position(|text| text == ";").map_or(texts.len(), |end| index + 1 + end);
            let said = &texts[index..end];
            let more =
                |three: &[String]| three[0] == ">" && (number(&three[1]) || (three[1] == "=" && number(&three[2])));
            floors += usize::from(said.windows(3).any(more));
        }
        floors
    };
    let found: Vec<(&str, usize)> = sources.iter().map(|source| (source.name.as_str(), count(source))).collect();
    exactly(&found, &FLOORS, "floors")
}
