/* Checksums by bits and by tables: CRC-8, CRC-16, CRC-32, CRC-64, Adler, Fletcher, FNV, Murmur and SipHash. */
#include "platform.h"

static uint32_t table32[256];
static uint64_t table64[256];
static uint16_t table16[256];

static void make_tables(void) {
    for (unsigned i = 0; i < 256; i++) {
        uint32_t a = i;
        uint64_t b = i;
        uint16_t c = (uint16_t)(i << 8);
        for (int bit = 0; bit < 8; bit++) {
            a = a >> 1 ^ (0xedb88320 & -(a & 1));
            b = b >> 1 ^ (0xc96c5795d7870f42 & -(b & 1));
            c = (uint16_t)(c << 1 ^ (c & 0x8000 ? 0x1021 : 0));
        }
        table32[i] = a;
        table64[i] = b;
        table16[i] = c;
    }
}

static uint8_t crc8(const uint8_t *data, size_t size) {
    uint8_t crc = 0;
    while (size-- > 0) {
        crc ^= *data++;
        for (int bit = 0; bit < 8; bit++)
            crc = (uint8_t)(crc & 0x80 ? crc << 1 ^ 7 : crc << 1);
    }
    return crc;
}

static uint16_t crc16(const uint8_t *data, size_t size) {
    uint16_t crc = 0xffff;
    while (size-- > 0)
        crc = (uint16_t)(crc << 8 ^ table16[(crc >> 8 ^ *data++) & 255]);
    return crc;
}

static uint32_t crc32(const uint8_t *data, size_t size) {
    uint32_t crc = ~UINT32_C(0);
    while (size-- > 0)
        crc = crc >> 8 ^ table32[(crc ^ *data++) & 255];
    return ~crc;
}

static uint64_t crc64(const uint8_t *data, size_t size) {
    uint64_t crc = ~UINT64_C(0);
    while (size-- > 0)
        crc = crc >> 8 ^ table64[(crc ^ *data++) & 255];
    return ~crc;
}

static uint32_t adler(const uint8_t *data, size_t size) {
    uint32_t a = 1, b = 0;
    while (size-- > 0) {
        a = (a + *data++) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

static uint16_t fletcher(const uint8_t *data, size_t size) {
    uint16_t a = 0, b = 0;
    while (size-- > 0) {
        a = (uint16_t)((a + *data++) % 255);
        b = (uint16_t)((a + b) % 255);
    }
    return (uint16_t)(b << 8 | a);
}

static uint64_t fnv(const uint8_t *data, size_t size) {
    uint64_t hash = 14695981039346656037u;
    while (size-- > 0)
        hash = (hash ^ *data++) * 1099511628211u;
    return hash;
}

static uint32_t rotate32(uint32_t x, int by) { return x << by | x >> (32 - by); }
static uint64_t rotate64(uint64_t x, int by) { return x << by | x >> (64 - by); }

static uint32_t murmur(const uint8_t *data, size_t size, uint32_t seed) {
    uint32_t hash = seed, word;
    size_t rest = size;
    for (; rest >= 4; rest -= 4, data += 4) {
        memcpy(&word, data, 4);
        hash = rotate32(hash ^ rotate32(word * 0xcc9e2d51, 15) * 0x1b873593, 13) * 5 + 0xe6546b64;
    }
    word = 0;
    switch (rest) {
    case 3: word ^= (uint32_t)data[2] << 16; /* fall through */
    case 2: word ^= (uint32_t)data[1] << 8; /* fall through */
    case 1: hash ^= rotate32((word ^ data[0]) * 0xcc9e2d51, 15) * 0x1b873593;
    }
    hash ^= (uint32_t)size;
    hash = (hash ^ hash >> 16) * 0x85ebca6b;
    hash = (hash ^ hash >> 13) * 0xc2b2ae35;
    return hash ^ hash >> 16;
}

typedef struct {
    uint64_t v[4];
} Sip;

static void sip_round(Sip *sip) {
    uint64_t *v = sip->v;
    v[0] += v[1], v[1] = rotate64(v[1], 13) ^ v[0], v[0] = rotate64(v[0], 32);
    v[2] += v[3], v[3] = rotate64(v[3], 16) ^ v[2];
    v[0] += v[3], v[3] = rotate64(v[3], 21) ^ v[0];
    v[2] += v[1], v[1] = rotate64(v[1], 17) ^ v[2], v[2] = rotate64(v[2], 32);
}

static uint64_t siphash(const uint8_t *data, size_t size, uint64_t k0, uint64_t k1) {
    Sip sip = {{k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261, k1 ^ 0x7465646279746573}};
    uint64_t last = (uint64_t)size << 56, word;
    for (; size >= 8; size -= 8, data += 8) {
        memcpy(&word, data, 8);
        sip.v[3] ^= word;
        sip_round(&sip);
        sip_round(&sip);
        sip.v[0] ^= word;
    }
    for (size_t i = 0; i < size; i++)
        last |= (uint64_t)data[i] << (8 * i);
    sip.v[3] ^= last;
    sip_round(&sip);
    sip_round(&sip);
    sip.v[0] ^= last;
    sip.v[2] ^= 0xff;
    for (int i = 0; i < 4; i++)
        sip_round(&sip);
    return sip.v[0] ^ sip.v[1] ^ sip.v[2] ^ sip.v[3];
}

static void show(const uint8_t *data, size_t size) {
    put_hex(crc8(data, size), 2), putchar(' ');
    put_hex(crc16(data, size), 4), putchar(' ');
    put_hex(crc32(data, size), 8), putchar(' ');
    put_hex(crc64(data, size), 16), putchar(' ');
    put_hex(adler(data, size), 8), putchar(' ');
    put_hex(fletcher(data, size), 4), putchar(' ');
    put_hex(fnv(data, size), 16), putchar(' ');
    put_hex(murmur(data, size, 42), 8), putchar(' ');
    put_hex(siphash(data, size, 0x0706050403020100, 0x0f0e0d0c0b0a0908), 16), putchar('\n');
}

int main(void) {
    uint8_t data[256];
    make_tables();
    show((const uint8_t *)"123456789", 9);
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)i;
    show(data, 0);
    show(data, 15);
    for (size_t size = 1; size <= sizeof data; size *= 2)
        show(data + 256 - size, size);
    return 0;
}
