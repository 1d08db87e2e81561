//! Matches a selection rule's pattern at an instruction.

use smallvec::SmallVec;
use tribunal_ir::{
    AddressData, Bits, Block, Constraint, Function, Inst, InstData, Opcode, OpcodeFlags, Operand, PReg, RegBank, Type,
    VReg,
};
use tribunal_target::Target;
use tribunal_target::selection::{Condition, ImmClass, Pat, Pattern, SelectionRule, Types};

/// A base and a byte offset.
#[derive(Clone, Copy, Debug)]
pub(super) struct MatchedAddress {
    pub base: Base,
    pub offset: i64,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Base {
    Register(VReg),
    /// The stack pointer, within a call frame.
    Physical(PReg),
    /// A stack object, or one of the caller's frame.
    Object(Operand),
}

/// The flags that an instruction may have whose work may be done elsewhere in its block.
const MOVABLE: OpcodeFlags = OpcodeFlags::COMMUTABLE
    .union(OpcodeFlags::DEFINED)
    .union(OpcodeFlags::ARTIFACT)
    .union(OpcodeFlags::HINT)
    .union(OpcodeFlags::BITWISE);

/// The bindings of a pattern's slots, and the definitions that were looked through (first executed first).
#[derive(Default)]
pub(super) struct Match {
    registers: Slots<VReg>,
    immediates: Slots<Bits>,
    stacks: Slots<Operand>,
    labels: Slots<Block>,
    addresses: Slots<MatchedAddress>,
    symbols: Slots<AddressData>,
    pub through: SmallVec<[Inst; 4]>,
}

struct Slots<T>(SmallVec<[Option<T>; 4]>);

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Slots(SmallVec::new())
    }
}

impl<T: Copy> Slots<T> {
    fn bind(&mut self, slot: u8, value: T) {
        let slot = usize::from(slot);
        if self.0.len() <= slot {
            self.0.resize(slot + 1, None);
        }
        self.0[slot] = Some(value);
    }

    /// A rule whose emission names a slot that its pattern does not bind is a broken table; a test of the tables
    /// excludes it.
    fn get(&self, slot: u8) -> T {
        self.0.get(usize::from(slot)).copied().flatten().expect("the pattern binds what the emission names")
    }
}

impl Match {
    /// The match of a pattern that binds one register.
    pub fn of_register(register: VReg) -> Match {
        let mut matched = Match::default();
        matched.registers.bind(0, register);
        matched
    }

    pub fn register(&self, slot: u8) -> VReg {
        self.registers.get(slot)
    }
    pub fn immediate(&self, slot: u8) -> Bits {
        self.immediates.get(slot)
    }
    pub fn stack(&self, slot: u8) -> Operand {
        self.stacks.get(slot)
    }
    pub fn label(&self, slot: u8) -> Block {
        self.labels.get(slot)
    }
    pub fn symbol(&self, slot: u8) -> AddressData {
        self.symbols.get(slot)
    }
    pub fn address(&self, slot: u8) -> MatchedAddress {
        self.addresses.get(slot)
    }
}

/// The match of `rule` with its root at `inst`.
pub(super) fn matches(function: &Function, target: &Target, inst: Inst, rule: &SelectionRule) -> Option<Match> {
    let mut matcher = Matcher { function, target, root: inst, found: Match::default() };
    if !matcher.pattern(function.inst(inst), &rule.pattern) {
        return None;
    }
    matcher.found.through.sort_unstable_by_key(|&inst| rank(function, inst));
    matcher.found.through.dedup();
    Some(matcher.found)
}

/// Definitions are listed inner first: an instruction after those it reads. Chains are at most three long.
fn rank(function: &Function, inst: Inst) -> usize {
    let reads = function.inst(inst).vreg_uses().filter_map(|register| function.def_of(register));
    let inner = reads.filter(|&inner| function.inst(inner).opcode.is_generic());
    let leaf = |inst: Inst| {
        matches!(function.inst(inst).opcode, Opcode::G_CONSTANT | Opcode::G_FRAME_INDEX)
            || function.inst(inst).opcode == Opcode::COPY
    };
    usize::from(!leaf(inst)) + inner.map(|inner| usize::from(!leaf(inner))).max().unwrap_or(0)
}

struct Matcher<'m> {
    function: &'m Function,
    target: &'m Target,
    root: Inst,
    found: Match,
}

impl Matcher<'_> {
    fn pattern(&mut self, data: &InstData, pattern: &Pattern) -> bool {
        if data.opcode != pattern.opcode || !self.typed(data, pattern.ty) {
            return false;
        }
        let predicate = data.operands.iter().find_map(Condition::of);
        if pattern.predicate.is_some() && pattern.predicate != predicate {
            return false;
        }
        if let Some(bits) = pattern.memory_bits
            && data.memory.first().and_then(|memory| memory.ty).map(Type::bits) != Some(bits)
        {
            return false;
        }
        if data.memory.first().is_some_and(|memory| !pattern.ordering.0.contains(&memory.merged_ordering())) {
            return false;
        }
        let mut patterns = pattern.operands.iter();
        for operand in &data.operands {
            if operand.is_def() || Condition::of(operand).is_some() {
                continue;
            }
            match patterns.next() {
                Some(pat) if self.operand(operand, pat) => {}
                _ => return false,
            }
        }
        patterns.next().is_none()
    }

    /// The type of the result, or of the first operand where there is none (a store's value, a branch's condition). For
    /// a comparison, whose result type says little, it is the type of the compared values.
    fn typed(&self, data: &InstData, types: Types) -> bool {
        let compares = matches!(data.opcode, Opcode::G_ICMP | Opcode::G_FCMP);
        let described = if compares { data.vreg(2) } else { data.vreg(0) };
        described.map_or(types == Types::Any, |register| self.fits(types, register))
    }

    /// True if a register's type is one of these.
    fn fits(&self, types: Types, register: VReg) -> bool {
        let bits = || self.function.type_of(register).map(Type::bits);
        match types {
            Types::Any => true,
            Types::Bits(wanted) => bits() == Some(wanted),
            Types::AtMost(most) => bits().is_some_and(|bits| bits <= most),
            Types::In(bank, wanted) => bits() == Some(wanted) && self.bank(register) == Some(bank),
        }
    }

    /// The bank in which a value lives.
    fn bank(&self, register: VReg) -> Option<RegBank> {
        match self.function.vregs[register].constraint {
            Constraint::Bank(bank) => Some(bank),
            Constraint::Class(class) => Some(self.target.class(class).bank),
            Constraint::None => None,
        }
    }

    fn operand(&mut self, operand: &Operand, pat: &Pat) -> bool {
        match (pat, operand) {
            (Pat::Label(slot), Operand::Block(block)) => self.found.labels.bind(*slot, *block),
            (Pat::Stack(slot), Operand::Stack(_) | Operand::FixedStack(_)) => self.found.stacks.bind(*slot, *operand),
            (Pat::Symbol(slot, addressing), operand) => {
                let Some(&address) = self.function.address_of(operand) else { return false };
                self.found.symbols.bind(*slot, address);
                return self.target.addressing_of(self.function, address.base) == *addressing;
            }
            (Pat::Intrinsic(wanted), Operand::Intrinsic(name)) => {
                return self.function.symbols.get(*name).is_some_and(|name| name == wanted);
            }
            (Pat::Imm(slot, class), Operand::Imm(value)) => {
                return self.immediate(*slot, class, Bits::from_i64(*value, 64));
            }
            (Pat::Imm(slot, class), Operand::Const { .. } | Operand::WideConst(_)) => {
                let value = self.function.constant_value(operand);
                return value.is_some_and(|value| self.immediate(*slot, class, value));
            }
            (Pat::Imm(slot, class), Operand::Float(constant)) => {
                let bits = self.function.float_bits(*constant);
                return bits.is_some_and(|bits| self.immediate(*slot, class, bits));
            }
            (pat, Operand::Reg(register)) => match register.reg.as_virtual() {
                Some(register) => return self.register(register, pat),
                None => return false,
            },
            _ => return false,
        }
        true
    }

    fn register(&mut self, register: VReg, pat: &Pat) -> bool {
        match pat {
            Pat::Reg(slot) => {
                self.found.registers.bind(*slot, register);
                true
            }
            Pat::RegOf(slot, types) => {
                self.found.registers.bind(*slot, register);
                self.fits(*types, register)
            }
            Pat::Imm(slot, class) => match self.constant(register) {
                Some((inst, value)) if self.immediate(*slot, class, value) => self.look_through(inst),
                _ => false,
            },
            Pat::Stack(slot) => match self.frame_index(register) {
                Some((inst, stack)) => {
                    self.found.stacks.bind(*slot, stack);
                    self.look_through(inst)
                }
                None => false,
            },
            Pat::Op(pattern) => match self.foldable(register) {
                Some(inst) => self.pattern(self.function.inst(inst), pattern) && self.look_through(inst),
                None => false,
            },
            Pat::Address(slot, class) => {
                let address = self.address(register, class);
                self.found.addresses.bind(*slot, address);
                true
            }
            Pat::Label(_) | Pat::Symbol(..) | Pat::Intrinsic(_) => false,
        }
    }

    fn immediate(&mut self, slot: u8, class: &ImmClass, value: Bits) -> bool {
        self.found.immediates.bind(slot, value);
        (class.accepts)(value)
    }

    fn look_through(&mut self, inst: Inst) -> bool {
        self.found.through.push(inst);
        true
    }

    /// A constant may be folded from any block, however often it is used.
    fn constant(&self, register: VReg) -> Option<(Inst, Bits)> {
        let inst = self.function.def_of(register)?;
        let data = self.function.inst(inst);
        let value = self.function.constant_value(data.operands.get(1)?)?;
        (data.opcode == Opcode::G_CONSTANT).then_some((inst, value))
    }

    fn frame_index(&self, register: VReg) -> Option<(Inst, Operand)> {
        let inst = self.function.def_of(register)?;
        let data = self.function.inst(inst);
        match (data.opcode, data.operands.get(1)) {
            (Opcode::G_FRAME_INDEX, Some(object)) => Some((inst, *object)),
            _ => None,
        }
    }

    /// The machine register that `register` is a copy of, if it is one that no value is kept in, and still holds that
    /// value: the stack pointer.
    fn machine_register(&self, register: VReg) -> Option<(Inst, PReg)> {
        let inst = self.function.def_of(register)?;
        let data = self.function.inst(inst);
        let source = data.operands.get(1)?.as_reg()?.reg.as_physical()?;
        let here = self.function.block_of(inst) == self.function.block_of(self.root);
        let is_own = data.opcode == Opcode::COPY && here && source == self.target.abi.stack_pointer;
        (is_own && !self.is_written_since(inst, source)).then_some((inst, source))
    }

    /// True if an instruction between `inst` and the root, which is in its block, writes the machine register.
    fn is_written_since(&self, inst: Inst, register: PReg) -> bool {
        let writes =
            |inst: Inst| self.function.inst(inst).defs().any(|operand| operand.reg.as_physical() == Some(register));
        let after = std::iter::successors(self.function.next_inst(inst), |&inst| self.function.next_inst(inst));
        after.take_while(|&inst| inst != self.root).any(writes)
    }

    /// The definition of `register` if it may be computed at the root instead. It must be read here only, in the same
    /// block, without effects and not a load, which nothing may move.
    fn foldable(&self, register: VReg) -> Option<Inst> {
        let inst = self.function.def_of(register)?;
        let data = self.function.inst(inst);
        let flags = data.opcode.info()?.flags;
        let here = self.function.block_of(inst) == self.function.block_of(self.root);
        (here && MOVABLE.contains(flags) && self.function.use_count(register) == 1).then_some(inst)
    }

    /// The base that stands for a register: an object, or the stack pointer.
    fn base(&self, register: VReg) -> Option<(Inst, Base)> {
        let object = self.frame_index(register).map(|(inst, object)| (inst, Base::Object(object)));
        object.or_else(|| self.machine_register(register).map(|(inst, own)| (inst, Base::Physical(own))))
    }

    /// A register, or the base and offset whose sum it is.
    fn address(&mut self, register: VReg, class: &ImmClass) -> MatchedAddress {
        if let Some((inst, base)) = self.base(register) {
            self.found.through.push(inst);
            return MatchedAddress { base, offset: 0 };
        }
        let plain = MatchedAddress { base: Base::Register(register), offset: 0 };
        let Some(inst) = self.function.def_of(register) else { return plain };
        let data = self.function.inst(inst);
        let (Opcode::G_PTR_ADD, Some(base), Some(offset)) = (data.opcode, data.vreg(1), data.vreg(2)) else {
            return plain;
        };
        match self.constant(offset) {
            Some((constant, value)) if (class.accepts)(value) => {
                self.found.through.extend([constant, inst]);
                let base = match self.base(base) {
                    Some((frame, base)) => {
                        self.found.through.push(frame);
                        base
                    }
                    None => Base::Register(base),
                };
                MatchedAddress { base, offset: value.to_i64().unwrap_or(0) }
            }
            _ => plain,
        }
    }
}

#[cfg(test)]
mod tests;
