/* Sums that lose little: plain, compensated, in pairs by recursion, and exact steps, over doubles and floats, through
   pointers to functions and variable arguments. Infinities, zeros with signs and subnormals are among the terms. */
#include "bits.h"

typedef double (*Sum)(const double *terms, size_t count);

typedef struct {
    double high, low;
} Exact;

typedef struct {
    float high, low;
} SmallExact;

static NOINLINE Exact two_sum(double a, double b) {
    double sum = a + b, part = sum - a;
    return (Exact){sum, (a - (sum - part)) + (b - part)};
}

static NOINLINE SmallExact two_sum_float(float a, float b) {
    float sum = a + b, part = sum - a;
    return (SmallExact){sum, (a - (sum - part)) + (b - part)};
}

/* The product in two parts: halves of 26 bits multiply exactly. */
static NOINLINE Exact two_product(double a, double b) {
    double big_a = a * 134217729, big_b = b * 134217729;
    double a_high = big_a - (big_a - a), b_high = big_b - (big_b - b);
    double a_low = a - a_high, b_low = b - b_high, product = a * b;
    return (Exact){product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

static double plain(const double *terms, size_t count) {
    double sum = 0;
    while (count--)
        sum += *terms++;
    return sum;
}

static double compensated(const double *terms, size_t count) {
    double sum = 0, lost = 0;
    for (size_t i = 0; i < count; i++) {
        double term = terms[i] - lost, next = sum + term;
        lost = (next - sum) - term;
        sum = next;
    }
    return sum;
}

/* The smaller of sum and term is the one that loses digits. */
static double larger_first(const double *terms, size_t count) {
    double sum = 0, lost = 0;
    for (size_t i = 0; i < count; i++) {
        double next = sum + terms[i];
        if (__builtin_fabs(sum) >= __builtin_fabs(terms[i]))
            lost += (sum - next) + terms[i];
        else
            lost += (terms[i] - next) + sum;
        sum = next;
    }
    return sum + lost;
}

static double in_pairs(const double *terms, size_t count) {
    if (count < 3)
        return count == 2 ? terms[0] + terms[1] : count == 1 ? *terms : -0.0;
    return in_pairs(terms, count / 2) + in_pairs(terms + count / 2, count - count / 2);
}

static double exactly(const double *terms, size_t count) {
    Exact all = {0, 0};
    for (size_t i = 0; i < count; i++) {
        Exact next = two_sum(all.high, terms[i]);
        all = two_sum(next.high, next.low + all.low);
    }
    return all.high;
}

static double in_floats(const double *terms, size_t count) {
    SmallExact all = {0, 0};
    for (size_t i = 0; i < count; i++) {
        SmallExact next = two_sum_float(all.high, (float)terms[i]);
        all = two_sum_float(next.high, next.low + all.low);
    }
    return (double)all.high + all.low;
}

/* Each letter of `kinds` is an argument: d double, f float, which goes as double, i int, l int64_t, e Exact. */
static NOINLINE double varied(float start, const char *kinds, ...) {
    va_list arguments;
    double sum = start;
    va_start(arguments, kinds);
    for (; *kinds; kinds++)
        switch (*kinds) {
        case 'd': sum = sum * 0.5 + va_arg(arguments, double); break;
        case 'f': sum = sum * 0.5 + (float)va_arg(arguments, double); break;
        case 'i': sum += va_arg(arguments, int); break;
        case 'l': sum += (double)va_arg(arguments, int64_t); break;
        default: sum += va_arg(arguments, Exact).high;
        }
    va_end(arguments);
    return sum;
}

static const Sum sums[] = {plain, compensated, larger_first, in_pairs, exactly, in_floats};

static void all_sums(const char *name, const double *terms, size_t count) {
    puts(name);
    for (size_t i = 0; i < LENGTH(sums); i++)
        show(" sum", sums[i](terms, count));
}

int main(void) {
    static double terms[500];
    uint32_t state = 99;
    double scale = 1;
    for (size_t i = 0; i < LENGTH(terms); i++) {
        scale = i % 25 ? scale * 2.5 : 1e-4;
        terms[i] = (int32_t)next_random(&state) * scale;
    }
    all_sums("wide", terms, LENGTH(terms));
    all_sums("cancelled", (double[]){1e16, 1, 3.5, -1e16, 0x1p-40, -4.5, 1e-30}, 7);
    all_sums("subnormal", (double[]){0x1p-1074, 0x1.8p-1060, -0x1p-1022, 0x1.fffffp-1023, -0x1p-1050}, 5);
    all_sums("zeros", (double[]){-0.0, -0.0, -0.0}, 3);
    all_sums("none", terms, 0);
    all_sums("infinite", (double[]){1, __builtin_inf(), -1e300}, 3);
    all_sums("overflow", (double[]){1.7e308, 1.7e308, -1.7e308, 2}, 4);
    for (int i = 0; i < 6; i++) {
        Exact product = two_product(terms[i], terms[i + 6] * 1e-20);
        show("product", product.high);
        show("rest", product.low);
    }
    Exact pair = two_sum(0.1, 1e9);
    show("varied", varied(0.5f, "dfidlefd", 1.25, 2.5f, -3, 1e-3, INT64_C(-4000000000), pair, 7.75f, -0.0));
    show("many", varied(-1, "ddddddddddiiiiiiilefd", 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.5, 1, 2, 3, 4, 5,
                        6, 7, INT64_MAX >> 20, pair, 0.1f, 1e9));
    show_float("none", (float)varied(__builtin_inff(), "d", -__builtin_inf()));
    return 0;
}
