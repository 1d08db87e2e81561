//! Programs of machine code. Every row that computes, branches or accesses memory comes up. A wrong definition is found
//! by running it, also of an instruction that no rule selects.

use std::collections::BTreeSet;
use tribunal_codegen::Options;
use tribunal_fuzz::campaign::{self, generated_machine_code};
use tribunal_fuzz::generator::{accessing_rows, branching_rows, computing_rows};
use tribunal_ir::semantics::{Unsupported, Value};
use tribunal_ir::{InstData, Opcode, TargetOpcode};
use tribunal_target::meaning::AnyDomain;
use tribunal_target::riscv::RISCV64;
use tribunal_target::{ALL, MachineEvaluation, Made, Target};
use tribunal_trial::Harness;
use tribunal_trial::harness::verify;
use tribunal_trial::inputs::Plan;

/// Programs looked at, for each target.
const PROGRAMS: u64 = 8000;

#[test]
fn every_row_that_computes_branches_or_accesses_memory_is_generated() {
    for &target in ALL {
        let features = target.default_features | target.all_options();
        let rows = computing_rows(target, features)
            .chain(accessing_rows(target, features))
            .chain(branching_rows(target, features));
        let mut missing: BTreeSet<&str> = rows.map(|(_, row)| row.name).collect();
        for number in 0..PROGRAMS {
            let function = generated_machine_code(campaign::program_seed(7, number), target, features).unwrap();
            let faults = verify(&function, target, (target.legality)(features));
            assert!(faults.is_empty(), "{} program {number} is rejected: {faults:?}", target.name);
            for inst in function.all_insts() {
                if let Opcode::Target(opcode) = function.inst(inst).opcode {
                    missing.remove(target.instruction(opcode).name);
                }
            }
        }
        assert_eq!(missing, BTreeSet::new(), "{}", target.name);
    }
}

fn named(name: &str) -> Opcode {
    let rows = (0..).map(TargetOpcode).zip(RISCV64.instructions);
    Opcode::Target(rows.into_iter().find(|(_, row)| row.name == name).expect("a row").0)
}

/// `mulhsu` that takes both factors for unsigned.
fn meaning<'d>(
    d: &mut (dyn AnyDomain + 'd),
    target: &Target,
    inst: &InstData,
    args: &[Value<dyn AnyDomain + 'd>],
) -> Result<MachineEvaluation<dyn AnyDomain + 'd>, Unsupported> {
    let mut inst = inst.clone();
    if inst.opcode == named("MULHSU") {
        inst.opcode = named("MULHU");
    }
    (RISCV64.meaning)(d, target, &inst, args)
}

static WRONG: Target = Target { elf: None, meaning, made: Made::new(), ..RISCV64 };

#[test]
fn a_wrong_definition_that_no_rule_needs_is_found() {
    let features = WRONG.default_features;
    let mut harness = Harness::new(&WRONG, Options::new(features)).expect("Unicorn works");
    let findings = (0..PROGRAMS).find_map(|seed| {
        let function = generated_machine_code(seed, &WRONG, features)?;
        let tally = harness.trial(&function, Plan { count: 8, seed });
        (!tally.findings.is_empty()).then_some((function, tally.findings))
    });
    let (function, findings) = findings.expect("a program shows it");
    assert!(function.all_insts().any(|inst| function.inst(inst).opcode == named("MULHSU")), "{findings:?}");
    assert!(findings[0].details.contains("definition"), "{}", findings[0]);
}

/// Every fourth program shows the flags that its instructions raise, on machines with registers of floating point.
#[test]
fn a_part_of_the_programs_is_strict() {
    for &target in ALL {
        let features = target.default_features | target.all_options();
        let mut harness = Harness::new(target, Options::new(features)).unwrap();
        let mut strict = 0;
        for number in 0..200 {
            let function = generated_machine_code(campaign::program_seed(17, number), target, features).unwrap();
            strict += u32::from(function.is_strict());
            let tally = harness.trial(&function, Plan { count: 12, seed: number });
            assert!(tally.findings.is_empty(), "{} program {number}: {:?}", target.name, tally.findings);
        }
        assert!((40..80).contains(&strict), "{}: {strict} of 200", target.name);
    }
}
