// Loops in loops with more values than registers, cold ways through hot loops, and loops with two ways in: an allocator
// must know how often a block runs.

extern int cold(int a);

// Sixteen values live through the inner loop; those of the outer loop alone may lie in memory.
int pressed(const int *from, int rows, int columns) {
    int a = from[0], b = from[1], c = from[2], d = from[3], e = from[4], f = from[5], g = from[6], h = from[7];
    int outer0 = a ^ b, outer1 = c ^ d, outer2 = e ^ f, outer3 = g ^ h, outer4 = a + h, outer5 = b + g;
    int outer6 = c * f, outer7 = d * e, outer8 = a - d, outer9 = b - e;
    for (int i = 0; i < (rows & 3); i++) {
        for (int j = 0; j < (columns & 7); j++) {
            a += b ^ i, b -= c + j, c ^= d, d += e, e ^= f - a, f += g, g -= h, h ^= a;
        }
        outer0 += a, outer1 ^= b, outer2 -= c, outer3 += d, outer4 ^= e, outer5 += f, outer6 -= g, outer7 ^= h;
        outer8 += outer9, outer9 ^= outer0;
    }
    return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h ^ outer0 ^ outer1 ^ outer2 ^ outer3 ^ outer4 ^ outer5 ^ outer6 ^ outer7 ^ outer8;
}

// A call that seldom happens: the loop's values need no saved register on the way that is usual.
int seldom_called(const int *from, int count) {
    int sum = 0, product = 1, least = 0x7fffffff;
    for (int i = 0; i < (count & 15); i++) {
        int value = from[i & 7];
        if (__builtin_expect(value == 0x12345678, 0)) {
            value = cold(value + sum);
        }
        sum += value, product *= value | 1, least = value < least ? value : least;
    }
    return sum ^ product ^ least;
}

// Three loops, each in the other, whose bounds depend on the outer one.
int nested(int bound) {
    int sum = 0;
    for (int i = 0; i < (bound & 3); i++) {
        for (int j = i; j < 4; j++) {
            sum += i * j;
            for (int k = j; k > i; k--) {
                sum ^= k << (i + j);
            }
        }
    }
    return sum;
}

// A loop with two ways in.
int entered_twice(int a, int count) {
    int steps = count & 7, sum = a;
    if (a & 1) {
        goto middle;
    }
top:
    sum = sum * 3 + 1;
middle:
    sum ^= steps << 4;
    if (steps-- > 0) {
        goto top;
    }
    return sum;
}

// Two loops after each other that share values, and one that goes on for what the first has found.
int searched(const int *from, int wanted) {
    int place = 0, other = 7;
    while (place < 7 && from[place] != wanted) {
        place++;
    }
    while (other > place && from[other] >= wanted) {
        other--;
    }
    int sum = 0;
    for (int i = place; i <= other; i++) {
        if (from[i] == place) {
            continue;
        }
        if (from[i] == ~other) {
            break;
        }
        sum = (sum << 1) ^ from[i];
    }
    return sum + place * 8 + other;
}

// A machine in a loop: each way is a block, and what all of them read stays in registers.
int stepped(const unsigned char *code, int a, int b) {
    int c = a ^ b, d = a + b;
    for (int i = 0; i < 12; i++) {
        switch (code[i] & 7) {
        case 0: a += b; break;
        case 1: b ^= c; break;
        case 2: c -= d; break;
        case 3: d = (d << 3) | ((unsigned)d >> 29); break;
        case 4: if (a < b) { int t = a; a = b; b = t; } break;
        case 5: c = a * d; break;
        case 6: return a ^ d;
        default: d = ~d;
        }
    }
    return a + b + c + d;
}
