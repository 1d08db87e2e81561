//! One choice of a function's environment: the addresses of its symbols, and a definition of the functions that it
//! calls.
//!
//! A call of an unknown function returns a value that depends on its name and its arguments alone, and touches no
//! memory. That is one possible definition of the name, the same one for every run in one environment. The arguments
//! are kept, since they are observable.

use super::{Numbers, SingleRun, scalar};
use std::collections::{BTreeMap, BTreeSet};
use tribunal_ir::InstData;
use tribunal_ir::bits::Bits;
use tribunal_ir::semantics::{Number, PartialBool, Unsupported, Value};
use tribunal_target::environment::{Environment, LinkedAddress, MemoryFunction, Returned, UnknownCall};

/// One choice of the environment.
#[derive(Clone, Debug, Default)]
pub struct ConcreteEnvironment {
    /// Addresses of globals and of stack arguments, by their text; they lie in buffers of the input.
    pub symbols: BTreeMap<String, u64>,
    /// Functions whose results are used as pointers.
    pub return_pointers: BTreeSet<String>,
    /// The memory that such results point to.
    pub heap: u64,
    /// Determines the results of unknown functions.
    pub seed: u64,
}

/// A call of an unknown function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExternalCall {
    /// The symbol that was called.
    pub name: String,
    /// Value, and whether it is poison, of each argument register.
    pub arguments: Vec<(u64, bool)>,
}

impl ConcreteEnvironment {
    /// The value that the function of this name returns on these arguments.
    fn returned(&self, name: &str, arguments: &[(u64, bool)]) -> u64 {
        let mut state = self.seed;
        let mut mix = |word: u64| state = (state ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        name.bytes().for_each(|byte| mix(byte.into()));
        arguments.iter().for_each(|&(value, poison)| mix(if poison { 0 } else { value }));
        match (self.return_pointers.contains(name), self.seed % 4) {
            (true, _) => self.heap,
            // Small results keep any promise of an extension that the caller relies on.
            (false, 0..3) => (state >> 32) % 5,
            (false, _) => state,
        }
    }
}

/// Undefined behaviour that a nondeterministic choice decides.
const UNDECIDED: PartialBool = PartialBool { value: false, unknown: true };

impl<D: Numbers> Environment<D> for SingleRun<'_, D> {
    fn address(&mut self, address: &LinkedAddress<'_>) -> Result<Value<D>, Unsupported> {
        let base = self.environment.and_then(|environment| environment.symbols.get(&address.name));
        let base = base.ok_or_else(|| Unsupported::new(format!("the address of {}", address.name)))?;
        let place = base.wrapping_add_signed(address.offset);
        Ok(scalar(Bits::new(place.into(), self.target.pointer_bits.into())))
    }

    fn memory_function(
        &mut self,
        function: MemoryFunction,
        args: [Value<D>; 3],
        _: &InstData,
    ) -> Result<PartialBool, Unsupported> {
        if self.environment.is_none() {
            return Err(Unsupported::new(format!("call of &{}", function.name())));
        }
        let [dst, second, length] = &args;
        if args.iter().any(|value| !value.bits.is_known() || value.poison.unknown) {
            return Ok(UNDECIDED);
        }
        let is_byte = function == MemoryFunction::Set;
        if dst.poison.value || length.poison.value || (!is_byte && second.poison.value) {
            return Ok(PartialBool::known(true));
        }
        let (to, from, count) = (dst.bits.value.low_u64(), second.bits.value.low_u64(), length.bits.value.low_u64());
        let done = match function {
            MemoryFunction::Set => self.memory.fill(to, from as u8, second.poison.value, count),
            MemoryFunction::Copy | MemoryFunction::Move => self.memory.copy(to, from, count),
        };
        Ok(PartialBool::known(!done))
    }

    fn unknown_function(&mut self, call: &UnknownCall<'_>, args: Vec<Value<D>>) -> Result<Returned<D>, Unsupported> {
        let Some(environment) = self.environment else { return Err(call.unsupported()) };
        if args.iter().any(|arg| !arg.bits.is_known() && !arg.poison.value) {
            return Ok(Returned { results: Vec::new(), ub: UNDECIDED });
        }
        let shown = |arg: &Value<D>| (arg.bits.value.low_u64(), arg.poison.value || arg.poison.unknown);
        let arguments: Vec<(u64, bool)> = args.iter().map(shown).collect();
        let value = Bits::new(environment.returned(call.name, &arguments).into(), 64);
        self.external_calls.push(ExternalCall { name: call.name.to_string(), arguments });
        Ok(Returned { results: vec![scalar(value); call.results.len()], ub: PartialBool::known(false) })
    }
}
