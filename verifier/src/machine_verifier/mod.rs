//! The machine verifier: invariants that hold of every function, and one contract for each stage.
//!
//! It collects all findings and never stops at the first, and it does not panic on any function that the data structures
//! can hold. Each rule has an id and a sentence in [`RULES`], and a file under `corpus/verifier` that breaks only it.
//! Source of the rules: LLVM's MachineVerifier.

mod calls;
pub mod dominance;
mod generic;
mod machine;
mod physical;
mod structure;

use crate::Finding;
use tribunal_ir::{Block, Function, Inst, InstData, Opcode, OpcodeFlags, PReg, Properties};
use tribunal_target::Target;
use tribunal_target::legality::{Action, LegalizerInfo};

/// A rule's id and what it demands.
pub struct RuleInfo {
    pub id: &'static str,
    pub sentence: &'static str,
}

macro_rules! rules {
    ($($id:literal $sentence:literal)*) => {
        /// Every rule.
        pub static RULES: &[RuleInfo] = &[$(RuleInfo { id: $id, sentence: $sentence }),*];
    };
}

rules! {
    "cfg-successors" "A block's successors are its branch targets and the block that it falls into, and no others."
    "cfg-fall-through" "The last block does not fall off the end of the function."
    "cfg-terminators" "Nothing but terminators follows a block's first terminator."
    "cfg-entry" "No branch leads to the entry."
    "phi-position" "PHIs stand at the head of their block."
    "phi-inputs" "A PHI has one value for each predecessor and none for any other block."
    "phi-stage" "No PHI is left once they are resolved."
    "ssa-single-definition" "A register has one definition."
    "ssa-dominance" "A definition dominates its uses."
    "physical-undefined" "A physical register is read only where it has been written or holds something on entry."
    "operand-count" "An instruction has the operands that its opcode takes."
    "operand-kind" "Each operand is of the kind that its opcode takes there."
    "operand-implicit" "A machine instruction names the registers that it reads and writes besides its operands."
    "operand-tied" "Operands that an instruction ties to each other are one register once allocated."
    "operand-type" "Operands of one type index have one type, and pointers stand where pointers must."
    "type-missing" "A register of a generic instruction has a type."
    "type-extension" "An extension goes to more bits, a truncation to fewer, of scalars."
    "type-constant" "A constant has the width of its result."
    "type-cast" "A cast between pointer and integer has one of each."
    "type-pointer" "The address of a load or store is a pointer."
    "type-condition" "A condition is no pointer, and neither is the result of a comparison."
    "type-offset" "What is added to a pointer is an integer of the pointer's size."
    "type-merge" "Parts have one type and together the size of the whole."
    "type-copy" "A copy or a machine PHI has registers of one size on both sides."
    "immediate-range" "A width within a register is at least one bit and less than the register's."
    "byte-swap-size" "A byte swap is of a multiple of 16 bits."
    "memory-operand" "A load or store has one memory operand, of its direction."
    "memory-size" "An access is no wider than its value, and an extending load narrower."
    "instruction-flags" "A flag stands only on an opcode that knows it."
    "call-frame" "A call stands alone between the set-up and the tear-down of its frame, in one block."
    "call-registers" "A call names the registers that its callee reads and returns in."
    "call-mask" "A call preserves what the calling convention says."
    "stage-legal" "Once legalized, every instruction is legal."
    "stage-bank" "Once banks are selected, every register has one that holds it."
    "stage-selected" "Once selected, no generic instruction is left and every register has a class."
    "stage-class" "A machine operand is in the class that the instruction takes."
    "stage-immediate" "A machine immediate is in the range that the instruction takes."
    "stage-allocated" "Once allocated, no virtual register is left."
}

/// Everything wrong with `function` at the stage that its properties claim.
pub fn verify(function: &Function, target: &Target, legalizer: &LegalizerInfo) -> Vec<Finding> {
    verify_watched(function, target, legalizer, &mut |_, _| {})
}

/// The same; `reached` is told each check that is made, by its rule and the opcode that it is made of: `None` for a block.
pub fn verify_watched(
    function: &Function,
    target: &Target,
    legalizer: &LegalizerInfo,
    reached: &mut dyn FnMut(&'static str, Option<Opcode>),
) -> Vec<Finding> {
    let mut verifier = Verifier { function, target, legalizer, reached, findings: Vec::new() };
    structure::check(&mut verifier);
    if !function.properties.contains(Properties::NO_VREGS) {
        dominance::check(&mut verifier);
    }
    physical::check(&mut verifier);
    calls::check(&mut verifier);
    for &block in function.layout() {
        for inst in function.insts(block) {
            verifier.instruction(inst);
        }
    }
    verifier.findings
}

struct Verifier<'f> {
    function: &'f Function,
    target: &'f Target,
    legalizer: &'f LegalizerInfo,
    reached: &'f mut dyn FnMut(&'static str, Option<Opcode>),
    findings: Vec<Finding>,
}

impl Verifier<'_> {
    /// A finding if the rule does not hold; whether it does.
    fn demand<M: Into<String>>(
        &mut self,
        rule: &'static str,
        inst: Inst,
        holds: bool,
        message: impl FnOnce() -> M,
    ) -> bool {
        self.reach(rule, Some(self.function.inst(inst).opcode));
        if !holds {
            self.findings.push(Finding::at(rule, self.function, inst, message()));
        }
        holds
    }

    fn demand_of_block<M: Into<String>>(
        &mut self,
        rule: &'static str,
        block: Block,
        holds: bool,
        message: impl FnOnce() -> M,
    ) {
        self.reach(rule, None);
        if !holds {
            self.findings.push(Finding::in_block(rule, block, message()));
        }
    }

    /// A finding if there is a register that the instruction should name.
    fn demand_named(&mut self, rule: &'static str, inst: Inst, missing: Option<PReg>) {
        let name = missing.map(|register| self.target.vocabulary.register_name(register));
        let message = || format!("${} is not among the operands", name.unwrap_or_default());
        self.demand(rule, inst, name.is_none(), message);
    }

    fn reach(&mut self, rule: &'static str, opcode: Option<Opcode>) {
        debug_assert!(RULES.iter().any(|known| known.id == rule), "{rule} is not listed");
        (self.reached)(rule, opcode);
    }

    fn has(&self, property: Properties) -> bool {
        self.function.properties.contains(property)
    }

    fn flags(&self, data: &InstData) -> OpcodeFlags {
        self.function.opcode_flags(data, self.target.vocabulary)
    }

    fn instruction(&mut self, inst: Inst) {
        let data = self.function.inst(inst);
        match data.opcode {
            Opcode::Target(_) => machine::check(self, inst),
            Opcode::COPY => machine::check_copy(self, inst),
            Opcode::PHI => machine::check_phi(self, inst),
            opcode if opcode.is_generic() => {
                generic::check(self, inst);
                self.legal(inst);
            }
            _ => {}
        }
        machine::check_registers(self, inst);
        if self.has(Properties::SELECTED) {
            let selected = !data.opcode.is_generic();
            self.demand("stage-selected", inst, selected, || "a generic instruction in a selected function");
        }
        if self.has(Properties::NO_PHIS) {
            self.demand("phi-stage", inst, !data.opcode.is_phi(), || "the function claims to have no PHIs");
        }
    }

    fn legal(&mut self, inst: Inst) {
        let data = self.function.inst(inst);
        if self.has(Properties::LEGALIZED) && !self.has(Properties::SELECTED) {
            let step = self.legalizer.legality(self.function, data);
            let legal = step.action == Action::Legal;
            self.demand("stage-legal", inst, legal, || format!("{:?} by rule `{}`", step.action, step.rule));
        }
    }
}
