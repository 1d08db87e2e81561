/* Stack pointers that move: arrays of variable length in loops, alloca between calls that pass arguments on the stack,
   and over-aligned objects, all of them in recursion too. Functions with many arguments have external linkage: so they
   have C's calling convention, which passes the last ones on the stack. */
#include "platform.h"

NOINLINE unsigned mix(int a, int64_t b, int c, int64_t d, int e, int64_t f, int g, int64_t h, int i, int64_t j,
                      const uint8_t *bytes, size_t size) {
    uint64_t total = (uint64_t)(a + b * 3 + c * 5 + d * 7 + e * 11 + f * 13 + g * 17 + h * 19 + i * 23 + j * 29);
    for (size_t k = 0; k < size; k++)
        total = total * 31 + bytes[k];
    return (unsigned)(total ^ total >> 32);
}

/* A new array each time round: the stack must not grow with the number of rounds. */
NOINLINE static unsigned rounds(int count) {
    unsigned total = 1;
    uintptr_t lowest = UINTPTR_MAX, highest = 0;
    for (int n = 1; n <= count; n++) {
        uint8_t bytes[n % 100 + 1];
        for (int i = 0; i <= n % 100; i++)
            bytes[i] = (uint8_t)(total + (unsigned)i);
        total = total * 7 + mix(n, -n, n + 1, n * 2, n, n, n, 8, 9, 10, bytes, sizeof bytes);
        uintptr_t place = (uintptr_t)bytes;
        lowest = place < lowest ? place : lowest;
        highest = place > highest ? place : highest;
    }
    say("within a page", highest - lowest < 4096);
    return total;
}

/* A block that leaves its array by `break` and by `continue`. */
NOINLINE static unsigned leaves(int limit) {
    unsigned total = 0;
    for (int n = 1;; n++) {
        unsigned numbers[n];
        numbers[n - 1] = total;
        if (n % 3 == 0)
            continue;
        for (int i = 0; i < n; i++)
            numbers[i] = (unsigned)(n * i);
        total += numbers[n / 2] + (unsigned)sizeof numbers;
        if (n > limit)
            break;
    }
    return total;
}

/* The block lives until the function returns, through calls that store their arguments below it. */
NOINLINE static unsigned down(int depth, const uint8_t *above, size_t size) {
    if (depth == 0)
        return mix(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, above, size);
    uint8_t *mine = __builtin_alloca((size_t)depth + 3);
    for (int i = 0; i < depth + 3; i++)
        mine[i] = (uint8_t)(i * depth + above[0]);
    unsigned below = down(depth - 1, mine, (size_t)depth + 3);
    return below + mix(depth, 2, depth, 4, 5, depth, 7, 8, 9, below, mine, (size_t)depth + 3);
}

NOINLINE static unsigned misaligned(const void *pointer, unsigned align) {
    return (unsigned)((uintptr_t)pointer % align);
}

NOINLINE static unsigned fixed(unsigned seed) {
    _Alignas(64) unsigned a[3] = {seed, seed + 1, seed + 2};
    _Alignas(4096) uint8_t b[2] = {7, 9};
    char before[5] = "four";
    return misaligned(a, 64) + misaligned(b, 4096) + a[seed % 3] * b[seed % 2] + (unsigned)before[seed % 4];
}

NOINLINE unsigned both(int n, int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f, int64_t g,
                       int64_t h, int64_t stacked) {
    _Alignas(64) uint8_t first[70];
    unsigned numbers[n];
    _Alignas(256) uint8_t second[1];
    for (int i = 0; i < 70; i++)
        first[i] = (uint8_t)(i + n);
    for (int i = 0; i < n; i++)
        numbers[i] = (unsigned)i * 3;
    second[0] = (uint8_t)stacked;
    unsigned total = misaligned(first, 64) * 1000 + misaligned(second, 256) * 1000 + misaligned(numbers, 4) * 1000;
    total += mix(n, a, 1, b, 2, c, 3, d, 4, stacked, first, sizeof first) + numbers[n - 1] + second[0];
    if (n > 1)
        total = total * 3 + both(n - 1, b, c, d, e, f, g, h, a, stacked + 1);
    return total + first[n] + numbers[n / 2];
}

/* A block with an alignment of its own, and arguments that are read after it. */
NOINLINE unsigned strict(int n, int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f, int64_t g,
                         int64_t h, int64_t stacked) {
    uint8_t *block = __builtin_alloca_with_align((size_t)n, 128 * CHAR_BIT);
    memset(block, n, (size_t)n);
    return misaligned(block, 128) * 1000 + block[n - 1] + (unsigned)(a + b + c + d + e + f + g + h * stacked);
}

/* A frame beyond every immediate, with an array below it. */
NOINLINE static unsigned far(int n, unsigned seed) {
    uint8_t near[16], wide[40000], aligned[5000] __attribute__((aligned(32)));
    uint8_t variable[n];
    for (unsigned i = 0; i < sizeof wide; i += 999)
        wide[i] = (uint8_t)(seed + i);
    memset(near, 3, sizeof near);
    memset(aligned, 4, sizeof aligned);
    memset(variable, 5, (size_t)n);
    unsigned total = mix(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, variable, (size_t)n) + misaligned(aligned, 32);
    return total + wide[999 * (seed % 40)] + near[seed % 16] + aligned[seed * 100] + variable[n - 1];
}

int main(void) {
    uint8_t start[1] = {42};
    say_hex("rounds", rounds(3000));
    say_hex("leaves", leaves(40));
    say_hex("down", down(40, start, 1));
    for (unsigned seed = 0; seed < 4; seed++)
        say_hex("fixed", fixed(seed));
    say_hex("both", both(12, 1, 2, 3, 4, 5, 6, 7, 8, 9));
    say_hex("strict", strict(200, 1, 2, 3, 4, 5, 6, 7, 8, 9));
    say_hex("far", far(300, 11));
    return 0;
}
