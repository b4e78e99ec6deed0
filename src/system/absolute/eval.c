/* Absolute coordinates: motion, residual, constraint values, force elements. */
#include "base/libm/libm.h"
#include "system/absolute/absolute.h"

#include <math.h>
#include <string.h>

/* Motion of a body without spatial rotation from its selected components. */
void vg_abs_kin_plain(const vgAbsBody *b, const double *q, const double *v, const double *a, vgKin *k)
{
    double pos[3] = {0, 0, 0}, vel[3] = {0, 0, 0}, acc[3] = {0, 0, 0};
    for (int i = 0; i < b->select.n; i++) {
        int c = b->select.at[i];
        if (c < 3) {
            pos[c] = q[i];
            vel[c] = v[i];
            if (a) acc[c] = a[i];
        } else {
            double s, co;
            vg_sincos(q[i], &s, &co);
            k->R = (vgMat3){{{co, -s, 0}, {s, co, 0}, {0, 0, 1}}};
            k->w = vg_v3(0, 0, v[i]);
            if (a) k->dw = vg_v3(0, 0, a[i]);
        }
    }
    k->p = vg_load3(pos);
    k->v = vg_load3(vel);
    if (a) k->dv = vg_load3(acc);
}

void vg_abs_kin_of(const vgAbs *s, vgAbsWork *w, int i, const double *q, const double *v, const double *a)
{
    const vgAbsBody *b = &s->body[i];
    if (b->rotates)
        b->chart->kin(q + b->q0, v + b->v0, a ? a + b->v0 : NULL, &w->kin[i]);
    else
        vg_abs_kin_plain(b, q + b->q0, v + b->v0, a ? a + b->v0 : NULL, &w->kin[i]);
}

void vg_abs_kin(const vgAbs *s, vgAbsWork *w, const double *q, const double *v, const double *a)
{
    for (int i = 0; i < s->nbody; i++) vg_abs_kin_of(s, w, i, q, v, a);
}

/* ---- residual -------------------------------------------------------------------------------------------
 */

/* Native inertia: m (v̇ − g), J ẇ + w × J w; not moving: with accelerations of zero. */
void vg_abs_inertia_of(const vgAbs *s, const vgAbsWork *w, int i, int moving, double *native)
{
    vgVec3 g = s->base.model->gravity;
    const vgAbsBody *b = &s->body[i];
    const vgKin *k = &w->kin[i];
    double *n = native + 6 * i;
    vgVec3 pull = vg_scale3(g, -b->weight);
    vg_store3(moving ? vg_axpy3(b->mass, k->dv, pull) : pull, n);
    if (b->rotates) {
        vgVec3 turn = vg_cross3(k->w, vg_mv3(b->J, k->w));
        vg_store3(moving ? vg_add3(vg_mv3(b->J, k->dw), turn) : turn, n + 3);
    } else {
        n[3] = n[4] = 0;
        n[5] = moving ? b->J.m[2][2] * k->dw.z : 0;
    }
}

void vg_abs_inertia(const vgAbs *s, const vgAbsWork *w, int moving, double *native)
{
    for (int i = 0; i < s->nbody; i++) vg_abs_inertia_of(s, w, i, moving, native);
}

static void pull_back(const vgAbs *s, const vgAbsWork *w, const double *q, const double *lambda, double *r)
{
    for (int i = 0; i < s->nbody; i++) {
        const vgAbsBody *b = &s->body[i];
        const double *n = w->native + 6 * i;
        double *ri = r + b->v0;
        if (!b->rotates) {
            for (int k = 0; k < b->select.n; k++) ri[k] = n[b->select.at[k]];
        } else if (b->chart->simple) {
            for (int k = 0; k < 6; k++) ri[k] = n[k];
        } else {
            b->chart->pull(q + b->q0, &w->kin[i], n, ri);
            if (b->unit_row >= 0)
                for (int k = 0; k < 4; k++) ri[3 + k] += lambda[b->unit_row] * q[b->q0 + 3 + k];
        }
    }
}

static void native_twist(const vgAbs *s, const vgAbsWork *w, int acceleration, double *xi)
{
    for (int i = 0; i < s->nbody; i++) {
        const vgKin *k = &w->kin[i];
        vg_store3(acceleration ? k->dv : k->v, xi + 6 * i);
        vg_store3(acceleration ? k->dw : k->w, xi + 6 * i + 3);
    }
}

void vg_abs_residual(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v,
                     const double *a, const double *lambda, double *r, double *phi)
{
    const vgAbs *s = (const vgAbs *)sys;
    vgAbsWork *w = (vgAbsWork *)work;
    const vgModel *m = sys->model;
    vg_abs_kin(s, w, q, v, a);
    vg_native_measures(&w->native_motion, 2);
    vg_abs_inertia(s, w, 1, w->native);
    vg_abs_lanes_forces(s, w, w->native);
    vg_native_forces(&w->native_motion, t, w->native);
    double *values = phi ? phi : w->lam;
    vg_native_constraint_forces(&w->native_motion, t, lambda, w->native, values);
    pull_back(s, w, q, lambda, r);
    if (!phi) return;
    if (s->any_level == 2) {
        native_twist(s, w, 1, w->xi);
        vg_native_prims(&w->native_motion, t, VG_PRIM_GRADIENT | VG_PRIM_BIAS);
        vg_native_rows_times(&w->native_motion, w->xi, w->lam);
        for (int i = 0; i < m->nprim; i++)
            if (m->prim[i].level == 2)
                for (int k = 0; k < m->prim[i].rows; k++)
                    phi[m->prim[i].row + k] = w->lam[m->prim[i].row + k] + w->prim[i].bias[k];
    }
    for (int i = 0; i < s->nbody; i++) {
        const vgAbsBody *b = &s->body[i];
        if (b->unit_row < 0) continue;
        const double *e = q + b->q0 + 3;
        phi[b->unit_row] = 0.5 * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3] - 1);
    }
}

double vg_abs_potential(const vgSystem *sys, vgWork *work, double t, const double *q, double *f)
{
    const vgAbs *s = (const vgAbs *)sys;
    vgAbsWork *w = (vgAbsWork *)work;
    vgVec3 g = sys->model->gravity;
    double sum = 0;
    vg_abs_kin(s, w, q, w->zero, NULL);
    vg_native_measures(&w->native_motion, 1);
    memset(w->native, 0, (size_t)(6 * s->nbody) * sizeof(double));
    for (int i = 0; i < s->nbody; i++) {
        vg_store3(vg_scale3(g, s->body[i].weight), w->native + 6 * i);
        sum -= s->body[i].weight * vg_dot3(g, w->kin[i].p);
    }
    sum += vg_native_potential(&w->native_motion, t, w->native);
    memset(w->lam, 0, (size_t)sys->nl * sizeof(double));
    if (f) pull_back(s, w, q, w->lam, f);
    return sum;
}
