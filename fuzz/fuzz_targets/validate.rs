//! `cargo +nightly fuzz run validate`: see `tribunal_fuzz::targets::validate`.

#![cfg_attr(fuzzing, no_main)]

#[macro_use]
#[path = "hooks.rs"]
mod hooks;

target!(validate on programs);
