//! Calls between the functions of a module: which registers and which memory a callee finds, and which its caller.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use tribunal_emulator::input::{Input, buffer_address};
use tribunal_emulator::interpreter::{Interpreter, KeptAccesses, Settings};
use tribunal_emulator::observation::{Known, Observation, Outcome};
use tribunal_ir::{Function, text};

const SETTINGS: Settings = Settings { fuel: 10_000, events: 0, accesses: KeptAccesses::Volatile };

/// The functions of these names and bodies, after their keys.
fn module(functions: &[(&str, &str, &str)]) -> Vec<Function> {
    let target = tribunal_target::by_name("riscv64").unwrap();
    let document = |&(name, keys, body): &(&str, &str, &str)| {
        let line = |line: &str| format!("{}{line}\n", if line.starts_with("bb.") { "  " } else { "    " });
        let lines: String = body.trim().lines().map(|text| line(text.trim())).collect();
        format!("---\nname: {name}\n{keys}body: |\n{lines}...\n")
    };
    let source: String = functions.iter().map(document).collect();
    text::parse_module(&source, target.vocabulary).unwrap().whole().unwrap().functions
}

/// Runs the first function on arguments.
fn run(functions: &[(&str, &str, &str)], arguments: &[u64]) -> Observation {
    let target = tribunal_target::by_name("riscv64").unwrap();
    let module = module(functions);
    let registers = target.abi.arguments().iter().copied().zip(arguments.iter().copied().map(u128::from)).collect();
    let others: Vec<&Function> = module.iter().collect();
    let interpreter = Interpreter::in_module(&module[0], target, &others);
    interpreter.run(&Input { registers, buffers: Vec::new() }, SETTINGS).unwrap().observation
}

/// The first result, and that no unknown function is called.
fn result(functions: &[(&str, &str, &str)], arguments: &[u64]) -> Known {
    let observation = run(functions, arguments);
    assert_eq!((observation.outcome, observation.calls.len()), (Outcome::Returned, 0));
    observation.returned[0].2
}

const fn all(value: u128) -> Known {
    Known { value, unknown: 0 }
}

/// `a - b`.
const MINUS: (&str, &str, &str) = (
    "minus",
    "",
    "bb.0:
     %0:_(s64) = COPY $x10
     %1:_(s64) = COPY $x11
     %2:_(s64) = G_SUB %0, %1
     $x10 = COPY %2
     PseudoRET implicit $x10",
);

#[test]
fn a_callee_finds_its_arguments_and_its_caller_the_result() {
    let caller = "bb.0:
        %0:_(s64) = COPY $x10
        $x10 = COPY $x11
        $x11 = COPY %0
        PseudoCALL @minus, csr_ilp32_lp64, implicit-def $x1, implicit $x10, implicit $x11, implicit-def $x10
        %1:_(s64) = COPY $x10
        %2:_(s64) = G_ADD %1, %0
        $x10 = COPY %2
        PseudoRET implicit $x10";
    assert_eq!(result(&[("f", "", caller), MINUS], &[5, 100]), all(100));
}

#[test]
fn a_call_through_a_register_reaches_the_function_at_that_address() {
    let caller = "bb.0:
        %0:gprjalr(p0) = G_GLOBAL_VALUE @minus
        PseudoCALLIndirect %0(p0), csr_ilp32_lp64, implicit-def $x1, implicit $x10, implicit $x11, implicit-def $x10
        PseudoRET implicit $x10";
    assert_eq!(result(&[("f", "", caller), MINUS], &[100, 1]), all(99));
}

#[test]
fn a_callee_keeps_what_the_convention_says_and_nothing_else() {
    let callee = "bb.0:
        $x8 = ADDI $x0, 1
        $x5 = ADDI $x0, 1
        $x11 = ADDI $x0, 1
        PseudoRET";
    let caller = |register| {
        format!(
            "bb.0:
             ${register} = COPY $x10
             PseudoCALL @g, csr_ilp32_lp64, implicit-def $x1
             $x10 = COPY ${register}
             PseudoRET implicit $x10"
        )
    };
    let left = |register| result(&[("f", "", &caller(register)), ("g", "", callee)], &[77]);
    assert_eq!(left("x8"), all(77));
    assert_eq!(left("x5").unknown, u64::MAX.into());
    assert_eq!(left("x11").unknown, u64::MAX.into());
}

#[test]
fn of_a_register_that_is_not_passed_nothing_is_known() {
    let caller = "bb.0:
        PseudoCALL @minus, csr_ilp32_lp64, implicit-def $x1, implicit $x10, implicit-def $x10
        PseudoRET implicit $x10";
    assert_ne!(result(&[("f", "", caller), MINUS], &[100, 1]).unknown, 0);
}

#[test]
fn stack_arguments_and_stack_objects_are_those_of_each_call() {
    let object = "stack:\n  - { id: 0, size: 8, alignment: 8 }\n";
    let fixed = "fixedStack:\n  - { id: 0, offset: 8, size: 8, alignment: 8, isImmutable: true }\n";
    let caller = "bb.0:
        %0:_(s64) = COPY $x10
        %1:_(p0) = G_FRAME_INDEX %stack.0
        G_STORE %0, %1(p0) :: (store (s64))
        ADJCALLSTACKDOWN 16, 0, implicit-def $x2, implicit $x2
        %2:_(p0) = COPY $x2
        %3:_(s64) = G_CONSTANT i64 8
        %4:_(p0) = G_PTR_ADD %2, %3
        %5:_(s64) = COPY $x11
        G_STORE %5, %4(p0) :: (store (s64))
        $x10 = COPY %1(p0)
        PseudoCALL @g, csr_ilp32_lp64, implicit-def $x1, implicit $x10
        ADJCALLSTACKUP 16, 0, implicit-def $x2, implicit $x2
        %6:_(s64) = G_LOAD %1(p0) :: (load (s64))
        $x10 = COPY %6
        PseudoRET implicit $x10";
    // It adds its stack argument to its caller's object, by way of an object of its own.
    let callee = "bb.0:
        %0:_(p0) = COPY $x10
        %1:_(p0) = G_FRAME_INDEX %fixed-stack.0
        %2:_(p0) = G_FRAME_INDEX %stack.0
        %3:_(s64) = G_LOAD %1(p0) :: (load (s64))
        G_STORE %3, %2(p0) :: (store (s64))
        %4:_(s64) = G_LOAD %0(p0) :: (load (s64))
        %5:_(s64) = G_LOAD %2(p0) :: (load (s64))
        %6:_(s64) = G_ADD %4, %5
        G_STORE %6, %0(p0) :: (store (s64))
        PseudoRET";
    let keys = format!("{fixed}{object}");
    assert_eq!(result(&[("f", object, caller), ("g", &keys, callee)], &[40, 2]), all(42));
}

#[test]
fn a_call_in_place_of_a_return_leaves_the_caller() {
    // It counts down by more calls than may be nested.
    let counts = "bb.0:
        successors: %bb.1, %bb.2
        %0:_(s64) = COPY $x10
        %1:_(s64) = G_CONSTANT i64 0
        %2:_(s1) = G_ICMP intpred(eq), %0(s64), %1
        G_BRCOND %2(s1), %bb.2
      bb.1:
        %3:_(s64) = G_CONSTANT i64 -1
        %4:_(s64) = G_ADD %0, %3
        $x10 = COPY %4
        PseudoTAIL @f, csr_ilp32_lp64, implicit $x2, implicit $x10
      bb.2:
        $x10 = COPY %0
        PseudoRET implicit $x10";
    assert_eq!(result(&[("f", "", counts)], &[500]), all(0));
}

/// Adds the numbers up to its argument.
const SUM: &str = "bb.0:
    successors: %bb.1, %bb.2
    %0:_(s64) = COPY $x10
    %1:_(s64) = G_CONSTANT i64 0
    %2:_(s1) = G_ICMP intpred(eq), %0(s64), %1
    G_BRCOND %2(s1), %bb.2
  bb.1:
    %3:_(s64) = G_CONSTANT i64 -1
    %4:_(s64) = G_ADD %0, %3
    $x10 = COPY %4
    PseudoCALL @f, csr_ilp32_lp64, implicit-def $x1, implicit $x10, implicit-def $x10
    %5:_(s64) = COPY $x10
    %6:_(s64) = G_ADD %5, %0
    $x10 = COPY %6
    PseudoRET implicit $x10
  bb.2:
    $x10 = COPY %0
    PseudoRET implicit $x10";

#[test]
fn recursion_has_an_end_and_a_depth() {
    assert_eq!(result(&[("f", "", SUM)], &[10]), all(55));
    assert_eq!(run(&[("f", "", SUM)], &[1000]).outcome, Outcome::TooDeep);
    let endless = "bb.0:
        PseudoTAIL @f, csr_ilp32_lp64, implicit $x2";
    assert_eq!(run(&[("f", "", endless)], &[]).outcome, Outcome::OutOfFuel);
}

#[test]
fn an_unknown_function_finds_the_objects_of_every_active_function() {
    let object = "stack:\n  - { id: 0, size: 8, alignment: 8 }\n";
    let caller = "bb.0:
        %0:_(p0) = G_FRAME_INDEX %stack.0
        $x10 = COPY %0(p0)
        PseudoCALL @g, csr_ilp32_lp64, implicit-def $x1, implicit $x10
        PseudoRET";
    let callee = "bb.0:
        %0:_(p0) = COPY $x10
        %1:_(p0) = G_FRAME_INDEX %stack.0
        $x11 = COPY %1(p0)
        PseudoCALL @unknown, csr_ilp32_lp64, implicit-def $x1, implicit $x10, implicit $x11
        PseudoRET";
    let observation = run(&[("f", object, caller), ("g", object, callee)], &[buffer_address(0)]);
    let objects: Vec<Option<usize>> =
        observation.calls[0].arguments[..2].iter().map(|argument| argument.object).collect();
    assert!(objects.iter().all(Option::is_some) && objects[0] != objects[1], "{objects:?}");
    assert_eq!(observation.calls[0].memory.len(), 2);
}
