//! Inputs of a function: a value for each argument register it reads, and a buffer behind each pointer argument.
//!
//! Pointers of some inputs share a buffer: they are equal, overlap by some bytes or lie side by side, in any order. A
//! pointer that the function compares may be null.
//!
//! Corner values of each width first, then constants of the program and their neighbours, then small and random ones.
//! Promises that the function relies on (`G_ASSERT_ZEXT` and `G_ASSERT_SEXT` of an argument) are kept; bits of a
//! register above the argument's type are arbitrary, as the calling convention leaves them.

use rand::rngs::SmallRng;
use rand::{Rng, RngExt, SeedableRng};
use std::collections::BTreeMap;
use tribunal_emulator::globals::{GlobalMemory, globals, globals_of};
use tribunal_emulator::input::{Buffer, Input, STACK_ARGUMENTS, buffer_address};
use tribunal_ir::function::FixedObject;
use tribunal_ir::semantics::float::FloatEnvironment;
use tribunal_ir::semantics::walk;
use tribunal_ir::{
    Bits, FloatFormat, Function, InstData, Opcode, OpcodeFlags, Operand, PReg, Reg, RegBank, RegFlags, VReg,
};
use tribunal_target::Target;
use tribunal_target::abi::CallKind;

/// Bytes of the buffer behind each pointer argument.
pub const BUFFER_BYTES: u32 = 256;

/// The number of inputs, and their seed.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The number of inputs.
    pub count: u32,
    /// The same seed makes the same inputs.
    pub seed: u64,
}

/// Where pointer arguments point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pointers {
    /// Anywhere: they may share a buffer.
    Aliasing,
    /// Each to a buffer of its own.
    Apart,
}

/// One argument of the function.
struct Argument {
    register: PReg,
    kind: Kind,
}

enum Kind {
    /// The index of its buffer.
    Pointer(usize),
    Integer {
        bits: u32,
        promise: Option<Promise>,
    },
    /// A number of floating point, in the low bits of its register.
    Float {
        format: FloatFormat,
        /// The rest of the register holds ones.
        boxed: bool,
    },
    /// The rounding mode of the environment of floating point.
    Mode(&'static FloatEnvironment),
    /// The flags of that environment.
    Flags(&'static FloatEnvironment),
}

/// The value is an extension of this many low bits.
#[derive(Clone, Copy)]
enum Promise {
    Signed(u32),
    Unsigned(u32),
}

/// The inputs that `plan` asks for.
pub fn inputs(function: &Function, target: &Target, plan: Plan) -> Vec<Input> {
    inputs_with(function, target, plan, Pointers::Aliasing)
}

/// The same with pointers as they may be.
pub fn inputs_with(function: &Function, target: &Target, plan: Plan, pointers: Pointers) -> Vec<Input> {
    inputs_around(function, target, plan, pointers, &globals(function, target))
}

/// The inputs of the first of some functions that run together.
pub fn inputs_together(functions: &[&Function], target: &Target, plan: Plan) -> Vec<Input> {
    let Some(function) = functions.first() else { return Vec::new() };
    inputs_around(function, target, plan, Pointers::Aliasing, &globals_of(functions, target))
}

fn inputs_around(
    function: &Function,
    target: &Target,
    plan: Plan,
    pointers: Pointers,
    globals: &BTreeMap<String, GlobalMemory>,
) -> Vec<Input> {
    let arguments = arguments(function, target);
    let aliases =
        pointers == Pointers::Aliasing && arguments.iter().filter(|argument| argument.is_pointer()).count() > 1;
    let (nulls, align) = (compares_pointers(function), alignment(function));
    let constants = constants(function);
    let mut random = SmallRng::seed_from_u64(plan.seed);
    let whole = u64::MAX >> (64 - target.pointer_bits);
    let stack_words = stack_words(function, target);
    let drawn = |index| {
        let mut input = input(&arguments, whole, &constants, index, &mut random);
        for memory in globals.values() {
            let bytes = memory.constant.clone().unwrap_or_else(|| contents(index, &mut random));
            input.buffers.push(Buffer { address: memory.address, bytes });
        }
        if index >= FIRST_ALIASING && aliases && random.random_range(0..2) == 0 {
            overlap(&mut input, &arguments, align, &mut random);
        }
        if index >= FIRST_ALIASING && nulls {
            let pointers = input.registers.iter_mut().zip(&arguments).filter(|(_, argument)| argument.is_pointer());
            pointers.filter(|_| random.random_range(0..16) == 0).for_each(|((_, value), _)| *value = 0);
        }
        let contents = stack_arguments(stack_words, target.register_bytes() as usize, &mut random);
        input.buffers.extend(contents.map(|bytes| Buffer { address: STACK_ARGUMENTS, bytes }));
        input
    };
    (0..plan.count).map(drawn).collect()
}

/// The words of arguments on the stack that the function reads; of a variadic one, some more.
fn stack_words(function: &Function, target: &Target) -> usize {
    let end =
        |object: &FixedObject| u64::try_from(object.offset).map_or(0, |offset| offset.saturating_add(object.size));
    let named = function.fixed_stack.values().map(end).max().unwrap_or(0).div_ceil(target.register_bytes().into());
    let more = if function.all_insts().any(|inst| function.inst(inst).opcode == Opcode::G_VASTART) { 8 } else { 0 };
    usize::try_from(named).unwrap_or(usize::MAX).saturating_add(more).min(MOST_STACK_WORDS)
}

/// Words on the stack that an input has at most.
const MOST_STACK_WORDS: usize = 32;

/// The contents of these words: mostly small numbers, which keep any promise of an extension.
fn stack_arguments(words: usize, bytes: usize, random: &mut SmallRng) -> Option<Vec<u8>> {
    if words == 0 {
        return None;
    }
    let any = random.random_range(0..2) == 0;
    let word = |random: &mut SmallRng| match any && random.random_range(0..2) == 0 {
        true => random.random::<u64>(),
        false => random.random_range(0..128u64),
    };
    Some((0..words).flat_map(|_| word(random).to_le_bytes()[..bytes].to_vec()).collect())
}

/// The first inputs have a buffer for each pointer.
const FIRST_ALIASING: u32 = 4;

impl Argument {
    fn is_pointer(&self) -> bool {
        matches!(self.kind, Kind::Pointer(_))
    }
}

/// True if the function compares a pointer.
fn compares_pointers(function: &Function) -> bool {
    let compares = |data: &InstData| {
        let ty = data.vreg(2).and_then(|value| function.type_of(value));
        data.opcode == Opcode::G_ICMP && ty.is_some_and(|ty| ty.is_pointer())
    };
    function.all_insts().any(|inst| compares(function.inst(inst)))
}

/// Lets pointers point into the buffer of one of them, the host. That buffer grows until each has the usual bytes
/// after it; the other buffers stay.
fn overlap(input: &mut Input, arguments: &[Argument], align: i64, random: &mut SmallRng) {
    let pointers: Vec<usize> = (0..arguments.len()).filter(|&index| arguments[index].is_pointer()).collect();
    let (host, guest) = (random.random_range(0..pointers.len()), random.random_range(1..pointers.len()));
    let guest = (host + guest) % pointers.len();
    let mut offsets: Vec<(usize, i64)> = vec![(pointers[host], 0)];
    for (number, &index) in pointers.iter().enumerate() {
        // One guest at least.
        if number == guest || (number != host && random.random_range(0..2) == 0) {
            offsets.push((index, distance(align, random)));
        }
    }
    let least = offsets.iter().map(|&(_, offset)| offset).min().unwrap_or(0);
    let most = offsets.iter().map(|&(_, offset)| offset).max().unwrap_or(0);
    let address = input.registers[pointers[host]].1 as u64;
    for (index, offset) in offsets {
        input.registers[index].1 = (address + offset.abs_diff(least)).into();
    }
    if let Some(buffer) = input.buffers.iter_mut().find(|buffer| buffer.address == address) {
        let first = buffer.bytes.clone();
        buffer.bytes.resize(first.len() + most.abs_diff(least) as usize, 0);
        let second = buffer.bytes.len() - first.len();
        buffer.bytes[second..].copy_from_slice(&first);
    }
}

/// The greatest alignment that an access of the function claims, in bytes, as far as buffers are aligned.
fn alignment(function: &Function) -> i64 {
    let claimed = function.all_insts().flat_map(|inst| function.inst(inst).memory.iter().map(|operand| operand.align));
    claimed.filter(|&align| align <= 16).max().unwrap_or(1).into()
}

/// Bytes from one pointer to another into one buffer: none, a few aligned steps, or all of the host.
fn distance(align: i64, random: &mut SmallRng) -> i64 {
    let distance = match random.random_range(0..5) {
        0..2 => 0,
        2..4 => align * random.random_range(1..9i64),
        _ => i64::from(BUFFER_BYTES),
    };
    if random.random_range(0..2) == 0 { distance } else { -distance }
}

/// True if no run of the function has an end that is defined: it has neither a return nor a call that may not come
/// back.
pub fn never_ends_well(function: &Function, target: &Target) -> bool {
    let ends = OpcodeFlags::RETURN | OpcodeFlags::CALL;
    let may_end = |inst| function.opcode_flags(function.inst(inst), target.vocabulary).intersects(ends);
    !function.layout().is_empty() && !function.all_insts().any(may_end)
}

/// True for an argument register, for that of an indirect result, and for one in which a local function is passed a
/// value.
fn is_passed(function: &Function, target: &Target, full: PReg) -> bool {
    let abi = target.abi;
    let is_wide = target.vocabulary.register_bits(full) > MOST_REGISTER_BITS;
    let is_free = abi.caller_saved.contains(&full) && full != abi.return_address && !is_wide;
    let live_ins = function.entry().map(|entry| function.block(entry).liveins.as_slice()).unwrap_or_default();
    let is_live_in = || live_ins.iter().any(|&(own, _)| target.vocabulary.full_register(own) == full);
    abi.arguments().contains(&full) || is_free && is_live_in()
}

/// The widest register of an input, in bits.
const MOST_REGISTER_BITS: u32 = 128;

/// True for a register of integers and pointers.
fn is_general(target: &Target, full: PReg) -> bool {
    target.bank_of(full).is_none_or(|bank| bank == RegBank(0))
}

/// The arguments: the registers that the entry block copies, and those of the environment of floating point, if the
/// function sees it.
fn arguments(function: &Function, target: &Target) -> Vec<Argument> {
    let Some(entry) = function.entry() else { return Vec::new() };
    let mut pointers = 0;
    let mut seen = vec![false; target.registers.len()];
    let copies = function.insts(entry).map(|inst| function.inst(inst)).filter(|data| data.opcode == Opcode::COPY);
    let arguments = copies.filter_map(|data| {
        let (value, register) = (data.vreg(0)?, data.operands.get(1)?.as_reg()?.reg.as_physical()?);
        let full = target.vocabulary.full_register(register);
        // After a call the register holds its result.
        if !is_passed(function, target, full) || std::mem::replace(&mut seen[usize::from(full.0)], true) {
            return None;
        }
        let is_pointer = match function.type_of(value) {
            Some(ty) => ty.is_pointer(),
            None => is_base(function, target, value),
        };
        let bits = target.vocabulary.register_bits(register);
        let format = FloatFormat::of_width(bits).filter(|_| !is_general(target, full));
        let kind = match (is_pointer, format) {
            (true, _) => {
                pointers += 1;
                Kind::Pointer(pointers - 1)
            }
            (false, Some(format)) => Kind::Float { format, boxed: target.vocabulary.is_boxed(register) },
            (false, None) => Kind::Integer {
                bits: walk::register_bits(function, target.vocabulary, value).min(target.pointer_bits.into()),
                promise: promise(function, entry, value),
            },
        };
        Some(Argument { register: full, kind })
    });
    let environment = target.vocabulary.float_environment().filter(|_| function.is_strict());
    let environment = environment.into_iter().flat_map(|environment| {
        [(environment.control, Kind::Mode(environment)), (environment.status, Kind::Flags(environment))]
    });
    arguments.chain(environment.map(|(register, kind)| Argument { register, kind })).collect()
}

/// True for the base address of some access of the machine: a selected function has no types.
fn is_base(function: &Function, target: &Target, value: VReg) -> bool {
    function.all_insts().map(|inst| function.inst(inst)).any(|data| {
        let Opcode::Target(opcode) = data.opcode else { return false };
        let base = target.instruction(opcode).address_register();
        base.is_some_and(|base| data.vreg(base) == Some(value))
    })
}

/// The assertion that the entry block makes of `value`.
fn promise(function: &Function, entry: tribunal_ir::Block, value: VReg) -> Option<Promise> {
    let asserts = |data: &&InstData| data.operands.get(1).and_then(Operand::as_vreg) == Some(value);
    function.insts(entry).map(|inst| function.inst(inst)).filter(asserts).find_map(|data| {
        let bits = data.imm(2).and_then(|bits| u32::try_from(bits).ok());
        match data.opcode {
            Opcode::G_ASSERT_SEXT => bits.map(Promise::Signed),
            Opcode::G_ASSERT_ZEXT => bits.map(Promise::Unsigned),
            _ => None,
        }
    })
}

/// Constants that the function mentions, low 64 bits, each once.
fn constants(function: &Function) -> Vec<u64> {
    let data = function.all_insts().map(|inst| function.inst(inst));
    let mut constants: Vec<u64> = data
        .flat_map(|data| data.operands.iter())
        .filter_map(|operand| match *operand {
            Operand::Float(constant) => function.float_bits(constant).map(Bits::low_u64),
            _ => function.constant_value(operand).map(Bits::low_u64),
        })
        .collect();
    constants.sort_unstable();
    constants.dedup();
    constants
}

/// `whole` has the bits that a register holds.
fn input(arguments: &[Argument], whole: u64, constants: &[u64], index: u32, random: &mut SmallRng) -> Input {
    let mut input = Input { registers: Vec::with_capacity(arguments.len()), buffers: Vec::new() };
    for argument in arguments {
        let value = match argument.kind {
            Kind::Pointer(number) => {
                let address = buffer_address(number);
                input.buffers.push(Buffer { address, bytes: contents(index, random) });
                u128::from(address & whole)
            }
            Kind::Integer { bits, promise } => (integer(bits, promise, constants, index, random) & whole).into(),
            Kind::Mode(environment) => {
                (random.random_range(0..environment.modes.len()) as u128) << environment.mode_place
            }
            Kind::Flags(environment) => {
                let raised = |place: &u32| u128::from(random.random::<bool>()) << place;
                environment.flags.iter().map(raised).sum()
            }
            Kind::Float { format, boxed } => float(format, boxed, constants, index, random),
        };
        input.registers.push((argument.register, value));
    }
    input
}

/// A register's value for an argument of `bits` bits.
fn integer(bits: u32, promise: Option<Promise>, constants: &[u64], index: u32, random: &mut SmallRng) -> u64 {
    let width = match promise {
        Some(Promise::Signed(bits) | Promise::Unsigned(bits)) => bits.clamp(1, 64),
        None => bits,
    };
    let low = Bits::new(u128::from(value(width, constants, index, random)), width);
    let all = match promise {
        Some(Promise::Signed(_)) => low.sext_or_trunc(bits),
        Some(Promise::Unsigned(_)) | None => low.zext_or_trunc(bits),
    };
    match bits {
        64 => all.low_u64(),
        _ => all.low_u64() | random.next_u64() << bits,
    }
}

/// Sets the bits above each number of floating point that its register boxes, as every caller does (RISC-V ISA, "NaN
/// Boxing of Narrower Values"). True if some of them were clear.
pub fn box_numbers(function: &Function, target: &Target, input: &mut Input) -> bool {
    let mut changed = false;
    for argument in arguments(function, target) {
        let Kind::Float { format, boxed: true } = argument.kind else { continue };
        let above = u128::from(u64::MAX) >> format.bits() << format.bits();
        let own = input
            .registers
            .iter_mut()
            .filter(|(register, value)| *register == argument.register && *value & above != above);
        own.for_each(|(_, value)| (*value, changed) = (*value | above, true));
    }
    changed
}

/// Inputs on which each number is some corner, as an infinity times zero plus a NaN.
const MIXED_CORNERS: usize = 8;

/// A register's value for a number of floating point: each the same corner while corners last, any corners, then
/// integers, constants and their neighbours, and noise.
fn float(format: FloatFormat, boxed: bool, constants: &[u64], index: u32, random: &mut SmallRng) -> u128 {
    let (bits, fraction) = (format.bits(), format.fraction_bits());
    let low = u128::MAX >> (u128::BITS - bits);
    let (sign, infinity) = (1u128 << (bits - 1), ((1u128 << format.exponent_bits()) - 1) << fraction);
    let one = (format.bias() as u128) << fraction;
    let corners = [
        0,
        one,
        infinity | 1 << (fraction - 1),
        sign,
        infinity,
        one | sign,
        infinity - 1,
        1,
        infinity | sign,
        infinity | 1,
        1 << fraction,
        (1 << fraction) - 1,
    ];
    // An integer: its leading bit is the significand's.
    let integer = |integer: u64| match integer.checked_ilog2() {
        None => 0,
        Some(place) => {
            let below = u128::from(integer ^ 1 << place);
            let moved = if place <= fraction { below << (fraction - place) } else { below >> (place - fraction) };
            (format.bias() as u128 + u128::from(place)).wrapping_shl(fraction) | moved
        }
    };
    let noise = |random: &mut SmallRng| {
        let high = if bits > u64::BITS { random.next_u64() } else { 0 };
        u128::from(high) << u64::BITS | u128::from(random.next_u64())
    };
    let is_mixed = (index as usize) < corners.len() + MIXED_CORNERS;
    let value = match (corners.get(index as usize), if is_mixed { 0 } else { random.random_range(0..6) }) {
        (Some(&corner), _) => corner,
        (None, 0) => corners[random.random_range(0..corners.len())],
        (None, 1) if !constants.is_empty() => {
            let constant = constants[random.random_range(0..constants.len())];
            constant.wrapping_add(random.random_range(0..3)).wrapping_sub(1).into()
        }
        (None, 2 | 3) => integer(random.random_range(0..200)) | (sign * random.random_range(0..2)),
        // Near the limits of integers.
        (None, 4) => {
            let limit = 1u64.checked_shl(random.random_range(0..64)).unwrap_or(0);
            integer(limit) | (sign * random.random_range(0..2))
        }
        (None, _) => noise(random),
    };
    let above = !low & u128::from(u64::MAX);
    value & low | if boxed || bits >= 64 { above } else { u128::from(random.next_u64()) & above }
}

/// The interesting part: corners while they last, then a mix.
fn value(width: u32, constants: &[u64], index: u32, random: &mut SmallRng) -> u64 {
    let corners = [0, 1, u64::MAX, 1 << (width - 1), (1 << (width - 1)) - 1, 2, u64::MAX - 1];
    // The first inputs give every argument the same corner, where many rules break.
    if let Some(&corner) = corners.get(index as usize) {
        return corner;
    }
    match random.random_range(0..5) {
        0 => corners[random.random_range(0..corners.len())],
        1 if !constants.is_empty() => {
            let constant = constants[random.random_range(0..constants.len())];
            constant.wrapping_add(random.random_range(0..3)).wrapping_sub(1)
        }
        2 => random.random_range(0..64),
        3 => 1u64.checked_shl(random.random_range(0..width)).unwrap_or(0),
        _ => random.next_u64(),
    }
}

/// One buffer in so many has words of one size.
const OF_WORDS: u32 = 3;

/// Zeros, ones, text, small numbers, words as arguments have them, or noise.
fn contents(index: u32, random: &mut SmallRng) -> Vec<u8> {
    let mut bytes = vec![0u8; BUFFER_BYTES as usize];
    match index {
        0 => {}
        1 => bytes.fill(0xff),
        2 => bytes
            .iter_mut()
            .zip(b"the quick brown fox 0123456789 ".iter().cycle())
            .for_each(|(byte, &letter)| *byte = letter),
        3 => bytes.iter_mut().for_each(|byte| *byte = random.random_range(0..4)),
        _ if index.is_multiple_of(OF_WORDS) => {
            let size = 1usize << random.random_range(0..4);
            for word in bytes.chunks_exact_mut(size) {
                let value = value(u8::BITS * size as u32, &[], index, random);
                word.copy_from_slice(&value.to_le_bytes()[..size]);
            }
        }
        _ => random.fill_bytes(&mut bytes),
    }
    bytes
}

/// The registers that a run shows at its end: those in which the function returns, and those of the environment of
/// floating point, if it sees that.
pub fn shown(function: &Function, target: &Target) -> Vec<PReg> {
    results(function, target).into_iter().chain(function.environment_registers(target.vocabulary)).collect()
}

/// The registers in which a function returns: the implicit uses of its return instructions.
pub fn results(function: &Function, target: &Target) -> Vec<PReg> {
    let (mut results, mut tail_calls) = (Vec::new(), false);
    for &block in function.layout() {
        let Some(last) = function.last_inst(block) else { continue };
        let data = function.inst(last);
        tail_calls |= target.call_kind(data) == Some(CallKind::Tail);
        if data.opcode != Opcode::Target(target.abi.return_opcode) {
            continue;
        }
        for operand in data.uses() {
            if let Reg::Physical(register) = operand.reg
                && !operand.flags.contains(RegFlags::UNDEF)
                && !results.contains(&register)
            {
                results.push(register);
            }
        }
    }
    // A call in place of a return may return in any.
    let full = |register: PReg| target.vocabulary.full_register(register);
    for &register in if tail_calls { target.abi.results() } else { &[] } {
        if !results.iter().any(|&known| full(known) == register) {
            results.push(register);
        }
    }
    results
}
