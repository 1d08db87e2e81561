//! Operations on memory of the runtime library: libgcc's, of which LLVM calls its outlined atomics (`lse.S`), and those
//! of libatomic (GCC's `Atomic/GCCMM/LIbrary` interface), which take the ordering as C's constant.

use std::fmt;
use tribunal_ir::semantics::{Domain, Evaluation, Memory, Unsupported, Value, evaluate_atomic};
use tribunal_ir::{AtomicOrdering, Family, MemFlags, MemOperand, Opcode, Type};

/// A function that touches one place of memory in one, and returns what was there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AtomicFunction {
    /// Its meaning is that of this opcode on values as wide as the access.
    pub opcode: Opcode,
    /// The width of the access, in bits.
    pub bits: u32,
    /// The ordering of the access, whether it fails or not; `None` if arguments say it.
    pub ordering: Option<AtomicOrdering>,
}

/// The functions that code may call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AtomicLibrary {
    /// The outlined atomics, and those of libatomic for everything else. Not every libatomic makes accesses of 128 bits
    /// without a lock, as an outlined one does: rules do not mix them.
    Outlined,
    /// Those of libatomic.
    Libatomic,
}

/// An argument of such a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AtomicArgument {
    /// The address of the place.
    Address,
    /// The address of the expected value. A comparison that fails writes there what it found.
    Expected,
    /// A value as wide as the access.
    Value,
    /// The ordering as C numbers it, an `int`; a second one is that of a comparison that fails.
    Ordering,
}

/// The outlined atomics. The one that stands for a bitwise and takes the bits to clear.
const OUTLINED: [(&str, Opcode); 6] = [
    ("cas", Opcode::G_ATOMIC_CMPXCHG),
    ("swp", Opcode::G_ATOMICRMW_XCHG),
    ("ldadd", Opcode::G_ATOMICRMW_ADD),
    ("ldclr", Opcode::G_ATOMICRMW_AND),
    ("ldeor", Opcode::G_ATOMICRMW_XOR),
    ("ldset", Opcode::G_ATOMICRMW_OR),
];

/// The orderings of their names. Acquiring loads and releasing stores of AArch64 are ordered among each other, so the
/// strongest is sequentially consistent.
const ORDERINGS: [(&str, AtomicOrdering); 4] = [
    ("relax", AtomicOrdering::Monotonic),
    ("acq", AtomicOrdering::Acquire),
    ("rel", AtomicOrdering::Release),
    ("acq_rel", AtomicOrdering::SequentiallyConsistent),
];

/// The functions of libatomic.
const LIBATOMIC: [(&str, Opcode); 10] = [
    ("load", Opcode::G_LOAD),
    ("store", Opcode::G_STORE),
    ("exchange", Opcode::G_ATOMICRMW_XCHG),
    ("compare_exchange", Opcode::G_ATOMIC_CMPXCHG),
    ("fetch_add", Opcode::G_ATOMICRMW_ADD),
    ("fetch_sub", Opcode::G_ATOMICRMW_SUB),
    ("fetch_and", Opcode::G_ATOMICRMW_AND),
    ("fetch_or", Opcode::G_ATOMICRMW_OR),
    ("fetch_xor", Opcode::G_ATOMICRMW_XOR),
    ("fetch_nand", Opcode::G_ATOMICRMW_NAND),
];

/// C's `memory_order`, by number; `consume` is as strong as `acquire`.
const C_ORDERINGS: [AtomicOrdering; 6] = [
    AtomicOrdering::Monotonic,
    AtomicOrdering::Acquire,
    AtomicOrdering::Acquire,
    AtomicOrdering::Release,
    AtomicOrdering::AcquireRelease,
    AtomicOrdering::SequentiallyConsistent,
];

/// The common beginnings of the names.
const OUTLINED_PREFIX: &str = "__aarch64_";
const LIBATOMIC_PREFIX: &str = "__atomic_";
/// C's `int` and `bool`, in bits.
const INT_BITS: u32 = 32;
const BOOL_BITS: u32 = 8;

/// The name of this opcode.
fn name_of(names: &[(&'static str, Opcode)], opcode: Opcode) -> Option<&'static str> {
    names.iter().find(|(_, own)| *own == opcode).map(|(name, _)| *name)
}

impl AtomicFunction {
    fn new(opcode: Opcode, bits: u32, ordering: Option<AtomicOrdering>) -> Option<AtomicFunction> {
        let widest = if ordering.is_none() || opcode == Opcode::G_ATOMIC_CMPXCHG { 128 } else { 64 };
        let fits = bits.is_power_of_two() && (8..=widest).contains(&bits);
        fits.then_some(AtomicFunction { opcode, bits, ordering })
    }

    /// The opcodes that read, modify and write, of which the library has a function.
    pub fn read_modify_writes(library: AtomicLibrary) -> Vec<Opcode> {
        let of = |names: &[(&str, Opcode)]| names.iter().map(|(_, opcode)| *opcode).collect::<Vec<Opcode>>();
        let all = match library {
            AtomicLibrary::Outlined => of(&OUTLINED),
            AtomicLibrary::Libatomic => of(&LIBATOMIC),
        };
        let is_one = |opcode: &Opcode| opcode.info().is_some_and(|i| i.family == Family::Atomic && !i.fails());
        all.into_iter().filter(is_one).collect()
    }

    /// The function with this symbol.
    pub fn named(name: &str) -> Option<AtomicFunction> {
        let size = |bytes: &str| ["1", "2", "4", "8", "16"].iter().position(|known| *known == bytes);
        if let Some(rest) = name.strip_prefix(LIBATOMIC_PREFIX) {
            let (operation, bytes) = rest.rsplit_once('_')?;
            let opcode = LIBATOMIC.iter().find(|(name, _)| *name == operation)?.1;
            return AtomicFunction::new(opcode, 8 << size(bytes)?, None);
        }
        let rest = name.strip_prefix(OUTLINED_PREFIX)?;
        let (opcode, rest) = OUTLINED.iter().find_map(|(name, opcode)| Some((*opcode, rest.strip_prefix(name)?)))?;
        let (bytes, ordering) = rest.split_once('_')?;
        let ordering = ORDERINGS.iter().find(|(name, _)| *name == ordering)?.1;
        AtomicFunction::new(opcode, 8 << size(bytes)?, Some(ordering))
    }

    /// The function that does on `bits` bits as `opcode` does, no less ordered.
    pub fn of(library: AtomicLibrary, opcode: Opcode, bits: u32, ordering: AtomicOrdering) -> Option<AtomicFunction> {
        let named = ORDERINGS.iter().map(|(_, own)| *own).find(|own| own.is_at_least_or_stronger_than(ordering));
        let outlined = match library {
            AtomicLibrary::Outlined => {
                name_of(&OUTLINED, opcode).and_then(|_| AtomicFunction::new(opcode, bits, named))
            }
            AtomicLibrary::Libatomic => None,
        };
        let other = || name_of(&LIBATOMIC, opcode).and_then(|_| AtomicFunction::new(opcode, bits, None));
        outlined.or_else(other)
    }

    /// True if it takes the complement of the operand that its opcode has.
    pub fn takes_complement(&self) -> bool {
        self.ordering.is_some() && self.opcode == Opcode::G_ATOMICRMW_AND
    }

    /// Its arguments, in order.
    pub fn arguments(&self) -> &'static [AtomicArgument] {
        use AtomicArgument::{Address, Expected, Ordering, Value};
        match (self.opcode, self.ordering) {
            (Opcode::G_ATOMIC_CMPXCHG, Some(_)) => &[Value, Value, Address],
            (_, Some(_)) => &[Value, Address],
            (Opcode::G_LOAD, None) => &[Address, Ordering],
            (Opcode::G_ATOMIC_CMPXCHG, None) => &[Address, Expected, Value, Ordering, Ordering],
            (_, None) => &[Address, Value, Ordering],
        }
    }

    /// The width of an argument, in bits, where an address has so many.
    pub fn bits_of(&self, argument: AtomicArgument, pointer_bits: u32) -> u32 {
        match argument {
            AtomicArgument::Address | AtomicArgument::Expected => pointer_bits,
            AtomicArgument::Value => self.bits,
            AtomicArgument::Ordering => INT_BITS,
        }
    }

    /// The width of the result, in bits: 0 if there is none.
    pub fn result_bits(&self) -> u32 {
        match (self.opcode, self.ordering) {
            (Opcode::G_STORE, _) => 0,
            (Opcode::G_ATOMIC_CMPXCHG, None) => BOOL_BITS,
            _ => self.bits,
        }
    }

    /// True if the result says whether a comparison held: a `bool`, which fills its register.
    pub fn returns_success(&self) -> bool {
        self.opcode == Opcode::G_ATOMIC_CMPXCHG && self.ordering.is_none()
    }

    /// C's number of the weakest ordering that promises as much.
    pub fn number_of(ordering: AtomicOrdering) -> i64 {
        // `consume` stands before `acquire`, and nobody writes it.
        let strong = |own: &AtomicOrdering| own.is_at_least_or_stronger_than(ordering);
        match C_ORDERINGS.iter().position(strong) {
            Some(1) => 2,
            place => place.unwrap_or(C_ORDERINGS.len() - 1) as i64,
        }
    }

    /// The access that it makes, so ordered.
    pub fn access(&self, ordering: AtomicOrdering, failure: AtomicOrdering) -> MemOperand {
        let flags = match self.opcode {
            Opcode::G_LOAD => MemFlags::LOAD,
            Opcode::G_STORE => MemFlags::STORE,
            _ => MemFlags::LOAD | MemFlags::STORE,
        };
        let fails = self.opcode.info().is_some_and(|info| info.fails());
        let failure_ordering = if fails { failure } else { AtomicOrdering::NotAtomic };
        MemOperand { ordering, failure_ordering, ..self.plain(flags) }
    }

    fn plain(&self, flags: MemFlags) -> MemOperand {
        MemOperand::new(flags, Type::scalar(self.bits), self.bits / 8)
    }

    /// Evaluates a call on its arguments, as wide as [`AtomicFunction::bits_of`] says. The result has
    /// [`AtomicFunction::result_bits`]. An ordering that the domain does not know is none, and one that C does not have
    /// is undefined behaviour.
    pub fn evaluate<D: Domain, M: Memory<D>>(
        &self,
        domain: &mut D,
        memory: &mut M,
        args: &[Value<D>],
    ) -> Result<Evaluation<D>, Unsupported> {
        let malformed = || Unsupported::new(format!("call of &{self} without arguments"));
        let kinds = self.arguments();
        if kinds.len() != args.len() {
            return Err(malformed());
        }
        let those = |wanted| kinds.iter().zip(args).filter(move |(kind, _)| **kind == wanted).map(|(_, value)| value);
        let address = those(AtomicArgument::Address).next().ok_or_else(malformed)?;
        let (mut orderings, mut ub) = (Vec::new(), domain.boolean(false));
        for ordering in those(AtomicArgument::Ordering) {
            let last = domain.literal(C_ORDERINGS.len() as i64 - 1, domain.width(&ordering.bits));
            let unknown = domain.ult(&last, &ordering.bits);
            ub = domain.bool_or(&ub, &unknown);
            ub = domain.bool_or(&ub, &ordering.poison);
            let number = domain.known(&ordering.bits).and_then(|number| C_ORDERINGS.get(number.low_u64() as usize));
            orderings.push(number.copied().unwrap_or(AtomicOrdering::Monotonic));
        }
        let ordering = self.ordering.or(orderings.first().copied()).unwrap_or(AtomicOrdering::Monotonic);
        let failure = self.ordering.or(orderings.get(1).copied()).unwrap_or(ordering);
        let access = self.access(ordering, failure);
        let values = those(AtomicArgument::Value).cloned();
        let mut evaluation = match those(AtomicArgument::Expected).next() {
            Some(expected) => {
                let new = values.into_iter().next().ok_or_else(malformed)?;
                self.compare_exchange(domain, memory, access, [address.clone(), expected.clone(), new])?
            }
            None => self.operation(domain, memory, access, (address, values.collect()))?,
        };
        evaluation.ub = domain.bool_or(&evaluation.ub, &ub);
        Ok(evaluation)
    }

    /// A load, a store, or an operation whose result is the old value.
    fn operation<D: Domain, M: Memory<D>>(
        &self,
        domain: &mut D,
        memory: &mut M,
        access: MemOperand,
        (address, values): (&Value<D>, Vec<Value<D>>),
    ) -> Result<Evaluation<D>, Unsupported> {
        let (results, outside) = match (self.opcode, values.first()) {
            (Opcode::G_LOAD, _) => {
                let (value, outside) = memory.load(domain, &address.bits, self.bits / 8, &access);
                (vec![value], outside)
            }
            (Opcode::G_STORE, Some(value)) => (Vec::new(), memory.store(domain, &address.bits, value, &access)),
            _ => {
                let mut operands = vec![address.clone()];
                operands.extend(values.into_iter().map(|value| match self.takes_complement() {
                    true => Value::new(domain.not(&value.bits), value.poison),
                    false => value,
                }));
                return evaluate_atomic(domain, memory, self.opcode, access, &operands);
            }
        };
        let ub = domain.bool_or(&outside, &address.poison);
        Ok(Evaluation { results: results.into(), ub })
    }

    /// A comparison that finds its expected value in memory, and leaves there what it found. The result is its success.
    fn compare_exchange<D: Domain, M: Memory<D>>(
        &self,
        domain: &mut D,
        memory: &mut M,
        access: MemOperand,
        [address, place, new]: [Value<D>; 3],
    ) -> Result<Evaluation<D>, Unsupported> {
        let (expected, unreadable) = memory.load(domain, &place.bits, self.bits / 8, &self.plain(MemFlags::LOAD));
        let operands = [address, expected.clone(), new];
        let mut evaluation = evaluate_atomic(domain, memory, self.opcode, access, &operands)?;
        for old in evaluation.results.iter_mut().take(1) {
            let unwritable = memory.store(domain, &place.bits, old, &self.plain(MemFlags::STORE));
            for condition in [&unreadable, &unwritable, &place.poison] {
                evaluation.ub = domain.bool_or(&evaluation.ub, condition);
            }
            let equal = domain.eq(&old.bits, &expected.bits);
            let bit = domain.bit(&equal);
            let poison = domain.bool_or(&old.poison, &expected.poison);
            *old = Value::new(domain.zext(&bit, BOOL_BITS), poison);
        }
        Ok(evaluation)
    }
}

/// Its symbol.
impl fmt::Display for AtomicFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.bits / 8;
        let Some(ordering) = self.ordering else {
            return write!(f, "{LIBATOMIC_PREFIX}{}_{bytes}", name_of(&LIBATOMIC, self.opcode).unwrap_or(""));
        };
        let ordering = ORDERINGS.iter().find(|(_, own)| *own == ordering).map_or("", |(name, _)| name);
        write!(f, "{OUTLINED_PREFIX}{}{bytes}_{ordering}", name_of(&OUTLINED, self.opcode).unwrap_or(""))
    }
}
