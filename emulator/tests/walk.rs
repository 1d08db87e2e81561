//! The interpreter on instructions that move values or choose the next block: functions whose result depends on one
//! rule of the walk, run alone and in lock step.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use tribunal_emulator::input::{Buffer, Input, buffer_address};
use tribunal_emulator::interpreter::{ConcreteEnvironment, Interpreter, KeptAccesses, Settings};
use tribunal_emulator::observation::{Known, Observation, Outcome};
use tribunal_ir::{Function, text};
use tribunal_target::Target;

const SETTINGS: Settings = Settings { fuel: 1000, events: 0, accesses: KeptAccesses::Volatile };
const FIRST: u128 = 0x1122_3344_5566_7788;
const SECOND: u128 = 0x99aa_bbcc_ddee_ff00;

fn function(target: &Target, body: &str) -> Function {
    let line = |line: &str| format!("{}{line}\n", if line.starts_with("bb.") { "  " } else { "    " });
    let lines: String = body.trim().lines().map(|text| line(text.trim())).collect();
    let source = format!("---\nname: f\nbody: |\n{lines}...\n");
    text::parse_module(&source, target.vocabulary).unwrap().whole().unwrap().functions.remove(0)
}

/// The first result on two arguments: alone, and in lock step with another input.
fn result(target: &str, body: &str) -> Known {
    let target = tribunal_target::by_name(target).unwrap();
    let function = function(target, body);
    let arguments = &target.abi.arguments()[..2];
    let input =
        |values: [u128; 2]| Input { registers: arguments.iter().copied().zip(values).collect(), buffers: Vec::new() };
    let inputs = [input([FIRST, SECOND]), input([SECOND, FIRST])];
    let interpreter = Interpreter::new(&function, target);
    let alone = interpreter.run(&inputs[0], SETTINGS).unwrap().observation;
    let together = interpreter.run_all(&inputs, SETTINGS).remove(0).unwrap().observation;
    assert_eq!(alone, together);
    assert_eq!(alone.outcome, Outcome::Returned);
    alone.returned[0].2
}

const fn all(value: u128) -> Known {
    Known { value, unknown: 0 }
}

#[test]
fn the_part_of_a_machine_register_that_is_not_written_is_zero() {
    let copied = "bb.0:
        %0:_(s64) = COPY $x0
        $x1 = COPY %0(s64)
        $w1 = COPY %0(s64)
        $x0 = COPY $x1
        RET_ReallyLR implicit $x0";
    assert_eq!(result("aarch64", copied), all(FIRST & 0xffff_ffff));
}

#[test]
fn the_part_of_a_virtual_register_that_is_not_written_stays() {
    let inserted = |flag: &str| {
        format!(
            "bb.0:
             %0:gpr64 = COPY $x0
             %1:gpr64 = COPY $x1
             {flag}%0.sub_32:gpr64 = COPY %1.sub_32
             $x0 = COPY %0
             RET_ReallyLR implicit $x0"
        )
    };
    let low = SECOND & 0xffff_ffff;
    assert_eq!(result("aarch64", &inserted("")), all(FIRST >> 32 << 32 | low));
    let undefined = result("aarch64", &inserted("undef "));
    assert_eq!((!undefined.unknown as u64, undefined.value & 0xffff_ffff), (0xffff_ffff, low));
}

#[test]
fn an_undefined_register_holds_anything() {
    let returned = |move_: &str| format!("bb.0:\n{move_}\nPseudoRET implicit $x10");
    assert_eq!(result("riscv64", &returned("$x10 = IMPLICIT_DEF")).unknown, u64::MAX.into());
    assert_eq!(result("riscv64", &returned("$x10 = COPY undef $x11")).unknown, u64::MAX.into());
    assert_eq!(result("riscv64", &returned("$x10 = COPY $x11")), all(SECOND));
    assert_eq!(result("riscv64", &returned("$x11 = KILL $x10\n$x10 = COPY $x11")), all(SECOND));
}

#[test]
fn machine_branches_in_lock_step_go_as_each_alone() {
    let greatest = "bb.0:
        successors: %bb.1, %bb.2

        %0:gpr = COPY $x10
        %1:gpr = COPY $x11
        BLTU %0, %1, %bb.2

        bb.1:
        successors: %bb.3

        PseudoBR %bb.3

        bb.2:
        successors: %bb.3

        bb.3:
        %2:gpr = PHI %0, %bb.1, %1, %bb.2
        $x10 = COPY %2
        PseudoRET implicit $x10";
    assert_eq!(result("riscv64", greatest), all(SECOND));
}

/// The result of a run in an environment that returns, and the contents of the one buffer after it.
fn in_environment(body: &str, arguments: &[u64], bytes: &[u8]) -> (Option<Known>, Vec<u8>) {
    let observation = observed(body, arguments, bytes);
    assert_eq!(observation.outcome, Outcome::Returned);
    (observation.returned.first().map(|result| result.2), observation.buffers[0].values.clone())
}

/// A run in an environment.
fn observed(body: &str, arguments: &[u64], bytes: &[u8]) -> Observation {
    let target = tribunal_target::by_name("riscv64").unwrap();
    let function = function(target, body);
    let input = Input {
        registers: target.abi.arguments().iter().copied().zip(arguments.iter().copied().map(u128::from)).collect(),
        buffers: vec![Buffer { address: buffer_address(0), bytes: bytes.to_vec() }],
    };
    let environment = ConcreteEnvironment::default();
    Interpreter::in_environment(&function, target, &environment).run(&input, SETTINGS).unwrap().observation
}

#[test]
fn a_call_clobbers_what_its_mask_does_not_preserve() {
    let through = |register: &str, mask: &str| {
        let body = format!(
            "bb.0:
             ${register} = COPY $x10
             PseudoCALL target-flags(riscv-call) @g, {mask}, implicit-def $x1
             $x10 = COPY ${register}
             PseudoRET implicit $x10"
        );
        in_environment(&body, &[FIRST as u64], &[]).0.unwrap()
    };
    assert_eq!(through("x8", "csr_ilp32_lp64"), all(FIRST));
    assert_eq!(through("x5", "csr_ilp32_lp64").unknown, u64::MAX.into());
    assert_eq!(through("x8", "csr_noregs").unknown, u64::MAX.into());
}

#[test]
fn a_memory_function_is_known_by_its_name_whatever_its_sigil() {
    let arguments = "implicit $x10, implicit $x11, implicit $x12";
    for callee in ["@memcpy", "&memcpy"] {
        let body = format!(
            "bb.0:
             PseudoCALL target-flags(riscv-call) {callee}, csr_ilp32_lp64, implicit-def $x1, {arguments}, implicit-def $x10
             PseudoRET implicit $x10"
        );
        let (to, from) = (buffer_address(0), buffer_address(0) + 4);
        let (result, bytes) = in_environment(&body, &[to, from, 4], &[1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!((result, bytes.as_slice()), (Some(all(to.into())), [5, 6, 7, 8, 5, 6, 7, 8].as_slice()));
    }
}

/// The accesses that stand for it rely on what its memory operands claim.
#[test]
fn a_memory_function_is_undefined_where_an_address_is_less_aligned_than_claimed() {
    let outcome = |[to, from]: [u64; 2], length: u64| {
        let body = "bb.0:
            %0:_(p0) = COPY $x10
            %1:_(p0) = COPY $x11
            %2:_(s64) = COPY $x12
            G_MEMCPY %0(p0), %1(p0), %2(s64), 0 :: (store (s8), align 8), (load (s8), align 4)
            PseudoRET";
        let base = buffer_address(0);
        observed(body, &[base + to, base + from, length], &[0; 32]).outcome
    };
    assert_eq!(outcome([8, 20], 4), Outcome::Returned);
    assert_eq!(outcome([12, 20], 4), Outcome::Undefined);
    assert_eq!(outcome([8, 18], 4), Outcome::Undefined);
    assert_eq!(outcome([9, 17], 0), Outcome::Returned);
}

/// A function of two numbers in `$f10_d` and `$f11_d` that returns a number, run with this mode and these flags: the
/// result, and the mode and the flags that it leaves. `None` where it is undefined.
fn in_mode(body: &str, numbers: [f64; 2], [mode, flags]: [u128; 2]) -> Option<[Known; 3]> {
    let target = tribunal_target::by_name("riscv64").unwrap();
    let function = function(target, &format!("{body}\n$f10_d = COPY %9(s64)\nPseudoRET implicit $f10_d"));
    let registers = ["f10_d", "f11_d", "frm", "fflags"].map(|name| target.vocabulary.register(name).unwrap());
    let contents = [numbers[0].to_bits().into(), numbers[1].to_bits().into(), mode, flags];
    let input = Input { registers: registers.into_iter().zip(contents).collect(), buffers: Vec::new() };
    let interpreter = Interpreter::new(&function, target);
    let alone = interpreter.run(&input, SETTINGS).unwrap().observation;
    let together = interpreter.run_all(&[input.clone(), input], SETTINGS).remove(1).unwrap().observation;
    assert_eq!(alone, together);
    (alone.outcome == Outcome::Returned).then(|| [0, 1, 2].map(|index| alone.returned[index].2))
}

/// The flags, by the order of RISC-V's `fflags`.
const INEXACT: u128 = 1;
const UNDERFLOW: u128 = 2;
const OVERFLOW: u128 = 4;
const DIVIDE_BY_ZERO: u128 = 8;
const INVALID: u128 = 16;

/// Numbers of the modes.
const NEAREST: u128 = 0;
const TO_ZERO: u128 = 1;
const DOWN: u128 = 2;
const UP: u128 = 3;

#[test]
fn a_strict_operation_rounds_by_the_mode_and_raises_flags() {
    let body =
        |operation: &str| format!("bb.0:\n%0:_(s64) = COPY $f10_d\n%1:_(s64) = COPY $f11_d\n%9:_(s64) = {operation}");
    let gives = |operation: &str, numbers: [f64; 2], mode: u128, result: f64, flags: u128| {
        let number = all(result.to_bits().into());
        let expected = Some([number, all(mode), all(flags)]);
        assert_eq!(in_mode(&body(operation), numbers, [mode, 0]), expected, "{operation} of {numbers:?}, {mode}");
    };
    let (sum, product, quotient) = ("G_STRICT_FADD %0, %1", "G_STRICT_FMUL %0, %1", "G_STRICT_FDIV %0, %1");
    let (tiny, above) = (f64::EPSILON / 256.0, 1.0 + f64::EPSILON);
    gives(sum, [1.0, 2.0], UP, 3.0, 0);
    gives(sum, [1.0, tiny], NEAREST, 1.0, INEXACT);
    gives(sum, [1.0, tiny], UP, above, INEXACT);
    gives(sum, [-1.0, -tiny], UP, -1.0, INEXACT);
    gives(sum, [-1.0, -tiny], DOWN, -above, INEXACT);
    gives("G_STRICT_FSUB %0, %1", [1.0, 1.0], DOWN, -0.0, 0);
    gives(product, [f64::MAX, 2.0], NEAREST, f64::INFINITY, OVERFLOW | INEXACT);
    gives(product, [f64::MAX, 2.0], TO_ZERO, f64::MAX, OVERFLOW | INEXACT);
    gives(product, [f64::MIN_POSITIVE, 0.5], NEAREST, f64::MIN_POSITIVE / 2.0, 0);
    gives(product, [f64::MIN_POSITIVE, above / 2.0], NEAREST, f64::MIN_POSITIVE / 2.0, UNDERFLOW | INEXACT);
    gives(quotient, [-1.0, 0.0], NEAREST, f64::NEG_INFINITY, DIVIDE_BY_ZERO);
    gives(quotient, [f64::INFINITY, 0.0], NEAREST, f64::INFINITY, 0);
    gives("G_STRICT_FREM %0, %1", [5.5, 2.0], UP, 1.5, 0);
    gives("G_STRICT_FSQRT %0", [2.0, 0.0], DOWN, 2.0f64.sqrt().next_down(), INEXACT);
    gives("G_STRICT_FMA %0, %1, %0", [above, above], NEAREST, above.mul_add(above, above), INEXACT);
    let flags_of = |operation: &str, numbers: [f64; 2]| in_mode(&body(operation), numbers, [NEAREST, 0]).unwrap()[2];
    assert_eq!(flags_of(quotient, [0.0, 0.0]), all(INVALID));
    assert_eq!(flags_of("G_STRICT_FSQRT %0", [-1.0, 0.0]), all(INVALID));
    assert_eq!(flags_of("G_STRICT_FMA %0, %1, %0", [f64::INFINITY, f64::NAN]), all(0));
    // What was raised before stays.
    let kept = in_mode(&body(sum), [1.0, tiny], [NEAREST, INVALID]).unwrap();
    assert_eq!(kept[2], all(INVALID | INEXACT));
}

/// The numbers of C's `FLT_ROUNDS`: to zero, to nearest, up, down, to nearest with ties away.
#[test]
fn the_rounding_mode_is_read_and_written_by_its_portable_number() {
    for (mode, number) in [(0, 1), (1, 0), (2, 3), (3, 2), (4, 4)] {
        let read = in_mode("bb.0:\n%9:_(s64) = G_GET_ROUNDING", [0.0; 2], [mode, 0]).unwrap();
        assert_eq!(read, [all(number), all(mode), all(0)]);
        let written = format!("bb.0:\n%9:_(s64) = G_CONSTANT i64 {number}\nG_SET_ROUNDING %9(s64)");
        assert_eq!(in_mode(&written, [0.0; 2], [TO_ZERO, INVALID]).unwrap()[1..], [all(mode), all(INVALID)]);
    }
    let other = "bb.0:\n%9:_(s64) = G_CONSTANT i64 5\nG_SET_ROUNDING %9(s64)";
    assert_eq!(in_mode(other, [0.0; 2], [0, 0]), None);
}

#[test]
fn the_environment_is_saved_reset_and_restored() {
    let saved = in_mode("bb.0:\n%9:_(s64) = G_GET_FPENV\nG_RESET_FPENV", [0.0; 2], [UP, INVALID]).unwrap();
    assert_eq!(saved, [all(UP << 5 | INVALID), all(0), all(0)]);
    let restored = "bb.0:\n%9:_(s64) = G_CONSTANT i64 68\nG_SET_FPENV %9(s64)";
    assert_eq!(in_mode(restored, [0.0; 2], [0, 1]).unwrap()[1..], [all(DOWN), all(OVERFLOW)]);
    let mode = in_mode("bb.0:\n%9:_(s64) = G_GET_FPMODE\nG_RESET_FPMODE", [0.0; 2], [UP, INVALID]).unwrap();
    assert_eq!(mode, [all(UP), all(0), all(INVALID)]);
    let set = "bb.0:\n%9:_(s64) = G_CONSTANT i64 2\nG_SET_FPMODE %9(s64)";
    assert_eq!(in_mode(set, [0.0; 2], [0, INEXACT]).unwrap()[1..], [all(DOWN), all(INEXACT)]);
}
