#!/bin/bash -eu
# Builds every fuzz target into $OUT, with its seeds, as ClusterFuzzLite asks; `make fuzzers` runs it in that environment.

cd "$SRC/tribunal"

# These are meant for C: what is built of it here (Unicorn) is not what is fuzzed.
unset CFLAGS CXXFLAGS
# The machine that runs the fuzzers has no Z3: it goes with them.
export RUSTFLAGS="${RUSTFLAGS:-} -Clink-arg=-Wl,-rpath,\$ORIGIN/lib"
# Seven programs out of one library: each would be optimised whole again, and a library in one part takes one core.
export CARGO_PROFILE_RELEASE_LTO=off
sanitizer=address
[ "$SANITIZER" = address ] || sanitizer=none
cargo fuzz build --release --codegen-units 16 --sanitizer "$sanitizer"

built="${CARGO_TARGET_DIR:-target}/x86_64-unknown-linux-gnu/release"
mkdir -p "$OUT/lib"
for source in fuzz/fuzz_targets/*.rs; do
    name=$(basename "$source" .rs)
    [ "$name" != hooks ] || continue
    cp "$built/$name" "$OUT/$name"
    find corpus/bugs corpus/fuzz -name "*.mir" -exec zip --quiet --junk-paths "$OUT/${name}_seed_corpus.zip" {} +
    ldd "$built/$name" | awk '/libz3/ { print $3 }' | xargs --no-run-if-empty cp --dereference --target-directory "$OUT/lib"
done
