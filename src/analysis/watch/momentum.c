/* Momentum where it is conserved. Bodies that hang together by joints and forces and do not touch the ground
 * are a group: in uniform gravity
 *
 *     p(t) = p(0) + m g t,    L_c(t) = L_c(0)  about the group's centre of mass.
 *
 * Forces on one body alone, of the program, or of elements with inertia of their own take their bodies out:
 * nothing is conserved there, or it is not seen. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/watch/groups.h"
#include "analysis/watch/monitor.h"
#include "integrator/stage/stage.h"

/* Parts of Σ m |v| and Σ |J ω| + m |r × v|. */
static const double DOUBTFUL = 0.02, WRONG = 0.3;
/* A speed that is this part of the group's own, or moves it by this part of the model's length in the time of the run, does no
 * harm: momenta count as those of such speeds at the least. Bodies that are joined and fall without turning have angular momenta of
 * rounding, 1e-16 of their momentum, which change by their own size in each step. At half or twice of it nothing changes. */
static const double STILL = 1e-9;

typedef struct Group {
    int body; /* one of its bodies, which names it */
    double mass;
    vgVec3 p0, L0;
    double p_size, L_size; /* largest so far */
} Group;

typedef struct Own {
    int *of; /* per body: its group, −1 none; then as much again to find them with */
    Group *group;
    int ngroup;
    vgVec3 *p, *c, *L; /* per group: at this state */
    double *pp, *LL;   /* sizes at this state */
    int worst;         /* group of the largest change, and which momentum */
    int angular;
} Own;

static void shut(void *own)
{
    Own *x = own;
    free(x->of);
    free(x->group);
    free(x->p);
    free(x->pp);
    free(x);
}

static vgVec3 spin_of(const vgBody *b, const vgKin *k)
{
    return vg_mv3(k->R, vg_mv3(b->inertia, k->w));
}

/* Momenta of all groups at the state of the probe, angular ones about their centres of mass. */
static void take(Own *x, vgProbe *probe)
{
    const vgModel *m = vg_probe_system(probe)->model;
    for (int g = 0; g < x->ngroup; g++) {
        x->p[g] = x->c[g] = x->L[g] = vg_zero3();
        x->pp[g] = x->LL[g] = 0;
    }
    for (int i = 0; i < m->nbody; i++) {
        int g = x->of[i];
        if (g < 0) continue;
        const vgKin *k = vg_probe_kin(probe, i);
        vgVec3 mv = vg_scale3(k->v, m->body[i].mass);
        x->p[g] = vg_add3(x->p[g], mv);
        x->c[g] = vg_axpy3(m->body[i].mass / x->group[g].mass, k->p, x->c[g]);
        x->pp[g] += vg_norm3(mv);
    }
    for (int i = 0; i < m->nbody; i++) {
        int g = x->of[i];
        if (g < 0) continue;
        const vgKin *k = vg_probe_kin(probe, i);
        vgVec3 spin = spin_of(&m->body[i], k);
        vgVec3 v = vg_axpy3(-1 / x->group[g].mass, x->p[g], k->v),
               about = vg_cross3(vg_sub3(k->p, x->c[g]), vg_scale3(v, m->body[i].mass));
        x->L[g] = vg_add3(x->L[g], vg_add3(spin, about));
        x->LL[g] += vg_norm3(spin) + vg_norm3(about);
    }
}

/* Numbers the groups that do not hold the ground: of[i] becomes the group of body i, −1 if it has none. number: one
 * for each body and the ground. All roots are found before the first of them is replaced. */
static void number_groups(Own *x, const vgModel *m, int *number)
{
    int *of = x->of;
    for (int i = 0; i <= m->nbody; i++) {
        of[i] = vg_watch_root(of, i);
        number[i] = -1;
    }
    for (int i = 0, ground = of[m->nbody]; i < m->nbody; i++) {
        int first = of[i];
        if (first != ground && number[first] < 0) {
            number[first] = x->ngroup;
            x->group[x->ngroup++].body = first;
        }
        of[i] = number[first];
        if (of[i] >= 0) x->group[of[i]].mass += m->body[i].mass;
    }
}

static vgStatus open_up(const vgLook *k, void **own)
{
    const vgModel *m = k->it->sys->model;
    size_t n = (size_t)m->nbody + 1;
    *own = NULL;
    Own *x = calloc(1, sizeof *x);
    if (!x) return VG_NO_MEMORY;
    x->of = calloc(2 * n, sizeof *x->of);
    x->group = calloc(n, sizeof *x->group);
    x->p = calloc(3 * n, sizeof *x->p);
    x->pp = calloc(2 * n, sizeof *x->pp);
    if (!x->of || !x->group || !x->p || !x->pp) {
        shut(x);
        return VG_NO_MEMORY;
    }
    x->c = x->p + n;
    x->L = x->c + n;
    x->LL = x->pp + n;
    vg_watch_unite(m, m->nbody, x->of);
    number_groups(x, m, x->of + n);
    if (x->ngroup == 0) {
        shut(x);
        return VG_OK;
    }
    take(x, k->probe);
    for (int g = 0; g < x->ngroup; g++) {
        x->group[g].p0 = x->p[g], x->group[g].L0 = x->L[g];
        x->group[g].p_size = x->pp[g], x->group[g].L_size = x->LL[g];
    }
    *own = x;
    return VG_OK;
}

static const char *which(const Own *x)
{
    return x->angular ? "angular momentum" : "momentum";
}

static vgStatus look(void *own, const vgLook *k)
{
    Own *x = own;
    const vgModel *m = k->it->sys->model;
    double time = k->s->t - k->t0;
    take(x, k->probe);
    for (int g = 0; g < x->ngroup; g++) {
        Group *q = &x->group[g];
        q->p_size = fmax(q->p_size, x->pp[g]);
        q->L_size = fmax(q->L_size, x->LL[g]);
        vgVec3 dp = vg_sub3(vg_sub3(x->p[g], q->p0), vg_scale3(m->gravity, q->mass * time));
        const double length = k->it->sys->length;
        const double least = STILL * (q->p_size + q->mass * length / fmax(time, DBL_MIN));
        double part[2] = {vg_norm3(dp) / fmax(q->p_size, least),
                          vg_norm3(vg_sub3(x->L[g], q->L0)) / fmax(q->L_size, least * length)};
        for (int a = 0; a < 2; a++)
            if (vg_peak_raise(&k->out->momentum, part[a], k->s->t)) x->worst = g, x->angular = a;
    }
    if (!(k->out->momentum.value > WRONG) || k->out->momentum.t != k->s->t) return VG_OK;
    vg_fail(
        k->it, VG_NOT_CONVERGED, k->s->t,
        "at t = %.9g s the %s of body '%s'%s has changed by %.2g of its size, though nothing acts on it: %s",
        k->s->t, which(x), m->body[x->group[x->worst].body].name,
        x->group[x->worst].mass > m->body[x->group[x->worst].body].mass ? " and what hangs on it" : "",
        k->out->momentum.value, vg_watch_remedy(k->it, VG_WATCH_MOMENTUM));
    return VG_NOT_CONVERGED;
}

static void jump(void *own, const vgLook *k)
{
    Own *x = own;
    double time = k->s->t - k->t0;
    take(x, k->probe);
    for (int g = 0; g < x->ngroup; g++) {
        Group *q = &x->group[g];
        q->p0 = vg_sub3(x->p[g], vg_scale3(k->it->sys->model->gravity, q->mass * time));
        q->L0 = x->L[g];
    }
}

static void end(void *own, const vgLook *k)
{
    const Own *x = own;
    const vgModel *m = k->it->sys->model;
    const vgPeak *p = &k->out->momentum;
    if (!(p->value > DOUBTFUL) || p->value > WRONG) return;
    vg_watch_doubt(k->out,
                   "the %s of body '%s'%s has changed by %.3g %% of its size up to t = %.9g s, though "
                   "nothing acts on it: %s",
                   which(x), m->body[x->group[x->worst].body].name,
                   x->group[x->worst].mass > m->body[x->group[x->worst].body].mass ? " and what hangs on it"
                                                                                   : "",
                   100 * p->value, p->t, vg_watch_remedy(k->it, VG_WATCH_MOMENTUM));
}

const vgMonitorKind vg_monitor_momentum = {"momentum", open_up, look, NULL, NULL, jump, end, shut};
