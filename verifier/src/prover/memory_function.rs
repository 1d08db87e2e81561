//! Memory functions of few bytes, as the loads and stores of bytes that they are: another way to see `memcpy` and its
//! like than as an effect, for a later stage that writes the accesses out.

use super::memory::moved;
use super::opaque::MOST_BYTES;
use super::side::{Scalar, SideState};
use super::term::{Symbolic, Term};
use tribunal_ir::bits::Bits;
use tribunal_ir::semantics::{Domain, Memory, Unsupported};
use tribunal_ir::{InstData, MemFlags, MemOperand, Operand, Type};
use tribunal_target::environment::MemoryFunction;

impl SideState<'_, '_> {
    /// A memory function of few bytes as the loads and stores of bytes that it is: all loads come first.
    pub(super) fn expanded(
        &mut self,
        function: MemoryFunction,
        [dst, second]: [Scalar; 2],
        bytes: Bits,
        data: &InstData,
    ) -> Result<Term, Unsupported> {
        let Some(bytes) =
            bytes.to_i64().and_then(|bytes| u32::try_from(bytes).ok()).filter(|&bytes| bytes <= MOST_BYTES)
        else {
            return Err(Unsupported::different("a memory function of many bytes"));
        };
        let is_volatile = |memory: &MemOperand| memory.flags.contains(MemFlags::VOLATILE);
        let may_tail =
            data.opcode.is_generic() && data.operands.iter().filter_map(Operand::as_imm).any(|flag| flag != 0);
        if data.memory.iter().any(is_volatile) || may_tail {
            return Err(Unsupported::different("a memory function that is volatile or may be a tail call"));
        }
        let (d, memory) = (&mut *self.evaluation.d, &mut self.side.memory);
        let mut ub = if bytes > 0 { dst.poison } else { d.truth(false) };
        let mut claims = data.memory.iter().map(|memory| memory.align);
        let (stored, loaded) = (claims.next().unwrap_or(1), claims.next().unwrap_or(1));
        let mut values: Vec<Scalar> = (0..bytes).map(|_| second.clone()).collect();
        if function != MemoryFunction::Set {
            let overlaps = if function == MemoryFunction::Copy {
                overlap(d, dst.bits, second.bits, bytes)
            } else {
                d.truth(false)
            };
            ub = d.bool_or(&ub, &overlaps);
            for (index, value) in (0..bytes).zip(&mut values) {
                let place = moved(d, second.bits, index);
                let outside;
                (*value, outside) = memory.load(d, &place, 1, &byte(MemFlags::LOAD, loaded, index));
                ub = d.bool_or(&ub, &outside);
                ub = d.bool_or(&ub, &second.poison);
            }
        }
        for (index, value) in (0..bytes).zip(&values) {
            let place = moved(d, dst.bits, index);
            let outside = memory.store(d, &place, value, &byte(MemFlags::STORE, stored, index));
            ub = d.bool_or(&ub, &outside);
        }
        Ok(ub)
    }
}

/// The memory operand of one byte of a range whose first byte has the range's alignment.
fn byte(flags: MemFlags, align: u32, index: u32) -> MemOperand {
    MemOperand::new(flags, Type::scalar(8), if index == 0 { align } else { 1 })
}

/// True where two ranges of so many bytes overlap and are not the same.
fn overlap(d: &mut Symbolic, one: Term, other: Term, bytes: u32) -> Term {
    let (ahead, behind) = (d.sub(&one, &other), d.sub(&other, &one));
    let length = d.literal(bytes.into(), d.width(&one));
    let (near, nearer) = (d.ult(&ahead, &length), d.ult(&behind, &length));
    let overlap = d.bool_or(&near, &nearer);
    let differ = d.ne(&one, &other);
    d.bool_and(&overlap, &differ)
}
