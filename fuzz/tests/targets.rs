//! The bodies of the fuzz targets, each for a second, on noise and on the programs of the corpus.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use rustc_hash::FxHashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tribunal_fuzz::targets;

fn texts(folder: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus").join(folder);
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|ending| ending == "mir")).collect();
    files.sort();
    files.into_iter().map(|path| std::fs::read(path).unwrap()).collect()
}

fn runs(name: &str) {
    let (_, body) = targets::ALL.into_iter().find(|(known, _)| *known == name).unwrap();
    let noise: Vec<u8> = (0..4096u32).map(|index| (index.wrapping_mul(0x9e37_79b9) >> 11) as u8).collect();
    let inputs: Vec<Vec<u8>> = texts("bugs").into_iter().chain(noise.chunks(1024).map(<[u8]>::to_vec)).collect();
    let mut features = FxHashSet::default();
    let (started, mut count) = (Instant::now(), 0);
    for input in inputs.iter().cycle().take(1 << 20) {
        // Every second round starts elsewhere: another program.
        body(&input[count / inputs.len() * 97 % input.len()..], &mut |slot| _ = features.insert(slot));
        count += 1;
        if started.elapsed() > Duration::from_secs(1) {
            break;
        }
    }
    assert!(count >= 2, "{count} inputs");
    let compiles = !["encode", "parse"].contains(&name);
    assert_eq!(compiles, !features.is_empty(), "{} features", features.len());
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz_targets").join(format!("{name}.rs"));
    assert!(target.exists(), "{} is there", target.display());
}

macro_rules! each {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            runs(stringify!($name));
        })*
    };
}

each! { differential legalize select allocate encode parse validate }

/// A stage that lost a global has the others where the source has them.
#[test]
fn globals_stay_where_they_are_when_one_goes() {
    let (_, body) = targets::ALL.into_iter().find(|(known, _)| *known == "legalize").unwrap();
    body(include_bytes!("../../corpus/bugs/globals_left_out_by_a_stage.riscv32.mir"), &mut |_| ());
}

/// A frozen value is one value: no fuzz target finds a fault in a rotation by it.
#[test]
fn what_was_frozen_is_one_value() {
    for target in ["legalize", "validate"] {
        let (_, body) = targets::ALL.into_iter().find(|(known, _)| *known == target).unwrap();
        body(include_bytes!("../../corpus/bugs/rotated_by_what_was_frozen.riscv32.mir"), &mut |_| ());
    }
}
