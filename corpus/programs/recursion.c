/* Recursion of every kind: mutual, in tail position, deep, through pointers, with many arguments in tail position. */
#include "platform.h"

static bool odd(unsigned n);
NOINLINE static bool even(unsigned n) { return n == 0 ? true : odd(n - 1); }
NOINLINE static bool odd(unsigned n) { return n == 0 ? false : even(n - 1); }

NOINLINE static int ackermann(int m, int n) {
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

NOINLINE static uint64_t sum_to(uint64_t n, uint64_t sum) { return n == 0 ? sum : sum_to(n - 1, sum + n); }

/* Arguments change places in a tail call. */
NOINLINE static int64_t turn(int a, int64_t b, int c, int64_t d, int e, int64_t f, int left) {
    return left == 0 ? a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 : turn((int)b, a, (int)d, c, (int)f, e, left - 1);
}

/* More arguments than registers, some of them on the stack, in calls of each other. */
static int64_t many(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f, int64_t g, int64_t h, int64_t i,
                    int64_t j, int left);
NOINLINE static int64_t few(int64_t a, int64_t b, int left) {
    return left == 0 ? a - b : many(a, b, a + 1, b + 1, a + 2, b + 2, a + 3, b + 3, a + 4, b + 4, left - 1);
}
NOINLINE static int64_t many(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f, int64_t g, int64_t h,
                             int64_t i, int64_t j, int left) {
    return left == 0 ? a + j : few(b + c + d - i, e + f + g + h - j, left - 1);
}

static unsigned moves;
static uint8_t pegs[3][16], heights[3];
NOINLINE static void hanoi(int count, int from, int to) {
    if (count == 0)
        return;
    int spare = 3 - from - to;
    hanoi(count - 1, from, spare);
    pegs[to][heights[to]++] = pegs[from][--heights[from]];
    moves++;
    hanoi(count - 1, spare, to);
}

static int queens(int row, unsigned columns, unsigned left, unsigned right, int size) {
    if (row == size)
        return 1;
    int count = 0;
    for (unsigned open = ~(columns | left | right) & ((1u << size) - 1); open; open &= open - 1) {
        unsigned bit = open & -open;
        count += queens(row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1, size);
    }
    return count;
}

/* Numbers as functions: each applies another so many times. */
typedef int64_t Function(int64_t);
static int64_t add_three(int64_t x) { return x + 3; }
static int64_t twice(int64_t x) { return x * 2; }
NOINLINE static int64_t apply(Function *function, int times, int64_t x) {
    return times == 0 ? x : apply(function, times - 1, function(x));
}
typedef Function *Chooser(int);
static Function *choose(int i) { return i % 2 ? twice : add_three; }
NOINLINE static int64_t alternate(Chooser *chooser, int times, int64_t x) {
    return times == 0 ? x : alternate(chooser, times - 1, chooser(times)(x));
}

NOINLINE static unsigned collatz(uint64_t n, unsigned steps) {
    if (n == 1)
        return steps;
    return n % 2 ? collatz(n * 3 + 1, steps + 1) : collatz(n / 2, steps + 1);
}

/* A frame that grows: each level has its own array, and all of them are summed on the way back. */
NOINLINE static int deep(int level, const int *above) {
    int here[8];
    for (int i = 0; i < 8; i++)
        here[i] = above[7 - i] + level;
    int below = level == 0 ? 0 : deep(level - 1, here);
    return below % 1000003 + here[level % 8];
}

int main(void) {
    say("even", even(1001) * 10 + odd(1001));
    say("ackermann", ackermann(2, 9));
    say("sum", (int64_t)sum_to(1000, 0));
    say("turn", turn(1, 2, 3, 4, 5, 6, 7));
    say("few", few(10, -3, 5));
    say("few", few(10, -3, 6));
    for (uint8_t i = 0; i < 10; i++)
        pegs[0][heights[0]++] = (uint8_t)(10 - i);
    hanoi(10, 0, 2);
    say("moves", moves);
    say("peg", pegs[2][0] * 100 + pegs[2][9] + heights[0]);
    for (int size = 1; size <= 8; size++)
        say("queens", queens(0, 0, 0, 0, size));
    say("apply", apply(add_three, 50, 1) + apply(twice, 20, 1));
    say("alternate", alternate(choose, 20, 1));
    say("collatz", collatz(837799, 0));
    static const int start[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    say("deep", deep(500, start));
    return 0;
}
