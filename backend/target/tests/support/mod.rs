//! What every target's table tests share: generated operands, and an assembler that answers for thousands of instructions
//! at once. Nothing here knows an instruction by name.

// Each test binary uses its own part.
#![allow(dead_code)]

use std::io::Write;
use std::process::{Command, Stdio};
use tribunal_ir::{InstData, Opcode, Operand, PReg, TargetOpcode};
use tribunal_target::Target;
use tribunal_target::instructions::{ImmRange, InstrDesc, OperandDesc};

/// A fixed sequence of numbers (SplitMix64): a failing test fails again.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.next() as usize % from.len()]
    }
}

/// The least and the greatest value of a range; `None` for a list or a bitmask.
fn limits(range: ImmRange) -> Option<(i64, i64)> {
    match range {
        ImmRange::Signed(bits) => Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1)),
        ImmRange::Unsigned(bits) => Some((0, (1 << bits) - 1)),
        ImmRange::LogicalMask(_) | ImmRange::OneOf(_) => None,
    }
}

/// Limits, values around zero and powers of two, and some others that `step` divides.
fn between(least: i64, most: i64, step: i64, numbers: &mut Numbers) -> Vec<i64> {
    let mut values = vec![least, least + step, most - most.rem_euclid(step), 0, -step, step, 2 * step];
    values.extend((0..63).map(|bit| 1i64 << bit).take_while(|&value| value <= most));
    values.extend((0..8).map(|_| least + (numbers.next() % (most - least) as u64) as i64));
    values.retain(|value| (least..=most).contains(value) && value % step == 0);
    values.sort_unstable();
    values.dedup();
    values
}

/// Which bitmask encodings are reserved is the target's to say.
pub type IsMask = fn(i64, u32) -> bool;

/// Every register of a class, every bitmask, the edges of other immediates.
pub fn candidates(target: &Target, desc: &OperandDesc, is_mask: IsMask, numbers: &mut Numbers) -> Vec<Operand> {
    let registers = |class, make: fn(PReg) -> Operand| target.class(class).members.iter().map(|&register| make(register)).collect();
    let immediates = |values: Vec<i64>| values.into_iter().map(Operand::Imm).collect();
    match *desc {
        OperandDesc::Def(class) => registers(class, Operand::def),
        OperandDesc::Use(class) | OperandDesc::Base(class) | OperandDesc::Tied { class, .. } => registers(class, Operand::used),
        OperandDesc::Imm(ImmRange::OneOf(values)) => immediates(values.to_vec()),
        OperandDesc::Imm(range @ ImmRange::LogicalMask(bits)) => {
            immediates((0..1 << 13).filter(|&value| range.accepts(value) && is_mask(value, bits.into())).collect())
        }
        OperandDesc::Imm(range) => {
            let (least, most) = limits(range).unwrap_or_default();
            immediates(between(least, most, 1, numbers))
        }
        OperandDesc::Label { bits, scale } => {
            immediates(between(-(1 << (bits - 1)), (1 << (bits - 1)) - 1, scale.into(), numbers))
        }
    }
}

/// Operands that must be refused where `desc` stands.
fn refused(target: &Target, desc: &OperandDesc, is_mask: IsMask) -> Vec<Operand> {
    let mut wrong = match *desc {
        OperandDesc::Imm(range @ ImmRange::LogicalMask(bits)) => {
            let reserved = (-1..=1 << 13).filter(|&value| !range.accepts(value) || !is_mask(value, bits.into()));
            reserved.map(Operand::Imm).collect()
        }
        OperandDesc::Imm(ImmRange::OneOf(values)) => {
            (-1..66).filter(|value| !values.contains(value)).map(Operand::Imm).collect()
        }
        OperandDesc::Imm(range) => {
            let (least, most) = limits(range).unwrap_or_default();
            vec![Operand::Imm(least - 1), Operand::Imm(most + 1), Operand::Imm(i64::MIN), Operand::Imm(i64::MAX)]
        }
        OperandDesc::Label { bits, scale } => {
            let half = 1 << (bits - 1);
            vec![Operand::Imm(half), Operand::Imm(-half - i64::from(scale)), Operand::Imm(1)]
        }
        OperandDesc::Def(class) | OperandDesc::Use(class) | OperandDesc::Base(class) | OperandDesc::Tied { class, .. } => {
            let outside = (0..target.registers.len() as u16).map(PReg);
            let outside = outside.filter(|register| !target.class(class).members.contains(register));
            return outside.map(|register| Operand::reg(register, tribunal_ir::RegFlags::empty())).chain([Operand::Imm(0)]).collect();
        }
    };
    wrong.push(Operand::used(PReg(0)));
    wrong
}

fn instruction(number: usize, operands: &[Operand]) -> InstData {
    InstData::new(Opcode::Target(TargetOpcode(number as u16)), operands.iter().cloned())
}

/// An operand list of the row, the one at `fixed` given.
fn operands(choices: &[Vec<Operand>], row: &InstrDesc, fixed: Option<(usize, &Operand)>, numbers: &mut Numbers) -> Vec<Operand> {
    let mut list: Vec<Operand> = choices.iter().map(|all| all[numbers.next() as usize % all.len()].clone()).collect();
    if let Some((index, operand)) = fixed {
        list[index] = operand.clone();
    }
    for (index, desc) in row.operands.iter().enumerate() {
        let OperandDesc::Tied { to, .. } = *desc else { continue };
        let (to, shared) = (usize::from(to), if fixed.is_some_and(|(at, _)| at == index) { index } else { usize::from(to) });
        let Some(register) = list[shared].as_reg().map(|operand| operand.reg) else { continue };
        list[to] = Operand::reg(register, tribunal_ir::RegFlags::DEF);
        list[index] = Operand::reg(register, tribunal_ir::RegFlags::empty());
    }
    list
}

/// Every candidate in every place of every row, the other places picked; and some lists picked in all places.
pub fn instructions(target: &Target, is_mask: IsMask) -> Vec<InstData> {
    let (mut numbers, mut all) = (Numbers(1), Vec::new());
    for (number, row) in target.instructions.iter().enumerate() {
        let choices: Vec<Vec<Operand>> =
            row.operands.iter().map(|desc| candidates(target, desc, is_mask, &mut numbers)).collect();
        for (index, candidates) in choices.iter().enumerate() {
            for candidate in candidates {
                all.push(instruction(number, &operands(&choices, row, Some((index, candidate)), &mut numbers)));
            }
        }
        for _ in 0..32 {
            all.push(instruction(number, &operands(&choices, row, None, &mut numbers)));
        }
    }
    all
}

/// Instructions with one operand that does not belong there, and that place.
pub fn malformed(target: &Target, is_mask: IsMask) -> Vec<(InstData, usize)> {
    let (mut numbers, mut all) = (Numbers(2), Vec::new());
    for (number, row) in target.instructions.iter().enumerate() {
        let choices: Vec<Vec<Operand>> =
            row.operands.iter().map(|desc| candidates(target, desc, is_mask, &mut numbers)).collect();
        for (index, desc) in row.operands.iter().enumerate() {
            for wrong in refused(target, desc, is_mask) {
                let mut list = operands(&choices, row, None, &mut numbers);
                list[index] = wrong;
                all.push((instruction(number, &list), index));
            }
            let mut short = operands(&choices, row, None, &mut numbers);
            short.truncate(index);
            all.push((instruction(number, &short), index));
        }
    }
    all
}

/// The instruction words of assembly text, one for each line, by `llvm-mc-22`.
pub fn assembled(triple: &str, attributes: &str, lines: &[String]) -> Vec<u32> {
    let arguments = ["--assemble", "--show-encoding", "--triple", triple, "--mattr", attributes];
    let mut assembler = Command::new("llvm-mc-22")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("llvm-mc-22 judges the encodings: install llvm-22");
    let (mut input, text) = (assembler.stdin.take().expect("piped"), lines.join("\n") + "\n");
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = assembler.wait_with_output().expect("llvm-mc-22 ends");
    writer.join().expect("the writer does not panic").expect("llvm-mc-22 reads all");
    assert!(output.status.success(), "llvm-mc-22 refuses some line (see above)");
    let printed = String::from_utf8(output.stdout).expect("text");
    let words = printed.lines().filter_map(|line| line.split_once("encoding: [")).map(|(_, bytes)| {
        let bytes = bytes.trim_end().trim_end_matches(']').split(',').rev();
        bytes.fold(0, |word, byte| word << 8 | u32::from_str_radix(byte.trim_start_matches("0x"), 16).expect("a byte"))
    });
    words.collect()
}

/// Every row, every operand: our word is the assembler's.
pub fn encodings_are_llvms(target: &'static Target, attributes: &str, is_mask: IsMask) {
    let no_label = |_| "unresolved".to_string();
    let instructions: Vec<InstData> = instructions(target, is_mask)
        .into_iter()
        .map(|inst| target.machine.expand_pseudo(&inst).unwrap_or(inst))
        .collect();
    let lines: Vec<String> = instructions.iter().map(|inst| target.machine.assembly(inst, &no_label)).collect();
    let words = assembled(target.triple, attributes, &lines);
    assert_eq!(words.len(), lines.len(), "an instruction is one line and one word");
    let mut different = Vec::new();
    for ((inst, line), word) in instructions.iter().zip(&lines).zip(words) {
        match (target.encode)(inst) {
            Ok(ours) if ours == word => {}
            Ok(ours) => different.push(format!("{line}: ours {ours:08x}, llvm-mc {word:08x}")),
            Err(error) => different.push(format!("{line}: {error}")),
        }
    }
    assert!(different.is_empty(), "{} of {}: {:#?}", different.len(), lines.len(), &different[..different.len().min(20)]);
}

/// Wrong operands are errors, neither words nor panics.
pub fn wrong_operands_are_refused(target: &'static Target, is_mask: IsMask) {
    let mut accepted = Vec::new();
    for (inst, index) in malformed(target, is_mask) {
        if let Ok(word) = (target.encode)(&inst) {
            accepted.push(format!("{}: operand {index} is wrong, yet {word:08x}", target.machine.assembly(&inst, &|_| String::new())));
        }
    }
    assert!(accepted.is_empty(), "{}: {:#?}", accepted.len(), &accepted[..accepted.len().min(20)]);
}
