//! Reductions beyond single edits: several edits that succeed only together, and edits that add weight before they
//! allow a removal.

use super::passes::{constant, forwards, removals};
use super::search::Search;
use crate::edit::{self, Edit, Scope};
use tribunal_ir::bits::MAX_BITS;
use tribunal_ir::{Function, Inst, Opcode, VReg};
use tribunal_target::Target;

/// Lists of edits that are made at once.
type Together = fn(&Function, &Target) -> Vec<Vec<Edit>>;

/// The lists tried on a small function, and those tried on one that stays large.
const OF_FEW: &[Together] = &[branches, stored, retyped, returned, alone];
const OF_MANY: &[Together] = &[alone, alone_and_wide];

/// Several edits at once, of which none is interesting or makes the case smaller alone.
pub(super) fn together(search: &mut Search<'_>) {
    for index in 0..search.case.functions.len() {
        let lists = if search.is_small(index) { OF_FEW } else { OF_MANY };
        for list in lists {
            let ways = list(&search.case.functions[index], search.target);
            if search.edit_in_any_way(index, &ways) {
                return;
            }
        }
    }
}

/// A conditional branch past the next block instead of to it.
fn branches(function: &Function, _: &Target) -> Vec<Vec<Edit>> {
    let past = |&block| vec![Edit::Exchange(block), Edit::FallThrough(block)];
    function.layout().iter().map(past).collect()
}

/// Stores of other values, of any size.
fn stored(function: &Function, _: &Target) -> Vec<Vec<Edit>> {
    let scope = Scope::new(function);
    let stores = function.all_insts().filter(|&inst| function.inst(inst).opcode == Opcode::G_STORE);
    let values = |inst| scope.above(function, inst).into_iter().map(move |value| vec![Edit::Stored { inst, value }]);
    stores.flat_map(values).collect()
}

fn bits(function: &Function, register: VReg) -> Option<u32> {
    function.type_of(register).filter(|ty| ty.is_scalar()).map(|ty| ty.bits())
}

/// A value as another one above it, which gets its width or the other way round.
fn retyped(function: &Function, _: &Target) -> Vec<Vec<Edit>> {
    let scope = Scope::new(function);
    let mut ways = Vec::new();
    for inst in function.all_insts().collect::<Vec<_>>().into_iter().rev() {
        let above = scope.above(function, inst);
        for register in function.inst(inst).vreg_defs().filter(|&register| function.use_count(register) > 0) {
            for &to in &above {
                let (Some(own), Some(other)) = (bits(function, register), bits(function, to)) else { continue };
                if own != other {
                    let forward = Edit::Forward { register, to };
                    ways.push(vec![Edit::Width { register, bits: other }, forward.clone()]);
                    ways.push(vec![Edit::Width { register: to, bits: own }, forward]);
                }
            }
        }
    }
    ways
}

/// Every scalar as what the function returns, at the width of a register.
fn returned(function: &Function, target: &Target) -> Vec<Vec<Edit>> {
    let bits = target.register_type().bits();
    let registers = function.all_insts().flat_map(|inst| function.inst(inst).vreg_defs());
    registers.map(|register| vec![Edit::Width { register, bits }, Edit::Return(register)]).collect()
}

/// One operation on constants and nothing else, returned: as it is, or as one of its family.
fn alone(function: &Function, _: &Target) -> Vec<Vec<Edit>> {
    operations_alone(function, None)
}

/// The same at large widths, where one operation fills as many registers as many did. It takes judges longest, so it
/// comes last.
fn alone_and_wide(function: &Function, _: &Target) -> Vec<Vec<Edit>> {
    [MAX_BITS / 2, MAX_BITS / 4 * 3, MAX_BITS]
        .into_iter()
        .flat_map(|bits| operations_alone(function, Some(bits)))
        .collect()
}

/// One operation of each opcode and width.
fn operations_alone(function: &Function, width: Option<u32>) -> Vec<Vec<Edit>> {
    let (mut seen, mut ways) = (Vec::new(), Vec::new());
    for inst in function.all_insts() {
        let data = function.inst(inst);
        let Some(register) = data.vreg(0).filter(|_| !edit::siblings(data.opcode).is_empty()) else { continue };
        let shape = (data.opcode, bits(function, register));
        if seen.contains(&shape) {
            continue;
        }
        seen.push(shape);
        let family = edit::alike(function, inst).into_iter().filter(|&opcode| opcode != data.opcode);
        for opcode in std::iter::once(None).chain(family.map(|opcode| Some(Edit::Opcode { inst, opcode }))) {
            // Other readers of the result must not fix its width.
            let operands = data.vreg_uses().chain([register]).map(|register| constant(function, register, 0));
            let width = width.map(|bits| Edit::Width { register, bits });
            ways.push(opcode.into_iter().chain(operands).chain(width).chain([Edit::Return(register)]).collect());
        }
    }
    ways
}

/// Where no removal succeeds: another opcode, perhaps at the width of a register, and then the removals that it allows.
pub(super) fn detours(search: &mut Search<'_>) {
    for index in 0..search.case.functions.len() {
        if !search.is_small(index) {
            continue;
        }
        let ways = ways(&search.case.functions[index], search.target);
        for edits in ways {
            let gained = search.detour(index, &edits, |search| {
                let removals = removals(&search.case.functions[index], search.target);
                search.sweep(index, removals);
                let forwards = forwards(&search.case.functions[index]);
                search.pick(index, forwards);
            });
            if gained {
                return;
            }
        }
    }
}

fn ways(function: &Function, target: &Target) -> Vec<Vec<Edit>> {
    let insts: Vec<Inst> = function.all_insts().collect();
    let mut ways = Vec::new();
    for inst in insts {
        let data = function.inst(inst);
        let bits = target.register_type().bits();
        let width = data.vreg(0).map(|register| Edit::Width { register, bits });
        for opcode in edit::alike(function, inst) {
            let other = Edit::Opcode { inst, opcode };
            ways.push(vec![other.clone()]);
            ways.extend(width.clone().map(|width| vec![other, width]));
        }
        // An amount of another type keeps a shift from becoming anything else.
        let own = data.vreg(0).and_then(|register| function.type_of(register)).map(|ty| ty.bits());
        if let (Some(bits), Some(register), true) =
            (own, data.vreg(2), edit::siblings(data.opcode).contains(&Opcode::G_SHL))
        {
            for &opcode in edit::siblings(Opcode::G_ADD) {
                let alike = [Edit::Width { register, bits }, Edit::Opcode { inst, opcode }];
                ways.push(alike.into_iter().chain(width.clone()).collect());
            }
        }
    }
    ways
}
