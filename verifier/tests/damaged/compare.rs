//! Damaged functions before two verifiers: those that this one accepts are put to LLVM's.
//!
//! LLVM's stops at the first function that it rejects, or that its reader does not take. So many accepted functions
//! are asked about in one run, which is repeated without the one that it stopped at.

use crate::text::{self, Words};
use rand::SeedableRng;
use rand::rngs::SmallRng;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use tribunal_ir::text::parse_module;
use tribunal_target::Target;
use tribunal_verifier::machine_verifier::{unjudged, verify_foreign};

/// The verdict of this project's verifier, in its own words.
enum Verdict {
    Accepted,
    Rejected,
    /// Not judged whole: no table has something in it.
    Unsupported,
    /// No MIR.
    Refused,
}

/// Sums by the kind of damage, and the functions on which the verifiers differ.
#[derive(Default)]
pub struct Comparison {
    pub tried: BTreeMap<&'static str, usize>,
    pub rejected: usize,
    pub unsupported: usize,
    pub refused: usize,
    pub accepted: usize,
    /// LLVM's reader does not take these, which this project's reader took.
    pub unreadable: BTreeMap<String, usize>,
    /// Accepted here and rejected by LLVM: the place, the damage, LLVM's message, and the text.
    pub missed: Vec<(String, String)>,
}

impl Comparison {
    /// Damages every function of a file that LLVM wrote, `rounds` times.
    pub fn add(&mut self, name: &str, file: &str, target: &'static Target, rounds: u64, folder: &Path) {
        let Some((ir, functions)) = documents(file) else { return };
        let vocabulary = text::vocabulary(&functions);
        let words = Words::new(&vocabulary);
        let whole: Vec<&str> = functions.iter().copied().filter(|function| sound(&ir, function, target)).collect();
        for round in 0..rounds {
            let mut accepted: Vec<(String, String)> = Vec::new();
            for (index, function) in whole.iter().enumerate() {
                let seed = round.wrapping_mul(0x9e37_79b9).wrapping_add(index as u64) ^ hash(name);
                let mut random = SmallRng::seed_from_u64(seed);
                let Some((kind, damaged)) = text::damage(function, &words, &mut random) else { continue };
                *self.tried.entry(kind).or_default() += 1;
                match verdict(&ir, &damaged, target) {
                    Verdict::Accepted => accepted.push((kind.to_string(), damaged)),
                    Verdict::Rejected => self.rejected += 1,
                    Verdict::Unsupported => self.unsupported += 1,
                    Verdict::Refused => self.refused += 1,
                }
            }
            self.accepted += accepted.len();
            self.ask(name, &ir, accepted, folder);
        }
    }

    /// Asks LLVM about functions that this project accepts.
    fn ask(&mut self, name: &str, ir: &str, mut functions: Vec<(String, String)>, folder: &Path) {
        while !functions.is_empty() {
            let Some((at, message)) = first_rejected(ir, &functions, folder) else { return };
            let (kind, text) = functions.remove(at);
            match message.strip_prefix("*** Bad machine code: ") {
                Some(message) => {
                    let message = message.trim_end_matches(['*', ' ']);
                    self.missed.push((format!("{name}: {kind}: {message}"), format!("{ir}---\n{text}...\n")));
                }
                None => *self.unreadable.entry(message).or_default() += 1,
            }
        }
    }
}

/// Of the name without its folder: a checkout in another place draws the same.
fn hash(name: &str) -> u64 {
    let name = name.rsplit_once('/').map_or(name, |(_, name)| name);
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// The IR block with its ends, and the functions without theirs.
fn documents(file: &str) -> Option<(String, Vec<&str>)> {
    let mut parts = file.split("\n...\n");
    let ir = parts.next()?.to_string() + "\n...\n";
    Some((ir, parts.filter_map(|part| part.strip_prefix("---\n")).collect()))
}

/// True if this project's verifier judges the undamaged function whole, and finds nothing.
fn sound(ir: &str, function: &str, target: &'static Target) -> bool {
    matches!(verdict(ir, &format!("{function}\n"), target), Verdict::Accepted)
}

fn verdict(ir: &str, function: &str, target: &'static Target) -> Verdict {
    let Ok(module) = parse_module(&format!("{ir}---\n{function}...\n"), target.vocabulary) else {
        return Verdict::Refused;
    };
    let features = target.default_features | target.all_options();
    let Some(function) = module.functions.first() else { return Verdict::Unsupported };
    if !verify_foreign(function, target, features).is_empty() {
        return Verdict::Rejected;
    }
    let is_whole = function.gave_up().is_none() && unjudged(function).is_none();
    if is_whole { Verdict::Accepted } else { Verdict::Unsupported }
}

/// The first function that LLVM does not accept, and its reason.
fn first_rejected(ir: &str, functions: &[(String, String)], folder: &Path) -> Option<(usize, String)> {
    let mut file = ir.to_string();
    let mut starts = Vec::new();
    for (_, function) in functions {
        starts.push(file.lines().count() + 1);
        file += &format!("---\n{function}...\n");
    }
    let path = folder.join("damaged.mir");
    std::fs::write(&path, file).unwrap();
    let mut llc = Command::new("llc-22");
    let output = llc.args(["-run-pass=none", "-verify-machineinstrs", "-o", "/dev/null"]).arg(&path).output().unwrap();
    if output.status.success() {
        return None;
    }
    let report = String::from_utf8_lossy(&output.stderr).into_owned();
    let has_name = |function: &str, name: &str| {
        function.lines().any(|line| line.strip_prefix("name:").is_some_and(|own| own.trim() == name))
    };
    let named = |name: &str| functions.iter().position(|(_, function)| has_name(function, name));
    if let Some(message) = report.lines().find(|line| line.starts_with("*** Bad machine code")) {
        let name = report.lines().find_map(|line| line.strip_prefix("- function:")).map(str::trim)?;
        return Some((named(name).unwrap_or_else(|| panic!("{report}")), message.to_string()));
    }
    if let Some(error) = report.lines().find(|line| line.contains("error: ")) {
        let line: usize = error.split(':').filter_map(|part| part.parse().ok()).next().unwrap_or(0);
        let at = starts.iter().rposition(|&start| start <= line).unwrap_or(0);
        let message = error.split("error: ").last().unwrap_or_default();
        let message: String = message.chars().filter(|character| !character.is_ascii_digit()).collect();
        return Some((at, format!("error: {message}")));
    }
    // A crash may name no function.
    let crashed = report.lines().find_map(|line| line.split("on function '@").nth(1));
    let crashed = crashed.and_then(|rest| named(rest.trim_end_matches('\'')));
    match (functions.len(), crashed) {
        (_, Some(at)) => Some((at, "crash".to_string())),
        (1, None) => Some((0, "crash".to_string())),
        (count, None) => {
            let (first, second) = functions.split_at(count / 2);
            let rest = || first_rejected(ir, second, folder).map(|(at, message)| (at + first.len(), message));
            first_rejected(ir, first, folder).or_else(rest)
        }
    }
}
