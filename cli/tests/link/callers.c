/* Calls of every form; the number of the first that gives the wrong result, or 42. */
#include "calls.h"

int call_all(binary *difference) {
    long kept = difference(50, 8);
    if (many(1, 2, 3, 4, 5, 6, 7, 8, -9, -10, 65000, 12) != 1 + 4 + 9 + 16 + 25 + 36 + 49 + 64 - 81 - 100 + 715000 + 144)
        return 1;
    if (wides(1, 2, 3, 4, 5, 6, 7, 8, -9) != 1 + 4 + 9 + 16 + 25 + 36 + 49 + 64 - 81)
        return 2;
    wide result = wide_result(-3, 5);
    if ((long)result != -3 || (long)(result >> 8 * sizeof(long)) != 5)
        return 3;
    struct pair in;
    in.a = 7;
    in.b = 20;
    struct pair out = pair(in, 6);
    if (out.a != 42 || out.b != 14)
        return 4;
    struct five numbers = five(3, -2);
    if (numbers.a[0] != 3 || numbers.a[4] != -5)
        return 5;
    if (sum_of_five(&numbers, 1, 2, 3, 4, 5, 6, 7, 8) != -180)
        return 6;
    if (through(difference, 10, 3) != -7 + 18)
        return 7;
    if (ends_in_a_call(100, 1) != 5051)
        return 8;
    if (ends_in_a_call_through(difference, 10, 3) != 8)
        return 9;
    if (ends_in_a_call_on_the_stack(8, 7, 6, 5, 4, 3, 2, 1, 500, -10, 12, -9) !=
        1 + 4 + 9 + 16 + 25 + 36 + 49 + 64 - 81 - 100 + 5500 + 144)
        return 10;
    if (even(11) || !odd(11) || checked(4) != 5)
        return 11;
    return (int)kept;
}
