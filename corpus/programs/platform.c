/* The text of numbers, over `putchar` alone. */
#include "platform.h"

void put_text(const char *text) {
    while (*text)
        putchar((unsigned char)*text++);
}

void put_unsigned(uint64_t value) {
    char digits[20];
    int count = 0;
    do
        digits[count++] = (char)('0' + value % 10);
    while ((value /= 10) != 0);
    while (count > 0)
        putchar(digits[--count]);
}

void put_signed(int64_t value) {
    if (value < 0)
        putchar('-');
    put_unsigned(value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void put_hex(uint64_t value, int digits) {
    int shift = 60;
    while (shift > 0 && shift / 4 >= digits && (value >> shift) == 0)
        shift -= 4;
    for (; shift >= 0; shift -= 4)
        putchar("0123456789abcdef"[value >> shift & 15]);
}

void put_bytes(const void *bytes, size_t size) {
    const unsigned char *next = bytes;
    while (size-- > 0)
        put_hex(*next++, 2);
}

void say(const char *name, int64_t value) {
    put_text(name);
    put_text(": ");
    put_signed(value);
    putchar('\n');
}

void say_hex(const char *name, uint64_t value) {
    put_text(name);
    put_text(": ");
    put_hex(value, 1);
    putchar('\n');
}

uint32_t next_random(uint32_t *state) {
    uint32_t x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return *state = x;
}
