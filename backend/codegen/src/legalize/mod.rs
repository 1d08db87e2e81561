//! Pass `legalize`: rewrites generic instructions until the target has an instruction for each.
//!
//! Two worklists, as in LLVM's Legalizer. First every instruction that computes is brought to legal types, which leaves
//! artifacts (extensions, truncations, merges, unmerges) between old and new types. Then artifacts are combined with
//! the definitions of their sources until no illegal one is left. The instructions that a rule writes go back on the
//! lists.
//!
//! Invariant: every application defines the registers of the instruction it replaces, so it can be judged by itself.
//! `after` must refine `before` for all values of the other registers.

mod artifacts;
mod atomics;
mod catalogue;
mod counting;
mod division;
mod floats;
mod frames;
mod libcall;
mod lower;
mod memory;
mod memory_function;
mod narrow;
mod overflow;
mod recipe;
mod variable_arguments;
mod vectors;
mod widen;

pub use artifacts::RULES as COMBINES;
pub use catalogue::{CatalogueEntry, OwnedStep, catalogue, functions_of, queries, queries_of};

use crate::floats::{FloatValues, moves_any};
use crate::pipeline::Pass;
use crate::{CompileError, Context};
use recipe::Recipe;
use tribunal_ir::bits::MAX_BITS;
use tribunal_ir::function::LiveIn;
use tribunal_ir::{
    Constraint, Function, Inst, InstData, MemOperand, Opcode, OpcodeFlags, Operand, Properties, Reg, RegMask,
    RegOperand, Stage, SubReg, Type, VReg,
};
use tribunal_target::legality::{Action, LegalizeStep, LegalizerInfo, type_at};
use tribunal_target::{Features, Target};

/// The pass, as the pipeline lists it.
pub static PASS: Pass =
    Pass { name: "legalize", from: Stage::Generic, to: Stage::Legalized, drops: Properties::empty(), run };

/// Applications allowed for each instruction of the input, and in any case, so that a table that loops ends in an
/// error.
const FUEL_EACH: usize = 2000;
const FUEL_ANYWAY: usize = 200_000;

fn run(context: &mut Context<'_>, function: &mut Function) -> Result<(), CompileError> {
    check_widths(function)?;
    context.target.settle_environment(function, context.options.features);
    let mut legalizer = Legalizer::new(context, function);
    legalizer.legalize()?;
    propagate_copies(function);
    remove_dead(context, function);
    Ok(())
}

/// Refuses values wider than constants can be: recipes write constants as wide as their operands.
fn check_widths(function: &Function) -> Result<(), CompileError> {
    let too_wide = |ty: Type| ty.scalar_type().bits() > MAX_BITS;
    match function.vregs.values().filter_map(|register| register.ty).find(|&ty| too_wide(ty)) {
        None => Ok(()),
        Some(ty) => {
            let feature = format!("a register of {ty}, wider than {MAX_BITS} bits,");
            Err(CompileError::unsupported(function, PASS.name, feature))
        }
    }
}

/// The rules of the machine without registers of floating point, if it has any: those for integers that only move.
pub fn integer_rules(target: &Target, features: Features) -> Option<&'static LegalizerInfo> {
    let of_floats = target.banks.iter().fold(Features::empty(), |all, bank| all | bank.requires);
    features.intersects(of_floats).then(|| (target.legality)(features - of_floats))
}

/// The state of one run.
struct Legalizer<'c, 'a, 'f> {
    context: &'c mut Context<'a>,
    function: &'f mut Function,
    insts: Vec<Inst>,
    artifacts: Vec<Inst>,
    fuel: usize,
    floats: FloatValues,
    /// The rules of the machine without registers of floating point, if it has any.
    integers: Option<&'static LegalizerInfo>,
    call_mask: Option<RegMask>,
}

impl<'c, 'a, 'f> Legalizer<'c, 'a, 'f> {
    fn new(context: &'c mut Context<'a>, function: &'f mut Function) -> Self {
        let fuel = function.inst_bound().saturating_mul(FUEL_EACH).saturating_add(FUEL_ANYWAY);
        // Most functions are rewritten about once.
        let capacity = function.inst_bound();
        function.reserve_insts(capacity);
        let (insts, artifacts) = (Vec::with_capacity(capacity), Vec::with_capacity(capacity));
        let Context { target, options, .. } = *context;
        let floats = FloatValues::of(function, target);
        let integers = integer_rules(target, options.features);
        let call_mask = target.call_mask(function, options.features);
        let mut legalizer = Legalizer { context, function, insts, artifacts, fuel, floats, integers, call_mask };
        for block in legalizer.function.reverse_post_order() {
            let mut next = legalizer.function.first_inst(block);
            while let Some(inst) = next {
                legalizer.enqueue(inst);
                next = legalizer.function.next_inst(inst);
            }
        }
        legalizer
    }

    fn enqueue(&mut self, inst: Inst) {
        match self.function.inst(inst).opcode {
            opcode if opcode.is_artifact() => self.artifacts.push(inst),
            opcode if opcode.is_generic() => self.insts.push(inst),
            _ => {}
        }
    }

    fn legalize(&mut self) -> Result<(), CompileError> {
        loop {
            while let Some(inst) = self.insts.pop() {
                if self.is_live(inst) {
                    self.legalize_inst(inst)?;
                }
            }
            if self.combine_artifacts()? || !self.insts.is_empty() {
                continue;
            }
            if !self.legalize_artifacts()? {
                return Ok(());
            }
        }
    }

    /// True if `inst` still stands; removes it first if it is dead.
    fn is_live(&mut self, inst: Inst) -> bool {
        if self.function.block_of(inst).is_none() {
            return false;
        }
        let dead = is_dead(self.context, self.function, inst);
        if dead {
            self.function.remove(inst);
        }
        !dead
    }

    /// One sweep over the artifacts; true if any combined.
    fn combine_artifacts(&mut self) -> Result<bool, CompileError> {
        let mut changed = false;
        let mut pending = std::mem::take(&mut self.artifacts);
        pending.sort_unstable();
        pending.dedup();
        let mut rest = Vec::with_capacity(pending.len());
        for inst in pending {
            if !self.is_live(inst) {
                continue;
            }
            match artifacts::combine(self, inst) {
                Some(combine) => {
                    changed = true;
                    self.apply_combine(inst, combine)?;
                }
                None => rest.push(inst),
            }
        }
        self.artifacts.extend(rest);
        Ok(changed)
    }

    /// No artifact combines any more: those that have a recipe are split or expanded. True if any was. An artifact
    /// without a recipe may combine with the results of the others; if no other is left, it cannot be legalized.
    fn legalize_artifacts(&mut self) -> Result<bool, CompileError> {
        let (mut changed, mut stuck) = (false, None);
        let mut pending = std::mem::take(&mut self.artifacts);
        // Last first: an artifact that is removed may leave its source dead.
        pending.reverse();
        for &inst in &pending {
            if !self.is_live(inst) {
                continue;
            }
            match self.context.legalizer.legality(self.function, self.function.inst(inst)).action {
                Action::Legal => {}
                Action::Unsupported => stuck = Some(inst),
                _ => {
                    self.legalize_inst(inst)?;
                    changed = true;
                }
            }
        }
        match stuck {
            // The instruction that reads it may be dead itself.
            Some(_) if !changed && remove_dead(self.context, self.function) => {
                self.burn("removal of what is dead")?;
                Ok(self.keep(pending))
            }
            Some(inst) if !changed => self.legalize_inst(inst).map(|()| false),
            _ => {
                self.keep(pending);
                Ok(changed)
            }
        }
    }

    /// Puts the artifacts that still stand back on their list; true, since there is more to do.
    fn keep(&mut self, pending: Vec<Inst>) -> bool {
        let stands =
            |&inst: &Inst| self.function.block_of(inst).is_some() && self.function.inst(inst).opcode.is_artifact();
        self.artifacts.extend(pending.into_iter().filter(stands));
        true
    }

    fn legalize_inst(&mut self, inst: Inst) -> Result<(), CompileError> {
        let by_value = division::by_constant(self, inst)
            .or_else(|| memory_function::of_constant_length(self, inst))
            .or_else(|| variable_arguments::expanded(self, inst))
            .or_else(|| frames::of_intrinsic(self, inst))
            .or_else(|| vectors::of_constant_index(self, inst))
            .or_else(|| vectors::of_interleaved_access(self, inst))
            .or_else(|| vectors::of_shift_insert(self, inst));
        if let Some(combine) = by_value {
            return self.apply_combine(inst, combine);
        }
        let step = self.step(inst);
        if step.action == Action::Legal
            || self.context.target.stores_whole_copy(self.function, self.function.inst(inst))
        {
            return Ok(());
        }
        self.burn(step.rule)?;
        self.check_step(inst, step)?;
        let before = self.function.take(inst);
        let mut recipe = Recipe::new(self.function, self.context.target.vocabulary, (inst, &before), self.call_mask);
        if !apply(&mut recipe, self.context.target, step) {
            // The function keeps the instruction that could not be legalized, for reports.
            self.function.replace(inst, before);
            return Err(self.refusal(inst, step));
        }
        let written = recipe.finish();
        written.all().for_each(|inst| self.enqueue(inst));
        if self.context.observer.wants_steps() {
            self.report(step.rule, std::slice::from_ref(&before), written.execution_order());
        }
        Ok(())
    }

    /// The step that the rules ask for. A type tells no integer from a number of floating point: an integer that only
    /// moves is legalized as if there were none of those.
    fn step(&self, inst: Inst) -> LegalizeStep {
        let data = self.function.inst(inst);
        let step = self.context.legalizer.legality(self.function, data);
        let moves = data.opcode == Opcode::G_STORE || moves_any(data.opcode);
        let is_integer = |value: VReg| !self.floats.is_float(self.function, value);
        match self.integers {
            Some(integers) if moves && step.action == Action::Legal && data.vreg(0).is_some_and(is_integer) => {
                integers.legality(self.function, data)
            }
            _ => step,
        }
    }

    /// An invalid step is the table's fault, whatever its recipe would do. Vectors are only taken apart.
    fn check_step(&self, inst: Inst, step: LegalizeStep) -> Result<(), CompileError> {
        let data = self.function.inst(inst);
        let knows_vectors = matches!(step.action, Action::FewerElements | Action::Lower);
        match step.check(type_at(self.function, data, step.type_index)) {
            Err(fault) => Err(CompileError::internal(self.function, PASS.name, fault.to_string())),
            Ok(()) if !knows_vectors && vectors::has_vector(self.function, data) => Err(self.refusal(inst, step)),
            Ok(()) => Ok(()),
        }
    }

    fn refusal(&self, inst: Inst, step: LegalizeStep) -> CompileError {
        let text =
            tribunal_ir::text::print_inst(self.function, self.function.inst(inst), self.context.target.vocabulary);
        CompileError::unsupported(self.function, PASS.name, feature(step, &text))
    }

    fn apply_combine(&mut self, inst: Inst, combine: artifacts::Combine) -> Result<(), CompileError> {
        self.burn(combine.rule)?;
        let wants = self.context.observer.wants_steps();
        let looked_through: Vec<InstData> = if wants {
            combine.through.iter().map(|&inst| self.function.inst(inst).clone()).collect()
        } else {
            Vec::new()
        };
        let artifact = self.function.take(inst);
        let mut recipe = Recipe::new(self.function, self.context.target.vocabulary, (inst, &artifact), self.call_mask);
        (combine.write)(&mut recipe);
        let written = recipe.finish();
        written.all().for_each(|inst| self.enqueue(inst));
        // Dead users of a value are removed before its definition.
        let mut remaining: Vec<Inst> =
            combine.through.iter().rev().copied().filter(|&inst| self.is_live(inst)).collect();
        if wants {
            let mut before = looked_through;
            before.push(artifact);
            remaining.reverse();
            remaining.extend(written.execution_order());
            self.report(combine.rule, &before, remaining);
        }
        Ok(())
    }

    fn report(&mut self, rule: &'static str, before: &[InstData], mut after: Vec<Inst>) {
        self.context.observer.step(rule, self.function, before, &mut after);
    }

    fn burn(&mut self, rule: &'static str) -> Result<(), CompileError> {
        self.fuel = self.fuel.saturating_sub(1);
        match self.fuel {
            0 => Err(CompileError::internal(self.function, PASS.name, format!("does not end; last rule: {rule}"))),
            _ => Ok(()),
        }
    }
}

/// The name in reports of an instruction that cannot be legalized: its rules refuse it, or nothing carries out their
/// action.
fn feature(step: LegalizeStep, text: &str) -> String {
    match step.action {
        Action::Unsupported => format!("`{text}`"),
        Action::Libcall => format!("library call for `{text}`"),
        action => format!("{action:?} of `{text}`"),
    }
}

/// Carries out the action of a rule; false if there is no recipe for it.
fn apply(recipe: &mut Recipe<'_>, target: &Target, step: LegalizeStep) -> bool {
    match (step.action, step.new_type) {
        (Action::WidenScalar, Some(ty)) => widen::widen(recipe, step.type_index, ty),
        (Action::NarrowScalar, Some(ty)) => narrow::narrow(recipe, step.type_index, ty),
        (Action::FewerElements, Some(ty)) => vectors::fewer_elements(recipe, step.type_index, ty),
        (Action::Lower, _) => lower::lower(recipe, target),
        (Action::Custom, _) => lower::custom(recipe, target),
        (Action::Libcall, _) => libcall::call(recipe, target),
        (Action::Legal | Action::Unsupported, _)
        | (Action::MoreElements | Action::Bitcast, _)
        | (Action::WidenScalar | Action::NarrowScalar | Action::FewerElements, None) => false,
    }
}

/// True if nothing reads the definitions of `inst` and it has no other effect.
fn is_dead(context: &Context<'_>, function: &Function, inst: Inst) -> bool {
    let data = function.inst(inst);
    let mut defines = false;
    for definition in data.defs() {
        match definition.reg {
            Reg::Virtual(register) if function.use_count(register) == 0 => defines = true,
            _ => return false,
        }
    }
    if !defines {
        return false;
    }
    let effects = OpcodeFlags::STORE | OpcodeFlags::SIDE_EFFECTS | OpcodeFlags::TERMINATOR | OpcodeFlags::CALL;
    let flags = match data.opcode {
        Opcode::Target(opcode) => context.target.vocabulary.opcode_flags(opcode),
        generic => generic.info().map_or(effects, |info| info.flags),
    };
    !flags.intersects(effects) && !data.memory.iter().any(MemOperand::is_ordered)
}

/// Removes copies between whole virtual registers of one type: their source is used instead.
fn propagate_copies(function: &mut Function) {
    let is_whole = |operand: &RegOperand| operand.subregister == SubReg(0);
    let copy = |data: &InstData| match (data.opcode, data.operands.as_slice()) {
        (Opcode::COPY, [Operand::Reg(dst), Operand::Reg(src)]) => match (dst.reg, src.reg) {
            (Reg::Virtual(to), Reg::Virtual(from)) if is_whole(dst) && is_whole(src) => Some((to, from)),
            _ => None,
        },
        _ => None,
    };
    let mut copies: Vec<Option<VReg>> = Vec::new();
    let mut removed = Vec::new();
    for inst in function.all_insts() {
        // A copy to a register class is what an instruction with operands of that class needs.
        if let Some((dst, src)) = copy(function.inst(inst))
            && function.type_of(dst) == function.type_of(src)
            && [function.vregs[src].constraint, Constraint::None].contains(&function.vregs[dst].constraint)
        {
            copies.resize(function.vregs.len(), None);
            copies[cranelift_entity::EntityRef::index(dst)] = Some(src);
            removed.push(inst);
        }
    }
    if removed.is_empty() {
        return;
    }
    let resolve = |register: VReg| {
        let mut current = register;
        // In SSA form copies cannot form a cycle, but in an unchecked function they may: stop where the chain began.
        while let Some(next) = copies[cranelift_entity::EntityRef::index(current)].filter(|&next| next != register) {
            current = next;
        }
        current
    };
    for place in 0..function.layout().len() {
        let mut next = function.first_inst(function.layout()[place]);
        while let Some(inst) = next {
            function.rename_uses(inst, resolve);
            next = function.next_inst(inst);
        }
    }
    removed.into_iter().for_each(|inst| function.remove(inst));
    let liveins = std::mem::take(&mut function.liveins);
    function.liveins = liveins.into_iter().map(|livein| LiveIn { copy: livein.copy.map(resolve), ..livein }).collect();
}

/// Removes dead instructions, last uses first; true if there were any.
fn remove_dead(context: &Context<'_>, function: &mut Function) -> bool {
    let mut removed = false;
    for block in function.reverse_post_order().into_iter().rev() {
        let mut next = function.last_inst(block);
        while let Some(inst) = next {
            next = function.previous_inst(inst);
            if is_dead(context, function, inst) {
                function.remove(inst);
                removed = true;
            }
        }
    }
    removed
}
