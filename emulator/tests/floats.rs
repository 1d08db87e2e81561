//! The meaning of each instruction of floating point beside Unicorn's: every row with a register of another bank than
//! that of integers, on pairs of corner values and on random ones, in each rounding mode of the environment. The flags
//! of exceptions are compared too.
//!
//! `TRIBUNAL_FLOAT_PAIRS` sets the number of operands of each row, over its rounding modes and immediates.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use tribunal_emulator::input::Input;
use tribunal_emulator::machine::Emulator;
use tribunal_ir::semantics::float::FLAG_BITS;
use tribunal_ir::semantics::{Choice, Concrete, Pure, Value};
use tribunal_ir::{
    Bits, FloatFormat, InstData, Opcode, OpcodeFlags, Operand, PReg, RegBank, RegClass, RegOperand, TargetOpcode,
};
use tribunal_target::instructions::{ImmRange, InstrDesc, OperandDesc};
use tribunal_target::{ALL, Features, Target, aarch64, evaluate_raising};

/// Every option that Unicorn runs.
fn features(target: &Target) -> Features {
    target.changed(target.default_features, "+d").unwrap_or(target.default_features)
}

fn is_float(target: &Target, class: RegClass) -> bool {
    target.class(class).bank != RegBank(0)
}

/// True for an instruction on registers alone, of which one is of another bank than that of integers.
fn is_tried(target: &Target, row: &InstrDesc) -> bool {
    let moves = OpcodeFlags::LOAD | OpcodeFlags::STORE | OpcodeFlags::TERMINATOR | OpcodeFlags::CALL;
    let classes = || row.operands.iter().filter_map(OperandDesc::class);
    row.code.is_some()
        && !row.flags.intersects(moves)
        && features(target).contains(row.requires)
        && classes().any(|class| is_float(target, class))
}

/// Registers of one class, each its own.
fn registers(target: &Target, class: RegClass) -> Vec<PReg> {
    let bank = target.class(class).bank;
    let passing = target.abi.passing.iter().find(|passing| passing.bank == bank).unwrap();
    let part = |&full: &PReg| target.part_of(full, target.class(class).bits);
    passing.arguments.iter().map(part).collect()
}

/// Instances of a row: one for each rounding mode, or each corner of another immediate.
fn instances(target: &Target, opcode: TargetOpcode, row: &InstrDesc) -> Vec<InstData> {
    let choices = |desc: &OperandDesc| match desc.range() {
        Some(ImmRange::RoundingMode) => vec![0, 1, 2, 3, 4, 7],
        Some(ImmRange::OneOf(values)) => values.to_vec(),
        Some(range) => (0..256).filter(|&value| range.accepts(value)).collect(),
        None => vec![0],
    };
    let longest = row.operands.iter().map(|desc| choices(desc).len()).max().unwrap_or(1);
    let instance = |choice: usize| {
        let mut inst = InstData::new(Opcode::Target(opcode), []);
        for (place, desc) in row.operands.iter().enumerate() {
            let operand = match (desc.class(), desc) {
                (Some(_), OperandDesc::Tied { to, .. }) => {
                    Operand::used(inst.operands[usize::from(*to)].as_reg().unwrap().reg)
                }
                // A definition is the register of no source, but that of the result of the return.
                (Some(class), desc) if desc.is_def() => Operand::def(registers(target, class)[0]),
                (Some(class), _) => Operand::used(registers(target, class)[place.max(1)]),
                (None, desc) => Operand::Imm(choices(desc)[choice % choices(desc).len()]),
            };
            inst.operands.push(operand);
        }
        inst.operands.extend(row.implicit_defs.iter().map(|&register| Operand::implicit_def(register)));
        inst.operands.extend(row.implicit_uses.iter().map(|&register| Operand::implicit_use(register)));
        inst
    };
    (0..longest).map(instance).filter(|inst| target.encode(inst).is_ok()).collect()
}

fn code(target: &Target, inst: &InstData) -> Vec<u8> {
    let leave = InstData::new(Opcode::Target(target.abi.return_opcode), []);
    let leave = target.machine.expand_pseudo(&leave).unwrap_or_else(|| [leave].into_iter().collect());
    [inst].into_iter().chain(&leave).flat_map(|inst| target.encode(inst).unwrap().to_le_bytes()).collect()
}

/// Pseudo-random numbers (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut value = self.0;
        value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        value ^ value >> 31
    }

    /// A corner of a format, a number near 1, or any bits.
    fn number(&mut self, bits: u32) -> u64 {
        let Some(format) = FloatFormat::of_width(bits) else { return self.next() };
        let (sign, fraction) = (1u64 << (bits - 1), format.fraction_bits());
        let infinity = ((1u64 << format.exponent_bits()) - 1) << fraction;
        let one = (format.bias() as u64) << fraction;
        let quiet = 1 << (fraction - 1);
        let corners = [
            0,
            1,
            one,
            one + 1,
            one - 1,
            infinity,
            infinity - 1,
            infinity | quiet,
            infinity | 1,
            1 << fraction,
            quiet,
            (1 << fraction) - 1,
            (1 << fraction) + 1,
        ];
        let value = match self.next() % 4 {
            0 => corners[self.next() as usize % corners.len()],
            1 => one.wrapping_add((self.next() % 130) << fraction).wrapping_add(self.next() % (1 << fraction)),
            2 => one.wrapping_sub((self.next() % 5) << fraction) ^ (self.next() % (1 << fraction)),
            _ => self.next(),
        };
        (if self.next().is_multiple_of(2) { value } else { value | sign }) & (u64::MAX >> (64 - bits))
    }
}

fn bits_of(target: &Target, operand: &RegOperand) -> u32 {
    target.vocabulary.register_bits(operand.reg.as_physical().unwrap())
}

impl Random {
    /// The contents of a register: a number, or two in one that is wide.
    fn contents(&mut self, target: &Target, register: PReg) -> u128 {
        match target.vocabulary.register_bits(register) {
            bits @ ..=64 => boxed(target, register, self.number(bits)).into(),
            _ => u128::from(self.number(64)) << 64 | u128::from(self.number(64)),
        }
    }
}

/// The value of a register whose low bits are a number: the rest holds what the machine keeps there.
fn boxed(target: &Target, register: PReg, value: u64) -> u64 {
    let rest = u64::MAX.checked_shl(target.vocabulary.register_bits(register)).unwrap_or(0);
    if target.vocabulary.is_boxed(register) { value | rest } else { value }
}

fn is_signaling(bits: u32, value: u64) -> bool {
    let format = FloatFormat::of_width(bits).unwrap();
    let fraction = value & ((1 << format.fraction_bits()) - 1);
    let exponent = value >> format.fraction_bits() & ((1 << format.exponent_bits()) - 1);
    exponent + 1 == 1 << format.exponent_bits() && fraction != 0 && fraction >> (format.fraction_bits() - 1) == 0
}

/// Unicorn's RISC-V is QEMU 5's: its extrema are those of IEEE 754-2008, to which a signalling NaN is a NaN.
fn is_known_to_differ(target: &Target, row: &InstrDesc, args: &[(u32, u128)]) -> bool {
    let is_extremum = row.name.starts_with("FMIN_") || row.name.starts_with("FMAX_");
    target.options.iter().any(|option| option.name == "f")
        && is_extremum
        && args.iter().any(|&(bits, value)| is_signaling(bits, value as u64))
}

/// The same Unicorn raises nothing for an infinity by zero plus a quiet NaN: `engines.rs` of the emulator has the
/// manual's words.
fn has_flags_known_to_differ(target: &Target, row: &InstrDesc, args: &[(u32, u128)]) -> bool {
    let is_fused = ["FMADD_", "FMSUB_", "FNMADD_", "FNMSUB_"].iter().any(|name| row.name.starts_with(name));
    let [(bits, a), (_, b), (_, c)] = args else { return false };
    let Some(format) = FloatFormat::of_width(*bits) else { return false };
    let magnitude = |value: &u128| *value as u64 & (u64::MAX >> (65 - bits));
    let infinity = ((1 << format.exponent_bits()) - 1) << format.fraction_bits();
    let is_other = |one, other| magnitude(one) == infinity && magnitude(other) == 0;
    target.options.iter().any(|option| option.name == "f")
        && is_fused
        && (is_other(a, b) || is_other(b, a))
        && magnitude(c) > infinity
}

/// Where the status register has the flags.
const NZCV_PLACE: u32 = 28;

/// The operands of each instance of a row that has so many.
fn operands_of_each(instances: usize) -> usize {
    let asked = std::env::var("TRIBUNAL_FLOAT_PAIRS").ok();
    let asked: Option<usize> = asked.map(|count| count.parse().expect("TRIBUNAL_FLOAT_PAIRS is a number"));
    asked.map_or(120, |count| count.div_ceil(instances))
}

#[test]
fn meanings_are_unicorns() {
    for &target in ALL {
        let mut machine = Emulator::new(target, features(target)).unwrap();
        let (mut random, mut rows, mut seen) = (Random(1), 0, 0);
        for (number, row) in (0..).zip(target.instructions).filter(|(_, row)| is_tried(target, row)) {
            rows += 1;
            let instances = instances(target, TargetOpcode(number), row);
            for inst in &instances {
                machine.load(&code(target, inst), &[]).unwrap();
                for _ in 0..operands_of_each(instances.len()) {
                    seen |= try_once(target, &mut machine, (row, inst), &mut random);
                }
            }
        }
        assert!(rows > 40, "{rows} rows of {}", target.name);
        assert_eq!(seen, 31, "flags raised on {}", target.name);
    }
}

/// The flags that were raised.
fn try_once(
    target: &'static Target,
    machine: &mut Emulator,
    (row, inst): (&InstrDesc, &InstData),
    random: &mut Random,
) -> u128 {
    let used: Vec<&RegOperand> = inst.uses().collect();
    let mut args: Vec<(u32, u128)> = Vec::new();
    let mut registers: Vec<(PReg, u128)> = Vec::new();
    for operand in &used {
        let register = operand.reg.as_physical().unwrap();
        let full = target.vocabulary.full_register(register);
        if target.vocabulary.is_zero_register(register) {
            args.push((bits_of(target, operand), 0));
            continue;
        }
        if register == aarch64::registers::NZCV {
            let flags = u128::from(random.next() % 16);
            registers.push((register, flags << NZCV_PLACE));
            args.push((4, flags));
            continue;
        }
        let known = registers.iter().find(|(known, _)| *known == full).map(|&(_, value)| value);
        let value = known.unwrap_or_else(|| random.contents(target, register));
        registers.push((full, value));
        args.push((bits_of(target, operand), value));
    }
    if is_known_to_differ(target, row, &args) {
        return 0;
    }
    let values: Vec<Value<Concrete>> =
        args.iter().map(|&(bits, value)| Value::new(Bits::new(value, bits), false)).collect();
    let mut domain = Concrete { choice: Choice::Zeros };
    let environment = target.abi.float_environment.as_ref().unwrap();
    let number = u128::from(random.next()) % environment.modes.len() as u128;
    registers.push((environment.control, number << environment.mode_place));
    registers.push((environment.status, 0));
    let control = Bits::new(number << environment.mode_place, 32);
    let mode = environment.mode(&mut domain, &control);
    let meant = evaluate_raising(target, &mut domain, &mut Pure, inst, &values, (None, Some(mode)));
    let (meant, raised) = meant.unwrap();
    let status = environment.raised(&mut domain, &Bits::zero(32), &raised.unwrap_or(Bits::zero(FLAG_BITS)));
    let defined: Vec<(PReg, u32)> =
        inst.defs().map(|operand| (operand.reg.as_physical().unwrap(), bits_of(target, operand))).collect();
    let full = defined.iter().map(|&(register, _)| target.vocabulary.full_register(register));
    let full: Vec<PReg> = full.chain([environment.status]).collect();
    let ran = machine.run(&Input { registers, buffers: Vec::new() }, &full, 100).unwrap();
    assert_eq!(ran.fault, None, "{} on {args:x?}", row.name);
    let came = ran.results.last().map(|&(_, came)| came);
    let is_same = came == Some(status.unsigned()) || has_flags_known_to_differ(target, row, &args);
    assert!(is_same, "{came:x?} for {status:?}: the flags of {} {:?} on {args:x?}, {mode:?}", row.name, inst.operands);
    for ((value, &(register, bits)), (_, came)) in meant.results.iter().zip(&defined).zip(&ran.results) {
        let came = if register == aarch64::registers::NZCV { came >> NZCV_PLACE } else { *came };
        let came = Bits::new(came, bits);
        let name = target.vocabulary.register_name(register);
        assert_eq!(value.bits, came, "${name} of {} {:?} on {args:x?}", row.name, inst.operands);
    }
    status.unsigned()
}
