//! A made-up 32-bit machine, to show that a target is its rows: four allocatable general registers, two accumulators in
//! a file of their own, a dozen instructions. Nothing outside of this file knows it.
//!
//! A word is the opcode in the top byte, then registers of four bits each from bit 20 down, and an immediate in the low
//! half.

use std::sync::OnceLock;
use tribunal_ir::semantics::{Unsupported, Value};
use tribunal_ir::types::S32;
use tribunal_ir::{Block, InstData, Opcode, Operand, PReg, RegBank, RegClass, TargetOpcode, Type};
use tribunal_target::abi::{Abi, Pairs, Passing, ThreadPointer};
use tribunal_target::instructions::{Access, ImmRange, OperandDesc, Piece};
use tribunal_target::legality::{LegalizerInfo, TypePairAndMemDesc, rules_for};
use tribunal_target::meaning::{AnyDomain, MachineEvaluation};
use tribunal_target::moves::CopyDesc;
use tribunal_target::operands::{access, finish, jump_free, sources};
use tribunal_target::registers::{BankDesc, ClassDesc, RegisterDesc, RegisterFile, SubRegDesc};
use tribunal_target::selection::{Emit, ImmClass, Out, Pat, Pattern, SelectionRule, Types};
use tribunal_target::{Features, Machine, Made, Target};

const fn r(number: u16) -> PReg {
    PReg(number)
}
const RA: PReg = r(5);
const SP: PReg = r(6);
const SCRATCH: PReg = r(4);

const GPR: RegClass = RegClass(0);
const ACC: RegClass = RegClass(1);
const GPRB: RegBank = RegBank(0);
const ACCB: RegBank = RegBank(1);

const fn register(name: &'static str, number: u16, encoding: u8) -> RegisterDesc {
    RegisterDesc { name, assembly: name, bits: 32, full: PReg(number), encoding }
}

static REGISTERS: &[RegisterDesc] = &[
    register("r0", 0, 0),
    register("r1", 1, 1),
    register("r2", 2, 2),
    register("r3", 3, 3),
    register("r4", 4, 4),
    register("r5", 5, 5),
    register("r6", 6, 6),
    register("c0", 7, 0),
    register("c1", 8, 1),
];
const C0: PReg = r(7);
const C1: PReg = r(8);

static CLASSES: &[ClassDesc] = &[
    ClassDesc {
        name: "gpr",
        bits: 32,
        bank: GPRB,
        members: &[r(0), r(1), r(2), r(3), SCRATCH, RA, SP],
        allocatable: &[r(0), r(1), r(2), r(3)],
    },
    ClassDesc { name: "acc", bits: 32, bank: ACCB, members: &[C0, C1], allocatable: &[C0, C1] },
];

const fn bank(name: &'static str, class: RegClass, file: RegisterFile, spill: Emit, reload: Emit) -> BankDesc {
    BankDesc {
        name,
        max_bits: 32,
        class,
        file,
        spill,
        reload,
        requires: Features::empty(),
        narrower: None,
        boxes: false,
    }
}

const D: Out = Out::Def(GPR);
const A: Out = Out::Reg(0);
const B: Out = Out::Reg(1);
const M: Out = Out::Address(0);

static BANKS: &[BankDesc] = &[
    bank("gprb", GPR, RegisterFile::General, Emit::new(SW, &[A, M]), Emit::new(LW, &[D, M])),
    bank("accb", ACC, RegisterFile::Float, Emit::new(SWC, &[A, M]), Emit::new(LWC, &[Out::Def(ACC), M])),
];

static COPIES: &[CopyDesc] = &[
    CopyDesc { name: "toy copy", to: GPR, from: GPR, code: Emit::new(MOV, &[D, A]) },
    CopyDesc { name: "toy copy_acc", to: ACC, from: ACC, code: Emit::new(MOVC, &[Out::Def(ACC), A]) },
    CopyDesc { name: "toy to_acc", to: ACC, from: GPR, code: Emit::new(TOC, &[Out::Def(ACC), A]) },
    CopyDesc { name: "toy from_acc", to: GPR, from: ACC, code: Emit::new(FROMC, &[D, A]) },
];

const fn at(operand: u8) -> Piece {
    Piece::low(operand, 4, 20 - 4 * operand)
}

tribunal_target::formats! {
    three [at(0), at(1), at(2)];
    two [at(0), at(1)];
    with_immediate [at(0), at(1), Piece::low(2, 16, 0)];
    constant [at(0), Piece::low(1, 16, 0)];
    label [Piece::part(0, 2, 16, 0)];
    alone [];
}

const DEF: OperandDesc = OperandDesc::Def(GPR);
const USE: OperandDesc = OperandDesc::Use(GPR);
const BASE: OperandDesc = OperandDesc::Base(GPR);
const DEFC: OperandDesc = OperandDesc::Def(ACC);
const USEC: OperandDesc = OperandDesc::Use(ACC);
const I16: OperandDesc = OperandDesc::Imm(ImmRange::Signed(16));
const O16: OperandDesc = OperandDesc::Offset { range: ImmRange::Signed(16), scale: 1 };
const L18: OperandDesc = OperandDesc::Label { bits: 18, scale: 4 };
const WORD: Access = Access::unsigned(4, 4);

tribunal_target::instructions! {
    ADD [DEF, USE, USE] three(0x0100_0000) {};
    SUB [DEF, USE, USE] three(0x0200_0000) {};
    ADDI [DEF, BASE, O16] with_immediate(0x0300_0000) {};
    LI [DEF, I16] constant(0x0400_0000) {};
    MOV [DEF, USE] two(0x0500_0000) {};
    LW [DEF, BASE, O16] with_immediate(0x0600_0000) {LOAD} of WORD;
    SW [USE, BASE, O16] with_immediate(0x0700_0000) {STORE} of WORD;
    JMP [L18] label(0x0800_0000) {TERMINATOR, BRANCH, BARRIER};
    RET [] alone(0x0900_0000) {TERMINATOR, RETURN, BARRIER};
    TRAP [] alone(0x0a00_0000) {TERMINATOR, BARRIER};
    ADDC [DEFC, USEC, USEC] three(0x1000_0000) {};
    MOVC [DEFC, USEC] two(0x1100_0000) {};
    TOC [DEFC, USE] two(0x1200_0000) {};
    FROMC [DEF, USEC] two(0x1300_0000) {};
    LWC [DEFC, BASE, O16] with_immediate(0x1400_0000) {LOAD} of WORD;
    SWC [USEC, BASE, O16] with_immediate(0x1500_0000) {STORE} of WORD;
}

fn meaning<'d>(
    d: &mut (dyn AnyDomain + 'd),
    target: &Target,
    inst: &InstData,
    args: &[Value<dyn AnyDomain + 'd>],
) -> Result<MachineEvaluation<dyn AnyDomain + 'd>, Unsupported> {
    let Opcode::Target(opcode) = inst.opcode else { return Err(Unsupported::new(inst.opcode.to_string())) };
    let row = target.instruction(opcode);
    let s = sources(d, target, inst, args)?;
    if let Some(of_row) = row.access {
        return access(d, target, row, of_row, inst, &s);
    }
    let bits = match opcode {
        JMP | RET => return Ok(jump_free(d)),
        LI | MOV | MOVC | TOC | FROMC => {
            let [a] = s.exactly(inst)?;
            a.bits
        }
        ADD | ADDI | ADDC | SUB => {
            let [a, b] = s.exactly(inst)?;
            if opcode == SUB { d.sub(&a.bits, &b.bits) } else { d.add(&a.bits, &b.bits) }
        }
        _ => return Err(Unsupported::new(row.name)),
    };
    Ok(finish(d, bits, &s))
}

const P0: Type = Type::Pointer { address_space: 0, bits: 32 };

fn legality(_: Features) -> &'static LegalizerInfo {
    static TABLE: OnceLock<LegalizerInfo> = OnceLock::new();
    let word = TypePairAndMemDesc { type0: S32, type1: P0, memory: S32, align_bits: 32 };
    let on = |opcodes: &[Opcode]| rules_for("toy32", opcodes).unsupported_if_not_scalar();
    TABLE.get_or_init(|| {
        LegalizerInfo::new(vec![
            on(&[Opcode::G_ADD, Opcode::G_SUB])
                .legal_for(&[S32])
                .widen_scalar_to_next_pow2(0)
                .clamp_scalar(0, S32, S32),
            on(&[Opcode::G_CONSTANT]).legal_for(&[S32]).widen_scalar_to_next_pow2(0).clamp_scalar(0, S32, S32),
            on(&[Opcode::G_PTR_ADD]).legal_for(&[(P0, S32)]),
            on(&[Opcode::G_FRAME_INDEX]).legal_for(&[P0]),
            on(&[Opcode::G_LOAD, Opcode::G_STORE]).legal_for_types_with_mem_desc(&[word]),
        ])
    })
}

const SIMM16: ImmClass = ImmClass { name: "simm16", accepts: |value| (-0x8000..0x8000).contains(&value.signed()) };

const fn rule(name: &'static str, pattern: Pattern, emit: &'static [Emit]) -> SelectionRule {
    SelectionRule { name, pattern, requires: Features::empty(), emit }
}

static RULES: &[SelectionRule] = &[
    rule("toy li", of(Opcode::G_CONSTANT, &[Pat::Imm(0, SIMM16)]), &[Emit::new(LI, &[D, Out::Imm(0)])]),
    rule("toy add", of(Opcode::G_ADD, &[Pat::Reg(0), Pat::Reg(1)]), &[Emit::new(ADD, &[D, A, B])]),
    rule("toy sub", of(Opcode::G_SUB, &[Pat::Reg(0), Pat::Reg(1)]), &[Emit::new(SUB, &[D, A, B])]),
    rule("toy ptr_add", of(Opcode::G_PTR_ADD, &[Pat::Reg(0), Pat::Reg(1)]), &[Emit::new(ADD, &[D, A, B])]),
    rule(
        "toy frame",
        of(Opcode::G_FRAME_INDEX, &[Pat::Stack(0)]),
        &[Emit::new(ADDI, &[D, Out::Stack(0), Out::Const(0)])],
    ),
    rule("toy load", of(Opcode::G_LOAD, &[Pat::Address(0, SIMM16)]), &[Emit::new(LW, &[D, M])]),
    rule("toy store", of(Opcode::G_STORE, &[Pat::Reg(0), Pat::Address(0, SIMM16)]), &[Emit::new(SW, &[A, M])]),
];

const fn of(opcode: Opcode, operands: &'static [Pat]) -> Pattern {
    Pattern::of(opcode, Types::Any, operands)
}

static ABI: Abi = Abi {
    passing: &[Passing { bank: GPRB, arguments: &[r(0), r(1), r(2)], results: &[r(0)] }],
    pairs: Pairs::Anywhere,
    indirect_result: None,
    callee_saved: &[r(3)],
    caller_saved: &[r(0), r(1), r(2), RA, C0, C1],
    stack_pointer: SP,
    frame_pointer: SP,
    base_pointer: SP,
    frame_record_end: 0,
    return_address: RA,
    thread_pointer: ThreadPointer::None,
    float_environment: None,
    reserved: &[],
    scratch: &[SCRATCH],
    stack_align: 8,
    return_opcode: RET,
    extended_to: 0,
    va_list: &[],
    calls: None,
};

struct Sequences;

fn machine(opcode: TargetOpcode, operands: impl IntoIterator<Item = Operand>) -> InstData {
    InstData::new(Opcode::Target(opcode), operands)
}

impl Machine for Sequences {
    /// No frame of this machine's tests is larger than an immediate.
    fn add_offset(&self, dst: PReg, src: PReg, offset: i64, _: PReg) -> Vec<InstData> {
        vec![machine(ADDI, [Operand::def(dst), Operand::used(src), Operand::Imm(offset)])]
    }

    fn jump(&self, destination: Block) -> InstData {
        machine(JMP, [Operand::Block(destination)])
    }

    fn trap(&self) -> InstData {
        machine(TRAP, [])
    }

    fn assembly(&self, inst: &InstData, _: &dyn Fn(&Operand) -> String) -> String {
        inst.opcode.to_string()
    }
}

pub static TOY32: Target = Target {
    name: "toy32",
    triple: "toy32-unknown-none",
    pointer_bits: 32,
    elf: None,
    default_features: Features::empty(),
    options: &[],
    registers: REGISTERS,
    classes: CLASSES,
    banks: BANKS,
    copies: COPIES,
    subregisters: &[SubRegDesc { name: "", bits: 32 }],
    register_masks: &[],
    target_flags: &[],
    instructions: INSTRUCTIONS,
    compressed: &[],
    selection: RULES,
    abi: &ABI,
    addressing: &tribunal_target::addressing::AddressingDesc::NONE,
    zero: &[],
    customs: &[],
    legality,
    meaning,
    machine: &Sequences,
    vocabulary: &TOY32,
    made: Made::new(),
};
