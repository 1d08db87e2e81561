//! Module flags: what the whole module was compiled for, such as `!{i32 8, !"PIC Level", i32 2}`.
//!
//! Invariant: only nodes that `!llvm.module.flags` lists are flags. Source: LangRef, "Module Flags Metadata".

use rustc_hash::FxHashMap;

/// The value of a flag.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FlagValue {
    /// `i32 2`
    Integer(u64),
    /// `!"lp64d"`
    Text(String),
    /// `!3`, a node of texts: `!3 = !{!"rv64i2p1_m2p0"}`
    List(u32),
}

/// The flags of a module, by name.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ModuleFlags {
    flags: FxHashMap<String, FlagValue>,
    /// Nodes of this form, by number, listed or not.
    nodes: FxHashMap<u32, (String, FlagValue)>,
    /// Nodes of texts, by number.
    lists: FxHashMap<u32, Vec<String>>,
    listed: Vec<u32>,
}

impl ModuleFlags {
    /// The integer of a flag; 0 if the module does not have it, as LLVM takes it.
    pub fn integer(&self, name: &str) -> u64 {
        match self.flags.get(name) {
            Some(&FlagValue::Integer(value)) => value,
            Some(FlagValue::Text(_) | FlagValue::List(_)) | None => 0,
        }
    }

    /// The text of a flag.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.flags.get(name)? {
            FlagValue::Text(text) => Some(text),
            FlagValue::Integer(_) | FlagValue::List(_) => None,
        }
    }

    /// The texts of a flag that is a list.
    pub fn list(&self, name: &str) -> impl Iterator<Item = &str> {
        let list = match self.flags.get(name) {
            Some(FlagValue::List(number)) => self.lists.get(number),
            _ => None,
        };
        list.into_iter().flatten().map(String::as_str)
    }

    /// Keeps a node, `!{i32 8, !"PIC Level", i32 2}`, if it has the form of a flag, or is a list of texts.
    pub(crate) fn node(&mut self, number: u32, node: &str) {
        if let Some(flag) = flag(node) {
            self.nodes.insert(number, flag);
        } else if let Some(texts) = texts(node) {
            self.lists.insert(number, texts);
        }
    }

    /// Keeps the list of flags, `!{!0, !1}`.
    pub(crate) fn listed(&mut self, list: &str) {
        let numbers = inner(list).into_iter().flat_map(|list| list.split(','));
        self.listed.extend(numbers.filter_map(|node| node.trim().strip_prefix('!')?.parse::<u32>().ok()));
    }

    /// Makes flags of the nodes that are listed.
    pub(crate) fn resolve(&mut self) {
        let nodes = std::mem::take(&mut self.nodes);
        self.flags = self.listed.drain(..).filter_map(|number| nodes.get(&number).cloned()).collect();
        let is_named = |number: &u32| self.flags.values().any(|value| *value == FlagValue::List(*number));
        self.lists.retain(|number, _| is_named(number));
    }
}

fn inner(node: &str) -> Option<&str> {
    node.trim().strip_prefix("!{")?.strip_suffix('}')
}

/// The behaviour on merging, the name, and the value.
fn flag(node: &str) -> Option<(String, FlagValue)> {
    let mut items = inner(node)?.splitn(3, ',').map(str::trim);
    let (_, name, value) = (items.next()?.strip_prefix("i32 ")?, text(items.next()?)?, items.next()?);
    let integer = || Some(FlagValue::Integer(value.split_once(' ')?.1.parse().ok()?));
    let list = || Some(FlagValue::List(value.strip_prefix('!')?.parse().ok()?));
    let value = text(value).map(|text| FlagValue::Text(text.to_string())).or_else(integer).or_else(list)?;
    Some((name.to_string(), value))
}

/// The items of a node of texts alone.
fn texts(node: &str) -> Option<Vec<String>> {
    inner(node)?.split(',').map(|item| text(item.trim()).map(str::to_string)).collect()
}

fn text(item: &str) -> Option<&str> {
    item.strip_prefix("!\"")?.strip_suffix('"')
}
