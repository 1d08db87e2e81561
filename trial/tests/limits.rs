//! The limits of the encodings and of the register file: more live values than registers, frames beyond every
//! immediate, branches beyond every range. Each function must meet the limit it is made for, and pass every judge.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use std::fmt::Write;
use tribunal_codegen::pipeline::{self, Code};
use tribunal_codegen::{Allocator, CompileError, Context, NoObserver, Options};
use tribunal_ir::{Function, text};
use tribunal_target::instructions::OperandDesc;
use tribunal_target::{ALL, Target};
use tribunal_trial::{Harness, Tally, inputs};

const ALLOCATORS: [Allocator; 2] = [Allocator::Ion, Allocator::Fastalloc];

/// A function of two arguments %0 and %1 that returns %9: `stack` holds rows of the stack, `body` the rest. The type
/// `s64` in them stands for the type that fills a register.
fn function(target: &Target, stack: &str, body: &str) -> Function {
    let name = |register| target.vocabulary.register_name(register).to_string();
    let [a, b] = [0, 1].map(|index| name(target.abi.arguments()[index]));
    let (result, leave) = (name(target.abi.results()[0]), target.vocabulary.opcode_name(target.abi.return_opcode));
    let source = format!(
        "---\nname: f\ntracksRegLiveness: true\nstack:\n{stack}body: |\n  bb.0:\n    liveins: ${a}, ${b}\n\n    \
         %0:_(s64) = COPY ${a}\n    %1:_(s64) = COPY ${b}\n{body}    ${result} = COPY %9(s64)\n    {leave} implicit ${result}\n...\n"
    );
    let source = match target.pointer_bits {
        64 => source,
        bits => source.replace("s64", &format!("s{bits}")).replace("i64", &format!("i{bits}")),
    };
    let source = if stack.is_empty() { source.replace("stack:\n", "") } else { source };
    text::parse_module(&source, target.vocabulary)
        .unwrap_or_else(|error| panic!("{error:?} in\n{}", &source[..source.len().min(2000)]))
        .functions
        .remove(0)
}

fn options(target: &Target, allocator: Allocator) -> Options {
    Options { allocator, ..Options::new(target.default_features) }
}

/// The code; `function` becomes the machine function.
fn compile(target: &'static Target, function: &mut Function, allocator: Allocator) -> Result<Code, CompileError> {
    let (options, mut observer) = (options(target, allocator), NoObserver);
    let legalizer = (target.legality)(options.features);
    let mut context = Context { target, options, legalizer, observer: &mut observer };
    pipeline::compile(function, &mut context)
}

fn passes(target: &'static Target, function: &Function, allocator: Allocator, count: u32) {
    let mut harness = Harness::new(target, options(target, allocator)).unwrap();
    let inputs = inputs::inputs(function, target, inputs::Plan { count, seed: 7 });
    let Tally { findings, unsupported, passed, executions, .. } = harness.trial_on(function, &inputs);
    assert!(findings.is_empty() && unsupported.is_empty(), "{}: {findings:?} {unsupported:?}", target.name);
    assert_eq!((passed, executions), (1, u64::from(count)), "{}", target.name);
}

/// Sixty products, all live before the first is read.
fn crowded(target: &Target) -> Function {
    let mut body = String::new();
    for index in 0..60 {
        let _ = writeln!(body, "    %{}:_(s64) = G_CONSTANT i64 {}", 100 + index, 3 + 7 * index);
        let _ = writeln!(body, "    %{}:_(s64) = G_MUL %0, %{}", 200 + index, 100 + index);
        let _ = writeln!(body, "    %{}:_(s64) = G_ADD %{}, %1", 300 + index, 200 + index);
    }
    let _ = writeln!(body, "    %400:_(s64) = G_XOR %300, %301");
    for index in 2..60 {
        let _ = writeln!(body, "    %{}:_(s64) = G_SUB %{}, %{}", 399 + index, 398 + index, 300 + index);
    }
    body.push_str("    %9:_(s64) = G_ADD %458, %0\n");
    function(target, "", &body)
}

#[test]
fn more_values_than_registers_are_spilled() {
    for target in ALL {
        let function = crowded(target);
        for allocator in ALLOCATORS {
            let mut machine = function.clone();
            compile(target, &mut machine, allocator).unwrap();
            assert!(machine.stack.len() > 20, "{}: {} spill slots", target.name, machine.stack.len());
            passes(target, &function, allocator, 24);
        }
    }
}

/// One object of `bytes`, written at both ends and read back, with sixty spilled values beside it.
fn deep(target: &Target, bytes: u64) -> Function {
    let stack = format!("  - {{ id: 0, size: {bytes}, alignment: 16 }}\n  - {{ id: 1, size: 8, alignment: 8 }}\n");
    let body = format!(
        "    %2:_(p0) = G_FRAME_INDEX %stack.0\n    %3:_(s64) = G_CONSTANT i64 {}\n    %4:_(p0) = G_PTR_ADD %2, %3(s64)\n    \
         %5:_(p0) = G_FRAME_INDEX %stack.1\n    G_STORE %0(s64), %2(p0) :: (store (s64) into %stack.0)\n    \
         G_STORE %1(s64), %4(p0) :: (store (s64))\n    G_STORE %1(s64), %5(p0) :: (store (s64) into %stack.1)\n    \
         %6:_(s64) = G_LOAD %2(p0) :: (load (s64) from %stack.0)\n    %7:_(s64) = G_LOAD %4(p0) :: (load (s64))\n    \
         %8:_(s64) = G_LOAD %5(p0) :: (load (s64) from %stack.1)\n    %10:_(s64) = G_MUL %6, %7\n    \
         %9:_(s64) = G_SUB %10, %8\n",
        bytes - 8
    );
    function(target, &stack, &body)
}

#[test]
fn frames_beyond_every_immediate_are_reached() {
    for target in ALL {
        // Around the reach of 12 bits, scaled 12 bits, 12 bits shifted by 12; and far beyond.
        for bytes in [2032, 2048, 4080, 4096, 32_752, 32_768, 65_536, 1 << 20, (1 << 20) + 4096 + 64] {
            let function = deep(target, bytes);
            for allocator in ALLOCATORS {
                passes(target, &function, allocator, 12);
            }
        }
    }
}

/// A branch over `count` additions, and back through a loop of two rounds.
fn far(target: &Target, count: u32) -> Function {
    let leave = "    G_BR %bb.2\n";
    let mut body = String::from(
        "    %2:_(s64) = G_CONSTANT i64 0\n    %3:_(s64) = G_CONSTANT i64 1\n    %4:_(s64) = G_CONSTANT i64 2\n    \
         G_BR %bb.1\n\n  bb.1:\n    %5:_(s64) = G_PHI %2(s64), %bb.0, %8(s64), %bb.2\n    \
         %6:_(s64) = G_PHI %0(s64), %bb.0, %7(s64), %bb.2\n    %10:_(s1) = G_ICMP intpred(ult), %6(s64), %1\n    \
         G_BRCOND %10(s1), %bb.2\n    G_BR %bb.3\n\n  bb.3:\n    %100:_(s64) = G_ADD %6, %1\n",
    );
    for index in 1..count {
        let operation = if index % 2 == 0 { "G_ADD" } else { "G_XOR" };
        let _ = writeln!(body, "    %{}:_(s64) = {operation} %{}, %{}", 100 + index, 99 + index, index % 2);
    }
    body.push_str(leave);
    let _ = write!(
        body,
        "\n  bb.2:\n    %7:_(s64) = G_PHI %6(s64), %bb.1, %{}(s64), %bb.3\n    %8:_(s64) = G_ADD %5, %3\n    \
         %11:_(s1) = G_ICMP intpred(ult), %8(s64), %4\n    G_BRCOND %11(s1), %bb.1\n    G_BR %bb.4\n\n  bb.4:\n    \
         %9:_(s64) = G_XOR %7, %8\n",
        99 + count
    );
    function(target, "", &body)
}

#[test]
fn branches_beyond_their_range_still_arrive() {
    for target in ALL {
        // RISC-V: conditional branches reach 4 KiB, jumps 1 MiB. AArch64: conditional branches 1 MiB.
        for count in [1000, 1020, 1024, 1100] {
            passes(target, &far(target, count), Allocator::Ion, 12);
        }
        let long = compile(target, &mut far(target, 263_000), Allocator::Fastalloc);
        // A jump of RISC-V beyond 1 MiB would take a register: said by name, not written wrongly.
        let reaches = |desc: &OperandDesc| matches!(desc, OperandDesc::Label { bits, .. } if *bits > 21);
        let far = target.instructions.iter().any(|row| row.operands.iter().any(reaches));
        match (far, long) {
            (false, Err(CompileError::Unsupported { pass: "relax-branches", .. })) => {}
            (true, Ok(code)) => assert!(code.bytes.len() > 1 << 20, "{} bytes", code.bytes.len()),
            (_, other) => panic!("{}: {:?}", target.name, other.map(|code| code.bytes.len())),
        }
    }
}

/// An execution has no stack for such a frame, which compiles and is proved: that is no fault of the frame.
#[test]
fn a_frame_without_a_place_is_unsupported() {
    for &target in ALL {
        let bytes = 3 << 20;
        let stack = format!("  - {{ id: 0, size: {bytes}, alignment: 8 }}\n");
        let body = "    %2:_(p0) = G_FRAME_INDEX %stack.0\n    G_STORE %0(s64), %2(p0) :: (store (s64))\n    \
                    %9:_(s64) = G_LOAD %2(p0) :: (load (s64))\n";
        let function = function(target, &stack, body);
        let mut harness = Harness::new(target, options(target, Allocator::Ion)).unwrap();
        let inputs = inputs::inputs(&function, target, inputs::Plan { count: 4, seed: 7 });
        let Tally { findings, unsupported, executions, .. } = harness.trial_on(&function, &inputs);
        assert!(findings.is_empty() && executions == 0, "{}: {findings:?}", target.name);
        let reasons: Vec<&String> = unsupported.keys().collect();
        assert_eq!(reasons, [&format!("runs of a frame of {bytes} bytes")], "{}", target.name);
    }
}
