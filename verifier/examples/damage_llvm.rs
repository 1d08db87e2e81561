//! Damaged functions before this machine verifier and LLVM's: which does LLVM's alone reject?
//!
//! Usage: damage_llvm ROUNDS FOLDER SHARE SOURCE... damages every function after one pass of each SHARE passes, so many
//! times, and writes those that LLVM alone rejects to the folder. Prints LLVM's messages, then sums.

#![allow(clippy::unwrap_used, reason = "a tool for the developer of the verifier")]

#[path = "../tests/damaged/compare.rs"]
mod compare;
#[path = "../tests/llvm_output/passes.rs"]
mod passes;
#[path = "../tests/damaged/text.rs"]
mod text;

use compare::Comparison;
use passes::{Choice, each_file};
use std::path::Path;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [rounds, folder, share, sources @ ..] = arguments.as_slice() else { panic!("ROUNDS FOLDER SHARE SOURCE...") };
    let (folder, rounds, share) = (Path::new(folder), rounds.parse().unwrap(), share.parse().unwrap());
    std::fs::create_dir_all(folder).unwrap();
    let mut comparison = Comparison::default();
    for (part, source) in sources.iter().enumerate() {
        each_file(Path::new(source), folder, &[], Choice::Share(part, share), |file| {
            if let Some(text) = &file.text {
                let known = comparison.missed.len();
                comparison.add(&file.name, text, file.target, rounds, folder);
                for (number, (message, text)) in comparison.missed.iter().enumerate().skip(known) {
                    println!("{number}: {message}");
                    std::fs::write(folder.join(format!("missed{number}.mir")), text).unwrap();
                }
            }
        });
    }
    let Comparison { tried, rejected, unsupported, refused, accepted, unreadable, missed } = comparison;
    println!("{tried:#?}\nnot read by LLVM: {unreadable:#?}");
    println!(
        "{rejected} rejected, {unsupported} unsupported, {refused} no MIR, {accepted} accepted, {} of them not by LLVM",
        missed.len()
    );
}
