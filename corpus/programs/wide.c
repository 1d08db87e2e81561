/* 128-bit integers: arithmetic, shifts, comparisons, division, conversion to text, arguments and results.
   requires: int128 */
#include "platform.h"

typedef unsigned __int128 u128;
typedef __int128 s128;

static void put128(u128 value) {
    char digits[40];
    int count = 0;
    do
        digits[count++] = (char)('0' + (int)(value % 10));
    while ((value /= 10) != 0);
    while (count > 0)
        putchar(digits[--count]);
}

static void show(const char *name, s128 value) {
    put_text(name);
    put_text(": ");
    if (value < 0)
        putchar('-');
    put128(value < 0 ? 0 - (u128)value : (u128)value);
    putchar('\n');
}

NOINLINE static u128 make(uint64_t high, uint64_t low) { return (u128)high << 64 | low; }
NOINLINE static s128 many(int a, s128 b, int c, s128 d, int e, s128 f, s128 g) {
    return a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + g * 7;
}
NOINLINE static u128 power(u128 base, unsigned exponent) {
    u128 result = 1;
    for (; exponent; exponent >>= 1, base *= base)
        if (exponent & 1)
            result *= base;
    return result;
}
NOINLINE static u128 root(u128 value) {
    u128 low = 0, high = (u128)1 << 64;
    while (high - low > 1) {
        u128 middle = low + (high - low) / 2;
        if (middle * middle <= value)
            low = middle;
        else
            high = middle;
    }
    return low;
}
NOINLINE static u128 gcd(u128 a, u128 b) {
    while (b) {
        u128 rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}
NOINLINE static uint64_t modular(uint64_t a, uint64_t b, uint64_t m) { return (uint64_t)((u128)a * b % m); }
NOINLINE static bool overflows(s128 a, s128 b, s128 *sum) { return __builtin_add_overflow(a, b, sum); }
NOINLINE static int order(s128 a, s128 b) { return (a > b) - (a < b); }
NOINLINE static int order_unsigned(u128 a, u128 b) { return (a > b) - (a < b); }

int main(void) {
    u128 x = make(0x0123456789abcdef, 0xfedcba9876543210);
    show("x", (s128)x);
    show("power", (s128)power(3, 79));
    show("root", (s128)root(power(7, 45)));
    show("gcd", (s128)gcd(power(6, 40), power(10, 30)));
    show("many", many(-1, (s128)x, 2, -(s128)x, 3, 1, (s128)1 << 100));
    u128 sum = 0;
    for (unsigned i = 0; i < 128; i++)
        sum = sum * 3 + (x << i) + (x >> i) + (u128)((s128)(x << 7) >> i);
    show("shifts", (s128)sum);
    s128 most = (s128)(~(u128)0 >> 1), added = 0;
    say("overflow", overflows(most, 1, &added));
    show("added", added);
    say("overflow", overflows(most, -1, &added));
    for (int i = -2; i <= 2; i++) {
        s128 a = i * ((s128)1 << 90) + i, b = (s128)1 << 64;
        show("quotient", a / (b + 3));
        show("rest", a % (b - 5));
        putchar('1' + order(a, b));
        putchar('1' + order_unsigned((u128)a, (u128)b));
        putchar('\n');
    }
    uint64_t modulus = 0xfffffffffffffc5fu, product = 1;
    for (uint64_t i = 1; i < 300; i++)
        product = modular(product, i * 0x9e3779b97f4a7c15u, modulus);
    say_hex("product", product);
    say("short", (int64_t)(s128)-5 + (int8_t)x + (int16_t)(x >> 70));
    return 0;
}
