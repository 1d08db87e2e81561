//! What libFuzzer calls of a target. Without cargo-fuzz, which sets `--cfg fuzzing`, there is nothing here to run: `cargo test`
//! runs the bodies.

/// The target of this name; `on programs` for one whose inputs are programs, with a mutator and a crossover that leave them
/// programs.
macro_rules! target {
    ($body:ident on programs) => {
        #[cfg(fuzzing)]
        libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
            match tribunal_fuzz::targets::mutated(&data[..size], max_size, seed) {
                Some(text) => {
                    data[..text.len()].copy_from_slice(&text);
                    text.len()
                }
                None => size,
            }
        });

        #[cfg(fuzzing)]
        libfuzzer_sys::fuzz_crossover!(|data1: &[u8], data2: &[u8], out: &mut [u8], seed: u32| {
            let text = tribunal_fuzz::targets::crossed(data1, data2, out.len(), seed).unwrap_or_default();
            out[..text.len()].copy_from_slice(&text);
            text.len()
        });

        target!($body);
    };
    ($body:ident) => {
        #[cfg(fuzzing)]
        libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tribunal_fuzz::targets::$body(bytes));

        #[cfg(not(fuzzing))]
        fn main() {
            eprintln!(concat!("run this target with: cargo +nightly fuzz run ", stringify!($body)));
        }
    };
}
