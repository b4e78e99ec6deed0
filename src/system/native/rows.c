/* Constraints in the residual: value Φ and force Bᵀλ, without forming B. The gradient of an equation by points and
 * vectors (prim.h) times λ is a force on a point or a couple on a vector:
 *
 *     force += g_P
 *     torque += r × Rᵀ g_P + u × Rᵀ g_u     (torque in body axes)
 *
 * A kind of primitive that has `push` does this in one pass; the others are evaluated through their rows. */
#include "system/native/native.h"

#include <math.h>

/* Any primitive through its rows. */
static void by_rows(vgNative *x, int i, double t, const double *l, double *native, double *phi)
{
    const vgPrim *p = &x->model->prim[i];
    vg_native_prim(x, i, t, VG_PRIM_VALUE | VG_PRIM_GRADIENT | (p->level == 2 ? VG_PRIM_BIAS : 0));
    for (int r = 0; r < p->rows; r++) phi[r] = x->prim[i].phi[r];
    for (int k = 0; k < vg_prim_terms(p); k++) {
        vgTerm e = vg_native_term(x, i, k);
        for (int r = 0; r < p->rows; r++) {
            if (e.a >= 0) vg_add_row6(native + 6 * e.a, e.ga + 6 * r, l[r] * e.k);
            if (e.b >= 0) vg_add_row6(native + 6 * e.b, e.gb + 6 * r, l[r] * e.k);
        }
    }
}

void vg_native_constraint_forces(vgNative *x, double t, const double *lambda, double *native, double *phi)
{
    const vgModel *m = x->model;
    const int written = (x->fast & VG_FAST_ROWS) != 0;
    x->work->taken |= x->fast & ((x->rods.n ? VG_FAST_RODS : 0) | (x->rods.nrest ? VG_FAST_ROWS : 0));
    vg_rods_forces(&x->rods, x->kin, x->nbody, lambda, native, phi);
    for (int at = 0; at < x->rods.nrest; at++) {
        int i = x->rods.rest[at];
        const vgPrim *p = &m->prim[i];
        const vgPrimType *type = vg_prim_type(p);
        const double *l = lambda + p->row;
        if (p->law || !written || !type->push)
            by_rows(x, i, t, l, native, phi + p->row);
        else
            type->push(p, vg_native_kin(x, p->a), vg_native_kin(x, p->b), l,
                       p->a < 0 ? NULL : native + 6 * p->a, p->b < 0 ? NULL : native + 6 * p->b,
                       phi + p->row);
    }
}

/* B ξ̇ of one row */
static double row_acceleration(const vgNative *x, int i, int r)
{
    const vgPrim *p = &x->model->prim[i];
    double sum = 0;
    for (int k = 0; k < vg_prim_terms(p); k++) {
        vgTerm e = vg_native_term(x, i, k);
        if (e.a >= 0) sum += e.k * vg_dot_row6(e.ga + 6 * r, &x->kin[e.a].dv.x);
        if (e.b >= 0) sum += e.k * vg_dot_row6(e.gb + 6 * r, &x->kin[e.b].dv.x);
    }
    return sum;
}

void vg_native_levels(vgNative *x, double t, double *phi, double *dot, double *ddot)
{
    const unsigned all = VG_PRIM_VALUE | VG_PRIM_GRADIENT | VG_PRIM_RATE | VG_PRIM_BIAS;
    vg_rods_levels(&x->rods, x->kin, x->nbody, phi, dot, ddot);
    for (int at = 0; at < x->rods.nrest; at++) {
        int i = x->rods.rest[at];
        const vgPrim *p = &x->model->prim[i];
        vgPrimOut *o = &x->prim[i];
        vg_native_prim(x, i, t, all);
        for (int r = 0; r < p->rows; r++) {
            vg_native_row_levels(p, o, r, &phi[p->row + r], &dot[p->row + r]);
            ddot[p->row + r] = row_acceleration(x, i, r) + o->bias[r];
        }
    }
}

void vg_native_right(const vgNative *x, vgRightSide which, const double *b, const int *at, double *right)
{
    const vgDrift *drift = &x->work->sys->drift;
    const double c1 = 2 * drift->alpha, c0 = drift->beta * drift->beta;
    for (int k = 0; k < x->nlist; k++) {
        const vgPrim *p = &x->model->prim[x->list[k]];
        const vgPrimOut *o = &x->prim[x->list[k]];
        for (int r = 0; r < p->rows; r++) {
            const int row = p->row + r;
            double phi = 0, dot = 0, y;
            vg_native_row_levels(p, o, r, &phi, &dot);
            y = which == VG_RIGHT_POSITION ? -phi : -dot;
            if (which == VG_RIGHT_ACCELERATION) {
                y = -o->bias[r] - (b ? b[row] : 0);
                if (p->level == 0) y -= c1 * dot + c0 * phi;
                if (p->level == 1) y -= drift->alpha * dot;
            }
            right[at ? at[row] : row] = y;
        }
    }
}
