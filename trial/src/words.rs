//! Words of every instruction as LLVM's assembler writes them, against the tables of the encoder; and the texts that it
//! read, against those that we write. Encoder and decoder read the same tables, so a wrong row agrees with itself, no
//! engine runs every extension, and none runs text.
//!
//! They are in `corpus/words`, one instance a line: the row's name, the word (`-` for a pseudo-instruction), the
//! operands (`@` and `&` before the text of a label or callee, and of a symbol), and the text after ` ; `. The test
//! `backend/target/tests/encodings.rs` compares them with `llvm-mc-22`, and writes them if `BLESS` is set.

use crate::finding::Finding;
use std::collections::{BTreeMap, BTreeSet};
use tribunal_ir::{Address, Block, InstData, Opcode, Operand, TargetOpcode};
use tribunal_target::{Features, Target};

/// The texts. Each names its target in its first line.
const TEXTS: [&str; 3] = [
    include_str!("../../corpus/words/riscv64.txt"),
    include_str!("../../corpus/words/riscv32.txt"),
    include_str!("../../corpus/words/aarch64.txt"),
];

/// The lines of a target.
fn lines(target: &Target) -> impl Iterator<Item = &'static str> {
    let names = |text: &&str| text.lines().next().and_then(|line| line.strip_prefix("# target: ")) == Some(target.name);
    TEXTS.into_iter().find(names).unwrap_or_default().lines().skip(1)
}

/// A row that writes something else than LLVM.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct WrongRow {
    pub opcode: TargetOpcode,
    /// The instance, its word and text, and what the row makes of it.
    pub details: String,
}

/// One wrong word of each row that has some. Rows that the target lacks have none.
pub(crate) fn wrong_words(target: &Target) -> Vec<WrongRow> {
    wrong_rows(target, wrong_word)
}

/// A finding for each row whose text is not the one that LLVM assembles to the row's word.
pub fn wrong_texts(target: &Target) -> Vec<Finding> {
    wrong_rows(target, wrong_text).into_iter().map(|wrong| Finding::emission(wrong.details)).collect()
}

/// A finding if the encoder does not write a compressed form that the decoder reads. The code is right without it, and
/// longer.
pub fn unwritten_forms(target: &Target) -> Vec<Finding> {
    let unwritten = unwritten(target, target.all_options() | target.default_features);
    let words = unwritten.iter().map(|(row, word)| format!("{word:#06x}, short for {row}, is not written"));
    let details = words.collect::<Vec<String>>().join("\n");
    (!unwritten.is_empty()).then(|| Finding::emission(details)).into_iter().collect()
}

/// Of each row the first word of 16 bits that is read as it, and that no instruction becomes on such a machine.
fn unwritten(target: &Target, features: Features) -> BTreeMap<&'static str, u16> {
    let mut unwritten = BTreeMap::new();
    for (word, inst) in (0..=u16::MAX).filter_map(|word| Some((word, target.expand(word)?))) {
        // Two forms may be short for one instruction.
        let again = target.compress(&inst, features).and_then(|written| target.expand(written));
        if let Opcode::Target(opcode) = inst.opcode
            && again != Some(inst)
        {
            unwritten.entry(target.instruction(opcode).name).or_insert(word);
        }
    }
    unwritten
}

/// The words of 16 bits that are short for instructions, by row: `riscv32 JAL`, how many, and a digest of the texts of
/// all. The test of this file compares them with the tables, and writes them if `BLESS` is set. The test
/// `backend/target/tests/encodings.rs` compares the tables with `llvm-mc-22`.
const FORMS: &str = include_str!("../../corpus/words/compressed.txt");

/// A finding if the decoder reads other compressed forms than those of the ledger. A form that neither decoder nor
/// encoder has shows in no program.
pub fn other_forms(target: &Target) -> Vec<Finding> {
    let (known, own) = (FORMS.lines().collect::<BTreeSet<&str>>(), forms(target));
    let is_own = |line: &&&str| line.split(' ').next() == Some(target.name);
    let missing = known.iter().filter(is_own).filter(|line| !own.iter().any(|own| own == *line));
    let others = own.iter().map(String::as_str).filter(|line| !known.contains(line));
    let lines: Vec<&str> = missing.copied().chain(others).collect();
    let details = || format!("compressed forms that differ from those of the ledger:\n{}", lines.join("\n"));
    (!lines.is_empty()).then(|| Finding::emission(details())).into_iter().collect()
}

/// The lines of the ledger for a target.
fn forms(target: &Target) -> Vec<String> {
    let mut forms: BTreeMap<&str, (u32, blake3::Hasher)> = BTreeMap::new();
    for (word, inst) in (0..=u16::MAX).filter_map(|word| Some((word, target.expand(word)?))) {
        let Opcode::Target(opcode) = inst.opcode else { continue };
        let (count, hasher) = forms.entry(target.instruction(opcode).name).or_default();
        *count += 1;
        let text = target.machine.assembly(&inst, &|_| String::new());
        hasher.update(format!("{word} {text}\n").as_bytes());
    }
    let line = |(row, (count, hasher)): (&str, (u32, blake3::Hasher))| {
        format!("{} {row} {count} {}", target.name, &hasher.finalize().to_hex()[..DIGITS])
    };
    forms.into_iter().map(line).collect()
}

/// Digits of a digest.
const DIGITS: usize = 12;

fn wrong_rows(target: &Target, wrong: impl Fn(&Target, &str) -> Option<WrongRow>) -> Vec<WrongRow> {
    let mut rows: Vec<WrongRow> = lines(target).filter_map(|line| wrong(target, line)).collect();
    rows.dedup_by_key(|wrong| wrong.opcode);
    rows
}

/// The row, the word, the operands and the text of a line; `None` for a row that the target lacks.
fn parts<'l>(target: &Target, line: &'l str) -> Option<(TargetOpcode, &'l str, Vec<&'l str>, &'l str)> {
    let (instance, text) = line.split_once(" ; ")?;
    let mut parts = instance.split(' ');
    let opcode = target.vocabulary.opcode(parts.next()?)?;
    Some((opcode, parts.next()?, parts.collect(), text))
}

/// An instance; `None` if an operand is of none of the target's registers.
fn instance(target: &Target, opcode: TargetOpcode, operands: &[&str]) -> Option<InstData> {
    let operand = |(place, text): (usize, &&str)| match text.split_at_checked(1) {
        Some(("$", register)) => target.vocabulary.register(register).map(Operand::used),
        Some(("@", _)) => Some(Operand::Block(Block::from_u32(place as u32))),
        Some(("&", _)) => Some(Operand::Address(Address::from_u32(place as u32))),
        _ => text.parse().ok().map(Operand::Imm),
    };
    let operands: Option<Vec<Operand>> = operands.iter().enumerate().map(operand).collect();
    Some(InstData::new(Opcode::Target(opcode), operands?))
}

/// `None` for a line whose word is the table's, and for one without.
fn wrong_word(target: &Target, line: &str) -> Option<WrongRow> {
    let (opcode, word, operands, _) = parts(target, line)?;
    if word == "-" {
        return None;
    }
    let ours = match instance(target, opcode, &operands).map(|inst| target.encode(&inst)) {
        Some(Ok(ours)) if format!("{ours:#010x}") == word => return None,
        Some(Ok(ours)) => format!("{ours:#010x}"),
        Some(Err(error)) => error.to_string(),
        None => "it has other registers".to_string(),
    };
    Some(WrongRow { opcode, details: format!("`{line}`: the table says {ours}") })
}

/// `None` for a line whose text is ours.
fn wrong_text(target: &Target, line: &str) -> Option<WrongRow> {
    let (opcode, _, operands, text) = parts(target, line)?;
    let symbol = |operand: &Operand| {
        let place = match operand {
            Operand::Block(place) => place.as_u32(),
            Operand::Address(place) => place.as_u32(),
            _ => u32::MAX,
        };
        operands.get(place as usize).map_or_else(String::new, |text| text[1..].to_string())
    };
    let ours = instance(target, opcode, &operands).map(|inst| target.machine.assembly(&inst, &symbol));
    let ours = ours.map(|ours| ours.escape_default().to_string());
    let details = || format!("`{line}`: our text is {ours:?}");
    (ours.as_deref() != Some(text)).then(|| WrongRow { opcode, details: details() })
}

/// The first of the wrong words whose row the code has an instruction of.
pub(crate) fn met<'w>(target: &Target, wrong: &'w [WrongRow], code: &[u8]) -> Option<&'w WrongRow> {
    // Most tables are right: nothing is decoded then.
    let words = code.windows(4).step_by(2).take_while(|_| !wrong.is_empty());
    let words = words.filter_map(|bytes| Some(u32::from_le_bytes(bytes.try_into().ok()?)));
    let mut opcodes = words.filter_map(|word| target.decode(word)).map(|inst| inst.opcode);
    opcodes.find_map(|met| wrong.iter().find(|wrong| met == Opcode::Target(wrong.opcode)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_target::aarch64::AARCH64;
    use tribunal_target::riscv::RISCV32;
    use tribunal_target::{ALL, Made};

    #[test]
    fn every_row_that_has_a_word_has_instances_and_agrees_with_them() {
        for &target in ALL {
            assert_eq!(wrong_words(target), [], "{}", target.name);
            assert_eq!(wrong_rows(target, wrong_text), [], "{}", target.name);
            let named = |row: &str| lines(target).any(|line| line.split(' ').next() == Some(row));
            for row in target.instructions.iter().filter(|row| row.code.is_some() && target.has(row)) {
                assert!(named(row.name), "{} of {}", row.name, target.name);
            }
        }
    }

    #[test]
    fn another_word_of_a_row_is_wrong_and_found_in_code_that_has_the_row() {
        let right = lines(&AARCH64).find(|line| line.starts_with("SWPLW ")).unwrap();
        let word = right.split(' ').nth(1).unwrap();
        let number = u32::from_str_radix(word.strip_prefix("0x").unwrap(), 16).unwrap();
        let wrong = wrong_word(&AARCH64, &right.replace(word, &format!("{:#010x}", number ^ 1 << 23))).unwrap();
        assert!(wrong.details.contains(word), "{}", wrong.details);
        let code = [0xd503_201f_u32.to_le_bytes(), number.to_le_bytes()].concat();
        assert_eq!(met(&AARCH64, std::slice::from_ref(&wrong), &code), Some(&wrong));
        assert_eq!(met(&AARCH64, std::slice::from_ref(&wrong), &code[..4]), None);
        let unreadable = right.replace(" $", " $no");
        assert!(wrong_word(&AARCH64, &unreadable).is_some_and(|wrong| wrong.details.contains("other registers")));
        let outside = "ADDWrr 0x0b000000 $sp $w0 $w0 ; add sp, w0, w0";
        assert!(wrong_word(&AARCH64, outside).is_some_and(|wrong| wrong.details.contains(outside)));
    }

    /// Every target writes what it reads, and a machine without compressed instructions none of it.
    #[test]
    fn a_form_that_is_not_written_is_a_finding() {
        for target in ALL {
            assert!(unwritten_forms(target).is_empty(), "{}: {:?}", target.name, unwritten_forms(target));
            let compresses = !target.compressed.is_empty();
            assert_eq!(unwritten(target, Features::empty()).contains_key("ADDI"), compresses, "{}", target.name);
        }
    }

    #[test]
    fn compressed_forms_are_those_of_the_ledger() {
        let head =
            "# Written by `BLESS=1 cargo test --package tribunal-trial`: target, row, words of 16 bits, digest of them";
        let lines: Vec<String> =
            [head.to_string()].into_iter().chain(ALL.iter().flat_map(|target| forms(target))).collect();
        if std::env::var_os("BLESS").is_some() {
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../corpus/words/compressed.txt");
            std::fs::write(path, lines.join("\n") + "\n").expect("the ledger is written");
            return;
        }
        for target in ALL {
            assert!(other_forms(target).is_empty(), "{:?}", other_forms(target));
        }
        assert_eq!(lines, FORMS.lines().collect::<Vec<&str>>());
    }

    /// A machine that reads no compressed instructions.
    static PLAIN: Target = Target { compressed: &[], made: Made::new(), ..RISCV32 };

    #[test]
    fn a_form_that_is_not_read_is_a_finding() {
        let findings = other_forms(&PLAIN);
        assert!(findings.iter().any(|finding| finding.details.contains("riscv32 JAL ")), "{findings:?}");
    }

    #[test]
    fn another_text_of_a_row_is_wrong() {
        for target in ALL {
            for line in lines(target) {
                assert_eq!(wrong_text(target, line), None);
                let other = format!("{line}, x9");
                assert!(wrong_text(target, &other).is_some_and(|wrong| wrong.details.contains(&other)), "{line}");
            }
        }
    }
}
