/* Roads: heights z = h(x) over the x axis of a road's frame, the same for every y. One file, one row each. Tyres
 * evaluate height, slope and curvature. */
#ifndef VERGE_ELEMENT_ROAD_ROAD_H
#define VERGE_ELEMENT_ROAD_ROAD_H

#include "base/field.h"
#include "base/status.h"

typedef struct vgRoadKind {
    const char *name;
    const char *doc;
    const char *const *locals; /* names of the inputs of its laws, slots 1, 2, …; NULL: it has no laws */
    const vgField *fields;     /* offsets into the kind's own def struct of def_size bytes */
    int nfield;
    size_t def_size;
    const char *example; /* one entry of the model file */
    /* May complete the def. NULL: nothing to do. VG_BAD_INPUT with the field at fault and the words. */
    vgStatus (*setup)(void *def, const char **key, const char **why);
    /* Adds h, dh/dx, d²h/dx² at x; at a corner those of one side. */
    void (*eval)(const void *def, double x, double h[3]);
    /* A function of x that changes its sign where slope or curvature jump. NULL: they do not. */
    double (*corner)(const void *def, double x);
} vgRoadKind;

typedef struct vgRoad {
    const char *name;
    const vgRoadKind *kind;
    const void *def;
    const struct vgRoad *on; /* the road that this one is laid upon: heights add; may be NULL */
} vgRoad;

extern const vgRoadKind *const vg_road_kinds[]; /* NULL-terminated: the list */
const vgRoadKind *vg_road_kind(const char *name);

/* Height, slope and second derivative at x. road NULL: the plane z = 0. */
void vg_road_eval(const vgRoad *road, double x, double h[3]);

/* A function of x that changes its sign at every corner of the road and of those it is laid upon. */
double vg_road_switch(const vgRoad *road, double x);

/* Shared by the kinds: the distance to the next of n corners, in ascending order, with a sign that changes at
 * each. */
double vg_road_corner(int n, const double *corner, double x);
/* A rise of 0 to 1 from x = 0 to 1 with flat ends, s = 3x² − 2x³, and its derivatives; held
 * outside. */
void vg_road_blend(double x, double s[3]);

#endif
