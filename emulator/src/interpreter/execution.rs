//! One run of the interpreter: its settings, and what it leaves.
//!
//! Invariant: nothing here says how a run is made.

use crate::call::CallMismatch;
use crate::interpreter::Stray;
use crate::observation::Observation;
use tribunal_ir::bits::Bits;
use tribunal_ir::{Inst, VReg};

/// One write of a value, for comparing stages register by register.
#[derive(Clone, Debug)]
pub struct Event {
    /// The instruction that wrote.
    pub inst: Inst,
    /// The register written; `None` for a store.
    pub register: Option<VReg>,
    /// The value written; 0 in the unconstrained bits.
    pub value: Bits,
    /// The unconstrained bits.
    pub unknown: Bits,
    /// True if it was poison.
    pub poison: bool,
    /// The address of a store.
    pub address: Option<u64>,
}

/// One run.
#[derive(Debug)]
pub struct Execution {
    /// The part that is compared with other runs.
    pub observation: Observation,
    /// The number of instructions executed.
    pub instructions: u64,
    /// The values written, in order, if they were asked for.
    pub events: Vec<Event>,
    /// The first difference between its calls and those of the script.
    pub mismatch: Option<CallMismatch>,
    /// The first access to no memory: the run is undefined there.
    pub stray: Option<Stray>,
}

/// Settings of a run, besides its input.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Instructions at most.
    pub fuel: u64,
    /// Events kept at most; 0 for none.
    pub events: usize,
    /// The accesses that the observation keeps.
    pub accesses: KeptAccesses,
}

/// The contents of places that nobody wrote: bytes of stack objects, registers clobbered by a call, `IMPLICIT_DEF`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unwritten {
    /// Poison, and unconstrained bits: contents that a source may not rely on.
    Free,
    /// The machine's contents, so that wrong code that reads them behaves the same here.
    Known,
}

/// The accesses to buffers that an observation keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeptAccesses {
    /// Those of the buffers that only volatile accesses touch: the source's promise.
    Volatile,
    /// All of them: a stage is judged by these.
    All,
}
