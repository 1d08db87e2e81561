//! Constant expressions as sums: an address, less an address, and a number. Source: LLVM 22's `lowerConstant`.
//!
//! Invariant: a sum has at most one address of each sign; equal ones cancel. The number is sign-extended.

use crate::constant::{BinaryOp, CastOp, Constant, ConstantKind, Expression};
use crate::image::{ImageError, Referent};
use crate::layout::{LayoutError, Layouts};
use crate::types::{TypeId, TypeKind};

/// `plus - minus + number`, modulo 2^`bits`.
#[derive(Clone, Debug)]
pub(crate) struct AddressSum {
    pub(crate) plus: Option<Referent>,
    pub(crate) minus: Option<Referent>,
    pub(crate) number: i64,
    /// 1 to 64.
    pub(crate) bits: u32,
}

impl AddressSum {
    fn number(number: i64, bits: u32) -> AddressSum {
        AddressSum { plus: None, minus: None, number: sign_extended(number, bits), bits }
    }

    fn address(referent: Referent, bits: u32) -> AddressSum {
        AddressSum { plus: Some(referent), ..AddressSum::number(0, bits) }
    }

    fn is_number(&self) -> bool {
        self.plus.is_none() && self.minus.is_none()
    }

    fn negated(self) -> AddressSum {
        let number = sign_extended(self.number.wrapping_neg(), self.bits);
        AddressSum { plus: self.minus, minus: self.plus, number, ..self }
    }

    /// The sum, of the width of `self`.
    fn plus(self, other: AddressSum) -> Result<AddressSum, ImageError> {
        let (plus, other_minus) = cancelled(self.plus, other.minus);
        let (other_plus, minus) = cancelled(other.plus, self.minus);
        let number = sign_extended(self.number.wrapping_add(other.number), self.bits);
        let (plus, minus) = (one(plus, other_plus)?, one(minus, other_minus)?);
        Ok(AddressSum { plus, minus, number, bits: self.bits })
    }

    /// The value with more or fewer bits. The assembler truncates an address, and nothing extends one.
    fn resized(self, bits: u32) -> Result<AddressSum, ImageError> {
        if self.is_number() {
            let unsigned = if self.bits < 64 { self.number & ((1 << self.bits) - 1) } else { self.number };
            return Ok(AddressSum::number(unsigned, bits));
        }
        match bits <= self.bits {
            true => Ok(AddressSum { bits, ..self }),
            false => Err(ImageError::Width(u64::from(bits) / 8)),
        }
    }
}

fn sign_extended(number: i64, bits: u32) -> i64 {
    let unused = 64 - bits.clamp(1, 64);
    number << unused >> unused
}

/// Two addresses of opposite signs, or none of either if they are equal.
fn cancelled(plus: Option<Referent>, minus: Option<Referent>) -> (Option<Referent>, Option<Referent>) {
    if plus == minus { (None, None) } else { (plus, minus) }
}

fn one(first: Option<Referent>, second: Option<Referent>) -> Result<Option<Referent>, ImageError> {
    match (first, second) {
        (Some(_), Some(_)) => Err(ImageError::Sum),
        (first, second) => Ok(first.or(second)),
    }
}

impl Layouts<'_> {
    /// The value of an integer of at most 64 bits, or of a pointer.
    pub(crate) fn evaluate(&self, constant: &Constant) -> Result<AddressSum, ImageError> {
        let bits = self.get(constant.ty)?.bits;
        let is_scalar = matches!(self.types.kind(constant.ty), TypeKind::Integer { .. } | TypeKind::Pointer { .. });
        let width = u32::try_from(bits).ok().filter(|bits| is_scalar && (1..=64).contains(bits));
        let width = width.ok_or(ImageError::Width(bits.div_ceil(8)))?;
        match &constant.kind {
            ConstantKind::Integer(integer) => {
                let number = integer.to_i64().ok_or(ImageError::Width(bits.div_ceil(8)))?;
                Ok(AddressSum::number(number, width))
            }
            ConstantKind::Null | ConstantKind::Undef | ConstantKind::Poison | ConstantKind::Zero => {
                Ok(AddressSum::number(0, width))
            }
            ConstantKind::Symbol(symbol) | ConstantKind::NoCfi(symbol) => {
                Ok(AddressSum::address(Referent::Symbol(*symbol), width))
            }
            ConstantKind::DsoLocalEquivalent(symbol) => {
                Ok(AddressSum::address(Referent::DsoLocalEquivalent(*symbol), width))
            }
            ConstantKind::BlockAddress { function, block } => {
                let block = Referent::Block { function: *function, block: block.clone() };
                Ok(AddressSum::address(block, width))
            }
            ConstantKind::PointerAuthentication(_) => Err(ImageError::PointerAuthentication),
            ConstantKind::Expression(expression) => self.evaluate_expression(expression, width),
            ConstantKind::Float(_)
            | ConstantKind::None
            | ConstantKind::Aggregate(_)
            | ConstantKind::Splat(_)
            | ConstantKind::Bytes(_) => Err(ImageError::Mismatch),
        }
    }

    fn evaluate_expression(&self, expression: &Expression, bits: u32) -> Result<AddressSum, ImageError> {
        match expression {
            Expression::Cast { op, operand } => {
                let operand = self.evaluate(operand)?;
                match op {
                    CastOp::Trunc | CastOp::PtrToInt | CastOp::PtrToAddr | CastOp::IntToPtr => operand.resized(bits),
                    CastOp::BitCast | CastOp::AddrSpaceCast if operand.bits == bits => Ok(operand),
                    CastOp::BitCast | CastOp::AddrSpaceCast => Err(ImageError::Expression(op.keyword())),
                }
            }
            Expression::Binary { op, operands: [left, right], .. } => {
                let (left, right) = (self.evaluate(left)?, self.evaluate(right)?);
                match op {
                    BinaryOp::Add => left.plus(right),
                    BinaryOp::Sub => left.plus(right.negated()),
                    BinaryOp::Xor if left.is_number() && right.is_number() => {
                        Ok(AddressSum::number(left.number ^ right.number, bits))
                    }
                    BinaryOp::Xor => Err(ImageError::Expression(op.keyword())),
                }
            }
            Expression::ElementPointer { source, base, indices, .. } => {
                let base = self.evaluate(base)?;
                let offset = self.element_offset(*source, indices)?;
                base.plus(AddressSum::number(offset, bits))
            }
            Expression::Vector { op, .. } => Err(ImageError::Expression(op.keyword())),
        }
    }

    /// The bytes that the indices of a `getelementptr` add, modulo 2^64.
    fn element_offset(&self, source: TypeId, indices: &[Constant]) -> Result<i64, ImageError> {
        let (mut ty, mut offset) = (source, 0i64);
        for (place, index) in indices.iter().enumerate() {
            let number = self.evaluate(index)?;
            if !number.is_number() {
                return Err(ImageError::Expression("getelementptr"));
            }
            if let (Some(body), 1..) = (self.types.struct_body(ty), place) {
                let field = usize::try_from(number.number).map_err(|_| ImageError::Mismatch)?;
                let start = *self.get(ty)?.offsets.get(field).ok_or(ImageError::Mismatch)?;
                offset = offset.wrapping_add_unsigned(start);
                ty = *body.fields.get(field).ok_or(ImageError::Mismatch)?;
                continue;
            }
            if place > 0 {
                ty = self.types.elements(ty).ok_or(LayoutError::Unsized)?.0;
            }
            let stride = i64::try_from(self.alloc_size(ty)?).map_err(|_| LayoutError::TooLarge)?;
            offset = offset.wrapping_add(number.number.wrapping_mul(stride));
        }
        Ok(offset)
    }
}
