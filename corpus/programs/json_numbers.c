/* Numbers of JSON, read and printed with exact integer arithmetic: the text is the shortest that reads back as the
   same double or float. Reading rounds once, half to even, into subnormals and to infinity too. */
#include "bits.h"

typedef struct {
    uint32_t words[60];
    int used;
} Big;

/* The bits that a number has, and the power of two below which it has none. */
typedef struct {
    int precision, lowest;
} Format;

static const Format doubles = {53, -1074}, floats = {24, -149};

static void multiply(Big *big, uint32_t factor, uint32_t more) {
    uint64_t carry = more;
    for (int i = 0; i < big->used; i++) {
        carry += (uint64_t)big->words[i] * factor;
        big->words[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry)
        big->words[big->used++] = (uint32_t)carry;
}

static void multiply_often(Big *big, uint32_t factor, int times) {
    while (times-- > 0)
        multiply(big, factor, 0);
}

static void shift(Big *big, int by) {
    multiply_often(big, 0x80000000, by / 31);
    multiply(big, 1u << by % 31, 0);
}

static int compare(const Big *a, const Big *b) {
    if (a->used != b->used)
        return a->used < b->used ? -1 : 1;
    for (int i = a->used - 1; i >= 0; i--)
        if (a->words[i] != b->words[i])
            return a->words[i] < b->words[i] ? -1 : 1;
    return 0;
}

static void subtract(Big *from, const Big *what) {
    int64_t borrow = 0;
    for (int i = 0; i < from->used; i++) {
        borrow += (int64_t)from->words[i] - (i < what->used ? what->words[i] : 0);
        from->words[i] = (uint32_t)borrow;
        borrow >>= 32;
    }
    while (from->used && from->words[from->used - 1] == 0)
        from->used--;
}

static int length(const Big *big) {
    return big->used == 0 ? 0 : big->used * 32 - __builtin_clz(big->words[big->used - 1]);
}

/* The quotient, rounded half to even. */
static NOINLINE uint64_t divide(Big above, const Big *below) {
    uint64_t quotient = 0;
    for (int bit = 63; bit >= 0; bit--) {
        Big part = *below;
        shift(&part, bit);
        if (compare(&above, &part) >= 0) {
            subtract(&above, &part);
            quotient |= UINT64_C(1) << bit;
        }
    }
    shift(&above, 1);
    int order = compare(&above, below);
    return quotient + (order > 0 || (order == 0 && quotient & 1));
}

/* The number nearest to the digits times a power of ten. */
static NOINLINE double nearest(Big digits, int ten, Format format) {
    Big below = {{1}, 1};
    if (digits.used == 0 || ten < -400 || ten > 400)
        return ten > 400 ? __builtin_inf() : 0.0;
    multiply_often(ten < 0 ? &below : &digits, 10, ten < 0 ? -ten : ten);
    int unit = length(&digits) - length(&below) - format.precision - 1;
    double value;
    do {
        unit = unit + 1 < format.lowest ? format.lowest : unit + 1;
        Big above = digits, part = below;
        shift(unit < 0 ? &above : &part, unit < 0 ? -unit : unit);
        value = (double)divide(above, &part);
    } while (value > (double)(UINT64_C(1) << format.precision));
    for (; unit > 0; unit--)
        value *= 2;
    for (; unit < 0; unit++)
        value *= 0.5;
    return value;
}

/* -12.5e-3 and the like. */
static NOINLINE double read_number(const char *text, Format format) {
    Big digits = {.used = 0};
    bool negative = *text == '-', fraction = false;
    int ten = 0, exponent = 0;
    for (text += negative; *text && *text != 'e'; text++)
        if (*text == '.') {
            fraction = true;
        } else {
            multiply(&digits, 10, (uint32_t)(*text - '0'));
            ten -= fraction;
        }
    if (*text == 'e') {
        bool down = *++text == '-';
        for (text += down; *text; text++)
            exponent = exponent * 10 + *text - '0';
        ten += down ? -exponent : exponent;
    }
    double value = nearest(digits, ten, format);
    return negative ? -value : value;
}

/* The fewest digits that are read as the value, which is above 0. Returns the power of ten behind them. */
static NOINLINE int shortest(double value, Format format, uint64_t *digits) {
    int unit = (int)(bits_of(value) >> 52) - 1075;
    uint64_t part = (bits_of(value) & 0xfffffffffffff) | (unit > -1075 ? UINT64_C(1) << 52 : 0), limit = 1;
    unit += unit == -1075;
    for (int count = 1;; count++) {
        limit *= 10;
        int ten = (int)((unit + 64 - __builtin_clzll(part)) * 0.30103 + 1000) - 1000 - count;
        do {
            Big above = {{(uint32_t)part, (uint32_t)(part >> 32)}, part >> 32 ? 2 : 1}, below = {{1}, 1};
            shift(unit < 0 ? &below : &above, unit < 0 ? -unit : unit);
            multiply_often(ten < 0 ? &above : &below, 10, ten < 0 ? -ten : ten);
            *digits = divide(above, &below);
        } while (*digits >= limit && ++ten < 400);
        Big back = {{(uint32_t)*digits, (uint32_t)(*digits >> 32)}, *digits >> 32 ? 2 : 1};
        if (count == 18 || nearest(back, ten, format) == value)
            return ten;
    }
}

static size_t print(double value, Format format, char *text) {
    char *start = text, reversed[20];
    int count = 0, ten = 0;
    uint64_t digits = 0;
    if (value != value || value - value != 0)
        return memcpy(text, "null", 5), 4;
    if (bits_of(value) >> 63)
        *text++ = '-';
    if (value != 0)
        ten = shortest(__builtin_fabs(value), format, &digits);
    do
        reversed[count++] = (char)('0' + digits % 10);
    while (digits /= 10);
    while (count)
        *text++ = reversed[--count];
    *text++ = 'e';
    if (ten < 0)
        *text++ = '-';
    for (unsigned rest = (unsigned)(ten < 0 ? -ten : ten), unit = 100; unit; unit /= 10)
        *text++ = (char)('0' + rest / unit % 10);
    *text = 0;
    return (size_t)(text - start);
}

int main(void) {
    static const char *const texts[] = {
        "0", "-0.0", "1", "-1.5e0", "0.1", "123456789012345678901234567890", "9007199254740993", "1e22", "1e23",
        "4.9e-324", "2.4e-324", "2.2250738585072014e-308", "2.2250738585072011e-308", "1.7976931348623157e308",
        "1.7976931348623159e308", "16777217", "3.4028235e38", "3.4028236e38", "1.4e-45", "7e-46", "1e999", "-3.25e-7",
    };
    char text[40];
    for (size_t i = 0; i < LENGTH(texts); i++) {
        double value = read_number(texts[i], doubles);
        float small = (float)read_number(texts[i], floats);
        print(value, doubles, text);
        say_hex(text, bits_of(value));
        print(small, floats, text);
        say_hex(text, bits_of(small));
    }
    uint32_t state = 5;
    unsigned lost = 0, twice = 0, characters = 0;
    for (int i = 0; i < 40; i++) {
        uint64_t bits = (uint64_t)next_random(&state) << 32 | next_random(&state);
        uint32_t small_bits = i % 4 ? next_random(&state) : next_random(&state) >> 10;
        double value;
        float small;
        memcpy(&value, &bits, sizeof value);
        memcpy(&small, &small_bits, sizeof small);
        characters += (unsigned)print(value, doubles, text);
        lost += value - value == 0 && bits_of(read_number(text, doubles)) != bits;
        twice += (float)read_number(text, doubles) != (float)read_number(text, floats);
        characters += (unsigned)print(small, floats, text);
        puts(text);
        lost += small - small == 0 && (float)read_number(text, floats) != small;
    }
    say("lost", lost);
    say("rounded twice", twice);
    say("characters", characters);
    return 0;
}
