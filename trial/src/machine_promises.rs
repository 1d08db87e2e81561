//! Promises of machine instructions against those of the generic instructions that compute the same. LLVM's selector
//! hands the flags over, and `validate` believes them; our own hands none over, so no program shows one.
//!
//! A machine instruction is found for a generic one in two ways. It is selected for an operand that is constant, and
//! for a truncation. And each row that reads two registers is compared with every generic instruction. Those with the
//! same results on all corners belong together, and get the same flags. Where a promise is broken the machine's
//! result has to be poison, if promises are believed. Where it is kept the result must be none, if only what is certain
//! counts: other instructions with the same result may break theirs.

use crate::finding::Finding;
use tribunal_codegen::call_lowering::{ArgumentExtension, ArgumentType, CallLowering};
use tribunal_codegen::{Context, NoObserver, Options, legalize, pipeline, select};
use tribunal_emulator::Input;
use tribunal_emulator::interpreter::{Execution, Interpreter, KeptAccesses, Settings};
use tribunal_ir::opcode::TypeClass;
use tribunal_ir::semantics::Unsupported;
use tribunal_ir::vocabulary::Vocabulary;
use tribunal_ir::{
    Builder, Constraint, Function, Inst, InstData, InstFlags, Opcode, Operand, Position, RegClass, SubReg,
    TargetOpcode, Type, VReg, text,
};
use tribunal_target::Target;
use tribunal_target::instructions::{ImmRange, OperandDesc};
use tribunal_target::promises::Promises;

/// The second operand of a generic instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Second {
    Argument,
    Constant(i64),
    /// The argument, shifted by this opcode.
    Shifted(Opcode),
    /// The low bits of the argument, extended by this opcode.
    Extended(Opcode, u32),
    /// Both operands are the low halves of the arguments, extended by this opcode.
    BothExtended(Opcode),
    /// There is none: a truncation to the half.
    None,
}

/// The amount of the shifted operands.
const AMOUNT: i64 = 3;

/// A generic instruction by itself, on arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Case {
    opcode: Opcode,
    bits: u32,
    second: Second,
    /// The result is extended with its sign to the whole register.
    is_extended: bool,
}

/// A machine instruction by itself, in a function.
#[derive(Clone)]
struct Subject {
    function: Function,
    inst: Inst,
}

/// A finding for each opcode of the target whose promises are read wrongly once it is selected.
pub fn wrong_promises(target: &'static Target) -> Vec<Finding> {
    let mut wrong: Vec<(Opcode, String)> = subjects(target)
        .iter()
        .filter_map(|(case, subject)| Some((case.opcode, case.wrong(subject, target)?)))
        .collect();
    wrong.sort_by_key(|(opcode, _)| *opcode);
    wrong.dedup_by_key(|(opcode, _)| *opcode);
    wrong.into_iter().map(|(opcode, details)| Finding::machine_promise(opcode, details)).collect()
}

/// Generic instructions, each with a machine instruction that computes the same. One that computes something else is
/// another fault, which programs show.
fn subjects(target: &'static Target) -> Vec<(Case, Subject)> {
    let inputs = [32, 64].map(|bits| inputs(target, bits));
    let results =
        |function: &Function, bits: u32| results(function, target, Promises::Ignored, &inputs[usize::from(bits == 64)]);
    let (mut subjects, mut compared) = (Vec::new(), Vec::new());
    for case in cases(target) {
        let Some(function) = case.function(InstFlags::empty(), target) else { continue };
        let meant = results(&function, case.bits);
        if matches!(case.second, Second::Constant(_) | Second::None) {
            let subject =
                case.selected(target).filter(|subject| case.agrees(&meant, &results(&subject.function, case.bits)));
            subjects.extend(subject.map(|subject| (case, subject)));
        } else {
            compared.push((case, meant));
        }
    }
    for row in rows(target) {
        for bits in [32, 64] {
            let computed = results(&row.function, bits);
            let same = compared.iter().filter(|(case, meant)| case.bits == bits && case.agrees(meant, &computed));
            subjects.extend(same.map(|&(case, _)| (case, row.clone())));
        }
    }
    subjects
}

/// The generic instructions that may promise something, in every form that the target may have an instruction for.
fn cases(target: &Target) -> Vec<Case> {
    let mut cases = Vec::new();
    for &opcode in Opcode::ALL.iter().filter(|opcode| opcode.is_defined()) {
        let Some(info) = opcode.info().filter(|info| info.inst_flags.intersects(InstFlags::PROMISES)) else { continue };
        let is_number = |class: TypeClass| matches!(class, TypeClass::Number | TypeClass::Pointer);
        let seconds: Vec<Second> = match info.uses.len() {
            1 if opcode == Opcode::G_TRUNC => vec![Second::None],
            2 if info.defs.len() == 1 && info.class_of(0).is_some_and(is_number) => seconds(),
            _ => continue,
        };
        let register = u32::from(target.pointer_bits);
        for bits in [32, 64].into_iter().filter(|&bits| bits <= register) {
            for second in seconds.iter().copied() {
                cases.push(Case { opcode, bits, second, is_extended: false });
                if bits < register && second == Second::Argument {
                    cases.push(Case { opcode, bits, second, is_extended: true });
                }
            }
        }
    }
    cases
}

fn seconds() -> Vec<Second> {
    let mut seconds = vec![Second::Argument];
    seconds.extend([1, 3, 255, -3].map(Second::Constant));
    // The amount of a shift has a type of its own, and a rotation promises nothing.
    let is_shift = |opcode: &Opcode| {
        opcode.info().is_some_and(|info| {
            let promises = info.inst_flags.intersects(InstFlags::PROMISES);
            promises && info.uses.len() == 2 && [0, 1].map(|index| info.class_of(index)) == [Some(TypeClass::Number); 2]
        })
    };
    seconds.extend(Opcode::ALL.iter().copied().filter(is_shift).map(Second::Shifted));
    for extension in [Opcode::G_SEXT, Opcode::G_ZEXT] {
        seconds.extend([8, 16, 32].map(|bits| Second::Extended(extension, bits)));
        seconds.push(Second::BothExtended(extension));
    }
    seconds
}

/// The rows that read two registers, and change the second one in some way, or read a zero besides.
fn rows(target: &'static Target) -> Vec<Subject> {
    let mut rows = Vec::new();
    for (opcode, row) in (0..).map(TargetOpcode).zip(target.instructions) {
        let [OperandDesc::Def(to), OperandDesc::Use(one), OperandDesc::Use(other), rest @ ..] = row.operands else {
            continue;
        };
        if [to, one, other].iter().any(|class| target.class_bits(**class) > target.pointer_bits.into()) {
            continue;
        }
        let last: Vec<Option<Operand>> = match rest {
            [] => vec![None],
            [OperandDesc::Imm(range @ ImmRange::ShiftedBy { .. })] => {
                let kinds = (0..4).map(|kind| kind << 6 | AMOUNT);
                kinds.filter(|&value| range.accepts(value)).map(|value| Some(Operand::Imm(value))).collect()
            }
            [OperandDesc::Imm(range @ (ImmRange::Extension | ImmRange::ExtensionOfWord))] => {
                let kinds = (0..8).map(|kind| kind << 3);
                kinds.filter(|&value| range.accepts(value)).map(|value| Some(Operand::Imm(value))).collect()
            }
            [OperandDesc::Use(class)] => {
                let is_of_class = |zero: &&_| target.class(*class).members.contains(*zero);
                target.zero.iter().filter(is_of_class).map(|&zero| Some(Operand::used(zero))).collect()
            }
            _ => continue,
        };
        rows.extend(last.into_iter().map(|last| Subject::of_row(target, opcode, [*to, *one, *other], last)));
    }
    rows
}

impl Subject {
    /// The row on the arguments, with an operand behind them.
    fn of_row(target: &Target, opcode: TargetOpcode, classes: [RegClass; 3], last: Option<Operand>) -> Subject {
        let mut function = Function::new("f");
        let entry = function.new_block();
        let [to, one, other] = classes.map(|class| function.push_vreg(None, Constraint::Class(class)));
        let place = |full, class| target.part_of(full, target.class_bits(class));
        let mut builder = Builder::new(&mut function, Position::AtEnd(entry));
        for ((value, class), full) in [one, other].into_iter().zip(&classes[1..]).zip(target.abi.arguments()) {
            builder.define(value, Opcode::COPY, [Operand::used(place(*full, *class))]);
        }
        let operands = [Operand::def(to), Operand::used(one), Operand::used(other)].into_iter().chain(last);
        let inst = builder.push(InstData::new(Opcode::Target(opcode), operands));
        let result = place(target.abi.results()[0], classes[0]);
        builder.push(InstData::new(Opcode::COPY, [Operand::def(result), Operand::used(to)]));
        let returned = Operand::implicit_use(result);
        builder.push(InstData::new(Opcode::Target(target.abi.return_opcode), [returned]));
        Subject { function, inst }
    }

    /// The instruction with these flags.
    fn with_flags(&self, flags: InstFlags) -> Function {
        let mut function = self.function.clone();
        let data = function.inst(self.inst).clone().with_flags(flags);
        function.replace(self.inst, data);
        function
    }
}

/// The outcome of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Outcome {
    /// A result of so many bits.
    Value(u32, u128),
    Poison,
    /// Undefined behaviour, or an instruction without a meaning.
    Nothing,
}

/// The outcomes of runs on all inputs.
fn results(function: &Function, target: &'static Target, promises: Promises, inputs: &[Input]) -> Vec<Outcome> {
    let settings = Settings { fuel: 64, events: 0, accesses: KeptAccesses::Volatile };
    let runs = Interpreter::new(function, target).with_promises(promises).run_all(inputs, settings);
    let outcome = |run: Result<Execution, Unsupported>| {
        let run = run.ok()?.observation;
        let (_, bits, result) = run.returned.first().filter(|_| run.outcome.is_determined())?;
        Some(if result.unknown & 1 == 1 { Outcome::Poison } else { Outcome::Value(*bits, result.value) })
    };
    runs.into_iter().map(|run| outcome(run).unwrap_or(Outcome::Nothing)).collect()
}

/// Corners of both operands, of so many bits. The upper halves of wider registers hold anything.
fn inputs(target: &Target, bits: u32) -> Vec<Input> {
    let half = 1u128 << (bits - 1);
    let corners = [0, 1, 3, 1 << 31, 0x9234_5678_9abc_def1, half / 8 + 5, half - 1, half, 2 * half - 1];
    let above = if bits == 32 { [0x5a5a_0000_0000, 0x1234_0000_0000] } else { [0; 2] };
    let whole = u128::from(u64::MAX >> (64 - target.pointer_bits));
    let registers = target.abi.arguments();
    let pair = |values: [u128; 2]| {
        let contents = values.into_iter().zip(above).map(|(value, above)| ((value % (2 * half)) | above) & whole);
        Input { registers: registers.iter().copied().zip(contents).collect(), buffers: Vec::new() }
    };
    corners.iter().flat_map(|&one| corners.iter().map(move |&other| pair([one, other]))).collect()
}

impl Case {
    /// Whether what a machine instruction computes is what this one means. A shift by an operand that is changed is
    /// defined on too few inputs to be told by them.
    fn agrees(&self, meant: &[Outcome], computed: &[Outcome]) -> bool {
        let is_value = |outcome: &Outcome| matches!(outcome, Outcome::Value(..));
        let defined = meant.iter().filter(|outcome| is_value(outcome)).count();
        let is_changed = matches!(self.second, Second::Shifted(_) | Second::Extended(..) | Second::BothExtended(_));
        let is_told = if is_changed { defined == meant.len() } else { defined > 0 };
        is_told && meant.iter().zip(computed).all(|(meant, computed)| !is_value(meant) || meant == computed)
    }

    /// The first set of flags that the machine instruction reads wrongly, and where. Where the promise is kept, some
    /// result is poison in no way; where it is broken, some is for certain.
    fn wrong(&self, subject: &Subject, target: &'static Target) -> Option<String> {
        let (plain, inputs) = (self.function(InstFlags::empty(), target)?, inputs(target, self.bits));
        let plain = results(&plain, target, Promises::Ignored, &inputs);
        self.promises().subsets().skip(1).find_map(|flags| {
            let (generic, machine) = (self.function(flags, target)?, subject.with_flags(flags));
            let poison = |function, promises| {
                let results = results(function, target, promises, &inputs);
                results.into_iter().map(|outcome| outcome == Outcome::Poison).collect::<Vec<bool>>()
            };
            let broken = poison(&generic, Promises::Ignored);
            let [believed, certain] =
                [Promises::Believed, Promises::Certain].map(|promises| poison(&machine, promises));
            let text = || text::print_inst(&machine, machine.inst(subject.inst), target.vocabulary);
            let (mut meant, mut read) = ([false; 2], [false; 2]);
            for number in (0..inputs.len()).filter(|&number| matches!(plain[number], Outcome::Value(..))) {
                let [broken, believed, certain] = [&broken, &believed, &certain].map(|poison| poison[number]);
                meant[usize::from(broken)] = true;
                read = [read[0] | !believed, read[1] | certain];
                if broken && !believed || certain && !broken {
                    let verb = if broken { "breaks" } else { "keeps" };
                    let values = inputs[number].registers.iter().map(|(_, value)| format!("{value:#x}"));
                    let values = values.collect::<Vec<String>>().join(", ");
                    return Some(format!("`{}` on ({values}) {verb} the promise of {self:?}", text()));
                }
            }
            (meant != read).then(|| format!("`{}` never keeps the promise of {self:?}, or never breaks it", text()))
        })
    }

    /// The promises that are compared. Where objects end shows in a function with objects only. A difference of
    /// addresses that loses no number is no sum that does.
    fn promises(&self) -> InstFlags {
        let promises = self.opcode.info().map_or(InstFlags::empty(), |info| info.inst_flags & InstFlags::PROMISES);
        let is_difference = self.is_of_address() && matches!(self.second, Second::Constant(..0));
        promises.difference(InstFlags::INBOUNDS | if is_difference { InstFlags::NUW } else { InstFlags::empty() })
    }

    fn is_of_address(&self) -> bool {
        self.opcode.info().is_some_and(|info| info.class_of(0) == Some(TypeClass::Pointer))
    }

    /// The generic instruction with these flags between arguments and return; `None` if it cannot be written.
    fn function(&self, flags: InstFlags, target: &'static Target) -> Option<Function> {
        let Case { opcode, bits, second, is_extended } = *self;
        let pointer = Type::Pointer { address_space: 0, bits: target.pointer_bits };
        let (wide, half) = (Type::scalar(bits), Type::scalar(bits / 2));
        let ty = match opcode.info()?.class_of(0)? {
            TypeClass::Pointer if bits == u32::from(target.pointer_bits) => pointer,
            TypeClass::Pointer => return None,
            _ => wide,
        };
        let types = match second {
            Second::BothExtended(_) => [half; 2],
            _ => [ty, wide],
        };
        let (mut function, lowering) = (Function::new("f"), CallLowering { target });
        let entry = function.new_block();
        let mut builder = Builder::new(&mut function, Position::AtEnd(entry));
        let arguments = lowering.formal_arguments(&mut builder, &types.map(ArgumentType::from)).ok()?;
        let &[first, other] = arguments.as_slice() else { return None };
        let result = match second {
            Second::None => builder.op_with(half, opcode, &[first], flags),
            _ => {
                let sources = second.sources(&mut builder, wide, [first, other])?;
                builder.op_with(ty, opcode, &sources, flags)
            }
        };
        let whole = Type::scalar(target.pointer_bits.into());
        let result = if is_extended { builder.op(whole, Opcode::G_SEXT, &[result]) } else { result };
        lowering.return_values(&mut builder, &[(result, ArgumentExtension::Any)]).ok()?;
        Some(function)
    }

    /// The instruction that is selected, if it is one with the same operands.
    fn selected(&self, target: &'static Target) -> Option<Subject> {
        let mut function = self.function(InstFlags::empty(), target)?;
        let options = Options::new(target.default_features);
        let legalizer = (target.legality)(options.features);
        let mut context = Context { target, options, legalizer, observer: &mut NoObserver };
        // Another operation in its place has promises of its own.
        pipeline::run_until(&mut function, &mut context, Some(legalize::PASS.name)).ok()?;
        let types = |function: &Function| -> Vec<Option<Type>> {
            let same = function.all_insts().map(|inst| function.inst(inst)).filter(|data| data.opcode == self.opcode);
            same.map(|data| function.type_of(data.vreg_defs().next()?)).collect()
        };
        if types(&function) != types(&self.function(InstFlags::empty(), target)?) {
            return None;
        }
        pipeline::run_until(&mut function, &mut context, Some(select::PASS.name)).ok()?;
        let is_computed = |inst: &Inst| {
            let data = function.inst(*inst);
            let is_whole = data.uses().all(|operand| operand.subregister == SubReg(0));
            data.vreg_defs().next().is_some() && !(data.opcode == Opcode::COPY && is_whole)
        };
        let computed: Vec<Inst> = function.all_insts().filter(is_computed).collect();
        let &[inst] = computed.as_slice() else { return None };
        let is_same = match self.second {
            Second::Constant(value) => self.reads(target, function.inst(inst), value),
            _ => true,
        };
        is_same.then_some(Subject { function, inst })
    }

    /// Whether the machine instruction has the constant for an operand, as it is, as a mask, or negated where a
    /// difference of addresses keeps the promises of the sum.
    fn reads(&self, target: &Target, data: &InstData, value: i64) -> bool {
        let Opcode::Target(opcode) = data.opcode else { return false };
        let is_mask = |operand: &OperandDesc| matches!(operand, OperandDesc::Imm(ImmRange::LogicalMask(_)));
        data.operands.contains(&Operand::Imm(value))
            || self.is_of_address() && data.operands.contains(&Operand::Imm(-value))
            || target.instruction(opcode).operands.iter().any(is_mask)
    }
}

impl Second {
    /// Both operands, of type `wide`, made of the arguments.
    fn sources(self, builder: &mut Builder<'_>, wide: Type, [first, other]: [VReg; 2]) -> Option<[VReg; 2]> {
        Some(match self {
            Second::Argument => [first, other],
            Second::Constant(value) => [first, builder.constant_i64(wide, value)],
            Second::Shifted(opcode) => {
                let amount = builder.constant_i64(wide, AMOUNT);
                [first, builder.op(wide, opcode, &[other, amount])]
            }
            Second::Extended(opcode, from) if from < wide.bits() => {
                let low = builder.op(Type::scalar(from), Opcode::G_TRUNC, &[other]);
                [first, builder.op(wide, opcode, &[low])]
            }
            Second::BothExtended(opcode) => [first, other].map(|half| builder.op(wide, opcode, &[half])),
            Second::Extended(..) | Second::None => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Both ways find instructions of every kind that a promise is read of.
    #[test]
    fn promises_of_every_kind_of_instruction_are_compared() {
        let texts: BTreeSet<String> = tribunal_target::ALL
            .iter()
            .flat_map(|target| subjects(target).into_iter().map(move |(_, subject)| (target, subject)))
            .map(|(target, Subject { function, inst })| {
                text::print_inst(&function, function.inst(inst), target.vocabulary)
            })
            .collect();
        let kinds = [
            "%0:gpr = ADDW %1, %2",
            "%3:gpr = SLLI %0, 3",
            "%2:gpr32 = COPY %0.sub_32",
            "%3:gpr64sp = ORRXri %0, 4103",
            "%3:gpr64 = UBFMXri %0, 3, 63",
            "%3:gpr64sp = SUBXri %0, 3, 0",
            "%0:gpr64 = ADDXrs %1, %2, 131",
            "%0:gpr64sp = SUBXrx %1, %2, 40",
            "%0:gpr64 = UMADDLrrr %1, %2, $xzr",
        ];
        let missing: Vec<&str> = kinds.into_iter().filter(|&kind| !texts.contains(kind)).collect();
        assert!(missing.is_empty(), "{missing:?} of {texts:#?}");
    }

    #[test]
    fn promises_are_read_as_the_generic_instructions_have_them() {
        let wrong: Vec<Finding> = tribunal_target::ALL.iter().flat_map(|target| wrong_promises(target)).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }

    /// A difference keeps promises that the sum of the same operands breaks.
    #[test]
    fn a_promise_of_another_instruction_is_told() {
        let target = tribunal_target::by_name("riscv64").expect("it is built in");
        let all = subjects(target);
        let of = |opcode| all.iter().find(|(case, _)| case.opcode == opcode && case.second == Second::Argument);
        let ((case, _), (_, other)) = (of(Opcode::G_ADD).expect("sums"), of(Opcode::G_SUB).expect("differences"));
        assert!(case.wrong(other, target).is_some_and(|details| details.contains("the promise of")));
    }
}
