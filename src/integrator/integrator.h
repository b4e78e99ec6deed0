/* Integrators: one row per method. A step sees `system`, linear algebra and nothing else. */
#ifndef VERGE_INTEGRATOR_INTEGRATOR_H
#define VERGE_INTEGRATOR_INTEGRATOR_H

#include <math.h>

#include "system/system.h"

typedef struct vgParamSpec {
    const char *name;
    double fallback, min, max;
    const char *doc;
} vgParamSpec;

enum {
    VG_INT_EXPLICIT = 1,
    VG_INT_IMPLICIT = 2,
    VG_INT_ASTABLE = 4,
    VG_INT_LSTABLE = 8,
    VG_INT_ESTIMATE = 16,    /* has an error estimate: adaptive steps possible */
    VG_INT_ADAPTIVE = 32,    /* adaptive by default */
    VG_INT_MULTISTEP = 64,   /* restarts after an event */
    VG_INT_BODY_AXES = 128,  /* needs a constant mass matrix in body axes: coordinates lie or planar, no force
                                elements with inertia, no nonholonomic constraints */
    VG_INT_HOLONOMIC = 256,  /* no nonholonomic constraints */
    VG_INT_DOUBLING = 512,   /* the error is estimated by step doubling (control.c) */
    VG_INT_LEAN = 1024,      /* does not use the stage's matrix after the stage: see vgSystemOps.lean_work */
    VG_INT_OWN_STEPS = 2048, /* takes internal steps of its own choice, and allocates memory for them */
    VG_INT_OWN_NEWTON = 4096, /* implicit, with an iteration whose matrix is not used after the step */
    VG_INT_PROJECTS =
        8192, /* with constraints the matrix is not used after the step: a projection or a solution for the
                               accelerations follows */
    VG_INT_SPLITS = 1 << 21, /* separates applied forces from reactions: no forces that depend on reactions */
    VG_INT_WITHIN = 1 << 22, /* its stages lie before the end of the step, whose forces it does not know */
    VG_INT_INVERTS = 1 << 20, /* inverts the mass matrix: no Euler parameters, no massless bodies */
};
typedef struct vgStats {
    long steps, rejected, newton_iterations, newton_failures, jacobians, residuals, accels, substeps, events;
    long growing;  /* stages whose fixed number of iterations ended with an increment larger than the last */
    long recasts;  /* how often a body changed its set of rotation coordinates */
    long parts;    /* parts of updates of the matrix that are spread over several steps */
    long singular; /* stages that were solved in a singular position */
    double max_phi, max_phi_dot, max_phi_ddot;
} vgStats;

/* Work in evaluations of the equations of motion. A Newton iteration is a residual and a solve; a matrix, and the
 * accelerations of an explicit stage, which need the mass matrix, count as two of them. SUNDIALS reports its residuals alone. */
static inline double vg_stats_work(const vgStats *s)
{
    return fmax((double)s->newton_iterations, (double)s->residuals) + 2 * (double)s->jacobians +
           2 * (double)s->accels;
}

/* Where and why a step failed; the text names joint, body and equation. */
typedef struct vgFailure {
    vgStatus status;
    double t;
    char text[400];
} vgFailure;

/* The Newton matrix in the integrator's work: for which coefficients it was factorised, and how well it converges. */
typedef struct vgMatrixMemory {
    int have;      /* 1: it is valid */
    double cv, ca; /* its coefficients */
    int map;
    double moved;             /* largest displacement of a coordinate since it was factorised */
    int stale;                /* 1: it converged slowly and is updated before the next stage */
    int held;                 /* number of stages solved with it */
    int fresh_iterations;     /* iterations of the stage for which it was factorised */
    double extra, last_extra; /* iterations beyond that: sum over the later stages; in the last stage */
    /* of the last stage: by how much its solutions corrected velocities; second difference of the accelerations, a
     * measure of the step's own error (below 0: not known). Both in units of the coordinates' scales */
    double corrected, bend;
} vgMatrixMemory;

typedef struct vgIntegrator vgIntegrator;
typedef struct vgRenewal vgRenewal;
typedef struct vgControl vgControl;
typedef struct vgMetric vgMetric;
typedef struct vgUserMethod vgUserMethod;

/* When the Newton matrix is refactorised: once a step; in every iteration; when convergence slows; when nothing
 * else helps; or continuously in parts. From HOLD on it is reused over several steps. */
typedef enum vgNewtonMode {
    VG_NEWTON_STEP,
    VG_NEWTON_FULL, /* ends by convergence or by the number of iterations, not where increments grow */
    VG_NEWTON_HOLD,
    VG_NEWTON_FROZEN,
    VG_NEWTON_SPREAD,
    VG_NEWTON_AUTO, /* STEP or HOLD, by what the system's tangent costs; no integrator keeps it */
    VG_NEWTON_MODIFIED /* [H] 3.4: updated where an increment is not much smaller than the last (stage/judge.c) */
} vgNewtonMode;

/* How the next step follows from the error: a PI controller with weights that know the coordinates' scales,
 * or the plain rule and weights of [H] appendix B. */
typedef enum vgStepControl { VG_CONTROL_PI, VG_CONTROL_PLAIN } vgStepControl;

/* What the caller of a step asks for, and what the step returns. */
typedef struct vgStep {
    /* In: the corners of laws of time before and behind the step; no stage may evaluate a law beyond them */
    double corner_before, corner;
    int over; /* in, 1: the step passes a singular position, where the error estimate is rounding; accept any error */
    /* Out: the weighted norm of the error (≤ 1: accepted); with `over`, `rough` is the norm as it was estimated. −1: there is
     * no estimate */
    double err, rough;
    double
        next; /* out: the size that the method proposes for the next step; 0: the rule of step_size.h decides */
    int singular; /* out, 1: equations were solved in a singular position */
} vgStep;

/* A step without corners nearby. */
#define VG_STEP ((vgStep){.corner_before = -INFINITY, .corner = INFINITY, .err = -1, .rough = -1})

/* Another step within the same corners. */
static inline vgStep vg_step_like(const vgStep *x)
{
    vgStep y = VG_STEP;
    y.corner_before = x->corner_before;
    y.corner = x->corner;
    return y;
}

/* Stores the estimated error; returns the value by which the step is judged. */
static inline double vg_step_error(vgStep *x, double norm)
{
    x->rough = norm;
    return x->err = __builtin_expect(x->over && norm > 1, 0) ? 1 : norm;
}

/* 1: the step is refused because its error is too large. */
static inline int vg_step_refuses(const vgStep *x)
{
    return x->err > 1;
}

struct vgStage;
struct vgStageSpec;
/* Who sees the stages of a step: whoever differentiates a run along its own steps (analysis/forward). */
typedef struct vgStageWatch {
    void *user;
    void (*step)(void *user);                               /* a step is attempted; NULL: not wanted */
    void (*before)(void *user, const struct vgStageSpec *); /* a stage is to be solved; may be NULL */
    void (*solved)(void *user, const struct vgStage *, const struct vgStageSpec *); /* it was */
} vgStageWatch;

typedef struct vgIntegratorRow {
    const char *name, *family, *title, *citation;
    int order, stages;
    int (*order_of)(const double *param); /* where parameters change the order; NULL: they do not */
    unsigned flags, constraints;
    /* constraint settings with which the multipliers of the stages are of first order in h; forces that depend on reactions
     * are refused there, because they would lower the order of the motion */
    unsigned rough;
    double rho[2]; /* A-stable methods without a parameter `rho`: range of ρ∞ that their parameters give */
    const vgParamSpec *params;
    int nparam;
    const void *data;                  /* tableau or coefficients of the family */
    vgStatus (*setup)(vgIntegrator *); /* sizes, coefficients; take memory from it->arena-like calls */
    vgStatus (*start)(vgIntegrator *,
                      vgState *); /* at t0 and after an event: history from consistent q, v, a, λ */
    /* one step of size h from the state at t to t + h. On failure, which it->failure describes, and if vg_step_refuses, the
     * state is unchanged */
    vgStatus (*step)(vgIntegrator *, vgState *, double h, vgStep *);
} vgIntegratorRow;

enum { VG_MAX_NODES = 8 };

struct vgIntegrator {
    const vgIntegratorRow *row;
    const vgIntegratorRow
        *as; /* a row whose functions replace those of `row`, chosen at set-up; NULL: none */
    const vgSystem *sys;
    vgWork *work;
    double param[16];  /* values in the order of row->params */
    double newton_tol; /* bound of the iteration error, in units of the coordinates' scales */
    double newton_acc; /* the same bound relative to the displacement by accelerations in the step */
    double
        newton_err; /* the iteration error may also be this part of the step's discretisation error; 0: no */
    int newton_max;
    int newton_fixed; /* > 0: exactly that many iterations (real time) */
    int undamped;     /* 1: ρ∞ is (nearly) 1, errors normal to the constraints are not damped */
    vgNewtonMode newton_mode;
    int rows_apart;     /* 1: a reused matrix gets new constraint rows when they have moved */
    int newton_refresh; /* > 0: a reused matrix is updated after this number of steps */
    int newton_spread;  /* > 0: the update is divided over this number of steps */
    double rtol, atol;
    int adaptive;
    int error_lambda; /* 1: error control includes the multipliers */
    vgStepControl control;
    double h_min, h_max; /* bounds of the step size; 0: none */
    double grow, shrink; /* bounds of its change from step to step; 0: those of the method */
    int error_power;  /* the error estimate is proportional to this power of the step (0: the row's order) */
    double step_hint; /* expected step size, for starting procedures */
    int (*stop)(void *user); /* called by methods with internal steps: nonzero ends the step; may be NULL */
    void *stop_user;
    /* Set by setup: the stages, as parts of the step, so that none is placed in a singular position. nnode 0: the end of the
     * step alone */
    double node[VG_MAX_NODES];
    int nnode;
    /* Observed convergence of Newton's iteration, part of a checkpoint: the last contraction rate, the increment at which it
     * was observed, and the number of stages for which it is still used */
    double contraction, contraction_norm;
    int contraction_left;
    int corners; /* 1: forces may have corners, so that a rate observed on one side may not hold on the other */
    vgMatrixMemory matrix;
    /* set by setup: why a matrix cannot be reused over several steps, a phrase after "integrator 'x'"; NULL: it can */
    const char *changes;
    vgRenewal *renewal; /* reuse of the matrix (renewal.h); NULL: it is not reused */
    vgUserMethod *user; /* the method of a file (user/user.h); NULL: a method of the list */
    vgMetric *metric;   /* index 2: metric of the velocity corrections (metric.h); NULL: the stage's matrix */
    vgControl *controlled;     /* memory of control.c; NULL: not needed */
    const vgStageWatch *watch; /* NULL: nobody */
    int nhistory;              /* number of doubles in vgState.history (set by setup) */
    void *own;                 /* the method's workspace, allocated in setup */
    void (*free_own)(void *own);
    vgStats stats;
    vgFailure failure;
};

extern const vgIntegratorRow *const vg_integrators[]; /* NULL-terminated */
/* By its name or another that papers and programs give it (aliases.c); letter case and punctuation are free.
 */
const vgIntegratorRow *vg_integrator_find(const char *name);
/* Those other names, n of them. */
const char *const *vg_integrator_others(const vgIntegratorRow *row, int *n);
/* For "did you mean"; NULL: nothing is near. */
const char *vg_integrator_closest(const char *name);
/* Range of the spectral radius at infinity; 0 for methods that are not A-stable, which have none. */
int vg_integrator_rho(const vgIntegratorRow *row, double range[2]);
/* The order with the parameters as they are. */
int vg_integrator_order(const vgIntegrator *);
/* Defaults of a row, and what the options of a text change (options.c); VG_BAD_INPUT and a line in diag. it->sys may be
 * NULL: what depends on a system stays open. */
vgStatus vg_integrator_choose(vgIntegrator *it, const vgIntegratorRow *row, const char *text, vgDiag *diag,
                              vgLoc at);
/* Options that every method understands. */
const vgParamSpec *vg_integrator_common(int *n);
/* The constraint settings (VG_CON_…) that the method of a text takes; 0: there is no such method. */
unsigned vg_integrator_takes(const vgModel *, const char *text);
/* Whether text, as below, names a method and options that it takes; VG_BAD_INPUT and a line in diag. */
vgStatus vg_integrator_check(const char *text, vgDiag *diag);
/* text "name" or "name:key=value,key=value"; common keys: tol, newton=full|modified, iterations, rtol, atol
 */
vgStatus vg_integrator_new(const vgSystem *, const char *text, vgDiag *, vgIntegrator **out);
void vg_integrator_free(vgIntegrator *);
/* Start and step under error control: those of the row, with step doubling and the error of the multipliers where
 * requested. A step whose error exceeds 1 leaves the state unchanged. */
vgStatus vg_integrator_start(vgIntegrator *, vgState *);
vgStatus vg_integrator_step(vgIntegrator *, vgState *, double h, vgStep *);
/* A step of the row alone, without error control. */
static inline vgStatus vg_integrator_advance(vgIntegrator *it, vgState *s, double h)
{
    vgStep x = VG_STEP;
    return it->row->step(it, s, h, &x);
}
/* Between two steps: replaces coordinates near a singularity of their own by others and restarts the method. */
vgStatus vg_integrator_recast(vgIntegrator *, vgState *);
/* Memory for that, after the row's setup. */
vgStatus vg_control_new(vgIntegrator *);
void vg_control_free(vgControl *);
/* The error of a step as a method looks at it, for that of the multipliers. */
void vg_control_note(vgControl *, int nv, const double *e_q, const double *e_v, double norm);

#endif
