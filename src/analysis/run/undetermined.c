#include "analysis/run/undetermined.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "element/prim/load.h"
#include "linalg/qr.h"

/* Rows up to which states of self-stress are computed: the decomposition takes n³ operations, a second at 600. Beyond,
 * every load on a joint counts as undetermined if any row is redundant. */
enum { MOST_ROWS = 400 };

/* Singular values that count as zero, relative to the largest: as for the rank of the Jacobian. */
static const double RANK = 1e-9;

/* A load of self-stress below this part of what the same wrench could give is rounding: the rank leaves RANK. At 1e-9
 * hinges of a planar loop in space are found to rub by rounding; at 1e-4 axes that differ by as much pass. */
static const double ROUNDING = 1e-6;

typedef struct Stress {
    int n, m, most;   /* rows; columns of the Jacobian; the larger of the two, or 1 */
    double *jacobian; /* n × m by rows */
    double *at;       /* m × n: the rows that count as columns, by rows */
    double *s, *c, *b, *room;
    int *pivot, *start, *col;
    double *value;
} Stress;

static void stress_free(Stress *x)
{
    free(x->jacobian), free(x->at), free(x->s), free(x->c), free(x->b), free(x->room);
    free(x->pivot), free(x->start), free(x->col), free(x->value);
}

static vgStatus stress_new(const vgSystem *sys, vgWork *work, const vgState *state, Stress *x)
{
    size_t n = (size_t)sys->njacobian, entries = n * (size_t)sys->row_entries + 1;
    *x = (Stress){.n = sys->njacobian};
    x->m = sys->ops->jacobian(sys, work, state->t, state->q, NULL, NULL, NULL);
    size_t m = (size_t)x->m;
    x->most = x->n > x->m ? x->n : x->m;
    x->jacobian = calloc(n * m + 1, sizeof(double));
    x->at = calloc(n * m + 1, sizeof(double));
    x->s = calloc(n + 1, sizeof(double));
    x->c = calloc(n + 1, sizeof(double));
    x->b = calloc((size_t)x->most + 1, sizeof(double));
    x->room = calloc(vg_least_squares_room(x->m, x->n) + 1, sizeof(double));
    x->pivot = calloc((size_t)x->most + 1, sizeof(int));
    x->start = calloc(n + 1, sizeof(int));
    x->col = calloc(entries, sizeof(int));
    x->value = calloc(entries, sizeof(double));
    if (!x->jacobian || !x->at || !x->s || !x->c || !x->b || !x->room || !x->pivot || !x->start || !x->col ||
        !x->value)
        return VG_NO_MEMORY;
    sys->ops->jacobian(sys, work, state->t, state->q, x->start, x->col, x->value);
    for (int r = 0; r < x->n; r++)
        for (int k = x->start[r]; k < x->start[r + 1]; k++)
            x->jacobian[(size_t)r * m + (size_t)x->col[k]] += x->value[k];
    return VG_OK;
}

/* The state of self-stress of a redundant row: s_row = −1, and what of the rows that count makes up for it. */
static vgStatus stress_of(Stress *x, const unsigned char *active, int row)
{
    int n = 0, rank;
    for (int r = 0; r < x->n; r++) n += active[r] != 0;
    if (n == 0) return VG_UNSUPPORTED;
    for (int r = 0, k = 0; r < x->n; r++) {
        if (!active[r]) continue;
        for (int i = 0; i < x->m; i++) x->at[(size_t)i * (size_t)n + (size_t)k] = x->jacobian[r * x->m + i];
        k++;
    }
    memcpy(x->b, x->jacobian + (size_t)row * (size_t)x->m, (size_t)x->m * sizeof(double));
    vgStatus st = vg_least_squares(x->at, x->m, n, x->b, RANK, x->c, &rank, x->pivot, x->room);
    memset(x->s, 0, (size_t)x->n * sizeof(double));
    for (int r = 0, k = 0; st == VG_OK && r < x->n; r++)
        if (active[r]) x->s[r] = x->c[k++];
    x->s[row] = -1;
    return st;
}

/* Marks the joints whose loads the self-stress s changes. */
static void mark(const vgSystem *sys, vgWork *work, const vgState *state, const double *s,
                 unsigned char *marked)
{
    const vgModel *m = sys->model;
    const vgKin *kin = sys->ops->kinematics(sys, work, state->t, state->q, state->v, state->a);
    double most = 0, wrench[6] = {0};
    for (int j = 0; j < m->njoint; j++) {
        if (m->joint[j].nrow == 0) continue;
        sys->ops->reaction(sys, work, state->t, s, j, wrench);
        for (int i = 0; i < 6; i++) most = fmax(most, fabs(wrench[i]));
    }
    for (int k = 0; k < m->nload; k++) {
        /* one that has a part along and across any axis */
        const double all[6] = {most, -0.6 * most, 0.4 * most, 0.7 * most, -most, 0.5 * most};
        vgVec3 axis = vg_model_load_axis(m, &m->load[k], kin);
        sys->ops->reaction(sys, work, state->t, s, m->load[k].joint, wrench);
        double size = fabs(vg_load_value(&m->load[k], axis, all, NULL));
        if (fabs(vg_load_value(&m->load[k], axis, wrench, NULL)) > ROUNDING * size)
            marked[m->load[k].joint] = 1;
    }
}

vgStatus vg_warn_of_undetermined(const vgSystem *sys, vgWork *work, const vgState *state, vgDiag *diag)
{
    const vgModel *m = sys->model;
    int redundant = 0;
    if (m->nload == 0 || sys->njacobian == 0 || sys->njacobian > sys->nphi) return VG_OK;
    for (int r = 0; r < sys->njacobian; r++) redundant += !state->active[r];
    if (redundant == 0) return VG_OK;
    Stress x = {0};
    unsigned char *marked = calloc((size_t)m->njoint + 1, 1);
    vgStatus st = marked ? VG_OK : VG_NO_MEMORY;
    if (st == VG_OK && sys->njacobian <= MOST_ROWS) {
        st = stress_new(sys, work, state, &x);
        for (int r = 0; st == VG_OK && r < sys->njacobian; r++) {
            if (state->active[r]) continue;
            st = stress_of(&x, state->active, r);
            if (st == VG_OK) mark(sys, work, state, x.s, marked);
        }
    }
    /* not computed: nothing is known of any */
    for (int k = 0; st == VG_OK && sys->njacobian > MOST_ROWS && k < m->nload; k++)
        marked[m->load[k].joint] = 1;
    for (int j = 0; st == VG_OK && j < m->njoint; j++)
        if (marked[j])
            vg_diag_warn(
                diag, m->joint[j].loc,
                "a force reads the reaction of joint '%s', which redundant constraints leave undetermined: "
                "the force is that of one choice among many, and the motion depends on it. Replace a joint "
                "of its loop by one with more freedom (a hinge by a ball, a joint by a bushing)",
                m->joint[j].name);
    stress_free(&x);
    free(marked);
    return st;
}
