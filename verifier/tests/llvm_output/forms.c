/* One function for each form of code that LLVM's passes treat apart: jump tables, computed branches, atomics, variable
   arguments, traps, vectors, inline assembly, wide integers, frames of unknown size. */
typedef unsigned long size_t;
extern int printf(const char *, ...);
extern void *memcpy(void *, const void *, size_t);
extern void abort(void) __attribute__((noreturn));
extern int callee(int);
extern double callee_of_floats(double, float);
extern void call_back(void (*)(int), int);

int jump_table(int x) {
    switch (x) {
    case 0: return 3;
    case 1: return callee(7);
    case 2: return 9;
    case 3: return callee(2);
    case 4: return 11;
    case 5: return 1;
    case 6: return callee(x);
    default: return 0;
    }
}

int computed_branch(int n, int *p) {
    static void *places[] = {&&first, &&second, &&third};
    goto *places[n];
first:
    return p[0];
second:
    p[1] = 3;
    return 2;
third:
    return callee(p[2]);
}

double floats(double a, float b, int c) {
    if (a < b)
        return a * c + b;
    return callee_of_floats(a, b) - 1.5;
}

float sum_of_floats(float *p, int n) {
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += p[i] * 2.0f;
    return sum;
}

int atomics(int *p, int v) {
    int expected = 3;
    __atomic_compare_exchange_n(p, &expected, v, 0, 5, 2);
    return __atomic_fetch_add(p, v, 5) + __atomic_exchange_n(p, v, 2) + __atomic_load_n(p, 2) + expected;
}

void fences(void) {
    __atomic_thread_fence(5);
    __atomic_signal_fence(5);
}

int variable_arguments(int n, ...) {
    __builtin_va_list list;
    __builtin_va_start(list, n);
    int sum = 0;
    while (n--)
        sum += __builtin_va_arg(list, int);
    __builtin_va_end(list);
    return sum;
}

void memory_functions(char *to, const char *from, size_t n) {
    memcpy(to, from, n);
    memcpy(to, from, 64);
    __builtin_memset(to, 0, n);
    __builtin_memmove(to, from, n);
}

void traps(int x) {
    if (x)
        __builtin_trap();
    if (x > 2)
        abort();
}

void unreachable(void) {
    __builtin_unreachable();
}

int object_of_unknown_size(int n) {
    char buffer[n];
    call_back((void (*)(int))buffer, n);
    return buffer[n - 1];
}

int assembly(int x) {
    int y;
    __asm__ volatile("nop # %0 %1" : "=r"(y) : "r"(x) : "memory");
    return y;
}

int arguments_on_the_stack(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, long k, double l) {
    return a + b * c - d / (e | 1) + f * g + h + i - j + (int)k + (int)l;
}

int calls(int a) {
    return arguments_on_the_stack(a, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 2.5) + printf("%d %f\n", a, 1.0);
}

int tail_call(int a) {
    return callee(a + 1);
}

struct mixed {
    int a, b, c, d;
    double e;
};

struct mixed structure(struct mixed s, int n) {
    s.a += n;
    s.e *= 2;
    return s;
}

struct mixed structure_of_constants(int n) {
    struct mixed s = {1, 2, 3, 4, 5.0};
    return structure(s, n);
}

#ifdef __SIZEOF_INT128__
__int128 wide(__int128 a, __int128 b) {
    return a * b / 7 + (a << (int)b);
}
#endif

void *frame_address(void) {
    return __builtin_frame_address(0);
}

void *return_address(void) {
    return __builtin_return_address(0);
}

int bits(unsigned x) {
    return __builtin_popcount(x) + __builtin_clz(x | 1) + __builtin_bswap32(x) + __builtin_ffs(x);
}

long volatile_accesses(volatile long *p) {
    *p = 3;
    return *p + *p;
}

double conversions(long a, unsigned b, float c) {
    return (double)a + b + (double)(int)c + (unsigned long)c;
}

_Bool classes_of_floats(double x) {
    return __builtin_isnan(x) || __builtin_isinf(x);
}

double float_functions(double x) {
    return __builtin_sqrt(x) + __builtin_fabs(x) + __builtin_fma(x, x, x) + __builtin_floor(x);
}

typedef int four __attribute__((vector_size(16)));

four vectors(four a, four b) {
    return a * b + (a > b);
}

four shuffle(four a, four b) {
    return __builtin_shufflevector(a, b, 0, 5, 2, 7);
}

int overflow(int a, int b) {
    int result;
    if (__builtin_add_overflow(a, b, &result))
        return 0;
    if (__builtin_mul_overflow(a, result, &result))
        return 1;
    return result;
}
