//! Registers as regalloc2 names them: a register file, and the number that instruction words give it there. The
//! target's rows map banks to files, so the allocator itself knows no register.
//!
//! Invariant: every register named here is allocatable, and one name is one register.

use crate::frame::FrameShape;
use regalloc2::{MachineEnv, PRegSet, RegClass};
use tribunal_ir::{Constraint, Function, PReg, VReg};
use tribunal_target::Target;
use tribunal_target::registers::RegisterFile;

/// The allocatable registers.
pub struct Files {
    /// By register.
    names: Vec<Option<regalloc2::PReg>>,
    /// By name.
    registers: Vec<PReg>,
}

/// The allocator's class of a register file.
fn class(file: RegisterFile) -> RegClass {
    match file {
        RegisterFile::General => RegClass::Int,
        RegisterFile::Float => RegClass::Float,
        RegisterFile::Vector => RegClass::Vector,
    }
}

impl Files {
    /// Those that the frame does not take.
    pub fn new(target: &Target, shape: FrameShape) -> Files {
        let mut names = vec![None; target.registers.len()];
        let mut registers = vec![PReg(0); regalloc2::PReg::NUM_INDEX];
        for bank in target.banks {
            let is_free = |register: &&PReg| shape.reserved(target).all(|taken| taken != **register);
            for &register in target.class(bank.class).allocatable.iter().filter(is_free) {
                let number = target.registers[usize::from(register.0)].encoding;
                let name = regalloc2::PReg::new(number.into(), class(bank.file));
                names[usize::from(register.0)] = Some(name);
                registers[name.index()] = register;
            }
        }
        Files { names, registers }
    }

    /// The allocator's name of a full register; `None` for one that is not allocatable.
    pub fn name(&self, full: PReg) -> Option<regalloc2::PReg> {
        self.names.get(usize::from(full.0)).copied().flatten()
    }

    /// The full register with this name of the allocator's.
    pub fn register(&self, name: regalloc2::PReg) -> PReg {
        self.registers[name.index()]
    }

    /// The registers of each file, the callee-saved ones last.
    pub fn environment(&self, target: &Target) -> MachineEnv {
        let (mut preferred, mut other) = ([PRegSet::empty(); 3], [PRegSet::empty(); 3]);
        for (register, name) in (0..).map(PReg).zip(&self.names) {
            let Some(name) = *name else { continue };
            match target.abi.callee_saved.contains(&register) {
                false => preferred[name.class() as usize].add(name),
                true => other[name.class() as usize].add(name),
            }
        }
        MachineEnv {
            preferred_regs_by_class: preferred,
            non_preferred_regs_by_class: other,
            scratch_by_class: [None, None, None],
            fixed_stack_slots: Vec::new(),
        }
    }
}

/// The allocator's name of a virtual register: its number and the file of its bank.
pub fn virtual_register(function: &Function, target: &Target, register: VReg) -> regalloc2::VReg {
    let bank = match function.vregs[register].constraint {
        Constraint::Class(class) => target.bank(target.class(class).bank),
        Constraint::Bank(bank) => target.bank(bank),
        Constraint::None => &target.banks[0],
    };
    regalloc2::VReg::new(register.as_u32() as usize, class(bank.file))
}
