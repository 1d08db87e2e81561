//! Words: sentences of at most 25 words, short ones in the median, the field's terms, figures in one place only, and
//! links that lead somewhere.

use super::{Document, root};
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// Words in a sentence, at most.
const LONGEST: usize = 25;
/// Words in a document's median sentence, at most.
const MEDIAN: usize = 16;
/// The one document that holds measurements. A paragraph that links there may give one.
const FIGURES: &str = "benchmarks.md";

/// Words that were invented here or put for want of a noun, and the field's.
const INSTEAD_OF: [(&str, &str); 27] = [
    ("behind a pass", "after a pass"),
    ("behind the pass", "after the pass"),
    ("behind each", "after each"),
    ("behind every", "after every"),
    ("holds one to the other", "cross-checks"),
    ("hold the one to the other", "cross-checks"),
    ("held to each other", "cross-checked"),
    ("goes again", "is evicted"),
    ("parted by", "split by"),
    ("parted at", "split at"),
    ("judge of stages", "translation validator"),
    ("surroundings", "environment"),
    ("filling", "resolution of nondeterminism"),
    ("free bits", "unconstrained bits"),
    ("free choice", "nondeterministic choice"),
    ("desk", "query sink"),
    ("exhibit", "reproducer"),
    ("narrator", "explain observer"),
    ("insanity", "invalid step"),
    ("placeless", "address-independent"),
    ("walked together", "run in lock step"),
    ("by look-up", "from the proof cache"),
    ("a further one", "another"),
    ("goes nowhere but", "does not escape"),
    ("by hand-made", "hand-written"),
    ("in some builds", "in assertion builds"),
    ("is about", "covers"),
];

/// A run of text that ends sentences by itself: a paragraph, a list item, a cell of a table.
struct Block {
    line: usize,
    text: String,
    links: Vec<String>,
    /// Cells are short by nature: they have the limit of a sentence, and no part in the median.
    is_cell: bool,
}

/// Everything in the document that is against the house style.
pub fn complaints(document: &Document) -> Vec<String> {
    let blocks = blocks(&document.text);
    let at = |line: usize, message: String| format!("{}:{line}: {message}", document.name);
    let mut found = Vec::new();
    let mut lengths = Vec::new();
    for block in &blocks {
        let lower = block.text.to_lowercase();
        for (word, instead) in INSTEAD_OF.iter().filter(|(word, _)| has_words(&lower, word)) {
            found.push(at(block.line, format!("`{word}`: say `{instead}`")));
        }
        if document.is_generated() {
            continue;
        }
        for sentence in sentences(&block.text) {
            let words = words(sentence);
            lengths.extend((!block.is_cell).then_some(words));
            if words > LONGEST {
                found.push(at(block.line, format!("{words} words: {sentence}")));
            }
            if sentence.starts_with("What ") {
                found.push(at(block.line, format!("begins with `What`: {sentence}")));
            }
        }
        if !block.links.iter().any(|link| link.ends_with(FIGURES)) {
            found.extend(
                figure(&block.text).map(|word| at(block.line, format!("`{word}` is a figure; {FIGURES} holds those"))),
            );
        }
    }
    lengths.sort_unstable();
    let median = lengths.get(lengths.len() / 2).copied().unwrap_or(0);
    println!(
        "{}: sentences {}, median {median}, longest {}",
        document.name,
        lengths.len(),
        lengths.last().unwrap_or(&0)
    );
    if median > MEDIAN {
        found.push(at(1, format!("the median sentence has {median} words")));
    }
    found
}

/// Links into this repository that lead nowhere.
pub fn broken_links(document: &Document) -> Vec<String> {
    let folder = document.path().parent().map_or(root().to_path_buf(), |folder| folder.to_path_buf());
    let blocks = blocks(&document.text);
    let links = blocks.iter().flat_map(|block| block.links.iter().map(move |link| (block.line, link)));
    let is_broken = |link: &str| {
        if link.starts_with("http") {
            return false;
        }
        let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
        let path = if file.is_empty() { document.path() } else { folder.join(file) };
        let has_heading = || {
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            headings(&text).iter().any(|heading| heading == anchor)
        };
        !path.exists() || (!anchor.is_empty() && !has_heading())
    };
    links
        .filter(|(_, link)| is_broken(link))
        .map(|(line, link)| format!("{}:{line}: the link `{link}` leads nowhere", document.name))
        .collect()
}

fn parser(text: &str) -> Parser<'_> {
    Parser::new_ext(text, Options::ENABLE_TABLES)
}

/// Paragraphs, items and cells, in order. Code in a line counts as one word, blocks of code do not count.
fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = vec![];
    let mut skipping = false;
    let line_of = |offset: usize| text[..offset].matches('\n').count() + 1;
    for (event, range) in parser(text).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(_) | Tag::Heading { .. }) => skipping = true,
            Event::End(TagEnd::CodeBlock | TagEnd::Heading(_)) => skipping = false,
            Event::Start(tag @ (Tag::Paragraph | Tag::Item | Tag::TableCell)) => {
                let is_cell = tag == Tag::TableCell;
                blocks.push(Block { line: line_of(range.start), text: String::new(), links: vec![], is_cell });
            }
            Event::Start(Tag::Link { dest_url, .. }) => {
                if let Some(block) = blocks.last_mut() {
                    block.links.push(dest_url.to_string());
                }
            }
            Event::Text(words) if !skipping => push(&mut blocks, &words),
            Event::Code(_) if !skipping => push(&mut blocks, "`code`"),
            Event::SoftBreak | Event::HardBreak if !skipping => push(&mut blocks, " "),
            _ => {}
        }
    }
    blocks
}

fn push(blocks: &mut [Block], words: &str) {
    if let Some(block) = blocks.last_mut() {
        block.text.push_str(words);
    }
}

/// Headings as the anchors that GitHub makes of them.
fn headings(text: &str) -> Vec<String> {
    let mut headings: Vec<String> = vec![];
    let mut inside = false;
    for event in parser(text) {
        match event {
            Event::Start(Tag::Heading { level, .. }) if level >= HeadingLevel::H1 => {
                inside = true;
                headings.push(String::new());
            }
            Event::End(TagEnd::Heading(_)) => inside = false,
            Event::Text(words) | Event::Code(words) if inside => {
                let kept = words.to_lowercase();
                let kept = kept.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
                let kept: String = kept.map(|c| if c == ' ' { '-' } else { c }).collect();
                if let Some(heading) = headings.last_mut() {
                    heading.push_str(&kept);
                }
            }
            _ => {}
        }
    }
    headings
}

/// Sentences end at a full stop, an exclamation mark or a question mark before a capital, a digit or code.
fn sentences(text: &str) -> Vec<&str> {
    let mut found = vec![];
    let mut start = 0;
    let ends = text.char_indices().filter(|(_, c)| ['.', '!', '?'].contains(c));
    for (offset, end) in ends {
        let after = &text[offset + end.len_utf8()..];
        let next = after.trim_start().chars().next();
        let is_end = after.starts_with(char::is_whitespace)
            && next.is_some_and(|c| c.is_uppercase() || c.is_ascii_digit() || c == '`');
        if is_end {
            found.push(text[start..=offset].trim());
            start = offset + 1;
        }
    }
    found.push(text[start..].trim());
    found.retain(|sentence| words(sentence) > 0);
    found
}

fn words(sentence: &str) -> usize {
    sentence.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count()
}

/// True if `words` stand in `text` as whole words.
fn has_words(text: &str, words: &str) -> bool {
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    text.match_indices(words).any(|(offset, found)| {
        !is_word(text[..offset].chars().next_back()) && !is_word(text[offset + found.len()..].chars().next())
    })
}

/// The first word that looks like a measurement: a percentage, a number with a decimal point or in thousands, a number
/// of seconds, a rate.
fn figure(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '%').to_string();
    let is_number = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_digit())
            && word.chars().all(|c| c.is_ascii_digit() || [',', '.'].contains(&c))
    };
    let units = ["s", "ms", "seconds", "minutes", "hours", "times", "MB", "GB", "percent"];
    words.iter().enumerate().find_map(|(index, word)| {
        let word = bare(word);
        let next = words.get(index + 1).map(|next| bare(next)).unwrap_or_default();
        let is_rate = is_number(&word)
            && words.get(index + 2..index + 4).is_some_and(|rest| rest[0] == "a" && bare(rest[1]) == "second");
        let is_figure = (word.ends_with('%') && word.starts_with(|c: char| c.is_ascii_digit()))
            || (is_number(&word) && (word.contains(',') || units.contains(&next.as_str())))
            || is_rate;
        is_figure.then(|| format!("{word} {next}"))
    })
}
