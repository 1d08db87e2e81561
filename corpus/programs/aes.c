/* AES-128: the S-box from the field's arithmetic, key schedule, both directions, and a chain of blocks. */
#include "platform.h"

static uint8_t sbox[256], inverse[256];

static uint8_t twice(uint8_t x) { return (uint8_t)(x << 1 ^ (x & 0x80 ? 0x1b : 0)); }

static uint8_t times(uint8_t a, uint8_t b) {
    uint8_t product = 0;
    for (; b; b >>= 1, a = twice(a))
        if (b & 1)
            product ^= a;
    return product;
}

static uint8_t rotated(uint8_t x, int by) { return (uint8_t)(x << by | x >> (8 - by)); }

static void make_boxes(void) {
    for (int x = 0; x < 256; x++) {
        uint8_t reciprocal = 0;
        for (int y = 1; y < 256 && x != 0; y++)
            if (times((uint8_t)x, (uint8_t)y) == 1)
                reciprocal = (uint8_t)y;
        uint8_t r = reciprocal;
        uint8_t s = (uint8_t)(r ^ rotated(r, 1) ^ rotated(r, 2) ^ rotated(r, 3) ^ rotated(r, 4) ^ 0x63);
        sbox[x] = s;
        inverse[s] = (uint8_t)x;
    }
}

typedef struct {
    uint8_t round[11][16];
} Schedule;

static void expand(Schedule *schedule, const uint8_t key[16]) {
    uint8_t *bytes = &schedule->round[0][0];
    uint8_t constant = 1;
    memcpy(bytes, key, 16);
    for (int i = 16; i < 176; i += 4) {
        uint8_t word[4];
        memcpy(word, bytes + i - 4, 4);
        if (i % 16 == 0) {
            uint8_t first = word[0];
            word[0] = (uint8_t)(sbox[word[1]] ^ constant);
            word[1] = sbox[word[2]];
            word[2] = sbox[word[3]];
            word[3] = sbox[first];
            constant = twice(constant);
        }
        for (int j = 0; j < 4; j++)
            bytes[i + j] = bytes[i + j - 16] ^ word[j];
    }
}

static void add_key(uint8_t state[16], const uint8_t key[16]) {
    for (int i = 0; i < 16; i++)
        state[i] ^= key[i];
}

static void substitute(uint8_t state[16], const uint8_t box[256]) {
    for (int i = 0; i < 16; i++)
        state[i] = box[state[i]];
}

static void shift_rows(uint8_t state[16], int direction) {
    uint8_t old[16];
    memcpy(old, state, 16);
    for (int column = 0; column < 4; column++)
        for (int row = 0; row < 4; row++)
            state[column * 4 + row] = old[(column + direction * row + 4) % 4 * 4 + row];
}

static void mix(uint8_t state[16], const uint8_t by[4]) {
    for (uint8_t *column = state; column < state + 16; column += 4) {
        uint8_t old[4] = {column[0], column[1], column[2], column[3]};
        for (int row = 0; row < 4; row++) {
            column[row] = 0;
            for (int i = 0; i < 4; i++)
                column[row] ^= times(old[i], by[(i - row + 4) % 4]);
        }
    }
}

static void encrypt(const Schedule *schedule, uint8_t state[16]) {
    static const uint8_t by[4] = {2, 3, 1, 1};
    add_key(state, schedule->round[0]);
    for (int round = 1; round <= 10; round++) {
        substitute(state, sbox);
        shift_rows(state, 1);
        if (round < 10)
            mix(state, by);
        add_key(state, schedule->round[round]);
    }
}

static void decrypt(const Schedule *schedule, uint8_t state[16]) {
    static const uint8_t by[4] = {14, 11, 13, 9};
    for (int round = 10; round >= 1; round--) {
        add_key(state, schedule->round[round]);
        if (round < 10)
            mix(state, by);
        shift_rows(state, -1);
        substitute(state, inverse);
    }
    add_key(state, schedule->round[0]);
}

int main(void) {
    uint8_t key[16], block[16], chain[16] = {0};
    Schedule schedule;
    make_boxes();
    put_bytes(sbox, 32);
    putchar('\n');
    for (int i = 0; i < 16; i++) {
        key[i] = (uint8_t)i;
        block[i] = (uint8_t)(i * 17);
    }
    expand(&schedule, key);
    put_bytes(schedule.round[10], 16);
    putchar('\n');
    encrypt(&schedule, block);
    put_bytes(block, 16);
    putchar('\n');
    decrypt(&schedule, block);
    put_bytes(block, 16);
    putchar('\n');
    for (int i = 0; i < 40; i++) {
        add_key(chain, block);
        encrypt(&schedule, chain);
        expand(&schedule, chain);
    }
    put_bytes(chain, 16);
    putchar('\n');
    return 0;
}
