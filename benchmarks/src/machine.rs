//! The machine and the peers that figures depend on, for the head of the page.

use crate::measure::Place;

/// Each with its title: the machine, and the versions of everything that a figure depends on.
pub fn facts(place: &Place) -> Vec<(&'static str, String)> {
    let cores = std::thread::available_parallelism().map_or("unknown".to_string(), |cores| cores.to_string());
    let mut facts = vec![("processor", processor()), ("cores", cores), ("memory", memory())];
    let tools = [
        ("rustc", "rustc --version"),
        ("llc-22", "llc-22 --version"),
        ("clang-22", "clang-22 --version"),
        // The command leaves a file in the current folder.
        ("csmith", "cd target && csmith --version"),
        ("qemu-riscv64", "qemu-riscv64 --version"),
    ];
    facts.extend(tools.map(|(name, command)| (name, version(place.answer(command)))));
    facts.push(("z3, as linked", version(Some(z3::full_version().to_string()))));
    let lock = std::fs::read_to_string(place.root.join("Cargo.lock")).unwrap_or_default();
    let crates = [("unicorn-engine (crate)", "unicorn-engine"), ("regalloc2 (crate)", "regalloc2")];
    facts.extend(crates.map(|(title, name)| (title, locked(&lock, name).unwrap_or("unknown").to_string())));
    facts
}

/// The version in a tool's output: the first word that begins with a digit.
fn version(said: Option<String>) -> String {
    let Some(said) = said else { return "not installed".to_string() };
    let number = said.split_whitespace().find(|word| word.starts_with(|first: char| first.is_ascii_digit()));
    number.unwrap_or("unknown").to_string()
}

/// The version of a crate in Cargo.lock.
fn locked<'l>(lock: &'l str, name: &str) -> Option<&'l str> {
    let entry =
        lock.split("[[package]]").find(|entry| entry.lines().any(|line| line == format!("name = \"{name}\"")))?;
    entry.lines().find_map(|line| line.strip_prefix("version = \"")?.strip_suffix('"'))
}

/// The value after `key:` in a file of `/proc`.
fn proc(file: &str, key: &str) -> Option<String> {
    let text = std::fs::read_to_string(format!("/proc/{file}")).ok()?;
    let line = text.lines().find(|line| line.starts_with(key))?;
    Some(line.split_once(':')?.1.trim().to_string())
}

fn processor() -> String {
    proc("cpuinfo", "model name").unwrap_or_else(|| "unknown".to_string())
}

fn memory() -> String {
    let kibibytes = proc("meminfo", "MemTotal").and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    kibibytes.map_or("unknown".to_string(), |kibibytes| format!("{:.1} GiB", kibibytes / f64::from(1 << 20)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_where_they_stand() {
        let said = |text: &str| version(Some(text.to_string()));
        assert_eq!(said("rustc 1.95.0 (59807616e 2026-04-14)"), "1.95.0");
        assert_eq!(said("Debian LLVM version 22.1.8\n  Optimized build."), "22.1.8");
        assert_eq!(said("no number"), "unknown");
        assert_eq!(version(None), "not installed");
        let lock =
            "[[package]]\nname = \"a\"\nversion = \"1.2.3\"\n\n[[package]]\nname = \"ab\"\nversion = \"4.5.6\"\n";
        assert_eq!((locked(lock, "ab"), locked(lock, "b")), (Some("4.5.6"), None));
    }
}
