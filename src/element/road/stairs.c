/* Stairs: `count` steps of height `rise`, one every `run` along x. Edges are rounded as a tyre envelops them: each
 * riser is a cubic with zero end slopes over `edge`, centred at the step. Only the nearest riser is evaluated. */
#include <math.h>

#include "element/road/road.h"

typedef struct vgRoadStairs {
    double start, run, rise, edge;
    int count;
} vgRoadStairs;

static const vgField fields[] = {
    {"start", VG_FIELD_NUMBER, offsetof(vgRoadStairs, start), "m", "0", 0, 0,
     "x of the middle of the first riser"},
    {"count", VG_FIELD_INT, offsetof(vgRoadStairs, count), "", "1", 1, 1000000, "how many steps"},
    {"run", VG_FIELD_NUMBER, offsetof(vgRoadStairs, run), "m", NULL, 1e-300, INFINITY,
     "from one riser to the next"},
    {"rise", VG_FIELD_NUMBER, offsetof(vgRoadStairs, rise), "m", NULL, 0, 0, "of each step; negative: down"},
    {"edge", VG_FIELD_NUMBER, offsetof(vgRoadStairs, edge), "m", NULL, 1e-300, INFINITY,
     "length over which a riser climbs"},
};

static vgStatus setup(void *def, const char **key, const char **why)
{
    const vgRoadStairs *s = def;
    if (s->edge <= s->run) return VG_OK;
    *key = "edge";
    *why = "a riser longer than a step runs into the next one";
    return VG_BAD_INPUT;
}

static void eval(const void *def, double x, double h[3])
{
    const vgRoadStairs *s = def;
    double at = (x - s->start) / s->run + 0.5, b[3], k = floor(at), scale = 1 / s->edge;
    if (at <= 0 || s->rise == 0) return;
    if (k >= s->count) {
        h[0] += s->count * s->rise;
        return;
    }
    vg_road_blend((x - s->start - k * s->run) * scale + 0.5, b);
    h[0] += s->rise * (k + b[0]);
    h[1] += s->rise * scale * b[1];
    h[2] += s->rise * scale * scale * b[2];
}

/* The risers around x: two corners each, so that those before do not change the sign. */
static double corner(const void *def, double x)
{
    const vgRoadStairs *s = def;
    double c[6], at = round((x - s->start) / s->run);
    double k = fmin(fmax(at, 0), s->count - 1);
    int n = 0;
    for (double i = k - 1; i <= k + 1; i++) {
        if (i < 0 || i > s->count - 1) continue;
        c[n++] = s->start + i * s->run - 0.5 * s->edge;
        c[n++] = s->start + i * s->run + 0.5 * s->edge;
    }
    return vg_road_corner(n, c, x);
}

const vgRoadKind vg_road_stairs = {
    .name = "stairs",
    .doc = "Steps up or down with rounded edges.",
    .fields = fields,
    .nfield = 5,
    .def_size = sizeof(vgRoadStairs),
    .example = "porch: {stairs: {start: 12, count: 5, run: 1, rise: -0.1, edge: 0.3}}",
    .setup = setup,
    .eval = eval,
    .corner = corner,
};
