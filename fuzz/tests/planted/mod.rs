//! Planted faults that several tests share.

use tribunal_codegen::pipeline::Pass;
use tribunal_ir::{Function, InstData, Opcode, PReg};
use tribunal_trial::Saboteur;
use tribunal_trial::harness::WrittenInsts;

/// A recipe that extends by the wrong kind.
pub struct WrongExtension;

impl Saboteur for WrongExtension {
    fn step(&self, rule: &'static str, function: &mut Function, _: &[InstData], after: &mut WrittenInsts) {
        for &inst in after.iter().filter(|_| rule.contains("G_LSHR") && rule.contains("scalar")) {
            if function.inst(inst).opcode == Opcode::G_ZEXT {
                let data = InstData { opcode: Opcode::G_SEXT, ..function.inst(inst).clone() };
                function.replace(inst, data);
            }
        }
    }
}

/// A selection rule that swaps its operands.
pub struct SwappedOperands;

impl Saboteur for SwappedOperands {
    fn step(&self, rule: &'static str, function: &mut Function, _: &[InstData], after: &mut WrittenInsts) {
        if rule == "riscv sub" {
            let mut data = function.inst(after[0]).clone();
            data.operands.swap(1, 2);
            function.replace(after[0], data);
        }
    }
}

/// A frame that does not save the registers that it writes.
pub struct ClobberedRegister;

impl Saboteur for ClobberedRegister {
    fn after_pass(&self, pass: &'static Pass, function: &mut Function) {
        if let ("frame", Some(entry)) = (pass.name, function.entry()) {
            let target = tribunal_target::by_name("riscv64").unwrap();
            function.prepend(entry, target.copy(PReg(8), PReg(10)).unwrap());
        }
    }
}
