//! Rule sets and the methods that build them.

use super::{Action, LegalityQuery, Mutation, Predicate};
use std::sync::Arc;
use tribunal_ir::{Opcode, Type};

/// One rule.
pub(super) struct Rule {
    /// Names, one for each opcode of the set: `riscv64 G_ADD#2 clamp_scalar`.
    pub(super) names: Vec<&'static str>,
    pub(super) predicate: Predicate,
    pub(super) action: Action,
    pub(super) mutation: Option<Mutation>,
}

/// The rules of one opcode, or of several that share them.
pub struct RuleSet {
    pub(super) target: &'static str,
    pub(super) opcodes: Vec<Opcode>,
    pub(super) rules: Vec<Arc<Rule>>,
}

/// Rules for `opcodes` of the target called `target`.
pub fn rules_for(target: &'static str, opcodes: &[Opcode]) -> RuleSet {
    RuleSet { target, opcodes: opcodes.to_vec(), rules: Vec::new() }
}

// The methods. Type indices are those of the opcode table.
impl RuleSet {
    fn rule(mut self, method: &str, action: Action, predicate: Predicate, mutation: Option<Mutation>) -> RuleSet {
        let name = |opcode: &Opcode| -> &'static str {
            // Tables are made once for each target and feature set and live as long as the process.
            Box::leak(format!("{} {opcode}#{} {method}", self.target, self.rules.len()).into())
        };
        let names = self.opcodes.iter().map(name).collect();
        self.rules.push(Arc::new(Rule { names, predicate, action, mutation }));
        self
    }

    /// Legal whatever the types.
    pub fn always_legal(self) -> RuleSet {
        self.rule("always_legal", Action::Legal, Box::new(|_| true), None)
    }

    /// Legal if type 0 is one of these.
    pub fn legal_for(self, types: &[Type]) -> RuleSet {
        let types = types.to_vec();
        self.rule(
            "legal_for",
            Action::Legal,
            Box::new(move |q| q.types.first().is_some_and(|ty| types.contains(ty))),
            None,
        )
    }

    /// Legal if types 0 and 1 are one of these pairs.
    pub fn legal_for_pairs(self, pairs: &[(Type, Type)]) -> RuleSet {
        let pairs = pairs.to_vec();
        self.rule("legal_for", Action::Legal, Box::new(move |q| pairs_contain(&pairs, q)), None)
    }

    /// Legal if the predicate holds.
    pub fn legal_if(self, predicate: impl Fn(&LegalityQuery) -> bool + Send + Sync + 'static) -> RuleSet {
        self.rule("legal_if", Action::Legal, Box::new(predicate), None)
    }

    /// Legal if type 0 is `ty` and the immediate one of these; no rule if there are none.
    pub fn legal_for_immediates(self, ty: Type, immediates: &[i64]) -> RuleSet {
        if immediates.is_empty() {
            return self;
        }
        let immediates = immediates.to_vec();
        let listed = move |q: &LegalityQuery| {
            q.types.first() == Some(&ty) && q.immediate.is_some_and(|immediate| immediates.contains(&immediate))
        };
        self.rule("legal_for_immediates", Action::Legal, Box::new(listed), None)
    }

    /// Legal for these (type 0, memory bits) with an access aligned to at least `align(memory bits)` bits.
    pub fn legal_for_types_with_mem_desc(self, accesses: &[(Type, u32)], natural: Alignment) -> RuleSet {
        let accesses = accesses.to_vec();
        let fits = move |q: &LegalityQuery| {
            let aligned =
                natural == Alignment::Any || q.memory.iter().all(|memory| memory.align_bits >= memory.ty.bits());
            aligned && accesses.iter().any(|&(ty, bits)| q.types.first() == Some(&ty) && q.mem_bits() == bits)
        };
        self.rule("legal_for_types_with_mem_desc", Action::Legal, Box::new(fits), None)
    }

    /// Lower whatever the types.
    pub fn lower(self) -> RuleSet {
        self.rule("lower", Action::Lower, Box::new(|_| true), None)
    }

    pub fn lower_if(self, predicate: impl Fn(&LegalityQuery) -> bool + Send + Sync + 'static) -> RuleSet {
        self.rule("lower_if", Action::Lower, Box::new(predicate), None)
    }

    /// Lower accesses of a size that is not 1, 2, 4, 8, ... bytes.
    pub fn lower_if_mem_size_not_byte_size_pow2(self) -> RuleSet {
        let odd = |q: &LegalityQuery| q.mem_bits() < 8 || !q.mem_bits().is_power_of_two();
        self.rule("lower_if_mem_size_not_byte_size_pow2", Action::Lower, Box::new(odd), None)
    }

    /// The runtime library, if type 0 is one of these; no rule if there are none.
    pub fn libcall_for(self, types: &[Type]) -> RuleSet {
        if types.is_empty() {
            return self;
        }
        let types = types.to_vec();
        let listed = move |q: &LegalityQuery| q.types.first().is_some_and(|ty| types.contains(ty));
        self.rule("libcall_for", Action::Libcall, Box::new(listed), None)
    }

    /// The target's own expansion, if type 0 is one of these; no rule if there are none.
    pub fn custom_for(self, types: &[Type]) -> RuleSet {
        if types.is_empty() {
            return self;
        }
        let types = types.to_vec();
        let listed = move |q: &LegalityQuery| q.types.first().is_some_and(|ty| types.contains(ty));
        self.rule("custom_for", Action::Custom, Box::new(listed), None)
    }

    /// What no rule above decides is refused.
    pub fn unsupported(self) -> RuleSet {
        self.rule("unsupported", Action::Unsupported, Box::new(|_| true), None)
    }

    pub fn unsupported_if(self, predicate: impl Fn(&LegalityQuery) -> bool + Send + Sync + 'static) -> RuleSet {
        self.rule("unsupported_if", Action::Unsupported, Box::new(predicate), None)
    }

    /// Vectors and atomic accesses, which nothing below handles.
    pub fn unsupported_if_not_scalar(self) -> RuleSet {
        let other =
            |q: &LegalityQuery| q.types.iter().any(|ty| ty.is_vector()) || q.memory.iter().any(|memory| memory.atomic);
        self.rule("unsupported_if_not_scalar", Action::Unsupported, Box::new(other), None)
    }

    pub fn widen_scalar_if(
        self,
        predicate: impl Fn(&LegalityQuery) -> bool + Send + Sync + 'static,
        index: usize,
        ty: Type,
    ) -> RuleSet {
        self.rule("widen_scalar_if", Action::WidenScalar, Box::new(predicate), Some(Box::new(move |_| (index, ty))))
    }

    pub fn narrow_scalar_if(
        self,
        predicate: impl Fn(&LegalityQuery) -> bool + Send + Sync + 'static,
        index: usize,
        ty: Type,
    ) -> RuleSet {
        self.rule("narrow_scalar_if", Action::NarrowScalar, Box::new(predicate), Some(Box::new(move |_| (index, ty))))
    }

    /// Round a scalar up to a power of two bits.
    pub fn widen_scalar_to_next_pow2(self, index: usize) -> RuleSet {
        let odd = move |q: &LegalityQuery| q.is_scalar(index) && !q.bits(index).is_power_of_two();
        let next = move |q: &LegalityQuery| (index, Type::scalar(q.bits(index).next_power_of_two()));
        self.rule("widen_scalar_to_next_pow2", Action::WidenScalar, Box::new(odd), Some(Box::new(next)))
    }

    /// Widen to at least `ty`.
    pub fn min_scalar(self, index: usize, ty: Type) -> RuleSet {
        let narrower = move |q: &LegalityQuery| q.is_scalar(index) && q.bits(index) < ty.bits();
        self.rule("min_scalar", Action::WidenScalar, Box::new(narrower), Some(Box::new(move |_| (index, ty))))
    }

    /// Narrow to at most `ty`: by halves while a half is no narrower.
    pub fn max_scalar(self, index: usize, ty: Type) -> RuleSet {
        let wider = move |q: &LegalityQuery| q.is_scalar(index) && q.bits(index) > ty.bits();
        let part = move |q: &LegalityQuery| match q.bits(index).is_power_of_two() {
            true => (index, Type::scalar((q.bits(index) / 2).max(ty.bits()))),
            false => (index, ty),
        };
        self.rule("max_scalar", Action::NarrowScalar, Box::new(wider), Some(Box::new(part)))
    }

    /// Narrow type `index` to half its size.
    pub fn halve_scalar_if(
        self,
        predicate: impl Fn(&LegalityQuery) -> bool + Send + Sync + 'static,
        index: usize,
    ) -> RuleSet {
        let half = move |q: &LegalityQuery| (index, Type::scalar(q.bits(index) / 2));
        self.rule("halve_scalar_if", Action::NarrowScalar, Box::new(predicate), Some(Box::new(half)))
    }

    /// Narrow a value wider than `ty` to what its narrower access needs, but not below `ty`.
    pub fn narrow_scalar_to_access(self, ty: Type) -> RuleSet {
        let needed = move |q: &LegalityQuery| q.mem_bits().next_power_of_two().max(ty.bits());
        let wider = move |q: &LegalityQuery| q.is_scalar(0) && q.bits(0) > needed(q);
        let part = move |q: &LegalityQuery| (0, Type::scalar(needed(q)));
        self.rule("narrow_scalar_to_access", Action::NarrowScalar, Box::new(wider), Some(Box::new(part)))
    }

    /// Widen to at least `least`, narrow to at most `most`.
    pub fn clamp_scalar(self, index: usize, least: Type, most: Type) -> RuleSet {
        self.min_scalar(index, least).max_scalar(index, most)
    }

    /// Make type `index` as wide as type `other`, by widening or narrowing it.
    pub fn scalar_same_size_as(self, index: usize, other: usize) -> RuleSet {
        let narrower = move |q: &LegalityQuery| q.is_scalar(index) && q.bits(index) < q.bits(other);
        let wider = move |q: &LegalityQuery| q.is_scalar(index) && q.bits(index) > q.bits(other);
        let same = move |q: &LegalityQuery| (index, Type::scalar(q.bits(other)));
        self.rule("scalar_same_size_as", Action::WidenScalar, Box::new(narrower), Some(Box::new(same))).rule(
            "scalar_same_size_as",
            Action::NarrowScalar,
            Box::new(wider),
            Some(Box::new(same)),
        )
    }
}

/// What a load or store may rely on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Alignment {
    /// At least the size of the access.
    Natural,
    /// Any.
    Any,
}

fn pairs_contain(pairs: &[(Type, Type)], query: &LegalityQuery) -> bool {
    matches!(query.types.as_slice(), [first, second, ..] if pairs.contains(&(*first, *second)))
}
