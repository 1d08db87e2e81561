//! The machine verifier: invariants of every function, and the postcondition of each stage.
//!
//! It collects all findings and never stops at the first. It does not panic on any function that the data structures
//! can hold. Each rule has an id and a sentence in [`RULES`], and a file under `corpus/verifier` that breaks only it.
//! Source of the rules: LLVM's MachineVerifier.

mod calls;
mod checks;
pub mod dominance;
mod frames;
mod generic;
mod inline_assembly;
mod machine;
mod physical;
mod register_set;
mod registers;
mod settled;
mod shapes;
mod stages;
mod structure;
mod target_sets;
mod unjudged;
mod virtual_liveness;

pub use checks::Checks;
pub use unjudged::unjudged;

use crate::Violation;
use register_set::RegisterSet;
use std::fmt;
use target_sets::TargetSets;
use tribunal_ir::{Block, Function, Inst, InstData, InstFlags, Opcode, OpcodeFlags, PReg, Properties, Stage};
use tribunal_target::legality::{Action, LegalizerInfo};
use tribunal_target::{Features, Target};

/// A rule: its id and its demand.
pub struct RuleInfo {
    /// Its name in findings and among the files of `corpus/verifier`.
    pub id: &'static str,
    /// Its demand on a function.
    pub sentence: &'static str,
}

macro_rules! rules {
    ($($rule:ident $id:literal $sentence:literal)*) => {
        /// A rule of the verifier.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Rule { $(#[doc = $sentence] $rule),* }

        impl Rule {
            /// Every rule, in the order of the list.
            pub const ALL: &'static [Rule] = &[$(Rule::$rule),*];
        }

        /// What each rule is, in the order of [`Rule::ALL`].
        pub static RULES: &[RuleInfo] = &[$(RuleInfo { id: $id, sentence: $sentence }),*];
    };
}

impl Rule {
    /// Its name in findings.
    pub fn id(self) -> &'static str {
        RULES[self as usize].id
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

rules! {
    CfgSuccessors "cfg-successors" "A block's successors are its branch targets and the block that it falls into, and no others."
    CfgFallThrough "cfg-fall-through" "The last block does not fall off the end of the function."
    CfgTerminators "cfg-terminators" "Nothing but terminators follows a block's first terminator."
    CfgBarrier "cfg-barrier" "Nothing follows a barrier in its block: an unconditional branch, or a return."
    CfgEntry "cfg-entry" "No branch leads to the entry."
    PhiPosition "phi-position" "PHIs stand at the head of their block."
    PhiInputs "phi-inputs" "A PHI has one value for each predecessor and none for any other block."
    PhiLiveness "phi-liveness" "A function with PHIs tracks liveness."
    PhiStage "phi-stage" "No PHI is left once they are resolved."
    SsaSingleDefinition "ssa-single-definition" "A register has one definition."
    SsaDominance "ssa-dominance" "A definition dominates its uses."
    PhysicalUndefined "physical-undefined" "A physical register is read only where it is live: listed as live-in of the block or written there since, and not killed."
    LiveInUndefined "live-in-undefined" "A live-in of a block is not killed, or clobbered by a call, in a predecessor."
    LiveInAllocatable "live-in-allocatable" "Until registers are allocated, none that could be crosses from block to block."
    VirtualKilled "virtual-killed" "A virtual register is not read after a kill."
    VirtualUndefined "virtual-undefined" "A virtual register that is read was written on every way there, and not by a dead definition."
    RegisterFlags "register-flags" "An operand's flags are those that its register can have: no reserved one is renamable, no generic read and no whole definition is undefined, and a debugger reads in debug instructions alone."
    OpcodeFeature "opcode-feature" "The machine and its features have every machine instruction."
    OperandCount "operand-count" "An instruction has the operands that its opcode takes."
    OperandKind "operand-kind" "Each operand is of the kind that its opcode takes there."
    OperandImplicit "operand-implicit" "A machine instruction names the registers that it reads and writes besides its operands."
    OperandTied "operand-tied" "Operands that an instruction ties to each other are one register once allocated."
    OperandType "operand-type" "Operands of one type index have one type, and pointers stand where pointers must."
    TypeMissing "type-missing" "A register of a generic instruction has a type."
    TypeExtension "type-extension" "An extension goes to more bits, a truncation to fewer, of scalars."
    TypeConstant "type-constant" "A constant has the width of its result, or of its result's elements."
    TypeCast "type-cast" "A cast between pointer and integer has one of each."
    TypePointer "type-pointer" "The address of a load or store is a pointer."
    TypeCondition "type-condition" "A condition is no pointer, and neither is the result of a comparison."
    TypeOffset "type-offset" "What is added to a pointer is an integer of the pointer's size."
    TypeLanes "type-lanes" "Vectors that an instruction works on element by element have as many elements."
    TypeElement "type-element" "The elements of vectors, and the values that become elements, have the type that the opcode wants."
    TypeVector "type-vector" "A vector is scalable where the opcode takes such vectors alone, and holds the vectors that are parts of it."
    TypePart "type-part" "A part that is extracted or inserted is smaller than the whole."
    ShuffleMask "shuffle-mask" "The mask of a shuffle has a lane for each element of the result, and names elements that there are."
    TypeMerge "type-merge" "Parts have one type and together the size of the whole."
    TypeCopy "type-copy" "A copy or a machine PHI has registers of one size on both sides, and a copy between generic registers one type."
    ImmediateRange "immediate-range" "An immediate is one that the opcode takes with these types."
    ByteSwapSize "byte-swap-size" "A byte swap is of a multiple of 16 bits."
    MemoryOperand "memory-operand" "An instruction has the memory operands that its opcode takes, of its direction and address space."
    MemorySize "memory-size" "An access is no wider than its value, an extending load narrower, and that of a pointer or a vector whole; a machine access is as wide as its instruction's."
    MemoryAlignment "memory-alignment" "A machine access is claimed to be aligned as its instruction needs."
    MemoryOrdering "memory-ordering" "An access has an ordering that its opcode can have."
    ThreadLocal "thread-local" "A machine instruction makes a thread-local variable's distance from the thread pointer, by a model that reaches it, and of any other symbol the address."
    InstructionFlags "instruction-flags" "A flag stands only on an opcode that knows it."
    CallFrame "call-frame" "A call stands alone between the set-up and the tear-down of its frame, and where a frame is open at the head of a block, the block says its size."
    FrameInformation "frame-information" "Out of SSA form, a function that marks the frames of calls says that it moves the stack pointer."
    InlineAssembly "inline-assembly" "Inline assembly has its text, its flags and whole groups of operands."
    IntrinsicEffects "intrinsic-effects" "The instruction of an intrinsic has side effects and converges as the intrinsic does."
    CallRegisters "call-registers" "A call names the registers that its callee reads and returns in."
    CallMask "call-mask" "A call preserves what the calling convention says."
    StageProperties "stage-properties" "A function has the properties of its stage, and none of a later one."
    StageLegal "stage-legal" "Once legalized, every instruction is legal."
    StageBank "stage-bank" "Once banks are selected, every register has one that holds it."
    OperandBank "operand-bank" "Once banks are selected, numbers of floating point are in no bank of integers, and neither a move nor a promise changes a value's bank."
    StageSelected "stage-selected" "Once selected, no generic instruction is left and every register has a class."
    StageClass "stage-class" "A machine operand is in the class that the instruction takes."
    StageImmediate "stage-immediate" "A machine immediate is in the range that the instruction takes."
    StageEdges "stage-edges" "Once edges are split, no edge is critical and no block falls through."
    StageAllocated "stage-allocated" "Once allocated, no virtual register is left."
    StagePlaces "stage-places" "Until the frame is laid out, no stack object has a place in it."
    StageFrame "stage-frame" "Once the frame is lowered, no operand is a stack object, no call's frame is marked, and each return finds the stack pointer as the entry did, and the prologue aligns it as objects need."
    CallFrameInformation "call-frame-information" "The unwinder's distance of the caller's frame is that of the register from which it is counted."
    StageBranches "stage-branches" "Once branches are relaxed, each reaches its target."
}

/// All faults of `function` at its stage.
pub fn verify(function: &Function, target: &Target, legalizer: &LegalizerInfo) -> Vec<Violation<Rule>> {
    verify_watched(function, target, legalizer, &mut Checks::default())
}

/// The same; `checks` records the checks made.
pub fn verify_watched(
    function: &Function,
    target: &Target,
    legalizer: &LegalizerInfo,
    checks: &mut Checks,
) -> Vec<Violation<Rule>> {
    run(function, target, (Some(legalizer), legalizer.features()), checks)
}

/// All faults of a function that another compiler may have written, for a machine with these features: legal is there
/// what that compiler's legalizer leaves.
pub fn verify_foreign(function: &Function, target: &Target, features: Features) -> Vec<Violation<Rule>> {
    run(function, target, (None, features), &mut Checks::default())
}

/// The rule that a function breaks so that no proof about it means anything: one depends on definitions that dominate
/// their uses, and on types. The flags that another verifier allows, and another framing of calls do not matter.
pub fn unfit_for_proof(function: &Function, target: &Target) -> Option<Rule> {
    let findings = verify_foreign(function, target, target.default_features | target.all_options());
    let foreign = [
        Rule::InstructionFlags,
        Rule::CallFrame,
        Rule::CallMask,
        Rule::FrameInformation,
        Rule::IntrinsicEffects,
        Rule::PhiLiveness,
        Rule::RegisterFlags,
    ];
    let found = findings.into_iter().map(|finding| finding.rule).find(|rule| !foreign.contains(rule));
    found.or_else(|| reads_nothing(function).then_some(Rule::VirtualUndefined))
}

/// True if a register without a definition is read, as undefined: no proof has a value for it.
fn reads_nothing(function: &Function) -> bool {
    let mut read = function.all_insts().flat_map(|inst| function.inst(inst).vreg_uses());
    read.any(|register| function.def_of(register).is_none())
}

fn run<'f>(
    function: &'f Function,
    target: &'f Target,
    (legalizer, features): (Option<&'f LegalizerInfo>, Features),
    checks: &'f mut Checks,
) -> Vec<Violation<Rule>> {
    checks.reserve(target);
    let sets = TargetSets::of(target);
    let reserved = reserved(function, target, sets);
    let mut verifier = Verifier { function, target, legalizer, features, sets, reserved, checks, findings: Vec::new() };
    stages::check(&mut verifier);
    structure::check(&mut verifier);
    if function.stage < Stage::Allocated {
        dominance::check(&mut verifier);
    }
    physical::check(&mut verifier);
    virtual_liveness::check(&mut verifier);
    calls::check(&mut verifier);
    settled::check(&mut verifier);
    for &block in function.layout() {
        for inst in function.insts(block) {
            verifier.instruction(inst);
        }
    }
    verifier.findings
}

/// The registers that no allocator gives to a value: the target's, and a frame pointer that the prologue sets up, with
/// its parts.
fn reserved(function: &Function, target: &Target, sets: &TargetSets) -> RegisterSet {
    let frame_pointer = target.abi.frame_pointer;
    let sets_frame = |data: &InstData| {
        data.flags.contains(InstFlags::FRAME_SETUP)
            && data.memory.is_empty()
            && data.defs().any(|operand| operand.reg.as_physical() == Some(frame_pointer))
    };
    let framed = function.all_insts().any(|inst| sets_frame(function.inst(inst)));
    if framed { sets.reserved | sets.whole(frame_pointer) } else { sets.reserved }
}

struct Verifier<'f> {
    function: &'f Function,
    target: &'f Target,
    /// `None` if another compiler's tables say what is legal, and its passes what they leave.
    legalizer: Option<&'f LegalizerInfo>,
    /// Of the machine that is to run the code.
    features: Features,
    sets: &'static TargetSets,
    /// See [`reserved`].
    reserved: RegisterSet,
    checks: &'f mut Checks,
    findings: Vec<Violation<Rule>>,
}

impl Verifier<'_> {
    /// Adds a finding if the rule does not hold; returns whether it holds.
    fn demand<M: Into<String>>(&mut self, rule: Rule, inst: Inst, holds: bool, message: impl FnOnce() -> M) -> bool {
        self.checks.of_inst(rule, inst, self.function.inst(inst).opcode);
        if !holds {
            self.findings.push(Violation::at(rule, self.function, inst, message()));
        }
        holds
    }

    fn demand_of_block<M: Into<String>>(&mut self, rule: Rule, block: Block, holds: bool, message: impl FnOnce() -> M) {
        self.checks.of_block(rule);
        if !holds {
            self.findings.push(Violation::in_block(rule, block, message()));
        }
    }

    /// Adds a finding if the instruction fails to name the register `missing`.
    fn demand_named(&mut self, rule: Rule, inst: Inst, missing: Option<PReg>) {
        let name = missing.map(|register| self.target.vocabulary.register_name(register));
        let message = || format!("${} is not among the operands", name.unwrap_or_default());
        self.demand(rule, inst, name.is_none(), message);
    }

    fn has(&self, property: Properties) -> bool {
        self.function.properties.contains(property)
    }

    /// Machine code leaves SSA form when it loses its PHIs, unless the function says otherwise.
    fn is_ssa(&self) -> bool {
        self.has(Properties::IS_SSA) || !self.function.properties.intersects(Properties::NO_PHIS | Properties::LEFT_SSA)
    }

    fn flags(&self, data: &InstData) -> OpcodeFlags {
        self.function.opcode_flags(data, self.target.vocabulary)
    }

    fn instruction(&mut self, inst: Inst) {
        let data = self.function.inst(inst);
        match data.opcode {
            Opcode::Target(_) => machine::check(self, inst),
            Opcode::PHI => machine::check_phi(self, inst),
            opcode if opcode.is_generic() => {
                generic::check(self, inst);
                self.legal(inst);
            }
            opcode => {
                machine::check_fixed(self, inst);
                match opcode {
                    Opcode::COPY => machine::check_copy(self, inst),
                    Opcode::CFI_INSTRUCTION => machine::check_cfi(self, inst),
                    Opcode::OPAQUE => shapes::check(self, inst),
                    Opcode::INLINEASM => inline_assembly::check(self, inst),
                    _ => {}
                }
            }
        }
        generic::accesses(self, inst);
        let converges = self.flags(data).contains(OpcodeFlags::CONVERGENT);
        let apart = data.flags.contains(InstFlags::NOCONVERGENT);
        self.demand(Rule::InstructionFlags, inst, converges || !apart, || "it converges with nothing");
        registers::check(self, inst);
        if self.function.stage >= Stage::Selected {
            let selected = !data.opcode.is_generic();
            self.demand(Rule::StageSelected, inst, selected, || "a generic instruction in a selected function");
        }
        if self.has(Properties::NO_PHIS) {
            self.demand(Rule::PhiStage, inst, !data.opcode.is_phi(), || "the function claims to have no PHIs");
        }
    }

    fn legal(&mut self, inst: Inst) {
        let data = self.function.inst(inst);
        if let (true, Some(legalizer)) =
            ((Stage::Legalized..Stage::Selected).contains(&self.function.stage), self.legalizer)
        {
            let step = legalizer.legality(self.function, data);
            let legal = step.action == Action::Legal || self.target.stores_whole_copy(self.function, data);
            self.demand(Rule::StageLegal, inst, legal, || format!("{:?} by rule `{}`", step.action, step.rule));
        }
    }
}
