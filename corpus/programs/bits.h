/* Numbers of floating point as their bits, which are the same on every machine: products and sums are rounded apart. */
#ifndef BITS_H
#define BITS_H

#include "platform.h"

#pragma STDC FP_CONTRACT OFF

static inline uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline uint32_t bits_of_float(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* "name: bits" and the end of the line. Numbers that are none have many forms: one is printed. */
static inline void show(const char *name, double value) {
    say_hex(name, value == value ? bits_of(value) : 0x7ff8000000000000);
}

static inline void show_float(const char *name, float value) {
    say_hex(name, value == value ? bits_of_float(value) : 0x7fc00000);
}

#endif
