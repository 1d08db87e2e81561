/* Statistics of samples in every integer type and both kinds of numbers: mean, variance in one pass, roots by Newton,
   medians with numbers that are none, correlations, histograms, and results that saturate in each type. */
#include "bits.h"

enum { COUNT = 200 };

typedef struct {
    uint32_t count;
    double mean, squares, cubes;
    float low, high;
} Summary;

typedef double (*Reader)(const void *samples, size_t index);
typedef bool (*Before)(double, double);

static NOINLINE double square_root(double value) {
    if (!(value > 0) || value - value != 0)
        return value < 0 ? __builtin_nan("") : value;
    double scale = 1, root = 1;
    for (; value > 4; value *= 0.25)
        scale *= 2;
    for (; value < 1; value *= 4)
        scale *= 0.5;
    for (int i = 0; i < 7; i++)
        root = 0.5 * (root + value / root);
    return root * scale;
}

#define READER(type)                                                                                                 \
    static double read_##type(const void *samples, size_t index) {                                                   \
        return (double)((const type *)samples)[index];                                                               \
    }                                                                                                                \
    static void fill_##type(void *samples, uint32_t *state) {                                                        \
        for (size_t i = 0; i < COUNT; i++)                                                                           \
            ((type *)samples)[i] = (type)((uint64_t)next_random(state) << 32 | next_random(state));                  \
    }
READER(int8_t)
READER(uint8_t)
READER(int16_t)
READER(uint16_t)
READER(int32_t)
READER(uint32_t)
READER(int64_t)
READER(uint64_t)
READER(float)
READER(double)

/* The moments follow each sample, without a second pass. */
static NOINLINE Summary with(Summary all, double sample) {
    double before = all.count, apart = sample - all.mean, share = apart / ++all.count, term = apart * share * before;
    all.cubes += term * share * (before - 1) - 3 * share * all.squares;
    all.squares += term;
    all.mean += share;
    all.low = (float)sample < all.low ? (float)sample : all.low;
    all.high = (float)sample > all.high ? (float)sample : all.high;
    return all;
}

#define SATURATE(type, low, high, beyond)                                                                             \
    static NOINLINE type to_##type(double value) {                                                                   \
        return value != value ? 0 : value <= low ? low : value >= beyond ? high : (type)value;                       \
    }
SATURATE(int8_t, INT8_MIN, INT8_MAX, 127.0)
SATURATE(uint16_t, 0, UINT16_MAX, 65535.0)
SATURATE(int32_t, INT32_MIN, INT32_MAX, 0x1p31)
SATURATE(int64_t, INT64_MIN, INT64_MAX, 0x1p63)
SATURATE(uint64_t, 0, UINT64_MAX, 0x1p64)

static bool ascending(double a, double b) {
    return a < b || (a == a && b != b);
}

static bool farther(double a, double b) {
    return !(__builtin_fabs(a) <= __builtin_fabs(b)) && a == a;
}

static void sort(double *values, size_t count, Before before) {
    for (size_t i = 1; i < count; i++) {
        double value = values[i];
        size_t place = i;
        for (; place > 0 && before(value, values[place - 1]); place--)
            values[place] = values[place - 1];
        values[place] = value;
    }
}

static void histogram(const void *samples, Reader reader, float low, float high) {
    uint8_t bins[12] = {0};
    float width = (high - low) / LENGTH(bins);
    for (size_t i = 0; i < COUNT; i++) {
        int bin = (int)(((float)reader(samples, i) - low) / width);
        bins[bin < 0 ? 0 : bin > 11 ? 11 : bin]++;
    }
    for (size_t i = 0; i < LENGTH(bins); i++) {
        put_unsigned(bins[i]);
        putchar(i + 1 < LENGTH(bins) ? ' ' : '\n');
    }
}

static void report(const char *name, const void *samples, Reader reader, Reader other_reader, const void *others) {
    Summary all = {.low = __builtin_inff(), .high = -__builtin_inff()}, other = all;
    double sorted[COUNT], together = 0;
    for (size_t i = 0; i < COUNT; i++) {
        sorted[i] = reader(samples, i);
        all = with(all, sorted[i]);
        other = with(other, other_reader(others, i));
        together += (sorted[i] - all.mean) * (other_reader(others, i) - other.mean);
    }
    puts(name);
    double deviation = square_root(all.squares / (all.count - 1));
    show("mean", all.mean);
    show("deviation", deviation);
    show("skewness", all.cubes / (COUNT * deviation * deviation * deviation));
    show("correlation", together / (square_root(all.squares) * square_root(other.squares)));
    sort(sorted, COUNT, ascending);
    show("median", (sorted[COUNT / 2 - 1] + sorted[COUNT / 2]) / 2);
    say("int8", to_int8_t(all.mean));
    say("uint16", to_uint16_t(all.mean));
    say("int32", to_int32_t(deviation * 0.75));
    say("int64", to_int64_t(deviation * -1.75));
    say_hex("uint64", to_uint64_t(all.high));
    histogram(samples, reader, all.low, all.high);
}

int main(void) {
    static uint64_t samples[COUNT], others[COUNT];
    uint32_t state = 17;
    fill_double(others, &state);
#define REPORT(type) fill_##type(samples, &state), report(#type, samples, read_##type, read_double, others)
    REPORT(int8_t);
    REPORT(uint8_t);
    REPORT(int16_t);
    REPORT(uint16_t);
    REPORT(int32_t);
    REPORT(uint32_t);
    REPORT(int64_t);
    REPORT(uint64_t);
    REPORT(float);
    REPORT(double);
    double none = __builtin_nan(""), endless = __builtin_inf();
    double odd[] = {3, none, -endless, -0.0, 0x1p-1074, none, 1e308, -7, 0, endless};
    sort(odd, LENGTH(odd), ascending);
    for (size_t i = 0; i < LENGTH(odd); i++)
        show("ascending", odd[i]);
    sort(odd, LENGTH(odd), farther);
    for (size_t i = 0; i < LENGTH(odd); i++) {
        show("root", square_root(odd[i]));
        say("saturated", to_int64_t(odd[i]));
    }
    return 0;
}
