//! Types, and the definitions of named ones.

use super::{NamedType, Parser, Step};
use crate::error::{FormKind, IrErrorKind, ReadFailure};
use crate::lexer::Token;
use crate::name::Name;
use crate::types::{FloatKind, MOST_BITS, StructBody, TypeId, TypeKind};
use std::ops::Range;

impl<'t> Parser<'t> {
    /// A type.
    pub(super) fn ty(&mut self) -> Step<TypeId> {
        self.nested(Self::ty_here)
    }

    fn ty_here(&mut self) -> Step<TypeId> {
        let mut ty = match self.token {
            Token::Local(name) => self.type_named(name)?,
            Token::Mark(b'{') => {
                self.advance()?;
                let fields = self.type_list(b'}')?;
                self.intern(TypeKind::Struct(StructBody { fields, packed: false }))
            }
            Token::Mark(b'<') => self.vector_or_packed()?,
            Token::Mark(b'[') => {
                self.advance()?;
                let count = self.number()?;
                self.word("x", "`x`")?;
                let element = self.ty()?;
                self.mark(b']', "`]`")?;
                self.intern(TypeKind::Array { element, count })
            }
            Token::Word(word) => self.word_type(word)?,
            _ => return Err(self.expected("a type")),
        };
        loop {
            match self.token {
                Token::Mark(b'(') => ty = self.function_type(ty)?,
                Token::Mark(b'*') => return Err(self.unknown(FormKind::Type)),
                _ => return Ok(ty),
            }
        }
    }

    pub(super) fn intern(&mut self, kind: TypeKind) -> TypeId {
        self.module.types.intern(kind)
    }

    fn word_type(&mut self, word: &str) -> Step<TypeId> {
        let kind = match word {
            "void" => TypeKind::Void,
            "label" => TypeKind::Label,
            "metadata" => TypeKind::Metadata,
            "token" => TypeKind::Token,
            "x86_amx" => TypeKind::Amx,
            "ptr" => {
                self.advance()?;
                let address_space = self.address_space()?.unwrap_or(0);
                return Ok(self.intern(TypeKind::Pointer { address_space }));
            }
            "target" => return self.target_type(),
            _ => match FloatKind::from_keyword(word) {
                Some(kind) => TypeKind::Float(kind),
                None => TypeKind::Integer { bits: self.integer_type(word)? },
            },
        };
        self.advance()?;
        Ok(self.intern(kind))
    }

    /// True if a word is a type: other words there are attributes.
    pub(super) fn is_type(word: &str) -> bool {
        let words = ["void", "label", "metadata", "token", "x86_amx", "ptr", "target"];
        words.contains(&word) || FloatKind::from_keyword(word).is_some() || integer_digits(word).is_some()
    }

    fn integer_type(&self, word: &str) -> Step<u32> {
        let digits = integer_digits(word).ok_or_else(|| self.unknown(FormKind::Type))?;
        let bits = digits.parse().ok().filter(|bits| (1..=MOST_BITS).contains(bits));
        bits.ok_or_else(|| self.fail(IrErrorKind::Number))
    }

    /// `addrspace(N)` or `addrspace("name")`, if it is next.
    pub(super) fn address_space(&mut self) -> Step<Option<u32>> {
        if !self.take_word("addrspace")? {
            return Ok(None);
        }
        self.mark(b'(', "`(`")?;
        let space = match self.token {
            Token::Text(name) => {
                let layout = self.module.data_layout.clone().unwrap_or_default();
                let space = layout.address_space(name).ok_or_else(|| self.unknown(FormKind::Type))?;
                self.advance()?;
                space
            }
            _ => self.number()?,
        };
        self.mark(b')', "`)`")?;
        Ok(Some(space))
    }

    fn target_type(&mut self) -> Step<TypeId> {
        self.advance()?;
        self.mark(b'(', "`(`")?;
        let name = self.string()?;
        let (mut types, mut integers) = (Vec::new(), Vec::new());
        while self.take_mark(b',')? {
            match self.token {
                Token::Number(_) => integers.push(self.number()?),
                _ => types.push(self.ty()?),
            }
        }
        self.mark(b')', "`)`")?;
        Ok(self.intern(TypeKind::Target { name, types: types.into(), integers: integers.into() }))
    }

    fn vector_or_packed(&mut self) -> Step<TypeId> {
        self.advance()?;
        if self.take_mark(b'{')? {
            let fields = self.type_list(b'}')?;
            self.mark(b'>', "`>`")?;
            return Ok(self.intern(TypeKind::Struct(StructBody { fields, packed: true })));
        }
        let scalable = self.take_word("vscale")?;
        if scalable {
            self.word("x", "`x`")?;
        }
        let count = self.number()?;
        self.word("x", "`x`")?;
        let element = self.ty()?;
        self.mark(b'>', "`>`")?;
        Ok(self.intern(TypeKind::Vector { element, count, scalable }))
    }

    fn type_list(&mut self, close: u8) -> Step<Box<[TypeId]>> {
        let mut types = Vec::new();
        self.list(close, |parser| {
            types.push(parser.ty()?);
            Ok(())
        })?;
        Ok(types.into())
    }

    fn function_type(&mut self, result: TypeId) -> Step<TypeId> {
        self.advance()?;
        let (mut parameters, mut variadic) = (Vec::new(), false);
        self.list(b')', |parser| {
            if variadic {
                return Err(parser.expected("`)` after `...`"));
            }
            match parser.take(Token::Ellipsis)? {
                true => variadic = true,
                false => parameters.push(parser.ty()?),
            }
            Ok(())
        })?;
        Ok(self.intern(TypeKind::Function { result, parameters: parameters.into(), variadic }))
    }

    /// The type of a name that stands here, new or not.
    fn type_named(&mut self, name: &'t str) -> Step<TypeId> {
        let mention = self.span.clone();
        self.advance()?;
        Ok(self.named_type(name, mention).ty)
    }

    fn named_type(&mut self, name: &'t str, mention: Range<usize>) -> &mut NamedType {
        let types = &mut self.module.types;
        self.type_names.entry(Name::from_text(name)).or_insert_with_key(|name| NamedType {
            ty: types.declare(name.clone()),
            defined: false,
            mention,
        })
    }

    pub(super) fn set_type_aside(&mut self, name: &'t str, mention: Range<usize>) {
        self.named_type(name, mention).defined = true;
    }

    /// `%T = type {...}`, `%T = type opaque`, or a second name of another type.
    pub(super) fn type_definition(&mut self, name: &'t str) -> Step<()> {
        let mention = self.span.clone();
        let redefined = ReadFailure::Malformed(mention.clone(), IrErrorKind::Redefinition(format!("%{name}")));
        self.advance()?;
        self.mark(b'=', "`=`")?;
        self.word("type", "`type`")?;
        let is_struct = match self.token {
            Token::Mark(b'{') | Token::Word("opaque") => true,
            Token::Mark(b'<') => self.lexer.is_before(b'{'),
            _ => false,
        };
        if !is_struct {
            let ty = self.ty()?;
            return match self.type_names.insert(Name::from_text(name), NamedType { ty, defined: true, mention }) {
                None => Ok(()),
                Some(_) => Err(redefined),
            };
        }
        let body = match self.take_word("opaque")? {
            true => None,
            false => {
                let ty = self.ty()?;
                self.module.types.struct_body(ty).cloned()
            }
        };
        let named = self.named_type(name, mention);
        let ty = named.ty;
        if std::mem::replace(&mut named.defined, true) {
            return Err(redefined);
        }
        if let (Some(body), &TypeKind::Named(id)) = (body, self.module.types.kind(ty)) {
            self.module.types.define(id, body);
        }
        Ok(())
    }
}

fn integer_digits(word: &str) -> Option<&str> {
    word.strip_prefix('i').filter(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}
