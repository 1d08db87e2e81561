//! Instances on numbers of floating point: of every such opcode, on every format, with each predicate, class and flag;
//! and with integers around the sizes of registers, where a type is one. On a few vectors too.

use super::{Instance, Written, instance};
use tribunal_ir::opcode::{IndexTypes, TypeClass};
use tribunal_ir::types::ElementCount;
use tribunal_ir::{
    Bits, FloatFormat, FloatPredicate, Function, InstFlags, Opcode, OpcodeInfo, Operand, OperandKind, Type,
};
use tribunal_target::Target;
use tribunal_target::legality::NUMBERS;

/// The widths of integers that numbers are converted from and to, and that comparisons define.
const INTEGERS: [u32; 14] = [1, 7, 8, 16, 24, 31, 32, 33, 48, 63, 64, 65, 100, 128];

/// The elements and their number of the vectors of numbers.
const NUMBER_VECTORS: [(u32, u16); 4] = [(16, 2), (32, 2), (64, 2), (32, 4)];

/// Those of the vectors of integers beside them.
const INTEGER_VECTORS: [(u32, u16); 6] = [(1, 2), (8, 2), (32, 2), (64, 2), (1, 4), (32, 4)];

/// One function for each instance.
pub(super) fn instances(target: &'static Target) -> Vec<(Opcode, Function)> {
    let mut all = Vec::new();
    for &opcode in Opcode::ALL.iter().filter(|opcode| opcode.is_defined() && opcode.is_generic()) {
        let Some(info) = opcode.info().filter(|info| info.is_float()) else { continue };
        for types in types(info) {
            for written in writings(info) {
                all.push((opcode, instance(target, &|i| i.operation(opcode, info, &types, written))));
            }
        }
    }
    all
}

/// Every combination of types that the row takes: formats of numbers, integers, and vectors of both.
fn types(info: &OpcodeInfo) -> Vec<IndexTypes> {
    let is_constant = info.uses.contains(&OperandKind::FCONST);
    let at = |index: usize| match info.class_of(index) {
        None => vec![None],
        Some(TypeClass::Float) => NUMBERS.into_iter().map(Some).chain(vectors(&NUMBER_VECTORS)).collect(),
        Some(_) if is_constant => NUMBERS.map(Some).to_vec(),
        Some(_) => {
            let scalars = INTEGERS.iter().map(|&bits| Some(Type::scalar(bits)));
            scalars.chain(vectors(&INTEGER_VECTORS)).collect()
        }
    };
    let [first, second, third] = [0, 1, 2].map(at);
    let all = first.iter().flat_map(|&one| second.iter().map(move |&two| (one, two)));
    let all = all.flat_map(|(one, two)| third.iter().map(move |&three| [one, two, three]));
    all.filter(|types| info.takes(types)).collect()
}

fn vectors(all: &[(u32, u16)]) -> impl Iterator<Item = Option<Type>> {
    all.iter().map(|&(bits, lanes)| Type::scalar(bits).times(ElementCount::fixed(lanes)))
}

/// Each predicate; each class of numbers alone, all, and none; no flag, and each that is a promise.
fn writings(info: &OpcodeInfo) -> Vec<Written> {
    let compares = info.uses.contains(&OperandKind::FPRED);
    let comparisons = if compares { &FloatPredicate::ALL[..] } else { &[FloatPredicate::Oeq] };
    let range = info.immediates.first().and_then(|immediate| immediate.range(&[None; 3]));
    let most = range.map_or(0, |range| *range.end());
    let bits = (0..i64::BITS).map(|bit| 1 << bit).take_while(|&bit| bit <= most);
    let immediates: Vec<i64> = bits.chain([0, most]).collect();
    let flags = info.promises().iter().chain([InstFlags::empty()]);
    let mut all = Vec::new();
    for flags in flags {
        for &comparison in comparisons {
            let written = |&immediate| Written { comparison, flags, ..Written::with_immediate(immediate) };
            all.extend(immediates.iter().map(written));
        }
    }
    all
}

impl Instance<'_> {
    /// A constant all of whose parts count: no two bytes are equal.
    pub(super) fn number(&mut self, format: FloatFormat) -> Operand {
        let bits = Bits::new(0x4f3e_2d1c_0bfa_e9d8_c7b6_a594_8372_6150, format.bits());
        self.builder.function.float(format, bits)
    }
}
