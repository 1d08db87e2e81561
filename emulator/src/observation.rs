//! The observation of a run, and its comparison with machine code: the concrete side of refinement.
//!
//! Where the source is undefined, any behaviour is right; where it is poison, any value is. Bits that depend on a
//! nondeterministic choice of the source are not compared. Volatile accesses are observable by a device: in a buffer
//! that the source touches by such accesses only, the machine makes the same ones in the same order.

use crate::call::ExternalCall;
use crate::fault::FaultKind;
use std::fmt;
use tribunal_ir::PReg;

/// The end of a run of the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It returned.
    Returned,
    /// Its last callee did not return.
    Stopped,
    /// It had undefined behaviour.
    Undefined,
    /// Its path, or an address that it touched, depends on a nondeterministic choice.
    Unconstrained,
    /// It took more instructions than allowed.
    OutOfFuel,
    /// More functions of the module are active than there is stack for.
    TooDeep,
}

impl Outcome {
    /// True if the source says what comes out.
    pub fn is_determined(self) -> bool {
        matches!(self, Outcome::Returned | Outcome::Stopped)
    }
}

/// A value with some bits unconstrained.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Known {
    /// The bits; 0 where they are unknown.
    pub value: u128,
    /// Bits that are unknown: poison, or a nondeterministic choice.
    pub unknown: u128,
}

/// One access to a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BufferAccess {
    /// The buffer's number in the input.
    pub buffer: usize,
    /// From the buffer's start, in bytes.
    pub offset: u64,
    /// The number of bytes from there.
    pub bytes: u32,
    /// The low 64 bits of the value stored; `None` for a load.
    pub stored: Option<Known>,
    /// No instruction of the machine makes it whole: it may be split in ascending order.
    pub is_divisible: bool,
}

impl BufferAccess {
    /// What is left of it from `from` on, in bytes; of a store beyond 64 bits no value is known.
    fn rest(&self, from: u32) -> BufferAccess {
        let shifted = |Known { value, unknown }: Known| match value.checked_shr(8 * from) {
            Some(value) => Known { value, unknown: !(!unknown >> (8 * from)) },
            None => Known { value: 0, unknown: u128::MAX },
        };
        let (offset, bytes) = (self.offset + u64::from(from), self.bytes - from);
        BufferAccess { offset, bytes, stored: self.stored.map(shifted), ..*self }
    }

    /// The bytes of `actual` if it is this access, or the first part of one that may be split.
    fn begun_by(&self, actual: &BufferAccess) -> Option<u32> {
        let part = BufferAccess { bytes: actual.bytes.min(self.bytes), ..*self };
        let is_part = actual.bytes == self.bytes || (self.is_divisible && actual.bytes < self.bytes);
        (is_part && part.allows(actual)).then_some(actual.bytes)
    }

    /// True if `actual` is this access: the same place and size, and where a value is stored, its known bits.
    fn allows(&self, actual: &BufferAccess) -> bool {
        let places = [self, actual].map(|access| (access.buffer, access.offset, access.bytes));
        let mask = u128::from(u64::MAX >> 64u32.saturating_sub(8 * self.bytes));
        places[0] == places[1]
            && match (self.stored, actual.stored) {
                (Some(meant), Some(came)) => (meant.value ^ came.value) & !meant.unknown & mask == 0,
                (None, None) => true,
                _ => false,
            }
    }
}

impl fmt::Display for BufferAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BufferAccess { buffer, offset, bytes, stored, .. } = self;
        match stored {
            Some(Known { value, .. }) => write!(f, "store of {value:#x}, {bytes} bytes at {offset} of buffer {buffer}"),
            None => write!(f, "load of {bytes} bytes at {offset} of buffer {buffer}"),
        }
    }
}

/// A buffer's contents after a run: as many values as masks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bytes {
    /// A value for each byte; 0 where its bits are unknown.
    pub values: Vec<u8>,
    /// Bits of each byte that are unknown: poison, or a nondeterministic choice.
    pub unknown: Vec<u8>,
}

impl Bytes {
    /// Each value with its unknown bits.
    pub fn iter(&self) -> impl Iterator<Item = (u8, u8)> {
        self.values.iter().copied().zip(self.unknown.iter().copied())
    }

    /// Keeps the first `count` bytes, and returns the others.
    pub fn split_off(&mut self, count: usize) -> Bytes {
        let at = count.min(self.values.len());
        Bytes { values: self.values.split_off(at), unknown: self.unknown.split_off(at) }
    }

    /// The first byte that differs, or is not known, where it should be; as its place.
    pub(crate) fn difference_from(&self, actual: &Bytes) -> Option<usize> {
        let mut pairs = self.iter().zip(actual.iter());
        pairs.position(|((value, unknown), (other, open))| (value ^ other | open) & !unknown != 0)
    }

    /// The first byte that differs where it is known, as its place.
    fn difference(&self, actual: &[u8]) -> Option<usize> {
        let differs = |((value, unknown), actual): ((&u8, &u8), &u8)| (value ^ actual) & !unknown;
        let pairs = || self.values.iter().zip(&self.unknown).zip(actual);
        // Mostly no byte differs: one fast pass over all bytes first.
        match pairs().fold(0, |any, pair| any | differs(pair)) {
            0 => None,
            _ => pairs().position(|pair| differs(pair) != 0),
        }
    }
}

/// The observable outcome of a run of the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Observation {
    /// Its end.
    pub outcome: Outcome,
    /// Result registers as the return names them (a part of a register for `$w0`), with their width in bits.
    pub returned: Vec<(PReg, u32, Known)>,
    /// The contents of each buffer of the input after it.
    pub buffers: Vec<Bytes>,
    /// Accesses to buffers in order, as far as they were asked for.
    pub accesses: Vec<BufferAccess>,
    /// Calls of unknown functions, in order, of a run that decides what they do.
    pub calls: Vec<ExternalCall>,
}

/// A difference between machine code and the source.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Mismatch {
    /// A result register holds another value.
    #[error("result register {index} is {actual:#x}, expected {expected:#x} (bits that count: {known:#x})")]
    Result {
        /// The number of the result register.
        index: usize,
        /// The source's value.
        expected: u128,
        /// The machine's value.
        actual: u128,
        /// The bits that the source determines.
        known: u128,
    },
    /// A byte of memory differs.
    #[error(
        "byte {offset} of buffer {buffer} is {actual:#04x}, expected {expected:#04x} (bits that count: {known:#04x})"
    )]
    Memory {
        /// The buffer's number in the input.
        buffer: usize,
        /// The byte's offset in the buffer.
        offset: usize,
        /// The source's byte.
        expected: u8,
        /// The machine's byte.
        actual: u8,
        /// The bits that the source determines.
        known: u8,
    },
    /// The volatile accesses are not those of the source.
    #[error("volatile access {index} is {}, expected {}", shown(.accesses[1]), shown(.accesses[0]))]
    Volatile {
        /// The place in the sequence of accesses.
        index: usize,
        /// The source's access there and the machine's, if any.
        accesses: Box<[Option<BufferAccess>; 2]>,
    },
}

impl Mismatch {
    /// Its kind, for signatures.
    pub fn kind(&self) -> FaultKind {
        match self {
            Mismatch::Result { .. } | Mismatch::Memory { .. } => FaultKind::WrongResult,
            Mismatch::Volatile { .. } => FaultKind::VolatileAccess,
        }
    }
}

fn shown(access: Option<BufferAccess>) -> String {
    access.map_or("none".to_string(), |access| access.to_string())
}

/// Compares results and buffers of a run with the source's. `results` gives what is known of the run's result at this
/// index among the source's: its contents, and their width in bits.
pub fn compare(
    source: &Observation,
    results: impl Fn(usize) -> Option<(u128, u32)>,
    buffers: &[Vec<u8>],
) -> Result<(), Mismatch> {
    for (index, &(_, bits, expected)) in source.returned.iter().enumerate() {
        let Some((actual, width)) = results(index) else { continue };
        let bits = bits.min(width);
        let mask = u128::MAX >> u128::BITS.saturating_sub(bits);
        let known = !expected.unknown & mask;
        if (expected.value ^ actual) & known != 0 {
            return Err(Mismatch::Result { index, expected: expected.value & mask, actual: actual & mask, known });
        }
    }
    for (buffer, (expected, actual)) in source.buffers.iter().zip(buffers).enumerate() {
        if let Some(offset) = expected.difference(actual) {
            let (value, known) = (expected.values[offset], !expected.unknown[offset]);
            return Err(Mismatch::Memory { buffer, offset, expected: value, actual: actual[offset], known });
        }
    }
    Ok(())
}

/// Compares a run's accesses with the source's volatile ones: the same sequence in each buffer that the source touches
/// so.
pub fn compare_accesses(source: &Observation, accesses: &[BufferAccess]) -> Result<(), Mismatch> {
    let (same, mut came) = first_accesses(source, accesses)?;
    match (source.accesses.get(same), came.next()) {
        (None, None) => Ok(()),
        (expected, actual) => {
            Err(Mismatch::Volatile { index: same, accesses: Box::new([expected.copied(), actual.copied()]) })
        }
    }
}

/// Compares the accesses of two runs as far as both came: of a source that does not end, say. The result is true if the
/// run made all those of the source.
pub fn compare_first_accesses(source: &Observation, accesses: &[BufferAccess]) -> Result<bool, Mismatch> {
    first_accesses(source, accesses).map(|(same, _)| same == source.accesses.len())
}

/// The number of accesses that are the same, up to the end of one of the lists, and the run's accesses after those.
fn first_accesses<'a>(
    source: &'a Observation,
    accesses: &'a [BufferAccess],
) -> Result<(usize, impl Iterator<Item = &'a BufferAccess>), Mismatch> {
    let is_watched = |access: &&BufferAccess| source.accesses.iter().any(|meant| meant.buffer == access.buffer);
    let mut came = accesses.iter().filter(is_watched);
    for (index, expected) in source.accesses.iter().enumerate() {
        let mut done = 0;
        while done < expected.bytes {
            let Some(actual) = came.next() else { return Ok((index, came)) };
            let Some(part) = expected.rest(done).begun_by(actual) else {
                return Err(Mismatch::Volatile { index, accesses: Box::new([Some(*expected), Some(*actual)]) });
            };
            done += part;
        }
    }
    Ok((source.accesses.len(), came))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(buffer: usize, offset: u64, bytes: u32) -> BufferAccess {
        BufferAccess { buffer, offset, bytes, stored: None, is_divisible: false }
    }

    fn store(offset: u64, bytes: u32, value: u128, unknown: u128) -> BufferAccess {
        BufferAccess { buffer: 1, offset, bytes, stored: Some(Known { value, unknown }), is_divisible: false }
    }

    #[test]
    fn no_volatile_access_may_be_lost_doubled_moved_split_or_resized() {
        let meant = vec![store(0, 4, 7, 0), load(1, 8, 4), store(4, 1, 0x5a, !0xf0), load(1, 8, 4)];
        let source = Observation {
            outcome: Outcome::Returned,
            returned: Vec::new(),
            buffers: Vec::new(),
            accesses: meant.clone(),
            calls: Vec::new(),
        };
        let holds = |accesses: &[BufferAccess]| compare_accesses(&source, accesses).is_ok();
        // Unconstrained bits and bits above the size may differ, and other buffers are not compared.
        let others = [load(0, 0, 8), store(0, 4, 7 | 1 << 40, 0), meant[1], store(4, 1, 0x51, 0), meant[3]];
        assert!(holds(&meant) && holds(&others));
        let wrong: [&[BufferAccess]; 8] = [
            &[],
            &meant[..3],
            &[meant[0], meant[1], meant[1], meant[2], meant[3]],
            &[meant[1], meant[0], meant[2], meant[3]],
            &[meant[0], load(1, 8, 2), load(1, 10, 2), meant[2], meant[3]],
            &[meant[0], load(1, 8, 8), meant[2], meant[3]],
            &[store(0, 4, 6, 0), meant[1], meant[2], meant[3]],
            &[meant[0], meant[1], meant[2], store(8, 4, 0, 0)],
        ];
        for accesses in wrong {
            let mismatch = compare_accesses(&source, accesses).unwrap_err();
            assert_eq!(mismatch.kind(), FaultKind::VolatileAccess, "{mismatch}");
        }
    }

    #[test]
    fn what_no_instruction_makes_whole_is_split_in_ascending_order() {
        let divisible = |access: BufferAccess| BufferAccess { is_divisible: true, ..access };
        let meant = [divisible(store(0, 8, 0x8877_6655_4433_2211, 0)), divisible(load(1, 8, 4))];
        let source = Observation {
            outcome: Outcome::Returned,
            returned: Vec::new(),
            buffers: Vec::new(),
            accesses: meant.to_vec(),
            calls: Vec::new(),
        };
        let [first, second] = [store(0, 4, 0x4433_2211, 0), store(4, 4, 0x8877_6655, 0)];
        let [low, high] = [load(1, 8, 2), load(1, 10, 2)];
        let holds = |accesses: &[BufferAccess]| compare_accesses(&source, accesses).is_ok();
        assert!(holds(&[first, second, low, high]) && holds(&meant) && holds(&[first, second, meant[1]]));
        let wrong: [&[BufferAccess]; 6] = [
            &[second, first, low, high],
            &[first, second, high, low],
            &[first, low, second, high],
            &[first, store(4, 4, 0x8877_6654, 0), low, high],
            &[first, second, low],
            &[first, second, low, high, high],
        ];
        assert!(wrong.iter().all(|accesses| !holds(accesses)));
    }
}
