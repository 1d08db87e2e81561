//! Structured control flow: sequences, diamonds, and loops that terminate.

use super::{Entry, Generator};
use arbitrary::Result;
use tribunal_ir::{Block, InstData, Opcode, Operand, Position, Type, VReg};

/// Rounds of a loop at most, so that nested loops do not take most of a campaign's time.
fn most_trips(depth: u32) -> i64 {
    match depth {
        0 => 5,
        1 => 3,
        _ => 2,
    }
}

impl Generator<'_, '_, '_> {
    /// Statements one after another, until the budget or the region's share of it is spent.
    pub(super) fn region(&mut self, depth: u32) -> Result<()> {
        let share = if depth == 0 { self.left } else { self.u.int_in_range(1..=6)? };
        for _ in 0..share {
            if self.left == 0 {
                break;
            }
            self.left -= 1;
            let nested = depth < self.policy.depth;
            if self.aim.is_some() && self.u.ratio(1, 4)? {
                self.aimed(depth)?;
            }
            match self.u.int_in_range(0..=9)? {
                0 if nested => self.fork(depth)?,
                1 if nested && self.policy.loops => self.counted_loop(depth)?,
                5 if nested && self.policy.frames && self.callees.is_empty() => self.variable_object(depth)?,
                5..=6 if self.policy.shapes => self.shape(depth)?,
                2 | 7..=8 if self.device.is_some() => self.volatile_access()?,
                2..=4 if self.policy.memory => self.access()?,
                9 if self.policy.linked && self.u.ratio(1, 3)? => self.pooled()?,
                9 if self.policy.linked => self.call()?,
                _ => self.expression()?,
            }
        }
        Ok(())
    }

    /// Arms of which one runs, joined by PHIs.
    fn fork(&mut self, depth: u32) -> Result<()> {
        match self.policy.linked && self.u.arbitrary()? {
            true => self.table(depth),
            false => self.diamond(depth),
        }
    }

    /// `if` with or without `else`, joined by PHIs.
    fn diamond(&mut self, depth: u32) -> Result<()> {
        let condition = self.condition()?;
        self.diamond_on(condition, depth)
    }

    /// The same on this condition.
    pub(super) fn diamond_on(&mut self, condition: VReg, depth: u32) -> Result<()> {
        let has_else = self.u.arbitrary()?;
        let head = self.current();
        let (then, otherwise, join) = (self.new_block(), self.new_block(), self.new_block());
        self.branch_on(condition, then, if has_else { otherwise } else { join });
        let merged = self.merge_types()?;

        let from_then = self.arm(then, depth, &merged)?;
        let then_end = self.current();
        self.jump(join);
        let (from_else, else_end) = match has_else {
            true => {
                let values = self.arm(otherwise, depth, &merged)?;
                let end = self.current();
                self.jump(join);
                (values, end)
            }
            false => {
                // The values must dominate the head, and its branch is written already: only values in scope will do.
                let values = merged.iter().map(|&ty| self.in_scope(ty)).collect::<Result<Option<Vec<_>>>>()?;
                (values.unwrap_or_default(), head)
            }
        };
        self.drop_block_unless(has_else, otherwise);
        self.builder.position = Position::AtEnd(join);
        for (first, second) in from_then.into_iter().zip(from_else) {
            let register = self.phi(first.ty, &[(first.register, then_end), (second.register, else_end)]);
            self.scope.push(Entry {
                register,
                ty: first.ty,
                deterministic: first.deterministic && second.deterministic,
            });
        }
        Ok(())
    }

    /// The body of one arm; its values leave the scope, but for one of each type asked.
    pub(super) fn arm(&mut self, block: Block, depth: u32, merged: &[Type]) -> Result<Vec<Entry>> {
        let (values, pointers) = (self.scope.len(), self.pointers.len());
        self.builder.position = Position::AtEnd(block);
        self.region(depth + 1)?;
        let results = merged.iter().map(|&ty| self.value(ty, false)).collect::<Result<Vec<_>>>()?;
        self.scope.truncate(values);
        self.pointers.truncate(pointers);
        Ok(results)
    }

    /// A loop that counts down to zero and carries up to three values.
    fn counted_loop(&mut self, depth: u32) -> Result<()> {
        let (counter_ty, start) = self.trips(most_trips(depth))?;
        let carried = self.merge_types()?;
        let initial = carried.iter().map(|&ty| self.value(ty, true)).collect::<Result<Vec<_>>>()?;
        let (before, body, after) = (self.current(), self.new_block(), self.new_block());
        self.jump(body);
        self.builder.position = Position::AtEnd(body);

        // The PHIs stand first; their second inputs are filled in once the body is written.
        let counter = self.builder.function.new_vreg(counter_ty);
        let phis: Vec<VReg> = carried.iter().map(|&ty| self.builder.function.new_vreg(ty)).collect();
        let outer = self.scope.len();
        for (&register, &ty) in phis.iter().zip(&carried) {
            self.scope.push(Entry { register, ty, deterministic: true });
        }
        self.scope.push(Entry { register: counter, ty: counter_ty, deterministic: true });
        self.region(depth + 1)?;
        let next = carried.iter().map(|&ty| self.value(ty, true)).collect::<Result<Vec<_>>>()?;
        let (decremented, more) = self.counted_down(counter, counter_ty);
        let latch = self.current();
        self.branch_on(more, body, after);

        self.place_phi(body, counter, [(start, before), (decremented, latch)]);
        for index in (0..phis.len()).rev() {
            let inputs = [(initial[index].register, before), (next[index].register, latch)];
            self.place_phi(body, phis[index], inputs);
        }
        self.scope.truncate(outer);
        for (entry, &ty) in next.iter().zip(&carried) {
            self.scope.push(Entry { register: entry.register, ty, deterministic: true });
        }
        self.builder.position = Position::AtEnd(after);
        Ok(())
    }

    /// A counter that starts at most at `most`: its type and its start.
    pub(super) fn trips(&mut self, most: i64) -> Result<(Type, VReg)> {
        let ty = self.counter_type()?;
        let trips = self.u.int_in_range(1..=most)?;
        Ok((ty, self.builder.constant_i64(ty, trips)))
    }

    /// A type that holds the trip count.
    fn counter_type(&mut self) -> Result<Type> {
        let ty = self.scalar()?;
        Ok(if ty.bits() < 3 { tribunal_ir::types::S32 } else { ty })
    }

    /// Types of up to three values that a join or a loop carries.
    pub(super) fn merge_types(&mut self) -> Result<Vec<Type>> {
        (0..self.u.int_in_range(0..=3)?).map(|_| self.scalar()).collect()
    }

    /// A value of type `ty` in scope, without writing any instruction.
    fn in_scope(&mut self, ty: Type) -> Result<Option<Entry>> {
        Ok(self.scope.iter().rev().copied().find(|entry| entry.ty == ty))
    }

    pub(super) fn phi(&mut self, ty: Type, inputs: &[(VReg, Block)]) -> VReg {
        let operands: Vec<Operand> =
            inputs.iter().flat_map(|&(value, block)| [Operand::used(value), Operand::Block(block)]).collect();
        self.builder.build(ty, Opcode::G_PHI, operands)
    }

    pub(super) fn place_phi(&mut self, block: Block, register: VReg, inputs: [(VReg, Block); 2]) {
        let operands = inputs.iter().flat_map(|&(value, from)| [Operand::used(value), Operand::Block(from)]);
        let data = InstData::new(Opcode::G_PHI, std::iter::once(Operand::def(register)).chain(operands));
        self.builder.function.prepend(block, data);
    }

    pub(super) fn current(&self) -> Block {
        match self.builder.position {
            Position::AtEnd(block) => block,
            Position::Before(inst) | Position::After(inst) | Position::InPlaceOf(inst) => {
                self.builder.function.block_of(inst).expect("the position is in a block")
            }
        }
    }

    pub(super) fn new_block(&mut self) -> Block {
        self.builder.function.new_block()
    }

    pub(super) fn drop_block_unless(&mut self, used: bool, block: Block) {
        if !used {
            let layout = self.builder.function.layout().iter().copied().filter(|&other| other != block).collect();
            self.builder.function.set_layout(layout);
        }
    }

    pub(super) fn jump(&mut self, to: Block) {
        let from = self.current();
        self.builder.push(InstData::new(Opcode::G_BR, [Operand::Block(to)]));
        self.builder.function.block_mut(from).successors = vec![(to, None)];
    }

    pub(super) fn branch_on(&mut self, condition: VReg, then: Block, otherwise: Block) {
        let from = self.current();
        self.builder.push(InstData::new(Opcode::G_BRCOND, [Operand::used(condition), Operand::Block(then)]));
        self.builder.push(InstData::new(Opcode::G_BR, [Operand::Block(otherwise)]));
        self.builder.function.block_mut(from).successors = vec![(then, None), (otherwise, None)];
    }
}
