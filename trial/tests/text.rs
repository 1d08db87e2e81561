//! MIR text on real files: printing is a fixed point, LLVM reads what we print, and no mutation makes the parser panic.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use std::path::{Path, PathBuf};
use std::process::Command;
use tribunal_ir::{Stage, text};

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("corpus/real");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "mir"));
    files.sort();
    assert_eq!(files.len(), 135);
    files
}

fn target_of(source: &str) -> &'static tribunal_target::Target {
    tribunal_target::by_name(&text::architecture(source).unwrap()).unwrap()
}

#[test]
fn printing_is_a_fixed_point_that_llvm_reads() {
    let folder = tempfile::tempdir().unwrap();
    for path in files() {
        let source = std::fs::read_to_string(&path).unwrap();
        let vocabulary = target_of(&source).vocabulary;
        let once = text::print_module(&text::parse_module(&source, vocabulary).unwrap().whole().unwrap(), vocabulary);
        let twice = text::print_module(&text::parse_module(&once, vocabulary).unwrap(), vocabulary);
        assert!(once == twice, "{} prints differently the second time", path.display());
        let printed = folder.path().join("printed.mir");
        std::fs::write(&printed, &once).unwrap();
        let output = Command::new("llc-22").args(["-run-pass=none", "-o", "-"]).arg(&printed).output();
        let output = output.expect("llc-22 is installed by `make test`");
        assert!(output.status.success(), "{}: {}", path.display(), String::from_utf8_lossy(&output.stderr));
    }
}

/// A stage that properties tell is not written; another one is, and survives reading; one that nobody knows sets its
/// function aside.
#[test]
fn a_stage_is_a_comment_where_properties_do_not_tell_it() {
    let vocabulary = tribunal_target::by_name("riscv64").unwrap().vocabulary;
    let source = |properties: &str| format!("---\nname: f\n{properties}body: |\n  bb.0:\n    PseudoRET\n...\n");
    let parse = |text: &str| text::parse_module(text, vocabulary).unwrap();
    let selected = "legalized: true\nregBankSelected: true\nselected: true\n";
    let allocated = format!("{selected}noPhis: true\nnoVRegs: true\n");
    let lowered = format!("{allocated}frameInfo:\n  isCalleeSavedInfoValid: true\n");
    for (properties, told) in [
        ("", Stage::Generic),
        ("noPhis: true\nnoVRegs: true\n", Stage::Generic),
        ("legalized: true\n", Stage::Legalized),
        ("legalized: true\nregBankSelected: true\n", Stage::BankSelected),
        ("selected: true\n", Stage::Selected),
        (&allocated, Stage::Allocated),
        (&lowered, Stage::FrameLowered),
    ] {
        let mut module = parse(&source(properties));
        assert_eq!(module.functions[0].stage, told, "{properties}");
        for stage in Stage::ALL {
            module.functions[0].stage = stage;
            let printed = text::print_module(&module, vocabulary);
            let is_told = Stage::of(module.functions[0].properties) == stage;
            assert_eq!(printed.contains(&format!("---\n# stage: {stage}\nname: ")), !is_told, "{printed}");
            let again = parse(&printed);
            // LLVM's frame information tells more than properties.
            let lowered = is_told && told == Stage::FrameLowered;
            assert_eq!(again.functions[0].stage, if lowered { told } else { stage }, "{printed}");
            assert_eq!(text::print_module(&again, vocabulary).contains("# stage"), !is_told || lowered);
        }
    }
    let unknown = parse("---\n# stage: settled\nname: f\nbody: |\n  bb.0:\n    PseudoRET\n...\n");
    assert_eq!(unknown.whole().unwrap_err().to_string(), "@f: 2:10: stage `settled`");
}

#[test]
fn mutated_files_end_in_a_module_or_an_error_with_a_place() {
    let files = files();
    let mut state = 0x1234_5678_9abc_def1u64;
    let mut random = |limit: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize % limit.max(1)
    };
    let mut refused = 0;
    for round in 0..4000 {
        let source = std::fs::read_to_string(&files[round % files.len()]).unwrap();
        // Head and one stretch of the middle: small files, so that thousands are quick.
        let start = source.find("\n---\nname").unwrap_or(0);
        let mut bytes = source.as_bytes()[start..(start + 6000).min(source.len())].to_vec();
        for _ in 0..=random(3) {
            let at = random(bytes.len());
            match random(5) {
                0 => bytes.truncate(at),
                1 => drop(bytes.drain(at..(at + random(40)).min(bytes.len()))),
                2 => bytes.get_mut(at).into_iter().for_each(|byte| *byte ^= 1 << random(7)),
                3 => bytes.insert(at.min(bytes.len()), b"%$:(),={}[]0-\n "[random(15)]),
                _ => {
                    let piece = bytes[at.min(bytes.len())..(at + random(200)).min(bytes.len())].to_vec();
                    bytes.extend(piece);
                }
            }
        }
        let mutated = String::from_utf8_lossy(&bytes).into_owned();
        if let Err(error) = text::parse_module(&mutated, target_of(&source).vocabulary) {
            refused += 1;
            assert!(error.line >= 1 && error.line <= mutated.lines().count().max(1) + 1, "{error} in round {round}");
            assert!(error.column >= 1 && error.length >= 1 && !error.message.is_empty());
        }
    }
    assert!(refused > 1000, "only {refused} were refused: are the mutations real?");
}

/// A file whose IR block is `ir`, from the second line on.
fn with_ir(ir: &str) -> String {
    let function = "name: f\nbody: |\n  bb.0:\n    PseudoRET\n...\n";
    format!("--- |\n{ir}\n...\n---\n{function}")
}

#[test]
fn the_ir_block_is_a_module_beside_its_text() {
    let ir = "  target triple=\"riscv64\" ; before: target triple = \"none\"\n  %T = type { i8, ptr }\n\
              \x20 @a = global %T { i8 1, ptr @f }\n  @b = global novelty 1\n  define void @f() { ret void }";
    let source = with_ir(ir);
    let module = text::parse_module(&source, target_of(&source).vocabulary).unwrap();
    let block = module.ir.as_ref().unwrap();
    assert_eq!(block.text(), ir);
    let read = block.module();
    assert_eq!((read.globals.len(), read.functions.len(), read.unread.len()), (1, 1, 1));
    assert_eq!(module.functions.len(), 1, "an unknown global refuses no function");
}

#[test]
fn an_error_in_the_ir_block_stands_at_its_place_in_the_file() {
    let source = with_ir("  @a = global i32 0\n  @b = global ptr @missing");
    let vocabulary = tribunal_target::by_name("riscv64").unwrap().vocabulary;
    let error = text::parse_module(&source, vocabulary).unwrap_err();
    assert_eq!((error.line, error.column, error.length), (3, 19, 8));
    assert_eq!(error.message, "`@missing` is not defined");
}
