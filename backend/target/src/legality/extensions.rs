//! Extensions of LLVM's rule language: methods and predicates of this project.

use super::mutations::change;
use super::predicates::{Predicate, any, atomic_ordering_at_least_or_stronger_than, on_types};
use super::rules::{Indices, RuleSet};
use super::{Action, LegalityQuery};
use tribunal_ir::types::S16;
use tribunal_ir::{AtomicOrdering, Opcode, Type};

impl RuleSet {
    /// Legal if type 0 is `ty` and the immediate one of these; no rule if there are none.
    pub fn legal_for_immediates(self, ty: Type, immediates: &[i64]) -> RuleSet {
        if immediates.is_empty() {
            return self;
        }
        let immediates = immediates.to_vec();
        let listed = move |q: &LegalityQuery| {
            q.type_at(0) == Some(ty) && q.immediate.is_some_and(|immediate| immediates.contains(&immediate))
        };
        let covers = Indices::types([0]).immediate(0);
        self.action_if("legal_for_immediates", Action::Legal, covers, Box::new(listed), None)
    }

    /// Refuses vectors and atomic accesses, which nothing below handles.
    pub fn unsupported_if_not_scalar(self) -> RuleSet {
        let vectors: Predicate = Box::new(|q| q.types.iter().any(|ty| ty.is_vector()));
        let other = any([vectors, atomic_ordering_at_least_or_stronger_than(0, AtomicOrdering::Unordered)]);
        self.action_if("unsupported_if_not_scalar", Action::Unsupported, Indices::NONE, other, None)
    }

    /// Refuses vectors.
    pub fn unsupported_if_vector(self) -> RuleSet {
        let vectors: Predicate = Box::new(|q| q.types.iter().any(|ty| ty.is_vector()));
        self.action_if("unsupported_if_vector", Action::Unsupported, Indices::NONE, vectors, None)
    }

    /// Refuses an atomic access that no instruction makes whole: of no power of two of bytes, of more than `widest`
    /// bits, or less aligned than its size.
    pub fn unsupported_if_not_atomically_accessible(self, widest: u32) -> RuleSet {
        let torn: Predicate = Box::new(move |q| {
            q.memory.iter().any(|memory| {
                let (bits, is_atomic) = (memory.ty.bits(), memory.ordering != AtomicOrdering::NotAtomic);
                let whole = bits.is_power_of_two() && (8..=widest).contains(&bits) && memory.align_bits >= bits;
                is_atomic && !whole
            })
        });
        let name = "unsupported_if_not_atomically_accessible";
        self.action_if(name, Action::Unsupported, Indices::NONE, torn, None)
    }

    /// Numbers of 16 bits at type `index` become wider ones.
    pub fn promote(self, index: usize, ty: Type) -> RuleSet {
        let is_half: Predicate = Box::new(move |q| q.type_at(index) == Some(S16));
        let wider = change(index, move |_, _| Some(ty));
        self.action_if("promote", Action::WidenScalar, Indices::types([index]), is_half, Some(wider))
    }

    /// Narrows type `index` to half its size.
    pub fn halve_scalar_if(self, predicate: Predicate, index: usize) -> RuleSet {
        let half = change(index, |old, _| Type::scalar_of(old.bits() / 2));
        self.action_if("halve_scalar_if", Action::NarrowScalar, Indices::ALL, predicate, Some(half))
    }

    /// Narrows a value wider than `ty` to the width that its narrower access needs, but not below `ty`.
    pub fn narrow_scalar_to_access(self, ty: Type) -> RuleSet {
        let needed = move |q: &LegalityQuery| mem_bits(q).checked_next_power_of_two().map(|bits| bits.max(ty.bits()));
        let wider: Predicate = Box::new(move |q| {
            let value = q.type_at(0).filter(|ty| ty.is_scalar());
            value.zip(needed(q)).is_some_and(|(value, needed)| value.bits() > needed)
        });
        let part = change(0, move |_, q| Type::scalar_of(needed(q)?));
        self.action_if("narrow_scalar_to_access", Action::NarrowScalar, Indices::types([0]), wider, Some(part))
    }
}

fn mem_bits(query: &LegalityQuery) -> u32 {
    query.memory.first().map_or(0, |memory| memory.ty.bits())
}

/// Type `whole` is wider than a register and twice type `part`.
pub fn made_of_halves(whole: usize, part: usize, register: u32) -> Predicate {
    on_types(whole, part, move |whole, part| are_bytes(whole, part, register) && whole.bits() == 2 * part.bits())
}

/// Type `whole` is wider than a register and more than twice type `part`.
pub fn made_of_smaller_parts(whole: usize, part: usize, register: u32) -> Predicate {
    on_types(whole, part, move |whole, part| are_bytes(whole, part, register) && whole.bits() > 2 * part.bits())
}

fn are_bytes(whole: Type, part: Type, register: u32) -> bool {
    let (whole, part) = (whole.bits(), part.bits());
    whole > register && whole.is_power_of_two() && part.is_power_of_two() && part >= 8
}

/// The access is narrower than type 0.
pub fn mem_narrower_than_value() -> Predicate {
    Box::new(|q| q.type_at(0).is_some_and(|ty| mem_bits(q) < ty.bits()))
}

/// The access has fewer bits.
pub fn mem_narrower_than(bits: u32) -> Predicate {
    Box::new(move |q| mem_bits(q) < bits)
}

/// The access is less aligned than its size.
pub fn misaligned() -> Predicate {
    Box::new(|q| q.memory.iter().any(|memory| memory.align_bits < memory.ty.bits()))
}

/// Opcodes that no target here has an instruction for and that become others at the same width.
pub const EXPANDED: [Opcode; 36] = {
    use Opcode::*;
    [
        G_UADDSAT,
        G_USUBSAT,
        G_SADDSAT,
        G_SSUBSAT,
        G_USHLSAT,
        G_SSHLSAT,
        G_ABDS,
        G_ABDU,
        G_UAVGFLOOR,
        G_UAVGCEIL,
        G_SAVGFLOOR,
        G_SAVGCEIL,
        G_UADDO,
        G_USUBO,
        G_SADDO,
        G_SSUBO,
        G_UADDE,
        G_USUBE,
        G_SADDE,
        G_SSUBE,
        G_UMULO,
        G_SMULO,
        G_PREFETCH,
        G_SMULFIX,
        G_UMULFIX,
        G_SMULFIXSAT,
        G_UMULFIXSAT,
        G_UDIVREM,
        G_SDIVREM,
        G_SCMP,
        G_UCMP,
        G_PTRMASK,
        G_CTLZ_ZERO_UNDEF,
        G_CTTZ_ZERO_UNDEF,
        G_UBFX,
        G_SBFX,
    ]
};
