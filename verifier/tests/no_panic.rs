//! Every opcode of every table, with and without its results, whole and cut short, on types that fit and types that do
//! not, through the step prover and through the validator of functions: a verdict, and no panic. No machine verifier
//! stands before them.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tribunal_ir::types::{P0, S1, S32, S64};
use tribunal_ir::{
    CfiInstruction, Constraint, Function, InstData, MemFlags, MemOperand, Opcode, OpcodeFlags, Operand, OperandKind,
    RegClass, Stage, Step, TargetOpcode, Type, text,
};
use tribunal_target::Target;
use tribunal_target::instructions::OperandDesc;
use tribunal_verifier::prover::{self, Pair, Prover, Undef, Verdict};

/// An operand of each kind that is no register, and blocks to name.
const FRAME: &str = "---
name: f
fixedStack:
  - { id: 0, offset: 0, size: 8, alignment: 8 }
stack:
  - { id: 0, size: 8, alignment: 8 }
constants:
  - id: 0
    value: 'i64 7'
    alignment: 8
jumpTable:
  kind: block-address
  entries:
    - id: 0
      blocks: [ '%bb.1' ]
body: |
  bb.0:
    successors: %bb.1
    %0:_(s64) = G_IMPLICIT_DEF
    %1:_(p0) = G_GLOBAL_VALUE @g
    %2:_(p0) = G_CONSTANT_POOL %const.0
    %3:_(p0) = G_JUMP_TABLE %jump-table.0
    %4:_(p0) = G_FRAME_INDEX %stack.0
    %5:_(p0) = G_FRAME_INDEX %fixed-stack.0
    %6:_(s1) = G_ICMP intpred(ult), %0(s64), %0
    %7:_(s1) = G_FCMP floatpred(ogt), %0(s64), %0
    %8:_(<2 x s32>) = G_IMPLICIT_DEF
    %9:_(<2 x s32>) = G_SHUFFLE_VECTOR %8(<2 x s32>), %8, shufflemask(1, 0)
    %10:_(s64) = G_CONSTANT i64 9
    %11:_(p0) = G_INTRINSIC intrinsic(@llvm.ptrmask), %1(p0), %0(s64)
    G_BR %bb.1

  bb.1:
    %12:_(s64) = G_ADD %0, %0
...
";

/// The types of one instruction's registers, by type index.
type Types = [Type; 3];

fn mixtures() -> Vec<Types> {
    let vector = S32.times(tribunal_ir::types::ElementCount::fixed(2)).unwrap();
    let all = [S1, S32, S64, P0, vector, Type::scalar(7), Type::scalar(600)];
    let turned =
        |by: usize| (0..all.len()).map(move |index| [0, by, 2 * by].map(|step| all[(index + step) % all.len()]));
    [0, 1, 3].into_iter().flat_map(turned).collect()
}

/// The last panic's place and message: printing each with its frames would take minutes.
static LAST: Mutex<String> = Mutex::new(String::new());

fn quietly() {
    std::panic::set_hook(Box::new(|info| *LAST.lock().unwrap_or_else(PoisonError::into_inner) = info.to_string()));
}

struct Tester {
    target: &'static Target,
    frame: Function,
    judged: usize,
    panics: Vec<String>,
}

impl Tester {
    fn new(target: &'static Target) -> Tester {
        quietly();
        let frame = text::parse_module(FRAME, target.vocabulary).unwrap().whole().unwrap().functions.remove(0);
        Tester { target, frame, judged: 0, panics: Vec::new() }
    }

    /// The frame's operand `index` of its first instruction of `opcode`.
    fn named(&self, opcode: Opcode, index: usize) -> Operand {
        let mut insts = self.frame.all_insts().map(|inst| self.frame.inst(inst));
        insts.find(|data| data.opcode == opcode).unwrap().operands[index]
    }

    fn operand(&self, function: &mut Function, kind: OperandKind, types: Types) -> Operand {
        if let Some(index) = kind.type_index() {
            return Operand::used(function.new_vreg(types[index]));
        }
        match kind {
            OperandKind::CONST => self.named(Opcode::G_CONSTANT, 1),
            OperandKind::PRED => self.named(Opcode::G_ICMP, 1),
            OperandKind::FPRED => self.named(Opcode::G_FCMP, 1),
            OperandKind::BLOCK => self.named(Opcode::G_BR, 0),
            OperandKind::FRAME => self.named(Opcode::G_FRAME_INDEX, 1),
            OperandKind::SYMBOL => self.named(Opcode::G_GLOBAL_VALUE, 1),
            OperandKind::POOL => self.named(Opcode::G_CONSTANT_POOL, 1),
            OperandKind::TABLE => self.named(Opcode::G_JUMP_TABLE, 1),
            OperandKind::MASK => self.named(Opcode::G_SHUFFLE_VECTOR, 3),
            OperandKind::CFI => Operand::Cfi(CfiInstruction::RememberState),
            _ => Operand::Imm(1),
        }
    }

    fn generic(&mut self, opcode: Opcode, types: Types) {
        let Some(info) = opcode.info() else { return };
        let mut function = self.frame.clone();
        let place = |kinds: &[OperandKind], function: &mut Function| -> Vec<Operand> {
            let kinds = kinds.iter().enumerate().map(|(index, &kind)| match kind {
                OperandKind::MORE => kinds[index.saturating_sub(1)],
                _ => kind,
            });
            kinds.map(|kind| self.operand(function, kind, types)).collect()
        };
        let defs = place(info.defs, &mut function);
        let defs: Vec<Operand> = defs.iter().filter_map(Operand::as_vreg).map(Operand::def).collect();
        let uses = place(info.uses, &mut function);
        let direction = [(OpcodeFlags::LOAD, MemFlags::LOAD), (OpcodeFlags::STORE, MemFlags::STORE)];
        let accesses = direction.into_iter().filter(|(property, _)| info.flags.contains(*property));
        let accesses: Vec<MemOperand> = accesses.map(|(_, flags)| MemOperand::new(flags, S32, 4)).collect();
        self.forms(&function, opcode, &defs, &uses, &accesses);
    }

    /// The instruction on registers of its own classes, or of the `turn`-th class after each.
    fn machine(&mut self, opcode: TargetOpcode, turn: u8) {
        let row = self.target.instruction(opcode);
        let mut function = self.frame.clone();
        function.stage = Stage::Selected;
        let (mut defs, mut uses) = (Vec::new(), Vec::new());
        for desc in row.operands {
            let class_count = self.target.classes.len() as u8;
            let mut register =
                |RegClass(class)| function.push_vreg(None, Constraint::Class(RegClass((class + turn) % class_count)));
            match *desc {
                OperandDesc::Def(class) | OperandDesc::EarlyDef(class) => defs.push(Operand::def(register(class))),
                OperandDesc::Label { .. } => uses.push(self.named(Opcode::G_BR, 0)),
                OperandDesc::Callee { .. } => uses.push(self.named(Opcode::G_GLOBAL_VALUE, 1)),
                OperandDesc::Imm(_) | OperandDesc::Offset { .. } => uses.push(Operand::Imm(1)),
                OperandDesc::RegisterMask | OperandDesc::Symbol => uses.push(Operand::NoRegister),
                OperandDesc::Use(class)
                | OperandDesc::Base(class)
                | OperandDesc::Index(class)
                | OperandDesc::Tied { class, .. } => {
                    uses.push(Operand::used(register(class)));
                }
            }
        }
        uses.extend(row.implicit_uses.iter().map(|&register| Operand::implicit_use(register)));
        uses.extend(row.implicit_defs.iter().map(|&register| Operand::implicit_def(register)));
        self.forms(&function, Opcode::Target(opcode), &defs, &uses, &[]);
    }

    /// The instruction as its row says, without its results, with fewer operands, with a number for one, and
    /// with one twice.
    fn forms(
        &mut self,
        function: &Function,
        opcode: Opcode,
        defs: &[Operand],
        uses: &[Operand],
        accesses: &[MemOperand],
    ) {
        let of = |operands: Vec<Operand>, accesses: &[MemOperand]| {
            let inst = InstData::new(opcode, operands);
            accesses.iter().fold(inst, |inst, &access| inst.with_memory(access))
        };
        let whole: Vec<Operand> = defs.iter().chain(uses).copied().collect();
        let mut forms = vec![of(whole.clone(), accesses), of(whole.clone(), &[]), of(uses.to_vec(), accesses)];
        forms.extend((0..whole.len()).map(|length| of(whole[..length].to_vec(), accesses)));
        forms.extend((0..whole.len()).map(|place| {
            let mut other = whole.clone();
            other[place] = Operand::Imm(1);
            of(other, accesses)
        }));
        forms.extend((0..whole.len()).map(|place| {
            let mut twice = whole.clone();
            twice.insert(place, whole[place]);
            of(twice, accesses)
        }));
        forms.iter().for_each(|form| self.step(function, form, &forms));
        [&forms[0], &forms[2]].into_iter().for_each(|form| self.functions(function, form));
    }

    /// The instruction against itself, against nothing, and against its other forms.
    fn step(&mut self, function: &Function, form: &InstData, forms: &[InstData]) {
        let one = std::slice::from_ref(form);
        let steps = [(one, one), (one, &[]), (&[], one), (&forms[..1], one), (one, &forms[..1])];
        for (before, after) in steps {
            let step = Step { rule: "test", function, before, after };
            let target = self.target;
            self.judge(form, function, || Prover::default().judge(target, &step));
        }
    }

    /// A function with the instruction against itself, and against one without it.
    fn functions(&mut self, frame: &Function, form: &InstData) {
        let mut function = frame.clone();
        let last = function.layout()[1];
        function.append(last, form.clone());
        let pairs = [(&function, &function), (frame, &function), (&function, frame)];
        for (before, after) in pairs {
            let target = self.target;
            let validate =
                || prover::validate(target, Pair { before, after }, Undef::PerUse, Duration::from_millis(200)).verdict;
            self.judge(form, frame, validate);
        }
    }

    fn judge(&mut self, form: &InstData, function: &Function, judge: impl FnOnce() -> Verdict) {
        self.judged += 1;
        let shown = || text::print_inst(function, form, self.target.vocabulary);
        match catch_unwind(AssertUnwindSafe(judge)) {
            Ok(_) => {}
            Err(_) => self.panics.push(format!("{}: {}", shown(), LAST.lock().unwrap())),
        }
    }

    fn assert_no_panic(&self, least: usize) {
        drop(std::panic::take_hook());
        assert!(self.panics.is_empty(), "{} panics:\n{}", self.panics.len(), self.panics.join("\n"));
        assert!(self.judged > least, "{} only", self.judged);
    }
}

#[test]
fn no_generic_opcode_ends_the_prover() {
    let mut tester = Tester::new(&tribunal_target::riscv::RISCV64);
    for &opcode in Opcode::ALL {
        let mixtures = mixtures();
        let count = if opcode.type_indices() == 0 { 1 } else { mixtures.len() };
        mixtures.into_iter().take(count).for_each(|types| tester.generic(opcode, types));
    }
    tester.assert_no_panic(1000);
}

#[test]
fn no_machine_opcode_ends_the_prover() {
    for target in tribunal_target::ALL {
        let mut tester = Tester::new(target);
        for number in 0..target.instructions.len() {
            let opcode = TargetOpcode(number as u16);
            (0..3).for_each(|turn| tester.machine(opcode, turn));
        }
        tester.assert_no_panic(target.instructions.len());
    }
}
