//! The runtime library as machine code sees it: unmapped addresses. A run that arrives at one has called the function.
//!
//! The emulator then checks the state on which a callee relies, and computes the function by its one meaning. It
//! returns with the least that the calling convention guarantees: every caller-saved register and the memory below the
//! stack pointer hold junk.

use super::{CODE, Emulator, MachineError, MachineFault, STACK, STACK_BYTES, fitting};
use crate::input::clobbered;
use tribunal_ir::Bits;
use tribunal_ir::semantics::{Choice, Concrete, Value};
use tribunal_target::Target;
use tribunal_target::runtime::{FUNCTIONS, RuntimeFunction};

/// The address of the first function, and the distance between functions. Calls in the code reach them; nothing else is
/// near.
const FIRST: u64 = 0x0090_0000;
const APART: u64 = 0x100;
/// Bytes below the stack pointer that a callee writes.
const CALLEE_BYTES: u64 = 256;

/// A call in the code: its offset in bytes, and the symbol that it calls.
#[derive(Clone, Copy, Debug)]
pub struct CallSite<'a> {
    /// The call's offset in the code, in bytes.
    pub offset: u32,
    /// The runtime function that is called.
    pub symbol: &'a str,
}

/// The function at `address`.
pub(super) fn at(address: u64) -> Option<&'static RuntimeFunction> {
    let offset = address.checked_sub(FIRST).filter(|offset| offset % APART == 0)?;
    FUNCTIONS.get(usize::try_from(offset / APART).ok()?)
}

fn address(symbol: &str) -> Option<u64> {
    let index = FUNCTIONS.iter().position(|function| function.name == symbol)?;
    Some(FIRST + APART * index as u64)
}

/// Writes the distances into the calls, as a linker does; returns the calls' return addresses. The error is a symbol
/// that is no function of the library, or a site without a call.
pub(super) fn link(target: &Target, code: &mut [u8], sites: &[CallSite<'_>]) -> Result<Vec<u64>, MachineError> {
    let mut returns = Vec::with_capacity(sites.len());
    for site in sites {
        let unknown = || MachineError::Symbol(site.symbol.to_string());
        let here = CODE + u64::from(site.offset);
        let distance = address(site.symbol).ok_or_else(unknown)?.wrapping_sub(here) as i64;
        let (unlinked, linked) = (target.machine.call(0), target.machine.call(distance));
        let mut offset = site.offset as usize;
        for (unlinked, linked) in unlinked.iter().zip(&linked) {
            let word = |inst| target.encode(inst).map(u32::to_le_bytes).map_err(|_| unknown());
            let place =
                code.get_mut(offset..offset + 4).filter(|place| word(unlinked).is_ok_and(|word| **place == word));
            place.ok_or(MachineError::NoCall(site.offset))?.copy_from_slice(&word(linked)?);
            offset += 4;
        }
        returns.push(CODE + offset as u64);
    }
    Ok(returns)
}

impl Emulator {
    /// Performs `callee`, the `count`th call of this run; returns the address to continue at, or the caller's fault.
    pub(super) fn serve(
        &mut self,
        callee: &RuntimeFunction,
        count: u64,
    ) -> Result<Result<u64, MachineFault>, MachineError> {
        let (target, abi) = (self.target, self.target.abi);
        let stack_pointer = self.read(abi.stack_pointer)?;
        if !stack_pointer.is_multiple_of(abi.stack_align.into()) {
            return Ok(Err(MachineFault::StackAlignment));
        }
        let back = self.read(abi.return_address)?;
        let below =
            stack_pointer.checked_sub(CALLEE_BYTES).filter(|&low| low >= STACK && stack_pointer < STACK + STACK_BYTES);
        let (Some(low), true) = (below, self.returns.contains(&back)) else {
            return Ok(Err(MachineFault::BadCall { callee: callee.name }));
        };
        self.engine.write(low, &[0x5a; CALLEE_BYTES as usize])?;
        let symbol = || MachineError::Symbol(callee.name.to_string());
        let signature = target.signature(callee).ok_or_else(symbol)?;
        let mut arguments = Vec::with_capacity(2);
        for registers in signature.arguments {
            let mut value = 0u128;
            for &register in registers.iter().rev() {
                value = value << target.pointer_bits | u128::from(self.read(register)?);
            }
            arguments.push(Value { bits: Bits::new(value, callee.bits), poison: false });
        }
        let arguments: [Value<Concrete>; 2] = arguments.try_into().map_err(|_| symbol())?;
        let mut domain = Concrete { choice: Choice::Zeros };
        // Where it is undefined, so is the source, and the run is not judged.
        let evaluation = callee.evaluate(&mut domain, &arguments).map_err(|_| symbol())?;
        let result = evaluation.results.first().map_or(0, |value| value.bits.unsigned());
        for &register in abi.caller_saved {
            let returned = signature.results.iter().position(|&result| result == register);
            let value = match returned {
                Some(index) => (result >> (index * usize::from(target.pointer_bits))) as u64,
                None => fitting(target, clobbered(register, count)),
            };
            self.write(register, value)?;
        }
        Ok(Ok(back))
    }
}
