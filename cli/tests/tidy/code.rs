//! Rust files as items and lines, and what is counted of them.

use super::root;
use proc_macro2::{TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// A Rust file.
pub struct Source {
    /// Its path from the root.
    pub name: String,
    pub text: String,
    pub functions: Vec<Function>,
    pub types: Vec<Type>,
    /// The tokens that are not of tests, one after another; delimiters of groups are left out.
    pub tokens: Vec<String>,
    /// The tokens of tests: of a file of tests, or of modules for tests.
    pub tests: Vec<String>,
}

/// A function with a body.
pub struct Function {
    pub name: String,
    /// Its first line, counted from 1.
    pub line: usize,
    pub lines: usize,
}

/// A struct, enum, union, trait or type alias.
pub struct Type {
    pub name: String,
    /// False if only its file can name it.
    pub visible: bool,
}

impl Source {
    /// The file at `name`, from the root. Panics if it is not Rust.
    pub fn read(name: &str) -> Source {
        let text = std::fs::read_to_string(root().join(name)).unwrap();
        let file = syn::parse_file(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut items = Items::default();
        items.visit_file(&file);
        let all: TokenStream = text.parse().unwrap();
        let parts: Vec<&str> = name.split('/').collect();
        let of_tests = parts.iter().any(|part| ["tests", "tests.rs", "benches", "examples"].contains(part));
        let (tokens, tests) = if of_tests { (TokenStream::new(), all) } else { without_tests(all) };
        let (tokens, tests) = (flat(tokens), flat(tests));
        Source { name: name.to_string(), text, functions: items.functions, types: items.types, tokens, tests }
    }
}

/// The tokens of a file, and those of what stands after `#[cfg(test)]`.
fn without_tests(all: TokenStream) -> (TokenStream, TokenStream) {
    let (mut kept, mut tests) = (Vec::new(), Vec::new());
    let mut rest = all.into_iter().peekable();
    while let Some(token) = rest.next() {
        kept.push(token);
        let is_test =
            matches!(kept.last(), Some(TokenTree::Group(group)) if group.stream().to_string() == "cfg (test)");
        while is_test && let Some(token) = rest.next() {
            let ends = match &token {
                TokenTree::Group(group) => group.delimiter() == proc_macro2::Delimiter::Brace,
                TokenTree::Punct(mark) => mark.as_char() == ';',
                _ => false,
            };
            tests.push(token);
            if ends {
                break;
            }
        }
    }
    (kept.into_iter().collect(), tests.into_iter().collect())
}

/// Every token of a stream and of the groups in it, in order.
fn flat(stream: TokenStream) -> Vec<String> {
    let mut tokens = Vec::new();
    for token in stream {
        match token {
            TokenTree::Group(group) => tokens.extend(flat(group.stream())),
            token => tokens.push(token.to_string()),
        }
    }
    tokens
}

#[derive(Default)]
struct Items {
    functions: Vec<Function>,
    types: Vec<Type>,
}

impl Items {
    fn function(&mut self, name: &syn::Ident, whole: impl Spanned) {
        let span = whole.span();
        let (first, last) = (span.start().line, span.end().line);
        self.functions.push(Function { name: name.to_string(), line: first, lines: last - first + 1 });
    }

    fn named(&mut self, name: &syn::Ident, visibility: &syn::Visibility) {
        let visible = !matches!(visibility, syn::Visibility::Inherited);
        self.types.push(Type { name: name.to_string(), visible });
    }
}

/// From the signature on: attributes and documentation do not count.
fn body(signature: &syn::Signature, block: &syn::Block) -> TokenStream {
    use quote::ToTokens;
    let mut tokens = signature.to_token_stream();
    block.to_tokens(&mut tokens);
    tokens
}

impl<'ast> Visit<'ast> for Items {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.sig.ident, body(&item.sig, &item.block));
        visit::visit_item_fn(self, item);
    }
    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.sig.ident, body(&item.sig, &item.block));
        visit::visit_impl_item_fn(self, item);
    }
    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.function(&item.sig.ident, body(&item.sig, block));
        }
        visit::visit_trait_item_fn(self, item);
    }
    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.named(&item.ident, &item.vis);
    }
    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.named(&item.ident, &item.vis);
    }
    fn visit_item_union(&mut self, item: &'ast syn::ItemUnion) {
        self.named(&item.ident, &item.vis);
    }
    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.named(&item.ident, &item.vis);
    }
    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.named(&item.ident, &item.vis);
        visit::visit_item_trait(self, item);
    }
}

/// What the tables of other projects give: how long functions and files are, how many places may panic, how much is
/// said.
pub fn figures(sources: &[Source]) -> String {
    let mut lengths: Vec<_> = sources
        .iter()
        .flat_map(|source| source.functions.iter().map(move |function| (function.lines, &source.name, &function.name)))
        .collect();
    lengths.sort_unstable();
    let at = |part: usize| lengths[(lengths.len() - 1) * part / 100].0;
    let (longest, file, function) = lengths.last().unwrap();
    let largest = sources.iter().max_by_key(|source| source.text.lines().count()).unwrap();
    let lines: usize = sources.iter().map(|source| source.text.lines().count()).sum();
    let comments = sources.iter().flat_map(|source| source.text.lines());
    let comments = comments.filter(|line| line.trim_start().starts_with("//")).count();
    let product: usize =
        sources.iter().filter(|source| !source.tokens.is_empty()).map(|source| source.text.lines().count()).sum();
    let panics: usize = sources.iter().map(|source| panics(&source.tokens)).sum();
    format!(
        "functions {}: median {} lines, p90 {}, p99 {}, longest {longest} ({function} in {file})\n\
         files {}: longest {} lines ({})\n\
         possible panics {panics}: {:.2} in 1,000 lines\n\
         comments {:.1}% of {lines} lines",
        lengths.len(),
        at(50),
        at(90),
        at(99),
        sources.len(),
        largest.text.lines().count(),
        largest.name,
        1000.0 * panics as f64 / product as f64,
        100.0 * comments as f64 / lines as f64,
    )
}

/// Calls of `unwrap` and `expect` and macros that panic.
fn panics(tokens: &[String]) -> usize {
    let called = |pair: &[String]| pair[0] == "." && ["unwrap", "expect"].contains(&pair[1].as_str());
    let panicking = |pair: &[String]| ["panic", "unreachable"].contains(&pair[0].as_str()) && pair[1] == "!";
    tokens.windows(2).filter(|pair| called(pair) || panicking(pair)).count()
}
