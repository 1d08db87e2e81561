/* 128-bit arithmetic, saturation, mixed signs. */
typedef unsigned int u32;
/* One register and two, named for machines of 64 bits. */
typedef unsigned long u64;
#ifdef __SIZEOF_INT128__
typedef __int128 i128;
typedef unsigned __int128 u128;
#else
typedef long long i128;
typedef unsigned long long u128;
#endif
enum { BITS = 8 * sizeof(u64) };

u128 add128(u128 a, u128 b) { return a + b; }
i128 sub128(i128 a, i128 b) { return a - b; }
u128 multiply128(u64 a, u64 b) { return (u128)a * b; }
u128 product128(u128 a, u128 b) { return a * b; }
u128 left128(u128 a, int n) { return a << (n & (2 * BITS - 1)); }
i128 right128(i128 a, int n) { return a >> (n & (2 * BITS - 1)); }
int less128(i128 a, i128 b) { return a < b; }
int equal128(u128 a, u128 b) { return a == b; }

u64 multiply_high(u64 a, u64 b) { return (u64)((u128)a * b >> BITS); }

u32 add_saturating(u32 a, u32 b) {
    u32 sum = a + b;
    return sum < a ? 0xffffffffu : sum;
}

u32 sub_saturating(u32 a, u32 b) { return a > b ? a - b : 0; }

int clamp(int x, int low, int high) { return x < low ? low : x > high ? high : x; }

long mixed(signed char a, unsigned char b, short c, unsigned short d) { return (long)a * b - (long)c * d; }

u64 carry_chain(const u64 *a, const u64 *b, u64 *out) {
    u64 carry = 0;
    for (int i = 0; i < 8; i++) {
        u128 sum = (u128)a[i] + b[i] + carry;
        out[i] = (u64)sum;
        carry = (u64)(sum >> BITS);
    }
    return carry;
}

struct fields {
    u32 a : 3, b : 7, c : 11;
    int d : 11;
};

long bit_fields(struct fields *f, int x) {
    f->b = (u32)x;
    f->d = x >> 3;
    return (long)f->a + f->b * 2l + f->c * 3l + f->d;
}
