#include "analysis/run/crossing_crowd.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "element/force/crowd.h"

/* A pair in touch: in how many steps, −1 since the start, and at which speed it began. */
typedef struct Touch {
    int first, second, steps;
    double speed;
} Touch;

typedef struct Group {
    int force, n, room;
    Touch *now, *last; /* ascending */
} Group;

struct vgCrossingCrowd {
    int n;
    vgKin *before; /* of all bodies and the ground */
    Group group[];
};

vgStatus vg_crossing_crowd_new(const vgModel *m, vgCrossingCrowd **out)
{
    int n = 0;
    for (int f = 0; f < m->nforce; f++) n += m->force[f].kind->crowd != NULL;
    vgCrossingCrowd *x = calloc(1, sizeof *x + (size_t)n * sizeof x->group[0]);
    *out = NULL;
    if (!x) return VG_NO_MEMORY;
    x->before = calloc((size_t)m->nbody + 1, sizeof *x->before);
    int made = x->before != NULL;
    for (int f = 0; f < m->nforce && made; f++) {
        if (!m->force[f].kind->crowd) continue;
        Group *g = &x->group[x->n++];
        g->force = f;
        g->room = m->force[f].kind->crowd->most(m->force[f].def, 0);
        g->now = calloc((size_t)g->room + 1, sizeof *g->now);
        g->last = calloc((size_t)g->room + 1, sizeof *g->last);
        made = g->now && g->last;
    }
    if (!made) {
        vg_crossing_crowd_free(x);
        return VG_NO_MEMORY;
    }
    *out = x;
    return VG_OK;
}

void vg_crossing_crowd_free(vgCrossingCrowd *x)
{
    if (!x) return;
    for (int i = 0; i < x->n; i++) {
        free(x->group[i].now);
        free(x->group[i].last);
    }
    free(x->before);
    free(x);
}

/* The pair is apart again: was its impact resolved? */
static void end_touch(const vgForce *f, const Group *g, const Touch *t, const vgForceIn *in,
                      const vgKin *before, double h, vgCrossed *seen)
{
    vgApproach now, then;
    if (t->steps < 0 || t->steps >= VG_FEW_STEPS || !(t->speed > 0)) return;
    f->kind->crowd->approach(f->def, in, in->all, t->first, t->second, &now);
    f->kind->crowd->approach(f->def, in, before, t->first, t->second, &then);
    double speed = -vg_dot3(now.n, now.u), way = vg_norm3(vg_sub3(now.y, then.y));
    if (!(fabs(t->speed - speed) > VG_GRAZE * vg_norm3(now.u) && t->speed * h > VG_DEEP_PART * way)) return;
    if (seen->brief++ == 0) seen->brief_force = g->force, seen->brief_t = in->t;
}

static int compare(const Touch *a, const vgCrowdPair *b)
{
    return a->first != b->first ? (a->first > b->first) - (a->first < b->first)
                                : (a->second > b->second) - (a->second < b->second);
}

/* The pairs that touch now beside those of the last step. */
static void follow(Group *g, const vgForce *f, const vgForceIn *in, const vgKin *before, double h,
                   vgCrossed *seen)
{
    Touch *old = g->last;
    int at = 0, n = 0;
    vgCrowdPair p;
    for (vgCrowdAt k = {0}; n < g->room && f->kind->crowd->next(f->def, in, &k, &p);) {
        while (at < g->n && compare(&old[at], &p) < 0) end_touch(f, g, &old[at++], in, before, h, seen);
        Touch t = {p.first, p.second, h > 0 ? 1 : -1, 0};
        if (at < g->n && compare(&old[at], &p) == 0) {
            t = old[at++];
            t.steps += t.steps >= 0;
        } else if (h > 0) {
            vgApproach then;
            f->kind->crowd->approach(f->def, in, before, p.first, p.second, &then);
            t.speed = -vg_dot3(then.n, then.u);
        }
        g->now[n++] = t;
    }
    while (at < g->n) end_touch(f, g, &old[at++], in, before, h, seen);
    g->last = g->now;
    g->now = old;
    g->n = n;
}

void vg_crossing_crowd_see(vgCrossingCrowd *x, const vgModel *m, vgProbe *probe, double h, vgCrossed *seen)
{
    const vgForceIn *in = NULL;
    for (int i = 0; i < x->n; i++) {
        Group *g = &x->group[i];
        const vgForce *f = &m->force[g->force];
        double when;
        vgCrowdPair p;
        in = vg_probe_force_in(probe, g->force);
        int crossed = h > 0 ? f->kind->crowd->crossed(f->def, in, x->before, h, &p, &when) : 0;
        if (crossed && seen->passed == 0)
            seen->passed_force = g->force, seen->passed_t = in->t - (1 - when) * h;
        seen->passed += crossed;
        follow(g, f, in, x->before, h, seen);
    }
    if (in) memcpy(x->before, in->all, ((size_t)in->nall + 1) * sizeof *x->before);
}
