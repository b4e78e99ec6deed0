/* Loops over vectors of any length, four numbers at a time. For small systems they are most of a method's cost
 * beside evaluations. They are macros because functions of wide vectors have no portable calling convention. */
#ifndef VERGE_INTEGRATOR_FOURS_H
#define VERGE_INTEGRATOR_FOURS_H

/* Four numbers, and two, at any address. */
typedef double vgFour __attribute__((vector_size(32), aligned(8), may_alias));
typedef double vgTwo __attribute__((vector_size(16), aligned(8), may_alias));
typedef long long vgFourMask __attribute__((vector_size(32), may_alias));

/* Expands BLOCK(N, i) for all n numbers: fours at i, then the remainder by two and one. In it GETN(N, x) are N
 * numbers at x, padded with zeros, and PUT(N, x, y) stores that many. */
#define VG_FOURS(n, BLOCK)                                                                                   \
    do {                                                                                                     \
        int i_ = 0;                                                                                          \
        for (; i_ + 4 <= (n); i_ += 4) BLOCK(4, i_);                                                         \
        if ((n)&2) BLOCK(2, i_);                                                                             \
        if ((n)&1) BLOCK(1, (n)-1);                                                                          \
    } while (0)
/* As above, for arrays padded to whole fours (base/arena.h): one loop, half the code. The padding is finite and
 * has no meaning; norms have weight 0 there. */
#define VG_WHOLE_FOURS(n, BLOCK)                                                                             \
    do {                                                                                                     \
        for (int i_ = 0; i_ < (n); i_ += 4) BLOCK(4, i_);                                                    \
    } while (0)
/* Marks a function that consists of such loops: arithmetic of vectors, separate from decisions. bench_integrators
 * uses the section to distinguish the two. */
#define VG_PASS __attribute__((noinline, section("vg_passes")))
/* Before a short loop: keeps the compiler from unrolling it, since code that runs once a step costs by its length. */
#ifdef __clang__
#define VG_ROLLED _Pragma("nounroll")
#else
#define VG_ROLLED _Pragma("GCC unroll 1")
#endif
#define GET(N, x)    GET_##N(x)
#define GET_4(x)     (*(const vgFour *)(x))
#define GET_2(x)     ((vgFour){(x)[0], (x)[1], 0, 0})
#define GET_1(x)     ((vgFour){(x)[0], 0, 0, 0})
#define PUT(N, x, y) PUT_##N(x, y)
#define PUT_4(x, y)  (*(vgFour *)(x) = (y))
#define PUT_2(x, y)  (*(vgTwo *)(x) = (vgTwo){(y)[0], (y)[1]})
#define PUT_1(x, y)  (*(x) = (y)[0])

/* n rounded up to whole fours. */
static inline int vg_whole(int n)
{
    return (n + 3) & ~3;
}

#define VG_SIZE_OF(x)      ((vgFour)((vgFourMask)(x)&0x7fffffffffffffffLL))
#define VG_EITHER(m, a, b) ((vgFour)(((vgFourMask)(a) & (m)) | ((vgFourMask)(b) & ~(m))))
#ifdef __AVX__ /* the same in one instruction, numbers or not */
#define VG_LARGER(a, b) ((vgFour)__builtin_ia32_maxpd256(a, b))
#else
#define VG_LARGER(a, b) VG_EITHER((a) > (b), a, b)
#endif
#define VG_TOTAL(x)   (((x)[0] + (x)[1]) + ((x)[2] + (x)[3]))
#define VG_LARGEST(x) vg_most(vg_most((x)[0], (x)[1]), vg_most((x)[2], (x)[3]))

/* The larger of two numbers without a branch, which could not be predicted. */
static inline double vg_most(double a, double b)
{
    return a > b ? a : b;
}

/* x, but not below `least` nor above `most`. */
static inline double vg_within(double x, double least, double most)
{
    return x < least ? least : x < most ? x : most;
}

#endif
