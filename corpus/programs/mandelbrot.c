/* The Mandelbrot set and its relations, in double, in float and in fixed point: steps are pointers to functions that
   return complex numbers. Smooth colours need logarithms by series. */
#include "bits.h"

typedef struct {
    double re, im;
} Complex;

typedef Complex (*Step)(Complex z, Complex c);

typedef struct {
    uint16_t steps;
    float smooth;
} Escape;

static Complex square(Complex z, Complex c) {
    return (Complex){z.re * z.re - z.im * z.im + c.re, 2 * z.re * z.im + c.im};
}

static Complex cube(Complex z, Complex c) {
    double a = z.re * z.re, b = z.im * z.im;
    return (Complex){z.re * (a - 3 * b) + c.re, z.im * (3 * a - b) + c.im};
}

static Complex ship(Complex z, Complex c) {
    Complex positive = {z.re < 0 ? -z.re : z.re, __builtin_fabs(z.im)};
    return square(positive, c);
}

static Complex conjugate(Complex z, Complex c) {
    z.im = -z.im;
    return square(z, c);
}

/* The binary exponent, and the series of the inverse hyperbolic tangent for the rest. */
static NOINLINE double logarithm(double value) {
    uint64_t bits = bits_of(value);
    int exponent = (int)(bits >> 52) - 1023;
    bits = (bits & 0xfffffffffffff) | 0x3ff0000000000000;
    double part;
    memcpy(&part, &bits, sizeof part);
    double ratio = (part - 1) / (part + 1), power = ratio, sum = 0;
    for (int n = 1; n < 40; n += 2) {
        sum += power / n;
        power *= ratio * ratio;
    }
    return exponent * 0.6931471805599453 + 2 * sum;
}

static NOINLINE Escape escape(Step step, Complex z, Complex c, uint16_t most) {
    for (uint16_t i = 0; i < most; i++) {
        double size = z.re * z.re + z.im * z.im;
        if (size > 64)
            return (Escape){i, i + 1 - (float)(logarithm(logarithm(size) * 0.5) / 0.6931471805599453)};
        z = step(z, c);
    }
    return (Escape){most, -0.0f};
}

static NOINLINE int escape_float(float x, float y, int most) {
    float a = 0, b = 0;
    int i = 0;
    while (i < most && a * a + b * b <= 4) {
        float kept = a * a - b * b + x;
        b = 2 * a * b + y;
        a = kept;
        i++;
    }
    return i;
}

/* 28 bits after the point. */
static NOINLINE int escape_fixed(double x, double y, int most) {
    int64_t c = (int64_t)(x * 268435456), d = (int64_t)(y * 268435456), a = 0, b = 0;
    int i = 0;
    while (i < most && (a * a + b * b) / 268435456 <= 4 * 268435456LL) {
        int64_t kept = (a * a - b * b) / 268435456 + c;
        b = 2 * a * b / 268435456 + d;
        a = kept;
        i++;
    }
    return i;
}

static void picture(const char *name, Step step, const Complex *fixed, double scale) {
    uint32_t sum = 0;
    puts(name);
    for (int8_t row = -9; row <= 9; row++) {
        for (int8_t column = -30; column < 30; column++) {
            Complex place = {column * scale / 2, row * scale};
            Escape found = escape(step, fixed ? place : (Complex){0, 0}, fixed ? *fixed : place, 100);
            sum = sum * 33 + bits_of_float(found.smooth);
            putchar(" .:-=+*#%@"[found.steps * 9 / 100]);
        }
        putchar('\n');
    }
    say_hex("smooth", sum);
}

static void differences(void) {
    int different[3] = {0}, inside = 0;
    for (uint8_t row = 0; row < 40; row++)
        for (uint32_t column = 0; column < 40; column++) {
            double x = column / 16.0 - 2 + 0.013, y = row * 0.0625 - 1.25 + 0.007;
            int doubles = 0, floats = escape_float((float)x, (float)y, 200), fixed = escape_fixed(x, y, 200);
            for (Complex z = {0, 0}; doubles < 200 && z.re * z.re + z.im * z.im <= 4; doubles++)
                z = square(z, (Complex){x, y});
            different[0] += doubles != floats;
            different[1] += doubles != fixed;
            different[2] += floats != fixed;
            inside += doubles == 200;
        }
    say("double and float differ", different[0]);
    say("double and fixed differ", different[1]);
    say("float and fixed differ", different[2]);
    say_hex("area", bits_of(inside * 6.25 / 1600));
}

int main(void) {
    static const Step steps[] = {square, cube, ship, conjugate};
    static const char *const names[] = {"square", "cube", "ship", "conjugate"};
    for (size_t i = 0; i < LENGTH(steps); i++)
        picture(names[i], steps[i], NULL, 0.15);
    Complex rabbit = {-0.123, 0.745};
    picture("rabbit", square, &rabbit, 0.125);
    for (int64_t i = 1; i < 100000000000000; i *= 37)
        say_hex("logarithm", bits_of(logarithm((double)i / 1000)));
    differences();
    return 0;
}
