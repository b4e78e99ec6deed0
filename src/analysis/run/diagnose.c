#include "analysis/run/diagnose.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/run/closing.h"
#include "analysis/state/probe.h"

enum { LOOKS = 16, HALVINGS = 24, FEW_BODIES = 25 };
static const double HUGE_LAW = 1e12; /* no force or torque of a machine */

static int is_number(int n, const double *x)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i])) return 0;
    return 1;
}

/* A law in words: its place and text, and what of it is not a number. */
static void blame(const char *what, const char *name, const vgLaw *law, double value, double t, char *text,
                  size_t room)
{
    char size[32] = "is not a number";
    const int huge = isfinite(value) && fabs(value) >= HUGE_LAW;
    if (huge) snprintf(size, sizeof size, "reaches %.2g", value);
    snprintf(text, room, "%s of %s '%s' %s at t = %.9g s (%s): %s",
             isfinite(value) && !huge ? "the derivative of a law" : "a law", what, name, size, t,
             law->where ? law->where : "a law given by the program",
             huge ? "does it grow without bound, or divide by something near zero?"
                  : "a root or logarithm of something negative or zero, or a division by zero?");
}

/* The first law of a force that has no value or no derivative at the state. */
static int bad_law(vgProbe *probe, const vgForce *force, int f, double t, char *text, size_t room)
{
    const vgForceIn *in = force->setup.nlaw ? vg_probe_force_in(probe, f) : NULL;
    double local[VG_LAW_LOCAL] = {0}, dlocal[VG_LAW_LOCAL], dext[VG_LAW_MAX_INPUTS];
    int nlocal = 0;
    while (force->kind->locals && force->kind->locals[nlocal]) nlocal++;
    if (in && force->kind->local) force->kind->local(force->def, in, local);
    for (int l = 0; l < force->setup.nlaw; l++) {
        const vgLaw *law = force->setup.law[l];
        double x = vg_law_grad(law, t, nlocal, local, in->law_inputs[l], NULL, dlocal, dext);
        if (fabs(x) < HUGE_LAW && is_number(nlocal, dlocal + 1) && is_number(vg_law_nexternal(law), dext))
            continue;
        blame("force", force->name, law, x, t, text, room);
        return 1;
    }
    return 0;
}

int vg_diagnose_drive(const vgModel *m, double t, char *text, size_t room)
{
    for (int j = 0; j < m->njoint; j++)
        for (int i = 0; i < m->joint[j].nprim; i++) {
            const vgPrim *p = &m->prim[m->joint[j].prim0 + i];
            const vgLaw *law = p->law;
            double x[3];
            if (!law || !law->expr) continue;
            vg_law_time(law, t, x);
            if (is_number(3 - p->level, x)) continue; /* up to the acceleration */
            blame("joint", m->joint[j].name, law, x[0], t, text, room);
            return 1 + j;
        }
    return 0;
}

/* The first force that is not a number at the state and its time, by its law if it has one. */
static int bad_force(const vgSystem *sys, vgProbe *probe, double t, char *text, size_t room)
{
    const vgModel *m = sys->model;
    for (int f = 0; f < m->nforce; f++) {
        const char *const *output = m->force[f].kind->outputs;
        if (bad_law(probe, &m->force[f], f, t, text, room)) return 1;
        int finite = isfinite(vg_probe_force_power(probe, f)) != 0;
        for (int k = 0; finite && output && output[k]; k++)
            finite = isfinite(vg_probe_force_output(probe, f, k)) != 0;
        if (finite) continue;
        snprintf(text, room, "force '%s' (%s) is not a number at t = %.9g s", m->force[f].name,
                 m->force[f].kind->name, t);
        return 1;
    }
    return 0;
}

static int is_driven(const vgModel *m)
{
    for (int i = 0; i < m->nprim; i++)
        if (m->prim[i].law) return 1;
    return 0;
}

/* Up to when the joints can be closed, between the state, where they can, and t; of many bodies, which take
 * long, the time of the state. */
static double last_closed(const vgSystem *sys, vgWork *work, const vgState *s, double t)
{
    double from = s->t, gap;
    int joint, halvings = sys->model->nbody <= FEW_BODIES ? HALVINGS : 0;
    for (int k = 0; k < halvings; k++) {
        vgClosing *c = NULL;
        double between = 0.5 * (from + t);
        if (vg_closing_new(sys, work, s, &c) != VG_OK) break;
        if (vg_closing_at(c, between, &joint, &gap))
            from = between;
        else
            t = between;
        vg_closing_free(c);
    }
    return from;
}

/* Can the joints be closed at t at all, starting from the state? Without drives they are closed already. */
static int open_joint(const vgSystem *sys, vgWork *work, const vgState *s, double t, char *text, size_t room)
{
    vgClosing *c = NULL;
    int joint = -1, now, open;
    double gap;
    if (!is_driven(sys->model) || vg_closing_new(sys, work, s, &c) != VG_OK) return 0;
    now = vg_closing_at(c, s->t, &joint, &gap);
    open = !vg_closing_at(c, t, &joint, &gap) && joint >= 0;
    vg_closing_free(c);
    if (!open) return 0;
    char from[64] = "";
    if (now) snprintf(from, sizeof from, "beyond t = %.9g s: ", last_closed(sys, work, s, t));
    snprintf(text, room,
             "the joints cannot be closed %sat t = %.9g s%s joint '%s' stays open by %.3g. A drive asks for "
             "what the lengths do not allow",
             from, t, now ? "" : ":", sys->model->joint[joint].name, gap);
    return 1;
}

/* Laws and forces at the state as it is, at times from where it is to t: a law may have no value at one time
 * only. */
static int not_a_number(const vgSystem *sys, vgWork *work, vgProbe *probe, vgState *s, double t, char *text,
                        size_t room)
{
    double from = s->t;
    int found = 0;
    for (int k = LOOKS; k >= 0 && !found; k--) {
        s->t = from + (t - from) * k / LOOKS;
        vg_work_bind(work, s);
        vg_probe_at(probe, work, s);
        found = vg_diagnose_drive(sys->model, s->t, text, room) || bad_force(sys, probe, s->t, text, room);
    }
    s->t = t;
    return found;
}

int vg_diagnose(const vgSystem *sys, vgWork *work, const vgState *state, double t, double ahead, char *text,
                size_t room)
{
    vgState *s = NULL;
    vgProbe *probe = NULL;
    int found = 0;
    if (vg_state_new(sys, state->nhistory, &s) == VG_OK && vg_probe_new(sys, &probe) == VG_OK) {
        vg_state_copy(sys, s, state);
        found = not_a_number(sys, work, probe, s, t, text, room);
        vg_work_bind(work, state);
        found = found || (sys->nphi > 0 && open_joint(sys, work, state, t, text, room)) ||
                (sys->nphi > 0 && ahead > 0 && open_joint(sys, work, state, t + ahead, text, room));
        vg_work_bind(work, state);
    }
    vg_probe_free(probe);
    vg_state_free(s);
    return found;
}

int vg_diagnose_number(const vgSystem *sys, vgWork *work, const vgState *state, char *text, size_t room)
{
    vgProbe *probe = NULL;
    int found = vg_diagnose_drive(sys->model, state->t, text, room);
    if (!found && vg_probe_new(sys, &probe) == VG_OK) {
        vg_work_bind(work, state);
        vg_probe_at(probe, work, state);
        found = bad_force(sys, probe, state->t, text, room);
    }
    vg_probe_free(probe);
    return found;
}

int vg_diagnose_alpha(const vgSystem *sys, char *text, size_t room)
{
    if (!vg_penalises(sys) || sys->is.settle == VG_SETTLE_NEVER || !(sys->option[0] > 0)) return 0;
    snprintf(text, room,
             "the penalty factor that was given, alpha = %g, may be too small for it, the more so with "
             "smaller steps: give a larger one, or leave it out",
             sys->option[0]);
    return 1;
}
