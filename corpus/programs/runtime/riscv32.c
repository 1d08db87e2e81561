/* The runtime of a program on riscv32 Linux, where Debian has no C library: system calls, thread-local storage,
   constructors, memory, and the arithmetic that a compiler calls. Invariant: nothing here calls itself by a loop that
   the compiler recognises, so it is compiled with -fno-builtin. */
#include "../platform.h"

int main(void);
extern void (*__init_array_start[])(void), (*__init_array_end[])(void);
extern void (*__fini_array_start[])(void), (*__fini_array_end[])(void);

/* ---- system calls ---- */

enum { SYS_WRITE = 64, SYS_EXIT_GROUP = 94 };

static long system_call(long number, long a, long b, long c) {
    register long a0 __asm__("a0") = a;
    register long a1 __asm__("a1") = b;
    register long a2 __asm__("a2") = c;
    register long a7 __asm__("a7") = number;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
    return a0;
}

static char output[4096];
static size_t waiting;

static void flush(void) {
    for (size_t done = 0; done < waiting;) {
        long written = system_call(SYS_WRITE, 1, (long)(output + done), (long)(waiting - done));
        if (written <= 0)
            break;
        done += (size_t)written;
    }
    waiting = 0;
}

int putchar(int c) {
    output[waiting++] = (char)c;
    if (waiting == sizeof output)
        flush();
    return (unsigned char)c;
}

int puts(const char *text) {
    while (*text)
        putchar(*text++);
    return putchar('\n');
}

_Noreturn void exit(int status) {
    for (size_t i = (size_t)(__fini_array_end - __fini_array_start); i-- > 0;)
        __fini_array_start[i]();
    flush();
    for (;;)
        system_call(SYS_EXIT_GROUP, status, 0, 0);
}

/* ---- the start ---- */

typedef struct {
    uint8_t ident[16];
    uint16_t type, machine;
    uint32_t version, entry, headers, sections, flags;
    uint16_t size, header_size, header_count;
} FileHeader;

typedef struct {
    uint32_t type, offset, address, physical, file_size, memory_size, flags, align;
} SegmentHeader;

enum { THREAD_LOCAL = 7 };
extern const FileHeader __ehdr_start __attribute__((visibility("hidden")));
static _Alignas(64) char thread_block[4096];

/* The thread pointer is the address of the first thread-local object (psABI: TLS variant I, no block before it). */
static void start_thread(void) {
    const SegmentHeader *segment = (const void *)((const char *)&__ehdr_start + __ehdr_start.headers);
    for (int i = 0; i < __ehdr_start.header_count; i++)
        if (segment[i].type == THREAD_LOCAL)
            memcpy(thread_block, (const void *)segment[i].address, segment[i].file_size);
    __asm__ volatile("mv tp, %0" : : "r"(thread_block));
}

_Noreturn void runtime_start(const void *stack);
_Noreturn void runtime_start(const void *stack) {
    (void)stack;
    start_thread();
    for (size_t i = 0; i < (size_t)(__init_array_end - __init_array_start); i++)
        __init_array_start[i]();
    exit(main());
}

/* ---- memory ---- */

static _Alignas(16) char arena[16 << 20];
static size_t taken;

void *malloc(size_t size) {
    size_t need = (size + 15) & ~(size_t)15;
    if (need < size || need > sizeof arena - taken)
        return NULL;
    taken += need;
    return arena + taken - need;
}

void free(void *block) { (void)block; }

/* Nothing is given back, so what is handed out is zero still. */
void *calloc(size_t count, size_t size);
void *calloc(size_t count, size_t size) {
    size_t bytes;
    return __builtin_mul_overflow(count, size, &bytes) ? NULL : malloc(bytes);
}

void *memcpy(void *restrict to, const void *restrict from, size_t size) {
    for (size_t i = 0; i < size; i++)
        ((char *)to)[i] = ((const char *)from)[i];
    return to;
}

void *memmove(void *to, const void *from, size_t size) {
    if ((uintptr_t)to - (uintptr_t)from >= size)
        return memcpy(to, from, size);
    while (size-- > 0)
        ((char *)to)[size] = ((const char *)from)[size];
    return to;
}

void *memset(void *to, int byte, size_t size) {
    for (size_t i = 0; i < size; i++)
        ((char *)to)[i] = (char)byte;
    return to;
}

int memcmp(const void *a, const void *b, size_t size) {
    const unsigned char *x = a, *y = b;
    for (size_t i = 0; i < size; i++)
        if (x[i] != y[i])
            return x[i] - y[i];
    return 0;
}

/* The name by which clang calls memcmp where only equality is asked for. */
int bcmp(const void *a, const void *b, size_t size);
int bcmp(const void *a, const void *b, size_t size) { return memcmp(a, b, size); }

size_t strlen(const char *text) {
    size_t size = 0;
    while (text[size])
        size++;
    return size;
}

/* ---- arithmetic on 64 bits, from halves of 32 bits alone ---- */

typedef struct {
    uint32_t low, high;
} Halves;

static Halves halves(uint64_t x) { return (Halves){(uint32_t)x, (uint32_t)(x >> 32)}; }
static uint64_t whole(uint32_t high, uint32_t low) { return (uint64_t)high << 32 | low; }

uint64_t __ashldi3(uint64_t x, int by);
uint64_t __ashldi3(uint64_t x, int by) {
    Halves h = halves(x);
    if (by == 0)
        return x;
    return by >= 32 ? whole(h.low << (by - 32), 0) : whole(h.high << by | h.low >> (32 - by), h.low << by);
}

uint64_t __lshrdi3(uint64_t x, int by);
uint64_t __lshrdi3(uint64_t x, int by) {
    Halves h = halves(x);
    if (by == 0)
        return x;
    return by >= 32 ? whole(0, h.high >> (by - 32)) : whole(h.high >> by, h.high << (32 - by) | h.low >> by);
}

int64_t __ashrdi3(int64_t x, int by);
int64_t __ashrdi3(int64_t x, int by) {
    Halves h = halves((uint64_t)x);
    int32_t high = (int32_t)h.high;
    if (by == 0)
        return x;
    return (int64_t)(by >= 32 ? whole((uint32_t)(high >> 31), (uint32_t)(high >> (by - 32)))
                              : whole((uint32_t)(high >> by), h.high << (32 - by) | h.low >> by));
}

uint64_t __muldi3(uint64_t x, uint64_t y);
uint64_t __muldi3(uint64_t x, uint64_t y) {
    uint32_t a = (uint32_t)x, b = (uint32_t)y, a0 = a & 0xffff, a1 = a >> 16, b0 = b & 0xffff, b1 = b >> 16;
    uint32_t low = a0 * b0, middle = a1 * b0 + (low >> 16), other = (middle & 0xffff) + a0 * b1;
    uint32_t high = a1 * b1 + (middle >> 16) + (other >> 16);
    return whole(high + a * (uint32_t)(y >> 32) + (uint32_t)(x >> 32) * b, (other << 16) | (low & 0xffff));
}

/* Shift and subtract: a bit of the quotient in each round. */
static uint64_t divide(uint64_t x, uint64_t by, uint64_t *rest) {
    uint64_t quotient = 0, left = 0;
    for (int i = 0; i < 64; i++) {
        bool out = left >> 63;
        left = left << 1 | x >> 63;
        x <<= 1;
        quotient <<= 1;
        if (out || left >= by) {
            left -= by;
            quotient |= 1;
        }
    }
    *rest = left;
    return quotient;
}

static uint64_t magnitude(int64_t x) { return x < 0 ? 0 - (uint64_t)x : (uint64_t)x; }
static int64_t with_sign(uint64_t x, bool minus) { return (int64_t)(minus ? 0 - x : x); }

uint64_t __udivdi3(uint64_t x, uint64_t by);
uint64_t __udivdi3(uint64_t x, uint64_t by) {
    uint64_t rest;
    return divide(x, by, &rest);
}

uint64_t __umoddi3(uint64_t x, uint64_t by);
uint64_t __umoddi3(uint64_t x, uint64_t by) {
    uint64_t rest;
    divide(x, by, &rest);
    return rest;
}

int64_t __divdi3(int64_t x, int64_t by);
int64_t __divdi3(int64_t x, int64_t by) {
    uint64_t rest;
    return with_sign(divide(magnitude(x), magnitude(by), &rest), (x < 0) != (by < 0));
}

int64_t __moddi3(int64_t x, int64_t by);
int64_t __moddi3(int64_t x, int64_t by) {
    uint64_t rest;
    divide(magnitude(x), magnitude(by), &rest);
    return with_sign(rest, x < 0);
}

/* ---- atomics of eight bytes: a program has one thread ---- */

#define NAMED(name) __asm__("__atomic_" name)

uint64_t load_8(const uint64_t *cell, int order) NAMED("load_8");
uint64_t load_8(const uint64_t *cell, int order) {
    (void)order;
    return *cell;
}

void store_8(uint64_t *cell, uint64_t value, int order) NAMED("store_8");
void store_8(uint64_t *cell, uint64_t value, int order) {
    (void)order;
    *cell = value;
}

bool compare_exchange_8(uint64_t *cell, uint64_t *seen, uint64_t value, int well, int failed)
    NAMED("compare_exchange_8");
bool compare_exchange_8(uint64_t *cell, uint64_t *seen, uint64_t value, int well, int failed) {
    (void)well, (void)failed;
    uint64_t old = *cell;
    if (old != *seen) {
        *seen = old;
        return false;
    }
    *cell = value;
    return true;
}

#define CHANGE(name, result)                                                                                          \
    uint64_t name##_8(uint64_t *cell, uint64_t value, int order) NAMED(#name "_8");                                   \
    uint64_t name##_8(uint64_t *cell, uint64_t value, int order) {                                                    \
        (void)order;                                                                                                  \
        uint64_t old = *cell;                                                                                         \
        *cell = (result);                                                                                             \
        return old;                                                                                                   \
    }

CHANGE(exchange, value)
CHANGE(fetch_add, old + value)
CHANGE(fetch_sub, old - value)
CHANGE(fetch_and, old & value)
CHANGE(fetch_or, old | value)
CHANGE(fetch_xor, old ^ value)
CHANGE(fetch_nand, ~(old & value))

/* The same of any size: for objects that a caller does not know to be aligned. */

void load_any(size_t size, const void *cell, void *to, int order) NAMED("load");
void load_any(size_t size, const void *cell, void *to, int order) {
    (void)order;
    memcpy(to, cell, size);
}

void store_any(size_t size, void *cell, const void *from, int order) NAMED("store");
void store_any(size_t size, void *cell, const void *from, int order) {
    (void)order;
    memcpy(cell, from, size);
}

void exchange_any(size_t size, void *cell, const void *from, void *old, int order) NAMED("exchange");
void exchange_any(size_t size, void *cell, const void *from, void *old, int order) {
    (void)order;
    memcpy(old, cell, size);
    memcpy(cell, from, size);
}

bool compare_exchange_any(size_t size, void *cell, void *seen, const void *from, int well, int failed)
    NAMED("compare_exchange");
bool compare_exchange_any(size_t size, void *cell, void *seen, const void *from, int well, int failed) {
    (void)well, (void)failed;
    bool same = memcmp(cell, seen, size) == 0;
    memcpy(same ? cell : seen, same ? from : cell, size);
    return same;
}
