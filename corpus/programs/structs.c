/* Structs by value of every size from 1 byte to 64: as arguments in registers and on the stack, as results in
   registers and through memory, through variable arguments and function pointers. */
#include "platform.h"

#define SIZED(n)                                                                                                     \
    typedef struct {                                                                                                 \
        uint8_t byte[n];                                                                                             \
    } Bytes##n;                                                                                                      \
    NOINLINE static Bytes##n make##n(unsigned seed) {                                                                \
        Bytes##n made;                                                                                               \
        for (unsigned i = 0; i < n; i++)                                                                             \
            made.byte[i] = (uint8_t)(seed * 37 + i * 11);                                                            \
        return made;                                                                                                 \
    }                                                                                                                \
    NOINLINE static uint32_t take##n(int before, Bytes##n a, int between, Bytes##n b, long long after) {             \
        uint32_t sum = (uint32_t)before * 3 + (uint32_t)between * 5 + (uint32_t)after * 7;                           \
        for (unsigned i = 0; i < n; i++)                                                                             \
            sum = sum * 31 + a.byte[i] * 2 + b.byte[n - 1 - i];                                                      \
        a.byte[0] = 99;                                                                                              \
        return sum + a.byte[0];                                                                                      \
    }                                                                                                                \
    NOINLINE static uint32_t late##n(int a, int b, int c, int d, int e, int f, int g, Bytes##n last) {               \
        uint32_t sum = (uint32_t)(a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + g * 7);                                \
        for (unsigned i = 0; i < n; i++)                                                                             \
            sum = sum * 33 ^ last.byte[i];                                                                           \
        return sum;                                                                                                  \
    }                                                                                                                \
    static uint32_t all##n(void) {                                                                                   \
        Bytes##n a = make##n(n), b = make##n(n + 1);                                                                 \
        uint32_t sum = take##n(-1, a, n, b, 1ll << 33 | n);                                                          \
        return sum ^ late##n(1, 2, 3, 4, 5, 6, 7, b) ^ a.byte[0];                                                    \
    }

SIZED(1) SIZED(2) SIZED(3) SIZED(4) SIZED(5) SIZED(6) SIZED(7) SIZED(8) SIZED(9) SIZED(11) SIZED(12) SIZED(13)
SIZED(15) SIZED(16) SIZED(17) SIZED(20) SIZED(23) SIZED(24) SIZED(31) SIZED(32) SIZED(33) SIZED(48) SIZED(64)

typedef struct {
    char tag;
    int64_t wide;
} Padded;

typedef struct {
    int32_t x, y;
} Point;

typedef struct {
    Point from, to;
} Line;

typedef struct {
    _Alignas(16) int64_t number;
    int8_t rest;
} Aligned;

typedef union {
    uint64_t whole;
    struct {
        uint8_t low;
        uint16_t middle;
    } parts;
} Either;

NOINLINE static Padded padded(char tag, int64_t wide) { return (Padded){tag, wide}; }

NOINLINE static Line reversed(Line line) { return (Line){line.to, line.from}; }

NOINLINE static Aligned doubled(int first, Aligned value) {
    return (Aligned){value.number * 2 + first, (int8_t)(value.rest + 1)};
}

NOINLINE static Either either(Either value, int shift) {
    value.whole <<= shift;
    value.parts.low ^= 0x5a;
    return value;
}

NOINLINE static int64_t variable(int count, ...) {
    va_list arguments;
    int64_t sum = 0;
    va_start(arguments, count);
    for (int i = 0; i < count; i++) {
        Point point = va_arg(arguments, Point);
        Padded value = va_arg(arguments, Padded);
        Line line = va_arg(arguments, Line);
        sum = sum * 10 + point.x - point.y + value.tag * value.wide + line.to.x * line.from.y;
        sum += va_arg(arguments, int64_t);
    }
    va_end(arguments);
    return sum;
}

typedef Line (*Turn)(Line);

static void narrow(signed char a, unsigned char b, short c, unsigned short d, bool e, int64_t f, char g, short h,
                   signed char i, unsigned char j, bool k) {
    int64_t sum = a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + g * 7 + h * 8 + i * 9 + j * 10 + k * 11;
    say("narrow", sum);
}

int main(void) {
    uint32_t (*const all[])(void) = {all1,  all2,  all3,  all4,  all5,  all6,  all7,  all8,  all9,  all11, all12,
                                     all13, all15, all16, all17, all20, all23, all24, all31, all32, all33, all48, all64};
    for (size_t i = 0; i < LENGTH(all); i++) {
        put_hex(all[i](), 8);
        putchar(i % 8 == 7 ? '\n' : ' ');
    }
    putchar('\n');
    Padded value = padded('x', -5000000000);
    Line line = {{1, 2}, {3, 4}};
    Turn turn = reversed;
    line = turn(line);
    say("line", line.from.x * 1000 + line.from.y * 100 + line.to.x * 10 + line.to.y);
    Aligned twice = doubled(1, doubled(2, (Aligned){INT64_C(1) << 40, 7}));
    say("aligned", twice.number + twice.rest);
    Either both = either((Either){.whole = 0x1234}, 8);
    say_hex("either", both.whole);
    say("variable", variable(3, (Point){1, 2}, value, line, (int64_t)1, (Point){-3, 4}, padded('a', 9), turn(line),
                             (int64_t)-1, (Point){5, 6}, value, line, INT64_MIN / 1000000));
    volatile int big = 300, minus = -129;
    narrow((signed char)minus, (unsigned char)big, (short)(big * 200), (unsigned short)minus, big, minus, (char)65,
           (short)minus, (signed char)big, (unsigned char)minus, !big);
    return 0;
}
