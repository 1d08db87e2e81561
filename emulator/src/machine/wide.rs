//! Registers that a machine has in another width than 64 bits. The engines read and write wider ones apart from the
//! others.

use super::{Emulator, MachineEngine, MachineError, before_run};
use tribunal_ir::PReg;
use tribunal_target::Features;

impl Emulator {
    /// The same, for code of a machine with these features.
    #[must_use]
    pub fn with_features(mut self, features: Features) -> Emulator {
        self.set_features(features);
        self
    }

    /// From now on runs code of a machine with these features: where it has but a part of a register that boxes, the
    /// caller's number in it is boxed.
    pub fn set_features(&mut self, features: Features) {
        for kept in &mut self.kept {
            let Some(bank) = self.target.bank_of(kept.register).filter(|&bank| self.target.bank(bank).boxes) else {
                continue;
            };
            let bits = self.target.class(self.target.whole_class(bank, features)).bits;
            kept.value = before_run(self.target, kept.register) | u64::MAX.checked_shl(bits).unwrap_or(0);
            if let Ok(place) = self.registers.binary_search(&kept.register) {
                self.canaries[place] = kept.value;
            }
        }
    }

    /// True for a register that is wider than the engines' usual accesses.
    pub(super) fn is_wide(&self, register: PReg) -> bool {
        self.target.vocabulary.register_bits(register) > u64::BITS
    }

    /// All of a full register that is wide, else what [`Emulator::read`] reads.
    pub(super) fn contents(&self, register: PReg) -> Result<u128, MachineError> {
        match (&self.engine, self.row.and_then(|row| row.wide_number(register))) {
            _ if !self.is_wide(register) => self.read(register).map(u128::from),
            (MachineEngine::Stepper(stepper), _) => Ok(stepper.contents(register)),
            (MachineEngine::Unicorn(engine), Some(number)) => {
                let bytes = engine.reg_read_long(number)?;
                Ok(bytes.iter().rev().fold(0, |value, &byte| value << u8::BITS | u128::from(byte)))
            }
            (MachineEngine::Unicorn(_), None) => Ok(0),
        }
    }

    /// Writes all of a full register.
    pub(super) fn set_contents(&mut self, register: PReg, value: u128) -> Result<(), MachineError> {
        let number = self.row.and_then(|row| row.wide_number(register));
        match (self.is_wide(register), &mut self.engine, number) {
            (false, ..) => self.write(register, value as u64),
            (true, MachineEngine::Stepper(stepper), _) => {
                stepper.set_contents(register, value);
                Ok(())
            }
            (true, MachineEngine::Unicorn(engine), Some(number)) => {
                Ok(engine.reg_write_long(number, &value.to_le_bytes())?)
            }
            (true, MachineEngine::Unicorn(_), None) => Ok(()),
        }
    }
}
