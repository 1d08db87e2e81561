//! An input as reports show it: registers and memory, by name and address.

use std::fmt;
use tribunal_emulator::input::Input;
use tribunal_ir::{Bits, Vocabulary};
use tribunal_verifier::prover::{Byte, Counterexample};

/// An input of a function, or of a block of it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ShownInput {
    /// Machine registers, PHIs, and the value of each.
    pub registers: Vec<(String, String)>,
    /// Addresses, and the bytes from there on in hexadecimal digits.
    pub memory: Vec<(String, String)>,
}

impl ShownInput {
    /// An input that was executed.
    pub(crate) fn executed(input: &Input, vocabulary: &dyn Vocabulary) -> ShownInput {
        let register = |&(register, value)| (format!("${}", vocabulary.register_name(register)), format!("{value:#x}"));
        let buffers = input.buffers.iter().map(|buffer| (format!("{:#x}", buffer.address), digits(&buffer.bytes)));
        ShownInput { registers: input.registers.iter().map(register).collect(), memory: buffers.collect() }
    }

    /// The values that a solver proposed, which nobody executed.
    pub(crate) fn proposed(values: &Counterexample, vocabulary: &dyn Vocabulary) -> ShownInput {
        let shown = |bits: Bits, poison| if poison { "poison".to_string() } else { format!("{bits:#x}") };
        let physical = values.physical.iter();
        let physical =
            physical.map(|&(register, bits)| (format!("${}", vocabulary.register_name(register)), shown(bits, false)));
        let phis = values.inputs.iter().map(|&(name, bits, poison)| (name.to_string(), shown(bits, poison)));
        // Bytes side by side are one string of digits.
        let follows = |one: &Byte, other: &Byte| {
            !one.poison && !other.poison && one.address.checked_add(1) == Some(other.address)
        };
        let memory = values.memory.chunk_by(follows).map(|bytes| {
            let values: Vec<u8> = bytes.iter().map(|byte| byte.value).collect();
            let contents = if bytes[0].poison { "poison".to_string() } else { digits(&values) };
            (format!("{:#x}", bytes[0].address), contents)
        });
        ShownInput { registers: physical.chain(phis).collect(), memory: memory.collect() }
    }
}

fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl fmt::Display for ShownInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let registers = self.registers.iter().map(|(name, value)| format!("{name} = {value}"));
        let memory = self.memory.iter().map(|(address, bytes)| format!("[{address}] = {bytes}"));
        f.write_str(&registers.chain(memory).collect::<Vec<_>>().join(", "))
    }
}
