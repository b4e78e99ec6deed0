/* Absolute coordinates: every body has its own; joints are constraints. Internal to the room. */
#ifndef VERGE_SYSTEM_ABSOLUTE_ABSOLUTE_H
#define VERGE_SYSTEM_ABSOLUTE_ABSOLUTE_H

#include <stdint.h>

#include "linalg/lin/lin.h"
#include "system/native/native.h"

typedef struct vgChart vgChart;

typedef struct vgAbsBody {
    const vgChart *chart;
    int q0, v0, nq, nv;            /* place in q and v */
    int n0;                        /* first native component among those of all bodies */
    int rotates;                   /* spatial rotation: components 3 4 5 */
    int unit_row;                  /* Euler parameters: row of |e| = 1 among nl, else −1 */
    double mass, mass_inv, weight; /* weight: the mass that gravity pulls */
    vgSelect select;
    vgMat3 J, Jinv;
    /* q, v, k and the motion of a stage: the chart's own, or by retract, rates and kin (absolute/stage.c) */
    void (*advance)(const struct vgAbsBody *, const vgExplicit *, vgKin *);
} vgAbsBody;

/* Where a stage's Newton unknown goes, for charts that need it (see system/chart). Scaled by 1/ca:
 *   δ(pose) = P δ,   δ(twist)/ca = Q δ,   δ(acceleration)/ca = N δ,     each 6×nv row-major */
typedef struct vgChartMaps {
    double P[48], Q[48], N[48];
} vgChartMaps;

/* How a spatially rotating body is described: one file in system/chart, one row in vg_charts. */
struct vgChart {
    const char *name, *doc;
    int nq, nv;
    int unit;         /* 1: a unit-length constraint row */
    int vector_space; /* ⊕ is + */
    int simple;       /* native variations are the coordinates' own: P = I, Q = c1 diag(I,V), N = diag(I,V) */
    int split; /* maps: P, Q, N are 1, cv/ca, 1 (static: 1, 0, 0) in translation, apart from rotation */
    int second_order;
    void (*retract)(const double *q_r, const double *d, double *q);
    void (*local)(const double *q_r, const double *q, double *d);
    void (*rates)(const double *d, const double *q, const double *v, double *d_dot);
    void (*twist)(const double *d, const double *q, const double *d_dot, double *v);
    void (*kin)(const double *q, const double *v, const double *a, vgKin *k); /* a may be NULL */
    void (*advance)(const vgAbsBody *b, const vgExplicit *x, vgKin *k);       /* NULL: not offered */
    void (*from_kin)(const vgKin *k, double *q, double *v);
    void (*velocity)(const double *q, const vgKin *k, double *v); /* v from k->v, k->w */
    void (*acceleration)(const double *q, const double *v, const vgKin *k,
                         double *a);                                             /* a from k->dv, k->dw */
    void (*pull)(const double *q, const vgKin *k, const double n[6], double *r); /* r = Pᵀ n; not simple */
    /* NULL: never. 1: from_kin() would take better coordinates for the same motion than these */
    int (*is_steep)(const double *q);
    void (*move)(const double *q, const double xi[6], double *out); /* q moved by a native variation */
    void (*maps)(const double *q, const double *v, const double *a, const vgKin *k, const vgTangent *p,
                 const double *d, const double *d_dot, vgChartMaps *out);          /* not simple */
    vgMat3 (*stage_map)(const vgTangent *p, const double *d, const double *d_dot); /* simple: rotational V */
};

extern const vgChart *const vg_charts[]; /* NULL-terminated */

/* R³ × SO(3) with whatever local coordinates (chart/lie.c): used by the charts that share q and v. */
void vg_lie_retract(const double *q_r, const double *d, double *q);
void vg_lie_kin(const double *q, const double *v, const double *a, vgKin *k);
void vg_lie_from_kin(const vgKin *k, double *q, double *v);
void vg_lie_velocity(const double *q, const vgKin *k, double *v);
void vg_lie_acceleration(const double *q, const double *v, const vgKin *k, double *a);

typedef struct vgAbs {
    vgSystem base;
    vgArena arena;
    const vgChart *chart;
    int nbody;
    vgAbsBody *body;
    unsigned char *measure_used; /* nmeasure */
    int nmeasure_used, any_inertial, any_level;
    int nunit;
    int all_simple;
    int uniform; /* coordinates of single bodies do not count */
    unsigned char *level;
    double *scale;
    int *row_joint, *v_body;
    vgLaneSet lanes; /* none where a chart is not simple */
} vgAbs;

/* A primitive's place in the matrix: side s (0: a, 1: b). MEASURE primitives have two sides a term. */
typedef struct vgSide {
    int body;    /* −1 none */
    double *row; /* block (joint node, body): rows × nv, row-major, at this primitive's first active row */
    double *col; /* block (body, joint node) when the row is not the mirror of the column, else NULL */
    int ldcol;
} vgSide;

typedef struct vgPrimPlace {
    int nrow;                   /* active rows */
    int from[VG_PRIM_MAX_ROWS]; /* which rows of the primitive they are */
    vgSide *side;               /* nside of the matrix's sides */
    int nside;
} vgPrimPlace;

typedef struct vgRange {
    size_t from, n;
} vgRange;

typedef struct vgMatrix { /* a matrix on the graph with the addresses of its blocks */
    vgLin *lin;
    double **diag;       /* per body */
    vgPrimPlace *place;  /* per primitive */
    vgSide *side;        /* of all primitives, one after the other */
    double **cross;      /* exact: blocks (a,b) of a primitive's two bodies, 2 per primitive, or NULL */
    vgForcePlace *force; /* per force */
    double **lane;       /* blocks of the lanes' groups: at VG_LANES (nbody a + b) + lane of each */
    uint64_t *fresh;     /* a bit for each of these: the first to write to the block */
    vgRange *clear;      /* what is left to be cleared, nclear ranges */
    int nclear;
    double **unit; /* per body: block of the unit row, or NULL */
    int *v_offset; /* per body: its place in the solve vector (= its v0 in that matrix) */
    int *row_at;   /* per row of nl: place in the solve vector, −1 inactive */
    int *row_of;   /* back: solve index → row of nl (or −1) */
    int native;    /* native columns (select.n a body) instead of the chart's */
    int nforce, nlist;
    int *list, *node;          /* the bodies that are in it; per body: its node, −1 none */
    const unsigned char *skip; /* per group of lanes: 1 = not in it; NULL: all are */
    double *x;                 /* solve vector */
    struct vgLoose *loose;     /* couplings of bodies that touch; NULL: no kind with `crowd` */
    int touched;               /* 1: the last factorisation was made with them */
} vgMatrix;

typedef struct vgAbsWork {
    vgWork base;
    vgArena arena;
    vgNative native_motion;
    vgKin *kin; /* the same arrays as in native_motion */
    vgPrimOut *prim;
    vgMeasureOut *measure;
    double *native;            /* 6 nbody: native residual */
    vgChartMaps *maps;         /* nbody when some chart is not simple */
    double *own;               /* 36 a body, with maps: its geometric stiffness, native */
    vgMatrix main, nat, exact; /* nat.lin == main.lin when all charts are simple; exact made on demand */
    struct vgSweep *sweep;     /* NULL: not a tree that absolute/sweep.c knows */
    struct vgLines *lines;     /* NULL: no lines that absolute/lines.c knows */
    vgLinNode *hint;           /* njoint: `pass` and `wait` of their rows in the elimination */
    vgMat3 *V;                 /* nbody: rotational stage maps, or identities */
    vgMatrix *solve_with;      /* the matrix of the last factorisation */
    int ahead;                 /* lanes: the next residual fills the main matrix */
    vgMatrix *filled;          /* the matrix that has the lanes already, with c2 and one */
    double ahead_c2, ahead_one;
    double *scratch_r; /* nv */
    double *zero;      /* max(nq, nv) zeros */
    double *xi;        /* 6 nbody native scratch */
    double *lam;       /* nl scratch */
} vgAbsWork;

/* Beside the fast paths: no body has coordinates of its own. */
#define VG_ABS_UNIFORM (1u << 31)
vgStatus vg_abs_new(const vgModel *m, const vgChart *chart, const char *constraints, unsigned fast,
                    vgSystem **out);

/* absolute/eval.c */
void vg_abs_kin(const vgAbs *s, vgAbsWork *w, const double *q, const double *v, const double *a);
void vg_abs_kin_plain(const vgAbsBody *b, const double *q, const double *v, const double *a, vgKin *k);
void vg_abs_inertia(const vgAbs *s, const vgAbsWork *w, int moving, double *native);
void vg_abs_inertia_of(const vgAbs *s, const vgAbsWork *w, int body, int moving, double *native);
void vg_abs_kin_of(const vgAbs *s, vgAbsWork *w, int body, const double *q, const double *v, const double *a);
void vg_abs_residual(const vgSystem *, vgWork *, double t, const double *q, const double *v, const double *a,
                     const double *lambda, double *r, double *phi);
double vg_abs_potential(const vgSystem *, vgWork *, double t, const double *q, double *f);
/* Euler parameters: weight of the squared unit-length equation in the matrix, of the size of the inertia beside it. */
static inline double vg_abs_unit_sigma(const vgAbsBody *b)
{
    return 4 * (b->J.m[0][0] + b->J.m[1][1] + b->J.m[2][2]) / 3;
}
/* absolute/matrix.c */
/* lines, NULL: none: without the bodies and elements that are eliminated with their lines */
vgStatus vg_abs_matrix_new(const vgAbs *s, int native, int exact, const struct vgLines *lines,
                           const vgLinNode *hint, vgMatrix *out);
void vg_abs_matrix_free(vgMatrix *m);
vgStatus vg_abs_matrices(const vgAbs *s, vgAbsWork *w); /* main and nat, where they do not exist */
/* absolute/tangent.c */
vgStatus vg_abs_factor(const vgSystem *, vgWork *, const vgTangent *);
vgStatus vg_abs_assemble(const vgSystem *, vgWork *, const vgTangent *, vgSaddle *);
/* The tangent at the motion of the bodies of m in w->kin, into m, whose lanes may be filled already. */
void vg_abs_fill(const vgAbs *s, vgAbsWork *w, vgMatrix *m, const vgTangent *p);
/* vg_abs_fill in pieces, in this order, with the matrix cleared before: stage maps; group k of lanes; inertia of body
 * k; other parts of lanes; force k; constraint equations of primitive k; their stiffness; native sums of body k;
 * unit-length equations; additions of factor(). */
typedef enum vgAbsPart {
    VG_ABS_MAPS,
    VG_ABS_GROUP,
    VG_ABS_INERTIA,
    VG_ABS_SPINS,
    VG_ABS_FORCE,
    VG_ABS_ROWS,
    VG_ABS_STIFFNESS,
    VG_ABS_OWN,
    VG_ABS_UNITS,
    VG_ABS_UNIT_SQUARES
} vgAbsPart;
void vg_abs_fill_part(const vgAbs *s, vgAbsWork *w, vgMatrix *m, const vgTangent *p, vgAbsPart part, int k);
/* The native matrix [M Bᵀ; B 0] at the motion in w->kin (and the gradients in w->prim): accelerations,
 * projections. */
vgStatus vg_abs_factor_native(const vgAbs *s, vgAbsWork *w, double t);
/* absolute/solution.c */
/* Factorises the filled matrix. */
vgStatus vg_abs_finish(vgWork *work, vgMatrix *m, int nv);
/* x := A⁻¹ x with the last factorisation. */
void vg_abs_solve_matrix(vgMatrix *m, double *x);
/* Which equation a failed factorisation means; its status. */
vgStatus vg_abs_conclude(vgWork *work, const vgMatrix *m, int nv, vgStatus st);
void vg_abs_solve(const vgSystem *, vgWork *, double *x_v, double *x_l);
/* [M Bᵀ; B 0](xi, lambda) = (−force, rows) at the motion in w->kin and the gradients in w->prim: force 6
 * nbody (NULL: zero), rows and lambda by the model's rows (may be the same) */
vgStatus vg_abs_solve_native(const vgAbs *s, vgAbsWork *w, double t, const double *force, const double *rows,
                             double *xi, double *lambda);
/* absolute/pieces.c */
int vg_abs_pieces(const vgSystem *, const vgWork *, double *cost, int *assembled);
vgStatus vg_abs_piece(const vgSystem *, vgWork *, const vgTangent *, int i);
/* absolute/lines.c */
vgStatus vg_abs_lines_increment(const vgAbs *s, vgAbsWork *w, const vgTangent *p, const vgAffine *affine,
                                double *x_v, double *x_l, vgIteration *out);
void vg_abs_lines_again(const vgAbs *s, vgAbsWork *w, double *x_v, double *x_l);
vgStatus vg_abs_lines_iterate(const vgAbs *s, vgAbsWork *w, const vgAffine *affine, vgIteration *out);
/* absolute/sweep.c */
vgStatus vg_abs_increment(const vgSystem *, vgWork *, const vgTangent *, double *x_v, double *x_l,
                          double *open);
void vg_abs_again(const vgSystem *, vgWork *, double *x_v, double *x_l);
vgStatus vg_abs_iterate(const vgSystem *, vgWork *, const vgAffine *, vgIteration *);
/* absolute/lanes.c */
vgStatus vg_abs_lanes_place(const vgAbs *s, vgMatrix *m);
void vg_abs_lanes_forces(const vgAbs *s, vgAbsWork *w, double *native); /* native −= f */
/* In parts: what no group writes first is cleared; one group. */
void vg_abs_lanes_clear(vgMatrix *m);
void vg_abs_lanes_add_group(const vgAbs *s, vgAbsWork *w, vgMatrix *m, double c2, double one, int group);
/* Overwrites the matrix: the elements in lanes, zeros elsewhere. native −= f; NULL: not wanted */
void vg_abs_lanes_add(const vgAbs *s, vgAbsWork *w, vgMatrix *m, double c2, double one, double *native);
void vg_abs_spins_add(const vgAbs *s, vgAbsWork *w, vgMatrix *m, const vgMat3 *V, double c1, double c2,
                      double one);
void vg_abs_damping_add(const vgAbs *s, vgAbsWork *w, vgMatrix *m, const vgMat3 *V, double c1);
void vg_abs_ahead(const vgSystem *, vgWork *, const vgTangent *);
/* absolute/split.c: D += the inertia of a body of a split chart, and c2 Pᵀ K P (K native, NULL: none) */
void vg_abs_add_split(const vgAbsBody *b, const vgChartMaps *maps, const vgMat3 *gyro, const double *K,
                      double c2, double one, double *D);
/* absolute/accel.c, absolute/stage.c */
vgStatus vg_abs_accel(const vgSystem *, vgWork *, double t, const double *q, const double *v, double *a,
                      double *lambda);
void vg_abs_advance(const vgAbsBody *b, const vgExplicit *x, vgKin *kin);
vgStatus vg_abs_stage(const vgSystem *, vgWork *, const vgExplicit *);
void vg_abs_levels_here(const vgSystem *, vgWork *, double t, const double *q, const double *v,
                        const double *a, double *phi, double *phi_dot, double *phi_ddot);
void vg_abs_levels(const vgSystem *, vgWork *, double t, const double *q, const double *v, const double *a,
                   double *phi, double *phi_dot, double *phi_ddot);
vgStatus vg_abs_project_q(const vgSystem *, vgWork *, double t, double *q, double tol, int max_iter,
                          int *iter);
double vg_abs_row_terms(const vgSystem *, vgWork *, double t, int row);
vgStatus vg_abs_project_v(const vgSystem *, vgWork *, double t, const double *q, double *v);
void vg_abs_jacobian_scale(const vgSystem *, const vgWork *, double *scale);
int vg_abs_jacobian(const vgSystem *, vgWork *, double t, const double *q, int *start, int *col,
                    double *value);

#endif
