/* The runtime of a program on RISC-V Linux, where Debian has no C library: on riscv32, and on riscv64 without registers
   of floating point. System calls, thread-local storage, constructors, memory, and atomics of eight bytes. The
   arithmetic that a compiler calls is libgcc's. Invariant: nothing here calls itself by a loop that the compiler
   recognises, so it is compiled with -fno-builtin. */
#include "../platform.h"

int main(int count, char **words);
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

long write(int file, const void *bytes, size_t size);
long write(int file, const void *bytes, size_t size) {
    return system_call(SYS_WRITE, file, (long)bytes, (long)size);
}

static void flush(void) {
    for (size_t done = 0; done < waiting;) {
        long written = write(1, output + done, waiting - done);
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
    uint32_t version;
    uintptr_t entry, headers, sections;
    uint32_t flags;
    uint16_t size, header_size, header_count;
} FileHeader;

#if __riscv_xlen == 32
typedef struct {
    uint32_t type, offset, address, physical, file_size, memory_size, flags, align;
} SegmentHeader;
#else
typedef struct {
    uint32_t type, flags;
    uint64_t offset, address, physical, file_size, memory_size, align;
} SegmentHeader;
#endif

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
    exit(main(0, NULL));
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
