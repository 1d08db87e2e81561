/* Linked with a program that counts its copies from bank to bank: says their number when it ends. */
#include <stdio.h>

unsigned long long tribunal_bank_copies;

__attribute__((destructor)) static void say_copies(void) {
    fprintf(stderr, "bank copies: %llu\n", tribunal_bank_copies);
}
