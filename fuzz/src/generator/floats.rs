//! Operations on numbers of floating point.
//!
//! The NaN that an operation makes has any sign and payload. So one NaN stands for all before a number is shown, and
//! before an operation that tells one NaN from another: then its bits are deterministic.

use super::{CONDITION_BITS, Entry, Generator};
use crate::opcodes;
use arbitrary::Result;
use tribunal_ir::function::LiveIn;
use tribunal_ir::opcode::{IndexTypes, TypeClass};
use tribunal_ir::types::{S1, S16, S32, S64, S128};
use tribunal_ir::{
    AtomicOrdering, Bits, Block, Family, FloatFormat, FloatPredicate, InstData, MemFlags, MemOperand, Opcode,
    OpcodeInfo, Operand, OperandKind, Type, VReg,
};
use tribunal_target::abi::Passing;
use tribunal_target::legality::{Action, LegalityQuery, LegalizerInfo};
use tribunal_verifier::rule_tables::{Chain, End, follow};

/// Operations that are operands of operations, at most so deep.
const DEPTH: u32 = 2;
/// Draws of types for an operation.
pub(super) const TRIES: u32 = 8;

/// Integers of other than a register's width that numbers become, in bits. Each width has proofs of its own, and they
/// take long: those at the edges of words stand for all.
const ODD_WIDTHS: [u32; 10] = [2, 7, 8, 15, 16, 17, 31, 33, 48, 63];

/// Both kinds of NaNs, as classes.
const NANS: i64 = 3;

/// Numbers that a program is given in registers of floating point, at most.
const MOST_ARGUMENTS: usize = 3;

/// A number: its bits may be any of a NaN's.
#[derive(Clone, Copy)]
pub(super) struct DrawnNumber {
    pub(super) entry: Entry,
    pub(super) is_any_nan: bool,
}

impl Generator<'_, '_, '_> {
    /// Numbers in registers of floating point, if the machine of the program passes any there. Integers may use them.
    pub(super) fn number_arguments(&mut self, entry: Block) -> Result<()> {
        let (target, features) = (self.target, self.legalizer.features());
        let has = |passing: &&Passing| features.contains(target.bank(passing.bank).requires);
        let convention = target.abi.calls.as_ref().and_then(|calls| calls.convention(None, features));
        let mut stored = Vec::new();
        for passing in target.abi.passing.iter().skip(1).filter(has) {
            let widest = convention.map_or(target.bank(passing.bank).max_bits, |convention| convention.bits);
            let types = [S32, S64, S128].into_iter().filter(|ty| ty.bits() <= widest).collect::<Vec<Type>>();
            let count = self.u.int_in_range(0..=MOST_ARGUMENTS)?;
            for &full in passing.arguments.iter().take(count) {
                let ty = *self.u.choose(&types)?;
                let register = target.part_of(full, ty.bits());
                self.builder.function.liveins.push(LiveIn { register, copy: None });
                self.builder.function.block_mut(entry).liveins.push((register, None));
                let register = self.builder.build(ty, Opcode::COPY, [Operand::used(register)]);
                self.scope.push(Entry { register, ty, deterministic: true });
                if self.u.ratio(1, 4)? {
                    stored.push((register, ty));
                }
            }
        }
        // A store may be a call, which no argument that still is in its register lives through.
        stored.into_iter().try_for_each(|(register, ty)| self.stored_as_copied(register, ty))
    }

    /// A store of a number as it was passed, whole or a part of it. An ordered one takes a register of integers.
    fn stored_as_copied(&mut self, value: VReg, ty: Type) -> Result<()> {
        use AtomicOrdering::{Monotonic, NotAtomic, Release};
        let place = *self.u.choose(&self.pointers)?;
        let bits = *self.u.choose(&[ty.bits(), ty.bits(), ty.bits() / 2, 8])?;
        let memory = Type::scalar(bits);
        if memory.bytes() > place.bytes.min(place.align) {
            return Ok(());
        }
        let ordering = *self.u.choose(&[NotAtomic, NotAtomic, Monotonic, Release])?;
        let operand = MemOperand { ordering, ..MemOperand::new(MemFlags::STORE, memory, memory.bytes()) };
        if ordering == NotAtomic || self.accesses(Opcode::G_STORE, ty, &operand) {
            self.builder.store(value, place.base, operand);
        }
        Ok(())
    }

    /// The operations on numbers of the program.
    fn numbers(&self) -> &'static [Opcode] {
        if self.policy.strict { &opcodes::STRICT } else { &opcodes::ON_NUMBERS }
    }

    /// One operation on numbers; `None` where the target does not compile the one drawn.
    pub(super) fn on_numbers(&mut self) -> Result<Option<Entry>> {
        let opcode = *self.u.choose(self.numbers())?;
        if opcode.family() == Some(Family::Reduction) || self.u.ratio(1, 16)? {
            return self.on_number_vectors(opcode);
        }
        let Some(types) = self.number_types(opcode)? else { return Ok(None) };
        self.shown_number(opcode, &types).map(Some)
    }

    /// This operation, on the first types drawn that the target compiles.
    pub(super) fn on_numbers_by(&mut self, opcode: Opcode) -> Result<Option<Entry>> {
        for _ in 0..TRIES {
            if let Some(types) = self.number_types(opcode)? {
                return self.shown_number(opcode, &types).map(Some);
            }
        }
        Ok(None)
    }

    pub(super) fn shown_number(&mut self, opcode: Opcode, types: &IndexTypes) -> Result<Entry> {
        let number = self.operation_on_numbers(opcode, types, DEPTH)?;
        self.settled(number)
    }

    /// Types that the target compiles the operation for.
    fn number_types(&mut self, opcode: Opcode) -> Result<Option<IndexTypes>> {
        let Some(info) = opcode.info() else { return Ok(None) };
        let mut types = [None; 3];
        for (index, ty) in types.iter_mut().enumerate() {
            *ty = match info.class_of(index) {
                None => None,
                Some(TypeClass::Float) => Some(*self.u.choose(&[S32, S64, S32, S64, S16, S16, S128])?),
                Some(_) if opcode.is_comparison() && self.u.ratio(1, 8)? => {
                    Some(Type::scalar(*self.u.choose(&CONDITION_BITS)?))
                }
                Some(_) if opcode.is_comparison() => Some(S1),
                // The power beside a fraction: the proof of each of its widths takes a second.
                Some(_) if info.defs.len() > 1 => Some(*self.u.choose(&[S16, S32, S64])?),
                Some(_) if self.u.ratio(1, 4)? => Some(Type::scalar(*self.u.choose(&ODD_WIDTHS)?)),
                Some(_) => Some(*self.u.choose(&[S32, S64])?),
            };
        }
        let fits = compiles(self.legalizer, opcode, &types);
        Ok(fits.then_some(types))
    }

    pub(super) fn operation_on_numbers(
        &mut self,
        opcode: Opcode,
        types: &IndexTypes,
        depth: u32,
    ) -> Result<DrawnNumber> {
        let of = |index: usize| types.get(index).copied().flatten().unwrap_or(S32);
        let Some(info) = opcode.info() else { return self.any_number(of(0)) };
        let (mut operands, mut deterministic, mut is_any_nan) = (Vec::new(), true, makes_nans(opcode, info));
        let flags = self.flags(opcode)?;
        for &kind in info.uses {
            let operand = match kind {
                OperandKind::FPRED => {
                    let drawn = self.u.int_in_range(0..=FloatPredicate::ALL.len() - 1)?;
                    let number = self.visit.take().map_or(drawn, |visit| visit as usize % FloatPredicate::ALL.len());
                    Operand::FloatPredicate(FloatPredicate::ALL[number])
                }
                OperandKind::Register(class, index) => {
                    let (ty, result) = (of(index.into()), of(0).scalar_type());
                    let number = match ty.element_count() {
                        Some(count) => self.vector_of_numbers((ty, count), |generator| {
                            generator.operand((opcode, class), ty.scalar_type(), result, 0)
                        })?,
                        None => self.operand((opcode, class), ty, result, depth)?,
                    };
                    is_any_nan |= number.is_any_nan && is_number(info);
                    deterministic &= number.entry.deterministic;
                    Operand::used(number.entry.register)
                }
                _ => {
                    let range = info.immediates.first().and_then(|immediate| immediate.range(types));
                    Operand::Imm(self.u.int_in_range(range.unwrap_or(0..=0))?)
                }
            };
            operands.push(operand);
        }
        // Zeros of either sign may be chosen.
        if opcode.reduced_by().is_some_and(chooses_zeros) || chooses_zeros(opcode) {
            deterministic = false;
        }
        deterministic &= flags.is_empty();
        let ty = of(0);
        let register = self.builder.function.new_vreg(ty);
        let rest: Vec<(OperandKind, VReg)> =
            info.defs.iter().skip(1).map(|&kind| (kind, self.second_result(kind, types))).collect();
        let defs = std::iter::once(register).chain(rest.iter().map(|&(_, register)| register)).map(Operand::def);
        self.builder.push(InstData { flags, ..InstData::new(opcode, defs.chain(operands)) });
        for (kind, register) in rest {
            self.show_second(kind, register, deterministic)?;
        }
        Ok(DrawnNumber { entry: Entry { register, ty, deterministic }, is_any_nan })
    }

    fn second_result(&mut self, kind: OperandKind, types: &IndexTypes) -> VReg {
        let ty = kind.type_index().and_then(|index| types.get(index).copied().flatten()).unwrap_or(S32);
        self.builder.function.new_vreg(ty)
    }

    /// A second result joins the scope, unless it is a vector. An integer beside a number may be any (`frexp`).
    fn show_second(&mut self, kind: OperandKind, register: VReg, deterministic: bool) -> Result<()> {
        let (ty, is_number) = (self.builder.type_of(register), kind.type_class() == Some(TypeClass::Float));
        if ty.is_vector() {
            return Ok(());
        }
        let entry = Entry { register, ty, deterministic: deterministic && is_number };
        let entry = self.settled(DrawnNumber { entry, is_any_nan: is_number })?;
        self.scope.push(entry);
        Ok(())
    }

    /// An operand of this class of an operation with this result: a number, or an integer.
    fn operand(
        &mut self,
        (opcode, class): (Opcode, TypeClass),
        ty: Type,
        result: Type,
        depth: u32,
    ) -> Result<DrawnNumber> {
        let number = match class == TypeClass::Float {
            true => self.number(ty, depth)?,
            false => DrawnNumber { entry: self.value(ty, false)?, is_any_nan: false },
        };
        let entry = if tells_nans(opcode) { self.settled(number)? } else { number.entry };
        Ok(DrawnNumber { entry: self.in_range(opcode, entry, result)?, ..number })
    }

    /// A number: a constant, the result of another operation, or bits in scope.
    fn number(&mut self, ty: Type, depth: u32) -> Result<DrawnNumber> {
        if depth > 0 && self.u.ratio(1, 4)? {
            let opcode = *self.u.choose(self.numbers())?;
            if let Some(types) = self.number_types(opcode)?.filter(|types| types[0] == Some(ty))
                && opcode.info().is_some_and(is_number)
            {
                return self.operation_on_numbers(opcode, &types, depth - 1);
            }
        }
        self.any_number(ty)
    }

    pub(super) fn any_number(&mut self, ty: Type) -> Result<DrawnNumber> {
        let entry = match FloatFormat::of_width(ty.bits()) {
            Some(format) if self.u.ratio(1, 3)? => self.number_constant(format)?,
            _ => self.value(ty, false)?,
        };
        Ok(DrawnNumber { entry, is_any_nan: false })
    }

    /// A value that an operation on numbers leaves, which keeps every NaN. Halves without arithmetic are converted.
    pub(super) fn in_register_of_numbers(&mut self, ty: Type, deterministic: bool) -> Result<Entry> {
        let (from, opcode) = match self.has_arithmetic(ty) || self.policy.strict {
            true => (ty, Opcode::G_FNEG),
            false => (S32, Opcode::G_SITOFP),
        };
        let entry = self.value(from, deterministic)?;
        Ok(Entry { register: self.builder.op(ty, opcode, &[entry.register]), ty, ..entry })
    }

    /// The value, read by an operation on numbers.
    pub(super) fn read_as_number(&mut self, entry: Entry) -> Result<Entry> {
        let (ty, opcode) = match self.has_arithmetic(entry.ty) || self.policy.strict {
            true => (entry.ty, Opcode::G_FNEG),
            false => (S32, Opcode::G_FPEXT),
        };
        let read = Entry { register: self.builder.op(ty, opcode, &[entry.register]), ty, ..entry };
        self.settled(DrawnNumber { entry: read, is_any_nan: opcode == Opcode::G_FPEXT })
    }

    pub(super) fn has_arithmetic(&self, ty: Type) -> bool {
        self.legalizer.action(&LegalityQuery::new(Opcode::G_FNEG, [ty])).action == Action::Legal
    }

    fn number_constant(&mut self, format: FloatFormat) -> Result<Entry> {
        let number = self.number_bits(format)?;
        let register = self.constant_number(format, number);
        Ok(Entry { register, ty: Type::scalar(format.bits()), deterministic: true })
    }

    /// The bits of a constant: often at the edges of the format and of integers.
    pub(super) fn number_bits(&mut self, format: FloatFormat) -> Result<Bits> {
        let (bits, fraction_bits) = (format.bits(), format.fraction_bits());
        let (bias, greatest) = (format.bias(), 2 * format.bias() + 1);
        let near = bias + self.u.int_in_range(-2..=70)?;
        let exponent = *self.u.choose(&[0, 1, bias - 1, bias, bias + 1, near, greatest - 1, greatest])?;
        let any = Bits::new(self.u.arbitrary()?, bits).extract(0, fraction_bits);
        let (one, ones) = (Bits::new(1, fraction_bits), Bits::ones(fraction_bits));
        let top = Bits::one_bit(fraction_bits - 1, fraction_bits);
        let fraction = *self.u.choose(&[Bits::zero(fraction_bits), Bits::zero(fraction_bits), one, top, ones, any])?;
        let place = |value: i64, at: u32| Bits::from_i64(value, bits).shl(at);
        let sign = place(self.u.int_in_range(0..=1)?, bits - 1);
        Ok(sign.or(place(exponent.min(greatest), fraction_bits)).or(fraction.zext_or_trunc(bits)))
    }

    /// The operand of a conversion to an integer type, brought into its range: beyond it the result is poison, or
    /// any.
    fn in_range(&mut self, opcode: Opcode, source: Entry, integer: Type) -> Result<Entry> {
        let is_rounded = opcode.family() == Some(Family::FloatRounding) && !opcode.info().is_some_and(is_number);
        // The bound is a power of two, so many less than the integer has bits. A number just below it may be rounded
        // up.
        let (is_signed, less) = match opcode {
            Opcode::G_FPTOSI => (true, 1),
            Opcode::G_FPTOUI => (false, 0),
            _ if is_rounded => (true, 2),
            _ => return Ok(source),
        };
        let Some(format) = FloatFormat::of_width(source.ty.bits()) else { return Ok(source) };
        // The bound is infinity if every finite number fits.
        let infinite = 2 * format.bias() + 1;
        let power = infinite.min(format.bias() + i64::from(integer.bits()) - less);
        if self.u.ratio(1, 8)? {
            return Ok(Entry { deterministic: false, ..source });
        }
        let number = |power: i64| Bits::from_i64(power, format.bits()).shl(format.fraction_bits());
        let (bound, one) =
            (self.constant_number(format, number(power)), self.constant_number(format, number(format.bias())));
        let magnitude = self.builder.op(source.ty, Opcode::G_FABS, &[source.register]);
        let operands = [Operand::FloatPredicate(FloatPredicate::Olt), Operand::used(magnitude), Operand::used(bound)];
        let fits = self.builder.build(S1, Opcode::G_FCMP, operands);
        let number = if is_signed { source.register } else { magnitude };
        Ok(Entry { register: self.builder.select(fits, number, one), ..source })
    }

    /// The number with one NaN for all.
    pub(super) fn settled(&mut self, number: DrawnNumber) -> Result<Entry> {
        let DrawnNumber { entry, is_any_nan } = number;
        let Some(format) = FloatFormat::of_width(entry.ty.bits()).filter(|_| is_any_nan) else { return Ok(entry) };
        if self.policy.strict {
            // A comparison would raise a flag.
            let operands = [Operand::used(entry.register), Operand::Imm(NANS)];
            let is_nan = self.builder.build(S1, Opcode::G_IS_FPCLASS, operands);
            return Ok(self.with_one_nan(format, is_nan, entry));
        }
        if !compiles(self.legalizer, Opcode::G_FCMP, &[Some(S1), Some(entry.ty), None]) {
            return Ok(Entry { deterministic: false, ..entry });
        }
        let number = Operand::used(entry.register);
        let operands = [Operand::FloatPredicate(FloatPredicate::Uno), number, number];
        let is_nan = self.builder.build(S1, Opcode::G_FCMP, operands);
        Ok(self.with_one_nan(format, is_nan, entry))
    }

    fn with_one_nan(&mut self, format: FloatFormat, is_nan: VReg, entry: Entry) -> Entry {
        let quiet = Bits::ones(format.bits()).shl(format.fraction_bits() - 1).and(Bits::ones(format.bits()).lshr(1));
        let one = self.constant_number(format, quiet);
        Entry { register: self.builder.select(is_nan, one, entry.register), ..entry }
    }

    pub(super) fn constant_number(&mut self, format: FloatFormat, bits: Bits) -> VReg {
        let operand = self.builder.function.float(format, bits);
        self.builder.build(Type::scalar(format.bits()), Opcode::G_FCONSTANT, [operand])
    }
}

/// True if the opcode takes these types, and the rules end in something that the target has.
pub(super) fn compiles(legalizer: &LegalizerInfo, opcode: Opcode, types: &IndexTypes) -> bool {
    if !opcode.info().is_some_and(|info| info.takes(types)) {
        return false;
    }
    let query = LegalityQuery::new(opcode, types.iter().copied().flatten());
    follow(legalizer, &query).is_ok_and(|Chain { end, .. }| !matches!(end, End::Refused(_)))
}

/// The operations that the target compiles for numbers of 16, 32 or 64 bits.
pub(super) fn compiled(legalizer: &'static LegalizerInfo) -> impl Iterator<Item = Opcode> {
    let strict = opcodes::STRICT.iter().filter(|opcode| opcode.sees_environment());
    let numbers = [S16, S32, S64].map(Some);
    let alone = numbers.map(|one| [one, None, None]);
    let pairs = [S1, S16, S32, S64].map(Some).into_iter().flat_map(move |one| numbers.map(|other| [one, other, None]));
    let all: Vec<IndexTypes> = alone.into_iter().chain(pairs).collect();
    let any = move |opcode: &Opcode| {
        let Some(info) = opcode.info() else { return false };
        let is_whole =
            |types: &IndexTypes| (0..3).all(|index| info.class_of(index).is_some() == types[index].is_some());
        all.iter().any(|types| is_whole(types) && compiles(legalizer, *opcode, types))
    };
    opcodes::ON_NUMBERS.iter().chain(strict).copied().filter(any)
}

/// True if the operation defines a number.
fn is_number(info: &OpcodeInfo) -> bool {
    info.class_of(0) == Some(TypeClass::Float)
}

/// True if the result of numbers may be a NaN whose bits are not said.
pub(super) fn makes_nans(opcode: Opcode, info: &OpcodeInfo) -> bool {
    let moves_bits = matches!(opcode, Opcode::G_FNEG | Opcode::G_FABS | Opcode::G_FCOPYSIGN);
    is_number(info) && !moves_bits && info.uses.iter().any(|kind| kind.type_class() == Some(TypeClass::Float))
}

/// True if the result depends on the bits of a NaN among the operands, and may be no NaN.
pub(super) fn tells_nans(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        G_FCOPYSIGN
            | G_IS_FPCLASS
            | G_FMINNUM
            | G_FMAXNUM
            | G_VECREDUCE_FMIN
            | G_VECREDUCE_FMAX
            | G_FMINIMUMNUM
            | G_FMAXIMUMNUM
            | G_FPTOSI
            | G_FPTOUI
    )
}

/// True if zeros of different signs are in no order.
pub(super) fn chooses_zeros(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::G_FMINNUM | Opcode::G_FMAXNUM)
}
