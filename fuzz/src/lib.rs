//! Generator, oracles, blame and crash files.
