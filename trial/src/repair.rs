//! Inputs on which a run is defined: a word that is followed as a pointer gets an object to point to.
//!
//! A run of the source that leaves all memory says which address it used. If that came from a word of a buffer, the
//! word becomes the address of a fresh object, or now and then of one that is there already, and the source runs once
//! more. So objects are made where they are first followed, and their contents are as arbitrary as any. An object that
//! ends too early grows, and so does one that begins too late: code in C keeps headers before what it points to. If
//! nothing explains the address, or the run fails for another reason, the numbers of the input become small: an index
//! was too large, or a sum.
//!
//! Invariant: the result is an input like any other. The compared runs know nothing of how it was made.

use crate::execution::FUEL;
use crate::inputs::{self, BUFFER_BYTES, Pointers};
use rand::rngs::SmallRng;
use rand::{Rng, RngExt, SeedableRng};
use std::ops::Range;
use tribunal_emulator::input::{
    BUFFER_PAGES, BUFFERS, Buffer, GUARD, Input, MOST_BUFFER_BYTES, PAGE, SYMBOL_PAGES, buffer_address,
};
use tribunal_emulator::interpreter::{Execution, Interpreter, KeptAccesses, Settings, Stray};
use tribunal_emulator::observation::Outcome;

/// Words that become pointers, at most.
const MOST_WORDS: usize = 24;
/// The greatest number of an input whose numbers are small, one less than a power of two.
const SMALL: u8 = 15;

/// The widest access that a stray address may be of, in bytes.
const WIDEST: u64 = 64;

/// True if the run ended in a way that another input may not.
pub(crate) fn is_broken(execution: &Execution) -> bool {
    execution.stray.is_some() || execution.observation.outcome == Outcome::Undefined
}

/// An input near `input` on which the source fixes what must come out; `None` if none is found.
pub(crate) fn repaired(interpreter: &Interpreter<'_>, input: &Input, pointers: Pointers) -> Option<Input> {
    // Pointers that alias may make a cycle, on which a loop does not end.
    [(pointers, SMALL), (Pointers::Apart, 0)]
        .into_iter()
        .find_map(|(pointers, small)| attempt(interpreter, input, pointers, small))
}

/// `small` is the greatest number, where numbers have to be small.
fn attempt(interpreter: &Interpreter<'_>, input: &Input, pointers: Pointers, small: u8) -> Option<Input> {
    let word = interpreter.target().register_bytes() as usize;
    let is_fixed = |address| interpreter.is_constant(address);
    let mut drawing = Drawing { random: SmallRng::seed_from_u64(input.seed()), pointers, word, is_fixed: &is_fixed };
    let mut input = input.clone();
    let mut is_tame = false;
    for _ in 0..MOST_WORDS {
        let settings = Settings { fuel: FUEL, events: 0, accesses: KeptAccesses::All };
        let Execution { observation, stray, .. } = interpreter.run(&input, settings).ok()?;
        match stray {
            None if observation.outcome.is_determined() => return Some(input),
            None if observation.outcome == Outcome::Unconstrained => return None,
            Some(stray) if drawing.reach(&mut input, stray) => continue,
            _ => {}
        }
        if std::mem::replace(&mut is_tame, true) {
            return None;
        }
        drawing.tame(&mut input, small);
        inputs::box_numbers(interpreter.function(), interpreter.target(), &mut input);
    }
    None
}

/// The way to draw changes of an input.
struct Drawing<'f> {
    random: SmallRng,
    /// Whether one may lead to an object that is there already.
    pointers: Pointers,
    /// Bytes of a pointer.
    word: usize,
    /// True for the address of a buffer whose contents must stay.
    is_fixed: &'f dyn Fn(u64) -> bool,
}

impl Drawing<'_> {
    /// Puts memory where the stray access went; false if nothing says how.
    fn reach(&mut self, input: &mut Input, stray: Stray) -> bool {
        if self.grow(input, stray.address) || self.grow_before(input, stray.address) {
            return true;
        }
        let held = stray.word.and_then(|(number, offset)| {
            let buffer = input.buffers.get(number).filter(|buffer| !(self.is_fixed)(buffer.address))?;
            buffer.bytes.get(offset..offset + self.word).map(|bytes| (number, offset, number_of(bytes)))
        });
        let Some((number, offset, held)) = held else {
            // An argument that is null.
            let is_near_null = stray.address.wrapping_add(PAGE) & self.mask() < 2 * PAGE;
            let null = input.registers.iter().position(|&(_, value)| value == 0 && is_near_null);
            let Some((null, address)) = null.zip(self.object(input)) else { return false };
            input.registers[null].1 = address.into();
            return true;
        };
        if input.buffers.iter().any(|buffer| spans(buffer).contains(&held)) {
            return false;
        }
        // Null ends a list. Where it is followed all the same, there is an object.
        let is_end = held != 0 && self.random.random_range(0..2) == 0;
        let address = if is_end { Some(0) } else { self.object(input) };
        let Some(address) = address else { return false };
        input.buffers[number].bytes[offset..offset + self.word].copy_from_slice(&address.to_le_bytes()[..self.word]);
        true
    }

    /// The bits of a pointer.
    fn mask(&self) -> u64 {
        u64::MAX >> (64 - 8 * self.word.min(8))
    }

    /// Extends the buffer that ends before an address on its page.
    fn grow(&mut self, input: &mut Input, address: u64) -> bool {
        let ends_before = |buffer: &&mut Buffer| {
            let room = |start: u64| spans(buffer).end..start + MOST_BUFFER_BYTES - WIDEST;
            has_page(buffer) && room(buffer.address).contains(&address)
        };
        let Some(buffer) = input.buffers.iter_mut().find(ends_before) else { return false };
        let (reached, twice) = (address - buffer.address + WIDEST, 2 * buffer.bytes.len() as u64);
        let more = reached.max(twice).min(MOST_BUFFER_BYTES) as usize - buffer.bytes.len();
        buffer.bytes.extend(self.contents(more));
        true
    }

    /// Puts bytes before the object on whose page an address lies. Pointers to the object follow what they point to.
    fn grow_before(&mut self, input: &mut Input, address: u64) -> bool {
        let begins_after =
            |buffer: &Buffer| is_movable(buffer) && (buffer.address - GUARD..buffer.address).contains(&address);
        let Some(number) = input.buffers.iter().position(begins_after) else { return false };
        let place = spans(&input.buffers[number]);
        let distance = (place.start - address).next_multiple_of(WIDEST);
        if place.end - place.start + distance > MOST_BUFFER_BYTES {
            return false;
        }
        let header = self.contents(distance as usize);
        input.buffers[number].bytes.splice(0..0, header);
        let moved = |value: u64| if place.contains(&value) { value + distance } else { value };
        input.registers.iter_mut().for_each(|(_, value)| *value = with_low(*value, moved(*value as u64)));
        let buffers = input.buffers.iter_mut().filter(|buffer| !(self.is_fixed)(buffer.address));
        for word in buffers.flat_map(|buffer| buffer.bytes.chunks_exact_mut(self.word)) {
            let address = moved(number_of(word)).to_le_bytes();
            word.copy_from_slice(&address[..self.word]);
        }
        true
    }

    /// The address of an object: mostly of a fresh one, as long as there is room.
    fn object(&mut self, input: &mut Input) -> Option<u64> {
        let is_free = |page: &u64| !input.buffers.iter().any(|buffer| (*page..page + PAGE).contains(&buffer.address));
        let free = (0..BUFFER_PAGES as usize).map(buffer_address).find(is_free);
        let known: Vec<u64> =
            input.buffers.iter().filter(|buffer| has_page(buffer)).map(|known| known.address).collect();
        let may_share = self.pointers == Pointers::Aliasing && !known.is_empty();
        if may_share && (free.is_none() || self.random.random_range(0..4) == 0) {
            return Some(known[self.random.random_range(0..known.len())]);
        }
        let address = free?;
        input.buffers.push(Buffer { address, bytes: self.contents(BUFFER_BYTES as usize) });
        Some(address)
    }

    /// Zeros, small numbers or noise.
    fn contents(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = vec![0u8; count];
        match self.random.random_range(0..4) {
            0 => {}
            1 => self.random.fill_bytes(&mut bytes),
            _ => bytes.iter_mut().step_by(4).for_each(|byte| *byte = self.random.random_range(0..=SMALL)),
        }
        bytes
    }

    /// Makes every number small that is no pointer.
    fn tame(&self, input: &mut Input, small: u8) {
        let places: Vec<Range<u64>> = input.buffers.iter().map(spans).collect();
        let is_pointer = |value| places.iter().any(|place| place.contains(&value));
        for (_, value) in input.registers.iter_mut().filter(|(_, value)| !is_pointer(*value as u64)) {
            *value &= u128::from(small);
        }
        let buffers = input.buffers.iter_mut().filter(|buffer| !(self.is_fixed)(buffer.address));
        for word in buffers.flat_map(|buffer| buffer.bytes.chunks_mut(self.word)) {
            if !is_pointer(number_of(word)) {
                let masks = [small, 0, 0, 0].into_iter().cycle();
                word.iter_mut().zip(masks).for_each(|(byte, mask)| *byte &= mask);
            }
        }
    }
}

/// A register's contents with other low bits.
fn with_low(value: u128, low: u64) -> u128 {
    value >> u64::BITS << u64::BITS | u128::from(low)
}

/// True for the buffer of an argument, or an object: it is the only one on its page.
fn has_page(buffer: &Buffer) -> bool {
    let is_inside = (BUFFERS..BUFFERS + BUFFER_PAGES * PAGE).contains(&buffer.address);
    is_inside && buffer.address % PAGE == GUARD
}

/// True for a buffer that pointers alone reach: code knows the address of a symbol.
fn is_movable(buffer: &Buffer) -> bool {
    has_page(buffer) && buffer.address < buffer_address((BUFFER_PAGES - SYMBOL_PAGES) as usize)
}

fn spans(buffer: &Buffer) -> Range<u64> {
    buffer.address..buffer.address.saturating_add(buffer.bytes.len() as u64)
}

fn number_of(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}
