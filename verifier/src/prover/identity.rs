//! The identity of an operation without a definition: everything that its instruction says, so that two operations are
//! one only if nothing distinguishes them.
//!
//! The later function may promise less than the earlier one, and nothing else: [`WEAKENINGS`] has a row for each part
//! that may, with the argument. All other parts are compared as one text: opcode, types, operands by their contents,
//! and of each memory operand type, ordering, scope and whether it is volatile.

use super::side::SideEvaluation;
use std::fmt::Write;
use tribunal_ir::semantics::walk;
use tribunal_ir::{
    AddressData, AtomicOrdering, Block, FencedPairs, InstData, InstFlags, MemFlags, MemOperand, Opcode, Operand, Reg,
    RegFlags, RegOperand, text,
};
use tribunal_target::environment::MemoryFunction;

/// An operation, as far as its own instruction identifies it. Operands that are values are compared apart.
#[derive(Clone, Debug)]
pub(super) struct Identity {
    /// All that must be equal.
    pub what: String,
    /// Promises and licences about values.
    pub flags: InstFlags,
    memory: Vec<Access>,
    is_memory_function: bool,
    /// A memory function may be called in place of the return.
    may_tail: bool,
    /// A memory function whose ranges may overlap.
    may_overlap: bool,
    /// The first byte of a volatile access.
    begins: bool,
    /// How an atomic load or store orders other accesses.
    ordering: AtomicOrdering,
    /// The pairs of accesses that a fence keeps in order.
    fenced: FencedPairs,
}

/// The claims of one memory operand.
#[derive(Clone, Debug)]
struct Access {
    /// What must be equal.
    what: String,
    align: u32,
    promises: MemFlags,
    /// The pointer with its offset, and the metadata, as they are printed.
    claims: [String; 2],
}

/// A part of an operation that the later function may weaken.
pub struct Weakening {
    /// The part, in words.
    pub part: &'static str,
    /// The reason why every behaviour of the weaker operation is one of the stronger.
    pub argument: &'static str,
    allows: fn(&Identity, &Identity) -> bool,
}

/// Flags that are advice: no behaviour depends on them.
pub(super) const ADVICE: InstFlags =
    InstFlags::FRAME_SETUP.union(InstFlags::FRAME_DESTROY).union(InstFlags::NOMERGE).union(InstFlags::UNPREDICTABLE);

/// Promises of a memory operand about its place.
const PROMISES: MemFlags = MemFlags::DEREFERENCEABLE.union(MemFlags::INVARIANT);

/// The parts that may be weaker, each with its argument.
pub const WEAKENINGS: [Weakening; 10] = [
    Weakening {
        part: "flags of the instruction",
        argument: "A flag makes results poison or lets an operation round otherwise; without it fewer results are allowed.",
        allows: |earlier, later| earlier.flags.contains(later.flags.difference(ADVICE)),
    },
    Weakening {
        part: "all memory operands of a memory function",
        argument: "A call of the C function claims nothing, and stands for a volatile one too: LLVM knows no other way.",
        allows: |earlier, later| {
            let same = |(one, other): (&Access, &Access)| one.what == other.what;
            let is_call = later.is_memory_function && later.memory.is_empty();
            is_call || earlier.memory.len() == later.memory.len() && earlier.accesses(later).all(same)
        },
    },
    Weakening {
        part: "claimed alignment",
        argument: "An access with a lower claim is defined wherever one with a higher claim is.",
        allows: |earlier, later| earlier.accesses(later).all(|(one, other)| other.align <= one.align),
    },
    Weakening {
        part: "`dereferenceable` and `invariant`",
        argument: "Both only make executions undefined.",
        allows: |earlier, later| earlier.accesses(later).all(|(one, other)| one.promises.contains(other.promises)),
    },
    Weakening {
        part: "pointer and metadata of a memory operand",
        argument: "Both tell what the access does not alias, or which values it may read; less is known without them.",
        allows: |earlier, later| {
            let kept = |(one, other): (&String, &String)| other.is_empty() || one == other;
            earlier.accesses(later).all(|(one, other)| one.claims.iter().zip(&other.claims).all(kept))
        },
    },
    Weakening {
        part: "tail call of a memory function",
        argument: "The flag allows a tail call and asks for none.",
        allows: |earlier, later| earlier.may_tail || !later.may_tail,
    },
    Weakening {
        part: "`memmove` in place of `memcpy`",
        argument: "Both do the same on ranges that do not overlap, and on others `memcpy` is undefined.",
        allows: |earlier, later| later.may_overlap || !earlier.may_overlap,
    },
    Weakening {
        part: "size of a volatile access",
        argument: "A volatile access may be split where the machine has none as large; two are never made one.",
        allows: |earlier, later| later.begins || !earlier.begins,
    },
    Weakening {
        part: "stronger ordering of an atomic load or store",
        argument: "What is ordered more is seen by other threads in fewer orders.",
        allows: |earlier, later| later.ordering.is_at_least_or_stronger_than(earlier.ordering),
    },
    Weakening {
        part: "more pairs of accesses that a fence keeps in order",
        argument: "What is ordered more is seen by other threads in fewer orders.",
        allows: |earlier, later| later.fenced.contains(earlier.fenced),
    },
];

impl Identity {
    /// Of an operation that its name says all about.
    pub fn named(what: impl Into<String>) -> Identity {
        Identity {
            what: what.into(),
            flags: InstFlags::empty(),
            memory: Vec::new(),
            is_memory_function: false,
            may_tail: false,
            may_overlap: false,
            begins: false,
            ordering: AtomicOrdering::NotAtomic,
            fenced: FencedPairs::empty(),
        }
    }

    /// Of a fence.
    pub fn fence(fenced: FencedPairs) -> Identity {
        Identity { fenced, ..Identity::named("fence") }
    }

    /// The same, as the first byte of an access or another one.
    pub fn beginning(self, begins: bool) -> Identity {
        Identity { begins, ..self }
    }

    /// Whether every behaviour of `later`, on the same values, is one of this operation.
    pub fn allows(&self, later: &Identity) -> bool {
        self.what == later.what && WEAKENINGS.iter().all(|weakening| (weakening.allows)(self, later))
    }

    fn accesses<'i>(&'i self, later: &'i Identity) -> impl Iterator<Item = (&'i Access, &'i Access)> {
        self.memory.iter().zip(&later.memory)
    }
}

impl SideEvaluation<'_> {
    /// The identity of an instruction.
    pub(super) fn identity(&self, data: &InstData) -> Identity {
        let mut identity = Identity::named(self.opcode_name(data));
        identity.flags = data.flags.difference(ADVICE);
        // An instruction of the machine reads bits: before selection their register has a type too.
        let has_types = !matches!(data.opcode, Opcode::Target(_));
        for operand in &data.operands {
            identity.what.push(' ');
            self.describe(&mut identity.what, operand, has_types);
        }
        self.describe_memory(&mut identity, data);
        identity
    }

    /// The identity of an atomic load or store: width, direction and ordering are not those of its memory operand.
    pub(super) fn atomic_identity(&self, named: Identity, data: &InstData, ordering: AtomicOrdering) -> Identity {
        let mut identity = Identity { ordering, ..named };
        self.describe_memory(&mut identity, data);
        identity.memory.iter_mut().for_each(|access| access.what.clear());
        identity
    }

    /// The identity of a memory function, whether an opcode or a call stands for it: its operands are values.
    pub(super) fn memory_function_identity(&self, function: MemoryFunction, data: &InstData) -> Identity {
        let may_overlap = function == MemoryFunction::Move;
        let function = if may_overlap { MemoryFunction::Copy } else { function };
        let mut identity = Identity { may_overlap, is_memory_function: true, ..Identity::named(function.name()) };
        if !matches!(data.opcode, Opcode::Target(_) | Opcode::OPAQUE) {
            if data.opcode == Opcode::G_MEMCPY_INLINE {
                // No function may be called for it.
                identity.what.push_str(" inline");
            }
            self.describe_memory(&mut identity, data);
            identity.may_tail = data.operands.iter().filter_map(Operand::as_imm).any(|flag| flag != 0);
        }
        identity
    }

    fn describe_memory(&self, identity: &mut Identity, data: &InstData) {
        let print = |memory: &MemOperand| text::print_memory(self.function, memory, self.target.vocabulary);
        for memory in &data.memory {
            let plain = MemOperand { flags: memory.flags & (MemFlags::LOAD | MemFlags::STORE), ..*memory };
            let of_place = MemOperand { pointer: memory.pointer, offset: memory.offset, ..bare(&plain) };
            let of_metadata = MemOperand { metadata: memory.metadata, ..bare(&plain) };
            let claim = |operand: MemOperand| if operand == bare(&plain) { String::new() } else { print(&operand) };
            let what = MemOperand { flags: memory.flags.difference(PROMISES | MemFlags::NON_TEMPORAL), ..bare(memory) };
            identity.memory.push(Access {
                what: print(&what),
                align: memory.align,
                promises: memory.flags & PROMISES,
                claims: [claim(of_place), claim(of_metadata)],
            });
        }
    }

    /// An operand by its contents. A register that is a value has its type or its width here, and a register of the
    /// machine its name.
    fn describe(&self, out: &mut String, operand: &Operand, has_types: bool) {
        let written = match operand {
            Operand::Reg(register) => self.describe_register(out, register, has_types),
            // However it is computed: only the parts that the linker sees.
            Operand::Address(address) => {
                let AddressData { base, offset, flags } = self.function.addresses[*address];
                write!(out, "{}{offset:+}/{}", text::print_base(self.function, base), flags.0)
            }
            Operand::Block(block) => write!(out, "bb@{}", self.place_of(*block)),
            other => write!(out, "{}", text::print_operand(self.function, other, self.target.vocabulary)),
        };
        debug_assert!(written.is_ok(), "writing to a string does not fail");
    }

    fn describe_register(&self, out: &mut String, operand: &RegOperand, has_types: bool) -> std::fmt::Result {
        let role = operand.flags & (RegFlags::DEF | RegFlags::IMPLICIT | RegFlags::UNDEF | RegFlags::EARLY_CLOBBER);
        match operand.reg {
            Reg::Virtual(register) => match self.function.type_of(register).filter(|_| has_types) {
                Some(ty) => write!(out, "{ty}")?,
                None => write!(out, "{}", walk::register_bits(self.function, self.target.vocabulary, register))?,
            },
            Reg::Physical(register) => write!(out, "{}", self.target.vocabulary.register_name(register))?,
        }
        write!(out, ":{}.{}", role.bits(), operand.subregister.0)
    }

    /// The block's place in the layout, by which the blocks of both functions are paired.
    fn place_of(&self, block: Block) -> usize {
        self.function.layout().iter().position(|&other| other == block).unwrap_or(usize::MAX)
    }
}

/// The operand without its claims.
fn bare(memory: &MemOperand) -> MemOperand {
    MemOperand { align: 1, pointer: None, offset: 0, metadata: Default::default(), ..*memory }
}
