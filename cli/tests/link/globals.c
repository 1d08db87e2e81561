/* Globals of every kind, and switches by tables: what tribunal's objects hold. No library. */
typedef unsigned long word;

struct node {
    int value;
    struct node *next;
    const char *name;
    int (*change)(int);
};

extern int elsewhere;
extern int many_elsewhere[4];
extern int nowhere __attribute__((weak));
extern struct node second;
static int twice(int x) { return 2 * x; }
int thrice(int x) { return 3 * x; }

int initialised = 41;
static int own[5] = {1, 2, 3, 4, 5};
int zeros[100];
const int constants[3] = {7, 8, 9};
const char text[] = "hello";
static const char *names[] = {"alpha", "beta", "gamma"};
struct node first = {5, &second, "first", twice};
struct node second = {9, &first, text + 1, thrice};
int *inside = &own[3];
__attribute__((weak)) int replaceable = 17;
__attribute__((visibility("hidden"))) int hidden = 77;
__attribute__((section("of_its_own"))) int placed = 55;
__attribute__((aligned(64))) char aligned = 3;
extern int other_name __attribute__((alias("initialised")));

int owns(int index, int value) {
    own[index] += value;
    zeros[index + 3] += value;
    return own[index] + zeros[index + 3] + *inside;
}

int reads(int index) { return constants[index] + text[index] + names[index][1]; }

int walks(int steps) {
    struct node *node = &first;
    int sum = 0;
    for (; steps > 0; steps--, node = node->next)
        sum = 3 * sum + node->value + node->name[0];
    return sum;
}

int elsewhere_too(int value) {
    elsewhere += value;
    initialised += value;
    return elsewhere + many_elsewhere[2] + other_name + (&nowhere == 0) + replaceable + hidden + placed;
}

int places(void) { return (int)((word)&aligned & 63) + (int)(&zeros[50] - zeros) + (first.change == twice); }

int switches(const unsigned char *code) {
    int a = 0, b = 0;
    for (;;) {
        switch (*code++) {
        case 0: return a;
        case 1: a = *code++; break;
        case 2: b = *code++; break;
        case 3: a += b; break;
        case 4: a -= b; break;
        case 5: b ^= a; /* and on */
        case 6: a ^= b; break;
        case 7: if (a > 100) return b; break;
        }
    }
}
