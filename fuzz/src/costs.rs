//! The cost of code of programs that do not change, against the committed ledger.
//!
//! A backend that forgets a rule, ranks registers wrongly or takes a loop for straight code may still be right: its
//! code is longer, or takes longer. No other judge sees that. So the programs of `corpus/run` and `corpus/real` are
//! compiled, and cost at most what the ledger says. The latter are executed too, on a few inputs.
//!
//! Invariant: nothing here depends on the generator, whose programs depend on the tables.

use include_dir::{Dir, DirEntry, include_dir};
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use tribunal_codegen::pipeline::{self, PIPELINE, Pass};
use tribunal_codegen::{Allocator, BankSelectMode, Context, Observer, Options, allocate};
use tribunal_emulator::interpreter::{Interpreter, KeptAccesses, Settings};
use tribunal_ir::{Function, text};
use tribunal_target::Target;
use tribunal_trial::finding::Finding;
use tribunal_trial::inputs::{self, Plan};

/// The programs that each show an opcode or an extension, with the features that they need.
static SMALL: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../corpus/run");
/// Programs in C, as LLVM's translator gives them.
static REAL: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../corpus/real");
/// The level of those that are compiled here: with loops in registers.
const LEVEL: &str = ".O2.mir";
/// The committed ledger.
const LEDGER: &str = include_str!("../ledger/costs.txt");
/// Its path, for messages.
const LEDGER_FILE: &str = "fuzz/ledger/costs.txt";

/// The ways in which each program is compiled.
const WAYS: [(Allocator, BankSelectMode); 2] =
    [(Allocator::Ion, BankSelectMode::Global), (Allocator::Fastalloc, BankSelectMode::Greedy)];
/// Executions of each function of a real program, and their longest, in instructions.
const PLAN: Plan = Plan { count: 4, seed: 1 };
const FUEL: u64 = 1 << 13;

/// The cost of a program, or of several: sums over its functions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cost {
    /// Instructions after each pass, in the order of the pipeline.
    pub instructions: [u64; PIPELINE.len()],
    /// Of code.
    pub bytes: u64,
    /// Instructions that executions took.
    pub executed: u64,
    /// Functions that were refused.
    pub refused: u64,
}

impl Cost {
    /// The pass that makes the code dearer than `known`; `None` if it is not.
    fn guilty(&self, known: &Cost) -> Option<&'static str> {
        if self.refused <= known.refused && self.bytes <= known.bytes && self.executed <= known.executed {
            return None;
        }
        let differs = |&index: &usize| self.instructions[index] != known.instructions[index];
        let other = if self.bytes == known.bytes { allocate::PASS.name } else { "emit" };
        Some((0..PIPELINE.len()).find(differs).map_or(other, |index| PIPELINE[index].name))
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.instructions.iter().try_for_each(|count| write!(f, "{count} "))?;
        write!(f, "{} {} {}", self.bytes, self.executed, self.refused)
    }
}

/// Counts the instructions after each pass, and keeps the last function that it saw.
struct Counter<'c> {
    cost: &'c mut Cost,
    last: Option<Function>,
}

impl Observer for Counter<'_> {
    fn wants_steps(&self) -> bool {
        false
    }

    fn after_pass(&mut self, pass: &'static Pass, function: &mut Function) {
        if let Some(place) = PIPELINE.iter().position(|other| other.name == pass.name) {
            self.cost.instructions[place] += function.all_insts().count() as u64;
        }
        if PIPELINE.last().is_some_and(|last| last.name == pass.name) {
            self.last = Some(function.clone());
        }
    }
}

/// A program that does not change.
struct FixedProgram {
    name: String,
    text: &'static str,
    is_executed: bool,
}

/// The programs for a target, by name.
fn programs(target: &Target) -> Vec<FixedProgram> {
    let of = |dir: &'static Dir<'static>, is_executed, ending: &str| {
        let files = dir.entries().iter().filter_map(DirEntry::as_file);
        let files = files.filter(|file| file.path().to_str().is_some_and(|path| path.ends_with(ending)));
        let read = |file: &'static include_dir::File<'static>| {
            let name = file.path().file_stem().and_then(|stem| stem.to_str())?;
            Some(FixedProgram { name: name.to_string(), text: file.contents_utf8()?, is_executed })
        };
        files.filter_map(read).collect::<Vec<_>>()
    };
    let mut programs = SMALL.get_dir(Path::new(target.name)).map_or(Vec::new(), |dir| of(dir, false, ".mir"));
    programs.extend(of(&REAL, true, &format!(".{}{LEVEL}", target.name)));
    programs.sort_by(|one, other| one.name.cmp(&other.name));
    programs
}

/// The cost of each program for a target, compiled in each way: by the line of the ledger without its numbers.
pub fn measured(target: &'static Target) -> BTreeMap<String, Cost> {
    let mut costs = BTreeMap::new();
    for program in programs(target) {
        let Ok(module) = text::parse_module(program.text, target.vocabulary) else { continue };
        let features = module.header("features").and_then(|names| target.features(names).ok());
        for (allocator, bank_select) in WAYS {
            let features = features.unwrap_or(target.default_features);
            let options = Options { allocator, bank_select, ..Options::new(features) };
            let mut cost = Cost::default();
            for function in &module.functions {
                add(&mut cost, function, target, options, program.is_executed);
            }
            costs.insert(format!("{} {} {}", target.name, program.name, allocator.name()), cost);
        }
    }
    costs
}

fn add(cost: &mut Cost, source: &Function, target: &'static Target, options: Options, is_executed: bool) {
    let mut counter = Counter { cost, last: None };
    let legalizer = (target.legality)(options.features);
    let mut context = Context { target, options, legalizer, observer: &mut counter };
    let code = pipeline::compile(&mut source.clone(), &mut context);
    let last = counter.last;
    match code {
        Ok(code) => cost.bytes += code.bytes.len() as u64,
        Err(_) => cost.refused += 1,
    }
    if let Some(last) = last.filter(|_| is_executed) {
        let interpreter = Interpreter::new(&last, target);
        let settings = Settings { fuel: FUEL, events: 0, accesses: KeptAccesses::Volatile };
        let runs = inputs::inputs(source, target, PLAN);
        let runs = runs.iter().filter_map(|input| interpreter.run(input, settings).ok());
        cost.executed += runs.map(|run| run.instructions).sum::<u64>();
    }
}

/// The text of the ledger for these costs.
pub fn ledger(costs: &BTreeMap<String, Cost>) -> String {
    let passes: Vec<&str> = PIPELINE.iter().map(|pass| pass.name).collect();
    let head = format!(
        "# Written by `BLESS=1 cargo test -p tribunal-fuzz --test costs`: target, program, allocator; instructions after\n\
         # {}; bytes, instructions executed, functions refused.\n",
        passes.join(", ")
    );
    costs.iter().fold(head, |text, (name, cost)| text + &format!("{name} {cost}\n"))
}

/// The costs that the ledger holds. A line of another form has none.
pub fn known() -> BTreeMap<String, Cost> {
    let lines = LEDGER.lines().filter(|line| !line.starts_with('#'));
    lines
        .filter_map(|line| {
            line.match_indices(' ').nth(2).and_then(|(end, _)| Some((line[..end].to_string(), read(&line[end..])?)))
        })
        .collect()
}

fn read(numbers: &str) -> Option<Cost> {
    let numbers: Vec<u64> = numbers.split_whitespace().map(|word| word.parse().ok()).collect::<Option<_>>()?;
    let (instructions, rest) = numbers.split_at_checked(PIPELINE.len())?;
    let &[bytes, executed, refused] = rest else { return None };
    Some(Cost { instructions: instructions.try_into().ok()?, bytes, executed, refused })
}

/// A finding if the code of some program for the target costs more than the ledger says. The first pass that is guilty
/// of one is told.
pub fn dearer(target: &'static Target) -> Option<Finding> {
    let known = known();
    let place = |guilty: &str| PIPELINE.iter().position(|pass| pass.name == guilty).unwrap_or(PIPELINE.len());
    let dearer = measured(target).into_iter().filter_map(|(name, cost)| {
        let then = known.get(&name)?;
        Some((cost.guilty(then)?, name, format!("{cost}; {then} by the ledger")))
    });
    let (guilty, name, costs) = dearer.min_by_key(|(guilty, ..)| place(guilty))?;
    let details = format!(
        "the code of {name} costs more than it did (instructions after each pass; bytes, instructions executed, \
         functions refused): {costs}\nif that is meant: BLESS=1 cargo test -p tribunal-fuzz --test costs, which writes \
         {LEDGER_FILE}"
    );
    Some(Finding::dearer_code(guilty, details))
}
