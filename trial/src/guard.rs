//! Panic isolation, the last guard between functions: a panic while judging one loses no verdict on the others.
//!
//! No input should make the backend or a judge panic; a panic is a finding like any other, and its place is guilty.

use std::cell::RefCell;
use std::fmt;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::sync::Once;
use tribunal_codegen::pipeline::running;

/// A panic that was caught.
#[derive(Clone, Debug)]
pub struct CaughtPanic {
    /// Its message.
    pub message: String,
    /// The file and the line; of a library's, the name of the file alone. In the backend, ` in PASS` follows.
    pub place: String,
}

impl fmt::Display for CaughtPanic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

thread_local! {
    /// The place of this thread's last panic.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// The result of `judge`, or the panic that ended it. Values that `judge` changed may be inconsistent after a panic:
/// the caller makes them anew.
pub fn run<T>(judge: impl FnOnce() -> T) -> Result<T, CaughtPanic> {
    note_places();
    catch_unwind(AssertUnwindSafe(judge)).map_err(|payload| {
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_string());
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
        let place = PLACE.with(|place| place.borrow_mut().take());
        CaughtPanic { message: text.unwrap_or_else(|| "a panic".to_string()), place: place.unwrap_or_default() }
    })
}

/// From now on each panic leaves its place, before it is reported as it was.
fn note_places() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let report = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            PLACE.with(|place| *place.borrow_mut() = panic.location().map(place_of));
            report(panic);
        }));
    });
}

/// A path of this workspace is relative; another says where this machine keeps its libraries.
fn place_of(location: &Location<'_>) -> String {
    let (file, line) = (location.file(), location.line());
    let name = std::path::Path::new(file);
    let file = if name.is_absolute() { name.file_name().and_then(|name| name.to_str()).unwrap_or(file) } else { file };
    in_pass(format!("{file}:{line}"), running())
}

/// The place, with the pass that ran there. Judges run within passes, and a panic in their sources is no pass's.
fn in_pass(place: String, pass: Option<&str>) -> String {
    let is_of_judges = place.contains('/') && !place.starts_with("backend/");
    pass.filter(|_| !is_of_judges).map_or_else(|| place.clone(), |pass| format!("{place} in {pass}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_says_its_place() {
        let panic = run(|| assert_eq!(1 + 1, 3, "sums")).expect_err("it panics");
        assert!(panic.message.contains("sums") && panic.place.starts_with("trial/src/guard.rs:"), "{panic:?}");
        let panic = run(|| Vec::<u8>::with_capacity(usize::MAX)).expect_err("it panics");
        assert!(!panic.place.contains('/') || panic.place.starts_with("trial"), "{panic:?}");
        assert!(run(|| 1).is_ok());
    }

    #[test]
    fn a_panic_of_the_backend_says_its_pass() {
        let place = |file: &str| in_pass(format!("{file}:7"), Some("select"));
        assert_eq!(place("backend/ir/src/function.rs"), "backend/ir/src/function.rs:7 in select");
        assert_eq!(place("mod.rs"), "mod.rs:7 in select");
        assert_eq!(place("verifier/src/lib.rs"), "verifier/src/lib.rs:7");
        assert_eq!(in_pass("backend/ir/src/function.rs:7".to_string(), None), "backend/ir/src/function.rs:7");
    }
}
