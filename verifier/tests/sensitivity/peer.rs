//! LLVM's machine verifier, as the peer: which of many functions `llc-22 -verify-machineinstrs` rejects.
//!
//! It stops at the first function that it rejects, or that its reader does not take. So a run is repeated with the
//! functions after that one; where none is rejected, one run is enough.

/// Functions of one run: a rejected one costs a run of the rest.
const CHUNK: usize = 500;

use std::process::Command;
use tribunal_ir::{Function, text};
use tribunal_target::Target;

/// The functions that LLVM rejects, each with its reason, by place in the list.
pub fn rejected(target: &Target, functions: &[Function], name: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let all: Vec<usize> = (0..functions.len()).collect();
    for chunk in all.chunks(CHUNK) {
        let mut left = chunk;
        while let Some((place, message)) = first_rejected(target, functions, left, name) {
            let at = left.iter().position(|&own| own == place).unwrap();
            found.push((place, message));
            left = &left[at + 1..];
        }
    }
    found
}

fn first_rejected(target: &Target, functions: &[Function], places: &[usize], name: &str) -> Option<(usize, String)> {
    let (input, starts) = file(target, functions, places);
    let path = std::env::temp_dir().join(format!("tribunal-{name}-{}.mir", std::process::id()));
    std::fs::write(&path, input).unwrap();
    let mut command = Command::new("llc-22");
    command.args([
        &format!("-mtriple={}", target.triple),
        "-run-pass=none",
        "-verify-machineinstrs",
        "-o",
        "/dev/null",
    ]);
    let options: String = target.options.iter().map(|option| format!("+{},", option.name)).collect();
    let output = command.arg(format!("-mattr={options}")).arg(&path).output().unwrap();
    if output.status.success() {
        std::fs::remove_file(&path).unwrap();
        return None;
    }
    let report = String::from_utf8_lossy(&output.stderr).into_owned();
    let verified = report.lines().find_map(|line| line.strip_prefix("- function:")).map(|name| number(name.trim()));
    let message = |mark: &str| report.lines().find(|line| line.contains(mark)).unwrap_or(&report).to_string();
    if let Some(place) = verified {
        return Some((place, message("Bad machine code")));
    }
    // A crash names no function: the half that crashes has it.
    if report.contains("PLEASE submit a bug report") {
        let (first, second) = places.split_at(places.len() / 2);
        return match (first, second) {
            ([], [only]) => Some((*only, message("LLVM ERROR"))),
            _ => first_rejected(target, functions, first, name)
                .or_else(|| first_rejected(target, functions, second, name)),
        };
    }
    let message = message("error:");
    let line: usize =
        message.split(':').filter_map(|part| part.parse().ok()).next().unwrap_or_else(|| panic!("{report}"));
    let place = starts.iter().rev().find(|(start, _)| *start <= line).map(|(_, place)| *place);
    let place = place.unwrap_or_else(|| panic!("{report}"));
    Some((place, message))
}

/// The place of the function with this name.
fn number(name: &str) -> usize {
    name.trim_start_matches('f').parse().unwrap()
}

/// The text of these functions, and the line at which each begins.
fn file(target: &Target, functions: &[Function], places: &[usize]) -> (String, Vec<(usize, usize)>) {
    let mut file = "--- |\n  @g = external global i8\n".to_string();
    places.iter().for_each(|place| file += &format!("  define void @f{place}() {{ ret void }}\n"));
    file += "...\n";
    let mut starts = Vec::new();
    let mut lines = file.lines().count() + 1;
    for &place in places {
        let mut function = functions[place].clone();
        function.name = format!("f{place}");
        let text = text::print_function(&function, target.vocabulary);
        starts.push((lines, place));
        lines += text.lines().count();
        file += &text;
    }
    (file, starts)
}
