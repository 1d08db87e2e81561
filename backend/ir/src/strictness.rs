//! Functions whose operations see the environment of floating point, as far as the machine has one.
//!
//! Invariant: the target, which knows a machine's features, says that there is none; nothing else does.

use crate::function::Function;
use crate::inst::InstData;
use crate::opcode::Opcode;
use crate::operand::Operand;
use crate::semantics::float::FloatEnvironment;
use crate::vocabulary::{PReg, Vocabulary};

/// How the operations of a function see the environment of floating point: the rounding mode, and the flags of
/// exceptions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Strictness {
    /// They assume LLVM's default one, which nobody observes.
    #[default]
    Default,
    /// They see it: once there is an operation that does, and as its text says of machine code (LLVM's `strictfp`).
    Strict,
    /// They would, and the machine has none: it rounds to nearest, and raises nothing.
    NoEnvironment,
}

impl Function {
    /// True if its operations see an environment of floating point.
    pub fn is_strict(&self) -> bool {
        self.strictness == Strictness::Strict
    }

    /// From now on its operations see the environment of floating point, if the machine has one.
    pub fn make_strict(&mut self) {
        if self.strictness == Strictness::Default {
            self.strictness = Strictness::Strict;
        }
    }

    /// It has an operation of this opcode from now on.
    pub(crate) fn note_environment(&mut self, opcode: Opcode) {
        if opcode.sees_environment() {
            self.make_strict();
        }
    }

    /// The operation that an instruction is on the machine: a strict one is that of the default environment where there
    /// is no other.
    pub fn opcode_on_machine(&self, data: &InstData) -> Opcode {
        match self.strictness {
            Strictness::NoEnvironment => data.opcode.in_default_environment(),
            Strictness::Default | Strictness::Strict => data.opcode,
        }
    }

    /// The registers of the environment of floating point that its operations see, if they see it.
    pub fn environment_registers(&self, vocabulary: &dyn Vocabulary) -> impl Iterator<Item = PReg> + use<> {
        let environment = vocabulary.float_environment().filter(|_| self.is_strict());
        environment.into_iter().flat_map(FloatEnvironment::registers)
    }

    /// Makes it strict if an instruction writes a register of the environment of floating point, or reads its flags.
    /// Many read its rounding mode.
    pub fn make_strict_if_named(&mut self, vocabulary: &dyn Vocabulary) {
        let is_named = vocabulary.float_environment().is_some_and(|environment| {
            let is_shown = |operand: &Operand| match operand.as_reg().and_then(|register| register.reg.as_physical()) {
                Some(register) if register == environment.control => operand.is_def(),
                Some(register) => register == environment.status,
                None => false,
            };
            self.all_insts().any(|inst| self.inst(inst).operands.iter().any(is_shown))
        });
        if is_named {
            self.make_strict();
        }
    }
}
