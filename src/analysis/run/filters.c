/* What accepts a step, refuses it or ends the run. The interface is vgFilter (transient_run.h). */
#include <math.h>

#include "analysis/run/transient_run.h"
#include "integrator/stage/stage.h"
#include "analysis/tuning.h"

/* ---- active constraint equations (row_choice.h) ---- */

static int has_rows(const vgRun *r)
{
    return r->rows != NULL;
}

static vgStatus revise_rows(vgRun *r, vgAttempt *x)
{
    vgStatus st = vg_row_choice_revise(r->rows, r->s, x->h);
    if (st == VG_OK && r->repeated && r->before)
        vg_state_copy(r->it->sys, r->before, r->s); /* with the revised choice */
    return st;
}

static const vgFilter rows_that_count = {"rows that count", has_rows, revise_rows, NULL, NULL};

/* ---- singular positions of the mechanism (singular.h) ---- */

static int has_loops(const vgRun *r)
{
    return r->loops != NULL;
}

static vgStatus begin_singular(vgRun *r, vgAttempt *x)
{
    if (r->it->adaptive)
        return VG_OK; /* there steps shrink in front of a singular position, and steps_chosen.c takes one over it */
    vg_singular_before(r->loops, r->s, x->h);
    if (!x->avoids || !vg_singular_within(r->loops, r->s, x->h)) return VG_OK;
    vg_fail(r->it, VG_NOT_CONVERGED, r->s->t,
            "a stage of the step from t = %.9g s is in a singular position of the mechanism", r->s->t);
    x->landed = 1;
    return VG_NOT_CONVERGED;
}

static vgStatus end_singular(vgRun *r, vgAttempt *x)
{
    if (r->it->adaptive && !x->step.over) return VG_OK;
    vgPassage how = vg_singular_after(r->loops, r->s, x->h);
    x->landed = how == VG_PASSAGE_LANDED;
    if (how == VG_PASSAGE_FREE || (x->landed && !x->avoids)) return VG_OK;
    vg_singular_back(r->loops, r->s);
    return VG_NOT_CONVERGED;
}

static const vgFilter singular_positions = {"singular positions", has_loops, begin_singular, end_singular,
                                            NULL};

/* ---- steps with large displacements (guard.h) ---- */

static int always(const vgRun *r)
{
    (void)r;
    return 1;
}

static vgStatus begin_guard(vgRun *r, vgAttempt *x)
{
    double most = vg_guard_before(r->guard, r->s, x->h, &x->asks);
    if (VG_RARE(most < x->h)) x->h = most, x->whole = x->step.over = 0;
    return VG_OK;
}

static vgStatus end_guard(vgRun *r, vgAttempt *x)
{
    return VG_RARE(x->asks) ? vg_guard_after(r->guard, r->s, x->h, &x->step) : VG_OK;
}

static const vgFilter guard = {"guard", always, begin_guard, end_guard, NULL};

/* ---- redundant constraint equations: if an inactive one is violated, it contradicts the active ones ---- */

static int has_redundant(const vgRun *r)
{
    return r->repeated;
}

static vgStatus check_redundant(vgRun *r, vgAttempt *x)
{
    const vgSystem *sys = r->it->sys;
    double counted = 0;
    (void)x;
    sys->ops->levels(sys, r->it->work, r->s->t, r->s->q, r->s->v, NULL, r->phi, NULL, NULL);
    for (int i = 0; i < sys->nphi; i++)
        if (r->s->active[i]) counted = fmax(counted, fabs(r->phi[i]));
    const double most = VG_REDUNDANT_OPEN * sys->length + VG_REDUNDANT_BESIDE * counted;
    for (int i = 0; i < sys->nphi; i++)
        if (!r->s->active[i] && !(fabs(r->phi[i]) <= most)) {
            vg_fail(r->it, VG_INCONSISTENT, r->s->t,
                    "at t = %.9g s %s '%s' opens by %.3g: its constraints repeated others at the start, but "
                    "no longer do. The start is a singular position (start a little beside it), or drives "
                    "that agreed at the start do not agree from here on",
                    r->s->t, sys->row_joint[i] >= 0 ? "joint" : "the shape of",
                    sys->row_joint[i] >= 0 ? sys->model->joint[sys->row_joint[i]].name : "a rigid body",
                    fabs(r->phi[i]));
            return VG_INCONSISTENT;
        }
    return VG_OK;
}

static const vgFilter redundant = {"redundant rows", has_redundant, NULL, NULL, check_redundant};

/* ---- monitors (watch/monitor.h) ---- */

static int has_monitors(const vgRun *r)
{
    return r->monitors != NULL;
}

/* Steps. A run may be continued by many calls. The monitors examine the state at the end of a call only if it has
 * this many steps, because that costs as much as one step. With half the number short calls cost 12 % more; with
 * twice the number errors in them are reported later. */
enum { LONG_CALL = 16 };

static vgStatus watch(vgRun *r, vgAttempt *x)
{
    int last = x->last && (!r->o->monitors || r->s->step - r->first >= LONG_CALL);
    return vg_monitors_step(r->monitors, r->s, r->speed, last);
}

static const vgFilter monitors = {"monitors", has_monitors, NULL, NULL, watch};

const vgFilter *const vg_run_filters[] = {&rows_that_count, &singular_positions, &guard,
                                          &redundant,       &monitors,           NULL};
