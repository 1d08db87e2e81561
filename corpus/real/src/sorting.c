/* Sorting and searching over arrays behind a pointer. */
/* 64 bits everywhere. */
#if __SIZEOF_LONG__ == 8
typedef unsigned long u64;
#else
typedef unsigned long long u64;
#endif

void insertion_sort(int *values, int n) {
    n &= 31;
    for (int i = 1; i < n; i++) {
        int value = values[i], j = i;
        while (j > 0 && values[j - 1] > value) {
            values[j] = values[j - 1];
            j--;
        }
        values[j] = value;
    }
}

void shell_sort(short *values, unsigned n) {
    n &= 63;
    for (unsigned gap = n / 2; gap > 0; gap /= 2)
        for (unsigned i = gap; i < n; i++)
            for (unsigned j = i; j >= gap && values[j - gap] > values[j]; j -= gap) {
                short swap = values[j];
                values[j] = values[j - gap];
                values[j - gap] = swap;
            }
}

void sift_down(unsigned char *heap, unsigned n) {
    unsigned i = 0;
    n &= 127;
    for (;;) {
        unsigned child = 2 * i + 1;
        if (child >= n)
            return;
        if (child + 1 < n && heap[child + 1] > heap[child])
            child++;
        if (heap[i] >= heap[child])
            return;
        unsigned char swap = heap[i];
        heap[i] = heap[child];
        heap[child] = swap;
        i = child;
    }
}

int binary_search(const long *values, int n, long wanted) {
    int low = 0, high = n & 31;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (values[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int largest(const int *values, int n) {
    int best = -1;
    long most = -(long)(~0ul >> 1);
    for (int i = 0; i < (n & 63); i++)
        if (values[i] > most) {
            most = values[i];
            best = i;
        }
    return best;
}

long median_of_three(long a, long b, long c) {
    if (a > b) { long t = a; a = b; b = t; }
    if (b > c) { long t = b; b = c; c = t; }
    return a > b ? a : b;
}
