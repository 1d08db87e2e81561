//! Unknown functions in a run: what they do is drawn from the seed of the run, or follows the script of an earlier one.
//!
//! A callee returns what it likes, and writes memory that it can reach: places that its caller has used above all,
//! since a mistake of the caller's compiler shows there. It takes a word that holds an address for a pointer, and
//! leaves a pointer in it. What it does depends on the seed, its name and the number of calls before it, not on its
//! arguments: so bits of an argument may stay unconstrained.
//!
//! A run that ends badly after a call is one whose last callee did not return: the calls up to there are what every
//! right program makes. So no run may have undefined behaviour before a call that comes first, and a function that
//! ends in `abort` has an execution.

use super::memory::ConcreteMemory;
use super::numbers::low;
use super::{ConcreteEnvironment, Numbers, SingleRun, scalar};
use crate::call::{ArgumentPlace, CallArgument, CallScript, CalleeEffect, ExternalCall, MemoryPlace, Passed};
use crate::input::is_callable;
use crate::observation::{Bytes, Known};
use smallvec::SmallVec;
use std::collections::BTreeSet;
use tribunal_ir::bits::Bits;
use tribunal_ir::semantics::{PartialBool, Unsupported, Value};
use tribunal_ir::{Function, InstData, Opcode, OpcodeFlags, Operand, PReg, Reg};
use tribunal_target::Target;
use tribunal_target::abi::CallKind;
use tribunal_target::environment::{Callee, MemoryFunction, Returned, UnknownCall};

/// The number of calls after which none returns: a run keeps what each callee saw.
const MOST_CALLS: usize = 64;
/// Places of the caller's that a callee looks at.
const MOST_PLACES: usize = 32;

/// Undefined behaviour that a nondeterministic choice decides.
pub(super) const UNDECIDED: PartialBool = PartialBool { value: false, unknown: true };

/// A word of which nothing is known.
const UNKNOWN: Known = Known { value: 0, unknown: u128::MAX };

/// A sequence of choices: SplitMix64, by Steele, Lea and Flood.
struct Choices(u64);

impl Choices {
    fn of_call(seed: u64, number: usize, name: &str) -> Choices {
        let mixed = name.bytes().fold(seed, |state, byte| (state ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
        Choices(mixed ^ (number as u64) << 48)
    }

    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ word >> 31
    }

    /// One of the numbers below `count`, which is not 0.
    fn below(&mut self, count: usize) -> usize {
        (self.word() % count as u64) as usize
    }

    /// A number: mostly a small one, which keeps any promise of an extension; now and then the least or the greatest
    /// one of some width, sign-extended.
    fn number(&mut self) -> u64 {
        match self.below(8) {
            0 | 1 => self.word(),
            2 => {
                let greatest = (1u64 << [7, 15, 31, 31][self.below(4)]) - 1;
                if self.below(2) == 0 { greatest } else { !greatest }
            }
            _ => self.word() % 5,
        }
    }
}

/// Memory that a callee can reach.
struct Reachable {
    place: MemoryPlace,
    address: u64,
    bytes: u64,
}

/// The callees of one run.
pub(super) struct Callees<'f> {
    /// The calls to repeat; `None` if the callees are drawn.
    pub(super) script: Option<CallScript<'f>>,
    /// Stack objects whose address some callee was given.
    escaped: SmallVec<[usize; 4]>,
    /// A callee of the script did not return.
    pub stopped: bool,
}

impl<'f> Callees<'f> {
    pub fn new(script: Option<&'f [ExternalCall]>) -> Callees<'f> {
        Callees { script: script.map(CallScript::new), escaped: SmallVec::new(), stopped: false }
    }

    /// True if the run decides what callees do.
    pub fn are_drawn(&self) -> bool {
        self.script.is_none()
    }

    /// Nobody may use the object any more.
    pub fn forget(&mut self, object: usize) {
        self.escaped.retain(|known| *known != object);
    }

    /// Objects of a function that is left: those of this number and of greater ones.
    pub fn forget_from(&mut self, first: usize) {
        self.escaped.retain(|known| *known < first);
    }

    /// The script, where the calls follow one.
    pub fn script(&self) -> Option<&CallScript<'f>> {
        self.script.as_ref()
    }
}

/// True if the function calls one that is not of the runtime library.
pub(super) fn has_callees(function: &Function, target: &Target) -> bool {
    let is_call = |data: &InstData| function.opcode_flags(data, target.vocabulary).contains(OpcodeFlags::CALL);
    let is_outside = |data: &InstData| match Callee::of(function, data) {
        Callee::Runtime(_) | Callee::Atomic(_) => false,
        Callee::Memory(_) => true,
        Callee::Unknown(_) => true,
    };
    let mut insts = function.all_insts().map(|inst| function.inst(inst));
    insts.any(|data| MemoryFunction::of_opcode(data.opcode).is_some() || (is_call(data) && is_outside(data)))
}

/// Functions whose result is copied to a pointer.
pub fn return_pointers(function: &Function, target: &Target) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut callee = String::new();
    for inst in function.all_insts() {
        let data = function.inst(inst);
        if function.opcode_flags(data, target.vocabulary).contains(OpcodeFlags::CALL)
            && let Callee::Unknown(name) = Callee::of(function, data)
        {
            callee = name;
        }
        if let (Opcode::COPY, [Operand::Reg(dst), Operand::Reg(src)]) = (data.opcode, data.operands.as_slice())
            && let (Reg::Virtual(dst), Reg::Physical(src)) = (dst.reg, src.reg)
            && function.type_of(dst).is_some_and(|ty| ty.is_pointer())
            && target.abi.results().contains(&target.vocabulary.full_register(src))
        {
            names.insert(callee.clone());
        }
    }
    names
}

impl<D: Numbers> SingleRun<'_, D> {
    /// Calls an unknown function.
    pub(super) fn call_unknown(
        &mut self,
        environment: &ConcreteEnvironment,
        call: &UnknownCall<'_>,
        args: &[Value<D>],
    ) -> Result<Returned<D>, Unsupported> {
        let kind = self.target.call_kind(call.data).unwrap_or(CallKind::Returning);
        let places = self.places(call);
        let mut passed: Vec<Passed> = args.iter().map(passed).collect();
        passed.extend(places[args.len()..].iter().map(|place| self.on_stack(*place, kind)));
        let ended = |ub| Ok(Returned { results: Vec::new(), ub });
        match passed.first() {
            Some(Passed { value, .. }) if call.name.is_empty() && value.unknown != 0 => return ended(UNDECIDED),
            Some(Passed { value, .. }) if call.name.is_empty() && !is_callable(value.value as u64) => {
                return ended(PartialBool::known(true));
            }
            _ => {}
        }
        let effect = match &mut self.callees.script {
            None if passed.iter().any(|arg| arg.poison) => return ended(PartialBool::known(true)),
            None => self.drawn(environment, call, &passed, &places),
            Some(script) => {
                if is_undecided(script, &passed) {
                    return ended(UNDECIDED);
                }
                let memory = &self.memory;
                match script.call(call.name, &passed, |address, bytes| memory.contents(address, bytes)) {
                    Ok(effect) => effect.clone(),
                    Err(mismatch) => {
                        self.mismatch = Some(mismatch);
                        return ended(UNDECIDED);
                    }
                }
            }
        };
        for (place, bytes) in &effect.writes {
            let address = match &self.callees.script {
                Some(script) => script.address(*place),
                None => self.memory.address(*place),
            };
            if let Some(address) = address {
                self.memory.overwrite(address, bytes);
            }
        }
        self.memory.clear_call_frame();
        if !effect.returns {
            self.callees.stopped = true;
            return ended(PartialBool::known(true));
        }
        let bits = |register| self.target.vocabulary.register_bits(register).max(u64::BITS);
        let results = effect.results.iter().map(|&(register, value)| scalar(Bits::new(value, bits(register))));
        Ok(Returned { results: results.collect(), ub: PartialBool::known(false) })
    }

    /// The places of all arguments: registers, then the words on the stack. A call in place of a return passes words
    /// where its caller's stand.
    fn places(&self, call: &UnknownCall<'_>) -> Vec<ArgumentPlace> {
        let registers = call.argument_registers(self.target);
        let registers = registers.map(|register| register.map_or(ArgumentPlace::Callee, ArgumentPlace::Register));
        let bytes = match self.target.call_kind(call.data) {
            Some(CallKind::Tail) => self.memory.incoming().1,
            _ => self.frame_bytes,
        };
        let words = (0..bytes).step_by(self.target.register_bytes() as usize).map(ArgumentPlace::Stack);
        registers.chain(words).collect()
    }

    /// A word that a call passes on the stack. Bytes that nobody wrote are no part of an argument.
    fn on_stack(&self, place: ArgumentPlace, kind: CallKind) -> Passed {
        let start = match kind {
            CallKind::Tail => self.memory.incoming().0,
            CallKind::Returning => self.memory.stack_pointer(),
        };
        let ArgumentPlace::Stack(offset) = place else { return Passed { value: UNKNOWN, poison: false } };
        let word = self.memory.contents(start + offset, self.target.register_bytes() as usize);
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |value, &byte| value << 8 | u128::from(byte));
        let known = |word: &Bytes| Known { value: number(&word.values), unknown: number(&word.unknown) };
        Passed { value: word.as_ref().map_or(UNKNOWN, known), poison: false }
    }

    /// Decides what the callee does, and keeps the call.
    fn drawn(
        &mut self,
        environment: &ConcreteEnvironment,
        call: &UnknownCall<'_>,
        passed: &[Passed],
        places: &[ArgumentPlace],
    ) -> CalleeEffect {
        let arguments = places.iter().zip(passed).map(|(&place, passed)| {
            let bits = match place {
                ArgumentPlace::Register(register) => self.target.vocabulary.register_bits(register),
                ArgumentPlace::Callee | ArgumentPlace::Stack(_) => self.target.pointer_bits.into(),
            };
            let known = passed.value;
            let object = self.memory.object_at(known.value as u64).filter(|_| known.unknown == 0);
            if let Some((number, _)) = object
                && !self.callees.escaped.contains(&number)
            {
                self.callees.escaped.push(number);
            }
            let value = object.map_or(known, |(_, offset)| Known { value: offset.into(), unknown: 0 });
            CallArgument { place, bits, value, object: object.map(|(number, _)| number) }
        });
        let arguments = arguments.collect();
        let reachable = self.reachable(environment);
        let seen = |place: &Reachable| {
            Some((place.place, self.memory.contents(place.address, usize::try_from(place.bytes).ok()?)?))
        };
        let memory = reachable.iter().filter_map(seen).collect();
        let number = self.calls_made.len();
        let mut choices = Choices::of_call(environment.seed ^ self.seed, number, call.name);
        let effect = CalleeEffect {
            results: results(&mut choices, environment, (call, self.target), &reachable),
            writes: writes(&mut choices, &self.memory, &reachable, self.target.register_bytes() as usize),
            returns: number + 1 < MOST_CALLS,
        };
        let name = call.name.to_string();
        self.calls_made.push(ExternalCall { name, arguments, memory, effect: effect.clone() });
        self.accesses_at_call = self.memory.access_count();
        effect
    }

    fn reachable(&self, environment: &ConcreteEnvironment) -> Vec<Reachable> {
        let is_shared = |(address, _): &(u64, u64)| !environment.private.contains(address);
        let buffers = self.memory.buffer_ranges().filter(is_shared);
        let buffers = buffers.map(|(address, bytes)| Reachable { place: MemoryPlace::At(address), address, bytes });
        let objects = self.callees.escaped.iter().filter_map(|&number| {
            let (offset, bytes) = self.memory.reachable_range(number)?;
            let address = self.memory.object_range(number)?.0 + offset;
            Some(Reachable { place: MemoryPlace::Object(number, offset), address, bytes })
        });
        buffers.chain(objects).collect()
    }
}

/// True if bits that the source fixes depend on a nondeterministic choice here.
fn is_undecided(script: &CallScript<'_>, passed: &[Passed]) -> bool {
    let expected = script.expected().map_or(&[][..], |call| call.arguments.as_slice());
    let open = |(meant, came): (&CallArgument, &Passed)| !came.poison && came.value.unknown & !meant.value.unknown != 0;
    expected.iter().zip(passed).any(open)
}

fn passed<D: Numbers>(arg: &Value<D>) -> Passed {
    let value = Known { value: low(&arg.bits.value), unknown: low(&arg.bits.unknown) };
    Passed { value, poison: arg.poison.value || arg.poison.unknown }
}

fn results(
    choices: &mut Choices,
    environment: &ConcreteEnvironment,
    (call, target): (&UnknownCall<'_>, &Target),
    reachable: &[Reachable],
) -> Vec<(PReg, u128)> {
    let buffers: SmallVec<[u64; 8]> = reachable
        .iter()
        .filter(|place| matches!(place.place, MemoryPlace::At(_)) && place.bytes > 0)
        .map(|place| place.address)
        .collect();
    let is_pointer = environment.return_pointers.contains(call.name) && !buffers.is_empty();
    let value = |&register: &PReg| match is_pointer {
        true => (register, buffers[choices.below(buffers.len())].into()),
        // Of a wide register the low half is no number of its own.
        false if target.vocabulary.register_bits(register) > u64::BITS => {
            (register, u128::from(choices.word()) << u64::BITS | u128::from(choices.word()))
        }
        false => (register, choices.number().into()),
    };
    call.results.iter().map(value).collect()
}

/// What a callee writes: nothing, new contents of places that the caller used, or of all of one object.
fn writes(
    choices: &mut Choices,
    memory: &ConcreteMemory,
    reachable: &[Reachable],
    word: usize,
) -> Vec<(MemoryPlace, Vec<u8>)> {
    let places = match choices.below(4) {
        0 => Vec::new(),
        1 | 2 => {
            let mut used = memory.latest_accesses(MOST_PLACES);
            used.retain(|_| choices.below(4) != 0);
            used
        }
        _ => words(choices, reachable, word),
    };
    let new = |(address, bytes)| {
        let place = place_of(reachable, address)?;
        Some((place, contents(choices, memory, reachable, address, bytes, word)?))
    };
    places.into_iter().filter_map(new).collect()
}

/// The words of one object: addresses, and sizes in bytes.
fn words(choices: &mut Choices, reachable: &[Reachable], word: usize) -> Vec<(u64, usize)> {
    let filled: SmallVec<[&Reachable; 8]> = reachable.iter().filter(|place| place.bytes > 0).collect();
    if filled.is_empty() {
        return Vec::new();
    }
    let object = filled[choices.below(filled.len())];
    let place = |offset| (object.address.wrapping_add(offset), word.min((object.bytes - offset) as usize));
    (0..object.bytes).step_by(word).map(place).collect()
}

fn place_of(reachable: &[Reachable], address: u64) -> Option<MemoryPlace> {
    reachable.iter().find_map(|place| {
        let offset = address.checked_sub(place.address).filter(|&offset| offset < place.bytes)?;
        Some(match place.place {
            MemoryPlace::At(start) => MemoryPlace::At(start + offset),
            MemoryPlace::Object(number, start) => MemoryPlace::Object(number, start + offset),
        })
    })
}

/// New contents of some bytes; `None` to leave them. A pointer stays one.
fn contents(
    choices: &mut Choices,
    memory: &ConcreteMemory,
    reachable: &[Reachable],
    address: u64,
    bytes: usize,
    word: usize,
) -> Option<Vec<u8>> {
    let old = memory.contents(address, bytes)?.values;
    let number = old.iter().take(8).rev().fold(0u64, |value, &byte| value << 8 | u64::from(byte));
    let is_pointer = bytes == word && memory.holds(number);
    let new = match (is_pointer, choices.below(4)) {
        (true, 0..3) => return None,
        (true, _) => {
            reachable.iter().find(|place| matches!(place.place, MemoryPlace::At(_)) && place.bytes > 0)?.address
        }
        (false, 0) => choices.word(),
        (false, 1) => number ^ 1,
        (false, _) => choices.word() % 5,
    };
    let pattern = new.to_le_bytes();
    Some((0..bytes).map(|index| pattern.get(index).copied().unwrap_or(0)).collect())
}
