//! Sections on the libFuzzer targets, on reducing with a command, and on the code itself.

use super::{LLC, emptied, scratch};
use crate::section::{Budget, Need, Reading, Section, SectionStep, durations};
use crate::table::{Part, Unit, count, figure, text};

pub const SECTIONS: &[Section] = &[LIBFUZZER, REDUCE, BANKS, SIZE];

/// The binaries of `fuzz/fuzz_targets`.
pub const FUZZ_TARGETS: [&str; 7] = ["differential", "legalize", "select", "allocate", "encode", "parse", "validate"];

const LIBFUZZER: Section = Section {
    name: "libfuzzer",
    heading: "The libFuzzer targets",
    about: "\
The same judges under libFuzzer and AddressSanitizer, which slow them down.
Each target starts from every eighteenth file of `corpus/fuzz` and from `corpus/bugs`, on one thread.
Coverage and features are libFuzzer's `cov` and `ft`; features include those of `trial/src/features.rs`.",
    needs: &[
        Need { command: "rustup run nightly cargo --version", otherwise: "nightly toolchain is missing" },
        Need {
            command: "cargo fuzz --version",
            otherwise: "cargo-fuzz is missing (`cargo install cargo-fuzz --locked`)",
        },
    ],
    steps: libfuzzer_steps,
    parts: &[Part::Steps {
        steps: &FUZZ_TARGETS,
        figures: &[
            count("seconds", "/seconds"),
            count("runs", "/runs"),
            count("findings", "/findings"),
            count("coverage", "/coverage"),
            count("features", "/features"),
        ],
    }],
};

fn libfuzzer_steps(effort: &Budget) -> Vec<SectionStep> {
    let (folder, seconds) = (scratch("libfuzzer"), effort.scaled(durations::LIBFUZZER));
    let seeds = format!("mkdir {folder}/seeds {folder}/{{{}}}", FUZZ_TARGETS.join(","));
    let sample = format!("cp $(ls corpus/fuzz/*.mir | awk 'NR % 18 == 0') {folder}/seeds");
    // Seven programs out of one library: each would be optimised whole again.
    let cargo = "CARGO_PROFILE_RELEASE_LTO=off cargo +nightly fuzz";
    let run = |name: &&'static str| SectionStep {
        label: name,
        command: format!(
            "{cargo} run {name} {folder}/{name} {folder}/seeds corpus/bugs -- -max_len=32768 -seed=1 -detect_leaks=0 \
             -max_total_time={seconds}"
        ),
        reading: Reading::LibFuzzer,
    };
    let preparations = [format!("{} && {seeds} && {sample}", emptied(&folder)), format!("{cargo} build")];
    preparations.into_iter().map(SectionStep::preparation).chain(FUZZ_TARGETS.iter().map(run)).collect()
}

const REDUCE: Section = Section {
    name: "reduce",
    heading: "Reducing with a command",
    about: "\
`tribunal reduce --check` asks a program whether a candidate is interesting.
Here `benchmarks/leaves-umulh` asks `llc-22` whether its legalizer leaves a `G_UMULH`.",
    needs: &[LLC],
    steps: |_| {
        let folder = scratch("reduce");
        let reduce = "tribunal reduce corpus/real/wide.riscv64.O1.mir";
        vec![
            SectionStep::preparation(emptied(&folder)),
            SectionStep::json(
                "reduced",
                format!("{reduce} -o {folder}/small.mir --check benchmarks/leaves-umulh --json"),
            ),
        ]
    },
    parts: &[Part::Steps {
        steps: &["reduced"],
        figures: &[
            count("instructions before", "/instructions_before"),
            count("instructions after", "/instructions_after"),
            count("candidates judged", "/tests"),
            figure("seconds", "/seconds", Unit::Decimal(1)),
        ],
    }],
};

const BANKS: Section = Section {
    name: "banks",
    heading: "Copies between register banks",
    about: "\
Copies from register bank to register bank that the programs of `corpus/programs` execute, for each mode of `--bank-select`.
A counter of the program's own follows every such copy, and QEMU runs the program to its end.
A program counts if its output is the expected one with every mode; rows are target and clang's level.
Machines without registers of floating point have no such copies.",
    needs: &[
        LLC,
        Need { command: "command -v clang-22", otherwise: "clang-22 is missing" },
        Need { command: "command -v qemu-riscv64", otherwise: "QEMU's user mode is missing" },
    ],
    steps: |effort| {
        let program = "cargo run --release --package tribunal-corpus --bin tribunal-programs";
        let targets = "--target riscv64 --target aarch64";
        vec![SectionStep::json("copies", format!("{program} -- --bank-copies {targets} --jobs {} --json", effort.jobs))]
    },
    parts: &[Part::Items {
        step: "copies",
        at: "/rows",
        figures: &[
            text("target", "/target"),
            text("level", "/level"),
            count("programs", "/programs"),
            count("with copies", "/with_copies"),
            count("`fast`", "/fast"),
            count("`greedy`", "/greedy"),
            count("`global`", "/global"),
            count("programs with more in `global`", "/above"),
        ],
    }],
};

const SIZE: Section = Section {
    name: "size",
    heading: "Size of the code",
    about: "\
Lines of Rust in each crate's `src`, and of all that only tests and measures it.
A line of code is neither blank nor a comment alone.
The length of a function counts the lines from its signature to its closing brace.",
    needs: &[],
    steps: |_| {
        vec![SectionStep::json("size", "cargo run --release --package tribunal-benchmarks --example size -- --json")]
    },
    parts: &[Part::Items {
        step: "size",
        at: "/rows",
        figures: &[
            text("", "/folder"),
            count("files", "/files"),
            count("lines", "/lines"),
            count("lines of code", "/code"),
            count("functions", "/functions"),
            count("median", "/median"),
            count("nine in ten at most", "/p90"),
            count("longest", "/longest"),
        ],
    }],
};
