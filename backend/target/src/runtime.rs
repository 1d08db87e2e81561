//! The runtime library: functions that every compiler for these machines ships (libgcc, compiler-rt, and the C
//! library's for numbers), for operations that have no instruction. One table gives the meaning of each to the code
//! that writes, runs or proves a call.
//!
//! A call finds each argument in the registers of its convention ([`Target::signature`]). What a convention leaves open
//! is anything: bits above a narrower value. What it demands is a precondition: RISC-V's integers are extended. Where
//! one is not, the result is poison; a machine stops there.
//!
//! Invariant: a function touches no memory that is the caller's, but for what it is passed by reference, and for those
//! of `atomics.rs`.

mod atomics;
mod table;

pub use atomics::{AtomicArgument, AtomicFunction, AtomicLibrary};
pub use table::FUNCTIONS;

use crate::Target;
use crate::calls::{PassedValue, Signature};
use crate::environment::Callee;
use smallvec::{SmallVec, smallvec};
use tribunal_ir::semantics::float::{ElementaryFunction, FloatResult, canonical_nan, compare};
use tribunal_ir::semantics::{Domain, Memory, Unsupported, Value, evaluate_scalar, strict};
use tribunal_ir::{FloatFormat, FloatPredicate, Function, IntPredicate, MemFlags, MemOperand, Opcode, PReg, Type};

/// The type of an argument or of a result, as calling conventions tell them apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RuntimeType {
    /// An integer of so many bits.
    Integer(u32),
    /// A number of the format that scalars of so many bits have.
    Float(u32),
}

impl RuntimeType {
    /// The width in bits.
    pub const fn bits(self) -> u32 {
        match self {
            RuntimeType::Integer(bits) | RuntimeType::Float(bits) => bits,
        }
    }
}

/// A comparison of two numbers, whose result relates to 0 as they relate to each other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FloatOrder {
    /// 0 if they are equal, else another number.
    Equal,
    /// The same: its name tells what the caller asks for.
    NotEqual,
    /// Below 0 if the first is less.
    Less,
    /// Not above 0 if the first is less or they are equal.
    LessOrEqual,
    /// Above 0 if the first is greater.
    Greater,
    /// Not below 0 if the first is greater or they are equal.
    GreaterOrEqual,
    /// 0 if neither is a NaN, else another number.
    Unordered,
}

impl FloatOrder {
    /// The predicate on numbers, and the predicate of the result beside 0 that holds where the former does.
    pub const fn predicates(self) -> (FloatPredicate, IntPredicate) {
        match self {
            FloatOrder::Equal => (FloatPredicate::Oeq, IntPredicate::Eq),
            FloatOrder::NotEqual => (FloatPredicate::Une, IntPredicate::Ne),
            FloatOrder::Less => (FloatPredicate::Olt, IntPredicate::Slt),
            FloatOrder::LessOrEqual => (FloatPredicate::Ole, IntPredicate::Sle),
            FloatOrder::Greater => (FloatPredicate::Ogt, IntPredicate::Sgt),
            FloatOrder::GreaterOrEqual => (FloatPredicate::Oge, IntPredicate::Sge),
            FloatOrder::Unordered => (FloatPredicate::Uno, IntPredicate::Ne),
        }
    }
}

/// The meaning of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RuntimeMeaning {
    /// That of this opcode, undefined behaviour included. Where the opcode's result is poison, it is any.
    Opcode(Opcode),
    /// A comparison; any result that has the relation.
    Order(FloatOrder),
}

impl RuntimeMeaning {
    /// True if it rounds to nearest, or may raise flags of the environment of floating point.
    pub fn assumes_environment(self) -> bool {
        match self {
            RuntimeMeaning::Opcode(opcode) => opcode.assumes_environment(),
            RuntimeMeaning::Order(_) => true,
        }
    }
}

/// A function of the library.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RuntimeFunction {
    /// Its symbol.
    pub name: &'static str,
    /// Its meaning.
    pub meaning: RuntimeMeaning,
    /// The type of its result.
    pub result: RuntimeType,
    /// The types of its arguments.
    pub arguments: &'static [RuntimeType],
}

fn is_elementary(opcode: Opcode) -> bool {
    ElementaryFunction::of(opcode).is_some() || opcode == Opcode::G_FSINCOS
}

/// True if the function computes something whose last digits are the library's. An execution has digits of its own, so
/// it says nothing about a compiler that has folded a constant.
pub fn leaves_digits_open(function: &Function) -> bool {
    function.all_insts().map(|inst| function.inst(inst)).any(|data| {
        is_elementary(data.opcode)
            || matches!(Callee::of(function, data), Callee::Runtime(callee) if callee.is_elementary())
    })
}

/// The outcome of a call.
pub struct RuntimeResult<D: Domain> {
    /// The contents of each result register, all of it.
    pub registers: SmallVec<[Value<D>; 2]>,
    /// True where the call is undefined behaviour.
    pub ub: D::Bool,
}

impl RuntimeFunction {
    /// The function with this symbol.
    pub fn named(name: &str) -> Option<&'static RuntimeFunction> {
        FUNCTIONS.iter().find(|function| function.name == name)
    }

    /// The function that computes `opcode`, with scalars of these types.
    pub fn of(opcode: Opcode, result: Type, arguments: &[Type]) -> Option<&'static RuntimeFunction> {
        let is = |own: RuntimeType, ty: Type| ty == Type::scalar(own.bits());
        FUNCTIONS.iter().find(|function| {
            let same = function.arguments.iter().zip(arguments).all(|(&own, &ty)| is(own, ty));
            let is_opcode = match function.meaning {
                RuntimeMeaning::Opcode(own) => own == opcode,
                RuntimeMeaning::Order(_) => false,
            };
            is_opcode && is(function.result, result) && function.arguments.len() == arguments.len() && same
        })
    }

    /// The function that compares numbers of this format.
    pub fn comparing(order: FloatOrder, format: FloatFormat) -> Option<&'static RuntimeFunction> {
        let compares = |function: &&RuntimeFunction| {
            function.meaning == RuntimeMeaning::Order(order) && function.arguments[0].bits() == format.bits()
        };
        FUNCTIONS.iter().find(compares)
    }

    /// True if it is of the C library, whose names begin like anyone's.
    pub fn is_of_c(&self) -> bool {
        !self.name.starts_with("__")
    }

    /// The operation that it is in a strict function: it rounds and raises flags as the environment says. So do the
    /// functions of C, and those of libgcc (`sfp-machine.h` of the machine). Those of compiler-rt raise the flag of an
    /// inexact result alone.
    pub fn strict(&self) -> Option<Opcode> {
        match self.meaning {
            RuntimeMeaning::Opcode(opcode) => opcode.strict(),
            RuntimeMeaning::Order(_) => None,
        }
    }

    /// True for an elementary function, whose last digits are the library's.
    pub fn is_elementary(&self) -> bool {
        matches!(self.meaning, RuntimeMeaning::Opcode(opcode) if is_elementary(opcode))
    }

    /// Evaluates a call on arguments as wide as their types: the result, and where it is undefined.
    pub fn evaluate<D: Domain>(&self, domain: &mut D, args: &[Value<D>]) -> Result<(Value<D>, D::Bool), Unsupported> {
        let unsupported = || Unsupported::new(format!("call of &{}", self.name));
        if args.len() != self.arguments.len() {
            return Err(unsupported());
        }
        match self.meaning {
            RuntimeMeaning::Opcode(opcode) => {
                let evaluation = evaluate_scalar(domain, opcode, Type::scalar(self.result.bits()), args)?;
                let result = evaluation.results.into_iter().next().ok_or_else(unsupported)?;
                let is_whole = opcode.info().is_some_and(|info| info.poison.is_empty());
                Ok((if is_whole { result } else { returned(domain, args, result) }, evaluation.ub))
            }
            RuntimeMeaning::Order(order) => {
                let format = FloatFormat::of_width(self.arguments[0].bits()).ok_or_else(unsupported)?;
                let bits = compared(domain, order, format, [&args[0].bits, &args[1].bits]);
                let poison = domain.bool_or(&args[0].poison, &args[1].poison);
                Ok((Value::new(bits, poison), domain.boolean(false)))
            }
        }
    }

    /// The same of a function that does a strict operation, in this rounding mode. The flags that it raises come too.
    pub fn call_strict<D: Domain, M: Memory<D>>(
        &self,
        (target, opcode): (&Target, Opcode),
        signature: &Signature,
        (domain, memory): (&mut D, &mut M),
        (mode, contents): (D::Bits, &[Value<D>]),
    ) -> Result<(RuntimeResult<D>, D::Bits), Unsupported> {
        let mut received = self.received(target, signature, (domain, memory), contents)?;
        received.ub = domain.bool_or(&received.ub, &received.broken);
        let args: SmallVec<[D::Bits; 3]> = received.values.iter().map(|arg| arg.bits.clone()).collect();
        let FloatResult { bits, flags } = strict::evaluate(domain, opcode, &mode, &args)?;
        let result = Value::new(bits, domain.boolean(false));
        Ok((self.left(target, signature, (domain, memory), received, result), flags))
    }

    /// Evaluates a call on the contents of all registers that the caller passes, in the order of the signature.
    pub fn call<D: Domain, M: Memory<D>>(
        &self,
        target: &Target,
        signature: &Signature,
        (domain, memory): (&mut D, &mut M),
        contents: &[Value<D>],
    ) -> Result<RuntimeResult<D>, Unsupported> {
        let mut received = self.received(target, signature, (domain, memory), contents)?;
        let (result, undefined) = self.evaluate(domain, &received.values)?;
        for condition in [&received.broken, &undefined] {
            received.ub = domain.bool_or(&received.ub, condition);
        }
        Ok(self.left(target, signature, (domain, memory), received, result))
    }

    /// The arguments in the contents of all registers that the caller passes, and in memory.
    pub fn received<D: Domain, M: Memory<D>>(
        &self,
        target: &Target,
        signature: &Signature,
        (domain, memory): (&mut D, &mut M),
        contents: &[Value<D>],
    ) -> Result<ReceivedArguments<D>, Unsupported> {
        let unsupported = || Unsupported::new(format!("call of &{}", self.name));
        let no = domain.boolean(false);
        let mut received =
            ReceivedArguments { values: smallvec![], references: smallvec![], broken: no.clone(), ub: no };
        let mut rest = contents;
        let mut next = |place: &PassedValue| {
            let (parts, others) = rest.split_at_checked(place.registers.len())?;
            rest = others;
            Some(parts)
        };
        if signature.result.by_reference {
            let address = next(&signature.result).and_then(<[_]>::first).ok_or_else(unsupported)?;
            received.refer(domain, address);
        }
        for (&ty, place) in self.arguments.iter().zip(&signature.arguments) {
            let parts = next(place).ok_or_else(unsupported)?;
            let first = *place.registers.first().ok_or_else(unsupported)?;
            let value = match parts {
                [address] if place.by_reference => {
                    received.refer(domain, address);
                    let access = referred(MemFlags::LOAD, place.bits);
                    let (value, outside) = memory.load(domain, &address.bits, place.bits / 8, &access);
                    received.ub = domain.bool_or(&received.ub, &outside);
                    value
                }
                parts => {
                    let (value, broken) = in_registers(target, domain, (ty, first), parts).ok_or_else(unsupported)?;
                    received.broken = domain.bool_or(&received.broken, &broken);
                    value
                }
            };
            received.values.push(value);
        }
        Ok(received)
    }

    /// The state in which a call leaves its caller: the contents of the result registers, all of each, low part first,
    /// or the result in memory. Arguments there may have changed.
    pub fn left<D: Domain, M: Memory<D>>(
        &self,
        target: &Target,
        signature: &Signature,
        (domain, memory): (&mut D, &mut M),
        ReceivedArguments { references, mut ub, .. }: ReceivedArguments<D>,
        result: Value<D>,
    ) -> RuntimeResult<D> {
        let mut addresses = references.iter();
        let of_result = signature.result.by_reference.then(|| addresses.next()).flatten();
        let changed = signature.arguments.iter().filter(|place| place.by_reference);
        let mut store = |domain: &mut D, address: &Value<D>, value: &Value<D>, bits: u32| {
            let outside = memory.store(domain, &address.bits, value, &referred(MemFlags::STORE, bits));
            ub = domain.bool_or(&ub, &outside);
        };
        for (address, place) in addresses.zip(changed) {
            let junk = Value::new(domain.literal(JUNK, place.bits), domain.boolean(true));
            store(domain, address, &junk, place.bits);
        }
        if let Some(address) = of_result {
            store(domain, address, &result, signature.result.bits);
        }
        let vocabulary = target.vocabulary;
        let mut offset = 0;
        let mut registers = smallvec![];
        for &register in signature.returned() {
            let width = vocabulary.register_bits(vocabulary.full_register(register));
            let own = width.min(self.result.bits() - offset);
            let part = domain.extract(&result.bits, offset, own);
            let bits = match self.result {
                _ if own == width => part,
                RuntimeType::Integer(_) if target.abi.extended_to >= width => domain.sext(&part, width),
                _ => {
                    let is_boxed = vocabulary.is_boxed(register);
                    let above = if is_boxed { domain.literal(-1, width - own) } else { domain.choose(width - own) };
                    domain.concat(&above, &part)
                }
            };
            registers.push(Value::new(bits, result.poison.clone()));
            offset += own;
        }
        RuntimeResult { registers, ub }
    }
}

/// The bits of an argument in memory after the call: any, which is poison.
const JUNK: i64 = 0x5a5a_5a5a_5a5a_5a5a;

/// The access to a value that is passed by reference: it is aligned as its type.
fn referred(direction: MemFlags, bits: u32) -> MemOperand {
    MemOperand::new(direction, Type::scalar(bits), bits / 8)
}

/// The arguments of a call.
pub struct ReceivedArguments<D: Domain> {
    /// Their values, as wide as their types.
    pub values: SmallVec<[Value<D>; 3]>,
    /// The addresses of what is passed by reference: of the result, then of arguments.
    references: SmallVec<[Value<D>; 4]>,
    /// True where a register is not as the convention has it: the result is anything then. A poison argument is such a
    /// register too, and the call of a function that nobody else sees stands for an operation that has no undefined
    /// behaviour.
    pub broken: D::Bool,
    /// True where the call is undefined behaviour: it may touch memory that is not there, or not the callee's.
    pub ub: D::Bool,
}

impl<D: Domain> ReceivedArguments<D> {
    /// Takes the address of a value that is passed by reference. What is passed is the callee's alone: no two lie at
    /// one place.
    fn refer(&mut self, domain: &mut D, address: &Value<D>) {
        self.ub = domain.bool_or(&self.ub, &address.poison);
        for other in &self.references {
            let same = domain.eq(&other.bits, &address.bits);
            self.ub = domain.bool_or(&self.ub, &same);
        }
        self.references.push(address.clone());
    }
}

/// A result that is poison by the opcode alone is any: a function returns bits.
fn returned<D: Domain>(d: &mut D, args: &[Value<D>], result: Value<D>) -> Value<D> {
    let mut inherited = d.boolean(false);
    for arg in args {
        inherited = d.bool_or(&inherited, &arg.poison);
    }
    let any = d.choose(d.width(&result.bits));
    Value::new(d.ite(&result.poison, &any, &result.bits), inherited)
}

/// An integer of 32 bits with the relation to 0: negative or not is its highest bit, and zero or not its lowest. So
/// what a caller may ask is known whatever the other bits are.
fn compared<D: Domain>(d: &mut D, order: FloatOrder, format: FloatFormat, [a, b]: [&D::Bits; 2]) -> D::Bits {
    const BITS: u32 = 32;
    let outcome = compare(d, format, a, b);
    let (high, low) = (d.choose(BITS - 1), d.choose(BITS - 1));
    let (set, clear) = (d.literal(1, 1), d.literal(0, 1));
    let zero = d.literal(0, BITS);
    // Any number but zero.
    let other = d.concat(&high, &set);
    let (negative, natural) = (d.concat(&set, &low), d.concat(&clear, &low));
    let positive = d.extract(&high, 0, BITS - 2);
    let positive = d.concat(&clear, &positive);
    let positive = d.concat(&positive, &set);
    match order {
        FloatOrder::Equal | FloatOrder::NotEqual => d.ite(&outcome.equal, &zero, &other),
        FloatOrder::Unordered => d.ite(&outcome.unordered, &other, &zero),
        FloatOrder::Less => d.ite(&outcome.less, &negative, &natural),
        FloatOrder::GreaterOrEqual => {
            let holds = d.bool_or(&outcome.greater, &outcome.equal);
            d.ite(&holds, &natural, &negative)
        }
        FloatOrder::LessOrEqual => {
            let no = d.ite(&outcome.less, &negative, &positive);
            d.ite(&outcome.equal, &zero, &no)
        }
        FloatOrder::Greater => {
            let no = d.ite(&outcome.greater, &positive, &negative);
            d.ite(&outcome.equal, &zero, &no)
        }
    }
}

/// The value that the callee finds in the contents of its registers, and where the caller broke the convention.
fn in_registers<D: Domain>(
    target: &Target,
    d: &mut D,
    (ty, register): (RuntimeType, PReg),
    parts: &[Value<D>],
) -> Option<(Value<D>, D::Bool)> {
    let whole = parts
        .iter()
        .cloned()
        .reduce(|low, high| Value::new(d.concat(&high.bits, &low.bits), d.bool_or(&low.poison, &high.poison)))?;
    let (width, bits) = (d.width(&whole.bits), ty.bits());
    let mut broken = d.boolean(false);
    if width <= bits {
        return Some((whole, broken));
    }
    let mut low = d.extract(&whole.bits, 0, bits);
    match ty {
        RuntimeType::Integer(_) if target.abi.extended_to >= width => {
            let extended = d.sext(&low, width);
            broken = d.ne(&extended, &whole.bits);
        }
        RuntimeType::Float(_) if target.vocabulary.is_boxed(register) => {
            let above = d.extract(&whole.bits, bits, width - bits);
            let ones = d.literal(-1, width - bits);
            let (is_boxed, nan) = (d.eq(&above, &ones), d.constant(canonical_nan(FloatFormat::of_width(bits)?)));
            low = d.ite(&is_boxed, &low, &nan);
        }
        RuntimeType::Integer(_) | RuntimeType::Float(_) => {}
    }
    Some((Value::new(low, whole.poison), broken))
}
