/* A flexible body in a floating frame: the frame of an undeformed body with its mass and inertia, and shapes
 * of deformation with amplitudes (Shabana, Dynamics of Multibody Systems, ch. 5). A point of the body is at
 *
 *     x = p + R r,    r = X + Σ_a c_a(η) ψ_a(X),        c = (η_1 … η_m, η_i η_j …)
 *
 * with X from the centre of mass of the undeformed body. The first m shapes are modes, the others belong to
 * products of two amplitudes: that is how foreshortening enters, exactly and with all its inertia.
 *
 * The frame is a body of the model and has the mass and the inertia of the undeformed body; amplitudes are
 * the components of hidden bodies, three in each. The element adds what the deformation adds: inertia by the
 * integrals P, Q, M over the shapes, stiffness, damping, weight. */
#ifndef VERGE_ELEMENT_MODAL_MODAL_H
#define VERGE_ELEMENT_MODAL_MODAL_H

#include "base/arena.h"
#include "element/force/force.h"
#include "element/beam/section.h"

enum {
    VG_MODAL_MAX_MODES = 3 * (VG_FORCE_MAX_BODIES - 1),
    VG_MODAL_MAX_BENT = 9, /* the first modes, which may have products: three carriers */
    VG_MODAL_MAX_SHAPES = VG_MODAL_MAX_MODES + VG_MODAL_MAX_BENT * (VG_MODAL_MAX_BENT + 1) / 2
};

/* A point where joints and forces can hold on. */
typedef struct vgModalNode {
    const char *name;
    vgVec3 at;      /* undeformed, from the body's own frame */
    vgVec3 *t, *r;  /* [nshape] displacement and small rotation in each shape */
    double *stress; /* [6 nmode] stress resultants (axial, shear y, z, torsion, bending y, z), or NULL */
} vgModalNode;

typedef struct vgModal {
    int nmode, nshape;
    int (*product)[2]; /* [nshape − nmode] amplitudes whose product is the coefficient, first ≤ second */
    double mass;
    vgVec3 com;     /* in the body's own frame */
    vgMat3 inertia; /* about the centre of mass */
    double *K, *C;  /* [nmode²] stiffness, damping */
    double *M;      /* [nshape²] ∫ρ ψ_a·ψ_b, and whatever else moves with the amplitudes */
    vgVec3 *P;      /* [nshape] ∫ρ ψ_a */
    vgMat3 *Q;      /* [(nshape + 1)²] ∫ρ ψ_a ψ_bᵀ, row and column 0 for X from the centre of mass */
    int nnode;
    vgModalNode *node;
} vgModal;

/* The element: frame and carriers of the amplitudes are bodies of the model. */
typedef struct vgModalForce {
    vgForceHead head;
    const vgModal *data;
    int frame, carrier; /* body; the first of (nmode + 2)/3 */
} vgModalForce;

extern const vgForceKind vg_force_modal; /* not in the list: a flexible body makes it */

static inline int vg_modal_carriers(const vgModal *b)
{
    return (b->nmode + 2) / 3;
}

static inline vgMat3 *vg_modal_Q(const vgModal *b, int a, int c)
{
    return &b->Q[a * (b->nshape + 1) + c];
}

/* Memory for a body with so many modes, products and nodes; 0: no room. */
int vg_modal_alloc(vgPool *pool, int nmode, int nproduct, int nnode, vgModal *out);

/* c(η) and its two time derivatives, each [nshape]; eta: value, rate, acceleration, [nmode] each. */
void vg_modal_coefficients(const vgModal *b, const double *const eta[3], double *c, double *d, double *e);
/* Position from the body's own frame and small rotation of a node at coefficients c; velocities for ċ. */
vgVec3 vg_modal_node_shift(const vgModal *b, int node, const double *c);
vgVec3 vg_modal_node_turn(const vgModal *b, int node, const double *c);

/* Damping by the ratio of every mode of (M, K): C += M V diag(2 ζ ω) Vᵀ M. */
vgStatus vg_modal_damp(vgModal *b, double ratio);

/* Contribution of the deformation to inertia and weight: outputs as in vgForceOut, amplitude i at native component
 * 6 (1 + i/3) + i%3. */
void vg_modal_inertia(const vgModal *b, const vgKin *frame, const double *const eta[3], vgVec3 gravity,
                      vgForceOut *out);
double vg_modal_kinetic(const vgModal *b, const vgKin *frame, const double *const eta[3]);
double vg_modal_weight(const vgModal *b, const vgKin *frame, const double *eta, vgVec3 gravity);

/* ---- where bodies come from ---- */

/* How a beam's frame is held, and so which displacements of its ends are free of it. */
typedef enum vgModalSupport {
    VG_MODAL_CLAMPED, /* the frame is the first end's */
    VG_MODAL_PINNED,  /* origin at the first end, x axis through the second */
    VG_MODAL_FREE     /* mean axes: modes of the free beam */
} vgModalSupport;

typedef struct vgModalBeam {
    double length;
    vgSection section;
    int planar;
    vgModalSupport support;
    int modes;          /* lowest modes that are kept */
    int ends;           /* 1: shapes of unit displacements of the ends first (Craig–Bampton) */
    int foreshortening; /* 1: bending shortens the beam */
    double damping;     /* s, by the stiffness */
    int nnode;
    const double *station; /* [nnode] along the beam */
    const char *const *name;
} vgModalBeam;

/* A straight beam along x of the body's own frame, shear-deformable, by polynomials. VG_BAD_INPUT: *why. */
vgStatus vg_modal_beam(const vgModalBeam *def, vgPool *pool, vgModal *out, const char **why);

/* The `keep` lowest modes of (K, M), one after the other in V (keep × n), from M x = μ (K + shift M) x: so
 * that the large frequencies of stiff directions do not spoil the small ones, and M may be singular. K +
 * shift M must be positive definite. VG_SINGULAR: it is not, or so many modes have no mass. */
vgStatus vg_modal_lowest(int n, const double *K, const double *M, double shift, int keep, double *V);
/* Craig–Bampton: of the symmetric n × n matrices K and M the first nb coordinates are the boundary; T (n ×
 * (nb + keep), by rows) has the static shapes of unit displacements of each, then the lowest modes with the
 * boundary held. VG_SINGULAR: the interior can move without strain, or the mass is not positive. */
vgStatus vg_modal_craig_bampton(int n, const double *K, const double *M, int nb, int keep, double *T);
/* Y (m × m) := Tᵀ A T, A n × n, T n × m by rows. VG_NO_MEMORY. */
vgStatus vg_modal_project(int n, int m, const double *A, const double *T, double *Y);

#endif
