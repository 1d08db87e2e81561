//! Operations on memory of the runtime library (libgcc's `lse.S`; LLVM calls them outlined atomics).

use std::fmt;
use tribunal_ir::semantics::{Domain, Evaluation, Memory, Unsupported, Value, evaluate_atomic};
use tribunal_ir::{AtomicOrdering, MemFlags, MemOperand, Opcode, Type};

/// A function that reads, changes and writes a place of memory in one, and returns what was there. Its arguments are
/// the values, of which an exchange that compares has two, then the address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AtomicFunction {
    /// Its meaning is that of this opcode on values as wide as the access.
    pub opcode: Opcode,
    /// The width of the access, in bits.
    pub bits: u32,
    /// The ordering of the access, whether it fails or not.
    pub ordering: AtomicOrdering,
}

/// The instructions of the names. The one that stands for a bitwise and takes the bits to clear.
const INSTRUCTIONS: [(&str, Opcode); 6] = [
    ("cas", Opcode::G_ATOMIC_CMPXCHG),
    ("swp", Opcode::G_ATOMICRMW_XCHG),
    ("ldadd", Opcode::G_ATOMICRMW_ADD),
    ("ldclr", Opcode::G_ATOMICRMW_AND),
    ("ldeor", Opcode::G_ATOMICRMW_XOR),
    ("ldset", Opcode::G_ATOMICRMW_OR),
];

/// The orderings of the names. Acquiring loads and releasing stores of AArch64 are ordered among each other, so the
/// strongest is sequentially consistent.
const ORDERINGS: [(&str, AtomicOrdering); 4] = [
    ("relax", AtomicOrdering::Monotonic),
    ("acq", AtomicOrdering::Acquire),
    ("rel", AtomicOrdering::Release),
    ("acq_rel", AtomicOrdering::SequentiallyConsistent),
];

/// The common beginning of the names.
const PREFIX: &str = "__aarch64_";

impl AtomicFunction {
    fn new(opcode: Opcode, bits: u32, ordering: AtomicOrdering) -> Option<AtomicFunction> {
        let widest = if opcode == Opcode::G_ATOMIC_CMPXCHG { 128 } else { 64 };
        let fits = bits.is_power_of_two() && (8..=widest).contains(&bits);
        fits.then_some(AtomicFunction { opcode, bits, ordering })
    }

    /// The opcodes of its kind that read, modify and write.
    pub fn read_modify_writes() -> Vec<Opcode> {
        let all = INSTRUCTIONS.iter().map(|(_, opcode)| *opcode);
        all.filter(|&opcode| opcode != Opcode::G_ATOMIC_CMPXCHG).collect()
    }

    /// The function with this symbol.
    pub fn named(name: &str) -> Option<AtomicFunction> {
        let rest = name.strip_prefix(PREFIX)?;
        let (opcode, rest) =
            INSTRUCTIONS.iter().find_map(|(name, opcode)| Some((*opcode, rest.strip_prefix(name)?)))?;
        let (bytes, ordering) = rest.split_once('_')?;
        let ordering = ORDERINGS.iter().find(|(name, _)| *name == ordering)?.1;
        let bytes = ["1", "2", "4", "8", "16"].iter().position(|known| *known == bytes)?;
        AtomicFunction::new(opcode, 8 << bytes, ordering)
    }

    /// The function that does on `bits` bits as `opcode` does, no less ordered.
    pub fn of(opcode: Opcode, bits: u32, ordering: AtomicOrdering) -> Option<AtomicFunction> {
        let known = INSTRUCTIONS.iter().any(|(_, own)| *own == opcode);
        let ordering = ORDERINGS.iter().map(|(_, own)| *own).find(|own| own.is_at_least_or_stronger_than(ordering))?;
        AtomicFunction::new(opcode, bits, ordering).filter(|_| known)
    }

    /// True if it takes the complement of the operand that its opcode has.
    pub fn takes_complement(&self) -> bool {
        self.opcode == Opcode::G_ATOMICRMW_AND
    }

    /// The number of its arguments but the address.
    pub fn values(&self) -> usize {
        self.opcode.info().map_or(0, |info| info.uses.len().saturating_sub(1))
    }

    /// The access that it makes.
    pub fn access(&self) -> MemOperand {
        let plain = MemOperand::new(MemFlags::LOAD | MemFlags::STORE, Type::scalar(self.bits), self.bits / 8);
        let fails = self.opcode.info().is_some_and(|info| info.fails());
        let failure_ordering = if fails { self.ordering } else { AtomicOrdering::NotAtomic };
        MemOperand { ordering: self.ordering, failure_ordering, ..plain }
    }

    /// Evaluates a call on its arguments. The result, and the values, are as wide as the access.
    pub fn evaluate<D: Domain, M: Memory<D>>(
        &self,
        domain: &mut D,
        memory: &mut M,
        args: &[Value<D>],
    ) -> Result<Evaluation<D>, Unsupported> {
        let Some((address, values)) = args.split_last() else {
            return Err(Unsupported::new(format!("call of &{self} without arguments")));
        };
        let mut operands = vec![address.clone()];
        operands.extend(values.iter().map(|value| {
            Value::new(
                if self.takes_complement() { domain.not(&value.bits) } else { value.bits.clone() },
                value.poison.clone(),
            )
        }));
        evaluate_atomic(domain, memory, self.opcode, self.access(), &operands)
    }
}

/// Its symbol.
impl fmt::Display for AtomicFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let instruction = INSTRUCTIONS.iter().find(|(_, opcode)| *opcode == self.opcode).map_or("", |(name, _)| name);
        let ordering = ORDERINGS.iter().find(|(_, ordering)| *ordering == self.ordering).map_or("", |(name, _)| name);
        write!(f, "{PREFIX}{instruction}{}_{ordering}", self.bits / 8)
    }
}
