//! `cargo +nightly fuzz run encode`: see `tribunal_fuzz::targets::encode`.

#![cfg_attr(fuzzing, no_main)]

#[macro_use]
#[path = "hooks.rs"]
mod hooks;

target!(encode);
