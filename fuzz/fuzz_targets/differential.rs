//! `cargo +nightly fuzz run differential`: see `tribunal_fuzz::targets::differential`.

#![cfg_attr(fuzzing, no_main)]

#[macro_use]
#[path = "hooks.rs"]
mod hooks;

target!(differential on programs);
