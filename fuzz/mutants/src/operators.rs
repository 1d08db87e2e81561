//! The operators on expressions, statements and arms: a walk over the syntax of a file that notes each place.
//!
//! A change that cannot compile may be noted: the compiler refuses it, and the next is drawn. The parts that the
//! compiler evaluates itself are skipped, since a fault is chosen when the program runs: constants, `const fn`, types.

use crate::site::{Change, MutationSite, Operator};
use quote::ToTokens;
use std::ops::Range;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, ExprBinary, ExprCall, ExprIf, ExprLit, ExprMatch, ExprMethodCall, ExprPath, Lit, Stmt};

/// Names that are each other's opposite in sign, or kinds of extension.
const SIGNS: [(&str, &str); 16] = [
    ("G_ZEXT", "G_SEXT"),
    ("G_SEXT", "G_ANYEXT"),
    ("G_ANYEXT", "G_ZEXT"),
    ("G_LSHR", "G_ASHR"),
    ("G_UDIV", "G_SDIV"),
    ("G_UREM", "G_SREM"),
    ("G_ZEXTLOAD", "G_SEXTLOAD"),
    ("G_UMULH", "G_SMULH"),
    ("Ult", "Slt"),
    ("Ule", "Sle"),
    ("Ugt", "Sgt"),
    ("Uge", "Sge"),
    ("zext", "sext"),
    ("zero_extend", "sign_extend"),
    ("lshr", "ashr"),
    ("min", "max"),
];

/// Methods of a domain whose operands commute: exchanged, they are no fault.
const COMMUTATIVE: [&str; 10] = ["add", "mul", "and", "or", "xor", "eq", "ne", "bool_and", "bool_or", "bool_xor"];

/// The places in one file where an operator applies.
pub fn sites(file: &str, text: &str, syntax: &syn::File) -> Vec<MutationSite> {
    let mut walk = Walk { file, text, items: Vec::new(), sites: Vec::new() };
    walk.visit_file(syntax);
    walk.sites
}

struct Walk<'t> {
    file: &'t str,
    text: &'t str,
    /// The functions that are open, the innermost last.
    items: Vec<String>,
    sites: Vec<MutationSite>,
}

impl Walk<'_> {
    fn source(&self, syntax: &impl Spanned) -> String {
        self.text.get(syntax.span().byte_range()).unwrap_or_default().to_string()
    }

    fn note(&mut self, syntax: &impl Spanned, operator: Operator, after: String, change: Change) {
        let range = syntax.span().byte_range();
        let before = self.source(syntax);
        self.note_at(range, syntax.span().start().line, operator, (before, after), change);
    }

    fn note_at(
        &mut self,
        range: Range<usize>,
        line: usize,
        operator: Operator,
        shown: (String, String),
        change: Change,
    ) {
        let item = self.items.join("::");
        let shown = (one_line(&shown.0), one_line(&shown.1));
        self.sites.push(MutationSite {
            file: self.file.to_string(),
            line,
            item,
            range,
            operator,
            shown,
            change,
            alike: (1, 1),
        });
    }

    fn replace(&mut self, syntax: &impl Spanned, operator: Operator, with: String) {
        self.note(syntax, operator, with.clone(), Change::Expression(with));
    }

    fn binary(&mut self, node: &ExprBinary) {
        // A part of a chain that binds names cannot stand alone.
        if has_let(&node.left) || has_let(&node.right) {
            return;
        }
        let (left, right) = (self.source(&node.left), self.source(&node.right));
        let neighbours: (Operator, &[&str]) = match node.op {
            BinOp::Lt(_) => (Operator::Comparison, &["<="]),
            BinOp::Le(_) => (Operator::Comparison, &["<"]),
            BinOp::Gt(_) => (Operator::Comparison, &[">="]),
            BinOp::Ge(_) => (Operator::Comparison, &[">"]),
            BinOp::Eq(_) => (Operator::Comparison, &["!="]),
            BinOp::Ne(_) => (Operator::Comparison, &["=="]),
            BinOp::Add(_) => (Operator::Arithmetic, &["-"]),
            BinOp::Sub(_) => (Operator::Arithmetic, &["+"]),
            BinOp::Mul(_) => (Operator::Arithmetic, &["+"]),
            BinOp::Div(_) => (Operator::Arithmetic, &["%"]),
            BinOp::Rem(_) => (Operator::Arithmetic, &["/"]),
            BinOp::And(_) => (Operator::Arithmetic, &["||"]),
            BinOp::Or(_) => (Operator::Arithmetic, &["&&"]),
            BinOp::BitAnd(_) => (Operator::Arithmetic, &["|"]),
            BinOp::BitOr(_) => (Operator::Arithmetic, &["&", "^"]),
            BinOp::BitXor(_) => (Operator::Arithmetic, &["|"]),
            BinOp::Shl(_) => (Operator::Arithmetic, &[">>"]),
            BinOp::Shr(_) => (Operator::Arithmetic, &["<<"]),
            _ => return,
        };
        for other in neighbours.1 {
            self.replace(node, neighbours.0, format!("({left}) {other} ({right})"));
        }
        if matches!(node.op, BinOp::Sub(_) | BinOp::Div(_) | BinOp::Rem(_) | BinOp::Shl(_) | BinOp::Shr(_)) {
            let operator = node.op.to_token_stream();
            self.replace(node, Operator::Operands, format!("({right}) {operator} ({left})"));
        }
        let is_order = matches!(node.op, BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_));
        if is_order && !matches!(*node.right, Expr::Lit(_)) {
            let operator = node.op.to_token_stream();
            self.replace(node, Operator::Boundary, format!("({left}) {operator} (({right}) + 1)"));
        }
    }

    /// Two arguments that stand side by side, exchanged.
    fn arguments<'e>(&mut self, call: &impl Spanned, arguments: impl Iterator<Item = &'e Expr>) {
        let whole = call.span().byte_range();
        let all: Vec<&Expr> = arguments.collect();
        for pair in all.windows(2) {
            let (first, second) = (pair[0].span().byte_range(), pair[1].span().byte_range());
            let text = self.text;
            let parts = [
                &text[whole.start..first.start],
                &text[second.clone()],
                &text[first.end..second.start],
                &text[first.clone()],
                &text[second.end..whole.end],
            ];
            if text[first] != text[second] {
                self.replace(call, Operator::Operands, parts.concat());
            }
        }
    }

    fn condition(&mut self, condition: &Expr) {
        if !has_let(condition) {
            let negated = format!("!({})", self.source(condition));
            self.replace(condition, Operator::Condition, negated);
        }
    }

    fn arms(&mut self, node: &ExprMatch) {
        let is_open = node.arms.last().is_some_and(|arm| matches!(arm.pat, syn::Pat::Wild(_)) && arm.guard.is_none());
        for (index, arm) in node.arms.iter().enumerate() {
            if index + 1 < node.arms.len() && is_open {
                let line = arm.span().start().line;
                let shown = (self.source(&arm.pat), "(never)".to_string());
                let (range, change) = match &arm.guard {
                    None => (arm.pat.span().byte_range(), Change::Never),
                    Some((_, guard)) => (guard.span().byte_range(), Change::NeverIf),
                };
                self.note_at(range, line, Operator::Arm, shown, change);
            }
            let other = &node.arms[(index + 1) % node.arms.len()];
            let (value, given) = (self.source(&arm.body), self.source(&other.body));
            if value != given && !is_jump(&arm.body) && !is_jump(&other.body) {
                self.note(&arm.body, Operator::ArmValue, given.clone(), Change::Body(given));
            }
        }
    }

    fn name(&mut self, node: &ExprPath) {
        let Some(last) = node.path.segments.last() else { return };
        if let Some(other) = opposite(&last.ident.to_string()) {
            let whole = self.source(node);
            let name = last.ident.to_string();
            let with = format!("{}{other}", whole.strip_suffix(&name).unwrap_or_default());
            self.replace(node, Operator::Sign, with);
        }
    }
}

/// The other name of a pair.
fn opposite(name: &str) -> Option<&'static str> {
    SIGNS.iter().find_map(|&(one, other)| match name {
        name if name == one => Some(other),
        name if name == other => Some(one),
        _ => None,
    })
}

/// Text of several lines as one, for the reader.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(100) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line,
    }
}

/// A condition that binds names cannot be negated.
fn has_let(condition: &Expr) -> bool {
    match condition {
        Expr::Let(_) => true,
        Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        Expr::Paren(inner) => has_let(&inner.expr),
        _ => false,
    }
}

fn is_jump(expression: &Expr) -> bool {
    matches!(expression, Expr::Return(_) | Expr::Break(_) | Expr::Continue(_))
}

/// The literal with one bit flipped: each of its bits, and the one above.
pub fn flipped(literal: &syn::LitInt) -> Vec<String> {
    let Ok(value) = literal.base10_parse::<u128>() else { return Vec::new() };
    let bits = (128 - value.leading_zeros() + 1).min(127);
    (0..bits).map(|bit| format!("{}{}", value ^ (1 << bit), literal.suffix())).collect()
}

impl<'ast> Visit<'ast> for Walk<'_> {
    fn visit_item_fn(&mut self, node: &'ast syn::ItemFn) {
        if node.sig.constness.is_none() && !is_test(&node.attrs) {
            self.items.push(node.sig.ident.to_string());
            self.visit_block(&node.block);
            self.items.pop();
        }
    }

    fn visit_impl_item_fn(&mut self, node: &'ast syn::ImplItemFn) {
        if node.sig.constness.is_none() {
            self.items.push(node.sig.ident.to_string());
            self.visit_block(&node.block);
            self.items.pop();
        }
    }

    fn visit_trait_item_fn(&mut self, node: &'ast syn::TraitItemFn) {
        if let Some(block) = &node.default {
            self.items.push(node.sig.ident.to_string());
            self.visit_block(block);
            self.items.pop();
        }
    }

    /// How a value is shown is nobody's miscompile.
    fn visit_item_impl(&mut self, node: &'ast syn::ItemImpl) {
        let named = node.trait_.as_ref().and_then(|(_, path, _)| path.segments.last());
        if !named.is_some_and(|name| name.ident == "Display" || name.ident == "Debug") {
            visit::visit_item_impl(self, node);
        }
    }

    fn visit_item_mod(&mut self, node: &'ast syn::ItemMod) {
        if !is_test(&node.attrs) {
            visit::visit_item_mod(self, node);
        }
    }

    fn visit_expr_binary(&mut self, node: &'ast ExprBinary) {
        self.binary(node);
        visit::visit_expr_binary(self, node);
    }

    fn visit_expr_call(&mut self, node: &'ast ExprCall) {
        self.arguments(node, node.args.iter());
        visit::visit_expr_call(self, node);
    }

    fn visit_expr_method_call(&mut self, node: &'ast ExprMethodCall) {
        let name = node.method.to_string();
        if !COMMUTATIVE.contains(&name.as_str()) {
            self.arguments(node, node.args.iter());
        }
        if let Some(other) = opposite(&name) {
            let (whole, method) = (node.span().byte_range(), node.method.span().byte_range());
            let with = format!("{}{other}{}", &self.text[whole.start..method.start], &self.text[method.end..whole.end]);
            self.replace(node, Operator::Sign, with);
        }
        visit::visit_expr_method_call(self, node);
    }

    fn visit_expr_if(&mut self, node: &'ast ExprIf) {
        self.condition(&node.cond);
        visit::visit_expr_if(self, node);
    }

    fn visit_expr_match(&mut self, node: &'ast ExprMatch) {
        self.arms(node);
        visit::visit_expr_match(self, node);
    }

    fn visit_arm(&mut self, node: &'ast syn::Arm) {
        if let Some((_, guard)) = &node.guard {
            self.condition(guard);
            self.visit_expr(guard);
        }
        self.visit_expr(&node.body);
    }

    fn visit_expr_lit(&mut self, node: &'ast ExprLit) {
        match &node.lit {
            Lit::Int(literal) => {
                for with in flipped(literal) {
                    self.replace(node, Operator::Constant, with);
                }
            }
            Lit::Bool(literal) => self.replace(node, Operator::Condition, (!literal.value).to_string()),
            _ => {}
        }
    }

    fn visit_expr_path(&mut self, node: &'ast ExprPath) {
        self.name(node);
    }

    /// Of an assignment only the value: a place is no value.
    fn visit_expr_assign(&mut self, node: &'ast syn::ExprAssign) {
        self.visit_expr(&node.right);
    }

    fn visit_stmt(&mut self, node: &'ast Stmt) {
        if let Stmt::Expr(expression, Some(_)) = node
            && !matches!(expression, Expr::Macro(_))
        {
            self.note(node, Operator::Statement, "(nothing)".to_string(), Change::Drop);
        }
        visit::visit_stmt(self, node);
    }

    /// The lists of `vec!` and the expressions of `matches!` are code like any other.
    fn visit_macro(&mut self, node: &'ast syn::Macro) {
        use syn::punctuated::Punctuated;
        if node.path.is_ident("vec")
            && let Ok(list) = node.parse_body_with(Punctuated::<Expr, syn::Token![,]>::parse_terminated)
        {
            list.iter().for_each(|expression| self.visit_expr(expression));
        }
    }

    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}
    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_generic_argument(&mut self, _: &'ast syn::GenericArgument) {}
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
}

/// True for `#[cfg(test)]` and `#[test]`.
fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || attribute.path().is_ident("cfg") && attribute.meta.to_token_stream().to_string().contains("test")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let syntax = syn::parse_file(text).expect("the test's source is Rust");
        sites("a.rs", text, &syntax).iter().map(|site| format!("{}: {}", site.operator, site.shown.1)).collect()
    }

    #[test]
    fn each_operator_finds_its_places() {
        assert_eq!(
            shown("fn f(a: u32, b: u32) -> bool { a < b }"),
            ["comparison moved: (a) <= (b)", "boundary moved by one: (a) < ((b) + 1)"]
        );
        assert_eq!(
            shown("fn f(a: u32) -> u32 { g(); if h(a, 1) { return a - 1; } 4 }")[..4],
            [
                "statement dropped: (nothing)",
                "condition negated: !(h(a, 1))",
                "operands exchanged: h(1, a)",
                "bit of a constant flipped: 0"
            ]
        );
        let of_match = shown("fn f(a: u32) -> u32 { match a { 1 => 2, _ => k() } }");
        assert_eq!(of_match[..2], ["match arm dropped: (never)", "value of another match arm: k()"]);
        assert_eq!(shown("fn f() { b.build(G_ZEXT) }"), ["sign or width of an extension: G_SEXT"]);
        assert_eq!(shown("fn f() { d.sub(a, b) }"), ["operands exchanged: d.sub(b, a)"]);
        assert!(shown("fn f() { d.add(a, b) }").is_empty());
        assert_eq!(shown("fn f() -> Vec<u8> { vec![a < b] }").len(), 2);
    }

    #[test]
    fn the_compilers_own_evaluation_is_left_alone() {
        assert!(
            shown("const A: u32 = 1 + 2; const fn f() -> u32 { 3 } #[cfg(test)] mod t { fn g() { h(); } }").is_empty()
        );
        assert!(
            shown("fn f(a: [u8; 4]) { match a { [1, ..] => {} _ => {} } }").iter().all(|site| !site.contains("bit"))
        );
    }
}
