//! Recipes broken in many ways: each is refuted, by its name, with a counterexample that an execution confirms and that
//! a file reproduces. A fault is planted on the rule's instructions, before the prover sees them.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use tribunal_codegen::legalize;
use tribunal_codegen::{Context, Observer, Options};
use tribunal_ir::{
    Bits, Builder, Function, Inst, InstData, InstFlags, IntPredicate, MemFlags, MemOperand, Opcode, Operand, Position,
    Step, Type, VReg, text,
};
use tribunal_target::Target;
use tribunal_trial::Finding;
use tribunal_trial::counterexample::{self, Reproducer};
use tribunal_verifier::prover::{Cache, Prover, Verdict, explain};

/// Changes the instructions that a rule wrote; false if there is nothing to change.
type Plant = fn(&mut Function, &[Inst]) -> bool;

/// Breaks the first step of a rule, and has the prover judge it.
struct Saboteur {
    target: &'static Target,
    /// The suffix of the rule's name, and the opcode that it rewrites.
    rule: &'static str,
    opcode: Opcode,
    plant: Plant,
    verdict: Option<(Verdict, Finding, String)>,
    seen: Vec<&'static str>,
}

impl Observer for Saboteur {
    fn step(&mut self, rule: &'static str, function: &mut Function, before: &[InstData], after: &mut Vec<Inst>) {
        self.seen.push(rule);
        let ours = rule.ends_with(self.rule) && before.last().is_some_and(|data| data.opcode == self.opcode);
        if self.verdict.is_some() || !ours || !(self.plant)(function, after) {
            return;
        }
        let after: Vec<InstData> = after.iter().map(|&inst| function.inst(inst).clone()).collect();
        let step = Step { rule, function, before, after: &after };
        let verdict = Prover::default().judge(self.target, &step);
        let refuted = counterexample::finding(self.target, &step, &verdict);
        let (finding, reproducer) =
            refuted.unwrap_or_else(|| panic!("{}", explain(&step, &verdict, self.target.vocabulary)));
        let reproducer = reproducer.unwrap_or_else(|| panic!("not executed: {finding}"));
        let file = reproducer.file(self.target, self.target.default_features, &finding.details);
        self.verdict = Some((verdict, finding, file));
    }
}

/// Legalizes `%r = OPCODE ...` on values of `sources`, which a store needs, with a fault in the first step of `rule`.
fn broken(
    target: &str,
    write: impl Fn(&mut Builder<'_>, u16),
    (opcode, rule): (Opcode, &'static str),
    plant: Plant,
) -> (Verdict, Finding, String) {
    let target = tribunal_target::by_name(target).unwrap();
    let mut function = Function::new("instance");
    let entry = function.new_block();
    write(&mut Builder::new(&mut function, Position::AtEnd(entry)), target.pointer_bits);
    let mut saboteur = Saboteur { target, rule, opcode, plant, verdict: None, seen: Vec::new() };
    let options = Options::new(target.default_features);
    let mut context =
        Context { target, options, legalizer: (target.legality)(options.features), observer: &mut saboteur };
    // The steps after a broken one do not matter.
    let _ = (legalize::PASS.run)(&mut context, &mut function);
    let seen = saboteur.seen;
    saboteur.verdict.unwrap_or_else(|| panic!("no step of `{rule}` to break in {seen:?}"))
}

fn store(builder: &mut Builder<'_>, pointer_bits: u16, value: VReg) {
    let pointer = builder.function.new_vreg(Type::Pointer { address_space: 0, bits: pointer_bits });
    let ty = builder.type_of(value);
    builder.store(value, pointer, MemOperand::new(MemFlags::STORE, ty, 8));
}

/// An operation on `count` values of `bits` bits.
fn operation(opcode: Opcode, bits: u32, count: usize, flags: InstFlags) -> impl Fn(&mut Builder<'_>, u16) {
    move |builder, pointer_bits| {
        let ty = Type::scalar(bits);
        let sources: Vec<VReg> = (0..count).map(|_| builder.function.new_vreg(ty)).collect();
        let result = builder.op_with(ty, opcode, &sources, flags);
        store(builder, pointer_bits, result);
    }
}

fn plain(opcode: Opcode, bits: u32, count: usize) -> impl Fn(&mut Builder<'_>, u16) {
    operation(opcode, bits, count, InstFlags::empty())
}

fn load(bits: u32) -> impl Fn(&mut Builder<'_>, u16) {
    move |builder, pointer_bits| {
        let ty = Type::scalar(bits);
        let pointer = builder.function.new_vreg(Type::Pointer { address_space: 0, bits: pointer_bits });
        let value = builder.load(Opcode::G_LOAD, ty, pointer, MemOperand::new(MemFlags::LOAD, ty, 8));
        store(builder, pointer_bits, value);
    }
}

/// The refutation: confirmed by a run, about the rule; and its file, parsed and run again, reproduces it.
fn refuted(
    target: &str,
    write: impl Fn(&mut Builder<'_>, u16),
    (opcode, rule): (Opcode, &'static str),
    plant: Plant,
) -> String {
    let (verdict, finding, file) = broken(target, write, (opcode, rule), plant);
    assert!(matches!(verdict, Verdict::Refuted(_)), "{rule}: {verdict}\n{finding}");
    assert_eq!(finding.kind.name(), "refuted", "{rule} is not confirmed by an execution:\n{finding}");
    assert!(finding.guilty.ends_with(rule) && finding.details.contains("executed: "), "{finding}");
    let target = tribunal_target::by_name(target).unwrap();
    let module = text::parse_module(&file, target.vocabulary).unwrap_or_else(|error| panic!("{error:?}\n{file}"));
    let header = tribunal_trial::crash::header(&module, target).unwrap();
    let again = Reproducer::read(&module, header.input).expect("the file is a reproducer").replay(target);
    let again = again.unwrap_or_else(|reason| panic!("{rule}: the file shows nothing: {reason}\n{file}"));
    assert_eq!((again.guilty, again.kind), (finding.guilty, finding.kind));
    finding.details
}

/// Changes the `nth` instruction of `opcode`, counted from the first.
fn change(
    function: &mut Function,
    after: &[Inst],
    opcode: Opcode,
    nth: usize,
    with: impl FnOnce(&mut InstData),
) -> bool {
    let Some(&inst) = after.iter().filter(|&&inst| function.inst(inst).opcode == opcode).nth(nth) else { return false };
    let mut data = function.inst(inst).clone();
    with(&mut data);
    function.replace(inst, data);
    true
}

/// The same, counted from the last.
fn change_last(
    function: &mut Function,
    after: &[Inst],
    opcode: Opcode,
    back: usize,
    with: impl FnOnce(&mut InstData),
) -> bool {
    let count = after.iter().filter(|&&inst| function.inst(inst).opcode == opcode).count();
    count > back && change(function, after, opcode, count - 1 - back, with)
}

/// The instruction becomes a copy of its operand `index`.
fn copy_of(data: &mut InstData, index: usize) {
    *data = InstData::new(Opcode::COPY, [data.operands[0], data.operands[index]]);
}

fn predicate(data: &mut InstData, predicate: IntPredicate) {
    data.operands[1] = Operand::Predicate(predicate);
}

fn change_constant(function: &mut Function, after: &[Inst], nth: usize, with: impl FnOnce(Bits) -> Bits) -> bool {
    let constants = after.iter().filter(|&&inst| function.inst(inst).opcode == Opcode::G_CONSTANT);
    let value = constants.clone().nth(nth).and_then(|&inst| function.constant_value(&function.inst(inst).operands[1]));
    let Some(value) = value else { return false };
    let value = function.constant(with(value));
    change(function, after, Opcode::G_CONSTANT, nth, |data| data.operands[1] = value)
}

#[test]
fn an_extension_of_the_wrong_kind() {
    refuted("riscv64", plain(Opcode::G_LSHR, 8, 2), (Opcode::G_LSHR, "min_scalar"), |f, after| {
        // The value's step, not the amount's: that one ends in a truncation.
        let truncates = after.iter().any(|&inst| f.inst(inst).opcode == Opcode::G_TRUNC);
        truncates && change(f, after, Opcode::G_ZEXT, 0, |data| data.opcode = Opcode::G_SEXT)
    });
}

#[test]
fn a_flag_kept_while_widening() {
    refuted("riscv64", operation(Opcode::G_ADD, 8, 2, InstFlags::NUW), (Opcode::G_ADD, "min_scalar"), |f, after| {
        change(f, after, Opcode::G_ADD, 0, |data| data.flags = InstFlags::NUW)
    });
}

#[test]
fn a_part_left_out_of_a_load() {
    refuted("riscv64", load(24), (Opcode::G_LOAD, "pow2"), |f, after| {
        change(f, after, Opcode::G_OR, 0, |data| copy_of(data, 1))
    });
}

#[test]
fn a_shift_amount_modulo_the_wrong_width() {
    refuted("riscv64", plain(Opcode::G_FSHL, 64, 3), (Opcode::G_FSHL, "lower"), |f, after| {
        change_constant(f, after, 0, |bits| bits.add(Bits::new(1, bits.width())))
    });
}

#[test]
fn a_carry_of_the_wrong_polarity() {
    refuted("riscv64", plain(Opcode::G_ADD, 128, 2), (Opcode::G_ADD, "max_scalar"), |f, after| {
        change(f, after, Opcode::G_ICMP, 0, |data| predicate(data, IntPredicate::Uge))
    });
}

#[test]
fn a_borrow_where_halves_are_equal() {
    refuted("aarch64", plain(Opcode::G_SUB, 128, 2), (Opcode::G_SUB, "max_scalar"), |f, after| {
        change(f, after, Opcode::G_ICMP, 0, |data| predicate(data, IntPredicate::Ule))
    });
}

#[test]
fn a_saturation_bound_that_is_one_off() {
    refuted("riscv64", plain(Opcode::G_SADDSAT, 64, 2), (Opcode::G_SADDSAT, "lower"), |f, after| {
        change_constant(f, after, 0, |bits| bits.sub(Bits::new(1, bits.width())))
    });
}

#[test]
fn poison_that_is_not_frozen() {
    let details = refuted("riscv64", plain(Opcode::G_FREEZE, 128, 1), (Opcode::G_FREEZE, "max_scalar"), |f, after| {
        change(f, after, Opcode::G_FREEZE, 1, |data| copy_of(data, 1))
    });
    assert!(details.contains("= poison"), "{details}");
}

#[test]
fn the_wrong_predicate() {
    refuted("riscv64", plain(Opcode::G_UMIN, 64, 2), (Opcode::G_UMIN, "lower"), |f, after| {
        change(f, after, Opcode::G_ICMP, 0, |data| predicate(data, IntPredicate::Slt))
    });
}

#[test]
fn a_high_part_dropped() {
    refuted("riscv64", plain(Opcode::G_MUL, 128, 2), (Opcode::G_MUL, "max_scalar"), |f, after| {
        change(f, after, Opcode::G_MERGE_VALUES, 0, |data| data.operands[2] = data.operands[1])
    });
}

#[test]
fn a_signed_high_product_without_its_correction() {
    refuted("riscv64", plain(Opcode::G_SMULH, 128, 2), (Opcode::G_SMULH, "lower"), |f, after| {
        change_last(f, after, Opcode::G_SUB, 0, |data| copy_of(data, 1))
    });
}

/// One product in 2^60 or so needs it.
#[test]
fn the_last_carry_of_a_high_product() {
    for (target, bits) in [("riscv64", 128), ("riscv32", 64)] {
        refuted(target, plain(Opcode::G_UMULH, bits, 2), (Opcode::G_UMULH, "max_scalar"), |f, after| {
            change_last(f, after, Opcode::G_ADD, 1, |data| copy_of(data, 1))
        });
    }
}

#[test]
fn a_shift_in_the_wrong_direction() {
    refuted("riscv64", plain(Opcode::G_BSWAP, 64, 1), (Opcode::G_BSWAP, "lower"), |f, after| {
        change(f, after, Opcode::G_SHL, 1, |data| data.opcode = Opcode::G_LSHR)
    });
}

#[test]
fn a_part_stored_in_the_wrong_place() {
    let details = refuted("riscv64", load(128), (Opcode::G_STORE, "narrow_scalar_if"), |f, after| {
        change_constant(f, after, 0, |bits| bits.add(Bits::new(1, bits.width())))
    });
    assert!(details.contains("memory"), "{details}");
}

#[test]
fn a_limb_of_the_wrong_weight() {
    refuted("riscv32", plain(Opcode::G_ROTL, 96, 2), (Opcode::G_UREM, "urem_of_limbs"), |f, after| {
        change_constant(f, after, 1, |weight| weight.add(Bits::new(1, weight.width())))
    });
}

/// Judges the remainders of limbs among the steps.
struct Remainders {
    target: &'static Target,
    prover: Prover,
    verdicts: Vec<Verdict>,
}

impl Observer for Remainders {
    fn step(&mut self, rule: &'static str, function: &mut Function, before: &[InstData], after: &mut Vec<Inst>) {
        if rule == "combine urem_of_limbs" {
            let after: Vec<InstData> = after.iter().map(|&inst| function.inst(inst).clone()).collect();
            let step = Step { rule, function, before, after: &after };
            self.verdicts.push(self.prover.judge(self.target, &step));
        }
    }
}

/// Rotations by amounts that nothing divides legalize, and the reduction of the amount is proved, wider than the
/// catalogue goes.
#[test]
fn amounts_of_rotations_are_reduced_to_512_bits() {
    for target in tribunal_target::ALL {
        for (bits, amount) in [(3, 512), (96, 320), (129, 257), (511, 512)] {
            let mut function = Function::new("instance");
            let entry = function.new_block();
            let mut builder = Builder::new(&mut function, Position::AtEnd(entry));
            let pointer = builder.function.new_vreg(Type::Pointer { address_space: 0, bits: target.pointer_bits });
            let [value, amount] = [bits, amount].map(|bits| {
                let ty = Type::scalar(bits);
                builder.load(Opcode::G_LOAD, ty, pointer, MemOperand::new(MemFlags::LOAD, ty, 8))
            });
            let result = builder.op(Type::scalar(bits), Opcode::G_ROTR, &[value, amount]);
            store(&mut builder, target.pointer_bits, result);
            let mut observer = Remainders { target, prover: Prover::default(), verdicts: Vec::new() };
            let options = Options::new(target.default_features);
            let legalizer = (target.legality)(options.features);
            let mut context = Context { target, options, legalizer, observer: &mut observer };
            (legalize::PASS.run)(&mut context, &mut function).unwrap();
            assert!(
                matches!(observer.verdicts.as_slice(), [Verdict::Proved { .. }]),
                "{bits}: {:?}",
                observer.verdicts
            );
        }
    }
}

/// Everything in a counterexample is needed: no poison, and few bits.
#[test]
fn counterexamples_are_small() {
    let write = plain(Opcode::G_ADD, 128, 2);
    let (verdict, ..) = broken("riscv64", write, (Opcode::G_ADD, "max_scalar"), |f, after| {
        change(f, after, Opcode::G_ICMP, 0, |data| predicate(data, IntPredicate::Ule))
    });
    let Verdict::Refuted(counterexample) = verdict else { panic!("{verdict}") };
    let set: u32 =
        counterexample.inputs.iter().map(|(_, bits, _)| (0..128).map(|i| u32::from(bits.bit(i))).sum::<u32>()).sum();
    assert!(counterexample.inputs.iter().all(|(.., poison)| !poison), "{counterexample:?}");
    assert!(set <= 1, "{counterexample:?}");
}

/// A prover that has proved the right recipe refutes the broken one all the same. The look-up is of the step as it was
/// written, and a file's proofs are those of right steps only.
#[test]
fn a_cache_hides_no_fault() {
    let (target, plant): (_, Plant) = (tribunal_target::by_name("riscv64").unwrap(), |f, after| {
        change(f, after, Opcode::G_ICMP, 0, |data| predicate(data, IntPredicate::Ule))
    });
    let mut learner = Learner { target, prover: Prover::default(), plant: None, refuted: Vec::new() };
    learner.legalize(&plain(Opcode::G_ADD, 128, 2));
    assert!(learner.refuted.is_empty() && learner.prover.counters().judged > 0);
    let kept = Cache::default();
    assert!(kept.add_bytes(&learner.prover.cache().to_bytes("test"), "test") > Some(0));
    let mut learner = Learner { target, prover: Prover::with_cache(kept), plant: Some(plant), refuted: Vec::new() };
    learner.legalize(&plain(Opcode::G_ADD, 128, 2));
    assert!(learner.prover.counters().kept > 0 && learner.refuted.len() == 1, "{:?}", learner.refuted);
}

/// Judges every step with one prover, the sums with a fault in them.
struct Learner {
    target: &'static Target,
    prover: Prover,
    plant: Option<Plant>,
    refuted: Vec<&'static str>,
}

impl Learner {
    fn legalize(&mut self, write: &dyn Fn(&mut Builder<'_>, u16)) {
        let target = self.target;
        let mut function = Function::new("instance");
        let entry = function.new_block();
        write(&mut Builder::new(&mut function, Position::AtEnd(entry)), target.pointer_bits);
        let options = Options::new(target.default_features);
        let mut context = Context { target, options, legalizer: (target.legality)(options.features), observer: self };
        // The remainder when all sums are legal, an unmerge of an input, has no instruction.
        let _ = (legalize::PASS.run)(&mut context, &mut function);
    }
}

impl Observer for Learner {
    fn step(&mut self, rule: &'static str, function: &mut Function, before: &[InstData], after: &mut Vec<Inst>) {
        if let Some(plant) = self.plant.filter(|_| before[0].opcode == Opcode::G_ADD) {
            plant(function, after);
        }
        let after: Vec<InstData> = after.iter().map(|&inst| function.inst(inst).clone()).collect();
        let step = Step { rule, function, before, after: &after };
        if matches!(self.prover.judge(self.target, &step), Verdict::Refuted(_)) {
            self.refuted.push(rule);
        }
    }
}
