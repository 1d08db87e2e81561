/* The environment of floating point: arithmetic on numbers of each size in each rounding mode, the flags that it
   raises, and flags that stay raised. Machines disagree on whether a number that is rounded to the least normal one is
   tiny.
   requires: environment */
#include "strict.h"

static const char *const modes[] = {"nearest", "to zero", "down", "up"};

#define ALL(type, name, count, value, bits)                                                                            \
    static void all_of_##name(int mode) {                                                                              \
        Fold pairs = {0, 0}, chains = {0, 0};                                                                          \
        for (size_t i = 0; i < count; i++) {                                                                           \
            for (size_t j = 0; j < count; j++) {                                                                       \
                type a = value(i), b = value(j), c = value((i + j) % count), result;                                   \
                type (*const each[])(type, type) = {name##_sum, name##_difference, name##_product, name##_quotient};   \
                for (size_t k = 0; k < LENGTH(each); k++) {                                                            \
                    set_environment(mode, 0);                                                                          \
                    result = each[k](a, b);                                                                            \
                    unsigned flags = exceptions();                                                                     \
                    set_environment(NEAREST, 0);                                                                       \
                    QuadBits least = bits(value(LEAST));                                                               \
                    fold(&pairs, bits(result), is_least(bits(result), least) ? flags & ~UNDERFLOW : flags);            \
                }                                                                                                      \
                set_environment(mode, (i ^ j) % 16);                                                                   \
                result = name##_chain(a, b, c);                                                                        \
                unsigned flags = exceptions();                                                                         \
                set_environment(NEAREST, 0);                                                                           \
                fold(&chains, bits(result), flags & ~UNDERFLOW);                                                       \
            }                                                                                                          \
        }                                                                                                              \
        put_text(modes[mode]);                                                                                         \
        say_hex(", " #name " pairs", pairs.results);                                                                   \
        say_hex("  flags", pairs.flags);                                                                               \
        say_hex("  chains", chains.results);                                                                           \
        say_hex("  flags", chains.flags);                                                                              \
    }

ALL(float, single, LENGTH(singles), single_of, of_single)
ALL(double, twice, LENGTH(doubles), double_of, of_double)
ALL(Quad, quad, LENGTH(quads), quad_of, bits_of_quad)

int main(void) {
    for (int mode = NEAREST; mode <= UP; mode++) {
        all_of_single(mode);
        all_of_twice(mode);
        all_of_quad(mode);
    }
    return 0;
}
