//! Call lowering beside LLVM's: the same signatures use the same registers, stack slots, promises and call frames.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, Stdio};
use tribunal_codegen::call_lowering::{ArgumentExtension, ArgumentType, CallLowering};
use tribunal_ir::{Builder, Function, Position, Type, text};
use tribunal_target::Target;

/// A type of LLVM IR with its attribute.
fn parameter(ir: &str, target: &Target) -> ArgumentType {
    let (ty, attribute) = ir.split_once(' ').unwrap_or((ir, ""));
    let ty = match ty.strip_prefix('i') {
        Some(bits) => Type::scalar(bits.parse().unwrap()),
        None => Type::Pointer { address_space: 0, bits: target.pointer_bits },
    };
    let extension = match attribute {
        "signext" => ArgumentExtension::Sign,
        "zeroext" => ArgumentExtension::Zero,
        _ => ArgumentExtension::Any,
    };
    ArgumentType { ty, extension }
}

/// A function of the signature that passes its arguments on to `g`, and returns the result.
fn lowered(target: &'static Target, arguments: &[&str], result: &str) -> Function {
    let mut function = Function::new("f");
    let entry = function.new_block();
    let mut builder = Builder::new(&mut function, Position::AtEnd(entry));
    let lowering = CallLowering { target };
    let parameters: Vec<ArgumentType> = arguments.iter().map(|ir| parameter(ir, target)).collect();
    let result = parameter(result, target);
    let values = lowering.formal_arguments(&mut builder, &parameters).unwrap();
    let passed: Vec<_> = values.iter().copied().zip(parameters.iter().map(|parameter| parameter.extension)).collect();
    let returned = lowering.call(&mut builder, "g", &passed, &[result]).unwrap();
    lowering.return_values(&mut builder, &[(returned[0], result.extension)]).unwrap();
    function
}

/// The same by `llc-22`.
fn by_llvm(target: &Target, arguments: &[&str], result: &str) -> Function {
    let names: Vec<String> = arguments.iter().enumerate().map(|(number, ir)| format!("{ir} %a{number}")).collect();
    let (names, types) = (names.join(", "), arguments.join(", "));
    // LLVM writes the attribute of a result before its type.
    let result = result.split_once(' ').map_or(result.to_string(), |(ty, attribute)| format!("{attribute} {ty}"));
    let ty = result.split(' ').next_back().unwrap();
    let ir = format!(
        "declare {result} @g({types})\ndefine {result} @f({names}) {{\n  %r = call {result} @g({names})\n  ret {ty} %r\n}}\n"
    );
    let triple = format!("-mtriple={}-linux-gnu", target.name);
    let mut llc = Command::new("llc-22");
    llc.args([&triple, "-O0", "-global-isel", "-stop-after=irtranslator", "-simplify-mir", "-o", "-"]);
    let mut child = llc.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("llc-22 runs");
    child.stdin.take().unwrap().write_all(ir.as_bytes()).unwrap();
    let mir = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    let module = text::parse_module(&mir, target.vocabulary).unwrap().whole().unwrap();
    module.functions.into_iter().find(|function| function.name == "f").unwrap()
}

/// The lines that say where values go, without the numbers of registers and the alignment of accesses.
fn places(function: &Function, target: &Target) -> BTreeSet<String> {
    let mut text = text::print_function(function, target.vocabulary);
    for (slot, object) in function.fixed_stack.iter() {
        let number = slot.as_u32();
        text = text.replace(&format!("%fixed-stack.{number} "), &format!("at {} ", object.offset));
        text = text.replace(&format!("%fixed-stack.{number})"), &format!("at {})", object.offset));
        text = text.replace(&format!("%fixed-stack.{number},"), &format!("at {},", object.offset));
    }
    let says = ["COPY", "ADJCALL", "@g", "into stack", "LOAD", "G_ASSERT", "implicit", "liveins:"];
    // A promise about a stack argument is LLVM's own: its load has extended the value.
    let is_said = |line: &&str| !line.contains("G_ASSERT") || function.fixed_stack.is_empty();
    let lines = text
        .lines()
        .filter(|line| says.iter().any(|word| line.contains(word)) && !line.contains("- {"))
        .filter(is_said);
    lines.map(without_numbers).collect()
}

fn without_numbers(line: &str) -> String {
    if let Some(registers) = line.trim().strip_prefix("liveins: ") {
        return format!("{:?}", registers.split(", ").collect::<BTreeSet<_>>());
    }
    // LLVM extends by the load where this project promises nothing of the bits above.
    let line = line.find("load (s").filter(|_| line.contains(" from at ")).map_or(line, |access| &line[access..]);
    let line = line.trim().split(", align ").next().unwrap_or_default().replace("invariant load", "load");
    let mut words: Vec<String> = Vec::new();
    for word in line.trim_end_matches(')').split(' ') {
        let is_register =
            word.strip_prefix('%').is_some_and(|rest| rest.starts_with(|digit: char| digit.is_ascii_digit()));
        words.push(if is_register {
            word.trim_start_matches(|c: char| c == '%' || c.is_ascii_digit()).to_string()
        } else {
            word.to_string()
        });
    }
    words.join(" ")
}

#[test]
fn signatures_are_lowered_as_llvm_lowers_them() {
    let words = ["i64", "i32 signext", "i8 zeroext", "i16 signext", "ptr", "i128", "i32", "i16"];
    for target in ["riscv64", "riscv32", "aarch64"] {
        let target = tribunal_target::by_name(target).unwrap();
        let fits = |ir: &&&str| parameter(ir, target).ty.bits() <= 2 * u32::from(target.pointer_bits);
        let types: Vec<&str> = words.iter().filter(fits).copied().collect();
        for (number, result) in types.iter().enumerate() {
            for count in if number == 0 { 0..14 } else { number..number + 2 } {
                let arguments: Vec<&str> =
                    types.iter().cycle().skip(count).step_by(1 + count % 3).take(count).copied().collect();
                let [ours, llvms] = [lowered(target, &arguments, result), by_llvm(target, &arguments, result)];
                assert_eq!(places(&ours, target), places(&llvms, target), "{}: {result} ({arguments:?})", target.name);
            }
        }
    }
}

#[test]
fn a_value_of_more_than_two_registers_is_unsupported() {
    let target = tribunal_target::by_name("riscv32").unwrap();
    let mut function = Function::new("f");
    let entry = function.new_block();
    let mut builder = Builder::new(&mut function, Position::AtEnd(entry));
    let error = CallLowering { target }.formal_arguments(&mut builder, &[Type::scalar(128).into()]).unwrap_err();
    assert_eq!(error.to_string(), "f: s128 by value is not supported (call-lowering)");
}
