/* Numbers of 128 bits: arithmetic, comparisons and conversions at the edges of every type; a root by Newton's method,
   series, a sum that keeps its error, an inverse matrix; calls with more of them than there are registers, structures of
   them, variable arguments. The machines call them `long double`, but for those whose `long double` is another format. */
#include "quad.h"

static const Quad corners[] = {
    Q(0.0), -Q(0.0), Q(1.0), -Q(1.0), Q(0.1), Q(3.5), -Q(2.75), Q(1e30), -Q(1e-30), Q(65504.0), Q(2147483647.5),
    Q(9223372036854775807.0), Q(1.18973149535723176508575932662800702e4932), Q(6.47517511943802511092443895822764655e-4966),
};

NOINLINE Quad sum(Quad a, Quad b) { return a + b; }
NOINLINE Quad difference(Quad a, Quad b) { return a - b; }
NOINLINE Quad product(Quad a, Quad b) { return a * b; }
NOINLINE Quad quotient(Quad a, Quad b) { return a / b; }
NOINLINE Quad opposite(Quad a) { return -a; }
NOINLINE Quad magnitude(Quad a) { return a < 0 ? -a : a; }
NOINLINE Quad greater(Quad a, Quad b) { return a > b ? a : b; }

/* One bit for each relation. */
NOINLINE unsigned related(Quad a, Quad b) {
    return (a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | (a >= b) << 4 | (a > b) << 5
        | __builtin_isunordered(a, b) << 6 | !(a < b) << 7 | !(a > b) << 8;
}

static void arithmetic(void) {
    QuadBits fold = {0, 0};
    unsigned relations = 0;
    for (size_t i = 0; i < LENGTH(corners); i++) {
        for (size_t j = 0; j < LENGTH(corners); j++) {
            Quad a = corners[i], b = corners[j];
            relations = relations * 31 + related(a, b);
            Quad all[] = {sum(a, b), difference(a, b), product(a, b), quotient(a, b)};
            for (size_t k = 0; k < LENGTH(all); k++) {
                QuadBits bits = bits_of_quad(all[k]);
                fold.low = fold.low * 31 + bits.low;
                fold.high = fold.high * 31 + bits.high;
            }
        }
    }
    say_hex("all pairs, high", fold.high);
    say_hex("all pairs, low", fold.low);
    say("relations", relations);
    Quad none = quotient(corners[0], corners[1]);
    say("relations of none", related(none, 1) * 1000 + related(none, none));
    show_quad("opposite", opposite(corners[4]));
    show_quad("magnitude", magnitude(corners[6]));
    show_quad("greater", greater(corners[7], corners[11]));
}

NOINLINE int to_int(Quad a) { return (int)a; }
NOINLINE unsigned to_unsigned(Quad a) { return (unsigned)a; }
NOINLINE int64_t to_long(Quad a) { return (int64_t)a; }
NOINLINE uint64_t to_unsigned_long(Quad a) { return (uint64_t)a; }
NOINLINE short to_short(Quad a) { return (short)a; }
NOINLINE double to_double(Quad a) { return (double)a; }
NOINLINE float to_float(Quad a) { return (float)a; }
NOINLINE Quad of_int(int a) { return a; }
NOINLINE Quad of_unsigned(unsigned a) { return a; }
NOINLINE Quad of_long(int64_t a) { return a; }
NOINLINE Quad of_unsigned_long(uint64_t a) { return a; }
NOINLINE Quad of_double(double a) { return a; }
NOINLINE Quad of_float(float a) { return a; }

static void conversions(void) {
    say("to int", to_int(-Q(2147483648.75)));
    say("to unsigned", to_unsigned(Q(4294967295.5)));
    say("to long", to_long(-Q(9223372036854775808.0)));
    say_hex("to unsigned long", to_unsigned_long(Q(18446744073709551615.0)));
    say("to short", to_short(-Q(32768.5)));
    for (size_t i = 0; i < LENGTH(corners); i++) {
        show("to double", to_double(corners[i]));
        show_float("to float", to_float(corners[i]));
    }
    show_quad("of int", of_int(INT_MIN));
    show_quad("of unsigned", of_unsigned(UINT_MAX));
    show_quad("of long", of_long(INT64_MIN + 1));
    show_quad("of unsigned long", of_unsigned_long(UINT64_MAX));
    show_quad("of double", of_double(0.1));
    show_quad("of float", of_float(0.1f));
}

/* Newton's method. */
NOINLINE Quad root(Quad of) {
    Quad guess = to_double(of);
    for (int i = 0; i < 40; i++)
        guess = (guess + of / guess) / 2;
    return guess;
}

static Quad euler(void) {
    Quad term = 1, all = 1;
    for (int i = 1; i < 40; i++) {
        term /= i;
        all += term;
    }
    return all;
}

/* Machin's formula. */
static Quad arctangent_of_inverse(int of) {
    Quad power = Q(1.0) / of, all = power;
    for (int i = 1; i < 60; i++) {
        power /= -of * of;
        all += power / (2 * i + 1);
    }
    return all;
}

static Quad kahan(int count) {
    Quad all = 0, lost = 0;
    for (int i = 1; i <= count; i++) {
        Quad next = Q(1.0) / i - lost, sum = all + next;
        lost = sum - all - next;
        all = sum;
    }
    return all;
}

typedef struct {
    Quad at[3][3];
} Matrix;

NOINLINE Matrix times(Matrix a, const Matrix *b) {
    Matrix product;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            product.at[i][j] = 0;
            for (int k = 0; k < 3; k++)
                product.at[i][j] += a.at[i][k] * b->at[k][j];
        }
    return product;
}

typedef struct {
    Quad real, imaginary;
} Complex;

NOINLINE Complex square(Complex z) {
    Complex result = {z.real * z.real - z.imaginary * z.imaginary, 2 * z.real * z.imaginary};
    return result;
}

NOINLINE Quad many(Quad a, int b, Quad c, double d, Quad e, Quad f, Quad g, Quad h, Quad i, Quad j, float k, Quad l, int m) {
    return a + b * c - d * e + f / g - h * i + j * k - l * m;
}

NOINLINE Quad variable(int count, ...) {
    va_list list;
    va_start(list, count);
    Quad all = 0;
    for (int i = 0; i < count; i++)
        all = all * 3 + (i % 2 ? (Quad)va_arg(list, int) : va_arg(list, Quad));
    va_end(list);
    return all;
}

static Quad counter = Q(0.5);
static Quad (*const operations[])(Quad, Quad) = {sum, difference, product, quotient, greater};

int main(void) {
    arithmetic();
    conversions();
    show_quad("root", root(2));
    show_quad("euler", euler());
    show_quad("pi", 16 * arctangent_of_inverse(5) - 4 * arctangent_of_inverse(239));
    show_quad("kahan", kahan(300));
    Matrix a = {{{2, 1, Q(0.5)}, {0, Q(1.25), 3}, {1, 1, 1}}};
    Matrix power = a;
    for (int i = 0; i < 7; i++)
        power = times(power, &a);
    show_quad("matrix", power.at[0][2] / power.at[2][1]);
    Complex z = {Q(0.3), Q(0.4)};
    for (int i = 0; i < 5; i++)
        z = square(z);
    show_quad("real", z.real);
    show_quad("imaginary", z.imaginary);
    show_quad("many", many(1, 2, Q(0.3), 4.5, 5, 6, 7, 8, Q(0.9), 10, 1.5f, 12, 13));
    show_quad("variable", variable(7, Q(1.5), 2, Q(0.1), -4, Q(5e20), 6, Q(7.75)));
    for (size_t i = 0; i < LENGTH(operations); i++)
        counter = operations[i](counter, Q(1.1));
    show_quad("counter", counter);
    return 0;
}
