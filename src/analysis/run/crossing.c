#include "analysis/run/crossing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/state/probe.h"

/* An impact in fewer steps is not resolved: a half wave in four of them has a rebound that is wrong by a tenth
 * with methods of order 2 (twice that: by a fortieth). */
enum { FEW = 4 };
/* Changes of the speed of approach below this part of the relative speed are a graze. */
static const double GRAZE = 0.1;
/* Depths below this part of the way of the step are within the error of the path between its ends. */
static const double DEEP = 1e-6;

typedef struct Contact {
    int force, steps; /* steps that ended in touch since it began; −1: it did at the start */
    double speed;     /* at which it began */
    vgApproach last;
} Contact;

struct vgCrossing {
    vgIntegrator *it;
    vgProbe *probe;
    int n, begun;
    double t;
    Contact contact[];
};

vgStatus vg_crossing_new(vgIntegrator *it, vgCrossing **out)
{
    const vgModel *m = it->sys->model;
    int n = 0;
    for (int f = 0; f < m->nforce; f++) n += m->force[f].kind->approach != NULL;
    *out = NULL;
    if (n == 0) return VG_OK;
    vgCrossing *c = calloc(1, sizeof *c + (size_t)n * sizeof c->contact[0]);
    if (!c) return VG_NO_MEMORY;
    c->it = it;
    for (int f = 0; f < m->nforce; f++)
        if (m->force[f].kind->approach) c->contact[c->n++].force = f;
    vgStatus st = vg_probe_new(it->sys, &c->probe);
    if (st != VG_OK) {
        free(c);
        return st;
    }
    *out = c;
    return VG_OK;
}

void vg_crossing_free(vgCrossing *c)
{
    if (!c) return;
    vg_probe_free(c->probe);
    free(c);
}

static void passed(vgCrossed *seen, int force, double t)
{
    if (seen->passed++ == 0) seen->passed_force = force, seen->passed_t = t;
}

/* A contact from one step to the next. */
static void follow(Contact *c, const vgForce *f, const vgApproach *now, double t, double h, vgCrossed *seen)
{
    double when, speed = -vg_dot3(now->n, now->u), way = vg_norm3(vg_sub3(now->y, c->last.y));
    int touched = c->last.depth > 0, touches = now->depth > 0;
    if (!touched && !touches && f->kind->crosses(f->def, &c->last, now, h, &when))
        passed(seen, c->force, t + when * h);
    if (!touched && touches) c->steps = 0, c->speed = -vg_dot3(c->last.n, c->last.u);
    if (touches && c->steps >= 0) c->steps++;
    if (touched && !touches) {
        int matters = fabs(c->speed - speed) > GRAZE * vg_norm3(now->u) && c->speed * h > DEEP * way;
        if (c->steps >= 0 && c->steps < FEW && c->speed > 0 && matters && seen->brief++ == 0)
            seen->brief_force = c->force, seen->brief_t = t;
        c->steps = 0;
    }
}

void vg_crossing_see(vgCrossing *c, const vgState *s, vgCrossed *seen)
{
    const vgModel *m = c->it->sys->model;
    vg_probe_at(c->probe, c->it->work, s);
    for (int i = 0; i < c->n; i++) {
        const vgForce *f = &m->force[c->contact[i].force];
        vgApproach now;
        f->kind->approach(f->def, vg_probe_force_in(c->probe, c->contact[i].force), &now);
        if (c->begun && s->t > c->t)
            follow(&c->contact[i], f, &now, c->t, s->t - c->t, seen);
        else
            c->contact[i].steps = now.depth > 0 ? -1 : 0;
        c->contact[i].last = now;
    }
    c->begun = 1;
    c->t = s->t;
}

int vg_crossing_words(const vgCrossed *seen, const vgModel *m, char *text, size_t room)
{
    if (seen->passed > 0) {
        snprintf(
            text, room,
            "contact '%s' was stepped over at t = %.9g s%s: its bodies touch between the ends of a step and "
            "are apart at both, so that they go through each other. Locate contacts (--events, or events: "
            "locate)",
            m->force[seen->passed_force].name, seen->passed_t, seen->passed > 1 ? ", others later" : "");
        return 1;
    }
    if (seen->brief > 0) {
        snprintf(
            text, room,
            "the impact of contact '%s' at t = %.9g s%s takes fewer than %d steps, and what follows is not "
            "right. Locate contacts (--events, or events: locate), or take a much shorter step",
            m->force[seen->brief_force].name, seen->brief_t, seen->brief > 1 ? ", and others," : "", FEW);
        return 1;
    }
    return 0;
}
