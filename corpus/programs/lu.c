/* Systems of linear equations by LU decomposition with pivots: factors in double and in float, residues that refine
   the solution, determinants, inverses of Hilbert's matrices, and singular ones. */
#include "bits.h"

enum { MOST = 9 };

typedef struct {
    double rows[MOST][MOST];
    uint8_t order[MOST], size;
    int8_t sign;
} Factors;

typedef struct {
    float rows[MOST][MOST];
    int size;
} Rough;

typedef double (*Entry)(int row, int column, double size);

static double hilbert(int row, int column, double size) {
    return 1 / (row + column + 1 + size * 0);
}

static double vandermonde(int row, int column, double size) {
    double base = (row - (int)size / 2) / 4.0;
    return column == 0 ? 1 : base * vandermonde(row, column - 1, size);
}

static double shuffled(int row, int column, double size) {
    return (uint32_t)(row * row * 7919 + (column + 3) * (row + 5) * column * 104729) % 101 / size - (int64_t)5;
}

static double singular(int row, int column, double size) {
    return row * size + column;
}

static void swap(void *a, void *b, size_t size) {
    double kept[MOST];
    memcpy(kept, a, size);
    memcpy(a, b, size);
    memcpy(b, kept, size);
}

/* 0 if a pivot is 0. */
static NOINLINE int decompose(Factors *factors) {
    int size = factors->size;
    factors->sign = 1;
    for (int i = 0; i < size; i++)
        factors->order[i] = (uint8_t)i;
    for (int column = 0; column < size; column++) {
        int pivot = column;
        for (int row = column + 1; row < size; row++)
            if (__builtin_fabs(factors->rows[row][column]) > __builtin_fabs(factors->rows[pivot][column]))
                pivot = row;
        if (pivot != column) {
            swap(factors->rows[pivot], factors->rows[column], sizeof factors->rows[0]);
            swap(&factors->order[pivot], &factors->order[column], 1);
            factors->sign = (int8_t)-factors->sign;
        }
        if (__builtin_fabs(factors->rows[column][column]) < 1e-13)
            return 0;
        for (int row = column + 1; row < size; row++) {
            double *to = factors->rows[row], factor = to[column] /= factors->rows[column][column];
            for (int k = column + 1; k < size; k++)
                to[k] -= factor * factors->rows[column][k];
        }
    }
    return 1;
}

static NOINLINE void substitute(const Factors *factors, const double *right, double *out) {
    int size = factors->size;
    for (int row = 0; row < size; row++) {
        out[row] = right[factors->order[row]];
        for (int k = 0; k < row; k++)
            out[row] -= factors->rows[row][k] * out[k];
    }
    for (int row = size - 1; row >= 0; row--) {
        for (int k = row + 1; k < size; k++)
            out[row] -= factors->rows[row][k] * out[k];
        out[row] /= factors->rows[row][row];
    }
}

/* The same with floats, from factors that are rounded. */
static NOINLINE void substitute_rough(Rough factors, const uint8_t *order, const float *right, float *out) {
    for (int row = 0; row < factors.size; row++) {
        out[row] = right[order[row]];
        for (int k = 0; k < row; k++)
            out[row] -= factors.rows[row][k] * out[k];
    }
    for (int row = factors.size - 1; row >= 0; row--) {
        for (int k = row + 1; k < factors.size; k++)
            out[row] -= factors.rows[row][k] * out[k];
        out[row] /= factors.rows[row][row];
    }
}

/* The largest residue; `out` comes nearer to the solution in each round, though its corrections are rough. */
static NOINLINE double refine(Entry entry, const Factors *factors, const double *right, double *out, int rounds) {
    Rough rough = {.size = factors->size};
    for (int i = 0; i < rough.size * MOST; i++)
        rough.rows[i / MOST][i % MOST] = (float)factors->rows[i / MOST][i % MOST];
    double worst = 0;
    for (int round = 0; round < rounds; round++) {
        float residue[MOST], correction[MOST];
        worst = 0;
        for (int row = 0; row < rough.size; row++) {
            double sum = right[row];
            for (int k = 0; k < rough.size; k++)
                sum -= entry(row, k, rough.size) * out[k];
            residue[row] = (float)sum;
            worst = __builtin_fabs(sum) > worst ? __builtin_fabs(sum) : worst;
        }
        substitute_rough(rough, factors->order, residue, correction);
        for (int row = 0; row < rough.size; row++)
            out[row] += correction[row];
    }
    return worst;
}

static void study(const char *name, Entry entry, uint8_t size) {
    Factors factors = {.size = size};
    double right[MOST], exact[MOST], rough[MOST] = {0};
    for (int i = 0; i < size; i++) {
        right[i] = i % 3 - 0.5;
        for (int j = 0; j < size; j++)
            factors.rows[i][j] = entry(i, j, size);
    }
    puts(name);
    if (!decompose(&factors)) {
        puts("no pivot");
        return;
    }
    double determinant = factors.sign;
    for (int i = 0; i < size; i++)
        determinant *= factors.rows[i][i];
    show("determinant", determinant);
    substitute(&factors, right, exact);
    show("residue", refine(entry, &factors, right, rough, 1));
    show("residue", refine(entry, &factors, right, rough, 4));
    for (int i = 0; i < size; i += 2) {
        show("exact", exact[i]);
        show("rough", rough[i]);
    }
}

int main(void) {
    study("Hilbert", hilbert, 4);
    study("Hilbert", hilbert, 7);
    study("Vandermonde", vandermonde, 8);
    study("shuffled", shuffled, 9);
    study("singular", singular, 6);
    return 0;
}
