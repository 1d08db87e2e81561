/* Conversions between numbers and integers of 128 bits, at the edges of both.
   requires: int128 */
#include "quad.h"

typedef __int128 Signed;
typedef unsigned __int128 Unsigned;

NOINLINE Signed to_signed(Quad a) { return (Signed)a; }
NOINLINE Unsigned to_unsigned(Quad a) { return (Unsigned)a; }
NOINLINE Quad of_signed(Signed a) { return a; }
NOINLINE Quad of_unsigned(Unsigned a) { return a; }

static void show_wide(const char *name, Unsigned value) {
    put_text(name);
    put_text(": ");
    put_hex((uint64_t)(value >> 64), 16);
    put_hex((uint64_t)value, 16);
    putchar('\n');
}

int main(void) {
    const Quad numbers[] = {Q(0.0), -Q(0.75), Q(1e37), -Q(1e37), Q(9223372036854775808.5), Q(1.5e-4000), -Q(18446744073709551616.0)};
    for (size_t i = 0; i < LENGTH(numbers); i++) {
        show_wide("to signed", (Unsigned)to_signed(numbers[i]));
        show_wide("to unsigned", to_unsigned(numbers[i] < 0 ? -numbers[i] : numbers[i]));
    }
    show_wide("to unsigned", to_unsigned(Q(3e38)));
    for (int shift = 0; shift < 128; shift += 9) {
        Unsigned value = ~(Unsigned)0 >> shift, odd = ((Unsigned)1 << shift) * 3 + 1;
        show_quad("of unsigned", of_unsigned(value));
        show_quad("of unsigned", of_unsigned(odd));
        show_quad("of signed", of_signed((Signed)value));
        show_quad("of signed", of_signed(-(Signed)(odd >> 1)));
    }
    return 0;
}
