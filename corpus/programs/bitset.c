/* Sets of bits: a sieve, population counts, scans, set algebra, Gray codes, permutations of bits. */
#include "platform.h"

enum { SIZE = 10000, WORDS = (SIZE + 31) / 32 };

typedef struct {
    uint32_t word[WORDS];
} Set;

static bool has(const Set *set, unsigned i) { return set->word[i / 32] >> (i % 32) & 1; }
static void include(Set *set, unsigned i) { set->word[i / 32] |= UINT32_C(1) << (i % 32); }
static void exclude(Set *set, unsigned i) { set->word[i / 32] &= ~(UINT32_C(1) << (i % 32)); }

static unsigned count(const Set *set) {
    unsigned total = 0;
    for (int i = 0; i < WORDS; i++)
        total += (unsigned)__builtin_popcount(set->word[i]);
    return total;
}

static int next(const Set *set, unsigned from) {
    for (unsigned i = from / 32; i < WORDS; i++) {
        uint32_t word = set->word[i];
        if (i == from / 32)
            word &= ~UINT32_C(0) << (from % 32);
        if (word)
            return (int)(i * 32 + (unsigned)__builtin_ctz(word));
    }
    return -1;
}

static Set combined(const Set *a, const Set *b, int how) {
    Set set;
    for (int i = 0; i < WORDS; i++)
        set.word[i] = how == 0   ? a->word[i] & b->word[i]
                      : how == 1 ? a->word[i] | b->word[i]
                                 : a->word[i] & ~b->word[i];
    return set;
}

NOINLINE static uint64_t reversed(uint64_t x) {
    for (int by = 1; by < 64; by *= 2) {
        uint64_t mask = ~UINT64_C(0) / ((UINT64_C(1) << by) + 1);
        x = (x >> by & mask) | (x & mask) << by;
    }
    return x;
}

NOINLINE static uint32_t gathered(uint32_t x, uint32_t mask) {
    uint32_t result = 0;
    for (uint32_t bit = 1; mask; mask &= mask - 1, bit <<= 1)
        if (x & mask & -mask)
            result |= bit;
    return result;
}

NOINLINE static uint32_t next_subset(uint32_t x) {
    uint32_t least = x & -x, ripple = x + least;
    return ripple | ((x ^ ripple) >> 2) / least;
}

NOINLINE static uint64_t interleaved(uint32_t x, uint32_t y) {
    uint64_t result = 0;
    for (int i = 0; i < 32; i++)
        result |= (uint64_t)(x >> i & 1) << (2 * i) | (uint64_t)(y >> i & 1) << (2 * i + 1);
    return result;
}

NOINLINE static uint64_t swapped(uint64_t x) {
    return __builtin_bswap64(x) ^ __builtin_bswap32((uint32_t)x) ^ __builtin_bswap16((uint16_t)x);
}
NOINLINE static uint32_t rotated(uint32_t x, unsigned by) { return x << (by & 31) | x >> (-by & 31); }
NOINLINE static int leading(uint64_t x) { return x ? __builtin_clzll(x) : 64; }
NOINLINE static int parity(uint64_t x) { return __builtin_parityll(x); }

int main(void) {
    static Set primes, even, none;
    for (unsigned i = 2; i < SIZE; i++)
        include(&primes, i);
    for (unsigned i = 2; i * i < SIZE; i++)
        for (unsigned j = i * i; has(&primes, i) && j < SIZE; j += i)
            exclude(&primes, j);
    for (unsigned i = 0; i < SIZE; i += 2)
        include(&even, i);
    say("primes", count(&primes));
    Set both = combined(&primes, &even, 0), either = combined(&primes, &even, 1), less = combined(&primes, &both, 2);
    say("both", count(&both));
    say("either", count(&either));
    say("first", next(&less, 0));
    say("after 9000", next(&less, 9000));
    say("none", next(&none, 5));
    int widest = 0, last = 2;
    for (int at = 3; at >= 0; at = next(&primes, (unsigned)at + 1)) {
        widest = at - last > widest ? at - last : widest;
        last = at;
    }
    say("widest", widest);
    say_hex("reversed", reversed(0x0123456789abcdef));
    say_hex("gathered", gathered(0xdeadbeef, 0x0ff0f00f));
    uint32_t subset = 0x1f, sum = 0;
    for (int i = 0; i < 100; i++, subset = next_subset(subset))
        sum = sum * 7 + subset;
    say_hex("subsets", sum);
    say_hex("interleaved", interleaved(0xffff0000, 0x12345678));
    say_hex("swapped", swapped(0x0102030405060708));
    uint64_t mixed = 0;
    for (unsigned i = 0; i < 70; i++) {
        uint64_t x = UINT64_C(0x9e3779b97f4a7c15) >> (i % 64);
        mixed = mixed * 5 + rotated((uint32_t)x, i) + (uint64_t)leading(x >> i % 40) * 3 + (uint64_t)parity(x);
    }
    say_hex("mixed", mixed);
    return 0;
}
