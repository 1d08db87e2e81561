/* C11 atomics of one, two, four and eight bytes in every ordering: loads, stores, exchanges, compare-and-exchange, and
   each read-modify-write. One thread, so that every result is determined. */
#include "platform.h"

#define EACH(type, name)                                                                                             \
    static _Atomic type cell_##name;                                                                                 \
    NOINLINE static uint64_t orders_##name(type value) {                                                             \
        type expected = 0;                                                                                           \
        uint64_t sum = 0;                                                                                            \
        STORE(cell_##name, value, __ATOMIC_RELAXED);                                                                 \
        sum = sum * 3 + (uint64_t)LOAD(cell_##name, __ATOMIC_RELAXED);                                               \
        STORE(cell_##name, (type)(value + 1), __ATOMIC_RELEASE);                                                     \
        sum = sum * 3 + (uint64_t)LOAD(cell_##name, __ATOMIC_ACQUIRE);                                               \
        STORE(cell_##name, (type)(value + 2), __ATOMIC_SEQ_CST);                                                     \
        sum = sum * 3 + (uint64_t)LOAD(cell_##name, __ATOMIC_SEQ_CST);                                               \
        sum = sum * 3 + (uint64_t)__atomic_exchange_n(POINTER(cell_##name), (type)9, __ATOMIC_RELAXED);              \
        sum = sum * 3 + (uint64_t)__atomic_exchange_n(POINTER(cell_##name), (type)-7, __ATOMIC_ACQ_REL);             \
        sum = sum * 3 + (uint64_t)__atomic_fetch_add(POINTER(cell_##name), (type)100, __ATOMIC_RELAXED);             \
        sum = sum * 3 + (uint64_t)__atomic_fetch_add(POINTER(cell_##name), (type)100, __ATOMIC_ACQUIRE);             \
        sum = sum * 3 + (uint64_t)__atomic_fetch_sub(POINTER(cell_##name), (type)3, __ATOMIC_RELEASE);               \
        sum = sum * 3 + (uint64_t)__atomic_fetch_and(POINTER(cell_##name), (type)0x6d, __ATOMIC_ACQ_REL);            \
        sum = sum * 3 + (uint64_t)__atomic_fetch_or(POINTER(cell_##name), (type)0x12, __ATOMIC_SEQ_CST);             \
        sum = sum * 3 + (uint64_t)__atomic_fetch_xor(POINTER(cell_##name), value, __ATOMIC_SEQ_CST);                 \
        sum = sum * 3 + (uint64_t)__atomic_fetch_nand(POINTER(cell_##name), (type)0x5b, __ATOMIC_RELAXED);           \
        sum = sum * 3 + (uint64_t)__atomic_add_fetch(POINTER(cell_##name), (type)1, __ATOMIC_SEQ_CST);               \
        sum = sum * 3 + __atomic_compare_exchange_n(POINTER(cell_##name), &expected, (type)5, false,                 \
                                                    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);                             \
        sum = sum * 3 + (uint64_t)expected;                                                                          \
        sum = sum * 3 + __atomic_compare_exchange_n(POINTER(cell_##name), &expected, (type)5, false,                 \
                                                    __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE);                             \
        sum = sum * 3 + __atomic_compare_exchange_n(POINTER(cell_##name), &expected, (type)6, false,                 \
                                                    __ATOMIC_RELEASE, __ATOMIC_RELAXED);                             \
        return sum * 3 + (uint64_t)cell_##name;                                                                      \
    }                                                                                                                \
    NOINLINE static type most_##name(type value) {                                                                   \
        type seen = cell_##name;                                                                                     \
        while (seen < value && !__atomic_compare_exchange_n(POINTER(cell_##name), &seen, value, true,                \
                                                            __ATOMIC_RELAXED, __ATOMIC_RELAXED))                     \
            ;                                                                                                        \
        return cell_##name;                                                                                          \
    }

/* A pointer to the plain type under an atomic one: GCC's functions want it. */
#define POINTER(cell) ((__typeof__(value) *)&(cell))
#define STORE(cell, v, order) __atomic_store_n(POINTER(cell), (v), (order))
#define LOAD(cell, order) __atomic_load_n(POINTER(cell), (order))

EACH(int8_t, s8)
EACH(uint8_t, u8)
EACH(int16_t, s16)
EACH(uint16_t, u16)
EACH(int32_t, s32)
EACH(uint32_t, u32)
EACH(int64_t, s64)
EACH(uint64_t, u64)

typedef struct {
    _Atomic bool taken;
    _Atomic(int *) pointer;
    _Atomic unsigned turns;
} Lock;

static void acquire(Lock *lock) {
    while (__atomic_test_and_set((bool *)&lock->taken, __ATOMIC_ACQUIRE))
        ;
    lock->turns++;
}

static void release(Lock *lock) { __atomic_clear((bool *)&lock->taken, __ATOMIC_RELEASE); }

int main(void) {
    static const int values[] = {0, 1, -1, 100, 0x5a5a, -32768};
    for (size_t i = 0; i < LENGTH(values); i++) {
        int v = values[i];
        put_hex(orders_s8((int8_t)v), 1);
        putchar(' ');
        put_hex(orders_u8((uint8_t)v), 1);
        putchar(' ');
        put_hex(orders_s16((int16_t)v), 1);
        putchar(' ');
        put_hex(orders_u16((uint16_t)v), 1);
        putchar(' ');
        put_hex(orders_s32(v), 1);
        putchar(' ');
        put_hex(orders_u32((uint32_t)v), 1);
        putchar(' ');
        put_hex(orders_s64((int64_t)v * 1000003), 1);
        putchar(' ');
        put_hex(orders_u64((uint64_t)(int64_t)v << 30), 1);
        putchar('\n');
        say("most", most_s8((int8_t)(v / 7)) + most_u8((uint8_t)v) + most_s16((int16_t)v) + most_u16((uint16_t)v));
        say("most", most_s32(v) + most_s64(v) + (int64_t)(most_u32((uint32_t)v) + most_u64((uint64_t)v)));
    }
    Lock lock = {0};
    int numbers[4] = {1, 2, 3, 4};
    lock.pointer = numbers;
    for (int i = 0; i < 3; i++) {
        acquire(&lock);
        lock.pointer = lock.pointer + 1;
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        release(&lock);
    }
    __atomic_signal_fence(__ATOMIC_ACQ_REL);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    say("lock", *lock.pointer + (int)lock.turns + lock.taken);
    return 0;
}
