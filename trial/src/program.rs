//! One function of a file on given arguments, with all that it reaches: the functions that it calls, and the globals
//! with their initialisers. The interpreter runs it, or the emulator its bytes.
//!
//! Invariant: nothing is made up. What the file does not define is named, and no run comes of it.

use crate::image::ModuleImage;
use std::collections::{BTreeMap, BTreeSet};
use tribunal_codegen::pipeline::{self, Code};
use tribunal_codegen::{Context, NoObserver, Options};
use tribunal_emulator::globals::globals_of;
use tribunal_emulator::input::{
    BUFFER_PAGES, Buffer, GUARD, GUARD_BYTES, Input, PAGE, STACK_ARGUMENTS, SYMBOL_PAGES, buffer_address,
};
use tribunal_emulator::interpreter::{ConcreteEnvironment, Execution, Interpreter, KeptAccesses, Settings};
use tribunal_emulator::machine::{CodeDesc, Emulator, MachineRun};
use tribunal_emulator::observation::Observation;
use tribunal_ir::{AddressBase, Function, GlobalName, Module, PReg};
use tribunal_llvm::{DataLayout, IrModule, Name, Referent, Relocation};
use tribunal_target::Target;

/// The reason why a function does not run.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LoadError {
    /// The function reads more arguments than there are.
    #[error("@{function} reads {read} arguments, and {given} are given")]
    TooFew {
        /// Its name.
        function: String,
        /// Arguments that it reads.
        read: usize,
        /// Arguments given.
        given: usize,
    },
    /// More buffers than an input has.
    #[error("more than {0} buffers")]
    TooManyBuffers(u64),
    /// A feature that nobody here knows, by its name.
    #[error("{0}")]
    Unsupported(String),
}

/// An argument, as a person gives it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GivenArgument {
    /// The contents of a register, or of a word on the stack.
    Number(u64),
    /// The address of a buffer with these bytes.
    Buffer(Vec<u8>),
}

/// A function with all that it reaches.
pub struct LoadedFunction<'m> {
    target: &'static Target,
    /// The function that runs is the first.
    functions: Vec<&'m Function>,
    environment: ConcreteEnvironment,
    /// The memory of globals and constants.
    globals: Vec<Buffer>,
}

/// The entities that a function reaches.
#[derive(Default)]
struct Reached<'m> {
    functions: Vec<&'m Function>,
    /// The contents of globals, with the relocations in them.
    images: BTreeMap<Name, (Vec<u8>, Vec<Relocation>)>,
    /// Entities that the file declares or does not know.
    elsewhere: BTreeSet<Name>,
}

impl<'m> LoadedFunction<'m> {
    /// `function` is one of the module's.
    ///
    /// # Errors
    /// Something that it reaches is not in the file, or has no place.
    pub fn new(
        function: &'m Function,
        module: &'m Module,
        target: &'static Target,
    ) -> Result<LoadedFunction<'m>, LoadError> {
        let ir = module.ir.as_ref().map(|ir| ir.module());
        let reached = reached(function, module, ir, target)?;
        let (symbols, globals) = placed(&reached, ir, target)?;
        let constants =
            globals_of(&reached.functions, target).into_iter().filter(|(_, memory)| memory.constant.is_some());
        let constants: BTreeSet<u64> = constants.filter_map(|(name, _)| symbols.get(&name).copied()).collect();
        let private = constants.clone();
        let environment = ConcreteEnvironment { symbols, constants, private, ..ConcreteEnvironment::default() };
        Ok(LoadedFunction { target, functions: reached.functions, environment, globals })
    }

    /// The function that runs.
    pub fn function(&self) -> &'m Function {
        self.functions[0]
    }

    /// The input of a call with these arguments: registers first, then words on the stack, whatever their types.
    ///
    /// # Errors
    /// There are too few arguments, or too many buffers.
    pub fn input(&self, arguments: &[GivenArgument]) -> Result<Input, LoadError> {
        let (target, function) = (self.target, self.function());
        let registers = target.abi.arguments();
        let word = u64::from(target.register_bytes());
        let in_registers =
            registers.iter().rposition(|&register| function.is_live_in(register)).map_or(0, |last| last + 1);
        let end = |offset: i64, size: u64| u64::try_from(offset).map_or(0, |offset| (offset + size).div_ceil(word));
        let on_stack = function.fixed_stack.values().map(|object| end(object.offset, object.size)).max().unwrap_or(0);
        let read = if on_stack > 0 { registers.len() + on_stack as usize } else { in_registers };
        if arguments.len() < read {
            return Err(LoadError::TooFew { function: function.name.clone(), read, given: arguments.len() });
        }
        let mut input = Input::default();
        let mut words = Vec::new();
        for (index, argument) in arguments.iter().enumerate() {
            let value = match argument {
                GivenArgument::Number(value) => *value,
                GivenArgument::Buffer(bytes) => {
                    let address = buffer_address(input.buffers.len());
                    input.buffers.push(Buffer { address, bytes: bytes.clone() });
                    address
                }
            };
            match registers.get(index) {
                Some(&register) => input.registers.push((register, value.into())),
                None => words.extend_from_slice(&value.to_le_bytes()[..word as usize]),
            }
        }
        if input.buffers.len() as u64 > BUFFER_PAGES - SYMBOL_PAGES {
            return Err(LoadError::TooManyBuffers(BUFFER_PAGES - SYMBOL_PAGES));
        }
        input.buffers.extend(self.globals.iter().cloned());
        if !words.is_empty() {
            input.buffers.push(Buffer { address: STACK_ARGUMENTS, bytes: words });
        }
        Ok(input)
    }

    /// Interprets the function.
    ///
    /// # Errors
    /// The first feature that the interpreter does not know.
    pub fn interpreted(&self, input: &Input, fuel: u64) -> Result<Execution, LoadError> {
        let interpreter = Interpreter::in_environment(self.function(), self.target, &self.environment);
        let settings = Settings { fuel, events: 0, accesses: KeptAccesses::Volatile };
        let run = interpreter.with_definitions(&self.functions[1..]).run(input, settings);
        run.map_err(|unsupported| LoadError::Unsupported(unsupported.feature))
    }

    /// Compiles all functions and runs their bytes; the result registers are those of `expected`, a run of the source.
    ///
    /// # Errors
    /// The first feature that the compiler or the emulator does not know.
    pub fn emulated(
        &self,
        input: &Input,
        options: Options,
        expected: &Observation,
        fuel: u64,
    ) -> Result<MachineRun, LoadError> {
        let codes = self.functions.iter().map(|function| self.compiled(function, options));
        let codes = codes.collect::<Result<Vec<Code>, LoadError>>()?;
        let parts: Vec<_> = self.functions.iter().copied().zip(&codes).collect();
        let image = ModuleImage::placed(&parts, self.target, self.environment.symbols.clone());
        let results: Vec<PReg> = expected.returned.iter().map(|&(register, ..)| register).collect();
        let run = || {
            let all: Vec<u8> = codes.iter().flat_map(|code| code.bytes.iter().copied()).collect();
            let is_strict = self.functions.iter().any(|function| function.is_strict());
            let code = CodeDesc { features: options.features, bytes: &all, is_strict };
            let mut machine = Emulator::for_code(self.target, code)?;
            machine.load_linked(&image.unlinked(), &image.call_sites())?;
            machine.run_with_calls(input, &results, fuel, &expected.calls)
        };
        run().map_err(|error| LoadError::Unsupported(error.to_string()))
    }

    fn compiled(&self, function: &Function, options: Options) -> Result<Code, LoadError> {
        let legalizer = (self.target.legality)(options.features);
        let mut context = Context { target: self.target, options, legalizer, observer: &mut NoObserver };
        let code = pipeline::compile(&mut function.clone(), &mut context);
        code.map_err(|error| LoadError::Unsupported(error.to_string()))
    }
}

/// The names of the entities that the function takes the address of, or calls.
fn names(function: &Function) -> impl Iterator<Item = Name> + '_ {
    function.addresses.values().filter_map(|address| match address.base {
        AddressBase::Global(GlobalName::Named(name)) => Some(Name::from(function.symbols[name].as_str())),
        AddressBase::Global(GlobalName::Numbered(number)) => Some(Name::Number(number)),
        _ => None,
    })
}

fn reached<'m>(
    function: &'m Function,
    module: &'m Module,
    ir: Option<&IrModule>,
    target: &Target,
) -> Result<Reached<'m>, LoadError> {
    let layouts = ir.map(|ir| ir.layouts(&DataLayout::with_pointers(target.pointer_bits.into())));
    let mut reached = Reached { functions: vec![function], ..Reached::default() };
    let mut waiting: Vec<Name> = names(function).collect();
    let mut seen: BTreeSet<Name> = BTreeSet::from([Name::from(function.name.as_str())]);
    while let Some(name) = waiting.pop() {
        if !seen.insert(name.clone()) {
            continue;
        }
        if let Some(callee) = module.functions.iter().find(|known| Some(known.name.as_str()) == name.as_str()) {
            reached.functions.push(callee);
            waiting.extend(names(callee));
            continue;
        }
        let initialiser = ir.and_then(|ir| ir.global(&name)).and_then(|global| global.initialiser.as_ref());
        let (Some(initialiser), Some(layouts), Some(ir)) = (initialiser, &layouts, ir) else {
            reached.elsewhere.insert(name);
            continue;
        };
        let image = layouts.image(initialiser);
        let image = image.map_err(|error| LoadError::Unsupported(format!("the contents of @{name}: {error}")))?;
        for relocation in &image.relocations {
            let referents = std::iter::once(&relocation.symbol).chain(&relocation.subtracted);
            waiting.extend(referents.filter_map(|referent| Some(referent_name(ir, referent)?.clone())));
        }
        reached.images.insert(name, (image.bytes, image.relocations));
    }
    Ok(reached)
}

/// The symbol that a relocation names; `None` for a block.
fn referent_name<'i>(ir: &'i IrModule, referent: &Referent) -> Option<&'i Name> {
    match referent {
        Referent::Symbol(symbol) | Referent::DsoLocalEquivalent(symbol) => Some(&ir.symbols[*symbol].name),
        Referent::Block { .. } => None,
    }
}

/// The addresses of symbols by their text, and their memory.
type Placed = (BTreeMap<String, u64>, Vec<Buffer>);

fn placed(reached: &Reached<'_>, ir: Option<&IrModule>, target: &Target) -> Result<Placed, LoadError> {
    let mut contents: BTreeMap<String, Option<Vec<u8>>> = BTreeMap::new();
    for (name, memory) in globals_of(&reached.functions, target) {
        contents.insert(name, memory.constant);
    }
    contents.extend(reached.functions.iter().map(|function| (format!("@{}", function.name), None)));
    let is_data = |name: &&Name| ir.is_none_or(|ir| ir.function(name).is_none());
    if let Some(name) = reached.elsewhere.iter().filter(is_data).find(|name| contents.contains_key(&format!("@{name}")))
    {
        return Err(LoadError::Unsupported(format!("the contents of @{name}, which the file does not define")));
    }
    contents.extend(reached.elsewhere.iter().map(|name| (format!("@{name}"), None)));
    contents.extend(reached.images.iter().map(|(name, (bytes, _))| (format!("@{name}"), Some(bytes.clone()))));
    let (mut symbols, mut buffers) = (BTreeMap::new(), Vec::new());
    let mut page = BUFFER_PAGES - SYMBOL_PAGES;
    for (name, bytes) in contents {
        let address = buffer_address(page as usize);
        let length = bytes.as_ref().map_or(0, Vec::len) as u64;
        page += (GUARD + length + GUARD_BYTES as u64).div_ceil(PAGE);
        if page > BUFFER_PAGES {
            return Err(LoadError::Unsupported(format!("more than {SYMBOL_PAGES} pages of globals")));
        }
        buffers.extend(bytes.map(|bytes| Buffer { address, bytes }));
        symbols.insert(name, address);
    }
    for (name, (_, relocations)) in &reached.images {
        let address = symbols[&format!("@{name}")];
        for relocation in relocations {
            let value = relocated(relocation, ir, &symbols);
            let value =
                value.ok_or_else(|| LoadError::Unsupported(format!("an address in the contents of @{name}")))?;
            let buffer = buffers.iter_mut().find(|buffer| buffer.address == address);
            let range = relocation.offset as usize..(relocation.offset + relocation.size) as usize;
            if let Some(place) = buffer.and_then(|buffer| buffer.bytes.get_mut(range)) {
                place.iter_mut().zip(value.to_le_bytes()).for_each(|(byte, new)| *byte = new);
            }
        }
    }
    Ok((symbols, buffers))
}

fn relocated(relocation: &Relocation, ir: Option<&IrModule>, symbols: &BTreeMap<String, u64>) -> Option<u64> {
    let address = |referent: &Referent| symbols.get(&format!("@{}", referent_name(ir?, referent)?)).copied();
    let subtracted = relocation.subtracted.as_ref().map_or(Some(0), address)?;
    Some(address(&relocation.symbol)?.wrapping_add_signed(relocation.addend).wrapping_sub(subtracted))
}
