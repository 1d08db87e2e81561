//! The passes of the reducer, repeated in order until no candidate is interesting.

use super::search::Search;
use super::{Case, detours, input};
use crate::edit::{self, Edit, Leftover, Scope};
use tribunal_ir::{Bits, FrameInfo, Function, Inst, InstFlags, Opcode, Operand, VReg};
use tribunal_target::Target;

/// The number of values in scope tried in place of another: this many of the nearest, and of the farthest.
const STAND_INS: usize = 6;

pub(super) fn run(search: &mut Search<'_>) {
    loop {
        let before = search.weight();
        functions(search);
        for index in 0..search.case.functions.len() {
            function(search, index);
        }
        without_ir(search);
        // The last ones cost most; and a buffer cut to its current use would block other accesses.
        for last in [detours::together, detours::detours, input::run] {
            if search.weight() == before {
                last(search);
            }
        }
        if search.weight() == before || search.is_over() {
            return;
        }
    }
}

/// Removes functions.
fn functions(search: &mut Search<'_>) {
    let names: Vec<String> = search.case.functions.iter().map(|function| function.name.clone()).collect();
    if names.len() > 1 {
        search.shrink(names, |search, gone| {
            let kept = search.case.functions.iter().filter(|function| !gone.contains(&function.name));
            let functions: Vec<Function> = kept.cloned().collect();
            if functions.is_empty() { Vec::new() } else { vec![Case { functions, ..search.case.clone() }] }
        });
    }
}

/// Removes the IR, once nothing names it.
fn without_ir(search: &mut Search<'_>) {
    if search.case.ir.is_none() {
        return;
    }
    let mut functions = search.case.functions.clone();
    for function in &mut functions {
        let plain: Vec<Edit> = function.all_insts().map(Edit::PlainMemory).collect();
        edit::apply_all(function, search.target, &plain, Leftover::Keep);
        for block in function.layout().to_vec() {
            let data = function.block_mut(block);
            (data.name, data.attributes) = (None, None);
        }
    }
    search.other(Case { ir: None, functions, ..search.case.clone() });
}

/// One round over one function.
fn function(search: &mut Search<'_>, index: usize) {
    /// Lists of edits that can be made together.
    type Together = fn(&Function, &Target) -> Vec<Edit>;
    /// Lists of alternatives for each place.
    type Instead = fn(&Function) -> Vec<Vec<Edit>>;
    const TOGETHER: &[Together] = &[edges, calls, removals, results, removals, joins, falls, plain];
    const INSTEAD: &[Instead] = &[forwards, operands, values, opcodes, widths, constants];
    for list in TOGETHER {
        let edits = list(&search.case.functions[index], search.target);
        search.sweep(index, edits);
    }
    for list in INSTEAD {
        let sites = list(&search.case.functions[index]);
        search.pick(index, sites);
    }
    if search.is_small(index) {
        let returns = returns(&search.case.functions[index]);
        search.pick(index, vec![returns]);
    }
    keys(search, index);
    // Compaction drops unused stack objects.
    if let Some(compact) = edit::compact(&search.case.functions[index], search.target) {
        let mut functions = search.case.functions.clone();
        functions[index] = compact;
        search.functions(functions);
    }
}

/// Keys of the function's document that the language does not interpret.
fn keys(search: &mut Search<'_>, index: usize) {
    let names = search.case.functions[index].extra.iter().map(|(key, _)| key.clone()).collect();
    let mut unaligned = search.case.functions.clone();
    unaligned[index].alignment = None;
    search.functions(unaligned);
    let mut unframed = search.case.functions.clone();
    unframed[index].frame_info = FrameInfo::default();
    search.functions(unframed);
    search.shrink(names, |search, gone: &[String]| {
        let mut case = search.case.clone();
        case.functions[index].extra.retain(|(key, _)| !gone.contains(key));
        vec![case]
    });
}

fn edges(function: &Function, _: &Target) -> Vec<Edit> {
    let branching = function.layout().iter().rev().filter(|&&block| function.successors(block).count() > 1);
    branching.flat_map(|&block| function.successors(block).map(move |to| Edit::Goto { block, to })).collect()
}

fn calls(function: &Function, target: &Target) -> Vec<Edit> {
    let frames = function.all_insts().filter(|&inst| target.opens_call_frame(function.inst(inst)));
    frames.map(Edit::RemoveCall).collect()
}

/// Last first: an instruction that is removed reads nothing any more.
pub(super) fn removals(function: &Function, _: &Target) -> Vec<Edit> {
    let mut edits: Vec<Edit> = function.all_insts().map(Edit::Remove).collect();
    edits.reverse();
    edits
}

fn results(function: &Function, target: &Target) -> Vec<Edit> {
    tribunal_trial::inputs::results(function, target).into_iter().map(Edit::DropResult).collect()
}

fn joins(function: &Function, _: &Target) -> Vec<Edit> {
    function.layout().iter().rev().copied().map(Edit::Join).collect()
}

fn falls(function: &Function, _: &Target) -> Vec<Edit> {
    function.layout().iter().copied().map(Edit::FallThrough).collect()
}

fn plain(function: &Function, _: &Target) -> Vec<Edit> {
    let with_flags = function.all_insts().filter(|&inst| !function.inst(inst).flags.is_empty());
    let flags = with_flags.map(|inst| Edit::Flags { inst, flags: InstFlags::empty() });
    let accesses = function.all_insts().filter(|&inst| !function.inst(inst).memory.is_empty());
    flags.chain(accesses.map(Edit::PlainMemory)).collect()
}

/// The nearest and farthest of `above` that may be read in the place of `register`.
fn stand_ins(function: &Function, above: &[VReg], register: VReg) -> Vec<VReg> {
    let fits = |&other: &VReg| other != register && edit::is_same_kind(function, other, register);
    let fits: Vec<VReg> = above.iter().copied().filter(fits).collect();
    let near = fits.len().min(STAND_INS);
    let far = fits.len().saturating_sub(STAND_INS).max(near);
    fits[..near].iter().chain(fits[far..].iter().rev()).copied().collect()
}

/// Every result, last first, as another value defined above it.
pub(super) fn forwards(function: &Function) -> Vec<Vec<Edit>> {
    let scope = Scope::new(function);
    let mut sites = Vec::new();
    for inst in function.all_insts().collect::<Vec<_>>().into_iter().rev() {
        let above = scope.above(function, inst);
        for register in function.inst(inst).vreg_defs().filter(|&register| function.use_count(register) > 0) {
            let stand_ins = stand_ins(function, &above, register);
            sites.push(stand_ins.into_iter().map(|to| Edit::Forward { register, to }).collect());
        }
    }
    sites
}

/// Every scalar, first to last, as the function's result.
fn returns(function: &Function) -> Vec<Edit> {
    let registers = function.all_insts().flat_map(|inst| function.inst(inst).vreg_defs());
    registers.map(Edit::Return).collect()
}

/// The only read of a value, as a read of another.
fn operands(function: &Function) -> Vec<Vec<Edit>> {
    let scope = Scope::new(function);
    let mut sites = Vec::new();
    for inst in function.all_insts().collect::<Vec<_>>().into_iter().rev() {
        let data = function.inst(inst);
        for (index, operand) in data.operands.iter().enumerate().filter(|(_, operand)| !operand.is_def()) {
            let Some(register) = operand.as_vreg().filter(|&register| function.use_count(register) == 1) else {
                continue;
            };
            let above = match (data.opcode.is_phi(), data.operands.get(index + 1)) {
                (true, Some(Operand::Block(from))) => scope.at_end(function, *from),
                _ => scope.above(function, inst),
            };
            let stand_ins = stand_ins(function, &above, register);
            sites.push(stand_ins.into_iter().map(|to| Edit::Operand { inst, index, to }).collect());
        }
    }
    sites
}

/// Every result that is computed, last first, as a constant.
fn values(function: &Function) -> Vec<Vec<Edit>> {
    let computed = |inst: &Inst| function.inst(*inst).opcode != Opcode::G_CONSTANT;
    let insts: Vec<Inst> = function.all_insts().filter(computed).collect();
    let registers = insts.into_iter().rev().flat_map(|inst| function.inst(inst).vreg_defs().collect::<Vec<_>>());
    registers.map(|register| [0u128, 1].map(|value| constant(function, register, value)).into()).collect()
}

pub(super) fn constant(function: &Function, register: VReg, value: u128) -> Edit {
    let bits = function.type_of(register).map_or(1, |ty| ty.bits().clamp(1, tribunal_ir::bits::MAX_BITS));
    Edit::Constant { register, value: Bits::new(value, bits) }
}

/// Opcodes of the same shape that stand before it in its family.
fn opcodes(function: &Function) -> Vec<Vec<Edit>> {
    let simpler = |inst: Inst| {
        let opcode = function.inst(inst).opcode;
        let family = edit::siblings(opcode).iter().take_while(move |&&other| other != opcode);
        family.map(|&opcode| Edit::Opcode { inst, opcode }).collect()
    };
    function.all_insts().map(simpler).collect()
}

fn widths(function: &Function) -> Vec<Vec<Edit>> {
    let mut widths: Vec<u32> = [1, 2, 8, 16, 32, 64].into();
    widths.extend(function.vregs.values().filter_map(|row| row.ty).filter(|ty| ty.is_scalar()).map(|ty| ty.bits()));
    widths.sort_unstable();
    widths.dedup();
    let classes = edit::width_classes(function);
    let edits = |class: &edit::WidthClass| {
        let others = widths.iter().filter(|&&bits| bits != class.bits);
        others.map(|&bits| Edit::Width { register: class.register, bits }).collect()
    };
    classes.iter().map(edits).collect()
}

/// Constants toward zero and one, then with fewer bits.
fn constants(function: &Function) -> Vec<Vec<Edit>> {
    let mut sites = Vec::new();
    for inst in function.all_insts() {
        let data = function.inst(inst);
        let value = data.operands.get(1).and_then(|operand| function.constant_value(operand));
        let (Some(register), Some(value)) = (data.vreg(0), value) else { continue };
        let bits = value.width();
        let half = value.zext_or_trunc(value.used().div_ceil(2).max(1)).zext_or_trunc(bits);
        let top = Bits::one_bit(value.used().saturating_sub(1), bits);
        let mut simpler = vec![Bits::zero(bits), Bits::new(1, bits), Bits::new(2, bits), half, top, value.lshr(1)];
        let set = (0..bits).filter(|&bit| value.bit(bit)).take(64);
        simpler.extend(set.map(|bit| value.xor(Bits::one_bit(bit, bits))));
        sites.push(simpler.into_iter().map(|value| Edit::Constant { register, value }).collect());
    }
    sites
}
