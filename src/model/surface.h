/* Surfaces of triangles from STL (binary, text) and OBJ files: what mesh shapes look like and weigh.
 *
 * Corners at the same place are one vertex. A surface is closed where every edge is passed as often one way as the other;
 * its volume, centre and inertia are then exact sums of signed tetrahedra,
 *
 *     V = Σ v,   V c = Σ v (a+b+c)/4,   ∫ x xᵀ = Σ v/20 [(a+b+c)(a+b+c)ᵀ + aaᵀ + bbᵀ + ccᵀ],   v = a·(b×c)/6,
 *
 * whichever way its triangles face. */
#ifndef VERGE_MODEL_SURFACE_H
#define VERGE_MODEL_SURFACE_H

#include <stddef.h>

#include "base/arena.h"
#include "base/diag.h"
#include "math/vec.h"

enum {
    VG_SURFACE_MAX_BYTES = 128 << 20,
    VG_SURFACE_MAX_TRIANGLES = 4000000,
    VG_SURFACE_SHOWN = 20000 /* triangles kept for looks; vertices fit into 16 bits then */
};

typedef struct vgSurface {
    const char *file; /* as the model names it */
    int nvertex, ntriangle;
    vgVec3 *vertex; /* [nvertex] m; simplified where there were more than VG_SURFACE_SHOWN triangles */
    int *corner;    /* [3 ntriangle] */
    int given;      /* triangles in the file */
    int open;       /* edges without a partner; 0: closed */
    double volume;  /* m³; the rest at density 1, of closed surfaces */
    vgVec3 com;
    vgMat3 inertia; /* about com */
} vgSurface;

/* name: its ending says the format (.stl, .obj). 1, or 0 with diagnostics in the file. All memory is of the pool. */
int vg_surface_parse(vgPool *pool, const char *bytes, size_t n, const char *name, const double scale[3],
                     vgDiag *diag, vgSurface *out);
/* The same from a file; at: who names it. */
int vg_surface_read(vgPool *pool, const char *path, vgLoc at, const double scale[3], vgDiag *diag,
                    vgSurface *out);
/* 1: the ending of a name is one of a format that is read. */
int vg_surface_is_known(const char *name);

#endif
