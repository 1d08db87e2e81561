/* Checks the compiled divisions against answers from Python and exits with the number of the first row that is wrong, or
   with 42. No library. */
#include "wide.h"

wide product(wide a, wide b), quotient(wide a, wide b), rest(wide a, wide b);
signed_wide signed_quotient(signed_wide a, signed_wide b), signed_rest(signed_wide a, signed_wide b);
unsigned long digits(unsigned long n, unsigned base);
wide power(wide base, unsigned long exponent, wide modulus);

#define W(high, low) ((wide)(high) << 8 * sizeof(long) | (low))

/* a, b, a * b, a / b, a % b unsigned; a / b, a % b signed. */
static const wide table[][7] = {
#ifdef __SIZEOF_INT128__
    {W(0xfffffffffffffffful, 0xfffffffffffffffful), W(0x0ul, 0x3ul), W(0xfffffffffffffffful, 0xfffffffffffffffdul), W(0x5555555555555555ul, 0x5555555555555555ul), W(0x0ul, 0x0ul), W(0x0ul, 0x0ul), W(0xfffffffffffffffful, 0xfffffffffffffffful)},
    {W(0x8000000000000000ul, 0x5ul), W(0x0ul, 0x7ul), W(0x8000000000000000ul, 0x23ul), W(0x1249249249249249ul, 0x2492492492492493ul), W(0x0ul, 0x0ul), W(0xedb6db6db6db6db6ul, 0xdb6db6db6db6db6ful), W(0xfffffffffffffffful, 0xfffffffffffffffcul)},
    {W(0x6513270e269e0d37ul, 0xf2a74de452e6b438ul), W(0x0ul, 0xc5c7fd0a6a3a450ul), W(0xe82e2fadd581ff6ul, 0xdb4b33b6c3343180ul), W(0x8ul, 0x2d3c0808ae76432bul), W(0x0ul, 0x93a8e9f64892ac8ul), W(0x8ul, 0x2d3c0808ae76432bul), W(0x0ul, 0x93a8e9f64892ac8ul)},
    {W(0x1818e811892f902bul, 0xd23f0824128b2f33ul), W(0xe8e25d940ed90475ul, 0x9531985d5d9dc9f8ul), W(0xe3babf9f628936adul, 0x5ba99289b82bc468ul), W(0x0ul, 0x0ul), W(0x1818e811892f902bul, 0xd23f0824128b2f33ul), W(0xfffffffffffffffful, 0xfffffffffffffffful), W(0xfb45a5980894a1ul, 0x6770a0817028f92bul)},
    {W(0x0ul, 0x36f675cc81e74ef5ul), W(0x6b0d549b6f03675aul, 0x1600a35a099950d8ul), W(0x84e306a4b8d56b52ul, 0xfd25d34cb1442eb8ul), W(0x0ul, 0x0ul), W(0x0ul, 0x36f675cc81e74ef5ul), W(0x0ul, 0x0ul), W(0x0ul, 0x36f675cc81e74ef5ul)},
    {W(0x8d116ece1738f7d9ul, 0x3d9c172411e20b8ful), W(0xfffffffffffffffful, 0xffffffffffffff9cul), W(0xe530b77eedbf2f23ul, 0xef06f5e903b37c24ul), W(0x0ul, 0x0ul), W(0x8d116ece1738f7d9ul, 0x3d9c172411e20b8ful), W(0x12639c59e7cdecdul, 0x30061e7d144d197cul), W(0xfffffffffffffffful, 0xfffffffffffffffful)},
    {W(0x8000000000000000ul, 0x0ul), W(0x0ul, 0x1ul), W(0x8000000000000000ul, 0x0ul), W(0x8000000000000000ul, 0x0ul), W(0x0ul, 0x0ul), W(0x8000000000000000ul, 0x0ul), W(0x0ul, 0x0ul)},
    {W(0x90c192cfd3ac94aful, 0xf21ddb66cad4a26ul), W(0x50b85939263059ul, 0xf28c105d1fb17c23ul), W(0x59f7532995edc7a9ul, 0xa3ae1c2da9e18b32ul), W(0x0ul, 0x1cbul), W(0x70ad65c33e369ul, 0x2e0086be9973b765ul), W(0xfffffffffffffffful, 0xfffffffffffffea0ul), W(0xffbf0d7e682f105cul, 0x8fb85dc200b7fa46ul)},
#else
    {W(0xffffffffu, 0xffffffffu), W(0x0u, 0x3u), W(0xffffffffu, 0xfffffffdu), W(0x55555555u, 0x55555555u), W(0x0u, 0x0u), W(0x0u, 0x0u), W(0xffffffffu, 0xffffffffu)},
    {W(0x80000000u, 0x5u), W(0x0u, 0x7u), W(0x80000000u, 0x23u), W(0x12492492u, 0x49249249u), W(0x0u, 0x6u), W(0xedb6db6du, 0xb6db6db8u), W(0xffffffffu, 0xfffffffdu)},
    {W(0x953f48f1u, 0xa09f76b5u), W(0x0u, 0xf29d0da9u), W(0xe381acaeu, 0x94d8e7du), W(0x0u, 0x9d7b6bbdu), W(0x0u, 0xa8c3bdf0u), W(0xffffffffu, 0x8f5b6358u), W(0xffffffffu, 0x3c47699du)},
    {W(0x93bd04cfu, 0xfd630f1u), W(0x658cda14u, 0x95e60af5u), W(0x178aa288u, 0xc36c40a5u), W(0x0u, 0x1u), W(0x2e302abau, 0x79f025fcu), W(0xffffffffu, 0xffffffffu), W(0xf949dee3u, 0xa5bc3be6u)},
    {W(0x0u, 0xcb1e29cu), W(0x3898d190u, 0xf9ebdaccu), W(0x17158b4eu, 0x59ed6c50u), W(0x0u, 0x0u), W(0x0u, 0xcb1e29cu), W(0x0u, 0x0u), W(0x0u, 0xcb1e29cu)},
    {W(0x8e81973eu, 0xbecd7b0u), W(0xffffffffu, 0xffffff9cu), W(0x5560ebc3u, 0x577bbf40u), W(0x0u, 0x0u), W(0x8e81973eu, 0xbecd7b0u), W(0x1228b49u, 0x9e99caa4u), W(0xffffffffu, 0xffffffc0u)},
    {W(0x80000000u, 0x0u), W(0x0u, 0x1u), W(0x80000000u, 0x0u), W(0x80000000u, 0x0u), W(0x0u, 0x0u), W(0x80000000u, 0x0u), W(0x0u, 0x0u)},
    {W(0x2217beadu, 0xdbc496cbu), W(0x35a659u, 0x4a23d596u), W(0x28034fc3u, 0xa26841f2u), W(0x0u, 0xa2u), W(0x247a2cu, 0xf1176ddfu), W(0x0u, 0xa2u), W(0x247a2cu, 0xf1176ddfu)},
#endif
};

static int check(void) {
    for (int row = 0; row < (int)(sizeof table / sizeof table[0]); row++) {
        const wide *t = table[row];
        if (product(t[0], t[1]) != t[2] || quotient(t[0], t[1]) != t[3] || rest(t[0], t[1]) != t[4])
            return 1 + row;
        if (signed_quotient(t[0], t[1]) != (signed_wide)t[5] || signed_rest(t[0], t[1]) != (signed_wide)t[6])
            return 101 + row;
    }
    if (digits(4000000000u, 10) != 10 || digits(7, 2) != 3)
        return 201;
    if (power(3, 1000003, W(0, 0x7fffffffu)) != 0x251852beu)
        return 202;
    return 42;
}

#include "exit.h"
