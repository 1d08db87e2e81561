//! Rule sets: the parts of a rule, and the methods that ask for an action and change no type.
//!
//! A rule's name is `<target> <opcode>#<place> <method>`. Two primitives make all of them: `action_if` and, for lists
//! of types, `action_for`; an empty list makes no rule. A rule covers the type indices that it mentions: a list covers
//! the first ones, an index argument its own. A predicate of the caller's, or none, counts as covering every index, as
//! in LLVM. A refusal by a predicate covers nothing.

use super::mutations::Mutation;
use super::predicates::{self, Predicate, mem_size_in_bytes_not_pow2, mem_size_not_byte_size_pow2};
use super::step::{LegalizeStep, NO_RULE, UNSUPPORTED};
use super::{Action, LegalityQuery};
use std::sync::Arc;
use tribunal_ir::{Opcode, Type};

/// One rule.
pub(super) struct Rule {
    /// Names, one for each opcode of the set: `riscv64 G_ADD#2 clamp_scalar`.
    pub(super) names: Vec<&'static str>,
    predicate: Predicate,
    pub(super) action: Action,
    mutation: Option<Mutation>,
}

/// Type and immediate indices, a bit each.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Indices {
    pub types: u8,
    pub immediates: u8,
}

impl Indices {
    pub const NONE: Indices = Indices { types: 0, immediates: 0 };
    pub const ALL: Indices = Indices { types: u8::MAX, immediates: u8::MAX };

    pub(super) fn types(indices: impl IntoIterator<Item = usize>) -> Indices {
        Indices { types: indices.into_iter().fold(0, |all, index| all | bit(index)), immediates: 0 }
    }

    pub(super) fn immediate(self, index: usize) -> Indices {
        Indices { immediates: self.immediates | bit(index), ..self }
    }

    fn and(self, other: Indices) -> Indices {
        Indices { types: self.types | other.types, immediates: self.immediates | other.immediates }
    }
}

fn bit(index: usize) -> u8 {
    u32::try_from(index).ok().and_then(|index| 1u8.checked_shl(index)).unwrap_or(0)
}

/// The rules of one opcode, or of several that share them.
#[derive(Clone)]
pub struct RuleSet {
    target: &'static str,
    pub(super) opcodes: Vec<Opcode>,
    pub(super) rules: Vec<Arc<Rule>>,
    pub(super) covered: Indices,
    /// The opcode whose rules these opcodes share.
    pub(super) alias: Option<Opcode>,
}

/// Rules for `opcodes` of the target called `target`.
pub fn rules_for(target: &'static str, opcodes: &[Opcode]) -> RuleSet {
    RuleSet { target, opcodes: opcodes.to_vec(), rules: Vec::new(), covered: Indices::NONE, alias: None }
}

/// The element of a list of types: type 0, types 0 and 1, or types 0 to 2.
pub trait TypeTuple: Copy + Send + Sync + 'static {
    /// The number of types.
    const COUNT: usize;
    /// True if the query's types, by type index, are these.
    fn is_of(self, types: &[Type]) -> bool;
}

impl TypeTuple for Type {
    const COUNT: usize = 1;
    fn is_of(self, types: &[Type]) -> bool {
        types.first() == Some(&self)
    }
}

impl TypeTuple for (Type, Type) {
    const COUNT: usize = 2;
    fn is_of(self, types: &[Type]) -> bool {
        matches!(types, [first, second, ..] if (*first, *second) == self)
    }
}

impl TypeTuple for (Type, Type, Type) {
    const COUNT: usize = 3;
    fn is_of(self, types: &[Type]) -> bool {
        matches!(types, [first, second, third, ..] if (*first, *second, *third) == self)
    }
}

/// An access: types 0 and 1, the type in memory, and the least alignment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TypePairAndMemDesc {
    /// Type index 0: the value.
    pub type0: Type,
    /// Type index 1: the pointer.
    pub type1: Type,
    /// The type in memory.
    pub memory: Type,
    /// The least alignment of the address, in bits.
    pub align_bits: u32,
}

/// The predicate that holds always.
pub(super) fn always() -> Predicate {
    Box::new(|_| true)
}

// The primitives, and the methods about a set as a whole.
impl RuleSet {
    /// A rule that covers `covers`; every other method ends here.
    pub(super) fn action_if(
        mut self,
        method: &str,
        action: Action,
        covers: Indices,
        predicate: Predicate,
        mutation: Option<Mutation>,
    ) -> RuleSet {
        let name = |opcode: &Opcode| -> &'static str {
            // Tables are made once for each target and feature set and live as long as the process.
            Box::leak(format!("{} {opcode}#{} {method}", self.target, self.rules.len()).into())
        };
        let names = self.opcodes.iter().map(name).collect();
        self.rules.push(Arc::new(Rule { names, predicate, action, mutation }));
        self.covered = self.covered.and(covers);
        self
    }

    /// A rule for the elements of the list; no rule if it is empty.
    pub(super) fn action_for<T: TypeTuple>(
        self,
        method: &str,
        action: Action,
        types: &[T],
        mutation: Option<Mutation>,
    ) -> RuleSet {
        if types.is_empty() {
            return self;
        }
        let types = types.to_vec();
        let listed: Predicate = Box::new(move |query| types.iter().any(|tuple| tuple.is_of(&query.types)));
        self.action_if(method, action, Indices::types(0..T::COUNT), listed, mutation)
    }

    /// A rule for every combination of a type of each list; one list stands for types 0 and 1 both.
    fn action_for_cartesian_product(self, method: &str, action: Action, lists: &[&[Type]]) -> RuleSet {
        let mut lists: Vec<Vec<Type>> = lists.iter().map(|list| list.to_vec()).collect();
        if let [both] = lists.as_slice() {
            lists.push(both.clone());
        }
        let covers = Indices::types(0..lists.len());
        let listed = move |query: &LegalityQuery| {
            let mut each = lists.iter().zip(0..);
            each.all(|(list, index)| query.type_at(index).is_some_and(|ty| list.contains(&ty)))
        };
        self.action_if(method, action, covers, Box::new(listed), None)
    }

    /// The rules that `more` adds, only if `enabled`: how a feature of the target gates any method.
    pub fn when(self, enabled: bool, more: impl FnOnce(RuleSet) -> RuleSet) -> RuleSet {
        if enabled { more(self) } else { self }
    }

    /// Declares that the rules handle every value of immediate `index`.
    pub fn imm_idx(mut self, index: usize) -> RuleSet {
        self.covered = self.covered.and(Indices::NONE.immediate(index));
        self
    }

    /// Has the rules of `opcode`, by their names, and none of its own; `opcode` may not be an alias itself.
    pub fn alias_to(mut self, opcode: Opcode) -> RuleSet {
        self.alias = Some(opcode);
        self
    }

    /// The rules' answer to a query about one of the set's opcodes: the first that matches decides.
    pub fn apply(&self, query: &LegalityQuery) -> LegalizeStep {
        self.answer(query, self.opcodes.iter().position(|&opcode| opcode == query.opcode).unwrap_or(0))
    }

    /// The same, by the names of the opcode at `place`.
    pub(super) fn answer(&self, query: &LegalityQuery, place: usize) -> LegalizeStep {
        let Some(rule) = self.rules.iter().find(|rule| (rule.predicate)(query)) else { return UNSUPPORTED };
        let change = rule.mutation.as_ref().map(|mutation| mutation(query));
        LegalizeStep {
            action: rule.action,
            type_index: change.map_or(0, |(index, _)| index),
            new_type: change.and_then(|(_, ty)| ty),
            rule: rule.names.get(place).copied().unwrap_or(NO_RULE),
        }
    }

    /// The first of `count` type indices that no rule covers.
    pub fn verify_type_idxs_coverage(&self, count: usize) -> Option<usize> {
        (0..count).find(|&index| self.covered.types & bit(index) == 0)
    }

    /// The first of `count` immediate indices that no rule covers.
    pub fn verify_imm_idxs_coverage(&self, count: usize) -> Option<usize> {
        (0..count).find(|&index| self.covered.immediates & bit(index) == 0)
    }
}

// Legal.
impl RuleSet {
    /// Legal if the predicate holds.
    pub fn legal_if(self, predicate: Predicate) -> RuleSet {
        self.action_if("legal_if", Action::Legal, Indices::ALL, predicate, None)
    }

    /// Legal if listed.
    pub fn legal_for<T: TypeTuple>(self, types: &[T]) -> RuleSet {
        self.action_for("legal_for", Action::Legal, types, None)
    }

    /// Legal if listed, whatever the immediate.
    pub fn legal_for_type_with_any_imm<T: TypeTuple>(self, types: &[T]) -> RuleSet {
        self.action_for("legal_for_type_with_any_imm", Action::Legal, types, None).imm_idx(0)
    }

    /// Legal if types, size in memory and alignment are listed.
    pub fn legal_for_types_with_mem_desc(self, accesses: &[TypePairAndMemDesc]) -> RuleSet {
        let listed = predicates::type_pair_and_mem_desc_in_set(0, 1, 0, accesses);
        self.action_if("legal_for_types_with_mem_desc", Action::Legal, Indices::types([0, 1]), listed, None)
    }

    /// Legal if each type is in its list.
    pub fn legal_for_cartesian_product(self, lists: &[&[Type]]) -> RuleSet {
        self.action_for_cartesian_product("legal_for_cartesian_product", Action::Legal, lists)
    }

    /// Legal whatever the types.
    pub fn always_legal(self) -> RuleSet {
        self.action_if("always_legal", Action::Legal, Indices::ALL, always(), None)
    }
}

// Lower.
impl RuleSet {
    /// Lowered whatever the types.
    pub fn lower(self) -> RuleSet {
        self.action_if("lower", Action::Lower, Indices::ALL, always(), None)
    }

    /// Lowered if the predicate holds.
    pub fn lower_if(self, predicate: Predicate) -> RuleSet {
        self.action_if("lower_if", Action::Lower, Indices::ALL, predicate, None)
    }

    /// Lowered if the predicate holds, with a type as a hint.
    pub fn lower_if_to(self, predicate: Predicate, mutation: Mutation) -> RuleSet {
        self.action_if("lower_if", Action::Lower, Indices::ALL, predicate, Some(mutation))
    }

    /// Lowered if listed.
    pub fn lower_for<T: TypeTuple>(self, types: &[T]) -> RuleSet {
        self.action_for("lower_for", Action::Lower, types, None)
    }

    /// Lowered if listed, with a type as a hint.
    pub fn lower_for_to<T: TypeTuple>(self, types: &[T], mutation: Mutation) -> RuleSet {
        self.action_for("lower_for", Action::Lower, types, Some(mutation))
    }

    /// Lowered if each type is in its list.
    pub fn lower_for_cartesian_product(self, lists: &[&[Type]]) -> RuleSet {
        self.action_for_cartesian_product("lower_for_cartesian_product", Action::Lower, lists)
    }

    /// Lowered if the access is of a size in bytes that is no power of two.
    pub fn lower_if_mem_size_not_pow2(self) -> RuleSet {
        let odd = mem_size_in_bytes_not_pow2(0);
        self.action_if("lower_if_mem_size_not_pow2", Action::Lower, Indices::NONE, odd, None)
    }

    /// Lowered if the access is not of 1, 2, 4, 8, ... whole bytes.
    pub fn lower_if_mem_size_not_byte_size_pow2(self) -> RuleSet {
        let odd = mem_size_not_byte_size_pow2(0);
        self.action_if("lower_if_mem_size_not_byte_size_pow2", Action::Lower, Indices::NONE, odd, None)
    }
}

// Library calls and the target's own.
impl RuleSet {
    /// A library call whatever the types.
    pub fn libcall(self) -> RuleSet {
        self.action_if("libcall", Action::Libcall, Indices::ALL, always(), None)
    }

    /// A library call if the predicate holds.
    pub fn libcall_if(self, predicate: Predicate) -> RuleSet {
        self.action_if("libcall_if", Action::Libcall, Indices::ALL, predicate, None)
    }

    /// A library call if listed.
    pub fn libcall_for<T: TypeTuple>(self, types: &[T]) -> RuleSet {
        self.action_for("libcall_for", Action::Libcall, types, None)
    }

    /// A library call if each type is in its list.
    pub fn libcall_for_cartesian_product(self, lists: &[&[Type]]) -> RuleSet {
        self.action_for_cartesian_product("libcall_for_cartesian_product", Action::Libcall, lists)
    }

    /// The target's own expansion whatever the types.
    pub fn custom(self) -> RuleSet {
        self.action_if("custom", Action::Custom, Indices::ALL, always(), None)
    }

    /// The target's own expansion if the predicate holds.
    pub fn custom_if(self, predicate: Predicate) -> RuleSet {
        self.action_if("custom_if", Action::Custom, Indices::ALL, predicate, None)
    }

    /// The target's own expansion if listed.
    pub fn custom_for<T: TypeTuple>(self, types: &[T]) -> RuleSet {
        self.action_for("custom_for", Action::Custom, types, None)
    }

    /// The target's own expansion if each type is in its list.
    pub fn custom_for_cartesian_product(self, lists: &[&[Type]]) -> RuleSet {
        self.action_for_cartesian_product("custom_for_cartesian_product", Action::Custom, lists)
    }
}

// Refusals.
impl RuleSet {
    /// Refused whatever the types.
    pub fn unsupported(self) -> RuleSet {
        self.action_if("unsupported", Action::Unsupported, Indices::ALL, always(), None)
    }

    /// Refused if the predicate holds.
    pub fn unsupported_if(self, predicate: Predicate) -> RuleSet {
        self.action_if("unsupported_if", Action::Unsupported, Indices::NONE, predicate, None)
    }

    /// Refused if listed.
    pub fn unsupported_for<T: TypeTuple>(self, types: &[T]) -> RuleSet {
        self.action_for("unsupported_for", Action::Unsupported, types, None)
    }

    /// Refused if the access is of a size in bytes that is no power of two.
    pub fn unsupported_if_mem_size_not_pow2(self) -> RuleSet {
        let odd = mem_size_in_bytes_not_pow2(0);
        self.action_if("unsupported_if_mem_size_not_pow2", Action::Unsupported, Indices::NONE, odd, None)
    }
}
