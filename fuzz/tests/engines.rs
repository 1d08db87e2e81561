//! Unicorn and the machine stepper agree on the same bytes, down to each access to a buffer.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use tribunal_codegen::pipeline::{self, Code};
use tribunal_codegen::{Context, NoObserver, Options};
use tribunal_emulator::input::Input;
use tribunal_emulator::machine::{CodeDesc, Emulator, MachineFault};
use tribunal_fuzz::campaign;
use tribunal_ir::Function;
use tribunal_target::{Features, Target};
use tribunal_trial::image::{call_sites, unlinked};
use tribunal_trial::inputs;

const PROGRAMS: u64 = 180;
const FUEL: u64 = 1 << 20;

fn compiled(function: &Function, target: &'static Target, features: Features) -> Code {
    let options = Options::new(features);
    let legalizer = (target.legality)(options.features);
    let mut context = Context { target, options, legalizer, observer: &mut NoObserver };
    pipeline::compile(&mut function.clone(), &mut context).unwrap()
}

#[test]
fn engines_agree() {
    let (mut runs, mut calls, mut accesses) = (0, 0, 0);
    for &target in tribunal_target::ALL {
        let floats = target.banks.iter().fold(target.default_features, |all, bank| all | bank.requires);
        let mut stepper = Emulator::stepping(target).unwrap();
        // As usual, with instructions of floating point, and with nothing.
        for features in [target.default_features, floats, target.base()] {
            let mut unicorn = Emulator::new(target, features).unwrap();
            let unseen = CodeDesc { features, bytes: &[], is_strict: false };
            assert!(!stepper.runs(unseen), "Unicorn has these");
            for seed in 0..PROGRAMS {
                let function = campaign::generated_for(seed, target, features).unwrap();
                let results = inputs::shown(&function, target);
                let code = compiled(&function, target, features);
                if !unicorn.runs(CodeDesc { bytes: &code.bytes, is_strict: function.is_strict(), ..unseen }) {
                    continue;
                }
                unicorn.record_accesses(true).unwrap();
                stepper.record_accesses(true).unwrap();
                unicorn.load_linked(&unlinked(&code, &function, target), &call_sites(&code)).unwrap();
                stepper.load_linked(&unlinked(&code, &function, target), &call_sites(&code)).unwrap();
                for input in inputs::inputs(&function, target, inputs::Plan { count: 4, seed }) {
                    let expected = unicorn.run(&input, &results, FUEL).unwrap();
                    accesses += expected.accesses.len();
                    assert_eq!(
                        stepper.run(&input, &results, FUEL).unwrap(),
                        expected,
                        "{} program {seed}",
                        target.name
                    );
                    runs += 1;
                }
                calls += code.calls.len();
            }
        }
    }
    assert!(runs > 100 && calls > 100 && accesses > 100, "{runs} runs, {calls} calls, {accesses} accesses");
}

/// Words of one target.
struct Words {
    target: &'static str,
    /// A jump to the register that is always zero.
    to_zero: u32,
    /// A jump to itself.
    forever: u32,
    /// The address of the first instruction taken; a word stored there, or 64 bytes after it; a return.
    stores: [[u32; 3]; 2],
}

/// jr zero; j .; auipc t0, sw t0, 0(t0) or 64(t0), ret
const RISCV64: Words = Words {
    target: "riscv64",
    to_zero: 0x0000_0067,
    forever: 0x0000_006f,
    stores: [[0x0000_0297, 0x0052_a023, 0x0000_8067], [0x0000_0297, 0x0452_a023, 0x0000_8067]],
};

static WORDS: [Words; 3] = [
    RISCV64,
    Words { target: "riscv32", ..RISCV64 },
    // br xzr; b .; adr x9, str w9, [x9] or [x9, 64], ret
    Words {
        target: "aarch64",
        to_zero: 0xd61f_03e0,
        forever: 0x1400_0000,
        stores: [[0x1000_0009, 0xb900_0129, 0xd65f_03c0], [0x1000_0009, 0xb900_4129, 0xd65f_03c0]],
    },
];

/// Every target with its words.
fn targets() -> impl Iterator<Item = (&'static Target, &'static Words)> {
    let words = |target: &Target| WORDS.iter().find(|words| words.target == target.name);
    tribunal_target::ALL.iter().map(move |&target| (target, words(target).expect("each target has a row")))
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// A jump to address zero, up to which the engine runs though nothing is mapped there, is no return.
#[test]
fn nothing_is_reached_at_address_zero() {
    for (target, row) in targets() {
        let jump = words(&[row.to_zero]);
        let unicorn = Emulator::new(target, target.default_features).unwrap();
        for mut machine in [unicorn, Emulator::stepping(target).unwrap()] {
            machine.load(&jump, &[]).unwrap();
            let fault = machine.run(&Input::default(), &[], 1000).unwrap().fault;
            assert!(matches!(fault, Some(MachineFault::Memory { .. })), "{}: {fault:?}", target.name);
        }
    }
}

/// Every engine detects code that stores a word over itself, or after itself in its page, and restores it.
#[test]
fn code_is_not_written() {
    for (target, row) in targets() {
        let unicorn = Emulator::new(target, target.default_features).unwrap();
        for mut machine in [unicorn, Emulator::stepping(target).unwrap()] {
            for code in row.stores {
                machine.load(&words(&code), &[]).unwrap();
                for _ in 0..2 {
                    let fault = machine.run(&Input::default(), &[], 1000).unwrap().fault;
                    assert_eq!(fault, Some(MachineFault::Code), "{} {code:x?}", target.name);
                }
            }
            machine.load(&words(&row.stores[0][2..]), &[]).unwrap();
            assert_eq!(machine.run(&Input::default(), &[], 1000).unwrap().fault, None, "{}", target.name);
        }
    }
}

/// A load of eight bytes from an address that is no multiple of eight: on RISC-V an environment may trap, on AArch64 it
/// is a load. The same load from a multiple of eight is one on both.
#[test]
fn a_misaligned_access_stops_both_engines_of_a_machine_that_may_trap() {
    // ld a0, -8(sp) or -4(sp), ret; ldur x0, [sp, -8] or [sp, -4], ret
    let rows = [
        ("riscv64", true, [[0xff81_3503, 0x0000_8067], [0xffc1_3503, 0x0000_8067]]),
        ("aarch64", false, [[0xf85f_83e0, 0xd65f_03c0], [0xf85f_c3e0, 0xd65f_03c0]]),
    ];
    for (name, may_trap, [aligned, misaligned]) in rows {
        let target = tribunal_target::by_name(name).unwrap();
        let unicorn = Emulator::new(target, target.default_features).unwrap();
        for mut machine in [unicorn, Emulator::stepping(target).unwrap()] {
            let mut run = |code: &[u32]| {
                machine.load(&words(code), &[]).unwrap();
                machine.run(&Input::default(), &[], 1000).unwrap().fault
            };
            assert_eq!(run(&aligned), None, "{name}");
            let fault = run(&misaligned);
            let is_found = matches!(fault, Some(MachineFault::Misaligned { bytes: 8, .. }));
            assert_eq!(is_found, may_trap, "{name}: {fault:?}");
            assert_eq!(run(&aligned), None, "{name}");
        }
    }
}

/// A loop of a hundred rounds, two instructions each, within three more: enough fuel lets it return, less stops it, and
/// code without an end is stopped on every target.
#[test]
fn fuel_runs_out() {
    let run = |target: &'static Target, code: &[u8], fuel: u64| {
        let mut machine = Emulator::new(target, target.default_features).unwrap();
        machine.load(code, &[]).unwrap();
        machine.run(&Input::default(), &[], fuel).unwrap().fault
    };
    // addi a0, zero, 100; addi a0, a0, -1; bnez a0, -4; ret
    let counted = words(&[0x0640_0513, 0xfff5_0513, 0xfe05_1ee3, 0x0000_8067]);
    let riscv64 = tribunal_target::by_name("riscv64").unwrap();
    assert_eq!(run(riscv64, &counted, 202), None);
    for fuel in [1, 100, 190] {
        assert_eq!(run(riscv64, &counted, fuel), Some(MachineFault::OutOfFuel(fuel)));
    }
    for (target, row) in targets() {
        assert_eq!(run(target, &words(&[row.forever]), 1000), Some(MachineFault::OutOfFuel(1000)), "{}", target.name);
    }
}
