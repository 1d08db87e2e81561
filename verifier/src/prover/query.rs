//! The refinement obligation of a step, as one term that is true where the step is wrong.

use super::choices;
use super::counterexample::ValueName;
use super::elements::{by_elements, each_element};
use super::memory::{FrameAddresses, promises_object};
use super::memory_function;
use super::ordering;
use super::own_objects;
use super::ranges;
use super::side::{Assumption, Exit, Inputs, Scalar, Side, SideEvaluation};
use super::term::{Limb, MemTerm, Node, Op, Symbolic, Term};
use super::volatile;
use super::witness::{self, KeptValues};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use tribunal_ir::bits::Bits;
use tribunal_ir::entities::JumpTable;
use tribunal_ir::semantics::{Domain, Unsupported};
use tribunal_ir::{AddressBase, Block, InstData, Opcode, OpcodeFlags, PReg, Stage, Step, VReg};
use tribunal_target::{Target, environment};

/// One output of both sides.
#[derive(Clone)]
pub(super) struct StepOutput {
    pub name: ValueName,
    pub source: Scalar,
    pub target: Scalar,
    /// The target's excuse: undefined behaviour of the source before this output.
    pub ub: Term,
}

impl StepOutput {
    /// True where both sides have the same, or the later one is the same and never poison.
    fn is_same(&self, graph: &Symbolic) -> bool {
        let (before, after) = (&self.source, &self.target);
        before.bits == after.bits && (before.poison == after.poison || graph.is_false(after.poison))
    }
}

/// A step as a question.
pub(super) struct Query {
    pub graph: Symbolic,
    pub inputs: Inputs,
    pub outputs: Vec<StepOutput>,
    /// True where the source is defined: not undefined behaviour.
    pub source_defined: Term,
    /// True where the target's behaviour is none that the source allows.
    pub wrong: Term,
    /// Some bit of a source's choice was guessed, since no output shows it: a failure is then no refutation.
    pub guessed: bool,
}

/// Builds the question for `step`.
pub(super) fn query(target: &Target, step: &Step<'_>) -> Result<Query, Unsupported> {
    let mut graph = Symbolic::with_limb(limb(step));
    let objects = own_objects::of(&mut graph, step);
    let frame = FrameAddresses::of_step(&objects);
    let mut inputs = Inputs { tables: tables(step), frame, ..Inputs::default() };
    // Selection runs on functions whose banks are selected; everything before is generic on both sides.
    let machine = step.function.stage >= Stage::BankSelected;
    let mut side = |own, machine, standing, objects| {
        let (d, function) = (&mut graph, step.function);
        let follows_objects = step.after.iter().any(promises_object);
        SideEvaluation { d, target, function, inputs: &mut inputs, machine, standing, own, opaque: None }
            .side(follows_objects, objects)
    };
    let source = side(step.before, false, None, Vec::new())?;
    let result = side(step.after, machine, Some(&source.defined), objects)?;
    let mut outputs = outputs(&mut graph, step, &source, &result)?;
    let kept = |register: &PReg| is_kept(target, step, *register);
    registers(&mut graph, &mut inputs, target, (&source, &result), kept, &mut outputs);
    volatile::outputs(&mut graph, (target, step), &source, &result, &mut outputs);
    ordering::outputs(&mut graph, &source, &result, &mut outputs);
    if !memory_function::same_effects(&source, &result) {
        outputs.push(differing(&mut graph, "memory function", source.ub));
    }
    destinations(&mut graph, &source, &result, &mut outputs);
    let address_bits = u32::from(target.pointer_bits);
    Ok(question(graph, inputs, address_bits, &source, &result, machine, outputs))
}

/// The question whether the second side, with these outputs beside control and memory, refines the first. It is asked
/// at its end and at each operation with effects, since the code after such an operation may never be reached.
pub(super) fn question(
    mut graph: Symbolic,
    inputs: Inputs,
    address_bits: u32,
    source: &Side,
    result: &Side,
    machine: bool,
    mut outputs: Vec<StepOutput>,
) -> Query {
    effects(&mut graph, address_bits, source, result, &mut outputs);
    memory(&mut graph, address_bits, source, result, machine, &mut outputs);
    let mut outputs = by_elements(&mut graph, outputs);
    let frozen = [&source.frozen[..], &choices::numbers_of_nans(&mut graph, source, result)].concat();
    let extended = choices::high_bits(&mut graph, source, result);
    let resolved = |graph: &mut Symbolic, extended: &[(Term, Term)], outputs: &mut [StepOutput]| {
        let kept = KeptValues { frozen: &frozen, extended };
        witness::resolve(graph, (&source.choices, kept), &result.choices, outputs)
    };
    let mut others = if extended.is_empty() { Vec::new() } else { outputs.clone() };
    let guessed = resolved(&mut graph, &extended, &mut outputs);
    let mut wrong_values = wrong_values(&mut graph, &outputs);
    if !extended.is_empty() && !graph.is_false(wrong_values) {
        // A promise that some high bits break is broken: the later side may be poison there.
        let greatest = choices::greatest(&mut graph, &extended);
        resolved(&mut graph, &greatest, &mut others);
        let also_wrong = self::wrong_values(&mut graph, &others);
        wrong_values = graph.bool_and(&wrong_values, &also_wrong);
    }
    let mut wrong = graph.truth(false);
    let moments = source.effects.iter().zip(&result.effects).map(|(one, other)| (one.ub, other.ub));
    for (source_ub, result_ub) in moments.chain([(source.ub, result.ub)]) {
        if source_ub != result_ub {
            let bad = assuming(&mut graph, &[source_ub], result_ub);
            wrong = graph.bool_or(&wrong, &bad);
        }
    }
    let wrong = graph.bool_or(&wrong, &wrong_values);
    let source_defined = graph.complement(source.ub);
    Query { graph, inputs, outputs, source_defined, wrong, guessed }
}

/// The question whether each output of the second side refines the first's.
pub(super) fn of_outputs(
    mut graph: Symbolic,
    inputs: Inputs,
    source_ub: Term,
    outputs: Vec<StepOutput>,
    guessed: bool,
) -> Query {
    let outputs = by_elements(&mut graph, outputs);
    let source_defined = graph.complement(source_ub);
    let wrong = wrong_values(&mut graph, &outputs);
    Query { graph, inputs, outputs, source_defined, wrong, guessed }
}

/// Where some output of the second side does not refine the first's.
fn wrong_values(graph: &mut Symbolic, outputs: &[StepOutput]) -> Term {
    let mut wrong = graph.truth(false);
    for output in outputs.iter().filter(|output| !output.is_same(graph)).collect::<Vec<_>>() {
        let (before, after) = (&output.source, &output.target);
        let differ = graph.equal(before.bits, after.bits);
        let differ = graph.complement(differ);
        let bad = graph.bool_or(&after.poison, &differ);
        let bad = assuming(graph, &[output.ub, before.poison], bad);
        wrong = graph.bool_or(&wrong, &bad);
    }
    wrong
}

impl Query {
    /// The variables that the `wrong` term depends on.
    pub fn variables(&self) -> FxHashSet<Term> {
        let cone = super::evaluate::cone(&self.graph, self.wrong);
        cone.into_iter().filter(|&term| matches!(self.graph.node(term), Node::Var(_))).collect()
    }

    /// Nothing is wrong where one of these holds.
    pub fn excuse(&mut self, excuses: &[Term]) {
        self.wrong = assuming(&mut self.graph, excuses, self.wrong);
    }
}

/// `bad` and none of `excuses`. The consequences of the excuses being false are substituted into `bad` first, which
/// often folds it to false.
fn assuming(d: &mut Symbolic, excuses: &[Term], bad: Term) -> Term {
    let mut known = FxHashMap::default();
    for &excuse in excuses {
        assume(d, excuse, false, &mut known);
    }
    ranges::know(d, bad, &mut known);
    let mut rest = substituted(d, bad, &known, &mut FxHashMap::default());
    for &excuse in excuses {
        let absent = d.complement(excuse);
        rest = d.bool_and(&absent, &rest);
    }
    rest
}

/// `term` where all of `known` hold: their consequences are substituted.
pub(super) fn simplified(d: &mut Symbolic, known: &[Term], term: Term) -> Term {
    let mut values = FxHashMap::default();
    for &condition in known {
        assume(d, condition, true, &mut values);
    }
    match values.is_empty() {
        true => term,
        false => substituted(d, term, &values, &mut FxHashMap::default()),
    }
}

/// The direct consequences of `term` being `value`.
fn assume(d: &mut Symbolic, term: Term, value: bool, known: &mut FxHashMap<Term, Term>) {
    match (d.node(term), value) {
        (Node::Const(_), _) => {}
        (Node::Not(inner), _) => assume(d, inner, !value, known),
        (Node::Binary(Op::Or, a, b), false) | (Node::Binary(Op::And, a, b), true) => {
            assume(d, a, value, known);
            assume(d, b, value, known);
        }
        (Node::Eq(a, b), true) => {
            for (variable, other) in [(a, b), (b, a)] {
                if extends_itself(d, variable, other) {
                    known.insert(variable, other);
                }
            }
            let value = d.truth(true);
            known.insert(term, value);
        }
        (Node::Ult(limit, number), false) => {
            let value = d.truth(false);
            known.insert(term, value);
            known.extend(higher_limits(d, limit, number).map(|exceeds| (exceeds, value)));
        }
        (Node::Ult(a, b), true) => {
            let value = d.truth(true);
            if let (Node::Var(_), Some(low)) = (d.node(a), low_bits_below(d, b)) {
                let few = zero_extended_low(d, a, low);
                let of_few = d.less(few, b, false);
                known.extend([(a, few), (of_few, value)]);
            }
            known.insert(term, value);
        }
        _ => {
            let value = d.truth(value);
            known.insert(term, value);
        }
    }
}

/// The questions whether a number exceeds a limit that is not below this one.
fn higher_limits(d: &Symbolic, limit: Term, number: Term) -> impl Iterator<Item = Term> + '_ {
    d.terms().filter(move |&term| match d.node(term) {
        Node::Ult(other, same) => same == number && other != limit && never_below(d, other, limit),
        _ => false,
    })
}

/// Whether one limit is never below another: both are constants, or a constant for each sign.
fn never_below(d: &Symbolic, one: Term, other: Term) -> bool {
    match (d.node(one), d.node(other)) {
        (Node::Const(one), Node::Const(other)) => one.cmp_unsigned(other).is_ge(),
        (Node::Ite(sign, a, b), Node::Ite(same, c, e)) => sign == same && never_below(d, a, c) && never_below(d, b, e),
        _ => false,
    }
}

/// The number of low bits that hold every value below a constant, if fewer than all: few bits of a shift's amount
/// count.
fn low_bits_below(d: &Symbolic, bound: Term) -> Option<u32> {
    let Node::Const(bound) = d.node(bound) else { return None };
    let most = bound.sub(Bits::new(1, bound.width()));
    (!bound.is_zero() && most.used() < bound.width()).then(|| most.used())
}

/// The term, if its bits from `low` on are zeros.
fn zero_extended_low(d: &mut Symbolic, term: Term, low: u32) -> Term {
    let width = d.width_of(term);
    if low == 0 {
        return d.value(Bits::zero(width));
    }
    let kept = d.extract_bits(term, 0, low);
    d.zero_extend(kept, width)
}

/// Whether `other` is the low bits of the variable, extended: the promise of `G_ASSERT_SEXT` and the like about the
/// variable.
fn extends_itself(d: &Symbolic, variable: Term, other: Term) -> bool {
    let (Node::Sext(low) | Node::Zext(low)) = d.node(other) else { return false };
    matches!(d.node(variable), Node::Var(_)) && d.node(low) == Node::Extract(variable, 0)
}

/// Registers that both sides define. The registers of the last instruction replaced must still be defined.
fn outputs(
    graph: &mut Symbolic,
    step: &Step<'_>,
    source: &Side,
    result: &Side,
) -> Result<Vec<StepOutput>, Unsupported> {
    let root: FxHashSet<VReg> = step.before.last().map(|data| data.vreg_defs().collect()).unwrap_or_default();
    let (mut outputs, ub) = (Vec::new(), source.ub);
    for register in step.before.iter().flat_map(|data| data.vreg_defs()) {
        let Some(source) = source.defined.get(&register).cloned() else { continue };
        let is_result = root.contains(&register);
        let target = match result.defined.get(&register) {
            Some(after) => after.clone(),
            // A result that the step loses may be anything.
            None if is_result => Scalar::new(source.bits, graph.truth(true)),
            None => continue,
        };
        let output = StepOutput { name: ValueName::Register(register), source, target, ub };
        let own = each_element(graph, output);
        let is_same = own.iter().all(|output| output.is_same(graph));
        if step.before.len() == 1 || is_result || !is_same {
            outputs.extend(own);
        }
    }
    Ok(outputs)
}

/// Contents of machine registers that either side writes and that are `kept`: the same after both.
pub(super) fn registers(
    d: &mut Symbolic,
    inputs: &mut Inputs,
    target: &Target,
    (source, result): (&Side, &Side),
    kept: impl Fn(&PReg) -> bool,
    outputs: &mut Vec<StepOutput>,
) {
    if source.physical.is_empty() && result.physical.is_empty() {
        return;
    }
    let mut written: Vec<PReg> = source.physical.keys().chain(result.physical.keys()).copied().filter(kept).collect();
    written.sort_unstable();
    written.dedup();
    for register in written {
        let initial = inputs.physical(d, target, register);
        let unwritten = Scalar::new(initial, d.truth(false));
        let [before, after] = [source, result].map(|side| side.physical.get(&register).unwrap_or(&unwritten).clone());
        let name = ValueName::Other("machine register");
        outputs.push(StepOutput { name, source: before, target: after, ub: source.ub });
    }
}

/// Whether somebody after a step may read a machine register that it writes. A call changes those that the caller
/// saves; what no class holds (flags) lives within a step alone, but for the environment of floating point.
fn is_kept(target: &Target, step: &Step<'_>, register: PReg) -> bool {
    let is_call = |data: &InstData| step.function.opcode_flags(data, target.vocabulary).contains(OpcodeFlags::CALL);
    let changes = |data: &InstData| is_call(data) && environment::clobbered(target, data).contains(&register);
    let changed = step.after.iter().any(changes);
    let is_allocated = target.classes.iter().any(|class| class.members.contains(&register));
    !changed && (is_allocated || target.abi.is_of_environment(register))
}

/// The jump tables of branches that a step replaces.
fn tables(step: &Step<'_>) -> Vec<JumpTable> {
    let branches = step.before.iter().filter(|data| data.opcode == Opcode::G_BRJT);
    let bases = branches.flat_map(|data| &data.operands).filter_map(|operand| step.function.address_of(operand));
    let table = |base| if let AddressBase::JumpTable(table) = base { Some(table) } else { None };
    bases.filter_map(|address| table(address.base)).collect()
}

/// The same labels of branches, in the same order and on the same conditions, and the same way on where none is taken.
fn destinations(d: &mut Symbolic, source: &Side, result: &Side, outputs: &mut Vec<StepOutput>) {
    let labels = |side: &Side| -> Vec<Block> { side.branches.iter().map(|&(_, label)| label).collect() };
    let is_same_way = match (source.exit, result.exit) {
        (Exit::Indirect(_), Exit::Indirect(_)) => true,
        (before, after) => before == after,
    };
    if labels(source) != labels(result) || !is_same_way {
        outputs.push(differing(d, "destination", source.ub));
        return;
    }
    // A later branch matters where none before it is taken.
    let mut ub = source.ub;
    for (&(before, _), &(after, _)) in source.branches.iter().zip(&result.branches) {
        outputs.push(condition(d, "branch", before, after, ub));
        ub = d.bool_or(&ub, &before);
    }
    if let (Exit::Indirect(before), Exit::Indirect(after)) = (source.exit, result.exit) {
        outputs.push(condition(d, "destination", before, after, ub));
    }
}

/// A truth value of both sides that is never poison.
pub(super) fn condition(d: &mut Symbolic, name: &'static str, source: Term, target: Term, ub: Term) -> StepOutput {
    let poison = d.truth(false);
    let value = |bits| Scalar::new(bits, poison);
    StepOutput { name: ValueName::Other(name), source: value(source), target: value(target), ub }
}

/// An output in which the sides differ wherever the source is defined.
pub(super) fn differing(d: &mut Symbolic, name: &'static str, ub: Term) -> StepOutput {
    let [no, yes] = [false, true].map(|truth| d.truth(truth));
    condition(d, name, no, yes, ub)
}

/// The limb width of products: that of the products that the step writes.
fn limb(step: &Step<'_>) -> Limb {
    let is_product = |data: &&InstData| matches!(data.opcode, Opcode::G_MUL | Opcode::G_UMULH);
    let products = step.after.iter().filter(is_product).filter_map(|data| step.function.type_of(data.vreg(0)?));
    match products.map(|ty| ty.bits()).max() {
        Some(..=32) => Limb::Bits32,
        Some(33..=64) | None => Limb::Bits64,
        Some(65..=128) => Limb::Bits128,
        Some(129..) => Limb::Bits256,
    }
}

/// An output for memory: every byte of it is the same.
fn memory(
    d: &mut Symbolic,
    address_bits: u32,
    source: &Side,
    result: &Side,
    machine: bool,
    outputs: &mut Vec<StepOutput>,
) {
    if source.memory.stored || result.memory.stored {
        let (one, other) = (&source.memory, &result.memory);
        let memories = ((one.bytes, one.poison), (other.bytes, other.poison));
        let mut same = same_memory(d, address_bits, memories, source.ub);
        if machine && let Some(output) = &mut same {
            // Machine code stores bits.
            output.target.poison = d.truth(false);
        }
        outputs.extend(same);
    }
}

/// Any byte of both memories, contents and poison; `None` if the memories are structurally equal.
fn same_memory(
    d: &mut Symbolic,
    address_bits: u32,
    memories: ((MemTerm, MemTerm), (MemTerm, MemTerm)),
    ub: Term,
) -> Option<StepOutput> {
    let (one, other) = memories;
    if one == other {
        return None;
    }
    let place = d.variable(address_bits);
    let mut byte = |(bytes, poison)| Scalar::new(d.select(bytes, place), d.select(poison, place));
    Some(StepOutput { name: ValueName::Other("memory"), source: byte(one), target: byte(other), ub })
}

/// The operands of both sides at their operations with effects, and those of pure ones that were assumed equal.
fn effects(d: &mut Symbolic, address_bits: u32, source: &Side, result: &Side, outputs: &mut Vec<StepOutput>) {
    let argument = |source: &Scalar, target: &Scalar, ub| StepOutput {
        name: ValueName::Other("argument"),
        source: source.clone(),
        target: target.clone(),
        ub,
    };
    for (before, after) in source.effects.iter().zip(&result.effects) {
        outputs.extend(before.args.iter().zip(&after.args).map(|(one, other)| argument(one, other, before.ub)));
        if let (Some(one), Some(other)) = (before.memory, after.memory) {
            outputs.extend(same_memory(d, address_bits, (one, other), before.ub));
        }
    }
    for Assumption { earlier, later, ub } in &result.assumptions {
        outputs.extend(earlier.iter().zip(later).map(|(one, other)| argument(one, other, *ub)));
    }
}

/// The term with variables replaced, rebuilt and so normalised again.
pub(super) fn substituted(
    d: &mut Symbolic,
    term: Term,
    with: &FxHashMap<Term, Term>,
    memo: &mut FxHashMap<Term, Term>,
) -> Term {
    if let Some(&known) = with.get(&term).or_else(|| memo.get(&term)) {
        return known;
    }
    let width = d.width_of(term);
    let new = match d.node(term) {
        Node::Const(_) | Node::Var(_) => term,
        Node::Select(memory, address) => {
            let address = substituted(d, address, with, memo);
            d.select(memory, address)
        }
        Node::Binary(op, a, b) => {
            let (a, b) = (substituted(d, a, with, memo), substituted(d, b, with, memo));
            d.binary(op, a, b)
        }
        Node::Not(a) => {
            let a = substituted(d, a, with, memo);
            d.complement(a)
        }
        Node::Concat(high, low) => {
            let (high, low) = (substituted(d, high, with, memo), substituted(d, low, with, memo));
            d.concatenate(high, low)
        }
        Node::Extract(a, offset) => {
            let a = substituted(d, a, with, memo);
            d.extract_bits(a, offset, width)
        }
        Node::Zext(a) => {
            let a = substituted(d, a, with, memo);
            d.zero_extend(a, width)
        }
        Node::Sext(a) => {
            let a = substituted(d, a, with, memo);
            d.sign_extend(a, width)
        }
        Node::Eq(a, b) => {
            let (a, b) = (substituted(d, a, with, memo), substituted(d, b, with, memo));
            d.equal(a, b)
        }
        Node::Ult(a, b) | Node::Slt(a, b) => {
            let signed = matches!(d.node(term), Node::Slt(..));
            let (a, b) = (substituted(d, a, with, memo), substituted(d, b, with, memo));
            d.less(a, b, signed)
        }
        Node::Ite(c, a, b) => {
            let c = substituted(d, c, with, memo);
            let (a, b) = (substituted(d, a, with, memo), substituted(d, b, with, memo));
            d.if_then_else(c, a, b)
        }
        Node::Rounded(application) => {
            let (operation, operands) = d.application(application);
            let operands: SmallVec<[Term; 4]> = operands.into();
            let operands: SmallVec<[Term; 4]> =
                operands.into_iter().map(|operand| substituted(d, operand, with, memo)).collect();
            d.round(operation, &operands)
        }
    };
    let new = with.get(&new).copied().unwrap_or(new);
    memo.insert(term, new);
    new
}

/// Corner values of a width.
pub(super) fn corners(width: u32) -> [Bits; 7] {
    let one = Bits::new(1, width);
    let most = Bits::ones(width);
    let least = Bits::signed_min(width);
    [Bits::zero(width), one, most, least, least.sub(one), most.sub(one), Bits::new(u128::from(width), width)]
}
