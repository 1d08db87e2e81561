//! Weaves faults into the text of a file, each behind a test of the switch, and knows whose text a place of the result
//! is.

use crate::site::{Change, MutationSite};
use std::ops::Range;

/// A fault with its number in the binary, counted from 1.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// The number that switches it on.
    pub number: u32,
    /// Its place and its change.
    pub site: MutationSite,
}

/// A file with faults.
pub struct Woven {
    /// The text.
    pub text: String,
    /// Of each fault: its number, the bytes that exist for it alone, and all bytes that it embraces.
    pub places: Vec<(u32, Range<usize>, Range<usize>)>,
}

/// The text to insert in front of a place, and behind it.
fn insertions(text: &str, mutant: &Mutant, switch: &str) -> (Range<usize>, String, String) {
    let Mutant { number, site } = mutant;
    let on = format!("{switch}::is({number})");
    let range = site.range.clone();
    match &site.change {
        Change::Expression(with) => (range, format!("(if {on} {{ {with} }} else {{ "), " })".to_string()),
        // A block needs no comma behind it.
        Change::Body(with) => (range, format!("{{ if {on} {{ {with} }} else {{ "), " } }".to_string()),
        Change::Drop => (range, format!("if !{on} {{ "), " }".to_string()),
        Change::Never => (range.end..range.end, format!(" if !{on}"), String::new()),
        Change::NeverIf => (range, format!("!{on} && ("), ")".to_string()),
        Change::Table { at, with, statics } => {
            let item = format!("{}{with}{}", &text[range.start..at.start], &text[at.end..range.end]);
            let writes: Vec<String> = statics
                .iter()
                .map(|table| match table.is_slice {
                    true => format!("{switch}::rows({0}, super::{0});", table.name),
                    false => format!("{switch}::value(&{0}, &super::{0});", table.name),
                })
                .collect();
            let module = format!(
                "\n#[allow(warnings)]\nmod mutant_{number} {{\nuse super::*;\n{item}\nfn write() {{ {} }}\n#[used]\n\
                 #[unsafe(link_section = \"mutants\")]\nstatic PATCH: {switch}::Patch = {switch}::Patch {{ number: \
                 {number}, write }};\n}}\n",
                writes.concat()
            );
            (range.end..range.end, module, String::new())
        }
    }
}

/// Weaves these faults, all of one file, into its text. `switch` is the path of the module with the switch.
pub fn weave(text: &str, mutants: &[Mutant], switch: &str) -> Woven {
    let mut parts: Vec<(u32, Range<usize>, String, String)> = mutants
        .iter()
        .map(|mutant| {
            let (range, before, after) = insertions(text, mutant, switch);
            (mutant.number, range, before, after)
        })
        .collect();
    // The outer one first; of equal ranges any is the outer one.
    parts.sort_by_key(|(number, range, ..)| (range.start, std::cmp::Reverse(range.end), *number));
    let mut woven = Woven { text: String::new(), places: Vec::new() };
    // Open parts, the innermost last, each as its place in `places`, its end and its closing text.
    let mut open: Vec<(usize, usize, &str)> = Vec::new();
    let mut done = 0;
    for (number, range, before, after) in &parts {
        close(text, &mut woven, &mut open, &mut done, range.start);
        woven.text.push_str(&text[done..range.start]);
        done = range.start;
        let start = woven.text.len();
        woven.text.push_str(before);
        woven.places.push((*number, start..woven.text.len(), start..woven.text.len()));
        open.push((woven.places.len() - 1, range.end, after));
    }
    close(text, &mut woven, &mut open, &mut done, text.len());
    woven.text.push_str(&text[done..]);
    woven
}

/// Closes the open parts that end at `place` or before.
fn close(text: &str, woven: &mut Woven, open: &mut Vec<(usize, usize, &str)>, done: &mut usize, place: usize) {
    while let Some(&(index, end, after)) = open.last()
        && end <= place
    {
        woven.text.push_str(&text[*done..end]);
        *done = end;
        woven.text.push_str(after);
        woven.places[index].2.end = woven.text.len();
        open.pop();
    }
}

impl Woven {
    /// The faults that a complaint of the compiler about these bytes may mean: those whose own text it is about; else
    /// the innermost one around it.
    pub fn suspects(&self, bytes: &Range<usize>) -> Vec<u32> {
        let own = |(_, own, _): &&(u32, Range<usize>, Range<usize>)| own.start < bytes.end && bytes.start < own.end;
        let owners: Vec<u32> = self.places.iter().filter(own).map(|place| place.0).collect();
        if !owners.is_empty() {
            return owners;
        }
        let around = self.places.iter().filter(|(.., all)| all.start <= bytes.start && bytes.end <= all.end);
        around.min_by_key(|(.., all)| all.len()).map(|place| place.0).into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{operators, tables};

    fn mutants(text: &str) -> Vec<Mutant> {
        let syntax = syn::parse_file(text).expect("the test's source is Rust");
        let mut macros = tables::Macros::default();
        macros.read(&syntax);
        let mut sites = operators::sites("a.rs", text, &syntax);
        sites.extend(tables::sites("a.rs", text, &syntax, &macros));
        (1..).zip(sites).map(|(number, site)| Mutant { number, site }).collect()
    }

    #[test]
    fn faults_nest_and_the_rest_of_the_text_stays() {
        let text = "fn f(a: u32) -> u32 { if a < 4 { g(); } a }";
        let woven = weave(text, &mutants(text), "s");
        assert!(syn::parse_file(&woven.text).is_ok(), "{}", woven.text);
        for part in ["if !s::is(", "{ (a) <= (4) }", "{ !(a < 4) }", "{ 5 }"] {
            assert!(woven.text.contains(part), "{part} is missing of {}", woven.text);
        }
        let place = woven.text.find("(a) <= (4)").expect("was found above");
        assert_eq!(woven.suspects(&(place..place + 3)).len(), 1);
        assert_eq!(weave(text, &[], "s").text, text);
    }

    #[test]
    fn a_table_stands_a_second_time_with_its_fault() {
        let text = "pub static KNOWN: &[u8] = &[2, 3];\n";
        let all = mutants(text);
        let woven = weave(text, &all[..1], "s");
        assert!(syn::parse_file(&woven.text).is_ok(), "{}", woven.text);
        assert!(woven.text.starts_with(text.trim_end()), "{}", woven.text);
        assert!(woven.text.contains("pub static KNOWN: &[u8] = &[3, 3];"), "{}", woven.text);
        assert!(woven.text.contains("s::rows(KNOWN, super::KNOWN);"), "{}", woven.text);
    }
}
