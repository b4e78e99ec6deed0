#include "cli/moment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/run/transient.h"

int vg_moment_open(const vgArgs *args, vgMoment *m)
{
    int code = vg_cli_load(args, vg_cli_word(args, 0), &m->job);
    if (code != VG_EXIT_OK) return code;
    vgDials dials = {m->job.model->planar ? "planar" : "lie", "index3", vg_cli_value(args, "integrator")};
    const char *given = dials.integrator ? dials.integrator : m->job.model->run.integrator;
    /* an explicit method of the model's run part needs index1; nothing is run unless --at asks for it */
    if (!given || !vg_cli_given(args, "at")) dials.integrator = "generalized-alpha";
    vgStatus st = vg_simulation_open(m->job.model, &dials, m->job.diag, &m->sim);
    return st == VG_OK ? VG_EXIT_OK : vg_cli_job_error(&m->job, st);
}

int vg_moment_run(const vgArgs *args, vgMoment *m, double t)
{
    const vgRunOptions *run = &m->job.model->run;
    vgTransientOptions how = {.step = run->step, .end = t, .every = 1 << 30, .locate = run->locate_events};
    vgTransientResult result = {0};
    if (vg_cli_number(args, "step", 0, &how.step) < 0) return VG_EXIT_INPUT;
    if (t <= 0) return VG_EXIT_OK;
    if (!(how.step > 0)) how.step = t / 1000;
    vgStatus st = vg_transient_run(m->sim.it, m->sim.state, &how, NULL, &result);
    if (st == VG_OK) return VG_EXIT_OK;
    vg_diag_error(m->job.diag, VG_NOWHERE, "the run to %g s ended at %g s: %s", t, result.t,
                  result.failure.text);
    return vg_cli_job_error(&m->job, st);
}

/* A row of the path; where there is no memory it ends early. */
static void keep_point(void *user, double load, const vgState *state)
{
    vgMoment *m = user;
    int n = vg_channels_count(m->channels) + 1;
    if (m->npath == m->cap) {
        int cap = m->cap ? 2 * m->cap : 64;
        double *more = realloc(m->path, (size_t)cap * (size_t)n * sizeof *more);
        if (!more) return;
        m->path = more;
        m->cap = cap;
    }
    double *row = m->path + (size_t)m->npath++ * (size_t)n;
    row[0] = load;
    vg_channels_eval(m->channels, m->sim.it->work, state, row + 1);
}

static vgStatus rest(vgMoment *m, const vgEquilibriumOptions *o, double t)
{
    vgEquilibrium before = m->rest;
    m->sim.state->t = t;
    vgStatus st = vg_equilibrium(m->sim.sys, m->sim.it->work, m->sim.state, o, m->job.diag, &m->rest);
    m->rest.iterations += before.iterations;
    m->rest.load_steps += before.load_steps;
    m->rest.relaxations += before.relaxations;
    return st;
}

/* From equilibrium to equilibrium, with drives and loads of each time; intermediate times are inserted if a step
 * is too long for Newton. */
static vgStatus through_time(vgMoment *m, const vgEquilibriumOptions *o, double end, int steps)
{
    vgEquilibriumOptions whole = *o;
    const double longest = end / steps, shortest = longest / 1024;
    double t = 0, h = longest;
    whole.whole = !o->relax;
    while (fabs(end - t) > 1e-9 * fabs(h)) {
        const double to = fabs(end - t) <= 1.000001 * fabs(h) ? end : t + h;
        vgStatus st = rest(m, &whole, to);
        if (st == VG_NO_MEMORY) return st;
        if (st == VG_OK) {
            m->rest.load_steps++;
            t = to;
            h = fabs(2 * h) > fabs(longest) ? longest : 2 * h;
        } else if (fabs(h) > 1.5 * fabs(shortest)) {
            h *= 0.5;
        } else { /* as from nothing */
            st = rest(m, o, to);
            if (st != VG_OK) return st;
            t = to;
        }
    }
    return VG_OK;
}

int vg_moment_rest(const vgArgs *args, vgMoment *m, double t)
{
    long steps = 0;
    vgEquilibriumOptions o = {0};
    if (vg_cli_number(args, "tolerance", 0, &o.tolerance) < 0) return VG_EXIT_INPUT;
    if (vg_cli_count(args, "steps", 1, &steps) < 0) return VG_EXIT_INPUT;
    if (steps > 100000) return vg_cli_wrong("--steps: at most 100000");
    o.load_steps = (int)steps;
    o.relax = vg_cli_given(args, "relax") > 0;
    if (m->channels && vg_cli_given(args, "arc")) {
        o.arc_steps = 5000;
        o.path = keep_point;
        o.user = m;
    }
    vgStatus st =
        t != 0 && !o.arc_steps ? through_time(m, &o, t, steps > 0 ? (int)steps : 10) : rest(m, &o, t);
    return st == VG_OK ? VG_EXIT_OK : vg_cli_job_error(&m->job, st);
}

const char *vg_moment_dropped(const vgMoment *m, int turning, char text[400])
{
    const vgModel *model = m->job.model;
    for (int i = 0; i < model->nbody; i++) {
        const vgBody *b = &model->body[i];
        double v = vg_norm3(b->v0), w = vg_norm3(b->w0);
        if (!b->given || !(v + w > 0)) continue;
        snprintf(text, 400,
                 "velocities that are given are no part of an equilibrium, where nothing moves (body "
                 "'%.100s': %.4g %s); leave --equilibrium out to look at the motion as it begins, or give "
                 "--at T alone for a later moment of it%s",
                 b->name, v > 0 ? v : w, v > 0 ? "m/s" : "rad/s",
                 turning ? ", or --turning BODY for what turns steadily" : "");
        return text;
    }
    return NULL;
}

int vg_moment_body(const vgArgs *args, const vgMoment *m, const char *option, int *body)
{
    const char *name = vg_cli_value(args, option);
    *body = vg_model_find_body(m->job.model, name);
    if (*body < 0) return vg_cli_wrong("--%s: the model has no body '%s'", option, name);
    return VG_EXIT_OK;
}

int vg_moment_turning(const vgArgs *args, vgMoment *m)
{
    int body, code = vg_moment_body(args, m, "turning", &body);
    static const char *const others[] = {"at", "relax", "arc", "equilibrium", "frame"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (vg_cli_given(args, others[i]) > 0)
            return vg_cli_wrong("--turning does not go with --%s: it looks from the start, at its speed",
                                others[i]);
    if (code != VG_EXIT_OK) return code;
    vgStatus st =
        vg_equilibrium_turning(m->sim.sys, m->sim.it->work, m->sim.state, body, m->job.diag, &m->rest);
    return st == VG_OK ? VG_EXIT_OK : vg_cli_job_error(&m->job, st);
}

static const char *const usual[] = {"body.*.position.*", "body.*.rotation.*", "body.*.angle",
                                    "joint.*.force.*",   "joint.*.torque.*",  "energy.potential"};

static vgStatus usual_channels(vgMoment *m)
{
    const char *names[sizeof usual / sizeof *usual];
    int n = 0;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        vgChannels *any = NULL;
        if (vg_channels_new(m->sim.sys, &usual[i], 1, NULL, &any) == VG_OK) names[n++] = usual[i];
        vg_channels_free(any);
    }
    return vg_channels_new(m->sim.sys, names, n, m->job.diag, &m->channels);
}

int vg_moment_channels(const vgArgs *args, vgMoment *m)
{
    const char *print = vg_cli_value(args, "print");
    int n = 0;
    char **wanted = vg_cli_split(print ? print : "", &n);
    vgStatus st = wanted ? VG_OK : VG_NO_MEMORY;
    if (st == VG_OK && n)
        st = vg_channels_new(m->sim.sys, (const char *const *)wanted, n, m->job.diag, &m->channels);
    else if (st == VG_OK && m->job.model->nrecord)
        st = vg_channels_new(m->sim.sys, m->job.model->record, m->job.model->nrecord, m->job.diag,
                             &m->channels);
    else if (st == VG_OK)
        st = usual_channels(m);
    free(wanted);
    if (st == VG_OK) {
        m->values = calloc((size_t)vg_channels_count(m->channels) + 1, sizeof *m->values);
        if (!m->values) st = VG_NO_MEMORY;
    }
    if (st != VG_OK) return vg_cli_job_error(&m->job, st);
    vg_channels_eval(m->channels, m->sim.it->work, m->sim.state, m->values);
    return VG_EXIT_OK;
}

void vg_moment_close(vgMoment *m)
{
    vg_channels_free(m->channels);
    free(m->values);
    free(m->path);
    vg_simulation_close(&m->sim);
    vg_cli_unload(&m->job);
}
