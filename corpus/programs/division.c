/* Division and remainder: every sign, every width, by constants of all kinds and by variables, at the edges. */
#include "platform.h"

static const int64_t edges[] = {0,  1,  -1, 2,   -2,  3,         7,         -7,        10,         100,        127,
    -128,
                                255, 256, 1000, 32767, -32768, 65535, INT32_MAX, INT32_MIN, UINT32_MAX, INT64_MAX,
                                INT64_MIN, INT64_C(0x123456789abcdef), INT64_C(-987654321987654321)};

static uint64_t hash = 14695981039346656037u;

static void mix(uint64_t value) {
    for (int i = 0; i < 8; i++)
        hash = (hash ^ (value >> (8 * i) & 255)) * 1099511628211u;
}

#define BY_CONSTANT(d)                                                                                               \
    NOINLINE static void by_##d(int64_t x) {                                                                         \
        mix((uint64_t)(x / d)), mix((uint64_t)(x % d)), mix((uint64_t)(x / -d)), mix((uint64_t)(x % -d));            \
        mix((uint64_t)x / d##u), mix((uint64_t)x % d##u);                                                            \
        int32_t word = (int32_t)x;                                                                                   \
        mix((uint64_t)(word / d)), mix((uint64_t)(word % d)), mix((uint32_t)x / d##u), mix((uint32_t)x % d##u);      \
        int16_t half = (int16_t)x;                                                                                   \
        mix((uint64_t)(half / d)), mix((uint64_t)(half % d)), mix((uint16_t)x / d##u), mix((uint16_t)x % d##u);      \
        int8_t byte = (int8_t)x;                                                                                     \
        mix((uint64_t)(byte / d)), mix((uint64_t)(byte % d)), mix((uint8_t)x / d##u), mix((uint8_t)x % d##u);        \
    }

BY_CONSTANT(2) BY_CONSTANT(3) BY_CONSTANT(5) BY_CONSTANT(6) BY_CONSTANT(7) BY_CONSTANT(8) BY_CONSTANT(9)
BY_CONSTANT(10) BY_CONSTANT(11) BY_CONSTANT(25) BY_CONSTANT(64) BY_CONSTANT(100) BY_CONSTANT(125) BY_CONSTANT(641)
BY_CONSTANT(1000) BY_CONSTANT(4096) BY_CONSTANT(65535) BY_CONSTANT(1000000007) BY_CONSTANT(2147483647)

static void (*const constants[])(int64_t) = {by_2,  by_3,  by_5,   by_6,   by_7,   by_8,    by_9,    by_10,    by_11,
                                             by_25, by_64, by_100, by_125, by_641, by_1000, by_4096, by_65535,
                                             by_1000000007, by_2147483647};

NOINLINE static int64_t quotient64(int64_t a, int64_t b) { return a / b; }
NOINLINE static int64_t rest64(int64_t a, int64_t b) { return a % b; }
NOINLINE static uint64_t unsigned_quotient64(uint64_t a, uint64_t b) { return a / b; }
NOINLINE static uint64_t unsigned_rest64(uint64_t a, uint64_t b) { return a % b; }
NOINLINE static int32_t quotient32(int32_t a, int32_t b) { return a / b; }
NOINLINE static int32_t rest32(int32_t a, int32_t b) { return a % b; }
NOINLINE static uint32_t unsigned_quotient32(uint32_t a, uint32_t b) { return a / b; }
NOINLINE static uint32_t unsigned_rest32(uint32_t a, uint32_t b) { return a % b; }
NOINLINE static int16_t quotient16(int16_t a, int16_t b) { return (int16_t)(a / b); }
NOINLINE static uint8_t unsigned_rest8(uint8_t a, uint8_t b) { return a % b; }

typedef struct {
    int64_t quotient, rest;
} Both;

/* Rounds down instead of towards zero. */
NOINLINE static Both floored(int64_t a, int64_t b) {
    Both both = {a / b, a % b};
    if (both.rest != 0 && (both.rest < 0) != (b < 0)) {
        both.quotient--;
        both.rest += b;
    }
    return both;
}

static void pair(int64_t a, int64_t b) {
    mix(unsigned_quotient64((uint64_t)a, (uint64_t)b));
    mix(unsigned_rest64((uint64_t)a, (uint64_t)b));
    if (a != INT64_MIN || b != -1) {
        mix((uint64_t)quotient64(a, b));
        mix((uint64_t)rest64(a, b));
        Both both = floored(a, b);
        mix((uint64_t)both.quotient ^ (uint64_t)both.rest << 1);
    }
    int32_t c = (int32_t)a, d = (int32_t)b;
    if (d != 0) {
        mix(unsigned_quotient32((uint32_t)c, (uint32_t)d));
        mix(unsigned_rest32((uint32_t)c, (uint32_t)d));
        if (c != INT32_MIN || d != -1) {
            mix((uint64_t)quotient32(c, d));
            mix((uint64_t)rest32(c, d));
        }
    }
    if ((int16_t)b != 0)
        mix((uint64_t)quotient16((int16_t)a, (int16_t)b));
    if ((uint8_t)b != 0)
        mix(unsigned_rest8((uint8_t)a, (uint8_t)b));
}

static int64_t any(uint32_t *seed) {
    uint64_t high = next_random(seed);
    return (int64_t)(high << 32 | next_random(seed));
}

int main(void) {
    for (size_t i = 0; i < LENGTH(constants); i++) {
        for (size_t j = 0; j < LENGTH(edges); j++)
            for (int64_t near = -3; near <= 3; near++)
                constants[i]((int64_t)((uint64_t)edges[j] + (uint64_t)near));
        put_hex(hash, 16);
        putchar(i % 4 == 3 ? '\n' : ' ');
    }
    putchar('\n');
    for (size_t i = 0; i < LENGTH(edges); i++)
        for (size_t j = 1; j < LENGTH(edges); j++)
            pair(edges[i], edges[j]);
    say_hex("pairs", hash);
    uint32_t seed = 99;
    for (int i = 0; i < 2000; i++) {
        int64_t a = any(&seed), b = any(&seed);
        b >>= next_random(&seed) % 63;
        if (b != 0)
            pair(a, b);
    }
    say_hex("random", hash);
    say("floored", floored(-7, 2).quotient * 10 + floored(-7, 2).rest);
    return 0;
}
