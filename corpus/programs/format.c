/* Formatting in the way of printf, of our own: flags, width, precision, lengths, va_copy, counting without output. */
#include "platform.h"

typedef struct {
    char *to;
    size_t room, length;
} Sink;

static void put(Sink *sink, char c) {
    if (sink->length + 1 < sink->room)
        sink->to[sink->length] = c;
    sink->length++;
}

typedef struct {
    bool left, plus, zero, alternate;
    int width, precision;
} Style;

static void pad(Sink *sink, char c, int count) {
    while (count-- > 0)
        put(sink, c);
}

static void number(Sink *sink, Style style, uint64_t value, bool minus, unsigned base, bool capital) {
    char digits[64];
    const char *set = capital ? "0123456789ABCDEF" : "0123456789abcdef";
    const char *prefix = "";
    int count = 0;
    for (uint64_t rest = value; rest; rest /= base)
        digits[count++] = set[rest % base];
    int zeros = (style.precision < 0 ? 1 : style.precision) - count;
    if (style.alternate && base == 16 && value)
        prefix = capital ? "0X" : "0x";
    else if (style.alternate && base == 8 && zeros <= 0)
        prefix = "0";
    else if (minus)
        prefix = "-";
    else if (style.plus)
        prefix = "+";
    int size = (int)strlen(prefix) + count + (zeros > 0 ? zeros : 0);
    if (style.zero && !style.left && style.precision < 0 && size < style.width) {
        zeros = (zeros > 0 ? zeros : 0) + style.width - size;
        size = style.width;
    }
    if (!style.left)
        pad(sink, ' ', style.width - size);
    while (*prefix)
        put(sink, *prefix++);
    pad(sink, '0', zeros);
    while (count > 0)
        put(sink, digits[--count]);
    if (style.left)
        pad(sink, ' ', style.width - size);
}

static void text(Sink *sink, Style style, const char *text) {
    int size = 0;
    while ((style.precision < 0 || size < style.precision) && text[size])
        size++;
    if (!style.left)
        pad(sink, ' ', style.width - size);
    for (int i = 0; i < size; i++)
        put(sink, text[i]);
    if (style.left)
        pad(sink, ' ', style.width - size);
}

static int read_number(const char **at) {
    int value = 0;
    while (**at >= '0' && **at <= '9')
        value = value * 10 + (*(*at)++ - '0');
    return value;
}

static size_t format_list(char *to, size_t room, const char *at, va_list arguments) {
    Sink sink = {to, room, 0};
    for (; *at; at++) {
        if (*at != '%') {
            put(&sink, *at);
            continue;
        }
        Style style = {.precision = -1};
        for (at++;; at++) {
            if (*at == '-') style.left = true;
            else if (*at == '+') style.plus = true;
            else if (*at == '0') style.zero = true;
            else if (*at == '#') style.alternate = true;
            else break;
        }
        style.width = *at == '*' ? at++, va_arg(arguments, int) : read_number(&at);
        if (*at == '.') {
            at++;
            style.precision = *at == '*' ? at++, va_arg(arguments, int) : read_number(&at);
        }
        int longs = 0;
        for (; *at == 'l' || *at == 'h'; at++)
            longs += *at == 'l' ? 1 : -1;
        switch (*at) {
        case 'd': {
            int64_t value = longs == 2   ? va_arg(arguments, long long)
                            : longs == 1 ? va_arg(arguments, long)
                                         : va_arg(arguments, int);
            if (longs < 0)
                value = longs == -1 ? (short)value : (signed char)value;
            number(&sink, style, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, value < 0, 10, false);
            break;
        }
        case 'u': case 'x': case 'X': case 'o': {
            uint64_t value = longs == 2   ? va_arg(arguments, unsigned long long)
                             : longs == 1 ? va_arg(arguments, unsigned long)
                                          : va_arg(arguments, unsigned);
            style.plus = false;
            number(&sink, style, value, false, *at == 'u' ? 10 : *at == 'o' ? 8 : 16, *at == 'X');
            break;
        }
        case 'c': {
            char c[2] = {(char)va_arg(arguments, int), 0};
            text(&sink, style, c);
            break;
        }
        case 's': text(&sink, style, va_arg(arguments, const char *)); break;
        case '%': put(&sink, '%'); break;
        default: put(&sink, '?'); break;
        }
    }
    if (room > 0)
        to[sink.length < room ? sink.length : room - 1] = 0;
    return sink.length;
}

__attribute__((format(printf, 1, 2))) static void print(const char *how, ...) {
    va_list arguments, again;
    char small[24], *whole = small;
    va_start(arguments, how);
    va_copy(again, arguments);
    size_t length = format_list(small, sizeof small, how, arguments);
    va_end(arguments);
    if (length >= sizeof small) {
        whole = malloc(length + 1);
        format_list(whole, length + 1, how, again);
    }
    va_end(again);
    put_text(whole);
    if (whole != small)
        free(whole);
}

int main(void) {
    print("%d %u %x %X %o|\n", -42, 42u, 0xbeefu, 0xbeefu, 8u);
    print("|%5d|%-5d|%05d|%+d|%.3d|%8.4d|\n", 42, 42, -42, 42, 7, -7);
    print("|%#x|%#o|%#X|%#x|\n", 255u, 8u, 255u, 0u);
    print("|%10s|%-10s|%.3s|%*s|%-*s|\n", "right", "left", "truncated", 6, "a", 6, "b");
    print("%lld %llu %lx\n", INT64_MIN + 0LL, UINT64_MAX + 0ULL, 0xfffful);
    print("%hd %hhd %c%c%%\n", 70000, 300, 'o', 'k');
    print("%d %d %d %d %d %d %d %d %d %d %s %lld %c\n", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, "many", 11LL, 'x');
    print("%d %lld %d %lld %d %lld %d %lld %d %lld\n", 1, -2LL, 3, -4LL, 5, -6LL, 7, -8LL, 9, -10LL);
    print("[%.0d][%.*d][%5c][%-5c]\n", 0, 6, 1234, 'r', 'l');
    print("nothing\n");
    return 0;
}
