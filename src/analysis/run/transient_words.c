/* Error messages of runs that stop. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/run/diagnose.h"
#include "analysis/run/transient_run.h"
#include "integrator/stage/stage.h"

void vg_run_add_words(vgFailure *why, const char *words)
{
    size_t n = strlen(why->text);
    snprintf(why->text + n, sizeof why->text - n, "%s", words);
}

/* Adds the cause to the message of the failed step to t, if vg_diagnose finds one. */
int vg_run_add_cause(vgRun *r, double t, double ahead)
{
    char cause[360];
    vgFailure *why = &r->it->failure;
    size_t n = strlen(why->text);
    if (!vg_diagnose(r->it->sys, r->it->work, r->s, t, ahead, cause, sizeof cause) &&
        !(why->status == VG_NOT_CONVERGED && vg_diagnose_alpha(r->it->sys, cause, sizeof cause)))
        return 0;
    snprintf(why->text + n, sizeof why->text - n, "; %s", cause);
    return 1;
}

/* Velocities (m/s, rad/s) that no mechanism has. Only the words of an error depend on it. */
static const double IMPOSSIBLE = 1e12;

/* 1: velocities are larger than those of any mechanism, which explains numbers that are not finite. */
int vg_run_ran_away(const vgRun *r)
{
    double fastest = 0;
    for (int i = 0; i < r->it->sys->nv; i++) fastest = fmax(fastest, fabs(r->s->v[i]));
    return (r->it->row->flags & VG_INT_EXPLICIT) && !(fastest < IMPOSSIBLE);
}

const char *vg_transient_wrong_times(const vgIntegrator *it, double t0, const vgTransientOptions *o)
{
    const double most = 1e15; /* time in double precision has sixteen digits */
    double span = o->end - t0;
    if (!it->adaptive && !(span <= most * o->step))
        return "the step is too small for the length of the run: time would not go on. Take a larger step or "
               "an earlier end";
    if (o->interval > 0 && !(span <= most * o->interval))
        return "the interval of rows is too small for the length of the run. Take a larger one";
    return NULL;
}
