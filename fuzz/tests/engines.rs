//! Unicorn and the machine stepper do the same with the same bytes.

use tribunal_codegen::pipeline::{self, Code};
use tribunal_codegen::{Allocator, Context, NoObserver, Options};
use tribunal_emulator::machine::Machine;
use tribunal_fuzz::harness::call_sites;
use tribunal_fuzz::{campaign, inputs};
use tribunal_ir::Function;
use tribunal_target::{Features, Target};

const PROGRAMS: u64 = 60;
const FUEL: u64 = 1 << 20;

fn compiled(function: &Function, target: &'static Target, features: Features) -> Code {
    let options = Options { features, allocator: Allocator::Ion };
    let legalizer = (target.legality)(options.features);
    let mut context = Context { target, options, legalizer, observer: &mut NoObserver };
    pipeline::compile(&mut function.clone(), &mut context).unwrap()
}

#[test]
fn engines_agree() {
    let (mut runs, mut calls) = (0, 0);
    for &target in tribunal_target::ALL.iter().filter(|target| target.decode.is_some()) {
        let mut unicorn = Machine::new(target, target.default_features).unwrap();
        let mut stepper = Machine::stepping(target).unwrap();
        for seed in 0..PROGRAMS {
            let function = campaign::generated(seed, target).unwrap();
            let results = inputs::results(&function, target);
            for features in [target.default_features, target.default_features - Features::M] {
                let code = compiled(&function, target, features);
                unicorn.load(&code.bytes, &call_sites(&code)).unwrap();
                stepper.load(&code.bytes, &call_sites(&code)).unwrap();
                for input in inputs::inputs(&function, target, inputs::Plan { count: 4, seed }) {
                    let expected = unicorn.run(&input, &results, FUEL).unwrap();
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
    assert!(runs > 100 && calls > 100, "{runs} runs, {calls} calls");
}
