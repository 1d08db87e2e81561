//! Planted faults of a function's tables: stack objects and spill slots.

use super::{ALL, Fault, Plant, each_pass};
use tribunal_ir::{Function, SlotKind, StackObject};

pub(super) static FAULTS: &[Fault] = &each_pass! { Stage:
    "object-halved", "stack object", ALL, ["legalize", "select", "split-edges", "allocate"],
        |f, _| objects(f, SlotKind::Default, |object| object.size /= 2);
    "object-aligned-to-less", "alignment", ALL, ["allocate"],
        |f, _| objects(f, SlotKind::Default, |object| object.align = 1);
    "object-of-the-allocator", "stack object", ALL, ["allocate"],
        |f, _| objects(f, SlotKind::Default, |object| object.kind = SlotKind::Spill);
    "spill-slot-halved", "spill slot", ALL, ["allocate"],
        |f, _| objects(f, SlotKind::Spill, |object| object.size /= 2);
    "spill-slot-aligned-to-less", "alignment", ALL, ["allocate"],
        |f, _| objects(f, SlotKind::Spill, |object| object.align = 1);
    "spill-slot-of-a-variable", "spill slot", ALL, ["allocate"],
        |f, _| objects(f, SlotKind::Spill, |object| object.kind = SlotKind::Default);
};

/// Changes the first object of this kind.
fn objects(function: &mut Function, kind: SlotKind, change: impl Fn(&mut StackObject)) -> Option<()> {
    function.stack.values_mut().find(|object| object.kind == kind).map(change)
}
