/* Integer matrices: products in blocks, powers, determinants without fractions, transposition, a spiral, a
   convolution. */
#include "platform.h"

enum { N = 12 };
typedef int64_t Matrix[N][N];

static void multiply(Matrix to, Matrix a, Matrix b) {
    Matrix product = {{0}};
    for (int i0 = 0; i0 < N; i0 += 5)
        for (int k0 = 0; k0 < N; k0 += 5)
            for (int i = i0; i < i0 + 5 && i < N; i++)
                for (int k = k0; k < k0 + 5 && k < N; k++)
                    for (int j = 0; j < N; j++)
                        product[i][j] = (product[i][j] + a[i][k] * b[k][j]) % 1000003;
    memcpy(to, product, sizeof(Matrix));
}

static void power(Matrix to, Matrix base, unsigned exponent) {
    Matrix square;
    memcpy(square, base, sizeof square);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            to[i][j] = i == j;
    for (; exponent; exponent >>= 1) {
        if (exponent & 1)
            multiply(to, to, square);
        multiply(square, square, square);
    }
}

/* Bareiss: every division is exact. */
static int64_t determinant(int n, int64_t m[n][n]) {
    int64_t sign = 1, before = 1;
    for (int k = 0; k < n - 1; k++) {
        int pivot = k;
        while (pivot < n && m[pivot][k] == 0)
            pivot++;
        if (pivot == n)
            return 0;
        for (int j = 0; j < n && pivot != k; j++) {
            int64_t kept = m[k][j];
            m[k][j] = m[pivot][j];
            m[pivot][j] = kept;
        }
        if (pivot != k)
            sign = -sign;
        for (int i = k + 1; i < n; i++)
            for (int j = k + 1; j < n; j++)
                m[i][j] = (m[i][j] * m[k][k] - m[i][k] * m[k][j]) / before;
        before = m[k][k];
    }
    return sign * m[n - 1][n - 1];
}

static int64_t trace(Matrix m) {
    int64_t sum = 0;
    for (int i = 0; i < N; i++)
        sum += m[i][i] * (i + 1);
    return sum;
}

static void transpose(Matrix m) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < i; j++) {
            int64_t kept = m[i][j];
            m[i][j] = m[j][i];
            m[j][i] = kept;
        }
}

static void spiral(int rows, int columns, const short *cells) {
    int top = 0, bottom = rows - 1, left = 0, right = columns - 1;
    while (top <= bottom && left <= right) {
        for (int c = left; c <= right; c++) put_signed(cells[top * columns + c]), putchar(' ');
        for (int r = top + 1; r <= bottom; r++) put_signed(cells[r * columns + right]), putchar(' ');
        for (int c = right - 1; c >= left && top < bottom; c--) put_signed(cells[bottom * columns + c]), putchar(' ');
        for (int r = bottom - 1; r > top && left < right; r--) put_signed(cells[r * columns + left]), putchar(' ');
        top++, bottom--, left++, right--;
    }
    putchar('\n');
}

static uint32_t convolved(const uint8_t image[16][16], const int8_t kernel[3][3]) {
    uint32_t sum = 0;
    for (int y = 1; y < 15; y++)
        for (int x = 1; x < 15; x++) {
            int value = 0;
            for (int v = 0; v < 3; v++)
                for (int u = 0; u < 3; u++)
                    value += image[y + v - 1][x + u - 1] * kernel[v][u];
            value = value < 0 ? 0 : value > 255 ? 255 : value;
            sum = sum * 31 + (uint32_t)value;
        }
    return sum;
}

int main(void) {
    Matrix m, result;
    uint32_t seed = 1;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            m[i][j] = (i * 7 + j * 3 + i * j) % 11 - 5;
    for (unsigned exponent = 0; exponent < 20; exponent += 3) {
        power(result, m, exponent);
        transpose(result);
        say("trace", trace(result) + result[0][N - 1]);
    }
    for (int n = 1; n <= 7; n++) {
        int64_t small[n][n];
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                small[i][j] = (int64_t)(next_random(&seed) % 19) - 9;
        if (n == 5)
            small[0][0] = small[1][0] = 0;
        say("determinant", determinant(n, small));
    }
    short cells[20];
    for (short i = 0; i < 20; i++)
        cells[i] = i;
    spiral(4, 5, cells);
    spiral(5, 4, cells);
    spiral(1, 6, cells);
    uint8_t image[16][16];
    for (int i = 0; i < 256; i++)
        image[i / 16][i % 16] = (uint8_t)(next_random(&seed) >> 9);
    static const int8_t edges[3][3] = {{-1, -1, -1}, {-1, 8, -1}, {-1, -1, -1}};
    static const int8_t slope[3][3] = {{1, 0, -1}, {2, 0, -2}, {1, 0, -1}};
    say_hex("edges", convolved(image, edges));
    say_hex("slope", convolved(image, slope));
    return 0;
}
