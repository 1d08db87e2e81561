//! Pass `select`: replaces generic instructions by machine instructions, by the target's rules.
//!
//! Selection runs bottom-up, a block's last instruction first: when it reaches a definition, the users have folded it
//! or not. A definition that nothing reads any more is dropped without being selected. The first rule in table order
//! that matches is applied. The last machine instruction it writes defines the register of the root, so that stages can
//! be compared register by register.

mod matcher;

use crate::bank_select;
use crate::pipeline::Pass;
use crate::{CompileError, Context};
use matcher::{Match, MatchedAddress};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::{Mutex, PoisonError};
use tribunal_ir::inline_assembly::{self, TiedRegisters};
use tribunal_ir::{
    AddressData, AtomicOrdering, Block, Constraint, Function, Inst, InstData, MemOperand, Opcode, OpcodeFlags, Operand,
    Properties, Reg, RegBank, RegClass, RegFlags, RegOperand, Stage, SubReg, VReg,
};
use tribunal_target::instructions::OperandDesc;
use tribunal_target::registers::ClassDesc;
use tribunal_target::selection::{Emit, Out, SelectionRule};
use tribunal_target::{Features, Target};

/// The pass, as the pipeline lists it.
pub static PASS: Pass =
    Pass { name: "select", from: Stage::BankSelected, to: Stage::Selected, drops: Properties::empty(), run };

/// Rules of one target by the opcode of their root.
type Index = FxHashMap<Opcode, Vec<&'static SelectionRule>>;

/// The index of `target`, made once.
fn index(target: &'static Target) -> &'static Index {
    static MADE: Mutex<Vec<(&'static str, &'static Index)>> = Mutex::new(Vec::new());
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(&(_, index)) = made.iter().find(|(name, _)| *name == target.name) {
        return index;
    }
    let mut index = Index::default();
    for rule in target.selection {
        index.entry(rule.pattern.opcode).or_default().push(rule);
    }
    let index: &'static Index = Box::leak(Box::new(index));
    made.push((target.name, index));
    index
}

fn run(context: &mut Context<'_>, function: &mut Function) -> Result<(), CompileError> {
    let order = function.reverse_post_order();
    remove_unreachable(function, &order);
    let mut selector = Selector { rules: index(context.target), context, function };
    for &block in order.iter().rev() {
        let insts: SmallVec<[Inst; 32]> = selector.function.insts_reversed(block).collect();
        for inst in insts {
            selector.select(inst)?;
        }
    }
    selector.finish()
}

/// Removes unreachable blocks, and with them their PHI operands.
fn remove_unreachable(function: &mut Function, reachable: &[tribunal_ir::Block]) {
    if reachable.len() == function.layout().len() {
        return;
    }
    let layout: Vec<_> = function.layout().iter().copied().filter(|block| reachable.contains(block)).collect();
    for &block in function.layout().to_vec().iter().filter(|block| !layout.contains(block)) {
        let insts: Vec<Inst> = function.insts(block).collect();
        insts.into_iter().for_each(|inst| function.remove(inst));
    }
    for &block in &layout {
        let phis: Vec<Inst> = function.insts(block).take_while(|&inst| function.inst(inst).opcode.is_phi()).collect();
        for inst in phis {
            let mut data = function.inst(inst).clone();
            let inputs: Vec<_> = data.phi_inputs().filter(|(_, from)| layout.contains(from)).collect();
            data.operands.truncate(1);
            data.operands
                .extend(inputs.into_iter().flat_map(|(value, from)| [Operand::used(value), Operand::Block(from)]));
            function.replace(inst, data);
        }
    }
    function.set_layout(layout);
}

/// The first usable rule that matches an instruction.
fn rule_for(
    rules: &Index,
    function: &Function,
    (target, features): (&Target, Features),
    inst: Inst,
) -> Option<(&'static SelectionRule, Match)> {
    let rules = rules.get(&function.inst(inst).opcode).map_or(&[][..], Vec::as_slice);
    let usable = rules.iter().filter(|rule| features.contains(rule.requires));
    usable.into_iter().find_map(|&rule| matcher::matches(function, target, inst, rule).map(|matched| (rule, matched)))
}

/// True if the pass takes a legal instruction, were its result read: a rule matches it, or it needs none. Values are in
/// no bank yet, and in the bank that is at home with their types if a rule asks for one.
pub fn takes(function: &Function, target: &'static Target, features: Features, inst: Inst) -> bool {
    let needs_none = matches!(function.inst(inst).opcode, Opcode::COPY | Opcode::G_PHI);
    let matches = |function: &Function| rule_for(index(target), function, (target, features), inst).is_some();
    needs_none || matches(function) || matches(&bank_select::at_home(function, target, features))
}

struct Selector<'c, 'a, 'f> {
    context: &'c mut Context<'a>,
    function: &'f mut Function,
    rules: &'static Index,
}

impl Selector<'_, '_, '_> {
    fn select(&mut self, inst: Inst) -> Result<(), CompileError> {
        if self.empty_assembly(inst) {
            return Ok(());
        }
        let data = self.function.inst(inst);
        match data.opcode {
            Opcode::Target(_) => return Ok(()),
            // Lifetime markers have no bearing here.
            Opcode::LIFETIME_START | Opcode::LIFETIME_END => {
                self.function.remove(inst);
                return Ok(());
            }
            _ if self.is_dead(data) => {
                self.function.remove(inst);
                return Ok(());
            }
            Opcode::COPY => {
                self.copy(inst);
                return Ok(());
            }
            Opcode::PHI => return Ok(()),
            Opcode::G_PHI => {
                let data = InstData { opcode: Opcode::PHI, ..data.clone() };
                self.function.replace(inst, data);
                return Ok(());
            }
            _ => {}
        }
        match rule_for(self.rules, self.function, (self.context.target, self.context.options.features), inst) {
            Some((rule, matched)) => {
                self.apply(inst, rule.name, rule.emit, &matched);
                Ok(())
            }
            None => {
                let text = tribunal_ir::text::print_inst(self.function, data, self.context.target.vocabulary);
                Err(CompileError::unsupported(self.function, PASS.name, format!("cannot select `{text}`")))
            }
        }
    }

    fn is_dead(&self, data: &InstData) -> bool {
        let effects = OpcodeFlags::STORE | OpcodeFlags::SIDE_EFFECTS | OpcodeFlags::TERMINATOR | OpcodeFlags::CALL;
        let flags = data.opcode.info().map_or(effects, |info| info.flags);
        let ordered = data.memory.iter().any(MemOperand::is_ordered);
        let unread = |operand: &RegOperand| {
            operand.reg.as_virtual().is_some_and(|register| self.function.use_count(register) == 0)
        };
        !flags.intersects(effects) && !ordered && data.defs().next().is_some() && data.defs().all(unread)
    }

    /// A copy from bank to bank becomes the machine's move.
    fn copy(&mut self, inst: Inst) {
        let data = self.function.inst(inst);
        let (Some(dst), Some(src)) = (data.vreg(0), data.vreg(1)) else { return };
        let (to, from) = (self.class_of(dst), self.class_of(src));
        let target = self.context.target;
        let row = target.copy_between(to, from).filter(|_| target.class(to).bank != target.class(from).bank);
        if let Some(row) = row {
            self.apply(inst, row.name, std::slice::from_ref(&row.code), &Match::of_register(src));
        }
    }

    /// Copies of the registers that inline assembly without a text ties to others. False if it has another form.
    fn empty_assembly(&mut self, inst: Inst) -> bool {
        let data = self.function.inst(inst);
        let Some(copies) = inline_assembly::tied_registers(self.function, data) else { return false };
        let before = data.clone();
        let copy = |&(to, from): &TiedRegisters| {
            let read = Operand::Reg(RegOperand { tied_to: None, ..from });
            self.function.insert_before(inst, InstData::new(Opcode::COPY, [Operand::def(to.reg), read]))
        };
        let mut after: Vec<Inst> = copies.iter().map(copy).collect();
        self.function.remove(inst);
        if self.context.observer.wants_steps() {
            self.context.observer.step("empty_assembly", self.function, &[before], &mut after);
        }
        true
    }

    fn apply(&mut self, root: Inst, name: &'static str, emits: &'static [Emit], matched: &Match) {
        let before: Option<Vec<InstData>> = self.context.observer.wants_steps().then(|| {
            let mut before: Vec<InstData> =
                matched.through.iter().map(|&inst| self.function.inst(inst).clone()).collect();
            before.push(self.function.inst(root).clone());
            before
        });
        let root_data = self.function.inst(root).clone();
        let mut temporaries: SmallVec<[Option<VReg>; 8]> = SmallVec::new();
        let mut after = Vec::new();
        for emit in emits {
            let data = self.instruction(emit, &root_data, matched, &mut temporaries);
            after.push(self.function.insert_before(root, data));
        }
        self.function.remove(root);
        // Definitions that only this root read are gone with it; later code folds or drops the rest.
        if let Some(before) = before {
            self.context.observer.step(name, self.function, &before, &mut after);
        }
    }

    fn instruction(
        &mut self,
        emit: &Emit,
        root: &InstData,
        matched: &Match,
        temporaries: &mut SmallVec<[Option<VReg>; 8]>,
    ) -> InstData {
        let mut data = InstData::new(emit.opcode, []);
        if let Opcode::Target(opcode) = emit.opcode {
            let flags = self.context.target.instruction(opcode).flags;
            if flags.intersects(OpcodeFlags::LOAD | OpcodeFlags::STORE) {
                data.memory = root.memory.clone();
            }
        }
        for out in emit.operands {
            self.operand(out, &mut data, root, matched, temporaries);
        }
        data
    }

    fn operand(
        &mut self,
        out: &Out,
        data: &mut InstData,
        root: &InstData,
        matched: &Match,
        temporaries: &mut SmallVec<[Option<VReg>; 8]>,
    ) {
        let desc = match data.opcode {
            Opcode::Target(opcode) => self.context.target.instruction(opcode).operands.get(data.operands.len()),
            _ => None,
        };
        let wanted = desc.and_then(OperandDesc::class);
        let early = match desc {
            Some(OperandDesc::EarlyDef(_)) => RegFlags::EARLY_CLOBBER,
            _ => RegFlags::empty(),
        };
        let operand = match out {
            Out::Def(class) | Out::Def2(class) => {
                let index = usize::from(matches!(out, Out::Def2(_)));
                let Some(register) = root.vreg(index) else { return };
                self.constrain(register, *class);
                defined(register, early)
            }
            Out::DefTemp(number, class) => {
                let register = self.function.push_vreg(None, Constraint::Class(*class));
                let number = usize::from(*number);
                if temporaries.len() <= number {
                    temporaries.resize(number + 1, None);
                }
                temporaries[number] = Some(register);
                defined(register, early)
            }
            Out::Temp(number) => match temporaries.get(usize::from(*number)).copied().flatten() {
                Some(register) => Operand::used(register),
                None => return,
            },
            Out::TempPart(number, index) => match temporaries.get(usize::from(*number)).copied().flatten() {
                Some(register) => part(register, *index),
                None => return,
            },
            Out::Reg(slot) => self.read(matched.register(*slot), wanted),
            Out::SubReg(slot, index) => {
                let register = matched.register(*slot);
                self.classify(register);
                part(register, *index)
            }
            Out::Imm(slot) => Operand::Imm(matched.immediate(*slot).to_i64().unwrap_or(0)),
            Out::ImmWith(slot, function) => Operand::Imm(function(matched.immediate(*slot))),
            Out::Const(value) => Operand::Imm(*value),
            Out::Ordering => Operand::Imm(
                root.memory.first().map_or(AtomicOrdering::NotAtomic, MemOperand::merged_ordering).number(),
            ),
            Out::Phys(register) => Operand::used(*register),
            Out::PhysDef(register) => Operand::def(*register),
            Out::ImplicitDef(register) => Operand::implicit_def(*register),
            Out::ImplicitUse(register) => Operand::implicit_use(*register),
            Out::Stack(slot) => matched.stack(*slot),
            Out::Label(slot) => Operand::Block(matched.label(*slot)),
            Out::Symbol(slot, flags) => self.function.address(AddressData { flags: *flags, ..matched.symbol(*slot) }),
            Out::Address(slot) => {
                let MatchedAddress { base, offset } = matched.address(*slot);
                let base = match base {
                    matcher::Base::Register(register) => self.read(register, wanted),
                    matcher::Base::Physical(register) => Operand::used(register),
                    matcher::Base::Object(object) => object,
                };
                let Opcode::Target(opcode) = data.opcode else { return };
                data.operands.push(base);
                Operand::Imm(self.context.target.offset_operand(opcode, offset))
            }
        };
        data.operands.push(operand);
    }

    /// A read of `register` where an instruction wants class `wanted`.
    fn read(&mut self, register: VReg, wanted: Option<RegClass>) -> Operand {
        match wanted {
            Some(class) => self.constrain(register, class),
            None => self.classify(register),
        }
        Operand::used(register)
    }

    /// Gives `register` the class, or the largest one that lies in both its class and this one.
    fn constrain(&mut self, register: VReg, class: RegClass) {
        let target = self.context.target;
        let new = match self.function.vregs[register].constraint {
            Constraint::Class(old) if old != class => {
                let within = |inner: RegClass, outer: RegClass| {
                    target.class(inner).members.iter().all(|member| target.class(outer).members.contains(member))
                };
                let common =
                    (0..target.classes.len() as u8).map(RegClass).filter(|&c| within(c, old) && within(c, class));
                common.max_by_key(|&common| target.class(common).members.len()).unwrap_or(class)
            }
            Constraint::Class(_) | Constraint::Bank(_) | Constraint::None => class,
        };
        self.function.vregs[register].constraint = Constraint::Class(new);
    }

    /// Gives `register` the class of its size in its bank if it has none.
    fn classify(&mut self, register: VReg) {
        self.function.vregs[register].constraint = Constraint::Class(self.class_of(register));
    }

    /// The class of a register, or that of its size in its bank if it has none.
    fn class_of(&self, register: VReg) -> RegClass {
        let data = &self.function.vregs[register];
        let bank = match data.constraint {
            Constraint::Class(class) => return class,
            Constraint::Bank(bank) => bank,
            Constraint::None => RegBank(0),
        };
        let bits = data.ty.map_or(u32::from(self.context.target.pointer_bits), |ty| ty.bits());
        let classes = self.context.target.classes;
        let fits = |class: &ClassDesc| class.bank == bank && class.bits == bits && !class.allocatable.is_empty();
        let class = classes.iter().position(fits).map(|index| RegClass(index as u8));
        class.unwrap_or(self.context.target.bank(bank).class)
    }

    /// Registers lose their types and all have a class; nothing generic is left.
    fn finish(mut self) -> Result<(), CompileError> {
        let registers: Vec<VReg> = self.function.vregs.keys().collect();
        for register in registers {
            if self.function.def_of(register).is_some() {
                self.classify(register);
            }
            self.function.vregs[register].ty = None;
        }
        for &block in self.function.layout() {
            for inst in self.function.insts(block) {
                let data = self.function.inst(inst);
                if data.opcode.is_generic() {
                    let reason = format!("{} is left", data.opcode);
                    return Err(CompileError::internal(self.function, PASS.name, reason));
                }
            }
        }
        for block in self.function.layout().to_vec() {
            gather_call_copies(self.function, self.context.target, block);
            gather_boundary_copies(self.function, self.context.target, block);
        }
        Ok(())
    }
}

/// A read of part of a register.
fn part(register: VReg, subregister: SubReg) -> Operand {
    Operand::Reg(RegOperand { reg: register.into(), flags: RegFlags::empty(), subregister, tied_to: None })
}

/// The definition of a virtual register.
fn defined(register: VReg, flags: RegFlags) -> Operand {
    let flags = RegFlags::DEF | flags;
    Operand::Reg(RegOperand { reg: register.into(), flags, subregister: SubReg::default(), tied_to: None })
}

/// Moves the copies to argument registers down to their call, past what computes or stores other arguments. The
/// allocator treats a call with its copies as one instruction.
fn gather_call_copies(function: &mut Function, target: &Target, block: Block) {
    let mut copies: Option<Vec<Inst>> = None;
    for inst in function.insts(block).collect::<Vec<_>>() {
        let data = function.inst(inst);
        if target.opens_call_frame(data) {
            copies = Some(Vec::new());
        } else if target.is_call(data) {
            for copy in copies.take().unwrap_or_default() {
                let data = function.take(copy);
                function.remove(copy);
                function.insert_before(inst, data);
            }
        } else if data.opcode == Opcode::COPY
            && data.defs().any(|operand| operand.reg.as_physical().is_some())
            && let Some(copies) = &mut copies
        {
            copies.push(inst);
        }
    }
}

/// Moves copies from argument registers to the head of the entry, and copies to result registers down to the return.
/// Between them and the boundary those registers belong to nobody, so the allocator may treat each side as one
/// instruction. The copies of a call's arguments and results stay with it.
fn gather_boundary_copies(function: &mut Function, target: &Target, block: Block) {
    let (mut arguments, mut results, mut written) = (Vec::new(), Vec::new(), Vec::new());
    let mut in_call = false;
    for inst in function.insts(block) {
        let data = function.inst(inst);
        if target.is_call_frame(data) {
            in_call = target.opens_call_frame(data);
        } else if target.is_call(data) {
            written.extend(target.abi.caller_saved.iter().copied());
        }
        let (Opcode::COPY, [Operand::Reg(dst), Operand::Reg(src), ..]) = (data.opcode, data.operands.as_slice()) else {
            continue;
        };
        match (dst.reg, src.reg) {
            (Reg::Virtual(_), Reg::Physical(register)) => {
                let full = target.vocabulary.full_register(register);
                let may_pass = target.is_allocatable(full) || target.abi.scratch.contains(&full);
                let is_live_in = may_pass && function.is_live_in(register);
                if (target.abi.is_argument(full) || is_live_in) && !written.contains(&full) {
                    arguments.push(inst);
                }
            }
            (Reg::Physical(register), Reg::Virtual(_)) => {
                written.push(target.vocabulary.full_register(register));
                // The stack pointer moves where it stands.
                if !in_call && register != target.abi.stack_pointer {
                    results.push(inst);
                }
            }
            _ => {}
        }
    }
    if function.entry() == Some(block) {
        for inst in arguments.into_iter().rev() {
            let data = function.inst(inst).clone();
            function.remove(inst);
            function.prepend(block, data);
        }
    }
    // Nothing returns behind a copy that ends its block.
    let Some(last) = function.last_inst(block).filter(|last| !results.contains(last)) else { return };
    for inst in results {
        let data = function.inst(inst).clone();
        function.remove(inst);
        function.insert_before(last, data);
    }
}
