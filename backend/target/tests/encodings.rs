//! Every instruction that the encoders write, over generated operands, against `llvm-mc-22`: the text that we print
//! must be assembled to the word that we encode. One process for thousands of instructions; a missing tool fails the
//! test.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use std::io::Write;
use std::process::{Command, Stdio};
use tribunal_ir::{InstData, Opcode, Operand, TargetOpcode};
use tribunal_target::instructions::{ImmRange, InstrDesc, OperandDesc};
use tribunal_target::{Features, Target};

/// Operand sets tried for each row.
const TRIES: usize = 48;

/// Pseudo-random numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit
    }
}

/// An operand that the row accepts: members of the class, limits of the range first.
fn operand(target: &Target, row: &InstrDesc, index: usize, attempt: usize, random: &mut Random) -> Operand {
    let pick =
        |random: &mut Random, count: usize| if attempt < 2 { attempt * (count - 1) } else { random.below(count) };
    match row.operands[index] {
        OperandDesc::Imm(ImmRange::OneOf(values)) => Operand::Imm(values[pick(random, values.len())]),
        OperandDesc::Imm(ImmRange::Signed(bits)) => Operand::Imm(pick(random, 1 << bits) as i64 - (1 << (bits - 1))),
        OperandDesc::Imm(ImmRange::Unsigned(bits)) => Operand::Imm(pick(random, 1 << bits) as i64),
        OperandDesc::Imm(ImmRange::LogicalMask(bits)) => Operand::Imm(mask(u32::from(bits), random)),
        OperandDesc::Label { bits, scale } => {
            let steps = pick(random, (1usize << bits) / usize::from(scale)) as i64;
            Operand::Imm(steps * i64::from(scale) - (1i64 << (bits - 1)))
        }
        OperandDesc::Callee => Operand::Imm(4 * (pick(random, 1 << 26) as i64 - (1 << 25))),
        OperandDesc::RegisterMask => Operand::Imm(0),
        desc => {
            let class = target.class(desc.class().expect("what is left are registers"));
            let member = class.members[pick(random, class.members.len())];
            if desc.is_def() { Operand::def(member) } else { Operand::used(member) }
        }
    }
}

/// A bitmask encoding that the assembler would choose too.
fn mask(width: u32, random: &mut Random) -> i64 {
    use tribunal_target::aarch64::encoding::{decode_bitmask, encode_bitmask};
    loop {
        let value = decode_bitmask(random.below(1 << 13) as i64, width);
        if let Some(encoded) = value.and_then(|value| encode_bitmask(value, width)) {
            return encoded;
        }
    }
}

fn instances(target: &Target) -> Vec<(InstData, String)> {
    let mut random = Random(0x1234_5678_9abc_def1);
    let mut all = Vec::new();
    for (number, row) in (0..).zip(target.instructions) {
        for attempt in 0..TRIES {
            let mut operands: Vec<Operand> =
                (0..row.operands.len()).map(|index| operand(target, row, index, attempt, &mut random)).collect();
            for index in 0..operands.len() {
                if let OperandDesc::Tied { to, .. } = row.operands[index]
                    && let Some(tied) = operands[usize::from(to)].as_reg()
                {
                    operands[index] = Operand::used(tied.reg);
                }
            }
            let inst = InstData::new(Opcode::Target(TargetOpcode(number)), operands);
            if (target.encode)(&inst).is_ok() {
                let text = target.machine.assembly(&inst, &|_| unreachable!("labels and callees are distances here"));
                all.push((inst, text));
            }
        }
    }
    all
}

fn assembled(target: &Target, flags: &[&str], text: &str) -> Vec<u32> {
    let mut child = Command::new("llvm-mc-22")
        .args([&format!("--triple={}", target.triple), "--show-encoding"])
        .args(flags)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("llvm-mc-22 is installed by `make test`");
    let mut input = child.stdin.take().unwrap();
    let text = text.to_string();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}", errors.lines().take(12).collect::<Vec<_>>().join("\n"));
    let text = String::from_utf8(output.stdout).unwrap();
    let words = text.lines().filter_map(|line| line.split_once("encoding: [")?.1.split_once(']'));
    words.map(|(bytes, _)| bytes.split(',').rev().fold(0, |word, byte| word << 8 | hexadecimal(byte))).collect()
}

fn hexadecimal(byte: &str) -> u32 {
    u32::from_str_radix(byte.trim().trim_start_matches("0x"), 16).unwrap_or_else(|_| panic!("`{byte}` in an encoding"))
}

fn compare(target: &Target, flags: &[&str]) {
    let instances = instances(target);
    let text: String = instances.iter().map(|(_, text)| format!("{text}\n")).collect();
    let words = assembled(target, flags, &text);
    assert_eq!(words.len(), instances.len(), "llvm-mc skipped a line");
    let mut rows = std::collections::BTreeSet::new();
    for ((inst, text), word) in instances.iter().zip(words) {
        let ours = (target.encode)(inst).unwrap();
        assert_eq!(ours, word, "`{text}`: {ours:#010x}, llvm-mc says {word:#010x}");
        rows.insert(inst.opcode);
    }
    if let Some(decode) = target.decode {
        for (inst, text) in &instances {
            let word = (target.encode)(inst).unwrap();
            assert_eq!(decode(word).as_ref(), Some(inst), "`{text}` is decoded as something else");
        }
    }
    let has = |row: &&InstrDesc| target.default_features.contains(row.requires & Features::BASE);
    let encodable = target.instructions.iter().filter(has).filter(|row| !is_pseudo(row)).count();
    assert_eq!(rows.len(), encodable, "a row has no instance");
}

fn is_pseudo(row: &InstrDesc) -> bool {
    row.name.starts_with("Pseudo") || row.size == 0
}

#[test]
fn riscv64_words_are_llvms() {
    compare(tribunal_target::by_name("riscv64").unwrap(), &["--mattr=+m,+zba,+zbb,+zbs,+zicond,-c,-relax"]);
}

#[test]
fn riscv32_words_are_llvms() {
    compare(tribunal_target::by_name("riscv32").unwrap(), &["--mattr=+m,+zba,+zbb,+zbs,+zicond,-c,-relax"]);
}

#[test]
fn aarch64_words_are_llvms() {
    compare(tribunal_target::by_name("aarch64").unwrap(), &[]);
}
