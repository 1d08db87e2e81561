//! `cargo +nightly fuzz run allocate`: see `tribunal_fuzz::targets::allocate`.

#![cfg_attr(fuzzing, no_main)]

#[macro_use]
#[path = "hooks.rs"]
mod hooks;

target!(allocate on programs);
