/* Globals of every kind of initialiser: addresses with offsets, nested aggregates, unions, bit-fields, tables of
   functions, weak symbols and aliases, sections, zeros, thread-local ones. */
#include "platform.h"

extern const int shared_table[];

typedef struct Node {
    const char *name;
    int value;
    const struct Node *next;
} Node;

static int numbers[10] = {[0] = 1, [3] = 4, [9] = 10};
static int *const third = &numbers[3];
static int *past = numbers + 10;
static const char *const greeting = "hello, world";
static const char *tail = &"hello, world"[7];
static const char letters[5] = "abcd";
static const char padded[8] = "ab";
static const Node last = {"last", 3, NULL}, middle = {"middle", 2, &last};
static Node first = {.next = &middle, .value = 1, .name = "first"};
static Node ring[3] = {{"a", 1, &ring[1]}, {"b", 2, &ring[2]}, {"c", 3, &ring[0]}};

static struct {
    unsigned low : 3;
    int middle : 7;
    unsigned : 0;
    unsigned long long wide : 40;
    signed char byte;
    bool flag : 1;
} fields = {5, -33, 0xabcdef0123, -7, true};

typedef union {
    struct {
        uint16_t tag;
        uint8_t data[6];
    } message;
    uint32_t word;
    const void *address;
} Choice;

static const Choice choices[] = {
    {.message = {0x1234, {1, 2, 3, 4, 5, 6}}}, {.word = 0xdeadbeef}, {.address = &numbers[5]}};

static struct {
    char tag;
    struct {
        short pair[2];
        struct {
            int64_t deep;
            const int *pointer;
        } inner;
    } outer[2];
} nested = {'t', {{{1, 2}, {-3, &shared_table[2]}}, {{3}, {INT64_MAX, &shared_table[0]}}}};

static int plus(int a, int b) { return a + b; }
static int minus(int a, int b) { return a - b; }
static int times(int a, int b) { return a * b; }
static int (*const operations[])(int, int) = {plus, minus, times, plus};
static struct {
    const char *name;
    int (*call)(int, int);
} named[] = {{"plus", plus}, {"minus", minus}, {"times", times}};

int zeros[1000];
int common_one;
__attribute__((section("own_data"))) int in_section = 77;
__attribute__((section("own_text"))) NOINLINE int code_in_section(int x) { return x * 3; }
__attribute__((weak)) int weak_value = 5;
__attribute__((weak)) int weak_function(void) { return 6; }
extern int missing(void) __attribute__((weak));
int real_name(int x) { return x + 100; }
int other_name(int x) __attribute__((alias("real_name")));
__attribute__((visibility("hidden"))) int hidden_value = -9;
_Alignas(64) static char aligned[3] = {1, 2, 3};
static _Thread_local int counter = 40;
_Thread_local int64_t thread_zero[3];
volatile int changing = 8;
const volatile int fixed = 9;
static const int64_t difference = (const char *)&numbers[7] - (const char *)&numbers[2];

const int shared_table[] = {11, 22, 33};

static int calls(void) {
    static int count = 10;
    static const int steps[] = {1, 2, 3};
    count += steps[count % 3];
    return count;
}

int main(void) {
    say("third", *third + past[-1]);
    put_text(greeting);
    put_text(" / ");
    puts(tail);
    say("letters", letters[3] + padded[1] + padded[7]);
    for (const Node *node = &first; node; node = node->next)
        say(node->name, node->value);
    const Node *round = ring;
    for (int i = 0; i < 7; i++)
        round = round->next;
    say(round->name, round->value);
    say("fields", (int)fields.low + fields.middle + fields.byte + fields.flag);
    say_hex("wide", fields.wide);
    fields.middle = 63;
    fields.wide += 0xf000000000;
    say_hex("wide", fields.wide);
    say("middle", fields.middle + (int)fields.low);
    say_hex("tag", choices[0].message.tag + choices[0].message.data[5]);
    say_hex("word", choices[1].word);
    say("address", choices[2].address == numbers + 5);
    say("nested", nested.outer[0].inner.deep + *nested.outer[0].inner.pointer + nested.outer[1].inner.pointer[1]);
    say("nested", nested.outer[1].inner.deep - nested.outer[1].pair[0] - nested.outer[1].pair[1]);
    for (size_t i = 0; i < LENGTH(operations); i++)
        say("operation", operations[i](7, (int)i + 2));
    for (size_t i = 0; i < LENGTH(named); i++)
        say(named[i].name, named[i].call(20, -3));
    zeros[999] = 4;
    common_one += 2;
    say("zeros", zeros[0] + zeros[999] + common_one);
    say("section", in_section + code_in_section(4));
    say("weak", weak_value + weak_function());
    say("missing", missing ? missing() : -1);
    say("alias", other_name(1) - real_name(2));
    say("hidden", hidden_value);
    say("aligned", (int64_t)((uintptr_t)aligned % 64) + aligned[2]);
    counter += 2;
    thread_zero[1] -= counter;
    int64_t *in_thread = &thread_zero[1];
    say("thread", counter + *in_thread * 2);
    changing = changing + fixed;
    say("volatile", changing);
    say("difference", difference);
    calls();
    say("static", calls() + calls());
    return 0;
}
