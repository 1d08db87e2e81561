//! Uninterpreted functions: operations that the semantics do not define. These are elementary functions, scalable
//! vectors, intrinsics, calls, and addresses of globals.
//!
//! An operation without effects is a function of its operands: on equal operands both sides get the same results.
//! Operations with effects form a sequence, and so do those that make a choice: the k-th of the later side must be the
//! k-th of the earlier one, on operands that must be proved equal at that point. Its results, and the memory after it,
//! are the same unknowns on both sides.
//! `tribunal_target::runtime` defines functions that the legalizer calls, `tribunal_target::environment` what calls.

use super::earlier::Earlier;
use super::effects::makes_choice;
use super::identity::Identity;
use super::side::{Assumption, CallFrame, Exit, Scalar, Side, SideEvaluation, SideState};
use super::term::{MemTerm, Symbolic, Term};
use super::validate::Undef;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use tribunal_ir::bits::{Bits, MAX_BITS};
use tribunal_ir::entities::ConstantPoolIndex;
use tribunal_ir::opcode::Undefined;
use tribunal_ir::semantics::walk;
use tribunal_ir::semantics::{Domain, Memory, Unsupported, Value};
use tribunal_ir::{
    AddressBase, Function, InstData, InstFlags, Opcode, OpcodeFlags, Operand, RegOperand, TargetFlags, VReg,
};
use tribunal_target::environment::{
    self, AddressKind, Environment, LinkedAddress, MemoryFunction, Returned, UnknownCall,
};
use tribunal_target::instructions::Extension;
use tribunal_target::parts;
use tribunal_target::promises::Promises;
use tribunal_target::variable_arguments::VaOperation;

/// A pure operation, in the order of a block.
#[derive(Clone)]
pub(super) struct Applied {
    identity: Identity,
    args: Vec<Scalar>,
}

/// One operation with effects.
#[derive(Clone)]
pub(super) struct Effect {
    pub identity: Identity,
    pub args: Vec<Scalar>,
    pub results: Vec<Scalar>,
    /// Undefined behaviour up to here.
    pub ub: Term,
    /// Contents and poison of memory before it, if it touches memory.
    pub memory: Option<(MemTerm, MemTerm)>,
    /// The number of the memory after it.
    pub place: u32,
}

/// A pure operation on some operands: what is unknown of it.
#[derive(Clone)]
pub(super) struct KnownResults {
    /// The promises and licences that it has.
    flags: InstFlags,
    results: Vec<Term>,
    /// Whether a flag of the operation makes each result poison; of a vector, each element.
    poison: Vec<Vec<Term>>,
    /// Whether it is undefined on these operands.
    ub: Term,
}

/// A pure operation by its identity but for the flags, and by its operands.
pub(super) type Application = (String, Vec<Term>);

/// An unknown address: the same one wherever it is named.
#[derive(PartialEq, Eq, Hash)]
pub(super) enum Start {
    /// Of an entity that both sides share, by its name in text: the part of it that the flags select.
    Entity(String, TargetFlags),
    /// That which the thread pointer holds.
    ThreadPointer,
    /// Of a constant of one side.
    Constant(ConstantPoolIndex, PairMember),
}

/// One of the two functions.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum PairMember {
    Earlier,
    Later,
}

/// State shared by both sides of a whole function.
pub(super) struct Uninterpreted {
    addresses: FxHashMap<Start, Term>,
    /// Those of the earlier function, on whatever path: equal operations on equal operands are equal everywhere.
    pure: FxHashMap<Application, Vec<KnownResults>>,
    /// Whether a flag makes an operation poison on some operands.
    pub flags: FxHashMap<Application, Term>,
    places: u32,
    /// The bits above a part that no instruction wrote, by the part and the width of the whole.
    pub rests: FxHashMap<(Term, u32), Term>,
    /// The earlier side's operations in this block; `None` while that side is evaluated.
    pub earlier: Option<Earlier>,
    /// The meaning of undefined values.
    pub undef: Undef,
    /// Memory functions of few bytes are loads and stores of bytes, not effects.
    pub expands: bool,
    /// Some register of either function is a vector.
    pub has_vectors: bool,
    /// The constants that both functions have at the same place, so that their addresses may be compared.
    pub shared_constants: Vec<ConstantPoolIndex>,
    /// Registers that the later function's machine loads fill, with the extension of what they load.
    pub later_loads: FxHashMap<VReg, Extension>,
}

/// Conditions under which a row's operation on values is undefined. Those of its accesses to memory are the memory's.
const UNDEFINED: Undefined = Undefined::DIVISOR.union(Undefined::QUOTIENT).union(Undefined::CONDITION);

/// Whether an effect reads or writes memory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Touches {
    Memory,
    Nothing,
}

/// The markers around a call, by LLVM's names, where the target has no rows for them.
const CALL_FRAME: [&str; 2] = ["ADJCALLSTACKDOWN", "ADJCALLSTACKUP"];

/// The largest object or range, in bytes, that is followed byte by byte.
pub(super) const MOST_BYTES: u32 = 64;

impl Uninterpreted {
    /// `places` counts the memories that blocks start with.
    pub fn new(places: u32, undef: Undef, expands: bool) -> Uninterpreted {
        Uninterpreted {
            addresses: FxHashMap::default(),
            pure: FxHashMap::default(),
            flags: FxHashMap::default(),
            places,
            rests: FxHashMap::default(),
            earlier: None,
            undef,
            expands,
            has_vectors: false,
            shared_constants: Vec::new(),
            later_loads: FxHashMap::default(),
        }
    }

    /// The number of the memory after an effect: one more, if it touches memory.
    pub fn place_after(&mut self, touches: Touches) -> u32 {
        self.places += u32::from(touches == Touches::Memory);
        self.places
    }

    /// Whether an address is at a known distance from a constant of the pool.
    pub fn is_of_constant(&self, d: &Symbolic, address: Term) -> bool {
        let mut constants = self.addresses.iter().filter(|(start, _)| matches!(start, Start::Constant(..)));
        constants.any(|(_, &base)| d.distance(base, address).is_some())
    }

    /// The number of one more memory.
    pub fn new_place(&mut self) -> u32 {
        self.places += 1;
        self.places
    }
}

fn printed(immediates: &[i64]) -> String {
    immediates.iter().map(i64::to_string).collect::<Vec<String>>().join(" ")
}

/// An operation of the later side without a counterpart on the earlier side.
pub(super) fn changed(name: &str) -> Unsupported {
    Unsupported::different(format!("an operation that is not the earlier one's: {name}"))
}

impl SideEvaluation<'_> {
    /// Evaluates `data` if this file handles its kind; false if the semantics may define it.
    pub(super) fn uninterpreted(&mut self, side: &mut Side, data: &InstData) -> Result<bool, Unsupported> {
        let is_of_list = VaOperation::of(self.function, data).is_some();
        let is_known = is_of_list
            || MemoryFunction::of_opcode(data.opcode).is_some()
            || environment::is_thread_pointer(self.function, data);
        if self.opaque.is_none() && !is_known {
            return Ok(false);
        }
        match data.opcode {
            Opcode::LIFETIME_START | Opcode::LIFETIME_END => return self.lifetime(side, data).map(|()| true),
            _ => {}
        }
        if let Some(list) = data.vreg_uses().next().filter(|_| is_of_list && self.opaque.is_some()) {
            let address = self.read(side, list).bits;
            self.note_claim(side, data, address);
        }
        self.call_frame(side, data)?;
        if self.is_unrelated_page(side, data) {
            return self.other(side, data).map(|()| true);
        }
        let target = self.target;
        match environment::execute(target, &mut SideState { evaluation: self, side }, data)? {
            Some(transfer) => {
                self.follow(side, transfer);
                Ok(true)
            }
            None if parts::makes_of_part(self.function, target.vocabulary, data) => Ok(false),
            None if data.opcode == Opcode::OPAQUE => self.other(side, data).map(|()| true),
            None => Ok(false),
        }
    }

    /// The markers around a call. The first is part of the call, since an unknown function reads its arguments on the
    /// stack; the second is an effect where such a function was called.
    fn call_frame(&mut self, side: &mut Side, data: &InstData) -> Result<(), Unsupported> {
        let marker = self.function.opaque_name(data).filter(|name| CALL_FRAME.contains(name));
        if marker.is_none() && !self.target.is_call_frame(data) {
            return Ok(());
        }
        let opens = self.target.opens_call_frame(data) || marker == Some(CALL_FRAME[0]);
        if opens == side.frame.is_some() {
            return Err(Unsupported::new("a call frame in a call frame, or the end of none"));
        }
        let immediates: Vec<i64> = data.operands.iter().filter_map(Operand::as_imm).collect();
        if opens {
            side.frame = Some(CallFrame { immediates, is_used: false });
            return Ok(());
        }
        let Some(frame) = side.frame.take() else { return Ok(()) };
        // A callee that pops bytes is one that reads its arguments on the stack: no function known here does.
        if frame.immediates.first() != immediates.first()
            || !frame.is_used && immediates.iter().skip(1).any(|&popped| popped != 0)
        {
            return Err(Unsupported::different("a call frame that ends with another size"));
        }
        if frame.is_used {
            let immediates = printed(&immediates);
            self.effect(
                side,
                Identity::named(format!("end of a call frame {immediates}")),
                Vec::new(),
                &[],
                Touches::Nothing,
            )?;
        }
        Ok(())
    }

    /// The contents of an object at either end of its life are anything, and so is whether it may be touched.
    fn lifetime(&mut self, side: &mut Side, data: &InstData) -> Result<(), Unsupported> {
        let identity = self.identity(data);
        let Some(Operand::Stack(slot)) = data.operands.first() else {
            return Err(Unsupported::malformed(data.opcode));
        };
        let bytes = self.function.stack.get(*slot).map_or(0, |object| object.size);
        if bytes > u64::from(MOST_BYTES) {
            return self.effect(side, identity, Vec::new(), &[], Touches::Memory).map(|_| ());
        }
        let widths: Vec<u32> = (0..bytes).flat_map(|_| [8, 1]).collect();
        let results = self.effect(side, identity, Vec::new(), &widths, Touches::Nothing)?;
        let start = side.memory.frame_address(self.d, *slot, self.target.pointer_bits.into());
        for (index, byte) in (0..).zip(results.chunks_exact(2)) {
            side.memory.begin_or_end_life(self.d, (start, index), &byte[0], byte[1].bits);
        }
        Ok(())
    }

    /// An address that the environment places, and that of its entity.
    fn linked_place(&mut self, address: &LinkedAddress<'_>) -> (Term, Term) {
        let (start, align) = match address.base {
            AddressBase::Constant(index) => {
                let is_shared = self.opaque.as_ref().is_some_and(|opaque| opaque.shared_constants.contains(&index));
                let is_later = self.is_later() && !is_shared;
                let align = self.function.constants.get(index).and_then(|constant| constant.align).unwrap_or(1);
                (Start::Constant(index, if is_later { PairMember::Later } else { PairMember::Earlier }), align)
            }
            _ => (Start::Entity(address.name.clone(), address.flags), 1),
        };
        let base = self.aligned_variable_of(start, align);
        let offset = self.d.literal(address.offset, self.target.pointer_bits.into());
        (self.d.add(&base, &offset), base)
    }

    /// True for the second half of an address whose first half is not the page of the same symbol.
    fn is_unrelated_page(&mut self, side: &mut Side, data: &InstData) -> bool {
        let address = LinkedAddress::of(self.function, self.target.vocabulary, data)
            .filter(|address| address.kind == AddressKind::InPage);
        let Some(address) = address else { return false };
        let place = self.linked_place(&address).0;
        let page = page(self.d, place);
        data.vreg(2).map(|register| self.read(side, register).bits) != Some(page)
    }

    /// Any operation without a definition: an unknown function, with effects if the opcode has any.
    pub(super) fn other(&mut self, side: &mut Side, data: &InstData) -> Result<(), Unsupported> {
        // The opcode of one machine may depend on its place, whatever its row says.
        let is_machine = matches!(data.opcode, Opcode::Target(_));
        let effects = OpcodeFlags::LOAD | OpcodeFlags::STORE | OpcodeFlags::SIDE_EFFECTS | OpcodeFlags::TERMINATOR;
        let flags = self.function.opcode_flags(data, self.target.vocabulary);
        let identity = self.identity(data);
        let args = self.arguments(side, data)?;
        let mut widths: SmallVec<[u32; 4]> = data.defs().map(|operand| self.operand_width(operand)).collect();
        if widths.iter().any(|&bits| bits > MAX_BITS) {
            return Err(Unsupported::new(self.opcode_name(data)));
        }
        let branches = flags.contains(OpcodeFlags::BRANCH) && !flags.contains(OpcodeFlags::BARRIER);
        widths.extend(branches.then_some(1));
        let touches = if is_machine || flags.intersects(effects) { Touches::Memory } else { Touches::Nothing };
        let mut results = match touches == Touches::Memory || makes_choice(data.opcode) {
            true => {
                let elements = self.elements_of_results(data).into_iter().chain(branches.then_some(1));
                let shapes: Vec<(u32, u32)> = widths.iter().copied().zip(elements).collect();
                self.effect_of_shapes(side, identity, args, &shapes, touches)?
            }
            false => self.pure(side, data, identity, args, &widths)?,
        };
        self.extend_loaded(data, &mut results);
        if branches {
            // One more result: whether it is taken.
            let taken = results.pop().ok_or_else(|| Unsupported::new(self.opcode_name(data)))?;
            self.branch(side, taken.bits, walk::label(data)?);
        } else if flags.contains(OpcodeFlags::BARRIER) {
            side.exit = Exit::Anywhere;
        }
        self.define(side, data, results)
    }

    pub(super) fn operand_width(&self, operand: &RegOperand) -> u32 {
        walk::operand_bits(self.function, self.target.vocabulary, operand)
    }

    /// Whether this is the later of two functions.
    pub(super) fn is_later(&self) -> bool {
        self.opaque.as_ref().is_some_and(|opaque| opaque.earlier.is_some())
    }

    /// LLVM's name of the operation.
    pub(super) fn opcode_name(&self, data: &InstData) -> String {
        match data.opcode {
            Opcode::Target(opcode) => self.target.vocabulary.opcode_name(opcode).to_string(),
            Opcode::OPAQUE => self.function.opaque_name(data).unwrap_or_default().to_string(),
            generic => generic.to_string(),
        }
    }

    /// Values of all registers read but the stack pointer.
    fn arguments(&mut self, side: &mut Side, data: &InstData) -> Result<Vec<Scalar>, Unsupported> {
        let stack = self.target.abi.stack_pointer;
        let uses: Vec<RegOperand> =
            data.uses().filter(|operand| operand.reg.as_physical() != Some(stack)).copied().collect();
        let mut state = SideState { evaluation: self, side };
        uses.iter().map(|operand| walk::read(&mut state, operand)).collect()
    }

    fn define(&mut self, side: &mut Side, data: &InstData, results: Vec<Scalar>) -> Result<(), Unsupported> {
        let mut state = SideState { evaluation: self, side };
        data.defs().zip(results).try_for_each(|(operand, value)| walk::write(&mut state, operand, value))
    }

    /// The variable for an unknown address.
    pub(super) fn variable_of(&mut self, start: Start) -> Term {
        self.aligned_variable_of(start, 1)
    }

    /// An unknown address that is a multiple of `align`, a power of two.
    fn aligned_variable_of(&mut self, start: Start, align: u32) -> Term {
        let (bits, zeros) = (u32::from(self.target.pointer_bits), align.trailing_zeros());
        let addresses = match self.opaque.as_deref_mut() {
            Some(opaque) => &mut opaque.addresses,
            None => &mut self.inputs.addresses,
        };
        *addresses.entry(start).or_insert_with(|| {
            let above = self.d.variable(bits - zeros);
            let below = (zeros > 0).then(|| self.d.literal(0, zeros));
            below.map_or(above, |below| self.d.concatenate(above, below))
        })
    }

    /// A function of its operands and of nothing else.
    fn pure(
        &mut self,
        side: &mut Side,
        data: &InstData,
        identity: Identity,
        args: Vec<Scalar>,
        widths: &[u32],
    ) -> Result<Vec<Scalar>, Unsupported> {
        let is_vector = |register| self.function.type_of(register).is_none_or(|ty| ty.is_vector());
        let vector = data.vreg_defs().chain(data.vreg_uses()).any(is_vector);
        let application_of = |args: &[Scalar]| application(data, &identity, args, vector);
        let application = application_of(&args);
        let shapes: Vec<(u32, u32)> = widths.iter().copied().zip(self.elements_of_results(data)).collect();
        let KnownResults { results, poison, ub, flags } = match self.known(side, &identity, &application) {
            Some(known) => known,
            None => {
                let of_scalars = |args: &[Scalar]| (!vector).then(|| application_of(args));
                self.first_seen(side, &identity, &args, &shapes, (application, of_scalars))?
            }
        };
        let row = data.opcode.info();
        if row.is_none_or(|row| row.undefined.intersects(UNDEFINED)) {
            self.undefined(side, ub);
        }
        let may_be_poison = vector || !flags.is_empty() || row.is_none_or(|row| !row.poison.is_empty());
        // Of a vector the operands' poison is among what the unknowns depend on.
        let mut of_args = self.d.truth(false);
        for arg in args.iter().filter(|_| !vector) {
            of_args = self.d.bool_or(&of_args, &arg.poison);
        }
        let mut result = |(bits, poison): (Term, Vec<Term>)| {
            let poison = if may_be_poison { poison } else { vec![self.d.truth(false)] };
            Value::of_elements(self.d, bits, poison).poison_where(self.d, &of_args)
        };
        let results: Vec<Scalar> = results.into_iter().zip(poison).map(&mut result).collect();
        side.pure.push(Applied { identity, args });
        Ok(results)
    }

    /// The same operation on the same operands, met before: with the same flags, or for the later side with more.
    fn known(&self, side: &Side, identity: &Identity, application: &Application) -> Option<KnownResults> {
        let opaque = self.opaque.as_deref()?;
        let met = || side.assumed.get(application).into_iter().chain(opaque.pure.get(application)).flatten();
        let same = met().find(|pure| pure.flags == identity.flags);
        let more = || met().find(|pure| pure.flags.contains(identity.flags));
        same.or_else(|| opaque.earlier.is_some().then(more).flatten()).cloned()
    }

    /// An operation on operands that it has not been met on. On the earlier side its results are new unknowns. On the
    /// later side it is the next one of its name, if its operands can be proved to be the same: an assumption of this
    /// block, since only this block's obligation shows it.
    fn first_seen(
        &mut self,
        side: &mut Side,
        identity: &Identity,
        args: &[Scalar],
        shapes: &[(u32, u32)],
        (application, application_of): (Application, impl Fn(&[Scalar]) -> Option<Application>),
    ) -> Result<KnownResults, Unsupported> {
        let Some(opaque) = self.opaque.as_deref_mut() else { return Err(Unsupported::new(identity.what.clone())) };
        let Some(earlier) = &opaque.earlier else {
            let results = shapes.iter().map(|&(bits, _)| self.d.variable(bits)).collect();
            let mut elements = |count| (0..count).map(|_| self.d.variable(1)).collect();
            let poison = shapes.iter().map(|&(_, count)| elements(count)).collect();
            let ub = self.d.variable(1);
            let new = KnownResults { flags: identity.flags, results, poison, ub };
            opaque.pure.entry(application).or_default().push(new.clone());
            return Ok(new);
        };
        let same_name = |other: &&Applied| other.identity.what == identity.what;
        let done = side.pure.iter().filter(same_name).count();
        let partner = earlier.pure.iter().filter(same_name).nth(done);
        let partner = partner.filter(|partner| partner.identity.allows(identity));
        let known = partner.and_then(|partner| {
            let met = opaque.pure.get(&application_of(&partner.args)?)?;
            Some((met.iter().find(|pure| pure.flags == partner.identity.flags)?, partner.args.clone()))
        });
        let (known, of_partner) = known.ok_or_else(|| changed(&identity.what))?;
        let (known, ub) = (known.clone(), earlier.ub_after(side.effects.len()));
        side.assumptions.push(Assumption { earlier: of_partner, later: args.to_vec(), ub });
        side.assumed.entry(application).or_default().push(known.clone());
        Ok(known)
    }
}

/// A pure operation on these operands, those of a commutable one in an order of their own. Nobody knows which elements
/// of a vector's operands make which of its result's poison: the poison of each is one more operand.
fn application(data: &InstData, identity: &Identity, args: &[Scalar], vector: bool) -> Application {
    let poison = |arg: &Scalar| if vector { arg.poison_of_elements().to_vec() } else { Vec::new() };
    let mut operands: Vec<(Term, Vec<Term>)> = args.iter().map(|arg| (arg.bits, poison(arg))).collect();
    let commutes = data.opcode.info().is_some_and(|info| info.flags.contains(OpcodeFlags::COMMUTABLE));
    if let Some(first_two) = operands.get_mut(..2).filter(|_| commutes) {
        first_two.sort_unstable();
    }
    (
        identity.what.clone(),
        operands.into_iter().flat_map(|(bits, poison)| std::iter::once(bits).chain(poison)).collect(),
    )
}

/// The page of 4 KiB that an address lies in.
fn page(d: &mut Symbolic, address: Term) -> Term {
    let low = d.extract(&address, 0, 12);
    let low = d.zext(&low, d.width_of(address));
    d.sub(&address, &low)
}

/// A proof covers every environment: addresses are variables, and unknown functions may do anything, in the same order
/// on both sides.
impl Environment<Symbolic> for SideState<'_, '_> {
    fn promises(&self) -> Promises {
        if self.evaluation.opaque.is_some() { Promises::Believed } else { Promises::Ignored }
    }

    fn address(&mut self, address: &LinkedAddress<'_>) -> Result<Scalar, Unsupported> {
        let evaluation = &mut *self.evaluation;
        if let AddressBase::JumpTable(table) = address.base {
            let place = walk::table_address(table).wrapping_add_signed(address.offset);
            let bits = Bits::new(place.into(), evaluation.target.pointer_bits.into());
            return Ok(Value::new(evaluation.d.value(bits), evaluation.d.truth(false)));
        }
        let (place, base) = evaluation.linked_place(address);
        if let Some(contents) = evaluation.function.contents(address.base, evaluation.target.pointer_bits.into())
            && let Some(bits) = contents.bits()
        {
            self.side.memory.constants.push((base, bits, contents.align));
        }
        let d = &mut *evaluation.d;
        let bits = if address.kind == AddressKind::Page { page(d, place) } else { place };
        Ok(Value::new(bits, d.truth(false)))
    }

    fn chosen_by<R>(&mut self, opcode: Opcode, compute: impl FnOnce(&mut Symbolic) -> R) -> R {
        self.evaluation.chosen_by(self.side, opcode, compute)
    }

    /// It is one for both functions, and for all their blocks, whatever its register holds by now.
    fn thread_pointer(&mut self) -> Result<Scalar, Unsupported> {
        let bits = self.evaluation.variable_of(Start::ThreadPointer);
        Ok(Value::new(bits, self.evaluation.d.truth(false)))
    }

    fn memory_function(
        &mut self,
        function: MemoryFunction,
        args: [Scalar; 3],
        data: &InstData,
    ) -> Result<Term, Unsupported> {
        let [dst, mut second, mut length] = args;
        let d = &mut *self.evaluation.d;
        length.bits = d.zext_or_trunc(&length.bits, self.evaluation.target.pointer_bits.into());
        if function == MemoryFunction::Set {
            second.bits = d.zext_or_trunc(&second.bits, 8);
        }
        let range =
            self.evaluation.d.as_const(length.bits).and_then(|bits| bits.to_i64()?.try_into().ok()).unwrap_or(0);
        let is_whole = self.evaluation.opaque.is_some();
        for (memory, address) in data.memory.iter().zip([dst.bits, second.bits]).filter(|_| is_whole) {
            self.evaluation.note_operand(self.side, memory, (address, range));
        }
        // The steps of a compiler name a length only where they write the accesses out.
        let expands = self.evaluation.opaque.as_ref().is_none_or(|opaque| opaque.expands);
        if let Some(bytes) = self.evaluation.d.as_const(length.bits).filter(|_| expands) {
            return self.expanded(function, [dst, second], bytes, data);
        }
        let identity = self.evaluation.memory_function_identity(function, data);
        self.evaluation.effect(self.side, identity, vec![dst, second, length], &[], Touches::Memory)?;
        Ok(self.evaluation.d.truth(false))
    }

    /// In a whole function nothing but its own instruction says what an atomic access orders.
    fn performs_atomics(&self) -> bool {
        self.evaluation.opaque.is_none()
    }

    fn unknown_function(
        &mut self,
        call: &UnknownCall<'_>,
        args: Vec<Scalar>,
    ) -> Result<Returned<Symbolic>, Unsupported> {
        let evaluation = &mut *self.evaluation;
        if evaluation.opaque.is_none() {
            return Err(call.unsupported());
        }
        let frame = match &mut self.side.frame {
            None => String::new(),
            Some(frame) => {
                frame.is_used = true;
                format!(" (call frame {})", printed(&frame.immediates))
            }
        };
        let mut identity = evaluation.identity(call.data);
        identity.what.push_str(&frame);
        let vocabulary = evaluation.target.vocabulary;
        let widths: Vec<u32> = call.results.iter().map(|&register| vocabulary.register_bits(register)).collect();
        let elements = |bits: u32| if evaluation.has_vectors() { (bits / 8).max(1) } else { 1 };
        let shapes: Vec<(u32, u32)> = widths.into_iter().map(|bits| (bits, elements(bits))).collect();
        let results = evaluation.effect_of_shapes(self.side, identity, args, &shapes, Touches::Memory)?;
        Ok(Returned { results, ub: evaluation.d.truth(false) })
    }
}

/// True for a call in place of a return.
pub(super) fn is_tail_call(function: &Function, data: &InstData, target: &tribunal_target::Target) -> bool {
    function.opcode_flags(data, target.vocabulary).contains(OpcodeFlags::RETURN | OpcodeFlags::CALL)
}
