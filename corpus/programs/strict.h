/* Arithmetic that sees the environment of floating point, on numbers of each size at the edges of their range. */
#ifndef STRICT_H
#define STRICT_H

#include "quad.h"

/* Rounding modes, and the flags of exceptions: each is a bit, whatever its place on the machine. */
enum { NEAREST, TO_ZERO, DOWN, UP };
enum { INEXACT = 1, UNDERFLOW = 2, OVERFLOW = 4, DIVISION_BY_ZERO = 8, INVALID = 16 };

#pragma STDC FENV_ACCESS ON

#define ARITHMETIC(type, name)                                                                                         \
    static NOINLINE type name##_sum(type a, type b) { return a + b; }                                                  \
    static NOINLINE type name##_difference(type a, type b) { return a - b; }                                           \
    static NOINLINE type name##_product(type a, type b) { return a * b; }                                              \
    static NOINLINE type name##_quotient(type a, type b) { return a / b; }                                             \
    static NOINLINE type name##_chain(type a, type b, type c) { return a / c + b * c - a; }

ARITHMETIC(float, single)
ARITHMETIC(double, twice)
ARITHMETIC(Quad, quad)

#pragma STDC FENV_ACCESS OFF

/* Bits of numbers of each size, as far as possible from each other. One is the least normal number. */
enum { LEAST = 4 };
static const uint32_t singles[] = {
    0, 0x80000000, 1, 0x007fffff, 0x00800000, 0x3f800000, 0xbf800001, 0x33800000, 0x40490fdb, 0x4b000001, 0xcb7fffff,
    0x7f7fffff, 0xff7fffff, 0x7f800000, 0x1f800000, 0x60000001,
};
static const uint64_t doubles[] = {
    0, 0x8000000000000000, 1, 0x000fffffffffffff, 0x0010000000000000, 0x3ff0000000000000, 0xbff0000000000001,
    0x3ca0000000000000, 0x400921fb54442d18, 0x4330000000000001, 0xc33fffffffffffff, 0x7fefffffffffffff,
    0xffefffffffffffff, 0x7ff0000000000000, 0x1ff0000000000000, 0x6000000000000001,
};
static const QuadBits quads[] = {
    {0, 0}, {0, 0x8000000000000000}, {1, 0}, {-1, 0x0000ffffffffffff}, {0, 0x0001000000000000},
    {0, 0x3fff000000000000}, {1, 0xbfff000000000000}, {0, 0x3f8e000000000000}, {0x8469898cc51701b8, 0x4000921fb54442d1},
    {1, 0x406f000000000000}, {-1, 0xc06fffffffffffff}, {-1, 0x7ffeffffffffffff}, {-1, 0xfffeffffffffffff},
    {0, 0x7fff000000000000}, {0, 0x1fff000000000000}, {1, 0x6000000000000000},
};

static inline float single_of(size_t i) {
    float value;
    memcpy(&value, &singles[i], sizeof value);
    return value;
}

static inline double double_of(size_t i) {
    double value;
    memcpy(&value, &doubles[i], sizeof value);
    return value;
}

static inline Quad quad_of(size_t i) {
    Quad value;
    memcpy(&value, &quads[i], sizeof value);
    return value;
}

/* Whether it is the least normal number, whatever the sign. */
static inline bool is_least(QuadBits number, QuadBits least) {
    uint64_t low = least.high ? 0 : least.low >> 32 ? 1ull << 63 : 1ull << 31, high = least.high ? 1ull << 63 : 0;
    return (number.low & ~low) == least.low && (number.high & ~high) == least.high;
}

/* A sum over results, which are never the same number in another form. */
typedef struct {
    uint64_t results, flags;
} Fold;

static inline void fold(Fold *all, QuadBits result, unsigned flags) {
    all->results = (all->results * 31 + result.low) * 31 + result.high;
    all->flags = all->flags * 31 + flags;
}

static inline QuadBits of_single(float value) {
    QuadBits bits = {0x7fc00000, 0};
    if (value == value) {
        bits.low = 0;
        memcpy(&bits.low, &value, sizeof value);
    }
    return bits;
}

static inline QuadBits of_double(double value) {
    QuadBits bits = {0x7ff8000000000000, 0};
    if (value == value)
        memcpy(&bits.low, &value, sizeof value);
    return bits;
}

#endif
