//! Calls: how one is written and read, and the values that it leaves in registers. The conventions are data, in
//! `<isa>/abi.rs`.

use crate::Target;
use crate::abi::Calls;
use crate::runtime::RuntimeFunction;
use tribunal_ir::semantics::{Domain, Unsupported, Value};
use tribunal_ir::text::print_base;
use tribunal_ir::{AddressBase, AddressData, Function, InstData, Opcode, OpcodeFlags, Operand, PReg, TargetOpcode};

/// The registers of a runtime function's arguments and result.
pub struct Signature {
    /// The registers of each operand, low part first; the second is empty for functions of one operand.
    pub arguments: [&'static [PReg]; 2],
    /// The registers of the result, low part first.
    pub results: &'static [PReg],
}

/// The effect of a call: every register it may write, and the condition under which it is undefined behaviour.
pub struct CallEvaluation<D: Domain> {
    /// The registers that it may write, and their values.
    pub registers: Vec<(PReg, Value<D>)>,
    /// True where the call is undefined behaviour, such as a division by zero.
    pub ub: D::Bool,
}

impl Target {
    /// `None` if values of the function's type are not passed in whole registers here.
    pub fn signature(&self, function: &RuntimeFunction) -> Option<Signature> {
        let register = u32::from(self.pointer_bits);
        if !function.bits.is_multiple_of(register) {
            return None;
        }
        let count = (function.bits / register) as usize;
        let [first, second] = self.abi.places(&[count, count])?.try_into().ok()?;
        Some(Signature { arguments: [first, second], results: self.abi.results().get(..count)? })
    }

    /// True for an instruction that calls.
    pub fn is_call(&self, data: &InstData) -> bool {
        self.has_flags(data, OpcodeFlags::CALL)
    }

    fn has_flags(&self, data: &InstData, flags: OpcodeFlags) -> bool {
        matches!(data.opcode, Opcode::Target(opcode) if self.instruction(opcode).flags.contains(flags))
    }

    /// True for the instructions before the copies of a call's arguments and after the call.
    pub fn is_call_frame(&self, data: &InstData) -> bool {
        let frames = self.abi.calls.as_ref().map(|calls| [calls.frame_setup, calls.frame_destroy].map(Opcode::Target));
        frames.is_some_and(|frames| frames.contains(&data.opcode))
    }

    /// True for the first of the two.
    pub fn opens_call_frame(&self, data: &InstData) -> bool {
        self.abi.calls.as_ref().is_some_and(|calls| data.opcode == Opcode::Target(calls.frame_setup))
    }

    /// The runtime function that a call calls.
    pub fn runtime_callee(&self, function: &Function, data: &InstData) -> Option<&'static RuntimeFunction> {
        RuntimeFunction::named(function.external(function.callee(data)?)?)
    }

    /// `ADJCALLSTACKDOWN 0, 0` or `ADJCALLSTACKUP 0, 0` with the operands that its row asks for.
    pub fn call_frame(&self, opcode: TargetOpcode) -> InstData {
        let mut data = InstData::new(Opcode::Target(opcode), [Operand::Imm(0), Operand::Imm(0)]);
        self.add_implicit(&mut data, opcode);
        data
    }

    /// The call of a runtime function whose arguments stand in their registers.
    pub fn runtime_call(
        &self,
        function: &mut Function,
        calls: &Calls,
        callee: &RuntimeFunction,
        signature: &Signature,
    ) -> InstData {
        let base = AddressBase::External(function.intern(callee.name));
        let callee = function.address(AddressData { base, offset: 0, flags: calls.callee_flags });
        let mut data =
            InstData::new(Opcode::Target(calls.opcode), [callee, Operand::RegisterMask(calls.preserved_mask)]);
        self.add_implicit(&mut data, calls.opcode);
        data.operands.extend(signature.arguments.iter().copied().flatten().copied().map(Operand::implicit_use));
        data.operands.extend(signature.results.iter().copied().map(Operand::implicit_def));
        data
    }

    pub(crate) fn add_implicit(&self, data: &mut InstData, opcode: TargetOpcode) {
        let row = self.instruction(opcode);
        data.operands.extend(row.implicit_defs.iter().copied().map(Operand::implicit_def));
        data.operands.extend(row.implicit_uses.iter().copied().map(Operand::implicit_use));
    }

    /// Evaluates a call, which leaves memory untouched: its results, and arbitrary values in the other caller-saved
    /// registers. `read` gives the value of a full register before it.
    pub fn evaluate_call<D: Domain>(
        &self,
        domain: &mut D,
        function: &Function,
        data: &InstData,
        mut read: impl FnMut(&mut D, PReg) -> Value<D>,
    ) -> Result<CallEvaluation<D>, Unsupported> {
        let unsupported = || {
            let name = function.callee(data).map(|base| print_base(function, base));
            Unsupported::new(format!("call of {}", name.as_deref().unwrap_or("an unknown function")))
        };
        let callee = self.runtime_callee(function, data).ok_or_else(unsupported)?;
        let signature = self.signature(callee).ok_or_else(unsupported)?;
        let arguments = signature.arguments.map(|registers| {
            let parts: Vec<Value<D>> = registers.iter().map(|&register| read(domain, register)).collect();
            joined(domain, &parts)
        });
        let evaluation = callee.evaluate(domain, &arguments)?;
        let mut registers = Vec::with_capacity(self.abi.caller_saved.len());
        if let Some(result) = evaluation.results.first() {
            for (index, &register) in (0..).zip(signature.results) {
                let width = u32::from(self.pointer_bits);
                let bits = domain.extract(&result.bits, index * width, width);
                registers.push((register, Value { bits, poison: result.poison.clone() }));
            }
        }
        for &register in self.abi.caller_saved.iter().filter(|register| !signature.results.contains(register)) {
            let bits = domain.choose(self.vocabulary.register_bits(register));
            registers.push((register, Value { bits, poison: domain.boolean(false) }));
        }
        Ok(CallEvaluation { registers, ub: evaluation.ub })
    }
}

/// The symbol that a call calls: `__udivti3`.
pub fn symbol<'f>(function: &'f Function, data: &InstData) -> Option<&'f str> {
    function.symbol_name(function.callee(data)?)
}

/// Joins parts, lowest first; there is at least one.
fn joined<D: Domain>(domain: &mut D, parts: &[Value<D>]) -> Value<D> {
    let mut all = parts.iter().cloned();
    let first = all.next().unwrap_or_else(|| Value { bits: domain.literal(0, 1), poison: domain.boolean(false) });
    all.fold(first, |low, high| Value {
        bits: domain.concat(&high.bits, &low.bits),
        poison: domain.bool_or(&low.poison, &high.poison),
    })
}
