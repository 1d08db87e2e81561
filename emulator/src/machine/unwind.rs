//! The unwinder's table of an object, and the check that it finds the caller from an instruction: the frame's address,
//! the return address, and every register that the function preserves.
//!
//! Invariant: `gimli` reads the table, and the psABIs number the registers. Nothing is asked of those who wrote it.

use super::{ENTRY_SP, STOP, conventions};
use gimli::{BaseAddresses, CfaRule, EhFrame, LittleEndian, RegisterRule, UnwindContext, UnwindSection};
use std::ops::Range;
use tribunal_ir::PReg;
use tribunal_target::Target;

/// The address of the section while it is read: no image reaches it.
pub(super) const SECTION: u64 = 1 << 30;

/// The rules at some instructions. Registers go by their DWARF numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnwindRow {
    /// Offsets of instructions in the image.
    range: Range<u64>,
    /// The caller's stack pointer: a register, and the bytes added to it.
    frame: (u16, i64),
    /// Registers in memory, each with its distance from the caller's stack pointer.
    saved: Vec<(u16, i64)>,
    /// Registers that nobody can restore.
    lost: Vec<u16>,
}

/// The rows of a section of a machine with words of so many bytes, which was relocated to [`SECTION`]. The error is
/// `gimli`'s, or names a rule that no function of ours needs.
pub(super) fn rows(bytes: &[u8], word: u8) -> Result<Vec<UnwindRow>, String> {
    let mut section = EhFrame::new(bytes, LittleEndian);
    section.set_address_size(word);
    let bases = BaseAddresses::default().set_eh_frame(SECTION);
    let (mut entries, mut context, mut rows) = (section.entries(&bases), UnwindContext::new(), Vec::new());
    let text = |error: gimli::Error| error.to_string();
    while let Some(entry) = entries.next().map_err(text)? {
        let gimli::CieOrFde::Fde(partial) = entry else { continue };
        let function = partial.parse(EhFrame::cie_from_offset).map_err(text)?;
        let mut table = function.rows(&section, &bases, &mut context).map_err(text)?;
        while let Some(row) = table.next_row().map_err(text)? {
            let CfaRule::RegisterAndOffset { register, offset } = *row.cfa() else {
                return Err(format!("the frame is {:?}", row.cfa()));
            };
            let range = row.start_address()..row.end_address();
            let mut own = UnwindRow { range, frame: (register.0, offset), saved: Vec::new(), lost: Vec::new() };
            for (register, rule) in row.registers() {
                match rule {
                    RegisterRule::Offset(offset) => own.saved.push((register.0, *offset)),
                    RegisterRule::Undefined => own.lost.push(register.0),
                    RegisterRule::SameValue => {}
                    rule => return Err(format!("a register is {rule:?}")),
                }
            }
            rows.push(own);
        }
    }
    Ok(rows)
}

/// A table, and what it must find from the outermost function.
pub(super) struct UnwindCheck {
    rows: Vec<UnwindRow>,
    /// Registers of the caller with their DWARF numbers, their contents, and the bits of them that count.
    caller: Vec<(u16, PReg, u64, u32)>,
}

/// The bits of a number of floating point that every machine with such numbers saves.
const NUMBER_BITS: u32 = 32;

impl UnwindCheck {
    /// `kept` are the registers that a function preserves, with their contents.
    pub fn new(target: &Target, rows: Vec<UnwindRow>, kept: impl Iterator<Item = (PReg, u64)>) -> UnwindCheck {
        let all = kept.filter(|(register, _)| *register != target.abi.stack_pointer);
        let caller = all.chain([(target.abi.return_address, STOP)]).filter_map(|(register, value)| {
            let is_general = target.bank_of(target.vocabulary.full_register(register)).is_none_or(|bank| bank.0 == 0);
            let bits = if is_general { target.pointer_bits.into() } else { NUMBER_BITS };
            Some((conventions::dwarf_number(target, register)?, register, value, bits))
        });
        UnwindCheck { rows, caller: caller.collect() }
    }

    /// True if the rules at this offset of the code find the caller, with these contents of registers and of words in
    /// memory. From the frame pointer, once it is set up, a frame record finds the caller too.
    pub fn finds_caller(
        &self,
        target: &Target,
        offset: u64,
        register: impl Fn(PReg) -> u64,
        word: impl Fn(u64) -> Option<u64>,
    ) -> bool {
        let Some(row) = self.rows.iter().find(|row| row.range.contains(&offset)) else { return false };
        let Some(base) = conventions::of_dwarf_number(target, row.frame.0) else { return false };
        let whole = u64::MAX >> (64 - u32::from(target.pointer_bits));
        let frame = register(base).wrapping_add_signed(row.frame.1) & whole;
        frame == ENTRY_SP
            && self.has_record(target, base, &register, &word)
            && self.caller.iter().filter(|(number, ..)| !row.lost.contains(number)).all(
                |&(number, own, value, bits)| {
                    let saved = row.saved.iter().find(|(saved, _)| *saved == number);
                    let found = match saved {
                        Some(&(_, distance)) => word(frame.wrapping_add_signed(distance)),
                        None => Some(register(own)),
                    };
                    found.is_some_and(|found| (found ^ value) << (64 - bits) == 0)
                },
            )
    }

    /// True if the register is not the frame pointer, or a frame record lies where the psABI says: with the caller's
    /// frame pointer and the return address.
    fn has_record(
        &self,
        target: &Target,
        base: PReg,
        register: &impl Fn(PReg) -> u64,
        word: &impl Fn(u64) -> Option<u64>,
    ) -> bool {
        let Some(distances) = conventions::frame_record(target, base) else { return true };
        let whole = u64::MAX >> (64 - u32::from(target.pointer_bits));
        let of_caller = |wanted| self.caller.iter().find(|(_, own, ..)| *own == wanted).map(|&(_, _, value, _)| value);
        let wanted = [of_caller(base), Some(STOP)];
        distances.into_iter().zip(wanted).all(|(distance, wanted)| {
            let found = word(register(base).wrapping_add_signed(distance));
            wanted.is_none_or(|wanted| found.is_some_and(|found| (found ^ wanted) & whole == 0))
        })
    }
}
