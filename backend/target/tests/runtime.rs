//! The table of runtime functions: each is found, and means what plain arithmetic says.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use tribunal_ir::semantics::{Choice, Concrete, Domain, Memory, Partial, PartialBits, PartialBool, Pure, Value};
use tribunal_ir::{
    Bits, FixedSlot, FloatFormat, FloatPredicate, IntPredicate, MemOperand, StackSlot, TargetFlags, Type,
};
use tribunal_target::Target;
use tribunal_target::calls::PassedValue;
use tribunal_target::runtime::{FUNCTIONS, RuntimeFunction, RuntimeMeaning, RuntimeType};

/// What the names mean is compared with the libraries' manuals in `emulator/src/machine/library.rs`.
#[test]
fn each_function_is_found_by_its_name_and_by_its_meaning() {
    let mut names = std::collections::BTreeSet::new();
    for function in FUNCTIONS.iter() {
        assert!(names.insert(function.name), "{} twice", function.name);
        assert_eq!(RuntimeFunction::named(function.name), Some(function));
        let types: Vec<Type> = function.arguments.iter().map(|ty| Type::scalar(ty.bits())).collect();
        match function.meaning {
            RuntimeMeaning::Opcode(opcode) => {
                let result = Type::scalar(function.result.bits());
                assert_eq!(RuntimeFunction::of(opcode, result, &types), Some(function));
            }
            RuntimeMeaning::Order(order) => {
                let format = FloatFormat::of_width(types[0].bits()).unwrap();
                assert_eq!(RuntimeFunction::comparing(order, format), Some(function));
            }
        }
    }
}

fn call(name: &str, a: i128, b: i128) -> (i128, bool) {
    let function = RuntimeFunction::named(name).expect("a function of the table");
    let value =
        |number: i128, ty: &RuntimeType| Value::new(Bits::new(number as u128, 128).zext_or_trunc(ty.bits()), false);
    let args: Vec<Value<Concrete>> = [a, b].iter().zip(function.arguments).map(|(&arg, ty)| value(arg, ty)).collect();
    let mut domain = Concrete { choice: Choice::Zeros };
    let (result, ub) = function.evaluate(&mut domain, &args).expect("scalars of its types");
    (result.bits.sext_or_trunc(128).unsigned() as i128, ub)
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
    let double = |number: f64| i128::from(number.to_bits() as i64);
    let single = |number: f32| i128::from(number.to_bits() as i32);
    assert_eq!(call("__adddf3", double(0.1), double(0.2)), (double(0.1 + 0.2), false));
    assert_eq!(call("__subsf3", single(0.1), single(0.3)), (single(0.1 - 0.3), false));
    assert_eq!(call("__extendsfdf2", single(0.1), 0), (double(f64::from(0.1f32)), false));
    assert_eq!(call("__truncdfsf2", double(0.1), 0), (single(0.1), false));
    assert_eq!(call("__fixdfsi", double(-7.9), 0), (-7, false));
    assert_eq!(call("__floatunsidf", -1, 0), (double(4_294_967_295.0), false));
    assert_eq!(call("fmod", double(7.5), double(-2.0)), (double(1.5), false));
    assert_eq!(call("roundf", single(-2.5), 0), (single(-3.0), false));
    assert_eq!(call("ldexp", double(1.5), -4), (double(1.5 / 16.0), false));
    // Out of range it is any integer, and no poison.
    let out_of_range = RuntimeFunction::named("__fixdfsi").unwrap();
    let arg = Value::new(Bits::new(1e300f64.to_bits().into(), 64), false);
    let (result, ub) = out_of_range.evaluate(&mut Concrete { choice: Choice::Ones }, &[arg]).unwrap();
    assert_eq!((result.bits, result.poison, ub), (Bits::ones(32), false, false));
    assert_eq!(call("exp2", double(-3.0), 0), (double(0.125), false));
    assert_eq!(call("powf", single(-3.0), i128::from(3f32.to_bits())), (single(-27.0), false));
    assert_eq!(call("__powidf2", double(0.5), -4), (double(16.0), false));
    assert!(RuntimeFunction::named("sin").is_some_and(RuntimeFunction::is_elementary));
    assert!(RuntimeFunction::named("sqrt").is_some_and(|root| !root.is_elementary()));
}

/// The predicate on numbers holds exactly where that of the result and 0 does, whatever the choice, and where bits are
/// unknown it is decided all the same.
#[test]
fn comparisons_relate_to_zero_as_the_numbers_do() {
    let numbers = [0.0, -0.0, 1.0, -1.5, f32::NAN, f32::INFINITY, 1e-40];
    let order = |function: &'static RuntimeFunction| match function.meaning {
        RuntimeMeaning::Order(order) if function.arguments[0] == RuntimeType::Float(32) => Some((function, order)),
        _ => None,
    };
    let orders: Vec<_> = FUNCTIONS.iter().filter_map(order).collect();
    assert_eq!(orders.len(), 7);
    for (function, order) in orders {
        let name = function.name;
        let (of_numbers, of_result) = order.predicates();
        for (a, b) in numbers.iter().flat_map(|a| numbers.map(move |b| (*a, b))) {
            let expected = match of_numbers {
                FloatPredicate::Oeq => a == b,
                FloatPredicate::Une => a != b,
                FloatPredicate::Olt => a < b,
                FloatPredicate::Ole => a <= b,
                FloatPredicate::Ogt => a > b,
                FloatPredicate::Oge => a >= b,
                _ => a.is_nan() || b.is_nan(),
            };
            let bits = [a, b].map(|number| Bits::new(number.to_bits().into(), 32));
            for choice in [Choice::Zeros, Choice::Ones, Choice::Seeded(7)] {
                let args = bits.map(|bits| Value::new(bits, false));
                let result = function.evaluate(&mut Concrete { choice }, &args).unwrap().0;
                assert_eq!(holds(of_result, result.bits.signed()), expected, "{name} of {a} and {b}: {result:?}");
            }
            let mut partial = Partial::<Concrete>::default();
            let args = bits.map(|bits| Value::new(PartialBits::known(bits), PartialBool::known(false)));
            let result = function.evaluate(&mut partial, &args).unwrap().0;
            let zero = PartialBits::known(Bits::zero(32));
            let decided = match of_result {
                IntPredicate::Eq => partial.eq(&result.bits, &zero),
                IntPredicate::Ne => partial.ne(&result.bits, &zero),
                IntPredicate::Slt => partial.slt(&result.bits, &zero),
                IntPredicate::Sle => partial.sle(&result.bits, &zero),
                IntPredicate::Sgt => partial.slt(&zero, &result.bits),
                _ => partial.sle(&zero, &result.bits),
            };
            assert_eq!(decided, PartialBool::known(expected), "{name} of {a} and {b}: {result:?}");
        }
    }
}

fn holds(predicate: IntPredicate, result: i128) -> bool {
    match predicate {
        IntPredicate::Eq => result == 0,
        IntPredicate::Ne => result != 0,
        IntPredicate::Slt => result < 0,
        IntPredicate::Sle => result <= 0,
        IntPredicate::Sgt => result > 0,
        _ => result >= 0,
    }
}

fn target(name: &str) -> &'static Target {
    tribunal_target::ALL.iter().find(|target| target.name == name).unwrap()
}

/// Numbers go where the mask of the call says: into registers of their own, or with the integers.
#[test]
fn signatures_follow_the_convention() {
    let registers = |target: &Target, value: &PassedValue| -> Vec<&str> {
        value.registers.iter().map(|&register| target.vocabulary.register_name(register)).collect()
    };
    let (hard, soft) = ("csr_ilp32d_lp64d", "csr_ilp32_lp64");
    for (name, mask, symbol, arguments, result) in [
        ("riscv64", hard, "__adddf3", vec![vec!["f10_d"], vec!["f11_d"]], vec!["f10_d"]),
        ("riscv64", hard, "ldexpf", vec![vec!["f10_f"], vec!["x10"]], vec!["f10_f"]),
        ("riscv64", hard, "__fixtfsi", vec![vec!["x10", "x11"]], vec!["x10"]),
        ("riscv64", soft, "fmaf", vec![vec!["x10"], vec!["x11"], vec!["x12"]], vec!["x10"]),
        ("riscv32", soft, "__adddf3", vec![vec!["x10", "x11"], vec!["x12", "x13"]], vec!["x10", "x11"]),
        ("riscv32", soft, "__addtf3", vec![vec!["x11"], vec!["x12"]], vec!["x10"]),
        ("riscv32", hard, "__powitf2", vec![vec!["x11"], vec!["x12"]], vec!["x10"]),
        ("riscv32", hard, "__extenddftf2", vec![vec!["f10_d"]], vec!["x10"]),
        ("riscv32", hard, "__trunctfdf2", vec![vec!["x10"]], vec!["f10_d"]),
        ("aarch64", "csr_aarch64_aapcs", "__extenddftf2", vec![vec!["d0"]], vec!["q0"]),
        ("aarch64", "csr_aarch64_aapcs", "__floattisf", vec![vec!["x0", "x1"]], vec!["s0"]),
    ] {
        let target = target(name);
        let mask = target.vocabulary.register_mask(mask).unwrap();
        let signature = target.signature(RuntimeFunction::named(symbol).unwrap(), Some(mask)).unwrap();
        let found: Vec<Vec<&str>> = signature.arguments.iter().map(|value| registers(target, value)).collect();
        assert_eq!((found, registers(target, &signature.result)), (arguments, result), "{name} {symbol}");
        // Two registers of 32 bits hold no number of 128 bits: it is passed by reference.
        let values = signature.arguments.iter().chain([&signature.result]);
        for value in values {
            assert_eq!(value.by_reference, name == "riscv32" && value.bits == 128, "{name} {symbol}");
        }
        assert_eq!(signature.returned().is_empty(), signature.result.by_reference, "{name} {symbol}");
    }
    let of_wide_integers = RuntimeFunction::named("__floattitf").unwrap();
    assert!(target("riscv32").signature(of_wide_integers, None).is_none());
}

/// Memory that holds one number at every address, and remembers what is stored where.
struct OneNumber {
    number: u128,
    stored: Vec<(u64, u128, bool)>,
}

impl Memory<Concrete> for OneNumber {
    fn load(&mut self, _: &mut Concrete, address: &Bits, bytes: u32, operand: &MemOperand) -> (Value<Concrete>, bool) {
        let misaligned = !address.low_u64().is_multiple_of(operand.align.into());
        (Value::new(Bits::new(self.number, 8 * bytes), false), misaligned)
    }

    fn store(&mut self, _: &mut Concrete, address: &Bits, value: &Value<Concrete>, operand: &MemOperand) -> bool {
        self.stored.push((address.low_u64(), value.bits.unsigned(), value.poison));
        !address.low_u64().is_multiple_of(operand.align.into())
    }

    fn frame_address(&mut self, _: &mut Concrete, _: StackSlot, bits: u32) -> Bits {
        Bits::zero(bits)
    }

    fn fixed_address(&mut self, _: &mut Concrete, _: FixedSlot, bits: u32) -> Bits {
        Bits::zero(bits)
    }
}

/// The result of a number by reference lies where the caller says, and its operands are anything after the call. All
/// lie apart, and aligned.
#[test]
fn numbers_by_reference_lie_in_memory() {
    let (riscv32, function) = (target("riscv32"), RuntimeFunction::named("__addtf3").unwrap());
    let signature = riscv32.signature(function, None).unwrap();
    let called = |addresses: [u128; 3]| {
        let contents = addresses.map(|address| Value::new(Bits::new(address, 32), false));
        // 1.0
        let mut memory = OneNumber { number: 0x3fff << 112, stored: Vec::new() };
        let mut domain = Concrete { choice: Choice::Zeros };
        let result = function.call(riscv32, &signature, (&mut domain, &mut memory), &contents).unwrap();
        assert!(result.registers.is_empty());
        (memory.stored, result.ub)
    };
    let (stored, ub) = called([0x1000, 0x1010, 0x1020]);
    let places: Vec<(u64, bool)> = stored.iter().map(|&(address, _, poison)| (address, poison)).collect();
    assert_eq!((places, ub), (vec![(0x1010, true), (0x1020, true), (0x1000, false)], false));
    assert_eq!(stored[2].1, 0x4000 << 112, "2.0");
    for broken in
        [[0x1000, 0x1000, 0x1020], [0x1000, 0x1010, 0x1010], [0x1008, 0x1010, 0x1020], [0x1000, 0x1014, 0x1020]]
    {
        assert!(called(broken).1, "{broken:x?}");
    }
}

/// An integer that is not extended as RISC-V asks is a broken precondition, and one that is comes back extended. A
/// number that is not boxed is a NaN.
#[test]
fn conventions_bind_both_sides() {
    let called = |name: &str, mask: &str, symbol: &str, contents: &[u64]| {
        let target = target(name);
        let mask = target.vocabulary.register_mask(mask).unwrap();
        let function = RuntimeFunction::named(symbol).unwrap();
        let signature = target.signature(function, Some(mask)).unwrap();
        let read = signature.arguments.iter().flat_map(|value| &value.registers);
        let width = |register| target.vocabulary.register_bits(target.vocabulary.full_register(register));
        let contents =
            read.zip(contents).map(|(&register, &value)| Value::new(Bits::new(value.into(), width(register)), false));
        let contents: Vec<Value<Concrete>> = contents.collect();
        let mut domain = Concrete { choice: Choice::Zeros };
        let result = function.call(target, &signature, (&mut domain, &mut Pure), &contents).unwrap();
        (result.registers[0].bits.low_u64(), result.ub)
    };
    let (hard, soft) = ("csr_ilp32d_lp64d", "csr_ilp32_lp64");
    let (one, boxed) = (u64::from(1f32.to_bits()), |bits: u64| bits | 0xffff_ffff << 32);
    assert_eq!(called("riscv64", soft, "__floatsisf", &[boxed(0x8000_0000)]), (0xcf00_0000, false));
    assert!(called("riscv64", soft, "__floatsisf", &[0x8000_0000]).1);
    assert_eq!(called("aarch64", "csr_aarch64_aapcs", "__floatsisf", &[0x8000_0000]), (0xcf00_0000, false));
    assert_eq!(called("riscv64", soft, "__fixsfsi", &[u64::from((-1f32).to_bits())]), (u64::MAX, false));
    assert_eq!(called("aarch64", "csr_aarch64_aapcs", "__fixsfsi", &[(-1f32).to_bits().into()]), (0xffff_ffff, false));
    assert_eq!(called("riscv64", hard, "sqrtf", &[boxed(one)]), (boxed(one), false));
    assert_eq!(called("riscv64", hard, "sqrtf", &[one]), (boxed(0x7fc0_0000), false));
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
