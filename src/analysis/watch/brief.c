#include "analysis/watch/brief.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/channels/energy.h"
#include "analysis/state/probe.h"

/* What is apart is left alone until it may have come together if all speeds were so many times those of now. At half of
 * it elements that are accelerated meet before they are looked at, and the first steps of an impact are missed; at twice
 * more steps are looked at in vain. */
static const double FASTER = 2;

struct vgBrief {
    vgProbe *probe;
    vgBriefSum sum;
    double t[2], P[2]; /* of the last two pieces at which elements were looked at, newest first */
    int points;        /* how many of them follow each other, at most 2 */
    double stored;     /* potential at the last one */
    double seen;       /* time of the last piece */
    double wait;       /* what all elements leave alone: time at the speed of then, s; 0: the next piece is looked at */
    double speed;      /* of then */
    unsigned char *watch;
    size_t nwatch;
    int n, force[];
};

int vg_brief_is(const vgForce *f)
{
    return (f->kind->depth || f->kind->brief) && f->kind->energy && f->setup.nlaw == 0 && !f->setup.foreign;
}

const vgBriefSum *vg_brief_sum(const vgBrief *x)
{
    static const vgBriefSum none;
    return x ? &x->sum : &none;
}

void vg_brief_free(vgBrief *x)
{
    if (!x) return;
    vg_probe_free(x->probe);
    free(x->watch);
    free(x);
}

/* The largest of all bodies: velocities and accelerations, of points and of rotation. */
typedef struct Fastest {
    double v, w, dv, dw;
} Fastest;

static Fastest fastest_of(vgBrief *x, const vgModel *m)
{
    Fastest f = {0};
    for (int i = 0; i < m->nbody; i++) {
        const vgKin *k = vg_probe_kin(x->probe, i);
        f.v = fmax(f.v, vg_dot3(k->v, k->v));
        f.w = fmax(f.w, vg_dot3(k->w, k->w));
        f.dv = fmax(f.dv, vg_dot3(k->dv, k->dv));
        f.dw = fmax(f.dw, vg_dot3(k->dw, k->dw));
    }
    return (Fastest){sqrt(f.v), sqrt(f.w), sqrt(f.dv), sqrt(f.dw)};
}

/* A time within which no gap is closed between two of the bodies, turning at that arm: v t + ½ a t² is less. */
static double time_to_close(double gap, double arm, const Fastest *f)
{
    return gap / (2 * f->v + f->w * arm + sqrt(2 * gap * (2 * f->dv + (f->dw + f->w * f->w) * arm)));
}

/* For how long the element can do nothing; 0: it acts, or that is not known. */
static double idle(vgBrief *x, const vgSystem *sys, int force, const Fastest *fastest)
{
    const vgForce *f = &sys->model->force[force];
    if (f->kind->approach) {
        vgApproach at;
        f->kind->approach(f->def, vg_probe_force_in(x->probe, force), &at);
        if (!(at.depth < 0)) return 0;
        const vgForceHead *head = f->def;
        const double arm = vg_norm3(at.y) - at.depth + vg_norm3(head->frame[0].r) + vg_norm3(head->frame[1].r);
        return time_to_close(-at.depth, arm, fastest);
    }
    if (!f->kind->room) return 0;
    /* a joint coordinate, of which nobody says here whether it is an angle (between two bodies that turn) or a length */
    const Fastest turning = {.w = fastest->w, .dw = fastest->dw};
    const double room = f->kind->room(f->def, vg_probe_force_in(x->probe, force));
    return room > 0 ? fmin(time_to_close(room, 2, &turning), time_to_close(room, sys->length, fastest)) : 0;
}

/* Potential and power of all elements at the state of the probe, and when to look again. */
static double look(vgBrief *x, const vgIntegrator *it, double speed, double *P)
{
    double stored = 0;
    *P = 0;
    x->wait = INFINITY;
    x->speed = speed;
    const Fastest fastest = fastest_of(x, it->sys->model);
    for (int i = 0; i < x->n; i++) {
        const double apart = idle(x, it->sys, x->force[i], &fastest);
        x->wait = fmin(x->wait, apart / FASTER);
        if (apart > 0) continue;
        const double V = vg_energy_element(x->probe, x->force[i]);
        stored += V;
        if (V > 0 && it->sys->model->force[x->force[i]].setup.velocity)
            *P += vg_probe_loss_power(x->probe, x->force[i]);
    }
    return stored;
}

static void look_from(vgBrief *x, const vgIntegrator *it, const vgState *s)
{
    if (x->nwatch) memcpy(x->watch, it->work->watch, x->nwatch);
    vg_probe_at(x->probe, it->work, s);
}

static void look_away(vgBrief *x, const vgIntegrator *it)
{
    if (x->nwatch) memcpy(it->work->watch, x->watch, x->nwatch);
}

void vg_brief_jumped(vgBrief *x, const vgIntegrator *it, const vgState *s)
{
    if (!x) return;
    look_from(x, it, s);
    x->stored = look(x, it, 0, &x->P[0]);
    look_away(x, it);
    x->wait = 0;
    x->t[0] = x->seen = s->t;
    x->points = 1;
}

vgStatus vg_brief_new(const vgIntegrator *it, const vgState *first, vgBrief **out)
{
    const vgModel *m = it->sys->model;
    int n = 0;
    for (int i = 0; i < m->nforce; i++) n += vg_brief_is(&m->force[i]);
    *out = NULL;
    if (n == 0) return VG_OK;
    vgBrief *x = calloc(1, sizeof *x + (size_t)n * sizeof x->force[0]);
    if (!x) return VG_NO_MEMORY;
    for (int i = 0; i < m->nforce; i++)
        if (vg_brief_is(&m->force[i])) x->force[x->n++] = i;
    x->nwatch = it->work->watch ? (size_t)m->nmeasure : 0;
    x->watch = calloc(x->nwatch + 1, 1);
    vgStatus st = x->watch ? vg_probe_new(it->sys, &x->probe) : VG_NO_MEMORY;
    if (st != VG_OK) {
        vg_brief_free(x);
        return st;
    }
    vg_brief_jumped(x, it, first);
    *out = x;
    return VG_OK;
}

int vg_brief_step(vgBrief *x, const vgIntegrator *it, const vgState *s, double speed)
{
    const double h = s->t - x->seen;
    x->seen = s->t;
    if (!(h > 0)) return 0;
    if (x->wait > 0 && x->speed > 0) { /* nothing acts before the time is used up */
        x->wait -= h * fmax(1, speed / x->speed);
        if (x->wait > 0) {
            x->t[0] = s->t;
            x->points = 1;
            return 0;
        }
    }
    double P, unsure;
    look_from(x, it, s);
    const double stored = look(x, it, speed, &P), gap = s->t - x->t[0], work = vg_energy_area(gap, P, x->points < 2 ? 0 : x->t[0] - x->t[1], x->P, &unsure);
    look_away(x, it);
    x->sum.work += work;
    x->sum.through += fabs(work);
    x->sum.unsure += unsure;
    x->sum.passed += fabs(work) + fabs(stored - x->stored);
    x->sum.most = fmax(x->sum.most, stored);
    const int other = (stored > 0) != (x->stored > 0);
    x->stored = stored;
    x->t[1] = x->t[0], x->t[0] = s->t;
    x->P[1] = x->P[0], x->P[0] = P;
    x->points = 2;
    return other;
}
