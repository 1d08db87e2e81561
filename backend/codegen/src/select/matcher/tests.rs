//! The matches of a pattern, slot by slot, and above all its refusals: definitions that another instruction reads too,
//! or that may not move.

use super::{Base, Match, matches};
use tribunal_ir::{Bits, Function, IntPredicate, Opcode, Operand, VReg, text};
use tribunal_target::Features;
use tribunal_target::riscv::RISCV64;
use tribunal_target::selection::{ImmClass, Pat, Pattern, SelectionRule, Types};

const SMALL: ImmClass = ImmClass { name: "small", accepts: |value| value.to_i64().is_some_and(|value| value < 100) };

fn function(body: &str) -> Function {
    let source = format!("---\nname: f\nbody: |\n  bb.0:\n    liveins: $x10, $x11\n{body}    PseudoRET\n...\n");
    text::parse_module(&source, RISCV64.vocabulary).unwrap().functions.remove(0)
}

/// The match of the pattern at the last instruction before the return.
fn at_end(function: &Function, pattern: Pattern) -> Option<Match> {
    let rule = SelectionRule { name: "test", pattern, requires: Features::empty(), emit: &[] };
    let last = *function.layout().last().unwrap();
    matches(function, &RISCV64, function.previous_inst(function.last_inst(last).unwrap()).unwrap(), &rule)
}

/// The `index`-th instruction's first register.
fn result(function: &Function, index: usize) -> VReg {
    let inst = function.all_insts().nth(index).unwrap();
    function.inst(inst).vreg(0).unwrap()
}

const SUM: &str = "    %0:_(s64) = COPY $x10\n    %1:_(s64) = COPY $x11\n    %2:_(s64) = G_ADD %0, %1\n";
const BOTH: &[Pat] = &[Pat::Reg(0), Pat::Reg(1)];

#[test]
fn the_root_is_of_the_opcode_the_type_and_the_number_of_operands() {
    let function = function(SUM);
    let found = at_end(&function, Pattern::of(Opcode::G_ADD, Types::Bits(64), BOTH)).unwrap();
    assert_eq!((found.register(0), found.register(1)), (result(&function, 0), result(&function, 1)));
    assert!(found.through.is_empty());
    assert!(at_end(&function, Pattern::of(Opcode::G_ADD, Types::AtMost(64), BOTH)).is_some());
    assert!(at_end(&function, Pattern::of(Opcode::G_SUB, Types::Any, BOTH)).is_none());
    assert!(at_end(&function, Pattern::of(Opcode::G_ADD, Types::Bits(32), BOTH)).is_none());
    assert!(at_end(&function, Pattern::of(Opcode::G_ADD, Types::Bits(128), BOTH)).is_none());
    assert!(at_end(&function, Pattern::of(Opcode::G_ADD, Types::AtMost(63), BOTH)).is_none());
    const ONE: &[Pat] = &[Pat::Reg(0)];
    const THREE: &[Pat] = &[Pat::Reg(0), Pat::Reg(1), Pat::Reg(2)];
    assert!(at_end(&function, Pattern::of(Opcode::G_ADD, Types::Any, ONE)).is_none());
    assert!(at_end(&function, Pattern::of(Opcode::G_ADD, Types::Any, THREE)).is_none());
}

/// A comparison is of the type that it compares, not of its result's.
#[test]
fn a_comparison_is_of_its_predicate_and_of_the_type_compared() {
    let function = function(&SUM.replace("%2:_(s64) = G_ADD %0, %1", "%2:_(s1) = G_ICMP intpred(ult), %0(s64), %1"));
    let of = |predicate, bits| at_end(&function, Pattern::icmp(predicate, Types::Bits(bits), BOTH));
    assert!(of(IntPredicate::Ult, 64).is_some());
    assert!(of(IntPredicate::Ult, 1).is_none());
    assert!(of(IntPredicate::Ugt, 64).is_none());
}

#[test]
fn an_access_is_of_its_size() {
    let function = function("    %0:_(p0) = COPY $x10\n    %1:_(s64) = G_ZEXTLOAD %0(p0) :: (load (s16))\n");
    const AT: &[Pat] = &[Pat::Reg(0)];
    let of = |bits| at_end(&function, Pattern::access(Opcode::G_ZEXTLOAD, Types::Any, bits, AT));
    assert!(of(16).is_some());
    assert!(of(8).is_none());
}

/// No code is repeated where a constant is looked through, so its other uses do not matter; its value does.
#[test]
fn a_constant_folds_from_anywhere_if_the_class_accepts_it() {
    let body = "    %0:_(s64) = G_CONSTANT i64 99
    %1:_(s64) = COPY $x10
    %2:_(s64) = G_XOR %0, %1
    G_BR %bb.1

  bb.1:
    %3:_(s64) = G_ADD %2, %0
";
    const IMMEDIATE: &[Pat] = &[Pat::Reg(0), Pat::Imm(3, SMALL)];
    let at = |body: &str| {
        let function = function(body);
        let found = at_end(&function, Pattern::of(Opcode::G_ADD, Types::Any, IMMEDIATE));
        found.map(|found| (found.immediate(3), found.through.len()))
    };
    assert_eq!(at(body), Some((Bits::from_i64(99, 64), 1)));
    assert_eq!(at(&body.replace("i64 99", "i64 100")), None);
    assert_eq!(at(&body.replace("G_CONSTANT i64 99", "COPY $x11")), None);
}

/// A folded definition is computed at the root instead. So no other instruction may read it, and it may neither move
/// past a branch nor be a load.
#[test]
fn an_operation_folds_only_if_it_may_be_done_at_the_root() {
    let folded = "    %0:_(s64) = COPY $x10
    %1:_(s64) = COPY $x11
    %2:_(s64) = G_XOR %0, %1
    %3:_(s64) = G_ADD %0, %2
";
    const INNER: Pattern = Pattern::of(Opcode::G_XOR, Types::Bits(64), &[Pat::Reg(1), Pat::Reg(2)]);
    const OUTER: &[Pat] = &[Pat::Reg(0), Pat::Op(&INNER)];
    let through = |body: &str| {
        let function = function(body);
        at_end(&function, Pattern::of(Opcode::G_ADD, Types::Any, OUTER)).map(|found| found.through.to_vec())
    };
    let inner = function(folded).all_insts().nth(2).unwrap();
    assert_eq!(through(folded), Some(vec![inner]));
    let used_twice = folded.replace("    %3", "    $x12 = COPY %2\n    %3");
    let used_twice_here = folded.replace("G_ADD %0, %2", "G_ADD %2, %2");
    let in_another_block = folded.replace("    %3", "    G_BR %bb.1\n\n  bb.1:\n    %3");
    for body in [used_twice, used_twice_here, in_another_block] {
        assert_eq!(through(&body), None, "{body}");
    }

    const LOAD: Pattern = Pattern::of(Opcode::G_LOAD, Types::Any, &[Pat::Reg(1)]);
    const OF_LOAD: &[Pat] = &[Pat::Reg(0), Pat::Op(&LOAD)];
    let load = folded.replace("G_XOR %0, %1", "G_LOAD %4(p0) :: (load (s64))");
    let load = load.replace("    %1:_(s64) = COPY $x11", "    %4:_(p0) = COPY $x11");
    let function = function(&load);
    assert!(at_end(&function, Pattern::of(Opcode::G_ADD, Types::Any, OF_LOAD)).is_none());
}

const AT: &[Pat] = &[Pat::Address(0, SMALL)];

/// The base, the offset in bytes and how many definitions were looked through, of a load from `%4`.
fn address(body: &str, keys: &str) -> (String, i64, usize) {
    let source = format!(
        "---\nname: f\n{keys}body: |\n  bb.0:\n    liveins: $x10\n\n    %0:_(p0) = COPY $x10\n{body}    \
         %5:_(s64) = G_LOAD %4(p0) :: (load (s64))\n    PseudoRET\n...\n"
    );
    let function = text::parse_module(&source, RISCV64.vocabulary).unwrap().functions.remove(0);
    let found = at_end(&function, Pattern::access(Opcode::G_LOAD, Types::Any, 64, AT)).expect("any address matches");
    let address = found.address(0);
    let base = match address.base {
        Base::Register(register) => register.to_string(),
        Base::Physical(register) => format!("${}", RISCV64.vocabulary.register_name(register)),
        Base::Object(Operand::Stack(slot)) => slot.to_string(),
        Base::Object(Operand::FixedStack(slot)) => slot.to_string(),
        Base::Object(operand) => panic!("{operand:?} is no object"),
    };
    (base, address.offset, found.through.len())
}

#[test]
fn an_address_is_a_base_and_an_offset_that_the_class_accepts() {
    let sum = |offset: i64| format!("    %1:_(s64) = G_CONSTANT i64 {offset}\n    %4:_(p0) = G_PTR_ADD %0, %1(s64)\n");
    assert_eq!(address(&sum(8), "").1, 8);
    assert_eq!(address(&sum(-8), "").1, -8);
    assert_eq!(address(&sum(8), "").2, 2);
    // Out of the class: the sum itself is the base.
    let (base, offset, through) = address(&sum(100), "");
    assert_eq!((base, offset, through), ("%4".to_string(), 0, 0));
    let stack = "stack:\n  - { id: 0, size: 16, alignment: 8 }\n";
    assert_eq!(address("    %4:_(p0) = G_FRAME_INDEX %stack.0\n", stack), ("%stack.0".to_string(), 0, 1));
    let inside = sum(8).replace("%0", "%3").replace("    %1", "    %3:_(p0) = G_FRAME_INDEX %stack.0\n    %1");
    assert_eq!(address(&inside, stack), ("%stack.0".to_string(), 8, 3));
    let fixed = "fixedStack:\n  - { id: 0, size: 16, alignment: 8 }\n";
    let of_caller = inside.replace("%stack.0", "%fixed-stack.0");
    assert_eq!(address(&of_caller, fixed), ("%fixed-stack.0".to_string(), 8, 3));
    // The place of an argument of a call: from the stack pointer, and from no other machine register.
    let passed = |register: &str| {
        sum(8).replace("%0", "%3").replace("    %1", &format!("    %3:_(p0) = COPY {register}\n    %1"))
    };
    assert_eq!(address(&passed("$x2"), ""), ("$x2".to_string(), 8, 3));
    assert_eq!(address(&passed("$x3"), ""), ("%3".to_string(), 8, 2));
    // The copy holds where the stack pointer was.
    let moved = passed("$x2").replace("    %1", "    $x2 = COPY %0\n    %1");
    assert_eq!(address(&moved, ""), ("%3".to_string(), 8, 2));
}

/// Definitions looked through are listed each once, and after those that they read.
#[test]
fn what_is_looked_through_is_in_execution_order() {
    let function = function(
        "    %0:_(s64) = COPY $x10
    %1:_(s64) = G_CONSTANT i64 3
    %2:_(s64) = G_SHL %0, %1(s64)
    %3:_(s64) = G_ADD %2, %1
",
    );
    const SHIFT: Pattern = Pattern::of(Opcode::G_SHL, Types::Any, &[Pat::Reg(0), Pat::Imm(0, SMALL)]);
    const OPERANDS: &[Pat] = &[Pat::Op(&SHIFT), Pat::Imm(1, SMALL)];
    let found = at_end(&function, Pattern::of(Opcode::G_ADD, Types::Any, OPERANDS)).unwrap();
    let insts: Vec<_> = function.all_insts().collect();
    assert_eq!(found.through.as_slice(), &insts[1..3]);
}
