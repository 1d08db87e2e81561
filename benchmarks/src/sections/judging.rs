//! Sections on the judges' work: fuzzing, proving, sabotage, and the trial of real programs.

use super::{emptied, scratch};
use crate::section::{Budget, Reading, Section, SectionStep, durations};
use crate::table::{At, Figure, Part, Unit, count, figure, text};

pub const SECTIONS: &[Section] = &[FUZZ, STAGES, PROVE, RECIPES, SABOTAGE, JUDGES, FLOATS, TRIAL];

const FUZZ: Section = Section {
    name: "fuzz",
    heading: "Fuzzing",
    about: "\
The main job starts from an empty proof cache and generates programs for every target.
The second job takes another seed and the proofs that the first one kept.
The third starts from a copy of `corpus/fuzz` and mutates: a mutant may be undefined, so some of its executions are inconclusive.
The fourth compiles for RISC-V without M, where multiplications and divisions are calls.
Each program is verified after every pass, proved step by step, checked after allocation, and run on 36 inputs.
A function of a program of several runs on a third of them, alone and with the others.",
    needs: &[],
    steps: |effort| {
        let folder = scratch("fuzz");
        let further = effort.scaled(durations::FURTHER_JOB);
        let job = |label, seconds: u64, options: &str| {
            let Budget { jobs, .. } = effort;
            let place = format!("--cache {folder}/cache --out {folder}/out");
            SectionStep::json(label, format!("tribunal fuzz --jobs {jobs} --seconds {seconds}{options} {place} --json"))
        };
        vec![
            SectionStep::preparation(format!("{} && cp -r corpus/fuzz {folder}/corpus", emptied(&folder))),
            job("empty cache", effort.seconds_a_job, ""),
            SectionStep::json("kept proofs", format!("tribunal cache --stats --cache {folder}/cache --json")),
            job("proofs kept", further, " --seed 2"),
            job("from the corpus", further, &format!(" --corpus {folder}/corpus")),
            job("without M", further, " --features=-m"),
        ]
    },
    parts: &[
        Part::Steps {
            steps: &["empty cache", "proofs kept", "from the corpus", "without M"],
            figures: &[
                figure("seconds", "/seconds", Unit::Decimal(1)),
                count("programs", "/programs"),
                count("judged programs a second", "/programs_a_second"),
                count("executions", "/executions"),
                Figure { title: "executions a second", at: At::Per("/executions", "/seconds"), unit: Unit::Count },
                count("inconclusive executions", "/inconclusive"),
                count("findings", "/findings"),
                count("unknown", "/unknown"),
                count("unsupported", "/unsupported"),
                count("rejected programs", "/rejected"),
                count("verifications", "/verifications"),
                count("steps proved", "/proved"),
                count("of these, looked up", "/looked_up"),
                count("of these, kept from an earlier run", "/kept"),
                count("rules fired", "/coverage"),
                count("features reached: types", "/features/types"),
                count("features reached: recipes", "/features/recipes"),
                count("features reached: immediates", "/features/immediates"),
                count("features reached: pairs", "/features/pairs"),
                count("features reached: checks", "/features/checks"),
                count("programs added to the corpus", "/corpus_added"),
            ],
        },
        Part::Steps { steps: &["kept proofs"], figures: &[figure("their size in the cache", "/bytes", Unit::Megabytes)] },
        Part::Items {
            step: "empty cache",
            at: "/rules",
            figures: &[
                text("main job", "/target"),
                count("rules", "/rules"),
                count("fired", "/fired"),
                count("fired in a program that ran", "/observed"),
                count("proved in the ledger", "/proved"),
            ],
        },
    ],
};

const STAGES: Section = Section {
    name: "stages",
    heading: "The embedded loop by stages",
    about: "\
The loop of `tribunal fuzz` on one thread.
It begins with an empty proof cache and runs in three phases, since early programs are full of new steps.
Then come other programs, with the proofs of the phases before.
The programs of a phase are then judged again by one judge at a time, with every step known.
The time beyond compiling is the judge's, in microseconds of wall time a program.
New proofs are the rest of the loop's time.",
    needs: &[],
    steps: |effort| {
        let phases = durations::PHASES.map(|programs| effort.scaled(programs).to_string()).join(" ");
        vec![SectionStep::json(
            "stages",
            format!("cargo bench --package tribunal-fuzz --bench stages -- --json {phases}"),
        )]
    },
    parts: &[
        Part::Items {
            step: "stages",
            at: "/phases",
            figures: &[
                text("", "/phase"),
                count("programs", "/programs"),
                count("programs a second", "/programs_a_second"),
                count("executions a second", "/executions_a_second"),
                figure("steps a program", "/steps_a_program", Unit::Decimal(1)),
                figure("new steps", "/new_steps", Unit::Percent(2)),
                count("proofs in the cache", "/proofs"),
                figure("processor, us a program", "/processor_us_a_program", Unit::Decimal(1)),
                count("faults", "/faults"),
            ],
        },
        Part::Items {
            step: "stages",
            at: "/stages",
            figures: &[
                text("stage", "/stage"),
                figure("phase 1", "/us_a_program/0", Unit::Decimal(1)),
                figure("phase 2", "/us_a_program/1", Unit::Decimal(1)),
                figure("phase 3", "/us_a_program/2", Unit::Decimal(1)),
                figure("proofs kept", "/us_a_program/3", Unit::Decimal(1)),
            ],
        },
    ],
};

const PROVE: Section = Section {
    name: "prove",
    heading: "Proving the catalogue",
    about: "\
The catalogue holds every recipe that the legality rules reach, under every feature set that changes the rules.
Its operations are those on integers with widths to 128 bits, on numbers of floating point, and on short vectors.
An obligation is one step of one instance; distinct ones were proved, and the rest hit the proof cache.
An instance that the rules of several feature sets answer alike is walked once, and counts for each set.
The first column starts from an empty cache, and the second finds the proofs that the first kept.
The third is RISC-V 64 without M, the fourth the divisions of RISC-V 64 alone; both keep no proofs.
The last table is the check of the legality tables, which needs no solver.",
    needs: &[],
    steps: |effort| {
        let (folder, jobs) = (scratch("prove"), effort.jobs);
        let prove = |label, options: &str| {
            SectionStep::json(label, format!("tribunal prove {options} --out {folder}/out --json"))
        };
        let kept = format!("--jobs {jobs} --cache {folder}/cache");
        vec![
            SectionStep::preparation(emptied(&folder)),
            prove("empty cache", &kept),
            prove("proofs kept", &kept),
            prove("without M", &format!("--jobs {jobs} --features=-m --target riscv64 --no-cache")),
            prove("division", &format!("--jobs {jobs} --target riscv64 --opcode G_UDIV --no-cache")),
            SectionStep::json("tables", "tribunal prove --tables --json"),
        ]
    },
    parts: &[
        Part::Steps {
            steps: &["empty cache", "proofs kept", "without M", "division"],
            figures: &[
                count("obligations", "/obligations"),
                Figure { title: "distinct", at: At::Less("/obligations", "/looked_up"), unit: Unit::Count },
                count("proved", "/proved"),
                count("of these, kept from an earlier run", "/kept"),
                count("of instances alike under other features", "/alike"),
                count("refuted", "/refuted"),
                count("unknown", "/unknown"),
                count("unsupported", "/unsupported"),
                figure("seconds", "/seconds", Unit::Decimal(1)),
            ],
        },
        Part::Steps {
            steps: &["tables"],
            figures: &[
                count("queries", "/queries"),
                count("legal", "/legal"),
                count("legalized", "/legalized"),
                count("refused by a rule", "/cannot"),
                count("rules that end nowhere", "/endless"),
                count("invalid steps", "/ill_defined"),
                count("type indices without a rule", "/holes"),
                count("idle rules", "/idle"),
                figure("seconds", "/seconds", Unit::Decimal(1)),
            ],
        },
    ],
};

const RECIPES: Section = Section {
    name: "recipes",
    heading: "Recipes that are hard to prove",
    about: "\
A solver that bit-blasts gives up on these recipes.
Each is proved from an empty cache, on one thread; the last columns name its slowest step and the engine that proved it.",
    needs: &[],
    steps: |_| vec![SectionStep::json("recipes", "cargo bench --package tribunal-trial --bench recipes -- --json")],
    parts: &[Part::Items {
        step: "recipes",
        at: "/rows",
        figures: &[
            text("recipe", "/recipe"),
            count("steps", "/steps"),
            figure("seconds", "/seconds", Unit::Decimal(3)),
            figure("slowest step, seconds", "/slowest", Unit::Decimal(3)),
            text("slowest step", "/rule"),
            text("engine", "/engine"),
        ],
    }],
};

const SABOTAGE: Section = Section {
    name: "sabotage",
    heading: "Faults that the judges kill",
    about: "\
`tribunal sabotage` plants known miscompiles one at a time and generates programs until a judge kills the fault.
A fault planted on one target is one trial.
Blame is right if every finding names a rule or a pass in which the fault acted.
Judges stand in the pipeline's order, so the emulator comes last.
The number of small reproducers depends on the machine: reduction has a limit of time.",
    needs: &[],
    steps: |effort| {
        let seconds = effort.scaled(durations::REDUCTION);
        vec![SectionStep::json("sabotage", format!("tribunal sabotage --reduce-seconds {seconds} --json"))]
    },
    parts: &[
        Part::Steps {
            steps: &["sabotage"],
            figures: &[
                count("faults", "/faults"),
                count("trials", "/trials"),
                count("killed", "/killed"),
                count("blame right", "/blamed"),
                count("shown by execution too", "/executed"),
                count("reduced to at most five instructions", "/small"),
                count("the same, with copies of arguments and results and the return", "/small_in_all"),
                figure("seconds to kill, median", "/median_seconds", Unit::Decimal(2)),
                figure("seconds to kill, longest", "/longest_seconds", Unit::Decimal(2)),
            ],
        },
        Part::Entries { step: "sabotage", at: "/by_judge", titles: ["judge", "first to find the fault"] },
    ],
};

const JUDGES: Section = Section {
    name: "judges",
    heading: "Judges on trial",
    about: "\
`tribunal fuzz --target-judges` damages stages of generated programs at random and asks the judge of the stage.
Refuted and unknown functions were not accepted; an execution shows why, or none does.
Accepted functions ran alike on 128 inputs; one that did not would be a finding.
The sensitivity test changes every part of every opcode's instruction, one at a time.
No change is accepted that `verifier/tests/prover_sensitivity/harmless.rs` or `verifier/tests/sensitivity/changes.rs` does not
name with its argument. A changed allocation that is accepted must run as before.",
    needs: &[],
    steps: |effort| {
        let (folder, Budget { jobs, seconds_a_job, .. }) = (scratch("judges"), effort);
        let sensitivity = |judge: &'static str, tests: &str| {
            SectionStep::json(judge, format!("cargo test --package {tests} --nocapture | grep '^{{' | tail -1"))
        };
        vec![
            SectionStep::preparation(emptied(&folder)),
            SectionStep::json(
                "random damage",
                format!(
                    "tribunal fuzz --target-judges --jobs {jobs} --seconds {} --out {folder}/out --json",
                    2 * seconds_a_job
                ),
            ),
            sensitivity("validate", "tribunal-verifier --test prover_sensitivity -- validate_sees"),
            sensitivity("step prover", "tribunal-verifier --test prover_sensitivity -- step_prover_sees"),
            sensitivity("machine verifier", "tribunal-verifier --test sensitivity -- every_change_is"),
            sensitivity("allocation checker", "tribunal-fuzz --test allocation -- the_allocation_checker_sees"),
        ]
    },
    parts: &[
        Part::Steps {
            steps: &["random damage"],
            figures: &[
                figure("seconds", "/seconds", Unit::Decimal(1)),
                count("damaged functions", "/damaged"),
                count("rejected by the machine verifier", "/rejected"),
                count("refuted", "/refuted"),
                count("unknown", "/unknown"),
                count("accepted, and running alike", "/proved"),
                count("accepted, and not run", "/untried"),
                count("findings", "/findings"),
            ],
        },
        Part::Steps {
            steps: &["validate", "step prover"],
            figures: &[TRIED, WRONG, count("instructions without a meaning", "/unsupported")],
        },
        Part::Steps { steps: &["machine verifier", "allocation checker"], figures: &[TRIED, WRONG] },
    ],
};

/// Of a test that changes one thing at a time.
const TRIED: Figure = count("changes tried", "/tried");
const WRONG: Figure = count("accepted, and neither named as harmless nor running alike", "/wrong");

const FLOATS: Section = Section {
    name: "floats",
    heading: "The definition of floating point",
    about: "\
The one definition of each operation beside `rustc_apfloat`, the port of LLVM's own numbers: results and flags, in every rounding mode and format.
The variable is the number of random operands of each operation and format; corner values come besides.
Numbers of 16 bits are converted exhaustively.
Each instruction of floating point runs in Unicorn beside its definition, on as many operands.
A difference fails the test, and this section.",
    needs: &[],
    steps: |effort| {
        let tests = |label, package: &str, test: &str| SectionStep {
            label,
            command: format!(
                "TRIBUNAL_FLOAT_PAIRS={} cargo test --release --package {package} --test {test}",
                effort.scaled(durations::FLOAT_PAIRS)
            ),
            reading: Reading::Tests,
        };
        vec![tests("rustc_apfloat", "tribunal-verifier", "float"), tests("Unicorn", "tribunal-emulator", "floats")]
    },
    parts: &[Part::Steps {
        steps: &["rustc_apfloat", "Unicorn"],
        figures: &[count("tests passed", "/passed"), figure("seconds", "/seconds", Unit::Decimal(0))],
    }],
};

const TRIAL: Section = Section {
    name: "trial",
    heading: "Real programs before every judge",
    about: "\
`corpus/real` holds functions that clang wrote for three targets at three levels.
Each goes before every judge, from an empty proof cache, on one thread.",
    needs: &[],
    steps: |_| vec![SectionStep::json("corpus/real", "tribunal trial corpus/real/*.mir --no-cache --json")],
    parts: &[Part::Steps {
        steps: &["corpus/real"],
        figures: &[
            count("functions", "/functions"),
            count("passed", "/passed"),
            count("findings", "/findings"),
            count("refuted", "/refuted"),
            count("unknown", "/unknown"),
            count("unsupported", "/unsupported"),
            count("steps proved", "/proved"),
            count("of these, looked up", "/looked_up"),
            count("verifications", "/verifications"),
            count("executions", "/executions"),
            count("fewest executions of a function", "/fewest_executions_a_function"),
            figure("seconds", "/seconds", Unit::Decimal(1)),
        ],
    }],
};
