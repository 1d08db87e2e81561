// Other names of functions and of variables, and functions in a table.

static int scaled(int value) { return 7 * value - 2; }
int also_scaled(int value) __attribute__((alias("scaled")));

static int counts[4] = {3, 1, 4, 1};
extern int also_counts[4] __attribute__((alias("counts")));

// Calls and accesses by the other names.
int by_other_names(int value, unsigned index) {
    also_counts[index & 3] = value;
    return also_scaled(counts[1]) + also_counts[2];
}

// Functions in a table beside their numbers.
static int less(int a, int b) { return a < b; }
static int more(int a, int b) { return a > b; }
static int equal(int a, int b) { return a == b; }
static const struct {
    short number;
    int (*compare)(int, int);
} comparisons[] = {{5, less}, {9, more}, {-3, equal}};

int compared(unsigned which, int a, int b) {
    which %= 3;
    return comparisons[which].number + comparisons[which].compare(a, b);
}
