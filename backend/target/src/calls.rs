//! Calls: how one is written and read. The conventions are data, in `<isa>/abi.rs`; `environment.rs` has the effects.

use crate::Target;
use crate::abi::{CallKind, Calls};
use crate::runtime::{AtomicFunction, RuntimeFunction};
use smallvec::{SmallVec, smallvec};
use tribunal_ir::{AddressBase, AddressData, Function, InstData, Opcode, OpcodeFlags, Operand, PReg, RegMask, TargetOpcode};

/// The registers of a runtime function's arguments and result.
pub struct Signature {
    /// The registers of each operand, low part first.
    pub arguments: SmallVec<[&'static [PReg]; 3]>,
    /// The registers of the result, low part first.
    pub results: &'static [PReg],
}

impl Target {
    /// `None` if values of the function's type are not passed in whole registers here.
    pub fn signature(&self, function: &RuntimeFunction) -> Option<Signature> {
        let register = u32::from(self.pointer_bits);
        if !function.bits.is_multiple_of(register) {
            return None;
        }
        let count = (function.bits / register) as usize;
        self.signature_of(&[count; 2], count)
    }

    /// The same of an operation on memory: values narrower than a register are its low bits. `None` if the registers do
    /// not suffice.
    pub fn atomic_signature(&self, function: &AtomicFunction) -> Option<Signature> {
        let count = function.bits.div_ceil(self.pointer_bits.into()) as usize;
        let mut counts: SmallVec<[usize; 3]> = smallvec![count; function.values()];
        counts.push(1);
        self.signature_of(&counts, count)
    }

    /// The registers of arguments and of a result that take so many each.
    fn signature_of(&self, arguments: &[usize], result: usize) -> Option<Signature> {
        Some(Signature { arguments: self.abi.places(arguments)?.into(), results: self.abi.results().get(..result)? })
    }

    /// True for an instruction that calls.
    pub fn is_call(&self, data: &InstData) -> bool {
        self.has_flags(data, OpcodeFlags::CALL)
    }

    /// The way in which an instruction calls; `None` if it does not.
    pub fn call_kind(&self, data: &InstData) -> Option<CallKind> {
        let leaves = self.has_flags(data, OpcodeFlags::RETURN);
        self.is_call(data).then_some(if leaves { CallKind::Tail } else { CallKind::Returning })
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

    /// `ADJCALLSTACKDOWN 16, 0` or `ADJCALLSTACKUP 16, 0` for so many bytes of stack arguments, with the operands that
    /// its row asks for.
    pub fn call_frame(&self, opcode: TargetOpcode, bytes: u64) -> InstData {
        let mut data = InstData::new(Opcode::Target(opcode), [Operand::Imm(bytes as i64), Operand::Imm(0)]);
        self.add_implicit(&mut data, opcode);
        data
    }

    /// The call of a library function, by its symbol, whose arguments stand in their registers.
    pub fn library_call(
        &self,
        function: &mut Function,
        symbol: &str,
        mask: RegMask,
        arguments: impl IntoIterator<Item = PReg>,
        results: &[PReg],
    ) -> Option<InstData> {
        let base = AddressBase::External(function.intern(symbol));
        Some(self.call(function, (self.abi.calls.as_ref()?, mask), base, arguments, results))
    }

    /// The call of `callee`, with the registers of its arguments and results.
    pub fn call(
        &self,
        function: &mut Function,
        (calls, mask): (&Calls, RegMask),
        callee: AddressBase,
        arguments: impl IntoIterator<Item = PReg>,
        results: &[PReg],
    ) -> InstData {
        let callee = function.address(AddressData { base: callee, offset: 0, flags: calls.callee_flags });
        let mut data =
            InstData::new(Opcode::Target(calls.opcode), [callee, Operand::RegisterMask(mask)]);
        self.add_implicit(&mut data, calls.opcode);
        data.operands.extend(arguments.into_iter().map(Operand::implicit_use));
        data.operands.extend(results.iter().copied().map(Operand::implicit_def));
        data
    }

    /// The call of `callee` in place of a return, with the registers of its arguments.
    pub fn tail_call(
        &self,
        function: &mut Function,
        (calls, mask): (&Calls, RegMask),
        callee: AddressBase,
        arguments: impl IntoIterator<Item = PReg>,
    ) -> InstData {
        let callee = function.address(AddressData { base: callee, offset: 0, flags: calls.callee_flags });
        let mut data = InstData::new(Opcode::Target(calls.tail), [callee]);
        let immediates = self.instruction(calls.tail).operands.iter().filter(|operand| operand.range().is_some());
        data.operands.extend(immediates.map(|_| Operand::Imm(0)));
        data.operands.push(Operand::RegisterMask(mask));
        self.add_implicit(&mut data, calls.tail);
        data.operands.extend(arguments.into_iter().map(Operand::implicit_use));
        data
    }

    pub(crate) fn add_implicit(&self, data: &mut InstData, opcode: TargetOpcode) {
        let row = self.instruction(opcode);
        data.operands.extend(row.implicit_defs.iter().copied().map(Operand::implicit_def));
        data.operands.extend(row.implicit_uses.iter().copied().map(Operand::implicit_use));
    }
}

/// The symbol that a call calls: `__udivti3`.
pub fn symbol<'f>(function: &'f Function, data: &InstData) -> Option<&'f str> {
    function.symbol_name(function.callee(data)?)
}
