/* Strict arithmetic in the environment that a program begins in: every machine rounds to nearest, those too that have
   no registers of floating point. */
#include "strict.h"

#define ALL(type, name, count, value, bits)                                                                            \
    static void all_of_##name(void) {                                                                                  \
        Fold pairs = {0, 0}, chains = {0, 0};                                                                          \
        for (size_t i = 0; i < count; i++) {                                                                           \
            for (size_t j = 0; j < count; j++) {                                                                       \
                type a = value(i), b = value(j);                                                                       \
                fold(&pairs, bits(name##_sum(a, b)), 0);                                                               \
                fold(&pairs, bits(name##_difference(a, b)), 0);                                                        \
                fold(&pairs, bits(name##_product(a, b)), 0);                                                           \
                fold(&pairs, bits(name##_quotient(a, b)), 0);                                                          \
                fold(&chains, bits(name##_chain(a, b, value((i + j) % count))), 0);                                    \
            }                                                                                                          \
        }                                                                                                              \
        say_hex(#name " pairs", pairs.results);                                                                        \
        say_hex(#name " chains", chains.results);                                                                      \
    }

ALL(float, single, LENGTH(singles), single_of, of_single)
ALL(double, twice, LENGTH(doubles), double_of, of_double)
ALL(Quad, quad, LENGTH(quads), quad_of, bits_of_quad)

int main(void) {
    all_of_single();
    all_of_twice();
    all_of_quad();
    return 0;
}
