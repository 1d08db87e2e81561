# Two commands: `make fuzz` (the main job) and `make test` (everything that CI holds).
# Both install missing Debian packages first and say which; elsewhere they say what to install.

SHELL := /bin/bash
CARGO ?= cargo
SECONDS_TO_FUZZ ?= 60
JOBS ?= $(shell nproc)

# What the build needs: the SMT solver, and cmake, a C compiler and libclang for Unicorn.
BUILD_PACKAGES := libz3-dev cmake gcc g++ make pkg-config libclang-dev
# The peers that tests compare with.
PEER_PACKAGES := llvm-22 clang-22 lld-22 qemu-user cvc5 gdb-multiarch binutils-riscv64-linux-gnu binutils-aarch64-linux-gnu
# C libraries that whole programs are linked with.
LIBRARY_PACKAGES := libc6-dev-riscv64-cross libc6-dev-arm64-cross libgcc-12-dev-riscv64-cross libgcc-12-dev-arm64-cross \
	gcc-riscv64-unknown-elf

.PHONY: fuzz test fuzzers programs mutants benchmarks judge-llvm build packages peers libraries

fuzz: build
	./target/release/tribunal fuzz --seconds $(SECONDS_TO_FUZZ) --jobs $(JOBS)

test: packages peers libraries
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	$(CARGO) test --workspace
	@$(MAKE) fuzz SECONDS_TO_FUZZ=10
	@$(MAKE) fuzzers

# The fuzzers as ClusterFuzzLite builds them, each started.
fuzzers: packages
	@.ci/packages zip
	@.ci/fuzzers

# Whole C programs, compiled, linked and run: see docs/programs.md. PROGRAMS has the flags of the runner.
PROGRAMS ?=
programs: build peers libraries
	@.ci/packages csmith libcsmith-dev
	$(CARGO) build --release --package tribunal-corpus --bin tribunal-programs
	./target/release/tribunal-programs --jobs $(JOBS) $(PROGRAMS)

# Faults of the backend's source, drawn by seed and put before the judges: see docs/mutants.md. MUTANTS has the flags.
MUTANTS ?=
mutants: build
	$(CARGO) build --release --package tribunal-mutants
	./target/release/tribunal-mutants --jobs $(JOBS) $(MUTANTS)

# Every figure of the documents: measures all sections of docs/benchmarks.md, or those named in SECTIONS, and writes that file
# whole. SECTIONS="legalizer compile" is the speed beside LLVM's, SECTIONS="recipes stages" the prover's and the loop's.
# SECONDS_A_JOB is the length of the main job; all other durations are in proportion.
SECONDS_A_JOB ?= 300
SECTIONS ?=
benchmarks: build peers
	@.ci/packages csmith libcsmith-dev
	$(CARGO) build --release --package tribunal-benchmarks
	./target/release/tribunal-benchmarks --seconds-a-job $(SECONDS_A_JOB) --jobs $(JOBS) $(SECTIONS)

# LLVM's GlobalISel on trial, each stage at each level, on these sources: see fuzz/examples/judge_llvm.rs.
SOURCES ?= real programs csmith=1..100
judge-llvm: packages peers
	@.ci/packages csmith libcsmith-dev
	$(CARGO) run --release --package tribunal-fuzz --example judge_llvm -- --jobs $(JOBS) $(SOURCES)

build: packages
	$(CARGO) build --release --package tribunal

packages:
	@.ci/packages $(BUILD_PACKAGES)

peers:
	@.ci/packages $(PEER_PACKAGES)

libraries:
	@.ci/packages $(LIBRARY_PACKAGES)
