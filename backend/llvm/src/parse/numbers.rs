//! Literals of numbers as bits. Source: LLVM's language reference, "Simple Constants", and LLVM 22's LLLexer.

use crate::constant::Integer;
use crate::types::FloatKind;
use num_bigint::{BigInt, Sign};

/// The integer that a literal is, of a width: `-1`, `u0xFF`, `s0xFF`. A value that does not fit is taken modulo the
/// width, as LLVM does it.
pub(super) fn integer(text: &str, bits: u32) -> Option<Integer> {
    let hexadecimal = text.strip_prefix("u0x").or_else(|| text.strip_prefix("s0x"));
    let value = match hexadecimal {
        Some(digits) => {
            let value = BigInt::parse_bytes(digits.as_bytes(), 16)?;
            let sign = text.starts_with('s').then(|| value.bit(value_width(digits) - 1));
            match sign {
                Some(true) => value - (BigInt::from(1) << value_width(digits)),
                _ => value,
            }
        }
        None if text.starts_with('+') || text.contains(['.', 'x']) => return None,
        None => text.parse().ok()?,
    };
    Some(Integer::new(bits, value))
}

/// Bits of the digits of a hexadecimal literal.
fn value_width(digits: &str) -> u64 {
    4 * digits.len() as u64
}

/// The integer 0 or 1 of a width.
pub(super) fn bit(value: u8, bits: u32) -> Integer {
    Integer::new(bits, BigInt::from_bytes_le(Sign::Plus, &[value]))
}

/// The bits of a floating-point literal; `None` if the type does not have the value.
pub(super) fn float(text: &str, kind: FloatKind) -> Option<u128> {
    if let Some(digits) = text.strip_prefix("0x") {
        let mark = digits.chars().next().filter(|mark| "KLMHR".contains(*mark));
        return match (mark, kind) {
            (None, _) => narrow(u64::from_str_radix(digits, 16).ok()?, kind),
            (Some('H'), FloatKind::Half) | (Some('R'), FloatKind::BFloat) => {
                u16::from_str_radix(&digits[1..], 16).ok().map(u128::from)
            }
            // The exponent stands first.
            (Some('K'), FloatKind::X86Fp80) => {
                let (high, low) = halves(&digits[1..], 4)?;
                Some(high << 64 | low)
            }
            // The lower half stands first.
            (Some('L'), FloatKind::Fp128) | (Some('M'), FloatKind::PpcFp128) => {
                let (low, high) = halves(&digits[1..], 16)?;
                Some(high << 64 | low)
            }
            _ => None,
        };
    }
    match text.contains('.') {
        true => narrow(text.parse::<f64>().ok()?.to_bits(), kind),
        false => None,
    }
}

/// The number of the first `length` digits, and that of at most 16 digits after them.
fn halves(digits: &str, length: usize) -> Option<(u128, u128)> {
    let (first, second) = digits.split_at(length.min(digits.len()));
    let second = if second.is_empty() { "0" } else { second };
    let second = u64::from_str_radix(second, 16).ok()?;
    Some((u128::from_str_radix(first, 16).ok()?, second.into()))
}

/// Bits of the mantissa and of the exponent of the types that decimal literals have.
fn format(kind: FloatKind) -> Option<(u32, u32)> {
    match kind {
        FloatKind::Half => Some((10, 5)),
        FloatKind::BFloat => Some((7, 8)),
        FloatKind::Float => Some((23, 8)),
        FloatKind::Double => Some((52, 11)),
        FloatKind::X86Fp80 | FloatKind::Fp128 | FloatKind::PpcFp128 => None,
    }
}

/// The bits of a double as a number of another type; `None` if that type does not have it exactly.
fn narrow(double: u64, kind: FloatKind) -> Option<u128> {
    let (mantissa_bits, exponent_bits) = format(kind)?;
    if kind == FloatKind::Double {
        return Some(double.into());
    }
    let (sign, exponent, fraction) = (double >> 63, (double >> 52) & 0x7ff, double & ((1 << 52) - 1));
    let most = (1u64 << exponent_bits) - 1;
    let bias = i64::try_from(most / 2).ok()?;
    let exact = |value: u64, shift: u32| (value.trailing_zeros() >= shift.min(64)).then(|| value >> shift.min(63));
    let unbiased = i64::try_from(exponent).ok()? - 1023;
    let magnitude = match exponent {
        0x7ff => most << mantissa_bits | exact(fraction, 52 - mantissa_bits)?,
        0 if fraction == 0 => 0,
        _ if unbiased > bias => return None,
        _ if unbiased > -bias => {
            let biased = u64::try_from(unbiased + bias).ok()?;
            biased << mantissa_bits | exact(fraction, 52 - mantissa_bits)?
        }
        // Below the least exponent the leading bit stands in the fraction.
        _ => exact(fraction | 1 << 52, 52 - mantissa_bits + u32::try_from(1 - bias - unbiased).ok()?)?,
    };
    Some((sign << (mantissa_bits + exponent_bits) | magnitude).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_exact_or_refused() {
        let cases = [
            ("1.0", FloatKind::Float, Some(0x3f80_0000)),
            ("-0.0", FloatKind::Half, Some(0x8000)),
            ("65504.0", FloatKind::Half, Some(0x7bff)),
            ("65536.0", FloatKind::Half, None),
            ("1.0e-8", FloatKind::Half, None),
            ("0.1", FloatKind::Float, None),
            ("0.1", FloatKind::Double, Some(0x3fb9_9999_9999_999a)),
            ("0x36A0000000000000", FloatKind::Float, Some(1)),
            ("0x3690000000000000", FloatKind::Float, None),
            ("0x7FF0000020000000", FloatKind::Float, Some(0x7f80_0001)),
            ("0x7FF4000000000000", FloatKind::Half, Some(0x7d00)),
            ("0xFFF0000000000000", FloatKind::BFloat, Some(0xff80)),
            ("0xH3C00", FloatKind::Half, Some(0x3c00)),
            ("0xH3C00", FloatKind::BFloat, None),
            ("0xK3FFF8000000000000000", FloatKind::X86Fp80, Some(0x3fff_8000_0000_0000_0000)),
            ("0xL00000000000000013FFF000000000000", FloatKind::Fp128, Some(0x3fff_0000_0000_0000_0000_0000_0000_0001)),
            ("1.0", FloatKind::Fp128, None),
            ("1", FloatKind::Float, None),
        ];
        for (text, kind, bits) in cases {
            assert_eq!(float(text, kind), bits, "{} {text}", kind.keyword());
        }
    }

    #[test]
    fn integers_are_read_in_every_base() {
        for (text, bits, value) in [
            ("255", 8, -1),
            ("-128", 8, -128),
            ("u0xFF", 16, 255),
            ("s0xFF", 16, -1),
            ("s0x7F", 16, 127),
            ("u0x1FF", 8, -1),
        ] {
            assert_eq!(integer(text, bits).and_then(|integer| integer.to_i64()), Some(value), "i{bits} {text}");
        }
        assert_eq!(integer("+5", 8), None);
        assert_eq!(integer("1.5", 8), None);
    }
}
