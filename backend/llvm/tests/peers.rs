//! Modules that LLVM's own parser accepts are read, and those that it refuses are errors: every form of a global, a
//! constant, a type and a signature. A test asks `llvm-as-22` for its verdict on each.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use std::io::Write;
use std::process::{Command, Stdio};
use tribunal_llvm::{IrModule, parse};

/// Entities that LLVM accepts.
const ACCEPTED: &[&str] = &[
    // Types.
    "@a = external global [2 x { i32, <{ i8, ptr addrspace(3) }> }]",
    "@a = external global <4 x half>\n@b = external global { x86_fp80, fp128, ppc_fp128, bfloat, i8388608 }",
    "%T = type { ptr, %U, %0 }\n%U = type opaque\n%0 = type <{ i8, i32 }>\n@a = external global %T",
    "%\"a b\" = type { i8 }\n%N = type i32\n@a = global %\"a b\" { i8 1 }\n@b = global %N 5",
    "declare <vscale x 4 x i32> @f(target(\"aarch64.svcount\"), metadata, token)",
    "declare target(\"riscv.vector.tuple\", <vscale x 8 x i8>, 2) @f()",
    // Properties of globals.
    "@a = private unnamed_addr constant [3 x i8] c\"a\\22\\00\", align 1",
    "@a = thread_local(initialexec) global i32 0\n@b = thread_local local_unnamed_addr global i32 0",
    "@a = dso_local hidden local_unnamed_addr addrspace(1) externally_initialized constant i32 1",
    "@a = extern_weak dso_preemptable protected global ptr\n@b = external dllimport global i8",
    "$c = comdat any\n@a = weak_odr global i32 0, section \".x\", comdat($c), align 8, partition \"p\"",
    "$a = comdat nodeduplicate\n@a = global i32 0, comdat, no_sanitize_address, sanitize_address_dyninit",
    "@a = global i32 0, code_model \"large\", align 4, !foo !0 #0 \"x\"=\"y\"\n!0 = !{}\nattributes #0 = { \"k\" }",
    "@0 = global ptr @1\n@1 = global i32 1\n@\"a b\\22\" = global ptr @0\n@.str$-_ = global i8 0",
    "@a = common global i32 0, align 4\n@b = linkonce_odr global i32 0\n@c = appending global [0 x i8] []",
    // Constants.
    "@a = global [4 x i8] [i8 -1, i8 255, i8 u0xFF, i8 s0xFF]\n@b = global i1 true\n@c = global i128 -5",
    "@a = global { float, double, half } { float 0x36A0000000000000, double -1.5e+3, half 0xH3C00 }",
    "@a = global { fp128, ppc_fp128, x86_fp80 } { fp128 0xL00000000000000013FFF000000000000, \
        ppc_fp128 0xM3FF00000000000000000000000000001, x86_fp80 0xK3FFF8000000000000000 }",
    "@a = global [3 x ptr] [ptr null, ptr undef, ptr poison]\n@b = global { i8, [9 x i64] } zeroinitializer",
    "@a = global <2 x i32> splat (i32 7)\n@b = global <2 x i1> <i1 true, i1 false>\n@c = global <{ }> <{ }>",
    "@a = global ptr blockaddress(@f, %\"b c\")\ndefine void @f() {\n  br label %\"b c\"\n\"b c\":\n  ret void\n}",
    "@a = global i32 trunc (i64 sub (i64 ptrtoint (ptr dso_local_equivalent @f to i64), \
        i64 ptrtoint (ptr @a to i64)) to i32)\ndefine void @f() {\n  ret void\n}",
    "@a = global [2 x ptr] [ptr no_cfi @f, ptr ptrauth (ptr @f, i32 1, i64 2, ptr @a)]\ndeclare void @f()",
    "@a = global ptr getelementptr inbounds nuw inrange(-8, 16) ({ i32, [4 x i8] }, ptr @a, i64 0, i32 1, i64 2)",
    "@a = global <2 x ptr> getelementptr (i8, ptr @a, <2 x i64> <i64 1, i64 2>)",
    "@a = global i64 add nuw nsw (i64 ptrtoint (ptr @a to i64), i64 3)\n@b = global i32 xor (i32 ptrtoint (ptr @a to i32), i32 1)",
    "@a = global ptr inttoptr (i64 5 to ptr)\n@b = global ptr addrspace(1) addrspacecast (ptr @a to ptr addrspace(1))",
    "@a = global i64 ptrtoaddr (ptr @a to i64)\n@b = global i64 bitcast (<2 x i32> <i32 1, i32 2> to i64)",
    "@a = global ptr extractelement (<2 x ptr> <ptr @a, ptr null>, i32 0)",
    // Aliases, ifuncs, functions.
    "@x = global [4 x i8] zeroinitializer\n@a = weak alias i8, getelementptr (i8, ptr @x, i64 1)\n@b = alias i8, ptr @x, partition \"p\"",
    "@i = ifunc i32 (i32, ...), ptr @r\ndefine ptr @r() {\n  ret ptr null\n}",
    "declare fastcc zeroext i1 @f(i32 signext, ptr byval({ i32, i32 }) align(8) %x, ...) local_unnamed_addr #0\n\
        attributes #0 = { nounwind alignstack=16 memory(read, inaccessiblemem: none) \"a\"=\"b\" }",
    "declare cc17 noalias nonnull align 8 dereferenceable(16) ptr @f(ptr byref(i32) captures(none) \"k\")",
    "declare riscv_vls_cc(256) range(i32 -5, 7) i32 @f(i32 range(i32 0, 10), half nofpclass(nan inf))",
    "define internal void @f(i32 %0, i32 %\"a b\") addrspace(0) section \"s\" partition \"p\" align 16 gc \"statepoint-example\" \
        prefix i32 5 prologue i8 3 personality ptr @f !dbg !0 {\n  ret void\n}\n!0 = !{}",
    "define void @f() {\n  call void asm sideeffect \"}{\", \"\"() ; } \"\n  ret void\n}\n@a = global i32 0",
    "declare !foo !0 void @f()\n!0 = distinct !{!\"a } b\", i32 1, !0}\n!named = !{!0}",
    // The module.
    "source_filename = \"a.c\"\ntarget triple = \"riscv64\"\nmodule asm \"x\"\nmodule asm \"y\\22\"",
    "target datalayout = \"e-m:e-p:64:64-i64:64-i128:128-n32:64-S128\"\n@a = global i32 0",
    "/* a comment } */ @a = global i32 0 ; another\n",
    "@a = global i32 0\n@b = global [2 x ptr] [ptr @a, ptr getelementptr (i8, ptr @a, i64 1)]\nuselistorder ptr @a, { 1, 0 }",
];

/// Text that LLVM refuses.
const REFUSED: &[&str] = &[
    "hello",
    "@a = global i32",
    "@a = global i32 1.0",
    "@a = global float 0.1",
    "@a = global i32 null",
    "@a = global [2 x i8] c\"abc\"",
    "@a = global [2 x i8] [i8 1]",
    "@a = global { i8, i32 } { i32 1, i32 2 }",
    "@a = global ptr @missing",
    "@a = global i32 0\n@a = global i32 1",
    "@a = external global %T",
    "%T = type {}\n%T = type {}",
    "@a = global i32 0, comdat($c)",
    "@a = global [3 x i8] c\"abc",
    "define void @f() {",
    "@a = global { i32 { i32 1 }",
    "target datalayout = \"e-x\"",
    "@a = global i0 0",
    "@a = global i32 0, align 3",
    "@a = alias i32, ptr @a, @b",
    "@a = external global [2 y i8]",
    "attributes #0 = { nounwind",
];

fn llvm_accepts(text: &str) -> bool {
    let mut command = Command::new("llvm-as-22");
    command.args(["-disable-verify", "-o", "/dev/null"]).stdin(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("llvm-as-22 is installed");
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    child.wait().unwrap().success()
}

fn read(text: &str) -> IrModule {
    let module = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let unread: Vec<String> = module.unread.values().map(ToString::to_string).collect();
    assert!(unread.is_empty(), "{unread:?}\n{text}");
    module
}

#[test]
fn forms_that_llvm_accepts_are_read() {
    let refused: Vec<&&str> = ACCEPTED.iter().filter(|text| !llvm_accepts(text)).collect();
    assert!(refused.is_empty(), "{refused:#?}");
    for text in ACCEPTED {
        read(text);
        // A MIR file has the text indented.
        read(&text.replace('\n', "\n  "));
    }
}

#[test]
fn text_that_llvm_refuses_is_an_error() {
    for text in REFUSED {
        assert!(!llvm_accepts(text), "{text}");
        let Err(error) = parse(text) else { panic!("it was read: {text}") };
        let line = text.lines().nth(error.line - 1).unwrap_or_default();
        assert!(error.column <= line.chars().count() + 1 && error.length > 0, "{error}\n{text}");
    }
}
