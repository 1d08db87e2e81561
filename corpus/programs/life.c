/* The game of life on a torus, twice: by cells, and by words with carry-save addition; both must agree. */
#include "platform.h"

enum { ROWS = 24, COLUMNS = 32, ROUNDS = 60 };

static uint8_t cells[2][ROWS][COLUMNS];
static uint32_t words[2][ROWS];

static int neighbours(uint8_t (*board)[COLUMNS], int row, int column) {
    int count = 0;
    for (int r = -1; r <= 1; r++)
        for (int c = -1; c <= 1; c++)
            if (r || c)
                count += board[(row + r + ROWS) % ROWS][(column + c + COLUMNS) % COLUMNS];
    return count;
}

static void step_cells(uint8_t (*from)[COLUMNS], uint8_t (*to)[COLUMNS]) {
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++) {
            int count = neighbours(from, row, column);
            to[row][column] = count == 3 || (count == 2 && from[row][column]);
        }
}

static uint32_t left(uint32_t x) { return x << 1 | x >> 31; }
static uint32_t right(uint32_t x) { return x >> 1 | x << 31; }

static void step_words(const uint32_t *from, uint32_t *to) {
    for (int row = 0; row < ROWS; row++) {
        uint32_t up = from[(row + ROWS - 1) % ROWS], here = from[row], down = from[(row + 1) % ROWS];
        uint32_t around[8] = {left(up), up, right(up), left(here), right(here), left(down), down, right(down)};
        uint32_t ones = 0, twos = 0, fours = 0;
        for (int i = 0; i < 8; i++) {
            uint32_t carry = ones & around[i];
            ones ^= around[i];
            uint32_t more = twos & carry;
            twos ^= carry;
            fours |= more;
        }
        to[row] = twos & ~fours & (ones | here);
    }
}

static void set(int row, int column) {
    cells[0][row % ROWS][column % COLUMNS] = 1;
    words[0][row % ROWS] |= UINT32_C(1) << (column % COLUMNS);
}

int main(void) {
    static const uint8_t glider[] = {2, 4, 7}, acorn[] = {2, 8, 103};
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 8; column++) {
            if (glider[row] >> column & 1)
                set(row + 2, column + 3);
            if (acorn[row] >> column & 1)
                set(row + 14, column + 12);
        }
    int differ = 0;
    for (int round = 0; round < ROUNDS; round++) {
        int now = round % 2;
        step_cells(cells[now], cells[!now]);
        step_words(words[now], words[!now]);
        int living = 0;
        for (int row = 0; row < ROWS; row++)
            for (int column = 0; column < COLUMNS; column++) {
                living += cells[!now][row][column];
                differ += cells[!now][row][column] != (words[!now][row] >> column & 1);
            }
        if (round % 10 == 9)
            say("living", living);
    }
    for (int row = 0; row < ROWS; row++) {
        for (int column = 0; column < COLUMNS; column++)
            putchar(cells[ROUNDS % 2][row][column] ? '#' : '.');
        putchar('\n');
    }
    say("differ", differ);
    return 0;
}
