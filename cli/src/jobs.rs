//! The number of worker threads.

use clap::Args;
use std::num::NonZero;

/// The flag of every verb whose work is shared out.
#[derive(Args, Clone, Copy, Debug)]
pub struct Jobs {
    /// Worker threads; one for each core if left out.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MOST as i64))]
    jobs: Option<u16>,
}

const MOST: usize = 256;

impl Jobs {
    /// At least one.
    pub fn count(self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, NonZero::get).min(MOST);
        self.jobs.map_or_else(cores, usize::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_core_works_unless_it_is_said_otherwise() {
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        assert_eq!(Jobs { jobs: None }.count(), cores.min(MOST));
        assert_eq!(Jobs { jobs: Some(3) }.count(), 3);
    }
}
