//! One side of a rewrite step, evaluated symbolically.
//!
//! Registers that a side reads and does not define are inputs, shared by both sides. A fragment with PHIs is evaluated
//! for one arbitrary entry into the block: the edge taken is one more input. Machine code knows no poison: its inputs
//! are bits, even where the source's are poison.

use super::claims::Claim;
use super::elements::{elements, unknown};
use super::identity::Identity;
use super::machine_promises;
use super::memory::{FrameAddresses, SymbolicMemory, TableContents};
use super::numbers::{OpenNumber, TakenChoices};
use super::opaque::{Application, Applied, Effect, KnownResults, Start, Touches, Uninterpreted};
use super::own_objects::OwnObject;
use super::term::{Symbolic, Term};
use super::traps;
use super::witness;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use tribunal_ir::bits::{Bits, MAX_BITS};
use tribunal_ir::entities::JumpTable;
use tribunal_ir::inline_assembly;
use tribunal_ir::semantics::walk::{self, Edge, MachineState, Next, Transfer};
use tribunal_ir::semantics::{self, Domain, Unsupported, Value};
use tribunal_ir::{
    Block, Family, Function, Inst, InstData, MemFlags, MemOperand, Opcode, OpcodeFlags, OpcodeInfo, Operand, PReg,
    RegFlags, RegOperand, VReg, Vocabulary,
};
use tribunal_target::environment::{self, LinkedAddress};
use tribunal_target::frame_records::{self, FrameQuery};
use tribunal_target::{Target, stack};

pub(super) type Scalar = Value<Symbolic>;

/// Inputs of both sides.
#[derive(Default)]
pub(super) struct Inputs {
    pub registers: FxHashMap<VReg, Scalar>,
    /// Full registers.
    pub physical: FxHashMap<PReg, Term>,
    pub edge: Option<Term>,
    pub frame: FrameAddresses,
    /// Unknown addresses that a step names.
    pub addresses: FxHashMap<Start, Term>,
    /// The jump tables that both sides may read.
    pub tables: Vec<JumpTable>,
    /// In order of appearance, for reports.
    pub order: Vec<VReg>,
}

impl Inputs {
    /// The contents of a full register before either side: anything. Of the control register of floating point only the
    /// rounding mode is, and its other bits are zero.
    pub fn physical(&mut self, d: &mut Symbolic, target: &Target, register: PReg) -> Term {
        let width = target.vocabulary.register_bits(register);
        let environment = target.vocabulary.float_environment().filter(|known| known.control == register);
        *self.physical.entry(register).or_insert_with(|| match environment {
            None => d.variable(width),
            Some(known) => {
                let (mode, place) = (d.variable(known.mode_bits), d.literal(known.mode_place.into(), width));
                let mode = d.zext(&mode, width);
                d.shl(&mode, &place)
            }
        })
    }
}

/// The results of a side.
pub(super) struct Side {
    pub defined: FxHashMap<VReg, Scalar>,
    /// Full registers written.
    pub physical: FxHashMap<PReg, Scalar>,
    /// Full registers that hold anything since a call; the choice is made by the first read.
    clobbered: FxHashSet<PReg>,
    pub memory: SymbolicMemory,
    pub ub: Term,
    /// The conditional branches in order: control goes to the block of the first whose condition holds.
    pub branches: Vec<(Term, Block)>,
    /// The way that control goes where none of them is taken.
    pub exit: Exit,
    /// True where none of the branches so far is taken.
    reached: Term,
    /// The pointers and metadata that accesses name.
    pub claims: Vec<Claim>,
    /// Undefined values that flow into PHIs of the successors: each PHI is a use of its own.
    pub arriving: FxHashMap<Inst, Scalar>,
    /// PHIs that hold an undefined value: each read of one is a choice of its own.
    pub undefined_phis: FxHashSet<VReg>,
    /// Choices that this side made.
    pub choices: Vec<Term>,
    /// Those of them from instructions of these opcodes, in order.
    pub chosen: Vec<(Opcode, Term)>,
    /// Choices of frozen values, with the bits that each stands for.
    pub frozen: Vec<(Term, Term)>,
    /// Operations that choose their NaNs.
    pub open: Vec<OpenNumber>,
    /// Choices of the earlier side's NaNs that instructions of the machine take.
    pub taken: Vec<TakenChoices>,
    /// The numbers that other instructions of the machine computed, in order.
    pub numbers: Vec<Term>,
    /// Operations with effects that no definition covers, and those without, in order.
    pub effects: Vec<Effect>,
    pub pure: Vec<Applied>,
    /// Pure operations that this block's obligation shows to be the earlier side's.
    pub assumed: FxHashMap<Application, Vec<KnownResults>>,
    /// What that obligation has to show for it.
    pub assumptions: Vec<Assumption>,
    /// The call frame that is open.
    pub frame: Option<CallFrame>,
}

/// A call frame: the bytes that its first marker says, and whether it holds a call of an unknown function.
pub(super) struct CallFrame {
    pub immediates: Vec<i64>,
    pub is_used: bool,
}

/// Operands of a pure operation of the later side that are assumed to be those of one of the earlier side.
pub(super) struct Assumption {
    pub earlier: Vec<Scalar>,
    pub later: Vec<Scalar>,
    /// Undefined behaviour of the earlier side before anything shows the result.
    pub ub: Term,
}

/// The way that control leaves a side where no conditional branch is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Exit {
    /// On from here.
    Following,
    /// To this block.
    Jump(Block),
    /// Out of the function.
    Return,
    /// The program ends.
    Trap,
    /// To the block that has this address.
    Indirect(Term),
    /// To any successor, as an operation without a definition decides.
    Anywhere,
}

impl Side {
    pub fn new(d: &mut Symbolic, defined: FxHashMap<VReg, Scalar>, memory: SymbolicMemory) -> Side {
        let (ub, reached) = (d.truth(false), d.truth(true));
        Side {
            defined,
            physical: FxHashMap::default(),
            clobbered: FxHashSet::default(),
            memory,
            ub,
            branches: Vec::new(),
            exit: Exit::Following,
            reached,
            claims: Vec::new(),
            arriving: FxHashMap::default(),
            undefined_phis: FxHashSet::default(),
            choices: Vec::new(),
            chosen: Vec::new(),
            frozen: Vec::new(),
            open: Vec::new(),
            taken: Vec::new(),
            numbers: Vec::new(),
            effects: Vec::new(),
            pure: Vec::new(),
            assumed: FxHashMap::default(),
            assumptions: Vec::new(),
            frame: None,
        }
    }

    /// Notes a conditional branch.
    pub fn take_branch(&mut self, d: &mut Symbolic, taken: Term, block: Block) {
        let passed = d.complement(taken);
        self.reached = d.bool_and(&self.reached, &passed);
        self.branches.push((taken, block));
    }

    /// True for a PHI that holds an undefined value, and for a copy of one.
    pub fn is_undefined_phi(&self, function: &Function, mut register: VReg) -> bool {
        for _ in 0..self.undefined_phis.len().min(1) * function.vregs.len() {
            if self.undefined_phis.contains(&register) {
                return true;
            }
            match function.def_of(register).and_then(|inst| copied(function.inst(inst))) {
                Some(source) => register = source,
                None => return false,
            }
        }
        false
    }

    /// Goes on to the next block of a way, whose condition its trace keeps.
    pub fn go_on(&mut self, d: &mut Symbolic) {
        self.branches.clear();
        self.exit = Exit::Following;
        self.reached = d.truth(true);
    }

    /// The end of a block from which control goes nowhere: undefined where no branch before is taken.
    pub fn reach_nothing(&mut self, d: &mut Symbolic) {
        self.ub = d.bool_or(&self.ub, &self.reached);
    }
}

pub(super) struct SideEvaluation<'e> {
    pub d: &'e mut Symbolic,
    pub target: &'e Target,
    pub function: &'e Function,
    pub inputs: &'e mut Inputs,
    pub machine: bool,
    /// The definitions of the other side: one that was looked through still defines its register for other readers. The
    /// machine verifier checks that it does.
    pub standing: Option<&'e FxHashMap<VReg, Scalar>>,
    /// All instructions of this side: a register that one of them defines is not the other side's.
    pub own: &'e [InstData],
    /// For whole functions: the state of uninterpreted operations. Without it they are unsupported.
    pub opaque: Option<&'e mut Uninterpreted>,
}

/// The most terms of a block before it is given up.
const MOST_TERMS: usize = 4_000_000;

/// For a register beyond the numbers that terms have.
pub(super) fn too_wide() -> Unsupported {
    Unsupported::new(format!("a register wider than {MAX_BITS} bits"))
}

impl SideEvaluation<'_> {
    pub fn side(mut self, follows_objects: bool, own: Vec<OwnObject>) -> Result<Side, Unsupported> {
        let mut memory = SymbolicMemory::new(self.d, 0, self.inputs.frame.clone(), self.machine);
        memory.fixed = self.function.fixed_stack.values().map(|object| object.offset).collect();
        memory.follows_objects = follows_objects;
        memory.own = own;
        memory.tables = self.tables();
        let mut side = Side::new(self.d, FxHashMap::default(), memory);
        self.run(&mut side, self.own)?;
        Ok(side)
    }

    /// The contents of the jump tables.
    pub fn tables(&mut self) -> Vec<TableContents> {
        let mut tables = Vec::new();
        for &table in &self.inputs.tables {
            let entries = walk::table_entries(self.function, table, self.target.register_bytes());
            let address = Bits::new(walk::table_address(table).into(), self.target.pointer_bits.into());
            tables.extend(entries.map(|entries| TableContents { address: self.d.value(address), entries }));
        }
        tables
    }

    /// Evaluates more instructions.
    pub fn run(&mut self, side: &mut Side, insts: &[InstData]) -> Result<(), Unsupported> {
        self.d.choices.clear();
        if insts.iter().flat_map(|data| data.vreg_defs().chain(data.vreg_uses())).any(|reg| self.width(reg) > MAX_BITS)
        {
            return Err(too_wide());
        }
        // PHIs that follow each other read before any of them writes.
        for group in insts.chunk_by(|one, other| one.opcode.is_phi() && other.opcode.is_phi()) {
            match group {
                [data] if !data.opcode.is_phi() => self.step(side, data)?,
                phis => self.phis(side, phis)?,
            }
            if self.d.bound() > MOST_TERMS {
                return Err(Unsupported::new("a function of too many terms"));
            }
        }
        if self.opaque.is_some() && !side.memory.ordered.is_empty() {
            return Err(Unsupported::new("the order of accesses of the machine"));
        }
        self.keep_choices(side);
        self.inputs.frame = side.memory.frame();
        Ok(())
    }

    /// Gives undefined values that flow into these PHIs a choice each.
    pub fn arrive(&mut self, side: &mut Side, uses: &[(Inst, VReg)]) {
        for &(phi, register) in uses {
            let value = self.undefined_use(side, register);
            side.arriving.insert(phi, value);
        }
        self.keep_choices(side);
    }

    fn step(&mut self, side: &mut Side, data: &InstData) -> Result<(), Unsupported> {
        if side.exit != Exit::Following {
            return Err(Unsupported::new("an instruction after a barrier"));
        }
        let is_terminator =
            || self.function.opcode_flags(data, self.target.vocabulary).contains(OpcodeFlags::TERMINATOR);
        if !side.branches.is_empty() && !is_terminator() {
            return Err(Unsupported::new("an instruction after a branch"));
        }
        let is_volatile = self.opaque.is_some() && data.memory.iter().any(is_plainly_volatile);
        if !is_volatile {
            return self.execute(side, data);
        }
        self.offer_volatile(side);
        self.execute(side, data)?;
        self.volatile_effects(side)
    }

    fn execute(&mut self, side: &mut Side, data: &InstData) -> Result<(), Unsupported> {
        // In a whole function nothing but its own instruction says what an atomic access or a fence orders.
        let both = OpcodeFlags::LOAD | OpcodeFlags::STORE;
        let is_intrinsic = |info: &OpcodeInfo| info.family == Family::Intrinsic && info.flags.intersects(both);
        let is_ordered = data.opcode == Opcode::G_FENCE
            || data.opcode.info().is_some_and(is_intrinsic)
            || data.memory.iter().any(MemOperand::is_atomic)
            || self.is_ordered_row(data);
        // Neither does the memory of a whole function have a part below the stack pointer.
        let moves_stack = stack::is_stack_operation(data.opcode);
        if (is_ordered || moves_stack) && self.opaque.is_some() {
            let is_known = self.atomic_access(side, data)? || self.fence(side, data)?;
            return if is_known { Ok(()) } else { self.other(side, data) };
        }
        if self.opaque.is_some() && inline_assembly::stays_in_place(data) {
            return self.other(side, data);
        }
        if moves_stack {
            let transfer = stack::execute(self.target, &mut SideState { evaluation: self, side }, data)?;
            self.follow(side, transfer);
            return Ok(());
        }
        if self.opaque.is_none() && traps::is_trap(self.target, data) {
            side.exit = Exit::Trap;
            return Ok(());
        }
        if self.opaque.is_some() && traps::is_plain_trap(self.target, data) {
            // Nothing follows it on either side: its block has no successor.
            return self.effect(side, Identity::named("trap"), Vec::new(), &[], Touches::Memory).map(drop);
        }
        if let Some(query) = FrameQuery::of(self.function, self.target, data).filter(|_| self.opaque.is_none()) {
            let target = self.target;
            let transfer = frame_records::execute(target, &mut SideState { evaluation: self, side }, data, query)?;
            self.follow(side, transfer);
            return Ok(());
        }
        if self.uninterpreted(side, data)? {
            return Ok(());
        }
        if self.is_per_use() && is_undefined_value(data) {
            return Ok(());
        }
        if matches!(data.opcode, Opcode::G_IMPLICIT_DEF | Opcode::G_FREEZE) || data.opcode.is_float() {
            return self.choice(side, data);
        }
        if matches!(data.opcode, Opcode::Target(_)) {
            self.note_claims(side, data)?;
        }
        let target = self.target;
        if self.opaque.is_none() && LinkedAddress::of(self.function, target.vocabulary, data).is_some() {
            environment::execute(target, &mut SideState { evaluation: self, side }, data)?;
            return Ok(());
        }
        if self.writes_beside(data) {
            return self.beside(side, data);
        }
        let promise = self.promise(side, data)?;
        let number = self.machine_number(side, data);
        match tribunal_target::execute(target, &mut SideState { evaluation: self, side }, data) {
            Ok(Some(transfer)) => {
                self.follow(side, transfer);
                self.forget_rest(side, data);
                self.note_number(side, data, number);
                promise.map_or(Ok(()), |promise| self.keep_promise(side, data, promise))
            }
            Ok(None) if promise.is_some() => Err(Unsupported::new(format!("a flag of {}", self.opcode_name(data)))),
            Ok(None) if self.opaque.is_some() && witness::may_extend(data.opcode) => self.choice(side, data),
            Ok(None) => self.generic(side, data),
            Err(_) if self.opaque.is_some() => self.other(side, data),
            Err(unsupported) => Err(unsupported),
        }
    }

    /// Executes an instruction that sees more than virtual registers and memory.
    pub fn walk(&mut self, side: &mut Side, data: &InstData) -> Result<(), Unsupported> {
        let transfer = walk::execute(&mut SideState { evaluation: self, side }, data)?;
        let transfer = transfer.ok_or_else(|| Unsupported::new(data.opcode.to_string()))?;
        self.follow(side, transfer);
        if !machine_promises::unread(data).is_empty() {
            let args = self.operands(side, data);
            for register in data.vreg_defs() {
                let Some(value) = side.defined.get(&register).cloned() else { continue };
                let value = self.keep_unread(data, &args, (register, value));
                side.defined.insert(register, value);
            }
        }
        Ok(())
    }

    /// Notes the effect of an instruction on control.
    pub fn follow(&mut self, side: &mut Side, Transfer { ub, next }: Transfer<Symbolic>) {
        self.undefined(side, ub);
        match next {
            Next::Following => {}
            Next::Return => side.exit = Exit::Return,
            Next::To(block) => side.exit = Exit::Jump(block),
            Next::If(taken, block) => self.branch(side, taken, block),
            Next::Indirect(to) => side.exit = Exit::Indirect(to),
        }
    }

    /// Notes a conditional branch.
    pub fn branch(&mut self, side: &mut Side, taken: Term, block: Block) {
        side.take_branch(self.d, taken, block);
    }

    /// The values from one arbitrary edge into the block.
    fn phis(&mut self, side: &mut Side, phis: &[InstData]) -> Result<(), Unsupported> {
        let edge = match self.inputs.edge {
            Some(edge) => edge,
            None => *self.inputs.edge.insert(self.d.variable(32)),
        };
        walk::phis(&mut SideState { evaluation: self, side }, phis.iter(), &Edge::Any(edge))
    }

    pub fn generic(&mut self, side: &mut Side, data: &InstData) -> Result<(), Unsupported> {
        let args = self.operands(side, data);
        let is_address = |value: &Scalar| self.d.width_of(value.bits) == u32::from(self.target.pointer_bits);
        let accesses = data.opcode.info().is_some_and(|info| {
            matches!(info.family, Family::Load | Family::Store) && info.flags.contains(OpcodeFlags::DEFINED)
        });
        let is_atomic = data.opcode.family() == Some(Family::Atomic);
        if accesses && !args.last().is_some_and(is_address) || is_atomic && !args.first().is_none_or(is_address) {
            return Err(Unsupported::new("an address that is no pointer's width"));
        }
        if self.opaque.is_some() && !data.memory.is_empty() {
            // The address is the last operand of every load and store.
            let address = match data.opcode.family() {
                Some(Family::Indexed) => self.indexed_address(data, &args),
                _ => args.last().map(|address| address.bits),
            };
            address.into_iter().for_each(|address| self.note_claim(side, data, address));
        }
        // A device gives a volatile vector whole.
        if self.opaque.is_some() && self.function.has_vector(data) && data.memory.iter().any(is_plainly_volatile) {
            return self.other(side, data);
        }
        let evaluation = match semantics::evaluate(self.d, &mut side.memory, self.function, data, &args) {
            Err(_) if self.opaque.is_some() => return self.other(side, data),
            evaluation => evaluation?,
        };
        self.undefined(side, evaluation.ub);
        for (register, value) in data.vreg_defs().zip(evaluation.results) {
            let value = self.keep_unread(data, &args, (register, value));
            side.defined.insert(register, value);
        }
        Ok(())
    }

    /// The values of the virtual registers read: one that an `undef` operand names may hold anything.
    fn operands(&mut self, side: &mut Side, data: &InstData) -> SmallVec<[Scalar; 4]> {
        let read = |operand: &RegOperand| Some((operand.reg.as_virtual()?, operand.flags));
        let value = |(register, flags): (VReg, RegFlags)| match flags.contains(RegFlags::UNDEF) {
            true => self.undefined_use(side, register),
            false => self.read(side, register),
        };
        data.uses().filter_map(read).map(value).collect()
    }

    /// Adds undefined behaviour of one instruction, which is none where a branch before it is taken.
    pub fn undefined(&mut self, side: &mut Side, ub: Term) {
        let ub = self.d.bool_and(&side.reached, &ub);
        side.ub = self.d.bool_or(&side.ub, &ub);
    }

    pub fn width(&self, register: VReg) -> u32 {
        walk::register_bits(self.function, self.target.vocabulary, register)
    }

    pub fn read(&mut self, side: &mut Side, register: VReg) -> Scalar {
        if self.is_per_use()
            && (is_undefined(self.function, register) || side.is_undefined_phi(self.function, register))
        {
            return self.undefined_use(side, register);
        }
        if let Some(value) = side.defined.get(&register) {
            return value.clone();
        }
        let is_own = || self.own.iter().any(|data| data.vreg_defs().any(|own| own == register));
        // A PHI that reads what its own side defines below reads the value of the round before.
        if let Some(value) = self.standing.and_then(|standing| standing.get(&register)).filter(|_| !is_own()) {
            return if self.machine { Value::new(value.bits, self.d.truth(false)) } else { value.clone() };
        }
        if !self.inputs.registers.contains_key(&register) {
            let value = self.fresh(register);
            self.inputs.registers.insert(register, value);
            self.inputs.order.push(register);
        }
        let value = &self.inputs.registers[&register];
        if self.machine { Value::new(value.bits, self.d.truth(false)) } else { value.clone() }
    }

    /// Contents of a register that nothing is known of.
    fn fresh(&mut self, register: VReg) -> Scalar {
        let width = self.width(register);
        unknown(self.d, width, elements(self.function, register))
    }
}

/// True for a volatile access that is not atomic too.
fn is_plainly_volatile(memory: &MemOperand) -> bool {
    memory.flags.contains(MemFlags::VOLATILE) && !memory.is_atomic()
}

/// True for the definition of a value that is anything.
fn is_undefined_value(data: &InstData) -> bool {
    let register = data.operands.first().and_then(Operand::as_reg);
    let whole = register.is_some_and(|register| register.reg.as_virtual().is_some() && register.subregister.0 == 0);
    whole && matches!(data.opcode, Opcode::G_IMPLICIT_DEF | Opcode::IMPLICIT_DEF)
}

/// The register that a whole copy reads.
pub(super) fn copied(data: &InstData) -> Option<VReg> {
    match data.operands.as_slice() {
        [Operand::Reg(_), Operand::Reg(source)] if data.opcode == Opcode::COPY && source.subregister.0 == 0 => {
            source.reg.as_virtual()
        }
        _ => None,
    }
}

/// True for a register that holds such a value, copied or not.
pub(super) fn is_undefined(function: &Function, mut register: VReg) -> bool {
    // A chain of copies ends, but for code that the machine verifier rejects.
    for _ in 0..function.vregs.len() {
        let Some(data) = function.def_of(register).map(|inst| function.inst(inst)) else { return false };
        let [Operand::Reg(_), Operand::Reg(source)] = data.operands.as_slice() else {
            return is_undefined_value(data);
        };
        match source.reg.as_virtual() {
            Some(next) if data.opcode == Opcode::COPY && source.subregister.0 == 0 => register = next,
            _ => return false,
        }
    }
    false
}

/// A side under evaluation: the registers of both, and the domain.
pub(super) struct SideState<'w, 'e> {
    pub evaluation: &'w mut SideEvaluation<'e>,
    pub side: &'w mut Side,
}

impl MachineState<Symbolic> for SideState<'_, '_> {
    type Memory = SymbolicMemory;

    fn function(&self) -> &Function {
        self.evaluation.function
    }

    fn vocabulary(&self) -> &'static dyn Vocabulary {
        self.evaluation.target.vocabulary
    }

    fn evaluator(&mut self) -> (&mut Symbolic, &mut SymbolicMemory) {
        (self.evaluation.d, &mut self.side.memory)
    }

    fn virtual_register(&mut self, register: VReg) -> Result<Scalar, Unsupported> {
        Ok(self.evaluation.read(self.side, register))
    }

    fn set_virtual_register(&mut self, register: VReg, value: Scalar) {
        self.side.defined.insert(register, value);
    }

    /// One that the side has not written is an input, without poison.
    fn full_register(&mut self, register: PReg) -> Scalar {
        if let Some(value) = self.side.physical.get(&register) {
            return value.clone();
        }
        let width = self.vocabulary().register_bits(register);
        if self.side.clobbered.remove(&register) {
            let value = self.unwritten(width);
            self.side.physical.insert(register, value.clone());
            return value;
        }
        if self.evaluation.target.abi.thread_pointer.register() == Some(register) {
            let bits = self.evaluation.variable_of(Start::ThreadPointer);
            return Value::new(bits, self.evaluation.d.truth(false));
        }
        let (d, target) = (&mut *self.evaluation.d, self.evaluation.target);
        Value::new(self.evaluation.inputs.physical(d, target, register), d.truth(false))
    }

    fn set_full_register(&mut self, register: PReg, value: Scalar) {
        self.side.clobbered.remove(&register);
        self.side.physical.insert(register, value);
    }

    fn clobber(&mut self, register: PReg) {
        self.side.physical.remove(&register);
        self.side.clobbered.insert(register);
    }
}
