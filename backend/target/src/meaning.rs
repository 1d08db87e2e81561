//! The meaning of a machine instruction as a value that a [`Target`] carries: [`Meaning`], a plain function pointer.
//!
//! A meaning is evaluated over every domain (numbers, partial numbers, lanes, terms), those of dependent crates
//! included, but a function pointer is not generic. So it is written against one object, [`AnyDomain`]: a domain and
//! its memory whose values are indices into a list. [`evaluate`] puts the actual domain behind it. Rejected: a list of
//! instruction sets in a `match`, which knows no third target; a trait with a generic method, which makes `Target` a
//! type parameter of everything; expression trees as rows, which say worse what Rust says well.
//!
//! Invariant: nothing here knows an instruction set, and a meaning sees nothing of the domain but its primitives.

use crate::Target;
use crate::abi::ThreadPointer;
use crate::addressing::Quantity;
use crate::environment::{self, Environment, LinkedAddress};
use crate::instructions::{InstrDesc, OperandDesc};
use crate::parts;
use crate::promises::Promises;
use smallvec::SmallVec;
use tribunal_ir::bits::Bits;
use tribunal_ir::semantics::float::{FloatResult, RoundedOperation};
use tribunal_ir::semantics::walk::{self, Next, Transfer};
use tribunal_ir::semantics::{Domain, Memory, Unsupported, Value, strict};
use tribunal_ir::{
    AddressBase, AddressData, Block, FencedPairs, FixedSlot, Function, InstData, MemOperand, Opcode, OpcodeFlags,
    Operand, RegFlags, StackSlot, TargetFlags,
};

/// The meaning of a target's instructions: `args` has one value for each register read, explicit then implicit, in
/// operand order. An instruction without a meaning is an error by name.
pub type Meaning = for<'d> fn(
    &mut (dyn AnyDomain + 'd),
    &Target,
    &InstData,
    &[Value<dyn AnyDomain + 'd>],
) -> Result<MachineEvaluation<dyn AnyDomain + 'd>, Unsupported>;

/// The evaluation of one machine instruction, for evaluators of selected and allocated code: see `<isa>/semantics.rs`.
pub struct MachineEvaluation<D: Domain + ?Sized> {
    /// A value for each definition, explicit then implicit, in operand order.
    pub results: SmallVec<[Value<D>; 2]>,
    /// True where it is undefined behaviour.
    pub ub: D::Bool,
    /// The condition under which a conditional branch is taken; `None` for other instructions.
    pub taken: Option<D::Bool>,
    /// The destination of an indirect jump; `None` for other instructions.
    pub to: Option<D::Bits>,
}

/// A bit-vector of the domain behind an [`AnyDomain`], by number.
#[derive(Clone, Copy, Debug)]
pub struct AnyBits(u32);

/// A truth value of the domain behind an [`AnyDomain`], by number.
#[derive(Clone, Copy, Debug)]
pub struct AnyBool(u32);

/// Some domain with its memory, and the place of the instruction at hand.
pub trait AnyDomain: Domain<Bits = AnyBits, Bool = AnyBool> {
    /// [`Memory::load`]: the bits, whether they are poison, and the condition under which the access is undefined.
    fn load(&mut self, address: &AnyBits, bytes: u32, operand: &MemOperand) -> (AnyBits, AnyBool, AnyBool);
    /// [`Memory::store`]: the condition under which the access is undefined.
    fn store(&mut self, address: &AnyBits, bits: &AnyBits, poison: &AnyBool, operand: &MemOperand) -> AnyBool;
    /// [`Memory::fence`].
    fn fence(&mut self, pairs: FencedPairs);
    /// [`Memory::reserve`].
    fn reserve(&mut self, place: Option<(&AnyBits, u32)>);
    /// [`Memory::loses_reservation`].
    fn loses_reservation(&mut self, address: &AnyBits, bytes: u32) -> AnyBits;
    /// [`Memory::frame_address`].
    fn frame_address(&mut self, slot: StackSlot, width: u32) -> AnyBits;
    /// [`Memory::fixed_address`].
    fn fixed_address(&mut self, slot: FixedSlot, width: u32) -> AnyBits;
    /// The rounding mode of the environment of floating point, as rules take it; `None` where it is the default one,
    /// which nobody observes.
    fn rounding_mode(&self) -> Option<AnyBits>;
    /// Raises flags of that environment.
    fn raise(&mut self, flags: &AnyBits);
    /// The place of the instruction; `None` before code is placed.
    fn place(&self) -> Option<CodePlace<AnyBits>>;
    /// The thread pointer, where it is the system's register; `None` where nobody says it.
    fn thread_pointer(&self) -> Option<AnyBits>;
    /// The number that the instruction's address operand of this number (from 0) makes, with the operand's flags: an
    /// address, or a distance from the thread pointer.
    fn linked(&self, number: usize) -> Option<(AnyBits, TargetFlags)>;
    /// The blocks of the jump table that an operand of the instruction names, by their indices.
    fn table(&self) -> SmallVec<[Block; 8]>;
}

/// Evaluates `inst` on `args`, as [`Meaning`] says. Stack objects as operands are resolved through `memory`.
pub fn evaluate<D: Domain, M: Memory<D>>(
    target: &Target,
    domain: &mut D,
    memory: &mut M,
    inst: &InstData,
    args: &[Value<D>],
) -> Result<MachineEvaluation<D>, Unsupported> {
    evaluate_at(target, domain, memory, inst, args, None)
}

/// The place of an instruction in code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CodePlace<B> {
    /// Its address.
    pub address: B,
    /// Its size in bytes, which is not the row's if it is compressed.
    pub bytes: u32,
    /// The thread pointer of the thread that runs it.
    pub thread_pointer: B,
}

/// The same for an instruction at `place`, which jumps and computations of addresses may ask for.
pub fn evaluate_at<D: Domain, M: Memory<D>>(
    target: &Target,
    domain: &mut D,
    memory: &mut M,
    inst: &InstData,
    args: &[Value<D>],
    place: Option<CodePlace<D::Bits>>,
) -> Result<MachineEvaluation<D>, Unsupported> {
    evaluate_raising(target, domain, memory, inst, args, (place, None)).map(|(evaluation, _)| evaluation)
}

/// The same in an environment of floating point with this rounding mode. The flags that it raises come too.
pub fn evaluate_raising<D: Domain, M: Memory<D>>(
    target: &Target,
    domain: &mut D,
    memory: &mut M,
    inst: &InstData,
    args: &[Value<D>],
    (place, rounding_mode): (Option<CodePlace<D::Bits>>, Option<D::Bits>),
) -> Result<(MachineEvaluation<D>, Option<D::Bits>), Unsupported> {
    let thread_pointer = place.as_ref().map(|place| place.thread_pointer.clone());
    let outside = Outside { place, thread_pointer, linked: SmallVec::new(), table: SmallVec::new(), rounding_mode };
    evaluate_linked(target, domain, memory, inst, args, outside)
}

/// What an instruction sees besides its registers and memory.
struct Outside<D: Domain> {
    place: Option<CodePlace<D::Bits>>,
    thread_pointer: Option<D::Bits>,
    /// The addresses that its operands are of.
    linked: LinkedAddresses<D::Bits>,
    /// The blocks of the jump table that one of them is of.
    table: SmallVec<[Block; 8]>,
    rounding_mode: Option<D::Bits>,
}

fn evaluate_linked<D: Domain, M: Memory<D>>(
    target: &Target,
    domain: &mut D,
    memory: &mut M,
    inst: &InstData,
    args: &[Value<D>],
    outside: Outside<D>,
) -> Result<(MachineEvaluation<D>, Option<D::Bits>), Unsupported> {
    // Built in place: the lists are large, and moving them costs more than most instructions.
    let mut numbered = Numbered {
        domain,
        memory,
        bits: SmallVec::new(),
        bools: SmallVec::new(),
        place: None,
        thread_pointer: None,
        linked: SmallVec::new(),
        table: outside.table,
        rounding_mode: None,
        raised: None,
    };
    numbered.rounding_mode = outside.rounding_mode.map(|mode| numbered.add_bits(mode));
    numbered.thread_pointer = outside.thread_pointer.map(|pointer| numbered.add_bits(pointer));
    numbered.place = outside.place.map(|place| CodePlace {
        address: numbered.add_bits(place.address),
        bytes: place.bytes,
        thread_pointer: numbered.add_bits(place.thread_pointer),
    });
    for (address, flags) in outside.linked {
        let address = numbered.add_bits(address);
        numbered.linked.push((address, flags));
    }
    let args: SmallVec<[Value<dyn AnyDomain>; 4]> = args.iter().map(|value| numbered.add(value)).collect();
    let MachineEvaluation { results, ub, taken, to } = (target.meaning)(&mut numbered, target, inst, &args)?;
    let evaluation = MachineEvaluation {
        results: results.iter().map(|value| numbered.value(value)).collect(),
        ub: numbered.bool(ub),
        taken: taken.map(|taken| numbered.bool(taken)),
        to: to.map(|to| numbered.bits[to.0 as usize].clone()),
    };
    Ok((evaluation, numbered.raised.map(|raised| numbered.bits[raised.0 as usize].clone())))
}

/// Executes an instruction that is the machine's own, or that moves a value or transfers control; `None` for a generic
/// operation. A machine's registers hold bits: it reads poison as arbitrary bits, but where promises are believed.
pub fn execute<D: Domain, S: Environment<D>>(
    target: &Target,
    state: &mut S,
    data: &InstData,
) -> Result<Option<Transfer<D>>, Unsupported> {
    let Opcode::Target(opcode) = data.opcode else {
        return match parts::execute(state, data)? {
            None => walk::execute(state, data),
            made => Ok(made),
        };
    };
    let row = target.instruction(opcode);
    let flags = row.flags;
    if flags.contains(OpcodeFlags::CALL) {
        return environment::call(target, state, data).map(Some);
    }
    if !takes(target, row, state.function(), data) {
        return Err(Unsupported::new(format!("{} of operands that it does not take", row.name)));
    }
    let leaves = match flags {
        _ if flags.contains(OpcodeFlags::RETURN) => Some(Next::Return),
        // Its destination is evaluated.
        _ if flags.contains(OpcodeFlags::INDIRECT) => None,
        _ if flags.contains(OpcodeFlags::BRANCH | OpcodeFlags::BARRIER) => Some(Next::To(walk::label(data)?)),
        _ => None,
    };
    if let Some(next) = leaves {
        return Ok(Some(Transfer { ub: state.domain().boolean(false), next }));
    }
    let mut args: SmallVec<[Value<D>; 4]> = SmallVec::new();
    for operand in data.uses() {
        let Value { bits, poison, .. } = walk::read(state, operand)?;
        let poison = match state.promises() {
            Promises::Believed | Promises::Certain => poison,
            Promises::Ignored => state.domain().boolean(false),
        };
        args.push(Value::new(bits, poison));
    }
    let reads_thread = target.abi.thread_pointer == ThreadPointer::System(opcode);
    let thread_pointer = reads_thread.then(|| state.thread_pointer()).transpose()?.map(|pointer| pointer.bits);
    let environment = strict::environment(state);
    let rounding_mode = environment.map(|environment| strict::mode(state, environment));
    let (linked, table) = (linked(target, state, data)?, table(state.function(), data));
    let outside = Outside { place: None, thread_pointer, linked, table, rounding_mode };
    let (domain, memory) = state.evaluator();
    let (evaluation, raised) = evaluate_linked(target, domain, memory, data, &args, outside)?;
    let MachineEvaluation { results, ub, taken, to } = evaluation;
    if let Some((environment, raised)) = environment.zip(raised) {
        strict::raise(state, environment, &raised);
    }
    for (operand, value) in data.defs().zip(results) {
        walk::write_result(state, operand, value)?;
    }
    let next = match (taken, to) {
        (Some(taken), _) => Next::If(taken, walk::label(data)?),
        (None, Some(to)) => Next::Indirect(to),
        (None, None) => Next::Following,
    };
    Ok(Some(Transfer { ub, next }))
}

/// True if the explicit operands are the row's: each register read or written as there, as wide as its class, and only
/// a base may be a stack object. A meaning takes its arguments by number: of other operands it would make values that
/// no domain has.
fn takes(target: &Target, row: &InstrDesc, function: &Function, data: &InstData) -> bool {
    let is_taken = |(desc, operand): (&OperandDesc, &Operand)| match (desc.class(), operand) {
        (None, operand) => operand.as_reg().is_none(),
        (Some(class), Operand::Reg(operand)) => {
            let is_def = matches!(desc, OperandDesc::Def(_) | OperandDesc::EarlyDef(_));
            is_def == operand.flags.contains(RegFlags::DEF)
                && walk::operand_bits(function, target, operand) == target.class(class).bits
        }
        (Some(_), _) => matches!(desc, OperandDesc::Base(_)),
    };
    let is_implicit =
        |operand: &Operand| operand.as_reg().is_none_or(|operand| operand.flags.contains(RegFlags::IMPLICIT));
    let Some((explicit, others)) = data.operands.split_at_checked(row.operands.len()) else { return false };
    row.operands.iter().zip(explicit).all(is_taken) && others.iter().all(is_implicit)
}

/// Addresses that the environment places, each with the part of it that is meant.
pub type LinkedAddresses<B> = SmallVec<[(B, TargetFlags); 2]>;

/// The numbers that operands of an instruction make of addresses.
pub fn linked<D: Domain, S: Environment<D>>(
    target: &Target,
    state: &mut S,
    data: &InstData,
) -> Result<LinkedAddresses<D::Bits>, Unsupported> {
    let mut linked = SmallVec::new();
    for operand in data.operands.iter().filter(|operand| matches!(operand, Operand::Address(_))) {
        let Some(address) = LinkedAddress::of_operand(state.function(), data, operand) else { continue };
        let flags = state.function().address_of(operand).map_or(TargetFlags::NONE, |address| address.flags);
        let is_distance = target.quantity(data.opcode, flags) != Quantity::Address;
        if is_distance != state.function().symbol_facts(address.base).thread_local.is_some() {
            let wrong =
                if is_distance { "the distance in a thread of" } else { "the plain address of the thread-local" };
            return Err(Unsupported::new(format!("{wrong} {}", address.name)));
        }
        let mut bits = state.address(&address)?.bits;
        if is_distance {
            let pointer = state.thread_pointer()?.bits;
            bits = state.domain().sub(&bits, &pointer);
        }
        linked.push((bits, flags));
    }
    Ok(linked)
}

/// The blocks of the jump table that an operand names, at its start: an entry further on is none of the opcode's.
fn table(function: &Function, data: &InstData) -> SmallVec<[Block; 8]> {
    let table = data.operands.iter().find_map(|operand| match function.address_of(operand)? {
        AddressData { base: AddressBase::JumpTable(table), offset: 0, .. } => function.jump_tables.tables.get(*table),
        _ => None,
    });
    table.map_or(SmallVec::new(), |blocks| blocks.iter().copied().collect())
}

/// A domain whose values are numbered: indices into a list.
struct Numbered<'d, D: Domain, M> {
    domain: &'d mut D,
    memory: &'d mut M,
    bits: SmallVec<[D::Bits; 16]>,
    bools: SmallVec<[D::Bool; 16]>,
    place: Option<CodePlace<AnyBits>>,
    thread_pointer: Option<AnyBits>,
    linked: LinkedAddresses<AnyBits>,
    table: SmallVec<[Block; 8]>,
    rounding_mode: Option<AnyBits>,
    raised: Option<AnyBits>,
}

impl<D: Domain, M> Numbered<'_, D, M> {
    fn add_bits(&mut self, bits: D::Bits) -> AnyBits {
        self.bits.push(bits);
        AnyBits(self.bits.len() as u32 - 1)
    }

    fn add_bool(&mut self, truth: D::Bool) -> AnyBool {
        self.bools.push(truth);
        AnyBool(self.bools.len() as u32 - 1)
    }

    fn add<'a>(&mut self, value: &Value<D>) -> Value<dyn AnyDomain + 'a> {
        Value::new(self.add_bits(value.bits.clone()), self.add_bool(value.poison.clone()))
    }

    fn bool(&self, truth: AnyBool) -> D::Bool {
        self.bools[truth.0 as usize].clone()
    }

    fn value<'a>(&self, value: &Value<dyn AnyDomain + 'a>) -> Value<D> {
        Value::new(self.bits[value.bits.0 as usize].clone(), self.bool(value.poison))
    }
}

/// Methods of two bit-vectors, by their result.
macro_rules! of_two {
    ($add:ident $result:ty: $($name:ident)*) => {$(
        fn $name(&mut self, a: &AnyBits, b: &AnyBits) -> $result {
            let result = self.domain.$name(&self.bits[a.0 as usize], &self.bits[b.0 as usize]);
            self.$add(result)
        }
    )*};
}

/// Methods of two truth values.
macro_rules! connectives {
    ($($name:ident)*) => {$(
        fn $name(&mut self, a: &AnyBool, b: &AnyBool) -> AnyBool {
            let result = self.domain.$name(&self.bools[a.0 as usize], &self.bools[b.0 as usize]);
            self.add_bool(result)
        }
    )*};
}

/// Extensions to a width.
macro_rules! extensions {
    ($($name:ident)*) => {$(
        fn $name(&mut self, a: &AnyBits, width: u32) -> AnyBits {
            let result = self.domain.$name(&self.bits[a.0 as usize], width);
            self.add_bits(result)
        }
    )*};
}

/// Every primitive, and those derived methods that domains override.
impl<D: Domain, M> Domain for Numbered<'_, D, M> {
    type Bits = AnyBits;
    type Bool = AnyBool;

    of_two! { add_bits AnyBits: add sub mul udiv urem sdiv srem and or xor shl lshr ashr concat }
    of_two! { add_bool AnyBool: eq ult slt uadd_overflows sadd_overflows ssub_overflows }
    connectives! { bool_and bool_or }
    extensions! { zext sext }

    fn width(&self, a: &AnyBits) -> u32 {
        self.domain.width(&self.bits[a.0 as usize])
    }
    fn constant(&mut self, value: Bits) -> AnyBits {
        let result = self.domain.constant(value);
        self.add_bits(result)
    }
    fn boolean(&mut self, value: bool) -> AnyBool {
        let result = self.domain.boolean(value);
        self.add_bool(result)
    }
    fn choose(&mut self, width: u32) -> AnyBits {
        let result = self.domain.choose(width);
        self.add_bits(result)
    }
    fn not(&mut self, a: &AnyBits) -> AnyBits {
        let result = self.domain.not(&self.bits[a.0 as usize]);
        self.add_bits(result)
    }
    fn extract(&mut self, a: &AnyBits, offset: u32, width: u32) -> AnyBits {
        let result = self.domain.extract(&self.bits[a.0 as usize], offset, width);
        self.add_bits(result)
    }
    fn ite(&mut self, condition: &AnyBool, a: &AnyBits, b: &AnyBits) -> AnyBits {
        let condition = &self.bools[condition.0 as usize];
        let result = self.domain.ite(condition, &self.bits[a.0 as usize], &self.bits[b.0 as usize]);
        self.add_bits(result)
    }
    fn bool_not(&mut self, a: &AnyBool) -> AnyBool {
        let result = self.domain.bool_not(&self.bools[a.0 as usize]);
        self.add_bool(result)
    }
    fn bool_ite(&mut self, condition: &AnyBool, a: &AnyBool, b: &AnyBool) -> AnyBool {
        let condition = &self.bools[condition.0 as usize];
        let result = self.domain.bool_ite(condition, &self.bools[a.0 as usize], &self.bools[b.0 as usize]);
        self.add_bool(result)
    }
    fn literal(&mut self, value: i64, width: u32) -> AnyBits {
        let result = self.domain.literal(value, width);
        self.add_bits(result)
    }
    fn is_zero(&mut self, a: &AnyBits) -> AnyBool {
        let result = self.domain.is_zero(&self.bits[a.0 as usize]);
        self.add_bool(result)
    }
    fn rounded(&mut self, operation: RoundedOperation, args: &[AnyBits]) -> FloatResult<AnyBits> {
        let args: SmallVec<[D::Bits; 4]> = args.iter().map(|arg| self.bits[arg.0 as usize].clone()).collect();
        let FloatResult { bits, flags } = self.domain.rounded(operation, &args);
        FloatResult { bits: self.add_bits(bits), flags: self.add_bits(flags) }
    }
}

impl<D: Domain, M: Memory<D>> AnyDomain for Numbered<'_, D, M> {
    fn load(&mut self, address: &AnyBits, bytes: u32, operand: &MemOperand) -> (AnyBits, AnyBool, AnyBool) {
        let (value, outside) = self.memory.load(self.domain, &self.bits[address.0 as usize], bytes, operand);
        (self.add_bits(value.bits), self.add_bool(value.poison), self.add_bool(outside))
    }

    fn store(&mut self, address: &AnyBits, bits: &AnyBits, poison: &AnyBool, operand: &MemOperand) -> AnyBool {
        let value = Value::new(self.bits[bits.0 as usize].clone(), self.bool(*poison));
        let outside = self.memory.store(self.domain, &self.bits[address.0 as usize], &value, operand);
        self.add_bool(outside)
    }

    fn fence(&mut self, pairs: FencedPairs) {
        self.memory.fence(self.domain, pairs);
    }

    fn reserve(&mut self, place: Option<(&AnyBits, u32)>) {
        let place = place.map(|(address, bytes)| (&self.bits[address.0 as usize], bytes));
        self.memory.reserve(self.domain, place);
    }

    fn loses_reservation(&mut self, address: &AnyBits, bytes: u32) -> AnyBits {
        let fails = self.memory.loses_reservation(self.domain, &self.bits[address.0 as usize], bytes);
        self.add_bits(fails)
    }

    fn frame_address(&mut self, slot: StackSlot, width: u32) -> AnyBits {
        let address = self.memory.frame_address(self.domain, slot, width);
        self.add_bits(address)
    }

    fn fixed_address(&mut self, slot: FixedSlot, width: u32) -> AnyBits {
        let address = self.memory.fixed_address(self.domain, slot, width);
        self.add_bits(address)
    }

    fn rounding_mode(&self) -> Option<AnyBits> {
        self.rounding_mode
    }

    fn raise(&mut self, flags: &AnyBits) {
        if self.rounding_mode.is_some() {
            self.raised = Some(self.raised.map_or(*flags, |raised| self.or(&raised, flags)));
        }
    }

    fn place(&self) -> Option<CodePlace<AnyBits>> {
        self.place
    }

    fn thread_pointer(&self) -> Option<AnyBits> {
        self.thread_pointer
    }

    fn linked(&self, number: usize) -> Option<(AnyBits, TargetFlags)> {
        self.linked.get(number).copied()
    }

    fn table(&self) -> SmallVec<[Block; 8]> {
        self.table.clone()
    }
}
