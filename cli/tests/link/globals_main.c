/* Checks the compiled functions and exits with the number of the first that is wrong, or with 42. No library. */
int owns(int index, int value);
int reads(int index);
int walks(int steps);
int elsewhere_too(int value);
int places(void);
int switches(const unsigned char *code);
extern int zeros[100];
int elsewhere = 100;
int many_elsewhere[4] = {1, 2, 3, 4};

static int check(void) {
    static const unsigned char code[] = {1, 7, 2, 5, 3, 6, 5, 4, 1, 9, 3, 0};
    if (owns(2, 10) != 27 || owns(3, 1) != 11 || zeros[5] != 10)
        return 1;
    if (reads(0) != 7 + 'h' + 'l' || reads(2) != 9 + 'l' + 'a')
        return 2;
    if (walks(3) != 9 * (5 + 'f') + 3 * (9 + 'e') + 5 + 'f')
        return 3;
    if (elsewhere_too(1) != 101 + 3 + 42 + 1 + 17 + 77 + 55)
        return 4;
    if (places() != 51)
        return 5;
    if (switches(code) != 21)
        return 6;
    return 42;
}

#include "exit.h"
