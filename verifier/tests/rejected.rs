//! Functions that LLVM's verifier rejects, one for each of its reasons that such a function can show at a machine's
//! stages: this verifier rejects each of them too. `sensitivity.rs` does the same for generic instructions.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use std::process::Command;
use tribunal_ir::text;
use tribunal_verifier::machine_verifier::verify_foreign;

fn rejects_all(name: &str, file: &str) {
    let target = tribunal_target::by_name(name).unwrap();
    let module = text::parse_module(file, target.vocabulary).unwrap();
    // Numbers of values that debuggers follow are read where a value is computed.
    let is_known = |text: &str| text == "debug-instr-number";
    assert!(module.unread.iter().all(|unread| is_known(&unread.unknown.text)), "{:?}", module.unread);
    let features = target.default_features | target.all_options();
    let accepted = module.functions.iter().filter(|function| verify_foreign(function, target, features).is_empty());
    let accepted: Vec<&str> = accepted.map(|function| function.name.as_str()).collect();
    assert!(accepted.is_empty(), "{accepted:?}");
    let folder = std::env::temp_dir().join(format!("tribunal-rejected-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for document in file.split("\n---\n").skip(1) {
        let path = folder.join("rejected.mir");
        std::fs::write(&path, format!("---\n{document}\n")).unwrap();
        let mut llc = Command::new("llc-22");
        llc.args([
            &format!("-mtriple={}", target.triple),
            "-run-pass=none",
            "-verify-machineinstrs",
            "-o",
            "/dev/null",
        ]);
        let options: String = target.options.iter().map(|option| format!("+{},", option.name)).collect();
        let output = llc.arg(format!("-mattr={options}")).arg(&path).output().unwrap();
        let report = String::from_utf8_lossy(&output.stderr);
        assert!(report.contains("Bad machine code"), "LLVM accepts {document}\n{report}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn what_llvm_rejects_on_riscv_is_rejected() {
    rejects_all("riscv64", include_str!("rejected/riscv64.mir"));
}

#[test]
fn what_llvm_rejects_on_aarch64_is_rejected() {
    rejects_all("aarch64", include_str!("rejected/aarch64.mir"));
}

/// LLVM's passes leave these: reads of registers whose `IMPLICIT_DEF` is gone, signed parts of a register, labels of
/// the unwinder's rules, frames of calls that go on in the next block, elements that are widened for their bank.
const ACCEPTED: &str = "---
name: f
tracksRegLiveness: true
body: |
  bb.0:
    liveins: $w0, $w1
    CFI_INSTRUCTION def_cfa_offset <mcsymbol >0
    %0:gpr32 = COPY $w0
    %1:gpr32 = COPY $w1
    %2:gpr64 = INSERT_SUBREG undef %3:gpr64all, %0, %subreg.sub_32
    %4:gpr32sp = COPY %0
    dead %5:gpr32 = SUBSWrx %4, %1, 42, implicit-def dead $nzcv
    RET_ReallyLR
...
---
name: widened
tracksRegLiveness: true
legalized: true
regBankSelected: true
body: |
  bb.0:
    %0:fpr(<8 x s8>) = G_IMPLICIT_DEF
    %1:gpr(s32) = G_CONSTANT i32 1
    %2:gpr(s64) = G_CONSTANT i64 1
    %3:fpr(<8 x s8>) = G_INSERT_VECTOR_ELT %0, %1(s32), %2(s64)
    RET_ReallyLR
...
---
name: over_two_blocks
tracksRegLiveness: true
body: |
  bb.0:
    successors: %bb.1
    ADJCALLSTACKDOWN 16, 0, implicit-def dead $sp, implicit $sp
    B %bb.1
  bb.1 (call-frame-size 16):
    BL &g, csr_aarch64_aapcs, implicit-def dead $lr, implicit $sp
    ADJCALLSTACKUP 16, 0, implicit-def dead $sp, implicit $sp
    RET_ReallyLR
...
";

#[test]
fn what_passes_leave_is_accepted() {
    let target = tribunal_target::by_name("aarch64").unwrap();
    let module = text::parse_module(ACCEPTED, target.vocabulary).unwrap();
    assert!(module.unread.is_empty(), "{:?}", module.unread);
    for function in &module.functions {
        let findings = verify_foreign(function, target, target.default_features | target.all_options());
        assert!(findings.is_empty(), "{}: {findings:?}", function.name);
    }
}

/// LLVM's pseudo-instruction does not say that its loop changes the flags, so LLVM's verifier accepts their use.
#[test]
fn flags_end_at_a_loop_that_does_not_name_them() {
    let file = "---
name: f
tracksRegLiveness: true
body: |
  bb.0:
    liveins: $x0, $x1, $x2
    %0:gpr64 = COPY $x0
    %1:gpr64 = COPY $x1
    %2:gpr64 = COPY $x2
    dead %3:gpr64 = SUBSXrr %1, %2, implicit-def $nzcv
    early-clobber %4:gpr64, dead early-clobber %5:gpr32 = CMP_SWAP_64 %0, %1, %2 :: (load store seq_cst seq_cst (s64))
    %6:gpr64 = CSELXr %4, %1, 0, implicit $nzcv
    $x0 = COPY %6
    RET_ReallyLR implicit $x0
...
";
    let target = &tribunal_target::aarch64::AARCH64;
    let broken = |file: &str| -> Vec<&str> {
        let module = text::parse_module(file, target.vocabulary).unwrap();
        let findings = verify_foreign(&module.functions[0], target, target.default_features);
        findings.iter().map(|finding| finding.rule.id()).collect()
    };
    assert_eq!(broken(file), ["physical-undefined"]);
    let (swap, read) = (file.find("    early").unwrap(), file.find("    %6").unwrap());
    let early = file.replace(&file[swap..read], "").replace("CSELXr %4", "CSELXr %2");
    assert_eq!(broken(&early), [""; 0]);
}
