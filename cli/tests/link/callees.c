/* Functions that are called in every way. */
#include "calls.h"

long many(long a, long b, long c, long d, long e, long f, long g, long h, int i, signed char j, unsigned short k, long l) {
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9l * i + 10l * j + 11l * k + 12 * l;
}

long wides(int a, wide b, long c, wide d, int e, wide f, long g, wide h, signed char i) {
    wide sum = a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i;
    return (long)(sum ^ sum >> 8 * sizeof(long));
}

wide wide_result(long low, long high) { return (wide)high << 8 * sizeof(long) | (unsigned long)low; }

struct pair pair(struct pair in, long c) {
    struct pair out;
    out.a = in.a * c;
    out.b = in.b - (int)c;
    return out;
}

struct five five(int first, int step) {
    struct five out;
    for (volatile int i = 0; i < 5; i++)
        out.a[i] = first + i * step;
    return out;
}

long sum_of_five(const struct five *five, long a, long b, long c, long d, long e, long f, long g, long h) {
    long sum = 0;
    for (int i = 0; i < 5; i++)
        sum += five->a[i];
    return sum * (a + b + c + d + e + f + g + h);
}

long through(binary *f, long a, long b) { return f(b, a) + f(a, 1) * 2; }

long ends_in_a_call(long n, long sum) { return n == 0 ? sum : ends_in_a_call(n - 1, sum + n); }

long ends_in_a_call_through(binary *f, long a, long b) {
    long kept = through(f, a, b);
    return f(kept, b);
}

long ends_in_a_call_on_the_stack(long a, long b, long c, long d, long e, long f, long g, long h, int i, signed char j,
                                 unsigned short k, long l) {
    return many(h, g, f, e, d, c, b, a, (int)l, j, (unsigned short)i, k);
}

int even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }
int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }

long checked(long n) {
    if (n < 0)
        leave(99);
    return n + 1;
}
