//! A piece of code taken out of its function, to be judged by itself: the instructions that a rewrite replaced, and
//! their replacement.

use crate::function::Function;
use crate::inst::InstData;

/// Instructions in execution order. Registers read but not defined inside are its inputs.
///
/// A fragment with PHIs describes one entry into their block. Instructions that a rewrite placed in a predecessor stand
/// before the PHIs. They are executed whichever edge is taken, so they must not have effects.
pub type Fragment = Vec<InstData>;

/// One application of one rule: `after` must refine `before`.
///
/// Both sides name registers of `function`, which is the function *after* the rewrite; every register of either side
/// still has its type there.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// The rule's name, as the catalogue lists it.
    pub rule: &'a str,
    /// The function that holds both. It gives the types of registers and the contents of stack objects.
    pub function: &'a Function,
    /// The instructions that were replaced, in execution order.
    pub before: &'a [InstData],
    /// The instructions that replace them, in execution order.
    pub after: &'a [InstData],
}
