/* Sudoku by sets of bits: the cell with the fewest candidates first, and backtracking. */
#include "platform.h"

typedef struct {
    uint8_t cell[81];
    uint16_t row[9], column[9], box[9];
    unsigned tried;
} Board;

static int box_of(int at) { return at / 27 * 3 + at % 9 / 3; }

static uint16_t candidates(const Board *board, int at) {
    return (uint16_t)(~(board->row[at / 9] | board->column[at % 9] | board->box[box_of(at)]) & 0x1ff);
}

static void toggle(Board *board, int at, int digit) {
    uint16_t bit = (uint16_t)(1 << digit);
    board->row[at / 9] ^= bit;
    board->column[at % 9] ^= bit;
    board->box[box_of(at)] ^= bit;
}

static bool read(Board *board, const char *text) {
    memset(board, 0, sizeof *board);
    for (int at = 0; at < 81; at++) {
        if (text[at] == '.')
            continue;
        int digit = text[at] - '1';
        if (!(candidates(board, at) >> digit & 1))
            return false;
        board->cell[at] = (uint8_t)(digit + 1);
        toggle(board, at, digit);
    }
    return true;
}

static bool solve(Board *board) {
    int best = -1, fewest = 10;
    for (int at = 0; at < 81; at++) {
        if (board->cell[at])
            continue;
        int count = __builtin_popcount(candidates(board, at));
        if (count < fewest) {
            fewest = count;
            best = at;
        }
    }
    if (best < 0)
        return true;
    for (int digit = 0; digit < 9; digit++) {
        if (!(candidates(board, best) >> digit & 1))
            continue;
        board->tried++;
        board->cell[best] = (uint8_t)(digit + 1);
        toggle(board, best, digit);
        if (solve(board))
            return true;
        toggle(board, best, digit);
        board->cell[best] = 0;
    }
    return false;
}

static void show(const Board *board) {
    for (int at = 0; at < 81; at++) {
        putchar('0' + board->cell[at]);
        if (at % 9 == 8)
            putchar('\n');
    }
}

int main(void) {
    /* A thinned board, an empty one, one with fewer clues; one that contradicts itself; one without a solution. */
    static const char *const boards[] = {
        "1.3.5..8.4.6..9.2.7..1.3.5..3.6.4..5.7.9..3.4.9..3.2.7..7.6.9..5.2.9..3.9.8..1.7.",
        ".................................................................................",
        "1.3........6.8........2.4........8.5........4.9........1.2........8.7........1.7.",
        "11...............................................................................",
        "1234567..........8..........9....................................................",
    };
    for (size_t i = 0; i < LENGTH(boards); i++) {
        Board board;
        if (!read(&board, boards[i])) {
            puts("contradiction");
            continue;
        }
        bool solved = solve(&board);
        puts(solved ? "solved" : "no solution");
        say("tried", board.tried);
        if (solved)
            show(&board);
    }
    return 0;
}
