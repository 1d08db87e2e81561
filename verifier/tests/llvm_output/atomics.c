/* Every operation on every width of memory, in the weakest and in the strongest order. */
#define OPERATIONS(type, name)                                                                                        \
    type load_##name(type *p) { return __atomic_load_n(p, __ATOMIC_RELAXED) + __atomic_load_n(p, __ATOMIC_SEQ_CST); }  \
    void store_##name(type *p, type v) {                                                                              \
        __atomic_store_n(p, v, __ATOMIC_RELAXED);                                                                     \
        __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                                                     \
    }                                                                                                                 \
    int strong_##name(type *p, type *expected, type v) {                                                              \
        return __atomic_compare_exchange_n(p, expected, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                    \
    }                                                                                                                 \
    int weak_##name(type *p, type *expected, type v) {                                                                \
        return __atomic_compare_exchange_n(p, expected, v, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED);                    \
    }                                                                                                                 \
    type exchange_##name(type *p, type v) {                                                                           \
        return __atomic_exchange_n(p, v, __ATOMIC_RELAXED) + __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);             \
    }                                                                                                                 \
    MODIFY(type, name, add)                                                                                           \
    MODIFY(type, name, sub)                                                                                           \
    MODIFY(type, name, and)                                                                                           \
    MODIFY(type, name, or)                                                                                            \
    MODIFY(type, name, xor)                                                                                           \
    MODIFY(type, name, nand)                                                                                          \
    EXTREMUM(type, name, min)                                                                                         \
    EXTREMUM(type, name, max)

#define MODIFY(type, name, operation)                                                                                 \
    type operation##_##name(type *p, type v) {                                                                        \
        return __atomic_fetch_##operation(p, v, __ATOMIC_RELAXED) +                                                   \
               __atomic_##operation##_fetch(p, v, __ATOMIC_SEQ_CST);                                                  \
    }

#define EXTREMUM(type, name, operation)                                                                               \
    type operation##_##name(type *p, type v) {                                                                        \
        return __atomic_fetch_##operation(p, v, __ATOMIC_RELAXED) +                                                   \
               __atomic_fetch_##operation(p, v, __ATOMIC_ACQ_REL);                                                    \
    }

OPERATIONS(signed char, s8)
OPERATIONS(unsigned char, u8)
OPERATIONS(short, s16)
OPERATIONS(unsigned short, u16)
OPERATIONS(int, s32)
OPERATIONS(unsigned, u32)
OPERATIONS(long long, s64)
OPERATIONS(unsigned long long, u64)
#ifdef __SIZEOF_INT128__
OPERATIONS(unsigned __int128, u128)
#endif
