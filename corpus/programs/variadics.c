/* Functions with variable arguments after none to nine named ones, so that the save area has every size: integers of
   one and two registers in turn, in registers and on the stack, pointers and small types, through pointers to
   functions, and from a function that calls itself. */
#include "platform.h"

/* The letters of `kinds`: i int, u unsigned, l long long, p pointer to int, c char, s short, b bool. */
static int64_t next(char kind, va_list *arguments) {
    switch (kind) {
    case 'i': return va_arg(*arguments, int);
    case 'u': return va_arg(*arguments, unsigned);
    case 'l': return va_arg(*arguments, long long);
    case 'p': return *va_arg(*arguments, const int *);
    case 'c': return (signed char)va_arg(*arguments, int);
    case 's': return (short)va_arg(*arguments, int);
    case 'b': return (bool)va_arg(*arguments, int);
    default: return -1;
    }
}

static int64_t total(const char *kinds, va_list *arguments) {
    int64_t sum = 0;
    while (*kinds)
        sum = (int64_t)((uint64_t)sum * 31 + (uint64_t)next(*kinds++, arguments));
    return sum;
}

#define TOTAL(last)                                                                                                  \
    va_list arguments;                                                                                               \
    va_start(arguments, last);                                                                                       \
    int64_t sum = total(kinds, &arguments);                                                                          \
    va_end(arguments);

NOINLINE static int64_t after1(const char *kinds, ...) {
    TOTAL(kinds)
    return sum;
}
NOINLINE static int64_t after2(const char *kinds, int a, ...) {
    TOTAL(a)
    return sum + a;
}
NOINLINE static int64_t after3(int a, const char *kinds, long long b, ...) {
    TOTAL(b)
    return sum + a - b;
}
NOINLINE static int64_t after4(int a, int b, int c, const char *kinds, ...) {
    TOTAL(kinds)
    return sum + a - b + c;
}
NOINLINE static int64_t after6(int a, int b, int c, int d, int e, const char *kinds, ...) {
    TOTAL(kinds)
    return sum + a - b + c - d + e;
}
NOINLINE static int64_t after7(int a, int b, int c, int d, int e, int f, const char *kinds, ...) {
    TOTAL(kinds)
    return sum + a - b + c - d + e - f;
}
NOINLINE static int64_t after8(int a, int b, int c, int d, int e, int f, int g, const char *kinds, ...) {
    TOTAL(kinds)
    return sum + a - b + c - d + e - f + g;
}
NOINLINE static int64_t after9(int a, int b, int c, int d, int e, int f, int g, long long h, const char *kinds, ...) {
    TOTAL(kinds)
    return sum + a - b + c - d + e - f + g - h;
}

static const int seven = 7, eleven = 11;

#define ARGUMENTS                                                                                                    \
    -1, 0x123456789abcdefll, 4000000000u, &seven, 'x', INT64_MIN, -300, INT64_MAX, true, &eleven, 5, -6ll, 70000
static const char kinds[] = "ilupclslbpils";

/* Only some of the arguments are read. */
NOINLINE static int first_of(int count, ...) {
    va_list arguments;
    va_start(arguments, count);
    int first = count > 0 ? va_arg(arguments, int) : -1;
    va_end(arguments);
    return first;
}

/* Each call hands on one argument less. */
NOINLINE static int64_t countdown(int left, ...) {
    va_list arguments;
    va_start(arguments, left);
    int64_t first = va_arg(arguments, long long);
    int second = va_arg(arguments, int);
    long long third = va_arg(arguments, long long);
    va_end(arguments);
    if (left == 0)
        return first + second + third;
    return first * 3 + countdown(left - 1, third, second + 1, first - left, left, third * 2);
}

/* The least and the greatest of arguments that end with 0, by pointers that may be left out. */
NOINLINE static void extremes(int *least, int *greatest, ...) {
    va_list arguments;
    va_start(arguments, greatest);
    for (int value, first = 1; (value = va_arg(arguments, int)) != 0; first = 0) {
        if (least && (first || value < *least))
            *least = value;
        if (greatest && (first || value > *greatest))
            *greatest = value;
    }
    va_end(arguments);
}

typedef int64_t (*Summer)(const char *, ...);

int main(void) {
    say("after 1", after1(kinds, ARGUMENTS));
    say("after 2", after2(kinds, 2, ARGUMENTS));
    say("after 3", after3(3, kinds, 1ll << 40, ARGUMENTS));
    say("after 4", after4(4, 5, 6, kinds, ARGUMENTS));
    say("after 6", after6(1, 2, 3, 4, 5, kinds, ARGUMENTS));
    say("after 7", after7(1, 2, 3, 4, 5, 6, kinds, ARGUMENTS));
    say("after 8", after8(1, 2, 3, 4, 5, 6, 7, kinds, ARGUMENTS));
    say("after 9", after9(1, 2, 3, 4, 5, 6, 7, -8ll, kinds, ARGUMENTS));
    say("none", after1(""));
    say("one", after1("l", 1ll << 33));
    say("pairs", after1("llll", 1ll, -2ll, 3ll << 32, 4ll));
    say("uneven pairs", after1("ilililil", 1, -2ll, 3, 4ll << 32, 5, 6ll, 7, -8ll));
    Summer volatile summer = after1;
    say("by pointer", summer("iii", 1, 2, 3) + summer("l", -9ll));
    say("first", first_of(3, 41, 42, 43) + first_of(0) + first_of(1, 7));
    say("countdown", countdown(6, 1ll << 34, 2, -3ll));
    int least = 0, greatest = 0;
    extremes(&least, &greatest, 5, -3, 12, 7, 1, 2, 3, 4, 99, -100, 6, 0);
    say("least", least);
    say("greatest", greatest);
    extremes((int *)0, &greatest, -5, -4, 0);
    say("greatest", greatest);
    return 0;
}
