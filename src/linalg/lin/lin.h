/* Square linear systems A x = b on a graph.
 *
 * The Newton matrices of multibody systems are saddle matrices on a graph: nodes are bodies ("primal", a
 * dense square diagonal block) and groups of constraint rows ("dual", a zero or small diagonal block); edges
 * are the coupling blocks. The graph is given once, the memory carved once; then the caller refills the block
 * values in place, factors and solves as often as it likes, without allocation and with the same bits for
 * the same values.
 *
 *     vg_lin_new(nnode, nodes, nedge, edges, VG_LIN_AUTO, &lin);
 *     double *J = vg_lin_block(lin, joint, body);            (once; the address stays)
 *     values = vg_lin_values(lin, &n); memset(values, 0, n * sizeof *values); ... += ...
 *     if (vg_lin_factor(lin) == VG_OK) vg_lin_solve(lin, x); */
#ifndef VG_LINALG_LIN_H
#define VG_LINALG_LIN_H

#include <stddef.h>

#include "base/status.h"

typedef struct vgLin vgLin;

typedef struct vgLinNode {
    int size; /* rows of the node, >= 1 */
    int dual; /* 1: constraint rows with a zero (or small) diagonal block */
    int pass; /* dual: so many of its rows are passed on and eliminated later (vg_lin_learn) */
    int wait; /* dual: so many rows more than its own must be eliminated around it before it is */
} vgLinNode;

typedef struct vgLinEdge {
    int i, j;   /* two different nodes, in any order */
    int mirror; /* 1: block (j,i) is the transpose of block (i,j) and only (i,j) is stored; 0: both stored */
} vgLinEdge;

typedef enum vgLinBackend {
    VG_LIN_AUTO,  /* dense when tiny, block when the fill is small, else fronts */
    VG_LIN_DENSE, /* LU with row pivoting of the whole matrix */
    VG_LIN_BLOCK, /* block LU on the graph; falls back to sparse for one with a bad pivot block */
    VG_LIN_FRONTS, /* block LU in dense fronts of many nodes, rows exchanged within them; falls back as above */
    VG_LIN_SPARSE /* LU of single entries with row exchanges */
} vgLinBackend;

/* A list of edges that grows; {0} is empty, free(edge) ends it. */
typedef struct vgLinEdges {
    int n, room;
    vgLinEdge *edge;
    int failed; /* 1: an edge found no memory; every later one is refused, so that the last answer tells */
} vgLinEdges;
vgStatus vg_lin_edges_add(vgLinEdges *list, vgLinEdge edge);

/* A pair of nodes may be named by several edges as long as they agree on mirror (and, if 1, on direction).
 * VG_BAD_INPUT for a size < 1, an edge out of range or from a node to itself, or disagreeing edges. */
vgStatus vg_lin_new(int nnode, const vgLinNode *nodes, int nedge, const vgLinEdge *edges,
                    vgLinBackend backend, vgLin **out);
void vg_lin_free(vgLin *lin);

/* Rows of the system, and the first row of a node: vectors hold the nodes in the order they were given. */
int vg_lin_size(const vgLin *lin);
int vg_lin_offset(const vgLin *lin, int node);
int vg_lin_node(const vgLin *lin, int row); /* and the node of a row */
int vg_lin_rows(const vgLin *lin, int node);
int vg_lin_is_coupled(const vgLin *lin); /* 1: there is an edge */

/* The row-major block size_i × size_j, at a stable address. The diagonal block of every node exists. NULL
 * where there is no edge and for the side of a mirror edge that is not stored. */
double *vg_lin_block(vgLin *lin, int i, int j);
/* The stored blocks one by one, 0 … vg_lin_stored() − 1, for whoever combines matrices on the same graph: block (i, j)
 * begins at values[at]. */
typedef struct vgLinPlace {
    int i, j;
    size_t at;
} vgLinPlace;
int vg_lin_stored(const vgLin *lin);
vgLinPlace vg_lin_place(const vgLin *lin, int k);
/* All block values in one array of n doubles, so that the caller can clear, copy or scale them at once. */
double *vg_lin_values(vgLin *lin, size_t *n);

/* Rows of dual nodes that are left out from the next factorisation on: row r, at place[r] in vectors (−1: nowhere),
 * where active[r] is 0. Their unknowns are 0, their right sides are not read, and factorisations clear their entries.
 * active NULL: none is left out. */
void vg_lin_leave_out(vgLin *lin, int n, const int *place, const unsigned char *active);

/* Factors the current values, which stay intact but for rows that are left out. VG_SINGULAR: vg_lin_bad_row names the equation;
 * VG_NOT_FINITE: a value is NaN or infinite. After a failure there is nothing to solve with.
 * The factors depend on the values alone, not on what was factored before. */
vgStatus vg_lin_factor(vgLin *lin);
int vg_lin_bad_row(const vgLin *lin); /* global row, -1 when the last factorisation succeeded */

/* Tries the elimination with the current values and finds the dual nodes whose pivot blocks are singular where
 * their turn comes, although the whole matrix is not: of the six rows of two ball joints on one bar, the bar alone
 * carries five. found[nnode] gets what has to be added to `pass` and `wait` of each node; a new matrix with these
 * numbers eliminates what can be eliminated there and passes on the other rows. *news: how many nodes it found. The
 * backend of fronts needs no new matrix: it finds none and changes itself. There is nothing to solve with afterwards. After
 * VG_NO_MEMORY the matrix can only be freed. */
vgStatus vg_lin_learn(vgLin *lin, vgLinNode *found, int *news);

/* vg_lin_factor in pieces, called in order while the values do not change: their number, and the cost of each in
 * about nanoseconds (cost NULL: not wanted). A backend that cannot be interrupted has one piece. */
int vg_lin_pieces(const vgLin *lin, double *cost);
vgStatus vg_lin_piece(vgLin *lin, int i);

/* x := A⁻¹ x with the last factorisation, whatever happened to the values since. */
void vg_lin_solve(vgLin *lin, double *x);

/* As vg_lin_solve, while the values are still those that were factored. If pivots have cost digits (a subgraph
 * that is eliminated first can be nearly singular while the whole matrix is not), the solution is refined
 * iteratively. For results that no later iteration corrects: accelerations, projections. */
void vg_lin_solve_at_once(vgLin *lin, double *x);

/* The same, refined whether pivots have cost digits or not: small pivots eliminated first (a light body among
 * heavy ones) lose them too. */
void vg_lin_solve_refined(vgLin *lin, double *x);

/* y := A x with the current values. */
void vg_lin_multiply(const vgLin *lin, const double *x, double *y);
/* One step of iterative refinement of A x = b with the current values: x += A⁻¹ (b − A x). Returns the
 * largest |b − A x| before the step. */
double vg_lin_refine(vgLin *lin, const double *b, double *x);

size_t vg_lin_memory(const vgLin *lin);      /* bytes of the matrix, its factors and schedules */
size_t vg_lin_factor_size(const vgLin *lin); /* doubles in the factors: the fill */
const char *vg_lin_backend_name(const vgLin *lin);
long vg_lin_fallbacks(const vgLin *lin); /* that the block backend handed to the sparse one */
long vg_lin_repivots(const vgLin *lin);  /* sparse factorisations with other pivots than the last */

#endif
