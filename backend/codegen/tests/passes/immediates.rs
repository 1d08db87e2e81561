//! Immediates outside of the ranges of their rows are refused, at every stage, before a rule reads them.

use super::function;
use tribunal_codegen::{Context, NoObserver, Options, pipeline};
use tribunal_ir::Function;
use tribunal_target::riscv::RISCV64;

/// The refusal of a compilation up to selection; empty for none.
fn refusal(mut function: Function) -> String {
    let options = Options::new(RISCV64.default_features);
    let legalizer = (RISCV64.legality)(options.features);
    let mut context = Context { target: &RISCV64, options, legalizer, observer: &mut NoObserver };
    let result = pipeline::run_until(&mut function, &mut context, Some("select"));
    result.map_or_else(|error| error.to_string(), |_| String::new())
}

fn extended(properties: &[&str], immediate: &str) -> String {
    let body = format!("    %1:_(s64) = G_SEXT_INREG %0, {immediate}\n    $x10 = COPY %1(s64)\n");
    refusal(function(
        &RISCV64,
        properties,
        "tracksRegLiveness: true\n",
        &format!("  bb.0:\n    liveins: $x10\n\n    %0:_(s64) = COPY $x10\n{body}    PseudoRET implicit $x10\n"),
    ))
}

#[test]
fn a_width_is_between_one_and_that_of_the_value() {
    assert_eq!(extended(&[], "1"), "");
    assert_eq!(extended(&[], "63"), "");
    for immediate in ["0", "64", "-1", "4294967304"] {
        let refusal = extended(&[], immediate);
        let wanted = format!("an immediate outside of 1..=63 in `%1:_(s64) = G_SEXT_INREG %0, {immediate}`");
        assert!(refusal.contains(&wanted), "{refusal}");
        assert!(extended(&["legalized"], immediate).contains(&wanted), "{immediate} of a legalized function");
    }
}

#[test]
fn an_immediate_that_is_missing_is_refused() {
    let refusal = extended(&[], "%0");
    assert!(refusal.contains("operand 2 of `%1:_(s64) = G_SEXT_INREG"), "{refusal}");
}
