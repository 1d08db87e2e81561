/* Functions that do not return, paths that cannot be reached, assertions, and an exit status that is not zero.
   status: 7 */
#include "platform.h"

static int depth;

_Noreturn NOINLINE static void fail(const char *what, int code) {
    put_text("failed: ");
    put_text(what);
    say(" at depth", depth);
    exit(code);
}

_Noreturn static void fail_twice(int code) {
    depth += 100;
    fail("twice", code);
}

#define ASSERT(condition) ((condition) ? (void)0 : fail(#condition, 7))

typedef enum { SMALL, MIDDLE, LARGE } Size;

NOINLINE static int weight(Size size) {
    switch (size) {
    case SMALL: return 1;
    case MIDDLE: return 10;
    case LARGE: return 100;
    }
    __builtin_unreachable();
}

NOINLINE static int checked_add(int a, int b) {
    int sum;
    if (__builtin_add_overflow(a, b, &sum))
        fail_twice(9);
    return sum;
}

NOINLINE static unsigned checked_multiply(unsigned a, unsigned b) {
    unsigned product;
    return __builtin_mul_overflow(a, b, &product) ? UINT_MAX : product;
}

NOINLINE static int must_be_even(int x) {
    if (__builtin_expect(x % 2 != 0, 0))
        fail("odd", 8);
    return x / 2;
}

NOINLINE static int never(int x) {
    if (x > 1000)
        __builtin_trap();
    return x + 1;
}

NOINLINE static int search(const int *from, int key) {
    for (;; from++)
        if (*from == key)
            return (int)(*from * 2);
}

NOINLINE static int down(int levels, const int *limit) {
    depth++;
    ASSERT(depth < *limit);
    int below = levels > 0 ? down(levels - 1, limit) : 0;
    depth--;
    return below + levels;
}

int main(void) {
    static const int numbers[] = {5, 4, 3, 2, 1};
    int limit = 30;
    say("weight", weight(SMALL) + weight(MIDDLE) + weight(LARGE));
    say("add", checked_add(INT_MAX, -5));
    say("multiply", checked_multiply(70000, 70000) == UINT_MAX);
    say("multiply", checked_multiply(60000, 70000));
    say("half", must_be_even(42));
    say("never", never(999));
    say("search", search(numbers, 2));
    say("down", down(20, &limit));
    limit = 10;
    say("down", down(20, &limit));
    puts("not reached");
    return 0;
}
