//! Functions: signatures and properties. A body is stepped over.

use super::{GroupUser, Parser, Step};
use crate::constant::Constant;
use crate::error::FormKind;
use crate::function::{CallingConvention, IrFunction, Parameter};
use crate::lexer::Token;
use crate::module::Definition;
use crate::name::Name;
use crate::pointers;
use crate::types::TypeId;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Parameters, and whether others may follow them.
type Parameters = (Vec<Parameter>, bool);

impl<'t> Parser<'t> {
    /// `define` or `declare`.
    pub(super) fn function(&mut self) -> Step<()> {
        let is_definition = self.token == Token::Word("define");
        self.advance()?;
        while let Token::Metadata(_) = self.token {
            self.attachment()?;
        }
        let head = self.head()?;
        let convention = self.convention()?;
        let attributes = self.result_attributes()?;
        let result = Parameter { ty: self.result_type()?, attributes, name: None };
        let span = self.span.clone();
        let Token::Global(name) = self.token else { return Err(self.expected("the name of a function")) };
        let value = head.value(self.symbol_named(name)?);
        let (parameters, variadic) = self.parameters()?;
        let mut function = IrFunction {
            value,
            convention,
            result,
            parameters,
            variadic,
            address_space: self.module.data_layout.as_ref().map_or(0, |layout| layout.program_address_space),
            attributes: Vec::new(),
            section: None,
            comdat: None,
            alignment: None,
            gc: None,
            prefix: None,
            prologue: None,
            personality: None,
            body: None,
            pointers: FxHashMap::default(),
        };
        let id = self.module.functions.next_key();
        self.function_properties(&mut function, GroupUser::Function(id), span.clone())?;
        if is_definition {
            while let Token::Metadata(_) = self.token {
                self.attachment()?;
            }
            match self.token {
                Token::Mark(b'{') => {
                    let body = self.skip_braces()?;
                    function.pointers = pointers::derived(self.lexer.slice(body.clone()));
                    function.body = Some(body);
                }
                Token::Word(_) => return Err(self.unknown(FormKind::Property)),
                _ => return Err(self.expected("`{`")),
            }
        }
        self.define_symbol(function.value.symbol, span, Definition::Function(id))?;
        self.module.functions.push(function);
        Ok(())
    }

    fn result_type(&mut self) -> Step<TypeId> {
        match self.token {
            Token::Word(word) if !Self::is_type(word) => Err(self.unknown(FormKind::Property)),
            _ => self.ty(),
        }
    }

    fn convention(&mut self) -> Step<CallingConvention> {
        let Token::Word(word) = self.token else { return Ok(CallingConvention::C) };
        if word == "cc" {
            self.advance()?;
            return self.number().map(CallingConvention);
        }
        if let Some(number) = word.strip_prefix("cc").and_then(|digits| digits.parse().ok()) {
            self.advance()?;
            return Ok(CallingConvention(number));
        }
        let found = self.take_keyword(CallingConvention::from_keyword)?.unwrap_or(CallingConvention::C);
        match word {
            "riscv_vls_cc" if self.take_mark(b'(')? => {
                let bits: u32 = self.number()?;
                self.mark(b')', "`)`")?;
                // One convention for each power of two from 32 bits.
                let is_known = bits.is_power_of_two() && (32..=65536).contains(&bits);
                let number = 112 + bits.trailing_zeros().saturating_sub(5);
                is_known.then_some(CallingConvention(number)).ok_or_else(|| self.unknown(FormKind::Property))
            }
            _ => Ok(found),
        }
    }

    fn parameters(&mut self) -> Step<Parameters> {
        let (mut parameters, mut variadic) = (Vec::new(), false);
        self.mark(b'(', "`(`")?;
        self.list(b')', |parser| {
            if variadic {
                return Err(parser.expected("`)` after `...`"));
            }
            if parser.take(Token::Ellipsis)? {
                variadic = true;
                return Ok(());
            }
            let (ty, attributes) = (parser.ty()?, parser.parameter_attributes()?);
            let name = match parser.token {
                Token::Local(name) => Some(Name::from_text(name)),
                _ => None,
            };
            if name.is_some() {
                parser.advance()?;
            }
            parameters.push(Parameter { ty, attributes, name });
            Ok(())
        })?;
        Ok((parameters, variadic))
    }

    /// The properties after the parameters, and the attributes among them.
    fn function_properties(&mut self, function: &mut IrFunction, user: GroupUser, name: Range<usize>) -> Step<()> {
        loop {
            function.attributes.extend(self.function_attributes(user)?);
            let Token::Word(word) = self.token else { return Ok(()) };
            match word {
                "unnamed_addr" | "local_unnamed_addr" => function.value.unnamed_addr = self.unnamed_address()?,
                "addrspace" => function.address_space = self.address_space()?.unwrap_or(function.address_space),
                "section" => function.section = Some(self.string_after_word()?),
                "partition" => function.value.partition = Some(self.string_after_word()?),
                "comdat" => function.comdat = Some(self.comdat_use(name.clone())?),
                "align" => function.alignment = Some(self.alignment()?),
                "gc" => function.gc = Some(self.string_after_word()?),
                "prefix" => function.prefix = Some(self.constant_after_word()?),
                "prologue" => function.prologue = Some(self.constant_after_word()?),
                "personality" => function.personality = Some(self.constant_after_word()?),
                _ => return Ok(()),
            }
        }
    }

    fn constant_after_word(&mut self) -> Step<Constant> {
        self.advance()?;
        self.typed_constant()
    }
}
