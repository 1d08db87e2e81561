//! Encoded instructions, in two parts. Bytes are decoded and encoded again. Instructions with operands from bytes are
//! interpreted and run in the emulator: of every row that neither branches, calls nor touches memory. Features are the
//! target's own.

use super::Sink;
use crate::generator::machine;
use arbitrary::{Result, Unstructured};
use std::cell::RefCell;
use tribunal_codegen::emit;
use tribunal_emulator::input::Input;
use tribunal_emulator::interpreter::{Interpreter, KeptAccesses, Settings};
use tribunal_emulator::machine::Emulator;
use tribunal_emulator::observation::{Outcome, compare};
use tribunal_ir::{Function, InstData, Opcode, Operand, PReg, Reg, RegClass, RegFlags, RegOperand, SubReg};
use tribunal_target::Target;
use tribunal_target::abi::Passing;
use tribunal_target::instructions::{InstrDesc, OperandDesc};

/// Instructions of one run.
const LENGTH: u32 = 8;
const FUEL: u64 = 256;

/// A word that decodes encodes to itself; a few instructions of any rows do what their meaning says.
pub fn encode(bytes: &[u8], _sink: Sink<'_>) {
    thread_local! {
        static MACHINES: RefCell<Vec<(&'static Target, Emulator)>> = RefCell::new(
            tribunal_target::ALL
                .iter()
                .map(|&target| (target, Emulator::new(target, target.default_features).expect("the emulator starts")))
                .collect(),
        );
    }
    MACHINES.with_borrow_mut(|machines| {
        for (target, machine) in machines {
            words(target, bytes);
            // Bytes that run out give first options, so there is always a function.
            if let Ok(function) = straight(target, &mut Unstructured::new(bytes)) {
                run(target, machine, &function, bytes.len() as u64);
            }
        }
    });
}

fn words(target: &Target, bytes: &[u8]) {
    for bytes in bytes.chunks_exact(4) {
        let word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        if let Some(data) = target.decode(word) {
            let again = target.encode(&data).unwrap_or_else(|error| panic!("{word:#010x} is not encoded: {error}"));
            assert_eq!(again, word, "{word:#010x} decodes to what encodes to {again:#010x}");
        }
    }
}

/// A block of instructions that neither branch nor touch memory.
fn straight(target: &'static Target, u: &mut Unstructured<'_>) -> Result<Function> {
    let plain: Vec<(u16, &InstrDesc)> =
        (0u16..).zip(target.instructions).filter(|(_, row)| is_plain(target, row)).collect();
    let mut function = Function::new("straight");
    let entry = function.new_block();
    // Flags and the like, which nothing else writes.
    let mut written: Vec<PReg> = Vec::new();
    for _ in 0..u.int_in_range(1..=LENGTH)? {
        let &(number, row) = u.choose(&plain)?;
        if row.implicit_uses.iter().any(|register| !written.contains(register) && !target.zero.contains(register)) {
            continue;
        }
        let opcode = Opcode::Target(tribunal_ir::TargetOpcode(number));
        let mut operands = Vec::new();
        for desc in row.operands {
            operands.push(operand(target, *desc, &operands, u)?);
        }
        let implicit = |register: &PReg, flags| Operand::Reg(register_operand(*register, flags | RegFlags::IMPLICIT));
        operands.extend(row.implicit_defs.iter().map(|register| implicit(register, RegFlags::DEF)));
        operands.extend(row.implicit_uses.iter().map(|register| implicit(register, RegFlags::empty())));
        // Immediates have forms that only the encoder knows.
        let data = InstData::new(opcode, operands);
        if target.encode(&data).is_ok() {
            written.extend(row.implicit_defs);
            function.append(entry, data);
        }
    }
    let results = inputs(target).into_iter().map(Operand::implicit_use);
    function.append(entry, InstData::new(Opcode::Target(target.abi.return_opcode), results));
    Ok(function)
}

/// An artifact keeps what lies above the part of a register that it writes. Others clear it, and so do their meanings.
fn is_plain(target: &Target, row: &InstrDesc) -> bool {
    machine::is_plain(row) && target.default_features.contains(row.requires)
}

fn register_operand(register: PReg, flags: RegFlags) -> RegOperand {
    RegOperand { reg: Reg::Physical(register), flags, subregister: SubReg(0), tied_to: None }
}

fn operand(target: &Target, desc: OperandDesc, before: &[Operand], u: &mut Unstructured<'_>) -> Result<Operand> {
    Ok(match desc {
        OperandDesc::Def(class) | OperandDesc::EarlyDef(class) => {
            Operand::Reg(register_operand(register(target, class, u)?, RegFlags::DEF))
        }
        OperandDesc::Use(class) | OperandDesc::Base(class) | OperandDesc::Index(class) => {
            Operand::Reg(register_operand(register(target, class, u)?, RegFlags::empty()))
        }
        OperandDesc::Tied { to, class } => match before.get(usize::from(to)).and_then(Operand::as_reg) {
            Some(same) => Operand::Reg(RegOperand { flags: RegFlags::empty(), tied_to: Some(to), ..*same }),
            None => Operand::Reg(register_operand(register(target, class, u)?, RegFlags::empty())),
        },
        OperandDesc::Imm(range) | OperandDesc::Offset { range, .. } => Operand::Imm(machine::immediate(u, range)?),
        OperandDesc::Label { .. } | OperandDesc::Callee { .. } => Operand::Imm(0),
        OperandDesc::RegisterMask | OperandDesc::Symbol => Operand::Imm(0),
    })
}

/// An argument register of the class: those have values at the start, and are read at the end.
fn register(target: &Target, class: RegClass, u: &mut Unstructured<'_>) -> Result<PReg> {
    let bank = target.class(class).bank;
    let passing = target.abi.passing.iter().find(|passing| passing.bank == bank);
    let full = *u.choose(passing.map_or(&[][..], |passing| passing.arguments))?;
    Ok(target.part_of(full, target.class(class).bits))
}

/// The argument registers of every bank that has values with the target's own features.
fn inputs(target: &Target) -> Vec<PReg> {
    let present = |passing: &&Passing| target.default_features.contains(target.bank(passing.bank).requires);
    target.abi.passing.iter().filter(present).flat_map(|passing| passing.arguments).copied().collect()
}

fn run(target: &'static Target, machine: &mut Emulator, function: &Function, seed: u64) {
    let shown = || tribunal_ir::text::print_function(function, target.vocabulary);
    let code = emit::code(function, target, target.default_features)
        .unwrap_or_else(|error| panic!("not emitted: {error}\n{}", shown()));
    machine.load(&code.bytes, &[]).expect("a few words are loaded");
    let value = |index: u64| (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(7 * index as u32) ^ index;
    for round in 0..4 {
        let registers = inputs(target).into_iter().zip(0u64..).map(|(register, index)| {
            let bits = value(index + 8 * round);
            // Small numbers too, for shift amounts and divisors.
            (register, u128::from(if index % 3 == round % 3 { bits & 63 } else { bits }))
        });
        let input = Input { registers: registers.collect(), buffers: Vec::new() };
        let meant = Interpreter::new(function, target)
            .run(&input, Settings { fuel: FUEL, events: 0, accesses: KeptAccesses::Volatile });
        // An instruction without a meaning here, or without one on these numbers.
        let Ok(meant) = meant.map(|execution| execution.observation) else { continue };
        if meant.outcome != Outcome::Returned {
            continue;
        }
        let ran = machine.run(&input, &inputs(target), FUEL).expect("the emulator runs");
        if let Some(fault) = ran.fault {
            panic!("{fault} on {input:x?}\n{}", shown());
        }
        if let Err(mismatch) = compare(&meant, ran.results_of(&meant, target.vocabulary), &ran.buffers) {
            panic!("{mismatch} on {input:x?}\n{}", shown());
        }
    }
}
