/* min ½ |Φ(q, t)|² by Levenberg and Marquardt's method: (BᵀB + μ D²) δ = −BᵀΦ, q ⊕ δ, D = 1/v_scale. Where
 * constraint equations contradict each other the steps of a projection grow without bound; this method ends at the smallest
 * gap nearby. Loops that can be closed are closed. */
#include "analysis/run/closing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/dense.h"
#include "analysis/tuning.h"

enum { MOST_COORDINATES = 900, MOST_ITERATIONS = 60, MOST_DAMPINGS = 20 };
static const double SHUT = 1e-9;   /* in units of the model's length */
static const double SLOW = 1e-3;   /* relative decrease of |Φ| below which, three times, it is the least */
static const double KEPT = 1e-2;   /* share of the predicted decrease that a step must reach */
static const double FIRST = 1e-6;  /* damping μ at the start */
static const double LEAST = 1e-14; /* least μ: it holds coordinates that are in no constraint equation */

struct vgClosing {
    vgSystem *sys;
    vgWork *work;
    vgState *state;
    double *pool;
    double *from, *q;             /* nq: closed; tried */
    double *e, *d;                /* nv */
    double *phi, *dot, *rest, *B; /* nphi, nphi, nphi, nphi × nv */
    double *N, *A;                /* nv × nv: BᵀB in the scales of the coordinates; damped */
};

static vgStatus make_room(vgClosing *c)
{
    size_t nq = (size_t)c->sys->nq, n = (size_t)c->sys->nv, m = (size_t)c->sys->nphi;
    double *at = c->pool = calloc(2 * nq + 2 * n + 3 * m + m * n + 2 * n * n + 1, sizeof *c->pool);
    if (!at) return VG_NO_MEMORY;
    c->from = at, at += nq;
    c->q = at, at += nq;
    c->e = at, at += n;
    c->d = at, at += n;
    c->phi = at, at += m;
    c->dot = at, at += m;
    c->rest = at, at += m;
    c->B = at, at += m * n;
    c->N = at, at += n * n;
    c->A = at;
    return VG_OK;
}

vgStatus vg_closing_new(const vgSystem *sys, vgWork *work, const vgState *state, vgClosing **out)
{
    const vgModel *m = sys->model;
    vgClosing *c = calloc(1, sizeof *c);
    if (!c) return VG_NO_MEMORY;
    vgStatus st = vg_system_new(m, NULL, NULL, NULL, &c->sys);
    if (st == VG_OK && c->sys->nv > MOST_COORDINATES) st = VG_LIMIT;
    if (st == VG_OK) st = vg_state_new(c->sys, 0, &c->state);
    if (st == VG_OK) st = vg_work_new_lean(c->sys, &c->work);
    if (st == VG_OK) st = make_room(c);
    if (st != VG_OK) {
        vg_closing_free(c);
        return st;
    }
    memcpy(c->state->turn, state->turn, (size_t)m->nturn * sizeof(double));
    vg_work_bind(c->work, c->state);
    const vgKin *kin = sys->ops->kinematics(sys, work, state->t, state->q, state->v, NULL);
    st = c->sys->ops->from_native(c->sys, kin, c->from, c->state->v);
    if (st == VG_OK)
        *out = c;
    else
        vg_closing_free(c);
    return st;
}

void vg_closing_free(vgClosing *c)
{
    if (!c) return;
    vg_work_free(c->work);
    vg_state_free(c->state);
    vg_system_free(c->sys);
    free(c->pool);
    free(c);
}

/* Φ, and Σ Φ² */
static double open_by(vgClosing *c, double t, const double *q)
{
    const vgSystem *sys = c->sys;
    double sum = 0;
    memset(c->d, 0, (size_t)sys->nv * sizeof(double));
    sys->ops->levels(sys, c->work, t, q, c->d, NULL, c->phi, NULL, NULL);
    for (int r = 0; r < sys->nphi; r++) {
        if (sys->row_level[r] > 0) c->phi[r] = 0;
        sum += c->phi[r] * c->phi[r];
    }
    return sum;
}

static double worst(const vgClosing *c, int *joint)
{
    double big = 0;
    for (int r = 0; r < c->sys->nphi; r++) {
        if (c->sys->row_joint[r] < 0 || !(fabs(c->phi[r]) > big)) continue;
        big = fabs(c->phi[r]);
        if (joint) *joint = c->sys->row_joint[r];
    }
    return big;
}

/* B D⁻¹ column by column, B e = Φ̇(e) − Φ̇(0); N = D⁻¹ BᵀB D⁻¹; returns its largest diagonal. */
static double make_normal(vgClosing *c, double t)
{
    const vgSystem *sys = c->sys;
    int n = sys->nv, m = sys->nphi;
    double largest = 0;
    memset(c->e, 0, (size_t)n * sizeof(double));
    sys->ops->levels(sys, c->work, t, c->from, c->e, NULL, NULL, c->rest, NULL);
    for (int k = 0; k < n; k++) {
        c->e[k] = sys->v_scale[k];
        sys->ops->levels(sys, c->work, t, c->from, c->e, NULL, NULL, c->dot, NULL);
        c->e[k] = 0;
        for (int r = 0; r < m; r++) c->B[r * n + k] = sys->row_level[r] > 0 ? 0 : c->dot[r] - c->rest[r];
    }
    memset(c->N, 0, (size_t)(n * n) * sizeof(double));
    for (int r = 0; r < m; r++)
        for (int i = 0; i < n; i++) {
            double b = c->B[r * n + i];
            for (int k = 0; b != 0 && k <= i; k++) c->N[i * n + k] += b * c->B[r * n + k];
        }
    for (int i = 0; i < n; i++) largest = fmax(largest, c->N[i * n + i]);
    return largest;
}

/* q = from ⊕ δ with damping μ; returns by how much Σ Φ² should become less, 0: there is no δ. */
static double try_damped(vgClosing *c, double mu, const double *right)
{
    const vgSystem *sys = c->sys;
    int n = sys->nv;
    double less = 0;
    memcpy(c->A, c->N, (size_t)(n * n) * sizeof(double));
    for (int i = 0; i < n; i++) c->A[i * n + i] += mu;
    if (vg_dense_cholesky(c->A, n) != VG_OK) return 0;
    memcpy(c->d, right, (size_t)n * sizeof(double));
    vg_dense_cholesky_solve(c->A, n, c->d);
    for (int i = 0; i < n; i++) {
        less += c->d[i] * (mu * c->d[i] + right[i]);
        c->d[i] *= -sys->v_scale[i];
    }
    sys->ops->retract(sys, c->from, c->d, c->q);
    return less;
}

/* Angles go on from where they are now, as in a run from an accepted step: whole turns are no gap. */
static void keep_turns(vgClosing *c, double t)
{
    c->sys->ops->kinematics(c->sys, c->work, t, c->from, c->state->v, NULL);
    vg_work_accept(c->sys, c->work, c->state);
}

int vg_closing_at(vgClosing *c, double t, int *joint, double *gap)
{
    const vgSystem *sys = c->sys;
    int n = sys->nv, slow = 0;
    double mu = FIRST, sum = open_by(c, t, c->from), left = worst(c, joint);
    for (int it = 0; it < MOST_ITERATIONS && left > SHUT * sys->length && slow < 3; it++) {
        double size = make_normal(c, t), less = sum;
        vg_dense_apply_transposed(c->B, c->phi, sys->nphi, n, c->e);
        int tries = 0;
        for (; tries < MOST_DAMPINGS; tries++, mu *= 10) {
            double promised = try_damped(c, mu * size, c->e);
            if (promised > 0 && (less = open_by(c, t, c->q)) < sum - KEPT * promised) break;
        }
        if (tries == MOST_DAMPINGS) {
            open_by(c, t, c->from);
            break;
        }
        memcpy(c->from, c->q, (size_t)sys->nq * sizeof(double));
        keep_turns(c, t);
        slow = sqrt(less) > (1 - SLOW) * sqrt(sum) ? slow + 1 : 0;
        sum = less;
        if (tries == 0) mu = fmax(VG_DAMPING_FALLS * mu, LEAST);
        left = worst(c, joint);
    }
    *gap = left;
    return left <= SHUT * sys->length;
}
