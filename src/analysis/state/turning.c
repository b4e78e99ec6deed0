/* (93): steady turning. Everything turns as one about a fixed axis, at rest in the frame that turns with it:
 *
 *     v = v₀ + ω × x,   a = ω × v,   ω_B = Rᵀω,   ω̇_B = 0,      r(q, v, a, λ) = 0,   Φ(q) = 0.
 *
 * Newton's matrix is that of small motions as seen from the turning frame, K + CΩ̂ + MΩ̂² (modes.h), bordered
 * by B. The speed is raised in steps where Newton asks for it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/equilibrium/equilibrium.h"
#include "analysis/modes/modes.h"
#include "linalg/dense.h"
#include "analysis/tuning.h"

enum { ITERATIONS = 25 };
static const double SMALLEST = 1e-3; /* part of the speed raised at a time */
static const double LONGEST = 0.5;   /* a correction beyond this, in lengths or radians, is cut */
static const double TRACE = 1e-9;    /* of M ω², holds what nothing holds: the angle of a free hub */

typedef struct Turning {
    const vgSystem *sys;
    vgWork *w;
    vgState *s;
    vgVec3 omega, v0;  /* at the full speed */
    double *q, *kept;  /* nq, nq + nl */
    double *r, *x, *d; /* nv + nl, nv + nl, nv */
    double *A;         /* (nv + nl)² */
    int *row, *pivot;  /* nl: rows of B in A; nv + nl */
    vgEquilibrium *out;
} Turning;

/* The state's v and a: those of the turning at part `s` of the speed. */
static void turn(Turning *z, double s)
{
    const vgSystem *sys = z->sys;
    vgState *state = z->s;
    const vgVec3 w = vg_scale3(z->omega, s);
    const vgKin *kin = sys->ops->kinematics(sys, z->w, state->t, state->q, state->v, state->a);
    for (int i = 0; i < sys->nv; i++) {
        const int body = sys->v_body[i], c = vg_modes_component(sys, i);
        if (vg_body_is_hidden(&sys->model->body[body])) {
            z->d[i] = z->x[i] = 0;
            continue;
        }
        double v[6], a[6] = {0};
        vgVec3 velocity = vg_axpy3(s, z->v0, vg_cross3(w, kin[body].p));
        vg_store3(velocity, v);
        vg_store3(vg_mtv3(kin[body].R, w), v + 3);
        vg_store3(vg_cross3(w, velocity), a);
        z->d[i] = v[c], z->x[i] = a[c];
    }
    memcpy(state->v, z->d, (size_t)sys->nv * sizeof(double));
    memcpy(state->a, z->x, (size_t)sys->nv * sizeof(double));
}

/* A := [K + trace M, Bᵀ; B, 0] with K as the turning frame sees it. */
static vgStatus tangent(Turning *z, double s, int *n)
{
    vgLinearised l;
    const vgVec3 w = vg_scale3(z->omega, s);
    vgStatus st = vg_linearise(z->sys, z->w, z->s, &l);
    if (st != VG_OK) return st;
    st = vg_linearised_spin(z->sys, w, &l);
    const int nv = l.n, all = *n = nv + l.m;
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < nv; j++)
            z->A[(size_t)i * (size_t)all + (size_t)j] =
                l.K[i * nv + j] + TRACE * vg_dot3(w, w) * l.M[i * nv + j];
    for (int r = 0; r < l.m; r++) {
        double *row = z->A + (size_t)(nv + r) * (size_t)all;
        memset(row, 0, (size_t)all * sizeof *row);
        for (int j = 0; j < nv; j++) {
            row[j] = l.B[r * nv + j];
            z->A[(size_t)j * (size_t)all + (size_t)(nv + r)] = row[j];
        }
        z->row[r] = l.row[r];
    }
    vg_linearised_free(&l);
    return st;
}

static vgStatus newton(Turning *z, double s)
{
    const vgSystem *sys = z->sys;
    vgState *state = z->s;
    const int nv = sys->nv;
    for (int k = 0; k < ITERATIONS; k++) {
        int all = nv;
        turn(z, s);
        vgStatus st = tangent(z, s, &all);
        if (st != VG_OK) return st;
        sys->ops->residual(sys, z->w, state->t, state->q, state->v, state->a, state->lambda, z->r, z->r + nv);
        const vgKin *kin = sys->ops->kinematics(sys, z->w, state->t, state->q, state->v, state->a);
        vg_modes_turn(sys, kin, 0, z->r);
        for (int i = 0; i < nv; i++) z->x[i] = -z->r[i];
        for (int r = 0; r < all - nv; r++)
            z->x[nv + r] = sys->row_level[z->row[r]] > 0 ? 0 : -z->r[nv + z->row[r]];
        st = vg_dense_lu(z->A, all, 0, z->pivot, NULL);
        if (st != VG_OK) return st;
        vg_dense_lu_solve(z->A, z->pivot, all, z->x);
        z->out->iterations++;
        double size = 0;
        for (int i = 0; i < nv; i++) size = fmax(size, fabs(z->x[i]) / sys->v_scale[i]);
        if (!isfinite(size) || size > VG_TURNING_DIVERGED) return VG_NOT_CONVERGED;
        const double step = size > LONGEST ? LONGEST / size : 1;
        vg_modes_turn(sys, kin, 1, z->x);
        for (int i = 0; i < nv; i++) z->d[i] = step * z->x[i];
        sys->ops->retract(sys, state->q, z->d, z->q);
        memcpy(state->q, z->q, (size_t)sys->nq * sizeof(double));
        for (int r = 0; r < all - nv; r++) state->lambda[z->row[r]] += step * z->x[nv + r];
        z->out->correction = size;
        if (size < VG_TURNING_MET) {
            turn(z, s);
            return VG_OK;
        }
    }
    return VG_NOT_CONVERGED;
}

static vgStatus raise_speed(Turning *z)
{
    const vgSystem *sys = z->sys;
    const size_t nq = (size_t)sys->nq * sizeof(double), nl = (size_t)sys->nl * sizeof(double);
    double s = 0, ds = 1;
    while (s < 1) {
        const double to = fmin(1, s + ds);
        memcpy(z->kept, z->s->q, nq);
        memcpy(z->kept + sys->nq, z->s->lambda, nl);
        vgStatus st = newton(z, to);
        if (st == VG_OK) {
            s = z->out->load = to;
            z->out->load_steps++;
            ds *= 2;
            continue;
        }
        memcpy(z->s->q, z->kept, nq);
        memcpy(z->s->lambda, z->kept + sys->nq, nl);
        ds *= 0.25;
        if (st == VG_NO_MEMORY || st == VG_UNSUPPORTED || st == VG_LIMIT || ds < SMALLEST) return st;
    }
    return VG_OK;
}

static void explain(const Turning *z, vgStatus st, vgDiag *diag)
{
    if (st == VG_LIMIT)
        vg_diag_error(diag, VG_NOWHERE, "the model has %d coordinates; steady turning is for at most %d",
                      z->sys->nv, VG_MODES_MAX);
    else if (st == VG_UNSUPPORTED)
        vg_diag_error(diag, VG_NOWHERE, "steady turning is found in coordinates lie or planar, not %s",
                      z->sys->coordinates);
    else
        vg_diag_error(diag, VG_NOWHERE,
                      "no steady turning was found: the iteration got to %.3g of the speed; is there a joint "
                      "that lets it turn, and nothing that holds it back or is fixed off its axis?",
                      z->out->load);
}

vgStatus vg_equilibrium_turning(const vgSystem *sys, vgWork *work, vgState *state, int body, vgDiag *diag,
                                vgEquilibrium *out)
{
    const size_t nv = (size_t)sys->nv, nl = (size_t)sys->nl, nq = (size_t)sys->nq, all = nv + nl;
    Turning z = {.sys = sys, .w = work, .s = state, .out = out};
    *out = (vgEquilibrium){.body = -1, .limit = NAN};
    if (sys->nv > VG_MODES_MAX) {
        explain(&z, VG_LIMIT, diag);
        return VG_LIMIT;
    }
    double *at = calloc(2 * nq + nl + 2 * all + nv + 1, sizeof *at);
    z.A = calloc(all * all + 1, sizeof *z.A);
    z.row = calloc(nl + all + 1, sizeof *z.row);
    vgStatus st = at && z.A && z.row ? VG_OK : VG_NO_MEMORY;
    if (st == VG_OK) {
        z.q = at, z.kept = z.q + nq, z.r = z.kept + nq + nl, z.x = z.r + all, z.d = z.x + all;
        z.pivot = z.row + nl;
        vg_work_bind(work, state);
        const vgKin *k = sys->ops->kinematics(sys, work, state->t, state->q, state->v, state->a) + body;
        z.omega = vg_mv3(k->R, k->w);
        z.v0 = vg_sub3(k->v, vg_cross3(z.omega, k->p));
        st = raise_speed(&z);
        if (st == VG_OK)
            vg_work_accept(sys, work, state);
        else
            explain(&z, st, diag);
        for (size_t i = 0; i < nv; i++) out->residual = fmax(out->residual, fabs(z.r[i]));
    }
    free(at);
    free(z.A);
    free(z.row);
    return st;
}
