/* An allocator over a fixed arena: boundary tags, a free list by first fit, coalescing on both sides; and a pool. */
#include "platform.h"

typedef struct Block Block;
struct Block {
    size_t size;     /* of the block with its header, in bytes; the lowest bit says that it is in use */
    size_t previous; /* size of the block before it */
    Block *next, *last; /* of the free list */
};

enum { ARENA = 64 * 1024, UNIT = 16, HEADER = 2 * sizeof(size_t) };

static _Alignas(16) char arena[ARENA];
static Block list;

static bool in_use(const Block *block) { return block->size & 1; }
static size_t size_of(const Block *block) { return block->size & ~(size_t)1; }
static Block *after(Block *block) { return (Block *)((char *)block + size_of(block)); }
static Block *before(Block *block) { return (Block *)((char *)block - block->previous); }

static void link_in(Block *block) {
    block->next = list.next;
    block->last = &list;
    list.next->last = block;
    list.next = block;
}

static void unlink_from(Block *block) {
    block->last->next = block->next;
    block->next->last = block->last;
}

static void start(void) {
    list.next = list.last = &list;
    Block *first = (Block *)arena, *end = (Block *)(arena + ARENA - HEADER - UNIT);
    first->size = (size_t)((char *)end - arena);
    first->previous = 0;
    end->size = 1;
    end->previous = first->size;
    link_in(first);
}

static void *take(size_t size) {
    size_t need = (size + HEADER + UNIT - 1) / UNIT * UNIT;
    if (need < sizeof(Block))
        need = (sizeof(Block) + UNIT - 1) / UNIT * UNIT;
    for (Block *block = list.next; block != &list; block = block->next) {
        if (block->size < need)
            continue;
        unlink_from(block);
        if (block->size - need >= 2 * sizeof(Block)) {
            Block *rest = (Block *)((char *)block + need);
            rest->size = block->size - need;
            rest->previous = need;
            after(rest)->previous = rest->size;
            link_in(rest);
            block->size = need;
        }
        block->size |= 1;
        return (char *)block + HEADER;
    }
    return NULL;
}

static void give(void *memory) {
    Block *block = (Block *)((char *)memory - HEADER);
    block->size &= ~(size_t)1;
    if (block->previous && !in_use(before(block))) {
        Block *left = before(block);
        unlink_from(left);
        left->size += block->size;
        block = left;
    }
    if (!in_use(after(block))) {
        Block *right = after(block);
        unlink_from(right);
        block->size += right->size;
    }
    after(block)->previous = block->size;
    link_in(block);
}

static bool sound(int *blocks) {
    size_t last = 0;
    bool last_free = false;
    *blocks = 0;
    for (Block *block = (Block *)arena; size_of(block) != 0; block = after(block)) {
        if (block->previous != last || (last_free && !in_use(block)))
            return false;
        last = size_of(block);
        last_free = !in_use(block);
        ++*blocks;
    }
    return true;
}

typedef union Cell {
    union Cell *next;
    char bytes[24];
} Cell;

static Cell cells[32], *free_cells;

static Cell *take_cell(void) {
    Cell *cell = free_cells;
    if (cell)
        free_cells = cell->next;
    return cell;
}

int main(void) {
    unsigned char *held[200] = {NULL};
    size_t sizes[200] = {0};
    uint32_t seed = 2024;
    int refused = 0, spoiled = 0, blocks;
    start();
    for (int i = 0; i < 5000; i++) {
        unsigned slot = next_random(&seed) % 200;
        if (held[slot]) {
            for (size_t j = 0; j < sizes[slot]; j++)
                spoiled += held[slot][j] != (unsigned char)(slot * 3 + j);
            give(held[slot]);
            held[slot] = NULL;
        } else {
            sizes[slot] = next_random(&seed) % (i % 50 == 0 ? 9000 : 600);
            held[slot] = take(sizes[slot]);
            refused += !held[slot];
            for (size_t j = 0; held[slot] && j < sizes[slot]; j++)
                held[slot][j] = (unsigned char)(slot * 3 + j);
        }
        if (i % 1000 == 0)
            say("sound", sound(&blocks));
    }
    say("refused at all", refused > 0);
    say("spoiled", spoiled);
    for (int slot = 0; slot < 200; slot++)
        if (held[slot])
            give(held[slot]);
    say("sound", sound(&blocks));
    say("blocks", blocks);
    for (size_t i = 0; i < LENGTH(cells); i++) {
        cells[i].next = free_cells;
        free_cells = &cells[i];
    }
    Cell *first = take_cell(), *second = take_cell();
    say("cells", first - second);
    int more = 0;
    while (take_cell())
        more++;
    say("more", more);
    return 0;
}
