//! The way on after an instruction.

use super::{Control, End, Numbers, SingleRun};
use tribunal_ir::Inst;
use tribunal_ir::semantics::walk::{Next, Transfer};
use tribunal_ir::semantics::{Number, PartialBool};

impl<D: Numbers> SingleRun<'_, D> {
    /// The block to go on in; none for the following instruction.
    pub(super) fn follow(&self, inst: Inst, Transfer { ub, next }: Transfer<D>) -> Control {
        if let Some(end) = undefined(ub) {
            return Control::Break(end);
        }
        match next {
            Next::Following => Control::Continue(None),
            Next::To(block) => Control::Continue(Some(block)),
            Next::If(taken, _) if taken.unknown => Control::Break(End::Unconstrained),
            Next::If(taken, block) => Control::Continue(taken.value.then_some(block)),
            Next::Indirect(to) if !to.is_known() => Control::Break(End::Unconstrained),
            Next::Indirect(to) => match self.frame.block_at(self.function, to.value.low_u64()) {
                Some(block) => Control::Continue(Some(block)),
                None => Control::Break(End::Undefined),
            },
            Next::Return => Control::Break(End::Returned(inst)),
        }
    }
}

/// The end of a run where `ub` may hold.
pub(super) fn undefined(ub: PartialBool) -> Option<End> {
    match (ub.value, ub.unknown) {
        (_, true) => Some(End::Unconstrained),
        (true, false) => Some(End::Undefined),
        (false, false) => None,
    }
}
