/* Numbers of 128 bits, which the machines call `long double`, but for those whose `long double` is another format. */
#ifndef QUAD_H
#define QUAD_H

#include "bits.h"

#if defined __x86_64__
typedef __float128 Quad;
#define Q(number) number##Q
#else
typedef long double Quad;
#define Q(number) number##L
#endif

/* As the machines have them: the low half first. */
typedef struct {
    uint64_t low, high;
} QuadBits;

/* Numbers that are none have many forms: one is taken. */
static inline QuadBits bits_of_quad(Quad value) {
    QuadBits bits = {0, 0x7fff800000000000};
    if (value == value)
        memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline void show_quad(const char *name, Quad value) {
    QuadBits bits = bits_of_quad(value);
    put_text(name);
    put_text(": ");
    put_hex(bits.high, 16);
    put_hex(bits.low, 16);
    putchar('\n');
}

#endif
