//! The recipes' writer: a builder placed before the instruction, and the operations that legalization uses.

use smallvec::SmallVec;
use tribunal_ir::bits::Bits;
use tribunal_ir::inst::{InstFlags, Operands};
use tribunal_ir::types::S1;
use tribunal_ir::{
    Block, Builder, Function, Inst, InstData, IntPredicate, Opcode, OpcodeFlags, Operand, Position, RegMask, Type,
    VReg, Vocabulary,
};

/// One application being written.
pub(super) struct Recipe<'f> {
    pub builder: Builder<'f>,
    /// The instruction to replace, as it was.
    pub data: &'f InstData,
    /// The mask of the calls that the function makes.
    pub call_mask: Option<RegMask>,
    /// Its slot, which takes the first instruction written here.
    pub inst: Inst,
    pub vocabulary: &'f dyn Vocabulary,
    /// The instructions written in predecessors, for a PHI.
    outside: Vec<Inst>,
}

/// The instructions that an application wrote.
pub(super) struct Written {
    outside: Vec<Inst>,
    inside: SmallVec<[Inst; 8]>,
}

impl Written {
    pub fn all(&self) -> impl Iterator<Item = Inst> + '_ {
        self.outside.iter().chain(&self.inside).copied()
    }

    /// The order in which one entry into the block executes them: predecessors first.
    pub fn execution_order(&self) -> Vec<Inst> {
        self.all().collect()
    }
}

impl<'f> Recipe<'f> {
    /// Writes in the place of `inst`, which was `data` and has been taken out of its slot.
    pub fn new(
        function: &'f mut Function,
        vocabulary: &'f dyn Vocabulary,
        (inst, data): (Inst, &'f InstData),
        call_mask: Option<RegMask>,
    ) -> Recipe<'f> {
        let builder = Builder::new(function, Position::InPlaceOf(inst));
        Recipe { builder, data, call_mask, inst, vocabulary, outside: Vec::new() }
    }

    /// The width of a general register in bits.
    pub fn register_bits(&self) -> u32 {
        self.vocabulary.pointer_bits(0).into()
    }

    pub fn finish(self) -> Written {
        if self.builder.written.first() != Some(&self.inst) {
            self.builder.function.remove(self.inst);
        }
        Written { outside: self.outside, inside: self.builder.written }
    }

    /// The register at operand `index`.
    pub fn register(&self, index: usize) -> VReg {
        self.data.vreg(index).expect("legality has read this operand's type")
    }

    pub fn dst(&self) -> VReg {
        self.register(0)
    }

    pub fn type_of(&self, register: VReg) -> Type {
        self.builder.type_of(register)
    }

    pub fn bits_of(&self, register: VReg) -> u32 {
        self.type_of(register).bits()
    }

    /// The immediate at operand `index`: a width, or a place in a value.
    pub fn imm(&self, index: usize) -> u32 {
        let imm = self.data.imm(index).and_then(|imm| u32::try_from(imm).ok());
        imm.expect("the pipeline has refused immediates outside of their rows' ranges")
    }

    /// The value of a `G_CONSTANT`.
    pub fn constant_value(&self) -> Option<Bits> {
        self.data.operands.get(1).and_then(|operand| self.builder.function.constant_value(operand))
    }

    /// An operation on registers.
    pub fn op(&mut self, ty: Type, opcode: Opcode, sources: &[VReg]) -> VReg {
        self.builder.op(ty, opcode, sources)
    }

    /// The same, defining the result of the instruction replaced.
    pub fn define(&mut self, dst: VReg, opcode: Opcode, sources: &[VReg]) {
        self.builder.define_op(dst, opcode, sources);
    }

    /// The same for an operation of two results.
    pub fn define_both(&mut self, first: VReg, second: VReg, opcode: Opcode, sources: &[VReg]) {
        let operands = [Operand::def(first), Operand::def(second)].into_iter();
        self.builder.push(InstData::new(opcode, operands.chain(sources.iter().copied().map(Operand::used))));
    }

    pub fn constant(&mut self, ty: Type, value: i64) -> VReg {
        self.builder.constant_i64(ty, value)
    }

    /// The low `bits` bits set.
    pub fn mask(&mut self, ty: Type, bits: u32) -> VReg {
        self.builder.constant(ty, Bits::ones(bits).zext_or_trunc(ty.bits()))
    }

    /// A byte repeated over the whole width.
    pub fn repeated(&mut self, ty: Type, byte: u8) -> VReg {
        self.builder.constant(ty, Bits::repeated(byte, ty.bits()))
    }

    pub fn icmp(&mut self, predicate: IntPredicate, left: VReg, right: VReg) -> VReg {
        self.builder.icmp(predicate, left, right)
    }

    pub fn select(&mut self, condition: VReg, if_true: VReg, if_false: VReg) -> VReg {
        self.builder.select(condition, if_true, if_false)
    }

    /// A shift by a constant.
    pub fn shift(&mut self, opcode: Opcode, value: VReg, amount: u32) -> VReg {
        let ty = self.type_of(value);
        let amount = self.constant(ty, i64::from(amount));
        self.op(ty, opcode, &[value, amount])
    }

    /// The bits of a pointer as a number; another value as it is.
    pub fn number(&mut self, value: VReg) -> VReg {
        match self.type_of(value) {
            ty if ty.is_pointer() => self.op(Type::scalar(ty.bits()), Opcode::G_PTRTOINT, &[value]),
            _ => value,
        }
    }

    /// `value` brought to `ty` by `extension` or by truncation.
    pub fn resized(&mut self, extension: Opcode, value: VReg, ty: Type) -> VReg {
        match self.bits_of(value).cmp(&ty.bits()) {
            std::cmp::Ordering::Equal => value,
            std::cmp::Ordering::Less => self.op(ty, extension, &[value]),
            std::cmp::Ordering::Greater => self.op(ty, Opcode::G_TRUNC, &[value]),
        }
    }

    /// Defines `dst` as `value` brought to its type.
    pub fn define_resized(&mut self, dst: VReg, extension: Opcode, value: VReg) {
        let opcode = match self.bits_of(value).cmp(&self.bits_of(dst)) {
            std::cmp::Ordering::Equal => Opcode::COPY,
            std::cmp::Ordering::Less => extension,
            std::cmp::Ordering::Greater => Opcode::G_TRUNC,
        };
        self.define(dst, opcode, &[value]);
    }

    /// Low part, or first element, first.
    pub fn unmerge(&mut self, part: Type, value: VReg) -> Vec<VReg> {
        self.builder.unmerge(part, value)
    }

    pub fn merge(&mut self, dst: VReg, parts: &[VReg]) {
        let opcode = if self.type_of(dst).is_vector() { Opcode::G_BUILD_VECTOR } else { Opcode::G_MERGE_VALUES };
        self.define(dst, opcode, parts);
    }

    /// `pointer + offset` bytes.
    pub fn pointer_plus(&mut self, pointer: VReg, offset: u32) -> VReg {
        if offset == 0 {
            return pointer;
        }
        let ty = self.type_of(pointer);
        let offset = self.constant(Type::scalar(ty.bits()), i64::from(offset));
        self.op(ty, Opcode::G_PTR_ADD, &[pointer, offset])
    }

    /// The instruction with its operands replaced; flags only if `keep`.
    pub fn rewritten(&mut self, operands: Operands, keep: Flags) {
        let flags = if keep == Flags::Keep { self.data.flags } else { InstFlags::empty() };
        let InstData { opcode, ref memory, .. } = *self.data;
        self.builder.push(InstData { opcode, flags, operands, memory: SmallVec::from_slice(memory) });
    }

    /// Writes before the terminators of a predecessor; see [`tribunal_ir::Fragment`] on how such steps are judged.
    pub fn in_predecessor<T>(&mut self, block: Block, write: impl FnOnce(&mut Recipe<'f>) -> T) -> T {
        let vocabulary = self.vocabulary;
        let is_terminator = |data: &InstData| {
            let flags = match data.opcode {
                Opcode::Target(opcode) => vocabulary.opcode_flags(opcode),
                generic => generic.info().map_or(OpcodeFlags::empty(), |info| info.flags),
            };
            flags.contains(OpcodeFlags::TERMINATOR)
        };
        let position = match self.builder.function.first_terminator(block, is_terminator) {
            Some(terminator) => Position::Before(terminator),
            None => Position::AtEnd(block),
        };
        let home = std::mem::replace(&mut self.builder.position, position);
        let inside = std::mem::take(&mut self.builder.written);
        let result = write(self);
        self.outside.extend(std::mem::replace(&mut self.builder.written, inside));
        self.builder.position = home;
        result
    }

    /// Continues after the last PHI of the block.
    pub fn after_phis(&mut self) {
        let mut position = self.inst;
        while let Some(next) = self.builder.function.next_inst(position) {
            position = next;
            if !self.builder.function.inst(next).opcode.is_phi() {
                break;
            }
        }
        self.builder.position = match self.builder.function.inst(position).opcode.is_phi() {
            false => Position::Before(position),
            // A block of PHIs alone falls through.
            true => match self.builder.function.block_of(self.inst) {
                Some(block) => Position::AtEnd(block),
                None => Position::Before(position),
            },
        };
    }

    /// A new `s1`-typed or wider register is a condition already; a truth value as `ty`, 0 or 1.
    pub fn truth(&mut self, condition: VReg, ty: Type) -> VReg {
        debug_assert_eq!(self.type_of(condition), S1);
        self.op(ty, Opcode::G_ZEXT, &[condition])
    }
}

/// Whether a rewritten instruction keeps its poison flags.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Flags {
    Keep,
    Drop,
}
