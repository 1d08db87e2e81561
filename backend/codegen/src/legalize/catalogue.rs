//! The catalogue: every recipe that the rules of a target reach, on one instance of each opcode, width and access.

mod queries;

pub use queries::{functions_of, queries};

use super::PASS;
use crate::{Allocator, Context, Observer, Options};
use std::collections::BTreeSet;
use std::sync::Arc;
use tribunal_ir::types::S1;
use tribunal_ir::{
    Bits, Block, Builder, Fragment, Function, Inst, InstData, IntPredicate, MemFlags, MemOperand, Opcode, Operand,
    Position, Step, Type, VReg,
};
use tribunal_target::{Features, Target};

/// A step that owns what it shows.
pub struct OwnedStep {
    /// The rule that was applied.
    pub rule: &'static str,
    /// The opcode of the instance that led here.
    pub opcode: Opcode,
    /// As legalization left it: registers keep their types, so all steps of an instance share it.
    pub function: Arc<Function>,
    /// What stood there.
    pub before: Fragment,
    /// What stands there now.
    pub after: Fragment,
}

impl OwnedStep {
    /// The step, as the prover takes it.
    pub fn as_step(&self) -> Step<'_> {
        Step { rule: self.rule, function: &self.function, before: &self.before, after: &self.after }
    }
}

/// Keeps what every step replaced, and what it wrote.
#[derive(Default)]
struct Recorder {
    steps: Vec<(&'static str, Fragment, Fragment)>,
}

impl Observer for Recorder {
    fn wants_steps(&self) -> bool {
        true
    }

    fn step(&mut self, rule: &'static str, function: &mut Function, before: &[InstData], after: &[Inst]) {
        let after = after.iter().map(|&inst| function.inst(inst).clone()).collect();
        self.steps.push((rule, before.to_vec(), after));
    }
}

/// The widest scalar of an instance, in bits.
const WIDEST: u32 = 128;

/// An opcode and a function around one instance of it: the catalogue is the steps that legalizing them all takes, and
/// is never held whole, since a step owns a function.
pub struct CatalogueEntry {
    /// The opcode whose rules it is of.
    pub opcode: Opcode,
    function: Function,
}

/// The instances of one opcode, or of all.
pub fn catalogue(target: &'static Target, only: Option<Opcode>) -> Vec<CatalogueEntry> {
    let entries = instances(target).into_iter().map(|(opcode, function)| CatalogueEntry { opcode, function });
    entries.filter(|entry| only.is_none_or(|only| only == entry.opcode)).collect()
}

impl CatalogueEntry {
    /// Every step that legalizing this instance takes; of what cannot be legalized (a library call), the steps up to
    /// there.
    pub fn steps(&self, target: &'static Target, features: Features) -> Vec<OwnedStep> {
        let mut recorder = Recorder::default();
        let (options, legalizer) = (Options { features, allocator: Allocator::Ion }, (target.legality)(features));
        let mut context = Context { target, options, legalizer, observer: &mut recorder };
        let mut function = self.function.clone();
        let _ = (PASS.run)(&mut context, &mut function);
        let (function, opcode) = (Arc::new(function), self.opcode);
        let owned = |(rule, before, after)| OwnedStep { rule, opcode, function: Arc::clone(&function), before, after };
        recorder.steps.into_iter().map(owned).collect()
    }
}

const BINARY: &[Opcode] = {
    use Opcode::*;
    &[
        G_ADD,
        G_SUB,
        G_MUL,
        G_AND,
        G_OR,
        G_XOR,
        G_SMIN,
        G_SMAX,
        G_UMIN,
        G_UMAX,
        G_UDIV,
        G_SDIV,
        G_UREM,
        G_SREM,
        G_UADDSAT,
        G_USUBSAT,
        G_SADDSAT,
        G_SSUBSAT,
        G_ABDS,
        G_ABDU,
        G_UMULH,
        G_SMULH,
        G_UAVGFLOOR,
        G_UAVGCEIL,
        G_SAVGFLOOR,
        G_SAVGCEIL,
        G_ROTL,
        G_ROTR,
        G_USHLSAT,
        G_SSHLSAT,
    ]
};
const UNARY: &[Opcode] = &[Opcode::G_FREEZE, Opcode::G_CONSTANT_FOLD_BARRIER, Opcode::G_ABS, Opcode::G_BITREVERSE];
const SHIFTS: &[Opcode] = &[Opcode::G_SHL, Opcode::G_LSHR, Opcode::G_ASHR];
const TERNARY: &[Opcode] = &[Opcode::G_FSHL, Opcode::G_FSHR, Opcode::G_UBFX, Opcode::G_SBFX];
const COUNTS: &[Opcode] = {
    use Opcode::*;
    &[G_CTPOP, G_CTLZ, G_CTTZ, G_CTLZ_ZERO_UNDEF, G_CTTZ_ZERO_UNDEF]
};
/// A value and a flag from two operands; the second list takes a flag too.
const OVERFLOWS: &[Opcode] = {
    use Opcode::*;
    &[G_UADDO, G_USUBO, G_SADDO, G_SSUBO, G_UMULO, G_SMULO]
};
const CARRIES: &[Opcode] = &[Opcode::G_UADDE, Opcode::G_USUBE, Opcode::G_SADDE, Opcode::G_SSUBE];
const FIXED_POINT: &[Opcode] = &[Opcode::G_UMULFIX, Opcode::G_SMULFIX, Opcode::G_UMULFIXSAT, Opcode::G_SMULFIXSAT];

/// One function an instance.
fn instances(target: &'static Target) -> Vec<(Opcode, Function)> {
    let mut all = Vec::new();
    for bits in 1..=WIDEST {
        let ty = Type::scalar(bits);
        let make = |opcode, write: &dyn Fn(&mut Instance<'_>)| (opcode, instance(target, write));
        for &opcode in BINARY {
            all.push(make(opcode, &|i| i.operation(ty, opcode, &[ty, ty])));
        }
        for &opcode in UNARY {
            all.push(make(opcode, &|i| i.operation(ty, opcode, &[ty])));
        }
        for &opcode in SHIFTS {
            for amount in [ty, target.register_type()] {
                all.push(make(opcode, &|i| i.operation(ty, opcode, &[ty, amount])));
            }
        }
        for &opcode in TERNARY {
            all.push(make(opcode, &|i| i.operation(ty, opcode, &[ty, ty, ty])));
        }
        for &opcode in COUNTS {
            for count in [ty, target.register_type()] {
                all.push(make(opcode, &|i| i.operation(count, opcode, &[ty])));
            }
        }
        for &opcode in OVERFLOWS {
            all.push(make(opcode, &|i| i.two_results(&[ty, S1], opcode, &[ty, ty])));
        }
        for &opcode in CARRIES {
            all.push(make(opcode, &|i| i.two_results(&[ty, S1], opcode, &[ty, ty, S1])));
        }
        for opcode in [Opcode::G_UDIVREM, Opcode::G_SDIVREM] {
            all.push(make(opcode, &|i| i.two_results(&[ty, ty], opcode, &[ty, ty])));
        }
        for opcode in [Opcode::G_SCMP, Opcode::G_UCMP] {
            for result in [tribunal_ir::types::S8, tribunal_ir::types::S32] {
                all.push(make(opcode, &|i| i.operation(result, opcode, &[ty, ty])));
            }
        }
        all.extend(fixed_point_and_parts(target, ty));
        if bits.is_multiple_of(16) {
            all.push(make(Opcode::G_BSWAP, &|i| i.operation(ty, Opcode::G_BSWAP, &[ty])));
        }
        all.push(make(Opcode::G_SELECT, &|i| i.operation(ty, Opcode::G_SELECT, &[S1, ty, ty])));
        all.push(make(Opcode::G_PHI, &|i| i.phi(ty)));
        all.push(make(Opcode::G_CONSTANT, &|i| {
            let value = i.builder.function.constant(Bits::ones(bits));
            i.value(ty, Opcode::G_CONSTANT, &[value])
        }));
        all.push(make(Opcode::G_IMPLICIT_DEF, &|i| i.value(ty, Opcode::G_IMPLICIT_DEF, &[])));
        for predicate in IntPredicate::ALL {
            all.push(make(Opcode::G_ICMP, &|i| i.compare(predicate, ty)));
        }
        for from in [1, bits / 2, bits.saturating_sub(1)] {
            if (1..bits).contains(&from) {
                all.push(make(Opcode::G_SEXT_INREG, &|i| i.in_register(ty, from)));
            }
        }
        for opcode in [Opcode::G_ANYEXT, Opcode::G_ZEXT, Opcode::G_SEXT, Opcode::G_TRUNC] {
            for other in [1, 8, 32, 33, 64, 65, 128] {
                let (wide, narrow) = (bits.max(other), bits.min(other));
                let (to, from) = if opcode == Opcode::G_TRUNC { (narrow, wide) } else { (wide, narrow) };
                if to != from {
                    all.push(make(opcode, &|i| i.operation(Type::scalar(to), opcode, &[Type::scalar(from)])));
                }
            }
        }
        all.extend(accesses(target, bits));
    }
    all.push((Opcode::G_PTRMASK, instance(target, &|i| i.pointer_mask())));
    all.extend(divisions_by_constants(target));
    all
}

/// Divisors that take each way: powers of two, multipliers that fit, even ones that are shifted first, the addition
/// (3, 5, 10 and 641 fit; 7 and 2^(w-1)+1 do not; 14 and 28 are even), and the neighbours of powers of two.
fn divisions_by_constants(target: &'static Target) -> Vec<(Opcode, Function)> {
    const SMALL: &[u128] = &[
        0,
        1,
        2,
        3,
        5,
        6,
        7,
        9,
        10,
        11,
        12,
        14,
        19,
        21,
        25,
        28,
        60,
        100,
        127,
        128,
        255,
        641,
        1000,
        10_000,
        1_000_000_007,
    ];
    let ty = target.register_type();
    let (one, top, ones) = (Bits::new(1, ty.bits()), Bits::signed_min(ty.bits()), Bits::ones(ty.bits()));
    let corners = [top.sub(one), top, top.add(one), ones.sub(one), ones];
    let divisors: Vec<Bits> = SMALL.iter().map(|&divisor| Bits::new(divisor, ty.bits())).chain(corners).collect();
    let pairs = [Opcode::G_UDIV, Opcode::G_UREM].into_iter();
    let pairs = pairs.flat_map(|opcode| divisors.iter().map(move |&divisor| (opcode, divisor)));
    pairs.map(|(opcode, divisor)| (opcode, instance(target, &|i| i.by_constant(ty, opcode, divisor)))).collect()
}

/// Opcodes with an immediate: a scale, or the place of a part.
fn fixed_point_and_parts(target: &'static Target, ty: Type) -> Vec<(Opcode, Function)> {
    let bits = ty.bits();
    let mut all = Vec::new();
    let corners = |most: u32| [0, 1, bits / 2, most].into_iter().filter(move |&at| at <= most).collect::<BTreeSet<_>>();
    for &opcode in FIXED_POINT {
        let signed = matches!(opcode, Opcode::G_SMULFIX | Opcode::G_SMULFIXSAT);
        for scale in corners(bits - u32::from(signed)) {
            all.push((opcode, instance(target, &|i| i.with_immediate(ty, opcode, &[ty, ty], scale))));
        }
    }
    for part in corners(bits).into_iter().filter(|&part| part > 0 && part < bits) {
        let part_ty = Type::scalar(part);
        for offset in corners(bits - part) {
            let (extract, insert) = (Opcode::G_EXTRACT, Opcode::G_INSERT);
            all.push((extract, instance(target, &|i| i.with_immediate(part_ty, extract, &[ty], offset))));
            all.push((insert, instance(target, &|i| i.with_immediate(ty, insert, &[ty, part_ty], offset))));
        }
    }
    all
}

/// Loads and stores of `bits` bits at every alignment up to eight bytes.
fn accesses(target: &'static Target, bits: u32) -> Vec<(Opcode, Function)> {
    let mut all = Vec::new();
    let memory = Type::scalar(bits);
    for align in [1, 2, 4, 8] {
        let values = [bits, (bits + 1).next_power_of_two(), 64, 128];
        for value in values.into_iter().filter(|&value| (bits..=WIDEST).contains(&value)) {
            let ty = Type::scalar(value);
            for opcode in [Opcode::G_LOAD, Opcode::G_ZEXTLOAD, Opcode::G_SEXTLOAD] {
                if value > bits || opcode == Opcode::G_LOAD {
                    let operand = MemOperand::new(MemFlags::LOAD, memory, align);
                    all.push((opcode, instance(target, &|i| i.load(opcode, ty, operand))));
                }
            }
            let operand = MemOperand::new(MemFlags::STORE, memory, align);
            all.push((Opcode::G_STORE, instance(target, &|i| i.store(ty, operand))));
        }
    }
    all
}

/// A function being written around one instance. Its inputs are registers without a definition, cut to their types from
/// registers that the target holds; its results are stored, so that they are needed.
struct Instance<'f> {
    builder: Builder<'f>,
    target: &'static Target,
    entry: Block,
}

fn instance(target: &'static Target, write: &dyn Fn(&mut Instance<'_>)) -> Function {
    let mut function = Function::new("instance");
    function.properties = tribunal_ir::Properties::IS_SSA;
    let entry = function.new_block();
    let builder = Builder::new(&mut function, Position::AtEnd(entry));
    let mut instance = Instance { builder, target, entry };
    write(&mut instance);
    function
}

impl Instance<'_> {
    fn pointer(&mut self) -> VReg {
        self.builder.function.new_vreg(Type::Pointer { address_space: 0, bits: self.target.pointer_bits })
    }

    /// A value of `ty` made from whole registers.
    fn input(&mut self, ty: Type) -> VReg {
        let register = self.target.register_type();
        let whole = Type::scalar(ty.bits().next_power_of_two().max(register.bits()));
        let count = whole.bits() / register.bits();
        let parts: Vec<VReg> = (0..count).map(|_| self.builder.function.new_vreg(register)).collect();
        let value = if count == 1 { parts[0] } else { self.builder.op(whole, Opcode::G_MERGE_VALUES, &parts) };
        if ty == whole { value } else { self.builder.op(ty, Opcode::G_TRUNC, &[value]) }
    }

    /// Makes `value` needed: its bits are extended to registers and stored.
    fn needed(&mut self, value: VReg) {
        let (bits, register) = (self.builder.type_of(value).bits(), self.target.register_type());
        let whole = Type::scalar(bits.next_power_of_two().max(register.bits()));
        let value = if whole.bits() == bits { value } else { self.builder.op(whole, Opcode::G_ANYEXT, &[value]) };
        let parts = if whole == register { vec![value] } else { self.builder.unmerge(register, value) };
        let pointer = self.pointer();
        for part in parts {
            self.builder.store(part, pointer, MemOperand::new(MemFlags::STORE, register, register.bytes()));
        }
    }

    fn operation(&mut self, ty: Type, opcode: Opcode, sources: &[Type]) {
        let sources: Vec<VReg> = sources.iter().map(|&ty| self.input(ty)).collect();
        let result = self.builder.op(ty, opcode, &sources);
        self.needed(result);
    }

    fn by_constant(&mut self, ty: Type, opcode: Opcode, constant: Bits) {
        let (value, constant) = (self.input(ty), self.builder.constant(ty, constant));
        let result = self.builder.op(ty, opcode, &[value, constant]);
        self.needed(result);
    }

    fn value(&mut self, ty: Type, opcode: Opcode, operands: &[Operand]) {
        let result = self.builder.build(ty, opcode, operands.iter().copied());
        self.needed(result);
    }

    fn two_results(&mut self, results: &[Type], opcode: Opcode, sources: &[Type]) {
        let sources: Vec<VReg> = sources.iter().map(|&ty| self.input(ty)).collect();
        let results: Vec<VReg> = results.iter().map(|&ty| self.builder.function.new_vreg(ty)).collect();
        let defs = results.iter().copied().map(Operand::def);
        self.builder.push(InstData::new(opcode, defs.chain(sources.into_iter().map(Operand::used))));
        results.into_iter().for_each(|result| self.needed(result));
    }

    fn with_immediate(&mut self, ty: Type, opcode: Opcode, sources: &[Type], immediate: u32) {
        let mut operands: Vec<Operand> = sources.iter().map(|&ty| Operand::used(self.input(ty))).collect();
        operands.push(Operand::Imm(immediate.into()));
        self.value(ty, opcode, &operands);
    }

    fn pointer_mask(&mut self) {
        let (pointer, mask) = (self.pointer(), self.input(Type::scalar(self.target.pointer_bits.into())));
        let ty = self.builder.type_of(pointer);
        let masked = self.builder.op(ty, Opcode::G_PTRMASK, &[pointer, mask]);
        let value = self.input(self.target.register_type());
        let memory = self.builder.type_of(value);
        self.builder.store(value, masked, MemOperand::new(MemFlags::STORE, memory, memory.bits() / 8));
    }

    fn compare(&mut self, predicate: IntPredicate, ty: Type) {
        let (a, b) = (self.input(ty), self.input(ty));
        let result = self.builder.icmp(predicate, a, b);
        self.needed(result);
    }

    fn in_register(&mut self, ty: Type, bits: u32) {
        let source = self.input(ty);
        self.value(ty, Opcode::G_SEXT_INREG, &[Operand::used(source), Operand::Imm(i64::from(bits))]);
    }

    fn load(&mut self, opcode: Opcode, ty: Type, memory: MemOperand) {
        let pointer = self.pointer();
        let result = self.builder.load(opcode, ty, pointer, memory);
        self.needed(result);
    }

    fn store(&mut self, ty: Type, memory: MemOperand) {
        let (value, pointer) = (self.input(ty), self.pointer());
        self.builder.store(value, pointer, memory);
    }

    /// A loop: one value enters, one comes round.
    fn phi(&mut self, ty: Type) {
        let initial = self.input(ty);
        let body = self.builder.function.new_block();
        self.builder.push(InstData::new(Opcode::G_BR, [Operand::Block(body)]));
        self.builder.function.block_mut(self.entry).successors = vec![(body, None)];
        self.builder.position = Position::AtEnd(body);
        let again = self.builder.function.new_vreg(ty);
        let operands = [Operand::used(initial), Operand::Block(self.entry), Operand::used(again), Operand::Block(body)];
        let value = self.builder.build(ty, Opcode::G_PHI, operands);
        self.needed(value);
        let next = self.input(ty);
        self.builder.define(again, Opcode::G_XOR, [Operand::used(value), Operand::used(next)]);
        self.builder.push(InstData::new(Opcode::G_BR, [Operand::Block(body)]));
        self.builder.function.block_mut(body).successors = vec![(body, None)];
    }
}
