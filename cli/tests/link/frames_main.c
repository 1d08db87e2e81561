/* The caller and the callee of the compiled functions; exits with 42 if they computed what they are to. */
int first(int a);

__attribute__((noinline)) int stop(int *values, int count) {
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += values[i];
    return sum;
}

static int check(void) { return first(3) == (7 * 21 + 42) * 7 + 6 ? 42 : 1; }

#include "exit.h"
