/* The runtime library, bit by bit: what tribunal's objects call. */
#define FUNCTIONS(size, word, unsigned_word)                                                                             \
    word __mul##size##3(word a, word b) {                                                                                \
        unsigned_word sum = 0, x = (unsigned_word)a, y = (unsigned_word)b;                                               \
        for (; y; y >>= 1, x <<= 1)                                                                                      \
            sum += x & -(y & 1);                                                                                         \
        return (word)sum;                                                                                                \
    }                                                                                                                    \
    static unsigned_word divide_##size(unsigned_word a, unsigned_word b, unsigned_word *rest) {                          \
        unsigned_word quotient = 0, r = 0;                                                                               \
        for (int bit = 8 * sizeof a - 1; bit >= 0; bit--) {                                                              \
            int carry = r >> (8 * sizeof a - 1);                                                                         \
            r = r << 1 | (a >> bit & 1);                                                                                 \
            if (carry || r >= b) {                                                                                       \
                r -= b;                                                                                                  \
                quotient |= (unsigned_word)1 << bit;                                                                     \
            }                                                                                                            \
        }                                                                                                                \
        *rest = r;                                                                                                       \
        return quotient;                                                                                                 \
    }                                                                                                                    \
    static unsigned_word magnitude_##size(word a) { return a < 0 ? -(unsigned_word)a : (unsigned_word)a; }               \
    unsigned_word __udiv##size##3(unsigned_word a, unsigned_word b) {                                                    \
        unsigned_word rest;                                                                                              \
        return divide_##size(a, b, &rest);                                                                               \
    }                                                                                                                    \
    unsigned_word __umod##size##3(unsigned_word a, unsigned_word b) {                                                    \
        unsigned_word rest;                                                                                              \
        divide_##size(a, b, &rest);                                                                                      \
        return rest;                                                                                                     \
    }                                                                                                                    \
    word __div##size##3(word a, word b) {                                                                                \
        unsigned_word rest, quotient = divide_##size(magnitude_##size(a), magnitude_##size(b), &rest);                   \
        return (word)((a < 0) != (b < 0) ? -quotient : quotient);                                                        \
    }                                                                                                                    \
    word __mod##size##3(word a, word b) {                                                                                \
        unsigned_word rest;                                                                                              \
        divide_##size(magnitude_##size(a), magnitude_##size(b), &rest);                                                  \
        return (word)(a < 0 ? -rest : rest);                                                                             \
    }

FUNCTIONS(si, int, unsigned)
FUNCTIONS(di, long long, unsigned long long)
#ifdef __SIZEOF_INT128__
FUNCTIONS(ti, __int128, unsigned __int128)
#endif
