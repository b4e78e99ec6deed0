/* Angles in lanes. Arguments beyond the short series use the library's function, one lane after the other. */
#ifndef VERGE_MATH_TRIG_LANES_H
#define VERGE_MATH_TRIG_LANES_H

#include "base/libm/libm.h"
#include "math/lanes.h"
#include "math/tuning.h"

/* atan x = Σ (−1)^k x^(2k+1)/(2k+1): fourteen terms are exact to the last digit below a quarter; those with
 * even and with odd k side by side. */
VG_LANEWISE vgLane vg_latan(vgLane x)
{
    vgLane z = x * x, zz = z * z, even = vg_lane(1. / 25), odd = vg_lane(-1. / 27);
    for (int k = 21; k >= 5; k -= 4) {
        even = 1. / k + zz * even;
        odd = -1. / (k + 2) + zz * odd;
    }
    odd = -1. / 3 + zz * odd;
    vgLane y = x + x * (z * odd + zz * even);
    vgLaneMask far = ~(z < vg_lane(VG_ATAN_SERIES_BELOW));
    if (!vg_lane_any(far)) return y;
    for (int k = 0; k < VG_LANES; k++)
        if (far[k]) y[k] = atan(x[k]);
    return y;
}

/* Sine and cosine: x = k π/2 + r with π/2 in three parts, of which k times the first two is exact, then their
 * power series below π/4. */
VG_LANEWISE void vg_lsincos(vgLane x, vgLane *sine, vgLane *cosine)
{
    const double magic = 6755399441055744.0; /* 1.5 2^52: what is added to it loses its fraction */
    const double part[3] = {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2e037073p-69};
    vgLane y = x * 0.636619772367581343 + magic, k = y - magic;
    vgLane r = ((x - k * part[0]) - k * part[1]) - k * part[2], z = r * r, zz = z * z;
    vgLaneMask turns = (vgLaneMask)y, odd = -(turns & 1), none = {0, 0, 0, 0},
               minus = (vgLaneMask)vg_lane(-0.0);
    vgLane s =
        (-1. / 6 + z * (1. / 120)) + zz * ((-1. / 5040 + z * (1. / 362880)) +
                                           zz * ((-1. / 39916800 + z * (1. / 6227020800.)) +
                                                 zz * (-1. / 1307674368000. + z * (1. / 355687428096000.))));
    vgLane c = (1. / 24 - z * (1. / 720)) +
               zz * ((1. / 40320 - z * (1. / 3628800)) +
                     zz * ((1. / 479001600 - z * (1. / 87178291200.)) + zz * (1. / 20922789888000.)));
    vgLane half = 0.5 * z, one = 1 - half;
    s = r + r * z * s;
    c = one + (((1 - one) - half) + zz * c);
    vgLaneMask low = (turns & 2) != none, high = ((turns + 1) & 2) != none;
    *sine = (vgLane)((vgLaneMask)vg_lane_pick(odd, c, s) ^ (low & minus));
    *cosine = (vgLane)((vgLaneMask)vg_lane_pick(odd, s, c) ^ (high & minus));
    vgLaneMask far = ~(vg_labs(x) < vg_lane(VG_TRIG_REDUCED_BELOW));
    if (!vg_lane_any(far)) return;
    for (int i = 0; i < VG_LANES; i++) {
        double sin_i, cos_i;
        if (!far[i]) continue;
        vg_sincos(x[i], &sin_i, &cos_i);
        (*sine)[i] = sin_i, (*cosine)[i] = cos_i;
    }
}

#endif
