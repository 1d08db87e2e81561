//! What `validate` says of small pairs whose difference hangs on one rule, and the inputs that it executes them on.

use tribunal_fuzz::inputs::{self, Plan};
use tribunal_fuzz::validate::{self, Kind};
use tribunal_ir::{Module, text};
use tribunal_target::Target;

fn riscv64() -> &'static Target {
    tribunal_target::by_name("riscv64").unwrap()
}

fn module(body: &str) -> Module {
    let line = |line: &str| format!("{}{line}\n", if line.starts_with("bb.") { "  " } else { "    " });
    let lines: String = body.trim().lines().map(|text| line(text.trim())).collect();
    let source = format!(
        "# target: riscv64\n---\nname: f\ntracksRegLiveness: true\nbody: |\n  bb.0:\n    liveins: $x10, $x11\n\n{lines}...\n"
    );
    text::parse_module(&source, riscv64().vocabulary).unwrap()
}

/// A load of a size that is no whole number of bytes relies on zeros above, so that a legalizer may read the whole byte.
#[test]
fn a_load_of_one_bit_may_become_one_of_its_byte() {
    let load = |access: &str| {
        module(&format!(
            "%0:_(p0) = COPY $x10
             %1:_(s64) = {access}
             $x10 = COPY %1(s64)
             PseudoRET implicit $x10"
        ))
    };
    let bit = load("G_ZEXTLOAD %0(p0) :: (load (s1))");
    let byte = load("G_ZEXTLOAD %0(p0) :: (load (s8))");
    let judge = |before, after| validate::validate(before, after, riscv64()).remove(0).kind;
    assert_eq!(judge(&bit, &byte), Kind::Proved);
    let refuted = judge(&byte, &bit);
    assert!(matches!(&refuted, Kind::Refuted(found) if found.contains("poison")), "{refuted:?}");
}

/// The result of a call is copied from the register that holds an argument in front of it.
#[test]
fn the_result_of_a_call_is_no_argument() {
    let module = module(
        "%0:_(p0) = COPY $x10
         ADJCALLSTACKDOWN 0, 0, implicit-def $x2, implicit $x2
         PseudoCALL target-flags(riscv-call) @next, csr_ilp32_lp64, implicit-def $x1, implicit-def $x10
         ADJCALLSTACKUP 0, 0, implicit-def $x2, implicit $x2
         %1:_(s64) = COPY $x10
         G_STORE %1(s64), %0(p0) :: (store (s64))
         PseudoRET",
    );
    let inputs = inputs::inputs(&module.functions[0], riscv64(), Plan { count: 8, seed: 1 });
    assert_eq!(inputs.len(), 8);
    for input in inputs {
        assert_eq!(input.registers.len(), 1);
        assert_eq!(input.registers[0].1, input.buffers[0].address);
    }
}

/// A PHI of two parts of which the high one has gone dead, in front of another of the low one's width.
#[test]
fn a_phi_may_lose_its_high_half() {
    let wide = module(
        "%0:_(p0) = COPY $x10
         %1:_(s64) = G_LOAD %0(p0) :: (load (s64))
         %2:_(s8) = G_CONSTANT i8 -12

         bb.1:
         %3:_(s64) = G_PHI %1(s64), %bb.0
         %4:_(s8) = G_PHI %2(s8), %bb.0
         %5:_(s32) = G_TRUNC %3(s64)
         G_STORE %5(s32), %0(p0) :: (store (s32))
         G_STORE %4(s8), %0(p0) :: (store (s8))
         PseudoRET",
    );
    let halves = module(
        "%0:_(p0) = COPY $x10
         %1:_(s32) = G_LOAD %0(p0) :: (load (s32))
         %2:_(s32) = G_CONSTANT i32 -12

         bb.1:
         %6:_(s32) = G_PHI %1(s32), %bb.0
         %7:_(s32) = G_PHI %2(s32), %bb.0
         G_STORE %6(s32), %0(p0) :: (store (s32))
         %8:_(s8) = G_TRUNC %7(s32)
         G_STORE %8(s8), %0(p0) :: (store (s8))
         PseudoRET",
    );
    assert_eq!(validate::validate(&wide, &halves, riscv64()).remove(0).kind, Kind::Proved);
}
