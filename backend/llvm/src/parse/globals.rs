//! Global variables, aliases and ifuncs, and the properties that they share with functions.

use super::{GroupUser, Parser, Step};
use crate::constant::Constant;
use crate::error::{FormKind, IrErrorKind, ReadFailure};
use crate::lexer::Token;
use crate::module::{
    Alias, ComdatId, Definition, DllStorage, Global, GlobalValue, Ifunc, Linkage, SymbolId, ThreadLocalModel,
    UnnamedAddress, Visibility,
};
use crate::name::Name;
use crate::types::TypeId;
use std::ops::Range;

impl<'t> Parser<'t> {
    /// An entity whose name stands first: `@x = ...`.
    pub(super) fn global_entity(&mut self, name: &'t str) -> Step<()> {
        let span = self.span.clone();
        let symbol = self.symbol_named(name)?;
        self.mark(b'=', "`=`")?;
        let head = self.head()?;
        let (linkage, mut value) = (head.linkage, head.value(symbol));
        value.thread_local = self.thread_local()?;
        value.unnamed_addr = self.unnamed_address()?;
        match self.token {
            Token::Word("alias") => self.alias(value, span),
            Token::Word("ifunc") => self.ifunc(value, span),
            _ => self.global(linkage, value, span),
        }
    }

    /// Linkage and the properties after it: preemption, visibility, DLL storage.
    pub(super) fn head(&mut self) -> Step<GlobalHead> {
        let linkage = self.take_keyword(Linkage::from_keyword)?;
        let dso_local = self.take_word("dso_local")?;
        if !dso_local {
            self.take_word("dso_preemptable")?;
        }
        let visibility = self.take_keyword(Visibility::from_keyword)?.unwrap_or(Visibility::Default);
        Ok(GlobalHead { linkage, dso_local, visibility, dll_storage: self.take_keyword(DllStorage::from_keyword)? })
    }

    fn thread_local(&mut self) -> Step<Option<ThreadLocalModel>> {
        if !self.take_word("thread_local")? {
            return Ok(None);
        }
        if !self.take_mark(b'(')? {
            return Ok(Some(ThreadLocalModel::GeneralDynamic));
        }
        let model = self.take_keyword(ThreadLocalModel::from_keyword)?;
        let model = model.ok_or_else(|| self.unknown(FormKind::Property))?;
        self.mark(b')', "`)`")?;
        Ok(Some(model))
    }

    pub(super) fn unnamed_address(&mut self) -> Step<UnnamedAddress> {
        self.take_keyword(UnnamedAddress::from_keyword).map(|found| found.unwrap_or(UnnamedAddress::Significant))
    }

    fn global(&mut self, linkage: Option<Linkage>, value: GlobalValue, span: Range<usize>) -> Step<()> {
        let address_space = self.address_space()?;
        let externally_initialized = self.take_word("externally_initialized")?;
        let constant = match self.token {
            Token::Word("global") => false,
            Token::Word("constant") => true,
            Token::Word(_) => return Err(self.unknown(FormKind::Property)),
            _ => return Err(self.expected("`global` or `constant`")),
        };
        self.advance()?;
        let ty = self.ty()?;
        let is_declaration = matches!(linkage, Some(Linkage::External | Linkage::ExternWeak));
        let initialiser = if is_declaration { None } else { Some(self.constant(ty)?) };
        let mut global = Global {
            value,
            address_space: address_space.unwrap_or(self.default_global_space()),
            externally_initialized,
            constant,
            ty,
            initialiser,
            section: None,
            comdat: None,
            alignment: None,
            code_model: None,
            sanitizers: Vec::new(),
            attributes: Vec::new(),
        };
        while self.take_mark(b',')? {
            self.global_property(&mut global, span.clone())?;
        }
        let id = self.module.globals.next_key();
        global.attributes = self.function_attributes(GroupUser::Global(id))?;
        self.define_symbol(global.value.symbol, span, Definition::Global(id))?;
        self.module.globals.push(global);
        Ok(())
    }

    fn default_global_space(&self) -> u32 {
        self.module.data_layout.as_ref().map_or(0, |layout| layout.global_address_space)
    }

    /// One item after a comma.
    fn global_property(&mut self, global: &mut Global, name: Range<usize>) -> Step<()> {
        let word = match self.token {
            Token::Metadata(_) => return self.attachment(),
            Token::Word(word) => word,
            _ => return Err(self.expected("a property of a global")),
        };
        match word {
            "section" => global.section = Some(self.string_after_word()?),
            "partition" => global.value.partition = Some(self.string_after_word()?),
            "code_model" => global.code_model = Some(self.string_after_word()?),
            "align" => global.alignment = Some(self.alignment()?),
            "comdat" => global.comdat = Some(self.comdat_use(name)?),
            "no_sanitize_address" | "no_sanitize_hwaddress" | "sanitize_memtag" | "sanitize_address_dyninit" => {
                global.sanitizers.push(word.to_string());
                self.advance()?;
            }
            _ => return Err(self.unknown(FormKind::Property)),
        }
        Ok(())
    }

    pub(super) fn string_after_word(&mut self) -> Step<String> {
        self.advance()?;
        self.string()
    }

    /// `align N` or `align(N)`, in bytes.
    pub(super) fn alignment(&mut self) -> Step<u64> {
        self.advance()?;
        let parentheses = self.take_mark(b'(')?;
        let span = self.span.clone();
        let bytes: u64 = self.number()?;
        if parentheses {
            self.mark(b')', "`)`")?;
        }
        match bytes.is_power_of_two() && bytes <= 1 << 32 {
            true => Ok(bytes),
            false => Err(ReadFailure::Malformed(span, IrErrorKind::Number)),
        }
    }

    /// `comdat` or `comdat($c)`: without a name it is the comdat of the entity's own.
    pub(super) fn comdat_use(&mut self, name: Range<usize>) -> Step<ComdatId> {
        self.advance()?;
        if !self.take_mark(b'(')? {
            let own = self.text.get(name.start + 1..name.end).unwrap_or_default();
            return Ok(self.comdat(Name::from_text(own), name));
        }
        let Token::Comdat(name) = self.token else { return Err(self.expected("a comdat")) };
        let id = self.comdat_named(name)?;
        self.mark(b')', "`)`")?;
        Ok(id)
    }

    /// Steps over `!name` and the metadata after it.
    pub(super) fn attachment(&mut self) -> Step<()> {
        self.advance()?;
        match self.token {
            Token::Metadata(_) => {
                self.advance()?;
                if self.token == Token::Mark(b'(') {
                    self.skip_parentheses()?;
                }
                Ok(())
            }
            Token::Mark(b'!') => {
                self.advance()?;
                match self.token {
                    Token::Mark(b'{') => self.skip_braces().map(drop),
                    _ => self.bytes().map(drop),
                }
            }
            _ => Err(self.expected("metadata")),
        }
    }

    fn alias(&mut self, value: GlobalValue, span: Range<usize>) -> Step<()> {
        let (value, ty, aliasee) = self.indirect(value)?;
        let id = self.module.aliases.next_key();
        self.define_symbol(value.symbol, span, Definition::Alias(id))?;
        self.module.aliases.push(Alias { value, ty, aliasee });
        Ok(())
    }

    fn ifunc(&mut self, value: GlobalValue, span: Range<usize>) -> Step<()> {
        let (value, ty, resolver) = self.indirect(value)?;
        let id = self.module.ifuncs.next_key();
        self.define_symbol(value.symbol, span, Definition::Ifunc(id))?;
        self.module.ifuncs.push(Ifunc { value, ty, resolver });
        Ok(())
    }

    /// `alias T, address` with what may follow; an expression says its own type.
    fn indirect(&mut self, mut value: GlobalValue) -> Step<(GlobalValue, TypeId, Constant)> {
        self.advance()?;
        let ty = self.ty()?;
        self.mark(b',', "`,`")?;
        let address = match self.expression()? {
            Some(expression) => expression,
            None => self.typed_constant()?,
        };
        while self.take_mark(b',')? {
            match self.token {
                Token::Word("partition") => value.partition = Some(self.string_after_word()?),
                Token::Metadata(_) => self.attachment()?,
                Token::Word(_) => return Err(self.unknown(FormKind::Property)),
                _ => return Err(self.expected("`partition`")),
            }
        }
        Ok((value, ty, address))
    }
}

/// The properties before the kind of an entity.
pub(super) struct GlobalHead {
    /// As far as it is written.
    linkage: Option<Linkage>,
    dso_local: bool,
    visibility: Visibility,
    dll_storage: Option<DllStorage>,
}

impl GlobalHead {
    pub(super) fn value(self, symbol: SymbolId) -> GlobalValue {
        // A symbol that others cannot see or replace is local without saying so.
        let is_implied_local = match self.linkage {
            Some(Linkage::Internal | Linkage::Private) => true,
            linkage => self.visibility != Visibility::Default && linkage != Some(Linkage::ExternWeak),
        };
        GlobalValue {
            symbol,
            linkage: self.linkage.unwrap_or(Linkage::External),
            visibility: self.visibility,
            dso_local: self.dso_local || is_implied_local,
            dll_storage: self.dll_storage,
            thread_local: None,
            unnamed_addr: UnnamedAddress::Significant,
            partition: None,
        }
    }
}
