//! Damage to the text of a machine function: one random change of a line, an operand, a word or a memory operand.
//!
//! The text is cut into words and what stands between them, so no part of MIR is out of its reach, and it shares
//! nothing with this project's reader.

use rand::RngExt;
use rand::rngs::SmallRng;
use rand::seq::{IndexedRandom, SliceRandom};

/// One kind of damage to the lines of a function, the instructions of which are at `body`; `None` if nothing fits.
type Damage = fn(&mut Vec<String>, &Words, &mut SmallRng) -> Option<()>;

const KINDS: [(&str, Damage); 15] = [
    ("line lost", |lines, words, random| Some(_ = lines.remove(words.line(random)?))),
    ("line twice", |lines, words, random| {
        let at = words.line(random)?;
        let line = lines.get(at)?.clone();
        lines.insert(at, line);
        Some(())
    }),
    ("line moved", moved),
    ("lines exchanged", |lines, words, random| {
        let at = words.line(random)?;
        (at + 1 < lines.len()).then(|| lines.swap(at, at + 1))
    }),
    ("line of another function", |lines, words, random| {
        let line = words.lines.choose(random)?.clone();
        lines.insert(words.line(random)?, line);
        Some(())
    }),
    ("operand lost", |lines, words, random| operands(lines, words, random, |operands, at, _| _ = operands.remove(at))),
    ("operand twice", |lines, words, random| {
        operands(lines, words, random, |operands, at, _| operands.insert(at, operands[at].clone()))
    }),
    ("operands exchanged", |lines, words, random| {
        operands(lines, words, random, |operands, _, random| operands.shuffle(random))
    }),
    ("word lost", |lines, words, random| word(lines, words, random, |_, _| Some(String::new()))),
    ("flag", |lines, words, random| {
        word(lines, words, random, |word, random| Some(format!("{} {word}", FLAGS.choose(random)?)))
    }),
    ("word of the same kind", |lines, words, random| {
        word(lines, words, random, |word, random| words.like(word, random))
    }),
    ("number", |lines, words, random| word(lines, words, random, number)),
    ("memory operand", |lines, words, random| memory(lines, words, random)),
    ("type", |lines, words, random| {
        word(lines, words, random, |word, random| {
            TYPES.contains(&word).then(|| TYPES.choose(random).map(ToString::to_string)).flatten()
        })
    }),
    ("property", property),
];

const FLAGS: [&str; 16] = [
    "implicit",
    "implicit-def",
    "killed",
    "dead",
    "undef",
    "renamable",
    "early-clobber",
    "def",
    "internal",
    "debug-use",
    "nsw",
    "nuw",
    "exact",
    "nofpexcept",
    "noconvergent",
    "frame-setup",
];

const TYPES: [&str; 14] = [
    "s1",
    "s8",
    "s16",
    "s32",
    "s64",
    "s128",
    "p0",
    "p1",
    "<2 x s32>",
    "<4 x s32>",
    "<2 x s64>",
    "<2 x p0>",
    "<8 x s8>",
    "<4 x s16>",
];

const PROPERTIES: [&str; 9] = [
    "legalized",
    "regBankSelected",
    "selected",
    "tracksRegLiveness",
    "noPhis",
    "isSSA",
    "noVRegs",
    "hasFakeUses",
    "noPhis",
];

/// Attempts to find a place that a kind fits.
const ATTEMPTS: usize = 32;

/// Damages a function, its document without the first and the last line, and names the kind.
pub fn damage(function: &str, words: &Words, random: &mut SmallRng) -> Option<(&'static str, String)> {
    for _ in 0..ATTEMPTS {
        let &(name, change) = KINDS.choose(random)?;
        let mut lines: Vec<String> = function.lines().map(String::from).collect();
        let body = lines.iter().position(|line| line.starts_with("body:"))? + 1;
        let words = Words { body, count: lines.len(), ..words.clone() };
        let damaged = change(&mut lines, &words, random).map(|()| lines.join("\n") + "\n");
        if let Some(damaged) = damaged.filter(|damaged| damaged != function) {
            return Some((name, damaged));
        }
    }
    None
}

/// The lines and words of all functions of a file, from which damage takes others; and where the body is.
#[derive(Clone)]
pub struct Words<'t> {
    lines: &'t [String],
    words: &'t [String],
    body: usize,
    count: usize,
}

/// The instructions and the words of a file.
pub fn vocabulary(functions: &[&str]) -> (Vec<String>, Vec<String>) {
    let body = |function: &&str| {
        function.lines().skip_while(|line| !line.starts_with("body:")).skip(1).map(String::from).collect::<Vec<_>>()
    };
    let lines: Vec<String> = functions.iter().flat_map(body).collect();
    let mut words: Vec<String> = lines.iter().flat_map(|line| pieces(line)).filter(|piece| is_word(piece)).collect();
    words.sort();
    words.dedup();
    (lines, words)
}

impl<'t> Words<'t> {
    pub fn new((lines, words): &'t (Vec<String>, Vec<String>)) -> Words<'t> {
        Words { lines, words, body: 0, count: 0 }
    }

    fn line(&self, random: &mut SmallRng) -> Option<usize> {
        (self.body < self.count).then(|| random.random_range(self.body..self.count))
    }

    /// Another word that begins as this one does.
    fn like(&self, word: &str, random: &mut SmallRng) -> Option<String> {
        let kind = kind(word);
        let alike: Vec<&String> =
            self.words.iter().filter(|other| self::kind(other) == kind && *other != word).collect();
        alike.choose(random).map(ToString::to_string)
    }
}

/// The first characters of a word tell what it is: register, block, opcode, number, flag.
fn kind(word: &str) -> (Option<char>, bool, bool) {
    let first = word.chars().next();
    let class = first.map(|first| match first {
        'A'..='Z' => 'A',
        'a'..='z' => 'a',
        '0'..='9' | '-' => '0',
        other => other,
    });
    (class, word.starts_with("%bb."), word.starts_with("G_"))
}

fn is_word(piece: &str) -> bool {
    piece.chars().next().is_some_and(is_part)
}

fn is_part(character: char) -> bool {
    character.is_ascii_alphanumeric() || "_.$%-@".contains(character)
}

/// The line, cut into words and single other characters. A vector type is one word.
fn pieces(line: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    let mut within_word = false;
    let mut angles = false;
    for character in line.chars() {
        let starts_type = character == '<' && !within_word;
        let goes_on = angles || (within_word && is_part(character));
        match pieces.last_mut().filter(|_| goes_on) {
            Some(piece) => piece.push(character),
            None => pieces.push(character.to_string()),
        }
        angles = (angles || starts_type) && character != '>';
        within_word = is_part(character);
    }
    pieces
}

fn moved(lines: &mut Vec<String>, words: &Words, random: &mut SmallRng) -> Option<()> {
    let line = lines.remove(words.line(random)?);
    let to = words.line(random)?.min(lines.len());
    lines.insert(to, line);
    Some(())
}

/// Changes the list of operands of one line: it ends where the memory operands begin.
fn operands(
    lines: &mut [String],
    words: &Words,
    random: &mut SmallRng,
    change: impl FnOnce(&mut Vec<String>, usize, &mut SmallRng),
) -> Option<()> {
    let line = lines.get_mut(words.line(random)?)?;
    let (head, memory) = line.split_once(" :: ").map_or((line.as_str(), ""), |(head, memory)| (head, memory));
    let mut operands: Vec<String> = head.split(", ").map(String::from).collect();
    let at = random.random_range(0..operands.len());
    // The first has the opcode before it.
    (at > 0).then(|| change(&mut operands, at, random))?;
    let memory = if memory.is_empty() { String::new() } else { format!(" :: {memory}") };
    *line = operands.join(", ") + &memory;
    Some(())
}

/// Changes one word of one line.
fn word(
    lines: &mut [String],
    words: &Words,
    random: &mut SmallRng,
    change: impl FnOnce(&str, &mut SmallRng) -> Option<String>,
) -> Option<()> {
    let line = lines.get_mut(words.line(random)?)?;
    let mut pieces = pieces(line);
    let places: Vec<usize> = (0..pieces.len()).filter(|&at| is_word(&pieces[at]) || pieces[at].len() > 1).collect();
    let &at = places.choose(random)?;
    pieces[at] = change(&pieces[at], random)?;
    *line = pieces.concat();
    Some(())
}

fn number(word: &str, random: &mut SmallRng) -> Option<String> {
    let value: i64 = word.parse().ok()?;
    let changed = [value ^ 1, value + 1, value - 1, value.wrapping_mul(2), -value, 0, 4096, value ^ 8, 1 << 33];
    changed.choose(random).map(ToString::to_string)
}

/// A memory operand goes, comes from another line, or says something else.
fn memory(lines: &mut [String], words: &Words, random: &mut SmallRng) -> Option<()> {
    let accesses: Vec<&str> = words.lines.iter().filter_map(|line| Some(line.split_once(" :: ")?.1)).collect();
    let line = lines.get_mut(words.line(random)?)?;
    let (head, memory) =
        line.split_once(" :: ").map_or((line.clone(), None), |(head, own)| (head.into(), Some(own.to_string())));
    let instead =
        |from: &str, to: &str| memory.as_ref().map(|memory| format!("{head} :: {}", memory.replacen(from, to, 1)));
    let orderings = ["monotonic", "acquire", "release", "acq_rel", "seq_cst", "unordered"];
    *line = match random.random_range(0..9) {
        0 => head,
        1 => format!("{head} :: {}", accesses.choose(random)?),
        2 => format!("{head} :: {}, {}", memory?, accesses.choose(random)?),
        3 => instead("load ", "store ")?,
        4 => instead("store ", "load ")?,
        5 => instead("(load ", &format!("(load {} ", orderings.choose(random)?))?,
        6 => instead("(store ", &format!("(store {} ", orderings.choose(random)?))?,
        7 => instead("(s", &format!("({}", TYPES.choose(random)?))?,
        _ => instead("align ", ["align 1, !", "align 2 x", "align 16"].choose(random)?)?,
    };
    Some(())
}

/// A property of the function is set, or one that is set is not.
fn property(lines: &mut Vec<String>, _: &Words, random: &mut SmallRng) -> Option<()> {
    let name = PROPERTIES.choose(random)?;
    match lines.iter().position(|line| line.starts_with(&format!("{name}:"))) {
        Some(at) => {
            let was_true = lines[at].ends_with("true");
            lines[at] = format!("{name}: {}", !was_true);
        }
        None => lines.insert(1, format!("{name}: true")),
    }
    Some(())
}
