//! The generator's programs: every shape that it knows, and nothing that the verifier rejects or the backend refuses.

use std::collections::{BTreeMap, BTreeSet};
use tribunal_codegen::{NoObserver, Options};
use tribunal_fuzz::campaign;
use tribunal_ir::{Family, Function, Inst, InstData, MemFlags, Opcode, Operand, ThreadLocalModel, VReg};
use tribunal_target::abi::CallKind;
use tribunal_target::environment::is_thread_pointer;
use tribunal_target::{ALL, Target};
use tribunal_trial::Harness;
use tribunal_trial::harness::verify;
use tribunal_trial::inputs::Plan;
use tribunal_trial::together::with_callees;

/// Programs looked at, for each target.
const PROGRAMS: u64 = 12_000;

fn phis(function: &Function) -> Vec<Inst> {
    function.all_insts().filter(|&inst| function.inst(inst).opcode.is_phi()).collect()
}

/// The PHI that defines `register`, if one does.
fn phi_of(function: &Function, register: VReg) -> Option<Inst> {
    function.def_of(register).filter(|&inst| function.inst(inst).opcode.is_phi())
}

/// True if a graph of this control flow cannot be folded to one block: its cycles have several entries.
fn is_irreducible(function: &Function) -> bool {
    let mut into: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for &block in function.layout() {
        into.entry(block.as_u32() as usize).or_default();
        for to in function.successors(block) {
            into.entry(to.as_u32() as usize).or_default().insert(block.as_u32() as usize);
        }
    }
    loop {
        for (block, from) in &mut into {
            from.remove(block);
        }
        // A block with one predecessor is folded into it.
        let Some((block, to)) = into.iter().find_map(|(&block, from)| {
            let only = (from.len() == 1).then(|| from.iter().next().copied())??;
            Some((block, only))
        }) else {
            return into.len() > 1;
        };
        into.remove(&block);
        for from in into.values_mut() {
            if from.remove(&block) {
                from.insert(to);
            }
        }
    }
}

/// The greatest number of values that are alive at once within one block.
fn pressure(function: &Function) -> usize {
    let mut most = 0;
    for &block in function.layout() {
        let insts: Vec<Inst> = function.insts(block).collect();
        let mut alive = BTreeSet::new();
        for &inst in insts.iter().rev() {
            let data = function.inst(inst);
            data.vreg_defs().for_each(|register| {
                alive.remove(&register);
            });
            if data.opcode != Opcode::G_CONSTANT && !data.opcode.is_phi() {
                alive.extend(data.vreg_uses().filter(|&used| {
                    let definition = function.def_of(used).map(|inst| function.inst(inst).opcode);
                    definition != Some(Opcode::G_CONSTANT)
                }));
            }
            most = most.max(alive.len());
        }
    }
    most
}

/// The base and the constant offset of an address.
fn place(function: &Function, address: VReg) -> (VReg, i64) {
    let constant = |register: VReg| {
        let data = function.inst(function.def_of(register)?);
        let value = (data.opcode == Opcode::G_CONSTANT).then(|| function.constant_value(&data.operands[1]))??;
        value.to_i64()
    };
    match function.def_of(address).map(|inst| function.inst(inst)) {
        Some(data) if data.opcode == Opcode::G_PTR_ADD => match (data.vreg(1), data.vreg(2).and_then(constant)) {
            (Some(base), Some(offset)) => (base, offset),
            _ => (address, 0),
        },
        _ => (address, 0),
    }
}

/// Two accesses of different sizes with bytes in common, at least one of them a store.
fn overlaps(function: &Function) -> bool {
    let accesses: Vec<(&InstData, VReg, i64, i64)> = function
        .all_insts()
        .map(|inst| function.inst(inst))
        .filter(|data| data.memory.len() == 1)
        .filter_map(|data| {
            let (base, offset) = place(function, data.vreg(1)?);
            Some((data, base, offset, i64::from(data.memory[0].ty?.bytes())))
        })
        .collect();
    accesses.iter().enumerate().any(|(index, (data, base, start, bytes))| {
        accesses[..index].iter().any(|(other, other_base, other_start, other_bytes)| {
            base == other_base
                && bytes != other_bytes
                && start < &(other_start + other_bytes)
                && other_start < &(start + bytes)
                && [data.opcode, other.opcode].contains(&Opcode::G_STORE)
        })
    })
}

/// The shapes that a program shows.
fn shapes(function: &Function, target: &Target) -> Vec<&'static str> {
    let all: Vec<&InstData> = function.all_insts().map(|inst| function.inst(inst)).collect();
    let volatile = |data: &&&InstData| data.memory.iter().any(|memory| memory.flags.contains(MemFlags::VOLATILE));
    let inputs = |phi: &Inst| -> Vec<Inst> {
        function.inst(*phi).phi_inputs().filter_map(|(value, _)| phi_of(function, value)).collect()
    };
    let block = |inst: &Inst| function.block_of(*inst);
    let phis = phis(function);
    let swaps = |phi: &Inst| inputs(phi).iter().any(|input| input != phi && block(input) == block(phi));
    let chains = |phi: &Inst| {
        let above = |phi: &Inst| inputs(phi).into_iter().filter(|input| block(input) != block(phi)).collect::<Vec<_>>();
        above(phi).iter().any(|first| above(first).iter().any(|second| block(second) != block(phi)))
    };
    let has_model = |model: ThreadLocalModel| {
        let models = function.addresses.values().filter_map(|address| function.symbol_facts(address.base).thread_local);
        models.into_iter().any(|own| own == model)
    };
    let constant = |wanted: &dyn Fn(i64) -> bool| {
        let is_wanted = |operand: &Operand| {
            function.constant_value(operand).and_then(tribunal_ir::Bits::to_i64).is_some_and(wanted)
        };
        all.iter().any(|data| data.opcode == Opcode::G_CONSTANT && data.operands.iter().any(is_wanted))
    };
    let far = |data: &&InstData| {
        let (_, offset) = data.vreg(0).map_or((VReg::from_u32(0), 0), |register| place(function, register));
        data.opcode == Opcode::G_PTR_ADD && !(0..=256).contains(&offset)
    };
    let has = |opcode| all.iter().any(|data| data.opcode == opcode);
    let unread = |data: &&InstData| data.vreg_defs().any(|register| function.use_count(register) == 0);
    let shown = [
        ("volatile load", all.iter().filter(volatile).any(|data| data.opcode != Opcode::G_STORE)),
        ("unread volatile load", all.iter().filter(volatile).any(unread)),
        ("volatile store", all.iter().filter(volatile).any(|data| data.opcode == Opcode::G_STORE)),
        ("irreducible", is_irreducible(function)),
        ("join of four ways", phis.iter().any(|&phi| function.inst(phi).phi_inputs().count() >= 4)),
        ("PHIs that change places", phis.iter().any(swaps)),
        ("PHI of PHI of PHI", phis.iter().any(chains)),
        ("twelve values alive", pressure(function) >= 12),
        ("far offset", all.iter().any(far)),
        ("12 bits", constant(&|value| [-2049, -2048, 2047, 2048].contains(&value))),
        ("20 bits above 12", constant(&|value| [0x7fff_f7ff, 0x7fff_f800].contains(&value))),
        ("12 bits shifted", constant(&|value| [0xff_f000, 0xff_f001, 0x100_0000].contains(&value))),
        ("repeated run", constant(&|value| value as u64 != 0 && (value as u64).is_multiple_of(0x0101_0101))),
        ("overlap", overlaps(function)),
        ("object of variable size", has(Opcode::G_DYN_STACKALLOC) && has(Opcode::G_STACKRESTORE)),
        ("frame at a limit", function.stack.values().any(|object| object.size >= 256)),
        ("over-aligned object", function.stack.values().any(|object| object.align > target.abi.stack_align)),
        ("block at a branch's reach", all.iter().filter(|data| data.opcode == Opcode::G_FENCE).count() > 500),
        ("hint", has(Opcode::G_PREFETCH)),
        ("constant of the pool", has(Opcode::G_CONSTANT_POOL)),
        ("way that ends in a trap", has(Opcode::G_TRAP) || has(Opcode::G_UBSANTRAP)),
        ("variable arguments", has(Opcode::G_VASTART)),
        ("module", function.ir.is_some() && has(Opcode::G_GLOBAL_VALUE)),
        ("variable of a thread, near", has_model(ThreadLocalModel::LocalExec)),
        ("variable of a thread, anywhere", has_model(ThreadLocalModel::InitialExec)),
        ("thread pointer", all.iter().any(|data| is_thread_pointer(function, data))),
    ];
    shown.into_iter().filter(|(_, is_shown)| *is_shown).map(|(name, _)| name).collect()
}

/// Every shape comes up, on every target, and not so often that programs are no longer small.
#[test]
fn every_shape_is_generated_and_accepted() {
    let mut long = 0;
    for &target in ALL {
        let options = Options::new(target.default_features);
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        for number in 0..PROGRAMS {
            let function = campaign::generated(campaign::program_seed(7, number), target).unwrap();
            let faults = verify(&function, target, (target.legality)(options.features));
            assert!(faults.is_empty(), "{} program {number} is rejected: {faults:?}", target.name);
            shapes(&function, target).into_iter().for_each(|shape| *counts.entry(shape).or_default() += 1);
        }
        println!("{}: {counts:?}", target.name);
        // A block as long as a branch reaches takes long to judge: few programs have one, and those of targets whose
        // branches reach far have none.
        long += counts.remove("block at a branch's reach").unwrap_or(0);
        assert_eq!(counts.len(), 25, "{}: {counts:?}", target.name);
        assert!(counts.values().all(|&count| count >= 4), "{}: {counts:?}", target.name);
    }
    assert!(long > 0);
}

/// With all options every operation in one step that a rule of selection takes comes up, in every size.
#[test]
fn every_operation_in_one_step_is_generated() {
    for &target in ALL {
        let features = target.default_features | target.all_options();
        let size = |data: &InstData| data.memory.first().and_then(|memory| memory.ty).map(|ty| ty.bits());
        let mut drawn = BTreeSet::new();
        for number in 0..12 * PROGRAMS {
            let function = campaign::generated_for(campaign::program_seed(7, number), target, features).unwrap();
            let data = function.all_insts().map(|inst| function.inst(inst));
            drawn.extend(data.map(|data| (data.opcode, size(data))));
        }
        let enabled = target.selection.iter().filter(|rule| features.contains(rule.requires));
        let patterns = enabled.map(|rule| &rule.pattern);
        let mut patterns = patterns.filter(|pattern| pattern.opcode.family() == Some(Family::Atomic));
        let missing = patterns
            .find(|pattern| pattern.memory_bits.is_some() && !drawn.contains(&(pattern.opcode, pattern.memory_bits)));
        let missing = missing.map(|pattern| (pattern.opcode, pattern.memory_bits));
        assert_eq!(missing, None, "{}", target.name);
    }
}

/// Every opcode that every target compiles comes up: a row is enough for the generator, or names the draw that is
/// missing.
#[test]
fn every_known_opcode_is_generated() {
    for &target in ALL {
        let known = Opcode::ALL.iter().copied().filter(|&opcode| tribunal_fuzz::opcodes::is_known(opcode));
        let mut missing: BTreeSet<Opcode> = known.collect();
        // Rare ones, such as a reduction of a vector, come once in some thousand programs.
        for number in 0..30 * PROGRAMS {
            let function = campaign::generated(campaign::program_seed(7, number), target).unwrap();
            function.all_insts().for_each(|inst| {
                missing.remove(&function.inst(inst).opcode);
            });
            if missing.is_empty() {
                break;
            }
        }
        assert!(missing.is_empty(), "{}: {missing:?}", target.name);
    }
}

/// The properties of a program of several functions, by their names.
fn calls_in(module: &[Function], target: &Target) -> Vec<&'static str> {
    let all: Vec<&InstData> =
        module.iter().flat_map(|function| function.all_insts().map(|inst| function.inst(inst))).collect();
    let kind = |kind| all.iter().any(|data| target.call_kind(data) == Some(kind));
    let shown = [
        ("two functions", module.len() == 2),
        ("four functions", module.len() == 4),
        ("a call", kind(CallKind::Returning)),
        ("a call in place of a return", kind(CallKind::Tail)),
        ("an argument on the stack", module[1..].iter().any(|function| !function.fixed_stack.is_empty())),
        ("variables of a thread in two functions", module.iter().filter(|function| has_threads(function)).count() > 1),
        ("a callee that calls", module[1..].iter().any(|function| with_callees(function, &refs(module)).is_some())),
    ];
    shown.into_iter().filter(|(_, is_shown)| *is_shown).map(|(name, _)| name).collect()
}

/// True if it takes the address of a thread-local variable.
fn has_threads(function: &Function) -> bool {
    function.addresses.values().any(|address| function.symbol_facts(address.base).thread_local.is_some())
}

fn refs(module: &[Function]) -> Vec<&Function> {
    module.iter().collect()
}

/// Programs of several functions come up, call each other in every way, and pass together.
#[test]
fn modules_are_generated_accepted_and_run_together() {
    for &target in ALL {
        let options = Options::new(target.default_features);
        let mut harness = Harness::new(target, options).unwrap();
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        let seeds =
            (0..PROGRAMS).map(|number| campaign::program_seed(7, number)).filter(|&seed| campaign::is_module(seed));
        for seed in seeds {
            let module = campaign::generated_module(seed, target, target.default_features).unwrap();
            let legalizer = (target.legality)(options.features);
            let faults: Vec<_> = module.iter().flat_map(|function| verify(function, target, legalizer)).collect();
            assert!(faults.is_empty(), "{} program {seed} is rejected: {faults:?}", target.name);
            calls_in(&module, target).into_iter().for_each(|shape| *counts.entry(shape).or_default() += 1);
            let tally = harness.trial_together(&refs(&module), Plan { count: 4, seed }, &mut NoObserver);
            assert!(
                tally.findings.is_empty() && tally.unsupported.is_empty(),
                "{} program {seed}: {tally:?}",
                target.name
            );
            *counts.entry("executions").or_default() += tally.executions;
        }
        println!("{}: {counts:?}", target.name);
        assert_eq!(counts.len(), 8, "{}: {counts:?}", target.name);
        assert!(counts["executions"] > counts["a call"], "{}: {counts:?}", target.name);
    }
}

/// The test for irreducible graphs tells a cycle with two entries from a loop.
#[test]
fn cycles_with_two_entries_are_told_from_loops() {
    let graph = |edges: &[(usize, usize)]| {
        let mut function = Function::new("f");
        let blocks: Vec<_> = (0..4).map(|_| function.new_block()).collect();
        for (from, &block) in blocks.iter().enumerate() {
            let to = edges.iter().filter(|(start, _)| *start == from).map(|&(_, end)| (blocks[end], None));
            function.block_mut(block).successors = to.collect();
        }
        function
    };
    assert!(is_irreducible(&graph(&[(0, 1), (0, 2), (1, 2), (2, 1), (1, 3), (2, 3)])));
    assert!(!is_irreducible(&graph(&[(0, 1), (1, 2), (2, 1), (2, 2), (2, 3), (1, 3)])));
}
