//! The list that `va_start` makes: its fields, found by what LLVM's call lowering writes, and by nothing less.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use tribunal_ir::{FixedSlot, Function, Operand, StackSlot, text};
use tribunal_target::aarch64::AARCH64;
use tribunal_target::riscv::{RISCV32, RISCV64};
use tribunal_target::variable_arguments::{FieldValue, filled};
use tribunal_target::{ALL, Target};

fn function(target: &'static Target, objects: &str, body: &str) -> Function {
    let text = format!("---\nname: f\ntracksRegLiveness: true\n{objects}body: |\n{body}...\n");
    text::parse_module(&text, target.vocabulary).unwrap().functions.remove(0)
}

/// Offset, bits and contents of each field.
fn fields(target: &'static Target, function: &Function) -> Result<Vec<(u32, u32, FieldValue)>, String> {
    let fields = filled(target, function).map_err(|unsupported| unsupported.feature)?;
    Ok(fields.iter().map(|field| (field.offset, field.ty.bits(), field.value)).collect())
}

fn object(number: u32, bytes: i64) -> FieldValue {
    FieldValue::Address(Operand::Stack(StackSlot::from_u32(number)), bytes)
}

fn argument(number: u32) -> FieldValue {
    FieldValue::Address(Operand::FixedStack(FixedSlot::from_u32(number)), 0)
}

const OBJECTS: &str = "\
fixedStack:
  - { id: 0, offset: 8, size: 4, alignment: 8 }
  - { id: 1, offset: 0, size: 8, alignment: 16 }
stack:
  - { id: 0, size: 16, alignment: 8 }
  - { id: 1, size: 16, alignment: 16 }
  - { id: 2, size: 8, alignment: 8 }
";

/// The last two general registers and the last whole one.
const SAVED: &str = "  bb.0:
    liveins: $q7, $x6, $x7

    %0:_(s64) = COPY $x6
    %1:_(p0) = G_FRAME_INDEX %stack.0
    G_STORE %0(s64), %1(p0) :: (store (s64) into stack + 48, align 1)
    %2:_(s64) = G_CONSTANT i64 8
    %3:_(p0) = G_PTR_ADD %1, %2(s64)
    %4:_(s64) = COPY $x7
    G_STORE %4(s64), %3(p0) :: (store (s64) into stack + 56, align 1)
    %5:_(p0) = G_FRAME_INDEX %stack.1
    %6:_(s128) = COPY $q7
    G_STORE %6(s128), %5(p0) :: (store (s128) into stack, align 1)
    RET_ReallyLR
";

#[test]
fn save_areas_are_found_by_their_stores() {
    let wanted = [
        (0, 64, argument(0)),
        (8, 64, object(0, 16)),
        (16, 64, object(1, 16)),
        (24, 32, FieldValue::Number(-16)),
        (28, 32, FieldValue::Number(-16)),
    ];
    assert_eq!(fields(&AARCH64, &function(&AARCH64, OBJECTS, SAVED)).unwrap(), wanted);
}

#[test]
fn an_area_that_is_not_whole_is_none() {
    let without = |line: &str| SAVED.lines().filter(|own| !own.contains(line)).map(|own| format!("{own}\n")).collect();
    let first: String = without("into stack + 48");
    let last: String = without("into stack + 56");
    for lost in [first, last.replace(", $x7", "").replace("COPY $x7", "G_CONSTANT i64 0")] {
        let error = fields(&AARCH64, &function(&AARCH64, OBJECTS, &lost)).unwrap_err();
        assert_eq!(error, "a save area of bank gpr that is not known");
    }
}

/// A named parameter that has the last register is stored by the program, which names its own object.
#[test]
fn stores_of_named_parameters_are_no_area() {
    let body = "  bb.0:
    liveins: $x7

    %0:_(s64) = COPY $x7
    %1:_(p0) = G_FRAME_INDEX %stack.2
    G_STORE %0(s64), %1(p0) :: (store (s64) into %ir.a)
    RET_ReallyLR
";
    let fields = fields(&AARCH64, &function(&AARCH64, OBJECTS, body)).unwrap();
    assert_eq!(fields[0].2, argument(0));
    let (ends, sizes) = fields[1..].split_at(2);
    assert!(ends.iter().all(|field| field.2 == FieldValue::Any), "{fields:?}");
    assert!(sizes.iter().all(|field| field.2 == FieldValue::Number(0)), "{fields:?}");
}

#[test]
fn a_list_of_risc_v_begins_at_the_saved_registers() {
    let body = "  bb.0:\n    PseudoRET\n";
    let saved = "fixedStack:\n  - { id: 0, offset: -16, size: 4, alignment: 16 }\n  \
                 - { id: 1, offset: -12, size: 12, alignment: 4 }\n";
    assert_eq!(fields(&RISCV32, &function(&RISCV32, saved, body)).unwrap(), [(0, 32, argument(1))]);
    assert_eq!(fields(&RISCV64, &function(&RISCV64, OBJECTS, body)).unwrap(), [(0, 64, argument(0))]);
}

#[test]
fn a_function_without_variable_arguments_has_no_list() {
    for &target in ALL {
        let leave = target.vocabulary.opcode_name(target.abi.return_opcode);
        let error = fields(target, &function(target, "", &format!("  bb.0:\n    {leave}\n"))).unwrap_err();
        assert_eq!(error, "a list of variable arguments without a first one", "{}", target.name);
    }
}
