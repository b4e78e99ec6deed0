#include "base/libm/libm.h"
#include "math/rotpar.h"

#include "math/so3.h"

typedef struct trig {
    double cf, sf, ch, sh, cs, ss;
} trig;

static trig trig_of(vgVec3 a)
{
    trig k;
    vg_sincos(a.x, &k.sf, &k.cf);
    vg_sincos(a.y, &k.sh, &k.ch);
    vg_sincos(a.z, &k.ss, &k.cs);
    return k;
}

vgMat3 vg_angles_to_mat(vgVec3 a)
{
    trig k = trig_of(a);
    return vg_m3(k.ch * k.cs, -k.ch * k.ss, k.sh, k.cf * k.ss + k.sf * k.sh * k.cs,
                 k.cf * k.cs - k.sf * k.sh * k.ss, -k.sf * k.ch, k.sf * k.ss - k.cf * k.sh * k.cs,
                 k.sf * k.cs + k.cf * k.sh * k.ss, k.cf * k.ch);
}

/* f from the last column, then s from the second row of Rx(f)^T R = Ry Rz, which is (sin s, cos s, 0): at the
 * singularity any f serves and s makes up for it. */
vgVec3 vg_angles_from_mat(vgMat3 R)
{
    double h = atan2(R.m[0][2], hypot(R.m[1][2], R.m[2][2]));
    double f = atan2(-R.m[1][2], R.m[2][2]), c = cos(f), s = sin(f);
    return vg_v3(f, h, atan2(c * R.m[1][0] + s * R.m[2][0], c * R.m[1][1] + s * R.m[2][1]));
}

vgMat3 vg_angles_G(vgVec3 a)
{
    trig k = trig_of(a);
    return vg_m3(k.cs * k.ch, k.ss, 0, -k.ss * k.ch, k.cs, 0, k.sh, 0, 1);
}

vgMat3 vg_angles_Ginv(vgVec3 a)
{
    trig k = trig_of(a);
    double r = 1 / k.ch, t = k.sh * r;
    return vg_m3(k.cs * r, -k.ss * r, 0, k.ss, k.cs, 0, -k.cs * t, k.ss * t, 1);
}

vgMat3 vg_angles_Gdot(vgVec3 a, vgVec3 adot)
{
    trig k = trig_of(a);
    double dh = adot.y, ds = adot.z;
    return vg_m3(-k.ss * k.ch * ds - k.cs * k.sh * dh, k.cs * ds, 0, -k.cs * k.ch * ds + k.ss * k.sh * dh,
                 -k.ss * ds, 0, k.ch * dh, 0, 0);
}

vgMat3 vg_angles_d_G(vgVec3 a, vgVec3 w)
{
    trig k = trig_of(a);
    return vg_m3(0, -k.cs * k.sh * w.x, -k.ss * k.ch * w.x + k.cs * w.y, 0, k.ss * k.sh * w.x,
                 -k.cs * k.ch * w.x - k.ss * w.y, 0, k.ch * w.x, 0);
}

vgMat3 vg_angles_d_Gdot(vgVec3 a, vgVec3 u, vgVec3 w)
{
    trig k = trig_of(a);
    vgVec3 hh = vg_v3(-k.cs * k.ch * w.x, k.ss * k.ch * w.x, -k.sh * w.x);
    vgVec3 hs = vg_v3(k.ss * k.sh * w.x, k.cs * k.sh * w.x, 0);
    vgVec3 ss = vg_v3(-k.cs * k.ch * w.x - k.ss * w.y, k.ss * k.ch * w.x - k.cs * w.y, 0);
    return vg_cols3(vg_zero3(), vg_axpy3(u.y, hh, vg_scale3(hs, u.z)), vg_axpy3(u.y, hs, vg_scale3(ss, u.z)));
}

vgMat3 vg_angles_d_Gdot_rate(vgVec3 a, vgVec3 w)
{
    return vg_madd3(vg_angles_d_G(a, w), vg_angles_Gdot(a, w));
}

static vgVec3 vec_part(const double e[4])
{
    return vg_v3(e[1], e[2], e[3]);
}

/* 3x4 out of a column and a 3x3 block */
static void put34(vgVec3 c, vgMat3 M, double out[12])
{
    out[0] = c.x;
    out[4] = c.y;
    out[8] = c.z;
    vg_mput3(M, out + 1, 4);
}

vgMat3 vg_ep_to_mat(const double e[4])
{
    vgVec3 v = vec_part(e);
    double d = e[0] * e[0] - vg_dot3(v, v);
    return vg_maxpy3(2 * e[0], vg_skew3(v), vg_maxpy3(2, vg_outer3(v, v), vg_diag3(d, d, d)));
}

void vg_ep_from_mat(vgMat3 R, double e[4])
{
    vgQuat q = vg_quat_from_mat(R);
    e[0] = q.w;
    e[1] = q.x;
    e[2] = q.y;
    e[3] = q.z;
}

void vg_ep_G(const double e[4], double G[12])
{
    vgVec3 v = vg_scale3(vec_part(e), 2);
    double d = 2 * e[0];
    put34(vg_neg3(v), vg_msub3(vg_diag3(d, d, d), vg_skew3(v)), G);
}

vgVec3 vg_ep_omega(const double e[4], const double edot[4])
{
    vgVec3 v = vec_part(e), r = vec_part(edot);
    vgVec3 w = vg_sub3(vg_sub3(vg_scale3(r, e[0]), vg_scale3(v, edot[0])), vg_cross3(v, r));
    return vg_scale3(w, 2);
}

void vg_ep_rate(const double e[4], vgVec3 w, double edot[4])
{
    double s = 0.25 / (e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
    vg_ep_Gt(e, vg_scale3(w, s), edot);
}

void vg_ep_d_G(const double w[4], double D[12])
{
    vg_ep_G(w, D);
    for (int i = 0; i < 12; i++) D[i] = -D[i];
}

/* G^T t = 2 (-ev.t, e0 t + ev x t) */
void vg_ep_Gt(const double e[4], vgVec3 t, double out[4])
{
    vgVec3 v = vec_part(e);
    out[0] = -2 * vg_dot3(v, t);
    vg_store3(vg_scale3(vg_axpy3(e[0], t, vg_cross3(v, t)), 2), out + 1);
}
