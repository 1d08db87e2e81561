//! The expectation language of head comments: the calls that a case lists, with their results. Nobody computes them
//! from the definitions, so they are a second source beside those.

use crate::execution::{SETTINGS, expected};
use crate::inputs::BUFFER_BYTES;
use tribunal_emulator::globals::globals;
use tribunal_emulator::input::{Buffer, Input, buffer_address};
use tribunal_emulator::interpreter::Interpreter;
use tribunal_emulator::observation::Outcome;
use tribunal_ir::{Function, Module};
use tribunal_target::Target;

/// Stands after `==` for undefined behaviour.
const UNDEFINED: &str = "undefined";

/// `@name(arguments) == results`, or `== undefined`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expectation {
    /// The function that is called.
    pub function: String,
    /// The contents of its argument registers.
    pub arguments: Vec<Argument>,
    /// Expected values of the result registers, in order; `None` if the call is undefined behaviour.
    pub results: Option<Vec<i128>>,
}

/// One argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Argument {
    /// A number, its low bits.
    Integer(i128),
    /// The address of a buffer that begins with these bytes.
    Buffer(Vec<u8>),
}

impl Expectation {
    /// The input of the call: its arguments, and the globals of the function, which are zero at first.
    pub fn input(&self, function: &Function, target: &Target) -> Input {
        let mut input = Input { registers: Vec::new(), buffers: Vec::new() };
        for (argument, &register) in self.arguments.iter().zip(target.abi.arguments()) {
            let value = match argument {
                Argument::Integer(value) => u128::from(*value as u64),
                Argument::Buffer(bytes) => {
                    let address = buffer_address(input.buffers.len());
                    let mut bytes = bytes.clone();
                    bytes.resize(bytes.len().max(BUFFER_BYTES as usize), 0);
                    input.buffers.push(Buffer { address, bytes });
                    address.into()
                }
            };
            input.registers.push((register, value));
        }
        for memory in globals(function, target).into_values() {
            let bytes = memory.constant.unwrap_or_else(|| vec![0; BUFFER_BYTES as usize]);
            input.buffers.push(Buffer { address: memory.address, bytes });
        }
        input
    }

    /// Whether the interpreter gives the results; the reason if not.
    pub fn hold(&self, function: &Function, target: &'static Target, input: &Input) -> Result<(), String> {
        let interpreter = Interpreter::new(function, target);
        let Some(results) = &self.results else {
            let outcome = interpreter.run(input, SETTINGS).map(|run| run.observation.outcome);
            return match outcome.map_err(|unsupported| unsupported.to_string())? {
                Outcome::Undefined => Ok(()),
                outcome => Err(format!("{outcome:?}, where undefined behaviour is expected")),
            };
        };
        let observation = match expected(&interpreter, input) {
            Ok(Some(observation)) => observation,
            Ok(None) => return Err("the function is undefined on this input, or does not end".to_string()),
            Err(unsupported) => return Err(unsupported.to_string()),
        };
        let returned: Vec<(u32, u128)> =
            observation.returned.iter().map(|&(_, bits, known)| (bits, known.value)).collect();
        if returned.len() != results.len() {
            return Err(format!("{} result registers, {} expected", returned.len(), results.len()));
        }
        for (index, (&(bits, value), &expected)) in returned.iter().zip(results).enumerate() {
            let (expected, mask) = (expected as u128, u128::MAX >> u128::BITS.saturating_sub(bits));
            if (value ^ expected) & mask != 0 {
                return Err(format!("result {index} is {value:#x}, expected {:#x}", expected & mask));
            }
        }
        Ok(())
    }
}

/// The calls that the head of a module lists. The error has the line, and names the token expected.
pub fn calls(module: &Module) -> Result<Vec<Expectation>, (String, &'static str)> {
    let lines = module.comments.iter().filter_map(|line| line.trim().strip_prefix("run: ").map(|call| (line, call)));
    lines.map(|(line, text)| call(text).map_err(|reason| (line.clone(), reason))).collect()
}

/// Parses the text after `run: `. The error names the token expected.
pub fn call(text: &str) -> Result<Expectation, &'static str> {
    let (left, right) = text.split_once("==").ok_or("expected `@f(...) == value`")?;
    let left = left.trim().strip_prefix('@').ok_or("expected `@` and a function's name")?;
    let (function, rest) = left.split_once('(').ok_or("expected `(`")?;
    let inside = rest.strip_suffix(')').ok_or("expected `)`")?;
    let arguments = inside.split(',').map(str::trim).filter(|text| !text.is_empty()).map(argument);
    let right = right.trim();
    let values = right.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(right);
    let results = values.split(',').map(|text| integer(text.trim()).ok_or("expected a number after `==`"));
    let results = if right == UNDEFINED { None } else { Some(results.collect::<Result<_, _>>()?) };
    Ok(Expectation { function: function.to_string(), arguments: arguments.collect::<Result<_, _>>()?, results })
}

fn argument(text: &str) -> Result<Argument, &'static str> {
    match text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
        Some(bytes) => {
            let bytes = bytes.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).ok());
            bytes.collect::<Option<_>>().map(Argument::Buffer).ok_or("expected hexadecimal bytes in `[...]`")
        }
        None => integer(text).map(Argument::Integer).ok_or("expected a number or `[...]`"),
    }
}

fn integer(text: &str) -> Option<i128> {
    match text.strip_prefix("0x") {
        Some(digits) => u128::from_str_radix(digits, 16).ok().map(|value| value as i128),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_read_as_they_are_written() {
        let parsed = call("@f(7, -1, [00 ff]) == (3, 0x10)").unwrap();
        assert_eq!(parsed.function, "f");
        let arguments = [Argument::Integer(7), Argument::Integer(-1), Argument::Buffer(vec![0, 0xff])];
        assert_eq!(parsed.arguments, arguments);
        assert_eq!(parsed.results, Some(vec![3, 16]));
        assert_eq!(call("@f() == undefined").unwrap().results, None);
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert_eq!(call("@f(7)"), Err("expected `@f(...) == value`"));
        assert_eq!(call("f(7) == 1"), Err("expected `@` and a function's name"));
        assert_eq!(call("@f(x) == 1"), Err("expected a number or `[...]`"));
        assert_eq!(call("@f([0g]) == 1"), Err("expected hexadecimal bytes in `[...]`"));
    }
}
