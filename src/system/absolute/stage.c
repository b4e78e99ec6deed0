/* Absolute coordinates: a stage of an explicit method for bodies without constraints between them, body by body:
 *
 *     q = q_r ⊕ Δ,  Δ = Σ c_j k_j,  v = v_r + Σ c_j l_j,  k = T⁻¹(Δ) v,  l = (g + f/m, J⁻¹(τ − w × J w)).
 *
 * The general path needs six passes over vectors and bodies (sums, ⊕, T⁻¹, motion, inertia, solution). Here there
 * are two, with the force elements between them. */
#include "system/absolute/stage.h"

void vg_abs_advance(const vgAbsBody *b, const vgExplicit *x, vgKin *kin)
{
    double d[8], *v = x->v + b->v0, *q = x->q + b->q0, *k = x->k + b->v0;
    const double *q_r = x->q_r + b->q0;
    for (int i = 0; i < b->nv; i++) {
        double s = 0, u = x->v_r[b->v0 + i];
        for (int j = 0; j < x->count; j++) {
            s += x->c[j] * x->k_row[j][b->v0 + i];
            u += x->c[j] * x->l_row[j][b->v0 + i];
        }
        d[i] = s;
        v[i] = u;
    }
    if (b->rotates) {
        b->chart->retract(q_r, d, q);
        b->chart->rates(d, q, v, k);
        b->chart->kin(q, v, NULL, kin);
        return;
    }
    for (int i = 0; i < b->nv; i++) {
        q[i] = q_r[i] + d[i];
        k[i] = v[i];
    }
    vg_abs_kin_plain(b, q, v, NULL, kin);
}

/* Weight and what the rotation of its axes does to a body, as a native wrench. */
static inline void own_wrench(const vgAbsBody *b, vgVec3 g, vgVec3 w, double *f)
{
    vgVec3 F = vg_scale3(g, b->weight), T = vg_v3(0, 0, 0);
    if (b->rotates) T = vg_cross3(vg_mv3(b->J, w), w);
    vg_put_six(vg_six(F.x, F.y, F.z, T.x, T.y, T.z), f);
}

/* The accelerations of a body by the native wrench f. */
static inline void accelerate(const vgAbsBody *b, const vgExplicit *x, vgKin *k, const double *f)
{
    double *l = x->l + b->v0;
    if (!b->rotates) {
        for (int c = 0; c < b->select.n; c++) {
            int at = b->select.at[c];
            l[c] = at < 3 ? b->mass_inv * f[at] : f[at] / b->J.m[2][2];
        }
        return;
    }
    vgVec3 a = vg_scale3(vg_load3(f), b->mass_inv), dw = vg_mv3(b->Jinv, vg_load3(f + 3));
    if (b->chart->simple) {
        vg_put_six(vg_six(a.x, a.y, a.z, dw.x, dw.y, dw.z), l);
        return;
    }
    k->dv = a;
    k->dw = dw;
    b->chart->acceleration(x->q + b->q0, x->v + b->v0, k, l);
    k->dv = k->dw = vg_v3(0, 0, 0);
}

vgStatus vg_abs_stage(const vgSystem *sys, vgWork *work, const vgExplicit *x)
{
    const vgAbs *s = (const vgAbs *)sys;
    vgAbsWork *w = (vgAbsWork *)work;
    vgVec3 g = sys->model->gravity;
    work->taken |= VG_FAST_STAGE;
    for (int i = 0; i < s->nbody; i++) {
        const vgAbsBody *b = &s->body[i];
        vgKin *k = &w->kin[i];
        b->advance(b, x, k);
        k->dv = k->dw = vg_v3(0, 0, 0);
        own_wrench(b, g, k->w, w->native + 6 * i);
    }
    vg_native_measures(&w->native_motion, 1);
    vg_native_apply(&w->native_motion, x->t, w->native);
    for (int i = 0; i < s->nbody; i++) accelerate(&s->body[i], x, &w->kin[i], w->native + 6 * i);
    return VG_OK;
}
