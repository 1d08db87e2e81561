//! Programs of several functions: each calls functions after it, so no run is endless by calls.
//!
//! A callee is given a buffer and numbers, in registers and on the stack, and returns what it computes of them.

use super::aims::Aim;
use super::{BUFFER_ALIGN, Entry, Generator, Place, Policy, SCRATCH_BYTES, linkage};
use arbitrary::{Error, Result, Unstructured};
use tribunal_codegen::call_lowering::{ArgumentExtension, ArgumentType, CallLowering, CalledFunction};
use tribunal_ir::{Builder, Function, IrBlock, Position, Properties, Type, VReg};
use tribunal_target::{Features, Target};

/// Functions of a program at most.
const MOST: usize = 4;
/// Statements of a callee at most: a caller may call it in a loop.
const STATEMENTS: u32 = 2;
/// Nested regions of a callee at most, for the same reason.
const CALLEE_DEPTH: u32 = 1;

/// A function of the module, as its callers see it. It returns a register.
pub(super) struct CalleeSignature {
    name: String,
    /// A buffer first, then numbers.
    parameters: Vec<ArgumentType>,
}

/// A module for `target` out of `u`'s bytes: the first function is `f`, which calls others.
pub fn generate_module(u: &mut Unstructured<'_>, target: &'static Target, features: Features) -> Result<Vec<Function>> {
    // A callee would not see the environment of floating point.
    let aim = Aim::at(u.arbitrary()?, target, features).filter(|aim| !aim.is_strict());
    let count = u.int_in_range(2..=MOST)?;
    let signatures = (1..count).map(|number| CalleeSignature::draw(u, target, number)).collect::<Result<Vec<_>>>()?;
    let module = linkage::module(u, target.pointer_bits)?;
    let mut functions = Vec::with_capacity(count);
    for number in 0..count {
        let mut policy = Policy::draw(u, target)?;
        let own = number.checked_sub(1).map(|index| &signatures[index]);
        if let Some(own) = own {
            (policy.statements, policy.volatile) = (policy.statements.min(STATEMENTS), false);
            policy.depth = policy.depth.min(CALLEE_DEPTH);
            policy.linked |= module.is_some();
            functions.push(function(
                u,
                (target, features),
                (policy, None),
                (&own.name, Some(own)),
                (module, &signatures[number..]),
            )?);
        } else {
            policy.linked = true;
            functions.push(function(u, (target, features), (policy, aim), ("f", None), (module, &signatures))?);
        }
    }
    Ok(functions)
}

impl CalleeSignature {
    fn draw(u: &mut Unstructured<'_>, target: &'static Target, number: usize) -> Result<CalleeSignature> {
        let pointer = Type::Pointer { address_space: 0, bits: target.pointer_bits };
        let most = if u.ratio(1, 3)? { target.abi.arguments().len() + 3 } else { 3 };
        let mut parameters = vec![pointer.into()];
        for _ in 0..u.int_in_range(1..=most)? {
            let widest = 2 * target.register_type().bits();
            let bits = match u.ratio(1, 4)? {
                true => u.int_in_range(1..=widest)?,
                false => *u.choose(&[8, 16, 32, 64])?,
            };
            let extensions = [ArgumentExtension::Any, ArgumentExtension::Sign, ArgumentExtension::Zero];
            parameters.push(ArgumentType { ty: Type::scalar(bits), extension: *u.choose(&extensions)? });
        }
        Ok(CalleeSignature { name: format!("callee{number}"), parameters })
    }
}

/// A function of this name and module, which may call `callees`. Without a signature it is given buffers and numbers in
/// registers.
pub(super) fn function<'u>(
    u: &'u mut Unstructured<'_>,
    (target, features): (&'static Target, Features),
    (policy, aim): (Policy, Option<Aim>),
    (name, own): (&str, Option<&CalleeSignature>),
    (module, callees): (Option<&IrBlock>, &'u [CalleeSignature]),
) -> Result<Function> {
    let mut function = Function::new(name);
    function.properties = Properties::IS_SSA | Properties::TRACKS_REG_LIVENESS;
    let entry = function.new_block();
    // The aim is one of the statements.
    let left = policy.statements - u32::from(aim.is_some());
    let builder = Builder::new(&mut function, Position::AtEnd(entry));
    let mut generator = Generator {
        u,
        builder,
        target,
        legalizer: (target.legality)(features),
        policy,
        scope: Vec::new(),
        pointers: Vec::new(),
        device: None,
        left,
        aim,
        visit: None,
        next_result: SCRATCH_BYTES,
        callees,
    };
    match own {
        Some(own) => generator.parameters(own)?,
        None => generator.arguments(entry)?,
    }
    generator.stack_objects()?;
    generator.frame_at_limit()?;
    generator.linkage(module)?;
    generator.globals()?;
    generator.region(0)?;
    generator.aimed(0)?;
    if generator.policy.distances {
        generator.long_way()?;
    }
    if !callees.is_empty() {
        generator.call_defined()?;
    }
    generator.finish()?;
    target.settle_environment(&mut function, features);
    Ok(function)
}

impl Generator<'_, '_, '_> {
    fn parameters(&mut self, own: &CalleeSignature) -> Result<()> {
        let values = CallLowering { target: self.target }.formal_arguments(&mut self.builder, &own.parameters);
        let values = values.map_err(|_| Error::IncorrectFormat)?;
        for (index, (register, parameter)) in values.into_iter().zip(&own.parameters).enumerate() {
            match index {
                0 => self.pointers.push(Place { base: register, bytes: SCRATCH_BYTES, align: BUFFER_ALIGN }),
                _ => self.scope.push(Entry { register, ty: parameter.ty, deterministic: true }),
            }
        }
        Ok(())
    }

    /// A call of a function of the module.
    pub(super) fn call_defined(&mut self) -> Result<()> {
        let callees = self.callees;
        let callee = self.u.choose(callees)?;
        let mut arguments = vec![(self.buffer(), ArgumentExtension::Any)];
        for parameter in &callee.parameters[1..] {
            arguments.push((self.right_value(parameter.ty, true)?.register, parameter.extension));
        }
        let ty = self.register_type();
        let (lowering, called) = (CallLowering { target: self.target }, self.called(&callee.name)?);
        let values = lowering.call(&mut self.builder, called, &arguments, &[ty.into()]);
        let values = values.map_err(|_| Error::IncorrectFormat)?;
        self.scope.extend(values.into_iter().map(|register| Entry { register, ty, deterministic: true }));
        Ok(())
    }

    /// The function by its name, or by its address.
    fn called<'n>(&mut self, name: &'n str) -> Result<CalledFunction<'n>> {
        if !self.u.ratio(1, 3)? {
            return Ok(name.into());
        }
        Ok(CalledFunction::At(self.address_of(name, 0)))
    }

    /// Leaves the function by a call that is passed `sum`, now and then; true if it did.
    pub(super) fn left_by_call(&mut self, sum: VReg) -> Result<bool> {
        let (callees, lowering) = (self.callees, CallLowering { target: self.target });
        let Some(callee) = callees.first().filter(|callee| lowering.fits_registers(&callee.parameters)) else {
            return Ok(false);
        };
        if self.keeps_objects() || !self.u.ratio(1, 3)? {
            return Ok(false);
        }
        let sum = Entry { register: sum, ty: self.register_type(), deterministic: true };
        let mut arguments = vec![(self.buffer(), ArgumentExtension::Any)];
        for parameter in &callee.parameters[1..] {
            arguments.push((self.converted(sum, parameter.ty, false), parameter.extension));
        }
        let called = self.called(&callee.name)?;
        let left = lowering.tail_call(&mut self.builder, called, &arguments);
        left.map(|()| true).map_err(|_| Error::IncorrectFormat)
    }

    /// True if the function has objects on its stack, which no callee in its place may use.
    fn keeps_objects(&self) -> bool {
        !self.builder.function.stack.is_empty()
    }

    /// The first buffer, which every function is given.
    fn buffer(&self) -> VReg {
        self.pointers[0].base
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::SmallRng;
    use rand::{Rng, SeedableRng};
    use std::collections::BTreeSet;
    use tribunal_ir::Opcode;

    /// The modules of a few seeds.
    fn modules(target: &'static Target) -> impl Iterator<Item = Vec<Function>> {
        (0..64).filter_map(move |seed| {
            let mut bytes = [0u8; 8192];
            SmallRng::seed_from_u64(seed).fill_bytes(&mut bytes);
            generate_module(&mut Unstructured::new(&bytes), target, target.default_features).ok()
        })
    }

    #[test]
    fn functions_call_each_other_in_every_way() {
        for &target in tribunal_target::ALL {
            let calls = target.abi.calls.as_ref().unwrap();
            let called: BTreeSet<Opcode> = modules(target)
                .flatten()
                .flat_map(|f| f.all_insts().map(|inst| f.inst(inst).opcode).collect::<Vec<_>>())
                .collect();
            for way in [calls.opcode, calls.tail, calls.indirect, calls.indirect_tail] {
                assert!(called.contains(&Opcode::Target(way)), "{} of {}", target.instruction(way).name, target.name);
            }
        }
    }
}
