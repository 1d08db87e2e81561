; Most forms of the language at module level.
source_filename = "forms.c"
target datalayout = "e-m:e-p:64:64-i64:64-i128:128-n32:64-S128"
target triple = "riscv64-unknown-linux-gnu"

module asm ".globl marker"

%struct.node = type { ptr, i32, [3 x i8], %union.u }
%union.u = type { i64 }
%packed = type <{ i8, i32, <2 x float> }>
%later = type opaque

$group = comdat any

@.str = private unnamed_addr constant [6 x i8] c"a\22b\\\0A\00", align 1
@node = dso_local global %struct.node { ptr getelementptr inbounds (i8, ptr @node, i64 8), i32 -7, [3 x i8] c"xyz", %union.u { i64 9 } }, align 8
@packed = internal global <{ i8, i32, <2 x float> }> <{ i8 1, i32 2, <2 x float> <float 1.5, float -0.0> }>, section ".odd", align 1
@thread = thread_local(initialexec) local_unnamed_addr global [2 x i16] [i16 1, i16 undef]
@weak = weak hidden global ptr @"quoted name", comdat($group), align 8
@"quoted name" = extern_weak global i8
@floats = global { half, bfloat, float, double, x86_fp80, fp128 } { half 0xH3C00, bfloat 0xR3F80, float 0x3FF3333340000000, double 1.000000e+00, x86_fp80 0xK3FFF8000000000000000, fp128 0xL00000000000000003FFF000000000000 }
@wide = global i129 340282366920938463463374607431768211456
@bits = global <10 x i1> splat (i1 true)
@difference = global i32 trunc (i64 sub (i64 ptrtoint (ptr @weak to i64), i64 ptrtoint (ptr @difference to i64)) to i32), no_sanitize_address
@labels = internal constant [2 x ptr] [ptr blockaddress(@f, %one), ptr blockaddress(@f, %two)]
@common = common addrspace(1) externally_initialized global [100 x i64] zeroinitializer, code_model "large" #1
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @f, ptr null }]
@alias = hidden alias i8, getelementptr inbounds nuw (%struct.node, ptr @node, i32 0, i32 2, i64 1)
@chosen = ifunc i32 (i32, ...), ptr @resolver

define dso_local signext i32 @f(ptr noundef byval(%struct.node) align 8 %x, i32 noundef signext range(i32 0, 9) %0, ...) local_unnamed_addr #0 section ".text.f" comdat($group) align 16 personality ptr @handler !dbg !3 {
  %y = load { i32, i32 }, ptr %x ; a brace: }
  br label %one
one:
  call void asm "{ }", ""()
  br label %two
two:
  ret i32 0
}

declare fastcc ptr @resolver() unnamed_addr #1
declare i32 @handler(...)
declare void @sret(ptr dead_on_unwind writable sret(%struct.node) captures(none) align 8, metadata) "key"="value"

attributes #0 = { nounwind alignstack=16 memory(argmem: read) "target-cpu"="generic-rv64" }
attributes #1 = { cold "k" }

!llvm.module.flags = !{!0, !1}
!0 = !{i32 1, !"wchar_size", i32 4}
!1 = distinct !{!1, !2, !"} text"}
!2 = !DILocation(line: 1, column: 2, scope: !3)
!3 = distinct !DISubprogram(name: "f", declaration: !2, flags: DIFlagPrototyped | DIFlagPublic, thrownTypes: !0)
