//! The machine verifier on what LLVM's passes write: every finding is a false alarm, or a fault of LLVM.
//!
//! Usage: verify_llvm SOURCE... where a SOURCE is a file of C or C++, a file that LLVM wrote (`.mir`), or
//! `csmith=FIRST..LAST`: programs of csmith with these seeds. A source is judged after every pass. Prints the findings,
//! then the number of functions, findings, functions not read and files not made.

#![allow(clippy::unwrap_used, reason = "a tool for the developer of the verifier")]

#[path = "../tests/llvm_output/passes.rs"]
mod passes;

use passes::{Choice, Total};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program of csmith is judged after every so manieth pass; the seed says which is the first.
const SHARES: usize = 8;

fn main() {
    let folder = std::env::temp_dir().join(format!("verify-llvm-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut total = Total::default();
    for source in std::env::args().skip(1) {
        match source.strip_prefix("csmith=").and_then(|seeds| seeds.split_once("..")) {
            None if source.ends_with(".mir") => total.add_file(Path::new(&source)),
            None => total.add_source(Path::new(&source), &folder, &[], Choice::Share(0, 1)),
            Some((first, last)) => {
                let headers = concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz/csmith");
                for seed in first.parse::<u32>().unwrap()..=last.parse().unwrap() {
                    let more = ["-I", headers, "-I", "/usr/include/csmith"];
                    let choice = Choice::Share(seed as usize, SHARES);
                    total.add_source(&csmith(seed, &folder), &folder, &more, choice);
                }
            }
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
    let Total { functions, unread, refused, findings } = total;
    findings.iter().for_each(|finding| println!("{finding}"));
    println!("{functions} functions, {} findings, {unread} not read, {refused} files not made", findings.len());
}

fn csmith(seed: u32, folder: &Path) -> PathBuf {
    let source = folder.join(format!("csmith{seed}.c"));
    let made = Command::new("csmith")
        .args(["--seed", &seed.to_string(), "--no-argc", "--no-float", "-o"])
        .arg(&source)
        .current_dir(folder)
        .status()
        .unwrap();
    assert!(made.success());
    source
}
