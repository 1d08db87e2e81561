// Calls of functions that are somewhere else: arguments in registers and on the stack, of every size, results that are
// kept over other calls, and callees behind pointers.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;

extern int one(int a);
extern long many(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j, long k);
extern int mixed(u8 a, u16 b, u32 c, long d, signed char e, short f, int g, u8 h, u16 i, signed char j, long long k);
extern long long wide(int a, long long b, int c, long long d, long long e, long long f);
extern void filled(char *buffer, int count);

// Three arguments lie on the stack.
long on_the_stack(long a, long b) {
    return many(a, b, a + b, a - b, a ^ b, a & b, a | b, ~a, 3 * b, a << 2, b >> 3) + a;
}

// Small arguments are extended as the convention says.
int of_every_size(u32 a, long b) {
    return mixed(a, a >> 3, a, b, a, a >> 5, a * 7, b, b >> 2, b >> 9, a + (long long)b) - 1;
}

// Pairs of registers, at even places where the convention asks for it.
long long in_pairs(int a, long long b) { return wide(a, b, a + 1, b - 1, b ^ a, b * 3) ^ b; }

// Results that live across other calls: more than there are registers for, or not.
int kept(int a) {
    int first = one(a), second = one(a + 1), third = one(first);
    int fourth = one(second ^ third);
    return first - second + third * fourth + one(fourth);
}

// A loop of calls, with a sum and a bound that live in it.
int summed(int count) {
    int sum = 0;
    for (int i = 0; i < (count & 7); i++) {
        sum += one(sum ^ i);
    }
    return sum;
}

// An object that a callee writes.
int of_a_buffer(int count) {
    char buffer[24];
    for (int i = 0; i < 24; i++) {
        buffer[i] = (char)(i * count);
    }
    filled(buffer, count);
    return buffer[count & 15] + buffer[23];
}

// A callee behind a pointer, after one that may change everything.
int behind_a_pointer(int (*callee)(int, long), int a) {
    int before = one(a);
    return callee(before, a) + before;
}

// A call in place of a return.
int left_by_a_call(int a, int b) { return a > b ? one(a - b) : one(b); }
