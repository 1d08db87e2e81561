//! LLVM's `INSERT_SUBREG` and `SUBREG_TO_REG` on registers that no row takes: one register is made of another and of a
//! part, its low bits.
//!
//! ```text
//! %2:gpr64all = INSERT_SUBREG %0, %1, %subreg.sub_32        bits 32 .. 64 are those of %0
//! %2:fpr128 = SUBREG_TO_REG 0, %1, %subreg.dsub             bits 64 .. 128 are zeros
//! ```

use crate::environment::Environment;
use crate::promises::Promises;
use tribunal_ir::semantics::walk::{self, Next, Transfer};
use tribunal_ir::semantics::{Domain, Unsupported, Value};
use tribunal_ir::{Function, InstData, Opcode, Operand, RegOperand, Vocabulary};

/// The rest of a register that is made of a part.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rest {
    Kept,
    Zeros,
}

/// A register of which a part is given.
struct MadeOfPart<'i> {
    rest: Rest,
    made: &'i RegOperand,
    part: &'i RegOperand,
    /// Of the part, less than the register has.
    bits: u32,
}

impl<'i> MadeOfPart<'i> {
    fn of(function: &Function, vocabulary: &dyn Vocabulary, data: &'i InstData) -> Option<MadeOfPart<'i>> {
        if data.opcode != Opcode::OPAQUE {
            return None;
        }
        let rest = match function.opaque_name(data)? {
            "INSERT_SUBREG" => Rest::Kept,
            "SUBREG_TO_REG" => Rest::Zeros,
            _ => return None,
        };
        let Some(Operand::Text(index)) = data.operands.last() else { return None };
        let index = vocabulary.subregister(function.symbols[*index].trim_end().strip_prefix("%subreg.")?)?;
        let (made, part) = (data.defs().next()?, data.uses().last()?);
        let is_whole = data.uses().count() == if rest == Rest::Kept { 2 } else { 1 };
        let bits = vocabulary.subregister_bits(index);
        let is_narrower = bits < walk::operand_bits(function, vocabulary, made);
        (is_whole && is_narrower).then_some(MadeOfPart { rest, made, part, bits })
    }
}

/// True for an instruction of this file.
pub fn makes_of_part(function: &Function, vocabulary: &dyn Vocabulary, data: &InstData) -> bool {
    MadeOfPart::of(function, vocabulary, data).is_some()
}

/// Executes such an instruction; `None` for all others.
///
/// # Errors
/// A register has no value.
pub fn execute<D: Domain, S: Environment<D>>(
    state: &mut S,
    data: &InstData,
) -> Result<Option<Transfer<D>>, Unsupported> {
    let Some(MadeOfPart { rest, made, part, bits }) = MadeOfPart::of(state.function(), state.vocabulary(), data) else {
        return Ok(None);
    };
    let width = walk::operand_bits(state.function(), state.vocabulary(), made);
    let whole = match (rest, data.uses().next()) {
        (Rest::Kept, Some(whole)) => Some(walk::read(state, whole)?),
        _ => None,
    };
    let part = walk::read(state, part)?;
    let promises = state.promises();
    let domain = state.domain();
    let low = domain.zext_or_trunc(&part.bits, bits);
    let (value, poison) = match whole {
        None => (domain.zext_or_trunc(&low, width), part.poison),
        Some(whole) => {
            let whole_bits = domain.zext_or_trunc(&whole.bits, width);
            let above = domain.extract(&whole_bits, bits, width - bits);
            (domain.concat(&above, &low), domain.bool_or(&whole.poison, &part.poison))
        }
    };
    let poison = match promises {
        Promises::Believed | Promises::Certain => poison,
        Promises::Ignored => domain.boolean(false),
    };
    let ub = domain.boolean(false);
    walk::write_result(state, made, Value::new(value, poison))?;
    Ok(Some(Transfer { ub, next: Next::Following }))
}
