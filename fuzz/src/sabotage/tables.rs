//! Planted faults of a function's tables: stack objects, spill slots and jump tables.

use super::{ALL, Fault, Plant, each_pass};
use tribunal_ir::{Block, Function, SlotKind, StackObject};

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
    "entries-of-a-table-exchanged", "jump table", ALL, ["legalize", "select", "split-edges", "allocate"],
        |f, _| entries_exchanged(f);
    "table-one-entry-short-of-its-place", "jump table off by one", ALL, ["select"],
        |f, _| f.jump_tables.tables.values_mut().find(|table| !is_of_one(table)).map(|table| table.rotate_left(1));
};

/// Changes the first object of this kind.
fn objects(function: &mut Function, kind: SlotKind, change: impl Fn(&mut StackObject)) -> Option<()> {
    function.stack.values_mut().find(|object| object.kind == kind).map(change)
}

/// True if every entry leads to one block.
fn is_of_one(table: &[Block]) -> bool {
    table.windows(2).all(|pair| pair[0] == pair[1])
}

/// Exchanges the first two entries that differ and follow each other.
fn entries_exchanged(function: &mut Function) -> Option<()> {
    function.jump_tables.tables.values_mut().find_map(|table| {
        let first = table.windows(2).position(|pair| pair[0] != pair[1])?;
        table.swap(first, first + 1);
        Some(())
    })
}
