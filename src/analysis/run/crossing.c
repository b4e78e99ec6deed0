#include "analysis/run/crossing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/run/crossing_crowd.h"

enum { FEW = VG_FEW_STEPS };

/* Most pairs are far from each other. A contact whose bodies are apart is left alone until they may have come
 * together, whatever way they went: by 2 v and by w times their distance in every second, v and w being the largest
 * velocities of all bodies. */
typedef struct Contact {
    int force, steps; /* steps that ended in touch since it began; −1: it did at the start */
    double speed;     /* at which it began */
    double t;         /* when it was last looked at */
    double gap, arm;  /* then: what separated them, 0 in touch; what turns with w */
    double way, turn; /* then: the sums of the watch */
    vgApproach last;
} Contact;

struct vgCrossing {
    vgIntegrator *it;
    vgProbe *probe;
    int n, begun, nbody;
    double t, way, turn;        /* sums of v h and w h over the steps */
    double step_way, step_turn; /* those of the last step */
    int *body;                  /* nbody: those of the contacts, each once */
    vgCrossingCrowd *crowd;     /* groups of contacts; NULL: there are none */
    Contact contact[];
};

/* The bodies of the contacts, each once; n: room for them. */
static int find_bodies(const vgModel *m, vgCrossing *c)
{
    unsigned char *seen = calloc((size_t)m->nbody + 1, 1);
    c->body = malloc(((size_t)m->nbody + 1) * sizeof *c->body);
    for (int i = 0; seen && c->body && i < c->n; i++) {
        const vgForceSetup *su = &m->force[c->contact[i].force].setup;
        for (int k = 0; k < su->nbody; k++)
            if (su->body[k] >= 0 && !seen[su->body[k]])
                seen[su->body[k]] = 1, c->body[c->nbody++] = su->body[k];
    }
    int ok = seen && c->body;
    free(seen);
    return ok;
}

vgStatus vg_crossing_new(vgIntegrator *it, vgCrossing **out)
{
    const vgModel *m = it->sys->model;
    int n = 0;
    int crowds = 0;
    for (int f = 0; f < m->nforce; f++) {
        n += m->force[f].kind->approach != NULL;
        crowds += m->force[f].kind->crowd != NULL;
    }
    *out = NULL;
    if (n == 0 && crowds == 0) return VG_OK;
    vgCrossing *c = calloc(1, sizeof *c + (size_t)n * sizeof c->contact[0]);
    if (!c) return VG_NO_MEMORY;
    c->it = it;
    for (int f = 0; f < m->nforce; f++)
        if (m->force[f].kind->approach) c->contact[c->n++].force = f;
    vgStatus st = find_bodies(m, c) ? vg_probe_new(it->sys, &c->probe) : VG_NO_MEMORY;
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
    free(c->body);
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

/* Adds the step to the sums. */
static void move_on(vgCrossing *c, double h)
{
    double v = 0, w = 0;
    for (int i = 0; i < c->nbody; i++) {
        const vgKin *k = vg_probe_kin(c->probe, c->body[i]);
        v = fmax(v, vg_dot3(k->v, k->v));
        w = fmax(w, vg_dot3(k->w, k->w));
    }
    c->step_way = 2 * sqrt(v) * h;
    c->step_turn = sqrt(w) * h;
    c->way += c->step_way;
    c->turn += c->step_turn;
}

/* May the bodies touch in the step after this one, should they move twice as fast? */
static int is_near(const vgCrossing *c, const Contact *x)
{
    return c->way - x->way + 2 * c->step_way + (c->turn - x->turn + 2 * c->step_turn) * x->arm >= x->gap;
}

static double frame_arm(const vgForce *f)
{
    const vgForceHead *head = f->def;
    return vg_norm3(head->frame[0].r) + vg_norm3(head->frame[1].r);
}

void vg_crossing_see(vgCrossing *c, const vgState *s, vgCrossed *seen)
{
    const vgModel *m = c->it->sys->model;
    vg_probe_at(c->probe, c->it->work, s);
    move_on(c, c->begun ? s->t - c->t : 0);
    for (int i = 0; i < c->n; i++) {
        Contact *x = &c->contact[i];
        if (c->begun && !is_near(c, x)) continue;
        const vgForce *f = &m->force[x->force];
        vgApproach now;
        f->kind->approach(f->def, vg_probe_force_in(c->probe, x->force), &now);
        if (c->begun && s->t > x->t)
            follow(x, f, &now, x->t, s->t - x->t, seen);
        else
            x->steps = now.depth > 0 ? -1 : 0;
        x->last = now;
        x->t = s->t;
        x->gap = fmax(0, -now.depth);
        x->arm = vg_norm3(now.y) + x->gap + frame_arm(f);
        x->way = c->way;
        x->turn = c->turn;
    }
    if (c->crowd) vg_crossing_crowd_see(c->crowd, m, c->probe, c->begun ? s->t - c->t : 0, seen);
    c->begun = 1;
    c->t = s->t;
}

/* Groups are not located. */
static const char *remedy(const vgModel *m, int force)
{
    return m->force[force].kind->crowd ? "Take a shorter step, or a method with error control (rtol)"
                                       : "Locate contacts (--events, or events: locate)";
}

int vg_crossing_words(const vgCrossed *seen, const vgModel *m, char *text, size_t room)
{
    if (seen->passed > 0) {
        snprintf(
            text, room,
            "contact '%s' was stepped over at t = %.9g s%s: its bodies touch between the ends of a step and "
            "are apart at both, so that they go through each other. %s",
            m->force[seen->passed_force].name, seen->passed_t, seen->passed > 1 ? ", others later" : "",
            remedy(m, seen->passed_force));
        return 1;
    }
    if (seen->brief > 0) {
        snprintf(
            text, room,
            "the impact of contact '%s' at t = %.9g s%s takes fewer than %d steps, and what follows is not "
            "right. %s%s",
            m->force[seen->brief_force].name, seen->brief_t, seen->brief > 1 ? ", and others," : "", FEW,
            remedy(m, seen->brief_force),
            m->force[seen->brief_force].kind->crowd ? "" : ", or take a much shorter step");
        return 1;
    }
    return 0;
}
