; The status is 0 if 0x8000000000000000 with its bytes reversed is 0x80. With LLVM 22's GlobalISel it is 1:
;
;   llc-22 -mattr=+m -global-isel -filetype=obj rv64_bswap_mask_too_wide.ll -o f.o
;   ld.lld-22 f.o -o f && qemu-riscv64 f; echo $?
target triple = "riscv64-unknown-linux-gnu"

module asm ".globl _start"
module asm "_start: li a0, 1"
module asm "slli a0, a0, 63"
module asm "call f"
module asm "xori a0, a0, 128"
module asm "snez a0, a0"
module asm "li a7, 93"
module asm "ecall"

define i64 @f(i64 %x) {
  %r = call i64 @llvm.bswap.i64(i64 %x)
  ret i64 %r
}
