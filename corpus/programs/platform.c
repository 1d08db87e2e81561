/* The text of numbers, over `putchar` alone. */
#include "platform.h"

void put_text(const char *text) {
    while (*text)
        putchar((unsigned char)*text++);
}

void put_unsigned(uint64_t value) {
    char digits[20];
    int count = 0;
    do
        digits[count++] = (char)('0' + value % 10);
    while ((value /= 10) != 0);
    while (count > 0)
        putchar(digits[--count]);
}

void put_signed(int64_t value) {
    if (value < 0)
        putchar('-');
    put_unsigned(value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void put_hex(uint64_t value, int digits) {
    int shift = 60;
    while (shift > 0 && shift / 4 >= digits && (value >> shift) == 0)
        shift -= 4;
    for (; shift >= 0; shift -= 4)
        putchar("0123456789abcdef"[value >> shift & 15]);
}

void put_bytes(const void *bytes, size_t size) {
    const unsigned char *next = bytes;
    while (size-- > 0)
        put_hex(*next++, 2);
}

void say(const char *name, int64_t value) {
    put_text(name);
    put_text(": ");
    put_signed(value);
    putchar('\n');
}

void say_hex(const char *name, uint64_t value) {
    put_text(name);
    put_text(": ");
    put_hex(value, 1);
    putchar('\n');
}

uint32_t next_random(uint32_t *state) {
    uint32_t x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return *state = x;
}

/* ---- the environment of floating point ---- */

#if defined __riscv_flen
void set_environment(int mode, unsigned flags) {
    __asm__ volatile("fscsr %0" : : "r"((unsigned long)mode << 5 | flags) : "memory");
}

unsigned exceptions(void) {
    unsigned long flags;
    __asm__ volatile("frflags %0" : "=r"(flags) : : "memory");
    return (unsigned)flags;
}
#elif defined __aarch64__ || defined __x86_64__
/* The place of each flag. */
#if defined __aarch64__
static const int places[] = {4, 3, 2, 1, 0};
#else
static const int places[] = {5, 4, 3, 2, 0};
#endif

static unsigned placed(unsigned flags) {
    unsigned there = 0;
    for (size_t i = 0; i < LENGTH(places); i++)
        there |= (flags >> i & 1) << places[i];
    return there;
}

static unsigned found(unsigned there) {
    unsigned flags = 0;
    for (size_t i = 0; i < LENGTH(places); i++)
        flags |= (there >> places[i] & 1) << i;
    return flags;
}

#if defined __aarch64__
void set_environment(int mode, unsigned flags) {
    static const unsigned long modes[] = {0, 3, 2, 1};
    unsigned long control = modes[mode] << 22, status = placed(flags);
    __asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %1" : : "r"(control), "r"(status) : "memory");
}

unsigned exceptions(void) {
    unsigned long there;
    __asm__ volatile("mrs %0, fpsr" : "=r"(there) : : "memory");
    return found((unsigned)there);
}
#else
/* All exceptions are masked. The library raises some in the older unit. */
void set_environment(int mode, unsigned flags) {
    static const unsigned modes[] = {0, 3, 1, 2};
    __asm__ volatile("fnclex" : : : "memory");
    __builtin_ia32_ldmxcsr(0x1f80 | modes[mode] << 13 | placed(flags));
}

unsigned exceptions(void) {
    unsigned short older;
    __asm__ volatile("fnstsw %0" : "=a"(older) : : "memory");
    return found(__builtin_ia32_stmxcsr() | older);
}
#endif
#endif
