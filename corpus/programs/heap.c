/* Priority queues: a binary heap that knows its places, a pairing heap, a calendar of events; all must agree. */
#include "platform.h"

enum { MOST = 300 };

typedef struct {
    int key[MOST], heap[MOST], place[MOST], size;
} Indexed;

static void set_place(Indexed *queue, int at, int item) {
    queue->heap[at] = item;
    queue->place[item] = at;
}

static void rise(Indexed *queue, int at) {
    int item = queue->heap[at];
    for (; at > 0 && queue->key[queue->heap[(at - 1) >> 1]] > queue->key[item]; at = (at - 1) >> 1)
        set_place(queue, at, queue->heap[(at - 1) >> 1]);
    set_place(queue, at, item);
}

static void fall(Indexed *queue, int at) {
    int item = queue->heap[at];
    for (int child; (child = at * 2 + 1) < queue->size; at = child) {
        if (child + 1 < queue->size && queue->key[queue->heap[child + 1]] < queue->key[queue->heap[child]])
            child++;
        if (queue->key[queue->heap[child]] >= queue->key[item])
            break;
        set_place(queue, at, queue->heap[child]);
    }
    set_place(queue, at, item);
}

static void insert(Indexed *queue, int item, int key) {
    queue->key[item] = key;
    queue->heap[queue->size] = item;
    rise(queue, queue->size++);
}

static int take_least(Indexed *queue) {
    int item = queue->heap[0];
    queue->place[item] = -1;
    if (--queue->size > 0) {
        set_place(queue, 0, queue->heap[queue->size]);
        fall(queue, 0);
    }
    return item;
}

static void change(Indexed *queue, int item, int key) {
    int old = queue->key[item];
    queue->key[item] = key;
    if (key < old)
        rise(queue, queue->place[item]);
    else
        fall(queue, queue->place[item]);
}

typedef struct Pair {
    int key;
    struct Pair *child, *sibling;
} Pair;

static Pair *meld(Pair *a, Pair *b) {
    if (!a || !b)
        return a ? a : b;
    if (b->key < a->key) {
        Pair *kept = a;
        a = b;
        b = kept;
    }
    b->sibling = a->child;
    a->child = b;
    return a;
}

static Pair *meld_pairs(Pair *list) {
    if (!list || !list->sibling)
        return list;
    Pair *second = list->sibling, *rest = second->sibling;
    list->sibling = second->sibling = NULL;
    return meld(meld(list, second), meld_pairs(rest));
}

typedef struct Event {
    int time;
    void (*happen)(struct Event *);
    struct Event *next;
} Event;

static Event *calendar;
static int now, happened;
static uint32_t trace;

static void schedule(Event *event, int time) {
    Event **at = &calendar;
    while (*at && (*at)->time <= time)
        at = &(*at)->next;
    event->time = time;
    event->next = *at;
    *at = event;
}

static void tick(Event *event) {
    trace = trace * 31 + (uint32_t)now;
    if (now < 100)
        schedule(event, now + 7);
}

static void echo(Event *event) {
    trace ^= (uint32_t)now << 3;
    if (happened % 3 != 0)
        schedule(event, now + happened % 5);
}

int main(void) {
    static Indexed queue;
    static Pair pairs[MOST];
    uint32_t seed = 808;
    Pair *root = NULL;
    for (int i = 0; i < MOST; i++) {
        int key = (int)(next_random(&seed) % 100000);
        insert(&queue, i, key);
        pairs[i].key = key;
        root = meld(root, &pairs[i]);
    }
    int differ = 0;
    int64_t sum = 0;
    for (int i = 0; i < MOST / 2; i++) {
        int key = queue.key[take_least(&queue)];
        differ += key != root->key;
        root = meld_pairs(root->child);
        sum = sum * 7 % 1000000007 + key;
    }
    say("differ", differ);
    say("sum", sum);
    for (int i = 0; i < MOST; i++)
        if (queue.place[i] >= 0)
            change(&queue, i, (queue.key[i] * 37 + i) % 5000);
    int last = -1, wrong = 0, count = 0;
    for (; queue.size > 0; count++) {
        int key = queue.key[take_least(&queue)];
        wrong += key < last;
        last = key;
    }
    say("count", count);
    say("wrong", wrong);
    say("last", last);
    Event events[6] = {{0, tick, NULL}, {0, echo, NULL}, {0, tick, NULL},
                       {0, echo, NULL}, {0, echo, NULL}, {0, tick, NULL}};
    for (int i = 0; i < 6; i++)
        schedule(&events[i], i * 5 % 7);
    while (calendar) {
        Event *event = calendar;
        calendar = event->next;
        now = event->time;
        happened++;
        event->happen(event);
    }
    say("happened", happened);
    say("now", now);
    say_hex("trace", trace);
    return 0;
}
