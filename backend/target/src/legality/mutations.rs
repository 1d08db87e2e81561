//! What a rule changes: type index and new type.

use super::LegalityQuery;
use tribunal_ir::Type;

/// Which type index changes, and to what.
pub type Mutation = Box<dyn Fn(&LegalityQuery) -> (usize, Type) + Send + Sync>;
