//! The readers of operands and types.

use super::body::Body;
use super::cursor::{Cursor, Parsed};
use super::{addresses, floats, names};
use crate::bits::{Bits, MAX_BITS};
use crate::cfi::CfiInstruction;
use crate::entities::{FixedSlot, StackSlot};
use crate::float::FloatFormat;
use crate::function::{Constraint, Function, ListedRegisters, RegisterListKind};
use crate::inst::InstData;
use crate::module::UnknownKind;
use crate::opcode::Opcode;
use crate::operand::{Operand, Reg, RegFlags, RegOperand};
use crate::predicate::{FloatPredicate, IntPredicate};
use crate::types::{Element, Type};
use crate::vocabulary::{PReg, SubReg, Vocabulary};

/// One operand of an instruction.
pub(super) fn operand<'a>(body: &mut Body<'a>, cursor: &mut Cursor<'a>) -> Parsed<Operand> {
    let rest = cursor.rest();
    if rest.starts_with("%bb.") {
        return body.block_reference(cursor).map(Operand::Block);
    }
    if rest.starts_with("%stack.") {
        return stack_object(body, cursor).map(Operand::Stack);
    }
    if rest.starts_with("%fixed-stack.") {
        return fixed_stack_object(body, cursor).map(Operand::FixedStack);
    }
    if rest.starts_with("%subreg.") {
        return Ok(subregister_index(body, cursor));
    }
    if let Some(address) = addresses::read(body, cursor)? {
        return Ok(address);
    }
    if rest.starts_with("%ir-block.") || rest.starts_with("%ir.") {
        return Ok(verbatim(body, cursor));
    }
    if cursor.eat_word("$noreg") {
        return Ok(Operand::NoRegister);
    }
    if rest.starts_with(['%', '$']) || REG_FLAGS.iter().any(|(name, _)| *name == cursor.peek_word()) {
        return register(body, cursor, false);
    }
    if rest.starts_with(|c: char| c.is_ascii_digit()) || rest.starts_with('-') {
        return cursor.signed().map(Operand::Imm);
    }
    if rest.starts_with("intpred(") || rest.starts_with("floatpred(") {
        return predicate(cursor);
    }
    if let Some(width) = integer_type(cursor.peek_word()) {
        return constant(cursor, width).map(|value| body.function.constant(value));
    }
    other(body, cursor)
}

/// The rarer forms; text that is none of them is kept as it is.
fn other<'a>(body: &mut Body<'a>, cursor: &mut Cursor<'a>) -> Parsed<Operand> {
    let start = cursor.clone();
    if let Some(mask) = body.vocabulary.register_mask(cursor.peek_word()) {
        cursor.word();
        return Ok(Operand::RegisterMask(mask));
    }
    for (word, kind) in REGISTER_LISTS {
        if cursor.eat(word) {
            return register_list(body, cursor, kind);
        }
    }
    let text = cursor.verbatim();
    if text.is_empty() {
        return Err(start.error("expected an operand"));
    }
    if text.starts_with("csr_") {
        return Err(start.unknown(UnknownKind::RegisterMask, text));
    }
    cursor.skip_blanks();
    let known = float(body, text).or_else(|| intrinsic(body, text)).or_else(|| shuffle_mask(body, text));
    let known = known.or_else(|| metadata(text));
    Ok(known.unwrap_or_else(|| Operand::Text(body.function.intern(text))))
}

/// `double 1.0`.
fn float(body: &mut Body<'_>, text: &str) -> Option<Operand> {
    let (format, value) = text.split_once(' ')?;
    let format = FloatFormat::from_name(format)?;
    floats::read(format, value.trim()).map(|bits| body.function.float(format, bits))
}

/// `intrinsic(@llvm.riscv.orc.b)`.
fn intrinsic(body: &mut Body<'_>, text: &str) -> Option<Operand> {
    let name = names::meant(text.strip_prefix("intrinsic(@")?.strip_suffix(')')?)?;
    Some(Operand::Intrinsic(body.function.intern(&name)))
}

/// `shufflemask(0, undef, 3)`.
fn shuffle_mask(body: &mut Body<'_>, text: &str) -> Option<Operand> {
    let lanes = text.strip_prefix("shufflemask(")?.strip_suffix(')')?;
    let lane = |text: &str| match text.trim() {
        "undef" | "poison" => Some(None),
        number => number.parse().ok().map(Some),
    };
    let lanes: Vec<Option<u32>> = lanes.split(',').map(lane).collect::<Option<_>>()?;
    Some(Operand::ShuffleMask(body.function.shuffle_masks.intern(&lanes)))
}

/// `!5`.
fn metadata(text: &str) -> Option<Operand> {
    let digits = text.strip_prefix('!').filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
    digits.parse().ok().map(Operand::Metadata)
}

/// `offset $x1, -8`; a form that no table has is kept as it was read.
pub(super) fn cfi<'a>(body: &mut Body<'a>, cursor: &mut Cursor<'a>) -> Parsed<Operand> {
    let word = cursor.peek_word();
    let Some(form) = CfiInstruction::EACH.into_iter().find(|form| form.parts().0 == word) else {
        return Ok(verbatim(body, cursor));
    };
    cursor.word();
    // LLVM prints the label of a rule, which its own reader does not take.
    if cursor.eat("<mcsymbol") {
        cursor.take_until(|c| c == '>');
        cursor.expect(">")?;
    }
    let (mut register, mut bytes) = (PReg(0), 0);
    let (_, of_register, of_bytes) = form.parts();
    if of_register.is_some() {
        register = body.physical(cursor)?;
    }
    if of_register.is_some() && of_bytes.is_some() {
        cursor.expect(",")?;
    }
    if of_bytes.is_some() {
        bytes = cursor.signed()?;
    }
    Ok(Operand::Cfi(form.with(register, bytes)))
}

/// Words before a list of registers.
pub(super) const REGISTER_LISTS: [(&str, RegisterListKind); 2] =
    [("CustomRegMask(", RegisterListKind::Preserved), ("liveout(", RegisterListKind::LiveOut)];

/// The registers up to the closing parenthesis.
fn register_list<'a>(body: &mut Body<'a>, cursor: &mut Cursor<'a>, kind: RegisterListKind) -> Parsed<Operand> {
    let mut registers = Vec::new();
    while !cursor.eat(")") {
        registers.push(body.physical(cursor)?);
        if !cursor.eat(",") && cursor.peek() != Some(')') {
            return Err(cursor.error("expected `,` or `)`"));
        }
    }
    Ok(Operand::RegisterList(body.function.register_lists.intern(&ListedRegisters { kind, registers })))
}

pub(super) fn verbatim<'a>(body: &mut Body<'a>, cursor: &mut Cursor<'a>) -> Operand {
    let text = cursor.verbatim();
    cursor.skip_blanks();
    Operand::Text(body.function.intern(text))
}

/// `%subreg.sub_32`: the number of the index, or the text itself where the target has no such index.
fn subregister_index<'a>(body: &mut Body<'a>, cursor: &mut Cursor<'a>) -> Operand {
    let text = cursor.verbatim();
    cursor.skip_blanks();
    let known = text.trim_end().strip_prefix("%subreg.").and_then(|name| body.vocabulary.subregister(name));
    known.map_or_else(|| Operand::Text(body.function.intern(text)), |index| Operand::Imm(i64::from(index.0)))
}

/// The operand of an instruction that makes a register of a part which names the part (LLVM's `isOperandSubregIdx`).
pub(super) const PART_INDEX: usize = 3;

/// The index of a sub-register that such an instruction names.
pub(super) fn part_index(vocabulary: &dyn Vocabulary, data: &InstData) -> Option<SubReg> {
    let Opcode::Target(opcode) = data.opcode else { return None };
    let ("SUBREG_TO_REG" | "INSERT_SUBREG") = vocabulary.opcode_name(opcode) else { return None };
    let part = SubReg(u8::try_from(data.imm(PART_INDEX)?).ok()?);
    (!vocabulary.subregister_name(part).is_empty()).then_some(part)
}

/// True for an index of a sub-register that the target does not have.
pub(super) fn is_unknown_part(function: &Function, operand: &Operand) -> bool {
    matches!(operand, Operand::Text(text) if function.symbols[*text].starts_with("%subreg."))
}

/// `%stack.0.x`; nothing but the number counts.
pub(super) fn stack_object(body: &Body<'_>, cursor: &mut Cursor<'_>) -> Parsed<StackSlot> {
    let start = cursor.clone();
    cursor.expect("%stack.")?;
    let number: u32 = cursor.number()?;
    if cursor.eat(".") {
        names::spelled(cursor);
    }
    let missing = || start.error_over(8, format!("there is no stack object {number}"));
    body.objects.stack.get(&number).copied().ok_or_else(missing)
}

/// `%fixed-stack.0`.
pub(super) fn fixed_stack_object(body: &Body<'_>, cursor: &mut Cursor<'_>) -> Parsed<FixedSlot> {
    let start = cursor.clone();
    cursor.expect("%fixed-stack.")?;
    let number: u32 = cursor.number()?;
    let missing = || start.error_over(14, format!("there is no fixed stack object {number}"));
    body.objects.fixed.get(&number).copied().ok_or_else(missing)
}

/// `intpred(eq)`, `floatpred(oeq)`.
fn predicate(cursor: &mut Cursor<'_>) -> Parsed<Operand> {
    let is_float = cursor.eat("floatpred(");
    if !is_float {
        cursor.expect("intpred(")?;
    }
    let start = cursor.clone();
    let name = cursor.word();
    let unknown = |kind: &str| start.error(format!("unknown {kind} predicate `{name}`"));
    let predicate = match is_float {
        true => {
            FloatPredicate::from_name(name).map(Operand::FloatPredicate).ok_or_else(|| unknown("floating-point"))?
        }
        false => IntPredicate::from_name(name).map(Operand::Predicate).ok_or_else(|| unknown("integer"))?,
    };
    cursor.expect(")")?;
    Ok(predicate)
}

/// N of `iN`.
fn integer_type(word: &str) -> Option<u32> {
    word.strip_prefix('i')
        .filter(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))?
        .parse()
        .ok()
}

/// `i32 -5`, `i1 true`.
fn constant(cursor: &mut Cursor<'_>, width: u32) -> Parsed<Bits> {
    let start = cursor.clone();
    cursor.word();
    if !(1..=MAX_BITS).contains(&width) {
        return Err(start.unknown(UnknownKind::ConstantType, format!("i{width}")));
    }
    if cursor.eat_word("true") {
        return Ok(Bits::new(1, width));
    }
    if cursor.eat_word("false") {
        return Ok(Bits::zero(width));
    }
    let value = cursor.clone();
    let digits = cursor.rest().strip_prefix('-').unwrap_or(cursor.rest());
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(value.error("expected an integer"));
    }
    let too_wide = || value.error(format!("the value does not fit i{width}"));
    let negative = cursor.eat("-");
    let bits = Bits::parse_decimal(cursor.take_until(|c| !c.is_ascii_digit()), width);
    cursor.skip_blanks();
    let bits = match negative {
        // As great as the least value's, at most.
        true => bits.filter(|bits| bits.cmp_unsigned(Bits::signed_min(width)).is_le()).map(Bits::negated),
        false => bits,
    };
    bits.ok_or_else(too_wide)
}

/// Words before a register.
pub(super) const REG_FLAGS: &[(&str, RegFlags)] = &[
    ("implicit", RegFlags::IMPLICIT),
    ("implicit-def", RegFlags::IMPLICIT.union(RegFlags::DEF)),
    ("def", RegFlags::DEF),
    ("dead", RegFlags::DEAD),
    ("killed", RegFlags::KILLED),
    ("undef", RegFlags::UNDEF),
    ("internal", RegFlags::INTERNAL),
    ("early-clobber", RegFlags::EARLY_CLOBBER),
    ("renamable", RegFlags::RENAMABLE),
    ("debug-use", RegFlags::DEBUG_USE),
];

/// `[flags] %name[.sub][:class][(type)]` or `[flags] $name`.
pub(super) fn register<'a>(body: &mut Body<'a>, cursor: &mut Cursor<'a>, is_def: bool) -> Parsed<Operand> {
    let mut flags = if is_def { RegFlags::DEF } else { RegFlags::empty() };
    while let Some(&(_, flag)) = REG_FLAGS.iter().find(|(name, _)| *name == cursor.peek_word()) {
        cursor.word();
        flags |= flag;
    }
    let mut operand = RegOperand { reg: Reg::Physical(crate::PReg(0)), flags, subregister: SubReg(0), tied_to: None };
    if cursor.rest().starts_with('$') {
        operand.reg = Reg::Physical(body.physical(cursor)?);
    } else {
        virtual_register(body, cursor, &mut operand)?;
    }
    if cursor.eat("(tied-def") {
        operand.tied_to = Some(cursor.number()?);
        cursor.expect(")")?;
    }
    Ok(Operand::Reg(operand))
}

fn virtual_register<'a>(body: &mut Body<'a>, cursor: &mut Cursor<'a>, operand: &mut RegOperand) -> Parsed<()> {
    let start = cursor.clone();
    cursor.expect("%")?;
    let name = cursor.take_until(|c| !c.is_ascii_alphanumeric() && c != '_');
    if name.is_empty() {
        return Err(start.error_over(1, "expected a register"));
    }
    let register = body.register_named(name);
    operand.reg = Reg::Virtual(register);
    if cursor.eat(".") {
        let place = cursor.clone();
        let sub = cursor.take_until(|c| !c.is_ascii_alphanumeric() && c != '_');
        if sub.is_empty() {
            return Err(place.error("expected a sub-register index"));
        }
        let unknown = || place.unknown(UnknownKind::SubregisterIndex, sub);
        operand.subregister = body.vocabulary.subregister(sub).ok_or_else(unknown)?;
    }
    // No blank may stand before a class: `bb.1:` has one after a name, and so has a memory operand's `::`.
    if cursor.rest().starts_with(':') && !cursor.rest().starts_with("::") {
        cursor.expect(":")?;
        let place = cursor.clone();
        let word = cursor.take_until(|c| !c.is_ascii_alphanumeric() && c != '_');
        if word.is_empty() {
            return Err(place.error("expected a register class or bank"));
        }
        let constraint =
            constraint(body.vocabulary, word).ok_or_else(|| place.unknown(UnknownKind::ClassOrBank, word))?;
        let old = std::mem::replace(&mut body.function.vregs[register].constraint, constraint);
        if old != Constraint::None && old != constraint {
            return Err(place.error_over(word.len(), format!("`%{name}` has another class or bank elsewhere")));
        }
    }
    if cursor.rest().starts_with('(') && !cursor.rest().starts_with("(tied-def") {
        cursor.expect("(")?;
        let place = cursor.clone();
        let ty = ty(body, cursor)?;
        cursor.expect(")")?;
        let old = body.function.vregs[register].ty.replace(ty);
        if old.is_some_and(|old| old != ty) {
            return Err(place.error(format!("`%{name}` has another type elsewhere")));
        }
    }
    cursor.skip_blanks();
    let index = cranelift_entity::EntityRef::index(register);
    if body.first_use.len() <= index {
        body.first_use.resize(index + 1, None);
    }
    if !operand.flags.contains(RegFlags::DEF) && body.first_use[index].is_none() {
        body.first_use[index] = Some((name.len() + 1, start));
    }
    Ok(())
}

/// `_`, or the name of a class or bank.
pub(super) fn constraint(vocabulary: &dyn Vocabulary, word: &str) -> Option<Constraint> {
    match word {
        "_" => Some(Constraint::None),
        _ => {
            let class = vocabulary.class(word).map(Constraint::Class);
            class.or_else(|| vocabulary.bank(word).map(Constraint::Bank))
        }
    }
}

/// `s32`, `p0`, `<4 x s32>`, `<vscale x 2 x p0>`.
pub(super) fn ty<'a>(body: &Body<'a>, cursor: &mut Cursor<'a>) -> Parsed<Type> {
    let start = cursor.clone();
    if !cursor.eat("<") {
        return element(body, cursor).map(Element::as_type);
    }
    let scalable = cursor.eat_word("vscale");
    if scalable {
        cursor.expect("x")?;
    }
    let lanes: u16 = cursor.number()?;
    cursor.expect("x")?;
    let element = element(body, cursor)?;
    cursor.expect(">")?;
    match lanes {
        0 => Err(start.error_over(1, "a vector has lanes")),
        _ => Ok(Type::Vector { lanes, scalable, element }),
    }
}

fn element<'a>(body: &Body<'a>, cursor: &mut Cursor<'a>) -> Parsed<Element> {
    let start = cursor.clone();
    let word = cursor.word();
    let bits = |digits: &str| digits.parse::<u16>().ok().filter(|bits| *bits > 0);
    let scalar = word.strip_prefix('s').and_then(bits).map(|bits| Element::Scalar { bits });
    let pointer = || {
        let address_space = word.strip_prefix('p')?.parse().ok()?;
        Some(Element::Pointer { address_space, bits: body.vocabulary.pointer_bits(address_space) })
    };
    let is_type = |word: &str| {
        let digits = word.strip_prefix(['s', 'p']).unwrap_or_default();
        !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit()) && word != "s0"
    };
    scalar.or_else(pointer).ok_or_else(|| match is_type(word) {
        true => start.unknown(UnknownKind::Type, word),
        false => start.error("expected a type: `s32`, `p0`, `<4 x s32>`"),
    })
}
