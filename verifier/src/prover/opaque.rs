//! Uninterpreted functions: operations that the semantics do not define. These are floating point, vectors, intrinsics,
//! calls, and addresses of globals.
//!
//! An operation without effects is a function of its operands: on equal operands both sides get the same results.
//! Operations with effects form a sequence: the k-th of the later side must be the k-th of the earlier one, on operands
//! that must be proved equal at that point. Its results, and the memory after it, are the same unknowns on both sides.
//! Runtime functions that the legalizer calls are interpreted: `tribunal_target::runtime` defines them.

use super::memory::SymbolicMemory;
use super::side::{Scalar, Side, SideEvaluation};
use super::term::{MemTerm, Term};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use tribunal_ir::bits::MAX_BITS;
use tribunal_ir::entities::ConstantPoolIndex;
use tribunal_ir::semantics::{Domain, Unsupported, Value};
use tribunal_ir::{
    AddressBase, AddressData, Family, FixedSlot, Function, InstData, InstFlags, MemFlags, Opcode, OpcodeFlags, Operand,
    PReg, Reg, RegOperand, text,
};
use tribunal_target::runtime::RuntimeFunction;

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
    Constant(ConstantPoolIndex, Stage),
}

/// One of the two functions.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Stage {
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
fn changed(name: &str) -> Unsupported {
    Unsupported::new(format!("{CHANGED}{name}"))
}

/// The prefix of the name of a feature where nothing is unsupported: the two sides do different things.
pub(super) const CHANGED: &str = "an operation that is not the earlier one's: ";

impl SideEvaluation<'_> {
    /// Evaluates `data` if this file handles its kind; false if the semantics may define it.
    pub(super) fn uninterpreted(&mut self, side: &mut Side, data: &InstData) -> Result<bool, Unsupported> {
        if self.opaque.is_none() {
            return Ok(false);
        }
        match data.opcode {
            Opcode::G_GLOBAL_VALUE | Opcode::G_BLOCK_ADDR => {
                let Some(address) = self.address_operand(data, 1) else { return Ok(false) };
                Ok(self.entity(side, data, address))
            }
            Opcode::G_FRAME_INDEX => match data.operands.get(1) {
                Some(Operand::FixedStack(slot)) => Ok(self.address(side, data, Start::Fixed(*slot), 0)),
                _ => Ok(false),
            },
            Opcode::G_CONSTANT_POOL => Ok(self.pooled(side, data)),
            Opcode::G_FCONSTANT => {
                let Some(Operand::Float(constant)) = data.operands.get(1) else { return Ok(false) };
                let Some(bits) = self.function.float_bits(*constant) else { return Ok(false) };
                let value = Value { bits: self.d.value(bits), poison: self.d.truth(false) };
                self.define(side, data, vec![value]);
                Ok(true)
            }
            Opcode::G_MEMCPY | Opcode::G_MEMMOVE | Opcode::G_MEMSET => {
                let args = self.arguments(side, data);
                self.memory_function(side, data.opcode, args)?;
                Ok(true)
            }
            Opcode::LIFETIME_START | Opcode::LIFETIME_END => {
                let name = self.key(data);
                self.effect(side, name, Vec::new(), &[], false)?;
                Ok(true)
            }
            opcode
                if matches!(opcode.family(), Some(Family::Load | Family::Store))
                    && data.memory.iter().any(|memory| memory.flags.contains(MemFlags::VOLATILE)) =>
            {
                self.volatile(side, data)
            }
            Opcode::OPAQUE => self.named(side, data),
            Opcode::Target(_) if self.target.is_call(data) || self.target.is_call_frame(data) => self.named(side, data),
            _ => Ok(false),
        }
    }

    /// An instruction without a row, by its name.
    fn named(&mut self, side: &mut Side, data: &InstData) -> Result<bool, Unsupported> {
        let name = self.opcode_name(data);
        match name.as_str() {
            "ADJCALLSTACKDOWN" => {
                let immediates: Vec<String> =
                    data.operands.iter().filter_map(Operand::as_imm).map(|value| value.to_string()).collect();
                if let Some(opaque) = self.opaque.as_deref_mut() {
                    opaque.frame = immediates.join(" ");
                }
                Ok(true)
            }
            "ADJCALLSTACKUP" => Ok(true),
            "ADRP" => {
                let Some(address) = self.address_operand(data, 2) else { return Ok(false) };
                let page = self.page(address);
                Ok(self.address(side, data, page, 0))
            }
            "G_ADD_LOW" => {
                let Some(address) = self.address_operand(data, 3) else { return Ok(false) };
                let page = self.page(address);
                let page = self.variable_of(page);
                let base = data.vreg(2).map(|register| self.read(side, register).bits);
                match base == Some(page) {
                    true => Ok(self.entity(side, data, address)),
                    false => self.other(side, data).map(|()| true),
                }
            }
            _ => {
                let flags = self.function.opcode_flags(data, self.target.vocabulary);
                match flags.contains(OpcodeFlags::CALL) {
                    true => self.any_call(side, data)?,
                    false => self.other(side, data)?,
                }
                Ok(true)
            }
        }
    }

    /// Any operation without a definition: an unknown function, with effects if the opcode has any.
    pub(super) fn other(&mut self, side: &mut Side, data: &InstData) -> Result<(), Unsupported> {
        let effects = OpcodeFlags::LOAD | OpcodeFlags::STORE | OpcodeFlags::SIDE_EFFECTS | OpcodeFlags::TERMINATOR;
        let flags = self.function.opcode_flags(data, self.target.vocabulary);
        let name = self.key(data);
        let args = self.arguments(side, data);
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
    fn address_operand(&self, data: &InstData, index: usize) -> Option<AddressData> {
        self.function.address_of(data.operands.get(index)?).copied()
    }

    /// The page that holds an address.
    fn page(&self, address: AddressData) -> Start {
        Start::Page(text::print_base(self.function, address.base), address.offset)
    }

    /// Defines the result as an address that both sides share.
    fn entity(&mut self, side: &mut Side, data: &InstData, address: AddressData) -> bool {
        let start = Start::Entity(text::print_base(self.function, address.base));
        self.address(side, data, start, address.offset)
    }

    /// Defines the result as the address of a constant, whose bytes are known. The sides number theirs apart.
    fn pooled(&mut self, side: &mut Side, data: &InstData) -> bool {
        let Some(AddressData { base: AddressBase::Constant(index), offset, .. }) = self.address_operand(data, 1) else {
            return false;
        };
        let stage = if self.is_later() { Stage::Later } else { Stage::Earlier };
        let start = self.variable_of(Start::Constant(index, stage));
        if let Some(contents) = self.function.constants.get(index).and_then(|constant| constant.value.bits()) {
            side.memory.constants.push((start, contents));
        }
        self.address(side, data, Start::Constant(index, stage), offset)
    }

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
    fn arguments(&mut self, side: &Side, data: &InstData) -> Vec<Scalar> {
        let stack = self.target.abi.stack_pointer;
        let uses: Vec<RegOperand> =
            data.uses().filter(|operand| operand.reg.as_physical() != Some(stack)).copied().collect();
        uses.iter().map(|operand| self.read_operand(side, operand)).collect()
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

    /// Defines the result as an unknown address plus an offset in bytes. Always true: the instruction is evaluated.
    fn address(&mut self, side: &mut Side, data: &InstData, start: Start, offset: i64) -> bool {
        let base = self.variable_of(start);
        let offset = self.d.literal(offset, self.target.pointer_bits.into());
        let value = Value { bits: self.d.add(&base, &offset), poison: self.d.truth(false) };
        self.define(side, data, vec![value]);
        true
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

    fn memory_function(&mut self, side: &mut Side, opcode: Opcode, args: Vec<Scalar>) -> Result<(), Unsupported> {
        let [dst, second, length, ..] = args.as_slice() else { return Err(Unsupported::new(opcode.to_string())) };
        let (dst, mut second, mut length) = (dst.clone(), second.clone(), length.clone());
        length.bits = self.d.zext_or_trunc(&length.bits, self.target.pointer_bits.into());
        if opcode == Opcode::G_MEMSET {
            second.bits = self.d.zext_or_trunc(&second.bits, 8);
        }
        self.effect(side, opcode.to_string(), vec![dst, second, length], &[], true)?;
        Ok(())
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

    /// A call, ordinary or in place of a return.
    fn any_call(&mut self, side: &mut Side, data: &InstData) -> Result<(), Unsupported> {
        let abi = self.target.abi;
        let function = self.function;
        let external = function.callee(data).and_then(|base| function.external(base));
        let args = self.arguments(side, data);
        let kept = [abi.stack_pointer, abi.return_address];
        let mut results: SmallVec<[PReg; 4]> = data
            .defs()
            .filter_map(|operand| operand.reg.as_physical())
            .filter(|register| !kept.contains(register))
            .collect();
        let leaves = self.function.opcode_flags(data, self.target.vocabulary).contains(OpcodeFlags::RETURN);
        let memory_function = external.and_then(|name| match name {
            "memcpy" => Some(Opcode::G_MEMCPY),
            "memmove" => Some(Opcode::G_MEMMOVE),
            "memset" => Some(Opcode::G_MEMSET),
            _ => None,
        });
        if external.and_then(RuntimeFunction::named).is_some() {
            return self.runtime(side, data);
        }
        let values: Vec<Scalar>;
        if let Some(opcode) = memory_function {
            values = args.first().cloned().into_iter().collect();
            if leaves {
                results.extend(abi.results().first().copied());
            }
            self.memory_function(side, opcode, args)?;
        } else {
            let frame = self.opaque.as_ref().map_or(String::new(), |opaque| opaque.frame.clone());
            let name = format!("{} (call frame {frame})", self.key(data));
            let widths: Vec<u32> =
                results.iter().map(|&register| self.target.vocabulary.register_bits(register)).collect();
            values = self.effect(side, name, args, &widths, true)?;
        }
        side.physical.clear();
        for (register, value) in results.into_iter().zip(values) {
            self.write_physical(side, register, value);
        }
        let defs: Vec<_> = data.vreg_defs().collect();
        match defs.is_empty() {
            true => Ok(()),
            false => Err(Unsupported::new("a call that defines a virtual register")),
        }
    }

    /// A runtime function of the table. In place of a return its operand comes after its name.
    fn runtime(&mut self, side: &mut Side, data: &InstData) -> Result<(), Unsupported> {
        let mut data = data.clone();
        if data.opcode == Opcode::OPAQUE {
            data.operands.remove(0);
        }
        self.call(side, &data)
    }
}

/// True for a call in place of a return.
pub(super) fn is_tail_call(function: &Function, data: &InstData, target: &tribunal_target::Target) -> bool {
    function.opcode_flags(data, target.vocabulary).contains(OpcodeFlags::RETURN | OpcodeFlags::CALL)
}
