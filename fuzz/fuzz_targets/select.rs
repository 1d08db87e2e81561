//! `cargo +nightly fuzz run select`: see `tribunal_fuzz::targets::select`.

#![cfg_attr(fuzzing, no_main)]

#[macro_use]
#[path = "hooks.rs"]
mod hooks;

target!(select on programs);
