//! `cargo +nightly fuzz run parse`: see `tribunal_fuzz::targets::parse`.

#![cfg_attr(fuzzing, no_main)]

#[macro_use]
#[path = "hooks.rs"]
mod hooks;

target!(parse on programs);
