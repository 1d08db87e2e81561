//! `validate` on small pairs whose difference depends on one rule, and the inputs that it executes them on.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use tribunal_ir::{Module, text};
use tribunal_target::Target;
use tribunal_trial::inputs::{self, Plan};
use tribunal_trial::validate::{self, Kind, Runs, Setting};

fn riscv64() -> &'static Target {
    tribunal_target::by_name("riscv64").unwrap()
}

/// Eight inputs on which both stages run, and alike.
fn all_alike() -> Runs {
    Runs { tried: 8, compared: 8, ..Runs::default() }
}

/// Both stages on eight inputs.
fn runs(before: &Module, after: &Module) -> Runs {
    validate::runs(&before.functions[0], &after.functions[0], riscv64(), (8, u64::MAX))
}

fn module(body: &str) -> Module {
    with_stack("", body)
}

/// `stack` are the lines of its objects.
fn with_stack(stack: &str, body: &str) -> Module {
    let line = |line: &str| format!("{}{line}\n", if line.starts_with("bb.") { "  " } else { "    " });
    let lines: String = body.trim().lines().map(|text| line(text.trim())).collect();
    let source = format!(
        "# target: riscv64\n---\nname: f\ntracksRegLiveness: true\nstack:\n{stack}body: |\n  bb.0:\n    liveins: $x10, $x11\n\n{lines}...\n"
    );
    text::parse_module(&source, riscv64().vocabulary).unwrap()
}

/// A load of a size that is no whole number of bytes relies on zeros above, so that a legalizer may read the whole
/// byte.
#[test]
fn a_load_of_one_bit_may_become_one_of_its_byte() {
    let load = |access: &str| {
        module(&format!(
            "%0:_(p0) = COPY $x10
             %1:_(s64) = {access}
             $x10 = COPY %1(s64)
             PseudoRET implicit $x10"
        ))
    };
    let bit = load("G_ZEXTLOAD %0(p0) :: (load (s1))");
    let byte = load("G_ZEXTLOAD %0(p0) :: (load (s8))");
    assert_eq!(judge(&bit, &byte), Kind::Proved);
    let refuted = judge(&byte, &bit);
    assert!(matches!(&refuted, Kind::Refuted(found) if found.contains("poison")), "{refuted:?}");
}

/// The payload of a NaN is a choice, and one choice at each of its uses: it cancels out.
#[test]
fn a_nan_has_one_payload_at_all_its_uses() {
    let rest = |last: &str| {
        module(&format!(
            "%0:_(s64) = COPY $x10
             %1:_(s64) = G_FCONSTANT double -1.0
             %2:_(s64) = G_FSQRT %1
             %3:_(s64) = {last}
             $x10 = COPY %3(s64)
             PseudoRET implicit $x10"
        ))
    };
    let (zero, cancelled) = (rest("G_CONSTANT i64 0"), rest("G_XOR %2, %2"));
    assert_eq!(runs(&zero, &cancelled), all_alike());
    let one = rest("G_CONSTANT i64 1");
    assert!(runs(&one, &cancelled).difference.is_some());
}

/// The input that uses the instructions up is the last.
#[test]
fn runs_end_when_their_instructions_are_used_up() {
    let same = module(
        "%0:_(s64) = COPY $x10
         $x10 = COPY %0(s64)
         PseudoRET implicit $x10",
    );
    let within = |instructions| {
        let function = &same.functions[0];
        validate::runs(function, function, riscv64(), (8, instructions))
    };
    // Three instructions in each stage.
    assert_eq!(within(7), Runs { tried: 2, compared: 2, ..Runs::default() });
    assert_eq!(within(0), Runs::default());
}

/// Every input says why it says nothing.
#[test]
fn inputs_that_say_nothing_have_a_reason() {
    let divided = |by: &str| {
        module(&format!(
            "%0:_(s64) = COPY $x10
             %1:_(s64) = G_CONSTANT i64 {by}
             %2:_(s64) = G_UDIV %0, %1
             $x10 = COPY %2(s64)
             PseudoRET implicit $x10"
        ))
    };
    let (by_zero, by_one) = (divided("0"), divided("1"));
    assert_eq!(runs(&by_one, &by_one), all_alike());
    let silent = [("the earlier stage is undefined".to_string(), 8)].into_iter().collect();
    assert_eq!(runs(&by_zero, &by_one), Runs { tried: 8, compared: 0, difference: None, silent });
    assert!(runs(&by_one, &by_zero).difference.is_some());
    let elementary = |name: &str| {
        module(&format!(
            "%0:_(s64) = COPY $x10
             %1:_(s64) = {name} %0
             $x10 = COPY %1(s64)
             PseudoRET implicit $x10"
        ))
    };
    let (sine, cosine) = (elementary("G_FSIN"), elementary("G_FCOS"));
    assert_eq!(runs(&sine, &sine), all_alike());
    let Runs { difference, silent, .. } = runs(&sine, &cosine);
    assert!(
        difference.is_none() && silent.contains_key("the later stage has other digits, which are open"),
        "{silent:?}"
    );
}

/// An elementary function is one of its operand, and nobody knows its digits: a call of the library is the same, what a
/// compiler folds is neither proved nor refuted, and nor is another function.
#[test]
fn the_digits_of_a_sine_are_the_librarys() {
    let sine = |value: &str, last: &str| {
        module(&format!(
            "%0:_(s64) = COPY $x10
             %1:_(s64) = {value}
             {last}
             $x10 = COPY %2(s64)
             PseudoRET implicit $x10"
        ))
    };
    let call = "ADJCALLSTACKDOWN 0, 0, implicit-def $x2, implicit $x2
                $x10 = COPY %1(s64)
                PseudoCALL target-flags(riscv-call) &sin, csr_ilp32_lp64, implicit-def $x1, implicit $x10, implicit-def $x10
                ADJCALLSTACKUP 0, 0, implicit-def $x2, implicit $x2
                %2:_(s64) = COPY $x10";
    let (constant, any) = ("G_FCONSTANT double 1.0", "COPY %0(s64)");
    let of_one = sine(constant, "%2:_(s64) = G_FSIN %1");
    assert_eq!(judge(&of_one, &of_one), Kind::Proved);
    assert_eq!(judge(&sine(any, "%2:_(s64) = G_FSIN %1"), &sine(any, call)), Kind::Proved);
    for other in ["%2:_(s64) = G_FCONSTANT double 0x3FEAED548F090CEE", "%2:_(s64) = G_FCONSTANT double 0.5"] {
        let folded = judge(&of_one, &sine(constant, other));
        assert!(matches!(folded, Kind::Unknown(_)), "{folded:?}");
    }
    let cosine = judge(&sine(any, "%2:_(s64) = G_FSIN %1"), &sine(any, "%2:_(s64) = G_FCOS %1"));
    assert!(matches!(cosine, Kind::Unknown(_)), "{cosine:?}");
}

/// A call of the library makes the choices that its opcode makes, in the same order: the NaNs of several are those of
/// the other stage.
#[test]
fn the_nans_of_several_calls_are_those_of_the_opcodes() {
    let sum = |first: &str, second: &str, third: &str| {
        module(&format!(
            "%0:_(s64) = COPY $x10
             %1:_(s64) = COPY $x11
             {first}
             {second}
             {third}
             %5:_(s64) = G_FADD %2, %3
             %6:_(s64) = G_FADD %5, %4
             $x10 = COPY %6(s64)
             PseudoRET implicit $x10"
        ))
    };
    let call = |result: u32, a: u32, b: u32| {
        format!(
            "ADJCALLSTACKDOWN 0, 0, implicit-def $x2, implicit $x2
             $x10 = COPY %{a}(s64)
             $x11 = COPY %{b}(s64)
             PseudoCALL target-flags(riscv-call) &fmod, csr_ilp32_lp64, implicit-def $x1, implicit $x10, implicit $x11, implicit-def $x10
             ADJCALLSTACKUP 0, 0, implicit-def $x2, implicit $x2
             %{result}:_(s64) = COPY $x10"
        )
    };
    let operation = |result: u32, a: u32, b: u32| format!("%{result}:_(s64) = G_FREM %{a}, %{b}");
    let operations = sum(&operation(2, 0, 1), &operation(3, 0, 0), &operation(4, 1, 1));
    let calls = sum(&call(2, 0, 1), &call(3, 0, 0), &call(4, 1, 1));
    assert_eq!(judge(&operations, &calls), Kind::Proved);
    assert_eq!(judge(&calls, &calls), Kind::Proved);
    let other = sum(&call(2, 0, 1), &call(3, 0, 0), &call(4, 1, 0));
    assert!(matches!(judge(&calls, &other), Kind::Refuted(_)));
}

/// Operations on vectors have no meaning in a proof of a whole function, and they have one in its executions. An
/// element that is poison leaves the others as they are.
#[test]
fn a_wrong_element_of_a_vector_is_executed() {
    let last = |taken: &str| {
        module(&format!(
            "%0:_(s64) = COPY $x10
             %1:_(s64) = COPY $x11
             %2:_(s64) = G_CONSTANT i64 1
             %3:_(s64) = G_CONSTANT i64 64
             %4:_(s64) = G_SHL %0, %3
             %5:_(<2 x s64>) = G_BUILD_VECTOR %4(s64), %1(s64)
             %6:_(<2 x s64>) = G_ADD %5, %5
             %7:_(s64) = G_EXTRACT_VECTOR_ELT %6(<2 x s64>), %2(s64)
             %8:_(s64) = G_ADD %1, {taken}
             $x10 = COPY %8(s64)
             PseudoRET implicit $x10"
        ))
    };
    assert_eq!(runs(&last("%7"), &last("%7")), all_alike());
    assert!(runs(&last("%7"), &last("%0")).difference.is_some());
    assert!(matches!(judge(&last("%7"), &last("%0")), Kind::Refuted(_)));
}

/// The result of a call is copied from the register that holds an argument before it.
#[test]
fn the_result_of_a_call_is_no_argument() {
    let module = module(
        "%0:_(p0) = COPY $x10
         ADJCALLSTACKDOWN 0, 0, implicit-def $x2, implicit $x2
         PseudoCALL target-flags(riscv-call) @next, csr_ilp32_lp64, implicit-def $x1, implicit-def $x10
         ADJCALLSTACKUP 0, 0, implicit-def $x2, implicit $x2
         %1:_(s64) = COPY $x10
         G_STORE %1(s64), %0(p0) :: (store (s64))
         PseudoRET",
    );
    let inputs = inputs::inputs(&module.functions[0], riscv64(), Plan { count: 8, seed: 1 });
    assert_eq!(inputs.len(), 8);
    for input in inputs {
        assert_eq!(input.registers.len(), 1);
        assert_eq!(input.registers[0].1, input.buffers[0].address.into());
    }
}

/// A PHI of two parts whose high one is dead, before another of the low one's width.
#[test]
fn a_phi_may_lose_its_high_half() {
    let wide = module(
        "%0:_(p0) = COPY $x10
         %1:_(s64) = G_LOAD %0(p0) :: (load (s64))
         %2:_(s8) = G_CONSTANT i8 -12

         bb.1:
         %3:_(s64) = G_PHI %1(s64), %bb.0
         %4:_(s8) = G_PHI %2(s8), %bb.0
         %5:_(s32) = G_TRUNC %3(s64)
         G_STORE %5(s32), %0(p0) :: (store (s32))
         G_STORE %4(s8), %0(p0) :: (store (s8))
         PseudoRET",
    );
    let halves = module(
        "%0:_(p0) = COPY $x10
         %1:_(s32) = G_LOAD %0(p0) :: (load (s32))
         %2:_(s32) = G_CONSTANT i32 -12

         bb.1:
         %6:_(s32) = G_PHI %1(s32), %bb.0
         %7:_(s32) = G_PHI %2(s32), %bb.0
         G_STORE %6(s32), %0(p0) :: (store (s32))
         %8:_(s8) = G_TRUNC %7(s32)
         G_STORE %8(s8), %0(p0) :: (store (s8))
         PseudoRET",
    );
    assert_eq!(validate::validate(&wide, &halves, riscv64(), Setting::default()).remove(0).kind, Kind::Proved);
}

fn judge(before: &Module, after: &Module) -> Kind {
    validate::validate(before, after, riscv64(), Setting::default()).remove(0).kind
}

const COUNTER: &str = "  - { id: 0, size: 4, alignment: 4 }\n";

/// A counter on the stack that goes up to 200, narrow and wide; `escape` is an instruction before the loop.
fn counts(escape: &str) -> (Module, Module) {
    let narrow = format!(
        "%0:_(p0) = COPY $x10
         %1:_(s32) = G_CONSTANT i32 0
         %2:_(s32) = G_CONSTANT i32 200
         %3:_(s32) = G_CONSTANT i32 1
         %4:_(p0) = G_FRAME_INDEX %stack.0
         {escape}
         G_STORE %1(s32), %4(p0) :: (store (s32))

         bb.1:
         successors: %bb.2, %bb.3

         %5:_(s32) = G_LOAD %4(p0) :: (load (s32))
         %6:_(s1) = G_ICMP intpred(slt), %5(s32), %2
         G_BRCOND %6(s1), %bb.2
         G_BR %bb.3

         bb.2:
         successors: %bb.1

         %7:_(s32) = G_LOAD %4(p0) :: (load (s32))
         %8:_(s32) = nsw G_ADD %7, %3
         G_STORE %8(s32), %4(p0) :: (store (s32))
         G_BR %bb.1

         bb.3:
         PseudoRET"
    );
    let wide = narrow.replace(
        "%7:_(s32) = G_LOAD %4(p0) :: (load (s32))
         %8:_(s32) = nsw G_ADD %7, %3
         G_STORE %8(s32)",
        "%7:_(s64) = G_LOAD %4(p0) :: (load (s32))
         %9:_(s64) = G_CONSTANT i64 1
         %8:_(s64) = nsw G_ADD %7, %9
         G_STORE %8(s64)",
    );
    assert_ne!(narrow, wide);
    (with_stack(COUNTER, &narrow), with_stack(COUNTER, &wide))
}

/// Any-extended, the counter could overflow; that its low half is never -1 is known of a register, not of memory.
#[test]
fn a_counter_on_the_stack_is_a_register_unless_its_address_escapes() {
    let (narrow, wide) = counts("");
    assert_eq!(judge(&narrow, &wide), Kind::Proved);
    let (narrow, wide) = counts("G_STORE %4(p0), %0(p0) :: (store (p0))");
    assert!(matches!(judge(&narrow, &wide), Kind::Unknown(_)));
}

/// The contents of a stack object at the end are not observable, unless each access to it is.
#[test]
fn a_dead_store_to_the_stack_may_go_unless_it_is_volatile() {
    let stores = |flag: &str, first: u32| {
        with_stack(
            COUNTER,
            &format!(
                "%0:_(p0) = G_FRAME_INDEX %stack.0
                 %1:_(s32) = G_CONSTANT i32 {first}
                 %2:_(s32) = G_CONSTANT i32 7
                 G_STORE %1(s32), %0(p0) :: ({flag}store (s32))
                 G_STORE %2(s32), %0(p0) :: ({flag}store (s32))
                 PseudoRET"
            ),
        )
    };
    assert_eq!(judge(&stores("", 1), &stores("", 2)), Kind::Proved);
    assert!(matches!(judge(&stores("volatile ", 1), &stores("volatile ", 2)), Kind::Unknown(_)));
}

/// A promoted object keeps the facts of loads about bits above its width, and its contents before any store are the
/// same for both.
#[test]
fn a_load_of_a_promoted_object_extends_as_it_says() {
    let extends = |store: &str, load: &str| {
        with_stack(
            COUNTER,
            &format!(
                "%0:_(s64) = COPY $x10
                 %1:_(p0) = G_FRAME_INDEX %stack.0
                 {store}
                 %2:_(s64) = {load} %1(p0) :: (load (s32))
                 $x10 = COPY %2(s64)
                 PseudoRET implicit $x10"
            ),
        )
    };
    let store = "G_STORE %0(s64), %1(p0) :: (store (s32))";
    assert_eq!(judge(&extends(store, "G_LOAD"), &extends(store, "G_ZEXTLOAD")), Kind::Proved);
    assert_eq!(judge(&extends("", "G_SEXTLOAD"), &extends("", "G_SEXTLOAD")), Kind::Proved);
    assert!(matches!(judge(&extends(store, "G_SEXTLOAD"), &extends(store, "G_ZEXTLOAD")), Kind::Refuted(_)));
    assert!(matches!(judge(&extends(store, "G_ZEXTLOAD"), &extends("", "G_ZEXTLOAD")), Kind::Refuted(_)));
}

/// The difference of two any-extended values overflows where their unconstrained bits differ.
#[test]
fn free_bits_are_chosen_at_each_place() {
    let arguments = "%0:_(s64) = COPY $x10
         %1:_(s64) = COPY $x11
         %2:_(s32) = G_TRUNC %0(s64)
         %3:_(s32) = G_TRUNC %1(s64)";
    let result = "%5:_(s64) = G_ZEXT %4(s32)
         $x10 = COPY %5(s64)
         PseudoRET implicit $x10";
    let narrow = module(&format!("{arguments}\n%4:_(s32) = G_SUB %2, %3\n{result}"));
    let wide = module(&format!(
        "{arguments}
         %6:_(s64) = G_ANYEXT %2(s32)
         %7:_(s64) = G_ANYEXT %3(s32)
         %8:_(s64) = nsw G_SUB %6, %7
         %4:_(s32) = G_TRUNC %8(s64)
         {result}"
    ));
    let refuted = judge(&narrow, &wide);
    assert!(matches!(&refuted, Kind::Refuted(found) if found.contains("mixture")), "{refuted:?}");
}

/// That a counter is not zero follows from the branch that leads into its loop.
#[test]
fn a_fact_may_start_from_the_way_into_a_loop() {
    let narrow = "%0:_(s64) = COPY $x10
         %1:_(s32) = G_TRUNC %0(s64)
         %2:_(s32) = G_CONSTANT i32 0
         %3:_(s32) = G_CONSTANT i32 -1
         %4:_(s1) = G_ICMP intpred(eq), %1(s32), %2
         G_BRCOND %4(s1), %bb.3
         G_BR %bb.1

         bb.1:
         successors: %bb.2

         bb.2:
         successors: %bb.2, %bb.3

         %5:_(s32) = G_PHI %1(s32), %bb.1, %6(s32), %bb.2
         %6:_(s32) = nsw G_ADD %5, %3
         %7:_(s1) = G_ICMP intpred(eq), %6(s32), %2
         G_BRCOND %7(s1), %bb.3
         G_BR %bb.2

         bb.3:
         PseudoRET";
    let wide = narrow.replace(
        "%6:_(s32) = nsw G_ADD %5, %3",
        "%8:_(s64) = G_ANYEXT %5(s32)
         %9:_(s64) = G_CONSTANT i64 -1
         %10:_(s64) = nsw G_ADD %8, %9
         %6:_(s32) = G_TRUNC %10(s64)",
    );
    assert_eq!(judge(&module(narrow), &module(&wide)), Kind::Proved);
}

/// Two factors that are promised to be sign-extended are the same terms as their low halves, extended.
#[test]
fn a_promised_extension_is_known_of_its_operand() {
    let product = |extensions: &str, one: &str, other: &str| {
        module(&format!(
            "%0:_(s64) = COPY $x10
             %1:_(s64) = G_ASSERT_SEXT %0, 32
             %2:_(s64) = COPY $x11
             %3:_(s64) = G_ASSERT_SEXT %2, 32
             {extensions}
             %4:_(s64) = nsw G_MUL {one}, {other}
             $x10 = COPY %4(s64)
             PseudoRET implicit $x10"
        ))
    };
    let narrow = "%5:_(s32) = G_TRUNC %1(s64)
         %6:_(s32) = G_TRUNC %3(s64)
         %7:_(s64) = G_SEXT %5(s32)
         %8:_(s64) = G_SEXT %6(s32)";
    assert_eq!(judge(&product(narrow, "%7", "%8"), &product("", "%1", "%3")), Kind::Proved);
}

/// `INSERT_SUBREG` on registers that no row takes is executed too: the low half that it gives is seen.
#[test]
fn a_register_that_is_made_of_a_part_is_executed() {
    let target = tribunal_target::by_name("aarch64").unwrap();
    let pair = |part: &str| {
        let text = format!(
            "---
name: before
body: |
  bb.0:
    liveins: $x0, $x1
    %0:gpr(s64) = COPY $x0
    %1:gpr(s64) = COPY $x1
    %2:gpr(s32) = G_TRUNC %0(s64)
    %3:gpr(s64) = G_ANYEXT %2(s32)
    %4:gpr(s64) = G_CONSTANT i64 255
    %5:gpr(s64) = G_AND %3, %4
    $x0 = COPY %5(s64)
    RET_ReallyLR implicit $x0
...
---
name: after
body: |
  bb.0:
    liveins: $x0, $x1
    %0:gpr64common = COPY $x0
    %1:gpr64common = COPY $x1
    %2:gpr32 = COPY {part}.sub_32
    %3:gpr64all = IMPLICIT_DEF
    %4:gpr64 = INSERT_SUBREG %3, %2, %subreg.sub_32
    %5:gpr64common = ANDXri %4, 4103
    $x0 = COPY %5
    RET_ReallyLR implicit $x0
...
"
        );
        tribunal_ir::text::parse_module(&text, target.vocabulary).unwrap()
    };
    let runs = |part: &str| {
        let module = pair(part);
        validate::runs(&module.functions[0], &module.functions[1], target, (8, u64::MAX))
    };
    assert_eq!(runs("%0"), all_alike());
    assert!(runs("%1").difference.is_some());
}
