//! Constants of a type.

use super::{Parser, Step, numbers};
use crate::constant::{Constant, ConstantKind};
use crate::error::{FormKind, IrErrorKind, ReadFailure};
use crate::lexer::Token;
use crate::module::SymbolId;
use crate::name::Name;
use crate::types::{TypeId, TypeKind};

impl<'t> Parser<'t> {
    /// A type and a constant of it.
    pub(super) fn typed_constant(&mut self) -> Step<Constant> {
        let ty = self.ty()?;
        self.constant(ty)
    }

    /// A constant of a type.
    pub(super) fn constant(&mut self, ty: TypeId) -> Step<Constant> {
        self.nested(|parser| parser.constant_here(ty))
    }

    fn constant_here(&mut self, ty: TypeId) -> Step<Constant> {
        let kind = match self.token {
            Token::Number(text) => self.number_constant(text, ty)?,
            Token::Word(word) => return self.word_constant(word, ty),
            Token::Global(name) => {
                self.require(ty, |kind| matches!(kind, TypeKind::Pointer { .. }))?;
                ConstantKind::Symbol(self.symbol_named(name)?)
            }
            Token::Mark(b'[') => {
                self.require(ty, |kind| matches!(kind, TypeKind::Array { .. }))?;
                self.aggregate(ty, b']')?
            }
            Token::Mark(b'{') => {
                self.require_struct(ty)?;
                self.aggregate(ty, b'}')?
            }
            Token::Mark(b'<') if self.lexer.is_before(b'{') => {
                self.require_struct(ty)?;
                self.advance()?;
                let kind = self.aggregate(ty, b'}')?;
                self.mark(b'>', "`>`")?;
                kind
            }
            Token::Mark(b'<') => {
                self.require(ty, |kind| matches!(kind, TypeKind::Vector { .. }))?;
                self.aggregate(ty, b'>')?
            }
            _ => return Err(self.expected("a constant")),
        };
        Ok(Constant { ty, kind })
    }

    /// Fails unless the type has constants of the form that stands here.
    fn require(&self, ty: TypeId, has: impl Fn(&TypeKind) -> bool) -> Step<()> {
        match has(self.module.types.kind(ty)) {
            true => Ok(()),
            false => Err(self.mismatch(ty)),
        }
    }

    fn require_struct(&self, ty: TypeId) -> Step<()> {
        self.require(ty, |kind| matches!(kind, TypeKind::Struct(_) | TypeKind::Named(_)))
    }

    pub(super) fn mismatch(&self, ty: TypeId) -> ReadFailure {
        self.fail(IrErrorKind::Mismatch(self.module.types.display(ty).to_string()))
    }

    fn number_constant(&mut self, text: &str, ty: TypeId) -> Step<ConstantKind> {
        let kind = match *self.module.types.kind(ty) {
            TypeKind::Integer { bits } => numbers::integer(text, bits).map(ConstantKind::Integer),
            TypeKind::Float(kind) => numbers::float(text, kind).map(ConstantKind::Float),
            _ => None,
        };
        let kind = kind.ok_or_else(|| self.mismatch(ty))?;
        self.advance()?;
        Ok(kind)
    }

    fn word_constant(&mut self, word: &str, ty: TypeId) -> Step<Constant> {
        if let Some(expression) = self.expression()? {
            return match expression.ty == ty {
                true => Ok(expression),
                false => Err(self.mismatch(ty)),
            };
        }
        let is_bit = |kind: &TypeKind| *kind == TypeKind::Integer { bits: 1 };
        let kind = match word {
            "true" | "false" => {
                self.require(ty, is_bit)?;
                ConstantKind::Integer(numbers::bit(u8::from(word == "true"), 1))
            }
            "null" => {
                self.require(ty, |kind| matches!(kind, TypeKind::Pointer { .. }))?;
                ConstantKind::Null
            }
            "none" => {
                self.require(ty, |kind| matches!(kind, TypeKind::Token | TypeKind::Target { .. }))?;
                ConstantKind::None
            }
            "undef" => ConstantKind::Undef,
            "poison" => ConstantKind::Poison,
            "zeroinitializer" => ConstantKind::Zero,
            _ => return Ok(Constant { kind: self.compound_constant(word, ty)?, ty }),
        };
        self.advance()?;
        Ok(Constant { ty, kind })
    }

    /// A constant that is a word and something after it.
    fn compound_constant(&mut self, word: &str, ty: TypeId) -> Step<ConstantKind> {
        match word {
            "c" => {
                let &TypeKind::Array { element, count } = self.module.types.kind(ty) else {
                    return Err(self.mismatch(ty));
                };
                self.require(element, |kind| *kind == TypeKind::Integer { bits: 8 })?;
                self.advance()?;
                let bytes = self.bytes()?;
                match bytes.len() as u64 == count {
                    true => Ok(ConstantKind::Bytes(bytes.into())),
                    false => Err(self.mismatch(ty)),
                }
            }
            "splat" => {
                let &TypeKind::Vector { element, .. } = self.module.types.kind(ty) else {
                    return Err(self.mismatch(ty));
                };
                self.advance()?;
                self.mark(b'(', "`(`")?;
                let value = self.typed_constant()?;
                if value.ty != element {
                    return Err(self.mismatch(ty));
                }
                self.mark(b')', "`)`")?;
                Ok(ConstantKind::Splat(Box::new(value)))
            }
            "blockaddress" => self.block_address(),
            "dso_local_equivalent" => self.symbol_after_word().map(ConstantKind::DsoLocalEquivalent),
            "no_cfi" => self.symbol_after_word().map(ConstantKind::NoCfi),
            "ptrauth" => {
                self.advance()?;
                self.mark(b'(', "`(`")?;
                self.constants(b')').map(ConstantKind::PointerAuthentication)
            }
            _ => Err(self.unknown(FormKind::Constant)),
        }
    }

    fn block_address(&mut self) -> Step<ConstantKind> {
        self.advance()?;
        self.mark(b'(', "`(`")?;
        let Token::Global(name) = self.token else { return Err(self.expected("a function")) };
        let function = self.symbol_named(name)?;
        self.mark(b',', "`,`")?;
        let Token::Local(name) = self.token else { return Err(self.expected("a block")) };
        let block = Name::from_text(name);
        self.advance()?;
        self.mark(b')', "`)`")?;
        Ok(ConstantKind::BlockAddress { function, block })
    }

    fn symbol_after_word(&mut self) -> Step<SymbolId> {
        self.advance()?;
        let Token::Global(name) = self.token else { return Err(self.expected("a global")) };
        self.symbol_named(name)
    }

    /// Constants with their types, up to and with `close`.
    pub(super) fn constants(&mut self, close: u8) -> Step<Box<[Constant]>> {
        let mut constants = Vec::new();
        self.list(close, |parser| {
            constants.push(parser.typed_constant()?);
            Ok(())
        })?;
        Ok(constants.into())
    }

    /// The parts of an array, a vector or a struct, whose types must be those of `ty` where they are known.
    fn aggregate(&mut self, ty: TypeId, close: u8) -> Step<ConstantKind> {
        let mismatch = self.mismatch(ty);
        self.advance()?;
        let parts = self.constants(close)?;
        let types = &self.module.types;
        let fits = match (types.elements(ty), types.struct_body(ty)) {
            (Some((element, count)), _) => parts.len() as u64 == count && parts.iter().all(|part| part.ty == element),
            (None, Some(body)) => parts.iter().map(|part| part.ty).eq(body.fields.iter().copied()),
            (None, None) => true,
        };
        match fits {
            true => Ok(ConstantKind::Aggregate(parts)),
            false => Err(mismatch),
        }
    }
}
