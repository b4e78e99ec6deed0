#include "analysis/watch/brief.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/channels/energy.h"
#include "analysis/state/probe.h"
#include "analysis/watch/apart.h"

/* So many standard deviations of the sum of the errors of all parts count as unsure. */
static const double SURE = 3;

typedef struct Element {
    int force;
    int acts;      /* 1: it did when it was last looked at */
    vgApart again; /* when it is looked at again, in pieces */
    double t, gap; /* time of the last look, since the one before (0: there is none of use) */
    double P[2];   /* powers at the last two looks, newest first */
    double stored; /* potential at the last look */
    int along;     /* 1: it acts on a joint coordinate alone, whose path is known */
    vgEnergyPath path;
} Element;

struct vgBrief {
    vgProbe *probe;
    vgBriefSum sum;
    double seen;      /* time of the last piece */
    long piece;       /* how many there were */
    vgApart again;    /* the least of the elements */
    double spread[2]; /* Σ of what each part of the work may be wrong by, and of its square */
    unsigned char *watch;
    size_t nwatch;
    int n;
    Element element[];
};

int vg_brief_is(const vgForce *f)
{
    return (f->kind->depth || f->kind->brief) && f->kind->energy && f->setup.nlaw == 0 && !f->setup.foreign;
}

/* What only stores energy has nothing to be summed. */
static int loses(const vgForce *f)
{
    return vg_brief_is(f) && f->setup.velocity;
}

const vgBriefSum *vg_brief_sum(const vgBrief *x)
{
    static const vgBriefSum none;
    return x ? &x->sum : &none;
}

vgProbe *vg_brief_probe(vgBrief *x)
{
    return x->probe;
}

void vg_brief_free(vgBrief *x)
{
    if (!x) return;
    vg_probe_free(x->probe);
    free(x->watch);
    free(x);
}

/* Looks at an element: its potential and power now, and when to look again; h: of the last piece. */
static void look(vgBrief *x, const vgIntegrator *it, Element *e, double h)
{
    const vgForce *f = &it->sys->model->force[e->force];
    const double apart = vg_apart_time(x->probe, e->force, NULL);
    const int acted = e->acts;
    if (e->along) vg_energy_path_at(x->probe, e->force, &e->path);
    e->acts = !(apart > 0);
    e->stored = e->P[0] = 0;
    if (e->acts) {
        e->stored = vg_energy_element(x->probe, e->force);
        if (e->stored > 0 && !e->along) e->P[0] = vg_probe_loss_power(x->probe, e->force);
        if (!acted || f->kind->crowd) vg_apart_begin(&e->again, x->seen, x->piece);
    }
    if (e->acts)
        vg_apart_acting(&e->again, x->seen, x->piece);
    else
        vg_apart_plan(&e->again, apart, x->seen, h, x->piece);
}

/* Something happened to the bodies of an element: those that share one with it are looked at more often again. */
static void wake(vgBrief *x, const vgModel *m, const Element *e)
{
    for (int i = 0; i < x->n; i++) {
        if (!vg_apart_share(m, e->force, x->element[i].force)) continue;
        vg_apart_begin(&x->element[i].again, x->seen, x->piece);
        x->element[i].again.next = x->piece + 1;
    }
}

/* Adds what an element did since it was last looked at. 1: it began to act, or ended. */
static int follow(vgBrief *x, const vgIntegrator *it, Element *e, double t, double h)
{
    /* what did nothing when it was last looked at began to act within the last piece */
    const double stored = e->stored, gap = e->acts ? t - e->t : h, before = e->acts ? e->gap : 0;
    const int acted = e->acts;
    const double last[2] = {e->P[0], e->P[1]};
    const vgEnergyPath from = e->path;
    double unsure = 0, work = 0;
    look(x, it, e, h);
    if (!e->along)
        work = vg_energy_area(gap, e->P[0], before, last, &unsure);
    else if (acted || e->acts)
        work = vg_energy_path_work(&it->sys->model->force[e->force], &from, &e->path, &unsure);
    e->P[1] = last[0];
    x->sum.work += work;
    x->sum.through += fabs(work);
    x->spread[0] += unsure;
    x->spread[1] += unsure * unsure;
    x->sum.passed += fabs(work) + fabs(e->stored - stored);
    e->gap = gap;
    e->t = t;
    return e->acts != acted;
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
    x->seen = s->t;
    look_from(x, it, s);
    for (int i = 0; i < x->n; i++) {
        Element *e = &x->element[i];
        look(x, it, e, INFINITY); /* again after the next piece */
        e->t = s->t;
        e->gap = 0;
    }
    look_away(x, it);
    x->again.next = 0;
}

vgStatus vg_brief_new(const vgIntegrator *it, const vgState *first, vgBrief **out)
{
    const vgModel *m = it->sys->model;
    int n = 0;
    for (int i = 0; i < m->nforce; i++) n += loses(&m->force[i]);
    *out = NULL;
    if (n == 0) return VG_OK;
    vgBrief *x = calloc(1, sizeof *x + (size_t)n * sizeof x->element[0]);
    if (!x) return VG_NO_MEMORY;
    for (int i = 0; i < m->nforce; i++)
        if (loses(&m->force[i]))
            x->element[x->n++] = (Element){.force = i, .along = vg_energy_has_path(&m->force[i])};
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

/* When any of them is looked at again, and how sure the sum is. */
static void conclude(vgBrief *x)
{
    x->again = (vgApart){.next = INT64_MAX, .due = INFINITY};
    for (int i = 0; i < x->n; i++) {
        const vgApart *one = &x->element[i].again;
        x->again.next = one->next < x->again.next ? one->next : x->again.next;
        x->again.due = fmin(x->again.due, one->due);
    }
    x->sum.unsure = fmin(x->spread[0], SURE * sqrt(x->spread[1]));
}

void vg_brief_up_to(vgBrief *x, const vgIntegrator *it, const vgState *s)
{
    if (!x || s->t != x->seen) return;
    look_from(x, it, s);
    for (int i = 0; i < x->n; i++) {
        Element *e = &x->element[i];
        if (e->acts && e->t < s->t) follow(x, it, e, s->t, s->t - e->t);
    }
    look_away(x, it);
    conclude(x);
}

vgBriefSeen vg_brief_step(vgBrief *x, const vgIntegrator *it, const vgState *s)
{
    const double h = s->t - x->seen;
    if (!(h > 0)) return VG_BRIEF_LEFT;
    x->seen = s->t;
    if (++x->piece < x->again.next && s->t < x->again.due) return VG_BRIEF_LEFT;
    vgBriefSeen seen = VG_BRIEF_LOOKED;
    double stored = 0;
    look_from(x, it, s);
    for (int i = 0; i < x->n; i++) {
        Element *e = &x->element[i];
        if ((x->piece >= e->again.next || s->t >= e->again.due) && follow(x, it, e, s->t, h)) {
            wake(x, it->sys->model, e);
            seen = VG_BRIEF_OTHER;
        }
        stored += e->stored;
    }
    look_away(x, it);
    x->sum.most = fmax(x->sum.most, stored);
    conclude(x);
    return seen;
}
