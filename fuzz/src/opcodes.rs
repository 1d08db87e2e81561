//! Lists of opcodes, derived from their rows: the generator's choices, and the opcodes that an edit may exchange.
//!
//! Invariant: no list is kept by hand. An opcode joins the programs, and the edits on them, with its row.

use std::sync::LazyLock;
use tribunal_ir::opcode::{AccessSize, Accesses, Immediate, Poison, TypeClass, TypeRule};
use tribunal_ir::{Family, Opcode, OpcodeFlags, OpcodeInfo, OperandKind, Type};
use tribunal_target::Target;
use tribunal_target::selection::SelectionRule;

/// The opcodes of some families, one family after the other.
fn of(families: &[Family]) -> Vec<Opcode> {
    families.iter().flat_map(|family| family.opcodes()).copied().collect()
}

/// True for the opcodes of every program: those with a meaning that every target compiles. Operations on memory need
/// options, a prefetch computes nothing, and numbers of floating point and their environment are in some programs.
pub fn is_known(opcode: Opcode) -> bool {
    let is_apart = |family| matches!(family, Family::Word | Family::Atomic | Family::Prefetch);
    let is_of_numbers = opcode.is_float() || opcode.sees_environment();
    opcode.is_generic() && opcode.is_defined() && !is_of_numbers && !opcode.family().is_some_and(is_apart)
}

/// True for an opcode that the generator writes for this target: besides the known ones memory functions, fences, and
/// the compare-and-exchange that needs no option.
pub fn is_written(opcode: Opcode, target: &Target) -> bool {
    let exchanges = opcode == Opcode::G_ATOMIC_CMPXCHG_WITH_SUCCESS && has_compare_exchange(target);
    let family = opcode.family();
    is_known(opcode) || family == Some(Family::MemoryFunction) || opcode == Opcode::G_FENCE || exchanges
}

/// True if the target compares and exchanges without an option.
pub fn has_compare_exchange(target: &Target) -> bool {
    let is_one = |rule: &SelectionRule| rule.pattern.opcode == Opcode::G_ATOMIC_CMPXCHG;
    target.selection.iter().any(|rule| is_one(rule) && target.default_features.contains(rule.requires))
}

/// Families that the generator draws in its own functions.
const DRAWN: &[Family] = &[
    Family::Arithmetic,
    Family::Bitwise,
    Family::Extremum,
    Family::Shift,
    Family::SaturatingShift,
    Family::Rotation,
    Family::Funnel,
    Family::Overflow,
    Family::Carry,
    Family::FixedPoint,
    Family::ZeroCount,
    Family::Population,
    Family::Absolute,
    Family::Permutation,
    Family::Freeze,
    Family::Extension,
    Family::Truncation,
    Family::InRegister,
    Family::Assertion,
    Family::ThreeWay,
    Family::BitField,
    Family::Selection,
    Family::Composition,
    Family::Cast,
    Family::Vector,
    Family::Reduction,
];

/// One result from two operands, all of one type and total: the operations most frequent in real code.
pub static PLAIN: LazyLock<Vec<Opcode>> =
    LazyLock::new(|| of(&[Family::Arithmetic, Family::Bitwise, Family::Extremum]));

/// Operations on a value and an amount of its type.
pub static ROTATIONS: LazyLock<Vec<Opcode>> = LazyLock::new(|| of(&[Family::Rotation, Family::SaturatingShift]));

/// All other operations on values that need nothing but their rows to be drawn.
pub static OTHERS: LazyLock<Vec<Opcode>> = LazyLock::new(|| {
    let needs_nothing = |opcode: &Opcode| {
        let row = opcode.info().filter(|info| is_operation(*opcode, info) && info.accesses.is_none());
        row.is_some_and(|info| info.undefined.is_empty() && !DRAWN.contains(&info.family))
    };
    Opcode::ALL.iter().copied().filter(needs_nothing).collect()
});

/// The operations on numbers of floating point in the default environment.
pub static ON_NUMBERS: LazyLock<Vec<Opcode>> = LazyLock::new(|| on_numbers(|opcode| !opcode.sees_environment()));

/// Those of a strict function, in which every one that rounds or raises a flag sees the environment.
pub static STRICT: LazyLock<Vec<Opcode>> = LazyLock::new(|| on_numbers(|opcode| !opcode.assumes_environment()));

fn on_numbers(is_wanted: fn(Opcode) -> bool) -> Vec<Opcode> {
    let computes =
        |info: &OpcodeInfo| info.is_float() && !info.defs.is_empty() && !info.uses.contains(&OperandKind::FCONST);
    let is_one = |opcode: &Opcode| opcode.is_generic() && opcode.is_defined() && opcode.info().is_some_and(computes);
    Opcode::ALL.iter().copied().filter(is_one).filter(|&opcode| is_wanted(opcode)).collect()
}

/// The operations on integers and pointers whose rows say every operand, accesses apart.
pub static ON_SCALARS: LazyLock<Vec<Opcode>> = LazyLock::new(|| {
    let is_said = |kind: OperandKind| kind.type_index().is_some() || kind.is_immediate() || kind == OperandKind::PRED;
    let is_one = |opcode: &Opcode| {
        let row = opcode.info().filter(|info| is_known(*opcode) && info.accesses.is_none());
        row.is_some_and(|info| !info.defs.is_empty() && info.operands().all(is_said))
    };
    Opcode::ALL.iter().copied().filter(is_one).collect()
});

/// The operations on numbers and pointers that vectors may be operands of, and accesses to vectors.
pub static ON_VECTORS: LazyLock<Vec<Opcode>> = LazyLock::new(|| {
    let (byte, pointer) = (Type::scalar(16), Type::Pointer { address_space: 0, bits: 64 });
    let takes = |info: &OpcodeInfo| crate::generator::vector_types(info, byte, 2, pointer).is_some();
    let is_operand =
        |kind: OperandKind| kind.type_index().is_some() || kind.is_immediate() || kind == OperandKind::PRED;
    // Between vectors of numbers and of pointers nothing is recast.
    let is_recast = |info: &OpcodeInfo| info.rules.iter().any(|rule| matches!(rule, TypeRule::Recast(..)));
    let is_one = |opcode: &Opcode| {
        let Some(info) = opcode.info().filter(|_| is_known(*opcode)) else { return false };
        let is_whole = info.accesses.is_some_and(|accesses| accesses.size == AccessSize::Within);
        let is_access = is_whole && [Family::Load, Family::Store].contains(&info.family);
        let computes = info.accesses.is_none() && info.operands().all(is_operand) && !info.defs.is_empty();
        let is_phi = *opcode == Opcode::G_PHI;
        is_phi || is_access || computes && takes(info) && !is_recast(info) && !APART_ON_VECTORS.contains(&info.family)
    };
    Opcode::ALL.iter().copied().filter(is_one).collect()
});

/// All operations with a meaning whose rows say every operand: values, immediates and predicates.
pub static OF_TYPES: LazyLock<Vec<Opcode>> = LazyLock::new(|| {
    let is_said = |kind: OperandKind| {
        kind.type_index().is_some() || kind.is_immediate() || [OperandKind::PRED, OperandKind::FPRED].contains(&kind)
    };
    let is_one = |opcode: &Opcode| {
        let row = opcode.info().filter(|info| opcode.is_generic() && opcode.is_defined() && info.accesses.is_none());
        row.is_some_and(|info| !info.defs.is_empty() && !info.uses.is_empty() && info.operands().all(is_said))
    };
    Opcode::ALL.iter().copied().filter(is_one).collect()
});

/// Families of vectors alone, and those whose operands are about more than types.
const APART_ON_VECTORS: &[Family] = &[Family::Vector, Family::Composition, Family::Assertion];

/// True for a known opcode that computes results from registers and immediates alone, one address at most among them.
fn is_operation(opcode: Opcode, info: &OpcodeInfo) -> bool {
    let is_value = |kind: OperandKind| match kind {
        OperandKind::Register(class, _) => class != TypeClass::Pointer,
        kind => kind.is_immediate(),
    };
    let reads = info.uses.iter().any(|kind| kind.type_index().is_some());
    is_known(opcode) && !info.defs.is_empty() && reads && info.operands().all(is_value)
}

/// The shape of an opcode: opcodes of equal shape may replace each other.
#[derive(PartialEq)]
struct Shape {
    defs: Vec<Option<usize>>,
    uses: Vec<Option<usize>>,
    rules: &'static [TypeRule],
    immediates: &'static [Immediate],
    accesses: Option<Accesses>,
    /// Undefined for some operands.
    partial: bool,
    /// Poison where amounts reach the width, or a promise is broken. Counts of zero do not count: real code guards
    /// them.
    guarded: bool,
}

impl Shape {
    fn of(info: &'static OpcodeInfo) -> Shape {
        let indices = |kinds: &[OperandKind]| kinds.iter().map(|kind| kind.type_index()).collect();
        Shape {
            defs: indices(info.defs),
            uses: indices(info.uses),
            rules: info.rules,
            immediates: info.immediates,
            accesses: info.accesses,
            partial: !info.undefined.is_empty(),
            guarded: info.poison.intersects(Poison::AMOUNT | Poison::PROMISE),
        }
    }
}

/// Operations by shape, in the order of their first opcodes.
static SIBLINGS: LazyLock<Vec<Vec<Opcode>>> = LazyLock::new(|| {
    let mut groups: Vec<(Shape, Vec<Opcode>)> = Vec::new();
    for &opcode in Opcode::ALL {
        let Some(info) = opcode.info().filter(|info| is_operation(opcode, info)) else { continue };
        let shape = Shape::of(info);
        match groups.iter_mut().find(|(other, _)| *other == shape) {
            Some((_, group)) => group.push(opcode),
            None => groups.push((shape, vec![opcode])),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
});

/// The opcodes that may replace `opcode`, itself among them, the simplest first; none if it is no operation on values.
pub fn siblings(opcode: Opcode) -> &'static [Opcode] {
    static GROUPS: LazyLock<Vec<&'static [Opcode]>> = LazyLock::new(|| {
        let group = |opcode| SIBLINGS.iter().find(|group| group.contains(opcode));
        Opcode::ALL.iter().map(|opcode| group(opcode).map_or(&[][..], Vec::as_slice)).collect()
    });
    GROUPS.get(opcode.place()).copied().unwrap_or(&[])
}

/// Siblings that an insertion may choose from: their operands are values in registers.
pub fn families() -> &'static [&'static [Opcode]] {
    static FAMILIES: LazyLock<Vec<&'static [Opcode]>> = LazyLock::new(|| {
        let in_registers = |group: &&Vec<Opcode>| {
            let row = group.first().and_then(|opcode| opcode.info());
            row.is_some_and(|info| info.accesses.is_none() && info.operands().all(|kind| kind.type_index().is_some()))
        };
        SIBLINGS.iter().filter(in_registers).map(Vec::as_slice).collect()
    });
    &FAMILIES
}

/// True if an instruction may stand only at the end of a block.
pub fn ends(opcode: Opcode) -> bool {
    opcode.info().is_some_and(|info| info.flags.contains(OpcodeFlags::TERMINATOR))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_ir::Opcode::*;

    #[test]
    fn siblings_have_one_shape() {
        assert_eq!(siblings(G_ASHR), [G_SHL, G_LSHR, G_ASHR, G_USHLSAT, G_SSHLSAT]);
        assert_eq!(siblings(G_SREM), [G_UDIV, G_SDIV, G_UREM, G_SREM]);
        assert_eq!(siblings(G_FREEZE), [G_ABS, G_BITREVERSE, G_FREEZE, G_CONSTANT_FOLD_BARRIER]);
        assert_eq!(siblings(G_SMULFIXSAT), [G_SMULFIX, G_SMULFIXSAT]);
        assert_eq!(siblings(G_SEXTLOAD), [G_ZEXTLOAD, G_SEXTLOAD]);
        assert_eq!(siblings(G_BSWAP), [G_BSWAP]);
        assert_eq!(siblings(G_ADD)[0], G_ADD);
        for none in [G_PTR_ADD, G_PHI, G_BR, G_CONSTANT, G_FADD, G_SLLW, COPY] {
            assert_eq!(siblings(none), [], "{none}");
        }
        assert!(families().iter().flat_map(|group| group.iter()).all(|&opcode| opcode != G_SEXT_INREG));
    }

    #[test]
    fn what_has_no_draw_of_its_own_is_drawn_by_its_row() {
        for opcode in [G_UADDSAT, G_SMULH, G_ABDU, G_SAVGCEIL] {
            assert!(OTHERS.contains(&opcode), "{opcode}");
        }
        for opcode in [G_ABS, G_ADD, G_UDIV, G_SHL, G_LOAD, G_ICMP, G_PTR_ADD, G_SLLW, G_FADD] {
            assert!(!OTHERS.contains(&opcode), "{opcode}");
        }
    }
}
