//! Constants that MIR spells as text: literals of floating point, and the entries of a function's constant pool.

use tribunal_ir::Function;
use tribunal_ir::bits::Bits;

/// The bits of `i64 -5`, `double 1.0`, `float 0x3FB99999A0000000`, `half 0xH3C00`; `None` for all else.
pub(super) fn literal(text: &str) -> Option<Bits> {
    let (ty, value) = text.trim().split_once(' ')?;
    let value = value.trim();
    match ty {
        "double" => float(value).map(|value| Bits::new(value.to_bits().into(), 64)),
        // Printed as the double that it is exactly.
        "float" => float(value).map(|value| Bits::new((value as f32).to_bits().into(), 32)),
        "half" => u16::from_str_radix(value.strip_prefix("0xH")?, 16).ok().map(|bits| Bits::new(bits.into(), 16)),
        _ => {
            let width: u32 = ty.strip_prefix('i')?.parse().ok().filter(|width| (1..=128).contains(width))?;
            let mask = if width == 128 { u128::MAX } else { (1 << width) - 1 };
            match value.parse::<i128>() {
                Ok(value) => Some(Bits::new(value as u128 & mask, width)),
                Err(_) => value.parse::<u128>().ok().map(|value| Bits::new(value & mask, width)),
            }
        }
    }
}

/// A double, decimal or by its bits.
fn float(text: &str) -> Option<f64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok().map(f64::from_bits),
        None => text.parse().ok(),
    }
}

/// The contents of `%const.N`, where they are one literal.
pub(super) fn pooled(function: &Function, name: &str) -> Option<Bits> {
    let wanted: u32 = name.strip_prefix("%const.")?.parse().ok()?;
    let (_, text) = function.extra.iter().find(|(key, _)| key == "constants")?;
    let mut current = None;
    for line in text.lines() {
        let line = line.trim().trim_start_matches("- ").trim();
        match line.split_once(':') {
            Some(("id", id)) => current = id.trim().parse().ok(),
            Some(("value", value)) if current == Some(wanted) => return literal(value.trim().trim_matches('\'')),
            _ => {}
        }
    }
    None
}
