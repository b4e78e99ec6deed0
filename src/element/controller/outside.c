/* Parts outside of the controllers of one simulation. A part has a state of its own, which no checkpoint holds: samples come
 * in order, or the part cannot follow. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "element/controller/controller.h"

typedef struct Part {
    const vgOutsideOps *ops;
    void *at;
    double next; /* number of the sample that it can take */
} Part;

struct vgOutside {
    int n, failed;
    char why[VG_OUTSIDE_WHY];
    Part part[];
};

static void close_part(Part *p)
{
    if (p->at) p->ops->close(p->at);
    *p = (Part){0};
}

void vg_outside_free(vgOutside *o)
{
    for (int i = 0; o && i < o->n; i++) close_part(&o->part[i]);
    free(o);
}

vgOutside *vg_outside_new(int ncontroller)
{
    vgOutside *o = calloc(1, sizeof *o + (size_t)ncontroller * sizeof(Part));
    if (o) o->n = ncontroller;
    return o;
}

void vg_outside_clear(vgOutside *o)
{
    if (o) o->failed = 0;
}

const char *vg_outside_why(const vgOutside *o)
{
    return o && o->failed ? o->why : NULL;
}

/* Missed samples are not made up for, but the part's time goes on: what matters is that it never has to go back, and that
 * it began at the first. */
static int in_order(const Part *p, double number)
{
    return p->at ? number >= p->next : number == 0;
}

int vg_outside_sample(vgOutside *o, int i, const char *name, const vgControllerKind *kind, const void *def,
                      double number, double t, const double *in, double *out)
{
    char why[VG_OUTSIDE_WHY] = "";
    Part *p = &o->part[i];
    if (number == 0) close_part(p); /* from the start */
    p->ops = kind->outside;
    int good = in_order(p, number);
    if (!good)
        snprintf(why, sizeof why,
                 "its part outside the model cannot go to sample %.0f: it has a state of its own, which is "
                 "neither in checkpoints nor taken back",
                 number);
    if (good && !p->at) good = (p->at = kind->outside->open(def, why)) != NULL;
    if (good) good = kind->outside->sample(p->at, def, number == 0, t, in, out, why);
    p->next = good ? number + 1 : INFINITY;
    if (good) return 1;
    o->failed = 1;
    snprintf(o->why, sizeof o->why, "controller '%.60s' at t = %.9g s: %.280s", name, t,
             why[0] ? why : "out of memory");
    return 0;
}
