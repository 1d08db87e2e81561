//! Text cases and their runner, one named test a file.
