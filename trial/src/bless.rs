//! Blessing: a crash file whose fault is fixed becomes a case of the corpus, with the same functions and their results.

use crate::crash::CrashHeader;
use crate::execution;
use crate::harness::Harness;
use crate::inputs::BUFFER_BYTES;
use std::fmt::Write;
use tribunal_emulator::input::{Buffer, Input, buffer_address};
use tribunal_emulator::interpreter::Interpreter;
use tribunal_ir::{Function, Module, text};
use tribunal_target::Target;

/// The text of the case. The expectation is the interpreter's result on the file's input. There is none where the
/// source does not fix every bit of it, or returns nothing: the runner still puts the function before every judge.
pub fn case(harness: &Harness, module: &Module, header: &CrashHeader) -> String {
    let target = harness.target();
    let mut comments = vec![format!("target: {}", target.name)];
    if harness.options().features != target.default_features {
        comments.push(format!("features: {}", harness.target().option_names(harness.options().features)));
    }
    if let (Some(judge), Some(kind), Some(guilty)) =
        (module.header("judge"), module.header("kind"), module.header("guilty"))
    {
        comments.push(format!("A finding of the {judge} once: {kind}, by {guilty}."));
    }
    if let Some(input) = &header.input {
        comments.extend(module.functions.iter().filter_map(|function| run_line(function, target, input)));
    }
    let case = Module { comments, ..module.clone() };
    text::print_module(&case, target.vocabulary)
}

/// `run: @f(0x7, [00 ff]) == 0x3`.
fn run_line(function: &Function, target: &'static Target, input: &Input) -> Option<String> {
    let (input, arguments) = arguments(target, input)?;
    let interpreter = Interpreter::new(function, target);
    let expected = execution::expected(&interpreter, &input).ok()??;
    let values = expected.returned.iter().map(|&(_, bits, known)| {
        let mask = u128::MAX >> u128::BITS.saturating_sub(bits);
        (known.unknown & mask == 0).then(|| format!("{:#x}", known.value & mask))
    });
    let values: Vec<String> = values.collect::<Option<_>>()?;
    let results = match values.as_slice() {
        [] => return None,
        [value] => value.clone(),
        values => format!("({})", values.join(", ")),
    };
    Some(format!("run: @{}({}) == {results}", function.name, arguments.join(", ")))
}

/// The input as the corpus's runner parses it, with the texts of its arguments; `None` where those cannot express it.
fn arguments(target: &Target, input: &Input) -> Option<(Input, Vec<String>)> {
    let place = |register| target.abi.arguments().iter().position(|&argument| argument == register);
    let places: Vec<usize> = input.registers.iter().map(|&(register, _)| place(register)).collect::<Option<_>>()?;
    let count = places.iter().max().map_or(0, |last| last + 1);
    let mut same = Input::default();
    let mut texts = Vec::new();
    for &register in target.abi.arguments().iter().take(count) {
        let given = input.registers.iter().find(|(given, _)| *given == register);
        let value = given.map_or(0, |&(_, value)| value);
        same.registers.push((register, value));
        let buffer = input.buffers.iter().find(|buffer| u128::from(buffer.address) == value);
        let Some(buffer) = buffer else {
            texts.push(format!("{value:#x}"));
            continue;
        };
        if buffer.address != buffer_address(same.buffers.len()) {
            return None;
        }
        let mut bytes = buffer.bytes.clone();
        let used = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        let digits = bytes[..used].iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, " {byte:02x}");
            text
        });
        texts.push(format!("[{}]", digits.trim_start()));
        bytes.resize(bytes.len().max(BUFFER_BYTES as usize), 0);
        same.buffers.push(Buffer { address: buffer.address, bytes });
    }
    (same.buffers.len() == input.buffers.len()).then_some((same, texts))
}
