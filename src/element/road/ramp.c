/* Ramp: level, then a straight slope up or down to `height`, then level again. Both bends are parabolas
 * `edge` long in x, which keeps the slope continuous: h = m (p(x − start) − p(x − start − length)),   p(d) =
 * 0, (d + e/2)²/2e, d   before, in and after the bend |d| < e/2 */
#include <math.h>

#include "element/road/road.h"

typedef struct vgRoadRamp {
    double start, length, height, edge;
} vgRoadRamp;

static const vgField fields[] = {
    {"start", VG_FIELD_NUMBER, offsetof(vgRoadRamp, start), "m", "0", 0, 0,
     "x of the middle of its first bend"},
    {"length", VG_FIELD_NUMBER, offsetof(vgRoadRamp, length), "m", NULL, 1e-300, INFINITY,
     "from the middle of one bend to the middle of the other"},
    {"height", VG_FIELD_NUMBER, offsetof(vgRoadRamp, height), "m", NULL, 0, 0,
     "that it climbs; negative: falls"},
    {"edge", VG_FIELD_NUMBER, offsetof(vgRoadRamp, edge), "m", "0", 0, INFINITY,
     "length of each bend; 0: sharp, with a jump of the slope"},
};

static vgStatus setup(void *def, const char **key, const char **why)
{
    const vgRoadRamp *s = def;
    if (s->edge <= s->length) return VG_OK;
    *key = "edge";
    *why = "the bends are longer than the ramp";
    return VG_BAD_INPUT;
}

static void bend(double d, double edge, double m, double h[3])
{
    if (d <= -0.5 * edge) return;
    if (d >= 0.5 * edge) {
        h[0] += m * d, h[1] += m;
        return;
    }
    double e = d + 0.5 * edge;
    h[0] += m * e * e / (2 * edge);
    h[1] += m * e / edge;
    h[2] += m / edge;
}

static void eval(const void *def, double x, double h[3])
{
    const vgRoadRamp *s = def;
    double m = s->height / s->length;
    if (m == 0) return;
    bend(x - s->start, s->edge, m, h);
    bend(x - s->start - s->length, s->edge, -m, h);
}

static double corner(const void *def, double x)
{
    const vgRoadRamp *s = def;
    double e = 0.5 * s->edge, to = s->start + s->length;
    if (e == 0) return vg_road_corner(2, (const double[]){s->start, to}, x);
    return vg_road_corner(4, (const double[]){s->start - e, s->start + e, to - e, to + e}, x);
}

const vgRoadKind vg_road_ramp = {
    .name = "ramp",
    .doc = "A straight slope between two levels, with rounded bends.",
    .fields = fields,
    .nfield = 4,
    .def_size = sizeof(vgRoadRamp),
    .example = "kerb: {ramp: {start: 5, length: 8, height: 0.8, edge: 1}}",
    .setup = setup,
    .eval = eval,
    .corner = corner,
};
