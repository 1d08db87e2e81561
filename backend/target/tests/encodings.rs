//! Every instruction that the encoders write, over generated operands, against `llvm-mc-22`: it must assemble our text
//! to our word. One process assembles all instructions of a target; a missing tool fails the test. Each word must
//! decode to its instruction.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, Output, Stdio};
use tribunal_ir::{Address, Block, InstData, Opcode, Operand, TargetOpcode};
use tribunal_target::Target;
use tribunal_target::compressed::Direction;
use tribunal_target::instructions::{ImmRange, InstrDesc, OperandDesc};

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
    let desc = row.operands[index];
    match desc {
        OperandDesc::Imm(range) | OperandDesc::Offset { range, .. } => Operand::Imm(match target.range(row, range) {
            ImmRange::OneOf(values) => values[pick(random, values.len())],
            ImmRange::Signed(64) | ImmRange::Unsigned(64) => (pick(random, 1 << 53) as i64) << 7,
            ImmRange::Signed(bits) => pick(random, 1 << bits) as i64 - (1 << (bits - 1)),
            ImmRange::Unsigned(bits) => pick(random, 1 << bits) as i64,
            ImmRange::LogicalMask(bits) => mask(u32::from(bits), random),
            ImmRange::ShiftedBy { width, kinds } => {
                (pick(random, kinds.into()) << 6 | pick(random, width.into())) as i64
            }
            ImmRange::Extension => (pick(random, 8) << 3 | pick(random, 5)) as i64,
            ImmRange::ExtensionOfWord => (pick(random, 2) << 5 | pick(random, 3) << 3 | pick(random, 5)) as i64,
            ImmRange::RoundingMode => [0, 7, 1, 2, 3, 4][pick(random, 6)],
            ImmRange::Amount => unreachable!("the target says how many bits an amount has"),
        }),
        OperandDesc::Label { bits, scale } | OperandDesc::Callee { bits, scale } => {
            let steps = pick(random, (1usize << bits) / usize::from(scale)) as i64;
            Operand::Imm(steps * i64::from(scale) - (1i64 << (bits - 1)))
        }
        OperandDesc::RegisterMask | OperandDesc::Symbol => Operand::Imm(0),
        OperandDesc::Def(class)
        | OperandDesc::EarlyDef(class)
        | OperandDesc::Use(class)
        | OperandDesc::Base(class)
        | OperandDesc::Index(class)
        | OperandDesc::Tied { class, .. } => {
            let members = target.class(class).members;
            let member = members[pick(random, members.len())];
            if desc.is_def() { Operand::def(member) } else { Operand::used(member) }
        }
    }
}

/// A bitmask encoding that the assembler would choose too.
fn mask(width: u32, random: &mut Random) -> i64 {
    use tribunal_target::aarch64::bitmask::{decode_bitmask, encode_bitmask};
    loop {
        let value = decode_bitmask(random.below(1 << 13) as i64, width);
        if let Some(encoded) = value.and_then(|value| encode_bitmask(value, width)) {
            return encoded;
        }
    }
}

/// True if a register that is written early is that of another operand than its own: an assembler may refuse that.
fn overwrites_source(target: &Target, row: &InstrDesc, inst: &InstData) -> bool {
    let full = |index: usize| Some(target.vocabulary.full_register(inst.operands[index].as_reg()?.reg.as_physical()?));
    let count = row.operands.len();
    let mut early = (0..count).filter(|&index| matches!(row.operands[index], OperandDesc::EarlyDef(_)));
    let is_own = |index: usize, other: usize| other == index || row.operands[other].tied_to() == Some(index);
    early.any(|index| {
        (0..count).any(|other| !is_own(index, other) && full(other).is_some() && full(other) == full(index))
    })
}

/// Instances of every row, each with its text.
fn instances(target: &Target) -> Vec<(InstData, String)> {
    let mut random = Random(0x1234_5678_9abc_def1);
    let mut all = Vec::new();
    for (number, row) in (0..).zip(target.instructions).filter(|(_, row)| row.code.is_some()) {
        for attempt in 0..TRIES {
            let mut operands: Vec<Operand> =
                (0..row.operands.len()).map(|index| operand(target, row, index, attempt, &mut random)).collect();
            for index in 0..operands.len() {
                if let Some(to) = row.operands[index].tied_to() {
                    operands[index] = Operand::used(operands[to].as_reg().unwrap().reg);
                }
            }
            operands.extend(row.implicit_defs.iter().copied().map(Operand::implicit_def));
            operands.extend(row.implicit_uses.iter().copied().map(Operand::implicit_use));
            let inst = InstData::new(Opcode::Target(TargetOpcode(number)), operands);
            if target.encode(&inst).is_ok() && !overwrites_source(target, row, &inst) {
                let text = target.machine.assembly(&inst, &|_| unreachable!("labels and callees are distances here"));
                all.push((inst, text));
            }
        }
    }
    all
}

fn llvm_mc(target: &Target, flags: &[&str], text: &str) -> Output {
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
    output
}

fn assembled(target: &Target, flags: &[&str], text: &str) -> Vec<u32> {
    let output = llvm_mc(target, flags, text);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}", errors.lines().take(12).collect::<Vec<_>>().join("\n"));
    encodings(output)
}

/// The words that it shows.
fn encodings(output: Output) -> Vec<u32> {
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
    for ((inst, text), &word) in instances.iter().zip(&words) {
        let ours = target.encode(inst).unwrap();
        assert_eq!(ours, word, "`{text}`: {ours:#010x}, llvm-mc says {word:#010x}");
    }
    kept(target, &instances, &words, flags);
    let rows: BTreeSet<Opcode> = instances.iter().map(|(inst, _)| inst.opcode).collect();
    let encodable = target.instructions.iter().filter(|row| target.has(row) && row.code.is_some()).count();
    assert_eq!(rows.len(), encodable, "a row has no instance");
}

/// Instances of each row that are kept for those who judge without LLVM, and one more for each value of an operand that
/// has few.
const KEPT: usize = 3;

/// An operand of the instance has few values, and this one was not seen: its text may be a name of its own, as that of
/// a condition.
fn has_new_name(target: &Target, row: &InstrDesc, inst: &InstData, seen: &mut BTreeSet<(usize, i64)>) -> bool {
    let is_named = |desc: &OperandDesc| match *desc {
        OperandDesc::Imm(range) => match target.range(row, range) {
            ImmRange::Unsigned(bits) => bits <= 4,
            ImmRange::OneOf(_) | ImmRange::Extension | ImmRange::ExtensionOfWord | ImmRange::RoundingMode => true,
            _ => false,
        },
        _ => false,
    };
    let named = row.operands.iter().zip(&inst.operands).enumerate().filter(|(_, (desc, _))| is_named(desc));
    let new = named.filter(|(index, (_, operand))| seen.insert((*index, operand.as_imm().unwrap())));
    new.count() > 0
}

/// A pseudo-instruction that nobody assembles: marks around calls, those that the frame pass replaces, and LLVM's
/// choice from a table.
const UNWRITTEN: [&str; 5] =
    ["ADJCALLSTACKDOWN", "ADJCALLSTACKUP", "BuildPairF64Pseudo", "SplitF64Pseudo", "JumpTableDest32"];

/// The symbol of an instruction's text. LLVM takes some with their part of the address alone.
fn symbol(row: &InstrDesc, index: usize) -> &'static str {
    match (row.name, index) {
        ("PseudoAddTPRel", _) => "%tprel_add(symbol)",
        ("MOVaddr" | "MOVaddrJT" | "MOVaddrCP" | "MOVaddrBA", 2) => ":lo12:symbol",
        ("LOADgot", _) => ":got:symbol",
        _ => "symbol",
    }
}

/// Instances of the rows without a word, each with its text. A block stands for labels and
/// callees, an address for symbols: that of their place.
fn pseudo_instances(target: &Target) -> Vec<(InstData, String)> {
    let mut random = Random(0x0123_4567_89ab_cdef);
    let mut all = Vec::new();
    let rows = (0..).zip(target.instructions).filter(|(_, row)| row.code.is_none() && target.has(row));
    for (number, row) in rows.filter(|(_, row)| !UNWRITTEN.contains(&row.name)) {
        for attempt in 0..KEPT {
            let mut operands: Vec<Operand> = (0..row.operands.len())
                .map(|index| match row.operands[index] {
                    OperandDesc::Symbol => Operand::Address(Address::from_u32(index as u32)),
                    desc if desc.is_place() => Operand::Block(Block::from_u32(index as u32)),
                    _ if row.name == "PseudoAddTPRel" && index == 2 => {
                        Operand::used(target.abi.thread_pointer.register().unwrap())
                    }
                    // No two are one register, and none is zero.
                    desc => match desc.class() {
                        Some(class) => {
                            let registers = target.class(class).allocatable;
                            let register = registers[(index + 7 * attempt) % registers.len()];
                            if desc.is_def() { Operand::def(register) } else { Operand::used(register) }
                        }
                        None => operand(target, row, index, attempt, &mut random),
                    },
                })
                .collect();
            for index in 0..operands.len() {
                if let Some(to) = row.operands[index].tied_to() {
                    operands[index] = Operand::used(operands[to].as_reg().unwrap().reg);
                }
            }
            let inst = InstData::new(Opcode::Target(TargetOpcode(number)), operands);
            let name = |operand: &Operand| match operand {
                Operand::Block(place) => symbol(row, place.as_u32() as usize).to_string(),
                Operand::Address(place) => symbol(row, place.as_u32() as usize).to_string(),
                operand => unreachable!("{operand:?} has no name"),
            };
            let text = target.machine.assembly(&inst, &name);
            all.push((inst, text));
        }
    }
    all
}

/// An operand as `corpus/words` has it.
fn shown(target: &Target, row: &InstrDesc, operand: &Operand) -> String {
    match operand {
        Operand::Reg(register) => {
            format!("${}", target.vocabulary.register_name(register.reg.as_physical().unwrap()))
        }
        Operand::Block(place) => format!("@{}", symbol(row, place.as_u32() as usize)),
        Operand::Address(place) => format!("&{}", symbol(row, place.as_u32() as usize)),
        operand => operand.as_imm().unwrap().to_string(),
    }
}

/// The first words of each row stand in `corpus/words`, with their operands and their texts, which LLVM assembles.
fn kept(target: &Target, instances: &[(InstData, String)], words: &[u32], flags: &[&str]) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/words");
    let path = path.join(target.name).with_extension("txt");
    let mut lines = format!("# target: {}\n", target.name);
    let words = words.iter().map(|word| format!("{word:#010x}"));
    let written: Vec<(&(InstData, String), String)> = instances.iter().zip(words).collect();
    let pseudo = pseudo_instances(target);
    let text: String = pseudo.iter().map(|(_, text)| format!("{text}\n")).collect();
    let output = llvm_mc(target, flags, &text);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let unwritten: Vec<(&(InstData, String), String)> =
        pseudo.iter().map(|instance| (instance, "-".to_string())).collect();
    for of_row in [written, unwritten].concat().chunk_by(|one, other| one.0.0.opcode == other.0.0.opcode) {
        let mut seen = BTreeSet::new();
        for (place, ((inst, text), word)) in of_row.iter().enumerate() {
            let Opcode::Target(opcode) = inst.opcode else { unreachable!("rows are machine instructions") };
            let row = target.instruction(opcode);
            if !has_new_name(target, row, inst, &mut seen) && place >= KEPT {
                continue;
            }
            lines += &format!("{} {word}", row.name);
            for operand in &inst.operands[..row.operands.len()] {
                lines += &format!(" {}", shown(target, row, operand));
            }
            lines += &format!(" ; {}\n", text.escape_default());
        }
    }
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &lines).unwrap();
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(known == lines, "{} has other words than LLVM: run with BLESS=1", path.display());
}

/// Every word decodes to the instruction that was encoded. The rows named have words of rows above them.
fn decoded(target: &Target, aliases: &[&str]) {
    let mut found = BTreeSet::new();
    for (inst, text) in instances(target) {
        let word = target.encode(&inst).unwrap();
        let again = target.decode(word).unwrap_or_else(|| panic!("`{text}` is not decoded"));
        if again != inst {
            assert_eq!(target.encode(&again), Ok(word), "`{text}` is decoded as something else");
            let row = |inst: &InstData| match inst.opcode {
                Opcode::Target(opcode) => (opcode.0, target.instruction(opcode).name),
                _ => unreachable!("only machine instructions are decoded"),
            };
            assert!(row(&again).0 < row(&inst).0, "`{text}` is decoded as another instance of its row: {again:?}");
            found.insert(row(&inst).1);
        }
    }
    assert_eq!(found, aliases.iter().copied().collect());
}

/// The instruction that a word decodes to encodes to that word: nothing of it is lost.
#[test]
fn words_that_are_decoded_are_encoded() {
    let mut random = Random(0x0dd_ba11);
    for &target in tribunal_target::ALL {
        let all: Vec<u32> = instances(target).iter().map(|(inst, _)| target.encode(inst).unwrap()).collect();
        let mut known = 0;
        for _ in 0..200_000 {
            // Few random words are instructions; words near an instruction more often are.
            let near = all[random.below(all.len())];
            let word = near ^ 1 << random.below(32) ^ 1 << random.below(32);
            if let Some(inst) = target.decode(word) {
                assert_eq!(target.encode(&inst), Ok(word), "{word:#010x} of {} is {inst:?}", target.name);
                known += 1;
            }
        }
        assert!(known > 50_000, "{known} words of {}", target.name);
    }
}

#[test]
fn riscv64_words_are_llvms() {
    compare(
        tribunal_target::by_name("riscv64").unwrap(),
        &["--mattr=+m,+a,+f,+d,+zba,+zbb,+zbs,+zicond,+zfhmin,+zfh,+zfa,-c,-relax"],
    );
}

#[test]
fn riscv32_words_are_llvms() {
    compare(
        tribunal_target::by_name("riscv32").unwrap(),
        &["--mattr=+m,+a,+f,+d,+zba,+zbb,+zbs,+zicond,+zfhmin,+zfh,+zfa,-c,-relax"],
    );
}

#[test]
fn aarch64_words_are_llvms() {
    compare(tribunal_target::by_name("aarch64").unwrap(), &["--mattr=+lse,+fullfp16"]);
}

#[test]
fn decoding_undoes_encoding() {
    decoded(tribunal_target::by_name("riscv64").unwrap(), &[]);
    decoded(tribunal_target::by_name("riscv32").unwrap(), &[]);
    // `mov` of a 32-bit register, the return to the link register, and shifts by nothing.
    let aarch64 = tribunal_target::by_name("aarch64").unwrap();
    let is_shifted = |desc: &OperandDesc| matches!(desc, OperandDesc::Imm(ImmRange::ShiftedBy { .. }));
    let shifted = aarch64.instructions.iter().filter(|row| row.operands.iter().any(is_shifted)).map(|row| row.name);
    let aliases: Vec<&str> = ["RET_ReallyLR", "SUBREG_TO_REG", "FMOVS0", "FMOVD0"].into_iter().chain(shifted).collect();
    decoded(aarch64, &aliases);
}

/// Every instance of a compressed form, what it would be with its sources exchanged, and instances of every row, on a
/// machine that has the forms.
fn compressible(target: &Target) -> Vec<(InstData, String)> {
    let text = |inst: &InstData| target.machine.assembly(inst, &|_| unreachable!("labels are distances here"));
    let expanded = (0..=u16::MAX).filter_map(|word| target.expand(word));
    let mut all: Vec<InstData> = expanded.collect();
    let exchanged = all.iter().filter(|inst| inst.operands.get(2).is_some_and(|operand| operand.as_reg().is_some()));
    let exchanged: Vec<InstData> = exchanged
        .map(|inst| {
            let mut inst = inst.clone();
            inst.operands.swap(1, 2);
            inst
        })
        .filter(|inst| target.encode(inst).is_ok())
        .collect();
    all.extend(exchanged);
    let mut all: Vec<_> = all.into_iter().map(|inst| (text(&inst), inst)).map(|(text, inst)| (inst, text)).collect();
    all.extend(instances(target));
    all
}

/// LLVM's assembler compresses what we compress, to the same bits, and nothing else; each form expands to its
/// instruction.
fn compressed(name: &str) {
    let target = tribunal_target::by_name(name).unwrap();
    let features = target.base() | target.all_options();
    let instances = compressible(target);
    let text: String = instances.iter().map(|(_, text)| format!("{text}\n")).collect();
    let words = assembled(target, &["--mattr=+m,+a,+f,+d,+zba,+zbb,+zbs,+zicond,+zfhmin,+zfh,+zfa,+c,-relax"], &text);
    assert_eq!(words.len(), instances.len(), "llvm-mc skipped a line");
    let mut forms = BTreeSet::new();
    for ((inst, text), word) in instances.iter().zip(words) {
        let form = target.form(inst, features);
        let ours = form.map_or_else(|| target.encode(inst).unwrap(), |(_, half)| half.into());
        assert_eq!(ours, word, "`{text}`: {ours:#010x}, llvm-mc says {word:#010x}");
        if let Some((form, half)) = form {
            let expanded = target.expand(half).unwrap_or_else(|| panic!("{half:#06x} of `{text}` is not expanded"));
            assert_eq!(target.compress(&expanded, features), Some(half), "`{text}` is {expanded:?}");
            forms.insert((form.name, form.direction == Direction::Both));
        }
        assert_eq!(target.compress(inst, features - tribunal_target::riscv::features::C), None);
    }
    let all = target.compressed.iter().filter(|form| features.contains(form.requires));
    assert_eq!(forms, all.map(|form| (form.name, form.direction == Direction::Both)).collect());
}

#[test]
fn compressed_words_are_llvms() {
    compressed("riscv64");
    compressed("riscv32");
}

/// Every word of 16 bits that LLVM disassembles is a form, unless it is a hint: an instruction without an effect.
fn disassembled(name: &str, expected: usize) {
    let target = tribunal_target::by_name(name).unwrap();
    let input: String = (0..=u16::MAX).map(|word| format!("[{:#x} {:#x}]\n", word & 0xff, word >> 8)).collect();
    // It complains of each word that is no instruction.
    let words = encodings(llvm_mc(target, &["--disassemble", "--mattr=+m,+f,+d,+c"], &input));
    let known = words.iter().filter(|&&word| target.expand(word as u16).is_some()).count();
    let is_hint = |word: u32| {
        let (quadrant, function, destination) = (word & 3, word >> 13, word >> 7 & 31);
        let is_zero_amount = word & 0x107c == 0;
        match (quadrant, function) {
            (1, 0) => destination == 0 || is_zero_amount,
            (1, 2 | 3) | (2, 0) => destination == 0 || is_zero_amount,
            (1, 4) => word >> 11 & 1 == 0 && is_zero_amount,
            (2, 4) => destination == 0,
            _ => false,
        }
    };
    let missing: Vec<String> = words
        .iter()
        .filter(|&&word| target.expand(word as u16).is_none() && !is_hint(word))
        .map(|word| format!("{word:#06x}"))
        .collect();
    assert!(
        missing.is_empty(),
        "{name} has no form for {} words: {:?}",
        missing.len(),
        &missing[..missing.len().min(9)]
    );
    assert_eq!(known, expected, "words of {name}");
}

#[test]
fn llvms_compressed_words_are_forms() {
    disassembled("riscv64", 46_350);
    disassembled("riscv32", 44_846);
}
