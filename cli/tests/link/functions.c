/* Compiled by clang to MIR and by tribunal to an object: what main.c calls. */
#include "wide.h"

unsigned long crc(const unsigned char *data, unsigned long n) {
    unsigned int crc = 0xffffffffu;
    for (unsigned long i = 0; i < n; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (0xedb88320u & -(crc & 1));
    }
    return ~crc;
}

long collatz(long n) {
    long steps = 0;
    while (n != 1 && steps < 1000) {
        n = n % 2 ? 3 * n + 1 : n / 2;
        steps++;
    }
    return steps;
}

int sorted_median(short *values, int n) {
    int scratch[16];
    n &= 15;
    for (int i = 0; i < n; i++)
        scratch[i] = values[i];
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && scratch[j - 1] > scratch[j]; j--) {
            int swap = scratch[j];
            scratch[j] = scratch[j - 1];
            scratch[j - 1] = swap;
        }
    return n ? scratch[n / 2] : 0;
}


wide square(unsigned long a) { return (wide)a * a; }
