//! Sections beside LLVM: its legalizer on trial, and both compilers' speed.

use super::{LLC, emptied, scratch};
use crate::section::{Need, Section, SectionStep, durations};
use crate::table::{Figure, Part, Unit, count, figure, text};

pub const SECTIONS: &[Section] = &[LLVM, LEGALIZER, COMPILE];

/// Of one row a target, a level and a stage.
const VERDICTS: &[Figure] = &[
    text("target", "/target"),
    text("level", "/level"),
    text("stage", "/stage"),
    count("functions", "/functions"),
    count("proved", "/proved"),
    count("refuted", "/refuted"),
    count("unknown", "/unknown"),
    count("unsupported", "/unsupported"),
    count("refused files", "/refused"),
    figure("slowest function, seconds", "/slowest_seconds", Unit::Decimal(1)),
];

const LLVM: Section = Section {
    name: "llvm",
    heading: "LLVM's GlobalISel on trial",
    about: "\
`llc-22` takes each function through the stages of GlobalISel, and the translation validator judges each against the one before.
The first table holds functions of `corpus/real`, the second programs of csmith through `clang-22 -O1`.
Every refutation was executed; `corpus/llvm` argues their causes.
Unknown are functions beyond their limit, and products and divisions on which z3 gives up.",
    needs: &[
        LLC,
        Need { command: "command -v clang-22", otherwise: "clang-22 is missing" },
        Need { command: "command -v csmith", otherwise: "csmith is missing" },
    ],
    steps: |effort| {
        let (jobs, programs, seeds) = (effort.jobs, effort.scaled(durations::REAL), effort.scaled(durations::CSMITH));
        let judge = |label, source: &str| {
            let folder = scratch(&format!("llvm/{label}"));
            let program = "cargo run --release --package tribunal-fuzz --example judge_llvm";
            SectionStep::json(label, format!("{program} -- --jobs {jobs} --keep {folder} --json {source}"))
        };
        vec![
            SectionStep::preparation(emptied(&scratch("llvm"))),
            judge("real", &format!("real={programs}")),
            judge("csmith", &format!("csmith=1..{seeds}")),
        ]
    },
    parts: &[
        Part::Items { step: "real", at: "/rows", figures: VERDICTS },
        Part::Items { step: "csmith", at: "/rows", figures: VERDICTS },
    ],
};

const LEGALIZER: Section = Section {
    name: "legalizer",
    heading: "Speed of the legalizer",
    about: "\
Generic instructions a second, ours beside LLVM's, on every function of `corpus/real`; rows are target and clang's level.
Both times are wall time inside the pass.
Ours is a clock around it, after parsing; LLVM's is the row `Legalizer` of `llc-22 -run-pass=legalizer -time-passes`.
Each function stands twenty times in its file, and the best of five runs counts.",
    needs: &[LLC],
    steps: |_| vec![SectionStep::json("legalizer", "cargo bench --package tribunal --bench legalizer -- --json")],
    parts: &[Part::Items {
        step: "legalizer",
        at: "/rows",
        figures: &[
            text("", "/kind"),
            count("instructions", "/instructions"),
            count("tribunal", "/tribunal"),
            count("llc-22", "/llc"),
            figure("ratio", "/ratio", Unit::Decimal(2)),
        ],
    }],
};

const COMPILE: Section = Section {
    name: "compile",
    heading: "Speed of a whole compilation",
    about: "\
Generic instructions a second, from MIR text to an object, on every function of `corpus/real`; rows are target and clang's level.
Ours is `tribunal compile -O0`; LLVM's is `llc-22 -O0 -global-isel -start-after=irtranslator -filetype=obj`.
Whole is the processor time, user and system, of one process that reads the same file, its start included.
Each function stands twenty times in its file, and the best of five runs counts.

Compiling leaves the reading of text out, which is most of LLVM's time.
LLVM's reading is the time of `llc-22 -run-pass=none` without its passes, so the start of its process counts as reading.
LLVM's compiling is the small difference of two large times, so it varies more than the other figures.
Ours is a clock around the parser, and another around the pipeline and the object's writer.

Two differences favour us: we skip the functions of the file's IR block, where LLVM parses them.
And LLVM's pipeline holds passes that have no part here, such as those for exceptions, garbage collection and instrumentation.",
    needs: &[LLC],
    steps: |_| vec![SectionStep::json("compile", "cargo bench --package tribunal --bench compile -- --json")],
    parts: &[Part::Items {
        step: "compile",
        at: "/rows",
        figures: &[
            text("", "/kind"),
            count("instructions", "/instructions"),
            count("whole: tribunal", "/tribunal"),
            count("llc-22", "/llc"),
            figure("ratio", "/ratio", Unit::Decimal(2)),
            count("compiling: tribunal", "/tribunal_compiling"),
            count("llc-22", "/llc_compiling"),
            figure("ratio", "/ratio_compiling", Unit::Decimal(2)),
            figure("reading: tribunal", "/tribunal_reading", Unit::Percent(0)),
            figure("llc-22", "/llc_reading", Unit::Percent(0)),
        ],
    }],
};
