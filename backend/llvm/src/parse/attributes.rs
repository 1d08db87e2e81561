//! Attributes and their groups.

use super::{GroupUser, Parser, Step};
use crate::attribute::{Attribute, AttributeWord, TypedAttribute};
use crate::error::{FormKind, IrErrorKind, ReadFailure};
use crate::lexer::Token;
use crate::types::TypeKind;

/// Words after the parameters of a function that are no attributes.
const PROPERTIES: [&str; 11] = [
    "unnamed_addr",
    "local_unnamed_addr",
    "addrspace",
    "section",
    "partition",
    "comdat",
    "align",
    "gc",
    "prefix",
    "prologue",
    "personality",
];

impl<'t> Parser<'t> {
    /// Attributes of a result: the word after them is a type.
    pub(super) fn result_attributes(&mut self) -> Step<Vec<Attribute>> {
        let mut attributes = Vec::new();
        loop {
            match self.token {
                Token::Text(_) => attributes.push(self.text_attribute()?),
                Token::Word(word) if is_result_attribute(word) => attributes.push(self.attribute(word)?),
                _ => return Ok(attributes),
            }
        }
    }

    /// Attributes of a parameter.
    pub(super) fn parameter_attributes(&mut self) -> Step<Vec<Attribute>> {
        let mut attributes = Vec::new();
        loop {
            match self.token {
                Token::Text(_) => attributes.push(self.text_attribute()?),
                Token::Word(word) => attributes.push(self.attribute(word)?),
                _ => return Ok(attributes),
            }
        }
    }

    /// Attributes of a function or a global, up to the first word that is none.
    pub(super) fn function_attributes(&mut self, user: GroupUser) -> Step<Vec<Attribute>> {
        let mut attributes = Vec::new();
        loop {
            match self.token {
                Token::AttributeGroup(group) => {
                    self.advance()?;
                    self.group_users.push((user, group));
                }
                Token::Text(_) => attributes.push(self.text_attribute()?),
                Token::Word(word) if !PROPERTIES.contains(&word) && !self.is_entity_start() => {
                    attributes.push(self.attribute(word)?);
                }
                _ => return Ok(attributes),
            }
        }
    }

    /// `attributes #0 = { ... }`
    pub(super) fn attribute_group(&mut self) -> Step<()> {
        self.advance()?;
        let Token::AttributeGroup(group) = self.token else { return Err(self.expected("the number of a group")) };
        self.advance()?;
        self.mark(b'=', "`=`")?;
        self.mark(b'{', "`{`")?;
        let mut attributes = Vec::new();
        while !self.take_mark(b'}')? {
            attributes.push(match self.token {
                Token::Text(_) => self.text_attribute()?,
                Token::Word(word) => self.attribute(word)?,
                _ => return Err(self.expected("an attribute or `}`")),
            });
        }
        self.groups.entry(group).or_default().extend(attributes);
        Ok(())
    }

    /// Gives the attributes of groups to their users.
    pub(super) fn resolve_groups(&mut self) {
        for (user, group) in std::mem::take(&mut self.group_users) {
            let attributes = self.groups.get(group).into_iter().flatten().cloned();
            match user {
                GroupUser::Function(id) => self.module.functions.get_mut(id).map(|it| it.attributes.extend(attributes)),
                GroupUser::Global(id) => self.module.globals.get_mut(id).map(|it| it.attributes.extend(attributes)),
            };
        }
    }

    /// `"key"` or `"key"="value"`
    fn text_attribute(&mut self) -> Step<Attribute> {
        let key = self.string()?;
        let value = if self.take_mark(b'=')? { self.string()? } else { String::new() };
        Ok(Attribute::Text { key, value })
    }

    fn attribute(&mut self, word: &str) -> Step<Attribute> {
        if self.lexer.is_before(b'(') {
            return self.attribute_with_operands(word);
        }
        if let Some(word) = self.take_keyword(AttributeWord::from_keyword)? {
            return Ok(Attribute::Word(word));
        }
        self.attribute_with_operands(word)
    }

    fn attribute_with_operands(&mut self, word: &str) -> Step<Attribute> {
        if let Some(kind) = self.take_keyword(TypedAttribute::from_keyword)? {
            self.mark(b'(', "`(`")?;
            let ty = self.ty()?;
            self.mark(b')', "`)`")?;
            return Ok(Attribute::Typed(kind, ty));
        }
        match word {
            "align" => self.sized_attribute().map(Attribute::Align),
            "alignstack" => self.sized_attribute().map(Attribute::StackAlign),
            "dereferenceable" => self.sized_attribute().map(Attribute::Dereferenceable),
            "dereferenceable_or_null" => self.sized_attribute().map(Attribute::DereferenceableOrNull),
            "range" => self.range_attribute(),
            _ => self.other_attribute(),
        }
    }

    /// The number of `align 8`, `align(8)` or, in a group, `align=8`.
    fn sized_attribute(&mut self) -> Step<u64> {
        self.advance()?;
        self.take_mark(b'=')?;
        let parentheses = self.take_mark(b'(')?;
        let number = self.number()?;
        if parentheses {
            self.mark(b')', "`)`")?;
        }
        Ok(number)
    }

    fn range_attribute(&mut self) -> Step<Attribute> {
        self.advance()?;
        self.mark(b'(', "`(`")?;
        let ty = self.ty()?;
        let &TypeKind::Integer { bits } = self.module.types.kind(ty) else {
            return Err(self.unknown(FormKind::Property));
        };
        let low = self.bare_integer(bits)?;
        self.mark(b',', "`,`")?;
        let high = self.bare_integer(bits)?;
        self.mark(b')', "`)`")?;
        Ok(Attribute::Range(low, high))
    }

    /// A word, and what stands after it in parentheses or after `=`.
    fn other_attribute(&mut self) -> Step<Attribute> {
        let start = self.span.start;
        self.advance()?;
        if self.take_mark(b'=')? {
            self.advance()?;
        }
        if self.token == Token::Mark(b'(') {
            self.skip_parentheses()?;
        }
        Ok(Attribute::Other(self.text.get(start..self.end).unwrap_or_default().to_string()))
    }

    /// Steps over parentheses and the tokens in them.
    pub(super) fn skip_parentheses(&mut self) -> Step<()> {
        let open = self.span.clone();
        let mut depth = 0u32;
        loop {
            match self.token {
                Token::Mark(b'(') => depth += 1,
                Token::Mark(b')') => depth -= 1,
                Token::End => {
                    return Err(ReadFailure::Malformed(open, IrErrorKind::Open("parenthesis")));
                }
                _ => {}
            }
            self.advance()?;
            if depth == 0 {
                return Ok(());
            }
        }
    }
}

/// True for the attributes that a result may have.
fn is_result_attribute(word: &str) -> bool {
    let words = ["align", "dereferenceable", "dereferenceable_or_null", "nofpclass", "range"];
    words.contains(&word) || AttributeWord::from_keyword(word).is_some()
}
