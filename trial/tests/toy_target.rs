//! A target is its rows: a machine that nothing else knows compiles, runs on the machine stepper, and is judged.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

mod toy;

use toy::TOY32;
use tribunal_codegen::pipeline::{self, Code};
use tribunal_codegen::{Context, NoObserver, Options, emit};
use tribunal_emulator::Input;
use tribunal_emulator::machine::Emulator;
use tribunal_ir::{Function, PReg, SlotKind, text};
use tribunal_target::Features;
use tribunal_trial::{Harness, inputs};

const OPTIONS: Options = Options::new(Features::empty());

/// `a + b - 7` at 32 bits and at 16.
const SUMS: &str = "
---
name: s32
tracksRegLiveness: true
body: |
  bb.0:
    liveins: $r0, $r1

    %0:_(s32) = COPY $r0
    %1:_(s32) = COPY $r1
    %2:_(s32) = G_ADD %0, %1
    %3:_(s32) = G_CONSTANT i32 7
    %4:_(s32) = G_SUB %2, %3
    $r0 = COPY %4(s32)
    RET implicit $r0
...
---
name: s16
tracksRegLiveness: true
body: |
  bb.0:
    liveins: $r0, $r1

    %0:_(s32) = COPY $r0
    %1:_(s32) = COPY $r1
    %2:_(s16) = G_TRUNC %0(s32)
    %3:_(s16) = G_TRUNC %1(s32)
    %4:_(s16) = G_ADD %2, %3
    %5:_(s16) = G_CONSTANT i16 7
    %6:_(s16) = G_SUB %4, %5
    %7:_(s32) = G_ANYEXT %6(s16)
    $r0 = COPY %7(s32)
    RET implicit $r0
...
";

/// Six words of memory that are all live at once, and a word that goes by way of the stack.
const PRESSURE: &str = "
---
name: pressure
tracksRegLiveness: true
stack:
  - { id: 0, size: 4, alignment: 4 }
body: |
  bb.0:
    liveins: $r0, $r1

    %0:_(p0) = COPY $r0
    %1:_(s32) = COPY $r1
    %2:_(p0) = G_FRAME_INDEX %stack.0
    G_STORE %1(s32), %2(p0) :: (store (s32) into %stack.0)
    %10:_(s32) = G_LOAD %0(p0) :: (load (s32))
    %3:_(s32) = G_CONSTANT i32 4
    %4:_(p0) = G_PTR_ADD %0, %3(s32)
    %11:_(s32) = G_LOAD %4(p0) :: (load (s32))
    %5:_(s32) = G_CONSTANT i32 8
    %6:_(p0) = G_PTR_ADD %0, %5(s32)
    %12:_(s32) = G_LOAD %6(p0) :: (load (s32))
    %7:_(s32) = G_CONSTANT i32 12
    %8:_(p0) = G_PTR_ADD %0, %7(s32)
    %13:_(s32) = G_LOAD %8(p0) :: (load (s32))
    %14:_(s32) = G_LOAD %2(p0) :: (load (s32) from %stack.0)
    %20:_(s32) = G_ADD %10, %11
    %21:_(s32) = G_SUB %12, %13
    %22:_(s32) = G_ADD %20, %21
    %23:_(s32) = G_SUB %22, %10
    %24:_(s32) = G_ADD %23, %11
    %25:_(s32) = G_SUB %24, %12
    %26:_(s32) = G_ADD %25, %13
    %27:_(s32) = G_ADD %26, %14
    G_STORE %27(s32), %4(p0) :: (store (s32))
    $r0 = COPY %27(s32)
    RET implicit $r0
...
";

/// Selected code with three accumulators live at once, of which the machine has two.
const ACCUMULATORS: &str = "
---
name: accumulators
legalized: true
regBankSelected: true
selected: true
tracksRegLiveness: true
body: |
  bb.0:
    liveins: $r0, $r1

    %0:gpr = COPY $r0
    %1:gpr = COPY $r1
    %2:acc = COPY %0
    %3:acc = COPY %1
    %4:acc = ADDC %2, %3
    %5:acc = ADDC %4, %2
    %6:acc = ADDC %5, %3
    %7:acc = ADDC %6, %4
    %8:gpr = COPY %7
    $r0 = COPY %8
    RET implicit $r0
...
";

fn functions(source: &str) -> Vec<Function> {
    text::parse_module(source.trim_start(), TOY32.vocabulary).unwrap().functions
}

fn compiled(function: &Function) -> (Function, Code) {
    let (mut function, legalizer) = (function.clone(), (TOY32.legality)(OPTIONS.features));
    let mut context = Context { target: &TOY32, options: OPTIONS, legalizer, observer: &mut NoObserver };
    let code = pipeline::compile(&mut function, &mut context).unwrap();
    (function, code)
}

/// The result of the code for these arguments.
fn run(code: &Code, arguments: &[u128]) -> u128 {
    let mut machine = Emulator::new(&TOY32, OPTIONS.features).unwrap();
    machine.load(&code.bytes, &[]).unwrap();
    let registers = (0..).map(PReg).zip(arguments.iter().copied()).collect();
    let ran = machine.run(&Input { registers, buffers: Vec::new() }, &[PReg(0)], 1000).unwrap();
    assert_eq!(ran.fault, None);
    ran.results[0].1
}

/// Every judge finds nothing, and each had something to judge.
fn judged(function: &Function, proves: bool) {
    let mut harness = Harness::new(&TOY32, OPTIONS).unwrap();
    let tally = harness.trial(function, inputs::Plan { count: 16, seed: 1 });
    assert!(tally.findings.is_empty() && tally.unsupported.is_empty(), "{:?} {:?}", tally.findings, tally.unsupported);
    assert_eq!((tally.executions, tally.unknown), (16, 0));
    assert!(tally.verifications > 0 && (tally.proved > 0) == proves, "{} {}", tally.verifications, tally.proved);
}

fn spill_slots(function: &Function) -> usize {
    function.stack.values().filter(|object| object.kind == SlotKind::Spill).count()
}

#[test]
fn sums_are_compiled_and_run() {
    let functions = functions(SUMS);
    let code = compiled(&functions[0]).1;
    // add, li, sub, ret: the arguments arrive in the result registers.
    assert_eq!(code.bytes.len(), 16);
    for (a, b, sum) in [(20, 30, 43), (0, 0, 0xffff_fff9), (0xffff_ffff, 1, 0xffff_fff9), (0x8000_0000, 8, 0x8000_0001)]
    {
        assert_eq!(run(&code, &[a, b]), sum, "{a} + {b} - 7");
    }
    let narrow = compiled(&functions[1]).1;
    assert_eq!(run(&narrow, &[0xffff, 9]) & 0xffff, 1);
    functions.iter().for_each(|function| judged(function, true));
}

#[test]
fn registers_are_spilled_and_objects_laid_out() {
    let function = &functions(PRESSURE)[0];
    assert!(spill_slots(&compiled(function).0) > 0);
    judged(function, true);
}

#[test]
fn a_second_register_file_is_allocated_spilled_and_copied() {
    let function = &functions(ACCUMULATORS)[0];
    let (allocated, code) = compiled(function);
    assert!(spill_slots(&allocated) > 0);
    // a + b, + a, + b, + (a + b)
    assert_eq!(run(&code, &[5, 100]), 315);
    judged(function, false);
}

#[test]
fn a_machine_without_object_files_says_so() {
    let code = compiled(&functions(SUMS)[0]).1;
    let error = emit::object(&[code], None, Default::default(), &TOY32).unwrap_err();
    assert_eq!(error.to_string(), "s32: object files of toy32 is not supported (emit)");
}

/// Every word of the machine is decoded to the instruction that it was.
#[test]
fn words_are_decoded() {
    for source in [SUMS, PRESSURE, ACCUMULATORS] {
        for function in functions(source) {
            for word in compiled(&function).1.bytes.chunks_exact(4) {
                let word = u32::from_le_bytes(word.try_into().unwrap());
                let inst = TOY32.decode(word).unwrap();
                assert_eq!(TOY32.encode(&inst), Ok(word), "{word:#010x}");
            }
        }
    }
}
