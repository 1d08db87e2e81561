//! Promises of machine instructions in a run that believes them, as [`tribunal_target::promises`] defines them. Several
//! generic operations may give the same result: each of them counts, or only what all of them say.

use super::numbers::Numbers;
use super::{Interpreter, SingleRun, value_of};
use smallvec::SmallVec;
use tribunal_ir::semantics::walk::{self, Transfer};
use tribunal_ir::semantics::{Domain, Pure, Unsupported, Value};
use tribunal_ir::{InstData, InstFlags, Opcode, Reg, VReg};
use tribunal_target::promises::{self, PromiseReading, Promises};

impl<'f> Interpreter<'f> {
    /// The same with promises of machine instructions. If they are believed, a run in which one is broken returns
    /// poison at most. If only what is certain counts, a broken promise made the poison that a run returns.
    pub fn with_promises(self, promises: Promises) -> Interpreter<'f> {
        Interpreter { promises, ..self }
    }
}

impl<D: Numbers> SingleRun<'_, D> {
    /// [`walk::execute`], after which the promises of a truncation that are believed are kept. An instruction that is
    /// read as it stands may make a register of a part.
    pub(super) fn walking(&mut self, data: &InstData) -> Result<Option<Transfer<D>>, Unsupported> {
        match data.opcode {
            Opcode::OPAQUE => tribunal_target::execute(self.target, self, data),
            _ if promises::is_truncation(data) => self.believing(data),
            _ => walk::execute(self, data),
        }
    }

    /// [`tribunal_target::execute`], after which promises that are believed are kept.
    pub(super) fn believing(&mut self, data: &InstData) -> Result<Option<Transfer<D>>, Unsupported> {
        let promise = self.promise(data)?;
        let transfer = tribunal_target::execute(self.target, self, data)?;
        promise.map(|args| self.keep_promise(data, &args)).transpose()?;
        Ok(transfer)
    }

    /// The operands of a machine instruction whose promises are believed, before it writes.
    fn promise(&mut self, data: &InstData) -> Result<Option<SmallVec<[Value<D>; 4]>>, Unsupported> {
        if self.promises == Promises::Ignored || (data.flags & InstFlags::PROMISES).is_empty() {
            return Ok(None);
        }
        let bits = data
            .vreg_defs()
            .next()
            .map_or(0, |register| walk::register_bits(self.function, self.target.vocabulary, register));
        promises::operands(self.target, self, data, bits).map(Some)
    }

    /// Makes the result poison where a promise may be broken, or is.
    fn keep_promise(&mut self, data: &InstData, args: &[Value<D>]) -> Result<(), Unsupported> {
        let Some(register) = data.vreg_defs().next() else { return Ok(()) };
        let mut result = value_of(&self.registers, register)?.clone();
        let flags = data.flags & InstFlags::PROMISES;
        let is_same = |one: &D::Bits, other: &D::Bits| one.value == other.value;
        let of_each = promises::broken(&mut self.domain, &mut Pure, flags, args, &result.bits, is_same);
        let broken = match self.promises {
            Promises::Certain => {
                let meant = self.meant(data, register, of_each)?;
                if meant.is_empty() { self.domain.boolean(false) } else { all(&mut self.domain, &meant) }
            }
            _ => any(&mut self.domain, &of_each.into_iter().map(|(_, broken)| broken).collect::<Vec<_>>()),
        };
        result = result.poison_where(&mut self.domain, &broken);
        self.registers[register.as_u32() as usize] = Some(result);
        Ok(())
    }

    /// What those readings say that give the instruction's result on other operands too: on one pair another operation
    /// may happen to, as the sum of a number with the least one happens to be the difference.
    fn meant(
        &mut self,
        data: &InstData,
        register: VReg,
        mut readings: SmallVec<[(PromiseReading, D::Bool); 2]>,
    ) -> Result<Vec<D::Bool>, Unsupported> {
        let saved = (self.registers.clone(), self.physical.clone());
        for probe in PROBES {
            let registers = data.uses().filter(|operand| operand.reg.as_virtual().is_some());
            for (operand, number) in registers.zip(probe) {
                let Reg::Virtual(register) = operand.reg else { continue };
                let bits = walk::register_bits(self.function, self.target.vocabulary, register);
                let number = Value::new(self.domain.literal(number, bits), self.domain.boolean(false));
                self.registers[register.as_u32() as usize] = Some(number);
            }
            let args = self.promise(data)?.unwrap_or_default();
            match promises::is_truncation(data) {
                true => walk::execute(self, data)?,
                false => tribunal_target::execute(self.target, self, data)?,
            };
            let result = value_of(&self.registers, register)?.bits;
            let domain = &mut self.domain;
            // Where an operation is undefined, as a shift by too much, it says nothing.
            readings.retain(|(reading, _)| {
                reading.result(domain, &mut Pure, &args, &result).is_none_or(|value| {
                    let may_be_poison = value.poison.value || value.poison.unknown;
                    may_be_poison || value.bits.value == result.value
                })
            });
            (self.registers, self.physical) = saved.clone();
        }
        Ok(readings.into_iter().map(|(_, broken)| broken).collect())
    }
}

/// Operands on which operations differ: two numbers, or a number and a small amount.
const PROBES: [[i64; 2]; 4] = [
    [0x1234_5678_9abc_def1, 0x0fed_cba9_1765_4321],
    [-0x1234_5678_6543_210f, 0x0000_0071_3579_bdf3],
    [0x1234_5678_9abc_def1, 3],
    [3, -0x1234_5678_6543_210f],
];

fn any<D: Domain>(domain: &mut D, conditions: &[D::Bool]) -> D::Bool {
    let none = domain.boolean(false);
    conditions.iter().fold(none, |any, condition| domain.bool_or(&any, condition))
}

fn all<D: Domain>(domain: &mut D, conditions: &[D::Bool]) -> D::Bool {
    let every = domain.boolean(true);
    conditions.iter().fold(every, |all, condition| domain.bool_and(&all, condition))
}
