# The entry of a program on RISC-V where Debian has no C library: the stack pointer is that of the kernel.
    .globl _start
    .type _start, @function
_start:
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    mv a0, sp
    andi sp, sp, -16
    call runtime_start
    .size _start, . - _start
    .section .note.GNU-stack, "", @progbits
