//! The reader of our own scripts: z3's parser of SMT-LIB sets up every theory for every script, which takes longer than
//! most questions do. What this reader does not know it refuses; other solvers read the same text in CI.

use rustc_hash::FxHashMap;
use std::iter::Peekable;
use z3::ast::{BV, Bool, Int};

/// A term of one of the sorts that scripts have.
#[derive(Clone)]
pub(super) enum Sorted {
    Bits(BV),
    Int(Int),
    Truth(Bool),
}

/// What a script declares and asserts.
#[derive(Default)]
pub(super) struct Read<'s> {
    names: FxHashMap<&'s str, Sorted>,
    pub assertions: Vec<Bool>,
    /// The names that are declared, not defined.
    pub free: Vec<&'s str>,
}

impl<'s> Read<'s> {
    /// Reads a whole script; `None` if it is no script of ours.
    pub fn script(text: &'s str) -> Option<Read<'s>> {
        let mut tokens = Tokens { rest: text }.peekable();
        let mut read = Read::default();
        while tokens.next_if_eq(&"(").is_some() {
            read.command(&mut tokens)?;
            close(&mut tokens)?;
        }
        tokens.next().is_none().then_some(read)
    }

    /// A declared name's value.
    pub fn bits(&self, name: &str) -> Option<&BV> {
        match self.names.get(name)? {
            Sorted::Bits(bits) => Some(bits),
            _ => None,
        }
    }

    fn command(&mut self, tokens: &mut Stream<'s>) -> Option<()> {
        match tokens.next()? {
            "assert" => {
                let Sorted::Truth(truth) = self.term(tokens)? else { return None };
                self.assertions.push(truth);
            }
            "declare-fun" => {
                let name = name(tokens)?;
                let value = match sort(tokens)? {
                    Some(width) => Sorted::Bits(BV::new_const(name, width)),
                    None => Sorted::Int(Int::new_const(name)),
                };
                self.names.insert(name, value);
                self.free.push(name);
            }
            "define-fun" => {
                let name = name(tokens)?;
                sort(tokens)?;
                let value = self.term(tokens)?;
                self.names.insert(name, value);
            }
            _ => return None,
        }
        Some(())
    }

    fn term(&self, tokens: &mut Stream<'s>) -> Option<Sorted> {
        match tokens.next()? {
            "(" => {
                let term = match tokens.next()? {
                    "(" => self.indexed(tokens),
                    operator => self.applied(operator, tokens),
                };
                close(tokens)?;
                term
            }
            atom => match (atom.as_bytes().first()?, self.names.get(atom)) {
                (_, Some(known)) => Some(known.clone()),
                (b'#', None) => literal(atom).map(Sorted::Bits),
                _ => atom.parse().ok().map(|value: u128| Sorted::Int(Int::from_u128(value))),
            },
        }
    }

    /// `((_ extract 7 0) a)` and the extensions.
    fn indexed(&self, tokens: &mut Stream<'s>) -> Option<Sorted> {
        tokens.next_if_eq(&"_")?;
        let operator = tokens.next()?;
        let mut index = || tokens.next()?.parse::<u32>().ok();
        let (first, second) = (index()?, if operator == "extract" { index()? } else { 0 });
        close(tokens)?;
        let Sorted::Bits(bits) = self.term(tokens)? else { return None };
        Some(Sorted::Bits(match operator {
            "extract" => bits.extract(first, second),
            "zero_extend" => bits.zero_ext(first),
            "sign_extend" => bits.sign_ext(first),
            _ => return None,
        }))
    }

    fn applied(&self, operator: &str, tokens: &mut Stream<'s>) -> Option<Sorted> {
        let first = self.term(tokens)?;
        if operator == "bvnot" {
            return match first {
                Sorted::Bits(bits) => Some(Sorted::Bits(bits.bvnot())),
                _ => None,
            };
        }
        let second = self.term(tokens)?;
        match (first, second) {
            (Sorted::Bits(a), Sorted::Bits(b)) => of_bits(operator, &a, &b),
            (Sorted::Int(a), Sorted::Int(b)) => of_ints(operator, &a, &b),
            (Sorted::Truth(a), Sorted::Truth(b)) => of_truths(operator, &a, &b).map(Sorted::Truth),
            (Sorted::Truth(condition), then) if operator == "ite" => match (then, self.term(tokens)?) {
                (Sorted::Bits(a), Sorted::Bits(b)) => Some(Sorted::Bits(condition.ite(&a, &b))),
                (Sorted::Int(a), Sorted::Int(b)) => Some(Sorted::Int(condition.ite(&a, &b))),
                _ => None,
            },
            _ => None,
        }
    }
}

fn of_bits(operator: &str, a: &BV, b: &BV) -> Option<Sorted> {
    if a.get_size() != b.get_size() && operator != "concat" {
        return None;
    }
    Some(Sorted::Bits(match operator {
        "bvadd" => a.bvadd(b),
        "bvsub" => a.bvsub(b),
        "bvmul" => a.bvmul(b),
        "bvudiv" => a.bvudiv(b),
        "bvurem" => a.bvurem(b),
        "bvsdiv" => a.bvsdiv(b),
        "bvsrem" => a.bvsrem(b),
        "bvand" => a.bvand(b),
        "bvor" => a.bvor(b),
        "bvxor" => a.bvxor(b),
        "bvshl" => a.bvshl(b),
        "bvlshr" => a.bvlshr(b),
        "bvashr" => a.bvashr(b),
        "concat" => a.concat(b),
        "=" => return Some(Sorted::Truth(a.eq(b))),
        "bvult" => return Some(Sorted::Truth(a.bvult(b))),
        "bvule" => return Some(Sorted::Truth(a.bvule(b))),
        "bvslt" => return Some(Sorted::Truth(a.bvslt(b))),
        _ => return None,
    }))
}

fn of_ints(operator: &str, a: &Int, b: &Int) -> Option<Sorted> {
    Some(match operator {
        "+" => Sorted::Int(a + b),
        "-" => Sorted::Int(a - b),
        "*" => Sorted::Int(a * b),
        "=" => Sorted::Truth(a.eq(b)),
        "<" => Sorted::Truth(a.lt(b)),
        "<=" => Sorted::Truth(a.le(b)),
        ">=" => Sorted::Truth(a.ge(b)),
        _ => return None,
    })
}

fn of_truths(operator: &str, a: &Bool, b: &Bool) -> Option<Bool> {
    match operator {
        "and" => Some(a & b),
        "or" => Some(a | b),
        "xor" => Some(a.xor(b)),
        "=>" => Some(a.implies(b)),
        _ => None,
    }
}

/// A literal by limbs, low limb first: z3's numerals from text are slow.
fn literal(text: &str) -> Option<BV> {
    let (digits, bits_a_digit) = match text.split_at_checked(2)? {
        ("#x", digits) => (digits, 4),
        ("#b", digits) => (digits, 1),
        _ => return None,
    };
    let limb = |digits: &str| {
        let value = u64::from_str_radix(digits, 1 << bits_a_digit).ok()?;
        Some(BV::from_u64(value, digits.len() as u32 * bits_a_digit))
    };
    let (mut rest, mut value): (&str, Option<BV>) = (digits, None);
    while !rest.is_empty() {
        let (above, low) = rest.split_at_checked(rest.len().saturating_sub(64 / bits_a_digit as usize))?;
        let low = limb(low)?;
        value = Some(value.map_or(low.clone(), |below| low.concat(below)));
        rest = above;
    }
    value
}

/// `name ()`: no parameters.
fn name<'s>(tokens: &mut Stream<'s>) -> Option<&'s str> {
    let name = tokens.next()?;
    (tokens.next()? == "(" && tokens.next()? == ")").then_some(name)
}

/// The width of `(_ BitVec 8)`, or nothing for `Int`.
fn sort(tokens: &mut Stream<'_>) -> Option<Option<u32>> {
    if tokens.next()? == "Int" {
        return Some(None);
    }
    (tokens.next()? == "_" && tokens.next()? == "BitVec").then_some(())?;
    let width = tokens.next()?.parse().ok()?;
    close(tokens)?;
    Some(Some(width))
}

fn close(tokens: &mut Stream<'_>) -> Option<()> {
    tokens.next_if_eq(&")").map(|_| ())
}

type Stream<'s> = Peekable<Tokens<'s>>;

/// Parentheses, and what stands between them and spaces.
struct Tokens<'s> {
    rest: &'s str,
}

impl<'s> Iterator for Tokens<'s> {
    type Item = &'s str;

    fn next(&mut self) -> Option<&'s str> {
        self.rest = self.rest.trim_ascii_start();
        let is_end = |byte: &u8| matches!(byte, b'(' | b')' | b' ' | b'\n');
        let length = self.rest.bytes().position(|byte| is_end(&byte)).unwrap_or(self.rest.len());
        // A parenthesis is a token by itself.
        let (token, rest) = self.rest.split_at_checked(length.max(1))?;
        self.rest = rest;
        Some(token)
    }
}
