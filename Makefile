# Two commands: `make fuzz` (the main job) and `make test` (everything that CI holds).
# Both install missing Debian packages first and say which; elsewhere they say what to install.

SHELL := /bin/bash
CARGO ?= cargo
SECONDS_TO_FUZZ ?= 60
JOBS ?= $(shell nproc)

# What the build needs: the SMT solver, and cmake, a C compiler and libclang for Unicorn.
BUILD_PACKAGES := libz3-dev cmake gcc g++ make pkg-config libclang-dev
# The peers that tests compare with.
PEER_PACKAGES := llvm-22 clang-22 lld-22 qemu-user cvc5

.PHONY: fuzz test fuzzers benchmarks judge-llvm build packages peers

fuzz: build
	./target/release/tribunal fuzz --seconds $(SECONDS_TO_FUZZ) --jobs $(JOBS)

test: packages peers
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	$(CARGO) test --workspace
	@$(MAKE) fuzz SECONDS_TO_FUZZ=10
	@$(MAKE) fuzzers

# The fuzzers as ClusterFuzzLite builds them, each started.
fuzzers: packages
	@.ci/packages zip
	@.ci/fuzzers

# Every figure of the documents: measures all sections of docs/benchmarks.md, or those named in SECTIONS, and writes that file
# whole. SECTIONS="legalizer compile" is the speed beside LLVM's, SECTIONS="recipes stages" the prover's and the loop's.
# SECONDS_A_JOB is the length of the main job; all other durations are in proportion.
SECONDS_A_JOB ?= 300
SECTIONS ?=
benchmarks: build peers
	@.ci/packages csmith libcsmith-dev
	$(CARGO) build --release --package tribunal-benchmarks
	./target/release/tribunal-benchmarks --seconds-a-job $(SECONDS_A_JOB) --jobs $(JOBS) $(SECTIONS)

# LLVM's legalizer on trial, on these sources: see trial/examples/judge_llvm.rs.
SOURCES ?= real csmith=1..200
judge-llvm: packages peers
	@.ci/packages csmith libcsmith-dev
	$(CARGO) run --release --package tribunal-trial --example judge_llvm -- --jobs $(JOBS) $(SOURCES)

build: packages
	$(CARGO) build --release --package tribunal

packages:
	@.ci/packages $(BUILD_PACKAGES)

peers:
	@.ci/packages $(PEER_PACKAGES)
