//! Facts about machines, as data. A target is a [`Target`] whose tables live in same-named files under its folder.
//!
//! Architecture invariant: nothing here transforms a function; the engines are in codegen. Nothing here judges.

pub mod abi;
pub mod addressing;
pub mod atomics;
pub mod calls;
pub mod compressed;
mod encoding;
pub mod environment;
pub mod features;
pub mod frame_records;
pub mod instructions;
pub mod legality;
pub mod meaning;
pub mod moves;
pub mod operands;
pub mod parts;
pub mod promises;
pub mod registers;
pub mod runtime;
pub mod selection;
pub mod stack;
pub mod variable_arguments;

pub mod aarch64;
pub mod riscv;

use abi::{Abi, CallKind};
use addressing::AddressingDesc;
use compressed::CompressedForm;
use encoding::{Decoder, WholeAccesses};
pub use features::{FeatureDesc, Features, RuleChange};
use instructions::{ImmRange, InstrDesc, OperandDesc};
use legality::{CustomDesc, LegalizerInfo};
pub use meaning::{CodePlace, MachineEvaluation, evaluate, evaluate_at, evaluate_raising, execute};
use moves::CopyDesc;
use registers::{BankDesc, ClassDesc, RegisterDesc, SubRegDesc};
use selection::SelectionRule;
use std::sync::OnceLock;
use tribunal_ir::semantics::float::FloatEnvironment;
use tribunal_ir::{
    InstData, OpcodeFlags, Operand, PReg, Preserved, RegBank, RegClass, RegMask, StackSlot, SubReg, TargetOpcode, Type,
    Vocabulary,
};

/// One machine.
pub struct Target {
    /// The name on the command line: `riscv64`, `riscv32`, `aarch64`.
    pub name: &'static str,
    /// The triple, as `llc -mtriple` takes it.
    pub triple: &'static str,
    /// The width of pointers and of the general registers, in bits.
    pub pointer_bits: u16,
    /// `None` if it has no object files.
    pub elf: Option<Elf>,
    /// The features that it has by default.
    pub default_features: Features,
    /// The features that `--features` may change.
    pub options: &'static [FeatureDesc],
    /// By [`PReg`].
    pub registers: &'static [RegisterDesc],
    /// By [`RegClass`].
    pub classes: &'static [ClassDesc],
    /// By [`RegBank`]; integers and pointers first.
    pub banks: &'static [BankDesc],
    /// How whole registers are copied.
    pub copies: &'static [CopyDesc],
    /// By [`SubReg`].
    pub subregisters: &'static [SubRegDesc],
    /// Masks of calls by name, each with the registers that it preserves; by [`RegMask`].
    pub register_masks: &'static [(&'static str, Preserved)],
    /// Flags of addresses by name, by the bit of [`tribunal_ir::TargetFlags`].
    pub target_flags: &'static [&'static str],
    /// By [`TargetOpcode`].
    pub instructions: &'static [InstrDesc],
    /// Shorter spellings of instructions, the first that fits best; empty if all words have one size.
    pub compressed: &'static [CompressedForm],
    /// Most specific first.
    pub selection: &'static [SelectionRule],
    /// The calling convention.
    pub abi: &'static Abi,
    /// Addresses of symbols.
    pub addressing: &'static AddressingDesc,
    /// Registers that read as zero.
    pub zero: &'static [PReg],
    /// The expansions that the rules' `custom` asks for.
    pub customs: &'static [CustomDesc],
    /// The legality rules under these features.
    pub legality: fn(Features) -> &'static LegalizerInfo,
    /// The meaning of its instructions.
    pub meaning: meaning::Meaning,
    /// The instruction sequences that frames, branches and calls need, and assembly text.
    pub machine: &'static dyn Machine,
    /// This target, as the language knows it.
    pub vocabulary: &'static dyn Vocabulary,
    /// `Made::new()`.
    pub made: Made,
}

/// The description of the machine in ELF objects. The numbers are the `object` crate's.
#[derive(Clone, Copy)]
pub struct Elf {
    /// Gives `e_machine` and the class.
    pub architecture: object::Architecture,
    /// `e_flags` without options.
    pub flags: object::elf::FileFlags,
    /// `e_flags` of the calling conventions that a module may name (`target-abi`).
    pub abis: &'static [(&'static str, object::elf::FileFlags)],
    /// The section that says what the code needs.
    pub attributes: Option<AttributeDesc>,
    /// The marks of options in objects and assembly text.
    pub options: &'static [ElfOption],
    /// The relocation of a call instruction.
    pub call: object::elf::RelocationType,
    /// The relocation of a tail call.
    pub tail_call: object::elf::RelocationType,
    /// The number of a full register in unwind tables, if it has one.
    pub dwarf_register: Option<fn(PReg) -> Option<u16>>,
    /// The relocations of an address in data, by its size in bytes.
    pub absolute: &'static [(u64, object::elf::RelocationType)],
    /// Of the distance of an address from the place itself.
    pub relative: &'static [(u64, object::elf::RelocationType)],
    /// Of an address that is added, and of one that is subtracted.
    pub sums: &'static [(u64, object::elf::RelocationType, object::elf::RelocationType)],
}

/// The first 32 registers, the general ones of RISC-V and AArch64, have their own numbers. The 32 from `first` on, for
/// numbers of floating point, have those from `number` on.
pub(crate) fn dwarf_register(register: PReg, (first, number): (PReg, u16)) -> Option<u16> {
    let float = || register.0.checked_sub(first.0).filter(|&index| index < 32).map(|index| number + index);
    if register.0 < 32 { Some(register.0) } else { float() }
}

/// The way to a section about the code of an object.
#[derive(Clone, Copy)]
pub struct AttributeDesc {
    /// The module flag that lists instruction sets: `riscv-isa`.
    pub flag: &'static str,
    /// The section, given the features of the code.
    pub section: fn(Features, &ModuleIsa<'_>) -> AttributeSection,
}

/// The instruction sets that a module says it was compiled for.
#[derive(Clone, Default, Debug)]
pub struct ModuleIsa<'m> {
    /// The calling convention.
    pub abi: Option<&'m str>,
    /// As the target writes them.
    pub isa: Vec<&'m str>,
}

/// A section about the code of an object.
pub struct AttributeSection {
    /// `.riscv.attributes`
    pub name: &'static str,
    /// `SHT_RISCV_ATTRIBUTES`
    pub kind: object::elf::SectionType,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// The marks of an option.
pub struct ElfOption {
    /// The option.
    pub feature: Features,
    /// Its bits in `e_flags`.
    pub flags: object::elf::FileFlags,
    /// The assembler's directive, as a line.
    pub directive: &'static str,
}

/// Look-up tables made from a target's rows, on first use.
#[derive(Default)]
pub struct Made {
    index: OnceLock<Index>,
    decoder: OnceLock<Decoder>,
    whole_accesses: OnceLock<WholeAccesses>,
}

impl Made {
    /// Nothing yet.
    pub const fn new() -> Made {
        Made { index: OnceLock::new(), decoder: OnceLock::new(), whole_accesses: OnceLock::new() }
    }
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

    /// The row of an instruction.
    pub fn instruction(&self, opcode: TargetOpcode) -> &'static InstrDesc {
        &self.instructions[usize::from(opcode.0)]
    }

    /// True for an instruction that has a register of another bank than the first, that of integers.
    pub fn is_of_numbers(&self, opcode: TargetOpcode) -> bool {
        let mut classes = self.instruction(opcode).operands.iter().filter_map(OperandDesc::class);
        classes.any(|class| self.class(class).bank != RegBank(0))
    }

    /// True for an instruction whose row names a rounding mode, or the register that tells it.
    pub fn computes_number(&self, opcode: TargetOpcode) -> bool {
        let row = self.instruction(opcode);
        row.operands.contains(&OperandDesc::Imm(ImmRange::RoundingMode))
            || self.abi.float_environment.is_some_and(|environment| row.implicit_uses.contains(&environment.control))
    }

    /// The part of a full register that has `bits` bits; the register itself if there is none.
    pub fn part_of(&self, full: PReg, bits: u32) -> PReg {
        let mut parts = (0..).map(PReg).zip(self.registers).filter(|(_, row)| row.full == full && row.bits == bits);
        parts.next().map_or(full, |(part, _)| part)
    }

    /// True for a full register that values are allocated to.
    pub fn is_allocatable(&self, full: PReg) -> bool {
        self.banks.iter().any(|bank| self.class(bank.class).allocatable.contains(&full))
    }

    /// The row of a register class.
    pub fn class(&self, class: RegClass) -> &'static ClassDesc {
        &self.classes[usize::from(class.0)]
    }

    /// True if `offset` (bytes) may stand in the address of this load, store or address computation of a stack object.
    pub fn offset_fits(&self, opcode: TargetOpcode, offset: i64) -> bool {
        let address = self.instruction(opcode).address();
        address.is_some_and(|(_, range, scale)| offset % scale == 0 && range.accepts(offset / scale))
    }

    /// The immediate operand that `opcode` takes for a byte offset that fits: scaled where the instruction scales.
    pub fn offset_operand(&self, opcode: TargetOpcode, offset: i64) -> i64 {
        self.instruction(opcode).address().map_or(offset, |(_, _, scale)| offset / scale)
    }

    /// The byte offset that the immediate operand `operand` of `opcode` means: the inverse.
    pub fn operand_offset(&self, opcode: TargetOpcode, operand: i64) -> i64 {
        self.instruction(opcode).address().map_or(operand, |(_, _, scale)| operand * scale)
    }
}

/// The machine code of one instruction of MIR.
pub type Sequence = smallvec::SmallVec<[InstData; 2]>;

/// The size and the alignment of a value that registers give to others through memory, in bytes.
pub const THROUGH_STACK_BYTES: u32 = 8;

/// The sequences of machine code that no selection rule writes. All operands are physical registers.
pub trait Machine: Sync {
    /// `dst = src + offset` for any offset of less than two gibibytes. It clobbers no flags and nothing but `dst` and,
    /// if the offset is far, `scratch`.
    fn add_offset(&self, dst: PReg, src: PReg, offset: i64, scratch: PReg) -> Vec<InstData>;
    /// The parts of an offset that [`Machine::add_offset`] adds one after the other: each by instructions of which one
    /// writes the destination.
    fn steps(&self, offset: i64) -> smallvec::SmallVec<[i64; 2]> {
        smallvec::smallvec![offset]
    }
    /// `dst = src & -align` for a power of two: the multiple of `align` at `src` or below. `src` is no stack
    /// pointer, and is clobbered. `None` on a machine without such a
    /// sequence.
    fn align_down(&self, _dst: PReg, _src: PReg, _align: u32) -> Option<Sequence> {
        None
    }
    /// The real instructions of a branch-like, call or return pseudo; `None` if `inst` is real already.
    fn expand_pseudo(&self, _inst: &InstData) -> Option<Sequence> {
        None
    }
    /// The instructions of a pseudo that moves a value from registers to others through memory, in this stack object of
    /// [`THROUGH_STACK_BYTES`]; `None` if `inst` is none.
    fn through_stack(&self, _inst: &InstData, _slot: StackSlot) -> Option<Sequence> {
        None
    }
    /// The call instruction, or instructions, to a place `distance` bytes from the first: the code that a linker makes
    /// of a call. Empty on a machine without calls.
    fn call(&self, _kind: CallKind, _distance: i64) -> Sequence {
        Sequence::new()
    }
    /// The opcode of the conditional branch that is taken exactly when `inst` is not, with its operands; the label
    /// stays.
    fn invert_branch(&self, _inst: &InstData) -> Option<InstData> {
        None
    }
    /// An unconditional branch to the block that is its label operand.
    fn jump(&self, destination: tribunal_ir::Block) -> InstData;
    /// The same for a block beyond the reach of [`Machine::jump`]; it clobbers `scratch`. `None` on a machine without
    /// such a jump.
    fn far_jump(&self, _destination: tribunal_ir::Block, _scratch: PReg) -> Option<InstData> {
        None
    }
    /// The end of a block from which no defined execution goes on: a terminator that stops the machine.
    fn trap(&self) -> InstData;
    /// The instruction as assembly text, without indentation; labels and symbols print through `name`.
    fn assembly(&self, inst: &InstData, name: &dyn Fn(&Operand) -> String) -> String;
}

/// The target that a command line or a triple names: `riscv64`, `riscv64-unknown-linux-gnu`.
pub fn by_name(name: &str) -> Option<&'static Target> {
    let architecture = name.split('-').next()?;
    ALL.iter().copied().find(|target| target.name == architecture)
}

/// Every target.
pub static ALL: &[&Target] = &[&riscv::RISCV64, &riscv::RISCV32, &aarch64::AARCH64];

/// Names to numbers.
#[derive(Default)]
pub(crate) struct Index {
    opcodes: rustc_hash::FxHashMap<&'static str, TargetOpcode>,
    registers: rustc_hash::FxHashMap<&'static str, PReg>,
}

impl Target {
    fn index(&self) -> &Index {
        self.made.index.get_or_init(|| Index {
            opcodes: (0..).zip(self.instructions).map(|(number, row)| (row.name, TargetOpcode(number))).collect(),
            registers: (0..).zip(self.registers).map(|(number, row)| (row.name, PReg(number))).collect(),
        })
    }
}

fn position<T>(rows: &[T], is: impl Fn(&T) -> bool) -> Option<u8> {
    rows.iter().position(is).and_then(|index| u8::try_from(index).ok())
}

/// Every target speaks the language through its own tables.
impl Vocabulary for Target {
    fn architecture(&self) -> &'static str {
        self.name
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
    fn opcode_takes_part(&self, opcode: TargetOpcode, part: i64, whole_bits: u32) -> bool {
        let operands = self.instructions[usize::from(opcode.0)].operands;
        let is_whole = |class: RegClass| self.class(class).bits == whole_bits;
        operands.first().and_then(OperandDesc::class).is_some_and(is_whole)
            && operands.iter().any(|desc| desc.range().is_some_and(|range| range.accepts(part)))
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
    fn is_boxed(&self, register: PReg) -> bool {
        let row = &self.registers[usize::from(register.0)];
        row.full != register && self.bank_of(row.full).is_some_and(|bank| self.bank(bank).boxes)
    }
    fn is_zero_register(&self, register: PReg) -> bool {
        self.zero.contains(&register)
    }
    fn float_environment(&self) -> Option<&'static FloatEnvironment> {
        self.abi.float_environment.as_ref()
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
    fn register_mask(&self, name: &str) -> Option<RegMask> {
        position(self.register_masks, |(known, _)| *known == name).map(RegMask)
    }
    fn register_mask_name(&self, mask: RegMask) -> &'static str {
        self.register_masks[usize::from(mask.0)].0
    }
    fn preserved(&self, mask: RegMask) -> Preserved {
        self.register_masks[usize::from(mask.0)].1
    }
    fn target_flags(&self) -> &'static [&'static str] {
        self.target_flags
    }
    fn subregister(&self, name: &str) -> Option<SubReg> {
        position(self.subregisters, |row| row.name == name).map(SubReg)
    }
    fn subregister_name(&self, index: SubReg) -> &'static str {
        self.subregisters.get(usize::from(index.0)).map_or("", |row| row.name)
    }
    fn subregister_bits(&self, index: SubReg) -> u32 {
        self.subregisters.get(usize::from(index.0)).map_or(0, |row| row.bits)
    }
}
