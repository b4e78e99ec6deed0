/* SUNDIALS as an independent reference: CVODE (BDF), ARKODE (explicit Runge–Kutta) and IDA (BDF for DAEs) on
 * the accelerations of index 1, in local coordinates about the state each step begins at:
 *     y = (Δ, v),   ẏ = (T⁻¹(Δ) v, accel(t, q ⊕ Δ, v)).
 * A step of this program is a whole integration by theirs with rtol and atol, after which positions and
 * velocities are projected onto the constraints. Their step sizes and memory are their own. */
#ifdef VERGE_HAVE_SUNDIALS

#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "integrator/stage.h"

typedef enum Kind { CVODE, ARKODE, IDA } Kind;

typedef struct Sun {
    vgIntegrator *it;
    Kind kind;
    SUNContext context;
    void *memory;
    N_Vector y, yp, work;
    SUNMatrix matrix;
    SUNLinearSolver solver;
    const vgState *base; /* the state the step began at */
    double *q, *lambda;
    vgStatus status; /* of the last acceleration asked for */
} Sun;

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
    if (w->context) SUNContext_Free(&w->context);
    free(w->q);
    free(w);
}

/* ẏ; a failed acceleration asks for a smaller step. */
static int rates(realtype t, N_Vector y, N_Vector out, void *user)
{
    Sun *w = user;
    const vgSystem *sys = w->it->sys;
    double *delta = N_VGetArrayPointer(y), *v = delta + sys->nv, *d = N_VGetArrayPointer(out);
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
           CVodeSetMaxNumSteps(w->memory, 1000000) == 0 &&
           CVodeSetLinearSolver(w->memory, w->solver, w->matrix) == 0;
}

static int make_arkode(Sun *w)
{
    w->memory = ERKStepCreate(rates, 0, w->y, w->context);
    return w->memory && ERKStepSStolerances(w->memory, w->it->rtol, w->it->atol) == 0 &&
           ERKStepSetUserData(w->memory, w) == 0 && ERKStepSetErrHandlerFn(w->memory, quiet, NULL) == 0 &&
           ERKStepSetMaxNumSteps(w->memory, 1000000) == 0 && ERKStepSetOrder(w->memory, 5) == 0;
}

static int make_ida(Sun *w)
{
    w->memory = IDACreate(w->context);
    return w->memory && IDAInit(w->memory, residual, 0, w->y, w->yp) == 0 &&
           IDASStolerances(w->memory, w->it->rtol, w->it->atol) == 0 && IDASetUserData(w->memory, w) == 0 &&
           IDASetErrHandlerFn(w->memory, quiet, NULL) == 0 && IDASetMaxNumSteps(w->memory, 1000000) == 0 &&
           IDASetLinearSolver(w->memory, w->solver, w->matrix) == 0;
}

static vgStatus setup(vgIntegrator *it)
{
    Sun *w = calloc(1, sizeof *w);
    if (!w) return VG_NO_MEMORY;
    it->own = w;
    it->free_own = free_own;
    it->nhistory = 0;
    w->it = it;
    w->kind = *(const Kind *)it->row->data;
    long n = 2 * it->sys->nv;
    w->q = calloc((size_t)(it->sys->nq + it->sys->nl) + 2, sizeof *w->q);
    if (!w->q || SUNContext_Create(NULL, &w->context) != 0) return VG_NO_MEMORY;
    w->lambda = w->q + it->sys->nq + 1;
    w->y = N_VNew_Serial(n, w->context);
    w->yp = N_VNew_Serial(n, w->context);
    w->work = N_VNew_Serial(n, w->context);
    w->matrix = SUNDenseMatrix(n, n, w->context);
    if (!w->y || !w->yp || !w->work || !w->matrix) return VG_NO_MEMORY;
    w->solver = SUNLinSol_Dense(w->y, w->matrix, w->context);
    if (!w->solver) return VG_NO_MEMORY;
    N_VConst(0, w->y);
    N_VConst(0, w->yp);
    int ok = w->kind == CVODE ? make_cvode(w) : w->kind == ARKODE ? make_arkode(w) : make_ida(w);
    return ok ? VG_OK : VG_NO_MEMORY;
}

static vgStatus start(vgIntegrator *it, vgState *s)
{
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
        if (rates(t, w->y, w->yp, w)) return -1;
        if (IDAReInit(w->memory, t, w->y, w->yp) || IDASetStopTime(w->memory, to)) return -1;
        return IDASolve(w->memory, to, &reached, w->y, w->yp, IDA_NORMAL);
    }
}

static vgStatus step(vgIntegrator *it, vgState *s, double h, double *err)
{
    Sun *w = it->own;
    const vgSystem *sys = it->sys;
    double *delta = N_VGetArrayPointer(w->y), *v = delta + sys->nv, t = s->t + h;
    int iter;
    w->base = s;
    memset(delta, 0, (size_t)sys->nv * sizeof(double));
    memcpy(v, s->v, (size_t)sys->nv * sizeof(double));
    int code = integrate(w, s->t, t);
    if (code < 0) {
        vg_fail(it, VG_NOT_CONVERGED, s->t, "%s gave up between t = %.9g s and %.9g s (its code %d)",
                it->row->name, s->t, t, code);
        return VG_NOT_CONVERGED;
    }
    vgStatus st = VG_OK;
    sys->ops->retract(sys, s->q, delta, w->q);
    if (sys->nl && !(sys->baumgarte_alpha > 0 || sys->baumgarte_beta > 0)) {
        st = sys->ops->project_q(sys, it->work, t, w->q, 1e-14, 8, &iter);
        if (st == VG_OK) st = sys->ops->project_v(sys, it->work, t, w->q, v);
    }
    double *a = N_VGetArrayPointer(w->work);
    if (st == VG_OK) st = sys->ops->accel(sys, it->work, t, w->q, v, a, w->lambda);
    if (st != VG_OK) {
        vg_fail_equation(it, st, t, it->work->bad_row, "the projection onto the constraints failed");
        return st;
    }
    memcpy(s->q, w->q, (size_t)sys->nq * sizeof(double));
    memcpy(s->v, v, (size_t)sys->nv * sizeof(double));
    memcpy(s->a, a, (size_t)sys->nv * sizeof(double));
    memcpy(s->lambda, w->lambda, (size_t)sys->nl * sizeof(double));
    s->t = t;
    if (err) *err = -1;
    return VG_OK;
}

#define SUN_ROW(id, name_, title_, cite, order_, kind_)                                                      \
    static const Kind id##_kind = kind_;                                                                     \
    const vgIntegratorRow vg_##id = {.name = name_,                                                          \
                                     .family = "SUNDIALS",                                                   \
                                     .title = title_,                                                        \
                                     .citation = cite,                                                       \
                                     .order = order_,                                                        \
                                     .stages = 1,                                                            \
                                     .flags = VG_INT_EXPLICIT,                                               \
                                     .constraints = VG_CON_INDEX1 | VG_CON_NONE,                             \
                                     .data = &id##_kind,                                                     \
                                     .setup = setup,                                                         \
                                     .start = start,                                                         \
                                     .step = step}

SUN_ROW(cvode, "cvode", "SUNDIALS CVODE, backward differences to rtol, atol within each step",
        "Hindmarsh et al. 2005", 5, CVODE);
SUN_ROW(arkode, "arkode", "SUNDIALS ARKODE, explicit Runge–Kutta of order 5 to rtol, atol within each step",
        "Reynolds et al. 2023", 5, ARKODE);
SUN_ROW(ida, "ida", "SUNDIALS IDA, backward differences for DAEs to rtol, atol within each step",
        "Hindmarsh et al. 2005", 5, IDA);

#endif
