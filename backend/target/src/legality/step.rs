//! The answer to a query, and the checks that find an invalid answer.

use super::Action;
use std::fmt;
use tribunal_ir::Type;

/// The answer: an action on one type index, with the new type where the action takes one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LegalizeStep {
    /// The action.
    pub action: Action,
    /// The type index that it applies to.
    pub type_index: usize,
    /// The new type of that index; `None` where the action takes none.
    pub new_type: Option<Type>,
    /// Name of the rule that matched: `riscv64 G_ADD#2 clamp_scalar`; [`NO_RULE`] if none did.
    pub rule: &'static str,
}

/// The stand-in for the rule's name where none matches.
pub const NO_RULE: &str = "no rule matches";

pub(super) const UNSUPPORTED: LegalizeStep =
    LegalizeStep { action: Action::Unsupported, type_index: 0, new_type: None, rule: NO_RULE };

/// An invalid step, which would bring its instruction no nearer to legality: a fault of the rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{rule}`: {action:?} of type {index} from {from} to {to}: {why}", rule = step.rule, action = step.action,
    index = step.type_index, from = Shown(*old), to = Shown(step.new_type))]
pub struct StepFault {
    /// The invalid step.
    pub step: LegalizeStep,
    /// The type that it applies to, if the instruction has it.
    pub old: Option<Type>,
    /// The reason.
    pub why: InvalidStep,
}

/// The reason why a step is invalid.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum InvalidStep {
    /// The instruction has no type of that index.
    #[error("the instruction has no such type")]
    NoSuchType,
    /// The action needs a new type, and the rule gives none.
    #[error("the rule gives no type")]
    NoNewType,
    /// Nothing would change, so the legalizer would ask again.
    #[error("a loop: nothing changes")]
    Loop,
    /// The action is for scalars.
    #[error("only scalars and vectors of scalars are widened and narrowed")]
    NotScalar,
    /// The number of elements changes, and the action keeps it.
    #[error("the number of elements changes")]
    CountChanges,
    /// A widening to a type that is no wider.
    #[error("that is not wider")]
    NotWider,
    /// A narrowing to a type that is no narrower.
    #[error("that is not narrower")]
    NotNarrower,
    /// The element changes, and the action keeps it.
    #[error("the element changes")]
    ElementChanges,
    /// The action asks for fewer elements, and the new type does not have fewer.
    #[error("those are not fewer elements")]
    NotFewer,
    /// The action asks for more elements, and the new type does not have more.
    #[error("those are not more elements")]
    NotMore,
    /// The size changes, and the action keeps it.
    #[error("the size changes")]
    SizeChanges,
}

struct Shown(Option<Type>);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(ty) => ty.fmt(f),
            None => f.write_str("none"),
        }
    }
}

impl LegalizeStep {
    /// Checks the step for an instruction whose type `type_index` is `old`: it must change that type, and as its action
    /// says. LLVM checks this in builds with assertions only.
    pub fn check(&self, old: Option<Type>) -> Result<(), StepFault> {
        let takes_type = match self.action {
            Action::NarrowScalar | Action::WidenScalar => true,
            Action::FewerElements | Action::MoreElements | Action::Bitcast => true,
            // A new type is a hint to these.
            Action::Legal | Action::Lower | Action::Libcall | Action::Custom | Action::Unsupported => false,
        };
        let checked = match (takes_type, old, self.new_type) {
            (false, ..) => Ok(()),
            (true, None, _) => Err(InvalidStep::NoSuchType),
            (true, Some(_), None) => Err(InvalidStep::NoNewType),
            (true, Some(old), Some(new)) => {
                has_no_simple_loops(old, new).and_then(|()| mutation_is_valid(self.action, old, new))
            }
        };
        checked.map_err(|why| StepFault { step: *self, old, why })
    }
}

/// The type must change, or the rule that matched would match for ever.
fn has_no_simple_loops(old: Type, new: Type) -> Result<(), InvalidStep> {
    if old == new { Err(InvalidStep::Loop) } else { Ok(()) }
}

/// The type must change in the property that the action names, in its direction, and in nothing else.
fn mutation_is_valid(action: Action, old: Type, new: Type) -> Result<(), InvalidStep> {
    let (from, to) = (old.scalar_type(), new.scalar_type());
    let require = |holds: bool, otherwise: InvalidStep| if holds { Ok(()) } else { Err(otherwise) };
    match action {
        Action::WidenScalar | Action::NarrowScalar => {
            require(from.is_scalar() && to.is_scalar(), InvalidStep::NotScalar)?;
            require(old.element_count() == new.element_count(), InvalidStep::CountChanges)?;
            match action {
                Action::WidenScalar => require(to.bits() > from.bits(), InvalidStep::NotWider),
                _ => require(to.bits() < from.bits(), InvalidStep::NotNarrower),
            }
        }
        Action::FewerElements => {
            require(from == to, InvalidStep::ElementChanges)?;
            require(old.is_vector() && known_fewer(new, old), InvalidStep::NotFewer)
        }
        Action::MoreElements => {
            require(from == to, InvalidStep::ElementChanges)?;
            require(new.is_vector() && known_fewer(old, new), InvalidStep::NotMore)
        }
        Action::Bitcast => require(same_size(old, new), InvalidStep::SizeChanges),
        Action::Legal | Action::Lower | Action::Libcall | Action::Custom | Action::Unsupported => Ok(()),
    }
}

/// True if `one` has fewer elements than `other` whatever `vscale` is; a type that is no vector has one.
fn known_fewer(one: Type, other: Type) -> bool {
    let lanes = |ty: Type| ty.element_count().map_or(1, |count| count.lanes);
    let scales = |ty: Type| ty.element_count().is_some_and(|count| count.scalable);
    (!scales(one) || scales(other)) && lanes(one) < lanes(other)
}

fn same_size(one: Type, other: Type) -> bool {
    let scales = |ty: Type| ty.element_count().is_some_and(|count| count.scalable);
    one.bits() == other.bits() && scales(one) == scales(other)
}
