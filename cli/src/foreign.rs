//! Files that are not MIR: LLVM IR, bitcode and C, with the commands that compile them to MIR.
//!
//! Invariant: a file with a YAML document is never foreign. The commands are those of `corpus/real/regenerate`, as far
//! as a reader of one file needs them; a test runs the printed commands.

use std::fmt;
use std::path::{Path, PathBuf};
use tribunal_target::Target;

/// The language of a file that is not MIR.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Language {
    Ir,
    Bitcode,
    C,
    Cxx,
}

/// A file that is not MIR.
#[derive(Debug)]
pub struct Foreign {
    path: PathBuf,
    language: Language,
    /// The target named by `--target`, or else by the file.
    target: Option<&'static str>,
    /// An architecture that the file names and that is no target here.
    other: Option<String>,
}

impl Foreign {
    /// `None` for a file that may be MIR.
    pub fn of(path: &Path, bytes: &[u8], named: Option<&'static Target>) -> Option<Foreign> {
        let language = language(path, bytes)?;
        let is_ir = language == Language::Ir;
        let triple = is_ir.then(|| tribunal_llvm::target_triple(&String::from_utf8_lossy(bytes))).flatten();
        let said = triple.and_then(|triple| Some(triple.split('-').next()?.to_string()));
        let own = said.as_deref().and_then(tribunal_target::by_name);
        let other = said.filter(|_| own.is_none());
        Some(Foreign { path: path.to_path_buf(), language, target: named.or(own).map(|target| target.name), other })
    }

    /// The commands that compile it to MIR, in order.
    fn commands(&self) -> Vec<String> {
        let target = self.target.unwrap_or("riscv64");
        let (file, mir) = (quoted(&self.path), quoted(&self.path.with_extension("mir")));
        // Bitcode names its own target.
        let triple = match (self.language, self.target) {
            (Language::Bitcode, None) => String::new(),
            _ => format!("-mtriple={target} "),
        };
        let llc = |input: &str| {
            format!("llc-22 {triple}-global-isel -stop-after=irtranslator -simplify-mir {input} -o {mir}")
        };
        let both = |program: &str, source: &Path| {
            let flags = "-ffreestanding -fno-jump-tables -O1 -S -emit-llvm";
            let (source, ir) = (quoted(source), quoted(&source.with_extension("ll")));
            vec![format!("{program} --target={target}-linux-gnu {flags} {source} -o {ir}"), llc(&ir)]
        };
        match (self.language, &self.other) {
            (Language::Ir, Some(_)) => both("clang-22", Path::new("SOURCE.c")),
            (Language::Ir | Language::Bitcode, _) => vec![llc(&file)],
            (Language::C, _) => both("clang-22", &self.path),
            (Language::Cxx, _) => both("clang++-22", &self.path),
        }
    }
}

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let language = match self.language {
            Language::Ir => "LLVM IR",
            Language::Bitcode => "LLVM bitcode",
            Language::C => "C",
            Language::Cxx => "C++",
        };
        write!(f, "{}: this is {language}, not MIR", self.path.display())?;
        match &self.other {
            Some(other) => write!(f, ", and for `{other}`, which is no target here; start from its source:")?,
            None => write!(f, "; to make MIR of it:")?,
        }
        self.commands().iter().try_for_each(|command| write!(f, "\n    {command}"))
    }
}

/// By content where that is plain, else by the file's extension.
fn language(path: &Path, bytes: &[u8]) -> Option<Language> {
    if bytes.starts_with(b"BC\xc0\xde") || bytes.starts_with(b"\xde\xc0\x17\x0b") {
        return Some(Language::Bitcode);
    }
    let text = std::str::from_utf8(bytes).ok().filter(|text| !text.trim().is_empty())?;
    let any = |starts: &[&str]| text.lines().any(|line| starts.iter().any(|start| line.starts_with(start)));
    if any(&["---"]) {
        return None;
    }
    let extension = path.extension().and_then(|extension| extension.to_str());
    match extension {
        Some("ll") => Some(Language::Ir),
        Some("c" | "h") => Some(Language::C),
        Some("cc" | "cpp" | "cxx" | "C") => Some(Language::Cxx),
        _ if any(&["define ", "declare ", "target triple", "target datalayout", "; ModuleID"]) => Some(Language::Ir),
        _ if any(&["#include", "#define", "#pragma"]) => Some(Language::C),
        _ => None,
    }
}

/// The path quoted for a shell.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,=:@%".contains(c);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text,
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}
