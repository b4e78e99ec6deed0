#include "analysis/run/crossing.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/run/crossing_crowd.h"
#include "analysis/watch/apart.h"

enum { FEW = VG_FEW_STEPS };

/* A motion that is so many times as fast as when contacts were looked at last is looked at again: what is apart may have
 * been set in motion. At half of it spinning up costs looks; at twice, the first step of an impact may be missed. */
static const double QUICKER = 2;

/* Most pairs are far from each other: they are looked at when they may have come together (watch/apart.h). */
typedef struct Contact {
    int force, steps; /* steps that ended in touch since it began; −1: it lay there at the start */
    double speed;     /* at which it began */
    double t;         /* when it was last looked at */
    vgApart again;    /* when it is looked at again */
    vgApproach last;
} Contact;

struct vgCrossing {
    vgIntegrator *it;
    vgProbe *probe;
    int n, begun;
    long step;              /* how many there were */
    double t, speed;        /* at the last step; at the last look, the largest */
    vgApart again;          /* the least of the contacts */
    vgCrossingCrowd *crowd; /* groups of contacts; NULL: there are none */
    unsigned char *watch;   /* turns that the run counts: a look must not change them */
    size_t nwatch;
    Contact contact[];
};

vgStatus vg_crossing_new(vgIntegrator *it, int located, vgCrossing **out)
{
    const vgModel *m = it->sys->model;
    int n = 0, crowds = 0;
    for (int f = 0; f < m->nforce; f++) {
        n += !located && m->force[f].kind->approach != NULL;
        crowds += m->force[f].kind->crowd != NULL;
    }
    *out = NULL;
    if (n == 0 && crowds == 0) return VG_OK;
    vgCrossing *c = calloc(1, sizeof *c + (size_t)n * sizeof c->contact[0]);
    if (!c) return VG_NO_MEMORY;
    c->it = it;
    for (int f = 0; f < m->nforce && n > 0; f++)
        if (m->force[f].kind->approach) c->contact[c->n++].force = f;
    c->nwatch = it->work->watch ? (size_t)m->nmeasure : 0;
    c->watch = calloc(c->nwatch + 1, 1);
    vgStatus st = c->watch ? vg_probe_new(it->sys, &c->probe) : VG_NO_MEMORY;
    if (st == VG_OK && crowds) st = vg_crossing_crowd_new(m, &c->crowd);
    if (st != VG_OK) {
        vg_crossing_free(c);
        return st;
    }
    *out = c;
    return VG_OK;
}

void vg_crossing_free(vgCrossing *c)
{
    if (!c) return;
    vg_probe_free(c->probe);
    vg_crossing_crowd_free(c->crowd);
    free(c->watch);
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
        int matters =
            fabs(c->speed - speed) > VG_GRAZE * vg_norm3(now->u) && c->speed * h > VG_DEEP_PART * way;
        if (c->steps >= 0 && c->steps < FEW && c->speed > 0 && matters && seen->brief++ == 0)
            seen->brief_force = c->force, seen->brief_t = t;
        c->steps = 0;
    }
}

/* What happened to its bodies may bring others into play: they are looked at after the next step. */
static void wake(vgCrossing *c, const vgModel *m, const Contact *x)
{
    for (int i = 0; i < c->n; i++) {
        if (!vg_apart_share(m, x->force, c->contact[i].force)) continue;
        vg_apart_begin(&c->contact[i].again, c->t, c->step);
        c->contact[i].again.next = c->step + 1;
    }
}

/* Bodies that touch at the start lie there, or are struck. */
static void begin(Contact *x, const vgApproach *now)
{
    x->speed = -vg_dot3(now->n, now->u);
    x->steps = now->depth > 0 && !(x->speed > 0) ? -1 : 0;
}

/* Looks at a contact. 1: its bodies met, or parted. */
static int look(vgCrossing *c, Contact *x, double t, double h, vgCrossed *seen)
{
    const vgForce *f = &c->it->sys->model->force[x->force];
    const int touched = x->last.depth > 0;
    vgApproach now;
    f->kind->approach(f->def, vg_probe_force_in(c->probe, x->force), &now);
    if (!c->begun)
        begin(x, &now);
    else if (t > x->t)
        follow(x, f, &now, x->t, t - x->t, seen);
    x->last = now;
    x->t = t;
    if (now.depth > 0 && !touched) vg_apart_begin(&x->again, t, c->step);
    if (now.depth > 0)
        vg_apart_acting(&x->again, t, c->step);
    else
        vg_apart_plan(&x->again, vg_apart_time(c->probe, x->force, &now), t, c->begun ? h : INFINITY,
                      c->step);
    return c->begun && (now.depth > 0) != touched;
}

void vg_crossing_see(vgCrossing *c, const vgState *s, double speed, vgCrossed *seen)
{
    const vgModel *m = c->it->sys->model;
    const double h = s->t - c->t;
    const int all = !c->begun || speed > QUICKER * c->speed;
    c->step++;
    c->t = s->t;
    if (!all && !c->crowd && c->step < c->again.next && s->t < c->again.due) return;
    if (c->nwatch) memcpy(c->watch, c->it->work->watch, c->nwatch);
    vg_probe_at(c->probe, c->it->work, s);
    for (int i = 0; i < c->n; i++) {
        Contact *x = &c->contact[i];
        if (!all && c->step < x->again.next && s->t < x->again.due) continue;
        if (look(c, x, s->t, h, seen)) wake(c, m, x);
    }
    if (c->crowd) vg_crossing_crowd_see(c->crowd, m, c->probe, c->begun ? h : 0, seen);
    if (c->nwatch) memcpy(c->it->work->watch, c->watch, c->nwatch);
    c->begun = 1;
    c->speed = all ? speed : fmax(c->speed, speed);
    c->again = (vgApart){.next = LONG_MAX, .due = INFINITY};
    for (int i = 0; i < c->n; i++) {
        const vgApart *one = &c->contact[i].again;
        c->again.next = one->next < c->again.next ? one->next : c->again.next;
        c->again.due = fmin(c->again.due, one->due);
    }
}

/* Groups are not located. */
static const char *remedy(const vgModel *m, int force)
{
    return m->force[force].kind->crowd ? "Take a shorter step, or a method with error control (rtol)"
                                       : "Locate contacts (--events, or events: locate)";
}

int vg_crossing_words(const vgCrossed *seen, const vgModel *m, char *text, size_t room)
{
    const int gone = seen->passed > 0;
    if (!gone && seen->brief == 0) return 0;
    const int force = gone ? seen->passed_force : seen->brief_force;
    const vgForce *f = &m->force[force];
    const int stop = f->kind->head == VG_HEAD_JOINT;
    if (gone)
        snprintf(text, room, "%s '%s' was stepped over at t = %.9g s%s: %s. %s", stop ? "stop" : "contact",
                 f->name, seen->passed_t, seen->passed > 1 ? ", others later" : "",
                 stop ? "its joint is beyond it between the ends of a step and within its range at both, so "
                        "that it has no effect"
                      : "its bodies touch between the ends of a step and are apart at both, so that they go "
                        "through each other",
                 remedy(m, force));
    else
        snprintf(text, room,
                 "the impact of %s '%s' at t = %.9g s%s takes fewer than %d steps, and what follows is not "
                 "right. %s%s",
                 stop ? "stop" : "contact", f->name, seen->brief_t, seen->brief > 1 ? ", and others," : "",
                 FEW, remedy(m, force), f->kind->crowd ? "" : ", or take a much shorter step");
    return 1;
}
