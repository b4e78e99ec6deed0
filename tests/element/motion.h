/* Random motions, native variations and Richardson differences for tests of elements. */
#ifndef VERGE_TESTS_ELEMENT_MOTION_H
#define VERGE_TESTS_ELEMENT_MOTION_H

#include <stdint.h>

#include "element/kin.h"
#include "math/so3.h"

static uint64_t motion_seed = 0x9e3779b97f4a7c15u;

/* Uniform in (−1, 1). */
static inline double motion_random(void)
{
    motion_seed ^= motion_seed << 13;
    motion_seed ^= motion_seed >> 7;
    motion_seed ^= motion_seed << 17;
    return (double)(motion_seed >> 11) / (double)(1ull << 52) - 1;
}

static inline vgVec3 motion_vec(void)
{
    double x = motion_random(), y = motion_random(), z = motion_random();
    return vg_v3(x, y, z);
}

static inline vgVec3 motion_unit(void)
{
    return vg_unit3(vg_add3(motion_vec(), vg_v3(0.1, 0.2, 0.3)));
}

static inline vgMat3 motion_rotation(void)
{
    return vg_so3_exp(vg_scale3(motion_vec(), 1.7));
}

static inline vgKin motion_ground(void)
{
    vgKin k = {0};
    k.R = vg_eye3();
    return k;
}

static inline vgKin motion_kin(int planar)
{
    vgKin k = {0};
    k.p = motion_vec();
    k.v = motion_vec();
    if (planar) {
        k.p.z = k.v.z = 0;
        k.R = vg_so3_exp(vg_v3(0, 0, 3 * motion_random()));
        k.w = vg_v3(0, 0, motion_random());
    } else {
        k.R = motion_rotation();
        k.w = motion_vec();
    }
    return k;
}

/* The body after the native variation s·d, velocities (native components) unchanged. */
static inline vgKin motion_moved(const vgKin *k, const double d[6], double s)
{
    vgKin out = *k;
    out.p = vg_axpy3(s, vg_load3(d), k->p);
    out.R = vg_mm3(k->R, vg_so3_exp(vg_scale3(vg_load3(d + 3), s)));
    return out;
}

/* The body at time t under constant native accelerations dv, dw: w(t) = w + t dw; the orientation by the
 * Magnus expansion, Ω = w t + dw t²/2 + (w × dw) t³/12 for body-fixed velocities (R exp Ω). */
static inline vgKin motion_at(const vgKin *k, double t)
{
    vgKin out = *k;
    out.p = vg_add3(k->p, vg_add3(vg_scale3(k->v, t), vg_scale3(k->dv, t * t / 2)));
    out.v = vg_axpy3(t, k->dv, k->v);
    out.w = vg_axpy3(t, k->dw, k->w);
    vgVec3 turn = vg_add3(vg_scale3(k->w, t), vg_scale3(k->dw, t * t / 2));
    turn = vg_axpy3(t * t * t / 12, vg_cross3(k->w, k->dw), turn);
    out.R = vg_mm3(k->R, vg_so3_exp(turn));
    return out;
}

/* Richardson: central differences at h and h/2 with the h² term removed. */
static inline double motion_richardson(double at_h, double at_minus_h, double at_half, double at_minus_half,
                                       double h)
{
    double coarse = (at_h - at_minus_h) / (2 * h), fine = (at_half - at_minus_half) / h;
    return (4 * fine - coarse) / 3;
}

#endif
