/* Sorting of anything through callbacks: quick, heap, merge, shell and insertion sort, and a binary search. */
#include "platform.h"

typedef int Compare(const void *a, const void *b);
typedef void Sort(void *base, size_t count, size_t size, Compare *compare);

static void swap(char *a, char *b, size_t size) {
    while (size-- > 0) {
        char kept = *a;
        *a++ = *b;
        *b++ = kept;
    }
}

static void insertion(void *base, size_t count, size_t size, Compare *compare) {
    char *first = base;
    for (size_t i = 1; i < count; i++)
        for (char *at = first + i * size; at > first && compare(at - size, at) > 0; at -= size)
            swap(at - size, at, size);
}

static void quick(void *base, size_t count, size_t size, Compare *compare) {
    char *first = base;
    while (count > 8) {
        char *left = first, *right = first + (count - 1) * size;
        swap(first, first + count / 2 * size, size);
        for (;;) {
            do
                left += size;
            while (left <= right && compare(left, first) < 0);
            while (compare(right, first) > 0)
                right -= size;
            if (left >= right)
                break;
            swap(left, right, size);
            right -= size;
        }
        swap(first, right, size);
        size_t before = (size_t)(right - first) / size, after = count - before - 1;
        if (before < after) {
            quick(first, before, size, compare);
            first = right + size;
            count = after;
        } else {
            quick(right + size, after, size, compare);
            count = before;
        }
    }
    insertion(first, count, size, compare);
}

static void sink(char *base, size_t at, size_t count, size_t size, Compare *compare) {
    for (size_t child; (child = at * 2 + 1) < count; at = child) {
        if (child + 1 < count && compare(base + child * size, base + (child + 1) * size) < 0)
            child++;
        if (compare(base + at * size, base + child * size) >= 0)
            return;
        swap(base + at * size, base + child * size, size);
    }
}

static void heap(void *base, size_t count, size_t size, Compare *compare) {
    for (size_t i = count / 2; i-- > 0;)
        sink(base, i, count, size, compare);
    for (size_t i = count; i-- > 1;) {
        swap(base, (char *)base + i * size, size);
        sink(base, 0, i, size, compare);
    }
}

static void merge(void *base, size_t count, size_t size, Compare *compare) {
    if (count < 2)
        return;
    size_t half = count / 2;
    char *left = malloc(half * size + 1), *right = (char *)base + half * size, *to = base, *at = left;
    char *left_end = left + half * size, *right_end = (char *)base + count * size;
    merge(base, half, size, compare);
    merge(right, count - half, size, compare);
    memcpy(left, base, half * size);
    for (; at < left_end; to += size) {
        bool from_left = right == right_end || compare(at, right) <= 0;
        memcpy(to, from_left ? at : right, size);
        *(from_left ? &at : &right) += size;
    }
    free(left);
}

static void shell(void *base, size_t count, size_t size, Compare *compare) {
    char *first = base;
    for (size_t gap = count / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11)
        for (size_t i = gap; i < count; i++)
            for (size_t j = i; j >= gap && compare(first + (j - gap) * size, first + j * size) > 0; j -= gap)
                swap(first + (j - gap) * size, first + j * size, size);
}

static int by_number(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

typedef struct {
    short key;
    char name[5];
    int order;
} Row;

static int by_key(const void *a, const void *b) { return ((const Row *)a)->key - ((const Row *)b)->key; }

static int by_name(const void *a, const void *b) {
    int order = memcmp(((const Row *)a)->name, ((const Row *)b)->name, 5);
    return order ? order : by_key(a, b) ? by_key(a, b) : ((const Row *)a)->order - ((const Row *)b)->order;
}

static unsigned compared;
static int counted(const void *a, const void *b) {
    compared++;
    return by_number(b, a);
}

static const int *find(const int *base, size_t count, int key) {
    while (count > 0) {
        const int *middle = base + count / 2;
        int order = by_number(&key, middle);
        if (order == 0)
            return middle;
        if (order > 0) {
            base = middle + 1;
            count -= count / 2 + 1;
        } else {
            count /= 2;
        }
    }
    return NULL;
}

int main(void) {
    static const struct {
        const char *name;
        Sort *sort;
    } sorts[] = {{"insertion", insertion}, {"quick", quick}, {"heap", heap}, {"merge", merge}, {"shell", shell}};
    for (size_t s = 0; s < LENGTH(sorts); s++) {
        int numbers[500];
        Row rows[120];
        uint32_t seed = 7, sum = 0;
        for (size_t i = 0; i < LENGTH(numbers); i++)
            numbers[i] = (int)(next_random(&seed) % 1000) - 500;
        for (size_t i = 0; i < LENGTH(rows); i++) {
            rows[i] = (Row){(short)(next_random(&seed) % 20), "", (int)i};
            for (int j = 0; j < 4; j++)
                rows[i].name[j] = (char)('a' + next_random(&seed) % 3);
        }
        sorts[s].sort(numbers, LENGTH(numbers), sizeof *numbers, by_number);
        for (size_t i = 0; i < LENGTH(numbers); i++)
            sum = sum * 31 + (uint32_t)numbers[i];
        put_text(sorts[s].name);
        say_hex(" numbers", sum);
        compared = 0;
        sorts[s].sort(numbers, LENGTH(numbers), sizeof *numbers, counted);
        say("  first", numbers[0]);
        say("  compared", compared);
        sorts[s].sort(rows, LENGTH(rows), sizeof *rows, by_name);
        for (size_t i = 0; i < LENGTH(rows); i++)
            sum = sum * 31 + (uint32_t)(rows[i].order + rows[i].name[0]);
        say_hex("  rows", sum);
        sorts[s].sort(numbers, LENGTH(numbers), sizeof *numbers, by_number);
        int found = 0;
        for (int key = -600; key < 600; key++)
            found += find(numbers, LENGTH(numbers), key) != NULL;
        say("  found", found);
    }
    return 0;
}
