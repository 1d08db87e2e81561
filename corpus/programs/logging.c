/* A logger with levels, sinks and variable arguments handed on through several functions, a ring of kept lines. */
#include "platform.h"

typedef enum { TRACE, INFO, WARNING, ERROR } Level;
static const char *const level_names[] = {"trace", "info", "warning", "error"};

typedef struct Sink Sink;
struct Sink {
    void (*write)(Sink *, Level, const char *, va_list);
    Level least;
    Sink *next;
};

typedef struct {
    Sink sink;
    char line[4][40];
    unsigned count;
} Ring;

static size_t append(char *to, size_t at, size_t room, const char *text) {
    while (*text && at + 1 < room)
        to[at++] = *text++;
    to[at] = 0;
    return at;
}

static const char *digits(char buffer[24], int64_t value) {
    char *at = buffer + 23;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    *at = 0;
    do
        *--at = (char)('0' + rest % 10);
    while ((rest /= 10) != 0);
    if (value < 0)
        *--at = '-';
    return at;
}

/* `{i}` an int, `{l}` an int64_t, `{s}` a string, `{b}` a bool, `{p}` a pointer to int. */
static void render(char *to, size_t room, const char *how, va_list arguments) {
    char buffer[24];
    size_t at = 0;
    to[0] = 0;
    for (; *how; how++) {
        if (*how != '{') {
            char one[2] = {*how, 0};
            at = append(to, at, room, one);
            continue;
        }
        switch (how[1]) {
        case 'i': at = append(to, at, room, digits(buffer, va_arg(arguments, int))); break;
        case 'l': at = append(to, at, room, digits(buffer, va_arg(arguments, int64_t))); break;
        case 's': at = append(to, at, room, va_arg(arguments, const char *)); break;
        case 'b': at = append(to, at, room, va_arg(arguments, int) ? "yes" : "no"); break;
        case 'p': at = append(to, at, room, digits(buffer, *va_arg(arguments, int *))); break;
        default: at = append(to, at, room, "?"); break;
        }
        how += 2;
    }
}

static void to_output(Sink *sink, Level level, const char *how, va_list arguments) {
    char line[100];
    (void)sink;
    render(line, sizeof line, how, arguments);
    put_text(level_names[level]);
    put_text(": ");
    puts(line);
}

static void to_ring(Sink *sink, Level level, const char *how, va_list arguments) {
    Ring *ring = (Ring *)sink;
    char *line = ring->line[ring->count++ % LENGTH(ring->line)];
    line[0] = level_names[level][0];
    render(line + 1, sizeof ring->line[0] - 1, how, arguments);
}

static Sink *sinks;

static void log_list(Level level, const char *how, va_list arguments) {
    for (Sink *sink = sinks; sink; sink = sink->next) {
        if (level < sink->least)
            continue;
        va_list copy;
        va_copy(copy, arguments);
        sink->write(sink, level, how, copy);
        va_end(copy);
    }
}

static void log_line(Level level, const char *how, ...) {
    va_list arguments;
    va_start(arguments, how);
    log_list(level, how, arguments);
    va_end(arguments);
}

static int fail(int code, const char *how, ...) {
    va_list arguments;
    va_start(arguments, how);
    log_list(ERROR, how, arguments);
    va_end(arguments);
    return code;
}

static int64_t total(int count, ...) {
    va_list arguments;
    int64_t sum = 0;
    va_start(arguments, count);
    while (count-- > 0)
        sum = sum * 2 + (count % 2 ? va_arg(arguments, int64_t) : (int64_t)va_arg(arguments, int));
    va_end(arguments);
    return sum;
}

int main(void) {
    Sink output = {to_output, INFO, NULL};
    Ring ring = {.sink = {to_ring, TRACE, &output}};
    sinks = &ring.sink;
    int number = 12;
    log_line(TRACE, "not shown {i}", 1);
    log_line(INFO, "plain");
    log_line(INFO, "{i} {l} {s} {b} {p}", -5, INT64_MIN, "text", 1, &number);
    log_line(WARNING, "{i}{i}{i}{i}{i}{i}{i}{i}{i}{i} {l} {i} {l} {s}", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
            INT64_C(1) << 40,
             11, INT64_MAX, "end");
    say("code", fail(3, "file {s} line {i}", "a.c", 99));
    log_line(INFO, "{s} is cut in the ring, and kept whole here {b}", "a very long line", 0);
    for (size_t i = 0; i < LENGTH(ring.line); i++)
        puts(ring.line[(ring.count + i) % LENGTH(ring.line)]);
    say("total", total(11, 1, INT64_C(2), 3, INT64_C(4), 5, INT64_C(6), 7, INT64_C(8), 9, INT64_C(-10), 11));
    say("total", total(0));
    return 0;
}
