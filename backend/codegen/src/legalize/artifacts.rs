//! Artifact combines: an extension, truncation, merge or unmerge, rewritten together with the definition of its source.
//!
//! Invariant: a combine looks no further than the definitions it lists, so it can be judged by itself.

use super::recipe::Recipe;
use super::{Legalizer, vectors};
use smallvec::{SmallVec, smallvec};
use tribunal_ir::{Bits, Inst, InstData, Opcode, Operand, Type, VReg};
use tribunal_target::legality::{Action, LegalityQuery};

/// The definitions that a combine relied on, first to last.
pub(super) type Through = SmallVec<[Inst; 2]>;

/// The longest chain of copies that is looked through.
const LONGEST_CHAIN: usize = 256;

/// One combine: the definitions it relied on, and the code that it writes in the artifact's place.
pub(super) struct Combine {
    pub rule: &'static str,
    pub through: Through,
    pub write: Box<dyn FnOnce(&mut Recipe<'_>)>,
}

/// Names of the combines.
pub const RULES: [&str; 37] = [
    "combine trunc_of_trunc",
    "combine trunc_of_ext",
    "combine trunc_of_merge",
    "combine trunc_of_constant",
    "combine anyext_of_trunc",
    "combine anyext_of_ext",
    "combine ext_of_constant",
    "combine zext_of_trunc",
    "combine zext_of_trunc_of_condition",
    "combine zext_of_zext",
    "combine zext_of_ext",
    "combine sext_of_trunc",
    "combine sext_of_zext",
    "combine sext_of_sext",
    "combine sext_of_anyext",
    "combine unmerge_of_merge",
    "combine unmerge_of_vector",
    "combine unmerge_of_ext",
    "combine unmerge_of_trunc",
    "combine merge_of_unmerge",
    "combine udiv_by_constant",
    "combine urem_by_constant",
    "combine urem_of_limbs",
    "combine memcpy_of_constant_length",
    "combine memmove_of_constant_length",
    "combine memset_of_constant_length",
    "combine va_start",
    "combine va_arg",
    "combine va_copy",
    "combine va_end",
    "combine frame_address",
    "combine return_address",
    "combine extract_of_constant_index",
    "combine insert_of_constant_index",
    "combine interleaved_load",
    "combine interleaved_store",
    "combine shift_insert",
];

/// The combine that applies to the artifact `inst`.
pub(super) fn combine(legalizer: &Legalizer<'_, '_, '_>, inst: Inst) -> Option<Combine> {
    use Opcode::*;
    let data = legalizer.function.inst(inst);
    let look = Look { legalizer };
    match data.opcode {
        G_UNMERGE_VALUES if vectors::has_vector(legalizer.function, data) => elements(&look, data),
        _ if vectors::has_vector(legalizer.function, data) => None,
        G_TRUNC => truncation(&look, data),
        G_ANYEXT | G_ZEXT | G_SEXT => extension(&look, data),
        G_UNMERGE_VALUES => unmerge(&look, data),
        G_MERGE_VALUES => merge(&look, data),
        _ => None,
    }
}

/// The view of the function that combines have.
pub(super) struct Look<'l, 'c, 'a, 'f> {
    pub legalizer: &'l Legalizer<'c, 'a, 'f>,
}

impl Look<'_, '_, '_, '_> {
    /// The definition of `register`, copies looked through: the copies, and the instruction.
    pub fn definition(&self, register: VReg) -> Option<(Through, &InstData)> {
        let function = &self.legalizer.function;
        let mut through = Through::new();
        let mut current = register;
        loop {
            let inst = function.def_of(current)?;
            through.insert(0, inst);
            let data = function.inst(inst);
            match (data.opcode, data.vreg(1)) {
                // Steps stay small. An element that goes through many vectors has a chain of a copy for each.
                (Opcode::COPY, Some(source)) if through.len() < LONGEST_CHAIN && function.type_of(source).is_some() => {
                    current = source
                }
                _ => return Some((through, data)),
            }
        }
    }

    fn type_of(&self, register: VReg) -> Option<Type> {
        self.legalizer.function.type_of(register)
    }

    /// True if looking through `source`, and the copies on the way to it, would choose its unconstrained bits a second
    /// time. Other instructions read the first choice too.
    fn shares_choice(&self, through: &Through, source: &InstData) -> bool {
        let function = &self.legalizer.function;
        let read_elsewhere =
            |&inst: &Inst| function.inst(inst).vreg(0).is_some_and(|register| function.use_count(register) > 1);
        source.opcode == Opcode::G_ANYEXT && through.iter().any(read_elsewhere)
    }

    fn constant_value(&self, constant: &InstData) -> Option<Bits> {
        constant.operands.get(1).and_then(|operand| self.legalizer.function.constant_value(operand))
    }

    fn constant_is_legal(&self, ty: Type) -> bool {
        let query = LegalityQuery::new(Opcode::G_CONSTANT, [ty]);
        self.legalizer.context.legalizer.action(&query).action == Action::Legal
    }
}

pub(super) fn combined(
    rule: &'static str,
    through: Through,
    write: impl FnOnce(&mut Recipe<'_>) + 'static,
) -> Option<Combine> {
    debug_assert!(RULES.contains(&rule), "{rule} is not listed");
    Some(Combine { rule, through, write: Box::new(write) })
}

/// Defines the artifact's result as `value` resized to its type.
fn resize(rule: &'static str, through: Through, extension: Opcode, value: VReg) -> Option<Combine> {
    combined(rule, through, move |r| {
        let dst = r.dst();
        r.define_resized(dst, extension, value);
    })
}

fn truncation(look: &Look<'_, '_, '_, '_>, data: &InstData) -> Option<Combine> {
    use Opcode::*;
    let (dst_ty, (through, source)) = (look.type_of(data.vreg(0)?)?, look.definition(data.vreg(1)?)?);
    let inner = source.vreg(1);
    match source.opcode {
        G_TRUNC => resize("combine trunc_of_trunc", through, G_TRUNC, inner?),
        G_ANYEXT | G_ZEXT | G_SEXT => {
            let kept = look.type_of(inner?)?.bits();
            match look.shares_choice(&through, source) && dst_ty.bits() > kept {
                true => None,
                false => resize("combine trunc_of_ext", through, source.opcode, inner?),
            }
        }
        G_MERGE_VALUES => {
            let parts: Vec<VReg> = source.vreg_uses().collect();
            let part = look.type_of(parts[0])?.bits();
            let wanted = dst_ty.bits().div_ceil(part) as usize;
            match dst_ty.bits() {
                bits if bits <= part => resize("combine trunc_of_merge", through, G_TRUNC, parts[0]),
                bits if bits.is_multiple_of(part) => combined("combine trunc_of_merge", through, move |r| {
                    let dst = r.dst();
                    r.merge(dst, &parts[..wanted]);
                }),
                _ => None,
            }
        }
        G_CONSTANT if look.constant_is_legal(dst_ty) => {
            let value = look.constant_value(source)?;
            combined("combine trunc_of_constant", through, move |r| {
                let dst = r.dst();
                r.builder.define_constant(dst, value.zext_or_trunc(dst_ty.bits()));
            })
        }
        _ => None,
    }
}

fn extension(look: &Look<'_, '_, '_, '_>, data: &InstData) -> Option<Combine> {
    use Opcode::*;
    let (opcode, dst_ty) = (data.opcode, look.type_of(data.vreg(0)?)?);
    let middle = look.type_of(data.vreg(1)?)?.bits();
    let (through, source) = look.definition(data.vreg(1)?)?;
    if source.opcode == G_CONSTANT && look.constant_is_legal(dst_ty) {
        let value = look.constant_value(source)?;
        let value =
            if opcode == G_ZEXT { value.zext_or_trunc(dst_ty.bits()) } else { value.sext_or_trunc(dst_ty.bits()) };
        return combined("combine ext_of_constant", through, move |r| {
            let dst = r.dst();
            r.builder.define_constant(dst, value);
        });
    }
    if !matches!(source.opcode, G_TRUNC | G_ANYEXT | G_ZEXT | G_SEXT) || look.shares_choice(&through, source) {
        return None;
    }
    let inner = source.vreg(1)?;
    match (opcode, source.opcode) {
        (G_ANYEXT, G_TRUNC) => resize("combine anyext_of_trunc", through, G_ANYEXT, inner),
        (G_ANYEXT, ext) => resize("combine anyext_of_ext", through, ext, inner),
        (G_ZEXT, G_ZEXT) => resize("combine zext_of_zext", through, G_ZEXT, inner),
        (G_ZEXT, G_TRUNC) => zext_of_trunc(look, through, inner, dst_ty, middle),
        (G_ZEXT, ext) => masked("combine zext_of_ext", through, ext, inner, dst_ty, middle),
        (G_SEXT, G_ZEXT) => resize("combine sext_of_zext", through, G_ZEXT, inner),
        (G_SEXT, G_SEXT) => resize("combine sext_of_sext", through, G_SEXT, inner),
        (G_SEXT, G_TRUNC) => sign_filled("combine sext_of_trunc", through, inner, dst_ty, middle),
        (G_SEXT, _) => sign_filled("combine sext_of_anyext", through, inner, dst_ty, middle),
        _ => None,
    }
}

/// The mask is not needed where a comparison gives 0 or 1 as it is.
fn zext_of_trunc(
    look: &Look<'_, '_, '_, '_>,
    mut through: Through,
    inner: VReg,
    dst_ty: Type,
    middle: u32,
) -> Option<Combine> {
    match look.definition(inner) {
        Some((definition, source)) if is_condition(source.opcode) => {
            through.insert_many(0, definition);
            resize("combine zext_of_trunc_of_condition", through, Opcode::G_ZEXT, inner)
        }
        _ => masked("combine zext_of_trunc", through, Opcode::G_ANYEXT, inner, dst_ty, middle),
    }
}

/// True for an operation that gives 0 or 1.
fn is_condition(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::G_ICMP | Opcode::G_FCMP | Opcode::G_IS_FPCLASS)
}

/// `value` resized, then all but its low `bits` bits cleared.
fn masked(
    rule: &'static str,
    through: Through,
    extension: Opcode,
    value: VReg,
    ty: Type,
    bits: u32,
) -> Option<Combine> {
    combined(rule, through, move |r| {
        let (wide, mask, dst) = (r.resized(extension, value, ty), r.mask(ty, bits), r.dst());
        r.define(dst, Opcode::G_AND, &[wide, mask]);
    })
}

/// `value` resized, then its low `bits` bits sign-extended.
fn sign_filled(rule: &'static str, through: Through, value: VReg, ty: Type, bits: u32) -> Option<Combine> {
    combined(rule, through, move |r| {
        let (wide, dst) = (r.resized(Opcode::G_ANYEXT, value, ty), r.dst());
        r.builder.define(dst, Opcode::G_SEXT_INREG, [Operand::used(wide), Operand::Imm(i64::from(bits))]);
    })
}

fn unmerge(look: &Look<'_, '_, '_, '_>, data: &InstData) -> Option<Combine> {
    use Opcode::*;
    let parts: Vec<VReg> = data.vreg_defs().collect();
    let (through, source) = look.definition(data.vreg(parts.len())?)?;
    let part = look.type_of(parts[0])?;
    match source.opcode {
        G_MERGE_VALUES => unmerge_of_merge(look, through, source, parts, part),
        G_ANYEXT | G_ZEXT | G_SEXT => {
            let inner = source.vreg(1)?;
            let bits = look.type_of(inner)?.bits();
            let extension = source.opcode;
            match bits <= part.bits() && !look.shares_choice(&through, source) {
                true => {
                    combined("combine unmerge_of_ext", through, move |r| unmerge_extended(r, &parts, extension, inner))
                }
                false => None,
            }
        }
        G_TRUNC => {
            let inner = source.vreg(1)?;
            let whole = look.type_of(inner)?.bits();
            let extra = (whole / part.bits()).checked_sub(parts.len() as u32)?;
            match whole.is_multiple_of(part.bits()) {
                true => combined("combine unmerge_of_trunc", through, move |r| {
                    let extra = (0..extra).map(|_| r.builder.function.new_vreg(part));
                    let defs: Vec<VReg> = parts.iter().copied().chain(extra.collect::<Vec<_>>()).collect();
                    push_unmerge(r, &defs, inner);
                }),
                false => None,
            }
        }
        _ => None,
    }
}

/// The elements of a vector that was made of them.
fn elements(look: &Look<'_, '_, '_, '_>, data: &InstData) -> Option<Combine> {
    let parts: Vec<VReg> = data.vreg_defs().collect();
    let (through, source) = look.definition(data.vreg(parts.len())?)?;
    let sources: Vec<VReg> = source.vreg_uses().collect();
    let same = sources.len() == parts.len() && look.type_of(sources[0]) == look.type_of(parts[0]);
    match source.opcode == Opcode::G_BUILD_VECTOR && same {
        true => combined("combine unmerge_of_vector", through, move |r| {
            parts.iter().zip(&sources).for_each(|(&part, &source)| r.define(part, Opcode::COPY, &[source]));
        }),
        false => None,
    }
}

fn push_unmerge(r: &mut Recipe<'_>, defs: &[VReg], source: VReg) {
    let operands = defs.iter().copied().map(Operand::def).chain([Operand::used(source)]);
    r.builder.push(InstData::new(Opcode::G_UNMERGE_VALUES, operands));
}

/// The low part is the value (extended if it is narrower); the others are the extension's bits.
fn unmerge_extended(r: &mut Recipe<'_>, parts: &[VReg], extension: Opcode, value: VReg) {
    r.define_resized(parts[0], extension, value);
    let ty = r.type_of(parts[0]);
    for &part in &parts[1..] {
        match extension {
            Opcode::G_ZEXT => {
                let zero = Bits::zero(ty.bits());
                r.builder.define_constant(part, zero);
            }
            Opcode::G_SEXT => {
                let amount = r.constant(ty, i64::from(ty.bits()) - 1);
                r.define(part, Opcode::G_ASHR, &[parts[0], amount]);
            }
            _ => r.define(part, Opcode::G_IMPLICIT_DEF, &[]),
        }
    }
}

/// Part by part where the sizes are equal; else each source is unmerged, or groups of sources are merged.
fn unmerge_of_merge(
    look: &Look<'_, '_, '_, '_>,
    through: Through,
    source: &InstData,
    parts: Vec<VReg>,
    part: Type,
) -> Option<Combine> {
    let sources: Vec<VReg> = source.vreg_uses().collect();
    let from = look.type_of(sources[0])?;
    if part.bits() == from.bits() {
        return combined("combine unmerge_of_merge", through, move |r| {
            parts.iter().zip(&sources).for_each(|(&part, &source)| r.define(part, Opcode::COPY, &[source]));
        });
    }
    if from.bits() > part.bits() && from.bits().is_multiple_of(part.bits()) {
        let each = (from.bits() / part.bits()) as usize;
        return combined("combine unmerge_of_merge", through, move |r| {
            parts.chunks(each).zip(&sources).for_each(|(parts, &source)| push_unmerge(r, parts, source));
        });
    }
    if part.bits() > from.bits() && part.bits().is_multiple_of(from.bits()) {
        let each = (part.bits() / from.bits()) as usize;
        return combined("combine unmerge_of_merge", through, move |r| {
            parts.iter().zip(sources.chunks(each)).for_each(|(&part, sources)| r.merge(part, sources));
        });
    }
    None
}

/// All parts of one value in order are the value.
fn merge(look: &Look<'_, '_, '_, '_>, data: &InstData) -> Option<Combine> {
    let sources: Vec<VReg> = data.vreg_uses().collect();
    let inst = look.legalizer.function.def_of(*sources.first()?)?;
    let source = look.legalizer.function.inst(inst);
    let whole = source.vreg(sources.len())?;
    let same = source.opcode == Opcode::G_UNMERGE_VALUES && source.vreg_defs().eq(sources);
    match same && look.type_of(whole) == look.type_of(data.vreg(0)?) {
        true => resize("combine merge_of_unmerge", smallvec![inst], Opcode::COPY, whole),
        false => None,
    }
}
