/* Natural coordinates (García de Jalón): bodies by points and unit vectors. Internal to the room.
 * Equations: docs/theory.md, 61–66.
 *
 * The coordinates are nodes: points and unit vectors of 3 numbers (planar models: 2), some of them shared by
 * the bodies they belong to. A body has as many nodes as fix its frame: a point mass 1, a planar body 2, a
 * spatial one 4. Its position r and axes e1 e2 e3 are constant linear combinations of its nodes, and so are
 * all its points and vectors ("atoms"):
 *     y = (r, e1, e2, e3) = W x,      planar: (r, e1) with complex weights, since e2 is e1 turned by 90°.
 * Hence the mass matrix is constant, rigidity is quadratic, and so are nearly all joints.
 * Nodes that belong to the ground are constants and not among the coordinates. */
#ifndef VERGE_SYSTEM_NATURAL_NATURAL_H
#define VERGE_SYSTEM_NATURAL_NATURAL_H

#include "linalg/lin/lin.h"
#include "system/native/native.h"

enum { VG_NAT_NODES = 4, VG_NAT_PARTS = 8 };

typedef struct vgWeight { /* planar: re + i·im, turns and scales; spatial: re */
    double re, im;
} vgWeight;

static inline vgVec3 vg_weigh(vgWeight w, vgVec3 x)
{
    return vg_v3(w.re * x.x - w.im * x.y, w.re * x.y + w.im * x.x, w.re * x.z);
}

static inline vgWeight vg_conj(vgWeight w)
{
    return (vgWeight){w.re, -w.im};
}

static inline vgWeight vg_weight_times(vgWeight a, vgWeight b)
{
    return (vgWeight){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

typedef struct vgNatNode {
    int at, dim; /* first coordinate, how many */
    int point;   /* 1: point, 0: vector (or scalar) */
    int body;    /* the first body that has it */
    int users;   /* bodies that have it */
} vgNatNode;

/* A node as a body sees it. */
typedef struct vgNatItem {
    int point;
    vgVec3 local; /* where it is on the body: from the centre of mass, body axes */
    int root;     /* number of the node, also of fixed ones */
    int node;     /* among the coordinates; −1: fixed on the ground */
    vgVec3 fixed; /* then its value */
} vgNatItem;

typedef struct vgNatBody {
    int ny; /* vectors of y: 1 point or scalar, 2 planar, 4 spatial */
    vgSelect select;
    int n;   /* items, = ny */
    int ref; /* the point from which directions to others are taken */
    vgNatItem item[VG_NAT_NODES];
    vgWeight W[4][VG_NAT_NODES]; /* y_i = Σ_k W[i][k] x_k */
    double M[4][4];              /* inertia of y: diag(m, ½ tr J 1 − J); planar diag(m, J) */
    double mass, weight;         /* weight: the mass that gravity pulls */
    int needed;                  /* force elements or native rows look at it */
    double
        sigma; /* > 0: its rigidity rows are added to its inertia in the matrices (see natural/tangent.c) */
} vgNatBody;

typedef struct vgNatPart {
    int node;
    vgWeight w;
} vgNatPart;

/* A point or vector as a function of the coordinates: c + Σ w x_node */
typedef struct vgNatForm {
    vgVec3 c;
    int n;
    vgNatPart part[VG_NAT_PARTS];
} vgNatForm;

/* The same in the system: its parts are among all parts. */
typedef struct vgNatAtom {
    vgVec3 c;
    int first, n;
} vgNatAtom;

/* Φ = Σ s A·B − c − f(t), or (component ≥ 0) that component of A − f(t) */
typedef struct vgNatRow {
    int nterm;
    struct {
        int a, b;
        double s;
    } term[2];
    int component;
    double c;
    const vgLaw *law;
    int body;           /* ≥ 0: rigidity of this body */
    int item_a, item_b; /* then between these directions */
    double sigma;       /* of its body, in the scale of the row */
    int prim;           /* ≥ 0: of this primitive */
} vgNatRow;

typedef struct vgNatMass { /* an entry of the mass matrix: block (a, b) is m, block (b, a) its conjugate */
    int a, b;              /* nodes, a ≤ b */
    vgWeight m;
} vgNatMass;

/* A point or vector of a joint that is one node of both bodies: it needs no equation, and the reaction is what the
 * node transmits (natural/reaction.c). Children come before their parents. */
typedef struct vgNatPass {
    int joint;
    int child, parent; /* places in the list of 4·body + item; parent −1: ground */
    int child_is_b;
    int point;
} vgNatPass;

typedef struct vgNat {
    vgSystem base;
    vgArena arena;
    int nbody, nnode, natom, nmass, npass, nroot;
    vgNatNode *node;
    vgNatBody *body;
    vgNatAtom *atom;
    vgNatPart *part;
    int npart;
    vgNatRow *row;  /* per row of nl; native rows have nterm = 0 and component −1 */
    int *model_row; /* per model row: row of nl, −1: held by shared nodes */
    vgNatMass *mass;
    vgNatPass *pass;
    double *weight; /* nv: gravity's forces */
    unsigned char *native_prim, *measure_used;
    int nmeasure_used, any_inertial, any_level, any_native;
    unsigned char *level;
    double *scale;
    int *row_joint, *v_body;
} vgNat;

/* ---- matrices ---- */

typedef struct vgSpot { /* block (a, b) of two nodes inside a block of the graph */
    double *p;
    int ld;
} vgSpot;

typedef struct vgNatStiff { /* spot += λ_row m */
    int row, dim;
    vgWeight m;
    vgSpot spot;
} vgNatStiff;

typedef struct vgNatGrad { /* entries (row, node) += s conj(w) ∘ atom */
    int atom, dim;
    double s;
    vgWeight w;
    double *p;
} vgNatGrad;

typedef struct vgNatConst { /* the same, constant */
    double *p;
    double value;
} vgNatConst;

/* σ gᵀg of a rigidity row: gradient addresses of its nodes and the spots of all pairs */
typedef struct vgNatStiffen {
    int row, n;
    int node[VG_NAT_NODES];
    double sigma, now; /* as given (< 0: as the blocks say); in the last matrix */
    double *g[VG_NAT_NODES];
    vgSpot spot[VG_NAT_NODES][VG_NAT_NODES];
} vgNatStiffen;

typedef struct vgNatSide { /* native row of a primitive on one body: addresses of its nodes */
    int body;
    double *row[VG_NAT_NODES], *col[VG_NAT_NODES]; /* at the primitive's first active row; NULL: fixed */
    int ldrow[VG_NAT_NODES], ldcol;
} vgNatSide;

typedef struct vgNatPlace {
    int nrow, from[VG_PRIM_MAX_ROWS];
    int nside;
    vgNatSide side[2 * VG_PRIM_MAX_TERMS];
    vgSpot *cross; /* exact: spots of the nodes of side b by those of side a, then a by b; NULL: none */
} vgNatPlace;

typedef struct vgNatMatrix {
    vgLin *lin;
    int *node_lin, *node_at; /* per node: graph node, first row inside it */
    int *row_at, *row_of;    /* as vgMatrix */
    double *constant;        /* the values that never change: M and linear rows */
    vgSpot *mass;            /* 2 per mass entry */
    int nstiff, ngrad, nconst, nstiffen;
    vgNatStiff *stiff;
    vgNatGrad *grad;
    vgNatConst *fixed;
    vgNatStiffen *stiffen;
    vgNatPlace *place;   /* per primitive; of native ones */
    vgSpot *own;         /* 16 per body: spots of its own nodes */
    vgForcePlace *force; /* per force; block: unused */
    vgSpot **force_spot; /* per force: (4 nu)² spots */
    double *x;
    int *v_at; /* nv: place of a coordinate in the solve vector */
} vgNatMatrix;

/* Native variations by a body's nodes (see natural/eval.c), 6 × 3n row-major, scaled as in absolute.h. */
typedef struct vgNatMaps {
    double P[72], Q[72], N[72];
} vgNatMaps;

typedef struct vgNatWork {
    vgWork base;
    vgArena arena;
    vgNative motion; /* native_prim: rows that are not made of atoms */
    vgNative all;    /* the same with all primitives that have rows, for reactions */
    int *all_list;
    vgVec3 *xn, *vn, *an; /* per node: where it is and its derivatives */
    vgVec3 *x, *dx, *ddx; /* per atom: value and derivatives */
    double *native;       /* 6 nbody */
    double *xi;           /* 6 nbody */
    vgNatMaps *maps;      /* per body */
    double *own;          /* 108 per body: native K, C, M of all elements on the body itself */
    vgNatMatrix main, exact;
    vgNatMatrix *solve_with;
    double *lambda_model; /* model rows */
    double *phi_model;
    double *scratch_r, *scratch_l;
    vgVec3 *pass;         /* 4 nbody: what the nodes of the bodies pass on */
    const double *passed; /* the multipliers of pass, NULL: not made */
    int have_a, have_kin; /* accelerations were given; kin of all bodies is that of the nodes */
} vgNatWork;

vgStatus vg_nat_new(const vgModel *m, const char *constraints, unsigned fast, vgSystem **out);

/* natural/nodes.c: nodes, weights, passes */
vgStatus vg_nat_nodes(vgNat *s);
/* natural/share.c: items that joined bodies share; rows of the model that need none */
vgStatus vg_nat_share(vgNat *s);
/* natural/rows.c: atoms, rows, mass */
vgWeight vg_nat_weight(const vgNatBody *b, int item, vgVec3 local, int point);
vgNatForm vg_nat_form_on(const vgNat *s, int body, vgVec3 local, int point);
vgStatus vg_nat_rows(vgNat *s);
/* natural/eval.c */
static inline vgVec3 vg_nat_load(const vgNatNode *n, const double *q)
{
    const double *x = q + n->at;
    return vg_v3(x[0], n->dim > 1 ? x[n->dim > 1] : 0, n->dim > 2 ? x[n->dim > 2 ? 2 : 0] : 0);
}
static inline void vg_nat_add(const vgNatNode *n, double *r, vgVec3 f)
{
    double *x = r + n->at;
    x[0] += f.x;
    if (n->dim > 1) x[1] += f.y;
    if (n->dim > 2) x[2] += f.z;
}
/* nodes and atoms at this motion (v, a may be NULL: zero) */
void vg_nat_motion(const vgNat *s, vgNatWork *w, const double *q, const double *v, const double *a);
void vg_nat_rates(const vgNat *s, vgNatWork *w); /* rates of the atoms */
/* native motion of the bodies that elements look at, or of all */
void vg_nat_kin(const vgNat *s, vgNatWork *w, int all);
/* g_i += forces along y_i of a native wrench */
void vg_nat_pull(const vgNatBody *b, const vgVec3 *e, const double n[6], vgVec3 g[4]);
void vg_nat_axes(const vgNatBody *b, const vgVec3 *x, vgVec3 y[4]);
/* In parts: before and after the force elements; between them and all at once. */
void vg_nat_native_begin(const vgNat *s, vgNatWork *w);
void vg_nat_native_end(const vgNat *s, vgNatWork *w, double t, const double *lambda, double *phi);
void vg_nat_native(const vgNat *s, vgNatWork *w, double t, const double *lambda, double *phi);
void vg_nat_spread(const vgNat *s, const vgNatBody *b, const vgVec3 g[4], double *r);
void vg_nat_residual(const vgSystem *, vgWork *, double t, const double *q, const double *v, const double *a,
                     const double *lambda, double *r, double *phi);
/* value, velocity and bias of a row by atoms */
void vg_nat_row(const vgNat *s, const vgNatWork *w, int row, double t, double *phi, double *dot,
                double *bias);
void vg_nat_levels(const vgSystem *, vgWork *, double t, const double *q, const double *v, const double *a,
                   double *phi, double *phi_dot, double *phi_ddot);
/* natural/matrix.c */
vgStatus vg_nat_matrix_new(const vgNat *s, int exact, vgNatMatrix *out);
void vg_nat_matrix_free(const vgNat *s, vgNatMatrix *m);
/* natural/tangent.c */
vgStatus vg_nat_factor(const vgSystem *, vgWork *, const vgTangent *);
int vg_nat_pieces(const vgSystem *, const vgWork *, double *cost, int *assembled);
vgStatus vg_nat_piece(const vgSystem *, vgWork *, const vgTangent *, int i);
vgStatus vg_nat_constant(const vgNat *s, vgNatMatrix *m);
vgStatus vg_nat_assemble(const vgSystem *, vgWork *, const vgTangent *, vgSaddle *);
vgStatus vg_nat_factor_mass(const vgNat *s, vgNatWork *w, double t);
void vg_nat_solve(const vgSystem *, vgWork *, double *x_v, double *x_l);
void vg_nat_solve_at_once(const vgSystem *, vgWork *, double *x_v, double *x_l); /* lin.h */
/* natural/accel.c */
vgStatus vg_nat_accel(const vgSystem *, vgWork *, double t, const double *q, const double *v, double *a,
                      double *lambda);
double vg_nat_row_terms(const vgSystem *, vgWork *, double t, int row);
vgStatus vg_nat_project_q(const vgSystem *, vgWork *, double t, double *q, double tol, int max_iter,
                          int *iter);
vgStatus vg_nat_project_v(const vgSystem *, vgWork *, double t, const double *q, double *v);
int vg_nat_jacobian(const vgSystem *, vgWork *, double t, const double *q, int *start, int *col,
                    double *value);
/* natural/reaction.c */
void vg_nat_reaction(const vgSystem *, vgWork *, double t, const double *lambda, int joint, double wrench[6]);

#endif
