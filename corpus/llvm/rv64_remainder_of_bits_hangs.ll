; llc-22 -mtriple=riscv64 -mattr=+m -O2 -global-isel rv64_remainder_of_bits_hangs.ll -o -
; does not end: see rv64_remainder_of_bits_hangs.before.mir.
define i64 @f() {
  %shifted = call i1 @llvm.fshl.i1(i1 true, i1 true, i1 true)
  %rest = srem i1 %shifted, true
  %wide = zext i1 %rest to i64
  ret i64 %wide
}

declare i1 @llvm.fshl.i1(i1, i1, i1)
