//! Words of every instruction as LLVM's assembler writes them, against the tables of the encoder. Encoder and decoder
//! read the same tables, so a wrong row agrees with itself, and no engine runs every extension.
//!
//! The texts are in `corpus/words`, one instance a line: the row's name, the word, the operands. The test
//! `backend/target/tests/encodings.rs` compares them with `llvm-mc-22`, and writes them if `BLESS` is set.

use tribunal_ir::{InstData, Opcode, Operand, TargetOpcode};
use tribunal_target::Target;

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

/// A row that writes another word than LLVM.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct WrongWord {
    pub opcode: TargetOpcode,
    /// The instance, its word, and what the row makes of it.
    pub details: String,
}

/// One wrong word of each row that has some. Rows that the target lacks have none.
pub(crate) fn wrong_words(target: &Target) -> Vec<WrongWord> {
    let mut wrong: Vec<WrongWord> = lines(target).filter_map(|line| wrong_word(target, line)).collect();
    wrong.dedup_by_key(|wrong| wrong.opcode);
    wrong
}

/// `None` for a line that agrees with the table, and for a row that the target lacks.
fn wrong_word(target: &Target, line: &str) -> Option<WrongWord> {
    let mut parts = line.split_whitespace();
    let opcode = target.vocabulary.opcode(parts.next()?)?;
    let word = parts.next().and_then(|word| u32::from_str_radix(word.strip_prefix("0x")?, 16).ok());
    let operand = |text: &str| match text.strip_prefix('$') {
        Some(register) => target.vocabulary.register(register).map(Operand::used),
        None => text.parse().ok().map(Operand::Imm),
    };
    let operands: Option<Vec<Operand>> = parts.map(operand).collect();
    let ours = match operands.map(|operands| target.encode(&InstData::new(Opcode::Target(opcode), operands))) {
        Some(Ok(ours)) if Some(ours) == word => return None,
        Some(Ok(ours)) => format!("{ours:#010x}"),
        Some(Err(error)) => error.to_string(),
        None => "it has other registers".to_string(),
    };
    Some(WrongWord { opcode, details: format!("`{line}`: the table says {ours}") })
}

/// The first of the wrong words whose row the code has an instruction of.
pub(crate) fn met<'w>(target: &Target, wrong: &'w [WrongWord], code: &[u8]) -> Option<&'w WrongWord> {
    // Most tables are right: nothing is decoded then.
    let words = code.windows(4).step_by(2).take_while(|_| !wrong.is_empty());
    let words = words.filter_map(|bytes| Some(u32::from_le_bytes(bytes.try_into().ok()?)));
    let mut opcodes = words.filter_map(|word| target.decode(word)).map(|inst| inst.opcode);
    opcodes.find_map(|met| wrong.iter().find(|wrong| met == Opcode::Target(wrong.opcode)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_target::ALL;
    use tribunal_target::aarch64::AARCH64;

    #[test]
    fn every_row_that_has_a_word_has_instances_and_agrees_with_them() {
        for &target in ALL {
            assert_eq!(wrong_words(target), [], "{}", target.name);
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
        let outside = "ADDWrr 0x0b000000 $sp $w0 $w0";
        assert!(wrong_word(&AARCH64, outside).is_some_and(|wrong| wrong.details.contains(outside)));
    }
}
