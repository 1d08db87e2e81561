//! The objects of other compilers: a function of one is loaded by the emulator's own loader, and its runs are compared
//! with the interpreter's of the source.
//!
//! Invariant: nothing is counted that did not run. An object that the loader does not take, a call of a function that
//! has no meaning here and an instruction that no engine knows each have a reason.

use crate::blame::Witness;
use crate::execution::{FIRST_REPAIRS, InputRun, SETTINGS, judged};
use crate::finding::Inconclusive;
use crate::image;
use crate::inputs::{self, Plan};
use std::collections::BTreeMap;
use tribunal_codegen::legalize;
use tribunal_emulator::FaultKind;
use tribunal_emulator::input::Input;
use tribunal_emulator::interpreter::Interpreter;
use tribunal_emulator::machine::{CallSite, CodeDesc, Emulator, LoadedObject};
use tribunal_ir::{AddressBase, Function, Stage};
use tribunal_target::abi::CallKind;
use tribunal_target::environment::{LibraryCall, MemoryFunction};
use tribunal_target::promises::Promises;
use tribunal_target::runtime::{AtomicFunction, RuntimeFunction, leaves_digits_open};
use tribunal_target::{Features, Target};

/// The outcome of a function's runs.
#[derive(Clone, PartialEq, Debug)]
pub enum ObjectRuns {
    /// No run differs.
    Right {
        /// Inputs on which the source fixes what must come out.
        executions: u64,
        /// The others, by reason.
        inconclusive: BTreeMap<Inconclusive, u64>,
    },
    /// A run differs.
    Wrong {
        /// The input.
        input: Input,
        /// The kind of the fault.
        kind: FaultKind,
        /// The difference, in words.
        details: String,
    },
    /// It cannot be run, for this reason.
    NotRun(String),
}

/// The engines of one target, kept from function to function.
pub struct ObjectBench {
    target: &'static Target,
    features: Features,
    engines: Vec<Emulator>,
}

impl ObjectBench {
    /// A bench without engines.
    pub fn new(target: &'static Target, features: Features) -> ObjectBench {
        ObjectBench { target, features, engines: Vec::new() }
    }

    /// Runs the function of this name that another compiler made of the source, which believes its flags.
    pub fn run(&mut self, object: &[u8], source: &Function, plan: Plan) -> ObjectRuns {
        self.runs(object, source, &inputs::inputs(source, self.target, plan)).unwrap_or_else(ObjectRuns::NotRun)
    }

    /// The same on these inputs. The error is the reason why it does not run.
    pub fn runs(&mut self, object: &[u8], source: &Function, inputs: &[Input]) -> Result<ObjectRuns, String> {
        let target = self.target;
        if leaves_digits_open(source) {
            return Err("an elementary function".to_string());
        }
        let loaded = LoadedObject::read_function(object, &source.name, image::symbols(&[source], target));
        let loaded = loaded.map_err(|error| error.to_string())?;
        let sites = sites(&loaded, source, target, self.features)?;
        let results = inputs::shown(source, target);
        let interpreter = Interpreter::new(source, target).with_promises(Promises::Believed);
        let machine = self.machine_for(loaded.text(), source.is_strict())?;
        machine.record_accesses(source.has_volatile_accesses()).map_err(|error| error.to_string())?;
        machine.load_linked(&loaded.unlinked(), &sites).map_err(|error| error.to_string())?;
        let (mut executions, mut inconclusive) = (0, BTreeMap::new());
        let mut repairs = FIRST_REPAIRS;
        for (input, run) in inputs.iter().zip(interpreter.run_all(inputs, SETTINGS)) {
            match judged(&interpreter, machine, input, run, &results, &mut repairs)? {
                InputRun::Right => executions += 1,
                InputRun::Inconclusive(reason) => *inconclusive.entry(reason).or_default() += 1,
                // The engines do not know all instructions of another compiler.
                InputRun::Wrong(wrong) if wrong.kind == FaultKind::IllegalInstruction => return Err(wrong.details),
                InputRun::Wrong(wrong) => {
                    return Ok(ObjectRuns::Wrong { input: wrong.input, kind: wrong.kind, details: wrong.details });
                }
            }
        }
        match executions {
            0 => Err("no input is conclusive".to_string()),
            _ => Ok(ObjectRuns::Right { executions, inconclusive }),
        }
    }

    fn machine_for(&mut self, bytes: &[u8], is_strict: bool) -> Result<&mut Emulator, String> {
        let code = CodeDesc { features: self.features, bytes, is_strict };
        let known = self.engines.iter().position(|engine| engine.runs(code));
        let index = match known {
            Some(index) => index,
            None => {
                let mut engine = Emulator::for_code(self.target, code).map_err(|error| error.to_string())?;
                // Another compiler may know that its machine makes such accesses.
                engine.watch_alignment(false).map_err(|error| error.to_string())?;
                engine.free_platform_registers();
                self.engines.push(engine);
                self.engines.len() - 1
            }
        };
        Ok(&mut self.engines[index])
    }
}

/// The calls of the code. The error names a function whose meaning nobody knows: the source does not call it.
fn sites<'o>(
    loaded: &'o LoadedObject,
    source: &Function,
    target: &'static Target,
    features: Features,
) -> Result<Vec<CallSite<'o>>, String> {
    let mask = target.call_mask(source, features);
    let is_named = |symbol: &str| {
        source.addresses.values().any(|address| match address.base {
            AddressBase::Global(_) | AddressBase::External(_) => source.symbol_name(address.base) == Some(symbol),
            _ => false,
        })
    };
    let site = |(offset, symbol): (u32, &'o str)| {
        let function = RuntimeFunction::named(symbol).filter(|function| !function.is_elementary());
        let is_known = MemoryFunction::named(symbol).is_some() || AtomicFunction::named(symbol).is_some();
        if function.is_none() && !is_known && !is_named(symbol) {
            return Err(format!("a call of `{symbol}`"));
        }
        let is_here = |kind: &CallKind| {
            let words = target.machine.call(*kind, 0);
            let encoded: Option<Vec<u8>> = words
                .iter()
                .map(|inst| Some(target.encode(inst).ok()?.to_le_bytes()))
                .collect::<Option<Vec<_>>>()
                .map(|words| words.concat());
            encoded.is_some_and(|encoded| {
                loaded.text().get(offset as usize..).is_some_and(|code| code.starts_with(&encoded))
            })
        };
        let kind = [CallKind::Returning, CallKind::Tail].into_iter().find(is_here);
        let kind = kind.ok_or_else(|| "a call of another form".to_string())?;
        Ok(CallSite { offset, symbol, kind, library: function.map(|function| LibraryCall { function, mask }) })
    };
    loaded.called().map(site).collect()
}

/// The index of the first stage that is wrong where the object's run is, by interpretation. `None` if none is: the
/// fault lies after the last of them.
pub fn first_wrong(source: &Function, stages: &[Function], target: &'static Target, input: &Input) -> Option<usize> {
    let witness = Witness::new(source, target, input)?;
    // Bits of machine instructions may be masked by conditions, those of generic ones are what they are.
    let pass = |stage: &Function| if stage.stage < Stage::Selected { legalize::PASS.name } else { "" };
    stages.iter().position(|stage| !witness.is_right(stage, pass(stage)))
}
