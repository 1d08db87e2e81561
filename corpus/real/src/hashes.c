/* Hash functions. */
typedef unsigned char u8;
typedef unsigned int u32;
/* 64 bits everywhere. */
#if __SIZEOF_LONG__ == 8
typedef unsigned long u64;
#else
typedef unsigned long long u64;
#endif

u64 fnv1a(const u8 *data, u64 n) {
    u64 hash = 0xcbf29ce484222325u;
    n &= 127;
    for (u64 i = 0; i < n; i++)
        hash = (hash ^ data[i]) * 0x100000001b3ul;
    return hash;
}

u32 murmur_mix(u32 h) {
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    return h ^ h >> 16;
}

u64 split_mix(u64 x) {
    x += 0x9e3779b97f4a7c15ul;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ul;
    x = (x ^ x >> 27) * 0x94d049bb133111ebul;
    return x ^ x >> 31;
}

u32 djb2(const signed char *text) {
    u32 hash = 5381;
    for (int i = 0; i < 100 && text[i]; i++)
        hash = hash * 33 + (u32)text[i];
    return hash;
}

u32 rotate_mix(u32 a, u32 b, u32 c) {
    a -= c; a ^= c << 4 | c >> 28; c += b;
    b -= a; b ^= a << 6 | a >> 26; a += c;
    c -= b; c ^= b << 8 | b >> 24; b += a;
    return a ^ b ^ c;
}

u64 xorshift(u64 *state) {
    u64 x = *state;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return *state = x;
}
