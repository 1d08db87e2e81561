//! The environment of a function: the functions that it calls, and the memory that they reach. Execution and proof take
//! their facts about it from here.
//!
//! A callee is known by its name, whatever its sigil: a runtime function computes, `memcpy` and its like write memory,
//! and of any other function nothing is known. The registers that a call changes follow from its operands, its mask and
//! the calling convention alone.
//!
//! | callee | arguments | results | memory |
//! |---|---|---|---|
//! | runtime function | those of its signature | those of its signature | what is passed by reference |
//! | operation on memory | those of its signature | those of its signature | as its opcode says |
//! | memory function | destination, source or byte, length | the destination | as its opcode says |
//! | unknown | all registers that the call reads | all that it defines | anything, in a proof |
//!
//! Operations on a list of variable arguments read and write that list (`variable_arguments.rs`).
//!
//! An execution picks what an unknown function does by its seed: it returns what it likes, and writes memory that it
//! can reach.
//!
//! Invariant: after a call every register that its mask does not preserve holds a result, or anything.

use crate::Target;
use crate::calls::{Signature, mask};
use crate::promises::Promises;
use crate::runtime::{AtomicFunction, RuntimeFunction, RuntimeMeaning, RuntimeResult};
use crate::variable_arguments::{self, VaOperation};
use smallvec::SmallVec;
use tribunal_ir::semantics::float::{FloatEnvironment, FloatResult};
use tribunal_ir::semantics::walk::{self, MachineState, Next, Transfer};
use tribunal_ir::semantics::{Domain, Unsupported, Value, strict};
use tribunal_ir::text::print_base;
use tribunal_ir::{
    AddressBase, AddressData, Function, InstData, Opcode, OpcodeFlags, Operand, PReg, Preserved, RegBank, RegMask,
    RegOperand, TargetFlags, Vocabulary,
};

/// A function that fills or moves bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryFunction {
    /// `memcpy`: the operands are destination, source and length in bytes.
    Copy,
    /// `memmove`: the same, and both ranges may overlap.
    Move,
    /// `memset`: the operands are destination, byte and length in bytes.
    Set,
}

/// Each with its name in C.
const MEMORY_FUNCTIONS: [(MemoryFunction, &str); 3] =
    [(MemoryFunction::Copy, "memcpy"), (MemoryFunction::Move, "memmove"), (MemoryFunction::Set, "memset")];

/// The generic opcodes that stand for them. `G_BZERO` names no byte: it is zero.
const MEMORY_OPCODES: [(Opcode, MemoryFunction); 5] = [
    (Opcode::G_MEMCPY, MemoryFunction::Copy),
    (Opcode::G_MEMCPY_INLINE, MemoryFunction::Copy),
    (Opcode::G_MEMMOVE, MemoryFunction::Move),
    (Opcode::G_MEMSET, MemoryFunction::Set),
    (Opcode::G_BZERO, MemoryFunction::Set),
];

impl MemoryFunction {
    /// The function that this opcode stands for.
    pub fn of_opcode(opcode: Opcode) -> Option<MemoryFunction> {
        MEMORY_OPCODES.into_iter().find(|&(own, _)| own == opcode).map(|(_, function)| function)
    }

    /// The function with this symbol.
    pub fn named(name: &str) -> Option<MemoryFunction> {
        MEMORY_FUNCTIONS.into_iter().find(|&(_, own)| own == name).map(|(function, _)| function)
    }

    /// The name in C.
    pub fn name(self) -> &'static str {
        MEMORY_FUNCTIONS[self as usize].1
    }
}

/// The function that a call calls.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Callee {
    /// A function of the runtime library.
    Runtime(&'static RuntimeFunction),
    /// An operation on memory of the runtime library.
    Atomic(AtomicFunction),
    /// A function of the C library that only touches memory.
    Memory(MemoryFunction),
    /// Any other, by its symbol; empty for a call through a register.
    Unknown(String),
}

impl Callee {
    /// The callee of a call.
    pub fn of(function: &Function, data: &InstData) -> Callee {
        let Some(base) = function.callee(data) else { return Callee::Unknown(String::new()) };
        let Some(name) = function.symbol_name(base) else { return Callee::Unknown(print_base(function, base)) };
        // A program may have functions of its own that are called as C's: those are called by their global's name.
        let is_global = matches!(base, AddressBase::Global(_));
        let is_library = |function: &&RuntimeFunction| !(is_global && function.is_of_c());
        let runtime = RuntimeFunction::named(name).filter(is_library).map(Callee::Runtime);
        let memory = || MemoryFunction::named(name).map(Callee::Memory);
        let atomic = || AtomicFunction::named(name).map(Callee::Atomic);
        runtime.or_else(memory).or_else(atomic).unwrap_or_else(|| Callee::Unknown(name.to_string()))
    }
}

/// A call of a function of the runtime library, as a linker completes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LibraryCall {
    /// The function.
    pub function: &'static RuntimeFunction,
    /// The mask of the call, which tells the convention of numbers.
    pub mask: Option<RegMask>,
}

/// The opcode that the instruction computes: its own, or that of the library's function that it calls; of a call with
/// the width of its result.
pub fn computed(function: &Function, target: &Target, data: &InstData) -> (Opcode, Option<u32>) {
    let calls = || function.opcode_flags(data, target.vocabulary).contains(OpcodeFlags::CALL);
    match data.opcode {
        Opcode::Target(_) if calls() => match Callee::of(function, data) {
            Callee::Runtime(RuntimeFunction { meaning: RuntimeMeaning::Opcode(opcode), result, .. }) => {
                (*opcode, Some(result.bits()))
            }
            _ => (data.opcode, None),
        },
        opcode => (opcode, None),
    }
}

impl LibraryCall {
    /// `None` for a call of anything else.
    pub fn of(function: &Function, data: &InstData) -> Option<LibraryCall> {
        match Callee::of(function, data) {
            Callee::Runtime(function) => Some(LibraryCall { function, mask: mask(data) }),
            Callee::Atomic(_) | Callee::Memory(_) | Callee::Unknown(_) => None,
        }
    }
}

/// A call of a function of which nothing is known.
pub struct UnknownCall<'c> {
    /// The call.
    pub data: &'c InstData,
    /// The callee's symbol; empty for a call through a register.
    pub name: &'c str,
    /// The registers in which it returns.
    pub results: &'c [PReg],
}

impl UnknownCall<'_> {
    /// The machine register of each argument, in the order of the values; `None` for a virtual one.
    pub fn argument_registers(&self, target: &Target) -> impl Iterator<Item = Option<PReg>> {
        passed(target, self.data).map(|operand| operand.reg.as_physical())
    }

    /// Says that nothing is known of the callee.
    pub fn unsupported(&self) -> Unsupported {
        match self.name {
            "" => Unsupported::new("call of an unknown function"),
            name => Unsupported::new(format!("call of @{name}")),
        }
    }
}

/// The kind of an address that a linker determines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AddressKind {
    /// Of a global, a function, or a block.
    Symbol,
    /// Of an entry of the function's constant pool.
    Constant,
    /// The page of a symbol, to which the place in it is to be added.
    Page,
    /// Of a symbol, made of its page, the instruction's first operand, and of its place there.
    InPage,
}

/// An address that a linker determines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinkedAddress<'d> {
    /// Its kind.
    pub kind: AddressKind,
    /// The entity, as this function numbers it.
    pub base: AddressBase,
    /// The entity's name as it is printed, which is the same in every function.
    pub name: String,
    /// Bytes from there.
    pub offset: i64,
    /// The part of the address that is meant, where the instruction's row does not say which.
    pub flags: TargetFlags,
    /// The instruction.
    pub data: &'d InstData,
}

impl<'d> LinkedAddress<'d> {
    /// The address that `data` produces; `None` if it produces none.
    pub fn of(function: &Function, vocabulary: &dyn Vocabulary, data: &'d InstData) -> Option<LinkedAddress<'d>> {
        let (kind, index, part): (AddressKind, usize, &[&str]) = match data.opcode {
            Opcode::G_GLOBAL_VALUE | Opcode::G_BLOCK_ADDR => (AddressKind::Symbol, 1, &[]),
            Opcode::G_JUMP_TABLE => (AddressKind::Symbol, 1, &[]),
            Opcode::G_CONSTANT_POOL => (AddressKind::Constant, 1, &[]),
            Opcode::OPAQUE => of_page(function.opaque_name(data)?, 0)?,
            // An opaque instruction has its name among its operands.
            Opcode::Target(opcode) if data.operands.iter().any(|operand| matches!(operand, Operand::Address(_))) => {
                of_page(vocabulary.opcode_name(opcode), 1)?
            }
            _ => return None,
        };
        let &AddressData { base, offset, flags } = function.address_of(data.operands.get(index)?)?;
        let (name, flags) = (print_base(function, base), without_part(vocabulary, flags, part)?);
        Some(LinkedAddress { kind, base, name, offset, flags, data })
    }
}

impl<'d> LinkedAddress<'d> {
    /// The address that an operand of a machine instruction is of, all of it, whatever part its flags select.
    pub fn of_operand(function: &Function, data: &'d InstData, operand: &Operand) -> Option<LinkedAddress<'d>> {
        let &AddressData { base, offset, .. } = function.address_of(operand)?;
        let kind = match base {
            AddressBase::Constant(_) => AddressKind::Constant,
            _ => AddressKind::Symbol,
        };
        let name = print_base(function, base);
        Some(LinkedAddress { kind, base, name, offset, flags: TargetFlags::NONE, data })
    }
}

/// The instructions that make an address of its page and of its place there: LLVM's name, the operand that is the
/// address, and the flags that name the part.
const OF_PAGES: [(&str, AddressKind, usize, &[&str]); 2] = [
    ("ADRP", AddressKind::Page, 2, &["aarch64-page"]),
    ("G_ADD_LOW", AddressKind::InPage, 3, &["aarch64-pageoff", "aarch64-nc"]),
];

/// The row of an instruction of this name, whose operands stand so many places earlier.
fn of_page(name: &str, earlier: usize) -> Option<(AddressKind, usize, &'static [&'static str])> {
    let row = OF_PAGES.iter().find(|(own, ..)| *own == name);
    row.map(|&(_, kind, index, part)| (kind, index - earlier, part))
}

/// The flags left of `flags` without those of these names; `None` if one is missing.
fn without_part(vocabulary: &dyn Vocabulary, flags: TargetFlags, part: &[&str]) -> Option<TargetFlags> {
    let bit = |name: &&str| vocabulary.target_flags().iter().position(|own| own == name).map(|place| 1 << place);
    let part = part.iter().map(bit).try_fold(0, |bits, bit| Some(bits | bit?))?;
    (flags.0 & part == part).then_some(TargetFlags(flags.0 & !part))
}

/// The outcome of a call.
pub struct Returned<D: Domain> {
    /// The values of the result registers, in order; of those without a value nothing is known.
    pub results: Vec<Value<D>>,
    /// True where the call is undefined behaviour.
    pub ub: D::Bool,
}

/// A state with an environment. One without, as it is by default, knows the runtime library alone.
pub trait Environment<D: Domain>: MachineState<D> {
    /// The address that an instruction produces.
    fn address(&mut self, address: &LinkedAddress<'_>) -> Result<Value<D>, Unsupported> {
        Err(Unsupported::new(format!("the address of {}", address.name)))
    }

    /// What a call computes for an opcode: its choices are those that the opcode would make.
    fn chosen_by<R>(&mut self, _: Opcode, compute: impl FnOnce(&mut D) -> R) -> R {
        compute(self.domain())
    }

    /// The thread pointer of the thread that runs the function.
    fn thread_pointer(&mut self) -> Result<Value<D>, Unsupported> {
        Err(Unsupported::new("the thread pointer"))
    }

    /// Performs a memory function on its three operands; the condition under which that is undefined. `data` is the
    /// opcode or the call that stands for it.
    fn memory_function(
        &mut self,
        function: MemoryFunction,
        _: [Value<D>; 3],
        _data: &InstData,
    ) -> Result<D::Bool, Unsupported> {
        Err(Unsupported::new(format!("call of &{}", function.name())))
    }

    /// True if an operation on memory of the library is performed; else its call is one of an unknown function.
    fn performs_atomics(&self) -> bool {
        true
    }

    /// Whether promises of machine instructions are believed: where one is broken its result is poison, and so is
    /// all that is computed from it. Else a machine's registers hold bits.
    fn promises(&self) -> Promises {
        Promises::Ignored
    }

    /// Calls an unknown function with the values of all registers that the call reads.
    fn unknown_function(&mut self, call: &UnknownCall<'_>, _: Vec<Value<D>>) -> Result<Returned<D>, Unsupported> {
        Err(call.unsupported())
    }
}

/// Executes an instruction whose meaning depends on the environment; `None` for all others.
pub fn execute<D: Domain, S: Environment<D>>(
    target: &Target,
    state: &mut S,
    data: &InstData,
) -> Result<Option<Transfer<D>>, Unsupported> {
    let mut ub = None;
    if let Some(function) = MemoryFunction::of_opcode(data.opcode) {
        let mut args = data.uses().map(|operand| walk::read(state, operand)).collect::<Result<Vec<_>, _>>()?;
        if function == MemoryFunction::Set && args.len() == 2 {
            let domain = state.domain();
            args.insert(1, Value::new(domain.literal(0, 8), domain.boolean(false)));
        }
        let args = args.try_into().map_err(|_| Unsupported::malformed(data.opcode))?;
        ub = Some(state.memory_function(function, args, data)?);
    } else if let Some(operation) = VaOperation::of(state.function(), data) {
        ub = Some(variable_arguments::execute(target, state, data, operation)?);
    } else if let Some(address) = LinkedAddress::of(state.function(), state.vocabulary(), data) {
        // A page is of an address, and code has the distance of such a variable.
        let is_whole = matches!(address.kind, AddressKind::Symbol | AddressKind::Constant);
        if !is_whole && state.function().symbol_facts(address.base).thread_local.is_some() {
            return Err(Unsupported::new(format!("the page of the thread-local variable {}", address.name)));
        }
        let value = state.address(&address)?;
        let dst = data.operands.first().and_then(Operand::as_reg);
        dst.map(|dst| walk::write(state, dst, value)).transpose()?;
    } else if is_thread_pointer(state.function(), data) {
        let value = state.thread_pointer()?;
        let dst = data.operands.first().and_then(Operand::as_reg);
        dst.map(|dst| walk::write(state, dst, value)).transpose()?;
    } else if is_opaque_call(state.function(), target, data) {
        return call(target, state, data).map(Some);
    } else if !target.is_call_frame(data) && !is_opaque_call_frame(state.function(), data) {
        return Ok(None);
    }
    let ub = ub.unwrap_or_else(|| state.domain().boolean(false));
    Ok(Some(Transfer { ub, next: Next::Following }))
}

/// True for the intrinsic that gives the thread pointer.
pub fn is_thread_pointer(function: &Function, data: &InstData) -> bool {
    let named = |operand: &Operand| match operand {
        Operand::Intrinsic(name) => function.symbols.get(*name).is_some_and(|name| name == THREAD_POINTER),
        _ => false,
    };
    data.opcode == Opcode::G_INTRINSIC && data.operands.iter().any(named)
}

/// The intrinsic's name, which says no type.
const THREAD_POINTER: &str = "llvm.thread.pointer";

/// True for a call by an instruction without a row. Markers of call frames, by LLVM's names, are none.
fn is_opaque_call(function: &Function, target: &Target, data: &InstData) -> bool {
    data.opcode == Opcode::OPAQUE && function.opcode_flags(data, target.vocabulary).contains(OpcodeFlags::CALL)
}

/// True for the markers before and after a call where the target has no rows for them.
fn is_opaque_call_frame(function: &Function, data: &InstData) -> bool {
    matches!(function.opaque_name(data), Some("ADJCALLSTACKDOWN" | "ADJCALLSTACKUP"))
}

/// Performs a call, which may stand in place of a return.
pub fn call<D: Domain, S: Environment<D>>(
    target: &Target,
    state: &mut S,
    data: &InstData,
) -> Result<Transfer<D>, Unsupported> {
    if data.vreg_defs().next().is_some() {
        return Err(Unsupported::new("a call that defines a virtual register"));
    }
    let leaves = state.function().opcode_flags(data, target.vocabulary).contains(OpcodeFlags::RETURN);
    let mut results = results(target, data, leaves);
    let callee = match Callee::of(state.function(), data) {
        Callee::Atomic(function) if !state.performs_atomics() => Callee::Unknown(function.to_string()),
        callee => callee,
    };
    let Returned { results: values, ub } = match callee {
        Callee::Runtime(function) => {
            let (registers, returned) = runtime_function(target, state, function, mask(data))?;
            results = registers;
            returned
        }
        Callee::Atomic(function) => {
            let unsupported = || Unsupported::new(format!("call of &{function}"));
            let signature = target.atomic_signature(&function).ok_or_else(unsupported)?;
            results = signature.result.registers.clone().into_iter().collect();
            atomic_function(target, state, &function, &signature)?
        }
        Callee::Memory(function) => {
            let mut values = arguments(target, state, data)?.into_iter();
            let (Some(dst), Some(second), Some(length)) = (values.next(), values.next(), values.next()) else {
                return Err(Unsupported::new(format!("call of &{} without its arguments", function.name())));
            };
            let ub = state.memory_function(function, [dst.clone(), second, length], data)?;
            Returned { results: vec![dst], ub }
        }
        Callee::Unknown(name) => {
            let values = arguments(target, state, data)?;
            state.unknown_function(&UnknownCall { data, name: &name, results: &results }, values)?
        }
    };
    for register in clobbered(target, data) {
        state.clobber(register);
    }
    for (&register, value) in results.iter().zip(values) {
        walk::write_physical(state, register, value);
    }
    Ok(Transfer { ub, next: if leaves { Next::Return } else { Next::Following } })
}

/// The stack pointer and the return address, which every call names: no values that are passed.
fn is_linkage(target: &Target, register: PReg) -> bool {
    [target.abi.stack_pointer, target.abi.return_address].contains(&target.vocabulary.full_register(register))
}

/// The values of all registers that the call reads.
fn arguments<D: Domain, S: Environment<D>>(
    target: &Target,
    state: &mut S,
    data: &InstData,
) -> Result<Vec<Value<D>>, Unsupported> {
    passed(target, data).map(|operand| walk::read(state, operand)).collect()
}

/// The operands that a call passes.
fn passed<'d>(target: &Target, data: &'d InstData) -> impl Iterator<Item = &'d RegOperand> {
    data.uses().filter(|operand| operand.reg.as_physical().is_none_or(|register| !is_linkage(target, register)))
}

/// The registers in which the call returns. One in place of a return names none: it returns in those of the convention.
fn results(target: &Target, data: &InstData, leaves: bool) -> SmallVec<[PReg; 4]> {
    if leaves {
        return target.abi.results().into();
    }
    let defined = data.defs().filter_map(|operand| operand.reg.as_physical());
    defined.filter(|&register| !is_linkage(target, register)).collect()
}

/// The full registers that hold anything after the call, but for its results.
pub fn clobbered(target: &Target, data: &InstData) -> Vec<PReg> {
    lost(target, mask(data))
}

/// The full registers that hold anything after a call with this mask.
pub fn lost(target: &Target, mask: Option<RegMask>) -> Vec<PReg> {
    let full = (0..).map(PReg).zip(target.registers).filter(|&(register, row)| row.full == register);
    match mask.map(|mask| target.vocabulary.preserved(mask)) {
        None | Some(Preserved::CalleeSaved | Preserved::More) => target.abi.caller_saved.to_vec(),
        Some(Preserved::General) => {
            let general = |register: PReg| target.bank_of(register).is_none_or(|bank| bank == RegBank(0));
            let others = full.map(|(register, _)| register).filter(|&register| !general(register));
            let general = target.abi.caller_saved.iter().copied().filter(|&register| general(register));
            general.chain(others).collect()
        }
        Some(Preserved::Nothing) => {
            // No callee moves its caller's stack, or itself to another thread.
            let kept = [Some(target.abi.stack_pointer), target.abi.thread_pointer.register()];
            full.map(|(register, _)| register).filter(|&register| !kept.contains(&Some(register))).collect()
        }
    }
}

/// Computes a function of the runtime library: its result registers, and their values.
fn runtime_function<D: Domain, S: Environment<D>>(
    target: &Target,
    state: &mut S,
    function: &RuntimeFunction,
    mask: Option<RegMask>,
) -> Result<(SmallVec<[PReg; 4]>, Returned<D>), Unsupported> {
    let unsupported = || Unsupported::new(format!("call of &{}", function.name));
    let environment = strict::environment(state).filter(|_| function.meaning.assumes_environment());
    let signature = target.signature(function, mask).ok_or_else(unsupported)?;
    let full = |register: &PReg| target.vocabulary.full_register(*register);
    let read = signature.passed().flat_map(|value| &value.registers).map(full);
    let contents: SmallVec<[Value<D>; 4]> = read.map(|register| walk::read_physical(state, register)).collect();
    let mut received = function.received(target, &signature, state.evaluator(), &contents)?;
    let args = &received.values;
    let compute = |d: &mut D| function.evaluate(d, args);
    let (mut result, undefined) = match (function.meaning, environment) {
        (_, Some(environment)) => in_environment(state, function, environment, args)?,
        (RuntimeMeaning::Opcode(opcode), None) => state.chosen_by(opcode, compute)?,
        (RuntimeMeaning::Order(_), None) => compute(state.domain())?,
    };
    result.poison = state.domain().bool_or(&result.poison, &received.broken);
    received.ub = state.domain().bool_or(&received.ub, &undefined);
    let RuntimeResult { registers, ub } = function.left(target, &signature, state.evaluator(), received, result);
    Ok((signature.returned().iter().map(full).collect(), Returned { results: registers.into_vec(), ub }))
}

/// The result of a function on numbers that sees the environment of floating point, and where it is undefined: on
/// poison, which would raise any flags.
fn in_environment<D: Domain, S: Environment<D>>(
    state: &mut S,
    function: &RuntimeFunction,
    environment: &FloatEnvironment,
    args: &[Value<D>],
) -> Result<(Value<D>, D::Bool), Unsupported> {
    let unsupported = || Unsupported::new(format!("call of &{} in a strict function", function.name));
    let opcode = function.strict().ok_or_else(unsupported)?;
    let mode = strict::mode(state, environment);
    let bits: Vec<D::Bits> = args.iter().map(|arg| arg.bits.clone()).collect();
    let FloatResult { bits, flags } = state.chosen_by(opcode, |d| strict::evaluate(d, opcode, &mode, &bits))?;
    strict::raise(state, environment, &flags);
    let domain = state.domain();
    let never = domain.boolean(false);
    let ub = args.iter().fold(never.clone(), |ub, arg| domain.bool_or(&ub, &arg.poison));
    Ok((Value::new(bits, never), ub))
}

/// Performs an operation on memory of the runtime library. Registers hold anything above a narrower value.
fn atomic_function<D: Domain, S: Environment<D>>(
    target: &Target,
    state: &mut S,
    function: &AtomicFunction,
    signature: &Signature,
) -> Result<Returned<D>, Unsupported> {
    let unsupported = || Unsupported::new(format!("call of &{function}"));
    let mut arguments: Vec<Value<D>> =
        signature.arguments.iter().map(|value| joined_registers(state, &value.registers)).collect();
    let (domain, memory) = state.evaluator();
    for (value, &argument) in arguments.iter_mut().zip(function.arguments()) {
        value.bits = domain.extract(&value.bits, 0, function.bits_of(argument, target.pointer_bits.into()));
    }
    let evaluation = function.evaluate(domain, memory, &arguments)?;
    if function.result_bits() == 0 {
        return Ok(Returned { results: Vec::new(), ub: evaluation.ub });
    }
    let mut result = evaluation.results.into_iter().next().ok_or_else(unsupported)?;
    let above = target.register_type().bits().saturating_sub(function.result_bits());
    if above > 0 {
        let high = if function.returns_success() { domain.literal(0, above) } else { domain.choose(above) };
        result.bits = domain.concat(&high, &result.bits);
    }
    Ok(Returned { results: divided(target, domain, &result, signature), ub: evaluation.ub })
}

/// A value as the result registers hold it, low part first.
fn divided<D: Domain>(target: &Target, domain: &mut D, value: &Value<D>, signature: &Signature) -> Vec<Value<D>> {
    let width = u32::from(target.pointer_bits);
    let part = |index| Value::new(domain.extract(&value.bits, index * width, width), value.poison.clone());
    (0..).take(signature.result.registers.len()).map(part).collect()
}

/// The value in these registers, low part first.
fn joined_registers<D: Domain, S: Environment<D>>(state: &mut S, registers: &[PReg]) -> Value<D> {
    let parts: SmallVec<[Value<D>; 4]> =
        registers.iter().map(|&register| walk::read_physical(state, register)).collect();
    joined(state.domain(), &parts)
}

/// Joins parts, lowest first; there is at least one.
fn joined<D: Domain>(domain: &mut D, parts: &[Value<D>]) -> Value<D> {
    let mut all = parts.iter().cloned();
    let first = all.next().unwrap_or_else(|| Value::new(domain.literal(0, 1), domain.boolean(false)));
    all.fold(first, |low, high| {
        Value::new(domain.concat(&high.bits, &low.bits), domain.bool_or(&low.poison, &high.poison))
    })
}
