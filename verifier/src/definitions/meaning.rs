//! The form of a meaning, and what the semantics say.

use tribunal_ir::semantics::{Choice, Concrete, Memory, Pure, Value, evaluate};
use tribunal_ir::{Function, InstData};

/// What an operation does. A result that is `None` is poison.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OperationMeaning {
    /// Undefined behaviour.
    Undefined,
    /// Its results, in order.
    Results(Vec<Option<i128>>),
    /// Nothing: the semantics do not know it, or a result is not as wide as its register.
    Unsupported,
}

/// What the semantics say.
pub fn first(function: &Function, data: &InstData, args: &[Value<Concrete>]) -> OperationMeaning {
    by_lanes(function, data, args, 1)
}

/// The same in so many lanes of each result, the first lane of all results first.
pub fn by_lanes(function: &Function, data: &InstData, args: &[Value<Concrete>], lanes: u32) -> OperationMeaning {
    on_memory(function, data, args, lanes, &mut Pure)
}

/// The same of an operation on memory.
pub(super) fn on_memory(
    function: &Function,
    data: &InstData,
    args: &[Value<Concrete>],
    lanes: u32,
    memory: &mut impl Memory<Concrete>,
) -> OperationMeaning {
    let mut domain = Concrete { choice: Choice::Zeros };
    let Ok(evaluation) = evaluate(&mut domain, memory, function, data, args) else {
        return OperationMeaning::Unsupported;
    };
    let widths = data.vreg_defs().map(|register| function.type_of(register).map(|ty| ty.bits()));
    if !widths.eq(evaluation.results.iter().map(|value| Some(value.bits.width()))) {
        return OperationMeaning::Unsupported;
    }
    let mut lane = |value: &Value<Concrete>, number: u32| {
        let width = value.bits.width() / lanes;
        let is_poison = value.part_is_poison(&mut domain, number * width, width);
        (!is_poison).then(|| value.bits.extract(number * width, width).unsigned() as i128)
    };
    let all = (0..lanes).flat_map(|number| evaluation.results.iter().map(move |value| (value, number)));
    match evaluation.ub {
        true => OperationMeaning::Undefined,
        false => OperationMeaning::Results(all.map(|(value, number)| lane(value, number)).collect()),
    }
}
