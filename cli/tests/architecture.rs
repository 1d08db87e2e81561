//! Holds the crate graph of ARCHITECTURE.md, and where unsafe code may stand.

use cargo_metadata::{DependencyKind, MetadataCommand};
use std::collections::BTreeSet;
use std::path::Path;

const LLVM: &str = "tribunal-llvm";
const IR: &str = "tribunal-ir";
const TARGET: &str = "tribunal-target";
const CODEGEN: &str = "tribunal-codegen";
const VERIFIER: &str = "tribunal-verifier";
const EMULATOR: &str = "tribunal-emulator";
const TRIAL: &str = "tribunal-trial";
const FUZZ: &str = "tribunal-fuzz";

/// What each crate may depend on within the workspace.
const EDGES: &[(&str, &[&str])] = &[
    (LLVM, &[]),
    (IR, &[LLVM]),
    (TARGET, &[IR]),
    (CODEGEN, &[LLVM, IR, TARGET]),
    (VERIFIER, &[IR, TARGET]),
    (EMULATOR, &[IR, TARGET]),
    (TRIAL, &[LLVM, IR, TARGET, CODEGEN, VERIFIER, EMULATOR]),
    (FUZZ, &[LLVM, IR, TARGET, CODEGEN, VERIFIER, EMULATOR, TRIAL]),
    ("tribunal-corpus", &[LLVM, IR, TARGET, CODEGEN, VERIFIER, EMULATOR, TRIAL, FUZZ]),
    ("tribunal", &[LLVM, IR, TARGET, CODEGEN, VERIFIER, EMULATOR, TRIAL, FUZZ]),
    ("tribunal-benchmarks", &[]),
    ("tribunal-mutants", &[]),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is in a folder of the workspace")
}

#[test]
fn crates_depend_on_what_the_table_allows_and_on_nothing_else() {
    let metadata = MetadataCommand::new().manifest_path(root().join("Cargo.toml")).no_deps().exec().unwrap();
    let names: BTreeSet<&str> = metadata.packages.iter().map(|package| package.name.as_str()).collect();
    assert_eq!(names, EDGES.iter().map(|&(name, _)| name).collect(), "a crate is missing from the table, or gone");
    for package in &metadata.packages {
        let (_, allowed) = EDGES.iter().find(|(name, _)| *name == package.name.as_str()).unwrap();
        let inside = package.dependencies.iter().filter(|dependency| names.contains(dependency.name.as_str()));
        for dependency in inside.filter(|dependency| dependency.kind == DependencyKind::Normal) {
            assert!(
                allowed.contains(&dependency.name.as_str()),
                "{} must not depend on {}",
                package.name,
                dependency.name
            );
        }
    }
}

#[test]
fn judges_do_not_see_the_compiler_even_in_tests() {
    let metadata = MetadataCommand::new().manifest_path(root().join("Cargo.toml")).no_deps().exec().unwrap();
    for package in metadata.packages.iter().filter(|package| [VERIFIER, EMULATOR].contains(&package.name.as_str())) {
        let sees = package.dependencies.iter().any(|dependency| dependency.name == CODEGEN);
        assert!(!sees, "{} sees the compiler", package.name);
    }
}

/// Files of the workspace that allow themselves unsafe code: the one attribute that libFuzzer asks for.
const UNSAFE: [&str; 1] = ["fuzz/fuzz_targets/hooks.rs"];

#[test]
fn unsafe_code_is_where_libfuzzer_asks_for_it_and_nowhere_else() {
    let metadata = MetadataCommand::new().manifest_path(root().join("Cargo.toml")).no_deps().exec().unwrap();
    let mut found = Vec::new();
    for package in &metadata.packages {
        let folder = package.manifest_path.parent().unwrap();
        let manifest = std::fs::read_to_string(&package.manifest_path).unwrap();
        let library = std::fs::read_to_string(folder.join("src/lib.rs")).unwrap_or_default();
        let forbids = manifest.contains("[lints]\nworkspace = true") || library.contains("#![forbid(unsafe_code)]");
        assert!(forbids, "{} takes neither the workspace's lints nor forbids unsafe code", package.name);
        let mut folders = vec![folder.as_std_path().to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|end| end == "rs")
                    && std::fs::read_to_string(&path).unwrap().contains(concat!("allow(", "unsafe_code"))
                {
                    found.push(path.strip_prefix(root()).unwrap().display().to_string());
                }
            }
        }
    }
    assert_eq!(found, UNSAFE);
}
