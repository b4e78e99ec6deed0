#include "analysis/watch/apart.h"

#include <math.h>

/* What is apart is left alone until it may have come together if its bodies were so many times as fast as now. At half of
 * it elements that are accelerated meet before they are looked at, and the first steps of an impact are missed; at twice
 * more steps are looked at in vain. */
static const double FASTER = 2;

/* What acts on and on, a ball that rolls or a joint at its stop, is looked at so far apart as this part of the steps, and of the
 * time, since it began, and at most so many; what is apart at most so many, too, for others may push it. At half of EARLY impacts are
 * sampled twice as coarsely; at twice, piles cost more. */
enum { EARLY = 32, STRIDE = 64 };

/* A time within which a gap is not closed at the speed v with the acceleration a: v t + ½ a t² is less. */
static double time_to_close(double gap, double v, double a)
{
    return gap / (v + sqrt(2 * gap * a));
}

double vg_apart_time(vgProbe *probe, int force, const vgApproach *seen)
{
    const vgForce *f = &vg_probe_system(probe)->model->force[force];
    const vgForceIn *in = vg_probe_force_in(probe, force);
    if (f->kind->room) {
        const double room = f->kind->room(f->def, in);
        if (!(room > 0)) return 0;
        return time_to_close(room, fabs(in->measure[0].rate), fabs(in->measure_acc[0]));
    }
    vgApproach at;
    if (!f->kind->approach) return 0;
    if (seen)
        at = *seen;
    else
        f->kind->approach(f->def, in, &at);
    if (!(at.depth < 0)) return 0;
    const vgForceHead *head = f->def;
    const double arm = vg_norm3(at.y) - at.depth + vg_norm3(head->frame[0].r) + vg_norm3(head->frame[1].r);
    double a = 0; /* of any two of their points towards each other */
    for (int k = 0; k < 2; k++) {
        const vgKin *b = in->kin[k];
        a += vg_norm3(b->dv) + (vg_norm3(b->dw) + vg_dot3(b->w, b->w)) * arm;
    }
    return time_to_close(-at.depth, fabs(vg_dot3(at.n, at.u)), a);
}

/* The step at which to look again, about `far` steps on. Far ones are multiples of powers of two, so that many
 * elements are looked at together: the motion of all bodies is computed once for them. */
static int64_t later(int64_t step, double far)
{
    int64_t grid = 1;
    while (2 * grid <= far && grid < STRIDE) grid *= 2;
    return (step / grid + 1) * grid;
}

void vg_apart_plan(vgApart *a, double time, double t, double h, int64_t step)
{
    a->due = t + time / FASTER;
    a->next = later(step, time / (FASTER * h));
}

void vg_apart_begin(vgApart *a, double t, int64_t step)
{
    a->began = t;
    a->since = step;
}

/* By the time, too: steps may grow after an impact. */
void vg_apart_acting(vgApart *a, double t, int64_t step)
{
    a->due = t + (t - a->began) / EARLY;
    a->next = later(step, (double)(step - a->since) / EARLY);
}

int vg_apart_share(const vgModel *m, int force, int other)
{
    const vgForceSetup *a = &m->force[force].setup, *b = &m->force[other].setup;
    int shared = a->nbody == 0 || b->nbody == 0; /* joint coordinates and groups: not known */
    for (int k = 0; k < a->nbody; k++)
        for (int l = 0; l < b->nbody; l++) shared |= a->body[k] >= 0 && a->body[k] == b->body[l];
    return shared;
}
