/* Text to numbers and back: every base, signs, limits and errors; Roman numerals; fixed-point decimals; dates. */
#include "platform.h"

typedef enum { FINE, NO_DIGITS, TOO_LARGE, REST } Status;
static const char *const statuses[] = {"fine", "no digits", "too large", "rest"};

static int digit(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 32;
    return c >= 'a' && c <= 'z' ? c - 'a' + 10 : 99;
}

static Status parse(const char *text, int base, int64_t *value) {
    while (*text == ' ')
        text++;
    bool minus = *text == '-';
    text += minus || *text == '+';
    if (base == 0) {
        base = *text != '0' ? 10 : (text[1] | 32) == 'x' ? 16 : (text[1] | 32) == 'b' ? 2 : 8;
        text += base == 16 || base == 2 ? 2 : 0;
    }
    uint64_t most = minus ? UINT64_C(1) << 63 : INT64_MAX, number = 0;
    Status status = digit(*text) < base ? FINE : NO_DIGITS;
    for (; digit(*text) < base; text++) {
        unsigned next = (unsigned)digit(*text);
        if (number > (most - next) / (unsigned)base) {
            number = most;
            status = TOO_LARGE;
        } else if (status == FINE) {
            number = number * (unsigned)base + next;
        }
    }
    *value = (int64_t)(minus ? 0 - number : number);
    return status == FINE && *text ? REST : status;
}

static void print(int64_t value, int base) {
    char text[66], *at = text + 65;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    *at = 0;
    do
        *--at = "0123456789abcdefghijklmnopqrstuvwxyz"[rest % (unsigned)base];
    while ((rest /= (unsigned)base) != 0);
    if (value < 0)
        *--at = '-';
    put_text(at);
}

static void roman(char *to, int n) {
    static const struct {
        short value;
        char text[3];
    } steps[] = {{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"},
                 {40, "XL"},  {10, "X"},   {9, "IX"},  {5, "V"},    {4, "IV"},  {1, "I"}};
    for (size_t i = 0; i < LENGTH(steps); i++)
        for (; n >= steps[i].value; n -= steps[i].value)
            for (const char *at = steps[i].text; *at; at++)
                *to++ = *at;
    *to = 0;
}

static int from_roman(const char *text) {
    static const char letters[] = "IVXLCDM";
    static const short values[] = {1, 5, 10, 50, 100, 500, 1000};
    int total = 0, last = 0;
    for (size_t i = strlen(text); i-- > 0;) {
        int at = 0;
        while (letters[at] != text[i])
            at++;
        total += values[at] < last ? -values[at] : values[at];
        last = values[at];
    }
    return total;
}

/* Decimals with six places, as multiples of a millionth. */
static int64_t decimal(const char *text) {
    bool minus = *text == '-';
    int64_t value = 0;
    int places = -1;
    for (text += minus; *text && places < 6; text++) {
        if (*text == '.') {
            places = 0;
        } else {
            value = value * 10 + (*text - '0');
            places += places >= 0;
        }
    }
    for (places = places < 0 ? 0 : places; places < 6; places++)
        value *= 10;
    return minus ? -value : value;
}

static void put_decimal(int64_t value) {
    put_text(value < 0 ? "-" : "");
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    put_unsigned(rest / 1000000);
    putchar('.');
    for (uint64_t part = rest % 1000000, unit = 100000; unit > 0; part %= unit, unit /= 10)
        putchar((int)('0' + part / unit));
    putchar('\n');
}

static int64_t days(int year, int month, int day) {
    year -= month <= 2;
    int era = (year >= 0 ? year : year - 399) / 400, of_era = year - era * 400;
    int of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return (int64_t)era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

int main(void) {
    static const struct {
        const char *text;
        int base;
    } cases[] = {{"0", 10}, {"-123", 10}, {" +77", 8}, {"0x7fffffffffffffff", 0}, {"0b1011", 0}, {"0755", 0},
                 {"zz", 36}, {"-9223372036854775808", 10}, {"9223372036854775808", 10}, {"-9223372036854775809", 10},
                 {"12a", 10}, {"", 10}, {"-", 10}, {"8", 8}, {"0x", 0}, {"99999999999999999999999", 10}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        int64_t value;
        Status status = parse(cases[i].text, cases[i].base, &value);
        put_text(statuses[status]);
        for (int base = 2; base <= 36; base += 17) {
            putchar(' ');
            print(value, base);
        }
        putchar('\n');
    }
    int wrong = 0;
    char text[20];
    for (int i = 1; i < 4000; i++) {
        roman(text, i);
        wrong += from_roman(text) != i;
    }
    roman(text, 1988);
    puts(text);
    say("wrong", wrong);
    put_decimal(decimal("3.14159265") * 2);
    put_decimal(decimal("-0.000001") + decimal("1"));
    put_decimal(decimal("-12.5") * decimal("0.3") / 1000000);
    say("days", days(2026, 11, 22) - days(2000, 2, 29));
    say("days", days(1969, 12, 31));
    say("days", days(-1, 1, 1));
    return 0;
}
