/* The system: a model seen through chosen coordinates and constraints. Integrators see this and nothing else.
 * Equations: docs/theory.md, 11–19 and 23–24.
 *
 *     r(t,q,v,a,λ) = M(q) a − f(t,q,v) + B(q)ᵀ λ,      Φ(q,t) = 0
 *
 * q lives on a manifold; everything else in vectors of nv numbers. Near a reference q_r the configuration is
 * q = q_r ⊕ Δ and the velocity v = T(Δ) Δ̇. For vector-space coordinates ⊕ is + and T the identity.
 * The system is const after set-up; all that changes is in vgWork, one per thread. */
#ifndef VERGE_SYSTEM_SYSTEM_H
#define VERGE_SYSTEM_SYSTEM_H

#include <stdint.h>

#include "linalg/lin/lin.h"
#include "model/model.h"
#include "system/fast.h"

enum { VG_CON_OPTIONS = 4 };

typedef struct vgSystem vgSystem;
typedef struct vgWork vgWork;

/* How the Newton unknown δ (variation of q in the current tangent space) moves v and a:
 *   δv = c_v V δ,  δa = c_a V δ
 *   VG_STAGE_NEWMARK  v, a affine in Δ:                       V = T⁻¹(Δ)
 *   VG_STAGE_FIRST    Δ̇ affine in Δ, v = T(Δ)Δ̇, a affine in v:  V = I + (1/c_v) ∂(T(Δ)Δ̇)/∂Δ T⁻¹(Δ)
 *   VG_STAGE_PLAIN    V = I (T neglected, as [H] does for small steps) */
typedef enum vgStageMap { VG_STAGE_PLAIN, VG_STAGE_NEWMARK, VG_STAGE_FIRST } vgStageMap;

/* The point at which a tangent is wanted. The factorised matrix is
 *     S = [ M V + (cv/ca) C V + (1/ca) K    Bᵀ ]        unknowns ( δ , λ-increment / ca )
 *         [ B                               0  ]        right sides ( r/ca , Φ )
 * (C = ∂r/∂v, K = ∂r/∂q), so that its condition does not grow as h → 0 (Bottasso scaling).
 * Velocity-level rows are divided by cv, acceleration-level rows by ca. ca = 0 is allowed with VG_STAGE_PLAIN
 * and means the static tangent: S = [K Bᵀ; B 0]. A method that weights the inertia (c_m M a) passes c_m a for
 * a and c_m times its own ca. */
typedef struct vgTangent {
    double t;
    const double *q, *v, *a, *lambda;
    double cv, ca;
    vgStageMap map;
    const double *delta, *delta_dot; /* for V; NULL with PLAIN */
    int reuse; /* 1: the last residual() was at this very point: kinematics and B are fresh */
    int exact; /* 1: with cross-body geometric stiffness of the constraints (statics, modes) */
    int mass;  /* assemble() alone. 1: M and B are all that is wanted, reuse as above; cv, ca, map not read */
    int rows;  /* with mass: B alone */
    int on_positions; /* 1: rows at the level of accelerations are Φ = 0 this time (theory.md, eq. 73a) */
    int keep;         /* where cost.rows_apart: B alone is updated, the rest stays as it is */
} vgTangent;

/* A stage whose v and a follow from Δ: q = q_r ⊕ Δ, v = v̂ + cv (Δ − Δ̂), a = ca (Δ − Δ̂), or with FIRST
 * Δ̇ = cv (Δ − Δ̂), v = T(Δ) Δ̇, a = cv (v − v̂). */
typedef struct vgAffine {
    double t;
    const double *q_r, *dhat, *vhat;
    const double *a_old; /* what `change` of the result is measured from */
    double cv, ca;
    vgStageMap map;
    double *delta, *lambda;        /* one iteration is added to these */
    double *x;                     /* nv: its increment δ */
    double *q, *v, *a, *delta_dot; /* room for the state */
    int more;                      /* 1: further iterations are expected, which could use a kept matrix */
    /* Index 2, NULL: not wanted: room for (y, z) of S (y, z) = (0, B v + Φ_t) at the state after the increment,
     * which then is in q, v + offset (NULL: zero; the rows see that velocity), a */
    double *y, *z;
    const double *offset;
} vgAffine;

typedef struct vgIteration { /* largest numbers in units of the coordinates' scales */
    double norm;             /* of δ; not a number when there is one that is not finite */
    double acc, change;      /* of a after the iteration; of a − a_old */
    double open;  /* the largest constraint violation that it leaves, points in units of the model's length */
    int corrects; /* 1: y, z and the state are there (vgAffine) */
} vgIteration;

/* A stage of an explicit method: Δ = Σ c_j k_j, q = q_r ⊕ Δ, v = v_r + Σ c_j l_j with the earlier stages'
 * rates and accelerations; wanted are q, v, k = T⁻¹(Δ) v and l = accel(t, q, v). */
typedef struct vgExplicit {
    double t;
    const double *q_r, *v_r;
    int count;
    const double *c, *const *k_row, *const *l_row;
    double *q, *v, *k, *l;
    int last; /* 1: q and v are the result of the step; else q is scratch and may miss its last polish */
} vgExplicit;

/* The tangent as a matrix on the mechanism's graph: where coordinates and constraint rows are in it. */
typedef struct vgSaddle {
    vgLin *lin;
    const int *v_at;   /* nv; NULL: the coordinates come first */
    const int *row_at; /* nl; −1: the row is not in it */
} vgSaddle;

/* What a constraint setting is, as integrators and analyses ask for it. */
typedef enum vgRowsAt {                     /* what a stage asks of a joint's rows */
                        VG_AT_POSITION,     /* Φ = 0 */
                        VG_AT_BOTH,         /* Φ = 0 and B v + Φ_t = 0 */
                        VG_AT_ACCELERATION, /* B a + γ = … */
                        VG_AT_NOTHING       /* there are none: coordinates are independent */
} vgRowsAt;
typedef enum vgSettleBy { /* what puts velocities and accelerations onto the constraints after a stage */
                          VG_SETTLE_METHOD,  /* nothing but what the method itself does */
                          VG_SETTLE_TANGENT, /* the stage's own matrix (vg_stage_clean) */
                          VG_SETTLE_PROJECTION, /* vg_system_project() with the mass matrix, unless Baumgarte terms do */
                          VG_SETTLE_NEVER /* forces do; a projection would take their deflection away */
} vgSettleBy;
typedef struct vgConTraits {
    vgRowsAt rows;
    vgSettleBy settle;
    int saddle;  /* 1: the stage's matrix is that of the coordinates' own system, with rows B */
    int chooses; /* 1: it finds by itself which rows count; else the state says so */
    int once;    /* 1: projections come once a step, not after each stage */
    int order;   /* most that velocities and multipliers keep of a method's order; 0: all of it */
} vgConTraits;

typedef struct vgState vgState;

/* ---- what a family of coordinates does ---- */

/* Optional abilities of a system. A NULL pointer means that the system does not have the ability; callers then take
 * the general path through vgSystemOps. */

/* Residual, matrix and solution in one pass over the bodies (system/absolute/sweep.c, lines.c). */
typedef struct vgSweepOps {
    /* The solution of S (x_v, x_l) = −(r/ca, Φ) at the point of the tangent. The factorisation that solve() uses is
     * kept. open: the largest constraint violation that the linear solution leaves, points in units of the model's
     * length. VG_LIMIT: not possible here. */
    vgStatus (*increment)(const vgSystem *, vgWork *, const vgTangent *, double *x_v, double *x_l,
                          double *open);
    /* The same for a stage given by Δ and λ, to which the increment is added. */
    vgStatus (*iterate)(const vgSystem *, vgWork *, const vgAffine *, vgIteration *);
    /* The matrix of the last iterate() for right sides in the constraints alone: S (x_v, x_l) = (0, x_l). */
    void (*again)(const vgSystem *, vgWork *, double *x_v, double *x_l);
} vgSweepOps;

/* factor() in pieces, for updates that are spread over several steps (integrator/stage/renewal.c). The pieces are made
 * in order, all at the same tangent (reuse 0), in a work that is not used otherwise meanwhile. */
typedef struct vgPieceOps {
    /* Returns the number of pieces. cost: of each, about in nanoseconds. assembled: after how many pieces the work has
     * what assemble() gives. Either may be NULL. */
    int (*count)(const vgSystem *, const vgWork *, double *cost, int *assembled);
    vgStatus (*make)(const vgSystem *, vgWork *, const vgTangent *, int i);
} vgPieceOps;

/* Residuals of the iterations of a stage, where they cost less than residual(). */
typedef struct vgApproachOps {
    /* first: the first iteration of a stage. solve() follows. The residual is exact at the solution and correct to
     * first order before it. */
    void (*residual)(const vgSystem *, vgWork *, int first, double t, const double *q, const double *v,
                     const double *a, double *r);
    /* Announces that the next residual is at the point of this tangent and that its factor() follows, so that what
     * both need is computed once. */
    void (*ahead)(const vgSystem *, vgWork *, const vgTangent *);
} vgApproachOps;

/* Coordinates that follow from others (constraints 'independent'). */
typedef struct vgDependentOps {
    /* At the end of a stage or step: computes the dependent coordinates, in place (a NULL: not wanted). */
    vgStatus (*follow)(const vgSystem *, vgWork *, double t, double *q, double *v, double *a);
    /* After an accepted step: computes dependent coordinates, and multipliers that the method does not have. */
    void (*settle)(const vgSystem *, vgWork *, vgState *);
} vgDependentOps;

/* M, ∂r/∂v and ∂r/∂q as full matrices, where assemble() has no matrix on a graph (trees in joint coordinates). */
typedef struct vgFullOps {
    int room; /* numbers that matrices() needs for each coordinate */
    /* At the point of the tangent, of which cv, ca and map are not read. n × n each, row-major, n = nv.
     * VG_LIMIT: assemble() has them. */
    vgStatus (*matrices)(const vgSystem *, vgWork *, const vgTangent *, double *room, double *M, double *C,
                         double *K);
    /* nv: the next coordinate with which k has an entry in M, towards the ground; −1: none. above[k] < k. Coordinates
     * that are not on the way of each other to the ground have none, so that M = Lᵀ D L has no fill. */
    void (*above)(const vgSystem *, int *above);
} vgFullOps;

typedef struct vgExtraOps {
    /* A work for callers that do not call factor(), assemble() or solve() in a step: without matrices. */
    vgStatus (*lean_work)(const vgSystem *, vgWork **);
    /* Where free_stages is 1: a stage of an explicit method in one pass over the bodies. */
    vgStatus (*stage)(const vgSystem *, vgWork *, const vgExplicit *);
    /* levels() at the motion of the last residual(). */
    void (*levels_here)(const vgSystem *, vgWork *, double t, const double *q, const double *v,
                        const double *a, double *phi, double *phi_dot, double *phi_ddot);
    /* Typical size of a unit of each column of jacobian(), as v_scale is for coordinates; after jacobian(). NULL: the
     * columns are the coordinates. */
    void (*jacobian_scale)(const vgSystem *, const vgWork *, double *scale);
    /* Where `recasts` is 1. Between steps: replaces coordinates near a singularity of the chart by others of the same
     * motion. 1: some were replaced, and methods restart (vg_integrator_recast). */
    int (*recast)(const vgSystem *, vgWork *, vgState *);
    /* Potential energy of gravity and of the elements that have one, and their forces at zero velocity (nv; NULL: not
     * wanted). */
    double (*potential)(const vgSystem *, vgWork *, double t, const double *q, double *f);
} vgExtraOps;

/* What every family does. */
typedef struct vgSystemOps {
    const char *name; /* absolute, relative, natural: the family of coordinates */
    void (*free_system)(vgSystem *);
    vgStatus (*new_work)(const vgSystem *, vgWork **);
    void (*free_work)(vgWork *);
    size_t (*memory)(const vgWork *);
    void (*accept)(const vgSystem *, vgWork *, double *turn); /* turn memory from the motion last evaluated */

    /* the manifold: q = q_r ⊕ Δ, Δ from q, Δ̇ = T⁻¹(Δ) v, v = T(Δ) Δ̇ */
    void (*retract)(const vgSystem *, const double *q_r, const double *delta, double *q);
    void (*local)(const vgSystem *, const double *q_r, const double *q, double *delta);
    void (*rates)(const vgSystem *, const double *delta, const double *q, const double *v, double *delta_dot);
    void (*twist)(const vgSystem *, const double *delta, const double *q, const double *delta_dot, double *v);

    /* the equations: r (nv), phi (nl; level-1 rows hold the velocity residual, level-2 the acceleration residual).
     * NULL: not wanted */
    void (*residual)(const vgSystem *, vgWork *, double t, const double *q, const double *v, const double *a,
                     const double *lambda, double *r, double *phi);
    vgStatus (*factor)(const vgSystem *, vgWork *, const vgTangent *);
    void (*solve)(const vgSystem *, vgWork *, double *x_v, double *x_l); /* in place, with the last factor */
    /* The matrix S of factor(), filled but not factorised, for constraint settings that eliminate themselves. The
     * factorisation of solve() is lost. mass: [M Bᵀ; B 0]. Tangent NULL: only the places */
    vgStatus (*assemble)(const vgSystem *, vgWork *, const vgTangent *, vgSaddle *);
    /* index 1: a, λ from M a + Bᵀλ = f, B a = −γ − 2α(Bv + Φ_t) − β²Φ */
    vgStatus (*accel)(const vgSystem *, vgWork *, double t, const double *q, const double *v, double *a,
                      double *lambda);

    /* the constraints: Φ, velocity residual B v + Φ_t, acceleration residual B a + γ (nphi each); NULL: not wanted */
    void (*levels)(const vgSystem *, vgWork *, double t, const double *q, const double *v, const double *a,
                   double *phi, double *phi_dot, double *phi_ddot);
    /* projections onto the constraints with the least change in the mass metric; *iter: iterations */
    vgStatus (*project_q)(const vgSystem *, vgWork *, double t, double *q, double tol, int max_iter,
                          int *iter);
    vgStatus (*project_v)(const vgSystem *, vgWork *, double t, const double *q, double *v);
    /* Σ|terms| of a row at the motion last given to levels(): ε times it is what rounding leaves of the row */
    double (*row_terms)(const vgSystem *, vgWork *, double t, int row);
    /* Constraint Jacobian by sparse rows (njacobian of them, at most row_entries entries each) over columns
     * of the system's choice (native coordinates, joint coordinates); start NULL: only the number of columns,
     * which is returned in any case (the work may be NULL then) */
    int (*jacobian)(const vgSystem *, vgWork *, double t, const double *q, int *start, int *col,
                    double *value);

    /* bodies: native motion of all of them (model->nbody vgKin in the work), for channels and energies; back:
     * coordinates from native motion (initial conditions); VG_OK or VG_NO_MEMORY */
    const vgKin *(*kinematics)(const vgSystem *, vgWork *, double t, const double *q, const double *v,
                               const double *a);
    VG_CHECKED vgStatus (*from_native)(const vgSystem *, const vgKin *kin, double *q, double *v);
    /* reaction of a joint at the motion last given to kinematics(): force and torque (about frame B's origin)
     * on body B, in W */
    void (*reaction)(const vgSystem *, vgWork *, double t, const double *lambda, int joint,
                     double wrench_W[6]);

    vgSweepOps sweep; /* optional abilities, see above */
    vgPieceOps pieces;
    vgApproachOps approach;
    vgDependentOps dependent;
    vgFullOps full;
    vgExtraOps extra;
} vgSystemOps;

/* ---- a system ---- */

/* What keeps constraints at the level of accelerations from drifting. */
typedef struct vgDrift {
    double alpha, beta;       /* Baumgarte: Φ̈ + 2α Φ̇ + β² Φ = 0 */
    const double *compliance; /* nl: the row yields to its multiplier by so much; NULL: none */
    int keep_q, keep_v;       /* 1: positions, velocities are not projected after a step */
} vgDrift;

/* What a tangent costs, for the choice of when to update it. */
typedef struct vgTangentCost {
    int high;        /* 1: several residuals (elements with inertia: beams) */
    double tangent;  /* of a tangent with its factorisation, in iterations; 0: not known */
    double elements; /* of the elements' part, in residuals; 0: little in any case */
    int rows_apart;  /* 1: factor() takes tangents with `keep`, reuse being 1 */
} vgTangentCost;

struct vgSystem {
    const vgSystemOps *ops;
    const vgModel *model;
    const char *coordinates, *constraints;
    double length; /* typical length of the model */

    /* coordinates */
    int nq, nv;
    const double
        *v_scale;      /* nv: typical size of a coordinate increment (1 m, 1 rad, model length) for norms */
    const int *v_body; /* nv: body of the coordinate */
    const double
        *v_closes;    /* nv: 1/v_scale of the coordinates that constraints depend on, else 0; NULL: all */
    int vector_space; /* 1: ⊕ is +, T = I */
    int mixed;        /* 1: some bodies have rotation coordinates of their own (vgBody.coordinates) */
    int second_order; /* 1: v = Δ̇ at Δ = 0 (all but euler-angles form 1, which is for explicit methods) */
    int body_axes;    /* as in vgCoordinatesRow */
    int recasts;      /* 1: the chart has singularities, which extra.recast avoids */

    /* constraint equations */
    int nl;
    int nphi; /* rows that levels() gives: nl, or those of the joints where a setting has no multipliers (nl = 0) */
    const unsigned char *row_level; /* nphi: 0, 1, 2 */
    const int *row_joint;           /* nphi: joint of the row, −1 none (unit length of Euler parameters) */
    int may_repeat; /* 1: rows may depend on each other (loops, couplings): vgState.active says which count */
    int njacobian;  /* rows that jacobian() gives: the first of nl */
    int row_entries; /* most entries of such a row */
    double reach; /* what a rotation φ leaves of the constraints after a linear solve: φ² reach length */

    /* the constraint setting */
    unsigned con;   /* its flag, for what integrators take */
    vgConTraits is; /* its traits */
    double option[VG_CON_OPTIONS];
    vgDrift drift;
    int nmemory; /* doubles in the state for dependent.settle() */

    /* fast paths */
    unsigned fast;   /* VG_FAST_…: the paths that may be taken */
    int one_pass;    /* 1: q, v and a of a stage follow from Δ number by number (VG_FAST_PASSES) */
    int free_stages; /* 1: no multipliers, and extra.stage is offered */
    vgTangentCost cost;
};

/* Sides of the switches of forces, held during a step: at[VG_HELD_AT f + l] is where those of law l of force
 * f begin in side, −1 none; l = VG_FORCE_MAX_LAWS: the kind's own; VG_HELD_DEPTH: whether a contact touches.
 */
enum { VG_HELD_DEPTH = VG_FORCE_MAX_LAWS + 1, VG_HELD_AT };
typedef struct vgHeld {
    const signed char *side;
    const int *at;
} vgHeld;

/* Are the rows B a + γ = … ? */
static inline int vg_at_acceleration(const vgSystem *sys)
{
    return sys->is.rows == VG_AT_ACCELERATION;
}
/* 1: constraints act by penalty factors, with multipliers or without; such settings pass singular positions. */
static inline int vg_penalises(const vgSystem *sys)
{
    return !sys->is.saddle && sys->is.rows != VG_AT_NOTHING;
}
/* May a method put q, v, a onto the constraints by a projection of its own? */
static inline int vg_may_project(const vgSystem *sys)
{
    return sys->is.settle == VG_SETTLE_METHOD || sys->is.settle == VG_SETTLE_PROJECTION;
}
/* Are they Φ = 0 alone? */
static inline int vg_at_position(const vgSystem *sys)
{
    return sys->is.rows == VG_AT_POSITION;
}

/* What every work begins with. */
struct vgWork {
    const vgSystem *sys;
    const double *turn;          /* last accepted angles, from the bound state */
    const unsigned char *active; /* nphi: rows that count, from the bound state; NULL: all */
    const vgHeld *held;          /* from the bound state too; NULL: laws switch as they like */
    const double *load; /* model->nload: reactions that forces read (setting/reactive.c); NULL: zeros */
    int shows_held;     /* 1: whoever looks at forces sees them on the held sides, too */
    int bad_row;        /* after a failed factorisation: equation (< nv) or nv + constraint row; −1 */
    long factorisations;
    int in_one_go;        /* 1: iterate() may be of use */
    int matrix_lost;      /* 1: the system has changed its mind about its unknowns since the last factor() */
    double open;          /* of a setting without multipliers: largest |Φ| at the last residual() */
    double pivot;         /* of the same: least pivot of the dependent coordinates at the last one */
    const double *memory; /* what the system keeps in the bound state (nmemory) */
    double unload;        /* see vgForceIn: 0 but while a rest is looked for */
    int rest;             /* see vgForceIn */
    /* By how much (m/s) the last increment of Newton's iteration has moved velocities; 0 where tangents are to be exact.
     * Smooth friction that may still change its direction has a tangent then that does not overshoot (theory.md, eq.
     * 52f). */
    double wander;
    const double *stir;   /* wander of every body: translation, rotation (rad/s); NULL: not known */
    int refined;          /* 1: solve() refines, for directions in which no later iteration corrects it */
    unsigned char *watch; /* per model measure: keep its turn memory up to date */
    unsigned taken;       /* VG_FAST_…: special paths that were taken so far */
    int pushed;           /* 1 + the force whose coordinate is pushed beside what acts; 0: none */
    double push;          /* by so much, N or N m */
    vgOutside *outside;   /* parts of controllers that run beside the model; NULL: none yet */
};

/* Does row r count? */
static inline int vg_row_counts(const vgWork *work, int r)
{
    return !work->active || work->active[r];
}

/* Switches of force f stay on the sides that are held. */
static inline void vg_work_hold(const vgWork *work, int f, vgForceIn *in)
{
    if (work->pushed == f + 1) in->push = work->push;
    if (!work->held) return;
    const int *at = work->held->at + VG_HELD_AT * f;
    if (at[VG_FORCE_MAX_LAWS] >= 0) in->held = work->held->side + at[VG_FORCE_MAX_LAWS];
    if (at[VG_HELD_DEPTH] >= 0) in->touching = work->held->side[at[VG_HELD_DEPTH]];
    for (int l = 0; l < work->sys->model->force[f].setup.nlaw; l++)
        if (at[l] >= 0) in->law_held[l] = work->held->side + at[l];
}

/* All that a checkpoint must hold. One buffer; arrays inside. */
struct vgState {
    double t;
    double *q, *v, *a, *lambda; /* nq, nv, nv, nphi (beyond nl: filled by settle()) */
    double *turn;               /* model->nturn last accepted angles */
    unsigned char
        *active;     /* nphi: 0: the row repeats others, is left out, and its multiplier is 0 (redundant.h) */
    double *memory;  /* nmemory: what the system itself must keep from step to step */
    double *history; /* nhistory, the integrator's own */
    int nhistory;
    const vgHeld *held; /* of a run that locates events, else NULL; no part of a checkpoint */
    int64_t step;       /* steps taken */
    size_t bytes;       /* whole buffer */
};

vgStatus vg_system_new(const vgModel *model, const char *coordinates, const char *constraints, vgDiag *diag,
                       vgSystem **out);
/* The same with the special paths (fast.h) that it may take; vg_system_new: all, or none where the model
 * says `plain`. */
vgStatus vg_system_new_by(const vgModel *model, const char *coordinates, const char *constraints,
                          unsigned fast, vgDiag *diag, vgSystem **out);
/* In the default coordinates and setting, without regard to coordinates that single bodies name: the one in which a
 * model's start is found. */
vgStatus vg_system_new_canonical(const vgModel *model, vgDiag *diag, vgSystem **out);
void vg_system_free(vgSystem *sys);
vgStatus vg_work_new(const vgSystem *sys, vgWork **out);
vgStatus vg_work_new_lean(const vgSystem *sys, vgWork **out);
void vg_work_free(vgWork *work);
size_t vg_work_memory(const vgWork *work);
vgStatus vg_state_new(const vgSystem *sys, int nhistory, vgState **out);
/* The same, of a large system only set aside until it is first used. */
vgStatus vg_state_reserve(const vgSystem *sys, int nhistory, vgState **out);
void vg_state_free(vgState *state);
void vg_state_copy(const vgSystem *sys, vgState *to, const vgState *from);
/* turn memory used by the work when it evaluates angles: points into the state */
void vg_work_bind(vgWork *work, const vgState *state);
/* after an accepted step: remember the angles */
void vg_work_accept(const vgSystem *sys, vgWork *work, vgState *state);
/* Settings at the level of accelerations without Baumgarte terms: q and v onto the constraints, with the
 * least change in the mass metric, as far as the setting's options want it. Nothing to do otherwise. */
vgStatus vg_system_project(const vgSystem *sys, vgWork *work, double t, double *q, double *v);
int vg_system_projects(const vgSystem *sys); /* 1: there is something to do */
/* 1: rows at the level of accelerations that may be taken on positions for a step (theory.md, eq. 73a): what
 * the deflection of penalties under λ is negligible. */
int vg_system_may_take_positions(const vgSystem *sys, const double *lambda);
/* The same settings: row = Φ̈ + 2α Φ̇ + β² Φ, less what the row yields to its multiplier. phi, phi_dot: room */
void vg_system_rows(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v,
                    const double *a, const double *lambda, double *phi, double *phi_dot, double *row);

typedef struct vgCoordinatesRow {
    const char *name, *doc;
    int models; /* 1: planar, 2: spatial */
    vgStatus (*build)(const vgModel *, const char *name, const char *constraints, unsigned fast, vgSystem **);
    int first_order; /* 1: v is not the rate of the coordinates; for explicit methods */
    int body_axes;   /* 1: velocities are v in W and ω in body axes, so that the mass matrix is constant */
} vgCoordinatesRow;
extern const vgCoordinatesRow vg_coordinates_list[]; /* name == NULL ends */

enum { /* constraint settings, as flags for what an integrator allows */
       VG_CON_INDEX3 = 1,
       VG_CON_INDEX2 = 2,
       VG_CON_INDEX1 = 4,
       VG_CON_NONE = 8, /* no constraint rows at all: every setting is the same */
       VG_CON_AUGMENTED3 = 16,
       VG_CON_AUGMENTED1 = 32,
       VG_CON_PENALTY = 64,
       VG_CON_INDEPENDENT = 128,
       /* Classes that integrators take as a whole: what an implicit stage can do, and what a method can that
        * asks for accelerations alone. A new setting names its class; a flag of its own it needs only where an
        * integrator names it. */
       VG_CON_BY_STAGE = 256,
       VG_CON_BY_ACCEL = 512,
       VG_CON_STAGE = VG_CON_BY_STAGE | VG_CON_INDEX3 | VG_CON_INDEX2 | VG_CON_INDEX1 | VG_CON_NONE |
                      VG_CON_AUGMENTED3 | VG_CON_AUGMENTED1 | VG_CON_PENALTY | VG_CON_INDEPENDENT,
       VG_CON_ACCEL = VG_CON_BY_ACCEL | VG_CON_INDEX1 | VG_CON_NONE | VG_CON_AUGMENTED1 | VG_CON_PENALTY |
                      VG_CON_INDEPENDENT,
};
typedef struct vgConOption {
    const char *key;
    double fallback, min, max;
    const char *doc;
} vgConOption;
typedef struct vgConstraintsRow {
    const char *name, *doc;
    unsigned flag;
    vgConTraits traits;
    vgConOption option[VG_CON_OPTIONS]; /* key NULL: no more */
    /* The setting over a system with multipliers, which it owns from then on; NULL: the system has it itself
     */
    vgStatus (*over)(vgSystem *inner, vgSystem **out);
} vgConstraintsRow;
extern const vgConstraintsRow vg_constraints_list[]; /* name == NULL ends */
/* The settings that a model gets that names none (chosen by the study of docs/dials.md, scripts/defaults). */
const char *vg_default_coordinates(const vgModel *);
const char *vg_default_constraints(void);

#endif
