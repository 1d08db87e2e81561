//! `cargo +nightly fuzz run differential`: bytes to a function, every judge on it. The body is a library function, which
//! `cargo test` runs too. Without cargo-fuzz, which sets `--cfg fuzzing`, there is nothing here to run.

#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tribunal_fuzz::differential(bytes));

#[cfg(not(fuzzing))]
fn main() {
    eprintln!("run this target with: cargo +nightly fuzz run differential");
}
