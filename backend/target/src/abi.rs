//! The shape of a calling convention. The values are in `<isa>/abi.rs`.

use crate::runtime::AtomicLibrary;
use crate::variable_arguments::VaListField;
use crate::{Features, Target};
use tribunal_ir::semantics::float::FloatEnvironment;
use tribunal_ir::{Function, PReg, RegBank, RegMask, TargetFlags, TargetOpcode};

/// A calling convention: the agreement of caller and callee.
#[derive(Clone, Copy)]
pub struct Abi {
    /// The registers that pass values, by bank; integers and pointers first.
    pub passing: &'static [Passing],
    /// The registers at which an argument of two registers may begin.
    pub pairs: Pairs,
    /// The register that passes the address of memory for a result, if it is no argument register.
    pub indirect_result: Option<PReg>,
    /// Full-width registers that a function must leave as it found them.
    pub callee_saved: &'static [PReg],
    /// Full-width registers that a call may clobber, except its results.
    pub caller_saved: &'static [PReg],
    /// The register that points to the lowest byte of the frame.
    pub stack_pointer: PReg,
    /// The register that points into the frame, in a function that needs one besides the stack pointer.
    pub frame_pointer: PReg,
    /// The register that points to the lowest byte of the frame's objects where the stack pointer moves below them and
    /// the frame pointer's distance from them is no constant.
    pub base_pointer: PReg,
    /// Bytes from the frame pointer to the end of the frame record: the caller's frame pointer, then the return
    /// address. So a debugger walks the frames.
    pub frame_record_end: i64,
    /// The register in which a call leaves the return address.
    pub return_address: PReg,
    /// The place of the thread pointer.
    pub thread_pointer: ThreadPointer,
    /// The environment of floating point, if the machine has one.
    pub float_environment: Option<FloatEnvironment>,
    /// Registers besides the stack pointer that hold no value of a function, and may be read anywhere: those of the
    /// linker and of threads.
    pub reserved: &'static [PReg],
    /// Registers that are never allocated and that the frame pass may clobber between any two instructions.
    pub scratch: &'static [PReg],
    /// Bytes.
    pub stack_align: u32,
    /// The return instruction: operands are implicit uses of the results.
    pub return_opcode: TargetOpcode,
    /// Bits to which the caller (the callee for results) extends an integer argument or result narrower than a
    /// register. RISC-V extends to 64 (`signext`/`zeroext`; an `i32` is sign-extended); 0 where the rest is undefined.
    pub extended_to: u32,
    /// The fields of a `va_list`; empty on a machine without variable arguments.
    pub va_list: &'static [VaListField],
    /// `None` on a machine without calls.
    pub calls: Option<Calls>,
}

/// The place of the thread pointer, from which thread-local variables have constant distances.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ThreadPointer {
    /// A general register, which no function changes.
    Register(PReg),
    /// A register of the system, which this instruction reads.
    System(TargetOpcode),
    /// The machine has none.
    None,
}

impl ThreadPointer {
    /// The general register that holds it.
    pub fn register(self) -> Option<PReg> {
        match self {
            ThreadPointer::Register(register) => Some(register),
            ThreadPointer::System(_) | ThreadPointer::None => None,
        }
    }
}

/// The two ways to call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CallKind {
    /// The callee returns to the instruction after the call.
    Returning,
    /// In place of a return: the callee returns to the caller's caller.
    Tail,
}

/// The registers of one bank in which values are passed.
pub struct Passing {
    /// The bank.
    pub bank: RegBank,
    /// Full-width argument registers, in order.
    pub arguments: &'static [PReg],
    /// Full-width result registers, in order.
    pub results: &'static [PReg],
}

/// The form of a call.
#[derive(Clone, Copy)]
pub struct Calls {
    /// Operands: the callee and the mask of the preserved registers; then, implicitly, the row's registers, arguments,
    /// results.
    pub opcode: TargetOpcode,
    /// The call in place of a return. Operands: the callee, 0 if the row has an immediate, the mask; then as above.
    pub tail: TargetOpcode,
    /// The call where the callee is an address in a register.
    pub indirect: TargetOpcode,
    /// The same in place of a return.
    pub indirect_tail: TargetOpcode,
    /// The marker before the copies of a call's arguments: `ADJCALLSTACKDOWN`. Its operands are the bytes of stack
    /// arguments, then zero.
    pub frame_setup: TargetOpcode,
    /// The marker after a call: `ADJCALLSTACKUP`.
    pub frame_destroy: TargetOpcode,
    /// The flags of the callee.
    pub callee_flags: TargetFlags,
    /// The mask of all registers but the caller-saved ones.
    pub preserved_mask: RegMask,
    /// The conventions that differ in the registers that pass floating point; the first that the features allow is the
    /// default. Empty on a machine where all are one.
    pub floats: &'static [FloatConvention],
    /// The functions of the runtime library that operate on memory.
    pub atomics: AtomicLibrary,
}

/// A convention for floating point.
pub struct FloatConvention {
    /// The names that a module may give it (`target-abi`).
    pub names: &'static [&'static str],
    /// The features without which no code can follow it.
    pub requires: Features,
    /// The mask of its calls.
    pub mask: RegMask,
    /// The widest number that it passes in registers of floating point, in bits.
    pub bits: u32,
}

/// The registers at which an argument of two registers may begin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pairs {
    /// In any two registers that follow each other.
    Anywhere,
    /// At the first, third, ... argument register.
    Even,
}

impl Abi {
    /// True for a register of the environment of floating point.
    pub fn is_of_environment(&self, register: PReg) -> bool {
        self.float_environment.is_some_and(|environment| environment.registers().contains(&register))
    }

    /// The argument registers of integers and pointers, in order.
    pub fn arguments(&self) -> &'static [PReg] {
        self.passing.first().map_or(&[], |passing| passing.arguments)
    }

    /// The result registers of integers and pointers, in order.
    pub fn results(&self) -> &'static [PReg] {
        self.passing.first().map_or(&[], |passing| passing.results)
    }

    /// True for an argument register of any bank, and for that of an indirect result.
    pub fn is_argument(&self, full: PReg) -> bool {
        self.indirect_result == Some(full) || self.passing.iter().any(|passing| passing.arguments.contains(&full))
    }
}

impl Target {
    /// The mask of the calls that this function makes: of the convention that its module names, if the features allow
    /// it, else of the default one.
    pub fn call_mask(&self, function: &Function, features: Features) -> Option<RegMask> {
        let calls = self.abi.calls.as_ref()?;
        let convention = calls.float_convention(function, features);
        Some(convention.map_or(calls.preserved_mask, |convention| convention.mask))
    }

    /// The widest number that a call with this mask passes in registers of floating point, in bits; `None` if the mask
    /// does not say.
    pub fn passed_float_bits(&self, mask: RegMask) -> Option<u32> {
        let floats = self.abi.calls.as_ref()?.floats;
        floats.iter().find(|convention| convention.mask == mask).map(|convention| convention.bits)
    }
}

impl Calls {
    /// False if the function's module names another convention than that of calls with this mask, which the features
    /// do not allow: its library takes numbers of floating point elsewhere.
    pub fn passes_floats_as_named(&self, function: &Function, mask: Option<RegMask>) -> bool {
        let name = function.ir.as_ref().and_then(|ir| ir.flags.text("target-abi"));
        let named = |name: &str| self.floats.iter().find(|convention| convention.names.contains(&name));
        name.and_then(named).is_none_or(|convention| mask == Some(convention.mask))
    }

    /// `None` on a machine where all conventions are one.
    pub fn float_convention(&self, function: &Function, features: Features) -> Option<&'static FloatConvention> {
        self.convention(function.ir.as_ref().and_then(|ir| ir.flags.text("target-abi")), features)
    }

    /// The one with this name if the features allow it, else that of the features.
    pub fn convention(&self, name: Option<&str>, features: Features) -> Option<&'static FloatConvention> {
        let possible = || self.floats.iter().filter(|convention| features.contains(convention.requires));
        let named = possible().find(|convention| name.is_some_and(|name| convention.names.contains(&name)));
        named.or_else(|| possible().next())
    }
}
