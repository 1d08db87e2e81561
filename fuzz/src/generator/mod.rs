//! Programs from bytes: functions that are valid by construction, terminate, stay inside their memory, and show the
//! values that they compute.
//!
//! Every decision is read from [`Unstructured`], so libFuzzer and the embedded loop drive the same code, and equal
//! bytes give equal programs. When the bytes run out every choice becomes its first option and the function closes.
//!
//! Values come in two kinds. A *deterministic* value is never poison and never depends on a nondeterministic choice.
//! Only deterministic values steer branches, divide, or address memory. They are stored to bytes of their own, or
//! folded into the returned checksum. A *maybe-poison* value (from `nsw`, an unmasked shift, `G_ANYEXT`, ...) may be
//! poison or anything else. It is stored, and the oracle masks the bits that the source leaves unconstrained without
//! losing the rest.

mod aims;
mod artifacts;
mod atomics;
pub mod data;
mod directed;
mod distances;
mod exclusive;
mod expressions;
mod families;
mod floats;
mod frames;
mod intrinsics;
mod limits;
mod linkage;
mod linked;
pub(crate) mod machine;
mod memory;
mod modules;
mod number_vectors;
mod refusals;
mod regions;
mod rewrites;
mod shapes;
mod strict;
mod variadic;
mod vector_operations;
mod vectors;
mod volatile;

use arbitrary::{Result, Unstructured};
use tribunal_ir::types::S1;
use tribunal_ir::{Block, Builder, Function, Opcode, Operand, PReg, Type, VReg};
use tribunal_target::legality::LegalizerInfo;
use tribunal_target::{Features, Target};

pub use aims::programs_of_a_walk;
pub use linkage::block_of;
pub use machine::{accessing_rows, branching_rows, computing_rows, generate_machine};
/// Bytes that every pointer argument may touch.
pub use modules::generate_module;
pub use refusals::generate_of_any_types;
pub use rewrites::dead_ends;
pub use tribunal_trial::inputs::BUFFER_BYTES;
pub use vector_operations::vector_types;

use aims::Aim;
use modules::CalleeSignature;
/// The alignment of its address, in bytes.
const BUFFER_ALIGN: u32 = 64;
/// The part of a buffer that program loads and stores use; results go above it.
const SCRATCH_BYTES: u32 = 128;

/// Widths of conditions that are not one bit.
const CONDITION_BITS: [u32; 4] = [8, 32, 64, 128];

/// The widest scalar of a program, in bits.
const WIDEST: u32 = 256;

/// Statements of a small program at most, its aim among them.
const SMALL: u32 = 2;

/// Bounds and mix of one program, drawn once at its start (swarm testing: programs differ in the features that they
/// lack).
#[derive(Clone, Debug)]
struct Policy {
    /// Scalar widths in use, in bits.
    widths: Vec<u32>,
    /// Statements in all.
    statements: u32,
    /// Nested regions at most.
    depth: u32,
    /// One operation in so many carries a poison flag; 0 for none.
    flags: u32,
    memory: bool,
    /// A buffer of its own for volatile accesses.
    volatile: bool,
    loops: bool,
    /// Operations beyond the plain ones, which become many.
    families: bool,
    /// Switches, cycles with two entries, long chains of PHIs, many values alive at once.
    shapes: bool,
    /// Globals, calls, jump tables.
    linked: bool,
    /// Operations on memory in one step.
    atomics: bool,
    /// Frames at the limits of encodings, objects of variable size.
    frames: bool,
    /// A block as long as a branch reaches.
    distances: bool,
    /// A list of variable arguments.
    variadic: bool,
    /// Values computed before the last arguments are copied from their registers.
    late_arguments: bool,
    /// Numbers of floating point.
    floats: bool,
    /// The operations on them see the environment. A call would not.
    strict: bool,
}

impl Policy {
    fn draw(u: &mut Unstructured<'_>, target: &Target) -> Result<Policy> {
        const COMMON: [u32; 4] = [8, 16, 32, 64];
        const ODD: [u32; 18] = [1, 2, 3, 7, 9, 15, 17, 24, 31, 33, 48, 63, 65, 96, 127, 128, 129, WIDEST];
        let mut widths = vec![*u.choose(&COMMON)?];
        let is_too_wide = |width: &u32| *width > 2 * target.register_type().bits();
        for _ in 0..u.int_in_range(1..=4)? {
            let width = match u.int_in_range(0..=3)? {
                0 | 1 => *u.choose(&COMMON)?,
                2 => *u.choose(&ODD)?,
                _ => u.int_in_range(1..=WIDEST)?,
            };
            // A value wider than two registers becomes very many instructions: now and then is enough. Each such width
            // has proofs of its own, and they take long: those at the edges of words stand for all.
            let too_many = is_too_wide(&width) && !u.ratio(1, 48)?;
            let width = if is_too_wide(&width) { width.next_multiple_of(32) - *u.choose(&[0, 1, 31])? } else { width };
            if !widths.contains(&width) && !too_many {
                widths.push(width);
            }
        }
        let is_wide = widths.iter().any(is_too_wide);
        Ok(Policy {
            widths,
            // Most programs are small: most bugs show in few instructions, and many small programs are judged in the
            // time of a large one. Values wider than two registers make a program large by themselves.
            statements: match u.int_in_range(0..=31)? {
                0 if !is_wide => u.int_in_range(5..=20)?,
                0..=3 => u.int_in_range(SMALL + 1..=4)?,
                4..=12 => SMALL,
                _ => 1,
            },
            depth: u.int_in_range(0..=3)?,
            flags: *u.choose(&[0, 0, 4, 16])?,
            memory: u.ratio(2, 3)?,
            volatile: u.ratio(1, 8)?,
            loops: u.ratio(2, 3)?,
            shapes: u.ratio(1, 10)?,
            families: u.ratio(1, 4)?,
            linked: u.ratio(1, 12)?,
            atomics: u.ratio(1, 12)?,
            frames: u.ratio(1, 32)?,
            distances: u.ratio(1, 2048)?,
            variadic: u.ratio(1, 64)?,
            late_arguments: u.ratio(1, 24)?,
            floats: u.ratio(1, 10)?,
            strict: false,
        })
    }

    /// The same for a program whose operations on numbers see the environment.
    fn made_strict(self) -> Policy {
        Policy { floats: true, strict: true, linked: false, variadic: false, ..self }
    }
}

/// A value in scope.
#[derive(Clone, Copy, Debug)]
struct Entry {
    register: VReg,
    ty: Type,
    deterministic: bool,
}

/// Memory that may be accessed.
#[derive(Clone, Copy, Debug)]
struct Place {
    base: VReg,
    bytes: u32,
    /// The known alignment of the address, in bytes.
    align: u32,
}

/// The function being written.
struct Generator<'u, 'b, 'f> {
    u: &'u mut Unstructured<'b>,
    builder: Builder<'f>,
    target: &'static Target,
    /// The rules of the target with the features that the program may use.
    legalizer: &'static LegalizerInfo,
    policy: Policy,
    /// Values that dominate the position, oldest first.
    scope: Vec<Entry>,
    /// Buffers, initialised stack objects, and places accessed before, which later accesses overlap.
    pointers: Vec<Place>,
    /// The memory of volatile accesses, which nothing else touches.
    device: Option<Place>,
    left: u32,
    /// The operation that the program shall have, until it is written.
    aim: Option<Aim>,
    /// How often a campaign came to the rule that is being written, if one is.
    visit: Option<u32>,
    /// Next free byte of the first buffer for a result.
    next_result: u32,
    /// The functions of the module that it may call.
    callees: &'u [CalleeSignature],
}

/// A function for `target` with `features` out of `u`'s bytes.
pub fn generate(u: &mut Unstructured<'_>, target: &'static Target, features: Features, name: &str) -> Result<Function> {
    let aim = Aim::at(u.arbitrary()?, target, features);
    let mut policy = Policy::draw(u, target)?;
    if aim.is_some_and(|aim| aim.is_linked()) {
        (policy.linked, policy.memory) = (true, true);
    }
    let is_strict = aim.is_some_and(|aim| aim.is_strict());
    if is_strict || policy.floats && strict::compiles_strict((target.legality)(features)) && u.ratio(1, 3)? {
        policy = policy.made_strict();
    }
    let aim = aim.filter(|aim| is_strict || !(policy.strict && aim.may_be_of_numbers()));
    // What is no goal needs programs of one statement too.
    let aim = if policy.statements == 1 && u.ratio(1, 3)? { aim.filter(Aim::is_of_vectors) } else { aim };
    modules::function(u, (target, features), (policy, aim), (name, None), (None, &[]))
}

/// A function of a few statements that is aimed at none of our rules.
pub fn generate_unaimed(u: &mut Unstructured<'_>, target: &'static Target, features: Features) -> Result<Function> {
    let mut policy = Policy::draw(u, target)?;
    policy.statements = u.int_in_range(SMALL..=4 * SMALL)?;
    modules::function(u, (target, features), (policy, None), ("f", None), (None, &[]))
}

impl Generator<'_, '_, '_> {
    /// One or two buffers, one more for volatile accesses, then integers, from the argument registers.
    fn arguments(&mut self, entry: Block) -> Result<()> {
        // Each value that nothing reads is shown, which takes more instructions than to make it.
        let is_small = self.policy.statements <= SMALL;
        let plain = if is_small { 1 } else { self.u.int_in_range(1..=2)? };
        let integers = self.u.int_in_range(1..=if is_small { 2 } else { 4 })?;
        let pointer = self.pointer_type();
        let registers = self.target.abi.arguments();
        let mut early = Vec::new();
        let buffers = plain + usize::from(self.policy.volatile);
        let other = self.other_live_in()?;
        for (index, register) in registers.iter().copied().take(buffers + integers).chain(other).enumerate() {
            self.builder.function.liveins.push(tribunal_ir::function::LiveIn { register, copy: None });
            self.builder.function.block_mut(entry).liveins.push((register, None));
            let ty = if index < buffers { pointer } else { self.register_type() };
            if self.policy.late_arguments {
                early.extend(self.between_arguments()?);
            }
            let value = self.builder.build(ty, Opcode::COPY, [Operand::used(register)]);
            let place = |bytes| Place { base: value, bytes, align: BUFFER_ALIGN };
            match index {
                _ if index < plain => self.pointers.push(place(SCRATCH_BYTES)),
                _ if index < buffers => self.device = Some(place(BUFFER_BYTES)),
                _ => self.scope.push(Entry { register: value, ty, deterministic: true }),
            }
        }
        if self.callees.is_empty() && self.policy.variadic {
            self.variable_arguments(buffers + integers)?;
        } else if self.policy.floats {
            self.number_arguments(entry)?;
        }
        for index in 0..if is_small { 0 } else { integers } {
            let source = self.scope[index];
            let ty = self.scalar()?;
            let signed = self.u.arbitrary()?;
            let value = self.converted(source, ty, signed);
            self.scope.push(Entry { register: value, ty, deterministic: true });
        }
        self.scope.extend(early);
        Ok(())
    }

    /// Another register with a value at the start: LLVM passes one to local functions, and a static chain. It may be a
    /// scratch register, if the copies of all arguments stand together.
    fn other_live_in(&mut self) -> Result<Option<PReg>> {
        let (target, abi, is_late) = (self.target, &self.target.abi, self.policy.late_arguments);
        if !self.u.ratio(if is_late { 12 } else { 1 }, 24)? {
            return Ok(None);
        }
        let general = &target.class(target.banks[0].class).allocatable;
        let is_free = |register: &&PReg| general.contains(register) && !abi.arguments().contains(register);
        let free: Vec<PReg> = match is_late {
            true => abi.caller_saved.iter().filter(is_free).copied().collect(),
            false => abi.scratch.to_vec(),
        };
        Ok(Some(*self.u.choose(&free)?))
    }

    /// A value computed while arguments still wait in their registers. It takes no call: a call would lose them.
    fn between_arguments(&mut self) -> Result<Option<Entry>> {
        let Some(&Entry { register, ty, .. }) = self.scope.last() else { return Ok(None) };
        let constant = self.constant_value(ty.bits())?;
        let constant = self.builder.constant(ty, constant);
        let opcode = *self.u.choose(&[Opcode::G_ADD, Opcode::G_SUB, Opcode::G_XOR, Opcode::G_AND, Opcode::G_OR])?;
        let register = self.builder.op(ty, opcode, &[register, constant]);
        Ok(Some(Entry { register, ty, deterministic: true }))
    }

    fn pointer_type(&self) -> Type {
        Type::Pointer { address_space: 0, bits: self.target.pointer_bits }
    }

    /// The scalar that fills a register.
    fn register_type(&self) -> Type {
        self.target.register_type()
    }

    /// The runtime library divides values of at most two registers.
    fn widest_division(&self) -> Type {
        Type::scalar(2 * self.register_type().bits())
    }

    /// A scalar type of the program's mix.
    fn scalar(&mut self) -> Result<Type> {
        Ok(Type::scalar(*self.u.choose(&self.policy.widths)?))
    }

    /// A value of exactly `ty`: one in scope, one converted, or a constant.
    fn value(&mut self, ty: Type, deterministic: bool) -> Result<Entry> {
        let fits: Vec<Entry> = self
            .scope
            .iter()
            .copied()
            .filter(|entry| entry.ty == ty && (entry.deterministic || !deterministic))
            .collect();
        if !fits.is_empty() && self.u.ratio(7, 8)? {
            // Younger values first: programs become deep rather than wide.
            let back = self.u.int_in_range(0..=fits.len().min(8) - 1)?;
            return Ok(fits[fits.len() - 1 - back]);
        }
        let others: Vec<Entry> =
            self.scope.iter().copied().filter(|entry| entry.deterministic || !deterministic).collect();
        if !others.is_empty() && self.u.ratio(2, 3)? {
            let source = *self.u.choose(&others)?;
            let signed = self.u.arbitrary()?;
            let register = self.converted(source, ty, signed);
            return Ok(Entry { register, ty, deterministic: source.deterministic });
        }
        let constant = self.constant_value(ty.bits())?;
        Ok(Entry { register: self.builder.constant(ty, constant), ty, deterministic: true })
    }

    /// The same for the operand on the right, where constants are the rule in real code.
    fn right_value(&mut self, ty: Type, deterministic: bool) -> Result<Entry> {
        if !self.u.ratio(1, 4)? {
            return self.value(ty, deterministic);
        }
        let constant = self.constant_value(ty.bits())?;
        Ok(Entry { register: self.builder.constant(ty, constant), ty, deterministic: true })
    }

    /// `source` brought to type `ty` by truncation or extension.
    fn converted(&mut self, source: Entry, ty: Type, signed: bool) -> VReg {
        let opcode = match source.ty.bits().cmp(&ty.bits()) {
            std::cmp::Ordering::Equal => return source.register,
            std::cmp::Ordering::Greater => Opcode::G_TRUNC,
            std::cmp::Ordering::Less if signed => Opcode::G_SEXT,
            std::cmp::Ordering::Less => Opcode::G_ZEXT,
        };
        self.builder.op(ty, opcode, &[source.register])
    }

    /// A deterministic condition, of any width.
    fn condition(&mut self) -> Result<VReg> {
        if self.u.ratio(1, 4)? {
            return Ok(self.value(S1, true)?.register);
        }
        if self.u.ratio(1, 4)?
            && let Some(condition) = self.directed_condition()?
        {
            return Ok(condition);
        }
        let ty = self.scalar()?;
        let predicate = *self.u.choose(&tribunal_ir::IntPredicate::ALL)?;
        let (left, right) = (self.value(ty, true)?, self.right_value(ty, true)?);
        if !self.u.ratio(1, 4)? {
            return Ok(self.builder.icmp(predicate, left.register, right.register));
        }
        // The widest condition: 0 or 1.
        let sources = [Operand::Predicate(predicate), Operand::used(left.register), Operand::used(right.register)];
        let result = *self.u.choose(&CONDITION_BITS)?;
        Ok(self.builder.build(Type::scalar(result), Opcode::G_ICMP, sources))
    }

    /// Shows every value that nothing reads: stores it, or folds it into the result if it is deterministic. Returns.
    /// Storing takes fewer instructions, so it is the rule where the value fills bytes.
    fn finish(&mut self) -> Result<()> {
        let unread: Vec<Entry> =
            self.scope.iter().copied().filter(|entry| self.builder.function.use_count(entry.register) == 0).collect();
        let register = self.register_type();
        let mut sum = self.builder.constant_i64(register, 0x9e37);
        for entry in unread {
            let fills = entry.ty.bits().is_power_of_two() && (8..=register.bits()).contains(&entry.ty.bits());
            let folds = entry.deterministic && (!fills || self.u.ratio(1, 8)?);
            let is_shown = !folds && self.store_result(entry);
            if entry.deterministic && !is_shown {
                sum = self.folded(sum, entry);
            }
        }
        if self.left_by_call(sum)? {
            return Ok(());
        }
        let result = self.target.abi.results()[0];
        self.builder.push(tribunal_ir::InstData::new(Opcode::COPY, [Operand::def(result), Operand::used(sum)]));
        self.builder.push(tribunal_ir::InstData::new(
            Opcode::Target(self.target.abi.return_opcode),
            [Operand::implicit_use(result)],
        ));
        Ok(())
    }

    /// `(sum ^ value) * 33`, all bits of the value included, without an instruction that only some machines have: what
    /// is folded should cost less than what is tried.
    fn folded(&mut self, sum: VReg, entry: Entry) -> VReg {
        let (bits, register) = (entry.ty.bits(), self.register_type());
        let low = match bits.cmp(&register.bits()) {
            std::cmp::Ordering::Equal => entry.register,
            std::cmp::Ordering::Less => self.builder.op(register, Opcode::G_ZEXT, &[entry.register]),
            std::cmp::Ordering::Greater => self.builder.op(register, Opcode::G_TRUNC, &[entry.register]),
        };
        let mixed = self.builder.op(register, Opcode::G_XOR, &[sum, low]);
        let five = self.builder.constant_i64(register, 5);
        let shifted = self.builder.op(register, Opcode::G_SHL, &[mixed, five]);
        let mut sum = self.builder.op(register, Opcode::G_ADD, &[shifted, mixed]);
        for offset in (register.bits()..bits).step_by(register.bits() as usize) {
            let amount = self.builder.constant_i64(entry.ty, offset.into());
            let shifted = self.builder.op(entry.ty, Opcode::G_LSHR, &[entry.register, amount]);
            let high = self.builder.op(register, Opcode::G_TRUNC, &[shifted]);
            sum = self.builder.op(register, Opcode::G_XOR, &[sum, high]);
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Most programs are small, and there are large ones: neither kind is lost.
    #[test]
    fn programs_have_all_sizes() {
        let target = tribunal_target::ALL[0];
        let sizes: Vec<usize> = (0..1500)
            .filter_map(|number| crate::campaign::generated(crate::campaign::program_seed(1, number), target))
            .map(|function| function.inst_bound())
            .collect();
        let among = |range: std::ops::Range<usize>| sizes.iter().filter(|size| range.contains(size)).count();
        assert!(among(0..50) > 750 && among(50..100) > 20 && among(100..10_000) > 5, "{sizes:?}");
    }

    #[test]
    fn equal_bytes_give_equal_programs_and_none_is_empty() {
        let bytes: Vec<u8> = (0..4096u32).map(|index| (index.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        for &target in tribunal_target::ALL {
            let one = generate(&mut Unstructured::new(&bytes), target, target.default_features, "f").unwrap();
            let two = generate(&mut Unstructured::new(&bytes), target, target.default_features, "f").unwrap();
            assert_eq!(one.inst_bound(), two.inst_bound());
            assert!(one.inst_bound() > 10);
            assert!(generate(&mut Unstructured::new(&[]), target, target.default_features, "f").is_ok());
        }
    }
}
