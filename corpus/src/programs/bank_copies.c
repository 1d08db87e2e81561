/* Linked with a program that counts its copies from bank to bank: says their number when it ends. */

/* Of the C library, or of the runtime where there is none. */
long write(int file, const void *bytes, unsigned long size);

/* As wide as an address. */
unsigned long tribunal_bank_copies;

__attribute__((destructor)) static void say_copies(void) {
    char line[] = "bank copies:                     \n";
    char *digit = line + sizeof line - 2;
    unsigned long rest = tribunal_bank_copies;
    do {
        *--digit = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest != 0);
    write(2, line, sizeof line - 1);
}
