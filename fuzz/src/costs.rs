//! The code of programs that do not change, against the committed ledger.
//!
//! A backend that forgets a rule, ranks registers wrongly or takes a loop for straight code may still be right: its
//! code is longer, or takes longer. No other judge sees that. So the programs of `corpus/run` and `corpus/real` are
//! compiled, and cost at most what the ledger says. The latter are executed too, on a few inputs. Where the code is the
//! ledger's, so are its assembly text and its object: no run shows a directive or a table for debuggers.
//!
//! Invariant: nothing here depends on the generator, whose programs depend on the tables.

use crate::fixed_programs::FixedProgram;
use std::collections::BTreeMap;
use std::fmt;
use tribunal_codegen::pipeline::{self, PIPELINE, Pass};
use tribunal_codegen::{Allocator, BankSelectMode, Context, Observer, Options, emit};
use tribunal_emulator::interpreter::{Interpreter, KeptAccesses, Settings};
use tribunal_ir::{Function, IrBlock, Module, RelocationModel, Stage, text};
use tribunal_target::Target;
use tribunal_trial::finding::Finding;
use tribunal_trial::inputs::{self, Plan};

/// The committed ledger.
const LEDGER: &str = include_str!("../../corpus/costs.txt");

/// The machine that a program is compiled for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MachineOptions {
    /// Those that the program names, or the usual ones.
    Named,
    /// Every one.
    All,
    /// None but those whose registers it names: much is a call of the library.
    None,
}

/// A way to compile a program.
struct Way {
    name: &'static str,
    allocator: Allocator,
    bank_select: BankSelectMode,
    machine: MachineOptions,
}

impl Way {
    const fn new(
        name: &'static str,
        allocator: Allocator,
        bank_select: BankSelectMode,
        machine: MachineOptions,
    ) -> Way {
        Way { name, allocator, bank_select, machine }
    }

    fn options(&self, program: &FixedProgram, target: &Target) -> Options {
        let features = match self.machine {
            MachineOptions::Named => program.features,
            MachineOptions::All => target.default_features | target.all_options(),
            MachineOptions::None => {
                let functions = program.module.functions.iter();
                functions.fold(target.base(), |all, function| all | target.features_of_registers(function))
            }
        };
        Options { allocator: self.allocator, bank_select: self.bank_select, ..Options::new(features) }
    }

    /// The first words of the program's line in the ledger.
    fn line_of(&self, program: &FixedProgram, target: &Target) -> String {
        format!("{} {} {}", target.name, program.name, self.name)
    }

    /// True if the program is a source of runs for the machine: code whose frame is laid out is none, and what some
    /// pass made for one machine is for no other.
    fn is_judged(&self, program: &FixedProgram) -> bool {
        let last = if self.machine == MachineOptions::Named { Stage::Allocated } else { Stage::Generic };
        program.module.functions.iter().all(|function| function.stage <= last)
    }
}

/// The ways in which each program is compiled.
const WAYS: [Way; 4] = [
    Way::new("ion", Allocator::Ion, BankSelectMode::Global, MachineOptions::Named),
    Way::new("fastalloc", Allocator::Fastalloc, BankSelectMode::Greedy, MachineOptions::Named),
    Way::new("everything", Allocator::Ion, BankSelectMode::Global, MachineOptions::All),
    Way::new("nothing", Allocator::Ion, BankSelectMode::Fast, MachineOptions::None),
];
/// Executions of each function of a real program, and their longest, in instructions.
const PLAN: Plan = Plan { count: 4, seed: 1 };
const FUEL: u64 = 1 << 11;

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
    /// Of the MIR after each pass, short.
    pub stages: [String; PIPELINE.len()],
    /// Of the code, of its assembly text, of its object, which holds the module's data.
    pub digests: [String; 3],
}

impl Cost {
    /// The pass that makes the code dearer than `known`; `None` if it is not.
    fn guilty(&self, known: &Cost) -> Option<&'static str> {
        if self.refused <= known.refused && self.bytes <= known.bytes && self.executed <= known.executed {
            return None;
        }
        Some(self.first_other_stage(known).unwrap_or("emit"))
    }

    /// The first pass that leaves another text.
    fn first_other_stage(&self, known: &Cost) -> Option<&'static str> {
        let differs = |&index: &usize| self.stages[index] != known.stages[index];
        (0..PIPELINE.len()).find(differs).map(|index| PIPELINE[index].name)
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.instructions.iter().try_for_each(|count| write!(f, "{count} "))?;
        let [stages, digests] = [&self.stages[..], &self.digests].map(|digests| digests.join(" "));
        write!(f, "{} {} {} {stages} {digests}", self.bytes, self.executed, self.refused)
    }
}

/// Digits of a digest, and of one that only says which pass is to blame.
const DIGITS: usize = 12;
const FEW_DIGITS: usize = 5;

/// The first digits of a digest.
fn digest(hash: &blake3::Hash, digits: usize) -> String {
    hash.to_hex()[..digits].to_string()
}

/// Counts the instructions after each pass, and keeps the last function that it saw.
struct Counter<'c> {
    cost: &'c mut Cost,
    /// The text after each pass.
    stages: &'c mut [blake3::Hasher; PIPELINE.len()],
    target: &'static Target,
    last: Option<Function>,
}

impl Observer for Counter<'_> {
    fn wants_steps(&self) -> bool {
        false
    }

    fn after_pass(&mut self, pass: &'static Pass, function: &mut Function) {
        if let Some(place) = PIPELINE.iter().position(|other| other.name == pass.name) {
            self.cost.instructions[place] += function.all_insts().count() as u64;
            self.stages[place].update(text::print_function(function, self.target.vocabulary).as_bytes());
        }
        if PIPELINE.last().is_some_and(|last| last.name == pass.name) {
            self.last = Some(function.clone());
        }
    }
}

/// A program of the corpus, and a way to compile it that gives other code than the ledger says.
pub struct ChangedProgram {
    /// Target, program and way, as the ledger writes them.
    pub name: String,
    /// Its functions.
    pub functions: Vec<Function>,
    /// The way.
    pub options: Options,
    target: &'static Target,
}

impl ChangedProgram {
    /// True if it is a program for this target.
    pub fn is_for(&self, target: &Target) -> bool {
        self.target.name == target.name
    }

    /// The number of its instructions.
    pub fn size(&self) -> usize {
        self.functions.iter().map(|function| function.all_insts().count()).sum()
    }
}

/// The programs whose code, as `measured`, is not the ledger's. Of ways with the same code there is one.
pub fn changed(
    programs: &[FixedProgram],
    measured: &BTreeMap<String, Cost>,
    target: &'static Target,
) -> Vec<ChangedProgram> {
    let known = known();
    let mut changed = Vec::new();
    for program in programs {
        let mut codes = Vec::new();
        for way in WAYS.iter().filter(|way| way.is_judged(program)) {
            let name = way.line_of(program, target);
            let [code, then] = [measured, &known].map(|costs| costs.get(&name).map(|cost| &cost.digests[0]));
            if code != then && !codes.contains(&code) {
                codes.push(code);
                let (functions, options) = (program.module.functions.clone(), way.options(program, target));
                changed.push(ChangedProgram { name, functions, options, target });
            }
        }
    }
    changed
}

/// The cost of each program for a target, compiled in each way, by the first words of its line in the ledger.
pub fn measured(programs: &[FixedProgram], target: &'static Target) -> BTreeMap<String, Cost> {
    let mut costs = BTreeMap::new();
    for program in programs {
        let mut runs = Runs::default();
        for way in &WAYS {
            let cost =
                cost(&program.module, target, way.options(program, target), program.is_real.then_some(&mut runs));
            costs.insert(way.line_of(program, target), cost);
        }
    }
    costs
}

/// The instructions that runs of a function's code take: several ways may give the same code.
type Runs = BTreeMap<(String, Vec<u8>), u64>;

/// The cost of a program, which is executed if `runs` is given.
fn cost(module: &Module, target: &'static Target, options: Options, mut runs: Option<&mut Runs>) -> Cost {
    let legalizer = (target.legality)(options.features);
    let (mut cost, mut codes, mut placed) = (Cost::default(), Vec::new(), Vec::new());
    let mut stages = std::array::from_fn(|_| blake3::Hasher::new());
    for source in &module.functions {
        let mut counter = Counter { cost: &mut cost, stages: &mut stages, target, last: None };
        let mut context = Context { target, options, legalizer, observer: &mut counter };
        let mut function = source.clone();
        target.settle_environment(&mut function, options.features);
        let code = pipeline::compile(&mut function, &mut context);
        let (Some(last), Ok(code)) = (counter.last, code) else {
            cost.refused += 1;
            continue;
        };
        cost.bytes += code.bytes.len() as u64;
        if let Some(runs) = &mut runs {
            let run = runs.entry((source.name.clone(), code.bytes.clone()));
            cost.executed += *run.or_insert_with(|| executed(source, &last, target));
        }
        codes.push(code);
        placed.push(last);
    }
    let words: Vec<u8> = codes.iter().flat_map(|code| &code.bytes).copied().collect();
    let assembly = emit::assembly(&placed, target, options.features);
    let model = module.functions.first().map_or(RelocationModel::default(), Function::relocation_model);
    let object = emit::object(&codes, module.ir.as_ref().map(IrBlock::module), model, target).unwrap_or_default();
    cost.stages = stages.map(|hasher| digest(&hasher.finalize(), FEW_DIGITS));
    cost.digests = [&words, assembly.as_bytes(), &object].map(|bytes| digest(&blake3::hash(bytes), DIGITS));
    cost
}

/// The instructions that all runs of a placed function take.
fn executed(source: &Function, placed: &Function, target: &'static Target) -> u64 {
    let interpreter = Interpreter::new(placed, target);
    let settings = Settings { fuel: FUEL, events: 0, accesses: KeptAccesses::Volatile };
    let inputs = inputs::inputs(source, target, PLAN);
    inputs.iter().filter_map(|input| interpreter.run(input, settings).ok()).map(|run| run.instructions).sum()
}

/// The text of the ledger for these costs.
pub fn ledger(costs: &BTreeMap<String, Cost>) -> String {
    let passes: Vec<&str> = PIPELINE.iter().map(|pass| pass.name).collect();
    let head = format!(
        "# Written by `BLESS=1 cargo test --package tribunal-corpus`: target, program, way; instructions after\n\
         # {}; bytes, instructions executed, functions refused; digests after the same passes; of code, text, object.\n",
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
    let words: Vec<&str> = numbers.split_whitespace().collect();
    let (words, digests) = words.split_last_chunk::<3>()?;
    let (numbers, stages) = words.split_last_chunk::<{ PIPELINE.len() }>()?;
    let numbers: Vec<u64> = numbers.iter().map(|word| word.parse().ok()).collect::<Option<_>>()?;
    let (instructions, &[bytes, executed, refused]) = numbers.split_last_chunk::<3>()?;
    let (stages, digests) = (stages.map(str::to_string), digests.map(str::to_string));
    Some(Cost { instructions: instructions.try_into().ok()?, bytes, executed, refused, stages, digests })
}

/// Says how to make the ledger anew.
const IF_MEANT: &str = "if that is meant: BLESS=1 cargo test --package tribunal-corpus";

/// A finding if the code of some program for the target costs more than the ledger says, of which the first guilty pass
/// is told; one if the text, the object or the last stage of the same code is another; and one if a program of the
/// ledger is missing.
pub fn differences(measured: &BTreeMap<String, Cost>, target: &'static Target) -> Vec<Finding> {
    let known = known();
    let pairs = measured.iter().filter_map(|(name, cost)| Some((name.as_str(), cost, known.get(name)?)));
    let is_own = |name: &&String| name.split(' ').next() == Some(target.name);
    let is_missing = |name: &&String| !measured.contains_key(*name);
    let missing = known.keys().filter(is_own).find(is_missing);
    let missing = missing.map(|name| Finding::missing_program(format!("{name} is of the ledger, and cannot be read")));
    compared(&pairs.collect::<Vec<_>>()).into_iter().chain(missing).collect()
}

/// The findings on programs, each with its cost and that of the ledger.
fn compared(pairs: &[(&str, &Cost, &Cost)]) -> Vec<Finding> {
    let place = |guilty: &str| PIPELINE.iter().position(|pass| pass.name == guilty).unwrap_or(PIPELINE.len());
    let dearer = pairs.iter().filter_map(|(name, cost, then)| Some((cost.guilty(then)?, name, cost, then)));
    let dearer = dearer.min_by_key(|(guilty, ..)| place(guilty)).map(|(guilty, name, cost, then)| {
        let details = format!(
            "the code of {name} costs more than by the ledger (instructions after each pass; bytes, instructions \
             executed, functions refused; digests of stages, code, text, object):\n{cost}\n{then}\n{IF_MEANT}"
        );
        Finding::other_code(guilty, details)
    });
    let of_same_code = || pairs.iter().filter(|(_, cost, then)| cost.digests[0] == then.digests[0]);
    let is_not =
        |which: &str, name: &str| format!("the {which} of {name} is not the ledger's, and the code is\n{IF_MEANT}");
    let other = of_same_code().find(|(_, cost, then)| cost.digests != then.digests).map(|(name, cost, then)| {
        let which = if cost.digests[1] == then.digests[1] { "object" } else { "assembly text" };
        Finding::emission(is_not(which, name))
    });
    let last = of_same_code().find(|(_, cost, then)| cost.stages.last() != then.stages.last());
    let last = last.and_then(|(name, cost, then)| Some((name, cost.first_other_stage(then)?)));
    let last = last.map(|(name, guilty)| Finding::other_code(guilty, is_not("last stage", name)));
    dearer.into_iter().chain(other).chain(last).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pass that leaves another stage is guilty, also where as many instructions come out.
    #[test]
    fn the_first_pass_that_leaves_another_stage_is_blamed() {
        let then = Cost { bytes: 4, ..Cost::default() };
        let other = |first: usize, bytes| {
            let mut cost = Cost { bytes, ..Cost::default() };
            cost.stages[first..].iter_mut().for_each(|stage| *stage = "other".to_string());
            cost
        };
        let guilty = |cost: &Cost| compared(&[("f", cost, &then)]).into_iter().map(|finding| finding.guilty);
        let names = |cost: &Cost| guilty(cost).collect::<Vec<_>>();
        assert!(names(&then).is_empty());
        let mut dearer = other(2, 8);
        dearer.digests[0] = "other".to_string();
        assert_eq!(names(&dearer), [PIPELINE[2].name]);
        assert_eq!(names(&other(4, 4)), [PIPELINE[4].name], "the last stage of the same code");
        let mut cheaper = other(1, 2);
        cheaper.digests[0] = "other".to_string();
        assert!(names(&cheaper).is_empty(), "other code that costs no more");
    }
}
