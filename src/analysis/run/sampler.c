#include "analysis/run/sampler.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/state/probe.h"
#include "analysis/tuning.h"
#include "integrator/stage/stage.h"

struct vgSampler {
    const vgModel *m;
    vgProbe *probe;
};

static void watch(const vgLaw *law, unsigned char *out)
{
    for (int k = 0; law->expr && k < law->ninput; k++)
        if (law->slot[k] >= VG_LAW_LOCAL) out[(law->slot[k] - VG_LAW_LOCAL) / 2] = 1;
}

vgStatus vg_sampler_new(const vgSystem *sys, vgWork *work, vgSampler **out)
{
    *out = NULL;
    if (sys->model->ncontroller == 0) return VG_OK;
    for (int i = 0; i < sys->model->ncontroller && !work->outside; i++) {
        if (!sys->model->controller[i].kind->outside) continue;
        work->outside = vg_outside_new(sys->model->ncontroller);
        if (!work->outside) return VG_NO_MEMORY;
    }
    vgSampler *x = calloc(1, sizeof *x);
    if (!x) return VG_NO_MEMORY;
    x->m = sys->model;
    vgStatus st = vg_probe_new(sys, &x->probe);
    if (st != VG_OK) {
        free(x);
        return st;
    }
    for (int i = 0; work->watch && i < x->m->ncontroller; i++)
        for (int k = 0; k < x->m->controller[i].nin; k++) watch(&x->m->controller[i].in[k], work->watch);
    *out = x;
    return VG_OK;
}

void vg_sampler_free(vgSampler *x)
{
    if (!x) return;
    vg_probe_free(x->probe);
    free(x);
}

static const vgControllerHead *head_of(const vgController *c)
{
    return c->def;
}

static double next_of(const vgController *c, const vgState *s)
{
    return head_of(c)->offset + head_of(c)->sample * s->turn[c->memory];
}

/* Times are sums of steps: as close as rounding brings them. */
static int due(const vgController *c, const vgState *s)
{
    return next_of(c, s) <= s->t + VG_SAMPLE_DUE * head_of(c)->sample + VG_TIME_ROUNDING * fabs(s->t);
}

double vg_sampler_next(const vgSampler *x, const vgState *s)
{
    double t = INFINITY;
    for (int i = 0; x && i < x->m->ncontroller; i++) t = fmin(t, next_of(&x->m->controller[i], s));
    return t;
}

int vg_sampler_due(const vgSampler *x, const vgState *s)
{
    for (int i = 0; x && i < x->m->ncontroller; i++)
        if (due(&x->m->controller[i], s)) return 1;
    return 0;
}

/* A law of a controller now. Held numbers may have changed since the probe looked: they are in the state. */
static double value_of(vgSampler *x, const vgLaw *law, const vgState *s)
{
    double in[VG_LAW_MAX_INPUTS] = {0};
    for (int k = 0; law->expr && k < law->ninput; k++) {
        const int slot = law->slot[k] - VG_LAW_LOCAL;
        if (slot < 0) continue; /* t */
        const vgMeasure *m = &x->m->measure[slot / 2].measure;
        if (m->kind == VG_MEASURE_INPUT) {
            in[k] = slot % 2 ? 0 : s->turn[m->turn];
        } else {
            const vgMeasureOut *o = vg_probe_measure(x->probe, slot / 2, 0);
            in[k] = slot % 2 ? o->rate : o->value;
        }
    }
    return vg_law_value(law, s->t, 0, NULL, in, NULL);
}

/* The sample that is due; one that was missed is not made up for. */
static int act(vgSampler *x, int which, vgOutside *outside, vgState *s)
{
    const vgController *c = &x->m->controller[which];
    double in[VG_CONTROLLER_MAX + 1], out[VG_CONTROLLER_MAX], *number = s->turn + c->memory;
    double *held = s->turn + x->m->measure[c->out].measure.turn;
    int changed = 0;
    for (int i = 0; i < c->nin; i++) in[i] = value_of(x, &c->in[i], s);
    if (c->kind->outside &&
        !vg_outside_sample(outside, which, c->name, c->kind, c->def, *number, s->t, in, in))
        return 0;
    vg_controller_step(c->kind, c->def, &c->setup, *number == 0, in, number + 1, out);
    for (int i = 0; i < c->setup.nout; i++) {
        changed |= out[i] != held[i];
        held[i] = out[i];
    }
    while (due(c, s)) {
        double late = floor((s->t - next_of(c, s)) / head_of(c)->sample);
        *number += late > 1 ? late : 1;
    }
    return changed;
}

int vg_sampler_take(vgSampler *x, vgWork *work, vgState *s)
{
    int changed = 0;
    if (!vg_sampler_due(x, s)) return 0;
    vg_probe_at(x->probe, work, s);
    vg_outside_clear(work->outside);
    for (int i = 0; i < x->m->ncontroller; i++)
        if (due(&x->m->controller[i], s)) changed |= act(x, i, work->outside, s);
    return changed;
}

vgStatus vg_sampler_failed(vgIntegrator *it, const vgState *s)
{
    const char *why = vg_outside_why(it->work->outside);
    if (why) vg_fail(it, VG_IO, s->t, "%s", why);
    return why ? VG_IO : VG_OK;
}

const vgController *vg_sampler_misses(const vgSampler *x, const vgState *s, double t0, double step)
{
    for (int i = 0; x && i < x->m->ncontroller; i++) {
        const vgController *c = &x->m->controller[i];
        const double first = (next_of(c, s) - t0) / step, period = head_of(c)->sample / step;
        if (fabs(first - round(first)) > VG_SAMPLE_FITS ||
            fabs(period - round(period)) > VG_SAMPLE_FITS * period || round(period) < 1)
            return c;
    }
    return NULL;
}
