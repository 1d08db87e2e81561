//! No text makes the reader panic, hang or overflow its stack: cut, mutated and deeply nested modules.

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use tribunal_llvm::{DataLayout, IrErrorKind, parse};

/// A module with most forms of the language.
const SEED: &str = include_str!("sources/forms.ll");

/// Reads the text, and takes every step that follows.
fn exercise(text: &str) {
    tribunal_llvm::target_triple(text);
    let Ok(module) = parse(text) else { return };
    let layouts = module.layouts(&DataLayout::default());
    for global in module.globals.values() {
        let size = layouts.alloc_size(global.ty);
        if let (Some(initialiser), Ok(0..=0xffff)) = (&global.initialiser, size) {
            let _ = layouts.image(initialiser);
        }
    }
    for ty in module.types.ids() {
        let _ = (module.types.display(ty).to_string(), layouts.get(ty));
    }
}

#[test]
fn the_seed_is_read_whole() {
    let module = parse(SEED).unwrap();
    assert!(module.unread.is_empty(), "{:?}", module.unread);
}

#[test]
fn every_prefix_of_a_module_is_read_or_refused() {
    for (end, _) in SEED.char_indices() {
        exercise(&SEED[..end]);
    }
}

#[test]
fn mutated_modules_are_read_or_refused() {
    let mut random = SmallRng::seed_from_u64(1);
    let pieces: Vec<&str> = SEED.split_inclusive([' ', ',', '(', ')', '\n']).collect();
    for _ in 0..3000 {
        let mut text: Vec<&str> = pieces.clone();
        for _ in 0..random.random_range(1..6) {
            let (from, to) = (random.random_range(0..pieces.len()), random.random_range(0..text.len()));
            match random.random_range(0..4) {
                0 => text[to] = pieces[from],
                1 => text.insert(to, pieces[from]),
                2 => drop(text.remove(to)),
                _ => {
                    let other = from.min(text.len() - 1);
                    text.swap(to, other);
                }
            }
        }
        let mut text = text.concat();
        if random.random_bool(0.5) {
            let at = random.random_range(0..text.len());
            let marks = b"{}[]<>()\"!@%$#=,*\\;x0-";
            if text.is_char_boundary(at) {
                text.insert(at, marks[random.random_range(0..marks.len())].into());
            }
        }
        exercise(&text);
    }
}

#[test]
fn deep_nesting_is_an_error_with_a_place() {
    let deep = 100_000;
    let types = format!("@a = external global {}i8{}", "{".repeat(deep), "}".repeat(deep));
    let arrays = format!("@a = external global {}", "[1 x ".repeat(deep));
    let functions = format!("@a = external global {}", "void (".repeat(deep));
    let constants = format!("@a = global i8 {}", "add (i8 ".repeat(deep));
    for text in [types, arrays, functions, constants] {
        let error = parse(&text).unwrap_err();
        assert_eq!((error.kind, error.line), (IrErrorKind::TooDeep, 1));
    }
}

#[test]
fn long_chains_of_structs_cost_their_length() {
    let mut text = String::new();
    for index in 0..50_000 {
        text += &format!("%T{index} = type {{ %T{0}, %T{0} }}\n", index + 1);
    }
    text += "%T50000 = type { i8 }\n@a = external global %T0\n";
    text += "%R = type { i8, %S }\n%S = type { [2 x %R] }\n@b = external global %R\n";
    let module = parse(&text).unwrap();
    let layouts = module.layouts(&DataLayout::default());
    let layouts: Vec<String> = module.globals.values().map(|it| layouts.get(it.ty).unwrap_err().to_string()).collect();
    assert_eq!(layouts, ["the type is too large", "the type holds itself"]);
}

#[test]
fn an_unknown_word_sets_one_entity_aside() {
    let text = "\
@a = global b8 1
@b = global ptr @a, novelty
@c = strange global i32 1
%T = type { i8, newtype }
$d = comdat sometimes
define gadget i32 @f(i32 %x) #0 { ret i32 %x }
@e = global { %T, i32 } { %T mystery, i32 1 }, comdat($d)
@g = global ptr @f
attributes #0 = { nounwind }
declare void @h() #0
@i = global ptr mul (ptr @a, ptr @b)
@j = global i8* null
";
    let module = parse(text).unwrap();
    let unread: Vec<String> = module.unread.values().map(ToString::to_string).collect();
    assert_eq!(
        unread,
        [
            "`@a`: 1:13: type `b8`",
            "`@b`: 2:21: property `novelty`",
            "`@c`: 3:6: property `strange`",
            "`%T`: 4:17: type `newtype`",
            "`$d`: 5:13: comdat selection `sometimes`",
            "`@f`: 6:8: property `gadget`",
            "`@e`: 7:30: constant `mystery`",
            "`@i`: 11:17: constant `mul`",
            "`@j`: 12:15: type `*`",
        ]
    );
    assert_eq!((module.globals.len(), module.functions.len()), (1, 1));
    assert_eq!(module.functions.values().next().unwrap().attributes.len(), 1);
    let first = &module.unread.values().next().unwrap().text;
    assert_eq!(&text[first.clone()], "@a = global b8 1");
}

#[test]
fn many_unknown_entities_cost_their_text() {
    let text: String = (0..100_000).map(|index| format!("@g{index} = global b8 1\n")).collect();
    let module = parse(&text).unwrap();
    let last = module.unread.values().last().unwrap();
    assert_eq!((module.unread.len(), last.unknown.line, last.unknown.column), (100_000, 100_000, 18));
}
