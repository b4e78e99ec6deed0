/* Newton's increment of models with long lines of elements in lanes (beams, ropes): a line is eliminated
 * from its far end to its root while its elements are evaluated, so that their tangents never go to memory;
 * only the ends of lines, joints and whatever else there is meet in a matrix (docs/theory.md, eq. 25b).
 * Internal to the room. */
#ifndef VERGE_SYSTEM_ABSOLUTE_LINES_H
#define VERGE_SYSTEM_ABSOLUTE_LINES_H

#include "system/absolute/absolute.h"

typedef struct vgLineBody {
    double mass;
    vgMat3 J;
    int q0, v0;
} vgLineBody;

/* Four elements of a line. An element belongs to its near node, towards the root; its inner nodes belong to it
 * alone. */
typedef struct vgLineGroup {
    const vgForceLanes *ops;
    const vgLanePack *pack;
    int n; /* lanes in use */
    vgLineBody near[VG_LANES], mid[VG_LANES];
} vgLineGroup;

typedef struct vgLine {
    int first, ngroup; /* of the list of groups, from the far end to the root */
    int nn;            /* nodes of an element */
    int near, far;     /* 0 or nn − 1 */
    int root, tip;     /* bodies of the matrix; tip −1: the far end is free */
    vgLineBody end;    /* the free end */
    size_t keep, stride;
    int is_long;      /* it does not fit the caches */
    double *block[4]; /* (root, root), (root, tip), (tip, root), (tip, tip) of the matrix */
} vgLine;

typedef struct vgLines {
    vgArena arena;
    int nline, ngroup;
    size_t nkeep;
    vgLine *line;
    vgLineGroup *group;
    double *keep;
    unsigned char *hidden;  /* per body: eliminated with its line */
    unsigned char *in_line; /* per group of lanes */
    vgMatrix matrix;        /* of all bodies that are not hidden */
} vgLines;

/* Doubles kept of an element's far node: columns of six by the near node, a held end and the right side, read
 * and written by fours. */
static inline int vg_line_room(int held)
{
    return 6 * (held ? 13 : 7) + 2;
}

/* *out NULL without an error: there are none. */
vgStatus vg_lines_new(const vgAbs *s, vgLines **out);
void vg_lines_free(vgLines *w);
size_t vg_lines_memory(const vgLines *w);

/* Where an increment is taken. */
typedef struct vgLinePoint {
    const vgTangent *p;
    const vgAffine *s; /* NULL: q, v, a are those of p */
    const vgChart *chart;
    const vgKin *kin; /* of the bodies of the matrix */
    vgVec3 g;
    double c1, c2; /* cv/ca, 1/ca */
    int turning;
    double *acc; /* largest acceleration: translation, rotation */
    int bare;    /* back substitution: right sides of the line's own bodies are zero */
} vgLinePoint;

typedef struct vgLineMost { /* largest increment: translation, rotation */
    double x[2], bad;
} vgLineMost;

/* absolute/lines_run.c: to the root, adding to the matrix and its right side at_root, at_tip. 0: a pivot has
 * lost too much. */
int vg_line_up(const vgLines *w, const vgLine *l, const vgLinePoint *x, double *at_root, double *at_tip);
/* And back with the solution x_v of the ends: the increment of all bodies of the line. move: Δ += it. */
void vg_line_down(const vgLines *w, const vgLine *l, const vgLinePoint *x, double *x_v, vgLineMost *most);
/* absolute/lines_motion.c: the state of a body by its Δ; its motion and stage map V; Δ += the increment dx. */
void vg_line_state(const vgLinePoint *x, int q0, int v0, double q[7], double v[6], double a[6],
                   double rate[6]);
void vg_line_look(const vgLinePoint *x, const vgLineBody *b, vgKin *k, vgMat3 *V);
void vg_line_move(const vgLinePoint *x, int v0, const double *dx, vgLineMost *most);

#endif
