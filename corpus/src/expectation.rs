//! The expectation language of head comments: the calls that a case lists, with their results.

/// `@name(arguments) == results`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expectation {
    /// The function that is called.
    pub function: String,
    /// The contents of its argument registers.
    pub arguments: Vec<Argument>,
    /// Expected values of the result registers, in order.
    pub results: Vec<i128>,
}

/// One argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Argument {
    /// A number, its low bits.
    Integer(i128),
    /// The address of a buffer that begins with these bytes.
    Buffer(Vec<u8>),
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
    Ok(Expectation {
        function: function.to_string(),
        arguments: arguments.collect::<Result<_, _>>()?,
        results: results.collect::<Result<_, _>>()?,
    })
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
        assert_eq!(parsed.results, [3, 16]);
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert_eq!(call("@f(7)"), Err("expected `@f(...) == value`"));
        assert_eq!(call("f(7) == 1"), Err("expected `@` and a function's name"));
        assert_eq!(call("@f(x) == 1"), Err("expected a number or `[...]`"));
        assert_eq!(call("@f([0g]) == 1"), Err("expected hexadecimal bytes in `[...]`"));
    }
}
