/* Advice, its first part: what the model is, and how fast it moves at the start. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/modes/modes.h"
#include "analysis/study/advise/parts.h"
#include "analysis/tuning.h"
#include "base/os.h"

enum {
    MAX_EIGEN = 240, /* coordinates up to which the eigenvalues are looked at */
    LOOKS = 6        /* states along the run */
};
/* Eigenvalues below this part of the largest may be rounding: those of a zero that is threefold are the cube
 * root of 1e-10 (modes.h) apart from it. */
static const double ROUNDING = 1e-3;
static const double LOOKING = 0.03; /* of the time for everything */

/* ---- the linearised motion ---- */

vgStatus vg_advise_rates(const vgSystem *sys, vgWork *work, const vgState *s, vgRates *out)
{
    vgModes modes;
    *out = (vgRates){.slowest = INFINITY, .t = s->t};
    vgStatus st = vg_modes(sys, work, s, NULL, &modes);
    if (st != VG_OK) return st;
    for (int i = 0; i < modes.n; i++) {
        const vgMode *m = &modes.mode[i];
        double size = hypot(m->re, m->im);
        if (size > out->fastest) out->fastest = size, out->re = m->re, out->im = fabs(m->im);
        out->decay = fmin(out->decay, m->re);
    }
    for (int i = 0; i < modes.n; i++) {
        double size = hypot(modes.mode[i].re, modes.mode[i].im);
        if (size > ROUNDING * out->fastest) out->slowest = fmin(out->slowest, size);
    }
    vg_modes_free(&modes);
    return VG_OK;
}

/* What is slower than this part of the run is rounding, or no motion of this run. */
static void take(vgAdvice *a, const vgRates *r, double end, int first)
{
    int moves = r->fastest * end > ROUNDING;
    if (first) {
        a->fastest = moves ? r->fastest : 0;
        a->fastest_re = r->re, a->fastest_im = r->im;
        a->slowest = moves ? r->slowest : INFINITY;
        a->start = a->fastest;
    } else if (moves && r->fastest > VG_ADVISE_FASTER * a->fastest) {
        a->fastest = r->fastest;
        a->fastest_re = r->re, a->fastest_im = r->im;
        a->fastest_t = r->t;
    }
    if (moves) a->decay = fmin(a->decay, r->decay), a->slowest = fmin(a->slowest, r->slowest);
}

/* Processor time at which looking ends. */
typedef struct Deadline {
    double at;
} Deadline;

static int is_over(void *user)
{
    return vg_os_thread_seconds() > ((const Deadline *)user)->at;
}

/* Eigenvalues at the start and at states along the run, as many as a small part of the time allows. */
static vgStatus look_at_eigenvalues(vgAdvice *a, vgSimulation *sim, double end)
{
    const vgSystem *sys = sim->sys;
    vgState *s = sim->state;
    vgRates r;
    Deadline deadline = {vg_os_thread_seconds() + LOOKING * a->budget};
    vgSink sink = {.user = &deadline, .cancelled = is_over};
    vgStatus st = vg_advise_rates(sys, sim->it->work, s, &r);
    if (st != VG_OK) return st;
    take(a, &r, end, 1);
    a->eigenvalues = 1;
    for (int k = 1; k <= LOOKS && !is_over(&deadline); k++) {
        vgTransientOptions o = {.end = end * k / LOOKS, .resume = k > 1};
        vgTransientResult result;
        st = vg_transient_run(sim->it, s, &o, &sink, &result);
        if (st == VG_OK) st = sys->ops->accel(sys, sim->it->work, s->t, s->q, s->v, s->a, s->lambda);
        if (st == VG_OK) st = vg_advise_rates(sys, sim->it->work, s, &r);
        if (st == VG_NO_MEMORY) return st;
        if (st != VG_OK) break;
        take(a, &r, end, 0);
        a->looked_until = s->t;
    }
    return VG_OK;
}

vgStatus vg_advise_look(const vgTrials *all, const vgAdviceOptions *o, vgDiag *diag, vgAdvice *a)
{
    const vgModel *m = all->model;
    vgSimulation sim;
    vgDials dials = {"lie", "index1", "dopri5:rtol=1e-6,atol=1e-8"}; /* the coordinates that modes knows */
    vgStatus st = vg_simulation_open(m, &dials, diag, &sim);
    if (st != VG_OK) return st;
    vgModelSummary sum;
    if ((st = vg_model_describe(m, &sum)) != VG_OK) {
        vg_simulation_close(&sim);
        return st;
    }
    a->bodies = sum.bodies;
    a->nv = sim.sys->nv;
    a->nl = sim.sys->nl;
    a->redundant = sim.assembly.nredundant;
    a->freedom = sim.assembly.freedom;
    for (int i = 0; i < m->njoint; i++)
        a->joints += m->joint[i].nrow > 0 && m->joint[i].kind->head == VG_HEAD_FRAMES;
    a->loops = a->joints > a->bodies ? a->joints - a->bodies : 0;
    for (int i = 0; i < m->nforce; i++) {
        const char *kind = m->force[i].kind->name;
        a->contacts += strstr(kind, "contact") || strstr(kind, "friction");
    }
    if (a->nv <= MAX_EIGEN) st = look_at_eigenvalues(a, &sim, o->end);
    if (st != VG_NO_MEMORY) st = VG_OK; /* a start where nothing can be differentiated is no hindrance */
    vg_simulation_close(&sim);
    return st;
}

void vg_advise_tell_model(vgAdvice *a)
{
    vg_advise_because(a, "%d bod%s, %d degree%s of freedom, %d coordinate%s and %d constraint row%s%s",
                      a->bodies, a->bodies == 1 ? "y" : "ies", a->freedom, a->freedom == 1 ? "" : "s", a->nv,
                      a->nv == 1 ? "" : "s", a->nl, a->nl == 1 ? "" : "s",
                      a->nl ? ""
                            : ": an ordinary differential equation, the constraint dial does not matter");
    if (a->loops) vg_advise_because(a, "%d closed loop%s", a->loops, a->loops > 1 ? "s" : "");
    if (a->redundant)
        vg_advise_because(a, "%d constraint row%s others; multipliers are not unique", a->redundant,
                          a->redundant == 1 ? " repeats" : "s repeat");
    if (a->eigenvalues && !(a->fastest > 0))
        vg_advise_because(a, "no motion of its own: all eigenvalues are zero");
    else if (a->eigenvalues)
        vg_advise_because(a,
                          "fastest motion at t = %.3g s: |λ| = %.4g 1/s (%.4g ± %.4g i), slowest %.4g 1/s, "
                          "looked at up to %.3g s",
                          a->fastest_t, a->fastest, a->fastest_re, a->fastest_im,
                          isfinite(a->slowest) ? a->slowest : 0, a->looked_until);
    else
        vg_advise_because(a, "eigenvalues not looked at: more than %d coordinates", MAX_EIGEN);
    if (a->contacts)
        vg_advise_because(
            a, "%d contact%s during the motion: methods of low order or with error control follow that best",
            a->contacts,
            a->contacts == 1 ? " or friction element switches" : "s or friction elements switch");
}
