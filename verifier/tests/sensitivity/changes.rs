//! One thing changed in a valid function: every part of an instruction and of a function, taken from its row.

use crate::instance::{BODY, INPUTS, Instance, NEXT, OTHER};
use tribunal_ir::opcode::{Immediate, OpcodeInfo};
use tribunal_ir::types::S64;
use tribunal_ir::{
    AtomicOrdering, Block, Family, FloatPredicate, Function, InstData, InstFlags, IntPredicate, MemFlags, MemOperand,
    Opcode, OpcodeFlags, Operand, OperandKind, PReg, RegFlags, SubReg, Type, VReg,
};
use tribunal_target::Target;

/// A changed function.
pub struct Change {
    /// The kind of the change: sums and the table of harmless changes go by it.
    pub kind: &'static str,
    /// The change itself.
    pub what: String,
    pub function: Function,
}

/// Every change of the instance.
pub fn all(target: &Target, instance: &Instance) -> Vec<Change> {
    let mut maker = Maker { target, instance, info: instance.opcode.info().unwrap(), changes: Vec::new() };
    maker.operands();
    maker.kinds();
    maker.immediates();
    maker.flags();
    maker.memory();
    maker.orderings();
    maker.registers();
    maker.masks();
    maker.blocks();
    if instance.opcode.is_phi() {
        maker.edges();
    }
    maker.changes
}

struct Maker<'a> {
    target: &'a Target,
    instance: &'a Instance,
    info: &'static OpcodeInfo,
    changes: Vec<Change>,
}

/// A register that is defined before the instance.
fn defined(function: &mut Function, ty: Type) -> VReg {
    let register = function.new_vreg(ty);
    let first = function.layout()[INPUTS];
    function.append(first, InstData::new(Opcode::G_IMPLICIT_DEF, [Operand::def(register)]));
    register
}

impl Maker<'_> {
    fn data(&self) -> &InstData {
        self.instance.function.inst(self.instance.inst)
    }

    fn function(&mut self, kind: &'static str, what: impl Into<String>, change: impl FnOnce(&mut Function)) {
        let mut function = self.instance.function.clone();
        change(&mut function);
        self.changes.push(Change { kind, what: what.into(), function });
    }

    /// A change of the instance alone.
    fn inst(&mut self, kind: &'static str, what: impl Into<String>, change: impl FnOnce(&mut Function, &mut InstData)) {
        let inst = self.instance.inst;
        self.function(kind, what, |function| {
            let mut data = function.inst(inst).clone();
            change(function, &mut data);
            function.replace(inst, data);
        });
    }

    fn operands(&mut self) {
        for index in 0..self.data().operands.len() {
            self.inst("operand dropped", format!("{index}"), |_, data| _ = data.operands.remove(index));
        }
        self.inst("operand added", "register", |function, data| {
            let register = defined(function, S64);
            data.operands.push(Operand::used(register));
        });
        self.inst("operand added", "immediate", |_, data| data.operands.push(Operand::Imm(0)));
        let register = self.target.abi.return_address;
        self.inst("operand added", "machine register", |_, data| data.operands.push(Operand::implicit_def(register)));
        for index in 0..self.data().operands.len() {
            if self.data().operands[index].as_reg().is_none() {
                continue;
            }
            self.inst("definition and use exchanged", format!("{index}"), |_, data| {
                if let Operand::Reg(operand) = &mut data.operands[index] {
                    operand.flags.toggle(RegFlags::DEF);
                }
            });
            self.inst("mark of a tie", format!("{index}"), |_, data| {
                if let Operand::Reg(operand) = &mut data.operands[index] {
                    operand.tied_to = Some(0);
                }
            });
            self.inst("part of a generic register", format!("{index}"), |_, data| {
                if let Operand::Reg(operand) = &mut data.operands[index] {
                    operand.subregister = SubReg(1);
                }
            });
            let Some(register) = self.data().operands[index].as_vreg() else { continue };
            self.function("type dropped", format!("{index}"), |function| {
                function.vregs[register].ty = None;
            });
        }
    }

    /// An operand of another kind in each place.
    fn kinds(&mut self) {
        let others = [
            Operand::Imm(1),
            Operand::Predicate(IntPredicate::Ne),
            Operand::FloatPredicate(FloatPredicate::Oeq),
            Operand::Block(self.instance.function.layout()[NEXT]),
            Operand::NoRegister,
            Operand::used(PReg(5)),
        ];
        for index in 0..self.data().operands.len() {
            let old = self.data().operands[index];
            let of_kind = |new: &&Operand| std::mem::discriminant(*new) != std::mem::discriminant(&old);
            let is_register = |new: &&Operand| new.as_reg().is_some();
            for &new in others.iter().filter(|new| of_kind(new) || is_register(new)) {
                self.inst("operand of another kind", format!("{index}: {new:?}"), |_, data| {
                    let mut new = new;
                    if let (Operand::Reg(new), true) = (&mut new, old.is_def()) {
                        new.flags |= RegFlags::DEF;
                    }
                    data.operands[index] = new;
                });
            }
            if old.as_reg().is_none() {
                self.inst("operand of another kind", format!("{index}: a register"), |function, data| {
                    data.operands[index] = Operand::used(defined(function, S64));
                });
            }
        }
    }

    /// Values that the row does not take, and constants of another width.
    fn immediates(&mut self) {
        let values = self.data().operands.iter().enumerate().filter(|(_, operand)| operand.as_imm().is_some());
        let places: Vec<usize> = values.map(|(index, _)| index).collect();
        for (&index, &immediate) in places.iter().zip(self.info.immediates) {
            let types = self.instance.types;
            let range = immediate.range(&types).unwrap_or(0..=0);
            let candidates = [i64::MIN, -1, 0, 1, 2, 3, i64::MAX];
            let ends = [range.start().wrapping_sub(1), range.end().wrapping_add(1)];
            let wrong = candidates.into_iter().chain(ends).filter(|&value| !immediate.takes(&types, value));
            for value in wrong.filter(|_| immediate != Immediate::Any) {
                self.inst("immediate", format!("{index}: {value}"), |_, data| {
                    if let Operand::Imm(old) = &mut data.operands[index] {
                        *old = value;
                    } else if let Operand::Const { value: old, .. } = &mut data.operands[index] {
                        old.0 = if value == 0 { 0 } else { -1 };
                    }
                });
            }
        }
        for index in places {
            if let Operand::Const { width, .. } = self.data().operands[index] {
                for new in [width + 1, width.saturating_sub(1).max(1)].into_iter().filter(|&new| new != width) {
                    self.inst("width of a constant", format!("i{new}"), |_, data| {
                        if let Operand::Const { width, .. } = &mut data.operands[index] {
                            *width = new;
                        }
                    });
                }
            }
        }
    }

    fn flags(&mut self) {
        let meant = InstFlags::PROMISES | InstFlags::FAST | InstFlags::NOFPEXCEPT | InstFlags::NOCONVERGENT;
        for flag in InstFlags::all() {
            let kind = match (self.info.inst_flags.contains(flag), meant.contains(flag)) {
                (true, _) => "flag of the row",
                (false, true) => "flag that the opcode lacks",
                (false, false) => "flag of any instruction",
            };
            self.inst(kind, format!("{flag:?}"), |_, data| data.flags |= flag);
        }
    }

    fn memory(&mut self) {
        if self.data().memory.is_empty() {
            let operand = MemOperand::new(MemFlags::LOAD, S64, 8);
            let reads = self.info.flags.contains(OpcodeFlags::LOAD);
            let kind = if reads { "memory operand that the opcode can have" } else { "memory operand added" };
            self.inst(kind, "load", |_, data| data.memory.push(operand));
            return;
        }
        self.inst("memory operand dropped", "", |_, data| _ = data.memory.pop());
        self.inst("memory operand added", "again", |_, data| data.memory.push(data.memory[0]));
        for index in 0..self.data().memory.len() {
            let old = self.data().memory[index];
            let directions = [MemFlags::LOAD, MemFlags::STORE, MemFlags::LOAD | MemFlags::STORE, MemFlags::empty()];
            for direction in directions.into_iter().filter(|&new| new != old.flags) {
                let either = self.info.family == Family::Prefetch && !direction.is_empty();
                let kind = if either { "direction that the opcode can have" } else { "direction of an access" };
                self.inst(kind, format!("{index}: {direction:?}"), |_, data| {
                    data.memory[index].flags = direction;
                });
            }
            let bits = old.ty.map_or(8, Type::bits);
            let sizes = [Some(Type::scalar(2 * bits)), Type::scalar_of(bits / 2), Some(Type::scalar(bits + 8))];
            for ty in sizes.into_iter().flatten() {
                let (accesses, value) = (self.info.accesses.unwrap(), self.instance.types[0].unwrap());
                let taken = accesses.size.takes(ty, value) && accesses.count == 1;
                let kind = if taken { "size that the row takes" } else { "size of an access" };
                self.inst(kind, format!("{index}: {ty}"), |_, data| {
                    data.memory[index].ty = Some(ty);
                });
            }
            let space = if old.metadata.is_none() { "addrspace 1" } else { "addrspace 2" };
            self.inst("address space of an access", format!("{index}: {space}"), |function, data| {
                data.memory[index].metadata = function.intern(space).into();
            });
        }
    }

    fn orderings(&mut self) {
        use AtomicOrdering::*;
        let every = [NotAtomic].into_iter().chain(AtomicOrdering::NAMED);
        let reads_and_writes = OpcodeFlags::LOAD | OpcodeFlags::STORE;
        let (atomic, both) = (self.info.family == Family::Atomic, self.info.flags & reads_and_writes);
        for index in 0..self.data().memory.len() {
            let old = self.data().memory[index];
            for ordering in every.clone().filter(|&ordering| ordering != old.ordering) {
                let impossible = match ordering {
                    NotAtomic | Unordered => atomic,
                    Acquire => both == OpcodeFlags::STORE,
                    Release => both == OpcodeFlags::LOAD,
                    AcquireRelease => both != reads_and_writes,
                    Monotonic | SequentiallyConsistent => false,
                };
                let kind = if impossible { "ordering of an access" } else { "ordering that the opcode can have" };
                self.inst(kind, format!("{ordering:?}"), |_, data| data.memory[index].ordering = ordering);
            }
            for ordering in every.clone().filter(|&ordering| ordering != old.failure_ordering) {
                let may = self.info.fails() && matches!(ordering, Monotonic | Acquire | SequentiallyConsistent);
                let kind = if may { "ordering that the opcode can have" } else { "ordering of a failure" };
                self.inst(kind, format!("{ordering:?}"), |_, data| data.memory[index].failure_ordering = ordering);
            }
        }
    }

    /// Registers without a definition, with two, and read before or after they live.
    fn registers(&mut self) {
        let operands = self.data().operands.clone();
        for (index, operand) in operands.iter().enumerate() {
            let Some(register) = operand.as_vreg() else { continue };
            let ty = self.instance.function.type_of(register).unwrap();
            let (inst, next) = (self.instance.inst, self.instance.function.layout()[NEXT]);
            if operand.is_def() {
                self.function("second definition", format!("{index}"), |function| {
                    let first = function.first_inst(next).unwrap();
                    function.insert_before(first, InstData::new(Opcode::G_IMPLICIT_DEF, [Operand::def(register)]));
                });
                continue;
            }
            self.claims(index, register);
            self.inst("register without a definition", format!("{index}"), |function, data| {
                data.operands[index] = Operand::used(function.new_vreg(ty));
            });
            self.inst("register defined later", format!("{index}"), |function, data| {
                let register = function.new_vreg(ty);
                let first = function.first_inst(next).unwrap();
                function.insert_before(first, InstData::new(Opcode::G_IMPLICIT_DEF, [Operand::def(register)]));
                data.operands[index] = Operand::used(register);
            });
            self.inst("register read after a kill", format!("{index}"), |function, _| {
                let copy = function.new_vreg(ty);
                let source = Operand::reg(register, RegFlags::KILLED);
                let copy = InstData::new(Opcode::COPY, [Operand::def(copy), source]);
                function.insert_before(inst, copy);
            });
        }
    }

    /// What flags claim of a register that the instance reads, and does not hold.
    fn claims(&mut self, index: usize, register: VReg) {
        for flag in [RegFlags::UNDEF, RegFlags::DEBUG_USE] {
            self.inst("flag that no read has", format!("{index}: {flag:?}"), |_, data| {
                if let Operand::Reg(operand) = &mut data.operands[index] {
                    operand.flags |= flag;
                }
            });
        }
        let Some(definition) = self.instance.function.vregs[register].def.expand() else { return };
        if self.instance.function.block_of(definition) != Some(self.instance.function.layout()[INPUTS]) {
            return;
        }
        self.function("dead definition that is read", format!("{index}"), |function| {
            let mut data = function.inst(definition).clone();
            for operand in &mut data.operands {
                if let Operand::Reg(operand) = operand {
                    operand.flags |= RegFlags::DEAD;
                }
            }
            function.replace(definition, data);
        });
        let ty = self.instance.function.type_of(register).unwrap();
        self.function("register killed in an earlier block", format!("{index}"), |function| {
            let copy = function.new_vreg(ty);
            let source = Operand::reg(register, RegFlags::KILLED);
            function.insert_after(definition, InstData::new(Opcode::COPY, [Operand::def(copy), source]));
        });
    }

    fn masks(&mut self) {
        for (index, operand) in self.data().operands.clone().iter().enumerate() {
            let Operand::ShuffleMask(mask) = *operand else { continue };
            let lanes = self.instance.function.shuffle_masks.get(mask).unwrap().clone();
            let far = vec![Some(2 * lanes.len() as u32 + 8); lanes.len()];
            for (what, lanes) in [("a lane less", lanes[1..].to_vec()), ("a lane beyond", far)] {
                self.inst("mask of a shuffle", what, |function, data| {
                    data.operands[index] = Operand::ShuffleMask(function.shuffle_masks.intern(&lanes));
                });
            }
        }
    }

    /// The order of terminators, and the successors.
    fn blocks(&mut self) {
        let [body, next, other] = [BODY, NEXT, OTHER].map(|block| self.instance.function.layout()[block]);
        // The call of an invoke region stands after the terminator that marks its start.
        let is_marker = self.instance.opcode == Opcode::G_INVOKE_REGION_START;
        let is_terminator = self.info.flags.contains(OpcodeFlags::TERMINATOR) && !is_marker;
        let inst = self.instance.inst;
        let returns = InstData::new(Opcode::Target(self.target.abi.return_opcode), []);
        self.function("barrier in the middle", "a return", |function| _ = function.insert_before(inst, returns));
        let jump = InstData::new(Opcode::G_BR, [Operand::Block(next)]);
        self.function("barrier in the middle", "a branch", |function| {
            function.insert_before(inst, jump);
            let mut successors: Vec<Block> = function.successors(body).chain([next]).collect();
            successors.sort_unstable();
            successors.dedup();
            function.block_mut(body).successors = successors.into_iter().map(|to| (to, None)).collect();
        });
        if is_terminator {
            self.function("instruction after a terminator", "", |function| {
                let register = function.new_vreg(S64);
                function.insert_after(inst, InstData::new(Opcode::G_IMPLICIT_DEF, [Operand::def(register)]));
            });
        }
        let successors = self.instance.function.block(body).successors.clone();
        let by_data = self.info.flags.contains(OpcodeFlags::INDIRECT) && !self.info.uses.contains(&OperandKind::TABLE);
        for (index, (to, _)) in successors.iter().copied().enumerate() {
            let kind = match (by_data, is_terminator) {
                (true, _) => "successor of an indirect branch",
                (false, true) => "successor dropped",
                (false, false) => "the only successor dropped",
            };
            self.function(kind, format!("{to}"), |function| {
                _ = function.block_mut(body).successors.remove(index);
            });
            self.function("successor listed twice", format!("{to}"), |function| {
                function.block_mut(body).successors.push((to, None));
            });
        }
        if !self.instance.function.successors(body).any(|to| to == other) {
            self.function("successor added", format!("{other}"), |function| {
                function.block_mut(body).successors.push((other, None));
            });
        }
        self.function("edge to the entry", "", |function| {
            let entry = function.layout()[INPUTS];
            let last = function.last_inst(next).unwrap();
            function.replace(last, InstData::new(Opcode::G_BR, [Operand::Block(entry)]));
            function.block_mut(next).successors.push((entry, None));
        });
    }

    fn edges(&mut self) {
        let [inputs, other] = [INPUTS, OTHER].map(|block| self.instance.function.layout()[block]);
        let value = self.data().operands[1];
        self.inst("edge of a PHI", "dropped", |_, data| data.operands.truncate(1));
        self.inst("edge of a PHI", "doubled", |_, data| data.operands.extend([value, Operand::Block(inputs)]));
        self.inst("edge of a PHI", "of another block", |_, data| data.operands[2] = Operand::Block(other));
        let inst = self.instance.inst;
        self.function("PHI behind another instruction", "", |function| {
            let register = function.new_vreg(S64);
            function.insert_before(inst, InstData::new(Opcode::G_IMPLICIT_DEF, [Operand::def(register)]));
        });
    }
}

/// The kinds of changes after which a function is valid still, each with the argument. They must not be findings.
pub const HARMLESS: &[(&str, &str)] = &[
    ("nothing", "the instance is valid"),
    ("access that became narrower", "LLVM loads only the bytes that are used, and keeps the memory operand"),
    ("write that a loop does not name", "LLVM writes the loops of compare-and-swap without the flags that they change"),
    ("class that the operand takes", "every register of it is one that the operand takes"),
    (
        "flag of any instruction",
        "it tells where the code comes from, or what a scheduler may do, and not what it computes",
    ),
    ("flag of the row", "the opcode has this flag"),
    ("size that the row takes", "the access goes with the value still"),
    ("ordering that the opcode can have", "how strongly an access orders others is the program's choice"),
    ("memory operand that the opcode can have", "it reads memory, and its row lists no memory operands"),
    ("direction that the opcode can have", "a prefetch is for reading or for writing"),
    ("the only successor dropped", "a block may end without a terminator where nothing defined goes on"),
    ("successor of an indirect branch", "its destinations are data: any blocks whose address is taken"),
];
