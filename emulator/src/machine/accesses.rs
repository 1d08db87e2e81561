//! The accesses of a run: their alignment, where the machine asks for one, and their sequence in buffers. Both
//! are looked at on demand, since a hook makes every access slow.

use super::conventions::{self, AccessRule};
use super::engine::{MachineEngine, Running};
use super::{Emulator, MachineError};
use crate::input::{BUFFER_PAGES, BUFFERS, Buffer, Input, PAGE};
use crate::observation::{BufferAccess, Known};
use unicorn_engine::{HookType, MemType, UcHookId, Unicorn};

/// An access whose address is no multiple of its size.
#[derive(Clone, Copy)]
pub(super) struct MisalignedAccess {
    pub address: u64,
    pub bytes: u32,
}

impl MisalignedAccess {
    /// `None` if the address is aligned.
    pub fn at(address: u64, bytes: u32) -> Option<MisalignedAccess> {
        (!address.is_multiple_of(bytes.max(1).into())).then_some(MisalignedAccess { address, bytes })
    }
}

/// Stops the engine at an access that is not aligned.
fn watched(engine: &mut Unicorn<'static, Running>) -> Result<UcHookId, MachineError> {
    let kinds = HookType::MEM_READ | HookType::MEM_WRITE;
    let hook = engine.add_mem_hook(kinds, 0, u64::MAX, |engine, _, address, bytes, _| {
        if let Some(access) = MisalignedAccess::at(address, bytes as u32) {
            engine.get_data_mut().misaligned.get_or_insert(access);
            // It stops at the next chance; the access is reported whatever else follows.
            let _ = engine.emu_stop();
        }
        true
    });
    Ok(hook?)
}

/// An access as the machine makes it.
pub(super) struct RawAccess {
    pub address: u64,
    pub bytes: u32,
    /// `None` for a load.
    pub stored: Option<u64>,
}

impl RawAccess {
    /// `None` if it is outside of the buffers of `input`.
    fn in_buffer(&self, input: &Input) -> Option<BufferAccess> {
        let stored = self.stored.map(|value| Known { value: value.into(), unknown: 0 });
        let offset = |buffer: &Buffer| {
            self.address.checked_sub(buffer.address).filter(|&offset| offset < buffer.bytes.len() as u64)
        };
        let (buffer, offset) =
            input.buffers.iter().enumerate().find_map(|(number, buffer)| Some((number, offset(buffer)?)))?;
        Some(BufferAccess { buffer, offset, bytes: self.bytes, stored, is_divisible: false })
    }
}

fn hooked(engine: &mut Unicorn<'static, Running>) -> Result<UcHookId, MachineError> {
    let (kinds, end) = (HookType::MEM_READ | HookType::MEM_WRITE, BUFFERS + BUFFER_PAGES * PAGE - 1);
    let hook = engine.add_mem_hook(kinds, BUFFERS, end, |engine, kind, address, bytes, value| {
        let mask = u64::MAX >> 64usize.saturating_sub(8 * bytes);
        let stored = (kind == MemType::WRITE).then_some(value as u64 & mask);
        engine.get_data_mut().accesses.push(RawAccess { address, bytes: bytes as u32, stored });
        true
    });
    Ok(hook?)
}

impl Emulator {
    /// Whether accesses that are not aligned are faults in Unicorn, on a machine that may trap there. The stepper
    /// always looks. It takes effect for code loaded from now on.
    pub fn watch_alignment(&mut self, wanted: bool) -> Result<(), MachineError> {
        let wanted = wanted && conventions::accesses(self.target) == AccessRule::Aligned;
        match &mut self.engine {
            MachineEngine::Unicorn(engine) if wanted && self.watcher.is_none() => self.watcher = Some(watched(engine)?),
            MachineEngine::Unicorn(engine) if !wanted => {
                if let Some(hook) = self.watcher.take() {
                    engine.remove_hook(hook)?;
                }
            }
            MachineEngine::Unicorn(_) | MachineEngine::Stepper(_) => {}
        }
        Ok(())
    }

    /// Whether runs record their accesses to buffers. It takes effect for code loaded from now on.
    pub fn record_accesses(&mut self, wanted: bool) -> Result<(), MachineError> {
        match &mut self.engine {
            MachineEngine::Stepper(stepper) => stepper.record_accesses(wanted),
            MachineEngine::Unicorn(engine) if wanted && self.recorder.is_none() => {
                self.recorder = Some(hooked(engine)?)
            }
            MachineEngine::Unicorn(engine) if !wanted => {
                if let Some(hook) = self.recorder.take() {
                    engine.remove_hook(hook)?;
                }
            }
            MachineEngine::Unicorn(_) => {}
        }
        Ok(())
    }

    /// Records an access of a callee, as if code had made it.
    pub(super) fn made_access(&mut self, access: RawAccess) {
        match &mut self.engine {
            MachineEngine::Unicorn(engine) if self.recorder.is_some() => engine.get_data_mut().accesses.push(access),
            MachineEngine::Unicorn(_) => {}
            MachineEngine::Stepper(stepper) => stepper.made_access(access),
        }
    }

    /// Accesses since the last call, those to buffers of `input`.
    pub(super) fn take_accesses(&mut self, input: &Input) -> Vec<BufferAccess> {
        let accesses = match &mut self.engine {
            MachineEngine::Unicorn(engine) => std::mem::take(&mut engine.get_data_mut().accesses),
            MachineEngine::Stepper(stepper) => stepper.take_accesses(),
        };
        accesses.iter().filter_map(|access| access.in_buffer(input)).collect()
    }
}
