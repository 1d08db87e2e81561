/* Checks the compiled functions and exits with the number of the first that is wrong, or with 42. No library. */
#include "wide.h"

unsigned long crc(const unsigned char *data, unsigned long n);
long collatz(long n);
int sorted_median(short *values, int n);
wide square(unsigned long a);

static int check(void) {
    static const unsigned char text[] = "123456789";
    static short values[] = {300, -5, 7, 32000, -32000, 8, 9};
    if (crc(text, 9) != 0xcbf43926u)
        return 1;
    if (collatz(27) != 111)
        return 2;
    if (sorted_median(values, 7) != 8)
        return 3;
    wide s = square(~0ul);
    if ((unsigned long)s != 1 || (unsigned long)(s >> 8 * sizeof(long)) != ~1ul)
        return 4;
    return 42;
}

#include "exit.h"
