//! One choice of a function's environment: the addresses of its symbols, and the seed of the functions that it calls
//! (see `callee.rs` beside this).

use super::callee::{UNDECIDED, return_pointers};
use super::{Interpreter, Numbers, SingleRun, scalar};
use crate::globals::{GlobalMemory, constant_name, globals};
use crate::input::THREAD_POINTER;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use tribunal_ir::bits::Bits;
use tribunal_ir::semantics::walk;
use tribunal_ir::semantics::{Number, PartialBool, Unsupported, Value};
use tribunal_ir::{AddressBase, AddressData, Function, InstData, MemFlags, MemOperand};
use tribunal_target::Target;
use tribunal_target::environment::{
    AddressKind, Environment, LinkedAddress, MemoryFunction, Returned, UnknownCall, is_thread_pointer,
};
use tribunal_target::promises::Promises;
use tribunal_target::variable_arguments::has_lists;

/// One choice of the environment.
#[derive(Clone, Debug, Default)]
pub struct ConcreteEnvironment {
    /// Addresses of globals and of stack arguments, by their text; they lie in buffers of the input.
    pub symbols: BTreeMap<String, u64>,
    /// Functions whose results are used as pointers.
    pub return_pointers: BTreeSet<String>,
    /// Addresses of buffers that no callee reaches or changes.
    pub private: BTreeSet<u64>,
    /// Addresses of buffers whose contents the function fixes.
    pub constants: BTreeSet<u64>,
    /// Determines, with the input, what unknown functions do.
    pub seed: u64,
}

impl ConcreteEnvironment {
    /// Of a function that runs alone.
    pub fn alone(function: &Function, target: &Target) -> ConcreteEnvironment {
        let return_pointers = return_pointers(function, target);
        ConcreteEnvironment { return_pointers, ..ConcreteEnvironment::default() }.placed(globals(function, target))
    }

    /// The same with these symbols.
    pub(super) fn placed(mut self, globals: BTreeMap<String, GlobalMemory>) -> ConcreteEnvironment {
        for (name, memory) in globals {
            if memory.constant.is_some() {
                self.private.insert(memory.address);
                self.constants.insert(memory.address);
            }
            self.symbols.insert(name, memory.address);
        }
        self
    }
}

/// True if it takes the address of a symbol, a block or a jump table, asks for the thread pointer, or makes a list of
/// variable arguments.
pub(super) fn names_addresses(function: &Function, target: &Target) -> bool {
    let is_block = |address: &AddressData| matches!(address.base, AddressBase::Block { .. });
    !function.jump_tables.tables.is_empty()
        || function.addresses.values().any(is_block)
        || !globals(function, target).is_empty()
        || function.all_insts().any(|inst| is_thread_pointer(function, function.inst(inst)))
        || has_lists(function)
}

impl<'f> Interpreter<'f> {
    /// The same in an environment, which gives symbols addresses and calls a meaning.
    pub fn in_environment(
        function: &'f Function,
        target: &'static Target,
        environment: &'f ConcreteEnvironment,
    ) -> Interpreter<'f> {
        Interpreter { environment: Some(Cow::Borrowed(environment)), ..Interpreter::new(function, target) }
    }

    /// A later form of a function, whose symbols lie where they lie for the earlier one; see
    /// [`Interpreter::environment`].
    pub fn later(
        function: &'f Function,
        target: &'static Target,
        earlier: Option<&'f ConcreteEnvironment>,
    ) -> Interpreter<'f> {
        match earlier {
            Some(environment) => Interpreter::in_environment(function, target, environment),
            None => Interpreter::new(function, target),
        }
    }

    /// The environment of the function; `None` if it refers to nothing outside itself.
    pub fn environment(&self) -> Option<&ConcreteEnvironment> {
        self.environment.as_deref()
    }

    /// True for the address of a buffer whose contents the function fixes.
    pub fn is_constant(&self, address: u64) -> bool {
        self.environment.as_ref().is_some_and(|environment| environment.constants.contains(&address))
    }
}

impl<D: Numbers> Environment<D> for SingleRun<'_, D> {
    fn promises(&self) -> Promises {
        self.promises
    }

    fn address(&mut self, address: &LinkedAddress<'_>) -> Result<Value<D>, Unsupported> {
        let own = match address.base {
            AddressBase::JumpTable(table) => Some(walk::table_address(table)),
            base => self.function.block_of_address(base).map(|block| self.frame.block_address(block)),
        };
        if let Some(own) = own {
            let place = own.wrapping_add_signed(address.offset);
            return Ok(scalar(Bits::new(place.into(), self.target.pointer_bits.into())));
        }
        let is_own = matches!(address.base, AddressBase::Constant(_)) && self.is_other();
        let name = if is_own { constant_name(self.function, &address.name) } else { address.name.clone() };
        let base = self.environment.and_then(|environment| environment.symbols.get(&name));
        let base = base.ok_or_else(|| Unsupported::new(format!("the address of {}", address.name)))?;
        let place = base.wrapping_add_signed(address.offset);
        // A page has 4 KiB. An instruction that adds the place in it names the whole address.
        let place = if address.kind == AddressKind::Page { place & !0xfff } else { place };
        Ok(scalar(Bits::new(place.into(), self.target.pointer_bits.into())))
    }

    fn thread_pointer(&mut self) -> Result<Value<D>, Unsupported> {
        Ok(scalar(Bits::new(THREAD_POINTER.into(), self.target.pointer_bits.into())))
    }

    fn memory_function(
        &mut self,
        function: MemoryFunction,
        args: [Value<D>; 3],
        data: &InstData,
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
        let breaks = |claim: &MemOperand| {
            let place = if claim.flags.contains(MemFlags::STORE) { to } else { from };
            !place.is_multiple_of(claim.align.max(1).into())
        };
        if count > 0 && data.memory.iter().any(breaks) {
            return Ok(PartialBool::known(true));
        }
        // Ranges that overlap are `memmove`'s; that both are one is allowed.
        let overlaps = to != from && to.abs_diff(from) < count;
        let done = match function {
            MemoryFunction::Copy if overlaps => false,
            MemoryFunction::Set => self.memory.fill(to, from as u8, second.poison.value, count),
            MemoryFunction::Copy | MemoryFunction::Move => self.memory.copy(to, from, count),
        };
        Ok(PartialBool::known(!done))
    }

    fn unknown_function(&mut self, call: &UnknownCall<'_>, args: Vec<Value<D>>) -> Result<Returned<D>, Unsupported> {
        let Some(environment) = self.environment else { return Err(call.unsupported()) };
        if self.calls_defined(call, &args) {
            return Ok(Returned { results: Vec::new(), ub: PartialBool::known(false) });
        }
        self.call_unknown(environment, call, &args)
    }
}
