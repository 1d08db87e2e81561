//! The functions of the runtime library that operate on memory: their names, their arguments, and what they do.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use tribunal_ir::semantics::{Choice, Concrete, Memory, Value};
use tribunal_ir::{AtomicOrdering, Bits, FixedSlot, MemOperand, Opcode, StackSlot};
use tribunal_target::Target;
use tribunal_target::runtime::{AtomicArgument, AtomicFunction, AtomicLibrary};

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
                let ordering = function.ordering.unwrap();
                let own = AtomicFunction::of(AtomicLibrary::Outlined, function.opcode, function.bits, ordering);
                assert_eq!(own, Some(function));
                assert!(function.access(ordering, ordering).is_atomic());
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
    let of = |opcode, bits, ordering| AtomicFunction::of(AtomicLibrary::Outlined, opcode, bits, ordering);
    let name = |ordering| of(Opcode::G_ATOMICRMW_ADD, 32, ordering).unwrap().to_string();
    for (ordering, suffix) in [
        (Monotonic, "relax"),
        (Acquire, "acq"),
        (Release, "rel"),
        (AcquireRelease, "acq_rel"),
        (SequentiallyConsistent, "acq_rel"),
    ] {
        assert_eq!(name(ordering), format!("__aarch64_ldadd4_{suffix}"));
    }
    assert_eq!(of(Opcode::G_ATOMICRMW_MAX, 32, Monotonic), None);
    assert_eq!(of(Opcode::G_ATOMIC_CMPXCHG, 24, Monotonic), None);
    // Nobody outlines these.
    assert_eq!(of(Opcode::G_ATOMICRMW_NAND, 32, Monotonic), AtomicFunction::named("__atomic_fetch_nand_4"));
    assert_eq!(of(Opcode::G_ATOMICRMW_XCHG, 128, Monotonic), AtomicFunction::named("__atomic_exchange_16"));
}

/// Two places of memory: one at address 0x1000, and what a comparison expects at any other.
struct Places(Bits, Bits);

impl Places {
    fn at(&mut self, address: &Bits) -> &mut Bits {
        if address.low_u64() == 0x1000 { &mut self.0 } else { &mut self.1 }
    }
}

impl Memory<Concrete> for Places {
    fn load(&mut self, _: &mut Concrete, address: &Bits, bytes: u32, _: &MemOperand) -> (Value<Concrete>, bool) {
        assert_eq!(8 * bytes, self.at(address).width());
        (Value::new(*self.at(address), false), false)
    }

    fn store(&mut self, _: &mut Concrete, address: &Bits, value: &Value<Concrete>, _: &MemOperand) -> bool {
        *self.at(address) = value.bits;
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
    let value = |number: u128, bits| Value::new(Bits::new(number, bits), false);
    let mut arguments: Vec<Value<Concrete>> = values.iter().map(|&number| value(number, function.bits)).collect();
    arguments.push(value(0x1000, 64));
    let mut place = Places(Bits::new(old, function.bits), Bits::zero(1));
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
    assert!(
        function
            .evaluate(&mut Concrete { choice: Choice::Zeros }, &mut Places(Bits::zero(32), Bits::zero(32)), &[])
            .is_err()
    );
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
        let found: Vec<Vec<&str>> = signature.arguments.iter().map(|value| names(&value.registers)).collect();
        assert_eq!((found, names(&signature.result.registers)), (arguments, results), "{name}");
    }
}

/// The functions of libatomic of sized operands (GCC's `Atomic/GCCMM/LIbrary`), and none besides.
#[test]
fn functions_of_libatomic_have_its_names() {
    let operations = [
        "load",
        "store",
        "exchange",
        "compare_exchange",
        "fetch_add",
        "fetch_sub",
        "fetch_and",
        "fetch_or",
        "fetch_xor",
    ];
    for operation in operations.into_iter().chain(["fetch_nand"]) {
        for bytes in [1, 2, 4, 8, 16] {
            let name = format!("__atomic_{operation}_{bytes}");
            let function = AtomicFunction::named(&name).unwrap();
            assert_eq!((function.to_string(), function.bits, function.ordering), (name, 8 * bytes, None));
            let ordering = AtomicOrdering::SequentiallyConsistent;
            let own = AtomicFunction::of(AtomicLibrary::Libatomic, function.opcode, function.bits, ordering);
            assert_eq!(own, Some(function));
        }
    }
    // The first takes any size, and the second returns the new value.
    for name in ["__atomic_load", "__atomic_add_fetch_4", "__atomic_fetch_max_4", "__atomic_load_3", "atomic_load_4"] {
        assert_eq!(AtomicFunction::named(name), None, "{name}");
    }
    let largest = AtomicFunction::of(AtomicLibrary::Libatomic, Opcode::G_ATOMICRMW_UMAX, 32, AtomicOrdering::Monotonic);
    assert_eq!(largest, None);
}

/// `memory_order` of `stdatomic.h`.
#[test]
fn orderings_have_the_numbers_of_c() {
    use AtomicOrdering::{Acquire, AcquireRelease, Monotonic, Release, SequentiallyConsistent, Unordered};
    let numbers = [Unordered, Monotonic, Acquire, Release, AcquireRelease, SequentiallyConsistent];
    assert_eq!(numbers.map(AtomicFunction::number_of), [0, 0, 2, 3, 4, 5]);
}

/// The result, the place, and what the comparison expects, after a call with this ordering; `None` if it is undefined.
fn performed(name: &str, old: u128, [expected, value, ordering]: [u128; 3]) -> Option<[u128; 3]> {
    let function = AtomicFunction::named(name).unwrap();
    let number = |argument: &AtomicArgument| match argument {
        AtomicArgument::Address => 0x1000,
        AtomicArgument::Expected => 0x2000,
        AtomicArgument::Value => value,
        AtomicArgument::Ordering => ordering,
    };
    let argument = |kind: &AtomicArgument| Value::new(Bits::new(number(kind), function.bits_of(*kind, 64)), false);
    let arguments: Vec<Value<Concrete>> = function.arguments().iter().map(argument).collect();
    let mut places = Places(Bits::new(old, function.bits), Bits::new(expected, function.bits));
    let evaluation = function.evaluate(&mut Concrete { choice: Choice::Zeros }, &mut places, &arguments).unwrap();
    let result = evaluation.results.first().map_or(0, |result| result.bits.unsigned());
    (!evaluation.ub).then_some([result, places.0.unsigned(), places.1.unsigned()])
}

#[test]
fn functions_of_libatomic_change_memory_as_their_names_say() {
    assert_eq!(performed("__atomic_load_2", 0xabcd, [0, 0, 5]), Some([0xabcd, 0xabcd, 0]));
    assert_eq!(performed("__atomic_store_8", 1, [0, 2, 3]), Some([0, 2, 0]));
    assert_eq!(performed("__atomic_exchange_16", 1 << 100, [0, 7, 4]), Some([1 << 100, 7, 0]));
    assert_eq!(performed("__atomic_fetch_sub_1", 3, [0, 5, 0]), Some([3, 0xfe, 0]));
    assert_eq!(performed("__atomic_fetch_and_4", 0xff0f, [0, 0x0f01, 1]), Some([0xff0f, 0x0f01, 0]));
    assert_eq!(performed("__atomic_fetch_nand_2", 0x0f0f, [0, 0x00ff, 2]), Some([0x0f0f, 0xfff0, 0]));
    assert_eq!(performed("__atomic_compare_exchange_4", 6, [6, 9, 5]), Some([1, 9, 6]));
    assert_eq!(performed("__atomic_compare_exchange_4", 6, [8, 9, 5]), Some([0, 6, 6]));
    assert_eq!(performed("__atomic_load_4", 6, [0, 0, 6]), None);
}

/// A value of two registers begins anywhere on RISC-V.
#[test]
fn functions_of_libatomic_take_their_arguments_as_c_does() {
    let of = |target: &str, name: &str| -> (Vec<Vec<&'static str>>, Vec<&'static str>) {
        let target: &Target = tribunal_target::ALL.iter().find(|own| own.name == target).unwrap();
        let register = |&register: &tribunal_ir::PReg| target.vocabulary.register_name(register);
        let signature = target.atomic_signature(&AtomicFunction::named(name).unwrap()).unwrap();
        let arguments = signature.arguments.iter().map(|value| value.registers.iter().map(register).collect());
        (arguments.collect(), signature.result.registers.iter().map(register).collect())
    };
    let one = |names: &[&'static str]| names.iter().map(|&name| vec![name]).collect::<Vec<_>>();
    assert_eq!(of("riscv64", "__atomic_fetch_add_4"), (one(&["x10", "x11", "x12"]), vec!["x10"]));
    assert_eq!(of("riscv64", "__atomic_store_1"), (one(&["x10", "x11", "x12"]), vec![]));
    let compared = (one(&["x10", "x11", "x12", "x13", "x14"]), vec!["x10"]);
    assert_eq!(of("riscv64", "__atomic_compare_exchange_8"), compared);
    let wide = vec![vec!["x10"], vec!["x11", "x12"], vec!["x13"]];
    assert_eq!(of("riscv32", "__atomic_fetch_or_8"), (wide, vec!["x10", "x11"]));
    assert_eq!(of("aarch64", "__atomic_load_16"), (one(&["x0", "x1"]), vec!["x0", "x1"]));
    let riscv32 = tribunal_target::ALL.iter().find(|own| own.name == "riscv32").unwrap();
    assert!(riscv32.atomic_signature(&AtomicFunction::named("__atomic_load_16").unwrap()).is_none());
}
