/* Walks the frames of callers by hand, by the records that frame pointers point to. */
#include "platform.h"

#if defined(__riscv)
#define CALLER(frame) ((void **)(frame)[-2])
#define RETURNS_TO(frame) ((frame)[-1])
#else
#define CALLER(frame) ((void **)(frame)[0])
#define RETURNS_TO(frame) ((frame)[1])
#endif

#define DEEPEST 12

static void **frames[DEEPEST + 1];
static void *places[DEEPEST + 1];

/* The frames of the functions on the stack, the lowest first. */
NOINLINE static unsigned walk(int depth) {
    void **frame = __builtin_frame_address(0);
    unsigned right = CALLER(frame) == __builtin_frame_address(1) && RETURNS_TO(frame) == __builtin_return_address(0);
    frame = CALLER(frame);
    for (int i = depth; i >= 0; i--) {
        right = right * 2 + (frame == frames[i] && RETURNS_TO(frame) == places[i]);
        frame = CALLER(frame);
    }
    return right;
}

NOINLINE static unsigned descend(int depth, int size) {
    frames[depth] = __builtin_frame_address(0);
    places[depth] = __builtin_return_address(0);
    uint8_t block[size];
    memset(block, depth, (size_t)size);
    if (depth == DEEPEST)
        return walk(depth) + block[size - 1];
    return descend(depth + 1, size * 3 / 2) + block[0];
}

NOINLINE static unsigned aligned(int depth) {
    _Alignas(64) uint8_t block[10];
    frames[depth] = __builtin_frame_address(0);
    places[depth] = __builtin_return_address(0);
    memset(block, depth, sizeof block);
    unsigned total = depth == DEEPEST / 2 ? walk(depth) : aligned(depth + 1);
    return total + block[9] + (unsigned)((uintptr_t)block % 64);
}

NOINLINE static int above(void) {
    return __builtin_frame_address(1) == frames[0] && __builtin_return_address(1) == places[0];
}

NOINLINE static int below(void) {
    frames[0] = __builtin_frame_address(0);
    places[0] = __builtin_return_address(0);
    return above() * 2 + (frames[0] == __builtin_frame_address(0) && places[0] == __builtin_return_address(0));
}

int main(void) {
    say_hex("descend", descend(0, 3));
    say_hex("aligned", aligned(0));
    say("below", below());
    return 0;
}
