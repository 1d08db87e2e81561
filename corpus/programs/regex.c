/* A regular expression matcher by backtracking, and one by simulation of a nondeterministic automaton; both must
   agree. */
#include "platform.h"

/* ---- by backtracking: literals, `.`, `*`, `+`, `?`, classes, `^`, `$` ---- */

static const char *class_end(const char *at) {
    at += at[1] == '^' ? 2 : 1;
    do
        at++;
    while (*at != ']');
    return at + 1;
}

static const char *atom_end(const char *at) { return *at == '[' ? class_end(at) : *at == '\\' ? at + 2 : at + 1; }

static bool in_class(const char *at, char c) {
    bool inverted = at[1] == '^', found = false;
    at += inverted ? 2 : 1;
    do {
        if (at[1] == '-' && at[2] != ']') {
            found |= at[0] <= c && c <= at[2];
            at += 3;
        } else {
            found |= *at++ == c;
        }
    } while (*at != ']');
    return found != inverted;
}

static bool atom_matches(const char *at, char c) {
    if (c == 0)
        return false;
    switch (*at) {
    case '.': return true;
    case '[': return in_class(at, c);
    case '\\': return at[1] == 'd' ? c >= '0' && c <= '9' : at[1] == c;
    default: return *at == c;
    }
}

static const char *match_here(const char *pattern, const char *text) {
    if (!*pattern)
        return text;
    if (*pattern == '$' && !pattern[1])
        return *text ? NULL : text;
    const char *next = atom_end(pattern);
    if (*next == '*' || *next == '+') {
        const char *end = text;
        while (atom_matches(pattern, *end))
            end++;
        for (const char *least = text + (*next == '+'); end >= least; end--) {
            const char *rest = match_here(next + 1, end);
            if (rest)
                return rest;
        }
        return NULL;
    }
    if (*next == '?') {
        const char *rest = atom_matches(pattern, *text) ? match_here(next + 1, text + 1) : NULL;
        return rest ? rest : match_here(next + 1, text);
    }
    return atom_matches(pattern, *text) ? match_here(next, text + 1) : NULL;
}

static bool search(const char *pattern, const char *text, const char **from, const char **to) {
    bool anchored = *pattern == '^';
    pattern += anchored;
    for (*from = text;; ++*from) {
        *to = match_here(pattern, *from);
        if (*to)
            return true;
        if (anchored || !**from)
            return false;
    }
}

/* ---- by an automaton: one bit a state ---- */

typedef struct {
    const char *atoms[32];
    char repeat[32];
    int count;
    bool anchored, to_end;
} Automaton;

static void compile(Automaton *automaton, const char *pattern) {
    *automaton = (Automaton){.anchored = *pattern == '^'};
    for (pattern += automaton->anchored; *pattern;) {
        if (*pattern == '$' && !pattern[1]) {
            automaton->to_end = true;
            break;
        }
        const char *next = atom_end(pattern);
        automaton->atoms[automaton->count] = pattern;
        char repeat = *next == '*' || *next == '+' || *next == '?' ? *next++ : 0;
        automaton->repeat[automaton->count++] = repeat;
        pattern = next;
    }
}

static uint32_t closure(const Automaton *automaton, uint32_t states) {
    for (int i = 0; i < automaton->count; i++)
        if (states >> i & 1 && (automaton->repeat[i] == '*' || automaton->repeat[i] == '?'))
            states |= UINT32_C(2) << i;
    return states;
}

static bool accepts(const Automaton *automaton, const char *text) {
    uint32_t states = closure(automaton, 1), last = UINT32_C(1) << automaton->count;
    for (;; text++) {
        if (states & last && (!automaton->to_end || !*text))
            return true;
        if (!*text)
            return false;
        uint32_t next = automaton->anchored ? 0 : 1;
        for (int i = 0; i < automaton->count; i++) {
            if (!(states >> i & 1) || !atom_matches(automaton->atoms[i], *text))
                continue;
            next |= UINT32_C(2) << i;
            if (automaton->repeat[i] == '*' || automaton->repeat[i] == '+')
                next |= UINT32_C(1) << i;
        }
        states = closure(automaton, next);
    }
}

int main(void) {
    static const char *const patterns[] = {"a*b",    "^a*b$",    "[a-c]+d?", "\\d+\\.\\d*", "^[^ ]* [^ ]*$",
                                           "x.*y.*z", "colou?r", ".",        "^$",          "[]x]+",
                                           "a+a+a+$", "\\$\\d\\d"};
    static const char *const texts[] = {"",           "aaab",       "aab b",          "version 12.34",
        "colour me color",
                                        "x--y--y--z", "cabd cabbd", "price $45 ]]x]", "aaaa",          "two words"};
    int found = 0, differ = 0;
    for (size_t p = 0; p < LENGTH(patterns); p++) {
        Automaton automaton;
        compile(&automaton, patterns[p]);
        put_text(patterns[p]);
        for (size_t t = 0; t < LENGTH(texts); t++) {
            const char *from, *to;
            bool is_found = search(patterns[p], texts[t], &from, &to);
            found += is_found;
            differ += is_found != accepts(&automaton, texts[t]);
            putchar(' ');
            if (is_found) {
                put_signed(from - texts[t]);
                putchar('-');
                put_signed(to - texts[t]);
            } else {
                putchar('.');
            }
        }
        putchar('\n');
    }
    say("found", found);
    say("differ", differ);
    return 0;
}
