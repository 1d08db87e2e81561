//! Calls: how one is written and read. The conventions are data, in `<isa>/abi.rs`; `environment.rs` has the effects.

use crate::Target;
use crate::abi::{CallKind, Calls, Pairs};
use crate::runtime::{AtomicFunction, RuntimeFunction, RuntimeType};
use smallvec::{SmallVec, smallvec};
use tribunal_ir::{
    AddressBase, AddressData, Function, InstData, Opcode, OpcodeFlags, Operand, PReg, RegMask, TargetOpcode, VReg,
};

/// The place that a call goes to.
#[derive(Clone, Copy)]
pub enum CalleeOperand {
    /// A function by its name.
    Symbol(AddressBase),
    /// The address in a register.
    Register(VReg),
}

/// A value that a call passes or returns.
pub struct PassedValue {
    /// The registers that hold it, low part first; of a value that is passed by reference, its address.
    pub registers: SmallVec<[PReg; 2]>,
    /// Its width in bits, which may be less than theirs.
    pub bits: u32,
    /// True if it lies in memory: the callee may change an argument there, and writes a result.
    pub by_reference: bool,
}

/// The registers of a runtime function's arguments and result.
pub struct Signature {
    /// The operands, in order.
    pub arguments: SmallVec<[PassedValue; 3]>,
    /// The result.
    pub result: PassedValue,
}

impl Signature {
    /// The values that the caller hands over, in order; the place of a result that is passed by reference comes first.
    pub fn passed(&self) -> impl Iterator<Item = &PassedValue> {
        Some(&self.result).filter(|result| result.by_reference).into_iter().chain(&self.arguments)
    }

    /// The registers in which the callee returns; none if the result lies in memory.
    pub fn returned(&self) -> &[PReg] {
        if self.result.by_reference { &[] } else { &self.result.registers }
    }
}

/// The narrowest part, in bits, of a register that boxes. Not every machine with such registers moves narrower ones;
/// the box around a narrower number goes on in the part's own high bits.
const LEAST_BOXED: u32 = 32;

/// The registers of general values and of numbers that are given out so far.
struct Given<'t> {
    target: &'t Target,
    /// The widest number that goes into a register of its own kind.
    float_bits: u32,
    general: usize,
    floats: usize,
}

impl Given<'_> {
    /// The next registers of these two lists for a value. No more than two hold one: a wider number is passed by
    /// reference, and no library has functions of wider integers.
    fn next(&mut self, ty: RuntimeType, general: &[PReg], floats: &[PReg]) -> Option<PassedValue> {
        let bits = ty.bits();
        if let RuntimeType::Float(bits) = ty
            && bits <= self.float_bits
        {
            let full = *floats.get(self.floats)?;
            let boxes = self.target.bank_of(full).is_some_and(|bank| self.target.bank(bank).boxes);
            let register = self.target.part_of(full, if boxes { bits.max(LEAST_BOXED) } else { bits });
            self.floats += 1;
            return Some(PassedValue { registers: smallvec![register], bits, by_reference: false });
        }
        let parts = bits.div_ceil(self.target.pointer_bits.into()) as usize;
        let by_reference = parts > 2 && matches!(ty, RuntimeType::Float(_));
        let count = if by_reference { 1 } else { parts };
        if self.target.abi.pairs == Pairs::Even && count == 2 {
            self.general += self.general % 2;
        }
        let registers = general.get(self.general..self.general + count).filter(|_| count <= 2)?;
        self.general += count;
        Some(PassedValue { registers: registers.into(), bits, by_reference })
    }
}

impl Calls {
    /// The opcode and the first operand of a call, by the opcode for a name and the one for an address.
    fn callee(
        &self,
        function: &mut Function,
        callee: CalleeOperand,
        [named, indirect]: [TargetOpcode; 2],
    ) -> (TargetOpcode, Operand) {
        match callee {
            CalleeOperand::Symbol(base) => {
                (named, function.address(AddressData { base, offset: 0, flags: self.callee_flags }))
            }
            CalleeOperand::Register(address) => (indirect, Operand::used(address)),
        }
    }
}

impl Target {
    /// The registers of a function of the library, called with this mask, which tells the convention of numbers. `None`
    /// if not all values are passed in registers.
    pub fn signature(&self, function: &RuntimeFunction, mask: Option<RegMask>) -> Option<Signature> {
        self.signature_of(function.arguments.iter().copied(), function.result, mask)
    }

    /// The same of an operation on memory: values narrower than a register are its low bits. One without a result has
    /// no register for it.
    pub fn atomic_signature(&self, function: &AtomicFunction) -> Option<Signature> {
        let pointer_bits = self.pointer_bits.into();
        let arguments = function.arguments().iter().map(|&argument| function.bits_of(argument, pointer_bits));
        self.signature_of(arguments.map(RuntimeType::Integer), RuntimeType::Integer(function.result_bits()), None)
    }

    fn signature_of(
        &self,
        arguments: impl Iterator<Item = RuntimeType>,
        result: RuntimeType,
        mask: Option<RegMask>,
    ) -> Option<Signature> {
        let float_bits = self.float_bits(mask);
        let given = || Given { target: self, float_bits, general: 0, floats: 0 };
        let (general, floats) = (self.abi.passing.first()?, self.abi.passing.get(1));
        let [of_arguments, of_results] = [floats.map(|own| own.arguments), floats.map(|own| own.results)];
        let mut passed = given();
        let mut argument = |ty| passed.next(ty, general.arguments, of_arguments.unwrap_or_default());
        let mut result_place = given().next(result, general.results, of_results.unwrap_or_default())?;
        if result_place.by_reference {
            result_place = argument(result)?;
        }
        let arguments = arguments.map(argument).collect::<Option<_>>()?;
        Some(Signature { arguments, result: result_place })
    }

    /// The widest number that a call with this mask passes in registers of floating point: what the mask says, or where
    /// all conventions are one, what a register of theirs holds.
    fn float_bits(&self, mask: Option<RegMask>) -> u32 {
        let is_one = self.abi.calls.as_ref().is_none_or(|calls| calls.floats.is_empty());
        match mask.and_then(|mask| self.passed_float_bits(mask)) {
            Some(bits) => bits,
            None if is_one => self.abi.passing.get(1).map_or(0, |passing| self.bank(passing.bank).max_bits),
            None => 0,
        }
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
        Some(self.call(function, (self.abi.calls.as_ref()?, mask), CalleeOperand::Symbol(base), arguments, results))
    }

    /// The call of `callee`, with the registers of its arguments and results.
    pub fn call(
        &self,
        function: &mut Function,
        (calls, mask): (&Calls, RegMask),
        callee: CalleeOperand,
        arguments: impl IntoIterator<Item = PReg>,
        results: &[PReg],
    ) -> InstData {
        let (opcode, callee) = calls.callee(function, callee, [calls.opcode, calls.indirect]);
        let mut data = InstData::new(Opcode::Target(opcode), [callee, Operand::RegisterMask(mask)]);
        self.add_implicit(&mut data, opcode);
        data.operands.extend(arguments.into_iter().map(Operand::implicit_use));
        data.operands.extend(results.iter().copied().map(Operand::implicit_def));
        data
    }

    /// The call of `callee` in place of a return, with the registers of its arguments.
    pub fn tail_call(
        &self,
        function: &mut Function,
        (calls, mask): (&Calls, RegMask),
        callee: CalleeOperand,
        arguments: impl IntoIterator<Item = PReg>,
    ) -> InstData {
        let (opcode, callee) = calls.callee(function, callee, [calls.tail, calls.indirect_tail]);
        let mut data = InstData::new(Opcode::Target(opcode), [callee]);
        let immediates = self.instruction(opcode).operands.iter().filter(|operand| operand.range().is_some());
        data.operands.extend(immediates.map(|_| Operand::Imm(0)));
        data.operands.push(Operand::RegisterMask(mask));
        self.add_implicit(&mut data, opcode);
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

/// The mask of the registers that a call preserves.
pub fn mask(data: &InstData) -> Option<RegMask> {
    data.operands.iter().find_map(|operand| match operand {
        Operand::RegisterMask(mask) => Some(*mask),
        _ => None,
    })
}
