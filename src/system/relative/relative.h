/* Relative coordinates: the joint coordinates of a spanning tree (docs/theory.md, eq. 53–55). Internal to
 * the room.
 *
 * Every body is a link of the tree. Its spatial vectors (6: linear, angular) are written in world axes about
 * its centre of mass p_i; d_i = p_i − p_parent carries them from parent to link:
 *     V_i = X V_p + S_i v_i,      X V = (V_v + V_w × d, V_w)
 *     A_i = X A_p + S_i a_i + c_i,   c_i = X V_p × S_i v_i + (Ṡ v in link axes)
 *     F_i = I_i A_i + b_i − f_i + Σ_children Xᵀ F_c,      r_i = S_iᵀ F_i
 * A is the spatial acceleration (V̇ at a point fixed in space), so v̇ = A_v + w × v; the ground's is −g, which
 * makes weight part of inertia. Featherstone, Rigid Body Dynamics Algorithms, 2008. */
#ifndef VERGE_SYSTEM_RELATIVE_RELATIVE_H
#define VERGE_SYSTEM_RELATIVE_RELATIVE_H

#include <stdint.h>

#include "linalg/lin/lin.h"
#include "math/lanes.h"
#include "model/topology.h"
#include "system/native/native.h"
#include "system/tree.h"

/* Joints whose motion is written out; the others go through their table. Sines and cosines of all angles are
 * made beforehand, four at a time. */
typedef enum vgLinkWay {
    VG_LINK_ANY,
    VG_LINK_HINGE, /* R_PC = Rz(±q), no translation */
    VG_LINK_CARDAN, /* R_PC = Rz(q1) C Rz(q2), or that times Cᵀ, C the cyclic permutation that takes z to x */
    VG_LINK_SLIDER, /* along ±z */
    VG_LINK_FLOAT   /* vg_tree_floating, the centre of mass in W */
} vgLinkWay;

/* The link's own axes ("tree axes") are those of its joint frame, so that a hinge turns about z. */
typedef struct vgLink {
    int body, parent; /* parent link, −1 ground */
    int q0, v0, nq, nv;
    vgLinkWay way;
    int turn;  /* ±1: the sign of a hinge or slider; a Cardan joint: 1, or −1 with Cᵀ */
    int angle; /* place of its sines, a Cardan joint: the first of two, VG_LANES apart where it is in a four
                */
    int angle2;
    int constant; /* S in link axes does not depend on q, no bias */
    int flipped, leaf, weightless;
    int first; /* 1: of the parent's children the one visited first (from the end): it clears the accumulator */
    int slot;     /* accumulator for the children's inertia */
    int own_axes; /* tree axes = body axes */
    double mass;
    vgMat3 J;      /* about the centre of mass, tree axes */
    vgMat3 E;      /* joint frame on the parent, in the parent's tree axes (ground: W) */
    vgVec3 rP, rC; /* joint frames' origins from the centres of mass, in tree axes of parent and link */
    double *S;     /* 6×nv row-major in tree axes about the centre of mass, where constant */
    vgMat3 Q;      /* R_body,tree */
    const vgJointMotion *motion;
    const vgJointDef *def;
} vgLink;

enum { VG_TREE_INERTIA = 56 }; /* numbers of an accumulated inertia with its bias (relative/accel.c) */

/* What moves of a link. First what the links beyond it look at; a multiple of four numbers, for lanes. */
typedef struct vgLinkMotion {
    vgMat3 R; /* tree axes in W */
    vgVec3 p, v, w;
    double A[6];
    vgVec3 d;
    double c[6], F[6], spare;
} vgLinkMotion;

/* A link, or up to four hinges or Cardan joints at the same depth, side by side. */
typedef struct vgLinkFour {
    vgLinkWay way;
    int link[VG_LANES]; /* the last is repeated */
    int shared;         /* 1: all have the same parent */
    int own_axes;
    vgLane turn, mass;
    vgLane3 rP, rC;
    vgLane33 E, J, Q;
} vgLinkFour;

typedef struct vgLinkTask {
    int link, four; /* the other is −1 */
} vgLinkTask;

typedef struct vgTree {
    vgSystem base;
    vgArena arena, fours;
    int ntask, nfour, nangle; /* nangle: a multiple of VG_LANES */
    vgLinkTask *task;         /* from the ground outwards */
    vgLinkFour *four;
    int *angle; /* per angle: its q */
    int *order; /* links from the ground outwards, by their depth in the tree */
    vgTopology *tree;
    vgJointDef no_joint; /* of floating bodies */
    int nlink, nslot;
    vgLink *link;
    double *S;              /* of all links */
    int *link_of;           /* per body */
    int *dof_link;          /* per v */
    unsigned char *closure; /* per primitive: its rows are constraints */
    int *row_model;         /* nl: the model's row */
    int *model_row;         /* model rows: ours or −1 */
    unsigned char *measure_used;
    int nmeasure_used, any_inertial, any_level;
    vgTreeCoordinate *
        joint_force; /* per force: the one coordinate it acts along; v = −1: it acts through the native motion */
    int nnative_force;   /* forces that need the native motion */
    int native_inertia;  /* some of them have inertia */
    int forces_measure;  /* some of them look at measures, whose rates' derivatives tangents need */
    int explicit_mass;   /* accelerations by an explicit matrix: loops, or inertia between links */
    int explicit_matrix; /* stages by an explicit matrix: loops, or forces between links */
    unsigned char *level;
    double *scale, *closes;
    int *row_joint, *v_body;
} vgTree;

typedef struct vgTreeMatrix vgTreeMatrix;

typedef struct vgTreeWork {
    vgWork base;
    vgArena arena;
    vgNative native_motion;
    vgForcePlace *force;
    vgLinkMotion *m; /* nlink + 1: the last is the ground */
    double *sine;    /* nangle sines, then as many cosines */
    double *S;       /* 6 per v: columns in W */
    double *wrench;  /* 6 nlink: −applied + Bᵀλ, in W about the centres of mass */
    int have_wrench; /* 0: all zero, not filled */
    double *native;  /* 6 nbody scratch */
    double *tau;     /* nv: applied along joint coordinates */
    double *rotor;   /* nv: inertia along joint coordinates */
    double *stiffness,
        *damping; /* nv: ∂τ/∂q, ∂τ/∂v of elements along joint coordinates; NULL: there are none */
    double *U, *D, *u; /* articulated bodies: 6 per v; link blocks nv² at 6 v0; nv */
    double *acc;       /* nslot accumulators of VG_TREE_INERTIA: inertia and bias */
    double *slots;     /* nslot accumulators of 6×18 for tangents */
    int *extra_of;     /* per link: its place in extra, −1 none; NULL: no force acts on a single link */
    int *cross_of;     /* per link: its place in cross, −1 none; NULL: no force acts between neighbours */
    double *cross;     /* two 6×18 each: on the link by the parent's motion, on the parent by the link's */
    double *extra;     /* 6×18 each: tangents of forces on the link */
    double *sigma, *h, *col,
        *pivot;    /* tangent, per v: 18, 18, 6; link blocks nv² at 6 v0 (explicit matrix: ∂Sᵀ/∂q F) */
    double *y, *G; /* 18 per link, 6 per link */
    double *lam, *xi;         /* model rows; 6 nbody */
    double *phi, *dot, *ddot; /* model rows */
    double *scratch_r, *zero; /* nv; max(nq, nv) zeros */
    double *lambda_model;     /* model rows */
    vgTreeMatrix *matrix;     /* NULL: not needed */
    int have_reactions;
    double *q_old;              /* nq scratch */
    double *q_at, *v_at, *a_at; /* motion last given to kinematics, for elements along joints */
} vgTreeWork;

vgStatus vg_tree_new(const vgModel *m, const char *constraints, unsigned fast, vgSystem **out);

extern const vgJointMotion vg_tree_floating; /* relative/free.c: bodies without a joint */

/* relative/links.c */
void vg_tree_classify(vgLink *l, int fast); /* fast 0: all go through their table */
vgStatus vg_tree_fours(vgTree *s);
void vg_tree_try_q(const vgLink *l, uint64_t *seed, double *q);
/* relative/fours.c: motion, accelerations (a NULL: bias alone) and what else is wanted, see vg_tree_pass */
void vg_tree_four(const vgTree *s, vgTreeWork *w, const vgLinkFour *g, const double *v, const double *a,
                  int native);
/* relative/motion.c */
void vg_tree_motion(const vgTree *s, vgTreeWork *w, const double *q, const double *v);
void vg_tree_native(const vgTree *s, vgTreeWork *w, int acceleration); /* fills the native motion */
/* Both, with the inertia force of each link alone in F, and the native motion where it is wanted, in one pass
 * through memory. */
void vg_tree_pass(const vgTree *s, vgTreeWork *w, const double *q, const double *v, const double *a,
                  int native);
void vg_tree_local_subspace(const vgLink *l, const double *q, double *S); /* 6×nv, tree axes, about com */
void vg_tree_local_bias(const vgLink *l, const double *q, const double *v, double b[6]);
void vg_tree_pose(const vgLink *l, const double *q, vgVec3 *r_PC, vgMat3 *R_PC);
/* relative/force.c */
void vg_tree_joint_forces(const vgTree *s, vgTreeWork *w, double t, const double *q, const double *v,
                          const double *a, double *stiffness, double *damping);
void vg_tree_wrenches(const vgTree *s, vgTreeWork *w, double t, const double *lambda, double *phi);
/* The same in parts: before the force elements, one of them, after them. */
void vg_tree_wrenches_begin(const vgTree *s, vgTreeWork *w);
void vg_tree_wrench_of(const vgTree *s, vgTreeWork *w, double t, int f);
void vg_tree_wrenches_end(const vgTree *s, vgTreeWork *w, double t, const double *lambda, double *phi);
/* Motion of links and bodies, before anything acts. */
void vg_tree_move(const vgTree *s, vgTreeWork *w, const double *q, const double *v, const double *a);
void vg_tree_inverse(const vgTree *s, vgTreeWork *w, double *r);
void vg_tree_collect(const vgTree *s, vgTreeWork *w, double *r); /* the same, each link's own F being there */
#define VG_WIDTH 1
#include "math/width.h"
#define WLINK   vgLink
#define WPARENT vgLinkMotion
#include "system/relative/link_formulas.h"
#undef WLINK
#undef WPARENT
#undef VG_WIDTH
static inline void vg_tree_own_force(const vgLink *l, vgLinkMotion *m)
{
    vgVec3 Fv, Fw;
    vg_link_own_force_1(l, m->R, m->v, m->w, vg_load3(m->A), vg_load3(m->A + 3), &Fv, &Fw);
    vg_store3(Fv, m->F);
    vg_store3(Fw, m->F + 3);
}
/* r_i = S_iᵀ F_i − τ_i (r NULL: not wanted), and F_i on to the parent. */
static inline void vg_tree_pass_force(const vgTree *s, vgTreeWork *w, int i, double *r)
{
    const vgLink *l = &s->link[i];
    const vgLinkMotion *m = &w->m[i];
    for (int k = l->v0; r && k < l->v0 + l->nv; k++) r[k] = vg_dot_row6(w->S + 6 * k, m->F) - w->tau[k];
    if (l->parent < 0) return;
    double *P = w->m[l->parent].F;
    vgVec3 F = vg_load3(m->F), T = vg_add3(vg_load3(m->F + 3), vg_cross3(m->d, F));
    P[0] += F.x, P[1] += F.y, P[2] += F.z;
    P[3] += T.x, P[4] += T.y, P[5] += T.z;
}
const vgKin *vg_tree_kinematics(const vgSystem *, vgWork *, double t, const double *q, const double *v,
                                const double *a);
void vg_tree_reaction(const vgSystem *, vgWork *, double t, const double *lambda, int joint,
                      double wrench[6]);
void vg_tree_residual(const vgSystem *, vgWork *, double t, const double *q, const double *v, const double *a,
                      const double *lambda, double *r, double *phi);
/* relative/accel.c */
vgStatus vg_tree_accel(const vgSystem *, vgWork *, double t, const double *q, const double *v, double *a,
                       double *lambda);
/* Composite inertias from the ends to the ground: column(user, link, k, F) gets F = I S of every coordinate.
 */
void vg_tree_composite(const vgTree *s, vgTreeWork *w,
                       void (*column)(void *user, int link, int k, const double F[6]), void *user);
/* a from the motion, wrenches and joint torques in w, with the ground accelerated. */
vgStatus vg_tree_articulated(const vgTree *s, vgTreeWork *w, vgVec3 ground, double *a);
vgStatus vg_tree_accel_explicit(const vgTree *s, vgTreeWork *w, double t, const double *q, const double *v,
                                double *a, double *lambda);
/* relative/graph.c */
void vg_tree_mark_closing(vgTree *s);
/* relative/matrix.c */
vgStatus vg_tree_matrix_new(const vgTree *s, vgTreeWork *w, vgTreeMatrix **out);
void vg_tree_matrix_free(vgTreeMatrix *m);
size_t vg_tree_matrix_memory(const vgTreeMatrix *m);
vgStatus vg_tree_factor(const vgSystem *, vgWork *, const vgTangent *);
int vg_tree_pieces(const vgSystem *, const vgWork *, double *cost, int *assembled);
vgStatus vg_tree_piece(const vgSystem *, vgWork *, const vgTangent *, int i);
void vg_tree_solve(const vgSystem *, vgWork *, double *x_v, double *x_l);
void vg_tree_solve_at_once(const vgSystem *, vgWork *, double *x_v, double *x_l); /* lin.h */
vgStatus vg_tree_assemble(const vgSystem *, vgWork *, const vgTangent *, vgSaddle *);
/* [M Bᵀ; B 0] at the motion in w, gradients fresh */
vgStatus vg_tree_factor_mass(const vgTree *s, vgTreeWork *w, double t);
int vg_tree_jacobian(const vgSystem *, vgWork *, double t, const double *q, int *start, int *col,
                     double *value);
/* relative/partials.c */
enum { VG_TREE_SHOWN = 36 };
vgStatus vg_tree_matrices(const vgSystem *, vgWork *, const vgTangent *, double *room, double *M, double *C,
                          double *K);
void vg_tree_above(const vgSystem *, int *above);
/* relative/project.c */
void vg_tree_levels_here(const vgSystem *, vgWork *, double t, const double *q, const double *v,
                         const double *a, double *phi, double *phi_dot, double *phi_ddot);
void vg_tree_levels(const vgSystem *, vgWork *, double t, const double *q, const double *v, const double *a,
                    double *phi, double *phi_dot, double *phi_ddot);
double vg_tree_row_terms(const vgSystem *, vgWork *, double t, int row);
vgStatus vg_tree_project_q(const vgSystem *, vgWork *, double t, double *q, double tol, int max_iter,
                           int *iter);
vgStatus vg_tree_project_v(const vgSystem *, vgWork *, double t, const double *q, double *v);
/* relative/start.c */
VG_CHECKED vgStatus vg_tree_from_native(const vgSystem *sys, const vgKin *kin, double *q, double *v);
/* relative.c */
void vg_tree_retract(const vgSystem *sys, const double *q_r, const double *d, double *q);

#endif
