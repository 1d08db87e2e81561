//! Inserts generic instructions at a position and records them. The recipes and the generator write with it.

use crate::bits::Bits;
use crate::entities::{Block, Inst, VReg};
use crate::function::Function;
use crate::inst::{InstData, InstFlags};
use crate::memory::MemOperand;
use crate::opcode::Opcode;
use crate::operand::Operand;
use crate::predicate::IntPredicate;
use crate::types::{S1, Type};
use smallvec::SmallVec;

/// The position of the next instruction.
#[derive(Clone, Copy, Debug)]
pub enum Position {
    /// Before this instruction; pushed instructions stand there in the order of pushing.
    Before(Inst),
    /// After this instruction, in the order of pushing.
    After(Inst),
    /// In a slot that [`Function::take`] has emptied; then after it.
    InPlaceOf(Inst),
    /// At the end of this block.
    AtEnd(Block),
}

/// Writes instructions into a function at one position.
pub struct Builder<'f> {
    /// The function that is written to.
    pub function: &'f mut Function,
    /// The position of the next instruction.
    pub position: Position,
    /// The instructions written, in order.
    pub written: SmallVec<[Inst; 8]>,
}

impl<'f> Builder<'f> {
    /// A builder that writes to `function` at `position`.
    pub fn new(function: &'f mut Function, position: Position) -> Builder<'f> {
        Builder { function, position, written: SmallVec::new() }
    }

    /// Inserts `data` at the position, and moves the position after it.
    pub fn push(&mut self, data: InstData) -> Inst {
        let inst = match self.position {
            Position::Before(inst) => self.function.insert_before(inst, data),
            Position::AtEnd(block) => self.function.append(block, data),
            Position::After(last) => self.function.insert_after(last, data),
            Position::InPlaceOf(slot) => {
                self.function.replace(slot, data);
                slot
            }
        };
        if let Position::After(_) | Position::InPlaceOf(_) = self.position {
            self.position = Position::After(inst);
        }
        self.written.push(inst);
        inst
    }

    /// `%dst = OPCODE operands`, with `%dst` given.
    pub fn define(&mut self, dst: VReg, opcode: Opcode, operands: impl IntoIterator<Item = Operand>) -> Inst {
        let mut data = InstData::new(opcode, [Operand::def(dst)]);
        data.operands.extend(operands);
        self.push(data)
    }

    /// `%new:_(ty) = OPCODE operands`.
    pub fn build(&mut self, ty: Type, opcode: Opcode, operands: impl IntoIterator<Item = Operand>) -> VReg {
        let dst = self.function.new_vreg(ty);
        self.define(dst, opcode, operands);
        dst
    }

    /// An operation on registers only, with `%dst` given.
    pub fn define_op(&mut self, dst: VReg, opcode: Opcode, sources: &[VReg]) -> Inst {
        self.push(InstData::op(opcode, dst, sources))
    }

    /// An operation on registers only; the result has type `ty`.
    pub fn op(&mut self, ty: Type, opcode: Opcode, sources: &[VReg]) -> VReg {
        let dst = self.function.new_vreg(ty);
        self.define_op(dst, opcode, sources);
        dst
    }

    /// The same with flags.
    pub fn op_with(&mut self, ty: Type, opcode: Opcode, sources: &[VReg], flags: InstFlags) -> VReg {
        let dst = self.function.new_vreg(ty);
        self.push(InstData::op(opcode, dst, sources).with_flags(flags));
        dst
    }

    /// `G_CONSTANT`. A pointer constant takes the pointer's size.
    pub fn constant(&mut self, ty: Type, value: Bits) -> VReg {
        let dst = self.function.new_vreg(ty);
        self.define_constant(dst, value.zext_or_trunc(ty.bits()));
        dst
    }

    /// `%dst = G_CONSTANT value`, with `%dst` given.
    pub fn define_constant(&mut self, dst: VReg, value: Bits) -> Inst {
        let value = self.function.constant(value);
        self.define(dst, Opcode::G_CONSTANT, [value])
    }

    /// `G_CONSTANT` of a small signed value, sign-extended to the type.
    pub fn constant_i64(&mut self, ty: Type, value: i64) -> VReg {
        self.constant(ty, Bits::from_i64(value, ty.bits()))
    }

    /// `G_ICMP` with an `s1` result.
    pub fn icmp(&mut self, predicate: IntPredicate, left: VReg, right: VReg) -> VReg {
        self.build(S1, Opcode::G_ICMP, [Operand::Predicate(predicate), Operand::used(left), Operand::used(right)])
    }

    /// `G_SELECT`.
    pub fn select(&mut self, condition: VReg, if_true: VReg, if_false: VReg) -> VReg {
        let ty = self.type_of(if_true);
        self.op(ty, Opcode::G_SELECT, &[condition, if_true, if_false])
    }

    /// `G_UNMERGE_VALUES`: low part first.
    pub fn unmerge(&mut self, part: Type, source: VReg) -> Vec<VReg> {
        let count = self.type_of(source).bits() / part.bits();
        let parts: Vec<VReg> = (0..count).map(|_| self.function.new_vreg(part)).collect();
        let defs = parts.iter().copied().map(Operand::def);
        self.push(InstData::new(Opcode::G_UNMERGE_VALUES, defs.chain([Operand::used(source)])));
        parts
    }

    /// `G_LOAD`, `G_ZEXTLOAD` or `G_SEXTLOAD`.
    pub fn load(&mut self, opcode: Opcode, ty: Type, pointer: VReg, memory: MemOperand) -> VReg {
        let dst = self.function.new_vreg(ty);
        self.push(InstData::new(opcode, [Operand::def(dst), Operand::used(pointer)]).with_memory(memory));
        dst
    }

    /// `G_STORE`.
    pub fn store(&mut self, value: VReg, pointer: VReg, memory: MemOperand) -> Inst {
        self.push(InstData::new(Opcode::G_STORE, [Operand::used(value), Operand::used(pointer)]).with_memory(memory))
    }

    /// The type of a generic register. Panics on a selected one: nothing is built from those.
    pub fn type_of(&self, register: VReg) -> Type {
        self.function.type_of(register).expect("a generic register has a type")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::S64;

    /// The first instruction takes the slot, the others follow it, and the rest of the block stays where it is.
    #[test]
    fn in_place_of_keeps_order_and_counts() {
        let mut function = Function::new("f");
        let block = function.new_block();
        let mut builder = Builder::new(&mut function, Position::AtEnd(block));
        let one = builder.constant_i64(S64, 1);
        let sum = builder.op(S64, Opcode::G_ADD, &[one, one]);
        builder.op(S64, Opcode::G_SUB, &[sum, one]);
        let written = builder.written.clone();

        let taken = function.take(written[1]);
        assert_eq!((taken.opcode, function.use_count(one), function.def_of(sum)), (Opcode::G_ADD, 1, None));
        let mut builder = Builder::new(&mut function, Position::InPlaceOf(written[1]));
        let two = builder.constant_i64(S64, 2);
        builder.define_op(sum, Opcode::G_MUL, &[one, two]);
        let [slot, next] = builder.written[..] else { panic!("two were written") };

        assert_eq!(slot, written[1]);
        assert!(function.insts(block).eq([written[0], slot, next, written[2]]));
        assert_eq!((function.use_count(one), function.def_of(sum)), (2, Some(next)));
    }
}
