//! Every value that a function's envelope gives is changed, one at a time, in either of two equal functions. `validate`
//! must not prove such a pair, unless a table here says why the change does no harm.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use tribunal_ir::text;
use tribunal_target::Target;
use tribunal_trial::validate::{self, Kind, Setting};

/// An envelope with the keys that LLVM 22 prints for code in SSA form, and a body that uses its tables.
const FUNCTION: &str = "\
---
name: f
alignment: 4
exposesReturnsTwice: false
legalized: true
regBankSelected: false
selected: false
failedISel: false
tracksRegLiveness: true
hasWinCFI: false
callsEHReturn: false
callsUnwindInit: false
hasEHContTarget: false
hasEHScopes: false
hasEHFunclets: false
isOutlined: false
debugInstrRef: false
failsVerification: false
tracksDebugUserValues: false
registers:
  - { id: 0, class: _, preferred-register: '$x10', flags: [  ] }
frameInfo:
  isFrameAddressTaken: true
  isReturnAddressTaken: true
  hasStackMap: true
  hasPatchPoint: true
  stackSize: 0
  offsetAdjustment: 16
  maxAlignment: 16
  adjustsStack: true
  hasCalls: true
  stackProtector: '%stack.1'
  functionContext: '%stack.1'
  maxCallFrameSize: 32
  cvBytesOfCalleeSavedRegisters: 8
  hasOpaqueSPAdjustment: true
  hasVAStart: true
  hasMustTailInVarArgFunc: true
  hasTailCall: true
  isCalleeSavedInfoValid: true
  localFrameSize: 32
fixedStack:
  - { id: 0, type: default, offset: 8, size: 8, alignment: 8, stack-id: default, isImmutable: true,
      isAliased: false, callee-saved-register: '', callee-saved-restored: true }
stack:
  - { id: 0, name: one, type: default, offset: 0, size: 16, alignment: 16, stack-id: default,
      callee-saved-register: '', callee-saved-restored: true, local-offset: -16 }
  - { id: 1, name: '', type: default, offset: 0, size: 8, alignment: 8, stack-id: default,
      callee-saved-register: '', callee-saved-restored: true, local-offset: -24 }
constants:
  - { id: 0, value: 'i64 5', alignment: 8, isTargetSpecific: false }
  - { id: 1, value: 'i64 6', alignment: 8, isTargetSpecific: false }
machineFunctionInfo:
  varArgsFrameIndex: 1
  varArgsSaveSize: 8
jumpTable:
  kind: block-address
  entries:
    - { id: 0, blocks: [ '%bb.1', '%bb.2' ] }
body: |
  bb.0:
    successors: %bb.1, %bb.2
    liveins: $x10

    %0:_(s64) = COPY $x10
    %1:_(p0) = G_FRAME_INDEX %fixed-stack.0
    %2:_(p0) = G_FRAME_INDEX %stack.0.one
    %3:_(p0) = G_FRAME_INDEX %stack.1
    %4:_(s64) = G_LOAD %1(p0) :: (load (s64) from %fixed-stack.0)
    G_STORE %0(s64), %2(p0) :: (volatile store (s64) into %stack.0.one)
    G_STORE %4(s64), %3(p0) :: (volatile store (s64) into %stack.1)
    %5:_(p0) = G_CONSTANT_POOL %const.0
    %6:_(p0) = G_CONSTANT_POOL %const.1
    %7:_(s64) = G_LOAD %5(p0) :: (load (s64) from constant-pool)
    %8:_(s64) = G_LOAD %6(p0) :: (load (s64) from constant-pool)
    %9:_(s64) = G_SUB %7, %8
    %10:_(p0) = G_JUMP_TABLE %jump-table.0
    G_BRJT %10(p0), %jump-table.0, %0(s64)

  bb.1:
    $x10 = COPY %9(s64)
    PseudoRET implicit $x10

  bb.2:
    $x10 = COPY %4(s64)
    PseudoRET implicit $x10
...
";

/// How a value may differ.
enum Change {
    /// In any way.
    Any,
    /// From `false` to `true`, or to a greater number.
    Up,
}

/// The keys whose change does no harm, with the argument.
const HARMLESS: [(&str, Change, &str); 29] = [
    ("legalized", Change::Any, "what a pass has done, which the instructions show"),
    ("tracksRegLiveness", Change::Any, "what the text keeps, not what code does"),
    ("hasWinCFI", Change::Any, "unwinding on Windows"),
    ("hasEHContTarget", Change::Any, "unwinding on Windows"),
    ("hasEHScopes", Change::Any, "unwinding on Windows"),
    ("hasEHFunclets", Change::Any, "unwinding on Windows"),
    ("cvBytesOfCalleeSavedRegisters", Change::Any, "debug information of Windows"),
    ("isOutlined", Change::Any, "the machine outliner's own mark"),
    ("debugInstrRef", Change::Any, "debug information"),
    ("tracksDebugUserValues", Change::Any, "debug information"),
    ("failsVerification", Change::Any, "the verifier's own mark"),
    ("preferred-register", Change::Any, "a hint to the allocator"),
    ("alignment", Change::Up, "a multiple of the alignment serves"),
    ("id", Change::Any, "a register of no class; every other number is missed where it is used"),
    ("isFrameAddressTaken", Change::Up, "the frame has a pointer"),
    ("isReturnAddressTaken", Change::Up, "the return address is kept"),
    ("hasStackMap", Change::Up, "a frame as for a stack map"),
    ("hasPatchPoint", Change::Up, "a frame as for a patch point"),
    ("maxAlignment", Change::Any, "the objects' own alignment counts"),
    ("adjustsStack", Change::Up, "the frame has a pointer"),
    ("hasCalls", Change::Up, "the return address is kept"),
    ("maxCallFrameSize", Change::Up, "more room than a call needs"),
    ("hasOpaqueSPAdjustment", Change::Up, "the frame has a pointer"),
    ("hasVAStart", Change::Up, "a frame as for `va_start`"),
    ("hasMustTailInVarArgFunc", Change::Up, "a frame as for such a call"),
    ("localFrameSize", Change::Any, "the objects lie in the block still"),
    ("hasTailCall", Change::Up, "room that nobody uses"),
    ("isCalleeSavedInfoValid", Change::Any, "frame lowering writes it"),
    ("callee-saved-restored", Change::Any, "no register is saved in the object"),
];

#[test]
fn validate_sees_every_change_of_an_envelope() {
    let target = tribunal_target::by_name("riscv64").unwrap();
    assert_eq!(judge(target, FUNCTION, FUNCTION), Some(Kind::Proved));
    let mut changes = 0;
    let mut unseen = Vec::new();
    for (key, value, start) in values() {
        for other in others(value).into_iter().filter(|other| other != value) {
            let changed = format!("{}{other}{}", &FUNCTION[..start], &FUNCTION[start + value.len()..]);
            for (before, after, from, to) in
                [(FUNCTION, &*changed, value, &*other), (&*changed, FUNCTION, &*other, value)]
            {
                changes += 1;
                if judge(target, before, after) == Some(Kind::Proved) && !is_harmless(key, from, to) {
                    unseen.push(format!("{key}: {from} becomes {to}"));
                }
            }
        }
    }
    assert_eq!(unseen, Vec::<String>::new());
    assert_eq!(changes, 274);
}

/// The verdict; `None` where the text is refused.
fn judge(target: &'static Target, before: &str, after: &str) -> Option<Kind> {
    let [before, after] = [before, after].map(|text| text::parse_module(text, target.vocabulary).ok());
    let judged = validate::validate(&before?, &after?, target, Setting::default());
    judged.into_iter().next().map(|judged| judged.kind)
}

/// Each key of the envelope with its value and the place of it in the text.
fn values() -> Vec<(&'static str, &'static str, usize)> {
    let envelope = &FUNCTION[..FUNCTION.find("body:").unwrap()];
    let ends = |c: char| [',', '}', '\n'].contains(&c);
    let mut found = Vec::new();
    for (colon, _) in envelope.match_indices(": ") {
        let key = envelope[..colon].rsplit([' ', '\n']).next().unwrap();
        let value = envelope[colon + 2..].split(ends).next().unwrap().trim_end();
        if !value.is_empty() && !value.starts_with(['{', '[']) && key != "name" {
            found.push((key, value, colon + 2));
        }
    }
    found
}

/// Other values of the same kind.
fn others(value: &str) -> Vec<String> {
    match value {
        "true" => vec!["false".to_string()],
        "false" => vec!["true".to_string()],
        "''" => vec!["'$x9'".to_string()],
        "'$x10'" | "'%stack.1'" => vec!["''".to_string(), value.replace('1', "0")],
        "'i64 5'" => vec!["'i64 7'".to_string(), "'i32 5'".to_string()],
        "default" => vec!["spill-slot".to_string(), "variable-sized".to_string()],
        "block-address" => vec!["label-difference32".to_string()],
        _ => match value.parse::<i64>() {
            Ok(number) => vec![(2 * number).to_string(), (number + 8).to_string(), (number - 8).to_string()],
            Err(_) => Vec::new(),
        },
    }
}

fn is_harmless(key: &str, from: &str, to: &str) -> bool {
    let goes = |from: &str, to: &str| match (from.parse::<i64>(), to.parse::<i64>()) {
        (Ok(from), Ok(to)) => from <= to,
        _ => from == "false" && to == "true",
    };
    HARMLESS.iter().any(|(name, change, _)| {
        *name == key
            && match change {
                Change::Any => true,
                Change::Up => goes(from, to),
            }
    })
}
