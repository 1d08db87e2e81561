//! Data of generated modules: globals of every linkage, visibility, type, section and alignment, aliases, comdats and
//! constructors.
//!
//! Invariant: a module's data is a function of its number and the bits of an address.

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

/// Modules that are made: each draws anew.
pub const DATA_MODULES: u32 = 48;
/// Globals with contents, of each module. The last may be each thread's own: those have no address that others hold.
const GLOBALS: u32 = 8;
const WITH_ADDRESSES: usize = 6;

/// Linkages of definitions; the others are apart. A private one has no symbol, and an alias tells its place.
const LINKAGES: [&str; 7] = ["private", "", "internal", "linkonce", "linkonce_odr", "weak", "weak_odr"];
const VISIBILITIES: [&str; 3] = ["", "hidden", "protected"];
const ADDRESSES: [&str; 3] = ["", "local_unnamed_addr", "unnamed_addr"];
const ALIGNMENTS: [&str; 6] = ["", ", align 1", ", align 2", ", align 16", ", align 64", ", align 4096"];
/// Sections that a module may name, by what they hold: what is written, what is not, and what each thread has. The
/// first of each is for zeros.
const SECTIONS: [[&str; 3]; 3] =
    [[".bss.own", ".data.own", "own"], ["zeros", ".rodata.own", ".note.own"], [".tbss.own", ".tdata.own", "own_tls"]];

/// Draws.
struct Draw(SmallRng);

impl Draw {
    fn below(&mut self, bound: usize) -> usize {
        self.0.random_range(0..bound)
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn of(&mut self, list: &[&'static str]) -> &'static str {
        list[self.below(list.len())]
    }
}

/// The type and the value of the contents of a global of this number. Addresses are of globals that every module has,
/// and distances are from the global itself, or from a part of it.
fn contents(draw: &mut Draw, number: u32, word: u32) -> String {
    let (own, to) = (number as usize, draw.below(WITH_ADDRESSES));
    // The distance of a global from itself is no address.
    let far = if to == own { (to + 1) % WITH_ADDRESSES } else { to };
    let to = format!("@d{to}");
    let offset = draw.below(40);
    let distance = |from: &str| {
        format!("i{word} sub (i{word} ptrtoint (ptr @d{far} to i{word}), i{word} ptrtoint (ptr {from} to i{word}))")
    };
    match draw.below(23) {
        0 => "i8 -7".to_string(),
        1 => "i16 4660".to_string(),
        2 => "i32 305419896".to_string(),
        3 => "i64 -81985529216486896".to_string(),
        4 => "i128 24197857203266734864793317670504947440".to_string(),
        5 => "[5 x i8] c\"text\\00\"".to_string(),
        6 => "[6 x i8] c\"a\\00b\\00c\\00\"".to_string(),
        7 => "[4 x i8] c\"abcd\"".to_string(),
        8 => "[9 x i32] zeroinitializer".to_string(),
        9 => "{ i8, i32, i16 } { i8 1, i32 2, i16 3 }".to_string(),
        10 => "<{ i8, i32 }> <{ i8 9, i32 -1 }>".to_string(),
        11 => "[3 x i16] [i16 1, i16 undef, i16 3]".to_string(),
        12 => "double 1.5".to_string(),
        13 => "float -2.0".to_string(),
        14 => format!("ptr {to}"),
        15 => format!("ptr getelementptr (i8, ptr {to}, i{word} {offset})"),
        16 => format!("[2 x ptr] [ptr {to}, ptr null]"),
        17 => format!("{{ i8, ptr }} {{ i8 5, ptr {} }}", draw.of(&["@f", "@callee1", "@outside", "@maybe"])),
        18 => format!("i{word} ptrtoint (ptr {to} to i{word})"),
        19..=21 if own < WITH_ADDRESSES => match draw.below(3) {
            0 => distance(&format!("@d{own}")),
            1 if word == 64 => format!(
                "i32 trunc (i64 sub (i64 ptrtoint (ptr @d{far} to i64), i64 ptrtoint (ptr @d{own} to i64)) to i32)"
            ),
            _ => format!(
                "[2 x i{word}] [i{word} 7, {}]",
                distance(&format!("getelementptr (i8, ptr @d{own}, i{word} {})", word / 8))
            ),
        },
        _ => "i32 0".to_string(),
    }
}

/// A string that a linker may merge with those of other objects.
fn string(draw: &mut Draw, number: u32) -> String {
    let (linkage, text) = (draw.of(&["private", "internal"]), draw.of(&["", "a", "longer text"]));
    let bytes = text.len() + 1;
    format!("@d{number} = {linkage} unnamed_addr constant [{bytes} x i8] c\"{text}\\00\", align 1\n  ")
}

/// One definition.
fn global(draw: &mut Draw, number: u32, word: u32) -> String {
    let is_last = number as usize >= WITH_ADDRESSES;
    if !is_last && draw.one_in(5) {
        return string(draw, number);
    }
    let linkage = draw.of(if is_last { &LINKAGES[1..] } else { &LINKAGES });
    let is_local = matches!(linkage, "internal" | "private");
    let visibility = if is_local { "" } else { draw.of(&VISIBILITIES) };
    let (is_thread, is_constant) = (is_last && draw.one_in(2), draw.one_in(2));
    let thread = if is_thread { "thread_local(initialexec)" } else { "" };
    let address = draw.of(&ADDRESSES);
    let kind = if is_constant && !is_thread { "constant" } else { "global" };
    let contents = contents(draw, number, word);
    let sections = SECTIONS[if is_thread { 2 } else { usize::from(is_constant) }];
    let has_addresses = contents.contains('@');
    let is_zero = contents.ends_with("zeroinitializer") || contents.ends_with(" 0");
    let section = match draw.one_in(4) && !(has_addresses && is_constant) {
        true => format!(", section \"{}\"", draw.of(if is_zero { &sections } else { &sections[1..] })),
        false => String::new(),
    };
    let comdat = if !is_local && section.is_empty() && draw.one_in(4) { ", comdat" } else { "" };
    let align = draw.of(&ALIGNMENTS);
    let group = if comdat.is_empty() { String::new() } else { format!("$d{number} = comdat any\n  ") };
    let alias = match linkage {
        "private" => format!("@p{number} = internal alias i8, ptr @d{number}\n  "),
        _ => String::new(),
    };
    format!(
        "{group}@d{number} = {linkage} {visibility} {thread} {address} {kind} {contents}{section}{comdat}{align}\n  {alias}"
    )
}

/// The data of a module, as LLVM's IR.
pub fn definitions(number: u32, address_bits: u32) -> String {
    let mut draw = Draw(SmallRng::seed_from_u64(number.into()));
    let mut text: String = (0..GLOBALS).map(|place| global(&mut draw, place, address_bits)).collect();
    text += "@outside = external global i32\n  @maybe = extern_weak global i32\n  ";
    text += "@tentative = common global [5 x i16] zeroinitializer, align 8\n  ";
    text += "@copy = available_externally constant i32 4\n  ";
    for place in 0..2 {
        let (to, linkage, visibility) =
            (draw.below(WITH_ADDRESSES), draw.of(&["", "internal", "weak"]), draw.of(&VISIBILITIES));
        let visibility = if linkage == "internal" { "" } else { visibility };
        text += &format!("@a{place} = {linkage} {visibility} alias i8, ptr @d{to}\n  ");
    }
    let priorities = [65_535, 101 + draw.below(900), 65_535];
    let functions: Vec<String> = priorities
        .iter()
        .map(|priority| format!("{{ i32, ptr, ptr }} {{ i32 {priority}, ptr @f, ptr null }}"))
        .collect();
    for list in ["ctors", "dtors"].into_iter().take(draw.below(3)) {
        text +=
            &format!("@llvm.global_{list} = appending global [3 x {{ i32, ptr, ptr }}] [{}]\n  ", functions.join(", "));
    }
    text
}
