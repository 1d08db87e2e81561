/* memcpy, memmove and memset of constant and of computed sizes, at all alignments, with guards on both sides. */
#include "platform.h"

static _Alignas(16) uint8_t source[160], target[160];

static void prepare(void) {
    for (unsigned i = 0; i < sizeof source; i++) {
        source[i] = (uint8_t)(i * 13 + 1);
        target[i] = 0xee;
    }
}

static uint32_t digest(const uint8_t *bytes) {
    uint32_t hash = 2166136261u;
    for (unsigned i = 0; i < sizeof target; i++)
        hash = (hash ^ bytes[i]) * 16777619u;
    return hash;
}

#define CONSTANT(n)                                                                                                  \
    NOINLINE static void copy##n(void *to, const void *from) { memcpy(to, from, n); }                                \
    NOINLINE static void move##n(void *to, const void *from) { memmove(to, from, n); }                               \
    NOINLINE static void zero##n(void *to) { memset(to, 0, (n)); }                                                     \
    NOINLINE static void set##n(void *to, int byte) { memset(to, byte, (n)); }                                         \
    static uint32_t all##n(unsigned a, unsigned b) {                                                                 \
        prepare();                                                                                                   \
        copy##n(target + 1 + a, source + b);                                                                         \
        uint32_t sum = digest(target);                                                                               \
        move##n(target + 4 + b, target + 1 + a);                                                                     \
        sum = sum * 31 + digest(target);                                                                             \
        move##n(target + 1 + a, target + 2 + b);                                                                     \
        sum = sum * 31 + digest(target);                                                                             \
        zero##n(target + 3 + a);                                                                                     \
        sum = sum * 31 + digest(target);                                                                             \
        set##n(target + 5 + b, (int)(a * 17 + b));                                                                   \
        return sum * 31 + digest(target);                                                                            \
    }

CONSTANT(0) CONSTANT(1) CONSTANT(2) CONSTANT(3) CONSTANT(4) CONSTANT(5) CONSTANT(7) CONSTANT(8) CONSTANT(9)
CONSTANT(12) CONSTANT(15) CONSTANT(16) CONSTANT(17) CONSTANT(24) CONSTANT(31) CONSTANT(32) CONSTANT(33) CONSTANT(63)
CONSTANT(64) CONSTANT(65) CONSTANT(100) CONSTANT(128)

/* Alignments that the compiler knows. */
typedef struct {
    uint64_t words[5];
} Aligned8;
typedef struct {
    uint16_t halves[9];
} Aligned2;
typedef struct __attribute__((packed)) {
    uint8_t tag;
    uint32_t word;
    uint64_t wide;
    uint16_t half;
} Packed;

NOINLINE static void assign8(Aligned8 *to, const Aligned8 *from) { *to = *from; }
NOINLINE static void assign2(Aligned2 *to, const Aligned2 *from) { *to = *from; }
NOINLINE static void assign_packed(Packed *to, const Packed *from) { *to = *from; }
NOINLINE static void clear8(Aligned8 *to) { *to = (Aligned8){0}; }
NOINLINE static uint64_t fields(const Packed *packed) { return packed->word + packed->wide * 3 + packed->half; }

NOINLINE static uint32_t computed(unsigned to, unsigned from, size_t size) {
    prepare();
    memcpy(target + to, source + from, size);
    uint32_t sum = digest(target);
    memmove(target + from, target + to, size);
    sum = sum * 31 + digest(target);
    memset(target + to, (int)size, size / 2);
    return sum * 31 + digest(target) + (uint32_t)(memcmp(target, source, size) > 0);
}

NOINLINE static uint64_t unaligned(const uint8_t *at) {
    uint64_t wide;
    uint32_t word;
    uint16_t half;
    memcpy(&wide, at, sizeof wide);
    memcpy(&word, at + 3, sizeof word);
    memcpy(&half, at + 5, sizeof half);
    return wide ^ (uint64_t)word << 16 ^ half;
}

int main(void) {
    uint32_t (*const all[])(unsigned, unsigned) = {all0,  all1,  all2,  all3,  all4,  all5,  all7,  all8,
                                                   all9,  all12, all15, all16, all17, all24, all31, all32,
                                                   all33, all63, all64, all65, all100, all128};
    for (size_t i = 0; i < LENGTH(all); i++) {
        uint32_t sum = 0;
        for (unsigned a = 0; a < 9; a++)
            for (unsigned b = 0; b < 9; b++)
                sum = sum * 33 + all[i](a, b);
        put_hex(sum, 8);
        putchar(i % 8 == 7 ? '\n' : ' ');
    }
    putchar('\n');
    uint32_t sum = 0;
    for (size_t size = 0; size < 100; size += 1 + size / 8)
        for (unsigned at = 0; at < 8; at++)
            sum = sum * 33 + computed(at, at * 3 % 7, size);
    say_hex("computed", sum);
    prepare();
    assign8((Aligned8 *)target, (const Aligned8 *)(source + 8));
    assign2((Aligned2 *)(target + 50), (const Aligned2 *)(source + 2));
    assign_packed((Packed *)(target + 77), (const Packed *)(source + 5));
    say_hex("assigned", digest(target));
    say_hex("fields", fields((const Packed *)(target + 77)));
    clear8((Aligned8 *)(target + 16));
    say_hex("cleared", digest(target));
    uint64_t mixed = 0;
    for (unsigned at = 0; at < 16; at++)
        mixed = mixed * 5 + unaligned(source + at);
    say_hex("unaligned", mixed);
    return 0;
}
