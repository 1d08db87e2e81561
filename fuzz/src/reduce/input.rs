//! Reduction of the input: fewer registers, fewer buffers, fewer bits.

use super::Case;
use super::search::Search;
use crate::edit;
use tribunal_emulator::Input;
use tribunal_emulator::input::Buffer;
use tribunal_ir::PReg;

pub(super) fn run(search: &mut Search<'_>) {
    unread(search);
    registers(search);
    buffers(search);
}

/// Changes the best input; keeps the change if the case stays interesting.
fn change(search: &mut Search<'_>, edit: impl FnOnce(&mut Input)) -> bool {
    let changed = changed(search, edit).pop();
    changed.is_some_and(|case| search.other(case))
}

/// The case with its input changed, if it has one.
fn changed(search: &Search<'_>, edit: impl FnOnce(&mut Input)) -> Vec<Case> {
    let mut case = search.case.clone();
    case.input.as_mut().map(edit).map(|()| case).into_iter().collect()
}

/// Registers that no function reads.
fn unread(search: &mut Search<'_>) {
    let functions = search.case.functions.iter();
    let read: Vec<PReg> = functions.flat_map(|function| edit::read_on_entry(function, search.target)).collect();
    change(search, |input| input.registers.retain(|(register, _)| read.contains(register)));
}

/// Each register: zero, one, the low half, then without each of its bits.
fn registers(search: &mut Search<'_>) {
    let count = search.case.input.as_ref().map_or(0, |input| input.registers.len());
    for index in 0..count {
        let is_address = |input: &Input| {
            let value = input.registers[index].1 as u64;
            let end = |buffer: &Buffer| buffer.address.saturating_add(buffer.bytes.len() as u64);
            input.buffers.iter().any(|buffer| (buffer.address..=end(buffer)).contains(&value))
        };
        if search.case.input.as_ref().is_some_and(is_address) {
            continue;
        }
        let simple = [|_: u128| 0, |_| 1, |value| value & 0xffff_ffff, |value| value & 0xffff, |value| value & 0xff];
        for simpler in simple {
            if change(search, |input| input.registers[index].1 = simpler(input.registers[index].1)) {
                break;
            }
        }
        search.shrink((0..u128::BITS).rev().collect(), |search, bits| {
            let mask = bits.iter().fold(0u128, |mask, bit| mask | 1 << bit);
            changed(search, |input| input.registers[index].1 &= !mask)
        });
    }
}

/// Removes buffers from the last on; then zeroes their bytes, and cuts their ends.
fn buffers(search: &mut Search<'_>) {
    while search.case.input.as_ref().is_some_and(|input| !input.buffers.is_empty()) {
        if !change(search, |input| drop(input.buffers.pop())) {
            break;
        }
    }
    let lengths: Vec<usize> =
        search.case.input.iter().flat_map(|input| &input.buffers).map(|buffer| buffer.bytes.len()).collect();
    for (index, length) in lengths.into_iter().enumerate() {
        search.shrink((0..length).rev().collect(), |search, bytes| {
            changed(search, |input| bytes.iter().for_each(|&byte| input.buffers[index].bytes[byte] = 0))
        });
        let mut cut = length;
        while cut > 0 {
            let kept = search.case.input.as_ref().map_or(0, |input| input.buffers[index].bytes.len());
            cut = cut.min(kept);
            if cut == 0 || !change(search, |input| input.buffers[index].bytes.truncate(kept - cut)) {
                cut /= 2;
            }
        }
    }
}
