/* Lists of variable arguments as values: copied twice, kept in a struct, handed on by value and by pointer, walked
   again from the middle; structs of many sizes through `...`. */
#include "platform.h"

typedef struct {
    uint8_t byte[3];
} Three;

typedef struct {
    int32_t x, y;
} Point;

typedef struct {
    int64_t a;
    int32_t b;
} Mixed;

typedef struct {
    int64_t a, b;
} Wide;

typedef struct {
    int32_t all[5];
} Large;

typedef union {
    int64_t number;
    char text[8];
} Either;

NOINLINE static int64_t sum_of(int count, va_list arguments) {
    int64_t sum = 0;
    for (int i = 0; i < count; i++)
        sum = sum * 10 + va_arg(arguments, int);
    return sum;
}

NOINLINE static int take(va_list *arguments) { return va_arg(*arguments, int); }

/* Three walks over one list: two copies are made, one of them from the middle. */
NOINLINE static int64_t three_walks(int count, ...) {
    va_list arguments, again, middle;
    va_start(arguments, count);
    va_copy(again, arguments);
    int64_t sum = 0;
    for (int i = 0; i < count / 2; i++)
        sum += take(&arguments);
    va_copy(middle, arguments);
    sum = sum * 1000 + sum_of(count - count / 2, arguments);
    va_end(arguments);
    sum = sum * 1000 + sum_of(count - count / 2, middle) % 1000;
    va_end(middle);
    sum = sum * 1000 + sum_of(count, again) % 1000;
    va_end(again);
    return sum;
}

/* A reader keeps a list of its own. */
typedef struct {
    const char *kinds;
    va_list arguments;
    int taken;
} Reader;

NOINLINE static int64_t pull(Reader *reader) {
    char kind = reader->kinds[reader->taken++];
    return kind == 'l' ? va_arg(reader->arguments, long long) : va_arg(reader->arguments, int);
}

NOINLINE static int64_t read_all(const char *kinds, ...) {
    Reader reader = {.kinds = kinds}, saved;
    uint64_t sum = 0;
    va_start(reader.arguments, kinds);
    while (kinds[reader.taken]) {
        sum = sum * 7 + (uint64_t)pull(&reader);
        if (reader.taken == 3) {
            saved.kinds = kinds;
            saved.taken = 3;
            va_copy(saved.arguments, reader.arguments);
            while (kinds[saved.taken])
                sum ^= (uint64_t)pull(&saved) << 8;
            va_end(saved.arguments);
        }
    }
    va_end(reader.arguments);
    return (int64_t)sum;
}

NOINLINE static int64_t forward(int depth, va_list arguments) {
    if (depth == 0)
        return va_arg(arguments, long long);
    va_list own;
    va_copy(own, arguments);
    int64_t mine = va_arg(own, long long);
    int64_t rest = forward(depth - 1, own);
    va_end(own);
    return mine * 2 - rest;
}

NOINLINE static int64_t deep(int depth, ...) {
    va_list arguments;
    va_start(arguments, depth);
    int64_t result = forward(depth, arguments);
    va_end(arguments);
    return result;
}

NOINLINE static int64_t structs(int before, ...) {
    va_list arguments;
    va_start(arguments, before);
    int64_t sum = before;
    for (int i = 0; i < 2; i++) {
        Three three = va_arg(arguments, Three);
        sum = sum * 3 + three.byte[0] + three.byte[1] * 2 + three.byte[2] * 4;
        Point point = va_arg(arguments, Point);
        sum = sum * 3 + point.x - point.y;
        sum = sum * 3 + va_arg(arguments, int);
        Mixed mixed = va_arg(arguments, Mixed);
        sum = sum * 3 + mixed.a / 2 + mixed.b;
        Wide wide = va_arg(arguments, Wide);
        sum = sum * 3 + wide.a % 1000 - wide.b;
        Large large = va_arg(arguments, Large);
        for (size_t k = 0; k < LENGTH(large.all); k++)
            sum = sum * 3 + large.all[k];
        Either either = va_arg(arguments, Either);
        sum = sum * 3 + either.text[0] + either.number % 17;
        large.all[0] = 0;
    }
    va_end(arguments);
    return sum;
}

/* Text of a little language: %d, %s, %c and %{ ... %}, which repeats what is in it for each of a list of its own. */
NOINLINE static void write_list(const char *how, va_list arguments) {
    for (; *how; how++) {
        if (*how != '%') {
            putchar(*how);
            continue;
        }
        switch (*++how) {
        case 'd': put_signed(va_arg(arguments, int)); break;
        case 'q': put_signed(va_arg(arguments, long long)); break;
        case 's': put_text(va_arg(arguments, const char *)); break;
        case 'c': putchar(va_arg(arguments, int)); break;
        default: putchar('%'); break;
        }
    }
}

NOINLINE static void write_twice(const char *how, ...) {
    va_list one, two;
    va_start(one, how);
    va_start(two, how);
    write_list(how, one);
    write_list(how, two);
    va_end(two);
    va_end(one);
}

/* On AArch64 the last register stays unused: the named structure needs two, and goes to the stack whole. */
NOINLINE static int64_t after_structure(int a, int b, int c, int d, int e, int f, int g, Wide wide, int count, ...) {
    va_list arguments;
    int64_t sum = a + b + c + d + e + f + g + wide.a * 3 + wide.b * 5;
    va_start(arguments, count);
    while (count-- > 0) sum = sum * 7 + va_arg(arguments, long long);
    va_end(arguments);
    return sum;
}

int main(void) {
    say("walks", three_walks(4, 1, 2, 3, 4));
    say("walks", three_walks(12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3));
    say("reader", read_all("ilil", 1, 2ll << 32, 3, -4ll));
    say("reader", read_all("iiiiiiiilllliiii", 1, -2, 3, -4, 5, -6, 7, -8, 9ll, -10ll, 11ll << 35, 12ll, 1, 2, 3, 4));
    say("deep", deep(0, 17ll));
    say("deep", deep(3, 1ll, -2ll, 3ll << 33, 4ll));
    say("deep", deep(9, 1ll, 2ll, 3ll, 4ll, 5ll, 6ll, 7ll, 8ll, 9ll, 10ll));
    Three three = {{1, 2, 250}};
    Point point = {-3, 4};
    Mixed mixed = {-5000000001, 6};
    Wide wide = {INT64_C(1) << 50, -7};
    Large large = {{8, -9, 10, -11, 12}};
    Either either = {.text = "variable"};
    say("structs", structs(1, three, point, 2, mixed, wide, large, either, three, point, -3, mixed, wide, large, either));
    say("after", after_structure(1, 2, 3, 4, 5, 6, 7, wide, 3, 10ll, -20ll, 30ll << 33));
    write_twice("%d %s %c %q|", -42, "text", 'x', INT64_MAX);
    write_twice("%d%d%d%d%d%d%d%d%d%d%%%s\n", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, "end");
    return 0;
}
