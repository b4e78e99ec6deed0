/* Channels that no comparison can judge. Where constraints repeat each other, their multipliers are determined
 * up to self-stresses: λ and λ + z have the same forces on all bodies when Bᵀ z = 0. A channel that changes
 * with z is not determined by the model; each setting chooses one of its values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/channels/channels.h"
#include "analysis/state/assemble.h"
#include "analysis/study/compare.h"
#include "analysis/study/verify/parts.h"
#include "linalg/null_space.h"

/* Change of a channel by a self-stress of size 1 from which it counts as not determined. Those of determined
 * channels are rounding, 1e-12; those of others 1e-2 and more. */
static const double SELF_STRESS = 1e-6;
enum { LARGEST = 600 }; /* rows or columns, for a dense null space */

static int is_reaction(const char *name)
{
    return !strncmp(name, "joint.", 6) &&
           (strstr(name, ".force.") || strstr(name, ".torque.") || strstr(name, ".effort"));
}

/* z: columns from `rank` on are self-stresses. */
static vgStatus self_stresses(const vgSystem *sys, vgWork *work, const vgState *s, double **z, int *rank)
{
    const int m = sys->njacobian, n = sys->ops->jacobian(sys, NULL, s->t, s->q, NULL, NULL, NULL);
    *z = NULL;
    if (m > LARGEST || n > LARGEST) return VG_LIMIT;
    const size_t entries = (size_t)m * (size_t)sys->row_entries + 1;
    int *start = calloc((size_t)m + 1, sizeof *start), *col = calloc(entries, sizeof *col);
    double *value = calloc(entries, sizeof *value), *t = calloc((size_t)(m * n) + 1, sizeof *t);
    *z = calloc((size_t)(m * m) + 1, sizeof **z);
    vgStatus st = start && col && value && t && *z ? VG_OK : VG_NO_MEMORY;
    if (st == VG_OK) {
        sys->ops->jacobian(sys, work, s->t, s->q, start, col, value);
        for (int i = 0; i < m; i++)
            for (int k = start[i]; k < start[i + 1]; k++) t[col[k] * m + i] += value[k];
        st = vg_null_space(t, n, m, 0, *z, rank);
    }
    free(start);
    free(col);
    free(value);
    free(t);
    return st;
}

static void mark_changed(vgVerify *x, vgSystem *sys, vgChannels *channels, vgWork *work, vgState *s,
                         const double *z, int rank, double *row)
{
    const int m = sys->njacobian, n = x->nchannel;
    double *now = row + n;
    vg_channels_eval(channels, work, s, row);
    for (int k = rank; k < m; k++) {
        for (int i = 0; i < m; i++) s->lambda[i] += z[i * m + k];
        vg_channels_eval(channels, work, s, now);
        for (int c = 0; c < n; c++)
            if (fabs(now[c] - row[c]) > SELF_STRESS) x->out->channel[c].kind = VG_VERIFY_FREE;
        for (int i = 0; i < m; i++) s->lambda[i] -= z[i * m + k];
    }
}

static vgStatus mark_free(vgVerify *x, vgDiag *diag)
{
    vgSystem *sys = NULL;
    vgState *s = NULL;
    vgWork *work = NULL;
    vgChannels *channels = NULL;
    double *z = NULL, *row = calloc(2 * (size_t)x->nchannel + 1, sizeof *row);
    int rank = 0;
    vgStatus st = row ? vg_system_new(x->model, x->model->planar ? "planar" : "lie", "index3", diag, &sys)
                      : VG_NO_MEMORY;
    if (st == VG_OK) st = vg_assemble(sys, 0, 0, diag, NULL, &s);
    if (st == VG_OK) memset(s->active, 1, (size_t)sys->nphi); /* multipliers are to be seen as they are */
    if (st == VG_OK) st = vg_work_new(sys, &work);
    if (st == VG_OK) {
        vg_work_bind(work, s);
        st = vg_channels_new(sys, x->names, x->nchannel, diag, &channels);
    }
    if (st == VG_OK) st = self_stresses(sys, work, s, &z, &rank);
    if (st == VG_OK) mark_changed(x, sys, channels, work, s, z, rank, row);
    if (st != VG_OK && st != VG_NO_MEMORY) { /* too large to separate them: none is judged */
        for (int c = 0; c < x->nchannel; c++)
            if (is_reaction(x->names[c])) x->out->channel[c].kind = VG_VERIFY_FREE;
        st = VG_OK;
    }
    vg_channels_free(channels);
    vg_work_free(work);
    vg_state_free(s);
    vg_system_free(sys);
    free(z);
    free(row);
    return st;
}

vgStatus vg_verify_mark(vgVerify *x, vgDiag *diag)
{
    vgStatus st = VG_OK;
    int reactions = 0;
    for (int c = 0; c < x->nchannel; c++) reactions |= is_reaction(x->names[c]);
    if (x->redundant > 0 && reactions) st = mark_free(x, diag);
    for (int c = 0; c < x->nchannel; c++)
        if (vg_trial_of_setting(x->names[c])) x->out->channel[c].kind = VG_VERIFY_OWN;
    return st;
}
