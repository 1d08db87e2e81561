//! `cargo +nightly fuzz run differential`: every judge on a program that libFuzzer keeps as MIR text, mutated by edits that
//! leave it one. The bodies are library functions, which `cargo test` runs too. Without cargo-fuzz, which sets `--cfg fuzzing`,
//! there is nothing here to run.

#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
mod hooks {
    use tribunal_fuzz::libfuzzer::{crossed, differential, mutated};

    libfuzzer_sys::fuzz_target!(|bytes: &[u8]| differential(bytes));

    libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
        match mutated(&data[..size], max_size, seed) {
            Some(text) => {
                data[..text.len()].copy_from_slice(&text);
                text.len()
            }
            None => size,
        }
    });

    libfuzzer_sys::fuzz_crossover!(|data1: &[u8], data2: &[u8], out: &mut [u8], seed: u32| {
        let text = crossed(data1, data2, out.len(), seed).unwrap_or_default();
        out[..text.len()].copy_from_slice(&text);
        text.len()
    });
}

#[cfg(not(fuzzing))]
fn main() {
    eprintln!("run this target with: cargo +nightly fuzz run differential");
}
