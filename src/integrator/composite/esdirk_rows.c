/* The rows of the ESDIRK family; their step is esdirk.c, their tableaux esdirk_tables.c. */
#include <math.h>
#include <string.h>

#include "integrator/composite/esdirk.h"
#include "integrator/fours.h"
#include "integrator/multistep/lms.h"
#include "integrator/own.h"
#include "integrator/passes.h"
#include "integrator/tuning.h"

/* Weights at c_i of the polynomials through values at c_0 … c_{i−1}, and Π (c_i − c_m). */
static void tabulate(vgDirkTableau *tb)
{
    for (int i = 1; i < tb->stages; i++) {
        tb->beyond[i] = 1;
        tb->apart[i] = 1;
        for (int k = 0; k < i; k++) {
            double up = 1, down = 1;
            for (int m = 0; m < i; m++) {
                if (m == k) continue;
                if (fabs(tb->c[k] - tb->c[m]) < VG_NODES_APART) tb->apart[i] = 0;
                up *= tb->c[i] - tb->c[m];
                down *= tb->c[k] - tb->c[m];
            }
            tb->through[i][k] = up / down;
            tb->beyond[i] *= tb->c[i] - tb->c[k];
        }
    }
}

/* The error of y' = y is (1/(p+1)! − bᵀA^p 1) h^{p+1}, b the last row of A. */
static void find_constant(vgDirkTableau *tb, int order)
{
    double x[VG_DIRK_MAX], y[VG_DIRK_MAX], factorial = 1;
    int n = tb->stages;
    for (int i = 0; i < n; i++) x[i] = 1;
    for (int k = 1; k <= order + 1; k++) {
        factorial *= k;
        for (int i = 0; i < n; i++) {
            y[i] = 0;
            for (int j = 0; j <= i; j++) y[i] += tb->a[i][j] * x[j];
        }
        memcpy(x, y, sizeof x);
    }
    tb->order = order;
    tb->constant = fabs(1 / factorial - x[n - 1]);
}

typedef struct Own {
    vgArena arena;
    vgStage stage;
    vgDirk dirk;
    vgDirkTableau method, within; /* the row's own; one with all stages within the step */
    double reach;                 /* the farthest stage of the method */
} Own;

typedef struct Method {
    vgDirkBuild *build;
    int rho; /* index of the parameter ρ∞, −1 none */
} Method;

static void place(void *own, const vgIntegrator *it, vgArena *a)
{
    Own *w = own;
    vg_stage_place(&w->stage, it->sys, a);
    vg_dirk_place(&w->dirk, it->sys, a);
}

static vgStatus setup(vgIntegrator *it)
{
    const Method *m = it->row->data;
    vgStatus st = vg_own_new(it, sizeof(Own), place);
    if (st != VG_OK) return st;
    Own *w = it->own;
    w->dirk.stage = &w->stage;
    m->build(m->rho >= 0 ? it->param[m->rho] : 0, &w->method);
    vg_dirk_within(0, &w->within);
    w->within.estimate = w->method.estimate;
    tabulate(&w->method);
    tabulate(&w->within);
    find_constant(&w->method, it->row->order);
    find_constant(&w->within, 4);
    w->dirk.tb = w->method;
    for (int i = 0; i < w->method.stages; i++) w->reach = fmax(w->reach, w->method.c[i]);
    for (int i = 1; i < w->method.stages - 1; i++) it->node[it->nnode++] = w->method.c[i];
    for (int i = 2; i < w->method.stages; i++)
        if (fabs(w->method.a[i][i] - w->method.a[1][1]) > VG_DIAGONAL_SAME)
            it->changes = "has stages with matrices of their own";
    w->dirk.predictor = (int)it->param[0];
    w->dirk.printed = it->param[it->row->nparam - 1] > 0;
    w->dirk.by_all = w->method.estimate && w->dirk.predictor >= 4;
    vg_newton_for_control(it);
    /* v of the previous state; a in all stages but the last of the step from there (a row each); the time since
     * then (0: unknown); the best guess of each stage, and how it converged */
    it->nhistory = VG_DIRK_MAX * w->dirk.row + 1 + (1 + VG_STAGE_LEARNED) * VG_DIRK_MAX;
    return VG_OK;
}

static vgStatus start(vgIntegrator *it, vgState *s)
{
    const Own *w = it->own;
    vg_stage_reset(it);
    memset(s->history + VG_DIRK_MAX * w->dirk.row, 0,
           (1 + (1 + VG_STAGE_LEARNED) * VG_DIRK_MAX) * sizeof(double));
    return VG_OK;
}

/* For the next step: v that this one began with and a of its stages; that of the first is enough where
 * nothing is guessed by the others. */
VG_PASS static void keep(const vgDirk *w, int stages, const vgSystem *sys, double *past)
{
    size_t row = (size_t)w->row;
    int n = vg_dirk_at_positions(sys) && w->predictor > 0 ? stages - 1 : 1;
    const double *v = w->k;
#define KEEP(N, i)                                                                                           \
    do {                                                                                                     \
        const double *a = v + row + (i);                                                                     \
        double *out = past + (i);                                                                            \
        PUT(N, out, GET(N, v + (i)));                                                                        \
        for (int j = 0; j < n; j++, a += 2 * row) PUT(N, out += row, GET(N, a));                             \
    } while (0)
    VG_WHOLE_FOURS(w->row, KEEP);
}

/* Where a stage would look behind a corner of a law of time, a method of order 4 with its stages within the
 * step takes its place: one such step leaves an error O(h⁵), as much as the whole run at order 5. */
static vgStatus step(vgIntegrator *it, vgState *s, double h, vgStep *x)
{
    Own *w = it->own;
    int beyond = w->reach > 1 && s->t + w->reach * h > x->corner;
    if (VG_RARE(beyond)) w->dirk.tb = w->within;
    double *past = s->history, *h_past = past + VG_DIRK_MAX * w->dirk.row, t = s->t;
    w->dirk.better = h_past + 1;
    w->dirk.learned = w->dirk.better + VG_DIRK_MAX;
    vgStatus status = vg_dirk_step(it, &w->dirk, s, h, *h_past > 0 ? past : NULL, *h_past, x);
    int stages = w->dirk.tb.stages;
    if (VG_RARE(beyond)) w->dirk.tb = w->method;
    if (VG_RARE(status != VG_OK || s->t == t)) return status;
    keep(&w->dirk, stages, it->sys, past);
    *h_past = h;
    return VG_OK;
}

#define PREDICTOR(order)                                                                                     \
    {                                                                                                        \
        "predictor", order, 0, 4, "first guess of a stage: 0 constant, 2 second order, 4 fourth in the last" \
    }
#define RHO(fallback)                                                                                        \
    {                                                                                                        \
        "rho", fallback, 0, 1, "spectral radius at infinity ρ∞"                                           \
    }
#define PREDICTOR_BY_ALL                                                                                     \
    {                                                                                                        \
        "predictor", 4, 0, 4, "first guess of a stage: 0 constant, 2 second order, 4 by all stages before"   \
    }
#define GUESS                                                                                                \
    {                                                                                                        \
        "guess", 0, 0, 1,                                                                                    \
            "which first guess: 0 best (with constraints on positions the one of three that was nearest in " \
            "the last step: extrapolated, the last acceleration, what the last step did), 1 printed ([Z] "   \
            "(12)–(17): rates constant, second order, in the last stage up to `predictor`)"                \
    }
static const vgParamSpec second_order[] = {PREDICTOR(2), RHO(0.6), GUESS};
/* order 3 and more are smoothest with the strongest damping ([Z] section 4) */
static const vgParamSpec third_order[] = {PREDICTOR(2), RHO(0), GUESS};
static const vgParamSpec higher_order[] = {PREDICTOR(4), RHO(0), GUESS};
static const vgParamSpec embedded_3[] = {PREDICTOR(2), GUESS};
static const vgParamSpec fourth_order[] = {PREDICTOR_BY_ALL, GUESS};

#define TUNABLE(id, name_, title_, cite, order_, stages_, family_, params_, build_)                          \
    static const Method id##_method = {build_, 1};                                                           \
    const vgIntegratorRow vg_##id = {.name = name_,                                                          \
                                     .family = family_,                                                      \
                                     .title = title_,                                                        \
                                     .citation = cite,                                                       \
                                     .order = order_,                                                        \
                                     .stages = stages_,                                                      \
                                     .flags = VG_INT_IMPLICIT | VG_INT_ASTABLE | VG_INT_ESTIMATE |           \
                                              VG_INT_DOUBLING,                                               \
                                     .constraints = VG_CON_STAGE,                                            \
                                     .params = params_,                                                      \
                                     .nparam = 3,                                                            \
                                     .data = &id##_method,                                                   \
                                     .setup = setup,                                                         \
                                     .start = start,                                                         \
                                     .step = step}
#define EMBEDDED(id, name_, title_, cite, order_, stages_, params_, build_)                                  \
    static const Method id##_method = {build_, -1};                                                          \
    const vgIntegratorRow vg_##id = {.name = name_,                                                          \
                                     .family = "ESDIRK",                                                     \
                                     .title = title_,                                                        \
                                     .citation = cite,                                                       \
                                     .order = order_,                                                        \
                                     .stages = stages_,                                                      \
                                     .flags = VG_INT_IMPLICIT | VG_INT_ASTABLE | VG_INT_LSTABLE |            \
                                              VG_INT_ESTIMATE,                                               \
                                     .constraints = VG_CON_STAGE,                                            \
                                     .params = params_,                                                      \
                                     .nparam = 2,                                                            \
                                     .data = &id##_method,                                                   \
                                     .setup = setup,                                                         \
                                     .start = start,                                                         \
                                     .step = step}

TUNABLE(bathe, "bathe", "ρ∞-Bathe: trapezoidal sub-step and three-point formula", "Noh, Bathe 2019; [Z] (7)",
        2, 2, "composite", second_order, vg_dirk_bathe);
TUNABLE(hope, "hope", "HOPE: a pair of equal sub-steps, each half of the step",
        "Bank et al. 1985 and Bathe 2007 for ρ∞ = 0", 2, 2, "composite", second_order, vg_dirk_hope);
TUNABLE(msstc3, "msstc3", "MSSTC(3): three sub-steps, closed form for any ρ∞", "Zhang et al. 2020; [Z]", 2, 3,
        "composite", second_order, vg_dirk_msstc3);
TUNABLE(msstc4, "msstc4", "MSSTC(4): four sub-steps, closed form for any ρ∞", "Zhang et al. 2020; [Z]", 2, 4,
        "composite", second_order, vg_dirk_msstc4);
TUNABLE(msstc5, "msstc5", "MSSTC(5): five sub-steps, closed form for any ρ∞", "Zhang et al. 2020; [Z]", 2, 5,
        "composite", second_order, vg_dirk_msstc5);
TUNABLE(mssth3, "mssth3", "MSSTH(3): order 3 with ρ∞", "[Z] appendix (33)", 3, 3, "composite", third_order,
        vg_dirk_mssth3);
TUNABLE(mssth4, "mssth4", "MSSTH(4): order 4 with ρ∞", "[Z] appendix (34)", 4, 4, "composite", higher_order,
        vg_dirk_mssth4);
TUNABLE(mssth5, "mssth5", "MSSTH(5): order 5 with ρ∞", "[Z] appendix (35)", 5, 5, "composite", higher_order,
        vg_dirk_mssth5);
EMBEDDED(esdirk324, "esdirk324", "ESDIRK3(2)4L[2]SA", "Kennedy, Carpenter 2016; [Z]", 3, 3, embedded_3,
         vg_dirk_324);
EMBEDDED(esdirk325, "esdirk325", "ESDIRK3(2)5L[2]SA", "Kennedy, Carpenter 2019; [Z]", 3, 4, embedded_3,
         vg_dirk_325);
EMBEDDED(esdirk436, "esdirk436", "ESDIRK4(3)6L[2]SA", "Kennedy, Carpenter 2016", 4, 5, fourth_order,
         vg_dirk_436);
EMBEDDED(esdirk436_2, "esdirk436-2", "ESDIRK4(3)6L[2]SA₂", "Kennedy, Carpenter 2019; [Z]", 4, 5, fourth_order,
         vg_dirk_436_2);
