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
        let name = self.builder.function.intern(&format!("llvm.aarch64.neon.{name}{turns}"));
        let mut vectors = Vec::new();
        for _ in 0..turns {
            vectors.push(match flags {
                MemFlags::LOAD => self.builder.function.new_vreg(ty),
                _ => self.built(element, lanes)?.register,
            });
        }
        let used = |&register: &VReg| Operand::used(register);
        let (defs, sources): (Vec<Operand>, Vec<Operand>) = match flags {
            MemFlags::LOAD => (vectors.iter().copied().map(Operand::def).collect(), Vec::new()),
            _ => (Vec::new(), vectors.iter().map(used).collect()),
        };
        let operands = defs.into_iter().chain([Operand::Intrinsic(name)]).chain(sources);
        let data = InstData::new(Opcode::G_INTRINSIC_W_SIDE_EFFECTS, operands.chain([Operand::used(address)]));
        self.builder.push(data.with_memory(MemOperand::new(flags, whole, align)));
        if flags == MemFlags::LOAD {
            // Memory holds whatever was stored: poison among it.
            vectors.into_iter().for_each(|register| self.show_vector(Entry { register, ty, deterministic: false }));
        }
        Ok(())
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
