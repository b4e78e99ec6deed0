/* Measures that tie a node of a flexible body to its frame and its amplitudes:
 *   TILT      θ_j = ½ (a_l·b_k − a_k·b_l), j k l cyclic, a and b the axes of frames A and B: the vector of
 * the skew part of R_AB, which is the small rotation up to the third order LINEAR    A.r·p_A + B.r·p_B
 *   BILINEAR  p_A·A.R p_B */
#include <string.h>

#include "element/prim/measure.h"
#include "element/prim/prim.h"

static vgPrim tilt(const vgMeasure *m)
{
    const int k = (m->axis + 1) % 3, l = (m->axis + 2) % 3;
    return (vgPrim){.kind = VG_PRIM_DOT,
                    .rows = 1,
                    .s1 = 0.5,
                    .s2 = -0.5,
                    .ua = vg_col3(m->A.R, l),
                    .ub = vg_col3(m->B.R, k),
                    .wa = vg_col3(m->A.R, k),
                    .wb = vg_col3(m->B.R, l)};
}

static void tilt_eval(const vgMeasure *m, const vgKin *ka, const vgKin *kb, int derivatives,
                      vgMeasureOut *out)
{
    vgPrim p = tilt(m);
    vgPrimOut o;
    vg_prim_eval(&p, 0, ka, kb,
                 VG_PRIM_VALUE | VG_PRIM_RATE | (derivatives ? VG_PRIM_GRADIENT | VG_PRIM_BIAS : 0), &o);
    out->value = o.phi[0] + m->offset;
    out->rate = o.dot[0];
    if (!derivatives) return;
    out->bias = o.bias[0];
    memcpy(out->grad, o.Ba[0], sizeof o.Ba[0]);
    memcpy(out->grad + 6, o.Bb[0], sizeof o.Bb[0]);
    if (derivatives < 2) return;
    double D[VG_PRIM_MAX_ROWS][12];
    vg_prim_drate(&p, ka, kb, D);
    memcpy(out->drate, D[0], sizeof D[0]);
}

void vg_measure_tie_eval(const vgMeasure *m, const vgKin *ka, const vgKin *kb, int derivatives,
                         vgMeasureOut *out)
{
    if (m->kind == VG_MEASURE_TILT) {
        tilt_eval(m, ka, kb, derivatives, out);
        return;
    }
    const int two = m->kind == VG_MEASURE_BILINEAR;
    vgVec3 gA = two ? vg_mv3(m->A.R, kb->p) : m->A.r, gB = two ? vg_mtv3(m->A.R, ka->p) : m->B.r;
    out->value = vg_dot3(gA, ka->p) + (two ? 0 : vg_dot3(gB, kb->p)) + m->offset;
    out->rate = vg_dot3(gA, ka->v) + vg_dot3(gB, kb->v);
    if (derivatives < 1) return;
    out->bias = two ? 2 * vg_dot3(ka->v, vg_mv3(m->A.R, kb->v)) : 0;
    memset(out->grad, 0, sizeof out->grad);
    vg_store3(gA, out->grad);
    vg_store3(gB, out->grad + 6);
    if (derivatives < 2) return;
    memset(out->drate, 0, sizeof out->drate);
    if (!two) return;
    vg_store3(vg_mv3(m->A.R, kb->v), out->drate);
    vg_store3(vg_mtv3(m->A.R, ka->v), out->drate + 6);
}

void vg_measure_tie_hessian(const vgMeasure *m, const vgKin *ka, const vgKin *kb, double factor,
                            double H[144])
{
    if (m->kind == VG_MEASURE_TILT) {
        vgPrim p = tilt(m);
        vg_prim_stiffness(&p, ka, kb, &factor, H);
    } else if (m->kind == VG_MEASURE_BILINEAR) {
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                H[i * 12 + 6 + j] += factor * m->A.R.m[i][j];
                H[(6 + j) * 12 + i] += factor * m->A.R.m[i][j];
            }
    }
}
