/* Numbers of 16 bits: conversions at the edges of every type, ties and subnormal numbers, sums and dot products, calls
   with more of them than there are registers. Each operation is rounded by itself: what an expression keeps of a wider
   one depends on the machine. */
#include "bits.h"

typedef _Float16 Half;

static inline uint16_t bits_of_half(Half value) {
    uint16_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline Half half_of(uint16_t bits) {
    Half value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#if defined __riscv && !defined __riscv_zfhmin
/* Older libraries of this machine lack the conversions. */
static uint16_t narrowed(uint64_t magnitude, int fraction, int bias, bool is_special) {
    int exponent = (int)(magnitude >> fraction);
    uint64_t significand = magnitude & (((uint64_t)1 << fraction) - 1);
    if (is_special)
        return significand ? 0x7e00 : 0x7c00;
    if (exponent)
        significand |= (uint64_t)1 << fraction;
    int scale = exponent - bias + 15, down = fraction - 10 + (scale < 1 ? 1 - scale : 0);
    if (scale > 30)
        return 0x7c00;
    if (down > fraction + 1)
        return 0;
    uint64_t kept = significand >> down, lost = significand & (((uint64_t)1 << down) - 1);
    uint64_t tie = (uint64_t)1 << (down - 1);
    kept += lost > tie || (lost == tie && (kept & 1));
    return (uint16_t)(kept + ((uint64_t)(scale < 1 ? 0 : scale - 1) << 10));
}

Half __truncsfhf2(float value) {
    uint32_t bits = bits_of_float(value), magnitude = bits & 0x7fffffff;
    return half_of((uint16_t)(bits >> 16 & 0x8000) | narrowed(magnitude, 23, 127, magnitude >= 0x7f800000));
}

Half __truncdfhf2(double value) {
    uint64_t bits = bits_of(value), magnitude = bits & 0x7fffffffffffffff;
    bool is_special = magnitude >= 0x7ff0000000000000;
    return half_of((uint16_t)(bits >> 48 & 0x8000) | narrowed(magnitude, 52, 1023, is_special));
}

float __extendhfsf2(Half value) {
    uint32_t bits = bits_of_half(value), magnitude = bits & 0x7fff, wide;
    if (magnitude >= 0x7c00)
        wide = 0x7f800000 | (magnitude & 0x3ff) << 13 | (magnitude > 0x7c00 ? 0x400000 : 0);
    else if (magnitude >= 0x400)
        wide = (magnitude << 13) + ((127 - 15) << 23);
    else if (magnitude == 0)
        wide = 0;
    else {
        uint32_t exponent = 127 - 14;
        for (; !(magnitude & 0x400); magnitude <<= 1)
            exponent--;
        wide = exponent << 23 | (magnitude & 0x3ff) << 13;
    }
    wide |= (bits & 0x8000) << 16;
    float result;
    memcpy(&result, &wide, sizeof result);
    return result;
}
#endif

static void show_half(const char *name, Half value) {
    say_hex(name, value == value ? bits_of_half(value) : 0x7e00);
}

static NOINLINE Half add(Half a, Half b) { return a + b; }
static NOINLINE Half subtract(Half a, Half b) { return a - b; }
static NOINLINE Half multiply(Half a, Half b) { return a * b; }
static NOINLINE Half divide(Half a, Half b) { return a / b; }
static NOINLINE Half negate(Half a) { return -a; }
static NOINLINE Half larger(Half a, Half b) { return a > b ? a : b; }
static NOINLINE Half from_float(float a) { return (Half)a; }
static NOINLINE Half from_double(double a) { return (Half)a; }
static NOINLINE Half from_signed(int32_t a) { return (Half)a; }
static NOINLINE Half from_unsigned(uint64_t a) { return (Half)a; }
static NOINLINE int32_t to_signed(Half a) { return (int32_t)a; }
static NOINLINE uint64_t to_unsigned(Half a) { return (uint64_t)a; }
static NOINLINE double to_double(Half a) { return a; }

static uint32_t hash = 2166136261u;

static void mix(Half value) {
    uint16_t bits = value == value ? bits_of_half(value) : 0x7e00;
    hash = (hash ^ (bits & 0xff)) * 16777619u;
    hash = (hash ^ bits >> 8) * 16777619u;
}

/* Zeros, subnormal numbers, ones, ties, greatest numbers, infinities, a NaN. */
static const uint16_t corners[] = {
    0x0000, 0x8000, 0x0001, 0x8001, 0x0002, 0x03ff, 0x0400, 0x0401, 0x1400, 0x3555, 0x3bff, 0x3c00, 0x3c01, 0xbc00,
    0x3e00, 0x4000, 0x4248, 0x5bff, 0x63ff, 0x6400, 0x6401, 0x7800, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00,
};

static void operations(void) {
    static Half (*const all[])(Half, Half) = {add, subtract, multiply, divide, larger};
    static const char *const names[] = {"sums", "differences", "products", "quotients", "larger"};
    for (size_t which = 0; which < LENGTH(all); which++) {
        for (size_t i = 0; i < LENGTH(corners); i++)
            for (size_t j = 0; j < LENGTH(corners); j++)
                mix(all[which](half_of(corners[i]), half_of(corners[j])));
        say_hex(names[which], hash);
    }
    uint32_t state = 16;
    for (int i = 0; i < 20000; i++) {
        Half a = half_of((uint16_t)next_random(&state)), b = half_of((uint16_t)next_random(&state));
        for (size_t which = 0; which < LENGTH(all); which++)
            mix(all[which](a, b));
    }
    say_hex("random", hash);
    show_half("tie to even", add(half_of(0x6800), (Half)1));
    show_half("tie to the next", add(half_of(0x6801), (Half)1));
    show_half("beyond", add(half_of(0x7bff), (Half)16));
    show_half("not beyond", add(half_of(0x7bff), half_of(0x4bff)));
    show_half("least by half", multiply(half_of(0x0001), half_of(0x3800)));
    show_half("three by half", multiply(half_of(0x0003), half_of(0x3800)));
    show_half("a third", divide((Half)1, (Half)3));
    show_half("nothing", subtract(half_of(0x7c00), half_of(0x7c00)));
    show_half("minus zero", negate((Half)0));
}

static void comparisons(void) {
    int less = 0, equal = 0, unordered = 0, not_greater = 0;
    for (size_t i = 0; i < LENGTH(corners); i++)
        for (size_t j = 0; j < LENGTH(corners); j++) {
            Half a = half_of(corners[i]), b = half_of(corners[j]);
            less += a < b;
            equal += a == b;
            unordered += a != a || b != b;
            not_greater += !(a > b);
        }
    say("less", less);
    say("equal", equal);
    say("unordered", unordered);
    say("not greater", not_greater);
}

static void conversions(void) {
    static const double numbers[] = {
        0.0,      -0.0,    65504.0, 65519.99,      65520.0,  -65520.0, 1e10,        5.9604644775390625e-8,
        2.98e-8,  2.99e-8, 1e-300,  1.00048828125, 1.000489, 2049.0,   2051.0,      0x1.002p0,
        0x1.0020000000001p0,        0x1.0060000p0, 6.1e-5,   0.333333, 3.14159265358979,
    };
    for (size_t i = 0; i < LENGTH(numbers); i++) {
        show_half("double", from_double(numbers[i]));
        show_half("float", from_float((float)numbers[i]));
    }
    double total = 0;
    for (uint32_t bits = 0; bits < 0x10000; bits++) {
        Half value = half_of((uint16_t)bits);
        double wide = to_double(value);
        if (wide == wide) {
            if (bits_of_half(from_double(wide)) != bits || bits_of_half(from_float((float)wide)) != bits)
                say_hex("changed", bits);
            if (wide - wide == 0)
                total += wide * (bits & 7);
        }
    }
    show("total", total);
    static const int32_t integers[] = {0, 1, -1, 2047, 2049, 2051, -4098, 65519, 65520, 16777217, INT_MAX, INT_MIN};
    for (size_t i = 0; i < LENGTH(integers); i++)
        show_half("integer", from_signed(integers[i]));
    for (int place = 0; place < 64; place += 3)
        show_half("power", from_unsigned(((uint64_t)1 << place) + 1));
    static const uint16_t whole[] = {0x0001, 0x3bff, 0x3c00, 0x3e00, 0x57ff, 0x7bff, 0x8001, 0xbbff};
    for (size_t i = 0; i < LENGTH(whole); i++) {
        say("signed", to_signed(half_of(whole[i])));
        say("unsigned", (int64_t)to_unsigned(half_of(whole[i])));
        say("minus", to_signed(negate(half_of(whole[i]))));
    }
}

static NOINLINE Half dot(const Half *a, const Half *b, size_t count) {
    Half sum = 0;
    for (size_t i = 0; i < count; i++) {
        Half product = a[i] * b[i];
        sum = sum + product;
    }
    return sum;
}

static NOINLINE float wide_dot(const Half *a, const Half *b, size_t count) {
    float sum = 0;
    for (size_t i = 0; i < count; i++) {
        float product = (float)a[i] * (float)b[i];
        sum += product;
    }
    return sum;
}

typedef struct {
    Half x, y, z;
} Point;

static NOINLINE Point cross(Point a, Point b) {
    Half xy = multiply(a.x, b.y), yx = multiply(a.y, b.x), yz = multiply(a.y, b.z);
    Half zy = multiply(a.z, b.y), zx = multiply(a.z, b.x), xz = multiply(a.x, b.z);
    return (Point){subtract(yz, zy), subtract(zx, xz), subtract(xy, yx)};
}

/* More than the registers of either kind. */
static NOINLINE Half many(Half a, int b, Half c, Half d, float e, Half f, Half g, Half h, Half i, Half j, double k,
                          Half l, Half m, Half n, Half o, Half p, Half q, Half r, Half s, Half t) {
    Half all[] = {a, c, d, f, g, h, i, j, l, m, n, o, p, q, r, s, t, (Half)b, (Half)e, (Half)k};
    Half sum = 0, weight = 1;
    for (size_t place = 0; place < LENGTH(all); place++) {
        sum = add(sum, multiply(all[place], weight));
        weight = add(weight, (Half)1);
    }
    return sum;
}

static void programs(void) {
    Half a[64], b[64];
    uint32_t state = 11;
    for (size_t i = 0; i < LENGTH(a); i++) {
        a[i] = (Half)((float)(int)(next_random(&state) % 2001 - 1000) / 256);
        b[i] = (Half)((float)(int)(next_random(&state) % 2001 - 1000) / 512);
    }
    show_half("dot", dot(a, b, LENGTH(a)));
    show_float("wide dot", wide_dot(a, b, LENGTH(a)));
    Point normal = cross((Point){a[0], a[1], a[2]}, (Point){b[0], b[1], b[2]});
    show_half("x", normal.x);
    show_half("y", normal.y);
    show_half("z", normal.z);
    show_half("many", many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20));
    /* A root by Newton's steps, until they stay. */
    Half root = 1, last = 0;
    for (int steps = 0; root != last && steps < 20; steps++) {
        last = root;
        root = multiply(half_of(0x3800), add(root, divide((Half)2, root)));
    }
    show_half("root", root);
    Half volatile stored = a[5];
    stored = stored + b[5];
    show_half("stored", stored);
}

int main(void) {
    operations();
    comparisons();
    conversions();
    programs();
    return 0;
}
