//! Sets of registers that depend on the target alone, made once.

use super::register_set::{RegisterSet, bit};
use std::sync::LazyLock;
use tribunal_ir::{PReg, Preserved, RegMask};
use tribunal_target::{Target, environment};

/// Sets of a target's registers.
pub(super) struct TargetSets {
    /// The members of each class.
    pub classes: Vec<RegisterSet>,
    /// Those of any class.
    pub held: RegisterSet,
    /// Of each register: itself and its parts.
    parts: Vec<RegisterSet>,
    /// The registers that no allocator gives to a value, with their parts: the stack pointer, those of the linker and
    /// of threads, and the constant zero.
    pub reserved: RegisterSet,
    /// Undefined after a call with the convention's mask.
    pub caller_saved: RegisterSet,
    /// Undefined after a call that preserves [the general registers](Preserved::General).
    pub beside_general: RegisterSet,
}

impl TargetSets {
    pub fn of(target: &Target) -> &'static TargetSets {
        static SETS: LazyLock<Vec<TargetSets>> =
            LazyLock::new(|| tribunal_target::ALL.iter().map(|target| TargetSets::made(target)).collect());
        let place = tribunal_target::ALL.iter().position(|other| other.name == target.name);
        &SETS[place.unwrap_or(0)]
    }

    fn made(target: &Target) -> TargetSets {
        let abi = target.abi;
        let mut parts: Vec<RegisterSet> = (0..target.registers.len() as u16).map(|n| bit(PReg(n))).collect();
        for (number, row) in (0..).zip(target.registers) {
            parts[usize::from(row.full.0)] |= bit(PReg(number));
        }
        let whole = |registers: &mut dyn Iterator<Item = PReg>| {
            RegisterSet::of(registers.map(|register| parts[usize::from(register.0)]))
        };
        let reserved = abi.reserved.iter().chain(target.zero).chain([&abi.stack_pointer]);
        let reserved = whole(&mut reserved.copied());
        let caller_saved = whole(&mut abi.caller_saved.iter().copied());
        let masks = (0..).map(RegMask).zip(target.register_masks);
        let of_general = masks.filter(|(_, (_, preserved))| *preserved == Preserved::General);
        let lost: Vec<PReg> = of_general.flat_map(|(mask, _)| environment::lost(target, Some(mask))).collect();
        let beside_general = whole(&mut lost.into_iter());
        let classes = target.classes.iter().map(|class| RegisterSet::of_registers(class.members.iter().copied()));
        let classes: Vec<RegisterSet> = classes.collect();
        let held = RegisterSet::of(classes.iter().copied());
        TargetSets { classes, held, parts, reserved, caller_saved, beside_general }
    }

    /// The register and its parts.
    pub fn whole(&self, register: PReg) -> RegisterSet {
        self.parts.get(usize::from(register.0)).copied().unwrap_or(RegisterSet::EMPTY)
    }
}
