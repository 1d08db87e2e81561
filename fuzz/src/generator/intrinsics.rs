//! Intrinsics that the legalizer writes out for every target: vectors whose elements lie in memory by turns, shifts
//! that keep bits of another vector, and queries about frames.

use super::{Entry, Generator};
use arbitrary::Result;
use tribunal_ir::types::{ElementCount, S8, S16, S32};
use tribunal_ir::{InstData, MemFlags, MemOperand, Opcode, Operand, Type, VReg};

/// An intrinsic of the programs.
#[derive(Clone, Copy)]
pub(super) enum Intrinsic {
    /// A load of two to four vectors by turns.
    LoadInterleaved,
    /// The same, stored.
    StoreInterleaved,
    /// A shift up or down that keeps the bits which it does not reach.
    ShiftInsert(&'static str),
    /// The address of a frame, or of the code that it returns to.
    Frame(&'static str),
}

impl Intrinsic {
    /// All of them.
    pub const ALL: [Intrinsic; 6] = [
        Intrinsic::LoadInterleaved,
        Intrinsic::StoreInterleaved,
        Intrinsic::ShiftInsert("llvm.aarch64.neon.vsli"),
        Intrinsic::ShiftInsert("llvm.aarch64.neon.vsri"),
        Intrinsic::Frame("llvm.frameaddress"),
        Intrinsic::Frame("llvm.returnaddress"),
    ];
}

impl Generator<'_, '_, '_> {
    /// A use of the intrinsic; all that it computes is shown.
    pub(super) fn by_intrinsic(&mut self, intrinsic: Intrinsic) -> Result<()> {
        match intrinsic {
            Intrinsic::LoadInterleaved => self.interleaved("ld", MemFlags::LOAD),
            Intrinsic::StoreInterleaved => self.interleaved("st", MemFlags::STORE),
            Intrinsic::ShiftInsert(name) => self.shift_insert(name),
            Intrinsic::Frame(name) => self.frame_query(name),
        }
    }

    fn interleaved(&mut self, name: &str, flags: MemFlags) -> Result<()> {
        let place = *self.u.choose(&self.pointers)?;
        let (turns, drawn) = (self.u.int_in_range(2..=4)?, *self.u.choose(&[S8, S16, S32])?);
        let whole = Type::scalar(2 * drawn.bits() * turns);
        if whole.bytes() > place.bytes {
            return self.access();
        }
        let (address, align) = self.address(place, whole.bytes())?;
        // An element lies at a multiple of its size.
        let element = if drawn.bytes() <= align { drawn } else { S8 };
        let lanes = (2 * drawn.bits() / element.bits()) as u16;
        let Some(ty) = element.times(ElementCount::fixed(lanes)) else { return self.expression() };
        let (name, memory) = (format!("llvm.aarch64.neon.{name}{turns}"), MemOperand::new(flags, whole, align));
        if flags == MemFlags::LOAD {
            let vectors: Vec<VReg> = (0..turns).map(|_| self.builder.function.new_vreg(ty)).collect();
            let defs = vectors.iter().copied().map(Operand::def).collect();
            self.acting_intrinsic(&name, defs, &[address], Some(memory));
            // Memory holds whatever was stored: poison among it.
            vectors.into_iter().for_each(|register| self.show_vector(Entry { register, ty, deterministic: false }));
            return Ok(());
        }
        let mut sources = Vec::new();
        for _ in 0..turns {
            sources.push(self.built(element, lanes)?.register);
        }
        sources.push(address);
        self.acting_intrinsic(&name, Vec::new(), &sources, Some(memory));
        Ok(())
    }

    /// A call of an intrinsic with effects.
    pub(super) fn acting_intrinsic(
        &mut self,
        name: &str,
        mut operands: Vec<Operand>,
        uses: &[VReg],
        memory: Option<MemOperand>,
    ) {
        operands.push(Operand::Intrinsic(self.builder.function.intern(name)));
        operands.extend(uses.iter().copied().map(Operand::used));
        let data = InstData::new(Opcode::G_INTRINSIC_W_SIDE_EFFECTS, operands);
        self.builder.push(InstData { memory: memory.into_iter().collect(), ..data });
    }

    fn shift_insert(&mut self, name: &str) -> Result<()> {
        let element = *self.u.choose(&[S8, S16, S32])?;
        let (old, new) = (self.built(element, 2)?, self.built(element, 2)?);
        let (name, amount) =
            (self.builder.function.intern(name), self.u.int_in_range(1..=i64::from(element.bits()) - 1)?);
        let vectors = [old.register, new.register].map(Operand::used);
        let operands = [Operand::Intrinsic(name)].into_iter().chain(vectors).chain([Operand::Imm(amount)]);
        let register = self.builder.build(old.ty, Opcode::G_INTRINSIC, operands);
        let deterministic = old.deterministic && new.deterministic;
        self.show_vector(Entry { register, ty: old.ty, deterministic });
        Ok(())
    }

    /// The difference of a query asked twice: addresses are other ones in each run.
    fn frame_query(&mut self, name: &str) -> Result<()> {
        let (ty, number) = (self.pointer_type(), Type::scalar(self.pointer_type().bits()));
        let name = self.builder.function.intern(name);
        let answers: Vec<VReg> = (0..2)
            .map(|_| {
                let address = self.builder.build(ty, Opcode::G_INTRINSIC, [Operand::Intrinsic(name), Operand::Imm(0)]);
                self.builder.op(number, Opcode::G_PTRTOINT, &[address])
            })
            .collect();
        let register = self.builder.op(number, Opcode::G_SUB, &answers);
        self.scope.push(Entry { register, ty: number, deterministic: true });
        Ok(())
    }
}
