/* Coroutines without a stack of their own: each remembers the line where it goes on (a switch into a loop). */
#include "platform.h"

#define BEGIN(state) switch (state) { case 0:
#define YIELD(state, value) do { (state) = __LINE__; return (value); case __LINE__:; } while (0)
#define END(state) } (state) = -1

typedef struct {
    int state, a, b, i;
} Fibonacci;

static int fibonacci(Fibonacci *self) {
    int value;
    BEGIN(self->state);
    self->a = 0;
    self->b = 1;
    for (self->i = 0; self->i < 20; self->i++) {
        YIELD(self->state, self->a);
        value = self->a + self->b;
        self->a = self->b;
        self->b = value;
    }
    END(self->state);
    return -1;
}

/* All orders of a few letters, one at a time. */
typedef struct {
    int state, depth, count;
    int at[8];
    char letters[9];
} Orders;

static void swap(char *a, char *b) {
    char kept = *a;
    *a = *b;
    *b = kept;
}

static bool orders(Orders *self) {
    BEGIN(self->state);
    self->depth = 0;
    self->at[0] = 0;
    while (self->depth >= 0) {
        if (self->depth == self->count - 1) {
            YIELD(self->state, true);
            self->depth--;
            if (self->depth >= 0)
                swap(&self->letters[self->depth], &self->letters[self->at[self->depth]++]);
        } else if (self->at[self->depth] < self->count) {
            swap(&self->letters[self->depth], &self->letters[self->at[self->depth]]);
            self->depth++;
            self->at[self->depth] = self->depth;
        } else if (--self->depth >= 0) {
            swap(&self->letters[self->depth], &self->letters[self->at[self->depth]++]);
        }
    }
    END(self->state);
    return false;
}

/* Tasks that a scheduler runs in turn; they send each other numbers through a channel of one place. */
typedef struct {
    bool full;
    int value;
} Channel;

typedef struct Task Task;
struct Task {
    int (*run)(Task *);
    Channel *in, *out;
    int state, i, last;
};

enum { WAITING, DONE };

static int produce(Task *self) {
    BEGIN(self->state);
    for (self->i = 2; self->i < 60; self->i++) {
        while (self->out->full)
            YIELD(self->state, WAITING);
        *self->out = (Channel){true, self->i};
    }
    while (self->out->full)
        YIELD(self->state, WAITING);
    *self->out = (Channel){true, -1};
    END(self->state);
    return DONE;
}

/* Lets through what its first number does not divide. */
static int filter(Task *self) {
    BEGIN(self->state);
    while (!self->in->full)
        YIELD(self->state, WAITING);
    self->in->full = false;
    self->i = self->in->value;
    if (self->i > 0)
        say("prime", self->i);
    do {
        while (!self->in->full)
            YIELD(self->state, WAITING);
        self->in->full = false;
        self->last = self->in->value;
        if (self->last > 0 && self->last % self->i == 0)
            continue;
        while (self->out->full)
            YIELD(self->state, WAITING);
        *self->out = (Channel){true, self->last};
    } while (self->last > 0);
    END(self->state);
    return DONE;
}

static int drain(Task *self) {
    BEGIN(self->state);
    do {
        while (!self->in->full)
            YIELD(self->state, WAITING);
        self->in->full = false;
        self->i++;
    } while (self->in->value > 0);
    say("through", self->i);
    END(self->state);
    return DONE;
}

int main(void) {
    Fibonacci numbers = {0};
    for (int value; (value = fibonacci(&numbers)) >= 0;) {
        put_signed(value);
        putchar(' ');
    }
    putchar('\n');
    Orders all = {.count = 4, .letters = "abcd"};
    while (orders(&all)) {
        put_text(all.letters);
        putchar(' ');
    }
    putchar('\n');
    Channel channels[6] = {{false, 0}};
    Task tasks[7] = {{.run = produce, .out = &channels[0]}};
    for (int i = 1; i < 6; i++)
        tasks[i] = (Task){.run = filter, .in = &channels[i - 1], .out = &channels[i]};
    tasks[6] = (Task){.run = drain, .in = &channels[5]};
    int rounds = 0;
    for (bool busy = true; busy; rounds++) {
        busy = false;
        for (size_t i = 0; i < LENGTH(tasks); i++)
            if (tasks[i].state >= 0)
                busy |= tasks[i].run(&tasks[i]) == WAITING;
    }
    say("rounds", rounds);
    return 0;
}
