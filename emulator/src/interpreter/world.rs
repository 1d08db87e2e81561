//! The environment of a function, chosen by the caller: addresses of symbols, and the functions that it calls.
//!
//! A call of an unknown function returns a value that depends on its name and its arguments alone, and touches no
//! memory. That is one possible definition of the name, the same one for every run in one environment. The arguments
//! are kept, since they are observable. Runtime functions and `memcpy`, `memmove`, `memset` have their defined meaning.

use super::{End, Next, Numbers, State, malformed, scalar};
use std::collections::{BTreeMap, BTreeSet};
use tribunal_ir::bits::Bits;
use tribunal_ir::semantics::{Number, Unsupported, Value};
use tribunal_ir::{Inst, InstData, Opcode, OpcodeFlags, Operand, PReg, text};
use tribunal_target::runtime::RuntimeFunction;

/// One choice of the environment.
#[derive(Clone, Debug, Default)]
pub struct World {
    /// Addresses of globals and of stack arguments, by the names that [`text::print_base`] gives; they lie in buffers of the input.
    pub symbols: BTreeMap<String, u64>,
    /// Functions whose results are used as pointers.
    pub return_pointers: BTreeSet<String>,
    /// The memory that such results point to.
    pub heap: u64,
    /// Determines the results of unknown functions.
    pub seed: u64,
}

/// A call of an unknown function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExternalCall {
    /// The symbol that was called.
    pub name: String,
    /// Value, and whether it is poison, of each argument register.
    pub arguments: Vec<(u64, bool)>,
}

impl<D: Numbers> State<'_, D> {
    /// Executes an instruction whose meaning depends on the environment; `None` if it is no such instruction.
    pub(super) fn outside(&mut self, inst: Inst, data: &InstData) -> Result<Option<Next>, Unsupported> {
        let Some(world) = self.world else { return Ok(None) };
        let symbol = |index: usize| match data.operands.get(index) {
            Some(Operand::Address(address)) => {
                let address = &self.function.addresses[*address];
                (text::print_base(self.function, address.base), address.offset)
            }
            Some(Operand::FixedStack(slot)) => (slot.to_string(), 0),
            _ => (String::new(), 0),
        };
        let name = self.function.opaque_name(data).unwrap_or_default();
        let (base, offset) = match (data.opcode, name) {
            (Opcode::G_GLOBAL_VALUE | Opcode::G_CONSTANT_POOL, _) => symbol(1),
            (Opcode::G_FRAME_INDEX, _) if matches!(data.operands.get(1), Some(Operand::FixedStack(_))) => symbol(1),
            // The page and the place in it: the first half means nothing by itself.
            (_, "ADRP") => symbol(2),
            (_, "G_ADD_LOW") => symbol(3),
            (Opcode::G_MEMCPY | Opcode::G_MEMMOVE | Opcode::G_MEMSET, _) => {
                let args = data.vreg_uses().map(|register| self.register(register)).collect::<Result<Vec<_>, _>>()?;
                return self.memory_function(data.opcode, &args).map(Some);
            }
            (_, "ADJCALLSTACKDOWN" | "ADJCALLSTACKUP") => return Ok(Some(Next::Following)),
            (Opcode::Target(_), _) if self.target.is_call_frame(data) => return Ok(Some(Next::Following)),
            (Opcode::Target(_), _) if self.target.is_call(data) => {
                return self.any_call(inst, data, world, OpcodeFlags::CALL).map(Some);
            }
            (Opcode::OPAQUE, _) => {
                let flags = self.function.opcode_flags(data, self.target.vocabulary);
                return match flags.contains(OpcodeFlags::CALL) {
                    true => self.any_call(inst, data, world, flags).map(Some),
                    false => Err(Unsupported::new(name)),
                };
            }
            _ => return Ok(None),
        };
        let unknown = || Unsupported::new(format!("the address of {base}"));
        let address = world.symbols.get(&base).ok_or_else(unknown)?.wrapping_add_signed(offset);
        let register = data.vreg(0).ok_or_else(|| malformed(data))?;
        self.write(inst, register, &scalar(Bits::new(address.into(), self.target.pointer_bits.into())));
        Ok(Some(Next::Following))
    }

    fn any_call(
        &mut self,
        inst: Inst,
        data: &InstData,
        world: &World,
        flags: OpcodeFlags,
    ) -> Result<Next, Unsupported> {
        let abi = self.target.abi;
        let kept = [abi.stack_pointer, abi.return_address];
        let is_kept = |register: PReg| kept.contains(&self.target.vocabulary.full_register(register));
        let mut args = Vec::new();
        for operand in data.uses().filter(|operand| operand.reg.as_physical().is_none_or(|register| !is_kept(register)))
        {
            args.push(self.read(operand)?);
        }
        let results: Vec<PReg> = data
            .defs()
            .filter_map(|operand| operand.reg.as_physical())
            .filter(|register| !is_kept(*register))
            .collect();
        let leaves = flags.contains(OpcodeFlags::RETURN);
        let callee = self.function.callee(data);
        let external = callee.and_then(|base| self.function.external(base));
        let after = if leaves { Next::End(End::Returned(inst)) } else { Next::Following };
        let values = match external {
            Some(name @ ("memcpy" | "memmove" | "memset")) => {
                let opcode = match name {
                    "memcpy" => Opcode::G_MEMCPY,
                    "memmove" => Opcode::G_MEMMOVE,
                    _ => Opcode::G_MEMSET,
                };
                if let Next::End(end) = self.memory_function(opcode, &args)? {
                    return Ok(Next::End(end));
                }
                args.into_iter().take(1).collect()
            }
            Some(name) if RuntimeFunction::named(name).is_some() => {
                let mut data = data.clone();
                if data.opcode == Opcode::OPAQUE {
                    // In place of a return it comes after its name among the operands.
                    data.operands.remove(0);
                }
                return Ok(match self.call(&data)? {
                    Next::Following => after,
                    ended => ended,
                });
            }
            _ if args.iter().any(|arg| !arg.bits.is_known() && !arg.poison.value) => return Ok(Next::End(End::Open)),
            _ => {
                let name = callee.map_or(String::new(), |base| text::print_base(self.function, base));
                self.unknown_function(&name, &args, results.len(), world)
            }
        };
        for (register, value) in results.into_iter().zip(values) {
            self.write_physical(register, value);
        }
        Ok(after)
    }

    fn unknown_function(&mut self, callee: &str, args: &[Value<D>], results: usize, world: &World) -> Vec<Value<D>> {
        let shown = |arg: &Value<D>| (arg.bits.value.low_u64(), arg.poison.value || arg.poison.open);
        let arguments: Vec<(u64, bool)> = args.iter().map(shown).collect();
        let mut state = world.seed;
        let mut mix = |word: u64| state = (state ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        callee.bytes().for_each(|byte| mix(byte.into()));
        arguments.iter().for_each(|&(value, poison)| mix(if poison { 0 } else { value }));
        let value = match (world.return_pointers.contains(callee), world.seed % 4) {
            (true, _) => world.heap,
            // Small results keep any promise of an extension that the caller relies on.
            (false, 0..3) => (state >> 32) % 5,
            (false, _) => state,
        };
        self.calls.push(ExternalCall { name: callee.to_string(), arguments });
        let bits = u32::from(self.target.pointer_bits);
        (0..results).map(|_| scalar(Bits::new(value.into(), 64).zext_or_trunc(bits))).collect()
    }

    fn memory_function(&mut self, opcode: Opcode, args: &[Value<D>]) -> Result<Next, Unsupported> {
        let [dst, second, length, ..] = args else { return Err(Unsupported::new(opcode.to_string())) };
        let open = |value: &Value<D>| !value.bits.is_known() || value.poison.open;
        if open(dst) || open(length) || open(second) {
            return Ok(Next::End(End::Open));
        }
        if dst.poison.value || length.poison.value || (opcode != Opcode::G_MEMSET && second.poison.value) {
            return Ok(Next::End(End::Undefined));
        }
        let (to, count) = (dst.bits.value.low_u64(), length.bits.value.low_u64());
        let done = match opcode {
            Opcode::G_MEMSET => self.memory.fill(to, second.bits.value.low_u64() as u8, second.poison.value, count),
            _ => self.memory.copy(to, second.bits.value.low_u64(), count),
        };
        Ok(if done { Next::Following } else { Next::End(End::Undefined) })
    }
}
