//! `cargo +nightly fuzz run legalize`: see `tribunal_fuzz::targets::legalize`.

#![cfg_attr(fuzzing, no_main)]

#[macro_use]
#[path = "hooks.rs"]
mod hooks;

target!(legalize on programs);
