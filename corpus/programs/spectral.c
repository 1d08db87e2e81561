/* Norms and eigenvalues: matrices are functions of their indices, with callbacks that take doubles. Powers of the
   operator, inverse steps, Rayleigh's quotients, the discs of Gershgorin, and the same in float. */
#include "bits.h"

enum { SIZE = 40 };

typedef double (*Kernel)(double row, double column);
typedef float (*SmallKernel)(float row, float column);
typedef void (*Visit)(void *state, double a, double b, int64_t index, float weight);

typedef struct {
    float low, high;
} Disc;

/* Stops where the steps no longer fall. */
static NOINLINE double square_root(double value) {
    double root = value + 1, next = (root + value / root) / 2;
    while (next < root) {
        root = next;
        next = (root + value / root) / 2;
    }
    return root;
}

static double diagonals(double row, double column) {
    double both = row + column;
    return 1 / (both * (both + 1) * 0.5 + row + 1);
}

static double least(double row, double column) {
    return (row < column ? row : column) + 1;
}

static double cauchy(double row, double column) {
    return 1 / (row - column + 0.5);
}

static float small_diagonals(float row, float column) {
    float both = row + column;
    return 1 / (both * (both + 1) * 0.5f + row + 1);
}

static NOINLINE void apply(Kernel kernel, bool transposed, const double *in, double *out, unsigned size) {
    for (unsigned i = 0; i < size; i++) {
        double sum = 0;
        for (unsigned j = 0; j < size; j++)
            sum += (transposed ? kernel(j, i) : kernel(i, j)) * in[j];
        out[i] = sum;
    }
}

static NOINLINE double inner(const double *a, const double *b, unsigned size) {
    unsigned half = size / 2;
    return size == 1 ? *a * *b : inner(a, b, half) + inner(a + half, b + half, size - half);
}

/* The square root of the largest eigenvalue of the matrix times its transpose. */
static NOINLINE double norm(Kernel kernel, unsigned size, int rounds) {
    double vector[SIZE], between[SIZE], next[SIZE], value = 0;
    for (unsigned i = 0; i < size;)
        vector[i++] = 1;
    while (rounds-- > 0) {
        apply(kernel, false, vector, between, size);
        apply(kernel, true, between, next, size);
        value = inner(vector, next, size) / inner(vector, vector, size);
        double length = square_root(inner(next, next, size));
        for (unsigned i = 0; i < size; i++)
            vector[i] = next[i] / length;
    }
    return square_root(value);
}

static NOINLINE float norm_float(SmallKernel kernel, uint16_t size, int rounds) {
    float vector[SIZE], between[SIZE], value = 0;
    for (uint16_t i = 0; i < size; i++)
        vector[i] = 1;
    while (rounds-- > 0) {
        float above = 0, below = 0;
        for (uint16_t i = 0; i < size; i++) {
            between[i] = 0;
            for (uint16_t j = 0; j < size; j++)
                between[i] += kernel(i, j) * vector[j];
        }
        for (int8_t i = 0; i < size; i++) {
            float next = 0;
            for (int8_t j = 0; j < size; j++)
                next += kernel(j, i) * between[j];
            above += next * vector[i];
            below += vector[i] * vector[i];
            vector[i] = next;
        }
        value = above / below;
        for (int i = 0; i < size; i++)
            vector[i] /= value;
    }
    return (float)square_root(value);
}

static void each_row(Kernel kernel, int64_t size, Visit visit, void *state) {
    for (int64_t i = 0; i < size; i++) {
        double around = 0;
        for (uint64_t j = 0; j < (uint64_t)size; j++)
            around += j == (uint64_t)i ? 0 : __builtin_fabs(kernel((double)i, (double)j));
        visit(state, kernel(i, i), around, i, 1 / (float)(i + 1));
    }
}

static void widen(void *state, double centre, double radius, int64_t index, float weight) {
    Disc *disc = state;
    float low = (float)(centre - radius) + weight * 0x1p-10f, high = (float)(centre + radius) + index * 0x1p-20f;
    *disc = (Disc){low < disc->low ? low : disc->low, high > disc->high ? high : disc->high};
}

static void trace(void *state, double centre, double radius, int64_t index, float weight) {
    double *sums = state;
    sums[index & 1] += centre * weight;
    sums[2] += radius;
}

int main(void) {
    static const Kernel kernels[] = {diagonals, least, cauchy};
    for (size_t i = 0; i < LENGTH(kernels); i++) {
        Disc disc = {__builtin_inff(), -__builtin_inff()};
        double sums[3] = {0};
        for (unsigned size = 1; size <= SIZE; size = size * 3 + 1)
            show("norm", norm(kernels[i], size, 12));
        each_row(kernels[i], SIZE, widen, &disc);
        each_row(kernels[i], SIZE, trace, sums);
        show_float("low", disc.low);
        show_float("high", disc.high);
        for (int k = 0; k < 3; k++)
            show("sum", sums[k]);
    }
    show_float("float norm", norm_float(small_diagonals, SIZE, 12));
    return 0;
}
