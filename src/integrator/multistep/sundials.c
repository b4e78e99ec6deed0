/* SUNDIALS as an independent reference: CVODE (BDF), ARKODE (explicit Runge–Kutta) and IDA (BDF for DAEs) on
 * the accelerations of index 1, in local coordinates about the state each step begins at:
 *     y = (Δ, v),   ẏ = (T⁻¹(Δ) v, accel(t, q ⊕ Δ, v)).
 * With constraints `index2` IDA gets the stabilised equations of Gear, Gupta and Leimkuhler themselves,
 *     y = (Δ, v, λ, μ):   Δ̇ = T⁻¹(Δ) (v − Bᵀμ),  M v̇ + Bᵀλ = f,  Φ = 0,  B v + Φ_t = 0,
 * with λ and μ left out of its error test; nothing is projected then.
 * A step of this program is a whole integration by theirs with rtol and atol, after which (index 1)
 * positions and velocities are projected onto the constraints. Their step sizes and memory are their own. */
#ifdef VERGE_HAVE_SUNDIALS

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrator/multistep/sundials_part.h"
#include "integrator/result.h"
#include "integrator/stage/stage.h"
#include "integrator/step_size.h"

typedef enum Kind { CVODE, ARKODE, IDA } Kind;

typedef struct Sun {
    vgIntegrator *it;
    Kind kind;
    SUNContext context;
    void *memory;
    int ggl; /* IDA on the stabilised index-2 equations */
    N_Vector y, yp, work, id;
    SUNMatrix matrix;
    SUNLinearSolver solver;
    const vgState *base; /* the state the step began at */
    double *q, *lambda, *sum, *phi, *phi_dot;
    double *by_y,
        *by_rate; /* IDA, n × n by columns: ∂F/∂y and, with ggl, ∂F/∂ẏ; in one allocation, NULL: none */
    int have;           /* they are of this step */
    double coefficient; /* α of the last matrix ∂F/∂y + α ∂F/∂ẏ that was asked for */
    vgStatus status;    /* of the last acceleration asked for */
    int stopped;        /* 1: this step was asked to end */
    vgPace pace;        /* of its own steps in this one, which goes to `to` */
    double to, rest;    /* rest: evaluations that remain at that pace, where they are too many */
    long evaluations;   /* since the last step of ours that it finished */
} Sun;

/* Most internal steps within one step of the run; a method that takes more makes no progress. */
enum { MOST_STEPS = 100000 };
/* Evaluations that may remain within one of our steps, per unknown (a Jacobian takes one of each): more mean
 * that its step fell to nothing. */
static const double MOST_EVALUATIONS = 1e7;
/* Evaluations within one of our steps, its tries included: a million are seconds of processor time, a thousand times
 * what a step of output takes. At half of it nothing of the shipped models changes; at a hundred times a step that
 * never ends takes minutes to be named. */
enum { MOST_WORK = 1000000 };

static void free_own(void *own)
{
    Sun *w = own;
    if (w->memory && w->kind == CVODE) CVodeFree(&w->memory);
    if (w->memory && w->kind == ARKODE) ERKStepFree(&w->memory);
    if (w->memory && w->kind == IDA) IDAFree(&w->memory);
    if (w->solver) SUNLinSolFree(w->solver);
    if (w->matrix) SUNMatDestroy(w->matrix);
    if (w->y) N_VDestroy(w->y);
    if (w->yp) N_VDestroy(w->yp);
    if (w->work) N_VDestroy(w->work);
    if (w->id) N_VDestroy(w->id);
    if (w->context) SUNContext_Free(&w->context);
    free(w->q);
    free(w->by_y);
    free(w);
}

/* Asked at every evaluation, which is at t. */
static int stop_asked(Sun *w, double t)
{
    if (w->it->stop && w->it->stop(w->it->stop_user)) w->stopped = 1;
    w->rest = fmax(w->rest, vg_pace(&w->pace, t, w->to, MOST_EVALUATIONS * (double)N_VGetLength(w->y)));
    return w->stopped || w->rest > 0 || ++w->evaluations > MOST_WORK;
}

/* ẏ; a failed acceleration asks for a smaller step. */
static int rates(realtype t, N_Vector y, N_Vector out, void *user)
{
    Sun *w = user;
    const vgSystem *sys = w->it->sys;
    double *delta = N_VGetArrayPointer(y), *v = delta + sys->nv, *d = N_VGetArrayPointer(out);
    if (stop_asked(w, t)) return -1;
    sys->ops->retract(sys, w->base->q, delta, w->q);
    sys->ops->rates(sys, delta, w->q, v, d);
    w->status = sys->ops->accel(sys, w->it->work, t, w->q, v, d + sys->nv, w->lambda);
    w->it->stats.accels++;
    return w->status == VG_OK ? 0 : 1;
}

static int residual(realtype t, N_Vector y, N_Vector yp, N_Vector out, void *user)
{
    int code = rates(t, y, out, user);
    N_VLinearSum(1, yp, -1, out, out);
    return code;
}

/* The stabilised equations; rows that repeat others have no multipliers, rows on velocities alone no μ. */
static int stabilised(realtype t, N_Vector y, N_Vector yp, N_Vector out, void *user)
{
    Sun *w = user;
    const vgSystem *sys = w->it->sys;
    int nv = sys->nv, nl = sys->nl;
    const double *delta = N_VGetArrayPointer(y), *v = delta + nv, *lambda = v + nv, *mu = lambda + nl,
                 *delta_dot = N_VGetArrayPointer(yp), *a = delta_dot + nv;
    double *f = N_VGetArrayPointer(out), *motion = f + nv, *place = motion + nv, *speed = place + nl;
    if (stop_asked(w, t)) return -1;
    sys->ops->retract(sys, w->base->q, delta, w->q);
    for (int i = 0; i < nl; i++) w->lambda[i] = lambda[i] + mu[i];
    sys->ops->residual(sys, w->it->work, t, w->q, v, a, w->lambda, w->sum, NULL);
    sys->ops->residual(sys, w->it->work, t, w->q, v, a, lambda, motion, w->phi);
    sys->ops->levels(sys, w->it->work, t, w->q, v, NULL, NULL, w->phi_dot, NULL);
    w->it->stats.residuals += 2;
    for (int i = 0; i < nv; i++) w->sum[i] = v[i] - (w->sum[i] - motion[i]);
    sys->ops->rates(sys, delta, w->q, w->sum, f);
    for (int i = 0; i < nv; i++) f[i] -= delta_dot[i];
    for (int i = 0; i < nl; i++) {
        int active = vg_row_counts(w->it->work, i), position = sys->row_level[i] == 0;
        place[i] = !active ? lambda[i] : position ? w->phi[i] : mu[i];
        speed[i] = !active ? mu[i] : position ? w->phi_dot[i] : w->phi[i];
    }
    return 0;
}

/* The columns ∂F/∂x_j of F(t, y, ẏ) by forward differences; x is y or ẏ. F is linear in ẏ and in the multipliers: there
 * the increment does not matter. */
static int columns(Sun *w, double t, N_Vector x, N_Vector y, N_Vector yp, N_Vector r, N_Vector out, long n,
                   double *into)
{
    const vgSystem *sys = w->it->sys;
    double *at = N_VGetArrayPointer(x), *f = N_VGetArrayPointer(out), *f0 = N_VGetArrayPointer(r);
    for (long j = 0; j < n; j++) {
        double kept = at[j], size = j < 2 * sys->nv ? sys->v_scale[j % sys->nv] : 1;
        at[j] += sqrt(DBL_EPSILON) * fmax(fabs(kept), size);
        double step = at[j] - kept;
        int code = (w->ggl ? stabilised : residual)(t, y, yp, out, w);
        at[j] = kept;
        if (code != 0) return code;
        for (long i = 0; i < N_VGetLength(out); i++) into[j * N_VGetLength(out) + i] = (f[i] - f0[i]) / step;
    }
    return 0;
}

/* IDA's matrix ∂F/∂y + α ∂F/∂ẏ. IDA begins each step of the run with short steps of order 1, and each change of their size
 * needs another α. While they grow, α falls and the present derivatives are reused. If α does not fall, the iteration did
 * not converge or an error grew, and the derivatives are evaluated again. */
static int matrix_of(realtype t, realtype alpha, N_Vector y, N_Vector yp, N_Vector r, SUNMatrix matrix,
                     void *user, N_Vector tmp, N_Vector unused, N_Vector unused2)
{
    Sun *w = user;
    long n = N_VGetLength(y), nrate = w->ggl ? 2 * (long)w->it->sys->nv : 0;
    (void)unused, (void)unused2;
    if (!w->have || fabs(alpha) >= fabs(w->coefficient)) {
        int code = columns(w, t, y, y, yp, r, tmp, n, w->by_y);
        if (code == 0) code = columns(w, t, yp, y, yp, r, tmp, nrate, w->by_rate);
        if (code != 0) return code;
        w->have = 1;
    }
    w->coefficient = alpha;
    for (long j = 0; j < n; j++) {
        double *column = SM_COLUMN_D(matrix, j);
        for (long i = 0; i < n; i++)
            column[i] = w->by_y[j * n + i] + (j < nrate ? alpha * w->by_rate[j * n + i] : 0);
        if (!w->ggl) column[j] += alpha;
    }
    return 0;
}

static void quiet(int code, const char *module, const char *function, char *text, void *user)
{
    (void)code, (void)module, (void)function, (void)text, (void)user;
}

static int make_cvode(Sun *w)
{
    w->memory = CVodeCreate(CV_BDF, w->context);
    return w->memory && CVodeInit(w->memory, rates, 0, w->y) == 0 &&
           CVodeSStolerances(w->memory, w->it->rtol, w->it->atol) == 0 &&
           CVodeSetUserData(w->memory, w) == 0 && CVodeSetErrHandlerFn(w->memory, quiet, NULL) == 0 &&
           CVodeSetMaxNumSteps(w->memory, MOST_STEPS) == 0 &&
           CVodeSetLinearSolver(w->memory, w->solver, w->matrix) == 0;
}

static int make_arkode(Sun *w)
{
    w->memory = ERKStepCreate(rates, 0, w->y, w->context);
    return w->memory && ERKStepSStolerances(w->memory, w->it->rtol, w->it->atol) == 0 &&
           ERKStepSetUserData(w->memory, w) == 0 && ERKStepSetErrHandlerFn(w->memory, quiet, NULL) == 0 &&
           ERKStepSetMaxNumSteps(w->memory, MOST_STEPS) == 0 && ERKStepSetOrder(w->memory, 5) == 0;
}

/* Multipliers follow from the motion divided by the step: their Newton error must not count, which an absolute tolerance
 * of this many newtons makes sure of. */
static const double ANY_MULTIPLIER = 1e3;

static int make_ida(Sun *w)
{
    double *atol = N_VGetArrayPointer(w->work), *id = N_VGetArrayPointer(w->id);
    for (long i = 0; i < N_VGetLength(w->work); i++) atol[i] = id[i] > 0 ? w->it->atol : ANY_MULTIPLIER;
    w->memory = IDACreate(w->context);
    return w->memory && IDAInit(w->memory, w->ggl ? stabilised : residual, 0, w->y, w->yp) == 0 &&
           (!w->ggl || (IDASetId(w->memory, w->id) == 0 && IDASetSuppressAlg(w->memory, 1) == 0)) &&
           IDASVtolerances(w->memory, w->it->rtol, w->work) == 0 && IDASetUserData(w->memory, w) == 0 &&
           IDASetErrHandlerFn(w->memory, quiet, NULL) == 0 && IDASetMaxNumSteps(w->memory, MOST_STEPS) == 0 &&
           IDASetLinearSolver(w->memory, w->solver, w->matrix) == 0 && IDASetJacFn(w->memory, matrix_of) == 0;
}

static vgStatus setup(vgIntegrator *it)
{
    const char *missing = sundials_missing();
    if (missing) {
        vg_fail(it, VG_UNSUPPORTED, 0, "%s: %s; install SUNDIALS or choose another integrator", it->row->name,
                missing);
        return VG_UNSUPPORTED;
    }
    Sun *w = calloc(1, sizeof *w);
    if (!w) return VG_NO_MEMORY;
    it->own = w;
    it->free_own = free_own;
    it->nhistory = 0;
    w->it = it;
    w->kind = *(const Kind *)it->row->data;
    w->ggl = w->kind == IDA && it->sys->is.rows == VG_AT_BOTH && it->sys->nl > 0;
    long n = 2 * it->sys->nv + (w->ggl ? 2 * it->sys->nl : 0);
    w->q = calloc((size_t)(it->sys->nq + 3 * it->sys->nl + it->sys->nv) + 5, sizeof *w->q);
    if (w->kind == IDA) {
        size_t rates = w->ggl ? 2 * (size_t)it->sys->nv : 0;
        w->by_y = malloc(((size_t)n + rates) * (size_t)n * sizeof *w->by_y + 1);
        if (!w->by_y) return VG_NO_MEMORY;
        w->by_rate = w->by_y + n * n;
    }
    if (!w->q || SUNContext_Create(NULL, &w->context) != 0) return VG_NO_MEMORY;
    w->lambda = w->q + it->sys->nq + 1;
    w->phi = w->lambda + it->sys->nl + 1;
    w->phi_dot = w->phi + it->sys->nl + 1;
    w->sum = w->phi_dot + it->sys->nl + 1;
    w->y = N_VNew_Serial(n, w->context);
    w->yp = N_VNew_Serial(n, w->context);
    w->work = N_VNew_Serial(n, w->context);
    w->id = N_VNew_Serial(n, w->context);
    w->matrix = SUNDenseMatrix(n, n, w->context);
    if (!w->y || !w->yp || !w->work || !w->id || !w->matrix) return VG_NO_MEMORY;
    w->solver = SUNLinSol_Dense(w->y, w->matrix, w->context);
    if (!w->solver) return VG_NO_MEMORY;
    N_VConst(0, w->y);
    N_VConst(0, w->yp);
    N_VConst(1, w->id);
    for (long i = 2 * it->sys->nv; i < n; i++) N_VGetArrayPointer(w->id)[i] = 0;
    int ok = w->kind == CVODE ? make_cvode(w) : w->kind == ARKODE ? make_arkode(w) : make_ida(w);
    return ok ? VG_OK : VG_NO_MEMORY;
}

static vgStatus start(vgIntegrator *it, vgState *s)
{
    ((Sun *)it->own)->evaluations = 0;
    vgStatus st = it->sys->ops->accel(it->sys, it->work, s->t, s->q, s->v, s->a, s->lambda);
    if (st != VG_OK)
        vg_fail_equation(it, st, s->t, it->work->bad_row, "the accelerations cannot be solved for");
    return st;
}

static int integrate(Sun *w, double t, double to)
{
    realtype reached;
    switch (w->kind) {
    case CVODE:
        if (CVodeReInit(w->memory, t, w->y) || CVodeSetStopTime(w->memory, to)) return -1;
        return CVode(w->memory, to, w->y, &reached, CV_NORMAL);
    case ARKODE:
        if (ERKStepReInit(w->memory, rates, t, w->y) || ERKStepSetStopTime(w->memory, to)) return -1;
        return ERKStepEvolve(w->memory, to, w->y, &reached, ARK_NORMAL);
    default:
        if (!w->ggl && rates(t, w->y, w->yp, w)) return -1;
        if (IDAReInit(w->memory, t, w->y, w->yp) || IDASetStopTime(w->memory, to)) return -1;
        return IDASolve(w->memory, to, &reached, w->y, w->yp, IDA_NORMAL);
    }
}

/* Codes from −1 to −4 mean the same in all three. */
static vgStatus tell_failure(vgIntegrator *it, double t, double to, int code)
{
    static const char *const why[] = {"it has taken 100,000 steps of its own", "it cannot be so accurate",
                                      "its error test failed again and again",
                                      "its iteration did not converge"};
    const Sun *w = it->own;
    if (w->stopped) {
        vg_fail(it, VG_INTERRUPTED, t, "interrupted between t = %.9g s and %.9g s", t, to);
        return VG_INTERRUPTED;
    }
    if (w->evaluations > MOST_WORK) {
        vg_fail(it, VG_STEP_TOO_SMALL, t,
                "%s has evaluated the equations a million times between t = %.9g s and %.9g s and is not "
                "there yet. Try larger rtol and atol, a smaller step, or a stiff method of the program "
                "(generalized-alpha)",
                it->row->name, t, to);
        return VG_STEP_TOO_SMALL;
    }
    if (w->rest > 0) {
        vg_fail(it, VG_STEP_TOO_SMALL, t,
                "the steps of %s fell to nothing between t = %.9g s and %.9g s, which would take %.1g more "
                "evaluations. Try larger rtol and atol, or a stiff method of the program (generalized-alpha)",
                it->row->name, t, to, w->rest);
        return VG_STEP_TOO_SMALL;
    }
    vg_fail(it, VG_NOT_CONVERGED, t, "%s gave up between t = %.9g s and %.9g s: %s (its code %d)",
            it->row->name, t, to, code >= -4 ? why[-1 - code] : "it could not evaluate the equations", code);
    return VG_NOT_CONVERGED;
}

static vgStatus step(vgIntegrator *it, vgState *s, double h, vgStep *x)
{
    (void)x; /* no error estimate */
    Sun *w = it->own;
    const vgSystem *sys = it->sys;
    double *delta = N_VGetArrayPointer(w->y), *v = delta + sys->nv, t = s->t + h;
    w->base = s;
    w->stopped = 0;
    w->pace = (vgPace){0};
    w->rest = 0;
    w->have = 0;
    w->to = t;
    memset(delta, 0, (size_t)sys->nv * sizeof(double));
    memcpy(v, s->v, (size_t)sys->nv * sizeof(double));
    double *rate = N_VGetArrayPointer(w->yp);
    if (w->ggl) { /* the state is consistent: Δ̇ = v, v̇ = a, μ = 0 */
        memset(v + sys->nv, 0, 2 * (size_t)sys->nl * sizeof(double));
        memcpy(v + sys->nv, s->lambda, (size_t)sys->nl * sizeof(double));
        N_VConst(0, w->yp);
        memcpy(rate, s->v, (size_t)sys->nv * sizeof(double));
        memcpy(rate + sys->nv, s->a, (size_t)sys->nv * sizeof(double));
    }
    int code = integrate(w, s->t, t);
    if (code < 0) return tell_failure(it, s->t, t, code);
    w->evaluations = 0;
    sys->ops->retract(sys, s->q, delta, w->q);
    vgStatus st = w->ggl ? VG_OK : vg_system_project(sys, it->work, t, w->q, v);
    double *a = N_VGetArrayPointer(w->work);
    if (st == VG_OK) st = sys->ops->accel(sys, it->work, t, w->q, v, a, w->lambda);
    if (st != VG_OK) {
        vg_fail_equation(it, st, t, it->work->bad_row, "the projection onto the constraints failed");
        return st;
    }
    vg_accept(sys, t, w->q, v, a, w->lambda, s);
    return VG_OK;
}

/* All take accelerations as explicit methods do, also those that are implicit within. */
#define SUN_ROW(id, name_, title_, cite, order_, flags_, constraints_, kind_)                                \
    static const Kind id##_kind = kind_;                                                                     \
    const vgIntegratorRow vg_##id = {.name = name_,                                                          \
                                     .family = "SUNDIALS",                                                   \
                                     .title = title_,                                                        \
                                     .citation = cite,                                                       \
                                     .order = order_,                                                        \
                                     .stages = 1,                                                            \
                                     .flags = VG_INT_EXPLICIT | VG_INT_OWN_STEPS | (flags_),                 \
                                     .constraints = VG_CON_ACCEL | (constraints_),                           \
                                     .data = &id##_kind,                                                     \
                                     .setup = setup,                                                         \
                                     .start = start,                                                         \
                                     .step = step}

SUN_ROW(cvode, "cvode", "SUNDIALS CVODE, backward differences to rtol, atol within each step",
        "Hindmarsh et al. 2005", 5, VG_INT_IMPLICIT, 0, CVODE);
SUN_ROW(arkode, "arkode", "SUNDIALS ARKODE, explicit Runge–Kutta of order 5 to rtol, atol within each step",
        "Reynolds et al. 2023", 5, 0, 0, ARKODE);
SUN_ROW(ida, "ida", "SUNDIALS IDA, backward differences for DAEs to rtol, atol within each step",
        "Hindmarsh et al. 2005", 5, VG_INT_IMPLICIT | VG_INT_SPLITS, VG_CON_INDEX2, IDA);

#endif
