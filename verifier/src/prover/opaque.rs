//! Uninterpreted functions: operations that the semantics do not define. These are floating point, vectors, intrinsics,
//! calls, and addresses of globals.
//!
//! An operation without effects is a function of its operands: on equal operands both sides get the same results.
//! Operations with effects form a sequence: the k-th of the later side must be the k-th of the earlier one, on operands
//! that must be proved equal at that point. Its results, and the memory after it, are the same unknowns on both sides.
//! Runtime functions that the legalizer calls are interpreted: `tribunal_target::runtime` defines them.
//! `tribunal_target::environment` says which instructions call, and which registers a call changes.

use super::memory::SymbolicMemory;
use super::side::{Scalar, Side, SideEvaluation, SideState};
use super::term::{MemTerm, Symbolic, Term};
use rustc_hash::FxHashMap;
use tribunal_ir::bits::MAX_BITS;
use tribunal_ir::entities::ConstantPoolIndex;
use tribunal_ir::semantics::walk;
use tribunal_ir::semantics::{Domain, Unsupported, Value};
use tribunal_ir::{
    AddressBase, AddressData, Family, FixedSlot, Function, InstData, InstFlags, MemFlags, Opcode, OpcodeFlags, Operand,
    Reg, RegOperand, text,
};
use tribunal_target::environment::{
    self, AddressKind, Environment, LinkedAddress, LinkedBase, MemoryFunction, Returned, UnknownCall,
};

/// One operation with effects, or a pure one whose operands are still to be proved equal.
#[derive(Clone)]
pub(super) struct Effect {
    pub name: String,
    pub args: Vec<Scalar>,
    pub results: Vec<Scalar>,
    /// Undefined behaviour up to here.
    pub ub: Term,
    /// Contents and poison of memory before it, if it touches memory.
    pub memory: Option<(MemTerm, MemTerm)>,
    /// The number of the memory after it.
    place: u32,
}

/// A pure operation of the earlier side.
struct Pure {
    results: Vec<Term>,
    /// An unknown: whether a flag of the operation makes its result poison.
    poison: Term,
    flags: InstFlags,
}

/// An unknown address: the same one wherever it is named.
#[derive(PartialEq, Eq, Hash)]
enum Start {
    /// Of an entity that both sides share, by its name in text.
    Entity(String),
    /// Of the page that holds an entity's byte of this offset.
    Page(String, i64),
    /// Of an object of the caller's frame.
    Fixed(FixedSlot),
    /// Of a constant of one side.
    Constant(ConstantPoolIndex, PairMember),
}

/// One of the two functions.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum PairMember {
    Earlier,
    Later,
}

/// State shared by both sides of a whole function.
pub(super) struct Uninterpreted {
    addresses: FxHashMap<Start, Term>,
    pure: FxHashMap<(String, Vec<Term>), Pure>,
    places: u32,
    /// The earlier side's operations in this block; `None` while that side is evaluated.
    pub earlier: Option<Earlier>,
    /// The immediates of the last `ADJCALLSTACKDOWN`.
    frame: String,
}

/// The effects of the earlier side in one block, and its pure operations.
pub(super) struct Earlier {
    pub effects: Vec<Effect>,
    pub pure: Vec<Effect>,
    /// Choices that the later side makes alike, by opcode.
    pub choices: Vec<(Opcode, Term)>,
}

/// Flags that let an operation yield poison.
const POISONING: InstFlags = InstFlags::NNAN.union(InstFlags::NINF);
/// Flags that relax rounding.
const RELAXING: InstFlags =
    InstFlags::NSZ.union(InstFlags::ARCP).union(InstFlags::CONTRACT).union(InstFlags::AFN).union(InstFlags::REASSOC);

impl Uninterpreted {
    /// `places` counts the memories that blocks start with.
    pub fn new(places: u32) -> Uninterpreted {
        Uninterpreted {
            addresses: FxHashMap::default(),
            pure: FxHashMap::default(),
            places,
            earlier: None,
            frame: String::new(),
        }
    }
}

/// An operation of the later side without a counterpart on the earlier side.
pub(super) fn changed(name: &str) -> Unsupported {
    Unsupported::different(format!("an operation that is not the earlier one's: {name}"))
}

impl SideEvaluation<'_> {
    /// Evaluates `data` if this file handles its kind; false if the semantics may define it.
    pub(super) fn uninterpreted(&mut self, side: &mut Side, data: &InstData) -> Result<bool, Unsupported> {
        if self.opaque.is_none() {
            return Ok(false);
        }
        match data.opcode {
            Opcode::G_FCONSTANT => {
                let Some(Operand::Float(constant)) = data.operands.get(1) else { return Ok(false) };
                let Some(bits) = self.function.float_bits(*constant) else { return Ok(false) };
                let value = Value { bits: self.d.value(bits), poison: self.d.truth(false) };
                self.define(side, data, vec![value]);
                return Ok(true);
            }
            Opcode::LIFETIME_START | Opcode::LIFETIME_END => {
                let name = self.key(data);
                self.effect(side, name, Vec::new(), &[], false)?;
                return Ok(true);
            }
            opcode
                if matches!(opcode.family(), Some(Family::Load | Family::Store))
                    && data.memory.iter().any(|memory| memory.flags.contains(MemFlags::VOLATILE)) =>
            {
                return self.volatile(side, data);
            }
            _ => {}
        }
        self.note_call_frame(data);
        if self.is_unrelated_page(side, data) {
            return self.other(side, data).map(|()| true);
        }
        let target = self.target;
        match environment::execute(target, &mut SideState { evaluation: self, side }, data)? {
            Some(transfer) => {
                self.follow(side, transfer);
                Ok(true)
            }
            None if data.opcode == Opcode::OPAQUE => self.other(side, data).map(|()| true),
            None => Ok(false),
        }
    }

    /// Keeps the immediates of a marker before a call: unknown functions read their arguments on the stack.
    fn note_call_frame(&mut self, data: &InstData) {
        let opens = self.target.opens_call_frame(data) || self.function.opaque_name(data) == Some("ADJCALLSTACKDOWN");
        if let Some(opaque) = self.opaque.as_deref_mut().filter(|_| opens) {
            let immediates = data.operands.iter().filter_map(Operand::as_imm).map(|value| value.to_string());
            opaque.frame = immediates.collect::<Vec<String>>().join(" ");
        }
    }

    /// True for the second half of an address whose first half is not the page of the same symbol.
    fn is_unrelated_page(&mut self, side: &Side, data: &InstData) -> bool {
        let address = LinkedAddress::of(self.function, data).filter(|address| address.kind == AddressKind::InPage);
        let Some(address) = address else { return false };
        let page = self.variable_of(page_of(&address));
        data.vreg(2).map(|register| self.read(side, register).bits) != Some(page)
    }

    /// Any operation without a definition: an unknown function, with effects if the opcode has any.
    pub(super) fn other(&mut self, side: &mut Side, data: &InstData) -> Result<(), Unsupported> {
        let effects = OpcodeFlags::LOAD | OpcodeFlags::STORE | OpcodeFlags::SIDE_EFFECTS | OpcodeFlags::TERMINATOR;
        let flags = self.function.opcode_flags(data, self.target.vocabulary);
        let name = self.key(data);
        let args = self.arguments(side, data)?;
        let widths: Vec<u32> = data.vreg_defs().map(|register| self.width(register)).collect();
        if data.defs().any(|operand| operand.reg.as_physical().is_some()) || widths.iter().any(|&bits| bits > MAX_BITS)
        {
            return Err(Unsupported::new(self.opcode_name(data)));
        }
        let results = match flags.intersects(effects) {
            true => self.effect(side, name, args, &widths, true)?,
            false => self.pure(side, data, name, args, &widths)?,
        };
        self.define(side, data, results);
        Ok(())
    }

    fn is_later(&self) -> bool {
        self.opaque.as_ref().is_some_and(|opaque| opaque.earlier.is_some())
    }

    /// The address that operand `index` is.
    pub(super) fn opcode_name(&self, data: &InstData) -> String {
        match data.opcode {
            Opcode::Target(opcode) => self.target.vocabulary.opcode_name(opcode).to_string(),
            Opcode::OPAQUE => self.function.opaque_name(data).unwrap_or_default().to_string(),
            generic => generic.to_string(),
        }
    }

    /// The operation's identity: name, operands that are no registers, and types. Two operations are one if these are
    /// equal.
    fn key(&self, data: &InstData) -> String {
        let mut key = self.opcode_name(data);
        for operand in &data.operands {
            match operand {
                Operand::Reg(register) => match register.reg {
                    Reg::Virtual(register) => {
                        key.push_str(&self.function.type_of(register).map_or(String::new(), |ty| format!(" {ty}")));
                    }
                    Reg::Physical(register) => key.push_str(self.target.vocabulary.register_name(register)),
                },
                // However it is computed.
                Operand::Address(address) => {
                    let AddressData { base, offset, .. } = self.function.addresses[*address];
                    key.push_str(&format!(" {}{offset:+}", text::print_base(self.function, base)));
                }
                // Blocks are compared with the edges.
                Operand::Block(_) => {}
                Operand::Stack(slot) => key.push_str(&format!(" {slot}")),
                other => {
                    key.push(' ');
                    key.push_str(&text::print_operand(self.function, other, self.target.vocabulary));
                }
            }
        }
        key
    }

    /// Values of all registers read but the stack pointer.
    fn arguments(&mut self, side: &mut Side, data: &InstData) -> Result<Vec<Scalar>, Unsupported> {
        let stack = self.target.abi.stack_pointer;
        let uses: Vec<RegOperand> =
            data.uses().filter(|operand| operand.reg.as_physical() != Some(stack)).copied().collect();
        let mut state = SideState { evaluation: self, side };
        uses.iter().map(|operand| walk::read(&mut state, operand)).collect()
    }

    fn define(&mut self, side: &mut Side, data: &InstData, results: Vec<Scalar>) {
        for (register, value) in data.vreg_defs().zip(results) {
            side.defined.insert(register, value);
        }
    }

    /// The variable for an unknown address.
    fn variable_of(&mut self, start: Start) -> Term {
        let bits = u32::from(self.target.pointer_bits);
        let Some(opaque) = self.opaque.as_deref_mut() else { return self.d.variable(bits) };
        *opaque.addresses.entry(start).or_insert_with(|| self.d.variable(bits))
    }

    /// A function of its operands and of nothing else.
    fn pure(
        &mut self,
        side: &mut Side,
        data: &InstData,
        name: String,
        args: Vec<Scalar>,
        widths: &[u32],
    ) -> Result<Vec<Scalar>, Unsupported> {
        let is_vector = |register| self.function.type_of(register).is_none_or(|ty| ty.is_vector());
        let vector = data.vreg_defs().chain(data.vreg_uses()).any(is_vector);
        // The prover does not track which lanes of a vector are poison: the poison of its operands is one more operand.
        let poison = args.iter().map(|arg| arg.poison).filter(|_| vector);
        let key = (name.clone(), args.iter().map(|arg| arg.bits).chain(poison).collect::<Vec<Term>>());
        let fast = data.flags & (POISONING | RELAXING);
        let ub = side.ub;
        let Some(opaque) = self.opaque.as_deref_mut() else { return Err(Unsupported::new(name)) };
        if !opaque.pure.contains_key(&key) {
            let results: Option<Vec<Term>> = match &opaque.earlier {
                None => Some(widths.iter().map(|&bits| self.d.variable(bits)).collect()),
                // The next one of this name, if its operands can be proved to be the same.
                Some(earlier) if !vector => {
                    let done = side.pure.iter().filter(|other| other.name == name).count();
                    let other = earlier.pure.iter().filter(|other| other.name == name).nth(done);
                    other.map(|other| other.results.iter().map(|result| result.bits).collect())
                }
                Some(_) => None,
            };
            let results = results.ok_or_else(|| changed(&name))?;
            let poison = self.d.variable(1);
            opaque.pure.insert(key.clone(), Pure { results, poison, flags: fast });
        }
        let Pure { results, poison, flags } = &opaque.pure[&key];
        if opaque.earlier.is_some() && !flags.contains(fast) {
            return Err(changed(&name));
        }
        let mut may_be_poison = match vector || fast.intersects(POISONING) {
            true => *poison,
            false => self.d.truth(false),
        };
        for arg in args.iter().filter(|_| !vector) {
            may_be_poison = self.d.bool_or(&may_be_poison, &arg.poison);
        }
        let results: Vec<Scalar> = results.iter().map(|&bits| Value { bits, poison: may_be_poison }).collect();
        side.pure.push(Effect { name, args, results: results.clone(), ub, memory: None, place: 0 });
        Ok(results)
    }

    /// The next operation with effects: its results.
    fn effect(
        &mut self,
        side: &mut Side,
        name: String,
        args: Vec<Scalar>,
        widths: &[u32],
        touches_memory: bool,
    ) -> Result<Vec<Scalar>, Unsupported> {
        let Some(opaque) = self.opaque.as_deref_mut() else { return Err(Unsupported::new(name)) };
        let (results, place) = match &opaque.earlier {
            None => {
                let fresh = widths.iter().map(|&bits| (self.d.variable(bits), self.d.variable(1)));
                let results: Vec<Scalar> = fresh.map(|(bits, poison)| Value { bits, poison }).collect();
                opaque.places += u32::from(touches_memory);
                (results, opaque.places)
            }
            Some(earlier) => {
                let other = earlier.effects.get(side.effects.len()).filter(|other| {
                    let same_widths = |(result, &bits): (&Scalar, &u32)| self.d.width_of(result.bits) == bits;
                    other.name == name
                        && other.args.len() == args.len()
                        && other.results.len() == widths.len()
                        && other.results.iter().zip(widths).all(same_widths)
                });
                let other = other.ok_or_else(|| changed(&name))?;
                (other.results.clone(), other.place)
            }
        };
        let memory = touches_memory.then_some((side.memory.bytes, side.memory.poison));
        side.effects.push(Effect { name, args, results: results.clone(), ub: side.ub, memory, place });
        if touches_memory {
            let constants = std::mem::take(&mut side.memory.constants);
            side.memory = SymbolicMemory::new(self.d, place, side.memory.slots(), false);
            side.memory.constants = constants;
        }
        Ok(results)
    }

    /// A volatile access, byte by byte: splitting it in order changes nothing.
    fn volatile(&mut self, side: &mut Side, data: &InstData) -> Result<bool, Unsupported> {
        let is_store = data.opcode == Opcode::G_STORE;
        let bits = data.memory.first().and_then(|memory| memory.ty).map_or(0, |ty| ty.bits());
        let (Some(value), Some(address)) = (data.vreg(0), data.vreg(1)) else { return Ok(false) };
        if bits == 0 || !bits.is_multiple_of(8) {
            return Ok(false);
        }
        let address = self.read(side, address);
        let stored = is_store.then(|| self.read(side, value));
        let mut loaded: Option<Scalar> = None;
        for index in 0..bits / 8 {
            let offset = self.d.literal(index.into(), self.target.pointer_bits.into());
            let place = Value { bits: self.d.add(&address.bits, &offset), poison: address.poison };
            if let Some(value) = &stored {
                let byte = Value { bits: self.d.extract(&value.bits, 8 * index, 8), poison: value.poison };
                self.effect(side, "volatile store".to_string(), vec![place, byte], &[], false)?;
                continue;
            }
            let byte = self.effect(side, "volatile load".to_string(), vec![place], &[8], false)?.remove(0);
            loaded = Some(match loaded {
                None => byte,
                Some(low) => Value {
                    bits: self.d.concat(&byte.bits, &low.bits),
                    poison: self.d.bool_or(&low.poison, &byte.poison),
                },
            });
        }
        self.generic(side, data)?;
        if let Some(mut result) = loaded {
            let width = self.width(value);
            result.bits = match data.opcode {
                _ if width == bits => result.bits,
                Opcode::G_ZEXTLOAD => self.d.zext(&result.bits, width),
                Opcode::G_SEXTLOAD => self.d.sext(&result.bits, width),
                _ => {
                    let high = self.d.extract(&side.defined[&value].bits, bits, width - bits);
                    self.d.concat(&high, &result.bits)
                }
            };
            side.defined.insert(value, result);
        }
        Ok(true)
    }
}

/// The page that an address lies in.
fn page_of(address: &LinkedAddress<'_>) -> Start {
    Start::Page(address.name.clone(), address.offset)
}

/// A proof covers every environment: addresses are variables, and unknown functions may do anything, in the same order
/// on both sides.
impl Environment<Symbolic> for SideState<'_, '_> {
    fn address(&mut self, address: &LinkedAddress<'_>) -> Result<Scalar, Unsupported> {
        let evaluation = &mut *self.evaluation;
        let (start, offset) = match (address.kind, address.base) {
            (AddressKind::Page, _) => (page_of(address), 0),
            (_, LinkedBase::Fixed(slot)) => (Start::Fixed(slot), address.offset),
            (_, LinkedBase::Entity(AddressBase::Constant(index))) => {
                let member = if evaluation.is_later() { PairMember::Later } else { PairMember::Earlier };
                (Start::Constant(index, member), address.offset)
            }
            _ => (Start::Entity(address.name.clone()), address.offset),
        };
        let base = evaluation.variable_of(start);
        if let LinkedBase::Entity(AddressBase::Constant(index)) = address.base
            && let Some(contents) = evaluation.function.constants.get(index).and_then(|constant| constant.value.bits())
        {
            self.side.memory.constants.push((base, contents));
        }
        let d = &mut *evaluation.d;
        let offset = d.literal(offset, evaluation.target.pointer_bits.into());
        Ok(Value { bits: d.add(&base, &offset), poison: d.truth(false) })
    }

    fn memory_function(&mut self, function: MemoryFunction, args: [Scalar; 3]) -> Result<Term, Unsupported> {
        let [dst, mut second, mut length] = args;
        let d = &mut *self.evaluation.d;
        length.bits = d.zext_or_trunc(&length.bits, self.evaluation.target.pointer_bits.into());
        if function == MemoryFunction::Set {
            second.bits = d.zext_or_trunc(&second.bits, 8);
        }
        self.evaluation.effect(self.side, function.name().to_string(), vec![dst, second, length], &[], true)?;
        Ok(self.evaluation.d.truth(false))
    }

    fn unknown_function(
        &mut self,
        call: &UnknownCall<'_>,
        args: Vec<Scalar>,
    ) -> Result<Returned<Symbolic>, Unsupported> {
        let evaluation = &mut *self.evaluation;
        let Some(opaque) = evaluation.opaque.as_deref() else { return Err(call.unsupported()) };
        let name = format!("{} (call frame {})", evaluation.key(call.data), opaque.frame);
        let vocabulary = evaluation.target.vocabulary;
        let widths: Vec<u32> = call.results.iter().map(|&register| vocabulary.register_bits(register)).collect();
        let results = evaluation.effect(self.side, name, args, &widths, true)?;
        Ok(Returned { results, ub: evaluation.d.truth(false) })
    }
}

/// True for a call in place of a return.
pub(super) fn is_tail_call(function: &Function, data: &InstData, target: &tribunal_target::Target) -> bool {
    function.opcode_flags(data, target.vocabulary).contains(OpcodeFlags::RETURN | OpcodeFlags::CALL)
}
