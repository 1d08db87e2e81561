//! The engine that executes: Unicorn, or the machine stepper.

use super::accesses::{MisalignedAccess, RawAccess};
use super::engines::EngineDesc;
use super::stepper::Stepper;
use super::{MachineError, NOWHERE, STOP};
use unicorn_engine::{Prot, Unicorn, uc_error};

/// The engine that executes.
pub(super) enum MachineEngine {
    Unicorn(Box<Unicorn<'static, Running>>),
    Stepper(Box<Stepper>),
}

/// A run that is under way.
#[derive(Default)]
pub(super) struct Running {
    /// Instructions that the engine may yet take.
    pub fuel: u64,
    pub accesses: Vec<RawAccess>,
    /// The first access that is not aligned, where that matters.
    pub misaligned: Option<MisalignedAccess>,
}

/// Bytes of an instruction. Two compressed ones count as one.
const INSTRUCTION_BYTES: u32 = 4;

/// An engine that stops at [`STOP`], and before a block for which the fuel does not suffice.
pub(super) fn unicorn(row: &EngineDesc) -> Result<Unicorn<'static, Running>, MachineError> {
    let mut engine = Unicorn::new_with_data(row.arch, row.mode, Running::default())?;
    if let Some(model) = row.model {
        engine.ctl_set_cpu_model(model.into())?;
    }
    engine.add_block_hook(1, 0, |engine, address, bytes| {
        let taken = u64::from(bytes.div_ceil(INSTRUCTION_BYTES));
        let left = engine.get_data().fuel;
        engine.get_data_mut().fuel = left.saturating_sub(taken);
        if address == STOP || left < taken {
            // It stops at the next chance; the place where it stops shows that it did not return.
            let _ = engine.emu_stop();
        }
    })?;
    Ok(engine)
}

/// The way in which an engine stopped.
pub(super) enum Stop {
    /// At the stop address, or out of fuel.
    Still,
    Memory,
    Illegal,
    Misaligned(MisalignedAccess),
    /// The unwinder's table is wrong there.
    Unwinding,
}

impl MachineEngine {
    pub fn map(&mut self, address: u64, bytes: u64, permissions: Prot) -> Result<(), MachineError> {
        match self {
            MachineEngine::Unicorn(engine) => Ok(engine.mem_map(address, bytes, permissions)?),
            MachineEngine::Stepper(stepper) => {
                stepper.map(address, bytes, permissions);
                Ok(())
            }
        }
    }

    pub fn unmap(&mut self, address: u64, bytes: u64) -> Result<(), MachineError> {
        match self {
            MachineEngine::Unicorn(engine) => Ok(engine.mem_unmap(address, bytes)?),
            MachineEngine::Stepper(stepper) => {
                stepper.unmap(address);
                Ok(())
            }
        }
    }

    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), MachineError> {
        match self {
            MachineEngine::Unicorn(engine) => Ok(engine.mem_write(address, bytes)?),
            MachineEngine::Stepper(stepper) => Ok(stepper.write(address, bytes)?),
        }
    }

    pub fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), MachineError> {
        match self {
            MachineEngine::Unicorn(engine) => Ok(engine.mem_read(address, bytes)?),
            MachineEngine::Stepper(stepper) => Ok(stepper.read(address, bytes)?),
        }
    }

    /// Runs from `start` to [`STOP`]; returns the place where it stopped.
    pub fn run(&mut self, start: u64, fuel: u64) -> Result<(Stop, u64), MachineError> {
        match self {
            MachineEngine::Unicorn(engine) => {
                engine.get_data_mut().fuel = fuel;
                let ended = engine.emu_start(start, NOWHERE, 0, 0);
                let pc = engine.pc_read()?;
                let ended = match (engine.get_data_mut().misaligned.take(), ended) {
                    (Some(access), _) => Stop::Misaligned(access),
                    (None, Ok(())) if pc == NOWHERE => Stop::Memory,
                    (None, Ok(())) => Stop::Still,
                    (None, Err(error)) if is_memory(error) => Stop::Memory,
                    (None, Err(_)) => Stop::Illegal,
                };
                Ok((ended, pc))
            }
            MachineEngine::Stepper(stepper) => Ok(stepper.run(start, STOP, fuel)),
        }
    }
}

fn is_memory(error: uc_error) -> bool {
    use uc_error::*;
    matches!(
        error,
        READ_UNMAPPED
            | WRITE_UNMAPPED
            | FETCH_UNMAPPED
            | WRITE_PROT
            | READ_PROT
            | FETCH_PROT
            | READ_UNALIGNED
            | WRITE_UNALIGNED
    )
}
