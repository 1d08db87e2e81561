//! Colours: none where output is no terminal, none against NO_COLOR, all with CLICOLOR_FORCE.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use std::path::Path;
use std::process::Command;

/// Both outputs of a command that prints an error, a finding, or help.
fn outputs(arguments: &[&str], variables: &[(&str, &str)]) -> Vec<u8> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tribunal"));
    for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(variable);
    }
    let output = command.args(arguments).envs(variables.iter().copied()).output().unwrap();
    let both = [output.stdout, output.stderr].concat();
    assert!(!both.is_empty(), "{arguments:?} says nothing");
    both
}

#[test]
fn colours_are_for_terminals_and_obey_no_color() {
    let folder = tempfile::tempdir().unwrap();
    let bad = folder.path().join("bad.mir");
    std::fs::write(&bad, "# target: riscv64\n---\nname: f\nbody: |\n  bb.0:\n    %0:_(s64) = G_ADD (\n...\n").unwrap();
    let finding = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/verifier/type-extension.mir");
    let (bad, finding) = (bad.to_str().unwrap(), finding.to_str().unwrap());
    for arguments in
        [&["verify", bad][..], &["verify", "no-such-file.mir"], &["verify", finding], &["fuzz", "--frob"], &["--help"]]
    {
        let is_coloured = |variables: &[(&str, &str)]| outputs(arguments, variables).contains(&0x1b);
        assert!(!is_coloured(&[]), "{arguments:?} to a pipe");
        assert!(is_coloured(&[("CLICOLOR_FORCE", "1")]), "{arguments:?} with CLICOLOR_FORCE");
        assert!(!is_coloured(&[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")]), "{arguments:?} with NO_COLOR");
        assert!(!is_coloured(&[("NO_COLOR", "1")]), "{arguments:?} with NO_COLOR");
    }
}
