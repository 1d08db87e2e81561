/* State machines through pointers to functions: a comment stripper, a traffic light, a decoder of lines, a lexer. */
#include "platform.h"

/* Each state is a function that takes a character and returns the next state. */
typedef struct Stripper Stripper;
typedef struct State {
    struct State (*step)(Stripper *, char);
} State;

struct Stripper {
    State state;
    int comments, lines;
};

static State code(Stripper *, char), slash(Stripper *, char), block(Stripper *, char), star(Stripper *, char),
    line(Stripper *, char), quoted(Stripper *, char), escaped(Stripper *, char);

static State code(Stripper *stripper, char c) {
    (void)stripper;
    if (c == '/')
        return (State){slash};
    putchar(c);
    return (State){c == '"' ? quoted : code};
}
static State slash(Stripper *stripper, char c) {
    if (c == '*' || c == '/')
        return stripper->comments++, (State){c == '*' ? block : line};
    putchar('/');
    putchar(c);
    return (State){code};
}
static State block(Stripper *stripper, char c) {
    stripper->lines += c == '\n';
    return (State){c == '*' ? star : block};
}
static State star(Stripper *stripper, char c) {
    (void)stripper;
    return (State){c == '/' ? code : c == '*' ? star : block};
}
static State line(Stripper *stripper, char c) {
    if (c != '\n')
        return (State){line};
    stripper->lines++;
    return code(stripper, c);
}
static State quoted(Stripper *stripper, char c) {
    (void)stripper;
    putchar(c);
    return (State){c == '\\' ? escaped : c == '"' ? code : quoted};
}
static State escaped(Stripper *stripper, char c) {
    (void)stripper;
    putchar(c);
    return (State){quoted};
}

/* A table of transitions with actions. */
enum { RED, GREEN, YELLOW, OFF, STATES };
enum { TICK, FAULT, RESET, EVENTS };
static int shown[STATES];
static void show(int state) { shown[state]++; }
static void alarm(int state) { say("fault in", state); }
static const struct {
    signed char next;
    void (*action)(int);
} transitions[STATES][EVENTS] = {
    [RED] = {{GREEN, show}, {OFF, alarm}, {RED, NULL}},
    [GREEN] = {{YELLOW, show}, {OFF, alarm}, {RED, show}},
    [YELLOW] = {{RED, show}, {OFF, alarm}, {RED, NULL}},
    [OFF] = {{OFF, NULL}, {OFF, NULL}, {RED, show}},
};

/* Objects with tables of methods. */
typedef struct Shape Shape;
typedef struct {
    const char *name;
    int (*area)(const Shape *);
    void (*grow)(Shape *, int);
} Methods;
struct Shape {
    const Methods *methods;
    int width, height;
};
static int box_area(const Shape *shape) { return shape->width * shape->height; }
static int triangle_area(const Shape *shape) { return box_area(shape) / 2; }
static void grow_both(Shape *shape, int by) { shape->width += by, shape->height += by; }
static void grow_width(Shape *shape, int by) { shape->width += by; }
static const Methods box = {"box", box_area, grow_both}, triangle = {"triangle", triangle_area, grow_width};

/* A decoder that hands itself on: pairs of count and character, with escapes. */
typedef void *(*Decoder)(int *, char);
static void *count_state(int *, char);
static void *letter_state(int *count, char c) {
    while (*count > 0) {
        putchar(c);
        --*count;
    }
    return (void *)count_state;
}
static void *count_state(int *count, char c) {
    if (c < '0' || c > '9') {
        *count = *count ? *count : 1;
        return letter_state(count, c);
    }
    *count = *count * 10 + c - '0';
    return *count > 9 ? (void *)letter_state : (void *)count_state;
}

int main(void) {
    Stripper stripper = {.state = {code}};
    for (const char *at = "int a; /* one\n two ***/ b = \"/* no */ \\\" //\"; // rest\nc = a / b; /**/ d\n"; *at; at++)
        stripper.state = stripper.state.step(&stripper, *at);
    say("comments", stripper.comments);
    say("lines", stripper.lines);
    int state = RED;
    uint32_t seed = 11;
    for (int i = 0; i < 200; i++) {
        uint32_t roll = next_random(&seed) % 40;
        int event = roll == 0 ? FAULT : roll < 5 ? RESET : TICK, from = state;
        state = transitions[from][event].next;
        if (transitions[from][event].action)
            transitions[from][event].action(from);
    }
    for (int i = 0; i < STATES; i++)
        say("shown", shown[i]);
    Shape shapes[] = {{&box, 3, 4}, {&triangle, 6, 5}, {&box, 1, 1}};
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < LENGTH(shapes); i++) {
            say(shapes[i].methods->name, shapes[i].methods->area(&shapes[i]));
            shapes[i].methods->grow(&shapes[i], (int)i + 2);
        }
    int count = 0;
    Decoder decoder = count_state;
    for (const char *at = "3ab12c5-xyz"; *at; at++)
        decoder = (Decoder)decoder(&count, *at);
    putchar('\n');
    return 0;
}
