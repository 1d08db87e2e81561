/* Numbers of any length: multiplication, division by a word and by a number, powers, factorials, text in and out. */
#include "platform.h"

enum { LIMBS = 64 };

typedef struct {
    uint32_t limb[LIMBS];
    int count;
} Big;

static void trim(Big *x) {
    while (x->count > 0 && x->limb[x->count - 1] == 0)
        x->count--;
}

static Big small(uint32_t value) {
    Big x = {.limb = {value}, .count = value != 0};
    return x;
}

static int compare(const Big *a, const Big *b) {
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    for (int i = a->count; i-- > 0;)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

static Big add(Big a, const Big *b) {
    uint64_t carry = 0;
    int count = (a.count > b->count ? a.count : b->count) + 1;
    for (int i = 0; i < count; i++) {
        carry += (uint64_t)a.limb[i] + b->limb[i];
        a.limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    a.count = count;
    trim(&a);
    return a;
}

static Big subtract(Big a, const Big *b) {
    int64_t borrow = 0;
    for (int i = 0; i < a.count; i++) {
        borrow += (int64_t)a.limb[i] - b->limb[i];
        a.limb[i] = (uint32_t)borrow;
        borrow >>= 32;
    }
    trim(&a);
    return a;
}

static Big multiply(const Big *a, const Big *b) {
    Big product = {.count = a->count + b->count};
    for (int i = 0; i < a->count; i++) {
        uint64_t carry = 0;
        for (int j = 0; j < b->count || carry; j++) {
            carry += (uint64_t)a->limb[i] * b->limb[j] + product.limb[i + j];
            product.limb[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
    }
    trim(&product);
    return product;
}

static uint32_t divide_by_word(Big *x, uint32_t by) {
    uint64_t rest = 0;
    for (int i = x->count; i-- > 0;) {
        rest = rest << 32 | x->limb[i];
        x->limb[i] = (uint32_t)(rest / by);
        rest %= by;
    }
    trim(x);
    return (uint32_t)rest;
}

static Big shifted_in(Big x, unsigned bit) {
    for (int i = 0; i <= x.count && i < LIMBS; i++) {
        unsigned out = x.limb[i] >> 31;
        x.limb[i] = x.limb[i] << 1 | bit;
        bit = out;
    }
    x.count++;
    trim(&x);
    return x;
}

static Big divide(const Big *a, const Big *b, Big *rest) {
    Big quotient = {.count = a->count};
    *rest = small(0);
    for (int i = a->count * 32; i-- > 0;) {
        *rest = shifted_in(*rest, a->limb[i / 32] >> (i % 32) & 1);
        if (compare(rest, b) >= 0) {
            *rest = subtract(*rest, b);
            quotient.limb[i / 32] |= UINT32_C(1) << (i % 32);
        }
    }
    trim(&quotient);
    return quotient;
}

static Big power(uint32_t base, unsigned exponent) {
    Big result = small(1), square = small(base);
    for (; exponent; exponent >>= 1) {
        if (exponent & 1)
            result = multiply(&result, &square);
        if (exponent > 1)
            square = multiply(&square, &square);
    }
    return result;
}

static Big parse(const char *text) {
    Big x = small(0), ten = small(10);
    for (; *text; text++) {
        Big digit = small((uint32_t)(*text - '0'));
        x = multiply(&x, &ten);
        x = add(x, &digit);
    }
    return x;
}

static void show(const char *name, Big x) {
    char digits[LIMBS * 10 + 1], *at = digits + sizeof digits;
    *--at = 0;
    do
        *--at = (char)('0' + divide_by_word(&x, 10));
    while (x.count > 0);
    put_text(name);
    put_text(" = ");
    puts(at);
}

static Big gcd(Big a, Big b) {
    while (b.count > 0) {
        Big rest;
        divide(&a, &b, &rest);
        a = b;
        b = rest;
    }
    return a;
}

int main(void) {
    Big factorial = small(1), fibonacci = small(0), next = small(1), rest;
    for (uint32_t i = 2; i <= 100; i++) {
        Big factor = small(i);
        factorial = multiply(&factorial, &factor);
    }
    show("100!", factorial);
    for (int i = 0; i < 300; i++) {
        Big sum = add(fibonacci, &next);
        fibonacci = next;
        next = sum;
    }
    show("fibonacci 300", fibonacci);
    Big x = power(3, 200), y = power(7, 60);
    show("3^200", x);
    Big quotient = divide(&x, &y, &rest);
    show("quotient", quotient);
    show("rest", rest);
    Big again = multiply(&quotient, &y);
    again = add(again, &rest);
    say("same", compare(&again, &x) == 0);
    Big read = parse("123456789012345678901234567890");
    show("gcd", gcd(multiply(&read, &y), factorial));
    show("zero", subtract(read, &read));
    return 0;
}
