//! Calls between the functions of a module: a callee that the module defines is executed.
//!
//! A callee finds the registers that its caller passes, and its stack arguments where the caller wrote them; of any
//! other register nothing is known. Its caller finds the callee-saved registers as they were, the results, and nothing
//! else. So a run relies on no more than the calling convention says.
//!
//! Invariant: the functions around the innermost stand in a list, not on the interpreter's own stack.

use super::frames::StackShape;
use super::{ConcreteEnvironment, Interpreter, Numbers, Returned, SingleRun, fits_words, known, types_of};
use crate::globals::globals_of;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::collections::BTreeMap;
use tribunal_ir::semantics::walk::{self, MachineState};
use tribunal_ir::semantics::{Domain, Number, Typed, Unsupported, Value};
use tribunal_ir::{AddressBase, Block, Function, GlobalName, Inst, OpcodeFlags, Operand, PReg, RegFlags, RegOperand};
use tribunal_target::Target;
use tribunal_target::abi::CallKind;
use tribunal_target::environment::UnknownCall;

/// The functions of a module that run together: the one that runs, and those that it reaches.
#[derive(Clone)]
pub(super) struct Definitions<'f> {
    rows: Vec<Definition<'f>>,
    /// By the addresses of those that are called through registers.
    addresses: BTreeMap<u64, usize>,
}

#[derive(Clone)]
struct Definition<'f> {
    function: &'f Function,
    types: Vec<Option<Typed>>,
    shape: StackShape,
}

/// A call of a function of the module, before it is entered.
pub(super) struct DefinedCall<D: Domain> {
    callee: usize,
    kind: CallKind,
    /// The registers that the caller passes.
    arguments: Vec<(PReg, Value<D>)>,
    /// The registers in which it expects results.
    results: Vec<PReg>,
}

/// A function that waits for its callee.
pub(super) struct Activation<'f, D: Domain> {
    function: &'f Function,
    types: &'f [Option<Typed>],
    /// Its call.
    inst: Inst,
    registers: Vec<Option<Value<D>>>,
    /// As the callee leaves them, without results.
    physical: Vec<(PReg, Value<D>)>,
    frame_bytes: u64,
    /// The registers in which it expects results.
    results: Vec<PReg>,
}

/// The functions among `others` that `function` reaches by calls or by their addresses, in the order in which they are
/// found.
pub fn reached<'f>(function: &'f Function, others: &[&'f Function]) -> Vec<&'f Function> {
    let by_name: BTreeMap<&str, &'f Function> = others.iter().map(|&other| (other.name.as_str(), other)).collect();
    let mut reached: Vec<&Function> = Vec::new();
    let mut waiting = vec![function];
    while let Some(next) = waiting.pop() {
        for address in next.addresses.values() {
            let AddressBase::Global(GlobalName::Named(name)) = address.base else { continue };
            let found = next.symbols.get(name).and_then(|name| by_name.get(name.as_str()));
            let is_known = |other: &Function| {
                std::ptr::eq(other, function) || reached.iter().any(|&known| std::ptr::eq(known, other))
            };
            if let Some(&other) = found.filter(|other| !is_known(other)) {
                reached.push(other);
                waiting.push(other);
            }
        }
    }
    reached
}

impl<'f> Definitions<'f> {
    fn new(functions: &[&'f Function], target: &Target, environment: &ConcreteEnvironment) -> Definitions<'f> {
        let row = |&function: &&'f Function| Definition {
            function,
            types: types_of(function),
            shape: StackShape::of(function, target),
        };
        let address = |(number, function): (usize, &&Function)| {
            Some((*environment.symbols.get(&format!("@{}", function.name))?, number))
        };
        let addresses = functions.iter().enumerate().filter_map(address).collect();
        Definitions { rows: functions.iter().map(row).collect(), addresses }
    }

    fn named(&self, name: &str) -> Option<usize> {
        self.rows.iter().position(|row| row.function.name == name)
    }
}

impl ConcreteEnvironment {
    /// Of the functions of a module that run together; the first is the one that runs.
    pub fn together(functions: &[&Function], target: &Target) -> ConcreteEnvironment {
        let mut environment = ConcreteEnvironment::default();
        for function in functions {
            environment.return_pointers.extend(super::return_pointers(function, target));
        }
        environment.placed(globals_of(functions, target))
    }
}

impl<'f> Interpreter<'f> {
    /// A function whose calls of `others`, functions of its module, are executed.
    pub fn in_module(function: &'f Function, target: &'static Target, others: &[&'f Function]) -> Interpreter<'f> {
        let mut all = vec![function];
        all.extend(reached(function, others));
        let environment = Some(Cow::Owned(ConcreteEnvironment::together(&all, target)));
        Interpreter { environment, ..Interpreter::new(function, target) }.with_definitions(&all[1..])
    }

    /// The same with calls of `others` executed. Their addresses are those of the environment.
    pub fn with_definitions(self, others: &[&'f Function]) -> Interpreter<'f> {
        let mut all = vec![self.function];
        all.extend(others);
        let environment = self.environment.as_deref().cloned().unwrap_or_default();
        let definitions = Some(Definitions::new(&all, self.target, &environment));
        self.narrow.set(all.iter().all(|function| fits_words(function)));
        let is_volatile = all.iter().any(|function| function.has_volatile_accesses());
        let ends_or_moves_stack = all.iter().any(|function| super::ends_or_moves_stack(function, self.target));
        Interpreter { definitions, is_volatile, ends_or_moves_stack, ..self }
    }

    /// The functions that run: this one first.
    pub fn functions(&self) -> Vec<&'f Function> {
        match &self.definitions {
            Some(definitions) => definitions.rows.iter().map(|row| row.function).collect(),
            None => vec![self.function],
        }
    }
}

impl<'f, D: Numbers> SingleRun<'f, D> {
    /// True in another function than the one that runs.
    pub(super) fn is_other(&self) -> bool {
        let first = self.definitions.and_then(|definitions| definitions.rows.first());
        first.is_some_and(|first| !std::ptr::eq(first.function, self.function))
    }

    /// True in a function that another one called.
    pub(super) fn is_callee(&self) -> bool {
        !self.suspended.is_empty() || self.is_replaced
    }

    /// Notes the call if it is of a function of the module.
    pub(super) fn calls_defined(&mut self, call: &UnknownCall<'_>, args: &[Value<D>]) -> bool {
        let Some(definitions) = self.definitions else { return false };
        let (callee, first) = match (call.name, args.first()) {
            ("", Some(address)) if address.bits.is_known() && !address.poison.value && !address.poison.unknown => {
                (definitions.addresses.get(&address.bits.value.low_u64()).copied(), 1)
            }
            ("", _) => (None, 0),
            (name, _) => (definitions.named(name), 0),
        };
        let Some(callee) = callee else { return false };
        let passed = call.argument_registers(self.target).zip(args).skip(first);
        let arguments = passed.filter_map(|(register, value)| Some((register?, value.clone()))).collect();
        let kind = self.target.call_kind(call.data).unwrap_or(CallKind::Returning);
        self.called = Some(DefinedCall { callee, kind, arguments, results: call.results.to_vec() });
        true
    }

    /// Enters the callee of the call; `None` if too many functions are active.
    pub(super) fn enter(&mut self, inst: Inst) -> Result<Option<(Block, Option<Inst>)>, Unsupported> {
        let (Some(call), Some(definitions)) = (self.called.take(), self.definitions) else { return Ok(None) };
        let Definition { function, types, shape } = &definitions.rows[call.callee];
        let pointer_bytes = self.target.register_bytes();
        let registers = std::mem::replace(&mut self.registers, vec![None; function.vregs.len()]);
        let physical = std::mem::take(&mut self.physical);
        if call.kind == CallKind::Tail {
            self.callees.forget_from(self.memory.first_number());
            self.memory.replace(function, *shape, pointer_bytes);
            self.is_replaced |= self.suspended.is_empty();
        } else {
            if !self.memory.enter(function, *shape, pointer_bytes) {
                return Ok(None);
            }
            let (function, types, results) = (self.function, self.types, call.results);
            let frame_bytes = self.frame_bytes;
            self.suspended.push(Activation { function, types, inst, registers, physical, frame_bytes, results });
        }
        (self.function, self.types, self.frame_bytes) = (function, types, 0);
        for (register, value) in call.arguments {
            let value = self.whole(register, value);
            self.set_full_register(self.target.vocabulary.full_register(register), value);
        }
        self.start().map(Some)
    }

    /// Returns to the caller; the place after its call.
    pub(super) fn back(&mut self, inst: Inst) -> Result<(Block, Option<Inst>), Unsupported> {
        let returned = self.returned(inst);
        self.callees.forget_from(self.memory.first_number());
        self.memory.leave();
        let Some(caller) = self.suspended.pop() else { return self.start() };
        (self.function, self.types, self.frame_bytes) = (caller.function, caller.types, caller.frame_bytes);
        (self.registers, self.physical) = (caller.registers, caller.physical);
        for register in caller.results {
            let value = self.result(register, &returned);
            walk::write_physical(self, register, value);
        }
        let block = self.function.block_of(caller.inst).ok_or_else(|| Unsupported::new("a call in no block"))?;
        Ok((block, self.function.next_inst(caller.inst)))
    }

    /// The full register that holds a value in this part of it; of the rest nothing is known.
    fn whole(&mut self, register: PReg, value: Value<D>) -> Value<D> {
        let vocabulary = self.target.vocabulary;
        let full = vocabulary.register_bits(vocabulary.full_register(register));
        let width = value.bits.width();
        if width >= full {
            return value;
        }
        let rest = self.domain.open(full - width);
        Value::new(self.domain.concat(&rest, &value.bits), value.poison)
    }

    /// The registers that a return reads: full ones, with what is known of them.
    fn returned(&mut self, inst: Inst) -> Vec<(PReg, Value<D>)> {
        let data = self.function.inst(inst);
        let mut returned = Vec::new();
        for operand in data.uses() {
            if let (Some(register), Ok(value)) = (operand.reg.as_physical(), walk::read(self, operand)) {
                returned.push((self.target.vocabulary.full_register(register), self.whole(register, value)));
            }
        }
        returned
    }

    /// The value that a caller finds in a result register.
    fn result(&mut self, register: PReg, returned: &[(PReg, Value<D>)]) -> Value<D> {
        let full = self.target.vocabulary.full_register(register);
        let width = self.target.vocabulary.register_bits(register);
        match returned.iter().find(|(known, _)| *known == full) {
            Some((_, value)) => {
                let bits = self.domain.zext_or_trunc(&value.bits, width);
                Value::new(bits, value.poison)
            }
            None => self.unwritten(width),
        }
    }

    /// The results of the outermost function: the registers that its return reads, or those in which a call returns, if
    /// it stands in place of one; and the environment of floating point, if it sees that.
    pub(super) fn results(&mut self, inst: Inst) -> Vec<Returned> {
        if self.is_replaced && !self.is_call(inst) {
            let returned = self.returned(inst);
            let of_abi = self.target.abi.results().iter();
            let shown = of_abi.map(|&register| {
                let value = self.result(register, &returned);
                (register, value.bits.width(), known(&value.bits, value.poison))
            });
            return shown.collect();
        }
        let results = self.target.abi.results().iter().copied().map(Operand::implicit_use);
        let data = self.function.inst(inst);
        let operands: SmallVec<[Operand; 4]> =
            if self.is_call(inst) { results.collect() } else { data.operands.clone() };
        let mut returned = Vec::new();
        // The address that a return goes back to, `undef $lr`, is none.
        let is_result = |operand: &&RegOperand| !operand.flags.intersects(RegFlags::DEF | RegFlags::UNDEF);
        let environment = self.function.environment_registers(self.target.vocabulary).map(Operand::implicit_use);
        let operands: SmallVec<[Operand; 4]> = operands.into_iter().chain(environment).collect();
        for operand in operands.iter().filter_map(Operand::as_reg).filter(is_result) {
            if let (Some(register), Ok(value)) = (operand.reg.as_physical(), walk::read(self, operand)) {
                returned.push((register, value.bits.width(), known(&value.bits, value.poison)));
            }
        }
        returned
    }

    fn is_call(&self, inst: Inst) -> bool {
        let data = self.function.inst(inst);
        self.function.opcode_flags(data, self.target.vocabulary).contains(OpcodeFlags::CALL)
    }
}
