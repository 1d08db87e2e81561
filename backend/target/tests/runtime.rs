//! The table of runtime functions against libgcc's naming, and the meaning of each function against plain arithmetic.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use tribunal_ir::semantics::{Choice, Concrete, Value};
use tribunal_ir::{Bits, Opcode, TargetFlags, Type};
use tribunal_target::runtime::{FUNCTIONS, RuntimeFunction};

#[test]
fn names_say_operation_and_size() {
    for function in FUNCTIONS {
        let (operation, size) = function.name[2..function.name.len() - 1].split_at(function.name.len() - 5);
        let opcode = match operation {
            "mul" => Opcode::G_MUL,
            "udiv" => Opcode::G_UDIV,
            "div" => Opcode::G_SDIV,
            "umod" => Opcode::G_UREM,
            "mod" => Opcode::G_SREM,
            other => panic!("{other} is no operation of libgcc's"),
        };
        let bits = [("si", 32), ("di", 64), ("ti", 128)].iter().find(|(name, _)| *name == size).map(|&(_, bits)| bits);
        assert_eq!((opcode, bits), (function.opcode, Some(function.bits)), "{}", function.name);
        assert_eq!(RuntimeFunction::named(function.name), Some(function));
        assert_eq!(RuntimeFunction::of(opcode, Type::scalar(function.bits)), Some(function));
    }
}

fn call(name: &str, a: i128, b: i128) -> (i128, bool) {
    let function = RuntimeFunction::named(name).expect("a function of the table");
    let value =
        |number: i128| Value { bits: Bits::new(number as u128, 128).zext_or_trunc(function.bits), poison: false };
    let mut domain = Concrete { choice: Choice::Zeros };
    let evaluation = function.evaluate(&mut domain, &[value(a), value(b)]).expect("two scalars of its type");
    (evaluation.results[0].bits.sext_or_trunc(128).unsigned() as i128, evaluation.ub)
}

#[test]
fn calls_compute_what_the_names_say() {
    let a = -170_141_183_460_469_231_731_687_303_715i128;
    assert_eq!(call("__divti3", a, 1_000_003), (a / 1_000_003, false));
    assert_eq!(call("__modti3", a, 1_000_003), (a % 1_000_003, false));
    assert_eq!(call("__udivti3", a, 3), ((a as u128 / 3) as i128, false));
    assert_eq!(call("__umoddi3", -1, 10), (5, false));
    assert_eq!(call("__mulsi3", 0x10001, 0x10001), (0x20001, false));
    assert!(call("__udivti3", 1, 0).1, "division by zero is undefined");
    assert!(call("__divdi3", i128::from(i64::MIN), -1).1, "so is the quotient that does not fit");
}

#[test]
fn a_callee_is_named_with_or_without_flags() {
    let target = tribunal_target::ALL[0];
    for (text, name) in [
        ("target-flags(riscv-call) &__udivti3", Some("__udivti3")),
        ("&__udivti3", Some("__udivti3")),
        ("target-flags(riscv-call) @f", Some("f")),
        ("@\"a b\"", Some("a b")),
        ("@0", None),
    ] {
        let text = format!("---\nname: f\nbody: |\n  bb.0:\n    PseudoCALL {text}, csr_ilp32_lp64\n...\n");
        let module = tribunal_ir::text::parse_module(&text, target.vocabulary).unwrap();
        let function = &module.functions[0];
        let call = function.inst(function.all_insts().next().unwrap());
        assert_eq!(tribunal_target::calls::symbol(function, call), name, "{text}");
    }
}

#[test]
fn the_flags_and_masks_of_calls_are_those_of_their_tables() {
    for target in tribunal_target::ALL {
        let calls = target.abi.calls.as_ref().unwrap();
        let names = target.target_flags.iter().enumerate();
        let set = names.filter(|&(bit, _)| calls.callee_flags.contains(TargetFlags(1 << bit)));
        let is_riscv = target.name.starts_with("riscv");
        assert!(set.map(|(_, name)| *name).eq(is_riscv.then_some("riscv-call")), "{}", target.name);
        let mask = target.vocabulary.register_mask_name(calls.preserved_mask);
        assert_eq!(mask, if is_riscv { "csr_ilp32_lp64" } else { "csr_aarch64_aapcs" });
    }
}
