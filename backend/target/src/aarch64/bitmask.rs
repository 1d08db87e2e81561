//! Bitmask immediates: the encoding of the constants that logical instructions take.

/// The bitmask that N:immr:imms stands for, at `width` 32 or 64 bits; `None` for an encoding that is reserved.
/// Arm ARM, DecodeBitMasks.
pub fn decode_bitmask(encoded: i64, width: u32) -> Option<u64> {
    let (n, immr, imms) = (encoded >> 12 & 1, (encoded >> 6 & 0x3f) as u32, (encoded & 0x3f) as u32);
    let levels = (n as u32) << 6 | (!imms & 0x3f);
    let length = 31u32.checked_sub(levels.leading_zeros())?;
    let size = 1u32 << length;
    let (ones, rotation) = ((imms & (size - 1)) + 1, immr & (size - 1));
    if length == 0 || size > width || ones == size {
        return None;
    }
    let mask = u64::MAX >> (64 - size);
    let run = u64::MAX >> (64 - ones);
    let element = (run >> rotation | run.unbounded_shl(size - rotation)) & mask;
    let mut value = 0;
    for index in (0..width).step_by(size as usize) {
        value |= element << index;
    }
    Some(value)
}

/// True for the one encoding of a bitmask that assemblers write: its rotation is less than its element's size.
pub fn is_canonical_bitmask(encoded: i64, width: u32) -> bool {
    decode_bitmask(encoded, width).and_then(|mask| encode_bitmask(mask, width)) == Some(encoded)
}

/// N:immr:imms of a bitmask; `None` if `value` is no bitmask. Every element size is tried, smallest first.
pub fn encode_bitmask(value: u64, width: u32) -> Option<i64> {
    let whole = u64::MAX >> (64 - width);
    if value & !whole != 0 || value == 0 || value == whole {
        return None;
    }
    let mut size = 2;
    while size <= width {
        let mask = u64::MAX >> (64 - size);
        let element = value & mask;
        let repeats = (0..width).step_by(size as usize).all(|index| value >> index & mask == element);
        if repeats {
            let ones = element.count_ones();
            let rotated = |by: u32| if by == 0 { element } else { (element << by | element >> (size - by)) & mask };
            let run = u64::MAX >> (64 - ones.max(1));
            let rotation = (0..size).find(|&by| ones > 0 && ones < size && rotated(by) == run)?;
            let imms = (!(size * 2 - 1) & 0x3f) | (ones - 1);
            return Some(i64::from(size == 64) << 12 | i64::from(rotation) << 6 | i64::from(imms));
        }
        size *= 2;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bitmask_encoding_round_trips() {
        for width in [32, 64] {
            let mut masks = std::collections::BTreeSet::new();
            for encoded in 0..1 << 13 {
                if let Some(value) = decode_bitmask(encoded, width) {
                    masks.insert(value);
                    let again = encode_bitmask(value, width).unwrap();
                    assert_eq!(decode_bitmask(again, width), Some(value), "{value:#x} at {width}");
                }
            }
            // Arm's count: the sum over element sizes of size * (size - 1).
            let expected: u32 =
                [2u32, 4, 8, 16, 32, 64].iter().filter(|&&size| size <= width).map(|size| size * (size - 1)).sum();
            assert_eq!(masks.len() as u32, expected);
            assert_eq!(encode_bitmask(0, width), None);
            assert_eq!(encode_bitmask(5, width), None);
        }
    }
}
