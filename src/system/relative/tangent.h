/* Relative coordinates: pieces of the tangent, shared by the elimination along the tree and the explicit
 * matrix. Internal to the room; see relative/tangent.c for the equations. */
#ifndef VERGE_SYSTEM_RELATIVE_TANGENT_H
#define VERGE_SYSTEM_RELATIVE_TANGENT_H

#include "system/relative/relative.h"

typedef struct vgTreeCoef {
    double c1, c2, one; /* cv/ca, 1/ca, 1 (static: 0, 1, 0) */
} vgTreeCoef;

/* 𝔸 (6×18) += that of the link itself: inertia, and the wrench on it (NULL: none). */
void vg_tree_own_block(const vgLink *l, const vgLinkMotion *m, const double *wrench, double *A);
/* 𝔸 of a link in its slot: what its children have carried there, its own and that of elements at it. */
double *vg_tree_link_block(const vgTree *s, vgTreeWork *w, int i, const double *wrench);
/* to (first: =, else +=) Xᵀ 𝔸 X; a row over y carried to the parent. */
void vg_tree_carry_block(const double *A, vgVec3 d, double *to, int first);
void vg_tree_carry_row(double *h, vgVec3 d);
/* σ of link i into w->sigma (t NULL: of the mass matrix); SF (nv×nv): ∂Sᵀ/∂q F where S varies and
 * vg_tree_turn_back() does not give it. */
void vg_tree_sigma(const vgTree *s, vgTreeWork *w, int i, const vgTangent *t, const vgTreeCoef *c,
                   double *SF);
static inline int vg_tree_turns_back(const vgLink *l)
{
    return l->way == VG_LINK_CARDAN || l->way == VG_LINK_FLOAT;
}
void vg_tree_turn_back(const vgLink *l, const double *S, const double *wrench, double *SF);
void vg_tree_row_column(const double *A, const double *F, const double *S, const double *sigma, double *h,
                        double *col);
/* V of the joint (nv×nv); 0: it is the identity. */
int vg_tree_stage_map(const vgLink *l, const vgTangent *p, double *V);
static inline double vg_tree_dot18(const double *a, const double *b)
{
    double x = 0, y = 0;
    for (int k = 0; k < 18; k += 2) x += a[k] * b[k], y += a[k + 1] * b[k + 1];
    return x + y;
}

/* What elements along the joint's own coordinate add to the pivot. */
static inline double vg_tree_joint_pivot(const vgTreeWork *w, int k, const vgTreeCoef *c)
{
    return w->stiffness ? c->one * w->rotor[k] - c->c1 * w->damping[k] - c->c2 * w->stiffness[k] : 0;
}

/* 𝔸 += B + C of a force between a link and its parent (vgTreeWork.cross). */
static inline void vg_tree_add_cross(const double *cross, double *A)
{
    for (int k = 0; k < 108; k++) A[k] += cross[k] + cross[108 + k];
}

/* Elements between links: relative/pairs.c. */
typedef struct vgTreePairs vgTreePairs;

/* Springs and rods that few joints are between: relative/near.c. */
typedef struct vgTreeNear vgTreeNear;

/* The explicit matrix: relative/graph.c makes it, relative/matrix.c fills it. */
struct vgTreeMatrix {
    vgTreePairs *pairs;
    vgTreeNear *near;
    vgLin *lin;
    int nnode;             /* primal and dual */
    int *node, *off;       /* per link: its node (−1: no coordinates), place in it */
    int *size;             /* per node */
    int *joint_node;       /* per joint, −1: no active rows */
    int *local_row;        /* per row: place in its node, −1 inactive */
    unsigned char *mirror; /* per node: dual whose columns are its rows */
    unsigned char *dual;   /* per node: closing rows */
    double **block;        /* nnode × nnode addresses */
    int *v_at, *row_at;    /* places in the solve vector */
    int *row_of;           /* back: row or −1 */
    int *depth;            /* per link */
    double *x;
    double *wrench, *F; /* 6 per link each: as in the work and its motion, but for the elements of near */
};

/* Row of coordinate k of link i in the columns of link j. */
static inline double *vg_tree_entry(const vgTreeMatrix *m, int i, int k, int j, int *ld)
{
    *ld = m->size[m->node[j]];
    return m->block[(size_t)m->node[i] * (size_t)m->nnode + (size_t)m->node[j]] + (m->off[i] + k) * *ld +
           m->off[j];
}

static inline int vg_tree_link(const vgTree *s, int body)
{
    return body < 0 ? -1 : s->link_of[body];
}

/* The next link on the path from u and v to their common ancestor: the deeper of the two; −1: it is reached.
 */
static inline int vg_tree_step_up(const vgTree *s, const vgTreeMatrix *m, int *u, int *v, int *side)
{
    if (*u == *v) return -1;
    int du = *u < 0 ? -1 : m->depth[*u], dv = *v < 0 ? -1 : m->depth[*v];
    *side = du >= dv ? 0 : 1;
    int *at = *side ? v : u, now = *at;
    *at = s->link[now].parent;
    return now;
}

/* Calls emit for every joint between the bodies of a primitive with its row's entries on that joint. */
typedef void vgTreeEmit(void *user, int prim, int row, int link, const double *entries);
void vg_tree_walk_row(const vgTree *s, vgTreeWork *w, const vgTreeMatrix *m, int prim, int row,
                      vgTreeEmit *emit, void *user);

/* Which elements they are; then, the matrix being there, where they are in it. */
vgStatus vg_tree_near_find(const vgTree *s, const vgForcePlace *force, vgTreeNear **out);
vgStatus vg_tree_near_place(vgTreeNear *x, const vgTree *s, const vgTreeMatrix *m);
void vg_tree_near_free(vgTreeNear *x);
size_t vg_tree_near_memory(const vgTreeNear *x);
int vg_tree_near_force(const vgTreeNear *x, int f);
int vg_tree_near_prim(const vgTreeNear *x, int prim); /* 1: is here; 2: its stiffness is zero */
int vg_tree_near_count(const vgTreeNear *x);          /* of fours */
/* Tangents and closing rows of four i at the point of the tangent; t NULL: the rows alone. */
void vg_tree_near_add(const vgTreeNear *x, vgTreeWork *w, const vgTangent *t, const vgTreeCoef *c, int i);

vgStatus vg_tree_pairs_new(const vgTree *s, const vgForcePlace *force, const vgTreeNear *near,
                           vgTreePairs **out);
void vg_tree_pairs_free(vgTreePairs *p);
size_t vg_tree_pairs_memory(const vgTreePairs *p);
void vg_tree_pairs_clear(vgTreePairs *p);
/* δF_u = A y_v of links u ≠ v with columns from `from` (0, 6, 12) on: A, to be added to. */
double *vg_tree_pair_block(vgTreePairs *p, int u, int v, int from);
/* All pairs whose outer link is i: its joint's blocks, and on to the parent. */
void vg_tree_pairs_joint(const vgTree *s, vgTreeWork *w, const vgTreeMatrix *m, int i);

static inline vgTreeCoef vg_tree_coef(const vgTangent *p)
{
    return p->ca > 0 ? (vgTreeCoef){p->cv / p->ca, 1 / p->ca, 1} : (vgTreeCoef){0, 1, 0};
}

/* A matrix being filled. */
typedef struct vgTreeFill {
    const vgTree *s;
    vgTreeWork *w;
    vgTreeMatrix *m;
    const vgTangent *t; /* NULL: mass alone */
    const vgTreeCoef *c;
    double time;
    int first; /* of the columns of the element at hand: 0 it feels accelerations, 6 velocities, 12 positions
                  alone */
    int rows;  /* the closing rows alone */
    int keep;  /* the closing rows alone are updated */
} vgTreeFill;

/* relative/elements.c: tangents of force element i, of the groups of four from group i on, of all of them;
 * geometric stiffness of a closing primitive. */
void vg_tree_force_tangent(vgTreeFill *f, int i);
void vg_tree_four_tangent(vgTreeFill *f, int i);
void vg_tree_force_tangents(vgTreeFill *f);
void vg_tree_closure_tangent(vgTreeFill *f, int at);

/* relative/matrix.c: motion and forces at the point of the tangent, and the blocks of what acts on single links and
 * between neighbours, where there is no explicit matrix. */
void vg_tree_force_blocks(const vgTree *s, vgTreeWork *w, const vgTangent *t);

/* One link of the elimination, from the last to the first. */
vgStatus vg_tree_factor_link(const vgTree *s, vgTreeWork *w, const vgTangent *t, const vgTreeCoef *c, int i);
/* All of them. */
vgStatus vg_tree_factor_tree(const vgTree *s, vgTreeWork *w, const vgTangent *t);
void vg_tree_solve_tree(const vgTree *s, vgTreeWork *w, double *x);

#endif
