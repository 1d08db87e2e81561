/* A JSON reader into a tree, a printer, a path query, and errors with their place. Numbers are integers. */
#include "platform.h"

typedef enum { NOTHING, TRUTH, NUMBER, TEXT, LIST, OBJECT } Kind;

typedef struct Value Value;
struct Value {
    Kind kind;
    union {
        bool truth;
        int64_t number;
        char *text;
        Value *first;
    } as;
    char *key;
    Value *next;
};

typedef struct {
    const char *start, *at;
    const char *error;
} Reader;

static Value *value(Reader *reader, int depth);

static void skip(Reader *reader) {
    while (*reader->at == ' ' || *reader->at == '\n' || *reader->at == '\t')
        reader->at++;
}

static bool take(Reader *reader, char c) {
    skip(reader);
    if (*reader->at != c)
        return false;
    reader->at++;
    return true;
}

static Value *fail(Reader *reader, const char *error) {
    if (!reader->error)
        reader->error = error;
    return NULL;
}

static Value *make(Kind kind) {
    Value *made = malloc(sizeof *made);
    memset(made, 0, sizeof *made);
    made->kind = kind;
    return made;
}

static void release(Value *value) {
    while (value) {
        Value *next = value->next;
        if (value->kind == TEXT)
            free(value->as.text);
        if (value->kind == LIST || value->kind == OBJECT)
            release(value->as.first);
        free(value->key);
        free(value);
        value = next;
    }
}

static int hex(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 32;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static char *text(Reader *reader) {
    size_t size = 0, room = 8;
    char *made = malloc(room);
    while (*reader->at != '"') {
        int c = (unsigned char)*reader->at++;
        if (c < 32)
            return free(made), fail(reader, "control character in text"), NULL;
        if (c == '\\') {
            switch (c = *reader->at++) {
            case 'n': c = '\n'; break;
            case 't': c = '\t'; break;
            case 'u':
                c = 0;
                for (int i = 0; i < 4; i++) {
                    int digit = hex(*reader->at);
                    if (digit < 0)
                        return free(made), fail(reader, "bad \\u"), NULL;
                    c = c * 16 + digit;
                    reader->at++;
                }
                break;
            case '"': case '\\': case '/': break;
            default: return free(made), fail(reader, "unknown escape"), NULL;
            }
        }
        if (size + 4 > room) {
            char *larger = malloc(room * 2);
            memcpy(larger, made, size);
            free(made);
            made = larger;
            room *= 2;
        }
        if (c >= 0x800) {
            made[size++] = (char)(0xe0 | c >> 12);
            made[size++] = (char)(0x80 | (c >> 6 & 63));
            c = 0x80 | (c & 63);
        }
        made[size++] = (char)c;
    }
    reader->at++;
    made[size] = 0;
    return made;
}

static Value *number(Reader *reader) {
    bool minus = *reader->at == '-';
    reader->at += minus;
    uint64_t number = 0, most = (uint64_t)INT64_MAX + minus;
    if (*reader->at < '0' || *reader->at > '9')
        return fail(reader, "digit expected");
    for (; *reader->at >= '0' && *reader->at <= '9'; reader->at++) {
        unsigned digit = (unsigned)(*reader->at - '0');
        if (number > (most - digit) / 10)
            return fail(reader, "number too large");
        number = number * 10 + digit;
    }
    Value *made = make(NUMBER);
    made->as.number = (int64_t)(minus ? 0 - number : number);
    return made;
}

static Value *members(Reader *reader, Kind kind, int depth) {
    Value *whole = make(kind), **end = &whole->as.first;
    char last = kind == LIST ? ']' : '}';
    if (take(reader, last))
        return whole;
    do {
        char *key = NULL;
        if (kind == OBJECT) {
            if (!take(reader, '"') || !(key = text(reader)) || !take(reader, ':')) {
                free(key);
                release(whole);
                return fail(reader, "key expected");
            }
        }
        Value *member = value(reader, depth + 1);
        if (!member) {
            free(key);
            release(whole);
            return NULL;
        }
        member->key = key;
        *end = member;
        end = &member->next;
    } while (take(reader, ','));
    if (take(reader, last))
        return whole;
    release(whole);
    return fail(reader, "comma or end expected");
}

static bool word(Reader *reader, const char *word) {
    size_t size = strlen(word);
    for (size_t i = 0; i < size; i++)
        if (reader->at[i] != word[i])
            return false;
    reader->at += size;
    return true;
}

static Value *value(Reader *reader, int depth) {
    if (depth > 20)
        return fail(reader, "too deep");
    skip(reader);
    if (take(reader, '['))
        return members(reader, LIST, depth);
    if (take(reader, '{'))
        return members(reader, OBJECT, depth);
    if (take(reader, '"')) {
        char *read = text(reader);
        if (!read)
            return NULL;
        Value *made = make(TEXT);
        made->as.text = read;
        return made;
    }
    bool truth = word(reader, "true");
    if (truth || word(reader, "false")) {
        Value *made = make(TRUTH);
        made->as.truth = truth;
        return made;
    }
    return word(reader, "null") ? make(NOTHING) : number(reader);
}

static void print(const Value *value) {
    switch (value->kind) {
    case NOTHING: put_text("null"); return;
    case TRUTH: put_text(value->as.truth ? "true" : "false"); return;
    case NUMBER: put_signed(value->as.number); return;
    case TEXT:
        putchar('"');
        put_text(value->as.text);
        putchar('"');
        return;
    case LIST:
    case OBJECT:
        putchar(value->kind == LIST ? '[' : '{');
        for (const Value *member = value->as.first; member; member = member->next) {
            if (member->key) {
                put_text(member->key);
                putchar('=');
            }
            print(member);
            if (member->next)
                putchar(' ');
        }
        putchar(value->kind == LIST ? ']' : '}');
    }
}

static int64_t sum(const Value *value) {
    int64_t total = value->kind == NUMBER ? value->as.number : 0;
    if (value->kind == LIST || value->kind == OBJECT)
        for (const Value *member = value->as.first; member; member = member->next)
            total += sum(member);
    return total;
}

static const char *const documents[] = {
    "{\"name\": \"tribunal\", \"judges\": [1, 2, 3, -40], \"open\": false, \"none\": null}",
    " [ [], {}, [[[\"deep\", {\"a\": {\"b\": [9223372036854775807, -9223372036854775808]}}]]] ] ",
    "[\"tab\\tquote\\\" \\u0041\\u20ac\"]",
    "[1, 2",
    "{\"a\" 1}",
    "[9223372036854775808]",
    "[\"\\x\"]",
    "[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]",
    "[truth]",
};

int main(void) {
    for (size_t i = 0; i < LENGTH(documents); i++) {
        Reader reader = {documents[i], documents[i], NULL};
        Value *read = value(&reader, 0);
        if (read) {
            print(read);
            put_text(" sum ");
            put_signed(sum(read) / 1000);
        } else {
            put_text(reader.error);
            put_text(" at ");
            put_signed(reader.at - reader.start);
        }
        putchar('\n');
        release(read);
    }
    return 0;
}
