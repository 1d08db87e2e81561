/* An interpreter of a small language whose values are doubles: a parser by recursion makes a tree, and an evaluator by
   recursion runs it, with functions that call themselves, loops, and builtins through pointers. */
#include "bits.h"

enum { MOST_NODES = 300, MOST_PARTS = 4, VARIABLES = 26 };

typedef struct {
    char name;
    uint8_t arguments;
    union {
        double (*unary)(double);
        double (*binary)(double, double);
        double (*ternary)(double, double, double);
    };
} Builtin;

/* # number, v variable, c call of a function, b builtin; = ? @ ; are themselves. */
typedef struct Node {
    char kind, name;
    uint8_t count;
    const Builtin *builtin;
    struct Node *parts[MOST_PARTS];
    double value;
} Node;

/* Goes by value, so that each call has its own variables. */
typedef struct {
    double values[VARIABLES];
} Scope;

typedef struct {
    double value;
    int64_t steps;
} Outcome;

static Node nodes[MOST_NODES], *functions[VARIABLES];
static int used;
static int64_t steps;

static double add(double a, double b) { return a + b; }
static double subtract(double a, double b) { return a - b; }
static double multiply(double a, double b) { return a * b; }
static double divide(double a, double b) { return a / b; }
static double below(double a, double b) { return a < b; }
static double not_above(double a, double b) { return !(a > b); }
static double same(double a, double b) { return a == b; }
static double single(double value) { return (float)value; }
static double negated(double value) { return -value; }

static double whole(double value) {
    if (!(value > -0x1p62 && value < 0x1p62))
        return value;
    double cut = (double)(int64_t)value;
    return cut > value ? cut - 1 : cut;
}

/* The exclusive or of two whole numbers, as unsigned ones of 32 bits. */
static double exclusive(double a, double b) {
    return (uint32_t)(int64_t)a ^ (uint32_t)(int64_t)b;
}

static double clamped(double low, double value, double high) {
    return value < low ? low : value > high ? high : value;
}

static const Builtin builtins[] = {
    {'+', 2, {.binary = add}},       {'-', 2, {.binary = subtract}},  {'*', 2, {.binary = multiply}},
    {'/', 2, {.binary = divide}},    {'<', 2, {.binary = below}},     {'!', 2, {.binary = not_above}},
    {'~', 2, {.binary = same}},      {'^', 2, {.binary = exclusive}}, {'s', 1, {.unary = single}},
    {'n', 1, {.unary = negated}},    {'w', 1, {.unary = whole}},      {'|', 3, {.ternary = clamped}},
};

static Node *parse(const char **text) {
    Node *node = &nodes[used++];
    char c = *(*text)++;
    if (c >= 'a' && c <= 'z') {
        *node = (Node){.kind = 'v', .name = c};
    } else if (c >= '0' && c <= '9') {
        *node = (Node){.kind = '#', .value = c - '0'};
        double place = 0;
        for (; (**text >= '0' && **text <= '9') || **text == '.'; ++*text) {
            if (**text == '.')
                place = 1;
            else
                node->value = place ? node->value + (**text - '0') * (place /= 10) : node->value * 10 + (**text - '0');
        }
    } else {
        char name = *(*text)++;
        *node = (Node){.kind = name >= 'A' && name <= 'Z' ? 'c' : name, .name = name};
        for (size_t i = 0; i < LENGTH(builtins); i++)
            if (builtins[i].name == name)
                node->kind = 'b', node->builtin = &builtins[i];
        while (*(*text)++ == ' ')
            node->parts[node->count++] = parse(text);
    }
    return node;
}

static double evaluate(const Node *node, Scope *scope);

static NOINLINE Outcome called(const Node *body, Scope scope, double more, float weight) {
    scope.values['z' - 'a'] = more * weight;
    return (Outcome){evaluate(body, &scope), steps};
}

static NOINLINE double evaluate(const Node *node, Scope *scope) {
    double values[MOST_PARTS] = {0}, value = 0;
    steps++;
    switch (node->kind) {
    case '#': return node->value;
    case 'v': return scope->values[node->name - 'a'];
    case '=': return scope->values[node->parts[0]->name - 'a'] = evaluate(node->parts[1], scope);
    case '?': return evaluate(node->parts[evaluate(node->parts[0], scope) ? 1 : 2], scope);
    case '@':
        while (evaluate(node->parts[0], scope) != 0)
            value = evaluate(node->parts[1], scope);
        return value;
    }
    for (int i = 0; i < node->count; i++)
        value = values[i] = evaluate(node->parts[i], scope);
    if (node->kind == 'c') {
        Outcome outcome = called(functions[node->name - 'A'], (Scope){{values[0], values[1], values[2]}}, value, 0.5f);
        return outcome.steps == steps ? outcome.value : -1;
    }
    if (node->kind == 'b')
        switch (node->builtin->arguments) {
        case 1: return node->builtin->unary(values[0]);
        case 2: return node->builtin->binary(values[0], values[1]);
        default: return node->builtin->ternary(values[0], values[1], values[2]);
        }
    return value;
}

int main(void) {
    static const char *const programs[] = {
        "F(? (< a 2) a (+ (F (- a 1)) (F (- a 2))))",
        "R(; (= x a) (@ (! (* x x) (* a 1)) (= x (* x 2))) "
        "(@ (< (* a 1.000000000000001) (* x x)) (= x (/ (+ x (/ a x)) 2))))",
        "P(; (= s 0) (= k 0) (@ (< k a) "
        "(; (= s (+ s (/ (? (~ k (* 2 (w (/ k 2)))) 4 (n 4)) (+ (* 2 k) 1)))) (= k (+ k 1)))) s)",
        "E(? (< b 0.000000000000001) b (+ b (E a (/ (* b a) c) (+ c 1))))",
        "S(; (= s 0) (@ (< 0 a) (; (= s (s (+ s (s 0.1)))) (= a (- a 1)))) s)",
        "N(+ (+ (< a b) (* 2 (! a b))) (+ (* 4 (~ a b)) (* 8 (~ (| 0 a 1) 0.5))))",
        "X(; (= x a) (@ (< 0 b) (; (= x (^ (* x 3) (w (/ x 7)))) "
        "(= x (- x (* 65521 (w (/ x 65521))))) (= b (- b 1)))) (+ x z))",
        "A(? (~ a 0) (+ b 1) (? (~ b 0) (A (- a 1) 1) (A (- a 1) (A a (- b 1)))))",
    };
    static const char *const calls[] = {
        "(F 15)", "(R 2)", "(R 12345.678)", "(R 0.0625)", "(P 500)", "(E 1 1 1)", "(E 2.5 1 1)", "(S 1000)", "(N 1 2)",
        "(N (/ 0 0) 1)", "(N (/ 1 0) (/ 2 0))", "(N (n 0) 0)", "(N (/ (n 1) 0) (/ 0 0))", "(/ 1 (n 0))", "(X 77 200)",
        "(A 2 3)", "(s 16777217)", "(w (n 2.5))", "(| 1 (/ 0 0) 2)", "(s (/ 1 3))",
    };
    for (size_t i = 0; i < LENGTH(programs); i++) {
        const char *text = programs[i] + 1;
        functions[*programs[i] - 'A'] = parse(&text);
    }
    for (size_t i = 0; i < LENGTH(calls); i++) {
        const char *text = calls[i];
        Scope scope = {{0}};
        int before = used;
        steps = 0;
        show(calls[i], evaluate(parse(&text), &scope));
        say("steps", steps);
        used = before;
    }
    say("nodes", used);
    return 0;
}
