//! Frames of every shape: sizes at the limits of what instructions encode, objects more aligned than the stack,
//! objects of variable size that come and go.
//!
//! Addresses in a frame differ from run to run, so no value depends on one; what is seen is that an address is aligned,
//! and that the stack pointer is back where it was.

use super::{Entry, Generator, Place};
use arbitrary::Result;
use tribunal_ir::types::S64;
use tribunal_ir::{InstData, MemFlags, MemOperand, Opcode, Operand, SlotKind, StackObject, Type, VReg};

/// The sizes around which instructions of frames change, in bytes: offsets of 11 and 12 bits, of 12 bits times the
/// size of a register, additions of 12 bits, and of 12 bits above those.
const LIMITS: [u32; 6] = [512, 2048, 4096, 8192, 16384, 32768];
/// The same, of so many bytes that few programs have it.
const FAR_LIMIT: u32 = 1 << 20;
/// Alignments beyond that of the stack, in bytes.
const ALIGNMENTS: [u32; 4] = [16, 32, 64, 256];
/// Bytes of an object of variable size that are accessed.
const VARIABLE_BYTES: u32 = 16;

impl Generator<'_, '_, '_> {
    /// An object that makes the frame as large as a limit, or nearly, and one of which the alignment is seen.
    pub(super) fn frame_at_limit(&mut self) -> Result<()> {
        if !self.policy.frames || self.u.arbitrary()? {
            return Ok(());
        }
        // An execution makes the whole frame, so the larger ones are rarer.
        let limit = match self.u.int_in_range(0..=255u32)? {
            0 => FAR_LIMIT,
            1..=63 => *self.u.choose(&LIMITS)?,
            _ => *self.u.choose(&LIMITS[..3])?,
        };
        // The frame has other parts, whose sizes are not known here.
        let bytes = limit - 8 * self.u.int_in_range(0..=32)? + 8 * self.u.int_in_range(0..=2)?;
        self.object("filler", bytes, 8, &[0, bytes - 8])?;
        if self.u.arbitrary()? {
            let align = *self.u.choose(&ALIGNMENTS)?;
            let base = self.object("aligned", 16, align, &[0, 8])?;
            self.see_alignment(base, align);
        }
        Ok(())
    }

    /// An object with words written at these offsets, which may be accessed.
    fn object(&mut self, name: &str, bytes: u32, align: u32, written: &[u32]) -> Result<VReg> {
        let object = StackObject { name: name.to_string(), ..StackObject::new(SlotKind::Default, bytes.into(), align) };
        let slot = self.builder.function.stack.push(object);
        let base = self.builder.build(self.pointer_type(), Opcode::G_FRAME_INDEX, [Operand::Stack(slot)]);
        for &offset in written {
            self.place_of_word(base, offset)?;
        }
        Ok(base)
    }

    /// Writes the word at an offset, which may be accessed from then on.
    fn place_of_word(&mut self, base: VReg, offset: u32) -> Result<()> {
        let value = self.value(S64, true)?;
        let address = self.offset_by(base, offset);
        self.builder.store(value.register, address, MemOperand::new(MemFlags::STORE, S64, 8));
        self.pointers.push(Place { base: address, bytes: 8, align: 8 });
        Ok(())
    }

    /// The low bits of an address, which are zeros, as a value.
    fn see_alignment(&mut self, base: VReg, align: u32) {
        let word = self.register_type();
        let address = self.builder.op(word, Opcode::G_PTRTOINT, &[base]);
        let mask = self.builder.constant_i64(word, i64::from(align) - 1);
        let register = self.builder.op(word, Opcode::G_AND, &[address, mask]);
        self.scope.push(Entry { register, ty: word, deterministic: true });
    }

    /// An object of variable size with statements that use it, and the stack pointer put back after them.
    pub(super) fn variable_object(&mut self, depth: u32) -> Result<()> {
        let (pointer, word) = (self.pointer_type(), self.register_type());
        let outer = self.pointers.len();
        let saved = self.builder.build(pointer, Opcode::G_STACKSAVE, []);
        // A multiple of the stack's alignment, as the IRTranslator rounds it.
        let drawn = self.value(word, true)?;
        let mask = self.builder.constant_i64(word, *self.u.choose(&[0x10, 0x30, 0x70])?);
        let some = self.builder.op(word, Opcode::G_AND, &[drawn.register, mask]);
        let least = self.builder.constant_i64(word, VARIABLE_BYTES.into());
        let size = self.builder.op(word, Opcode::G_ADD, &[some, least]);
        let align = *self.u.choose(&[1, 8, 16, 32, 64])?;
        let object = StackObject::new(SlotKind::VariableSized, 0, align);
        self.builder.function.stack.push(object);
        let operands = [Operand::used(size), Operand::Imm(align.into())];
        let base = self.builder.build(pointer, Opcode::G_DYN_STACKALLOC, operands);
        for offset in (0..VARIABLE_BYTES).step_by(8) {
            self.place_of_word(base, offset)?;
        }
        self.see_alignment(base, align.max(self.target.abi.stack_align));
        self.region(depth + 1)?;
        self.pointers.truncate(outer);
        self.builder.push(InstData::new(Opcode::G_STACKRESTORE, [Operand::used(saved)]));
        self.see_height(saved, word);
        Ok(())
    }

    /// The distance of the stack pointer from where it was saved: zero.
    fn see_height(&mut self, saved: VReg, word: Type) {
        let again = self.builder.build(self.pointer_type(), Opcode::G_STACKSAVE, []);
        let places = [again, saved].map(|place| self.builder.op(word, Opcode::G_PTRTOINT, &[place]));
        let register = self.builder.op(word, Opcode::G_SUB, &places);
        self.scope.push(Entry { register, ty: word, deterministic: true });
    }
}
