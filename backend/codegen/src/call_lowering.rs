//! Call lowering: arguments, results and calls of a function that is built through the library, as copies to and from
//! the places that the calling convention says. Files from `llc-22` are lowered already.
//!
//! Invariant: what it writes is what LLVM's IRTranslator writes for the same signature, up to the alignment that
//! accesses of stack arguments claim.

use crate::CompileError;
use tribunal_ir::function::{FixedObject, LiveIn, SlotKind};
use tribunal_ir::memory::{MemFlags, MemOperand, Pointer};
use tribunal_ir::{
    AddressBase, Builder, Constraint, Function, GlobalName, InstData, Opcode, Operand, PReg, Reg, TargetOpcode, Type,
    VReg,
};
use tribunal_target::Target;
use tribunal_target::abi::{Abi, Pairs};
use tribunal_target::calls::CalleeOperand;
use tribunal_target::instructions::OperandDesc;

/// The name that errors give.
const NAME: &str = "call-lowering";

/// The promise about the bits above an integer that is narrower than its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ArgumentExtension {
    /// None.
    #[default]
    Any,
    /// They copy the sign: `signext`.
    Sign,
    /// They are zero: `zeroext`.
    Zero,
}

/// The function that a call calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CalledFunction<'n> {
    /// One of this module, or of another.
    Named(&'n str),
    /// The one at this address.
    At(VReg),
}

impl<'n> From<&'n str> for CalledFunction<'n> {
    fn from(name: &'n str) -> CalledFunction<'n> {
        CalledFunction::Named(name)
    }
}

impl CalledFunction<'_> {
    /// The operand of a call; an address goes to a register that `indirect` reads.
    fn callee(self, builder: &mut Builder<'_>, target: &Target, indirect: TargetOpcode) -> CalleeOperand {
        match self {
            CalledFunction::Named(name) => {
                CalleeOperand::Symbol(AddressBase::Global(GlobalName::Named(builder.function.intern(name))))
            }
            CalledFunction::At(address) => {
                let class = target.instruction(indirect).operands.first().and_then(OperandDesc::class);
                let ty = builder.function.type_of(address);
                let read = builder.function.push_vreg(ty, class.map_or(Constraint::None, Constraint::Class));
                builder.define(read, Opcode::COPY, [Operand::used(address)]);
                CalleeOperand::Register(read)
            }
        }
    }
}

/// The type of an argument or of a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ArgumentType {
    /// An integer or a pointer of at most two registers.
    pub ty: Type,
    /// The promise of who passes it.
    pub extension: ArgumentExtension,
}

impl From<Type> for ArgumentType {
    fn from(ty: Type) -> ArgumentType {
        ArgumentType { ty, extension: ArgumentExtension::Any }
    }
}

/// The place of a part of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Register(PReg),
    /// Bytes from the stack pointer at the call.
    Stack(u64),
}

/// The places of a value's parts, low part first, and the bits of each.
struct Assigned {
    places: Vec<Place>,
    bits: u32,
}

/// The parts of values with their places.
#[derive(Default)]
struct PassedParts {
    /// By the distance from the stack pointer at the call, in bytes.
    stack: Vec<(u64, VReg)>,
    registers: Vec<(PReg, VReg)>,
}

/// Gives places to one value after the other.
struct Assigner<'t> {
    target: &'t Target,
    registers: &'static [PReg],
    next: usize,
    /// Bytes of stack arguments so far.
    stack: u64,
}

impl<'t> Assigner<'t> {
    fn arguments(target: &'t Target) -> Assigner<'t> {
        Assigner { target, registers: target.abi.arguments(), next: 0, stack: 0 }
    }

    fn results(target: &'t Target) -> Assigner<'t> {
        Assigner { target, registers: target.abi.results(), next: 0, stack: 0 }
    }

    /// `None` for a value that is passed by reference, or not at all.
    fn assign(&mut self, ty: Type) -> Option<Assigned> {
        let Target { abi, pointer_bits, .. } = self.target;
        let register = u32::from(*pointer_bits);
        let count = ty.bits().div_ceil(register) as usize;
        if !(ty.is_pointer() || ty.is_scalar()) || !(1..=2).contains(&count) {
            return None;
        }
        self.align(abi, count, register);
        let in_register = self.next < self.registers.len();
        let bits = match (abi.extended_to, ty.bits()) {
            (0, ..=32) if in_register => 32,
            // Nobody writes the rest of the slot.
            (0, ..=32) => ty.bits().next_power_of_two().max(8),
            _ => register,
        };
        let places = (0..count).map(|_| self.place(bits, register)).collect();
        Some(Assigned { places, bits })
    }

    /// Goes to where a value of so many registers may begin.
    fn align(&mut self, abi: &Abi, count: usize, register: u32) {
        if abi.pairs == Pairs::Even && count == 2 {
            self.next = self.next.next_multiple_of(2);
            if self.next + count > self.registers.len() {
                self.next = self.registers.len();
            }
        }
        if self.next >= self.registers.len() {
            self.stack = self.stack.next_multiple_of(count as u64 * u64::from(register / 8));
        }
    }

    fn place(&mut self, bits: u32, register: u32) -> Place {
        let Some(&full) = self.registers.get(self.next) else {
            let offset = self.stack;
            self.stack += u64::from(register / 8);
            return Place::Stack(offset);
        };
        self.next += 1;
        Place::Register(self.target.part_of(full, bits))
    }
}

/// The calling convention of a machine, for functions that are built.
///
/// # Errors
/// Every method returns [`CompileError::Unsupported`] for a value that is passed by reference, for results that do not
/// fit the result registers, and on a machine without calls.
#[derive(Clone, Copy)]
pub struct CallLowering {
    /// The machine.
    pub target: &'static Target,
}

impl CallLowering {
    /// The values of the arguments, in order, copied from their places at the builder's position, which is the start of
    /// the entry block.
    pub fn formal_arguments(
        &self,
        builder: &mut Builder<'_>,
        parameters: &[ArgumentType],
    ) -> Result<Vec<VReg>, CompileError> {
        let mut assigner = Assigner::arguments(self.target);
        let mut values = Vec::with_capacity(parameters.len());
        for parameter in parameters {
            let assigned = self.assigned(&mut assigner, builder.function, parameter.ty)?;
            assigned.registers().for_each(|register| live_in(builder.function, register));
            values.push(self.taken(builder, &assigned, *parameter));
        }
        Ok(values)
    }

    /// Returns the values.
    pub fn return_values(
        &self,
        builder: &mut Builder<'_>,
        values: &[(VReg, ArgumentExtension)],
    ) -> Result<(), CompileError> {
        let mut assigner = Assigner::results(self.target);
        let PassedParts { stack, registers: results } = self.passed(builder, &mut assigner, values)?;
        if !stack.is_empty() {
            return Err(CompileError::unsupported(builder.function, NAME, "results in memory"));
        }
        copies(builder, &results);
        let uses = results.iter().map(|&(register, _)| Operand::implicit_use(register));
        builder.push(InstData::new(Opcode::Target(self.target.abi.return_opcode), uses));
        Ok(())
    }

    /// Calls a function; the result are the values that it returns.
    pub fn call<'n>(
        &self,
        builder: &mut Builder<'_>,
        callee: impl Into<CalledFunction<'n>>,
        arguments: &[(VReg, ArgumentExtension)],
        results: &[ArgumentType],
    ) -> Result<Vec<VReg>, CompileError> {
        let target = self.target;
        let Some(calls) = &target.abi.calls else {
            return Err(CompileError::unsupported(builder.function, NAME, "calls"));
        };
        let mut returned = Assigner::results(target);
        let assigned = results.iter().map(|result| self.assigned(&mut returned, builder.function, result.ty));
        let assigned: Vec<Assigned> = assigned.collect::<Result<_, _>>()?;
        if returned.stack != 0 {
            return Err(CompileError::unsupported(builder.function, NAME, "results in memory"));
        }

        let opened = builder.push(target.call_frame(calls.frame_setup, 0));
        let mut assigner = Assigner::arguments(target);
        let PassedParts { stack, registers: passed } = self.passed(builder, &mut assigner, arguments)?;
        let bytes = assigner.stack;
        builder.function.replace(opened, target.call_frame(calls.frame_setup, bytes));
        self.stored(builder, &stack);
        copies(builder, &passed);
        let passed: Vec<PReg> = passed.iter().map(|&(register, _)| register).collect();
        let defined: Vec<PReg> = assigned.iter().flat_map(Assigned::registers).collect();
        let callee = callee.into().callee(builder, target, calls.indirect);
        let call = target.call(builder.function, (calls, calls.preserved_mask), callee, passed, &defined);
        builder.push(call);
        builder.push(target.call_frame(calls.frame_destroy, bytes));
        Ok(assigned.iter().zip(results).map(|(assigned, result)| self.taken(builder, assigned, *result)).collect())
    }

    /// Leaves the function by a call, whose results are the function's. All arguments stand in registers.
    pub fn tail_call<'n>(
        &self,
        builder: &mut Builder<'_>,
        callee: impl Into<CalledFunction<'n>>,
        arguments: &[(VReg, ArgumentExtension)],
    ) -> Result<(), CompileError> {
        let Some(calls) = &self.target.abi.calls else {
            return Err(CompileError::unsupported(builder.function, NAME, "calls"));
        };
        let mut assigner = Assigner::arguments(self.target);
        let PassedParts { stack, registers: passed } = self.passed(builder, &mut assigner, arguments)?;
        if !stack.is_empty() {
            return Err(CompileError::unsupported(builder.function, NAME, "stack arguments of a tail call"));
        }
        copies(builder, &passed);
        let callee = callee.into().callee(builder, self.target, calls.indirect_tail);
        let passed: Vec<PReg> = passed.iter().map(|&(register, _)| register).collect();
        let call = self.target.tail_call(builder.function, (calls, calls.preserved_mask), callee, passed);
        builder.push(call);
        Ok(())
    }

    /// True if these arguments all stand in registers.
    pub fn fits_registers(&self, arguments: &[ArgumentType]) -> bool {
        let mut assigner = Assigner::arguments(self.target);
        arguments.iter().all(|argument| assigner.assign(argument.ty).is_some()) && assigner.stack == 0
    }

    fn assigned(&self, assigner: &mut Assigner<'_>, function: &Function, ty: Type) -> Result<Assigned, CompileError> {
        let feature = || CompileError::unsupported(function, NAME, format!("{ty} by value"));
        assigner.assign(ty).ok_or_else(feature)
    }

    /// The value whose parts stand in their places.
    fn taken(
        &self,
        builder: &mut Builder<'_>,
        assigned: &Assigned,
        ArgumentType { ty, extension }: ArgumentType,
    ) -> VReg {
        let part = if ty.is_pointer() { ty } else { Type::scalar(assigned.bits) };
        let parts: Vec<VReg> = assigned.places.iter().map(|&place| self.read(builder, place, part)).collect();
        let whole = Type::scalar(part.bits() * parts.len() as u32);
        let value = match parts[..] {
            [part] => part,
            _ => builder.op(whole, Opcode::G_MERGE_VALUES, &parts),
        };
        if ty == builder.type_of(value) {
            return value;
        }
        let promise = match extension {
            ArgumentExtension::Any => None,
            ArgumentExtension::Sign => Some(Opcode::G_ASSERT_SEXT),
            ArgumentExtension::Zero => Some(Opcode::G_ASSERT_ZEXT),
        };
        let value = promise.map_or(value, |opcode| {
            builder.build(whole, opcode, [Operand::used(value), Operand::Imm(ty.bits().into())])
        });
        builder.op(ty, Opcode::G_TRUNC, &[value])
    }

    /// Reads a place of the entry, or a result register.
    fn read(&self, builder: &mut Builder<'_>, place: Place, ty: Type) -> VReg {
        match place {
            Place::Register(register) => builder.build(ty, Opcode::COPY, [Operand::used(Reg::Physical(register))]),
            Place::Stack(offset) => {
                let (align, size) = (self.stack_align(offset), u64::from(ty.bits() / 8));
                let object = FixedObject {
                    kind: SlotKind::Default,
                    offset: offset as i64,
                    size,
                    align,
                    immutable: true,
                    aliased: false,
                    saved: None,
                };
                let slot = builder.function.fixed_stack.push(object);
                let address = builder.build(self.pointer(), Opcode::G_FRAME_INDEX, [Operand::FixedStack(slot)]);
                let memory = MemOperand {
                    pointer: Some(Pointer::FixedStack(slot)),
                    ..MemOperand::new(MemFlags::LOAD, ty, align)
                };
                builder.load(Opcode::G_LOAD, ty, address, memory)
            }
        }
    }

    /// The parts of values, made ready for their places.
    fn passed(
        &self,
        builder: &mut Builder<'_>,
        assigner: &mut Assigner<'_>,
        values: &[(VReg, ArgumentExtension)],
    ) -> Result<PassedParts, CompileError> {
        let mut passed = PassedParts::default();
        for &(value, extension) in values {
            let ty = builder.type_of(value);
            let assigned = self.assigned(assigner, builder.function, ty)?;
            for (place, part) in assigned.places.iter().zip(parts(builder, value, &assigned, extension)) {
                match *place {
                    Place::Register(register) => passed.registers.push((register, part)),
                    Place::Stack(offset) => passed.stack.push((offset, part)),
                }
            }
        }
        Ok(passed)
    }

    /// Stores arguments above the stack pointer.
    fn stored(&self, builder: &mut Builder<'_>, arguments: &[(u64, VReg)]) {
        if arguments.is_empty() {
            return;
        }
        let (pointer, offset) = (self.pointer(), self.target.register_type());
        let sp = builder.build(pointer, Opcode::COPY, [Operand::used(Reg::Physical(self.target.abi.stack_pointer))]);
        for &(bytes, value) in arguments {
            let distance = builder.constant_i64(offset, bytes as i64);
            let address = builder.op(pointer, Opcode::G_PTR_ADD, &[sp, distance]);
            let memory = MemOperand::new(MemFlags::STORE, builder.type_of(value), self.stack_align(bytes));
            let place = Some(Pointer::OutgoingArguments);
            builder.store(value, address, MemOperand { pointer: place, offset: bytes as i64, ..memory });
        }
    }

    fn pointer(&self) -> Type {
        Type::Pointer { address_space: 0, bits: self.target.pointer_bits }
    }

    /// The alignment so far above the stack pointer at a call.
    fn stack_align(&self, offset: u64) -> u32 {
        let align = self.target.abi.stack_align;
        if offset == 0 { align } else { align.min(1 << offset.trailing_zeros().min(31)) }
    }
}

impl Assigned {
    fn registers(&self) -> impl Iterator<Item = PReg> {
        self.places.iter().filter_map(|place| match place {
            Place::Register(register) => Some(*register),
            Place::Stack(_) => None,
        })
    }
}

/// The parts of a value as its places take them, low part first.
fn parts(builder: &mut Builder<'_>, value: VReg, assigned: &Assigned, extension: ArgumentExtension) -> Vec<VReg> {
    let (ty, part) = (builder.type_of(value), Type::scalar(assigned.bits));
    if ty.is_pointer() {
        return vec![value];
    }
    let whole = Type::scalar(assigned.bits * assigned.places.len() as u32);
    let opcode = match extension {
        ArgumentExtension::Any => Opcode::G_ANYEXT,
        ArgumentExtension::Sign => Opcode::G_SEXT,
        ArgumentExtension::Zero => Opcode::G_ZEXT,
    };
    let value = if ty == whole { value } else { builder.op(whole, opcode, &[value]) };
    if part == whole { vec![value] } else { builder.unmerge(part, value) }
}

fn copies(builder: &mut Builder<'_>, values: &[(PReg, VReg)]) {
    for &(register, value) in values {
        builder.push(InstData::new(Opcode::COPY, [Operand::def(Reg::Physical(register)), Operand::used(value)]));
    }
}

/// The register holds an argument on entry.
fn live_in(function: &mut Function, register: PReg) {
    function.liveins.push(LiveIn { register, copy: None });
    if let Some(entry) = function.entry() {
        function.block_mut(entry).liveins.push((register, None));
    }
}
