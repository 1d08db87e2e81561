/* Bit tricks. */
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
/* 64 bits everywhere. */
#if __SIZEOF_LONG__ == 8
typedef unsigned long u64;
#else
typedef unsigned long long u64;
#endif

int population(u64 x) {
    int n = 0;
    for (; x; x &= x - 1)
        n++;
    return n;
}

u32 swap_neighbours(u32 x) {
    x = (x & 0x55555555) << 1 | (x >> 1 & 0x55555555);
    x = (x & 0x33333333) << 2 | (x >> 2 & 0x33333333);
    return (x & 0x0f0f0f0f) << 4 | (x >> 4 & 0x0f0f0f0f);
}

int digits_base_five(u32 x) {
    int n = 1;
    while (x >= 5) {
        x /= 5;
        n++;
    }
    return n;
}

u8 parity(u64 x) {
    x ^= x >> 32;
    x ^= x >> 16;
    x ^= x >> 8;
    x ^= x >> 4;
    return 0x6996 >> (x & 15) & 1;
}

u64 morton(u16 x, u16 y) {
    u64 result = 0;
    for (int i = 0; i < 16; i++)
        result |= (u64)(x >> i & 1) << (2 * i) | (u64)(y >> i & 1) << (2 * i + 1);
    return result;
}

u32 next_power_of_two(u32 x) {
    x--;
    x |= x >> 1;
    x |= x >> 2;
    x |= x >> 4;
    x |= x >> 8;
    x |= x >> 16;
    return x + 1;
}

u16 gray(u16 x) { return x ^ x >> 1; }

u8 rotate8(u8 x, int n) { return (u8)(x << (n & 7) | x >> (-n & 7)); }

int sign_extend(u32 x, int bits) {
    bits &= 31;
    return bits ? (int)(x << (32 - bits)) >> (32 - bits) : 0;
}

long absolute(long x) { return x < 0 ? (long)(0ul - (u64)x) : x; }
