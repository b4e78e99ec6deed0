/* A velocity given for some bodies of a mechanism, the rest left out: of all v with B v = c, the one that
 * fits the given velocities g best,
 *   min ‖S v − g‖_W  over  v = P(u),  S v: velocity of the origin and angular velocity of the bodies that
 * have them given, weighted by mass and inertia, P: the projection (42), which is orthogonal in the mass
 * metric, nearest to where it begins. Conjugate gradients on the normal equations (CGLS; Björck 1996,
 * section 7.4.1) with A = S P₀, A* r = P₀ M⁻¹ Sᵀ W r, P₀ the linear part of P: as many iterations as
 * directions of freedom that the given velocities speak of. */
#include "analysis/state/given.h"
#include "analysis/tuning.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ITERATIONS = 200 };

typedef struct twist {
    vgVec3 v, w; /* of the user's origin in W, in body axes; zero where not given */
} twist;

typedef struct givenJob {
    const vgSystem *sys;
    vgWork *work;
    double t;
    const double *q;
    vgKin *kin;   /* nbody */
    double *u;    /* nq + nv: what from_native() answers */
    twist *r, *e; /* nbody: what is missing, what a direction does */
} givenJob;

static twist seen(const vgBody *b, vgVec3 v, vgVec3 w, vgMat3 R)
{
    twist x = {vg_zero3(), vg_zero3()};
    if (b->given & VG_GIVEN_VELOCITY) x.v = vg_sub3(v, vg_mv3(R, vg_cross3(w, b->com)));
    if (b->given & VG_GIVEN_OMEGA) x.w = w;
    return x;
}

double vg_given_missed(const vgBody *b, const vgKin *k)
{
    twist now = seen(b, k->v, k->w, k->R), given = seen(b, b->v0, b->w0, b->R0);
    return fmax(vg_norm3(vg_sub3(now.v, given.v)), vg_norm3(vg_sub3(now.w, given.w)));
}

/* S v of all bodies. */
static void see(const givenJob *x, const double *v, twist *out)
{
    const vgModel *m = x->sys->model;
    const vgKin *kin = x->sys->ops->kinematics(x->sys, x->work, x->t, x->q, v, NULL);
    for (int i = 0; i < m->nbody; i++) out[i] = seen(&m->body[i], kin[i].v, kin[i].w, kin[i].R);
}

/* a · W b */
static double weighted(const vgModel *m, const twist *a, const twist *b)
{
    double sum = 0;
    for (int i = 0; i < m->nbody; i++)
        sum +=
            m->body[i].mass * vg_dot3(a[i].v, b[i].v) + vg_dot3(a[i].w, vg_mv3(m->body[i].inertia, b[i].w));
    return sum;
}

/* J⁻¹ y; in planar models about z alone. A frame without mass has no weight in (42) and no torque on it. */
static vgVec3 turned(const vgModel *m, const vgBody *b, vgVec3 y)
{
    if (!(vg_trace3(b->inertia) > 0)) return vg_zero3();
    if (b->select.n < (m->planar ? 3 : 6)) return vg_zero3();
    if (m->planar) return (vgVec3){0, 0, b->inertia.m[2][2] > 0 ? y.z / b->inertia.m[2][2] : 0};
    return vg_mv3(vg_inv3(b->inertia), y);
}

/* s = A* r: the accelerations of forces m r_v at the origins and torques J r_w, within the constraints. */
static vgStatus adjoint(const givenJob *x, const double *v, double *s)
{
    const vgModel *m = x->sys->model;
    const vgSystem *sys = x->sys;
    for (int i = 0; i < m->nbody; i++) {
        const vgBody *b = &m->body[i];
        vgVec3 moment = vg_scale3(vg_cross3(b->com, vg_mtv3(x->kin[i].R, x->r[i].v)), -b->mass);
        x->kin[i].v = x->r[i].v;
        x->kin[i].w = b->given ? vg_add3(turned(m, b, moment), x->r[i].w) : vg_zero3();
    }
    vgStatus st = sys->ops->from_native(sys, x->kin, x->u, x->u + sys->nq);
    if (st != VG_OK) return st;
    for (int i = 0; i < sys->nv; i++) s[i] = v[i] + x->u[sys->nq + i];
    st = sys->ops->project_v(sys, x->work, x->t, x->q, s);
    for (int i = 0; i < sys->nv; i++) s[i] -= v[i];
    return st;
}

static vgStatus solve(givenJob *x, double *v, double *d, double *s)
{
    const vgSystem *sys = x->sys;
    const vgModel *m = sys->model;
    double last = 0;
    see(x, v, x->r);
    for (int i = 0; i < m->nbody; i++) {
        const vgBody *b = &m->body[i];
        twist g = seen(b, b->v0, b->w0, b->R0);
        x->e[i] = g;
        x->r[i].v = vg_sub3(g.v, x->r[i].v);
        x->r[i].w = vg_sub3(g.w, x->r[i].w);
    }
    double size = weighted(m, x->e, x->e);
    double missed = weighted(m, x->r, x->r);
    if (!(missed > VG_GIVEN_MET * size)) return VG_OK;
    for (int k = 0; k < MAX_ITERATIONS && missed > VG_GIVEN_ENDS * size; k++) {
        vgStatus st = adjoint(x, v, s);
        if (st != VG_OK) return st;
        see(x, s, x->e);
        double slope = weighted(m, x->r, x->e);                     /* ‖A* r‖² in the mass metric */
        if (!(slope > VG_GIVEN_SLOPE * sqrt(missed * size))) break; /* round-off */
        for (int i = 0; i < sys->nv; i++) d[i] = s[i] + (k ? slope / last * d[i] : 0);
        last = slope;
        see(x, d, x->e);
        double far = slope / weighted(m, x->e, x->e);
        if (!isfinite(far)) break;
        for (int i = 0; i < sys->nv; i++) v[i] += far * d[i];
        for (int i = 0; i < m->nbody; i++) {
            x->r[i].v = vg_axpy3(-far, x->e[i].v, x->r[i].v);
            x->r[i].w = vg_axpy3(-far, x->e[i].w, x->r[i].w);
        }
        missed = weighted(m, x->r, x->r);
    }
    return sys->ops->project_v(sys, x->work, x->t, x->q, v);
}

vgStatus vg_keep_given(const vgSystem *sys, vgWork *work, double t, const double *q, double *v)
{
    const vgModel *m = sys->model;
    size_t nbody = (size_t)m->nbody, nq = (size_t)sys->nq, nv = (size_t)sys->nv;
    int any = 0;
    for (int i = 0; i < m->nbody; i++) any |= m->body[i].given;
    if (!any) return VG_OK;
    double *pool = calloc(nq + 3 * nv + 1, sizeof *pool);
    vgKin *kin = malloc((nbody + 1) * sizeof *kin);
    twist *two = malloc((2 * nbody + 1) * sizeof *two);
    vgStatus st = VG_NO_MEMORY;
    if (pool && kin && two) {
        givenJob x = {sys, work, t, q, kin, pool, two, two + nbody};
        memcpy(kin, sys->ops->kinematics(sys, work, t, q, v, NULL), nbody * sizeof *kin);
        st = solve(&x, v, pool + nq + nv, pool + nq + 2 * nv);
    }
    free(pool);
    free(kin);
    free(two);
    return st;
}
