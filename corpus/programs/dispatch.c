/* Computed goto, and switches of every shape: dense, sparse, of ranges, of characters, of 64-bit values, nested. */
#include "platform.h"

enum { PUSH, ADD, SUB, MUL, DUP, OVER, SWAP, JUMP_IF, DROP, HALT };

NOINLINE static int64_t threaded(const int *code) {
    static const void *const labels[] = {&&push, &&add, &&sub, &&mul, &&dup, &&over, &&swap, &&jump_if, &&drop,
        &&halt};
    int64_t stack[32], *top = stack, kept;
#define NEXT goto *labels[*code++]
    NEXT;
push:
    *top++ = *code++;
    NEXT;
add:
    top--;
    top[-1] += *top;
    NEXT;
sub:
    top--;
    top[-1] -= *top;
    NEXT;
mul:
    top--;
    top[-1] *= *top;
    NEXT;
dup:
    *top = top[-1];
    top++;
    NEXT;
over:
    *top = top[-2];
    top++;
    NEXT;
swap:
    kept = top[-1];
    top[-1] = top[-2];
    top[-2] = kept;
    NEXT;
jump_if:
    code += *--top ? *code : 1;
    NEXT;
drop:
    top--;
    NEXT;
halt:
    return top[-1];
#undef NEXT
}

NOINLINE static int dense(int x) {
    switch (x) {
    case 0: return 7;
    case 1: return -3;
    case 2: return x * 9;
    case 3: return 11;
    case 4: x += 5; /* fall through */
    case 5: return x * 2;
    case 6: return -x;
    case 7: return 100;
    case 8: return 23;
    case 9: return x ^ 5;
    case 10: return 1;
    case 11: return 17;
    default: return 1000;
    }
}

NOINLINE static const char *sparse(unsigned x) {
    switch (x) {
    case 1: return "one";
    case 1000: return "thousand";
    case 1000000: return "million";
    case 0x80000000u: return "half";
    case 0xffffffffu: return "all";
    case 42: return "answer";
    default: return "?";
    }
}

NOINLINE static int classes(int c) {
    switch (c) {
    case '0' ... '9': return 1;
    case 'a' ... 'z': return 2;
    case 'A' ... 'Z': return 3;
    case ' ': case '\t': case '\n': return 4;
    case '+': case '-': case '*': case '/': case '%': case '&': case '|': return 5;
    case -128 ... -1: return 6;
    default: return 0;
    }
}

NOINLINE static int wide(int64_t x) {
    switch (x) {
    case INT64_MIN: return 1;
    case -1: return 2;
    case INT64_C(0x100000000): return 3;
    case INT64_C(0x100000001): return 4;
    case INT64_C(0x100000002): return 5;
    case INT64_C(0x100000003): return 6;
    case INT64_C(0x100000004): return 7;
    case INT64_C(0x100000006): return 8;
    case INT64_MAX: return 9;
    default: return 0;
    }
}

NOINLINE static unsigned nested(unsigned state, uint8_t byte) {
    switch (state & 3) {
    case 0:
        switch (byte >> 5) {
        case 0: return state + 1;
        case 1: return state + 2;
        case 2: case 3: return state * 3 + 1;
        case 7: return 0;
        default: return state ^ byte;
        }
    case 1: return state + (byte & 1 ? 1 : 3);
    case 2:
        switch (byte & 7) {
        case 0: case 2: case 4: return state << 1;
        case 1: return state >> 1;
        case 3: return ~state;
        default: return state + 5;
        }
    default: return state * 5 + byte;
    }
}

NOINLINE static void copy_unrolled(uint8_t *to, const uint8_t *from, unsigned count) {
    unsigned rounds = (count + 7) / 8;
    if (count == 0)
        return;
    switch (count % 8) {
    case 0: do { *to++ = *from++; /* fall through */
    case 7: *to++ = *from++; /* fall through */
    case 6: *to++ = *from++; /* fall through */
    case 5: *to++ = *from++; /* fall through */
    case 4: *to++ = *from++; /* fall through */
    case 3: *to++ = *from++; /* fall through */
    case 2: *to++ = *from++; /* fall through */
    case 1: *to++ = *from++;
    } while (--rounds > 0);
    }
}

/* A table of the distances between labels needs no relocation of an address. */
NOINLINE static unsigned stepped(const unsigned char *code) {
    static const int steps[] = {&&stop - &&stop, &&twice - &&stop, &&more - &&stop, &&inverted - &&stop};
    unsigned value = 1;
#define STEP goto *(&&stop + steps[*code++])
    STEP;
twice:
    value *= 2;
    STEP;
more:
    value += 5;
    STEP;
inverted:
    value = ~value;
    STEP;
stop:
    return value;
#undef STEP
}

int main(void) {
    static const int factorial[] = {PUSH, 1, PUSH, 12, OVER, OVER, MUL, SWAP, PUSH, 1, SUB, DUP, JUMP_IF, -9, DROP,
        HALT};
    static const int square[] = {PUSH, 9, DUP, MUL, PUSH, 4, SUB, HALT};
    say("factorial", threaded(factorial));
    say("square", threaded(square));
    for (int x = -1; x <= 12; x++) {
        put_signed(dense(x));
        putchar(' ');
    }
    putchar('\n');
    static const unsigned places[] = {0, 1, 42, 1000, 1000000, 0x80000000u, 0xffffffffu};
    for (size_t i = 0; i < LENGTH(places); i++)
        puts(sparse(places[i]));
    int counts[7] = {0};
    for (int c = -130; c < 130; c++)
        counts[classes(c)]++;
    for (int i = 0; i < 7; i++)
        say("class", counts[i]);
    for (int64_t x = 0xffffffff; x < 0x100000008; x++)
        putchar('0' + wide(x));
    putchar('0' + wide(INT64_MIN));
    putchar('0' + wide(INT64_MAX));
    putchar('0' + wide(-1));
    putchar('\n');
    unsigned state = 1;
    for (unsigned i = 0; i < 5000; i++)
        state = nested(state, (uint8_t)(i * 7 + state));
    say_hex("state", state);
    uint8_t from[40], to[40] = {0};
    for (unsigned i = 0; i < 40; i++)
        from[i] = (uint8_t)(i + 1);
    for (unsigned count = 0; count <= 40; count += 3) {
        copy_unrolled(to, from, count);
        putchar(to[count ? count - 1 : 0] + 40);
    }
    putchar('\n');
    static const unsigned char steps[] = {1, 2, 1, 1, 3, 2, 1, 0};
    say("steps", stepped(steps));
    return 0;
}
