/* Where the program starts: it exits with what `check` says. */
void _start(void) {
    long status = check();
#if defined(__riscv)
    register long number __asm__("a7") = 94;
    register long argument __asm__("a0") = status;
    __asm__ volatile("ecall" : : "r"(number), "r"(argument) : "memory");
#else
    register long number __asm__("x8") = 94;
    register long argument __asm__("x0") = status;
    __asm__ volatile("svc #0" : : "r"(number), "r"(argument) : "memory");
#endif
    __builtin_unreachable();
}
