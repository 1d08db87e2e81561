/* Variable arguments: save areas of several sizes, lists copied and handed on, arguments of every passing class. */
#include <stdarg.h>

long first(int count, ...) {
    va_list list;
    va_start(list, count);
    long value = va_arg(list, long);
    va_end(list);
    return value - count;
}

long twice(int count, ...) {
    va_list list, again;
    va_start(list, count);
    va_copy(again, list);
    long sum = 0;
    for (int i = 0; i < count; i++)
        sum += va_arg(list, int) * va_arg(again, long long);
    va_end(again);
    va_end(list);
    return sum;
}

long after_eight(int a, int b, int c, int d, int e, int f, int g, long h, ...) {
    va_list list;
    va_start(list, h);
    long value = va_arg(list, long);
    va_end(list);
    return value + a + h;
}

double numbers(double first, int count, ...) {
    va_list list;
    va_start(list, count);
    while (count-- > 0)
        first += va_arg(list, double);
    va_end(list);
    return first;
}

struct Pair {
    long one, other;
};

struct Large {
    int all[9];
};

long structs(const char *name, ...) {
    va_list list;
    va_start(list, name);
    struct Pair pair = va_arg(list, struct Pair);
    struct Large large = va_arg(list, struct Large);
    long double wide = va_arg(list, long double);
    va_end(list);
    return pair.one - pair.other + large.all[8] + (long)wide;
}

void take(va_list *list);
long hand_on(const char *how, ...) {
    va_list list;
    va_start(list, how);
    take(&list);
    long rest = va_arg(list, long);
    va_end(list);
    return rest;
}

long call(long a, double b, struct Pair pair, struct Large large) {
    return first(1, a) + twice(2, 1, 2LL, 3, 4LL) + after_eight(1, 2, 3, 4, 5, 6, 7, 8, a, b) + structs("", pair, large, 1.0L) +
           (long)numbers(b, 3, b, 2.0, b * b) + hand_on("", pair, a, 9, 10LL, b);
}
