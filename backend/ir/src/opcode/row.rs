//! A row of the table of opcodes: its fields, and the questions that they answer.
//!
//! Invariant: an answer is derived from the row alone, and names no opcode.

use super::{
    Accesses, Family, Immediate, IndexTypes, OpcodeFlags, OperandKind, Poison, TypeClass, TypeRule, Undefined,
};
use crate::entities::VReg;
use crate::function::Function;
use crate::inst::{InstData, InstFlags};
use crate::operand::Operand;
use crate::types::{Element, Type};

/// A row: the static facts of a target-independent opcode.
#[derive(Clone, Copy, Debug)]
pub struct OpcodeInfo {
    /// LLVM's name.
    pub name: &'static str,
    /// The heading of the table that it stands under.
    pub family: Family,
    /// The explicit definitions, in operand order.
    pub defs: &'static [OperandKind],
    /// The explicit uses, in operand order.
    pub uses: &'static [OperandKind],
    /// Static properties.
    pub flags: OpcodeFlags,
    /// The flags that an instruction may carry, besides those that any may.
    pub inst_flags: InstFlags,
    /// The rules that relate its types.
    pub rules: &'static [TypeRule],
    /// The values of its immediates, or of its integer constant, in operand order; unlisted ones may be anything.
    pub immediates: &'static [Immediate],
    /// The memory operands that it must have; `None` for any or none.
    pub accesses: Option<Accesses>,
    /// The operands on which executing it is undefined behaviour.
    pub undefined: Undefined,
    /// The operands on which its results are poison.
    pub poison: Poison,
    /// Place in the table.
    pub number: u16,
    /// The operand that each type index is read from.
    pub types: [TypeSource; 3],
}

/// The operand that gives the type of a type index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TypeSource {
    /// The opcode has no such type index.
    None,
    /// The type of the register operand with this index.
    Operand(u8),
    /// The last operand, after any number of definitions.
    Last,
}

impl TypeSource {
    /// The register of an instruction that gives the type; `None` if the opcode has no such type index, or no register
    /// stands there.
    pub fn register(self, data: &InstData) -> Option<VReg> {
        match self {
            TypeSource::None => None,
            TypeSource::Operand(index) => data.vreg(usize::from(index)),
            TypeSource::Last => data.operands.last().and_then(Operand::as_vreg),
        }
    }
}

/// The first operand of each type index. An unmerge defines any number of registers: its one use, of type 1, stands
/// last.
pub(super) const fn type_sources(defs: &[OperandKind], uses: &[OperandKind]) -> [TypeSource; 3] {
    let mut sources = [TypeSource::None; 3];
    let (mut place, mut operand, mut many) = (0, 0, false);
    while place < defs.len() + uses.len() {
        let kind = if place < defs.len() { defs[place] } else { uses[place - defs.len()] };
        place += 1;
        if let (OperandKind::MORE, true) = (kind, place <= defs.len()) {
            many = true;
            continue;
        }
        if let Some(index) = kind.type_index()
            && let TypeSource::None = sources[index]
        {
            sources[index] = if many { TypeSource::Last } else { TypeSource::Operand(operand) };
        }
        operand += 1;
    }
    sources
}

/// The only element, if there is one.
pub(super) const fn accesses(all: &[Accesses]) -> Option<Accesses> {
    if let [only] = all { Some(*only) } else { None }
}

impl OpcodeInfo {
    /// Kinds of all operands, definitions first.
    pub fn operands(&self) -> impl Iterator<Item = OperandKind> + Clone {
        self.defs.iter().chain(self.uses).copied()
    }

    /// The kind of operand `index` of `count` explicit ones, and whether it is a definition; `None` if no operand may
    /// stand there.
    pub fn kind_at(&self, index: usize, count: usize) -> Option<(OperandKind, bool)> {
        if matches!(self.uses, [OperandKind::MORE]) && index > 0 {
            let kind = if index % 2 == 1 { *self.defs.first()? } else { OperandKind::BLOCK };
            return Some((kind, false));
        }
        if self.defs.contains(&OperandKind::MORE) {
            // An unmerge: all but the last are definitions.
            return if index + 1 == count {
                Some((*self.uses.first()?, false))
            } else {
                Some((*self.defs.first()?, true))
            };
        }
        let (kinds, place, is_def) = match index.checked_sub(self.defs.len()) {
            None => (self.defs, index, true),
            Some(place) => (self.uses, place, false),
        };
        match kinds.get(place) {
            Some(&kind) if kind != OperandKind::MORE => Some((kind, is_def)),
            // More of the last kind.
            _ => match self.uses.iter().rfind(|kind| **kind != OperandKind::MORE) {
                Some(&kind) => Some((kind, false)),
                None => self.defs.last().map(|&kind| (kind, true)),
            },
        }
    }

    /// True if it extends: the result has more bits than the operand, element by element.
    pub fn extends(&self) -> bool {
        self.rules.contains(&TypeRule::Wider(0, 1))
    }

    /// True if it truncates.
    pub fn truncates(&self) -> bool {
        self.rules.contains(&TypeRule::Wider(1, 0))
    }

    /// The type index of the value that it works on, whose width is the operation's: the result's index, if an operand
    /// has it.
    pub fn principal(&self) -> usize {
        let reads_result = self.uses.iter().any(|kind| kind.type_index() == Some(0));
        usize::from(!reads_result && self.types[1] != TypeSource::None)
    }

    /// The range of the immediate at operand `index`; `None` if none stands there.
    pub fn immediate_at(&self, index: usize) -> Option<Immediate> {
        self.operands().nth(index).filter(|kind| kind.is_immediate())?;
        let place = self.operands().take(index).filter(|kind| kind.is_immediate()).count();
        Some(self.immediates.get(place).copied().unwrap_or(Immediate::Any))
    }

    /// The immediate nearest to `wanted` at operand `index`, if one stands there: of several each has its own range.
    pub fn nearest_immediate(&self, index: usize, types: &IndexTypes, wanted: i64) -> Option<i64> {
        let range = self.immediate_at(index)?.range(types).filter(|range| !range.is_empty());
        Some(range.map_or(wanted, |range| wanted.clamp(*range.start(), *range.end())))
    }

    /// The types of an instruction of this opcode by type index.
    pub fn index_types(&self, function: &Function, data: &InstData) -> IndexTypes {
        self.types.map(|source| function.type_of(source.register(data)?))
    }

    /// True if each type is in its index's class and all keep the type rules.
    pub fn takes(&self, types: &IndexTypes) -> bool {
        let of_class = |kind: OperandKind| match kind {
            OperandKind::Register(class, index) => types[usize::from(index)].is_none_or(|ty| class.takes(ty)),
            _ => true,
        };
        self.operands().all(of_class) && self.rules.iter().all(|rule| rule.holds(types, None))
    }

    /// The type index of the value that its access moves: a store that steps its address defines that first.
    pub fn value_index(&self) -> usize {
        usize::from(self.family == Family::Indexed && self.flags.contains(OpcodeFlags::STORE))
    }

    /// True if its memory operand may be of `bits` bits where the value that it moves has `value`.
    pub fn access_fits(&self, bits: u32, value: u32) -> bool {
        self.accesses.is_none_or(|accesses| accesses.size.holds(bits, value))
    }

    /// True for a compare-and-exchange, whose failure has an ordering of its own: it reads two values and an address.
    pub fn fails(&self) -> bool {
        self.family == Family::Atomic && self.uses.len() == 3
    }

    /// The class of a type index: that of its first operand.
    pub fn class_of(&self, index: usize) -> Option<TypeClass> {
        self.operands().find(|kind| kind.type_index() == Some(index))?.type_class()
    }

    /// True if an operand may be a vector.
    pub fn takes_vectors(&self) -> bool {
        const VECTOR: Type = Type::Vector { lanes: 2, scalable: false, element: Element::Scalar { bits: 32 } };
        const OF_POINTERS: Type =
            Type::Vector { lanes: 2, scalable: false, element: Element::Pointer { address_space: 0, bits: 64 } };
        let takes = |class: TypeClass| class.takes(VECTOR) || class.takes(OF_POINTERS);
        self.operands().filter_map(OperandKind::type_class).any(takes)
    }

    /// True if an operand is read or written as floating point.
    pub fn is_float(&self) -> bool {
        let is_float = |kind: OperandKind| kind.type_class() == Some(TypeClass::Float) || kind == OperandKind::FCONST;
        self.operands().any(is_float)
    }

    /// The flags that are promises its definition reads.
    pub fn promises(&self) -> InstFlags {
        let of_floats = if self.is_float() { InstFlags::FLOAT_PROMISES } else { InstFlags::empty() };
        self.inst_flags & (InstFlags::PROMISES | of_floats)
    }
}
