//! Facts about machines, as data. A target is a [`Target`] whose tables live in same-named files under its folder.
//!
//! Architecture invariant: nothing here transforms a function; the engines are in codegen. Nothing here judges.

pub mod abi;
pub mod calls;
pub mod instructions;
pub mod legality;
mod operands;
pub mod registers;
pub mod runtime;
pub mod selection;

pub mod aarch64;
pub mod riscv;

use abi::Abi;
use bitflags::bitflags;
use instructions::{EncodeError, InstrDesc};
use legality::LegalizerInfo;
use registers::{BankDesc, ClassDesc, RegisterDesc, SubRegDesc};
use selection::SelectionRule;
use tribunal_ir::semantics::{Domain, Memory, Unsupported, Value};
use tribunal_ir::{
    InstData, OpcodeFlags, Operand, PReg, RegBank, RegClass, RegisterMask, SubReg, TargetOpcode, Type, Vocabulary,
};

bitflags! {
    /// Optional parts of an instruction set that change the rules, the selection or the encoding.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub struct Features: u32 {
        /// RISC-V: multiplication and division.
        const M = 1 << 0;
        /// RISC-V: shifted addition.
        const ZBA = 1 << 1;
        /// RISC-V: minimum, maximum, counting, rotation, byte reversal, logic with a complement.
        const ZBB = 1 << 2;
        /// RISC-V: single bits.
        const ZBS = 1 << 3;
        /// RISC-V: conditional zero.
        const ZICOND = 1 << 4;
        /// RISC-V: registers of 64 bits. Part of the target, not an option.
        const RV64 = 1 << 16;
        /// RISC-V: registers of 32 bits. Part of the target, not an option.
        const RV32 = 1 << 17;
    }
}

impl Features {
    /// What a target is, whatever its options.
    pub const BASE: Features = Features::RV64.union(Features::RV32);

    /// The option called `name`, in lower case.
    pub fn option(name: &str) -> Option<Features> {
        Features::from_name(&name.to_uppercase())
            .filter(|feature| !Features::BASE.intersects(*feature) && name.chars().all(|c| !c.is_uppercase()))
    }

    /// The options that are on: `+m,+zbb`.
    pub fn names(self) -> String {
        let names = (self - Features::BASE).iter_names().map(|(name, _)| format!("+{}", name.to_lowercase()));
        names.collect::<Vec<_>>().join(",")
    }
}

/// One machine.
pub struct Target {
    /// The name on the command line: `riscv64`, `riscv32`, `aarch64`.
    pub name: &'static str,
    /// What `llc -mtriple` takes.
    pub triple: &'static str,
    /// Of pointers and of the general registers, in bits.
    pub pointer_bits: u16,
    /// `e_machine` of its ELF objects.
    pub elf_machine: u16,
    pub elf_flags: u32,
    pub default_features: Features,
    /// What `--features` may change.
    pub options: Features,
    /// Those options that change the legality rules.
    pub rule_options: Features,
    pub registers: &'static [RegisterDesc],
    pub classes: &'static [ClassDesc],
    pub banks: &'static [BankDesc],
    pub subregisters: &'static [SubRegDesc],
    pub instructions: &'static [InstrDesc],
    pub selection: &'static [SelectionRule],
    pub abi: &'static Abi,
    /// Registers that read as zero.
    pub zero: &'static [PReg],
    /// The legality rules under these features.
    pub legality: fn(Features) -> &'static LegalizerInfo,
    /// Machine code of one instruction whose registers are physical, labels resolved to byte distances (as
    /// [`tribunal_ir::Operand::Imm`]) and pseudos expanded; little-endian bytes in the low part.
    pub encode: fn(&InstData) -> Result<u32, EncodeError>,
    /// The instruction that a word is, with branch destinations as byte distances: for the machine stepper. `None` where
    /// the target has no decoder; the function gives `None` for words that are no instruction of the table.
    pub decode: Option<fn(u32) -> Option<InstData>>,
    /// The instruction sequences that frames, spills and moves need.
    pub machine: &'static dyn Machine,
    pub vocabulary: &'static dyn Vocabulary,
}

impl Target {
    /// The integer that fills a general register.
    pub fn register_type(&self) -> Type {
        Type::scalar(self.pointer_bits.into())
    }

    /// Bytes of a general register.
    pub fn register_bytes(&self) -> u32 {
        u32::from(self.pointer_bits) / 8
    }

    /// What a text that names options in full (`+m,+zbb`) asks for. The error is the unknown name.
    pub fn features<'t>(&self, options: &'t str) -> Result<Features, &'t str> {
        self.changed(self.default_features & Features::BASE, options)
    }

    /// `features` with changes: names with `+` (or nothing) before what is to be on, `-` before what is to be off, parted by
    /// commas. The error is a name that is no option of this target.
    pub fn changed<'t>(&self, mut features: Features, changes: &'t str) -> Result<Features, &'t str> {
        for change in changes.split(',').map(str::trim).filter(|change| !change.is_empty()) {
            let (on, name) = match change.strip_prefix('-') {
                Some(name) => (false, name),
                None => (true, change.strip_prefix('+').unwrap_or(change)),
            };
            let option = Features::option(name).filter(|option| self.options.contains(*option));
            features.set(option.ok_or(name)?, on);
        }
        Ok(features)
    }

    /// Feature sets with rules of their own: every choice of [`Target::rule_options`], the usual one first.
    pub fn rule_sets(&self) -> Vec<Features> {
        self.rule_options.iter().fold(vec![self.default_features], |sets, option| {
            let toggled = sets.iter().map(|&set| set ^ option);
            sets.iter().copied().chain(toggled).collect()
        })
    }

    /// The target's name, with what is unusual of the features: `riscv64`, `riscv64-m+zbb`.
    pub fn with(&self, features: Features) -> String {
        let names = |set: Features, sign: &'static str| {
            set.iter_names().map(move |(name, _)| format!("{sign}{}", name.to_lowercase())).collect::<String>()
        };
        let (missing, more) = (self.default_features - features, features - self.default_features);
        format!("{}{}{}", self.name, names(missing, "-"), names(more, "+"))
    }

    pub fn instruction(&self, opcode: TargetOpcode) -> &'static InstrDesc {
        &self.instructions[usize::from(opcode.0)]
    }

    /// True for the register that is always zero.
    pub fn is_zero_register(&self, register: PReg) -> bool {
        self.zero.contains(&register)
    }

    /// The part of a full register that has `bits` bits; the register itself if there is none.
    pub fn part_of(&self, full: PReg, bits: u32) -> PReg {
        let mut parts = (0..).map(PReg).zip(self.registers).filter(|(_, row)| row.full == full && row.bits == bits);
        parts.next().map_or(full, |(part, _)| part)
    }

    pub fn class(&self, class: RegClass) -> &'static ClassDesc {
        &self.classes[usize::from(class.0)]
    }
}

/// What one instruction of MIR becomes in machine code.
pub type Sequence = smallvec::SmallVec<[InstData; 2]>;

/// The sequences of machine code that no selection rule writes. All operands are physical registers.
pub trait Machine: Sync {
    /// `dst = src`, both of one class.
    fn copy(&self, dst: PReg, src: PReg) -> InstData;
    /// Loads `dst` from `[base + offset]`; the offset must fit (see [`Machine::offset_fits`]).
    fn reload(&self, dst: PReg, base: PReg, offset: i64) -> InstData;
    /// Stores `src` to `[base + offset]`.
    fn spill(&self, src: PReg, base: PReg, offset: i64) -> InstData;
    /// True if `offset` (bytes) may stand in the address of this load, store or address computation of a stack object.
    fn offset_fits(&self, opcode: TargetOpcode, offset: i64) -> bool;
    /// The immediate operand that `opcode` takes for a byte offset that fits: scaled where the instruction scales.
    fn offset_operand(&self, opcode: TargetOpcode, offset: i64) -> i64;
    /// The byte offset that the immediate operand `operand` of `opcode` means: the inverse.
    fn operand_offset(&self, opcode: TargetOpcode, operand: i64) -> i64;
    /// `dst = src + offset` for any offset, clobbering no flags and nothing but `dst` and, if the offset is far, `scratch`.
    fn add_offset(&self, dst: PReg, src: PReg, offset: i64, scratch: PReg) -> Vec<InstData>;
    /// Replaces a branch-like, call or return pseudo by the real instructions; `None` if it is real already.
    fn expand_pseudo(&self, inst: &InstData) -> Option<Sequence>;
    /// The call instruction, or instructions, to a place `distance` bytes from the first: what a linker makes of a call.
    fn call(&self, distance: i64) -> Sequence;
    /// The opcode of the conditional branch that is taken exactly when `inst` is not, with its operands; the label stays.
    fn invert_branch(&self, inst: &InstData) -> Option<InstData>;
    /// An unconditional branch to the block that is its label operand.
    fn jump(&self, destination: tribunal_ir::Block) -> InstData;
    /// The instruction as assembly text, without indentation; labels and symbols print through `name`.
    fn assembly(&self, inst: &InstData, name: &dyn Fn(&Operand) -> String) -> String;
}

/// What one machine instruction computes, for evaluators of selected and allocated code: see `<isa>/semantics.rs`.
pub struct MachineEvaluation<D: Domain> {
    /// A value for each definition, explicit then implicit, in operand order.
    pub results: smallvec::SmallVec<[Value<D>; 2]>,
    pub ub: D::Bool,
    /// The condition under which a conditional branch is taken; `None` for other instructions.
    pub taken: Option<D::Bool>,
}

/// What `inst` computes from `args`: one value for each register read, explicit then implicit, in operand order.
/// Stack objects as operands are resolved through `memory`.
pub fn evaluate<D: Domain, M: Memory<D>>(
    target: &Target,
    domain: &mut D,
    memory: &mut M,
    inst: &InstData,
    args: &[Value<D>],
) -> Result<MachineEvaluation<D>, Unsupported> {
    match target.name {
        "aarch64" => aarch64::semantics::evaluate(domain, memory, target, inst, args),
        _ => riscv::semantics::evaluate(domain, memory, target, inst, args),
    }
}

/// The target that a command line or a triple names: `riscv64`, `riscv64-unknown-linux-gnu`.
pub fn by_name(name: &str) -> Option<&'static Target> {
    let architecture = name.split('-').next()?;
    ALL.iter().copied().find(|target| target.name == architecture)
}

/// Every target.
pub static ALL: &[&Target] = &[&riscv::RISCV64, &riscv::RISCV32, &aarch64::AARCH64];

/// Every target speaks the language through its own tables.
pub(crate) struct Tables {
    pub architecture: &'static str,
    pub pointer_bits: u16,
    pub registers: &'static [RegisterDesc],
    pub classes: &'static [ClassDesc],
    pub banks: &'static [BankDesc],
    pub subregisters: &'static [SubRegDesc],
    pub instructions: &'static [InstrDesc],
    pub register_masks: &'static [(&'static str, RegisterMask)],
    /// Names to numbers, made on first use.
    pub index: std::sync::OnceLock<Index>,
}

/// Names to numbers.
#[derive(Default)]
pub(crate) struct Index {
    opcodes: rustc_hash::FxHashMap<&'static str, TargetOpcode>,
    registers: rustc_hash::FxHashMap<&'static str, PReg>,
}

impl Tables {
    fn index(&self) -> &Index {
        self.index.get_or_init(|| Index {
            opcodes: (0..).zip(self.instructions).map(|(number, row)| (row.name, TargetOpcode(number))).collect(),
            registers: (0..).zip(self.registers).map(|(number, row)| (row.name, PReg(number))).collect(),
        })
    }
}

fn position<T>(rows: &[T], is: impl Fn(&T) -> bool) -> Option<u8> {
    rows.iter().position(is).and_then(|index| u8::try_from(index).ok())
}

impl Vocabulary for Tables {
    fn architecture(&self) -> &'static str {
        self.architecture
    }
    fn pointer_bits(&self, _: u8) -> u16 {
        self.pointer_bits
    }
    fn opcode(&self, name: &str) -> Option<TargetOpcode> {
        self.index().opcodes.get(name).copied()
    }
    fn opcode_name(&self, opcode: TargetOpcode) -> &'static str {
        self.instructions[usize::from(opcode.0)].name
    }
    fn opcode_flags(&self, opcode: TargetOpcode) -> OpcodeFlags {
        self.instructions[usize::from(opcode.0)].flags
    }
    fn opcode_defs(&self, opcode: TargetOpcode) -> usize {
        self.instructions[usize::from(opcode.0)].operands.iter().take_while(|operand| operand.is_def()).count()
    }
    fn register(&self, name: &str) -> Option<PReg> {
        self.index().registers.get(name).copied()
    }
    fn register_name(&self, register: PReg) -> &'static str {
        self.registers[usize::from(register.0)].name
    }
    fn register_bits(&self, register: PReg) -> u32 {
        self.registers[usize::from(register.0)].bits
    }
    fn full_register(&self, register: PReg) -> PReg {
        self.registers[usize::from(register.0)].full
    }
    fn class(&self, name: &str) -> Option<RegClass> {
        position(self.classes, |row| row.name == name).map(RegClass)
    }
    fn class_name(&self, class: RegClass) -> &'static str {
        self.classes[usize::from(class.0)].name
    }
    fn class_bits(&self, class: RegClass) -> u32 {
        self.classes[usize::from(class.0)].bits
    }
    fn bank(&self, name: &str) -> Option<RegBank> {
        position(self.banks, |row| row.name == name).map(RegBank)
    }
    fn bank_name(&self, bank: RegBank) -> &'static str {
        self.banks[usize::from(bank.0)].name
    }
    fn register_mask(&self, name: &str) -> Option<RegisterMask> {
        self.register_masks.iter().find(|(known, _)| *known == name).map(|&(_, mask)| mask)
    }
    fn subregister(&self, name: &str) -> Option<SubReg> {
        position(self.subregisters, |row| row.name == name).map(SubReg)
    }
    fn subregister_name(&self, index: SubReg) -> &'static str {
        self.subregisters[usize::from(index.0)].name
    }
    fn subregister_bits(&self, index: SubReg) -> u32 {
        self.subregisters[usize::from(index.0)].bits
    }
}
