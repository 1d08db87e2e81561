/* What callers.c and callees.c agree on: arguments in registers, on the stack and in both, results of every form. */
#include "wide.h"

struct pair {
    long a;
    int b;
};
struct five {
    long a[5];
};
typedef long binary(long, long);

long many(long a, long b, long c, long d, long e, long f, long g, long h, int i, signed char j, unsigned short k, long l);
long wides(int a, wide b, long c, wide d, int e, wide f, long g, wide h, signed char i);
wide wide_result(long low, long high);
struct pair pair(struct pair in, long c);
struct five five(int first, int step);
long sum_of_five(const struct five *five, long a, long b, long c, long d, long e, long f, long g, long h);
long through(binary *f, long a, long b);
long ends_in_a_call(long n, long sum);
long ends_in_a_call_through(binary *f, long a, long b);
long ends_in_a_call_on_the_stack(long a, long b, long c, long d, long e, long f, long g, long h, int i, signed char j,
                                 unsigned short k, long l);
int even(unsigned n);
int odd(unsigned n);
long checked(long n);
void leave(int status) __attribute__((noreturn));

/* callers.c */
int call_all(binary *difference);
