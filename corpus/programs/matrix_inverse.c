/* Products and inverses of small matrices that pass by value: structs of two, three and four doubles or floats and of
   sixteen doubles, functions with a dozen arguments of both kinds, Cramer's rule, powers and rotations. */
#include "bits.h"

typedef struct {
    double m[4][4];
} Matrix;

/* Two by two: four floats are as many as AArch64 passes in registers. */
typedef struct {
    float a, b, c, d;
} Small;

typedef struct {
    double a[2];
} Pair;

typedef struct {
    struct {
        float x;
    } first;
    float rest[2];
} Triple;

typedef struct {
    int32_t numerator;
    double value;
} Tagged;

static NOINLINE Matrix product(Matrix a, Matrix b) {
    Matrix result = {{{0}}};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 4; k++)
                result.m[i][j] += a.m[i][k] * b.m[k][j];
    return result;
}

static NOINLINE Matrix identity(double scale) {
    Matrix result = {{{scale}}};
    result.m[1][1] = result.m[2][2] = result.m[3][3] = scale;
    return result;
}

/* Powers by recursion. */
static NOINLINE Matrix power(Matrix base, uint8_t exponent) {
    if (exponent == 0)
        return identity(1);
    Matrix half = power(base, exponent / 2);
    return exponent % 2 ? product(product(half, half), base) : product(half, half);
}

/* By Gauss and Jordan; the determinant goes out beside it. */
static NOINLINE Matrix inverse(Matrix from, double *determinant) {
    Matrix to = identity(1);
    *determinant = 1;
    for (int column = 0; column < 4; column++) {
        int pivot = column;
        for (int row = column; row < 4; row++)
            if (__builtin_fabs(from.m[row][column]) > __builtin_fabs(from.m[pivot][column]))
                pivot = row;
        double by = from.m[pivot][column];
        *determinant *= pivot == column ? by : -by;
        for (int k = 0; k < 4; k++) {
            double kept = from.m[pivot][k], other = to.m[pivot][k];
            from.m[pivot][k] = from.m[column][k];
            to.m[pivot][k] = to.m[column][k];
            from.m[column][k] = kept / by;
            to.m[column][k] = other / by;
        }
        for (int row = 0; row < 4; row++) {
            double factor = from.m[row][column];
            for (int k = 0; k < 4 && row != column; k++) {
                from.m[row][k] -= factor * from.m[column][k];
                to.m[row][k] -= factor * to.m[column][k];
            }
        }
    }
    return to;
}

static NOINLINE Small small_product(Small x, Small y) {
    return (Small){x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
}

static NOINLINE Small small_inverse(Small x) {
    float by = x.a * x.d - x.b * x.c;
    return (Small){x.d / by, -x.b / by, -x.c / by, x.a / by};
}

static NOINLINE double determinant(double a, double b, double c, double d, double e, double f, double g, double h,
                                   double i) {
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
}

/* Three equations: twelve numbers, four of them floats, and integers between them. */
static NOINLINE Triple cramer(double a, float b, int c, double d, double e, uint8_t f, float g, double h, double i,
                              double right, int64_t below, float last) {
    double whole = determinant(a, b, c, d, e, f, g, h, i);
    return (Triple){{(float)(determinant(right, b, c, below, e, f, last, h, i) / whole)},
                    {(float)(determinant(a, right, c, d, below, f, g, last, i) / whole),
                     (float)(determinant(a, b, right, d, e, below, g, h, last) / whole)}};
}

/* The structs meet the end of the registers. */
static NOINLINE Pair ends(Pair a, Triple b, Small c, Tagged d, float e, Pair f, Tagged g, int16_t h, double i) {
    double sum = a.a[0] + b.first.x * 2 + c.c * 3 + d.numerator / d.value + e * 5 + f.a[1] * 6;
    sum += g.value * 7 + h + i * 9;
    return (Pair){{sum, a.a[1] - b.rest[1] - c.d - (double)g.numerator * f.a[0]}};
}

int main(void) {
    Matrix matrix;
    uint32_t state = 3;
    for (int i = 0; i < 16; i++)
        matrix.m[i / 4][i % 4] = (int32_t)(next_random(&state) % 2001 - 1000) / (i == 5 ? 3.0 : 250.0);
    double value;
    Matrix inverted = inverse(matrix, &value), one = product(matrix, inverted), seventh = power(matrix, 7);
    show("determinant", value);
    for (int i = 0; i < 16; i++) {
        show("inverse", inverted.m[i / 4][i % 4]);
        show("one", one.m[i / 4][i % 4]);
        show("power", seventh.m[i / 4][i % 4]);
    }
    Small small = {1.5f, -2.25f, 0.1f, 7}, turned = {1, 0, 0, 1};
    for (int i = 0; i < 9; i++)
        turned = small_product(turned, i % 3 ? small : small_inverse(small));
    show_float("a", turned.a);
    show_float("b", turned.b);
    show_float("c", turned.c);
    show_float("d", turned.d);
    Triple solved = cramer(1.5, -2, 3, 0.25, 5, 6, 7.5f, -8, 9, 1e3, -12345678901, 0.3f);
    show_float("x", solved.first.x);
    show_float("y", solved.rest[0]);
    show_float("z", solved.rest[1]);
    Pair first = {{1, 2}}, second = {{-1e-3, 4}};
    Pair pair = ends(first, solved, small, (Tagged){7, 3}, 0.7f, second, (Tagged){INT32_MIN, -0.5}, -9, 1e9);
    show("ends", pair.a[0]);
    show("ends", pair.a[1]);
    return 0;
}
