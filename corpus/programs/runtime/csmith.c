/* What programs of csmith call: the checksum of their variables (CRC-32, as IEEE 802.3 has it, bits in reverse), and
   powers of two. Their `csmith.h` is in the folder csmith. */
#include "../platform.h"

uint32_t crc32_context = 0xffffffff;

void crc32_gentab(void);
void crc32_gentab(void) {}

void platform_main_begin(void);
void platform_main_begin(void) {}

static void add_byte(unsigned char byte) {
    crc32_context ^= byte;
    for (int i = 0; i < 8; i++)
        crc32_context = crc32_context >> 1 ^ (crc32_context & 1 ? 0xedb88320 : 0);
}

/* The name of the variable is for a log that nobody asks for. */
void transparent_crc(uint64_t value, char *name, int logged);
void transparent_crc(uint64_t value, char *name, int logged) {
    (void)name, (void)logged;
    for (int i = 0; i < 8; i++)
        add_byte((unsigned char)(value >> (8 * i)));
}

void transparent_crc_bytes(char *bytes, int size, char *name, int logged);
void transparent_crc_bytes(char *bytes, int size, char *name, int logged) {
    (void)name, (void)logged;
    for (int i = 0; i < size; i++)
        add_byte((unsigned char)bytes[i]);
}

/* As printf has "%X": no digit zero comes first. */
void platform_main_end(uint32_t checksum, int logged);
void platform_main_end(uint32_t checksum, int logged) {
    char digits[9];
    int first = 8;
    (void)logged;
    digits[8] = 0;
    do {
        digits[--first] = "0123456789ABCDEF"[checksum & 15];
        checksum >>= 4;
    } while (checksum != 0);
    for (const char *text = "checksum = "; *text; text++)
        putchar(*text);
    puts(digits + first);
}

/* For that log alone. */
int printf(const char *format, ...);
int printf(const char *format, ...) {
    puts(format);
    exit(1);
}

int strcmp(const char *a, const char *b);
int strcmp(const char *a, const char *b) {
    while (*a && *a == *b)
        a++, b++;
    return (unsigned char)*a - (unsigned char)*b;
}

/* Each step is exact until the last one rounds: a result below the normal numbers is reached by one product. */
double ldexp(double value, int power);
double ldexp(double value, int power) {
    const double most = 0x1p1023, least = 0x1p-1022 * 0x1p53;
    for (; power > 1023; power -= 1023)
        value *= most;
    for (; power < -969; power += 969)
        value *= least;
    uint64_t bits = (uint64_t)(1023 + power) << 52;
    double scale;
    memcpy(&scale, &bits, sizeof scale);
    return value * scale;
}
