//! After `bank-select` every generic register that is defined has a bank and keeps its type; others are as they were.

use super::{function, run};
use tribunal_codegen::bank_select::PASS;
use tribunal_ir::{Constraint, Properties};
use tribunal_target::riscv::RISCV64;

#[test]
fn every_generic_register_gets_a_bank() {
    let body = "
  bb.0:
    successors: %bb.1
    liveins: $x10

    %0:_(s64) = COPY $x10
    %1:gpr(s64) = COPY $x10
    %2:_(p0) = G_INTTOPTR %0(s64)

  bb.1:
    successors: %bb.1
    %3:_(p0) = G_PHI %2(p0), %bb.0, %3(p0), %bb.1
    G_BR %bb.1
";
    let mut function = function(&RISCV64, &["legalized"], "", body);
    let before: Vec<_> = function.vregs.values().map(|data| (data.ty, data.constraint)).collect();
    run(&PASS, &mut function, &RISCV64).unwrap();
    assert!(function.properties.contains(Properties::REG_BANK_SELECTED));
    for (data, (ty, constraint)) in function.vregs.values().zip(before) {
        assert_eq!(data.ty, ty, "the type stays");
        match constraint {
            Constraint::None => assert!(matches!(data.constraint, Constraint::Bank(_)), "{:?}", data.constraint),
            class => assert_eq!(data.constraint, class, "a class is narrower than a bank"),
        }
    }
}

#[test]
fn what_fits_no_bank_is_refused_by_its_type() {
    for ty in ["s128", "<2 x s32>"] {
        let body = format!("  bb.0:\n    %0:_({ty}) = G_IMPLICIT_DEF\n    PseudoRET\n");
        let mut function = function(&RISCV64, &["legalized"], "", &body);
        let error = run(&PASS, &mut function, &RISCV64).unwrap_err().to_string();
        assert_eq!(error, format!("f: {ty} in a register bank is not supported (bank-select)"));
    }
}
