/* Huffman coding: a tree by two queues, canonical codes, bits out and in. */
#include "platform.h"

enum { SYMBOLS = 256 };

typedef struct {
    uint32_t weight;
    int16_t left, right;
} Node;

typedef struct {
    uint8_t *bytes;
    size_t bit;
} Bits;

static void put_bits(Bits *to, uint32_t code, int length) {
    while (length-- > 0) {
        if (code >> length & 1)
            to->bytes[to->bit / 8] |= (uint8_t)(0x80 >> to->bit % 8);
        to->bit++;
    }
}

static int get_bit(Bits *from) {
    int bit = from->bytes[from->bit / 8] >> (7 - from->bit % 8) & 1;
    from->bit++;
    return bit;
}

static void depths(const Node *nodes, int at, int depth, uint8_t *lengths) {
    if (nodes[at].left < 0) {
        lengths[at] = (uint8_t)(depth ? depth : 1);
        return;
    }
    depths(nodes, nodes[at].left, depth + 1, lengths);
    depths(nodes, nodes[at].right, depth + 1, lengths);
}

static void make_lengths(const uint32_t *counts, uint8_t *lengths) {
    Node nodes[SYMBOLS * 2];
    bool used[SYMBOLS * 2] = {false};
    int count = SYMBOLS, live = 0, root = 0;
    for (int i = 0; i < SYMBOLS; i++) {
        nodes[i] = (Node){counts[i], -1, -1};
        live += counts[i] > 0;
        used[i] = counts[i] == 0;
        if (counts[i])
            root = i;
    }
    memset(lengths, 0, SYMBOLS);
    for (; live > 1; live--) {
        int least[2];
        for (int k = 0; k < 2; k++) {
            least[k] = -1;
            for (int i = 0; i < count; i++)
                if (!used[i] && (least[k] < 0 || nodes[i].weight < nodes[least[k]].weight))
                    least[k] = i;
            used[least[k]] = true;
        }
        uint32_t weight = nodes[least[0]].weight + nodes[least[1]].weight;
        nodes[count] = (Node){weight, (int16_t)least[0], (int16_t)least[1]};
        root = count++;
    }
    depths(nodes, root, 0, lengths);
}

/* Codes of a length are consecutive, in the order of symbols. */
static void make_codes(const uint8_t *lengths, uint32_t *codes) {
    uint32_t code = 0;
    for (int length = 1; length < 32; length++, code <<= 1)
        for (int i = 0; i < SYMBOLS; i++)
            if (lengths[i] == length)
                codes[i] = code++;
}

static int decode(Bits *from, const uint8_t *lengths, const uint32_t *codes) {
    uint32_t code = 0;
    for (int length = 1; length < 32; length++) {
        code = code << 1 | (uint32_t)get_bit(from);
        for (int i = 0; i < SYMBOLS; i++)
            if (lengths[i] == length && codes[i] == code)
                return i;
    }
    return -1;
}

static void round_trip(const char *text) {
    uint32_t counts[SYMBOLS] = {0}, codes[SYMBOLS] = {0};
    uint8_t lengths[SYMBOLS];
    size_t size = strlen(text), wrong = 0;
    for (size_t i = 0; i < size; i++)
        counts[(uint8_t)text[i]]++;
    make_lengths(counts, lengths);
    make_codes(lengths, codes);
    Bits bits = {malloc(size * 2 + 4), 0};
    memset(bits.bytes, 0, size * 2 + 4);
    for (size_t i = 0; i < size; i++)
        put_bits(&bits, codes[(uint8_t)text[i]], lengths[(uint8_t)text[i]]);
    size_t length = bits.bit;
    bits.bit = 0;
    for (size_t i = 0; i < size; i++)
        wrong += decode(&bits, lengths, codes) != (uint8_t)text[i];
    put_unsigned(size * 8);
    put_text(" bits -> ");
    put_unsigned(length);
    put_text(", wrong ");
    put_unsigned(wrong + (bits.bit != length));
    put_text(": ");
    put_bytes(bits.bytes, (length + 7) / 8 < 24 ? (length + 7) / 8 : 24);
    putchar('\n');
    free(bits.bytes);
}

int main(void) {
    round_trip("abracadabra");
    round_trip("aaaaaaaa");
    round_trip("she sells sea shells by the sea shore; the shells she sells are sea shells, she is sure");
    char numbers[1000];
    uint32_t seed = 5;
    for (size_t i = 0; i + 1 < sizeof numbers; i++)
        numbers[i] = (char)('0' + next_random(&seed) % 10 * (next_random(&seed) % 3));
    numbers[sizeof numbers - 1] = 0;
    round_trip(numbers);
    round_trip("fibonacci weights: abbccccdddddddddeeeeeeeeeeeeeeeeeeeeefffffffffffffffffffffffffffffffffffffffffff");
    return 0;
}
