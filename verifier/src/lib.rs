//! The judges that reason: machine verifier, allocation checker, SMT prover.
