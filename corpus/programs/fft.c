/* Fourier transforms: complex numbers of doubles and of floats pass by value through a recursive transform and one in
   place, with sines by series. Products of long integers are convolutions, rounded back to integers. */
#include "bits.h"

enum { SIZE = 64 };

typedef struct {
    double re, im;
} Complex;

typedef struct {
    float re, im;
} Small;

static NOINLINE Complex add(Complex a, Complex b) {
    return (Complex){a.re + b.re, a.im + b.im};
}

static NOINLINE Complex subtract(Complex a, Complex b) {
    return (Complex){a.re - b.re, a.im - b.im};
}

static NOINLINE Complex multiply(Complex a, Complex b) {
    return (Complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static NOINLINE Small small_step(Small a, Small b, Small turn, float sign) {
    return (Small){a.re + sign * (b.re * turn.re - b.im * turn.im), a.im + sign * (b.re * turn.im + b.im * turn.re)};
}

/* e to the power of i times the angle: both series at once, the terms going round the four quarters. */
static NOINLINE Complex unit(double angle) {
    double term = 1;
    Complex sum = {0, 0};
    for (int n = 0; n < 30; n++) {
        switch (n % 4) {
        case 0: sum.re += term; break;
        case 1: sum.im += term; break;
        case 2: sum.re -= term; break;
        default: sum.im -= term; break;
        }
        term = term * angle / (n + 1);
    }
    return sum;
}

/* Even places to the left half, odd ones to the right, and the halves by themselves. */
static void transform(Complex *values, unsigned count, unsigned stride, Complex *out, double direction) {
    if (count == 1) {
        *out = *values;
        return;
    }
    unsigned half = count / 2;
    transform(values, half, stride * 2, out, direction);
    transform(values + stride, half, stride * 2, out + half, direction);
    for (unsigned k = 0; k < half; k++) {
        Complex turn = unit(direction * 6.283185307179586 * k / count);
        Complex even = out[k], odd = multiply(turn, out[k + half]);
        out[k] = add(even, odd);
        out[k + half] = subtract(even, odd);
    }
}

static uint8_t mirrored(uint8_t place, int bits) {
    uint8_t result = 0;
    for (int i = 0; i < bits; i++)
        result = (uint8_t)(result << 1 | (place >> i & 1));
    return result;
}

static void transform_in_place(Small *values, int bits) {
    for (uint8_t i = 0; i < 1 << bits; i++) {
        uint8_t other = mirrored(i, bits);
        Small kept = values[i];
        if (i < other) {
            values[i] = values[other];
            values[other] = kept;
        }
    }
    for (int length = 2; length <= 1 << bits; length *= 2)
        for (int start = 0; start < 1 << bits; start += length)
            for (int k = 0; k < length / 2; k++) {
                Complex exact = unit(-6.283185307179586 * k / length);
                Small *first = &values[start + k], *second = first + length / 2, a = *first, b = *second;
                *first = small_step(a, b, (Small){(float)exact.re, (float)exact.im}, 1);
                *second = small_step(a, b, (Small){(float)exact.re, (float)exact.im}, -1);
            }
}

/* Both numbers have bytes as digits, lowest first. */
static void product(const uint8_t *a, const uint8_t *b, size_t digits) {
    static Complex left[SIZE], right[SIZE], left_out[SIZE], right_out[SIZE];
    for (size_t i = 0; i < SIZE; i++) {
        left[i] = (Complex){i < digits ? a[i] : 0, 0};
        right[i] = (Complex){i < digits ? b[i] : 0, 0};
    }
    transform(left, SIZE, 1, left_out, 1);
    transform(right, SIZE, 1, right_out, 1);
    for (size_t i = 0; i < SIZE; i++)
        left_out[i] = multiply(left_out[i], right_out[i]);
    transform(left_out, SIZE, 1, left, -1);
    uint64_t carry = 0, worst = 0;
    for (size_t i = 0; i < SIZE; i++) {
        uint64_t rounded = (uint64_t)(left[i].re / SIZE + 0.5);
        uint64_t error = (uint64_t)(__builtin_fabs(left[i].re / SIZE - (double)rounded) * 0x1p60);
        worst = error > worst ? error : worst;
        carry += rounded;
        put_hex(carry & 0xff, 2);
        carry >>= 8;
    }
    putchar('\n');
    say_hex("worst error", worst);
}

int main(void) {
    static Complex values[SIZE], out[SIZE], back[SIZE];
    static Small floats[SIZE];
    uint32_t state = 7;
    for (int i = 0; i < SIZE; i++) {
        values[i] = (Complex){(int32_t)next_random(&state) / 65536.0, (int16_t)next_random(&state)};
        floats[i] = (Small){(int8_t)next_random(&state), (float)(uint16_t)next_random(&state)};
    }
    transform(values, SIZE, 1, out, -1);
    transform(out, SIZE, 1, back, 1);
    transform_in_place(floats, 6);
    for (int i = 0; i < SIZE; i += 5) {
        show("re", out[i].re);
        show("im", out[i].im);
        show("back", subtract((Complex){back[i].re / SIZE, back[i].im / SIZE}, values[i]).re);
        say_hex("float re", bits_of_float(floats[i].re));
        say_hex("float im", bits_of_float(floats[i].im));
    }
    uint8_t a[24], b[24];
    for (size_t i = 0; i < LENGTH(a); i++) {
        a[i] = (uint8_t)next_random(&state);
        b[i] = (uint8_t)(255 - i);
    }
    product(a, b, LENGTH(a));
    return 0;
}
