//! Planted faults that several tests share, and the harness that they plant them in.

use tribunal_codegen::pipeline::Pass;
use tribunal_codegen::{Observer, Options};
use tribunal_ir::{Function, Inst, InstData, Opcode, PReg};
use tribunal_target::Target;
use tribunal_trial::Harness;

/// A harness with the target's usual features.
pub fn harness_of(target: &'static Target) -> Harness {
    Harness::new(target, Options::new(target.default_features)).unwrap()
}

/// A recipe that extends by the wrong kind.
pub struct WrongExtension;

impl Observer for WrongExtension {
    fn step(&mut self, rule: &'static str, function: &mut Function, _: &[InstData], after: &mut Vec<Inst>) {
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

impl Observer for SwappedOperands {
    fn step(&mut self, rule: &'static str, function: &mut Function, _: &[InstData], after: &mut Vec<Inst>) {
        if rule == "riscv sub" {
            let mut data = function.inst(after[0]).clone();
            data.operands.swap(1, 2);
            function.replace(after[0], data);
        }
    }
}

/// A frame that does not save the registers that it writes.
pub struct ClobberedRegister;

impl Observer for ClobberedRegister {
    fn after_pass(&mut self, pass: &'static Pass, function: &mut Function) {
        if let ("frame", Some(entry)) = (pass.name, function.entry()) {
            let target = tribunal_target::by_name("riscv64").unwrap();
            function.prepend(entry, target.moves(target.default_features).copy(PReg(8), PReg(10)).unwrap());
        }
    }
}
