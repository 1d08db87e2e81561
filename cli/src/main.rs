//! The program: all of it is in the library of this package, so that tests see the command tree.

use std::process::ExitCode;

/// The judges make very many small allocations for each program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    tribunal::main()
}
