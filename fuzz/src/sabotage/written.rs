//! Planted faults of what no generated program has, and the programs that show them: frames that move, lists of
//! variable arguments, small atomics.
//!
//! The programs are those of `programs` beside this file, and cases of `corpus/run`.

use super::{A64, BOTH, Fault, Plant, Programs, RISCV, RV64, Rules, Site};
use tribunal_codegen::pipeline::Code;
use tribunal_ir::{Function, Inst, InstData, InstFlags, Opcode, OpcodeFlags, Operand, PReg, Reg, text};
use tribunal_target::abi::CallKind;
use tribunal_target::{Features, Target};

/// The options of a machine that some of the programs need, where it has them.
pub(super) const FEATURES: Features = tribunal_target::riscv::features::A;

/// By target.
const PROGRAMS: [(&str, &[&str]); 3] = [
    (
        "riscv64",
        &[
            include_str!("programs/frames.riscv64.mir"),
            include_str!("../../../corpus/run/riscv64/variable_arguments.mir"),
            include_str!("../../../corpus/run/riscv64/masked_atomics.mir"),
        ],
    ),
    (
        "riscv32",
        &[
            include_str!("../../../corpus/run/riscv32/variable_arguments.mir"),
            include_str!("../../../corpus/run/riscv32/masked_atomics.mir"),
        ],
    ),
    (
        "aarch64",
        &[
            include_str!("programs/frames.aarch64.mir"),
            include_str!("../../../corpus/run/aarch64/variable_arguments.mir"),
            include_str!("../../../corpus/run/aarch64/small_atomics.mir"),
        ],
    ),
];

/// The programs of a target.
pub(super) fn programs(target: &'static Target) -> Vec<Function> {
    let files = PROGRAMS.iter().filter(|(name, _)| *name == target.name).flat_map(|(_, files)| *files);
    files
        .filter_map(|file| text::parse_module(file, target.vocabulary).ok())
        .flat_map(|module| module.functions)
        .collect()
}

const fn row(name: &'static str, model: &'static str, targets: &'static [&'static str], plant: Plant) -> Fault {
    Fault { name, model, targets, plant, programs: Programs::Written }
}

/// A fault in the rules that write an operation out.
const fn lowered(opcodes: &'static [&'static str], change: fn(&mut Site<'_>) -> Option<()>) -> Plant {
    Plant::Rewrite(Rules::Legality(opcodes, &["lower_for"]), change)
}

const fn combined(rule: &'static [&'static str], change: fn(&mut Site<'_>) -> Option<()>) -> Plant {
    Plant::Rewrite(Rules::Named(rule), change)
}

pub(super) static FAULTS: &[Fault] = &[
    row(
        "allocation-on-the-one-before",
        "stack pointer lost",
        BOTH,
        lowered(&["G_DYN_STACKALLOC"], |s| s.drop(s.last(Opcode::COPY)?)),
    ),
    row(
        "allocation-not-aligned",
        "alignment",
        BOTH,
        lowered(&["G_DYN_STACKALLOC"], |s| s.skip(s.first(Opcode::G_AND)?, 1)),
    ),
    row(
        "allocation-not-given-back",
        "stack pointer lost",
        BOTH,
        lowered(&["G_STACKRESTORE"], |s| s.drop(s.last(Opcode::COPY)?)),
    ),
    row(
        "moved-stack-pointer-not-restored",
        "stack pointer lost",
        BOTH,
        Plant::Stage("frame", |f, t| {
            let restores = |data: &InstData| {
                destroys(data) && writes(data, t.abi.stack_pointer) && reads(data, t.abi.frame_pointer)
            };
            removed(f, restores)
        }),
    ),
    row(
        "frame-pointer-not-set-up",
        "frame pointer",
        BOTH,
        Plant::Stage("frame", |f, t| {
            removed(f, |data| {
                sets_up(data)
                    && data.memory.is_empty()
                    && writes(data, t.abi.frame_pointer)
                    && reads(data, t.abi.stack_pointer)
            })
        }),
    ),
    row(
        "frame-pointer-one-word-off",
        "frame pointer",
        BOTH,
        Plant::Stage("frame", |f, t| {
            let inst = found(f, |data| {
                sets_up(data) && writes(data, t.abi.frame_pointer) && reads(data, t.abi.stack_pointer)
            })?;
            let index = f.inst(inst).operands.iter().position(|operand| matches!(operand, Operand::Imm(_)))?;
            let bytes = f.inst(inst).imm(index)?;
            f.set_operand(inst, index, Operand::Imm(bytes + 8));
            Some(())
        }),
    ),
    row(
        "base-pointer-not-set-up",
        "base pointer",
        BOTH,
        Plant::Stage("frame", |f, t| removed(f, |data| sets_up(data) && writes(data, t.abi.base_pointer))),
    ),
    row(
        "objects-not-aligned",
        "alignment",
        RV64,
        Plant::Stage("frame", |f, t| {
            let sp = t.abi.stack_pointer;
            let scratch = |data: &InstData| {
                data.uses().find_map(|operand| operand.reg.as_physical()).filter(|&source| source != sp)
            };
            let inst = found(f, |data| {
                sets_up(data) && writes(data, sp) && scratch(data).is_some() && !reads(data, t.abi.frame_pointer)
            })?;
            let copy = t.moves(t.default_features).copy(sp, scratch(f.inst(inst))?)?.with_flags(InstFlags::FRAME_SETUP);
            f.replace(inst, copy);
            Some(())
        }),
    ),
    row(
        "frame-alive-at-a-tail-call",
        "tail call over a live frame",
        BOTH,
        Plant::Stage("frame", |f, t| {
            found(f, |data| t.call_kind(data) == Some(CallKind::Tail))?;
            removed(f, |data| destroys(data) && writes(data, t.abi.stack_pointer))
        }),
    ),
    row(
        "list-of-arguments-one-word-late",
        "variadic save area",
        A64,
        combined(&["va_start"], |s| {
            s.constant(s.first(Opcode::G_CONSTANT)?, |bytes| bytes.add(tribunal_ir::Bits::new(8, bytes.width())))
        }),
    ),
    row(
        "list-of-arguments-without-its-last-field",
        "variadic save area",
        A64,
        combined(&["va_start"], |s| s.drop(s.last(Opcode::G_STORE)?)),
    ),
    row(
        "list-of-arguments-does-not-go-on",
        "variadic save area",
        RISCV,
        combined(&["va_arg"], |s| s.drop(s.last(Opcode::G_STORE)?)),
    ),
    row(
        "small-atomic-over-its-neighbours",
        "small-atomic mask",
        RV64,
        Plant::Emission(|code, t| {
            // The last step before the store takes the bits of the mask alone.
            within_loop(code, t, "AND", |data| data.operands[2] = data.operands[1])
        }),
    ),
    row(
        "small-atomic-compared-too-wide",
        "small-atomic mask",
        A64,
        Plant::Emission(|code, t| {
            // `uxtw`.
            within_loop(code, t, "SUBSWrx", |data| data.operands[3] = Operand::Imm(16))
        }),
    ),
];

fn sets_up(data: &InstData) -> bool {
    data.flags.contains(InstFlags::FRAME_SETUP)
}

fn destroys(data: &InstData) -> bool {
    data.flags.contains(InstFlags::FRAME_DESTROY)
}

fn writes(data: &InstData, register: PReg) -> bool {
    data.defs().any(|operand| operand.reg == Reg::Physical(register))
}

fn reads(data: &InstData, register: PReg) -> bool {
    data.uses().any(|operand| operand.reg == Reg::Physical(register))
}

/// The last instruction of the kind.
fn found(function: &Function, is_wanted: impl Fn(&InstData) -> bool) -> Option<Inst> {
    function.all_insts().filter(|&inst| is_wanted(function.inst(inst))).last()
}

/// Removes the last instruction of the kind.
fn removed(function: &mut Function, goes: impl Fn(&InstData) -> bool) -> Option<()> {
    let inst = found(function, goes)?;
    function.remove(inst);
    Some(())
}

/// Changes the last instruction of this name, of those between a load that reserves and its store.
fn within_loop(code: &mut Code, target: &Target, name: &str, change: impl Fn(&mut InstData)) -> Option<()> {
    let wanted = target.vocabulary.opcode(name)?;
    let mut is_within = false;
    code.bytes.rchunks_exact_mut(4).find_map(|bytes| {
        let mut data = target.decode(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))?;
        let Opcode::Target(opcode) = data.opcode else { return None };
        let row = target.instruction(opcode);
        let reserves = row.flags.contains(OpcodeFlags::SIDE_EFFECTS) && row.access.is_some();
        if reserves {
            is_within = row.flags.contains(OpcodeFlags::STORE);
        }
        if !is_within || opcode != wanted {
            return None;
        }
        change(&mut data);
        let word = target.encode(&data).ok()?;
        bytes.copy_from_slice(&word.to_le_bytes());
        Some(())
    })
}
