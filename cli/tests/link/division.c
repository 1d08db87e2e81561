/* Compiled by clang to MIR and by tribunal to an object: arithmetic that takes the runtime library. */
#include "wide.h"

wide product(wide a, wide b) { return a * b; }
wide quotient(wide a, wide b) { return a / b; }
wide rest(wide a, wide b) { return a % b; }
signed_wide signed_quotient(signed_wide a, signed_wide b) { return a / b; }
signed_wide signed_rest(signed_wide a, signed_wide b) { return a % b; }

unsigned long digits(unsigned long n, unsigned base) {
    unsigned long count = 0;
    do {
        count++;
        n /= base;
    } while (n);
    return count;
}

/* Everything is needed behind every call. */
wide power(wide base, unsigned long exponent, wide modulus) {
    wide result = 1;
    for (; exponent; exponent >>= 1) {
        if (exponent & 1)
            result = result * base % modulus;
        base = base * base % modulus;
    }
    return result;
}
