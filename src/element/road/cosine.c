/* Cosine bump: h = height/2 (1 − cos(2π (x − start)/length)) from start to start + length, 0 else. Slopes are
 * continuous. */
#include <math.h>

#include "element/road/road.h"

typedef struct vgRoadCosine {
    double start, length, height;
} vgRoadCosine;

static const vgField fields[] = {
    {"start", VG_FIELD_NUMBER, offsetof(vgRoadCosine, start), "m", "0", 0, 0, "x where the bump begins"},
    {"length", VG_FIELD_NUMBER, offsetof(vgRoadCosine, length), "m", NULL, 1e-300, INFINITY,
     "of the bump along x"},
    {"height", VG_FIELD_NUMBER, offsetof(vgRoadCosine, height), "m", NULL, 0, 0,
     "of its top; negative: a hole"},
};

static void eval(const void *def, double x, double h[3])
{
    const vgRoadCosine *s = def;
    double at = x - s->start, k = 6.283185307179586476925 / s->length;
    if (at <= 0 || at >= s->length || s->height == 0) return;
    double c = 0.5 * s->height * cos(k * at);
    h[0] += 0.5 * s->height - c;
    h[1] += 0.5 * s->height * k * sin(k * at);
    h[2] += k * k * c;
}

static double corner(const void *def, double x)
{
    const vgRoadCosine *s = def;
    return vg_road_corner(2, (const double[]){s->start, s->start + s->length}, x);
}

const vgRoadKind vg_road_cosine = {
    .name = "cosine",
    .doc = "A bump or hole of one cosine wave.",
    .fields = fields,
    .nfield = 3,
    .def_size = sizeof(vgRoadCosine),
    .example = "bump: {cosine: {start: 1, length: 5, height: 0.2}}",
    .eval = eval,
    .corner = corner,
};
