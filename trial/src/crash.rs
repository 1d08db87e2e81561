//! Crash files: MIR text with a crash header in its comments. Every verb reads them, and so does `llc-22`.

use crate::finding::{Finding, Judge};
use crate::kind::FindingKind;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use tribunal_codegen::{Allocator, BankSelectMode, Options};
use tribunal_emulator::input::{Buffer, Input};
use tribunal_ir::{Function, IrBlock, Module, text};
use tribunal_target::{Features, Target};

/// The crash header, as far as a run needs it.
#[derive(Clone, Debug, Default)]
pub struct CrashHeader {
    /// The features that it was compiled for; `None` if the file does not say.
    pub features: Option<Features>,
    /// The allocator that placed it; `None` if the file does not say.
    pub allocator: Option<Allocator>,
    /// The mode that selected its register banks; `None` if the file does not say.
    pub bank_select: Option<BankSelectMode>,
    /// The input that shows the finding, if one does.
    pub input: Option<Input>,
    /// The name of the fault that was planted.
    pub sabotage: Option<String>,
    /// The judge that found it, if the file names a known one.
    pub judge: Option<Judge>,
    /// The kind of the finding, if the file names a known one.
    pub kind: Option<FindingKind>,
    /// The rule or pass to blame, if the file names one.
    pub guilty: Option<String>,
    /// The command of the other compiler that it is about, if it is about one.
    pub backend: Option<String>,
    /// That compiler's level of effort: `-O2`.
    pub level: Option<String>,
}

impl CrashHeader {
    /// The options with the allocator and the bank selection of the file.
    pub fn placed(&self, options: Options) -> Options {
        let allocator = self.allocator.unwrap_or(options.allocator);
        Options { allocator, bank_select: self.bank_select.unwrap_or(options.bank_select), ..options }
    }

    /// True if the finding is the file's, as far as the file says which that is.
    pub fn describes(&self, finding: &Finding) -> bool {
        self.judge.is_none_or(|judge| judge == finding.judge)
            && self.kind.is_none_or(|kind| kind == finding.kind)
            && self.guilty.as_ref().is_none_or(|guilty| *guilty == finding.guilty)
    }
}

/// The reason why a crash header is malformed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("head comment `{line}`: {reason}")]
pub struct CrashHeaderError {
    /// The head comment.
    pub line: String,
    /// Its fault.
    pub reason: &'static str,
}

/// The file of a finding: one for each signature.
pub fn path(folder: &Path, finding: &Finding) -> PathBuf {
    folder.join(file_name(finding))
}

/// The name of that file.
pub fn file_name(finding: &Finding) -> String {
    let Finding { judge, kind, guilty, .. } = finding;
    let name: String = format!("{judge}-{kind}-{guilty}")
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '.' })
        .take(120)
        .collect();
    format!("{name}.mir")
}

/// The text of a crash file of functions, and of their module if they have one; if a planted fault is named, of its
/// finding.
pub fn print_sabotaged(
    target: &Target,
    options: Options,
    ir: Option<IrBlock>,
    functions: &[&Function],
    finding: &Finding,
    sabotage: Option<&str>,
) -> String {
    let mut comments = vec![
        "tribunal crash file; run it again with: tribunal replay FILE".to_string(),
        format!("target: {}", target.name),
        format!("features: {}", target.option_names(options.features)),
        format!("allocator: {}", options.allocator.name()),
        format!("bank-select: {}", options.bank_select.name()),
    ];
    comments.extend(sabotage.map(|fault| format!("sabotage: {fault}")));
    comments.extend([
        format!("judge: {}", finding.judge),
        format!("kind: {}", finding.kind),
        format!("guilty: {}", finding.guilty),
        format!("signature: {}", finding.signature()),
    ]);
    if let Some(input) = &finding.input {
        comments.extend(input_lines(input, target));
    }
    comments.extend(finding.details.lines().map(|line| format!("  {line}")));
    let functions = functions.iter().copied().cloned().collect();
    let module = Module { comments, ir, functions, ..Module::default() };
    text::print_module(&module, target.vocabulary)
}

/// The header lines of an input.
pub fn input_lines(input: &Input, target: &Target) -> Vec<String> {
    let register =
        |&(register, value): &(_, u128)| format!("input: ${} = {value:#x}", target.vocabulary.register_name(register));
    let buffer = |buffer: &Buffer| {
        let bytes = buffer.bytes.iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        });
        format!("input: [{:#x}] = {bytes}", buffer.address)
    };
    input.registers.iter().map(register).chain(input.buffers.iter().map(buffer)).collect()
}

/// Reads the comments of a module. Lines that are no part of the crash header are prose.
pub fn header(module: &Module, target: &Target) -> Result<CrashHeader, CrashHeaderError> {
    let mut header = CrashHeader::default();
    for line in &module.comments {
        let Some((key, value)) = line.trim().split_once(':').map(|(key, value)| (key, value.trim())) else { continue };
        let bad = |reason| CrashHeaderError { line: line.trim().to_string(), reason };
        match key {
            "features" => header.features = Some(target.features(value).map_err(|_| bad("unknown feature"))?),
            "allocator" => {
                let allocator = Allocator::named(value);
                header.allocator = Some(allocator.ok_or_else(|| bad("the allocator is `ion` or `fastalloc`"))?);
            }
            "bank-select" => {
                let mode = BankSelectMode::named(value);
                header.bank_select =
                    Some(mode.ok_or_else(|| bad("the bank selection is `fast`, `greedy` or `global`"))?);
            }
            "judge" => header.judge = Judge::named(value),
            "kind" => header.kind = FindingKind::named(value),
            "guilty" => header.guilty = Some(value.to_string()),
            "backend" => header.backend = Some(value.to_string()),
            "level" => header.level = Some(value.to_string()),
            "sabotage" => header.sabotage = Some(value.to_string()),
            "input" => add_input(header.input.get_or_insert_default(), value, target).map_err(bad)?,
            _ => {}
        }
    }
    Ok(header)
}

/// A finding if a crash file of some options is read as one of others: who runs it again would see nothing.
pub fn misread_options(target: &'static Target) -> Option<Finding> {
    let single = target.options.iter().filter_map(|option| target.features(&format!("+{}", option.name)).ok());
    let features = single.chain([target.base(), target.default_features]);
    let ways = Allocator::ALL.into_iter().flat_map(|one| BankSelectMode::ALL.map(|other| (one, other)));
    let mut function = Function::new("f");
    function.new_block();
    let mut all = features.flat_map(|features| {
        ways.clone().map(move |(allocator, bank_select)| Options { features, allocator, bank_select })
    });
    all.find_map(|options| {
        let (guilty, details) = ("crash files".to_string(), format!("{options:?} are read as others"));
        let finding = Finding { judge: Judge::Text, kind: FindingKind::Text, guilty, details, input: None };
        let text = print_sabotaged(target, options, None, &[&function], &finding, None);
        let module = text::parse_module(&text, target.vocabulary);
        let read = module.ok().and_then(|module| header(&module, target).ok());
        let is_read = read.is_some_and(|read| {
            let features = read.features.unwrap_or(target.default_features);
            read.describes(&finding) && read.placed(Options::new(features)) == options
        });
        (!is_read).then_some(finding)
    })
}

/// `$x10 = 0x5` or `[0x10000000] = 00ff...`, with nothing after the sign for a buffer without bytes.
fn add_input(input: &mut Input, text: &str, target: &Target) -> Result<(), &'static str> {
    let (place, value) = text.split_once('=').ok_or("expected `place = value`")?;
    let (place, value) = (place.trim(), value.trim());
    if let Some(name) = place.strip_prefix('$') {
        let register = target.vocabulary.register(name).ok_or("unknown register")?;
        let value = value.strip_prefix("0x").and_then(|digits| u128::from_str_radix(digits, 16).ok());
        input.registers.push((register, value.ok_or("expected a hexadecimal number")?));
        return Ok(());
    }
    let address = place.strip_prefix('[').and_then(|place| place.strip_suffix(']')).and_then(hexadecimal);
    let address = address.ok_or("expected `$register` or `[address]`")?;
    if !value.len().is_multiple_of(2) || !value.is_ascii() {
        return Err("expected two hexadecimal digits a byte");
    }
    let digits = |index| u8::from_str_radix(&value[index..index + 2], 16).ok();
    let bytes: Option<Vec<u8>> = (0..value.len()).step_by(2).map(digits).collect();
    input.buffers.push(Buffer { address, bytes: bytes.ok_or("expected hexadecimal bytes")? });
    Ok(())
}

fn hexadecimal(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_target::riscv::features;

    #[test]
    fn options_are_read_back() {
        for target in tribunal_target::ALL {
            let misread = misread_options(target);
            assert!(misread.is_none(), "{misread:?}");
        }
    }

    /// `features:` with nothing after it is the empty set, not the target's usual one.
    #[test]
    fn no_features_are_said_too() {
        let target = &tribunal_target::riscv::RISCV64;
        let said = |line: &str| header(&Module { comments: vec![line.to_string()], ..Module::default() }, target);
        let base = Some(features::RV64);
        assert_eq!(said("features: ").unwrap().features, base);
        assert_eq!(said("features: +m").unwrap().features, base.map(|base| base | features::M));
        assert_eq!(said("no header").unwrap().features, None);
        assert!(said("features: +q").is_err());
    }

    /// The reducer leaves buffers without bytes.
    #[test]
    fn an_input_is_read_back() {
        let target = &tribunal_target::riscv::RISCV64;
        let options = Options::new(features::RV64);
        let buffer = |index: u64, bytes: &[u8]| Buffer { address: 0x1000_0400 + index * 0x1000, bytes: bytes.to_vec() };
        let registers = vec![(tribunal_target::riscv::registers::x(10), 0x1000_0400)];
        let input = Input { registers, buffers: vec![buffer(0, &[]), buffer(1, &[0, 0xff])] };
        let kind = FindingKind::all().next().unwrap();
        let (guilty, details, input) = (String::from("emit"), String::new(), Some(input));
        let finding = Finding { judge: Judge::Emulator, kind, guilty, details, input };
        let mut function = Function::new("f");
        function.new_block();
        let text = print_sabotaged(target, options, None, &[&function], &finding, None);
        let read = header(&text::parse_module(&text, target.vocabulary).unwrap(), target).unwrap();
        assert_eq!(read.input, finding.input, "{text}");
    }

    /// A crash file names its finding, and a kind that nobody knows is prose.
    #[test]
    fn the_finding_of_a_crash_file_is_read_back() {
        let target = &tribunal_target::riscv::RISCV64;
        let options = Options { bank_select: BankSelectMode::Greedy, ..Options::new(features::RV64) };
        for kind in FindingKind::all() {
            let guilty = "riscv64 G_ADD#5 max_scalar: by bits".to_string();
            let finding = Finding { judge: Judge::Emulator, kind, guilty, details: String::new(), input: None };
            let mut function = Function::new("f");
            function.new_block();
            let text = print_sabotaged(target, options, None, &[&function], &finding, None);
            let read = header(&text::parse_module(&text, target.vocabulary).unwrap(), target).unwrap();
            assert_eq!((read.judge, read.kind), (Some(Judge::Emulator), Some(kind)), "{text}");
            assert_eq!((read.allocator, read.bank_select), (Some(Allocator::Ion), Some(options.bank_select)), "{text}");
            assert!(read.describes(&finding) && !read.describes(&Finding { judge: Judge::Prover, ..finding }));
        }
        let prose = Module { comments: vec!["kind: of blue".to_string()], ..Module::default() };
        assert_eq!(header(&prose, target).unwrap().kind, None);
    }
}
