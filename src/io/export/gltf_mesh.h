/* Shapes of a scene as triangles. */
#ifndef VG_IO_EXPORT_GLTF_MESH_H
#define VG_IO_EXPORT_GLTF_MESH_H

#include "io/export/motion.h"

typedef struct vgTriangles {
    size_t n, room;        /* vertices: three a triangle */
    float *point, *normal; /* 3 · n */
    int failed;
} vgTriangles;

/* A shape in its own frame; thickness is that of plates, radius that of bars that have none. */
void vg_triangles_shape(vgTriangles *to, const vgJsonNode *shape, int planar, double thickness,
                        double radius);
/* A bar of length one along x, from −½ to ½. */
void vg_triangles_rod(vgTriangles *to, double width, double height);
/* A bar between two points. */
void vg_triangles_bar(vgTriangles *to, const double a[3], const double b[3], double radius);
void vg_triangles_free(vgTriangles *triangles);

#endif
