//! The program: all of it is in the library of this package, so that tests see the command tree.

use std::process::ExitCode;

/// A judged program is some ten thousand small allocations.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    tribunal::main()
}
