/* Arcs in lanes. What is beyond the short series goes through the library's function, one by one. */
#ifndef VERGE_MATH_TRIG_LANES_H
#define VERGE_MATH_TRIG_LANES_H

#include "math/lanes.h"

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
    vgLaneMask far = ~(z < vg_lane(0.0625));
    if (!vg_lane_any(far)) return y;
    for (int k = 0; k < VG_LANES; k++)
        if (far[k]) y[k] = atan(x[k]);
    return y;
}

#endif
