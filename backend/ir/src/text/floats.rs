//! Floating-point constants as LLVM's text spells them.
//!
//! A `float` is written as the `double` that it is exactly: decimal with six digits where they give it back, else by
//! bits. Other formats are written by their bits. Source: `writeAPFloatInternal` of LLVM's AsmWriter.

use crate::bits::Bits;
use crate::float::FloatFormat;

/// Widths of the stored exponent and significand.
struct Layout {
    exponent: u32,
    significand: u32,
}

const DOUBLE: Layout = Layout { exponent: 11, significand: 52 };

fn layout(format: FloatFormat) -> Layout {
    let (exponent, significand) = match format {
        FloatFormat::Half => (5, 10),
        FloatFormat::BFloat => (8, 7),
        FloatFormat::Float => (8, 23),
        FloatFormat::Double => (11, 52),
        FloatFormat::Fp128 => (15, 112),
    };
    Layout { exponent, significand }
}

/// The bits of `1.0`, `0x3FB99999A0000000`, `0xH3C00`; `None` if the text is none of the format, or not exactly.
pub(super) fn read(format: FloatFormat, text: &str) -> Option<Bits> {
    let digits = |prefix: &str, count: usize| {
        let digits = text.strip_prefix(prefix).filter(|digits| digits.len() == count)?;
        u128::from_str_radix(digits, 16).ok().map(|bits| Bits::new(bits, format.bits()))
    };
    match format {
        FloatFormat::Half if text.starts_with("0xH") => digits("0xH", 4),
        FloatFormat::BFloat if text.starts_with("0xR") => digits("0xR", 4),
        // The low half comes first.
        FloatFormat::Fp128 => digits("0xL", 32).map(|bits| Bits::new(bits.unsigned().rotate_left(64), 128)),
        _ => {
            let double = match text.strip_prefix("0x") {
                Some(digits) => u64::from_str_radix(digits, 16).ok()?,
                None => text.parse::<f64>().ok().filter(|value| value.is_finite())?.to_bits(),
            };
            narrowed(double, layout(format)).map(|bits| Bits::new(bits.into(), format.bits()))
        }
    }
}

/// The constant as LLVM spells it, without its type.
pub(super) fn write(format: FloatFormat, bits: Bits) -> String {
    let bits = bits.unsigned();
    match format {
        FloatFormat::Half => format!("0xH{bits:04X}"),
        FloatFormat::BFloat => format!("0xR{bits:04X}"),
        FloatFormat::Fp128 => format!("0xL{:032X}", bits.rotate_left(64)),
        FloatFormat::Double => write_double(bits as u64),
        FloatFormat::Float => write_double(widened(bits as u32)),
    }
}

fn write_double(bits: u64) -> String {
    let value = f64::from_bits(bits);
    let short = format!("{value:.5e}");
    match short.split_once('e') {
        Some((digits, exponent))
            if short.parse() == Ok(value) && rounds_to(value.abs(), short.trim_start_matches('-')) =>
        {
            let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |digits| ('-', digits));
            format!("{digits}0e{sign}{exponent:0>2}")
        }
        _ => format!("0x{bits:X}"),
    }
}

/// Whether `APFloat::toString` comes to these six digits, which are the nearest to the number. It drops digits of the
/// exact number until about twenty bits are left, and rounds only if that leaves a seventh digit.
fn rounds_to(value: f64, short: &str) -> bool {
    const KEPT_BITS: i64 = 20;
    let exact = format!("{value:.60e}");
    let Some((digits, exponent)) = exact.split_once('e') else { return false };
    if value == 0.0 || short.split_once('e') == digits.get(..7).map(|digits| (digits, exponent)) {
        return true;
    }
    let Ok(exponent) = exponent.parse::<i64>() else { return false };
    let (significand, power) = decoded(value);
    // The number without its point, in bits and in decimal digits. An estimate of the bits does: it decides nothing but
    // near a power of two.
    let (bits, count) = match power.unsigned_abs() {
        up if power >= 0 => (i64::from(significand.ilog2()) + 1 + up as i64, exponent + 1),
        down => {
            let bits = (significand as f64).log2() + down as f64 * 5f64.log2();
            (bits.floor() as i64 + 1, exponent + 1 + down as i64)
        }
    };
    // LLVM's estimate of the bits of a decimal digit.
    let dropped = (bits - KEPT_BITS).max(0) * 59 / 196;
    count - dropped > 6
}

/// A positive number as an odd integer and a power of two.
fn decoded(value: f64) -> (u64, i64) {
    let (fraction, exponent) =
        (value.to_bits() & ((1 << DOUBLE.significand) - 1), value.to_bits() >> DOUBLE.significand);
    let significand = if exponent == 0 { fraction } else { fraction | 1 << DOUBLE.significand };
    let shift = significand.trailing_zeros();
    let power = exponent.max(1) as i64 - 1023 - i64::from(DOUBLE.significand) + i64::from(shift);
    (significand >> shift, power)
}

/// The double that a float is. The payload of a NaN is kept, and so is its kind.
fn widened(bits: u32) -> u64 {
    let value = f32::from_bits(bits);
    match value.is_nan() {
        false => f64::from(value).to_bits(),
        true => u64::from(bits >> 31) << 63 | 0x7ff << 52 | u64::from(bits & 0x7f_ffff) << 29,
    }
}

/// The bits of a double in a narrower format; `None` if it has no such value.
fn narrowed(bits: u64, to: Layout) -> Option<u64> {
    let width = to.exponent + to.significand;
    let sign = bits >> 63 << width;
    let fraction = bits & ((1 << DOUBLE.significand) - 1);
    let exponent = bits >> DOUBLE.significand & 0x7ff;
    let exactly = |value: u64, dropped: u32| {
        (value.checked_shr(dropped).is_some_and(|kept| kept << dropped == value)).then(|| value >> dropped)
    };
    let dropped = DOUBLE.significand - to.significand;
    let (bias, greatest) = ((1i64 << (to.exponent - 1)) - 1, (1u64 << to.exponent) - 1);
    if exponent == 0x7ff {
        return Some(sign | greatest << to.significand | exactly(fraction, dropped)?);
    }
    if to.significand == DOUBLE.significand || exponent == 0 {
        let same = sign | exponent << to.significand | exactly(fraction, dropped)?;
        return (to.significand == DOUBLE.significand || fraction == 0).then_some(same);
    }
    match exponent as i64 - 1023 + bias {
        stored if stored >= greatest as i64 => None,
        stored if stored > 0 => Some(sign | (stored as u64) << to.significand | exactly(fraction, dropped)?),
        stored => Some(sign | exactly(1 << DOUBLE.significand | fraction, dropped + 1 + stored.unsigned_abs() as u32)?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Spellings that `llc-22` writes, and the bits.
    const CASES: [(FloatFormat, &str, u128); 20] = [
        (FloatFormat::Double, "3.141590e+00", 0x4009_21f9_f01b_866e),
        (FloatFormat::Double, "4.940660e-324", 1),
        (FloatFormat::Double, "-0.000000e+00", 1 << 63),
        (FloatFormat::Double, "1.000000e+300", 0x7e37_e43c_8800_759c),
        (FloatFormat::Double, "0x7FF0000000000000", 0x7ff0_0000_0000_0000),
        (FloatFormat::Double, "0x400921FB4D12D84A", 0x4009_21fb_4d12_d84a),
        // The nearest six digits, of numbers below them: LLVM drops the seventh digit of some.
        (FloatFormat::Double, "3.000000e-01", 0x3fd3_3333_3333_3333),
        (FloatFormat::Double, "0x3FE6666666666666", 0x3fe6_6666_6666_6666),
        (FloatFormat::Double, "-9.000000e-01", 0xbfec_cccc_cccc_cccd),
        (FloatFormat::Double, "0xBEB0C6F7A0B5ED8D", 0xbeb0_c6f7_a0b5_ed8d),
        (FloatFormat::Double, "0x44B52D02C7E14AF6", 0x44b5_2d02_c7e1_4af6),
        (FloatFormat::Float, "1.000000e+10", 0x5015_02f9),
        (FloatFormat::Float, "0x3FB99999A0000000", 0x3dcc_cccd),
        (FloatFormat::Float, "0x7FF4000000000000", 0x7fa0_0000),
        (FloatFormat::Float, "0x36A0000000000000", 1),
        (FloatFormat::Half, "0xH3C00", 0x3c00),
        (FloatFormat::BFloat, "0xR3F80", 0x3f80),
        (FloatFormat::Fp128, "0xL00000000000000013FFF000000000002", 0x3fff_0000_0000_0002_0000_0000_0000_0001),
        (FloatFormat::Float, "0.000000e+00", 0),
        (FloatFormat::Float, "0xFFF0000000000000", 0xff80_0000),
    ];

    #[test]
    fn spellings_keep_every_bit() {
        for (format, text, bits) in CASES {
            let value = Bits::new(bits, format.bits());
            assert_eq!(read(format, text), Some(value), "{text}");
            assert_eq!(write(format, value), text);
        }
    }

    #[test]
    fn values_that_a_format_does_not_have_are_not_read() {
        let cases = [(FloatFormat::Float, "0.1"), (FloatFormat::Half, "65536.0"), (FloatFormat::Half, "1e-30")];
        for (format, text) in cases.into_iter().chain([(FloatFormat::Double, "inf"), (FloatFormat::Fp128, "1.0")]) {
            assert_eq!(read(format, text), None, "{text}");
        }
        assert_eq!(read(FloatFormat::Half, "1.5"), Some(Bits::new(0x3e00, 16)));
        assert_eq!(read(FloatFormat::Half, "6.103515625e-5"), Some(Bits::new(0x0400, 16)));
        assert_eq!(read(FloatFormat::Half, "3.0517578125e-5"), Some(Bits::new(0x0200, 16)));
    }

    /// Every float, by a stride that has no factor in common with their number.
    #[test]
    fn floats_read_back_as_written() {
        for bits in (0..=u32::MAX).step_by(100_003) {
            let value = Bits::new(bits.into(), 32);
            assert_eq!(read(FloatFormat::Float, &write(FloatFormat::Float, value)), Some(value), "{bits:#x}");
        }
    }
}
