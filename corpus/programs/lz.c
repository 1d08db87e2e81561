/* A compressor in the way of LZ77 with a hash chain, and its decompressor: tokens of literals and (distance,
   length). */
#include "platform.h"

enum { WINDOW = 1 << 12, HASHES = 1 << 10, SHORTEST = 4, LONGEST = 255 };

typedef struct {
    int32_t head[HASHES];
    int32_t chain[WINDOW];
} Finder;

static uint32_t hash(const uint8_t *at) {
    uint32_t word = (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    return word * 2654435761u >> 22;
}

static size_t match_length(const uint8_t *a, const uint8_t *b, size_t most) {
    size_t length = 0;
    while (length < most && a[length] == b[length])
        length++;
    return length;
}

static void insert(Finder *finder, const uint8_t *data, size_t at) {
    uint32_t slot = hash(data + at);
    finder->chain[at % WINDOW] = finder->head[slot];
    finder->head[slot] = (int32_t)at;
}

static size_t longest(const Finder *finder, const uint8_t *data, size_t at, size_t size, size_t *distance) {
    size_t best = 0, most = size - at < LONGEST ? size - at : LONGEST;
    int32_t candidate = finder->head[hash(data + at)];
    for (int steps = 0; candidate >= 0 && steps < 16; steps++) {
        size_t back = at - (size_t)candidate;
        if (back >= WINDOW)
            break;
        size_t length = match_length(data + candidate, data + at, most);
        if (length > best) {
            best = length;
            *distance = back;
        }
        candidate = finder->chain[candidate % WINDOW];
    }
    return best;
}

static size_t flush(uint8_t *out, size_t written, const uint8_t *from, size_t count) {
    while (count > 0) {
        size_t part = count < 127 ? count : 127;
        out[written++] = (uint8_t)part;
        memcpy(out + written, from, part);
        written += part;
        from += part;
        count -= part;
    }
    return written;
}

static size_t compress(const uint8_t *data, size_t size, uint8_t *out) {
    Finder *finder = malloc(sizeof *finder);
    memset(finder, 0xff, sizeof *finder);
    size_t written = 0, literals = 0, at = 0;
    while (at < size) {
        size_t distance = 0, length = at + SHORTEST <= size ? longest(finder, data, at, size, &distance) : 0;
        if (length < SHORTEST) {
            if (at + SHORTEST <= size)
                insert(finder, data, at);
            at++;
            literals++;
            continue;
        }
        written = flush(out, written, data + at - literals, literals);
        literals = 0;
        out[written++] = (uint8_t)(0x80 | distance >> 8);
        out[written++] = (uint8_t)distance;
        out[written++] = (uint8_t)length;
        for (size_t end = at + length; at < end; at++)
            if (at + SHORTEST <= size)
                insert(finder, data, at);
    }
    written = flush(out, written, data + at - literals, literals);
    free(finder);
    return written;
}

static size_t decompress(const uint8_t *in, size_t size, uint8_t *out) {
    size_t made = 0;
    for (const uint8_t *end = in + size; in < end;) {
        uint8_t token = *in++;
        if (token & 0x80) {
            size_t distance = (size_t)(token & 0x7f) << 8 | *in++;
            for (size_t length = *in++; length > 0; length--, made++)
                out[made] = out[made - distance];
        } else {
            memcpy(out + made, in, token);
            made += token;
            in += token;
        }
    }
    return made;
}

static void round_trip(const char *name, const uint8_t *data, size_t size) {
    uint8_t *packed = malloc(size * 2 + 16), *again = malloc(size + 16);
    size_t length = compress(data, size, packed);
    uint32_t sum = 0;
    for (size_t i = 0; i < length; i++)
        sum = sum * 31 + packed[i];
    put_text(name);
    put_text(" ");
    put_unsigned(size);
    put_text(" -> ");
    put_unsigned(length);
    put_text(" sum ");
    put_hex(sum, 8);
    bool same = decompress(packed, length, again) == size && memcmp(again, data, size) == 0;
    puts(same ? " same" : " DIFFERENT");
    free(packed);
    free(again);
}

int main(void) {
    static uint8_t data[20000];
    static const char *const words[] = {"judge ", "prove ", "compile ", "the ", "backend ", "register ", "\n"};
    uint32_t seed = 12345;
    size_t size = 0;
    while (size + 16 < sizeof data) {
        const char *word = words[next_random(&seed) % LENGTH(words)];
        memcpy(data + size, word, strlen(word));
        size += strlen(word);
    }
    round_trip("text", data, size);
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(next_random(&seed) >> 7);
    round_trip("noise", data, 5000);
    memset(data, 'x', sizeof data);
    round_trip("one letter", data, sizeof data);
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i % 251 * (i % 7));
    round_trip("waves", data, sizeof data);
    round_trip("three", data, 3);
    round_trip("nothing", data, 0);
    return 0;
}
