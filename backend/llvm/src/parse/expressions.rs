//! Constant expressions. They say their own type.

use super::{Parser, Step, numbers};
use crate::constant::{BinaryOp, CastOp, Constant, ConstantKind, Expression, ExpressionFlags, Integer, VectorOp};
use crate::lexer::Token;
use crate::types::{TypeId, TypeKind};

impl Parser<'_> {
    /// A constant expression, if one begins here.
    pub(super) fn expression(&mut self) -> Step<Option<Constant>> {
        if let Some(op) = self.take_keyword(CastOp::from_keyword)? {
            return self.cast(op).map(Some);
        }
        if let Some(op) = self.take_keyword(BinaryOp::from_keyword)? {
            return self.binary(op).map(Some);
        }
        if let Some(op) = self.take_keyword(VectorOp::from_keyword)? {
            return self.vector_expression(op).map(Some);
        }
        match self.take_word("getelementptr")? {
            true => self.element_pointer().map(Some),
            false => Ok(None),
        }
    }

    fn cast(&mut self, op: CastOp) -> Step<Constant> {
        self.mark(b'(', "`(`")?;
        let operand = self.typed_constant()?;
        self.word("to", "`to`")?;
        let ty = self.ty()?;
        self.mark(b')', "`)`")?;
        Ok(expression(ty, Expression::Cast { op, operand }))
    }

    fn binary(&mut self, op: BinaryOp) -> Step<Constant> {
        let flags = self.flags()?;
        self.mark(b'(', "`(`")?;
        let left = self.typed_constant()?;
        self.mark(b',', "`,`")?;
        let right = self.typed_constant()?;
        if left.ty != right.ty {
            return Err(self.mismatch(left.ty));
        }
        self.mark(b')', "`)`")?;
        Ok(expression(left.ty, Expression::Binary { op, flags, operands: [left, right] }))
    }

    fn flags(&mut self) -> Step<ExpressionFlags> {
        let mut flags = ExpressionFlags::empty();
        let from_word = |word: &str| ExpressionFlags::WORDS.iter().find(|(known, _)| *known == word).copied();
        while let Some((_, flag)) = self.take_keyword(from_word)? {
            flags |= flag;
        }
        Ok(flags)
    }

    fn vector_expression(&mut self, op: VectorOp) -> Step<Constant> {
        self.mark(b'(', "`(`")?;
        let operands = self.constants(b')')?;
        let (first, last) = match (&*operands, op) {
            ([first, last], VectorOp::Extract) | ([first, _, last], VectorOp::Insert | VectorOp::Shuffle) => {
                (first, last)
            }
            _ => return Err(self.expected("as many operands as the operation has")),
        };
        let types = &self.module.types;
        let (Some((element, _)), count) = (types.elements(first.ty), types.elements(last.ty)) else {
            return Err(self.mismatch(first.ty));
        };
        let scalable = matches!(types.kind(last.ty), TypeKind::Vector { scalable: true, .. });
        let ty = match (op, count) {
            (VectorOp::Extract, _) => element,
            (VectorOp::Insert, _) => first.ty,
            (VectorOp::Shuffle, Some((_, count))) => self.intern(TypeKind::Vector { element, count, scalable }),
            (VectorOp::Shuffle, None) => return Err(self.mismatch(last.ty)),
        };
        Ok(expression(ty, Expression::Vector { op, operands }))
    }

    fn element_pointer(&mut self) -> Step<Constant> {
        let mut flags = self.flags()?;
        let in_range = match self.take_word("inrange")? {
            true => Some(self.range_bounds()?),
            false => None,
        };
        flags |= self.flags()?;
        self.mark(b'(', "`(`")?;
        let source = self.ty()?;
        self.mark(b',', "`,`")?;
        let base = self.typed_constant()?;
        let mut indices = Vec::new();
        while self.take_mark(b',')? {
            indices.push(self.typed_constant()?);
        }
        self.mark(b')', "`,` or `)`")?;
        let ty = self.element_pointer_type(&base, &indices);
        let indices = indices.into();
        Ok(expression(ty, Expression::ElementPointer { flags, in_range, source, base, indices }))
    }

    /// The type of the address: a vector if an operand is one.
    fn element_pointer_type(&mut self, base: &Constant, indices: &[Constant]) -> TypeId {
        let types = &self.module.types;
        let is_vector = |ty: &TypeId| matches!(types.kind(*ty), TypeKind::Vector { .. });
        let vector = std::iter::once(base.ty).chain(indices.iter().map(|index| index.ty)).find(is_vector);
        match vector.map(|ty| types.kind(ty)) {
            Some(&TypeKind::Vector { count, scalable, .. }) if !is_vector(&base.ty) => {
                self.intern(TypeKind::Vector { element: base.ty, count, scalable })
            }
            _ => base.ty,
        }
    }

    /// `(from, to)`: signed numbers as wide as an index may be.
    fn range_bounds(&mut self) -> Step<(Integer, Integer)> {
        self.mark(b'(', "`(`")?;
        let from = self.bare_integer(64)?;
        self.mark(b',', "`,`")?;
        let to = self.bare_integer(64)?;
        self.mark(b')', "`)`")?;
        Ok((from, to))
    }

    /// An integer of a width whose type is not written.
    pub(super) fn bare_integer(&mut self, bits: u32) -> Step<Integer> {
        let Token::Number(text) = self.token else { return Err(self.expected("an integer")) };
        let integer = numbers::integer(text, bits).ok_or_else(|| self.expected("an integer"))?;
        self.advance()?;
        Ok(integer)
    }
}

fn expression(ty: TypeId, expression: Expression) -> Constant {
    Constant { ty, kind: ConstantKind::Expression(Box::new(expression)) }
}
