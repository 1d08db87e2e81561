//! Panic isolation, the last guard between functions: a panic while judging one loses no verdict on the others.
//!
//! No input should make the backend or a judge panic; a panic is a finding like any other.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// The result of `judge`, or the message of the panic that ended it. Values that `judge` changed may be inconsistent
/// after a panic: the caller makes them anew.
pub fn run<T>(judge: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(judge)).map_err(|payload| {
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_string());
        text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic".to_string())
    })
}
