//! Generated functions as LLVM IR: LLVM's translator makes of it what `validate` proves to be the source.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use std::collections::BTreeMap;
use std::process::Command;
use tribunal_fuzz::campaign::{generated_for, program_seed};
use tribunal_ir::{Function, Module, text};
use tribunal_target::Target;
use tribunal_trial::raise;
use tribunal_trial::validate::{self, Kind, Setting};

/// The functions after LLVM's translator.
fn translated(ir: &str, target: &'static Target) -> Module {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("f.ll"), folder.path().join("f.mir"));
    std::fs::write(&input, ir).unwrap();
    let mut llc = Command::new("llc-22");
    llc.args(["-O0", "-global-isel", "-global-isel-abort=1", "-stop-after=irtranslator", "-simplify-mir"]);
    let done = llc.arg(&input).arg("-o").arg(&output).output().unwrap();
    assert!(done.status.success(), "{}\n{ir}", String::from_utf8_lossy(&done.stderr));
    let mut module = text::parse_module(&std::fs::read_to_string(&output).unwrap(), target.vocabulary).unwrap();
    module.functions.iter_mut().for_each(forget_pointers);
    module
}

/// Accesses name the pointers of the IR, which the source had none of.
fn forget_pointers(function: &mut Function) {
    for inst in function.all_insts().collect::<Vec<_>>() {
        let mut data = function.inst(inst).clone();
        data.memory.iter_mut().for_each(|memory| (memory.pointer, memory.offset) = (None, 0));
        function.replace(inst, data);
    }
}

fn module(functions: Vec<Function>) -> Module {
    Module { functions, ..Module::default() }
}

#[test]
fn raised_functions_are_translated_to_what_they_were() {
    for &target in tribunal_target::ALL {
        let (mut raised, mut reasons) = (Vec::new(), BTreeMap::<String, u32>::new());
        for number in 0..400 {
            // Programs beside each other are aimed at like goals, of vectors among them.
            let seed = program_seed(9, number * 101);
            let function = generated_for(seed, target, target.default_features);
            let Some(mut function) = function.filter(|function| function.ir.is_none()) else { continue };
            function.name = format!("f{number}");
            match raise::module(std::slice::from_ref(&function), target) {
                Ok(_) => raised.push(function),
                Err(error) => *reasons.entry(error.what).or_default() += 1,
            }
        }
        assert!(raised.len() >= 20, "{}: {} {reasons:?}", target.name, raised.len());
        let after = translated(&raise::module(&raised, target).unwrap(), target);
        let verdicts = validate::validate(&module(raised), &after, target, Setting::default());
        let mut proved = 0;
        for judged in &verdicts {
            assert!(!matches!(judged.kind, Kind::Refuted(_)), "{} {}: {:?}", target.name, judged.function, judged.kind);
            proved += usize::from(judged.kind == Kind::Proved);
        }
        let open = verdicts.iter().filter(|judged| judged.kind != Kind::Proved).map(|judged| &judged.kind);
        assert!(proved * 10 > verdicts.len() * 8, "{}: {:?}", target.name, open.collect::<Vec<_>>());
    }
}

#[test]
fn what_has_no_counterpart_is_named() {
    let target = tribunal_target::by_name("riscv64").unwrap();
    let text = "---\nname: f\nbody: |\n  bb.0:\n    G_FENCE 5, 1\n    PseudoRET\n...\n";
    let module = text::parse_module(text, target.vocabulary).unwrap();
    let error = raise::module(&module.functions, target).unwrap_err();
    assert_eq!(error.to_string(), "@f: no LLVM IR for G_FENCE");
}

/// Amounts of funnel shifts and rotations count modulo the width, so that a wide one is not just cut to it.
#[test]
fn a_wide_amount_is_reduced() {
    let target = tribunal_target::by_name("riscv64").unwrap();
    let text = "---\nname: f\nliveins:\n  - { reg: '$x10' }\nbody: |\n  bb.0:\n    liveins: $x10\n    \
                %0:_(s64) = COPY $x10\n    %1:_(s7) = G_TRUNC %0\n    %2:_(s7) = G_ROTL %1, %0(s64)\n    \
                %3:_(s64) = G_ZEXT %2\n    $x10 = COPY %3\n    PseudoRET implicit $x10\n...\n";
    let source = text::parse_module(text, target.vocabulary).unwrap();
    let ir = raise::module(&source.functions, target).unwrap();
    assert!(ir.contains("urem i64 %a0, 7\n"), "{ir}");
    let verdicts = validate::validate(&source, &translated(&ir, target), target, Setting::default());
    let kinds: Vec<&Kind> = verdicts.iter().map(|judged| &judged.kind).collect();
    assert_eq!(kinds, [&Kind::Proved]);
}
