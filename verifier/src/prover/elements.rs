//! Values of vectors, whose elements are poison by themselves: an unknown one, and an obligation as one for each of its
//! elements.

use super::counterexample::ValueName;
use super::query::StepOutput;
use super::side::Scalar;
use super::term::Symbolic;
use tribunal_ir::semantics::{Value, common_divisor};
use tribunal_ir::{Function, VReg};

/// The elements of a register's type; 1 for what is no vector of known length.
pub(super) fn elements(function: &Function, register: VReg) -> u32 {
    function.type_of(register).and_then(|ty| ty.element_count()).map_or(1, |count| count.lanes.into())
}

/// A value of so many bits that nothing is known of: each of its elements is poison by itself.
pub(super) fn unknown(d: &mut Symbolic, width: u32, elements: u32) -> Scalar {
    let bits = d.variable(width);
    let poison = (0..elements).map(|_| d.variable(1)).collect();
    Value::of_elements(d, bits, poison)
}

/// Each output whose elements are poison by themselves, on either side, as one for each of them.
pub(super) fn by_elements(graph: &mut Symbolic, outputs: Vec<StepOutput>) -> Vec<StepOutput> {
    outputs.into_iter().flat_map(|output| each_element(graph, output)).collect()
}

/// One output for each part that lies in one element of either side.
pub(super) fn each_element(graph: &mut Symbolic, output: StepOutput) -> Vec<StepOutput> {
    let StepOutput { name, source, target, ub } = &output;
    let whole = graph.width_of(source.bits);
    let elements = |value: &Scalar| value.poison_of_elements().len() as u32;
    if elements(source) == 1 && elements(target) == 1 {
        return vec![output];
    }
    let width = common_divisor(whole / elements(source), whole / elements(target));
    let mut element = |number| {
        let name = match *name {
            ValueName::Register(register) => ValueName::Element(register, number),
            other => other,
        };
        let [source, target] = [source, target].map(|value| {
            let poison = value.part_is_poison(graph, number * width, width);
            Scalar::new(graph.extract_bits(value.bits, number * width, width), poison)
        });
        StepOutput { name, source, target, ub: *ub }
    };
    (0..whole / width).map(&mut element).collect()
}
