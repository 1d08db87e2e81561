/* A ring buffer for one producer and one consumer by C11 atomics, a Treiber stack, a ticket lock, a reference count
   and a sequence lock. One thread plays all parts, so that every result is determined. */
#include "platform.h"

enum { ROOM = 16 };

typedef struct {
    _Atomic uint32_t head, tail;
    uint16_t slot[ROOM];
} Ring;

static uint32_t load(_Atomic uint32_t *cell, int order) {
    return order == __ATOMIC_ACQUIRE ? __atomic_load_n((uint32_t *)cell, __ATOMIC_ACQUIRE)
                                     : __atomic_load_n((uint32_t *)cell, __ATOMIC_RELAXED);
}

static bool offer(Ring *ring, uint16_t value) {
    uint32_t tail = load(&ring->tail, __ATOMIC_RELAXED);
    if (tail - load(&ring->head, __ATOMIC_ACQUIRE) == ROOM)
        return false;
    ring->slot[tail % ROOM] = value;
    __atomic_store_n((uint32_t *)&ring->tail, tail + 1, __ATOMIC_RELEASE);
    return true;
}

static bool take(Ring *ring, uint16_t *value) {
    uint32_t head = load(&ring->head, __ATOMIC_RELAXED);
    if (head == load(&ring->tail, __ATOMIC_ACQUIRE))
        return false;
    *value = ring->slot[head % ROOM];
    __atomic_store_n((uint32_t *)&ring->head, head + 1, __ATOMIC_RELEASE);
    return true;
}

typedef struct Item {
    struct Item *next;
    int value;
} Item;

static _Atomic(Item *) top;

static void push(Item *item) {
    item->next = top;
    while (!__atomic_compare_exchange_n((Item **)&top, &item->next, item, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
}

static Item *pop(void) {
    Item *item = top;
    while (item && !__atomic_compare_exchange_n((Item **)&top, &item, item->next, true, __ATOMIC_ACQUIRE,
            __ATOMIC_ACQUIRE))
        ;
    return item;
}

typedef struct {
    _Atomic uint16_t next, serving;
} Ticket;

static uint16_t enter(Ticket *lock) {
    uint16_t mine = lock->next++;
    while (lock->serving != mine)
        ;
    return mine;
}

static void leave(Ticket *lock) { lock->serving++; }

typedef struct {
    _Atomic int references;
    int payload;
} Shared;

static Shared *share(Shared *shared) {
    __atomic_fetch_add((int *)&shared->references, 1, __ATOMIC_RELAXED);
    return shared;
}

static bool drop(Shared *shared) {
    if (__atomic_fetch_sub((int *)&shared->references, 1, __ATOMIC_ACQ_REL) != 1)
        return false;
    shared->payload = -1;
    return true;
}

typedef struct {
    _Atomic unsigned version;
    volatile int x, y;
} Pair;

static void write_pair(Pair *pair, int x, int y) {
    pair->version++;
    __atomic_thread_fence(__ATOMIC_RELEASE);
    pair->x = x;
    pair->y = y;
    __atomic_thread_fence(__ATOMIC_RELEASE);
    pair->version++;
}

static int read_pair(Pair *pair) {
    unsigned before;
    int sum;
    do {
        before = pair->version;
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        sum = pair->x * 100 + pair->y;
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
    } while (before & 1 || before != pair->version);
    return sum;
}

int main(void) {
    static Ring ring;
    uint32_t seed = 321, sum = 0, full = 0, empty = 0;
    uint16_t value = 0;
    for (int i = 0; i < 1000; i++) {
        for (uint32_t n = next_random(&seed) % 9; n > 0; n--)
            full += !offer(&ring, (uint16_t)(i * 9 + (int)n));
        for (uint32_t n = next_random(&seed) % 9; n > 0; n--) {
            if (take(&ring, &value))
                sum = sum * 31 + value;
            else
                empty++;
        }
    }
    say("full", full);
    say("empty", empty);
    say_hex("sum", sum);
    Item items[10];
    for (int i = 0; i < 10; i++) {
        items[i].value = i * i;
        push(&items[i]);
        if (i % 3 == 2)
            say("popped", pop()->value);
    }
    for (Item *item; (item = pop());)
        say("rest", item->value);
    Ticket lock = {0};
    int tickets = 0;
    for (int i = 0; i < 70000; i++) {
        tickets += enter(&lock);
        leave(&lock);
        tickets %= 65537;
    }
    say("tickets", tickets);
    Shared shared = {1, 7}, *other = share(share(&shared));
    say("dropped", drop(other) + drop(other) * 10 + drop(&shared) * 100);
    say("payload", shared.payload);
    Pair pair = {0};
    for (int i = 0; i < 5; i++)
        write_pair(&pair, i, i * 2);
    say("pair", read_pair(&pair) + (int)pair.version * 1000);
    return 0;
}
