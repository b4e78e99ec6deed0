#include "analysis/diagnose.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/probe.h"

enum { CLOSING_ITERATIONS = 60 };

/* The first force that is not a number at the state and its time. */
static int bad_force(const vgSystem *sys, vgProbe *probe, double t, char *text, size_t room)
{
    const vgModel *m = sys->model;
    for (int f = 0; f < m->nforce; f++) {
        const char *const *output = m->force[f].kind->outputs;
        int finite = isfinite(vg_probe_force_power(probe, f)) != 0;
        for (int k = 0; finite && output && output[k]; k++)
            finite = isfinite(vg_probe_force_output(probe, f, k)) != 0;
        if (finite) continue;
        snprintf(text, room,
                 "force '%s' (%s) is not a number at t = %.9g s: look for a root or logarithm of something "
                 "negative, or a division by zero, in its law",
                 m->force[f].name, m->force[f].kind->name, t);
        return 1;
    }
    return 0;
}

/* Can the joints be closed at t at all, starting from the state? Without drives they are closed already. */
static int open_joint(const vgSystem *sys, vgWork *work, vgState *s, double t, char *text, size_t room)
{
    int iterations, worst = -1;
    double left = 0, of_joint = 0, *phi = calloc((size_t)sys->nphi + 1, sizeof *phi);
    if (!phi) return 0;
    sys->ops->project_q(sys, work, t, s->q, 1e-14, CLOSING_ITERATIONS, &iterations);
    sys->ops->levels(sys, work, t, s->q, s->v, NULL, phi, NULL, NULL);
    for (int r = 0; r < sys->nphi; r++) {
        left = fmax(left, fabs(phi[r])); /* some coordinates have rows for the shapes of bodies too */
        if (sys->row_joint[r] >= 0 && fabs(phi[r]) > of_joint)
            of_joint = fabs(phi[r]), worst = sys->row_joint[r];
    }
    free(phi);
    if (!(left > 1e-9 * sys->length)) return 0;
    snprintf(text, room,
             "the joints cannot be closed at t = %.9g s: %s%s%s stays open by %.3g. A drive asks for what "
             "the lengths do not allow",
             t, worst >= 0 ? "joint '" : "one", worst >= 0 ? sys->model->joint[worst].name : "",
             worst >= 0 ? "'" : "", worst >= 0 ? of_joint : left);
    return 1;
}

int vg_diagnose(const vgSystem *sys, vgWork *work, const vgState *state, double t, char *text, size_t room)
{
    vgState *s = NULL;
    vgProbe *probe = NULL;
    int found = 0;
    if (vg_state_new(sys, state->nhistory, &s) == VG_OK && vg_probe_new(sys, &probe) == VG_OK) {
        vg_state_copy(sys, s, state);
        s->t = t;
        vg_work_bind(work, s);
        vg_probe_at(probe, work, s);
        found =
            bad_force(sys, probe, t, text, room) || (sys->nl > 0 && open_joint(sys, work, s, t, text, room));
        vg_work_bind(work, state);
    }
    vg_probe_free(probe);
    vg_state_free(s);
    return found;
}
