//! Blocks as long as a branch reaches, a few bytes more or less: forwards and backwards.
//!
//! Fences fill them: each is one instruction of one size, and does nothing that a single thread sees.

use super::{Entry, Generator};
use arbitrary::Result;
use tribunal_ir::{AtomicOrdering, InstData, Opcode, OpcodeFlags, Operand, Position};
use tribunal_target::instructions::OperandDesc;

/// Bytes of a fence.
const FENCE_BYTES: u32 = 4;
/// Fences at most.
const MOST: u32 = 1 << 13;
/// Fences by which a block may miss the limit, on both sides.
const AROUND: u32 = 8;
/// The system's scope of a fence: all threads.
const SYSTEM: i64 = 1;

impl Generator<'_, '_, '_> {
    /// Branches over a block, or back to its start, of a length at the limit of some branch of the target.
    pub(super) fn long_way(&mut self) -> Result<()> {
        let reaches = self.reaches();
        if reaches.is_empty() {
            return self.expression();
        }
        // The shortest mostly: a long block takes long to judge.
        let reach = if self.u.ratio(15, 16)? { reaches[0] } else { *self.u.choose(&reaches)? };
        let fences = reach / FENCE_BYTES - AROUND + self.u.int_in_range(0..=2 * AROUND)?;
        match self.policy.loops && self.u.arbitrary()? {
            true => self.long_loop(fences),
            false => self.long_detour(fences),
        }
    }

    /// The distances that conditional branches of the target reach, in bytes, the shortest first.
    fn reaches(&self) -> Vec<u32> {
        let conditional = |flags: OpcodeFlags| {
            flags.contains(OpcodeFlags::BRANCH) && !flags.intersects(OpcodeFlags::BARRIER | OpcodeFlags::CALL)
        };
        let reach = |operand: &OperandDesc| match *operand {
            OperandDesc::Label { bits, .. } => 1u32.checked_shl(u32::from(bits) - 1),
            _ => None,
        };
        let rows = self.target.instructions.iter().filter(|row| conditional(row.flags));
        let mut reaches: Vec<u32> = rows.flat_map(|row| row.operands.iter().filter_map(reach)).collect();
        reaches.retain(|&reach| reach / FENCE_BYTES <= MOST && reach / FENCE_BYTES > AROUND);
        reaches.sort_unstable();
        reaches.dedup();
        reaches
    }

    fn fences(&mut self, count: u32) {
        for _ in 0..count {
            let operands = [Operand::Imm(AtomicOrdering::SequentiallyConsistent.number()), Operand::Imm(SYSTEM)];
            self.builder.push(InstData::new(Opcode::G_FENCE, operands));
        }
    }

    /// `if` over a long block, which changes a value; or over one that only the changing block goes back to, so that
    /// both ways out are long.
    fn long_detour(&mut self, fences: u32) -> Result<()> {
        let ty = self.scalar()?;
        let (condition, before) = (self.condition()?, self.value(ty, true)?);
        let head = self.current();
        let apart = if self.u.arbitrary()? { Some(self.new_block()) } else { None };
        let (mut then, join) = (self.new_block(), self.new_block());
        self.branch_on(condition, then, join);
        self.builder.position = Position::AtEnd(then);
        if let Some(apart) = apart {
            self.jump(apart);
            then = apart;
            self.builder.position = Position::AtEnd(apart);
        }
        self.fences(fences);
        let one = self.builder.constant_i64(ty, 1);
        let changed = self.builder.op(ty, Opcode::G_XOR, &[before.register, one]);
        self.jump(join);
        self.builder.position = Position::AtEnd(join);
        let register = self.phi(ty, &[(changed, then), (before.register, head)]);
        self.scope.push(Entry { register, ty, deterministic: true });
        Ok(())
    }

    /// A loop of one long block, which goes round a few times.
    fn long_loop(&mut self, fences: u32) -> Result<()> {
        let (ty, start) = self.trips(3)?;
        let (before, body, after) = (self.current(), self.new_block(), self.new_block());
        self.jump(body);
        self.builder.position = Position::AtEnd(body);
        let counter = self.builder.function.new_vreg(ty);
        self.fences(fences);
        let (decremented, more) = self.counted_down(counter, ty);
        self.branch_on(more, body, after);
        self.place_phi(body, counter, [(start, before), (decremented, body)]);
        self.builder.position = Position::AtEnd(after);
        self.scope.push(Entry { register: counter, ty, deterministic: true });
        Ok(())
    }
}
