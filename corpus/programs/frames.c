/* Frames of every kind: arrays of variable length, alloca, over-aligned locals, very large ones, and all at once. */
#include "platform.h"

NOINLINE static void fill(uint8_t *bytes, size_t size, unsigned seed) {
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(seed += 7);
}

NOINLINE static unsigned sum(const uint8_t *bytes, size_t size) {
    unsigned total = 0;
    for (size_t i = 0; i < size; i++)
        total = total * 3 + bytes[i];
    return total;
}

NOINLINE static unsigned variable(int n) {
    int numbers[n];
    for (int i = 0; i < n; i++)
        numbers[i] = i * i;
    unsigned total = 0;
    for (int i = n - 1; i >= 0; i--)
        total = total * 5 + (unsigned)numbers[i];
    return total;
}

NOINLINE static unsigned table(int rows, int columns) {
    short cell[rows][columns];
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++)
            cell[r][c] = (short)(r * 100 + c);
    unsigned total = (unsigned)sizeof cell;
    for (int c = 0; c < columns; c++)
        total = total * 7 + (unsigned)cell[(c * 3) % rows][c];
    return total;
}

NOINLINE static unsigned stacked(unsigned rounds) {
    struct Link {
        struct Link *next;
        unsigned value;
    } *list = NULL;
    for (unsigned i = 0; i < rounds; i++) {
        struct Link *link = __builtin_alloca(sizeof *link + i);
        link->next = list;
        link->value = i;
        list = link;
    }
    unsigned total = 0;
    for (; list; list = list->next)
        total = total * 3 + list->value;
    return total;
}

NOINLINE static unsigned aligned(unsigned seed) {
    _Alignas(32) uint8_t a[5];
    _Alignas(128) uint8_t b[130];
    _Alignas(1024) uint8_t c[1];
    uint8_t plain[3];
    fill(a, sizeof a, seed);
    fill(b, sizeof b, seed + 1);
    fill(c, sizeof c, seed + 2);
    fill(plain, sizeof plain, seed + 3);
    unsigned wrong = (unsigned)((uintptr_t)a % 32 + (uintptr_t)b % 128 + (uintptr_t)c % 1024);
    return wrong * 1000003 + sum(a, sizeof a) + sum(b, sizeof b) + sum(c, 1) + sum(plain, sizeof plain);
}

NOINLINE static unsigned large(unsigned seed) {
    uint8_t near[100], far[70000], between[4096];
    fill(near, sizeof near, seed);
    fill(far, sizeof far, seed + 1);
    fill(between, sizeof between, seed + 2);
    far[69999] = 1;
    far[2047] = 2;
    far[4096] = 3;
    return sum(far, sizeof far) ^ sum(near, sizeof near) ^ sum(between, sizeof between) ^ far[seed * 11];
}

NOINLINE static unsigned everything(int n, unsigned seed) {
    _Alignas(64) uint8_t fixed[3000];
    uint8_t variable[n];
    fill(fixed, sizeof fixed, seed);
    fill(variable, (size_t)n, seed);
    uint8_t *more = __builtin_alloca((size_t)n * 3);
    fill(more, (size_t)n * 3, seed);
    unsigned total = sum(fixed, sizeof fixed) + sum(variable, (size_t)n) + sum(more, (size_t)n * 3);
    total += (unsigned)((uintptr_t)fixed % 64) * 77777;
    return n > 1 ? total ^ everything(n - 1, seed + 1) : total;
}

/* More arguments than registers, with a large frame below them. */
NOINLINE static int64_t many(int a, int64_t b, short c, int64_t d, char e, int64_t f, int g, int64_t h, int i,
        int64_t j,
                             signed char k, int64_t l) {
    uint8_t frame[5000];
    fill(frame, sizeof frame, (unsigned)a);
    int64_t total = a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + g * 7 + h * 8 + i * 9 + j * 10 + k * 11 + l * 12;
    return total + sum(frame, 8);
}

int main(void) {
    for (int n = 1; n < 200; n += 37)
        say_hex("variable", variable(n));
    say_hex("table", table(7, 13));
    say_hex("table", table(1, 1));
    say_hex("stacked", stacked(50));
    say_hex("aligned", aligned(3));
    for (unsigned seed = 1; seed < 4; seed++)
        say_hex("large", large(seed));
    say_hex("everything", everything(20, 9));
    say("many", many(1, -2, 3, INT64_C(1) << 40, 'e', -6, 7, 8, -9, 10, -11, 12));
    return 0;
}
