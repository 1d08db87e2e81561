/* Matrices, stack arrays, accesses of every size. */
typedef signed char i8;
typedef short i16;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
/* 64 bits everywhere. */
#if __SIZEOF_LONG__ == 8
typedef unsigned long u64;
#else
typedef unsigned long long u64;
#endif

void matrix_product(const i16 *a, int *out) {
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            int sum = 0;
            for (int k = 0; k < 4; k++)
                sum += a[4 * i + k] * a[16 + 4 * k + j];
            out[4 * i + j] = sum;
        }
}

int histogram_peak(const u8 *data, int n) {
    int counts[16];
    for (int i = 0; i < 16; i++)
        counts[i] = 0;
    for (int i = 0; i < (n & 127); i++)
        counts[data[i] & 15]++;
    int best = 0;
    for (int i = 1; i < 16; i++)
        if (counts[i] > counts[best])
            best = i;
    return best;
}

void transpose(u32 *m) {
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < i; j++) {
            u32 swap = m[(8 * i + j) & 63];
            m[(8 * i + j) & 63] = m[(8 * j + i) & 63];
            m[(8 * j + i) & 63] = swap;
        }
}

long sum_of_sizes(const void *p) {
    const u8 *b = p;
    return *(const i8 *)b + *(const u8 *)(b + 1) + *(const i16 *)(b + 2) + *(const u16 *)(b + 4) +
           *(const int *)(b + 8) + (long)*(const u32 *)(b + 12) + *(const long *)(b + 16);
}

void spread(u8 *b, u64 value) {
    b[0] = (u8)value;
    *(u16 *)(b + 2) = (u16)(value >> 8);
    *(u32 *)(b + 4) = (u32)(value >> 24);
    *(u64 *)(b + 8) = value;
}

void prefix_sums(int *values, int n) {
    int sum = 0;
    for (int i = 0; i < (n & 63); i++) {
        sum = (int)((u32)sum + (u32)values[i]);
        values[i] = sum;
    }
}

int longest_rise(const i8 *values, int n) {
    int best = 0, run = 0;
    for (int i = 1; i < (n & 127); i++) {
        run = values[i] > values[i - 1] ? run + 1 : 0;
        if (run > best)
            best = run;
    }
    return best;
}

unsigned long eight_arguments(unsigned long a, u32 b, u16 c, u8 d, long e, int f, i16 g, i8 h) {
    return a + b * 3ul + c * 5ul + d * 7ul + (unsigned long)e * 11 + (unsigned long)(long)f * 13 +
           (unsigned long)(long)g * 17 + (unsigned long)(long)h * 19;
}

int edit_distance(const char *a, const char *b) {
    u8 row[9];
    for (int j = 0; j <= 8; j++)
        row[j] = (u8)j;
    for (int i = 1; i <= 8; i++) {
        u8 corner = row[0];
        row[0] = (u8)i;
        for (int j = 1; j <= 8; j++) {
            int cost = corner + (a[i - 1] != b[j - 1]);
            corner = row[j];
            if (row[j] + 1 < cost)
                cost = row[j] + 1;
            if (row[j - 1] + 1 < cost)
                cost = row[j - 1] + 1;
            row[j] = (u8)cost;
        }
    }
    return row[8];
}
