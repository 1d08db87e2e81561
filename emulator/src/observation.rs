//! What a run shows, and when machine code agrees with the source: the concrete side of refinement.
//!
//! Source undefined behaviour permits anything, source poison permits any value, and bits that a free choice of the source
//! decides are not compared.

use tribunal_ir::PReg;

/// How a run of the source ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    Returned,
    /// It did something undefined.
    Undefined,
    /// It took a way, or touched a place, that a free choice decides.
    Open,
    OutOfFuel,
}

/// A value of which some bits are open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Known {
    pub value: u64,
    /// Bits that are fixed: neither poison nor chosen.
    pub fixed: u64,
}

/// What a run of the source shows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Observation {
    pub outcome: Outcome,
    /// Result registers as the return names them (a part of a register for `$w0`), with their width in bits.
    pub returned: Vec<(PReg, u32, Known)>,
    /// Each buffer's bytes, with a mask of fixed bits for each.
    pub buffers: Vec<Vec<(u8, u8)>>,
}

/// How machine code differs from the source.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Mismatch {
    #[error("result register {index} is {actual:#x}, expected {expected:#x} (bits that count: {fixed:#x})")]
    Result { index: usize, expected: u64, actual: u64, fixed: u64 },
    #[error(
        "byte {offset} of buffer {buffer} is {actual:#04x}, expected {expected:#04x} (bits that count: {fixed:#04x})"
    )]
    Memory { buffer: usize, offset: usize, expected: u8, actual: u8, fixed: u8 },
}

/// Holds results and buffers of a run to the source's.
pub fn compare(source: &Observation, results: &[u64], buffers: &[Vec<u8>]) -> Result<(), Mismatch> {
    for (index, (&(_, bits, known), &actual)) in source.returned.iter().zip(results).enumerate() {
        let mask = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
        let fixed = known.fixed & mask;
        if (known.value ^ actual) & fixed != 0 {
            return Err(Mismatch::Result { index, expected: known.value & mask, actual: actual & mask, fixed });
        }
    }
    for (buffer, (expected, actual)) in source.buffers.iter().zip(buffers).enumerate() {
        // Nearly always nothing differs: one look at all bytes first.
        let difference = |(&(expected, fixed), &actual): (&(u8, u8), &u8)| (expected ^ actual) & fixed;
        if expected.iter().zip(actual).fold(0, |any, pair| any | difference(pair)) == 0 {
            continue;
        }
        for (offset, (&(expected, fixed), &actual)) in expected.iter().zip(actual).enumerate() {
            if (expected ^ actual) & fixed != 0 {
                return Err(Mismatch::Memory { buffer, offset, expected, actual, fixed });
            }
        }
    }
    Ok(())
}
