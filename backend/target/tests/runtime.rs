//! The table of runtime functions against libgcc's naming, and the meaning of each function against plain arithmetic.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use tribunal_ir::semantics::{Choice, Concrete, Memory, Value};
use tribunal_ir::{AtomicOrdering, Bits, FixedSlot, MemOperand, Opcode, StackSlot, TargetFlags, Type};
use tribunal_target::runtime::{AtomicFunction, FUNCTIONS, RuntimeFunction};

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

/// Every name that libgcc's `lse.S` has, and none besides.
#[test]
fn atomic_functions_have_libgcc_s_names() {
    let mut names = 0;
    for operation in ["cas", "swp", "ldadd", "ldclr", "ldeor", "ldset", "ldumax"] {
        for bytes in [1, 2, 4, 8, 16, 32] {
            for ordering in ["relax", "acq", "rel", "acq_rel", "sync"] {
                let name = format!("__aarch64_{operation}{bytes}_{ordering}");
                let Some(function) = AtomicFunction::named(&name) else { continue };
                names += 1;
                assert_eq!((function.to_string(), function.bits), (name, 8 * bytes));
                assert_eq!(AtomicFunction::of(function.opcode, function.bits, function.ordering), Some(function));
                assert!(function.access().is_atomic());
            }
        }
    }
    // Five sizes are compared and exchanged, four are in each other operation, in four orderings.
    assert_eq!(names, 4 * (5 + 5 * 4));
    for name in ["__aarch64_swp16_relax", "__aarch64_ldadd3_acq", "__aarch64_ldadd4", "__aarch64_cas_relax", "swp4_acq"]
    {
        assert_eq!(AtomicFunction::named(name), None, "{name}");
    }
}

#[test]
fn atomic_functions_are_no_less_ordered_than_they_are_to_be() {
    use AtomicOrdering::{Acquire, AcquireRelease, Monotonic, Release, SequentiallyConsistent};
    let name = |ordering| AtomicFunction::of(Opcode::G_ATOMICRMW_ADD, 32, ordering).unwrap().to_string();
    for (ordering, suffix) in [
        (Monotonic, "relax"),
        (Acquire, "acq"),
        (Release, "rel"),
        (AcquireRelease, "acq_rel"),
        (SequentiallyConsistent, "acq_rel"),
    ] {
        assert_eq!(name(ordering), format!("__aarch64_ldadd4_{suffix}"));
    }
    assert_eq!(AtomicFunction::of(Opcode::G_ATOMICRMW_NAND, 32, Monotonic), None);
    assert_eq!(AtomicFunction::of(Opcode::G_ATOMICRMW_XCHG, 128, Monotonic), None);
    assert_eq!(AtomicFunction::of(Opcode::G_ATOMIC_CMPXCHG, 24, Monotonic), None);
}

/// One place of memory.
struct Place(Bits);

impl Memory<Concrete> for Place {
    fn load(&mut self, _: &mut Concrete, _: &Bits, bytes: u32, _: &MemOperand) -> (Value<Concrete>, bool) {
        assert_eq!(8 * bytes, self.0.width());
        (Value { bits: self.0, poison: false }, false)
    }

    fn store(&mut self, _: &mut Concrete, _: &Bits, value: &Value<Concrete>, _: &MemOperand) -> bool {
        self.0 = value.bits;
        false
    }

    fn frame_address(&mut self, _: &mut Concrete, _: StackSlot, bits: u32) -> Bits {
        Bits::zero(bits)
    }

    fn fixed_address(&mut self, _: &mut Concrete, _: FixedSlot, bits: u32) -> Bits {
        Bits::zero(bits)
    }
}

/// The old value and the new one.
fn exchange(name: &str, old: u128, values: &[u128]) -> (u128, u128) {
    let function = AtomicFunction::named(name).unwrap();
    let value = |number: u128, bits| Value { bits: Bits::new(number, bits), poison: false };
    let mut arguments: Vec<Value<Concrete>> = values.iter().map(|&number| value(number, function.bits)).collect();
    arguments.push(value(0x1000, 64));
    let mut place = Place(Bits::new(old, function.bits));
    let evaluation = function.evaluate(&mut Concrete { choice: Choice::Zeros }, &mut place, &arguments).unwrap();
    (evaluation.results[0].bits.unsigned(), place.0.unsigned())
}

#[test]
fn atomic_functions_change_memory_as_their_names_say() {
    assert_eq!(exchange("__aarch64_swp8_acq", 1, &[2]), (1, 2));
    assert_eq!(exchange("__aarch64_ldadd1_relax", 200, &[100]), (200, 44));
    assert_eq!(exchange("__aarch64_ldclr2_rel", 0xff0f, &[0x0f01]), (0xff0f, 0xf00e));
    assert_eq!(exchange("__aarch64_ldeor4_acq_rel", 0xffff_0000, &[0x00ff_ff00]), (0xffff_0000, 0xff00_ff00));
    assert_eq!(exchange("__aarch64_ldset4_acq", 0xf0, &[0x0f]), (0xf0, 0xff));
    let wide = 7 | 9 << 64;
    assert_eq!(exchange("__aarch64_cas16_acq_rel", wide, &[wide, 5]), (wide, 5));
    assert_eq!(exchange("__aarch64_cas16_acq_rel", wide, &[7, 5]), (wide, wide));
    let function = AtomicFunction::named("__aarch64_cas4_relax").unwrap();
    assert!(function.evaluate(&mut Concrete { choice: Choice::Zeros }, &mut Place(Bits::zero(32)), &[]).is_err());
}

/// The values come first, each in one register or in two, then the address.
#[test]
fn atomic_functions_take_the_address_last() {
    let target = tribunal_target::ALL.iter().find(|target| target.name == "aarch64").unwrap();
    let names = |registers: &[tribunal_ir::PReg]| -> Vec<&str> {
        registers.iter().map(|&register| target.vocabulary.register_name(register)).collect()
    };
    for (name, arguments, results) in [
        ("__aarch64_ldadd1_acq", vec![vec!["x0"], vec!["x1"]], vec!["x0"]),
        ("__aarch64_cas8_acq", vec![vec!["x0"], vec!["x1"], vec!["x2"]], vec!["x0"]),
        ("__aarch64_cas16_acq", vec![vec!["x0", "x1"], vec!["x2", "x3"], vec!["x4"]], vec!["x0", "x1"]),
    ] {
        let signature = target.atomic_signature(&AtomicFunction::named(name).unwrap()).unwrap();
        let found: Vec<Vec<&str>> = signature.arguments.iter().map(|registers| names(registers)).collect();
        assert_eq!((found, names(signature.results)), (arguments, results), "{name}");
    }
}
