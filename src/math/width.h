/* Formulas that are written once and compiled for one element and for four side by side. A file of formulas is included
 * after VG_WIDTH has been set to 1 or 4 and this file has been included; it uses
 *
 *                 VG_WIDTH 1    VG_WIDTH 4
 *     WNUM        double        vgLane
 *     WMASK       int           vgLaneMask       of a comparison
 *     W3, W33     vgVec3, …     vgLane3, vgLane33
 *     W(add3)     vg_add3       vg_ladd3         functions of math/vec.h, math/lanes.h and below
 *     WNAME(f)    vg_f_1        vg_f_4           functions of its own
 *     WTYPE(T)    vgT_1         vgT_4            types of its own
 *
 * An operation on lanes is four operations on numbers with the same roundings (lanes.h), so that both widths give the
 * same bits. No include guard: each inclusion sets the names for the width at hand. */
#include "base/libm/libm.h" /* vg_atan */
#include "math/trig_lanes.h"

#ifndef VERGE_MATH_WIDTH_H
#define VERGE_MATH_WIDTH_H
static inline double vg_num(double x)
{
    return x;
}
static inline double vg_sqrt(double x)
{
    return sqrt(x);
}
static inline double vg_abs(double x)
{
    return fabs(x);
}
/* a where m is set, else b */
static inline double vg_pick(int m, double a, double b)
{
    return m ? a : b;
}
VG_LANEWISE vgLane vg_lnum(double x)
{
    return vg_lane(x);
}
VG_LANEWISE vgLane vg_lpick(vgLaneMask m, vgLane a, vgLane b)
{
    return vg_lane_pick(m, a, b);
}
#endif

#undef WNUM
#undef WMASK
#undef W3
#undef W33
#undef W
#undef WNAME
#undef WTYPE
#undef WINLINE
#if VG_WIDTH == 1
#define WNUM     double
#define WMASK    int
#define W3       vgVec3
#define W33      vgMat3
#define W(f)     vg_##f
#define WNAME(f) vg_##f##_1
#define WTYPE(T) vg##T##_1
#define WINLINE  static inline __attribute__((always_inline, unused))
#else
#define WNUM     vgLane
#define WMASK    vgLaneMask
#define W3       vgLane3
#define W33      vgLane33
#define W(f)     vg_l##f
#define WNAME(f) vg_##f##_4
#define WTYPE(T) vg##T##_4
#define WINLINE  VG_LANEWISE
#endif
