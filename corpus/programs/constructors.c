/* Functions that run before main, in the order of their priorities, and after it. */
#include "platform.h"

static char order[8];
static int count;

static void note(char c) { order[count++] = c; }

__attribute__((constructor(300))) static void third(void) { note('c'); }
__attribute__((constructor(101))) static void first(void) { note('a'); }
__attribute__((constructor)) static void last(void) { note('d'); }
__attribute__((constructor(200))) static void second(void) { note('b'); }

/* Plug-ins register themselves in a list, so that main knows none of them by name. */
typedef struct Plugin {
    const char *name;
    int (*run)(int);
    struct Plugin *next;
} Plugin;

static Plugin *plugins;

#define PLUGIN(NAME, PRIORITY, RESULT)                                                                                \
    static int run_##NAME(int x) { return (RESULT); }                                                                 \
    static Plugin plugin_##NAME = {#NAME, run_##NAME, NULL};                                                          \
    __attribute__((constructor(PRIORITY))) static void register_##NAME(void) {                                        \
        plugin_##NAME.next = plugins;                                                                                 \
        plugins = &plugin_##NAME;                                                                                     \
    }
PLUGIN(alpha, 402, x + 1)
PLUGIN(beta, 401, x * 2)
PLUGIN(gamma, 403, x - 100)

/* A table that is computed before main. */
static uint16_t squares[50];
__attribute__((constructor(500))) static void compute(void) {
    for (unsigned i = 0; i < LENGTH(squares); i++)
        squares[i] = (uint16_t)(i * i);
}

__attribute__((destructor)) static void finish(void) {
    put_text("finished with ");
    puts(order);
}

int main(void) {
    puts(order);
    say("count", count);
    int x = squares[49];
    for (const Plugin *plugin = plugins; plugin; plugin = plugin->next)
        say(plugin->name, x = plugin->run(x));
    note('m');
    return 0;
}
