//! The layers of the backend: the part of a fault's file, and the passes that blame may name for it.
//!
//! Sources with faults are those of the two crates that make code, and the shared definitions. Only code that no
//! compilation of a program runs is left out, by name.

/// Folders whose sources get faults.
pub const SOURCES: [&str; 3] = ["backend/codegen/src", "backend/target/src", "backend/ir/src/semantics"];

/// Files without faults, and the reason.
pub const EXEMPT: [(&str, &str); 7] = [
    ("backend/codegen/src/legalize/catalogue.rs", "makes the questions of `prove`, and no code"),
    ("backend/codegen/src/legalize/catalogue/", "makes the questions of `prove`, and no code"),
    ("backend/codegen/src/call_lowering.rs", "lowers functions that are built through the library alone"),
    ("backend/codegen/src/emit/unwind.rs", "unwind tables, which no judge runs"),
    ("backend/target/src/riscv/attributes.rs", "a section that only linkers read"),
    ("backend/ir/src/semantics/partial.rs", "the domain of the validator, which no compilation runs"),
    ("tests.rs", "tests"),
];

/// The first row whose part of a path the file has: a layer, and the pass to blame if it is one alone.
const LAYERS: [(&str, &str, Option<&str>); 20] = [
    ("codegen/src/legalize", "legalizer", Some("legalize")),
    ("target/src/legality", "legality rules", Some("legalize")),
    ("/legality.rs", "legality rules", Some("legalize")),
    ("target/src/variable_arguments.rs", "legalizer", Some("legalize")),
    ("codegen/src/bank_select", "bank select", Some("bank-select")),
    ("codegen/src/select", "selector", Some("select")),
    ("/selection.rs", "selection rules", Some("select")),
    ("codegen/src/split_edges", "split edges", Some("split-edges")),
    ("codegen/src/allocate", "allocator", Some("allocate")),
    ("codegen/src/frame", "frame", Some("frame")),
    ("codegen/src/relax_branches", "relax branches", Some("relax-branches")),
    ("codegen/src/emit", "emission", Some("emit")),
    ("target/src/encoding.rs", "emission", Some("emit")),
    ("compressed.rs", "emission", Some("emit")),
    ("ir/src/semantics", "definitions", None),
    ("/semantics.rs", "definitions", None),
    ("target/src/meaning.rs", "definitions", None),
    ("instructions.rs", "machine description", None),
    ("backend/target", "machine description", None),
    ("backend/codegen", "driver", None),
];

/// The layer of a file, and the pass that blame must name; `None` if several may be named.
pub fn of(file: &str) -> (&'static str, Option<&'static str>) {
    let found = LAYERS.iter().find(|(part, ..)| file.contains(part));
    found.map_or(("other", None), |&(_, layer, pass)| (layer, pass))
}

/// True if faults are drawn from this file.
pub fn has_faults(file: &str) -> bool {
    file.ends_with(".rs")
        && SOURCES.iter().any(|folder| file.starts_with(folder))
        && !EXEMPT.iter().any(|(part, _)| file.starts_with(part) || file.ends_with(&format!("/{part}")))
}

/// The pass of a guilty name: a pass by its own name, `FAMILY NAME` for a rule of selection, `TARGET OPCODE#N STEP` and
/// `combine NAME` for a rule of the legalizer. Where a panic is guilty by its place it is the pass of that file, or the
/// one that the place names.
pub fn pass_of(guilty: &str) -> &str {
    let words: Vec<&str> = guilty.split(' ').collect();
    match words.as_slice() {
        [place] if place.contains(".rs:") => of(place).1.unwrap_or_default(),
        [place, "in", pass] => of(place).1.unwrap_or(pass),
        [pass] => pass,
        ["combine", _] => "legalize",
        [_, opcode, ..] if opcode.contains('#') => "legalize",
        [_, _] => "select",
        _ => "legalize",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_layers_and_names_have_passes() {
        assert_eq!(of("backend/target/src/riscv/selection.rs"), ("selection rules", Some("select")));
        assert_eq!(of("backend/target/src/aarch64/semantics.rs").0, "definitions");
        assert_eq!(pass_of("riscv64 G_ASHR#5 widen_scalar_to_next_pow2"), "legalize");
        assert_eq!(pass_of("riscv const_simm12"), "select");
        assert_eq!(pass_of("combine va_arg"), "legalize");
        assert_eq!(pass_of("split-edges"), "split-edges");
        assert_eq!(pass_of("backend/codegen/src/frame/layout.rs:12"), "frame");
        assert_eq!(pass_of("backend/ir/src/function.rs:9 in select"), "select");
        assert_eq!(pass_of("backend/codegen/src/frame/layout.rs:12 in allocate"), "frame");
        assert!(has_faults("backend/codegen/src/frame/layout.rs"));
        assert!(!has_faults("backend/codegen/src/select/matcher/tests.rs") && !has_faults("verifier/src/lib.rs"));
    }
}
