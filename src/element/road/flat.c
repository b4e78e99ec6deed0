/* A level plane: h = height. */
#include "element/road/road.h"

typedef struct vgRoadFlat {
    double height;
} vgRoadFlat;

static const vgField fields[] = {
    {"height", VG_FIELD_NUMBER, offsetof(vgRoadFlat, height), "m", "0", 0, 0, "height of the plane"},
};

static void eval(const void *def, double x, double h[3])
{
    (void)x;
    h[0] += ((const vgRoadFlat *)def)->height;
}

const vgRoadKind vg_road_flat = {
    .name = "flat",
    .doc = "A level plane.",
    .fields = fields,
    .nfield = 1,
    .def_size = sizeof(vgRoadFlat),
    .example = "yard: {flat: {height: 0.1}}",
    .eval = eval,
};
