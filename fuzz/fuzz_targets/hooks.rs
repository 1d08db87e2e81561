//! libFuzzer's hooks into a fuzz target. Without cargo-fuzz, which sets `--cfg fuzzing`, there is nothing here to run:
//! `cargo test` runs the bodies.

#[cfg(fuzzing)]
use std::sync::atomic::{AtomicU8, Ordering};
#[cfg(fuzzing)]
use tribunal_trial::features::SLOTS;

/// A counter for each feature of a compilation (`tribunal_trial::features`). The section's name tells libFuzzer to
/// clear it before a run and to read it after one. A counter that is not zero is a feature, like an edge that was
/// taken.
#[cfg(fuzzing)]
// Nothing here reads it, so that without this the optimiser would leave it out.
#[used]
// The attribute is unsafe because a section's name may mean something to the linker: this one is libFuzzer's, which
// takes its contents for bytes.
#[allow(unsafe_code, reason = "libFuzzer finds its counters by the name of their section")]
#[unsafe(link_section = "__libfuzzer_extra_counters")]
static COUNTERS: [AtomicU8; SLOTS] = [const { AtomicU8::new(0) }; SLOTS];

/// Counts a feature that was reached.
#[cfg(fuzzing)]
pub fn reach(slot: u16) {
    COUNTERS[usize::from(slot)].store(1, Ordering::Relaxed);
}

/// The target of this name; `on programs` for one whose inputs are programs, with a mutator and a crossover that leave
/// them programs.
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
        libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tribunal_fuzz::targets::$body(bytes, &mut hooks::reach));

        #[cfg(not(fuzzing))]
        fn main() {
            eprintln!(concat!("run this target with: cargo +nightly fuzz run ", stringify!($body)));
        }
    };
}
