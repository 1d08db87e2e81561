//! Pairs of functions that only executions tell apart: by pointers that alias, by what unknown functions do, by objects
//! that pointers in memory lead to, and by loops that do not end. Each wrong pair is refuted as two stages, and found
//! when the backend turns one into the other.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use tribunal_codegen::pipeline::{self, Pass};
use tribunal_codegen::{Allocator, Context, Observer, Options};
use tribunal_ir::{Function, Module, text};
use tribunal_target::Target;
use tribunal_trial::inputs::{self, Plan};
use tribunal_trial::validate::{self, Kind, Setting};
use tribunal_trial::{Finding, Harness, Judge, Tally, crash};

/// The judges that can see a difference.
#[derive(Clone, Copy, PartialEq)]
enum By {
    Both,
    /// Machine code cannot trap there.
    Stages,
    /// Two stages are not compared where they do not end.
    Machine,
}

/// Two bodies, and a way in which they differ. Pointers are `%0`, `%1` and `%2`, values `%10` and `%11`.
struct Pair {
    name: &'static str,
    before: &'static str,
    after: &'static str,
    by: By,
}

const WRONG: &[Pair] = &[
    Pair {
        name: "stores that may alias are exchanged",
        before: "store %10, %0; store %11, %1; return",
        after: "store %11, %1; store %10, %0; return",
        by: By::Both,
    },
    Pair {
        name: "a load moves over a store",
        before: "store %10, %1; %20 = load %0; store %20, %2; return",
        after: "%20 = load %0; store %10, %1; store %20, %2; return",
        by: By::Both,
    },
    Pair {
        name: "a store is forwarded over a store",
        before: "store %10, %0; store %11, %1; %20 = load %0; store %20, %2; return",
        after: "store %10, %0; store %11, %1; store %10, %2; return",
        by: By::Both,
    },
    Pair {
        name: "a store is forwarded over a call",
        before: "store %10, %0; call g(); %20 = load %0; store %20, %1; return",
        after: "store %10, %0; call g(); store %10, %1; return",
        by: By::Both,
    },
    Pair {
        name: "a store and a call are exchanged",
        before: "store %10, %0; call g(); return",
        after: "call g(); store %10, %0; return",
        by: By::Both,
    },
    Pair {
        name: "a load moves over a call",
        before: "call g(); %20 = load %0; store %20, %1; return",
        after: "%20 = load %0; call g(); store %20, %1; return",
        by: By::Both,
    },
    Pair {
        name: "a store before a call is dead",
        before: "store %10, %0; call g(); store %11, %0; return",
        after: "call g(); store %11, %0; return",
        by: By::Both,
    },
    Pair {
        name: "calls are exchanged",
        before: "call g(); call h(); return",
        after: "call h(); call g(); return",
        by: By::Both,
    },
    Pair { name: "a call is lost", before: "call g(); call g(); return", after: "call g(); return", by: By::Both },
    Pair { name: "a call is added", before: "call g(); return", after: "call g(); call g(); return", by: By::Both },
    Pair { name: "another argument", before: "call g(%0); return", after: "call g(%1); return", by: By::Both },
    Pair {
        name: "a store is forwarded over a call that has the object",
        before: "store %10, %3; call g(%3); %20 = load %3; store %20, %0; return",
        after: "store %10, %3; call g(%3); store %10, %0; return",
        by: By::Both,
    },
    Pair {
        name: "a store to an object comes after the call that has it",
        before: "store %10, %3; call g(%3); return",
        after: "call g(%3); store %10, %3; return",
        by: By::Both,
    },
    Pair {
        name: "undefined behaviour comes before a call",
        before: "%20 = load %0; call g(); %21 = divide %10, %20; store %21, %1; return",
        after: "%20 = load %0; %21 = divide %10, %20; call g(); store %21, %1; return",
        by: By::Stages,
    },
    Pair {
        name: "another store before the program ends",
        before: "store %10, %0; call abort(); end",
        after: "store %11, %0; call abort(); end",
        by: By::Both,
    },
    Pair {
        name: "another number in a loop of calls that does not end",
        before: "loop; %20 = load %0; %21 = add %20, %10; store %21, %0; call g(); again",
        after: "loop; %20 = load %0; %21 = add %20, %11; store %21, %0; call g(); again",
        by: By::Both,
    },
    Pair {
        name: "another field behind two pointers",
        before: "%20 = follow %0; %21 = follow %20; %22 = load %21; store %22, %1; return",
        after: "%20 = follow %0; %21 = follow %20; %22 = second %21; store %22, %1; return",
        by: By::Both,
    },
    Pair {
        name: "another field of a header before a pointer",
        before: "%20 = header %0; store %20, %1; return",
        after: "%20 = load %0; store %20, %1; return",
        by: By::Both,
    },
    Pair {
        name: "another field of a header before a pointer in memory",
        before: "%20 = follow %0; %21 = header %20; store %21, %1; return",
        after: "%20 = follow %0; %21 = load %20; store %21, %1; return",
        by: By::Both,
    },
    Pair {
        name: "a device sees other stores in a loop that does not end",
        before: "loop; write %10, %0; write %11, %0; again",
        after: "loop; write %10, %0; write %10, %0; again",
        by: By::Machine,
    },
    Pair {
        name: "a loop that does not end writes to a device once only",
        before: "loop; write %10, %0; again",
        after: "write %10, %0; return",
        by: By::Machine,
    },
];

/// Right pairs, where a judge that sees too much would object.
const RIGHT: &[Pair] = &[
    Pair {
        name: "an object that no callee knows keeps its contents",
        before: "store %10, %3; call g(); %20 = load %3; store %20, %0; return",
        after: "store %10, %3; call g(); store %10, %0; return",
        by: By::Both,
    },
    Pair {
        name: "an argument is computed within the frame of its call",
        before: "store %10, %0; stop; end",
        after: "store %10, %0; stop; end",
        by: By::Both,
    },
    Pair {
        name: "independent places of one pointer",
        before: "store %10, %0; %20 = second %0; store %20, %0; return",
        after: "%20 = second %0; store %20, %0; return",
        by: By::Both,
    },
    Pair {
        name: "a store to an object that a callee had is dead at the end",
        before: "store %10, %3; call g(%3); store %11, %3; return",
        after: "store %10, %3; call g(%3); return",
        by: By::Both,
    },
];

/// The forms of one target.
struct Forms {
    target: &'static Target,
    /// Integers of a pointer's width.
    word: &'static str,
    arguments: [&'static str; 3],
    call: &'static str,
    callee: &'static str,
    frame: &'static str,
    ret: &'static str,
}

fn forms() -> [Forms; 3] {
    let riscv = |name, word| Forms {
        target: tribunal_target::by_name(name).unwrap(),
        word,
        arguments: ["$x10", "$x11", "$x12"],
        call: "PseudoCALL target-flags(riscv-call)",
        callee: "csr_ilp32_lp64, implicit-def $x1",
        frame: "implicit-def $x2, implicit $x2",
        ret: "PseudoRET",
    };
    let aarch64 = Forms {
        target: tribunal_target::by_name("aarch64").unwrap(),
        word: "s64",
        arguments: ["$x0", "$x1", "$x2"],
        call: "BL",
        callee: "csr_aarch64_aapcs, implicit-def $lr, implicit $sp",
        frame: "implicit-def $sp, implicit $sp",
        ret: "RET_ReallyLR",
    };
    [riscv("riscv64", "s64"), riscv("riscv32", "s32"), aarch64]
}

impl Forms {
    fn module(&self, body: &str) -> Module {
        let [first, second, third] = self.arguments;
        let mut lines = format!(
            "  bb.0:\n    liveins: {first}, {second}, {third}\n\n    %0:_(p0) = COPY {first}\n    %1:_(p0) = COPY {second}
    %2:_(p0) = COPY {third}\n    %3:_(p0) = G_FRAME_INDEX %stack.0\n    %4:_({word}) = G_CONSTANT i{bits} 8
    %10:_(s32) = G_CONSTANT i32 1\n    %11:_(s32) = G_CONSTANT i32 2\n",
            word = self.word,
            bits = &self.word[1..]
        );
        for statement in body.split("; ") {
            lines += &self.statement(statement);
        }
        let stack = "stack:\n  - { id: 0, size: 4, alignment: 4 }\n";
        let source = format!(
            "# target: {}\n---\nname: f\ntracksRegLiveness: true\n{stack}body: |\n{lines}...\n",
            self.target.name
        );
        let read =
            text::parse_module(&source, self.target.vocabulary).unwrap_or_else(|error| panic!("{error}\n{source}"));
        read.whole().unwrap_or_else(|unread| panic!("{unread}\n{source}"))
    }

    fn statement(&self, statement: &str) -> String {
        let words: Vec<&str> = statement.split([' ', ',']).filter(|word| !word.is_empty()).collect();
        match words.as_slice() {
            ["store", value, to] => format!("    G_STORE {value}(s32), {to}(p0) :: (store (s32))\n"),
            ["write", value, to] => format!("    G_STORE {value}(s32), {to}(p0) :: (volatile store (s32))\n"),
            [to, "=", "load", from] => format!("    {to}:_(s32) = G_LOAD {from}(p0) :: (load (s32))\n"),
            [to, "=", "follow", from] => format!(
                "    {to}9:_(p0) = G_PTR_ADD {from}, %4({})\n    {to}:_(p0) = G_LOAD {to}9(p0) :: (load (p0))\n",
                self.word
            ),
            [to, "=", "second", from] => format!(
                "    {to}9:_(p0) = G_PTR_ADD {from}, %4({})\n    {to}:_(s32) = G_LOAD {to}9(p0) :: (load (s32))\n",
                self.word
            ),
            [to, "=", "header", from] => format!(
                "    {to}8:_({word}) = G_CONSTANT i{bits} -8\n    {to}9:_(p0) = G_PTR_ADD {from}, {to}8({word})\n    {to}:_(s32) = G_LOAD {to}9(p0) :: (load (s32))\n",
                word = self.word,
                bits = &self.word[1..]
            ),
            [to, "=", "add", one, other] => format!("    {to}:_(s32) = G_ADD {one}, {other}\n"),
            [to, "=", "divide", one, other] => format!("    {to}:_(s32) = G_UDIV {one}, {other}\n"),
            ["call", callee] => self.call(callee),
            ["stop"] => {
                let constant = format!("    %30:_({}) = G_CONSTANT i{} 1\n", self.word, &self.word[1..]);
                let call = self.call("exit(%30)").replace("%30(p0)", &format!("%30({})", self.word));
                call.replacen('\n', &format!("\n{constant}"), 1)
            }
            ["loop"] => "  bb.1:\n    successors: %bb.1\n\n".to_string(),
            ["again"] => "    G_BR %bb.1\n".to_string(),
            ["return"] => format!("    {}\n", self.ret),
            ["end"] => String::new(),
            _ => panic!("{statement}"),
        }
    }

    /// `g()` or `g(%0)`.
    fn call(&self, callee: &str) -> String {
        let (name, argument) = callee.strip_suffix(')').and_then(|callee| callee.split_once('(')).unwrap();
        let register = self.arguments[0];
        let (copy, passed) = match argument {
            "" => (String::new(), String::new()),
            _ => (format!("    {register} = COPY {argument}(p0)\n"), format!(", implicit {register}")),
        };
        let Forms { call, callee, frame, .. } = self;
        format!(
            "    ADJCALLSTACKDOWN 0, 0, {frame}\n{copy}    {call} @{name}, {callee}{passed}\n    ADJCALLSTACKUP 0, 0, {frame}\n"
        )
    }

    fn options(&self) -> Options {
        Options::new(self.target.default_features)
    }

    /// The function as the legalizer leaves it.
    fn legalized(&self, function: &Function) -> Function {
        struct Keep(Option<Function>);
        impl Observer for Keep {
            fn after_pass(&mut self, pass: &'static Pass, function: &mut Function) {
                if pass.name == "legalize" {
                    self.0 = Some(function.clone());
                }
            }
        }
        let (target, options, mut keep) = (self.target, self.options(), Keep(None));
        let legalizer = (target.legality)(options.features);
        let mut context = Context { target, options, legalizer, observer: &mut keep };
        pipeline::compile(&mut function.clone(), &mut context).unwrap_or_else(|error| panic!("{error:?}"));
        keep.0.unwrap()
    }

    /// A trial of `before` whose legalizer writes `after`.
    fn trial(&self, before: &Function, after: &Function) -> Tally {
        let inputs = inputs::inputs(before, self.target, Plan { count: 32, seed: 1 });
        let mut harness = Harness::new(self.target, self.options()).unwrap();
        harness.trial_with(before, &inputs, &mut Replace(self.legalized(after)))
    }
}

/// A legalizer that writes this function.
struct Replace(Function);

impl Observer for Replace {
    fn after_pass(&mut self, pass: &'static Pass, function: &mut Function) {
        if pass.name == "legalize" {
            function.clone_from(&self.0);
        }
    }
}

/// The verdict on both as stages, and the trial of one that becomes the other.
fn judged(forms: &Forms, pair: &Pair) -> (Kind, Tally) {
    let (before, after) = (forms.module(pair.before), forms.module(pair.after));
    let kind = validate::validate(&before, &after, forms.target, Setting::default()).remove(0).kind;
    (kind, forms.trial(&before.functions[0], &after.functions[0]))
}

#[test]
fn each_wrong_pair_is_refuted_and_found() {
    for forms in forms() {
        for pair in WRONG {
            let (kind, tally) = judged(&forms, pair);
            let label = format!("{}, {}", pair.name, forms.target.name);
            if pair.by != By::Machine {
                assert!(matches!(kind, Kind::Refuted(_)), "{label}: {kind:?}");
            }
            if pair.by != By::Stages {
                let is_found = |finding: &Finding| finding.judge == Judge::Emulator;
                assert!(tally.findings.iter().any(is_found), "{label}: {tally:?}");
            }
        }
    }
}

#[test]
fn no_right_pair_is() {
    for forms in forms() {
        let same = WRONG.iter().chain(RIGHT).map(|pair| Pair { after: pair.before, ..*pair });
        for pair in same.chain(RIGHT.iter().map(|pair| Pair { ..*pair })) {
            let (kind, tally) = judged(&forms, &pair);
            let label = format!("{}, {}", pair.name, forms.target.name);
            assert!(!matches!(kind, Kind::Refuted(_)), "{label}: {kind:?}");
            assert!(tally.is_clean() && tally.unsupported.is_empty(), "{label}: {tally:?}");
            assert_eq!((tally.executions, tally.inconclusive), (32, 0), "{label}: {tally:?}");
        }
    }
}

/// A wrong run is blamed on the pass that did it, and the input in its crash file shows it again.
#[test]
fn a_wrong_run_is_blamed_and_its_crash_file_shows_it_again() {
    let [forms, ..] = forms();
    for pair in WRONG.iter().filter(|pair| pair.by != By::Stages) {
        let [before, after] = [pair.before, pair.after].map(|body| forms.module(body).functions.remove(0));
        let tally = forms.trial(&before, &after);
        let finding = tally.findings.iter().find(|finding| finding.judge == Judge::Emulator).unwrap();
        assert_eq!(finding.guilty, "legalize", "{}: {finding}", pair.name);
        let file = crash::print_sabotaged(forms.target, forms.options(), None, &[&before], finding, None);
        let module = text::parse_module(&file, forms.target.vocabulary).unwrap();
        let input = crash::header(&module, forms.target).unwrap().input;
        assert_eq!(input, finding.input, "{}", pair.name);
        let read = Finding { input, ..finding.clone() };
        let mut harness = Harness::new(forms.target, forms.options()).unwrap();
        let again = harness.reproduce(&module.functions[0], &read, &mut Replace(forms.legalized(&after)));
        assert!(again.is_some_and(|again| again.is_same_fault(finding)), "{}: {file}", pair.name);
    }
}

#[test]
fn a_trial_without_an_execution_is_unknown() {
    let [forms, ..] = forms();
    let mut harness = Harness::new(forms.target, forms.options()).unwrap();
    let mut trial = |body: &str| harness.trial(&forms.module(body).functions[0], Plan { count: 8, seed: 1 });
    let endless = trial("loop; store %10, %0; again");
    assert_eq!((endless.passed, endless.unknown, endless.executions), (0, 1, 0));
    assert!(endless.open.keys().any(|reason| reason.contains("does not end")), "{:?}", endless.open);
    // Any code is right for a function that nobody can call.
    assert_eq!(trial("store %10, %0; end").passed, 1);
    assert_eq!(trial("store %10, %0; return").passed, 1);
}

/// A harness that goes to another machine and back judges as one made for that machine: the caller's number in a
/// register is as wide as the machine has it. The calls make each allocator keep a number in such a register.
#[test]
fn a_harness_goes_from_machine_to_machine() {
    let text = "---\nname: f\ntracksRegLiveness: true\nisSSA: true\nbody: |\n  bb.0:\n    liveins: $x10\n\n    \
                %0:_(s32) = COPY $x10\n    %1:_(s16) = G_TRUNC %0\n    %2:_(s16) = G_FMAXIMUM %1, %1\n    \
                %3:_(s32) = G_ANYEXT %2\n    $x10 = COPY %3\n    PseudoRET implicit $x10\n...\n";
    let target = tribunal_target::by_name("riscv32").unwrap();
    let features = |names: &str| target.features(names).unwrap();
    let module = text::parse_module(text, target.vocabulary).unwrap().whole().unwrap();
    let mut harness = Harness::new(target, Options::new(features("+m,+f,+d"))).unwrap();
    for names in ["+m,+f,+d", "+m,+f", "+m,+f,+zba", "+m,+f,+d,+zba", "+m,+f", "+m"] {
        for allocator in Allocator::ALL {
            harness.set_options(Options { allocator, ..Options::new(features(names)) });
            let tally = harness.trial(&module.functions[0], Plan { count: 8, seed: 1 });
            assert!(tally.findings.is_empty() && tally.executions > 0, "{names} {allocator:?}: {:?}", tally.findings);
        }
    }
}
