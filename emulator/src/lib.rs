//! The judges that run: IR interpreter and Unicorn.
