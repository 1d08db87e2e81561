/* Floating point: sums with and without compensation, the Mandelbrot set, planets, linear equations, conversions and
   comparisons at the corners. Products and sums are rounded apart, so every machine prints the same bits. */
#include "bits.h"

static double number_of(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static NOINLINE double plain_sum(const double *values, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += values[i];
    return sum;
}

static NOINLINE double kahan_sum(const double *values, int count) {
    double sum = 0, lost = 0;
    for (int i = 0; i < count; i++) {
        double term = values[i] - lost, next = sum + term;
        lost = (next - sum) - term;
        sum = next;
    }
    return sum;
}

static NOINLINE float float_sum(const float *values, int count) {
    float sum = 0;
    for (int i = 0; i < count; i++)
        sum += values[i];
    return sum;
}

static NOINLINE int escape(double x, double y, int most) {
    double a = 0, b = 0;
    for (int i = 0; i < most; i++) {
        double aa = a * a, bb = b * b;
        if (aa + bb > 4.0)
            return i;
        b = 2.0 * a * b + y;
        a = aa - bb + x;
    }
    return most;
}

static void mandelbrot(void) {
    for (int row = 0; row < 16; row++) {
        for (int column = 0; column < 56; column++) {
            int steps = escape(-2.2 + 3.2 * column / 56, -1.2 + 2.4 * row / 16, 60);
            putchar(" .:-=+*#%@"[steps * 9 / 60]);
        }
        putchar('\n');
    }
}

static double square_root(double value) {
    double root = value > 1 ? value : 1;
    for (int i = 0; i < 60; i++)
        root = 0.5 * (root + value / root);
    return root;
}

typedef struct {
    double place[3], speed[3], mass;
} Body;

static Body bodies[] = {
    {{0, 0, 0}, {0, 0, 0}, 39.5},
    {{4.84, -1.16, -0.10}, {0.6, 2.8, -0.02}, 0.037},
    {{8.34, 4.12, -0.4}, {-1.01, 1.82, 0.008}, 0.011},
    {{12.89, -15.11, -0.22}, {1.08, 0.86, -0.01}, 0.0017},
};

static double energy(void) {
    double sum = 0;
    for (size_t i = 0; i < LENGTH(bodies); i++) {
        const Body *one = &bodies[i];
        for (int axis = 0; axis < 3; axis++)
            sum += 0.5 * one->mass * one->speed[axis] * one->speed[axis];
        for (size_t j = i + 1; j < LENGTH(bodies); j++) {
            double distance = 0;
            for (int axis = 0; axis < 3; axis++) {
                double apart = one->place[axis] - bodies[j].place[axis];
                distance += apart * apart;
            }
            sum -= one->mass * bodies[j].mass / square_root(distance);
        }
    }
    return sum;
}

static void advance(double time) {
    for (size_t i = 0; i < LENGTH(bodies); i++)
        for (size_t j = i + 1; j < LENGTH(bodies); j++) {
            double apart[3], distance = 0;
            for (int axis = 0; axis < 3; axis++) {
                apart[axis] = bodies[i].place[axis] - bodies[j].place[axis];
                distance += apart[axis] * apart[axis];
            }
            double pull = time / (distance * square_root(distance));
            for (int axis = 0; axis < 3; axis++) {
                bodies[i].speed[axis] -= apart[axis] * bodies[j].mass * pull;
                bodies[j].speed[axis] += apart[axis] * bodies[i].mass * pull;
            }
        }
    for (size_t i = 0; i < LENGTH(bodies); i++)
        for (int axis = 0; axis < 3; axis++)
            bodies[i].place[axis] += time * bodies[i].speed[axis];
}

enum { SIZE = 6 };

/* Gaussian elimination with pivots: 0 if the matrix is singular. */
static int solve(double matrix[SIZE][SIZE], double *right) {
    for (int column = 0; column < SIZE; column++) {
        int pivot = column;
        for (int row = column + 1; row < SIZE; row++) {
            double one = matrix[row][column], best = matrix[pivot][column];
            if ((one < 0 ? -one : one) > (best < 0 ? -best : best))
                pivot = row;
        }
        if (matrix[pivot][column] == 0)
            return 0;
        for (int k = 0; k < SIZE; k++) {
            double kept = matrix[column][k];
            matrix[column][k] = matrix[pivot][k];
            matrix[pivot][k] = kept;
        }
        double kept = right[column];
        right[column] = right[pivot];
        right[pivot] = kept;
        for (int row = column + 1; row < SIZE; row++) {
            double factor = matrix[row][column] / matrix[column][column];
            for (int k = column; k < SIZE; k++)
                matrix[row][k] -= factor * matrix[column][k];
            right[row] -= factor * right[column];
        }
    }
    for (int row = SIZE - 1; row >= 0; row--) {
        for (int k = row + 1; k < SIZE; k++)
            right[row] -= matrix[row][k] * right[k];
        right[row] /= matrix[row][row];
    }
    return 1;
}

static NOINLINE unsigned relations(double a, double b) {
    return (unsigned)((a < b) | (a <= b) << 1 | (a > b) << 2 | (a >= b) << 3 | (a == b) << 4 | (a != b) << 5 |
                      !(a < b) << 6 | !(a >= b) << 7);
}

/* Ten numbers and ten integers: some of both go over the stack. */
static NOINLINE double many(double a, int b, float c, long d, double e, unsigned char f, float g, short h, double i,
                            int j, float k, double l, double m, float n, int o, double p, int q, long r) {
    return a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + g * 7 + h * 8 + i * 9 + j * 10 + k * 11 + l * 12 + m * 13 +
           n * 14 + o * 15 + p * 16 + q * 17 + r * 18;
}

typedef struct {
    double x;
    float y;
} Pair;

static NOINLINE Pair halved(Pair pair) {
    return (Pair){pair.x / 2, pair.y / 2};
}

static void corners(void) {
    static const uint64_t numbers[] = {
        0, 0x8000000000000000, 1, 0x3ff0000000000000, 0xbff8000000000000, 0x7fefffffffffffff, 0x7ff0000000000000,
        0xfff0000000000000, 0x7ff8000000000000,
    };
    for (size_t i = 0; i < LENGTH(numbers); i++)
        for (size_t j = 0; j < LENGTH(numbers); j++) {
            put_hex(relations(number_of(numbers[i]), number_of(numbers[j])), 2);
            putchar(j + 1 == LENGTH(numbers) ? '\n' : ' ');
        }
    static const double converted[] = {0.0, -0.75, 1.5, -2.5, 1e9, -2147483648.0, 4294967040.0, 9007199254740993.0};
    for (size_t i = 0; i < LENGTH(converted); i++) {
        say("to long", (int64_t)converted[i]);
        say_hex("to float", bits_of_float((float)converted[i]));
    }
    say_hex("from long", bits_of((double)INT64_MIN));
    say_hex("from unsigned long", bits_of((double)UINT64_MAX));
    say_hex("to float from long", bits_of_float((float)0x7fffffbfffffffffLL));
    say_hex("from unsigned", bits_of((double)UINT32_MAX));
}

int main(void) {
    static double values[1000];
    static float floats[1000];
    uint32_t state = 1;
    for (size_t i = 0; i < LENGTH(values); i++) {
        values[i] = (double)next_random(&state) / 4294967296.0 * (i % 7 == 0 ? 1e12 : 1e-3);
        floats[i] = (float)values[i];
    }
    say_hex("plain sum", bits_of(plain_sum(values, 1000)));
    say_hex("kahan sum", bits_of(kahan_sum(values, 1000)));
    say_hex("float sum", bits_of_float(float_sum(floats, 1000)));
    mandelbrot();
    say_hex("energy", bits_of(energy()));
    for (int i = 0; i < 200; i++)
        advance(0.01);
    say_hex("energy", bits_of(energy()));
    double matrix[SIZE][SIZE], right[SIZE];
    for (int i = 0; i < SIZE; i++) {
        for (int j = 0; j < SIZE; j++)
            matrix[i][j] = 1.0 / (i + j + 1) + (i == j);
        right[i] = i - 2.5;
    }
    say("solved", solve(matrix, right));
    for (int i = 0; i < SIZE; i++)
        say_hex("x", bits_of(right[i]));
    say_hex("many", bits_of(many(0.5, -1, 2.25f, 3, -4.125, 5, 6.5f, -7, 8.75, 9, -10.5f, 11, 12.5, 13.25f, -14, 15, 16, -17)));
    Pair pair = halved((Pair){3, 0.75f});
    say_hex("pair", bits_of(pair.x));
    say_hex("pair", bits_of_float(pair.y));
    corners();
    return 0;
}
