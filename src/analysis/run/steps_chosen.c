/* Steps under error control: the next size follows from the error (integrator/step_size.h). If steps shrink in front
 * of a singular position, one step is taken over it. */
#include <math.h>

#include "analysis/run/transient_run.h"
#include "integrator/stage/stage.h"

enum {
    BEGIN_ANEW = 8,     /* successive failures after which a multistep method is restarted */
    MOST_FAILURES = 60, /* successive failures that end the run */
    OVER = 4,           /* attempts at a step over a singular position */
    SMALL = 10          /* successive accepted tiny steps (CREEPS) after which such a step is tried */
};
/* Number of steps that the rest of the run may need at the present step size. At a microsecond each these are minutes
 * of processor time. */
static const double MOST_STEPS = 1e8;
static const double CREEPS = 0.05; /* a tiny step: part of the recently accepted sizes */
static const double FADES = 0.98;  /* decay per step of the recently accepted size */
/* Relative to the length of the run: the end is reached; two times are equal; the shortest step. Rounding of time is
 * 1e-16. */
static const double NEARLY = 1e-13, SAME = 1e-12, SHORTEST = 1e-14;
static const double WHOLE = 1e-10; /* part of its size by which a step may be stretched to end at a stop */
static const double FAILED = 0.25; /* factor of the step size after a failed step */

static const char SUSPECTS[] =
    ". A force that jumps (try --events), a singular position of the mechanism (try constraints augmented1), "
    "too much asked (try a larger rtol)? Else try an implicit method with a fixed step (generalized-alpha)";

static void begin(vgRun *r)
{
    vgChosen *c = &r->chosen;
    double end = r->o->end;
    *c = (vgChosen){.span = end - r->t0, .old = VG_LEAST_ERROR};
    c->nearly = end - NEARLY * c->span;
    c->h = vg_step_within(r->it, r->o->step > 0 ? r->o->step : vg_first_step(r->it, r->s, c->span));
    r->tiny = SAME * c->span;
    r->target = end;
}

static int done(const vgRun *r)
{
    return !(r->s->t < r->chosen.nearly);
}

/* Adds the cause to the message that the step cannot become smaller. */
VG_COLD static vgStatus too_small(vgRun *r, vgStatus st, double ahead)
{
    if (!vg_run_add_cause(r, r->s->t + ahead, 1e-3 * r->chosen.span) && st == VG_STEP_TOO_SMALL)
        vg_run_add_words(&r->it->failure, SUSPECTS);
    return st;
}

/* Ends the run: at the present size its rest would need n steps, more than MOST_STEPS. */
VG_COLD static vgStatus fell_to_nothing(vgRun *r, double n)
{
    vg_fail(r->it, VG_STEP_TOO_SMALL, r->s->t,
            "the step fell to %.3g s at t = %.9g s, where the rest of the run would take %.1g steps: the "
            "tolerances rtol = %g, atol = %g cannot be met there",
            r->chosen.h, r->s->t, n, r->it->rtol, r->it->atol);
    return too_small(r, VG_STEP_TOO_SMALL, r->chosen.h);
}

/* The size of a step over a singular position, if recent steps have become tiny in front of one. 0: none. */
VG_COLD static double over(vgRun *r, double left)
{
    vgChosen *c = &r->chosen;
    if (!(c->failures > 0 || ++c->small > SMALL) || c->tries++ >= OVER) return 0;
    double h = vg_singular_over(r->loops, r->s, c->usual);
    return h < left ? h : 0;
}

/* Largest displacement in a step, in rad and lengths of the model, if every motion is driven. The constraints then
 * determine each state, the estimated error is zero and does not bound the step. Samples between steps are
 * interpolated by polynomials whose error before the projection is about DRIVEN_WAY⁶/720. At twice the bound
 * reactions in samples differ by 1e-6. */
static const double DRIVEN_WAY = 0.25;
static double within_drives(const vgRun *r, double h)
{
    const vgSystem *sys = r->it->sys;
    const vgState *s = r->s;
    double speed = 0, push = 0;
    int rows = 0;
    for (int i = 0; i < sys->nphi; i++) rows += s->active[i];
    if (sys->nv > rows) return h;
    for (int i = 0; i < sys->nv; i++) {
        speed = fmax(speed, fabs(s->v[i]) / sys->v_scale[i]);
        push = fmax(push, fabs(s->a[i]) / sys->v_scale[i]);
    }
    /* the positive root of h speed + ½ h² push = DRIVEN_WAY, without cancellation */
    double most = 2 * DRIVEN_WAY / (speed + sqrt(speed * speed + 2 * push * DRIVEN_WAY));
    return most < h ? fmax(most, r->it->h_min) : h; /* nothing moves: most is infinite */
}

static vgStatus size(vgRun *r, vgAttempt *x)
{
    vgChosen *c = &r->chosen;
    double rest = vg_pace(&c->pace, r->s->t, r->o->end, MOST_STEPS), left = x->to - r->s->t,
           h = within_drives(r, c->h);
    if (VG_RARE(rest > 0)) return fell_to_nothing(r, rest);
    x->h = h >= left * (1 - WHOLE) ? left : h > 0.5 * left && 0.5 * left >= r->it->h_min ? 0.5 * left : h;
    if (VG_RARE(r->loops && x->h < CREEPS * c->usual)) {
        double far = over(r, left);
        x->step.over = far > 0;
        if (far > 0) x->h = far;
    }
    x->whole = x->h == left;
    return VG_OK;
}

VG_COLD static vgStatus refused(vgRun *r, vgAttempt *x, vgStatus why)
{
    vgChosen *c = &r->chosen;
    vgIntegrator *it = r->it;
    const int bounded = it->h_min > 0 && x->h <= it->h_min * (1 + WHOLE);
    if (why == VG_INTERRUPTED || why == VG_NO_MEMORY) return why;
    it->stats.rejected++;
    c->h = x->h * (why != VG_OK ? FAILED : vg_step_again(it, &x->step, x->h));
    if (bounded) {
        if (why != VG_OK) {
            vg_run_add_words(&it->failure, "; the step is at its bound h_min. Give a smaller h_min");
            return why;
        }
        vg_fail(it, VG_STEP_TOO_SMALL, r->s->t,
                "a step of h_min = %g s at t = %.9g s has %.3g times the error that rtol = %g, atol = %g "
                "allow. Give a smaller h_min or a larger rtol",
                it->h_min, r->s->t, x->step.err, it->rtol, it->atol);
        return VG_STEP_TOO_SMALL;
    }
    c->h = fmax(c->h, it->h_min);
    if (c->h < SHORTEST * fmax(c->span, fabs(r->s->t)) || ++c->failures > MOST_FAILURES) {
        if (why == VG_OK)
            vg_fail(it, VG_STEP_TOO_SMALL, r->s->t,
                    "the step fell to %.3g s at t = %.9g s: the tolerances rtol = %g, atol = %g cannot be "
                    "met there",
                    c->h, r->s->t, it->rtol, it->atol);
        return too_small(r, why == VG_OK ? VG_STEP_TOO_SMALL : why, x->h);
    }
    /* the past of a multistep method may itself be the cause: accelerations of a step that was too long */
    int anew = c->failures == BEGIN_ANEW && (it->row->flags & VG_INT_MULTISTEP);
    return anew ? vg_run_restart(r, c->h) : VG_OK;
}

static vgStatus accepted(vgRun *r, vgAttempt *x)
{
    vgChosen *c = &r->chosen;
    const int after_rejection = c->failures > 0 && !x->step.over;
    const double h = x->h;
    c->failures = 0;
    c->usual = fmax(h, FADES * c->usual);
    if (h > 0.5 * c->usual) c->tries = c->small = 0;
    if (x->step.next > 0) {
        c->h = vg_step_within(r->it, x->step.next);
    } else if (VG_RARE(x->step.over)) {
        c->h = h;
    } else {
        double grow = vg_step_growth(r->it, x->step.err, &c->old);
        /* no growth directly after a rejection; the plain rule of [H] has no such memory */
        if (after_rejection && grow > 1 && r->it->control == VG_CONTROL_PI) grow = 1;
        if (h == c->h || grow < 1) c->h = vg_step_within(r->it, h * grow);
    }
    x->step.next = c->h;
    x->counts = 1;
    x->last = done(r);
    return VG_OK;
}

const vgPolicy vg_chosen_steps = {begin, done, size, NULL, refused, accepted};
