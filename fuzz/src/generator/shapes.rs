//! Control flow that nested diamonds and loops do not produce: switches, irreducible cycles, PHIs that permute values.

use super::{Entry, Generator};
use arbitrary::Result;
use tribunal_ir::{Block, IntPredicate, Opcode, Position, Type, VReg};

/// An edge into a block, with the values on it.
type Way = (Block, Vec<Entry>);

impl Generator<'_, '_, '_> {
    /// One of the shapes, if the policy allows any.
    pub(super) fn shape(&mut self, depth: u32) -> Result<()> {
        let (nested, loops) = (depth < self.policy.depth, self.policy.loops);
        match self.u.int_in_range(0..=9)? {
            0..=2 if nested => self.switch(depth),
            3..=4 if nested && loops => self.two_entries(depth),
            5..=6 if loops => self.permuting_loop(),
            7 if self.policy.memory => self.overlap(),
            8 => self.pressure(),
            _ => self.phi_chain(),
        }
    }

    /// A chain of comparisons of one value. Cases share blocks, fall through to the next or go to the join at once.
    fn switch(&mut self, depth: u32) -> Result<()> {
        let ty = self.scalar()?;
        let value = self.value(ty, true)?;
        let merged = self.merge_types()?;
        let outer = (self.scope.len(), self.pointers.len());
        let bodies: Vec<Block> = (0..self.u.int_in_range(1..=4)?).map(|_| self.new_block()).collect();
        let join = self.new_block();
        let mut ways: Vec<Vec<Way>> = vec![Vec::new(); bodies.len() + 1];
        self.tests(value, &merged, &[bodies.as_slice(), &[join]].concat(), &mut ways)?;
        self.scope.truncate(outer.0);

        for (index, &body) in bodies.iter().enumerate() {
            let into = std::mem::take(&mut ways[index]);
            if into.is_empty() {
                self.drop_block_unless(false, body);
                continue;
            }
            self.builder.position = Position::AtEnd(body);
            self.merge(&into);
            self.region(depth + 1)?;
            let values = merged.iter().map(|&ty| self.value(ty, false)).collect::<Result<Vec<_>>>()?;
            self.scope.truncate(outer.0);
            self.pointers.truncate(outer.1);
            let falls_through = index + 1 < bodies.len() && self.u.ratio(1, 3)?;
            let next = if falls_through { index + 1 } else { bodies.len() };
            ways[next].push((self.current(), values));
            self.jump(*bodies.get(next).unwrap_or(&join));
        }
        self.builder.position = Position::AtEnd(join);
        let into = std::mem::take(&mut ways[bodies.len()]);
        self.merge(&into);
        Ok(())
    }

    /// The comparisons of a switch; `ways` collects the edges into each of `blocks`.
    fn tests(&mut self, value: Entry, merged: &[Type], blocks: &[Block], ways: &mut [Vec<Way>]) -> Result<()> {
        let cases = self.u.int_in_range(2..=5u32)?;
        let first = self.constant_value(value.ty.bits())?;
        for case in 0..cases {
            let one = tribunal_ir::Bits::new(case.into(), value.ty.bits());
            let constant = if self.u.ratio(3, 4)? { first.add(one) } else { self.constant_value(value.ty.bits())? };
            let constant = self.builder.constant(value.ty, constant);
            let predicate = if self.u.ratio(7, 8)? { IntPredicate::Eq } else { IntPredicate::Ult };
            let condition = self.builder.icmp(predicate, value.register, constant);
            let brought = merged.iter().map(|&ty| self.value(ty, false)).collect::<Result<Vec<_>>>()?;
            let to = self.u.int_in_range(0..=blocks.len() - 1)?;
            let head = self.current();
            ways[to].push((head, brought.clone()));
            if case + 1 < cases {
                let next = self.new_block();
                self.branch_on(condition, blocks[to], next);
                self.builder.position = Position::AtEnd(next);
            } else {
                let default = (to + 1 + self.u.int_in_range(0..=blocks.len() - 2)?) % blocks.len();
                ways[default].push((head, brought));
                self.branch_on(condition, blocks[to], blocks[default]);
            }
        }
        Ok(())
    }

    /// PHIs of the values on the edges into this block; they join the scope.
    pub(super) fn merge(&mut self, ways: &[Way]) {
        let Some((_, first)) = ways.first() else { return };
        for (index, &entry) in first.iter().enumerate() {
            if ways.len() == 1 {
                self.scope.push(entry);
                continue;
            }
            let inputs: Vec<(VReg, Block)> =
                ways.iter().map(|(from, values)| (values[index].register, *from)).collect();
            let register = self.phi(entry.ty, &inputs);
            let deterministic = ways.iter().all(|(_, values)| values[index].deterministic);
            self.scope.push(Entry { register, ty: entry.ty, deterministic });
        }
    }

    /// A cycle of two blocks with an entry at each, which is irreducible; both blocks count down to its end.
    fn two_entries(&mut self, depth: u32) -> Result<()> {
        let (counter_ty, start) = self.trips(6)?;
        let carried = self.merge_types()?;
        let initial = carried.iter().map(|&ty| self.value(ty, true)).collect::<Result<Vec<_>>>()?;
        let condition = self.condition()?;
        let (head, outer) = (self.current(), (self.scope.len(), self.pointers.len()));
        let (blocks, after) = ([self.new_block(), self.new_block()], self.new_block());
        self.branch_on(condition, blocks[0], blocks[1]);

        // The PHIs stand first; their second inputs are filled in once both blocks are written.
        let counters = blocks.map(|_| self.builder.function.new_vreg(counter_ty));
        let mut phis: [Vec<Entry>; 2] = Default::default();
        let mut ends: Vec<(VReg, Way)> = Vec::new();
        for side in 0..2 {
            for &ty in &carried {
                phis[side].push(Entry { register: self.builder.function.new_vreg(ty), ty, deterministic: true });
            }
            self.builder.position = Position::AtEnd(blocks[side]);
            self.scope.extend(&phis[side]);
            self.scope.push(Entry { register: counters[side], ty: counter_ty, deterministic: true });
            self.region(depth + 1)?;
            let next = carried.iter().map(|&ty| self.value(ty, true)).collect::<Result<Vec<_>>>()?;
            let (decremented, more) = self.counted_down(counters[side], counter_ty);
            ends.push((decremented, (self.current(), next)));
            self.branch_on(more, blocks[1 - side], after);
            self.scope.truncate(outer.0);
            self.pointers.truncate(outer.1);
        }
        for side in 0..2 {
            let (decremented, (latch, next)) = &ends[1 - side];
            for index in 0..carried.len() {
                let inputs = [(initial[index].register, head), (next[index].register, *latch)];
                self.place_phi(blocks[side], phis[side][index].register, inputs);
            }
            self.place_phi(blocks[side], counters[side], [(start, head), (*decremented, *latch)]);
        }
        self.builder.position = Position::AtEnd(after);
        let ways: Vec<Way> = ends.into_iter().map(|(_, way)| way).collect();
        self.merge(&ways);
        Ok(())
    }

    /// A loop that permutes values: parallel copies with cycles, and values of the previous iteration read after it.
    fn permuting_loop(&mut self) -> Result<()> {
        let ty = self.scalar()?;
        let (counter_ty, start) = self.trips(5)?;
        let count = self.u.int_in_range(2..=5usize)?;
        let initial = (0..count).map(|_| self.value(ty, true)).collect::<Result<Vec<_>>>()?;
        let (before, body, after) = (self.current(), self.new_block(), self.new_block());
        self.jump(body);
        self.builder.position = Position::AtEnd(body);
        let counter = self.builder.function.new_vreg(counter_ty);
        let phis: Vec<VReg> = (0..count).map(|_| self.builder.function.new_vreg(ty)).collect();

        let shift = self.u.int_in_range(1..=count - 1)?;
        let mut next: Vec<VReg> = (0..count).map(|index| phis[(index + shift) % count]).collect();
        if self.u.arbitrary()? {
            // The lost copy problem: a register is written while its old value is still to be read.
            next[0] = self.builder.op(ty, Opcode::G_ADD, &[phis[0], phis[1]]);
        }
        if self.u.ratio(1, 4)? {
            next[count - 1] = next[0];
        }
        let (decremented, more) = self.counted_down(counter, counter_ty);
        self.branch_on(more, body, after);
        for index in 0..count {
            self.place_phi(body, phis[index], [(initial[index].register, before), (next[index], body)]);
        }
        self.place_phi(body, counter, [(start, before), (decremented, body)]);
        self.builder.position = Position::AtEnd(after);
        self.scope.extend(phis.into_iter().map(|register| Entry { register, ty, deterministic: true }));
        Ok(())
    }

    /// Joins one after another, whose PHIs merge those of the join before, in place or rotated.
    fn phi_chain(&mut self) -> Result<()> {
        let ty = self.scalar()?;
        let count = self.u.int_in_range(2..=4usize)?;
        let mut values = (0..count).map(|_| self.value(ty, false)).collect::<Result<Vec<_>>>()?;
        for _ in 0..self.u.int_in_range(2..=4)? {
            let condition = self.condition()?;
            let shift = self.u.int_in_range(1..=count - 1)?;
            let (head, then, join) = (self.current(), self.new_block(), self.new_block());
            self.branch_on(condition, then, join);
            self.builder.position = Position::AtEnd(then);
            self.jump(join);
            self.builder.position = Position::AtEnd(join);
            let moved = (0..count).map(|index| values[(index + shift) % count]).collect();
            let outer = self.scope.len();
            self.merge(&[(head, values), (then, moved)]);
            values = self.scope.split_off(outer);
        }
        self.scope.extend(values);
        Ok(())
    }

    /// The counter less one, and whether that is not yet zero.
    pub(super) fn counted_down(&mut self, counter: VReg, ty: Type) -> (VReg, VReg) {
        let (one, zero) = (self.builder.constant_i64(ty, 1), self.builder.constant_i64(ty, 0));
        let decremented = self.builder.op(ty, Opcode::G_SUB, &[counter, one]);
        (decremented, self.builder.icmp(IntPredicate::Ne, decremented, zero))
    }

    /// Many values alive at once: all are written before the first is read.
    fn pressure(&mut self) -> Result<()> {
        let drawn = self.scalar()?;
        let ty = if drawn.bits() > self.register_type().bits() { self.register_type() } else { drawn };
        let first = self.value(ty, true)?.register;
        let mut values = vec![first];
        for _ in 0..self.u.int_in_range(12..=36)? {
            let constant = self.constant_value(ty.bits())?;
            let constant = self.builder.constant(ty, constant);
            let opcode = *self.u.choose(&[Opcode::G_ADD, Opcode::G_XOR, Opcode::G_SUB])?;
            let back = self.u.int_in_range(0..=values.len().min(3) - 1)?;
            values.push(self.builder.op(ty, opcode, &[values[values.len() - 1 - back], constant]));
        }
        let fold = |sum, value| self.builder.op(ty, Opcode::G_ADD, &[sum, value]);
        let register = values.into_iter().reduce(fold).unwrap_or(first);
        self.scope.push(Entry { register, ty, deterministic: true });
        Ok(())
    }
}
