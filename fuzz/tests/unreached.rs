//! The list of rules that no program reaches: each is a rule of its target, and no program makes one fire.

use rustc_hash::FxHashSet;
use tribunal_codegen::pipeline;
use tribunal_codegen::{Allocator, Context, Observer, Options};
use tribunal_fuzz::unreached::{UNREACHED, reason};
use tribunal_fuzz::{campaign, coverage};
use tribunal_ir::{Function, Inst, InstData};

#[derive(Default)]
struct Fired(FxHashSet<&'static str>);

impl Observer for Fired {
    fn wants_steps(&self) -> bool {
        true
    }

    fn step(&mut self, rule: &'static str, _: &mut Function, _: &[InstData], _: &[Inst]) {
        self.0.insert(rule);
    }
}

#[test]
fn what_no_program_reaches_is_a_rule_and_does_not_fire() {
    let mut listed = 0;
    for &target in tribunal_target::ALL {
        let rules = coverage::rules(target, target.default_features);
        let here = UNREACHED.iter().filter(|unreached| unreached.targets.contains(&target.name));
        for rule in here.flat_map(|unreached| unreached.rules) {
            assert!(rules.contains(rule), "{} has no rule {rule}", target.name);
            listed += 1;
        }
        let mut fired = Fired::default();
        let options = Options { features: target.default_features, allocator: Allocator::Fastalloc };
        for number in 0..800 {
            let mut function = campaign::generated(campaign::program_seed(3, number), target).unwrap();
            let legalizer = (target.legality)(options.features);
            let mut context = Context { target, options, legalizer, observer: &mut fired };
            pipeline::compile(&mut function, &mut context).unwrap();
        }
        assert!(fired.0.len() * 10 > rules.len() * 8, "{}: {} of {}", target.name, fired.0.len(), rules.len());
        for rule in fired.0 {
            assert!(reason(target.name, rule).is_none(), "{}: {rule} fired", target.name);
        }
    }
    assert_eq!(listed, 24);
}
