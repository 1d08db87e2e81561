/* SHA-256, with the constants computed from primes by integer roots, fed in pieces of all sizes. */
#include "platform.h"

typedef struct {
    uint32_t state[8];
    uint8_t block[64];
    size_t used;
    uint64_t bytes;
} Hash;

static uint32_t constants[64], start[8];

/* The largest r with r^power <= n * 2^(32 * power), cut to 32 bits: the fraction of a root. */
static uint32_t root_fraction(uint32_t n, int power) {
    uint64_t low = 0, high = (uint64_t)n << 32;
    /* Compares r^power / 2^(32 * power) with n by 32-bit limbs. */
    while (low + 1 < high) {
        uint64_t middle = low + (high - low) / 2;
        uint32_t product[8] = {1};
        for (int i = 0; i < power; i++) {
            uint32_t limbs[2] = {(uint32_t)middle, (uint32_t)(middle >> 32)};
            uint32_t next[8] = {0};
            for (int a = 0; a < 2; a++) {
                uint64_t carry = 0;
                for (int b = 0; a + b < 8; b++) {
                    carry += (uint64_t)limbs[a] * product[b] + next[a + b];
                    next[a + b] = (uint32_t)carry;
                    carry >>= 32;
                }
            }
            memcpy(product, next, sizeof product);
        }
        bool above = false;
        for (int i = power + 1; i < 8; i++)
            above |= product[i] != 0;
        if (above || product[power] >= n)
            high = middle;
        else
            low = middle;
    }
    return (uint32_t)low;
}

static void make_constants(void) {
    int count = 0;
    for (uint32_t n = 2; count < 64; n++) {
        bool prime = true;
        for (uint32_t d = 2; d * d <= n; d++)
            prime &= n % d != 0;
        if (!prime)
            continue;
        if (count < 8)
            start[count] = root_fraction(n, 2);
        constants[count++] = root_fraction(n, 3);
    }
}

static uint32_t rotate(uint32_t x, int by) { return x >> by | x << (32 - by); }

static void compress(uint32_t state[8], const uint8_t block[64]) {
    uint32_t w[64], v[8];
    for (int i = 0; i < 16; i++, block += 4)
        w[i] = (uint32_t)block[0] << 24 | (uint32_t)block[1] << 16 | (uint32_t)block[2] << 8 | block[3];
    for (int i = 16; i < 64; i++) {
        uint32_t a = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
        uint32_t b = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + a + w[i - 7] + b;
    }
    memcpy(v, state, sizeof v);
    for (int i = 0; i < 64; i++) {
        uint32_t s1 = rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25);
        uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
        uint32_t t1 = v[7] + s1 + choice + constants[i] + w[i];
        uint32_t s0 = rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22);
        uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t1;
        v[0] = t1 + s0 + majority;
    }
    for (int i = 0; i < 8; i++)
        state[i] += v[i];
}

static void begin(Hash *hash) {
    memcpy(hash->state, start, sizeof start);
    hash->used = 0;
    hash->bytes = 0;
}

static void update(Hash *hash, const void *data, size_t size) {
    const uint8_t *next = data;
    hash->bytes += size;
    while (size > 0) {
        size_t part = 64 - hash->used < size ? 64 - hash->used : size;
        memcpy(hash->block + hash->used, next, part);
        hash->used += part;
        next += part;
        size -= part;
        if (hash->used == 64) {
            compress(hash->state, hash->block);
            hash->used = 0;
        }
    }
}

static void finish(Hash *hash, uint8_t digest[32]) {
    uint64_t bits = hash->bytes * 8;
    uint8_t byte = 0x80, length[8];
    update(hash, &byte, 1);
    byte = 0;
    while (hash->used != 56)
        update(hash, &byte, 1);
    for (int i = 0; i < 8; i++)
        length[i] = (uint8_t)(bits >> (56 - 8 * i));
    update(hash, length, 8);
    for (int i = 0; i < 32; i++)
        digest[i] = (uint8_t)(hash->state[i / 4] >> (24 - i % 4 * 8));
}

static void show(const char *text) {
    Hash hash;
    uint8_t digest[32];
    begin(&hash);
    update(&hash, text, strlen(text));
    finish(&hash, digest);
    put_bytes(digest, 32);
    putchar('\n');
}

int main(void) {
    make_constants();
    show("");
    show("abc");
    show("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq");
    uint8_t data[300], digest[32] = {0};
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i * 31);
    Hash hash;
    begin(&hash);
    for (size_t size = 0; size < sizeof data; size += 7)
        update(&hash, data, size);
    finish(&hash, digest);
    put_bytes(digest, 32);
    putchar('\n');
    return 0;
}
