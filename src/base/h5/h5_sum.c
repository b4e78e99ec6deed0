/* The two checksums. */
#include "base/h5/h5.h"

uint64_t vg_h5_sum(uint64_t h, const void *bytes, size_t n)
{
    const unsigned char *at = bytes;
    for (; n > 0; at += 8) {
        uint64_t word = 0;
        for (size_t i = 0; i < (n < 8 ? n : 8); i++) word |= (uint64_t)at[i] << 8 * i;
        h = (h ^ word) * 0x9E3779B97F4A7C15u;
        h ^= h >> 32;
        n -= n < 8 ? n : 8;
    }
    return h;
}

static uint32_t turn(uint32_t x, int k)
{
    return x << k | x >> (32 - k);
}

/* B. Jenkins, lookup3 (public domain, 2006), hashlittle() with the initial value 0. */
uint32_t vg_h5_lookup3(const void *bytes, size_t n)
{
    const unsigned char *k = bytes;
    uint32_t a, b, c;
    a = b = c = 0xdeadbeefu + (uint32_t)n;
    for (; n > 12; n -= 12, k += 12) {
        uint32_t w[3] = {0, 0, 0};
        for (int i = 0; i < 12; i++) w[i / 4] += (uint32_t)k[i] << 8 * (i % 4);
        a += w[0], b += w[1], c += w[2];
        a -= c, a ^= turn(c, 4), c += b;
        b -= a, b ^= turn(a, 6), a += c;
        c -= b, c ^= turn(b, 8), b += a;
        a -= c, a ^= turn(c, 16), c += b;
        b -= a, b ^= turn(a, 19), a += c;
        c -= b, c ^= turn(b, 4), b += a;
    }
    if (n == 0) return c;
    uint32_t w[3] = {0, 0, 0};
    for (size_t i = 0; i < n; i++) w[i / 4] += (uint32_t)k[i] << 8 * (i % 4);
    a += w[0], b += w[1], c += w[2];
    c ^= b, c -= turn(b, 14);
    a ^= c, a -= turn(c, 11);
    b ^= a, b -= turn(a, 25);
    c ^= b, c -= turn(b, 16);
    a ^= c, a -= turn(c, 4);
    b ^= a, b -= turn(a, 14);
    c ^= b, c -= turn(b, 24);
    return c;
}
